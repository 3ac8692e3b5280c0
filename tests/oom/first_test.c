// Calls that need memory at a place where, in a longer scenario, there is some left from earlier calls:
// as a rule a block of an arena. Each is made in a world of its own, once for every allocation it makes, which is
// refused; it must fail with MICA_ERROR_MEMORY, reported once, and change nothing. The same call must
// then succeed.
//
// To add a call: write it, with what must be there before, and put it into the list `calls`.
#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "core/field_strip.h"
#include "oom/sites.h"
#include "runner/test.h"
#include "state/state.h"

enum {
    MANY = 400,
    CROWD = 1500,
    FULL = 1024,
    ROWS = 3000,
    FIELDS = 120,
    ENUMERATORS = 600,
    LARGE = 64 * 1024,
    PIECES = 60,
    NAME = 250,
    SLOTS = 4096 // in a page
};

typedef struct scenario {
    test_world t;
    mica_world *world;
    mica_world *face; // a buffer of commands
    mica_type hooked; // values with a copy hook
    mica_type large;  // the same, of many bytes
    mica_type many[MANY];
    mica_entity entity;
    mica_bundle bundle;
    mica_query query;
} scenario;

static unsigned char large_value[LARGE];

static mica_result copy_bytes(void *target, const void *source, uint32_t count,
                              const mica_hook_context *context)
{
    memcpy(target, source, (size_t)count * context->type->size);
    return MICA_OK;
}

static mica_storage storage; // of both types, in the present run

// What is there before: an entity with both types, and nothing that took scratch memory.
static void prepare(scenario *s)
{
    mica_type_desc desc = {.name = "Hooked",
                           .size = 16,
                           .align = 8,
                           .hooks = {.copy = copy_bytes},
                           .storage = storage};
    s->hooked = mica_type_register(s->world, &desc);
    desc.name = "Large";
    desc.size = LARGE;
    s->large = mica_type_register(s->world, &desc);
    const mica_type both[] = {s->hooked, s->large};
    mica_spawn_many(s->world, mica_bundle_new(s->world, both, 2), 1, NULL, 0, &s->entity);
    s->bundle = mica_bundle_new(s->world, &s->hooked, 1);
    s->query = mica_query_new(s->world, &(mica_query_desc){.terms = {{s->hooked, MICA_READ}}});
}

static void prepare_many(scenario *s)
{
    prepare(s);
    for (uint32_t i = 0; i < MANY; i++) {
        char name[24];
        snprintf(name, sizeof name, "Many%" PRIu32, i);
        s->many[i] = mica_type_register(s->world, &(mica_type_desc){.name = name});
    }
}

// So many types that a list of them needs a block.
static void prepare_crowd(scenario *s)
{
    prepare(s);
    for (uint32_t i = 0; i < CROWD; i++) {
        char name[24];
        snprintf(name, sizeof name, "Crowd%" PRIu32, i);
        mica_type_register(s->world, &(mica_type_desc){.name = name});
    }
}

// Room for a bundle, and as many types as there is scratch memory for.
static void prepare_full(scenario *s)
{
    prepare(s);
    mica_bundle_reserve(s->world, s->bundle, 100);
    while (test_type_count(s->world) < FULL) {
        char name[24];
        snprintf(name, sizeof name, "Full%" PRIu32, test_type_count(s->world));
        mica_type_register(s->world, &(mica_type_desc){.name = name});
    }
}

// Rows of which most have gone, in sheets that were made together.
static void prepare_rest(scenario *s)
{
    static mica_entity entities[ROWS];
    prepare(s);
    mica_spawn_many(s->world, s->bundle, ROWS, NULL, 0, entities);
    mica_despawn_many(s->world, entities + ROWS / 2, ROWS - ROWS / 2);
}

// Two values that are nowhere whole, and put together for whoever wants to see both. With a hook, so that a clone is not
// merely a copy of its row.
static void prepare_split(scenario *s)
{
    prepare(s);
    const mica_field_info field = {.name = "bytes", .kind = MICA_KIND_U8, .count = LARGE};
    mica_type_desc desc = {
        .name = "Left", .size = LARGE, .align = 1, .fields = &field, .field_count = 1};
    desc.storage = MICA_SPLIT;
    mica_type left = mica_type_register(s->world, &desc);
    desc.name = "Right";
    mica_type right = mica_type_register(s->world, &desc);
    s->entity = mica_spawn(s->world, MICA_ADD(left), MICA_ADD(right), MICA_ADD(s->hooked));
    s->t.error.blind = true; // who looks needs that memory, too
}

