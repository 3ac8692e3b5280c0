// Single values and single changes where there are rings: what short cuts do, beside a world that keeps
// everything in tables.
#include <mica.h>

#include "query/query.h"
#include "runner/test.h"
#include "runner/world.h"
#include "store/table/row.h"

typedef struct Heat {
    int64_t degrees;
} Heat;

typedef struct Charge {
    int32_t units[3];
} Charge;

enum { KINDS = 4, EACH = 3 * 1024, ENTITIES = 120, STEPS = 4000 };

// Heat has a toggle; sides differ in the storage of it and of the charge.
typedef struct side {
    test_world t;
    mica_world *world;
    mica_type heat, charge, weight; // the last one in tables on both sides
    mica_type marks[2];
    mica_bundle hot;
} side;

static void begin(side *s, mica_storage storage)
{
    mica_world *world = s->world = test_world_begin(&s->t);
    mica_type_desc heat = MICA_DESCRIBE(Heat, degrees);
    mica_type_desc charge = MICA_DESCRIBE(Charge, units);
    heat.storage = charge.storage = storage;
    heat.toggle = true;
    s->heat = mica_type_register(world, &heat);
    s->weight =
        mica_type_register(world, &(mica_type_desc){.name = "Weight", .size = 4, .align = 4});
    s->charge = mica_type_register(world, &charge);
    s->marks[0] = MICA_TAG(world, Mark0);
    s->marks[1] = MICA_TAG(world, Mark1);
    s->hot = mica_bundle_new(world, (mica_type[]){s->heat, s->charge}, 2);
}

static void end(side *s)
{
    test_world_end(&s->t);
}

static mica_entity spawn(const side *s, int32_t n)
{
    const Heat heat = {n};
    const Charge charge = {{n, n + 1, n + 2}};
    const mica_value values[] = {MICA_COPY_OF(s->heat, heat), MICA_COPY_OF(s->charge, charge)};
    return n % 2 ? mica_spawn_bundle(s->world, s->hot, values, 2)
                 : mica_spawn_values(s->world, values, 2);
}

static micai_row row_of(const side *s, mica_entity entity)
{
    const micai_state *state = s->world->state;
    return micai_row_of(&state->store, micai_slots_find(&state->slots, entity));
}

// Does the spot of its sheet lead to the value of an entity?
static bool is_spotted(const side *s, mica_entity entity, mica_type type)
{
    const micai_record *record = micai_slots_find(&s->world->state->slots, entity);
    micai_directory_value reach =
        micai_directory_find(&s->world->state->store.directory, type, record->where);
    return micai_directory_value_is_readable(reach) && micai_directory_value_is_writable(reach) &&
           micai_directory_value_data(reach) == mica_get(s->world, entity, type);
}

