// The world owns all data: entities, component types, tables, queries, systems. Worlds in one
// process share no mutable state.
//
// Threads: only one thread at a time may use a world, unless a function says otherwise.
#ifndef MICA_WORLD_H
#define MICA_WORLD_H

#include <mica/entity.h>
#include <mica/error.h>
#include <mica/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

// How to create a world. Zero is the default of every field.
typedef struct mica_world_desc {
    // Must be 0 in all descriptors, like last_zero, so that the library detects a descriptor that
    // was not zeroed.
    uint32_t first_zero;

    // Limits that are lower than the maximum, for tests and for fixed budgets. 0: the maximum.
    uint32_t max_entities; // entity slots; maximum and default: 4,294,967,295 [world.max_entities]
    uint32_t max_types;    // maximum and default: 16,777,215 [world.max_types]

    mica_allocator allocator;          // default: the C library's
    mica_error_handler *error_handler; // default: prints to standard error
    void *error_user;
    mica_log_handler *log_handler; // default: none
    void *log_user;
    bool abort_on_error; // see mica_world_set_abort_on_error()

    // mica_world_free() notifies observers of all removals, as mica_world_clear() does. So they can
    // release files and other things outside of the world. The world is then still whole. Commands
    // that observers record are dropped. [world.notify_on_free]
    bool notify_on_free;

    // For debugging: every structural change moves the memory that it touches, so that the address
    // sanitizer finds pointers that were kept too long. [world.relocates] This is slow, and
    // reserved capacity is lost.
    bool relocate_always;

    uint32_t last_zero; // must be 0
} mica_world_desc;

// Creates a world. A NULL `desc` means all defaults. [world.defaults] On failure, calls the error
// handler with a NULL world and returns NULL: MICA_ERROR_DESC or _ARGUMENT for a wrong descriptor,
// or MICA_ERROR_MEMORY. [world.fail]
MICA_API mica_world *mica_world_new(const mica_world_desc *desc);

// Destroys all values and frees all memory. [world.free] Does nothing if `world` is
// NULL. [world.free_null] Fails with MICA_ERROR_ITERATING, and frees nothing, while an iteration is
// open. [world.free_iterating]
MICA_API mica_result mica_world_free(mica_world *world);

// Ends every open iteration and the running step. Use it if an iteration was left without
// mica_iter_end() and its iterator is lost: such an iteration blocks all changes. Use it also if a
// system's update was left by longjmp() or an exception. [iterations.end] The step is then over,
// and its time does not count. The work that its systems did until then stays. [iterations.step]
// Hooks, handlers and observers must return normally: a world stays locked if one of them does
// not. [iterations.return]
//
// Returns the number of ended iterations. [iterations.count] Do not use these iterations, or
// pointers that were read from them, any more. [iterations.gone] If a system's update, or a
// function that a command calls, calls this and continues, the step or the commands stop with
// MICA_ERROR_ITERATOR. [iterations.inside] Fails with MICA_ERROR_ITERATING inside observers; other
// errors: MICA_ERROR_NULL, _HOOK, _HANDLER. [iterations.fail]
MICA_API uint32_t mica_world_end_iterations(mica_world *world);

// Returns the result that a structural change of the world would have now. That is MICA_ERROR_HOOK
// inside a hook of a type, and MICA_ERROR_HANDLER inside a handler. It is MICA_ERROR_ITERATING
// while an iteration is open, and inside a system or an observer. Otherwise it is
// MICA_OK. [world.check_change] Reports no error, so that a destructor can test whether it may free
// its handles. [world.check_silent] For a recording world, returns the result for the world that it
// records for. [world.check_recording] Fails with MICA_ERROR_NULL if `world` is
// NULL. [world.check_null]
MICA_API mica_result mica_world_check_change(mica_world *world);

// Destroys all entities. Types, tables and their capacity, queries and systems stay. [world.clear]
// Frees the slots in ascending order; the highest one is used next. [world.clear_slots] Fails with
// MICA_ERROR_ITERATING during iteration. [world.clear_iterating]
MICA_API mica_result mica_world_clear(mica_world *world);

// Checks every invariant of every module of the library. [validate.all] For tests and for finding
// memory overwrites. It takes time in proportion to everything in the world. [validate.cost]
// Returns MICA_OK, or MICA_ERROR_CORRUPT with a sentence that names the broken
// invariant. [validate.result] It trusts the library's own pointers: if one of these was
// overwritten, it may crash. [validate.pointers]
MICA_API mica_result mica_world_validate(mica_world *world);

#ifdef __cplusplus
}
#endif

#endif
