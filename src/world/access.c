// Reading what an entity has.
#include <mica/component.h>

#include <inttypes.h>

#include "base/compiler.h"
#include "world/world.h"

mica_result micai_world_check_size(mica_world *world, const char *call, const micai_type *type,
                                   uint32_t size)
{
    if (size == type->info.size && size > 0) {
        return MICA_OK;
    }
    if (type->info.size == 0) {
        return micai_fail(&world->host, MICA_ERROR_SIZE, "%s: '%s' is a tag and has no value", call,
                          type->info.name);
    }
    return micai_fail(&world->host, MICA_ERROR_SIZE,
                      "%s: component '%s' has size %" PRIu32 ", not %" PRIu32, call,
                      type->info.name, type->info.size, size);
}

// What a look-up found: the type, and where the value is (no sheet: nowhere).
typedef struct spot {
    const micai_type *type;
    micai_sheet *sheet;
    uint32_t column;
    uint32_t offset;
} spot;

// The quick way: true if all is well, the value is there, and its type is one of those whose column
// a sheet knows. Calls nothing, so that the functions that use it have nothing to save; look_up()
// is asked otherwise.
static inline bool reach(mica_world *world, mica_entity entity, mica_type type, spot *found_out)
{
    const micai_record *record = world ? micai_slots_find(&world->core->slots, entity) : NULL;
    const micai_type *found = record ? micai_registry_find(&world->core->registry, type) : NULL;
    if (!found || found->number >= MICA_VIEW_QUICK) {
        return false;
    }
    micai_place place = micai_store_place(&world->core->store, record);
    uint32_t column = place.sheet->quick[found->number];
    *found_out = (spot){found, place.sheet, column, place.offset};
    return column != 0;
}

static spot look_up(mica_world *world, const char *call, mica_entity entity, mica_type type)
{
    spot found = {0};
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return found;
    }
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    if (!record) {
        micai_slots_fail(&world->host, call, entity);
        return found;
    }
    found.type = micai_world_type(world, call, type);
    if (found.type) {
        micai_place place = micai_store_place(&world->core->store, record);
        found.column = micai_table_column(place.sheet->table, found.type->number);
        found.offset = place.offset;
        found.sheet = found.column ? place.sheet : NULL;
    }
    return found;
}

static inline void *take(const spot *found)
{
    return found->sheet->pages[found->column].data + (size_t)found->offset * found->type->info.size;
}

static void *take_mut(mica_world *world, const spot *found)
{
    if (!found->sheet ||
        micai_sheet_open(&world->core->store, found->sheet, found->column, world->view.tick)) {
        return NULL;
    }
    return take(found);
}

MICAI_COLD static const void *get_slowly(mica_world *world, mica_entity entity, mica_type type)
{
    spot found = look_up(world, "mica_get", entity, type);
    return found.sheet ? take(&found) : NULL;
}

const void *mica_get(mica_world *world, mica_entity entity, mica_type type)
{
    spot found;
    return reach(world, entity, type, &found) ? take(&found) : get_slowly(world, entity, type);
}

MICAI_COLD static void *get_mut_slowly(mica_world *world, mica_entity entity, mica_type type)
{
    spot found = look_up(world, "mica_get_mut", entity, type);
    return take_mut(world, &found);
}

void *mica_get_mut(mica_world *world, mica_entity entity, mica_type type)
{
    spot found;
    if (!reach(world, entity, type, &found) || found.sheet->shared) {
        return get_mut_slowly(world, entity, type);
    }
    found.sheet->pages[found.column].tick = world->view.tick;
    return take(&found);
}

const void *mica_get_sized(mica_world *world, mica_entity entity, mica_type type, uint32_t size)
{
    static const char call[] = "mica_get_sized";
    spot found = look_up(world, call, entity, type);
    if (!found.type || micai_world_check_size(world, call, found.type, size)) {
        return NULL;
    }
    return found.sheet ? take(&found) : NULL;
}

void *mica_get_mut_sized(mica_world *world, mica_entity entity, mica_type type, uint32_t size)
{
    static const char call[] = "mica_get_mut_sized";
    spot found = look_up(world, call, entity, type);
    if (!found.type || micai_world_check_size(world, call, found.type, size)) {
        return NULL;
    }
    return take_mut(world, &found);
}

bool mica_has(mica_world *world, mica_entity entity, mica_type type)
{
    static const char call[] = "mica_has";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return false;
    }
    const micai_type *found = micai_world_type(world, call, type);
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    return found && record &&
           micai_table_has(micai_store_place(&world->core->store, record).sheet->table,
                           found->number);
}

mica_result mica_entity_types(mica_world *world, mica_entity entity, mica_types *types_out)
{
    static const char call[] = "mica_entity_types";
    if (!world || !types_out) {
        return micai_fail_null(micai_world_host(world), call, world ? "types_out" : "world");
    }
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    if (!record) {
        return micai_slots_fail(&world->host, call, entity);
    }
    return micai_store_set_of(&world->core->store,
                              micai_store_place(&world->core->store, record).sheet->table,
                              types_out);
}
