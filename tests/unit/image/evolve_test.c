// Tests of src/image/convert.c and match.c: images of a program whose types were others. S2.9, evolution.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/image/cast.h"

// Two worlds and what goes from one to the other.
typedef struct pair {
    test_world source;
    test_world target;
    mica_world *from;
    mica_world *to;
    mica_buffer buffer;
    char notes[16][200]; // what was reported
    mica_difference whats[16];
    uint32_t note_count;
    mica_load_desc desc;
} pair;

static void hear(mica_world *world, const mica_load_note *note, void *user)
{
    pair *p = user;
    CHECK(world == p->to);
    if (p->note_count < 16) {
        p->whats[p->note_count] = note->what;
        snprintf(p->notes[p->note_count], sizeof p->notes[0], "%s", note->sentence);
    }
    p->note_count++;
}

static void pair_begin(pair *p)
{
    memset(p, 0, sizeof *p);
    p->from = test_world_begin(&p->source);
    p->to = test_world_begin(&p->target);
    p->desc = (mica_load_desc){.listener = hear, .user = p};
}

static mica_result carry(pair *p)
{
    mica_result saved = mica_world_save(p->from, &(mica_stream){.buffer = &p->buffer}, NULL);
    REQUIRE_EQUAL(MICA_OK, saved);
    p->note_count = 0;
    uint64_t before = mica_world_digest(p->to);
    uint32_t types = test_type_count(p->to);
    mica_result result = mica_world_load(p->to, &(mica_stream){.buffer = &p->buffer}, &p->desc);
    CHECK_EQUAL(MICA_OK, mica_world_validate(p->to));
    if (result) { // nothing has happened
        CHECK_EQUAL(before, mica_world_digest(p->to));
        CHECK_EQUAL(types, test_type_count(p->to));
        CHECK_EQUAL(0, p->note_count);
    }
    return result;
}

static void pair_end(pair *p)
{
    mica_buffer_free(&p->buffer);
    test_world_end(&p->source);
    test_world_end(&p->target);
}

static bool was_reported(const pair *p, mica_difference what, const char *sentence)
{
    for (uint32_t i = 0; i < p->note_count && i < 16; i++) {
        if (p->whats[i] == what && strcmp(p->notes[i], sentence) == 0) {
            return true;
        }
    }
    for (uint32_t i = 0; i < p->note_count && i < 16; i++) {
        printf("    reported: %s\n", p->notes[i]);
    }
    return false;
}

// Every kind of number to every other

typedef struct number {
    bool is_real;
    bool is_negative; // then `whole` is how much below 0
    uint64_t whole;
    double real;
} number;

static const mica_kind kinds[] = {MICA_KIND_I8,  MICA_KIND_I16, MICA_KIND_I32, MICA_KIND_I64,
                                  MICA_KIND_U8,  MICA_KIND_U16, MICA_KIND_U32, MICA_KIND_U64,
                                  MICA_KIND_F32, MICA_KIND_F64, MICA_KIND_BOOL};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint32_t size_of(mica_kind kind)
{
    static const uint32_t sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, sizeof(bool)};
    return sizes[kind];
}

// The range of an integer kind: how far below 0, and above.
static void range_of(mica_kind kind, uint64_t *below, uint64_t *above)
{
    uint32_t bits = size_of(kind) * 8;
    bool is_signed = kind <= MICA_KIND_I64;
    *below = is_signed ? UINT64_C(1) << (bits - 1) : 0;
    *above = kind == MICA_KIND_BOOL ? 1 : is_signed ? *below - 1 : UINT64_MAX >> (64 - bits);
}

static bool is_float(mica_kind kind)
{
    return kind == MICA_KIND_F32 || kind == MICA_KIND_F64;
}

// Has a float of so many bits exactly this whole number? If what is left without its zeros fits.
static bool meets(uint64_t whole, uint32_t bits)
{
    while (whole != 0 && whole % 2 == 0) {
        whole /= 2;
    }
    return bits >= 64 || whole < UINT64_C(1) << bits;
}

