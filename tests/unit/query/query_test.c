// Queries: who matches, what is asked of them, the list of tables.
#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/query/cast.h"

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
            found |= (uint32_t)MICA_EQUAL(all[i], c->entities[shape]) << shape;
        }
    }
    CHECK_EQUAL(shapes, found);
    CHECK_EQUAL(micai_bits_ones(shapes), count);
    CHECK_EQUAL(count, mica_query_count(c->world, query));
    CHECK_EQUAL((count > 0 ? all[0] : (mica_entity){0}).bits,
                mica_query_first(c->world, query).bits);
}

TEST_WITH(cast, c, a_query_of_everything_matches_every_entity)
{
    mica_world *world = c->world;
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    CHECK(!MICA_IS_NONE(query));
    check_shapes(c, query, 0xffff);
}

TEST_WITH(cast, c, read_write_and_with_need_the_component)
{
    mica_world *world = c->world;
    check_shapes(c, QUERY(world, {c->position, MICA_READ}), 0xaaaa);
    check_shapes(c, QUERY(world, {c->position, MICA_WRITE}), 0xaaaa);
    check_shapes(c, QUERY(world, {c->position, MICA_WITH}), 0xaaaa);
    check_shapes(c, QUERY(world, {c->position, MICA_READ}, {c->velocity, MICA_WRITE}), 0x8888);
}

TEST_WITH(cast, c, without_wants_it_absent)
{
    mica_world *world = c->world;
    check_shapes(c, QUERY(world, {c->position, MICA_WITHOUT}), 0x5555);
    check_shapes(c, QUERY(world, {c->position, MICA_READ}, {c->velocity, MICA_WITHOUT}), 0x2222);
}

TEST_WITH(cast, c, optional_terms_decide_nothing)
{
    mica_world *world = c->world;
    check_shapes(c, QUERY(world, {c->position, MICA_OPTIONAL}), 0xffff);
    check_shapes(c, QUERY(world, {c->position, MICA_OPTIONAL_WRITE}), 0xffff);
    check_shapes(c, QUERY(world, {c->position, MICA_READ}, {c->health, MICA_OPTIONAL}), 0xaaaa);
}

TEST_WITH(cast, c, any_wants_one_of_all_any_terms)
{
    mica_world *world = c->world;
    check_shapes(c, QUERY(world, {c->position, MICA_ANY}), 0xaaaa);
    check_shapes(c, QUERY(world, {c->position, MICA_ANY}, {c->velocity, MICA_ANY}), 0xeeee);
    check_shapes(c, QUERY(world, {c->position, MICA_ANY}, {c->frozen, MICA_ANY}), 0xffaa);
}

