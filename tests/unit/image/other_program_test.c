// Tests of images that another program loads: one that has registered the same type in another way. Every way
// there is crossed with every way here, with components, facets, a resource and events of the type in the image
// and in the world. Each pair loads, or is refused with MICA_ERROR_SCHEMA, and never does anything else.
#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "unit/image/cast.h"

typedef enum value_way {
    WAY_TAG,
    WAY_FIELDS,
    WAY_OTHER,   // fields again, of which one is the same by name and has another kind
    WAY_COUNTED, // fields, with hooks that count how many values there are
    WAY_BYTES,
    WAY_HOOKS,  // saved and loaded by hooks
    WAY_CLOSED, // without fields, hooks or permission to copy bytes: cannot be saved
    WAY_COUNT
} value_way;

typedef struct registration {
    value_way way;
    mica_storage storage;
    bool stable, toggle, row_stamps, saved;
} registration;

typedef struct Pair {
    uint32_t a, b;
} Pair;

typedef struct Wide {
    uint64_t c;
    uint64_t a;
} Wide;

// Hooks that count

static int64_t counted; // values that exist

static mica_result count_construct(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)context;
    memset(target, 0, count * sizeof(Pair));
    counted += count;
    return MICA_OK;
}

static void count_destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)context;
    counted -= count;
}

static mica_result count_copy(void *target, const void *source, uint32_t count,
                              const mica_hook_context *context)
{
    (void)context;
    memcpy(target, source, count * sizeof(Pair));
    counted += count;
    return MICA_OK;
}

// Registrations

static bool is_valid(const registration *r)
{
    bool tag = r->way == WAY_TAG;
    bool fields = r->way == WAY_FIELDS || r->way == WAY_OTHER;
    if (r->stable && (r->storage != MICA_SPARSE || tag)) {
        return false;
    }
    if (tag && r->storage != MICA_SPARSE) {
        return r->storage == MICA_TABLE && !r->toggle && !r->row_stamps;
    }
    return r->storage != MICA_SPLIT || fields;
}

#define REGISTRATIONS_MAX 512

static uint32_t list_registrations(registration *list)
{
    uint32_t count = 0;
    for (uint32_t bits = 0; bits < WAY_COUNT * 64; bits++) {
        registration r = {.way = (value_way)(bits / 64),
                          .storage = (mica_storage)(bits & 3),
                          .stable = bits >> 2 & 1 && (bits & 3) == MICA_SPARSE,
                          .toggle = bits >> 3 & 1,
                          .row_stamps = bits >> 4 & 1,
                          .saved = bits >> 5 & 1};
        if (is_valid(&r) && (!(bits >> 2 & 1) || r.stable)) {
            list[count++] = r;
        }
    }
    return count;
}

static uint32_t size_of(value_way way)
{
    static const uint32_t sizes[] = {
        0, sizeof(Pair), sizeof(Wide), sizeof(Pair), sizeof(Pair), sizeof(Text), sizeof(Pair)};
    return sizes[way];
}

static mica_type add_type(mica_world *world, const registration *r, const char *name)
{
    const mica_field_info pair[] = {MICA_FIELD(Pair, a), MICA_FIELD(Pair, b)};
    const mica_field_info wide[] = {MICA_FIELD(Wide, c), MICA_FIELD(Wide, a)};
    mica_type_desc desc = {.name = name,
                           .size = size_of(r->way),
                           .align = r->way == WAY_OTHER   ? _Alignof(Wide)
                                    : r->way == WAY_HOOKS ? _Alignof(Text)
                                    : r->way == WAY_TAG   ? 1
                                                          : _Alignof(Pair),
                           .storage = r->storage,
                           .stable = r->stable,
                           .toggle = r->toggle,
                           .row_stamps = r->row_stamps,
                           .saved = r->saved,
                           .plain = r->way == WAY_BYTES};
    if (r->way == WAY_FIELDS || r->way == WAY_OTHER || r->way == WAY_COUNTED) {
        desc.fields = r->way == WAY_OTHER ? wide : pair;
        desc.field_count = 2;
    }
    if (r->way == WAY_COUNTED) {
        desc.hooks = (mica_hooks){
            .construct = count_construct, .destruct = count_destruct, .copy = count_copy};
    } else if (r->way == WAY_HOOKS) {
        desc.hooks = cast_text_hooks;
    }
    mica_type type = mica_type_register(world, &desc);
    REQUIRE(!MICA_IS_NONE(type));
    return type;
}

