// What mica/observer.h promises.
#include "promise.h"

#include <string.h>

typedef struct Number {
    int32_t n;
} Number;

// A world with a component of each storage, and what observers were reported.
typedef struct post {
    test_world t;
    mica_world *world;
    mica_type number, split, ring, sparse, tag;
    mica_entity entity;
    char log[256];                             // a letter for each thing that was reported
    void (*act)(const mica_observer_event *h); // what one does then; NULL: nothing
    mica_observer made;
    const void *user_data;
    mica_result result;
    uint32_t count;
} post;

static const char letters[] =
    "LORDSAVIEBN"; // leave, off, remove, ... in, enter, before, notice: in the order of the bits

static mica_type register_stored(mica_world *world, const char *name, mica_storage storage)
{
    mica_type_desc desc = MICA_DESCRIBE(Number, n);
    desc.name = name;
    desc.storage = storage;
    desc.toggle = true;
    return mica_type_register(world, &desc);
}

static mica_world *begin(post *p)
{
    memset(p, 0, sizeof *p);
    p->world = test_world_begin(&p->t);
    p->number = register_stored(p->world, "Number", MICA_TABLE);
    p->split = register_stored(p->world, "Split", MICA_SPLIT);
    p->ring = register_stored(p->world, "Ring", MICA_RING);
    p->sparse = register_stored(p->world, "Sparse", MICA_SPARSE);
    p->tag = MICA_TAG(p->world, Tag);
    p->entity = mica_spawn(p->world, MICA_VALUE(p->number, Number, 1));
    return p->world;
}

static void note(const mica_observer_event *h)
{
    post *p = h->user;
    uint32_t kind = 0;
    while (h->kind >> kind != 1) {
        kind++;
    }
    size_t length = strlen(p->log);
    if (length + 1 < sizeof p->log) {
        p->log[length] = letters[kind];
        p->log[length + 1] = '\0';
    }
    if (p->act) {
        p->act(h);
    }
}

static mica_observer hear(post *p, mica_type type, uint32_t on)
{
    return mica_observer_new(
        p->world, &(mica_observer_desc){.type = type, .events = on, .call = note, .user = p});
}

static void check_log(post *p, const char *expected)
{
    CHECK_TEXT(expected, p->log);
    p->log[0] = '\0';
}

// What an observer does

static void listen_too(const mica_observer_event *h)
{
    post *p = h->user;
    p->act = NULL;
    p->made = hear(p, p->number, MICA_ON_ADD | MICA_ON_SET);
}

static void set_deeper(const mica_observer_event *h)
{
    post *p = h->user;
    p->count++;
    p->result = mica_set(h->world, h->entity, MICA_VALUE(h->type, Number, 1));
}

static void change_at_once(const mica_observer_event *h)
{
    post *p = h->user;
    p->act = NULL;
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(h->world, h->entity));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(h->world, h->entity, p->tag));
    CHECK(MICA_IS_NONE(mica_spawn_values(h->world, NULL, 0)));
    CHECK_EQUAL(3, test_error_clear(&p->t.error));

    CHECK_EQUAL(MICA_OK, mica_disable(h->world, h->entity, p->number));
    CHECK_EQUAL(MICA_OK, mica_enable(h->world, h->entity, p->number));
    mica_observer observer = hear(p, p->number, MICA_ON_ENABLE);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_disable(h->world, h->entity, p->number));
    mica_observer_free(h->world, observer);
    CHECK_REPORTED(&p->t, MICA_ERROR_ITERATING);
}

static void despawn_later(const mica_observer_event *h)
{
    mica_despawn(h->later, h->entity);
    CHECK(mica_alive(h->world, h->entity));
}

static void spawn_later(const mica_observer_event *h)
{
    post *p = h->user;
    mica_spawn(h->later, MICA_ADD(p->number));
}

static void spawn_once(const mica_observer_event *h)
{
    post *p = h->user;
    p->act = NULL;
    mica_spawn(h->later, MICA_ADD(p->ring), MICA_ADD(p->split));
}

static void leave_open(const mica_observer_event *h)
{
    post *p = h->user;
    static mica_iter it;
    it = (mica_iter){0};
    p->act = NULL;
    mica_query all = mica_query_new(h->world, &(mica_query_desc){.everything = true});
    mica_iter_begin(h->world, all, &it);
}

static void look(const mica_observer_event *h)
{
    post *p = h->user;
    bool whole = !MICA_EQUAL(h->type, p->split) && !MICA_EQUAL(h->type, p->tag);
    CHECK_EQUAL(whole, h->value != NULL);
    CHECK_EQUAL(!MICA_EQUAL(h->type, p->tag),
                h->value ? ((const Number *)h->value)->n == 7 : MICA_EQUAL(h->type, p->split));
    Number loaded = {7};
    mica_load(h->world, h->entity, h->type, &loaded,
              MICA_EQUAL(h->type, p->tag) ? 0 : sizeof loaded);
    test_error_clear(&p->t.error); // of the tag
    CHECK_EQUAL(7, loaded.n);
    CHECK_EQUAL(MICA_OK, mica_world_validate(h->world));
    CHECK(mica_alive(h->world, h->entity) && mica_has(h->world, h->entity, h->type));
}

static void set_every_time(const mica_observer_event *h)
{
    post *p = h->user;
    if (h->kind != MICA_ON_SET) {
        p->result = mica_set(h->world, h->entity, MICA_VALUE(h->type, Number, 9));
    }
}

