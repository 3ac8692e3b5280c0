// What mica/type.h promises.
#include "promise.h"

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type foreign;
} stage;

static mica_world *begin(stage *s)
{
    s->world = test_world_begin(&s->t);
    mica_world *other = mica_world_new(NULL);
    s->foreign = MICA_TAG(other, Tag);
    mica_world_free(other);
    return s->world;
}

#define CHECK_REFUSED(s, expected, call)                                                           \
    do {                                                                                           \
        uint64_t digest_before = mica_world_digest((s)->world);                                    \
        CHECK_EQUAL(expected, call);                                                               \
        CHECK_REPORTED(&(s)->t, expected);                                                         \
        CHECK_EQUAL(digest_before, mica_world_digest((s)->world));                                 \
    } while (0)

// What becomes of a descriptor. Nothing is registered if it fails.
static void check_register(stage *s, mica_result code, const mica_type_desc *desc)
{
    uint32_t count = test_type_count(s->world);
    uint64_t digest = mica_world_digest(s->world);
    mica_type type = mica_type_register(s->world, desc);
    CHECK_EQUAL(code != MICA_OK, MICA_IS_NONE(type));
    if (code != MICA_OK) {
        CHECK_REPORTED(&s->t, code);
        CHECK_EQUAL(count, test_type_count(s->world));
        CHECK_EQUAL(digest, mica_world_digest(s->world));
    }
}

static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
enum { STORAGES = sizeof storages / sizeof storages[0] };

// Hooks that count, and fail when they are reported to.
typedef struct tally {
    uint32_t constructs, destructs, copies, moves;
    const char *why; // fails, if there is one
} tally;

static mica_result construct(void *target, uint32_t count, const mica_hook_context *context)
{
    tally *t = context->user;
    if (t->why) {
        mica_hook_explain(context, t->why);
        return MICA_ERROR_HOOK;
    }
    memset(target, 0, count * sizeof(Position));
    t->constructs += count;
    return MICA_OK;
}

static void destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target;
    ((tally *)context->user)->destructs += count;
}

static mica_result copy(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context)
{
    tally *t = context->user;
    if (t->why) {
        mica_hook_explain(context, t->why);
        return MICA_ERROR_HOOK;
    }
    memcpy(target, source, count * sizeof(Position));
    t->copies += count;
    return MICA_OK;
}

static void move(void *target, void *source, uint32_t count, const mica_hook_context *context)
{
    memcpy(target, source, count * sizeof(Position));
    ((tally *)context->user)->moves += count;
}

static mica_result save(const void *value, mica_put *put, void *out,
                        const mica_hook_context *context)
{
    (void)context;
    return put(out, value, sizeof(Position)) ? MICA_OK : MICA_ERROR_HOOK;
}

static mica_type_desc mesh_desc(tally *t)
{
    *t = (tally){0};
    mica_type_desc desc = {.name = "Mesh", .size = sizeof(Position), .align = _Alignof(Position)};
    desc.user = t;
    desc.hooks = (mica_hooks){construct, destruct, copy, move, NULL, NULL};
    return desc;
}

PROMISE(mica_hook_explain)
{
    stage s;
    mica_world *world = begin(&s);
    tally t;
    mica_type_desc desc = mesh_desc(&t);
    mica_type mesh = mica_type_register(world, &desc);

    // [hook.why], [hook.sentence]
    t.why = "no disk";
    CHECK(MICA_IS_NONE(mica_spawn(world, MICA_VALUE(mesh, Position, 1, 2))));
    CHECK_TEXT("mica_spawn: the copy hook of 'Mesh' failed: no disk", s.t.error.last.sentence);
    CHECK_REPORTED(&s.t, MICA_ERROR_HOOK);
    CHECK(MICA_IS_NONE(mica_spawn(world, MICA_ADD(mesh))));
    CHECK_TEXT("mica_spawn: the construct hook of 'Mesh' failed: no disk", s.t.error.last.sentence);
    CHECK_REPORTED(&s.t, MICA_ERROR_HOOK);

    // [hook.sentence]: cut
    char why[200], sentence[252];
    memset(why, 'w', sizeof why);
    why[199] = '\0';
    t.why = why;
    CHECK(MICA_IS_NONE(mica_spawn(world, MICA_ADD(mesh))));
    snprintf(sentence, sizeof sentence, "mica_spawn: the construct hook of 'Mesh' failed: %.*s",
             (int)MICA_HOOK_WHY_SIZE - 1, why);
    CHECK_TEXT(sentence, s.t.error.last.sentence);
    CHECK_REPORTED(&s.t, MICA_ERROR_HOOK);
    test_world_end(&s.t);
}

