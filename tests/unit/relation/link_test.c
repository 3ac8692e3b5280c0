// Z5: links of every call that gives an entity a value, refused ways of writing them, and many siblings.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Number {
    int32_t value;
} Number;

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type number;
    mica_relation child_of;
    mica_type type; // of the relation
    mica_entity root;
} scene;

static void scene_begin(scene *s)
{
    s->world = test_world_begin(&s->t);
    s->number = MICA_REGISTER(s->world, Number, value);
    s->child_of = mica_relation_add(
        s->world, &(mica_relation_desc){.name = "ChildOf", .cleanup = MICA_CASCADE});
    s->type = mica_relation_type(s->world, s->child_of);
    s->root = mica_spawn_values(s->world, NULL, 0);
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

static mica_entity spawn(scene *s)
{
    return mica_spawn_values(s->world, NULL, 0);
}

static bool is_child(scene *s, mica_entity entity)
{
    return MICA_EQUAL(s->root, mica_target(s->world, entity, s->child_of));
}

TEST_WITH(scene, s, every_call_that_gives_the_value_links)
{
    mica_world *world = s->world;
    mica_entity a = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_set(world, a, MICA_COPY_OF(s->type, s->root)));
    mica_entity b = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_set_value(world, b, s->type, &s->root, sizeof s->root));
    mica_entity c = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_change(world, c,
                                     (mica_value[]){MICA_VALUE(s->number, Number, 1),
                                                    MICA_COPY_OF(s->type, s->root)},
                                     2, NULL, 0));
    mica_entity d =
        mica_spawn(world, MICA_VALUE(s->number, Number, 1), MICA_COPY_OF(s->type, s->root));
    mica_entity e = mica_clone(world, d);
    const mica_type types[] = {s->number, s->type};
    mica_bundle bundle = mica_bundle_new(world, types, 2);
    const Number number = {5};
    const mica_value values[] = {MICA_COPY_OF(s->number, number), MICA_COPY_OF(s->type, s->root)};
    mica_entity f = mica_spawn_bundle(world, bundle, values, 2);
    const mica_entity targets[] = {s->root, f, s->root};
    const Number numbers[3] = {{1}, {2}, {3}};
    const mica_value arrays[] = {{s->number, numbers, sizeof(Number), 3, NULL},
                                 {s->type, targets, sizeof(mica_entity), 3, NULL}};
    mica_entity many[3];
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 3, arrays, 2, many));
    const mica_entity expected[] = {a, b, c, d, e, f, many[0], many[2]};
    mica_entity found[16];
    CHECK_EQUAL(8, mica_sources(world, s->root, s->child_of, 0, found, 16));
    CHECK(memcmp(expected, found, sizeof expected) == 0);
    CHECK(MICA_EQUAL(f, mica_target(world, many[1], s->child_of)));
    CHECK_EQUAL(MICA_OK, mica_remove(world, b, s->type));
    CHECK_EQUAL(MICA_OK, mica_change(world, c, NULL, 0, &s->type, 1));
    CHECK_EQUAL(6, mica_source_count(world, s->root, s->child_of));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

TEST_WITH(scene, s, links_are_changed_by_query)
{
    mica_world *world = s->world;
    mica_entity list[5];
    for (int i = 0; i < 5; i++) {
        list[i] = mica_spawn(world, MICA_VALUE(s->number, Number, i));
    }
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{s->number, MICA_READ}}});
    CHECK_EQUAL(MICA_OK, mica_set_all(world, query, s->type, &s->root, sizeof s->root, NULL));
    CHECK_EQUAL(5, mica_source_count(world, s->root, s->child_of));
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_CYCLE,
                mica_set_all(world, query, s->type, &list[2], sizeof list[2], NULL));
    CHECK_REPORTED(&s->t, MICA_ERROR_CYCLE);
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_add_all(world, query, s->type, NULL));
    CHECK_REPORTED(&s->t, MICA_ERROR_ENTITY);
    CHECK_EQUAL(MICA_OK, mica_remove_all(world, query, s->type, NULL));
    CHECK_EQUAL(0, mica_source_count(world, s->root, s->child_of));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

