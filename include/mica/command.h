// Commands: changes that are recorded now and carried out later, because the world is being iterated
// now, or because they are to be carried out all at once.
//
//   static void hit(mica_iter *it)
//   {
//       for (uint32_t i = 0; i < it->count; i++) {
//           mica_despawn(mica_later(it), it->entities[i]);
//       }
//   }
//
// A change for later is the same call on another face of the world. These are recorded:
// mica_spawn() in all its forms but mica_spawn_at(), mica_clone(), mica_extend(), mica_despawn(),
// mica_despawn_many(), mica_add(), mica_remove() and mica_set() for one component or several,
// mica_change(), mica_enable(), mica_disable(), mica_entity_set_name(), mica_send(),
// mica_call(). [command.recorded] Whatever only looks is done at once, and sees the world as it is:
// mica_get(), mica_has(), mica_alive(), mica_entity_find(), queries, and since when they ask for
// changes (mica/change.h); mica_get_mut() gives what is there now, too. [command.looks] A face has
// the errors of its world, and who is told of them (mica/error.h). [command.errors]
//
// Everything else is refused, MICA_ERROR_RECORDING, because what it returns is not known yet:
// whether the handle for mica_spawn_at() is free, how many a change by query changes
// (mica_add_all() and its kin); because it need not wait: resources; or because it is not about
// entities: types, queries, bundles, groups, sorting, systems, steps, and what is done to the world
// as a whole. [command.refused] mica_call() can do all of that, then.
//
// A call that is recorded checks what can be told then, and fails as it would on the world: types,
// sizes, names that are no good, entities that are dead, facets of facets. [command.checks] Values
// are copied in at once, or handed over if they cannot be copied; if they are never used, they end
// with the command. [command.values]
//
// Spawning gives a handle. It can be used in further calls that are recorded, and be kept; nobody
// lives under it before the command is carried out, or ever, if that never
// happens. [command.handle]
//
// Commands are carried out in the order they were recorded in, which is that of systems, then of
// rows. [command.order] The result is as if each had been called then, except that all changes of
// one entity, from its first on, are one change: it moves once, and only what it comes to have is
// made. [command.one_change] (Calls, names, clones and facets are carried out at their place: what
// was recorded before them is done before, what comes after, after. Events are sent in their order,
// and part no changes. What was there, is removed, and then added without a value, or set if it has
// a toggle, begins another change: so it has its default, or is enabled.) [command.remove_add] A
// command for an entity that is dead by then is dropped, and counted:
// mica_world_stats(). [command.dead] One that fails is reported as that call, and is dropped; the
// others go on. [command.fail] (Where changes of one entity fail as one, each is carried out for
// itself.) [command.fail_apart] If memory is refused, what was carried out stays, that command and
// all behind it wait, and are carried out the next time. [command.memory]
#ifndef MICA_COMMAND_H
#define MICA_COMMAND_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// The face of the iteration's world that records. [later.records] O(1); the same one for all
// iterations of a world, and good until that is freed. [later.cost]
//
// What it has recorded is carried out at the end of the outermost iteration: mica_iter_next() or
// mica_iter_end(), which then invalidate pointers as the changes would, and report
// MICA_ERROR_MEMORY and MICA_ERROR_LIMIT, as mica_commands_apply() does. [later.end] In a step,
// when the phase has run (mica/phase.h), be it that the step fails, or before a system that asks
// for it (`replay_first`). [later.step]
//
// NULL, which all calls refuse: MICA_ERROR_ITERATOR for what is no iteration or has ended,
// MICA_ERROR_MEMORY. [later.fail]
MICA_API mica_world *mica_later(const mica_iter *it);

// The same for those who have no iteration at hand, as functions that are called by
// commands. [later.world] What is recorded outside of iterations waits for the end of the next one,
// or of a step, or for mica_commands_apply(). [later.outside] NULL: MICA_ERROR_NULL, _HOOK,
// _MEMORY. [later.world_fail]
MICA_API mica_world *mica_world_later(mica_world *world);

// A face that records into a buffer of its own, which is carried out when that is asked
// for. [buffer.new] It lives until it or the world is freed. [buffer.life] NULL: MICA_ERROR_NULL,
// _HOOK, _HANDLER, _MEMORY. [buffer.fail]
MICA_API mica_world *mica_commands_new(mica_world *world);

// Carries out what was recorded, and then what that has recorded with mica_later(). [apply.all] Of
// the world itself, or its face that mica_later() gives: what waits there. [apply.world]
// MICA_ERROR_NULL; MICA_ERROR_ITERATING while the world is iterated, or commands are carried out;
// MICA_ERROR_MEMORY, MICA_ERROR_LIMIT: see above and below. [apply.fail]
MICA_API mica_result mica_commands_apply(mica_world *commands);

// Forgets what was recorded: values end, and nobody will live under the handles that were given
// out. Of the world itself as above. [discard.all] MICA_ERROR_NULL, _HOOK, _HANDLER;
// MICA_ERROR_ITERATING while these commands are carried out. [discard.fail]
MICA_API mica_result mica_commands_discard(mica_world *commands);

// The same, and frees the buffer. [buffer.free] NULL: nothing happens. [buffer.free_null]
// MICA_ERROR_RECORDING for what was not made by mica_commands_new(). [buffer.free_fail]
MICA_API mica_result mica_commands_free(mica_world *commands);

// How many commands wait. Of the world itself as above. [command.count] A call that does several
// things, such as mica_change(), is several commands. [command.count_several]
MICA_API uint32_t mica_commands_count(mica_world *commands);

typedef void mica_call_fn(mica_world *world, const void *data);

#define MICA_COMMAND_ROUNDS 1000

// A function of one's own as a command. [call.later] It gets the world, which can be changed then,
// and a copy of the data, which is aligned like memory of malloc() and good until the function
// returns. [call.data] It may record further commands, which are carried out in turn: behind those
// that wait. [call.records] Commands that record others without an end are stopped after
// MICA_COMMAND_ROUNDS of them have followed each other: MICA_ERROR_LIMIT, and what waits then is
// discarded. [call.endless] It may not free the world, nor apply commands, and has to end the
// iterations that it begins. [call.limits]
//
// On the world itself: calls it at once, with the data as it is; MICA_ERROR_ITERATING while the
// world is iterated. [call.now] MICA_ERROR_NULL, also for data that is missing;
// MICA_ERROR_MEMORY. [call.fail]
MICA_API mica_result mica_call(mica_world *world, mica_call_fn *function, const void *data,
                               size_t size);

#ifdef __cplusplus
}
#endif

#endif
