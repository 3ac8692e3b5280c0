#include "core/registry.h"

#include <stdio.h>
#include <string.h>

#include "runner/host.h"
#include "runner/test.h"

typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_registry types;
} fixture;

static void begin(fixture *f, uint32_t limit)
{
    memset(f, 0, sizeof *f);
    f->host = test_host_begin(&f->t);
    micai_registry_init(&f->types, limit, 7);
}

static void end(fixture *f)
{
    CHECK_EQUAL(MICA_OK, micai_registry_validate(f->host, &f->types));
    micai_registry_free(f->host, &f->types);
    test_host_end(&f->t);
}

static mica_type add(fixture *f, const mica_type_desc *desc)
{
    return micai_registry_register(f->host, &f->types, "mica_type_register", desc);
}

static mica_type add_tag(fixture *f, const char *name)
{
    return add(f, &(mica_type_desc){.name = name});
}

static mica_type add_plain(fixture *f, const char *name, uint32_t size, uint32_t align)
{
    return add(f, &(mica_type_desc){.name = name, .size = size, .align = align});
}

static void a_stamp_holds_the_number_and_the_world(void)
{
    char place = 0;
    uint64_t a = micai_stamp_seal(&place);
    uint64_t b = micai_stamp_seal(&place); // later
    const uint32_t numbers[] = {0, 1, 255, 256, MICAI_STAMP_NUMBER_MAX};
    for (size_t i = 0; i < 5; i++) {
        uint64_t bits = micai_stamp_make(a, 5, numbers[i]);
        CHECK_EQUAL(numbers[i], micai_stamp_number(bits));
        CHECK(bits != micai_stamp_make(b, 5, numbers[i]));
        CHECK(bits != micai_stamp_make(a, 6, numbers[i]));
        CHECK_EQUAL(numbers[i], micai_stamp_number(micai_stamp_make_type(a, 5, numbers[i], true)));
        CHECK(micai_stamp_is_sparse(micai_stamp_make_type(a, 5, numbers[i], true)));
        CHECK(!micai_stamp_is_sparse(micai_stamp_make_type(a, 5, numbers[i], false)));
    }
    CHECK_EQUAL(UINT32_MAX, micai_stamp_number(0));
    CHECK_EQUAL(UINT32_MAX, micai_stamp_number(UINT64_C(0xffffffffff000000)));
    CHECK_EQUAL(16777214, MICAI_STAMP_NUMBER_MAX);
}

static void types_are_numbered_in_order_and_found_by_handle_and_name(void)
{
    fixture f;
    begin(&f, 0);
    enum { COUNT = 200 };
    mica_type types[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "Type%u", (unsigned)i);
        types[i] = i % 3 ? add_plain(&f, name, 4 * i, 4) : add_tag(&f, name);
    }
    CHECK_EQUAL(COUNT, f.types.list.count);
    for (uint32_t i = 0; i < COUNT; i++) {
        const micai_type *type = micai_registry_find(&f.types, types[i]);
        REQUIRE(type != NULL);
        CHECK_EQUAL(i, type->number);
        CHECK_EQUAL(types[i].bits, type->info.type.bits);
        CHECK_EQUAL(i % 3 ? 4 * i : 0, type->info.size);
        CHECK_EQUAL(i % 3 ? 4 : 1, type->info.align);
        CHECK_POINTER(type, micai_registry_find_name(&f.types, type->info.name));
        CHECK_EQUAL(i % 3 != 0,
                    micai_bits_has(f.types.column_words.items, f.types.column_words.count, i));
    }
    CHECK_POINTER(NULL, micai_registry_find_name(&f.types, "Type200"));
    CHECK_POINTER(NULL, micai_registry_find_name(&f.types, ""));
    end(&f);
}

static void a_handle_that_was_not_given_out_is_no_type(void)
{
    fixture f;
    begin(&f, 0);
    mica_type type = add_tag(&f, "A");
    const uint64_t bits[] = {0,
                             1,
                             type.bits + 1,
                             type.bits ^ UINT64_C(1) << 24,
                             UINT64_MAX,
                             UINT64_C(0xA5A5A5A5A5A5A5A5),
                             type.bits & 0xffffff};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        CHECK_POINTER(NULL, micai_registry_find(&f.types, (mica_type){bits[i]}));
    }
    CHECK_EQUAL(MICA_ERROR_TYPE, micai_registry_fail(f.host, "call", (mica_type){0}));
    CHECK_ERROR(&f.t, MICA_ERROR_TYPE, "call: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_TYPE, micai_registry_fail(f.host, "call", (mica_type){bits[5]}));
    CHECK_ERROR(&f.t, MICA_ERROR_TYPE,
                "call: the component type is of another world, or no type at all");
    end(&f);
}

