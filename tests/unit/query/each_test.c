// Changes by query where rows are not whole tables: sparse terms, sparse targets.
#include <mica.h>

#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

enum { COLUMN, HOOKED, TAG, LOOSE, STABLE, OWNED, MOVED, MARK, TYPES };
enum { CROWD = 40 };
enum { ADD, REMOVE, SET, DESPAWN, OPS };

typedef struct crowd {
    test_world t;
    mica_world *world;
    tracker tracker;
    mica_type types[TYPES];
    mica_entity entities[CROWD];
} crowd;

static const char *const names[TYPES] = {"Column", "Hooked", "Tag",   "Loose",
                                         "Stable", "Owned",  "Moved", "Mark"};

static bool is_tracked(uint32_t type)
{
    return type == HOOKED || type == OWNED || type == MOVED;
}

static bool is_tag(uint32_t type)
{
    return type == TAG || type == MARK;
}

static bool is_given(uint32_t i, uint32_t type)
{
    return (i * 2654435761u >> 13 ^ i * 7) >> type & 1;
}

static void put(crowd *c, mica_entity entity, uint32_t type, int64_t number)
{
    tracked kept = {0};
    mica_value one = {.type = c->types[type]};
    if (is_tracked(type)) {
        kept = tracked_make(&c->tracker, number);
        one = MICA_COPY_OF(c->types[type], kept);
    } else if (!is_tag(type)) {
        one = MICA_COPY_OF(c->types[type], number);
    }
    REQUIRE_EQUAL(MICA_OK, mica_change(c->world, entity, &one, 1, NULL, 0));
    if (is_tracked(type)) {
        tracked_drop(&c->tracker, &kept);
    }
}

static mica_world *crowd_begin(crowd *c)
{
    memset(c, 0, sizeof *c);
    tracker_begin(&c->tracker);
    c->world = test_world_begin(&c->t);
    for (uint32_t n = 0; n < TYPES; n++) {
        mica_type_desc desc = {.size = 8, .align = 8};
        desc = is_tracked(n) ? tracked_desc(&c->tracker, names[n], n == MOVED) : desc;
        desc = is_tag(n) ? (mica_type_desc){0} : desc;
        desc.name = names[n];
        desc.storage = n >= LOOSE ? MICA_SPARSE : MICA_TABLE;
        desc.stable = n == STABLE;
        c->types[n] = mica_type_register(c->world, &desc);
    }
    for (uint32_t i = 0; i < CROWD; i++) {
        c->entities[i] = mica_spawn_values(c->world, NULL, 0);
        for (uint32_t type = 0; type < TYPES; type++) {
            if (is_given(i, type)) {
                put(c, c->entities[i], type, 100 * i + type);
            }
        }
    }
    return c->world;
}

static void crowd_end(crowd *c)
{
    test_world_end(&c->t);
    CHECK_TRACKED(&c->tracker, 0);
}

// Who is meant: queries with sparse terms, and one without.
enum { QUERIES = 6 };

static mica_query make_query(crowd *c, uint32_t which)
{
    const mica_type *t = c->types;
    const mica_query_desc descs[QUERIES] = {
        {.terms = {{t[LOOSE], MICA_WITH}}},
        {.terms = {{t[COLUMN], MICA_READ}, {t[MARK], MICA_WITHOUT}}},
        {.terms = {{t[MARK], MICA_ANY}, {t[OWNED], MICA_ANY}, {t[HOOKED], MICA_ANY}}},
        {.terms = {{t[STABLE], MICA_OPTIONAL}}},
        {.terms = {{t[MOVED], MICA_WRITE}, {t[TAG], MICA_WITH}}},
        {.terms = {{t[COLUMN], MICA_READ}}},
    };
    return mica_query_new(c->world, &descs[which]);
}

static mica_result act(crowd *c, mica_query query, uint32_t op, uint32_t type, const void *data,
                       uint32_t *matched_out)
{
    uint32_t size = is_tag(type) ? 0 : is_tracked(type) ? sizeof(tracked) : 8;
    switch (op) {
    case ADD: return mica_add_all(c->world, query, c->types[type], matched_out);
    case REMOVE: return mica_remove_all(c->world, query, c->types[type], matched_out);
    case SET:
        return mica_set_all(c->world, query, c->types[type], size ? data : NULL, size, matched_out);
    default: return mica_despawn_all(c->world, query, matched_out);
    }
}

