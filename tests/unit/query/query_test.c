#include "query/query.h"

#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Health {
    int32_t points;
} Health;

enum { TYPES = 4, SHAPES = 1 << TYPES };

// A world with one entity of every shape four types can make; `frozen` is a tag.
typedef struct cast {
    test_world t;
    mica_world *world;
    union {
        struct {
            mica_type position, velocity, health, frozen;
        };
        mica_type types[TYPES];
    };
    mica_entity entities[SHAPES]; // bit per type
} cast;

static void register_types(cast *c)
{
    c->world = test_world_begin(&c->t);
    c->position = MICA_REGISTER(c->world, Position, x, y);
    c->velocity = MICA_REGISTER(c->world, Velocity, x, y);
    c->health = MICA_REGISTER(c->world, Health, points);
    c->frozen = MICA_TAG(c->world, Frozen);
}

static mica_entity spawn_shape(cast *c, uint32_t shape)
{
    mica_value values[TYPES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        if (shape >> i & 1) {
            values[count++] = MICA_ADD(c->types[i]);
        }
    }
    return mica_spawn_values(c->world, values, count);
}

static mica_world *begin(cast *c)
{
    register_types(c);
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        c->entities[shape] = spawn_shape(c, shape);
    }
    return c->world;
}

static void end(cast *c)
{
    test_world_end(&c->t);
}

static micai_query *inside(mica_world *world, mica_query query)
{
    micai_query *found = micai_query_find(world, "test", query);
    REQUIRE(found != NULL);
    return found;
}

// All entities of a query in order; at most `max`.
static uint32_t collect(mica_world *world, mica_query query, mica_entity *out, uint32_t max)
{
    uint32_t count = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count && count < max; i++) {
            out[count++] = it.entities[i];
        }
    }
    return count;
}

// The query finds exactly the shapes whose bit is set.
static void check_shapes(cast *c, mica_query query, uint32_t shapes)
{
    uint32_t found = 0;
    mica_entity all[SHAPES + 1];
    uint32_t count = collect(c->world, query, all, SHAPES + 1);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t shape = 0; shape < SHAPES; shape++) {
            found |= (uint32_t)mica_entity_equal(all[i], c->entities[shape]) << shape;
        }
    }
    CHECK_EQUAL(shapes, found);
    CHECK_EQUAL(micai_bits_ones(shapes), count);
    CHECK_EQUAL(count, mica_query_count(c->world, query));
    CHECK_EQUAL((count > 0 ? all[0] : mica_entity_none()).bits,
                mica_query_first(c->world, query).bits);
}

#define QUERY(world, ...) mica_query_new(world, &(mica_query_desc){.terms = {__VA_ARGS__}})

static void a_query_of_everything_matches_every_entity(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    CHECK(!mica_query_is_none(query));
    check_shapes(&c, query, 0xffff);
    end(&c);
}

static void read_write_and_with_need_the_component(void)
{
    cast c;
    mica_world *world = begin(&c);
    check_shapes(&c, QUERY(world, {c.position, MICA_READ}), 0xaaaa);
    check_shapes(&c, QUERY(world, {c.position, MICA_WRITE}), 0xaaaa);
    check_shapes(&c, QUERY(world, {c.position, MICA_WITH}), 0xaaaa);
    check_shapes(&c, QUERY(world, {c.position, MICA_READ}, {c.velocity, MICA_WRITE}), 0x8888);
    end(&c);
}

static void without_wants_it_absent(void)
{
    cast c;
    mica_world *world = begin(&c);
    check_shapes(&c, QUERY(world, {c.position, MICA_WITHOUT}), 0x5555);
    check_shapes(&c, QUERY(world, {c.position, MICA_READ}, {c.velocity, MICA_WITHOUT}), 0x2222);
    end(&c);
}

static void optional_terms_decide_nothing(void)
{
    cast c;
    mica_world *world = begin(&c);
    check_shapes(&c, QUERY(world, {c.position, MICA_OPTIONAL}), 0xffff);
    check_shapes(&c, QUERY(world, {c.position, MICA_OPTIONAL_WRITE}), 0xffff);
    check_shapes(&c, QUERY(world, {c.position, MICA_READ}, {c.health, MICA_OPTIONAL}), 0xaaaa);
    end(&c);
}

static void any_wants_one_of_all_any_terms(void)
{
    cast c;
    mica_world *world = begin(&c);
    check_shapes(&c, QUERY(world, {c.position, MICA_ANY}), 0xaaaa);
    check_shapes(&c, QUERY(world, {c.position, MICA_ANY}, {c.velocity, MICA_ANY}), 0xeeee);
    check_shapes(&c, QUERY(world, {c.position, MICA_ANY}, {c.frozen, MICA_ANY}), 0xffaa);
    end(&c);
}

static void tags_decide_like_components(void)
{
    cast c;
    mica_world *world = begin(&c);
    check_shapes(&c, QUERY(world, {c.frozen, MICA_READ}), 0xff00);
    check_shapes(&c, QUERY(world, {c.frozen, MICA_WITH}), 0xff00);
    check_shapes(&c, QUERY(world, {c.frozen, MICA_WITHOUT}), 0x00ff);
    check_shapes(&c, QUERY(world, {c.frozen, MICA_OPTIONAL}), 0xffff);
    end(&c);
}

