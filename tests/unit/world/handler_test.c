// Handlers: when they run the world is whole, and what they must not do is refused.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/capture.h"
#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"
#include "unit/tracked.h"

// A world, and a handler that does in it what it is asked to do.
typedef struct witness {
    test_world t;
    mica_world *world;
    mica_type plain, tag, counted;
    mica_entity living;
    mica_query query;
    mica_bundle bundle;
    mica_accessor accessor;
    mica_system system;
    tracker tracker;
    void (*act)(struct witness *w);
    uint32_t reported, lines;
    mica_result last;
    char sentence[300];
} witness;

static void hear_error(mica_world *world, const mica_error *error, void *user)
{
    witness *w = user;
    w->reported++;
    w->last = error->code;
    snprintf(w->sentence, sizeof w->sentence, "%s", error->sentence);
    if (world) {
        test_look(world);
    }
    if (w->act) {
        w->act(w);
    }
}

static void hear_line(mica_world *world, mica_log_level level, const char *sentence, void *user)
{
    (void)level;
    witness *w = user;
    w->lines++;
    snprintf(w->sentence, sizeof w->sentence, "%s", sentence);
    test_look(world);
    if (w->act) {
        w->act(w);
    }
}

static void update(mica_iter *it)
{
    (void)it;
}

static mica_world *witness_begin(witness *w)
{
    memset(w, 0, sizeof *w);
    tracker_begin(&w->tracker);
    test_world_prepare(&w->t);
    w->t.desc.error_handler = hear_error;
    w->t.desc.log_handler = hear_line;
    w->t.desc.error_user = w->t.desc.log_user = w;
    mica_world *world = w->world = test_world_open(&w->t);
    w->plain = mica_type_register(world, &(mica_type_desc){.name = "Plain", .size = 4, .align = 4});
    w->tag = MICA_TAG(world, Tag);
    // Where a value is does not count: room that is made moves it.
    static const mica_field_info number[] = {
        {.name = "number", .kind = MICA_KIND_I64, .offset = offsetof(tracked, number)}};
    mica_type_desc desc = tracked_desc(&w->tracker, "Counted", true);
    desc.fields = number;
    desc.field_count = 1;
    w->counted = mica_type_register(world, &desc);
    w->living = mica_spawn(world, MICA_VALUE(w->plain, int32_t, 1), MICA_ADD(w->counted));
    w->query = mica_query_new(world, &(mica_query_desc){.terms = {{w->plain, MICA_READ}}});
    w->bundle = mica_bundle_new(world, &w->plain, 1);
    w->accessor = mica_accessor_new(world, w->plain);
    mica_system_desc idle = {.name = "idle", .update = update, .query.everything = true};
    w->system = mica_system_add(world, &idle);
    mica_entity_set_name(world, w->living, "Anna");
    return world;
}

static void witness_end(witness *w)
{
    w->act = NULL;
    test_world_end(&w->t);
    CHECK_TRACKED(&w->tracker, 0);
}

// What they may do

static void look(witness *w)
{
    mica_world *world = w->world;
    CHECK_EQUAL(1, *(const int32_t *)mica_get(world, w->living, w->plain));
    CHECK_EQUAL(1, *(const int32_t *)mica_accessor_get(&w->accessor, w->living));
    CHECK_EQUAL(1, *(int32_t *)mica_get_mut(world, w->living, w->plain));
    mica_accessor another = mica_accessor_new(world, w->counted);
    CHECK(tracked_is(&w->tracker, mica_accessor_get(&another, w->living), TRACKED_DEFAULT));
    CHECK(MICA_EQUAL(w->living, mica_entity_find(world, "Anna")));
    CHECK_EQUAL(1, mica_query_count(world, w->query));
    mica_iter it;
    uint32_t met = 0;
    for (mica_iter_begin(world, w->query, &it); mica_iter_next(&it);) {
        met += it.count;
    }
    CHECK_EQUAL(1, met);
    mica_type_set set = {0};
    CHECK_EQUAL(MICA_OK, mica_entity_types(world, w->living, &set));
    CHECK_EQUAL(2, mica_type_set_count(&set));
    mica_type_set_free(world, &set);
    CHECK_EQUAL(mica_world_hash(world), mica_world_hash(world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

TEST_WITH(witness, w, a_handler_may_look_at_everything)
{
    mica_world *world = w->world;
    w->act = look;
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(world, (mica_entity){0}));
    CHECK_EQUAL(1, w->reported);
    // Also while something is iterated, which goes on as it was.
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, w->query, &it));
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, w->living));
    CHECK_EQUAL(2, w->reported);
    CHECK_EQUAL(1, it.count);
    CHECK(!mica_iter_next(&it));
}

// What they may not

#define REFUSED(call) (CHECK_EQUAL(MICA_ERROR_HANDLER, call))
#define NONE(call)                                                                                 \
    (CHECK_EQUAL(0, (call).bits), CHECK_EQUAL(MICA_ERROR_HANDLER, w->world->host.failed))

