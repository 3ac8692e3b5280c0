#include <string.h>

#include "unit/event/fixture.h"

#define ON_TYPE (MICA_ON_SPAWN | MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE | MICA_ON_DESPAWN)
#define ON_TAG (ON_TYPE & ~(uint32_t)MICA_ON_SET)
#define ON_TOGGLE (MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_ENABLE | MICA_ON_DISABLE)

// One entity

static void adding_and_removing_are_reported(void) // S2.8
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear(&f, "A", f.a, MICA_ON_ADD | MICA_ON_REMOVE);
        mica_entity e = mica_spawn_values(f.world, NULL, 0);
        for (int round = 0; round < 3; round++) {
            CHECK_EQUAL(MICA_OK, mica_add(f.world, e, f.a));
            CHECK_LOG(&f, "add A 0");
            CHECK_EQUAL(MICA_OK, mica_remove(f.world, e, f.a));
            CHECK_LOG(&f, "remove A 0");
        }
        fixture_end(&f);
    }
}

static void what_makes_no_difference_is_not_reported(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear(&f, "A", f.a, ON_TYPE);
        fixture_hear(&f, "B", f.b, ON_TOGGLE);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a), MICA_ADD(f.b));
        f.log[0] = 0;
        mica_add(f.world, e, f.a);
        mica_remove(f.world, e, f.tag);
        mica_enable(f.world, e, f.b);
        mica_change(f.world, e, &(mica_value){.type = f.a}, 1, &f.marked, 1);
        CHECK_LOG(&f, "");
        fixture_end(&f);
    }
}

static void setting_what_is_not_there_adds_it_first(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        fixture_hear(&f, "A", f.a, ON_TYPE);
        mica_entity e = mica_spawn_values(f.world, NULL, 0);
        for (int round = 0; round < 2; round++) {
            CHECK_EQUAL(MICA_OK, mica_set(f.world, e, NUMBER(f.a, 7)));
            CHECK_LOG(&f, "add A 0=7, set A 0=7");
            CHECK_EQUAL(MICA_OK, mica_set(f.world, e, NUMBER(f.a, 8)));
            CHECK_LOG(&f, "set A 0=8");
            CHECK_EQUAL(MICA_OK, mica_remove(f.world, e, f.a));
            CHECK_LOG(&f, "remove A 0=8");
        }
        fixture_end(&f);
    }
}

static void an_entity_comes_and_goes_with_all_it_has(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        fixture_hear(&f, "", (mica_type){0}, MICA_ON_SPAWN | MICA_ON_DESPAWN);
        fixture_hear(&f, "B", f.b, ON_TYPE);
        fixture_hear(&f, "A", f.a, ON_TYPE);
        for (int round = 0; round < 3; round++) {
            mica_entity e = mica_spawn(f.world, NUMBER(f.b, 2), NUMBER(f.a, 1), MICA_ADD(f.tag));
            CHECK_LOG(&f, "spawn 0, spawn B 0=2, spawn A 0=1, add A 0=1, add B 0=2, set A 0=1, "
                          "set B 0=2");
            mica_despawn(f.world, e);
            CHECK_LOG(&f, "remove A 0=1, remove B 0=2, despawn 0, despawn B 0=2, despawn A 0=1");
        }
        mica_spawn_values(f.world, NULL, 0);
        mica_entity other = mica_spawn(f.world, MICA_ADD(f.tag));
        CHECK_LOG(&f, "spawn 0, spawn 1");
        mica_despawn(f.world, other);
        CHECK_LOG(&f, "despawn 1");
        fixture_end(&f);
    }
}

static void a_value_that_is_not_given_is_added_and_not_set(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear(&f, "A", f.a, MICA_ON_ADD | MICA_ON_SET);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        CHECK_LOG(&f, "add A 0");
        mica_clone(f.world, e); // gives values
        CHECK_LOG(&f, "add A 1, set A 1");
        fixture_end(&f);
    }
}

static void several_changes_in_one_call_are_one(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        fixture_hear(&f, "Tag", f.tag, ON_TAG);
        fixture_hear(&f, "A", f.a, ON_TYPE);
        fixture_hear(&f, "B", f.b, ON_TYPE);
        fixture_hear(&f, "Marked", f.marked, ON_TAG);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1), MICA_ADD(f.marked));
        f.log[0] = 0;
        mica_type gone[] = {f.marked, f.a};
        mica_value given[] = {MICA_ADD(f.tag), NUMBER(f.b, 3), NUMBER(f.b, 4)};
        CHECK_EQUAL(MICA_OK, mica_change(f.world, e, given, 3, gone, 2));
        CHECK_LOG(&f, "remove A 0=1, remove Marked 0, add B 0=4, add Tag 0, set B 0=4");
        fixture_end(&f);
    }
}