static void set_without_memory(const mica_observer_event *h)
{
    post *p = h->user;
    if (h->kind == MICA_ON_ADD) {
        test_memory_fail_at(&p->t.memory, 1, TEST_MEMORY_ONWARDS);
        p->result = mica_set(h->world, h->entity, MICA_VALUE(h->type, Number, 9));
        test_memory_fail_at(&p->t.memory, 0, TEST_MEMORY_ONCE);
        p->act = NULL;
    }
}

// [observer.set_memory]: what is noted once needs no more memory
static void check_set_memory(post *p)
{
    mica_observer observer = hear(p, p->number, MICA_ON_ADD | MICA_ON_SET);
    p->act = set_without_memory;
    mica_entity entity = mica_spawn(p->world, MICA_ADD(p->number));
    CHECK_EQUAL(0, ((const Number *)mica_get(p->world, entity, p->number))->n);
    CHECK_EQUAL(MICA_ERROR_MEMORY, p->result);
    CHECK_REPORTED(&p->t, MICA_ERROR_MEMORY);
    check_log(p, "A");
    mica_observer_free(p->world, observer);
    mica_despawn(p->world, entity);
}

// Of components whose values observers set themselves.
static void check_sets_inside(post *p)
{
    mica_world *world = p->world;
    mica_type types[4] = {p->number, p->split, p->ring, p->sparse};
    for (int i = 0; i < 4; i++) {
        mica_observer observers[2];
        observers[0] = hear(p, types[i], MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE);
        observers[1] = hear(p, types[i], MICA_ON_ADD | MICA_ON_REMOVE);
        mica_entity entity = mica_spawn_values(world, NULL, 0);

        // [observer.add_first]
        p->act = set_every_time;
        mica_add(world, entity, types[i]);
        check_log(p, "AAV");
        CHECK_EQUAL(MICA_OK, p->result);
        mica_remove(world, entity, types[i]);
        p->log[0] = '\0';
        mica_set(world, entity, MICA_VALUE(types[i], Number, 1));
        check_log(p, "AAV");

        // [observer.remove_last]
        p->result = MICA_ERROR_NULL;
        mica_despawn(world, entity);
        check_log(p, "RR");
        CHECK_EQUAL(MICA_OK, p->result);
        p->act = NULL;
        mica_observer_free(world, observers[0]);
        mica_observer_free(world, observers[1]);
    }
}

// The order in which one change is reported; who is reported of what.
static void check_order(post *p)
{
    mica_world *world = p->world;
    uint32_t of_type = MICA_ON_DISABLE | MICA_ON_REMOVE | MICA_ON_DESPAWN | MICA_ON_SPAWN |
                       MICA_ON_ADD | MICA_ON_SET | MICA_ON_ENABLE;
    mica_type types[4] = {p->number, p->split, p->ring, p->sparse};
    for (int i = 0; i < 4; i++) {
        mica_observer observers[3];
        observers[0] = hear(p, types[i], of_type);
        observers[1] =
            mica_observer_new(world, &(mica_observer_desc){.query.terms = {{types[i], MICA_READ}},
                                                           .events = MICA_ON_ENTER | MICA_ON_LEAVE,
                                                           .call = note,
                                                           .user = p});
        observers[2] = hear(p, (mica_type){0}, MICA_ON_SPAWN | MICA_ON_DESPAWN);

        mica_entity entity = mica_spawn(world, MICA_VALUE(types[i], Number, 1));
        check_log(p, "SSAVE");
        mica_set(world, entity, MICA_VALUE(types[i], Number, 2));
        check_log(p, "V");
        mica_disable(world, entity, types[i]);
        check_log(p, "LO");
        mica_enable(world, entity, types[i]);
        check_log(p, "IE");
        mica_add(world, entity, types[i]); // [observer.no_difference]
        mica_enable(world, entity, types[i]);
        mica_remove(world, entity, p->tag);
        check_log(p, "");
        mica_remove(world, entity, types[i]);
        check_log(p, "LR");
        mica_add(world, entity, types[i]);
        check_log(p, "AE");
        mica_despawn(world, entity);
        check_log(p, "LRDD");

        // [observer.failed_call]
        test_memory_fail_at(&p->t.memory, 1, TEST_MEMORY_ONWARDS);
        static Number many[3000];
        mica_bundle bundle = mica_bundle_new(world, &types[i], 1);
        CHECK(MICA_IS_NONE(bundle));
        test_memory_fail_at(&p->t.memory, 0, TEST_MEMORY_ONCE);
        bundle = mica_bundle_new(world, &types[i], 1);
        test_memory_fail_at(&p->t.memory, 1, TEST_MEMORY_ONWARDS);
        mica_value array = MICA_COPY_OF_ARRAY(types[i], many);
        CHECK_EQUAL(MICA_ERROR_MEMORY, mica_spawn_many(world, bundle, 3000, &array, 1, NULL));
        test_memory_fail_at(&p->t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(2, test_error_clear(&p->t.error));
        check_log(p, "");

        // [observer.as_one], [observer.disabled]
        mica_world *later = mica_world_later(world);
        entity = mica_spawn(later, MICA_ADD(types[i]));
        mica_set(later, entity, MICA_VALUE(types[i], Number, 1));
        mica_set(later, entity, MICA_VALUE(types[i], Number, 2));
        mica_disable(later, entity, types[i]);
        mica_commands_apply(world);
        check_log(p, "SSAV");
        mica_despawn(world, mica_clone(world, entity));
        check_log(p, "SSAVRDD");
        mica_despawn(world, entity);
        check_log(p, "RDD");
        mica_bundle_free(world, bundle);
        for (int k = 0; k < 3; k++) {
            CHECK_EQUAL(MICA_OK, mica_observer_free(world, observers[k]));
        }
    }
}

static mica_result observe_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    post *p = context->user;
    memset(target, 0, 4 * (size_t)count);
    mica_observer kept = p->made;
    p->made = hear(p, p->number, MICA_ON_ADD);
    p->result = mica_observer_free(p->world, kept);
    return MICA_OK;
}

