// Canaries: bugs planted on purpose, to check that the tests find them.
//
//   if (MICAI_CANARY("world.clone")) { ... }
//
// In ordinary builds, the macro is the constant false and generates no code. In the library that
// tests/canary/ builds, a canary is on if the environment names it. tests/canary/list names every
// canary and the suite that must fail while it is on.
//
// Room:    base. Called by every room.
#ifndef MICAI_BASE_CANARY_H
#define MICAI_BASE_CANARY_H

#include <stdbool.h>

#ifdef MICAI_CANARIES
bool micai_canary_is_on(const char *name); // in tests/canary/switch.c
#define MICAI_CANARY(name) micai_canary_is_on(name)
#else
#define MICAI_CANARY(name) false
#endif

#endif