static mica_result construct(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, (size_t)count * context->type->size);
    return MICA_OK;
}

static void destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0xDD, (size_t)count * context->type->size);
}

static mica_result copy(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context)
{
    memcpy(target, source, (size_t)count * context->type->size);
    return MICA_OK;
}

static void move(void *target, void *source, uint32_t count, const mica_hook_context *context)
{
    memcpy(target, source, (size_t)count * context->type->size);
}

static void a_type_keeps_what_its_descriptor_said(void)
{
    fixture f;
    begin(&f, 0);
    char name[] = "Thing";
    int64_t value[2] = {5, -5};
    int user = 0;
    mica_type_desc desc = {.name = name,
                           .size = 16,
                           .align = 8,
                           .default_value = value,
                           .hooks = {.destruct = destruct, .move = move},
                           .user = &user};
    mica_type type = add(&f, &desc);
    name[0] = 'X';
    value[0] = 0;
    const mica_type_info *info = &micai_registry_find(&f.types, type)->info;
    CHECK_TEXT("Thing", info->name);
    CHECK_EQUAL(16, info->size);
    CHECK_EQUAL(8, info->align);
    CHECK_BYTES(((const int64_t[]){5, -5}), info->default_value, 16);
    CHECK_EQUAL(0, (uintptr_t)info->default_value % 8);
    CHECK(info->hooks.destruct == destruct && info->hooks.move == move);
    CHECK(info->hooks.construct == NULL && info->hooks.copy == NULL);
    CHECK_POINTER(&user, info->user);
    CHECK_POINTER(NULL, info->fields);
    CHECK_EQUAL(0, info->field_count);

    desc = (mica_type_desc){
        .name = "Hooked",
        .size = 1,
        .align = 1,
        .hooks = {.construct = construct, .destruct = destruct, .copy = copy, .move = move}};
    info = &micai_registry_find(&f.types, add(&f, &desc))->info;
    CHECK(info->hooks.construct == construct && info->hooks.copy == copy);
    CHECK_POINTER(NULL, info->default_value);
    end(&f);
}

static void a_default_value_has_the_alignment_of_its_type(void)
{
    fixture f;
    begin(&f, 0);
    static const unsigned char value[2 * MICA_TYPE_ALIGN_MAX] = {1, 2, 3};
    for (uint32_t align = 1; align <= MICA_TYPE_ALIGN_MAX; align *= 2) {
        char name[16];
        snprintf(name, sizeof name, "Align%u", (unsigned)align);
        mica_type type =
            add(&f, &(mica_type_desc){
                        .name = name, .size = 2 * align, .align = align, .default_value = value});
        const mica_type_info *info = &micai_registry_find(&f.types, type)->info;
        CHECK_EQUAL(0, (uintptr_t)info->default_value % align);
        CHECK_BYTES(value, info->default_value, 2 * align);
    }
    end(&f);
}

static void a_descriptor_that_was_not_zeroed_is_refused(void)
{
    fixture f;
    begin(&f, 0);
    static const char sentence[] =
        "mica_type_register: the descriptor was not zeroed before it was filled in";
    mica_type_desc desc;
    memset(&desc, 0xA5, sizeof desc);
    CHECK(MICA_IS_NONE(add(&f, &desc)));
    CHECK_ERROR(&f.t, MICA_ERROR_DESC, sentence);
    CHECK(MICA_IS_NONE(add(&f, &(mica_type_desc){.first_zero = 1, .name = "A"})));
    CHECK_ERROR(&f.t, MICA_ERROR_DESC, sentence);
    CHECK(MICA_IS_NONE(add(&f, &(mica_type_desc){.name = "A", .last_zero = 1})));
    CHECK_ERROR(&f.t, MICA_ERROR_DESC, sentence);
    CHECK_EQUAL(0, f.types.list.count);
    end(&f);
}

