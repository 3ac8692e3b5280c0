// Hooks that call into the world: refused, whatever they call and whoever called them.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

// The watched type, whose hooks do what hooks must not do. The tracker comes first: it is what the
// watched type's own hooks take for their user pointer.
typedef struct meddler {
    tracker tracker;
    mica_hooks inner;
    test_world t;
    mica_world *world;
    mica_type type;
    mica_type plain;
    mica_type tag;
    mica_type loose; // sparse, with a toggle
    mica_entity living, dead;
    mica_query query;
    mica_bundle bundle;
    mica_accessor accessor, loose_accessor;
    mica_world *later, *buffer; // which record
    mica_iter *around;          // open while a hook meddles; NULL: none
    mica_system system;
    const char *which; // the hook that meddles; NULL: none
    uint32_t meddled;
    test_world other;
    mica_type other_tag;
} meddler;

static void expect(meddler *m, const char *call)
{
    char sentence[sizeof((mica_error *)0)->sentence];
    snprintf(sentence, sizeof sentence, "%s: refused inside the %s hook of 'Meddler'", call,
             m->which);
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_last_error(m->world)->code);
    CHECK_TEXT(sentence, mica_last_error(m->world)->sentence);
    CHECK_EQUAL(0, m->t.error.calls); // the world is not whole
    mica_clear_error(m->world);
}

#define REFUSED(call) (CHECK_EQUAL(MICA_ERROR_HOOK, call))
#define NONE(call) (CHECK_EQUAL(0, (call).bits))

static void meddle_with(meddler *m, mica_entity e)
{
    mica_world *w = m->world;
    const mica_value value = {.type = m->type};
    mica_type_set set = {0};
    REFUSED(mica_despawn(w, e)), expect(m, "mica_despawn");
    REFUSED(mica_despawn_many(w, &e, 1)), expect(m, "mica_despawn_many");
    REFUSED(mica_add(w, e, m->tag)), expect(m, "mica_add");
    REFUSED(mica_add(w, e, m->type)), expect(m, "mica_add");
    REFUSED(mica_remove(w, e, m->plain)), expect(m, "mica_remove");
    REFUSED(mica_set_value(w, e, m->plain, &(int32_t){1}, 4)), expect(m, "mica_set_value");
    REFUSED(mica_set_values(w, e, &value, 1)), expect(m, "mica_set");
    REFUSED(mica_change(w, e, &value, 1, &m->tag, 1)), expect(m, "mica_change");
    NONE(mica_clone(w, e)), expect(m, "mica_clone");
    CHECK(!mica_get(w, e, m->plain)), expect(m, "mica_get");
    CHECK(!mica_get_mut(w, e, m->plain)), expect(m, "mica_get_mut");
    CHECK(!mica_get_as(w, e, m->plain, 4, NULL)), expect(m, "MICA_GET");
    CHECK(!mica_get_mut_as(w, e, m->plain, 4, NULL)), expect(m, "MICA_GET_MUT");
    CHECK(!mica_has(w, e, m->plain)), expect(m, "mica_has");
    CHECK(!mica_alive(w, e)), expect(m, "mica_alive");
    REFUSED(mica_entity_types(w, e, &set)), expect(m, "mica_entity_types");
    CHECK(!mica_accessor_get(&m->accessor, e)), expect(m, "mica_accessor_get");
    CHECK(!mica_accessor_get_mut(&m->accessor, e)), expect(m, "mica_accessor_get_mut");
    CHECK(!mica_accessor_get(&m->loose_accessor, e)), expect(m, "mica_accessor_get");
    CHECK(!mica_accessor_get_mut(&m->loose_accessor, e)), expect(m, "mica_accessor_get_mut");
    const void *got;
    mica_accessor_get_many(&m->loose_accessor, &e, 1, &got), expect(m, "mica_accessor_get_many");
    CHECK(!got);
    REFUSED(mica_accessor_disable(&m->loose_accessor, e)), expect(m, "mica_accessor_disable");
    REFUSED(mica_accessor_enable(&m->loose_accessor, e)), expect(m, "mica_accessor_enable");
    REFUSED(mica_disable(w, e, m->loose)), expect(m, "mica_disable");
    REFUSED(mica_entity_set_name(w, e, "x")), expect(m, "mica_entity_set_name");
    CHECK(!mica_entity_name(w, e)), expect(m, "mica_entity_name");
    NONE(mica_spawn_at(w, e)), expect(m, "mica_spawn_at");
    NONE(mica_entity_next(w, e)), expect(m, "mica_entity_next");
    CHECK(!mica_query_contains(w, m->query, e)), expect(m, "mica_query_contains");
    char text[8];
    REFUSED(mica_query_explain(w, m->query, e, text, sizeof text)), expect(m, "mica_query_explain");
    mica_iter it;
    mica_iter_begin_entity(w, m->query, e, &it), expect(m, "mica_iter_begin_entity");
    CHECK(!mica_iter_next(&it));
    REFUSED(mica_entity_print(w, e, NULL)), expect(m, "mica_entity_print");
}