PROMISE(mica_type_register)
{
    stage s;
    test_world_prepare(&s.t);
    s.t.desc.max_types = 40;
    mica_world *world = s.world = test_world_open(&s.t);
    const mica_type_desc good = MICA_DESCRIBE(Position, x, y);
    const Position at = {1, 2};
    tally t;
    mica_type_desc desc;

    // [type.fail]: all codes but those below
    mica_type position = mica_type_register(world, &good);
    CHECK(!MICA_IS_NONE(position));
    check_register(&s, MICA_ERROR_NULL, NULL);
    CHECK(MICA_IS_NONE(mica_type_register(NULL, &good)));
    desc = good, desc.first_zero = 1;
    check_register(&s, MICA_ERROR_DESC, &desc);
    desc = good, desc.last_zero = 1;
    check_register(&s, MICA_ERROR_DESC, &desc);
    static const char *const bad_names[] = {"", "a\nb", "\x7f"};
    for (uint32_t i = 0; i < 3; i++) {
        desc = good, desc.name = bad_names[i];
        check_register(&s, MICA_ERROR_NAME, &desc);
    }
    char name[MICA_NAME_SIZE_MAX + 2];
    memset(name, 'n', sizeof name);
    name[MICA_NAME_SIZE_MAX + 1] = '\0';
    desc = good, desc.name = name;
    check_register(&s, MICA_ERROR_NAME, &desc);
    name[MICA_NAME_SIZE_MAX] = '\0';
    check_register(&s, MICA_OK, &desc);
    desc = good, desc.name = NULL;
    check_register(&s, MICA_ERROR_NAME, &desc);
    desc = (mica_type_desc){.name = "Big", .size = MICA_TYPE_SIZE_MAX + 4, .align = 4};
    check_register(&s, MICA_ERROR_SIZE, &desc);
    desc.size = MICA_TYPE_SIZE_MAX;
    check_register(&s, MICA_OK, &desc);
    desc = (mica_type_desc){.name = "Odd", .size = 24, .align = 16};
    check_register(&s, MICA_ERROR_SIZE, &desc);
    static const uint32_t bad_aligns[] = {0, 3, 2 * MICA_TYPE_ALIGN_MAX};
    for (uint32_t i = 0; i < 3; i++) {
        desc = (mica_type_desc){.name = "Odd", .size = 24, .align = bad_aligns[i]};
        check_register(&s, MICA_ERROR_ALIGNMENT, &desc);
    }
    mica_field_info fields[] = {MICA_FIELD(Position, x), MICA_FIELD(Position, y)};
    desc = good, desc.name = "Fields", desc.fields = fields;
    fields[1].offset = 2;
    check_register(&s, MICA_ERROR_FIELD, &desc);
    fields[1].offset = 8;
    check_register(&s, MICA_ERROR_FIELD, &desc);
    fields[1].offset = 4, fields[1].name = "x";
    check_register(&s, MICA_ERROR_FIELD, &desc);
    fields[1] = MICA_FIELD(Position, y), fields[1].kind = MICA_KIND_NONE;
    check_register(&s, MICA_ERROR_FIELD, &desc);

    // [type.fail]: MICA_ERROR_ARGUMENT
    desc = mesh_desc(&t), desc.default_value = &at;
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc.hooks = (mica_hooks){.copy = copy};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc.hooks = (mica_hooks){.construct = construct};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    const mica_hooks single[] = {
        {.construct = construct}, {.destruct = destruct}, {.copy = copy}, {.move = move}};
    for (uint32_t i = 0; i < 4; i++) {
        desc = (mica_type_desc){.name = "Tag", .hooks = single[i]};
        check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    }
    desc = (mica_type_desc){.name = "Tag", .default_value = &at};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc = good, desc.name = "Stored", desc.storage = MICA_STORAGE_COUNT;
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc.storage = (mica_storage)-1;
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    for (uint32_t i = 0; i < STORAGES; i++) {
        desc = good, desc.name = "Stable", desc.stable = true, desc.storage = storages[i];
        if (storages[i] != MICA_SPARSE) {
            check_register(&s, MICA_ERROR_ARGUMENT, &desc);
        }
    }
    desc = (mica_type_desc){.name = "Tag", .stable = true, .storage = MICA_SPARSE};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc = (mica_type_desc){.name = "Tag", .storage = MICA_RING};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc = (mica_type_desc){.name = "Tag", .storage = MICA_SPLIT};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc = (mica_type_desc){.name = "Tag", .toggle = true};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc = (mica_type_desc){.name = "Tag", .row_stamps = true};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    desc = (mica_type_desc){.name = "SparseTag", .toggle = true, .storage = MICA_SPARSE};
    desc.row_stamps = true;
    check_register(&s, MICA_OK, &desc);
    desc = (mica_type_desc){.name = "Split", .size = 8, .align = 4, .storage = MICA_SPLIT};
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    for (uint32_t i = 0; i < 4; i++) {
        desc = good, desc.name = "Split", desc.storage = MICA_SPLIT, desc.hooks = single[i];
        desc.user = &t;
        check_register(&s, MICA_ERROR_ARGUMENT, &desc);
    }
    desc = mesh_desc(&t), desc.hooks.save = save;
    check_register(&s, MICA_ERROR_ARGUMENT, &desc);

    // [type.fail]: MICA_ERROR_SHAPE, the same name with anything different; and the same again is
    // the same
    CHECK(MICA_EQUAL(position, mica_type_register(world, &good)));
    fields[1] = MICA_FIELD(Position, y);
    desc = good, desc.fields = fields, fields[0] = fields[1], fields[1] = MICA_FIELD(Position, x);
    CHECK(MICA_EQUAL(position, mica_type_register(world, &desc)));
    for (uint32_t i = 0; i < 9; i++) {
        desc = good;
        desc.size = i == 0 ? 16 : desc.size;
        desc.align = i == 1 ? 8 : desc.align;
        desc.field_count = i == 2 ? 1 : desc.field_count;
        desc.default_value = i == 3 ? &at : NULL;
        desc.storage = i == 4 ? MICA_SPARSE : MICA_TABLE;
        desc.toggle = i == 5;
        desc.row_stamps = i == 6;
        desc.user = i == 7 ? &t : NULL;
        desc.hooks.destruct = i == 8 ? destruct : NULL;
        check_register(&s, MICA_ERROR_SHAPE, &desc);
    }
    desc = good, desc.saved = true;
    check_register(&s, MICA_ERROR_SHAPE, &desc);
    desc = good, desc.c_type = "Other";
    check_register(&s, MICA_ERROR_SHAPE, &desc);

    // [type.split]
    typedef struct Padded {
        char letter;
        double number;
    } Padded;
    desc = good, desc.name = "Holes", desc.storage = MICA_SPLIT, desc.field_count = 1;
    check_register(&s, MICA_ERROR_FIELD, &desc);
    mica_type padded = MICA_REGISTER_SPLIT(world, Padded, letter, number);
    Padded given, loaded;
    memset(&given, 0xff, sizeof given);
    given.letter = 'x', given.number = 3;
    mica_entity entity = mica_spawn(world, MICA_COPY_OF(padded, given));
    memset(&loaded, 0xaa, sizeof loaded);
    CHECK(MICA_LOAD(world, entity, padded, loaded));
    CHECK(loaded.letter == 'x' && loaded.number == 3);
    CHECK_BYTES("\0\0\0\0\0\0\0", (const char *)&loaded + 1, 7);

    // [type.strips]
    mica_field_info pieces = {.name = "all", .kind = MICA_KIND_F32, .strips = MICA_STRIPS_EACH};
    pieces.count = MICA_STRIPS_MAX + 1;
    desc = (mica_type_desc){.name = "Pieces", .align = 4, .fields = &pieces, .field_count = 1};
    desc.size = 4 * pieces.count, desc.storage = MICA_SPLIT;
    check_register(&s, MICA_ERROR_LIMIT, &desc);
    pieces.count--, desc.size -= 4;
    check_register(&s, MICA_OK, &desc);

    // [type.fail]: MICA_ERROR_LIMIT, MICA_ERROR_MEMORY; [type.life]
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    desc = good, desc.name = "Refused";
    check_register(&s, MICA_ERROR_MEMORY, &desc);
    while (test_type_count(world) < 40) {
        char next[] = {'N', (char)('0' + test_type_count(world) / 10),
                       (char)('0' + test_type_count(world) % 10), '\0'};
        mica_type_register(world, &(mica_type_desc){.name = next});
    }
    desc = good, desc.name = "Last";
    check_register(&s, MICA_ERROR_LIMIT, &desc);
    mica_world_clear(world);
    mica_world_reclaim(world);
    CHECK_EQUAL(40, test_type_count(world));
    CHECK(MICA_EQUAL(position, mica_type_find(world, "Position")));
    test_world_end(&s.t);
}

