// Opaque values. opaque_internal.h has the contract.
#include "image/opaque_internal.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"

typedef struct opaque {
    void *data; // NULL: no bytes
    size_t size;
    uint64_t sum; // the hash of the data. As the only field, it makes equal contents equal
} opaque;

static bool set_opaque(opaque *target, const void *data, size_t size,
                       const mica_allocator *allocator)
{
    *target = (opaque){0};
    if (size > 0) {
        target->data = allocator->resize(allocator->user, NULL, 0, size, 1);
        target->size = target->data ? size : 0;
    }
    if (target->data) {
        memcpy(target->data, data, size);
        target->sum = micai_hash_bytes(data, size);
    }
    return target->size == size;
}

static void destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    const mica_allocator *allocator = context->allocator;
    const opaque *values = target;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i].data) {
            allocator->resize(allocator->user, values[i].data, values[i].size, 0, 1);
        }
    }
}

static mica_result copy(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context)
{
    opaque *targets = target;
    const opaque *sources = source;
    for (uint32_t i = 0; i < count; i++) {
        if (!set_opaque(&targets[i], sources[i].data, sources[i].size, context->allocator)) {
            destruct(targets, i, context);
            mica_hook_explain(context, "no memory for a value that is kept as bytes");
            return MICA_ERROR_MEMORY;
        }
    }
    return MICA_OK;
}

static mica_result save(const void *value, mica_put *put, void *out,
                        const mica_hook_context *context)
{
    (void)context;
    const opaque *kept = value;
    return put(out, kept->data, kept->size) ? MICA_OK : MICA_ERROR_MEMORY;
}

static mica_result load(void *target, const void *data, size_t size,
                        const mica_hook_context *context)
{
    if (set_opaque(target, data, size, context->allocator)) {
        return MICA_OK;
    }
    mica_hook_explain(context, "no memory for a value that is kept as bytes");
    return MICA_ERROR_MEMORY;
}

void micai_opaque_describe(mica_type_desc *desc)
{
    static const mica_field_info sum = {
        .name = "checksum", .kind = MICA_KIND_U64, .offset = offsetof(opaque, sum), .size = 8};
    desc->fields = &sum;
    desc->field_count = 1;
    desc->size = sizeof(opaque);
    desc->align = _Alignof(opaque);
    desc->hooks = (mica_hooks){.destruct = destruct, .copy = copy, .save = save, .load = load};
}
