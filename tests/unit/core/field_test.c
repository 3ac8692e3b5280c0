#include "core/field.h"

#include <string.h>

#include "core/registry.h"
#include "runner/host.h"
#include "runner/test.h"

typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_registry types;
    micai_arena arena;
    mica_type vec; // two floats
    mica_type tag;
} fixture;

static void fixture_begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->host = test_host_begin(&f->t);
    micai_registry_init(&f->types, 0, 7);
    const mica_field_info fields[] = {{.name = "x", .kind = MICA_KIND_F32},
                                      {.name = "y", .kind = MICA_KIND_F32, .offset = 4}};
    const mica_type_desc desc = {
        .name = "Vec", .size = 8, .align = 4, .fields = fields, .field_count = 2};
    f->vec = micai_registry_register(f->host, &f->types, "mica_type_register", &desc);
    f->tag = micai_registry_register(f->host, &f->types, "mica_type_register",
                                     &(mica_type_desc){.name = "Tag"});
    REQUIRE(!MICA_IS_NONE(f->vec) && !MICA_IS_NONE(f->tag));
}

static void fixture_end(fixture *f)
{
    micai_arena_free(f->host, &f->arena);
    micai_registry_free(f->host, &f->types);
    test_host_end(&f->t);
}

// The completed fields of a type 'T' of `size` bytes.
static mica_result copy(fixture *f, uint32_t size, const mica_field_info *fields, uint32_t count,
                        const mica_field_info **fields_out)
{
    const mica_type_desc desc = {
        .name = "T", .size = size, .align = 1, .fields = fields, .field_count = count};
    return micai_fields_copy(f->host, &f->types, &f->arena, &desc, fields_out);
}

static void every_kind_has_a_name(void)
{
    CHECK_TEXT("none", mica_kind_name(MICA_KIND_NONE));
    CHECK_TEXT("i8", mica_kind_name(MICA_KIND_I8));
    CHECK_TEXT("i16", mica_kind_name(MICA_KIND_I16));
    CHECK_TEXT("i32", mica_kind_name(MICA_KIND_I32));
    CHECK_TEXT("i64", mica_kind_name(MICA_KIND_I64));
    CHECK_TEXT("u8", mica_kind_name(MICA_KIND_U8));
    CHECK_TEXT("u16", mica_kind_name(MICA_KIND_U16));
    CHECK_TEXT("u32", mica_kind_name(MICA_KIND_U32));
    CHECK_TEXT("u64", mica_kind_name(MICA_KIND_U64));
    CHECK_TEXT("f32", mica_kind_name(MICA_KIND_F32));
    CHECK_TEXT("f64", mica_kind_name(MICA_KIND_F64));
    CHECK_TEXT("bool", mica_kind_name(MICA_KIND_BOOL));
    CHECK_TEXT("char", mica_kind_name(MICA_KIND_CHAR));
    CHECK_TEXT("entity", mica_kind_name(MICA_KIND_ENTITY));
    CHECK_TEXT("struct", mica_kind_name(MICA_KIND_STRUCT));
    CHECK_TEXT("enum", mica_kind_name(MICA_KIND_ENUM));
    CHECK_TEXT("none", mica_kind_name(MICA_KIND_COUNT));
    CHECK_TEXT("none", mica_kind_name((mica_kind)-1));
}

static void a_name_is_1_to_255_printable_characters(void)
{
    char name[MICA_NAME_SIZE_MAX + 2];
    memset(name, 'a', sizeof name);
    name[MICA_NAME_SIZE_MAX + 1] = '\0';
    CHECK(!micai_name_is_valid(name));
    name[MICA_NAME_SIZE_MAX] = '\0';
    CHECK(micai_name_is_valid(name));
    CHECK(!micai_name_is_valid(""));
    CHECK(micai_name_is_valid("a"));
    CHECK(micai_name_is_valid(" a name! \xc3\xa9 ~"));
    CHECK(!micai_name_is_valid("a\nb"));
    CHECK(!micai_name_is_valid("\t"));
    CHECK(!micai_name_is_valid("a\x1f"));
    CHECK(!micai_name_is_valid("\x7f"));
    CHECK(!micai_name_is_valid("a\xc2\x9b"
                               "2J")); // a control character of two bytes
    CHECK(micai_name_is_valid("\xc2\xa0\xc2"));
    CHECK_POINTER(NULL, micai_name_fault("a"));
    CHECK_TEXT("missing", micai_name_fault(NULL));
    CHECK_TEXT("empty", micai_name_fault(""));
    CHECK_TEXT("not printable", micai_name_fault("a\nb"));
}

