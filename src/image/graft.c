// Grafting. graft.h has the contract.
#include "image/graft.h"

#include <assert.h>
#include <string.h>

#include "base/canary.h"
#include "entity/change.h"
#include "entity/facet.h"
#include "entity/name.h"
#include "image/image.h"
#include "image/refer.h"
#include "store/table/debug_relocate.h"
#include "store/table/replace.h"
#include "store/table/row.h"

// Of an index over pools of the stage.
#define FOR_POOLS(pool, pools)                                                                     \
    for (uint32_t n_ = 0; n_ < (pools)->by_type.count; n_++)                                       \
        for (micai_pool *pool = (pools)->by_type.items[n_]; pool; pool = NULL)

// Handles

// What an entity of the stage is in the world; none: it is not on the stage.
static mica_entity find(const micai_graft *g, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&g->made->slots, entity);
    if (!record) {
        return mica_entity_none();
    }
    micai_row row = micai_row_of(&g->made->store, record);
    return g->handles[g->firsts[micai_row_table(row)->id] + micai_row_number(row)];
}

// A reference that the image has; others are of a default, and lead to entities of the world.
static mica_entity follow(void *user, mica_entity entity)
{
    micai_graft *g = user;
    bool given = (entity.bits & MICAI_REFER_MARK) != 0;
    if (MICAI_CANARY("image.default_reference")) {
        given = true;
    }
    if (!given) {
        return entity;
    }
    entity = find(g, (mica_entity){entity.bits & ~MICAI_REFER_MARK});
    g->part.cut += mica_entity_is_none(entity);
    return entity;
}

static void follow_all(micai_graft *g, const micai_type *type, void *values, uint32_t count)
{
    if (type->number != g->state->registry.hidden) {
        micai_refer_follow(&g->state->registry, type, values, count, follow, g);
        return;
    }
    mica_entity *owners = values;
    assert(owners);
    for (uint32_t i = 0; i < count; i++) {
        owners[i] = find(g, owners[i]);
    }
}

// Rows of the stage are numbered, tables one after the other, and get the slots that are taken next.
static mica_result reserve_handles(micai_graft *g)
{
    micai_host *host = &g->world->host;
    const micai_store *store = &g->made->store;
    micai_slots *slots = &g->state->slots;
    g->table_count = store->tables.count;
    g->firsts =
        micai_alloc(host, (g->table_count + (size_t)1) * sizeof *g->firsts, _Alignof(uint32_t));
    g->targets = micai_alloc_zeroed(host, (g->table_count + (size_t)1) * sizeof *g->targets,
                                    _Alignof(micai_table *));
    if (!g->firsts || !g->targets) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t id = 0; id < g->table_count; id++) {
        g->firsts[id] = g->row_count;
        g->row_count += store->tables.items[id]->count;
    }
    g->handles =
        micai_alloc(host, (g->row_count + (size_t)1) * sizeof *g->handles, _Alignof(mica_entity));
    mica_result result =
        g->handles ? micai_slots_reserve(host, slots, g->row_count) : MICA_ERROR_MEMORY;
    if (result || g->row_count == 0) {
        return result;
    }
    micai_slot_ahead ahead = micai_slots_look_ahead(slots);
    for (uint32_t i = 0; i < g->row_count; i++) {
        uint32_t tag = micai_slots_at(slots, ahead.slot)->tag & ~MICAI_SLOT_FREE;
        g->handles[i] = (mica_entity){(uint64_t)tag << 32 | ahead.slot};
        if (i + 1 < g->row_count) {
            micai_slots_look_on(slots, &ahead);
        }
    }
    return MICA_OK;
}

// Room

static mica_result reserve_table(micai_graft *g, const micai_table *table)
{
    micai_store *store = &g->state->store;
    mica_types set = {0};
    mica_result result = micai_store_set_of(&g->made->store, table, &set);
    micai_table *target = result ? NULL : micai_store_table(store, &set);
    micai_types_free(&g->world->host, &set);
    if (!target) {
        return result ? result : g->world->host.failed;
    }
    g->targets[table->id] = target;
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        uint32_t size = micai_column_value_size(&table->layout.columns[c]);
        size_t needed = (size_t)size * micai_image_rows(size);
        g->size = needed > g->size ? needed : g->size;
    }
    return micai_table_reserve(store, target, table->count);
}

static mica_result reserve_tables(micai_graft *g)
{
    mica_result result = MICA_OK;
    for (uint32_t id = 0; !result && id < g->table_count; id++) {
        const micai_table *table = g->made->store.tables.items[id];
        result = table->count > 0 ? reserve_table(g, table) : MICA_OK;
    }
    if (!result && g->size > 0) {
        g->values = micai_alloc(&g->world->host, g->size, MICA_TYPE_ALIGN_MAX);
        result = g->values ? MICA_OK : MICA_ERROR_MEMORY;
    }
    return result;
}

