// The rows of <mica/change_detection.h>.
#include "negative/table.h"

static void moments_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    uint64_t last = mica_world_tick(w);
    table_settle(t);

    NULL_WORLD(mica_world_tick, NULLS, mica_world_tick(w));
    WORKS(mica_world_tick.world.iterating, mica_world_tick(w) > last);
    mica_query q = mica_query_new(w, &(mica_query_desc){.terms = {{mica_type_find(w, "Position"),
                                                                   MICA_READ | MICA_CHANGED}}});
    table_settle(t);

    NULL_WORLD(mica_query_since, NULLS, mica_query_since(w, q));
    ALLOWED(mica_query_since, mica_query_since(w, q) == 0);
    BAD_QUERIES(mica_query_since.query, NULLS, MICA_ERROR_QUERY, mica_query_since(w, x));

    NULL_WORLD(mica_query_set_since, FAILS, mica_query_set_since(w, q, 0));
    ALLOWED(mica_query_set_since, !mica_query_set_since(w, q, 0));
    BAD_QUERIES(mica_query_set_since.query, FAILS, MICA_ERROR_QUERY, mica_query_set_since(w, x, 0));
    SILENT(mica_query_set_since.moment.zero, !mica_query_set_since(w, q, 0));
    FAILS(mica_query_set_since.moment.beyond, MICA_ERROR_ARGUMENT,
          mica_query_set_since(w, q, 1000));
    FAILS(mica_query_set_since.moment.huge, MICA_ERROR_ARGUMENT,
          mica_query_set_since(w, q, UINT64_MAX));
    table_end(t);
}

static void touching_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_result term = MICA_ERROR_TERM;
    mica_type p = mica_type_find(w, "Position");
    mica_type tag = MICA_TAG(w, Marked);
    mica_add(w, t->full, tag);
    mica_query q = mica_query_new(
        w, &(mica_query_desc){.terms = {{p, MICA_WRITE | MICA_TOUCH}, {tag, MICA_WITH}}});
    table_settle(t);
    BAD_ITERS(mica_touch.it, FAILS, MICA_ERROR_ITERATOR, mica_touch(x, 0, 0));
    mica_iter it;
    mica_iter_begin(w, q, &it);
    REQUIRE(mica_iter_next(&it));
    FAILS(mica_touch.term.unfit, term, mica_touch(&it, 1, 0));
    FAILS(mica_touch.term.tag, term, mica_touch(&it, 1, 0));
    FAILS(mica_touch.term.beyond, term, mica_touch(&it, 2, 0));
    FAILS(mica_touch.term.huge, term, mica_touch(&it, UINT32_MAX, 0));
    FAILS(mica_touch.row.beyond, MICA_ERROR_ARGUMENT, mica_touch(&it, 0, it.count));
    FAILS(mica_touch.row.huge, MICA_ERROR_ARGUMENT, mica_touch(&it, 0, UINT32_MAX));
    mica_iter_end(&it);
    table_end(t);
}

TESTS(table_change, moments_refuse_bad_arguments, touching_refuses_bad_arguments)