TEST_WITH(fixture, f, no_fields_are_no_list)
{
    const mica_field_info unused = {0};
    const mica_field_info *fields = &unused;
    CHECK_EQUAL(MICA_OK, copy(f, 4, NULL, 0, &fields));
    CHECK_POINTER(NULL, fields);
    CHECK_EQUAL(0, f->arena.used);
}

TEST_WITH(fixture, f, size_and_count_of_a_field_are_completed)
{
    static const mica_enumerator moods[] = {{"sad", -1}, {"happy", 1}, {0}};
    const struct {
        mica_field_info given;
        uint32_t size;
        uint32_t count;
    } rows[] = {
        {{.kind = MICA_KIND_I8}, 1, 1},
        {{.kind = MICA_KIND_I16}, 2, 1},
        {{.kind = MICA_KIND_I32}, 4, 1},
        {{.kind = MICA_KIND_I64}, 8, 1},
        {{.kind = MICA_KIND_U8}, 1, 1},
        {{.kind = MICA_KIND_U16}, 2, 1},
        {{.kind = MICA_KIND_U32}, 4, 1},
        {{.kind = MICA_KIND_U64}, 8, 1},
        {{.kind = MICA_KIND_F32}, 4, 1},
        {{.kind = MICA_KIND_F64}, 8, 1},
        {{.kind = MICA_KIND_BOOL}, sizeof(bool), 1},
        {{.kind = MICA_KIND_CHAR}, 1, 1},
        {{.kind = MICA_KIND_ENTITY}, 8, 1},
        {{.kind = MICA_KIND_CHAR, .size = 16}, 16, 16},
        {{.kind = MICA_KIND_F32, .count = 3}, 12, 3},
        {{.kind = MICA_KIND_F32, .size = 12}, 12, 3},
        {{.kind = MICA_KIND_F32, .size = 12, .count = 3}, 12, 3},
        {{.kind = MICA_KIND_STRUCT, .type = f->vec}, 8, 1},
        {{.kind = MICA_KIND_STRUCT, .type = f->vec, .size = 24}, 24, 3},
        {{.kind = MICA_KIND_STRUCT, .type = f->vec, .count = 2}, 16, 2},
        {{.kind = MICA_KIND_ENUM, .enumerators = moods}, sizeof(int), 1},
        {{.kind = MICA_KIND_ENUM, .enumerators = moods, .size = 1}, 1, 1},
        {{.kind = MICA_KIND_ENUM, .enumerators = moods, .size = 2}, 2, 1},
        {{.kind = MICA_KIND_ENUM, .enumerators = moods, .size = 8}, 8, 1},
        {{.kind = MICA_KIND_ENUM, .enumerators = moods, .size = 12, .count = 3}, 12, 3},
        {{.kind = MICA_KIND_ENUM, .enumerators = moods, .count = 3}, 3 * sizeof(int), 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mica_field_info given = rows[i].given;
        given.name = "f";
        given.offset = 4;
        const mica_field_info *fields = NULL;
        REQUIRE_EQUAL(MICA_OK, copy(f, 28, &given, 1, &fields));
        CHECK_TEXT("f", fields->name);
        CHECK_EQUAL(given.kind, fields->kind);
        CHECK_EQUAL(4, fields->offset);
        CHECK_EQUAL(rows[i].size, fields->size);
        CHECK_EQUAL(rows[i].count, fields->count);
        CHECK_EQUAL(given.type.bits, fields->type.bits);
    }
}

TEST_WITH(fixture, f, fields_are_copied_and_sorted_by_offset)
{
    char name[] = "last";
    char word[] = "sad";
    mica_enumerator moods[] = {{word, -1}, {"happy", INT64_MAX}, {NULL, 0}};
    mica_field_info given[] = {
        {.name = name, .kind = MICA_KIND_ENUM, .offset = 12, .size = 4, .enumerators = moods},
        {.name = "first", .kind = MICA_KIND_I32},
        {.name = "middle", .kind = MICA_KIND_F64, .offset = 4}};
    const mica_field_info *fields = NULL;
    REQUIRE_EQUAL(MICA_OK, copy(f, 16, given, 3, &fields));
    name[0] = word[0] = 'X';
    moods[1].value = 5;
    memset(given, 0xA5, sizeof given);

    CHECK_TEXT("first", fields[0].name);
    CHECK_TEXT("middle", fields[1].name);
    CHECK_TEXT("last", fields[2].name);
    CHECK_POINTER(NULL, fields[0].enumerators);
    CHECK_TEXT("sad", fields[2].enumerators[0].name);
    CHECK_EQUAL(-1, fields[2].enumerators[0].value);
    CHECK_TEXT("happy", fields[2].enumerators[1].name);
    CHECK_EQUAL(INT64_MAX, fields[2].enumerators[1].value);
    CHECK_POINTER(NULL, fields[2].enumerators[2].name);
}

// One field 'f' in a type 'T' of 16 bytes is refused with MICA_ERROR_FIELD and "field 'f' of type
// 'T' " and the rest.
static void check_refused(fixture *f, mica_field_info field, const char *rest)
{
    char sentence[200] = "field 'f' of type 'T' ";
    strcat(sentence, rest);
    field.name = "f";
    const mica_field_info *fields = NULL;
    CHECK_EQUAL(MICA_ERROR_FIELD, copy(f, 16, &field, 1, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_FIELD, sentence);
}

TEST_WITH(fixture, f, a_field_without_a_kind_is_refused)
{
    check_refused(f, (mica_field_info){0}, "has no kind");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_COUNT}, "has no kind");
    check_refused(f, (mica_field_info){.kind = (mica_kind)-1}, "has no kind");
}

