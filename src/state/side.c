// Iterating over the side tables. side.h has the contract.
#include "state/side.h"

#include <string.h>

#include "base/canary.h"
#include "state/state.h"

bool micai_dependents_find(micai_dependents *d)
{
    for (; d->side < MICAI_SIDE_COUNT; d->side++) {
        const micai_side_ops *ops = d->state->sides[d->side].ops;
        d->entity =
            ops->dependent ? ops->dependent(d->state, d->owner, d->entity) : (mica_entity){0};
        if (!MICA_IS_NONE(d->entity)) {
            return true;
        }
    }
    return false;
}

uint32_t micai_sides_count_used(const micai_state *state)
{
    uint32_t used = state->pools.links && state->pools.links->count > 0;
    for (uint32_t i = 0; i < MICAI_SIDE_COUNT; i++) {
        used += state->sides[i].ops->count(state) > 0;
    }
    return used;
}

void micai_sides_remove(micai_state *state, mica_entity entity)
{
    for (uint32_t i = 0; i < MICAI_SIDE_COUNT; i++) {
        state->sides[i].ops->remove(state, entity);
    }
}

void micai_sides_clear(micai_state *state)
{
    for (uint32_t i = MICAI_CANARY("state.side_left") ? 1 : 0; i < MICAI_SIDE_COUNT; i++) {
        state->sides[i].ops->clear(state);
    }
}

void micai_sides_exchange(micai_state *state, micai_state *other)
{
    const uint32_t before = micai_sides_count_used(state);
    for (uint32_t i = 0; i < MICAI_SIDE_COUNT; i++) {
        const size_t size = state->sides[i].ops->size;
        unsigned char data[MICAI_SIDE_SIZE_MAX];
        memcpy(data, state->sides[i].data, size);
        memcpy(state->sides[i].data, other->sides[i].data, size);
        memcpy(other->sides[i].data, data, size);
    }
    other->side_tables_in_use = before;
    state->side_tables_in_use += micai_sides_count_used(state) - before;
}
