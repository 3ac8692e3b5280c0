// The rows of <mica/world.h>, <mica/error.h>, <mica/memory.h>, <mica/debug.h> and <mica/api.h>.
#include "negative/table.h"

#include <string.h>

static bool makes_world(const mica_world_desc *desc)
{
    mica_world *made = mica_world_new(desc);
    return made && !mica_world_free(made);
}

static void worlds_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_world_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_world_desc unended = {.last_zero = 1};
    const mica_world_desc oversized = {.max_types = UINT32_MAX};

    SILENT(mica_world_new.desc.null, makes_world(NULL));
    SILENT(mica_world_new.desc.zeroed, makes_world(&(mica_world_desc){0}));
    APART(NULLS(mica_world_new.desc.garbage, MICA_ERROR_DESC, mica_world_new(&garbage)));
    APART(NULLS(mica_world_new.desc.unended, MICA_ERROR_DESC, mica_world_new(&unended)));
    APART(NULLS(mica_world_new.desc.oversized, MICA_ERROR_ARGUMENT, mica_world_new(&oversized)));

    NULL_WORLD_IS_FINE(mica_world_free, !mica_world_free(w));
    REFUSED(mica_world_free, FAILS, mica_world_free(w));
    NULL_WORLD(mica_world_end_iterations, NULLS, mica_world_end_iterations(w));
    ALLOWED(mica_world_end_iterations,
            mica_world_end_iterations(w) == 1 && !mica_iter_begin(w, t->movers, &t->open));
    NULL_WORLD(mica_world_check_change, FAILS, mica_world_check_change(w));
    ALLOWED(mica_world_check_change, mica_world_check_change(w) == MICA_ERROR_ITERATING);
    NULL_WORLD(mica_world_clear, FAILS, mica_world_clear(w));
    REFUSED(mica_world_clear, FAILS, mica_world_clear(w));
    NULL_WORLD(mica_world_validate, FAILS, mica_world_validate(w));
    ALLOWED(mica_world_validate, !mica_world_validate(w));
    table_end(t);
}

static void errors_and_memory_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    test_error *record = &t->own.error;
    const char *const unknown = "MICA_ERROR_UNKNOWN";

    SILENT(mica_result_name.code.beyond, !strcmp(mica_result_name(MICA_RESULT_COUNT), unknown));
    SILENT(mica_result_name.code.negative, !strcmp(mica_result_name((mica_result)-1), unknown));
    SILENT(mica_result_text.code.beyond,
           !strcmp(mica_result_text(MICA_RESULT_COUNT), "no such code"));
    SILENT(mica_result_text.code.negative,
           !strcmp(mica_result_text((mica_result)-1), "no such code"));

    NULL_WORLD_IS_FINE(mica_last_error, !mica_last_error(w));
    ALLOWED(mica_last_error, mica_last_error(w)->code == MICA_OK);
    NULL_WORLD_IS_FINE(mica_clear_error, (mica_clear_error(w), true));
    ALLOWED(mica_clear_error, (mica_clear_error(w), true));

    NULL_WORLD(mica_world_set_error_handler, FAILS,
               mica_world_set_error_handler(w, test_error_record, record));
    ALLOWED(mica_world_set_error_handler,
            !mica_world_set_error_handler(w, test_error_record, record));
    SILENT(mica_world_set_error_handler.handler.null,
           !mica_world_set_error_handler(w, NULL, record) &&
               !mica_world_set_error_handler(w, test_error_record, record));
    SILENT(mica_world_set_error_handler.user.null,
           !mica_world_set_error_handler(w, test_error_record, NULL) &&
               !mica_world_set_error_handler(w, test_error_record, record));
    NULL_WORLD(mica_world_set_abort_on_error, FAILS, mica_world_set_abort_on_error(w, true));
    ALLOWED(mica_world_set_abort_on_error, !mica_world_set_abort_on_error(w, false));

    NULL_WORLD(mica_world_allocator, NULLS, mica_world_allocator(w).resize);
    ALLOWED(mica_world_allocator, mica_world_allocator(w).resize != NULL);
    table_end(t);
}

static void debugging_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;

    NULL_WORLD(mica_world_get_stats, NULLS, mica_world_get_stats(w).entities);
    ALLOWED(mica_world_get_stats, mica_world_get_stats(w).entities == 4);
    NULL_WORLD(mica_type_get_stats, NULLS, mica_type_get_stats(w, t->position).tables);
    ALLOWED(mica_type_get_stats, mica_type_get_stats(w, t->position).rows == 2);
    BAD_TYPES(mica_type_get_stats.type, NULLS, MICA_ERROR_TYPE, mica_type_get_stats(w, x).tables);

    NULL_WORLD(mica_world_hash, NULLS, mica_world_hash(w));
    ALLOWED(mica_world_hash, mica_world_hash(w) != 0);
    NULL_WORLD(mica_world_digest, NULLS, mica_world_digest(w));
    ALLOWED(mica_world_digest, mica_world_digest(w) != 0);
    NULL_WORLD(mica_world_compact, FAILS, mica_world_compact(w));
    REFUSED(mica_world_compact, FAILS, mica_world_compact(w));
    NULL_WORLD(mica_world_reclaim, FAILS, mica_world_reclaim(w));
    REFUSED(mica_world_reclaim, FAILS, mica_world_reclaim(w));
    table_end(t);
}

TESTS(table_world, worlds_refuse_bad_arguments, errors_and_memory_refuse_bad_arguments,
      debugging_refuses_bad_arguments)
