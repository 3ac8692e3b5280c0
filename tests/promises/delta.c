// What mica/delta.h promises.
#include "promise.h"

#include <math.h>
#include <time.h>

typedef struct Place {
    float x, y;
    double far;
} Place;

typedef struct Padded {
    int8_t small;
    int32_t wide; // not named
} Padded;

// A world, and one that follows it. Both begin with the same entities.
typedef struct port {
    test_world t;
    mica_world *world;
    mica_type place, speed, tag, padded;
    mica_entity ships[3];
} port;

typedef struct ports {
    port from, to;
    mica_snapshot before; // of `from`, to which `to` is equal
    mica_buffer delta;
} ports;

// The second differs in storages.
static void open_port(port *p, bool other)
{
    p->world = test_world_begin(&p->t);
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y, far);
    desc.storage = other ? MICA_SPLIT : MICA_TABLE;
    p->place = mica_type_register(p->world, &desc);
    desc.name = "Speed";
    desc.storage = other ? MICA_TABLE : MICA_SPARSE;
    desc.toggle = true;
    p->speed = mica_type_register(p->world, &desc);
    p->tag = MICA_TAG(p->world, Tag);
    static const Padded padded = {1, 77};
    mica_type_desc bytes = MICA_DESCRIBE(Padded, small);
    bytes.default_value = &padded;
    p->padded = mica_type_register(p->world, &bytes);
    for (int i = 0; i < 3; i++) {
        p->ships[i] = mica_spawn(p->world, MICA_VALUE(p->place, Place, (float)i, 0, 0));
    }
}

static void open_ports(ports *p)
{
    *p = (ports){0};
    open_port(&p->from, false);
    open_port(&p->to, true);
    REQUIRE_EQUAL(mica_world_hash(p->from.world), mica_world_hash(p->to.world));
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(p->from.world, NULL));
    p->before = mica_snapshot_take(p->from.world);
}

static void close_ports(ports *p)
{
    mica_buffer_free(&p->delta);
    test_world_end(&p->from.t);
    test_world_end(&p->to.t);
}

static mica_result save(ports *p, mica_snapshot from, mica_snapshot to, const mica_delta_desc *desc)
{
    return mica_delta_save(p->from.world, from, to, &(mica_stream){.buffer = &p->delta}, desc);
}

static mica_result load(ports *p)
{
    return mica_delta_load(p->to.world,
                           &(mica_stream){.data = p->delta.data, .size = p->delta.size});
}

static void put(const port *p, int ship, float x, float y)
{
    const Place place = {x, y, 0};
    REQUIRE_EQUAL(MICA_OK, mica_set(p->world, p->ships[ship], MICA_COPY_OF(p->place, place)));
}

// Takes the next snapshot and saves what led there.
static void save_next(ports *p, const mica_delta_desc *desc)
{
    mica_snapshot after = mica_snapshot_take(p->from.world);
    REQUIRE_EQUAL(MICA_OK, save(p, p->before, after, desc));
    p->before = after;
}

static void follow(ports *p, const mica_delta_desc *desc)
{
    save_next(p, desc);
    REQUIRE_EQUAL(MICA_OK, load(p));
}

static Place place_of(port *p, int ship)
{
    Place place = {-1, -1, -1};
    CHECK(mica_load(p->world, p->ships[ship], p->place, &place, sizeof place));
    return place;
}

static void check_refused(port *p, mica_result code, mica_result result, uint64_t digest)
{
    CHECK_EQUAL(code, result);
    CHECK_REPORTED(&p->t, code);
    CHECK_EQUAL(digest, mica_world_digest(p->world));
}

// Changes something of everything.
static mica_entity change_all(ports *p)
{
    mica_world *world = p->from.world;
    put(&p->from, 0, 5, 6);
    mica_despawn(world, p->from.ships[1]);
    mica_entity spawned = mica_spawn(world, MICA_VALUE(p->from.speed, Place, 1, 2, 3));
    mica_disable(world, spawned, p->from.speed);
    mica_add(world, p->from.ships[2], p->from.tag);
    mica_remove(world, p->from.ships[2], p->from.place);
    mica_entity_set_name(world, spawned, "raft");
    mica_facet_add(world, p->from.ships[0], p->from.tag, 2, MICA_ADD(p->from.speed));
    mica_resource_set(world, MICA_VALUE(p->from.speed, Place, 7, 8, 9));
    return spawned;
}

