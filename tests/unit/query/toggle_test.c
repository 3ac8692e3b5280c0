// Every sentence of mica/toggle.h, for each storage that can have a toggle.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"
#include "store/table/row.h"
#include "unit/tracked.h"

typedef struct Number {
    int32_t value;
    int32_t other;
} Number;

enum { COLUMN, RINGED, SPLIT, POOLED, STABLE, TAG, STORAGES, MANY = 3000 };

static const char *const names[STORAGES] = {"Column", "Ringed", "Split", "Pooled", "Stable", "Tag"};

typedef struct fixture {
    test_world t;
    mica_world *world;
    mica_type types[STORAGES];
    mica_type plain, mark;
} fixture;

static mica_type register_one(mica_world *world, uint32_t storage)
{
    static const mica_storage kept[STORAGES] = {
        [COLUMN] = MICA_TABLE,  [RINGED] = MICA_RING,   [SPLIT] = MICA_SPLIT,
        [POOLED] = MICA_SPARSE, [STABLE] = MICA_SPARSE, [TAG] = MICA_SPARSE};
    const mica_type_desc number = MICA_DESCRIBE(Number, value, other);
    mica_type_desc desc = storage == TAG ? (mica_type_desc){0} : number;
    desc.name = names[storage];
    desc.toggle = true;
    desc.storage = kept[storage];
    desc.stable = storage == STABLE;
    return mica_type_register(world, &desc);
}

// Where a value is; NULL for what is split, which is nowhere whole.
static const void *where(mica_world *world, mica_entity e, mica_type type)
{
    bool split = mica_type_get_info(world, type)->storage == MICA_SPLIT;
    return split ? NULL : mica_get(world, e, type);
}

static Number load(mica_world *world, mica_entity e, mica_type type)
{
    Number number = {-1, -1};
    CHECK(MICA_LOAD(world, e, type, number));
    return number;
}

static mica_world *fixture_begin(fixture *f)
{
    f->world = test_world_begin(&f->t);
    for (uint32_t s = 0; s < STORAGES; s++) {
        f->types[s] = register_one(f->world, s);
    }
    f->plain = MICA_REGISTER(f->world, Number, value, other);
    f->mark = MICA_TAG(f->world, Mark);
    return f->world;
}

static void fixture_end(fixture *f)
{
    test_world_end(&f->t);
}

static mica_query ask(const fixture *f, mica_type type, uint32_t access)
{
    return mica_query_new(f->world, &(mica_query_desc){.terms = {{type, access}}});
}

TEST_WITH(fixture, f, a_value_is_disabled_and_enabled_where_it_is)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < STORAGES; s++) {
        mica_type type = f->types[s];
        mica_entity e = mica_spawn(world, MICA_ADD(type), MICA_ADD(f->mark));
        const void *value = where(world, e, type);
        CHECK(mica_is_enabled(world, e, type));
        CHECK_EQUAL(MICA_OK, mica_disable(world, e, type));
        CHECK(!mica_is_enabled(world, e, type));
        CHECK(mica_has(world, e, type));
        CHECK_POINTER(value, where(world, e, type));
        CHECK_EQUAL(MICA_OK, mica_disable(world, e, type));
        CHECK(!mica_is_enabled(world, e, type));
        CHECK_EQUAL(MICA_OK, mica_enable(world, e, type));
        CHECK(mica_is_enabled(world, e, type));
        CHECK_EQUAL(MICA_OK, mica_enable(world, e, type));
        CHECK_POINTER(value, where(world, e, type));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
}

TEST_WITH(fixture, f, setting_leaves_it_disabled_and_adding_it_again_makes_a_new_one)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < TAG; s++) {
        mica_type type = f->types[s];
        const Number number = {7, 8};
        mica_entity e = mica_spawn(world, MICA_ADD(type));
        mica_disable(world, e, type);
        mica_set(world, e, MICA_COPY_OF(type, number));
        CHECK(!mica_is_enabled(world, e, type));
        CHECK_EQUAL(7, load(world, e, type).value);
        mica_add(world, e, type);
        CHECK(!mica_is_enabled(world, e, type));
        mica_remove(world, e, type);
        CHECK(!mica_is_enabled(world, e, type));
        mica_set(world, e, MICA_COPY_OF(type, number));
        CHECK(mica_is_enabled(world, e, type));
    }
}

