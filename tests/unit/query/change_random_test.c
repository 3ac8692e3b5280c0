// Changes at random, of all storages, with row stamps and without, against a plain model that knows when
// each value changed and when it was added. Where stamps are of rows, queries see exactly those; where they
// are not, those and perhaps others.
#include <mica.h>

#include <inttypes.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

enum {
    COLUMN,   // in tables, with row stamps: as all up to the first that says otherwise
    SWITCHED, // the same, with a toggle
    MOVED,    // with a move hook
    PIECES,   // split
    RUNG,     // in a ring
    POOLED,   // sparse
    SECOND,   // the same, with a toggle
    STABLE,   // with stable addresses
    FLAG,     // a sparse tag
    EXACT,
    PLAIN = EXACT, // in tables, without row stamps
    PLAIN_PIECES,
    PLAIN_RUNG,
    PLAIN_POOLED,
    MARK, // a tag in tables
    TYPES,

    SLOTS = 48,
    QUERIES = 5,
    TERMS = 4,
    STEPS = 2500
};

typedef struct Pair {
    int32_t a, b;
} Pair;

typedef struct being {
    mica_entity entity; // none: nobody
    uint32_t types;
    uint32_t off;
    uint64_t changed[TYPES];
    uint64_t added[TYPES];
} being;

typedef struct asked {
    mica_query query;
    uint32_t count;
    uint32_t types[TERMS];
    uint32_t accesses[TERMS];
    uint64_t since;
    bool timed;
    bool exact;
} asked;

typedef struct lab {
    test_world t;
    mica_world *world;
    tracker values;
    mica_type types[TYPES];
    mica_accessor accessors[TYPES];
    mica_storage storages[TYPES];
    mica_group group;
    being beings[SLOTS];
    asked queries[QUERIES];
    uint64_t clock; // goes on with every mark
    uint64_t state;
    uint32_t wrong;
    int line; // of the first that is
} lab;

static uint32_t below(lab *l, uint32_t end)
{
    l->state ^= l->state << 13;
    l->state ^= l->state >> 7;
    l->state ^= l->state << 17;
    return (uint32_t)((l->state >> 16) % end);
}

static bool has_toggle(uint32_t type)
{
    return type == SWITCHED || type == SECOND;
}

static bool has_data(uint32_t type)
{
    return type != MARK && type != FLAG;
}

#define expect(l, holds) expect_at(l, holds, __LINE__)
static void expect_at(lab *l, bool holds, int line)
{
    l->line = l->wrong == 0 ? line : l->line;
    l->wrong += !holds;
}

static mica_type register_one(lab *l, uint32_t type)
{
    static const char *const names[TYPES] = {
        "Column", "Switched", "Moved", "Pieces",      "Rung",      "Pooled",      "Second",
        "Stable", "Flag",     "Plain", "PlainPieces", "PlainRung", "PlainPooled", "Mark"};
    static const mica_storage storages[TYPES] = {
        [PIECES] = MICA_SPLIT,       [RUNG] = MICA_RING,       [POOLED] = MICA_SPARSE,
        [SECOND] = MICA_SPARSE,      [STABLE] = MICA_SPARSE,   [FLAG] = MICA_SPARSE,
        [PLAIN_PIECES] = MICA_SPLIT, [PLAIN_RUNG] = MICA_RING, [PLAIN_POOLED] = MICA_SPARSE};
    mica_type_desc desc = MICA_DESCRIBE(Pair, a, b);
    if (type == MOVED) {
        desc = tracked_desc(&l->values, names[type], true);
    } else if (!has_data(type)) {
        desc = (mica_type_desc){0};
    }
    desc.name = names[type];
    desc.toggle = has_toggle(type);
    desc.row_stamps = type < EXACT;
    desc.storage = l->storages[type] = storages[type];
    desc.stable = type == STABLE;
    return mica_type_register(l->world, &desc);
}

// The model.