static void observe_in_handler(mica_world *world, const mica_error *error, void *user)
{
    (void)error;
    post *p = user;
    mica_observer kept = p->made;
    p->made = hear(p, p->number, MICA_ON_ADD);
    p->result = mica_observer_free(world, kept);
}

static void check_refused(post *p, mica_result code, mica_observer_desc desc)
{
    uint32_t observers = mica_world_get_stats(p->world).observers;
    uint32_t queries = mica_world_get_stats(p->world).queries;
    CHECK(MICA_IS_NONE(mica_observer_new(p->world, &desc)));
    CHECK_REPORTED(&p->t, code);
    CHECK_EQUAL(observers, mica_world_get_stats(p->world).observers);
    CHECK_EQUAL(queries, mica_world_get_stats(p->world).queries);
}

static void check_errors(post *p)
{
    mica_observer_desc desc = {.type = p->number, .events = MICA_ON_ADD, .call = note};
    CHECK(MICA_IS_NONE(mica_observer_new(NULL, &desc)));
    CHECK(MICA_IS_NONE(mica_observer_new(p->world, NULL)));
    CHECK_REPORTED(&p->t, MICA_ERROR_NULL);
    mica_observer_desc bad = desc;
    bad.call = NULL;
    check_refused(p, MICA_ERROR_NULL, bad);
    bad = desc;
    bad.first_zero = 1;
    check_refused(p, MICA_ERROR_DESC, bad);
    bad = desc;
    bad.last_zero = 1;
    check_refused(p, MICA_ERROR_DESC, bad);
    bad = desc;
    bad.type.bits = 12345;
    check_refused(p, MICA_ERROR_TYPE, bad);
    bad = desc;
    bad.name = "";
    check_refused(p, MICA_ERROR_NAME, bad);

    // [observer.fail]: no kinds, wrong kinds
    bad = desc;
    bad.events = 0;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.events = MICA_ON_ADD | 1 << 11;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.events = MICA_ON_ENTER;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.type = (mica_type){0};
    bad.events = MICA_ON_ADD;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.query.everything = true;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);

    // [observer.fail]: no toggle, a tag, a type and a query at once
    bad = desc;
    bad.type = p->tag;
    bad.events = MICA_ON_ADD | MICA_ON_ENABLE;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.events = MICA_ON_ADD | MICA_ON_SET;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad = desc;
    bad.query.everything = true;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);

    // [observer.fail]: lists of types; values of a query that has none; existing
    bad = desc;
    bad.types[0] = p->split;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.type = (mica_type){0};
    bad.types[1] = p->split;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.types[1] = (mica_type){0};
    bad.types[2] = p->ring;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.types[1].bits = 12345;
    check_refused(p, MICA_ERROR_TYPE, bad);
    bad = desc;
    bad.events = MICA_ON_REMOVE;
    bad.existing = true;
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad = (mica_observer_desc){.events = MICA_ON_SET, .call = note};
    bad.query.terms[0] = (mica_term){p->tag, MICA_WITH};
    check_refused(p, MICA_ERROR_ARGUMENT, bad);

    // [observer.fail]: those of mica_query_new(); [observer.filter]
    bad = (mica_observer_desc){.events = MICA_ON_ENTER, .call = note};
    bad.query.terms[0] = (mica_term){p->number, MICA_ACCESS_NONE};
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.query.terms[0] = (mica_term){p->number, MICA_READ};
    bad.query.terms[1] = (mica_term){p->number, MICA_WITHOUT};
    check_refused(p, MICA_ERROR_TERMS, bad);
    bad.query.terms[1] = (mica_term){p->split, MICA_READ | MICA_CHANGED};
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.query.terms[1] = (mica_term){p->split, MICA_READ | MICA_ADDED};
    check_refused(p, MICA_ERROR_ARGUMENT, bad);
    bad.query.terms[1] = (mica_term){{12345}, MICA_READ};
    check_refused(p, MICA_ERROR_TYPE, bad);

    // [observer.fail]: MICA_ERROR_MEMORY, at every allocation
    bad.query.terms[1] = (mica_term){p->split, MICA_READ};
    bad.name = "named";
    mica_observer made = (mica_observer){0};
    for (uint64_t which = 1; MICA_IS_NONE(made); which++) {
        test_memory_fail_at(&p->t.memory, which, TEST_MEMORY_ONWARDS);
        made = mica_observer_new(p->world, &bad);
        test_memory_fail_at(&p->t.memory, 0, TEST_MEMORY_ONCE);
        if (MICA_IS_NONE(made)) {
            CHECK_REPORTED(&p->t, MICA_ERROR_MEMORY);
        }
    }
    CHECK_EQUAL(MICA_OK, mica_observer_free(p->world, made));
}

