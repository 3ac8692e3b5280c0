// Tests of src/core/hook.c and gate.h.
#include "core/hook.h"

#include <string.h>

#include "runner/host.h"
#include "runner/test.h"
#include "unit/tracked.h"

typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_slots slots;
    micai_gate gate;
    uint32_t busy;
    tracker tracker;
    mica_entity entity;
} fixture;

static void fixture_begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->host = test_host_begin(&f->t);
    micai_slots_init(&f->slots, 0);
    f->gate = (micai_gate){.host = f->host, .slots = &f->slots, .busy = &f->busy};
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve(f->host, &f->slots, 1));
    f->entity = micai_slots_take(&f->slots, 0);
    tracker_begin(&f->tracker);
}

// The gate is as it was: G1, G2.
static void check_open(fixture *f)
{
    CHECK_EQUAL(0, f->busy);
    CHECK_POINTER(NULL, f->host->hook);
    CHECK_POINTER(NULL, f->host->hooked);
    CHECK(micai_slots_find(&f->slots, f->entity) != NULL);
}

static void fixture_end(fixture *f)
{
    check_open(f);
    CHECK_TRACKED(&f->tracker, 0);
    micai_slots_free(f->host, &f->slots);
    test_host_end(&f->t);
}

static micai_type make_tracked(fixture *f, bool has_move)
{
    mica_type_desc desc = tracked_desc(&f->tracker, "Tracked", has_move);
    return (micai_type){.info = {.name = desc.name,
                                 .size = desc.size,
                                 .align = desc.align,
                                 .hooks = desc.hooks,
                                 .user = desc.user}};
}

TEST_WITH(fixture, f, without_hooks_values_are_their_bytes)
{
    const micai_type zeroed = {.info = {.name = "Zeroed", .size = 4}};
    const int32_t seven = 7;
    const micai_type seventh = {.info = {.name = "Seven", .size = 4, .default_value = &seven}};
    int32_t values[3] = {1, 2, 3};
    int32_t others[3] = {0};
    CHECK(micai_hook_has_none(&zeroed) && micai_hook_can_copy(&zeroed));
    CHECK_EQUAL(MICA_OK, micai_hook_copy(&f->gate, &zeroed, others, values, 2));
    CHECK(others[0] == 1 && others[1] == 2 && others[2] == 0);
    micai_hook_relocate(&f->gate, &zeroed, others + 1, values + 1, 2);
    CHECK(others[1] == 2 && others[2] == 3);
    CHECK_EQUAL(MICA_OK, micai_hook_construct(&f->gate, &zeroed, values, 2));
    CHECK(values[0] == 0 && values[1] == 0 && values[2] == 3);
    CHECK_EQUAL(MICA_OK, micai_hook_construct(&f->gate, &seventh, values + 1, 2));
    CHECK(values[0] == 0 && values[1] == 7 && values[2] == 7);
    micai_hook_destruct(&f->gate, &zeroed, values, 3);
    micai_hook_undo_copy(&f->gate, &zeroed, others, values, 3);
    CHECK(values[2] == 7 && others[2] == 3);
}

// B4
static void a_value_is_made_once_and_ended_once(void)
{
    for (int has_move = 0; has_move < 2; has_move++) {
        fixture f;
        fixture_begin(&f);
        micai_type type = make_tracked(&f, has_move);
        CHECK(!micai_hook_has_none(&type) && micai_hook_can_copy(&type));
        tracked values[4] = {0};
        tracked others[4] = {0};
        CHECK_EQUAL(MICA_OK, micai_hook_construct(&f.gate, &type, values, 4));
        CHECK_TRACKED(&f.tracker, 4);
        CHECK_EQUAL(MICA_OK, micai_hook_copy(&f.gate, &type, others, values, 4));
        CHECK_TRACKED(&f.tracker, 8);
        micai_hook_destruct(&f.gate, &type, values, 4);
        micai_hook_relocate(&f.gate, &type, values, others, 4);
        CHECK_TRACKED(&f.tracker, 4);
        CHECK_EQUAL(has_move ? 4 : 0, f.tracker.moves);
        CHECK(tracked_is(&f.tracker, &values[3], TRACKED_DEFAULT));
        micai_hook_undo_copy(&f.gate, &type, values, others, 4);
        fixture_end(&f);
    }
}

TEST_WITH(fixture, f, no_hook_is_called_for_no_values)
{
    micai_type type = make_tracked(f, true);
    tracked value = {0};
    CHECK_EQUAL(MICA_OK, micai_hook_construct(&f->gate, &type, &value, 0));
    CHECK_EQUAL(MICA_OK, micai_hook_copy(&f->gate, &type, &value, &value, 0));
    micai_hook_relocate(&f->gate, &type, &value, &value, 0);
    micai_hook_destruct(&f->gate, &type, &value, 0);
    CHECK_TRACKED(&f->tracker, 0); // a hook for none is an error there
}

static void what_cannot_be_copied_is_handed_over_and_back(void)
{
    for (int has_move = 0; has_move < 2; has_move++) {
        fixture f;
        fixture_begin(&f);
        micai_type type = make_tracked(&f, has_move);
        type.info.hooks.copy = NULL;
        CHECK(!micai_hook_can_copy(&type));
        tracked here[2] = {0};
        tracked there[2] = {0};
        CHECK_EQUAL(MICA_OK, micai_hook_construct(&f.gate, &type, here, 2));
        CHECK_EQUAL(MICA_OK, micai_hook_copy(&f.gate, &type, there, here, 2));
        CHECK(tracked_is(&f.tracker, &there[1], TRACKED_DEFAULT));
        CHECK_EQUAL(has_move ? 2 : 0, f.tracker.moves);
        micai_hook_undo_copy(&f.gate, &type, there, here, 2);
        CHECK(tracked_is(&f.tracker, &here[1], TRACKED_DEFAULT));
        CHECK_TRACKED(&f.tracker, 2);
        micai_hook_destruct(&f.gate, &type, here, 2);
        fixture_end(&f);
    }
}

