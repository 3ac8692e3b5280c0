// Components in rings, through the public functions: what mica/type.h, mica/query.h and mica/debug.h say
// of them. Rings by themselves have tests in unit/store/table.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "query/query.h"
#include "runner/test.h"
#include "runner/world.h"
#include "store/table/row.h"
#include "unit/tracked.h"

typedef struct Heat {
    int64_t degrees;
} Heat;

typedef struct Mass {
    int32_t grams;
} Mass;

typedef struct Charge {
    int32_t units[3];
} Charge;

enum { MARKS = 5, MANY = 3000 };

typedef struct fixture {
    test_world t;
    mica_world *world;
    mica_type heat, mass, charge; // in rings
    mica_type plain;              // in tables
    mica_type marks[MARKS];
    mica_query sweep; // heat read, without entities
    mica_query heats; // heat read
} fixture;

static mica_world *begin(fixture *f)
{
    static const char *const names[MARKS] = {"Mark0", "Mark1", "Mark2", "Mark3", "Mark4"};
    mica_world *world = f->world = f->t.world ? f->t.world : test_world_begin(&f->t);
    f->heat = MICA_REGISTER_RING(world, Heat, degrees);
    f->mass = MICA_REGISTER_RING(world, Mass, grams);
    mica_type_desc charge = MICA_DESCRIBE(Charge, units);
    charge.storage = MICA_RING;
    f->charge = mica_type_register(world, &charge);
    f->plain = mica_type_register(world, &(mica_type_desc){.name = "Plain", .size = 8, .align = 8});
    for (uint32_t i = 0; i < MARKS; i++) {
        f->marks[i] = mica_type_register(world, &(mica_type_desc){.name = names[i]});
    }
    f->sweep = mica_query_new(
        world, &(mica_query_desc){.terms = {{f->heat, MICA_READ}}, .no_entities = true});
    f->heats = mica_query_new(world, &(mica_query_desc){.terms = {{f->heat, MICA_READ}}});
    return world;
}

static mica_world *start(fixture *f)
{
    f->t.world = NULL;
    return begin(f);
}

static void end(fixture *f)
{
    test_world_end(&f->t);
}

// An entity that has heat, and some of the marks: the bits of `marks`.
static mica_entity spawn(const fixture *f, uint32_t marks, int64_t degrees)
{
    const Heat heat = {degrees};
    mica_value values[1 + MARKS] = {{f->heat, &heat, sizeof heat, 1, NULL}};
    uint32_t count = 1;
    for (uint32_t i = 0; i < MARKS; i++) {
        if (marks >> i & 1) {
            values[count++] = (mica_value){.type = f->marks[i], .count = 1};
        }
    }
    return mica_spawn_values(f->world, values, count);
}

static int64_t degrees_of(const fixture *f, mica_entity entity)
{
    const Heat *heat = mica_get(f->world, entity, f->heat);
    return heat ? heat->degrees : -1;
}

typedef struct total {
    uint32_t segments;
    uint32_t rows;
    int64_t sum;
    bool entities; // some segment shows them
} total;

static total add_up(const fixture *f, mica_query query)
{
    total found = {0};
    mica_iter it;
    mica_iter_begin(f->world, query, &it);
    while (mica_iter_next(&it)) {
        const Heat *heat = mica_read(&it, 0);
        found.segments++;
        found.rows += it.count;
        found.entities = found.entities || it.entities;
        for (uint32_t i = 0; i < it.count; i++) {
            found.sum += heat[i].degrees;
        }
    }
    return found;
}

static const micai_ring *ring_of(const fixture *f, mica_type type)
{
    const micai_rings *rings = &f->world->state->store.rings;
    for (uint32_t i = 0; i < rings->list.count; i++) {
        if (MICA_EQUAL(rings->list.items[i]->type->info.type, type)) {
            return rings->list.items[i];
        }
    }
    return NULL;
}

static bool is_settled(const fixture *f, mica_type type)
{
    const micai_ring *ring = ring_of(f, type);
    return !ring || !ring->fragmented;
}

