// Merging. merge_internal.h has the contract.
#include "image/merge_internal.h"

#include <assert.h>
#include <string.h>

#include "base/canary.h"
#include "base/number.h"
#include "entity/change.h"
#include "entity/facet.h"
#include "entity/name.h"
#include "image/image_internal.h"
#include "image/remap_internal.h"
#include "store/table/debug_relocate.h"
#include "store/table/replace.h"
#include "store/table/row.h"

// Visits the pools of the stage, by type number.
#define FOR_POOLS(pool, pools)                                                                     \
    for (uint32_t n_ = 0; n_ < (pools)->by_type.count; n_++)                                       \
        for (micai_pool *pool = (pools)->by_type.items[n_]; pool; pool = NULL)

// Handles

// Returns the handle in the world of an entity on the stage, or null.
static mica_entity find(const micai_merge *m, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&m->staged->slots, entity);
    if (!record) {
        return (mica_entity){0};
    }
    micai_row row = micai_row_of(&m->staged->store, record);
    return m->handles[m->firsts[micai_row_table(row)->id] + micai_row_number(row)];
}

// Remaps a reference of the image. Other references come from a default, and stay.
static mica_entity remap_reference(void *user, mica_entity entity)
{
    micai_merge *m = user;
    bool given = (entity.bits & MICAI_REMAP_MARK) != 0;
    if (MICAI_CANARY("image.default_reference")) {
        given = true;
    }
    if (!given) {
        return entity;
    }
    entity = find(m, (mica_entity){entity.bits & ~MICAI_REMAP_MARK});
    m->stats.lost_references += MICA_IS_NONE(entity);
    return entity;
}

static void remap_all(micai_merge *m, const micai_type *type, void *values, uint32_t count)
{
    if (type->number != m->state->registry.hidden) {
        micai_remap_values(&m->state->registry, type, values, count, remap_reference, m);
        return;
    }
    mica_entity *owners = values;
    assert(owners);
    for (uint32_t i = 0; i < count; i++) {
        owners[i] = find(m, owners[i]);
    }
}

// Numbers the rows of the stage, table after table, and assigns the slots that will be taken next.
static mica_result reserve_handles(micai_merge *m)
{
    micai_host *host = &m->world->host;
    const micai_store *store = &m->staged->store;
    micai_slots *slots = &m->state->slots;
    m->tables = m->state->store.tables.count;
    m->table_count = store->tables.count;
    m->firsts =
        micai_alloc(host, (m->table_count + (size_t)1) * sizeof *m->firsts, _Alignof(uint32_t));
    m->targets = micai_alloc_zeroed(host, (m->table_count + (size_t)1) * sizeof *m->targets,
                                    _Alignof(micai_table *));
    if (!m->firsts || !m->targets) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t id = 0; id < m->table_count; id++) {
        m->firsts[id] = m->row_count;
        m->row_count += store->tables.items[id]->count;
    }
    m->handles =
        micai_alloc(host, (m->row_count + (size_t)1) * sizeof *m->handles, _Alignof(mica_entity));
    mica_result result =
        m->handles ? micai_slots_reserve(host, slots, m->row_count) : MICA_ERROR_MEMORY;
    if (result || m->row_count == 0) {
        return result;
    }
    micai_slot_cursor ahead = micai_slots_peek(slots);
    for (uint32_t i = 0; i < m->row_count; i++) {
        uint32_t tag = micai_slots_at(slots, ahead.slot)->tag & ~MICAI_SLOT_FREE;
        m->handles[i] = (mica_entity){(uint64_t)tag << 32 | ahead.slot};
        if (i + 1 < m->row_count) {
            micai_slots_peek_next(slots, &ahead);
        }
    }
    return MICA_OK;
}

// Reserving

