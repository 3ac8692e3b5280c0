// The rows of <mica/event.h>.
#include "negative/table.h"

static void events_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_type p = t->position;
    const float xy[2] = {1, 2};
    const mica_value good = {p, xy, 8, 1, NULL};
    const mica_value wrong_size = {p, xy, 4, 1, NULL};
    const mica_value tag_data = {t->tag, xy, 8, 1, NULL};
    const mica_value twice[] = {good, good};
    const mica_value then_none[] = {good, {(mica_type){0}, NULL, 0, 0, NULL}};
    mica_cursor cursor = {0};
    mica_cursor other = {.type = t->weight};
    mica_cursor misnamed = {.name = "a\n"};
    mica_iter it;
    uint32_t count;
    CHECK_EQUAL(MICA_OK, mica_send_values(w, &good, 1));
    table_settle(t);

    NULL_WORLD(mica_send_values, FAILS, mica_send_values(w, &good, 1));
    ALLOWED(mica_send_values, !mica_send_values(w, NULL, 0));
    FAILS(mica_send_values.values.null, MICA_ERROR_NULL, mica_send_values(w, NULL, 1));
    WITH_BAD_TYPES(mica_send_values.values, FAILS, MICA_ERROR_TYPE,
                   mica_send_values(w, (const mica_value[]){good, {x, NULL, 0, 0, NULL}}, 2));
    FAILS(mica_send_values.values.with_size, MICA_ERROR_SIZE, mica_send_values(w, &wrong_size, 1));
    FAILS(mica_send_values.values.with_tag_data, MICA_ERROR_SIZE,
          mica_send_values(w, &tag_data, 1));
    SILENT(mica_send_values.count.zero, !mica_send_values(w, NULL, 0));
    FAILS(mica_send_values.count.huge, MICA_ERROR_TYPE, mica_send_values(w, then_none, 1000000));

    NULL_WORLD(mica_events, NULLS, mica_events(w, p, &cursor, &count));
    ALLOWED(mica_events, mica_events(w, p, &(mica_cursor){0}, &count));
    BAD_TYPES(mica_events.type, NULLS, MICA_ERROR_TYPE, mica_events(w, x, &cursor, &count));
    NULLS(mica_events.cursor.null, MICA_ERROR_NULL, mica_events(w, p, NULL, &count));
    NULLS(mica_events.cursor.foreign, MICA_ERROR_ARGUMENT, mica_events(w, p, &other, &count));
    NULLS(mica_events.cursor.misnamed, MICA_ERROR_NAME, mica_events(w, p, &misnamed, &count));
    NULLS(mica_events.count_out.null, MICA_ERROR_NULL, mica_events(w, p, &cursor, NULL));

    NULL_WORLD(mica_events_as, NULLS, mica_events_as(w, p, 8, NULL, &cursor, &count));
    ALLOWED(mica_events_as, mica_events_as(w, p, 8, NULL, &(mica_cursor){0}, &count));
    BAD_TYPES(mica_events_as.type, NULLS, MICA_ERROR_TYPE,
              mica_events_as(w, x, 8, NULL, &cursor, &count));
    NULLS(mica_events_as.size.zero, MICA_ERROR_SIZE,
          mica_events_as(w, p, 0, NULL, &cursor, &count));
    NULLS(mica_events_as.size.wrong, MICA_ERROR_SIZE,
          mica_events_as(w, p, 4, NULL, &cursor, &count));
    NULLS(mica_events_as.size.huge, MICA_ERROR_SIZE,
          mica_events_as(w, p, UINT32_MAX, NULL, &cursor, &count));
    NULLS(mica_events_as.cursor.null, MICA_ERROR_NULL, mica_events_as(w, p, 8, NULL, NULL, &count));
    NULLS(mica_events_as.cursor.foreign, MICA_ERROR_ARGUMENT,
          mica_events_as(w, p, 8, NULL, &other, &count));
    NULLS(mica_events_as.cursor.misnamed, MICA_ERROR_NAME,
          mica_events_as(w, p, 8, NULL, &misnamed, &count));
    NULLS(mica_events_as.count_out.null, MICA_ERROR_NULL,
          mica_events_as(w, p, 8, NULL, &cursor, NULL));

    NULL_WORLD(mica_cursor_remove, FAILS, mica_cursor_remove(w, "a"));
    ALLOWED(mica_cursor_remove, !mica_cursor_remove(w, "a"));
    FAILS(mica_cursor_remove.name.null, MICA_ERROR_NULL, mica_cursor_remove(w, NULL));
    BAD_NAMES(mica_cursor_remove.name, FAILS, MICA_ERROR_NAME, mica_cursor_remove(w, x));
    SILENT(mica_cursor_remove.name.taken, !mica_cursor_remove(w, "taken"));

    mica_iter_begin(w, t->nobody, &it);
    table_settle(t);
    BAD_ITERS(mica_events_unread.it, NULLS, MICA_ERROR_ITERATOR, mica_events_unread(x, p, &count));
    BAD_TYPES(mica_events_unread.type, NULLS, MICA_ERROR_TYPE, mica_events_unread(&it, x, &count));
    NULLS(mica_events_unread.count_out.null, MICA_ERROR_NULL, mica_events_unread(&it, p, NULL));

    BAD_ITERS(mica_events_unread_as.it, NULLS, MICA_ERROR_ITERATOR,
              mica_events_unread_as(x, p, 8, NULL, &count));
    BAD_TYPES(mica_events_unread_as.type, NULLS, MICA_ERROR_TYPE,
              mica_events_unread_as(&it, x, 8, NULL, &count));
    NULLS(mica_events_unread_as.size.zero, MICA_ERROR_SIZE,
          mica_events_unread_as(&it, p, 0, NULL, &count));
    NULLS(mica_events_unread_as.size.wrong, MICA_ERROR_SIZE,
          mica_events_unread_as(&it, p, 4, NULL, &count));
    NULLS(mica_events_unread_as.size.huge, MICA_ERROR_SIZE,
          mica_events_unread_as(&it, p, UINT32_MAX, NULL, &count));
    NULLS(mica_events_unread_as.count_out.null, MICA_ERROR_NULL,
          mica_events_unread_as(&it, p, 8, NULL, NULL));
    mica_iter_end(&it);
    table_settle(t);

    WORKS(mica_send_values.values.with_twice, !mica_send_values(w, twice, 2));
    table_end(t);
}

TESTS(table_event, events_refuse_bad_arguments)