// S4.1
static void a_sweep_over_all_sets_of_components_is_one_segment(void)
{
    fixture f;
    start(&f);
    int64_t sum = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        spawn(&f, i % 32, i);
        sum += i;
    }
    CHECK(add_up(&f, f.heats).segments >= 32);
    total before = add_up(&f, f.sweep);
    CHECK(before.segments >= 32 && before.rows == MANY && before.sum == sum);
    CHECK_EQUAL(MICA_OK, mica_world_compact(f.world));
    total after = add_up(&f, f.sweep);
    CHECK(after.segments == 1 && after.rows == MANY && after.sum == sum && !after.entities);
    total by_tables = add_up(&f, f.heats);
    CHECK(by_tables.segments >= 32 && by_tables.rows == MANY && by_tables.sum == sum);
    CHECK(by_tables.entities);
    CHECK_EQUAL(MANY, mica_query_count(f.world, f.sweep));
    end(&f);
}

static void what_a_sweep_writes_is_written_and_counts_as_a_change(void)
{
    fixture f;
    start(&f);
    mica_entity entities[64];
    for (uint32_t i = 0; i < 64; i++) {
        entities[i] = spawn(&f, i % 7, i);
    }
    mica_query warm = mica_query_new(
        f.world, &(mica_query_desc){.terms = {{f.heat, MICA_WRITE}}, .no_entities = true});
    uint64_t digests[2];
    for (uint32_t settled = 0; settled < 2; settled++) {
        f.world->view.tick++;
        mica_iter it;
        mica_iter_begin(f.world, warm, &it);
        while (mica_iter_next(&it)) {
            Heat *heat = mica_write(&it, 0);
            for (uint32_t i = 0; i < it.count; i++) {
                heat[i].degrees += 100;
            }
        }
        for (uint32_t i = 0; i < 64; i++) {
            CHECK_EQUAL(i + 100 * (settled + 1), degrees_of(&f, entities[i]));
            const micai_state *state = f.world->state;
            micai_row row =
                micai_row_of(&state->store, micai_slots_find(&state->slots, entities[i]));
            uint32_t stop;
            CHECK_EQUAL(f.world->view.tick,
                        micai_table_tick(micai_row_table(row), 1, micai_row_number(row), &stop));
        }
        digests[settled] = mica_world_digest(f.world);
        CHECK_EQUAL(MICA_OK, mica_world_compact(f.world));
    }
    CHECK(digests[0] != digests[1]);
    end(&f);
}

// Of every loop there is.
static void a_query_without_entities_shows_none_whatever_its_terms(void)
{
    fixture f;
    start(&f);
    mica_type loose = mica_type_register(
        f.world, &(mica_type_desc){.name = "L", .storage = MICA_SPARSE, .size = 4, .align = 4});
    mica_type off = mica_type_register(
        f.world, &(mica_type_desc){.name = "Off", .size = 4, .align = 4, .toggle = true});
    for (uint32_t i = 0; i < 40; i++) {
        mica_entity entity = spawn(&f, i % 3, i);
        mica_add(f.world, entity, f.plain);
        mica_add(f.world, entity, loose);
        mica_add(f.world, entity, off);
        if (i % 3 == 0) {
            mica_disable(f.world, entity, off);
        }
    }
    const mica_type types[] = {f.plain, loose, off, f.heat};
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t with = 0; with < 2; with++) {
            mica_query query = mica_query_new(
                f.world,
                &(mica_query_desc){.terms = {{types[i], MICA_READ}, {f.marks[0], MICA_OPTIONAL}},
                                   .no_entities = !with});
            mica_iter it;
            mica_iter_begin(f.world, query, &it);
            CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
            uint32_t rows = 0;
            while (mica_iter_next(&it)) {
                CHECK_EQUAL(with, it.entities != NULL);
                CHECK(mica_read(&it, 0) != NULL);
                rows += it.count;
            }
            CHECK_EQUAL(i == 2 ? 26 : 40, rows);
        }
    }
    end(&f);
}

// S4.5: of the entities that were there, who has another address?
static uint32_t count_moved(const fixture *f, const mica_entity *entities, const void **where,
                            uint32_t count)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < count; i++) {
        const void *now =
            mica_alive(f->world, entities[i]) ? mica_get(f->world, entities[i], f->heat) : NULL;
        moved += now && where[i] && now != where[i];
        where[i] = now;
    }
    return moved;
}

