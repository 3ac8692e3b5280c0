// Figures and printers.
#include <mica/debug.h>

#include <inttypes.h>
#include <stdio.h>

#include "world/value.h"

mica_stats mica_world_stats(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_world_stats", "world");
        return (mica_stats){0};
    }
    mica_stats stats = {.entities = micai_facets_count_others(world->core),
                        .facets = world->core->facets.count,
                        .types = micai_registry_count(&world->core->registry),
                        .rows = world->core->slots.alive,
                        .queries = world->core->query_count,
                        .observers = world->core->observers,
                        .commands = world->core->replayed,
                        .commands_dropped = world->core->dropped,
                        .memory = mica_memory(world)};
    micai_store_count(&world->core->store, &stats);
    return stats;
}

mica_type_stats mica_type_get_stats(mica_world *world, mica_type type)
{
    static const char call[] = "mica_type_get_stats";
    mica_type_stats stats = {0};
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return stats;
    }
    const micai_type *found =
        micai_world_enter(world, call) ? NULL : micai_world_type(world, call, type);
    if (found) {
        micai_value_count(world->core, found, &stats);
    }
    return stats;
}

static void print_element(const mica_field_info *field, const unsigned char *bytes, uint32_t size)
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float f32;
        double f64;
        mica_entity entity;
    } v = {0};
    memcpy(&v, bytes, size < sizeof v ? size : sizeof v);
    char text[MICA_ENTITY_TEXT_SIZE];
    int64_t number = size == 1 ? v.i8 : size == 2 ? v.i16 : size == 4 ? v.i32 : v.i64;
    switch (field->kind) {
    case MICA_KIND_I8:
    case MICA_KIND_I16:
    case MICA_KIND_I32:
    case MICA_KIND_I64: printf("%" PRId64, number); break;
    case MICA_KIND_U8: printf("%u", v.u8); break;
    case MICA_KIND_U16: printf("%u", v.u16); break;
    case MICA_KIND_U32: printf("%" PRIu32, v.u32); break;
    case MICA_KIND_U64: printf("%" PRIu64, v.u64); break;
    case MICA_KIND_F32: printf("%g", (double)v.f32); break;
    case MICA_KIND_F64: printf("%g", v.f64); break;
    case MICA_KIND_BOOL: printf("%s", v.u8 != 0 ? "true" : "false"); break;
    case MICA_KIND_ENTITY: printf("%s", mica_entity_text(v.entity, text)); break;
    case MICA_KIND_ENUM:
        for (const mica_enumerator *e = field->enumerators; e->name; e++) {
            if (e->value == number) {
                printf("%s", e->name);
                return;
            }
        }
        printf("%" PRId64, number);
        break;
    default: break;
    }
}

static void print_value(const micai_registry *types, const mica_type_info *info,
                        const unsigned char *value);

static void print_field(const micai_registry *types, const mica_field_info *field,
                        const unsigned char *bytes)
{
    if (field->kind == MICA_KIND_CHAR) {
        printf("\"%.*s\"", (int)field->size, (const char *)bytes);
        return;
    }
    uint32_t size = field->size / field->count;
    printf("%s", field->count > 1 ? "[" : "");
    for (uint32_t i = 0; i < field->count; i++, bytes += size) {
        printf("%s", i ? ", " : "");
        if (field->kind == MICA_KIND_STRUCT) {
            print_value(types, &micai_registry_find(types, field->type)->info, bytes);
        } else {
            print_element(field, bytes, size);
        }
    }
    printf("%s", field->count > 1 ? "]" : "");
}

static void print_value(const micai_registry *types, const mica_type_info *info,
                        const unsigned char *value)
{
    printf("{");
    for (uint32_t i = 0; i < info->field_count; i++) {
        printf("%s%s: ", i ? ", " : "", info->fields[i].name);
        print_field(types, &info->fields[i], value + info->fields[i].offset);
    }
    if (info->field_count == 0) {
        printf("%" PRIu32 " bytes", info->size);
    }
    printf("}");
}

static void print_facet(const micai_core *core, mica_entity entity)
{
    const micai_facet *facet = micai_facets_get(&core->facets, entity);
    if (facet) {
        char text[MICA_ENTITY_TEXT_SIZE];
        bool none = facet->component == MICAI_FACET_NONE;
        printf(" facet of %s (%s, %" PRIu32 ")", mica_entity_text(facet->owner, text),
               none ? "none" : core->registry.list.items[facet->component]->info.name, facet->role);
    }
}

void mica_entity_print(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_entity_print";
    if (world && micai_world_enter(world, call)) {
        return;
    }
    char text[MICA_ENTITY_TEXT_SIZE];
    const micai_living who = {entity, world ? micai_slots_find(&world->core->slots, entity) : NULL};
    printf("%s", mica_entity_text(entity, text));
    if (!who.record) {
        printf(" (dead)\n");
        return;
    }
    const char *name = micai_names_get(&world->core->names, entity);
    if (name) {
        printf(" \"%s\"", name);
    }
    print_facet(world->core, entity);
    for (uint32_t n = micai_value_next(world->core, who, 0); n != MICAI_BITS_END;
         n = micai_value_next(world->core, who, n + 1)) {
        const micai_type *type = world->core->registry.list.items[n];
        micai_value value = micai_value_find(world->core, who, type);
        micai_arena_mark mark = micai_arena_here(&world->scratch);
        const void *data = micai_value_is_there(value) ? micai_value_see(world, call, value) : NULL;
        printf(" %s", type->info.name);
        if (data) {
            print_value(&world->core->registry, &type->info, data);
        }
        micai_arena_rewind(&world->scratch, mark);
    }
    printf("\n");
}

static void print_resources(const micai_core *core)
{
    for (uint32_t n = 0; n < core->resources.count; n++) {
        const mica_type_info *info = &core->registry.list.items[n]->info;
        if (core->resources.items[n].value) {
            printf("  resource %s", info->name);
            print_value(&core->registry, info, core->resources.items[n].value);
            printf("\n");
        }
    }
}

void mica_world_print(mica_world *world)
{
    if (!world) {
        printf("no world\n");
        return;
    }
    if (micai_world_enter(world, "mica_world_print")) {
        return;
    }
    printf("%" PRIu32 " entities, ", micai_facets_count_others(world->core));
    if (world->core->facets.count > 0) {
        printf("%" PRIu32 " facets, ", world->core->facets.count);
    }
    printf("%" PRIu32 " types, %" PRIu32 " tables, %zu bytes\n",
           micai_registry_count(&world->core->registry), world->core->store.tables.count,
           world->host.memory.bytes);
    micai_value_print(world->core);
    print_resources(world->core);
}
