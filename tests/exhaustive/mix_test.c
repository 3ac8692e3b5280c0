// Every sequence of a few operations on every mix of storages of three components, with and without
// toggles: groups are made and freed, values sorted, components switched off, and kept in another way. A
// world begins with three entities. What a sequence makes of it is compared with plain arrays, and its hash with that of the
// first mix, which has everything in tables. Lengths ascend, so what a shorter sequence made has been
// looked at before.
//
// A call that a storage does not allow must be refused, and change nothing. Every third world is observed: a
// mirror is kept of what is reported, and must be like it.
#include "exhaustive/exhaustive.h"

#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/mirror.h"
#include "runner/rows.h"
#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

// The list of storages. Another is one line.
static const struct storage {
    const char *name;
    mica_storage storage;
    bool stable;
} storages[] = {
    {"in tables", MICA_TABLE, false}, {"sparse", MICA_SPARSE, false}, {"stable", MICA_SPARSE, true},
    {"in a ring", MICA_RING, false},  {"split", MICA_SPLIT, false},
};

enum {
    STORAGES = sizeof storages / sizeof storages[0],
    MIXES = STORAGES * STORAGES * STORAGES,
    ALL_TOGGLES = 7, // a bit per component
    SEED_COUNT = 3,
    BEINGS_MAX = SEED_COUNT + EXHAUSTIVE_LENGTH_MAX
};

// The components: plain data, values with hooks, unless they begin split, three numbers.
enum { PLAIN, HOOKED, TRIPLE, TYPES };

typedef struct triple {
    int32_t x, y, z;
} triple;

typedef struct being {
    mica_entity entity;
    bool alive;
    bool has[TYPES];
    bool off[TYPES];
    int32_t value[TYPES];
    bool changed[TYPES]; // since the world began
    bool added[TYPES];
} being;

// Groups of all that is sparse: owning all it can, the first it can, nothing.
enum { OWNING, PARTIAL, LISTING, GROUPS };

typedef struct term {
    uint32_t type;
    mica_access access;
    bool even;
} term;

static const struct question {
    uint32_t count;
    term terms[TYPES];
} questions[] = {
    {2, {{PLAIN, MICA_READ, false}, {HOOKED, MICA_READ, false}}},
    {3, {{PLAIN, MICA_READ, true}, {HOOKED, MICA_WITHOUT, false}, {TRIPLE, MICA_OPTIONAL, false}}},
    {2, {{HOOKED, MICA_ANY, false}, {TRIPLE, MICA_ANY, true}}},
    {3, {{TRIPLE, MICA_READ, false}, {PLAIN, MICA_READ, true}, {HOOKED, MICA_WITH, true}}},
};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

typedef struct scene {
    test_world t;
    mica_world *world;
    tracker tracker;
    const struct storage *kept[TYPES];
    bool hooked;      // those that are meant to be have hooks
    uint32_t toggles; // bit per type; these have row stamps, too
    mica_type types[TYPES];
    const mica_type_info *infos[TYPES];
    mica_query queries[QUESTIONS];
    mica_query changed, added; // of the plain ones; of the hooked ones
    mica_group groups[GROUPS];
    uint32_t owned[GROUPS];  // bit per type
    uint32_t needed[GROUPS]; // these, and those that are not owned
    uint32_t count;
    being beings[BEINGS_MAX];
    int32_t last_value;
    bool observed;
    mirror mirror;
    const char *wrong; // what was found, in words; NULL: nothing
} scene;

static scene s;

static void expect(bool right, const char *what)
{
    s.wrong = s.wrong ? s.wrong : right ? NULL : what;
}

static void expect_result(mica_result expected, mica_result actual)
{
    expect(expected == actual, "the call had another result");
    expect(s.t.error.calls == (expected != MICA_OK), "errors were reported, or not reported");
    test_error_clear(&s.t.error);
}

// Beings

static being nobody;

static being *first(void)
{
    uint32_t i = 0;
    while (i < s.count && !s.beings[i].alive) {
        i++;
    }
    return i < s.count ? &s.beings[i] : s.count > 0 ? &s.beings[0] : &nobody;
}

static being *last(void)
{
    uint32_t i = s.count;
    while (i > 0 && !s.beings[i - 1].alive) {
        i--;
    }
    return i > 0 ? &s.beings[i - 1] : &nobody;
}

