// The rows of <mica/query.h>.
#include "negative/table.h"

#include <string.h>

static void queries_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_query_desc good = {.terms = {{t->tag, MICA_WITH}}};
    mica_query_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_query_desc unended = {.last_zero = 1};
    mica_term many[EXTRA_TYPES];
    for (uint32_t i = 0; i < EXTRA_TYPES; i++) {
        many[i] = (mica_term){t->extra[i], MICA_WITH};
    }
    const mica_query_desc oversized = {.more_terms = many, .more_count = EXTRA_TYPES};
    const mica_query_desc contradictory = {.terms = {{t->tag, MICA_WITH}, {t->tag, MICA_WITHOUT}}};

    NULL_WORLD(mica_query_new, NONES, mica_query_new(w, &good));
    ALLOWED(mica_query_new, !mica_query_free(w, mica_query_new(w, &good)));
    NONES(mica_query_new.desc.null, MICA_ERROR_NULL, mica_query_new(w, NULL));
    NONES(mica_query_new.desc.zeroed, MICA_ERROR_TERMS, mica_query_new(w, &(mica_query_desc){0}));
    NONES(mica_query_new.desc.garbage, MICA_ERROR_DESC, mica_query_new(w, &garbage));
    NONES(mica_query_new.desc.unended, MICA_ERROR_DESC, mica_query_new(w, &unended));
    NONES(mica_query_new.desc.oversized, MICA_ERROR_TERMS, mica_query_new(w, &oversized));
    NONES(mica_query_new.desc.contradictory, MICA_ERROR_TERMS, mica_query_new(w, &contradictory));

    NULL_WORLD(mica_query_free, FAILS, mica_query_free(w, t->movers));
    REFUSED(mica_query_free, FAILS, mica_query_free(w, t->movers));
    BAD_QUERIES(mica_query_free.query, FAILS, MICA_ERROR_QUERY, mica_query_free(w, x));

    NULL_WORLD(mica_query_count, NULLS, mica_query_count(w, t->movers));
    ALLOWED(mica_query_count, mica_query_count(w, t->movers) == 1);
    BAD_QUERIES(mica_query_count.query, NULLS, MICA_ERROR_QUERY, mica_query_count(w, x));

    NULL_WORLD(mica_query_first, NONES, mica_query_first(w, t->movers));
    ALLOWED(mica_query_first, MICA_EQUAL(t->full, mica_query_first(w, t->movers)));
    BAD_QUERIES(mica_query_first.query, NONES, MICA_ERROR_QUERY, mica_query_first(w, x));

    NULL_WORLD(mica_query_single, NONES, mica_query_single(w, t->movers));
    ALLOWED(mica_query_single, MICA_EQUAL(t->full, mica_query_single(w, t->movers)));
    BAD_QUERIES(mica_query_single.query, NONES, MICA_ERROR_QUERY, mica_query_single(w, x));

    NULL_WORLD(mica_query_contains, NULLS, mica_query_contains(w, t->movers, t->full));
    ALLOWED(mica_query_contains, mica_query_contains(w, t->movers, t->full));
    BAD_QUERIES(mica_query_contains.query, NULLS, MICA_ERROR_QUERY,
                mica_query_contains(w, x, t->full));
    BAD_ENTITIES(mica_query_contains.entity, SILENT, MICA_OK,
                 !mica_query_contains(w, t->movers, x));

    char text[80] = "";
    const size_t size = sizeof text;
    NULL_WORLD(mica_query_explain, FAILS, mica_query_explain(w, t->movers, t->full, text, size));
    ALLOWED(mica_query_explain, !mica_query_explain(w, t->movers, t->full, text, size));
    BAD_QUERIES(mica_query_explain.query, FAILS, MICA_ERROR_QUERY,
                mica_query_explain(w, x, t->full, text, size));
    BAD_ENTITIES(mica_query_explain.entity, SILENT, MICA_OK,
                 !mica_query_explain(w, t->movers, x, text, size) && strstr(text, "dead"));
    FAILS(mica_query_explain.text.null, MICA_ERROR_NULL,
          mica_query_explain(w, t->movers, t->full, NULL, size));
    FAILS(mica_query_explain.size.zero, MICA_ERROR_ARGUMENT,
          mica_query_explain(w, t->movers, t->full, text, 0));
    table_end(t);
}

