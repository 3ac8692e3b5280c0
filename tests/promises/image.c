// What mica/image.h promises.
#include "promise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/folder.h"

typedef struct Place {
    float x, y;
} Place;

typedef struct Link {
    mica_entity to;
} Link;

// Of which only the first is a field.
typedef struct Partial {
    uint32_t kept;
    uint32_t lost;
} Partial;

static const Partial usual = {1, 77};

static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
static const mica_image_format formats[] = {MICA_IMAGE_BINARY, MICA_IMAGE_JSON};

// All that can be reported apart of a world.
static uint64_t state_of(mica_world *world)
{
    mica_world_stats stats = mica_world_get_stats(world);
    return mica_world_digest(world) * 31 + mica_world_hash(world) * 17 + stats.types * 13 +
           stats.tables;
}

// A call has failed so, and the world is as it was.
static void check_refused(test_world *t, uint64_t before, mica_result expected, mica_result result)
{
    CHECK_EQUAL(expected, result);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK_EQUAL(before, state_of(t->world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(t->world));
}

static void save(mica_world *world, mica_image_format format, mica_buffer *image)
{
    REQUIRE_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = image},
                                           &(mica_save_desc){.format = format}));
}

static mica_result load(mica_world *world, mica_buffer *image)
{
    return mica_world_load(world, &(mica_stream){.buffer = image}, NULL);
}

static mica_type register_place(mica_world *world, mica_storage storage)
{
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.storage = storage;
    return mica_type_register(world, &desc);
}

static mica_type register_partial(mica_world *world, mica_storage storage)
{
    mica_type_desc desc = MICA_DESCRIBE(Partial, kept);
    desc.storage = storage;
    desc.default_value = &usual;
    desc.saved = true;
    return mica_type_register(world, &desc);
}

// A type of one field, which is called as if it was another's.
static mica_type register_field(mica_world *world, mica_kind kind, uint32_t size, uint32_t count)
{
    const mica_field_info field = {.name = "value", .kind = kind, .count = count};
    return mica_type_register(world, &(mica_type_desc){.name = "Number",
                                                       .size = size,
                                                       .align = size < 8 ? size : 8,
                                                       .fields = &field,
                                                       .field_count = 1});
}

static mica_query query_of(mica_world *world, mica_type type)
{
    return mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_WITH}}});
}

// Boxes are saved and loaded by hooks.

typedef struct Box {
    uint32_t number;
} Box;

static bool box_fails;
static size_t box_weight; // bytes that are saved with each
static size_t box_needs;  // bytes that loading one takes for a while
static uint32_t boxes_ended;

static mica_result save_box(const void *value, mica_put *put, void *out,
                            const mica_hook_context *context)
{
    static const char nothing[1 << 16];
    (void)context;
    put(out, value, sizeof(Box));
    for (size_t left = box_weight; left > 0;) {
        size_t size = left < sizeof nothing ? left : sizeof nothing;
        put(out, nothing, size);
        left -= size;
    }
    return box_fails ? MICA_ERROR_ARGUMENT : MICA_OK;
}

static mica_result load_box(void *target, const void *data, size_t size,
                            const mica_hook_context *context)
{
    (void)size;
    memcpy(target, data, sizeof(Box));
    if (box_needs > 0) {
        const mica_allocator *allocator = context->allocator;
        void *block = allocator->resize(allocator->user, NULL, 0, box_needs, 1);
        allocator->resize(allocator->user, block, box_needs, 0, 1);
    }
    return box_fails ? MICA_ERROR_ARGUMENT : MICA_OK;
}

static void end_box(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)context;
    boxes_ended += count;
}

static mica_type register_box(mica_world *world, mica_storage storage)
{
    box_fails = false;
    box_weight = 0;
    return mica_type_register(
        world,
        &(mica_type_desc){.name = "Box",
                          .size = sizeof(Box),
                          .align = _Alignof(Box),
                          .storage = storage,
                          .saved = true,
                          .hooks = {.destruct = end_box, .save = save_box, .load = load_box}});
}

// Functions that write

static bool swallow(void *user, const void *data, size_t size)
{
    (void)data;
    *(size_t *)user += size;
    return true;
}

static bool refuse(void *user, const void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return false;
}

static size_t cannot_read(void *user, void *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return MICA_STREAM_FAILED;
}

typedef struct reading {
    const mica_buffer *image;
    size_t at;
} reading;

static size_t read_on(void *user, void *data, size_t size)
{
    reading *r = user;
    size_t left = r->image->size - r->at;
    size_t given = size < left ? size : left;
    memcpy(data, r->image->data + r->at, given);
    r->at += given;
    return given;
}

// What is tried from inside of something.
typedef struct inside {
    mica_world *world;
    mica_query query;
    mica_buffer *image;
    mica_result results[4];
} inside;

static void try_all(inside *in)
{
    mica_buffer none = {0};
    in->results[0] = mica_world_save(in->world, &(mica_stream){.buffer = &none}, NULL);
    in->results[1] = load(in->world, in->image);
    in->results[2] =
        mica_subset_save(in->world, in->query, &(mica_stream){.buffer = &none}, NULL, NULL);
    in->results[3] =
        mica_subset_load(in->world, &(mica_stream){.buffer = in->image}, NULL, NULL, 0, NULL);
    mica_buffer_free(&none);
}

static bool try_in_stream(void *user, const void *data, size_t size)
{
    (void)data, (void)size;
    try_all(user);
    return true;
}

static void try_in_system(mica_iter *it)
{
    try_all(it->user);
}

static void try_in_observer(const mica_observer_event *h)
{
    try_all(h->user);
}

static inside *hooked;

static mica_result try_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)context;
    memset(target, 0, count * sizeof(Place));
    try_all(hooked);
    return MICA_OK;
}

// All four are refused so, wherever they are called from.
static void check_inside(test_world *t, const inside *in, mica_result expected)
{
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQUAL(expected, in->results[i]);
    }
    test_error_clear(&t->error);
}

TEST_WITH(test_world, t, check_all_refused_inside)
{
    mica_world *world = t->world;
    mica_buffer image = {0};
    mica_type place = register_place(world, MICA_TABLE);
    mica_type made = mica_type_register(world, &(mica_type_desc){.name = "Made",
                                                                 .size = sizeof(Place),
                                                                 .align = _Alignof(Place),
                                                                 .plain = true,
                                                                 .hooks.construct = try_in_hook});
    save(world, MICA_IMAGE_BINARY, &image);
    mica_spawn(world, MICA_ADD(place));
    inside in = {world, query_of(world, place), &image, {MICA_OK}};
    mica_iter it;
    uint64_t before = state_of(world);

    mica_iter_begin(world, in.query, &it);
    try_all(&in);
    check_inside(t, &in, MICA_ERROR_ITERATING);
    mica_iter_end(&it);
    CHECK_EQUAL(before, state_of(world));

    mica_world *commands = mica_commands_new(world);
    mica_spawn_values(commands, NULL, 0);
    try_all(&in);
    check_inside(t, &in, MICA_ERROR_ITERATING);
    mica_commands_discard(commands);
    mica_commands_free(commands);

    // A function of a stream
    before = state_of(world);
    CHECK_EQUAL(MICA_OK,
                mica_world_save(world, &(mica_stream){.write = try_in_stream, .user = &in}, NULL));
    check_inside(t, &in, MICA_ERROR_HANDLER);
    CHECK_EQUAL(before, state_of(world));

    // A system, with a query or without; an observer; a hook
    mica_system_add(world, &(mica_system_desc){.name = "with",
                                               .query.terms = {{place, MICA_READ}},
                                               .update = try_in_system,
                                               .user = &in});
    mica_step(world, 0);
    check_inside(t, &in, MICA_ERROR_ITERATING);
    mica_system_remove(world, mica_system_find(world, "with"));
    mica_system_add(world,
                    &(mica_system_desc){.name = "none", .update = try_in_system, .user = &in});
    mica_step(world, 0);
    check_inside(t, &in, MICA_ERROR_ITERATING);
    mica_system_remove(world, mica_system_find(world, "none"));
    mica_observer_new(
        world, &(mica_observer_desc){
                   .type = place, .events = MICA_ON_ADD, .call = try_in_observer, .user = &in});
    mica_spawn(world, MICA_ADD(place));
    check_inside(t, &in, MICA_ERROR_ITERATING);
    hooked = &in;
    mica_spawn(world, MICA_ADD(made));
    check_inside(t, &in, MICA_ERROR_HOOK);
    CHECK_EQUAL(3, mica_entity_count(world));
    mica_buffer_free(&image);
}