// What a term means, written down once more and simply.
static bool is_wanted(const int *access, uint32_t shape)
{
    bool any = false;
    bool any_there = false;
    for (uint32_t i = 0; i < TYPES; i++) {
        bool has = shape >> i & 1;
        switch (access[i]) {
        case MICA_READ:
        case MICA_WRITE:
        case MICA_WITH:
            if (!has) {
                return false;
            }
            break;
        case MICA_WITHOUT:
            if (has) {
                return false;
            }
            break;
        case MICA_ANY:
            any = true;
            any_there = any_there || has;
            break;
        default: break;
        }
    }
    return !any || any_there;
}

// S0.9. Four types in eight roles each (the first: not named), against entities of all shapes.
static void s0_9_every_query_finds_every_archetype_that_contains_its_shape(void)
{
    cast c;
    mica_world *world = begin(&c);
    uint32_t wrong = 0;
    for (uint32_t number = 0; number < 4096; number++) {
        int access[TYPES];
        mica_query_desc desc = {0};
        uint32_t count = 0;
        for (uint32_t i = 0; i < TYPES; i++) {
            access[i] = (int)(number >> 3 * i & 7);
            if (access[i] != MICA_ACCESS_NONE) {
                desc.terms[count++] = (mica_term){c.types[i], (mica_access)access[i]};
            }
        }
        desc.everything = count == 0;
        mica_query query = mica_query_new(world, &desc);
        uint32_t matching = 0;
        for (uint32_t shape = 0; shape < SHAPES; shape++) {
            bool wanted = is_wanted(access, shape);
            wrong += mica_query_contains(world, query, c.entities[shape]) != wanted;
            matching += wanted;
        }
        wrong += mica_query_count(world, query) != matching;
        wrong += mica_query_free(world, query) != MICA_OK;
    }
    CHECK_EQUAL(0, wrong);
    end(&c);
}

static void types_beyond_the_first_256_decide_too(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type types[300];
    for (uint32_t i = 0; i < 300; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%" PRIu32, i);
        types[i] =
            i % 2
                ? mica_type_register_tag(world, name)
                : mica_type_register(world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
    }
    mica_entity low = mica_spawn(world, MICA_ADD(types[0]));
    mica_entity high = mica_spawn(world, MICA_ADD(types[0]), MICA_ADD(types[298]));
    mica_entity tagged = mica_spawn(world, MICA_ADD(types[299]));
    mica_query with = QUERY(world, {types[298], MICA_WRITE}, {types[0], MICA_READ});
    mica_query without = QUERY(world, {types[298], MICA_WITHOUT}, {types[299], MICA_WITHOUT});
    mica_query any = QUERY(world, {types[298], MICA_ANY}, {types[299], MICA_ANY});
    CHECK_EQUAL(1, mica_query_count(world, with));
    CHECK_EQUAL(high.bits, mica_query_first(world, with).bits);
    CHECK_EQUAL(low.bits, mica_query_first(world, without).bits);
    CHECK_EQUAL(1, mica_query_count(world, without));
    CHECK(mica_query_contains(world, any, high) && mica_query_contains(world, any, tagged));
    CHECK(!mica_query_contains(world, any, low));
    mica_iter it;
    mica_iter_begin(world, with, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(mica_get(world, high, types[298]), mica_write(&it, 0));
    CHECK_POINTER(mica_get(world, high, types[0]), mica_read(&it, 1));
    mica_iter_end(&it);
    test_world_end(&t);
}

static void more_terms_follow_the_terms(void)
{
    cast c;
    mica_world *world = begin(&c);
    const mica_term more[] = {{c.velocity, MICA_READ}, {c.frozen, MICA_WITHOUT}};
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{c.position, MICA_WRITE}},
                                                                .more_terms = more,
                                                                .more_count = 2});
    check_shapes(&c, query, 0x0088);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(mica_get(world, it.entities[0], c.velocity), mica_read(&it, 1));
    mica_iter_end(&it);
    end(&c);
}

// Asking

static void the_dead_are_in_no_query_silently(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_despawn(world, c.entities[3]);
    CHECK(!mica_query_contains(world, query, c.entities[3]));
    CHECK(!mica_query_contains(world, query, mica_entity_none()));
    CHECK(mica_query_contains(world, query, c.entities[2]));
    CHECK_EQUAL(15, mica_query_count(world, query));
    end(&c);
}

static void a_query_without_matches_has_no_first_and_counts_zero(void)
{
    cast c;
    register_types(&c);
    mica_query query = QUERY(c.world, {c.position, MICA_READ});
    CHECK_EQUAL(0, mica_query_count(c.world, query));
    CHECK(mica_entity_is_none(mica_query_first(c.world, query)));
    mica_entity entity = mica_spawn(c.world, MICA_ADD(c.position));
    CHECK_EQUAL(entity.bits, mica_query_first(c.world, query).bits);
    mica_despawn(c.world, entity);
    CHECK(mica_entity_is_none(mica_query_first(c.world, query)));
    CHECK_EQUAL(0, mica_query_count(c.world, query));
    end(&c);
}

