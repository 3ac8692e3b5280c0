// Queries with sparse terms: every access on every storage, driven by pools and by tables, gathered and
// in place.
#include <stdio.h>
#include <string.h>

#include <mica.h>

#include "query/mixed.h"
#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

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
        one = MICA_FROM(c->types[type], c->expected[type][i]);
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
        c->entities[i] = mica_spawn_empty(c->world);
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
        if (mica_entity_equal(c->entities[i], entity)) {
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
    bool first_is = mica_entity_is_none(first);
    for (uint32_t i = 0; i < CROWD; i++) {
        bool wished = is_wished(w, i);
        char text[200];
        count += wished;
        first_is = first_is || (wished && mica_entity_equal(first, c->entities[i]));
        faults += mica_query_contains(c->world, query, c->entities[i]) != wished;
        mica_query_explain(c->world, query, c->entities[i], text, sizeof text);
        faults += !strstr(text, "does not match") != wished;
    }
    faults += mica_query_count(c->world, query) != count;
    faults += !first_is || mica_entity_is_none(first) != (count == 0);
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
    REQUIRE(!mica_query_is_none(query));
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

// A world for tests of one thing each.

typedef struct Num {
    int32_t n;
} Num;

typedef struct small {
    test_world t;
    mica_world *world;
    mica_type column, loose, other, stable, mark; // but for the first, sparse
} small;

static mica_type add_sparse(mica_world *world, const char *name, bool stable)
{
    return mica_type_register_sparse(
        world, &(mica_type_desc){
                   .name = name, .size = sizeof(Num), .align = _Alignof(Num), .stable = stable});
}

static mica_world *small_begin(small *s)
{
    s->world = test_world_begin(&s->t);
    s->column = MICA_REGISTER(s->world, Num, n);
    s->loose = add_sparse(s->world, "Loose", false);
    s->other = add_sparse(s->world, "Other", false);
    s->stable = add_sparse(s->world, "Stable", true);
    s->mark = MICA_SPARSE_TAG(s->world, Mark);
    return s->world;
}

static void small_end(small *s)
{
    test_world_end(&s->t);
}

static mica_query query_of(small *s, mica_term a, mica_term b, mica_term c)
{
    mica_query query = mica_query_new(s->world, &(mica_query_desc){.terms = {a, b, c}});
    REQUIRE(!mica_query_is_none(query));
    return query;
}

#define NO_TERM ((mica_term){0})

static void put(small *s, mica_entity entity, mica_type type, int32_t n)
{
    const mica_value one = MICA_VALUE(type, Num, n);
    REQUIRE_EQUAL(MICA_OK, mica_change(s->world, entity, &one, 1, NULL, 0));
}

static int32_t num(small *s, mica_entity entity, mica_type type)
{
    const Num *found = mica_get(s->world, entity, type);
    return found ? found->n : INT32_MIN;
}

// S2.2. The order of results is that of the set that drives.
static void the_smallest_set_drives(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_entity e[10];
    for (int32_t i = 0; i < 10; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.column, Num, i));
    }
    for (int32_t i = 10; i-- > 0;) {
        put(&s, e[i], s.loose, i);
    }
    for (int32_t i = 0; i < 8; i += 2) {
        put(&s, e[(i + 4) % 10], s.other, i);
    }
    mica_query both = query_of(&s, (mica_term){s.loose, MICA_READ}, (mica_term){s.other, MICA_READ},
                               (mica_term){s.column, MICA_READ});
    mica_iter it;
    mica_iter_begin(world, both, &it);
    REQUIRE(it.walk->driver != NULL);
    CHECK_EQUAL(s.other.bits, it.walk->driver->handle);
    CHECK(mica_iter_next(&it));
    REQUIRE_EQUAL(4, it.count);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(e[(2 * i + 4) % 10].bits, it.entities[i].bits);
    }
    CHECK(!mica_iter_next(&it));
    // Of tables that are smaller than any pool, the rows.
    mica_type few = MICA_TAG(world, Few);
    mica_add(world, e[3], few);
    mica_add(world, e[1], few);
    mica_query tagged =
        query_of(&s, (mica_term){s.loose, MICA_WRITE}, (mica_term){few, MICA_WITH}, NO_TERM);
    mica_iter_begin(world, tagged, &it);
    CHECK_POINTER(NULL, it.walk->driver);
    CHECK(mica_iter_next(&it));
    REQUIRE_EQUAL(2, it.count);
    CHECK_EQUAL(e[3].bits, it.entities[0].bits);
    CHECK_EQUAL(e[1].bits, it.entities[1].bits);
    mica_iter_end(&it);
    CHECK_EQUAL(e[3].bits, mica_query_first(world, tagged).bits);
    small_end(&s);
}