static void changes_by_query_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;
    mica_type p = t->position;
    const Position data = {1, 2};
    const uint32_t size = sizeof data;
    uint32_t matched = 7;

    NULL_WORLD(mica_add_all, FAILS, mica_add_all(w, q, t->extra[1], &matched));
    REFUSED(mica_add_all, FAILS, mica_add_all(w, q, t->extra[1], &matched));
    BAD_QUERIES(mica_add_all.query, FAILS, MICA_ERROR_QUERY,
                mica_add_all(w, x, t->extra[1], &matched));
    BAD_TYPES(mica_add_all.type, FAILS, MICA_ERROR_TYPE, mica_add_all(w, q, x, &matched));
    SILENT(mica_add_all.matched_out.null, !mica_add_all(w, q, t->tag, NULL));

    NULL_WORLD(mica_remove_all, FAILS, mica_remove_all(w, q, t->tag, &matched));
    REFUSED(mica_remove_all, FAILS, mica_remove_all(w, q, t->tag, &matched));
    BAD_QUERIES(mica_remove_all.query, FAILS, MICA_ERROR_QUERY,
                mica_remove_all(w, x, t->tag, &matched));
    BAD_TYPES(mica_remove_all.type, FAILS, MICA_ERROR_TYPE, mica_remove_all(w, q, x, &matched));
    SILENT(mica_remove_all.matched_out.null, !mica_remove_all(w, q, t->extra[1], NULL));

    NULL_WORLD(mica_set_all, FAILS, mica_set_all(w, q, p, &data, size, &matched));
    REFUSED(mica_set_all, FAILS, mica_set_all(w, q, p, &data, size, &matched));
    BAD_QUERIES(mica_set_all.query, FAILS, MICA_ERROR_QUERY,
                mica_set_all(w, x, p, &data, size, &matched));
    BAD_TYPES(mica_set_all.type, FAILS, MICA_ERROR_TYPE,
              mica_set_all(w, q, x, &data, size, &matched));
    FAILS(mica_set_all.size.zero, MICA_ERROR_SIZE, mica_set_all(w, q, p, &data, 0, &matched));
    FAILS(mica_set_all.size.wrong, MICA_ERROR_SIZE, mica_set_all(w, q, p, &data, 4, &matched));
    FAILS(mica_set_all.size.huge, MICA_ERROR_SIZE,
          mica_set_all(w, q, p, &data, UINT32_MAX, &matched));
    CHECK_EQUAL(7, matched);
    FAILS(mica_set_all.data.null, MICA_ERROR_NULL, mica_set_all(w, q, p, NULL, size, &matched));
    SILENT(mica_set_all.matched_out.null, !mica_set_all(w, q, p, &data, size, NULL));

    matched = 7;
    NULL_WORLD(mica_despawn_all, FAILS, mica_despawn_all(w, q, &matched));
    REFUSED(mica_despawn_all, FAILS, mica_despawn_all(w, q, &matched));
    BAD_QUERIES(mica_despawn_all.query, FAILS, MICA_ERROR_QUERY, mica_despawn_all(w, x, &matched));
    SILENT(mica_despawn_all.matched_out.null, !mica_despawn_all(w, t->nobody, NULL));
    CHECK_EQUAL(7, matched);
    table_end(t);
}

// An iteration that did not begin has no rows, and its end is reached without a further word.
static uint32_t rows_of(mica_iter *it)
{
    uint32_t rows = it->count;
    while (mica_iter_next(it)) {
        rows += it->count;
    }
    return rows;
}

// Begun or not, it ends as it began.
#define BEGUN(call)                                                                                \
    (begun = (call), rows_of(&it) == 0 && mica_iter_end(&it) == begun ? begun : MICA_OK)