// All ways in which values come to be, into places where others were disabled before.
TEST_WITH(fixture, f, new_values_are_enabled_however_they_come)
{
    mica_world *world = f->world;
    static mica_entity many[40];
    const Number number = {1, 2};
    for (uint32_t s = 0; s < STORAGES; s++) {
        mica_type type = f->types[s];
        const mica_type both[] = {f->plain, type};
        mica_bundle bundle = mica_bundle_new(world, both, 2);
        const mica_value values[] = {MICA_COPY_OF(f->plain, number),
                                     s == TAG ? (mica_value){.type = type}
                                              : MICA_COPY_OF(type, number)};
        for (uint32_t round = 0; round < 4; round++) {
            CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 20, NULL, 0, many));
            for (uint32_t i = 20; i < 30; i++) {
                many[i] = mica_spawn_bundle(world, bundle, values, 2);
            }
            for (uint32_t i = 30; i < 40; i++) {
                many[i] = mica_spawn(world, values[0]);
                if (i % 2) {
                    mica_add(world, many[i], type);
                } else {
                    mica_set_value(world, many[i], type, values[1].data, values[1].size);
                }
            }
            for (uint32_t i = 0; i < 40; i++) {
                CHECK(mica_is_enabled(world, many[i], type));
                mica_disable(world, many[i], type);
                CHECK(!mica_is_enabled(world, many[i], type));
            }
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            mica_despawn_many(world, many, 40);
        }
        mica_bundle_free(world, bundle);
    }
}

TEST_WITH(fixture, f, flags_go_along_when_entities_move)
{
    mica_world *world = f->world;
    static mica_entity many[200];
    for (uint32_t s = 0; s < STORAGES; s++) {
        mica_type type = f->types[s];
        for (uint32_t i = 0; i < 200; i++) {
            many[i] = mica_spawn(world, MICA_ADD(type));
            if (i % 3 == 0) {
                mica_disable(world, many[i], type);
            }
        }
        for (uint32_t i = 0; i < 200; i += 2) {
            mica_add(world, many[i], f->mark);
            mica_add(world, many[i], f->plain);
        }
        for (uint32_t i = 0; i < 200; i += 5) {
            mica_despawn(world, many[i]);
        }
        mica_query marked = ask(f, f->mark, MICA_WITH);
        mica_add_all(world, marked, f->plain, NULL);
        mica_remove_all(world, marked, f->mark, NULL);
        for (uint32_t i = 0; i < 200; i++) {
            CHECK_EQUAL(i % 5 != 0 && i % 3 != 0, mica_is_enabled(world, many[i], type));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        CHECK_EQUAL(MICA_OK, mica_world_reclaim(world));
        mica_query all = ask(f, type, MICA_WITH | MICA_INCLUDE_DISABLED);
        CHECK_EQUAL(MICA_OK, mica_despawn_all(world, all, NULL));
        CHECK_EQUAL(0, mica_entity_count(world));
    }
}

TEST_WITH(fixture, f, a_clone_has_disabled_what_the_other_has)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < STORAGES; s++) {
        mica_entity e = mica_spawn(world, MICA_ADD(f->types[s]), MICA_ADD(f->plain));
        mica_disable(world, e, f->types[s]);
        mica_entity clone = mica_clone(world, e);
        CHECK(mica_has(world, clone, f->types[s]));
        CHECK(!mica_is_enabled(world, clone, f->types[s]));
        CHECK(mica_is_enabled(world, clone, f->plain));
        mica_enable(world, e, f->types[s]);
        CHECK(mica_is_enabled(world, mica_clone(world, e), f->types[s]));
        CHECK(!mica_is_enabled(world, clone, f->types[s]));
    }
}

TEST_WITH(fixture, f, hash_and_digest_count_what_is_disabled)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < STORAGES; s++) {
        mica_entity e = mica_spawn(world, MICA_ADD(f->types[s]));
        mica_disable(world, e, f->types[s]);
        mica_enable(world, e, f->types[s]); // its tick is that of now
        uint64_t hash = mica_world_hash(world);
        uint64_t digest = mica_world_digest(world);
        mica_disable(world, e, f->types[s]);
        CHECK(hash != mica_world_hash(world));
        CHECK(digest != mica_world_digest(world));
        mica_enable(world, e, f->types[s]);
        CHECK_EQUAL(hash, mica_world_hash(world));
        CHECK_EQUAL(digest, mica_world_digest(world));
    }
}

