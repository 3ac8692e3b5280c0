// Worlds whose components are kept in other ways than in pages (unit/store/table/kinds.h), through the
// public functions, each beside a world where everything is paged: both must mean the same after
// every call, be valid, and leave nothing behind.
#include <mica/debug.h>
#include <mica/query.h>

#include <string.h>

#include "entity/locate.h"
#include "query/query.h"
#include "runner/test.h"
#include "runner/world.h"
#include "store/table/row.h"
#include "unit/store/table/kinds.h"
#include "unit/tracked.h"

enum {
    PLAIN,
    HALVES,
    HALVES_ODD,
    CAREFUL,
    NOTED,
    NOTED_BIG,
    BOXED,
    BOXED_MOVED,
    BOXED_HOOKED,
    RINGED,
    RINGED_MOVED,
    RINGED_HOOKED,
    TAG
};
enum { TYPES = TAG + 1, ENTITIES_MAX = 200, VALUE_MAX = 32 };

#define BIT(type) (1u << (type))
#define RINGS (BIT(RINGED) | BIT(RINGED_MOVED) | BIT(RINGED_HOOKED))

static const struct {
    const char *name;
    uint32_t size, align;
    bool hooked, moved;
} shapes[TYPES] = {
    [PLAIN] = {"Plain", 8, 8, false, false},
    [HALVES] = {"Halves", 8, 8, false, false},
    [HALVES_ODD] = {"HalvesOdd", 3, 1, false, false},
    [CAREFUL] = {"Careful", 12, 4, false, false},
    [NOTED] = {"Noted", 8, 8, false, false}, // as large as its note
    [NOTED_BIG] = {"NotedBig", 16, 8, false, false},
    [BOXED] = {"Boxed", 8, 8, false, false},
    [BOXED_MOVED] = {"BoxedMoved", sizeof(tracked), _Alignof(tracked), true, true},
    [BOXED_HOOKED] = {"BoxedHooked", sizeof(tracked), _Alignof(tracked), true, false},
    [RINGED] = {"Ringed", 8, 8, false, false},
    [RINGED_MOVED] = {"RingedMoved", sizeof(tracked), _Alignof(tracked), true, true},
    [RINGED_HOOKED] = {"RingedHooked", sizeof(tracked), _Alignof(tracked), true, false},
    [TAG] = {"Tag", 0, 0, false, false},
};

static const unsigned char defaults[VALUE_MAX] = "the default of everybody.......";

static bool is_outside(uint32_t type)
{
    return type >= BOXED && type <= RINGED_HOOKED;
}

// The digest sees the parts of values that are kept in several strips.
static bool is_in_parts(uint32_t type)
{
    return type >= HALVES && type <= NOTED_BIG;
}

static bool is_whole(uint32_t type)
{
    return type != HALVES && type != HALVES_ODD && type != CAREFUL && type != TAG;
}

// A world, with its kinds or all paged.
typedef struct side {
    test_world t;
    mica_world *world;
    bool chosen;
    tracker tracker;
    mica_type types[TYPES];
    mica_query queries[TYPES]; // of those that have a type, which they do not read
    mica_query without;        // of those that have the first and not the last
    mica_bundle bundle;        // of all types in play
    uint32_t bundled[TYPES];
    uint32_t bundle_count;
} side;

static void register_types(side *s)
{
    const mica_field_info number = {
        .name = "number", .kind = MICA_KIND_I64, .offset = offsetof(tracked, number)};
    for (uint32_t i = 0; i < TYPES; i++) {
        mica_type_desc desc = {.name = shapes[i].name,
                               .size = shapes[i].size,
                               .align = shapes[i].align,
                               .default_value = i % 2 && shapes[i].size ? defaults : NULL};
        if (shapes[i].hooked) {
            desc = tracked_desc(&s->tracker, shapes[i].name, shapes[i].moved);
            desc.fields = &number; // where it is, and who, is not what it means
            desc.field_count = 1;
        }
        s->types[i] = mica_type_register(s->world, &desc);
        REQUIRE(!MICA_IS_NONE(s->types[i]));
    }
}