// S4.5
static void an_entity_that_comes_or_goes_moves_no_values_but_the_last_of_its_own_table(void)
{
    fixture f;
    start(&f);
    enum { COUNT = 60 };
    mica_entity entities[2 * COUNT];
    const void *where[2 * COUNT] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        entities[i] = spawn(&f, i % 3, i);
    }
    mica_bundle three = mica_bundle_new(f.world, (mica_type[]){f.heat, f.marks[0]}, 2);
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(f.world, three, COUNT));
    CHECK_EQUAL(MICA_OK, mica_world_compact(f.world));
    count_moved(&f, entities, where, COUNT);
    uint64_t moves = mica_world_get_stats(f.world).ring_moves;
    for (uint32_t i = 0; i < COUNT; i++) { // of the second set
        entities[COUNT + i] = spawn(&f, 1, 1000 + i);
        CHECK_EQUAL(0, count_moved(&f, entities, where, COUNT + i));
        count_moved(&f, entities, where, COUNT + i + 1);
    }
    for (uint32_t i = 0; i < 2 * COUNT; i += 3) {
        CHECK_EQUAL(MICA_OK, mica_despawn(f.world, entities[i]));
        CHECK(count_moved(&f, entities, where, 2 * COUNT) <= 1);
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    }
    CHECK_EQUAL(moves, mica_world_get_stats(f.world).ring_moves);
    CHECK_EQUAL(MICA_OK, mica_world_compact(f.world));
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        if (mica_alive(f.world, entities[i])) {
            CHECK_EQUAL(i < COUNT ? i : 1000 + i - COUNT, degrees_of(&f, entities[i]));
        }
    }
    CHECK_EQUAL(1, add_up(&f, f.sweep).segments);
    end(&f);
}

// S4.5
static void changes_are_refused_while_a_ring_is_iterated(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_entity entity = spawn(&f, 0, 1);
    mica_iter it;
    mica_iter_begin(world, f.sweep, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, entity));
    test_error_clear(&f.t.error);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_world_compact(world));
    CHECK_ERROR(
        &f.t, MICA_ERROR_ITERATING,
        "mica_world_compact: refused while a query of 'Heat' is being iterated; do it "
        "afterwards, or end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    CHECK(!mica_iter_next(&it));
    end(&f);
}

// S4.6
static void an_entity_takes_its_values_along_from_set_to_set(void)
{
    fixture f;
    mica_world *world = start(&f);
    enum { COUNT = 50 };
    mica_entity entities[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        entities[i] = spawn(&f, 0, i);
        mica_set_value(world, entities[i], f.mass, &(Mass){(int32_t)i}, sizeof(Mass));
    }
    for (uint32_t round = 0; round < 40; round++) {
        for (uint32_t i = round % 3; i < COUNT; i += 3) {
            mica_type mark = f.marks[(round + i) % MARKS];
            CHECK_EQUAL(MICA_OK, mica_has(world, entities[i], mark)
                                     ? mica_remove(world, entities[i], mark)
                                     : mica_add(world, entities[i], mark));
        }
        if (round % 4 == 3) {
            mica_world_compact(world);
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            const Mass *mass = mica_get(world, entities[i], f.mass);
            CHECK_EQUAL(i, degrees_of(&f, entities[i]));
            CHECK_EQUAL(i, mass ? mass->grams : -1);
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    end(&f);
}

// S4.7
static void a_query_knows_the_runs_of_sets_that_appear_and_of_no_others(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_query both = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.heat, MICA_READ}, {f.marks[1], MICA_WITH}}});
    for (uint32_t marks = 0; marks < 16; marks++) {
        uint32_t tables = mica_world_get_stats(world).tables;
        spawn(&f, marks, marks);
        CHECK_EQUAL(tables + 1, mica_world_get_stats(world).tables);
        uint32_t expected = 0;
        for (uint32_t seen = 0; seen <= marks; seen++) {
            expected += seen >> 1 & 1;
        }
        CHECK_EQUAL(expected, add_up(&f, both).rows);
        CHECK_EQUAL(marks + 1, ring_of(&f, f.heat)->runs.count);
    }
    mica_despawn_all(world, both, NULL);
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(8, ring_of(&f, f.heat)->runs.count);
    CHECK_EQUAL(8, add_up(&f, f.sweep).rows);
    end(&f);
}

// The scheme of three components and six sets of them.

