// Lists of types that led somewhere before are found among the transitions: what comes of that must be what a
// change does that is worked out, and no list may lead where it did when something has changed.
#include <mica.h>

#include <string.h>

#include "state/state.h"
#include "store/table/row.h"
#include "unit/world/fixture.h"

typedef struct Weight {
    double grams;
    int32_t since;
} Weight;

// Is it run as bytes, observed by nobody?
static bool is_bytes(const micai_transition *t)
{
    enum { NEEDED = MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED };
    return t && (t->fast_paths & NEEDED) == NEEDED;
}

// The transition of this list, of whatever table.
static const micai_transition *list_of(const fixture *f, const mica_type *types, uint32_t count)
{
    const micai_transition_map *map =
        &f->world->state->store.transitions.maps[MICAI_TRANSITION_LIST];
    for (uint64_t i = 0; i < UINT64_C(1) << (64 - map->shift); i++) {
        const micai_transition *t = map->places[i];
        bool same = t->step_count == count;
        for (uint32_t n = 0; same && n < count; n++) {
            same = t->steps[n].bits == types[n].bits;
        }
        if (same) {
            return t;
        }
    }
    return NULL;
}

// How many lists there are that are run as bytes.
static uint32_t count_bytes(const fixture *f)
{
    const micai_transition_map *map =
        &f->world->state->store.transitions.maps[MICAI_TRANSITION_LIST];
    uint32_t count = 0;
    for (uint64_t i = 0; i < UINT64_C(1) << (64 - map->shift); i++) {
        count += is_bytes(map->places[i]);
    }
    return count;
}

static mica_result set_three(const fixture *f, mica_entity entity, int32_t n)
{
    const Position at = {(float)n, 1};
    const Health health = {n};
    return mica_set(f->world, entity, MICA_COPY_OF(f->health, health),
                    MICA_COPY_OF(f->position, at), MICA_ADD(f->player));
}

static bool has_three(const fixture *f, mica_entity entity, int32_t n)
{
    const Position *at = MICA_GET(f->world, entity, f->position, Position);
    const Health *health = MICA_GET(f->world, entity, f->health, Health);
    return at && health && at->x == (float)n && at->y == 1 && health->points == n &&
           mica_has(f->world, entity, f->player);
}

static mica_entity spawn_mover(const fixture *f, int32_t n)
{
    const Velocity by = {(float)n, 2};
    return mica_spawn(f->world, MICA_COPY_OF(f->velocity, by));
}