static void comes(const lab *l, being *b, uint32_t type)
{
    b->types |= 1u << type;
    b->off &= ~(1u << type);
    b->changed[type] = b->added[type] = l->clock;
}

static bool sees(const being *b, uint32_t type, uint32_t access, uint64_t since)
{
    bool on = !(b->off >> type & 1) || (access & MICA_INCLUDE_DISABLED);
    bool news = access & MICA_CHANGED ? b->changed[type] > since
                : access & MICA_ADDED ? b->added[type] > since
                                      : true;
    return (b->types >> type & 1) && on && news;
}

static bool matches(const being *b, const asked *q)
{
    bool any = false;
    bool asks = false;
    if (MICA_IS_NONE(b->entity)) {
        return false;
    }
    for (uint32_t i = 0; i < q->count; i++) {
        bool seen = sees(b, q->types[i], q->accesses[i], q->since);
        switch (q->accesses[i] & 0xff) {
        case MICA_READ:
        case MICA_WRITE:
        case MICA_WITH:
            if (!seen) {
                return false;
            }
            break;
        case MICA_WITHOUT:
            if (seen) {
                return false;
            }
            break;
        case MICA_ANY:
            asks = true;
            any = any || seen;
            break;
        default: break;
        }
    }
    return any || !asks;
}

static uint32_t count_matches(const lab *l, const asked *q)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        count += matches(&l->beings[i], q);
    }
    return count;
}

static being *find_being(lab *l, mica_entity entity)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (MICA_EQUAL(l->beings[i].entity, entity)) {
            return &l->beings[i];
        }
    }
    return NULL;
}

static void compare(lab *l, bool validate)
{
    for (uint32_t n = 0; n < QUERIES; n++) {
        const asked *q = &l->queries[n];
        uint32_t counted = mica_query_count(l->world, q->query);
        uint32_t matching = count_matches(l, q);
        expect(l, q->exact ? counted == matching : counted >= matching);
        uint32_t contained = 0;
        for (uint32_t i = 0; i < SLOTS; i++) {
            const being *b = &l->beings[i];
            if (MICA_IS_NONE(b->entity)) {
                continue;
            }
            bool in = mica_query_contains(l->world, q->query, b->entity);
            expect(l, q->exact ? in == matches(b, q) : in || !matches(b, q));
            contained += in;
        }
        expect(l, contained == counted);
        expect(l, MICA_IS_NONE(mica_query_first(l->world, q->query)) == (counted == 0));
    }
    expect(l, !validate || mica_world_validate(l->world) == MICA_OK);
}

// Queries.

static void make_query(lab *l, asked *q)
{
    static const uint32_t accesses[] = {
        MICA_READ,           MICA_WRITE, MICA_WITH, MICA_WITHOUT, MICA_OPTIONAL,
        MICA_OPTIONAL_WRITE, MICA_ANY,   MICA_READ, MICA_ANY,     MICA_WITH};
    mica_term terms[TERMS];
    if (!MICA_IS_NONE(q->query)) {
        mica_query_free(l->world, q->query);
    }
    *q = (asked){.exact = true};
    uint32_t count = 1 + below(l, TERMS);
    while (q->count < count) {
        uint32_t type = below(l, below(l, 3) ? EXACT : TYPES);
        uint32_t access = accesses[below(l, sizeof accesses / sizeof *accesses)];
        bool again = false;
        for (uint32_t i = 0; i < q->count; i++) {
            again = again || q->types[i] == type;
        }
        if (again) {
            continue;
        }
        bool writes = access == MICA_WRITE || access == MICA_OPTIONAL_WRITE;
        if (access != MICA_WITHOUT && below(l, 3)) {
            access |= below(l, 3) ? MICA_CHANGED : MICA_ADDED;
            q->timed = true;
            q->exact = q->exact && type < EXACT;
        }
        access |= writes && has_data(type) && below(l, 2) ? MICA_TOUCH : 0u;
        access |= has_toggle(type) && below(l, 3) == 0 ? MICA_INCLUDE_DISABLED : 0u;
        terms[q->count] = (mica_term){l->types[type], access};
        q->types[q->count] = type;
        q->accesses[q->count++] = access;
    }
    q->query =
        mica_query_new(l->world, &(mica_query_desc){.more_terms = terms, .more_count = q->count});
    if (q->timed && below(l, 3) == 0) { // what happens from now on
        q->since = l->clock++;
        expect(l, !mica_query_set_since(l->world, q->query, mica_world_tick(l->world)));
    }
}