static mica_entity spawn_of(const fixture *f, bool heat, bool mass, bool charge, uint32_t number)
{
    const Heat h = {number};
    const Mass m = {(int32_t)number};
    const Charge c = {{(int32_t)number, 0, (int32_t)number}};
    mica_value values[3];
    uint32_t count = 0;
    if (heat) {
        values[count++] = (mica_value){f->heat, &h, sizeof h, 1, NULL};
    }
    if (mass) {
        values[count++] = (mica_value){f->mass, &m, sizeof m, 1, NULL};
    }
    if (charge) {
        values[count++] = (mica_value){f->charge, &c, sizeof c, 1, NULL};
    }
    return mica_spawn_values(f->world, values, count);
}

static void spawn_rows(const fixture *f, bool heat, bool mass, bool charge, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        spawn_of(f, heat, mass, charge, i);
    }
}

static const micai_run *run_of(const fixture *f, mica_type type, mica_entity entity)
{
    const micai_state *state = f->world->state;
    micai_row row = micai_row_of(&state->store, micai_slots_find(&state->slots, entity));
    const micai_table *table = micai_row_table(row);
    uint32_t column = micai_table_column(table, micai_stamp_number(type.bits));
    return &((const micai_ring_slice *)*micai_layout_outside(&table->layout, column))->run;
}

// S4.8
static void rings_that_are_not_aligned_are_iterated_in_two_steps_as_drawn(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_entity others[40]; // that leave room behind
    for (uint32_t i = 0; i < 40; i++) {
        others[i] = spawn_of(&f, true, true, true, 0);
        mica_add(world, others[i], f.marks[0]);
    }
    CHECK_EQUAL(MICA_OK, mica_world_compact(world));
    mica_despawn_many(world, others, 40);
    mica_despawn(world, spawn_of(&f, false, true, true, 0)); // red comes first, and is empty
    spawn_rows(&f, true, true, true, 3);                     // yellow
    mica_entity blue = spawn_of(&f, true, true, false, 0);
    for (uint32_t i = 1; i < 5; i++) {
        spawn_of(&f, true, true, false, i);
    }
    CHECK_EQUAL(MICA_OK, mica_world_compact(world));
    spawn_rows(&f, true, false, false, 3); // green
    spawn_rows(&f, false, true, true, 3);  // red
    spawn_rows(&f, false, true, false, 5); // orange
    spawn_rows(&f, false, false, true, 6); // purple
    CHECK_EQUAL(MICA_OK, mica_world_compact(world));
    CHECK_EQUAL(0, run_of(&f, f.heat, blue)->tip);
    CHECK_EQUAL(2, run_of(&f, f.mass, blue)->tip);
    mica_query both = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.heat, MICA_READ}, {f.mass, MICA_WRITE}}});
    static const uint32_t counts[] = {3, 3, 2};
    uint32_t segments = 0;
    uint32_t next = 0;
    mica_iter it;
    mica_iter_begin(world, both, &it);
    while (mica_iter_next(&it)) {
        const Heat *heat = mica_read(&it, 0);
        const Mass *mass = mica_write(&it, 1);
        REQUIRE(segments < 3);
        if (MICA_VIEW_ROW_SHIFT > 4) { // in a library with tiny pages entities are cut, too
            CHECK_EQUAL(counts[segments], it.count);
            segments++;
        }
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_EQUAL(next % 8 < 3 ? next % 8 : next % 8 - 3, heat[i].degrees);
            CHECK_EQUAL(heat[i].degrees, mass[i].grams);
            next++;
        }
    }
    CHECK_EQUAL(8, next);
    end(&f);
}

