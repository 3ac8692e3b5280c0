// Storage of resources. resource.h has the contract.
#include "state/resource.h"

#include <string.h>

#include "state/state.h"

void micai_resources_destroy_value(micai_state *state, const micai_type *type, unsigned char *value)
{
    micai_hook_destruct(&state->gate, type, value, 1);
    micai_release(state->host, value, type->info.size, type->info.align);
}

void micai_resources_clear(micai_state *state)
{
    for (uint32_t n = 0; n < state->resources.count; n++) {
        unsigned char *value = state->resources.items[n].value;
        if (value) {
            state->resources.items[n] = (micai_resource){0};
            micai_resources_destroy_value(state, state->registry.list.items[n], value);
        }
    }
}

mica_result micai_resources_validate(micai_host *host, const micai_state *state)
{
    const micai_resources *all = &state->resources;
    mica_result result = micai_array_validate(host, all, "resources");
    bool right = all->count <= state->registry.list.count;
    for (uint32_t n = 0; !result && right && n < all->count; n++) {
        const micai_resource *one = &all->items[n];
        const mica_type_info *info = &state->registry.list.items[n]->info;
        right = one->bits == (one->value ? info->type.bits : 0);
    }
    return result || right ? result
                           : micai_fail_invariant(host, "W10", "a resource is not its type's");
}

bool micai_resources_overlap(const micai_state *state, const void *data, size_t size)
{
    uintptr_t from = (uintptr_t)data;
    bool holds = false;
    for (uint32_t n = 0; !holds && n < state->resources.count; n++) {
        uintptr_t start = (uintptr_t)state->resources.items[n].value;
        holds =
            start && from < start + state->registry.list.items[n]->info.size && start < from + size;
    }
    return holds;
}

// Extends the list up to the number of this type.
mica_result micai_resources_reserve(micai_state *state, const micai_type *type)
{
    micai_resources *all = &state->resources;
    const uint32_t number = type->number;
    if (number < all->count) {
        return MICA_OK;
    }
    uint32_t extra = number + 1 - all->count;
    if (!micai_array_reserve(state->host, all, extra)) {
        return MICA_ERROR_MEMORY;
    }
    memset(&all->items[all->count], 0, extra * sizeof *all->items);
    all->count += extra;
    return MICA_OK;
}

unsigned char *micai_resources_exchange(micai_state *state, const micai_type *type,
                                        unsigned char *value)
{
    micai_resource *place = &state->resources.items[type->number];
    unsigned char *before = place->value;
    *place = (micai_resource){value ? type->info.type.bits : 0, value};
    return before;
}

void micai_resources_take_back(micai_state *state, uint32_t types)
{
    state->resources.count = state->resources.count < types ? state->resources.count : types;
}