static void a_list_that_led_somewhere_leads_there_again(void)
{
    enum { COUNT = 3 * MICAI_ROWS };
    fixture f;
    fixture_begin(&f);
    const mica_type types[] = {f.health, f.position, f.player};
    mica_entity entities[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        entities[i] = spawn_mover(&f, i);
    }
    for (int32_t turn = 0; turn < 3; turn++) {
        for (int32_t i = 0; i < COUNT; i++) {
            CHECK_EQUAL(MICA_OK, set_three(&f, entities[i], turn + i));
        }
        CHECK(is_bytes(list_of(&f, types, 3)));
        for (int32_t i = 0; i < COUNT; i++) {
            const Velocity *by = MICA_GET(f.world, entities[i], f.velocity, Velocity);
            CHECK(has_three(&f, entities[i], turn + i) && by && by->x == (float)i);
        }
        for (int32_t i = 0; i < COUNT; i += 2) {
            CHECK_EQUAL(MICA_OK, mica_change(f.world, entities[i], NULL, 0, types, 3));
        }
        for (int32_t i = 1; i < COUNT; i += 2) {
            CHECK_EQUAL(MICA_OK, mica_change(f.world, entities[i], NULL, 0, types, 3));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    }
    for (int32_t i = 0; i < COUNT; i++) {
        const Velocity *by = MICA_GET(f.world, entities[i], f.velocity, Velocity);
        CHECK(by && by->x == (float)i && !mica_has(f.world, entities[i], f.player));
    }
    fixture_end(&f);
}

TEST_WITH(fixture, f, types_added_by_list_have_their_defaults_again)
{
    const mica_type types[] = {f->position, f->health, f->frozen};
    for (int32_t i = 0; i < 4; i++) {
        mica_entity entity = spawn_mover(f, i);
        const Position far = {9, 9};
        mica_entity old = mica_spawn(f->world, MICA_COPY_OF(f->position, far)); // bytes of another
        mica_despawn(f->world, old);
        CHECK_EQUAL(MICA_OK, test_add_types(f->world, entity, types, 3));
        const Position *at = MICA_GET(f->world, entity, f->position, Position);
        const Health *health = MICA_GET(f->world, entity, f->health, Health);
        CHECK(at && at->x == 0 && at->y == 0);
        CHECK(health && health->points == 100);
        CHECK(mica_has(f->world, entity, f->frozen));
    }
    CHECK(is_bytes(list_of(f, types, 3)));
}

TEST_WITH(fixture, f, some_come_and_others_go_in_one_move)
{
    const mica_type types[] = {f->health, f->frozen, f->velocity};
    for (int32_t i = 0; i < 4; i++) {
        mica_entity entity = spawn_mover(f, i);
        const Health health = {i};
        const mica_value values[] = {MICA_COPY_OF(f->health, health), MICA_ADD(f->frozen)};
        uint64_t moves = fixture_moves(f);
        CHECK_EQUAL(MICA_OK, mica_change(f->world, entity, values, 2, &f->velocity, 1));
        CHECK_EQUAL(moves + 1, fixture_moves(f));
        CHECK_EQUAL(i, MICA_GET(f->world, entity, f->health, Health)->points);
        CHECK(mica_has(f->world, entity, f->frozen) && !mica_has(f->world, entity, f->velocity));
    }
    CHECK(is_bytes(list_of(f, types, 3)));
}

// The same handles in another order, or cut elsewhere into what comes and what goes, are another list.
TEST_WITH(fixture, f, another_order_is_another_list)
{
    const mica_type one[] = {f->health, f->position};
    const mica_type other[] = {f->position, f->health};
    mica_entity entity = spawn_mover(f, 1);
    for (uint32_t i = 0; i < 6; i++) {
        const mica_type *types = i % 2 ? other : one;
        CHECK_EQUAL(MICA_OK, test_add_types(f->world, entity, types, 2));
        CHECK(is_bytes(list_of(f, types, 2)));
        CHECK(mica_has(f->world, entity, f->position) && mica_has(f->world, entity, f->health));
        CHECK_EQUAL(MICA_OK, mica_change(f->world, entity, NULL, 0, one, 2));
        CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    }
    const Health health = {3};
    const mica_value value = MICA_COPY_OF(f->health, health);
    const mica_value both[] = {MICA_COPY_OF(f->health, health), MICA_ADD(f->position)};
    CHECK_EQUAL(MICA_OK, mica_set_values(f->world, entity, both, 2));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, entity, NULL, 0, &f->health, 1));
    CHECK_EQUAL(MICA_OK, mica_change(f->world, entity, &value, 1, &f->position, 1));
    CHECK(!mica_has(f->world, entity, f->position) && mica_has(f->world, entity, f->health));
}

TEST_WITH(fixture, f, values_of_the_world_are_copied_before_they_move)
{
    mica_entity entities[4];
    for (int32_t i = 0; i < 4; i++) {
        entities[i] = spawn_mover(f, i);
    }
    for (int32_t turn = 0; turn < 3; turn++) {
        for (int32_t i = 0; i < 4; i++) { // a velocity of its own row, and one that fills its hole
            const void *own = mica_get(f->world, entities[i], f->velocity);
            const Health health = {i};
            const mica_value values[] = {{f->position, own, sizeof(Position), 1, NULL},
                                         MICA_COPY_OF(f->health, health)};
            CHECK_EQUAL(MICA_OK, mica_set_values(f->world, entities[i], values, 2));
            const Position *at = MICA_GET(f->world, entities[i], f->position, Position);
            CHECK(at && at->x == (float)i && at->y == 2);
        }
        const mica_type types[] = {f->position, f->health};
        for (int32_t i = 0; i < 4; i++) {
            CHECK_EQUAL(MICA_OK, mica_change(f->world, entities[i], NULL, 0, types, 2));
        }
    }
}

