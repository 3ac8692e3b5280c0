// Changes: the types that are added to an entity, set and removed. A change is built, reserved,
// then committed. Entities are spawned, changed and despawned only in this way, whatever the
// storage of their values. fast.h has the fast path, which uses none of this.
//
//     micai_change change;
//     result = micai_change_begin(&change, world, call, entity, count);     or _begin_spawn(), _begin_bundle()
//     result = result ? result : micai_change_set(&change, &values[i], i);
//     result = result ? result : micai_change_remove(&change, types[i], i);
//     result = result ? result : micai_change_run(&change);                 reserves, then commits
//     micai_change_end(&change);                                            always
//
// Room:    entity. Called by world/, command/ (replay), query/ (changes by query), image/ and
//          inspect/ (validation).
//
// A change that fails has no effect. It runs in this order:
// 1. Reserve capacity.
// 2. Construct the copies that will overwrite values, and new values in raw rows. This is the last
// step that can fail.
// 3. Notify observers of removals.
// 4. Commit rows, values and flags.
// 5. Notify observers of additions.
//
// Given values may lie in the world themselves, and tables that grow meanwhile may move them.
#ifndef MICAI_ENTITY_CHANGE_H
#define MICAI_ENTITY_CHANGE_H

#include "entity/bundle.h"
#include "entity/notify.h"
#include "store/table/row.h"

typedef struct micai_change {
    mica_world *world;
    const char *call;
    mica_entity entity;                 // none: it will be spawned
    mica_entity pending;                // the handle for the new entity; none: any
    micai_record *record;               // the entity's record; NULL: it will be spawned
    micai_row row;                      // its row
    micai_table *source;                // the table of the row; NULL: it will be spawned
    const micai_transition *transition; // NULL: not known yet, or the row stays
    mica_type_set given;
    struct micai_assignment *assignments; // for types that are given
    uint32_t *places; // index into `assignments` by type number; NULL until needed
    uint32_t count;   // number of assignments
    const micai_type **removed;
    uint32_t removed_count;
    bool overwrites; // existing values
    bool moves;      // its table changes
    bool joins;      // it is added to pools
    bool leaves;     // it is removed from pools
    bool hands_over; // it was given values that cannot be copied
    bool toggles;    // types in `off` and `on`
    bool observed;
    // Called after the commit, before observers are notified. May be NULL.
    void (*and_then)(struct micai_change *change, const void *user);
    const void *user;
    micai_arena_mark mark;
    // The members from here on are initialized only when needed, which is rare.
    mica_type_set off;
    mica_type_set on;
    micai_notification notification;
    mica_type_set more; // what observers are notified of: notify.h
    mica_type_set less;
    mica_type_set set;
    mica_type_set flips;
} micai_change;

// Begin a change of a living entity, or a spawn, with capacity for `count` given or removed types.
// micai_change_begin_bundle() begins a spawn of a prepared bundle, whose types must all be given.
// They fail like the public functions. Messages name the call.
mica_result micai_change_begin(micai_change *change, mica_world *world, const char *call,
                               mica_entity entity, uint32_t count);
mica_result micai_change_begin_spawn(micai_change *change, mica_world *world, const char *call,
                                     uint32_t count);
mica_result micai_change_begin_bundle(micai_change *change, mica_world *world, const char *call,
                                      const micai_bundle *bundle);

// micai_change_set() gives a value. With neither data nor size, it adds the default if the type is
// absent. micai_change_remove() fails with MICA_ERROR_ARGUMENT for a type that is also given.
// `place` is the index in the caller's list, or MICAI_NO_POSITION.
mica_result micai_change_set(micai_change *change, const mica_value *value, uint32_t place);
mica_result micai_change_remove(micai_change *change, mica_type type, uint32_t place);

// Gives a value of a known type, whose size has been checked.
mica_result micai_change_give(micai_change *change, const micai_type *type, const void *data);

// Disables or enables a type with a toggle that the entity has or is given, before observers are
// notified. Call it once per type, after the type was given.
mica_result micai_change_switch(micai_change *change, const micai_type *type, bool off);

mica_result micai_change_run(micai_change *change);

// Runs the change if `result` is MICA_OK, ends it, and finishes the call. The result tells callers
// that hand over values who owns them.
mica_result micai_change_finish(micai_change *change, mica_result result);

// Does the same for a spawn inside a call, which it does not finish. Returns the new entity, or
// none on failure.
mica_entity micai_change_finish_spawn(micai_change *change, mica_result result);

// Frees the change. Returns the entity: a new one if it was spawned, none if that failed.
mica_entity micai_change_end(micai_change *change);

// Public calls whose arguments were checked

