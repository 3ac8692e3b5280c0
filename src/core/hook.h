// Values in memory: made, copied, relocated, ended. The only place that calls the hooks of types.
//
// Room:    core. Called by the stores and by world/, wherever values are kept.
//
// Each works on `count` values side by side. While a hook runs the gate is shut, and no entity is
// found (B2): what a hook would see is half done, so a hook that calls into the world is refused.
// Short cuts need no question of their own for that: those that change something ask the gate, and
// those that look at an entity do not find it; both then go where refusals are made.
//
// Invariants:
//   B4  a value is made once (construct, copy) and ended once (destruct), or handed on (relocate).
//   B5  construct and copy make all or none.
//   B6  what is refused inside a hook leaves the code of the call around it (host->failed) alone.
#ifndef MICAI_CORE_HOOK_H
#define MICAI_CORE_HOOK_H

#include "core/gate.h"
#include "core/registry.h"

// Makes values of their defaults. All or none: MICA_ERROR_HOOK.
mica_result micai_hook_construct(micai_gate *gate, const micai_type *type, void *target,
                                 uint32_t count);

// Makes values of others: copies of them; or, of a type that cannot be copied, relocates them, so that
// the sources are raw memory from then on. All or none: MICA_ERROR_HOOK.
mica_result micai_hook_copy(micai_gate *gate, const micai_type *type, void *target,
                            const void *source, uint32_t count);

// Undoes that: ends the copies, or puts the values back where they came from. Cannot fail.
void micai_hook_undo_copy(micai_gate *gate, const micai_type *type, void *target,
                          const void *source, uint32_t count);

// `count` copies of the bytes of one value, which must not be one of them.
void micai_hook_repeat(const mica_type_info *info, void *target, const void *value, uint32_t count);

// Makes the targets and ends the sources, which may not overlap them. Cannot fail.
void micai_hook_relocate(micai_gate *gate, const micai_type *type, void *target, void *source,
                         uint32_t count);

void micai_hook_destruct(micai_gate *gate, const micai_type *type, void *target, uint32_t count);

// For images: what is to be kept of one value is put; a value is made of that. MICA_ERROR_HOOK.
mica_result micai_hook_save(micai_gate *gate, const micai_type *type, const void *value,
                            mica_put *put, void *out);
mica_result micai_hook_load(micai_gate *gate, const micai_type *type, void *target,
                            const void *data, size_t size);

// MICA_ERROR_HOOK: `call` was made inside the hook that runs in this moment.
mica_result micai_hook_refuse(micai_host *host, const char *call);

// Are the values nothing but their bytes?
static inline bool micai_hook_has_none(const micai_type *type)
{
    const mica_hooks *hooks = &type->info.hooks;
    return !hooks->construct && !hooks->destruct && !hooks->copy && !hooks->move;
}

// Can a value lie elsewhere for a while, as bytes? Not one that is ended, copied or moved by hooks, which
// might be called for the place it left.
static inline bool micai_hook_allows_byte_copy(const micai_type *type)
{
    const mica_hooks *hooks = &type->info.hooks;
    return !hooks->destruct && !hooks->copy && !hooks->move;
}

// Can there be two of one? Not of a type that ends its values and does not say how to copy them.
static inline bool micai_hook_can_copy(const micai_type *type)
{
    return type->info.hooks.copy || !type->info.hooks.destruct;
}

#endif
