// Observers of several components, of values of matches, and observers that are disabled.
#include "unit/event/fixture.h"

// Several components

static void an_observer_of_several_hears_of_each(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        mica_observer both = fixture_hear_as(
            &f, "ab",
            (mica_observer_desc){.types = {f.a, f.b},
                                 .events = MICA_ON_SPAWN | MICA_ON_ADD | MICA_ON_SET |
                                           MICA_ON_REMOVE | MICA_ON_DESPAWN},
            NULL);
        mica_entity e = mica_spawn(f.world, NUMBER(f.b, 2));
        CHECK_LOG(&f, "spawn ab 0=2, add ab 0=2, set ab 0=2");
        mica_add(f.world, e, f.a);
        CHECK_LOG(&f, "add ab 0=0");
        mica_set(f.world, e, NUMBER(f.a, 3));
        CHECK_LOG(&f, "set ab 0=3");
        mica_remove(f.world, e, f.b);
        CHECK_LOG(&f, "remove ab 0=2");
        mica_despawn(f.world, e);
        CHECK_LOG(&f, "remove ab 0=3, despawn ab 0=3");
        CHECK_EQUAL(1, mica_world_get_stats(f.world).observers);
        CHECK(MICA_EQUAL(both, mica_observer_next(f.world, (mica_observer){0})));
        CHECK(MICA_IS_NONE(mica_observer_next(f.world, both)));
        mica_observer_info info;
        REQUIRE(mica_observer_get_info(f.world, both, &info));
        CHECK(MICA_IS_NONE(info.type) && MICA_EQUAL(info.types[0], f.a) &&
              MICA_EQUAL(info.types[1], f.b) && MICA_IS_NONE(info.types[2]));
        CHECK_EQUAL(MICA_OK, mica_observer_free(f.world, both));
        mica_spawn(f.world, NUMBER(f.b, 2), NUMBER(f.a, 2));
        CHECK_LOG(&f, "");
        CHECK_EQUAL(0, mica_world_get_stats(f.world).observers);
        fixture_end(&f);
    }
}

static void free_itself(const mica_observer_event *h)
{
    CHECK_EQUAL(MICA_OK, mica_observer_free(h->world, h->observer));
}

static void an_observer_of_several_may_free_itself(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    fixture_hear_as(&f, "ab",
                    (mica_observer_desc){.types = {f.a, f.b, f.tag}, .events = MICA_ON_ADD},
                    free_itself);
    mica_spawn(f.world, NUMBER(f.b, 2), NUMBER(f.a, 2));
    CHECK_LOG(&f, "add ab 0");
    CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    fixture_end(&f);
}

// Values of matches

static void a_value_of_a_match_is_reported(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        const mica_query_desc both = {.terms = {{f.a, MICA_READ}, {f.b, MICA_READ}}};
        mica_observer q = fixture_hear_query(&f, "q", both, MICA_ON_SET);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
        CHECK_LOG(&f, "");
        mica_set(f.world, e, NUMBER(f.b, 2));
        CHECK_LOG(&f, "set q 0=2");
        mica_set(f.world, e, NUMBER(f.a, 3));
        CHECK_LOG(&f, "set q 0=3");
        mica_disable(f.world, e, f.b);
        mica_set(f.world, e, NUMBER(f.a, 4));
        CHECK_LOG(&f, "");
        mica_enable(f.world, e, f.b);
        mica_set(f.world, e, NUMBER(f.a, 5), NUMBER(f.b, 6));
        CHECK_LOG(&f, "set q 0=5, set q 0=6");
        mica_remove(f.world, e, f.b);
        mica_set(f.world, e, NUMBER(f.a, 7));
        mica_add(f.world, e, f.b);
        CHECK_LOG(&f, "");
        mica_set_all(f.world, f.all, f.a, &(Number){8}, sizeof(Number), NULL);
        CHECK_LOG(&f, "set q 0=8");
        mica_entity other = mica_spawn(f.world, NUMBER(f.a, 1), NUMBER(f.b, 2));
        CHECK_LOG(&f, "set q 1=1, set q 1=2");
        mica_set(mica_world_later(f.world), other, NUMBER(f.b, 3));
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "set q 1=3");
        mica_observer_info info;
        REQUIRE(mica_observer_get_info(f.world, q, &info));
        CHECK_EQUAL(MICA_ON_SET, info.events);
        CHECK(MICA_IS_NONE(info.type) && !MICA_IS_NONE(info.query));
        CHECK_EQUAL(MICA_OK, mica_observer_free(f.world, q));
        mica_set(f.world, other, NUMBER(f.a, 1));
        CHECK_LOG(&f, "");
        fixture_end(&f);
    }
}

static void excluded_and_optional_terms_count_as_they_say(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        const mica_query_desc terms = {
            .terms = {{f.a, MICA_OPTIONAL}, {f.b, MICA_WITHOUT}, {f.tag, MICA_WITH}}};
        fixture_hear_query(&f, "q", terms, MICA_ON_SET | MICA_ON_ENTER | MICA_ON_LEAVE);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1), MICA_ADD(f.tag));
        CHECK_LOG(&f, "set q 0, enter q 0");
        mica_set(f.world, e, NUMBER(f.b, 1));
        CHECK_LOG(&f, "leave q 0");
        mica_set(f.world, e, NUMBER(f.b, 2));
        mica_set(f.world, e, NUMBER(f.a, 2));
        CHECK_LOG(&f, "");
        mica_remove(f.world, e, f.b);
        mica_set(f.world, e, NUMBER(f.a, 3));
        CHECK_LOG(&f, "enter q 0, set q 0");
        fixture_end(&f);
    }
}