// How much memory was needed beside what there is now.
static size_t beside(test_world *t, size_t before)
{
    return t->memory.peak_bytes - before;
}

static size_t forget_peak(test_world *t)
{
    t->memory.peak_bytes = t->memory.bytes;
    return t->memory.bytes;
}

PROMISE(mica_world_save)
{
    // [save.stream]
    test_world t, u;
    test_folder folder;
    test_folder_begin(&folder);
    mica_world *world = test_world_begin(&t);
    mica_world *other = test_world_begin(&u);
    mica_buffer image = {0};
    mica_type place = register_place(world, MICA_TABLE);
    register_place(other, MICA_TABLE);
    for (int i = 0; i < 100; i++) {
        mica_spawn(world, MICA_VALUE(place, Place, (float)i, 1));
    }
    const char *path = test_folder_path(&folder, "game.mica");
    size_t size = 0;
    CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.path = path}, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &image}, NULL));
    CHECK_EQUAL(MICA_OK,
                mica_world_save(world, &(mica_stream){.write = swallow, .user = &size}, NULL));
    CHECK_EQUAL(image.size, size);
    CHECK_EQUAL(MICA_OK, mica_world_load(other, &(mica_stream){.path = path}, NULL));
    CHECK_EQUAL(mica_world_digest(world), mica_world_digest(other));
    mica_world_clear(other);
    CHECK_EQUAL(MICA_OK, load(other, &image));
    CHECK_EQUAL(mica_world_digest(world), mica_world_digest(other));

    // [save.defaults]
    mica_buffer text = {0};
    save(world, MICA_IMAGE_BINARY, &text);
    REQUIRE_EQUAL(image.size, text.size);
    CHECK_BYTES(image.data, text.data, image.size);
    save(world, MICA_IMAGE_JSON, &text);
    CHECK(text.data[0] == '{' && image.data[0] != '{');
    mica_buffer_free(&text);
    test_world_end(&u);
    test_world_end(&t);

    // [save.fields]
    for (uint32_t i = 0; i < 8; i++) {
        if (storages[i % 4] == MICA_SPLIT) {
            continue; // which has nothing but fields
        }
        world = test_world_begin(&t);
        mica_type partial = register_partial(world, storages[i % 4]);
        mica_entity e = mica_spawn(world, MICA_VALUE(partial, Partial, 5, 6));
        mica_resource_set(world, MICA_VALUE(partial, Partial, 7, 8));
        mica_send(world, MICA_VALUE(partial, Partial, 9, 10));
        save(world, formats[i / 4], &image);
        REQUIRE_EQUAL(MICA_OK, load(world, &image));
        const Partial *one = mica_get(world, e, partial);
        CHECK(one && one->kept == 5 && one->lost == 77);
        one = mica_resource_get(world, partial);
        CHECK(one && one->kept == 7 && one->lost == 77);
        mica_cursor cursor = {0};
        uint32_t count = 0;
        one = mica_events(world, partial, &cursor, &count);
        CHECK(count == 1 && one->kept == 9 && one->lost == 77);
        test_world_end(&t);
    }

    // [save.opaque]
    for (uint32_t i = 0; i < 4; i++) {
        mica_storage storage = storages[i] == MICA_SPLIT ? MICA_TABLE : storages[i];
        world = test_world_begin(&t);
        mica_type_desc desc = {.name = "Raw", .size = 3, .align = 1, .storage = storage};
        mica_type raw = mica_type_register(world, &desc);
        desc.name = "Plain";
        desc.plain = true;
        mica_type plain = mica_type_register(world, &desc);
        mica_type box = register_box(world, storage);
        mica_entity e = mica_spawn(world, MICA_VALUE(box, Box, 12));
        mica_set_value(world, e, plain, "abc", 3);
        mica_resource_set(world, MICA_ADD(raw)); // which is not to be saved
        mica_resource_set(world, MICA_VALUE(box, Box, 13));
        save(world, formats[i % 2], &image);
        REQUIRE_EQUAL(MICA_OK, load(world, &image));
        CHECK_BYTES("abc", mica_get(world, e, plain), 3);
        CHECK_EQUAL(12, ((const Box *)mica_get(world, e, box))->number);
        CHECK_EQUAL(13, ((const Box *)mica_resource_get(world, box))->number);
        mica_add(world, e, raw);
        uint64_t before = state_of(world);
        size = image.size;
        CHECK_EQUAL(MICA_ERROR_TYPE,
                    mica_world_save(world, &(mica_stream){.buffer = &image}, NULL));
        CHECK(strstr(t.error.last.sentence, "'Raw'") != NULL);
        CHECK_EQUAL(1, test_error_clear(&t.error));
        CHECK_EQUAL(before, state_of(world));
        CHECK_EQUAL(size, image.size);

        // [save.fail]: MICA_ERROR_HOOK
        mica_remove(world, e, raw);
        box_fails = true;
        check_refused(&t, state_of(world), MICA_ERROR_HOOK,
                      mica_world_save(world, &(mica_stream){.buffer = &image}, NULL));
        CHECK_EQUAL(size, image.size);
        box_fails = false;
        test_world_end(&t);
    }

    // [save.unchanged]
    test_world_prepare(&t);
    t.desc.relocate_always = true;
    world = test_world_open(&t);
    for (uint32_t i = 0; i < 4; i++) {
        mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
        desc.name = (const char *[]){"Table", "Sparse", "Split", "Ring"}[i];
        desc.storage = storages[i];
        mica_spawn(world, MICA_ADD(mica_type_register(world, &desc)));
    }
    mica_entity first = mica_entity_next(world, (mica_entity){0});
    mica_type table = mica_type_find(world, "Table");
    const void *value = mica_get(world, first, table);
    uint64_t before = state_of(world);
    size_t bytes = t.memory.bytes;
    save(world, MICA_IMAGE_BINARY, &image);
    save(world, MICA_IMAGE_JSON, &image);
    CHECK_EQUAL(before, state_of(world));
    CHECK_EQUAL(bytes, t.memory.bytes);
    CHECK_POINTER(value, mica_get(world, first, table));

    // [save.refused], [save.fail]: MICA_ERROR_HANDLER
    check_all_refused_inside();

    // [save.fail]: MICA_ERROR_NULL, MICA_ERROR_DESC, MICA_ERROR_ARGUMENT, MICA_ERROR_MEMORY
    // MICA_ERROR_STREAM
    const mica_stream to = {.buffer = &image};
    size = image.size;
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_save(NULL, &to, NULL));
    check_refused(&t, before, MICA_ERROR_NULL, mica_world_save(world, NULL, NULL));
    check_refused(&t, before, MICA_ERROR_DESC,
                  mica_world_save(world, &to, &(mica_save_desc){.first_zero = 1}));
    check_refused(&t, before, MICA_ERROR_DESC,
                  mica_world_save(world, &to, &(mica_save_desc){.last_zero = 1}));
    check_refused(
        &t, before, MICA_ERROR_ARGUMENT,
        mica_world_save(world, &to, &(mica_save_desc){.format = MICA_IMAGE_FORMAT_COUNT}));
    check_refused(&t, before, MICA_ERROR_ARGUMENT, mica_world_save(world, &(mica_stream){0}, NULL));
    check_refused(&t, before, MICA_ERROR_DESC,
                  mica_world_save(world, &(mica_stream){.last_zero = 1, .buffer = &image}, NULL));
    check_refused(&t, before, MICA_ERROR_STREAM,
                  mica_world_save(world, &(mica_stream){.write = refuse}, NULL));
    check_refused(&t, before, MICA_ERROR_STREAM,
                  mica_world_save(
                      world, &(mica_stream){.path = test_folder_path(&folder, "no/where")}, NULL));
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        test_memory_fail_at(&t.memory, k, TEST_MEMORY_ONCE);
        result = mica_world_save(world, &to, NULL);
        test_memory_fail_at(&t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&t, before, MICA_ERROR_MEMORY, result);
            CHECK_EQUAL(size, image.size);
        }
    }
    test_world_end(&t);

    // [save.cost]: every value is written, each once
    // [save.memory]: of a world
    for (uint32_t i = 0; i < 5; i++) { // the last as text
        world = test_world_begin(&t);
        const mica_field_info fields[] = {
            {.name = "bytes", .kind = MICA_KIND_U8, .count = MICA_TYPE_SIZE_MAX}};
        mica_type huge = mica_type_register(world, &(mica_type_desc){.name = "Huge",
                                                                     .size = MICA_TYPE_SIZE_MAX,
                                                                     .align = 1,
                                                                     .storage = storages[i % 4],
                                                                     .fields = fields,
                                                                     .field_count = 1});
        for (uint32_t k = 0; k < 20; k++) {
            REQUIRE(!MICA_IS_NONE(mica_spawn(world, MICA_ADD(huge))));
        }
        bytes = forget_peak(&t);
        size = 0;
        CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.write = swallow, .user = &size},
                                             &(mica_save_desc){.format = formats[i / 4]}));
        CHECK(size > (size_t)20 << 20);
        CHECK(beside(&t, bytes) < (size_t)4 << 20);
        test_world_end(&t);
    }

    // [save.memory]: of a save hook
    for (uint32_t i = 0; i < 2; i++) {
        world = test_world_begin(&t);
        mica_spawn(world, MICA_ADD(register_box(world, MICA_TABLE)));
        mica_spawn(world, MICA_ADD(mica_type_find(world, "Box")));
        bytes = forget_peak(&t);
        box_weight = (size_t)17 << 20;
        size = 0;
        CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.write = swallow, .user = &size},
                                             &(mica_save_desc){.format = formats[i]}));
        CHECK(size > 2 * box_weight);
        CHECK(beside(&t, bytes) > (size_t)16 << 20);
        CHECK(beside(&t, bytes) < 4 * box_weight);
        test_world_end(&t);
    }

    // [save.memory]: of types
    enum { TYPES = 10000, FIELDS = 40, HUGE_TYPES = 20 };
    char name[32];
    char names[FIELDS][8];
    mica_field_info fields[FIELDS];
    for (uint32_t i = 0; i < FIELDS; i++) {
        snprintf(names[i], sizeof names[i], "f%u", (unsigned)i);
        fields[i] = (mica_field_info){.name = names[i], .kind = MICA_KIND_U8, .offset = i};
    }
    world = test_world_begin(&t);
    for (uint32_t i = 0; i < TYPES; i++) {
        snprintf(name, sizeof name, "Type%u", (unsigned)i);
        const mica_type_desc desc = {
            .name = name, .size = FIELDS, .align = 1, .fields = fields, .field_count = FIELDS};
        REQUIRE(!MICA_IS_NONE(mica_type_register(world, &desc)));
    }
    const size_t described = (size_t)TYPES * (128 + FIELDS * 64);
    bytes = forget_peak(&t);
    CHECK_EQUAL(MICA_OK,
                mica_world_save(world, &(mica_stream){.write = swallow, .user = &size}, NULL));
    CHECK(beside(&t, bytes) > (size_t)16 << 20 || sizeof(void *) < 8); // half of it is pointers
    CHECK(beside(&t, bytes) < ((size_t)4 << 20) + described);
    test_world_end(&t);
    world = test_world_begin(&t);
    void *ones = malloc(MICA_TYPE_SIZE_MAX);
    REQUIRE(ones != NULL);
    memset(ones, 1, MICA_TYPE_SIZE_MAX);
    for (uint32_t i = 0; i < HUGE_TYPES; i++) {
        snprintf(name, sizeof name, "Type%u", (unsigned)i);
        const mica_type_desc desc = {.name = name,
                                     .size = MICA_TYPE_SIZE_MAX,
                                     .align = 1,
                                     .plain = true,
                                     .default_value = ones};
        REQUIRE(!MICA_IS_NONE(mica_type_register(world, &desc)));
    }
    free(ones);
    bytes = forget_peak(&t);
    CHECK_EQUAL(MICA_OK,
                mica_world_save(world, &(mica_stream){.write = swallow, .user = &size}, NULL));
    CHECK(beside(&t, bytes) > (size_t)16 << 20);
    CHECK(beside(&t, bytes) < (size_t)(4 + HUGE_TYPES) << 20);
    test_world_end(&t);
    mica_buffer_free(&image);
    test_folder_end(&folder);
}

