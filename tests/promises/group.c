// What mica/group.h promises.
#include "promise.h"

#include <stdio.h>
#include <string.h>

typedef struct Place {
    int32_t x;
} Place;

enum { CROWD = 40 };

// Entities whose places are neither in the order of entities nor in the order they came in; some have a speed, which
// came to them in another order, some a mark.
typedef struct crowd {
    test_world t;
    mica_world *world;
    mica_type place, speed, mark, hide, stable, table;
    mica_entity entities[CROWD];
    uint32_t moves; // of speeds, by their hook
} crowd;

static void move_speeds(void *target, void *source, uint32_t count,
                        const mica_hook_context *context)
{
    *(uint32_t *)context->user += count;
    memcpy(target, source, count * sizeof(Place));
}

static mica_world *begin(crowd *c)
{
    memset(c, 0, sizeof *c);
    mica_world *world = c->world = test_world_begin(&c->t);
    c->place = MICA_REGISTER_SPARSE(world, Place, x);
    mica_type_desc desc = MICA_DESCRIBE(Place, x);
    desc.storage = MICA_SPARSE;
    desc.name = "Speed";
    desc.hooks.move = move_speeds;
    desc.user = &c->moves;
    c->speed = mica_type_register(world, &desc);
    desc.hooks.move = NULL;
    desc.name = "Stable";
    desc.stable = true;
    c->stable = mica_type_register(world, &desc);
    c->mark = MICA_SPARSE_TAG(world, Mark);
    c->hide = MICA_SPARSE_TAG(world, Hide);
    c->table = MICA_TAG(world, Table);
    for (int32_t i = 0; i < CROWD; i++) {
        c->entities[i] = mica_spawn(world, MICA_VALUE(c->place, Place, i * 17 % CROWD));
    }
    for (int32_t i = 0; i < CROWD; i++) {
        mica_entity entity = c->entities[i * 7 % CROWD];
        if (i % 2 == 0) {
            mica_set(world, entity, MICA_VALUE(c->speed, Place, i));
        }
        if (i % 3 == 0) {
            mica_set(world, entity, MICA_VALUE(c->stable, Place, -i), MICA_ADD(c->mark));
        }
        if (i % 8 == 0) {
            mica_add(world, entity, c->hide);
        }
    }
    return world;
}

// Whom an iteration gives, in its order.
static uint32_t list(crowd *c, mica_query_desc desc, mica_entity *entities_out)
{
    mica_query query = mica_query_new(c->world, &desc);
    REQUIRE(!MICA_IS_NONE(query));
    mica_iter it;
    uint32_t count = 0;
    mica_iter_begin(c->world, query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            entities_out[count++] = it.entities[i];
        }
    }
    mica_query_free(c->world, query);
    return count;
}

static uint32_t list_of(crowd *c, mica_type type, mica_entity *entities_out)
{
    return list(c, (mica_query_desc){.terms = {{type, MICA_WITH}}}, entities_out);
}

static int32_t x_of(crowd *c, mica_type type, mica_entity entity)
{
    const Place *value = mica_get(c->world, entity, type);
    return value ? value->x : -1000000;
}

static void check_code(crowd *c, mica_result code)
{
    CHECK_EQUAL(code, c->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&c->t.error));
}

static void check_refused(crowd *c, mica_result code, mica_result result, uint64_t digest)
{
    CHECK_EQUAL(code, result);
    check_code(c, code);
    CHECK_EQUAL(digest, mica_world_digest(c->world));
}

static uint32_t comparisons;

static int by_value(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    const Place *one = a->value;
    const Place *other = b->value;
    comparisons++;
    CHECK(user == &comparisons);
    return one->x < other->x ? -1 : one->x > other->x;
}

static int by_tens(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    const Place *one = a->value;
    const Place *other = b->value;
    (void)user;
    return one->x / 10 - other->x / 10;
}

static int by_entity(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    CHECK(a->value == NULL && b->value == NULL);
    uint32_t one = mica_entity_slot(a->entity);
    uint32_t other = mica_entity_slot(b->entity);
    return one < other ? 1 : one > other ? -1 : 0;
}

static void refuse(crowd *c, mica_result code, const mica_group_desc *desc)
{
    uint64_t digest = mica_world_digest(c->world);
    CHECK(MICA_IS_NONE(mica_group_new(c->world, desc)));
    check_refused(c, code, code, digest);
}

