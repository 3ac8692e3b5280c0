// Groups, sorting, toggles and changes of storage, on every mix of storages of three components: the k-th allocation of
// every call is refused, for all k, that one only or it and all that follow. The call must fail with
// MICA_ERROR_MEMORY, reported once, and leave hash, digest, groups and queries as they were and the
// world valid. The same call must then succeed.
//
// To add an operation: write a step, and put it into the list `steps`. What a mix does not allow, a step
// leaves out.
#include <mica.h>

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"
#include "store/table/row.h"
#include "unit/tracked.h"

// The list of storages. Another is one line.
static const struct storage {
    mica_storage storage;
    bool stable;
} storages[] = {
    {MICA_TABLE, false}, {MICA_SPARSE, false}, {MICA_SPARSE, true},
    {MICA_RING, false},  {MICA_SPLIT, false},
};

enum {
    STORAGES = sizeof storages / sizeof storages[0],
    MIXES = STORAGES * STORAGES * STORAGES,
    ENTITIES = 40,
    TAGS = 7,
    TAGGED = 110, // entities, each in a table of its own
};

enum { PLAIN, HOOKED, WIDE, TYPES };
enum { BOTH, EVEN, ANY, ALL, QUERIES };
enum { OWNING, PARTIAL, LISTING, GROUPS };

typedef struct scene {
    test_world t;
    mica_world *world;
    tracker tracker;
    const struct storage *kept[TYPES];
    bool hooked; // the type that is meant to has hooks: unless it begins split
    mica_type types[TYPES];
    mica_type tags[TAGS];
    mica_type late; // kept like the first, which nobody has for long
    mica_query queries[QUERIES];
    mica_group groups[GROUPS];
    mica_bundle bundle;
    mica_entity entities[ENTITIES];
} scene;

typedef struct Wide {
    int64_t numbers[6];
} Wide;

// Hooks want the whole value.
static bool can_be(const scene *s, uint32_t type, mica_storage storage)
{
    return storage != MICA_SPLIT || type != HOOKED || !s->hooked;
}

static bool is_sparse(const scene *s, uint32_t type)
{
    return s->kept[type]->storage == MICA_SPARSE;
}

static bool can_move(const scene *s, uint32_t type)
{
    return is_sparse(s, type) && !s->kept[type]->stable;
}

// The steps: a call each; do they succeed?

static bool register_type(scene *s, uint32_t i)
{
    static const char *const names[TYPES] = {"Plain", "Hooked", "Wide"};
    mica_type_desc desc =
        i == HOOKED && s->hooked
            ? tracked_desc(&s->tracker, names[i], true)
            : (mica_type_desc){.name = names[i], .size = i == WIDE ? sizeof(Wide) : 8, .align = 8};
    static const mica_field_info fields[TYPES][2] = {
        [PLAIN] = {{.name = "low", .kind = MICA_KIND_U32},
                   {.name = "high", .kind = MICA_KIND_U32, .offset = 4}},
        // Where a value lies is no part of it.
        [HOOKED] = {{.name = "number", .kind = MICA_KIND_I64, .offset = offsetof(tracked, number)}},
        [WIDE] = {{.name = "apart", .kind = MICA_KIND_I64, .count = 2, .strips = MICA_STRIPS_EACH},
                  {.name = "together", .kind = MICA_KIND_I64, .offset = 16, .count = 4}}};
    desc.fields = fields[i];
    desc.field_count = i == HOOKED ? 1 : 2;
    static const mica_field_info bare = {.name = "number", .kind = MICA_KIND_I64};
    desc.fields = i == HOOKED && !s->hooked ? &bare : desc.fields;
    desc.storage = s->kept[i]->storage;
    desc.stable = s->kept[i]->stable;
    desc.toggle = true;
    desc.row_stamps = i != WIDE;
    s->types[i] = mica_type_register(s->world, &desc);
    return !MICA_IS_NONE(s->types[i]);
}