static void meddle_with(witness *w, mica_entity e)
{
    mica_world *world = w->world;
    const mica_value value = MICA_VALUE(w->plain, int32_t, 2);
    REFUSED(mica_despawn(world, e));
    REFUSED(mica_despawn_many(world, &e, 1));
    REFUSED(mica_add(world, e, w->tag));
    REFUSED(mica_add(world, e, w->plain));
    REFUSED(mica_remove(world, e, w->plain));
    REFUSED(mica_set_value(world, e, w->plain, &(int32_t){2}, 4));
    REFUSED(mica_set_values(world, e, &value, 1));
    REFUSED(mica_change(world, e, &value, 1, &w->counted, 1));
    NONE(mica_clone(world, e));
    REFUSED(mica_entity_set_name(world, e, "x"));
    REFUSED(mica_entity_set_name(world, e, NULL));
}

static void meddle(witness *w)
{
    mica_world *world = w->world;
    meddle_with(w, w->living);
    REFUSED(mica_resource_set(world, MICA_ADD(w->plain)));
    REFUSED(mica_resource_remove(world, w->plain));
    CHECK_POINTER(NULL, mica_resource_get_mut(world, w->plain));
    REFUSED(mica_send(world, MICA_ADD(w->plain)));
    NONE(mica_spawn_values(world, NULL, 0));
    NONE(mica_spawn_at(world, mica_entity_make(50, 3)));
    NONE(mica_spawn_values(world, &(mica_value){.type = w->tag}, 1));
    NONE(mica_spawn_bundle(world, w->bundle, NULL, 0));
    REFUSED(mica_spawn_many(world, w->bundle, 2, NULL, 0, NULL));
    NONE(mica_bundle_new(world, &w->tag, 1));
    REFUSED(mica_bundle_free(world, w->bundle));
    REFUSED(mica_bundle_reserve(world, w->bundle, 5000));
    REFUSED(mica_entity_reserve(world, 100000));
    NONE(mica_query_new(world, &(mica_query_desc){.everything = true}));
    REFUSED(mica_query_free(world, w->query));
    REFUSED(mica_add_all(world, w->query, w->tag, NULL));
    REFUSED(mica_remove_all(world, w->query, w->plain, NULL));
    REFUSED(mica_set_all(world, w->query, w->plain, &(int32_t){2}, 4, NULL));
    REFUSED(mica_despawn_all(world, w->query, NULL));
    NONE(MICA_TAG(world, New));
    mica_system_desc idle = {.name = "new", .update = update, .query.everything = true};
    NONE(mica_system_add(world, &idle));
    REFUSED(mica_system_remove(world, w->system));
    REFUSED(mica_step(world, 1));
    REFUSED(mica_world_clear(world));
    REFUSED(mica_world_reclaim(world));
    REFUSED(mica_world_free(world));
    CHECK_EQUAL(0, mica_world_end_iterations(world));
}

static witness *meddler;

static void fail_once(void)
{
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(meddler->world, (mica_entity){0}));
}

static void retire_one(void)
{
    mica_world *world = meddler->world;
    mica_entity last = mica_spawn_at(world, mica_entity_make(40, MICA_GENERATION_LAST));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, last));
}

static bool has_line(const char *text, const char *handler, const char *call)
{
    char line[200];
    snprintf(line, sizeof line,
             "mica: %s: refused inside the %s handler, which may look at the world but not change "
             "it\n",
             call, handler);
    return strstr(text, line) != NULL;
}

