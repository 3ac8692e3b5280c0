// Z5: what dies with an entity, in which order, and what becomes of the links of others.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/tier.h"
#include "runner/world.h"

enum { EVENTS = 64 };

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type health;
    mica_relation child_of, docked_to, near, holds;
    mica_entity dead[EVENTS]; // by observers of despawns
    mica_entity removed[EVENTS];
    uint32_t dead_count;
    uint32_t removed_count;
} scene;

static mica_relation add(mica_world *world, const char *name, mica_cleanup cleanup)
{
    return mica_relation_add(world, &(mica_relation_desc){.name = name, .cleanup = cleanup});
}

static void scene_begin(scene *s)
{
    memset(s, 0, sizeof *s);
    s->world = test_world_begin(&s->t);
    s->health = MICA_TAG(s->world, Health);
    s->child_of = add(s->world, "ChildOf", MICA_CASCADE);
    s->docked_to = add(s->world, "DockedTo", MICA_REFUSE);
    s->near = add(s->world, "Near", MICA_UNLINK);
    s->holds = add(s->world, "Holds", MICA_LIFT);
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

static mica_entity spawn(scene *s)
{
    return mica_spawn(s->world, MICA_ADD(s->health));
}

static void link(scene *s, mica_entity source, mica_relation relation, mica_entity target)
{
    CHECK_EQUAL(MICA_OK, mica_link(s->world, source, relation, target));
}

static void note_death(const mica_observer_event *event)
{
    scene *s = event->user;
    CHECK(mica_has(event->world, event->entity, s->health));
    s->dead[s->dead_count++] = event->entity;
}

static void note_removed(const mica_observer_event *event)
{
    scene *s = event->user;
    s->removed[s->removed_count++] = event->entity;
    CHECK(event->value != NULL);
}

static void observe(scene *s)
{
    mica_observer_new(
        s->world, &(mica_observer_desc){.events = MICA_ON_DESPAWN, .call = note_death, .user = s});
    mica_observer_new(s->world, &(mica_observer_desc){.type = mica_relation_type(s->world, s->near),
                                                      .events = MICA_ON_REMOVE | MICA_ON_SET,
                                                      .call = note_removed,
                                                      .user = s});
}

TEST_WITH(scene, s, a_chain_of_a_million_dies_without_recursion)
{
    mica_world *world = s->world;
    uint32_t count = test_tier_is_small() || MICA_VIEW_ROW_SHIFT < 4 ? 100000 : 1000000;
    mica_entity root = spawn(s);
    mica_entity last = root;
    for (uint32_t i = 1; i < count; i++) {
        mica_entity next = spawn(s);
        link(s, next, s->child_of, last);
        last = next;
    }
    CHECK_EQUAL(count - 1, mica_depth(world, last, s->child_of));
    uint32_t seen = 0;
    mica_descent below = mica_descend(world, root, s->child_of);
    while (!MICA_IS_NONE(mica_descent_next(&below))) {
        seen++;
    }
    CHECK_EQUAL(count - 1, seen);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, root));
    CHECK_EQUAL(0, mica_entity_count(world));
}

// Links of another relation have the general function list the dead, and not that for trees.
static void check_order(scene *s, bool general)
{
    mica_entity root = spawn(s);
    mica_entity list[7];
    for (int i = 0; i < 7; i++) {
        list[i] = spawn(s);
        link(s, list[i], s->child_of, i < 3 ? root : list[(i - 3) / 2]);
    }
    if (general) {
        link(s, spawn(s), s->near, list[6]);
    }
    s->dead_count = 0;
    CHECK_EQUAL(MICA_OK, mica_despawn(s->world, root));
    const mica_entity expected[] = {list[2], list[3], list[4], list[0],
                                    list[5], list[6], list[1], root};
    CHECK_EQUAL(8, s->dead_count);
    CHECK(memcmp(expected, s->dead, sizeof expected) == 0);
}

TEST_WITH(scene, s, sources_die_before_their_targets)
{
    observe(s);
    check_order(s, false);
    check_order(s, true);
}

TEST_WITH(scene, s, facets_die_right_before_their_owners)
{
    observe(s);
    mica_entity root = spawn(s);
    mica_entity child = spawn(s);
    link(s, child, s->child_of, root);
    mica_entity front = mica_facet_add(s->world, root, s->health, 1, MICA_ADD(s->health));
    mica_entity rear = mica_facet_add(s->world, root, s->health, 2, MICA_ADD(s->health));
    mica_entity rider = spawn(s);
    link(s, rider, s->child_of, rear);
    CHECK_EQUAL(MICA_OK, mica_despawn(s->world, root));
    CHECK_EQUAL(5, s->dead_count);
    CHECK(MICA_EQUAL(front, s->dead[2]) && MICA_EQUAL(rear, s->dead[3]) &&
          MICA_EQUAL(root, s->dead[4]));
    CHECK_EQUAL(0, mica_entity_count(s->world));
}

