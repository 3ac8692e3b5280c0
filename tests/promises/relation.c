// What mica/relation.h promises.
#include "promise.h"

typedef struct Armor {
    int32_t points;
} Armor;

// A ship with turrets, which are its children, and a dock.
typedef struct fleet {
    test_world t;
    mica_world *world;
    mica_type armor;
    mica_relation child_of;
    mica_relation follows; // may form cycles
    mica_entity ship, turrets[3], gun, dock;
} fleet;

static mica_relation add(mica_world *world, const char *name, mica_cleanup cleanup, bool cyclic)
{
    return mica_relation_add(
        world, &(mica_relation_desc){.name = name, .cleanup = cleanup, .cyclic = cyclic});
}

static mica_entity spawn(fleet *f)
{
    return mica_spawn_values(f->world, NULL, 0);
}

static void fleet_begin(fleet *f)
{
    f->world = test_world_begin(&f->t);
    f->armor = MICA_REGISTER(f->world, Armor, points);
    f->child_of = add(f->world, "ChildOf", MICA_CASCADE, false);
    f->follows = add(f->world, "Follows", MICA_UNLINK, true);
    f->ship = mica_spawn(f->world, MICA_VALUE(f->armor, Armor, 7));
    for (int i = 0; i < 3; i++) {
        f->turrets[i] = spawn(f);
        CHECK_EQUAL(MICA_OK, mica_link(f->world, f->turrets[i], f->child_of, f->ship));
    }
    f->gun = spawn(f);
    CHECK_EQUAL(MICA_OK, mica_link(f->world, f->gun, f->child_of, f->turrets[1]));
    f->dock = spawn(f);
}

static void fleet_end(fleet *f)
{
    test_world_end(&f->t);
}

static bool has_sources(fleet *f, mica_entity target, const mica_entity *sources, uint32_t count)
{
    mica_entity found[8] = {{0}};
    return mica_sources(f->world, target, f->child_of, 0, found, 8) == count &&
           memcmp(found, sources, count * sizeof *sources) == 0;
}