static bool fits(number n, mica_kind kind)
{
    uint64_t below, above;
    if (n.is_real && is_float(kind)) {
        return kind == MICA_KIND_F64 || !isfinite(n.real) || isfinite((float)n.real);
    }
    if (n.is_real) {
        double size = fabs(n.real);
        if (!(size < 18446744073709551616.0) || floor(size) != size) {
            return false;
        }
        n = (number){.is_negative = n.real < 0, .whole = (uint64_t)size};
    }
    if (is_float(kind)) {
        return meets(n.whole, kind == MICA_KIND_F32 ? 24 : 53);
    }
    range_of(kind, &below, &above);
    return n.whole <= (n.is_negative ? below : above);
}

static void put(number n, mica_kind kind, unsigned char bytes[8])
{
    memset(bytes, 0, 8);
    double real = n.is_real ? n.real : n.is_negative ? -(double)n.whole : (double)n.whole;
    float little = (float)real;
    bool flag = n.is_real ? n.real == 1 : n.whole == 1;
    if (n.is_real && !is_float(kind)) {
        n = (number){.is_negative = n.real < 0, .whole = (uint64_t)fabs(n.real)};
    }
    uint64_t bits = n.is_negative ? 0 - n.whole : n.whole;
    uint32_t b4 = (uint32_t)bits;
    uint16_t b2 = (uint16_t)bits;
    uint8_t b1 = (uint8_t)bits;
    switch (kind) {
    case MICA_KIND_F32: memcpy(bytes, &little, 4); break;
    case MICA_KIND_F64: memcpy(bytes, &real, 8); break;
    case MICA_KIND_BOOL: memcpy(bytes, &flag, sizeof flag); break;
    default:
        switch (size_of(kind)) {
        case 1: memcpy(bytes, &b1, 1); break;
        case 2: memcpy(bytes, &b2, 2); break;
        case 4: memcpy(bytes, &b4, 4); break;
        default: memcpy(bytes, &bits, 8); break;
        }
    }
}

static mica_type register_number(mica_world *world, mica_kind kind)
{
    const mica_field_info field = {.name = "v", .kind = kind};
    return mica_type_register(
        world, &(mica_type_desc){
                   .name = "Number", .size = 8, .align = 8, .fields = &field, .field_count = 1});
}

static mica_entity spawn(mica_world *world, mica_type type, const void *bytes)
{
    const mica_value value = {type, bytes, 8, 1, NULL};
    return mica_spawn_values(world, &value, 1);
}

static void convert(number n, mica_kind from, mica_kind to)
{
    pair p;
    unsigned char bytes[8];
    if (is_float(from) && !n.is_real) { // the nearest will do
        n = (number){.is_real = true, .real = n.is_negative ? -(double)n.whole : (double)n.whole};
    }
    pair_begin(&p);
    mica_type source = register_number(p.from, from);
    mica_type target = register_number(p.to, to);
    put(n, from, bytes);
    mica_entity e = spawn(p.from, source, bytes);
    if (fits(n, to)) {
        REQUIRE_EQUAL(MICA_OK, carry(&p));
        put(n, to, bytes);
        CHECK_BYTES(bytes, mica_get(p.to, e, target), size_of(to));
    } else {
        CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(&p));
        CHECK(strstr(p.target.error.last.sentence, "mica_world_load: 'Number.v' is ") != NULL);
        test_error_clear(&p.target.error);
    }
    pair_end(&p);
}