TEST_WITH(scene, s, observers_are_notified_of_links_that_are_removed_and_lifted)
{
    observe(s);
    mica_entity root = spawn(s);
    mica_entity target = spawn(s);
    mica_entity source = spawn(s);
    link(s, target, s->child_of, root);
    link(s, target, s->holds, root);
    link(s, source, s->near, target);
    link(s, source, s->holds, target);
    s->removed_count = 0;
    CHECK_EQUAL(MICA_OK, mica_despawn(s->world, target));
    CHECK_EQUAL(1, s->removed_count);
    CHECK(MICA_EQUAL(source, s->removed[0]));
    CHECK(MICA_EQUAL(root, mica_target(s->world, source, s->holds)));
    CHECK(!mica_has(s->world, source, mica_relation_type(s->world, s->near)));
}

TEST_WITH(scene, s, queries_are_notified_of_links_that_are_removed)
{
    const mica_query_desc query = {.terms = {{mica_relation_type(s->world, s->near), MICA_WITH}}};
    mica_observer_new(s->world,
                      &(mica_observer_desc){
                          .query = query, .events = MICA_ON_LEAVE, .call = note_death, .user = s});
    mica_entity target = spawn(s);
    mica_entity source = spawn(s);
    link(s, source, s->near, target);
    CHECK_EQUAL(MICA_OK, mica_despawn(s->world, target));
    CHECK_EQUAL(1, s->dead_count);
    CHECK(MICA_EQUAL(source, s->dead[0]));
}

TEST_WITH(scene, s, a_link_that_refuses_gives_way_if_its_source_dies_too)
{
    mica_world *world = s->world;
    mica_entity dock = spawn(s);
    mica_entity ship = spawn(s);
    mica_entity guest = spawn(s);
    link(s, ship, s->docked_to, dock);
    link(s, guest, s->docked_to, dock);
    link(s, guest, s->child_of, ship);
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_LINKED, mica_despawn(world, dock));
    CHECK_ERROR(&s->t, MICA_ERROR_LINKED,
                "mica_despawn: entity 0.0 cannot be despawned: 'DockedTo' of entity 1.0 leads to "
                "it, and refuses");
    CHECK_EQUAL(digest, mica_world_digest(world));
    link(s, ship, s->child_of, dock);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, dock));
    CHECK_EQUAL(0, mica_entity_count(world));
    dock = spawn(s);
    ship = spawn(s);
    link(s, ship, s->docked_to, dock);
    const mica_entity both[] = {dock, ship, dock};
    CHECK_EQUAL(MICA_OK, mica_despawn_many(world, both, 3));
    CHECK_EQUAL(0, mica_entity_count(world));
}

TEST_WITH(scene, s, queries_despawn_what_follows)
{
    mica_world *world = s->world;
    mica_type doomed = MICA_TAG(world, Doomed);
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{doomed, MICA_WITH}}});
    for (int i = 0; i < 20; i++) {
        mica_entity root = spawn(s);
        mica_entity child = spawn(s);
        link(s, child, s->child_of, root);
        CHECK_EQUAL(MICA_OK, mica_add(world, i % 2 ? root : child, doomed));
    }
    CHECK_EQUAL(MICA_OK, mica_despawn_all(world, query, NULL));
    CHECK_EQUAL(10, mica_entity_count(world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    link(s, spawn(s), s->docked_to, spawn(s));
    CHECK_EQUAL(MICA_OK, mica_world_clear(world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

TEST_WITH(scene, s, entities_of_a_cycle_die_together)
{
    mica_world *world = s->world;
    mica_relation ring = mica_relation_add(
        world, &(mica_relation_desc){.name = "Ring", .cleanup = MICA_CASCADE, .cyclic = true});
    mica_entity list[5];
    for (int i = 0; i < 5; i++) {
        list[i] = spawn(s);
    }
    for (int i = 0; i < 4; i++) {
        link(s, list[i], ring, list[(i + 1) % 4]);
    }
    link(s, list[4], ring, list[4]);
    CHECK_EQUAL(4, mica_depth(world, list[0], ring) + 1);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, list[2]));
    CHECK_EQUAL(1, mica_entity_count(world));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, list[4]));
    CHECK_EQUAL(0, mica_entity_count(world));
}

TESTS(relation_death, a_chain_of_a_million_dies_without_recursion, sources_die_before_their_targets,
      facets_die_right_before_their_owners,
      observers_are_notified_of_links_that_are_removed_and_lifted,
      queries_are_notified_of_links_that_are_removed,
      a_link_that_refuses_gives_way_if_its_source_dies_too, queries_despawn_what_follows,
      entities_of_a_cycle_die_together)
