// A program that succeeds if the library aborts it, after calling the error handler:
//
//   abort desc   the world was made with abort_on_error
//   abort set    it was switched on later, after errors that did not abort
//   abort apart  commands that fail together and go well apart do not abort, one that fails does
//
// A program of its own, because abort() does not return to a test runner.
#include <mica.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t handler_calls;
static volatile sig_atomic_t expected_calls;

static void count_error(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    (void)error;
    (void)user;
    handler_calls++;
}

static void end_well(int signal_number)
{
    (void)signal_number;
    _Exit(handler_calls == expected_calls ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void expect_end(void)
{
    expected_calls = handler_calls + 1;
    signal(SIGABRT, end_well);
}

static int failures; // that are to come

static mica_result construct(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)context;
    memset(target, 0, count * sizeof(int));
    return failures-- > 0 ? MICA_ERROR_HOOK : MICA_OK;
}

static void carry_out(mica_world *world, mica_type type, mica_type tag, int how_many_fail)
{
    mica_world *later = mica_world_later(world);
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    mica_add(later, entity, type);
    mica_add(later, entity, tag);
    failures = how_many_fail;
    mica_commands_apply(world);
}

int main(int argument_count, char **arguments)
{
    bool from_desc = argument_count == 2 && strcmp(arguments[1], "desc") == 0;
    bool from_set = argument_count == 2 && strcmp(arguments[1], "set") == 0;
    bool apart = argument_count == 2 && strcmp(arguments[1], "apart") == 0;
    if (!from_desc && !from_set && !apart) {
        fprintf(stderr, "usage: abort desc|set|apart\n");
        return 2;
    }
    mica_world *world = mica_world_new(
        &(mica_world_desc){.error_handler = count_error, .abort_on_error = from_desc || apart});
    if (from_set) {
        mica_despawn(world, (mica_entity){0});
        mica_world_set_abort_on_error(world, true);
    }
    if (apart) {
        mica_type type = mica_type_register(world, &(mica_type_desc){.name = "Failing",
                                                                     .size = sizeof(int),
                                                                     .align = _Alignof(int),
                                                                     .hooks.construct = construct});
        mica_type tag = MICA_TAG(world, Tag);
        carry_out(world, type, tag, 1);
        expect_end();
        carry_out(world, type, tag, 2);
    } else {
        expect_end();
        mica_despawn(world, (mica_entity){0});
    }
    fprintf(stderr, "abort: still here after an error\n");
    return EXIT_FAILURE;
}