static void toggling_is_reported(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, NUMBER(f.b, 1));
        mica_disable(f.world, e, f.b); // nobody listens yet
        mica_enable(f.world, e, f.b);
        mica_accessor b = mica_accessor_new(f.world, f.b);
        mica_observer observer = fixture_hear(&f, "B", f.b, ON_TOGGLE);
        mica_disable(f.world, e, f.b);
        CHECK_LOG(&f, "disable B 0");
        mica_disable(f.world, e, f.b);
        CHECK_LOG(&f, "");
        mica_enable(f.world, e, f.b);
        CHECK_LOG(&f, "enable B 0");
        mica_accessor_disable(&b, e);
        CHECK_LOG(&f, "disable B 0");
        mica_accessor_enable(&b, e);
        CHECK_LOG(&f, "enable B 0");
        mica_accessor_disable(&b, e);
        mica_entity clone = mica_clone(f.world, e);
        CHECK_LOG(&f, "disable B 0, add B 1");
        CHECK(!mica_is_enabled(f.world, clone, f.b));
        CHECK_EQUAL(MICA_OK, mica_enable_all(f.world, f.all, f.b, NULL));
        CHECK_LOG(&f, "enable B 0, enable B 1");
        mica_disable(f.world, e, f.b);
        mica_remove(f.world, e, f.b); // which says nothing of enabling
        CHECK_LOG(&f, "disable B 0, remove B 0");
        mica_observer_free(f.world, observer);
        mica_accessor_disable(&b, clone);
        CHECK_LOG(&f, "");
        fixture_end(&f);
    }
}

// Queries

static void matching_begins_and_ceases(void) // S2.8
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        const mica_query_desc query = {
            .terms = {{f.a, MICA_READ}, {f.b, MICA_WITH}, {f.tag, MICA_WITHOUT}}};
        fixture_hear_query(&f, "q", query, MICA_ON_ENTER | MICA_ON_LEAVE);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
        CHECK_LOG(&f, "");
        mica_add(f.world, e, f.b);
        CHECK_LOG(&f, "enter q 0");
        mica_set(f.world, e, NUMBER(f.b, 1));
        mica_add(f.world, e, f.marked);
        CHECK_LOG(&f, "");
        mica_add(f.world, e, f.tag);
        CHECK_LOG(&f, "leave q 0");
        mica_remove(f.world, e, f.tag);
        CHECK_LOG(&f, "enter q 0");
        mica_disable(f.world, e, f.b);
        CHECK_LOG(&f, "leave q 0");
        mica_remove(f.world, e, f.b);
        CHECK_LOG(&f, "");
        mica_add(f.world, e, f.b);
        CHECK_LOG(&f, "enter q 0");
        mica_despawn(f.world, e);
        CHECK_LOG(&f, "leave q 0");
        mica_spawn(f.world, NUMBER(f.a, 1), NUMBER(f.b, 1));
        CHECK_LOG(&f, "enter q 0");
        fixture_end(&f);
    }
}

static void what_is_disabled_matches_where_it_is_forbidden(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        const mica_query_desc without = {.terms = {{f.a, MICA_WITH}, {f.b, MICA_WITHOUT}}};
        const mica_query_desc even = {
            .terms = {{f.b, (uint32_t)MICA_WITH | MICA_INCLUDE_DISABLED}}};
        fixture_hear_query(&f, "without", without, MICA_ON_ENTER | MICA_ON_LEAVE);
        fixture_hear_query(&f, "even", even, MICA_ON_ENTER | MICA_ON_LEAVE);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a), MICA_ADD(f.b));
        CHECK_LOG(&f, "enter even 0");
        mica_disable(f.world, e, f.b);
        CHECK_LOG(&f, "enter without 0");
        mica_remove(f.world, e, f.b); // it was not there, to the first
        CHECK_LOG(&f, "leave even 0");
        mica_add(f.world, e, f.b);
        CHECK_LOG(&f, "leave without 0, enter even 0");
        fixture_end(&f);
    }
}

