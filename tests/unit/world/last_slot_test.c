// Tests of entities in the last slots that a handle can name. The list of pages is 8 MB long then; in a
// library with pages of four slots it would take 8 GB, so the tests are for the others.
#include "state/state.h"
#include "unit/world/fixture.h"

// UINT32_MAX itself is the number of no slot.
enum { LAST = 0, BEFORE = 1 };

static mica_entity slot_from_the_end(uint32_t distance, uint32_t generation)
{
    return mica_entity_make(UINT32_MAX - 1 - distance, generation);
}

typedef struct scene {
    fixture f;
    mica_world *world;
    mica_type sparse;
    mica_entity last;
} scene;

static void skip_small_pages(void)
{
    if (MICA_VIEW_SLOT_SHIFT < 12) {
        SKIP("a list of small pages would take 8 GB");
    }
}

static void begin(scene *s)
{
    skip_small_pages();
    fixture_begin(&s->f);
    s->world = s->f.world;
    s->sparse = mica_type_register(s->world, &(mica_type_desc){.name = "Sparse",
                                                               .size = sizeof(uint32_t),
                                                               .align = _Alignof(uint32_t),
                                                               .storage = MICA_SPARSE});
    s->last = mica_spawn_at(s->world, slot_from_the_end(LAST, 0));
    REQUIRE(!MICA_IS_NONE(s->last));
}

#define CHECK_HEALTHY(s) CHECK_EQUAL(MICA_OK, mica_world_validate((s)->world))

static uint32_t count_all(mica_world *world, mica_entity *seen_last_out)
{
    uint32_t count = 0;
    *seen_last_out = (mica_entity){0};
    for (mica_entity e = mica_entity_next(world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(world, e)) {
        *seen_last_out = e;
        count++;
    }
    return count;
}

static void an_entity_can_have_the_last_slot(void)
{
    scene s;
    begin(&s);
    CHECK_HEALTHY(&s);
    CHECK(mica_alive(s.world, s.last));
    CHECK_EQUAL(UINT32_MAX - 1, mica_entity_slot(s.last));
    REQUIRE(!MICA_IS_NONE(mica_spawn_at(s.world, slot_from_the_end(BEFORE, 5))));
    mica_entity first = mica_spawn_values(s.world, NULL, 0);
    CHECK_EQUAL(0, mica_entity_slot(first));
    mica_entity seen;
    CHECK_EQUAL(3, count_all(s.world, &seen));
    CHECK_EQUAL(s.last.bits, seen.bits);
    CHECK_HEALTHY(&s);
    fixture_end(&s.f);
}

static void it_has_components_a_name_and_facets_like_any_other(void)
{
    scene s;
    begin(&s);
    uint32_t number = 7;
    CHECK_EQUAL(MICA_OK, mica_set(s.world, s.last, MICA_VALUE(s.f.position, Position, 1, 2)));
    CHECK_EQUAL(MICA_OK, mica_set(s.world, s.last, MICA_COPY_OF(s.sparse, number)));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(s.world, s.last, "last"));
    CHECK_HEALTHY(&s);
    mica_entity facet = mica_facet_add(s.world, s.last, s.f.position, 1, MICA_ADD(s.sparse));
    CHECK_EQUAL(facet.bits, mica_facet_find(s.world, s.last, s.f.position, 1).bits);
    CHECK_EQUAL(s.last.bits, mica_facet_owner(s.world, facet).bits);
    CHECK_EQUAL(s.last.bits, mica_entity_find(s.world, "last").bits);
    CHECK_EQUAL(7, *MICA_GET(s.world, s.last, s.sparse, uint32_t));
    CHECK_HEALTHY(&s);
    mica_entity clone = mica_clone(s.world, s.last);
    CHECK_EQUAL(7, *MICA_GET(s.world, clone, s.sparse, uint32_t));
    CHECK_EQUAL(MICA_OK, mica_remove(s.world, s.last, s.sparse));
    CHECK(!mica_has(s.world, s.last, s.sparse));
    CHECK_HEALTHY(&s);
    fixture_end(&s.f);
}

static void a_query_iterates_it_in_tables_and_in_pools(void)
{
    scene s;
    begin(&s);
    REQUIRE_EQUAL(MICA_OK, mica_add(s.world, s.last, s.f.position));
    REQUIRE_EQUAL(MICA_OK, mica_add(s.world, s.last, s.sparse));
    const mica_type types[] = {s.f.position, s.sparse};
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t rows = 0;
        mica_query query =
            mica_query_new(s.world, &(mica_query_desc){.terms = {{types[i], MICA_WRITE}}});
        mica_iter it;
        REQUIRE_EQUAL(MICA_OK, mica_iter_begin(s.world, query, &it));
        while (mica_iter_next(&it)) {
            rows += it.count;
            CHECK_EQUAL(s.last.bits, it.entities[0].bits);
        }
        CHECK_EQUAL(1, rows);
    }
    CHECK_HEALTHY(&s);
    fixture_end(&s.f);
}