TEST_WITH(fixture, f, what_is_wrong_in_a_list_is_refused_whatever_is_kept)
{
    mica_entity entity = spawn_mover(f, 1);
    mica_entity other = spawn_mover(f, 2);
    CHECK_EQUAL(MICA_OK, set_three(f, entity, 1));
    const Position at = {1, 1};
    const Health health = {1};
    mica_value values[] = {MICA_COPY_OF(f->health, health), MICA_COPY_OF(f->position, at),
                           MICA_ADD(f->player)};
    values[1].size = 4;
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_values(f->world, other, values, 3));
    CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_set: component 'Position' has size 8, not 4");
    values[1] = (mica_value){f->position, NULL, sizeof at, 1, NULL};
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_values(f->world, other, values, 3));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL,
                "mica_set: the data of 'Position' is null, but its size is 8");
    values[1] = (mica_value){f->position, &at, sizeof at, 2, NULL};
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_set_values(f->world, other, values, 3));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, "mica_set: 2 values of 'Position' for one entity");
    CHECK(!mica_has(f->world, other, f->health) && !mica_has(f->world, other, f->player));
    values[1] = (mica_value){.type = f->position}; // the default
    CHECK_EQUAL(MICA_OK, mica_set_values(f->world, other, values, 3));
    CHECK(MICA_GET(f->world, other, f->position, Position)->x == 0);
    mica_despawn(f->world, other);
    CHECK_EQUAL(MICA_ERROR_ENTITY, set_three(f, other, 1));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY, "mica_set: entity 1.0 is dead, or of another world");
}

// Types with hooks are not bytes. Of a list in which one is given twice there is no transition, only of what it means.
TEST_WITH(fixture, f, what_is_more_than_bytes_is_worked_out)
{
    const mica_type hooked[] = {f->hooked, f->health};
    const mica_type twice[] = {f->health, f->position, f->health};
    for (int32_t i = 0; i < 3; i++) {
        mica_entity entity = spawn_mover(f, i);
        CHECK_EQUAL(MICA_OK, test_add_types(f->world, entity, hooked, 2));
        CHECK_EQUAL(MICA_OK, mica_change(f->world, entity, NULL, 0, hooked, 2));
        CHECK_EQUAL(MICA_OK, test_add_types(f->world, entity, twice, 3));
        CHECK(mica_has(f->world, entity, f->health) && mica_has(f->world, entity, f->position));
    }
    CHECK(list_of(f, hooked, 2) != NULL && !is_bytes(list_of(f, hooked, 2)));
    CHECK(list_of(f, twice, 3) == NULL && is_bytes(list_of(f, twice, 2)));
    CHECK_EQUAL(1, count_bytes(f));
}

static void count_one(const mica_observer_event *h)
{
    ++*(uint32_t *)h->user;
}

TEST_WITH(fixture, f, who_begins_to_observe_is_notified_of_lists_that_were_kept)
{
    const mica_type types[] = {f->health, f->position, f->player};
    mica_entity entity = spawn_mover(f, 1);
    for (int32_t i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK, set_three(f, entity, i));
        CHECK_EQUAL(MICA_OK, mica_change(f->world, entity, NULL, 0, types, 3));
    }
    CHECK_EQUAL(2u, count_bytes(f));
    uint32_t notified = 0;
    mica_observer observer = mica_observer_new(
        f->world, &(mica_observer_desc){.type = f->position,
                                        .events = MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE,
                                        .call = count_one,
                                        .user = &notified});
    CHECK_EQUAL(0u, count_bytes(f));
    for (int32_t i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK, set_three(f, entity, i));
        CHECK_EQUAL(MICA_OK, mica_change(f->world, entity, NULL, 0, types, 3));
    }
    CHECK_EQUAL(6u, notified);
    CHECK_EQUAL(0u, count_bytes(f));
    mica_observer_free(f->world, observer);
    CHECK_EQUAL(2u, count_bytes(f)); // those that were kept
    CHECK_EQUAL(MICA_OK, set_three(f, entity, 1));
    CHECK_EQUAL(6u, notified);
}