// What a value becomes on its way from one world into another, where its field is another; SCHEMA changes
// nothing there.
typedef struct field_as {
    mica_kind kind;
    uint32_t size;  // of all of it
    uint32_t count; // 0: one
    const void *value;
} field_as;

static mica_result carry(field_as from, field_as to)
{
    test_world t, u;
    mica_buffer image = {0};
    mica_world *source = test_world_begin(&t);
    mica_world *world = test_world_begin(&u);
    mica_type a = register_field(source, from.kind, from.size, from.count);
    mica_type b = register_field(world, to.kind, to.size, to.count);
    mica_spawn_values(world, NULL, 0);
    mica_entity e = mica_spawn_values(source, &(mica_value){a, from.value, from.size, 1, NULL}, 1);
    save(source, MICA_IMAGE_BINARY, &image);
    uint64_t before = state_of(world);
    mica_result result = load(world, &image);
    if (result) {
        check_refused(&u, before, result, result);
    } else {
        const void *is = mica_get(world, e, b);
        REQUIRE(is != NULL);
        CHECK_BYTES(to.value, is, to.size);
    }
    mica_buffer_free(&image);
    test_world_end(&u);
    test_world_end(&t);
    return result;
}

#define FIELD_AS(kind, T, ...) ((field_as){kind, sizeof(T), 0, &(T){__VA_ARGS__}})

static const mica_enumerator moods[] = {{"calm", 0}, {"angry", 1}, {NULL, 0}};
static const mica_enumerator later_moods[] = {{"angry", 5}, {"calm", 6}, {NULL, 0}};
static const mica_enumerator other_moods[] = {{"calm", 0}, {NULL, 0}};

// Without names, it is an integer.
static mica_type register_mood(mica_world *world, const mica_enumerator *names)
{
    const mica_field_info field = {.name = "mood",
                                   .kind = names ? MICA_KIND_ENUM : MICA_KIND_I32,
                                   .size = 4,
                                   .count = 1,
                                   .enumerators = names};
    return mica_type_register(
        world, &(mica_type_desc){
                   .name = "Mood", .size = 4, .align = 4, .fields = &field, .field_count = 1});
}

static void count_call(const mica_observer_event *h)
{
    ++*(uint32_t *)h->user;
}

static uint32_t updated;

static void count_rows(mica_iter *it)
{
    updated += it->count;
}

// A world that has one of everything, and was at work.
typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type place, pool, other, box, score, secret;
    mica_entity named;
} stage;

static void stage_begin(stage *s)
{
    s->world = test_world_begin(&s->t);
    s->place = register_place(s->world, MICA_TABLE);
    s->pool = MICA_SPARSE_TAG(s->world, Pool);
    s->other = MICA_SPARSE_TAG(s->world, Other);
    s->box = register_box(s->world, MICA_SPARSE);
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.name = "Secret";
    s->secret = mica_type_register(s->world, &desc);
    desc.name = "Score";
    desc.saved = true;
    s->score = mica_type_register(s->world, &desc);
}

static void stage_fill(stage *s, float x, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        s->named = mica_spawn(s->world, MICA_VALUE(s->place, Place, x, (float)i), MICA_ADD(s->pool),
                              MICA_ADD(s->other), MICA_VALUE(s->box, Box, i));
    }
    mica_entity_set_name(s->world, s->named, name);
    mica_resource_set(s->world, MICA_VALUE(s->score, Place, x, 0),
                      MICA_VALUE(s->secret, Place, x, 0));
    mica_send(s->world, MICA_VALUE(s->score, Place, x, 0), MICA_VALUE(s->secret, Place, x, 0));
}

static void stage_end(stage *s)
{
    test_world_end(&s->t);
}

// Of `count` entities in slots so far from each other.
static void save_far(uint32_t count, uint32_t distance, mica_buffer *image)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    for (uint32_t i = 0; i < count; i++) {
        mica_spawn_at(world, mica_entity_make(i * distance, 0));
    }
    save(world, MICA_IMAGE_BINARY, image);
    test_world_end(&t);
}