static mica_result reserve_pool(micai_graft *g, const micai_pool *pool)
{
    micai_pools *pools = &g->state->pools;
    micai_pool *target = micai_pools_open(pools, pool->type);
    mica_result result =
        target ? micai_pool_reserve(pools, target, micai_pool_size(pool)) : MICA_ERROR_MEMORY;
    for (uint32_t place = 0; !result && place < pool->table.count; place++) {
        if (!micai_pool_is_hole(pool, place)) {
            uint32_t slot = mica_entity_slot(find(g, micai_pool_entity(pool, place)));
            result = micai_pool_reserve_slot(pools, target, slot);
        }
    }
    return result;
}

static mica_result reserve_pools(micai_graft *g)
{
    mica_result result = MICA_OK;
    FOR_POOLS(pool, &g->made->pools)
    {
        result = result || pool->table.count == 0 ? result : reserve_pool(g, pool);
    }
    return result;
}

// What is kept beside rows becomes known at once; nobody looks before the rows are there.

static mica_result add_name(micai_graft *g, const micai_name *name, bool drop)
{
    if (mica_entity_is_none(micai_names_find(micai_names_of(g->state), name->text))) {
        return micai_names_set(g->state, find(g, name->entity), name->text);
    }
    g->part.unnamed++;
    return drop ? MICA_OK
                : micai_fail(&g->world->host, MICA_ERROR_NAME,
                             "%s: an entity here is called '%.80s' already; load it with "
                             "drop_names, or rename one of them",
                             g->call, name->text);
}

static mica_result add_names(micai_graft *g, bool drop)
{
    const micai_names *names = micai_names_of(g->made);
    mica_result result = MICA_OK;
    while (!result && g->named < names->list.count) {
        result = add_name(g, &names->list.items[g->named], drop);
        g->named += !result;
    }
    return result;
}

// The list has them in the order in which each owner got them.
static mica_result add_facets(micai_graft *g)
{
    const micai_facets *facets = micai_facets_of(g->made);
    mica_result result = MICA_OK;
    while (!result && g->faceted < facets->list.count) {
        const micai_facet *one = &facets->list.items[g->faceted];
        result = micai_facets_revive(g->state, find(g, one->facet), find(g, one->owner),
                                     one->component, one->role);
        g->faceted += !result;
    }
    return result;
}

mica_result micai_graft_reserve(micai_graft *g, mica_world *world, micai_state *made,
                                const char *call, bool drop_names)
{
    *g = (micai_graft){.world = world,
                       .state = world->state,
                       .made = made,
                       .call = call,
                       .mark = micai_arena_here(&world->scratch)};
    mica_result result = micai_change_begin_set(world, &g->set);
    result = result ? result : reserve_handles(g);
    result = result ? result : reserve_tables(g);
    result = result ? result : reserve_pools(g);
    result = result ? result : add_names(g, drop_names);
    result = result ? result : add_facets(g);
    g->part.facets = micai_facets_of(made)->count;
    g->part.entities = g->row_count - micai_facets_of(made)->count;
    return result;
}

// Committing

static void move_column(micai_graft *g, micai_cell from, micai_cell to, uint32_t count)
{
    const micai_type *type = from.table->layout.columns[from.column].type;
    micai_store *store = &g->state->store;
    micai_table_kind(from.table, from.column)->give(&g->made->store, from, g->values, count);
    follow_all(g, type, g->values, count);
    micai_table_kind(to.table, to.column)->take(store, to, g->values, count);
    if (type->info.toggle) {
        micai_replace_flags(store, to, micai_toggle_flags(from), count);
    }
    for (uint32_t i = 0; type->info.row_stamps && i < count; i++) {
        uint64_t now = g->world->view.tick;
        micai_replace_ticks((micai_cell){to.table, to.column, to.row + i}, &now, &now, 1);
    }
}

// Both tables have the same types, and so the same columns.
static void move_rows(micai_graft *g, micai_table *table)
{
    micai_table *target = g->targets[table->id];
    uint32_t first = target->count;
    uint32_t largest = 0;
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        uint32_t size = micai_column_value_size(&table->layout.columns[c]);
        largest = size > largest ? size : largest;
    }
    for (uint32_t row = 0; row < table->count;) {
        uint32_t most = micai_image_rows(largest);
        uint32_t count = micai_table_stretch(table, row);
        count = count < most ? count : most;
        for (uint32_t c = 1; c < table->layout.column_count; c++) {
            move_column(g, (micai_cell){table, c, row}, (micai_cell){target, c, target->count},
                        count);
        }
        micai_row_append_many(&g->state->store, target, count, NULL, g->world->view.tick);
        row += count;
    }
    micai_stir_from(&g->state->store, target, first);
}