static void values_in_a_ring_are_found_by_the_short_cut_settled_or_not(void)
{
    static side s;
    static mica_entity entities[EACH];
    begin(&s, MICA_RING);
    mica_accessor accessor = mica_accessor_new(s.world, s.heat);
    for (int32_t i = 0; i < EACH; i++) {
        entities[i] = spawn(&s, i);
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t wrong = 0;
        for (int32_t i = 0; i < EACH; i++) {
            const Heat *heat = MICA_ACCESSOR_GET(&accessor, entities[i], Heat);
            const Charge *charge = mica_get(s.world, entities[i], s.charge);
            wrong += !is_spotted(&s, entities[i], s.heat) ||
                     !is_spotted(&s, entities[i], s.charge) || heat->degrees != i ||
                     charge->units[2] != i + 2;
        }
        CHECK_EQUAL(0, wrong);
        CHECK_EQUAL(MICA_OK, mica_world_compact(s.world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    }
    end(&s);
}

// R8: of a table whose run ends in the middle of a sheet.
static void a_sheet_whose_rows_are_partly_in_the_ring_has_no_short_cut(void)
{
    static side s;
    begin(&s, MICA_RING);
    mica_entity first = spawn(&s, 0);
    mica_entity before = first;
    for (uint32_t i = 1; i < MICAI_ROWS + 2; i++) {
        before = spawn(&s, (int32_t)i);
    }
    CHECK_EQUAL(MICA_OK, mica_world_compact(s.world));
    CHECK(is_spotted(&s, first, s.heat) && is_spotted(&s, before, s.heat));
    for (int32_t n = 50; n < 52; n++) {
        mica_entity after = spawn(&s, n);
        CHECK(is_spotted(&s, first, s.heat));
        CHECK(!is_spotted(&s, before, s.heat) && !is_spotted(&s, after, s.heat));
        const Heat *heat = mica_get(s.world, after, s.heat);
        const Heat *old = mica_get(s.world, before, s.heat);
        CHECK_EQUAL(n, heat->degrees);
        CHECK_EQUAL(MICAI_ROWS + 1, old->degrees);
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
        CHECK_EQUAL(MICA_OK, mica_despawn(s.world, after));
        CHECK_EQUAL(MICA_OK, mica_world_compact(s.world));
        CHECK(is_spotted(&s, before, s.heat));
    }
    end(&s);
}

static void rows_in_overflow_are_found_when_their_table_grows(void)
{
    static side s;
    mica_entity entities[60];
    begin(&s, MICA_RING);
    for (int32_t i = 0; i < 60; i++) {
        entities[i] = spawn(&s, i);
        if (i == 9) {
            CHECK_EQUAL(MICA_OK, mica_world_compact(s.world));
        }
        for (int32_t k = 0; k <= i; k++) {
            const Heat *heat = mica_get(s.world, entities[k], s.heat);
            CHECK_EQUAL(k, heat->degrees);
        }
        mica_type_stats stats = mica_type_get_stats(s.world, s.heat);
        CHECK_EQUAL(i + 1, stats.rows);
        CHECK(stats.bytes >= stats.rows * sizeof(Heat) && stats.bytes < 2000 * sizeof(Heat));
        CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    }
    end(&s);
}

static void idle(mica_iter *it)
{
    (void)it;
}

static void a_write_through_the_short_cut_counts_as_a_change(void)
{
    static side s;
    begin(&s, MICA_RING);
    mica_system_add(s.world,
                    &(mica_system_desc){.name = "idle", .update = idle, .query.everything = true});
    mica_entity entity = spawn(&s, 1);
    CHECK_EQUAL(MICA_OK, mica_step(s.world, 0));
    const micai_table *table = micai_row_table(row_of(&s, entity));
    uint32_t column = micai_table_column(table, micai_stamp_number(s.heat.bits));
    uint32_t rows;
    uint64_t before = micai_table_tick(table, column, 0, &rows);
    MICA_GET_MUT(s.world, entity, s.heat, Heat)->degrees = 5;
    CHECK(micai_table_tick(table, column, 0, &rows) > before);
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    end(&s);
}

static void rows_that_lie_in_rings_are_bytes_but_not_plain(void)
{
    static side s;
    begin(&s, MICA_RING);
    mica_entity entity = spawn(&s, 1);
    micai_store *store = &s.world->state->store;
    const micai_table *table = micai_row_table(row_of(&s, entity));
    CHECK_EQUAL(MICAI_FAST_ALL & ~MICAI_FAST_PLAIN, table->fast_paths);
    CHECK_POINTER(NULL, micai_transition_peek(&store->transitions, MICAI_TRANSITION_ADD,
                                              s.marks[0].bits, table));
    CHECK_EQUAL(MICA_OK, mica_add(s.world, spawn(&s, 2), s.marks[0]));
    const micai_transition *t =
        micai_transition_peek(&store->transitions, MICAI_TRANSITION_ADD, s.marks[0].bits, table);
    REQUIRE(t != NULL);
    CHECK_EQUAL(MICAI_FAST_ALL & ~MICAI_FAST_PLAIN, t->fast_paths);
    CHECK(!micai_transition_is_fast(t));
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    end(&s);
}

// One of both sides. What is given depends on the step alone.
static void change(const side *s, mica_entity *entities, uint32_t step, uint32_t random)
{
    mica_entity *entity = &entities[random % ENTITIES];
    const Heat heat = {step};
    const Charge charge = {{(int32_t)step, 1, 2}};
    const uint32_t weight = step;
    if (!mica_alive(s->world, *entity)) {
        *entity = spawn(s, (int32_t)step);
        return;
    }
    switch (random / ENTITIES % 12) {
    case 0: mica_despawn(s->world, *entity); break;
    case 1: mica_add(s->world, *entity, s->marks[step % 2]); break;
    case 2: mica_remove(s->world, *entity, s->marks[step % 2]); break;
    case 3: mica_set_value(s->world, *entity, s->heat, &heat, sizeof heat); break;
    case 4: mica_set_value(s->world, *entity, s->charge, &charge, sizeof charge); break;
    case 5: mica_set_value(s->world, *entity, s->weight, &weight, sizeof weight); break;
    case 6: mica_remove(s->world, *entity, s->heat); break;
    case 7: mica_remove(s->world, *entity, s->charge); break;
    case 8: mica_remove(s->world, *entity, s->weight); break;
    case 9: mica_add(s->world, *entity, step % 2 ? s->heat : s->charge); break;
    case 10:
        if (mica_has(s->world, *entity, s->heat)) {
            (step % 2 ? mica_enable : mica_disable)(s->world, *entity, s->heat);
        }
        break;
    default:
        if (step % 4 == 0) {
            mica_world_compact(s->world);
        }
    }
}

static void single_changes_do_the_same_in_rings_and_in_tables(void) // S4.5
{
    static side sides[2];
    static mica_entity entities[2][ENTITIES];
    begin(&sides[0], MICA_RING);
    begin(&sides[1], MICA_TABLE);
    uint32_t random = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        change(&sides[0], entities[0], step, random >> 8);
        change(&sides[1], entities[1], step, random >> 8);
        if (step % 16 == 0) {
            CHECK_EQUAL(mica_world_hash(sides[1].world), mica_world_hash(sides[0].world));
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(sides[0].world));
        }
    }
    uint64_t moves = mica_world_get_stats(sides[1].world).row_moves;
    CHECK_EQUAL(moves, mica_world_get_stats(sides[0].world).row_moves);
    end(&sides[0]);
    end(&sides[1]);
}

