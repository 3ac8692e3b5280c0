// Z5: links in images that are odd or hostile, subsets, twins, deltas and tapes.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

enum { CROWD = 24 };

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type name;
    mica_relation child_of;
    mica_type type; // of the relation
    uint64_t random;
} scene;

static void scene_open(scene *s, mica_cleanup cleanup)
{
    s->world = test_world_begin(&s->t);
    s->name = MICA_TAG(s->world, Named);
    s->child_of =
        mica_relation_add(s->world, &(mica_relation_desc){.name = "ChildOf", .cleanup = cleanup});
    s->type = mica_relation_type(s->world, s->child_of);
    s->random = 7;
}

static void scene_begin(scene *s)
{
    scene_open(s, MICA_CASCADE);
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

static uint32_t below(scene *s, uint32_t end)
{
    s->random = s->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(s->random >> 33) % end;
}

static mica_entity spawn(scene *s)
{
    return mica_spawn(s->world, MICA_ADD(s->name));
}

// A world in which "ChildOf" is a plain component.
typedef struct stranger {
    test_world t;
    mica_world *world;
    mica_type type;
    mica_entity a, b;
    mica_buffer buffer;
} stranger;

static void stranger_begin(stranger *o)
{
    static const mica_field_info field = {.name = "target", .kind = MICA_KIND_ENTITY};
    o->world = test_world_begin(&o->t);
    o->type = mica_type_register(o->world, &(mica_type_desc){.name = "ChildOf",
                                                             .size = sizeof(mica_entity),
                                                             .align = _Alignof(mica_entity),
                                                             .fields = &field,
                                                             .field_count = 1,
                                                             .storage = MICA_SPARSE});
    o->a = mica_spawn_values(o->world, NULL, 0);
    o->b = mica_spawn_values(o->world, NULL, 0);
    o->buffer = (mica_buffer){0};
}

static void stranger_link(stranger *o, mica_entity source, mica_entity target)
{
    CHECK_EQUAL(MICA_OK, mica_set_value(o->world, source, o->type, &target, sizeof target));
}

static mica_result stranger_load(stranger *o, mica_world *world, mica_image_format format)
{
    const mica_save_desc desc = {.format = format};
    mica_buffer_free(&o->buffer);
    CHECK_EQUAL(MICA_OK, mica_world_save(o->world, &(mica_stream){.buffer = &o->buffer}, &desc));
    return mica_world_load(world, &(mica_stream){.buffer = &o->buffer}, NULL);
}

static void stranger_end(stranger *o)
{
    mica_buffer_free(&o->buffer);
    test_world_end(&o->t);
}

TEST_WITH(scene, s, images_of_plain_values_become_links)
{
    stranger other;
    stranger_begin(&other);
    stranger_link(&other, other.a, other.b);
    CHECK_EQUAL(MICA_OK, stranger_load(&other, s->world, MICA_IMAGE_BINARY));
    CHECK(MICA_EQUAL(other.b, mica_target(s->world, other.a, s->child_of)));
    CHECK_EQUAL(1, mica_source_count(s->world, other.b, s->child_of));
    stranger_end(&other);
}

TEST_WITH(scene, s, images_with_values_that_cannot_be_links_are_refused)
{
    mica_entity old = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_link(s->world, spawn(s), s->child_of, old));
    uint64_t digest = mica_world_digest(s->world);
    for (uint32_t format = 0; format < MICA_IMAGE_FORMAT_COUNT; format++) {
        stranger other;
        stranger_begin(&other);
        stranger_link(&other, other.a, other.b);
        stranger_link(&other, other.b, other.a);
        CHECK_EQUAL(MICA_ERROR_IMAGE, stranger_load(&other, s->world, (mica_image_format)format));
        CHECK(strstr(mica_last_error(s->world)->sentence,
                     "the image is damaged: 'ChildOf' of entity 0.0 is part of a cycle, with 1.0"));
        CHECK_REPORTED(&s->t, MICA_ERROR_IMAGE);
        stranger_link(&other, other.b, (mica_entity){0});
        CHECK_EQUAL(MICA_ERROR_IMAGE, stranger_load(&other, s->world, (mica_image_format)format));
        CHECK_REPORTED(&s->t, MICA_ERROR_IMAGE);
        stranger_link(&other, other.b, mica_entity_make(77, 3));
        CHECK_EQUAL(MICA_ERROR_IMAGE, stranger_load(&other, s->world, (mica_image_format)format));
        CHECK_REPORTED(&s->t, MICA_ERROR_IMAGE);
        CHECK_EQUAL(digest, mica_world_digest(s->world));
        stranger_end(&other);
    }
}