PROMISE(mica_relation_add)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    static const mica_field_info field = {.name = "target", .kind = MICA_KIND_ENTITY};
    mica_type_desc plain = {.name = "Holds",
                            .size = sizeof(mica_entity),
                            .align = _Alignof(mica_entity),
                            .fields = &field,
                            .field_count = 1,
                            .storage = MICA_SPARSE};

    // [relation.add]
    mica_relation child_of = add(world, "ChildOf", MICA_CASCADE, false);
    CHECK(!MICA_IS_NONE(child_of));
    CHECK(MICA_EQUAL(child_of, add(world, "ChildOf", MICA_CASCADE, false)));

    // [relation.adopt]
    mica_type holds = mica_type_register(world, &plain);
    mica_entity box = mica_spawn_values(world, NULL, 0);
    mica_entity thing = mica_spawn(world, MICA_COPY_OF(holds, box));
    mica_relation adopted = add(world, "Holds", MICA_LIFT, false);
    CHECK(MICA_EQUAL(holds, mica_relation_type(world, adopted)));
    CHECK(MICA_EQUAL(box, mica_target(world, thing, adopted)));
    CHECK_EQUAL(1, mica_source_count(world, box, adopted));

    // [relation.add_fail]
    uint64_t digest = mica_world_digest(world);
    uint32_t types = mica_world_get_stats(world).types;
    CHECK(MICA_IS_NONE(mica_relation_add(world, NULL)));
    CHECK_REPORTED(&t, MICA_ERROR_NULL);
    CHECK(MICA_IS_NONE(mica_relation_add(world, &(mica_relation_desc){.last_zero = 1})));
    CHECK_REPORTED(&t, MICA_ERROR_DESC);
    CHECK(MICA_IS_NONE(add(world, "", MICA_UNLINK, false)));
    CHECK_REPORTED(&t, MICA_ERROR_NAME);
    CHECK(MICA_IS_NONE(add(world, "Other", MICA_CLEANUP_COUNT, false)));
    CHECK_ERROR(&t, MICA_ERROR_ARGUMENT, "mica_relation_add: there is no cleanup 4");
    CHECK(MICA_IS_NONE(add(world, "ChildOf", MICA_LIFT, false)));
    CHECK_ERROR(&t, MICA_ERROR_SHAPE,
                "mica_relation_add: 'ChildOf' was added with another .cleanup");
    CHECK(MICA_IS_NONE(add(world, "ChildOf", MICA_CASCADE, true)));
    CHECK_ERROR(&t, MICA_ERROR_SHAPE,
                "mica_relation_add: 'ChildOf' was added with another .cyclic");
    CHECK_EQUAL(types, mica_world_get_stats(world).types);
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [relation.add_fail]: the name of another type
    MICA_TAG(world, Tag);
    CHECK(MICA_IS_NONE(add(world, "Tag", MICA_UNLINK, false)));
    CHECK_REPORTED(&t, MICA_ERROR_SHAPE);

    // [relation.add_fail]: values that cannot be links
    plain.name = "Near";
    mica_type near = mica_type_register(world, &plain);
    CHECK_EQUAL(MICA_OK, mica_set_value(world, box, near, &thing, sizeof thing));
    CHECK_EQUAL(MICA_OK, mica_set_value(world, thing, near, &box, sizeof box));
    CHECK(MICA_IS_NONE(add(world, "Near", MICA_UNLINK, false)));
    CHECK_REPORTED(&t, MICA_ERROR_CYCLE);
    mica_entity dead = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, dead));
    CHECK_EQUAL(MICA_OK, mica_set_value(world, box, near, &dead, sizeof dead));
    CHECK(MICA_IS_NONE(add(world, "Near", MICA_UNLINK, true)));
    CHECK_REPORTED(&t, MICA_ERROR_ENTITY);

    // [relation.add_fail]: _TIME
    CHECK_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    CHECK_EQUAL(MICA_OK, mica_remove(world, box, near));
    CHECK(MICA_IS_NONE(add(world, "Near", MICA_UNLINK, false)));
    CHECK_ERROR(&t, MICA_ERROR_TIME,
                "mica_relation_add: snapshots have 'Near' as a plain component");
    test_world_end(&t);
}

PROMISE(mica_relation_type)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    // [relation.type]
    mica_type type = mica_relation_type(f->world, f->child_of);
    CHECK_TEXT("ChildOf", mica_type_get_info(f->world, type)->name);
    CHECK(mica_has(f->world, f->gun, type));
    CHECK(MICA_IS_NONE(mica_relation_type(f->world, (mica_relation){0})));
    CHECK_REPORTED(&f->t, MICA_ERROR_RELATION);
    fleet_end(f);
}

PROMISE(mica_link)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;

    // [link.link]
    CHECK(has_sources(f, f->ship, f->turrets, 3));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->turrets[0], f->child_of, f->ship));
    CHECK(has_sources(f, f->ship, f->turrets, 3));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->turrets[0], f->child_of, f->dock));
    CHECK(has_sources(f, f->ship, f->turrets + 1, 2));
    CHECK(has_sources(f, f->dock, f->turrets, 1));

    // [link.cost]: tests/gate/growth.c, and the moves of rows
    uint64_t moves = mica_world_get_stats(world).row_moves;
    CHECK_EQUAL(MICA_OK, mica_link(world, f->turrets[0], f->child_of, f->ship));
    CHECK_EQUAL(moves, mica_world_get_stats(world).row_moves);

    // [link.cycle]
    CHECK_EQUAL(MICA_ERROR_CYCLE, mica_link(world, f->ship, f->child_of, f->ship));
    CHECK_ERROR(&f->t, MICA_ERROR_CYCLE,
                "mica_link: 'ChildOf' of entity 0.0 would lead to itself, 0.0");
    CHECK_EQUAL(MICA_ERROR_CYCLE, mica_link(world, f->ship, f->child_of, f->gun));
    CHECK_ERROR(&f->t, MICA_ERROR_CYCLE,
                "mica_link: 'ChildOf' of entity 0.0 would close a cycle: below it is 4.0");
    CHECK_EQUAL(MICA_OK, mica_link(world, f->ship, f->follows, f->ship));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->ship, f->follows, f->gun));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->gun, f->follows, f->ship));

    // [link.facet]
    mica_entity facet = mica_facet_add_values(world, f->ship, f->armor, 1, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_link(world, facet, f->child_of, f->ship));
    CHECK_REPORTED(&f->t, MICA_ERROR_ARGUMENT);
    const mica_type type = mica_relation_type(world, f->child_of);
    CHECK(MICA_IS_NONE(mica_facet_add(world, f->ship, f->armor, 2, MICA_COPY_OF(type, f->dock))));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_facet_add: 'ChildOf' is a relation, and facets have no links");

    // [link.fail]
    uint64_t digest = mica_world_digest(world);
    mica_iter it;
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, all, &it));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_link(world, f->gun, f->child_of, f->dock));
    CHECK_REPORTED(&f->t, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_set(world, f->gun, MICA_COPY_OF(type, f->dock)));
    CHECK_REPORTED(&f->t, MICA_ERROR_ITERATING);
    mica_iter_end(&it);
    CHECK_EQUAL(digest, mica_world_digest(world));
    fleet_end(f);
}

