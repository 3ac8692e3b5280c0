#include <stdio.h>
#include <string.h>

#include "unit/event/fixture.h"

// Handles

static void an_observer_that_is_freed_hears_no_more(void) // S2.8
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_observer first = fixture_hear(&f, "x", f.a, MICA_ON_ADD | MICA_ON_REMOVE);
        mica_observer second = fixture_hear(&f, "y", f.a, MICA_ON_ADD);
        CHECK(!MICA_EQUAL(first, second));
        CHECK(MICA_IS_NONE((mica_observer){0}));
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        CHECK_LOG(&f, "add x 0, add y 0");
        CHECK_EQUAL(MICA_OK, mica_observer_free(f.world, first));
        mica_remove(f.world, e, f.a);
        mica_add(f.world, e, f.a);
        CHECK_LOG(&f, "add y 0");
        CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_free(f.world, first));
        CHECK_ERROR(&f.t, MICA_ERROR_OBSERVER,
                    "mica_observer_free: the observer is freed, or of another world");
        CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_free(f.world, (mica_observer){0}));
        CHECK_ERROR(&f.t, MICA_ERROR_OBSERVER, "mica_observer_free: the observer is none");
        CHECK_EQUAL(1, mica_world_get_stats(f.world).observers);
        fixture_end(&f);
    }
}

static void observers_come_in_the_order_they_were_made_in(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_observer a = fixture_hear(&f, "1", f.a, MICA_ON_ADD);
    fixture_hear(&f, "2", f.a, MICA_ON_ADD);
    mica_observer_free(f.world, a);
    fixture_hear(&f, "3", f.a, MICA_ON_ADD); // takes the number of the first
    mica_spawn(f.world, MICA_ADD(f.a));
    CHECK_LOG(&f, "add 2 0, add 3 0");
    fixture_end(&f);
}

static void what_was_there_before_is_not_reported(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        const mica_query_desc with = {.terms = {{f.a, MICA_WITH}}};
        fixture_hear_query(&f, "q", with, MICA_ON_ENTER | MICA_ON_LEAVE);
        fixture_hear(&f, "A", f.a, MICA_ON_ADD | MICA_ON_REMOVE);
        CHECK_LOG(&f, "");
        mica_remove(f.world, e, f.a);
        CHECK_LOG(&f, "leave q 0, remove A 0");
        fixture_end(&f);
    }
}

// Descriptors

static void refuse(fixture *f, mica_observer_desc desc, mica_result code, const char *sentence)
{
    CHECK(MICA_IS_NONE(mica_observer_new(f->world, &desc)));
    if (sentence) {
        CHECK_ERROR(&f->t, code, sentence);
    } else {
        CHECK_CODE(f, code);
    }
}

static void never(const mica_observer_event *h)
{
    (void)h;
    CHECK(false);
}