static void check_memory_of_loads(void)
{
    test_world t;
    mica_buffer image = {0};
    mica_world *world = test_world_begin(&t);
    save_far(5000, 1, &image);
    const mica_stream from = {.buffer = &image};
    size_t bytes = forget_peak(&t);
    check_refused(&t, state_of(world), MICA_ERROR_LIMIT,
                  mica_world_load(world, &from, &(mica_load_desc){.memory_max = 65536}));
    CHECK(beside(&t, bytes) <= 65536);
    CHECK_EQUAL(MICA_OK, mica_world_load(world, &from, &(mica_load_desc){.memory_max = 1 << 20}));
    // One entity in each page of slots, where pages are large.
    save_far(10000, UINT32_C(1) << MICA_VIEW_SLOT_SHIFT, &image);
    bytes = forget_peak(&t);
    mica_result result = load(world, &image);
    CHECK_EQUAL(MICA_VIEW_SLOT_SHIFT < 12 ? MICA_OK : MICA_ERROR_LIMIT, result);
    CHECK_EQUAL(result != MICA_OK, test_error_clear(&t.error));
    CHECK(beside(&t, bytes) <= ((size_t)128 << 20) + 128 * image.size);
    CHECK_EQUAL(MICA_OK, mica_world_load(world, &from, &(mica_load_desc){.memory_max = 1 << 30}));
    test_world_end(&t);
    // A type that has become larger.
    test_world grown;
    world = test_world_begin(&t);
    mica_world *larger = test_world_begin(&grown);
    const mica_field_info field = {.name = "n", .kind = MICA_KIND_U8};
    mica_type_desc desc = {
        .name = "Grown", .size = 1, .align = 1, .fields = &field, .field_count = 1};
    mica_type small = mica_type_register(world, &desc);
    for (uint32_t i = 0; i < 2000; i++) {
        mica_spawn(world, MICA_ADD(small));
    }
    save(world, MICA_IMAGE_BINARY, &image);
    desc.size = 100000;
    mica_type_register(larger, &desc);
    check_refused(&grown, state_of(larger), MICA_ERROR_LIMIT, load(larger, &image));
    test_world_end(&grown);
    // Hooks that take memory.
    mica_type box = register_box(world, MICA_TABLE);
    mica_spawn(world, MICA_ADD(box));
    save(world, MICA_IMAGE_BINARY, &image);
    bytes = forget_peak(&t);
    box_needs = 10 << 20;
    CHECK_EQUAL(MICA_OK, mica_world_load(world, &from, &(mica_load_desc){.memory_max = 1 << 20}));
    CHECK(beside(&t, bytes) > 10 << 20);
    box_needs = 0;
    mica_buffer_free(&image);
    test_world_end(&t);
}