static void what_would_change_the_world_is_refused_in_a_handler(void)
{
    static const char *const calls[] = {"mica_despawn",       "mica_despawn_many",
                                        "mica_add",           "mica_remove",
                                        "mica_set_value",     "mica_set",
                                        "mica_change",        "mica_clone",
                                        "mica_spawn_at",      "mica_entity_set_name",
                                        "mica_spawn",         "mica_spawn",
                                        "mica_bundle_new",    "mica_spawn_bundle",
                                        "mica_spawn_many",    "mica_bundle_free",
                                        "mica_query_new",     "mica_bundle_reserve",
                                        "mica_query_free",    "mica_entity_reserve",
                                        "mica_add_all",       "mica_remove_all",
                                        "mica_set_all",       "mica_despawn_all",
                                        "mica_world_free",    "mica_type_register",
                                        "mica_system_remove", "mica_system_add",
                                        "mica_step",          "mica_world_clear",
                                        "mica_world_reclaim", "mica_world_end_iterations"};
    for (int log = 0; log < 2; log++) {
        witness w;
        mica_world *world = witness_begin(&w);
        w.act = meddle;
        meddler = &w;
        uint64_t hash = mica_world_hash(world);
        static char text[16384];
        test_capture_stderr(log ? retire_one : fail_once, text, sizeof text);
        CHECK_EQUAL(1, log ? w.lines : w.reported);
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
            if (!has_line(text, log ? "log" : "error", calls[i])) {
                test_fail(__FILE__, __LINE__, "%s is not refused", calls[i]);
            }
        }
        // The failure is the caller's, whatever the handler has tried.
        CHECK_EQUAL(log ? MICA_OK : MICA_ERROR_ENTITY, mica_last_error(world)->code);
        CHECK_EQUAL(hash, mica_world_hash(world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        w.act = NULL;
        CHECK_EQUAL(MICA_OK, mica_add(world, w.living, w.tag)); // it is open again
        witness_end(&w);
    }
}

// When they are called

static void slots_that_retire_are_reported_when_all_is_done(void)
{
    enum { FIRST = 20, COUNT = 3 };
    for (int way = 0; way < 4; way++) {
        witness w;
        mica_world *world = witness_begin(&w);
        mica_entity last[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            last[i] = mica_spawn_at(world, mica_entity_make(FIRST + i, MICA_GENERATION_LAST));
            mica_set(world, last[i], MICA_VALUE(w.plain, int32_t, 4), MICA_ADD(w.counted));
            mica_entity_set_name(world, last[i], i == 0 ? "a" : i == 1 ? "b" : "c");
        }
        switch (way) {
        case 0: CHECK_EQUAL(MICA_OK, mica_world_clear(world)); break;
        case 1: CHECK_EQUAL(MICA_OK, mica_despawn_many(world, last, COUNT)); break;
        case 2: CHECK_EQUAL(MICA_OK, mica_despawn_all(world, w.query, NULL)); break;
        default:
            for (uint32_t i = 0; i < COUNT; i++) {
                CHECK_EQUAL(MICA_OK, mica_despawn(world, last[i]));
            }
        }
        CHECK_EQUAL(COUNT, w.lines);
        CHECK_EQUAL(0, w.reported);
        witness_end(&w);
    }
}

TEST_WITH(witness, w, of_many_lines_in_one_call_the_others_are_counted)
{
    mica_world *world = w->world;
    for (uint32_t i = 0; i < 20; i++) {
        mica_spawn_at(world, mica_entity_make(30 + i, MICA_GENERATION_LAST));
    }
    CHECK_EQUAL(MICA_OK, mica_world_clear(world));
    CHECK_EQUAL(8 + 1, w->lines);
    CHECK_TEXT("0 errors and 12 lines of the log are left out: there were too many in one call",
               w->sentence);
}

static void ask_the_world(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count;
    witness *w = context->user;
    CHECK(!mica_alive(w->world, w->living));
    CHECK_EQUAL(0, w->reported);
}

static void hear_of_no_world(mica_world *world, const mica_error *error, void *user)
{
    witness *w = user;
    CHECK_POINTER(NULL, world);
    CHECK_TEXT("mica_alive: refused inside the destruct hook of 'Asking'", error->sentence);
    w->reported++;
}

static void what_hooks_do_while_a_world_is_freed_is_reported_of_no_world(void)
{
    witness w;
    mica_world *world = witness_begin(&w);
    mica_type asking = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Asking", .size = 1, .align = 1, .hooks.destruct = ask_the_world, .user = &w});
    mica_add(world, w.living, asking);
    mica_world_set_error_handler(world, hear_of_no_world, &w);
    witness_end(&w);
    CHECK_EQUAL(1, w.reported);
}

// A table that was made for a call that failed goes again: tables are iterated in the order they were
// made in.
TEST_WITH(witness, w, a_failed_call_leaves_no_table)
{
    mica_world *world = w->world;
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_bundle bundle = mica_bundle_new(world, (mica_type[]){w->tag, w->counted}, 2);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    mica_entity other = mica_spawn(world, MICA_ADD(w->plain));
    uint32_t tables = mica_world_get_stats(world).tables;
    uint64_t digest = mica_world_digest(world);
    mica_type both[] = {w->tag, w->counted};
    for (int way = 0; way < 6; way++) {
        w->tracker.until_failure = 1;
        w->reported = 0;
        switch (way) {
        case 0: CHECK_EQUAL(MICA_ERROR_HOOK, mica_add(world, other, w->counted)); break;
        case 1: CHECK_EQUAL(MICA_ERROR_HOOK, test_add_types(world, other, both, 2)); break;
        case 2: CHECK_EQUAL(0, mica_spawn(world, MICA_ADD(w->counted)).bits); break;
        case 3: CHECK_EQUAL(0, mica_spawn_bundle(world, bundle, NULL, 0).bits); break;
        case 4:
            CHECK_EQUAL(MICA_ERROR_HOOK, mica_spawn_many(world, bundle, 9, NULL, 0, NULL));
            break;
        default: CHECK_EQUAL(MICA_ERROR_HOOK, mica_add_all(world, all, w->counted, NULL));
        }
        CHECK_EQUAL(1, w->reported);
        CHECK_EQUAL(tables, mica_world_get_stats(world).tables);
        CHECK_EQUAL(digest, mica_world_digest(world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    w->tracker.until_failure = 0;
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 9, NULL, 0, NULL));
    CHECK_EQUAL(MICA_OK, mica_add_all(world, all, w->counted, NULL));
}

TESTS(handler, a_handler_may_look_at_everything,
      what_would_change_the_world_is_refused_in_a_handler,
      slots_that_retire_are_reported_when_all_is_done,
      of_many_lines_in_one_call_the_others_are_counted,
      what_hooks_do_while_a_world_is_freed_is_reported_of_no_world, a_failed_call_leaves_no_table)