TEST_WITH(scene, s, images_keep_the_order_of_sources)
{
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    mica_entity root = spawn(s);
    mica_entity list[3];
    for (int i = 0; i < 3; i++) {
        list[i] = spawn(s);
        CHECK_EQUAL(MICA_OK, i == 0 ? mica_link(s->world, list[i], s->child_of, root)
                                    : mica_link_before(s->world, list[i], s->child_of, list[0]));
    }
    CHECK_EQUAL(MICA_OK, mica_world_save(s->world, &stream, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_load(s->world, &stream, NULL));
    const mica_entity expected[] = {list[1], list[2], list[0]};
    mica_entity found[3] = {{0}};
    CHECK_EQUAL(3, mica_sources(s->world, root, s->child_of, 0, found, 3));
    CHECK(memcmp(expected, found, sizeof found) == 0);
    mica_buffer_free(&buffer);
}

TEST_WITH(scene, s, relations_may_be_added_after_an_image_was_loaded)
{
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    mica_entity root = spawn(s);
    mica_entity child = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_link(s->world, child, s->child_of, root));
    CHECK_EQUAL(MICA_OK, mica_world_save(s->world, &stream, NULL));
    test_world fresh;
    mica_world *world = test_world_begin(&fresh);
    CHECK_EQUAL(MICA_OK,
                mica_world_load(world, &stream, &(mica_load_desc){.unknown = MICA_UNKNOWN_KEPT}));
    mica_relation child_of =
        mica_relation_add(world, &(mica_relation_desc){.name = "ChildOf", .cleanup = MICA_CASCADE});
    CHECK(MICA_EQUAL(root, mica_target(world, child, child_of)));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    mica_buffer_free(&buffer);
    test_world_end(&fresh);
}

// A tree in which all entities are picked but the root.
TEST_WITH(scene, s, subsets_keep_the_order_of_sources)
{
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    mica_entity root = mica_spawn_values(s->world, NULL, 0);
    mica_entity middle = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_link(s->world, middle, s->child_of, root));
    mica_entity list[CROWD];
    mica_entity loaded[CROWD + 1];
    for (uint32_t i = 0; i < CROWD; i++) {
        list[i] = spawn(s);
        CHECK_EQUAL(MICA_OK, i % 3 == 2
                                 ? mica_link_before(s->world, list[i], s->child_of, list[i / 2])
                                 : mica_link(s->world, list[i], s->child_of, middle));
        CHECK_EQUAL(MICA_OK,
                    mica_entity_set_name(s->world, list[i], (char[]){'a' + (char)i, '\0'}));
    }
    mica_query query =
        mica_query_new(s->world, &(mica_query_desc){.terms = {{s->name, MICA_WITH}}});
    for (int twice = 0; twice < 2; twice++) {
        const mica_save_desc desc = {.format = twice ? MICA_IMAGE_JSON : MICA_IMAGE_BINARY};
        mica_subset_stats stats;
        mica_buffer_free(&buffer);
        CHECK_EQUAL(MICA_OK, mica_subset_save(s->world, query, &stream, &desc, NULL));
        test_world fresh;
        mica_world *world = test_world_begin(&fresh);
        MICA_TAG(world, Named);
        mica_relation child_of = mica_relation_add(
            world, &(mica_relation_desc){.name = "ChildOf", .cleanup = MICA_CASCADE});
        mica_entity own = mica_spawn_values(world, NULL, 0);
        CHECK_EQUAL(MICA_OK, mica_link(world, own, child_of, mica_spawn_values(world, NULL, 0)));
        CHECK_EQUAL(MICA_OK, mica_subset_load(world, &stream, NULL, loaded, CROWD + 1, &stats));
        CHECK_EQUAL(CROWD + 1, stats.entities);
        CHECK_EQUAL(1, stats.lost_references);
        mica_entity copy = mica_target(world, mica_entity_find(world, "a"), child_of);
        mica_entity expected[CROWD];
        mica_entity found[CROWD] = {{0}};
        CHECK_EQUAL(CROWD, mica_sources(s->world, middle, s->child_of, 0, expected, CROWD));
        CHECK_EQUAL(CROWD, mica_sources(world, copy, child_of, 0, found, CROWD));
        for (uint32_t i = 0; i < CROWD; i++) {
            CHECK_TEXT(mica_entity_name(s->world, expected[i]), mica_entity_name(world, found[i]));
        }
        CHECK(MICA_IS_NONE(mica_target(world, copy, child_of)));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        test_world_end(&fresh);
    }
    mica_buffer_free(&buffer);
}

// Random changes of a forest.
static void change(scene *s, mica_world *world, mica_entity *list)
{
    mica_entity *one = &list[below(s, CROWD)];
    mica_entity other = list[below(s, CROWD)];
    switch (below(s, 6)) {
    case 0:
        if (mica_alive(s->world, *one)) {
            CHECK_EQUAL(MICA_OK, mica_despawn(world, *one));
        }
        break;
    case 1:
        if (mica_alive(s->world, *one)) {
            CHECK_EQUAL(MICA_OK, mica_unlink(world, *one, s->child_of, (mica_entity){0}));
        }
        break;
    default:
        if (!mica_alive(s->world, *one)) {
            *one = mica_spawn(world, MICA_ADD(s->name));
        }
        if (mica_alive(s->world, *one) && mica_alive(s->world, other) && !MICA_EQUAL(*one, other) &&
            !mica_is_under(s->world, other, s->child_of, *one)) {
            CHECK_EQUAL(MICA_OK, mica_link(world, *one, s->child_of, other));
        }
        break;
    }
}

