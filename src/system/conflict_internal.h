// Conflicts: what two systems access that one of them writes. Waves: consecutive systems without conflicts.
//
// Room:    system.
#ifndef MICAI_SYSTEM_CONFLICT_INTERNAL_H
#define MICAI_SYSTEM_CONFLICT_INTERNAL_H

#include "system/system.h"

// Text that is appended piece by piece. Text that does not fit is dropped.
typedef struct micai_text_list {
    char *text;
    size_t size;
    size_t used;
} micai_text_list;

void micai_text_append(micai_text_list *w, const char *before, const char *what);

// Returns the strongest access that the system's queries have to a type.
mica_access micai_system_access_to(mica_world *world, const micai_system *one,
                                   const micai_type *type);

// Returns true if two systems conflict. Appends the names of what they conflict in.
bool micai_systems_clash(mica_world *world, const micai_system *a, const micai_system *b,
                         micai_text_list *w);

// Finds the waves of all phases, if systems have changed since.
void micai_waves_plan(mica_world *world, micai_systems *all);

// Appends why a system is not in the wave of the system before it. Nothing, if it is, or if that one runs alone.
void micai_wave_explain(mica_world *world, const micai_system *one, micai_text_list *w);

#endif
