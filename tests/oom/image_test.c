// Images, with the k-th allocation refused, for all k: the call fails and changes nothing.
#include <mica.h>

#include "oom/sites.h"
#include "runner/folder.h"
#include "runner/test.h"
#include "unit/image/cast.h"

static void begin(cast *c, void (*fill)(cast *c))
{
    test_world_prepare(&c->t);
    sites_watch(&c->t);
    c->world = test_world_open(&c->t);
    fill(c);
}

static void saving_survives_every_refusal(void)
{
    cast c;
    mica_buffer image = {0};
    begin(&c, cast_fill);
    cast_play(&c, 8, 150);
    cast_save(&c, &image);
    size_t size = image.size;
    cast_play(&c, 9, 50);
    bool done = false;
    for (uint64_t k = 1; !done; k++) {
        test_memory_fail_at(&c.t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = mica_world_save(c.world, &(mica_stream){.buffer = &image}, NULL);
        done = c.t.memory.refusals == 0;
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(done ? MICA_OK : MICA_ERROR_MEMORY, result);
        CHECK(done || image.size == size);
        test_error_clear(&c.t.error);
    }
    mica_buffer_free(&image);
    cast_end(&c);
}

// With ever later allocations refused, until it needs fewer.
static void load_without_memory(cast *c, const mica_stream *stream)
{
    uint64_t digest = mica_world_digest(c->world);
    bool done = false;
    for (uint64_t k = 1; !done; k++) {
        test_memory_fail_at(&c->t.memory, k, TEST_MEMORY_ONCE);
        // every second load notifies observers
        const mica_load_desc desc = {.notify = k % 2 == 0};
        mica_result result = mica_world_load(c->world, stream, &desc);
        done = c->t.memory.refusals == 0;
        test_memory_fail_at(&c->t.memory, 0, TEST_MEMORY_ONCE);
        if (result) { // also if it is a hook that got none
            CHECK(result == MICA_ERROR_MEMORY || result == MICA_ERROR_HOOK);
            CHECK(!done);
            CHECK_EQUAL(digest, mica_world_digest(c->world));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(c->world));
        test_error_clear(&c->t.error);
        if (!result && !done) { // what it did not get, it did not need
            mica_spawn_values(c->world, NULL, 0);
            digest = mica_world_digest(c->world);
        }
    }
}

static void read_named(cast *c, mica_type type, const char *name)
{
    mica_cursor cursor = {.name = name};
    uint32_t count;
    mica_events(c->world, type, &cursor, &count);
    CHECK(cursor.next == 0); // the position is in the world
}

// Slots that were given back, events, and named cursors that have read some.
static void leave_behind(cast *c)
{
    mica_entity gone[2000];
    for (uint32_t i = 0; i < 2000; i++) {
        gone[i] = mica_spawn_values(c->world, NULL, 0);
    }
    CHECK_EQUAL(MICA_OK, mica_despawn_many(c->world, gone, 2000));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(c->world));
    CHECK_EQUAL(MICA_OK, mica_send(c->world, MICA_VALUE(c->score, Vec2, 1, 2)));
    for (uint32_t i = 0; i < 20; i++) {
        char name[8] = "a name";
        name[0] = (char)('a' + i);
        read_named(c, c->score, name);
    }
}

static void loading_survives_every_refusal(void)
{
    cast a, b;
    mica_buffer image = {0};
    begin(&a, cast_fill);
    cast_play(&a, 8, 150);
    leave_behind(&a);
    cast_save(&a, &image);
    for (uint32_t otherwise = 0; otherwise < 2; otherwise++) {
        begin(&b, otherwise ? cast_fill_otherwise : cast_fill);
        mica_spawn_values(b.world, NULL, 0);
        mica_send(b.world, MICA_VALUE(b.score, Vec2, 3, 4));
        read_named(&b, b.secret, "stays");
        load_without_memory(&b, &(mica_stream){.data = image.data, .size = image.size});
        CHECK_EQUAL(mica_world_hash(a.world), mica_world_hash(b.world));
        cast_end(&b);
    }
    mica_buffer_free(&image);
    cast_end(&a);
}

