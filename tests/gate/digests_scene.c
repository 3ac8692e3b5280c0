// The scene of the digest gate: types of every storage, their values and hooks, groups, and errors.
//
// Values depend on nothing but their number. All bytes are written, so that padding is zero. Numbers in floats are
// exact: no machine rounds them.
#include "digests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t digests_fnv(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ next[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

void digests_note(scene *s, uint64_t number)
{
    unsigned char bytes[8];
    for (uint32_t i = 0; i < 8; i++) { // the same on either byte order
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
    s->order = digests_fnv(s->order, bytes, sizeof bytes);
}

void digests_check(scene *s, bool holds, const char *what)
{
    if (!holds && !s->failure) {
        s->failure = what;
    }
}

void *digests_alloc(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "digests: no memory\n");
        exit(1);
    }
    return memory;
}

void digests_keep(scene *s, mica_entity entity)
{
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        mica_entity *wider = digests_alloc(capacity, sizeof *wider);
        if (s->count > 0) {
            memcpy(wider, s->entities, s->count * sizeof *wider);
        }
        free(s->entities);
        s->entities = wider;
        s->capacity = capacity;
    }
    s->entities[s->count++] = entity;
}

// Hooks

static mica_result own(Owned *value, uint32_t number, uint32_t copies,
                       const mica_hook_context *context)
{
    const mica_allocator *allocator = context->allocator;
    scene *s = context->user;
    value->number = number;
    value->copies = copies;
    value->heap =
        allocator->resize(allocator->user, NULL, 0, sizeof *value->heap, _Alignof(uint32_t));
    if (!value->heap) {
        return MICA_ERROR_MEMORY;
    }
    *value->heap = number;
    s->owned++;
    return MICA_OK;
}

static mica_result construct_owned(void *target, uint32_t count, const mica_hook_context *context)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; i < count && !result; i++) {
        result = own((Owned *)target + i, 7, 0, context);
    }
    return result;
}

static void destruct_owned(void *target, uint32_t count, const mica_hook_context *context)
{
    const mica_allocator *allocator = context->allocator;
    scene *s = context->user;
    Owned *values = target;
    for (uint32_t i = 0; i < count; i++) {
        DIGESTS_CHECK(s, *values[i].heap == values[i].number);
        allocator->resize(allocator->user, values[i].heap, sizeof *values[i].heap, 0,
                          _Alignof(uint32_t));
        s->owned--;
    }
}

static mica_result copy_owned(void *target, const void *source, uint32_t count,
                              const mica_hook_context *context)
{
    const Owned *sources = source;
    mica_result result = MICA_OK;
    for (uint32_t i = 0; i < count && !result; i++) {
        result = own((Owned *)target + i, sources[i].number, sources[i].copies + 1, context);
    }
    return result;
}

static void move_owned(void *target, void *source, uint32_t count, const mica_hook_context *context)
{
    const Owned *sources = source;
    Owned *targets = target;
    for (uint32_t i = 0; i < count; i++) {
        DIGESTS_CHECK((scene *)context->user, *sources[i].heap == sources[i].number);
        targets[i] = sources[i];
    }
    memset(source, 0x5a, count * sizeof *targets);
}

static mica_result save_owned(const void *value, mica_put *put, void *out,
                              const mica_hook_context *context)
{
    (void)context;
    const Owned *owned = value;
    unsigned char bytes[5] = {(unsigned char)owned->copies};
    for (uint32_t i = 0; i < 4; i++) {
        bytes[i + 1] = (unsigned char)(*owned->heap >> (8 * i));
    }
    return put(out, bytes, sizeof bytes) ? MICA_OK : MICA_ERROR_MEMORY;
}

