// A component that is kept in another way while the world runs.
#include <stdlib.h>
#include <string.h>

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

enum { SHEET = 1 << MICA_VIEW_ROW_SHIFT }; // rows

typedef struct Place {
    int32_t x, y;
} Place;

typedef struct Speed {
    double dx;
    float dy;
} Speed;

typedef struct Wide {
    int64_t numbers[8];
} Wide;

// Every storage that values can have, and its name in sentences of tests.
static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
enum { STORAGES = sizeof storages / sizeof *storages, COUNT = 60 };

typedef struct crowd {
    test_world t;
    mica_world *world;
    mica_type place, speed, wide, mark, odd;
    mica_query movers, resting, wides;
    mica_bundle bundle;
    mica_entity e[COUNT];
} crowd;

static mica_type register_as(mica_world *world, mica_type_desc desc, mica_storage storage)
{
    desc.storage = storage;
    desc.toggle = true;
    return mica_type_register(world, &desc);
}

// All have a place, in one table or the other; every third has a speed, of which some are disabled.
static mica_world *crowd_begin(crowd *c, mica_storage storage)
{
    mica_world *world = c->world = test_world_begin(&c->t);
    c->mark = MICA_TAG(world, Mark);
    c->place = register_as(world, MICA_DESCRIBE(Place, x, y), storage);
    c->speed = register_as(world, MICA_DESCRIBE(Speed, dx, dy), storage);
    c->wide = MICA_REGISTER(world, Wide, numbers);
    c->odd = MICA_SPARSE_TAG(world, Odd);
    c->movers = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->place, MICA_WRITE}, {c->speed, MICA_READ}}});
    c->resting = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->place, MICA_READ}, {c->speed, MICA_WITHOUT}}});
    c->wides = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->wide, MICA_WRITE}, {c->speed, MICA_OPTIONAL}}});
    c->bundle = mica_bundle_new(world, (mica_type[]){c->place, c->speed}, 2);
    for (int32_t i = 0; i < COUNT; i++) {
        c->e[i] = mica_spawn(world, MICA_VALUE(c->place, Place, i, -i));
        REQUIRE(i % 3 || !mica_set(world, c->e[i], MICA_VALUE(c->speed, Speed, i, 1)));
        REQUIRE(i % 2 || !mica_add(world, c->e[i], c->mark));
        REQUIRE(i % 4 || !mica_add(world, c->e[i], c->wide));
        REQUIRE(i % 5 || !mica_add(world, c->e[i], c->odd));
        REQUIRE(i % 6 || !mica_disable(world, c->e[i], c->speed));
    }
    return world;
}

static void crowd_end(crowd *c)
{
    test_world_end(&c->t);
}

// Is everything as crowd_begin() left it, but for so many steps of movers?
static void check_crowd(crowd *c, int32_t steps)
{
    mica_world *world = c->world;
    REQUIRE_EQUAL(MICA_OK, mica_world_validate(world));
    for (int32_t i = 0; i < COUNT; i++) {
        Place place;
        Speed speed;
        bool moves = i % 3 == 0 && i % 6 != 0;
        REQUIRE(MICA_LOAD(world, c->e[i], c->place, place));
        CHECK_EQUAL(i + (moves ? steps * i : 0), place.x);
        CHECK_EQUAL(-i, place.y);
        REQUIRE_EQUAL(i % 3 == 0, MICA_LOAD(world, c->e[i], c->speed, speed));
        CHECK(i % 3 || (speed.dx == i && speed.dy == 1));
        CHECK_EQUAL(moves, mica_is_enabled(world, c->e[i], c->speed));
        CHECK_EQUAL(i % 2 == 0, mica_has(world, c->e[i], c->mark));
        CHECK_EQUAL(i % 4 == 0, mica_has(world, c->e[i], c->wide));
        CHECK_EQUAL(i % 5 == 0, mica_has(world, c->e[i], c->odd));
    }
    CHECK_EQUAL(COUNT / 6, mica_query_count(world, c->movers));
    CHECK_EQUAL(COUNT - COUNT / 6, mica_query_count(world, c->resting));
    CHECK_EQUAL(COUNT / 4, mica_query_count(world, c->wides));
    CHECK_EQUAL(COUNT, mica_entity_count(world));
}