static void a_type_needs_a_good_name(void)
{
    fixture f;
    begin(&f, 0);
    static const char *const sentences[] = {
        "mica_type_register: the name is missing",
        "mica_type_register: the name is empty",
        "mica_type_register: the name is not printable",
        "mica_type_register: the name is not printable",
        "mica_type_register: the name is longer than 255 bytes",
    };
    char name[MICA_NAME_SIZE_MAX + 2];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    const char *const names[] = {NULL, "", "a\nb", "\x7f", name};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CHECK(MICA_IS_NONE(add_tag(&f, names[i])));
        CHECK_ERROR(&f.t, MICA_ERROR_NAME, sentences[i]);
    }
    name[MICA_NAME_SIZE_MAX] = '\0';
    CHECK(!MICA_IS_NONE(add_tag(&f, name)));
    CHECK(!MICA_IS_NONE(add_tag(&f, "a name with spaces: \xc3\xa9")));
    end(&f);
}

static void a_sentence_with_a_long_name_is_cut(void)
{
    fixture f;
    begin(&f, 0);
    char name[MICA_NAME_SIZE_MAX + 1];
    memset(name, 'n', sizeof name);
    name[MICA_NAME_SIZE_MAX] = '\0';
    add_tag(&f, name);
    CHECK(MICA_IS_NONE(add_plain(&f, name, 1, 1)));
    const char *sentence = f.t.error.last.sentence;
    CHECK_EQUAL(sizeof f.t.error.last.sentence - 1, strlen(sentence));
    CHECK(strncmp("mica_type_register: 'nnn", sentence, 24) == 0);
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    end(&f);
}

static void a_size_must_be_possible(void)
{
    fixture f;
    begin(&f, 0);
    CHECK(MICA_IS_NONE(add_plain(&f, "T", MICA_TYPE_SIZE_MAX + 1, 1)));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE,
                "mica_type_register: 'T' has 1048577 bytes; 1048576 is the most");
    CHECK(MICA_IS_NONE(add_plain(&f, "T", UINT32_MAX, 1)));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE,
                "mica_type_register: 'T' has 4294967295 bytes; 1048576 is the most");
    CHECK(MICA_IS_NONE(add_plain(&f, "T", 6, 4)));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE,
                "mica_type_register: 'T' has 6 bytes, which is not a multiple of its alignment 4");
    CHECK(MICA_IS_NONE(add_plain(&f, "T", 0, 4)));
    CHECK_ERROR(
        &f.t, MICA_ERROR_SIZE,
        "mica_type_register: 'T' has alignment 4 but size 0; set .size to sizeof of its type, "
        "or .align to 0 for a tag");
    CHECK(!MICA_IS_NONE(add_plain(&f, "Largest", MICA_TYPE_SIZE_MAX, MICA_TYPE_ALIGN_MAX)));
    CHECK(!MICA_IS_NONE(add_plain(&f, "Smallest", 1, 1)));
    CHECK(!MICA_IS_NONE(add_plain(&f, "Tag", 0, 1)));
    end(&f);
}

static void an_alignment_must_be_a_power_of_two(void)
{
    fixture f;
    begin(&f, 0);
    CHECK(MICA_IS_NONE(add_plain(&f, "T", 4, 0)));
    CHECK_ERROR(&f.t, MICA_ERROR_ALIGNMENT,
                "mica_type_register: 'T' has alignment 0, not a power of two up to 4096");
    CHECK(MICA_IS_NONE(add_plain(&f, "T", 12, 3)));
    CHECK_ERROR(&f.t, MICA_ERROR_ALIGNMENT,
                "mica_type_register: 'T' has alignment 3, not a power of two up to 4096");
    CHECK(MICA_IS_NONE(add_plain(&f, "T", 8192, 8192)));
    CHECK_ERROR(&f.t, MICA_ERROR_ALIGNMENT,
                "mica_type_register: 'T' has alignment 8192, not a power of two up to 4096");
    CHECK(MICA_IS_NONE(add_plain(&f, "T", 0, 6)));
    CHECK_ERROR(&f.t, MICA_ERROR_ALIGNMENT,
                "mica_type_register: 'T' has alignment 6, not a power of two up to 4096");
    end(&f);
}

static void a_tag_has_neither_hooks_nor_a_default(void)
{
    fixture f;
    begin(&f, 0);
    const mica_type_desc descs[] = {
        {.name = "T", .default_value = "x"},           {.name = "T", .hooks.construct = construct},
        {.name = "T", .hooks.destruct = destruct},     {.name = "T", .hooks.copy = copy},
        {.name = "T", .align = 1, .hooks.move = move},
    };
    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++) {
        CHECK(MICA_IS_NONE(add(&f, &descs[i])));
        CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT,
                    "mica_type_register: 'T' has size 0, a tag, but hooks or a default value");
    }
    end(&f);
}