// The number of entities in groups, as they change: [group.count] of mica_group_get_info().
static void check_counts(void)
{
    crowd c;
    mica_world *world = begin(&c);
    mica_group owning =
        mica_group_new(world, &(mica_group_desc){.owned = {c.place, c.speed}, .without = {c.hide}});
    mica_group listing = mica_group_new(world, &(mica_group_desc){.required = {c.place, c.mark}});

    for (uint32_t i = 0; i < CROWD; i++) {
        mica_entity entity = c.entities[i];
        switch (i % 5) {
        case 0: mica_add(world, entity, c.hide); break;
        case 1: mica_set(world, entity, MICA_VALUE(c.speed, Place, 1)); break;
        case 2: mica_remove(world, entity, c.place); break;
        case 3: mica_despawn(world, entity); break;
        default: mica_remove(world, entity, c.hide); break;
        }
        uint32_t expected[2] = {0, 0};
        for (uint32_t k = 0; k < CROWD; k++) {
            mica_entity other = c.entities[k];
            bool placed = mica_has(world, other, c.place);
            expected[0] +=
                placed && mica_has(world, other, c.speed) && !mica_has(world, other, c.hide);
            expected[1] += placed && mica_has(world, other, c.mark);
        }
        CHECK_EQUAL(expected[0], test_group_count(world, owning));
        CHECK_EQUAL(expected[1], test_group_count(world, listing));
    }

    // [group.segments]: with an entity in between that has one component only
#ifndef MICAI_TEST_SMALL_PAGES
    enum { ROWS = 1024, MANY = 5 * ROWS + 7 };
#else
    enum { ROWS = 4, MANY = 5 * ROWS + 3 };
#endif
    mica_group_free(world, owning);
    mica_world_clear(world);
    mica_type_desc desc = MICA_DESCRIBE(Place, x);
    desc.storage = MICA_SPARSE;
    desc.name = "Mass";
    mica_type mass = mica_type_register(world, &desc);
    owning = mica_group_new(world, &(mica_group_desc){.owned = {c.place, mass}});
    for (uint32_t i = 0; i < MANY; i++) {
        const Place place = {(int32_t)i};
        mica_entity entity = mica_spawn_values(world, NULL, 0);
        mica_set_value(world, entity, c.place, &place, sizeof place);
        if (i % 8 != 7) {
            mica_set_value(world, entity, mass, &place, sizeof place);
        }
    }
    mica_query both = mica_query_new(
        world, &(mica_query_desc){.terms = {{c.place, MICA_READ}, {mass, MICA_READ}}});
    mica_iter it;
    CHECK_EQUAL(MICA_OK, mica_iter_begin(world, both, &it));
    uint32_t rows = 0, last = ROWS;
    while (mica_iter_next(&it)) {
        CHECK(last >= ROWS); // all but the last
        last = it.count;
        rows += it.count;
        CHECK(memcmp(mica_read(&it, 0), mica_read(&it, 1), it.count * sizeof(Place)) == 0);
    }
    CHECK_EQUAL(MANY - MANY / 8, rows);
    CHECK_EQUAL(rows, test_group_count(world, owning));
    test_world_end(&c.t);
}