static mica_result reserve_table(micai_merge *m, const micai_table *table)
{
    micai_store *store = &m->state->store;
    mica_type_set set = {0};
    mica_result result = micai_store_set_of(&m->staged->store, table, &set);
    micai_table *target = result ? NULL : micai_store_table(store, &set);
    micai_types_free(&m->world->host, &set);
    if (!target) {
        return result ? result : m->world->host.failed;
    }
    m->targets[table->id] = target;
    uint32_t largest = micai_image_largest(table);
    size_t needed = (size_t)largest * micai_image_rows(largest);
    m->size = needed > m->size ? needed : m->size;
    return micai_table_reserve(store, target, table->count);
}

static mica_result reserve_tables(micai_merge *m)
{
    mica_result result = MICA_OK;
    for (uint32_t id = 0; !result && id < m->table_count; id++) {
        const micai_table *table = m->staged->store.tables.items[id];
        result = table->count > 0 ? reserve_table(m, table) : MICA_OK;
    }
    if (!result && m->size > 0) {
        m->values = micai_alloc(&m->world->host, m->size, MICA_TYPE_ALIGN_MAX);
        result = m->values ? MICA_OK : MICA_ERROR_MEMORY;
    }
    return result;
}

// Returns the target in the world of a link on the stage. Returns none if it is not in the image.
static mica_entity find_target(const micai_merge *m, const micai_pool *pool, uint32_t place)
{
    mica_entity target;
    memcpy(&target, micai_pool_value(pool, place), sizeof target);
    return find(m, (mica_entity){target.bits & ~MICAI_REMAP_MARK});
}

static mica_result reserve_links(const micai_merge *m, const micai_pool *pool)
{
    micai_links *links = m->state->pools.links;
    micai_relation *relation = pool->type->relation;
    mica_result result = links->ops->reserve_seats(links, relation, pool->table.count);
    for (uint32_t place = 0; !result && place < pool->table.count; place++) {
        uint32_t slot = mica_entity_slot(find_target(m, pool, place));
        result = links->ops->reserve_slot(links, relation, slot);
    }
    return result;
}

static mica_result reserve_pool(micai_merge *m, const micai_pool *pool)
{
    micai_pools *pools = &m->state->pools;
    micai_pool *target = micai_pools_open(pools, pool->type);
    mica_result result =
        target ? micai_pool_reserve(pools, target, micai_pool_size(pool)) : MICA_ERROR_MEMORY;
    for (uint32_t place = 0; !result && place < pool->table.count; place++) {
        if (!micai_pool_is_hole(pool, place)) {
            uint32_t slot = mica_entity_slot(find(m, micai_pool_entity(pool, place)));
            result = micai_pool_reserve_slot(pools, target, slot);
        }
    }
    return !result && target->relation ? reserve_links(m, pool) : result;
}

static mica_result reserve_pools(micai_merge *m)
{
    mica_result result = MICA_OK;
    FOR_POOLS(pool, &m->staged->pools)
    {
        result = result || pool->table.count == 0 ? result : reserve_pool(m, pool);
    }
    return result;
}

// Names and facets are added at once. No code reads them before the rows exist.

static mica_result add_name(micai_merge *m, const micai_name *name, bool drop)
{
    if (MICA_IS_NONE(micai_names_find(micai_names_of(m->state), name->text))) {
        return micai_names_set(m->state, find(m, name->entity), name->text);
    }
    m->stats.unnamed++;
    return drop ? MICA_OK
                : micai_fail(&m->world->host, MICA_ERROR_NAME,
                             "%s: an entity here is called '%.80s' already; load it with "
                             "drop_names, or rename one of them",
                             m->call, name->text);
}

static mica_result add_names(micai_merge *m, bool drop)
{
    const micai_names *names = micai_names_of(m->staged);
    mica_result result = MICA_OK;
    while (!result && m->named < names->list.count) {
        result = add_name(m, &names->list.items[m->named], drop);
        m->named += !result;
    }
    return result;
}

// The list has the facets of each owner in their order.
static mica_result add_facets(micai_merge *m)
{
    const micai_facets *facets = micai_facets_of(m->staged);
    mica_result result = MICA_OK;
    while (!result && m->faceted < facets->list.count) {
        const micai_facet *one = &facets->list.items[m->faceted];
        result = micai_facets_revive(m->state, find(m, one->facet), find(m, one->owner),
                                     one->component, one->role);
        m->faceted += !result;
    }
    return result;
}