static void side_begin(side *s, bool chosen, uint32_t mask)
{
    *s = (side){.chosen = chosen};
    kinds_are_chosen = chosen;
    tracker_begin(&s->tracker);
    s->world = test_world_begin(&s->t);
    register_types(s);
    mica_type all[TYPES];
    for (uint32_t i = 0; i < TYPES; i++) {
        s->queries[i] =
            mica_query_new(s->world, &(mica_query_desc){.terms = {{s->types[i], MICA_WITH}}});
        if (mask & BIT(i)) {
            s->bundled[s->bundle_count] = i;
            all[s->bundle_count++] = s->types[i];
        }
    }
    s->without = mica_query_new(
        s->world,
        &(mica_query_desc){.terms = {{s->types[PLAIN], MICA_WITH}, {s->types[TAG], MICA_WITHOUT}}});
    s->bundle = mica_bundle_new(s->world, all, s->bundle_count);
    REQUIRE(!MICA_IS_NONE(s->bundle));
}

static void side_end(side *s)
{
    kinds_are_chosen = s->chosen;
    test_world_end(&s->t);
    CHECK_TRACKED(&s->tracker, 0);
}

// Both sides of a tape.
typedef struct pair {
    side sides[2];
    uint32_t mask; // the types in play
    bool outside;  // some are kept outside of strips
    bool in_parts; // some are kept in several
    uint64_t random;
    mica_entity entities[ENTITIES_MAX];
    uint32_t count;
} pair;

static uint32_t draw(pair *p, uint32_t below)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(p->random >> 33) % below;
}

static uint32_t draw_type(pair *p)
{
    uint32_t type = draw(p, TYPES);
    while (!(p->mask & BIT(type))) {
        type = (type + 1) % TYPES;
    }
    return type;
}

static void pair_begin(pair *p, uint32_t mask, uint64_t seed)
{
    *p = (pair){.mask = mask, .random = seed};
    for (uint32_t i = 0; i < TYPES; i++) {
        p->outside = p->outside || ((mask & BIT(i)) && is_outside(i));
        p->in_parts = p->in_parts || ((mask & BIT(i)) && is_in_parts(i));
    }
    side_begin(&p->sides[0], true, mask);
    side_begin(&p->sides[1], false, mask);
}

static void pair_end(pair *p)
{
    side_end(&p->sides[0]);
    side_end(&p->sides[1]);
    kinds_are_chosen = true;
}

// A value that says `number`, given to a call and ended after it.
typedef union given {
    tracked tracked;
    unsigned char bytes[VALUE_MAX];
} given;

static mica_value begin_value(side *s, uint32_t type, uint32_t number, given *storage)
{
    if (shapes[type].hooked) {
        storage->tracked = tracked_make(&s->tracker, number);
    } else {
        for (uint32_t i = 0; i < VALUE_MAX; i++) {
            storage->bytes[i] = (unsigned char)(number * 31 + i * 7 + 1);
        }
    }
    bool none = shapes[type].size == 0;
    return (mica_value){s->types[type], none ? NULL : storage, shapes[type].size, 1, NULL};
}

static void end_value(side *s, uint32_t type, given *storage)
{
    if (shapes[type].hooked) {
        tracked_drop(&s->tracker, &storage->tracked);
    }
}

// What one call did: its result, and the entity it made, if any.
typedef struct outcome {
    mica_result result;
    mica_entity entity;
} outcome;

typedef enum operation {
    SPAWN,
    SPAWN_BUNDLE,
    SPAWN_MANY,
    SET,
    SET_FROM_ANOTHER,
    ADD,
    REMOVE,
    CHANGE,
    CLONE,
    DESPAWN,
    DESPAWN_MANY,
    ADD_ALL,
    REMOVE_ALL,
    SET_ALL,
    DESPAWN_ALL,
    CLEAR,
    RECLAIM,
    OPERATIONS
} operation;

// Drawn once, done to both sides.
typedef struct step {
    operation what;
    mica_entity entity, other;
    uint32_t type, other_type;
    uint32_t number, count;
    mica_entity many[3];
} step;

// Some types of those in play, never none.
static uint32_t types_of_step(const pair *p, const step *t)
{
    uint32_t types = p->mask & (t->number * 2654435761u >> 8);
    return types ? types : BIT(t->type);
}

