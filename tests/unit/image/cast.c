#include "unit/image/cast.h"

#include <stdlib.h>
#include <string.h>

#include "runner/test.h"

static const mica_enumerator moods[] = {{"good", 1}, {"bad", -2}, {0}};

// Text

static char *copy_text(const char *text, const mica_allocator *allocator)
{
    char *copy = text ? allocator->resize(allocator->user, NULL, 0, strlen(text) + 1, 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

static void text_destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    Text *texts = target;
    const mica_allocator *allocator = context->allocator;
    for (uint32_t i = 0; i < count; i++) {
        if (texts[i].text) {
            allocator->resize(allocator->user, texts[i].text, strlen(texts[i].text) + 1, 0, 1);
        }
    }
}

static mica_result text_copy(void *target, const void *source, uint32_t count,
                             const mica_hook_context *context)
{
    Text *targets = target;
    const Text *sources = source;
    for (uint32_t i = 0; i < count; i++) {
        targets[i] = (Text){sources[i].size, copy_text(sources[i].text, context->allocator)};
        if (sources[i].text && !targets[i].text) {
            text_destruct(targets, i, context);
            return MICA_ERROR_MEMORY;
        }
    }
    return MICA_OK;
}

static mica_result text_save(const void *value, mica_put *put, void *out,
                             const mica_hook_context *context)
{
    (void)context;
    const Text *text = value;
    return !text->text || put(out, text->text, strlen(text->text)) ? MICA_OK : MICA_ERROR_MEMORY;
}

static mica_result text_load(void *target, const void *data, size_t size,
                             const mica_hook_context *context)
{
    const mica_allocator *allocator = context->allocator;
    Text *text = target;
    text->size = (uint32_t)size;
    text->text = size > 0 ? allocator->resize(allocator->user, NULL, 0, size + 1, 1) : NULL;
    if (size > 0 && !text->text) {
        mica_hook_explain(context, "no memory");
        return MICA_ERROR_MEMORY;
    }
    if (size > 0) {
        memcpy(text->text, data, size);
        text->text[size] = '\0';
    }
    if (text->text && strlen(text->text) != size) {
        allocator->resize(allocator->user, text->text, size + 1, 0, 1);
        mica_hook_explain(context, "a zero in a text");
        return MICA_ERROR_ARGUMENT;
    }
    return MICA_OK;
}

const mica_hooks cast_text_hooks = {
    .destruct = text_destruct, .copy = text_copy, .save = text_save, .load = text_load};

// Types

// How a type is stored, and how otherwise.
static const struct {
    mica_storage usual, other;
    bool stable;
} storages[CAST_TYPES] = {
    [CAST_TAG] = {MICA_TABLE, MICA_SPARSE, false},
    [CAST_POSITION] = {MICA_TABLE, MICA_SPARSE, false},
    [CAST_SHEET] = {MICA_TABLE, MICA_RING, false},
    [CAST_SPLIT] = {MICA_SPLIT, MICA_SPARSE, false},
    [CAST_RING] = {MICA_RING, MICA_SPLIT, false},
    [CAST_SPARSE] = {MICA_SPARSE, MICA_TABLE, false},
    [CAST_MARK] = {MICA_SPARSE, MICA_SPARSE, false},
    [CAST_STABLE] = {MICA_SPARSE, MICA_SPLIT, true},
    [CAST_TEXT] = {MICA_TABLE, MICA_SPARSE, false},
    [CAST_BYTES] = {MICA_TABLE, MICA_SPARSE, false},
    [CAST_LOOSE] = {MICA_SPARSE, MICA_RING, false},
};

static void add(cast *c, uint32_t type, mica_type_desc desc, const char *name, bool otherwise)
{
    desc.name = name;
    desc.storage = otherwise ? storages[type].other : storages[type].usual;
    desc.stable = storages[type].stable && !otherwise;
    c->types[type] = mica_type_register(c->world, &desc);
}

static void add_types(cast *c, bool otherwise)
{
    mica_world *world = c->world;
    static const Vec2 origin = {1, 2};
    c->vec2 = MICA_REGISTER(world, Vec2, x, y);
    mica_type_desc pair = MICA_DESCRIBE(Vec2, x, y);
    add(c, CAST_TAG, (mica_type_desc){0}, "Tag", otherwise);
    mica_type_desc desc = pair;
    desc.default_value = &origin;
    add(c, CAST_POSITION, desc, "Position", otherwise);
    const mica_field_info fields[] = {MICA_FIELD(Sheet, i8),
                                      MICA_FIELD(Sheet, i16),
                                      MICA_FIELD(Sheet, i32),
                                      MICA_FIELD(Sheet, i64),
                                      MICA_FIELD(Sheet, u8),
                                      MICA_FIELD(Sheet, u16),
                                      MICA_FIELD(Sheet, u32),
                                      MICA_FIELD(Sheet, u64),
                                      MICA_FIELD(Sheet, f32),
                                      MICA_FIELD(Sheet, f64),
                                      MICA_FIELD(Sheet, flag),
                                      MICA_FIELD(Sheet, letter),
                                      MICA_FIELD(Sheet, name),
                                      MICA_FIELD(Sheet, target),
                                      MICA_FIELD_STRUCT(Sheet, at, c->vec2),
                                      MICA_FIELD_STRUCT(Sheet, path, c->vec2),
                                      MICA_FIELD_ENUM(Sheet, mood, moods),
                                      MICA_FIELD(Sheet, few)};
    desc = (mica_type_desc){.size = sizeof(Sheet),
                            .align = _Alignof(Sheet),
                            .fields = fields,
                            .field_count = sizeof fields / sizeof *fields};
    add(c, CAST_SHEET, desc, "Sheet", otherwise);
    desc = pair;
    desc.toggle = true;
    add(c, CAST_SPLIT, desc, "Split", otherwise);
    desc.toggle = false;
    desc.row_stamps = true;
    add(c, CAST_RING, desc, "Ring", otherwise);
    desc.toggle = true;
    add(c, CAST_SPARSE, desc, "Sparse", otherwise);
    add(c, CAST_MARK, (mica_type_desc){.toggle = true}, "Mark", otherwise);
    add(c, CAST_STABLE, pair, "Stable", otherwise);
    const mica_field_info size = MICA_FIELD(Text, size);
    desc = (mica_type_desc){.size = sizeof(Text),
                            .align = _Alignof(Text),
                            .fields = &size,
                            .field_count = 1,
                            .hooks = cast_text_hooks};
    desc = c->hookless ? pair : desc;
    add(c, CAST_TEXT, desc, "Text", otherwise);
    desc =
        (mica_type_desc){.size = 8, .align = 4, .plain = true, .toggle = true, .row_stamps = true};
    add(c, CAST_BYTES, desc, "Bytes", otherwise);
    add(c, CAST_LOOSE, pair, "Loose", otherwise);
    desc = pair;
    desc.name = "Score";
    desc.saved = true;
    c->score = mica_type_register(world, &desc);
    desc.name = "Secret";
    desc.saved = false;
    c->secret = mica_type_register(world, &desc);
}

static void look(mica_iter *it)
{
    (void)it;
}

// What it has read is part of the world's state.
static void listen(mica_iter *it)
{
    const cast *c = it->user;
    uint32_t count;
    mica_events_unread(it, c->call, &count);
}

static void call_out(mica_iter *it)
{
    const cast *c = it->user;
    mica_send(it->world, MICA_VALUE(c->call, Vec2, 1, 2));
}

// Systems that have moments, and send and hear events, at a time of their own. Components they do not change.
static void add_systems(cast *c)
{
    mica_type_desc desc = MICA_DESCRIBE(Vec2, x, y);
    desc.name = "Call";
    desc.saved = true;
    c->call = mica_type_register(c->world, &desc);
    mica_phase phase =
        mica_phase_add(c->world, &(mica_phase_desc){.name = "slow", .fixed_dt = 0.4});
    mica_system_add(c->world, &(mica_system_desc){.name = "follow",
                                                  .update = look,
                                                  .begin = listen,
                                                  .user = c,
                                                  .query.terms = {{c->types[CAST_POSITION],
                                                                   MICA_READ | MICA_CHANGED}},
                                                  .phase = phase,
                                                  .events = {{c->call, MICA_READ}}});
    mica_system_add(c->world, &(mica_system_desc){
                                  .name = "watch",
                                  .update = look,
                                  .begin = call_out,
                                  .user = c,
                                  .query.terms = {{c->types[CAST_RING], MICA_READ | MICA_ADDED}},
                                  .events = {{c->call, MICA_WRITE}}});
}

void cast_fill_otherwise(cast *c)
{
    c->hookless = false;
    add_types(c, true);
}

void cast_begin_otherwise(cast *c)
{
    c->world = test_world_begin(&c->t);
    cast_fill_otherwise(c);
}

static void fill(cast *c, bool hookless)
{
    c->hookless = hookless;
    add_types(c, false);
    c->owning = mica_group_new(c->world, &(mica_group_desc){.owned = {c->types[CAST_LOOSE]},
                                                            .required = {c->types[CAST_SPARSE]},
                                                            .name = "owning"});
    c->listing = mica_group_new(
        c->world, &(mica_group_desc){.required = {c->types[CAST_SPARSE], c->types[CAST_MARK]},
                                     .without = {c->types[CAST_STABLE]},
                                     .name = "listing"});
    c->moved = mica_query_new(c->world, &(mica_query_desc){.name = "moved",
                                                           .terms = {{c->types[CAST_POSITION],
                                                                      MICA_READ | MICA_CHANGED}}});
    add_systems(c);
    c->positions = mica_accessor_new(c->world, c->types[CAST_POSITION]);
    c->sparse = mica_accessor_new(c->world, c->types[CAST_SPARSE]);
}

void cast_fill(cast *c)
{
    fill(c, false);
}

void cast_begin(cast *c)
{
    c->world = test_world_begin(&c->t);
    cast_fill(c);
}

void cast_begin_hookless(cast *c, mica_world *twin_of)
{
    c->world = twin_of ? test_world_begin_twin(&c->t, twin_of) : test_world_begin(&c->t);
    fill(c, true);
}

void cast_end(cast *c)
{
    test_world_end(&c->t);
}

// Operations

uint64_t cast_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// An entity that there is, by a number, or a facet of one; none if there are none.
static mica_entity choose(cast *c, uint64_t number)
{
    uint32_t count = mica_entity_count(c->world);
    mica_entity entity = mica_entity_next(c->world, (mica_entity){0});
    for (uint64_t i = count > 0 ? number % count : 0; i > 0; i--) {
        mica_entity next = mica_entity_next(c->world, entity);
        entity = MICA_IS_NONE(next) ? entity : next;
    }
    if (number >> 32 & 1 && !MICA_IS_NONE(entity)) {
        mica_entity facet = mica_facet_next(c->world, entity, (mica_entity){0});
        entity = MICA_IS_NONE(facet) ? entity : facet;
    }
    return entity;
}

static mica_result set(cast *c, mica_entity entity, uint32_t type, uint64_t number)
{
    const Vec2 pair = {(float)(number % 1000) / 8, -(float)(number >> 10 & 1023)};
    if (type == CAST_TAG || type == CAST_MARK) {
        return mica_add(c->world, entity, c->types[type]);
    }
    if (type == CAST_TEXT && !c->hookless) {
        char text[16] = "a text";
        text[0] = (char)('a' + number % 26);
        const mica_allocator *allocator = &c->t.memory.allocator;
        Text value = {number % 5 ? 6 : 0, number % 5 ? copy_text(text, allocator) : NULL};
        mica_result result = mica_set_value(c->world, entity, c->types[type], &value, sizeof value);
        text_destruct(&value, 1, &(mica_hook_context){.allocator = allocator});
        return result;
    }
    if (type ==
        CAST_BYTES) { // the same on every machine, though nobody would notice if they were not
        unsigned char bytes[8];
        for (uint32_t i = 0; i < 8; i++) {
            bytes[i] = (unsigned char)(number >> (8 * i));
        }
        return mica_set_value(c->world, entity, c->types[type], bytes, sizeof bytes);
    }
    if (type == CAST_SHEET) {
        Sheet sheet;
        memset(&sheet, 0x77, sizeof sheet); // also what is between
        sheet = (Sheet){.i8 = (int8_t)number,
                        .i16 = (int16_t)(number >> 8),
                        .i32 = (int32_t)(number >> 16),
                        .i64 = (int64_t)number,
                        .u8 = (uint8_t)number,
                        .u64 = ~number,
                        .f32 = pair.x,
                        .f64 = (double)pair.y / 3,
                        .flag = number & 1,
                        .letter = 'x',
                        .name = "seven77",
                        .target = choose(c, number >> 3),
                        .at = pair,
                        .path = {pair, pair},
                        .mood = number & 2 ? 1 : -2,
                        .few = {1, 2, (uint16_t)number}};
        sheet.name[number % 7] = '\0';
        return mica_set_value(c->world, entity, c->types[type], &sheet, sizeof sheet);
    }
    return mica_set_value(c->world, entity, c->types[type], &pair, sizeof pair);
}

// Reads on with a named cursor, or removes it.
static void read_scores(cast *c, uint64_t n)
{
    mica_cursor cursor = {.name = n & 1 ? "one" : "other"};
    uint32_t count;
    if (n % 8 == 7) {
        mica_cursor_remove(c->world, cursor.name);
    } else {
        mica_events(c->world, n & 2 ? c->score : c->call, &cursor, &count);
    }
}

static void do_to_world(cast *c, uint64_t n)
{
    mica_world *world = c->world;
    mica_iter it;
    switch (n % 8) {
    case 0: mica_world_reclaim(world); break;
    case 1: mica_resource_set(world, MICA_VALUE(c->score, Vec2, (float)(n % 100), 1)); break;
    case 2: mica_send(world, MICA_VALUE(c->score, Vec2, (float)(n % 100), 3)); break;
    case 3: mica_step(world, 0.25); break;
    case 4:
        mica_iter_begin(world, c->moved, &it);
        while (mica_iter_next(&it)) {
        }
        break;
    case 5: mica_group_sort_like(world, c->listing, c->types[CAST_SPARSE]); break;
    case 6: mica_world_tick(world); break;
    default:
        if (n >> 16 & 3) {
            read_scores(c, n >> 18);
        } else {
            mica_world_compact(world);
        }
        break;
    }
}

void cast_do(cast *c, uint64_t n)
{
    mica_world *world = c->world;
    mica_entity entity = choose(c, n >> 20);
    uint32_t type = (uint32_t)(n >> 8) % CAST_TYPES;
    mica_type of = c->types[type];
    if (MICA_IS_NONE(entity)) {
        entity = mica_spawn_values(world, NULL, 0);
    }
    switch (n % 16) {
    case 0:
    case 1:
    case 2: set(c, mica_spawn_values(world, NULL, 0), type, n >> 12); break;
    case 3: mica_despawn(world, entity); break;
    case 4:
    case 5: mica_remove(world, entity, of); break;
    case 6:
        if (mica_has(world, entity, of) && mica_type_get_info(world, of)->toggle) {
            (n >> 40 & 1 ? mica_disable : mica_enable)(world, entity, of);
        }
        break;
    case 7:
        if (n >> 40 & 1 && MICA_EQUAL(mica_facet_owner(world, entity), entity)) {
            uint32_t role = (uint32_t)(n >> 41) % 3 + 1;
            mica_type key = n >> 50 & 1 ? of : (mica_type){0};
            if (MICA_IS_NONE(mica_facet_find(world, entity, key, role))) {
                set(c, mica_facet_add_values(world, entity, key, role, NULL, 0), type, n >> 12);
            }
        }
        break;
    case 8: {
        char name[8] = "name 0";
        name[5] = (char)('0' + n % 10);
        if (MICA_IS_NONE(mica_entity_find(world, name))) {
            mica_entity_set_name(world, entity, name);
        }
        break;
    }
    case 9: do_to_world(c, n >> 12); break;
    case 10:
        if (mica_has(world, entity, c->types[CAST_POSITION])) {
            Vec2 *p = mica_accessor_get_mut(&c->positions, entity);
            p->x = (float)(n >> 12 & 255);
        }
        if (mica_has(world, entity, c->types[CAST_SPARSE])) {
            Vec2 *p = mica_accessor_get_mut(&c->sparse, entity);
            p->y = (float)(n >> 12 & 255);
        }
        break;
    default: set(c, entity, type, n >> 12); break;
    }
}

void cast_play(cast *c, uint64_t seed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cast_do(c, cast_random(&seed));
    }
}

void cast_save(cast *c, mica_buffer *buffer)
{
    REQUIRE_EQUAL(MICA_OK, mica_world_save(c->world, &(mica_stream){.buffer = buffer}, NULL));
}

void cast_load(cast *c, const mica_buffer *buffer)
{
    const mica_stream stream = {.data = buffer->data, .size = buffer->size};
    REQUIRE_EQUAL(MICA_OK, mica_world_load(c->world, &stream, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_validate(c->world));
}
