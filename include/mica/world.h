// The world owns everything: entities, component types, tables, queries, systems. Two worlds in one
// process share nothing that can change.
//
// Threads: one thread at a time may use a world, unless a function says otherwise.
#ifndef MICA_WORLD_H
#define MICA_WORLD_H

#include <mica/entity.h>
#include <mica/error.h>
#include <mica/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

// How a world is made. Zero is the default of every field.
typedef struct mica_world_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    // Lowered limits, for tests and for budgets that must hold. 0: no limit but the format's.
    uint32_t max_entities; // slots; at most and by default 4,294,967,295 [world.max_entities]
    uint32_t max_types;    // at most and by default 16,777,215 [world.max_types]

    mica_allocator allocator;          // default: the C library's
    mica_error_handler *error_handler; // default: prints to standard error
    void *error_user;
    mica_log_handler *log_handler; // default: silence
    void *log_user;
    bool abort_on_error;

    // For debugging: every structural change moves the memory of what it touches, so that a pointer
    // kept too long is found by the address sanitizer. [world.relocates] Slow; room that was
    // reserved does not last.
    bool restless;

    uint32_t last_zero; // must be 0
} mica_world_desc;

// NULL desc: all defaults. [world.defaults] Returns NULL if the descriptor is wrong
// (MICA_ERROR_DESC, MICA_ERROR_ARGUMENT) or memory is refused (MICA_ERROR_MEMORY), after calling
// the handler with a NULL world. [world.fail]
MICA_API mica_world *mica_world_new(const mica_world_desc *desc);

// Destroys all values, gives back all memory. [world.free] NULL: nothing happens. [world.free_null]
// MICA_ERROR_ITERATING, and nothing freed, while an iteration is open. [world.free_iterating]
MICA_API mica_result mica_world_free(mica_world *world);

// Ends every iteration that is open, and the step that runs: the way out when one was left without
// mica_iter_end() and is lost, since until then all changes are refused, and when an update of a
// system was left by longjmp() or an exception. [iterations.end] Then the step is over, its time
// does not count, and what its systems did until then is done. [iterations.step] (Hooks, handlers
// and observers must return: a world in which one was left that way stays
// shut.) [iterations.return]
//
// Returns how many iterations there were. [iterations.count] What was read from them, and the
// iterations themselves, are not to be used any more. [iterations.gone] Not to be called by an
// update, or a function that a command calls, that goes on: a step stops then, and so do commands,
// with MICA_ERROR_ITERATOR. [iterations.inside] Refused inside observers: MICA_ERROR_ITERATING;
// MICA_ERROR_NULL, _HOOK, _HANDLER. [iterations.fail]
MICA_API uint32_t mica_world_end_iterations(mica_world *world);

// Returns what a structural change on the world itself would return now, because of what runs:
// MICA_ERROR_HOOK inside a hook of a type; MICA_ERROR_HANDLER inside a handler;
// MICA_ERROR_ITERATING while an iteration is open, or inside a system or an observer; otherwise
// MICA_OK. [world.check_change] Reports nothing, so that a destructor can ask whether it may free
// what it owns. [world.check_silent] For a recording world, returns this for the world it belongs
// to. [world.check_recording] MICA_ERROR_NULL. [world.check_null]
MICA_API mica_result mica_world_check_change(mica_world *world);

// Ends all entities; types, tables and their room, queries and systems stay. [world.clear] Slots
// are freed from the lowest to the highest, which is used next. [world.clear_slots]
// MICA_ERROR_ITERATING during iteration. [world.clear_iterating]
MICA_API mica_result mica_world_clear(mica_world *world);

// Checks every invariant of every part. [validate.all] For tests and for hunting memory overwrites:
// O(everything). [validate.cost] MICA_OK, or MICA_ERROR_CORRUPT with a sentence that names the
// broken invariant. [validate.result] It trusts pointers that the library owns: if one of them was
// overwritten, it may crash. [validate.pointers]
MICA_API mica_result mica_world_validate(mica_world *world);

#ifdef __cplusplus
}
#endif

#endif