static void a_default_does_not_go_with_construct_or_copy(void)
{
    fixture f;
    begin(&f, 0);
    mica_type_desc desc = {.name = "T", .size = 1, .align = 1, .default_value = "x"};
    static const char sentence[] =
        "mica_type_register: 'T' has a default value beside a construct or copy hook";
    desc.hooks.construct = construct;
    CHECK(MICA_IS_NONE(add(&f, &desc)));
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT, sentence);
    desc.hooks.construct = NULL;
    desc.hooks.copy = copy;
    CHECK(MICA_IS_NONE(add(&f, &desc)));
    CHECK_ERROR(&f.t, MICA_ERROR_ARGUMENT, sentence);
    desc.hooks = (mica_hooks){.destruct = destruct, .move = move};
    CHECK(!MICA_IS_NONE(add(&f, &desc)));
    end(&f);
}

static void bad_fields_refuse_the_type(void)
{
    fixture f;
    begin(&f, 0);
    const mica_field_info field = {.name = "f"};
    CHECK(MICA_IS_NONE(
        add(&f, &(mica_type_desc){
                    .name = "T", .size = 4, .align = 4, .fields = &field, .field_count = 1})));
    CHECK_ERROR(&f.t, MICA_ERROR_FIELD, "field 'f' of type 'T' has no kind");
    CHECK_EQUAL(0, f.types.list.count);
    end(&f);
}

// A type with everything that can differ.
static mica_type_desc full_desc(const mica_field_info *fields)
{
    static int user;
    static const unsigned char value[16] = {1, 2, 3, 4, 5, 6, 7}; // enough for other sizes too
    return (mica_type_desc){.name = "T",
                            .size = 8,
                            .align = 4,
                            .fields = fields,
                            .field_count = 2,
                            .default_value = value,
                            .hooks = {.destruct = destruct, .move = move},
                            .user = &user};
}

static void registering_the_same_again_gives_the_same_type(void)
{
    fixture f;
    begin(&f, 1);
    mica_field_info fields[] = {{.name = "a", .kind = MICA_KIND_I32, .count = 1},
                                {.name = "b", .kind = MICA_KIND_I16, .offset = 4, .size = 4}};
    mica_type_desc desc = full_desc(fields);
    mica_type type = add(&f, &desc);
    CHECK(MICA_EQUAL(type, add(&f, &desc)));
    // The same said in another way.
    mica_field_info again[] = {{.name = "b", .kind = MICA_KIND_I16, .offset = 4, .count = 2},
                               {.name = "a", .kind = MICA_KIND_I32}};
    desc.fields = again;
    CHECK(MICA_EQUAL(type, add(&f, &desc)));
    CHECK_EQUAL(1, f.types.list.count);
    end(&f);
}

static void repetition_and_failure_take_no_memory_for_ever(void)
{
    fixture f;
    begin(&f, 1);
    mica_field_info fields[] = {{.name = "a", .kind = MICA_KIND_I32},
                                {.name = "b", .kind = MICA_KIND_I32, .offset = 4}};
    mica_type_desc desc = full_desc(fields);
    add(&f, &desc);
    size_t bytes = f.host->memory.bytes;
    for (int i = 0; i < 1000; i++) {
        desc.user = NULL; // another shape
        add(&f, &desc);
        desc = full_desc(fields);
        add(&f, &desc);   // the same
        add_tag(&f, "U"); // beyond the limit
    }
    CHECK_EQUAL(2000, test_error_clear(&f.t.error));
    CHECK_EQUAL(bytes, f.host->memory.bytes);
    end(&f);
}

#define CHECK_SHAPE(f, desc, what)                                                                 \
    (CHECK(MICA_IS_NONE(add(f, &(desc)))),                                                         \
     CHECK_ERROR(&(f)->t, MICA_ERROR_SHAPE, "mica_type_register: 'T' is registered with " what))

