// Printers with bad arguments, to files and into texts.
#include <stdio.h>
#include <string.h>

#include "negative/table.h"

static void printing_entities_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    FILE *file = tmpfile();
    REQUIRE(file);
    char text[40];

    NULL_WORLD_IS_FINE(mica_entity_fprint, !mica_entity_fprint(w, t->full, file));
    ALLOWED(mica_entity_fprint, !mica_entity_fprint(w, t->full, file));
    BAD_ENTITIES(mica_entity_fprint.entity, SILENT, MICA_OK, !mica_entity_fprint(w, x, file));
    FAILS(mica_entity_fprint.file.null, MICA_ERROR_NULL, mica_entity_fprint(w, t->full, NULL));

    NULL_WORLD_IS_FINE(mica_entity_snprint, mica_entity_snprint(w, t->full, text, 40) == 11 &&
                                                strcmp(text, "0.0 (dead)\n") == 0);
    ALLOWED(mica_entity_snprint, mica_entity_snprint(w, t->bare, text, 40) == strlen(text));
    BAD_ENTITIES(mica_entity_snprint.entity, SILENT, MICA_OK,
                 mica_entity_snprint(w, x, text, 40) > 0 && strstr(text, " (dead)\n"));
    NULLS(mica_entity_snprint.text.null, MICA_ERROR_NULL,
          mica_entity_snprint(w, t->full, NULL, 40));
    SILENT(mica_entity_snprint.size.zero, mica_entity_snprint(w, t->full, NULL, 0) > 0);
    fclose(file);
    table_end(t);
}

static void printing_worlds_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    FILE *file = tmpfile();
    REQUIRE(file);
    char text[40];

    NULL_WORLD_IS_FINE(mica_world_fprint, !mica_world_fprint(w, file));
    ALLOWED(mica_world_fprint, !mica_world_fprint(w, file));
    FAILS(mica_world_fprint.file.null, MICA_ERROR_NULL, mica_world_fprint(w, NULL));
    NULL_WORLD_IS_FINE(mica_world_snprint,
                       mica_world_snprint(w, text, 40) == 9 && strcmp(text, "no world\n") == 0);
    ALLOWED(mica_world_snprint, mica_world_snprint(w, text, 40) > 40 && strlen(text) == 39);
    NULLS(mica_world_snprint.text.null, MICA_ERROR_NULL, mica_world_snprint(w, NULL, 40));
    SILENT(mica_world_snprint.size.zero, mica_world_snprint(w, NULL, 0) > 40);
    fclose(file);
    table_end(t);
}

static void quoting_refuses_bad_arguments(void)
{
    table *t = table_begin();
    char text[40];
    APART(NULLS(mica_text_quote.bytes.null, MICA_ERROR_NULL, mica_text_quote(NULL, 4, text, 40)));
    SILENT(mica_text_quote.count.zero,
           mica_text_quote(NULL, 0, text, 40) == 2 && strcmp(text, "\"\"") == 0);
    APART(NULLS(mica_text_quote.text.null, MICA_ERROR_NULL, mica_text_quote("a", 1, NULL, 40)));
    SILENT(mica_text_quote.size.zero, mica_text_quote("a", 1, NULL, 0) == 3);
    table_end(t);
}