static void step(crowd *c)
{
    mica_iter it;
    mica_iter_begin(c->world, c->movers, &it);
    while (mica_iter_next(&it)) {
        mica_write_fields x = MICA_WRITE_FIELD(&it, 0, Place, x);
        mica_read_fields dx = MICA_READ_FIELD(&it, 1, Speed, dx);
        for (uint32_t i = 0; i < it.count; i++) {
            MICA_WRITE_IN(x, i, int32_t) += (int32_t)MICA_READ_IN(dx, i, double);
        }
    }
}

static void set_storage(crowd *c, mica_type type, mica_storage storage)
{
    uint64_t hash = mica_world_hash(c->world);
    REQUIRE_EQUAL(MICA_OK, mica_type_change_storage(c->world, type, storage));
    CHECK_EQUAL(storage, mica_type_get_info(c->world, type)->storage);
    CHECK(hash == mica_world_hash(c->world));
}

static void a_component_can_be_kept_in_every_other_way(void)
{
    for (uint32_t from = 0; from < STORAGES; from++) {
        for (uint32_t to = 0; to < STORAGES; to++) {
            crowd c;
            mica_world *world = crowd_begin(&c, storages[from]);
            check_crowd(&c, 0);
            set_storage(&c, c.speed, storages[to]);
            check_crowd(&c, 0);
            step(&c);
            set_storage(&c, c.place, storages[to]);
            check_crowd(&c, 1);
            step(&c);
            mica_entity made = mica_spawn_bundle(world, c.bundle, NULL, 0);
            CHECK(mica_has(world, made, c.place) && mica_has(world, made, c.speed));
            CHECK_EQUAL(MICA_OK, mica_remove(world, made, c.speed));
            CHECK_EQUAL(MICA_OK, mica_add(world, made, c.speed));
            CHECK_EQUAL(MICA_OK, mica_despawn(world, made));
            set_storage(&c, c.speed, storages[from]);
            set_storage(&c, c.place, storages[from]);
            check_crowd(&c, 2);
            REQUIRE_EQUAL(MICA_OK, mica_world_reclaim(world));
            check_crowd(&c, 2);
            crowd_end(&c);
        }
    }
}

static void accessors_go_on_working(void)
{
    crowd c;
    mica_world *world = crowd_begin(&c, MICA_TABLE);
    mica_accessor in_tables = mica_accessor_new(world, c.speed);
    set_storage(&c, c.speed, MICA_SPARSE);
    mica_accessor in_pool = mica_accessor_new(world, c.speed);
    for (uint32_t round = 0; round < 2; round++) {
        const Speed *a = mica_accessor_get(&in_tables, c.e[3]);
        const Speed *b = mica_accessor_get(&in_pool, c.e[3]);
        CHECK_POINTER(a, b);
        CHECK_POINTER(a, mica_get(world, c.e[3], c.speed));
        CHECK(a && a->dx == 3);
        CHECK_POINTER(NULL, mica_accessor_get(&in_pool, c.e[1]));
        CHECK(!mica_accessor_is_enabled(&in_pool, c.e[6]) &&
              !mica_accessor_is_enabled(&in_tables, c.e[6]));
        CHECK_EQUAL(MICA_OK, mica_accessor_enable(&in_tables, c.e[6]));
        CHECK_EQUAL(MICA_OK, mica_accessor_disable(&in_pool, c.e[6]));
        set_storage(&c, c.speed, MICA_TABLE);
    }
    check_crowd(&c, 0);
    crowd_end(&c);
}

static void to_keep_it_as_it_is_does_nothing(void)
{
    crowd c;
    mica_world *world = crowd_begin(&c, MICA_TABLE);
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, c.speed, MICA_TABLE));
    CHECK(digest == mica_world_digest(world));
    crowd_end(&c);
}

// Who comes in which order.
static uint32_t list(mica_world *world, mica_query query, mica_entity *entities_out)
{
    uint32_t count = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        memcpy(entities_out + count, it.entities, it.count * sizeof *entities_out);
        count += it.count;
    }
    return count;
}

static void between_tables_rows_stay_where_they_are(void)
{
    crowd c;
    mica_world *world = crowd_begin(&c, MICA_TABLE);
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_entity before[COUNT];
    mica_entity after[COUNT];
    uint64_t digest = mica_world_digest(world);
    uint64_t moves = mica_world_get_stats(world).row_moves;
    list(world, all, before);
    set_storage(&c, c.place, MICA_SPLIT);
    CHECK(digest != mica_world_digest(world)); // which sees what is split
    CHECK_EQUAL(moves, mica_world_get_stats(world).row_moves);
    REQUIRE_EQUAL(COUNT, list(world, all, after));
    CHECK_BYTES(before, after, sizeof before);
    set_storage(&c, c.place, MICA_TABLE);
    CHECK(digest == mica_world_digest(world)); // ticks and tables, too
    crowd_end(&c);
}