TEST_WITH(fixture, f, what_cannot_be_toggled_is_said_so)
{
    mica_world *world = f->world;
    mica_entity e = mica_spawn(world, MICA_ADD(f->plain));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_disable(world, e, f->plain));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_disable: 'Number' has no toggle; register it with .toggle = true");
    CHECK(mica_is_enabled(world, e, f->plain));
    CHECK(!mica_is_enabled(world, e, f->mark));
    for (uint32_t s = 0; s < STORAGES; s++) {
        char id[MICA_ENTITY_TEXT_SIZE];
        char sentence[80];
        CHECK(!mica_is_enabled(world, e, f->types[s]));
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_enable(world, e, f->types[s]));
        snprintf(sentence, sizeof sentence, "mica_enable: entity %s has no '%s'",
                 mica_entity_text(e, id), names[s]);
        CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT, sentence);
    }
    mica_query everything = mica_query_new(world, &(mica_query_desc){.everything = true});
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_enable_all(world, everything, f->plain, NULL));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_enable_all: 'Number' has no toggle; register it with .toggle = true");
    CHECK(MICA_IS_NONE(ask(f, f->plain, MICA_READ | MICA_INCLUDE_DISABLED)));
    CHECK_ERROR(
        &f->t, MICA_ERROR_ARGUMENT,
        "mica_query_new: term 0: 'Number' has no toggle, and cannot be MICA_INCLUDE_DISABLED");
    const mica_accessor numbers = mica_accessor_new(world, f->plain);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_accessor_disable(&numbers, e));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_accessor_disable: 'Number' has no toggle; register it with .toggle = true");
    CHECK(mica_accessor_is_enabled(&numbers, e));
}

static mica_result set(const mica_accessor *accessor, mica_world *world, mica_entity e,
                       mica_type type, bool off)
{
    if (accessor) {
        return off ? mica_accessor_disable(accessor, e) : mica_accessor_enable(accessor, e);
    }
    return off ? mica_disable(world, e, type) : mica_enable(world, e, type);
}

// What a world is after this, ticks included. Entities come before there is an accessor and after.
static uint64_t toggle_many(uint32_t storage, bool by_accessor)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_type type = f.types[storage];
    mica_accessor accessor = {0};
    static mica_entity entities[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        accessor = i == MANY / 3 && by_accessor ? mica_accessor_new(world, type) : accessor;
        entities[i] = i % 5 == 1 ? mica_spawn(world, MICA_ADD(type), MICA_ADD(f.mark))
                                 : mica_spawn(world, MICA_ADD(type));
    }
    const mica_accessor *way = by_accessor ? &accessor : NULL;
    CHECK_EQUAL(MICA_OK, set(way, world, entities[7], type, false)); // as it was
    for (uint32_t round = 0; round < 4; round++) {
        mica_step(world, 1);
        for (uint32_t i = round; i < MANY; i += 2 + 300 * round) {
            CHECK_EQUAL(MICA_OK, set(way, world, entities[i], type, (i + round) % 3 != 0));
            CHECK_EQUAL((i + round) % 3 == 0, mica_is_enabled(world, entities[i], type));
        }
    }
    mica_despawn(world, entities[5]);
    CHECK_EQUAL(MICA_ERROR_ENTITY, set(way, world, entities[5], type, true));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    mica_remove(world, entities[6], type);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, set(way, world, entities[6], type, true));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    uint64_t digest = mica_world_digest(world);
    fixture_end(&f);
    return digest;
}

static void accessors_do_what_the_calls_by_name_do(void)
{
    for (uint32_t s = 0; s < TAG; s++) { // of tags there are none
        CHECK_EQUAL(toggle_many(s, false), toggle_many(s, true));
    }
}

TEST_WITH(fixture, f, a_tag_in_tables_cannot_have_a_toggle)
{
    mica_world *world = f->world;
    const mica_type_desc desc = {.name = "Frozen", .toggle = true};
    CHECK(MICA_IS_NONE(mica_type_register(world, &desc)));
    CHECK_ERROR(&f->t, MICA_ERROR_ARGUMENT,
                "mica_type_register: 'Frozen' is a tag in tables, which cannot have a toggle; make "
                "it sparse, or add and remove it");
    CHECK(MICA_IS_NONE(
        mica_type_register(world, &(mica_type_desc){.name = names[TAG], .storage = MICA_SPARSE})));
    CHECK_ERROR(&f->t, MICA_ERROR_SHAPE, "mica_type_register: 'Tag' is registered with a toggle");
    CHECK(mica_type_get_info(world, f->types[TAG])->toggle);
    CHECK(!mica_type_get_info(world, f->plain)->toggle);
}

// Queries