// Inside of hooks and handlers nobody is made or freed.
static void check_shut(post *p)
{
    mica_observer observer = hear(p, p->ring, MICA_ON_ADD);
    mica_type hooked =
        mica_type_register(p->world, &(mica_type_desc){.name = "Hooked",
                                                       .size = 4,
                                                       .align = 4,
                                                       .user = p,
                                                       .hooks.construct = observe_in_hook});
    p->made = observer;
    mica_spawn(p->world, MICA_ADD(hooked));
    CHECK(MICA_IS_NONE(p->made));
    CHECK_EQUAL(MICA_ERROR_HOOK, p->result);
    CHECK_EQUAL(2, test_error_clear(&p->t.error));
    p->made = observer;
    mica_world_set_error_handler(p->world, observe_in_handler, p);
    mica_despawn(p->world, (mica_entity){0});
    mica_world_set_error_handler(p->world, test_error_record, &p->t.error);
    CHECK(MICA_IS_NONE(p->made));
    CHECK_EQUAL(MICA_ERROR_HANDLER, p->result);
    CHECK_EQUAL(MICA_OK, mica_observer_free(p->world, observer));
}

static void look_at_old(const mica_observer_event *h)
{
    Number value = {0};
    CHECK(mica_load(h->world, h->entity, h->type, &value, sizeof value));
    CHECK_EQUAL(h->kind == MICA_ON_REPLACE ? 7 : 8, value.n);
    CHECK(!h->value || ((const Number *)h->value)->n == value.n);
}

static void modify_deeper(const mica_observer_event *h)
{
    post *p = h->user;
    p->count++;
    mica_result result = mica_modified(h->world, h->entity, h->type);
    p->result = result ? result : p->result;
}

static void signal_deeper(const mica_observer_event *h)
{
    post *p = h->user;
    p->count++;
    mica_result result = mica_signal(h->world, h->entity, h->type, NULL, 0);
    p->result = result ? result : p->result;
}

static void look_at_signal(const mica_observer_event *h)
{
    const post *p = h->user;
    CHECK_POINTER(p->user_data, h->value);
    CHECK(MICA_EQUAL(p->entity, h->entity));
}

static void free_made(const mica_observer_event *h)
{
    post *p = h->user;
    p->act = NULL;
    CHECK_EQUAL(MICA_OK, mica_observer_free(h->world, p->made));
}

// What is there already

static void make_existing(const mica_observer_event *h)
{
    post *p = h->user;
    p->act = NULL;
    p->made = mica_observer_new(
        h->world,
        &(mica_observer_desc){
            .type = p->number, .events = MICA_ON_ADD, .call = note, .user = p, .existing = true});
}

static void check_existing(post *p)
{
    mica_world *world = p->world;
    const mica_type types[4] = {p->number, p->split, p->ring, p->sparse};
    mica_observer_desc desc = {.events = MICA_ON_SPAWN | MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE,
                               .call = note,
                               .user = p,
                               .existing = true};
    mica_world_clear(world);
    for (int i = 0; i < 4; i++) {
        // [observer.existing]
        mica_spawn(world, MICA_VALUE(types[i], Number, 1));
        mica_spawn(world, MICA_VALUE(types[i], Number, 2));
        mica_spawn(world, MICA_ADD(p->tag));
        desc.type = types[i];
        mica_observer observer = mica_observer_new(world, &desc);
        check_log(p, "SAVSAV");
        mica_world_clear(world);
        check_log(p, "RR");
        mica_observer_free(world, observer);
    }

    // [observer.existing]: of a query
    mica_spawn(world, MICA_VALUE(p->number, Number, 1), MICA_ADD(p->tag));
    mica_observer_desc of = {.query.terms = {{p->number, MICA_READ}, {p->tag, MICA_WITH}},
                             .events = MICA_ON_ENTER | MICA_ON_LEAVE,
                             .call = note,
                             .user = p,
                             .existing = true};
    mica_observer_free(world, mica_observer_new(world, &of));
    check_log(p, "E");

    // [observer.existing_disabled]
    of.disabled = true;
    mica_observer observer = mica_observer_new(world, &of);
    mica_observer_enable(world, observer);
    check_log(p, "");
    mica_observer_free(world, observer);
    of.disabled = false;

    // [observer.existing_cost]: a call that fails notifies nobody
    observer = (mica_observer){0};
    for (uint64_t which = 1; MICA_IS_NONE(observer); which++) {
        test_memory_fail_at(&p->t.memory, which, TEST_MEMORY_ONWARDS);
        observer = mica_observer_new(world, &of);
        test_memory_fail_at(&p->t.memory, 0, TEST_MEMORY_ONCE);
        if (MICA_IS_NONE(observer)) {
            CHECK_REPORTED(&p->t, MICA_ERROR_MEMORY);
            check_log(p, "");
        }
    }
    check_log(p, "E");
    mica_observer_free(world, observer);

    // [observer.existing_inside]
    observer = hear(p, p->number, MICA_ON_ADD);
    p->act = make_existing;
    p->entity = mica_spawn(world, MICA_ADD(p->number));
    CHECK(MICA_IS_NONE(p->made));
    CHECK_REPORTED(&p->t, MICA_ERROR_ITERATING);
    check_log(p, "A");
    mica_observer_free(world, observer);
}

static void check_types(post *p)
{
    // [observer.types]
    mica_world *world = p->world;
    mica_observer observer = mica_observer_new(
        world, &(mica_observer_desc){.types = {p->number, p->sparse, p->ring, p->split},
                                     .events = MICA_ON_SPAWN | MICA_ON_ADD | MICA_ON_REMOVE,
                                     .call = note,
                                     .user = p});
    mica_entity entity = mica_spawn(world, MICA_ADD(p->number), MICA_ADD(p->ring));
    check_log(p, "SSAA");
    mica_add(world, entity, p->sparse);
    mica_remove(world, entity, p->ring);
    mica_add(world, entity, p->tag);
    check_log(p, "AR");
    mica_observer_free(world, observer);
    mica_add(world, entity, p->ring);
    check_log(p, "");
}

