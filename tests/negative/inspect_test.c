// The rows of <mica/inspect.h>.
#include "negative/table.h"

// Walks by handle: the next after one; the first after none.
#define WALKS(function, bad, code, first, last)                                                    \
    do {                                                                                           \
        NULL_WORLD(function, NONES, function(w, first));                                           \
        ALLOWED(function, function(w, last).bits == 0);                                            \
        SILENT_(#function ".previous", "none", MICA_OK, function(w, (bad)[0]).bits != 0);          \
        for (uint32_t k = 1; k < HANDLE_KINDS; k++) {                                              \
            NONES_(#function ".previous", handle_kinds[k], code, function(w, (bad)[k]));           \
        }                                                                                          \
    } while (0)

static void tables_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_table_info info;
    mica_column_info column;
    mica_row_range stretch;
    mica_type p = t->position;
    uint32_t n = mica_query_table(w, t->movers, 0);

    NULL_WORLD(mica_table_get_info, NULLS, mica_table_get_info(w, n, &info));
    ALLOWED(mica_table_get_info, mica_table_get_info(w, n, &info));
    SILENT(mica_table_get_info.table.beyond, !mica_table_get_info(w, 1000, &info));
    SILENT(mica_table_get_info.table.huge, !mica_table_get_info(w, UINT32_MAX, &info));
    NULLS(mica_table_get_info.info_out.null, MICA_ERROR_NULL, mica_table_get_info(w, n, NULL));

    NULL_WORLD(mica_column_get_info, NULLS, mica_column_get_info(w, n, 0, &column));
    ALLOWED(mica_column_get_info, mica_column_get_info(w, n, 0, &column));
    SILENT(mica_column_get_info.table.beyond, !mica_column_get_info(w, 1000, 0, &column));
    SILENT(mica_column_get_info.table.huge, !mica_column_get_info(w, UINT32_MAX, 0, &column));
    SILENT(mica_column_get_info.index.beyond, !mica_column_get_info(w, n, 100, &column));
    SILENT(mica_column_get_info.index.huge, !mica_column_get_info(w, n, UINT32_MAX, &column));
    NULLS(mica_column_get_info.info_out.null, MICA_ERROR_NULL, mica_column_get_info(w, n, 0, NULL));

    NULL_WORLD(mica_table_range, NULLS, mica_table_range(w, n, p, 0, &stretch));
    ALLOWED(mica_table_range, mica_table_range(w, n, p, 0, &stretch));
    SILENT(mica_table_range.table.beyond, !mica_table_range(w, 1000, p, 0, &stretch));
    SILENT(mica_table_range.table.huge, !mica_table_range(w, UINT32_MAX, p, 0, &stretch));
    SILENT(mica_table_range.type.none, mica_table_range(w, n, t->types[0], 0, &stretch));
    NULLS(mica_table_range.type.garbage, MICA_ERROR_TYPE,
          mica_table_range(w, n, t->types[1], 0, &stretch));
    NULLS(mica_table_range.type.foreign, MICA_ERROR_TYPE,
          mica_table_range(w, n, t->types[2], 0, &stretch));
    SILENT(mica_table_range.row.beyond, !mica_table_range(w, n, p, 1, &stretch));
    SILENT(mica_table_range.row.huge, !mica_table_range(w, n, p, UINT32_MAX, &stretch));
    NULLS(mica_table_range.range_out.null, MICA_ERROR_NULL, mica_table_range(w, n, p, 0, NULL));
    table_end(t);
}

static void fields_in_tables_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_result field = MICA_ERROR_FIELD;
    mica_type p = t->position;
    uint32_t n = mica_query_table(w, t->movers, 0);

    NULL_WORLD(mica_table_field, NULLS, mica_table_field(w, n, p, 0, 0, 4).base);
    ALLOWED(mica_table_field, mica_table_field(w, n, p, 0, 0, 4).base);
    SILENT(mica_table_field.table.beyond, !mica_table_field(w, 1000, p, 0, 0, 4).base);
    SILENT(mica_table_field.table.huge, !mica_table_field(w, UINT32_MAX, p, 0, 0, 4).base);
    BAD_TYPES(mica_table_field.type, NULLS, MICA_ERROR_TYPE,
              mica_table_field(w, n, x, 0, 0, 4).base);
    SILENT(mica_table_field.row.beyond, !mica_table_field(w, n, p, 1, 0, 4).base);
    SILENT(mica_table_field.row.huge, !mica_table_field(w, n, p, UINT32_MAX, 0, 4).base);
    NULLS(mica_table_field.offset.beyond, field, mica_table_field(w, n, p, 0, 8, 4).base);
    NULLS(mica_table_field.offset.huge, field, mica_table_field(w, n, p, 0, UINT32_MAX, 4).base);
    NULLS(mica_table_field.size.zero, field, mica_table_field(w, n, p, 0, 0, 0).base);
    NULLS(mica_table_field.size.wrong, field, mica_table_field(w, n, p, 0, 4, 8).base);
    NULLS(mica_table_field.size.huge, field, mica_table_field(w, n, p, 0, 4, UINT32_MAX).base);
    table_end(t);
}

