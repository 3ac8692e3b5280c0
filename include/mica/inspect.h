// Looking in: what there is in a world, and where it lies. For inspectors, exporters and debuggers.
//
//   mica_table_info table;
//   for (uint32_t t = 0; mica_table_inspect(world, t, &table); t++) {
//       mica_column_info column;
//       for (uint32_t c = 0; mica_column_inspect(world, t, c, &column); c++) { ... }
//   }
//   for (mica_query q = mica_query_next(world, mica_query_none()); !mica_query_is_none(q);
//        q = mica_query_next(world, q)) { ... }
//
// What has a handle is gone through by handles: the first after `previous` (none, to begin), none at the
// end. All else by numbers, up to the first that there is not: false, silently. Types are gone through with
// mica_type_next(), entities with mica_table_stretch() of no type.
//
// Nothing is allocated, made or changed by any of this. [inspect.unchanged] So it can be called at
// any time, during iterations and steps too, but not from hooks: MICA_ERROR_HOOK. What changes
// between two calls does no harm: numbers that are gone give nothing, and handles that are gone an
// error. [inspect.gone] Where a function gives false, what it fills in is all zero. Names are good
// until what they name goes, pointers to values until the next structural change.
//
// Figures of the whole world and of single types are in mica/debug.h, those of systems and phases in
// mica/system.h and mica/phase.h.
#ifndef MICA_INSPECT_H
#define MICA_INSPECT_H

#include <mica/group.h>
#include <mica/observer.h>
#include <mica/system.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// Tables: the entities with the same set of components, sparse ones aside. They are numbered in the
// order in which they were made. [table.numbers] mica_world_reclaim() and calls that tidy up take
// out empty ones, and those behind them get other numbers. [table.tidy]
typedef struct mica_table_info {
    uint32_t rows;       // entities, or facets
    uint32_t capacity;   // that there is room for
    uint32_t sheets;     // in which they lie, each of up to 1,024 rows
    uint32_t components; // tags included [table.components]
    size_t bytes;        // of values and handles, used or kept ready
    bool facets;         // the rows are facets: mica/facet.h [table.facets]
} mica_table_info;

// MICA_ERROR_NULL, _HOOK. O(sheets and components). [table.inspect]
MICA_API bool mica_table_inspect(mica_world *world, uint32_t table, mica_table_info *info_out);

// The components of a table in the order they were registered in, tags included, from number 0
// on. [column.order]
typedef struct mica_column_info {
    mica_type type;
    mica_storage storage; // of the three in tables; that of a tag is MICA_TABLE [column.tag]
    size_t bytes; // of values, flags and ticks, used or kept ready; 0: of a tag. Of a ring, what
                  // belongs to this table
    bool dimmed;  // some of its values may be disabled: mica/toggle.h [column.disabled]
} mica_column_info;

MICA_API bool mica_column_inspect(mica_world *world, uint32_t table, uint32_t index,
                                  mica_column_info *info_out);

// Stretches: rows that lie side by side, and of which is known together when they changed last. Up
// to 1,024. [range.limit]
//
//   mica_stretch s;
//   for (uint32_t row = 0; mica_table_stretch(world, t, position, row, &s); row = s.row + s.count) {
//       if (s.changed > seen) { send(s.entities, s.data, s.count); }
//   }
//   seen = mica_world_mark(world);
typedef struct mica_stretch {
    uint32_t row;                // its first
    uint32_t count;              // of rows
    const mica_entity *entities; // whose they are
    const void
        *data; // values, `count` of them; NULL: of a tag, of no type, and of a split component,
               // whose values lie nowhere whole: mica_table_field(), mica_load() [range.no_data]
    uint64_t
        changed; // the moment of the last change to any of them (mica/change.h), be it that one
                 // came or moved. [range.changed] Nothing that changed is missed; some may not
                 // have [range.missed]
} mica_stretch;

// The stretch that begins with this row: false, silently, behind the last row, and if there is no
// such table or that has not the type. [range.begin] Of no type: which entities there are, and when
// some came or moved last. [range.entities] MICA_ERROR_NULL, _TYPE, _HOOK; _ITERATING if an
// iteration has the values, to be written back (mica/query.h). [range.fail]
MICA_API bool mica_table_stretch(mica_world *world, uint32_t table, mica_type type, uint32_t row,
                                 mica_stretch *stretch_out);

// One field in the rows of the stretch that begins with this row, of every storage:
// mica_read_field() says what `offset` and `size` are. [range.field] No base, silently, where there
// is no stretch, and for tags. [range.field_none] MICA_ERROR_NULL, _TYPE, _HOOK, _ITERATING;
// MICA_ERROR_FIELD if the values have no such bytes, or if these are in several
// pieces. [range.field_fail]
MICA_API mica_read_fields mica_table_field(mica_world *world, uint32_t table, mica_type type,
                                           uint32_t row, uint32_t offset, uint32_t size);

// Pools: the values of a sparse component.
typedef struct mica_pool_info {
    uint32_t count;    // of entities that have it
    uint32_t capacity; // that there is room for
    uint32_t holes;    // places that wait to be used again; only of stable values [pool.holes]
    size_t bytes;      // of values, entities, flags and ticks, used or kept ready
    uint32_t groups;   // that it is in [pool.groups]
    mica_group owner;  // of them, that keeps its order; none: nobody does [pool.owner]
} mica_pool_info;

// False, silently, if the component is not sparse, or nobody had it yet, and no bundle or group was
// made with it. [pool.none] MICA_ERROR_NULL, _TYPE, _HOOK. [pool.fail]
MICA_API bool mica_pool_inspect(mica_world *world, mica_type type, mica_pool_info *info_out);