static void a_pool_that_nobody_has_ever_joined_is_empty(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_entity e = mica_spawn(world, MICA_VALUE(s.column, Num, 4));
    mica_query needed =
        query_of(&s, (mica_term){s.column, MICA_READ}, (mica_term){s.loose, MICA_READ}, NO_TERM);
    mica_query absent =
        query_of(&s, (mica_term){s.column, MICA_READ}, (mica_term){s.loose, MICA_WITHOUT}, NO_TERM);
    mica_query optional = query_of(&s, (mica_term){s.column, MICA_READ},
                                   (mica_term){s.loose, MICA_OPTIONAL_WRITE}, NO_TERM);
    mica_query any =
        query_of(&s, (mica_term){s.mark, MICA_ANY}, (mica_term){s.loose, MICA_ANY}, NO_TERM);
    CHECK_EQUAL(0, mica_query_count(world, needed));
    CHECK(!mica_query_contains(world, needed, e));
    CHECK(mica_entity_is_none(mica_query_first(world, needed)));
    CHECK_EQUAL(1, mica_query_count(world, absent));
    CHECK_EQUAL(0, mica_query_count(world, any));
    mica_iter it;
    mica_iter_begin(world, needed, &it);
    CHECK(!mica_iter_next(&it));
    mica_iter_begin_entity(world, needed, e, &it);
    CHECK(!mica_iter_next(&it));
    mica_iter_begin(world, optional, &it);
    CHECK(mica_iter_next(&it));
    CHECK_POINTER(NULL, mica_read(&it, 1));
    CHECK_POINTER(NULL, mica_write(&it, 1));
    CHECK_POINTER(NULL, mica_write_row(&it, 1, 0));
    mica_iter_end(&it);
    small_end(&s);
}

// Values that lie side by side are not copied.
static void what_lies_side_by_side_is_handed_out_where_it_lies(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_entity e[20];
    for (int32_t i = 0; i < 20; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.loose, Num, i), MICA_VALUE(s.column, Num, i));
    }
    mica_query query =
        query_of(&s, (mica_term){s.loose, MICA_WRITE}, (mica_term){s.column, MICA_WRITE}, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(20, it.count);
    Num *loose = mica_write(&it, 0);
    CHECK_POINTER(mica_get(world, e[0], s.loose), loose);
    CHECK_POINTER(mica_get(world, e[7], s.loose), mica_read_row(&it, 0, 7));
    const Num *column = mica_write(&it, 1);
    for (int32_t i = 0; i < 20; i++) {
        CHECK_EQUAL(i, loose[i].n);
        CHECK_EQUAL(i, column[i].n);
        loose[i].n += 100;
    }
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(119, num(&s, e[19], s.loose));
    small_end(&s);
}

enum { WRITTEN = 40 };

// Entities whose other pool has the opposite order, so that one of both is gathered.
static void spawn_crossed(small *s, mica_entity e[WRITTEN])
{
    for (int32_t i = 0; i < WRITTEN; i++) {
        e[i] = mica_spawn(s->world, MICA_VALUE(s->loose, Num, i));
    }
    for (int32_t i = WRITTEN; i-- > 0;) {
        put(s, e[i], s->other, i);
        put(s, e[i], s->stable, i);
    }
}

static mica_query cross(small *s)
{
    return query_of(s, (mica_term){s->loose, MICA_WRITE}, (mica_term){s->other, MICA_WRITE},
                    (mica_term){s->stable, MICA_OPTIONAL_WRITE});
}

static void write_all(const mica_iter *it, uint32_t term, int32_t n)
{
    Num *values = mica_write(it, term);
    for (uint32_t i = 0; values && i < it->count; i++) {
        values[i].n = n;
    }
}

