// Tests of saving and loading whole worlds: S2.9, images.
#include "unit/image/cast.h"

#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

static void a_world_that_was_saved_is_loaded_as_it_was(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        cast a, b;
        mica_buffer first = {0};
        mica_buffer second = {0};
        cast_begin(&a);
        cast_begin(&b);
        cast_play(&a, seed, 40 * (uint32_t)seed);
        cast_play(&b, seed + 100, 200);
        cast_save(&a, &first);
        cast_load(&b, &first);
        CHECK_EQUAL(mica_world_hash(a.world), mica_world_hash(b.world));
        CHECK_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
        cast_save(&b, &second);
        REQUIRE_EQUAL(first.size, second.size);
        CHECK_BYTES(first.data, second.data, first.size);
        mica_buffer_free(&first);
        mica_buffer_free(&second);
        cast_end(&a);
        cast_end(&b);
    }
}

static void a_world_that_was_loaded_goes_on_as_the_other_would_have(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        cast a, b;
        mica_buffer image = {0};
        cast_begin(&a);
        cast_begin(&b);
        cast_play(&a, seed, 300);
        cast_save(&a, &image);
        cast_load(&b, &image);
        uint64_t one = seed * 7;
        uint64_t other = one;
        for (uint32_t i = 0; i < 1000; i++) {
            cast_do(&a, cast_random(&one));
            cast_do(&b, cast_random(&other));
            REQUIRE_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
        }
        mica_entity x = mica_spawn_values(a.world, NULL, 0);
        CHECK(MICA_EQUAL(x, mica_spawn_values(b.world, NULL, 0)));
        mica_buffer_free(&image);
        cast_end(&a);
        cast_end(&b);
    }
}

// Slots in pages that are there for others, and for nobody else; the first was used before.
static void slots_that_are_retired_stay_so(void)
{
    static const uint32_t slots[] = {3, 40, 41, 5000};
    enum { COUNT = sizeof slots / sizeof *slots };
    for (uint32_t json = 0; json < 2; json++) {
        cast a, b;
        mica_buffer image = {0};
        cast_begin(&a);
        cast_begin(&b);
        for (uint32_t i = 0; i < 20; i++) {
            mica_spawn_values(a.world, NULL, 0);
        }
        REQUIRE_EQUAL(MICA_OK, mica_despawn(a.world, mica_entity_make(slots[0], 0)));
        for (uint32_t i = 0; i < COUNT; i++) {
            mica_entity last = mica_entity_make(slots[i], MICA_GENERATION_LAST);
            REQUIRE(MICA_EQUAL(last, mica_spawn_at(a.world, last)));
            REQUIRE_EQUAL(MICA_OK, mica_despawn(a.world, last));
        }
        const mica_save_desc desc = {.format = json ? MICA_IMAGE_JSON : MICA_IMAGE_BINARY};
        REQUIRE_EQUAL(MICA_OK, mica_world_save(a.world, &(mica_stream){.buffer = &image}, &desc));
        cast_load(&b, &image);
        CHECK_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
        for (uint32_t i = 0; i < COUNT; i++) {
            CHECK(MICA_IS_NONE(mica_spawn_at(b.world, mica_entity_make(slots[i], 7))));
        }
        CHECK_EQUAL(COUNT, test_error_clear(&b.t.error));
        for (uint32_t i = 0; i < 100; i++) {
            mica_entity e = mica_spawn_values(b.world, NULL, 0);
            CHECK(MICA_EQUAL(mica_spawn_values(a.world, NULL, 0), e));
            CHECK(mica_entity_slot(e) != 3 && mica_entity_slot(e) != 40);
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(b.world));
        mica_buffer_free(&image);
        cast_end(&a);
        cast_end(&b);
    }
}

// What stays

static uint32_t reported;

static void hear(const mica_observer_event *h)
{
    (void)h;
    reported++;
}

