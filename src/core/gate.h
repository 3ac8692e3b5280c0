// The gate of a state: may it be changed now? It is shut while a query is iterated, a step runs, a
// hook of a type or a handler of the host is being called. Short cuts ask one number; whoever is
// turned away takes the long way, where the sentence is made.
//
// Room:    core. Kept by core/hook, query/ (iterations), system/ (steps); asked by world/ and query/.
//
// Invariants, the first and what can be seen of the second swept by mica_world_validate():
//   B1  *busy is the number of iterations that are open, steps that run, and hooks and handlers that
//       are called.
//   B2  while a hook is called, and only then, host->hook names it, host->hooked its type (of those
//       that follow the host too), and the view of the slots has no pages: no entity is found, also not inline. Their number is `hidden`.
//   B3  hooks are not nested: whatever a hook may call calls no hook.
#ifndef MICAI_CORE_GATE_H
#define MICAI_CORE_GATE_H

#include "core/slot.h"

typedef struct micai_gate {
    micai_host *host;
    micai_slots *slots;
    uint32_t *busy; // 0: open. Iterations that are open, steps that run, hooks and handlers called.
                    // It lies where the short cuts look: in the face of the world
    uint32_t hidden; // pages of slots that are kept from a hook
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