// micai_spawn_pending() spawns an entity with valid values on a slot that was taken for it
// (`pending`). micai_spawn_clone() copies a living entity, with the handle `pending` or, if that is
// null, any.
mica_result micai_spawn_pending(mica_world *world, mica_entity pending, const mica_value *values,
                                uint32_t count);
mica_entity micai_spawn_clone(mica_world *world, const char *call, mica_entity entity,
                              mica_entity pending);

// Set a type of a living entity to data of its size, or add it (NULL); remove it. Like the public
// functions. The world must admit changes.
mica_result micai_set_known(mica_world *world, mica_entity entity, micai_record *record,
                            const micai_type *type, const void *data);
mica_result micai_remove_known(mica_world *world, mica_entity entity, micai_record *record,
                               const micai_type *type);

// Sets several types at once, like mica_set(). `values` is not NULL unless the list is empty.
mica_result micai_set_list(mica_world *world, const char *call, mica_entity entity,
                           const mica_value *values, uint32_t count);

// Returns true if a type may be added and removed during iteration. That is true for a sparse tag
// that no open iteration uses, because no visible row moves.
bool micai_change_may_flip(const mica_world *world, const micai_type *type);

// Spawn an entity without components: any, or none on failure; the one with this handle. Here and
// below, the caller has checked that the world may be changed.
mica_entity micai_spawn_empty(mica_world *world, const char *call);
mica_result micai_spawn_at(mica_world *world, mica_entity entity);

// Many entities

// Reserves capacity for `count` entities of a bundle, so that spawning them in any way allocates no
// memory.
mica_result micai_spawn_reserve(mica_world *world, const micai_bundle *bundle, uint32_t count);

// Before types are registered: extends reserved capacity to `types` types.
// micai_change_keeps_promise() checks that for validation (W7).
mica_result micai_change_reserve_types(mica_world *world, uint32_t types);
bool micai_change_keeps_promise(const mica_world *world);

// Spawns `count` entities of a bundle, with copies of the values of an array per type, or defaults
// where there is no array. Copies their handles to `entities_out` unless NULL. All or none.
mica_result micai_spawn_many(mica_world *world, const micai_bundle *bundle, uint32_t count,
                             const mica_value *arrays, mica_entity *entities_out);

// Adds a type to all entities of some tables, or removes it. `data` overwrites existing values.
// NULL gives the default where the type is absent. All or none. Whole tables move by their
// transitions. `data` requires a type that can be copied.
mica_result micai_change_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                                const micai_type *type, bool remove, const void *data);

// Does the same for distinct living entities of any tables, and for types that are sparse or
// observed. micai_change_moves_tables() returns true if changes of a type by query can use whole
// tables.
mica_result micai_change_each(mica_world *world, const char *call, const mica_entity *entities,
                              uint32_t count, const micai_type *type, bool remove,
                              const void *data);
bool micai_change_moves_tables(const micai_type *type);

// Disables or enables a type that a living entity has. Fails with MICA_ERROR_MEMORY if its
// observers cannot be notified.
mica_result micai_change_toggle(mica_world *world, const char *call, mica_entity entity,
                                const micai_type *type, bool off);

// Does the same for all living entities of a list that have the type. All or none.
// micai_change_check_toggle() refuses it while observers of the type run, and suggests recording if
// `recordable`. micai_toggle_sweeps_tables() returns true if it can be done by whole tables.
mica_result micai_change_toggle_each(mica_world *world, const char *call,
                                     const mica_entity *entities, uint32_t count,
                                     const micai_type *type, bool off);
mica_result micai_change_check_toggle(mica_world *world, const char *call, const micai_type *type,
                                      bool recordable);
bool micai_toggle_sweeps_tables(const micai_type *type);

// Despawn a list of living entities, with duplicates, all or none; all entities of a table; all of
// the world. The last two cannot fail. Observers of tables must be notified first, while all
// entities exist. Facets are despawned with their owners.
mica_result micai_despawn_many(mica_world *world, const char *call, const mica_entity *entities,
                               uint32_t count);
void micai_despawn_notify_tables(mica_world *world, const char *call, micai_table *const *tables,
                                 uint32_t count);
void micai_despawn_table(mica_world *world, micai_table *table);
void micai_despawn_all(mica_world *world, const char *call);

// Remove the data of an entity beside its row; despawn an entity with a row, after its observers
// were notified and its dependents removed.
void micai_change_remove_sides(mica_world *world, mica_entity entity);
void micai_change_drop_row(mica_world *world, micai_entity_ref ref);

// Creates an empty set in scratch memory with capacity for all types. Fails with MICA_ERROR_MEMORY.
mica_result micai_change_begin_set(mica_world *world, mica_type_set *set);

// Checks W6 and W7.
mica_result micai_change_validate(mica_world *world);

#endif
