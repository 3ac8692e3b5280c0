// S2.8. Of one change of one component of one entity MICA_ON_ADD comes before MICA_ON_SET, and MICA_ON_REMOVE is the last,
// also when observers set values themselves.
#include <stdio.h>

#include "unit/event/fixture.h"

#define ON_MOVES (MICA_ON_ADD | MICA_ON_REMOVE)

static mica_entity another; // whose value is set by set_another()

static void set(const mica_observer_event *h, mica_entity entity, mica_type type, int value)
{
    if (mica_has(h->world, entity, type)) {
        CHECK_EQUAL(MICA_OK, mica_set(h->world, entity, NUMBER(type, value)));
        CHECK_EQUAL(value, fixture_load(fixture_listener(h)->f, entity, type));
    }
}

static void set_a(const mica_observer_event *h)
{
    set(h, h->entity, fixture_listener(h)->f->a, 5);
}

static void set_b(const mica_observer_event *h)
{
    set(h, h->entity, fixture_listener(h)->f->b, 6);
}

static void set_both(const mica_observer_event *h)
{
    const fixture *f = fixture_listener(h)->f;
    const mica_value values[] = {NUMBER(f->b, 6), NUMBER(f->a, 5), NUMBER(f->b, 7)};
    CHECK_EQUAL(MICA_OK, mica_set_values(h->world, h->entity, values, 3));
}

// The entity that comes last of all.
static void set_last(const mica_observer_event *h)
{
    mica_entity last = (mica_entity){0};
    mica_entity entity = (mica_entity){0};
    while (!MICA_IS_NONE(entity = mica_entity_next(h->world, entity))) {
        last = entity;
    }
    set(h, last, fixture_listener(h)->f->a, 9);
}

static void set_another(const mica_observer_event *h)
{
    set(h, another, fixture_listener(h)->f->a, 9);
}

// Two observers of each component with a value: the first does what is given, unless that is NULL.
static mica_world *begin(fixture *f, mica_storage storage,
                         void (*with_a)(const mica_observer_event *h),
                         void (*with_b)(const mica_observer_event *h))
{
    fixture_begin(f, storage);
    f->values = true;
    another = (mica_entity){0};
    fixture_hear_and(f, "A", f->a, ON_MOVES, with_a);
    fixture_hear(f, "A", f->a, MICA_ON_SET);
    fixture_hear_and(f, "B", f->b, ON_MOVES, with_b);
    fixture_hear(f, "B", f->b, MICA_ON_SET);
    return f->world;
}

// Adding

static void what_is_set_before_it_was_added_is_notified_then(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_world *world = begin(&f, fixture_storages[i], set_b, NULL);
        mica_entity e = mica_spawn(world, MICA_ADD(f.b), MICA_ADD(f.a));
        CHECK_LOG(&f, "add A 0=0, add B 0=6, set B 0=6");
        mica_spawn(world, NUMBER(f.a, 1), NUMBER(f.b, 2)); // which is notified anyway
        CHECK_LOG(&f, "add A 1=1, add B 1=6, set A 1=1, set B 1=6");
        mica_clone(world, e);
        CHECK_LOG(&f, "add A 2=0, add B 2=6, set A 2=0, set B 2=6");
        mica_entity bare = mica_spawn(world, MICA_ADD(f.marked));
        const mica_value values[] = {MICA_ADD(f.a), MICA_ADD(f.b)};
        mica_change(world, bare, values, 2, &f.marked, 1);
        CHECK_LOG(&f, "add A 3=0, add B 3=6, set B 3=6");
        mica_remove(world, bare, f.a);
        CHECK_LOG(&f, "remove A 3=0, set B 3=6");
        mica_add(world, bare, f.a); // B is there
        CHECK_LOG(&f, "add A 3=0, set B 3=6");
        fixture_end(&f);
    }
}

