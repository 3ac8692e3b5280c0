// Values in memory: constructs, copies, relocates and destroys them. This is the only code that
// calls the hooks of types.
//
// Room:    core. Called by all rooms that store values.
//
// Each function works on `count` adjacent values. While a hook runs, the gate is closed and no
// entity is found (B2). The state that a hook would see is incomplete, so its calls into the world
// are refused. Fast paths need no test of their own: those that change something test the gate, and
// those that read an entity do not find it. Both then fall back to the general path, which refuses.
//
// Invariants:
//   B4  Every value is constructed or copied once, and then destroyed or relocated once.
//   B5  Construct and copy create all values or none.
//   B6  Errors inside a hook do not change the result code of the surrounding call (host->failed).
#ifndef MICAI_CORE_HOOK_H
#define MICAI_CORE_HOOK_H

#include "core/gate.h"
#include "core/registry.h"

// Constructs default values, all or none: MICA_ERROR_HOOK.
mica_result micai_hook_construct(micai_gate *gate, const micai_type *type, void *target,
                                 uint32_t count);

// Copies values. If the type cannot be copied, relocates them instead, so the sources become raw
// memory. All or none: MICA_ERROR_HOOK.
mica_result micai_hook_copy(micai_gate *gate, const micai_type *type, void *target,
                            const void *source, uint32_t count);

// Undoes micai_hook_copy(): destroys the copies, or relocates the values back. Cannot fail.
void micai_hook_undo_copy(micai_gate *gate, const micai_type *type, void *target,
                          const void *source, uint32_t count);

// Fills the target with `count` copies of the bytes of one value. The value must lie outside of the
// target.
void micai_hook_repeat(const mica_type_info *info, void *target, const void *value, uint32_t count);

// Moves values to new memory; the sources become raw memory. Source and target must not overlap.
// Cannot fail.
void micai_hook_relocate(micai_gate *gate, const micai_type *type, void *target, void *source,
                         uint32_t count);

void micai_hook_destruct(micai_gate *gate, const micai_type *type, void *target, uint32_t count);

// For images: save passes the bytes of one value to `put`, load constructs a value from them.
// MICA_ERROR_HOOK.
mica_result micai_hook_save(micai_gate *gate, const micai_type *type, const void *value,
                            mica_put *put, void *out);
mica_result micai_hook_load(micai_gate *gate, const micai_type *type, void *target,
                            const void *data, size_t size);

// The name of the hook that seems to run in the main world while systems run together: calls are refused in the
// same way.
extern const char micai_hook_wave[5];

// Notes the running hook and its type in a host and its followers. NULL: it has ended.
void micai_hook_name(micai_host *host, const char *name, const char *type);

// Reports MICA_ERROR_HOOK: `call` was made inside the running hook. MICA_ERROR_ITERATING in the main world
// while systems run together.
mica_result micai_hook_refuse(micai_host *host, const char *call);

// Returns true if values are just their bytes.
static inline bool micai_hook_has_none(const micai_type *type)
{
    const mica_hooks *hooks = &type->info.hooks;
    return !hooks->construct && !hooks->destruct && !hooks->copy && !hooks->move;
}

// Returns true if a value may temporarily be held elsewhere as bytes. That is false if hooks
// destroy, copy or move values, because a hook may depend on the address.
static inline bool micai_hook_allows_byte_copy(const micai_type *type)
{
    const mica_hooks *hooks = &type->info.hooks;
    return !hooks->destruct && !hooks->copy && !hooks->move;
}

// Returns true if a value can be copied. That is false if the type has a destruct hook but no copy
// hook.
static inline bool micai_hook_can_copy(const micai_type *type)
{
    return type->info.hooks.copy || !type->info.hooks.destruct;
}

#endif
