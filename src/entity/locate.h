// The router: where one value of one entity is, whatever its storage, and what an entity has. The one
// place, beside those that change entities (change.h), that asks which storage a type has.
//
// Room:    entity. Called by everything that reaches single values and has no short cut: get, set,
//          accessors, clone, hash, print; and by figures and digests of all values.
#ifndef MICAI_ENTITY_LOCATE_H
#define MICAI_ENTITY_LOCATE_H

#include <mica/accessor.h>
#include <mica/debug.h>

#include "base/print.h"
#include "state/state.h"

// A living entity that was looked up. Tables find its values by the record; what is kept by entity
// is found by that.
typedef struct micai_entity_ref {
    mica_entity entity;
    const micai_record *record;
} micai_entity_ref;

// An entity that is known to be alive.
static inline micai_entity_ref micai_entity_ref_of(const micai_state *state, mica_entity entity)
{
    return (micai_entity_ref){entity, micai_slots_at(&state->slots, mica_entity_slot(entity))};
}

// Where a value is: for the router alone to read.
typedef struct micai_place {
    void *home; // NULL: the entity has no such value
    uint32_t part;
    uint32_t index;
} micai_place;

typedef struct micai_value {
    const micai_type *type;
    micai_place place;
} micai_value;

// The locator: in which row of which table a living entity has a type, whatever its storage; of a tag, with the
// column of its flags and ticks, or 0. No table: it has not the type.
micai_cell micai_locate(const micai_state *state, micai_entity_ref ref, const micai_type *type);

// The value of a living entity; it may have none.
micai_value micai_value_find(const micai_state *state, micai_entity_ref ref,
                             const micai_type *type);

static inline bool micai_value_is_there(micai_value value)
{
    return value.place.home != NULL;
}

// Has a living entity the type, be it a tag?
bool micai_value_has(const micai_state *state, micai_entity_ref ref, const micai_type *type);

// Has it the type, and is that enabled? MICA_ERROR_ARGUMENT if a type has no toggle.
bool micai_value_is_on(const micai_state *state, micai_entity_ref ref, const micai_type *type);
mica_result micai_value_check_toggle(mica_world *world, const char *call, const micai_type *type);

// Has what a living entity has of the type, be it a tag, changed after a tick, or was it added after that, as
// far as is known?
bool micai_value_is_newer(const micai_state *state, micai_entity_ref ref, const micai_type *type,
                          bool added, uint64_t since);

// One of the two as a public function asks it: false of the dead, silently; reported, of what is wrong.
bool micai_value_ask(mica_world *world, const char *call, mica_entity entity, mica_type type,
                     bool (*question)(const micai_state *state, micai_entity_ref ref,
                                      const micai_type *type));

// MICA_ERROR_TYPE is reported for an accessor that is none: true.
bool micai_accessor_is_none(mica_world *world, mica_type type, const char *call);

// Disables or enables what a living entity has, of a type with a toggle, and touches it if it changes.
void micai_value_toggle(mica_world *world, micai_entity_ref ref, const micai_type *type, bool off);

// Many have been toggled, entity by entity: is a pool dimmed for nothing?
void micai_value_look(const mica_world *world, const micai_type *type);

// The same for all rows of tables that have a type that is kept there.
void micai_value_toggle_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                               const micai_type *type, bool off);

// The number of the first type at or after `number` that a living entity has; MICAI_BITS_END: none.
uint32_t micai_value_next(const micai_state *state, micai_entity_ref ref, uint32_t number);

// Where a value lies that is there; NULL: nowhere as a whole.
const void *micai_value_read(micai_value value);

// The same of a living entity that may have none, or a tag: NULL. By the shortest way there is.
const void *micai_value_look_at(const micai_state *state, micai_entity_ref ref,
                                const micai_type *type);

// A value that is there, to be read; to be changed, which touches it. NULL, reported as a failure
// of the call: MICA_ERROR_STORAGE if values do not lie whole in memory.
const void *micai_value_get(mica_world *world, const char *call, micai_value value);
void *micai_value_open(mica_world *world, const char *call, micai_value value);

// A value that has ticks of its own, to be changed, which touches it; whose it is need not be alive, and has no
// record then. NULL if it is not there, or not to be reached this way.
void *micai_value_open_ticked(const mica_world *world, micai_entity_ref ref, mica_type type);

// Copies a value that is there, of a type that can be lent (micai_hook_allows_byte_copy), to raw memory.
void micai_value_load(mica_world *world, micai_value value, void *target);

// A value that is there, whole, to be read: where it is, or in scratch memory. NULL, reported, for
// lack of that.
const void *micai_value_see(mica_world *world, const char *call, micai_value value);

// MICA_ERROR_ARGUMENT if `count` values that are given, of a type that cannot be copied, lie in the
// world: it has them already, and would end them twice. (Of other types, any place will do.)
mica_result micai_value_check_source(mica_world *world, const char *call, const micai_type *type,
                                     const void *data, uint32_t count);

// The same if two types that cannot be copied are given values that overlap.
mica_result micai_value_check_overlap(mica_world *world, const char *call, const micai_type *a,
                                      const void *a_data, const micai_type *b, const void *b_data,
                                      uint32_t count);

// Overwrites a value that is there with a copy of another. MICA_ERROR_MEMORY, MICA_ERROR_HOOK: the
// old one stays.
mica_result micai_value_write(mica_world *world, const char *call, micai_value value,
                              const void *data);

// Ends a value that is there, and relocates another to its place.
void micai_value_replace(mica_world *world, micai_value value, void *source);

// Do two values share bytes?
bool micai_value_overlaps(const void *a, size_t a_size, const void *b, size_t b_size);

// Makes what an accessor of a type looks into, and puts it there: rows, and flags if it has a toggle; or
// a pool. MICA_ERROR_MEMORY.
mica_result micai_value_prepare(mica_world *world, const micai_type *type,
                                mica_accessor *accessor_out);

// All values: adds up what is kept of a type; adds where values are and when they were written to the
// hash of everything else; prints what there is, a line for each place where values are kept.
void micai_value_count(const micai_state *state, const micai_type *type, mica_type_stats *stats);
uint64_t micai_value_digest(const micai_state *state, uint64_t hash);
void micai_value_print(micai_printer *to, const micai_state *state);

#endif