// So many types that the present block of their arena has room for `least` bytes, and not for `most`.
static void fill_block(scenario *s, size_t least, size_t most)
{
    const micai_arena *arena = &s->world->state->registry.arena;
    size_t rest = 0;
    for (uint32_t i = 0; i < FULL && (rest < least || rest >= most); i++) {
        char name[40];
        snprintf(name, sizeof name, "Fill%0*" PRIu32, (int)(i % 24), i); // of many lengths
        mica_type_register(s->world, &(mica_type_desc){.name = name});
        rest = arena->current->size - arena->used;
    }
    CHECK(rest >= least);
}

// Room for one more, but not for a long name.
static void prepare_name(scenario *s)
{
    fill_block(s, sizeof(micai_type) + 16, sizeof(micai_type) + NAME);
}

// A type that is split.
static bool register_split(mica_world *world, const char *type)
{
    char names[PIECES][4];
    mica_field_info fields[PIECES];
    for (uint32_t i = 0; i < PIECES; i++) {
        snprintf(names[i], sizeof names[i], "%" PRIu32, i);
        fields[i] = (mica_field_info){.name = names[i], .kind = MICA_KIND_U8, .offset = i};
    }
    mica_type_desc desc = {
        .name = type, .size = PIECES, .align = 1, .fields = fields, .field_count = PIECES};
    desc.storage = MICA_SPLIT;
    return !MICA_IS_NONE(mica_type_register(world, &desc));
}

// Room for all of another, but for its pieces.
static void prepare_pieces(scenario *s)
{
    const micai_arena *arena = &s->world->state->registry.arena;
    fill_block(s, 8192, SIZE_MAX);
    size_t before = arena->used;
    register_split(s->world, "Left");
    size_t size = arena->used - before;
    fill_block(s, size - PIECES * sizeof(micai_field_strip) + 16, size);
}

// A buffer into which nothing was recorded yet; where no slot is free; with values for an entity to be, and
// with changes of one, more than there is room for beside the usual.
static void prepare_buffer(scenario *s)
{
    prepare_many(s);
    s->face = mica_commands_new(s->world);
}

static void prepare_slots(scenario *s)
{
    prepare_buffer(s);
    mica_add(s->face, s->entity, s->many[0]); // so that there is room for commands
    while (mica_entity_count(s->world) < SLOTS) {
        mica_spawn_values(s->world, NULL, 0);
    }
}

static void list_many(const scenario *s, mica_value *values_out)
{
    for (uint32_t i = 0; i < MANY; i++) {
        values_out[i] = MICA_ADD(s->many[i]);
    }
}

static void prepare_spawn(scenario *s)
{
    mica_value values[MANY];
    prepare_buffer(s);
    list_many(s, values);
    mica_spawn_values(s->face, values, MANY);
}

static void prepare_facet(scenario *s)
{
    mica_value values[MANY];
    prepare_buffer(s);
    list_many(s, values);
    mica_facet_add_values(s->face, s->entity, s->hooked, 1, values, MANY);
}

static void prepare_chain(scenario *s)
{
    prepare_buffer(s);
    test_add_types(s->face, s->entity, s->many, MANY);
}

static void prepare_nothing(scenario *s)
{
    (void)s;
}

// The calls

static bool register_fields(scenario *s)
{
    char names[FIELDS][128];
    mica_field_info fields[FIELDS];
    for (uint32_t i = 0; i < FIELDS; i++) {
        snprintf(names[i], sizeof names[i], "%0100" PRIu32, i);
        fields[i] = (mica_field_info){.name = names[i], .kind = MICA_KIND_U8, .offset = i};
    }
    mica_type_desc desc = {
        .name = "Fields", .size = FIELDS, .align = 1, .fields = fields, .field_count = FIELDS};
    return !MICA_IS_NONE(mica_type_register(s->world, &desc));
}