static outcome spawn(side *s, const pair *p, const step *t)
{
    mica_value values[TYPES];
    given storage[TYPES];
    uint32_t types = types_of_step(p, t);
    uint32_t count = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        if (types & BIT(i)) {
            values[count] = begin_value(s, i, t->number + i, &storage[i]);
            if ((t->count + i) % 3 == 0) {
                values[count].data = NULL; // its default
                values[count].size = 0;
            }
            count++;
        }
    }
    mica_entity entity = mica_spawn_values(s->world, values, count);
    for (uint32_t i = 0; i < TYPES; i++) {
        if (types & BIT(i)) {
            end_value(s, i, &storage[i]);
        }
    }
    return (outcome){MICA_IS_NONE(entity) ? MICA_ERROR_MEMORY : MICA_OK, entity};
}

static outcome spawn_bundle(side *s, const pair *p, const step *t)
{
    (void)p;
    mica_value values[TYPES];
    given storage[TYPES];
    for (uint32_t i = 0; i < s->bundle_count; i++) {
        values[i] = begin_value(s, s->bundled[i], t->number + i, &storage[i]);
    }
    mica_entity entity = mica_spawn_bundle(s->world, s->bundle, t->count % 2 ? values : NULL,
                                           t->count % 2 ? s->bundle_count : 0);
    for (uint32_t i = 0; i < s->bundle_count; i++) {
        end_value(s, s->bundled[i], &storage[i]);
    }
    return (outcome){MICA_IS_NONE(entity) ? MICA_ERROR_MEMORY : MICA_OK, entity};
}

enum { MANY = 5 };

static outcome spawn_many(side *s, step *t)
{
    mica_value arrays[TYPES];
    given storage[TYPES][MANY];
    unsigned char packed[TYPES][MANY * VALUE_MAX];
    for (uint32_t i = 0; i < s->bundle_count; i++) {
        uint32_t type = s->bundled[i];
        uint32_t size = shapes[type].size;
        for (uint32_t j = 0; j < MANY; j++) {
            arrays[i] = begin_value(s, type, t->number + i + j, &storage[i][j]);
            memcpy(packed[i] + (size_t)j * size, &storage[i][j], size);
        }
        arrays[i].data = size ? packed[i] : NULL;
        arrays[i].count = MANY;
    }
    mica_entity made[MANY];
    mica_result result = mica_spawn_many(s->world, s->bundle, MANY, arrays, s->bundle_count, made);
    for (uint32_t i = 0; i < s->bundle_count; i++) {
        for (uint32_t j = 0; j < MANY; j++) {
            end_value(s, s->bundled[i], &storage[i][j]);
        }
    }
    if (!result) {
        memcpy(t->many, made, sizeof t->many);
    }
    return (outcome){result, result ? (mica_entity){0} : made[0]};
}

static mica_result set(side *s, const step *t)
{
    given storage;
    mica_value value = begin_value(s, t->type, t->number, &storage);
    mica_result result = mica_set_value(s->world, t->entity, value.type, value.data, value.size);
    end_value(s, t->type, &storage);
    return result;
}

static mica_result change(side *s, const pair *p, const step *t)
{
    mica_value values[TYPES];
    mica_type removed[TYPES];
    given storage[TYPES];
    uint32_t types = types_of_step(p, t);
    uint32_t gone = p->mask & ~types & (t->number * 40503u);
    uint32_t value_count = 0;
    uint32_t removed_count = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        if (types & BIT(i)) {
            values[value_count++] = begin_value(s, i, t->number + i, &storage[i]);
        } else if (gone & BIT(i)) {
            removed[removed_count++] = s->types[i];
        }
    }
    mica_result result =
        mica_change(s->world, t->entity, values, value_count, removed, removed_count);
    for (uint32_t i = 0; i < TYPES; i++) {
        if (types & BIT(i)) {
            end_value(s, i, &storage[i]);
        }
    }
    return result;
}

static mica_result set_all(side *s, const step *t)
{
    given storage;
    mica_value value = begin_value(s, t->type, t->number, &storage);
    mica_result result =
        mica_set_all(s->world, s->queries[t->other_type], value.type, value.data, value.size, NULL);
    end_value(s, t->type, &storage);
    return result;
}

// A value that lies in the world is given to another entity, or to the same.
static mica_result set_from_another(side *s, const step *t)
{
    const void *data = is_whole(t->type) ? mica_get(s->world, t->other, s->types[t->type]) : NULL;
    return data ? mica_set_value(s->world, t->entity, s->types[t->type], data, shapes[t->type].size)
                : MICA_OK;
}