static void observers_of_spawns_set_before_anything_was_added(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_world *world = begin(&f, fixture_storages[i], NULL, NULL);
        fixture_hear_and(&f, "", (mica_type){0}, MICA_ON_SPAWN, set_both);
        mica_spawn(world, MICA_ADD(f.b), MICA_ADD(f.a));
        CHECK_LOG(&f, "spawn 0, add A 0=5, set A 0=5, add B 0=7, set B 0=7");
        mica_world *later = mica_world_later(world);
        mica_entity e = mica_spawn(later, MICA_ADD(f.b));
        mica_set(later, e, NUMBER(f.a, 1));
        mica_commands_apply(world);
        CHECK_LOG(&f, "spawn 1, add A 1=5, add B 1=7, set B 1=7, set A 1=5");
        fixture_end(&f);
    }
}

static void all_listeners_are_notified_of_the_addition_first(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_world *world = begin(&f, fixture_storages[i], set_a, NULL);
        mica_entity e = mica_spawn_values(world, NULL, 0);
        for (int round = 0; round < 3; round++) { // one listens to each kind, alone
            mica_add(world, e, f.a);
            CHECK_LOG(&f, "add A 0=0, set A 0=5");
            mica_remove(world, e, f.a);
            CHECK_LOG(&f, "remove A 0=5");
            mica_set(world, e, NUMBER(f.a, 3));
            CHECK_LOG(&f, "add A 0=3, set A 0=5");
            mica_remove(world, e, f.a);
            CHECK_LOG(&f, "remove A 0=5");
        }
        fixture_hear(&f, "2", f.a, ON_MOVES | MICA_ON_SET);
        fixture_hear_and(&f, "3", f.a, MICA_ON_ADD, set_a);
        for (int round = 0; round < 3; round++) {
            mica_add(world, e, f.a);
            CHECK_LOG(&f, "add A 0=0, add 2 0=5, add 3 0=5, set A 0=5, set 2 0=5");
            mica_remove(world, e, f.a);
            CHECK_LOG(&f, "remove A 0=5, remove 2 0=5");
            mica_set(world, e, NUMBER(f.a, 3));
            CHECK_LOG(&f, "add A 0=3, add 2 0=5, add 3 0=5, set A 0=5, set 2 0=5");
            mica_remove(world, e, f.a);
            CHECK_LOG(&f, "remove A 0=5, remove 2 0=5");
        }
        const mica_query_desc with = {.terms = {{f.a, MICA_WITH}}};
        fixture_hear_query(&f, "q", with, MICA_ON_ENTER);
        mica_add(world, e, f.a);
        CHECK_LOG(&f, "add A 0=0, add 2 0=5, add 3 0=5, set A 0=5, set 2 0=5, enter q 0");
        fixture_end(&f);
    }
}

static void of_many_each_is_notified_of_its_addition_first(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_world *world = begin(&f, fixture_storages[i], set_another, NULL);
        mica_entity entities[3];
        mica_bundle bundle = mica_bundle_new(world, &f.tag, 1);
        mica_spawn_many(world, bundle, 3, NULL, 0, entities);
        for (int round = 0; round < 2; round++) {
            another = entities[2];
            mica_add_all(world, f.all, f.a, NULL);
            CHECK_LOG(&f, "add A 0=0, add A 1=0, add A 2=9, set A 2=9");
            mica_remove_all(world, f.all, f.a, NULL);
            CHECK_LOG(&f, "remove A 0=0, set A 2=9, remove A 1=0, set A 2=9, remove A 2=9");
            another = entities[0];
            const Number three = {3};
            mica_set_all(world, f.all, f.a, &three, sizeof three, NULL);
            CHECK_LOG(&f, "add A 0=3, set A 0=9, add A 1=3, set A 0=9, set A 1=3, add A 2=3, "
                          "set A 0=9, set A 2=3");
            mica_remove_all(world, f.all, f.a, NULL);
            CHECK_LOG(&f, "remove A 0=9, remove A 1=3, remove A 2=3");
        }
        fixture_end(&f);
    }
}