static void what_works_on_a_world_works_on_what_was_loaded(void)
{
    cast a, b;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_begin(&b);
    cast_play(&a, 3, 400);
    cast_play(&b, 4, 400);
    mica_type position = b.types[CAST_POSITION];
    const mica_type types[] = {position, b.types[CAST_SPARSE]};
    mica_bundle bundle = mica_bundle_new(b.world, types, 2);
    mica_spawn_bundle(b.world, bundle, NULL, 0);
    mica_query all = mica_query_new(b.world, &(mica_query_desc){.terms = {{position, MICA_READ}}});
    mica_observer_new(b.world, &(mica_observer_desc){.query.terms = {{position, MICA_WITH}},
                                                     .events = MICA_ON_ENTER | MICA_ON_LEAVE,
                                                     .call = hear});
    mica_observer_new(b.world, &(mica_observer_desc){.type = position,
                                                     .events = MICA_ON_ADD | MICA_ON_REMOVE,
                                                     .call = hear});
    cast_save(&a, &image);
    reported = 0;
    cast_load(&b, &image);
    CHECK_EQUAL(0, reported); // observers are not
    mica_query same =
        mica_query_new(a.world, &(mica_query_desc){.terms = {{a.types[CAST_POSITION], MICA_READ}}});
    CHECK(mica_query_count(b.world, all) > 0);
    CHECK_EQUAL(mica_query_count(a.world, same), mica_query_count(b.world, all));
    mica_iter it;
    mica_iter_begin(b.world, all, &it);
    uint32_t seen = 0;
    while (mica_iter_next(&it)) {
        const Vec2 *p = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            const Vec2 *other = mica_get(a.world, it.entities[i], a.types[CAST_POSITION]);
            const Vec2 *found = mica_accessor_get(&b.positions, it.entities[i]);
            CHECK(other && other->x == p[i].x && other->y == p[i].y);
            CHECK_POINTER(&p[i], found);
            seen++;
        }
    }
    CHECK_EQUAL(mica_query_count(b.world, all), seen);
    mica_entity x = mica_spawn_bundle(b.world, bundle, NULL, 0);
    CHECK(mica_has(b.world, x, position) && reported > 0);
    CHECK_EQUAL(MICA_OK, mica_world_validate(b.world));
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