TEST_WITH(test_world, t, tables_that_differ_in_it_alone_become_one_and_two_again)
{
    mica_world *world = t->world;
    mica_type place = MICA_REGISTER(world, Place, x, y);
    mica_type speed = MICA_REGISTER(world, Speed, dx, dy);
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_entity e[4];
    for (int32_t i = 0; i < 4; i++) {
        e[i] = i % 2 ? mica_spawn(world, MICA_VALUE(place, Place, i, i),
                                  MICA_VALUE(speed, Speed, i, 0))
                     : mica_spawn(world, MICA_VALUE(place, Place, i, i));
    }
    uint32_t tables = mica_world_get_stats(world).tables;
    REQUIRE_EQUAL(MICA_OK, mica_type_change_storage(world, speed, MICA_SPARSE));
    CHECK_EQUAL(tables - 1, mica_world_get_stats(world).tables);
    mica_entity is[4];
    REQUIRE_EQUAL(4, list(world, all, is));
    CHECK(is[0].bits == e[0].bits && is[1].bits == e[2].bits);
    REQUIRE_EQUAL(MICA_OK, mica_type_change_storage(world, speed, MICA_TABLE));
    CHECK_EQUAL(tables, mica_world_get_stats(world).tables);
    REQUIRE_EQUAL(4, list(world, all, is));
    CHECK(is[0].bits == e[0].bits && is[1].bits == e[2].bits);
    for (int32_t i = 1; i < 4; i += 2) {
        const Speed *s = mica_get(world, e[i], speed);
        CHECK(s && s->dx == i);
    }
}

static void only_move_hooks_are_called(void)
{
    static tracker track;
    for (uint32_t has_move = 0; has_move < 2; has_move++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        tracker_begin(&track);
        mica_type_desc desc = tracked_desc(&track, "Tracked", has_move);
        mica_type type = mica_type_register(world, &desc);
        mica_type mark = MICA_TAG(world, Mark);
        mica_entity e[COUNT];
        for (int32_t i = 0; i < COUNT; i++) {
            e[i] = i % 2 ? mica_spawn(world, MICA_ADD(type), MICA_ADD(mark))
                         : mica_spawn(world, MICA_ADD(type));
        }
        mica_spawn(world, MICA_ADD(mark));
        static const mica_storage tour[] = {MICA_SPARSE, MICA_TABLE, MICA_RING,
                                            MICA_SPARSE, MICA_RING,  MICA_TABLE};
        for (uint32_t i = 0; i < sizeof tour / sizeof tour[0]; i++) {
            track.constructs = track.destructs = track.copies = track.moves = 0;
            REQUIRE_EQUAL(MICA_OK, mica_type_change_storage(world, type, tour[i]));
            CHECK_EQUAL(0, track.constructs + track.destructs + track.copies);
            uint32_t times = tour[i] == MICA_RING ? 2 : 1; // which is settled then
            CHECK_EQUAL(has_move ? times * COUNT : 0, track.moves);
            CHECK_TRACKED(&track, COUNT);
            for (uint32_t n = 0; n < COUNT; n++) {
                CHECK(tracked_is(&track, mica_get(world, e[n], type), TRACKED_DEFAULT));
            }
        }
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_type_change_storage(world, type, MICA_SPLIT));
        CHECK_ERROR(&t, MICA_ERROR_ARGUMENT,
                    "mica_type_change_storage: 'Tracked' has hooks, which work on whole values; it "
                    "cannot be split");
        test_world_end(&t);
        CHECK_TRACKED(&track, 0);
    }
}

