// New values. new_values_internal.h has the contract.
#include "entity/new_values_internal.h"

mica_result micai_new_values_reserve(mica_world *world, micai_pool *pool,
                                     const mica_entity *entities, uint32_t count)
{
    micai_state *state = world->state;
    micai_slot_cursor ahead = {0};
    if (!entities) {
        ahead = micai_slots_peek(&state->slots);
    }
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < count; i++) {
        uint32_t slot = entities ? mica_entity_slot(entities[i]) : ahead.slot;
        result = state->pools.functions->reserve_slot(&state->pools, pool, slot);
        if (!entities) {
            micai_slots_peek_next(&state->slots, &ahead);
        }
    }
    return result ? result : state->pools.functions->reserve(&state->pools, pool, count);
}

mica_result micai_new_values_construct(mica_world *world, const micai_new_values *values)
{
    micai_state *state = world->state;
    const micai_cell cell = values->cell;
    const void *data = micai_new_values_follow(&state->store, values->data);
    if (values->pool) {
        return state->pools.functions->construct(&state->pools, values->pool, cell.row,
                                                 values->count, data, values->stride);
    }
    return cell.column ? micai_table_kind(cell.table, cell.column)
                             ->construct(&state->store, cell, values->count, data, values->stride)
                       : MICA_OK;
}

void micai_new_values_undo(mica_world *world, const micai_new_values *values)
{
    micai_state *state = world->state;
    micai_cell cell = values->cell;
    if (values->pool) {
        state->pools.functions->undo(&state->pools, values->pool, cell.row, values->count,
                                     values->data, values->stride);
        return;
    }
    if (!cell.column) {
        return;
    }
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    if (!values->data || micai_hook_can_copy(cell.table->layout.columns[cell.column].type)) {
        kind->destruct(&state->store, cell, values->count);
        return;
    }
    unsigned char *data = (unsigned char *)values->data;
    for (uint32_t i = 0; i < values->count; i++, cell.row++) {
        kind->load(&state->store, cell, data + (size_t)i * values->stride);
    }
}