static void check_matches(post *p)
{
    // [observer.set_match]
    mica_world *world = p->world;
    const mica_type types[4] = {p->number, p->split, p->ring, p->sparse};
    for (int i = 0; i < 4; i++) {
        mica_type other = types[(i + 1) % 4];
        mica_observer observer = mica_observer_new(
            world, &(mica_observer_desc){.query.terms = {{types[i], MICA_READ}, {other, MICA_READ}},
                                         .events = MICA_ON_SET | MICA_ON_ENTER,
                                         .call = note,
                                         .user = p});
        mica_entity entity = mica_spawn(world, MICA_VALUE(types[i], Number, 1));
        mica_set(world, entity, MICA_VALUE(types[i], Number, 2));
        check_log(p, "");
        mica_set(world, entity, MICA_VALUE(other, Number, 3));
        check_log(p, "VE");
        mica_set(world, entity, MICA_VALUE(types[i], Number, 4), MICA_VALUE(other, Number, 4));
        check_log(p, "VV");
        mica_observer_free(world, observer);
    }
}

PROMISE(mica_observer_new)
{
    post p;
    mica_world *world = begin(&p);

    // [observer.from_next]: not what is there
    mica_observer observer = hear(&p, p.number, MICA_ON_ADD | MICA_ON_SET);
    check_log(&p, "");

    // [observer.from_next]
    mica_set(world, p.entity, MICA_VALUE(p.number, Number, 2));
    check_log(&p, "V");

    // [observer.from_next]: inside an observer; a call is one change, however many it is about
    mica_bundle bundle = mica_bundle_new(world, &p.number, 1);
    p.act = listen_too;
    mica_spawn_many(world, bundle, 3, NULL, 0, NULL);
    check_log(&p, "AAA");
    mica_spawn(world, MICA_ADD(p.number));
    check_log(&p, "AA");
    mica_observer_free(world, p.made);

    // [observer.from_next]: inside an iteration
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    mica_observer inner = hear(&p, p.number, MICA_ON_SET);
    mica_set(world, p.entity, MICA_VALUE(p.number, Number, 3));
    mica_iter_end(&it);
    check_log(&p, "VV");
    mica_observer_free(world, inner);
    mica_observer_free(world, observer);

    // [observer.when], [observer.no_value]
    mica_type types[5] = {p.number, p.split, p.ring, p.sparse, p.tag};
    p.act = look;
    for (int i = 0; i < 5; i++) {
        observer = hear(&p, types[i], MICA_ON_ADD | MICA_ON_REMOVE);
        mica_entity entity = mica_spawn_values(world, NULL, 0);
        if (i < 4) {
            mica_set(world, entity, MICA_VALUE(types[i], Number, 7));
        } else {
            mica_add(world, entity, types[i]);
        }
        mica_remove(world, entity, types[i]);
        check_log(&p, "AR");
        mica_despawn(world, entity);
        mica_observer_free(world, observer);
    }
    p.act = NULL;
    // [observer.existing_cost], [observer.existing_disabled], [observer.existing_inside]; that it is
    // linear: tests/gate/growth.c
    check_existing(&p);
    check_types(&p);
    check_matches(&p);
    check_order(&p);
    check_set_memory(&p);
    check_sets_inside(&p);

    // [observer.set]
    observer = hear(&p, p.number, MICA_ON_SET);
    p.act = set_deeper;
    mica_set(world, p.entity, MICA_VALUE(p.number, Number, 3));
    CHECK_EQUAL(MICA_OBSERVER_DEPTH, p.count);
    CHECK_REPORTED(&p.t, MICA_ERROR_LIMIT);
    p.log[0] = '\0';

    // [observer.refused], [observer.toggle]
    p.act = change_at_once;
    mica_set(world, p.entity, MICA_VALUE(p.number, Number, 3));
    check_log(&p, "V");

    // [observer.open]
    p.act = leave_open;
    CHECK_EQUAL(MICA_OK, mica_set(world, p.entity, MICA_VALUE(p.number, Number, 3)));
    CHECK_REPORTED(&p.t, MICA_ERROR_ITERATING);
    CHECK_EQUAL(0, mica_world_end_iterations(world));
    p.log[0] = '\0';

    // [observer.recorded], [observer.despawn]
    p.act = despawn_later;
    CHECK_EQUAL(MICA_OK, mica_set(world, p.entity, MICA_VALUE(p.number, Number, 3)));
    CHECK(!mica_alive(world, p.entity));
    p.act = NULL;
    p.entity = mica_spawn(world, MICA_VALUE(p.number, Number, 1));
    p.act = despawn_later;
    mica_iter_begin(world, all, &it);
    mica_set(world, p.entity, MICA_VALUE(p.number, Number, 3));
    CHECK(mica_alive(world, p.entity));
    mica_iter_end(&it);
    CHECK(!mica_alive(world, p.entity));

    // [observer.endless]
    p.act = NULL;
    mica_observer_free(world, observer);
    p.entity = mica_spawn_values(world, NULL, 0);
    observer = hear(&p, p.number, MICA_ON_ADD);
    p.act = spawn_later;
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_add(world, p.entity, p.number));
    CHECK(mica_has(world, p.entity, p.number));
    CHECK_REPORTED(&p.t, MICA_ERROR_LIMIT);
    p.act = NULL;
    mica_observer_free(world, observer);

    // [observer.memory]: and the call that was observed has happened
    observer = hear(&p, p.sparse, MICA_ON_ADD);
    bool waited = false;
    for (uint64_t which = 1; !waited; which++) {
        p.entity = mica_spawn_values(world, NULL, 0);
        p.act = spawn_once;
        test_memory_fail_at(&p.t.memory, which, TEST_MEMORY_ONWARDS);
        mica_result result = mica_add(world, p.entity, p.sparse);
        REQUIRE(p.t.memory.refusals > 0);
        test_memory_fail_at(&p.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(test_error_clear(&p.t.error) > 0);
        CHECK_EQUAL(result == MICA_OK, mica_has(world, p.entity, p.sparse));
        waited = mica_commands_count(world) > 0;
        if (waited) {
            CHECK_EQUAL(MICA_OK, result);
            CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
            CHECK_EQUAL(0, mica_commands_count(world));
        }
        p.act = NULL;
        mica_world_clear(world);
        mica_world_reclaim(world);
    }
    mica_observer_free(world, observer);

    // [observer.others_wait]; [later.outside]
    observer = hear(&p, p.number, MICA_ON_ADD);
    p.act = despawn_later;
    mica_entity waiting = mica_spawn(mica_world_later(world), MICA_ADD(p.ring));
    mica_entity brief = mica_spawn(world, MICA_ADD(p.number));
    CHECK(!mica_alive(world, brief) && !mica_alive(world, waiting));
    CHECK_EQUAL(1, mica_commands_count(world));
    p.act = NULL;
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    CHECK(mica_alive(world, waiting));
    mica_observer_free(world, observer);

    // [observer.silent]
    p.log[0] = '\0';
    hear(&p, p.number, MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_DESPAWN);
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, p.number, MICA_SPARSE));
    check_log(&p, "");

    // [observer.cost]: it looks at each table for its query, and asks for no more memory where
    // there are many; tests/gate/growth.c
    // [observer.fail]
    check_errors(&p);
    check_shut(&p);
    test_world_end(&p.t);
    check_log(&p, "");
}