TEST_WITH(fixture, f, to_queries_it_is_not_there)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < STORAGES; s++) {
        mica_type type = f->types[s];
        mica_entity on = mica_spawn(world, MICA_ADD(type), MICA_ADD(f->mark));
        mica_entity off = mica_spawn(world, MICA_ADD(type), MICA_ADD(f->mark));
        mica_entity without = mica_spawn(world, MICA_ADD(f->mark));
        mica_disable(world, off, type);
        const struct {
            uint32_t access;
            bool on, off, without;
        } rows[] = {
            {MICA_READ, true, false, false},
            {MICA_WRITE, true, false, false},
            {MICA_WITH, true, false, false},
            {MICA_WITHOUT, false, true, true},
            {MICA_OPTIONAL, true, true, true},
            {MICA_OPTIONAL_WRITE, true, true, true},
            {MICA_ANY, true, false, false},
            {MICA_READ | MICA_INCLUDE_DISABLED, true, true, false},
            {MICA_WITH | MICA_INCLUDE_DISABLED, true, true, false},
            {MICA_WITHOUT | MICA_INCLUDE_DISABLED, false, false, true},
            {MICA_OPTIONAL | MICA_INCLUDE_DISABLED, true, true, true},
            {MICA_ANY | MICA_INCLUDE_DISABLED, true, true, false},
        };
        for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            mica_query query = mica_query_new(
                world, &(mica_query_desc){.terms = {{f->mark, MICA_WITH}, {type, rows[i].access}}});
            CHECK_EQUAL(rows[i].on, mica_query_contains(world, query, on));
            CHECK_EQUAL(rows[i].off, mica_query_contains(world, query, off));
            CHECK_EQUAL(rows[i].without, mica_query_contains(world, query, without));
            CHECK_EQUAL(rows[i].on + rows[i].off + rows[i].without, mica_query_count(world, query));
            mica_query_free(world, query);
        }
        mica_despawn_all(world, ask(f, f->mark, MICA_WITH), NULL);
    }
}

TEST_WITH(fixture, f, an_optional_term_is_null_where_it_is_disabled)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < TAG; s++) {
        for (uint32_t i = 0; i < 50; i++) {
            mica_entity e = mica_spawn(world, MICA_ADD(f->types[s]), MICA_ADD(f->mark));
            if (i % 7 < 3) {
                mica_disable(world, e, f->types[s]);
            }
        }
        mica_query query = mica_query_new(
            world,
            &(mica_query_desc){.terms = {{f->mark, MICA_WITH}, {f->types[s], MICA_OPTIONAL}}});
        uint32_t seen[2] = {0};
        mica_iter it;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            bool there = mica_read_field(&it, 1, 0, sizeof(int32_t), NULL).base != NULL;
            CHECK(s == SPLIT || there == (mica_read(&it, 1) != NULL));
            for (uint32_t i = 0; i < it.count; i++) {
                CHECK_EQUAL(there, mica_is_enabled(world, it.entities[i], f->types[s]));
                CHECK(s == SPLIT || there == (mica_read_row(&it, 1, i) != NULL));
                seen[there]++;
            }
        }
        CHECK_EQUAL(22, seen[0]);
        CHECK_EQUAL(28, seen[1]);
        mica_despawn_all(world, query, NULL);
    }
}

TEST_WITH(fixture, f, a_query_explains_that_something_is_disabled)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < STORAGES; s++) {
        char text[120];
        char wanted[120];
        char id[MICA_ENTITY_TEXT_SIZE];
        mica_entity e = mica_spawn(world, MICA_ADD(f->types[s]));
        mica_query query = ask(f, f->types[s], MICA_WITH);
        mica_query without = ask(f, f->types[s], MICA_WITHOUT);
        mica_disable(world, e, f->types[s]);
        snprintf(wanted, sizeof wanted, "entity %s does not match: '%s' is disabled",
                 mica_entity_text(e, id), names[s]);
        CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, e, text, sizeof text));
        CHECK_TEXT(wanted, text);
        snprintf(wanted, sizeof wanted, "entity %s matches", id);
        mica_query_explain(world, without, e, text, sizeof text);
        CHECK_TEXT(wanted, text);
        mica_enable(world, e, f->types[s]);
        mica_query_explain(world, query, e, text, sizeof text);
        CHECK_TEXT(wanted, text);
        snprintf(wanted, sizeof wanted, "entity %s does not match: it has '%s'", id, names[s]);
        mica_query_explain(world, without, e, text, sizeof text);
        CHECK_TEXT(wanted, text);
    }
}