PROMISE(mica_type_register_all)
{
    stage s;
    test_world_prepare(&s.t);
    s.t.desc.max_types = 4;
    mica_world *world = s.world = test_world_open(&s.t);
    mica_type_desc descs[5] = {MICA_DESCRIBE(Position, x, y), {.name = "One"}, {.name = "Two"}};
    mica_type types[5];
    memset(types, 0xff, sizeof types);

    // [type.all]
    descs[2].align = 3, descs[2].size = 6;
    CHECK_REFUSED(&s, MICA_ERROR_ALIGNMENT, mica_type_register_all(world, descs, 3, types));
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(MICA_IS_NONE(types[i]));
    }
    CHECK_EQUAL(0, test_type_count(world));
    CHECK(MICA_IS_NONE(mica_type_find(world, "Position")));
    descs[2] = (mica_type_desc){.name = "Two"};
    for (uint64_t k = 1;; k++) {
        memset(types, 0xff, sizeof types);
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = mica_type_register_all(world, descs, 3, types);
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        if (result == MICA_OK) {
            break;
        }
        CHECK_REPORTED(&s.t, MICA_ERROR_MEMORY);
        CHECK(MICA_IS_NONE(types[0]) && MICA_IS_NONE(types[2]));
        CHECK_EQUAL(0, test_type_count(world));
    }
    CHECK_EQUAL(3, test_type_count(world));
    CHECK(MICA_EQUAL(types[1], mica_type_find(world, "One")));

    // [type.all_there]: they are what they are
    mica_type again[4];
    CHECK_EQUAL(MICA_OK, mica_type_register_all(world, descs, 3, again));
    CHECK_BYTES(types, again, 3 * sizeof *types);
    const mica_type_desc twice[] = {{.name = "Same"}, {.name = "Same"}};
    CHECK_EQUAL(MICA_OK, mica_type_register_all(world, twice, 2, again));
    CHECK(MICA_EQUAL(again[0], again[1]));
    CHECK_EQUAL(4, test_type_count(world));
    descs[0].toggle = true;
    CHECK_REFUSED(&s, MICA_ERROR_SHAPE, mica_type_register_all(world, descs, 3, again));
    CHECK(MICA_IS_NONE(again[1]));
    descs[0].toggle = false;

    // [type.all_fail]
    descs[3] = (mica_type_desc){.name = "Beyond"};
    CHECK_REFUSED(&s, MICA_ERROR_LIMIT, mica_type_register_all(world, descs, 4, again));
    CHECK(MICA_IS_NONE(again[0]));
    CHECK_EQUAL(4, test_type_count(world));
    CHECK_EQUAL(MICA_OK, mica_type_register_all(world, NULL, 0, NULL));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_type_register_all(world, NULL, 1, again));
    CHECK_REFUSED(&s, MICA_ERROR_NULL, mica_type_register_all(world, descs, 1, NULL));
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_register_all(NULL, descs, 1, again));

    // [type.all_there]: structs among their fields
    typedef struct Pair {
        Position first, second;
    } Pair;
    test_world_end(&s.t);
    world = begin(&s);
    mica_type position = MICA_REGISTER(world, Position, x, y);
    const mica_field_info parts[] = {MICA_FIELD_STRUCT(Pair, first, position),
                                     MICA_FIELD_STRUCT(Pair, second, position)};
    mica_type_desc pair = MICA_DESCRIBE(Pair);
    pair.fields = parts, pair.field_count = 2;
    CHECK_EQUAL(MICA_OK, mica_type_register_all(world, &pair, 1, again));
    test_world_end(&s.t);
}