// Worlds

typedef struct value {
    union {
        Pair pair;
        Wide wide;
        Text text;
    } as;
    char characters[2];
} value;

// A value of which one number is known.
static mica_value make(value *v, mica_type type, value_way way, uint32_t number)
{
    memset(v, 0, sizeof *v);
    if (way == WAY_OTHER) {
        v->as.wide = (Wide){1, number};
    } else if (way == WAY_HOOKS) {
        v->characters[0] = (char)('0' + number);
        v->as.text = (Text){1, v->characters};
    } else {
        v->as.pair = (Pair){number, 2};
    }
    return (mica_value){type, way == WAY_TAG ? NULL : v, size_of(way), 1, NULL};
}

static uint32_t number_in(const void *data, value_way way)
{
    return !data              ? 1000
           : way == WAY_OTHER ? (uint32_t)((const Wide *)data)->a
           : way == WAY_HOOKS ? (uint32_t)(((const Text *)data)->text[0] - '0')
                              : ((const Pair *)data)->a;
}

static uint32_t number_of(mica_world *world, mica_entity entity, mica_type type,
                          const registration *as)
{
    value v = {.as = {.wide = {0}}};
    if (as->storage != MICA_SPLIT) {
        return number_in(mica_get(world, entity, type), as->way);
    }
    return mica_load(world, entity, type, &v, size_of(as->way)) ? number_in(&v, as->way) : 1000;
}

typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type type;
    registration as;
} stage;

// With a resource and an event of a number, if there can be any.
static void stage_begin(stage *s, const registration *as, const char *name, uint32_t number)
{
    memset(s, 0, sizeof *s);
    s->as = *as;
    s->world = test_world_begin(&s->t);
    MICA_TAG(s->world, First); // types have other numbers than in the image
    s->type = add_type(s->world, as, name);
    if (as->way != WAY_TAG) {
        value v;
        const mica_value one = make(&v, s->type, as->way, number);
        CHECK_EQUAL(MICA_OK, mica_resource_set_values(s->world, &one, 1));
        CHECK_EQUAL(MICA_OK, mica_send_values(s->world, &one, 1));
    }
}

// The image: three entities have the type and one has not; one of them is disabled, one a facet.
enum { ENTITIES = 4, DISABLED = 1 };

static void fill(stage *s, mica_entity *entities)
{
    mica_world *world = s->world;
    bool valued = s->as.way != WAY_CLOSED;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        value v;
        const mica_value one = make(&v, s->type, s->as.way, i + 1);
        entities[i] = i == ENTITIES - 1
                          ? mica_facet_add_values(world, entities[0], s->type, 3, &one, valued)
                          : mica_spawn_values(world, &one, i != 2 && valued);
        CHECK(!MICA_IS_NONE(entities[i]));
    }
    if (s->as.toggle && valued) {
        CHECK_EQUAL(MICA_OK, mica_disable(world, entities[DISABLED], s->type));
    }
    if (!valued && s->as.saved) { // what cannot be saved must not be there
        CHECK_EQUAL(MICA_OK, mica_resource_remove(world, s->type));
    }
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    if (!valued) {
        CHECK_EQUAL(MICA_OK, mica_step(world, 1)); // no events, either
    } else if (s->as.way != WAY_TAG) {
        value v;
        const mica_value one = make(&v, s->type, s->as.way, 6);
        CHECK_EQUAL(MICA_OK, mica_send_values(world, &one, 1));
    }
}

// May values of one be loaded into the other?
static bool fits(const registration *there, const registration *here)
{
    bool numbers = there->way == WAY_FIELDS || there->way == WAY_OTHER || there->way == WAY_COUNTED;
    if (there->way == WAY_CLOSED) {
        return true; // there are none
    }
    if (there->toggle && !here->toggle) {
        return false; // one is disabled
    }
    if (there->way == WAY_BYTES) {
        return here->way == WAY_BYTES || here->way == WAY_CLOSED;
    }
    return numbers ? here->way == WAY_FIELDS || here->way == WAY_OTHER || here->way == WAY_COUNTED
                   : here->way == there->way;
}

