// Statistics and printers.
#include <mica/debug.h>

#include <inttypes.h>
#include <string.h>

#include "base/print.h"
#include "entity/facet.h"
#include "entity/locate.h"
#include "entity/name.h"

mica_world_stats mica_world_get_stats(mica_world *world)
{
    static const char call[] = "mica_world_get_stats";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return (mica_world_stats){0};
    }
    if (world->state->original && micai_world_guard_whole(world, call)) {
        return (mica_world_stats){0};
    }
    mica_world_stats stats = {.entities = micai_facets_count_others(world->state),
                              .facets = micai_facets_of(world->state)->count,
                              .types = micai_registry_count(&world->state->registry),
                              .rows = world->state->slots.alive,
                              .queries = world->state->query_count,
                              .observers = world->state->observers,
                              .commands = world->state->replayed,
                              .commands_dropped = world->state->dropped,
                              .memory = micai_host_main(&world->host)->memory};
    micai_store_count(&world->state->store, &stats);
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
        micai_world_guard_whole(world, call) ? NULL : micai_world_type(world, call, type);
    if (found) {
        micai_value_count(world->state, found, &stats);
    }
    return stats;
}

// Prints an entity in a field, by its name or by its handle.
static void print_entity(micai_printer *to, const micai_state *state, mica_entity entity)
{
    char text[MICA_ENTITY_TEXT_SIZE];
    bool alive = micai_slots_find(&state->slots, entity) != NULL;
    const char *name = alive ? micai_names_get(micai_names_of(state), entity) : NULL;
    if (name) {
        micai_print_quoted(to, name, strlen(name));
    } else {
        micai_print(to, "%s%s", mica_entity_text(entity, text),
                    alive || MICA_IS_NONE(entity) ? "" : " (dead)");
    }
}

static void print_element(micai_printer *to, const micai_state *state, const mica_field_info *field,
                          const unsigned char *bytes, uint32_t size)
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
    int64_t number = size == 1 ? v.i8 : size == 2 ? v.i16 : size == 4 ? v.i32 : v.i64;
    switch (field->kind) {
    case MICA_KIND_I8:
    case MICA_KIND_I16:
    case MICA_KIND_I32:
    case MICA_KIND_I64: micai_print(to, "%" PRId64, number); break;
    case MICA_KIND_U8: micai_print(to, "%u", v.u8); break;
    case MICA_KIND_U16: micai_print(to, "%u", v.u16); break;
    case MICA_KIND_U32: micai_print(to, "%" PRIu32, v.u32); break;
    case MICA_KIND_U64: micai_print(to, "%" PRIu64, v.u64); break;
    case MICA_KIND_F32: micai_print(to, "%g", (double)v.f32); break;
    case MICA_KIND_F64: micai_print(to, "%g", v.f64); break;
    case MICA_KIND_BOOL: micai_print(to, "%s", v.u8 != 0 ? "true" : "false"); break;
    case MICA_KIND_ENTITY: print_entity(to, state, v.entity); break;
    case MICA_KIND_ENUM:
        for (const mica_enumerator *e = field->enumerators; e->name; e++) {
            if (e->value == number) {
                micai_print(to, "%s", e->name);
                return;
            }
        }
        micai_print(to, "%" PRId64, number);
        break;
    default: break;
    }
}

static void print_value(micai_printer *to, const micai_state *state, const mica_type_info *info,
                        const unsigned char *value);

static void print_field(micai_printer *to, const micai_state *state, const mica_field_info *field,
                        const unsigned char *bytes)
{
    if (field->kind == MICA_KIND_CHAR) {
        micai_print_quoted(to, (const char *)bytes, field->size);
        return;
    }
    uint32_t size = field->size / field->count;
    micai_print(to, "%s", field->count > 1 ? "[" : "");
    for (uint32_t i = 0; i < field->count; i++, bytes += size) {
        micai_print(to, "%s", i ? ", " : "");
        if (field->kind == MICA_KIND_STRUCT) {
            print_value(to, state, &micai_registry_find(&state->registry, field->type)->info,
                        bytes);
        } else {
            print_element(to, state, field, bytes, size);
        }
    }
    micai_print(to, "%s", field->count > 1 ? "]" : "");
}

static void print_value(micai_printer *to, const micai_state *state, const mica_type_info *info,
                        const unsigned char *value)
{
    micai_print(to, "{");
    for (uint32_t i = 0; i < info->field_count; i++) {
        micai_print(to, "%s%s: ", i ? ", " : "", info->fields[i].name);
        print_field(to, state, &info->fields[i], value + info->fields[i].offset);
    }
    if (info->field_count == 0) {
        micai_print(to, "%" PRIu32 " bytes", info->size);
    }
    micai_print(to, "}");
}

static void print_facet(micai_printer *to, const micai_state *state, mica_entity entity)
{
    const micai_facet *facet = micai_facets_get(micai_facets_of(state), entity);
    if (facet) {
        char text[MICA_ENTITY_TEXT_SIZE];
        bool none = facet->component == MICAI_FACET_NONE;
        micai_print(to, " facet of %s (%s, %" PRIu32 ")", mica_entity_text(facet->owner, text),
                    none ? "none" : state->registry.list.items[facet->component]->info.name,
                    facet->role);
    }
}