// Lists that make room for others, and lists that are reclaimed, are built again.
static void lists_that_were_dropped_lead_there_again(void)
{
    enum { TYPES = 5, ORDERS = 120 };
    fixture f;
    fixture_begin(&f);
    mica_type types[TYPES];
    for (uint32_t i = 0; i < TYPES; i++) {
        const char name[] = {'T', (char)('a' + i), 0};
        types[i] =
            mica_type_register(f.world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
    }
    mica_entity entity = spawn_mover(&f, 1);
    for (uint32_t i = 0; i < 3 * ORDERS; i++) {
        mica_type list[TYPES];
        memcpy(list, types, sizeof list);
        for (uint32_t n = 0, order = i % ORDERS; n < TYPES; order /= TYPES - n++) {
            const mica_type other = list[n + order % (TYPES - n)];
            list[n + order % (TYPES - n)] = list[n];
            list[n] = other;
        }
        CHECK_EQUAL(MICA_OK, test_add_types(f.world, entity, list, TYPES));
        CHECK(is_bytes(list_of(&f, list, TYPES)));
        for (uint32_t n = 0; n < TYPES; n++) {
            CHECK_EQUAL(0, *(const uint32_t *)mica_get(f.world, entity, types[n]));
        }
        CHECK_EQUAL(MICA_OK, mica_change(f.world, entity, NULL, 0, list, TYPES));
        CHECK(mica_has(f.world, entity, f.velocity) && !mica_has(f.world, entity, types[0]));
        if (i % 50 == 0) {
            CHECK_EQUAL(MICA_OK, mica_world_reclaim(f.world));
            CHECK_EQUAL(0u, count_bytes(&f));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    }
    CHECK(count_bytes(&f) <= MICAI_TRANSITION_LISTS + 4 * mica_world_get_stats(f.world).tables);
    fixture_end(&f);
}

// Values that are cut, lie in rings, or have flags and ticks go by lists, too.
static void lists_with_flags_ticks_pieces_and_rings_lead_there_again(void)
{
    enum { COUNT = 20 };
    fixture f;
    fixture_begin(&f);
    const mica_field_info fields[] = {MICA_FIELD(Weight, grams), MICA_FIELD(Weight, since)};
    const mica_storage storages[] = {MICA_TABLE, MICA_SPLIT, MICA_RING};
    mica_type types[4] = {[3] = f.health};
    for (uint32_t i = 0; i < 3; i++) {
        const char name[] = {'W', (char)('a' + i), 0};
        types[i] = mica_type_register(f.world, &(mica_type_desc){.name = name,
                                                                 .size = sizeof(Weight),
                                                                 .align = _Alignof(Weight),
                                                                 .fields = fields,
                                                                 .field_count = 2,
                                                                 .storage = storages[i],
                                                                 .toggle = i != 1,
                                                                 .row_stamps = i != 2});
    }
    mica_entity entities[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        entities[i] = spawn_mover(&f, i);
    }
    for (int32_t turn = 0; turn < 3; turn++) {
        for (int32_t i = 0; i < COUNT; i++) {
            const Weight weight = {i, turn};
            const Health health = {i};
            const mica_value values[] = {
                MICA_COPY_OF(types[0], weight), MICA_COPY_OF(types[1], weight),
                MICA_COPY_OF(types[2], weight), MICA_COPY_OF(types[3], health)};
            CHECK_EQUAL(MICA_OK, mica_set_values(f.world, entities[i], values, 4));
        }
        CHECK(is_bytes(list_of(&f, types, 4)));
        CHECK(!micai_transition_is_fast(list_of(&f, types, 4)));
        for (int32_t i = 0; i < COUNT; i++) {
            for (uint32_t t = 0; t < 3; t++) {
                Weight weight = {0};
                CHECK(mica_load(f.world, entities[i], types[t], &weight, sizeof weight));
                CHECK(weight.grams == i && weight.since == turn);
            }
            CHECK(mica_is_enabled(f.world, entities[i], types[0]));
            CHECK(mica_is_enabled(f.world, entities[i], types[2]));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
        for (int32_t i = 0; i < COUNT; i++) {
            mica_disable(f.world, entities[i], types[0]);
            CHECK_EQUAL(MICA_OK, mica_change(f.world, entities[i], NULL, 0, types, 4));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(f.world));
    }
    fixture_end(&f);
}

// Each is what it was given before any is written, though that may be another value of the same call.
TEST_WITH(fixture, f, values_that_are_there_are_overwritten_where_they_are)
{
    mica_entity entity = fixture_spawn(f, 3);
    mica_entity plain = spawn_mover(f, 3);
    const Position start = {3, -3};
    mica_set(f->world, plain, MICA_COPY_OF(f->position, start));
    mica_entity both[] = {plain, entity};
    for (uint32_t i = 0; i < 2; i++) {
        const Position *at = MICA_GET(f->world, both[i], f->position, Position);
        const Velocity *by = MICA_GET(f->world, both[i], f->velocity, Velocity);
        const Position was_at = *at;
        const Velocity was_by = *by;
        const mica_value swapped[] = {{f->position, by, sizeof *by, 1, NULL},
                                      {f->velocity, at, sizeof *at, 1, NULL}};
        uint64_t moves = fixture_moves(f);
        CHECK_EQUAL(MICA_OK, mica_set_values(f->world, both[i], swapped, 2));
        CHECK_EQUAL(moves, fixture_moves(f));
        CHECK(at->x == was_by.x && at->y == was_by.y && by->x == was_at.x && by->y == was_at.y);
        const Position first = {1, 1};
        const Position last = {2, 2};
        const mica_value twice[] = {MICA_COPY_OF(f->position, first),
                                    MICA_COPY_OF(f->position, last)};
        CHECK_EQUAL(MICA_OK, mica_set_values(f->world, both[i], twice, 2));
        CHECK(at->x == 2 && at->y == 2);
        mica_value wrong[] = {MICA_COPY_OF(f->position, first), {f->velocity, &last, 4, 1, NULL}};
        CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_values(f->world, both[i], wrong, 2));
        CHECK_ERROR(&f->t, MICA_ERROR_SIZE, "mica_set: component 'Velocity' has size 8, not 4");
        CHECK(at->x == 2 && at->y == 2);
    }
}

static uint32_t count_rows(mica_world *world, mica_query query)
{
    uint32_t rows = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        rows += it.count;
    }
    return rows;
}

// Overwriting is no change of structure, and is seen by who asks what has changed.
TEST_WITH(fixture, f, values_may_be_overwritten_while_the_world_is_iterated)
{
    mica_entity entity = spawn_mover(f, 3);
    const Position at = {4, 5};
    const Velocity by = {6, 7};
    mica_set(f->world, entity, MICA_COPY_OF(f->position, at));
    mica_query changed = mica_query_new(
        f->world, &(mica_query_desc){.terms = {{f->velocity, MICA_READ | MICA_CHANGED}}});
    mica_query all =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_WITH}}});
    CHECK_EQUAL(1u, count_rows(f->world, changed));
    CHECK_EQUAL(0u, count_rows(f->world, changed));
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(f->world, all, &it));
    while (mica_iter_next(&it)) {
        CHECK_EQUAL(MICA_OK, mica_set(f->world, entity, MICA_COPY_OF(f->position, at),
                                      MICA_COPY_OF(f->velocity, by)));
    }
    CHECK_EQUAL(1u, count_rows(f->world, changed));
    CHECK(MICA_GET(f->world, entity, f->velocity, Velocity)->y == 7);
}

TESTS(several, a_list_that_led_somewhere_leads_there_again,
      types_added_by_list_have_their_defaults_again, some_come_and_others_go_in_one_move,
      another_order_is_another_list, values_of_the_world_are_copied_before_they_move,
      what_is_wrong_in_a_list_is_refused_whatever_is_kept, what_is_more_than_bytes_is_worked_out,
      who_begins_to_observe_is_notified_of_lists_that_were_kept,
      lists_that_were_dropped_lead_there_again,
      lists_with_flags_ticks_pieces_and_rings_lead_there_again,
      values_that_are_there_are_overwritten_where_they_are,
      values_may_be_overwritten_while_the_world_is_iterated)
