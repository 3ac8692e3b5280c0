// The rows of what compares names of C types, whichever header it is in.
#include "negative/table.h"

static void types_are_reported_by_their_names(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_iter it;
    mica_iter_begin(w, t->movers, &it);
    REQUIRE(mica_iter_next(&it));
    const mica_result code = MICA_ERROR_C_TYPE;
    SILENT(mica_read_as.c_type.null, mica_read_as(&it, 0, 8, NULL));
    NULLS(mica_read_as.c_type.other, code, mica_read_as(&it, 0, 8, "Velocity"));
    SILENT(mica_write_as.c_type.null, mica_write_as(&it, 0, 8, NULL));
    NULLS(mica_write_as.c_type.other, code, mica_write_as(&it, 0, 8, "Velocity"));
    SILENT(mica_read_field.c_type.null, mica_read_field(&it, 0, 0, 4, NULL).base);
    NULLS(mica_read_field.c_type.other, code, mica_read_field(&it, 0, 0, 4, "Velocity").base);
    SILENT(mica_write_field.c_type.null, mica_write_field(&it, 0, 0, 4, NULL).base);
    NULLS(mica_write_field.c_type.other, code, mica_write_field(&it, 0, 0, 4, "Velocity").base);
    mica_iter_end(&it);
    table_end(t);
}

static void values_are_got_by_the_names_of_their_types(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_type p = t->position;
    const mica_result code = MICA_ERROR_C_TYPE;
    SILENT(mica_get_as.c_type.null, mica_get_as(w, t->full, p, 8, NULL));
    NULLS(mica_get_as.c_type.other, code, mica_get_as(w, t->full, p, 8, "Velocity"));
    SILENT(mica_get_mut_as.c_type.null, mica_get_mut_as(w, t->full, p, 8, NULL));
    NULLS(mica_get_mut_as.c_type.other, code, mica_get_mut_as(w, t->full, p, 8, "Velocity"));
    SILENT(mica_try_get_as.c_type.null, mica_try_get_as(w, t->full, p, 8, NULL));
    NULLS(mica_try_get_as.c_type.other, code, mica_try_get_as(w, t->full, p, 8, "Velocity"));

    const mica_accessor *positions = &t->positions;
    SILENT(mica_accessor_get_as.c_type.null, mica_accessor_get_as(positions, t->full, 8, NULL));
    NULLS(mica_accessor_get_as.c_type.other, code,
          mica_accessor_get_as(positions, t->full, 8, "Velocity"));
    SILENT(mica_accessor_get_mut_as.c_type.null,
           mica_accessor_get_mut_as(positions, t->full, 8, NULL));
    NULLS(mica_accessor_get_mut_as.c_type.other, code,
          mica_accessor_get_mut_as(positions, t->full, 8, "Velocity"));

    const int32_t xy[2] = {1, 2};
    const mica_value good = {p, xy, 8, 1, NULL};
    CHECK_EQUAL(MICA_OK, mica_resource_set_values(w, &good, 1));
    CHECK_EQUAL(MICA_OK, mica_send_values(w, &good, 1));
    table_settle(t);
    SILENT(mica_resource_get_as.c_type.null, mica_resource_get_as(w, p, 8, NULL));
    NULLS(mica_resource_get_as.c_type.other, code, mica_resource_get_as(w, p, 8, "Velocity"));
    SILENT(mica_resource_get_mut_as.c_type.null, mica_resource_get_mut_as(w, p, 8, NULL));
    NULLS(mica_resource_get_mut_as.c_type.other, code,
          mica_resource_get_mut_as(w, p, 8, "Velocity"));

    mica_cursor cursor = {0};
    uint32_t count = 7;
    NULLS(mica_events_as.c_type.other, code, mica_events_as(w, p, 8, "Velocity", &cursor, &count));
    CHECK_EQUAL(0, count);
    SILENT(mica_events_as.c_type.null, mica_events_as(w, p, 8, NULL, &cursor, &count));
    mica_iter it; // right, but no system's
    mica_iter_begin(w, t->nobody, &it);
    NULLS(mica_events_unread_as.c_type.other, code,
          mica_events_unread_as(&it, p, 8, "Velocity", &count));
    NULLS(mica_events_unread_as.c_type.null, MICA_ERROR_ITERATOR,
          mica_events_unread_as(&it, p, 8, NULL, &count));
    mica_iter_end(&it);
    table_end(t);
}

// A value of another C type than its component's, as MICA_VALUE() makes it.
static void values_are_given_with_the_names_of_their_types(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const Position velocity = {1, 2};
    const mica_value other = {t->position, &velocity, sizeof velocity, 0, "Velocity"};
    const mica_result code = MICA_ERROR_C_TYPE;

    NONES(mica_spawn_values.values.with_c_type, code, mica_spawn_values(w, &other, 1));
    FAILS(mica_set_values.values.with_c_type, code, mica_set_values(w, t->bare, &other, 1));
    FAILS(mica_change.values.with_c_type, code, mica_change(w, t->bare, &other, 1, NULL, 0));
    FAILS(mica_resource_set_values.values.with_c_type, code,
          mica_resource_set_values(w, &other, 1));
    NONES(mica_facet_add_values.values.with_c_type, code,
          mica_facet_add_values(w, t->bare, t->tag, 0, &other, 1));
    FAILS(mica_send_values.values.with_c_type, code, mica_send_values(w, &other, 1));
    table_end(t);
}

TESTS(table_c_type, types_are_reported_by_their_names, values_are_got_by_the_names_of_their_types,
      values_are_given_with_the_names_of_their_types)
