// What the public headers promise, sentence by sentence: one file per header, one case per function.
//
// How to write them:
//
// - tests/promises/world.c is about include/mica/world.h. A file that is there is compiled, and its suite has the
//   header's name; nothing else needs to be told of it.
// - Each function that the header declares (MICA_API, MICA_INLINE) has one case:
//
//     PROMISE(mica_world_clear)
//     {
//         // "Ends all entities, lowest slot first"
//         ...checks that show it...
//
//         // "types, tables and their room, queries and systems stay"
//         ...
//     }
//
//     TESTS(world, promise_of_mica_world_clear, ...)       // last in the file, all of them
//
// - Go through the comment above the function from its first word to its last: the effect, what it costs, what
//   it invalidates, what the null things do, every code it can fail with and that a failure changes nothing. Each
//   part is quoted, in quotation marks inside a comment, as few words as say which it is, exactly as they
//   stand in the header; and then shown. A quote is for one sentence: several quotes may share one.
// - Use the library as the reader of that sentence would, with public headers only. What the sentence does not say
//   is for other suites: these cases are not to be complete, but true to the words.
// - What it costs is shown by counting (allocations, row moves of mica_world_stats()). What only instructions
//   show is in tests/gate: say so, // "O(1)": tests/gate/growth.c
// - If what a sentence says is not so, one of the two is wrong. Mend it: the code, where the promise is one that
//   a user wants; else the sentence. If it cannot be shown at all, it is no promise, and goes.
//
// check.sh compares: functions without a case, cases without a function, sentences that no case quotes,
// quotes that no longer stand in the header. Functions that stand together under one comment share its sentences.
#ifndef TEST_PROMISES_PROMISE_H
#define TEST_PROMISES_PROMISE_H

#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

// All zero, as what a function fills in that has failed.
#define CHECK_ZERO(info) CHECK(memcmp(&(info), (char[sizeof(info)]){0}, sizeof(info)) == 0)

#define PROMISE(function) static void promise_of_##function(void)

#endif