static bool shows(const being *b, const term *asked)
{
    bool even = asked->even && (s.toggles >> asked->type & 1);
    return b->has[asked->type] && (even || !b->off[asked->type]);
}

static bool matches(const being *b, const struct question *asked)
{
    bool any = false;
    bool any_asked = false;
    bool right = b->alive;
    for (uint32_t k = 0; k < asked->count; k++) {
        bool there = shows(b, &asked->terms[k]);
        switch (asked->terms[k].access) {
        case MICA_READ:
        case MICA_WITH: right = right && there; break;
        case MICA_WITHOUT: right = right && !there; break;
        case MICA_ANY:
            any_asked = true;
            any = any || there;
            break;
        default: break;
        }
    }
    return right && (any || !any_asked);
}

static uint32_t count_matches(uint32_t q)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        count += matches(&s.beings[i], &questions[q]);
    }
    return count;
}

static void set_value(being *b, uint32_t type)
{
    int32_t value = ++s.last_value;
    tracked watched = tracked_make(&s.tracker, value);
    int64_t plain = value;
    triple three = {value, -value, 3};
    const void *hooked = s.hooked ? (const void *)&watched : &plain;
    const void *const data[TYPES] = {[PLAIN] = &plain, [HOOKED] = hooked, [TRIPLE] = &three};
    const uint32_t sizes[TYPES] = {[PLAIN] = sizeof plain,
                                   [HOOKED] = s.hooked ? sizeof watched : sizeof plain,
                                   [TRIPLE] = sizeof three};
    expect_result(b->alive ? MICA_OK : MICA_ERROR_ENTITY,
                  mica_set_value(s.world, b->entity, s.types[type], data[type], sizes[type]));
    tracked_drop(&s.tracker, &watched);
    if (b->alive) {
        b->off[type] = b->off[type] && b->has[type];
        b->changed[type] = true;
        b->added[type] = (b->added[type] && b->has[type]) || !b->has[type];
        b->has[type] = true;
        b->value[type] = value;
    }
}

static void take(being *b, uint32_t type)
{
    expect_result(MICA_OK, mica_remove(s.world, b->entity, s.types[type]));
    b->has[type] = b->off[type] = false;
}

static void enter(mica_entity entity, const being *like)
{
    expect(s.t.error.calls == 0 && !MICA_IS_NONE(entity), "nobody came");
    s.beings[s.count] = *like;
    for (uint32_t t = 0; t < TYPES; t++) {
        s.beings[s.count].changed[t] = s.beings[s.count].added[t] = true;
    }
    s.beings[s.count].alive = true;
    s.beings[s.count++].entity = entity;
}

// Operations

static void spawn_all(void)
{
    int64_t plain = ++s.last_value;
    const triple three = {s.last_value, -s.last_value, 3};
    enter(mica_spawn(s.world, MICA_COPY_OF(s.types[PLAIN], plain), MICA_ADD(s.types[HOOKED]),
                     MICA_COPY_OF(s.types[TRIPLE], three)),
          &(being){.has = {true, true, true},
                   .value = {s.last_value, TRACKED_DEFAULT, s.last_value}});
}

static void clone_first(void)
{
    const being like = *first();
    mica_entity entity = mica_clone(s.world, like.entity);
    if (like.alive) {
        enter(entity, &like);
    } else {
        expect_result(MICA_ERROR_ENTITY, s.t.error.last.code);
    }
}

static void despawn_first(void)
{
    being *b = first();
    expect_result(b->alive ? MICA_OK : MICA_ERROR_ENTITY, mica_despawn(s.world, b->entity));
    b->alive = false;
}

static void flip(being *b, uint32_t type)
{
    if (b->alive && b->has[type]) {
        take(b, type);
    } else {
        set_value(b, type);
    }
}

static void flip_plain_of_last(void)
{
    flip(last(), PLAIN);
}

static void flip_hooked_of_first(void)
{
    flip(first(), HOOKED);
}

static void toggle_plain_of_first(void)
{
    being *b = first();
    bool off = !b->off[PLAIN];
    mica_result expected = !b->alive                                     ? MICA_ERROR_ENTITY
                           : !(s.toggles >> PLAIN & 1) || !b->has[PLAIN] ? MICA_ERROR_ARGUMENT
                                                                         : MICA_OK;
    expect_result(expected, off ? mica_disable(s.world, b->entity, s.types[PLAIN])
                                : mica_enable(s.world, b->entity, s.types[PLAIN]));
    b->off[PLAIN] = expected ? b->off[PLAIN] : off;
    b->changed[PLAIN] = b->changed[PLAIN] || !expected;
}