static void meddle_with_face(meddler *m, mica_world *face)
{
    const mica_entity e = m->living;
    REFUSED(mica_despawn(face, e)), expect(m, "mica_despawn");
    REFUSED(mica_add(face, e, m->tag)), expect(m, "mica_add");
    REFUSED(mica_remove(face, e, m->loose)), expect(m, "mica_remove");
    REFUSED(mica_set_value(face, e, m->plain, &(int32_t){1}, 4)), expect(m, "mica_set_value");
    CHECK(!mica_get(face, e, m->plain)), expect(m, "mica_get");
    CHECK(!mica_alive(face, e)), expect(m, "mica_alive");
    NONE(mica_spawn_values(face, NULL, 0)), expect(m, "mica_spawn");
    NONE(mica_clone(face, e)), expect(m, "mica_clone");
    REFUSED(mica_spawn_many(face, m->bundle, 2, NULL, 0, NULL)), expect(m, "mica_spawn_many");
    REFUSED(mica_send(face, MICA_ADD(m->plain))), expect(m, "mica_send");
    REFUSED(mica_commands_apply(face)), expect(m, "mica_commands_apply");
    REFUSED(mica_commands_discard(face)), expect(m, "mica_commands_discard");
}

static void meddle_with_entities(meddler *m)
{
    mica_world *w = m->world;
    NONE(mica_spawn_values(w, NULL, 0)), expect(m, "mica_spawn");
    NONE(mica_spawn_values(w, &(mica_value){.type = m->type}, 1)), expect(m, "mica_spawn");
    NONE(mica_bundle_new(w, &m->tag, 1)), expect(m, "mica_bundle_new");
    REFUSED(mica_bundle_free(w, m->bundle)), expect(m, "mica_bundle_free");
    REFUSED(mica_bundle_reserve(w, m->bundle, 5000)), expect(m, "mica_bundle_reserve");
    NONE(mica_spawn_bundle(w, m->bundle, NULL, 0)), expect(m, "mica_spawn_bundle");
    REFUSED(mica_spawn_many(w, m->bundle, 2, NULL, 0, NULL)), expect(m, "mica_spawn_many");
    REFUSED(mica_entity_reserve(w, 100000)), expect(m, "mica_entity_reserve");
    NONE(mica_entity_find(w, "Anna")), expect(m, "mica_entity_find");
    mica_query_desc everything = {.terms = {{m->plain, MICA_READ}}};
    NONE(mica_query_new(w, &everything)), expect(m, "mica_query_new");
    REFUSED(mica_query_free(w, m->query)), expect(m, "mica_query_free");
    CHECK_EQUAL(0, mica_query_count(w, m->query)), expect(m, "mica_query_count");
    NONE(mica_query_first(w, m->query)), expect(m, "mica_query_first");
    REFUSED(mica_add_all(w, m->query, m->tag, NULL)), expect(m, "mica_add_all");
    REFUSED(mica_remove_all(w, m->query, m->plain, NULL)), expect(m, "mica_remove_all");
    REFUSED(mica_set_all(w, m->query, m->plain, &(int32_t){1}, 4, NULL)), expect(m, "mica_set_all");
    REFUSED(mica_despawn_all(w, m->query, NULL)), expect(m, "mica_despawn_all");
    mica_iter it;
    mica_iter_begin(w, m->query, &it), expect(m, "mica_iter_begin");
    CHECK(!mica_iter_next(&it)); // it has said why
    if (m->around) {             // one that was open before
        CHECK(!mica_iter_next(m->around)), expect(m, "mica_iter_next");
        REFUSED(mica_iter_end(m->around)), expect(m, "mica_iter_end");
    }
    mica_accessor accessor = mica_accessor_new(w, m->plain);
    expect(m, "mica_accessor_new");
    CHECK_EQUAL(0, accessor.size);
    CHECK(!mica_has(w, m->living, m->other_tag)), expect(m, "mica_has"); // once
}