static void pools_and_groups_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_pool_info pool;
    mica_row_range stretch;
    mica_group_info info;

    NULL_WORLD(mica_pool_get_info, NULLS, mica_pool_get_info(w, t->loose, &pool));
    ALLOWED(mica_pool_get_info, mica_pool_get_info(w, t->loose, &pool));
    BAD_TYPES(mica_pool_get_info.type, NULLS, MICA_ERROR_TYPE, mica_pool_get_info(w, x, &pool));
    NULLS(mica_pool_get_info.info_out.null, MICA_ERROR_NULL, mica_pool_get_info(w, t->loose, NULL));

    NULL_WORLD(mica_pool_range, NULLS, mica_pool_range(w, t->loose, 0, &stretch));
    ALLOWED(mica_pool_range, mica_pool_range(w, t->loose, 0, &stretch));
    BAD_TYPES(mica_pool_range.type, NULLS, MICA_ERROR_TYPE, mica_pool_range(w, x, 0, &stretch));
    SILENT(mica_pool_range.row.beyond, !mica_pool_range(w, t->loose, 1, &stretch));
    SILENT(mica_pool_range.row.huge, !mica_pool_range(w, t->loose, UINT32_MAX, &stretch));
    NULLS(mica_pool_range.range_out.null, MICA_ERROR_NULL, mica_pool_range(w, t->loose, 0, NULL));

    mica_location at;
    mica_type p = t->position;
    NULL_WORLD(mica_entity_get_location, NULLS, mica_entity_get_location(w, t->full, p, &at));
    ALLOWED(mica_entity_get_location, mica_entity_get_location(w, t->full, p, &at));
    BAD_ENTITIES(mica_entity_get_location.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_entity_get_location(w, x, p, &at));
    const mica_type *bad = t->types;
    SILENT(mica_entity_get_location.component.none,
           mica_entity_get_location(w, t->full, bad[0], &at));
    NULLS(mica_entity_get_location.component.garbage, MICA_ERROR_TYPE,
          mica_entity_get_location(w, t->full, bad[1], &at));
    NULLS(mica_entity_get_location.component.foreign, MICA_ERROR_TYPE,
          mica_entity_get_location(w, t->full, bad[2], &at));
    NULLS(mica_entity_get_location.location_out.null, MICA_ERROR_NULL,
          mica_entity_get_location(w, t->full, p, NULL));

    WALKS(mica_group_next, t->groups, MICA_ERROR_GROUP, t->group, t->group);
    NULL_WORLD(mica_group_get_info, NULLS, mica_group_get_info(w, t->group, &info));
    ALLOWED(mica_group_get_info, mica_group_get_info(w, t->group, &info));
    BAD_GROUPS(mica_group_get_info.group, NULLS, MICA_ERROR_GROUP,
               mica_group_get_info(w, x, &info));
    NULLS(mica_group_get_info.info_out.null, MICA_ERROR_NULL,
          mica_group_get_info(w, t->group, NULL));
    table_end(t);
}

static void queries_that_are_looked_at_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;
    mica_query_info info;
    mica_query last = q;
    for (mica_query next = q; next.bits != 0; next = mica_query_next(w, next)) {
        last = next;
    }
    WALKS(mica_query_next, t->queries, MICA_ERROR_QUERY, q, last);
    NULL_WORLD(mica_query_get_info, NULLS, mica_query_get_info(w, q, &info));
    ALLOWED(mica_query_get_info, mica_query_get_info(w, q, &info));
    BAD_QUERIES(mica_query_get_info.query, NULLS, MICA_ERROR_QUERY,
                mica_query_get_info(w, x, &info));
    NULLS(mica_query_get_info.info_out.null, MICA_ERROR_NULL, mica_query_get_info(w, q, NULL));

    NULL_WORLD(mica_query_term, NULLS, mica_query_term(w, q, 0).access);
    ALLOWED(mica_query_term, mica_query_term(w, q, 0).access == MICA_WRITE);
    BAD_QUERIES(mica_query_term.query, NULLS, MICA_ERROR_QUERY, mica_query_term(w, x, 0).access);
    SILENT(mica_query_term.index.beyond, !mica_query_term(w, q, 3).access);
    SILENT(mica_query_term.index.huge, !mica_query_term(w, q, UINT32_MAX).access);

    NULL_WORLD(mica_query_table, NULLS, mica_query_table(w, q, 0) != UINT32_MAX);
    ALLOWED(mica_query_table, mica_query_table(w, q, 0) != UINT32_MAX);
    BAD_QUERIES(mica_query_table.query, NULLS, MICA_ERROR_QUERY,
                mica_query_table(w, x, 0) != UINT32_MAX);
    SILENT(mica_query_table.index.beyond, mica_query_table(w, q, 1000) == UINT32_MAX);
    SILENT(mica_query_table.index.huge, mica_query_table(w, q, UINT32_MAX) == UINT32_MAX);

    table_end(t);
}

