// Toggles of all storages at random, against a plain model: who has what, what of it is disabled, which
// queries see whom, and that values and flags stay together whatever moves.
#include <mica.h>

#include <inttypes.h>
#include <string.h>

#include "runner/rows.h"
#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

enum {
    COLUMN,  // in tables, with a toggle
    TRACKED, // the same, with hooks
    MOVED,   // the same, with a move hook
    PLAIN,   // in tables, without
    MARK,    // a tag in tables
    RINGED,  // in a ring, with a toggle
    SPLIT,   // field by field, with a toggle
    POOLED,  // sparse, with a toggle
    STABLE,  // the same, with stable addresses
    FLAG,    // a sparse tag with a toggle
    TYPES,

    SLOTS = 96,
    QUERIES = 4,
    STEPS = 3000
};

typedef struct being {
    mica_entity entity; // none: nobody
    uint32_t types;
    uint32_t off;
    int64_t values[TYPES];
} being;

typedef struct asked {
    mica_query query;
    uint32_t count;
    uint32_t types[TYPES];
    uint32_t accesses[TYPES];
} asked;

typedef struct lab {
    test_world t;
    mica_world *world;
    tracker values;
    mica_type types[TYPES];
    being beings[SLOTS];
    asked queries[QUERIES];
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
    return type != PLAIN && type != MARK;
}

static bool has_data(uint32_t type)
{
    return type != MARK && type != FLAG;
}

static bool has_hooks(uint32_t type)
{
    return type == TRACKED || type == MOVED;
}

static mica_type register_one(lab *l, uint32_t type)
{
    static const char *const names[TYPES] = {"Column", "Tracked", "Moved",  "Plain",  "Mark",
                                             "Ringed", "Split",   "Pooled", "Stable", "Flag"};
    static const mica_field_info halves[] = {{.name = "a", .kind = MICA_KIND_U32},
                                             {.name = "b", .kind = MICA_KIND_U32, .offset = 4}};
    mica_type_desc desc = {.name = names[type]};
    if (has_hooks(type)) {
        desc = tracked_desc(&l->values, names[type], type == MOVED);
    } else if (has_data(type)) {
        desc.size = desc.align = 8;
    }
    desc.toggle = has_toggle(type);
    if (type == SPLIT) {
        desc.fields = halves;
        desc.field_count = 2;
    }
    desc.storage = type >= POOLED   ? MICA_SPARSE
                   : type == RINGED ? MICA_RING
                   : type == SPLIT  ? MICA_SPLIT
                                    : MICA_TABLE;
    desc.stable = type == STABLE;
    return mica_type_register(l->world, &desc);
}

// Setting and reading values, which are numbers.

static int64_t read_value(uint32_t type, const void *value)
{
    int64_t number = 0;
    if (has_hooks(type)) {
        return ((const tracked *)value)->number;
    }
    memcpy(&number, value, sizeof number);
    return number;
}

static void write_value(uint32_t type, void *value, int64_t number)
{
    if (has_hooks(type)) {
        ((tracked *)value)->number = number;
    } else {
        memcpy(value, &number, sizeof number);
    }
}

static int64_t default_of(uint32_t type)
{
    return has_hooks(type) ? TRACKED_DEFAULT : 0;
}

static void set_value(lab *l, being *b, uint32_t type, int64_t number)
{
    if (has_hooks(type)) {
        tracked value = tracked_make(&l->values, number);
        mica_set_value(l->world, b->entity, l->types[type], &value, sizeof value);
        tracked_drop(&l->values, &value);
    } else if (has_data(type)) {
        mica_set_value(l->world, b->entity, l->types[type], &number, sizeof number);
    } else {
        mica_add(l->world, b->entity, l->types[type]);
    }
}

// The model.

static bool sees(const being *b, uint32_t type, uint32_t access)
{
    bool on = !(b->off >> type & 1) || (access & MICA_INCLUDE_DISABLED);
    return (b->types >> type & 1) && on;
}