static void every_kind_of_number_becomes_every_other_where_it_fits(void)
{
    static const number numbers[] = {
        {.whole = 0},
        {.whole = 1},
        {.is_negative = true, .whole = 1},
        {.whole = 127},
        {.whole = 128},
        {.is_negative = true, .whole = 128},
        {.is_negative = true, .whole = 129},
        {.whole = 255},
        {.whole = 256},
        {.whole = 32768},
        {.is_negative = true, .whole = 32768},
        {.whole = 65535},
        {.whole = 65536},
        {.whole = (1 << 24) + 1},
        {.whole = UINT32_MAX},
        {.is_negative = true, .whole = UINT32_C(1) << 31},
        {.whole = UINT64_C(1) << 32},
        {.whole = (UINT64_C(1) << 53) + 1},
        {.whole = INT64_MAX},
        {.is_negative = true, .whole = UINT64_C(1) << 63},
        {.whole = UINT64_C(1) << 63},
        {.whole = UINT64_MAX},
        {.is_real = true, .real = 0.5},
        {.is_real = true, .real = -1},
        {.is_real = true, .real = 255},
        {.is_real = true, .real = 256},
        {.is_real = true, .real = 1e300},
        {.is_real = true, .real = 9223372036854775808.0},
        {.is_real = true, .real = 18446744073709551616.0},
        {.is_real = true, .real = -9223372036854775808.0},
        {.is_real = true, .real = INFINITY},
    };
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (uint32_t from = 0; from < KINDS; from++) {
            for (uint32_t to = 0; to < KINDS; to++) {
                if (fits(numbers[i], kinds[from]) &&
                    (is_float(kinds[from]) || !numbers[i].is_real)) {
                    convert(numbers[i], kinds[from], kinds[to]);
                }
            }
        }
    }
}

TEST_WITH(pair, p, bits_of_floats_that_are_no_numbers_stay)
{
    mica_type source = register_number(p->from, MICA_KIND_F32);
    mica_type target = register_number(p->to, MICA_KIND_F32);
    const uint32_t bits[2] = {UINT32_C(0xffa12345), 0};
    mica_entity e = spawn(p->from, source, bits);
    REQUIRE_EQUAL(MICA_OK, carry(p));
    CHECK_BYTES(bits, mica_get(p->to, e, target), 4);
}

// Fields

typedef struct Old {
    int32_t health;
    uint8_t rank;
    char name[8];
    float pos[2];
    Vec2 at;
    int32_t gone;
} Old;

typedef struct New {
    Vec2 at;      // in another place
    int64_t life; // health, renamed and of another kind
    char name[4];
    float pos[3];
    int32_t added;
    uint8_t rank;
} New;

static mica_type register_old(mica_world *world)
{
    mica_type vec2 = MICA_REGISTER(world, Vec2, x, y);
    const mica_field_info fields[] = {MICA_FIELD(Old, health),
                                      MICA_FIELD(Old, rank),
                                      MICA_FIELD(Old, name),
                                      MICA_FIELD(Old, pos),
                                      MICA_FIELD_STRUCT(Old, at, vec2),
                                      MICA_FIELD(Old, gone)};
    return mica_type_register(world, &(mica_type_desc){.name = "Unit",
                                                       .size = sizeof(Old),
                                                       .align = _Alignof(Old),
                                                       .fields = fields,
                                                       .field_count = 6});
}

static mica_type register_new(mica_world *world, const char *name)
{
    static const New defaults = {.pos = {7, 8, 9}, .added = 42};
    mica_type vec2 = MICA_REGISTER(world, Vec2, y, x); // the names matter, not their order
    const mica_field_info fields[] = {MICA_FIELD_STRUCT(New, at, vec2),
                                      MICA_FIELD(New, life),
                                      MICA_FIELD(New, name),
                                      MICA_FIELD(New, pos),
                                      MICA_FIELD(New, added),
                                      MICA_FIELD(New, rank)};
    return mica_type_register(world, &(mica_type_desc){.name = name,
                                                       .size = sizeof(New),
                                                       .align = _Alignof(New),
                                                       .fields = fields,
                                                       .field_count = 6,
                                                       .default_value = &defaults});
}