static bool register_tag(scene *s, uint32_t i)
{
    static const char *const names[TAGS] = {"A", "B", "C", "D", "E", "F", "G"};
    s->tags[i] = mica_type_register(s->world, &(mica_type_desc){.name = names[i]});
    return !MICA_IS_NONE(s->tags[i]);
}

static bool register_late(scene *s, uint32_t i)
{
    (void)i;
    static const mica_field_info field = {.name = "late", .kind = MICA_KIND_U32};
    s->late = mica_type_register(s->world, &(mica_type_desc){.name = "Late",
                                                             .size = 4,
                                                             .align = 4,
                                                             .fields = &field,
                                                             .field_count = 1,
                                                             .storage = s->kept[PLAIN]->storage});
    return !MICA_IS_NONE(s->late);
}

static bool make_query(scene *s, uint32_t i)
{
    const mica_query_desc descs[QUERIES] = {
        [BOTH] = {.terms = {{s->types[PLAIN], MICA_WRITE}, {s->types[WIDE], MICA_READ}}},
        [EVEN] = {.terms = {{s->types[PLAIN], MICA_READ | MICA_INCLUDE_DISABLED},
                            {s->types[HOOKED], MICA_WITHOUT},
                            {s->types[WIDE], MICA_OPTIONAL}}},
        [ANY] = {.terms = {{s->types[HOOKED], MICA_ANY},
                           {s->types[WIDE], MICA_ANY | MICA_INCLUDE_DISABLED}}},
        [ALL] = {.everything = true},
    };
    s->queries[i] = mica_query_new(s->world, &descs[i]);
    return !MICA_IS_NONE(s->queries[i]);
}

static bool make_group(scene *s, uint32_t i)
{
    mica_group_desc desc = {.name = "of what is sparse"};
    uint32_t owned = 0;
    uint32_t also = 0;
    for (uint32_t t = 0; t < TYPES; t++) {
        if (can_move(s, t) && (i == OWNING || (i == PARTIAL && owned == 0))) {
            desc.owned[owned++] = s->types[t];
        } else if (is_sparse(s, t)) {
            desc.required[also++] = s->types[t];
        }
    }
    if (owned + also >= 2) {
        s->groups[i] = mica_group_new(s->world, &desc);
        return !MICA_IS_NONE(s->groups[i]);
    }
    return true;
}

static bool free_group(scene *s, uint32_t i)
{
    bool worked = MICA_IS_NONE(s->groups[i]) || !mica_group_free(s->world, s->groups[i]);
    s->groups[i] = (mica_group){0};
    return worked;
}

static bool spawn(scene *s, uint32_t i)
{
    const int64_t plain = i * 7 % 5;
    mica_entity made = mica_spawn(s->world, MICA_COPY_OF(s->types[PLAIN], plain),
                                  MICA_ADD(s->types[i % 3 == 0 ? HOOKED : WIDE]));
    if (!MICA_IS_NONE(made)) {
        s->entities[i] = made;
    }
    return !MICA_IS_NONE(made);
}

// One is enough: where everything is in tables.
static bool spawn_tagged(scene *s, uint32_t i)
{
    for (uint32_t t = 0; t < TYPES; t++) {
        if (s->kept[t]->storage != MICA_TABLE) {
            return true;
        }
    }
    mica_value values[1 + TAGS] = {MICA_ADD(s->types[PLAIN])};
    uint32_t count = 1;
    for (uint32_t k = 0; k < TAGS; k++) {
        if ((i + 1) >> k & 1) {
            values[count++] = MICA_ADD(s->tags[k]);
        }
    }
    return !MICA_IS_NONE(mica_spawn_values(s->world, values, count));
}

static bool add_hooked(scene *s, uint32_t i)
{
    return !mica_add(s->world, s->entities[i], s->types[HOOKED]);
}

static bool set_wide(scene *s, uint32_t i)
{
    const Wide wide = {{i, -(int64_t)i}};
    return !mica_set(s->world, s->entities[i], MICA_COPY_OF(s->types[WIDE], wide));
}

static bool change(scene *s, uint32_t i)
{
    const mica_value value = MICA_ADD(s->types[HOOKED]);
    return !mica_change(s->world, s->entities[i], &value, 1, &s->types[i % 2 ? PLAIN : WIDE], 1);
}

