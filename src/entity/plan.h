// The plan: the net change of one entity, worked out, reserved, then committed. What spawns, changes
// or ends an entity and has no short cut goes through here, whatever the storage of its values; and
// here everybody who keeps something by entity is told of its end.
//
//   micai_plan plan;
//   result = micai_plan_begin(&plan, world, call, entity);     or _begin_spawn(), _begin_bundle()
//   result = result ? result : micai_plan_set(&plan, &values[i], i);
//   result = result ? result : micai_plan_remove(&plan, types[i], i);
//   result = result ? result : micai_plan_carry_out(&plan);    reserves, then commits
//   micai_plan_end(&plan);                                     always
//
// Room:    entity. Called by world/ (spawn, change, bundles), query/ (whole tables).
//
// A plan that fails leaves no trace. Values are made in this order: copies that will overwrite what
// is there, then new values in the row to be and in pools. Both may lie in the world themselves, as
// values got from it do, and tables that grow on the way may move them.
#ifndef MICAI_ENTITY_PLAN_H
#define MICAI_ENTITY_PLAN_H

#include "entity/bundle.h"
#include "entity/notify.h"
#include "store/table/row.h"

// A component the entity is given. Of several values of one type the last counts.
typedef struct micai_gift {
    const micai_type *type;
    const void *data; // NULL: the default, or what is there
    void *copy;       // of the data, to overwrite what is there; NULL: none
    bool there;       // the entity has the type already
    bool made;        // in the row to be, or in a pool, and to be undone if the rest fails
    micai_pool *pool; // that it will join; NULL: none
    uint32_t place;   // there
    uint32_t column;  // in the table to be, if it was made there; 0 otherwise
} micai_gift;

typedef struct micai_plan {
    mica_world *world;
    const char *call;
    mica_entity entity;   // none: it is to be spawned
    mica_entity pending;  // the handle it is to be spawned with; none: any
    micai_record *record; // of it; NULL: it is to be spawned
    micai_row row;        // where it is
    micai_table *source;  // of that; NULL: it is to be spawned
    micai_table *target;  // where it will be, if that is known; NULL after all: where it is
    micai_edge *edge;     // the way there; NULL: it is to be spawned, or stays
    mica_types types;     // what its table will have
    mica_types given;
    micai_gift *gifts;
    uint32_t *places; // in gifts, by the number of a type that was given; NULL: not asked for yet
    uint32_t gift_count;
    uint32_t gift_capacity;
    uint32_t changes; // types more or less in its table, on the whole
    uint32_t changed; // the number of one of them
    bool removes;     // and whether it goes
    bool overwrites;  // values that are there
    bool joins;       // a pool, or several
    bool leaves;      // pools, of the types in `lost`
    bool hands_over;  // it was given values that cannot be copied
    bool toggles;     // types in `off` and `on`
    bool grew;        // a table did, and may have moved what was given
    bool told;        // observers are
    // Done when it was committed and before anybody is told; NULL: nothing.
    void (*and_then)(struct micai_plan *plan, const void *user);
    const void *user;
    micai_arena_mark mark;
    // From here on nothing is filled in before it is needed, which most of it never is.
    mica_types lost;
    mica_types off;
    mica_types on;
    micai_tidings tidings;
    mica_types more; // what is told of: tidings.h
    mica_types less;
    mica_types set;
    mica_types flips;
} micai_plan;

// For a living entity, and for one to be spawned, with room for so many gifts; for one to be spawned
// of a bundle that was prepared, whose types must all be given. The failures are those of the public
// functions; the call is named in sentences.
mica_result micai_plan_begin(micai_plan *plan, mica_world *world, const char *call,
                             mica_entity entity, uint32_t gifts);
mica_result micai_plan_begin_spawn(micai_plan *plan, mica_world *world, const char *call,
                                   uint32_t gifts);
mica_result micai_plan_begin_bundle(micai_plan *plan, mica_world *world, const char *call,
                                    const micai_bundle *bundle);

// One to be spawned is to get the handle of a slot that was taken for it: plan->pending, to be set when
// the plan is begun. Spawns one with values that are good; and a copy of a living entity, like that or,
// with none, as any.
mica_result micai_spawn_pending(mica_world *world, mica_entity pending, const mica_value *values,
                                uint32_t count);
mica_entity micai_spawn_clone(mica_world *world, const char *call, mica_entity entity,
                              mica_entity pending);

// Sets a type of a living entity of a world that may be changed to data of its size, or adds it (NULL);
// removes it: as the public functions do.
mica_result micai_change_set(mica_world *world, mica_entity entity, micai_record *record,
                             const micai_type *type, const void *data);
mica_result micai_change_remove(mica_world *world, mica_entity entity, micai_record *record,
                                const micai_type *type);

// Sets several types at once, of a list that is not NULL unless it is empty: as mica_set() does.
mica_result micai_change_values(mica_world *world, const char *call, mica_entity entity,
                                const mica_value *values, uint32_t count);

// Changes one type that is observed, if there is nothing to be made or reserved: tells, and moves
// bytes. Adds it, or sets it to data of that size where it is not there, or removes it. The call is still to
// be finished. False: nothing was done, and the plan is to be asked.
bool micai_plan_one(mica_world *world, const char *call, mica_entity entity, mica_type type,
                    const void *data, uint64_t size, bool remove);

// The same where the way is known, of a living entity, and only observers of the type listen: along an edge
// that is remembered to be told (micai_row_ready_and_told), with data or, if there is none, the default. The
// whole call.
mica_result micai_plan_go(mica_world *world, const char *call, const micai_edge *edge,
                          mica_entity entity, micai_record *record, const void *data);

