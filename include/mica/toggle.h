// Toggles: disable and enable a component of an entity in place. Nothing moves, and the value
// stays. [toggle.stays]
//
//   mica_type_desc desc = MICA_DESCRIBE(Burning, seconds);
//   desc.toggle = true;
//   mica_type burning = mica_type_register(world, &desc);
//   ...
//   mica_disable(world, e, burning);
//   mica_enable(world, e, burning);
//
// A new component value is enabled, whether it is spawned, added or set. [toggle.enabled] A
// disabled component still belongs to the entity: mica_has(), mica_get() and mica_set() see it. In
// a clone, it is disabled, too. Setting its value leaves it disabled. [toggle.there] Removing and
// adding it creates a new, enabled value. [toggle.again]
//
// Queries see a disabled component as missing: terms that require it do not match, MICA_WITHOUT
// matches, MICA_OPTIONAL returns NULL, and MICA_ANY ignores it. A term with MICA_INCLUDE_DISABLED
// sees no difference: mica/query.h.
//
// Toggling is not a structural change: it invalidates nothing, and is allowed during iteration. The
// current segment stays as it is. Later rows are seen in the state that they have when their
// segment begins. Toggling counts as a change of the component.
#ifndef MICA_TOGGLE_H
#define MICA_TOGGLE_H

#include <mica/accessor.h>
#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Enable or disable a component of an entity. They do nothing if it is in that state
// already. [toggle.switch] They fail with MICA_ERROR_NULL, _ENTITY, _TYPE, _HOOK, _HANDLER, or with
// _ARGUMENT if the type has no toggle or the entity has no such component. If an observer must be
// notified, they also fail with _MEMORY, and with _ITERATING inside an observer. [toggle.fail]
MICA_API mica_result mica_enable(mica_world *world, mica_entity entity, mica_type type);
MICA_API mica_result mica_disable(mica_world *world, mica_entity entity, mica_type type);

// Returns true if the entity has the component and it is enabled. [toggle.is_enabled] A component
// without a toggle is always enabled. [toggle.no_toggle] Returns false, without an error, if the
// entity is dead. Reports an error if the type is null or foreign. [toggle.dead]
MICA_API bool mica_is_enabled(mica_world *world, mica_entity entity, mica_type type);

// Returns a bit mask for 64 rows of the current segment. Bit i is set if row + i has the component
// of the term, and it is enabled. [flags.rows] Bits of rows after the end of the segment are
// 0. [flags.behind] Use it with MICA_INCLUDE_DISABLED in loops over all rows. Reading 64 flags
// costs less than gathering the enabled rows. [flags.loops]
//   for (uint32_t row = 0; row < it.count; row += 64) {
//       uint64_t enabled = mica_read_enabled(&it, 0, row);
//       for (uint32_t i = row; enabled != 0; i++, enabled >>= 1) { if (enabled & 1) { ... } }
//   }
//
// The result is the state at the time of the call. [flags.now] Any term is allowed: a component
// without a toggle is enabled in all rows that have it. [flags.any_term] Returns 0 on failure.
// Fails with MICA_ERROR_TERM if there is no such term, or the query has .no_entities. Fails with
// _ITERATOR if the iteration is invalid or has no current segment, and with _ARGUMENT if `row` is
// beyond it->count. [flags.fail]
MICA_API uint64_t mica_read_enabled(const mica_iter *it, uint32_t term, uint32_t row);

// Accessors have inline functions for the same: mica_accessor_enable(), mica_accessor_disable() and
// mica_accessor_is_enabled().

// Enable or disable the component of all matching entities that have it; they skip the
// others. [toggle.all] All or none. [toggle.all_or_none] `matched_out`, which may be NULL, receives
// the number of matching entities, unless the call fails. [toggle.matched] If the query has a term
// for this component, it needs MICA_INCLUDE_DISABLED to match disabled ones. [toggle.own_term]
MICA_API mica_result mica_enable_all(mica_world *world, mica_query query, mica_type type,
                                     uint32_t *matched_out);
MICA_API mica_result mica_disable_all(mica_world *world, mica_query query, mica_type type,
                                      uint32_t *matched_out);

#ifdef __cplusplus
}
#endif

#endif
