// Introspection: what a world contains and where it is stored. For inspectors, exporters and
// debuggers.
//
//   mica_table_info table;
//   for (uint32_t t = 0; mica_table_get_info(world, t, &table); t++) {
//       mica_column_info column;
//       for (uint32_t c = 0; mica_column_get_info(world, t, c, &column); c++) { ... }
//   }
//   for (mica_query q = mica_query_next(world, (mica_query){0}); !MICA_IS_NONE(q);
//        q = mica_query_next(world, q)) { ... }
//
// Objects with handles are iterated by handle: each call returns the first one after `previous`,
// and the null handle at the end. To begin, `previous` is the null handle. Other objects are
// iterated by number; the call after the last one returns false, without an error. Types are
// iterated with mica_type_next(), entities with mica_table_range() without a type.
//
// These functions change nothing, and allocate nothing unless they print to a
// stream. [inspect.unchanged] They can be called at any time, also during iterations and steps, but
// not in hooks: MICA_ERROR_HOOK. The world may change between two calls. A call with a number that
// no longer exists returns false; one with a handle that no longer exists fails. [inspect.gone] A
// function that returns false sets its output to zero. A name is valid as long as the object that
// it names. A pointer to values is valid until the next structural change.
//
// For statistics of the world and of types, see mica/debug.h.
#ifndef MICA_INSPECT_H
#define MICA_INSPECT_H

#include <mica/group.h>
#include <mica/observer.h>
#include <mica/stream.h>
#include <mica/system.h>