static void descriptors_that_make_no_sense_are_refused(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    refuse(&f, (mica_observer_desc){.type = f.a, .events = MICA_ON_ADD}, MICA_ERROR_NULL,
           "mica_observer_new: desc->call is null");
    refuse(&f, (mica_observer_desc){.type = f.a, .call = never}, MICA_ERROR_ARGUMENT,
           "mica_observer_new: .events is 0; set it to kinds of events, such as MICA_ON_ADD");
    refuse(&f, (mica_observer_desc){.type = f.a, .events = MICA_ON_ENTER, .call = never},
           MICA_ERROR_ARGUMENT, "mica_observer_new: MICA_ON_ENTER is not an event of a component");
    refuse(&f, (mica_observer_desc){.events = MICA_ON_ADD, .call = never}, MICA_ERROR_ARGUMENT,
           "mica_observer_new: MICA_ON_ADD is not an event of all entities");
    refuse(&f,
           (mica_observer_desc){
               .query.terms = {{f.a, MICA_WITH}}, .events = MICA_ON_ADD, .call = never},
           MICA_ERROR_ARGUMENT, "mica_observer_new: MICA_ON_ADD is not an event of a query");
    refuse(&f,
           (mica_observer_desc){.query.terms = {{f.a, MICA_WITHOUT}, {f.tag, MICA_WITH}},
                                .events = MICA_ON_SET,
                                .call = never},
           MICA_ERROR_ARGUMENT,
           "mica_observer_new: MICA_ON_SET needs a term with a value; the query has none");
    refuse(&f,
           (mica_observer_desc){.type = f.a, .types = {f.b}, .events = MICA_ON_ADD, .call = never},
           MICA_ERROR_ARGUMENT,
           "mica_observer_new: the descriptor has both .type and .types; put all components into "
           ".types");
    refuse(&f, (mica_observer_desc){.types = {f.a, f.b, f.a}, .events = MICA_ON_ADD, .call = never},
           MICA_ERROR_ARGUMENT, "mica_observer_new: the descriptor names 'A' twice");
    refuse(&f, (mica_observer_desc){.types = {f.a, {0}, f.b}, .events = MICA_ON_ADD, .call = never},
           MICA_ERROR_ARGUMENT, "mica_observer_new: .types has a gap before place 2");
    refuse(&f, (mica_observer_desc){.types = {f.a, {77}}, .events = MICA_ON_ADD, .call = never},
           MICA_ERROR_TYPE, NULL);
    refuse(&f, (mica_observer_desc){.types = {f.a, f.tag}, .events = MICA_ON_SET, .call = never},
           MICA_ERROR_ARGUMENT,
           "mica_observer_new: 'Tag' is a tag and has no value to be set; observe MICA_ON_ADD");
    refuse(&f,
           (mica_observer_desc){
               .type = f.a, .events = MICA_ON_REMOVE, .call = never, .existing = true},
           MICA_ERROR_ARGUMENT,
           "mica_observer_new: .existing reports MICA_ON_SPAWN, _ADD, _SET and _ENTER, and .events "
           "has none of them");
    refuse(&f, (mica_observer_desc){.type = f.a, .events = MICA_ON_ENABLE, .call = never},
           MICA_ERROR_ARGUMENT,
           "mica_observer_new: 'A' has no toggle; register it with .toggle = true");
    for (int i = 0; i < 2; i++) {
        refuse(&f,
               (mica_observer_desc){.type = i == 0 ? f.tag : f.marked,
                                    .events = MICA_ON_ADD | MICA_ON_SET,
                                    .call = never},
               MICA_ERROR_ARGUMENT,
               i == 0 ? "mica_observer_new: 'Tag' is a tag and has no value to be set; observe "
                        "MICA_ON_ADD"
                      : "mica_observer_new: 'Marked' is a tag and has no value to be set; observe "
                        "MICA_ON_ADD");
    }
    refuse(
        &f,
        (mica_observer_desc){
            .type = f.a, .query.terms = {{f.a, MICA_WITH}}, .events = MICA_ON_ADD, .call = never},
        MICA_ERROR_ARGUMENT,
        "mica_observer_new: the descriptor names both 'A' and a query; use two observers");
    refuse(&f,
           (mica_observer_desc){.type = f.a, .events = MICA_ON_ADD, .call = never, .name = "\n"},
           MICA_ERROR_NAME, NULL);
    refuse(&f,
           (mica_observer_desc){.first_zero = 1, .type = f.a, .events = MICA_ON_ADD, .call = never},
           MICA_ERROR_DESC,
           "mica_observer_new: the descriptor was not zeroed before it was filled in");
    refuse(&f, (mica_observer_desc){.type.bits = 77, .events = MICA_ON_ADD, .call = never},
           MICA_ERROR_TYPE, NULL);
    refuse(&f,
           (mica_observer_desc){.query.terms = {{f.a, MICA_WITH}, {f.a, MICA_WITH}},
                                .events = MICA_ON_ENTER,
                                .call = never,
                                .name = "pairs"},
           MICA_ERROR_TERMS,
           "mica_observer_new: observer 'pairs', term 1: 'A' stands in term 0 already");
    refuse(
        &f,
        (mica_observer_desc){.query.terms = {{f.a, (uint32_t)MICA_READ | MICA_CHANGED}},
                             .events = MICA_ON_ENTER,
                             .call = never},
        MICA_ERROR_ARGUMENT,
        "mica_observer_new: MICA_CHANGED and MICA_ADDED are for iterations; observe what is set, or "
        "added");
    CHECK_EQUAL(0, mica_world_get_stats(f.world).observers);
    mica_spawn(f.world, MICA_ADD(f.a));
    fixture_end(&f);
}

// Inside observers

static void try_to_change(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(h->world, h->entity, f->tag));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATING,
                "mica_add: refused inside observer 'A'; record it with its `later`, or do it when "
                "the call is over that is observed");
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(h->world, h->entity, f->marked));
    CHECK_CODE(f, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove(h->world, h->entity, f->a));
    CHECK_CODE(f, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(h->world, h->entity));
    CHECK_CODE(f, MICA_ERROR_ITERATING);
    CHECK(MICA_IS_NONE(mica_spawn_values(h->world, NULL, 0)));
    CHECK_CODE(f, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_clear(h->world));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATING,
                "mica_world_clear: refused inside observer 'A'; do it when the call is over that "
                "is observed");
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_free(h->world));
    CHECK_CODE(f, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_commands_apply(h->world));
    CHECK_CODE(f, MICA_ERROR_ITERATING);
}

static void try_to_end_all(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    CHECK_EQUAL(0, mica_world_end_iterations(h->world));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATING,
                "mica_world_end_iterations: refused inside observer 'A'; do it when the call is "
                "over that is observed");
    mica_spawn(h->later, NUMBER(f->b, 2));
}