PROMISE(mica_group_new)
{
    check_counts();
    crowd c;
    mica_world *world = begin(&c);

    // [group.new_fail]: all codes but those below
    CHECK(MICA_IS_NONE(mica_group_new(NULL, &(mica_group_desc){.required = {c.place, c.speed}})));
    refuse(&c, MICA_ERROR_NULL, NULL);
    refuse(&c, MICA_ERROR_DESC,
           &(mica_group_desc){.first_zero = 1, .required = {c.place, c.speed}});
    refuse(&c, MICA_ERROR_DESC, &(mica_group_desc){.last_zero = 1, .required = {c.place, c.speed}});
    refuse(&c, MICA_ERROR_NAME, &(mica_group_desc){.name = "", .required = {c.place, c.speed}});
    refuse(&c, MICA_ERROR_TYPE, &(mica_group_desc){.required = {c.place, {99}}});
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{c.place, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    refuse(&c, MICA_ERROR_ITERATING, &(mica_group_desc){.required = {c.place, c.speed}});
    mica_iter_end(&it);

    // [group.new_fail]: MICA_ERROR_TERMS
    refuse(&c, MICA_ERROR_TERMS, &(mica_group_desc){0});
    refuse(&c, MICA_ERROR_TERMS, &(mica_group_desc){.owned = {c.place}});
    refuse(&c, MICA_ERROR_TERMS, &(mica_group_desc){.without = {c.place, c.speed}});
    refuse(&c, MICA_ERROR_TERMS, &(mica_group_desc){.owned = {c.place}, .required = {c.place}});
    refuse(&c, MICA_ERROR_TERMS, &(mica_group_desc){.owned = {c.place, c.speed, c.place}});

    // [group.new_fail]: MICA_ERROR_ARGUMENT
    refuse(&c, MICA_ERROR_ARGUMENT, &(mica_group_desc){.required = {c.place, c.table}});
    refuse(&c, MICA_ERROR_ARGUMENT, &(mica_group_desc){.owned = {c.place, c.stable}});

    // [group.enter]
    mica_entity order[CROWD];
    uint32_t count = list_of(&c, c.place, order);
    CHECK_EQUAL(CROWD, count);
    c.moves = 0;
    mica_result code = MICA_ERROR_MEMORY;
    mica_group group = (mica_group){0};
    for (uint32_t k = 1; code == MICA_ERROR_MEMORY; k++) {
        uint64_t digest = mica_world_digest(world);
        test_memory_fail_at(&c.t.memory, k, TEST_MEMORY_ONCE);
        group = mica_group_new(world, &(mica_group_desc){.owned = {c.place, c.speed},
                                                         .required = {c.stable},
                                                         .without = {c.hide},
                                                         .name = "movers"});
        test_memory_fail_at(&c.t.memory, 0, TEST_MEMORY_ONCE);
        code = MICA_IS_NONE(group) ? MICA_ERROR_MEMORY : MICA_OK;
        if (code) {
            check_refused(&c, MICA_ERROR_MEMORY, code, digest);
        }
    }
    mica_entity members[CROWD];
    uint32_t inside = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (mica_has(world, order[i], c.speed) && mica_has(world, order[i], c.stable) &&
            !mica_has(world, order[i], c.hide)) {
            members[inside++] = order[i];
        }
    }
    CHECK(inside > 2);
    CHECK_EQUAL(inside, test_group_count(world, group));
    mica_entity now[CROWD];
    CHECK_EQUAL(inside, list(&c,
                             (mica_query_desc){.terms = {{c.place, MICA_READ},
                                                         {c.speed, MICA_READ},
                                                         {c.stable, MICA_WITH},
                                                         {c.hide, MICA_WITHOUT}}},
                             now));
    CHECK_BYTES(members, now, inside * sizeof *now);

    // [group.new_cost]: a swap is three moves
    CHECK(c.moves <= inside * 6);

    // [group.new_fail]: MICA_ERROR_OWNED
    refuse(&c, MICA_ERROR_OWNED, &(mica_group_desc){.owned = {c.place, c.mark}});
    CHECK(MICA_IS_NONE(mica_group_new(world, &(mica_group_desc){.owned = {c.place, c.mark}})));
    CHECK(strstr(c.t.error.last.sentence, "'movers'") != NULL);
    check_code(&c, MICA_ERROR_OWNED);

    // Of what is not owned there is any number, and an empty world has groups, too.
    CHECK(!MICA_IS_NONE(mica_group_new(world, &(mica_group_desc){.required = {c.place, c.mark}})));
    CHECK_EQUAL(MICA_OK, mica_world_clear(world));
    CHECK_EQUAL(0, test_group_count(world, group));
    CHECK(!MICA_IS_NONE(
        mica_group_new(world, &(mica_group_desc){.owned = {c.mark}, .required = {c.place}})));
    test_world_end(&c.t);
}