// A crowd: some have the component, with or without a tag, some have not; some are switched off, one is a facet.
enum { CROWD = 1500 };

typedef struct Cell {
    float x;
    uint32_t number;
} Cell;

typedef struct crowd {
    stage s;
    mica_world *world;
    mica_type cell, tag, mark;
    mica_entity all[CROWD];
    mica_bundle bundle;
    mica_accessor cells;
    mica_query reads, changed, added;
    uint64_t moment;
} crowd;

static bool has_cell(uint32_t i)
{
    return i % 7 != 3;
}

static bool is_off(uint32_t i)
{
    return i % 11 == 5;
}

static bool is_changed(uint32_t i)
{
    return i % 500 == 4 && has_cell(i);
}

static mica_world *begin_crowd(crowd *c, mica_storage storage, bool toggle, bool row_stamps)
{
    mica_world *world = c->world = begin(&c->s);
    mica_type_desc desc = MICA_DESCRIBE(Cell, x, number);
    desc.storage = storage;
    desc.toggle = toggle;
    desc.row_stamps = row_stamps;
    c->cell = mica_type_register(world, &desc);
    c->tag = MICA_TAG(world, Tag);
    c->mark = MICA_SPARSE_TAG(world, Mark);
    for (uint32_t i = 0; i < CROWD; i++) {
        mica_entity entity = i == 5 ? mica_facet_add(world, c->all[4], c->tag, 1, MICA_ADD(c->mark))
                                    : mica_spawn_values(world, NULL, 0);
        c->all[i] = entity;
        if (has_cell(i)) {
            mica_set(world, entity, MICA_VALUE(c->cell, Cell, (float)i, i));
            if (toggle && is_off(i)) {
                mica_disable(world, entity, c->cell);
            }
        }
        if (i % 2) {
            mica_add(world, entity, c->tag);
        }
        if (i % 3) {
            mica_add(world, entity, c->mark);
        }
    }
    const uint32_t even = toggle ? MICA_INCLUDE_DISABLED : 0;
    c->bundle = mica_bundle_new(world, (const mica_type[]){c->cell, c->tag}, 2);
    c->cells = mica_accessor_new(world, c->cell);
    c->reads = mica_query_new(world, &(mica_query_desc){.terms = {{c->cell, MICA_READ | even}}});
    c->changed = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->cell, MICA_WITH | MICA_CHANGED | even}}});
    c->added = mica_query_new(
        world, &(mica_query_desc){.terms = {{c->cell, MICA_WITH | MICA_ADDED | even}}});
    c->moment = mica_world_tick(world);
    mica_query_set_since(world, c->changed, c->moment);
    mica_query_set_since(world, c->added, c->moment);
    for (uint32_t i = 0; row_stamps && i < CROWD; i++) {
        if (is_changed(i)) {
            mica_set(world, c->all[i], MICA_VALUE(c->cell, Cell, (float)i, i));
        }
    }
    return world;
}