static void update(mica_iter *it)
{
    (void)it;
}

static void meddle_with_all(meddler *m)
{
    mica_world *w = m->world;
    REFUSED(mica_world_free(w)), expect(m, "mica_world_free");
    REFUSED(mica_world_clear(w)), expect(m, "mica_world_clear");
    REFUSED(mica_world_reclaim(w)), expect(m, "mica_world_reclaim");
    REFUSED(mica_world_validate(w)), expect(m, "mica_world_validate");
    CHECK_EQUAL(0, mica_world_hash(w)), expect(m, "mica_world_hash");
    CHECK_EQUAL(0, mica_world_digest(w)), expect(m, "mica_world_digest");
    CHECK_EQUAL(0, mica_world_end_iterations(w)), expect(m, "mica_world_end_iterations");
    CHECK_EQUAL(0, mica_type_get_stats(w, m->plain).rows), expect(m, "mica_type_get_stats");
    REFUSED(mica_world_print(w, NULL)), expect(m, "mica_world_print");
    REFUSED(mica_table_print(w, 0, NULL)), expect(m, "mica_table_print");
    REFUSED(mica_query_print(w, m->query, NULL)), expect(m, "mica_query_print");
    REFUSED(mica_schedule_print(w, NULL)), expect(m, "mica_schedule_print");
    REFUSED(mica_timings_print(w, NULL)), expect(m, "mica_timings_print");
    REFUSED(mica_resource_set(w, MICA_ADD(m->plain))), expect(m, "mica_resource_set");
    REFUSED(mica_resource_remove(w, m->plain)), expect(m, "mica_resource_remove");
    CHECK(!mica_resource_get(w, m->plain)), expect(m, "mica_resource_get");
    CHECK(!mica_resource_get_mut(w, m->plain)), expect(m, "mica_resource_get_mut");
    mica_cursor cursor = {0};
    uint32_t count;
    REFUSED(mica_send(w, MICA_ADD(m->plain))), expect(m, "mica_send");
    CHECK(!mica_events(w, m->plain, &cursor, &count)), expect(m, "mica_events");
    NONE(MICA_TAG(w, New)), expect(m, "mica_type_register");
    mica_system_desc idle = {.name = "new", .update = update};
    idle.query.terms[0] = (mica_term){m->plain, MICA_READ};
    NONE(mica_system_add(w, &idle)), expect(m, "mica_system_add");
    REFUSED(mica_system_remove(w, m->system)), expect(m, "mica_system_remove");
    NONE(mica_system_find(w, "idle")), expect(m, "mica_system_find");
    REFUSED(mica_step(w, 1)), expect(m, "mica_step");
}