static void free_itself(const mica_observer_event *h)
{
    post *p = h->user;
    p->act = NULL;
    CHECK_EQUAL(MICA_OK, mica_observer_free(h->world, h->observer));
    CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_free(h->world, h->observer));
    CHECK_EQUAL(MICA_OK, mica_observer_free(h->world, p->made));
    CHECK_REPORTED(&p->t, MICA_ERROR_OBSERVER);
}

PROMISE(mica_observer_free)
{
    // [observer.free_cost]: tests/gate/growth.c
    post p;
    mica_world *world = begin(&p);

    // [observer.free]
    mica_observer first = hear(&p, p.number, MICA_ON_ADD | MICA_ON_SET);
    mica_observer second = hear(&p, p.number, MICA_ON_SET);
    CHECK_EQUAL(MICA_OK, mica_observer_free(world, second));
    mica_set(world, p.entity, MICA_VALUE(p.number, Number, 3));
    check_log(&p, "V");

    // [observer.free]: inside an observer, for the event that is being reported, too
    p.made = hear(&p, p.number, MICA_ON_ADD | MICA_ON_SET);
    hear(&p, p.number, MICA_ON_ADD);
    p.act = free_itself;
    mica_spawn(world, MICA_VALUE(p.number, Number, 3));
    check_log(&p, "AA");
    CHECK_EQUAL(1, mica_world_get_stats(world).observers);
    p.made = mica_observer_new(world, &(mica_observer_desc){.query.everything = true,
                                                            .events = MICA_ON_ENTER | MICA_ON_LEAVE,
                                                            .call = note,
                                                            .user = &p});
    mica_observer own = mica_observer_new(
        world, &(mica_observer_desc){
                   .query.everything = true, .events = MICA_ON_SPAWN, .call = note, .user = &p});
    p.act = free_itself;
    mica_spawn_values(world, NULL, 0);
    check_log(&p, "S");
    CHECK_EQUAL(1, mica_world_get_stats(world).observers);

    // [observer.free_fail]: MICA_ERROR_NULL, MICA_ERROR_HOOK, MICA_ERROR_HANDLER
    check_shut(&p);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_observer_free(NULL, first));

    // [observer.free_fail]: MICA_ERROR_OBSERVER
    test_world other;
    mica_world *elsewhere = test_world_begin(&other);
    mica_observer foreign = mica_observer_new(
        elsewhere, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = note, .user = &p});
    const mica_observer wrong[5] = {(mica_observer){0}, first, second, own, foreign};
    for (int i = 0; i < 5; i++) {
        CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_free(world, wrong[i]));
        CHECK_REPORTED(&p.t, MICA_ERROR_OBSERVER);
    }
    CHECK_EQUAL(1, mica_world_get_stats(world).observers);
    test_world_end(&other);

    // [observer.free_fail]: MICA_ERROR_ITERATING
    own = mica_observer_new(world, &(mica_observer_desc){.query.terms = {{p.number, MICA_WITH}},
                                                         .events = MICA_ON_ENTER,
                                                         .call = note,
                                                         .user = &p});
    mica_observer_info info;
    CHECK(mica_observer_get_info(world, own, &info));
    mica_iter it;
    mica_iter_begin(world, info.query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_observer_free(world, own));
    CHECK_REPORTED(&p.t, MICA_ERROR_ITERATING);
    mica_iter_end(&it);
    mica_spawn(world, MICA_ADD(p.number));
    check_log(&p, "AE");
    CHECK_EQUAL(MICA_OK, mica_observer_free(world, own));
    test_world_end(&p.t);
}