// Returns a component of a living entity as bytes. Returns NULL for a tag, and with a report if
// there is no memory to gather it.
static const void *read_component(mica_world *world, const char *call, micai_entity_ref ref,
                                  const micai_type *type)
{
    micai_value value = micai_value_find(world->state, ref, type);
    return micai_value_is_there(value) ? micai_value_see(world, call, value) : NULL;
}

// Checks that all components can be read. They can then be read again, since the scratch memory
// keeps its capacity.
static mica_result check_components(mica_world *world, const char *call, micai_entity_ref ref)
{
    const micai_state *state = world->state;
    mica_result result = MICA_OK;
    for (uint32_t n = micai_value_next(state, ref, 0); n != MICAI_BITS_END && !result;
         n = micai_value_next(state, ref, n + 1)) {
        const micai_type *type = state->registry.list.items[n];
        micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
        if (type->info.size > 0 && !read_component(world, call, ref, type)) {
            result = MICA_ERROR_MEMORY;
        }
        micai_arena_rewind(&world->scratch, mark);
    }
    return result;
}

static void print_components(micai_printer *to, mica_world *world, const char *call,
                             micai_entity_ref ref)
{
    for (uint32_t n = micai_value_next(world->state, ref, 0); n != MICAI_BITS_END;
         n = micai_value_next(world->state, ref, n + 1)) {
        const micai_type *type = world->state->registry.list.items[n];
        micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
        const void *data = read_component(world, call, ref, type);
        micai_print(to, " %s", type->info.name);
        if (data) {
            print_value(to, world->state, &type->info, data);
        }
        micai_arena_rewind(&world->scratch, mark);
    }
}

// Prints an entity that is alive.
static mica_result print_alive(micai_printer *to, mica_world *world, const char *call,
                               micai_entity_ref ref)
{
    mica_result result = check_components(world, call, ref);
    if (result) {
        return result;
    }
    char text[MICA_ENTITY_TEXT_SIZE];
    micai_print(to, "%s", mica_entity_text(ref.entity, text));
    const char *name = micai_names_get(micai_names_of(world->state), ref.entity);
    if (name) {
        micai_print(to, " ");
        micai_print_quoted(to, name, strlen(name));
    }
    print_facet(to, world->state, ref.entity);
    print_components(to, world, call, ref);
    micai_print(to, "\n");
    return MICA_OK;
}

mica_result mica_entity_print(mica_world *world, mica_entity entity, const mica_stream *stream)
{
    static const char call[] = "mica_entity_print";
    micai_printer to;
    mica_result result = micai_world_begin_print(world, call, stream, &to);
    if (result) {
        return result;
    }
    const micai_entity_ref ref = {entity, micai_slots_find(&world->state->slots, entity)};
    if (ref.record) {
        result = print_alive(&to, world, call, ref);
    } else {
        char text[MICA_ENTITY_TEXT_SIZE];
        micai_print(&to, "%s (dead)\n", mica_entity_text(entity, text));
    }
    return micai_print_end(&to, result);
}

static void print_resources(micai_printer *to, const micai_state *state)
{
    for (uint32_t n = 0; n < state->resources.count; n++) {
        const mica_type_info *info = &state->registry.list.items[n]->info;
        if (state->resources.items[n].value) {
            micai_print(to, "  resource %s", info->name);
            print_value(to, state, info, state->resources.items[n].value);
            micai_print(to, "\n");
        }
    }
}

mica_result mica_world_print(mica_world *world, const mica_stream *stream)
{
    micai_printer to;
    uint64_t bytes = world ? micai_host_main(&world->host)->memory.bytes : 0; // without the printer
    mica_result result = micai_world_begin_print(world, "mica_world_print", stream, &to);
    if (result) {
        return result;
    }
    micai_print(&to, "%" PRIu32 " entities, ", micai_facets_count_others(world->state));
    if (micai_facets_of(world->state)->count > 0) {
        micai_print(&to, "%" PRIu32 " facets, ", micai_facets_of(world->state)->count);
    }
    micai_print(&to, "%" PRIu32 " types, %" PRIu32 " tables, %" PRIu64 " bytes\n",
                micai_registry_count(&world->state->registry), world->state->store.tables.count,
                bytes);
    micai_value_print(&to, world->state);
    print_resources(&to, world->state);
    return micai_print_end(&to, MICA_OK);
}

size_t mica_text_quote(const void *bytes, size_t count, char *text, size_t size)
{
    static const char call[] = "mica_text_quote";
    if ((!bytes && count > 0) || (!text && size > 0)) {
        (void)micai_fail_null(NULL, call, !bytes && count > 0 ? "bytes" : "text");
        return 0;
    }
    micai_printer to = {.text = text, .size = size};
    micai_print_quoted(&to, bytes, count);
    return to.length;
}