// Commands would be carried out by two at once.
static void iterations_are_not_ended_inside(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
    for (int32_t i = 0; i < 3; i++) {
        mica_spawn(f.world, NUMBER(f.b, i)); // a shape that is known
    }
    fixture_hear_and(&f, "A", f.a, MICA_ON_REMOVE, try_to_end_all);
    mica_world *later = mica_world_later(f.world);
    mica_despawn(later, e);
    for (int32_t i = 0; i < 3; i++) {
        mica_spawn(later, NUMBER(f.b, i));
    }
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f.world));
    CHECK_LOG(&f, "remove A 0");
    CHECK_EQUAL(7, mica_entity_count(f.world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    fixture_end(&f);
}

static void entities_are_not_changed_inside(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "A", f.a, MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_SET, try_to_change);
        mica_entity e = mica_spawn_values(f.world, NULL, 0);
        mica_set(f.world, e, NUMBER(f.a, 1));
        mica_remove(f.world, e, f.a);
        CHECK_LOG(&f, "add A 0, set A 0, remove A 0");
        CHECK_EQUAL(1, mica_entity_count(f.world));
        fixture_end(&f);
    }
}

static void record_things(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    if (h->kind == MICA_ON_ADD) {
        mica_add(h->later, h->entity, f->tag);
        mica_entity other = mica_spawn(h->later, MICA_ADD(f->tag));
        CHECK(!mica_alive(h->world, other));
    } else {
        mica_despawn(h->later, h->entity);
    }
}

static void what_is_recorded_is_carried_out_when_the_call_is_over(void) // S2.8
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "A", f.a, MICA_ON_ADD | MICA_ON_REMOVE, record_things);
        fixture_hear(&f, "Tag", f.tag, MICA_ON_ADD | MICA_ON_REMOVE);
        mica_entity e = mica_spawn_values(f.world, NULL, 0);
        mica_add(f.world, e, f.a);
        CHECK_LOG(&f, "add A 0, add Tag 0, add Tag 1");
        CHECK(mica_has(f.world, e, f.tag));
        CHECK_EQUAL(2, mica_entity_count(f.world));
        mica_remove(f.world, e, f.a); // and it ends
        CHECK_LOG(&f, "remove A 0, remove Tag 0");
        CHECK(!mica_alive(f.world, e));
        fixture_end(&f);
    }
}

static void every_way_to_change_carries_out_what_was_recorded(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_bundle bundle = mica_bundle_new(f.world, &f.a, 1);
        fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, record_things);
        mica_spawn(f.world, MICA_ADD(f.a));
        mica_spawn_bundle(f.world, bundle, NULL, 0);
        mica_entity made[2];
        mica_spawn_many(f.world, bundle, 2, NULL, 0, made);
        mica_clone(f.world, made[0]);
        CHECK_EQUAL(0, mica_commands_count(f.world));
        CHECK_EQUAL(10, mica_entity_count(f.world));
        mica_entity empty = mica_spawn_at(f.world, (mica_entity){(UINT64_C(1) << 32) | 100});
        mica_set(f.world, empty, NUMBER(f.a, 1));
        CHECK_EQUAL(12, mica_entity_count(f.world));
        mica_entity facet = mica_facet_add(f.world, empty, f.a, 1, MICA_ADD(f.a));
        CHECK_EQUAL(13, mica_entity_count(f.world));
        CHECK(mica_has(f.world, facet, f.tag));
        mica_remove_all(f.world, f.all, f.a, NULL);
        mica_add_all(f.world, f.all, f.a, NULL);
        CHECK_EQUAL(27, mica_entity_count(f.world)); // the facet has added one, too
        CHECK_EQUAL(0, mica_commands_count(f.world));
        f.log[0] = 0;
        fixture_end(&f);
    }
}

static void what_others_had_recorded_waits_if_no_observer_records(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    fixture_hear(&f, "A", f.a, MICA_ON_ADD);
    mica_spawn_values(mica_world_later(f.world), NULL, 0);
    mica_spawn(f.world, MICA_ADD(f.a));
    CHECK_EQUAL(1, mica_commands_count(f.world));
    CHECK_EQUAL(1, mica_entity_count(f.world));
    f.log[0] = 0;
    fixture_end(&f);
}

static void record_a_spawn(const mica_observer_event *h)
{
    mica_spawn(h->later, MICA_ADD(fixture_listener(h)->f->tag));
}

// Recorded in each way that replay has: two changes of one entity, a spawn, a spawn and a change of it, a clone, a facet.
static void record_in_a_way(const fixture *f, mica_entity e, uint32_t way)
{
    mica_world *later = mica_world_later(f->world);
    switch (way) {
    case 0:
        mica_add(later, e, f->a);
        mica_add(later, e, f->b);
        break;
    case 1: mica_spawn(later, MICA_ADD(f->a)); break;
    case 2: mica_add(later, mica_spawn(later, MICA_ADD(f->a)), f->b); break;
    case 3: mica_clone(later, e); break;
    default: mica_facet_add(later, e, f->a, 1, MICA_ADD(f->a));
    }
}