PROMISE(mica_world_load)
{
    stage a, b;
    mica_buffer image = {0};
    for (uint32_t f = 0; f < 2; f++) {
        stage_begin(&a);
        stage_begin(&b);
        mica_world *world = b.world;
        stage_fill(&a, 1, 5, "new");
        stage_fill(&b, 2, 9, "old");
        mica_bundle bundle = mica_bundle_new(world, &b.place, 1);
        mica_accessor accessor = mica_accessor_new(world, b.place);
        mica_query query = query_of(world, b.place);
        mica_group group =
            mica_group_new(world, &(mica_group_desc){.owned = {b.pool}, .required = {b.other}});
        updated = 0;
        mica_system_add(world, &(mica_system_desc){.name = "count",
                                                   .query.terms = {{b.place, MICA_READ}},
                                                   .update = count_rows});
        uint32_t reported = 0;
        mica_observer_new(world, &(mica_observer_desc){.type = b.place,
                                                       .events = MICA_ON_ADD | MICA_ON_REMOVE |
                                                                 MICA_ON_SET | MICA_ON_SPAWN |
                                                                 MICA_ON_DESPAWN,
                                                       .call = count_call,
                                                       .user = &reported});
        mica_world_stats before = mica_world_get_stats(world);
        boxes_ended = 0;
        save(a.world, formats[f], &image);

        // [load.instead], [load.defaults]
        REQUIRE_EQUAL(MICA_OK, load(world, &image));
        CHECK_EQUAL(5, mica_entity_count(world));
        CHECK(!mica_alive(world, b.named));
        CHECK(MICA_IS_NONE(mica_entity_find(world, "old")));
        CHECK(MICA_EQUAL(a.named, mica_entity_find(world, "new")));
        const Place *place = mica_get(world, a.named, b.place);
        CHECK(place && place->x == 1 && place->y == 4);

        // [load.observers]
        CHECK_EQUAL(0, reported);

        // [load.hooks]
        CHECK_EQUAL(9, boxes_ended);

        // [load.stay]
        mica_world_stats after = mica_world_get_stats(world);
        CHECK_EQUAL(before.types, after.types);
        CHECK_EQUAL(before.queries, after.queries);
        CHECK_EQUAL(before.observers, after.observers);
        CHECK_EQUAL(5, mica_query_count(world, query));
        CHECK_EQUAL(5, test_group_count(world, group));
        CHECK_POINTER(place, mica_accessor_get(&accessor, a.named));
        CHECK_EQUAL(MICA_OK, mica_step(world, 0));
        CHECK_EQUAL(5, updated);
        mica_entity e = mica_spawn_bundle(world, bundle, NULL, 0);
        CHECK(mica_has(world, e, b.place));
        CHECK_EQUAL(2, reported); // spawned, and added

        // [load.notify]: spawned, added and set; nothing is reported of what was there before
        reported = 0;
        REQUIRE_EQUAL(MICA_OK, mica_world_load(world, &(mica_stream){.buffer = &image},
                                               &(mica_load_desc){.notify = true}));
        CHECK_EQUAL(15, reported);

        // [load.resources]
        const Place *resource = mica_resource_get(world, b.score);
        CHECK(resource && resource->x == 1);
        resource = mica_resource_get(world, b.secret);
        CHECK(resource && resource->x == 2);
        mica_cursor cursor = {0};
        uint32_t count;
        const Place *event = mica_events(world, b.score, &cursor, &count);
        CHECK(event && count == 1 && event->x == 1);
        cursor = (mica_cursor){0};
        event = mica_events(world, b.secret, &cursor, &count);
        CHECK(event && count == 1 && event->x == 2);

        // [load.readers]: also tests/promises/event.c
        cursor = (mica_cursor){.name = "reader"};
        CHECK(mica_events(world, b.score, &cursor, &count) != NULL);
        REQUIRE_EQUAL(MICA_OK, load(world, &image));
        CHECK(mica_events(world, b.score, &cursor, &count) != NULL);
        stage_end(&a);
        stage_end(&b);
        stage_begin(&a); // has none
        save(a.world, formats[f], &image);
        stage_begin(&b);
        stage_fill(&b, 2, 3, "old");
        REQUIRE_EQUAL(MICA_OK, load(b.world, &image));
        CHECK(!mica_resource_get(b.world, b.score) && mica_resource_get(b.world, b.secret));
        CHECK_EQUAL(0, test_event_count(b.world, b.score));
        CHECK_EQUAL(1, test_event_count(b.world, b.secret));
        CHECK_EQUAL(0, mica_entity_count(b.world));
        stage_end(&a);
        test_world nothing;
        save(test_world_begin(&nothing), formats[f], &image); // knows no such type
        mica_resource_set(b.world, MICA_VALUE(b.score, Place, 3, 3));
        REQUIRE_EQUAL(MICA_OK, load(b.world, &image));
        CHECK(mica_resource_get(b.world, b.score) != NULL);
        test_world_end(&nothing);
        stage_end(&b);
    }

    // [load.types]
    test_world t, u;
    mica_world *source = test_world_begin(&t);
    mica_world *world = test_world_begin(&u);
    mica_type one = MICA_TAG(source, One);
    MICA_TAG(source, Two);
    MICA_TAG(world, Two);
    mica_type same = MICA_TAG(world, One);
    mica_entity e = mica_spawn(source, MICA_ADD(one));
    save(source, MICA_IMAGE_BINARY, &image);
    REQUIRE_EQUAL(MICA_OK, load(world, &image));
    CHECK(mica_has(world, e, same));
    CHECK(!mica_has(world, e, mica_type_find(world, "Two")));
    test_world_end(&u);
    test_world_end(&t);

    // [load.fields]
    for (uint32_t i = 0; i < 16; i++) {
        typedef struct Was {
            uint32_t gone, small, count[2], was;
        } Was;
        typedef struct Is {
            uint64_t small;
            uint32_t came, count[3], is;
        } Is;
        static const Is fresh = {.came = 9, .count = {1, 2, 3}};
        source = test_world_begin(&t);
        world = test_world_begin(&u);
        mica_type_desc was = MICA_DESCRIBE(Was, gone, small, count, was);
        was.name = "Both";
        was.storage = storages[i % 4];
        mica_type_desc is = MICA_DESCRIBE(Is, small, came, count, is);
        is.name = "Both";
        is.storage = storages[i / 4];
        is.default_value = &fresh;
        mica_type both = mica_type_register(world, &is);
        e = mica_spawn(source, MICA_VALUE(mica_type_register(source, &was), Was, 1, 2, {5, 6}, 7));
        save(source, formats[i % 2], &image);
        const mica_alias alias = {"Both", "is", "was"};
        const mica_load_desc desc = {.aliases = &alias, .alias_count = 1};
        REQUIRE_EQUAL(MICA_OK, mica_world_load(world, &(mica_stream){.buffer = &image}, &desc));
        Is value;
        REQUIRE(mica_load(world, e, both, &value, sizeof value));
        CHECK(value.small == 2 && value.came == 9 && value.is == 7);
        CHECK(value.count[0] == 5 && value.count[1] == 6 && value.count[2] == 3);
        CHECK_EQUAL(storages[i / 4], mica_type_get_info(world, both)->storage);
        test_world_end(&u);
        test_world_end(&t);
    }

    // [load.numbers]
    const field_as minus = FIELD_AS(MICA_KIND_I32, int32_t, -1);
    const field_as large = FIELD_AS(MICA_KIND_U64, uint64_t, (UINT64_C(1) << 53) + 1);
    const field_as third = FIELD_AS(MICA_KIND_F64, double, 1.0 / 3);
    const field_as whole = FIELD_AS(MICA_KIND_F64, double, -7);
    const field_as true_one = FIELD_AS(MICA_KIND_BOOL, bool, true);
    const field_as byte = FIELD_AS(MICA_KIND_U8, uint8_t, 200);
    const struct {
        field_as from, to;
        mica_result result;
    } ways[] = {
        {minus, FIELD_AS(MICA_KIND_I8, int8_t, -1), MICA_OK},
        {minus, FIELD_AS(MICA_KIND_U64, uint64_t, 0), MICA_ERROR_SCHEMA},
        {minus, FIELD_AS(MICA_KIND_F32, float, -1), MICA_OK},
        {byte, FIELD_AS(MICA_KIND_I8, int8_t, 0), MICA_ERROR_SCHEMA},
        {byte, FIELD_AS(MICA_KIND_I16, int16_t, 200), MICA_OK},
        {large, FIELD_AS(MICA_KIND_I64, int64_t, (INT64_C(1) << 53) + 1), MICA_OK},
        {large, FIELD_AS(MICA_KIND_F64, double, 0), MICA_ERROR_SCHEMA},
        {third, FIELD_AS(MICA_KIND_F32, float, (float)(1.0 / 3)), MICA_OK},
        {third, FIELD_AS(MICA_KIND_I32, int32_t, 0), MICA_ERROR_SCHEMA},
        {whole, FIELD_AS(MICA_KIND_I8, int8_t, -7), MICA_OK},
        {whole, FIELD_AS(MICA_KIND_U8, uint8_t, 0), MICA_ERROR_SCHEMA},
        {true_one, FIELD_AS(MICA_KIND_I64, int64_t, 1), MICA_OK},
        {true_one, FIELD_AS(MICA_KIND_F32, float, 1), MICA_OK},
        {FIELD_AS(MICA_KIND_BOOL, bool, false), FIELD_AS(MICA_KIND_U8, uint8_t, 0), MICA_OK},
    };
    for (uint32_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_EQUAL(ways[i].result, carry(ways[i].from, ways[i].to));
    }

    // [load.long_text]
    const field_as word = {MICA_KIND_CHAR, 8, 8, "1234567"};
    CHECK_EQUAL(MICA_OK,
                carry(word, (field_as){MICA_KIND_CHAR, 16, 16, "1234567\0\0\0\0\0\0\0\0"}));
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(word, (field_as){MICA_KIND_CHAR, 4, 4, "123"}));

    // [load.structs]
    const field_as entity = FIELD_AS(MICA_KIND_ENTITY, mica_entity, 0);
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(large, entity));
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(entity, large));
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(large, word));
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(word, large));

    // [load.enums]
    const mica_enumerator *const lists[] = {later_moods, NULL, other_moods};
    for (uint32_t i = 0; i < 3; i++) {
        source = test_world_begin(&t);
        world = test_world_begin(&u);
        int32_t angry = 1;
        mica_type mood = register_mood(source, moods);
        e = mica_spawn(source, MICA_COPY_OF(mood, angry));
        mood = register_mood(world, lists[i]);
        save(source, formats[i % 2], &image);
        uint64_t before = state_of(world);
        if (i == 2) {
            check_refused(&u, before, MICA_ERROR_SCHEMA, load(world, &image));
        } else {
            REQUIRE_EQUAL(MICA_OK, load(world, &image));
            CHECK_EQUAL(i == 0 ? 5 : 1, *(const int32_t *)mica_get(world, e, mood));
        }
        test_world_end(&u);
        test_world_end(&t);
    }

    // [load.fail]: whatever fails
    stage_begin(&a);
    stage_fill(&a, 1, 6, "new");
    save(a.world, MICA_IMAGE_BINARY, &image);
    stage_begin(&b);
    stage_fill(&b, 2, 3, "old");
    world = b.world;
    uint64_t before = state_of(world);
    const mica_stream from = {.buffer = &image};
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_load(NULL, &from, NULL));
    check_refused(&b.t, before, MICA_ERROR_NULL, mica_world_load(world, NULL, NULL));
    check_refused(&b.t, before, MICA_ERROR_DESC,
                  mica_world_load(world, &from, &(mica_load_desc){.first_zero = 1}));
    check_refused(&b.t, before, MICA_ERROR_DESC,
                  mica_world_load(world, &from, &(mica_load_desc){.last_zero = 1}));
    check_refused(&b.t, before, MICA_ERROR_NULL,
                  mica_world_load(world, &from, &(mica_load_desc){.alias_count = 1}));
    check_refused(&b.t, before, MICA_ERROR_ARGUMENT,
                  mica_world_load(world, &from, &(mica_load_desc){.unknown = MICA_UNKNOWN_COUNT}));
    check_refused(&b.t, before, MICA_ERROR_ARGUMENT,
                  mica_world_load(world, &(mica_stream){0}, NULL));
    // [load.fail]: MICA_ERROR_STREAM
    check_refused(&b.t, before, MICA_ERROR_STREAM,
                  mica_world_load(world, &(mica_stream){.read = cannot_read}, NULL));
    check_refused(&b.t, before, MICA_ERROR_STREAM,
                  mica_world_load(world, &(mica_stream){.path = "there/is/none"}, NULL));
    // [load.fail]: MICA_ERROR_IMAGE; of no bytes, too
    for (size_t i = 0; i < image.size; i += 7) {
        check_refused(&b.t, before, MICA_ERROR_IMAGE,
                      mica_world_load(world, &(mica_stream){.data = image.data, .size = i}, NULL));
    }
    // [load.fail]: MICA_ERROR_VERSION
    static const char next[] = "{\"mica_image\": 5}";
    check_refused(
        &b.t, before, MICA_ERROR_VERSION,
        mica_world_load(world, &(mica_stream){.data = next, .size = sizeof next - 1}, NULL));
    // [load.fail]: MICA_ERROR_HOOK
    box_fails = true;
    check_refused(&b.t, before, MICA_ERROR_HOOK, load(world, &image));
    box_fails = false;
    // [load.fail]: MICA_ERROR_MEMORY
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        test_memory_fail_at(&b.t.memory, k, TEST_MEMORY_ONCE);
        result = load(world, &image);
        test_memory_fail_at(&b.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&b.t, before, MICA_ERROR_MEMORY, result);
        }
    }
    CHECK_EQUAL(6, mica_entity_count(world));
    CHECK(MICA_EQUAL(a.named, mica_entity_find(world, "new")));
    // [load.fail]: MICA_ERROR_SCHEMA
    MICA_TAG(a.world, Strange);
    mica_spawn(a.world, MICA_ADD(mica_type_find(a.world, "Strange")));
    save(a.world, MICA_IMAGE_BINARY, &image);
    check_refused(&b.t, state_of(world), MICA_ERROR_SCHEMA, load(world, &image));
    stage_end(&b);
    // [load.fail]: MICA_ERROR_LIMIT, of entities, and of types that are to be kept
    for (uint32_t i = 0; i < 2; i++) {
        test_world_prepare(&t);
        t.desc.max_entities = i == 0 ? 6 : 0;
        t.desc.max_types = i == 1 ? 3 : 0;
        world = test_world_open(&t);
        check_refused(
            &t, state_of(world), MICA_ERROR_LIMIT,
            mica_world_load(world, &from, &(mica_load_desc){.unknown = MICA_UNKNOWN_KEPT}));
        test_world_end(&t);
    }
    stage_end(&a);

    // [load.memory_max], [load.limit], [load.default_max], [load.hook_memory]
    check_memory_of_loads();

    // [load.fail]: MICA_ERROR_ITERATING, MICA_ERROR_HANDLER
    check_all_refused_inside();

    // [load.pointers]
    stage_begin(&a);
    stage_fill(&a, 1, 6, "one");
    const void *was = mica_get(a.world, a.named, a.place);
    save(a.world, MICA_IMAGE_BINARY, &image);
    REQUIRE_EQUAL(MICA_OK, load(a.world, &image));
    CHECK(was != mica_get(a.world, a.named, a.place));
    stage_end(&a);

    // [load.cost]: every byte is read once, and memory is asked for in proportion
    uint64_t allocations[2];
    for (uint32_t i = 0; i < 2; i++) {
        stage_begin(&a);
        stage_fill(&a, 1, i == 0 ? 500 : 2000, "one");
        save(a.world, MICA_IMAGE_BINARY, &image);
        reading all = {&image, 0};
        uint64_t at = a.t.memory.allocations;
        const mica_stream counted = {.read = read_on, .user = &all};
        CHECK_EQUAL(MICA_OK, mica_world_load(a.world, &counted, NULL));
        CHECK_EQUAL(image.size, all.at);
        allocations[i] = a.t.memory.allocations - at;
        stage_end(&a);
    }
    CHECK(allocations[1] < allocations[0] * 5);
    mica_buffer_free(&image);
}

