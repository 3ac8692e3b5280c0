// Tapes: the input of a world is recorded, so that the same simulation can be played again. For bug
// reports, replays of matches, and regression tests.
//
//   // the game
//   mica_world *input = mica_tape_begin(world, &(mica_stream){.path = "match.tape"}, NULL);
//   ...                                             // each frame:
//   mica_set(input, player, MICA_VALUE(controls, Controls, .jump = true));
//   mica_step(world, dt);
//   ...
//   mica_tape_end(world);
//
//   // later, in a world that begins in the same state
//   mica_tape_play(world, &(mica_stream){.path = "match.tape"}, 0, 0, NULL);
//
// mica_tape_begin() returns a recording world (mica/command.h), through which the program makes its input:
// everything that comes from outside of the simulation, such as keys, messages of other machines, random
// seeds. It can spawn, clone, despawn, add, remove, set, change, enable, disable and name entities, add
// facets, and send events. The next step writes this to the tape with its `dt`, and applies
// it. [tape.input] So a tape has a few bytes for each step, however large the world is.
//
// A tape has no state. To play it, load the image that was saved before the tape began (mica/image.h), or
// run the same set-up. The world needs the same systems, and they must repeat: mica_sync_test() finds
// those that do not. What the program changes in other ways than through the recording world is not on the
// tape: resources that it sets, snapshots that it restores, phases that it runs by hand. Without them,
// playing comes to another state.
//
// Tapes are the same on every machine. Types are found by name. Both programs must describe them in the
// same way, as for deltas (mica/delta.h).
#ifndef MICA_TAPE_H
#define MICA_TAPE_H

#include <mica/stream.h>
#include <mica/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of tapes that this library writes and reads.
#define MICA_TAPE_VERSION 1u

// How to record. Zero is the default of every field.
typedef struct mica_tape_desc {
    uint32_t first_zero; // must be 0

    // Each so many steps, the tape gets mica_world_hash(), to find out where playing comes to another state:
    // O(everything). 0: only mica_tape_end() writes it.
    uint32_t hash_steps;

    uint32_t last_zero; // must be 0
} mica_tape_desc;

// Begins to record, and returns the recording world for input. [tape.begin] It is valid until the tape
// ends. [tape.valid] A NULL `desc` means all defaults. [tape.defaults] Does not change the
// world. [tape.unchanged]
//
// Input waits until the next mica_step(). mica_commands_apply(), mica_commands_discard() and
// mica_commands_free() fail with MICA_ERROR_RECORDING for this recording world, and so does
// mica_defer_call(): functions cannot be written. [tape.refused] Input that is made in a step, or while
// commands are applied, fails with MICA_ERROR_ITERATING: what systems do is no input. [tape.between] The
// handles of spawned entities may be used in later input, as those of any recording
// world. [tape.handles]
//
// A tape has the fields of values, and no bytes outside of them. [tape.fields] Setting or sending a value
// fails with MICA_ERROR_TYPE if its type has a save hook, a destruct, copy or move hook, or neither fields
// nor is declared plain (mica_type_desc.plain). Defaults of such types can be added. [tape.types]
//
// Fails with MICA_ERROR_NULL, _DESC, _HOOK, _HANDLER, _ITERATING, _RECORDING, _MEMORY; with _ITERATING also
// while commands wait or an entity is reserved for one; with _ARGUMENT if the world is recorded already, or
// the stream cannot be written; with _STREAM if the file cannot be created. [tape.begin_fail]
MICA_USE_RESULT MICA_API mica_world *mica_tape_begin(mica_world *world, const mica_stream *stream,
                                                     const mica_tape_desc *desc);

// Ends the tape of this world, with its hash. [tape.end] Discards input that still
// waits. [tape.end_waiting] Freeing the world ends the tape, too, without a hash. [tape.free]
//
// Until then, a path or buffer keeps its old content. A callback gets each step before the step runs: so
// after a crash, all input is there, that of the last step included. [tape.until_then] The path is copied.
// A buffer or callbacks must be valid until the end. [tape.path] After a write error, nothing more is
// written, and everything else continues; the end reports the error. [tape.write_error]
//
// Fails with MICA_ERROR_ARGUMENT if the world is not recorded; with _STREAM, or _MEMORY for a buffer, if writing
// failed; with _MEMORY if hashing fails. The tape has ended then, too. Fails with _NULL, _HOOK,
// _HANDLER, _ITERATING, _RECORDING; then it has not. [tape.end_fail]
MICA_API mica_result mica_tape_end(mica_world *world);

// Plays a tape: `count` steps of it, from step `first` on, which is 0 for the first one. A count of 0 means
// all that follow. [tape.play] Each step applies its input, with the same handles, and runs as mica_step()
// with the same `dt`. [tape.step] Passes out how many steps were played, also on failure, unless `played_out`
// is NULL. Fewer than `count` without an error: the tape has ended. [tape.played]
//
// To play on from where an earlier call or a restored snapshot (mica/time.h) left off, pass the number of
// steps that have been played: a viewer plays one step per frame, and jumps back with snapshots. Steps
// before `first` are read, but not played. [tape.first]
//
// The world must be as it was when the tape began, or after `first` steps: with the same mica_world_hash()
// and time; otherwise the call fails with MICA_ERROR_BASE. For a `first` above 0 this is known only if the
// tape has a hash there. [tape.base] If playing comes to another hash than the tape has, to another handle or
// to another result of a step, or if the world refuses input, it fails with MICA_ERROR_DESYNC; the sentence
// names the step. [tape.desync]
//
// A step that failed when it was recorded must fail again; then playing continues. [tape.failed]
// A step that failed for lack of memory does not fail again: a tape cannot be played beyond it. If a step
// fails that had not failed, playing ends with its error. [tape.fails] A tape without an end, after a crash,
// is played up to its last whole step; then the call fails with MICA_ERROR_IMAGE. [tape.broken]
//
// Everything is checked, so a damaged or malicious tape does no harm: MICA_ERROR_IMAGE if the bytes are damaged,
// or are no tape; _VERSION if its version is later than MICA_TAPE_VERSION; _SCHEMA if a type is unknown here,
// or described differently; _LIMIT if input would take much more memory than its size accounts for. Fails with
// _ARGUMENT if the tape has fewer than `first` steps, and while the world is recorded; with _STREAM if reading
// fails, and with _NULL, _MEMORY. Refused where mica_tape_begin() is. [tape.play_fail]
// After a failure, the world is as after the steps that were played. Only if a step itself fails, or its
// input for lack of memory, it has run in part. [tape.stays]
MICA_API mica_result mica_tape_play(mica_world *world, const mica_stream *stream, uint64_t first,
                                    uint64_t count, uint64_t *played_out);

#ifdef __cplusplus
}
#endif

#endif