static void gathered_values_are_written_back(void)
{
    small s;
    mica_world *world = small_begin(&s);
    static mica_entity e[WRITTEN];
    spawn_crossed(&s, e);
    mica_query query = cross(&s);
    for (uint32_t end = 0; end < 3; end++) {
        mica_iter it;
        mica_iter_begin(world, query, &it);
        CHECK(mica_iter_next(&it));
        CHECK_EQUAL(WRITTEN, it.count);
        CHECK(mica_read(&it, 0) != mica_get(world, it.entities[0], s.loose) ||
              mica_read(&it, 1) != mica_get(world, it.entities[0], s.other));
        for (uint32_t t = 0; t < 3; t++) {
            write_all(&it, t, (int32_t)(100 * end + t));
        }
        if (end == 0) {
            CHECK(!mica_iter_next(&it));
        } else if (end == 1) {
            CHECK_EQUAL(MICA_OK, mica_iter_end(&it));
        } else {
            CHECK_EQUAL(1, mica_world_end_iterations(world));
        }
        for (uint32_t i = 0; i < WRITTEN; i++) {
            CHECK_EQUAL(100 * end, num(&s, e[i], s.loose));
            CHECK_EQUAL(100 * end + 1, num(&s, e[i], s.other));
            CHECK_EQUAL(100 * end + 2, num(&s, e[i], s.stable));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    small_end(&s);
}

static void what_is_only_read_is_not_written_back(void)
{
    small s;
    mica_world *world = small_begin(&s);
    static mica_entity e[WRITTEN];
    spawn_crossed(&s, e);
    mica_query query =
        query_of(&s, (mica_term){s.loose, MICA_READ}, (mica_term){s.other, MICA_WRITE}, NO_TERM);
    uint64_t digest = mica_world_digest(world);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    const Num *loose = mica_read(&it, 0);
    const Num *other = mica_read(&it, 1);
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK_EQUAL(loose[i].n, other[i].n);
    }
    CHECK_POINTER(NULL, mica_write(&it, 0));
    CHECK_ERROR(
        &s.t, MICA_ERROR_TERM,
        "mica_write: term 0 ('Loose') is only read; use mica_read, or declare it MICA_WRITE");
    CHECK_POINTER(NULL, mica_write_row(&it, 0, 0));
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(digest, mica_world_digest(world)); // nobody wrote
    small_end(&s);
}

static uint64_t tick_of(small *s, mica_type type)
{
    return micai_pools_find(&s->world->core->pools, type)->room.ticks[0];
}

static void what_is_written_is_stamped_and_nothing_else(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_entity e[3];
    for (int32_t i = 0; i < 3; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.loose, Num, i), MICA_VALUE(s.stable, Num, i),
                          MICA_VALUE(s.other, Num, i), MICA_ADD(s.mark));
    }
    mica_query query = query_of(&s, (mica_term){s.loose, MICA_WRITE},
                                (mica_term){s.other, MICA_READ}, (mica_term){s.stable, MICA_WRITE});
    uint64_t before = world->view.tick;
    world->view.tick++;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    CHECK(mica_write(&it, 0) && mica_read(&it, 1) && mica_read(&it, 2));
    CHECK_EQUAL(world->view.tick, tick_of(&s, s.loose));
    CHECK_EQUAL(before, tick_of(&s, s.other));
    CHECK_EQUAL(before, tick_of(&s, s.stable)); // to be written, and was not
    CHECK(mica_write_row(&it, 2, 1) != NULL);
    CHECK_EQUAL(world->view.tick, tick_of(&s, s.stable));
    mica_iter_end(&it);
    CHECK_EQUAL(2, num(&s, e[2], s.loose));
    small_end(&s);
}

// Rows

static void a_row_is_reached_in_place(void)
{
    small s;
    mica_world *world = small_begin(&s);
    static mica_entity e[WRITTEN];
    spawn_crossed(&s, e);
    mica_query query = cross(&s);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK_POINTER(mica_get(world, it.entities[i], s.loose), mica_read_row(&it, 0, i));
        CHECK_POINTER(mica_get(world, it.entities[i], s.other), mica_write_row(&it, 1, i));
        ((Num *)mica_write_row(&it, 1, i))->n = (int32_t)(500 + i);
        CHECK_EQUAL(500 + i, num(&s, it.entities[i], s.other));
    }
    CHECK_POINTER(NULL, mica_read_row(&it, 0, it.count));
    CHECK_ERROR(&s.t, MICA_ERROR_ARGUMENT, "mica_read_row: row 40 of a segment of 40");
    mica_iter_end(&it);
    small_end(&s);
}

// Whatever was asked for before: one row, all rows, to read, to write. The last word is what stays.
static void rows_and_whole_terms_see_the_same_values(void)
{
    small s;
    mica_world *world = small_begin(&s);
    static mica_entity e[WRITTEN];
    spawn_crossed(&s, e);
    mica_query query = cross(&s);
    for (uint32_t order = 0; order < 8; order++) {
        for (uint32_t t = 0; t < 2; t++) {
            mica_iter it;
            const mica_type type = t ? s.other : s.loose;
            mica_iter_begin(world, query, &it);
            REQUIRE(mica_iter_next(&it));
            mica_entity who = it.entities[3];
            mica_entity neighbour = it.entities[4];
            if (order & 1) {
                CHECK(mica_read(&it, t) != NULL);
            }
            int32_t n = (int32_t)(1000 + 10 * order);
            ((Num *)mica_write_row(&it, t, 3))->n = n;
            CHECK_EQUAL(n, ((const Num *)mica_read_row(&it, t, 3))->n);
            CHECK_EQUAL(n, ((const Num *)mica_read(&it, t))[3].n);
            if (order & 2) {
                Num *all = mica_write(&it, t);
                CHECK_EQUAL(n, all[3].n);
                all[4].n = n + 1;
            }
            if (order & 4) {
                ((Num *)mica_write_row(&it, t, 3))->n = n + 2;
                CHECK_EQUAL(n + 2, ((const Num *)mica_read(&it, t))[3].n);
            }
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            mica_iter_end(&it);
            CHECK_EQUAL(order & 4 ? n + 2 : n, num(&s, who, type));
            CHECK(!(order & 2) || num(&s, neighbour, type) == n + 1);
        }
    }
    small_end(&s);
}

// Blocks