static void check_crowd(crowd *c, bool toggle, bool row_stamps)
{
    mica_world *world = c->world;
    uint32_t wrong = 0, count = 0, changed = 0;
    for (uint32_t i = 0; i < CROWD; i++) {
        Cell cell = {-1, 0};
        bool there = MICA_LOAD(world, c->all[i], c->cell, cell);
        wrong += there != has_cell(i) || mica_has(world, c->all[i], c->cell) != there;
        wrong += there && (cell.x != (float)i || cell.number != i);
        wrong += there && mica_is_enabled(world, c->all[i], c->cell) != !(toggle && is_off(i));
        wrong += mica_has(world, c->all[i], c->tag) != (i % 2 == 1);
        wrong += mica_has(world, c->all[i], c->mark) != (i % 3 != 0 || i == 5);
        wrong += mica_query_contains(world, c->reads, c->all[i]) != there;
        wrong +=
            mica_accessor_is_enabled(&c->cells, c->all[i]) != (there && !(toggle && is_off(i)));
        if (row_stamps) {
            wrong += mica_query_contains(world, c->changed, c->all[i]) != is_changed(i);
            changed += is_changed(i);
        }
        count += there;
    }
    CHECK_EQUAL(0, wrong);
    CHECK_EQUAL(count, mica_query_count(world, c->reads));
    if (row_stamps) {
        CHECK_EQUAL(changed, mica_query_count(world, c->changed));
        CHECK_EQUAL(0, mica_query_count(world, c->added));
    }
    mica_iter it;
    uint32_t walked = 0;
    mica_iter_begin(world, c->reads, &it);
    while (mica_iter_next(&it)) {
        mica_read_fields numbers =
            mica_read_field(&it, 0, offsetof(Cell, number), sizeof(uint32_t), NULL);
        for (uint32_t row = 0; row < it.count; row++, walked++) {
            uint32_t number = *(const uint32_t *)mica_read_in(numbers, row);
            wrong += number >= CROWD || !MICA_EQUAL(c->all[number], it.entities[row]);
        }
    }
    CHECK_EQUAL(0, wrong);
    CHECK_EQUAL(count, walked);
}

static void check_unchanged(crowd *c)
{
    CHECK_EQUAL(0, mica_query_count(c->world, c->changed));
    CHECK_EQUAL(0, mica_query_count(c->world, c->added));
}

static uint32_t happenings;

static void note(const mica_observer_event *h)
{
    (void)h;
    happenings++;
}

// The order in which rows come that have the tag and the cell.
static void list_rows(crowd *c, mica_entity *order)
{
    mica_query query = mica_query_new(
        c->world, &(mica_query_desc){.terms = {{c->tag, MICA_WITH}, {c->cell, MICA_WITH}}});
    mica_iter it;
    uint32_t n = 0;
    memset(order, 0, sizeof(mica_entity) * CROWD);
    mica_iter_begin(c->world, query, &it);
    while (mica_iter_next(&it)) {
        memcpy(order + n, it.entities, it.count * sizeof *order);
        n += it.count;
    }
    mica_query_free(c->world, query);
}

static uint32_t inside_calls;
static mica_type inside_type;

static mica_result try_inside(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count;
    inside_calls++;
    CHECK_EQUAL(MICA_ERROR_HOOK, mica_type_change_storage(context->user, inside_type, MICA_RING));
    return MICA_OK;
}

static mica_result set(stage *s, mica_type type, mica_storage storage)
{
    return mica_type_change_storage(s->world, type, storage);
}

