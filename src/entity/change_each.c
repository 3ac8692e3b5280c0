// Plans for many entities that are not whole tables: one type more or less for each of them, or
// another value. plan.h has the contract.
//
// First all values are made, in raw rows or in a pool, and the copies that will overwrite others; then
// everybody moves.
#include <stdlib.h>

#include "entity/change.h"
#include "entity/copies.h"
#include "entity/locate.h"
#include "store/table/debug_relocate.h"

// Entities of one table, which follow each other in the list, and the edge they go along.
typedef struct party {
    const micai_transition *t;
    uint32_t count;
    uint32_t column; // in the target, of the values that were made; 0: none
} party;

typedef struct each {
    mica_world *world;
    const char *call;
    const micai_type *type;
    const void *data; // NULL: the default
    bool remove;
    mica_entity *movers; // who lack the type, or have it to lose it
    uint32_t mover_count;
    mica_entity *stayers; // who have it, and get another value
    uint32_t stayer_count;
    micai_copies copies;
    micai_pool *pool; // of the type; NULL: it has none
    party *parties;
    uint32_t party_count;
    const mica_entity *entities; // all of them, as they were listed
    uint32_t count;
    bool told; // observers are
    micai_tidings tidings;
    bool *moves;       // by place in the list: does the type come, or go?
    uint64_t *matched; // for each of them: tidings.h
    micai_listed_peers peers;
} each;

static micai_living living(const each *all, mica_entity entity)
{
    return (micai_living){entity,
                          micai_slots_at(&all->world->state->slots, mica_entity_slot(entity))};
}

static micai_table *table_of(const each *all, mica_entity entity)
{
    return micai_row_table(micai_row_of(&all->world->state->store, living(all, entity).record));
}

static void *cut(const each *all, uint32_t count, size_t size)
{
    return micai_arena_alloc_array(&all->world->host, &all->world->scratch, count, size,
                                   _Alignof(max_align_t));
}

// Who moves, and who stays.
static mica_result sort_out(each *all, const mica_entity *entities, uint32_t count)
{
    all->movers = cut(all, count, sizeof *all->movers);
    all->stayers = all->movers ? cut(all, count, sizeof *all->stayers) : NULL;
    if (!all->stayers) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool has = micai_value_has(all->world->state, living(all, entities[i]), all->type);
        if (has == all->remove) {
            all->movers[all->mover_count++] = entities[i];
        } else if (all->data) {
            all->stayers[all->stayer_count++] = entities[i];
        }
    }
    return MICA_OK;
}

// Overwriting

static void commit_stayers(each *all)
{
    for (uint32_t i = 0; i < all->stayer_count; i++) {
        micai_value value =
            micai_value_find(all->world->state, living(all, all->stayers[i]), all->type);
        micai_value_replace(all->world, value, micai_copies_take(&all->copies));
    }
}

// Pools

static mica_result reserve_pool(each *all)
{
    micai_pools *pools = &all->world->state->pools;
    all->pool = micai_pools_open(pools, all->type);
    if (!all->pool) {
        return MICA_ERROR_MEMORY;
    }
    if (all->remove) {
        return MICA_OK;
    }
    mica_result result = micai_pool_reserve(pools, all->pool, all->mover_count);
    for (uint32_t i = 0; !result && i < all->mover_count; i++) {
        result = micai_pool_reserve_slot(pools, all->pool, mica_entity_slot(all->movers[i]));
    }
    return result ? result
                  : micai_pool_construct(pools, all->pool, all->pool->table.count, all->mover_count,
                                         all->data, 0);
}

static void commit_pool(each *all)
{
    micai_pools *pools = &all->world->state->pools;
    uint64_t tick = all->world->view.tick;
    for (uint32_t i = 0; i < all->mover_count; i++) {
        if (all->remove) {
            micai_pool_remove(pools, all->pool, mica_entity_slot(all->movers[i]), tick);
        } else {
            micai_pool_add(pools, all->pool, all->pool->table.count, all->movers[i], tick);
        }
    }
    micai_pool_relocate(pools, all->pool);
}

// Tables

typedef struct seat {
    mica_entity entity;
    uint32_t table;
    uint32_t row;
} seat;

static int compare_seats(const void *a, const void *b)
{
    const seat *x = a;
    const seat *y = b;
    return x->table != y->table ? (x->table < y->table ? -1 : 1)
                                : (x->row > y->row) - (x->row < y->row);
}

// By tables, in the order of their rows.
static mica_result seat_movers(each *all)
{
    seat *seats = cut(all, all->mover_count, sizeof *seats);
    if (!seats) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < all->mover_count; i++) {
        micai_row row = micai_row_of(&all->world->state->store, living(all, all->movers[i]).record);
        seats[i] = (seat){all->movers[i], micai_row_table(row)->id, micai_row_number(row)};
    }
    qsort(seats, all->mover_count, sizeof *seats, compare_seats);
    for (uint32_t i = 0; i < all->mover_count; i++) {
        all->movers[i] = seats[i].entity;
    }
    return MICA_OK;
}

