// Random operations through the public interface, compared with plain arrays after every step. Every
// case runs once per mix of storage policies; a new policy is one line in the list below. What a step
// makes of the world is the same in all of them, reported by its hash, and stays the same where a policy
// changes on the way.
#include <mica.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/rows.h"
#include "runner/test.h"
#include "runner/tier.h"
#include "runner/world.h"
#include "unit/tracked.h"

// The storage policies. Another is one line.
typedef struct policy {
    mica_storage storage;
    bool stable;
} policy;

static const policy policies[] = {
    {MICA_TABLE, false}, {MICA_SPARSE, false}, {MICA_SPARSE, true},
    {MICA_RING, false},  {MICA_SPLIT, false},
};

enum {
    POLICIES = sizeof policies / sizeof policies[0],
    MIXES = POLICIES * POLICIES * POLICIES,
    GROUPS = 2
};

// The types: two of plain data, one with hooks, unless it begins split, two tags.
enum { FIRST, SECOND, WATCHED, MARK, BADGE, TYPES };

typedef struct Number {
    int64_t value;
} Number;

typedef struct Pair {
    int32_t value;
    float other;
} Pair;

enum { ENTITIES_MAX = 400 };

// The plain arrays: what every entity ever spawned should have now.
typedef struct model {
    uint32_t count; // ever
    mica_entity entities[ENTITIES_MAX];
    uint32_t latest[ENTITIES_MAX]; // by slot: who came there last
    bool alive[ENTITIES_MAX];
    bool has[ENTITIES_MAX][TYPES];
    bool off[ENTITIES_MAX][TYPES];
    int32_t value[ENTITIES_MAX][TYPES];
    uint32_t changed[ENTITIES_MAX][TYPES]; // when, by the clock
    uint32_t added[ENTITIES_MAX][TYPES];
} model;

// A query that asks what has changed, or was added, of a type.
typedef struct watch {
    mica_query query;
    uint32_t since;
} watch;

typedef struct scene {
    test_world t;
    mica_world *world;
    tracker tracker;
    mica_type types[TYPES];
    const policy *kept[TYPES];
    bool hooked;                   // the watched type has hooks: unless it is split to begin with
    bool toggles;                  // types with data have them, and row stamps
    uint32_t clock;                // goes on with every look
    watch watches[WATCHED + 1][2]; // by type with data: changed, added
    mica_group groups[GROUPS];
    uint32_t needed[GROUPS], owned[GROUPS]; // by them: bit per type
    model m;
    uint64_t seed;
    bool own_handles; // the order in which a query lists who matches has decided on handles
} scene;

static bool is_tag(uint32_t type)
{
    return type == MARK || type == BADGE;
}

// Fields can be kept apart, unless there are none, or hooks that want the whole; tags are in no ring.
static bool can_be(const scene *s, uint32_t type, mica_storage storage)
{
    bool hooked = type == WATCHED && s->hooked;
    return storage == MICA_SPLIT ? !is_tag(type) && !hooked : storage != MICA_RING || !is_tag(type);
}

// Every mix of policies for the types with data; the tags come along. What cannot be kept like this is in
// tables.
static const policy *choose(const scene *s, uint32_t mix, uint32_t type)
{
    static const uint32_t steps[TYPES] = {[FIRST] = 1,
                                          [SECOND] = POLICIES,
                                          [WATCHED] = POLICIES * POLICIES,
                                          [MARK] = 1,
                                          [BADGE] = POLICIES * POLICIES};
    const policy *chosen = &policies[mix / steps[type] % POLICIES];
    return can_be(s, type, chosen->storage) ? chosen : &policies[0];
}

static void begin(scene *s, uint32_t mix, bool toggles, bool relocate_always)
{
    memset(s, 0, sizeof *s);
    s->hooked = policies[mix / (POLICIES * POLICIES)].storage != MICA_SPLIT;
    s->toggles = toggles;
    s->seed = UINT64_C(0x9e3779b97f4a7c15);
    tracker_begin(&s->tracker);
    test_world_prepare(&s->t);
    s->t.desc.relocate_always = s->t.desc.relocate_always || relocate_always;
    s->world = test_world_open(&s->t);
    mica_type_desc descs[TYPES] = {
        [FIRST] = MICA_DESCRIBE(Number, value),
        [SECOND] = MICA_DESCRIBE(Pair, value, other),
        [WATCHED] = tracked_desc(&s->tracker, "Watched", true),
        [MARK] = {.name = "Mark"},
        [BADGE] = {.name = "Badge"},
    };
    // Where a watched value lies is no part of it.
    static const mica_field_info number = {
        .name = "number", .kind = MICA_KIND_I64, .offset = offsetof(tracked, number)};
    static const mica_field_info bare = {.name = "number", .kind = MICA_KIND_I64};
    static const Number bare_default = {TRACKED_DEFAULT};
    if (!s->hooked) {
        descs[WATCHED] = (mica_type_desc){.name = "Watched",
                                          .size = sizeof(Number),
                                          .align = _Alignof(Number),
                                          .default_value = &bare_default};
    }
    descs[WATCHED].fields = s->hooked ? &number : &bare;
    descs[WATCHED].field_count = 1;
    static const uint32_t order[TYPES] = {MARK, FIRST, BADGE, SECOND, WATCHED};
    for (uint32_t i = 0; i < TYPES; i++) {
        mica_type_desc *desc = &descs[order[i]];
        s->kept[order[i]] = choose(s, mix, order[i]);
        desc->storage = s->kept[order[i]]->storage;
        desc->stable = s->kept[order[i]]->stable && desc->size > 0;
        desc->toggle = desc->row_stamps = toggles && desc->size > 0;
        s->types[order[i]] = mica_type_register(s->world, desc);
        REQUIRE(!MICA_IS_NONE(s->types[order[i]]));
    }
    s->clock = 1;
    for (uint32_t t = FIRST; t <= WATCHED; t++) {
        for (uint32_t a = 0; a < 2; a++) {
            uint32_t access = MICA_WITH | (a ? MICA_ADDED : MICA_CHANGED);
            access |= toggles ? MICA_INCLUDE_DISABLED : 0u;
            s->watches[t][a].query =
                mica_query_new(s->world, &(mica_query_desc){.terms = {{s->types[t], access}}});
        }
    }
}