TEST_WITH(scene, s, links_cannot_be_written_in_place)
{
    mica_world *world = s->world;
    mica_entity a = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_link(world, a, s->child_of, s->root));
    CHECK(mica_get(world, a, s->type) != NULL);
    CHECK(!mica_get_mut(world, a, s->type));
    CHECK_ERROR(&s->t, MICA_ERROR_STORAGE,
                "mica_get_mut: 'ChildOf' is a relation, and its links cannot be written; use "
                "mica_link");
    mica_accessor accessor = mica_accessor_new(world, s->type);
    const mica_entity *target = mica_accessor_get(&accessor, a);
    CHECK(target && MICA_EQUAL(s->root, *target));
    CHECK(!mica_accessor_get_mut(&accessor, a));
    CHECK_REPORTED(&s->t, MICA_ERROR_STORAGE);
    CHECK(
        MICA_IS_NONE(mica_query_new(world, &(mica_query_desc){.terms = {{s->type, MICA_WRITE}}})));
    CHECK_ERROR(&s->t, MICA_ERROR_ARGUMENT,
                "mica_query_new: term 0: 'ChildOf' is a relation, whose links cannot be written; "
                "use mica_link");
    CHECK_EQUAL(MICA_ERROR_STORAGE, mica_type_change_storage(world, s->type, MICA_TABLE));
    CHECK_ERROR(&s->t, MICA_ERROR_STORAGE,
                "mica_type_change_storage: 'ChildOf' is a relation, and its links are sparse");
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_add(world, s->root, s->type));
    CHECK_ERROR(&s->t, MICA_ERROR_ENTITY,
                "mica_add: 'ChildOf' of entity 0.0 needs a target: give it a value, or use "
                "mica_link");
    CHECK_EQUAL(MICA_OK, mica_add(world, a, s->type));
    CHECK(is_child(s, a));
}

static void set_again(const mica_observer_event *event)
{
    scene *s = event->user;
    CHECK_EQUAL(MICA_ERROR_ITERATING,
                mica_set(event->world, event->entity, MICA_COPY_OF(s->type, event->entity)));
    CHECK_REPORTED(&s->t, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_OK, mica_unlink(event->later, event->entity, s->child_of, s->root));
}

TEST_WITH(scene, s, observers_record_links)
{
    mica_world *world = s->world;
    mica_observer_new(world,
                      &(mica_observer_desc){
                          .type = s->type, .events = MICA_ON_ADD, .call = set_again, .user = s});
    mica_entity a = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_link(world, a, s->child_of, s->root));
    CHECK(!is_child(s, a));
}

// The second batch would close a cycle with what the first has linked.
TEST_WITH(scene, s, cycles_through_two_batches_of_commands_are_refused)
{
    mica_world *world = s->world;
    mica_world *first = mica_commands_new(world);
    mica_world *second = mica_commands_new(world);
    mica_entity a = spawn(s);
    mica_entity b = spawn(s);
    CHECK_EQUAL(MICA_OK, mica_link(first, a, s->child_of, b));
    CHECK_EQUAL(MICA_OK, mica_set(second, b, MICA_COPY_OF(s->type, a)));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(first));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(second));
    CHECK_ERROR(&s->t, MICA_ERROR_CYCLE,
                "mica_link: 'ChildOf' of entity 2.0 would close a cycle: below it is 1.0");
    CHECK(MICA_EQUAL(b, mica_target(world, a, s->child_of)));
    CHECK(MICA_IS_NONE(mica_target(world, b, s->child_of)));
    CHECK_EQUAL(MICA_OK, mica_commands_free(first));
    CHECK_EQUAL(MICA_OK, mica_commands_free(second));
}

TEST_WITH(scene, s, commands_link_to_entities_that_are_spawned_later)
{
    mica_world *world = s->world;
    mica_world *later = mica_world_later(world);
    mica_entity child = mica_spawn(later, MICA_VALUE(s->number, Number, 1));
    mica_entity sibling = mica_spawn_values(later, NULL, 0);
    mica_entity parent = mica_spawn_values(later, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_link(later, child, s->child_of, parent));
    CHECK_EQUAL(MICA_OK, mica_link_before(later, sibling, s->child_of, child));
    mica_entity last = mica_spawn(later, MICA_COPY_OF(s->type, parent));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    mica_entity found[4];
    CHECK_EQUAL(3, mica_sources(world, parent, s->child_of, 0, found, 4));
    CHECK(MICA_EQUAL(sibling, found[0]) && MICA_EQUAL(child, found[1]) &&
          MICA_EQUAL(last, found[2]));
}

TEST_WITH(scene, s, links_stay_in_groups_and_sorted_pools)
{
    mica_world *world = s->world;
    mica_type mark = MICA_SPARSE_TAG(world, Mark);
    mica_group group =
        mica_group_new(world, &(mica_group_desc){.owned = {s->type}, .required = {mark}});
    mica_entity list[40];
    for (int i = 0; i < 40; i++) {
        list[i] = spawn(s);
        CHECK_EQUAL(MICA_OK, mica_link(world, list[i], s->child_of, i % 3 ? list[i / 3] : s->root));
        if (i % 2 == 0) {
            CHECK_EQUAL(MICA_OK, mica_add(world, list[i], mark));
        }
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK_EQUAL(MICA_OK, mica_link_before(world, list[39], s->child_of, list[0]));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, list[1]));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK_EQUAL(MICA_OK, mica_group_free(world, group));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
}