// The values of a term that is written, of the rows of a segment: stamped, or touched here and there.
static void write_term(lab *l, const mica_iter *it, const asked *q, uint32_t t)
{
    uint32_t type = q->types[t];
    bool touch = (q->accesses[t] & MICA_TOUCH) != 0;
    bool split = l->storages[type] == MICA_SPLIT;
    bool there = true;
    if (split) {
        there = MICA_WRITE_FIELD(it, t, Pair, a).base != NULL;
    } else if (type != MOVED) {
        there = mica_write(it, t) != NULL;
    }
    for (uint32_t i = 0; i < it->count; i++) {
        being *b = find_being(l, it->entities[i]);
        there = type == MOVED ? mica_write_row(it, t, i) != NULL : there;
        bool named = touch && below(l, 2);
        if (named) {
            expect(l, mica_touch(it, t, i) == MICA_OK);
        }
        bool shown = sees(b, type, q->accesses[t], q->since);
        expect(l, q->exact ? there == shown : there || !shown);
        if (there && (named || !touch)) {
            b->changed[type] = l->clock;
        }
    }
}

static void walk(lab *l, asked *q)
{
    mica_iter it;
    bool early = below(l, 4) == 0;
    bool ended = true;
    bool met[SLOTS] = {0};
    bool matched[SLOTS] = {0};
    for (uint32_t i = 0; i < SLOTS; i++) { // what it writes does not matter any more
        matched[i] = matches(&l->beings[i], q);
    }
    mica_iter_begin(l->world, q->query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            being *b = find_being(l, it.entities[i]);
            expect(l, b && !met[b - l->beings] && (matched[b - l->beings] || !q->exact));
            if (!b) {
                return;
            }
            met[b - l->beings] = true;
        }
        for (uint32_t t = 0; t < q->count; t++) {
            uint32_t access = q->accesses[t] & 0xff;
            if (has_data(q->types[t]) && (access == MICA_WRITE || access == MICA_OPTIONAL_WRITE)) {
                write_term(l, &it, q, t);
            }
        }
        if (early && below(l, 3) == 0) {
            mica_iter_end(&it);
            ended = false;
            break;
        }
    }
    for (uint32_t i = 0; ended && i < SLOTS; i++) {
        expect(l, met[i] || !matched[i]);
    }
    if (ended && q->timed) {
        q->since = l->clock++;
        expect(l, mica_query_since(l->world, q->query) > 0);
    }
}

static void walk_one(lab *l, asked *q, being *b)
{
    mica_iter it;
    if (MICA_IS_NONE(b->entity)) {
        return;
    }
    bool in = matches(b, q);
    mica_iter_begin_entity(l->world, q->query, b->entity, &it);
    uint32_t count = 0;
    while (mica_iter_next(&it)) {
        count += it.count;
        for (uint32_t t = 0; t < q->count; t++) {
            uint32_t access = q->accesses[t] & 0xff;
            if (has_data(q->types[t]) && (access == MICA_WRITE || access == MICA_OPTIONAL_WRITE)) {
                write_term(l, &it, q, t);
            }
        }
    }
    expect(l, q->exact ? count == in : count >= in);
}

// Changes.

static void set_one(lab *l, being *b, uint32_t type)
{
    Pair pair = {(int32_t)below(l, 100), 1};
    bool there = b->types >> type & 1;
    if (type == MOVED) {
        tracked value = tracked_make(&l->values, 5);
        mica_set_value(l->world, b->entity, l->types[type], &value, sizeof value);
        tracked_drop(&l->values, &value);
    } else if (has_data(type)) {
        mica_set_value(l->world, b->entity, l->types[type], &pair, sizeof pair);
    } else {
        mica_add(l->world, b->entity, l->types[type]);
    }
    if (!there) {
        comes(l, b, type);
    } else if (has_data(type)) {
        b->changed[type] = l->clock;
    }
}