// The model's clock: a value comes, or changes.
static void note_change(scene *s, uint32_t i, uint32_t type)
{
    s->m.changed[i][type] = s->clock;
}

static void note_coming(scene *s, uint32_t i, uint32_t type)
{
    s->m.changed[i][type] = s->m.added[i][type] = s->clock;
}

static bool has_news(const scene *s, uint32_t i, uint32_t type, uint32_t added)
{
    uint32_t when = added ? s->m.added[i][type] : s->m.changed[i][type];
    return s->m.alive[i] && s->m.has[i][type] && when > s->watches[type][added].since;
}

// Exactly those pass that should, with row stamps; without, those and perhaps others.
static void compare_news(scene *s)
{
    for (uint32_t t = FIRST; t <= WATCHED; t++) {
        for (uint32_t a = 0; a < 2; a++) {
            mica_query query = s->watches[t][a].query;
            uint32_t expected = 0;
            for (uint32_t i = 0; i < s->m.count; i++) {
                bool news = has_news(s, i, t, a);
                bool shown = mica_query_contains(s->world, query, s->m.entities[i]);
                REQUIRE(s->toggles ? shown == news : shown || !news);
                expected += shown;
            }
            REQUIRE_EQUAL(expected, mica_query_count(s->world, query));
        }
    }
}

static void end(scene *s)
{
    test_world_end(&s->t);
    CHECK_TRACKED(&s->tracker, 0);
}

static int32_t default_of(uint32_t type)
{
    return type == WATCHED ? TRACKED_DEFAULT : 0;
}

// A value of any type, kept until it is dropped.
typedef union any_value {
    Number number;
    Pair pair;
    tracked watched;
} any_value;

// Is it a number and nothing else?
static bool is_number(const scene *s, uint32_t type)
{
    return type == FIRST || (type == WATCHED && !s->hooked);
}

static mica_value make_value(scene *s, any_value *room, uint32_t type, int32_t value)
{
    mica_value result = {.type = s->types[type], .data = room};
    if (is_number(s, type)) {
        room->number = (Number){value};
        result.size = sizeof room->number;
        return result;
    }
    switch (type) {
    case SECOND:
        room->pair = (Pair){value, -(float)value};
        result.size = sizeof room->pair;
        break;
    case WATCHED:
        room->watched = tracked_make(&s->tracker, value);
        result.size = sizeof room->watched;
        break;
    default: result.data = NULL; break;
    }
    return result;
}

static int32_t number_in(const scene *s, const any_value *room, uint32_t type)
{
    return is_tag(type)         ? 0
           : is_number(s, type) ? (int32_t)room->number.value
           : type == SECOND     ? room->pair.value
                                : (int32_t)room->watched.number;
}

static void drop_value(scene *s, any_value *room, uint32_t type)
{
    if (type == WATCHED && s->hooked) {
        tracked_drop(&s->tracker, &room->watched);
    }
}

static bool value_is(const scene *s, uint32_t type, const void *data, int32_t value)
{
    if (is_number(s, type)) {
        return data && ((const Number *)data)->value == value;
    }
    switch (type) {
    case SECOND:
        return data && ((const Pair *)data)->value == value &&
               ((const Pair *)data)->other == -(float)value;
    case WATCHED: return tracked_is(&s->tracker, data, value);
    default: return data == NULL;
    }
}

static bool is_split(const scene *s, uint32_t type)
{
    return s->kept[type]->storage == MICA_SPLIT;
}

// The value of an entity's component: pointed to, unless it is split, and loaded, unless it has hooks.
static bool entity_holds(scene *s, uint32_t i, uint32_t type)
{
    mica_entity e = s->m.entities[i];
    bool has = s->m.has[i][type];
    any_value room;
    uint32_t size = is_number(s, type) ? sizeof room.number : sizeof room.pair;
    bool loads = is_number(s, type) || type == SECOND;
    const void *loaded =
        loads && mica_load(s->world, e, s->types[type], &room, size) ? &room : NULL;
    const void *data = is_split(s, type) ? loaded : mica_get(s->world, e, s->types[type]);
    bool right = has ? value_is(s, type, data, s->m.value[i][type]) : data == NULL;
    return right && (!loads || (has ? value_is(s, type, loaded, s->m.value[i][type]) : !loaded));
}