PROMISE(mica_link_before)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;
    const mica_entity *t = f->turrets;

    // [link.before]
    CHECK_EQUAL(MICA_OK, mica_link_before(world, f->dock, f->child_of, t[1]));
    CHECK(has_sources(f, f->ship, (mica_entity[]){t[0], f->dock, t[1], t[2]}, 4));
    CHECK_EQUAL(MICA_OK, mica_link_before(world, t[2], f->child_of, t[0]));
    CHECK(has_sources(f, f->ship, (mica_entity[]){t[2], t[0], f->dock, t[1]}, 4));

    // [link.before_fail]
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_link_before(world, t[0], f->child_of, t[0]));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_link_before: entity 1.0 cannot be placed before itself");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_link_before(world, t[0], f->child_of, f->ship));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_link_before: entity 1.0 cannot be placed before 0.0, which has no 'ChildOf'");
    CHECK_EQUAL(MICA_ERROR_CYCLE, mica_link_before(world, f->ship, f->child_of, f->gun));
    CHECK_REPORTED(&f->t, MICA_ERROR_CYCLE);
    CHECK_EQUAL(digest, mica_world_digest(world));
    fleet_end(f);
}

PROMISE(mica_unlink)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;
    const mica_entity none = {0};

    // [link.unlink]
    CHECK_EQUAL(MICA_OK, mica_unlink(world, f->turrets[0], f->child_of, f->dock));
    CHECK(has_sources(f, f->ship, f->turrets, 3));
    CHECK_EQUAL(MICA_OK, mica_unlink(world, f->turrets[0], f->child_of, f->ship));
    CHECK(has_sources(f, f->ship, f->turrets + 1, 2));
    CHECK_EQUAL(MICA_OK, mica_unlink(world, f->turrets[1], f->child_of, none));
    CHECK(MICA_IS_NONE(mica_target(world, f->turrets[1], f->child_of)));
    CHECK(!mica_has(world, f->turrets[1], mica_relation_type(world, f->child_of)));
    CHECK_EQUAL(MICA_OK, mica_unlink(world, f->turrets[1], f->child_of, none));

    // [link.unlink_fail]
    uint64_t digest = mica_world_digest(world);
    mica_entity dead = spawn(f);
    CHECK_EQUAL(MICA_OK, mica_despawn(world, dead));
    digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_unlink(world, f->gun, f->child_of, dead));
    CHECK_REPORTED(&f->t, MICA_ERROR_ENTITY);
    CHECK_EQUAL(digest, mica_world_digest(world));
    fleet_end(f);
}

PROMISE(mica_target)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    // [link.target]
    CHECK(MICA_EQUAL(f->turrets[1], mica_target(f->world, f->gun, f->child_of)));
    CHECK(MICA_IS_NONE(mica_target(f->world, f->ship, f->child_of)));
    fleet_end(f);
}