static void queries_of_any_and_of_everything_are_observed(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        const mica_query_desc any = {.terms = {{f.a, MICA_ANY}, {f.marked, MICA_ANY}}};
        fixture_hear_query(&f, "any", any, MICA_ON_ENTER | MICA_ON_LEAVE);
        fixture_hear_query(&f, "all", (mica_query_desc){.everything = true},
                           MICA_ON_ENTER | MICA_ON_LEAVE | MICA_ON_SPAWN | MICA_ON_DESPAWN);
        const mica_query_desc none = {.terms = {{f.tag, MICA_WITHOUT}}};
        fixture_hear_query(&f, "none", none, MICA_ON_ENTER | MICA_ON_SPAWN | MICA_ON_LEAVE);
        mica_entity e = mica_spawn_values(f.world, NULL, 0);
        CHECK_LOG(&f, "spawn all 0, spawn none 0, enter all 0, enter none 0");
        mica_add(f.world, e, f.marked);
        CHECK_LOG(&f, "enter any 0");
        mica_add(f.world, e, f.a);
        CHECK_LOG(&f, "");
        mica_remove(f.world, e, f.marked);
        CHECK_LOG(&f, "");
        mica_remove(f.world, e, f.a);
        CHECK_LOG(&f, "leave any 0");
        mica_add(f.world, e, f.tag);
        CHECK_LOG(&f, "leave none 0");
        mica_spawn(f.world, MICA_ADD(f.tag));
        CHECK_LOG(&f, "spawn all 1, enter all 1");
        mica_despawn(f.world, e);
        CHECK_LOG(&f, "leave all 0, despawn all 0");
        fixture_end(&f);
    }
}

// Many entities

static void calls_for_many_tell_of_each(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        fixture_hear(&f, "A", f.a, ON_TYPE & ~(uint32_t)(MICA_ON_SPAWN | MICA_ON_DESPAWN));
        const mica_query_desc with = {.terms = {{f.a, MICA_WITH}}};
        fixture_hear_query(&f, "q", with, MICA_ON_ENTER | MICA_ON_LEAVE);
        mica_bundle bundle = mica_bundle_new(f.world, (mica_type[]){f.a, f.tag}, 2);
        const Number numbers[] = {{1}, {2}};
        const mica_value arrays[] = {{f.a, numbers, sizeof *numbers, 2, NULL}, {.type = f.tag}};
        mica_entity made[2];
        CHECK_EQUAL(MICA_OK, mica_spawn_many(f.world, bundle, 2, arrays, 2, made));
        CHECK_LOG(&f, "add A 0=1, set A 0=1, enter q 0, add A 1=2, set A 1=2, enter q 1");
        CHECK_EQUAL(MICA_OK, mica_remove_all(f.world, f.all, f.a, NULL));
        CHECK_LOG(&f, "leave q 0, remove A 0=1, leave q 1, remove A 1=2");
        mica_add(f.world, made[1], f.a);
        f.log[0] = 0;
        CHECK_EQUAL(MICA_OK, mica_set_all(f.world, f.all, f.a, &(Number){5}, sizeof(Number), NULL));
        CHECK(strstr(f.log, "add A 0=5, set A 0=5, enter q 0") != NULL);
        CHECK(strstr(f.log, "set A 1=5") != NULL && !strstr(f.log, "add A 1"));
        f.log[0] = 0;
        CHECK_EQUAL(MICA_OK, mica_add_all(f.world, f.all, f.a, NULL));
        CHECK_LOG(&f, "");
        CHECK_EQUAL(MICA_OK,
                    mica_despawn_many(f.world, (mica_entity[]){made[1], made[0], made[1]}, 3));
        CHECK_LOG(&f, "leave q 1, remove A 1=5, leave q 0, remove A 0=5");
        fixture_end(&f);
    }
}

static void all_are_there_while_those_are_reported_of_that_go(void)
{
    for (fixture_each(i)) {
        for (int way = 0; way < 3; way++) {
            fixture f;
            fixture_begin(&f, fixture_storages[i]);
            f.values = true;
            mica_entity e[3];
            for (int n = 0; n < 3; n++) {
                e[n] = mica_spawn(f.world, NUMBER(f.a, n));
            }
            mica_spawn(f.world, MICA_ADD(f.tag));
            fixture_hear(&f, "A", f.a, MICA_ON_REMOVE | MICA_ON_DESPAWN);
            switch (way) {
            case 0: CHECK_EQUAL(MICA_OK, mica_despawn_all(f.world, f.all, NULL)); break;
            case 1: CHECK_EQUAL(MICA_OK, mica_despawn_many(f.world, e, 3)); break;
            default: CHECK_EQUAL(MICA_OK, mica_world_clear(f.world)); break;
            }
            CHECK_LOG(&f, "remove A 0=0, despawn A 0=0, remove A 1=1, despawn A 1=1, "
                          "remove A 2=2, despawn A 2=2");
            fixture_end(&f);
        }
    }
}