static outcome run_step(side *s, const pair *p, step *t)
{
    kinds_are_chosen = s->chosen;
    mica_world *world = s->world;
    mica_type type = s->types[t->type];
    outcome out = {0};
    world->view.tick++;
    switch (t->what) {
    case SPAWN: return spawn(s, p, t);
    case SPAWN_BUNDLE: return spawn_bundle(s, p, t);
    case SPAWN_MANY: return spawn_many(s, t);
    case SET: out.result = set(s, t); break;
    case SET_FROM_ANOTHER: out.result = set_from_another(s, t); break;
    case ADD: out.result = mica_add(world, t->entity, type); break;
    case REMOVE: out.result = mica_remove(world, t->entity, type); break;
    case CHANGE: out.result = change(s, p, t); break;
    case CLONE:
        out.entity = mica_clone(world, t->entity);
        out.result = MICA_IS_NONE(out.entity) ? MICA_ERROR_MEMORY : MICA_OK;
        break;
    case DESPAWN: out.result = mica_despawn(world, t->entity); break;
    case DESPAWN_MANY: out.result = mica_despawn_many(world, t->many, 3); break;
    case ADD_ALL: out.result = mica_add_all(world, s->queries[t->other_type], type, NULL); break;
    case REMOVE_ALL: out.result = mica_remove_all(world, s->without, type, NULL); break;
    case SET_ALL: out.result = set_all(s, t); break;
    case DESPAWN_ALL: out.result = mica_despawn_all(world, s->queries[t->type], NULL); break;
    case CLEAR: out.result = mica_world_clear(world); break;
    default: out.result = mica_world_reclaim(world); break;
    }
    return out;
}

static step draw_step(pair *p, operation what)
{
    step t = {.what = what};
    t.type = draw_type(p);
    t.other_type = draw_type(p);
    t.number = draw(p, 1000000);
    t.count = draw(p, 100);
    if (p->count > 0) {
        t.entity = p->entities[draw(p, p->count)];
        t.other = p->entities[draw(p, p->count)];
        for (uint32_t i = 0; i < 3; i++) {
            t.many[i] = p->entities[draw(p, p->count)];
        }
    }
    return t;
}

static bool can_do(const pair *p, operation what)
{
    bool spawns = what == SPAWN || what == SPAWN_BUNDLE || what == SPAWN_MANY || what == CLONE;
    bool needs = (what >= SET && what <= DESPAWN_MANY) || what == CLONE;
    return (!spawns || p->count + MANY < ENTITIES_MAX) && (!needs || p->count > 0);
}

// The value of an entity, loaded by its kind, as a number or as its bytes; false if there is none.
static bool load(side *s, mica_entity entity, uint32_t type, given *value_out)
{
    micai_state *state = s->world->state;
    const micai_type *found = state->registry.list.items[type];
    micai_row row = micai_row_of(&state->store, micai_slots_find(&state->slots, entity));
    micai_table *table = micai_row_table(row);
    uint32_t column = micai_table_column(table, found->number);
    memset(value_out, 0, sizeof *value_out);
    if (!column) {
        return false;
    }
    REQUIRE_EQUAL(MICA_OK, micai_table_kind(table, column)
                               ->load(&state->store, micai_row_cell(row, column), value_out));
    bool whole = !s->chosen || is_whole(type);
    const void *seen = whole ? mica_get(s->world, entity, s->types[type]) : NULL;
    CHECK_EQUAL(whole, seen != NULL);
    if (shapes[type].hooked) {
        CHECK(tracked_is(&s->tracker, seen, value_out->tracked.number));
        int64_t number = value_out->tracked.number;
        tracked_drop(&s->tracker, &value_out->tracked);
        memset(value_out, 0, sizeof *value_out);
        value_out->tracked.number = number;
    } else if (seen) {
        CHECK_BYTES(value_out->bytes, seen, shapes[type].size);
    }
    return true;
}

// By the kinds that the side has chosen.
static mica_result validate(const side *s)
{
    kinds_are_chosen = s->chosen;
    return mica_world_validate(s->world);
}