static bool register_enumerators(scenario *s)
{
    mica_enumerator names[ENUMERATORS + 1] = {0};
    for (uint32_t i = 0; i < ENUMERATORS; i++) {
        names[i] = (mica_enumerator){"an enumerator", i};
    }
    mica_field_info field = {.name = "f", .kind = MICA_KIND_ENUM, .size = 4, .enumerators = names};
    mica_type_desc desc = {
        .name = "Enum", .size = 4, .align = 4, .fields = &field, .field_count = 1};
    return !MICA_IS_NONE(mica_type_register(s->world, &desc));
}

static bool register_default(scenario *s)
{
    mica_type_desc desc = {.name = "Default", .size = LARGE, .align = 64};
    desc.default_value = large_value;
    return !MICA_IS_NONE(mica_type_register(s->world, &desc));
}

static bool register_name(scenario *s)
{
    char name[NAME + 1];
    memset(name, 'n', NAME);
    name[NAME] = '\0';
    return !MICA_IS_NONE(mica_type_register(s->world, &(mica_type_desc){.name = name}));
}

static bool register_pieces(scenario *s)
{
    return register_split(s->world, "Right");
}

static bool keep_elsewhere(scenario *s)
{
    mica_storage other = storage == MICA_TABLE ? MICA_SPARSE : MICA_TABLE;
    return !mica_type_change_storage(s->world, s->hooked, other);
}

static bool make_buffer(scenario *s)
{
    return mica_commands_new(s->world) != NULL;
}

static void do_nothing(mica_world *world, const void *data)
{
    (void)world, (void)data;
}

static bool record_call(scenario *s)
{
    return !mica_defer_call(s->face, do_nothing, large_value, 16);
}

static bool record_facet(scenario *s)
{
    return !MICA_IS_NONE(mica_facet_add_values(s->face, s->entity, (mica_type){0}, 1, NULL, 0));
}

static bool record_clone(scenario *s)
{
    return !MICA_IS_NONE(mica_clone(s->face, s->entity));
}

static bool record_spawn(scenario *s)
{
    return !MICA_IS_NONE(mica_spawn_values(s->face, NULL, 0));
}

static bool apply(scenario *s)
{
    return !mica_commands_apply(s->face);
}

static bool spawn_values(scenario *s)
{
    return !MICA_IS_NONE(mica_spawn(s->world, MICA_ADD(s->hooked)));
}

static bool spawn_bundle(scenario *s)
{
    return !MICA_IS_NONE(mica_spawn_bundle(s->world, s->bundle, NULL, 0));
}

static bool set_value(scenario *s)
{
    return !mica_set_value(s->world, s->entity, s->hooked, large_value, 16);
}

static bool set_large(scenario *s)
{
    const mica_value values[] = {{s->hooked, large_value, 16, 1, NULL},
                                 {s->large, large_value, LARGE, 1, NULL}};
    return !mica_set_values(s->world, s->entity, values, 2);
}

static bool set_many(scenario *s)
{
    mica_value values[MANY];
    list_many(s, values);
    return !mica_set_values(s->world, s->entity, values, MANY);
}

static bool add_many(scenario *s)
{
    return !test_add_types(s->world, s->entity, s->many, MANY);
}

static bool query_set(scenario *s)
{
    return !mica_set_all(s->world, s->query, s->large, large_value, LARGE, NULL);
}

static bool reserve_bundle(scenario *s)
{
    return !mica_bundle_reserve(s->world, s->bundle, 100);
}

static bool register_one_more(scenario *s)
{
    return !MICA_IS_NONE(mica_type_register(s->world, &(mica_type_desc){.name = "One more"}));
}

static bool spawn_twice(scenario *s)
{
    return !MICA_IS_NONE(
        mica_spawn(s->world, MICA_ADD(s->hooked), MICA_ADD(s->large), MICA_ADD(s->hooked)));
}

static bool clone(scenario *s)
{
    return !MICA_IS_NONE(mica_clone(s->world, s->entity));
}

static bool reclaim(scenario *s)
{
    return !mica_world_reclaim(s->world);
}

typedef struct call {
    const char *name;
    void (*prepare)(scenario *s);
    bool (*run)(scenario *s);
} call;

