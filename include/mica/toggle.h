// Toggles: a component that is switched off for an entity, and on again, where it is. Nothing
// moves, and its value stays. [toggle.stays]
//
//   mica_type_desc desc = MICA_DESCRIBE(Burning, seconds);
//   desc.toggle = true;
//   mica_type burning = mica_type_register(world, &desc);
//   ...
//   mica_disable(world, e, burning);
//   mica_enable(world, e, burning);
//
// A value is enabled when it comes to be: spawned, added, set where it was not. [toggle.enabled]
// One that is disabled is still there: mica_has(), mica_get() and mica_set() see it, a clone has it
// disabled, too; setting it leaves it disabled. [toggle.there] Removing it and adding it again
// makes a new one. [toggle.again]
//
// To queries, a component that is disabled is not there: terms that need it do not match, MICA_WITHOUT
// does, MICA_OPTIONAL gives NULL, MICA_ANY looks at the others. MICA_EVEN_DISABLED in the access of a
// term makes that term see no difference: mica/query.h.
//
// Toggling is no structural change: it invalidates nothing, and is allowed while queries are iterated.
// A segment stays as it is until the next one; whoever is disabled or enabled meanwhile and has not
// come up yet is met as he is when his segment begins. It counts as a change of the component.
#ifndef MICA_TOGGLE_H
#define MICA_TOGGLE_H

#include <mica/accessor.h>
#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Switches a component of an entity on or off; nothing happens if it is so already. [toggle.switch]
// MICA_ERROR_NULL, _ENTITY, _TYPE, _ARGUMENT (the type has no toggle, the entity has no such
// component), _HOOK, _HANDLER; and where somebody is told of it, _MEMORY, and _ITERATING inside of
// an observer. [toggle.fail]
MICA_API mica_result mica_enable(mica_world *world, mica_entity entity, mica_type type);
MICA_API mica_result mica_disable(mica_world *world, mica_entity entity, mica_type type);

// Has the entity the component, and is it enabled? [toggle.is_enabled] Of a type without a toggle,
// it always is. [toggle.no_toggle] False, silently, on the dead; an error if the type is none or
// foreign. [toggle.dead]
MICA_API bool mica_is_enabled(mica_world *world, mica_entity entity, mica_type type);

// Which rows of an iteration's segment have the component of a term, and have it enabled: 64 of
// them at a time, from `row` on, row + i as bit i. [flags.rows] Bits of rows behind the segment are
// 0. [flags.behind] For loops over everybody, with MICA_EVEN_DISABLED, that want to know who is
// switched on; 64 flags cost less than bringing scattered rows together. [flags.loops]
//
//   for (uint32_t row = 0; row < it.count; row += 64) {
//       uint64_t enabled = mica_read_enabled(&it, 0, row);
//       for (uint32_t i = row; enabled != 0; i++, enabled >>= 1) { if (enabled & 1) { ... } }
//   }
//
// It says how things are in this moment. [flags.now] Any term can be asked about: one whose type
// has no toggle is enabled where it is there. [flags.any_term] 0 and an error: MICA_ERROR_TERM (no
// term of the query; or that has .no_entities, by which rows are known), _ITERATOR (no iteration,
// or not at a segment), _ARGUMENT (a row beyond it->count). [flags.fail]
MICA_API uint64_t mica_read_enabled(const mica_iter *it, uint32_t term, uint32_t row);

// Accessors toggle, too, inline: mica_accessor_enable(), mica_accessor_disable() and
// mica_accessor_is_enabled().

// The same for all that match and have the component; the others are passed over. [toggle.all] All
// or none. [toggle.all_or_none] `matched_out`, which may be NULL, gets the number of entities that
// matched, unless the call fails. [toggle.matched] Mind that a term of the type itself does not
// match those that are disabled, unless it says MICA_EVEN_DISABLED. [toggle.own_term]
MICA_API mica_result mica_enable_all(mica_world *world, mica_query query, mica_type type,
                                     uint32_t *matched_out);
MICA_API mica_result mica_disable_all(mica_world *world, mica_query query, mica_type type,
                                      uint32_t *matched_out);

#ifdef __cplusplus
}
#endif

#endif