// Returns the result of saving with one rounded field.
static mica_result save_rounded(ports *p, mica_type type, const char *field, double step)
{
    const mica_delta_field rounded = {type, field, step};
    return save(p, p->before, p->before, &(mica_delta_desc){.fields = &rounded, .field_count = 1});
}

static bool fail_to_write(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return false;
}

static clock_t time_save(ports *p, mica_snapshot to)
{
    clock_t began = clock();
    for (int i = 0; i < 4; i++) {
        REQUIRE_EQUAL(MICA_OK, save(p, p->before, to, NULL));
    }
    return clock() - began;
}

PROMISE(mica_delta_save)
{
    ports p;
    open_ports(&p);
    mica_world *world = p.from.world;

    // [delta.content], [delta.defaults]
    const mica_snapshot first = p.before;
    change_all(&p);
    uint64_t digest = mica_world_digest(world);
    mica_snapshot after = mica_snapshot_take(world);
    REQUIRE_EQUAL(MICA_OK, save(&p, first, after, NULL));
    CHECK_EQUAL(MICA_OK, load(&p));
    CHECK_EQUAL(mica_world_hash(world), mica_world_hash(p.to.world));
    CHECK(place_of(&p.to, 0).x > 4.5f);

    // [delta.unchanged]
    CHECK_EQUAL(digest, mica_world_digest(world));

    // [delta.direction]
    REQUIRE_EQUAL(MICA_OK, save(&p, after, first, &(mica_delta_desc){0}));
    CHECK_EQUAL(MICA_OK, load(&p));
    CHECK_EQUAL(mica_snapshot_hash(world, first), mica_world_hash(p.to.world));

    // [delta.rounded]
    REQUIRE_EQUAL(MICA_OK, save(&p, first, after, NULL));
    CHECK_EQUAL(MICA_OK, load(&p));
    p.before = after;
    const mica_delta_field fields[] = {{p.from.place, "x", 0.25}, {p.from.place, "far", 100}};
    const mica_delta_desc rounded = {.fields = fields, .field_count = 2};
    float x = 0.1f;
    for (int i = 0; i < 100; i++) {
        put(&p.from, 0, x += 0.07f, 0.1f);
        follow(&p, &rounded);
        CHECK(fabs((double)place_of(&p.to, 0).x - (double)x) <= 0.125 + 1e-6);
        CHECK(!(fmodf(place_of(&p.to, 0).x, 0.25f) > 0));
        CHECK(memcmp(&(float){0.1f}, &(float){place_of(&p.to, 0).y}, sizeof(float)) == 0);
    }
    put(&p.from, 0, x += 1e-4f, 0.1f);
    save_next(&p, &rounded);
    size_t none = p.delta.size;
    CHECK_EQUAL(MICA_OK, load(&p));
    put(&p.from, 0, x += 0.3f, 0.1f);
    follow(&p, &rounded);
    CHECK(p.delta.size < none + 8);

    // [delta.exact]
    const float exact[] = {INFINITY, -INFINITY, 4194304.0f * 0.25f + 1, -1e30f, NAN};
    for (int i = 0; i < 5; i++) {
        put(&p.from, 0, exact[i], 0);
        follow(&p, &rounded);
        CHECK(memcmp(&exact[i], &(float){place_of(&p.to, 0).x}, sizeof(float)) == 0);
    }
    Place far = {0, 0, 1e17 * 100 + 7};
    mica_set(world, p.from.ships[0], MICA_COPY_OF(p.from.place, far));
    follow(&p, &rounded);
    CHECK(memcmp(&far.far, &(double){place_of(&p.to, 0).far}, sizeof(double)) == 0);

    // [delta.cost]
    mica_snapshot small[2];
    small[0] = mica_snapshot_take(world);
    put(&p.from, 0, 1, 1);
    small[1] = mica_snapshot_take(world);
    p.before = small[0];
    clock_t few = time_save(&p, small[1]);
    for (int i = 0; i < 20000; i++) {
        mica_spawn(world, MICA_VALUE(p.from.place, Place, 1, 1, 1));
    }
    mica_snapshot large = mica_snapshot_take(world);
    put(&p.from, 0, 2, 2);
    mica_snapshot last = mica_snapshot_take(world);
    clock_t all = time_save(&p, large);
    p.before = large;
    REQUIRE_EQUAL(MICA_OK, save(&p, large, last, NULL)); // hashes are known
    CHECK(time_save(&p, last) < all / 2 + few);

    // [delta.fail]
    digest = mica_world_digest(world);
    check_refused(&p.from, MICA_ERROR_TIME, save(&p, (mica_snapshot){0}, last, NULL), digest);
    check_refused(&p.from, MICA_ERROR_TIME, save(&p, last, (mica_snapshot){0}, NULL), digest);
    check_refused(&p.from, MICA_ERROR_NULL, mica_delta_save(world, last, last, NULL, NULL), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_delta_save(NULL, last, last, NULL, NULL));
    check_refused(&p.from, MICA_ERROR_DESC,
                  save(&p, last, last, &(mica_delta_desc){.last_zero = 1}), digest);
    check_refused(&p.from, MICA_ERROR_STREAM,
                  mica_delta_save(world, last, last, &(mica_stream){.write = fail_to_write}, NULL),
                  digest);
    check_refused(&p.from, MICA_ERROR_ARGUMENT, save_rounded(&p, p.from.place, "x", 0), digest);
    check_refused(&p.from, MICA_ERROR_ARGUMENT, save_rounded(&p, p.from.place, "x", -1), digest);
    check_refused(&p.from, MICA_ERROR_ARGUMENT, save_rounded(&p, p.from.place, "x", 1e-40), digest);
    check_refused(&p.from, MICA_ERROR_FIELD, save_rounded(&p, p.from.place, "z", 1), digest);
    check_refused(&p.from, MICA_ERROR_FIELD, save_rounded(&p, p.from.padded, "small", 1), digest);
    check_refused(&p.from, MICA_ERROR_TYPE, save_rounded(&p, (mica_type){0}, "x", 1), digest);
    check_refused(&p.from, MICA_ERROR_NULL, save_rounded(&p, p.from.place, NULL, 1), digest);
    bool saved = false;
    for (uint64_t which = 1; !saved; which++) {
        test_memory_fail_at(&p.from.t.memory, which, TEST_MEMORY_ONCE);
        saved = save(&p, p.before, last, NULL) == MICA_OK;
        test_memory_fail_at(&p.from.t.memory, 0, TEST_MEMORY_ONCE);
        if (!saved) {
            check_refused(&p.from, MICA_ERROR_MEMORY, p.from.t.error.last.code, digest);
        }
    }
    mica_type shut =
        mica_type_register(world, &(mica_type_desc){.name = "Shut", .size = 4, .align = 4});
    mica_add(world, p.from.ships[0], shut);
    mica_snapshot closed = mica_snapshot_take(world);
    digest = mica_world_digest(world);
    check_refused(&p.from, MICA_ERROR_TYPE, save(&p, last, closed, NULL), digest);
    CHECK_EQUAL(MICA_OK, save(&p, closed, last, NULL)); // it is removed
    close_ports(&p);
}

