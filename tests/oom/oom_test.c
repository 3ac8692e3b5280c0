// S0.8. A scenario that touches every feature is run again and again, and each time another allocation is
// refused: the k-th, for all k; that one only, or it and all that follow. The step it happens in
// must fail with MICA_ERROR_MEMORY, reported once, and leave the world valid and as it was. Memory is
// then there again: the same step must succeed, and the rest of the scenario must end as if nothing
// had happened, without a leak.
//
// To add a feature: write a step, put it into the list `steps`, and see that what it changes shows
// in fingerprint(). A step is one call of a function that may allocate, `times` of them if it is to
// be repeated; it says whether the call succeeded.
#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "oom/sites.h"
#include "oom/stride.h"
#include "runner/test.h"
#include "runner/world.h"

enum {
    MANY_TYPES = 300, // beyond the 256 that a set holds without memory
    ENTITIES = 120,
    SETS = 4,
    CALLS_MAX = 1024
};

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef enum Mood { SAD = -1, HAPPY = 1 } Mood;

typedef struct Guest {
    Vec2 at;
    Mood mood;
    char name[12];
} Guest;

typedef struct scenario {
    test_world t;
    mica_world *world;
    mica_type tag;
    mica_type vec2;
    mica_type guest;
    mica_type counted; // its values are counted by hooks
    mica_type many[MANY_TYPES];
    mica_type_set sets[SETS];
    mica_entity entities[ENTITIES];
    mica_bundle bundle;
    int64_t counted_alive;
} scenario;

// Are some of the types sparse in the present run?
static bool sparse;

static mica_storage choose(bool wanted)
{
    return sparse && wanted ? MICA_SPARSE : MICA_TABLE;
}

// The steps.

static bool make_world(scenario *s, uint32_t i)
{
    (void)i;
    s->world = s->t.world = mica_world_new(&s->t.desc);
    return s->world != NULL;
}

static bool register_tag(scenario *s, uint32_t i)
{
    (void)i;
    s->tag = MICA_TAG(s->world, Tag);
    return !MICA_IS_NONE(s->tag);
}

static bool register_struct(scenario *s, uint32_t i)
{
    (void)i;
    mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
    desc.default_value = &(Vec2){1, 2};
    desc.storage = choose(true);
    s->vec2 = mica_type_register(s->world, &desc);
    return !MICA_IS_NONE(s->vec2);
}

static bool register_nested(scenario *s, uint32_t i)
{
    (void)i;
    static const mica_enumerator moods[] = {{"sad", SAD}, {"happy", HAPPY}, {0}};
    const mica_field_info fields[] = {MICA_FIELD_STRUCT(Guest, at, s->vec2),
                                      MICA_FIELD_ENUM(Guest, mood, moods), MICA_FIELD(Guest, name)};
    mica_type_desc desc = MICA_DESCRIBE(Guest);
    desc.fields = fields;
    desc.field_count = 3;
    s->guest = mica_type_register(s->world, &desc);
    return !MICA_IS_NONE(s->guest);
}

static mica_result construct(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 7, (size_t)count * context->type->size);
    *(int64_t *)context->user += count;
    return MICA_OK;
}

static void destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0xDD, (size_t)count * context->type->size);
    *(int64_t *)context->user -= count;
}

static mica_result copy(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context)
{
    memcpy(target, source, (size_t)count * context->type->size);
    *(int64_t *)context->user += count;
    return MICA_OK;
}

static bool register_hooked(scenario *s, uint32_t i)
{
    (void)i;
    s->counted = mica_type_register(
        s->world,
        &(mica_type_desc){.name = "Counted",
                          .size = 8,
                          .align = 8,
                          .hooks = {.construct = construct, .destruct = destruct, .copy = copy},
                          .user = &s->counted_alive,
                          .storage = choose(true),
                          .stable = sparse});
    return !MICA_IS_NONE(s->counted);
}

