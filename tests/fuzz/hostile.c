// What fuzz targets do with hostile images. hostile.h has the contract.
//
// Each image is loaded by several programs: worlds that have registered none of its types, the same, the
// same with other storages and flags, or other structs under the same names; that are empty or not; that
// load it instead of what they have or beside it. Each of them loads it twice, with memory that is filled
// with another pattern before it is handed out: whatever comes of it must not depend on the pattern.
//
// A load may use so much memory, and so much time of the processor, for each byte of the image:
#include "fuzz/hostile.h"

#include <stdlib.h>
#include <time.h>

#include "fuzz/world.h"

#define MEMORY_BASE ((size_t)130 << 20) // bytes, however small the image is
#define MEMORY_PER_BYTE ((size_t)128)
#define SECONDS_BASE 0.5
#define SECONDS_PER_BYTE 2e-6 // with sanitizers, which take ten times as long

// Memory

// The address sanitizer, if there is one: leaks are counted here, and blocks are large.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:quarantine_size_mb=16:malloc_context_size=4:max_malloc_fill_size=0";
}

enum { FILLED_MAX = 1 << 16 }; // of a block; the largest are buffers of which little is used

typedef struct memory {
    size_t bytes;
    size_t limit; // 0: none
    unsigned char pattern;
} memory;

static void *resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    memory *m = user;
    void *changed = NULL;
    m->bytes += new_size - old_size;
    must(m->limit == 0 || m->bytes <= m->limit, "less memory for an image of that size");
    if (new_size > 0) {
        // C11 wants the size to be a multiple of the alignment.
        changed = align <= _Alignof(max_align_t)
                      ? malloc(new_size)
                      : aligned_alloc(align, (new_size + align - 1) / align * align);
        must(changed != NULL, "memory");
        memset(changed, m->pattern, new_size < FILLED_MAX ? new_size : FILLED_MAX);
    }
    if (block) {
        if (changed) {
            memcpy(changed, block, old_size < new_size ? old_size : new_size);
        }
        memset(block, 0xdd, old_size < FILLED_MAX ? old_size : FILLED_MAX);
        free(block);
    }
    return changed;
}

// Types. A value of Text is made by hooks.

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef enum Mood { MOOD_BAD = -1, MOOD_GOOD = 1, MOOD_OTHER = 70000 } Mood;

typedef struct Sheet {
    int8_t i8;
    int16_t i16;
    uint8_t u8;
    uint32_t u32;
    int64_t i64;
    double f64;
    bool flag;
    char text[8];
    Mood mood;
    mica_entity link;
    mica_entity links[2];
    Vec2 at;
    Vec2 path[2];
    uint16_t few[3];
} Sheet;

// Another program's idea of the same.
typedef struct Page {
    uint64_t i8;
    float i16;
    bool u8;
    int8_t u32;
    double i64;
    int32_t f64;
    uint8_t flag;
    char text[4];
    int32_t mood;
    mica_entity links[3];
    Vec2 path;
    uint16_t few;
    uint32_t own;
} Page;

typedef struct Text {
    uint32_t size;
    char bytes[12];
} Text;

static mica_result save_text(const void *value, mica_put *put, void *out,
                             const mica_hook_context *context)
{
    (void)context;
    const Text *text = value;
    return put(out, text->bytes, text->size) ? MICA_OK : MICA_ERROR_MEMORY;
}

static mica_result load_text(void *target, const void *data, size_t size,
                             const mica_hook_context *context)
{
    Text *text = target;
    if (size > sizeof text->bytes) {
        mica_hook_explain(context, "too long");
        return MICA_ERROR_ARGUMENT;
    }
    *text = (Text){.size = (uint32_t)size};
    memcpy(text->bytes, data, size);
    return MICA_OK;
}

enum { VEC2, SHEET, TAG, MARK, TEXT, BYTES, LOOSE, OLD, SCORE, HIT, TYPES };

static const char *const type_names[TYPES] = {"Vec2",  "Sheet", "Tag", "Mark",  "Text",
                                              "Bytes", "Loose", "Old", "Score", "Hit"};