static mica_result save_by_hook(const void *value, mica_put *put_bytes, void *out,
                                const mica_hook_context *context)
{
    (void)context;
    return put_bytes(out, value, 4) ? MICA_OK : MICA_ERROR_HOOK;
}

static mica_result load_by_hook(void *value, const void *data, size_t size,
                                const mica_hook_context *context)
{
    (void)context;
    memcpy(value, data, size);
    return MICA_OK;
}

static void a_type_with_a_save_hook_has_no_deltas(void)
{
    // [delta.fail]
    ports p;
    open_ports(&p);
    mica_type_desc desc = {.name = "Hooked", .size = 4, .align = 4};
    desc.hooks.save = save_by_hook;
    desc.hooks.load = load_by_hook;
    mica_add(p.from.world, p.from.ships[0], mica_type_register(p.from.world, &desc));
    mica_snapshot after = mica_snapshot_take(p.from.world);
    check_refused(&p.from, MICA_ERROR_TYPE, save(&p, p.before, after, NULL),
                  mica_world_digest(p.from.world));
    close_ports(&p);
}

static uint32_t notified;

static void count_event(const mica_observer_event *event)
{
    (void)event;
    notified++;
}

static void destroy(void *values, uint32_t count, const mica_hook_context *context)
{
    (void)values, (void)count, (void)context;
}

