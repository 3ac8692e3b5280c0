// Copies of one value. copies_internal.h has the contract.
#include "entity/copies_internal.h"

mica_result micai_copies_make(micai_copies *copies, mica_world *world, const micai_type *type,
                              const void *data, uint32_t count)
{
    const mica_type_info *info = &type->info;
    *copies = (micai_copies){.world = world, .type = type};
    count = micai_hook_has_none(type) && count > 1 ? 1 : count;
    if (count == 0) {
        return MICA_OK;
    }
    unsigned char *block = micai_alloc_array(&world->host, count, info->size, info->align);
    if (!block) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        mica_result result =
            micai_hook_copy(&world->state->gate, type, block + (size_t)i * info->size, data, 1);
        if (result) {
            micai_hook_destruct(&world->state->gate, type, block, i);
            micai_release(&world->host, block, (size_t)count * info->size, info->align);
            return result;
        }
    }
    copies->block = block;
    copies->count = count;
    return MICA_OK;
}

void micai_copies_free(micai_copies *copies)
{
    if (!copies->block) {
        return;
    }
    mica_world *world = copies->world;
    const mica_type_info *info = &copies->type->info;
    micai_hook_destruct(&world->state->gate, copies->type,
                        copies->block + (size_t)copies->used * info->size,
                        copies->count - copies->used);
    micai_release(&world->host, copies->block, (size_t)copies->count * info->size, info->align);
    copies->block = NULL;
}