static void groups_of_a_world_take_in_who_belongs_there(void)
{
    cast a, b;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_begin(&b);
    mica_group_free(a.world, a.owning); // the image knows none of these
    mica_group_free(a.world, a.listing);
    cast_play(&a, 11, 400);
    test_error_clear(&a.t.error); // of sorting them
    cast_save(&a, &image);
    cast_load(&b, &image);
    CHECK(test_group_count(b.world, b.owning) > 0);
    CHECK(test_group_count(b.world, b.listing) > 0);
    CHECK_EQUAL(mica_world_hash(a.world), mica_world_hash(b.world));
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

static void resources_and_events_are_loaded_if_their_types_are_saved(void)
{
    cast a, b;
    mica_buffer image = {0};
    uint32_t count;
    cast_begin(&a);
    cast_begin(&b);
    mica_resource_set(a.world, MICA_VALUE(a.score, Vec2, 1, 2), MICA_VALUE(a.secret, Vec2, 3, 4));
    mica_send(a.world, MICA_VALUE(a.score, Vec2, 5, 6), MICA_VALUE(a.secret, Vec2, 7, 8));
    mica_step(a.world, 0);
    mica_send(a.world, MICA_VALUE(a.score, Vec2, 9, 10));
    cast_save(&a, &image);
    mica_resource_set(b.world, MICA_VALUE(b.secret, Vec2, 11, 12));
    mica_send(b.world, MICA_VALUE(b.secret, Vec2, 13, 14));
    cast_load(&b, &image);
    const Vec2 *score = mica_resource_get(b.world, b.score);
    const Vec2 *secret = mica_resource_get(b.world, b.secret);
    CHECK(score && score->x == 1 && score->y == 2);
    CHECK(secret && secret->x == 11);
    CHECK_EQUAL(2, test_event_count(b.world, b.score));
    CHECK_EQUAL(1, test_event_count(b.world, b.secret));
    mica_cursor cursor = {0};
    const Vec2 *event = mica_events(b.world, b.score, &cursor, &count);
    CHECK(event && event[0].x == 5);
    mica_step(b.world, 0);
    CHECK_EQUAL(1, test_event_count(b.world, b.score)); // the first was of the frame before
    mica_resource_remove(a.world, a.score);
    mica_step(a.world, 0);
    mica_step(a.world, 0);
    cast_save(&a, &image);
    cast_load(&b, &image);
    CHECK(!mica_resource_get(b.world, b.score));
    CHECK_EQUAL(0, test_event_count(b.world, b.score));
    CHECK(mica_resource_get(b.world, b.secret) != NULL);
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

static uint32_t count_changed(cast *c)
{
    mica_iter it;
    uint32_t count = 0;
    mica_iter_begin(c->world, c->moved, &it);
    while (mica_iter_next(&it)) {
        count += it.count;
    }
    return count;
}

static void a_query_with_a_name_goes_on_seeing_what_changed(void)
{
    cast a, b;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_begin(&b);
    mica_entity e = mica_spawn(a.world, MICA_ADD(a.types[CAST_POSITION]));
    CHECK_EQUAL(1, count_changed(&a));
    cast_save(&a, &image);
    cast_load(&b, &image);
    CHECK_EQUAL(0, count_changed(&b));
    mica_get_mut(b.world, e, b.types[CAST_POSITION]);
    CHECK_EQUAL(1, count_changed(&b));
    mica_query unnamed = mica_query_new(
        b.world, &(mica_query_desc){.terms = {{b.types[CAST_POSITION], MICA_READ | MICA_CHANGED}}});
    b.moved = unnamed;
    CHECK_EQUAL(1, count_changed(&b));
    CHECK_EQUAL(0, count_changed(&b));
    cast_load(&b, &image);
    CHECK_EQUAL(1, count_changed(&b)); // everything
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

// A world that goes back comes to ticks again at which something was written before.
static void what_is_written_at_a_tick_that_was_there_before_has_changed(void)
{
    cast c;
    mica_buffer image = {0};
    cast_begin(&c);
    mica_type type = c.types[CAST_POSITION];
    mica_entity e = mica_spawn(c.world, MICA_ADD(type));
    mica_accessor positions = mica_accessor_new(c.world, type);
    CHECK_EQUAL(1, count_changed(&c));
    cast_save(&c, &image);
    for (uint32_t i = 0; i < 40; i++) {
        if (i == 20) {
            cast_load(&c, &image);
        }
        CHECK_EQUAL(0, count_changed(&c));
        CHECK(mica_accessor_get_mut(&positions, e) != NULL);
        CHECK(mica_get_mut(c.world, e, type) != NULL);
        CHECK_EQUAL(1, count_changed(&c));
    }
    mica_buffer_free(&image);
    cast_end(&c);
}

// What is refused

static void a_type_without_fields_that_is_not_plain_is_not_saved(void)
{
    cast c;
    mica_buffer image = {0};
    cast_begin(&c);
    cast_save(&c, &image);
    size_t size = image.size;
    mica_type raw =
        mica_type_register(c.world, &(mica_type_desc){.name = "Raw", .size = 4, .align = 4});
    cast_save(&c, &image); // nobody has it
    CHECK(image.size > size);
    size = image.size;
    mica_spawn(c.world, MICA_ADD(raw));
    const mica_stream stream = {.buffer = &image};
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_world_save(c.world, &stream, NULL));
    CHECK_ERROR(&c.t, MICA_ERROR_TYPE,
                "mica_world_save: 'Raw' has no fields; name them with MICA_DESCRIBE (in C++ in a "
                "mica::about), declare it plain, or give it hooks to save and load");
    CHECK_EQUAL(size, image.size); // as it was
    mica_buffer_free(&image);
    cast_end(&c);
}

static void commands_that_wait_are_to_be_carried_out_first(void)
{
    cast c;
    mica_buffer image = {0};
    const mica_stream stream = {.buffer = &image};
    cast_begin(&c);
    cast_save(&c, &image);
    mica_world *commands = mica_commands_new(c.world);
    mica_entity made = mica_spawn_values(commands, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_save(c.world, &stream, NULL));
    CHECK_ERROR(&c.t, MICA_ERROR_ITERATING,
                "mica_world_save: commands wait; apply them first, with mica_commands_apply");
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_load(c.world, &stream, NULL));
    CHECK_ERROR(&c.t, MICA_ERROR_ITERATING,
                "mica_world_load: commands wait; apply them first, with mica_commands_apply");
    CHECK_EQUAL(MICA_OK, mica_commands_apply(commands));
    CHECK(mica_alive(c.world, made));
    cast_save(&c, &image);
    cast_load(&c, &image);
    CHECK(mica_alive(c.world, made));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_world_save(commands, &stream, NULL));
    test_error_clear(&c.t.error);
    mica_buffer_free(&image);
    cast_end(&c);
}