static void the_same_name_with_another_shape_says_what_differs(void)
{
    fixture f;
    begin(&f, 0);
    mica_type vec = add_plain(&f, "Vec", 4, 4);
    mica_type wec = add_plain(&f, "Wec", 4, 4);
    static const mica_enumerator moods[] = {{"sad", 0}, {"happy", 1}, {0}};
    static const mica_enumerator other[] = {{"sad", 0}, {"happy", 2}, {0}};
    const mica_field_info good[] = {
        {.name = "a", .kind = MICA_KIND_STRUCT, .type = vec},
        {.name = "b", .kind = MICA_KIND_ENUM, .offset = 4, .size = 2, .enumerators = moods}};
    mica_field_info fields[2];
    memcpy(fields, good, sizeof good);
    mica_type_desc desc = full_desc(fields);
    REQUIRE(!MICA_IS_NONE(add(&f, &desc)));

    desc.size = 12;
    CHECK_SHAPE(&f, desc, "another size");
    desc.size = 8;
    desc.align = 8;
    CHECK_SHAPE(&f, desc, "another alignment");
    desc.align = 4;

    desc.field_count = 1;
    CHECK_SHAPE(&f, desc, "other fields");
    desc.field_count = 2;
    fields[0].name = "c";
    CHECK_SHAPE(&f, desc, "other fields");
    fields[0] = (mica_field_info){.name = "a", .kind = MICA_KIND_I32};
    CHECK_SHAPE(&f, desc, "other fields");
    fields[0] = good[0];
    fields[0].type = wec;
    CHECK_SHAPE(&f, desc, "other fields");
    fields[0] = good[0];
    fields[1].offset = 5;
    CHECK_SHAPE(&f, desc, "other fields");
    fields[1] = good[1];
    fields[1].size = 1;
    CHECK_SHAPE(&f, desc, "other fields");
    fields[1].count = 2;
    fields[1].size = 4;
    CHECK_SHAPE(&f, desc, "other fields");
    fields[1] = good[1];
    fields[1].enumerators = other;
    CHECK_SHAPE(&f, desc, "other fields");
    fields[1] = good[1];

    desc.hooks.destruct = NULL;
    CHECK_SHAPE(&f, desc, "other hooks");
    desc.hooks = (mica_hooks){.destruct = destruct};
    CHECK_SHAPE(&f, desc, "other hooks");
    desc.default_value = NULL;
    desc.hooks = (mica_hooks){.construct = construct, .destruct = destruct, .move = move};
    CHECK_SHAPE(&f, desc, "other hooks");
    desc.hooks = (mica_hooks){.copy = copy, .destruct = destruct, .move = move};
    CHECK_SHAPE(&f, desc, "other hooks");

    desc = full_desc(fields);
    desc.default_value = NULL;
    CHECK_SHAPE(&f, desc, "another default value");
    desc.default_value = "\1\2\3\4\5\6\6";
    CHECK_SHAPE(&f, desc, "another default value");
    desc = full_desc(fields);
    desc.user = NULL;
    CHECK_SHAPE(&f, desc, "another user pointer");

    desc = (mica_type_desc){.name = "Vec", .size = 4, .align = 4, .default_value = "abc"};
    CHECK(MICA_IS_NONE(add(&f, &desc)));
    CHECK_ERROR(&f.t, MICA_ERROR_SHAPE,
                "mica_type_register: 'Vec' is registered with another default value");
    CHECK_EQUAL(3, f.types.list.count);
    end(&f);
}

static void one_type_more_than_the_limit_is_an_error(void)
{
    fixture f;
    begin(&f, 2);
    mica_type a = add_tag(&f, "A");
    add_tag(&f, "B");
    CHECK(MICA_IS_NONE(add_tag(&f, "C")));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT,
                "mica_type_register: 'C' is one more than the world's limit of 2 types");
    CHECK(MICA_EQUAL(a, add_tag(&f, "A")));
    CHECK_EQUAL(2, f.types.list.count);
    CHECK_POINTER(NULL, micai_registry_find_name(&f.types, "C"));
    end(&f);

    begin(&f, 0);
    CHECK_EQUAL(16777215, f.types.limit);
    end(&f);
}