// Parts

// A world whose entities know each other, saved as a part.
typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type link, wagon, other;
    mica_query wagons;
    mica_entity e[3];    // wagons: each leads to the one before; the first nowhere
    mica_entity outside; // no wagon
    mica_entity facet;   // of the second wagon, and no wagon
} scene;

static void scene_begin(scene *s, mica_storage storage)
{
    mica_world *world = test_world_begin(&s->t);
    mica_type_desc desc = MICA_DESCRIBE(Link, to);
    desc.storage = storage;
    desc.row_stamps = true;
    s->world = world;
    s->link = mica_type_register(world, &desc);
    s->wagon = MICA_TAG(world, Wagon);
    s->other = MICA_TAG(world, Unused);
    s->wagons = query_of(world, s->wagon);
    s->outside = mica_spawn(world, MICA_ADD(s->other));
    s->e[0] = mica_spawn(world, MICA_ADD(s->wagon), MICA_VALUE(s->link, Link, {0}));
    s->e[1] = mica_spawn(world, MICA_ADD(s->wagon), MICA_VALUE(s->link, Link, s->e[0]));
    s->e[2] = mica_spawn(world, MICA_ADD(s->wagon), MICA_VALUE(s->link, Link, s->e[1]));
    s->facet = mica_facet_add(world, s->e[1], s->wagon, 3, MICA_VALUE(s->link, Link, s->e[2]));
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

static void save_part(scene *s, mica_image_format format, mica_buffer *image,
                      mica_subset_stats *stats_out)
{
    REQUIRE_EQUAL(MICA_OK, mica_subset_save(s->world, s->wagons, &(mica_stream){.buffer = image},
                                            &(mica_save_desc){.format = format}, stats_out));
}

static mica_entity linked(mica_world *world, mica_type link, mica_entity entity)
{
    Link value = {{UINT64_MAX}};
    CHECK(mica_load(world, entity, link, &value, sizeof value));
    return value.to;
}

static uint32_t count_all(mica_world *world, mica_query query)
{
    mica_iter it;
    uint32_t count = 0;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        count += it.count;
    }
    return count;
}