// clang-format off
#define CALL(function, prepare) {#function, prepare, function}
static const call calls[] = {
    CALL(register_fields, prepare_nothing), CALL(register_enumerators, prepare_nothing),
    CALL(register_default, prepare_nothing), CALL(register_name, prepare_name),
    CALL(register_pieces, prepare_pieces), CALL(keep_elsewhere, prepare),
    CALL(make_buffer, prepare), CALL(record_call, prepare_buffer), CALL(record_facet, prepare_buffer),
    CALL(record_clone, prepare_slots), CALL(record_spawn, prepare_slots),
    CALL(apply, prepare_spawn), CALL(apply, prepare_facet), CALL(apply, prepare_chain),
    CALL(spawn_values, prepare), CALL(spawn_bundle, prepare),  CALL(set_value, prepare),
    CALL(set_large, prepare),    CALL(set_many, prepare_many), CALL(add_many, prepare_many),
    CALL(query_set, prepare),    CALL(reserve_bundle, prepare), CALL(spawn_twice, prepare_crowd),
    CALL(reclaim, prepare_rest), CALL(register_one_more, prepare_full), CALL(clone, prepare_split),
};
// clang-format on

static uint64_t fingerprint(const scenario *s)
{
    uint64_t hash = micai_hash_add(mica_world_hash(s->world), mica_world_digest(s->world));
    return micai_hash_add(hash, test_type_count(s->world));
}

// Whether the call got to so many allocations.
static bool refuse(const call *at, uint64_t which, test_memory_mode mode)
{
    static scenario s;
    memset(&s, 0, sizeof s);
    test_world_prepare(&s.t);
    sites_watch(&s.t);
    s.world = test_world_open(&s.t);
    at->prepare(&s);
    uint64_t before = fingerprint(&s);
    uint32_t single = s.world->state->slots.slabs.single;
    test_memory_fail_at(&s.t.memory, which, mode);
    bool worked = at->run(&s);
    bool reached = s.t.memory.refusals > 0;
    // A slab that is refused is done without: a page is a block of its own then.
    bool refused = reached && !(worked && s.world->state->slots.slabs.single > single);
    test_memory_fail_at(&s.t.memory, 0, mode);
    const char *wrong = NULL;
    if (worked == refused) {
        wrong = refused ? "succeeded nevertheless" : "failed";
    } else if (refused && (s.t.error.calls != 1 || s.t.error.last.code != MICA_ERROR_MEMORY)) {
        wrong = "did not report MICA_ERROR_MEMORY, and that once";
    } else if (refused && !test_error_names_call(&s.t.error)) {
        wrong = "does not say which call has failed";
    } else if (mica_world_validate(s.world)) {
        wrong = "left the world invalid";
    } else if (refused && fingerprint(&s) != before) {
        wrong = "left the world changed";
    } else if (refused && (test_error_clear(&s.t.error), !at->run(&s))) {
        wrong = "failed again";
    }
    if (wrong) {
        test_fail(__FILE__, __LINE__, "allocation %" PRIu64 ", %s %s: %s", which, at->name, wrong,
                  s.t.error.last.sentence);
        test_leave();
    }
    test_world_end(&s.t);
    return reached;
}

static void sweep_storage(test_memory_mode mode)
{
    uint64_t allocations = 0;
    for (uint32_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        uint64_t which = 1;
        while (refuse(&calls[i], which, mode)) {
            which++;
        }
        if (which == 1) {
            test_fail(__FILE__, __LINE__, "%s needs no memory", calls[i].name);
        }
        allocations += which - 1;
    }
    printf("oom: %" PRIu64 " allocations in first calls%s, each refused %s\n", allocations,
           storage == MICA_SPARSE ? ", with sparse types" : "",
           mode == TEST_MEMORY_ONCE ? "once" : "with all that follow");
}

static void sweep(test_memory_mode mode)
{
    storage = MICA_SPARSE;
    sweep_storage(mode);
    storage = MICA_TABLE;
    sweep_storage(mode);
}

static void one_refused_block_of_an_arena_undoes_the_whole_call(void)
{
    sweep(TEST_MEMORY_ONCE);
}

static void no_more_blocks_for_an_arena_undo_the_whole_call(void)
{
    sweep(TEST_MEMORY_ONWARDS);
}

TESTS(first, one_refused_block_of_an_arena_undoes_the_whole_call,
      no_more_blocks_for_an_arena_undo_the_whole_call)