static void join(micai_graft *g, const micai_pool *pool, uint32_t place, micai_pool *target)
{
    micai_pools *pools = &g->state->pools;
    uint32_t to = target->table.count;
    if (pool->index.view.size > 0) {
        void *value = micai_pool_value(target, to);
        micai_hook_relocate(pools->store->gate, pool->type, value, micai_pool_value(pool, place),
                            1);
        follow_all(g, pool->type, value, 1);
    }
    mica_entity entity = find(g, micai_pool_entity(pool, place));
    bool off = pool->type->info.toggle && micai_pool_is_off(pool, place);
    micai_pool_add(pools, target, to, entity, g->world->view.tick);
    if (off) { // a group may have taken it elsewhere
        uint32_t row = micai_pool_row(target, mica_entity_slot(entity));
        micai_toggle_set(pools->store, micai_pool_cell(target, row), 1, true, g->world->view.tick);
    }
}

static void move_pool(micai_graft *g, micai_pool *pool)
{
    micai_pool *target = micai_pools_find(&g->state->pools, pool->type->info.type);
    assert(target); // reserve_pool() has opened it
    for (uint32_t place = 0; place < pool->table.count; place++) {
        if (!micai_pool_is_hole(pool, place)) {
            join(g, pool, place, target);
        }
    }
    micai_pool_relocate(&g->state->pools, target);
    micai_pool_vacate(&g->made->pools, pool);
}

// Pools find whose values they have by rows of the stage, which therefore stay until all have moved.
void micai_graft_commit(micai_graft *g)
{
    micai_store *made = &g->made->store;
    for (uint32_t id = 0; id < g->table_count; id++) {
        if (g->targets[id]) {
            move_rows(g, made->tables.items[id]);
        }
    }
    FOR_POOLS(pool, &g->made->pools)
    {
        if (pool->table.count > 0) {
            move_pool(g, pool);
        }
    }
    for (uint32_t id = 0; id < g->table_count; id++) {
        micai_table_set_count(made->tables.items[id], 0); // its values have gone
    }
    micai_store_settle(&g->state->store, g->row_count);
    micai_store_tidy(&g->state->store);
}

// Of an entity, types that have values and whose observers are told of those.
static void note_set(micai_graft *g, micai_living who, bool in)
{
    const micai_state *state = g->state;
    for (uint32_t n = micai_value_next(state, who, 0); n != MICAI_BITS_END;
         n = micai_value_next(state, who, n + 1)) {
        const micai_type *type = state->registry.list.items[n];
        if (type->info.size == 0 || !micai_watches(type, MICA_ON_SET)) {
            continue;
        }
        if (in) {
            (void)micai_types_add(&g->world->host, &g->set, n); // there is room
        } else {
            micai_types_remove(&g->set, n);
        }
    }
}

void micai_graft_tell(micai_graft *g)
{
    micai_tidings tidings = micai_tidings_begin(g->world, g->call);
    tidings.spawns = true;
    tidings.set = &g->set;
    tidings.is_peer = micai_tidings_is_listed;
    tidings.peers = &(const micai_listed_peers){.entities = g->handles, .count = g->row_count};
    for (uint32_t i = 0; i < g->row_count; i++) {
        micai_record *record = micai_slots_at(&g->state->slots, mica_entity_slot(g->handles[i]));
        const micai_living who = {g->handles[i], record};
        if (micai_tidings_watched(g->state, who) & MICAI_WATCH_AFTER) {
            tidings.who = who;
            note_set(g, who, true);
            micai_tidings_tell(g->world, &tidings, MICAI_WATCH_AFTER);
            note_set(g, who, false);
        }
    }
}

// Ending

// The last first: so that those who were there before are as they were.
void micai_graft_cancel(micai_graft *g)
{
    if (!g->world) {
        return;
    }
    while (g->faceted > 0) {
        micai_facets_remove(g->state,
                            find(g, micai_facets_of(g->made)->list.items[--g->faceted].facet));
    }
    while (g->named > 0) {
        mica_entity entity = find(g, micai_names_of(g->made)->list.items[--g->named].entity);
        if (MICAI_CANARY("image.names_stay")) {
            continue;
        }
        micai_names_remove(g->state, entity);
    }
}

void micai_graft_end(micai_graft *g)
{
    if (!g->world) {
        return;
    }
    micai_host *host = &g->world->host;
    micai_release(host, g->firsts, (g->table_count + (size_t)1) * sizeof *g->firsts,
                  _Alignof(uint32_t));
    micai_release(host, g->targets, (g->table_count + (size_t)1) * sizeof *g->targets,
                  _Alignof(micai_table *));
    micai_release(host, g->handles, (g->row_count + (size_t)1) * sizeof *g->handles,
                  _Alignof(mica_entity));
    micai_release(host, g->values, g->size, MICA_TYPE_ALIGN_MAX);
    micai_arena_rewind(&g->world->scratch, g->mark);
}

void micai_graft_list(const micai_graft *g, mica_entity *entities_out, uint32_t capacity)
{
    uint32_t listed = 0;
    for (uint32_t id = 0; id < g->table_count && listed < capacity; id++) {
        bool facets = g->targets[id] && g->targets[id]->facet;
        uint32_t end = id + 1 < g->table_count ? g->firsts[id + 1] : g->row_count;
        for (uint32_t i = g->firsts[id]; !facets && i < end && listed < capacity; i++) {
            entities_out[listed++] = g->handles[i];
        }
    }
}