PROMISE(mica_subset_save)
{
    scene s;
    mica_buffer image = {0};
    mica_subset_stats part;
    for (uint32_t i = 0; i < 8; i++) {
        scene_begin(&s, storages[i % 4]);
        mica_entity_set_name(s.world, s.e[0], "first");
        mica_entity_set_name(s.world, s.outside, "outside");
        mica_resource_set(s.world,
                          MICA_VALUE(register_partial(s.world, MICA_TABLE), Partial, 1, 2));
        mica_send(s.world, MICA_ADD(mica_type_find(s.world, "Partial")));
        // A facet that matches, of an owner who does not
        mica_facet_add(s.world, s.outside, s.wagon, 4, MICA_ADD(s.wagon));
        save_part(&s, formats[i / 4], &image, &part);
        CHECK_EQUAL(3, part.entities);
        CHECK_EQUAL(1, part.facets);
        CHECK_EQUAL(0, part.lost_references);

        // [part.types]
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type_desc desc = MICA_DESCRIBE(Link, to);
        desc.storage = storages[i % 4];
        mica_type link = mica_type_register(world, &desc);
        mica_type wagon = MICA_TAG(world, Wagon);
        REQUIRE_EQUAL(MICA_OK, load(world, &image));

        // [part.whole]
        CHECK_EQUAL(3, mica_entity_count(world));
        mica_entity first = mica_entity_find(world, "first");
        CHECK(mica_has(world, first, link) && mica_has(world, first, wagon));

        // [part.handles]
        mica_entity second = mica_entity_make(1, 0);
        CHECK(MICA_EQUAL(first, mica_entity_make(0, 0)));

        // [part.facets]
        mica_entity facet = mica_facet_find(world, second, wagon, 3);
        REQUIRE(!MICA_IS_NONE(facet));
        CHECK(!mica_has(world, facet, wagon));
        CHECK_EQUAL(1, mica_world_get_stats(world).facets);

        // [part.references]
        CHECK(MICA_IS_NONE(linked(world, link, first)));
        CHECK(MICA_EQUAL(first, linked(world, link, second)));
        CHECK(MICA_EQUAL(mica_entity_make(2, 0), linked(world, link, facet)));

        // [part.left_out]
        mica_type partial = register_partial(world, MICA_TABLE);
        REQUIRE_EQUAL(MICA_OK, load(world, &image));
        CHECK(!mica_resource_get(world, partial));
        CHECK_EQUAL(0, test_event_count(world, partial));
        test_world_end(&t);

        // [part.lost_references]
        mica_set(s.world, s.e[0], MICA_VALUE(s.link, Link, s.outside));
        mica_entity dead = mica_spawn_values(s.world, NULL, 0);
        mica_despawn(s.world, dead);
        mica_set(s.world, s.e[1], MICA_VALUE(s.link, Link, dead));
        mica_set(s.world, s.e[2], MICA_VALUE(s.link, Link, {0}));
        save_part(&s, formats[i / 4], &image, &part);
        CHECK_EQUAL(2, part.lost_references);
        REQUIRE_EQUAL(MICA_OK, load(s.world, &image));
        CHECK(MICA_IS_NONE(linked(s.world, s.link, mica_entity_make(0, 0))));
        CHECK(MICA_IS_NONE(linked(s.world, s.link, mica_entity_make(1, 0))));
        scene_end(&s);
    }

    // [part.bytes]
    scene_begin(&s, MICA_TABLE);
    mica_type plain = mica_type_register(s.world, &(mica_type_desc){.name = "Plain",
                                                                    .size = sizeof(Link),
                                                                    .align = _Alignof(Link),
                                                                    .plain = true});
    mica_set_value(s.world, s.e[0], plain, &s.outside, sizeof(Link));
    save_part(&s, MICA_IMAGE_BINARY, &image, &part);
    CHECK_EQUAL(0, part.lost_references);
    REQUIRE_EQUAL(MICA_OK, load(s.world, &image));
    mica_entity who = mica_query_first(s.world, query_of(s.world, plain));
    const mica_entity *kept = mica_get(s.world, who, plain);
    CHECK(kept && MICA_EQUAL(s.outside, *kept));
    scene_end(&s);

    // [part.unchanged]
    scene_begin(&s, MICA_TABLE);
    mica_world *world = s.world;
    mica_query changed =
        mica_query_new(world, &(mica_query_desc){.terms = {{s.link, MICA_READ | MICA_CHANGED}}});
    uint64_t before = state_of(world);
    CHECK_EQUAL(MICA_OK,
                mica_subset_save(world, changed, &(mica_stream){.buffer = &image}, NULL, &part));
    CHECK_EQUAL(3, part.entities);
    CHECK_EQUAL(before, state_of(world));
    CHECK_EQUAL(4, count_all(world, changed)); // one of them a facet
    CHECK_EQUAL(0, count_all(world, changed));
    CHECK_EQUAL(MICA_OK,
                mica_subset_save(world, changed, &(mica_stream){.buffer = &image}, NULL, &part));
    CHECK_EQUAL(0, part.entities);

    // [part.no_out]
    before = state_of(world);
    save_part(&s, MICA_IMAGE_BINARY, &image, NULL);

    // [part.fail]
    const mica_stream to = {.buffer = &image};
    size_t size = image.size;
    part = (mica_subset_stats){.entities = 99};
    CHECK_EQUAL(MICA_ERROR_NULL, mica_subset_save(NULL, s.wagons, &to, NULL, &part));
    check_refused(&s.t, before, MICA_ERROR_QUERY,
                  mica_subset_save(world, (mica_query){0}, &to, NULL, &part));
    check_refused(&s.t, before, MICA_ERROR_NULL,
                  mica_subset_save(world, s.wagons, NULL, NULL, &part));
    check_refused(&s.t, before, MICA_ERROR_DESC,
                  mica_subset_save(world, s.wagons, &to, &(mica_save_desc){.last_zero = 1}, &part));
    check_refused(&s.t, before, MICA_ERROR_ARGUMENT,
                  mica_subset_save(world, s.wagons, &to,
                                   &(mica_save_desc){.format = MICA_IMAGE_FORMAT_COUNT}, &part));
    check_refused(&s.t, before, MICA_ERROR_STREAM,
                  mica_subset_save(world, s.wagons, &(mica_stream){.write = refuse}, NULL, &part));
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        result = mica_subset_save(world, s.wagons, &to, NULL, NULL);
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&s.t, before, MICA_ERROR_MEMORY, result);
            CHECK_EQUAL(size, image.size);
        }
    }
    mica_type raw =
        mica_type_register(world, &(mica_type_desc){.name = "Raw", .size = 4, .align = 4});
    mica_add(world, s.outside, raw); // who is not in it
    save_part(&s, MICA_IMAGE_BINARY, &image, NULL);
    mica_add(world, s.facet, raw);
    before = state_of(world);
    check_refused(&s.t, before, MICA_ERROR_TYPE,
                  mica_subset_save(world, s.wagons, &to, NULL, &part));
    CHECK_EQUAL(99, part.entities);
    scene_end(&s);
    check_all_refused_inside();

    // [part.cost]
    scene_begin(&s, MICA_TABLE);
    enum { COUNT = 100000 };
    mica_bundle bundle = mica_bundle_new(s.world, &s.other, 1);
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(s.world, bundle, COUNT, NULL, 0, NULL));
    const mica_query queries[] = {s.wagons, query_of(s.world, s.other)};
    const mica_stream nowhere = {.write = swallow, .user = &size};
    size_t bytes = forget_peak(&s.t);
    REQUIRE_EQUAL(MICA_OK, mica_world_save(s.world, &nowhere, NULL));
    size_t whole = beside(&s.t, bytes);
    for (uint32_t i = 0; i < 2; i++) {
        size_t matches = mica_query_count(s.world, queries[i]);
        bytes = forget_peak(&s.t);
        REQUIRE_EQUAL(MICA_OK, mica_subset_save(s.world, queries[i], &nowhere, NULL, NULL));
        CHECK(beside(&s.t, bytes) <= whole + 8 * matches + COUNT / 5);
    }
    scene_end(&s);
    mica_buffer_free(&image);
}

// What observers saw, and when.
typedef struct watch {
    uint32_t reported;
    uint32_t there; // entities, when they were reported
    mica_entity order[16];
} watch;

static void look(const mica_observer_event *h)
{
    watch *w = h->user;
    w->there = mica_entity_count(h->world);
    w->order[w->reported++ % 16] = h->entity;
}