// Tags, plain types, types with fields, types with defaults, with names of all lengths.
static bool register_many(scenario *s, uint32_t i)
{
    char name[200];
    int size = snprintf(name, sizeof name, "Type%" PRIu32 "%*s", i, (int)(i * 7 % 150), "");
    memset(name + 4, '0' + (int)(i % 10), (size_t)size - 4);
    snprintf(name + size, sizeof name - (size_t)size, "%" PRIu32, i);
    static const mica_enumerator words[] = {{"zero", 0}, {"one", 1}, {0}};
    const mica_field_info fields[] = {
        {.name = "word", .kind = MICA_KIND_ENUM, .size = 4, .enumerators = words},
        {.name = "number", .kind = MICA_KIND_U32, .offset = 4}};
    mica_type_desc desc = {.name = name};
    if (i % 4 > 0) {
        desc.size = 8;
        desc.align = 4;
    }
    if (i % 4 > 1) {
        desc.fields = fields;
        desc.field_count = 2;
    }
    if (i % 4 > 2) {
        desc.default_value = "default";
    }
    desc.storage = choose(i % 3 == 1);
    s->many[i] = mica_type_register(s->world, &desc);
    return !MICA_IS_NONE(s->many[i]);
}

static bool register_again(scenario *s, uint32_t i)
{
    (void)i;
    mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
    desc.default_value = &(Vec2){1, 2};
    desc.storage = choose(true);
    return MICA_EQUAL(s->vec2, mica_type_register(s->world, &desc));
}

static bool add_to_set(scenario *s, uint32_t i)
{
    return !mica_type_set_add(s->world, &s->sets[i % 2], s->many[(i + 1) * 37 % MANY_TYPES]);
}

static bool add_list_to_set(scenario *s, uint32_t i)
{
    return !mica_type_set_add_list(s->world, &s->sets[i % 2], &s->many[i * 29], 20);
}

static bool copy_set(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_type_set_copy(s->world, &s->sets[2], &s->sets[0]);
}

static bool unite_sets(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_type_set_union(s->world, &s->sets[3], &s->sets[0], &s->sets[1]);
}

static bool intersect_sets(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_type_set_intersection(s->world, &s->sets[2], &s->sets[2], &s->sets[3]);
}

static bool subtract_sets(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_type_set_difference(s->world, &s->sets[3], &s->sets[3], &s->sets[1]);
}

static bool keep(scenario *s, uint32_t i, mica_entity entity)
{
    if (!MICA_IS_NONE(entity)) {
        s->entities[i] = entity;
    }
    return !MICA_IS_NONE(entity);
}

static bool spawn_empty(scenario *s, uint32_t i)
{
    return keep(s, i, mica_spawn_values(s->world, NULL, 0));
}

static bool despawn(scenario *s, uint32_t i)
{
    return !mica_despawn(s->world, s->entities[3 * i]);
}

static bool spawn_recycled(scenario *s, uint32_t i)
{
    return keep(s, 3 * i, mica_spawn_values(s->world, NULL, 0));
}

static bool spawn_far(scenario *s, uint32_t i)
{
    return keep(s, 40 + i, mica_spawn_at(s->world, mica_entity_make(200 + 50 * i, i)));
}

static bool spawn_out_of_free_list(scenario *s, uint32_t i)
{
    mica_entity old = s->entities[21 + 3 * i];
    mica_entity entity = mica_entity_make(mica_entity_slot(old), mica_entity_generation(old) + 4);
    return keep(s, 21 + 3 * i, mica_spawn_at(s->world, entity));
}

static bool reserve_entities(scenario *s, uint32_t i)
{
    return !mica_entity_reserve(s->world, 20 * (i + 1));
}

static bool spawn_values(scenario *s, uint32_t i)
{
    return keep(s, 50 + i,
                mica_spawn(s->world, MICA_VALUE(s->vec2, Vec2, (float)i, 1), MICA_ADD(s->counted),
                           MICA_ADD(s->many[i % 3])));
}

static bool add(scenario *s, uint32_t i)
{
    return !mica_add(s->world, s->entities[50 + i], s->many[i % 8]);
}

static bool add_types(scenario *s, uint32_t i)
{
    const mica_type types[] = {s->counted, s->tag, s->many[290 + i % 2]};
    return !test_add_types(s->world, s->entities[50 + i], types, 3);
}

static bool set_value(scenario *s, uint32_t i)
{
    const Guest guest = {.at = {3, (float)i}, .mood = HAPPY, .name = "guest"};
    return !mica_set_value(s->world, s->entities[50 + i], s->guest, &guest, sizeof guest);
}