PROMISE(mica_source_count)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    // [sources.count]
    CHECK_EQUAL(3, mica_source_count(f->world, f->ship, f->child_of));
    CHECK_EQUAL(0, mica_source_count(f->world, f->dock, f->child_of));
    fleet_end(f);
}

PROMISE(mica_sources)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_entity found[3] = {{0}};

    // [sources.list]
    CHECK_EQUAL(1, mica_sources(f->world, f->ship, f->child_of, 2, found, 3));
    CHECK(MICA_EQUAL(f->turrets[2], found[0]));
    CHECK_EQUAL(2, mica_sources(f->world, f->ship, f->child_of, 0, found, 2));
    CHECK(MICA_EQUAL(f->turrets[0], found[0]) && MICA_EQUAL(f->turrets[1], found[1]));
    CHECK_EQUAL(0, mica_sources(f->world, f->ship, f->child_of, 3, found, 3));
    CHECK_EQUAL(0, mica_sources(f->world, (mica_entity){0}, f->child_of, 0, found, 3));
    CHECK_REPORTED(&f->t, MICA_ERROR_ENTITY);

    // [sources.cost]: tests/gate/growth.c; none for the blocks that `first` skips
    for (int i = 0; i < 300; i++) {
        CHECK_EQUAL(MICA_OK, mica_link(f->world, spawn(f), f->child_of, f->dock));
    }
    CHECK_EQUAL(1, mica_sources(f->world, f->dock, f->child_of, 299, found, 3));
    fleet_end(f);
}

PROMISE(mica_reorder)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;
    const mica_entity *t = f->turrets;
    const mica_entity order[] = {t[2], t[0], t[1]};

    // [sources.reorder]
    CHECK_EQUAL(MICA_OK, mica_reorder(world, f->ship, f->child_of, order, 3));
    CHECK(has_sources(f, f->ship, order, 3));
    CHECK_EQUAL(MICA_OK, mica_reorder(world, f->dock, f->child_of, NULL, 0));

    // [sources.reorder_fail]
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_reorder(world, f->ship, f->child_of, order, 2));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_reorder: the list has not each of the 3 sources of entity 0.0 by 'ChildOf' "
                "once");
    CHECK_EQUAL(MICA_ERROR_ARGUMENT,
                mica_reorder(world, f->ship, f->child_of, (mica_entity[]){t[0], t[1], t[1]}, 3));
    CHECK_REPORTED(&f->t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT,
                mica_reorder(world, f->ship, f->child_of, (mica_entity[]){t[0], t[1], f->gun}, 3));
    CHECK_REPORTED(&f->t, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_RECORDING,
                mica_reorder(mica_world_later(world), f->ship, f->child_of, order, 3));
    CHECK_REPORTED(&f->t, MICA_ERROR_RECORDING);
    mica_iter it;
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, all, &it));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_reorder(world, f->ship, f->child_of, t, 3));
    CHECK_REPORTED(&f->t, MICA_ERROR_ITERATING);
    mica_iter_end(&it);
    CHECK(has_sources(f, f->ship, order, 3));
    fleet_end(f);
}

PROMISE(mica_is_under)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;

    // [relation.under]
    CHECK(mica_is_under(world, f->gun, f->child_of, f->turrets[1]));
    CHECK(mica_is_under(world, f->gun, f->child_of, f->ship));
    CHECK(!mica_is_under(world, f->gun, f->child_of, f->turrets[0]));
    CHECK(!mica_is_under(world, f->ship, f->child_of, f->ship));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->ship, f->follows, f->gun));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->gun, f->follows, f->ship));
    CHECK(mica_is_under(world, f->ship, f->follows, f->ship));
    CHECK(!mica_is_under(world, f->ship, f->follows, f->dock));
    CHECK(!mica_is_under(world, f->ship, (mica_relation){0}, f->dock));
    CHECK_REPORTED(&f->t, MICA_ERROR_RELATION);
    fleet_end(f);
}