static void listeners_of_a_type_and_of_matches_keep_their_order(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    const mica_query_desc query = {.terms = {{f.a, MICA_READ}}};
    fixture_hear_query(&f, "1", query, MICA_ON_SET);
    mica_observer two = fixture_hear(&f, "2", f.a, MICA_ON_SET);
    fixture_hear_query(&f, "3", query, MICA_ON_SET);
    mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
    CHECK_LOG(&f, "set 1 0, set 2 0, set 3 0");
    mica_observer_disable(f.world, two);
    mica_set(f.world, e, NUMBER(f.a, 1));
    CHECK_LOG(&f, "set 1 0, set 3 0");
    fixture_end(&f);
}

// Disabled observers

static void a_disabled_observer_hears_nothing(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_observer x = fixture_hear_as(
            &f, "x",
            (mica_observer_desc){.types = {f.a, f.b}, .events = MICA_ON_ADD, .disabled = true},
            NULL);
        mica_observer q = fixture_hear_as(
            &f, "q",
            (mica_observer_desc){.query.terms = {{f.a, MICA_WITH}},
                                 .events = MICA_ON_ENTER | MICA_ON_LEAVE | MICA_ON_SET,
                                 .existing = true,
                                 .disabled = true},
            NULL);
        CHECK(!mica_observer_is_enabled(f.world, x) && !mica_observer_is_enabled(f.world, q));
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1), NUMBER(f.b, 1));
        CHECK_EQUAL(MICA_OK, mica_observer_enable(f.world, x));
        CHECK_EQUAL(MICA_OK, mica_observer_enable(f.world, x)); // again
        CHECK_EQUAL(MICA_OK, mica_observer_enable(f.world, q));
        CHECK(mica_observer_is_enabled(f.world, x) && mica_observer_is_enabled(f.world, q));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        CHECK_LOG(&f, "");
        mica_remove(f.world, e, f.a);
        mica_set(f.world, e, NUMBER(f.a, 2));
        CHECK_LOG(&f, "leave q 0, add x 0, set q 0, enter q 0");
        CHECK_EQUAL(MICA_OK, mica_observer_disable(f.world, x));
        CHECK_EQUAL(MICA_OK, mica_observer_disable(f.world, q));
        CHECK_EQUAL(MICA_OK, mica_observer_disable(f.world, q));
        mica_remove(f.world, e, f.a);
        mica_set(f.world, e, NUMBER(f.a, 2));
        CHECK_LOG(&f, "");
        mica_observer_info info;
        REQUIRE(mica_observer_get_info(f.world, x, &info));
        CHECK(info.disabled);
        CHECK_EQUAL(MICA_OK, mica_observer_free(f.world, x));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_enable(f.world, x));
        CHECK_ERROR(&f.t, MICA_ERROR_OBSERVER,
                    "mica_observer_enable: the observer is freed, or of another world");
        fixture_end(&f);
    }
}

static mica_observer other;

static void disable_both(const mica_observer_event *h)
{
    CHECK_EQUAL(MICA_OK, mica_observer_disable(h->world, h->observer));
    CHECK_EQUAL(MICA_OK, mica_observer_disable(h->world, other));
}

static void disable_and_enable(const mica_observer_event *h)
{
    disable_both(h);
    CHECK_EQUAL(MICA_OK, mica_observer_enable(h->world, h->observer));
    CHECK_EQUAL(MICA_OK, mica_observer_enable(h->world, other));
}

static void observers_may_disable_observers(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_observer x = fixture_hear_and(&f, "x", f.a, MICA_ON_ADD, disable_both);
        other = fixture_hear(&f, "y", f.a, MICA_ON_ADD);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        CHECK_LOG(&f, "add x 0");
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        mica_remove(f.world, e, f.a);
        mica_add(f.world, e, f.a);
        CHECK_LOG(&f, "");
        CHECK(!mica_observer_is_enabled(f.world, x) && !mica_observer_is_enabled(f.world, other));

        // enabled again, from the next change on
        mica_observer_free(f.world, x);
        fixture_hear_and(&f, "x", f.a, MICA_ON_ADD | MICA_ON_SPAWN, disable_and_enable);
        mica_observer_free(f.world, other);
        other = fixture_hear(&f, "y", f.a, MICA_ON_ADD);
        mica_spawn(f.world, MICA_ADD(f.a));
        CHECK_LOG(&f, "spawn x 1");
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        mica_remove(f.world, e, f.a);
        mica_add(f.world, e, f.a);
        CHECK_LOG(&f, "add x 0");
        fixture_end(&f);
    }
}

TESTS(parts, an_observer_of_several_hears_of_each, an_observer_of_several_may_free_itself,
      a_value_of_a_match_is_reported, excluded_and_optional_terms_count_as_they_say,
      listeners_of_a_type_and_of_matches_keep_their_order, a_disabled_observer_hears_nothing,
      observers_may_disable_observers)