TEST_WITH(pair, p, fields_are_found_by_name_wherever_they_are)
{
    const mica_alias aliases[] = {{"Fighter", NULL, "Unit"}, {"Fighter", "life", "health"}};
    p->desc.aliases = aliases;
    p->desc.alias_count = 2;
    mica_type old = register_old(p->from);
    mica_type fighter = register_new(p->to, "Fighter");
    mica_entity e = mica_spawn(p->from, MICA_VALUE(old, Old, .health = -5, .rank = 3, .name = "Ada",
                                                   .pos = {1, 2}, .at = {3, 4}, .gone = 1));
    REQUIRE_EQUAL(MICA_OK, carry(p));
    const New *new = mica_get(p->to, e, fighter);
    REQUIRE(new != NULL);
    CHECK_EQUAL(-5, new->life);
    CHECK_EQUAL(3, new->rank);
    CHECK_BYTES("Ada", new->name, 4);
    CHECK(new->pos[0] == 1 && new->pos[1] == 2 && new->pos[2] == 9);
    CHECK(new->at.x == 3 && new->at.y == 4);
    CHECK_EQUAL(42, new->added);
    CHECK(was_reported(p, MICA_TYPE_RENAMED, "'Fighter' was called 'Unit'"));
    CHECK(was_reported(p, MICA_FIELD_RENAMED, "'Fighter.life' was called 'health'"));
    CHECK(was_reported(p, MICA_FIELD_ADDED, "'Fighter.added' is new, and has the default value"));
    CHECK(was_reported(p, MICA_FIELD_REMOVED, "'Fighter.gone' is left out"));
    CHECK(was_reported(p, MICA_FIELD_CONVERTED, "'Fighter.life' was 1 i32, and is 1 i64"));
    CHECK(was_reported(p, MICA_FIELD_CONVERTED, "'Fighter.pos' was 2 f32, and is 3 f32"));
    CHECK(was_reported(p, MICA_FIELD_CONVERTED, "'Fighter.name' was 8 char, and is 4 char"));
    CHECK_EQUAL(7, p->note_count);
}

// Of several names that a type or a field may have had, the first that is there counts.
TEST_WITH(pair, p, aliases_are_tried_in_their_order)
{
    const mica_alias aliases[] = {{"Nobody", NULL, "Unit"},     {"Fighter", NULL, "Unit"},
                                  {"Other", NULL, "Unit"},      {"Fighter", "life", "vigor"},
                                  {"Other", "life", "health"},  {"Fighter", "life", "gone"},
                                  {"Fighter", "life", "health"}};
    p->desc.aliases = aliases;
    p->desc.alias_count = sizeof aliases / sizeof *aliases;
    mica_type old = register_old(p->from);
    mica_type fighter = register_new(p->to, "Fighter");
    register_new(p->to, "Other");
    mica_entity e = mica_spawn(p->from, MICA_VALUE(old, Old, .health = 5, .gone = 6));
    REQUIRE_EQUAL(MICA_OK, carry(p));
    const New *new = mica_get(p->to, e, fighter);
    REQUIRE(new != NULL);
    CHECK_EQUAL(6, new->life);
    CHECK(was_reported(p, MICA_FIELD_RENAMED, "'Fighter.life' was called 'gone'"));
    CHECK(was_reported(p, MICA_FIELD_REMOVED, "'Fighter.health' is left out"));
}

// A struct is a type of its own, and what is different about it is reported once, in how many others it may be.
static void differences_of_a_struct_are_reported_once(void)
{
    typedef struct Line {
        Vec2 from, to;
    } Line;
    pair p;
    pair_begin(&p);
    mica_type lines[2];
    for (uint32_t i = 0; i < 2; i++) {
        mica_world *world = i ? p.to : p.from;
        const mica_field_info x = MICA_FIELD(Vec2, x);
        const mica_field_info both[] = {MICA_FIELD(Vec2, x), MICA_FIELD(Vec2, y)};
        mica_type vec2 = mica_type_register(world, &(mica_type_desc){.name = "Vec2",
                                                                     .size = sizeof(Vec2),
                                                                     .align = _Alignof(Vec2),
                                                                     .fields = i ? both : &x,
                                                                     .field_count = i ? 2 : 1});
        const mica_field_info ends[] = {MICA_FIELD_STRUCT(Line, from, vec2),
                                        MICA_FIELD_STRUCT(Line, to, vec2)};
        lines[i] = mica_type_register(world, &(mica_type_desc){.name = "Line",
                                                               .size = sizeof(Line),
                                                               .align = _Alignof(Line),
                                                               .fields = ends,
                                                               .field_count = 2});
    }
    mica_entity e = mica_spawn(p.from, MICA_VALUE(lines[0], Line, {1, 2}, {3, 4}));
    REQUIRE_EQUAL(MICA_OK, carry(&p));
    const Line *line = mica_get(p.to, e, lines[1]);
    REQUIRE(line != NULL);
    CHECK(line->from.x == 1 && line->to.x == 3 && line->from.y == 0 && line->to.y == 0);
    CHECK(was_reported(&p, MICA_FIELD_ADDED, "'Vec2.y' is new, and has the default value"));
    CHECK_EQUAL(1, p.note_count);
    pair_end(&p);
}