static void check_explained(cast *c, mica_query query, uint32_t shape, const char *reason)
{
    char id[MICA_ENTITY_TEXT_SIZE];
    char expected[256];
    char text[256];
    snprintf(expected, sizeof expected, "entity %s %s", mica_entity_text(c->entities[shape], id),
             reason);
    CHECK_EQUAL(MICA_OK,
                mica_query_explain(c->world, query, c->entities[shape], text, sizeof text));
    CHECK_TEXT(expected, text);
}

// S0.9: the sentence names the component that is missing.
static void s0_9_explain_says_which_component_is_missing(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query query = QUERY(world, {c.position, MICA_WRITE}, {c.velocity, MICA_READ},
                             {c.health, MICA_OPTIONAL}, {c.frozen, MICA_WITHOUT});
    check_explained(&c, query, 3, "matches");
    check_explained(&c, query, 1, "does not match: it has no 'Velocity'");
    check_explained(&c, query, 0, "does not match: it has no 'Position', it has no 'Velocity'");
    check_explained(&c, query, 9, "does not match: it has no 'Velocity', it has 'Frozen'");
    mica_query with = QUERY(world, {c.frozen, MICA_WITH});
    check_explained(&c, with, 1, "does not match: it has no 'Frozen'");
    mica_query any = QUERY(world, {c.position, MICA_ANY}, {c.health, MICA_WITH},
                           {c.velocity, MICA_ANY}, {c.frozen, MICA_OPTIONAL_WRITE});
    check_explained(&c, any, 4, "does not match: it has none of 'Position', 'Velocity'");
    check_explained(&c, any, 8,
                    "does not match: it has no 'Health', it has none of 'Position', 'Velocity'");
    check_explained(&c, any, 6, "matches");
    check_explained(&c, mica_query_new(world, &(mica_query_desc){.everything = true}), 0,
                    "matches");
    mica_despawn(world, c.entities[3]);
    check_explained(&c, query, 3, "does not match: it is dead, or of another world");
    end(&c);
}

static void an_explanation_is_cut_to_its_room(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query query = QUERY(world, {c.position, MICA_READ});
    char whole[64];
    mica_query_explain(world, query, c.entities[0], whole, sizeof whole);
    size_t length = strlen(whole);
    for (size_t size = 1; size <= length + 1; size++) {
        char text[64];
        memset(text, '#', sizeof text);
        CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c.entities[0], text, size));
        CHECK_BYTES(whole, text, size - 1);
        CHECK_EQUAL(0, text[size - 1]);
        CHECK_EQUAL('#', text[size]);
    }
    char text[4] = "abc";
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_explain(world, query, c.entities[0], text, 0));
    CHECK_ERROR(&c.t, MICA_ERROR_ARGUMENT, "mica_query_explain: the text has no room");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_explain(world, query, c.entities[0], NULL, 4));
    CHECK_ERROR(&c.t, MICA_ERROR_NULL, "mica_query_explain: text is null");
    CHECK_EQUAL(MICA_ERROR_QUERY,
                mica_query_explain(world, (mica_query){0}, c.entities[0], text, sizeof text));
    CHECK_ERROR(&c.t, MICA_ERROR_QUERY, "mica_query_explain: the query is none");
    CHECK_TEXT("abc", text);
    end(&c);
}

// The cache

// S3.4. The entries that were there stay, to the byte; the new one is put behind them.
static void s3_4_a_table_that_appears_is_put_behind_the_others(void)
{
    cast c;
    register_types(&c);
    mica_world *world = c.world;
    mica_query handle = QUERY(world, {c.position, MICA_READ}, {c.health, MICA_OPTIONAL});
    mica_query other = QUERY(world, {c.velocity, MICA_READ});
    micai_query *query = inside(world, handle);
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        micai_table *tables[SHAPES] = {0};
        micai_found found[2 * SHAPES];
        uint32_t count = query->tables.count;
        if (count > 0) {
            memcpy(tables, query->tables.items, count * sizeof *tables);
            memcpy(found, query->found.items, 2 * count * sizeof *found);
        }
        c.entities[shape] = spawn_shape(&c, shape);
        CHECK_EQUAL(count + (shape & 1), query->tables.count);
        CHECK_EQUAL(2 * query->tables.count, query->found.count);
        if (count > 0) {
            CHECK_BYTES(tables, query->tables.items, count * sizeof *tables);
            CHECK_BYTES(found, query->found.items, 2 * count * sizeof *found);
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    check_shapes(&c, handle, 0xaaaa);
    check_shapes(&c, other, 0xcccc);
    CHECK_EQUAL(MICA_OK, mica_query_free(world, other));
    spawn_shape(&c, 0);
    end(&c);
}

// S3.4. Nothing is searched again: the array is the same one, and no memory is asked for.
static void s3_4_a_table_that_is_reclaimed_is_struck_out(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query freed = QUERY(world, {c.position, MICA_READ});
    mica_query handle = QUERY(world, {c.position, MICA_READ}, {c.health, MICA_OPTIONAL});
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    CHECK_EQUAL(MICA_OK, mica_query_free(world, freed));
    micai_query *query = inside(world, handle);
    mica_entity before[SHAPES];
    mica_entity after[SHAPES];
    uint32_t count = collect(world, handle, before, SHAPES);
    CHECK_EQUAL(8, count);
    micai_table **items = query->tables.items;
    uint64_t allocations = c.t.memory.allocations;
    mica_despawn(world, c.entities[1]);  // the first that matches
    mica_despawn(world, c.entities[7]);  // one in the middle
    mica_despawn(world, c.entities[15]); // the last
    mica_despawn(world, c.entities[2]);  // one that does not
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(allocations, c.t.memory.allocations);
    CHECK_POINTER(items, query->tables.items);
    CHECK_EQUAL(5, query->tables.count);
    CHECK_EQUAL(10, query->found.count);
    CHECK_EQUAL(12, inside(world, all)->tables.count);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    // The others are in the order they had.
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (mica_alive(world, before[i])) {
            before[kept++] = before[i];
        }
    }
    CHECK_EQUAL(5, collect(world, handle, after, SHAPES));
    CHECK_BYTES(before, after, kept * sizeof *after);
    // It comes back when it is needed again.
    c.entities[7] = spawn_shape(&c, 7);
    CHECK_EQUAL(6, mica_query_count(world, handle));
    CHECK(mica_query_contains(world, handle, c.entities[7]));
    end(&c);
}