// B5, as far as it is ours: the hook keeps it, and a failure is reported.
TEST_WITH(fixture, f, a_hook_that_fails_is_named)
{
    micai_type type = make_tracked(f, false);
    tracked values[2] = {0};
    tracked others[2] = {0};
    f->tracker.until_failure = 2;
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_hook_construct(&f->gate, &type, values, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "the construct hook of 'Tracked' failed");
    CHECK_EQUAL(MICA_ERROR_HOOK, f->host->failed);
    CHECK_EQUAL(MICA_OK, micai_hook_construct(&f->gate, &type, values, 2));
    f->tracker.until_failure = 1;
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_hook_copy(&f->gate, &type, others, values, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "the copy hook of 'Tracked' failed");
    CHECK_TRACKED(&f->tracker, 2);
    check_open(f);
    micai_hook_destruct(&f->gate, &type, values, 2);
}

static mica_result fail_because(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count;
    mica_hook_explain(context, context->user);
    return MICA_ERROR_MEMORY;
}

TEST_WITH(fixture, f, a_hook_may_say_why_it_fails)
{
    char value = 0;
    micai_type type = {.info = {.name = "T", .size = 1, .hooks.construct = fail_because}};
    type.info.user = "no more\nroom";
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_hook_construct(&f->gate, &type, &value, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "the construct hook of 'T' failed: no more room");
    type.info.user = "";
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_hook_construct(&f->gate, &type, &value, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_HOOK, "the construct hook of 'T' failed");
    char longer[MICA_HOOK_WHY_SIZE + 2];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    type.info.user = longer;
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_hook_construct(&f->gate, &type, &value, 1));
    CHECK_EQUAL(strlen("the construct hook of 'T' failed: ") + MICA_HOOK_WHY_SIZE - 1,
                strlen(f->t.error.last.sentence));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
}

// What a hook is reported, and what is shut while it runs.
static void look_around(void *target, uint32_t count, const mica_hook_context *context)
{
    fixture *f = context->user;
    CHECK_EQUAL(5, count);
    CHECK_EQUAL(77, *(unsigned char *)target);
    CHECK_TEXT("Looker", context->type->name);
    CHECK_POINTER(&f->host->allocator, context->allocator);
    CHECK_EQUAL(2, f->busy); // G1
    CHECK_TEXT("destruct", f->host->hook);
    CHECK_TEXT("Looker", f->host->hooked);
    CHECK(micai_slots_find(&f->slots, f->entity) == NULL); // G2
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_slots_fail(f->host, "mica_get", f->entity));
    CHECK_TEXT("mica_get: refused inside the destruct hook of 'Looker'",
               f->host->last_error.sentence);
    CHECK_EQUAL(0, f->t.error.calls);
    CHECK_EQUAL(MICA_ERROR_HOOK, micai_slots_fail(f->host, "mica_get", (mica_entity){0}));
    CHECK_TEXT("mica_get: refused inside the destruct hook of 'Looker'",
               f->host->last_error.sentence);
    CHECK_EQUAL(0, f->t.error.calls);
    CHECK_EQUAL(MICA_ERROR_HOOK, f->host->failed);
}

TEST_WITH(fixture, f, while_a_hook_runs_the_gate_is_shut_and_nobody_is_found)
{
    unsigned char values[5] = {77};
    const micai_type type = {
        .info = {.name = "Looker", .size = 1, .hooks.destruct = look_around, .user = f}};
    f->host->failed = MICA_ERROR_LIMIT;
    micai_gate_shut(&f->gate); // an iteration is open
    micai_hook_destruct(&f->gate, &type, values, 5);
    CHECK_EQUAL(2, test_error_clear(&f->t.error)); // reported now that it is over
    CHECK_EQUAL(1, f->busy);
    micai_gate_open(&f->gate);
    CHECK_EQUAL(MICA_ERROR_LIMIT, f->host->failed); // B6
}

static void look_from_a_handler(mica_world *world, const mica_error *error, void *user)
{
    fixture *f = user;
    CHECK(!f->host->hook);
    CHECK(micai_slots_find(&f->slots, f->entity) != NULL);
    test_error_record(world, error, &f->t.error);
}

static void call_twice(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count;
    fixture *f = context->user;
    micai_slots_fail(f->host, "mica_name", f->entity);
    micai_slots_fail(f->host, "mica_get", f->entity);
    CHECK_EQUAL(0, f->t.error.calls);
}

TEST_WITH(fixture, f, the_handler_is_called_when_the_hook_is_over)
{
    f->host->error_handler = look_from_a_handler;
    f->host->error_user = f;
    const micai_type type = {
        .info = {.name = "Twice", .size = 1, .hooks.destruct = call_twice, .user = f}};
    char value = 0;
    micai_hook_destruct(&f->gate, &type, &value, 1);
    CHECK_TEXT("mica_get: refused inside the destruct hook of 'Twice'", f->t.error.last.sentence);
    CHECK_EQUAL(2, test_error_clear(&f->t.error));
}

TESTS(hook, without_hooks_values_are_their_bytes, a_value_is_made_once_and_ended_once,
      no_hook_is_called_for_no_values, what_cannot_be_copied_is_handed_over_and_back,
      a_hook_that_fails_is_named, a_hook_may_say_why_it_fails,
      while_a_hook_runs_the_gate_is_shut_and_nobody_is_found,
      the_handler_is_called_when_the_hook_is_over)
