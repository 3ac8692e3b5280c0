// Accessors, as far as they are not inline.
#include <mica/accessor.h>

#include <assert.h>

#include "world/world.h"

mica_accessor mica_accessor_new(mica_world *world, mica_type type)
{
    static const char call[] = "mica_accessor_new";
    mica_accessor none = {.world = world};
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return none;
    }
    const micai_type *found = micai_world_type(world, call, type);
    if (!found) {
        return none;
    }
    if (found->info.size == 0) {
        micai_fail(&world->host, MICA_ERROR_SIZE, "%s: '%s' is a tag and has no value", call,
                   found->info.name);
        return none;
    }
    return (mica_accessor){.face = &world->view,
                           .quick =
                               found->number < MICA_VIEW_QUICK ? found->number : MICA_VIEW_QUICK,
                           .size = found->info.size,
                           .type = type,
                           .world = world};
}

// Where the value is; a NULL sheet if it is not there, which is reported if that is a mistake.
static micai_place find_value(const mica_accessor *accessor, const char *call, mica_entity entity,
                              uint32_t *column_out)
{
    micai_place place = {0};
    if (!accessor || !accessor->face) {
        mica_world *world = accessor ? accessor->world : NULL;
        micai_fail(micai_world_host(world), MICA_ERROR_TYPE, "%s: the accessor is none", call);
        return place;
    }
    const micai_record *record = mica_accessor_find(accessor, entity);
    if (!record) {
        micai_slots_fail(&accessor->world->host, call, entity);
        return place;
    }
    place = micai_store_place(&accessor->world->core->store, record);
    const micai_type *type = micai_registry_find(&accessor->world->core->registry, accessor->type);
    assert(type); // an accessor is made of a type, and types stay
    *column_out = micai_table_column(place.sheet->table, type->number);
    return *column_out ? place : (micai_place){0};
}

const void *mica_accessor_get_slowly(const mica_accessor *accessor, mica_entity entity)
{
    uint32_t column = 0;
    micai_place place = find_value(accessor, "mica_accessor_get", entity, &column);
    return place.sheet ? micai_sheet_at(place.sheet, column, place.offset) : NULL;
}

void *mica_accessor_get_mut_slowly(const mica_accessor *accessor, mica_entity entity)
{
    uint32_t column = 0;
    micai_place place = find_value(accessor, "mica_accessor_get_mut", entity, &column);
    if (!place.sheet || micai_sheet_open(&accessor->world->core->store, place.sheet, column,
                                         accessor->face->tick)) {
        return NULL;
    }
    return micai_sheet_at(place.sheet, column, place.offset);
}