// Also where the target has rows already, so that sheets begin at other rows.
static void all_of_a_table_goes_from_ring_to_ring_in_the_order_of_its_rows(void)
{
    static side s;
    static mica_entity entities[EACH];
    begin(&s, MICA_RING);
    mica_query all = mica_query_new(s.world, &(mica_query_desc){.terms = {{s.charge, MICA_READ}}});
    for (int32_t i = 0; i < EACH; i++) {
        entities[i] = spawn(&s, i);
        if (i < 3) {
            mica_add(s.world, entities[i], s.marks[0]);
        }
    }
    mica_disable(s.world, entities[EACH - 1], s.heat);
    CHECK_EQUAL(MICA_OK, mica_add_all(s.world, all, s.marks[0], NULL));
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    CHECK_EQUAL(MICA_OK, mica_remove_all(s.world, all, s.charge, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_validate(s.world));
    uint32_t wrong = 0;
    for (int32_t i = 0; i < EACH; i++) {
        const Heat *heat = mica_get(s.world, entities[i], s.heat);
        wrong += heat->degrees != i || mica_has(s.world, entities[i], s.charge) ||
                 micai_row_number(row_of(&s, entities[i])) != (uint32_t)i ||
                 mica_is_enabled(s.world, entities[i], s.heat) != (i < EACH - 1);
    }
    CHECK_EQUAL(0, wrong);
    end(&s);
}

TESTS(ring_single, values_in_a_ring_are_found_by_the_short_cut_settled_or_not,
      a_sheet_whose_rows_are_partly_in_the_ring_has_no_short_cut,
      rows_in_overflow_are_found_when_their_table_grows,
      all_of_a_table_goes_from_ring_to_ring_in_the_order_of_its_rows,
      a_write_through_the_short_cut_counts_as_a_change,
      rows_that_lie_in_rings_are_bytes_but_not_plain,
      single_changes_do_the_same_in_rings_and_in_tables)