static void of_many_that_are_spawned_too(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_world *world = begin(&f, fixture_storages[i], set_last, NULL);
        mica_bundle bundle = mica_bundle_new(world, &f.a, 1);
        mica_spawn_many(world, bundle, 3, NULL, 0, NULL);
        CHECK_LOG(&f, "add A 0=0, add A 1=0, add A 2=9, set A 2=9");
        mica_spawn(world, MICA_ADD(f.a)); // in the table that has the others
        CHECK_LOG(&f, "add A 3=0, set A 3=9");
        fixture_end(&f);
    }
}

static void of_many_that_are_loaded_too(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_buffer image = {0};
        fixture_begin(&f, fixture_storages[i]);
        for (int k = 0; k < 3; k++) {
            mica_spawn(f.world, NUMBER(f.a, k));
        }
        CHECK_EQUAL(MICA_OK,
                    mica_subset_save(f.world, f.all, &(mica_stream){.buffer = &image}, NULL, NULL));
        fixture_end(&f);
        mica_world *world = begin(&f, fixture_storages[i], set_last, NULL);
        CHECK_EQUAL(MICA_OK,
                    mica_subset_load(world, &(mica_stream){.buffer = &image}, NULL, NULL, 0, NULL));
        CHECK_LOG(&f, "add A 0=0, set A 0=0, add A 1=1, set A 1=1, add A 2=9, set A 2=9");
        mica_buffer_free(&image);
        fixture_end(&f);
    }
}

static void listen_and_set(const mica_observer_event *h)
{
    fixture_hear(fixture_listener(h)->f, "new", fixture_listener(h)->f->b, ON_MOVES | MICA_ON_SET);
    set_b(h);
}

static void whoever_listens_by_then_is_notified(void)
{
    fixture f;
    mica_world *world = begin(&f, MICA_TABLE, listen_and_set, NULL);
    mica_spawn(world, MICA_ADD(f.a), MICA_ADD(f.b));
    CHECK_LOG(&f, "add A 0=0, add B 0=6, set B 0=6, set new 0=6");
    mica_spawn(world, MICA_ADD(f.a), NUMBER(f.b, 1));
    CHECK_LOG(&f, "add A 1=0, add B 1=6, add new 1=6, set B 1=6, set new 1=6, set new 1=6");
    fixture_end(&f);

    world = begin(&f, MICA_SPARSE, NULL, listen_and_set); // nobody else listens
    mica_entity e = mica_spawn_values(world, NULL, 0);
    mica_add(world, e, f.b);
    CHECK_LOG(&f, "add B 0=0, set B 0=6, set new 0=6");
    fixture_end(&f);
}

static void set_without_memory(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_set(h->world, h->entity, NUMBER(f->b, 6)));
    const mica_value values[] = {NUMBER(f->a, 5), NUMBER(f->b, 6)};
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_set_values(h->world, h->entity, values, 2));
    test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(2, test_error_clear(&f->t.error));
    CHECK_EQUAL(0, fixture_load(f, h->entity, f->a));
    CHECK_EQUAL(0, fixture_load(f, h->entity, f->b));
}

static void what_cannot_be_noted_is_not_set(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_world *world = begin(&f, fixture_storages[i], set_without_memory, NULL);
        mica_spawn(world, MICA_ADD(f.a), MICA_ADD(f.b));
        CHECK_LOG(&f, "add A 0=0, add B 0=0");
        fixture_end(&f);
    }
}

// Removing

