// Observers that are notified of what is there already.
#include <string.h>

#include "unit/event/fixture.h"

static const uint32_t all_kinds = MICA_ON_SPAWN | MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE;

static mica_observer hear_existing(fixture *f, const char *label, mica_type type, uint32_t on,
                                   void (*and_then)(const mica_observer_event *h))
{
    return fixture_hear_as(
        f, label, (mica_observer_desc){.type = type, .events = on, .existing = true}, and_then);
}

static void a_new_observer_hears_of_what_is_there(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        mica_spawn(f.world, NUMBER(f.a, 7));
        mica_spawn(f.world, MICA_ADD(f.tag));
        mica_entity last = mica_spawn(f.world, NUMBER(f.a, 8), MICA_ADD(f.tag));
        hear_existing(&f, "A", f.a, all_kinds, NULL);
        CHECK_LOG(&f, "spawn A 0=7, add A 0=7, set A 0=7, spawn A 2=8, add A 2=8, set A 2=8");
        mica_spawn(f.world, NUMBER(f.a, 9));
        CHECK_LOG(&f, "spawn A 3=9, add A 3=9, set A 3=9");
        mica_remove(f.world, last, f.a);
        CHECK_LOG(&f, "remove A 2=8");
        fixture_end(&f);
    }
}

static void disabled_components_and_tags_are_there_too(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, NUMBER(f.b, 7), MICA_ADD(f.marked));
        mica_disable(f.world, e, f.b);
        hear_existing(&f, "B", f.b, MICA_ON_ADD, NULL);
        hear_existing(&f, "M", f.marked, MICA_ON_ADD, NULL);
        CHECK_LOG(&f, "add B 0, add M 0");
        fixture_end(&f);
    }
}

static void a_new_observer_of_a_query_hears_of_its_matches(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_spawn(f.world, NUMBER(f.a, 1), NUMBER(f.b, 2));
        mica_entity off = mica_spawn(f.world, NUMBER(f.a, 3), NUMBER(f.b, 4));
        mica_spawn(f.world, NUMBER(f.a, 5));
        mica_disable(f.world, off, f.b);
        fixture_hear_as(
            &f, "q",
            (mica_observer_desc){
                .query = {.terms = {{f.a, MICA_WRITE}, {f.b, MICA_READ}}, .no_entities = true},
                .events = MICA_ON_ENTER | MICA_ON_SET | MICA_ON_SPAWN,
                .existing = true},
            NULL);
        CHECK_LOG(&f, "spawn q 0, set q 0, set q 0, enter q 0");
        fixture_end(&f);
    }
}

static void a_new_observer_of_all_entities_hears_of_all(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_spawn_values(f.world, NULL, 0);
    mica_spawn(f.world, NUMBER(f.a, 1));
    fixture_hear_as(&f, "e", (mica_observer_desc){.events = MICA_ON_SPAWN, .existing = true}, NULL);
    CHECK_LOG(&f, "spawn e 0, spawn e 1");
    fixture_end(&f);
}

static void several_components_come_entity_by_entity(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_spawn(f.world, NUMBER(f.a, 1), NUMBER(f.b, 2));
        mica_spawn(f.world, NUMBER(f.b, 3));
        f.values = true;
        fixture_hear_as(&f, "AB",
                        (mica_observer_desc){.types = {f.b, f.a},
                                             .events = MICA_ON_ADD | MICA_ON_SET,
                                             .existing = true},
                        NULL);
        // components in order of registration; entities in that of rows
        bool first = strncmp(f.log, "add AB 0=1, add AB 0=2, set AB 0=1, set AB 0=2", 46) == 0;
        CHECK(first || strncmp(f.log, "add AB 1=3, set AB 1=3, add AB 0=1", 34) == 0);
        fixture_end(&f);
    }
}

// What an observer does meanwhile

static void set_more(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    if (h->kind == MICA_ON_ADD) {
        CHECK_EQUAL(MICA_OK, mica_set(h->world, h->entity, NUMBER(f->a, 9)));
    }
}

static void a_value_that_it_sets_is_reported_after_the_addition(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        mica_spawn(f.world, NUMBER(f.a, 1));
        mica_spawn(f.world, NUMBER(f.a, 2));
        fixture_hear(&f, "old", f.a, MICA_ON_SET);
        hear_existing(&f, "new", f.a, MICA_ON_ADD | MICA_ON_SET, set_more);
        CHECK_LOG(&f,
                  "add new 0=1, set old 0=9, set new 0=9, add new 1=2, set old 1=9, set new 1=9");
        fixture_end(&f);
    }
}

static void despawn_it(const mica_observer_event *h)
{
    mica_despawn(h->later, h->entity);
    CHECK(mica_alive(h->world, h->entity));
}

static void commands_that_it_records_run_at_the_end(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity first = mica_spawn(f.world, NUMBER(f.a, 1));
        mica_entity second = mica_spawn(f.world, NUMBER(f.a, 2));
        hear_existing(&f, "A", f.a, MICA_ON_ADD | MICA_ON_REMOVE, despawn_it);
        CHECK_LOG(&f, "add A 0, add A 1, remove A 0, remove A 1");
        CHECK(!mica_alive(f.world, first) && !mica_alive(f.world, second));
        fixture_end(&f);
    }
}

static void free_it(const mica_observer_event *h)
{
    CHECK_EQUAL(MICA_OK, mica_observer_free(h->world, h->observer));
}

static void it_may_free_itself(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_spawn(f.world, NUMBER(f.a, 1));
        mica_spawn(f.world, NUMBER(f.a, 2));
        hear_existing(&f, "A", f.a, MICA_ON_ADD | MICA_ON_SET, free_it);
        fixture_hear_as(&f, "q",
                        (mica_observer_desc){.query.terms = {{f.a, MICA_WITH}},
                                             .events = MICA_ON_ENTER,
                                             .existing = true},
                        free_it);
        CHECK_LOG(&f, "add A 0, enter q 0");
        CHECK_EQUAL(0, mica_world_get_stats(f.world).observers);
        fixture_end(&f);
    }
}

static void nest(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    const mica_observer_desc desc = {
        .type = f->a, .events = MICA_ON_ADD, .call = despawn_it, .existing = true};
    CHECK(MICA_IS_NONE(mica_observer_new(h->world, &desc)));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATING,
                "mica_observer_new: refused inside observer 'A'; do it when the call is over that "
                "is observed");
}

static void it_is_refused_inside_an_observer(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, nest);
    mica_spawn(f.world, MICA_ADD(f.a));
    CHECK_EQUAL(1, mica_world_get_stats(f.world).observers);
    fixture_end(&f);
}

static void it_may_be_made_during_an_iteration(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
        mica_iter it;
        mica_iter_begin(f.world, f.all, &it);
        hear_existing(&f, "A", f.a, MICA_ON_ADD, despawn_it);
        CHECK_LOG(&f, "add A 0");
        CHECK(mica_alive(f.world, e));
        mica_iter_end(&it);
        CHECK(!mica_alive(f.world, e));
        fixture_end(&f);
    }
}

TESTS(existing, a_new_observer_hears_of_what_is_there, disabled_components_and_tags_are_there_too,
      a_new_observer_of_a_query_hears_of_its_matches, a_new_observer_of_all_entities_hears_of_all,
      several_components_come_entity_by_entity, a_value_that_it_sets_is_reported_after_the_addition,
      commands_that_it_records_run_at_the_end, it_may_free_itself, it_is_refused_inside_an_observer,
      it_may_be_made_during_an_iteration)