// [later.outside]
static void what_is_recorded_after_a_replay_waits_though_observers_recorded_in_that(void)
{
    for (uint32_t way = 0; way < 5; way++) {
        for (fixture_each(i)) {
            fixture f;
            fixture_begin(&f, fixture_storages[i]);
            mica_entity first = mica_spawn(f.world, MICA_ADD(f.tag));
            mica_entity model = mica_spawn(f.world, MICA_ADD(f.a));
            fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, record_a_spawn);
            record_in_a_way(&f, way < 3 ? first : model, way);
            uint32_t before = mica_entity_count(f.world);
            CHECK_EQUAL(MICA_OK, mica_commands_apply(f.world));
            uint32_t entities = way > 0 && way < 4 ? 2 : 1; // facets are not counted
            CHECK_EQUAL(before + entities, mica_entity_count(f.world));
            CHECK_EQUAL(0, mica_commands_count(f.world));
            mica_entity waiting = mica_spawn_values(mica_world_later(f.world), NULL, 0);
            mica_add(f.world, first, f.tag); // it has that
            CHECK(!mica_alive(f.world, waiting));
            CHECK_EQUAL(1, mica_commands_count(f.world));
            CHECK_EQUAL(MICA_OK, mica_commands_apply(f.world));
            CHECK(mica_alive(f.world, waiting));
            f.log[0] = 0;
            fixture_end(&f);
        }
    }
}

static void in_an_iteration_it_waits_for_the_end_of_that(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "A", f.a, MICA_ON_SET, record_things);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        mica_iter it;
        CHECK_EQUAL(MICA_OK, mica_iter_begin(f.world, f.all, &it));
        while (mica_iter_next(&it)) {
            mica_set(f.world, e, NUMBER(f.a, 1));
            CHECK_LOG(&f, "set A 0");
            CHECK(mica_alive(f.world, e));
        }
        CHECK(!mica_alive(f.world, e));
        fixture_end(&f);
    }
}

// Values

static void count_down(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    int32_t n = fixture_load(f, h->entity, h->type);
    if (n > 0) {
        CHECK_EQUAL(MICA_OK, mica_set(h->world, h->entity, NUMBER(h->type, n - 1)));
    }
}

static void setting_inside_is_reported_inside(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        fixture_hear_and(&f, "A", f.a, MICA_ON_SET, count_down);
        fixture_hear(&f, "B", f.b, MICA_ON_SET);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        mica_set(f.world, e, NUMBER(f.a, 3));
        CHECK_LOG(&f, "set A 0=3, set A 0=2, set A 0=1, set A 0=0");
        fixture_end(&f);
    }
}

static int deep;

static void set_for_ever(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    int own = ++deep;
    mica_result result = mica_set(h->world, h->entity, NUMBER(h->type, own));
    if (own == MICA_OBSERVER_DEPTH) {
        CHECK_EQUAL(MICA_ERROR_LIMIT, result);
        CHECK_ERROR(&f->t, MICA_ERROR_LIMIT,
                    "mica_set: refused inside observer 'A': 16 observers run, each because "
                    "the one before it has set a value");
    } else {
        CHECK_EQUAL(MICA_OK, result);
    }
}

static void observers_that_set_for_ever_are_stopped(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        deep = 0;
        fixture_hear_and(&f, "A", f.a, MICA_ON_SET, set_for_ever);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        CHECK_EQUAL(MICA_OK, mica_set(f.world, e, NUMBER(f.a, 3)));
        CHECK_EQUAL(MICA_OBSERVER_DEPTH, deep);
        CHECK_EQUAL(MICA_OBSERVER_DEPTH - 1, fixture_load(&f, e, f.a)); // the last was refused
        f.log[0] = 0;
        fixture_end(&f);
    }
}

static void add_for_ever(const mica_observer_event *h)
{
    mica_spawn(h->later, MICA_ADD(h->type));
}

static void observers_that_spawn_for_ever_are_stopped(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_observer_new(
        f.world, &(mica_observer_desc){.type = f.tag, .events = MICA_ON_ADD, .call = add_for_ever});
    mica_spawn(f.world, MICA_ADD(f.tag));
    CHECK_CODE(&f, MICA_ERROR_LIMIT);
    CHECK_EQUAL(1 + MICA_COMMAND_ROUNDS, mica_entity_count(f.world));
    fixture_end(&f);
}

static void spawn_for_ever(const mica_observer_event *h)
{
    const fixture *f = h->user;
    mica_spawn(h->later, MICA_ADD(f->tag));
}

// Whatever happens to a type begins something without an end.
static void never_end(fixture *f, mica_type type, uint32_t on)
{
    const mica_observer_desc desc = {.type = type, .events = on, .call = spawn_for_ever, .user = f};
    CHECK(!MICA_IS_NONE(mica_observer_new(f->world, &desc)));
}

// Does a call that begins it say so?
#define CHECK_LIMIT(f, call)                                                                       \
    do {                                                                                           \
        CHECK_EQUAL(MICA_ERROR_LIMIT, call);                                                       \
        CHECK_CODE(f, MICA_ERROR_LIMIT);                                                           \
        CHECK_EQUAL(0, mica_commands_count((f)->world));                                           \
    } while (0)