static void a_block_ends_where_optional_terms_change(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_type extra = MICA_TAG(world, Extra); // another table in between
    mica_type beside =
        mica_type_register(world, &(mica_type_desc){.name = "Beside", .size = 4, .align = 4});
    for (uint32_t i = 0; i < 20; i++) { // so many that the pool drives
        mica_spawn_empty(world);
    }
    static const bool loose[] = {1, 1, 0, 0, 1, 1, 1, 0};
    static const bool column[] = {0, 0, 0, 0, 0, 1, 1, 1};
    for (int32_t i = 0; i < 8; i++) {
        mica_entity e = mica_spawn(world, MICA_VALUE(s.other, Num, i));
        if (loose[i]) {
            put(&s, e, s.loose, i);
        }
        if (column[i]) {
            mica_add(world, e, beside);
        }
        if (i == 1) {
            mica_add(world, e, extra);
        }
    }
    mica_query query =
        query_of(&s, (mica_term){s.other, MICA_READ}, (mica_term){s.loose, MICA_OPTIONAL},
                 (mica_term){beside, MICA_OPTIONAL});
    static const uint32_t expected[] = {2, 2, 1, 2, 1};
    mica_iter it;
    uint32_t at = 0;
    mica_iter_begin(world, query, &it);
    for (uint32_t n = 0; n < 5; n++) {
        REQUIRE(mica_iter_next(&it));
        CHECK_EQUAL(expected[n], it.count);
        CHECK_EQUAL(loose[at], mica_read(&it, 1) != NULL);
        CHECK_EQUAL(column[at], mica_read(&it, 2) != NULL);
        CHECK_EQUAL(column[at], mica_read_row(&it, 2, 0) != NULL);
        at += it.count;
    }
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(8, at);
    small_end(&s);
}

static void a_block_has_256_rows_at_most_and_fewer_of_big_values(void)
{
    small s;
    mica_world *world = small_begin(&s);
    static const uint32_t sizes[] = {4, 1000, 40000, 70000, 1 << 18};
    static const uint32_t rows[] = {256, 65, 1, 1, 1};
    enum { COUNT = 600, BIG = 5 };
    static mica_entity e[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.column, Num, i));
    }
    mica_type big[BIG];
    for (uint32_t b = 0; b < BIG; b++) {
        char name[8];
        snprintf(name, sizeof name, "B%u", (unsigned)b);
        big[b] = mica_type_register_sparse(
            world, &(mica_type_desc){.name = name, .size = sizes[b], .align = 4});
        uint32_t count = b < 2 ? COUNT : 5;
        for (uint32_t i = count; i-- > 0;) { // against the order of the table
            REQUIRE_EQUAL(MICA_OK, mica_add(world, e[i], big[b]));
            ((uint32_t *)mica_get_mut(world, e[i], big[b]))[sizes[b] / 4 - 1] = i;
        }
        mica_query query =
            mica_query_new(world, &(mica_query_desc){.terms = {{big[b], MICA_WRITE},
                                                               {s.column, MICA_READ},
                                                               {s.mark, MICA_OPTIONAL}}});
        uint32_t seen = 0;
        mica_iter it;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            CHECK(it.count == rows[b] || seen + it.count == count);
            uint32_t *values = mica_write(&it, 0);
            const Num *column = mica_read(&it, 1);
            for (uint32_t i = 0; i < it.count; i++) {
                uint32_t *last = &values[(i + 1) * (sizes[b] / 4) - 1];
                CHECK_EQUAL(column[i].n, *last);
                *last += 7000;
            }
            seen += it.count;
        }
        CHECK_EQUAL(count, seen);
        CHECK_EQUAL(7002, ((const uint32_t *)mica_get(world, e[2], big[b]))[sizes[b] / 4 - 1]);
        mica_despawn_all(world, query, NULL);
        for (uint32_t i = 0; i < count; i++) {
            e[i] = mica_spawn(world, MICA_VALUE(s.column, Num, (int32_t)i));
        }
    }
    small_end(&s);
}

static void blocks_of_tables_end_where_runs_are_worth_keeping(void)
{
    small s;
    mica_world *world = small_begin(&s);
    enum { COUNT = 100 };
    for (int32_t i = 0; i < COUNT; i++) {
        mica_entity e = mica_spawn(world, MICA_VALUE(s.column, Num, i));
        if (i != 50) {
            mica_add(world, e, s.mark);
        }
    }
    mica_query query =
        query_of(&s, (mica_term){s.mark, MICA_WITHOUT}, (mica_term){s.column, MICA_WRITE}, NO_TERM);
    CHECK_EQUAL(1, mica_query_count(world, query));
    mica_query marked =
        query_of(&s, (mica_term){s.mark, MICA_ANY}, (mica_term){s.column, MICA_WRITE}, NO_TERM);
    mica_iter it;
    uint32_t seen = 0;
    mica_iter_begin(world, marked, &it);
    while (mica_iter_next(&it)) {
        Num *values = mica_write(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_EQUAL(seen + i + (seen + i >= 50), values[i].n);
        }
        if (it.walk->next == micai_mixed_next && sizeof(Num) << MICA_VIEW_ROW_SHIFT > 1000) {
            CHECK_EQUAL(seen == 0 ? 50 : 49, it.count); // both where they lie
            CHECK_POINTER(mica_get(world, it.entities[0], s.column), values);
        }
        seen += it.count;
    }
    CHECK_EQUAL(COUNT - 1, seen);
    small_end(&s);
}