static mica_result refuse_load(void *target, const void *data, size_t size,
                               const mica_hook_context *context)
{
    (void)target, (void)data, (void)size;
    mica_hook_explain(context, "not today");
    return MICA_ERROR_ARGUMENT;
}

static void a_hook_that_fails_leaves_the_world_as_it_was(void)
{
    cast a;
    test_world t;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_play(&a, 2, 300);
    cast_save(&a, &image);
    mica_world *world = test_world_begin(&t);
    mica_hooks hooks = cast_text_hooks;
    hooks.load = refuse_load;
    mica_type_register(
        world, &(mica_type_desc){
                   .name = "Text", .size = sizeof(Text), .align = _Alignof(Text), .hooks = hooks});
    uint64_t digest = mica_world_digest(world);
    const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT};
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_world_load(world, &(mica_stream){.buffer = &image}, &keep));
    CHECK_ERROR(&t, MICA_ERROR_HOOK, "mica_world_load: the load hook of 'Text' failed: not today");
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(1, test_type_count(world)); // the others went again
    mica_buffer_free(&image);
    test_world_end(&t);
    cast_end(&a);
}

// Memory

static void saving_and_loading_need_little_memory_beside(void)
{
    test_world t, u;
    mica_world *world = test_world_begin(&t);
    mica_world *other = test_world_begin(&u);
    mica_buffer image = {0};
    enum { COUNT = 50000 };
    const mica_type_desc pair = MICA_DESCRIBE(Vec2, x, y);
    mica_type_desc second = pair;
    second.name = "Second";
    mica_type types[] = {mica_type_register(world, &pair), mica_type_register(world, &second)};
    mica_type_register(other, &pair);
    mica_type_register(other, &second);
    mica_bundle bundle = mica_bundle_new(world, types, 2);
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, COUNT, NULL, 0, NULL));
    t.memory.peak_bytes = t.memory.bytes;
    size_t before = t.memory.bytes;
    CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &image}, NULL));
    CHECK(t.memory.peak_bytes - before < (size_t)2 << 20); // half of what mica/image.h allows
    const mica_stream stream = {.data = image.data, .size = image.size};
    CHECK_EQUAL(MICA_OK, mica_world_load(other, &stream, NULL));
    CHECK_EQUAL(COUNT, mica_entity_count(other));
    CHECK(u.memory.peak_bytes - u.memory.bytes < image.size * 3 / 10);
    mica_buffer_free(&image);
    test_world_end(&t);
    test_world_end(&u);
}

