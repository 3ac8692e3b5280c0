// The locator: finds one value of one entity whatever its storage, and the types of an entity. Only
// this file, and those that change entities (change.h), test which storage a type has.
//
// Room:    entity. Called for all access to single values without a fast path: get, set, accessors,
//          clone, print. Also for statistics of all values.
#ifndef MICAI_ENTITY_LOCATE_H
#define MICAI_ENTITY_LOCATE_H

#include <mica/accessor.h>
#include <mica/debug.h>

#include "base/print.h"
#include "state/state.h"

// A living entity that was looked up. The record finds its values in tables. The handle finds
// everything else.
typedef struct micai_entity_ref {
    mica_entity entity;
    const micai_record *record;
} micai_entity_ref;

// Looks up an entity that is known to be alive.
static inline micai_entity_ref micai_entity_ref_of(const micai_state *state, mica_entity entity)
{
    return (micai_entity_ref){entity, micai_slots_at(&state->slots, mica_entity_slot(entity))};
}

// The place of a value. Only the locator reads it.
typedef struct micai_place {
    void *home; // NULL: the entity does not have the value
    uint32_t part;
    uint32_t index;
} micai_place;

typedef struct micai_value {
    const micai_type *type;
    micai_place place;
} micai_value;

// Returns the row and table in which a living entity has a type, whatever its storage. For a tag,
// the column is that of its flags and ticks, or 0. The table is NULL if the entity does not have
// the type.
micai_cell micai_locate(const micai_state *state, micai_entity_ref ref, const micai_type *type);

// Returns the value of a living entity, which may not exist.
micai_value micai_value_find(const micai_state *state, micai_entity_ref ref,
                             const micai_type *type);

static inline bool micai_value_is_there(micai_value value)
{
    return value.place.home != NULL;
}

// Returns true if a living entity has the type. Also for tags.
bool micai_value_has(const micai_state *state, micai_entity_ref ref, const micai_type *type);

// micai_value_is_on() returns true if the entity has the type and it is enabled.
// micai_value_check_toggle() fails with MICA_ERROR_ARGUMENT if a type has no toggle.
bool micai_value_is_on(const micai_state *state, micai_entity_ref ref, const micai_type *type);
mica_result micai_value_check_toggle(mica_world *world, const char *call, const micai_type *type);

// Returns true if the type of a living entity was changed, or added, after a tick, as far as is
// known. Also for tags.
bool micai_value_is_newer(const micai_state *state, micai_entity_ref ref, const micai_type *type,
                          bool added, uint64_t since);

// Answers one of the questions above for a public function. Returns false for dead entities, and
// reports other errors.
bool micai_value_ask(mica_world *world, const char *call, mica_entity entity, mica_type type,
                     bool (*question)(const micai_state *state, micai_entity_ref ref,
                                      const micai_type *type));

// Returns true and reports MICA_ERROR_TYPE if the accessor is null.
bool micai_accessor_is_none(mica_world *world, mica_type type, const char *call);

// Marks an existing value as changed now, whatever its storage.
void micai_value_touch(mica_world *world, micai_entity_ref ref, const micai_type *type);

// Disables or enables the type of a living entity, and touches it if that changes it.
void micai_value_toggle(mica_world *world, micai_entity_ref ref, const micai_type *type, bool off);

// Clears the pool's `has_disabled` if possible, after many entities were toggled one by one.
void micai_value_look(const mica_world *world, const micai_type *type);

// Toggles all rows of tables that have the type.
void micai_value_toggle_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                               const micai_type *type, bool off);

// Returns the first type number at or after `number` that a living entity has, or MICAI_BITS_END.
uint32_t micai_value_next(const micai_state *state, micai_entity_ref ref, uint32_t number);

// Returns the address of an existing value, or NULL if it is not stored whole.
const void *micai_value_read(micai_value value);

// Does the same for a living entity, on the shortest path. Returns NULL if the value does not exist
// or the type is a tag.
const void *micai_value_look_at(const micai_state *state, micai_entity_ref ref,
                                const micai_type *type);

// Return an existing value for reading; for writing, which touches it. Return NULL and fail the
// call with MICA_ERROR_STORAGE if values are not stored whole.
const void *micai_value_get(mica_world *world, const char *call, micai_value value);
void *micai_value_open(mica_world *world, const char *call, micai_value value);

// Returns a value with row stamps for writing, and touches it. Returns NULL if it does not exist or
// cannot be accessed this way. A dead entity has no record.
void *micai_value_open_ticked(const mica_world *world, micai_entity_ref ref, mica_type type);

// While systems run together: closes all values to writing by accessors, or opens them; hides one type, which they
// write, or shows it; tells whether it is hidden.
void micai_values_close(micai_state *state, bool closed);
void micai_value_hide(micai_state *state, const micai_type *type, bool hidden);
bool micai_value_is_hidden(const micai_state *state, const micai_type *type);

// Copies an existing value of a type that can be lent (micai_hook_allows_byte_copy) to raw memory.
void micai_value_load(mica_world *world, micai_value value, void *target);

// Returns an existing whole value for reading, in place or in scratch memory. Returns NULL,
// reported, if memory is short.
const void *micai_value_see(mica_world *world, const char *call, micai_value value);

// Fails with MICA_ERROR_ARGUMENT if `count` given values, of a type that cannot be copied, lie in
// the world. They would be destructed twice. Values of other types may lie anywhere.
mica_result micai_value_check_source(mica_world *world, const char *call, const micai_type *type,
                                     const void *data, uint32_t count);

// Fails in the same way if two types that cannot be copied are given overlapping values.
mica_result micai_value_check_overlap(mica_world *world, const char *call, const micai_type *a,
                                      const void *a_data, const micai_type *b, const void *b_data,
                                      uint32_t count);

// Overwrites an existing value with a copy. On MICA_ERROR_MEMORY or MICA_ERROR_HOOK the old value
// stays.
mica_result micai_value_write(mica_world *world, const char *call, micai_value value,
                              const void *data);

// Destructs an existing value and relocates another to its place.
void micai_value_replace(mica_world *world, micai_value value, void *source);

// Returns true if two values share bytes.
bool micai_value_overlaps(const void *a, size_t a_size, const void *b, size_t b_size);

// Creates what an accessor of a type reads and stores it in the accessor: its directory entry, or
// its pool. A type with a toggle also gets the entry of its flags. Fails with MICA_ERROR_MEMORY.
mica_result micai_value_prepare(mica_world *world, const micai_type *type,
                                mica_accessor *accessor_out);

// All values. micai_value_count() adds up the memory of a type. micai_value_print() prints a line per
// table, ring, pool and group.
void micai_value_count(const micai_state *state, const micai_type *type, mica_type_stats *stats);
void micai_value_print(micai_printer *to, const micai_state *state);

#endif