// Every entity has what the arrays say, and every count agrees.
static void compare_entities(scene *s)
{
    uint32_t alive = 0;
    uint32_t watched = 0;
    uint32_t with[TYPES] = {0};
    for (uint32_t i = 0; i < s->m.count; i++) {
        mica_entity e = s->m.entities[i];
        REQUIRE_EQUAL(s->m.alive[i], mica_alive(s->world, e));
        alive += s->m.alive[i];
        for (uint32_t t = 0; t < TYPES; t++) {
            bool has = s->m.alive[i] && s->m.has[i][t];
            REQUIRE_EQUAL(has, mica_has(s->world, e, s->types[t]));
            REQUIRE_EQUAL(has && !s->m.off[i][t], mica_is_enabled(s->world, e, s->types[t]));
            with[t] += has;
            REQUIRE(!s->m.alive[i] || entity_holds(s, i, t));
        }
        watched += s->hooked && s->m.alive[i] && s->m.has[i][WATCHED];
    }
    CHECK_EQUAL(alive, mica_entity_count(s->world));
    for (uint32_t t = 0; t < TYPES; t++) {
        CHECK_EQUAL(with[t], mica_type_get_stats(s->world, s->types[t]).rows);
    }
    CHECK_TRACKED(&s->tracker, watched);
}

static uint32_t index_of(const scene *s, mica_entity entity)
{
    uint32_t slot = mica_entity_slot(entity);
    uint32_t i = slot < ENTITIES_MAX ? s->m.latest[slot] : UINT32_MAX;
    return i < s->m.count && MICA_EQUAL(s->m.entities[i], entity) ? i : UINT32_MAX;
}

typedef mica_term terms[TYPES];

static uint32_t type_of(const scene *s, const mica_term *term)
{
    uint32_t type = 0;
    while (!MICA_EQUAL(s->types[type], term->type)) {
        type++;
    }
    return type;
}

static mica_access access_of(const mica_term *term)
{
    return (mica_access)(term->access & 255);
}

// What is disabled is not there, unless a term asks for that, too.
static bool shows(const scene *s, uint32_t i, const mica_term *term)
{
    uint32_t type = type_of(s, term);
    return s->m.has[i][type] && (!s->m.off[i][type] || (term->access & MICA_INCLUDE_DISABLED));
}

static bool should_match(const scene *s, uint32_t i, const mica_term *list, uint32_t count)
{
    bool any = false;
    bool any_asked = false;
    for (uint32_t k = 0; k < count; k++) {
        bool has = shows(s, i, &list[k]);
        switch (access_of(&list[k])) {
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
            any_asked = true;
            any = any || has;
            break;
        default: break;
        }
    }
    return s->m.alive[i] && (any || !any_asked);
}

// The values of a term: row by row, unless they are split, then field by field, unless they have hooks.
static void compare_term(scene *s, const mica_iter *it, const mica_term *term, uint32_t k)
{
    uint32_t type = type_of(s, term);
    const mica_type_info *info = mica_type_get_info(s->world, term->type);
    for (uint32_t row = 0; !is_split(s, type) && row < it->count; row++) {
        uint32_t i = index_of(s, it->entities[row]);
        const void *data = mica_read_row(it, k, row);
        REQUIRE(shows(s, i, term) ? value_is(s, type, data, s->m.value[i][type]) : data == NULL);
    }
    for (uint32_t row = 0; (type != WATCHED || !s->hooked) && row < it->count; row++) {
        uint32_t i = index_of(s, it->entities[row]);
        any_value room;
        bool loaded = test_row_load(it, k, info, row, &room);
        REQUIRE(loaded == shows(s, i, term));
        REQUIRE(!loaded || value_is(s, type, &room, s->m.value[i][type]));
    }
}

// One segment: every entity in it should match, once, with its values at its place.
static void compare_segment(scene *s, const mica_iter *it, const mica_term *list, uint32_t count,
                            bool *seen)
{
    for (uint32_t row = 0; row < it->count; row++) {
        uint32_t i = index_of(s, it->entities[row]);
        REQUIRE(i < s->m.count);
        REQUIRE(!seen[i] && should_match(s, i, list, count));
        seen[i] = true;
    }
    for (uint32_t k = 0; k < count; k++) {
        mica_access access = access_of(&list[k]);
        if (!is_tag(type_of(s, &list[k])) && access != MICA_WITH && access != MICA_WITHOUT) {
            compare_term(s, it, &list[k], k);
        }
    }
}

static void compare_query(scene *s, const mica_term *list, uint32_t count)
{
    mica_query query = mica_query_new(
        s->world,
        &(mica_query_desc){.more_terms = list, .more_count = count, .everything = count == 0});
    REQUIRE(!MICA_IS_NONE(query));
    bool seen[ENTITIES_MAX] = {0};
    mica_iter it;
    mica_iter_begin(s->world, query, &it);
    while (mica_iter_next(&it)) {
        compare_segment(s, &it, list, count, seen);
    }
    uint32_t expected = 0;
    for (uint32_t i = 0; i < s->m.count; i++) {
        bool matches = should_match(s, i, list, count);
        REQUIRE_EQUAL(matches, seen[i]);
        REQUIRE_EQUAL(matches, mica_query_contains(s->world, query, s->m.entities[i]));
        expected += matches;
    }
    CHECK_EQUAL(expected, mica_query_count(s->world, query));
    CHECK_EQUAL(MICA_OK, mica_query_free(s->world, query));
}