static void printing_schedules_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    FILE *file = tmpfile();
    REQUIRE(file);
    char text[40];

    NULL_WORLD(mica_schedule_fprint, FAILS, mica_schedule_fprint(w, file));
    ALLOWED(mica_schedule_fprint, !mica_schedule_fprint(w, file));
    FAILS(mica_schedule_fprint.file.null, MICA_ERROR_NULL, mica_schedule_fprint(w, NULL));
    NULL_WORLD(mica_schedule_snprint, NULLS, mica_schedule_snprint(w, text, 40));
    ALLOWED(mica_schedule_snprint, mica_schedule_snprint(w, text, 40) > 0);
    NULLS(mica_schedule_snprint.text.null, MICA_ERROR_NULL, mica_schedule_snprint(w, NULL, 40));
    SILENT(mica_schedule_snprint.size.zero, mica_schedule_snprint(w, NULL, 0) > 0);

    NULL_WORLD(mica_timings_fprint, FAILS, mica_timings_fprint(w, file));
    ALLOWED(mica_timings_fprint, !mica_timings_fprint(w, file));
    FAILS(mica_timings_fprint.file.null, MICA_ERROR_NULL, mica_timings_fprint(w, NULL));
    NULL_WORLD(mica_timings_snprint, NULLS, mica_timings_snprint(w, text, 40));
    ALLOWED(mica_timings_snprint, mica_timings_snprint(w, text, 40) > 0);
    NULLS(mica_timings_snprint.text.null, MICA_ERROR_NULL, mica_timings_snprint(w, NULL, 40));
    SILENT(mica_timings_snprint.size.zero, mica_timings_snprint(w, NULL, 0) > 0);
    fclose(file);
    table_end(t);
}

static void printing_tables_and_queries_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;
    FILE *file = tmpfile();
    REQUIRE(file);
    char text[40];

    NULL_WORLD_IS_FINE(mica_table_fprint, !mica_table_fprint(w, 0, file));
    ALLOWED(mica_table_fprint, !mica_table_fprint(w, 0, file));
    SILENT(mica_table_fprint.table.beyond, !mica_table_fprint(w, 1000, file));
    SILENT(mica_table_fprint.table.huge, !mica_table_fprint(w, UINT32_MAX, file));
    FAILS(mica_table_fprint.file.null, MICA_ERROR_NULL, mica_table_fprint(w, 0, NULL));
    NULL_WORLD_IS_FINE(mica_table_snprint, mica_table_snprint(w, 0, text, 40) == 11 &&
                                               strcmp(text, "no table 0\n") == 0);
    ALLOWED(mica_table_snprint, mica_table_snprint(w, 0, text, 40) > 0);
    SILENT(mica_table_snprint.table.beyond, mica_table_snprint(w, 1000, text, 40) == 14);
    SILENT(mica_table_snprint.table.huge, mica_table_snprint(w, UINT32_MAX, text, 40) == 20);
    NULLS(mica_table_snprint.text.null, MICA_ERROR_NULL, mica_table_snprint(w, 0, NULL, 40));
    SILENT(mica_table_snprint.size.zero, mica_table_snprint(w, 0, NULL, 0) > 0);

    NULL_WORLD_IS_FINE(mica_query_fprint, !mica_query_fprint(w, q, file));
    ALLOWED(mica_query_fprint, !mica_query_fprint(w, q, file));
    BAD_QUERIES(mica_query_fprint.query, SILENT, MICA_OK, !mica_query_fprint(w, x, file));
    FAILS(mica_query_fprint.file.null, MICA_ERROR_NULL, mica_query_fprint(w, q, NULL));
    NULL_WORLD_IS_FINE(mica_query_snprint,
                       mica_query_snprint(w, q, text, 40) == 9 && strcmp(text, "no query\n") == 0);
    ALLOWED(mica_query_snprint, mica_query_snprint(w, q, text, 40) > 0);
    BAD_QUERIES(mica_query_snprint.query, SILENT, MICA_OK, mica_query_snprint(w, x, text, 40) == 9);
    NULLS(mica_query_snprint.text.null, MICA_ERROR_NULL, mica_query_snprint(w, q, NULL, 40));
    SILENT(mica_query_snprint.size.zero, mica_query_snprint(w, q, NULL, 0) > 0);
    fclose(file);
    table_end(t);
}

TESTS(table_print, printing_entities_refuses_bad_arguments, printing_worlds_refuses_bad_arguments,
      quoting_refuses_bad_arguments, printing_schedules_refuses_bad_arguments,
      printing_tables_and_queries_refuses_bad_arguments)