// The same, one after the other, in the order in which they match.
static uint32_t act_singly(crowd *c, mica_query query, uint32_t op, uint32_t type)
{
    mica_entity list[CROWD];
    uint32_t count = 0;
    mica_iter it;
    mica_iter_begin(c->world, query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            list[count++] = it.entities[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        switch (op) {
        case ADD: mica_add(c->world, list[i], c->types[type]); break;
        case REMOVE: mica_remove(c->world, list[i], c->types[type]); break;
        case SET: put(c, list[i], type, 5); break;
        default: mica_despawn(c->world, list[i]);
        }
    }
    return count;
}

// Every entity has in one world what it has in the other.
static bool is_alike(crowd *a, crowd *b)
{
    bool alike = mica_entity_count(a->world) == mica_entity_count(b->world);
    for (uint32_t i = 0; alike && i < CROWD; i++) {
        bool alive = mica_alive(a->world, a->entities[i]);
        alike = alive == mica_alive(b->world, b->entities[i]);
        for (uint32_t type = 0; alike && alive && type < TYPES; type++) {
            bool has = mica_has(a->world, a->entities[i], a->types[type]);
            alike = has == mica_has(b->world, b->entities[i], b->types[type]);
            if (alike && has && !is_tag(type)) {
                const void *x = mica_get(a->world, a->entities[i], a->types[type]);
                const void *y = mica_get(b->world, b->entities[i], b->types[type]);
                alike = is_tracked(type)
                            ? tracked_is(&a->tracker, x, ((const tracked *)y)->number) &&
                                  tracked_is(&b->tracker, y, ((const tracked *)x)->number)
                            : memcmp(x, y, 8) == 0;
            }
        }
    }
    return alike;
}

static void changing_by_query_is_changing_one_by_one(void)
{
    static crowd all;
    static crowd each;
    for (uint32_t op = 0; op < OPS; op++) {
        for (uint32_t type = 0; type < (op == DESPAWN ? 1 : TYPES); type++) {
            for (uint32_t q = 0; q < QUERIES; q++) {
                crowd_begin(&all);
                crowd_begin(&each);
                tracked data = {.number = 5};
                if (is_tracked(type)) {
                    data = tracked_make(&all.tracker, 5);
                }
                const int64_t plain = 5;
                const void *given = is_tracked(type) ? (const void *)&data : &plain;
                uint32_t matched = UINT32_MAX;
                uint32_t singly = act_singly(&each, make_query(&each, q), op, type);
                CHECK_EQUAL(MICA_OK, act(&all, make_query(&all, q), op, type, given, &matched));
                CHECK_EQUAL(singly, matched);
                if (!is_alike(&all, &each)) {
                    test_fail(__FILE__, __LINE__, "op %u, type %s, query %u", (unsigned)op,
                              names[type], (unsigned)q);
                }
                if (is_tracked(type)) {
                    tracked_drop(&all.tracker, &data);
                }
                CHECK_EQUAL(0, all.tracker.errors);
                crowd_end(&all);
                crowd_end(&each);
            }
        }
    }
}

// What entities have of a type with a move hook, whose values know where they are: their bytes are others when they
// have been moved, as those of a small pool are when it grows, even if the call fails then.
static uint64_t hash_moved(const crowd *c)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < CROWD; i++) {
        const tracked *value = mica_get(c->world, c->entities[i], c->types[MOVED]);
        CHECK(!value || tracked_is(&c->tracker, value, value->number));
        hash = hash * 31 + (value ? (uint64_t)value->number + 1 : 0);
    }
    return hash;
}

static uint64_t hash_all(const crowd *c, uint32_t type)
{
    return type == MOVED ? hash_moved(c) : mica_world_hash(c->world);
}

// Fails every allocation of a call, then every hook: nothing is different.
static void try_failures(crowd *c, mica_query query, uint32_t op, uint32_t type, const void *given)
{
    uint64_t hash = hash_all(c, type);
    uint64_t digest = mica_world_digest(c->world);
    uint32_t alive = c->tracker.alive;
    mica_result result = MICA_ERROR_MEMORY;
    bool hooks = is_tracked(type) && op != REMOVE && op != DESPAWN;
    for (uint32_t round = hooks ? 0 : 1; round < 2; round++) {
        for (uint32_t k = 1;; k++) {
            uint32_t matched = 77;
            c->tracker.until_failure = round == 0 ? k : 0;
            test_memory_fail_at(&c->t.memory, round == 0 ? 0 : k, TEST_MEMORY_ONCE);
            if (round == 0 && k > 6) { // enough of hooks; the next call is to succeed
                c->tracker.until_failure = 0;
                break;
            }
            result = act(c, query, op, type, given, &matched);
            bool failed = round == 0 ? c->tracker.until_failure == 0 : c->t.memory.refusals > 0;
            test_memory_fail_at(&c->t.memory, 0, TEST_MEMORY_ONCE);
            if (!result) {
                CHECK(round == 1 || !failed);
                c->tracker.until_failure = 0;
                return;
            }
            CHECK_EQUAL(1, test_error_clear(&c->t.error));
            CHECK_EQUAL(77, matched);
            CHECK_EQUAL(alive, c->tracker.alive);
            CHECK_EQUAL(hash, hash_all(c, type));
            CHECK(type == MOVED || digest == mica_world_digest(c->world));
            CHECK_EQUAL(MICA_OK, mica_world_validate(c->world));
        }
    }
}