static bool matches(const being *b, const asked *q)
{
    bool any = false;
    bool asks = false;
    if (MICA_IS_NONE(b->entity)) {
        return false;
    }
    for (uint32_t i = 0; i < q->count; i++) {
        bool seen = sees(b, q->types[i], q->accesses[i]);
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

#define expect(l, holds) expect_at(l, holds, __LINE__)
static void expect_at(lab *l, bool holds, int line)
{
    l->line = l->wrong == 0 ? line : l->line;
    l->wrong += !holds;
}

// Comparing.

static void compare_being(lab *l, const being *b)
{
    for (uint32_t type = 0; type < TYPES; type++) {
        bool has = b->types >> type & 1;
        expect(l, mica_has(l->world, b->entity, l->types[type]) == has);
        expect(l, mica_is_enabled(l->world, b->entity, l->types[type]) ==
                      (has && !(b->off >> type & 1)));
        if (has && has_data(type)) {
            int64_t loaded;
            bool loads = type == SPLIT && MICA_LOAD(l->world, b->entity, l->types[type], loaded);
            const void *value = type != SPLIT ? mica_get(l->world, b->entity, l->types[type])
                                : loads       ? &loaded
                                              : NULL;
            expect(l, value && read_value(type, value) == b->values[type]);
        }
    }
}

// The same of a term that is split.
static void compare_halves(lab *l, const asked *q, const mica_iter *it, uint32_t n, bool write)
{
    const mica_type_info *info = mica_type_get_info(l->world, l->types[SPLIT]);
    for (uint32_t i = 0; i < it->count; i++) {
        being *b = find_being(l, it->entities[i]);
        int64_t value;
        bool loaded = test_row_load(it, n, info, i, &value);
        expect(l, b && loaded == sees(b, SPLIT, q->accesses[n]));
        expect(l, !loaded || !b || value == b->values[SPLIT]);
        if (loaded && b && write) {
            value = ++b->values[SPLIT];
            expect(l, test_row_store(it, n, info, i, &value));
        }
    }
}

// One segment: who is in it, and what its terms say. Values that are written change in the model, too.
static void compare_segment(lab *l, const asked *q, mica_iter *it, bool *met)
{
    bool by_row = below(l, 3) == 0;
    for (uint32_t n = 0; n < q->count; n++) {
        uint32_t type = q->types[n];
        uint32_t access = q->accesses[n] & 0xff;
        bool write = access == MICA_WRITE || access == MICA_OPTIONAL_WRITE;
        if (!has_data(type) || access == MICA_WITH || access == MICA_WITHOUT) {
            continue;
        }
        if (type == SPLIT) {
            compare_halves(l, q, it, n, write);
            continue;
        }
        // Values with hooks are not brought together where rows do not lie side by side.
        bool single = by_row || has_hooks(type);
        unsigned char *values = single  ? NULL
                                : write ? mica_write(it, n)
                                        : (void *)(uintptr_t)mica_read(it, n);
        size_t size = has_hooks(type) ? sizeof(tracked) : 8;
        for (uint32_t i = 0; i < it->count; i++) {
            being *b = find_being(l, it->entities[i]);
            bool seen = b && sees(b, type, q->accesses[n]);
            void *value = !single ? (values ? values + i * size : NULL)
                          : write ? mica_write_row(it, n, i)
                                  : (void *)(uintptr_t)mica_read_row(it, n, i);
            expect(l, (value != NULL) == seen);
            expect(l, !value || !b || read_value(type, value) == b->values[type]);
            if (value && b && write) {
                write_value(type, value, ++b->values[type]);
            }
        }
    }
    for (uint32_t i = 0; i < it->count; i++) {
        const being *b = find_being(l, it->entities[i]);
        expect(l, b && matches(b, q) && !met[b - l->beings]);
        met[b ? b - l->beings : 0] = true;
    }
}

static void compare_query(lab *l, const asked *q)
{
    bool met[SLOTS] = {0};
    uint32_t count = 0;
    mica_iter it;
    mica_iter_begin(l->world, q->query, &it);
    while (mica_iter_next(&it)) {
        count += it.count;
        compare_segment(l, q, &it, met);
    }
    uint32_t should = count_matches(l, q);
    mica_entity first = mica_query_first(l->world, q->query);
    expect(l, count == should);
    expect(l, mica_query_count(l->world, q->query) == should);
    expect(l, MICA_IS_NONE(first) ? should == 0 : matches(find_being(l, first), q));
    const being *b = &l->beings[below(l, SLOTS)];
    char text[200];
    mica_query_explain(l->world, q->query, b->entity, text, sizeof text);
    expect(l, mica_query_contains(l->world, q->query, b->entity) == matches(b, q));
    expect(l, (strstr(text, " matches") != NULL) == matches(b, q));
    if (!MICA_IS_NONE(b->entity)) {
        mica_iter_begin_entity(l->world, q->query, b->entity, &it);
        expect(l, mica_iter_next(&it) == matches(b, q));
        mica_iter_end(&it);
    }
}

static void make_query(lab *l, asked *q)
{
    mica_query_desc desc = {0};
    mica_query_free(l->world, q->query);
    q->count = 1 + below(l, 4);
    uint32_t used = 0;
    for (uint32_t i = 0; i < q->count; i++) {
        uint32_t type = below(l, TYPES);
        while (used >> type & 1) {
            type = (type + 1) % TYPES;
        }
        used |= 1u << type;
        q->types[i] = type;
        q->accesses[i] = 1 + below(l, MICA_ACCESS_COUNT - 1);
        if (has_toggle(type) && below(l, 4) == 0) {
            q->accesses[i] |= MICA_INCLUDE_DISABLED;
        }
        desc.terms[i] = (mica_term){l->types[type], q->accesses[i]};
    }
    q->query = mica_query_new(l->world, &desc);
    expect(l, !MICA_IS_NONE(q->query));
}

// Steps.

static void spawn(lab *l, being *b)
{
    *b = (being){.entity = mica_spawn_values(l->world, NULL, 0)};
    for (uint32_t type = 0; type < TYPES; type++) {
        if (below(l, 2)) {
            b->values[type] = has_data(type) ? (int64_t)below(l, 1000) : 0;
            b->types |= 1u << type;
            set_value(l, b, type, b->values[type]);
        }
    }
}

static void spawn_at_once(lab *l, being *b)
{
    const int64_t number = below(l, 1000);
    *b = (being){.types = 1u << COLUMN | 1u << PLAIN | 1u << POOLED};
    b->values[COLUMN] = b->values[PLAIN] = b->values[POOLED] = number;
    b->entity =
        mica_spawn(l->world, MICA_COPY_OF(l->types[COLUMN], number),
                   MICA_COPY_OF(l->types[PLAIN], number), MICA_COPY_OF(l->types[POOLED], number));
}

static void change_type(lab *l, being *b, uint32_t type)
{
    bool has = b->types >> type & 1;
    switch (below(l, 3)) {
    case 0:
        mica_add(l->world, b->entity, l->types[type]);
        b->values[type] = has ? b->values[type] : default_of(type);
        break;
    case 1:
        b->values[type] = has_data(type) ? (int64_t)below(l, 1000) : 0;
        set_value(l, b, type, b->values[type]);
        break;
    default:
        mica_remove(l->world, b->entity, l->types[type]);
        b->types &= ~(1u << type);
        b->off &= ~(1u << type);
        return;
    }
    b->types |= 1u << type;
}

static void toggle(lab *l, being *b, uint32_t type)
{
    bool off = below(l, 2);
    mica_accessor accessor = {0};
    bool inlined = has_data(type) && below(l, 2);
    if (!has_toggle(type) || !(b->types >> type & 1)) {
        return;
    }
    if (inlined) {
        accessor = mica_accessor_new(l->world, l->types[type]);
    }
    mica_result result = inlined ? (off ? mica_accessor_disable(&accessor, b->entity)
                                        : mica_accessor_enable(&accessor, b->entity))
                         : off   ? mica_disable(l->world, b->entity, l->types[type])
                                 : mica_enable(l->world, b->entity, l->types[type]);
    b->off = off ? b->off | 1u << type : b->off & ~(1u << type);
    expect(l, result == MICA_OK);
    expect(l, !inlined || mica_accessor_is_enabled(&accessor, b->entity) == !off);
}

static void clone(lab *l, const being *b, being *free)
{
    *free = *b;
    free->entity = mica_clone(l->world, b->entity);
}

static void toggle_all(lab *l, const asked *q)
{
    uint32_t type = below(l, TYPES);
    bool off = below(l, 2);
    uint32_t matched = 0;
    if (!has_toggle(type)) {
        return;
    }
    bool chosen[SLOTS];
    uint32_t should = count_matches(l, q);
    for (uint32_t i = 0; i < SLOTS; i++) {
        chosen[i] = matches(&l->beings[i], q) && (l->beings[i].types >> type & 1);
    }
    mica_result result = off ? mica_disable_all(l->world, q->query, l->types[type], &matched)
                             : mica_enable_all(l->world, q->query, l->types[type], &matched);
    expect(l, result == MICA_OK && matched == should);
    for (uint32_t i = 0; i < SLOTS; i++) {
        being *b = &l->beings[i];
        uint32_t bit = chosen[i] ? 1u << type : 0;
        b->off = off ? b->off | bit : b->off & ~bit;
    }
}

static void change_all(lab *l, const asked *q)
{
    uint32_t type = below(l, TYPES);
    bool remove = below(l, 2);
    bool chosen[SLOTS];
    for (uint32_t i = 0; i < SLOTS; i++) {
        chosen[i] = matches(&l->beings[i], q);
    }
    mica_result result = remove ? mica_remove_all(l->world, q->query, l->types[type], NULL)
                                : mica_add_all(l->world, q->query, l->types[type], NULL);
    expect(l, result == MICA_OK);
    for (uint32_t i = 0; i < SLOTS; i++) {
        being *b = &l->beings[i];
        if (chosen[i] && remove) {
            b->types &= ~(1u << type);
            b->off &= ~(1u << type);
        } else if (chosen[i] && !(b->types >> type & 1)) {
            b->types |= 1u << type;
            b->values[type] = default_of(type);
        }
    }
}

static void step(lab *l)
{
    being *b = &l->beings[below(l, SLOTS)];
    asked *q = &l->queries[below(l, QUERIES)];
    uint32_t type = below(l, TYPES);
    if (MICA_IS_NONE(b->entity)) {
        const being *other = &l->beings[below(l, SLOTS)];
        if (!MICA_IS_NONE(other->entity)) {
            clone(l, other, b);
        } else if (below(l, 2)) {
            spawn_at_once(l, b);
        } else {
            spawn(l, b);
        }
        return;
    }
    switch (below(l, 24)) {
    case 0: make_query(l, q); break;
    case 1:
        mica_despawn(l->world, b->entity);
        *b = (being){0};
        break;
    case 2: toggle_all(l, q); break;
    case 3: change_all(l, q); break;
    case 4: mica_world_reclaim(l->world); break;
    case 5:
    case 6:
    case 7:
    case 8: change_type(l, b, type); break;
    default: toggle(l, b, type);
    }
}

static void run(uint64_t seed, bool relocate_always)
{
    static lab l; // the tracker is large
    memset(&l, 0, sizeof l);
    l.state = seed * 0x9e3779b97f4a7c15u;
    tracker_begin(&l.values);
    test_world_prepare(&l.t);
    l.t.desc.relocate_always = relocate_always;
    l.world = test_world_open(&l.t);
    for (uint32_t type = 0; type < TYPES; type++) {
        l.types[type] = register_one(&l, type);
    }
    for (uint32_t i = 0; i < QUERIES; i++) {
        l.queries[i].query = mica_query_new(l.world, &(mica_query_desc){.everything = true});
        make_query(&l, &l.queries[i]);
    }
    for (uint32_t i = 0; i < STEPS && l.wrong == 0; i++) {
        step(&l);
        compare_query(&l, &l.queries[below(&l, QUERIES)]);
        for (uint32_t s = 0; i % 16 == 0 && s < SLOTS; s++) {
            compare_being(&l, &l.beings[s]);
        }
        expect(&l, i % 16 != 0 || mica_world_validate(l.world) == MICA_OK);
        if (l.wrong) {
            test_fail(__FILE__, __LINE__, "seed %" PRIu64 ", step %" PRIu32 ": line %d: %s", seed,
                      i, l.line, l.t.error.last.sentence);
        }
    }
    CHECK_EQUAL(0, l.wrong);
    test_world_end(&l.t);
    CHECK_TRACKED(&l.values, 0);
}

static void toggles_of_all_storages_do_what_a_plain_model_does(void)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        run(seed, false);
    }
}

static void and_where_memory_moves_all_the_time(void)
{
    for (uint64_t seed = 101; seed <= 103; seed++) {
        run(seed, true);
    }
}

TESTS(toggle_random, toggles_of_all_storages_do_what_a_plain_model_does,
      and_where_memory_moves_all_the_time)