static void results_come_by_creation_of_tables_and_rows_ascending(void)
{
    cast c;
    register_types(&c);
    mica_world *world = c.world;
    mica_query query = QUERY(world, {c.position, MICA_WITH});
    static const uint32_t shapes[] = {15, 1, 3, 9, 5};
    enum { TABLES = 5, ROWS = 2 * (int)MICAI_ROWS + 1 };
    static mica_entity expected[TABLES][ROWS];
    static mica_entity found[TABLES * ROWS + 1];
    for (uint32_t i = 0; i < TABLES; i++) {
        expected[i][0] = spawn_shape(&c, shapes[i]);
    }
    // Rows are given to the tables in another order than the tables were made in.
    for (uint32_t row = 1; row < ROWS; row++) {
        for (uint32_t i = TABLES; i-- > 0;) {
            expected[i][row] = spawn_shape(&c, shapes[i]);
        }
    }
    CHECK_EQUAL(TABLES * ROWS, collect(world, query, found, TABLES * ROWS + 1));
    CHECK_BYTES(expected, found, sizeof expected);
    // One that is made afterwards agrees.
    mica_query late = QUERY(world, {c.position, MICA_READ});
    CHECK_EQUAL(TABLES * ROWS, collect(world, late, found, TABLES * ROWS + 1));
    CHECK_BYTES(expected, found, sizeof expected);
    end(&c);
}

// A reclaimed table's number is used again; the order is by creation all the same.
static void queries_made_before_and_after_reclaiming_agree_on_the_order(void)
{
    cast c;
    register_types(&c);
    mica_world *world = c.world;
    mica_query early = QUERY(world, {c.position, MICA_READ});
    mica_entity first = spawn_shape(&c, 1);
    mica_entity gone = spawn_shape(&c, 3);
    mica_entity second = spawn_shape(&c, 5);
    mica_despawn(world, gone);
    mica_world_reclaim(world);
    mica_entity third = spawn_shape(&c, 7);
    mica_entity fourth = spawn_shape(&c, 3);
    const mica_entity expected[] = {first, second, third, fourth};
    mica_entity found[8] = {0};
    CHECK_EQUAL(4, collect(world, early, found, 8));
    CHECK_BYTES(expected, found, sizeof expected);
    mica_query late = QUERY(world, {c.position, MICA_READ});
    CHECK_EQUAL(4, collect(world, late, found, 8));
    CHECK_BYTES(expected, found, sizeof expected);
    end(&c);
}

static void clearing_the_world_keeps_queries(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query query = QUERY(world, {c.position, MICA_READ});
    CHECK_EQUAL(MICA_OK, mica_world_clear(world));
    CHECK_EQUAL(0, mica_query_count(world, query));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(0, inside(world, query)->tables.count);
    mica_entity entity = mica_spawn(world, MICA_ADD(c.position));
    CHECK_EQUAL(entity.bits, mica_query_first(world, query).bits);
    end(&c);
}

static void the_stats_count_queries(void)
{
    cast c;
    mica_world *world = begin(&c);
    CHECK_EQUAL(0, mica_world_stats(world).queries);
    mica_query a = QUERY(world, {c.position, MICA_READ});
    mica_query b = QUERY(world, {c.position, MICA_READ});
    CHECK(a.bits != b.bits);
    CHECK_EQUAL(2, mica_world_stats(world).queries);
    mica_query_free(world, a);
    CHECK_EQUAL(1, mica_world_stats(world).queries);
    end(&c);
}

// Handles