// Off for all that match, but for those that have it not.
static void toggle_by_query(uint32_t q, uint32_t type, bool off)
{
    uint32_t matched = 0;
    bool can = s.toggles >> type & 1;
    expect_result(can ? MICA_OK : MICA_ERROR_ARGUMENT,
                  off ? mica_disable_all(s.world, s.queries[q], s.types[type], &matched)
                      : mica_enable_all(s.world, s.queries[q], s.types[type], &matched));
    expect(matched == (can ? count_matches(q) : 0), "another number matched");
    for (uint32_t i = 0; can && i < s.count; i++) {
        being *b = &s.beings[i];
        if (matches(b, &questions[q])) {
            bool now = off && b->has[type];
            b->changed[type] = b->changed[type] || now != b->off[type];
            b->off[type] = now;
        }
    }
}

static void disable_two_by_query(void)
{
    toggle_by_query(1, TRIPLE, true);
    toggle_by_query(0, HOOKED, true);
}

static void remove_triple_by_query(void)
{
    uint32_t matched = 0;
    expect_result(MICA_OK, mica_remove_all(s.world, s.queries[2], s.types[TRIPLE], &matched));
    expect(matched == count_matches(2), "another number matched");
    for (uint32_t i = 0; i < s.count; i++) {
        being *b = &s.beings[i];
        if (matches(b, &questions[2])) {
            b->has[TRIPLE] = b->off[TRIPLE] = false;
        }
    }
}

// Hooks want the whole value.
static bool can_be(uint32_t type, mica_storage storage)
{
    return storage != MICA_SPLIT || type != HOOKED || !s.hooked;
}

static bool is_split(uint32_t type)
{
    return s.kept[type]->storage == MICA_SPLIT;
}

static bool is_sparse(uint32_t type)
{
    return s.kept[type]->storage == MICA_SPARSE;
}

static uint32_t all_owned(void)
{
    return s.owned[OWNING] | s.owned[PARTIAL];
}

// Makes a group of what is sparse; frees it, if there is one.
static void flip_group(uint32_t kind)
{
    if (!MICA_IS_NONE(s.groups[kind])) {
        expect_result(MICA_OK, mica_group_free(s.world, s.groups[kind]));
        s.groups[kind] = (mica_group){0};
        s.owned[kind] = s.needed[kind] = 0;
        return;
    }
    mica_group_desc desc = {0};
    uint32_t owned_count = 0;
    uint32_t also_count = 0;
    uint32_t owned = 0;
    uint32_t needed = 0;
    for (uint32_t t = 0; t < TYPES; t++) {
        needed |= (uint32_t)is_sparse(t) << t;
        bool can = is_sparse(t) && !s.kept[t]->stable;
        if (can && (kind == OWNING || (kind == PARTIAL && owned_count == 0))) {
            desc.owned[owned_count++] = s.types[t];
            owned |= 1u << t;
        } else if (is_sparse(t)) {
            desc.required[also_count++] = s.types[t];
        }
    }
    mica_result expected = owned & all_owned()            ? MICA_ERROR_OWNED
                           : owned_count + also_count < 2 ? MICA_ERROR_TERMS
                                                          : MICA_OK;
    s.groups[kind] = mica_group_new(s.world, &desc);
    s.owned[kind] = expected ? 0 : owned;
    s.needed[kind] = expected ? 0 : needed;
    expect_result(expected, MICA_IS_NONE(s.groups[kind]) ? s.t.error.last.code : MICA_OK);
}

static void flip_owning_group(void)
{
    flip_group(OWNING);
}

static void flip_partial_group(void)
{
    flip_group(PARTIAL);
}

static void flip_listing_group(void)
{
    flip_group(LISTING);
}

static int by_value_down(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    int64_t first_value = *(const int64_t *)a->value;
    int64_t second_value = *(const int64_t *)b->value;
    return (first_value < second_value) - (first_value > second_value);
}

// Alone, or with the group that owns it.
static void sort_plain(void)
{
    bool owned = all_owned() >> PLAIN & 1;
    mica_result expected = !is_sparse(PLAIN) || s.kept[PLAIN]->stable ? MICA_ERROR_ARGUMENT
                           : owned                                    ? MICA_ERROR_OWNED
                                                                      : MICA_OK;
    expect_result(expected, mica_sort(s.world, s.types[PLAIN], by_value_down, NULL));
    if (owned) {
        mica_group owner = s.groups[s.owned[OWNING] >> PLAIN & 1 ? OWNING : PARTIAL];
        expect_result(MICA_OK,
                      mica_group_sort(s.world, owner, s.types[PLAIN], by_value_down, NULL));
    }
}