typedef enum style {
    STYLE_NONE,  // no types are registered
    STYLE_SAME,  // as the world has them that is saved
    STYLE_OTHER, // other storages and flags
    STYLE_TURNED // other structs
} style;

typedef struct program {
    style style;
    mica_unknown unknown;
    bool has_content;
    bool loads_part;
    uint32_t max_entities;
} program;

static const program programs[] = {
    {.style = STYLE_NONE, .unknown = MICA_UNKNOWN_KEPT},
    {.style = STYLE_NONE, .unknown = MICA_UNKNOWN_DROPPED},
    {.style = STYLE_SAME},
    {.style = STYLE_OTHER, .unknown = MICA_UNKNOWN_KEPT, .has_content = true},
    {.style = STYLE_TURNED, .unknown = MICA_UNKNOWN_DROPPED},
    {.style = STYLE_SAME, .has_content = true, .max_entities = 100},
    {.style = STYLE_OTHER, .unknown = MICA_UNKNOWN_KEPT, .has_content = true, .loads_part = true},
};

enum { PROGRAMS = sizeof programs / sizeof *programs, AT_ONCE = 3 };

static const mica_alias aliases[] = {{"Older", NULL, "Old"}, {"Older", "z", "y"}};

// A world, and what is in it.
typedef struct stage {
    memory memory;
    mica_world *world;
    const program *program;
    uint32_t variant;
    mica_type types[TYPES];
    mica_cursor cursor;
} stage;

static mica_type_desc describe(const stage *s, uint32_t type, mica_field_info *fields)
{
    static const mica_enumerator moods[] = {
        {"bad", MOOD_BAD}, {"good", MOOD_GOOD}, {"other", MOOD_OTHER}, {0}};
    bool turned = s->program->style == STYLE_TURNED;
    bool refused = turned && s->variant % 8 == 7; // what has values here has none in the image
    const mica_field_info sheet[] = {MICA_FIELD(Sheet, i8),
                                     MICA_FIELD(Sheet, i16),
                                     MICA_FIELD(Sheet, u8),
                                     MICA_FIELD(Sheet, u32),
                                     MICA_FIELD(Sheet, i64),
                                     MICA_FIELD(Sheet, f64),
                                     MICA_FIELD(Sheet, flag),
                                     MICA_FIELD(Sheet, text),
                                     MICA_FIELD_ENUM(Sheet, mood, moods),
                                     MICA_FIELD(Sheet, link),
                                     MICA_FIELD(Sheet, links),
                                     MICA_FIELD_STRUCT(Sheet, at, s->types[VEC2]),
                                     MICA_FIELD_STRUCT(Sheet, path, s->types[VEC2]),
                                     MICA_FIELD(Sheet, few)};
    const mica_field_info page[] = {
        MICA_FIELD(Page, own),   MICA_FIELD(Page, i8),
        MICA_FIELD(Page, i16),   MICA_FIELD(Page, u8),
        MICA_FIELD(Page, u32),   MICA_FIELD(Page, i64),
        MICA_FIELD(Page, f64),   MICA_FIELD(Page, flag),
        MICA_FIELD(Page, text),  MICA_FIELD(Page, mood),
        MICA_FIELD(Page, links), MICA_FIELD_STRUCT(Page, path, s->types[VEC2]),
        MICA_FIELD(Page, few)};
    switch (type) {
    case SHEET:
        memcpy(fields, turned ? page : sheet, turned ? sizeof page : sizeof sheet);
        return (mica_type_desc){
            .size = turned ? sizeof(Page) : sizeof(Sheet),
            .align = turned ? _Alignof(Page) : _Alignof(Sheet),
            .fields = fields,
            .field_count = (uint32_t)((turned ? sizeof page : sizeof sheet) / sizeof *sheet)};
    case TEXT:
        if (!refused) {
            return (mica_type_desc){.size = sizeof(Text),
                                    .align = _Alignof(Text),
                                    .hooks = {.save = save_text, .load = load_text}};
        }
        return (mica_type_desc){.size = 16, .align = 4, .plain = true};
    case BYTES:
        return refused ? (mica_type_desc){0}
                       : (mica_type_desc){.size = 8, .align = 4, .plain = true};
    case TAG:
    case MARK:
        return refused ? (mica_type_desc){.size = 4, .align = 4, .plain = true}
                       : (mica_type_desc){0};
    default:
        fields[0] = MICA_FIELD(Vec2, x);
        fields[1] = MICA_FIELD(Vec2, y);
        return (mica_type_desc){
            .size = sizeof(Vec2), .align = _Alignof(Vec2), .fields = fields, .field_count = 2};
    }
}