static void beginning_to_iterate_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;
    mica_result begun;
    mica_iter it;
    memset(&it, 0xA5, sizeof it);

    NULL_WORLD(mica_iter_begin, FAILS, mica_iter_begin(w, q, &it));
    ALLOWED(mica_iter_begin, !mica_iter_begin(w, q, &it) && rows_of(&it) == 1);
    BAD_QUERIES(mica_iter_begin.query, FAILS, MICA_ERROR_QUERY, BEGUN(mica_iter_begin(w, x, &it)));
    FAILS(mica_iter_begin.it_out.null, MICA_ERROR_NULL, mica_iter_begin(w, q, NULL));

    memset(&it, 0xA5, sizeof it);
    NULL_WORLD(mica_iter_begin_entity, FAILS, mica_iter_begin_entity(w, q, t->full, &it));
    ALLOWED(mica_iter_begin_entity,
            !mica_iter_begin_entity(w, q, t->full, &it) && rows_of(&it) == 1);
    BAD_QUERIES(mica_iter_begin_entity.query, FAILS, MICA_ERROR_QUERY,
                BEGUN(mica_iter_begin_entity(w, x, t->full, &it)));
    BAD_ENTITIES(mica_iter_begin_entity.entity, FAILS, MICA_ERROR_ENTITY,
                 BEGUN(mica_iter_begin_entity(w, q, x, &it)));
    FAILS(mica_iter_begin_entity.it_out.null, MICA_ERROR_NULL,
          mica_iter_begin_entity(w, q, t->full, NULL));
    table_end(t);
}

static void going_on_refuses_bad_iterations(void)
{
    table *t = table_begin();
    mica_iter *bad = t->iters;
    const mica_result code = MICA_ERROR_ITERATOR;

    APART(NULLS(mica_iter_next.it.null, code, mica_iter_next(NULL)));
    APART(NULLS(mica_iter_next.it.zeroed, code, mica_iter_next(&bad[1])));
    APART(NULLS(mica_iter_next.it.garbage, code, mica_iter_next(&bad[2])));
    SILENT(mica_iter_next.it.unbegun, !mica_iter_next(&bad[3]));
    NULLS(mica_iter_next.it.ended, code, mica_iter_next(&bad[4]));
    NULLS(mica_iter_next.it.closed, code, mica_iter_next(&bad[5]));
    APART(NULLS(mica_iter_next.it.foreign, code, mica_iter_next(&bad[6])));

    // One that never began, or has ended, said then why.
    APART(FAILS(mica_iter_end.it.null, code, mica_iter_end(NULL)));
    APART(FAILS(mica_iter_end.it.zeroed, code, mica_iter_end(&bad[1])));
    APART(FAILS(mica_iter_end.it.garbage, code, mica_iter_end(&bad[2])));
    SILENT(mica_iter_end.it.unbegun, mica_iter_end(&bad[3]) == MICA_ERROR_QUERY);
    SILENT(mica_iter_end.it.ended, mica_iter_end(&bad[4]) == MICA_OK);
    FAILS(mica_iter_end.it.closed, code, mica_iter_end(&bad[5]));
    APART(FAILS(mica_iter_end.it.foreign, code, mica_iter_end(&bad[6])));
    table_end(t);
}