// In the next way of the list, all of them in turn.
static void keep_elsewhere(uint32_t type)
{
    const struct storage *next = s.kept[type];
    do {
        next = next == &storages[STORAGES - 1] ? storages : next + 1;
    } while (next->stable || next->storage == s.kept[type]->storage);
    uint32_t grouped = s.needed[OWNING] | s.needed[PARTIAL] | s.needed[LISTING];
    mica_result expected = s.kept[type]->stable           ? MICA_ERROR_STORAGE
                           : grouped >> type & 1          ? MICA_ERROR_OWNED
                           : !can_be(type, next->storage) ? MICA_ERROR_ARGUMENT
                                                          : MICA_OK;
    expect_result(expected, mica_type_change_storage(s.world, s.types[type], next->storage));
    s.kept[type] = expected ? s.kept[type] : next;
}

static void keep_two_elsewhere(void)
{
    keep_elsewhere(PLAIN);
    keep_elsewhere(HOOKED);
}

static const struct operation {
    const char *name;
    void (*run)(void);
} operations[] = {
    {"spawn all", spawn_all},
    {"clone first", clone_first},
    {"despawn first", despawn_first},
    {"flip plain of last", flip_plain_of_last},
    {"flip hooked of first", flip_hooked_of_first},
    {"toggle plain of first", toggle_plain_of_first},
    {"disable two by query", disable_two_by_query},
    {"remove triple by query", remove_triple_by_query},
    {"owning group", flip_owning_group},
    {"partial group", flip_partial_group},
    {"listing group", flip_listing_group},
    {"sort plain", sort_plain},
    {"keep two elsewhere", keep_two_elsewhere},
};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

// Comparing

// Is it a number and nothing else?
static bool is_number(uint32_t type)
{
    return type == PLAIN || (type == HOOKED && !s.hooked);
}

static bool value_is(const being *b, uint32_t type, const void *value)
{
    if (is_number(type)) {
        return value && *(const int64_t *)value == b->value[type];
    }
    switch (type) {
    case HOOKED: return tracked_is(&s.tracker, value, b->value[type]);
    default:
        return value && ((const triple *)value)->x == b->value[type] &&
               ((const triple *)value)->y == -b->value[type];
    }
}

// Pointed to, unless it is split, and loaded, unless it has hooks.
static void compare_value(const being *b, uint32_t type)
{
    uint32_t size = is_number(type) ? sizeof(int64_t) : sizeof(triple);
    union {
        int64_t plain;
        triple three;
    } room;
    if (!is_split(type)) {
        const void *value = mica_get(s.world, b->entity, s.types[type]);
        expect(b->has[type] ? value_is(b, type, value) : !value, "a value is not what it was");
    }
    if (is_number(type) || type == TRIPLE) {
        bool loaded = mica_load(s.world, b->entity, s.types[type], &room, size);
        expect(loaded == b->has[type] && (!loaded || value_is(b, type, &room)),
               "a value is loaded as another");
    }
}

static void compare_being(const being *b)
{
    expect(mica_alive(s.world, b->entity) == b->alive, "somebody lives who should not, or is dead");
    for (uint32_t t = 0; b->alive && t < TYPES; t++) {
        expect(mica_has(s.world, b->entity, s.types[t]) == b->has[t],
               "somebody has a component that he should not have, or lacks one");
        expect(mica_is_enabled(s.world, b->entity, s.types[t]) == (b->has[t] && !b->off[t]),
               "a component is enabled that should not be, or disabled");
        compare_value(b, t);
    }
}

static void compare_row(const mica_iter *it, const struct question *asked, uint32_t row, bool *seen)
{
    uint32_t i = 0;
    while (i < s.count && !MICA_EQUAL(s.beings[i].entity, it->entities[row])) {
        i++;
    }
    bool right = i < s.count && !seen[i] && matches(&s.beings[i], asked);
    expect(right, "a row of a query should not be there");
    for (uint32_t k = 0; right && k < asked->count; k++) {
        const term *one = &asked->terms[k];
        if (one->access != MICA_WITH && one->access != MICA_WITHOUT && !is_split(one->type)) {
            const void *value = mica_read_row(it, k, row);
            expect(shows(&s.beings[i], one) ? value_is(&s.beings[i], one->type, value) : !value,
                   "a query shows another value");
        }
    }
    if (right) {
        seen[i] = true;
    }
}