static bool take_hooked(scene *s, uint32_t i)
{
    return !mica_remove(s->world, s->entities[3 * i], s->types[HOOKED]);
}

static bool clone(scene *s, uint32_t i)
{
    mica_entity made = mica_clone(s->world, s->entities[i]);
    s->entities[20 + i] = MICA_IS_NONE(made) ? s->entities[20 + i] : made;
    return !MICA_IS_NONE(made);
}

static bool make_bundle(scene *s, uint32_t i)
{
    (void)i;
    s->bundle = mica_bundle_new(s->world, s->types, TYPES);
    return !MICA_IS_NONE(s->bundle);
}

static bool reserve_bundle(scene *s, uint32_t i)
{
    (void)i;
    return !mica_bundle_reserve(s->world, s->bundle, 30);
}

static bool spawn_many(scene *s, uint32_t i)
{
    return !mica_spawn_many(s->world, s->bundle, 8, NULL, 0, &s->entities[24 + 8 * i]);
}

static int by_bytes(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    return memcmp(b->value, a->value, 8);
}

static bool sort(scene *s, uint32_t i)
{
    bool owned = !MICA_IS_NONE(s->groups[OWNING]);
    return !can_move(s, i) || owned || !mica_sort(s->world, s->types[i], by_bytes, NULL);
}

static bool sort_like(scene *s, uint32_t i)
{
    uint32_t other = (i + 1) % TYPES;
    bool owned = !MICA_IS_NONE(s->groups[OWNING]);
    return !can_move(s, i) || owned || !is_sparse(s, other) ||
           !mica_sort_like(s->world, s->types[i], s->types[other]);
}

static bool sort_group(scene *s, uint32_t i)
{
    uint32_t type = PLAIN;
    while (type < TYPES && !is_sparse(s, type)) {
        type++;
    }
    return MICA_IS_NONE(s->groups[i]) ||
           !mica_group_sort(s->world, s->groups[i], s->types[type], by_bytes, NULL);
}

static bool sort_list_like(scene *s, uint32_t i)
{
    return MICA_IS_NONE(s->groups[LISTING]) || !is_sparse(s, i) ||
           !mica_group_sort_like(s->world, s->groups[LISTING], s->types[i]);
}

static bool disable(scene *s, uint32_t i)
{
    mica_entity entity = s->entities[1 + i];
    return !mica_has(s->world, entity, s->types[i]) || !mica_disable(s->world, entity, s->types[i]);
}

static bool disable_by_accessor(scene *s, uint32_t i)
{
    mica_accessor accessor = mica_accessor_new(s->world, s->types[i]);
    mica_entity entity = s->entities[4 + i];
    return accessor.size > 0 &&
           (!mica_has(s->world, entity, s->types[i]) || !mica_accessor_disable(&accessor, entity));
}

static bool disable_all(scene *s, uint32_t i)
{
    return !mica_disable_all(s->world, s->queries[EVEN], s->types[i], NULL);
}

static bool disable_everybody(scene *s, uint32_t i)
{
    return !mica_disable_all(s->world, s->queries[ALL], s->types[i], NULL);
}

static bool enable_all(scene *s, uint32_t i)
{
    return !mica_enable_all(s->world, s->queries[ANY], s->types[i], NULL);
}

// In the next way of the list, all of them in turn, that its type can be kept in.
static bool keep_elsewhere(scene *s, uint32_t i)
{
    if (s->kept[i]->stable) {
        return true;
    }
    const struct storage *next = s->kept[i];
    do {
        next = next == &storages[STORAGES - 1] ? storages : next + 1;
    } while (next->stable || !can_be(s, i, next->storage));
    bool worked = !mica_type_change_storage(s->world, s->types[i], next->storage);
    s->kept[i] = worked ? next : s->kept[i];
    return worked;
}

static bool is_whole(const scene *s, uint32_t type)
{
    return s->kept[type]->storage != MICA_SPLIT;
}

