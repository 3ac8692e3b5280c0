// What a query with sparse terms asks of presence, and where the memory of its walks has room: worked out when
// it is compiled. mixed_internal.h has the contract.
#include "query/mixed_internal.h"

#include "base/number.h"

#define GATHER_BYTES (UINT32_C(1) << 16) // of one term, at most, unless one value has more

static micai_sieve *find_sieve(mica_world *world, micai_query *query, uint32_t word)
{
    for (uint32_t i = 0; i < query->sieves.count; i++) {
        if (query->sieves.items[i].word == word) {
            return &query->sieves.items[i];
        }
    }
    if (!micai_array_reserve(&world->host, &query->sieves, 1)) {
        return NULL;
    }
    micai_sieve *sieve = &query->sieves.items[query->sieves.count++];
    *sieve = (micai_sieve){.word = word};
    return sieve;
}

mica_result micai_mixed_add(mica_world *world, micai_query *query, uint32_t term, micai_use use)
{
    const micai_type *type = query->terms[term].type;
    micai_sieve *sieve = find_sieve(world, query, type->sparse / 64);
    if (!sieve) {
        return MICA_ERROR_MEMORY;
    }
    uint64_t bit = UINT64_C(1) << (type->sparse % 64);
    sieve->needed |= use.needed ? bit : 0;
    sieve->forbidden |= use.forbidden ? bit : 0;
    sieve->any |= use.any ? bit : 0;
    sieve->varying |= use.read && !use.needed && type->info.size > 0 ? bit : 0;
    query->loose |= UINT64_C(1) << term;
    query->loose_any = query->loose_any || use.any;
    return MICA_OK;
}

static uint32_t block_rows(const micai_query *query)
{
    uint32_t size = 1;
    for (uint32_t t = 0; t < query->term_count; t++) {
        size = query->terms[t].size > size ? query->terms[t].size : size;
    }
    uint32_t rows = GATHER_BYTES / size;
    return rows == 0 ? 1 : rows > MICAI_BLOCK_ROWS ? MICAI_BLOCK_ROWS : rows;
}

// Room for an array in a block; returns where it is.
static size_t cut(size_t *size, size_t align, size_t bytes)
{
    size_t offset = micai_round_up(*size, align);
    *size = offset + bytes;
    return offset;
}

static bool is_plain(const micai_query *query)
{
    bool plain = true;
    for (uint64_t rest = query->loose; rest != 0; rest &= rest - 1) {
        plain = plain && micai_query_use(query->terms[micai_bits_lowest(rest)].access).needed;
    }
    plain = plain && (query->loose & query->timed) == 0;
    return plain && micai_bits_ones(query->loose) <= MICAI_PLAIN_MAX;
}

void micai_mixed_lay_out(micai_query *query)
{
    size_t align = 64;
    size_t size = sizeof(micai_block);
    uint32_t rows = block_rows(query);
    for (uint32_t t = 0; micai_query_goes_by_rows(query) && t < query->term_count; t++) {
        micai_term *term = &query->terms[t];
        size_t wanted = term->type->info.align > 64 ? term->type->info.align : 64;
        align = wanted > align ? wanted : align;
        uint32_t cells = query->readable >> t & 1 ? rows : 0;
        term->values = cut(&size, wanted, (size_t)cells * term->size);
        term->homes = cut(&size, 64, cells * sizeof(void *));
    }
    query->plain = is_plain(query);
    query->block_rows = rows;
    query->block_size = size;
    query->block_align = (uint32_t)align;
}

bool micai_mixed_is_right(const micai_query *query)
{
    uint64_t loose = 0;
    bool any = false;
    bool right = true;
    uint32_t bits = 0; // set in all sieves, and not accounted for
    for (uint32_t t = 0; right && t < query->term_count; t++) {
        const micai_type *type = query->terms[t].type;
        if (!micai_mixed_is_loose(type)) {
            continue;
        }
        micai_use use = micai_query_use(query->terms[t].access);
        const micai_sieve *sieve = NULL;
        for (uint32_t i = 0; i < query->sieves.count; i++) {
            sieve =
                query->sieves.items[i].word == type->sparse / 64 ? &query->sieves.items[i] : sieve;
        }
        uint64_t bit = UINT64_C(1) << (type->sparse % 64);
        bool varies = use.read && !use.needed && type->info.size > 0;
        right = sieve && !(sieve->needed & bit) == !use.needed &&
                !(sieve->forbidden & bit) == !use.forbidden && !(sieve->any & bit) == !use.any &&
                !(sieve->varying & bit) == !varies;
        bits += (uint32_t)(use.needed + use.forbidden + use.any + varies);
        loose |= UINT64_C(1) << t;
        any = any || use.any;
    }
    for (uint32_t i = 0; right && i < query->sieves.count; i++) {
        const micai_sieve *sieve = &query->sieves.items[i];
        bits -= micai_bits_ones(sieve->needed) + micai_bits_ones(sieve->forbidden) +
                micai_bits_ones(sieve->any) + micai_bits_ones(sieve->varying);
    }
    return right && bits == 0 && loose == query->loose && any == query->loose_any;
}

bool micai_mixed_is_laid_out(const micai_query *query)
{
    micai_query again = *query;
    micai_mixed_lay_out(&again);
    bool right = query->plain == again.plain && query->block_rows == again.block_rows &&
                 query->block_size == again.block_size && query->block_align == again.block_align;
    for (uint32_t t = 0; t < MICA_TERMS_MAX; t++) {
        const micai_term *term = &query->terms[t];
        bool laid = micai_query_goes_by_rows(query) && t < query->term_count;
        right = right && term->values == (laid ? again.terms[t].values : 0) &&
                term->homes == (laid ? again.terms[t].homes : 0);
    }
    return right;
}