// S4.8: N rings add at most N cuts to what a table has without them.
static void each_ring_adds_at_most_one_cut_to_a_table(void)
{
    fixture f;
    mica_world *world = start(&f);
    uint64_t random = 5;
    mica_query three = mica_query_new(
        world, &(mica_query_desc){
                   .terms = {{f.heat, MICA_READ}, {f.mass, MICA_READ}, {f.charge, MICA_READ}}});
    mica_query none = mica_query_new(
        world, &(mica_query_desc){
                   .terms = {{f.heat, MICA_WITH}, {f.mass, MICA_WITH}, {f.charge, MICA_WITH}}});
    uint32_t cuts = 0;
    for (uint32_t round = 0; round < 60; round++) {
        for (uint32_t i = 0; i < 20; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            uint32_t sets = (uint32_t)(random >> 40) % 8;
            mica_entity entity = spawn_of(&f, sets % 4 != 1, sets % 4 != 2, sets % 4 != 3, i);
            if (sets > 3) {
                mica_add(world, entity, f.marks[sets % MARKS]);
            }
        }
        CHECK_EQUAL(MICA_OK, mica_world_compact(world));
        uint32_t segments = 0;
        uint32_t plain = 0;
        mica_iter it;
        for (mica_iter_begin(world, three, &it); mica_iter_next(&it); segments++) {
            const Heat *heat = mica_read(&it, 0);
            const Mass *mass = mica_read(&it, 1);
            const Charge *charge = mica_read(&it, 2);
            for (uint32_t i = 0; i < it.count; i++) {
                CHECK(heat[i].degrees == mass[i].grams && mass[i].grams == charge[i].units[2]);
            }
        }
        for (mica_iter_begin(world, none, &it); mica_iter_next(&it); plain++) {
        }
        uint32_t tables = micai_query_look_up(world, three)->tables.count;
        CHECK(segments <= plain + 3 * tables);
        cuts += segments - plain;
    }
    CHECK(cuts > 0);
    end(&f);
}

static void idle(mica_iter *it)
{
    (void)it;
}

static void a_step_settles_before_its_systems_run(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_system_add(
        world,
        &(mica_system_desc){.name = "idle", .update = idle, .query.terms = {{f.heat, MICA_READ}}});
    for (uint32_t i = 0; i < 30; i++) {
        spawn(&f, i % 4, i);
    }
    CHECK(!is_settled(&f, f.heat));
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.1));
    CHECK(is_settled(&f, f.heat));
    end(&f);
}

static void calls_that_change_many_settle_if_they_change_as_many_as_there_are_runs(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_entity entities[16];
    for (uint32_t i = 0; i < 16; i++) {
        entities[i] = spawn(&f, i, i);
    }
    mica_bundle bundle = mica_bundle_new(world, (mica_type[]){f.heat}, 1);
    mica_spawn_many(world, bundle, 15, NULL, 0, NULL);
    CHECK(!is_settled(&f, f.heat));
    mica_spawn_many(world, bundle, 16, NULL, 0, NULL);
    CHECK(is_settled(&f, f.heat));
    mica_despawn(world, entities[3]);
    CHECK(!is_settled(&f, f.heat));
    mica_despawn_many(world, entities, 3); // twice the fourth would be an error
    CHECK(!is_settled(&f, f.heat));
    mica_add_all(world, f.heats, f.mass, NULL);
    CHECK(is_settled(&f, f.heat) && is_settled(&f, f.mass));
    mica_remove_all(world, f.heats, f.mass, NULL);
    CHECK(is_settled(&f, f.heat) && is_settled(&f, f.mass));
    mica_set_all(world, f.heats, f.charge, &(Charge){{1, 2, 3}}, sizeof(Charge), NULL);
    CHECK(is_settled(&f, f.heat) && is_settled(&f, f.charge));
    mica_despawn_all(world, f.heats, NULL);
    CHECK(is_settled(&f, f.heat) && is_settled(&f, f.charge));
    spawn(&f, 3, 3);
    mica_world_clear(world);
    CHECK(is_settled(&f, f.heat));
    CHECK_EQUAL(0, add_up(&f, f.sweep).rows);
    end(&f);
}