static void wherever_memory_runs_out_the_types_are_as_before(void)
{
    const mica_field_info fields[] = {{.name = "a", .kind = MICA_KIND_I32},
                                      {.name = "b", .kind = MICA_KIND_I32, .offset = 4}};
    const mica_type_desc desc = full_desc(fields);
    uint32_t refused = 0;
    for (size_t fill = 3000; fill < 4090; fill++) {
        fixture f;
        begin(&f, 0);
        add_tag(&f, "Tag");
        // All but a rest of the arena's first block is used up.
        REQUIRE(micai_arena_alloc(f.host, &f.types.arena, fill - f.types.arena.used, 1) != NULL);
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS);
        bool failed = MICA_IS_NONE(add(&f, &desc));
        CHECK_EQUAL(f.t.memory.refusals > 0, failed);
        CHECK_EQUAL(f.t.memory.refusals, test_error_clear(&f.t.error));
        CHECK_EQUAL(failed ? 1 : 2, f.types.list.count);
        CHECK_EQUAL(MICA_OK, micai_registry_validate(f.host, &f.types));
        refused += failed;
        test_memory_fail_at(&f.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK(!MICA_IS_NONE(add(&f, &desc)));
        end(&f);
    }
    CHECK(refused > 100 && refused < 1090);
}

#define CHECK_BROKEN(f, sentence)                                                                  \
    (CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_registry_validate((f)->host, &(f)->types)),             \
     CHECK_ERROR(&(f)->t, MICA_ERROR_CORRUPT, sentence))

// Type 0 is the tag 'A', type 1 'T' with two fields.
static void begin_validate(fixture *f)
{
    begin(f, 0);
    add_tag(f, "A");
    const mica_field_info fields[] = {{.name = "a", .kind = MICA_KIND_I32},
                                      {.name = "b", .kind = MICA_KIND_I32, .offset = 4}};
    const mica_type_desc desc = full_desc(fields);
    add(f, &desc);
    REQUIRE_EQUAL(2, f->types.list.count);
}

static void validation_finds_a_broken_k1(void)
{
    fixture f;
    begin_validate(&f);
    micai_type *type = f.types.list.items[1];
    type->number = 0;
    CHECK_BROKEN(&f, "invariant K1 is broken: type 1 thinks it is another");
    type->number = 1;
    type->info.type.bits ^= UINT64_C(1) << 40;
    CHECK_BROKEN(&f, "invariant K1 is broken: type 1 thinks it is another");
    type->info.type.bits ^= UINT64_C(1) << 40;
    type->name_hash++;
    CHECK_BROKEN(&f, "invariant K1 is broken: type 1 thinks it is another");
    type->name_hash--;
    end(&f);
}

static void validation_finds_a_broken_k2(void)
{
    fixture f;
    begin_validate(&f);
    micai_type *type = f.types.list.items[1];
    const char *name = type->info.name;
    type->info.name = "";
    CHECK_BROKEN(&f, "invariant K2 is broken: type 1 has lost its name");
    type->info.name = f.types.list.items[0]->info.name;
    CHECK_BROKEN(&f, "invariant K2 is broken: type 'A' is not found by name");
    type->info.name = name;
    f.types.by_name.count++;
    CHECK_BROKEN(&f, "invariant H1 is broken: a map of 2 entries counts 3, with room for 6");
    f.types.by_name.count--;
    // The map's own invariants are swept too.
    micai_map_entry spare = {0, 0};
    micai_map_entry *entry = f.types.by_name.entries;
    while (entry->value != MICAI_MAP_NONE) {
        entry++;
    }
    *entry = spare;
    CHECK_BROKEN(&f, "invariant H1 is broken: a map of 3 entries counts 2, with room for 6");
    entry->value = MICAI_MAP_NONE;
    end(&f);
}

static void validation_finds_a_broken_k3(void)
{
    fixture f;
    begin_validate(&f);
    micai_bits_set(f.types.column_words.items, 0);
    CHECK_BROKEN(&f, "invariant K3 is broken: type 'A' is wrongly said to have columns or not");
    micai_bits_clear(f.types.column_words.items, 0);
    micai_bits_clear(f.types.column_words.items, 1);
    CHECK_BROKEN(&f, "invariant K3 is broken: type 'T' is wrongly said to have columns or not");
    micai_bits_set(f.types.column_words.items, 1);
    f.types.column_words.count = 0;
    CHECK_BROKEN(&f, "invariant K3 is broken: there are no 0 types with columns");
    f.types.column_words.count = 1;
    end(&f);
}

