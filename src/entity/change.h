// Changes: what is added to an entity, set and removed, worked out, reserved, then committed. This is the one road by which
// entities are spawned, changed and despawned, whatever the storage of their values; fast.h has the
// fast path beside it, which needs none of this.
//
//   micai_change change;
//   result = micai_change_begin(&change, world, call, entity, count);     or _begin_spawn(), _begin_bundle()
//   result = result ? result : micai_change_set(&change, &values[i], i);
//   result = result ? result : micai_change_remove(&change, types[i], i);
//   result = result ? result : micai_change_run(&change);                 reserves, then commits
//   micai_change_end(&change);                                            always
//
// Room:    entity. Called by command/ (replay), query/ (changes by query), world/ and image/.
//
// A change that fails leaves no trace. It is run in this order: capacity is reserved; copies that will overwrite
// values, and new values in raw rows, are constructed (the last thing that may fail); observers are notified of what is
// removed; rows, values and flags are committed; observers are notified of what was added. Values that are given may lie
// in the world themselves, as values got from it do, and tables that grow on the way may move them.
#ifndef MICAI_ENTITY_CHANGE_H
#define MICAI_ENTITY_CHANGE_H

#include "entity/bundle.h"
#include "entity/notify.h"
#include "store/table/row.h"

typedef struct micai_change {
    mica_world *world;
    const char *call;
    mica_entity entity;                 // none: it is to be spawned
    mica_entity pending;                // the handle it is to be spawned with; none: any
    micai_record *record;               // of it; NULL: it is to be spawned
    micai_row row;                      // where it is
    micai_table *source;                // of that; NULL: it is to be spawned
    const micai_transition *transition; // NULL: not known yet; after all, the row stays where it is
    mica_type_set given;
    struct micai_assignment *assignments; // of types that it is given
    uint32_t *places; // in these, by the number of a type that was given; NULL: not asked for yet
    uint32_t count;   // of assignments
    const micai_type **removed;
    uint32_t removed_count;
    bool overwrites; // values that are there
    bool moves;      // some type is more or less in its table
    bool joins;      // a pool, or several
    bool leaves;     // pools
    bool hands_over; // it was given values that cannot be copied
    bool toggles;    // types in `off` and `on`
    bool observed;
    // Called when it was committed and before observers are notified; NULL: nothing.
    void (*and_then)(struct micai_change *change, const void *user);
    const void *user;
    micai_arena_mark mark;
    // From here on nothing is filled in before it is needed, which most of it never is.
    mica_type_set off;
    mica_type_set on;
    micai_notification notification;
    mica_type_set more; // what observers are notified of: notify.h
    mica_type_set less;
    mica_type_set set;
    mica_type_set flips;
} micai_change;

// For a living entity, and for one to be spawned, with capacity for so many types that are given or removed; for one to
// be spawned of a bundle that was prepared, whose types must all be given. The failures are those of the public
// functions; the call is named in sentences.
mica_result micai_change_begin(micai_change *change, mica_world *world, const char *call,
                               mica_entity entity, uint32_t count);
mica_result micai_change_begin_spawn(micai_change *change, mica_world *world, const char *call,
                                     uint32_t count);
mica_result micai_change_begin_bundle(micai_change *change, mica_world *world, const char *call,
                                      const micai_bundle *bundle);

// Gives a value, or with neither data nor size the default if it is not there. Removes: a type
// that is also given is MICA_ERROR_ARGUMENT. `place` is the value's, or the type's, in the caller's
// list; MICAI_ALONE if there is none.
mica_result micai_change_set(micai_change *change, const mica_value *value, uint32_t place);
mica_result micai_change_remove(micai_change *change, mica_type type, uint32_t place);

// The first, for a type that is known, and data that is known to have its size.
mica_result micai_change_give(micai_change *change, const micai_type *type, const void *data);

// Disables or enables a type with a toggle that the entity has, or is given, before observers are notified. To be called
// when the type was given, once for each.
mica_result micai_change_switch(micai_change *change, const micai_type *type, bool off);

mica_result micai_change_run(micai_change *change);

// Runs it, if all went well so far, and ends it; and the call. Callers that hand values over must be able to
// tell from the result who has them.
mica_result micai_change_finish(micai_change *change, mica_result result);

// The same of a spawn inside of a call, which it does not end: the new entity; none on failure.
mica_entity micai_change_finish_spawn(micai_change *change, mica_result result);

// Frees the change; returns the entity, which is a new one if it was spawned and none if that failed.
mica_entity micai_change_end(micai_change *change);

// Public calls on what is known already