mica_result micai_merge_reserve(micai_merge *m, mica_world *world, micai_state *staged,
                                const micai_link_orders *orders, const char *call, bool drop_names)
{
    *m = (micai_merge){.world = world,
                       .state = world->state,
                       .staged = staged,
                       .orders = orders,
                       .call = call,
                       .mark = micai_arena_get_mark(&world->scratch)};
    mica_result result = micai_change_begin_set(world, &m->set);
    result = result ? result : reserve_handles(m);
    result = result ? result : reserve_tables(m);
    result = result ? result : reserve_pools(m);
    result = result ? result : add_names(m, drop_names);
    result = result ? result : add_facets(m);
    m->stats.facets = micai_facets_of(staged)->count;
    m->stats.entities = m->row_count - micai_facets_of(staged)->count;
    return result;
}

// Committing

static void move_column(micai_merge *m, micai_cell from, micai_cell to, uint32_t count)
{
    const micai_type *type = from.table->layout.columns[from.column].type;
    micai_store *store = &m->state->store;
    micai_table_kind(from.table, from.column)->give(&m->staged->store, from, m->values, count);
    remap_all(m, type, m->values, count);
    micai_table_kind(to.table, to.column)->take(store, to, m->values, count);
    if (type->info.toggle) {
        micai_replace_flags(store, to, micai_toggle_flags(from), count);
    }
    for (uint32_t i = 0; type->info.row_stamps && i < count; i++) {
        uint64_t now = m->world->view.tick;
        micai_replace_ticks((micai_cell){to.table, to.column, to.row + i}, &now, &now, 1);
    }
}

// Both tables have the same types, and so the same columns.
static void move_rows(micai_merge *m, micai_table *table)
{
    micai_table *target = m->targets[table->id];
    uint32_t first = target->count;
    uint32_t most = micai_image_rows(micai_image_largest(table));
    for (uint32_t row = 0; row < table->count;) {
        uint32_t count = micai_smaller(micai_table_run_length(table, row), most);
        for (uint32_t c = 1; c < table->layout.column_count; c++) {
            move_column(m, (micai_cell){table, c, row}, (micai_cell){target, c, target->count},
                        count);
        }
        micai_row_append_many(&m->state->store, target, count, NULL, m->world->view.tick);
        row += count;
    }
    micai_debug_relocate_from(&m->state->store, target, first);
}

static void join(micai_merge *m, const micai_pool *pool, uint32_t place, micai_pool *target)
{
    micai_pools *pools = &m->state->pools;
    uint32_t to = target->table.count;
    if (pool->index.view.size > 0) {
        void *value = micai_pool_value(target, to);
        micai_hook_relocate(pools->store->gate, pool->type, value, micai_pool_value(pool, place),
                            1);
        remap_all(m, pool->type, value, 1);
    }
    mica_entity entity = find(m, micai_pool_entity(pool, place));
    bool off = pool->type->info.toggle && micai_pool_is_off(pool, place);
    micai_pool_add(pools, target, to, entity, m->world->view.tick);
    if (off) { // a group may have moved it to another row
        uint32_t row = micai_pool_row(target, mica_entity_slot(entity));
        micai_toggle_set(pools->store, micai_pool_cell(target, row), 1, true, m->world->view.tick);
    }
}

// Links the sources of a relation in the order of the image, and those that it does not list behind
// them.
static void seat_links(micai_merge *m, const micai_pool *pool)
{
    micai_links *links = m->state->pools.links;
    micai_relation *relation = pool->type->relation;
    for (uint32_t i = 0; i < m->orders->count; i++) {
        const micai_link_order *order = &m->orders->items[i];
        for (uint32_t s = 0; order->type == pool->type && s < order->sources.count; s++) {
            (void)links->ops->seat(links, relation, find(m, order->sources.items[s]));
        }
    }
    for (uint32_t place = 0; place < pool->table.count; place++) {
        (void)links->ops->seat(links, relation, find(m, micai_pool_entity(pool, place)));
    }
    links->ops->follow(links);
}

