// Inspection of groups.
#include "entity/group.h"
#include "inspect/inspect_internal.h"

mica_group mica_group_next(mica_world *world, mica_group previous)
{
    static const char call[] = "mica_group_next";
    if (!micai_inspect_enter(world, call) ||
        (!MICA_IS_NONE(previous) && !micai_group_find(world, call, previous))) {
        return (mica_group){0};
    }
    const micai_handles *groups = &world->state->pools.groups;
    uint32_t from = MICA_IS_NONE(previous) ? 0 : micai_stamp_number(previous.bits) + 1;
    const micai_group *next = micai_handles_at(groups, micai_handles_next(groups, from));
    return next ? next->handle : (mica_group){0};
}

bool mica_group_get_info(mica_world *world, mica_group group, mica_group_info *info_out)
{
    static const char call[] = "mica_group_get_info";
    const micai_group *found =
        micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out)
            ? micai_group_find(world, call, group)
            : NULL;
    if (!found) {
        return false;
    }
    info_out->name = found->name;
    info_out->count = micai_group_size(found);
    for (uint32_t i = 0; i < found->pool_count; i++) {
        mica_type type = found->pools[i]->type->info.type;
        if (i < found->owned_count) {
            info_out->owned[i] = type;
        } else if (i < found->needed_count) {
            info_out->required[i - found->owned_count] = type;
        } else {
            info_out->without[i - found->needed_count] = type;
        }
    }
    return true;
}