static void a_change_that_fails_leaves_everything_as_it_was(void)
{
    static crowd c;
    for (uint32_t op = 0; op < OPS; op++) {
        for (uint32_t type = 0; type < (op == DESPAWN ? 1 : TYPES); type++) {
            for (uint32_t q = 0; q < QUERIES; q++) {
                crowd_begin(&c);
                tracked data = {.number = 5};
                if (is_tracked(type)) {
                    data = tracked_make(&c.tracker, 5);
                }
                const int64_t plain = 5;
                mica_query query = make_query(&c, q);
                try_failures(&c, query, op, type, is_tracked(type) ? (const void *)&data : &plain);
                CHECK_EQUAL(0, c.tracker.errors);
                if (is_tracked(type)) {
                    tracked_drop(&c.tracker, &data);
                }
                crowd_end(&c);
            }
        }
    }
}

static void a_query_that_matches_nobody_changes_nothing(void)
{
    static crowd c;
    crowd_begin(&c);
    mica_type nobody = MICA_SPARSE_TAG(c.world, Nobody);
    mica_query query = mica_query_new(c.world, &(mica_query_desc){.terms = {{nobody, MICA_WITH}}});
    uint64_t hash = mica_world_hash(c.world);
    const int64_t plain = 5;
    for (uint32_t op = 0; op < OPS; op++) {
        for (uint32_t type = 0; type < TYPES; type += 3) { // COLUMN, LOOSE, MOVED
            uint32_t matched = 77;
            mica_result result =
                type == MOVED && op == SET ? MICA_OK : act(&c, query, op, type, &plain, &matched);
            CHECK_EQUAL(MICA_OK, result);
            CHECK(matched == 0 || (type == MOVED && op == SET));
        }
    }
    CHECK_EQUAL(hash, mica_world_hash(c.world));
    crowd_end(&c);
}

// Given from a place in the very pool that grows and turns.
static void a_value_of_a_pool_is_given_to_all(void)
{
    static crowd c;
    static const uint32_t types[] = {LOOSE, STABLE, OWNED, MOVED};
    for (uint32_t n = 0; n < 4; n++) {
        mica_world *world = crowd_begin(&c);
        mica_query query =
            mica_query_new(world, &(mica_query_desc){.terms = {{c.types[LOOSE], MICA_OPTIONAL}}});
        uint32_t type = types[n];
        uint32_t giver = 0;
        while (!is_given(giver, type)) {
            giver++;
        }
        const void *given = mica_get(world, c.entities[giver], c.types[type]);
        uint32_t matched = 0;
        CHECK_EQUAL(MICA_OK, act(&c, query, SET, type, given, &matched));
        CHECK_EQUAL(CROWD, matched);
        for (uint32_t i = 0; i < CROWD; i++) {
            const void *value = mica_get(world, c.entities[i], c.types[type]);
            int64_t number = 100 * giver + type;
            CHECK(is_tracked(type) ? tracked_is(&c.tracker, value, number)
                                   : value && *(const int64_t *)value == number);
        }
        crowd_end(&c);
    }
}

static void values_that_cannot_be_copied_are_refused(void)
{
    static crowd c;
    mica_world *world = crowd_begin(&c);
    mica_type_desc desc = tracked_desc(&c.tracker, "Unique", true);
    desc.storage = MICA_SPARSE;
    desc.hooks.copy = NULL;
    mica_type unique = mica_type_register(world, &desc);
    mica_query query =
        mica_query_new(world, &(mica_query_desc){.terms = {{c.types[LOOSE], MICA_WITH}}});
    tracked data = tracked_make(&c.tracker, 1);
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_set_all(world, query, unique, &data, sizeof data, NULL));
    CHECK_ERROR(&c.t, MICA_ERROR_HOOK,
                "mica_set_all: 'Unique' has a destruct hook but no copy hook");
    CHECK_EQUAL(MICA_OK, mica_add_all(world, query, unique, NULL)); // constructed, not copied
    CHECK_EQUAL(0, c.tracker.errors);
    tracked_drop(&c.tracker, &data);
    crowd_end(&c);
}

TESTS(each, changing_by_query_is_changing_one_by_one,
      a_change_that_fails_leaves_everything_as_it_was, a_query_that_matches_nobody_changes_nothing,
      a_value_of_a_pool_is_given_to_all, values_that_cannot_be_copied_are_refused)