PROMISE(mica_type_change_storage)
{
    static mica_entity before[CROWD], after[CROWD];
    for (uint32_t way = 0; way < 4 * STORAGES * STORAGES; way++) {
        bool toggle = way & 1, row_stamps = way & 2;
        mica_storage from = storages[way / 4 % STORAGES], to = storages[way / 4 / STORAGES];
        crowd c;
        mica_world *world = begin_crowd(&c, from, toggle, row_stamps);
        check_crowd(&c, toggle, row_stamps);
        uint64_t hash = mica_world_hash(world);
        list_rows(&c, before);
        happenings = 0;
        mica_observer observer = mica_observer_new(
            world, &(mica_observer_desc){.type = c.cell,
                                         .events = MICA_ON_ADD | MICA_ON_SET | MICA_ON_REMOVE,
                                         .call = note});

        // [storage.change], [storage.stays]
        CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, c.cell, to));
        CHECK_EQUAL(to, mica_type_get_info(world, c.cell)->storage);
        CHECK_EQUAL(hash, mica_world_hash(world));
        CHECK_EQUAL(0, happenings);
        mica_observer_free(world, observer);
        check_crowd(&c, toggle, row_stamps);
        if (!row_stamps && (from == MICA_SPARSE) == (to == MICA_SPARSE)) {
            check_unchanged(&c);
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));

        // [storage.rows]
        if (from != MICA_SPARSE && to != MICA_SPARSE) {
            list_rows(&c, after);
            CHECK_BYTES(before, after, sizeof before);
        }

        // [storage.registered]
        mica_type_desc desc = MICA_DESCRIBE(Cell, x, number);
        desc.toggle = toggle;
        desc.row_stamps = row_stamps;
        for (uint32_t i = 0; i < STORAGES; i++) {
            desc.storage = storages[i];
            mica_type again = mica_type_register(world, &desc);
            if (desc.storage == from || desc.storage == to) {
                CHECK(MICA_EQUAL(c.cell, again));
            } else {
                CHECK(MICA_IS_NONE(again));
                CHECK_REPORTED(&c.s.t, MICA_ERROR_SHAPE);
            }
        }

        // [storage.users]
        mica_entity made = mica_spawn_bundle(world, c.bundle, NULL, 0);
        CHECK(mica_has(world, made, c.cell) && mica_has(world, made, c.tag));
        CHECK_EQUAL(MICA_OK, mica_set(world, made, MICA_VALUE(c.cell, Cell, 1, 2)));
        Cell cell = {0, 0};
        CHECK(MICA_LOAD(world, made, c.cell, cell) && cell.number == 2);
        CHECK_EQUAL(to == MICA_SPLIT, mica_accessor_get(&c.cells, made) == NULL);
        CHECK_EQUAL(to == MICA_SPLIT, mica_get(world, made, c.cell) == NULL);
        CHECK_EQUAL(to == MICA_SPLIT ? 2 : 0, test_error_clear(&c.s.t.error));
        CHECK_EQUAL(MICA_OK, mica_remove(world, made, c.cell));
        mica_despawn(world, made);

        // [storage.all_or_none]: back again, without memory
        for (uint64_t k = 1;; k += 1 + k / 2) {
            uint64_t digest = mica_world_digest(world);
            test_memory_fail_at(&c.s.t.memory, k, TEST_MEMORY_ONCE);
            mica_result result = mica_type_change_storage(world, c.cell, from);
            test_memory_fail_at(&c.s.t.memory, 0, TEST_MEMORY_ONCE);
            if (result == MICA_OK) {
                break;
            }
            CHECK_REPORTED(&c.s.t, MICA_ERROR_MEMORY);
            CHECK_EQUAL(digest, mica_world_digest(world));
        }
        check_crowd(&c, toggle, row_stamps);
        test_world_end(&c.s.t);
    }

    // [storage.hooks]
    stage s;
    mica_world *world = begin(&s);
    tally t;
    mica_type_desc desc = mesh_desc(&t);
    mica_type mesh = mica_type_register(world, &desc), tag = MICA_TAG(world, Tag);
    for (uint32_t i = 0; i < 100; i++) {
        mica_entity made = mica_spawn(world, MICA_VALUE(mesh, Position, (float)i, 0));
        if (i % 2) {
            mica_add(world, made, tag);
        }
    }
    const mica_storage next[] = {MICA_RING, MICA_SPARSE, MICA_RING, MICA_TABLE};
    for (uint32_t i = 0; i < 4; i++) {
        tally had = t;
        CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, mesh, next[i]));
        CHECK(t.moves >= had.moves + 100);
        CHECK_EQUAL(had.constructs, t.constructs);
        CHECK_EQUAL(had.destructs, t.destructs);
        CHECK_EQUAL(had.copies, t.copies);
    }

    // [storage.tables], [storage.moves]
    mica_world_clear(world);
    mica_world_reclaim(world);
    mica_type position = MICA_REGISTER(world, Position, x, y);
    mica_spawn(world, MICA_ADD(tag));
    mica_spawn(world, MICA_ADD(tag), MICA_ADD(position));
    mica_table_info info;
    uint32_t inhabited[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQUAL(MICA_OK,
                    mica_type_change_storage(world, position, i ? MICA_TABLE : MICA_SPARSE));
        for (uint32_t table = 0; mica_table_get_info(world, table, &info); table++) {
            inhabited[i] += info.rows > 0;
        }
    }
    CHECK_EQUAL(1, inhabited[0]);
    CHECK_EQUAL(2, inhabited[1]);

    // [storage.memory]. What else there is, and what tables that divide take:
    // unit/query/storage_test.c
    typedef struct Large {
        float numbers[256];
    } Large;
    mica_world_clear(world);
    mica_world_reclaim(world);
    mica_type large = MICA_REGISTER(world, Large, numbers);
    mica_type beside =
        mica_type_register(world, &(mica_type_desc){.name = "Beside", .size = 2048, .align = 8});
    mica_bundle many = mica_bundle_new(world, (mica_type[]){large, beside}, 2);
    mica_spawn_many(world, many, 4096, NULL, 0, NULL);
    const mica_storage one_by_one[] = {MICA_SPLIT, MICA_RING,  MICA_SPARSE,
                                       MICA_RING,  MICA_SPLIT, MICA_TABLE};
    for (uint32_t i = 0; i < 6; i++) {
        mica_world_reclaim(world);
        s.t.memory.peak_bytes = s.t.memory.bytes;
        size_t bytes = s.t.memory.bytes;
        CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, large, one_by_one[i]));
        if (s.t.memory.peak_bytes - bytes > 4096 * sizeof(Large) / 8 * 9) {
            test_fail(__FILE__, __LINE__, "storage %d took %d kB", one_by_one[i],
                      (int)((s.t.memory.peak_bytes - bytes) / 1024));
        }
    }

    // [storage.tables_memory], [storage.rings]
    const size_t some = (size_t)3 * 1024 * (2048 + 64) + 4096 * (sizeof(Position) + 8) + 262144;
    for (uint32_t ring = 0; ring < 2; ring++) {
        mica_world_clear(world);
        CHECK_EQUAL(MICA_OK,
                    mica_type_change_storage(world, beside, ring ? MICA_RING : MICA_TABLE));
        CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, position, MICA_SPARSE));
        mica_bundle alone = mica_bundle_new(world, &beside, 1);
        mica_bundle pair = mica_bundle_new(world, (mica_type[]){beside, position}, 2);
        mica_spawn_many(world, alone, 4096, NULL, 0, NULL);
        mica_spawn_many(world, pair, 4096, NULL, 0, NULL);
        mica_world_reclaim(world);
        s.t.memory.peak_bytes = s.t.memory.bytes;
        size_t bytes = s.t.memory.bytes;
        CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, position, MICA_TABLE));
        CHECK(s.t.memory.peak_bytes - bytes <= some + (ring ? (size_t)4096 * 2048 : 0));
        mica_bundle_free(world, alone);
        mica_bundle_free(world, pair);
    }

    // [storage.reserved]
    mica_world_clear(world);
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, beside, MICA_TABLE));
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, position, MICA_SPARSE));
    mica_bundle kept = mica_bundle_new(world, &beside, 1);
    mica_spawn(world, MICA_ADD(beside));
    mica_spawn(world, MICA_ADD(beside), MICA_ADD(position));
    CHECK_EQUAL(MICA_OK, mica_bundle_reserve(world, kept, 500));
    CHECK_EQUAL(MICA_OK, mica_type_change_storage(world, position, MICA_TABLE));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, kept, 500, NULL, 0, NULL));
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);

    // [storage.structural]
    mica_world_clear(world);
    mica_query everything = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, everything, &it);
    CHECK_REFUSED(&s, MICA_ERROR_ITERATING, set(&s, position, MICA_RING));
    mica_iter_end(&it);

    // [storage.fail]
    CHECK_EQUAL(MICA_ERROR_NULL, mica_type_change_storage(NULL, position, MICA_RING));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, set(&s, s.foreign, MICA_RING));
    CHECK_REFUSED(&s, MICA_ERROR_TYPE, set(&s, (mica_type){0}, MICA_RING));
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, set(&s, tag, MICA_SPARSE));
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, set(&s, position, MICA_STORAGE_COUNT));
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, set(&s, position, (mica_storage)-1));
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, set(&s, mesh, MICA_SPLIT));
    mica_type bytes =
        mica_type_register(world, &(mica_type_desc){.name = "B", .size = 8, .align = 4});
    CHECK_REFUSED(&s, MICA_ERROR_ARGUMENT, set(&s, bytes, MICA_SPLIT));
    desc = MICA_DESCRIBE(Position, x);
    desc.name = "Holes";
    mica_type holes = mica_type_register(world, &desc);
    CHECK_REFUSED(&s, MICA_ERROR_FIELD, set(&s, holes, MICA_SPLIT));
    mica_field_info pieces = {.name = "all", .kind = MICA_KIND_F32, .strips = MICA_STRIPS_EACH};
    pieces.count = MICA_STRIPS_MAX + 1;
    desc = (mica_type_desc){.name = "Pieces", .align = 4, .fields = &pieces, .field_count = 1};
    desc.size = 4 * pieces.count;
    mica_type many_pieces = mica_type_register(world, &desc);
    CHECK_REFUSED(&s, MICA_ERROR_LIMIT, set(&s, many_pieces, MICA_SPLIT));
    desc = MICA_DESCRIBE(Position, x, y);
    desc.name = "Owned", desc.storage = MICA_SPARSE;
    mica_type owned = mica_type_register(world, &desc);
    desc.name = "Also";
    mica_type also = mica_type_register(world, &desc);
    desc.name = "Stable", desc.stable = true;
    mica_type stable = mica_type_register(world, &desc);
    mica_group_new(world,
                   &(mica_group_desc){.owned = {owned}, .required = {also}, .name = "the pair"});
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_OWNED, set(&s, owned, MICA_TABLE));
    CHECK(strstr(s.t.error.last.sentence, "the pair") != NULL);
    CHECK_REPORTED(&s.t, MICA_ERROR_OWNED);
    CHECK_EQUAL(MICA_ERROR_OWNED, set(&s, also, MICA_TABLE));
    CHECK(strstr(s.t.error.last.sentence, "the pair") != NULL);
    CHECK_REPORTED(&s.t, MICA_ERROR_OWNED);
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_REFUSED(&s, MICA_ERROR_STORAGE, set(&s, stable, MICA_TABLE));
    inside_type = position, inside_calls = 0;
    mica_type hooked = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Hooked", .size = 8, .align = 4, .hooks.construct = try_inside, .user = world});
    mica_spawn(world, MICA_ADD(hooked));
    CHECK_EQUAL(1, inside_calls);
    CHECK_REPORTED(&s.t, MICA_ERROR_HOOK);
    test_world_end(&s.t);
}