PROMISE(mica_group_free)
{
    crowd c;
    mica_world *world = begin(&c);
    mica_group group =
        mica_group_new(world, &(mica_group_desc){.owned = {c.place, c.speed}, .without = {c.hide}});

    // [group.free_fail]
    uint64_t digest = mica_world_digest(world);
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{c.table, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    check_refused(&c, MICA_ERROR_ITERATING, mica_group_free(world, group), digest);
    mica_iter_end(&it);
    check_refused(&c, MICA_ERROR_GROUP, mica_group_free(world, (mica_group){0}), digest);
    check_refused(&c, MICA_ERROR_GROUP, mica_group_free(world, (mica_group){12345}), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_group_free(NULL, group));

    // [group.free]: they can be owned again
    mica_entity before[CROWD];
    mica_entity after[CROWD];
    uint32_t count = list_of(&c, c.speed, before);
    CHECK_EQUAL(MICA_OK, mica_group_free(world, group));
    CHECK_EQUAL(count, list_of(&c, c.speed, after));
    CHECK_BYTES(before, after, count * sizeof *after);
    check_refused(&c, MICA_ERROR_GROUP, mica_group_free(world, group), mica_world_digest(world));
    CHECK(!MICA_IS_NONE(
        mica_group_new(world, &(mica_group_desc){.owned = {c.place}, .required = {c.mark}})));
    test_world_end(&c.t);
}

static mica_result looked;

static int look_around(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    crowd *c = user;
    CHECK(mica_alive(c->world, a->entity) && mica_has(c->world, b->entity, c->place));
    looked = mica_remove(c->world, a->entity, c->place);
    return 0;
}

// The errors of all that sort, for what they sort.
static void check_sort_memory(crowd *c, mica_result (*sort)(crowd *c))
{
    mica_result result = MICA_ERROR_MEMORY;
    for (uint32_t k = 1; result == MICA_ERROR_MEMORY; k++) {
        uint64_t digest = mica_world_digest(c->world);
        test_memory_fail_at(&c->t.memory, k, TEST_MEMORY_ONCE);
        result = sort(c);
        test_memory_fail_at(&c->t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(c, MICA_ERROR_MEMORY, result, digest);
        }
    }
    CHECK_EQUAL(MICA_OK, result);
    mica_query query =
        mica_query_new(c->world, &(mica_query_desc){.terms = {{c->place, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(c->world, query, &it);
    check_refused(c, MICA_ERROR_ITERATING, sort(c), mica_world_digest(c->world));
    mica_iter_end(&it);
    mica_query_free(c->world, query);
}

static mica_result sort_places(crowd *c)
{
    return mica_sort(c->world, c->place, by_value, &comparisons);
}

PROMISE(mica_sort)
{
    crowd c;
    mica_world *world = begin(&c);

    // [sort.values], [compare.order]: those that are equal stay in order
    mica_entity before[CROWD];
    mica_entity order[CROWD];
    list_of(&c, c.place, before);
    CHECK_EQUAL(MICA_OK, mica_sort(world, c.place, by_tens, NULL));
    CHECK_EQUAL(CROWD, list_of(&c, c.place, order));
    for (uint32_t i = 1; i < CROWD; i++) {
        int32_t one = x_of(&c, c.place, order[i - 1]);
        int32_t next = x_of(&c, c.place, order[i]);
        CHECK(one / 10 <= next / 10);
        if (one / 10 == next / 10) {
            uint32_t p = 0;
            uint32_t q = 0;
            for (uint32_t k = 0; k < CROWD; k++) {
                p = MICA_EQUAL(before[k], order[i - 1]) ? k : p;
                q = MICA_EQUAL(before[k], order[i]) ? k : q;
            }
            CHECK(p < q);
        }
    }

    // [sort.cost]
    comparisons = 0;
    CHECK_EQUAL(MICA_OK, sort_places(&c));
    CHECK(comparisons <= CROWD * 8);
    list_of(&c, c.place, order);
    for (int32_t i = 0; i < CROWD; i++) {
        CHECK_EQUAL(i, x_of(&c, c.place, order[i]));
    }
    comparisons = 0;
    CHECK_EQUAL(MICA_OK, sort_places(&c));
    CHECK(comparisons <= CROWD);

    // [sort.nobody]; one without values is sorted by entity
    mica_type nobody = MICA_SPARSE_TAG(world, Nobody);
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_OK, mica_sort(world, nobody, by_entity, NULL));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_OK, mica_sort(world, c.mark, by_entity, NULL));
    uint32_t count = list_of(&c, c.mark, order);
    for (uint32_t i = 1; i < count; i++) {
        CHECK(mica_entity_slot(order[i - 1]) > mica_entity_slot(order[i]));
    }

    // [compare.looks]
    digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_OK, mica_sort(world, c.place, look_around, &c));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_ERROR_HANDLER, looked);

    // [sort.owned]
    digest = mica_world_digest(world);
    check_refused(&c, MICA_ERROR_ARGUMENT, mica_sort(world, c.table, by_entity, NULL), digest);
    check_refused(&c, MICA_ERROR_ARGUMENT, mica_sort(world, c.stable, by_value, NULL), digest);

    // [sort.fail]
    check_refused(&c, MICA_ERROR_NULL, mica_sort(world, c.place, NULL, NULL), digest);
    check_refused(&c, MICA_ERROR_TYPE, mica_sort(world, (mica_type){0}, by_value, NULL), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_sort(NULL, c.place, by_value, NULL));
    check_sort_memory(&c, sort_places);
    mica_group_new(world, &(mica_group_desc){.owned = {c.place, c.speed}, .name = "movers"});
    digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_OWNED, mica_sort(world, c.place, by_value, NULL));
    CHECK(strstr(c.t.error.last.sentence, "'movers'") != NULL);
    check_refused(&c, MICA_ERROR_OWNED, MICA_ERROR_OWNED, digest);
    test_world_end(&c.t);
}