static void the_call_that_began_what_had_no_end_says_so(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, NUMBER(f.b, 1));
        mica_entity all[] = {mica_spawn(f.world, NUMBER(f.a, 1)), e};
        mica_query with = mica_query_new(f.world, &(mica_query_desc){.terms = {{f.b, MICA_WITH}}});
        mica_bundle bundle = mica_bundle_new(f.world, &f.a, 1);
        never_end(&f, f.a, MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE);
        never_end(&f, f.b, MICA_ON_DISABLE | MICA_ON_ENABLE | MICA_ON_REMOVE);
        never_end(&f, f.tag, MICA_ON_ADD);
        CHECK_LIMIT(&f, mica_set(f.world, e, NUMBER(f.a, 3)));
        CHECK_EQUAL(3, fixture_load(&f, e, f.a));
        CHECK_LIMIT(&f, mica_set(f.world, e, NUMBER(f.a, 4)));
        CHECK_LIMIT(&f, mica_disable(f.world, e, f.b));
        CHECK_LIMIT(&f, mica_enable(f.world, e, f.b));
        CHECK_LIMIT(&f, mica_disable_all(f.world, with, f.b, NULL));
        CHECK_LIMIT(&f, mica_enable_all(f.world, f.all, f.b, NULL));
        CHECK_LIMIT(&f, mica_remove(f.world, e, f.a));
        CHECK_LIMIT(&f, mica_add(f.world, e, f.a));
        CHECK_LIMIT(&f, mica_change(f.world, e, NULL, 0, (mica_type[]){f.a, f.b}, 2));
        CHECK_LIMIT(&f, test_add_types(f.world, e, (mica_type[]){f.a, f.b}, 2));
        CHECK_LIMIT(&f, mica_set_all(f.world, with, f.a, &(Number){2}, sizeof(Number), NULL));
        CHECK_LIMIT(&f, mica_remove_all(f.world, with, f.a, NULL));
        CHECK_LIMIT(&f, mica_add_all(f.world, with, f.a, NULL));
        CHECK_LIMIT(&f, mica_spawn_many(f.world, bundle, 2, NULL, 0, NULL));
        CHECK_LIMIT(&f, mica_despawn(f.world, e));
        CHECK(!mica_alive(f.world, e));
        CHECK_LIMIT(&f, mica_despawn_many(f.world, all, 1));
        CHECK_LIMIT(&f, mica_despawn_all(f.world, f.all, NULL));
        mica_add(mica_world_later(f.world), mica_spawn_values(f.world, NULL, 0), f.a);
        CHECK_LIMIT(&f, mica_commands_apply(f.world));
        CHECK_LIMIT(&f, mica_world_clear(f.world));
        CHECK(!MICA_IS_NONE(mica_spawn(f.world, NUMBER(f.a, 1)))); // it lives
        CHECK_CODE(&f, MICA_ERROR_LIMIT);
        fixture_end(&f);
    }
}

static void who_hands_a_value_over_is_reported_whether_it_is_taken(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    static tracker t;
    tracker_begin(&t);
    mica_type_desc desc = tracked_desc(&t, "Handed", false);
    desc.hooks.copy = NULL;
    mica_type handed = mica_type_register(f.world, &desc);
    never_end(&f, handed, MICA_ON_ADD);
    never_end(&f, f.tag, MICA_ON_ADD);
    mica_entity e = mica_spawn_values(f.world, NULL, 0);
    tracked value = tracked_make(&t, 5);
    CHECK_EQUAL(MICA_OK, mica_set_value(f.world, e, handed, &value, sizeof value));
    CHECK_CODE(&f, MICA_ERROR_LIMIT);
    CHECK(tracked_is(&t, mica_get(f.world, e, handed), 5));
    tracked values[] = {tracked_make(&t, 6), tracked_make(&t, 7)};
    const mica_value array = {handed, values, sizeof *values, 2, NULL};
    mica_bundle bundle = mica_bundle_new(f.world, &handed, 1);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(f.world, bundle, 2, &array, 1, NULL));
    CHECK_CODE(&f, MICA_ERROR_LIMIT);
    fixture_end(&f);
    CHECK_TRACKED(&t, 0);
}

// Observers of observers

static mica_observer others[4];

static void free_others(const mica_observer_event *h)
{
    for (int i = 0; i < 4; i++) {
        if (!MICA_IS_NONE(others[i])) {
            CHECK_EQUAL(MICA_OK, mica_observer_free(h->world, others[i]));
            CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_free(h->world, others[i]));
            CHECK_CODE(fixture_listener(h)->f, MICA_ERROR_OBSERVER);
        }
        others[i] = (mica_observer){0};
    }
}