// Checks that each shorter delta, and each with another byte, is refused.
static void check_damaged(ports *p, uint64_t digest)
{
    unsigned char bytes[1000];
    REQUIRE(p->delta.size <= sizeof bytes);
    memcpy(bytes, p->delta.data, p->delta.size);
    for (size_t size = 0; size < p->delta.size; size++) {
        check_refused(&p->to, MICA_ERROR_IMAGE,
                      mica_delta_load(p->to.world, &(mica_stream){.data = bytes, .size = size}),
                      digest);
    }
    for (size_t at = 0; at < p->delta.size; at++) {
        bytes[at]++;
        check_refused(
            &p->to, at == 3 ? MICA_ERROR_VERSION : MICA_ERROR_IMAGE,
            mica_delta_load(p->to.world, &(mica_stream){.data = bytes, .size = p->delta.size}),
            digest);
        bytes[at]--;
    }
}

// Checks that loading is refused where taking a snapshot is.
static void check_refused_inside(ports *p)
{
    mica_world *world = p->to.world;
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, all, &it);
    check_refused(&p->to, MICA_ERROR_ITERATING, load(p), mica_world_digest(world));
    mica_iter_end(&it);
    mica_add(mica_world_later(world), p->to.ships[0], p->to.tag); // waits
    check_refused(&p->to, MICA_ERROR_ITERATING, load(p), mica_world_digest(world));
    CHECK_EQUAL(MICA_ERROR_RECORDING,
                mica_delta_load(mica_world_later(world),
                                &(mica_stream){.data = p->delta.data, .size = p->delta.size}));
    CHECK_REPORTED(&p->to.t, MICA_ERROR_RECORDING);
    mica_commands_apply(world);
    mica_remove(world, p->to.ships[0], p->to.tag);
}

static size_t fail_to_read(void *user, void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return MICA_STREAM_FAILED;
}

static void check_load_fails(ports *p)
{
    mica_world *world = p->to.world;
    uint64_t digest = mica_world_digest(world);
    check_damaged(p, digest);
    check_refused(&p->to, MICA_ERROR_NULL, mica_delta_load(world, NULL), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_delta_load(NULL, NULL));
    check_refused(&p->to, MICA_ERROR_STREAM,
                  mica_delta_load(world, &(mica_stream){.read = fail_to_read}), digest);
    for (uint64_t which = 1, done = 0; !done; which++) {
        test_memory_fail_at(&p->to.t.memory, which, TEST_MEMORY_ONWARDS);
        done = load(p) == MICA_OK;
        test_memory_fail_at(&p->to.t.memory, 0, TEST_MEMORY_ONCE);
        if (!done) {
            check_refused(&p->to, MICA_ERROR_MEMORY, p->to.t.error.last.code, digest);
        }
    }
}