TEST_WITH(cast, c, tags_decide_like_components)
{
    mica_world *world = c->world;
    check_shapes(c, QUERY(world, {c->frozen, MICA_READ}), 0xff00);
    check_shapes(c, QUERY(world, {c->frozen, MICA_WITH}), 0xff00);
    check_shapes(c, QUERY(world, {c->frozen, MICA_WITHOUT}), 0x00ff);
    check_shapes(c, QUERY(world, {c->frozen, MICA_OPTIONAL}), 0xffff);
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
TEST_WITH(cast, c, s0_9_every_query_finds_every_archetype_that_contains_its_shape)
{
    mica_world *world = c->world;
    uint32_t wrong = 0;
    for (uint32_t number = 0; number < 4096; number++) {
        int access[TYPES];
        mica_query_desc desc = {0};
        uint32_t count = 0;
        for (uint32_t i = 0; i < TYPES; i++) {
            access[i] = (int)(number >> 3 * i & 7);
            if (access[i] != MICA_ACCESS_NONE) {
                desc.terms[count++] = (mica_term){c->types[i], (mica_access)access[i]};
            }
        }
        desc.everything = count == 0;
        mica_query query = mica_query_new(world, &desc);
        uint32_t matching = 0;
        for (uint32_t shape = 0; shape < SHAPES; shape++) {
            bool wanted = is_wanted(access, shape);
            wrong += mica_query_contains(world, query, c->entities[shape]) != wanted;
            matching += wanted;
        }
        wrong += mica_query_count(world, query) != matching;
        wrong += mica_query_free(world, query) != MICA_OK;
    }
    CHECK_EQUAL(0, wrong);
}

TEST_WITH(test_world, t, types_beyond_the_first_256_decide_too)
{
    mica_world *world = t->world;
    mica_type types[300];
    for (uint32_t i = 0; i < 300; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%" PRIu32, i);
        types[i] =
            i % 2
                ? mica_type_register(world, &(mica_type_desc){.name = name})
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
}

TEST_WITH(cast, c, more_terms_follow_the_terms)
{
    mica_world *world = c->world;
    const mica_term more[] = {{c->velocity, MICA_READ}, {c->frozen, MICA_WITHOUT}};
    mica_query query = mica_query_new(
        world, &(mica_query_desc){
                   .terms = {{c->position, MICA_WRITE}}, .more_terms = more, .more_count = 2});
    check_shapes(c, query, 0x0088);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    REQUIRE(mica_iter_next(&it));
    CHECK_POINTER(mica_get(world, it.entities[0], c->velocity), mica_read(&it, 1));
    mica_iter_end(&it);
}

// Asking

TEST_WITH(cast, c, the_dead_are_in_no_query_silently)
{
    mica_world *world = c->world;
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_despawn(world, c->entities[3]);
    CHECK(!mica_query_contains(world, query, c->entities[3]));
    CHECK(!mica_query_contains(world, query, (mica_entity){0}));
    CHECK(mica_query_contains(world, query, c->entities[2]));
    CHECK_EQUAL(15, mica_query_count(world, query));
}

static void a_query_without_matches_has_no_first_and_counts_zero(void)
{
    cast c;
    cast_register(&c);
    mica_query query = QUERY(c.world, {c.position, MICA_READ});
    CHECK_EQUAL(0, mica_query_count(c.world, query));
    CHECK(MICA_IS_NONE(mica_query_first(c.world, query)));
    mica_entity entity = mica_spawn(c.world, MICA_ADD(c.position));
    CHECK_EQUAL(entity.bits, mica_query_first(c.world, query).bits);
    mica_despawn(c.world, entity);
    CHECK(MICA_IS_NONE(mica_query_first(c.world, query)));
    CHECK_EQUAL(0, mica_query_count(c.world, query));
    cast_end(&c);
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
TEST_WITH(cast, c, s0_9_explain_says_which_component_is_missing)
{
    mica_world *world = c->world;
    mica_query query = QUERY(world, {c->position, MICA_WRITE}, {c->velocity, MICA_READ},
                             {c->health, MICA_OPTIONAL}, {c->frozen, MICA_WITHOUT});
    check_explained(c, query, 3, "matches");
    check_explained(c, query, 1, "does not match: it has no 'Velocity'");
    check_explained(c, query, 0, "does not match: it has no 'Position', it has no 'Velocity'");
    check_explained(c, query, 9, "does not match: it has no 'Velocity', it has 'Frozen'");
    mica_query with = QUERY(world, {c->frozen, MICA_WITH});
    check_explained(c, with, 1, "does not match: it has no 'Frozen'");
    mica_query any = QUERY(world, {c->position, MICA_ANY}, {c->health, MICA_WITH},
                           {c->velocity, MICA_ANY}, {c->frozen, MICA_OPTIONAL_WRITE});
    check_explained(c, any, 4, "does not match: it has none of 'Position', 'Velocity'");
    check_explained(c, any, 8,
                    "does not match: it has no 'Health', it has none of 'Position', 'Velocity'");
    check_explained(c, any, 6, "matches");
    check_explained(c, mica_query_new(world, &(mica_query_desc){.everything = true}), 0, "matches");
    mica_despawn(world, c->entities[3]);
    check_explained(c, query, 3, "does not match: it is dead, or of another world");
}

TEST_WITH(cast, c, an_explanation_is_cut_to_its_room)
{
    mica_world *world = c->world;
    mica_query query = QUERY(world, {c->position, MICA_READ});
    char whole[64];
    mica_query_explain(world, query, c->entities[0], whole, sizeof whole);
    size_t length = strlen(whole);
    for (size_t size = 1; size <= length + 1; size++) {
        char text[64];
        memset(text, '#', sizeof text);
        CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, c->entities[0], text, size));
        CHECK_BYTES(whole, text, size - 1);
        CHECK_EQUAL(0, text[size - 1]);
        CHECK_EQUAL('#', text[size]);
    }
    char text[4] = "abc";
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_query_explain(world, query, c->entities[0], text, 0));
    CHECK_ERROR(&c->t, MICA_ERROR_ARGUMENT, "mica_query_explain: the text has no room");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_query_explain(world, query, c->entities[0], NULL, 4));
    CHECK_ERROR(&c->t, MICA_ERROR_NULL, "mica_query_explain: text is null");
    CHECK_EQUAL(MICA_ERROR_QUERY,
                mica_query_explain(world, (mica_query){0}, c->entities[0], text, sizeof text));
    CHECK_ERROR(&c->t, MICA_ERROR_QUERY, "mica_query_explain: the query is none");
    CHECK_TEXT("abc", text);
}

// The cache