// What is allowed: types, figures, errors, other worlds.
static void ask(meddler *m)
{
    mica_world *w = m->world;
    CHECK_EQUAL(m->plain.bits, mica_type_find(w, "Plain").bits);
    CHECK_EQUAL(4, mica_type_get_info(w, m->plain)->size);
    CHECK_EQUAL(4, test_type_count(w));
    CHECK_EQUAL(m->type.bits, mica_type_next(w, (mica_type){0}).bits);
    mica_type_set set = {0};
    CHECK_EQUAL(MICA_OK, mica_type_set_add(w, &set, m->tag));
    CHECK(mica_type_set_has(w, &set, m->tag));
    mica_type_set_free(w, &set);
    CHECK_EQUAL(mica_entity_count(w), mica_world_get_stats(w).entities);
    CHECK(mica_world_get_stats(w).memory.bytes > 0);
    CHECK_EQUAL(MICA_OK, mica_last_error(w)->code);
    mica_entity e = mica_spawn(m->other.world, MICA_ADD(m->other_tag));
    CHECK(mica_has(m->other.world, e, m->other_tag));
    CHECK_EQUAL(MICA_OK, mica_despawn(m->other.world, e));
}

static void meddle(const mica_hook_context *context, const char *hook)
{
    meddler *m = context->user;
    if (!m->which || strcmp(m->which, hook) != 0) {
        return;
    }
    m->meddled++;
    meddle_with(m, m->living);
    meddle_with(m, m->dead);
    meddle_with(m, (mica_entity){0});
    meddle_with_entities(m);
    meddle_with_all(m);
    meddle_with_face(m, m->later);
    meddle_with_face(m, m->buffer);
    ask(m);
}

static mica_result construct(void *target, uint32_t count, const mica_hook_context *context)
{
    meddle(context, "construct");
    return ((meddler *)context->user)->inner.construct(target, count, context);
}

static void destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    ((meddler *)context->user)->inner.destruct(target, count, context);
    meddle(context, "destruct");
}

static mica_result copy(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context)
{
    meddle(context, "copy");
    return ((meddler *)context->user)->inner.copy(target, source, count, context);
}

static void move(void *target, void *source, uint32_t count, const mica_hook_context *context)
{
    ((meddler *)context->user)->inner.move(target, source, count, context);
    meddle(context, "move");
}

static void begin_in(meddler *m, mica_storage storage)
{
    memset(m, 0, sizeof *m);
    tracker_begin(&m->tracker);
    m->other_tag = MICA_TAG(test_world_begin(&m->other), Tag);
    mica_world *w = m->world = test_world_begin(&m->t);
    mica_type_desc desc = tracked_desc(&m->tracker, "Meddler", true);
    m->inner = desc.hooks;
    desc.hooks =
        (mica_hooks){.construct = construct, .destruct = destruct, .copy = copy, .move = move};
    desc.storage = storage;
    m->type = mica_type_register(w, &desc);
    m->plain = mica_type_register(w, &(mica_type_desc){.name = "Plain", .size = 4, .align = 4});
    m->tag = MICA_TAG(w, Tag);
    m->loose = mica_type_register(
        w, &(mica_type_desc){
               .name = "Loose", .storage = MICA_SPARSE, .size = 8, .align = 8, .toggle = true});
    m->living =
        mica_spawn(w, MICA_VALUE(m->plain, int32_t, 1), MICA_ADD(m->type), MICA_ADD(m->loose));
    m->dead = mica_spawn_values(w, NULL, 0);
    mica_despawn(w, m->dead);
    mica_entity_set_name(w, m->living, "Anna");
    m->query = mica_query_new(w, &(mica_query_desc){.terms = {{m->plain, MICA_READ}}});
    const mica_type types[] = {m->plain, m->type};
    m->bundle = mica_bundle_new(w, types, 2);
    m->accessor = mica_accessor_new(w, m->plain);
    m->loose_accessor = mica_accessor_new(w, m->loose);
    m->later = mica_world_later(w);
    m->buffer = mica_commands_new(w);
    mica_system_desc idle = {.name = "idle", .update = update};
    idle.query.terms[0] = (mica_term){m->plain, MICA_READ};
    m->system = mica_system_add(w, &idle);
}

static void meddler_begin(meddler *m)
{
    begin_in(m, MICA_TABLE);
}

