// Values that are written through pointers, values that are replaced, and signals.
#include <stdio.h>
#include <string.h>

#include "unit/event/fixture.h"

// Through pointers

static void write_through_pointer(fixture *f, mica_storage storage, mica_entity e, int32_t n)
{
    mica_world *world = f->world;
    if (storage != MICA_SPLIT) {
        Number *value = mica_get_mut(world, e, f->a);
        value->n = n;
        return;
    }
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{f->a, MICA_WRITE}}});
    mica_iter it;
    mica_iter_begin_entity(world, query, e, &it);
    CHECK(mica_iter_next(&it));
    *(int32_t *)mica_write_in(MICA_WRITE_FIELD(&it, 0, Number, n), 0) = n;
    mica_iter_end(&it);
    mica_query_free(world, query);
}

static void a_value_that_was_modified_counts_as_set(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
        mica_query changed = mica_query_new(
            f.world, &(mica_query_desc){.terms = {{f.a, (uint32_t)MICA_READ | MICA_CHANGED}}});
        CHECK_EQUAL(1, mica_query_count(f.world, changed));
        write_through_pointer(&f, fixture_storages[i], e, 2);
        mica_iter it;
        mica_iter_begin(f.world, changed, &it);
        while (mica_iter_next(&it)) {
        }
        CHECK_EQUAL(0, mica_query_count(f.world, changed));
        f.values = true;
        fixture_hear(&f, "A", f.a, MICA_ON_SET | MICA_ON_REPLACE);
        fixture_hear_query(&f, "q", (mica_query_desc){.terms = {{f.a, MICA_READ}}}, MICA_ON_SET);
        CHECK_EQUAL(MICA_OK, mica_modified(f.world, e, f.a));
        CHECK_LOG(&f, "set A 0=2, set q 0=2");
        CHECK_EQUAL(1, mica_query_count(f.world, changed));
        fixture_end(&f);
    }
}

static void nobody_has_to_listen_to_what_is_modified(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
        CHECK_EQUAL(MICA_OK, mica_modified(f.world, e, f.a));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        fixture_end(&f);
    }
}

static void modified_refuses_what_is_not_there(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1), MICA_ADD(f.tag));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_modified(f.world, e, f.b));
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT, "mica_modified: entity 0.0 has no 'B'");
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_modified(f.world, e, f.tag));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE, "mica_modified: 'Tag' is a tag and has no value");
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_modified(mica_world_later(f.world), e, f.a));
    CHECK_CODE(&f, MICA_ERROR_RECORDING);
    mica_despawn(f.world, e);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_modified(f.world, e, f.a));
    CHECK_CODE(&f, MICA_ERROR_ENTITY);
    fixture_end(&f);
}

static void modify(const mica_observer_event *h)
{
    CHECK_EQUAL(MICA_OK, mica_modified(h->world, h->entity, h->type));
}

static void modified_inside_an_observer_keeps_the_order(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "1", f.a, MICA_ON_ADD | MICA_ON_REMOVE, modify);
        fixture_hear(&f, "2", f.a, MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        CHECK_LOG(&f, "add 1 0, add 2 0, set 2 0");
        mica_despawn(f.world, e);
        CHECK_LOG(&f, "remove 1 0, remove 2 0");
        fixture_end(&f);
    }
}

// Replaced