static void types_that_are_kept_go_again_at_every_refusal(void)
{
    cast a;
    mica_buffer image = {0};
    begin(&a, cast_fill);
    cast_play(&a, 8, 60);
    cast_save(&a, &image);
    const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT};
    test_world t;
    test_world_prepare(&t);
    sites_watch(&t);
    mica_world *world = test_world_open(&t);
    MICA_SPARSE_TAG(world, Own);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONWARDS);
        result = mica_world_load(world, &(mica_stream){.buffer = &image}, &keep);
        test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(result ? 1 : test_type_count(a.world) + 1, test_type_count(world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        test_error_clear(&t.error);
    }
    CHECK_EQUAL(mica_entity_count(a.world), mica_entity_count(world));
    mica_buffer_free(&image);
    test_world_end(&t);
    cast_end(&a);
}

static void json_in_files_survives_every_refusal(void)
{
    cast c;
    test_folder folder;
    test_folder_begin(&folder);
    const mica_stream stream = {.path = test_folder_path(&folder, "world")};
    const mica_save_desc json = {.format = MICA_IMAGE_JSON};
    begin(&c, cast_fill);
    cast_play(&c, 8, 20);
    bool done = false;
    for (uint64_t k = 1; !done; k++) {
        test_memory_fail_at(&c.t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = mica_world_save(c.world, &stream, &json);
        done = c.t.memory.refusals == 0;
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(done ? MICA_OK : MICA_ERROR_MEMORY, result);
        CHECK_EQUAL(done, test_folder_count(&folder)); // nothing is left there
        test_error_clear(&c.t.error);
    }
    uint64_t hash = mica_world_hash(c.world);
    mica_world_clear(c.world);
    load_without_memory(&c, &stream);
    CHECK_EQUAL(hash, mica_world_hash(c.world));
    cast_end(&c);
    test_folder_end(&folder);
}

static void save_part(cast *c, mica_buffer *image, mica_result *result_out)
{
    mica_query all = mica_query_new(
        c->world, &(mica_query_desc){.terms = {{c->types[CAST_STABLE], MICA_WITHOUT}}});
    for (uint64_t k = 1; *result_out; k++) {
        test_memory_fail_at(&c->t.memory, k, TEST_MEMORY_ONWARDS);
        *result_out = mica_subset_save(c->world, all, &(mica_stream){.buffer = image}, NULL, NULL);
        test_memory_fail_at(&c->t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(*result_out ? image->size == 0 : k > 1);
        test_error_clear(&c->t.error);
    }
}

static void watch(const mica_observer_event *h)
{
    (void)h;
}

// Into worlds of the same and of other storages, and into one that knows no types.
static void parts_survive_every_refusal(void)
{
    cast a, b;
    mica_buffer image = {0};
    mica_result result = MICA_ERROR_MEMORY;
    begin(&a, cast_fill);
    cast_play(&a, 8, 250);
    save_part(&a, &image, &result);
    const mica_stream stream = {.data = image.data, .size = image.size};
    const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT, .drop_names = true};
    for (uint32_t way = 0; way < 3; way++) {
        test_world_prepare(&b.t);
        sites_watch(&b.t);
        b.world = test_world_open(&b.t);
        if (way < 2) {
            (way ? cast_fill_otherwise : cast_fill)(&b);
            cast_play(&b, 9, way ? 0 : 100);
        }
        mica_observer_new(b.world, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = watch});
        mica_entity_set_name(b.world, mica_spawn_values(b.world, NULL, 0), "somebody");
        uint64_t digest = mica_world_digest(b.world);
        uint32_t types = test_type_count(b.world);
        result = MICA_ERROR_MEMORY;
        for (uint64_t k = 1; result; k++) {
            test_memory_fail_at(&b.t.memory, k, TEST_MEMORY_ONWARDS);
            result = mica_subset_load(b.world, &stream, &keep, NULL, 0, NULL);
            test_memory_fail_at(&b.t.memory, 0, TEST_MEMORY_ONCE);
            CHECK(!result ||
                  (digest == mica_world_digest(b.world) && types == test_type_count(b.world)));
            CHECK_EQUAL(MICA_OK, mica_world_validate(b.world));
            test_error_clear(&b.t.error);
        }
        CHECK(digest != mica_world_digest(b.world));
        cast_end(&b);
    }
    mica_buffer_free(&image);
    cast_end(&a);
}

TESTS(image, parts_survive_every_refusal, saving_survives_every_refusal,
      loading_survives_every_refusal, json_in_files_survives_every_refusal,
      types_that_are_kept_go_again_at_every_refusal)
