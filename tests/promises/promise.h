// What the public headers promise, tag by tag: one file per header, one case per function.
//
// A tag, [noun.word], stands in the header behind the sentence or the sentences that it names. It is short, lower case,
// and unique over all headers. Cases cite tags and quote no sentences, so that the English of a header can change
// without its test. If what a sentence promises changes, its test changes, and the tag may stay.
//
// How to write them:
//
// - tests/promises/world.c is about include/mica/world.h. Every .c file here is compiled, and its suite has the
//   header's name; nothing else needs to know of it.
// - Each function that the header declares (MICA_API, MICA_INLINE) has tags in the comment above it, up to the last
//   sentence, and one case:
//
//     // Destroys all entities, lowest slot first. [world.clear] Types, queries and systems stay. [world.clear_stays]
//     MICA_API mica_result mica_world_clear(mica_world *world);
//
//     PROMISE(mica_world_clear)
//     {
//         // [world.clear]
//         ...checks that show it...
//
//         // [world.clear_stays]: also systems that are disabled
//         ...
//     }
//
//     TESTS(world, promise_of_mica_world_clear, ...)       // last in the file, all of them
//
// - Go through the comment above the function from its first word to its last: the effect, what it costs, what
//   it invalidates, what null handles and pointers do, every code it can fail with and that a failure changes nothing.
//   Each part has a test. Words of your own behind a tag say which part of it, or which special case, is shown.
// - Functions that stand together under one comment, without a blank line between them, share its tags: the case of any
//   of them may cite one. What stands above no function (the head of a header, a struct, a member) needs a tag only
//   where a test cites it, and any test may, in its cases or in functions that they call.
// - Use the library as the reader of that sentence would, with public headers only. What the sentence does not say
//   is for other suites: these cases need not be complete, but they must be true to the words.
// - Costs are shown by counting (allocations, row moves of mica_world_get_stats()). What only instructions
//   show is in tests/gate. Then say so: // [despawn.cost]: tests/gate/growth.c
// - If what a sentence says is not so, one of the two is wrong. Correct the code, where users want the promise; otherwise
//   the sentence. What cannot be shown at all is no promise, and goes.
//
// check.sh fails for: a function without a case or without a tag, a case without a function, a sentence behind the last
// tag above a function, a tag that no test cites (above functions: no case of theirs), a citation of a tag that no
// header has, a tag in two places.
#ifndef TEST_PROMISES_PROMISE_H
#define TEST_PROMISES_PROMISE_H

#include <mica.h>

#include <string.h>

#include "runner/print.h"
#include "runner/test.h"
#include "runner/world.h"

// All zero, as what a function fills in that has failed.
#define CHECK_ZERO(info) CHECK(memcmp(&(info), (char[sizeof(info)]){0}, sizeof(info)) == 0)

#define PROMISE(function) static void promise_of_##function(void)

#endif