// Ends the world with the hooks at work: it is freed around the living.
static void meddler_end(meddler *m)
{
    test_world_end(&m->t);
    CHECK_TRACKED(&m->tracker, 0);
    test_world_end(&m->other);
}

// What hooks have called is reported when they are done, as far as there is room.
static void check_reported(meddler *m)
{
    enum { REPORTED = 8 };
    CHECK_EQUAL(REPORTED, m->t.error.calls);
    CHECK_EQUAL(MICA_ERROR_HOOK, m->t.error.last.code);
    test_error_clear(&m->t.error);
}

// All is well, and the hook was called.
static void check(meddler *m, bool called)
{
    if (m->meddled > 0) {
        check_reported(m);
    }
    const char *which = m->which;
    m->which = NULL;
    bool may_move = which && strcmp(which, "move") == 0; // as the store pleases
    CHECK(called ? m->meddled > 0 : m->meddled == 0 || may_move);
    m->meddled = 0;
    CHECK_EQUAL(MICA_OK, mica_world_validate(m->world));
    CHECK_EQUAL(0, m->tracker.errors);
    CHECK(mica_alive(m->world, m->living));
    CHECK_TEXT("Anna", mica_entity_name(m->world, m->living));
    CHECK_EQUAL(1, *(const int32_t *)mica_get(m->world, m->living, m->plain));
    CHECK_EQUAL(4, test_type_count(m->world));
    CHECK_EQUAL(1,
                mica_world_get_stats(m->world).entities - mica_query_count(m->world, m->query) + 1);
    m->which = which;
}

static void spawn_and_change(meddler *m, const char *which)
{
    mica_world *w = m->world;
    m->which = which;
    bool constructs = strcmp(which, "construct") == 0;
    bool destructs = strcmp(which, "destruct") == 0;
    bool copies = strcmp(which, "copy") == 0;
    bool moves = strcmp(which, "move") == 0;
    tracked value = tracked_make(&m->tracker, 5);

    mica_entity a = mica_spawn(w, MICA_VALUE(m->plain, int32_t, 1), MICA_ADD(m->type));
    check(m, constructs);
    mica_entity b = mica_spawn(w, MICA_VALUE(m->plain, int32_t, 1), MICA_COPY_OF(m->type, value));
    check(m, copies);
    CHECK_EQUAL(MICA_OK, mica_set(w, a, MICA_COPY_OF(m->type, value)));
    check(m, destructs || copies || moves);
    CHECK_EQUAL(MICA_OK, mica_set_value(w, b, m->type, &value, sizeof value));
    check(m, destructs || copies || moves);
    CHECK_EQUAL(MICA_OK, mica_add(w, a, m->tag));
    check(m, moves);
    CHECK_EQUAL(MICA_OK, mica_remove(w, a, m->type));
    check(m, destructs);
    CHECK_EQUAL(MICA_OK, mica_add(w, a, m->type));
    check(m, constructs);
    mica_entity c = mica_clone(w, b);
    CHECK(tracked_is(&m->tracker, mica_get(w, c, m->type), 5));
    check(m, copies);
    CHECK_EQUAL(MICA_OK, mica_despawn(w, b));
    check(m, destructs || moves);
    CHECK_EQUAL(MICA_OK, mica_despawn_many(w, (mica_entity[]){a, c}, 2));
    check(m, destructs);
    tracked_drop(&m->tracker, &value);
    CHECK_TRACKED(&m->tracker, 1);
}