static void an_image_can_be_a_part_of_a_stream(void)
{
    cast a, b;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_begin(&b);
    cast_play(&a, 1, 100);
    cast_save(&a, &image);
    unsigned char *more = malloc(image.size + 5);
    memcpy(more, image.data, image.size);
    memcpy(more + image.size, "after", 5);
    const mica_stream stream = {.data = more, .size = image.size + 5};
    CHECK_EQUAL(MICA_OK, mica_world_load(b.world, &stream, NULL));
    CHECK_EQUAL(mica_world_hash(a.world), mica_world_hash(b.world));
    free(more);
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

// Images of all versions there were, in both formats, and a part, as tests/image/golden.c wrote them (seed 1, 600
// operations).

static void images_of_every_version_are_loaded(void)
{
    static const struct {
        const char *path;
        uint64_t hash;
    } golden[] = {{TEST_GOLDEN "/version_1.mica", UINT64_C(0x2798f1d15e9f9e5c)},
                  {TEST_GOLDEN "/version_1.json", UINT64_C(0xa727ec62b2042a9b)},
                  {TEST_GOLDEN "/version_1.part.mica", UINT64_C(0xf0ac16f861755fa4)},
                  {TEST_GOLDEN "/version_2.mica", UINT64_C(0xa727ec62b2042a9b)},
                  {TEST_GOLDEN "/version_2.json", UINT64_C(0xa727ec62b2042a9b)},
                  {TEST_GOLDEN "/version_2.part.mica", UINT64_C(0xf0ac16f861755fa4)},
                  {TEST_GOLDEN "/version_3.mica", UINT64_C(0xa727ec62b2042a9b)},
                  {TEST_GOLDEN "/version_3.json", UINT64_C(0xa727ec62b2042a9b)},
                  {TEST_GOLDEN "/version_3.part.mica", UINT64_C(0xf0ac16f861755fa4)},
                  {TEST_GOLDEN "/version_4.mica", UINT64_C(0xa727ec62b2042a9b)},
                  {TEST_GOLDEN "/version_4.json", UINT64_C(0xa727ec62b2042a9b)},
                  {TEST_GOLDEN "/version_4.part.mica", UINT64_C(0xf0ac16f861755fa4)}};
    for (uint32_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        cast c;
        test_world t;
        mica_buffer image = {0};
        const mica_stream stream = {.path = golden[i].path};
        const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT};
        mica_world *world = test_world_begin(&t);
        cast_begin(&c);
        REQUIRE_EQUAL(MICA_OK, mica_world_load(c.world, &stream, NULL));
        CHECK_EQUAL(golden[i].hash, mica_world_hash(c.world));
        REQUIRE_EQUAL(MICA_OK, mica_world_load(world, &stream, &keep)); // knowing nothing
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        cast_play(&c, 1, 300);
        cast_save(&c, &image);
        cast_load(&c, &image);
        mica_buffer_free(&image);
        test_world_end(&t);
        cast_end(&c);
    }
}

static int later_first(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    return a->entity.bits > b->entity.bits ? -1 : 1;
}