// Variants of the world that is saved differ in storages and flags, which other programs have otherwise.
static void choose_storage(const stage *s, uint32_t type, mica_type_desc *desc)
{
    static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
    bool other = s->program->style != STYLE_SAME;
    uint32_t turn = (s->variant >> type % 3) + (other ? type % 2 + 1 : 0);
    bool flag = (s->variant * 37 >> type % 8 & 1) != other;
    desc->storage = storages[(type + turn) % 4];
    if (desc->storage == MICA_SPLIT && desc->field_count == 0) {
        desc->storage = MICA_SPARSE;
    } else if (desc->storage == MICA_RING && desc->size == 0) {
        desc->storage = MICA_TABLE;
    }
    bool can = desc->size > 0 || desc->storage == MICA_SPARSE;
    desc->stable = desc->storage == MICA_SPARSE && desc->size > 0 && flag;
    desc->toggle = can && ((type + turn) % 3 != 0 || (other && s->variant < 12));
    desc->row_stamps = can && (type + turn) % 3 != 1;
    desc->saved = desc->size > 0 && type >= SCORE && (!other || type % 2 == s->variant % 2);
}

static void add_types(stage *s)
{
    static const Vec2 start = {1, 2};
    for (uint32_t i = 0; i < TYPES; i++) {
        mica_field_info fields[MICA_FIELDS_MAX];
        mica_type_desc desc = describe(s, i, fields);
        desc.name = i == OLD && s->program->style == STYLE_TURNED ? "Older" : type_names[i];
        if (i == LOOSE) {
            desc.default_value = &start;
        }
        choose_storage(s, i, &desc);
        s->types[i] = mica_type_register(s->world, &desc);
        must(!MICA_IS_NONE(s->types[i]), "a type");
    }
}

// Systems, queries and groups

static void listen(mica_iter *it)
{
    stage *s = it->user;
    uint32_t count;
    mica_cursor named = {.name = "listener"};
    (void)mica_events_unread(it, s->types[HIT], &count);
    (void)mica_events(it->world, s->types[HIT], &named, &count);
    (void)mica_events(it->world, s->types[HIT], &s->cursor, &count);
}

static void do_nothing(mica_iter *it)
{
    (void)it;
}

static void observe(const mica_observer_event *h)
{
    must(mica_alive(h->world, h->entity), "an entity that is there");
}

// Of types that are sparse: two lists, and one that owns a type if it can.
static void add_groups(stage *s)
{
    mica_type sparse[TYPES + 1] = {0};
    mica_type owned = (mica_type){0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        const mica_type_info *info = mica_type_get_info(s->world, s->types[i]);
        sparse[count] = s->types[i];
        count += info->storage == MICA_SPARSE;
        owned = info->storage == MICA_SPARSE && !info->stable ? s->types[i] : owned;
    }
    if (count >= 2) {
        mica_group_new(s->world, &(mica_group_desc){.required = {sparse[0], sparse[1]}});
        mica_type other = MICA_EQUAL(owned, sparse[0]) ? sparse[1] : sparse[0];
        mica_group_new(s->world, &(mica_group_desc){.owned = {owned}, .required = {other}});
    }
    if (count >= 3) {
        mica_group_new(s->world, &(mica_group_desc){.required = {sparse[1], sparse[2]},
                                                    .without = {sparse[0]}});
    }
}