// Facets

static void facets_are_reported_of_before_their_owner(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        fixture_hear(&f, "", (mica_type){0}, MICA_ON_SPAWN | MICA_ON_DESPAWN);
        fixture_hear(&f, "A", f.a, MICA_ON_ADD | MICA_ON_REMOVE);
        fixture_hear_query(&f, "whole", (mica_query_desc){.everything = true, .no_facets = true},
                           MICA_ON_ENTER | MICA_ON_LEAVE);
        mica_entity owner = mica_spawn(f.world, NUMBER(f.a, 1));
        CHECK_LOG(&f, "spawn 0, add A 0=1, enter whole 0");
        mica_entity x = mica_facet_add(f.world, owner, f.a, 1, NUMBER(f.a, 2));
        mica_entity y = mica_facet_add(f.world, owner, f.a, 2, NUMBER(f.a, 3));
        CHECK_LOG(&f, "spawn 1, add A 1=2, spawn 2, add A 2=3");
        mica_despawn(f.world, y);
        CHECK_LOG(&f, "remove A 2=3, despawn 2");
        mica_facet_add(f.world, owner, f.a, 3, MICA_ADD(f.tag));
        f.log[0] = 0;
        mica_despawn_many(f.world, (mica_entity[]){owner, x}, 2);
        CHECK_LOG(&f, "remove A 1=2, despawn 1, despawn 2, leave whole 0, remove A 0=1, despawn 0");
        fixture_end(&f);
    }
}

static mica_entity found_owner;

static void ask_owner(const mica_observer_event *h)
{
    found_owner = mica_facet_owner(h->world, h->entity);
}

static void an_observer_of_a_new_facet_finds_its_owner(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, ask_owner);
    mica_entity owner = mica_spawn_values(f.world, NULL, 0);
    mica_facet_add(f.world, owner, f.a, 1, NUMBER(f.a, 2));
    CHECK(MICA_EQUAL(owner, found_owner));
    fixture_end(&f);
}

// Storages

static void changing_the_storage_tells_nobody(void)
{
    for (fixture_each(i)) {
        for (fixture_each(k)) {
            fixture f;
            fixture_begin(&f, fixture_storages[i]);
            fixture_hear(&f, "A", f.a, ON_TYPE);
            const mica_query_desc with = {.terms = {{f.a, MICA_WITH}}};
            fixture_hear_query(&f, "q", with, MICA_ON_ENTER | MICA_ON_LEAVE);
            mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1), MICA_ADD(f.tag));
            f.log[0] = 0;
            CHECK_EQUAL(MICA_OK, mica_type_change_storage(f.world, f.a, fixture_storages[k]));
            CHECK_LOG(&f, "");
            mica_remove(f.world, e, f.a);
            CHECK_LOG(&f, "leave q 0, remove A 0");
            mica_set(f.world, e, NUMBER(f.a, 1));
            CHECK_LOG(&f, "add A 0, set A 0, enter q 0");
            mica_despawn(f.world, e);
            CHECK_LOG(&f, "leave q 0, remove A 0, despawn A 0");
            fixture_end(&f);
        }
    }
}

// Commands

static void commands_of_one_entity_are_reported_as_one_change(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        fixture_hear(&f, "A", f.a, ON_TYPE);
        fixture_hear(&f, "B", f.b, ON_TYPE | MICA_ON_DISABLE);
        fixture_hear(&f, "Tag", f.tag, ON_TAG);
        mica_entity e = mica_spawn(f.world, NUMBER(f.b, 9));
        f.log[0] = 0;
        mica_world *later = mica_world_later(f.world);
        mica_set(later, e, NUMBER(f.a, 1));
        mica_add(later, e, f.tag);
        mica_set(later, e, NUMBER(f.a, 2));
        mica_remove(later, e, f.tag);
        mica_remove(later, e, f.b);
        mica_entity gone = mica_spawn(later, NUMBER(f.a, 1));
        mica_despawn(later, gone);
        mica_entity made = mica_spawn(later, NUMBER(f.a, 5));
        mica_add(later, made, f.b);
        mica_disable(later, made, f.b);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "remove B 0=9, add A 0=2, set A 0=2, spawn A 2=5, spawn B 2=0, add A 2=5, "
                      "add B 2=0, set A 2=5");
        fixture_end(&f);
    }
}