static mica_result load_owned(void *target, const void *data, size_t size,
                              const mica_hook_context *context)
{
    const unsigned char *bytes = data;
    if (size != 5) {
        return MICA_ERROR_ARGUMENT;
    }
    uint32_t number = 0;
    for (uint32_t i = 0; i < 4; i++) {
        number |= (uint32_t)bytes[i + 1] << (8 * i);
    }
    return own(target, number, bytes[0], context);
}

static const mica_hooks owned_hooks = {.construct = construct_owned,
                                       .destruct = destruct_owned,
                                       .copy = copy_owned,
                                       .move = move_owned,
                                       .save = save_owned,
                                       .load = load_owned};

// Types

typedef enum shape { SHAPE_NONE, SHAPE_PAIR, SHAPE_WIDE, SHAPE_OWNED, SHAPE_BYTES } shape;

static const struct {
    const char *name;
    shape shape;
    mica_storage storage, other;
    bool stable, toggle, row_stamps;
} types[TYPE_COUNT] = {
    [PLACE] = {"place", SHAPE_PAIR, MICA_TABLE, MICA_SPARSE, false, false, false},
    [TAG] = {"tag", SHAPE_NONE, MICA_TABLE, MICA_SPARSE, false, false, false},
    [WIDE] = {"wide", SHAPE_WIDE, MICA_TABLE, MICA_RING, false, false, false},
    [STAMPED] = {"stamped", SHAPE_PAIR, MICA_TABLE, MICA_SPARSE, false, true, true},
    [BYTES] = {"bytes", SHAPE_BYTES, MICA_TABLE, MICA_SPARSE, false, false, false},
    [OWNED] = {"owned", SHAPE_OWNED, MICA_TABLE, MICA_SPARSE, false, false, false},
    [SPLIT] = {"split", SHAPE_PAIR, MICA_SPLIT, MICA_SPARSE, false, true, false},
    [SPLIT_WIDE] = {"split_wide", SHAPE_WIDE, MICA_SPLIT, MICA_TABLE, false, false, true},
    [RING] = {"ring", SHAPE_PAIR, MICA_RING, MICA_SPLIT, false, false, false},
    [RING_STAMPED] = {"ring_stamped", SHAPE_PAIR, MICA_RING, MICA_SPARSE, false, true, true},
    [RING_OWNED] = {"ring_owned", SHAPE_OWNED, MICA_RING, MICA_TABLE, false, false, false},
    [SPARSE] = {"sparse", SHAPE_PAIR, MICA_SPARSE, MICA_TABLE, false, false, false},
    [SPARSE_TWIN] = {"sparse_twin", SHAPE_PAIR, MICA_SPARSE, MICA_RING, false, false, false},
    [SPARSE_STAMPED] = {"sparse_stamped", SHAPE_PAIR, MICA_SPARSE, MICA_TABLE, false, true, true},
    [SPARSE_OWNED] = {"sparse_owned", SHAPE_OWNED, MICA_SPARSE, MICA_RING, false, false, false},
    [STABLE] = {"stable", SHAPE_PAIR, MICA_SPARSE, MICA_SPLIT, true, false, false},
    [STABLE_OWNED] = {"stable_owned", SHAPE_OWNED, MICA_SPARSE, MICA_TABLE, true, true, true},
    [SPARSE_TAG] = {"sparse_tag", SHAPE_NONE, MICA_SPARSE, MICA_TABLE, false, false, false},
    [MARK] = {"mark", SHAPE_NONE, MICA_SPARSE, MICA_SPARSE, false, true, true},
};

bool digests_is_pair(uint32_t type)
{
    return types[type].shape == SHAPE_PAIR;
}

bool digests_is_owned(uint32_t type)
{
    return types[type].shape == SHAPE_OWNED;
}

const char *digests_type_name(uint32_t type)
{
    return types[type].name;
}

static void add_type(scene *s, uint32_t type, mica_type_desc desc, bool other_storages)
{
    desc.name = types[type].name;
    desc.c_type = NULL;
    desc.storage = other_storages ? types[type].other : types[type].storage;
    desc.stable = types[type].stable && !other_storages;
    desc.toggle = types[type].toggle;
    desc.row_stamps = types[type].row_stamps;
    desc.user = s;
    s->types[type] = mica_type_register(s->world, &desc);
}