static void what_cannot_be_is_refused(void)
{
    crowd c;
    mica_world *world = crowd_begin(&c, MICA_SPARSE);
    mica_type_desc desc = MICA_DESCRIBE(Wide, numbers);
    desc.storage = MICA_SPARSE;
    desc.name = "Lasting";
    desc.stable = true;
    mica_type lasting = mica_type_register(world, &desc);
    uint64_t digest = mica_world_digest(world);
    mica_type_change_storage(world, c.mark, MICA_SPARSE);
    CHECK_ERROR(&c.t, MICA_ERROR_ARGUMENT,
                "mica_type_change_storage: 'Mark' is a tag and has no values that could be kept "
                "elsewhere");
    mica_type_change_storage(world, c.place, MICA_STORAGE_COUNT);
    CHECK_ERROR(&c.t, MICA_ERROR_ARGUMENT,
                "mica_type_change_storage: there is no storage 4 (of 'Place')");
    mica_type_change_storage(world, lasting, MICA_TABLE);
    CHECK_ERROR(&c.t, MICA_ERROR_STORAGE,
                "mica_type_change_storage: 'Lasting' is stable: its values stay where they are");
    mica_iter it;
    mica_iter_begin(world, c.movers, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_type_change_storage(world, c.place, MICA_TABLE));
    CHECK_EQUAL(1, test_error_clear(&c.t.error));
    mica_iter_end(&it);
    CHECK(digest == mica_world_digest(world));
    mica_group group = mica_group_new(
        world, &(mica_group_desc){.owned = {c.place}, .required = {c.speed}, .name = "crowd"});
    REQUIRE(!MICA_IS_NONE(group));
    digest = mica_world_digest(world);
    mica_type_change_storage(world, c.place, MICA_TABLE);
    CHECK_ERROR(&c.t, MICA_ERROR_OWNED, "mica_type_change_storage: 'Place' is in group 'crowd'");
    mica_type_change_storage(world, c.speed, MICA_SPLIT);
    CHECK_ERROR(&c.t, MICA_ERROR_OWNED, "mica_type_change_storage: 'Speed' is in group 'crowd'");
    CHECK(digest == mica_world_digest(world));
    REQUIRE_EQUAL(MICA_OK, mica_group_free(world, group));
    CHECK_EQUAL(MICA_SPARSE, mica_type_get_info(world, c.place)->storage);
    CHECK_EQUAL(MICA_SPARSE, mica_type_get_info(world, c.speed)->storage);
    check_crowd(&c, 0);
    crowd_end(&c);
}

// Every allocation refused in turn, and only that one, or all from then on.
static void change_without_memory(mica_storage from, mica_storage to, test_memory_mode mode)
{
    crowd c;
    mica_world *world = crowd_begin(&c, from);
    uint64_t hash = mica_world_hash(world);
    uint64_t digest = mica_world_digest(world);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        REQUIRE(k < 2000);
        test_memory_fail_at(&c.t.memory, k, mode);
        result = mica_type_change_storage(world, c.speed, to);
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(result != MICA_OK, test_error_clear(&c.t.error));
        if (result) {
            REQUIRE_EQUAL(MICA_ERROR_MEMORY, result);
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(world));
            REQUIRE(digest == mica_world_digest(world));
            REQUIRE_EQUAL(from, mica_type_get_info(world, c.speed)->storage);
        }
    }
    CHECK(hash == mica_world_hash(world));
    check_crowd(&c, 0);
    crowd_end(&c);
}

static void without_memory_everything_stays_as_it_was(void)
{
    for (uint32_t from = 0; from < STORAGES; from++) {
        for (uint32_t to = 0; to < STORAGES; to++) {
            if (from != to) {
                change_without_memory(storages[from], storages[to], TEST_MEMORY_ONCE);
                change_without_memory(storages[from], storages[to], TEST_MEMORY_ONWARDS);
            }
        }
    }
}

// Where the table that others come to has `room` for that many rows already, and the last of its sheets is small. Every
// allocation is refused in turn.
static void change_into_room(uint32_t room)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.storage = MICA_RING;
    mica_type place = mica_type_register(world, &desc);
    mica_type speed = MICA_REGISTER(world, Speed, dx, dy);
    mica_bundle alone = mica_bundle_new(world, &place, 1);
    mica_bundle both = mica_bundle_new(world, (mica_type[]){place, speed}, 2);
    mica_entity *made = malloc(room * sizeof *made);
    REQUIRE(made);
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, alone, room, NULL, 0, made));
    REQUIRE_EQUAL(MICA_OK, mica_world_reclaim(world)); // the last sheet becomes small
    for (uint32_t i = 2; i < room; i++) {
        REQUIRE_EQUAL(MICA_OK, mica_despawn(world, made[i]));
    }
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, both, 6 * SHEET, NULL, 0, NULL));
    uint64_t hash = mica_world_hash(world);
    uint64_t digest = mica_world_digest(world);
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        REQUIRE(k < 2000);
        test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
        result = mica_type_change_storage(world, speed, MICA_SPARSE);
        test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(result != MICA_OK, test_error_clear(&t.error));
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(world));
        REQUIRE(!result || digest == mica_world_digest(world));
    }
    CHECK(hash == mica_world_hash(world));
    free(made);
    test_world_end(&t);
}