// Other worlds to which a delta does not fit.
static void check_schema(ports *p)
{
    static const char *const names[] = {"Place", "Speed", "Tag", "Padded"};
    for (int missing = 0; missing < 3; missing++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        for (int i = 0; i < 4; i++) {
            mica_type_desc desc = MICA_DESCRIBE(Place, x, y); // one field less
            desc.name = names[i];
            if (missing != 1 || i > 0) {
                mica_type_register(world, &desc);
            }
        }
        if (missing == 2) {
            mica_type_desc desc = {.name = "Closed", .size = 4, .align = 4};
            desc.hooks.destruct = destroy;
            mica_type_register(world, &desc);
        }
        mica_result result =
            mica_delta_load(world, &(mica_stream){.data = p->delta.data, .size = p->delta.size});
        CHECK_EQUAL(missing == 2 ? MICA_ERROR_TYPE : MICA_ERROR_SCHEMA, result);
        CHECK_REPORTED(&t, result);
        CHECK_EQUAL(0, mica_entity_count(world));
        test_world_end(&t);
    }
}

// A delta with an entity in a slot that the other world cannot have.
static void check_limit(void)
{
    test_world t, small;
    mica_world *world = test_world_begin(&t);
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(world, NULL));
    mica_snapshot before = mica_snapshot_take(world);
    mica_spawn_at(world, (mica_entity){UINT64_C(1) << 32 | 5000});
    mica_buffer delta = {0};
    REQUIRE_EQUAL(MICA_OK, mica_delta_save(world, before, mica_snapshot_take(world),
                                           &(mica_stream){.buffer = &delta}, NULL));
    test_world_prepare(&small);
    small.desc.max_entities = 4096;
    mica_world *other = test_world_open(&small);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_delta_load(other, &(mica_stream){.buffer = &delta}));
    CHECK_REPORTED(&small, MICA_ERROR_LIMIT);
    CHECK_EQUAL(0, mica_entity_count(other));
    mica_buffer_free(&delta);
    test_world_end(&small);
    test_world_end(&t);
}

// A client goes back to states that rounded deltas have led to, and loads deltas from there.
static void check_remembered(ports *p)
{
    enum { STATES = 64 };
    const mica_delta_field x = {p->from.place, "x", 0.5};
    const mica_delta_desc rounded = {.fields = &x, .field_count = 1};
    mica_snapshot sent[STATES], got[STATES];
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(p->to.world, &(mica_time_desc){.redo = true}));
    for (int i = 0; i < STATES; i++) {
        put(&p->from, 0, 0.3f + (float)i, 0);
        follow(p, &rounded);
        sent[i] = p->before;
        got[i] = mica_snapshot_take(p->to.world);
        CHECK(mica_world_hash(p->from.world) != mica_world_hash(p->to.world));
    }
    put(&p->from, 0, -7, 0);
    mica_snapshot last = mica_snapshot_take(p->from.world);
    for (int i = STATES; i-- > 0;) {
        REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(p->to.world, got[i]));
        REQUIRE_EQUAL(MICA_OK, save(p, sent[i], last, &rounded));
        CHECK_EQUAL(MICA_OK, load(p));
        CHECK(place_of(&p->to, 0).x < -6.9f);
    }
    mica_time_end(p->to.world);
}

static clock_t time_load(ports *p, mica_snapshot base)
{
    clock_t spent = 0;
    for (int i = 0; i < 5; i++) {
        if (!MICA_IS_NONE(base)) {
            REQUIRE_EQUAL(MICA_OK, mica_snapshot_restore(p->to.world, base));
        }
        clock_t began = clock();
        CHECK_EQUAL(MICA_OK, load(p));
        spent += clock() - began;
        if (MICA_IS_NONE(base)) {
            put(&p->to, 0, 1, 1);
        }
    }
    return spent;
}

static void check_load_cost(ports *p)
{
    port *const both[] = {&p->from, &p->to};
    for (int i = 0; i < 20000; i++) {
        for (int k = 0; k < 2; k++) {
            mica_spawn(both[k]->world, MICA_VALUE(both[k]->place, Place, 1, 1, 1));
        }
    }
    put(&p->from, 0, 1, 1);
    put(&p->to, 0, 1, 1);
    p->before = mica_snapshot_take(p->from.world);
    REQUIRE_EQUAL(mica_world_hash(p->from.world), mica_world_hash(p->to.world));
    put(&p->from, 0, 2, 1);
    save_next(p, NULL);
    clock_t everything = time_load(p, (mica_snapshot){0});
    REQUIRE_EQUAL(MICA_OK, mica_time_begin(p->to.world, NULL));
    mica_snapshot base = mica_snapshot_take(p->to.world);
    mica_snapshot_hash(p->to.world, base);
    CHECK(time_load(p, base) < everything / 2);
}