static void change_many(meddler *m, const char *which)
{
    mica_world *w = m->world;
    m->which = which;
    bool constructs = strcmp(which, "construct") == 0;
    bool destructs = strcmp(which, "destruct") == 0;
    bool copies = strcmp(which, "copy") == 0;
    bool moves = strcmp(which, "move") == 0;
    tracked value = tracked_make(&m->tracker, 5);

    CHECK_EQUAL(MICA_OK, mica_spawn_many(w, m->bundle, 10, NULL, 0, NULL));
    check(m, constructs);
    CHECK_EQUAL(MICA_OK, mica_set_all(w, m->query, m->type, &value, sizeof value, NULL));
    check(m, copies || destructs || moves);
    CHECK_EQUAL(MICA_OK, mica_remove_all(w, m->query, m->type, NULL));
    check(m, destructs);
    CHECK_EQUAL(MICA_OK, mica_add_all(w, m->query, m->type, NULL));
    check(m, constructs);
    // Setting is allowed during an iteration; hooks are refused because they are hooks.
    mica_iter it;
    mica_iter_begin(w, m->query, &it);
    CHECK(mica_iter_next(&it));
    m->around = &it;
    CHECK_EQUAL(MICA_OK, mica_set_value(w, m->living, m->type, &value, sizeof value));
    m->around = NULL;
    CHECK(it.count > 0); // as it was
    CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
    check(m, copies || destructs || moves);
    tracked_drop(&m->tracker, &value);
    m->which = NULL;
    CHECK_TRACKED(&m->tracker, 11);
}

static const char *const hooks[] = {"construct", "destruct", "copy", "move"};

static void a_hook_that_calls_into_the_world_is_refused_there(void)
{
    for (size_t i = 0; i < 4; i++) {
        meddler m;
        meddler_begin(&m);
        spawn_and_change(&m, hooks[i]);
        meddler_end(&m);
    }
}

static void changes_of_all_that_match_bear_it_too(void)
{
    for (size_t i = 0; i < 4; i++) {
        meddler m;
        meddler_begin(&m);
        change_many(&m, hooks[i]);
        meddler_end(&m);
    }
}

static void clearing_and_freeing_a_world_bear_it_too(void)
{
    meddler m;
    meddler_begin(&m);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(m.world, m.bundle, 10, NULL, 0, NULL));
    m.which = "destruct";
    CHECK_EQUAL(MICA_OK, mica_world_clear(m.world));
    CHECK(m.meddled > 0);
    check_reported(&m);
    CHECK_EQUAL(0, mica_entity_count(m.world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(m.world));
    CHECK_TRACKED(&m.tracker, 0);
    m.which = NULL;
    CHECK_EQUAL(MICA_OK, mica_spawn_many(m.world, m.bundle, 10, NULL, 0, NULL));
    m.which = "destruct";
    m.meddled = 0;
    meddler_end(&m);
    CHECK(m.meddled > 0);
}

// Values that are destroyed with the world, wherever it keeps them: each hook still finds all of it.
static void hooks_are_refused_until_the_last_value_of_a_world_is_destroyed(void)
{
    static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_RING};
    for (size_t i = 0; i < 3; i++) {
        meddler m;
        begin_in(&m, storages[i]);
        mica_world *w = m.world;
        mica_world *faces[] = {m.later, m.buffer};
        for (size_t k = 0; k < 2; k++) {
            CHECK_EQUAL(MICA_OK, mica_set(faces[k], m.living, MICA_ADD(m.type)));
            CHECK(!MICA_IS_NONE(mica_spawn(faces[k], MICA_ADD(m.type))));
            tracked value = tracked_make(&m.tracker, 5);
            CHECK_EQUAL(MICA_OK, mica_set(faces[k], m.living, MICA_COPY_OF(m.type, value)));
            CHECK_EQUAL(MICA_OK, mica_send(faces[k], MICA_COPY_OF(m.type, value)));
            tracked_drop(&m.tracker, &value);
        }
        CHECK_EQUAL(MICA_OK, mica_send(w, MICA_ADD(m.type)));
        CHECK_EQUAL(MICA_OK, mica_resource_set(w, MICA_ADD(m.type)));
        m.which = "destruct";
        m.meddled = 0;
        meddler_end(&m);
        CHECK_EQUAL(4 + 1 + 1 + 1, m.meddled); // commands, an event, a resource, an entity
    }
}