// Everything that can be read is; to be written, with what is there.
static bool iterate(scene *s, uint32_t i)
{
    uint32_t errors = s->t.error.calls;
    mica_iter it;
    mica_iter_begin(s->world, s->queries[i], &it);
    while (mica_iter_next(&it)) {
        if (i == ALL) {
            continue;
        }
        uint32_t wide = i == EVEN ? 2 : 1;
        if (i == BOTH) {
            mica_write_field(&it, 0, 4, 4, NULL);
        }
        if (i == BOTH && is_whole(s, PLAIN)) {
            mica_write(&it, 0);
        }
        mica_read_field(&it, wide, 8, 8, NULL);
        if (is_whole(s, WIDE)) {
            mica_read(&it, wide);
        }
    }
    return s->t.error.calls == errors;
}

static bool add_all(scene *s, uint32_t i)
{
    return !mica_add_all(s->world, s->queries[EVEN], s->types[i], NULL);
}

static bool remove_all(scene *s, uint32_t i)
{
    return !mica_remove_all(s->world, s->queries[BOTH], s->types[i], NULL);
}

static bool add_to_all(scene *s, uint32_t i)
{
    return !mica_add_all(s->world, s->queries[ALL], s->types[i], NULL);
}

static bool add_late(scene *s, uint32_t i)
{
    (void)i;
    return !mica_add_all(s->world, s->queries[BOTH], s->late, NULL);
}

static bool despawn_all(scene *s, uint32_t i)
{
    (void)i;
    return !mica_despawn_all(s->world, s->queries[BOTH], NULL);
}

static bool reclaim(scene *s, uint32_t i)
{
    (void)i;
    return !mica_world_reclaim(s->world);
}

static bool clear(scene *s, uint32_t i)
{
    (void)i;
    return !mica_world_clear(s->world);
}

#define STEP(function, first, times)                                                               \
    {                                                                                              \
        function, #function, first, times                                                          \
    }
static const struct step {
    bool (*run)(scene *s, uint32_t i);
    const char *name;
    uint32_t first, times;
} steps[] = {
    STEP(register_type, 0, TYPES),
    STEP(register_tag, 0, TAGS),
    STEP(register_late, 0, 1),
    STEP(make_query, 0, QUERIES),
    STEP(disable_by_accessor, WIDE, 1), // of nobody
    STEP(make_group, OWNING, 1),        // before anybody is in it
    STEP(make_group, LISTING, 1),
    STEP(spawn, 0, 12),
    STEP(add_hooked, 0, 8),
    STEP(set_wide, 0, 10),
    STEP(sort_group, OWNING, 1),
    STEP(sort_group, LISTING, 1),
    STEP(sort_list_like, 0, TYPES),
    STEP(disable, 0, TYPES),
    STEP(disable_by_accessor, 0, TYPES),
    STEP(clone, 0, 4),
    STEP(iterate, 0, QUERIES),
    STEP(free_group, OWNING, 1),
    STEP(sort, 0, TYPES),
    STEP(sort_like, 0, TYPES),
    STEP(make_group, PARTIAL, 1), // of those that are there
    STEP(sort_group, PARTIAL, 1),
    STEP(change, 0, 6),
    STEP(make_bundle, 0, 1),
    STEP(spawn_many, 0, 1),
    STEP(reserve_bundle, 0, 1),
    STEP(spawn_many, 1, 1),
    STEP(disable_all, 0, TYPES),
    STEP(iterate, 0, QUERIES),
    STEP(enable_all, 0, TYPES),
    STEP(disable, 0, TYPES),
    STEP(disable_by_accessor, 0, TYPES),
    STEP(disable_all, 0, TYPES),
    STEP(enable_all, 0, TYPES),
    STEP(take_hooked, 0, 3),
    STEP(add_all, 0, TYPES),
    STEP(add_late, 0, 1),
    STEP(disable_everybody, 0, TYPES),
    STEP(iterate, 0, QUERIES),
    STEP(remove_all, WIDE, 1),
    STEP(free_group, PARTIAL, 1),
    STEP(free_group, LISTING, 1), // or what is in it stays where it is
    STEP(keep_elsewhere, 0, TYPES),
    STEP(iterate, 0, QUERIES),
    STEP(add_hooked, 0, 4),
    STEP(keep_elsewhere, 0, TYPES),
    STEP(clone, 0, 2),
    STEP(spawn_many, 1, 1),
    STEP(keep_elsewhere, 0, TYPES),
    STEP(make_group, OWNING, 1),
    STEP(despawn_all, 0, 1),
    STEP(reclaim, 0, 1),
    STEP(spawn, 0, 6),
    STEP(clear, 0, 1),
    STEP(reclaim, 0, 1),
    STEP(spawn, 0, 3),
    STEP(spawn_tagged, 0, TAGGED),
    STEP(add_to_all, WIDE, 1),
};