static void values_of_iterations_refuse_bad_arguments(void)
{
    table *t = table_begin();
    const mica_result none = MICA_ERROR_ITERATOR;
    const mica_result term = MICA_ERROR_TERM;
    BAD_ITERS(mica_iter_values_any.it, NULLS, none, mica_iter_values_any(x, 0, false));
    BAD_ITERS(mica_read_row.it, NULLS, none, mica_read_row(x, 0, 0));
    BAD_ITERS(mica_write_row.it, NULLS, none, mica_write_row(x, 0, 0));
    float xy[2] = {0, 0};
    BAD_ITERS(mica_load_row.it, NULLS, none, mica_load_row(x, 0, 0, xy, 8));
    BAD_ITERS(mica_store_row.it, FAILS, none, mica_store_row(x, 0, 0, xy, 8));
    BAD_ITERS(mica_read_enabled.it, NULLS, none, mica_read_enabled(x, 0, 0));
    mica_type_set types = {0};
    BAD_ITERS(mica_iter_types.it, FAILS, none, mica_iter_types(x, &types));
    mica_iter open;
    mica_iter_begin(t->world, t->movers, &open);
    mica_iter_next(&open);
    FAILS(mica_iter_types.types_out.null, MICA_ERROR_NULL, mica_iter_types(&open, NULL));
    mica_iter_end(&open);
    BAD_ITERS(mica_read_field.it, NULLS, none, mica_read_field(x, 0, 0, 4, NULL).base);
    BAD_ITERS(mica_write_field.it, NULLS, none, mica_write_field(x, 0, 0, 4, NULL).base);
    BAD_ITERS(mica_read_as.it, NULLS, none, mica_read_as(x, 0, 8, NULL));
    BAD_ITERS(mica_write_as.it, NULLS, none, mica_write_as(x, 0, 8, NULL));
    APART(NULLS(mica_read.it.null, none, mica_read(NULL, 0)));
    APART(NULLS(mica_read.it.zeroed, none, mica_read(&t->iters[1], 0)));
    NULLS(mica_read.it.unbegun, none, mica_read(&t->iters[3], 0));
    NULLS(mica_read.it.ended, none, mica_read(&t->iters[4], 0));
    APART(NULLS(mica_write.it.null, none, mica_write(NULL, 0)));
    APART(NULLS(mica_write.it.zeroed, none, mica_write(&t->iters[1], 0)));
    NULLS(mica_write.it.unbegun, none, mica_write(&t->iters[3], 0));
    NULLS(mica_write.it.ended, none, mica_write(&t->iters[4], 0));

    mica_iter it;
    mica_iter_begin(t->world, t->movers, &it);
    REQUIRE(mica_iter_next(&it));
    // Terms 0 and 1 are position, to write, and weight, to read; 2 is a tag.
    mica_query_desc desc = {.terms = {{t->position, MICA_WITH}}};
    mica_query filter = mica_query_new(t->world, &desc);
    mica_iter with;
    mica_iter_begin(t->world, filter, &with);
    REQUIRE(mica_iter_next(&with));
    t->before[4]++; // queries

    NULLS(mica_iter_values_any.term.unfit, term, mica_iter_values_any(&it, 1, true));
    NULLS(mica_iter_values_any.term.tag, term, mica_iter_values_any(&it, 2, false));
    NULLS(mica_iter_values_any.term.beyond, term, mica_iter_values_any(&it, 3, false));
    NULLS(mica_iter_values_any.term.huge, term, mica_iter_values_any(&it, UINT32_MAX, false));
    NULLS(mica_read.term.unfit, term, mica_read(&with, 0));
    NULLS(mica_read.term.tag, term, mica_read(&it, 2));
    NULLS(mica_read.term.beyond, term, mica_read(&it, 3));
    NULLS(mica_read.term.huge, term, mica_read(&it, UINT32_MAX));
    NULLS(mica_write.term.unfit, term, mica_write(&it, 1));
    NULLS(mica_write.term.tag, term, mica_write(&it, 2));
    NULLS(mica_write.term.beyond, term, mica_write(&it, 3));
    NULLS(mica_write.term.huge, term, mica_write(&it, UINT32_MAX));
    NULLS(mica_read_row.term.unfit, term, mica_read_row(&with, 0, 0));
    NULLS(mica_read_row.term.tag, term, mica_read_row(&it, 2, 0));
    NULLS(mica_read_row.term.beyond, term, mica_read_row(&it, 3, 0));
    NULLS(mica_read_row.term.huge, term, mica_read_row(&it, UINT32_MAX, 0));
    NULLS(mica_read_row.row.beyond, MICA_ERROR_ARGUMENT, mica_read_row(&it, 0, it.count));
    NULLS(mica_read_row.row.huge, MICA_ERROR_ARGUMENT, mica_read_row(&it, 0, UINT32_MAX));
    NULLS(mica_load_row.term.unfit, term, mica_load_row(&with, 0, 0, xy, 8));
    NULLS(mica_load_row.term.tag, term, mica_load_row(&it, 2, 0, xy, 8));
    NULLS(mica_load_row.term.beyond, term, mica_load_row(&it, 3, 0, xy, 8));
    NULLS(mica_load_row.term.huge, term, mica_load_row(&it, UINT32_MAX, 0, xy, 8));
    NULLS(mica_load_row.row.beyond, MICA_ERROR_ARGUMENT, mica_load_row(&it, 0, it.count, xy, 8));
    NULLS(mica_load_row.row.huge, MICA_ERROR_ARGUMENT, mica_load_row(&it, 0, UINT32_MAX, xy, 8));
    NULLS(mica_load_row.value_out.null, MICA_ERROR_NULL, mica_load_row(&it, 0, 0, NULL, 8));
    NULLS(mica_load_row.size.zero, MICA_ERROR_SIZE, mica_load_row(&it, 0, 0, xy, 0));
    NULLS(mica_load_row.size.wrong, MICA_ERROR_SIZE, mica_load_row(&it, 0, 0, xy, 4));
    NULLS(mica_load_row.size.huge, MICA_ERROR_SIZE, mica_load_row(&it, 0, 0, xy, UINT32_MAX));
    FAILS(mica_store_row.term.unfit, term, mica_store_row(&it, 1, 0, xy, 8));
    FAILS(mica_store_row.term.tag, term, mica_store_row(&it, 2, 0, xy, 8));
    FAILS(mica_store_row.term.beyond, term, mica_store_row(&it, 3, 0, xy, 8));
    FAILS(mica_store_row.term.huge, term, mica_store_row(&it, UINT32_MAX, 0, xy, 8));
    FAILS(mica_store_row.row.beyond, MICA_ERROR_ARGUMENT, mica_store_row(&it, 0, it.count, xy, 8));
    FAILS(mica_store_row.row.huge, MICA_ERROR_ARGUMENT, mica_store_row(&it, 0, UINT32_MAX, xy, 8));
    FAILS(mica_store_row.value.null, MICA_ERROR_NULL, mica_store_row(&it, 0, 0, NULL, 8));
    FAILS(mica_store_row.size.zero, MICA_ERROR_SIZE, mica_store_row(&it, 0, 0, xy, 0));
    FAILS(mica_store_row.size.wrong, MICA_ERROR_SIZE, mica_store_row(&it, 0, 0, xy, 4));
    FAILS(mica_store_row.size.huge, MICA_ERROR_SIZE, mica_store_row(&it, 0, 0, xy, UINT32_MAX));
    SILENT(mica_read_enabled.term.unfit, mica_read_enabled(&with, 0, 0) != 0);
    SILENT(mica_read_enabled.term.tag, mica_read_enabled(&it, 2, 0) != 0);
    NULLS(mica_read_enabled.term.beyond, term, mica_read_enabled(&it, 3, 0));
    NULLS(mica_read_enabled.term.huge, term, mica_read_enabled(&it, UINT32_MAX, 0));
    NULLS(mica_read_enabled.row.beyond, MICA_ERROR_ARGUMENT, mica_read_enabled(&it, 0, it.count));
    NULLS(mica_read_enabled.row.huge, MICA_ERROR_ARGUMENT, mica_read_enabled(&it, 0, UINT32_MAX));
    NULLS(mica_write_row.term.unfit, term, mica_write_row(&it, 1, 0));
    NULLS(mica_write_row.term.tag, term, mica_write_row(&it, 2, 0));
    NULLS(mica_write_row.term.beyond, term, mica_write_row(&it, 3, 0));
    NULLS(mica_write_row.term.huge, term, mica_write_row(&it, UINT32_MAX, 0));
    NULLS(mica_write_row.row.beyond, MICA_ERROR_ARGUMENT, mica_write_row(&it, 0, it.count));
    NULLS(mica_write_row.row.huge, MICA_ERROR_ARGUMENT, mica_write_row(&it, 0, UINT32_MAX));
    NULLS(mica_read_field.term.unfit, term, mica_read_field(&with, 0, 0, 4, NULL).base);
    NULLS(mica_read_field.term.tag, term, mica_read_field(&it, 2, 0, 4, NULL).base);
    NULLS(mica_read_field.term.beyond, term, mica_read_field(&it, 3, 0, 4, NULL).base);
    NULLS(mica_read_field.term.huge, term, mica_read_field(&it, UINT32_MAX, 0, 4, NULL).base);
    NULLS(mica_read_field.offset.beyond, MICA_ERROR_FIELD,
          mica_read_field(&it, 0, 8, 4, NULL).base);
    NULLS(mica_read_field.offset.huge, MICA_ERROR_FIELD,
          mica_read_field(&it, 0, UINT32_MAX, 4, NULL).base);
    NULLS(mica_read_field.size.zero, MICA_ERROR_FIELD, mica_read_field(&it, 0, 0, 0, NULL).base);
    NULLS(mica_read_field.size.wrong, MICA_ERROR_FIELD, mica_read_field(&it, 0, 4, 8, NULL).base);
    NULLS(mica_read_field.size.huge, MICA_ERROR_FIELD,
          mica_read_field(&it, 0, 4, UINT32_MAX, NULL).base);
    NULLS(mica_write_field.term.unfit, term, mica_write_field(&it, 1, 0, 4, NULL).base);
    NULLS(mica_write_field.term.tag, term, mica_write_field(&it, 2, 0, 4, NULL).base);
    NULLS(mica_write_field.term.beyond, term, mica_write_field(&it, 3, 0, 4, NULL).base);
    NULLS(mica_write_field.term.huge, term, mica_write_field(&it, UINT32_MAX, 0, 4, NULL).base);
    NULLS(mica_write_field.offset.beyond, MICA_ERROR_FIELD,
          mica_write_field(&it, 0, 8, 4, NULL).base);
    NULLS(mica_write_field.offset.huge, MICA_ERROR_FIELD,
          mica_write_field(&it, 0, UINT32_MAX, 4, NULL).base);
    NULLS(mica_write_field.size.zero, MICA_ERROR_FIELD, mica_write_field(&it, 0, 0, 0, NULL).base);
    NULLS(mica_write_field.size.wrong, MICA_ERROR_FIELD, mica_write_field(&it, 0, 4, 8, NULL).base);
    NULLS(mica_write_field.size.huge, MICA_ERROR_FIELD,
          mica_write_field(&it, 0, 4, UINT32_MAX, NULL).base);
    NULLS(mica_read_as.term.unfit, term, mica_read_as(&with, 0, 8, NULL));
    NULLS(mica_read_as.term.tag, term, mica_read_as(&it, 2, 8, NULL));
    NULLS(mica_read_as.term.beyond, term, mica_read_as(&it, 3, 8, NULL));
    NULLS(mica_read_as.term.huge, term, mica_read_as(&it, UINT32_MAX, 8, NULL));
    NULLS(mica_read_as.size.zero, MICA_ERROR_SIZE, mica_read_as(&it, 0, 0, NULL));
    NULLS(mica_read_as.size.wrong, MICA_ERROR_SIZE, mica_read_as(&it, 0, 4, NULL));
    NULLS(mica_read_as.size.huge, MICA_ERROR_SIZE, mica_read_as(&it, 0, UINT32_MAX, NULL));
    NULLS(mica_write_as.term.unfit, term, mica_write_as(&it, 1, 4, NULL));
    NULLS(mica_write_as.term.tag, term, mica_write_as(&it, 2, 8, NULL));
    NULLS(mica_write_as.term.beyond, term, mica_write_as(&it, 3, 8, NULL));
    NULLS(mica_write_as.term.huge, term, mica_write_as(&it, UINT32_MAX, 8, NULL));
    NULLS(mica_write_as.size.zero, MICA_ERROR_SIZE, mica_write_as(&it, 0, 0, NULL));
    NULLS(mica_write_as.size.wrong, MICA_ERROR_SIZE, mica_write_as(&it, 0, 4, NULL));
    NULLS(mica_write_as.size.huge, MICA_ERROR_SIZE, mica_write_as(&it, 0, UINT32_MAX, NULL));
    mica_iter_end(&with);
    mica_iter_end(&it);
    table_end(t);
}

static void targets_of_queries_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query of = mica_query_new(w, &(mica_query_desc){.of = {.relation = t->near}});
    table_settle(t);
    NULL_WORLD(mica_query_set_of, FAILS, mica_query_set_of(w, of, t->full));
    ALLOWED(mica_query_set_of, !mica_query_set_of(w, of, t->full));
    BAD_QUERIES(mica_query_set_of.query, FAILS, MICA_ERROR_QUERY, mica_query_set_of(w, x, t->full));
    SILENT(mica_query_set_of.target.none, !mica_query_set_of(w, of, (mica_entity){0}));
    for (uint32_t k = 1; k < ENTITY_KINDS; k++) {
        FAILS_("mica_query_set_of.target", entity_kinds[k], MICA_ERROR_ENTITY,
               mica_query_set_of(w, of, t->entities[k]));
    }
    table_end(t);
}

TESTS(table_query, queries_refuse_bad_arguments, targets_of_queries_refuse_bad_arguments,
      changes_by_query_refuse_bad_arguments, beginning_to_iterate_refuses_bad_arguments,
      going_on_refuses_bad_iterations, values_of_iterations_refuse_bad_arguments)