static uint32_t draw(scene *s, uint32_t below)
{
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 7;
    s->seed ^= s->seed << 17;
    return (uint32_t)(s->seed >> 32) % below;
}

static uint32_t draw_terms(scene *s, terms list)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < TYPES; t++) {
        uint32_t access = draw(s, MICA_ACCESS_COUNT + 3);
        uint32_t even = s->toggles && !is_tag(t) && draw(s, 3) == 0 ? MICA_INCLUDE_DISABLED : 0;
        bool writes = access == MICA_WRITE || access == MICA_OPTIONAL_WRITE;
        even |= writes && s->toggles && !is_tag(t) ? MICA_TOUCH : 0u; // nothing is written
        if (access != MICA_ACCESS_NONE && access < MICA_ACCESS_COUNT) {
            list[count++] = (mica_term){s->types[t], access | even};
        }
    }
    return count;
}

// A living entity, by its index; UINT32_MAX if there is none.
static uint32_t draw_entity(scene *s)
{
    uint32_t start = s->m.count > 0 ? draw(s, s->m.count) : 0;
    for (uint32_t k = 0; k < s->m.count; k++) {
        uint32_t i = (start + k) % s->m.count;
        if (s->m.alive[i]) {
            return i;
        }
    }
    return UINT32_MAX;
}

// A new line in the arrays.
static uint32_t enter(scene *s, mica_entity entity)
{
    REQUIRE(!MICA_IS_NONE(entity));
    REQUIRE(s->m.count < ENTITIES_MAX);
    uint32_t i = s->m.count++;
    s->m.entities[i] = entity;
    s->m.latest[mica_entity_slot(entity)] = i; // slots are used again
    s->m.alive[i] = true;
    return i;
}

// The operations. Each changes the world and the arrays alike.

static void spawn(scene *s, uint32_t i)
{
    (void)i;
    any_value rooms[TYPES];
    mica_value values[TYPES];
    uint32_t numbers[TYPES];
    uint32_t count = 0;
    int32_t value = (int32_t)draw(s, 1000);
    for (uint32_t t = 0; t < TYPES; t++) {
        if (draw(s, 2) == 0) {
            numbers[count] = t;
            values[count] = make_value(s, &rooms[count], t, value);
            count++;
        }
    }
    uint32_t line = enter(s, mica_spawn_values(s->world, values, count));
    for (uint32_t k = 0; k < count; k++) {
        s->m.has[line][numbers[k]] = true;
        s->m.value[line][numbers[k]] = value;
        note_coming(s, line, numbers[k]);
        drop_value(s, &rooms[k], numbers[k]);
    }
}

static void despawn(scene *s, uint32_t i)
{
    CHECK_EQUAL(MICA_OK, mica_despawn(s->world, s->m.entities[i]));
    s->m.alive[i] = false;
}

static void add(scene *s, uint32_t i)
{
    uint32_t type = draw(s, TYPES);
    CHECK_EQUAL(MICA_OK, mica_add(s->world, s->m.entities[i], s->types[type]));
    if (!s->m.has[i][type]) {
        s->m.value[i][type] = default_of(type);
        note_coming(s, i, type);
    }
    s->m.has[i][type] = true;
}

static void take(scene *s, uint32_t i)
{
    uint32_t type = draw(s, TYPES);
    CHECK_EQUAL(MICA_OK, mica_remove(s->world, s->m.entities[i], s->types[type]));
    s->m.has[i][type] = s->m.off[i][type] = false;
}

static void set(scene *s, uint32_t i)
{
    uint32_t type = draw(s, TYPES);
    any_value room;
    mica_value value = make_value(s, &room, type, (int32_t)draw(s, 1000));
    CHECK_EQUAL(MICA_OK,
                mica_set_value(s->world, s->m.entities[i], value.type, value.data, value.size));
    (s->m.has[i][type] ? note_change : note_coming)(s, i, type);
    s->m.has[i][type] = true;
    s->m.value[i][type] = number_in(s, &room, type);
    drop_value(s, &room, type);
}

static void change(scene *s, uint32_t i)
{
    any_value room;
    uint32_t come = draw(s, TYPES);
    uint32_t go = (come + 1 + draw(s, TYPES - 1)) % TYPES;
    int32_t number = (int32_t)draw(s, 1000);
    mica_value value = make_value(s, &room, come, number);
    CHECK_EQUAL(MICA_OK, mica_change(s->world, s->m.entities[i], &value, 1, &s->types[go], 1));
    drop_value(s, &room, come);
    (s->m.has[i][come] ? note_change : note_coming)(s, i, come);
    s->m.has[i][come] = true;
    s->m.value[i][come] = number;
    s->m.has[i][go] = s->m.off[i][go] = false;
}