PROMISE(mica_depth)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;

    // [relation.depth]
    CHECK_EQUAL(0, mica_depth(world, f->ship, f->child_of));
    CHECK_EQUAL(1, mica_depth(world, f->turrets[0], f->child_of));
    CHECK_EQUAL(2, mica_depth(world, f->gun, f->child_of));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->ship, f->follows, f->gun));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->gun, f->follows, f->ship));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->dock, f->follows, f->ship));
    CHECK_EQUAL(1, mica_depth(world, f->ship, f->follows));
    CHECK_EQUAL(2, mica_depth(world, f->dock, f->follows));
    CHECK_EQUAL(0, mica_depth(world, (mica_entity){0}, f->follows));
    CHECK_REPORTED(&f->t, MICA_ERROR_ENTITY);
    fleet_end(f);
}

PROMISE(mica_get_up)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;
    mica_entity whose = {7};

    // [relation.get_up]
    const Armor *armor = mica_get_up(world, f->gun, f->child_of, f->armor, &whose);
    REQUIRE(armor != NULL);
    CHECK_EQUAL(7, armor->points);
    CHECK(MICA_EQUAL(f->ship, whose));
    CHECK_EQUAL(MICA_OK, mica_set(world, f->gun, MICA_VALUE(f->armor, Armor, 3)));
    armor = mica_get_up(world, f->gun, f->child_of, f->armor, NULL);
    CHECK_EQUAL(3, armor->points);
    CHECK(!mica_get_up(world, f->dock, f->child_of, f->armor, &whose));
    CHECK(MICA_IS_NONE(whose));

    // [relation.get_up_fail]
    mica_type tag = MICA_TAG(world, Tag);
    CHECK(!mica_get_up(world, f->gun, f->child_of, tag, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_get_up: 'Tag' is a tag and has no value");
    CHECK(!mica_get_up(world, f->gun, f->child_of, (mica_type){0}, NULL));
    CHECK_REPORTED(&f->t, MICA_ERROR_TYPE);
    fleet_end(f);
}

PROMISE(mica_descend)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;
    const mica_entity *t = f->turrets;
    const mica_entity expected[] = {t[0], t[1], f->gun, t[2]};
    const uint32_t depths[] = {1, 1, 2, 1};

    // [descent.order]
    uint32_t seen = 0;
    mica_descent below = mica_descend(world, f->ship, f->child_of);
    for (mica_entity e; (e = mica_descent_next(&below)).bits; seen++) {
        REQUIRE(seen < 4);
        CHECK(MICA_EQUAL(expected[seen], e));
        CHECK_EQUAL(depths[seen], below.depth);
    }
    CHECK_EQUAL(4, seen);

    // [descent.end]
    CHECK(MICA_IS_NONE(mica_descent_next(&below)));
    below = mica_descend(world, f->ship, (mica_relation){0});
    CHECK_REPORTED(&f->t, MICA_ERROR_RELATION);
    CHECK(MICA_IS_NONE(mica_descent_next(&below)));

    // [descent.cost]: tests/gate/growth.c, and no allocation
    uint64_t allocations = f->t.memory.allocations;
    below = mica_descend(world, f->ship, f->child_of);
    while (!MICA_IS_NONE(mica_descent_next(&below))) {
    }
    CHECK_EQUAL(allocations, f->t.memory.allocations);
    fleet_end(f);
}

PROMISE(mica_descent_next)
{
    fleet own;
    fleet *f = &own;
    fleet_begin(f);
    mica_world *world = f->world;

    // [descent.changed]
    mica_descent below = mica_descend(world, f->ship, f->child_of);
    CHECK(!MICA_IS_NONE(mica_descent_next(&below)));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->dock, f->child_of, f->ship));
    CHECK(MICA_IS_NONE(mica_descent_next(&below)));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATOR,
                "mica_descent_next: links of 'ChildOf' have changed since mica_descend");
    CHECK(MICA_IS_NONE(mica_descent_next(&below)));

    // [descent.cycle]
    CHECK_EQUAL(MICA_OK, mica_link(world, f->ship, f->follows, f->gun));
    CHECK_EQUAL(MICA_OK, mica_link(world, f->gun, f->follows, f->ship));
    below = mica_descend(world, f->ship, f->follows);
    CHECK(MICA_EQUAL(f->gun, mica_descent_next(&below)));
    CHECK(MICA_IS_NONE(mica_descent_next(&below)));
    fleet_end(f);
}