enum { STEPS = sizeof steps / sizeof steps[0] };

// What must stay as it is while nothing succeeds.
static uint64_t fingerprint(scene *s)
{
    uint64_t hash = micai_hash_add(mica_world_hash(s->world), mica_world_digest(s->world));
    for (uint32_t q = 0; q < QUERIES; q++) {
        bool is = !MICA_IS_NONE(s->queries[q]);
        hash = micai_hash_add(hash, is ? mica_query_count(s->world, s->queries[q]) : 0);
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        bool is = !MICA_IS_NONE(s->groups[g]);
        hash = micai_hash_add(hash, is ? test_group_count(s->world, s->groups[g]) : 0);
    }
    return micai_hash_add(hash, s->tracker.alive);
}

static void refuse_all_of(scene *s, const struct step *step, uint32_t i, test_memory_mode mode,
                          uint64_t *refused)
{
    uint64_t before = fingerprint(s);
    for (uint64_t k = 1;; k++) {
        test_memory_fail_at(&s->t.memory, k, mode);
        bool worked = step->run(s, i);
        uint64_t refusals = s->t.memory.refusals;
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        *refused += refusals;
        if (worked) { // there were not as many; or what was refused can be done without
            REQUIRE_EQUAL(0, s->t.error.calls);
            return;
        }
        mica_result code = s->t.error.last.code;
        bool right = refusals > 0 && code == MICA_ERROR_MEMORY &&
                     test_error_clear(&s->t.error) == 1 && !mica_world_validate(s->world) &&
                     fingerprint(s) == before;
        if (!right) {
            test_fail(__FILE__, __LINE__, "%s(%" PRIu32 "), allocation %" PRIu64 ": %s", step->name,
                      i, k, mica_result_name(code));
            test_leave();
        }
    }
}

static uint64_t run(uint32_t mix, test_memory_mode mode)
{
    static scene s;
    memset(&s, 0, sizeof s);
    for (uint32_t t = 0; t < TYPES; t++, mix /= STORAGES) {
        s.kept[t] = &storages[mix % STORAGES];
    }
    s.hooked = s.kept[HOOKED]->storage != MICA_SPLIT;
    tracker_begin(&s.tracker);
    test_world_prepare(&s.t);
    sites_watch(&s.t);
    s.world = test_world_open(&s.t);
    uint64_t refused = 0;
    for (uint32_t n = 0; n < STEPS; n++) {
        for (uint32_t i = 0; i < steps[n].times; i++) {
            micai_world_advance(s.world); // so that a stamp of the failed call would be a new one
            refuse_all_of(&s, &steps[n], steps[n].first + i, mode, &refused);
        }
    }
    test_world_end(&s.t);
    CHECK_TRACKED(&s.tracker, 0);
    return refused;
}

static void run_all(test_memory_mode mode)
{
    for (uint32_t mix = 0; mix < MIXES; mix++) {
        CHECK(run(mix, mode) > 50);
    }
}

static void every_mix_survives_one_refusal(void)
{
    run_all(TEST_MEMORY_ONCE);
}

static void every_mix_survives_refusals_from_there_on(void)
{
    run_all(TEST_MEMORY_ONWARDS);
}

TESTS(mix, every_mix_survives_one_refusal, every_mix_survives_refusals_from_there_on)