// An entity gets the handle of a slot that was taken for it (`pending`). Spawns one with values that are good; and a copy
// of a living entity, like that or, with none, with any handle.
mica_result micai_spawn_pending(mica_world *world, mica_entity pending, const mica_value *values,
                                uint32_t count);
mica_entity micai_spawn_clone(mica_world *world, const char *call, mica_entity entity,
                              mica_entity pending);

// Sets a type of a living entity of a world that may be changed to data of its size, or adds it (NULL);
// removes it: as the public functions do.
mica_result micai_set_known(mica_world *world, mica_entity entity, micai_record *record,
                            const micai_type *type, const void *data);
mica_result micai_remove_known(mica_world *world, mica_entity entity, micai_record *record,
                               const micai_type *type);

// Sets several types at once, of a list that is not NULL unless it is empty: as mica_set() does.
mica_result micai_set_list(mica_world *world, const char *call, mica_entity entity,
                           const mica_value *values, uint32_t count);

// May a type be added to entities, and removed, though the world is being iterated? A sparse tag may
// that nobody iterates: nothing moves that anybody looks at.
bool micai_change_may_flip(const mica_world *world, const micai_type *type);

// A new entity without components, of a handle. For a world that may be changed, as all that follow.
mica_result micai_spawn_at(mica_world *world, mica_entity entity);

// Many entities

// Capacity for `count` entities of a bundle that is theirs: spawning them, in whatever way, asks for no memory.
mica_result micai_spawn_reserve(mica_world *world, const micai_bundle *bundle, uint32_t count);

// Before there are more types, as many as that: what was reserved stays enough. And, to validate: is it
// (W7)?
mica_result micai_change_reserve_types(mica_world *world, uint32_t types);
bool micai_change_keeps_promise(const mica_world *world);

// `count` new entities of a bundle, copied to `entities_out` unless NULL, with copies of the values of
// an array for each of its types, or their defaults where there is none. All or none.
mica_result micai_spawn_many(mica_world *world, const micai_bundle *bundle, uint32_t count,
                             const mica_value *arrays, mica_entity *entities_out);

// Gives all entities of some tables a type, with a copy of the data that overwrites what is there, or
// its default where it is not (NULL); or removes it. All or none. Where something changes, tables
// move whole, by their transitions. Data is only given of a type that can be copied.
mica_result micai_change_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                                const micai_type *type, bool remove, const void *data);

// The same for living entities, each once, whatever tables they are in, and for types that are in no
// table, or observed. Do changes of a type, by what matches, go by whole tables?
mica_result micai_change_each(mica_world *world, const char *call, const mica_entity *entities,
                              uint32_t count, const micai_type *type, bool remove,
                              const void *data);
bool micai_change_moves_tables(const micai_type *type);

// Disables a type of a living entity that has it, or enables it: MICA_ERROR_MEMORY, if its observers cannot be notified.
mica_result micai_change_toggle(mica_world *world, const char *call, mica_entity entity,
                                const micai_type *type, bool off);

// The same of living entities, those that have the type. All or none. May that be done now, if the type
// is observed? (Can the call be recorded?) And can it be done by whole tables?
mica_result micai_change_toggle_each(mica_world *world, const char *call,
                                     const mica_entity *entities, uint32_t count,
                                     const micai_type *type, bool off);
mica_result micai_change_check_toggle(mica_world *world, const char *call, const micai_type *type,
                                      bool recordable);
bool micai_toggle_sweeps_tables(const micai_type *type);

// Despawns living entities, which may be listed twice: all or none. Of a table, and of the world, all
// entities; that cannot fail. Observers of those of tables are to be notified first, while all are there;
// facets come with their owners.
mica_result micai_despawn_many(mica_world *world, const char *call, const mica_entity *entities,
                               uint32_t count);
void micai_despawn_notify_tables(mica_world *world, const char *call, micai_table *const *tables,
                                 uint32_t count);
void micai_despawn_table(mica_world *world, micai_table *table);
void micai_despawn_all(mica_world *world, const char *call);

// Removes what is stored by entity beside its row. Despawns an entity in a row, whose observers were notified and whose
// dependents are gone.
void micai_change_remove_sides(mica_world *world, mica_entity entity);
void micai_change_drop_row(mica_world *world, micai_living who);

// A set of types for notifications, in scratch memory, that has capacity for all there are: MICA_ERROR_MEMORY.
mica_result micai_change_begin_set(mica_world *world, mica_type_set *set);

// Sweeps W6 and W7.
mica_result micai_change_validate(mica_world *world);

#endif