// Siblings against an array, so many that blocks of seats are added, split and joined.

enum { SIBLINGS = 700, TARGETS = 2 };

typedef struct crowd {
    scene s;
    mica_entity targets[TARGETS];
    mica_entity sources[SIBLINGS];
    mica_entity order[TARGETS][SIBLINGS];
    uint32_t counts[TARGETS];
    uint64_t random;
} crowd;

static void crowd_begin(crowd *c)
{
    scene_begin(&c->s);
    c->random = 1;
    for (uint32_t i = 0; i < TARGETS; i++) {
        c->targets[i] = spawn(&c->s);
        c->counts[i] = 0;
    }
    for (uint32_t i = 0; i < SIBLINGS; i++) {
        c->sources[i] = spawn(&c->s);
    }
}

static void crowd_end(crowd *c)
{
    scene_end(&c->s);
}

static uint32_t below(crowd *c, uint32_t end)
{
    c->random = c->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(c->random >> 33) % end;
}

static void leave(crowd *c, mica_entity source)
{
    for (uint32_t t = 0; t < TARGETS; t++) {
        for (uint32_t i = 0; i < c->counts[t]; i++) {
            if (MICA_EQUAL(source, c->order[t][i])) {
                c->counts[t]--;
                memmove(&c->order[t][i], &c->order[t][i + 1],
                        (c->counts[t] - i) * sizeof *c->order[t]);
                return;
            }
        }
    }
}

static void join(crowd *c, uint32_t t, uint32_t place, mica_entity source)
{
    memmove(&c->order[t][place + 1], &c->order[t][place],
            (c->counts[t]++ - place) * sizeof *c->order[t]);
    c->order[t][place] = source;
}

static void place_before(crowd *c, mica_entity source, uint32_t t)
{
    mica_entity sibling = c->order[t][below(c, c->counts[t])];
    if (MICA_EQUAL(source, sibling)) {
        return;
    }
    CHECK_EQUAL(MICA_OK, mica_link_before(c->s.world, source, c->s.child_of, sibling));
    leave(c, source);
    uint32_t place = 0;
    while (!MICA_EQUAL(sibling, c->order[t][place])) {
        place++;
    }
    join(c, t, place, source);
}

static void move_one(crowd *c, uint32_t links)
{
    mica_entity source = c->sources[below(c, SIBLINGS)];
    uint32_t t = below(c, TARGETS);
    if (below(c, 10) >= links) {
        CHECK_EQUAL(MICA_OK, mica_unlink(c->s.world, source, c->s.child_of, (mica_entity){0}));
        leave(c, source);
    } else if (below(c, 2) && c->counts[t] > 0) {
        place_before(c, source, t);
    } else if (!MICA_EQUAL(c->targets[t], mica_target(c->s.world, source, c->s.child_of))) {
        CHECK_EQUAL(MICA_OK, mica_link(c->s.world, source, c->s.child_of, c->targets[t]));
        leave(c, source);
        join(c, t, c->counts[t], source);
    }
}

static void compare(crowd *c)
{
    static mica_entity found[SIBLINGS];
    for (uint32_t t = 0; t < TARGETS; t++) {
        uint32_t first = below(c, c->counts[t] + 1);
        uint32_t count =
            mica_sources(c->s.world, c->targets[t], c->s.child_of, first, found, SIBLINGS);
        REQUIRE_EQUAL(c->counts[t] - first, count);
        CHECK(memcmp(found, &c->order[t][first], count * sizeof *found) == 0);
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(c->s.world));
}

static void turn_around(crowd *c, uint32_t t)
{
    for (uint32_t i = 0; i < c->counts[t] / 2; i++) {
        mica_entity moved = c->order[t][i];
        c->order[t][i] = c->order[t][c->counts[t] - 1 - i];
        c->order[t][c->counts[t] - 1 - i] = moved;
    }
    CHECK_EQUAL(MICA_OK,
                mica_reorder(c->s.world, c->targets[t], c->s.child_of, c->order[t], c->counts[t]));
}

TEST_WITH(crowd, c, many_siblings_keep_their_order)
{
    for (uint32_t round = 0; round < 12; round++) {
        for (uint32_t i = 0; i < 900; i++) {
            move_one(c, round % 3 == 0 ? 9 : round % 3 == 1 ? 5 : 2);
            if (i % 150 == 0) {
                compare(c);
            }
        }
        turn_around(c, round % TARGETS);
        compare(c);
    }
}

TESTS(relation_link, every_call_that_gives_the_value_links, links_are_changed_by_query,
      links_cannot_be_written_in_place, observers_record_links,
      cycles_through_two_batches_of_commands_are_refused,
      commands_link_to_entities_that_are_spawned_later, links_stay_in_groups_and_sorted_pools,
      many_siblings_keep_their_order)