static void add_wide(scene *s, uint32_t type, bool other_storages)
{
    static const mica_enumerator moods[] = {{"good", 1}, {"bad", -2}, {0}};
    const mica_field_info fields[] = {MICA_FIELD(Wide, i8),
                                      MICA_FIELD(Wide, i16),
                                      MICA_FIELD(Wide, i32),
                                      MICA_FIELD(Wide, i64),
                                      MICA_FIELD(Wide, u8),
                                      MICA_FIELD(Wide, u16),
                                      MICA_FIELD(Wide, u32),
                                      MICA_FIELD(Wide, u64),
                                      MICA_FIELD(Wide, f32),
                                      MICA_FIELD(Wide, f64),
                                      MICA_FIELD(Wide, flag),
                                      MICA_FIELD(Wide, letter),
                                      MICA_FIELD(Wide, text),
                                      MICA_FIELD(Wide, target),
                                      MICA_FIELD_STRUCT(Wide, at, s->pair),
                                      MICA_FIELD_STRUCT(Wide, path, s->pair),
                                      MICA_FIELD_ENUM(Wide, mood, moods),
                                      MICA_FIELD(Wide, few)};
    add_type(s, type,
             (mica_type_desc){.size = sizeof(Wide),
                              .align = _Alignof(Wide),
                              .fields = fields,
                              .field_count = sizeof fields / sizeof *fields},
             other_storages);
}

static void add_by_shape(scene *s, uint32_t type, bool other_storages)
{
    static const Pair origin = {1.5f, -2};
    mica_type_desc pair = MICA_DESCRIBE(Pair, x, y);
    mica_type_desc owned = MICA_DESCRIBE(Owned, number, copies);
    mica_type_desc bytes = {.size = 8, .align = 1, .plain = true};
    pair.default_value = type == PLACE ? &origin : NULL;
    owned.hooks = owned_hooks;
    switch (types[type].shape) {
    case SHAPE_NONE: add_type(s, type, (mica_type_desc){0}, other_storages); break;
    case SHAPE_PAIR: add_type(s, type, pair, other_storages); break;
    case SHAPE_WIDE: add_wide(s, type, other_storages); break;
    case SHAPE_OWNED: add_type(s, type, owned, other_storages); break;
    case SHAPE_BYTES: add_type(s, type, bytes, other_storages); break;
    }
}

static void add_types(scene *s, bool other_storages)
{
    s->pair = MICA_REGISTER(s->world, Pair, x, y);
    for (uint32_t type = 0; type < TYPE_COUNT; type++) {
        add_by_shape(s, type, other_storages);
    }
    mica_type_desc desc = MICA_DESCRIBE(Pair, x, y);
    desc.c_type = NULL;
    desc.name = "secret";
    s->secret = mica_type_register(s->world, &desc);
    desc.name = "score";
    desc.saved = true;
    s->score = mica_type_register(s->world, &desc);
}

// Values

static void fill_pair(Pair *pair, uint32_t n)
{
    pair->x = (float)(n % 1000) / 8;
    pair->y = (int32_t)(n * 2654435761u >> 20) - 2048;
}

static void fill_wide(Wide *wide, uint32_t n, mica_entity target)
{
    wide->i8 = (int8_t)(n % 128);
    wide->i16 = (int16_t) - (int32_t)(n % 30000);
    wide->i32 = -(int32_t)(n % 1000003);
    wide->i64 = -(int64_t)n * 1000003;
    wide->u8 = (uint8_t)n;
    wide->u16 = (uint16_t)(n * 7);
    wide->u32 = n * 2654435761u;
    wide->u64 = n * UINT64_C(0x9e3779b97f4a7c15);
    wide->f32 = (float)(n % 4096) / 16;
    wide->f64 = (double)n / 1024;
    wide->flag = n & 1;
    wide->letter = (char)('a' + n % 26);
    memcpy(wide->text, "seven77", n % 8 < 7 ? n % 8 : 7);
    wide->target = target;
    fill_pair(&wide->at, n + 1);
    fill_pair(&wide->path[n % 3], n + 2);
    wide->mood = n & 2 ? 1 : -2;
    wide->few[n % 3] = (uint16_t)n;
}