#ifdef __cplusplus
extern "C" {
#endif

// Tables: the entities with the same set of components, apart from sparse ones. Tables are numbered
// in order of creation. [table.numbers] mica_world_reclaim() and other calls that free memory
// remove empty tables, and the later ones get new numbers. [table.tidy]
typedef struct mica_table_info {
    uint32_t rows;       // entities, or facets
    uint32_t capacity;   // rows that fit without allocation
    uint32_t sheets;     // blocks of up to 1,024 rows
    uint32_t components; // tags included [table.components]
    size_t bytes;        // memory of values and handles, used or reserved
    bool facets;         // the rows are facets: mica/facet.h [table.facets]
} mica_table_info;

// Returns information about a table. Fails with MICA_ERROR_NULL, _HOOK. O(sheets and
// components). [table.inspect]
MICA_API bool mica_table_get_info(mica_world *world, uint32_t table, mica_table_info *info_out);

// Returns the components of a table in order of registration, tags included, from number 0
// on. [column.order]
typedef struct mica_column_info {
    mica_type type;
    mica_storage storage; // MICA_TABLE, _SPLIT or _RING; MICA_TABLE for a tag [column.tag]
    // Memory of values, flags and ticks, used or reserved; 0 for a tag. For a ring, the share of
    // this table.
    size_t bytes;
    bool has_disabled; // some of its values may be disabled: mica/toggle.h [column.disabled]
} mica_column_info;

MICA_API bool mica_column_get_info(mica_world *world, uint32_t table, uint32_t index,
                                   mica_column_info *info_out);

// Row ranges: contiguous rows that share one tick of the last change. At most 1,024
// rows. [range.limit]
//
//   mica_row_range s;
//   for (uint32_t row = 0; mica_table_range(world, t, position, row, &s);
//        row = s.row + s.count) {
//       if (s.changed > seen) { send(s.entities, s.data, s.count); }
//   }
//   seen = mica_world_tick(world);
typedef struct mica_row_range {
    uint32_t row;                // number of the first row
    uint32_t count;              // number of rows
    const mica_entity *entities; // the entity of each row
    // `count` values. NULL for a tag, without a type, and for a split component, whose values are
    // not in one piece: use mica_table_field() or mica_load(). [range.no_data]
    const void *data;
    // Tick of the last change of any of the values (mica/change_detection.h), also if one was added
    // or moved. [range.changed] No change is missed; some values may be unchanged. [range.missed]
    uint64_t changed;
} mica_row_range;

// Returns the range that begins with this row. Returns false, without an error, after the last row,
// and if there is no such table or the table does not have the type. [range.begin] Without a type,
// returns the entities; `changed` is the tick at which one of them was last added or
// moved. [range.entities] Fails with MICA_ERROR_NULL, _TYPE, _HOOK, and with _ITERATING if an
// iteration has writable copies of the values (mica/query.h). [range.fail]
MICA_API bool mica_table_range(mica_world *world, uint32_t table, mica_type type, uint32_t row,
                               mica_row_range *range_out);

// Returns one field of the range that begins with this row, for every storage. `offset` and `size`
// are as in mica_read_field(). [range.field] `base` is NULL, without an error, if there is no such
// range, and for tags. [range.field_none] Fails with MICA_ERROR_NULL, _TYPE, _HOOK, _ITERATING, and
// with MICA_ERROR_FIELD if the values have no such bytes, or have them in several
// pieces. [range.field_fail]
MICA_API mica_read_fields mica_table_field(mica_world *world, uint32_t table, mica_type type,
                                           uint32_t row, uint32_t offset, uint32_t size);

// Pools (sparse sets): the values of a sparse component.
typedef struct mica_pool_info {
    uint32_t count;    // entities with the component
    uint32_t capacity; // values that fit without allocation
    uint32_t holes;    // free places that will be reused; only for stable values [pool.holes]
    size_t bytes;      // memory of values, entities, flags and ticks, used or reserved
    uint32_t groups;   // groups with this component [pool.groups]
    mica_group owner;  // the group that keeps its order; null handle: none [pool.owner]
} mica_pool_info;

// Returns information about a pool. Returns false, without an error, if the component is not
// sparse, or if no entity, bundle or group had it yet. [pool.none] Fails with MICA_ERROR_NULL,
// _TYPE, _HOOK. [pool.fail]
MICA_API bool mica_pool_get_info(mica_world *world, mica_type type, mica_pool_info *info_out);

// Like mica_table_range(), for a pool: `row` is a place in the pool. Skips holes: returns the first
// range at or after `row`. [pool.range]
MICA_API bool mica_pool_range(mica_world *world, mica_type type, uint32_t row,
                              mica_row_range *range_out);

// Where an entity, or one of its components, is stored. The members are arguments for
// mica_table_range() or mica_pool_range(). Valid until the next structural change.
typedef struct mica_location {
    uint32_t table; // number of the table; UINT32_MAX: in the pool of the sparse component
    uint32_t row;   // in the table or the pool
} mica_location;

// Returns the location of an entity, or of a facet, in the tables. With a component, returns where
// the entity has that component: in the same row, or in the pool of a sparse
// component. [location.get] O(1). [location.cost] Returns false, without an error, if the entity
// does not have the component. [location.missing] Fails with MICA_ERROR_NULL, _ENTITY, _TYPE,
// _HOOK. [location.fail]
MICA_API bool mica_entity_get_location(mica_world *world, mica_entity entity, mica_type component,
                                       mica_location *location_out);

// Groups. O(1). [group.count] Fail with MICA_ERROR_NULL, _GROUP, _HOOK. [group.inspect]
typedef struct mica_group_info {
    const char *name; // NULL: no name
    uint32_t count;   // entities in the group
    mica_type owned[MICA_GROUP_TYPES_MAX];
    mica_type required[MICA_GROUP_TYPES_MAX];
    mica_type without[MICA_GROUP_TYPES_MAX];
} mica_group_info;

MICA_API mica_group mica_group_next(mica_world *world, mica_group previous);
MICA_API bool mica_group_get_info(mica_world *world, mica_group group, mica_group_info *info_out);

// Queries, also those of systems and observers. Fail with MICA_ERROR_NULL, _QUERY,
// _HOOK. [query.inspect] mica_query_get_info() takes time in proportion to the number of open
// iterations and of systems. [query.inspect_cost]
typedef struct mica_query_info {
    const char *name;    // NULL: no name
    uint32_t terms;      // 0: the query matches everything
    uint32_t tables;     // tables that can match; mica_query_count() counts entities
    uint32_t iterations; // open iterations of the query
    uint32_t systems;    // systems that declare it
    bool no_entities;
    bool no_facets;
    mica_system system; // the one that owns the query; null: no system owns it [query.system]
    uint64_t since;     // mica_query_since(); also 0 without a change filter [query.no_since]
} mica_query_info;

MICA_API mica_query mica_query_next(mica_world *world, mica_query previous);
MICA_API bool mica_query_get_info(mica_world *world, mica_query query, mica_query_info *info_out);

// mica_query_term() returns a term as the program declared it. mica_query_table() returns the
// number of a matching table. Both take an index from 0 on. [query.term] After the last one, they
// return an all-zero term and UINT32_MAX. [query.term_end]
MICA_API mica_term mica_query_term(mica_world *world, mica_query query, uint32_t index);
MICA_API uint32_t mica_query_table(mica_world *world, mica_query query, uint32_t index);

// Phases and systems, in the order in which they run. Fail with MICA_ERROR_NULL, _HOOK, _PHASE,
// _SYSTEM. [phase.inspect]
typedef struct mica_phase_info {
    const char *name;
    uint32_t systems;  // in the phase
    double fixed_dt;   // 0: that of the step
    uint32_t max_runs; // per step; 0: no fixed time step
    bool manual;       // steps do not run it
    uint64_t runs;     // total
    double lost;       // total time that `max_runs` has cut off [phase.lost]
} mica_phase_info;

MICA_API mica_phase mica_phase_next(mica_world *world, mica_phase previous);
MICA_API bool mica_phase_get_info(mica_world *world, mica_phase phase, mica_phase_info *info_out);

// The same for systems, with their statistics. [system.inspect]
typedef struct mica_system_stats {
    uint64_t runs;     // total
    uint64_t skipped;  // times that `when` returned false
    uint64_t segments; // update calls; 0 without a query
    uint64_t rows;     // rows of all these calls
    uint64_t timed;    // runs while timing was on
    uint64_t last_ns;  // duration of the last timed run
    uint64_t total_ns; // duration of all timed runs
} mica_system_stats;

typedef struct mica_system_info {
    const char *name;
    mica_phase phase;
    mica_query query; // its own; null handle: update is called once [system.no_query]
    void *user;
    bool enabled;
    bool conditional;                            // it has `when`
    bool replay_first;                           // commands are applied before it runs
    mica_query queries[MICA_SYSTEM_QUERIES_MAX]; // its declarations
    mica_term resources[MICA_SYSTEM_USES_MAX];
    mica_term events[MICA_SYSTEM_USES_MAX];
    mica_system_stats stats; // [system.stats]
} mica_system_info;

MICA_API mica_system mica_system_next(mica_world *world, mica_system previous);
MICA_API bool mica_system_get_info(mica_world *world, mica_system system,
                                   mica_system_info *info_out);

// Observers, without freed ones. Fail with MICA_ERROR_NULL, _OBSERVER, _HOOK. [observer.inspect]
typedef struct mica_observer_info {
    const char *name;                         // NULL: no name
    uint32_t events;                          // MICA_ON_...
    mica_type type;                           // null handle: not for a single component
    mica_type types[MICA_OBSERVER_TYPES_MAX]; // all its components
    mica_query query;                         // null handle: no query
    void *user;
    bool disabled;
} mica_observer_info;

MICA_API mica_observer mica_observer_next(mica_world *world, mica_observer previous);
MICA_API bool mica_observer_get_info(mica_world *world, mica_observer observer,
                                     mica_observer_info *info_out);

// Returns information about the events of a type. `now + last` events can be read. [queue.count]
// Returns false, without an error, if none was ever sent; all counts are then 0. Fails with
// MICA_ERROR_NULL, _TYPE, _HOOK. [queue.inspect]
typedef struct mica_event_info {
    uint32_t now;  // sent in this frame
    uint32_t last; // sent in earlier frames, and still there
    uint64_t sent; // total
    size_t bytes;  // memory of events, used or reserved
} mica_event_info;

MICA_API bool mica_event_get_info(mica_world *world, mica_type type, mica_event_info *info_out);

// Returns information about a reader of the events of a type, by number from 0 on: the systems that
// declare to read them, in the order in which they run, then the named cursors that have read, by
// name. [reader.next] Plain cursors belong to the program and are not included. Returns false,
// without an error, at the end. [reader.end] `unread` are the events that it can read
// now. [reader.unread] `missed` are those that were deleted before it read them. [reader.missed]
// O(systems, named cursors). [reader.cost] Fails with MICA_ERROR_NULL, _TYPE, _HOOK. [reader.fail]
typedef struct mica_reader_info {
    const char *name;   // the name of the system or the cursor
    mica_system system; // null handle: a named cursor
    uint64_t unread;
    uint64_t missed;
} mica_reader_info;

MICA_API bool mica_reader_get_info(mica_world *world, mica_type type, uint32_t index,
                                   mica_reader_info *info_out);

// Iterates the types of all resources of the world, in order of registration. mica_resource_get()
// returns the value. [resource.next] Fails with MICA_ERROR_NULL, _TYPE, _HOOK. [resource.next_fail]
MICA_API mica_type mica_resource_next(mica_world *world, mica_type previous);

// Returns the entities that have a name, by number from 0 on, in no particular order.
// mica_entity_name() returns the name. Returns the null handle at the end. [name.next] Fails with
// MICA_ERROR_NULL, _HOOK. [name.next_fail]
MICA_API mica_entity mica_entity_named(mica_world *world, uint32_t index);

// Print a table with a line for each component, or a query with a line for each term and each
// matching table. [table.print] A table or query that does not exist is no
// error. [table.print_none] `stream` is the destination; NULL means standard output. They fail like
// mica_world_print() (mica/debug.h). [table.print_stream]
MICA_API mica_result mica_table_print(mica_world *world, uint32_t table, const mica_stream *stream);
MICA_API mica_result mica_query_print(mica_world *world, mica_query query,
                                      const mica_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