PROMISE(mica_subset_load)
{
    mica_buffer image = {0};
    mica_subset_stats part;
    for (uint32_t i = 0; i < 16; i++) {
        scene a, b;
        scene_begin(&a, storages[i / 4]);
        scene_begin(&b, storages[i % 4]);
        mica_world *world = b.world;
        mica_query query = query_of(world, b.link);
        mica_despawn(world, mica_clone(world, b.e[0])); // leaves slots to be used again
        mica_despawn(world, b.e[0]);
        mica_resource_set(a.world,
                          MICA_VALUE(register_partial(a.world, MICA_TABLE), Partial, 1, 2));
        mica_type partial = register_partial(world, MICA_TABLE);
        mica_entity_set_name(a.world, a.e[0], "first");
        mica_query fresh =
            mica_query_new(world, &(mica_query_desc){.terms = {{b.link, MICA_READ | MICA_ADDED}}});
        count_all(world, fresh);
        watch added = {0}, entered = {0};
        mica_observer_new(
            world, &(mica_observer_desc){
                       .type = b.wagon, .events = MICA_ON_ADD, .call = look, .user = &added});
        mica_observer_new(world, &(mica_observer_desc){.query.terms = {{b.wagon, MICA_WITH}},
                                                       .events = MICA_ON_ENTER,
                                                       .call = look,
                                                       .user = &entered});
        // Who comes next: a twin shows it, with the same history
        scene twin;
        scene_begin(&twin, storages[i % 4]);
        mica_despawn(twin.world, mica_clone(twin.world, twin.e[0]));
        mica_despawn(twin.world, twin.e[0]);
        mica_entity next[5]; // the facet comes among them, in a table of its own
        for (uint32_t k = 0; k < 5; k++) {
            next[k] = mica_spawn_values(twin.world, NULL, 0);
        }
        scene_end(&twin);

        // [merge.beside]
        bool whole = i % 2 == 1;
        if (whole) {
            save(a.world, formats[i / 2 % 2], &image);
        } else {
            save_part(&a, formats[i / 2 % 2], &image, NULL);
        }
        uint32_t there = mica_entity_count(world);
        uint32_t wagons = mica_query_count(world, b.wagons);
        uint32_t links = mica_query_count(world, query);
        mica_entity e[6] = {{0}};
        REQUIRE_EQUAL(MICA_OK,
                      mica_subset_load(world, &(mica_stream){.buffer = &image}, NULL, e, 6, &part));
        uint32_t came = whole ? 4 : 3;
        CHECK_EQUAL(came, part.entities);
        CHECK_EQUAL(1, part.facets);
        CHECK_EQUAL(there + came, mica_entity_count(world));
        CHECK_EQUAL(wagons + 3, mica_query_count(world, b.wagons));
        CHECK_EQUAL(links + 4, mica_query_count(world, query));
        CHECK(mica_alive(world, b.e[1]) && mica_alive(world, b.facet));
        mica_entity first = mica_entity_find(world, "first");

        // [merge.new]: handles; [merge.entities]
        CHECK(MICA_IS_NONE(e[came]));
        for (uint32_t k = 0; k < came; k++) {
            bool found = false;
            for (uint32_t n = 0; n < 5; n++) {
                found = found || MICA_EQUAL(next[n], e[k]);
            }
            CHECK(found);
            CHECK(MICA_EQUAL(e[k], mica_facet_owner(world, e[k])));
        }
        CHECK(MICA_EQUAL(next[0], e[0]));
        const mica_entity *wagon = e + came - 3;
        CHECK(MICA_EQUAL(wagon[0], first));

        // [merge.new]: changed and added
        CHECK_EQUAL(4, count_all(world, fresh));

        // [merge.new]: observers
        CHECK_EQUAL(3, added.reported);
        CHECK_EQUAL(3, entered.reported);
        CHECK_EQUAL(there + came, added.there);
        CHECK_EQUAL(there + came, entered.there);
        for (uint32_t k = 0; k < 3; k++) {
            CHECK(MICA_EQUAL(wagon[k], added.order[k]));
        }

        // [merge.references]: among the new ones
        mica_entity facet = mica_facet_find(world, wagon[1], b.wagon, 3);
        REQUIRE(!MICA_IS_NONE(facet));
        CHECK(MICA_EQUAL(wagon[0], linked(world, b.link, wagon[1])));
        CHECK(MICA_EQUAL(wagon[1], linked(world, b.link, wagon[2])));
        CHECK(MICA_EQUAL(wagon[2], linked(world, b.link, facet)));
        CHECK_EQUAL(0, part.lost_references);

        // [merge.left_out]
        CHECK(!mica_resource_get(world, partial));

        // [merge.names]
        const mica_stream from = {.buffer = &image};
        uint64_t before = state_of(world);
        check_refused(&b.t, before, MICA_ERROR_NAME,
                      mica_subset_load(world, &from, NULL, e, 6, &part));
        REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &from, &(mica_load_desc){.drop_names = true},
                                                e, 2, &part));
        CHECK_EQUAL(1, part.unnamed);
        CHECK(MICA_EQUAL(first, mica_entity_find(world, "first")));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));

        // [merge.no_out]
        CHECK_EQUAL(MICA_OK, mica_subset_load(world, &from, &(mica_load_desc){.drop_names = true},
                                              NULL, 0, NULL));
        check_refused(
            &b.t, state_of(world), MICA_ERROR_NULL,
            mica_subset_load(world, &from, &(mica_load_desc){.drop_names = true}, NULL, 1, NULL));
        scene_end(&a);
        scene_end(&b);
    }

    // [merge.references]: to others; only whole worlds have such
    scene a, b;
    scene_begin(&a, MICA_TABLE);
    scene_begin(&b, MICA_TABLE);
    mica_entity dead = mica_spawn_values(a.world, NULL, 0);
    mica_despawn(a.world, dead);
    mica_set(a.world, a.e[2], MICA_VALUE(a.link, Link, dead));
    save(a.world, MICA_IMAGE_BINARY, &image);
    mica_entity e[4];
    const mica_stream from = {.buffer = &image};
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(b.world, &from, NULL, e, 4, &part));
    CHECK_EQUAL(1, part.lost_references);
    CHECK(MICA_IS_NONE(linked(b.world, b.link, e[3])));

    // [merge.types]
    mica_type strange = MICA_TAG(a.world, Strange);
    mica_add(a.world, a.e[0], strange);
    save_part(&a, MICA_IMAGE_BINARY, &image, NULL);
    uint64_t before = state_of(b.world);
    check_refused(&b.t, before, MICA_ERROR_SCHEMA,
                  mica_subset_load(b.world, &from, NULL, e, 4, &part));
    const mica_alias alias = {"Unused", NULL, "Strange"};
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(b.world, &from,
                                            &(mica_load_desc){.aliases = &alias, .alias_count = 1},
                                            e, 4, &part));
    CHECK(mica_has(b.world, e[2], b.other)); // who is in another table than the first two

    // [merge.fail]: the failures of mica_world_load()
    const mica_load_desc kept = {.unknown = MICA_UNKNOWN_KEPT};
    before = state_of(b.world);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_subset_load(NULL, &from, NULL, e, 4, &part));
    check_refused(&b.t, before, MICA_ERROR_NULL,
                  mica_subset_load(b.world, NULL, NULL, e, 4, &part));
    check_refused(&b.t, before, MICA_ERROR_DESC,
                  mica_subset_load(b.world, &from, &(mica_load_desc){.last_zero = 1}, e, 4, &part));
    check_refused(&b.t, before, MICA_ERROR_ARGUMENT,
                  mica_subset_load(b.world, &(mica_stream){0}, NULL, e, 4, &part));
    check_refused(
        &b.t, before, MICA_ERROR_STREAM,
        mica_subset_load(b.world, &(mica_stream){.read = cannot_read}, NULL, e, 4, &part));
    for (size_t i = 0; i < image.size; i += 11) {
        const mica_stream cut = {.data = image.data, .size = i};
        check_refused(&b.t, before, MICA_ERROR_IMAGE,
                      mica_subset_load(b.world, &cut, &kept, e, 4, &part));
    }
    mica_result result = MICA_ERROR_MEMORY;
    for (uint64_t k = 1; result; k++) {
        test_memory_fail_at(&b.t.memory, k, TEST_MEMORY_ONCE);
        result = mica_subset_load(b.world, &from, &kept, e, 4, &part);
        test_memory_fail_at(&b.t.memory, 0, TEST_MEMORY_ONCE);
        if (result) {
            check_refused(&b.t, before, MICA_ERROR_MEMORY, result);
        }
    }
    scene_end(&b);
    check_all_refused_inside();

    // [merge.fail]: MICA_ERROR_LIMIT; four are needed, with the facet's
    test_world t;
    test_world_prepare(&t);
    t.desc.max_entities = 5;
    mica_world *world = test_world_open(&t);
    mica_spawn_values(world, NULL, 0);
    mica_entity gone = mica_spawn_values(world, NULL, 0);
    mica_spawn_values(world, NULL, 0);
    mica_despawn(world, gone);
    check_refused(&t, state_of(world), MICA_ERROR_LIMIT,
                  mica_subset_load(world, &from, &kept, e, 4, &part));
    mica_despawn(world, mica_entity_next(world, (mica_entity){0}));
    CHECK_EQUAL(MICA_OK, mica_subset_load(world, &from, &kept, e, 4, &part));
    test_world_end(&t);

    // [merge.pointers]
    test_world_prepare(&t);
    t.desc.relocate_always = true;
    world = test_world_open(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_type wagon = MICA_TAG(world, Wagon);
    mica_entity own = mica_spawn(world, MICA_ADD(link), MICA_ADD(wagon));
    const void *was = mica_get(world, own, link);
    save_part(&a, MICA_IMAGE_BINARY, &image, NULL);
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &from, &kept, NULL, 0, NULL));
    CHECK(was != mica_get(world, own, link));
    test_world_end(&t);
    scene_end(&a);

    // [merge.cost]
    size_t needed[2], stays[2];
    uint64_t allocations[2];
    for (uint32_t i = 0; i < 2; i++) {
        world = test_world_begin(&t);
        mica_type place = register_place(world, MICA_TABLE);
        mica_bundle bundle = mica_bundle_new(world, &place, 1);
        REQUIRE_EQUAL(MICA_OK,
                      mica_spawn_many(world, bundle, i == 0 ? 20000 : 80000, NULL, 0, NULL));
        save(world, MICA_IMAGE_BINARY, &image);
        mica_world_clear(world);
        mica_world_reclaim(world);
        size_t bytes = forget_peak(&t);
        uint64_t at = t.memory.allocations;
        REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &from, NULL, NULL, 0, NULL));
        allocations[i] = t.memory.allocations - at;
        needed[i] = beside(&t, bytes);
        stays[i] = t.memory.bytes - bytes;
        test_world_end(&t);
    }
    CHECK(allocations[1] < 5 * allocations[0]);
    size_t more = stays[1] - stays[0];
    CHECK(needed[1] - needed[0] > 2 * more - more / 4);
    CHECK(needed[1] - needed[0] < 2 * more + more / 2);
    mica_buffer_free(&image);
}

TESTS(image, promise_of_mica_world_save, promise_of_mica_world_load, promise_of_mica_subset_save,
      promise_of_mica_subset_load)
