// Slots on a host of their own.
#ifndef TEST_CORE_SLOTS_H
#define TEST_CORE_SLOTS_H

#include "core/slot.h"
#include "runner/host.h"
#include "runner/test.h"

// Rows are numbered from here, so that a row is not taken for a slot.
enum { ROW = 1000 };

typedef struct fixture {
    test_host t;
    micai_host *host;
    micai_slots slots;
    uint32_t log_calls;
    char log_sentence[128];
} fixture;

void slots_begin(fixture *f, uint32_t limit);
void slots_end(fixture *f);

// Reserving, and what follows from that.
mica_entity slots_take(fixture *f);
mica_entity slots_take_at(fixture *f, uint32_t slot, uint32_t generation);
void slots_give(fixture *f, mica_entity entity);
mica_result slots_reserve_at(fixture *f, uint32_t slot, uint32_t generation);
void slots_reclaim(fixture *f);

bool slots_is_at(mica_entity entity, uint32_t slot, uint32_t generation);

#endif