static void check_loaded(const stage *there, const stage *here, const mica_entity *entities)
{
    bool valued = there->as.way != WAY_CLOSED;
    mica_world *world = here->world;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        bool has = valued && i != 2;
        CHECK(mica_alive(world, entities[i]));
        CHECK_EQUAL(has, mica_has(world, entities[i], here->type));
        if (has && here->as.way != WAY_TAG) {
            CHECK_EQUAL(i + 1, number_of(world, entities[i], here->type, &here->as));
        }
        if (has && here->as.toggle) {
            CHECK_EQUAL(!there->as.toggle || i != DISABLED,
                        mica_is_enabled(world, entities[i], here->type));
        }
    }
    CHECK(MICA_EQUAL(entities[ENTITIES - 1], mica_facet_find(world, entities[0], here->type, 3)));
}

// Of a type that is saved on both sides, those of the image; otherwise those that were here.
static void check_kept(const stage *there, const stage *here, bool loaded)
{
    mica_world *world = here->world;
    bool taken = loaded && there->as.saved && here->as.saved;
    bool none = taken && there->as.way == WAY_CLOSED;
    if (here->as.way == WAY_TAG) {
        return;
    }
    const void *resource = mica_resource_get(world, here->type);
    CHECK_EQUAL(none ? 1000u : taken ? 5u : 9u, number_in(resource, here->as.way));
    mica_cursor cursor = {0};
    uint32_t count;
    CHECK_EQUAL(none ? 0u : taken ? 2u : 1u, mica_event_count(world, here->type));
    const void *event = mica_events(world, here->type, &cursor, &count);
    CHECK_EQUAL(none ? 1000u : taken ? 5u : 9u, number_in(event, here->as.way));
}

static void load_into(const stage *there, stage *here, const mica_buffer *image,
                      const mica_entity *entities, const mica_load_desc *desc)
{
    const mica_stream stream = {.data = image->data, .size = image->size};
    bool expected = fits(&there->as, &here->as);
    uint64_t before = mica_world_digest(here->world);
    mica_result result = mica_world_load(here->world, &stream, desc);
    CHECK_EQUAL(expected ? MICA_OK : MICA_ERROR_SCHEMA, result);
    CHECK_EQUAL(MICA_OK, mica_world_validate(here->world));
    if (result) {
        CHECK_EQUAL(before, mica_world_digest(here->world));
        CHECK_EQUAL(1, test_error_clear(&here->t.error));
    } else {
        check_loaded(there, here, entities);
    }
    check_kept(there, here, !result);
    mica_subset_stats part;
    result = mica_subset_load(here->world, &stream, desc, NULL, 0, &part);
    CHECK_EQUAL(expected ? MICA_OK : MICA_ERROR_SCHEMA, result);
    CHECK_EQUAL(MICA_OK, mica_world_validate(here->world));
    if (result) {
        CHECK_EQUAL(1, test_error_clear(&here->t.error));
    } else {
        CHECK_EQUAL(ENTITIES - 1, part.entities);
        CHECK_EQUAL(1, part.facets);
    }
    check_kept(there, here, expected);
}

typedef struct images {
    stage there;
    mica_entity entities[ENTITIES];
    mica_buffer binary;
    mica_buffer json;
} images;

static void images_begin(images *i, const registration *as)
{
    memset(i, 0, sizeof *i);
    stage_begin(&i->there, as, "Thing", 5);
    fill(&i->there, i->entities);
    const mica_save_desc text = {.format = MICA_IMAGE_JSON};
    mica_world *world = i->there.world;
    CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &i->binary}, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_save(world, &(mica_stream){.buffer = &i->json}, &text));
}

static void images_end(images *i)
{
    mica_buffer_free(&i->binary);
    mica_buffer_free(&i->json);
    test_world_end(&i->there.t);
}