// Of several of which one would do, it may have one and not show it.
TEST_WITH(fixture, f, an_explanation_says_what_is_disabled_among_several)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < STORAGES; s++) {
        uint32_t other = (s + 1) % STORAGES;
        char text[120];
        char wanted[120];
        char id[MICA_ENTITY_TEXT_SIZE];
        mica_entity e = mica_spawn(world, MICA_ADD(f->types[s]));
        mica_query query = mica_query_new(
            world,
            &(mica_query_desc){.terms = {{f->types[s], MICA_ANY}, {f->types[other], MICA_ANY}}});
        mica_disable(world, e, f->types[s]);
        snprintf(wanted, sizeof wanted,
                 "entity %s does not match: it has none of '%s' (disabled), '%s'",
                 mica_entity_text(e, id), names[s], names[other]);
        CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, e, text, sizeof text));
        CHECK_TEXT(wanted, text);
    }
}

// One sweep adds the plain numbers to those that are enabled. How many come, and how many of them not in order?
static uint32_t add_ones(mica_world *world, mica_query query, uint32_t *disordered_out)
{
    mica_iter it;
    int32_t last = -1;
    uint32_t met = 0;
    *disordered_out = 0;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        mica_write_fields values = mica_write_field(&it, 0, offsetof(Number, value), 4, NULL);
        mica_read_fields others = mica_read_field(&it, 0, offsetof(Number, other), 4, NULL);
        const Number *ones = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            MICA_WRITE_IN(values, i, int32_t) += ones[i].value;
            *disordered_out += MICA_READ_IN(others, i, int32_t) <= last;
            last = MICA_READ_IN(others, i, int32_t);
        }
        met += it.count;
    }
    return met;
}

// Runs of any lengths between rows that are disabled: all that is enabled comes once, in order, and
// what is written gets there and nowhere else.
static void check_patterns(uint32_t storage)
{
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_type type = f.types[storage];
    static mica_entity many[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        many[i] = mica_spawn(world, MICA_ADD(type), MICA_VALUE(f.plain, Number, 1, 1));
    }
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{type, MICA_WRITE}, {f.plain, MICA_READ}}});
    static const uint32_t patterns[][2] = {
        {1, 1},   {2, 1},   {1, 2},   {31, 1},   {32, 1},   {33, 1},   {64, 64},   {65, 3},
        {100, 1}, {1, 100}, {0, 100}, {1000, 7}, {5000, 1}, {20, 500}, {700, 129}, {2, 1023}};
    for (uint32_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        uint32_t on = patterns[p][0];
        uint32_t period = on + patterns[p][1];
        uint32_t expected = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            const Number number = {0, (int32_t)i};
            mica_set_value(world, many[i], type, &number, sizeof number);
            if (i % period < on) {
                mica_enable(world, many[i], type);
                expected++;
            } else {
                mica_disable(world, many[i], type);
            }
        }
        uint32_t disordered;
        CHECK_EQUAL(expected, add_ones(world, query, &disordered));
        CHECK_EQUAL(expected, mica_query_count(world, query));
        CHECK_EQUAL(0, disordered);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            wrong += load(world, many[i], type).value != (i % period < on);
        }
        CHECK_EQUAL(0, wrong);
    }
    fixture_end(&f);
}

static void whatever_the_pattern_rows_come_once_and_are_written(void)
{
    for (uint32_t s = 0; s < TAG; s++) {
        check_patterns(s);
    }
}

TEST_WITH(fixture, f, a_segment_stays_as_it_is_while_its_rows_are_toggled)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < STORAGES; s++) {
        for (uint32_t i = 0; i < 100; i++) {
            mica_spawn(world, MICA_ADD(f->types[s]));
        }
        mica_query query = ask(f, f->types[s], MICA_WITH);
        for (uint32_t round = 0; round < 2; round++) {
            uint32_t met = 0;
            mica_iter it;
            mica_iter_begin(world, query, &it);
            while (mica_iter_next(&it)) {
                uint32_t count = it.count;
                for (uint32_t i = 0; i < count; i++) {
                    if (met + i < 50 || round > 0) {
                        CHECK_EQUAL(MICA_OK, mica_disable(world, it.entities[i], f->types[s]));
                    }
                }
                CHECK_EQUAL(count, it.count);
                met += count;
            }
            CHECK_EQUAL(round == 0 ? 100 : 50, met);
        }
        CHECK_EQUAL(0, mica_query_count(world, query));
        mica_despawn_all(world, ask(f, f->types[s], MICA_WITH | MICA_INCLUDE_DISABLED), NULL);
    }
}