static void check_is_off(const mica_observer_event *h)
{
    CHECK(!mica_is_enabled(h->world, h->entity, fixture_listener(h)->f->b));
}

static void what_comes_disabled_is_disabled_when_that_is_reported(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        const uint32_t match = MICA_ON_ENTER | MICA_ON_LEAVE | MICA_ON_SPAWN;
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1), NUMBER(f.b, 2));
        mica_disable(f.world, e, f.b);
        fixture_hear_and(&f, "B", f.b, ON_TYPE | MICA_ON_DISABLE | MICA_ON_ENABLE, check_is_off);
        fixture_hear_query(&f, "on", (mica_query_desc){.terms = {{f.b, MICA_WITH}}}, match);
        fixture_hear_query(&f, "off", (mica_query_desc){.terms = {{f.b, MICA_WITHOUT}}}, match);
        mica_entity clone = mica_clone(f.world, e);
        CHECK_LOG(&f, "spawn B 1, spawn off 1, add B 1, set B 1, enter off 1");
        mica_world *later = mica_world_later(f.world);
        mica_clone(later, e);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "spawn B 2, spawn off 2, add B 2, set B 2, enter off 2");
        mica_remove(f.world, clone, f.b);
        f.log[0] = 0;
        mica_set(later, clone, NUMBER(f.b, 3));
        mica_disable(later, clone, f.b);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "add B 1, set B 1");
        mica_entity made = mica_spawn(later, NUMBER(f.b, 4));
        mica_disable(later, made, f.b);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "spawn B 3, spawn off 3, add B 3, set B 3, enter off 3");
        CHECK_EQUAL(4, fixture_load(&f, made, f.b));
        fixture_end(&f);
    }
}

static void what_is_switched_by_commands_is_reported_with_what_they_change(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        const mica_query_desc both = {.terms = {{f.a, MICA_WITH}, {f.b, MICA_WITH}}};
        mica_entity e = mica_spawn(f.world, NUMBER(f.b, 2));
        fixture_hear(&f, "B", f.b, ON_TYPE | MICA_ON_DISABLE | MICA_ON_ENABLE);
        fixture_hear(&f, "A", f.a, ON_TYPE);
        fixture_hear_query(&f, "both", both, MICA_ON_ENTER | MICA_ON_LEAVE);
        mica_world *later = mica_world_later(f.world);
        mica_set(later, e, NUMBER(f.a, 1));
        mica_disable(later, e, f.b);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "disable B 0, add A 0, set A 0");
        mica_enable(later, e, f.b);
        mica_remove(later, e, f.a);
        mica_disable(later, e, f.b);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "remove A 0");
        mica_enable(later, e, f.b);
        mica_set(later, e, NUMBER(f.b, 7));
        mica_add(later, e, f.a);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "add A 0, set B 0, enable B 0, enter both 0");
        mica_disable(later, e, f.b);
        mica_enable(later, e, f.b);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "");
        mica_disable(later, e, f.b);
        mica_add(later, e, f.tag);
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "leave both 0, disable B 0");
        fixture_end(&f);
    }
}

TESTS(tell, adding_and_removing_are_reported, what_makes_no_difference_is_not_reported,
      setting_what_is_not_there_adds_it_first, an_entity_comes_and_goes_with_all_it_has,
      a_value_that_is_not_given_is_added_and_not_set, several_changes_in_one_call_are_one,
      toggling_is_reported, matching_begins_and_ceases,
      what_is_disabled_matches_where_it_is_forbidden, queries_of_any_and_of_everything_are_observed,
      calls_for_many_tell_of_each, all_are_there_while_those_are_reported_of_that_go,
      facets_are_reported_of_before_their_owner, an_observer_of_a_new_facet_finds_its_owner,
      changing_the_storage_tells_nobody, commands_of_one_entity_are_reported_as_one_change,
      what_comes_disabled_is_disabled_when_that_is_reported,
      what_is_switched_by_commands_is_reported_with_what_they_change)