// Through a pointer; what is split is refused, and set instead.
static void write(scene *s, uint32_t i)
{
    int32_t number = (int32_t)draw(s, 1000);
    bool has = s->m.has[i][FIRST];
    Number *first = MICA_GET_MUT(s->world, s->m.entities[i], s->types[FIRST], Number);
    CHECK_EQUAL(has && !is_split(s, FIRST), first != NULL);
    CHECK_EQUAL(has && is_split(s, FIRST), test_error_clear(&s->t.error));
    if (first) {
        first->value = number;
    } else if (has) {
        CHECK_EQUAL(MICA_OK, mica_set(s->world, s->m.entities[i],
                                      MICA_VALUE(s->types[FIRST], Number, number)));
    }
    s->m.value[i][FIRST] = has ? number : s->m.value[i][FIRST];
    s->m.changed[i][FIRST] = has ? s->clock : s->m.changed[i][FIRST];
}

static void clone(scene *s, uint32_t i)
{
    uint32_t line = enter(s, mica_clone(s->world, s->m.entities[i]));
    memcpy(s->m.has[line], s->m.has[i], sizeof s->m.has[i]);
    memcpy(s->m.off[line], s->m.off[i], sizeof s->m.off[i]);
    memcpy(s->m.value[line], s->m.value[i], sizeof s->m.value[i]);
    for (uint32_t t = 0; t < TYPES; t++) {
        note_coming(s, line, t);
    }
}

static void spawn_many(scene *s, uint32_t i)
{
    (void)i;
    enum { MANY = 7 };
    const mica_type types[] = {s->types[SECOND], s->types[BADGE], s->types[WATCHED]};
    Pair pairs[MANY];
    for (int32_t k = 0; k < MANY; k++) {
        pairs[k] = (Pair){k, -(float)k};
    }
    mica_entity entities[MANY];
    mica_bundle bundle = mica_bundle_new(s->world, types, 3);
    const mica_value arrays[] = {MICA_COPY_OF_ARRAY(types[0], pairs), MICA_ADD(types[1]),
                                 MICA_ADD(types[2])};
    CHECK_EQUAL(MICA_OK, mica_spawn_many(s->world, bundle, MANY, arrays, 3, entities));
    CHECK_EQUAL(MICA_OK, mica_bundle_free(s->world, bundle));
    for (int32_t k = 0; k < MANY; k++) {
        uint32_t line = enter(s, entities[k]);
        s->m.has[line][SECOND] = s->m.has[line][BADGE] = s->m.has[line][WATCHED] = true;
        s->m.value[line][SECOND] = k;
        s->m.value[line][WATCHED] = TRACKED_DEFAULT;
        note_coming(s, line, SECOND);
        note_coming(s, line, WATCHED);
    }
}

static void despawn_many(scene *s, uint32_t i)
{
    mica_entity gone[4] = {s->m.entities[i], s->m.entities[i]};
    uint32_t other = draw_entity(s);
    gone[2] = s->m.entities[other];
    gone[3] = s->m.entities[i];
    CHECK_EQUAL(MICA_OK, mica_despawn_many(s->world, gone, 4));
    s->m.alive[i] = s->m.alive[other] = false;
}

// Changes all that match a query, whole tables at a time.
static void change_all(scene *s, uint32_t i)
{
    (void)i;
    terms list;
    uint32_t count = draw_terms(s, list);
    uint32_t type = draw(s, TYPES);
    uint32_t how = draw(s, 8); // ends them seldom, or soon none is left
    any_value room;
    mica_value value = make_value(s, &room, type, (int32_t)draw(s, 1000));
    bool matching[ENTITIES_MAX];
    uint32_t expected = 0;
    for (uint32_t k = 0; k < s->m.count; k++) {
        matching[k] = should_match(s, k, list, count);
        expected += matching[k];
    }
    mica_query query = mica_query_new(
        s->world,
        &(mica_query_desc){.more_terms = list, .more_count = count, .everything = count == 0});
    uint32_t changed = 0;
    mica_result result =
        how == 0  ? mica_despawn_all(s->world, query, &changed)
        : how < 3 ? mica_add_all(s->world, query, s->types[type], &changed)
        : how < 5 ? mica_remove_all(s->world, query, s->types[type], &changed)
                  : mica_set_all(s->world, query, value.type, value.data, value.size, &changed);
    CHECK_EQUAL(MICA_OK, result);
    CHECK_EQUAL(expected, changed);
    CHECK_EQUAL(MICA_OK, mica_query_free(s->world, query));
    s->own_handles = s->own_handles || (how == 0 && expected > 1);
    for (uint32_t k = 0; k < s->m.count; k++) {
        if (!matching[k]) {
            continue;
        }
        bool had = s->m.has[k][type];
        if (!had) {
            note_coming(s, k, type);
        } else if (how >= 5) {
            note_change(s, k, type);
        }
        if (how == 0) {
            s->m.alive[k] = false;
        } else if (how < 5) {
            s->m.has[k][type] = how < 3;
            s->m.off[k][type] = s->m.off[k][type] && how < 3;
            s->m.value[k][type] = had ? s->m.value[k][type] : default_of(type);
        } else {
            s->m.has[k][type] = true;
            s->m.value[k][type] = number_in(s, &room, type);
        }
    }
    drop_value(s, &room, type);
}

// Off and on

