// The gate of a state is closed while the state must not change. That is while a query is iterated,
// a step runs, or a hook or handler is called. Fast paths test one number. If it is not 0, the
// general path makes the error sentence.
//
// Room:    core. Closed by core/hook, query/ (iterations), event/ (observers) and system/ (steps). Tested
//          by all rooms that change entities.
//
// Invariants. mica_world_validate() sweeps B1 and the visible part of B2:
//   B1  *busy counts the open iterations, the running steps, and the running hooks, handlers and
//       observers.
//   B2  While a hook runs, and only then, host->hook names it and host->hooked names its type, in
//       followers too. The view of the slots then has no pages, so no look-up finds an entity,
//       inline ones included. `hidden` keeps the number of pages.
//   B3  Hooks are not nested: nothing that a hook may call calls a hook.
#ifndef MICAI_CORE_GATE_H
#define MICAI_CORE_GATE_H

#include "core/slot.h"

typedef struct micai_gate {
    micai_host *host;
    micai_slots *slots;
    // 0: open. Counts iterations, steps, hooks, handlers and observers. Stored in the world's face,
    // where fast paths read it.
    uint32_t *busy;
    uint32_t hidden; // pages of slots that are hidden during a hook
} micai_gate;

static inline void micai_gate_shut(micai_gate *gate)
{
    ++*gate->busy;
}

static inline void micai_gate_open(micai_gate *gate)
{
    --*gate->busy;
}

#endif
