// Where the memory of walks has capacity for what a block may hold, and whether a block is right.
// filtered_internal.h has the contract.
#include "query/filtered_internal.h"

#include "base/number.h"
#include "query/candidates_internal.h"
#include "query/segment_internal.h"

#define GATHER_BYTES (UINT32_C(1) << 16) // of one term, at most, unless one value has more

static uint32_t count_block_rows(const micai_query *query)
{
    uint32_t size = 1;
    for (uint32_t t = 0; t < query->term_count; t++) {
        size = query->terms[t].size > size ? query->terms[t].size : size;
    }
    uint32_t rows = GATHER_BYTES / size;
    return rows == 0 ? 1 : micai_smaller(rows, MICAI_BLOCK_ROWS);
}

// Capacity for an array in a block; returns where it is.
static size_t cut(size_t *size, size_t align, size_t bytes)
{
    size_t offset = micai_round_up(*size, align);
    *size = offset + bytes;
    return offset;
}

// Are there values that must be read where they lie?
static bool is_pinned(const micai_query *query)
{
    bool pinned = false;
    for (uint64_t rest = query->readable; rest != 0; rest &= rest - 1) {
        pinned = pinned || !micai_hook_allows_byte_copy(query->terms[micai_bits_lowest(rest)].type);
    }
    return pinned && !query->sparse;
}

void micai_filtered_lay_out(micai_query *query)
{
    size_t align = 64;
    size_t size = sizeof(micai_block);
    uint32_t rows = count_block_rows(query);
    for (uint32_t t = 0; micai_query_goes_by_rows(query) && t < query->term_count; t++) {
        micai_term *term = &query->terms[t];
        size_t wanted = term->type->info.align > 64 ? term->type->info.align : 64;
        align = wanted > align ? wanted : align;
        uint32_t cells = query->readable >> t & 1 ? rows : 0;
        term->values = cut(&size, wanted, (size_t)cells * term->size);
        term->homes = cut(&size, 64, cells * sizeof(void *));
    }
    query->pinned = is_pinned(query);
    query->block_rows = rows;
    query->block_size = size;
    query->block_align = (uint32_t)align;
}

bool micai_filtered_is_laid_out(const micai_query *query)
{
    micai_query again = *query;
    micai_filtered_lay_out(&again);
    bool right = query->pinned == again.pinned && query->block_rows == again.block_rows &&
                 query->block_size == again.block_size && query->block_align == again.block_align;
    for (uint32_t t = 0; t < MICA_TERMS_MAX; t++) {
        const micai_term *term = &query->terms[t];
        bool laid = micai_query_goes_by_rows(query) && t < query->term_count;
        right = right && term->values == (laid ? again.terms[t].values : 0) &&
                term->homes == (laid ? again.terms[t].homes : 0);
    }
    return right;
}

// Are the rows listed in the block as they should, or do they lie side by side in the driver or the table?
static bool has_rows(const micai_walk *walk, const micai_block *block)
{
    if (block->listed > 0) {
        if (block->listed > walk->query->block_rows || block->from >= block->listed ||
            block->count > block->listed - block->from) {
            return false;
        }
        const uint32_t *rows = micai_block_rows(block);
        bool part = block->count < block->listed;
        return (!part || (block->run && !walk->query->conditional)) &&
               block->ids == block->entities + block->from && block->first == rows[0] &&
               block->run == (micai_numbers_run(rows, block->count) == block->count);
    }
    const micai_pool *pool = walk->driver;
    uint32_t end = pool ? micai_candidates_end(walk) : block->table ? block->table->count : 0;
    if (!block->run || block->from > 0 || block->first >= end ||
        block->count > end - block->first) {
        return false;
    }
    const micai_table *table = pool ? &pool->table : block->table;
    return block->ids == micai_segment_entities(table, block->first) &&
           block->count <= micai_segment_reach(table, block->first, end) - block->first;
}

// Are the rows in pools that are known right? Of those that follow each other, the first may be all
// that is known.
static bool has_places(const micai_state *state, const micai_query *query, const micai_block *block)
{
    bool right = (block->placed & ~(query->sparse & query->readable)) == 0 &&
                 (block->straight & ~block->placed) == 0 && (block->noted & ~block->placed) == 0;
    for (uint64_t rest = right ? block->placed : 0; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_pool *pool = micai_term_pool(state, query, t);
        const uint32_t *places = micai_block_places(block, &query->terms[t]);
        bool straight = block->straight >> t & 1;
        for (uint32_t i = 0; right && i < block->count; i++) {
            uint32_t place = straight ? places[0] + i : places[i];
            right = pool && micai_pool_row(pool, mica_entity_slot(block->ids[i])) == place;
        }
    }
    return right;
}

bool micai_filtered_is_block(const mica_world *world, const micai_walk *walk)
{
    const micai_query *query = walk->query;
    const micai_block *block = walk->memory;
    if (!block || walk->memory_size < query->block_size ||
        walk->memory_align < query->block_align || block->world != world) {
        return false;
    }
    if (block->count == 0) {
        return !block->table && !block->gathered;
    }
    bool in_order = (block->written & ~block->touched) == 0 &&
                    (block->touched & ~(block->gathered & query->writable)) == 0 &&
                    ((block->gathered | block->present) & ~query->readable) == 0;
    bool placed = walk->driver ? !block->table : micai_query_has_table(query, block->table);
    return in_order && placed && has_rows(walk, block) && has_places(world->state, query, block);
}
