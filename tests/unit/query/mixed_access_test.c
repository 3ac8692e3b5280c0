// Queries with sparse terms: every access on every storage, in every way of reaching values.
#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

enum { COLUMN, OTHER, TAG, LOOSE, STABLE, MARK, TYPES };
enum { CROWD = 90 };

typedef struct value {
    uint32_t number; // of its entity
    uint32_t pass;   // that wrote it
} value;

typedef struct crowd {
    test_world t;
    mica_world *world;
    mica_type types[TYPES];
    mica_entity entities[CROWD];
    value expected[TYPES][CROWD];
    uint32_t pass;
} crowd;

static bool has_data(uint32_t type)
{
    return type != TAG && type != MARK;
}

// Which of the types the i-th entity has: of each about half of them, in all mixtures.
static bool is_given(uint32_t i, uint32_t type)
{
    return (i * 2654435761u >> 16 ^ i) >> type & 1;
}

static void register_types(crowd *c)
{
    const mica_type_desc desc = {.size = sizeof(value), .align = _Alignof(value)};
    static const char *const names[TYPES] = {"Column", "Other", "Tag", "Loose", "Stable", "Mark"};
    for (uint32_t n = 0; n < TYPES; n++) {
        mica_type_desc one = has_data(n) ? desc : (mica_type_desc){0};
        one.name = names[n];
        one.storage = n >= LOOSE ? MICA_SPARSE : MICA_TABLE;
        one.stable = n == STABLE;
        c->types[n] = mica_type_register(c->world, &one);
    }
}

static void give(crowd *c, uint32_t i, uint32_t type)
{
    c->expected[type][i] = (value){i, 0};
    mica_value one = {.type = c->types[type]};
    if (has_data(type)) {
        one = MICA_COPY_OF(c->types[type], c->expected[type][i]);
    }
    REQUIRE_EQUAL(MICA_OK, mica_change(c->world, c->entities[i], &one, 1, NULL, 0));
}

// Of each type some come and go, so that pools are not in the order of tables, and have holes.
static mica_world *crowd_begin(crowd *c)
{
    memset(c, 0, sizeof *c);
    c->world = test_world_begin(&c->t);
    register_types(c);
    for (uint32_t i = 0; i < CROWD; i++) {
        c->entities[i] = mica_spawn_values(c->world, NULL, 0);
        for (uint32_t type = 0; type < TYPES; type++) {
            give(c, i, type);
        }
    }
    for (uint32_t n = 0; n < CROWD; n++) {
        uint32_t i = n * 37 % CROWD;
        for (uint32_t type = 0; type < TYPES; type++) {
            if (!is_given(i, type)) {
                mica_remove(c->world, c->entities[i], c->types[type]);
            }
        }
    }
    REQUIRE_EQUAL(MICA_OK, mica_world_validate(c->world));
    return c->world;
}

static void crowd_end(crowd *c)
{
    test_world_end(&c->t);
}

static uint32_t number_of(const crowd *c, mica_entity entity)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        if (MICA_EQUAL(c->entities[i], entity)) {
            return i;
        }
    }
    test_fail(__FILE__, __LINE__, "nobody's entity");
    return 0;
}

// A query as the tests think of it.
typedef struct wish {
    uint32_t count;
    uint32_t type[4];
    mica_access access[4];
} wish;

static mica_query make_query(crowd *c, const wish *w)
{
    mica_query_desc desc = {0};
    for (uint32_t t = 0; t < w->count; t++) {
        desc.terms[t] = (mica_term){c->types[w->type[t]], (uint32_t)w->access[t]};
    }
    return mica_query_new(c->world, &desc);
}

static bool is_wished(const wish *w, uint32_t i)
{
    bool any = true;
    bool some = false;
    for (uint32_t t = 0; t < w->count; t++) {
        bool has = is_given(i, w->type[t]);
        mica_access access = w->access[t];
        bool needed = access == MICA_READ || access == MICA_WRITE || access == MICA_WITH;
        if ((needed && !has) || (access == MICA_WITHOUT && has)) {
            return false;
        }
        if (access == MICA_ANY) {
            any = some = some || has;
        }
    }
    return any;
}

static bool is_readable(const wish *w, uint32_t t)
{
    mica_access access = w->access[t];
    return has_data(w->type[t]) && access != MICA_WITH && access != MICA_WITHOUT;
}

static bool is_writable(const wish *w, uint32_t t)
{
    return has_data(w->type[t]) &&
           (w->access[t] == MICA_WRITE || w->access[t] == MICA_OPTIONAL_WRITE);
}

// How values are reached: side by side, row by row, both.
enum { WHOLE, ROWS, BOTH, WAYS };

static const value *reach(const mica_iter *it, uint32_t t, uint32_t row, uint32_t way, bool write)
{
    bool rows = way == ROWS || (way == BOTH && row % 3 == 1);
    if (rows) {
        return write ? mica_write_row(it, t, row) : mica_read_row(it, t, row);
    }
    const value *values = write ? mica_write(it, t) : mica_read(it, t);
    return values ? values + row : NULL;
}

static uint32_t faults; // in what was found, beside the expected