TEST_WITH(pair, p, a_text_that_is_too_long_is_refused)
{
    mica_type old = register_old(p->from);
    register_new(p->to, "Unit");
    mica_spawn(p->from, MICA_VALUE(old, Old, .name = "Bertram"));
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(p));
    CHECK_ERROR(&p->target, MICA_ERROR_SCHEMA,
                "mica_world_load: 'Unit.name' has room for 4 characters, not for 7");
}

static mica_type register_enum(mica_world *world, const mica_enumerator *names, uint32_t size)
{
    const mica_field_info field = {
        .name = "v", .kind = MICA_KIND_ENUM, .size = size, .count = 1, .enumerators = names};
    return mica_type_register(
        world, &(mica_type_desc){
                   .name = "Color", .size = 8, .align = 8, .fields = &field, .field_count = 1});
}

static void enums_are_found_by_the_names_of_their_values(void)
{
    static const mica_enumerator before[] = {{"red", 1}, {"green", 2}, {"blue", 3}, {0}};
    static const mica_enumerator after[] = {{"green", -1}, {"red", 700}, {0}};
    pair p;
    pair_begin(&p);
    mica_type old = register_enum(p.from, before, 1);
    mica_type color = register_enum(p.to, after, 4);
    const int8_t values[3][8] = {{1}, {2}, {77}};
    mica_entity red = spawn(p.from, old, values[0]);
    mica_entity green = spawn(p.from, old, values[1]);
    mica_entity other = spawn(p.from, old, values[2]);
    REQUIRE_EQUAL(MICA_OK, carry(&p));
    int32_t got;
    memcpy(&got, mica_get(p.to, red, color), 4);
    CHECK_EQUAL(700, got);
    memcpy(&got, mica_get(p.to, green, color), 4);
    CHECK_EQUAL(-1, got);
    memcpy(&got, mica_get(p.to, other, color), 4);
    CHECK_EQUAL(77, got);
    const int8_t blue[8] = {3};
    spawn(p.from, old, blue);
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(&p));
    CHECK_ERROR(&p.target, MICA_ERROR_SCHEMA,
                "mica_world_load: 'Color.v' has no value 'blue' any more");
    pair_end(&p);
}

static void nothing_else_becomes_a_struct_an_entity_or_a_text(void)
{
    static const mica_kind others[] = {MICA_KIND_CHAR, MICA_KIND_ENTITY};
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t turn = 0; turn < 2; turn++) {
            pair p;
            pair_begin(&p);
            register_number(turn ? p.from : p.to, others[i]);
            register_number(turn ? p.to : p.from, MICA_KIND_I8);
            mica_spawn(p.from, MICA_ADD(mica_type_find(p.from, "Number")));
            CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(&p));
            CHECK(strstr(p.target.error.last.sentence, "'Number.v' is ") != NULL);
            test_error_clear(&p.target.error);
            pair_end(&p);
        }
    }
}

// Types

TEST_WITH(pair, p, a_type_that_is_not_registered_is_refused_where_somebody_has_it)
{
    mica_type old = register_old(p->from);
    mica_entity e = mica_spawn(p->from, MICA_ADD(old));
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(p));
    CHECK_ERROR(&p->target, MICA_ERROR_SCHEMA,
                "mica_world_load: the image has 'Unit', which is not registered here");
    mica_despawn(p->from, e);
    CHECK_EQUAL(MICA_OK, carry(p)); // nobody has it
    CHECK_EQUAL(0, test_type_count(p->to));
}