static void toggle(scene *s, uint32_t i)
{
    uint32_t type = draw(s, TYPES);
    bool off = draw(s, 3) > 0;
    bool can = s->toggles && !is_tag(type) && s->m.has[i][type];
    mica_result result = off ? mica_disable(s->world, s->m.entities[i], s->types[type])
                             : mica_enable(s->world, s->m.entities[i], s->types[type]);
    CHECK_EQUAL(can ? MICA_OK : MICA_ERROR_ARGUMENT, result);
    test_error_clear(&s->t.error);
    if (can && s->m.off[i][type] != off) {
        note_change(s, i, type);
    }
    s->m.off[i][type] = can ? off : s->m.off[i][type];
}

static void toggle_all(scene *s, uint32_t i)
{
    (void)i;
    terms list;
    uint32_t count = draw_terms(s, list);
    uint32_t type = draw(s, MARK);
    bool off = draw(s, 2) == 0;
    mica_query query = mica_query_new(
        s->world,
        &(mica_query_desc){.more_terms = list, .more_count = count, .everything = count == 0});
    uint32_t matched = 0;
    mica_result result = off ? mica_disable_all(s->world, query, s->types[type], &matched)
                             : mica_enable_all(s->world, query, s->types[type], &matched);
    CHECK_EQUAL(s->toggles ? MICA_OK : MICA_ERROR_ARGUMENT, result);
    test_error_clear(&s->t.error);
    CHECK_EQUAL(MICA_OK, mica_query_free(s->world, query));
    bool matching[ENTITIES_MAX];
    uint32_t expected = 0;
    for (uint32_t k = 0; s->toggles && k < s->m.count; k++) {
        matching[k] = should_match(s, k, list, count);
        expected += matching[k];
    }
    CHECK_EQUAL(expected, matched);
    for (uint32_t k = 0; s->toggles && k < s->m.count; k++) {
        bool now = matching[k] ? off && s->m.has[k][type] : s->m.off[k][type];
        if (now != s->m.off[k][type]) {
            note_change(s, k, type);
        }
        s->m.off[k][type] = now;
    }
}

// Groups and sorting

static bool is_sparse(const scene *s, uint32_t type)
{
    return s->kept[type]->storage == MICA_SPARSE;
}

// Can it be owned, and sorted?
static bool can_move(const scene *s, uint32_t type)
{
    return is_sparse(s, type) && (is_tag(type) || !s->kept[type]->stable);
}

// A group takes the place of the one before it. Types that cannot be in it like this are not, or
// otherwise.
static void regroup(scene *s, uint32_t i)
{
    (void)i;
    uint32_t which = draw(s, GROUPS);
    if (!MICA_IS_NONE(s->groups[which])) {
        CHECK_EQUAL(MICA_OK, mica_group_free(s->world, s->groups[which]));
    }
    s->needed[which] = s->owned[which] = 0;
    mica_group_desc desc = {0};
    uint32_t owned_count = 0;
    uint32_t also_count = 0;
    for (uint32_t t = 0; t < TYPES; t++) {
        uint32_t how = draw(s, 3);
        bool is_free = can_move(s, t) && !(s->owned[1 - which] >> t & 1);
        if (how == 0 || !is_sparse(s, t)) {
            continue;
        }
        s->needed[which] |= 1u << t;
        if (how == 1 && is_free) {
            desc.owned[owned_count++] = s->types[t];
            s->owned[which] |= 1u << t;
        } else {
            desc.required[also_count++] = s->types[t];
        }
    }
    s->groups[which] = mica_group_new(s->world, &desc);
    bool made = owned_count + also_count >= 2;
    CHECK_EQUAL(made, !MICA_IS_NONE(s->groups[which]));
    CHECK_EQUAL(made ? 0 : 1, test_error_clear(&s->t.error));
    s->needed[which] = made ? s->needed[which] : 0;
    s->owned[which] = made ? s->owned[which] : 0;
}

static void compare_groups(scene *s)
{
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t members = 0;
        for (uint32_t i = 0; s->needed[g] && i < s->m.count; i++) {
            bool is_member = s->m.alive[i];
            for (uint32_t t = 0; t < TYPES; t++) {
                is_member = is_member && (!(s->needed[g] >> t & 1) || s->m.has[i][t]);
            }
            members += is_member;
        }
        REQUIRE(!s->needed[g] || test_group_count(s->world, s->groups[g]) == members);
    }
}

static int by_slot_down(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    return (a->entity.bits < b->entity.bits) - (a->entity.bits > b->entity.bits);
}

// By itself, or with the group that owns it.
static void sort(scene *s, uint32_t i)
{
    (void)i;
    uint32_t type = draw(s, TYPES);
    uint32_t which = 0;
    while (which < GROUPS && !(s->owned[which] >> type & 1)) {
        which++;
    }
    CHECK_EQUAL(!can_move(s, type) ? MICA_ERROR_ARGUMENT
                : which < GROUPS   ? MICA_ERROR_OWNED
                                   : MICA_OK,
                mica_sort(s->world, s->types[type], by_slot_down, NULL));
    test_error_clear(&s->t.error);
    if (which < GROUPS) {
        CHECK_EQUAL(MICA_OK, mica_group_sort(s->world, s->groups[which], s->types[type],
                                             by_slot_down, NULL));
    }
}

