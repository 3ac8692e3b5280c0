// The rows of <mica/command.h>.
#include "negative/table.h"

static void do_nothing(mica_world *world, const void *data)
{
    (void)world, (void)data;
}

static void commands_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_world *own = mica_commands_new(w);
    mica_world_later(w);
    table_settle(t);

    BAD_ITERS(mica_later.it, NULLS, MICA_ERROR_ITERATOR, mica_later(x));

    NULL_WORLD(mica_world_later, NULLS, mica_world_later(w));
    ALLOWED(mica_world_later, mica_world_later(w) != NULL);

    NULL_WORLD(mica_commands_new, NULLS, mica_commands_new(w));
    ALLOWED(mica_commands_new, !mica_commands_free(mica_commands_new(w)));

    APART(FAILS(mica_commands_apply.commands.null, MICA_ERROR_NULL, mica_commands_apply(NULL)));
    APART(FAILS(mica_commands_discard.commands.null, MICA_ERROR_NULL, mica_commands_discard(NULL)));
    APART(NULLS(mica_commands_count.commands.null, MICA_ERROR_NULL, mica_commands_count(NULL)));
    SILENT(mica_commands_free.commands.null, !mica_commands_free(NULL));
    table_open(t);
    FAILS(mica_commands_apply.commands.iterating, MICA_ERROR_ITERATING, mica_commands_apply(own));
    SILENT(mica_commands_discard.commands.iterating, !mica_commands_discard(own));
    SILENT(mica_commands_count.commands.iterating, mica_commands_count(own) == 0);
    table_close(t);
    WORKS(mica_commands_free.commands.iterating,
          (table_open(t), mica_commands_free(own) == MICA_OK && (table_close(t), true)));

    NULL_WORLD(mica_defer_call, FAILS, mica_defer_call(w, do_nothing, NULL, 0));
    REFUSED(mica_defer_call, FAILS, mica_defer_call(w, do_nothing, NULL, 0));
    FAILS(mica_defer_call.function.null, MICA_ERROR_NULL, mica_defer_call(w, NULL, NULL, 0));
    FAILS(mica_defer_call.data.null, MICA_ERROR_NULL, mica_defer_call(w, do_nothing, NULL, 4));
    SILENT(mica_defer_call.size.zero, !mica_defer_call(w, do_nothing, t, 0));
    table_end(t);
}

TESTS(table_command, commands_refuse_bad_arguments)