static void compare(pair *p)
{
    side *a = &p->sides[0];
    side *b = &p->sides[1];
    CHECK_EQUAL(MICA_OK, validate(a));
    CHECK_EQUAL(MICA_OK, validate(b));
    REQUIRE_EQUAL(mica_world_hash(b->world), mica_world_hash(a->world));
    if (!p->outside && !p->in_parts) { // where rows are and when they were written is the same, too
        CHECK_EQUAL(mica_world_digest(b->world), mica_world_digest(a->world));
    }
    CHECK_EQUAL(b->tracker.alive, a->tracker.alive);
    CHECK_EQUAL(0, a->tracker.errors + b->tracker.errors);
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t type = 0; type < TYPES; type++) {
            given values[2];
            bool in_b = load(b, p->entities[i], type, &values[1]);
            CHECK_EQUAL(in_b, load(a, p->entities[i], type, &values[0]));
            CHECK_BYTES(values[1].bytes, values[0].bytes, sizeof values[0]);
        }
    }
}

// Forgets entities that are dead, remembers those that were made.
static void keep_up(pair *p, const step *t, outcome out)
{
    uint32_t alive = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (mica_alive(p->sides[0].world, p->entities[i])) {
            p->entities[alive++] = p->entities[i];
        }
    }
    p->count = alive;
    if (!MICA_IS_NONE(out.entity)) {
        p->entities[p->count++] = out.entity;
        if (t->what == SPAWN_MANY) {
            p->entities[p->count++] = t->many[1];
            p->entities[p->count++] = t->many[2];
        }
    }
}

static void do_step(pair *p, operation what)
{
    if (!can_do(p, what)) {
        return;
    }
    step t = draw_step(p, what);
    step again = t;
    outcome a = run_step(&p->sides[0], p, &t);
    outcome b = run_step(&p->sides[1], p, &again);
    REQUIRE_EQUAL(MICA_OK, b.result);
    REQUIRE_EQUAL(b.result, a.result);
    REQUIRE_EQUAL(b.entity.bits, a.entity.bits);
    keep_up(p, &t, a);
    compare(p);
}

// A tape of random steps. Where rows are kept outside, by-query changes order them otherwise, so that
// despawning by query, which frees slots in the order of rows, must be the last step.
static void run_tape(uint32_t mask, uint64_t seed, uint32_t steps)
{
    static pair storage;
    pair *p = &storage;
    pair_begin(p, mask, seed);
    for (uint32_t i = 0; i < steps; i++) {
        operation what = (operation)draw(p, i < 12 ? SET : OPERATIONS);
        bool rare = what == CLEAR || what == DESPAWN_ALL;
        if ((rare && draw(p, 4) > 0) || (p->outside && what == DESPAWN_ALL)) {
            what = SET;
        }
        do_step(p, what);
    }
    do_step(p, DESPAWN_ALL);
    pair_end(p);
}

static void run_tapes(uint32_t mask)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        run_tape(mask, seed * 7919, 80);
    }
}

static void values_in_halves_mean_what_whole_ones_do(void)
{
    run_tapes(BIT(PLAIN) | BIT(HALVES) | BIT(HALVES_ODD) | BIT(TAG));
}

static void strips_that_may_not_be_moved_as_bytes_are_moved_by_their_kind(void)
{
    run_tapes(BIT(PLAIN) | BIT(CAREFUL) | BIT(TAG));
}

static void a_second_strip_goes_with_the_first(void)
{
    run_tapes(BIT(PLAIN) | BIT(NOTED) | BIT(NOTED_BIG) | BIT(TAG));
}

static void values_outside_the_strips_mean_what_those_in_pages_do(void)
{
    run_tapes(BIT(PLAIN) | BIT(BOXED) | BIT(TAG));
    run_tapes(BIT(PLAIN) | BIT(BOXED_MOVED) | BIT(BOXED_HOOKED) | BIT(TAG));
}

// S4.5, S4.6: rows come, go and change tables one by one, and many at a time.
static void values_in_rings_mean_what_those_in_pages_do(void)
{
    run_tapes(BIT(PLAIN) | BIT(RINGED) | BIT(TAG));
    run_tapes(BIT(PLAIN) | BIT(RINGED_MOVED) | BIT(RINGED_HOOKED) | BIT(TAG));
}

static void all_kinds_live_in_one_table(void)
{
    run_tapes(BIT(TYPES) - 1);
}