// What stands at the head, about recorded links.
TEST_WITH(fleet, f, recorded_links_of_the_dead_are_dropped)
{
    mica_world *world = f->world;
    const mica_type type = mica_relation_type(world, f->child_of);
    mica_world *later = mica_world_later(world);

    // [link.dropped]
    CHECK_EQUAL(MICA_OK, mica_link(later, f->gun, f->child_of, f->dock));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, f->dock));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK_EQUAL(1, mica_world_get_stats(world).commands_dropped);
    CHECK(MICA_EQUAL(f->turrets[1], mica_target(world, f->gun, f->child_of)));

    // [link.spawned_dead]
    mica_entity other = spawn(f);
    mica_entity child = mica_spawn(later, MICA_COPY_OF(type, other));
    CHECK_EQUAL(MICA_OK, mica_despawn(world, other));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    CHECK_REPORTED(&f->t, MICA_ERROR_ENTITY);
    CHECK(!mica_alive(world, child));
}

TEST_WITH(fleet, f, links_that_leave_a_subset_are_lost)
{
    mica_world *world = f->world;
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};
    mica_subset_stats stats;
    mica_type picked = MICA_TAG(world, Picked);
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{picked, MICA_WITH}}});
    CHECK_EQUAL(MICA_OK, mica_add(world, f->turrets[1], picked));
    CHECK_EQUAL(MICA_OK, mica_add(world, f->gun, picked));

    // [link.subset]
    CHECK_EQUAL(MICA_OK, mica_subset_save(world, query, &stream, NULL, &stats));
    CHECK_EQUAL(1, stats.lost_references);
    mica_entity loaded[2] = {{0}};
    CHECK_EQUAL(MICA_OK, mica_subset_load(world, &stream, NULL, loaded, 2, &stats));
    CHECK_EQUAL(2, stats.entities);
    CHECK(MICA_IS_NONE(mica_target(world, loaded[0], f->child_of)) !=
          MICA_IS_NONE(mica_target(world, loaded[1], f->child_of)));
    mica_buffer_free(&buffer);
}

TEST_WITH(fleet, f, snapshots_restore_the_order_and_deltas_do_not_have_it)
{
    mica_world *world = f->world;
    const mica_entity *t = f->turrets;
    const mica_entity other[] = {t[2], t[1], t[0]};
    mica_buffer buffer = {0};
    const mica_stream stream = {.buffer = &buffer};

    // [link.order_kept]
    CHECK_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    mica_snapshot before = mica_snapshot_take(world);
    CHECK_EQUAL(MICA_OK, mica_reorder(world, f->ship, f->child_of, other, 3));
    CHECK_EQUAL(MICA_OK, mica_link_before(world, f->dock, f->child_of, t[2]));
    mica_snapshot after = mica_snapshot_take(world);
    CHECK_EQUAL(MICA_OK, mica_delta_save(world, before, after, &stream, NULL));
    CHECK_EQUAL(MICA_OK, mica_snapshot_restore(world, before));
    CHECK(has_sources(f, f->ship, t, 3));
    CHECK_EQUAL(MICA_OK, mica_delta_load(world, &stream));
    CHECK(has_sources(f, f->ship, (mica_entity[]){t[0], t[1], t[2], f->dock}, 4));
    mica_buffer_free(&buffer);
}

TESTS(relation, promise_of_mica_relation_add, promise_of_mica_relation_type, promise_of_mica_link,
      promise_of_mica_link_before, promise_of_mica_unlink, promise_of_mica_target,
      promise_of_mica_source_count, promise_of_mica_sources, promise_of_mica_reorder,
      promise_of_mica_is_under, promise_of_mica_depth, promise_of_mica_get_up,
      promise_of_mica_descend, promise_of_mica_descent_next, recorded_links_of_the_dead_are_dropped,
      links_that_leave_a_subset_are_lost, snapshots_restore_the_order_and_deltas_do_not_have_it)