static void the_last_slot_is_used_again_after_its_entity(void)
{
    scene s;
    begin(&s);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(s.world, s.last));
    CHECK_HEALTHY(&s);
    mica_entity again = mica_spawn_values(s.world, NULL, 0);
    CHECK_EQUAL(slot_from_the_end(LAST, 1).bits, again.bits);
    REQUIRE_EQUAL(MICA_OK, mica_world_clear(s.world));
    CHECK_HEALTHY(&s);
    REQUIRE(!MICA_IS_NONE(mica_spawn_at(s.world, slot_from_the_end(LAST, 4))));
    CHECK_HEALTHY(&s);
    fixture_end(&s.f);
}

static void the_number_of_no_slot_is_refused_beside_it(void)
{
    scene s;
    begin(&s);
    const mica_entity nobody = mica_entity_make(UINT32_MAX, 0);
    CHECK(!mica_alive(s.world, nobody));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(s.world, nobody));
    CHECK_ERROR(&s.f.t, MICA_ERROR_ENTITY,
                "mica_despawn: 0x00000001ffffffff is no handle of any entity");
    mica_world *later = mica_world_later(s.world);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_despawn(later, nobody));
    CHECK_ERROR(&s.f.t, MICA_ERROR_ENTITY,
                "mica_despawn: 0x00000001ffffffff is no handle of any entity");
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_add(later, nobody, s.f.position));
    CHECK_ERROR(&s.f.t, MICA_ERROR_ENTITY,
                "mica_add: 0x00000001ffffffff is no handle of any entity");
    CHECK_EQUAL(0, mica_commands_count(later));
    CHECK(MICA_IS_NONE(mica_spawn_at(s.world, nobody)));
    CHECK_EQUAL(1, test_error_clear(&s.f.t.error));
    fixture_end(&s.f);
}

static void entities_to_be_are_counted_beside_it(void)
{
    scene s;
    begin(&s);
    mica_world *later = mica_world_later(s.world);
    mica_entity spawned = mica_spawn(later, MICA_ADD(s.f.position));
    CHECK_HEALTHY(&s);
    CHECK_EQUAL(MICA_OK, mica_despawn(later, s.last));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(s.world));
    CHECK(mica_alive(s.world, spawned) && !mica_alive(s.world, s.last));
    CHECK_HEALTHY(&s);
    fixture_end(&s.f);
}

static void reclaiming_gives_its_page_back_and_the_dead_stay_dead(void)
{
    scene s;
    begin(&s);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(s.world));
    CHECK_HEALTHY(&s);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(s.world, s.last));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(s.world));
    CHECK_POINTER(NULL, micai_slots_look(&s.world->state->slots, UINT32_MAX - 1));
    CHECK_HEALTHY(&s);
    CHECK(MICA_IS_NONE(mica_spawn_at(s.world, s.last)));
    CHECK_ERROR(&s.f.t, MICA_ERROR_OCCUPIED,
                "mica_spawn_at: slot 4294967294 has moved past generation 0; its next is 1");
    CHECK_EQUAL(0, mica_entity_slot(mica_spawn_values(s.world, NULL, 0)));
    CHECK_HEALTHY(&s);
    fixture_end(&s.f);
}

static mica_type register_plain(mica_world *world)
{
    return mica_type_register(world, &(mica_type_desc){.name = "Plain",
                                                       .size = sizeof(uint32_t),
                                                       .align = _Alignof(uint32_t),
                                                       .plain = true});
}

// Saves a world and loads the image into another, which must then be the same.
static void check_image(mica_world *world, mica_image_format format)
{
    mica_buffer image = {0};
    const mica_save_desc desc = {.format = format};
    REQUIRE_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &image}, &desc));
    mica_world *other = mica_world_new(NULL);
    register_plain(other);
    REQUIRE_EQUAL(MICA_OK, mica_world_load(other, &(mica_stream){.buffer = &image}, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_validate(other));
    CHECK_EQUAL(mica_world_hash(world), mica_world_hash(other));
    CHECK_EQUAL(mica_spawn_values(world, NULL, 0).bits, mica_spawn_values(other, NULL, 0).bits);
    CHECK_EQUAL(MICA_OK, mica_world_free(other));
    mica_buffer_free(&image);
}

static void check_images(mica_image_format format)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type plain = register_plain(world);
    mica_entity last = mica_spawn_at(world, slot_from_the_end(LAST, 0));
    REQUIRE_EQUAL(MICA_OK, mica_add(world, last, plain));
    REQUIRE_EQUAL(MICA_OK, mica_entity_set_name(world, last, "last"));
    check_image(world, format);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(world, last));
    check_image(world, format);
    REQUIRE_EQUAL(MICA_OK, mica_world_clear(world));
    REQUIRE_EQUAL(MICA_OK, mica_world_reclaim(world));
    check_image(world, format);
    test_world_end(&t);
}

static void images_carry_the_last_slot_alive_free_and_given_back(void)
{
    skip_small_pages();
    check_images(MICA_IMAGE_BINARY);
    check_images(MICA_IMAGE_JSON);
}

TESTS(last_slot, an_entity_can_have_the_last_slot,
      it_has_components_a_name_and_facets_like_any_other,
      a_query_iterates_it_in_tables_and_in_pools, the_last_slot_is_used_again_after_its_entity,
      the_number_of_no_slot_is_refused_beside_it, entities_to_be_are_counted_beside_it,
      reclaiming_gives_its_page_back_and_the_dead_stay_dead,
      images_carry_the_last_slot_alive_free_and_given_back)