static bool set_values(scenario *s, uint32_t i)
{
    const int64_t number = i;
    return !mica_set(s->world, s->entities[52 + i], MICA_VALUE(s->vec2, Vec2, 5, 6),
                     ((mica_value){s->counted, &number, sizeof number, 1, NULL}),
                     MICA_ADD(s->many[20 + i]));
}

static bool change(scenario *s, uint32_t i)
{
    const mica_value values[] = {MICA_VALUE(s->vec2, Vec2, 8, 9), MICA_ADD(s->many[30 + i])};
    return !mica_change(s->world, s->entities[54 + i], values, 2, &s->counted, 1);
}

static bool remove_one(scenario *s, uint32_t i)
{
    return !mica_remove(s->world, s->entities[56 + i], s->vec2);
}

static bool remove_types(scenario *s, uint32_t i)
{
    const mica_type types[] = {s->tag, s->guest};
    return !mica_change(s->world, s->entities[50 + i], NULL, 0, types, 2);
}

static bool change_sets(scenario *s, uint32_t i)
{
    mica_type_set gone = {0};
    bool right = !mica_type_set_add_list(s->world, &gone, (const mica_type[]){s->tag, s->vec2}, 2);
    return right && !mica_change_sets(s->world, s->entities[50 + i], &s->sets[i % 2], &gone);
}

static bool clone(scenario *s, uint32_t i)
{
    return keep(s, 70 + i, mica_clone(s->world, s->entities[50 + i]));
}

static bool make_bundle(scenario *s, uint32_t i)
{
    (void)i;
    const mica_type types[] = {s->vec2, s->counted, s->many[299]};
    s->bundle = mica_bundle_new(s->world, types, 3);
    return s->bundle.bits != 0;
}

static bool reserve_bundle(scenario *s, uint32_t i)
{
    return !mica_bundle_reserve(s->world, s->bundle, 10 * (i + 1));
}

static bool spawn_bundle(scenario *s, uint32_t i)
{
    const Vec2 at = {(float)i, 0};
    const mica_value values[] = {MICA_COPY_OF(s->vec2, at), MICA_ADD(s->counted),
                                 MICA_ADD(s->many[299])};
    return keep(s, 80 + i, mica_spawn_bundle(s->world, s->bundle, values, 3));
}

static bool spawn_many(scenario *s, uint32_t i)
{
    return !mica_spawn_many(s->world, s->bundle, 10, NULL, 0, &s->entities[90 + 10 * i]);
}

static bool set_name(scenario *s, uint32_t i)
{
    char name[16];
    snprintf(name, sizeof name, "entity %" PRIu32, i);
    return !mica_entity_set_name(s->world, s->entities[50 + i], name);
}

static bool get_types(scenario *s, uint32_t i)
{
    return !mica_entity_types(s->world, s->entities[90 + i], &s->sets[i % SETS]);
}

static bool despawn_many(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_despawn_many(s->world, &s->entities[85], 10);
}

static bool free_bundle(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_bundle_free(s->world, s->bundle);
}

static bool reclaim(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_world_reclaim(s->world);
}

static bool clear(scenario *s, uint32_t i)
{
    (void)i;
    return !mica_world_clear(s->world);
}

typedef struct step {
    bool (*run)(scenario *s, uint32_t i);
    const char *name;
    uint32_t times;
} step;

#define STEP(function, times)                                                                      \
    {                                                                                              \
        function, #function, times                                                                 \
    }
static const step steps[] = {
    STEP(make_world, 1),
    STEP(register_tag, 1),
    STEP(register_struct, 1),
    STEP(register_nested, 1),
    STEP(register_hooked, 1),
    STEP(register_many, MANY_TYPES),
    STEP(register_again, 3),
    STEP(add_to_set, 30),
    STEP(add_list_to_set, 4),
    STEP(copy_set, 1),
    STEP(unite_sets, 1),
    STEP(intersect_sets, 1),
    STEP(subtract_sets, 1),
    STEP(spawn_empty, 40),
    STEP(despawn, 12),
    STEP(spawn_recycled, 3),
    STEP(spawn_out_of_free_list, 2),
    STEP(spawn_far, 5),
    STEP(reserve_entities, 3),
    STEP(spawn_values, 20),
    STEP(add, 10),
    STEP(add_types, 10),
    STEP(set_value, 10),
    STEP(set_values, 6),
    STEP(change, 6),
    STEP(remove_one, 6),
    STEP(remove_types, 6),
    STEP(change_sets, 3),
    STEP(clone, 10),
    STEP(make_bundle, 1),
    STEP(reserve_bundle, 2),
    STEP(spawn_bundle, 10),
    STEP(spawn_many, 3),
    STEP(set_name, 10),
    STEP(get_types, 8),
    STEP(despawn_many, 1),
    STEP(free_bundle, 1),
    STEP(reclaim, 1),
    STEP(spawn_empty, 20),
    STEP(clear, 1),
    STEP(spawn_values, 10),
};
enum { STEPS = sizeof steps / sizeof steps[0] };

