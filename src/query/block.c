// Layout of the memory of walks, and validation of blocks. filtered_internal.h has the contract.
#include "query/filtered_internal.h"

#include "base/number.h"
#include "query/candidates_internal.h"
#include "query/segment_internal.h"

#define GATHER_BYTES (UINT32_C(1) << 16) // at most this for one term, or one value

static uint32_t count_block_rows(const micai_query *query)
{
    uint32_t size = 1;
    for (uint32_t t = 0; t < query->term_count; t++) {
        size = query->terms[t].size > size ? query->terms[t].size : size;
    }
    uint32_t rows = GATHER_BYTES / size;
    return rows == 0 ? 1 : micai_smaller(rows, MICAI_BLOCK_ROWS);
}

// Reserves space for an array in a block. Returns its offset.
static size_t reserve_space(size_t *size, size_t align, size_t bytes)
{
    size_t offset = micai_round_up(*size, align);
    *size = offset + bytes;
    return offset;
}

// Returns true if some values cannot be copied as bytes and no term is sparse. Then
// every segment is a run of a table.
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
    query->filtered = query->of ? &micai_filtered_sources : query->filtered;
    size_t align = 64;
    size_t size = sizeof(micai_block);
    uint32_t rows = count_block_rows(query);
    for (uint32_t t = 0; t < query->term_count; t++) {
        micai_term *term = &query->terms[t];
        size_t wanted = term->type->info.align > 64 ? term->type->info.align : 64;
        align = wanted > align ? wanted : align;
        uint32_t cells = query->readable >> t & 1 ? rows : 0;
        term->values_offset = reserve_space(&size, wanted, (size_t)cells * term->size);
        term->locations_offset = reserve_space(&size, 64, cells * sizeof(void *));
    }
    query->pinned = is_pinned(query);
    query->block_rows = rows;
    query->block_size = size;
    query->block_align = (uint32_t)align;
}

bool micai_filtered_is_laid_out(const micai_query *query)
{
    micai_query again = *query;
    if (micai_query_is_filtered(query)) {
        micai_filtered_lay_out(&again);
    } else {
        again.pinned = false;
        again.block_rows = again.block_align = 0;
        again.block_size = 0;
    }
    bool right = query->pinned == again.pinned && query->block_rows == again.block_rows &&
                 query->block_size == again.block_size && query->block_align == again.block_align;
    for (uint32_t t = 0; t < MICA_TERMS_MAX; t++) {
        const micai_term *term = &query->terms[t];
        bool laid = micai_query_is_filtered(query) && t < query->term_count;
        right = right && term->values_offset == (laid ? again.terms[t].values_offset : 0) &&
                term->locations_offset == (laid ? again.terms[t].locations_offset : 0);
    }
    return right;
}

// Returns true if the rows are correctly listed, or lie side by side in the driver or the table.
static bool has_rows(const micai_walk *walk, const micai_block *block)
{
    if (block->listed_count > 0) {
        if (block->listed_count > walk->query->block_rows ||
            block->segment_from >= block->listed_count ||
            block->count > block->listed_count - block->segment_from) {
            return false;
        }
        const uint32_t *rows = micai_block_rows(block);
        bool part = block->count < block->listed_count;
        return (!part || (block->run && !walk->query->conditional)) &&
               block->ids == block->entities + block->segment_from && block->first == rows[0] &&
               block->run == (micai_count_consecutive(rows, block->count) == block->count);
    }
    const micai_pool *pool = walk->driver;
    uint32_t end = pool ? micai_candidates_count(walk) : block->table ? block->table->count : 0;
    if (!block->run || block->segment_from > 0 || block->first >= end ||
        block->count > end - block->first) {
        return false;
    }
    const micai_table *table = pool ? &pool->table : block->table;
    return block->ids == micai_segment_entities(table, block->first) &&
           block->count <= micai_segment_contiguous_end(table, block->first, end) - block->first;
}

// Returns true if the known pool rows are correct. If they are consecutive, only the first may be
// stored.
static bool has_pool_rows(const micai_state *state, const micai_query *query,
                          const micai_block *block)
{
    bool right = (block->located & ~(query->sparse & query->readable)) == 0 &&
                 (block->consecutive & ~block->located) == 0 &&
                 (block->located_listed & ~block->located) == 0;
    for (uint64_t rest = right ? block->located : 0; rest != 0; rest &= rest - 1) {
        uint32_t t = micai_bits_lowest(rest);
        const micai_pool *pool = micai_term_pool(state, query, t);
        const uint32_t *pool_rows = micai_block_pool_rows(block, &query->terms[t]);
        bool consecutive = block->consecutive >> t & 1;
        for (uint32_t i = 0; right && i < block->count; i++) {
            uint32_t pool_row = consecutive ? pool_rows[0] + i : pool_rows[i];
            right = pool && micai_pool_row(pool, mica_entity_slot(block->ids[i])) == pool_row;
        }
    }
    return right;
}

bool micai_filtered_is_block_valid(const mica_world *world, const micai_walk *walk)
{
    const micai_query *query = walk->query;
    const micai_block *block = walk->memory;
    if (!block || walk->memory_size < query->block_size ||
        walk->memory_align < query->block_align || block->world != world) {
        return false;
    }
    if (block->count == 0) {
        return !block->table && !block->contiguous;
    }
    bool in_order = (block->write_back & ~block->writable) == 0 &&
                    (block->writable & ~(block->contiguous & query->writable)) == 0 &&
                    ((block->contiguous | block->present) & ~query->readable) == 0;
    bool placed = walk->driver ? !block->table : micai_query_has_table(query, block->table);
    return in_order && placed && has_rows(walk, block) && has_pool_rows(world->state, query, block);
}