// Field by field: what has no hooks.
static void compare_fields(const mica_iter *it, const struct question *asked, uint32_t row)
{
    const being *b = s.beings;
    while (!MICA_EQUAL(b->entity, it->entities[row])) {
        b++;
    }
    for (uint32_t k = 0; k < asked->count; k++) {
        const term *one = &asked->terms[k];
        if (one->access == MICA_WITH || one->access == MICA_WITHOUT ||
            (one->type == HOOKED && s.hooked)) {
            continue;
        }
        union {
            int64_t plain;
            triple three;
        } room;
        bool loaded = test_row_load(it, k, s.infos[one->type], row, &room);
        expect(loaded == shows(b, one) && (!loaded || value_is(b, one->type, &room)),
               "a query shows other fields");
    }
}

static void compare_question(uint32_t q)
{
    const struct question *asked = &questions[q];
    bool seen[BEINGS_MAX] = {false};
    uint32_t rows = 0;
    mica_iter it;
    mica_iter_begin(s.world, s.queries[q], &it);
    while (mica_iter_next(&it)) {
        for (uint32_t row = 0; row < it.count && !s.wrong; row++) {
            compare_row(&it, asked, row, seen);
        }
        // Together: what has no hooks.
        const int64_t *values = asked->terms[0].type == PLAIN && !is_split(PLAIN) && !s.wrong
                                    ? mica_read(&it, 0)
                                    : NULL;
        for (uint32_t row = 0; values && row < it.count; row++) {
            const int64_t *alone = mica_read_row(&it, 0, row);
            expect(alone && values[row] == *alone, "values side by side are others");
        }
        for (uint32_t row = 0; row < it.count && !s.wrong; row++) {
            compare_fields(&it, asked, row);
        }
        rows += it.count;
    }
    uint32_t count = count_matches(q);
    expect(rows == count, "a query has more or fewer rows");
    expect(mica_query_count(s.world, s.queries[q]) == count, "a query counts others");
    for (uint32_t i = 0; i < s.count; i++) {
        expect(mica_query_contains(s.world, s.queries[q], s.beings[i].entity) ==
                   matches(&s.beings[i], asked),
               "a query contains somebody that it should not, or lacks one");
    }
}

static void compare_groups(void)
{
    for (uint32_t kind = 0; kind < GROUPS; kind++) {
        uint32_t members = 0;
        for (uint32_t i = 0; s.needed[kind] && i < s.count; i++) {
            bool is_member = s.beings[i].alive;
            for (uint32_t t = 0; t < TYPES; t++) {
                is_member = is_member && (!(s.needed[kind] >> t & 1) || s.beings[i].has[t]);
            }
            members += is_member;
        }
        expect(MICA_IS_NONE(s.groups[kind]) || test_group_count(s.world, s.groups[kind]) == members,
               "a group has more or fewer members");
    }
}

// Exactly those that should, with row stamps; without, those and perhaps others.
static void compare_news(mica_query query, uint32_t type, const being *b, bool news)
{
    bool shown = mica_query_contains(s.world, query, b->entity);
    bool expected = b->alive && b->has[type] && news;
    expect(s.toggles >> type & 1 ? shown == expected : shown || !expected,
           "something has changed that should not have, or has not");
}

static void compare(void)
{
    expect(mica_world_validate(s.world) == MICA_OK, s.t.error.last.sentence);
    uint32_t hooked = 0;
    for (uint32_t i = 0; i < s.count && !s.wrong; i++) {
        compare_being(&s.beings[i]);
        compare_news(s.changed, PLAIN, &s.beings[i], s.beings[i].changed[PLAIN]);
        compare_news(s.added, HOOKED, &s.beings[i], s.beings[i].added[HOOKED]);
        hooked += s.hooked && s.beings[i].alive && s.beings[i].has[HOOKED];
    }
    expect(s.tracker.errors == 0 && s.tracker.alive == hooked, "hooks were called wrongly");
    for (uint32_t q = 0; q < QUESTIONS && !s.wrong; q++) {
        compare_question(q);
    }
    compare_groups();
    expect(s.t.error.calls == 0, "looking at the world reported an error");
}

