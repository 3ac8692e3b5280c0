// Breaks what relations keep, and expects validation to name the invariant.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "relation/relation.h"
#include "runner/test.h"
#include "runner/world.h"

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_relation child_of;
    micai_relation *relation;
    micai_seats *seats;
    mica_entity root, child, gone;
} scene;

static void scene_begin(scene *s)
{
    mica_world *world = s->world = test_world_begin(&s->t);
    s->child_of = mica_relation_add(world, &(mica_relation_desc){.name = "ChildOf"});
    s->root = mica_spawn_values(world, NULL, 0);
    s->child = mica_spawn_values(world, NULL, 0);
    s->gone = mica_spawn_values(world, NULL, 0);
    for (int i = 0; i < 100; i++) {
        CHECK_EQUAL(MICA_OK, mica_link(world, mica_spawn_values(world, NULL, 0), s->child_of,
                                       i % 9 ? s->root : s->child));
    }
    CHECK_EQUAL(MICA_OK, mica_link(world, s->gone, s->child_of, s->root));
    CHECK_EQUAL(MICA_OK, mica_link(world, s->child, s->child_of, s->gone));
    CHECK_EQUAL(MICA_OK, mica_link(world, s->child, s->child_of, s->root));
    s->relation = micai_relation_find(world, "test", s->child_of);
    s->seats = &s->relation->seats;
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

// Changes bytes, validates, and changes them back.
static void expect(scene *s, void *place, const void *wrong, size_t size, const char *which)
{
    unsigned char right[64];
    char sentence[64];
    memcpy(right, place, size);
    memcpy(place, wrong, size);
    s->t.error.blind = true;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(s->world));
    snprintf(sentence, sizeof sentence, "invariant %s is broken", which);
    if (!strstr(mica_last_error(s->world)->sentence, which)) {
        test_fail(__FILE__, __LINE__, "expected %s: %s", sentence,
                  mica_last_error(s->world)->sentence);
    }
    memcpy(place, right, size);
    s->t.error.blind = false;
    CHECK_REPORTED(&s->t, MICA_ERROR_CORRUPT);
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
}

static void expect_number(scene *s, uint32_t *place, uint32_t wrong, const char *which)
{
    expect(s, place, &wrong, sizeof wrong, which);
}

static micai_seat_list *list_of(scene *s, mica_entity target)
{
    return &s->seats->lists.items[micai_seats_node(s->seats, mica_entity_slot(target))->list - 1];
}

TEST_WITH(scene, s, lists_and_blocks_are_checked)
{
    micai_seat_list *list = list_of(s, s->root);
    micai_seat_block *first = &s->seats->blocks.items[list->first];
    const mica_entity dead = mica_entity_make(mica_entity_slot(s->root), 9);
    expect(s, &list->target, &dead, sizeof dead, "R11");
    expect_number(s, &list->count, list->count + 1, "R11");
    expect_number(s, &list->last, list->first, "R12");
    expect_number(s, &first->list, 7, "R12");
    expect_number(s, &first->previous, 0, "R12");
    expect_number(s, &first->next, s->seats->blocks.count, "R12");
    expect(s, &first->count, &(uint8_t){1}, 1, "R12");
    expect(s, &first->size, &(uint8_t){MICAI_SEAT_SIZES}, 1, "R12");
}

TEST_WITH(scene, s, nodes_and_free_lists_are_checked)
{
    micai_seat_node *child = micai_seats_node(s->seats, mica_entity_slot(s->child));
    micai_seat_node *gone = micai_seats_node(s->seats, mica_entity_slot(s->gone));
    expect_number(s, &child->seat, child->seat + 1, "R12");
    expect_number(s, &child->list, 0, "R13");
    expect_number(s, &gone->list, 1, "R13");
    expect_number(s, &s->seats->count, 7, "R13");
    expect_number(s, &s->seats->free_list, MICAI_SEAT_NONE, "R14");
    expect_number(s, &s->seats->free_block_count, 77, "R14");
    expect_number(s, &s->seats->words[0].free_count, 77, "R14");
}

TEST_WITH(scene, s, links_and_rows_are_checked)
{
    micai_state *state = s->world->state;
    const micai_type *type = s->relation->type;
    micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    mica_entity *target = micai_pool_value(pool, micai_pool_row(pool, mica_entity_slot(s->child)));
    micai_relation *none = NULL;
    expect(s, target, &s->gone, sizeof s->gone, "R15");
    expect(s, &pool->relation, &none, sizeof none, "R15");
    expect(s, &state->registry.list.items[type->number]->relation, &none, sizeof none, "K10");
    expect_number(s, &state->pools.links->count, 5, "R17");
    const bool yes = true;
    expect(s, &micai_relations_of(s->world)->suspended, &yes, sizeof yes, "R17");
}

TEST_WITH(scene, s, cycles_are_found)
{
    mica_relation ring =
        mica_relation_add(s->world, &(mica_relation_desc){.name = "Ring", .cyclic = true});
    micai_relation *relation = micai_relation_find(s->world, "test", ring);
    CHECK_EQUAL(MICA_OK, mica_link(s->world, s->child, ring, s->root));
    CHECK_EQUAL(MICA_OK, mica_link(s->world, s->root, ring, s->child));
    const bool no = false;
    expect(s, &relation->cyclic, &no, sizeof no, "R16");
}

TESTS(relation_damage, lists_and_blocks_are_checked, nodes_and_free_lists_are_checked,
      links_and_rows_are_checked, cycles_are_found)