// The first stretch at or behind this row, which is a place in the pool: holes are passed over. The
// rest is as for tables. [pool.range]
MICA_API bool mica_pool_stretch(mica_world *world, mica_type type, uint32_t row,
                                mica_stretch *stretch_out);

// Groups. MICA_ERROR_NULL, _GROUP, _HOOK. [group.inspect]
typedef struct mica_group_info {
    const char *name; // NULL: none
    uint32_t count;   // of entities in it
    mica_type owned[MICA_GROUP_TYPES_MAX];
    mica_type also[MICA_GROUP_TYPES_MAX];
    mica_type without[MICA_GROUP_TYPES_MAX];
} mica_group_info;

MICA_API mica_group mica_group_next(mica_world *world, mica_group previous);
MICA_API bool mica_group_inspect(mica_world *world, mica_group group, mica_group_info *info_out);

// Queries, those of systems and observers included. MICA_ERROR_NULL, _QUERY, _HOOK. [query.inspect]
typedef struct mica_query_info {
    const char *name;    // NULL: none
    uint32_t terms;      // 0: it is of everything
    uint32_t tables;     // that match, as far as tables decide; mica_query_count() counts entities
    uint32_t iterations; // of it that are open
    uint32_t systems;    // that have declared it
    bool no_entities;
    bool no_facets;
    uint64_t since; // mica_query_since(); 0 also where no term asks for changes [query.no_since]
} mica_query_info;

MICA_API mica_query mica_query_next(mica_world *world, mica_query previous);
MICA_API bool mica_query_inspect(mica_world *world, mica_query query, mica_query_info *info_out);

// A term of it, as it was given, and the number of a table that matches, both from 0
// on. [query.term] Behind the last: all zero, and UINT32_MAX. [query.term_end]
MICA_API mica_term mica_query_term(mica_world *world, mica_query query, uint32_t index);
MICA_API uint32_t mica_query_table(mica_world *world, mica_query query, uint32_t index);

// The system whose own query it is; none, silently, if no system has it. [query.system] Takes time
// in proportion to the number of systems. [query.system_cost]
MICA_API mica_system mica_query_system(mica_world *world, mica_query query);

// Phases and systems, in the order they run in. MICA_ERROR_NULL, _HOOK, _PHASE,
// _SYSTEM. [phase.inspect]
typedef struct mica_phase_info {
    const char *name;
    uint32_t systems;  // in it
    double fixed_dt;   // 0: that of the step
    uint32_t max_runs; // in one step; 0: of one without a time step of its own
} mica_phase_info;

MICA_API mica_phase mica_phase_next(mica_world *world, mica_phase previous);
MICA_API bool mica_phase_inspect(mica_world *world, mica_phase phase, mica_phase_info *info_out);

// The same for systems. [system.inspect]
typedef struct mica_system_info {
    const char *name;
    mica_phase phase;
    mica_query query; // its own; none: update is called once [system.no_query]
    void *user;
    bool enabled;
    bool conditional;                            // it has `when`
    bool replay_first;                           // commands are carried out before it runs
    mica_query queries[MICA_SYSTEM_QUERIES_MAX]; // what it has declared
    mica_term resources[MICA_SYSTEM_USES_MAX];
    mica_term events[MICA_SYSTEM_USES_MAX];
} mica_system_info;

MICA_API mica_system mica_system_next(mica_world *world, mica_system previous);
MICA_API bool mica_system_inspect(mica_world *world, mica_system system,
                                  mica_system_info *info_out);

// Observers, but for those that are freed. MICA_ERROR_NULL, _OBSERVER, _HOOK. [observer.inspect]
typedef struct mica_observer_info {
    const char *name; // NULL: none
    uint32_t on;      // MICA_ON_...
    mica_type type;   // none: of no single component
    mica_query query; // none: it has none
    void *user;
} mica_observer_info;

MICA_API mica_observer mica_observer_next(mica_world *world, mica_observer previous);
MICA_API bool mica_observer_inspect(mica_world *world, mica_observer observer,
                                    mica_observer_info *info_out);

// The events of a type. False, silently, if none was ever sent. MICA_ERROR_NULL, _TYPE,
// _HOOK. [queue.inspect]
typedef struct mica_queue_info {
    uint32_t now;  // sent in this frame, and not gone
    uint32_t last; // sent before it
    uint64_t sent; // ever
    size_t bytes;  // of events, used or kept ready
} mica_queue_info;

MICA_API bool mica_queue_inspect(mica_world *world, mica_type type, mica_queue_info *info_out);

// The types of which the world has a resource, in the order they were registered in:
// mica_resource_get() has the value. [resource.next] MICA_ERROR_NULL, _TYPE,
// _HOOK. [resource.next_fail]
MICA_API mica_type mica_resource_next(mica_world *world, mica_type previous);

// The entities that have a name, in no order, from number 0 on: mica_entity_name() has it. None at
// the end. [name.next] MICA_ERROR_NULL, _HOOK. [name.next_fail]
MICA_API mica_entity mica_named_entity(mica_world *world, uint32_t index);

// In words: a table with a line for each component; a query with a line for each term and each
// table that matches. [table.print] What there is not is no error. [table.print_none] To standard
// output, to a file, into a text, and with the failures, as mica_world_print() and its kin
// (mica/debug.h). [table.print_forms]
MICA_API void mica_table_print(mica_world *world, uint32_t table);
MICA_API mica_result mica_table_fprint(mica_world *world, uint32_t table, FILE *file);
MICA_API size_t mica_table_snprint(mica_world *world, uint32_t table, char *text, size_t size);
MICA_API void mica_query_print(mica_world *world, mica_query query);
MICA_API mica_result mica_query_fprint(mica_world *world, mica_query query, FILE *file);
MICA_API size_t mica_query_snprint(mica_world *world, mica_query query, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
