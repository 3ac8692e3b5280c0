// Reserved capacity: scratch memory, rows and slots for later changes, so that they allocate
// nothing. change.h has the contract.
#include <stddef.h>

#include "entity/bundle.h"
#include "entity/change_internal.h"

// Returns the size of what a change allocates per type: eight sets, and an index for each type.
// Rounds the number of types up, so that registering types one by one allocates rarely.
static size_t size_by_types(uint32_t types)
{
    size_t many = (size_t)64 * MICA_TYPE_SET_INLINE_WORDS;
    while (many < types) {
        many *= 2;
    }
    return sizeof(uint64_t) * 8 * (many / 64) + sizeof(uint32_t) * many;
}

// Reserves one block as large as everything that a change allocates. That is enough wherever the
// block starts.
static mica_result reserve_scratch(mica_world *world, size_t size, uint32_t types)
{
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    size += size_by_types(types);
    size = size < MICAI_ARENA_BLOCK_MIN ? MICAI_ARENA_BLOCK_MIN : size; // is_tiny(), base/arena
    void *piece = micai_arena_alloc(&world->host, &world->scratch, size, _Alignof(max_align_t));
    micai_arena_rewind(&world->scratch, mark);
    return piece ? MICA_OK : MICA_ERROR_MEMORY;
}

// Reserves scratch memory for entities of a table, with each type given twice and a transition that
// is not stored.
static mica_result promise_scratch(mica_world *world, const micai_table *table, uint32_t types)
{
    size_t size =
        (sizeof(micai_assignment) + sizeof(micai_step) + 2 * sizeof(micai_type *)) * 2 * types +
        sizeof(micai_transition) + 8 * _Alignof(max_align_t);
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        const mica_type_info *info = &table->layout.columns[c].type->info;
        if (!micai_column_is_whole(&table->layout, c)) {
            // A clone copies such values to scratch memory.
            size += (size_t)info->size + info->align;
        }
    }
    mica_result result = reserve_scratch(world, size, world->state->registry.list.count);
    if (!result && world->scratch_reserved < size) {
        world->scratch_reserved = size;
    }
    return result;
}

mica_result micai_change_reserve_types(mica_world *world, uint32_t types)
{
    return world->scratch_reserved > 0 ? reserve_scratch(world, world->scratch_reserved, types)
                                       : MICA_OK;
}

bool micai_change_keeps_promise(const mica_world *world)
{
    size_t size = size_by_types(world->state->registry.list.count);
    return world->scratch_reserved == 0 ||
           (world->scratch_reserved <= SIZE_MAX - size &&
            micai_arena_has_block(&world->scratch, world->scratch_reserved + size));
}

static micai_pool *pool_of(const mica_world *world, const micai_bundle *bundle, uint32_t i)
{
    return micai_pools_find(&world->state->pools, bundle->types[i]->info.type);
}

// Reserves rows in the pools of a bundle.
static mica_result reserve_pools(mica_world *world, const micai_bundle *bundle, uint32_t count)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        micai_pool *pool = pool_of(world, bundle, i);
        result = pool ? micai_pool_reserve(&world->state->pools, pool, count) : MICA_OK;
    }
    return result;
}

// Reserves slots, their index entries in the pools of a bundle, and rows of its table. Index
// entries come first, because they cannot be released.
static mica_result reserve_rows(mica_world *world, const micai_bundle *bundle, uint32_t count)
{
    micai_state *state = world->state;
    micai_slot_capacity room;
    mica_result result = micai_slots_prepare(state->host, &state->slots, count, &room);
    if (result) {
        return result;
    }
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        micai_pool *pool = pool_of(world, bundle, i);
        result = pool ? micai_pool_reserve_slots(&state->pools, pool, room) : MICA_OK;
    }
    result = result ? result : micai_table_reserve(&state->store, bundle->spawn->target, count);
    if (result) {
        micai_slots_cancel(state->host, &state->slots, room);
    } else {
        micai_slots_commit(&state->slots, room);
    }
    return result;
}

// Keeps capacity for `count` more rows of a table.
static void promise_rows(micai_table *table, uint32_t count)
{
    if (table->promised < table->count + count) {
        table->promised = table->count + count;
    }
}

mica_result micai_spawn_reserve(mica_world *world, const micai_bundle *bundle, uint32_t count)
{
    mica_result result = promise_scratch(world, bundle->spawn->target, bundle->count);
    result = result ? result : reserve_pools(world, bundle, count);
    result = result ? result : reserve_rows(world, bundle, count);
    for (uint32_t i = 0; i < bundle->count; i++) {
        micai_pool *pool = pool_of(world, bundle, i);
        if (pool && result) {
            micai_pool_cancel(&world->state->pools, pool);
        } else if (pool) {
            promise_rows(&pool->table, count);
        }
    }
    if (!result) {
        promise_rows(bundle->spawn->target, count);
    }
    return result;
}