static mica_result reserve_party(each *all, micai_table *source, party *one)
{
    micai_store *store = &all->world->state->store;
    one->t = micai_transition_one(store, source, all->type, all->remove);
    if (!one->t) {
        return all->world->host.failed;
    }
    micai_table *target = one->t->target;
    mica_result result = micai_table_reserve(store, target, one->count);
    uint32_t column = all->remove ? 0 : micai_table_column(target, all->type->number);
    if (!result && column) {
        result = micai_table_kind(target, column)
                     ->make(store, micai_row_next(target, column), one->count, all->data, 0);
        one->column = result ? 0 : column;
    }
    return result;
}

static mica_result reserve_parties(each *all)
{
    mica_result result = seat_movers(all);
    all->parties = result ? NULL : cut(all, all->mover_count, sizeof *all->parties);
    if (!all->parties) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; !result && i < all->mover_count;) {
        micai_table *source = table_of(all, all->movers[i]);
        party *one = &all->parties[all->party_count++];
        *one = (party){0};
        for (; i < all->mover_count && table_of(all, all->movers[i]) == source; i++) {
            one->count++;
        }
        result = reserve_party(all, source, one);
    }
    return result;
}

static void commit_parties(each *all)
{
    micai_state *state = all->world->state;
    const mica_entity *entity = all->movers;
    for (uint32_t i = 0; i < all->party_count; i++) {
        const party *one = &all->parties[i];
        for (uint32_t n = 0; n < one->count; n++, entity++) {
            micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(*entity));
            micai_row_move(&state->store, one->t, micai_row_of(&state->store, record), record,
                           all->world->view.tick);
        }
        micai_stir_from(&state->store, one->t->source, 0);
        micai_stir_from(&state->store, one->t->target, 0);
    }
    micai_store_tidy(&state->store);
}

// Observers

static mica_result reserve_tidings(each *all)
{
    mica_world *world = all->world;
    all->told = world->state->observers > 0 && micai_watches(all->type, MICAI_WATCH_CHANGES);
    if (!all->told) {
        return MICA_OK;
    }
    all->tidings = micai_tidings_begin(world, all->call);
    all->tidings.one = all->type;
    all->tidings.is_peer = micai_tidings_is_listed;
    all->tidings.peers = &all->peers;
    all->moves = cut(all, all->count, sizeof *all->moves);
    all->peers = (micai_listed_peers){all->entities, all->moves, all->count};
    mica_result result = all->moves ? MICA_OK : MICA_ERROR_MEMORY;
    result = result ? result : micai_tidings_reserve(world, all->count, &all->matched);
    for (uint32_t i = 0; !result && i < all->count; i++) {
        bool has = micai_value_has(world->state, living(all, all->entities[i]), all->type);
        all->moves[i] = has == all->remove;
    }
    return result;
}

// Of kinds that come before, or after.
static void tell(each *all, uint32_t kinds)
{
    uint32_t words = micai_tidings_words(all->world->state);
    for (uint32_t i = 0; i < all->count; i++) {
        micai_tidings *tidings = &all->tidings;
        tidings->who = living(all, all->entities[i]);
        tidings->comes = all->moves[i] && !all->remove;
        tidings->goes = all->moves[i] && all->remove;
        tidings->given = all->data != NULL;
        tidings->matched = all->matched ? all->matched + (size_t)i * words : NULL;
        if (tidings->comes || tidings->goes || tidings->given) {
            micai_tidings_tell(all->world, tidings, kinds);
        }
    }
}

// Ends what was made, if not all of it could be.
static void undo(each *all)
{
    micai_state *state = all->world->state;
    for (uint32_t i = 0; all->parties && i < all->party_count; i++) {
        const party *one = &all->parties[i];
        if (one->column) {
            micai_table *target = one->t->target;
            micai_table_kind(target, one->column)
                ->end(&state->store, micai_row_next(target, one->column), one->count);
        }
    }
}

static mica_result carry_out(each *all, const mica_entity *entities, uint32_t count)
{
    bool pooled = micai_pool_keeps(all->type);
    mica_result result = reserve_tidings(all);
    result = result ? result : sort_out(all, entities, count);
    result = result ? result
                    : micai_copies_make(&all->copies, all->world, all->type, all->data,
                                        all->stayer_count);
    result = result ? result : pooled ? reserve_pool(all) : reserve_parties(all);
    if (result) {
        undo(all);
    } else {
        if (all->told) {
            tell(all, MICAI_WATCH_BEFORE);
        }
        commit_stayers(all);
        if (pooled) {
            commit_pool(all);
        } else {
            commit_parties(all);
        }
        if (all->told) {
            tell(all, MICAI_WATCH_AFTER);
        }
    }
    micai_copies_free(&all->copies);
    return result;
}

bool micai_change_moves_tables(const micai_type *type)
{
    return !micai_pool_keeps(type) && !micai_watches(type, MICAI_WATCH_CHANGES);
}

mica_result micai_change_each(mica_world *world, const char *call, const mica_entity *entities,
                              uint32_t count, const micai_type *type, bool remove, const void *data)
{
    each all = {.world = world,
                .call = call,
                .type = type,
                .remove = remove,
                .entities = entities,
                .count = count};
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    micai_copies aside; // the data may lie in the world, and move when room is made
    mica_result result = micai_copies_make(&aside, world, type, data, data ? 1 : 0);
    if (!result) {
        all.data = aside.block;
        result = carry_out(&all, entities, count);
        micai_copies_free(&aside);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}