// Of several groups that are alike, each has its own order.
static void groups_that_are_alike_keep_their_orders(void)
{
    cast a, b;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_begin(&b);
    cast_play(&a, 7, 400);
    const mica_type sparse[2] = {a.types[CAST_SPARSE], b.types[CAST_SPARSE]};
    mica_group twins[2][2];
    for (uint32_t i = 0; i < 2; i++) {
        twins[0][i] = mica_group_new(
            a.world, &(mica_group_desc){.required = {sparse[0], a.types[CAST_MARK]}});
        twins[1][i] = mica_group_new(
            b.world, &(mica_group_desc){.required = {sparse[1], b.types[CAST_MARK]}});
    }
    CHECK(test_group_count(a.world, twins[0][0]) > 1);
    mica_entity gone = mica_query_first(
        a.world, mica_query_new(a.world, &(mica_query_desc){.terms = {{sparse[0], MICA_WITH}}}));
    mica_group_sort(a.world, twins[0][1], sparse[0], later_first, NULL);
    mica_despawn(a.world, gone);
    cast_save(&a, &image);
    cast_load(&b, &image);
    CHECK_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

static void fall(mica_iter *it)
{
    *(double *)it->user = it->time;
}

static mica_phase add_schedule(cast *c, double fixed_dt, double *time)
{
    mica_phase phase =
        mica_phase_add(c->world, &(mica_phase_desc){.name = "physics", .fixed_dt = fixed_dt});
    mica_system_add(c->world, &(mica_system_desc){.name = "fall",
                                                  .update = fall,
                                                  .user = time,
                                                  .phase = phase,
                                                  .events = {{c->score, MICA_READ}}});
    return phase;
}

// S1.6: a manual phase is as far as it was, also one that is created after loading.
static void the_time_of_a_manual_phase_is_there_again(void)
{
    for (uint32_t early = 0; early < 2; early++) {
        cast of[2];
        double times[2] = {-1, -1};
        mica_phase turns[2];
        mica_buffer image = {0};
        for (uint32_t i = 0; i < 2; i++) {
            cast_begin(&of[i]);
            if (i == 1 && !early) {
                cast_load(&of[1], &image);
            }
            turns[i] =
                mica_phase_add(of[i].world, &(mica_phase_desc){.name = "turn", .manual = true});
            mica_system_add(of[i].world, &(mica_system_desc){.name = "fall",
                                                             .update = fall,
                                                             .user = &times[i],
                                                             .phase = turns[i]});
            if (i == 0) {
                CHECK_EQUAL(MICA_OK, mica_phases_run(of[0].world, turns, 1, 3.25));
                cast_save(&of[0], &image);
            } else if (early) {
                cast_load(&of[1], &image);
            }
        }
        CHECK_EQUAL(mica_world_digest(of[0].world), mica_world_digest(of[1].world));
        for (uint32_t i = 0; i < 2; i++) {
            CHECK_EQUAL(MICA_OK, mica_phases_run(of[i].world, &turns[i], 1, 1));
            CHECK(times[i] == 3.25);
            CHECK_EQUAL(MICA_OK, mica_world_validate(of[i].world));
        }
        CHECK_EQUAL(mica_world_digest(of[0].world), mica_world_digest(of[1].world));
        mica_buffer_free(&image);
        cast_end(&of[0]);
        cast_end(&of[1]);
    }
}

// What has a time step of its own is as far as it was, and so are those who read events there.
static void time_that_a_phase_had_is_there_again(void)
{
    cast a, b;
    double times[2] = {-1, -1};
    mica_buffer image = {0};
    cast_begin(&a);
    cast_begin(&b);
    mica_phase phase = add_schedule(&a, 0.25, &times[0]);
    mica_phase loaded = add_schedule(&b, 0.25, &times[1]);
    CHECK_EQUAL(MICA_OK, mica_step(a.world, 0.625));
    CHECK(times[0] == 0.25);
    cast_save(&a, &image);
    cast_load(&b, &image);
    CHECK(mica_phase_progress(a.world, phase) == 0.5);
    CHECK(mica_phase_progress(b.world, loaded) == 0.5);
    CHECK_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQUAL(MICA_OK, mica_step(a.world, 0.2));
        CHECK_EQUAL(MICA_OK, mica_step(b.world, 0.2));
        CHECK(times[0] == times[1]);
        CHECK_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
    }
    // A phase that is quicker now has not more than a run to do; and what an image does not know begins anew.
    cast c;
    cast_begin(&c);
    loaded = add_schedule(&c, 0.0625, &times[1]);
    cast_load(&c, &image);
    CHECK(mica_phase_progress(c.world, loaded) == 0);
    cast_end(&c);
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

// What a phase is late by is written by whoever wrote the image: 0 may have a sign, and nothing less is right.
static void no_phase_is_late_by_less_than_nothing(void)
{
    static const struct {
        const char *lag; // as wide as what was saved
        mica_result result;
    } cases[] = {{"0.25", MICA_OK}, {"-0  ", MICA_OK}, {"-0.2", MICA_ERROR_IMAGE}};
    cast a;
    double time = -1;
    mica_buffer image = {0};
    cast_begin(&a);
    mica_phase phase = add_schedule(&a, 1, &time);
    CHECK_EQUAL(MICA_OK, mica_step(a.world, 0.75));
    CHECK_EQUAL(MICA_OK, mica_world_save(a.world, &(mica_stream){.buffer = &image},
                                         &(mica_save_desc){.format = MICA_IMAGE_JSON}));
    static const char saved[] = "\"lag\": 0.75";
    size_t at = 0;
    while (at + sizeof saved <= image.size &&
           memcmp((char *)image.data + at, saved, sizeof saved - 1) != 0) {
        at++;
    }
    REQUIRE(at + sizeof saved <= image.size);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy((char *)image.data + at + sizeof saved - 1 - 4, cases[i].lag, 4);
        CHECK_EQUAL(cases[i].result,
                    mica_world_load(a.world, &(mica_stream){.buffer = &image}, NULL));
        CHECK_EQUAL(cases[i].result != MICA_OK, test_error_clear(&a.t.error));
        CHECK(mica_phase_progress(a.world, phase) == (i == 0 ? 0.25 : 0));
        CHECK_EQUAL(MICA_OK, mica_world_validate(a.world));
    }
    mica_buffer_free(&image);
    cast_end(&a);
}