// Settles, with one allocation after the other and all behind it failing; returns how often that was.
static uint32_t settle_failing(fixture *f)
{
    mica_world *world = f->world;
    uint64_t hash = mica_world_hash(world);
    uint32_t rows = mica_query_count(world, f->heats);
    for (uint32_t k = 1;; k++) {
        test_memory_fail_at(&f->t.memory, k, TEST_MEMORY_ONWARDS);
        mica_result result = mica_world_compact(world);
        bool failed = f->t.memory.refusals > 0;
        test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(failed ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        CHECK_EQUAL(hash, mica_world_hash(world));
        CHECK_EQUAL(rows, add_up(f, f->sweep).rows);
        if (!failed) {
            CHECK_EQUAL(1, add_up(f, f->sweep).segments);
            return k - 1;
        }
        CHECK_ERROR(&f->t, MICA_ERROR_MEMORY, "mica_world_compact: no memory for a ring to grow");
    }
}

static void a_ring_without_memory_stays_unsettled_and_says_so(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_entity entities[200];
    for (uint32_t i = 0; i < 200; i++) {
        entities[i] = spawn(&f, i % 4, i);
        mica_set_value(world, entities[i], f.mass, &(Mass){(int32_t)i}, sizeof(Mass));
        if (i == 59 || i == 199) { // arrays grow, of both rings
            CHECK_EQUAL(2, settle_failing(&f));
        }
    }
    for (uint32_t i = 0; i < 180; i++) {
        mica_despawn(world, entities[i]);
    }
    CHECK(settle_failing(&f) >= 2); // runs get shorter, and want overflow
    end(&f);
}

static void steps_and_calls_that_change_many_go_on_without_memory_to_settle(void)
{
    fixture f;
    mica_world *world = start(&f);
    for (uint32_t i = 0; i < 20; i++) {
        spawn(&f, i % 4, i);
    }
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK(f.t.memory.refusals > 0);
    CHECK(!is_settled(&f, f.heat));
    test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(20, add_up(&f, f.sweep).rows);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK(is_settled(&f, f.heat));
    end(&f);
}

static void settling_calls_no_hook_but_move(void)
{
    for (uint32_t moved = 0; moved < 2; moved++) {
        fixture f;
        static tracker t;
        mica_world *world = start(&f);
        tracker_begin(&t);
        mica_type_desc desc = tracked_desc(&t, "Tracked", moved);
        desc.storage = MICA_RING;
        mica_type type = mica_type_register(world, &desc);
        for (uint32_t i = 0; i < 90; i++) {
            mica_entity entity = mica_spawn_values(world, NULL, 0);
            if (i % 3 > 0) {
                mica_add(world, entity, f.marks[i % 3]);
            }
            CHECK_EQUAL(MICA_OK, mica_add(world, entity, type));
        }
        uint32_t calls = t.constructs + t.copies + t.destructs;
        uint32_t moves = t.moves;
        CHECK_EQUAL(MICA_OK, mica_world_compact(world));
        CHECK_EQUAL(calls, t.constructs + t.copies + t.destructs);
        CHECK_EQUAL(moved, t.moves > moves);
        CHECK_TRACKED(&t, 90);
        end(&f);
        CHECK_TRACKED(&t, 0);
    }
}

static void memory_that_a_ring_does_not_need_goes_back(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_entity entities[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        entities[i] = spawn(&f, i % 2, i);
    }
    CHECK_EQUAL(MICA_OK, mica_world_compact(world));
    size_t full = mica_type_get_stats(world, f.heat).bytes;
    CHECK(full >= MANY * sizeof(Heat));
    CHECK_EQUAL(MANY, mica_type_get_stats(world, f.heat).rows);
    for (uint32_t i = 10; i < MANY; i++) {
        mica_despawn(world, entities[i]);
    }
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK(mica_type_get_stats(world, f.heat).bytes <= 10 * sizeof(Heat) + 32 * sizeof(Heat));
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_EQUAL(i, degrees_of(&f, entities[i]));
    }
    for (uint32_t i = 0; i < 10; i++) {
        mica_despawn(world, entities[i]);
    }
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(0, mica_type_get_stats(world, f.heat).bytes);
    end(&f);
}

static void free_text(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count, (void)context;
}

static void a_value_that_lies_in_a_ring_and_cannot_be_copied_is_not_given_again(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_type_desc desc = {.name = "Text", .size = 8, .align = 8, .storage = MICA_RING};
    desc.hooks.destruct = free_text;
    mica_type text = mica_type_register(world, &desc);
    mica_entity a = mica_spawn_values(world, NULL, 0);
    mica_entity b = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_add(world, a, text));
    for (uint32_t settled = 0; settled < 2; settled++) {
        const void *value = mica_get(world, a, text);
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_set_value(world, b, text, value, 8));
        CHECK_ERROR(
            &f.t, MICA_ERROR_ARGUMENT,
            "mica_set_value: the value of 'Text', which cannot be copied, lies in the world "
            "already");
        CHECK_EQUAL(MICA_OK, mica_world_compact(world));
    }
    end(&f);
}

