// Commands: changes that are recorded now and applied later (a command buffer, deferred changes).
// Use them while the world is iterated, or to apply many changes together.
//
//   static void hit(mica_iter *it)
//   {
//       for (uint32_t i = 0; i < it->count; i++) {
//           mica_despawn(mica_later(it), it->entities[i]);
//       }
//   }
//
// To record a change, make the same call on a recording world, which mica_later() returns. It
// records these calls: mica_spawn(), also by bundle and many at once, mica_clone(),
// mica_facet_add(), mica_despawn() and mica_despawn_many(). Also mica_add(), mica_remove(),
// mica_set(), mica_change() and mica_change_sets(), mica_enable() and mica_disable(),
// mica_entity_set_name(), mica_send() and mica_defer_call(). [command.recorded] Calls that only
// read are executed at once and see the world as it is now. Examples are mica_get(), mica_has(),
// mica_alive(), mica_entity_find(), queries and their change detection (mica/change_detection.h).
// mica_get_mut() returns the present value, too. [command.looks] A recording world shares the error
// state and the handlers of its world (mica/error.h). [command.errors]
//
// All other calls fail with MICA_ERROR_RECORDING. Some of them return results that are not known
// yet, such as mica_spawn_at() and mica_add_all(). Others do not change entities: calls for types,
// queries, bundles, groups, sorting, systems, steps, and the world as a whole. Setting resources
// fails, too: set them on the world itself, at any time. [command.refused] A function that
// mica_defer_call() records can make all these calls.
//
// A recorded call checks its arguments at once, and fails as it would on the world. Such failures
// are wrong types, sizes and names, dead entities, and facets of facets. [command.checks] It copies
// values, or takes ownership of values that cannot be copied. Values of commands that are never
// applied are destroyed with the command. [command.values]
//
// Spawning returns a handle. It can be used in further recorded calls, and be stored. The entity
// does not exist until the command runs. If it never runs, the entity never
// exists. [command.handle]
//
// Commands are applied in the order of recording: by system, then by row. [command.order] The
// result is as if each call were made at that time, with one exception. All changes of one entity
// are combined into one change, at the place of the first. The entity moves once, and only
// components that it has at the end are created. [command.one_change] A recorded function, name,
// clone or facet splits this change: commands recorded before it are applied before it, later ones
// after it. Events are sent in their order, and split nothing. Removing a component and then adding
// it without a value splits the change, too: it gets its default value. So does removing a
// component with a toggle and then setting it: the new value is enabled. [command.remove_add] What
// observers and functions record while commands are applied comes after all that wait, in order, and
// is not combined with them. [command.meanwhile] A
// command for an entity that is dead by then is dropped, and counted in
// mica_world_get_stats(). [command.dead] A command that fails is reported under the name of its
// call, and dropped; the others are still applied. [command.fail] If a combined change fails, its
// commands are applied one by one. [command.fail_apart] If memory runs out, applied commands stay
// applied. The failed command and all later ones wait; the next replay applies
// them. [command.memory]
#ifndef MICA_COMMAND_H
#define MICA_COMMAND_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the recording world of an iteration's world. [later.records] O(1). All iterations of a
// world have the same one, which is valid until the world is freed. [later.cost]
//
// Its commands are applied when the last open iteration ends, in mica_iter_next() or
// mica_iter_end(). That call then invalidates pointers as the changes would, and reports
// MICA_ERROR_MEMORY and _LIMIT, like mica_commands_apply(). [later.end] In a step, they are applied
// at the end of the phase (mica/phase.h), even if the step fails. A system with `replay_first` has
// them applied before it runs. [later.step]
//
// Returns NULL, which every call refuses, on failure: MICA_ERROR_MEMORY, or MICA_ERROR_ITERATOR if
// the iteration is invalid or has ended. [later.fail]
MICA_API mica_world *mica_later(const mica_iter *it);

// The same for code without an iteration, such as functions that commands call. [later.world]
// Commands that are recorded outside of iterations are applied at the end of the next iteration or
// step, or by mica_commands_apply(). A call that is observed does not apply them: it applies only what
// its own observers recorded. [later.outside] Returns NULL on failure: MICA_ERROR_NULL,
// _HOOK, _MEMORY. [later.world_fail]
MICA_API mica_world *mica_world_later(mica_world *world);

// Creates a recording world with a buffer of its own. mica_commands_apply() applies
// it. [buffer.new] It lives until it is freed, or its world is. [buffer.life] Returns NULL on
// failure: MICA_ERROR_NULL, _HOOK, _HANDLER, _MEMORY. [buffer.fail]
MICA_API mica_world *mica_commands_new(mica_world *world);

// Applies the commands of a buffer, and then those that they recorded with
// mica_later(). [apply.all] `commands` may also be the world itself, or the result of mica_later():
// then applies the commands recorded with mica_later(). [apply.world] Fails with MICA_ERROR_NULL,
// and with _ITERATING while the world is iterated or commands are applied. Fails with _MEMORY or
// _LIMIT if some commands could not be applied. [apply.fail]
MICA_API mica_result mica_commands_apply(mica_world *commands);

// Discards the commands of a buffer: destroys their values. The entities of their handles will
// never exist. `commands` may be the world itself, as above. [discard.all] Fails with
// MICA_ERROR_NULL, _HOOK, _HANDLER, and with MICA_ERROR_ITERATING while these commands are
// applied. [discard.fail]
MICA_API mica_result mica_commands_discard(mica_world *commands);

// Discards the commands and frees the buffer. [buffer.free] Does nothing if `commands` is
// NULL. [buffer.free_null] Fails with MICA_ERROR_RECORDING if mica_commands_new() did not create
// it. [buffer.free_fail]
MICA_API mica_result mica_commands_free(mica_world *commands);

// Returns the number of commands that wait. `commands` may be the world itself, as
// above. [command.count] A call with several effects, such as mica_change(), is several
// commands. [command.count_several]
MICA_API uint32_t mica_commands_count(mica_world *commands);

typedef void mica_call_fn(mica_world *world, const void *data);

#define MICA_COMMAND_ROUNDS 1000

// Records a function call as a command. [call.later] The function gets the world, which it may
// change, and a copy of the data. The copy is aligned like memory of malloc() and valid until the
// function returns. [call.data] It may record further commands, which are applied after those that
// wait. [call.records] If commands record commands without end, they are stopped after
// MICA_COMMAND_ROUNDS rounds with MICA_ERROR_LIMIT. The waiting commands are
// discarded. [call.endless] The function must not free the world or apply commands. It must end the
// iterations that it begins. [call.limits]
//
// On the world itself, calls the function at once, with `data` itself. This fails with
// MICA_ERROR_ITERATING while the world is iterated. [call.now] Fails with MICA_ERROR_MEMORY, and
// with MICA_ERROR_NULL, also if `data` is NULL and `size` is not 0. [call.fail]
MICA_API mica_result mica_defer_call(mica_world *world, mica_call_fn *function, const void *data,
                                     size_t size);

#ifdef __cplusplus
}
#endif

#endif
