// Steps of the digest gate that create entities, and operations on single entities.
//
// Operations go to s->target, so that every one of them can be recorded as a command, too.
#include "digests.h"

#include <stdio.h>
#include <stdlib.h>

// Creating

static uint32_t count_of(const scene *s, const step *with)
{
    return with->n > 0 ? with->n : s->size;
}

static uint32_t list_set(uint32_t set, uint32_t numbers_out[TYPE_COUNT])
{
    uint32_t count = 0;
    for (uint32_t type = 0; type < TYPE_COUNT; type++) {
        if (set & SET(type)) {
            numbers_out[count++] = type;
        }
    }
    return count;
}

static uint32_t list_values(scene *s, uint32_t set, any_value data[TYPE_COUNT],
                            mica_value values_out[TYPE_COUNT])
{
    uint32_t numbers[TYPE_COUNT];
    uint32_t count = list_set(set, numbers);
    for (uint32_t i = 0; i < count; i++) {
        values_out[i] = digests_value(s, numbers[i], &data[i]);
    }
    return count;
}

static void spawn(scene *s, uint32_t set)
{
    any_value data[TYPE_COUNT];
    mica_value values[TYPE_COUNT];
    uint32_t count = list_values(s, set, data, values);
    digests_keep(s, count > 0 ? mica_spawn_values(s->target, values, count)
                              : mica_spawn_values(s->target, NULL, 0));
}

void digests_fill(scene *s, const step *with)
{
    for (uint32_t i = count_of(s, with); i > 0; i--) {
        spawn(s, with->what);
    }
}

void digests_fill_mixed(scene *s, const step *with)
{
    uint32_t count = count_of(s, with);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits = (s->count + 1) * 2654435761u;
        spawn(s, with->what & (bits ^ bits >> 15));
    }
}

static mica_bundle new_bundle(scene *s, uint32_t set, uint32_t numbers_out[TYPE_COUNT],
                              uint32_t *count_out)
{
    mica_type types[TYPE_COUNT];
    *count_out = list_set(set, numbers_out);
    for (uint32_t i = 0; i < *count_out; i++) {
        types[i] = s->types[numbers_out[i]];
    }
    return mica_bundle_new(s->world, types, *count_out);
}

// `count` values side by side; free() the data.
static mica_value make_array(scene *s, uint32_t type, uint32_t count)
{
    any_value one;
    mica_value array = digests_value(s, type, &one);
    if (array.size > 0) {
        unsigned char *data = digests_alloc(count, array.size);
        for (uint32_t i = 0; i < count; i++) {
            mica_value value = digests_value(s, type, &one);
            memcpy(data + (size_t)i * value.size, value.data, value.size);
        }
        array.data = data;
        array.count = count;
    }
    return array;
}

void digests_fill_many(scene *s, const step *with)
{
    uint32_t numbers[TYPE_COUNT];
    uint32_t type_count;
    mica_bundle bundle = new_bundle(s, with->what, numbers, &type_count);
    uint32_t count = count_of(s, with);
    mica_value arrays[TYPE_COUNT];
    for (uint32_t i = 0; i < type_count; i++) {
        arrays[i] = make_array(s, numbers[i], count);
    }
    mica_entity *entities = digests_alloc(count, sizeof *entities);
    mica_spawn_many(s->target, bundle, count, arrays, type_count, entities);
    for (uint32_t i = 0; i < count; i++) {
        digests_keep(s, entities[i]);
    }
    free(entities);
    for (uint32_t i = 0; i < type_count; i++) {
        free((void *)(uintptr_t)arrays[i].data);
    }
    mica_bundle_free(s->world, bundle);
}

void digests_fill_bundle(scene *s, const step *with)
{
    uint32_t numbers[TYPE_COUNT];
    uint32_t type_count;
    mica_bundle bundle = new_bundle(s, with->what, numbers, &type_count);
    for (uint32_t i = count_of(s, with); i > 0; i--) {
        any_value data[TYPE_COUNT];
        mica_value values[TYPE_COUNT];
        list_values(s, with->what, data, values);
        digests_keep(
            s, mica_spawn_bundle(s->target, bundle, i % 3 ? values : NULL, i % 3 ? type_count : 0));
    }
    mica_bundle_free(s->world, bundle);
}

// Slots far from each other, and generations; every fourth slot has its last generation, and is retired when the
// entity is despawned.
void digests_fill_at(scene *s, const step *with)
{
    for (uint32_t i = 0; i < with->n; i++) {
        uint32_t generation = i % 4 == 3 ? MICA_GENERATION_LAST : i % 5;
        mica_entity entity = mica_entity_make(20000 + i * 37, generation);
        digests_keep(s, mica_spawn_at(s->world, entity));
    }
}

void digests_reserve(scene *s, const step *with)
{
    uint32_t numbers[TYPE_COUNT];
    uint32_t type_count;
    mica_bundle bundle = new_bundle(s, with->what, numbers, &type_count);
    mica_entity_reserve(s->world, with->n);
    mica_bundle_reserve(s->world, bundle, with->n);
}

// Operations

static void set_value(scene *s, mica_entity entity, uint32_t type)
{
    any_value data;
    mica_value value = digests_value(s, type, &data);
    mica_set_value(s->target, entity, value.type, value.data, value.size);
}

// The type and two others.
static uint32_t three_types(uint32_t type)
{
    return SET(type) | SET((type + 2) % TYPE_COUNT) | SET((type + 5) % TYPE_COUNT);
}