TEST_WITH(meddler, m, a_hook_that_meddles_and_fails_has_failed)
{
    for (size_t i = 0; i < 4; i += 2) {
        tracked value = tracked_make(&m->tracker, 5);
        uint64_t before = mica_world_digest(m->world);
        m->which = hooks[i];
        m->tracker.until_failure = 1;
        mica_entity e = i == 0 ? mica_spawn(m->world, MICA_ADD(m->type))
                               : mica_spawn(m->world, MICA_COPY_OF(m->type, value));
        CHECK(MICA_IS_NONE(e));
        CHECK_TEXT(i == 0 ? "mica_spawn: the construct hook of 'Meddler' failed"
                          : "mica_spawn: the copy hook of 'Meddler' failed",
                   m->t.error.last.sentence);
        check(m, true);
        m->which = NULL;
        CHECK_EQUAL(before, mica_world_digest(m->world));
        tracked_drop(&m->tracker, &value);
    }
}

// A value that cannot be copied is moved into the world, and back where a call fails.
static void a_value_that_cannot_be_copied_is_the_callers_again_if_the_call_fails(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    tracker owned, failing;
    tracker_begin(&owned);
    tracker_begin(&failing);
    mica_type_desc desc = tracked_desc(&owned, "Owned", true);
    desc.hooks.copy = NULL;
    mica_type owner = mica_type_register(world, &desc);
    desc = tracked_desc(&failing, "Failing", true);
    mica_type failer = mica_type_register(world, &desc);
    const mica_type types[] = {owner, failer};
    mica_bundle bundle = mica_bundle_new(world, types, 2);

    tracked values[9] = {{0}};
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(owner, values), MICA_ADD(failer)};
    mica_hook_context context = {.type = mica_type_get_info(world, owner), .user = &owned};
    REQUIRE_EQUAL(MICA_OK, context.type->hooks.construct(values, 9, &context));
    failing.until_failure = 1;
    CHECK(MICA_IS_NONE(mica_spawn(world, MICA_COPY_OF(owner, values[0]), MICA_ADD(failer))));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_spawn: the construct hook of 'Failing' failed");
    failing.until_failure = 7;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_spawn_many(world, bundle, 8, arrays, 2, NULL));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_spawn_many: the construct hook of 'Failing' failed");
    mica_entity e = mica_spawn_values(world, NULL, 0);
    failing.until_failure = 1;
    CHECK_EQUAL(MICA_ERROR_HOOK,
                mica_set(world, e, MICA_COPY_OF(owner, values[0]), MICA_ADD(failer)));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_set: the construct hook of 'Failing' failed");
    CHECK_EQUAL(MICA_OK, mica_set(world, e, MICA_COPY_OF(owner, values[8])));
    failing.until_failure = 1;
    CHECK_EQUAL(MICA_ERROR_HOOK,
                mica_set(world, e, MICA_COPY_OF(owner, values[0]), MICA_ADD(failer)));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_set: the construct hook of 'Failing' failed");
    for (size_t i = 0; i < 8; i++) {
        CHECK(tracked_is(&owned, &values[i], TRACKED_DEFAULT));
    }
    CHECK_TRACKED(&owned, 9);
    CHECK_TRACKED(&failing, 0);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 8, arrays, 2, NULL));
    CHECK_TRACKED(&owned, 9);
    CHECK_EQUAL(0, owned.copies);
    CHECK_EQUAL(MICA_OK, mica_set(world, e, MICA_ADD(failer)));
    CHECK(tracked_is(&owned, mica_get(world, e, owner), TRACKED_DEFAULT));
    test_world_end(&t);
    CHECK_TRACKED(&owned, 0);
    CHECK_TRACKED(&failing, 0);
}

TESTS(hook, a_hook_that_calls_into_the_world_is_refused_there,
      changes_of_all_that_match_bear_it_too, clearing_and_freeing_a_world_bear_it_too,
      hooks_are_refused_until_the_last_value_of_a_world_is_destroyed,
      a_hook_that_meddles_and_fails_has_failed,
      a_value_that_cannot_be_copied_is_the_callers_again_if_the_call_fails)