// What can be seen of the world, by means that give the same number in every run: no addresses, and
// types by their place instead of their handle.

static uint64_t add_text(uint64_t hash, const char *text)
{
    return micai_hash_add(hash, micai_hash_text(text));
}

static uint64_t add_fields(uint64_t hash, const mica_type_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        hash = add_text(hash, field->name);
        hash = micai_hash_add(hash, (uint64_t)field->kind << 32 | field->offset);
        hash = micai_hash_add(hash, (uint64_t)field->size << 32 | field->count);
        for (const mica_enumerator *e = field->enumerators; e && e->name; e++) {
            hash = micai_hash_add(add_text(hash, e->name), (uint64_t)e->value);
        }
    }
    return hash;
}

static uint64_t add_types_of(uint64_t hash, mica_world *world)
{
    hash = micai_hash_add(hash, test_type_count(world));
    for (mica_type type = mica_type_next(world, (mica_type){0}); !MICA_IS_NONE(type);
         type = mica_type_next(world, type)) {
        const mica_type_info *info = mica_type_get_info(world, type);
        hash = add_text(hash, info->name);
        hash = micai_hash_add(hash, (uint64_t)info->size << 32 | info->align);
        hash = add_fields(hash, info);
        if (info->default_value) {
            hash = micai_hash_add(hash, micai_hash_bytes(info->default_value, info->size));
        }
        hash = micai_hash_add(hash, MICA_EQUAL(type, mica_type_find(world, info->name)));
    }
    return hash;
}

static uint64_t add_entities_of(uint64_t hash, mica_world *world)
{
    hash = micai_hash_add(hash, mica_entity_count(world));
    for (mica_entity entity = mica_entity_next(world, (mica_entity){0}); !MICA_IS_NONE(entity);
         entity = mica_entity_next(world, entity)) {
        hash = micai_hash_add(hash, entity.bits);
    }
    hash = micai_hash_add(hash, mica_world_hash(world));
    return micai_hash_add(hash, mica_world_digest(world));
}

static uint64_t add_sets_of(uint64_t hash, scenario *s)
{
    for (uint32_t i = 0; i < SETS; i++) {
        hash = micai_hash_add(hash, mica_type_set_count(&s->sets[i]));
        hash = micai_hash_add(hash, mica_type_set_column_count(s->world, &s->sets[i]));
        for (mica_type type = mica_type_set_next(s->world, &s->sets[i], (mica_type){0});
             !MICA_IS_NONE(type); type = mica_type_set_next(s->world, &s->sets[i], type)) {
            hash = add_text(hash, mica_type_get_info(s->world, type)->name);
        }
    }
    return hash;
}

static uint64_t fingerprint(scenario *s)
{
    uint64_t hash = micai_hash_add(0, (uint64_t)s->counted_alive);
    if (s->world == NULL) {
        return hash;
    }
    hash = add_types_of(hash, s->world);
    hash = add_entities_of(hash, s->world);
    return add_sets_of(hash, s);
}

// Running it.

static void begin(scenario *s)
{
    memset(s, 0, sizeof *s);
    test_world_prepare(&s->t);
    sites_watch(&s->t);
}

static void end(scenario *s)
{
    for (uint32_t i = 0; s->world && i < SETS; i++) {
        mica_type_set_free(s->world, &s->sets[i]);
    }
    test_world_end(&s->t);
    CHECK_EQUAL(0, s->counted_alive);
}

// The run in which nothing is refused: what the world looks like before each call, and at the end.
typedef struct reference {
    uint64_t before[CALLS_MAX + 1];
    uint32_t calls;
    uint64_t allocations;
} reference;