static void observers_may_free_each_other_and_themselves(void)
{
    for (fixture_each(i)) {
        for (int who = 0; who < 3; who++) {
            fixture f;
            fixture_begin(&f, fixture_storages[i]);
            mica_observer made[3];
            memset(others, 0, sizeof others);
            made[0] = fixture_hear(&f, "x", f.a, MICA_ON_ADD);
            made[1] = fixture_hear_and(&f, "y", f.a, MICA_ON_ADD, free_others);
            made[2] = fixture_hear(&f, "z", f.a, MICA_ON_ADD);
            others[0] = made[who];
            mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
            CHECK_LOG(&f, who == 2 ? "add x 0, add y 0" : "add x 0, add y 0, add z 0");
            CHECK_EQUAL(2, mica_world_get_stats(f.world).observers);
            mica_remove(f.world, e, f.a);
            mica_add(f.world, e, f.a);
            CHECK_LOG(&f, who == 0   ? "add y 0, add z 0"
                          : who == 1 ? "add x 0, add z 0"
                                     : "add x 0, add y 0");
            fixture_end(&f);
        }
    }
}

static void free_queries(const mica_observer_event *h)
{
    free_others(h);
}

static void freed_observers_of_queries_disturb_nobody(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        memset(others, 0, sizeof others);
        const mica_query_desc with = {.terms = {{f.a, MICA_WITH}}};
        const mica_query_desc without = {.terms = {{f.b, MICA_WITH}, {f.a, MICA_WITHOUT}}};
        others[0] = fixture_hear_query(&f, "p", with, MICA_ON_ENTER | MICA_ON_LEAVE);
        fixture_hear_query(&f, "q", without, MICA_ON_ENTER | MICA_ON_LEAVE);
        fixture_hear_query(&f, "r", with, MICA_ON_ENTER | MICA_ON_LEAVE);
        fixture_hear_and(&f, "A", f.a, MICA_ON_REMOVE, free_queries);
        mica_entity e[2];
        for (int n = 0; n < 2; n++) {
            e[n] = mica_spawn(f.world, MICA_ADD(f.a), MICA_ADD(f.b));
        }
        f.log[0] = 0;
        mica_remove_all(f.world, f.all, f.a, NULL);
        CHECK_LOG(&f, "leave p 0, leave r 0, remove A 0, leave r 1, remove A 1, enter q 0, "
                      "enter q 1");
        CHECK(mica_alive(f.world, e[0]));
        fixture_end(&f);
    }
}

static void listen_too(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    if (f->listener_count < 4) {
        fixture_hear(f, "new", f->a, MICA_ON_ADD | MICA_ON_SET);
    }
}

static void an_observer_made_inside_hears_of_the_next_change(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, listen_too);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1)); // and set, which is the same change
        CHECK_LOG(&f, "add A 0");
        mica_set(f.world, e, NUMBER(f.a, 1));
        CHECK_LOG(&f, "set new 0");
        fixture_end(&f);
    }
}

// The same by short cuts, which are there from the second change of a kind on.
static void listen_later(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    if (f->values) {
        f->values = false;
        fixture_hear(f, "new", f->a, MICA_ON_SET);
    }
}

static void nor_by_short_cuts_of_what_came_before_it(void)
{
    for (fixture_each(i)) {
        for (int listeners = 0; listeners < 3; listeners++) {
            fixture f;
            fixture_begin(&f, fixture_storages[i]);
            fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, listen_later);
            for (int n = 0; n < listeners; n++) {
                fixture_hear(&f, n == 0 ? "S" : "T", f.a, MICA_ON_SET);
            }
            mica_entity e = mica_spawn_values(f.world, NULL, 0);
            for (int n = 0; n < 3; n++) {
                mica_set(f.world, e, NUMBER(f.a, n));
                mica_remove(f.world, e, f.a);
            }
            f.log[0] = 0;
            f.values = true; // the next time
            mica_set(f.world, e, NUMBER(f.a, 4));
            CHECK(!f.values);
            CHECK_LOG(&f, listeners == 0   ? "add A 0=4"
                          : listeners == 1 ? "add A 0=4, set S 0"
                                           : "add A 0=4, set S 0, set T 0");
            mica_set(f.world, e, NUMBER(f.a, 5));
            CHECK_LOG(&f, listeners == 0   ? "set new 0"
                          : listeners == 1 ? "set S 0, set new 0"
                                           : "set S 0, set T 0, set new 0");
            fixture_end(&f);
        }
    }
}

// Who is reported alone is reported again by what it sets itself: what it was reported first stays as it was.
static void set_another(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    mica_observer_event before = *h;
    Number number = {7};
    if (h->kind == MICA_ON_ADD) {
        mica_set_value(h->world, h->entity, f->a, &number, sizeof number);
        CHECK(before.world == h->world && before.later == h->later);
        CHECK(before.entity.bits == h->entity.bits && before.type.bits == h->type.bits);
        CHECK(before.kind == h->kind && before.value == h->value);
        CHECK(before.observer.bits == h->observer.bits && before.user == h->user);
    }
}

static void what_one_was_reported_stays_while_it_is_reported_more(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "A", f.a, MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE, set_another);
        mica_entity e = mica_spawn_values(f.world, NULL, 0);
        for (int n = 0; n < 3; n++) {
            mica_add(f.world, e, f.a);
            CHECK_LOG(&f, "add A 0, set A 0");
            mica_remove(f.world, e, f.a);
            CHECK_LOG(&f, "remove A 0");
        }
        fixture_end(&f);
    }
}