static mica_result sort_like_speeds(crowd *c)
{
    return mica_sort_like(c->world, c->place, c->speed);
}

PROMISE(mica_sort_like)
{
    crowd c;
    mica_world *world = begin(&c);
    const mica_type others[] = {c.speed, c.stable, c.mark};
    for (uint32_t k = 0; k < 3; k++) {
        // [sort.like]
        mica_entity before[CROWD];
        mica_entity like[CROWD];
        mica_entity now[CROWD];
        list_of(&c, c.place, before);
        uint32_t both = list_of(&c, others[k], like);
        CHECK_EQUAL(MICA_OK, mica_sort_like(world, c.place, others[k]));
        CHECK_EQUAL(CROWD, list_of(&c, c.place, now));
        CHECK_BYTES(like, now, both * sizeof *now);
        uint32_t at = both;
        for (uint32_t i = 0; i < CROWD; i++) {
            if (!mica_has(world, before[i], others[k])) {
                CHECK(MICA_EQUAL(before[i], now[at]));
                at++;
            }
        }
        CHECK_EQUAL(CROWD, at);
    }

    // [sort.like]: only instructions show what it costs. [sort.like_fail]
    uint64_t digest = mica_world_digest(world);
    check_refused(&c, MICA_ERROR_ARGUMENT, mica_sort_like(world, c.table, c.place), digest);
    check_refused(&c, MICA_ERROR_ARGUMENT, mica_sort_like(world, c.place, c.table), digest);
    check_refused(&c, MICA_ERROR_ARGUMENT, mica_sort_like(world, c.stable, c.place), digest);
    check_refused(&c, MICA_ERROR_TYPE, mica_sort_like(world, (mica_type){0}, c.place), digest);
    check_refused(&c, MICA_ERROR_TYPE, mica_sort_like(world, c.place, (mica_type){0}), digest);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_sort_like(NULL, c.place, c.speed));
    check_sort_memory(&c, sort_like_speeds);
    mica_group_new(world, &(mica_group_desc){.owned = {c.speed, c.mark}});
    CHECK_EQUAL(MICA_OK, mica_sort_like(world, c.place, c.speed));
    digest = mica_world_digest(world);
    check_refused(&c, MICA_ERROR_OWNED, mica_sort_like(world, c.speed, c.place), digest);
    test_world_end(&c.t);
}

static mica_group sorted; // by the two below

static mica_result sort_members(crowd *c)
{
    return mica_group_sort(c->world, sorted, c->place, by_value, &comparisons);
}

