// hooked.h has the contract.
#include "runner/hooked.h"

#include <mica/component.h>

#include <string.h>

#include "runner/test.h"

typedef struct hooked {
    test_act *act;
    void *user;
} hooked;

static mica_result run_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    const hooked *what = *(hooked **)context->user;
    memset(target, 0, 4 * (size_t)count);
    what->act(what->user);
    return MICA_OK;
}

void test_check_hook(test_world *t, mica_world *world, test_act *act, void *user, uint32_t errors)
{
    static hooked *now; // what the hook of whichever world is to do
    hooked what = {act, user};
    mica_type type = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Hooked", .size = 4, .align = 4, .hooks.construct = run_in_hook, .user = &now});
    now = &what;
    mica_despawn(world, mica_spawn(world, MICA_ADD(type)));
    now = NULL;
    CHECK_EQUAL(MICA_ERROR_HOOK, t->error.last.code);
    CHECK_EQUAL(errors, test_error_clear(&t->error));
}