static void add_code(stage *s)
{
    mica_world *world = s->world;
    const mica_type *types = s->types;
    mica_phase physics =
        mica_phase_add(world, &(mica_phase_desc){.name = "physics", .fixed_dt = 0.25});
    mica_system_add(world, &(mica_system_desc){.name = "listen",
                                               .update = listen,
                                               .user = s,
                                               .phase = physics,
                                               .events = {{types[HIT], MICA_READ}}});
    mica_system_add(world,
                    &(mica_system_desc){.name = "look",
                                        .update = do_nothing,
                                        .query.terms = {{types[VEC2], MICA_READ | MICA_CHANGED}}});
    mica_query_new(world, &(mica_query_desc){.name = "moved",
                                             .terms = {{types[VEC2], MICA_READ | MICA_CHANGED}}});
    mica_observer_new(
        world, &(mica_observer_desc){.type = types[LOOSE], .events = MICA_ON_SET, .call = observe});
    add_groups(s);
}

// Content

static void add_components(stage *s, mica_entity entity, mica_entity other, uint32_t number)
{
    mica_world *world = s->world;
    for (uint32_t i = 0; i < SCORE; i++) {
        if ((number * 2654435761u >> (2 * i + 3) & 1) == 0) {
            continue;
        }
        mica_type_info info = *mica_type_get_info(world, s->types[i]);
        const Sheet sheet = {.i8 = s->variant == 9 ? -1 : 1,
                             .u32 = number,
                             .f64 = s->variant == 10 ? 0.125 : number,
                             .text = "text",
                             .mood = number % 2 ? MOOD_BAD : MOOD_OTHER,
                             .link = other,
                             .links = {entity, other},
                             .at = {(float)number, 1}};
        const Vec2 pair = {(float)number, -1};
        mica_add(world, entity, s->types[i]);
        if (info.size == sizeof sheet) {
            mica_set_value(world, entity, s->types[i], &sheet, sizeof sheet);
        } else if (info.size == sizeof pair && info.field_count == 2) {
            mica_set_value(world, entity, s->types[i], &pair, sizeof pair);
        }
        if (info.toggle && number % 3 == 0) {
            mica_disable(world, entity, s->types[i]);
        }
    }
}

static void add_slots(stage *s)
{
    mica_world *world = s->world;
    mica_entity far = mica_spawn_at(world, mica_entity_make(70, 3));
    mica_spawn_at(world, mica_entity_make(90, 2));
    mica_despawn(world, far);
    mica_despawn(world, mica_spawn_at(world, mica_entity_make(80, MICA_GENERATION_LAST)));
    if (s->variant % 4 == 3) { // whole pages of slots that are given back, of which floors remain
        for (uint32_t i = 0; i < 3; i++) {
            mica_despawn(world, mica_spawn_at(world, mica_entity_make(9000 + i * 4096, 5)));
        }
        mica_world_reclaim(world);
    }
}

static void add_events(stage *s)
{
    const Vec2 pair = {3, 4};
    const mica_value score = {s->types[SCORE], &pair, sizeof pair, 1, NULL};
    const mica_value hit = {s->types[HIT], &pair, sizeof pair, 1, NULL};
    must(!mica_resource_set_values(s->world, &score, 1), "a resource");
    for (uint32_t i = 0; i < 3; i++) {
        must(!mica_send_values(s->world, &hit, 1), "an event");
        if (i == 1) {
            mica_step(s->world, 0.1);
        }
    }
}

static void add_content(stage *s)
{
    mica_world *world = s->world;
    mica_entity previous = (mica_entity){0};
    uint32_t count = 6 + s->variant % 8;
    for (uint32_t i = 0; i < count; i++) {
        mica_entity entity = mica_spawn_values(world, NULL, 0);
        add_components(s, entity, previous, i + s->variant);
        if (i % 3 == 0) {
            mica_type key = i % 2 && s->variant % 4 == 1 ? s->types[VEC2] : (mica_type){0};
            mica_facet_add(world, entity, key, i + 1, MICA_ADD(s->types[LOOSE]));
        }
        if (i % 4 == 1) {
            char name[] = "name 0";
            name[5] = (char)('0' + i % 10);
            mica_entity_set_name(world, entity, name);
        }
        if (i % 5 == 2) {
            mica_step(world, 0.1);
            mica_despawn(world, previous);
        }
        previous = entity;
    }
    add_slots(s);
    add_events(s);
}

// Worlds