PROMISE(mica_group_sort)
{
    for (uint32_t owning = 0; owning < 2; owning++) {
        crowd c;
        mica_world *world = begin(&c);
        sorted = owning ? mica_group_new(world, &(mica_group_desc){.owned = {c.place, c.speed}})
                        : mica_group_new(world, &(mica_group_desc){.required = {c.place, c.speed}});
        mica_group group = sorted;
        mica_query_desc members = {.terms = {{c.place, MICA_READ}, {c.speed, MICA_READ}}};

        // [group.sort]: each keeps its values
        mica_entity order[CROWD];
        int32_t speeds[CROWD];
        for (uint32_t i = 0; i < CROWD; i++) {
            speeds[i] = x_of(&c, c.speed, c.entities[i]);
        }
        CHECK_EQUAL(MICA_OK, sort_members(&c));
        uint32_t count = list(&c, members, order);
        CHECK_EQUAL(test_group_count(world, group), count);
        for (uint32_t i = 1; i < count; i++) {
            CHECK(x_of(&c, c.place, order[i - 1]) < x_of(&c, c.place, order[i]));
        }
        CHECK_EQUAL(MICA_OK, mica_group_sort(world, group, c.speed, by_value, &comparisons));
        CHECK_EQUAL(count, list(&c, members, order));
        for (uint32_t i = 1; i < count; i++) {
            CHECK(x_of(&c, c.speed, order[i - 1]) < x_of(&c, c.speed, order[i]));
        }
        for (uint32_t i = 0; i < CROWD; i++) {
            CHECK_EQUAL(speeds[i], x_of(&c, c.speed, c.entities[i]));
        }

        // Until some join or leave: who joins comes last, and who leaves is replaced by the last.
        mica_entity joining =
            mica_spawn(world, MICA_VALUE(c.place, Place, -5), MICA_VALUE(c.speed, Place, -5));
        mica_entity gone = order[1];
        mica_remove(world, gone, c.speed);
        mica_entity now[CROWD];
        CHECK_EQUAL(count, list(&c, members, now));
        CHECK(MICA_EQUAL(order[0], now[0]));
        CHECK(MICA_EQUAL(joining, now[1]));
        CHECK(MICA_EQUAL(order[2], now[2]));
        CHECK(MICA_EQUAL(order[count - 1], now[count - 1]));

        // [group.sort_fail]
        uint64_t digest = mica_world_digest(world);
        check_refused(&c, MICA_ERROR_GROUP,
                      mica_group_sort(world, (mica_group){0}, c.place, by_value, NULL), digest);
        check_refused(&c, MICA_ERROR_ARGUMENT,
                      mica_group_sort(world, group, c.mark, by_value, NULL), digest);
        check_refused(&c, MICA_ERROR_TYPE,
                      mica_group_sort(world, group, (mica_type){0}, by_value, NULL), digest);
        check_refused(&c, MICA_ERROR_NULL, mica_group_sort(world, group, c.place, NULL, NULL),
                      digest);
        CHECK_EQUAL(MICA_ERROR_NULL, mica_group_sort(NULL, group, c.place, by_value, NULL));
        check_sort_memory(&c, sort_members);
        test_world_end(&c.t);
    }
}

static mica_result sort_members_like(crowd *c)
{
    return mica_group_sort_like(c->world, sorted, c->mark);
}

PROMISE(mica_group_sort_like)
{
    for (uint32_t owning = 0; owning < 2; owning++) {
        crowd c;
        mica_world *world = begin(&c);
        sorted = owning ? mica_group_new(world, &(mica_group_desc){.owned = {c.place, c.speed}})
                        : mica_group_new(world, &(mica_group_desc){.required = {c.place, c.speed}});
        mica_group group = sorted;
        mica_query_desc members = {.terms = {{c.place, MICA_READ}, {c.speed, MICA_READ}}};

        // [group.sort_like], [group.sort_last]
        mica_entity like[CROWD];
        mica_entity before[CROWD];
        mica_entity now[CROWD];
        uint32_t marked = list_of(&c, c.mark, like);
        uint32_t count = list(&c, members, before);
        CHECK_EQUAL(MICA_OK, sort_members_like(&c));
        CHECK_EQUAL(count, list(&c, members, now));
        uint32_t at = 0;
        for (uint32_t i = 0; i < marked; i++) {
            if (mica_has(world, like[i], c.speed)) {
                CHECK(MICA_EQUAL(like[i], now[at]));
                at++;
            }
        }
        CHECK(at > 0 && at < count);
        for (uint32_t i = 0; i < count; i++) {
            if (!mica_has(world, before[i], c.mark)) {
                CHECK(MICA_EQUAL(before[i], now[at]));
                at++;
            }
        }
        CHECK_EQUAL(count, at);

        // [group.sort_like]: MICA_ERROR_OWNED; a list of its own may be as what it needs
        uint64_t digest = mica_world_digest(world);
        if (owning) {
            check_refused(&c, MICA_ERROR_OWNED, mica_group_sort_like(world, group, c.place),
                          digest);
        } else {
            CHECK_EQUAL(MICA_OK, mica_group_sort_like(world, group, c.place));
            digest = mica_world_digest(world);
        }
        check_refused(&c, MICA_ERROR_GROUP, mica_group_sort_like(world, (mica_group){0}, c.mark),
                      digest);
        check_refused(&c, MICA_ERROR_TYPE, mica_group_sort_like(world, group, (mica_type){0}),
                      digest);
        check_refused(&c, MICA_ERROR_ARGUMENT, mica_group_sort_like(world, group, c.table), digest);
        CHECK_EQUAL(MICA_ERROR_NULL, mica_group_sort_like(NULL, group, c.mark));
        check_sort_memory(&c, sort_members_like);
        test_world_end(&c.t);
    }
}

TESTS(group, promise_of_mica_group_new, promise_of_mica_group_free, promise_of_mica_sort,
      promise_of_mica_sort_like, promise_of_mica_group_sort, promise_of_mica_group_sort_like)