TEST_WITH(fixture, f, by_query_those_without_it_are_passed_over)
{
    mica_world *world = f->world;
    for (uint32_t s = 0; s < STORAGES; s++) {
        mica_type type = f->types[s];
        mica_entity with = mica_spawn(world, MICA_ADD(type), MICA_ADD(f->mark));
        mica_entity without = mica_spawn(world, MICA_ADD(f->mark));
        mica_entity other = mica_spawn(world, MICA_ADD(type));
        mica_query marked = ask(f, f->mark, MICA_WITH);
        uint32_t matched = 0;
        CHECK_EQUAL(MICA_OK, mica_disable_all(world, marked, type, &matched));
        CHECK_EQUAL(2, matched);
        CHECK(!mica_is_enabled(world, with, type));
        CHECK(!mica_has(world, without, type));
        CHECK(mica_is_enabled(world, other, type));
        mica_query enabled = ask(f, type, MICA_WITH);
        CHECK_EQUAL(MICA_OK, mica_enable_all(world, enabled, type, &matched));
        CHECK_EQUAL(1, matched); // the other, which is so already
        CHECK(!mica_is_enabled(world, with, type));
        mica_query all = ask(f, type, MICA_WITH | MICA_INCLUDE_DISABLED);
        CHECK_EQUAL(MICA_OK, mica_enable_all(world, all, type, &matched));
        CHECK_EQUAL(2, matched);
        CHECK(mica_is_enabled(world, with, type));
        mica_despawn_all(world, marked, NULL);
        mica_despawn(world, other);
    }
}

// Sheets that lie side by side, from the middle of the first on.
static void a_segment_goes_on_from_the_middle_of_a_sheet(void)
{
    enum { SHEETS = 4, ROWS = SHEETS * MICAI_ROWS };
    fixture f;
    mica_world *world = fixture_begin(&f);
    mica_type type = f.types[COLUMN];
    static mica_entity e[ROWS];
    mica_bundle bundle = mica_bundle_new(world, (mica_type[]){f.plain, type}, 2);
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, ROWS, NULL, 0, e));
    mica_disable(world, e[0], type);
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.plain, MICA_WRITE}, {type, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    uint32_t met = 0;
    while (mica_iter_next(&it)) {
        Number *numbers = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            numbers[i].value = 1;
        }
        met += it.count;
    }
    CHECK_EQUAL(ROWS - 1, met);
    for (uint32_t i = 0; i < ROWS; i++) {
        CHECK_EQUAL(i > 0, MICA_GET(world, e[i], f.plain, Number)->value);
    }
    fixture_end(&f);
}

// A column that nothing is disabled in any more is known as such after a look at it: then iterations
// need not look at flags.
TEST_WITH(fixture, f, a_table_without_disabled_values_is_not_disabled_for_ever)
{
    mica_world *world = f->world;
    mica_type type = f->types[COLUMN];
    mica_entity e = mica_spawn(world, MICA_ADD(type));
    micai_row row = micai_row_of(&world->state->store, micai_slots_find(&world->state->slots, e));
    const micai_table *table = micai_row_table(row);
    CHECK_EQUAL(0, table->disabled_columns);
    mica_disable(world, e, type);
    CHECK_EQUAL(1, table->disabled_columns);
    mica_enable(world, e, type);
    CHECK_EQUAL(1, table->disabled_columns);
    mica_world_reclaim(world);
    CHECK_EQUAL(0, table->disabled_columns);
    mica_query all = ask(f, type, MICA_WITH | MICA_INCLUDE_DISABLED);
    mica_disable_all(world, all, type, NULL);
    CHECK_EQUAL(1, table->disabled_columns);
    mica_enable_all(world, all, type, NULL);
    CHECK_EQUAL(0, table->disabled_columns);
    mica_disable(world, e, type);
    mica_world_clear(world);
    CHECK_EQUAL(0, table->disabled_columns);
}

// May accessors write the flags of a pool?
static bool may_switch(const micai_pool *pool)
{
    const micai_sheet *sheet = pool->table.sheets.count > 0 ? pool->table.sheets.items[0] : NULL;
    uint64_t *tick = sheet ? pool->index.view.blocks[0].flags_tick : NULL;
    CHECK_EQUAL(sheet && pool->table.disabled_columns, tick != NULL);
    CHECK_EQUAL(pool->table.disabled_columns > 0, micai_pool_has_disabled(pool));
    return tick != NULL;
}