static void holes_of_a_stable_pool_are_passed_over(void)
{
    small s;
    mica_world *world = small_begin(&s);
    enum { COUNT = 50 };
    mica_entity e[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.stable, Num, i), MICA_VALUE(s.loose, Num, i));
    }
    for (uint32_t i = 0; i < COUNT; i += 2) {
        mica_remove(world, e[i], s.stable);
    }
    mica_query query = query_of(&s, (mica_term){s.stable, MICA_WRITE}, NO_TERM, NO_TERM);
    CHECK_EQUAL(COUNT / 2, mica_query_count(world, query));
    mica_iter it;
    uint32_t seen = 0;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        Num *values = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++, seen++) {
            CHECK_EQUAL(e[2 * seen + 1].bits, it.entities[i].bits);
            CHECK_EQUAL(2 * seen + 1, values[i].n);
            values[i].n = -(int32_t)seen;
        }
    }
    CHECK_EQUAL(COUNT / 2, seen);
    CHECK_EQUAL(-3, num(&s, e[7], s.stable));
    small_end(&s);
}

// Hooks

static void values_with_hooks_are_reached_row_by_row(void)
{
    static tracker track;
    small s;
    mica_world *world = small_begin(&s);
    tracker_begin(&track);
    mica_type_desc desc = tracked_desc(&track, "Moved", true);
    mica_type moved = mica_type_register_sparse(world, &desc);
    desc = tracked_desc(&track, "Hooked", false);
    mica_type hooked = mica_type_register_sparse(world, &desc);
    static mica_entity e[WRITTEN];
    for (int32_t i = 0; i < WRITTEN; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.loose, Num, i));
    }
    for (int32_t i = WRITTEN; i-- > 0;) {
        mica_add(world, e[i], moved);
        mica_add(world, e[i], hooked);
    }
    mica_query query =
        mica_query_new(world, &(mica_query_desc){.terms = {{s.loose, MICA_READ},
                                                           {moved, MICA_WRITE},
                                                           {hooked, MICA_WRITE},
                                                           {s.column, MICA_WITHOUT}}});
    mica_query alone = query_of(&s, (mica_term){moved, MICA_WRITE}, NO_TERM, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, alone, &it); // they lie side by side here
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(WRITTEN, it.count);
    CHECK(tracked_is(&track, mica_write(&it, 0), TRACKED_DEFAULT));
    mica_iter_end(&it);
    REQUIRE_EQUAL(MICA_OK, mica_despawn(world, mica_spawn(world, MICA_ADD(moved))));
    mica_remove(world, e[5], moved);
    mica_add(world, e[5], moved);
    mica_remove(world, e[9], hooked);
    mica_add(world, e[9], hooked);
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    uint32_t refused = mica_read(&it, 1) == NULL;
    if (refused) {
        CHECK_ERROR(&s.t, MICA_ERROR_TERM,
                    "mica_read: values of 'Moved' have hooks, and do not lie side by side "
                    "here; use mica_read_row");
        CHECK_POINTER(NULL, mica_write(&it, 1));
        CHECK_ERROR(&s.t, MICA_ERROR_TERM,
                    "mica_write: values of 'Moved' have hooks, and do not lie side by side "
                    "here; use mica_write_row");
        CHECK_POINTER(NULL, MICA_READ_AS(&it, 1, tracked));
        CHECK_ERROR(&s.t, MICA_ERROR_TERM,
                    "MICA_READ_AS: values of 'Moved' have hooks, and do not lie side by side "
                    "here; use mica_read_row");
    }
    CHECK_POINTER(NULL, mica_write(&it, 2)); // also those that are moved as bytes
    CHECK_ERROR(&s.t, MICA_ERROR_TERM,
                "mica_write: values of 'Hooked' have hooks, and do not lie side by side here; use "
                "mica_write_row");
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK(tracked_is(&track, mica_read_row(&it, 1, i), TRACKED_DEFAULT));
        ((tracked *)mica_write_row(&it, 1, i))->number = i;
        ((tracked *)mica_write_row(&it, 2, i))->number = i;
    }
    mica_iter_end(&it);
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    for (uint32_t i = 0; i < it.count; i++) {
        CHECK(tracked_is(&track, mica_read_row(&it, 1, i), i));
        CHECK(tracked_is(&track, mica_read_row(&it, 2, i), i));
    }
    mica_iter_end(&it);
    CHECK(refused);
    small_end(&s);
    CHECK_TRACKED(&track, 0);
}