static void reach_one(lab *l, being *b, uint32_t type)
{
    if (!has_data(type) || l->storages[type] == MICA_SPLIT) {
        return;
    }
    void *value = below(l, 2) ? mica_get_mut(l->world, b->entity, l->types[type])
                              : mica_accessor_get_mut(&l->accessors[type], b->entity);
    bool there = b->types >> type & 1;
    expect(l, (value != NULL) == there);
    b->changed[type] = there ? l->clock : b->changed[type];
}

static void toggle_one(lab *l, being *b, uint32_t type)
{
    bool off = below(l, 2);
    if (!has_toggle(type) || !(b->types >> type & 1)) {
        return;
    }
    if (below(l, 2)) {
        (off ? mica_disable : mica_enable)(l->world, b->entity, l->types[type]);
    } else {
        (off ? mica_accessor_disable : mica_accessor_enable)(&l->accessors[type], b->entity);
    }
    if ((b->off >> type & 1) != off) {
        b->off ^= 1u << type;
        b->changed[type] = l->clock;
    }
}

static void spawn(lab *l, being *b)
{
    mica_value values[TYPES];
    uint32_t count = 0;
    uint32_t types = below(l, 1u << TYPES) & below(l, 1u << TYPES);
    for (uint32_t type = 0; type < TYPES; type++) {
        if (types >> type & 1) {
            values[count++] = MICA_ADD(l->types[type]);
        }
    }
    *b = (being){.entity = mica_spawn_values(l->world, values, count)};
    expect(l, !MICA_IS_NONE(b->entity));
    for (uint32_t type = 0; type < TYPES; type++) {
        if (types >> type & 1) {
            comes(l, b, type);
        }
    }
}

static void clone(lab *l, being *b, const being *of)
{
    *b = (being){.entity = mica_clone(l->world, of->entity)};
    for (uint32_t type = 0; type < TYPES; type++) {
        if (of->types >> type & 1) {
            comes(l, b, type);
            b->off |= of->off & 1u << type;
        }
    }
}

// By query, of one whose answers are known.
static void change_all(lab *l, const asked *q, uint32_t type)
{
    uint32_t what = below(l, 4);
    Pair pair = {7, 7};
    if (!q->exact) {
        return;
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        being *b = &l->beings[i];
        bool there = b->types >> type & 1;
        if (!matches(b, q)) {
            continue;
        }
        if (what == 0) {
            b->types &= ~(1u << type);
        } else if (what == 3 && has_toggle(type)) {
            b->changed[type] = there && !(b->off >> type & 1) ? l->clock : b->changed[type];
            b->off |= there ? 1u << type : 0;
        } else if (what == 1 || (what == 2 && has_data(type) && type != MOVED)) {
            if (!there) {
                comes(l, b, type);
            }
            b->changed[type] = what == 2 ? l->clock : b->changed[type];
        }
    }
    if (what == 0) {
        mica_remove_all(l->world, q->query, l->types[type], NULL);
    } else if (what == 1) {
        mica_add_all(l->world, q->query, l->types[type], NULL);
    } else if (what == 2 && has_data(type) && type != MOVED) {
        mica_set_all(l->world, q->query, l->types[type], &pair, sizeof pair, NULL);
    } else if (what == 3 && has_toggle(type)) {
        mica_disable_all(l->world, q->query, l->types[type], NULL);
    }
}

static int by_value(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    const Pair *x = a->value;
    const Pair *y = b->value;
    return (x->a > y->a) - (x->a < y->a);
}