// Iterations, handlers and toggles

static void leave_open(const mica_observer_event *h)
{
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(h->world, fixture_listener(h)->f->all, &it));
    CHECK(mica_iter_next(&it));
}

static void an_iteration_that_is_left_open_is_ended(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, leave_open);
    mica_entity e = mica_spawn_values(f.world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_add(f.world, e, f.a));
    CHECK_ERROR(
        &f.t, MICA_ERROR_ITERATING,
        "mica_add: observer 'A' left an iteration of a query of all entities open; mica_iter_end ends one");
    CHECK_EQUAL(MICA_OK, mica_remove(f.world, e, f.a));
    for (int n = 0; n < 3; n++) { // by short cuts, too
        CHECK_EQUAL(MICA_OK, mica_set(f.world, e, NUMBER(f.a, n)));
        CHECK_ERROR(
            &f.t, MICA_ERROR_ITERATING,
            "mica_set: observer 'A' left an iteration of a query of all entities open; mica_iter_end ends one");
        CHECK_EQUAL(MICA_OK, mica_remove(f.world, e, f.a));
    }
    f.log[0] = 0;
    fixture_end(&f);
}

// Of one whose values were brought together: they go back.
static void leave_gathered(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    mica_query query = mica_query_new(h->world, &(mica_query_desc){.terms = {{f->b, MICA_WRITE}}});
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(h->world, query, &it));
    CHECK(mica_iter_next(&it));
    Number *number = mica_write(&it, 0);
    REQUIRE(number != NULL);
    number->n = 42;
}

static void what_such_an_iteration_has_goes_back(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_entity e[3];
    for (int32_t i = 0; i < 3; i++) {
        e[i] = mica_spawn(f.world, NUMBER(f.b, i));
    }
    mica_disable(f.world, e[1], f.b); // those beside it are not side by side
    fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, leave_gathered);
    mica_spawn(f.world, NUMBER(f.a, 1));
    CHECK_CODE(&f, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    CHECK_EQUAL(42, fixture_load(&f, e[0], f.b));
    CHECK_EQUAL(MICA_OK, mica_set(f.world, e[0], NUMBER(f.b, 5)));
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f.world, f.all, &it));
    while (mica_iter_next(&it)) {
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    }
    f.log[0] = 0;
    fixture_end(&f);
}

static void sets_are_reported_of_types_with_row_stamps(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_type_desc desc = MICA_DESCRIBE(Number, n);
        desc.name = "Stamped";
        desc.row_stamps = true;
        desc.storage = fixture_storages[i];
        mica_type stamped = mica_type_register(f.world, &desc);
        mica_entity e = mica_spawn(f.world, NUMBER(stamped, 1));
        fixture_hear(&f, "S", stamped, MICA_ON_SET);
        mica_set(f.world, e, NUMBER(stamped, 2));
        CHECK_LOG(&f, "set S 0");
        fixture_end(&f);
    }
}

static void try_to_toggle(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_disable(h->world, h->entity, f->b));
    CHECK_CODE(f, MICA_ERROR_ITERATING);
    mica_accessor b = mica_accessor_new(h->world, f->b);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_accessor_disable(&b, h->entity));
    CHECK_CODE(f, MICA_ERROR_ITERATING);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_disable_all(h->world, f->all, f->b, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_ITERATING,
                "mica_disable_all: refused inside observer 'A'; do it when the call is over that "
                "is observed");
    mica_disable(h->later, h->entity, f->b);
}

static void what_is_observed_is_not_toggled_inside(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "A", f.a, MICA_ON_ADD, try_to_toggle);
        fixture_hear(&f, "B", f.b, MICA_ON_DISABLE);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a), MICA_ADD(f.b));
        CHECK_LOG(&f, "add A 0, disable B 0");
        CHECK(!mica_is_enabled(f.world, e, f.b));
        fixture_end(&f);
    }
}

static void toggle_freely(const mica_observer_event *h)
{
    CHECK_EQUAL(MICA_OK, mica_disable(h->world, h->entity, fixture_listener(h)->f->b));
}

static void what_is_not_observed_may_be_toggled_inside(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "A", f.a, MICA_ON_ADD | MICA_ON_REMOVE, toggle_freely);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a), MICA_ADD(f.b));
        CHECK(!mica_is_enabled(f.world, e, f.b));
        mica_enable(f.world, e, f.b);
        mica_remove(f.world, e, f.a); // it is disabled while it is about to move
        CHECK(!mica_is_enabled(f.world, e, f.b));
        f.log[0] = 0;
        fixture_end(&f);
    }
}

static bool toggles_now;

static void toggle_if_reported_to(const mica_observer_event *h)
{
    if (toggles_now) {
        CHECK_EQUAL(MICA_OK, mica_disable(h->world, h->entity, fixture_listener(h)->f->b));
    }
}