// Pages of columns that a snapshot keeps too are copied before they are written, and then lie beside no
// other: what lay side by side until then is brought together.
static void shared_pages_are_copied_before_they_are_written(void)
{
    for (uint32_t way = 0; way < 8; way++) {
        small s;
        mica_world *world = small_begin(&s);
        enum { COUNT = 8 * MICAI_ROWS };
        static mica_entity e[COUNT];
        static Num numbers[COUNT];
        for (int32_t i = 0; i < COUNT; i++) {
            numbers[i].n = i;
        }
        mica_bundle bundle = mica_bundle_new(world, &s.column, 1); // all side by side
        const mica_value values_of = MICA_FROM_ARRAY(s.column, numbers);
        REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, COUNT, &values_of, 1, e));
        enum { BEGIN = COUNT - 2 * MICAI_ROWS }; // the last two sheets
        for (uint32_t i = 0; i < BEGIN; i++) {
            mica_add(world, e[i], s.mark);
        }
        mica_query query = query_of(&s, (mica_term){s.mark, MICA_WITHOUT},
                                    (mica_term){s.column, MICA_WRITE}, NO_TERM);
        micai_row row = micai_row_of(
            &world->core->store,
            micai_slots_find(&world->core->slots, e[way & 4 ? COUNT - 1 : COUNT - MICAI_ROWS - 1]));
        micai_sheet *sheet = row.sheet;
        micai_sheet_share_page(&world->core->store, sheet, 1);
        micai_page kept = sheet->pages[1];
        int32_t first = ((const Num *)(const void *)kept.data)[0].n;
        mica_iter it;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            const Num *seen = way & 1 ? mica_read(&it, 1) : NULL;
            Num *values = way & 2 ? NULL : mica_write(&it, 1);
            for (uint32_t i = 0; i < it.count; i++) {
                Num *one = values ? &values[i] : mica_write_row(&it, 1, i);
                CHECK(!seen || one->n >= 0);
                one->n = -one->n;
            }
        }
        for (int32_t i = 0; i < COUNT; i++) {
            CHECK_EQUAL(i < BEGIN ? i : -i, num(&s, e[i], s.column));
        }
        const Num *old = (const Num *)(const void *)kept.data;
        for (int32_t i = 0; i < (int32_t)MICAI_ROWS; i++) {
            CHECK_EQUAL(first + i, old[i].n);
        }
        micai_page_release(&world->host, &kept);
        small_end(&s);
    }
}

static void a_shared_page_that_cannot_be_copied_is_not_written(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_entity e[3];
    for (int32_t i = 0; i < 3; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.column, Num, i), MICA_VALUE(s.loose, Num, i));
    }
    mica_query query =
        query_of(&s, (mica_term){s.loose, MICA_READ}, (mica_term){s.column, MICA_WRITE}, NO_TERM);
    micai_row row = micai_row_of(&world->core->store, micai_slots_find(&world->core->slots, e[0]));
    micai_sheet_share_page(&world->core->store, row.sheet, 1);
    micai_page kept = row.sheet->pages[1];
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_POINTER(NULL, mica_write(&it, 1));
    CHECK_POINTER(NULL, mica_write_row(&it, 1, 2));
    CHECK_EQUAL(2, test_error_clear(&s.t.error));
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(2, ((const Num *)mica_read(&it, 1))[2].n);
    Num *now = mica_write(&it, 1);
    REQUIRE(now != NULL);
    now[2].n = 9;
    mica_iter_end(&it);
    CHECK_EQUAL(9, num(&s, e[2], s.column));
    CHECK_EQUAL(2, ((const Num *)(const void *)kept.data)[2].n);
    micai_page_release(&world->host, &kept);
    small_end(&s);
}

// Several at once

static void iterations_of_mixed_queries_stand_inside_each_other(void)
{
    small s;
    mica_world *world = small_begin(&s);
    static mica_entity e[WRITTEN];
    spawn_crossed(&s, e);
    mica_query query = cross(&s);
    mica_query reading = query_of(&s, (mica_term){s.other, MICA_READ}, NO_TERM, NO_TERM);
    mica_iter outer;
    mica_iter inner;
    uint32_t seen = 0;
    mica_iter_begin(world, query, &outer);
    while (mica_iter_next(&outer)) {
        write_all(&outer, 0, 9);
        mica_iter_begin(world, reading, &inner);
        while (mica_iter_next(&inner)) {
            seen += inner.count;
            CHECK(mica_read(&inner, 0) != NULL);
        }
        CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove(world, e[0], s.loose));
        CHECK_EQUAL(1, test_error_clear(&s.t.error));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    CHECK_EQUAL(WRITTEN, seen);
    for (uint32_t i = 0; i < WRITTEN; i++) {
        CHECK_EQUAL(9, num(&s, e[i], s.loose));
    }
    small_end(&s);
}

static void an_iteration_that_gets_no_memory_has_no_segments(void)
{
    small s;
    mica_world *world = small_begin(&s);
    static mica_entity e[WRITTEN];
    spawn_crossed(&s, e);
    mica_query query = cross(&s);
    mica_result result = MICA_ERROR_MEMORY;
    uint32_t refused = 0;
    for (uint64_t k = 1; result; k++) {
        mica_iter it;
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        result = mica_iter_begin(world, query, &it);
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(result != MICA_OK, test_error_clear(&s.t.error));
        CHECK_EQUAL(!result, mica_iter_next(&it));
        CHECK_EQUAL(result, mica_iter_end(&it));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        CHECK_EQUAL(MICA_OK, mica_remove(world, e[0], s.mark)); // nothing stands open
        refused += result != MICA_OK;
    }
    CHECK_EQUAL(2, refused); // the walk, and its memory
    small_end(&s);
}