static void nothing_is_notified_of_what_was_removed(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_world *world = begin(&f, fixture_storages[i], set_b, set_a);
        mica_entity e = mica_spawn(world, NUMBER(f.a, 1), NUMBER(f.b, 2));
        f.log[0] = 0;
        mica_despawn(world, e);
        CHECK_LOG(&f, "remove A 0=5, set B 0=6, remove B 0=6");
        mica_type both[] = {f.a, f.b};
        e = mica_spawn(world, NUMBER(f.a, 1), NUMBER(f.b, 2));
        f.log[0] = 0;
        mica_change(world, e, NULL, 0, both, 2);
        CHECK_LOG(&f, "remove A 0=5, set B 0=6, remove B 0=6");
        e = mica_spawn(world, NUMBER(f.a, 1), NUMBER(f.b, 2));
        f.log[0] = 0;
        mica_remove(world, e, f.a);
        CHECK_LOG(&f, "remove A 1=5, set B 1=6");
        mica_remove(world, e, f.b);
        CHECK_LOG(&f, "remove B 1=6");
        fixture_end(&f);
    }
}

static void nor_by_whoever_listens_behind(void)
{
    for (fixture_each(i)) {
        fixture f;
        mica_world *world = begin(&f, fixture_storages[i], set_a, NULL);
        mica_entity e = mica_spawn(world, NUMBER(f.a, 1));
        f.log[0] = 0;
        mica_remove(world, e, f.a); // by one that listens alone
        CHECK_LOG(&f, "remove A 0=5");
        fixture_hear_and(&f, "2", f.a, MICA_ON_REMOVE | MICA_ON_DESPAWN, set_a);
        fixture_hear(&f, "3", f.a, ON_MOVES | MICA_ON_SET);
        mica_set(world, e, NUMBER(f.a, 2));
        f.log[0] = 0;
        mica_remove(world, e, f.a);
        CHECK_LOG(&f, "remove A 0=5, remove 2 0=5, remove 3 0=5");
        mica_set(world, e, NUMBER(f.a, 3));
        fixture_hear_and(&f, "", (mica_type){0}, MICA_ON_DESPAWN, set_a);
        const mica_query_desc with = {.terms = {{f.a, MICA_WITH}}};
        fixture_hear_query(&f, "q", with, MICA_ON_LEAVE);
        f.log[0] = 0;
        mica_despawn(world, e);
        CHECK_LOG(&f,
                  "leave q 0, remove A 0=5, remove 2 0=5, remove 3 0=5, despawn 2 0=5, despawn 0");
        fixture_end(&f);
    }
}

// Values of entities that are despawned together: in a list, in tables, and all there are.
static void of_many_that_are_despawned_nor(void)
{
    for (fixture_each(i)) {
        for (int how = 0; how < 4; how++) {
            fixture f;
            mica_world *world = begin(&f, fixture_storages[i], set_another, NULL);
            mica_entity entities[3];
            for (int k = 0; k < 3; k++) {
                entities[k] = mica_spawn(world, NUMBER(f.a, k));
            }
            another = entities[1];
            mica_add(world, entities[2], f.tag);
            f.log[0] = 0;
            switch (how) {
            case 0: mica_despawn_many(world, entities, 3); break;
            case 1: mica_despawn_all(world, f.all, NULL); break;
            case 2: mica_world_clear(world); break;
            default: mica_remove_all(world, f.all, f.a, NULL); break;
            }
            CHECK_LOG(&f, "remove A 0=0, set A 1=9, remove A 1=9, remove A 2=2");
            fixture_end(&f);
        }
    }
}

static void set_owner_and_facets(const mica_observer_event *h)
{
    mica_entity owner = mica_facet_owner(h->world, h->entity);
    mica_entity facet = (mica_entity){0};
    set(h, owner, fixture_listener(h)->f->a, 7);
    while (!MICA_IS_NONE(facet = mica_facet_next(h->world, owner, facet))) {
        set(h, facet, fixture_listener(h)->f->a, 8);
    }
}