TEST_WITH(fixture, f, a_struct_field_needs_a_type_with_data)
{
    mica_field_info field = {.kind = MICA_KIND_STRUCT};
    check_refused(f, field, "is a struct of a type that is none, or of another world");
    field.type.bits = f->vec.bits ^ UINT64_C(1) << 63;
    check_refused(f, field, "is a struct of a type that is none, or of another world");
    field.type.bits = UINT64_C(0xA5A5A5A5A5A5A5A5);
    check_refused(f, field, "is a struct of a type that is none, or of another world");
    field.type = f->tag;
    check_refused(f, field, "is a struct of a tag, which has no data");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_I32, .type = f->vec},
                  "names a type but is no struct");
}

TEST_WITH(fixture, f, an_enum_field_needs_names_and_an_integer_size)
{
    static const mica_enumerator good[] = {{"a", 0}, {0}};
    static const mica_enumerator none[] = {{0}};
    static const mica_enumerator empty[] = {{"a", 0}, {"", 1}, {0}};
    static const mica_enumerator control[] = {{"a\n", 0}, {0}};
    mica_field_info field = {.kind = MICA_KIND_ENUM};
    check_refused(f, field, "is an enum without names");
    field.enumerators = none;
    check_refused(f, field, "is an enum without names");
    field.enumerators = empty;
    check_refused(f, field, "has an enumerator whose name is empty");
    field.enumerators = control;
    check_refused(f, field, "has an enumerator whose name is not printable");
    field.enumerators = good;
    field.size = 3;
    check_refused(f, field, "is an enum that has not 1, 2, 4 or 8 bytes");
    field.size = 16;
    check_refused(f, field, "is an enum that has not 1, 2, 4 or 8 bytes");
    field.count = 20;
    check_refused(f, field, "is an enum that has not 1, 2, 4 or 8 bytes");
    field.size = 5;
    field.count = 2;
    check_refused(f, field, "has 5 bytes, which is not 2 times 2");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_I32, .enumerators = good},
                  "has enumerators but is no enum");
}

TEST_WITH(fixture, f, size_and_count_must_agree_and_fit_the_type)
{
    check_refused(f, (mica_field_info){.kind = MICA_KIND_I32, .size = 8, .count = 3},
                  "has 8 bytes, which is not 3 times 4");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_I32, .size = 6},
                  "has 6 bytes, which is not 1 times 4");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_I32, .size = 2},
                  "has 2 bytes, which is not 0 times 4");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_STRUCT, .type = f->vec, .size = 12},
                  "has 12 bytes, which is not 1 times 8");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_I32, .offset = 13},
                  "ends at byte 17, outside the type's 16");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_I8, .offset = UINT32_MAX},
                  "ends at byte 4294967296, outside the type's 16");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_U64, .count = UINT32_MAX},
                  "ends at byte 34359738360, outside the type's 16");
    check_refused(f, (mica_field_info){.kind = MICA_KIND_CHAR, .size = UINT32_MAX},
                  "ends at byte 4294967295, outside the type's 16");
    // 2^32 elements too many would come out right in 32 bits.
    check_refused(f, (mica_field_info){.kind = MICA_KIND_U64, .size = 8, .count = (1u << 29) + 1},
                  "has 8 bytes, which is not 536870913 times 8");
}