// Sequences

typedef struct sequence {
    uint32_t length;
    uint8_t steps[EXHAUSTIVE_LENGTH_MAX];
} sequence;

static void fail(const sequence *now, const char *what)
{
    test_fail(__FILE__, __LINE__, "%s", what);
    printf("  the sequence");
    for (uint32_t i = 0; i < now->length; i++) {
        printf("%s %s", i > 0 ? "," : ":", operations[now->steps[i]].name);
    }
    for (uint32_t t = 0; t < TYPES; t++) {
        printf("%s %s%s", t > 0 ? "," : "\n  the storages:", s.kept[t]->name,
               s.toggles >> t & 1 ? " with a toggle" : "");
    }
    printf("%s\n", s.observed ? "\n  with observers" : "");
    test_leave();
}

static void register_types(void)
{
    static const mica_field_info number = {
        .name = "number", .kind = MICA_KIND_I64, .offset = offsetof(tracked, number)};
    mica_type_desc descs[TYPES] = {
        [PLAIN] = {.name = "Plain", .size = sizeof(int64_t), .align = _Alignof(int64_t)},
        [HOOKED] = tracked_desc(&s.tracker, "Hooked", true),
        [TRIPLE] = {.name = "Triple", .size = sizeof(triple), .align = _Alignof(triple)},
    };
    static const mica_field_info plain = {.name = "plain", .kind = MICA_KIND_I64};
    const mica_field_info three[] = {MICA_FIELD(triple, x), MICA_FIELD(triple, y),
                                     MICA_FIELD(triple, z)};
    descs[PLAIN].fields = &plain;
    descs[PLAIN].field_count = 1;
    static const mica_field_info bare = {.name = "number", .kind = MICA_KIND_I64};
    static const int64_t bare_default = TRACKED_DEFAULT;
    if (!s.hooked) {
        descs[HOOKED] = (mica_type_desc){.name = "Hooked",
                                         .size = sizeof(int64_t),
                                         .align = _Alignof(int64_t),
                                         .default_value = &bare_default};
    }
    descs[HOOKED].fields = s.hooked ? &number : &bare; // where it lies is no part of a value
    descs[HOOKED].field_count = 1;
    descs[TRIPLE].fields = three;
    descs[TRIPLE].field_count = 3;
    for (uint32_t t = 0; t < TYPES; t++) {
        descs[t].storage = s.kept[t]->storage;
        descs[t].stable = s.kept[t]->stable;
        descs[t].toggle = descs[t].row_stamps = s.toggles >> t & 1;
        s.types[t] = mica_type_register(s.world, &descs[t]);
        s.infos[t] = mica_type_get_info(s.world, s.types[t]);
    }
}

static mica_query_desc describe(const struct question *asked)
{
    mica_query_desc desc = {.more_count = 0};
    for (uint32_t k = 0; k < asked->count; k++) {
        const term *one = &asked->terms[k];
        bool even = one->even && (s.toggles >> one->type & 1);
        desc.terms[k] = (mica_term){s.types[one->type],
                                    (uint32_t)one->access | (even ? MICA_INCLUDE_DISABLED : 0)};
    }
    return desc;
}

static void make_queries(void)
{
    for (uint32_t q = 0; q < QUESTIONS; q++) {
        mica_query_desc desc = describe(&questions[q]);
        s.queries[q] = mica_query_new(s.world, &desc);
    }
    const uint32_t even[TYPES] = {[PLAIN] = s.toggles >> PLAIN & 1 ? MICA_INCLUDE_DISABLED : 0,
                                  [HOOKED] = s.toggles >> HOOKED & 1 ? MICA_INCLUDE_DISABLED : 0};
    s.changed = mica_query_new(
        s.world,
        &(mica_query_desc){.terms = {{s.types[PLAIN], MICA_WITH | MICA_CHANGED | even[PLAIN]}}});
    s.added = mica_query_new(
        s.world,
        &(mica_query_desc){.terms = {{s.types[HOOKED], MICA_WITH | MICA_ADDED | even[HOOKED]}}});
}

static void observe(void)
{
    mica_query_desc descs[QUESTIONS];
    for (uint32_t q = 0; q < QUESTIONS; q++) {
        descs[q] = describe(&questions[q]);
    }
    expect(mirror_begin(&s.mirror, s.world, s.types, TYPES, descs, QUESTIONS, true),
           s.mirror.wrong);
}