// Along an edge that is known already, where the table it leads to has not heard of anything disabled.
static void what_is_disabled_before_it_moves_is_disabled_there(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_query query = mica_query_new(f.world, &(mica_query_desc){.terms = {{f.b, MICA_READ}}});
        fixture_hear_and(&f, "A", f.a, MICA_ON_REMOVE, toggle_if_reported_to);
        mica_entity e[4];
        for (uint32_t k = 0; k < 4; k++) {
            e[k] = mica_spawn(f.world, MICA_ADD(f.a), MICA_ADD(f.b));
        }
        for (uint32_t k = 0; k < 12; k++) {
            mica_remove(f.world, e[k % 4], f.a);
            mica_add(f.world, e[k % 4], f.a);
        }
        toggles_now = true;
        CHECK_EQUAL(MICA_OK, mica_remove(f.world, e[1], f.a));
        toggles_now = false;
        CHECK(!mica_is_enabled(f.world, e[1], f.b));
        CHECK_EQUAL(3, mica_query_count(f.world, query));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        f.log[0] = 0;
        fixture_end(&f);
    }
}

static void do_much(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    mica_query query = mica_query_new(h->world, &(mica_query_desc){.terms = {{f->a, MICA_READ}}});
    CHECK(!MICA_IS_NONE(query));
    mica_query_count(h->world, query);
    mica_query_free(h->world, query);
    char name[16];
    snprintf(name, sizeof name, "T%u", (unsigned)test_type_count(h->world));
    CHECK(!MICA_IS_NONE(
        mica_type_register(h->world, &(mica_type_desc){.name = name, .size = 4, .align = 4})));
    mica_bundle bundle = mica_bundle_new(h->world, &f->b, 1);
    CHECK_EQUAL(MICA_OK, mica_bundle_free(h->world, bundle));
    CHECK_EQUAL(MICA_OK, mica_entity_reserve(h->world, 100));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(h->world, h->entity, name));
}

static void what_is_no_entity_may_be_made_inside(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "A", f.a, MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_SET, do_much);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
        for (int n = 0; n < 40; n++) { // across the words of sets
            mica_set(f.world, e, NUMBER(f.a, n));
            mica_remove(f.world, e, f.a);
            mica_add(f.world, e, f.a);
        }
        mica_despawn(f.world, e);
        f.log[0] = 0;
        fixture_end(&f);
    }
}

static void observers_are_made_and_freed_in_iterations(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        mica_iter it;
        CHECK_EQUAL(MICA_OK, mica_iter_begin(f.world, f.all, &it));
        while (mica_iter_next(&it)) {
            mica_observer observer = fixture_hear(&f, "A", f.a, MICA_ON_SET);
            mica_set(f.world, e, NUMBER(f.a, 1));
            CHECK_LOG(&f, "set A 0");
            CHECK_EQUAL(MICA_OK, mica_observer_free(f.world, observer));
            mica_set(f.world, e, NUMBER(f.a, 2));
            CHECK_LOG(&f, "");
        }
        fixture_end(&f);
    }
}

static void faces_that_record_observe_nothing(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_world *later = mica_world_later(f.world);
    CHECK(MICA_IS_NONE(mica_observer_new(
        later, &(mica_observer_desc){.type = f.a, .events = MICA_ON_ADD, .call = never})));
    CHECK_CODE(&f, MICA_ERROR_RECORDING);
    mica_observer observer = fixture_hear(&f, "A", f.a, MICA_ON_ADD);
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_observer_free(later, observer));
    CHECK_CODE(&f, MICA_ERROR_RECORDING);
    fixture_end(&f);
}

TESTS(observer, an_observer_that_is_freed_hears_no_more,
      observers_come_in_the_order_they_were_made_in, what_was_there_before_is_not_reported,
      descriptors_that_make_no_sense_are_refused, entities_are_not_changed_inside,
      iterations_are_not_ended_inside, what_is_recorded_is_carried_out_when_the_call_is_over,
      every_way_to_change_carries_out_what_was_recorded,
      what_is_recorded_after_a_replay_waits_though_observers_recorded_in_that,
      what_others_had_recorded_waits_if_no_observer_records,
      in_an_iteration_it_waits_for_the_end_of_that, setting_inside_is_reported_inside,
      observers_that_set_for_ever_are_stopped, observers_that_spawn_for_ever_are_stopped,
      the_call_that_began_what_had_no_end_says_so,
      who_hands_a_value_over_is_reported_whether_it_is_taken,
      observers_may_free_each_other_and_themselves, freed_observers_of_queries_disturb_nobody,
      an_observer_made_inside_hears_of_the_next_change, nor_by_short_cuts_of_what_came_before_it,
      what_one_was_reported_stays_while_it_is_reported_more,
      an_iteration_that_is_left_open_is_ended, what_such_an_iteration_has_goes_back,
      sets_are_reported_of_types_with_row_stamps, what_is_observed_is_not_toggled_inside,
      what_is_not_observed_may_be_toggled_inside,
      what_is_disabled_before_it_moves_is_disabled_there, what_is_no_entity_may_be_made_inside,
      observers_are_made_and_freed_in_iterations, faces_that_record_observe_nothing)