// Enabling and disabling

static void disable_all(const mica_observer_event *h)
{
    post *p = h->user;
    p->act = NULL;
    CHECK_EQUAL(MICA_OK, mica_observer_disable(h->world, h->observer));
    CHECK_EQUAL(MICA_OK, mica_observer_disable(h->world, p->made));
}

static void enable_made(const mica_observer_event *h)
{
    post *p = h->user;
    p->act = NULL;
    CHECK_EQUAL(MICA_OK, mica_observer_enable(h->world, p->made));
}

PROMISE(mica_observer_enable)
{
    post p;
    mica_world *world = begin(&p);
    const mica_type types[4] = {p.number, p.split, p.ring, p.sparse};
    for (int i = 0; i < 4; i++) {
        // [observer.enable], and `disabled` of the descriptor
        mica_observer observer =
            mica_observer_new(world, &(mica_observer_desc){.type = types[i],
                                                           .events = MICA_ON_ADD | MICA_ON_REMOVE,
                                                           .call = note,
                                                           .user = &p,
                                                           .disabled = true});
        mica_entity entity = mica_spawn(world, MICA_ADD(types[i]));
        CHECK(!mica_observer_is_enabled(world, observer));
        CHECK_EQUAL(MICA_OK, mica_observer_enable(world, observer));
        CHECK(mica_observer_is_enabled(world, observer));
        check_log(&p, "");
        mica_despawn(world, entity);
        check_log(&p, "R");

        // [observer.enable]: not even by the call that is being observed; [observer.enable_when]
        p.made = hear(&p, types[i], MICA_ON_ADD);
        p.act = disable_all;
        entity = mica_spawn(world, MICA_ADD(types[i]));
        check_log(&p, "A");
        mica_observer_enable(world, observer);
        p.act = enable_made;
        mica_remove(world, entity, types[i]);
        check_log(&p, "R");
        mica_observer_disable(world, p.made);
        p.act = enable_made;
        mica_add(world, entity, types[i]);
        check_log(&p, "A"); // it is notified from the next change on
        mica_add(world, mica_spawn_values(world, NULL, 0), types[i]);
        check_log(&p, "AA");
        mica_observer_free(world, observer);
        mica_observer_free(world, p.made);
    }

    // [observer.disabled_cost], [observer.enable_cost]: tests/gate/growth.c
    // [observer.enable_fail]
    mica_observer none = {0};
    CHECK_EQUAL(MICA_ERROR_NULL, mica_observer_enable(NULL, none));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_observer_disable(NULL, none));
    CHECK(!mica_observer_is_enabled(NULL, none));
    CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_enable(world, none));
    CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_disable(world, none));
    CHECK(!mica_observer_is_enabled(world, none));
    CHECK_EQUAL(3, test_error_clear(&p.t.error));
    test_world_end(&p.t);
}

PROMISE(mica_observer_disable)
{
    // [observer.enable], [observer.enable_fail]: a freed one
    post p;
    mica_world *world = begin(&p);
    mica_observer observer = hear(&p, p.number, MICA_ON_SET);
    CHECK_EQUAL(MICA_OK, mica_observer_disable(world, observer));
    CHECK_EQUAL(MICA_OK, mica_observer_disable(world, observer));
    mica_set(world, p.entity, MICA_VALUE(p.number, Number, 2));
    check_log(&p, "");
    mica_observer_free(world, observer);
    CHECK_EQUAL(MICA_ERROR_OBSERVER, mica_observer_disable(world, observer));
    CHECK_REPORTED(&p.t, MICA_ERROR_OBSERVER);
    test_world_end(&p.t);
}

PROMISE(mica_observer_is_enabled)
{
    // [observer.enable]
    post p;
    mica_world *world = begin(&p);
    mica_observer observer = hear(&p, p.number, MICA_ON_SET);
    CHECK(mica_observer_is_enabled(world, observer));
    mica_observer_disable(world, observer);
    CHECK(!mica_observer_is_enabled(world, observer));
    test_world_end(&p.t);
}

// Values that are modified, and replaced

static void check_replaced(post *p)
{
    // [observer.replace]
    mica_world *world = p->world;
    const mica_type types[4] = {p->number, p->split, p->ring, p->sparse};
    for (int i = 0; i < 4; i++) {
        mica_observer observer = hear(p, types[i], MICA_ON_REPLACE | MICA_ON_SET | MICA_ON_ADD);
        mica_entity entity = mica_spawn(world, MICA_VALUE(types[i], Number, 7));
        check_log(p, "AV");
        p->act = look_at_old;
        mica_set(world, entity, MICA_VALUE(types[i], Number, 8));
        check_log(p, "BV");
        p->act = NULL;
        mica_add(world, entity, types[i]);
        mica_remove(world, entity, types[i]);
        check_log(p, "");
        mica_observer_free(world, observer);
    }
}