static void a_replaced_value_is_reported_before(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        fixture_hear(&f, "A", f.a, MICA_ON_REPLACE | MICA_ON_SET);
        fixture_hear(&f, "B", f.b, MICA_ON_REPLACE);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
        CHECK_LOG(&f, "set A 0=1");
        mica_set(f.world, e, NUMBER(f.a, 2));
        CHECK_LOG(&f, "replace A 0=1, set A 0=2");
        mica_add(f.world, e, f.a); // changes nothing
        mica_set(f.world, e, NUMBER(f.b, 5));
        CHECK_LOG(&f, "");
        mica_set(f.world, e, NUMBER(f.b, 6), NUMBER(f.a, 3));
        CHECK_LOG(&f, "replace A 0=2, replace B 0=5, set A 0=3");
        mica_change(f.world, e, (mica_value[]){NUMBER(f.a, 4)}, 1, &f.b, 1);
        CHECK_LOG(&f, "replace A 0=3, set A 0=4");
        mica_world *later = mica_world_later(f.world);
        mica_set(later, e, NUMBER(f.a, 5));
        mica_set(later, e, NUMBER(f.a, 6), MICA_ADD(f.tag));
        mica_commands_apply(f.world);
        CHECK_LOG(&f, "replace A 0=4, set A 0=6");
        mica_entity other = mica_spawn(f.world, MICA_ADD(f.tag));
        (void)other;
        mica_set_all(f.world, f.all, f.a, &(Number){7}, sizeof(Number), NULL);
        CHECK_LOG(&f, "replace A 0=6, set A 0=7, set A 1=7");
        mica_remove(f.world, e, f.a);
        CHECK_LOG(&f, "");
        fixture_end(&f);
    }
}

static void count_calls(const mica_observer_event *h)
{
    uint32_t *calls = h->user;
    ++*calls;
    CHECK_EQUAL(1, ((const tracked *)h->value)->number);
}

static void a_call_that_fails_replaces_nothing(void)
{
    static tracker t;
    fixture f;
    tracker_begin(&t);
    fixture_begin(&f, MICA_TABLE);
    mica_type_desc desc = tracked_desc(&t, "Tracked", true);
    for (int sparse = 0; sparse < 2; sparse++) {
        desc.name = sparse ? "Sparse" : "Table";
        desc.storage = sparse ? MICA_SPARSE : MICA_TABLE;
        mica_type type = mica_type_register(f.world, &desc);
        tracked value = tracked_make(&t, 1);
        mica_entity e = mica_spawn(f.world, MICA_COPY_OF(type, value));
        tracked_drop(&t, &value);
        uint32_t calls = 0;
        mica_observer_new(f.world, &(mica_observer_desc){.type = type,
                                                         .events = MICA_ON_REPLACE,
                                                         .call = count_calls,
                                                         .user = &calls});
        value = tracked_make(&t, 2);
        t.until_failure = 1;
        CHECK(mica_set(f.world, e, MICA_COPY_OF(type, value)) != MICA_OK);
        CHECK_CODE(&f, MICA_ERROR_HOOK);
        CHECK_EQUAL(0, calls);
        CHECK_EQUAL(MICA_OK, mica_set(f.world, e, MICA_COPY_OF(type, value)));
        CHECK_EQUAL(1, calls);
        CHECK(tracked_is(&t, mica_get(f.world, e, type), 2));
        tracked_drop(&t, &value);
    }
    fixture_end(&f);
    CHECK_TRACKED(&t, 0);
}

static bool again;

static void set_again(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    bool first = !again;
    again = true;
    if (first) {
        CHECK_EQUAL(MICA_OK, mica_set(h->world, h->entity, NUMBER(f->a, 5)));
    }
}

static void an_observer_may_set_what_will_be_replaced(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        f.values = true;
        again = false;
        fixture_hear_and(&f, "A", f.a, MICA_ON_REPLACE, set_again);
        fixture_hear(&f, "B", f.a, MICA_ON_REPLACE | MICA_ON_SET);
        mica_entity e = mica_spawn(f.world, NUMBER(f.a, 1));
        mica_set(f.world, e, NUMBER(f.a, 2));
        CHECK_LOG(&f, "set B 0=1, replace A 0=1, replace A 0=1, replace B 0=1, set B 0=5, "
                      "replace B 0=5, set B 0=2");
        fixture_end(&f);
    }
}

// Signals