static void change_storage(lab *l)
{
    static const uint32_t movable[] = {COLUMN, SWITCHED, PIECES, RUNG, PLAIN, PLAIN_POOLED};
    uint32_t type = movable[below(l, 6)];
    mica_storage storage = (mica_storage)below(l, MICA_STORAGE_COUNT);
    expect(l, mica_type_change_storage(l->world, l->types[type], storage) == MICA_OK);
    l->storages[type] = storage;
}

static void step(lab *l)
{
    being *b = &l->beings[below(l, SLOTS)];
    being *other = &l->beings[below(l, SLOTS)];
    asked *q = &l->queries[below(l, QUERIES)];
    uint32_t type = below(l, TYPES);
    uint32_t what = below(l, 40);
    if (MICA_IS_NONE(b->entity)) {
        if (what % 2 && !MICA_IS_NONE(other->entity)) {
            clone(l, b, other);
        } else {
            spawn(l, b);
        }
        return;
    }
    switch (what) {
    case 0:
        mica_despawn(l->world, b->entity);
        *b = (being){0};
        break;
    case 1: change_all(l, q, type); break;
    case 2: change_storage(l); break;
    case 3: expect(l, mica_sort(l->world, l->types[POOLED], by_value, NULL) == MICA_OK); break;
    case 4: expect(l, mica_world_compact(l->world) == MICA_OK); break;
    case 5: expect(l, mica_world_reclaim(l->world) == MICA_OK); break;
    case 6: make_query(l, q); break;
    case 7:
    case 8: walk_one(l, q, b); break;
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
    case 14: walk(l, q); break;
    case 15:
    case 16:
    case 17:
        mica_remove(l->world, b->entity, l->types[type]);
        b->types &= ~(1u << type);
        break;
    case 18:
    case 19:
    case 20:
    case 21:
        mica_add(l->world, b->entity, l->types[type]);
        if (!(b->types >> type & 1)) {
            comes(l, b, type);
        }
        break;
    case 22:
    case 23:
    case 24:
    case 25: toggle_one(l, b, below(l, 2) ? SWITCHED : SECOND); break;
    case 26:
    case 27:
    case 28:
    case 29:
    case 30:
    case 31: reach_one(l, b, type); break;
    default: set_one(l, b, type);
    }
}

static void run(uint64_t seed, bool relocate_always)
{
    static lab l; // the tracker is large
    memset(&l, 0, sizeof l);
    l.state = seed * UINT64_C(0x9e3779b97f4a7c15);
    l.clock = 1;
    tracker_begin(&l.values);
    test_world_prepare(&l.t);
    l.t.desc.relocate_always = relocate_always;
    l.world = test_world_open(&l.t);
    for (uint32_t type = 0; type < TYPES; type++) {
        l.types[type] = register_one(&l, type);
        if (has_data(type)) {
            l.accessors[type] = mica_accessor_new(l.world, l.types[type]);
        }
    }
    if (seed % 2) {
        l.group = mica_group_new(
            l.world, &(mica_group_desc){.owned = {l.types[SECOND]}, .required = {l.types[STABLE]}});
    }
    for (uint32_t n = 0; n < QUERIES; n++) {
        make_query(&l, &l.queries[n]);
    }
    for (uint32_t n = 0; n < STEPS && l.wrong == 0; n++) {
        step(&l);
        compare(&l, n % 16 == 0);
        if (l.wrong > 0) {
            test_fail(__FILE__, __LINE__, "seed %" PRIu64 ", step %" PRIu32 ": line %d: %s", seed,
                      n, l.line, l.t.error.last.sentence);
        }
    }
    CHECK_EQUAL(0, l.wrong);
    test_world_end(&l.t);
    CHECK_TRACKED(&l.values, 0);
}

// S3.5
static void changes_at_random_are_seen_by_those_who_ask(void)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        run(seed, false);
    }
}

static void changes_at_random_are_seen_in_a_relocating_world(void)
{
    run(11, true);
    run(12, true);
}

TESTS(change_random, changes_at_random_are_seen_by_those_who_ask,
      changes_at_random_are_seen_in_a_relocating_world)
