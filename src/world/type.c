// The public functions on component types.
//
// Room:    world.
#include <mica/type.h>

#include <inttypes.h>
#include <string.h>

#include "entity/change.h"
#include "query/query.h"

mica_result mica_type_register_all(mica_world *world, const mica_type_desc *descs, uint32_t count,
                                   mica_type *types_out)
{
    static const char call[] = "mica_type_register_all";
    if (types_out && count <= MICAI_STAMP_NUMBER_MAX) { // a longer list is invalid
        memset(types_out, 0, count * sizeof *types_out);
    }
    if (!world || (count > 0 && (!descs || !types_out))) {
        return micai_fail_null(micai_world_host(world), call,
                               !world   ? "world"
                               : !descs ? "descs"
                                        : "types_out");
    }
    micai_registry *registry = &world->state->registry;
    mica_result result = micai_world_guard_edit(world, call);
    if (!result && count > registry->limit) {
        result = micai_fail(&world->host, MICA_ERROR_LIMIT,
                            "%s: %" PRIu32 " types, and the world's limit is %" PRIu32, call, count,
                            registry->limit);
    }
    if (result) {
        return result;
    }
    micai_use_all(world->state);
    micai_host_begin(&world->host, call);
    result = micai_change_reserve_types(world, registry->list.count + count);
    result =
        result ? result
               : micai_registry_register_all(&world->host, registry, call, descs, count, types_out);
    micai_host_end(&world->host);
    return result;
}

static mica_type register_type(mica_world *world, const mica_type_desc *desc)
{
    static const char call[] = "mica_type_register";
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return (mica_type){0};
    }
    if (micai_world_guard_edit(world, call)) {
        return (mica_type){0};
    }
    micai_registry *registry = &world->state->registry;
    micai_host_begin(&world->host, call);
    mica_type type = (mica_type){0};
    if (!micai_change_reserve_types(world, registry->list.count + 1)) {
        type = micai_registry_register(&world->host, registry, call, desc);
    }
    micai_host_end(&world->host);
    return type;
}

uint64_t mica_type_register_(mica_world *world, const mica_type_desc *desc)
{
    return register_type(world, desc).bits;
}

mica_type mica_type_find(mica_world *world, const char *name)
{
    if (!world || !name) {
        micai_fail_null(micai_world_host(world), "mica_type_find", world ? "name" : "world");
        return (mica_type){0};
    }
    const micai_type *type = micai_registry_find_name(&world->state->registry, name);
    return type ? type->info.type : (mica_type){0};
}

const mica_type_info *mica_type_get_info(mica_world *world, mica_type type)
{
    if (!world) {
        micai_fail_null(NULL, "mica_type_get_info", "world");
        return NULL;
    }
    const micai_type *found = micai_registry_find(&world->state->registry, type);
    if (!found) {
        micai_registry_fail(&world->host, "mica_type_get_info", type);
        return NULL;
    }
    return &found->info;
}

mica_type mica_type_next(mica_world *world, mica_type previous)
{
    if (!world) {
        micai_fail_null(NULL, "mica_type_next", "world");
        return (mica_type){0};
    }
    const micai_registry *registry = &world->state->registry;
    uint32_t next = 0;
    if (!MICA_IS_NONE(previous)) {
        const micai_type *found = micai_registry_find(registry, previous);
        if (!found) {
            micai_registry_fail(&world->host, "mica_type_next", previous);
            return (mica_type){0};
        }
        next = found->number + 1;
    }
    next = micai_registry_next(registry, next);
    return next < registry->list.count ? registry->list.items[next]->info.type : (mica_type){0};
}