// Every function that takes a query, with one that is not there.
static void check_no_query(cast *c, mica_query query, const char *what)
{
    mica_world *world = c->world;
    char sentence[128];
    char text[8] = "before";
    uint32_t changed = 77;
    const Health health = {1};
#define NO_QUERY(call, holds)                                                                      \
    CHECK(holds);                                                                                  \
    snprintf(sentence, sizeof sentence, call ": the query is %s", what);                           \
    CHECK_ERROR(&c->t, MICA_ERROR_QUERY, sentence)
    NO_QUERY("mica_query_count", mica_query_count(world, query) == 0);
    NO_QUERY("mica_query_first", mica_entity_is_none(mica_query_first(world, query)));
    NO_QUERY("mica_query_contains", !mica_query_contains(world, query, c->entities[1]));
    NO_QUERY("mica_query_explain", mica_query_explain(world, query, c->entities[1], text,
                                                      sizeof text) == MICA_ERROR_QUERY);
    NO_QUERY("mica_add_all", mica_add_all(world, query, c->health, &changed) == MICA_ERROR_QUERY);
    NO_QUERY("mica_remove_all",
             mica_remove_all(world, query, c->health, &changed) == MICA_ERROR_QUERY);
    NO_QUERY("mica_set_all", mica_set_all(world, query, c->health, &health, sizeof health,
                                          &changed) == MICA_ERROR_QUERY);
    NO_QUERY("mica_despawn_all", mica_despawn_all(world, query, &changed) == MICA_ERROR_QUERY);
    NO_QUERY("mica_query_free", mica_query_free(world, query) == MICA_ERROR_QUERY);
    CHECK_EQUAL(77, changed);
    CHECK_TEXT("before", text);
    // An iteration that never began says why at its begin, once, and has no segments.
    mica_iter it;
    mica_iter_begin(world, query, &it);
    NO_QUERY("mica_iter_begin", !mica_iter_next(&it));
    mica_iter_end(&it);
    mica_iter_begin_entity(world, query, c->entities[1], &it);
    NO_QUERY("mica_iter_begin_entity", !mica_iter_next(&it));
    CHECK_EQUAL(SHAPES, mica_entity_count(world));
#undef NO_QUERY
}

static void queries_that_are_none_freed_or_foreign_are_refused(void)
{
    cast c;
    cast other;
    mica_world *world = begin(&c);
    begin(&other);
    // Before the first query there is no list of them either.
    check_no_query(&c, (mica_query){0}, "none");
    mica_query freed = QUERY(world, {c.position, MICA_READ});
    CHECK_EQUAL(MICA_OK, mica_query_free(world, freed));
    check_no_query(&c, freed, "freed, or of another world");
    mica_query reused = QUERY(world, {c.position, MICA_READ}); // in the same place
    CHECK(freed.bits != reused.bits);
    check_no_query(&c, freed, "freed, or of another world");
    mica_query foreign = QUERY(other.world, {other.position, MICA_READ});
    check_no_query(&c, foreign, "freed, or of another world");
    check_no_query(&c, (mica_query){UINT64_MAX}, "freed, or of another world");
    check_no_query(&c, (mica_query){0}, "none");
    CHECK_EQUAL(8, mica_query_count(world, reused));
    end(&c);
    end(&other);
}

static void a_query_that_is_being_iterated_is_not_freed(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{c.position, MICA_READ}}, .name = "movers"});
    mica_query other = QUERY(world, {c.velocity, MICA_READ});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_query_free(world, query));
    CHECK_ERROR(
        &c.t, MICA_ERROR_ITERATING,
        "mica_query_free: refused while 'movers' is being iterated; do it afterwards, or end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    CHECK_EQUAL(MICA_OK, mica_query_free(world, other));
    CHECK(mica_iter_next(&it));
    mica_iter_end(&it);
    CHECK_EQUAL(MICA_OK, mica_query_free(world, query));
    end(&c);
}

// The sentence is about the query that is to be freed, not about another that is open too.
static void a_query_is_freed_while_others_are_iterated(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query outer = mica_query_new(
        world, &(mica_query_desc){.terms = {{c.position, MICA_READ}}, .name = "outer"});
    mica_query inner = mica_query_new(
        world, &(mica_query_desc){.terms = {{c.position, MICA_READ}}, .name = "inner"});
    mica_iter a;
    mica_iter_begin(world, outer, &a);
    mica_iter b;
    mica_iter_begin(world, inner, &b);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_query_free(world, outer));
    CHECK_ERROR(
        &c.t, MICA_ERROR_ITERATING,
        "mica_query_free: refused while 'outer' is being iterated; do it afterwards, or end that with mica_iter_end or, if it is lost, mica_world_end_iterations");
    mica_iter_end(&a);
    CHECK_EQUAL(MICA_OK, mica_query_free(world, outer));
    mica_iter_end(&b);
    end(&c);
}

// Bad descriptors

#define CHECK_NO_QUERY(c, code, sentence, ...)                                                     \
    do {                                                                                           \
        CHECK(mica_query_is_none(mica_query_new((c)->world, &(mica_query_desc){__VA_ARGS__})));    \
        CHECK_ERROR(&(c)->t, code, sentence);                                                      \
    } while (0)