static void rows_come_to_a_table_that_has_room_behind_a_small_sheet(void)
{
    change_into_room(2 * SHEET + SHEET / 4);
    change_into_room(3 * SHEET + SHEET / 4);
}

// How a world is laid out whose component changes: in how many tables, and how many have it in each.
typedef struct crowding {
    uint32_t tables;
    uint32_t one_in; // of so many entities, side by side, one has it
    mica_storage neighbour;
} crowding;

typedef struct Neighbour {
    int64_t numbers[32];
} Neighbour;

enum { MANY = 24000 };

// The bytes that changing the storage takes beside what there was, at most.
static size_t measure_change(crowding how, mica_storage from, mica_storage to)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type tags[] = {MICA_TAG(world, A), MICA_TAG(world, B), MICA_TAG(world, C)};
    mica_type_desc desc = MICA_DESCRIBE(Neighbour, numbers);
    desc.storage = how.neighbour;
    mica_type neighbour = mica_type_register(world, &desc);
    desc = MICA_DESCRIBE(Place, x, y);
    desc.storage = from;
    mica_type place = mica_type_register(world, &desc);
    for (uint32_t n = 0; n < how.tables; n++) {
        mica_bundle bundle = mica_bundle_new(world, (mica_type[]){neighbour, tags[n]}, 2);
        uint32_t count = MANY / how.tables * how.one_in;
        mica_entity *made = malloc(count * sizeof *made);
        REQUIRE(made);
        REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, count, NULL, 0, made));
        for (uint32_t i = 0; i < count; i += how.one_in) {
            REQUIRE_EQUAL(MICA_OK, mica_set(world, made[i], MICA_VALUE(place, Place, 1, 2)));
        }
        free(made);
    }
    REQUIRE_EQUAL(MICA_OK, mica_world_reclaim(world));
    size_t before = t.memory.bytes;
    t.memory.peak_bytes = before;
    REQUIRE_EQUAL(MICA_OK, mica_type_change_storage(world, place, to));
    size_t beside = t.memory.peak_bytes - before;
    REQUIRE_EQUAL(MICA_OK, mica_world_validate(world));
    test_world_end(&t);
    return beside;
}

// Each to each: the values in their new place, with so much beside, lists of sheets, and so many sheets of rows for each
// table. In pools, 8 bytes per value say whose it is; 12 per entity, that it has one, and where.
static void check_change(crowding how, size_t beside_value, size_t sheets)
{
    size_t values = sizeof(Place) + beside_value + 8 + 12 * (size_t)how.one_in;
    size_t sheet = ((size_t)1 << MICA_VIEW_ROW_SHIFT) * (sizeof(Neighbour) + sizeof(Place) + 16);
    for (uint32_t from = 0; from < STORAGES; from++) {
        for (uint32_t to = 0; to < STORAGES; to++) {
            if (from == to) {
                continue;
            }
            size_t beside = measure_change(how, storages[from], storages[to]);
            size_t most = MANY * values + how.tables * sheets * sheet + 65536;
            if (beside > most) {
                test_fail(__FILE__, __LINE__, "from %d to %d: %d bytes per value, at most %d",
                          (int)storages[from], (int)storages[to], (int)(beside / MANY),
                          (int)(most / MANY));
            }
            CHECK(beside > 0);
        }
    }
}

static void the_memory_beside_is_one_copy_of_the_values(void)
{
    if (MICA_VIEW_ROW_SHIFT < 10) {
        SKIP("tables in small parts weigh more");
    }
    check_change((crowding){1, 1, MICA_TABLE}, 0, 0);
    check_change((crowding){3, 1, MICA_SPLIT}, 0, 0);
}

static void it_is_if_only_some_have_the_component_but_for_a_few_rows(void)
{
    if (MICA_VIEW_ROW_SHIFT < 10) {
        SKIP("tables in small parts weigh more");
    }
    check_change((crowding){1, 5, MICA_TABLE}, sizeof(mica_entity), 3);
    check_change((crowding){3, 2, MICA_TABLE}, sizeof(mica_entity), 3);
}

