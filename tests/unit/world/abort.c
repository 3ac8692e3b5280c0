// A program that succeeds if the library aborts it, after calling the error handler:
//
//   abort desc   the world was made with abort_on_error
//   abort set    it was switched on later, after errors that did not abort
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

int main(int argument_count, char **arguments)
{
    bool from_desc = argument_count == 2 && strcmp(arguments[1], "desc") == 0;
    bool from_set = argument_count == 2 && strcmp(arguments[1], "set") == 0;
    if (!from_desc && !from_set) {
        fprintf(stderr, "usage: abort desc|set\n");
        return 2;
    }
    mica_world *world = mica_world_new(
        &(mica_world_desc){.error_handler = count_error, .abort_on_error = from_desc});
    if (from_set) {
        mica_despawn(world, mica_entity_none());
        mica_world_set_abort_on_error(world, true);
    }
    expected_calls = handler_calls + 1;
    signal(SIGABRT, end_well);
    mica_despawn(world, mica_entity_none());
    fprintf(stderr, "abort: still here after an error\n");
    return EXIT_FAILURE;
}