PROMISE(mica_delta_load)
{
    ports p;
    open_ports(&p);
    mica_world *world = p.to.world;

    // [delta.loaded], [delta.observers], [delta.no_time]
    notified = 0;
    mica_observer observer = mica_observer_new(
        world, &(mica_observer_desc){.type = p.to.place,
                                     .events = MICA_ON_SET | MICA_ON_REMOVE | MICA_ON_ADD,
                                     .call = count_event});
    mica_query changed = mica_query_new(
        world, &(mica_query_desc){.terms = {{p.to.place, MICA_READ | MICA_CHANGED}}});
    mica_iter it;
    mica_iter_begin(world, changed, &it);
    mica_iter_end(&it);
    mica_world_tick(world);
    const mica_entity spawned = change_all(&p);
    save_next(&p, NULL);
    check_refused_inside(&p);
    check_load_fails(&p);
    CHECK_EQUAL(mica_world_hash(p.from.world), mica_world_hash(world));
    CHECK_EQUAL(0, notified);
    mica_observer_free(world, observer);

    // [delta.changed]
    uint32_t seen = 0;
    mica_iter_begin(world, changed, &it);
    while (mica_iter_next(&it)) {
        seen += it.count;
    }
    CHECK_EQUAL(1, seen);

    // [delta.handles]
    CHECK(mica_alive(world, spawned));
    CHECK_EQUAL(spawned.bits, mica_entity_find(world, "raft").bits);
    CHECK(!mica_is_enabled(world, spawned, p.to.speed));
    CHECK(!mica_alive(world, p.to.ships[1]));
    for (uint32_t role = 5; role > 2; role--) {
        mica_facet_add_values(p.from.world, spawned, p.from.tag, role, NULL, 0);
    }
    follow(&p, NULL);
    mica_entity facets[2] = {{0}};
    for (int i = 0; i < 3; i++) {
        facets[0] = mica_facet_next(p.from.world, spawned, facets[0]);
        facets[1] = mica_facet_next(world, spawned, facets[1]);
        CHECK_EQUAL(facets[0].bits, facets[1].bits);
    }

    // [delta.padding]
    const Padded padded = {3, 4};
    mica_set(p.from.world, spawned, MICA_COPY_OF(p.from.padded, padded));
    follow(&p, NULL);
    const Padded *got = mica_get(world, spawned, p.to.padded);
    CHECK_EQUAL(3, got->small);
    CHECK_EQUAL(77, got->wide);

    // [delta.base]
    put(&p.from, 0, 9, 9);
    save_next(&p, NULL);
    put(&p.to, 0, 8, 8);
    check_refused(&p.to, MICA_ERROR_BASE, load(&p), mica_world_digest(world));
    put(&p.to, 0, 5, 6);
    CHECK_EQUAL(MICA_OK, load(&p));

    // [delta.remembered]
    check_remembered(&p);
    close_ports(&p);

    // [delta.load_fail]
    open_ports(&p);
    change_all(&p);
    save_next(&p, NULL);
    check_schema(&p);
    check_limit();
    CHECK_EQUAL(MICA_OK, load(&p));

    // [delta.pointers]
    mica_accessor accessor = mica_accessor_new(p.to.world, p.to.padded);
    CHECK(mica_accessor_get(&accessor, p.to.ships[0]) == NULL);
    mica_add(p.from.world, p.from.ships[0], p.from.padded);
    follow(&p, NULL);
    CHECK(mica_accessor_get(&accessor, p.to.ships[0]) != NULL);

    // [delta.load_cost]
    check_load_cost(&p);
    close_ports(&p);
}

TESTS(delta, promise_of_mica_delta_save, promise_of_mica_delta_load,
      a_type_with_a_save_hook_has_no_deltas)
