// The order of pools and groups. group.h has the contract.
#include <assert.h>
#include <string.h>

#include "base/canary.h"
#include "base/number.h"
#include "store/pool/group.h"

#define SHORT_RUN 8u // is sorted by insertion

// A value of each pool, side by side.
static void measure_scratch(micai_sorting *s)
{
    s->scratch_align = 1;
    for (uint32_t i = 0; i < s->list_count; i++) {
        const mica_type_info *info = &s->list[i]->type->info;
        uint32_t align = info->align > 0 ? info->align : 1;
        s->offsets[i] = micai_round_up(s->scratch_size, align);
        s->scratch_size = s->offsets[i] + info->size;
        s->scratch_align = align > s->scratch_align ? align : s->scratch_align;
    }
}

mica_result micai_sorting_begin(micai_sorting *s, micai_pools *pools, micai_pool *const *list,
                                uint32_t list_count, uint32_t count)
{
    micai_host *host = pools->gate->host;
    *s = (micai_sorting){.pools = pools, .list_count = list_count, .count = count};
    memcpy(s->list, list, sizeof *list * list_count);
    measure_scratch(s);
    s->from = micai_alloc_array(host, count, sizeof *s->from, _Alignof(uint32_t));
    bool got = s->from || count == 0;
    if (got) {
        s->items = micai_alloc_array(host, count, 2 * sizeof *s->items, _Alignof(mica_sort_item));
        got = s->items || count == 0;
    }
    if (got) {
        s->scratch = micai_alloc(host, s->scratch_size, s->scratch_align);
        got = s->scratch || s->scratch_size == 0;
    }
    s->spare = s->items ? s->items + count : NULL;
    return got ? MICA_OK : MICA_ERROR_MEMORY;
}

void micai_sorting_end(micai_sorting *s)
{
    micai_host *host = s->pools->gate->host;
    mica_sort_item *items = s->items < s->spare ? s->items : s->spare;
    micai_release(host, s->from, sizeof *s->from * s->count, _Alignof(uint32_t));
    micai_release(host, items, 2 * sizeof *items * s->count, _Alignof(mica_sort_item));
    micai_release(host, s->scratch, s->scratch_size, s->scratch_align);
}

// Comparing

static void sort_run(mica_sort_item *items, uint32_t count, mica_compare *compare, void *user)
{
    for (uint32_t i = 1; i < count; i++) {
        mica_sort_item item = items[i];
        uint32_t to = i;
        while (to > 0 && compare(&items[to - 1], &item, user) > 0) {
            items[to] = items[to - 1];
            to--;
        }
        items[to] = item;
    }
}

// Two runs that follow each other become one, elsewhere.
static void merge(mica_sort_item *to, const mica_sort_item *items, uint32_t middle, uint32_t end,
                  mica_compare *compare, void *user)
{
    if (middle == end || compare(&items[middle - 1], &items[middle], user) <= 0) {
        memcpy(to, items, sizeof *to * end);
        return;
    }
    uint32_t a = 0;
    uint32_t b = middle;
    while (a < middle && b < end) {
        *to++ = compare(&items[a], &items[b], user) <= 0 ? items[a++] : items[b++];
    }
    memcpy(to, items + a, sizeof *to * (middle - a));
    memcpy(to + (middle - a), items + b, sizeof *to * (end - b));
}

static uint32_t at_most(uint64_t length, uint32_t rest)
{
    return length < rest ? (uint32_t)length : rest;
}

// Runs of twice the length, until there is one. Stable, and safe whatever the comparisons say.
static void sort_items(micai_sorting *s, mica_compare *compare, void *user)
{
    for (uint64_t run = 0; run < s->count; run += SHORT_RUN) {
        sort_run(s->items + run, at_most(SHORT_RUN, s->count - (uint32_t)run), compare, user);
    }
    for (uint64_t length = SHORT_RUN; length < s->count; length *= 2) {
        for (uint64_t run = 0; run < s->count; run += 2 * length) {
            uint32_t rest = s->count - (uint32_t)run;
            merge(s->spare + run, s->items + run, at_most(length, rest), at_most(2 * length, rest),
                  compare, user);
        }
        mica_sort_item *sorted = s->spare;
        s->spare = s->items;
        s->items = sorted;
    }
}