// Every allocation of every call fails once: nothing has happened then, and the call succeeds after.
static void run_failing(uint32_t mask, uint64_t seed)
{
    static pair storage;
    pair *p = &storage;
    pair_begin(p, mask, seed);
    side *s = &p->sides[0];
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t what = 0; what < OPERATIONS; what++) {
            if (what == DESPAWN_ALL || what == CLEAR || !can_do(p, (operation)what)) {
                continue;
            }
            step t = draw_step(p, (operation)what);
            step again = t;
            outcome a = {0};
            uint64_t hash = mica_world_hash(s->world);
            uint32_t alive = s->tracker.alive;
            for (uint64_t k = 1;; k++) {
                uint32_t single = s->world->state->slots.slabs.single;
                test_memory_fail_at(&s->t.memory, k, TEST_MEMORY_ONCE);
                a = run_step(s, p, &t);
                bool was_refused = s->t.memory.refusals > 0;
                test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
                uint32_t errors = test_error_clear(&s->t.error);
                CHECK_EQUAL(a.result != MICA_OK, errors);
                CHECK(a.result == (errors ? MICA_ERROR_MEMORY : MICA_OK));
                // That a ring could not be settled nobody is reported, or that a slab was refused: a page is a block of
                // its own then.
                bool without_slab = s->world->state->slots.slabs.single > single;
                CHECK(was_refused == (errors > 0) || (p->mask & RINGS) || without_slab);
                if (errors == 0) {
                    break;
                }
                REQUIRE_EQUAL(MICA_OK, validate(s));
                REQUIRE_EQUAL(hash, mica_world_hash(s->world));
                REQUIRE_EQUAL(alive, s->tracker.alive);
            }
            outcome b = run_step(&p->sides[1], p, &again);
            REQUIRE_EQUAL(b.entity.bits, a.entity.bits);
            p->sides[1].world->view.tick = s->world->view.tick; // which refused calls moved on
            keep_up(p, &t, a);
            CHECK_EQUAL(MICA_OK, validate(s));
            REQUIRE_EQUAL(mica_world_hash(p->sides[1].world), mica_world_hash(s->world));
        }
    }
    pair_end(p);
}

static void a_call_without_memory_changes_nothing_whatever_the_kind(void)
{
    static const uint32_t masks[] = {
        BIT(PLAIN) | BIT(HALVES) | BIT(HALVES_ODD) | BIT(TAG),
        BIT(PLAIN) | BIT(CAREFUL) | BIT(NOTED) | BIT(TAG),
        BIT(PLAIN) | BIT(BOXED) | BIT(TAG),
        BIT(PLAIN) | BIT(BOXED_MOVED) | BIT(BOXED_HOOKED),
        BIT(PLAIN) | RINGS,
        BIT(TYPES) - 1,
    };
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        for (uint64_t seed = 1; seed <= 4; seed++) {
            run_failing(masks[i], seed * 104729);
        }
    }
}

// A hook that fails half-way through a row, or many, leaves no value behind.
static void a_hook_that_fails_outside_the_strips_changes_nothing(void)
{
    static pair storage;
    pair *p = &storage;
    pair_begin(p, BIT(PLAIN) | BIT(BOXED_MOVED) | BIT(BOXED_HOOKED), 5);
    side *s = &p->sides[0];
    static const operation calls[] = {SPAWN_BUNDLE, SPAWN_MANY,   CLONE,
                                      ADD_ALL,      SPAWN_BUNDLE, CLONE};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        step t = draw_step(p, calls[i]);
        step again = t;
        uint64_t hash = mica_world_hash(s->world);
        uint32_t alive = s->tracker.alive;
        outcome a = {0};
        for (uint32_t which = 1;; which++) {
            s->tracker.until_failure = which;
            a = run_step(s, p, &t);
            bool failed = s->tracker.until_failure == 0;
            s->tracker.until_failure = 0;
            CHECK_EQUAL(failed, test_error_clear(&s->t.error));
            if (!failed) {
                break;
            }
            REQUIRE_EQUAL(MICA_OK, validate(s));
            REQUIRE_EQUAL(hash, mica_world_hash(s->world));
            REQUIRE_EQUAL(alive, s->tracker.alive);
        }
        outcome b = run_step(&p->sides[1], p, &again);
        REQUIRE_EQUAL(b.entity.bits, a.entity.bits);
        p->sides[1].world->view.tick = s->world->view.tick;
        keep_up(p, &t, a);
        compare(p);
    }
    pair_end(p);
}