mica_value digests_value(scene *s, uint32_t type, any_value *value_out)
{
    mica_value value = {s->types[type], value_out, 0, 1, NULL};
    uint32_t n = s->number++;
    memset(value_out, 0, sizeof *value_out);
    switch (types[type].shape) {
    case SHAPE_NONE: return (mica_value){s->types[type], NULL, 0, 0, NULL};
    case SHAPE_PAIR:
        fill_pair(&value_out->pair, n);
        value.size = sizeof(Pair);
        break;
    case SHAPE_WIDE:
        fill_wide(&value_out->wide, n, s->count > 0 ? s->entities[n % s->count] : (mica_entity){0});
        value.size = sizeof(Wide);
        break;
    case SHAPE_OWNED:
        value_out->owned.number = n;
        value.size = sizeof(Owned);
        break;
    case SHAPE_BYTES:
        for (uint32_t i = 0; i < 8; i++) {
            value_out->bytes[i] = (unsigned char)(n >> (i % 4 * 8));
        }
        value.size = 8;
        break;
    }
    return value;
}

// Groups

static const struct {
    const char *name;
    uint8_t owned[3], required[3], without[2]; // up to PLACE
} groups[GROUP_COUNT] = {
    [OWNING] = {"owning", {SPARSE, SPARSE_TWIN}, {0}, {0}},
    [PARTIAL] = {"partial", {SPARSE_OWNED}, {SPARSE_STAMPED}, {0}},
    [LISTING] = {"listing", {0}, {SPARSE_STAMPED, MARK}, {STABLE}},
    [OWNING_TAG] = {"owning_tag", {SPARSE_TAG}, {STABLE}, {0}},
};

static void list_types(const scene *s, const uint8_t *list, mica_type *types_out)
{
    for (uint32_t i = 0; list[i] != PLACE; i++) {
        types_out[i] = s->types[list[i]];
    }
}

void digests_create_group(scene *s, uint32_t group)
{
    mica_group_desc desc = {.name = groups[group].name};
    list_types(s, groups[group].owned, desc.owned);
    list_types(s, groups[group].required, desc.required);
    list_types(s, groups[group].without, desc.without);
    s->groups[group] = mica_group_new(s->world, &desc);
}

// Worlds

static void note_error(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    scene *s = user;
    if (s->errors++ == 0) {
        memcpy(s->error, error->sentence, sizeof s->error);
    }
    digests_note(s, UINT64_C(0xe0000) + (uint64_t)error->code);
}

void digests_open(scene *s, bool other_storages)
{
    s->world = mica_world_new(&(mica_world_desc){.error_handler = note_error, .error_user = s});
    s->target = s->world;
    memset(s->queries, 0, sizeof s->queries);
    s->cursor = (mica_cursor){0};
    add_types(s, other_storages);
    for (uint32_t i = 0; i < GROUP_COUNT; i++) {
        if (!MICA_IS_NONE(s->groups[i])) {
            digests_create_group(s, i);
        }
    }
    digests_create_observers(s, s->observed);
    if (s->has_systems) {
        digests_create_systems(s);
    }
}

void digests_close(scene *s)
{
    DIGESTS_CHECK(s, mica_world_validate(s->world) == MICA_OK);
    DIGESTS_CHECK(s, mica_world_free(s->world) == MICA_OK);
    s->world = NULL;
}