// The same for a pool that is known, of a living entity: if nobody but observers of its type listens.
bool micai_plan_join(mica_world *world, const char *call, micai_pool *pool, mica_entity entity,
                     const void *data, bool given);
bool micai_plan_leave(mica_world *world, const char *call, micai_pool *pool, mica_entity entity);

// May a type be added to entities, and removed, though the world is being iterated? A sparse tag may
// that nobody iterates: nothing moves that anybody looks at.
bool micai_plan_may_flip(const mica_world *world, const micai_type *type);

// Gives a value, or with neither data nor size the default if it is not there. Takes away: a type
// that is also given is MICA_ERROR_ARGUMENT. `place` is the value's, or the type's, in the caller's
// list; MICAI_ALONE if there is none.
mica_result micai_plan_set(micai_plan *plan, const mica_value *value, uint32_t place);
mica_result micai_plan_remove(micai_plan *plan, mica_type type, uint32_t place);

// The same for a type that is known, and data that is known to have its size.
mica_result micai_plan_give(micai_plan *plan, const micai_type *type, const void *data);

// Switches a type with a toggle off, or on, that the entity has, or is given: it will be so when anybody
// is told. To be called when the type was given, once for each.
mica_result micai_plan_switch(micai_plan *plan, const micai_type *type, bool off);

mica_result micai_plan_carry_out(micai_plan *plan);

// Carries it out, if all went well so far, and ends it; and the call. Who hands values over must be able to
// tell from the result who has them.
mica_result micai_plan_finish(micai_plan *plan, mica_result result);

// Frees the plan; returns the entity, which is a new one if it was spawned and none if that failed.
mica_entity micai_plan_end(micai_plan *plan);

// A new entity without components: any, or none on failure; the one of a handle. For a world that may
// be changed, as all that follow.
mica_entity micai_plan_spawn_empty(mica_world *world);
mica_result micai_plan_spawn_at(mica_world *world, mica_entity entity);

// Prepares a bundle for being spawned from: finds its table, and how its values get there. The second
// half of that, for a table that is known. Room for `count` entities of it that is theirs: spawning them,
// in whatever way, asks for no memory.
mica_result micai_plan_prepare(mica_world *world, micai_bundle *bundle);
void micai_plan_prepare_items(const micai_table *table, micai_bundle_item *items, uint32_t count);
void micai_plan_prepare_item(const micai_table *table, micai_bundle_item *item);
mica_result micai_plan_reserve_many(mica_world *world, const micai_bundle *bundle, uint32_t count);

// Before there are more types, as many as that: what was reserved stays enough. And, to validate: is it
// (W7)?
mica_result micai_plan_reserve_types(mica_world *world, uint32_t types);
bool micai_plan_keeps_promise(const mica_world *world);

// How are entities of a bundle, or of a shape, spawned? To be asked again after its table was judged.
// And, to validate: is what was prepared still right?
micai_way micai_plan_way(const micai_table *table, const micai_bundle_item *items, uint32_t count);
bool micai_plan_fits(const micai_state *state, const micai_table *table,
                     const micai_bundle_item *items, uint32_t count);

// `count` new entities of a bundle, copied to `entities_out` unless NULL, with copies of the values of
// an array for each of its types, or their defaults where there is none. All or none.
mica_result micai_plan_spawn_many(mica_world *world, const micai_bundle *bundle, uint32_t count,
                                  const mica_value *arrays, mica_entity *entities_out);

// Gives all entities of some tables a type, with a copy of the data that overwrites what is there, or
// its default where it is not (NULL); takes it away. All or none. Where something changes, tables
// travel whole, along their edges. Data is only given of a type that can be copied.
mica_result micai_plan_set_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                                  const micai_type *type, const void *data);
mica_result micai_plan_remove_tables(mica_world *world, micai_table *const *tables, uint32_t count,
                                     const micai_type *type);

// The same for living entities, each once, whatever tables they are in, and for types that are in no
// table, or observed. Do changes of a type, by what matches, go by whole tables?
mica_result micai_plan_change_each(mica_world *world, const char *call, const mica_entity *entities,
                                   uint32_t count, const micai_type *type, bool remove,
                                   const void *data);
bool micai_plan_goes_whole(const micai_type *type);

// Disables a type of a living entity that has it, or enables it: what can be reserved was. Tidings are
// about the entity, and have room for `matched`. Cannot fail.
void micai_plan_toggle(mica_world *world, micai_tidings *tidings, const micai_type *type, bool off);

// The same of living entities, those that have the type. All or none. May that be done now, if the type
// is observed? (Can the call be recorded?) And can it be done by whole tables?
mica_result micai_plan_toggle_each(mica_world *world, const char *call, const mica_entity *entities,
                                   uint32_t count, const micai_type *type, bool off);
mica_result micai_plan_check_toggle(mica_world *world, const char *call, const micai_type *type,
                                    bool recordable);
bool micai_plan_toggles_whole(const micai_type *type);

// Ends living entities, which may be listed twice: all or none. Of a table, and of the world, all
// entities; that cannot fail. Observers of those of a table are to be told first, while all are there;
// facets are told of with their owners.
mica_result micai_plan_end_many(mica_world *world, const char *call, const mica_entity *entities,
                                uint32_t count);
void micai_plan_tell_table(mica_world *world, const char *call, const micai_table *table);
void micai_plan_end_table(mica_world *world, micai_table *table);
void micai_plan_end_all(mica_world *world, const char *call);

// A set of types for tidings, in scratch memory, that has room for all there are: MICA_ERROR_MEMORY.
mica_result micai_plan_begin_note(mica_world *world, mica_types *set);

// Sweeps W6 and W7.
mica_result micai_plan_validate(mica_world *world);

#endif