static void terms_may_be_64_and_not_more(void)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_term terms[MICA_TERMS_MAX + 1];
    for (uint32_t i = 0; i <= MICA_TERMS_MAX; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%" PRIu32, i);
        terms[i].type =
            mica_type_register(world, &(mica_type_desc){.name = name, .size = 4, .align = 4});
        terms[i].access = MICA_OPTIONAL;
    }
    mica_entity entity = mica_spawn(world, MICA_VALUE(terms[63].type, int32_t, 63));
    mica_query_desc desc = {.more_terms = terms, .more_count = MICA_TERMS_MAX};
    mica_query query = mica_query_new(world, &desc);
    CHECK(!mica_query_is_none(query));
    mica_iter it;
    mica_iter_begin_entity(world, query, entity, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_EQUAL(63, *(const int32_t *)mica_read(&it, 63));
    CHECK_POINTER(NULL, mica_read(&it, 62));
    CHECK_POINTER(NULL, mica_read(&it, 31));
    CHECK_POINTER(NULL, mica_write(&it, 63));
    CHECK_ERROR(
        &t, MICA_ERROR_TERM,
        "mica_write: term 63 ('T63') is only read; use mica_read, or declare it MICA_OPTIONAL_WRITE");
    CHECK_POINTER(NULL, mica_read(&it, 64));
    CHECK_ERROR(&t, MICA_ERROR_TERM, "mica_read: there is no term 64 of the query; it has 64");
    mica_iter_end(&it);

    desc.more_count = MICA_TERMS_MAX + 1;
    CHECK(mica_query_is_none(mica_query_new(world, &desc)));
    CHECK_ERROR(&t, MICA_ERROR_TERMS, "mica_query_new: more than 64 terms");
    memcpy(desc.terms, terms, sizeof desc.terms);
    desc.more_terms = &terms[MICA_TERMS_INSIDE];
    desc.more_count = MICA_TERMS_MAX - MICA_TERMS_INSIDE;
    CHECK(!mica_query_is_none(mica_query_new(world, &desc)));
    desc.more_count++;
    CHECK(mica_query_is_none(mica_query_new(world, &desc)));
    CHECK_ERROR(&t, MICA_ERROR_TERMS, "mica_query_new: more than 64 terms");
    desc.more_terms = terms; // not read beyond what may be
    desc.more_count = UINT32_MAX;
    memset(desc.terms, 0, sizeof desc.terms);
    CHECK(mica_query_is_none(mica_query_new(world, &desc)));
    CHECK_ERROR(&t, MICA_ERROR_TERMS, "mica_query_new: more than 64 terms");
    test_world_end(&t);
}

static void a_component_stands_in_one_term_only(void)
{
    cast c;
    begin(&c);
    const mica_term again = {c.frozen, MICA_WITH};
    CHECK_NO_QUERY(&c, MICA_ERROR_TERMS,
                   "mica_query_new: term 1: 'Position' stands in term 0 already",
                   .terms = {{c.position, MICA_READ}, {c.position, MICA_WITHOUT}});
    CHECK_NO_QUERY(&c, MICA_ERROR_TERMS,
                   "mica_query_new: term 1: 'Position' stands in term 0 already",
                   .terms = {{c.position, MICA_READ}, {c.position, MICA_READ}});
    CHECK_NO_QUERY(&c, MICA_ERROR_TERMS,
                   "mica_query_new: term 1: 'Frozen' stands in term 0 already",
                   .terms = {{c.frozen, MICA_ANY}}, .more_terms = &again, .more_count = 1);
    CHECK_EQUAL(0, mica_world_stats(c.world).queries);
    end(&c);
}

static void terms_of_unknown_access_or_type_are_refused(void)
{
    cast c;
    cast other;
    begin(&c);
    begin(&other);
    const mica_term none = {mica_type_none(), MICA_READ};
    CHECK_NO_QUERY(&c, MICA_ERROR_ARGUMENT,
                   "mica_query_new: term 0: there is no access 8 (of 'Position')",
                   .terms = {{c.position, MICA_ACCESS_COUNT}});
    // A type that was never registered does not drop its term, nor those behind it.
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 0: the component type is none; was it registered?",
                   .terms = {{mica_type_none(), MICA_WITHOUT}});
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 1: the component type is none; was it registered?",
                   .terms = {{c.position, MICA_READ}, {mica_type_none(), MICA_READ}});
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 0: the component type is none; was it registered?",
                   .terms = {{mica_type_none(), MICA_ACCESS_NONE}, {c.position, MICA_READ}});
    CHECK_NO_QUERY(&c, MICA_ERROR_ARGUMENT,
                   "mica_query_new: term 0: there is no access 255 (of 'Position')",
                   .terms = {{c.position, 255}});
    CHECK_NO_QUERY(&c, MICA_ERROR_ARGUMENT,
                   "mica_query_new: term 0: there is no filter 2 (of 'Position')",
                   .terms = {{c.position, MICA_READ | 0x200}});
    CHECK_NO_QUERY(&c, MICA_ERROR_ARGUMENT,
                   "mica_query_new: term 0: there is no filter fffffe (of 'Position')",
                   .terms = {{c.position, UINT32_MAX}});
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 0: the component type is none; was it registered?",
                   .more_terms = &none, .more_count = 1);
    CHECK_NO_QUERY(
        &c, MICA_ERROR_TYPE,
        "mica_query_new: term 0: the component type is of another world, or no type at all",
        .terms = {{other.position, MICA_READ}});
    end(&c);
    end(&other);
}

// The list {{frozen}} of a type that was forgotten to be registered is all zero.
static void a_type_that_is_none_never_widens_a_query(void)
{
    cast c;
    mica_world *world = begin(&c);
    const mica_type forgotten = mica_type_none();
    const char sentence[] =
        "mica_query_new: no terms; a query of all entities says so with .everything = true";
    CHECK_NO_QUERY(&c, MICA_ERROR_TERMS, sentence, .terms = {{forgotten, 0}});
    CHECK_NO_QUERY(
        &c, MICA_ERROR_TERMS,
        "mica_query_new: query 'nothing said': no terms; a query of all entities says so with .everything = true",
        .name = "nothing said");
    mica_query none = mica_query_new(world, &(mica_query_desc){.terms = {{forgotten, 0}}});
    CHECK_EQUAL(1, test_error_clear(&c.t.error));
    uint32_t entities = mica_world_stats(world).entities;
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_despawn_all(world, none, NULL));
    CHECK_EQUAL(1, test_error_clear(&c.t.error));
    CHECK_EQUAL(entities, mica_world_stats(world).entities);
    const mica_term more = {forgotten, 0};
    CHECK_NO_QUERY(&c, MICA_ERROR_TYPE,
                   "mica_query_new: term 0: the component type is none; was it registered?",
                   .more_terms = &more, .more_count = 1);
    end(&c);
}

