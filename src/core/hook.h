// Values in memory: made, copied, relocated, ended. The only place that calls the hooks of types.
//
// Room:    core. Called by the stores and by world/, wherever values are kept.
//
// Each works on `count` values side by side. While a hook runs the gate is shut, and no entity is
// found: what a hook would see is half done, so a hook that calls into the world is refused.
#ifndef MICAI_CORE_HOOK_H
#define MICAI_CORE_HOOK_H

#include "core/gate.h"
#include "core/registry.h"

// Makes values of their defaults; copies of others. All or none: MICA_ERROR_HOOK.
mica_result micai_hook_construct(micai_gate *gate, const micai_type *type, void *target,
                                 uint32_t count);
mica_result micai_hook_copy(micai_gate *gate, const micai_type *type, void *target,
                            const void *source, uint32_t count);

// Makes the targets and ends the sources, which may not overlap them. Cannot fail.
void micai_hook_relocate(micai_gate *gate, const micai_type *type, void *target, void *source,
                         uint32_t count);

void micai_hook_destruct(micai_gate *gate, const micai_type *type, void *target, uint32_t count);

// Opens the gate again and shows the entities, after a hook that will not return. There must be one.
void micai_hook_leave(micai_gate *gate);

// Are the values nothing but their bytes?
static inline bool micai_hook_has_none(const micai_type *type)
{
    const mica_hooks *hooks = &type->info.hooks;
    return !hooks->construct && !hooks->destruct && !hooks->copy && !hooks->move;
}

// Can there be two of one? Not of a type that ends its values and does not say how to copy them.
static inline bool micai_hook_can_copy(const micai_type *type)
{
    return type->info.hooks.copy || !type->info.hooks.destruct;
}

#endif