static void report(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)user;
    if (getenv("MICA_FUZZ_VERBOSE")) {
        fprintf(stderr, "%s\n", error->sentence);
    }
    must(error->code != MICA_ERROR_CORRUPT, "a world that is whole");
}

static void open_stage(stage *s, const program *p, uint32_t variant, unsigned char pattern)
{
    *s = (stage){.program = p, .variant = variant, .memory = {.pattern = pattern}};
    s->world = mica_world_new(&(mica_world_desc){.allocator = {resize, &s->memory},
                                                 .error_handler = report,
                                                 .max_entities = p->max_entities});
    must(s->world != NULL, "a world");
    if (p->style != STYLE_NONE) {
        add_types(s);
        add_code(s);
    }
    if (p->has_content) {
        add_content(s);
    }
}

static void close_stage(stage *s)
{
    must(mica_world_free(s->world) == MICA_OK, "a world that is freed");
    must(s->memory.bytes == 0, "no memory left");
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static mica_result load_image(stage *s, tree_image image)
{
    const program *p = s->program;
    const mica_stream stream = {.data = image.data, .size = image.size};
    const mica_load_desc desc = {.unknown = p->unknown,
                                 .aliases = aliases,
                                 .alias_count = sizeof aliases / sizeof *aliases,
                                 .drop_names = true};
    double begin = seconds();
    s->memory.limit = s->memory.bytes + MEMORY_BASE + MEMORY_PER_BYTE * image.size;
    mica_result result = p->loads_part ? mica_subset_load(s->world, &stream, &desc, NULL, 0, NULL)
                                       : mica_world_load(s->world, &stream, &desc);
    s->memory.limit = 0;
    double taken = seconds() - begin;
    must(taken < SECONDS_BASE + SECONDS_PER_BYTE * (double)image.size,
         "less time for an image of that size");
    must(mica_world_validate(s->world) == MICA_OK, "a world that is valid");
    return result;
}

static void must_be_same(const mica_buffer *a, const mica_buffer *b, const char *what)
{
    must(a->size == b->size && memcmp(a->data, b->data, a->size) == 0, what);
}

// Saved in a format, loaded into the same world, saved again: nothing is lost.
static void load_twice(stage *s, const mica_buffer *first, mica_image_format format)
{
    mica_buffer other = {0};
    mica_buffer again = {0};
    if (save(s->world, format, &other)) {
        const mica_load_desc desc = {.unknown = MICA_UNKNOWN_REFUSED};
        must(!mica_world_load(s->world, &(mica_stream){.buffer = &other}, &desc),
             "an image that is loaded again");
        save(s->world, MICA_IMAGE_BINARY, &again);
        must_be_same(first, &again, "the same again");
    }
    mica_buffer_free(&other);
    mica_buffer_free(&again);
}

static void use_both(stage *a, stage *b)
{
    mica_buffer first = {0};
    mica_buffer second = {0};
    must(mica_world_digest(a->world) == mica_world_digest(b->world), "the same digest");
    must(save(a->world, MICA_IMAGE_BINARY, &first), "an image");
    must(save(b->world, MICA_IMAGE_BINARY, &second), "an image");
    must_be_same(&first, &second, "the same image, whatever the memory had in it");
    load_twice(b, &first, MICA_IMAGE_BINARY);
    load_twice(b, &first, MICA_IMAGE_JSON);
    use(a->world);
    use(b->world);
    mica_buffer_free(&first);
    mica_buffer_free(&second);
}

static void try_program(const program *p, uint32_t variant, tree_image image)
{
    static stage a;
    static stage b;
    open_stage(&a, p, variant, 0xa5);
    open_stage(&b, p, variant, 0x3c);
    uint64_t digest = mica_world_digest(a.world);
    mica_result result = load_image(&a, image);
    must(load_image(&b, image) == result, "the same result, whatever the memory had in it");
    if (result) {
        must(mica_world_digest(a.world) == digest, "a world that is as it was");
        must(mica_world_digest(b.world) == digest, "a world that is as it was");
    } else {
        use_both(&a, &b);
    }
    close_stage(&a);
    close_stage(&b);
}

// The worlds that are saved, recorded once.

enum { VARIANTS = 16 };

static tree *recorded[VARIANTS];
static tree_mark after_recorded;

// The writers here must write what the library writes: otherwise they would test something else.
static void check_writers(mica_world *world, tree *root)
{
    mica_buffer image = {0};
    tree_expand(root);
    save(world, MICA_IMAGE_BINARY, &image);
    tree_image written = tree_write_binary(root);
    must(written.size == image.size && memcmp(written.data, image.data, image.size) == 0,
         "what the library writes");
    written = tree_write_json(root);
    const mica_stream json = {.data = written.data, .size = written.size};
    mica_buffer again = {0};
    must(!mica_world_load(world, &json, NULL), "JSON that the library reads");
    save(world, MICA_IMAGE_BINARY, &again);
    must_be_same(&image, &again, "JSON of the same content");
    mica_buffer_free(&image);
    mica_buffer_free(&again);
}

static void record_all(void)
{
    static const program saved = {.style = STYLE_SAME, .has_content = true};
    static stage s;
    for (uint32_t i = 0; i < VARIANTS; i++) {
        open_stage(&s, &saved, i, 0xa5);
        recorded[i] = tree_record(s.world);
        tree_mark mark = tree_here();
        check_writers(s.world, tree_copy(recorded[i]));
        tree_rewind(mark);
        close_stage(&s);
    }
    after_recorded = tree_here();
}

void hostile_try(const uint8_t *data, size_t size, tree_image (*write)(const tree *root))
{
    if (after_recorded.nodes == 0) {
        record_all();
    }
    tree_rewind(after_recorded);
    uint32_t variant = size > 0 ? data[0] % VARIANTS : 0;
    uint32_t first = size > 1 ? data[1] : 0;
    tree *root = tree_copy(recorded[variant]);
    must(root != NULL, "space for a tree");
    tree_change(root, data + 2, size > 2 ? size - 2 : 0);
    tree_image image = write(root);
    for (uint32_t i = 0; i < AT_ONCE && image.size > 0; i++) {
        try_program(&programs[(first + i) % PROGRAMS], variant, image);
    }
}

// What libFuzzer calls to change an input: by whole orders, which bytes in any place would tear apart. Most change
// little; how far an image is from a good one grows with the number of its orders.

enum { HEAD_SIZE = 2, ORDER_SIZE = 8 };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

// Small numbers are as likely as large ones.
static void put_order(uint8_t *order, uint64_t *state)
{
    for (uint32_t i = 0; i < ORDER_SIZE; i++) {
        order[i] = (uint8_t)(next_random(state) >> next_random(state) % 8 % 5);
    }
    order[0] = (uint8_t)next_random(state);
    order[1] = (uint8_t)next_random(state);
    order[5] = (uint8_t)((next_random(state) & 0x84) |
                         (next_random(state) % 4 == 0 ? next_random(state) % 4 : 0));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint64_t state = seed;
    if (max_size < HEAD_SIZE + ORDER_SIZE) {
        return size;
    }
    for (; size < HEAD_SIZE; size++) {
        data[size] = 0;
    }
    size_t count = (size - HEAD_SIZE) / ORDER_SIZE;
    size_t space = (max_size - HEAD_SIZE) / ORDER_SIZE;
    uint8_t *chosen = data + HEAD_SIZE + (count > 0 ? next_random(&state) % count * ORDER_SIZE : 0);
    uint8_t *end = data + HEAD_SIZE + count * ORDER_SIZE;
    uint32_t how = next_random(&state) % 8;
    if (how == 0) {
        data[next_random(&state) % HEAD_SIZE] = (uint8_t)next_random(&state);
    } else if ((how <= 3 || count == 0) && count < space) {
        put_order(end, &state);
        count++;
    } else if (how == 4 && count > 0) {
        memmove(chosen, end - ORDER_SIZE, ORDER_SIZE);
        count--;
    } else if (how == 5 && count > 0) {
        put_order(chosen, &state);
    } else if (count > 0) {
        chosen[next_random(&state) % ORDER_SIZE] = (uint8_t)next_random(&state);
    }
    return HEAD_SIZE + count * ORDER_SIZE;
}