void micai_sorting_by(micai_sorting *s, const micai_pool *values, mica_compare *compare, void *user)
{
    const micai_pool *pool = s->list[0];
    for (uint32_t place = 0; place < s->count; place++) {
        mica_entity entity = pool->room.entities[place];
        uint32_t at = values == pool ? place : micai_pool_place(values, mica_entity_slot(entity));
        if (MICAI_CANARY("store.sort_place")) {
            at = place;
        }
        s->items[place] = (mica_sort_item){entity, micai_pool_value(values, at)};
    }
    sort_items(s, compare, user);
    for (uint32_t place = 0; place < s->count; place++) {
        s->from[place] = micai_pool_place(pool, mica_entity_slot(s->items[place].entity));
    }
}

// Those that the other has, as it has them; then the others.
void micai_sorting_like(micai_sorting *s, const micai_pool *other)
{
    const micai_pool *pool = s->list[0];
    uint32_t to = 0;
    for (uint32_t place = 0; other && place < other->count; place++) {
        if (!micai_pool_is_hole(other, place)) {
            uint32_t from = micai_pool_place(pool, mica_entity_slot(other->room.entities[place]));
            if (from < s->count) {
                s->from[to++] = from;
            }
        }
    }
    for (uint32_t place = 0; place < s->count; place++) {
        uint32_t slot = mica_entity_slot(pool->room.entities[place]);
        if (!other || micai_pool_place(other, slot) == MICAI_POOL_NONE) {
            s->from[to++] = place;
        }
    }
}

// Moving

static void relocate(const micai_pools *pools, const micai_pool *pool, void *to, void *from)
{
    if (pool->type->info.hooks.move) {
        micai_hook_relocate(pools->gate, pool->type, to, from, 1);
    } else if (pool->view.size > 0) {
        assert(to && from); // what has a value has a place for it
        micai_copy_bytes(to, from, pool->view.size);
    }
}

// Where a value of a pool rests while others turn; NULL where nothing has a value.
static void *resting_place(const micai_sorting *s, uint32_t i)
{
    return s->scratch ? s->scratch + s->offsets[i] : NULL;
}

// What goes with a value.
typedef struct rest {
    unsigned char flag;
    uint64_t changed;
    uint64_t added;
} rest;

static rest rest_of(const micai_pool *pool, uint32_t place)
{
    const micai_pool_room *room = &pool->room;
    return (rest){room->flags ? room->flags[place] : 0, room->changed ? room->changed[place] : 0,
                  room->changed ? room->added[place] : 0};
}

static void settle_at(micai_pool *pool, uint32_t place, mica_entity entity, rest with,
                      uint64_t tick)
{
    pool->room.entities[place] = entity;
    if (MICAI_CANARY("store.sort_flag")) {
        with = rest_of(pool, place);
    }
    if (pool->room.flags) {
        pool->room.flags[place] = with.flag;
    }
    if (pool->room.changed) {
        pool->room.changed[place] = with.changed;
        pool->room.added[place] = with.added;
    }
    *micai_pool_at(pool, mica_entity_slot(entity)) = place + 1;
    micai_pool_touch(pool, place, tick);
}

// What is to be at a place goes there, and so on, until the circle closes.
static void turn(micai_sorting *s, uint32_t start, uint64_t tick)
{
    mica_entity first = s->list[0]->room.entities[start];
    rest rests[MICA_GROUP_TYPES_MAX];
    for (uint32_t i = 0; i < s->list_count; i++) {
        rests[i] = rest_of(s->list[i], start);
        relocate(s->pools, s->list[i], resting_place(s, i), micai_pool_value(s->list[i], start));
    }
    uint32_t hole = start;
    while (s->from[hole] != start) {
        uint32_t from = s->from[hole];
        for (uint32_t i = 0; i < s->list_count; i++) {
            micai_pool *pool = s->list[i];
            relocate(s->pools, pool, micai_pool_value(pool, hole), micai_pool_value(pool, from));
            settle_at(pool, hole, pool->room.entities[from], rest_of(pool, from), tick);
        }
        s->from[hole] = hole;
        hole = from;
    }
    for (uint32_t i = 0; i < s->list_count; i++) {
        relocate(s->pools, s->list[i], micai_pool_value(s->list[i], hole), resting_place(s, i));
        settle_at(s->list[i], hole, first, rests[i], tick);
    }
    s->from[hole] = hole;
}

void micai_sorting_carry_out(micai_sorting *s, uint64_t tick)
{
    for (uint32_t place = 0; place < s->count; place++) {
        if (s->from[place] != place) {
            turn(s, place, tick);
        }
    }
    for (uint32_t i = 0; i < s->list_count; i++) {
        micai_pool_stir(s->pools, s->list[i]);
    }
}