TEST_WITH(pair, p, a_type_that_is_dropped_is_left_out_of_all_entities)
{
    p->desc.unknown = MICA_UNKNOWN_DROPPED;
    mica_type old = register_old(p->from);
    mica_type count = register_number(p->from, MICA_KIND_I32);
    mica_type mark = MICA_SPARSE_TAG(p->from, Mark);
    mica_type target = register_number(p->to, MICA_KIND_I32);
    mica_entity all[6];
    for (uint32_t i = 0; i < 6; i++) {
        all[i] = mica_spawn(p->from, MICA_ADD(count));
        if (i % 2) {
            mica_add(p->from, all[i], old);
            mica_add(p->from, all[i], mark);
        }
    }
    REQUIRE_EQUAL(MICA_OK, carry(p));
    CHECK_EQUAL(6, mica_entity_count(p->to));
    CHECK_EQUAL(1 + 1, mica_world_get_stats(p->to).tables); // two have become one
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(mica_has(p->to, all[i], target));
    }
    CHECK(was_reported(p, MICA_TYPE_DROPPED, "'Unit' is left out"));
    CHECK(was_reported(p, MICA_TYPE_DROPPED, "'Mark' is left out"));
}

static void types_that_are_kept_are_saved_again_unchanged(void)
{
    cast c;
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_buffer first = {0};
    mica_buffer second = {0};
    const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT};
    cast_begin(&c);
    cast_play(&c, 5, 600);
    mica_group_free(c.world, c.listing); // its order is of a group that the other has not
    mica_query_free(c.world, c.moved);
    cast_save(&c, &first);
    REQUIRE_EQUAL(MICA_OK, mica_world_load(world, &(mica_stream){.buffer = &first}, &keep));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    CHECK_EQUAL(test_type_count(c.world), test_type_count(world));
    REQUIRE_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &second}, NULL));
    REQUIRE_EQUAL(first.size, second.size);
    CHECK_BYTES(first.data, second.data, first.size);
    // And once more, now that it knows them; and back to where they come from.
    REQUIRE_EQUAL(MICA_OK, mica_world_load(world, &(mica_stream){.buffer = &first}, NULL));
    cast_load(&c, &second);
    mica_buffer_free(&first);
    mica_buffer_free(&second);
    test_world_end(&t);
    cast_end(&c);
}

// Where they lie does not count, but what they are.
static void values_that_are_kept_as_bytes_count_by_what_they_are(void)
{
    uint64_t hashes[4];
    for (uint32_t i = 0; i < 4; i++) {
        cast c;
        test_world t;
        mica_buffer image = {0};
        const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT};
        cast_begin(&c);
        Text text = {i == 2 ? 0 : 5, NULL};
        const mica_allocator *allocator = &c.t.memory.allocator;
        if (i != 2) {
            text.text = strcpy(allocator->resize(allocator->user, NULL, 0, 6, 1),
                               i == 3 ? "other" : "hello");
        }
        mica_entity e = mica_spawn_values(c.world, NULL, 0);
        CHECK_EQUAL(MICA_OK, mica_set_value(c.world, e, c.types[CAST_TEXT], &text, sizeof text));
        cast_text_hooks.destruct(&text, 1, &(mica_hook_context){.allocator = allocator});
        cast_save(&c, &image);
        mica_world *world = test_world_begin(&t);
        REQUIRE_EQUAL(MICA_OK, mica_world_load(world, &(mica_stream){.buffer = &image}, &keep));
        hashes[i] = mica_world_hash(world);
        mica_buffer_free(&image);
        test_world_end(&t);
        cast_end(&c);
    }
    CHECK_EQUAL(hashes[0], hashes[1]);
    CHECK(hashes[0] != hashes[2] && hashes[0] != hashes[3]);
}

TEST_WITH(pair, p, a_storage_that_has_changed_is_reported)
{
    mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
    mica_type source = mica_type_register(p->from, &desc);
    desc.storage = MICA_SPLIT;
    mica_type split = mica_type_register(p->to, &desc);
    mica_entity e = mica_spawn(p->from, MICA_VALUE(source, Vec2, 5, 6));
    REQUIRE_EQUAL(MICA_OK, carry(p));
    Vec2 got;
    CHECK(mica_load(p->to, e, split, &got, sizeof got));
    CHECK(got.x == 5 && got.y == 6);
    CHECK(was_reported(p, MICA_STORAGE_CHANGED,
                       "'Vec2' was stored as table, and is stored as split now"));
}