PROMISE(mica_modified)
{
    post p;
    mica_world *world = begin(&p);
    check_replaced(&p);
    const mica_type types[4] = {p.number, p.split, p.ring, p.sparse};
    for (int i = 0; i < 4; i++) {
        // [modified.notify], [modified.replace]
        mica_entity entity = mica_spawn(world, MICA_VALUE(types[i], Number, 1));
        mica_observer observer = hear(&p, types[i], MICA_ON_SET | MICA_ON_REPLACE);
        CHECK_EQUAL(MICA_OK, mica_modified(world, entity, types[i]));
        check_log(&p, "V");

        // [modified.change]
        mica_query changed = mica_query_new(
            world, &(mica_query_desc){.terms = {{types[i], (uint32_t)MICA_WITH | MICA_CHANGED}}});
        mica_iter it;
        mica_iter_begin(world, changed, &it);
        while (mica_iter_next(&it)) {
        }
        CHECK_EQUAL(0, mica_query_count(world, changed));
        CHECK_EQUAL(MICA_OK, mica_modified(world, entity, types[i]));
        check_log(&p, "V");
        CHECK(mica_query_count(world, changed) > 0); // neighbours may count as changed, too

        // [modified.when]
        mica_iter_begin(world, changed, &it);
        CHECK_EQUAL(MICA_OK, mica_modified(world, entity, types[i]));
        mica_iter_end(&it);
        check_log(&p, "V");
        p.act = modify_deeper;
        p.count = 0;
        CHECK_EQUAL(MICA_OK, mica_modified(world, entity, types[i]));
        CHECK_EQUAL(MICA_OBSERVER_DEPTH, p.count);
        CHECK_EQUAL(MICA_ERROR_LIMIT, p.result);
        CHECK_REPORTED(&p.t, MICA_ERROR_LIMIT);
        p.act = NULL;
        p.log[0] = '\0';
        mica_observer_free(world, observer);
    }

    // [modified.cost]: it allocates nothing
    uint64_t before = p.t.memory.allocations;
    CHECK_EQUAL(MICA_OK, mica_modified(world, p.entity, p.number));
    CHECK_EQUAL(before, p.t.memory.allocations);

    // [modified.fail]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_modified(NULL, p.entity, p.number));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_modified(world, (mica_entity){0}, p.number));
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_modified(world, p.entity, (mica_type){0}));
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_modified(world, p.entity, p.tag));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_modified(world, p.entity, p.ring));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_modified(mica_world_later(world), p.entity, p.number));
    CHECK_EQUAL(5, test_error_clear(&p.t.error));
    test_world_end(&p.t);
}

PROMISE(mica_signal)
{
    post p;
    mica_world *world = begin(&p);
    const mica_type types[4] = {p.number, p.split, p.ring, p.sparse};
    const Number hit = {7};
    for (int i = 0; i < 4; i++) {
        // [signal.unheard]
        CHECK_EQUAL(MICA_OK, mica_signal(world, p.entity, types[i], &hit, sizeof hit));

        // [signal.call], [signal.any], [signal.data]
        mica_observer observer = hear(&p, types[i], MICA_ON_SIGNAL | MICA_ON_SET);
        p.act = look_at_signal;
        p.user_data = &hit;
        CHECK_EQUAL(MICA_OK, mica_signal(world, p.entity, types[i], &hit, sizeof hit));
        check_log(&p, "N");
        p.user_data = NULL;
        CHECK_EQUAL(MICA_OK, mica_signal(world, p.entity, types[i], NULL, 0));
        check_log(&p, "N");
        p.act = NULL;
        mica_observer_free(world, observer);
    }

    // [signal.call]: in order of creation
    mica_observer first = hear(&p, p.tag, MICA_ON_SIGNAL);
    p.act = free_made;
    p.made = hear(&p, p.tag, MICA_ON_SIGNAL);
    mica_signal(world, p.entity, p.tag, NULL, 0);
    check_log(&p, "N");
    mica_observer_free(world, first);

    // [signal.when]
    first = hear(&p, p.tag, MICA_ON_SIGNAL);
    p.act = signal_deeper;
    p.count = 0;
    CHECK_EQUAL(MICA_OK, mica_signal(world, p.entity, p.tag, NULL, 0));
    CHECK_EQUAL(MICA_OBSERVER_DEPTH, p.count);
    CHECK_EQUAL(MICA_ERROR_LIMIT, p.result);
    CHECK_REPORTED(&p.t, MICA_ERROR_LIMIT);
    p.act = despawn_later;
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_entity other = mica_spawn_values(world, NULL, 0);
    mica_iter it;
    mica_iter_begin(world, all, &it);
    CHECK_EQUAL(MICA_OK, mica_signal(world, other, p.tag, NULL, 0));
    CHECK(mica_alive(world, other));
    mica_iter_end(&it);
    CHECK(!mica_alive(world, other));
    other = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_signal(world, other, p.tag, NULL, 0));
    CHECK(!mica_alive(world, other));

    // [signal.fail]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_signal(NULL, p.entity, p.tag, NULL, 0));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_signal(world, p.entity, p.number, NULL, sizeof hit));
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_signal(world, other, p.tag, NULL, 0));
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_signal(world, p.entity, (mica_type){0}, NULL, 0));
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_signal(world, p.entity, p.tag, &hit, sizeof hit));
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_signal(world, p.entity, p.number, &hit, 3));
    CHECK_EQUAL(MICA_ERROR_RECORDING,
                mica_signal(mica_world_later(world), p.entity, p.tag, NULL, 0));
    CHECK_EQUAL(6, test_error_clear(&p.t.error));
    test_world_end(&p.t);
}

TESTS(observer, promise_of_mica_observer_new, promise_of_mica_observer_free,
      promise_of_mica_observer_enable, promise_of_mica_observer_disable,
      promise_of_mica_observer_is_enabled, promise_of_mica_modified, promise_of_mica_signal)