PROMISE(mica_type_find)
{
    // [type.find]
    stage s;
    mica_world *world = begin(&s);
    mica_type tag = MICA_TAG(world, Tag);
    CHECK(MICA_EQUAL(tag, mica_type_find(world, "Tag")));
    CHECK(MICA_IS_NONE(mica_type_find(world, "Ta")));
    CHECK(MICA_IS_NONE(mica_type_find(world, "")));
    CHECK(MICA_IS_NONE(mica_type_find(world, NULL)));
    CHECK_REPORTED(&s.t, MICA_ERROR_NULL);
    CHECK(MICA_IS_NONE(mica_type_find(NULL, "Tag")));

    // Nobody finds what is the library's own
    mica_facet_add(world, mica_spawn_values(world, NULL, 0), tag, 1, MICA_ADD(tag));
    CHECK_EQUAL(1, test_type_count(world));
    test_world_end(&s.t);
}

PROMISE(mica_type_get_info)
{
    // [type.describe]
    stage s;
    mica_world *world = begin(&s);
    char name[] = "Position";
    mica_type_desc desc = MICA_DESCRIBE(Position, y, x);
    const Position at = {1, 2};
    desc.name = name;
    desc.default_value = &at;
    desc.toggle = desc.row_stamps = desc.saved = true;
    desc.storage = MICA_RING;
    mica_type type = mica_type_register(world, &desc);
    name[0] = 'X';
    const mica_type_info *info = mica_type_get_info(world, type);
    CHECK(MICA_EQUAL(type, info->type));
    CHECK_TEXT("Position", info->name);
    CHECK_TEXT("Position", info->c_type);
    CHECK_EQUAL(sizeof(Position), info->size);
    CHECK_EQUAL(_Alignof(Position), info->align);
    CHECK_EQUAL(2, info->field_count);
    CHECK_TEXT("x", info->fields[0].name); // ascending offsets
    CHECK_EQUAL(4, info->fields[1].size);
    CHECK_EQUAL(1, info->fields[1].count);
    CHECK_BYTES(&at, info->default_value, sizeof at);
    CHECK(info->toggle && info->row_stamps && info->saved && !info->stable && !info->plain);
    CHECK_EQUAL(MICA_RING, info->storage);

    // It is valid as long as the world
    for (uint32_t i = 0; i < 300; i++) {
        char other[] = {'T', (char)('0' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10),
                        '\0'};
        mica_type_register(world, &(mica_type_desc){.name = other});
    }
    CHECK_POINTER(info, mica_type_get_info(world, type));
    CHECK_POINTER(NULL, mica_type_get_info(world, (mica_type){0}));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK_POINTER(NULL, mica_type_get_info(world, s.foreign));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK_POINTER(NULL, mica_type_get_info(NULL, type));
    test_world_end(&s.t);
}