// A stream of the user's, who looks at the world all the time.
typedef struct onlooker {
    mica_world *world;
    mica_buffer *from;
    size_t at;
    uint32_t looks;
} onlooker;

static void look(onlooker *o)
{
    o->looks++;
    CHECK_EQUAL(MICA_OK, mica_world_validate(o->world));
}

static bool look_and_write(void *user, const void *data, size_t size)
{
    (void)data;
    (void)size;
    look(user);
    return true;
}

static size_t look_and_read(void *user, void *data, size_t size)
{
    onlooker *o = user;
    look(o);
    size_t rest = o->from->size - o->at;
    size_t count = size < rest ? size : rest;
    count = count < 100 ? count : 100;
    memcpy(data, o->from->data + o->at, count);
    o->at += count;
    return count;
}

static void look_and_listen(mica_world *world, const mica_load_note *note, void *user)
{
    (void)world;
    (void)note;
    look(user);
}

static void functions_of_streams_find_the_world_whole(void)
{
    cast a;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_play(&a, 7, 200);
    cast_save(&a, &image);
    onlooker o = {.world = a.world, .from = &image};
    const mica_stream stream = {.write = look_and_write, .read = look_and_read, .user = &o};
    CHECK_EQUAL(MICA_OK, mica_world_save(a.world, &stream, NULL));
    CHECK(o.looks > 0);
    o.looks = 0;
    CHECK_EQUAL(MICA_OK, mica_world_load(a.world, &stream, NULL));
    CHECK(o.looks > 10);
    cast_end(&a);
    test_world empty;
    o = (onlooker){.world = test_world_begin(&empty), .from = &image};
    CHECK_EQUAL(MICA_OK, mica_world_load(o.world, &stream,
                                         &(mica_load_desc){.unknown = MICA_UNKNOWN_KEPT,
                                                           .listener = look_and_listen,
                                                           .user = &o}));
    test_world_end(&empty);
    mica_buffer_free(&image);
}

TESTS(image, functions_of_streams_find_the_world_whole, groups_that_are_alike_keep_their_orders,
      time_that_a_phase_had_is_there_again, the_time_of_a_manual_phase_is_there_again,
      no_phase_is_late_by_less_than_nothing, a_world_that_was_saved_is_loaded_as_it_was,
      slots_that_are_retired_stay_so, a_world_that_was_loaded_goes_on_as_the_other_would_have,
      what_works_on_a_world_works_on_what_was_loaded, groups_of_a_world_take_in_who_belongs_there,
      resources_and_events_are_loaded_if_their_types_are_saved,
      a_query_with_a_name_goes_on_seeing_what_changed,
      what_is_written_at_a_tick_that_was_there_before_has_changed,
      a_type_without_fields_that_is_not_plain_is_not_saved,
      commands_that_wait_are_to_be_carried_out_first, a_hook_that_fails_leaves_the_world_as_it_was,
      saving_and_loading_need_little_memory_beside, an_image_can_be_a_part_of_a_stream,
      images_of_every_version_are_loaded)