TEST_WITH(fixture, f, a_field_name_must_be_good)
{
    mica_field_info given[] = {{.name = "good", .kind = MICA_KIND_I8}, {.kind = MICA_KIND_I8}};
    const mica_field_info *fields = NULL;
    given[1].offset = 1;
    CHECK_EQUAL(MICA_ERROR_NAME, copy(f, 2, given, 2, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_NAME, "field 1 of type 'T' has a name that is missing");
    given[1].name = "";
    CHECK_EQUAL(MICA_ERROR_NAME, copy(f, 2, given, 2, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_NAME, "field 1 of type 'T' has a name that is empty");
    given[1].name = "a\tb";
    CHECK_EQUAL(MICA_ERROR_NAME, copy(f, 2, given, 2, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_NAME, "field 1 of type 'T' has a name that is not printable");
}

TEST_WITH(fixture, f, fields_must_not_overlap_or_share_a_name)
{
    const mica_field_info *fields = NULL;
    const mica_field_info overlap[] = {{.name = "b", .kind = MICA_KIND_I32, .offset = 3},
                                       {.name = "a", .kind = MICA_KIND_I32}};
    CHECK_EQUAL(MICA_ERROR_FIELD, copy(f, 8, overlap, 2, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_FIELD, "fields 'a' and 'b' of type 'T' overlap");
    const mica_field_info same_place[] = {{.name = "a", .kind = MICA_KIND_I8},
                                          {.name = "b", .kind = MICA_KIND_I8}};
    CHECK_EQUAL(MICA_ERROR_FIELD, copy(f, 8, same_place, 2, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_FIELD, "fields 'a' and 'b' of type 'T' overlap");
    const mica_field_info twins[] = {{.name = "a", .kind = MICA_KIND_I8},
                                     {.name = "b", .kind = MICA_KIND_I8, .offset = 1},
                                     {.name = "a", .kind = MICA_KIND_I8, .offset = 2}};
    CHECK_EQUAL(MICA_ERROR_FIELD, copy(f, 8, twins, 3, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_FIELD, "type 'T' has two fields 'a'");
    const mica_field_info late_twins[] = {{.name = "a", .kind = MICA_KIND_I8},
                                          {.name = "b", .kind = MICA_KIND_I8, .offset = 1},
                                          {.name = "b", .kind = MICA_KIND_I8, .offset = 2}};
    CHECK_EQUAL(MICA_ERROR_FIELD, copy(f, 8, late_twins, 3, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_FIELD, "type 'T' has two fields 'b'");
}

TEST_WITH(fixture, f, the_list_of_fields_must_be_there_and_possible)
{
    const mica_field_info *fields = NULL;
    CHECK_EQUAL(MICA_ERROR_NULL, copy(f, 8, NULL, 2, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "type 'T' has 2 fields at null");
    const mica_field_info given[3] = {{.name = "a", .kind = MICA_KIND_I8}};
    CHECK_EQUAL(MICA_ERROR_FIELD, copy(f, 2, given, 3, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_FIELD, "type 'T' has 3 fields in 2 bytes");
    CHECK_EQUAL(MICA_ERROR_FIELD, copy(f, 0, given, 1, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_FIELD, "type 'T' has 1 fields in 0 bytes");
    CHECK_EQUAL(MICA_ERROR_FIELD, copy(f, 1u << 20, given, MICA_FIELDS_MAX + 1, &fields));
    CHECK_ERROR(&f->t, MICA_ERROR_FIELD, "type 'T' has 1025 fields; 1024 is the most");
}

static void wherever_memory_runs_out_the_copy_fails_with_one_report(void)
{
    static const mica_enumerator moods[] = {{"sad", -1}, {"happy", 1}, {0}};
    const mica_field_info given[] = {
        {.name = "a", .kind = MICA_KIND_ENUM, .enumerators = moods},
        {.name = "b", .kind = MICA_KIND_CHAR, .offset = 8},
    };
    uint32_t refused = 0;
    for (size_t fill = 3600; fill < 4080; fill++) {
        fixture f;
        fixture_begin(&f);
        // All but a rest of the first block is used up; there is no second one.
        REQUIRE(micai_arena_alloc(f.host, &f.arena, fill, 1) != NULL);
        test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONWARDS);
        const mica_field_info *fields = NULL;
        mica_result result = copy(&f, 16, given, 2, &fields);
        refused += f.t.memory.refusals > 0;
        CHECK_EQUAL(f.t.memory.refusals > 0 ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(f.t.memory.refusals, test_error_clear(&f.t.error));
        fixture_end(&f);
    }
    CHECK(refused > 100 && refused < 480);
}

static void equal_lists_of_fields_are_equal_in_everything(void)
{
    static const mica_enumerator a[] = {{"x", 1}, {"y", 2}, {0}};
    static const mica_enumerator same[] = {{"x", 1}, {"y", 2}, {0}};
    static const mica_enumerator other_name[] = {{"x", 1}, {"z", 2}, {0}};
    static const mica_enumerator other_value[] = {{"x", 1}, {"y", 3}, {0}};
    static const mica_enumerator shorter[] = {{"x", 1}, {0}};
    static const mica_enumerator longer[] = {{"x", 1}, {"y", 2}, {"z", 0}, {0}};
    const mica_field_info field = {"f", MICA_KIND_ENUM, 4, 8, 2, {7}, a, MICA_STRIPS_FIELDS};
    CHECK(micai_fields_equal(NULL, NULL, 0));
    CHECK(micai_fields_equal(&field, &field, 1));

    mica_field_info other = field;
    other.enumerators = same;
    CHECK(micai_fields_equal(&field, &other, 1));
    other.enumerators = other_name;
    CHECK(!micai_fields_equal(&field, &other, 1));
    other.enumerators = other_value;
    CHECK(!micai_fields_equal(&field, &other, 1));
    other.enumerators = shorter;
    CHECK(!micai_fields_equal(&field, &other, 1));
    other.enumerators = longer;
    CHECK(!micai_fields_equal(&field, &other, 1));
    other.enumerators = NULL;
    CHECK(!micai_fields_equal(&field, &other, 1) && !micai_fields_equal(&other, &field, 1));

    const mica_field_info changed[] = {
        {"g", MICA_KIND_ENUM, 4, 8, 2, {7}, a, MICA_STRIPS_FIELDS},
        {"f", MICA_KIND_I8, 4, 8, 2, {7}, a, MICA_STRIPS_FIELDS},
        {"f", MICA_KIND_ENUM, 5, 8, 2, {7}, a, MICA_STRIPS_FIELDS},
        {"f", MICA_KIND_ENUM, 4, 9, 2, {7}, a, MICA_STRIPS_FIELDS},
        {"f", MICA_KIND_ENUM, 4, 8, 3, {7}, a, MICA_STRIPS_FIELDS},
        {"f", MICA_KIND_ENUM, 4, 8, 2, {8}, a, MICA_STRIPS_FIELDS},
        {"f", MICA_KIND_ENUM, 4, 8, 2, {7}, a, MICA_STRIPS_WHOLE},
    };
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
        CHECK(!micai_fields_equal(&field, &changed[i], 1));
        CHECK(!micai_fields_equal((const mica_field_info[]){field, field},
                                  (const mica_field_info[]){field, changed[i]}, 2));
    }
}

TESTS(field, every_kind_has_a_name, a_name_is_1_to_255_printable_characters, no_fields_are_no_list,
      size_and_count_of_a_field_are_completed, fields_are_copied_and_sorted_by_offset,
      a_field_without_a_kind_is_refused, a_struct_field_needs_a_type_with_data,
      an_enum_field_needs_names_and_an_integer_size, size_and_count_must_agree_and_fit_the_type,
      a_field_name_must_be_good, fields_must_not_overlap_or_share_a_name,
      the_list_of_fields_must_be_there_and_possible,
      wherever_memory_runs_out_the_copy_fails_with_one_report,
      equal_lists_of_fields_are_equal_in_everything)