static void a_pool_without_disabled_values_is_not_disabled_for_ever(void)
{
    static const uint32_t kinds[] = {POOLED, STABLE};
    for (uint32_t k = 0; k < 2; k++) {
        fixture f;
        mica_world *world = fixture_begin(&f);
        mica_type type = f.types[kinds[k]];
        mica_entity e = mica_spawn(world, MICA_ADD(type));
        mica_entity other = mica_spawn(world, MICA_ADD(type));
        const micai_pool *pool = micai_pools_find(&world->state->pools, type);
        CHECK(!may_switch(pool));
        mica_disable(world, e, type);
        mica_enable(world, e, type);
        CHECK(may_switch(pool));
        mica_world_reclaim(world);
        CHECK(!may_switch(pool));
        mica_query all = ask(&f, type, MICA_WITH | MICA_INCLUDE_DISABLED);
        mica_disable_all(world, all, type, NULL);
        CHECK(may_switch(pool));
        mica_enable_all(world, all, type, NULL);
        CHECK(!may_switch(pool));
        mica_disable(world, e, type);
        mica_remove(world, e, type);
        CHECK_EQUAL(1, mica_query_count(world, all));
        mica_world_reclaim(world);
        CHECK(!may_switch(pool));
        mica_disable(world, other, type);
        mica_world_clear(world);
        CHECK(!may_switch(pool));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        fixture_end(&f);
    }
}

// What mica_read_enabled() says of each row is what mica_is_enabled() says of its entity.
static uint32_t compare_masks(const fixture *f, mica_query query, uint32_t term, mica_type type)
{
    uint32_t met = 0;
    mica_iter it;
    mica_iter_begin(f->world, query, &it);
    while (mica_iter_next(&it)) {
        met += it.count;
        for (uint32_t row = 0; row < it.count; row += row % 7 == 0 ? 64 : 1) {
            uint64_t wanted = 0;
            for (uint32_t i = 0; i < 64 && row + i < it.count; i++) {
                bool on = mica_is_enabled(f->world, it.entities[row + i], type);
                wanted |= (uint64_t)on << i;
            }
            CHECK_EQUAL(wanted, mica_read_enabled(&it, term, row));
        }
    }
    return met;
}

static void masks_say_which_rows_are_enabled(void)
{
    static mica_entity many[MANY];
    fixture f;
    mica_world *world = fixture_begin(&f);
    for (uint32_t i = 0; i < MANY; i++) {
        mica_entity e = mica_spawn(world, MICA_VALUE(f.plain, Number, (int32_t)i, 0));
        for (uint32_t s = 0; s < STORAGES; s++) {
            if ((i + s) % 5 != 0) {
                mica_add(world, e, f.types[s]);
            }
        }
        many[i] = e;
    }
    for (uint32_t round = 0; round < 3; round++) { // nobody, some, and many scattered ones
        for (uint32_t i = 0; i < MANY; i++) {
            for (uint32_t s = 0; s < STORAGES; s++) {
                bool chosen = round == 1 ? i % 1000 < 300 : (i * 2654435761u >> 9) % 3 == s % 3;
                if (round > 0 && chosen && mica_has(world, many[i], f.types[s])) {
                    mica_disable(world, many[i], f.types[s]);
                }
            }
        }
        static const uint32_t accesses[] = {MICA_WITH | MICA_INCLUDE_DISABLED, MICA_WITH,
                                            MICA_WITHOUT};
        for (uint32_t a = 0; a < 3; a++) {
            for (uint32_t s = 0; s < STORAGES; s++) {
                mica_type type = f.types[s];
                mica_query alone = ask(&f, type, accesses[a]);
                CHECK_EQUAL(mica_query_count(world, alone), compare_masks(&f, alone, 0, type));
                mica_type other = f.types[(s + 1) % STORAGES];
                mica_query two = mica_query_new(
                    world, &(mica_query_desc){.terms = {{type, accesses[a]},
                                                        {other, MICA_WITH | MICA_INCLUDE_DISABLED},
                                                        {f.plain, MICA_READ}}});
                CHECK_EQUAL(mica_query_count(world, two), compare_masks(&f, two, 0, type));
                compare_masks(&f, two, 1, other);
                compare_masks(&f, two, 2, f.plain);
                mica_query_free(world, alone);
                mica_query_free(world, two);
            }
        }
    }
    CHECK_EQUAL(0, test_error_clear(&f.t.error));
    fixture_end(&f);
}