// S3.4. The entries that were there stay, to the byte; the new one is put behind them.
static void s3_4_a_table_that_appears_is_put_behind_the_others(void)
{
    cast c;
    cast_register(&c);
    mica_world *world = c.world;
    mica_query handle = QUERY(world, {c.position, MICA_READ}, {c.health, MICA_OPTIONAL});
    mica_query other = QUERY(world, {c.velocity, MICA_READ});
    micai_query *query = cast_inside(world, handle);
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        micai_table *tables[SHAPES] = {0};
        micai_term_column found[2 * SHAPES];
        uint32_t count = query->tables.count;
        if (count > 0) {
            memcpy(tables, query->tables.items, count * sizeof *tables);
            memcpy(found, query->term_columns.items, 2 * count * sizeof *found);
        }
        c.entities[shape] = cast_spawn(&c, shape);
        CHECK_EQUAL(count + (shape & 1), query->tables.count);
        CHECK_EQUAL(2 * query->tables.count, query->term_columns.count);
        if (count > 0) {
            CHECK_BYTES(tables, query->tables.items, count * sizeof *tables);
            CHECK_BYTES(found, query->term_columns.items, 2 * count * sizeof *found);
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    check_shapes(&c, handle, 0xaaaa);
    check_shapes(&c, other, 0xcccc);
    CHECK_EQUAL(MICA_OK, mica_query_free(world, other));
    cast_spawn(&c, 0);
    cast_end(&c);
}

// S3.4. Nothing is searched again: the array is the same one, and no memory is asked for.
TEST_WITH(cast, c, s3_4_a_table_that_is_reclaimed_is_struck_out)
{
    mica_world *world = c->world;
    mica_query freed = QUERY(world, {c->position, MICA_READ});
    mica_query handle = QUERY(world, {c->position, MICA_READ}, {c->health, MICA_OPTIONAL});
    mica_query all = mica_query_new(world, &(mica_query_desc){.everything = true});
    CHECK_EQUAL(MICA_OK, mica_query_free(world, freed));
    micai_query *query = cast_inside(world, handle);
    mica_entity before[SHAPES];
    mica_entity after[SHAPES];
    uint32_t count = collect(world, handle, before, SHAPES);
    CHECK_EQUAL(8, count);
    micai_table **items = query->tables.items;
    uint64_t allocations = c->t.memory.allocations;
    mica_despawn(world, c->entities[1]);  // the first that matches
    mica_despawn(world, c->entities[7]);  // one in the middle
    mica_despawn(world, c->entities[15]); // the last
    mica_despawn(world, c->entities[2]);  // one that does not
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(allocations, c->t.memory.allocations);
    CHECK_POINTER(items, query->tables.items);
    CHECK_EQUAL(5, query->tables.count);
    CHECK_EQUAL(10, query->term_columns.count);
    CHECK_EQUAL(12, cast_inside(world, all)->tables.count);
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
    c->entities[7] = cast_spawn(c, 7);
    CHECK_EQUAL(6, mica_query_count(world, handle));
    CHECK(mica_query_contains(world, handle, c->entities[7]));
}

static void results_come_by_creation_of_tables_and_rows_ascending(void)
{
    cast c;
    cast_register(&c);
    mica_world *world = c.world;
    mica_query query = QUERY(world, {c.position, MICA_WITH});
    static const uint32_t shapes[] = {15, 1, 3, 9, 5};
    enum { TABLES = 5, ROWS = 2 * (int)MICAI_ROWS + 1 };
    static mica_entity expected[TABLES][ROWS];
    static mica_entity found[TABLES * ROWS + 1];
    for (uint32_t i = 0; i < TABLES; i++) {
        expected[i][0] = cast_spawn(&c, shapes[i]);
    }
    // Rows are given to the tables in another order than the tables were made in.
    for (uint32_t row = 1; row < ROWS; row++) {
        for (uint32_t i = TABLES; i-- > 0;) {
            expected[i][row] = cast_spawn(&c, shapes[i]);
        }
    }
    CHECK_EQUAL(TABLES * ROWS, collect(world, query, found, TABLES * ROWS + 1));
    CHECK_BYTES(expected, found, sizeof expected);
    // One that is made afterwards agrees.
    mica_query late = QUERY(world, {c.position, MICA_READ});
    CHECK_EQUAL(TABLES * ROWS, collect(world, late, found, TABLES * ROWS + 1));
    CHECK_BYTES(expected, found, sizeof expected);
    cast_end(&c);
}

// A reclaimed table's number is used again; the order is by creation all the same.
static void queries_made_before_and_after_reclaiming_agree_on_the_order(void)
{
    cast c;
    cast_register(&c);
    mica_world *world = c.world;
    mica_query early = QUERY(world, {c.position, MICA_READ});
    mica_entity first = cast_spawn(&c, 1);
    mica_entity gone = cast_spawn(&c, 3);
    mica_entity second = cast_spawn(&c, 5);
    mica_despawn(world, gone);
    mica_world_reclaim(world);
    mica_entity third = cast_spawn(&c, 7);
    mica_entity fourth = cast_spawn(&c, 3);
    const mica_entity expected[] = {first, second, third, fourth};
    mica_entity found[8] = {0};
    CHECK_EQUAL(4, collect(world, early, found, 8));
    CHECK_BYTES(expected, found, sizeof expected);
    mica_query late = QUERY(world, {c.position, MICA_READ});
    CHECK_EQUAL(4, collect(world, late, found, 8));
    CHECK_BYTES(expected, found, sizeof expected);
    cast_end(&c);
}

TEST_WITH(cast, c, clearing_the_world_keeps_queries)
{
    mica_world *world = c->world;
    mica_query query = QUERY(world, {c->position, MICA_READ});
    CHECK_EQUAL(MICA_OK, mica_world_clear(world));
    CHECK_EQUAL(0, mica_query_count(world, query));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
    CHECK_EQUAL(0, cast_inside(world, query)->tables.count);
    mica_entity entity = mica_spawn(world, MICA_ADD(c->position));
    CHECK_EQUAL(entity.bits, mica_query_first(world, query).bits);
}

TEST_WITH(cast, c, the_stats_count_queries)
{
    mica_world *world = c->world;
    CHECK_EQUAL(0, mica_world_get_stats(world).queries);
    mica_query a = QUERY(world, {c->position, MICA_READ});
    mica_query b = QUERY(world, {c->position, MICA_READ});
    CHECK(a.bits != b.bits);
    CHECK_EQUAL(2, mica_world_get_stats(world).queries);
    mica_query_free(world, a);
    CHECK_EQUAL(1, mica_world_get_stats(world).queries);
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
        "invariant Q1 is broken: query 0 does not have exactly the matching tables";
    cast c;
    mica_world *world = cast_begin(&c);
    micai_query *query = cast_inside(world, QUERY(world, {c.position, MICA_READ}));
    // One too few.
    query->tables.count--;
    query->term_columns.count--;
    check_broken(&c, sentence);
    query->tables.count++;
    check_broken(&c, sentence); // what is found alone is too little
    query->term_columns.count++;
    // One that does not match.
    micai_table *table = query->tables.items[0];
    query->tables.items[0] = world->state->store.root;
    check_broken(&c, sentence);
    query->tables.items[0] = table;
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    cast_end(&c);
}

static void validate_finds_a_query_with_tables_out_of_order(void) // Q1
{
    cast c;
    mica_world *world = cast_begin(&c);
    micai_query *query = cast_inside(world, QUERY(world, {c.position, MICA_READ}));
    micai_table *first = query->tables.items[0];
    micai_table *second = query->tables.items[1];
    query->tables.items[0] = second; // one twice
    check_broken(&c, "invariant Q1 is broken: query 0 does not have exactly the matching tables");
    query->tables.items[1] = first;
    check_broken(&c, "invariant Q1 is broken: query 0 does not have exactly the matching tables");
    query->tables.items[0] = first;
    query->tables.items[1] = second;
    cast_end(&c);
}

static void validate_finds_a_wrong_column(void) // Q2
{
    cast c;
    mica_world *world = cast_begin(&c);
    QUERY(world, {c.position, MICA_READ});
    micai_query *query =
        cast_inside(world, QUERY(world, {c.position, MICA_READ}, {c.health, MICA_OPTIONAL}));
    for (uint32_t i = 0; i < query->term_columns.count; i++) {
        query->term_columns.items[i].column ^= 1;
        check_broken(&c, "invariant Q2 is broken: query 1 has a wrong column");
        query->term_columns.items[i].column ^= 1;
        query->term_columns.items[i].position ^= 1;
        check_broken(&c, "invariant Q2 is broken: query 1 has a wrong column");
        query->term_columns.items[i].position ^= 1;
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    cast_end(&c);
}

static void validate_finds_miscounted_iterations(void) // J1, J2
{
    cast c;
    mica_world *world = cast_begin(&c);
    mica_query handle = QUERY(world, {c.position, MICA_READ});
    mica_iter a;
    mica_iter_begin(world, handle, &a);
    mica_iter b;
    mica_iter_begin(world, handle, &b);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    micai_walk *older = b.walk->older;
    b.walk->older = NULL;
    check_broken(&c, "invariant J1 is broken: the list of open iterations is broken");
    b.walk->older = older;
    mica_iter_end(&a); // the outer one, while the other goes on
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    mica_iter_begin(world, handle, &a);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    micai_walk *outer = world->state->walks.outer;
    outer->newer = b.walk;
    check_broken(&c, "invariant J2 is broken: the list of closed iterations is broken");
    outer->newer = NULL;
    mica_iter_end(&b);
    mica_iter_end(&a);
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    cast_end(&c);
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
      the_stats_count_queries, validate_finds_a_query_with_the_wrong_tables,
      validate_finds_a_query_with_tables_out_of_order, validate_finds_a_wrong_column,
      validate_finds_miscounted_iterations)