static void values_in_rings_of_other_components_come_to_that_where_rows_move(void)
{
    if (MICA_VIEW_ROW_SHIFT < 10) {
        SKIP("tables in small parts weigh more");
    }
    check_change((crowding){2, 1, MICA_RING}, sizeof(Neighbour) + sizeof(mica_entity), 3);
    check_change((crowding){2, 2, MICA_RING}, sizeof(Neighbour) + sizeof(mica_entity), 3);
}

// The same tape twice; in one world components are kept in another way now and then.

typedef struct twin {
    crowd c;
    mica_entity list[256];
    uint32_t count;
} twin;

static uint32_t next(uint64_t *state, uint32_t end)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % end;
}

static void tape(twin *w, uint32_t op, uint32_t pick, int32_t n)
{
    mica_world *world = w->c.world;
    mica_entity *e = w->count > 0 ? &w->list[pick % w->count] : NULL;
    const mica_type types[] = {w->c.place, w->c.speed, w->c.wide, w->c.mark, w->c.odd};
    mica_type any = types[pick / 7 % 5];
    if (!e || (op == 0 && w->count < 200)) {
        w->list[w->count++] = mica_spawn(world, MICA_VALUE(w->c.place, Place, n, n));
        return;
    }
    switch (op) {
    case 1: mica_set(world, *e, MICA_VALUE(w->c.speed, Speed, n % 9, 2)); break;
    case 2: mica_remove(world, *e, any); break;
    case 3: mica_add(world, *e, any); break;
    case 4:
        mica_despawn(world, *e);
        *e = w->list[--w->count];
        break;
    case 5: step(&w->c); break;
    case 6: mica_disable(world, *e, pick % 2 ? w->c.speed : w->c.place); break;
    case 7: mica_enable(world, *e, pick % 2 ? w->c.speed : w->c.place); break;
    case 8: mica_add_all(world, w->c.resting, any, NULL); break;
    case 9: mica_remove_all(world, w->c.wides, any, NULL); break;
    case 10:
        if (w->count < 250) {
            w->list[w->count++] = mica_clone(world, *e);
        }
        break;
    case 11:
        if (w->count < 200) {
            mica_spawn_many(world, w->c.bundle, 3, NULL, 0, w->list + w->count);
            w->count += 3;
        }
        break;
    case 12: mica_bundle_reserve(world, w->c.bundle, pick % 40); break;
    default: mica_world_reclaim(world);
    }
}

static void a_world_whose_storages_change_is_the_same_as_one_whose_do_not(void)
{
    static twin twins[2];
    uint64_t random = 3;
    for (uint32_t w = 0; w < 2; w++) {
        crowd_begin(&twins[w].c, MICA_TABLE);
        twins[w].count = 0;
    }
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t op = next(&random, 14);
        uint32_t pick = next(&random, 10000);
        uint32_t errors[2];
        for (uint32_t w = 0; w < 2; w++) {
            tape(&twins[w], op, pick, (int32_t)(i % 1000));
            errors[w] = test_error_clear(&twins[w].c.t.error);
        }
        REQUIRE_EQUAL(errors[0], errors[1]);
        if (next(&random, 10) == 0) {
            crowd *c = &twins[1].c;
            const mica_type types[] = {c->place, c->speed, c->wide};
            mica_type type = types[next(&random, 3)];
            set_storage(c, type, storages[next(&random, STORAGES)]);
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(c->world));
        }
        REQUIRE(mica_world_hash(twins[0].c.world) == mica_world_hash(twins[1].c.world));
    }
    crowd_end(&twins[0].c);
    crowd_end(&twins[1].c);
}

TESTS(storage, a_component_can_be_kept_in_every_other_way, accessors_go_on_working,
      to_keep_it_as_it_is_does_nothing, between_tables_rows_stay_where_they_are,
      tables_that_differ_in_it_alone_become_one_and_two_again, only_move_hooks_are_called,
      what_cannot_be_is_refused, without_memory_everything_stays_as_it_was,
      rows_come_to_a_table_that_has_room_behind_a_small_sheet,
      the_memory_beside_is_one_copy_of_the_values,
      it_is_if_only_some_have_the_component_but_for_a_few_rows,
      values_in_rings_of_other_components_come_to_that_where_rows_move,
      a_world_whose_storages_change_is_the_same_as_one_whose_do_not)