static void check_same(const scene *s, mica_world *other, mica_relation child_of,
                       const mica_entity *list)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        if (mica_alive(s->world, list[i])) {
            mica_entity a[CROWD], b[CROWD];
            uint32_t count = mica_sources(s->world, list[i], s->child_of, 0, a, CROWD);
            CHECK_EQUAL(count, mica_sources(other, list[i], child_of, 0, b, CROWD));
            CHECK(memcmp(a, b, count * sizeof *a) == 0);
        }
    }
    CHECK_EQUAL(mica_world_digest(s->world), mica_world_digest(other));
}

TEST_WITH(scene, s, twins_have_the_same_links_in_the_same_order)
{
    mica_entity list[CROWD] = {{0}};
    test_world twin;
    mica_world *other = test_world_begin_twin(&twin, s->world);
    CHECK_EQUAL(MICA_OK, mica_time_begin(s->world, NULL));
    for (uint32_t round = 0; round < 40; round++) {
        for (uint32_t i = 0; i < 20; i++) {
            change(s, s->world, list);
        }
        CHECK_EQUAL(MICA_OK, mica_snapshot_copy(s->world, mica_snapshot_take(s->world), other));
        CHECK_EQUAL(MICA_OK, mica_world_validate(other));
        check_same(s, other, s->child_of, list);
    }
    test_world_end(&twin);
}

static void run_deltas(mica_cleanup cleanup)
{
    scene own;
    scene *s = &own;
    scene_open(s, cleanup);
    mica_entity list[CROWD] = {{0}};
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    test_world twin;
    mica_world *other = test_world_begin_twin(&twin, s->world);
    CHECK_EQUAL(MICA_OK, mica_time_begin(s->world, NULL));
    mica_snapshot before = mica_snapshot_take(s->world);
    CHECK_EQUAL(MICA_OK, mica_snapshot_copy(s->world, before, other));
    for (uint32_t round = 0; round < 60; round++) {
        for (uint32_t i = 0; i < 15; i++) {
            change(s, s->world, list);
        }
        mica_snapshot after = mica_snapshot_take(s->world);
        mica_buffer_free(&buffer);
        CHECK_EQUAL(MICA_OK, mica_delta_save(s->world, before, after, &stream, NULL));
        CHECK_EQUAL(MICA_OK, mica_delta_load(other, &stream));
        CHECK_EQUAL(MICA_OK, mica_world_validate(other));
        CHECK_EQUAL(mica_world_hash(s->world), mica_world_hash(other));
        before = after;
    }
    mica_buffer_free(&buffer);
    test_world_end(&twin);
    scene_end(s);
}

static void deltas_have_links(void)
{
    run_deltas(MICA_CASCADE);
    run_deltas(MICA_UNLINK);
    run_deltas(MICA_LIFT);
}

TEST_WITH(scene, s, tapes_have_links)
{
    mica_entity list[CROWD] = {{0}};
    mica_buffer tape = {0};
    mica_world *input = mica_tape_begin(s->world, &(mica_stream){.buffer = &tape}, NULL);
    for (uint32_t round = 0; round < 30; round++) {
        for (uint32_t i = 0; i < 6; i++) {
            change(s, input, list);
            mica_entity a = list[below(s, CROWD)];
            mica_entity b = list[below(s, CROWD)];
            if (mica_alive(s->world, a) && mica_alive(s->world, b) && !MICA_EQUAL(a, b) &&
                !mica_is_under(s->world, b, s->child_of, a) &&
                !MICA_IS_NONE(mica_target(s->world, b, s->child_of))) {
                CHECK_EQUAL(MICA_OK, mica_link_before(input, a, s->child_of, b));
            }
        }
        (void)mica_step(s->world, 1);
        (void)test_error_clear(&s->t.error); // cycles of one step, siblings that were unlinked
    }
    CHECK_EQUAL(MICA_OK, mica_tape_end(s->world));
    scene again;
    scene_begin(&again);
    CHECK_EQUAL(MICA_OK, mica_tape_play(again.world, &(mica_stream){.buffer = &tape}, 0, 0, NULL));
    (void)test_error_clear(&again.t.error);
    check_same(s, again.world, again.child_of, list);
    scene_end(&again);
    mica_buffer_free(&tape);
}

TESTS(relation_store, images_of_plain_values_become_links,
      images_with_values_that_cannot_be_links_are_refused, images_keep_the_order_of_sources,
      relations_may_be_added_after_an_image_was_loaded, subsets_keep_the_order_of_sources,
      twins_have_the_same_links_in_the_same_order, deltas_have_links, tapes_have_links)