// Values may come from the ring that they go to, also while it gets more room.
static void a_value_of_the_ring_itself_can_be_given(void)
{
    fixture f;
    mica_world *world = start(&f);
    mica_entity first = spawn(&f, 0, 77);
    mica_bundle bundle = mica_bundle_new(world, (mica_type[]){f.heat}, 1);
    for (uint32_t i = 0; i < 200; i++) {
        const Heat *heat = mica_get(world, first, f.heat);
        const mica_value value = {f.heat, heat, sizeof *heat, 1, NULL};
        mica_entity next = mica_spawn_values(world, &value, 1);
        CHECK_EQUAL(77, degrees_of(&f, next));
        const mica_value many = {f.heat, mica_get(world, next, f.heat), sizeof *heat, 1, NULL};
        CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 1, &many, 1, &next));
        CHECK_EQUAL(77, degrees_of(&f, next));
        first = next;
    }
    end(&f);
}

static void rings_in_a_relocating_world_move_with_every_change(void)
{
    fixture f;
    test_world_prepare(&f.t);
    f.t.desc.relocate_always = true;
    f.t.world = test_world_open(&f.t);
    mica_world *world = begin(&f);
    mica_entity first = spawn(&f, 0, 1);
    const void *where = mica_get(world, first, f.heat);
    size_t bytes = mica_type_get_stats(world, f.heat).bytes;
    uint32_t moves = 0;
    for (uint32_t i = 0; i < 40; i++) {
        spawn(&f, i % 3, i);
        if (i % 8 == 7) {
            CHECK_EQUAL(MICA_OK, mica_world_compact(world));
        }
        // A ring that grows moves twice in one call, and may be where it was.
        bool moved = where != mica_get(world, first, f.heat);
        bool grew = bytes != mica_type_get_stats(world, f.heat).bytes;
        CHECK(i % 3 > 0 || moved || grew);
        moves += i % 3 == 0 && moved;
        bytes = mica_type_get_stats(world, f.heat).bytes;
        where = mica_get(world, first, f.heat);
        CHECK_EQUAL(1, degrees_of(&f, first));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    CHECK(moves >= 10); // of 14
    end(&f);
}

static void a_tag_cannot_be_kept_in_a_ring(void)
{
    fixture f;
    mica_world *world = start(&f);
    const mica_type_desc tag = {.name = "Nothing", .storage = MICA_RING};
    CHECK(MICA_IS_NONE(mica_type_register(world, &tag)));
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                "mica_type_register: 'Nothing' has size 0, a tag, and no values to be kept in a "
                "ring");
    CHECK_EQUAL(MICA_RING, mica_type_get_info(world, f.heat)->storage);
    CHECK(MICA_EQUAL(f.heat, MICA_REGISTER_RING(world, Heat, degrees)));
    CHECK(MICA_IS_NONE(MICA_REGISTER(world, Heat, degrees)));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    end(&f);
}

TESTS(ring, a_sweep_over_all_sets_of_components_is_one_segment,
      what_a_sweep_writes_is_written_and_counts_as_a_change,
      a_query_without_entities_shows_none_whatever_its_terms,
      an_entity_that_comes_or_goes_moves_no_values_but_the_last_of_its_own_table,
      changes_are_refused_while_a_ring_is_iterated,
      an_entity_takes_its_values_along_from_set_to_set,
      a_query_knows_the_runs_of_sets_that_appear_and_of_no_others,
      rings_that_are_not_aligned_are_iterated_in_two_steps_as_drawn,
      each_ring_adds_at_most_one_cut_to_a_table, a_step_settles_before_its_systems_run,
      calls_that_change_many_settle_if_they_change_as_many_as_there_are_runs,
      a_ring_without_memory_stays_unsettled_and_says_so,
      steps_and_calls_that_change_many_go_on_without_memory_to_settle,
      settling_calls_no_hook_but_move, memory_that_a_ring_does_not_need_goes_back,
      a_value_that_lies_in_a_ring_and_cannot_be_copied_is_not_given_again,
      a_value_of_the_ring_itself_can_be_given, rings_in_a_relocating_world_move_with_every_change,
      a_tag_cannot_be_kept_in_a_ring)
