// Calling hooks. hook.h has the contract.
#include "core/hook.h"

#include <string.h>

// Shuts the gate, and hides the entities, so that every way into the world ends where refusals are
// made. The hot paths need no question of their own for that.
static mica_hook_context begin_hook(micai_gate *gate, const char *name, const mica_type_info *info)
{
    gate->host->hook = name;
    gate->host->hooked = info->name;
    gate->hidden = gate->slots->view.page_count;
    gate->slots->view.page_count = 0;
    micai_gate_shut(gate);
    return (mica_hook_context){
        .type = info, .user = info->user, .allocator = &gate->host->allocator};
}

void micai_hook_leave(micai_gate *gate)
{
    micai_gate_open(gate);
    gate->slots->view.page_count = gate->hidden;
    gate->host->hook = NULL;
}

// Unless the hook itself has told the world that it was left.
static void end_hook(micai_gate *gate)
{
    if (gate->host->hook) {
        micai_hook_leave(gate);
    }
}

static mica_result fail_hook(micai_gate *gate, const char *hook, const mica_type_info *info)
{
    return micai_fail(gate->host, MICA_ERROR_HOOK, "the %s hook of '%s' failed", hook, info->name);
}

mica_result micai_hook_construct(micai_gate *gate, const micai_type *type, void *target,
                                 uint32_t count)
{
    const mica_type_info *info = &type->info;
    if (info->hooks.construct && count > 0) {
        mica_hook_context context = begin_hook(gate, "construct", info);
        mica_result result = info->hooks.construct(target, count, &context);
        end_hook(gate);
        return result ? fail_hook(gate, "construct", info) : MICA_OK;
    }
    if (info->default_value) {
        for (uint32_t i = 0; i < count; i++) {
            memcpy((unsigned char *)target + (size_t)i * info->size, info->default_value,
                   info->size);
        }
    } else {
        memset(target, 0, (size_t)count * info->size);
    }
    return MICA_OK;
}

mica_result micai_hook_copy(micai_gate *gate, const micai_type *type, void *target,
                            const void *source, uint32_t count)
{
    const mica_type_info *info = &type->info;
    if (info->hooks.copy && count > 0) {
        mica_hook_context context = begin_hook(gate, "copy", info);
        mica_result result = info->hooks.copy(target, source, count, &context);
        end_hook(gate);
        return result ? fail_hook(gate, "copy", info) : MICA_OK;
    }
    memcpy(target, source, (size_t)count * info->size);
    return MICA_OK;
}

void micai_hook_relocate(micai_gate *gate, const micai_type *type, void *target, void *source,
                         uint32_t count)
{
    const mica_type_info *info = &type->info;
    if (info->hooks.move && count > 0) {
        mica_hook_context context = begin_hook(gate, "move", info);
        info->hooks.move(target, source, count, &context);
        end_hook(gate);
    } else {
        memcpy(target, source, (size_t)count * info->size);
    }
}

void micai_hook_destruct(micai_gate *gate, const micai_type *type, void *target, uint32_t count)
{
    const mica_type_info *info = &type->info;
    if (info->hooks.destruct && count > 0) {
        mica_hook_context context = begin_hook(gate, "destruct", info);
        info->hooks.destruct(target, count, &context);
        end_hook(gate);
    }
}