static void phases_and_systems_that_are_looked_at_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_phase_info phase;
    mica_system_info system;

    WALKS(mica_phase_next, t->phases, MICA_ERROR_PHASE, t->phase, t->phase);
    NULL_WORLD(mica_phase_get_info, NULLS, mica_phase_get_info(w, t->phase, &phase));
    ALLOWED(mica_phase_get_info, mica_phase_get_info(w, t->phase, &phase));
    BAD_PHASES(mica_phase_get_info.phase, NULLS, MICA_ERROR_PHASE,
               mica_phase_get_info(w, x, &phase));
    NULLS(mica_phase_get_info.info_out.null, MICA_ERROR_NULL,
          mica_phase_get_info(w, t->phase, NULL));

    WALKS(mica_system_next, t->systems, MICA_ERROR_SYSTEM, t->system, t->system);
    NULL_WORLD(mica_system_get_info, NULLS, mica_system_get_info(w, t->system, &system));
    ALLOWED(mica_system_get_info, mica_system_get_info(w, t->system, &system));
    BAD_SYSTEMS(mica_system_get_info.system, NULLS, MICA_ERROR_SYSTEM,
                mica_system_get_info(w, x, &system));
    NULLS(mica_system_get_info.info_out.null, MICA_ERROR_NULL,
          mica_system_get_info(w, t->system, NULL));
    table_end(t);
}

static void what_else_is_looked_at_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_observer_info observer;
    mica_event_info queue;
    mica_reader_info reader;
    mica_resource_set(w, MICA_ADD(t->weight));
    mica_send(w, MICA_ADD(t->weight));
    table_settle(t);

    WALKS(mica_observer_next, t->observers, MICA_ERROR_OBSERVER, t->observer, t->observer);
    NULL_WORLD(mica_observer_get_info, NULLS, mica_observer_get_info(w, t->observer, &observer));
    ALLOWED(mica_observer_get_info, mica_observer_get_info(w, t->observer, &observer));
    BAD_OBSERVERS(mica_observer_get_info.observer, NULLS, MICA_ERROR_OBSERVER,
                  mica_observer_get_info(w, x, &observer));
    NULLS(mica_observer_get_info.info_out.null, MICA_ERROR_NULL,
          mica_observer_get_info(w, t->observer, NULL));

    NULL_WORLD(mica_event_get_info, NULLS, mica_event_get_info(w, t->weight, &queue));
    ALLOWED(mica_event_get_info, mica_event_get_info(w, t->weight, &queue));
    BAD_TYPES(mica_event_get_info.type, NULLS, MICA_ERROR_TYPE, mica_event_get_info(w, x, &queue));
    NULLS(mica_event_get_info.info_out.null, MICA_ERROR_NULL,
          mica_event_get_info(w, t->weight, NULL));

    NULL_WORLD(mica_reader_get_info, NULLS, mica_reader_get_info(w, t->weight, 0, &reader));
    ALLOWED(mica_reader_get_info, !mica_reader_get_info(w, t->weight, 0, &reader));
    BAD_TYPES(mica_reader_get_info.type, NULLS, MICA_ERROR_TYPE,
              mica_reader_get_info(w, x, 0, &reader));
    SILENT(mica_reader_get_info.index.beyond, !mica_reader_get_info(w, t->weight, 1, &reader));
    SILENT(mica_reader_get_info.index.huge,
           !mica_reader_get_info(w, t->weight, UINT32_MAX, &reader));
    NULLS(mica_reader_get_info.info_out.null, MICA_ERROR_NULL,
          mica_reader_get_info(w, t->weight, 0, NULL));

    NULL_WORLD(mica_resource_next, NONES, mica_resource_next(w, t->weight));
    ALLOWED(mica_resource_next, mica_resource_next(w, t->weight).bits == 0);
    SILENT(mica_resource_next.previous.none,
           MICA_EQUAL(t->weight, mica_resource_next(w, t->types[0])));
    NONES(mica_resource_next.previous.garbage, MICA_ERROR_TYPE, mica_resource_next(w, t->types[1]));
    NONES(mica_resource_next.previous.foreign, MICA_ERROR_TYPE, mica_resource_next(w, t->types[2]));

    NULL_WORLD(mica_entity_named, NONES, mica_entity_named(w, 0));
    ALLOWED(mica_entity_named, MICA_EQUAL(t->named, mica_entity_named(w, 0)));
    SILENT(mica_entity_named.index.beyond, MICA_IS_NONE(mica_entity_named(w, 1)));
    SILENT(mica_entity_named.index.huge, MICA_IS_NONE(mica_entity_named(w, UINT32_MAX)));
    table_end(t);
}

TESTS(table_inspect, tables_refuse_bad_arguments, fields_in_tables_refuse_bad_arguments,
      pools_and_groups_refuse_bad_arguments, queries_that_are_looked_at_refuse_bad_arguments,
      phases_and_systems_that_are_looked_at_refuse_bad_arguments,
      what_else_is_looked_at_refuses_bad_arguments)