// Links whose target is not in the image are lost.
static bool is_lost(micai_merge *m, const micai_pool *pool, uint32_t place)
{
    bool lost = pool->type->relation && MICA_IS_NONE(find_target(m, pool, place));
    m->stats.lost_references += lost;
    return lost;
}

static void move_pool(micai_merge *m, micai_pool *pool)
{
    micai_pool *target = micai_pools_find(&m->state->pools, pool->type->info.type);
    assert(target); // reserve_pool() has opened it
    if (target->relation) {
        m->state->pools.links->ops->suspend(m->state->pools.links);
    }
    for (uint32_t place = 0; place < pool->table.count; place++) {
        if (!micai_pool_is_hole(pool, place) && !is_lost(m, pool, place)) {
            join(m, pool, place, target);
        }
    }
    if (target->relation) {
        seat_links(m, pool);
    }
    micai_pool_relocate(&m->state->pools, target);
    micai_pool_vacate(&m->staged->pools, pool);
}

// The new handle of a pool's entity is found by its row on the stage. So rows of the stage stay
// until all pools are moved.
void micai_merge_commit(micai_merge *m)
{
    micai_store *staged = &m->staged->store;
    for (uint32_t id = 0; id < m->table_count; id++) {
        if (m->targets[id]) {
            move_rows(m, staged->tables.items[id]);
        }
    }
    FOR_POOLS(pool, &m->staged->pools)
    {
        if (pool->table.count > 0) {
            move_pool(m, pool);
        }
    }
    for (uint32_t id = 0; id < m->table_count; id++) {
        micai_table_set_count(staged->tables.items[id], 0); // its values were moved
    }
    micai_store_compact_rings(&m->state->store, m->row_count);
    micai_store_tidy(&m->state->store, m->tables);
}

void micai_merge_notify(micai_merge *m)
{
    micai_notify_spawned(m->world, m->call, m->handles, m->row_count, &m->set);
}

// Ending

// Undoes the last addition first, so that the world's own names and facets are as before.
void micai_merge_cancel(micai_merge *m)
{
    if (!m->world) {
        return;
    }
    while (m->faceted > 0) {
        micai_facets_remove(m->state,
                            find(m, micai_facets_of(m->staged)->list.items[--m->faceted].facet));
    }
    while (m->named > 0) {
        mica_entity entity = find(m, micai_names_of(m->staged)->list.items[--m->named].entity);
        if (MICAI_CANARY("image.names_stay")) {
            continue;
        }
        micai_names_remove(m->state, entity);
    }
}

void micai_merge_end(micai_merge *m)
{
    if (!m->world) {
        return;
    }
    micai_host *host = &m->world->host;
    micai_release(host, m->firsts, (m->table_count + (size_t)1) * sizeof *m->firsts,
                  _Alignof(uint32_t));
    micai_release(host, m->targets, (m->table_count + (size_t)1) * sizeof *m->targets,
                  _Alignof(micai_table *));
    micai_release(host, m->handles, (m->row_count + (size_t)1) * sizeof *m->handles,
                  _Alignof(mica_entity));
    micai_release(host, m->values, m->size, MICA_TYPE_ALIGN_MAX);
    micai_arena_rewind(&m->world->scratch, m->mark);
}

void micai_merge_list(const micai_merge *m, mica_entity *entities_out, uint32_t capacity)
{
    uint32_t listed = 0;
    for (uint32_t id = 0; id < m->table_count && listed < capacity; id++) {
        bool facets = m->targets[id] && m->targets[id]->facet;
        uint32_t end = id + 1 < m->table_count ? m->firsts[id + 1] : m->row_count;
        for (uint32_t i = m->firsts[id]; !facets && i < end && listed < capacity; i++) {
            entities_out[listed++] = m->handles[i];
        }
    }
}