static void check_segment(crowd *c, const mica_iter *it, const wish *w, uint32_t way, bool *seen)
{
    for (uint32_t row = 0; row < it->count; row++) {
        uint32_t i = number_of(c, it->entities[row]);
        faults += seen[i] || !is_wished(w, i);
        seen[i] = true;
        for (uint32_t t = 0; t < w->count; t++) {
            uint32_t type = w->type[t];
            if (!is_readable(w, t)) {
                continue;
            }
            const value *found = reach(it, t, row, way, false);
            faults += !found != !is_given(i, type);
            faults += found && memcmp(found, &c->expected[type][i], sizeof *found) != 0;
            if (is_writable(w, t) && found) {
                value *own = (value *)(uintptr_t)reach(it, t, row, way, true);
                own->pass = c->pass;
                c->expected[type][i].pass = c->pass;
                found = reach(it, t, row, way, false); // what was written is read
                faults += !found || found->pass != c->pass;
            }
        }
    }
}

static void check_values(crowd *c)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        for (uint32_t type = 0; type < TYPES; type++) {
            const value *found =
                has_data(type) ? mica_get(c->world, c->entities[i], c->types[type]) : NULL;
            faults += has_data(type) && !found != !is_given(i, type);
            faults += found && memcmp(found, &c->expected[type][i], sizeof *found) != 0;
            faults += mica_has(c->world, c->entities[i], c->types[type]) != is_given(i, type);
        }
    }
}

static void check_asking(crowd *c, mica_query query, const wish *w)
{
    uint32_t count = 0;
    mica_entity first = mica_query_first(c->world, query);
    bool first_is = MICA_IS_NONE(first);
    for (uint32_t i = 0; i < CROWD; i++) {
        bool wished = is_wished(w, i);
        char text[200];
        count += wished;
        first_is = first_is || (wished && MICA_EQUAL(first, c->entities[i]));
        faults += mica_query_contains(c->world, query, c->entities[i]) != wished;
        mica_query_explain(c->world, query, c->entities[i], text, sizeof text);
        faults += !strstr(text, "does not match") != wished;
    }
    faults += mica_query_count(c->world, query) != count;
    faults += !first_is || MICA_IS_NONE(first) != (count == 0);
}

static void check_one_by_one(crowd *c, mica_query query, const wish *w)
{
    for (uint32_t i = 0; i < CROWD; i += 7) {
        mica_iter it;
        bool seen[CROWD] = {false};
        mica_iter_begin_entity(c->world, query, c->entities[i], &it);
        bool found = mica_iter_next(&it);
        faults += found != is_wished(w, i);
        if (found) {
            faults += it.count != 1;
            check_segment(c, &it, w, i % WAYS, seen);
            faults += mica_iter_next(&it);
        }
    }
}

static void check_wish(crowd *c, const wish *w)
{
    mica_query query = make_query(c, w);
    REQUIRE(!MICA_IS_NONE(query));
    faults = 0;
    for (uint32_t way = 0; way < WAYS; way++) {
        bool seen[CROWD] = {false};
        mica_iter it;
        c->pass++;
        mica_iter_begin(c->world, query, &it);
        while (mica_iter_next(&it)) {
            check_segment(c, &it, w, way, seen);
        }
        for (uint32_t i = 0; i < CROWD; i++) {
            faults += seen[i] != is_wished(w, i);
        }
        check_values(c);
    }
    c->pass++;
    check_one_by_one(c, query, w);
    check_asking(c, query, w);
    check_values(c);
    mica_query_free(c->world, query);
    if (faults > 0) {
        char text[160];
        size_t at = 0;
        for (uint32_t t = 0; t < w->count; t++) {
            at += (size_t)snprintf(text + at, sizeof text - at, " type %u access %u,",
                                   (unsigned)w->type[t], (unsigned)w->access[t]);
        }
        test_fail(__FILE__, __LINE__, "%u faults:%s", (unsigned)faults, text);
    }
}

// S2.2
static void every_access_goes_with_every_storage(void)
{
    static crowd c;
    crowd_begin(&c);
    for (uint32_t a = 0; a < TYPES; a++) {
        for (uint32_t x = MICA_READ; x < MICA_ACCESS_COUNT; x++) {
            check_wish(&c, &(wish){1, {a}, {(mica_access)x}});
            for (uint32_t b = 0; b < TYPES; b++) {
                for (uint32_t y = MICA_READ; b != a && y < MICA_ACCESS_COUNT; y++) {
                    check_wish(&c, &(wish){2, {a, b}, {(mica_access)x, (mica_access)y}});
                }
            }
        }
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(c.world));
    crowd_end(&c);
}

// S2.2
static void four_terms_of_all_storages_are_mixed_in_any_way(void)
{
    static crowd c;
    crowd_begin(&c);
    uint32_t state = 1;
    for (uint32_t n = 0; n < 600; n++) {
        wish w = {.count = 3 + n % 2};
        uint32_t used = 0;
        for (uint32_t t = 0; t < w.count;) {
            state = state * 1664525u + 1013904223u;
            uint32_t type = (state >> 16) % TYPES;
            if (used >> type & 1) {
                continue;
            }
            used |= 1u << type;
            w.type[t] = type;
            w.access[t++] = (mica_access)(MICA_READ + (state >> 20) % (MICA_ACCESS_COUNT - 1));
        }
        check_wish(&c, &w);
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(c.world));
    crowd_end(&c);
}

TESTS(mixed_access, every_access_goes_with_every_storage,
      four_terms_of_all_storages_are_mixed_in_any_way)
