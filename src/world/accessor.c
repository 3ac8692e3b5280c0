// Accessors, as far as they are not inline.
#include <mica/accessor.h>

#include <inttypes.h>

#include "world/value.h"

mica_accessor mica_accessor_make(mica_world *world, mica_type type, uint32_t layout)
{
    static const char call[] = "mica_accessor_new";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return (mica_accessor){0};
    }
    const mica_accessor none = {.face = &world->view};
    if (micai_world_enter(world, call) ||
        (world->recorder && micai_world_refuse(world, call))) { // its writes would not wait
        return none;
    }
    if (layout != MICA_VIEW_LAYOUT) {
        micai_fail(&world->host, MICA_ERROR_VERSION,
                   "%s: the program was compiled for layout %" PRIx32 ", the library has %" PRIx32,
                   call, layout, MICA_VIEW_LAYOUT);
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
    mica_accessor accessor = {
        .face = &world->view, .slots = world->view.slots, .type = type, .size = found->info.size};
    micai_host_begin(&world->host, call);
    mica_result result = micai_value_prepare(world, found, &accessor);
    micai_host_end(&world->host);
    return result ? none : accessor;
}

bool micai_accessor_is_none(mica_world *world, mica_type type, const char *call)
{
    bool none = mica_type_is_none(type);
    if (none) {
        micai_fail(micai_world_host(world), MICA_ERROR_TYPE, "%s: the accessor is none", call);
    }
    return none;
}

// Is there a world and a type? Reported if not.
static const micai_type *find_type(mica_world *world, mica_type type, const char *call)
{
    if (micai_accessor_is_none(world, type, call)) {
        return NULL;
    }
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    return micai_world_type(world, call, type);
}

// The value, if there is one; reported if that is a mistake.
static micai_value find_value(mica_world *world, mica_type type, const char *call,
                              mica_entity entity)
{
    const micai_value nothing = {0};
    const micai_type *found = find_type(world, type, call);
    if (!found) {
        return nothing;
    }
    const micai_record *record = micai_slots_find(&world->core->slots, entity);
    if (!record) {
        micai_slots_fail(&world->host, call, entity);
        return nothing;
    }
    micai_value value = micai_value_find(world->core, (micai_living){entity, record}, found);
    return micai_value_is_there(value) && micai_world_reach(world, call, found) ? nothing : value;
}

const void *mica_accessor_get_slowly(mica_world *world, mica_type type, mica_entity entity)
{
    static const char call[] = "mica_accessor_get";
    micai_value value = find_value(world, type, call, entity);
    return micai_value_is_there(value) ? micai_value_get(world, call, value) : NULL;
}

void *mica_accessor_get_mut_slowly(mica_world *world, mica_type type, mica_entity entity)
{
    static const char call[] = "mica_accessor_get_mut";
    const micai_record *record = world ? micai_slots_find(&world->core->slots, entity) : NULL;
    void *ticked =
        record ? micai_value_open_ticked(world, (micai_living){entity, record}, type) : NULL;
    if (ticked) {
        return ticked;
    }
    micai_value value = find_value(world, type, call, entity);
    return micai_value_is_there(value) ? micai_value_open(world, call, value) : NULL;
}

void *mica_accessor_refuse(mica_world *world, mica_type type, uint32_t size, bool write)
{
    const char *call = write ? "MICA_ACCESSOR_GET_MUT" : "MICA_ACCESSOR_GET";
    const micai_type *found = find_type(world, type, call);
    if (found) {
        micai_world_check_size(world, call, found, size);
    }
    return NULL;
}