TEST_WITH(fixture, f, masks_are_of_rows_and_terms_that_there_are)
{
    mica_world *world = f->world;
    mica_spawn(world, MICA_ADD(f->types[COLUMN]));
    mica_query query = ask(f, f->types[COLUMN], MICA_READ | MICA_INCLUDE_DISABLED);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(0, mica_read_enabled(&it, 0, 0));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, f->t.error.last.code);
    mica_iter_next(&it);
    CHECK_EQUAL(1, mica_read_enabled(&it, 0, 0));
    mica_disable(world, it.entities[0], f->types[COLUMN]); // in this moment
    CHECK_EQUAL(0, mica_read_enabled(&it, 0, 0));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_EQUAL(0, mica_read_enabled(&it, 0, 1));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, f->t.error.last.code);
    CHECK_TEXT("mica_read_enabled: row 1 of a segment of 1", f->t.error.last.sentence);
    CHECK_EQUAL(0, mica_read_enabled(&it, 1, 0));
    CHECK_EQUAL(MICA_ERROR_TERM, f->t.error.last.code);
    CHECK_EQUAL(2, test_error_clear(&f->t.error));
    mica_iter_end(&it);
    for (uint32_t access = MICA_READ;; access |= MICA_INCLUDE_DISABLED) {
        mica_enable(world, mica_query_first(world, query), f->types[COLUMN]);
        mica_query bare = mica_query_new(
            world, &(mica_query_desc){.terms = {{f->types[COLUMN], access}}, .no_entities = true});
        mica_iter_begin(world, bare, &it);
        CHECK(mica_iter_next(&it));
        CHECK_EQUAL(0, mica_read_enabled(&it, 0, 0));
        CHECK_EQUAL(MICA_ERROR_TERM, f->t.error.last.code);
        CHECK_TEXT("mica_read_enabled: the query has .no_entities, by which rows are known",
                   f->t.error.last.sentence);
        CHECK_EQUAL(1, test_error_clear(&f->t.error));
        mica_iter_end(&it);
        if (access & MICA_INCLUDE_DISABLED) {
            break;
        }
    }
}

// Scattered rows are brought together, but for values with hooks, which are handed out where they lie.
static void values_with_hooks_are_met_run_by_run(void)
{
    enum { ROWS = 200 };
    static tracker track;
    test_world t;
    mica_world *world = test_world_begin(&t);
    tracker_begin(&track);
    for (uint32_t h = 0; h < 2; h++) {
        mica_type_desc desc = tracked_desc(&track, h ? "Moved" : "Copied", h);
        mica_type hooked = mica_type_register(world, &desc);
        mica_type on = mica_type_register(
            world,
            &(mica_type_desc){.name = h ? "On1" : "On0", .size = 4, .align = 4, .toggle = true});
        for (uint32_t i = 0; i < ROWS; i++) {
            mica_entity e = mica_spawn(world, MICA_ADD(hooked), MICA_ADD(on));
            CHECK((i % 5 != 0 && i % 5 != 2) || !mica_disable(world, e, on)); // runs of one and two
        }
        mica_query query = mica_query_new(
            world, &(mica_query_desc){.terms = {{hooked, MICA_WRITE}, {on, MICA_READ}}});
        uint32_t met = 0;
        mica_iter it;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            const tracked *values = mica_write(&it, 0);
            CHECK(mica_read(&it, 1) != NULL);
            for (uint32_t i = 0; i < it.count; i++) {
                CHECK(values && tracked_is(&track, &values[i], TRACKED_DEFAULT));
            }
            met += it.count;
        }
        CHECK_EQUAL(ROWS / 5 * 3, met);
    }
    CHECK_EQUAL(0, test_error_clear(&t.error));
    test_world_end(&t);
    CHECK_TRACKED(&track, 0);
}

TESTS(toggle, values_with_hooks_are_met_run_by_run, a_value_is_disabled_and_enabled_where_it_is,
      setting_leaves_it_disabled_and_adding_it_again_makes_a_new_one,
      new_values_are_enabled_however_they_come, flags_go_along_when_entities_move,
      a_clone_has_disabled_what_the_other_has, hash_and_digest_count_what_is_disabled,
      what_cannot_be_toggled_is_said_so, accessors_do_what_the_calls_by_name_do,
      a_tag_in_tables_cannot_have_a_toggle, to_queries_it_is_not_there,
      an_optional_term_is_null_where_it_is_disabled, a_query_explains_that_something_is_disabled,
      an_explanation_says_what_is_disabled_among_several,
      whatever_the_pattern_rows_come_once_and_are_written,
      a_segment_stays_as_it_is_while_its_rows_are_toggled,
      by_query_those_without_it_are_passed_over, a_segment_goes_on_from_the_middle_of_a_sheet,
      a_table_without_disabled_values_is_not_disabled_for_ever,
      a_pool_without_disabled_values_is_not_disabled_for_ever, masks_say_which_rows_are_enabled,
      masks_are_of_rows_and_terms_that_there_are)