static void a_query_that_gets_no_memory_is_none(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_query query = {0};
    for (uint64_t k = 1; mica_query_is_none(query); k++) {
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        query = mica_query_new(world, &(mica_query_desc){.terms = {{s.loose, MICA_READ},
                                                                   {s.column, MICA_WITHOUT},
                                                                   {s.mark, MICA_ANY}},
                                                         .name = "mixed"});
        CHECK_EQUAL(mica_query_is_none(query), test_error_clear(&s.t.error));
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    }
    small_end(&s);
}

// S3.7
static void sparse_tags_flip_without_moving_anything(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_entity e[10];
    for (int32_t i = 0; i < 10; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.column, Num, i));
        if (i % 2) {
            mica_add(world, e[i], s.mark);
        }
    }
    mica_query marked =
        query_of(&s, (mica_term){s.mark, MICA_WITH}, (mica_term){s.column, MICA_READ}, NO_TERM);
    uint32_t tables = mica_world_stats(world).tables;
    const void *place = mica_get(world, e[4], s.column);
    uint64_t moves = world->core->store.row_moves;
    for (uint32_t i = 0; i < 10; i++) {
        if (mica_has(world, e[i], s.mark)) {
            CHECK_EQUAL(MICA_OK, mica_remove(world, e[i], s.mark));
        } else {
            CHECK_EQUAL(MICA_OK, mica_add(world, e[i], s.mark));
        }
    }
    CHECK_EQUAL(tables, mica_world_stats(world).tables);
    CHECK_EQUAL(moves, world->core->store.row_moves);
    CHECK_POINTER(place, mica_get(world, e[4], s.column));
    CHECK_EQUAL(5, mica_query_count(world, marked));
    CHECK(mica_query_contains(world, marked, e[4]) && !mica_query_contains(world, marked, e[5]));
    mica_despawn(world, e[4]); // which clears its marks
    CHECK_EQUAL(4, mica_query_count(world, marked));
    mica_entity heir = mica_spawn_empty(world);
    CHECK_EQUAL(mica_entity_slot(e[4]), mica_entity_slot(heir));
    CHECK(!mica_has(world, heir, s.mark));
    small_end(&s);
}

// S3.7. Nothing moves that anybody looks at.
static void sparse_tags_flip_while_others_are_iterated(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_type fresh = MICA_SPARSE_TAG(world, Fresh); // that nobody has ever had
    mica_entity e[40];
    for (int32_t i = 0; i < 40; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(s.column, Num, i));
    }
    mica_query others = query_of(&s, (mica_term){s.column, MICA_WRITE}, NO_TERM, NO_TERM);
    mica_query naming = query_of(&s, (mica_term){s.column, MICA_WRITE},
                                 (mica_term){s.mark, MICA_OPTIONAL}, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, others, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) { // more than there is room for
            CHECK_EQUAL(MICA_OK, mica_add(world, it.entities[i], s.mark));
            CHECK_EQUAL(MICA_OK, mica_add(world, it.entities[i], fresh));
            CHECK_EQUAL(MICA_OK, mica_add_types(world, it.entities[i], &s.mark, 1));
        }
    }
    CHECK(mica_has(world, e[39], s.mark) && mica_has(world, e[39], fresh));
    mica_iter_begin(world, others, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(MICA_OK, mica_remove(world, e[3], s.mark));
    const mica_type both[] = {s.mark, fresh};
    CHECK_EQUAL(MICA_OK, mica_remove_types(world, e[4], both, 2));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(world, e[3], s.loose)); // which has values
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_despawn(world, e[3]));
    CHECK_EQUAL(2, test_error_clear(&s.t.error));
    mica_iter inner;
    mica_iter_begin(world, naming, &inner);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_add(world, e[3], s.mark));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove(world, e[5], s.mark));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_remove_types(world, e[5], both, 2));
    CHECK_EQUAL(3, test_error_clear(&s.t.error));
    CHECK_EQUAL(MICA_OK, mica_remove(world, e[5], fresh));
    mica_iter_end(&inner);
    CHECK_EQUAL(MICA_OK, mica_add(world, e[3], s.mark));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    mica_iter_end(&it);
    CHECK(mica_has(world, e[5], s.mark) && !mica_has(world, e[5], fresh));
    CHECK(!mica_has(world, e[4], s.mark) && !mica_has(world, e[4], fresh));
    small_end(&s);
}