static void run_undisturbed(reference *expected)
{
    static scenario s;
    begin(&s);
    expected->calls = 0;
    for (uint32_t n = 0; n < STEPS; n++) {
        for (uint32_t i = 0; i < steps[n].times; i++) {
            REQUIRE(expected->calls < CALLS_MAX);
            expected->before[expected->calls++] = fingerprint(&s);
            if (!steps[n].run(&s, i)) {
                test_fail(__FILE__, __LINE__, "step %s fails: %s", steps[n].name,
                          s.t.error.last.sentence);
                test_leave();
            }
        }
    }
    expected->before[expected->calls] = fingerprint(&s);
    expected->allocations = s.t.memory.allocations;
    CHECK_EQUAL(0, s.t.error.calls);
    end(&s);
}

// Allocation `which` was refused in this call, which may have coped or not.
static void check_refused_call(scenario *s, const step *at, uint32_t i, uint64_t which, bool worked,
                               const reference *expected, uint32_t call)
{
    // Looking at the world may need memory too.
    test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
    const char *wrong = NULL;
    if (worked) {
        wrong = "succeeded nevertheless";
    } else if (s->t.error.calls != 1 || s->t.error.last.code != MICA_ERROR_MEMORY) {
        wrong = "did not report MICA_ERROR_MEMORY, and that once";
    } else if (!test_error_names_call(&s->t.error)) {
        wrong = "does not say which call has failed";
    } else if (s->world != NULL && mica_world_validate(s->world)) {
        wrong = "left the world invalid";
    } else if (fingerprint(s) != expected->before[call]) {
        wrong = "left the world changed";
    }
    if (wrong == NULL) {
        test_error_clear(&s->t.error);
        if (!at->run(s, i)) {
            wrong = "failed again";
        } else if (fingerprint(s) != expected->before[call + 1]) {
            wrong = "came to another result";
        }
    }
    if (wrong != NULL) {
        test_fail(__FILE__, __LINE__, "allocation %" PRIu64 ", %s(%" PRIu32 ") %s: %s", which,
                  at->name, i, wrong, s->t.error.last.sentence);
        test_leave();
    }
}

static void run_with_refusal(const reference *expected, uint64_t which, test_memory_mode mode)
{
    static scenario s;
    begin(&s);
    test_memory_fail_at(&s.t.memory, which, mode);
    uint32_t call = 0;
    bool refused = false;
    for (uint32_t n = 0; n < STEPS; n++) {
        for (uint32_t i = 0; i < steps[n].times; i++, call++) {
            bool worked = steps[n].run(&s, i);
            if (!refused && s.t.memory.refusals > 0) {
                refused = true;
                check_refused_call(&s, &steps[n], i, which, worked, expected, call);
            } else {
                REQUIRE(worked);
            }
        }
    }
    REQUIRE(refused);
    REQUIRE_EQUAL(expected->before[expected->calls], fingerprint(&s));
    end(&s);
}

static void sweep(test_memory_mode mode, const char *name)
{
    static reference expected;
    for (uint32_t round = 0; round < 2; round++) {
        sparse = round == 1;
        run_undisturbed(&expected);
        REQUIRE(expected.allocations > 0);
        for (uint64_t which = oom_first(); which <= expected.allocations; which += oom_stride()) {
            run_with_refusal(&expected, which, mode);
        }
        printf("oom: %" PRIu64 " allocations in %" PRIu32 " calls%s, each refused %s\n",
               expected.allocations, expected.calls, sparse ? ", some types sparse" : "", name);
    }
    sparse = false;
}

static void one_refused_allocation_changes_nothing(void)
{
    sweep(TEST_MEMORY_ONCE, "once");
}

static void running_out_of_memory_changes_nothing(void)
{
    sweep(TEST_MEMORY_ONWARDS, "with all that follow");
}

static void the_scenario_runs_alike_each_time(void)
{
    static reference first;
    static reference second;
    run_undisturbed(&first);
    run_undisturbed(&second);
    CHECK_EQUAL(first.allocations, second.allocations);
    CHECK_BYTES(first.before, second.before, (first.calls + 1) * sizeof first.before[0]);
}

TESTS(oom, the_scenario_runs_alike_each_time, one_refused_allocation_changes_nothing,
      running_out_of_memory_changes_nothing)