// Three entities: with all, without the hooked, without the plain one.
static void begin(uint32_t mix, uint32_t toggles, bool observed)
{
    s.toggles = toggles;
    s.observed = observed;
    for (uint32_t t = 0; t < TYPES; t++, mix /= STORAGES) {
        s.kept[t] = &storages[mix % STORAGES];
    }
    s.hooked = s.kept[HOOKED]->storage != MICA_SPLIT;
    s.count = 0;
    s.last_value = 100;
    s.wrong = NULL;
    memset(s.groups, 0, sizeof s.groups);
    memset(s.owned, 0, sizeof s.owned);
    memset(s.needed, 0, sizeof s.needed);
    tracker_begin(&s.tracker);
    s.world = test_world_begin(&s.t);
    register_types();
    make_queries();
    for (uint32_t i = 0; i < SEED_COUNT; i++) {
        spawn_all();
    }
    take(&s.beings[1], HOOKED);
    take(&s.beings[2], PLAIN);
    uint64_t now = mica_world_tick(s.world);
    expect_result(MICA_OK, mica_query_set_since(s.world, s.changed, now));
    expect_result(MICA_OK, mica_query_set_since(s.world, s.added, now));
    for (uint32_t i = 0; i < SEED_COUNT; i++) {
        memset(s.beings[i].changed, 0, sizeof s.beings[i].changed);
        memset(s.beings[i].added, 0, sizeof s.beings[i].added);
    }
    if (observed) {
        observe();
    }
}

static uint64_t run_sequence(const sequence *now, uint32_t mix, uint32_t toggles, bool observed)
{
    begin(mix, toggles, observed);
    for (uint32_t i = 0; i < now->length; i++) {
        operations[now->steps[i]].run();
    }
    compare();
    if (observed && !s.wrong) {
        expect(!mirror_compare(&s.mirror), s.mirror.wrong);
    }
    uint64_t hash = mica_world_hash(s.world);
    if (s.wrong) {
        fail(now, s.wrong);
    }
    test_world_end(&s.t);
    if (s.tracker.errors || s.tracker.alive) {
        fail(now, "the end of the world left values");
    }
    return hash;
}

// Everything is in tables in the first mix. Of the others, every so many; and every third of those is
// observed.
static unsigned long run_mixes(const sequence *now, uint32_t toggles, uint32_t first,
                               uint32_t stride)
{
    static uint32_t runs;
    unsigned long worlds = 1;
    uint64_t expected = run_sequence(now, 0, toggles, runs % 3 == 0);
    for (uint32_t mix = 1 + first; mix < MIXES; mix += stride) {
        if (run_sequence(now, mix, toggles, ++runs % 3 == 0) != expected) {
            fail(now, "a world of the same content has another hash");
        }
        worlds++;
    }
    return worlds;
}

static bool next_sequence(sequence *now)
{
    for (uint32_t i = now->length; i-- > 0;) {
        now->steps[i] = (uint8_t)((now->steps[i] + 1) % OPERATIONS);
        if (now->steps[i] != 0) {
            return true;
        }
    }
    return false;
}

// The longest ones without toggles and with all of them, on every third mix, others each time; the shorter
// ones with each of them or not, on all mixes.
static void every_sequence_on_every_mix_of_storages(void)
{
    unsigned long worlds = 0;
    uint32_t runs = 0;
    unsigned long expected = 0;
    unsigned long of_this_length = 1;
    uint32_t length = exhaustive_length > 3 ? exhaustive_length - 2 : 1;
    for (uint32_t l = 1; l <= length; l++) {
        sequence now = {.length = l};
        bool longest = l == length && l > 1;
        uint32_t stride = longest ? ALL_TOGGLES : 1;
        of_this_length *= OPERATIONS;
        expected += of_this_length * (ALL_TOGGLES / stride + 1);
        do {
            for (uint32_t toggles = 0; toggles <= ALL_TOGGLES; toggles += stride) {
                worlds += run_mixes(&now, toggles, longest ? runs % 3 : 0, longest ? 3 : 1);
                runs++;
            }
        } while (next_sequence(&now));
    }
    CHECK_EQUAL(expected, runs);
    printf("mixes: %lu worlds, sequences of up to %lu of %d operations\n", worlds,
           (unsigned long)length, OPERATIONS);
}

TESTS(mix, every_sequence_on_every_mix_of_storages)