static void nor_of_facets_that_end_before_their_owner(void)
{
    for (fixture_each(i)) {
        for (int how = 0; how < 3; how++) {
            fixture f;
            mica_world *world = begin(&f, fixture_storages[i], NULL, NULL);
            mica_entity owner = mica_spawn(world, NUMBER(f.a, 1));
            for (uint32_t role = 1; role < 3; role++) {
                mica_facet_add(world, owner, f.a, role, NUMBER(f.a, 2));
            }
            fixture_hear_and(&f, "2", f.a, MICA_ON_REMOVE, set_owner_and_facets);
            f.log[0] = 0;
            switch (how) {
            case 0: mica_despawn(world, owner); break;
            case 1: mica_despawn_all(world, f.all, NULL); break;
            default: mica_world_clear(world); break;
            }
            CHECK_LOG(&f, "remove A 1=2, remove 2 1=2, set A 0=7, set A 2=8, remove A 2=8, "
                          "remove 2 2=8, set A 0=7, remove A 0=7, remove 2 0=7");
            fixture_end(&f);
        }
    }
}

// Commands that wait

static void tag_it(const mica_observer_event *h)
{
    const fixture *f = fixture_listener(h)->f;
    mica_add(h->later, h->entity, f->tag);
}

static void commands_that_wait_are_not_run_by_observed_calls(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_world *later = mica_world_later(f.world);
        fixture_hear_and(&f, "1", f.a, MICA_ON_ADD, tag_it);
        fixture_hear(&f, "2", f.tag, MICA_ON_ADD);
        mica_entity waits = mica_spawn(later, MICA_ADD(f.a));
        mica_entity e = mica_spawn_values(f.world, NULL, 0);
        mica_disable(later, e, f.b);     // will fail: it has none
        for (int n = 0; n < 2000; n++) { // more than a block of commands in all
            mica_add(f.world, e, f.a);
            CHECK(mica_has(f.world, e, f.tag));
            mica_remove(f.world, e, f.a);
            mica_remove(f.world, e, f.tag);
            f.log[0] = 0;
        }
        CHECK(!mica_alive(f.world, waits));
        CHECK_EQUAL(2, mica_commands_count(f.world));
        CHECK_EQUAL(0, f.t.error.calls);
        CHECK_EQUAL(MICA_OK, mica_commands_apply(f.world));
        CHECK_CODE(&f, MICA_ERROR_ARGUMENT);
        CHECK_EQUAL(0, mica_commands_count(f.world));
        CHECK(mica_alive(f.world, waits) && mica_has(f.world, waits, f.tag));
        char expected[64];
        snprintf(expected, sizeof expected, "add 1 %u, add 2 %u", mica_entity_slot(waits),
                 mica_entity_slot(waits));
        CHECK_LOG(&f, expected);
        fixture_end(&f);
    }
}

static void chase(const mica_observer_event *h)
{
    const fixture *f = fixture_listener(h)->f;
    mica_spawn(h->later, MICA_ADD(f->a));
}

static void endless_commands_leave_those_that_wait(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_world *later = mica_world_later(f.world);
    mica_entity waits = mica_spawn(later, MICA_ADD(f.tag));
    mica_observer_new(f.world, &(mica_observer_desc){.type = f.a,
                                                     .events = MICA_ON_ADD,
                                                     .call = chase,
                                                     .user = &(listener){.f = &f}});
    mica_entity e = mica_spawn_values(f.world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_add(f.world, e, f.a));
    CHECK_CODE(&f, MICA_ERROR_LIMIT);
    CHECK_EQUAL(1, mica_commands_count(f.world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f.world));
    CHECK(mica_alive(f.world, waits));
    fixture_end(&f);
}

TESTS(order, commands_that_wait_are_not_run_by_observed_calls,
      endless_commands_leave_those_that_wait, what_is_set_before_it_was_added_is_notified_then,
      observers_of_spawns_set_before_anything_was_added,
      all_listeners_are_notified_of_the_addition_first,
      of_many_each_is_notified_of_its_addition_first, of_many_that_are_spawned_too,
      of_many_that_are_loaded_too, whoever_listens_by_then_is_notified,
      what_cannot_be_noted_is_not_set, nothing_is_notified_of_what_was_removed,
      nor_by_whoever_listens_behind, of_many_that_are_despawned_nor,
      nor_of_facets_that_end_before_their_owner)