PROMISE(mica_type_next)
{
    // [type.next]: in order
    stage s;
    mica_world *world = begin(&s);
    CHECK(MICA_IS_NONE(mica_type_next(world, (mica_type){0})));
    mica_type one = MICA_TAG(world, One), two = MICA_REGISTER_SPARSE(world, Position, x, y);
    mica_facet_add(world, mica_spawn_values(world, NULL, 0), one, 1, MICA_ADD(one));
    mica_type three = MICA_TAG(world, Three);
    CHECK(MICA_EQUAL(one, mica_type_next(world, (mica_type){0})));
    CHECK(MICA_EQUAL(two, mica_type_next(world, one)));
    CHECK(MICA_EQUAL(three, mica_type_next(world, two)));
    CHECK(MICA_IS_NONE(mica_type_next(world, three)));
    CHECK(MICA_IS_NONE(mica_type_next(world, s.foreign)));
    CHECK_REPORTED(&s.t, MICA_ERROR_TYPE);
    CHECK(MICA_IS_NONE(mica_type_next(NULL, one)));
    test_world_end(&s.t);
}

TESTS(type, promise_of_mica_hook_explain, promise_of_mica_type_register,
      promise_of_mica_type_register_all, promise_of_mica_type_change_storage,
      promise_of_mica_type_find, promise_of_mica_type_get_info, promise_of_mica_type_next)