// Another policy for a type with data, whose values all move; unless that is refused.
static void keep_as(scene *s, uint32_t type, mica_storage storage)
{
    uint32_t which = 0;
    while (policies[which].storage != storage || policies[which].stable) {
        which++;
    }
    bool changes = s->kept[type]->storage != storage;
    bool grouped = (s->needed[0] | s->needed[1]) >> type & 1;
    mica_result expected = is_tag(type)                ? MICA_ERROR_ARGUMENT
                           : !changes                  ? MICA_OK
                           : s->kept[type]->stable     ? MICA_ERROR_STORAGE
                           : grouped                   ? MICA_ERROR_OWNED
                           : !can_be(s, type, storage) ? MICA_ERROR_ARGUMENT
                                                       : MICA_OK;
    CHECK_EQUAL(expected, mica_type_change_storage(s->world, s->types[type], storage));
    CHECK_EQUAL(expected ? 1 : 0, test_error_clear(&s->t.error));
    s->kept[type] = changes && !expected ? &policies[which] : s->kept[type];
    CHECK_EQUAL(s->kept[type]->storage, mica_type_get_info(s->world, s->types[type])->storage);
}

static void keep(scene *s, uint32_t i)
{
    (void)i;
    uint32_t type = draw(s, TYPES);
    keep_as(s, type, policies[draw(s, POLICIES)].storage);
}

// Iterates what has changed, to the end: so that it has been seen.
static void look(scene *s, uint32_t i)
{
    (void)i;
    uint32_t type = draw(s, WATCHED + 1);
    uint32_t added = draw(s, 2);
    watch *w = &s->watches[type][added];
    bool seen[ENTITIES_MAX] = {0};
    mica_iter it;
    mica_iter_begin(s->world, w->query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t row = 0; row < it.count; row++) {
            uint32_t k = index_of(s, it.entities[row]);
            REQUIRE(k < s->m.count && !seen[k]);
            seen[k] = true;
        }
    }
    for (uint32_t k = 0; k < s->m.count; k++) {
        bool news = has_news(s, k, type, added);
        REQUIRE(s->toggles ? seen[k] == news : seen[k] || !news);
    }
    w->since = s->clock++;
}

static void reclaim(scene *s, uint32_t i)
{
    (void)i;
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(s->world));
}

typedef void operation(scene *s, uint32_t i);

enum { STEPS_MAX = 1200 };

// Runs an operation and compares. `hash` is that of the first mix.
static void run_one(scene *s, operation *chosen, bool first, uint64_t *hash)
{
    uint32_t i = draw_entity(s);
    if (i == UINT32_MAX) {
        chosen = spawn;
    }
    chosen(s, i);
    compare_entities(s);
    uint64_t now = mica_world_hash(s->world);
    *hash = first ? now : *hash;
    REQUIRE(s->own_handles || *hash == now);
    terms list;
    uint32_t count = draw_terms(s, list);
    compare_query(s, list, count);
    compare_groups(s);
    compare_news(s);
}

// Runs random operations of a list until the arrays are nearly full, comparing after each. `hashes` are
// those of the first mix.
static void run(scene *s, operation *const *operations, uint32_t operation_count, uint32_t steps,
                bool first, uint64_t hashes[STEPS_MAX])
{
    for (uint32_t step = 0; step < steps && s->m.count + 8 < ENTITIES_MAX; step++) {
        run_one(s, operations[draw(s, operation_count)], first, &hashes[step]);
        if (step % 16 == 0) {
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(s->world));
        }
    }
}

// In small doses a fifth of the mixes, in which any two types still meet with every two policies.
static bool is_passed_over(uint32_t mix)
{
    uint32_t sum = mix % POLICIES + mix / POLICIES % POLICIES + mix / (POLICIES * POLICIES);
    return test_tier_is_small() && sum % POLICIES != 0;
}

static void run_on_every_mix(operation *const *operations, uint32_t count, uint32_t steps,
                             bool toggles)
{
    static uint64_t hashes[STEPS_MAX];
    REQUIRE(steps <= STEPS_MAX);
    // Then once more with one policy for all, in a world whose memory moves whenever it may.
    for (uint32_t round = 0; round < MIXES + POLICIES; round++) {
        static scene s;
        bool relocate_always = round >= MIXES;
        uint32_t mix = relocate_always ? (round - MIXES) * (MIXES - 1) / (POLICIES - 1) : round;
        if (is_passed_over(mix) && !relocate_always) {
            continue;
        }
        begin(&s, mix, toggles, relocate_always);
        run(&s, operations, count, steps, round == 0, hashes);
        end(&s);
    }
}

#define RUN(steps, toggles, ...)                                                                   \
    do {                                                                                           \
        operation *const list[] = {__VA_ARGS__};                                                   \
        run_on_every_mix(list, sizeof list / sizeof list[0], steps, toggles);                      \
    } while (0)

static void entities_come_and_go(void)
{
    RUN(200, false, spawn, spawn, despawn);
}

static void components_are_added_and_removed(void)
{
    RUN(400, false, spawn, add, add, add, take, take, despawn);
}

static void values_are_set_and_written(void)
{
    RUN(400, false, spawn, set, set, set, write, take, despawn);
}

static void several_components_change_at_once(void)
{
    RUN(300, false, spawn, change, change, change, add, despawn);
}