static void whatever_the_storages_the_same_is_loaded(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        cast a, b;
        mica_buffer there = {0};
        mica_buffer back = {0};
        cast_begin(&a);
        cast_begin_otherwise(&b);
        cast_play(&a, seed, 60 * (uint32_t)seed);
        uint64_t hash = mica_world_hash(a.world);
        cast_save(&a, &there);
        cast_load(&b, &there);
        CHECK_EQUAL(hash, mica_world_hash(b.world));
        cast_save(&b, &back);
        cast_load(&a, &back);
        CHECK_EQUAL(hash, mica_world_hash(a.world));
        mica_entity x = mica_spawn_values(a.world, NULL, 0);
        CHECK(MICA_EQUAL(x, mica_spawn_values(b.world, NULL, 0)));
        mica_buffer_free(&there);
        mica_buffer_free(&back);
        cast_end(&a);
        cast_end(&b);
    }
}

static void a_tag_is_no_value_and_a_value_no_tag(void)
{
    for (uint32_t turn = 0; turn < 2; turn++) {
        pair p;
        pair_begin(&p);
        register_number(turn ? p.from : p.to, MICA_KIND_I32);
        MICA_TAG(turn ? p.to : p.from, Number);
        mica_spawn(p.from, MICA_ADD(mica_type_find(p.from, "Number")));
        CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(&p));
        CHECK_ERROR(&p.target, MICA_ERROR_SCHEMA,
                    turn ? "mica_world_load: 'Number' is a tag, and has values in the image"
                         : "mica_world_load: 'Number' has values, and is a tag in the image");
        pair_end(&p);
    }
}

TEST_WITH(pair, p, bytes_of_another_size_are_refused)
{
    mica_type_register(p->to,
                       &(mica_type_desc){.name = "Raw", .size = 8, .align = 4, .plain = true});
    mica_type raw = mica_type_register(
        p->from, &(mica_type_desc){.name = "Raw", .size = 4, .align = 4, .plain = true});
    mica_spawn(p->from, MICA_ADD(raw));
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(p));
    CHECK_ERROR(&p->target, MICA_ERROR_SCHEMA,
                "mica_world_load: 'Raw' is 8 bytes, and 4 bytes in the image");
}

TEST_WITH(pair, p, two_types_cannot_become_one)
{
    const mica_alias alias = {"Number", NULL, "Digit"};
    p->desc.aliases = &alias;
    p->desc.alias_count = 1;
    register_number(p->from, MICA_KIND_I32);
    MICA_TAG(p->from, Digit);
    register_number(p->to, MICA_KIND_I32);
    CHECK_EQUAL(MICA_ERROR_SCHEMA, carry(p));
    CHECK_ERROR(&p->target, MICA_ERROR_SCHEMA,
                "mica_world_load: 'Number' and 'Digit' are both 'Number' here");
}

TESTS(evolve, every_kind_of_number_becomes_every_other_where_it_fits,
      bits_of_floats_that_are_no_numbers_stay, fields_are_found_by_name_wherever_they_are,
      aliases_are_tried_in_their_order, differences_of_a_struct_are_reported_once,
      a_text_that_is_too_long_is_refused, enums_are_found_by_the_names_of_their_values,
      nothing_else_becomes_a_struct_an_entity_or_a_text,
      a_type_that_is_not_registered_is_refused_where_somebody_has_it,
      a_type_that_is_dropped_is_left_out_of_all_entities,
      types_that_are_kept_are_saved_again_unchanged,
      values_that_are_kept_as_bytes_count_by_what_they_are, a_storage_that_has_changed_is_reported,
      whatever_the_storages_the_same_is_loaded, a_tag_is_no_value_and_a_value_no_tag,
      bytes_of_another_size_are_refused, two_types_cannot_become_one)