static void a_signal_calls_its_observers(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.tag));
        const Number hit = {3};
        CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.a, &hit, sizeof hit)); // nobody listens
        fixture_hear(&f, "1", f.a, MICA_ON_SIGNAL);
        CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.a, &hit, sizeof hit));
        CHECK_LOG(&f, "signal 1 0=3");
        fixture_hear_as(&f, "2",
                        (mica_observer_desc){.types = {f.b, f.a, f.tag}, .events = MICA_ON_SIGNAL},
                        NULL);
        CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.a, &hit, sizeof hit));
        CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.tag, NULL, 0));
        CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.b, NULL, 0));
        CHECK_LOG(&f, "signal 1 0=3, signal 2 0=3, signal 2 0, signal 2 0");
        mica_set(f.world, e, NUMBER(f.a, 1));
        mica_remove(f.world, e, f.a);
        CHECK_LOG(&f, "");
        fixture_end(&f);
    }
}

static void record_despawn(const mica_observer_event *h)
{
    mica_despawn(h->later, h->entity);
}

static void commands_of_a_signal_run_when_it_returns(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    fixture_hear_and(&f, "1", f.tag, MICA_ON_SIGNAL, record_despawn);
    mica_entity e = mica_spawn_values(f.world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.tag, NULL, 0));
    CHECK(!mica_alive(f.world, e));
    e = mica_spawn_values(f.world, NULL, 0);
    mica_iter it;
    mica_iter_begin(f.world, f.all, &it);
    CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.tag, NULL, 0));
    CHECK(mica_alive(f.world, e));
    mica_iter_end(&it);
    CHECK(!mica_alive(f.world, e));
    fixture_end(&f);
}

static uint32_t depth;
static mica_result deepest;

static void signal_on(const mica_observer_event *h)
{
    depth++;
    mica_result result = mica_signal(h->world, h->entity, h->type, NULL, 0);
    deepest = result ? result : deepest;
}

static void signals_nest_so_deep(void)
{
    for (int also = 0; also < 2; also++) { // one listener, or two
        fixture f;
        fixture_begin(&f, MICA_TABLE);
        depth = 0;
        deepest = MICA_OK;
        mica_entity e = mica_spawn_values(f.world, NULL, 0);
        mica_observer_new(f.world, &(mica_observer_desc){
                                       .type = f.tag, .events = MICA_ON_SIGNAL, .call = signal_on});
        if (also) {
            mica_observer_new(f.world, &(mica_observer_desc){.type = f.tag,
                                                             .events = MICA_ON_SIGNAL | MICA_ON_ADD,
                                                             .call = record_despawn});
        }
        CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.tag, NULL, 0));
        CHECK_EQUAL(MICA_OBSERVER_DEPTH, depth);
        CHECK_EQUAL(MICA_ERROR_LIMIT, deepest);
        CHECK_EQUAL(also ? false : true, mica_alive(f.world, e));
        CHECK_CODE(&f, MICA_ERROR_LIMIT);
        fixture_end(&f);
    }
}

// A signal inside a notification, and sets inside a signal.

static void signal_and_set(const mica_observer_event *h)
{
    fixture *f = fixture_listener(h)->f;
    if (h->kind == MICA_ON_ADD) {
        CHECK_EQUAL(MICA_OK, mica_signal(h->world, h->entity, f->tag, NULL, 0));
    } else if (h->kind == MICA_ON_SIGNAL) {
        CHECK_EQUAL(MICA_OK, mica_set(h->world, h->entity, NUMBER(f->a, 4)));
    }
}

static void values_that_a_signal_sets_keep_their_order(void)
{
    for (fixture_each(i)) {
        fixture f;
        fixture_begin(&f, fixture_storages[i]);
        fixture_hear_and(&f, "1", f.a, MICA_ON_ADD, signal_and_set);
        fixture_hear_and(&f, "2", f.tag, MICA_ON_SIGNAL, signal_and_set);
        fixture_hear(&f, "3", f.a, MICA_ON_ADD | MICA_ON_SET);
        mica_entity e = mica_spawn(f.world, MICA_ADD(f.a));
        CHECK_LOG(&f, "add 1 0, signal 2 0, add 3 0, set 3 0");
        CHECK_EQUAL(MICA_OK, mica_signal(f.world, e, f.tag, NULL, 0));
        CHECK_LOG(&f, "signal 2 0, set 3 0");
        fixture_end(&f);
    }
}