static void clones_are_equal_and_independent(void)
{
    RUN(250, false, spawn, clone, set, write, despawn, take);
}

static void many_come_and_go_at_once(void)
{
    RUN(200, false, spawn_many, despawn_many, add, take, set, despawn_many, reclaim);
}

static void all_that_match_a_query_change_at_once(void)
{
    RUN(300, false, spawn, change_all, add, clone, change_all, take);
}

static void components_are_switched_off_and_on(void)
{
    RUN(250, true, spawn, toggle, toggle, toggle_all, toggle_all, add, take, clone, despawn);
}

static void what_has_no_toggle_is_not_switched(void)
{
    RUN(100, false, spawn, toggle, toggle_all, take);
}

static void groups_and_sorting_change_no_answer(void)
{
    RUN(250, false, spawn, regroup, add, take, sort, add, take, despawn, clone);
}

static void policies_change_no_answer_while_they_change(void)
{
    RUN(250, true, spawn, keep, keep, add, take, set, write, toggle, clone, despawn, spawn_many,
        change_all, regroup);
}

static void what_changed_is_seen(void)
{
    RUN(250, true, spawn, set, write, look, look, look, add, take, clone, change, toggle, despawn,
        regroup, sort, change_all, keep);
}

static void what_changed_is_seen_without_row_stamps_too(void)
{
    RUN(150, false, spawn, set, write, look, look, look, add, take, clone, change, despawn, regroup,
        sort, change_all, keep);
}

static void everything_at_once(void)
{
    RUN(600, true, look, spawn, despawn, add, take, set, change, write, clone, spawn_many,
        despawn_many, change_all, reclaim, add, take, set, change, toggle, toggle, toggle_all,
        regroup, sort, keep);
}

// One type changes from one policy to another, before one of these steps or behind the last; the others have
// the policy behind its first one.

// Every third entity from one on gets what it lacks, and has all of its values switched off.
static void disable_some(scene *s, uint32_t i)
{
    for (; i < s->m.count; i += 3) {
        for (uint32_t t = FIRST; s->m.alive[i] && t <= WATCHED; t++) {
            CHECK_EQUAL(MICA_OK, mica_add(s->world, s->m.entities[i], s->types[t]));
            CHECK_EQUAL(MICA_OK, mica_disable(s->world, s->m.entities[i], s->types[t]));
            s->m.value[i][t] = s->m.has[i][t] ? s->m.value[i][t] : default_of(t);
            if (!s->m.has[i][t]) {
                note_coming(s, i, t);
            } else if (!s->m.off[i][t]) {
                note_change(s, i, t);
            }
            s->m.has[i][t] = s->m.off[i][t] = true;
        }
    }
}

static operation *const script[] = {
    spawn,   spawn,   spawn,      spawn,        spawn_many,   disable_some, set,
    spawn,   add,     take,       clone,        spawn_many,   disable_some, change,
    write,   despawn, change_all, toggle,       set,          toggle_all,   take,
    reclaim, clone,   look,       disable_some, despawn_many, spawn,
};

enum { SCRIPT = sizeof script / sizeof script[0] };

static void run_script(uint32_t mix, uint32_t type, mica_storage to, uint32_t when, bool first,
                       uint64_t hashes[SCRIPT])
{
    static scene s;
    begin(&s, mix, true, false);
    for (uint32_t step = 0; step <= SCRIPT; step++) {
        if (step == when) {
            uint64_t before = mica_world_hash(s.world);
            keep_as(&s, type, to);
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(s.world));
            REQUIRE(mica_world_hash(s.world) == before);
            compare_entities(&s);
        }
        if (step < SCRIPT) {
            run_one(&s, script[step], first, &hashes[step]);
        }
    }
    end(&s);
}

static void a_policy_can_change_at_any_step(void)
{
    static const uint32_t digits[] = {
        [FIRST] = 1, [SECOND] = POLICIES, [WATCHED] = POLICIES * POLICIES};
    uint64_t hashes[SCRIPT];
    run_script(0, FIRST, MICA_TABLE, SCRIPT, true, hashes);
    for (uint32_t type = FIRST; type <= WATCHED; type++) {
        for (uint32_t from = 0; from < POLICIES; from++) {
            uint32_t behind = (from + 1) % POLICIES;
            uint32_t mix = behind * (MIXES - 1) / (POLICIES - 1);
            mix = mix - behind * digits[type] + from * digits[type];
            for (uint32_t to = 0; to < POLICIES; to++) {
                for (uint32_t when = 0; when <= SCRIPT && !policies[to].stable; when++) {
                    run_script(mix, type, policies[to].storage, when, false, hashes);
                }
            }
        }
    }
}

TESTS(contract, components_are_switched_off_and_on, what_has_no_toggle_is_not_switched,
      groups_and_sorting_change_no_answer, entities_come_and_go, components_are_added_and_removed,
      values_are_set_and_written, several_components_change_at_once,
      clones_are_equal_and_independent, many_come_and_go_at_once,
      all_that_match_a_query_change_at_once, policies_change_no_answer_while_they_change,
      a_policy_can_change_at_any_step, what_changed_is_seen,
      what_changed_is_seen_without_row_stamps_too, everything_at_once)