// A table may grow in several steps for one call, whose values lie in it.
static void values_of_the_table_itself_are_doubled_while_it_grows(void)
{
    for (uint32_t rows = 1; rows <= 40; rows++) {
        static side both;
        side *s = &both;
        side_begin(s, true, BIT(BOXED_MOVED));
        mica_entity entities[40];
        for (uint32_t i = 0; i < rows; i++) {
            given storage;
            mica_value value = begin_value(s, BOXED_MOVED, i, &storage);
            entities[i] = mica_spawn_bundle(s->world, s->bundle, &value, 1);
            end_value(s, BOXED_MOVED, &storage);
        }
        const mica_value array = {s->types[BOXED_MOVED],
                                  mica_get(s->world, entities[0], s->types[BOXED_MOVED]),
                                  sizeof(tracked), rows, NULL};
        mica_entity made[40];
        CHECK_EQUAL(MICA_OK, mica_spawn_many(s->world, s->bundle, rows, &array, 1, made));
        for (uint32_t i = 0; i < rows; i++) {
            const void *first = mica_get(s->world, entities[i], s->types[BOXED_MOVED]);
            const void *second = mica_get(s->world, made[i], s->types[BOXED_MOVED]);
            CHECK(tracked_is(&s->tracker, first, i));
            CHECK(tracked_is(&s->tracker, second, i));
        }
        CHECK_TRACKED(&s->tracker, 2 * rows);
        side_end(s);
    }
}

// Which tables admit which fast paths, and which values have spots.
static void kinds_are_admitted_to_what_suits_them(void)
{
    static const struct {
        uint32_t type;
        bool plain, bytes, filled, found;
    } kinds[] = {{PLAIN, true, true, true, true},       {HALVES, true, true, false, false},
                 {CAREFUL, false, false, false, false}, {NOTED, true, true, false, true},
                 {NOTED_BIG, true, true, false, true},  {BOXED, false, false, false, false},
                 {RINGED, false, true, true, true}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        static side both;
        side *s = &both;
        side_begin(s, true, BIT(kinds[i].type));
        given storage;
        mica_value value = begin_value(s, kinds[i].type, 3, &storage);
        mica_entity entity = mica_spawn_values(s->world, &value, 1);
        micai_store *store = &s->world->state->store;
        micai_row row = micai_row_of(store, micai_slots_find(&s->world->state->slots, entity));
        micai_table *table = micai_row_table(row);
        CHECK_EQUAL(kinds[i].bytes, micai_table_is_bytes(table));
        CHECK_EQUAL(kinds[i].plain, table->fast_paths == MICAI_FAST_ALL);
        CHECK_EQUAL(kinds[i].filled, micai_table_fill(table, 1).size > 0);
        const mica_view_values *spot =
            micai_directory_pointer(&store->directory, kinds[i].type, row.sheet->number);
        CHECK_EQUAL(kinds[i].found, spot && spot->data);
        CHECK_EQUAL(kinds[i].filled, spot && spot->tick); // a note would not be reported
        if (spot && spot->data) {
            CHECK_BYTES(storage.bytes, spot->data, shapes[kinds[i].type].size);
        }
        side_end(s);
    }
}

// Also of a type that is only asked for, because a kind may have more to say of a row than that it is
// there. Tags are bits of the table, whatever their kind would be.
static void the_simple_loop_is_for_queries_all_of_whose_types_are_paged(void)
{
    for (uint32_t chosen = 0; chosen < 2; chosen++) {
        side s;
        side_begin(&s, chosen, 0);
        for (uint32_t i = 0; i < TYPES; i++) {
            bool paged = i == TAG ||
                         micai_kind_of(s.world->state->registry.list.items[i]) == &micai_kind_paged;
            CHECK_EQUAL(paged, micai_query_look_up(s.world, s.queries[i])->simple);
        }
        CHECK(micai_query_look_up(s.world, s.without)->simple);
        CHECK_EQUAL(!chosen, micai_query_look_up(s.world, s.queries[HALVES])->simple);
        side_end(&s);
    }
}

TESTS(kinds, values_in_halves_mean_what_whole_ones_do,
      strips_that_may_not_be_moved_as_bytes_are_moved_by_their_kind,
      a_second_strip_goes_with_the_first, values_outside_the_strips_mean_what_those_in_pages_do,
      values_in_rings_mean_what_those_in_pages_do, all_kinds_live_in_one_table,
      a_call_without_memory_changes_nothing_whatever_the_kind,
      a_hook_that_fails_outside_the_strips_changes_nothing,
      values_of_the_table_itself_are_doubled_while_it_grows, kinds_are_admitted_to_what_suits_them,
      the_simple_loop_is_for_queries_all_of_whose_types_are_paged)