// S2.6, from outside.
static void an_entity_far_away_has_sparse_components_too(void)
{
    small s;
    mica_world *world = small_begin(&s);
    uint32_t slot = MICAI_SLOT_PAGE_SIZE > 4 ? 100000000 : 100000;
    mica_entity near = mica_spawn(world, MICA_VALUE(s.loose, Num, 1));
    mica_entity distant = mica_spawn_at(world, mica_entity_make(slot, 0));
    size_t bytes = mica_memory(world).bytes;
    put(&s, distant, s.loose, 2);
    CHECK(MICAI_SLOT_PAGE_SIZE == 4 || mica_memory(world).bytes - bytes < slot / 50);
    mica_query query = query_of(&s, (mica_term){s.loose, MICA_READ}, NO_TERM, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(2, it.count);
    CHECK_EQUAL(near.bits, it.entities[0].bits);
    CHECK_EQUAL(distant.bits, it.entities[1].bits);
    CHECK_EQUAL(2, ((const Num *)mica_read(&it, 0))[1].n);
    mica_iter_end(&it);
    small_end(&s);
}

// More sparse types than a word has bits.
static void terms_of_several_words_of_presence_are_sieved_together(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_type many[150];
    for (uint32_t i = 0; i < 150; i++) {
        char name[8];
        snprintf(name, sizeof name, "M%u", (unsigned)i);
        many[i] =
            i % 2 ? add_sparse(world, name, false) : mica_type_register_sparse_tag(world, name);
    }
    mica_entity e[8];
    for (uint32_t i = 0; i < 8; i++) {
        e[i] = mica_spawn_empty(world);
        if (i & 1) {
            mica_add(world, e[i], many[0]);
        }
        if (i & 2) {
            put(&s, e[i], many[71], (int32_t)i);
        }
        if (i & 4) {
            put(&s, e[i], many[141], (int32_t)i);
        }
    }
    mica_query query =
        query_of(&s, (mica_term){many[0], MICA_WITHOUT}, (mica_term){many[71], MICA_READ},
                 (mica_term){many[141], MICA_OPTIONAL});
    CHECK_EQUAL(2, mica_query_count(world, query));
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(1, it.count);
    CHECK_EQUAL(e[2].bits, it.entities[0].bits);
    CHECK_POINTER(NULL, mica_read(&it, 2));
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(e[6].bits, it.entities[0].bits);
    CHECK_EQUAL(6, ((const Num *)mica_read(&it, 2))->n);
    CHECK(!mica_iter_next(&it));
    char text[200];
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, query, e[1], text, sizeof text));
    CHECK_TEXT("entity 1.0 does not match: it has 'M0', it has no 'M71'", text);
    mica_query any =
        query_of(&s, (mica_term){many[71], MICA_ANY}, (mica_term){many[141], MICA_ANY}, NO_TERM);
    CHECK_EQUAL(6, mica_query_count(world, any));
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, any, e[1], text, sizeof text));
    CHECK_TEXT("entity 1.0 does not match: it has none of 'M71', 'M141'", text);
    CHECK_EQUAL(MICA_OK, mica_query_explain(world, any, e[4], text, sizeof text));
    CHECK_TEXT("entity 4.0 matches", text);
    small_end(&s);
}

static void a_table_that_appears_is_passed_by_a_walk_of_a_pool(void)
{
    small s;
    mica_world *world = small_begin(&s);
    mica_entity e = mica_spawn(world, MICA_VALUE(s.loose, Num, 1), MICA_VALUE(s.column, Num, 2));
    mica_query query = query_of(&s, (mica_term){s.loose, MICA_WRITE},
                                (mica_term){s.column, MICA_OPTIONAL_WRITE}, NO_TERM);
    mica_iter it;
    mica_iter_begin(world, query, &it);
    mica_type tags[] = {MICA_TAG(world, New), s.column};
    mica_bundle_new(world, tags, 2);
    CHECK(mica_iter_next(&it));
    CHECK_EQUAL(1, it.count);
    CHECK_EQUAL(2, ((const Num *)mica_write(&it, 1))->n);
    CHECK(!mica_iter_next(&it));
    CHECK_EQUAL(1, num(&s, e, s.loose));
    small_end(&s);
}

TESTS(mixed, every_access_goes_with_every_storage, four_terms_of_all_storages_are_mixed_in_any_way,
      the_smallest_set_drives, a_pool_that_nobody_has_ever_joined_is_empty,
      what_lies_side_by_side_is_handed_out_where_it_lies, gathered_values_are_written_back,
      what_is_only_read_is_not_written_back, what_is_written_is_stamped_and_nothing_else,
      a_row_is_reached_in_place, rows_and_whole_terms_see_the_same_values,
      a_block_ends_where_optional_terms_change,
      a_block_has_256_rows_at_most_and_fewer_of_big_values,
      blocks_of_tables_end_where_runs_are_worth_keeping, holes_of_a_stable_pool_are_passed_over,
      values_with_hooks_are_reached_row_by_row, shared_pages_are_copied_before_they_are_written,
      a_shared_page_that_cannot_be_copied_is_not_written,
      iterations_of_mixed_queries_stand_inside_each_other,
      an_iteration_that_gets_no_memory_has_no_segments, a_query_that_gets_no_memory_is_none,
      sparse_tags_flip_without_moving_anything, sparse_tags_flip_while_others_are_iterated,
      an_entity_far_away_has_sparse_components_too,
      terms_of_several_words_of_presence_are_sieved_together,
      a_table_that_appears_is_passed_by_a_walk_of_a_pool)