static void signals_refuse_what_does_not_fit(void)
{
    fixture f;
    fixture_begin(&f, MICA_TABLE);
    mica_entity e = mica_spawn_values(f.world, NULL, 0);
    const Number hit = {3};
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_signal(f.world, e, f.a, &hit, 3));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE, "mica_signal: component 'A' has size 4, not 3");
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_signal(f.world, e, f.tag, &hit, 4));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE, "mica_signal: 'Tag' is a tag and has no value");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_signal(f.world, e, f.a, NULL, 4));
    CHECK_ERROR(&f.t, MICA_ERROR_NULL, "mica_signal: data is null");
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_signal(mica_world_later(f.world), e, f.tag, NULL, 0));
    CHECK_CODE(&f, MICA_ERROR_RECORDING);
    mica_despawn(f.world, e);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_signal(f.world, e, f.tag, NULL, 0));
    CHECK_CODE(&f, MICA_ERROR_ENTITY);
    fixture_end(&f);
}

// Freeing the world

typedef struct release {
    uint32_t open; // things outside of the world
    uint32_t calls;
} release;

static void release_it(const mica_observer_event *h)
{
    release *r = h->user;
    Number value = {0};
    r->calls++;
    CHECK(mica_load(h->world, h->entity, h->type, &value, sizeof value));
    CHECK_EQUAL(3, value.n);
    r->open--;
    mica_despawn(h->later, h->entity);
    mica_spawn(h->later, MICA_VALUE(h->type, Number, 3));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_free(h->world));
}

static void freeing_a_world_notifies_if_it_is_asked_for(void)
{
    for (int asked = 0; asked < 2; asked++) {
        for (fixture_each(i)) {
            test_error error = {0};
            mica_world *world =
                mica_world_new(&(mica_world_desc){.notify_on_free = asked == 1,
                                                  .error_handler = test_error_record,
                                                  .error_user = &error});
            mica_type_desc desc = MICA_DESCRIBE(Number, n);
            desc.storage = fixture_storages[i];
            mica_type type = mica_type_register(world, &desc);
            release r = {.open = 5};
            mica_observer_new(
                world, &(mica_observer_desc){
                           .type = type, .events = MICA_ON_REMOVE, .call = release_it, .user = &r});
            mica_observer off = mica_observer_new(
                world, &(mica_observer_desc){
                           .type = type, .events = MICA_ON_REMOVE, .call = release_it, .user = &r});
            mica_observer_disable(world, off);
            for (int n = 0; n < 5; n++) {
                mica_spawn(world, MICA_VALUE(type, Number, 3));
            }
            CHECK_EQUAL(MICA_OK, mica_world_free(world));
            CHECK_EQUAL(asked ? 5 : 0, r.calls);
            CHECK_EQUAL(asked ? 0 : 5, r.open);
            CHECK_EQUAL(asked ? 5 : 0, test_error_clear(&error));
        }
    }
}

TESTS(signal, freeing_a_world_notifies_if_it_is_asked_for, a_value_that_was_modified_counts_as_set,
      nobody_has_to_listen_to_what_is_modified, modified_refuses_what_is_not_there,
      modified_inside_an_observer_keeps_the_order, a_replaced_value_is_reported_before,
      a_call_that_fails_replaces_nothing, an_observer_may_set_what_will_be_replaced,
      a_signal_calls_its_observers, commands_of_a_signal_run_when_it_returns, signals_nest_so_deep,
      values_that_a_signal_sets_keep_their_order, signals_refuse_what_does_not_fit)