static void everything_goes_with_no_terms(void)
{
    cast c;
    begin(&c);
    const mica_term more = {c.frozen, MICA_WITH};
    CHECK_NO_QUERY(&c, MICA_ERROR_TERMS, "mica_query_new: .everything goes with no terms",
                   .terms = {{c.position, MICA_READ}}, .everything = true);
    CHECK_NO_QUERY(&c, MICA_ERROR_TERMS, "mica_query_new: .everything goes with no terms",
                   .more_terms = &more, .more_count = 1, .everything = true);
    end(&c);
}

static void the_access_of_a_term_must_be_named(void)
{
    cast c;
    begin(&c);
    const mica_term more = {c.frozen, 0};
    CHECK_NO_QUERY(
        &c, MICA_ERROR_ARGUMENT,
        "mica_query_new: term 0: the access of 'Position' must be named: MICA_READ, MICA_WITH or another",
        .terms = {{c.position, 0}});
    CHECK_NO_QUERY(
        &c, MICA_ERROR_ARGUMENT,
        "mica_query_new: term 1: the access of 'Velocity' must be named: MICA_READ, MICA_WITH or another",
        .terms = {{c.position, MICA_READ}, {c.velocity, MICA_ACCESS_NONE}});
    CHECK_NO_QUERY(
        &c, MICA_ERROR_ARGUMENT,
        "mica_query_new: term 0: the access of 'Frozen' must be named: MICA_READ, MICA_WITH or another",
        .more_terms = &more, .more_count = 1);
    end(&c);
}

static void bad_descriptors_make_no_query(void)
{
    cast c;
    mica_world *world = begin(&c);
    char long_name[MICA_NAME_SIZE_MAX + 2];
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = 0;
    CHECK_NO_QUERY(&c, MICA_ERROR_DESC,
                   "mica_query_new: the descriptor was not zeroed before it was filled in",
                   .first_zero = 1);
    CHECK_NO_QUERY(&c, MICA_ERROR_DESC,
                   "mica_query_new: the descriptor was not zeroed before it was filled in",
                   .last_zero = 1);
    CHECK_NO_QUERY(&c, MICA_ERROR_NULL, "mica_query_new: more_terms is null", .more_count = 1);
    CHECK_NO_QUERY(&c, MICA_ERROR_NAME, "mica_query_new: the name of the query is empty",
                   .name = "");
    CHECK_NO_QUERY(&c, MICA_ERROR_NAME,
                   "mica_query_new: the name of the query is longer than 255 bytes",
                   .name = long_name);
    mica_query_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    CHECK(mica_query_is_none(mica_query_new(world, &garbage)));
    CHECK_ERROR(&c.t, MICA_ERROR_DESC,
                "mica_query_new: the descriptor was not zeroed before it was filled in");
    CHECK(mica_query_is_none(mica_query_new(world, NULL)));
    CHECK_ERROR(&c.t, MICA_ERROR_NULL, "mica_query_new: desc is null");
    CHECK_EQUAL(0, mica_world_stats(world).queries);
    end(&c);
}

static void the_name_of_a_query_is_copied(void)
{
    cast c;
    mica_world *world = begin(&c);
    char name[] = "movers";
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true, .name = name});
    name[0] = 'X';
    CHECK_TEXT("movers", inside(world, query)->name);
    end(&c);
}

// They report to standard error: there is no world to ask for its handler.
static void without_a_world_there_are_no_queries(void)
{
    char text[4];
    const mica_query query = {1};
    const mica_type type = {1};
    CHECK(mica_query_is_none(mica_query_new(NULL, &(mica_query_desc){.everything = true})));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_free(NULL, query));
    CHECK_EQUAL(0, mica_query_count(NULL, query));
    CHECK(mica_entity_is_none(mica_query_first(NULL, query)));
    CHECK(!mica_query_contains(NULL, query, mica_entity_none()));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_explain(NULL, query, mica_entity_none(), text, 4));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_add_all(NULL, query, type, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_remove_all(NULL, query, type, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_all(NULL, query, type, text, 4, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_despawn_all(NULL, query, NULL));
    mica_iter it;
    mica_iter_begin(NULL, query, &it);
    CHECK(!mica_iter_next(&it));
    mica_iter_begin_entity(NULL, query, mica_entity_none(), &it);
    CHECK(!mica_iter_next(&it));
}

static void there_are_not_more_queries_than_numbers(void)
{
    cast c;
    mica_world *world = begin(&c);
    mica_query query = QUERY(world, {c.position, MICA_READ});
    micai_queries *queries = world->core->rooms[MICAI_ROOM_QUERY].state;
    uint32_t count = queries->list.count;
    queries->list.count = MICAI_STAMP_NUMBER_MAX + 1;
    c.t.error.blind = true;
    CHECK(mica_query_is_none(mica_query_new(world, &(mica_query_desc){.everything = true})));
    queries->list.count = count;
    CHECK_ERROR(&c.t, MICA_ERROR_LIMIT, "mica_query_new: too many queries");
    CHECK_EQUAL(8, mica_query_count(world, query));
    end(&c);
}

// Validation

static void check_broken(cast *c, const char *sentence)
{
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(c->world));
    CHECK_ERROR(&c->t, MICA_ERROR_CORRUPT, sentence);
}