// Which pairs are tried: all of the same way; of others, without what comes beside values.
static bool is_tried(const registration *a, const registration *b)
{
    bool plain = !a->toggle && !a->row_stamps && !b->toggle && !b->row_stamps;
    return a->way == b->way || plain;
}

static void cross(value_way there, const char *name, const mica_load_desc *desc)
{
    registration list[REGISTRATIONS_MAX];
    uint32_t count = list_registrations(list);
    counted = 0;
    for (uint32_t from = 0; from < count; from++) {
        images i;
        if (list[from].way != there) {
            continue;
        }
        images_begin(&i, &list[from]);
        for (uint32_t to = 0; to < count; to++) {
            stage here;
            if (is_tried(&list[from], &list[to])) {
                stage_begin(&here, &list[to], name, 9);
                load_into(&i.there, &here, to % 2 ? &i.binary : &i.json, i.entities, desc);
                test_world_end(&here.t);
            }
        }
        images_end(&i);
    }
    CHECK_EQUAL(0, counted);
}

static const mica_load_desc plainly;

static void tags_load_wherever_they_are_tags(void)
{
    cross(WAY_TAG, "Thing", &plainly);
}

static void fields_load_however_the_type_is_registered(void)
{
    cross(WAY_FIELDS, "Thing", &plainly);
}

static void fields_of_another_kind_load_however_the_type_is_registered(void)
{
    cross(WAY_OTHER, "Thing", &plainly);
}

static void values_of_types_with_hooks_are_constructed_and_destroyed_in_pairs(void)
{
    cross(WAY_COUNTED, "Thing", &plainly);
}

static void bytes_load_however_the_type_is_registered(void)
{
    cross(WAY_BYTES, "Thing", &plainly);
}

static void what_hooks_saved_loads_however_the_type_is_registered(void)
{
    cross(WAY_HOOKS, "Thing", &plainly);
}

static void types_without_values_in_the_image_load_however_they_are_registered(void)
{
    cross(WAY_CLOSED, "Thing", &plainly);
}

static void types_that_an_alias_finds_load_however_they_are_registered(void)
{
    const mica_alias alias = {"Item", NULL, "Thing"};
    cross(WAY_FIELDS, "Item", &(mica_load_desc){.aliases = &alias, .alias_count = 1});
}

// In a program that has not registered the type.
static void unknown_types_are_refused_kept_or_dropped_however_they_were_registered(void)
{
    registration list[REGISTRATIONS_MAX];
    uint32_t count = list_registrations(list);
    for (uint32_t from = 0; from < count; from++) {
        images i;
        images_begin(&i, &list[from]);
        for (uint32_t turn = 0; turn < 2 * MICA_UNKNOWN_COUNT; turn++) {
            test_world t;
            mica_world *world = test_world_begin(&t);
            const mica_load_desc desc = {.unknown = (mica_unknown)(turn / 2)};
            const mica_buffer *image = turn % 2 ? &i.binary : &i.json;
            bool kept = desc.unknown == MICA_UNKNOWN_KEPT && list[from].way != WAY_CLOSED;
            mica_result result = mica_world_load(
                world, &(mica_stream){.data = image->data, .size = image->size}, &desc);
            // The facet belongs to the type: without the type, it cannot be.
            CHECK_EQUAL(kept ? MICA_OK : MICA_ERROR_SCHEMA, result);
            CHECK_EQUAL(!kept, test_error_clear(&t.error));
            CHECK_EQUAL(MICA_OK, mica_world_validate(world));
            CHECK_EQUAL(kept ? ENTITIES - 1 : 0, mica_entity_count(world));
            test_world_end(&t);
        }
        images_end(&i);
    }
    CHECK_EQUAL(0, counted);
}

TESTS(other_program, tags_load_wherever_they_are_tags, fields_load_however_the_type_is_registered,
      fields_of_another_kind_load_however_the_type_is_registered,
      values_of_types_with_hooks_are_constructed_and_destroyed_in_pairs,
      bytes_load_however_the_type_is_registered,
      what_hooks_saved_loads_however_the_type_is_registered,
      types_without_values_in_the_image_load_however_they_are_registered,
      types_that_an_alias_finds_load_however_they_are_registered,
      unknown_types_are_refused_kept_or_dropped_however_they_were_registered)