static void validation_finds_a_broken_k4(void)
{
    fixture f;
    begin_validate(&f);
    mica_type_info *info = &f.types.list.items[1]->info;
    mica_field_info *fields = (mica_field_info *)(uintptr_t)info->fields;
    mica_field_info good[2];
    memcpy(good, fields, sizeof good);
    info->field_count = MICA_FIELDS_MAX + 1;
    CHECK_BROKEN(&f, "invariant K4 is broken: type 'T' has lost its fields");
    info->field_count = 2;
    fields[1].offset = 3;
    CHECK_BROKEN(&f, "invariant K4 is broken: field 'b' of type 'T' is out of place");
    fields[1].offset = 5;
    CHECK_BROKEN(&f, "invariant K4 is broken: field 'b' of type 'T' is out of place");
    fields[1].offset = 4;
    fields[1].size = UINT32_MAX;
    CHECK_BROKEN(&f, "invariant K4 is broken: field 'b' of type 'T' is out of place");
    fields[1] = good[0];
    CHECK_BROKEN(&f, "invariant K4 is broken: field 'a' of type 'T' is out of place");
    fields[1] = good[1];
    fields[1].offset = 100; // beyond the type, where size minus offset would wrap
    CHECK_BROKEN(&f, "invariant K4 is broken: field 'b' of type 'T' is out of place");
    fields[1] = good[1];
    uint64_t *hashes = (uint64_t *)(uintptr_t)f.types.list.items[1]->field_hashes;
    hashes[0]++;
    CHECK_BROKEN(&f, "invariant K4 is broken: the name of field 'a' of type 'T' has another hash");
    hashes[0]--;
    end(&f);
}

static void validation_finds_a_broken_k5(void)
{
    fixture f;
    begin(&f, 0);
    add_plain(&f, "A", 4, 4);
    micai_type *type = f.types.list.items[0];
    type->depth = 2;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, micai_registry_validate(f.host, &f.types));
    CHECK_ERROR(&f.t, MICA_ERROR_CORRUPT, "invariant K5 is broken: type 'A' is 2 deep");
    type->depth = 1;
    end(&f);
}

static void structs_nest_sixteen_deep_and_no_deeper(void)
{
    fixture f;
    begin(&f, 0);
    mica_type inner = (mica_type){0};
    for (uint32_t level = 1; level <= MICA_NESTING_MAX; level++) {
        char name[8];
        snprintf(name, sizeof name, "S%u", (unsigned)level);
        const mica_field_info fields[] = {
            {.name = "a", .kind = MICA_KIND_I32},
            {.name = "x",
             .kind = level > 1 ? MICA_KIND_STRUCT : MICA_KIND_I32,
             .type = inner,
             .offset = 4},
        };
        inner = add(&f, &(mica_type_desc){.name = name,
                                          .size = 4 * (level + 1),
                                          .align = 4,
                                          .fields = fields,
                                          .field_count = 2});
        REQUIRE(!MICA_IS_NONE(inner));
        CHECK_EQUAL(level, micai_registry_find(&f.types, inner)->depth);
    }
    const mica_field_info field = {.name = "x", .kind = MICA_KIND_STRUCT, .type = inner};
    const mica_type_desc desc = {
        .name = "Deep", .size = 68, .align = 4, .fields = &field, .field_count = 1};
    CHECK(MICA_IS_NONE(add(&f, &desc)));
    CHECK_ERROR(&f.t, MICA_ERROR_FIELD,
                "field 'x' of type 'Deep' is a struct of structs, more than 16 deep");
    CHECK_EQUAL(MICA_NESTING_MAX, f.types.list.count);
    end(&f);
}

TESTS(type, a_stamp_holds_the_number_and_the_world,
      types_are_numbered_in_order_and_found_by_handle_and_name,
      a_handle_that_was_not_given_out_is_no_type, a_type_keeps_what_its_descriptor_said,
      a_default_value_has_the_alignment_of_its_type, a_descriptor_that_was_not_zeroed_is_refused,
      a_type_needs_a_good_name, a_sentence_with_a_long_name_is_cut, a_size_must_be_possible,
      an_alignment_must_be_a_power_of_two, a_tag_has_neither_hooks_nor_a_default,
      a_default_does_not_go_with_construct_or_copy, bad_fields_refuse_the_type,
      registering_the_same_again_gives_the_same_type,
      repetition_and_failure_take_no_memory_for_ever,
      the_same_name_with_another_shape_says_what_differs, one_type_more_than_the_limit_is_an_error,
      wherever_memory_runs_out_the_types_are_as_before, validation_finds_a_broken_k1,
      validation_finds_a_broken_k2, validation_finds_a_broken_k3, validation_finds_a_broken_k4,
      validation_finds_a_broken_k5, structs_nest_sixteen_deep_and_no_deeper)
