// The hash and the digest of all entities. digest.h has the contract.
//
// Both go through tables and pools column by column, and look up no entity.
#include "entity/digest.h"

#include "base/canary.h"
#include "base/number.h"
#include "core/hash_term.h"
#include "entity/facet.h"
#include "entity/name.h"
#include "store/pool/pool.h"
#include "store/table/digest.h"

// The hash

// Sums the terms of `count` rows with adjacent values. `copy` has space for a value that is not whole.
static uint64_t hash_values(micai_state *state, micai_cell cell, const micai_type *type,
                            uint32_t count, const unsigned char *data, void *copy)
{
    uint64_t sum = 0;
    for (uint32_t end = cell.row + count; cell.row < end; cell.row++) {
        mica_entity entity = micai_table_entity(cell.table, cell.row);
        if (!micai_is_hole(entity)) {
            if (copy) {
                (void)micai_table_kind(cell.table, cell.column)->load(&state->store, cell, copy);
            }
            bool on = !type->info.toggle || MICAI_CANARY("entity.hash_disabled") ||
                      !micai_toggle_is_off(cell);
            sum += micai_hash_pair(&state->registry, type, entity, copy ? copy : data, on);
        }
        data = data ? data + type->info.size : NULL;
    }
    return sum;
}

// Sums the terms of a type in a table or pool. A tag may have no column: column 0. Returns false,
// reported, if there is no memory for a copy of a value.
static bool hash_column(mica_world *world, const char *call, micai_table *table, uint32_t column,
                        const micai_type *type, micai_sums *to)
{
    const micai_kind *kind = micai_table_kind(table, column);
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    micai_cell cell = {table, column, 0};
    void *copy = NULL;
    if (type->info.size > 0 && table->count > 0 && !kind->read(cell).data) {
        micai_host_begin(&world->host, call);
        copy = micai_arena_alloc(&world->host, &world->scratch, type->info.size, type->info.align);
        micai_host_end(&world->host);
        if (!copy) {
            return false;
        }
    }
    for (uint32_t count; cell.row < table->count; cell.row += count) {
        count = table->count - cell.row;
        micai_span values =
            type->info.size > 0 && !copy ? kind->read(cell) : (micai_span){NULL, count};
        count = micai_smaller(values.count, count);
        micai_sums_add(to, MICAI_SUM_TYPES + type->number,
                       hash_values(world->state, cell, type, count, values.data, copy));
    }
    micai_arena_rewind(&world->scratch, mark);
    return true;
}

static bool hash_table(mica_world *world, const char *call, micai_table *table, micai_sums *to)
{
    const micai_registry *types = &world->state->registry;
    for (uint32_t row = 0; row < table->count; row++) {
        micai_sums_add(to, MICAI_SUM_ENTITIES, micai_hash_alive(micai_table_entity(table, row)));
    }
    bool done = true;
    for (uint32_t n = micai_bits_next(table->words, table->word_count, 0);
         done && n != MICAI_BITS_END; n = micai_bits_next(table->words, table->word_count, n + 1)) {
        done = n == types->hidden || hash_column(world, call, table, micai_table_column(table, n),
                                                 types->list.items[n], to);
    }
    return done;
}

static uint64_t hash_names(const micai_names *names)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < names->list.count; i++) {
        sum += micai_hash_name(names->list.items[i].entity, names->list.items[i].hash);
    }
    return sum;
}

static bool is_facet(const micai_facet *facet)
{
    return facet->facet.bits != 0;
}

mica_result micai_entities_hash(mica_world *world, const char *call, micai_sums *to)
{
    const micai_state *state = world->state;
    micai_sums_add(to, MICAI_SUM_NAMES, hash_names(micai_names_of(state)));
    const micai_facets *facets = micai_facets_of(state);
    for (uint32_t i = 0; i < facets->list.count; i++) {
        const micai_facet *facet = &facets->list.items[i];
        micai_sums_add(to, MICAI_SUM_FACETS,
                       is_facet(facet) ? micai_facet_hash(&state->registry, facet) : 0);
    }
    bool done = true;
    for (uint32_t id = 0; done && id < state->store.tables.count; id++) {
        done = hash_table(world, call, state->store.tables.items[id], to);
    }
    for (uint32_t i = 0; done && i < state->pools.list.count; i++) {
        micai_pool *pool = state->pools.list.items[i];
        done = !pool || hash_column(world, call, &pool->table, pool->column, pool->type, to);
    }
    return done ? MICA_OK : MICA_ERROR_MEMORY;
}

void micai_resources_hash(const micai_state *state, micai_sums *to)
{
    for (uint32_t n = 0; n < state->resources.count; n++) {
        const void *value = state->resources.items[n].value;
        if (value) {
            micai_sums_add(
                to, MICAI_SUM_TYPES + n,
                micai_hash_resource(&state->registry, state->registry.list.items[n], value));
        }
    }
}

// The digest

// Combines the names of the table's types with their columns, so that the order of registration has no
// effect. Includes empty tables, because they have a place in the order of iteration.
static uint64_t digest_table(const micai_state *state, const micai_table *table)
{
    uint64_t sum = 0;
    for (uint32_t n = micai_bits_next(table->words, table->word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(table->words, table->word_count, n + 1)) {
        sum += micai_hash_mix(state->registry.list.items[n]->name_hash);
    }
    for (uint32_t column = 0; table->count > 0 && column < table->layout.column_count; column++) {
        const micai_type *type = table->layout.columns[column].type;
        micai_hash_stream digest;
        micai_hash_begin(&digest);
        micai_digest_ticks(&digest, table, column);
        micai_digest_cells(&digest, &state->registry, table, column);
        sum += micai_hash_add(type ? type->name_hash : 0, micai_hash_end(&digest));
    }
    return sum;
}

uint64_t micai_entities_digest(const micai_state *state)
{
    uint64_t hash = hash_names(micai_names_of(state));
    const micai_facets *facets = micai_facets_of(state);
    for (uint32_t i = 0; i < facets->list.count; i++) {
        const micai_facet *facet = &facets->list.items[i];
        if (is_facet(facet)) {
            uint64_t next = micai_facets_next(facets, facet->facet).bits; // the owner's order
            hash += micai_hash_add(micai_facet_hash(&state->registry, facet), next);
        }
    }
    for (uint32_t id = 0; id < state->store.tables.count; id++) {
        hash = micai_hash_add(hash, digest_table(state, state->store.tables.items[id]));
    }
    return micai_pools_digest(&state->pools, &state->registry, hash);
}