static void set_several(scene *s, mica_entity entity, uint32_t type)
{
    any_value data[TYPE_COUNT];
    mica_value values[TYPE_COUNT];
    uint32_t count = list_values(s, three_types(type), data, values);
    mica_set_values(s->target, entity, values, count);
}

static void add(scene *s, mica_entity entity, uint32_t type)
{
    mica_add(s->target, entity, s->types[type]);
}

static uint32_t list_three(const scene *s, uint32_t type, mica_type types_out[TYPE_COUNT])
{
    uint32_t numbers[TYPE_COUNT];
    uint32_t count = list_set(three_types(type), numbers);
    for (uint32_t i = 0; i < count; i++) {
        types_out[i] = s->types[numbers[i]];
    }
    return count;
}

static void add_several(scene *s, mica_entity entity, uint32_t type)
{
    mica_type types[TYPE_COUNT];
    mica_value values[TYPE_COUNT];
    uint32_t count = list_three(s, type, types);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = MICA_ADD(types[i]);
    }
    mica_change(s->target, entity, values, count, NULL, 0);
}

static void remove_one(scene *s, mica_entity entity, uint32_t type)
{
    mica_remove(s->target, entity, s->types[type]);
}

static void remove_several(scene *s, mica_entity entity, uint32_t type)
{
    mica_type types[TYPE_COUNT];
    uint32_t count = list_three(s, type, types);
    mica_change(s->target, entity, NULL, 0, types, count);
}

static void change(scene *s, mica_entity entity, uint32_t type)
{
    any_value data[2];
    const mica_value values[] = {digests_value(s, type, &data[0]),
                                 digests_value(s, (type + 1) % TYPE_COUNT, &data[1])};
    const mica_type removed[] = {s->types[(type + 2) % TYPE_COUNT],
                                 s->types[(type + 9) % TYPE_COUNT]};
    mica_change(s->target, entity, values, 2, removed, 2);
}

// Writes to a value in place.
static void write_at(scene *s, uint32_t type, void *value)
{
    if (value && digests_is_pair(type)) {
        ((Pair *)value)->y = (int32_t)(s->number++ % 10007);
    } else if (value && digests_is_owned(type)) {
        Owned *owned = value;
        owned->number = *owned->heap = s->number++;
    }
}

static bool can_point_to(const scene *s, uint32_t type)
{
    const mica_type_info *info = mica_type_get_info(s->world, s->types[type]);
    return info->storage != MICA_SPLIT && info->size > 0;
}

static void write_value(scene *s, mica_entity entity, uint32_t type)
{
    if (can_point_to(s, type)) {
        write_at(s, type, mica_get_mut(s->target, entity, s->types[type]));
    }
}

static void write_by_accessor(scene *s, mica_entity entity, uint32_t type)
{
    if (can_point_to(s, type)) {
        mica_accessor accessor = mica_accessor_new(s->world, s->types[type]);
        write_at(s, type, mica_accessor_get_mut(&accessor, entity));
    }
}

static bool can_toggle(const scene *s, mica_entity entity, uint32_t type)
{
    return mica_type_get_info(s->world, s->types[type])->toggle &&
           mica_has(s->world, entity, s->types[type]);
}

static void disable(scene *s, mica_entity entity, uint32_t type)
{
    if (can_toggle(s, entity, type)) {
        mica_disable(s->target, entity, s->types[type]);
    }
}

static void add_disabled(scene *s, mica_entity entity, uint32_t type)
{
    mica_add(s->target, entity, s->types[type]);
    if (mica_type_get_info(s->world, s->types[type])->toggle) {
        mica_disable(s->target, entity, s->types[type]);
    }
}

static void enable(scene *s, mica_entity entity, uint32_t type)
{
    if (can_toggle(s, entity, type)) {
        mica_enable(s->target, entity, s->types[type]);
    }
}

static void set_name(scene *s, mica_entity entity, uint32_t type)
{
    char name[32];
    snprintf(name, sizeof name, "%s %u", digests_type_name(type), (unsigned)s->number++);
    mica_entity_set_name(s->target, entity, name);
}

static void remove_name(scene *s, mica_entity entity, uint32_t type)
{
    (void)type;
    mica_entity_set_name(s->target, entity, NULL);
}

// Not of a facet, which can own none.
static void add_facet(scene *s, mica_entity entity, uint32_t type)
{
    if (mica_alive(s->world, entity) && !MICA_EQUAL(mica_facet_owner(s->world, entity), entity)) {
        return;
    }
    any_value data;
    mica_value value = digests_value(s, type, &data);
    mica_type key = s->number % 3 > 0 ? s->types[type] : (mica_type){0};
    digests_keep(s, mica_facet_add_values(s->target, entity, key, s->number, &value, 1));
}

static void clone_entity(scene *s, mica_entity entity, uint32_t type)
{
    (void)type;
    digests_keep(s, mica_clone(s->target, entity));
}

static void despawn(scene *s, mica_entity entity, uint32_t type)
{
    (void)type;
    mica_despawn(s->target, entity);
}

void digests_operate(scene *s, uint32_t operation, mica_entity entity, uint32_t type)
{
#define FUNCTION(code, function) [code] = (function),
    static void (*const functions[])(scene *, mica_entity,
                                     uint32_t) = {DIGESTS_OPERATIONS(FUNCTION)};
    functions[operation](s, entity, type);
}