static void validate_finds_a_query_with_the_wrong_tables(void) // Q1
{
    static const char sentence[] =
        "invariant Q1 is broken: query 0 has not exactly the tables that match";
    cast c;
    mica_world *world = begin(&c);
    micai_query *query = inside(world, QUERY(world, {c.position, MICA_READ}));
    // One too few.
    query->tables.count--;
    query->found.count--;
    check_broken(&c, sentence);
    query->tables.count++;
    check_broken(&c, sentence); // what is found alone is too little
    query->found.count++;
    // One that does not match.
    micai_table *table = query->tables.items[0];
    query->tables.items[0] = world->core->store.root;
    check_broken(&c, sentence);
    query->tables.items[0] = table;
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    end(&c);
}

static void validate_finds_a_query_with_tables_out_of_order(void) // Q1
{
    cast c;
    mica_world *world = begin(&c);
    micai_query *query = inside(world, QUERY(world, {c.position, MICA_READ}));
    micai_table *first = query->tables.items[0];
    micai_table *second = query->tables.items[1];
    query->tables.items[0] = second; // one twice
    check_broken(&c, "invariant Q1 is broken: query 0 has not exactly the tables that match");
    query->tables.items[1] = first;
    check_broken(&c, "invariant Q1 is broken: query 0 has not exactly the tables that match");
    query->tables.items[0] = first;
    query->tables.items[1] = second;
    end(&c);
}

static void validate_finds_a_wrong_column(void) // Q2
{
    cast c;
    mica_world *world = begin(&c);
    QUERY(world, {c.position, MICA_READ});
    micai_query *query =
        inside(world, QUERY(world, {c.position, MICA_READ}, {c.health, MICA_OPTIONAL}));
    for (uint32_t i = 0; i < query->found.count; i++) {
        query->found.items[i].column ^= 1;
        check_broken(&c, "invariant Q2 is broken: query 1 has a column wrong");
        query->found.items[i].column ^= 1;
        query->found.items[i].lane ^= 1;
        check_broken(&c, "invariant Q2 is broken: query 1 has a column wrong");
        query->found.items[i].lane ^= 1;
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    end(&c);
}

static void validate_finds_miscounted_iterations(void) // Q3, J1
{
    cast c;
    mica_world *world = begin(&c);
    mica_query handle = QUERY(world, {c.position, MICA_READ});
    micai_query *query = inside(world, handle);
    query->walks++;
    check_broken(&c, "invariant Q3 is broken: 0 iterations are open, not 1");
    query->walks--;
    mica_iter a;
    mica_iter_begin(world, handle, &a);
    mica_iter b;
    mica_iter_begin(world, handle, &b);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    query->walks--;
    check_broken(&c, "invariant Q3 is broken: 2 iterations are open, not 1");
    query->walks++;
    micai_walk *older = b.walk->older;
    b.walk->older = NULL;
    check_broken(&c, "invariant J1 is broken: the list of open iterations is broken");
    b.walk->older = older;
    mica_iter_end(&a);
    mica_iter_end(&b);
    end(&c);
}

TESTS(query, a_query_of_everything_matches_every_entity, read_write_and_with_need_the_component,
      without_wants_it_absent, optional_terms_decide_nothing, any_wants_one_of_all_any_terms,
      tags_decide_like_components, s0_9_every_query_finds_every_archetype_that_contains_its_shape,
      types_beyond_the_first_256_decide_too, more_terms_follow_the_terms,
      the_dead_are_in_no_query_silently, a_query_without_matches_has_no_first_and_counts_zero,
      s0_9_explain_says_which_component_is_missing, an_explanation_is_cut_to_its_room,
      s3_4_a_table_that_appears_is_put_behind_the_others,
      s3_4_a_table_that_is_reclaimed_is_struck_out,
      results_come_by_creation_of_tables_and_rows_ascending,
      queries_made_before_and_after_reclaiming_agree_on_the_order, clearing_the_world_keeps_queries,
      the_stats_count_queries, queries_that_are_none_freed_or_foreign_are_refused,
      a_query_that_is_being_iterated_is_not_freed, a_query_is_freed_while_others_are_iterated,
      terms_may_be_64_and_not_more, a_component_stands_in_one_term_only,
      terms_of_unknown_access_or_type_are_refused, a_type_that_is_none_never_widens_a_query,
      everything_goes_with_no_terms, the_access_of_a_term_must_be_named,
      bad_descriptors_make_no_query, the_name_of_a_query_is_copied,
      without_a_world_there_are_no_queries, there_are_not_more_queries_than_numbers,
      validate_finds_a_query_with_the_wrong_tables, validate_finds_a_query_with_tables_out_of_order,
      validate_finds_a_wrong_column, validate_finds_miscounted_iterations)
