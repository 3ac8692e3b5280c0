// Loading pools, some places at a time, and the order of groups.
#include <string.h>

#include "base/canary.h"
#include "entity/locate.h"
#include "image/load_internal.h"
#include "image/schema_internal.h"
#include "store/pool/replace.h"
#include "store/table/replace.h"
#include "store/table/row.h"

static void check_alive(micai_loading *l, const mica_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count && !l->r->failed; i++) {
        if (!mica_entity_is_none(entities[i]) &&
            !micai_slots_find(&l->stage.state->slots, entities[i])) {
            micai_load_fail(l, "an entity that is not there has a component");
        }
    }
}

// What is not stable has no holes: `count` entities become fewer, and what is beside them.
static uint32_t close_up(mica_entity *entities, micai_beside *b, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!mica_entity_is_none(entities[i])) {
            entities[kept] = entities[i];
            b->flags[kept] = b->flags[i];
            b->changed[kept] = b->changed[i];
            b->added[kept++] = b->added[i];
        }
    }
    return kept;
}

// Values that lie side by side into the places of those whom they belong to.
static void place_values(micai_loading *l, micai_pool *pool, const mica_entity *entities,
                         uint32_t count)
{
    unsigned char *value = l->values.data;
    for (uint32_t i = 0; i < count && pool->index.view.size > 0;) {
        uint32_t some = 0;
        while (i + some < count && !mica_entity_is_none(entities[i + some])) {
            some++;
        }
        micai_paged_take(&l->stage.state->store, micai_pool_cell(pool, pool->table.count + i),
                         value, some);
        value += (size_t)some * pool->index.view.size;
        i += some > 0 ? some : 1;
    }
}

void micai_load_join(micai_loading *l, const micai_type *type, mica_entity *entities,
                     uint32_t count, micai_beside *b)
{
    micai_reader *r = l->r;
    micai_pools *pools = &l->stage.state->pools;
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        values += !mica_entity_is_none(entities[i]);
    }
    micai_pool *pool = r->failed ? NULL : micai_pools_open(pools, type);
    if (!r->failed && !pool) {
        r->failed = MICA_ERROR_MEMORY;
    }
    if (!r->failed) {
        count = type->info.stable ? count : close_up(entities, b, count);
        micai_load_take(l, micai_pool_reserve_revival(pools, pool, entities, count),
                        "an entity has a component twice");
    }
    if (!r->failed) {
        place_values(l, pool, entities, count);
        micai_pool_revive(
            pools, pool,
            &(micai_revival){entities, count, b->tick, b->flags, b->changed, b->added});
    } else if (type->info.size > 0) {
        micai_hook_destruct(&l->state->gate, type, l->values.data, values);
    }
}

// An entity gets a type that is kept in tables here: it moves to another table, where its value, if it
// has one, is relocated.
static void move_to_table(micai_loading *l, const micai_type *type, mica_entity entity, void *value,
                          const micai_beside *b, uint32_t i)
{
    micai_store *store = &l->stage.state->store;
    micai_record *record = micai_slots_at(&l->stage.state->slots, mica_entity_slot(entity));
    micai_row row = micai_row_of(store, record);
    if (micai_table_has(micai_row_table(row), type->number)) {
        micai_load_fail(l, "an entity has a component twice");
    }
    const micai_edge *edge =
        l->r->failed ? NULL : micai_edge_of(store, micai_row_table(row), type->number, false);
    mica_result result = edge ? micai_table_reserve(store, edge->target, 1) : l->r->host->failed;
    if (!micai_load_take(l, result, "") || !edge) {
        if (value) {
            micai_hook_destruct(&l->state->gate, type, value, 1);
        }
        return;
    }
    uint32_t column = micai_table_column(edge->target, type->number);
    micai_cell cell = {edge->target, column, edge->target->count};
    if (column) {
        micai_table_kind(cell.table, column)->take(store, cell, value, 1);
    }
    if (type->info.toggle) {
        micai_replace_flags(store, cell, &b->flags[i], 1);
    }
    if (type->info.row_stamps) {
        micai_replace_ticks(cell, &b->changed[i], &b->added[i], 1);
    }
    micai_row_move(store, edge, row, record, l->stage.tick);
}

static void move_all(micai_loading *l, const micai_type *type, const mica_entity *entities,
                     uint32_t count, const micai_beside *b)
{
    unsigned char *value = type->info.size > 0 ? l->values.data : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (mica_entity_is_none(entities[i])) {
            continue;
        }
        if (!l->r->failed) {
            move_to_table(l, type, entities[i], value, b, i);
        } else if (value) {
            micai_hook_destruct(&l->state->gate, type, value, 1);
        }
        value = value ? value + type->info.size : NULL;
    }
}

static void load_places(micai_loading *l, uint32_t number, micai_beside *b)
{
    micai_reader *r = l->r;
    mica_entity entities[MICAI_IMAGE_BATCH];
    const micai_type *type = l->match.types[number];
    micai_read(r, begin_object, NULL);
    uint32_t count = micai_load_count(l);
    b->tick = micai_load_tick(l, "tick");
    micai_read(r, entities, "entities", entities, count);
    check_alive(l, entities, count);
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool hole = mica_entity_is_none(entities[i]);
        values += !hole;
        if (hole && !l->schema.types[number].stable && !r->failed) {
            micai_load_fail(l, "there is a hole where there can be none");
        }
    }
    bool any = l->schema.types[number].way != MICAI_SCHEMA_NONE;
    if (!r->failed && any &&
        micai_load_reserve(l, &l->values, type ? (size_t)type->info.size * values : 0)) {
        micai_load_values(r, "values", number, l->values.data, values);
    }
    bool made = !r->failed && type;
    if (!r->failed) {
        micai_load_beside(l, number, count, b);
    }
    micai_read(r, end, NULL);
    if (made && micai_schema_is_sparse(type)) {
        micai_load_join(l, type, entities, count, b);
    } else if (made) {
        move_all(l, type, entities, count, b);
    }
}

// Holes are listed in no more memory than they have been read with.
static void load_holes(micai_loading *l, micai_pool *pool)
{
    micai_reader *r = l->r;
    uint32_t count = micai_read(r, begin_list, "holes", UINT32_MAX);
    bool wanted = pool && pool->type->info.stable;
    if (!r->failed && wanted && count != pool->index.hole_count) {
        micai_load_fail(l, "there are other holes");
    }
    micai_arena_mark mark = micai_arena_here(&l->arena);
    uint64_t *holes = NULL;
    if (!r->failed && wanted) {
        holes =
            micai_arena_alloc_array(r->host, &l->arena, count, sizeof *holes, _Alignof(uint64_t));
        r->failed = holes ? MICA_OK : MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        uint64_t hole = micai_read(r, number, NULL, UINT32_MAX);
        if (holes) {
            holes[i] = hole;
        }
    }
    micai_read(r, end, "holes");
    if (!r->failed && wanted && !micai_pool_revive_holes(pool, holes, count)) {
        micai_load_fail(l, "there are other holes");
    }
    micai_arena_rewind(&l->arena, mark);
}

static void load_pool(micai_loading *l, micai_beside *b)
{
    micai_reader *r = l->r;
    micai_read(r, begin_object, NULL);
    uint32_t number = micai_read(r, type, "type");
    const micai_type *type =
        r->failed || micai_load_is_refused(l, number) ? NULL : l->match.types[number];
    if (!r->failed && !l->schema.types[number].pooled) {
        micai_load_fail(l, "there is a pool of what is in tables");
    }
    if (!r->failed && type && micai_pools_find(&l->stage.state->pools, type->info.type)) {
        micai_load_fail(l, "there are two pools of a type");
    }
    uint32_t batches = micai_read(r, begin_list, "places", UINT32_MAX);
    for (uint32_t i = 0; i < batches && !r->failed; i++) {
        load_places(l, number, b);
    }
    micai_read(r, end, "places");
    load_holes(l, r->failed || !type ? NULL
                                     : micai_pools_find(&l->stage.state->pools, type->info.type));
    micai_read(r, end, NULL);
}

void micai_load_pools(micai_loading *l, micai_beside *b)
{
    micai_reader *r = l->r;
    micai_read(r, begin_section, "pools");
    uint32_t count = micai_read(r, begin_list, "pools", l->schema.count);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_pool(l, b);
    }
    micai_read(r, end, "pools");
    micai_read(r, end_section, "pools");
    if (!r->failed && !l->grafts) {
        micai_load_take(l,
                        micai_pools_reserve_exchange(&l->state->pools, &l->stage.state->pools,
                                                     l->state->seal, l->stage.tick),
                        "");
    }
}

// Groups

// A list of types, as far as a group can have them; those that are not there make it none.
static uint32_t load_group_types(micai_loading *l, const char *name, const micai_type **types_out)
{
    micai_reader *r = l->r;
    uint32_t count = micai_read(r, begin_list, name, 2 * MICA_GROUP_TYPES_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        types_out[i] = l->match.types[micai_read(r, type, NULL)];
    }
    micai_read(r, end, name);
    return r->failed ? 0 : count;
}

static const micai_group *find_group(const micai_loading *l, const micai_type *const *with,
                                     uint32_t needed, const micai_type *const *without,
                                     uint32_t forbidden, bool *taken)
{
    const micai_handles *groups = &l->state->pools.groups;
    for (uint32_t n = 0; n < groups->list.count; n++) {
        const micai_group *group = groups->list.items[n];
        bool same = group && !taken[n] && group->list && group->needed_count == needed &&
                    group->pool_count == needed + forbidden;
        for (uint32_t i = 0; same && i < group->pool_count; i++) {
            same = group->pools[i]->type == (i < needed ? with[i] : without[i - needed]);
        }
        if (same) {
            taken[n] = true; // of several that are alike, each has its own order
            return group;
        }
    }
    return NULL;
}

static void load_order(micai_loading *l, const micai_group *group)
{
    micai_reader *r = l->r;
    micai_arena_mark mark = micai_arena_here(&l->arena);
    micai_group *twin =
        group ? micai_groups_twin(&l->state->pools, &l->stage.state->pools, group) : NULL;
    uint32_t most = twin ? twin->list->table.count : 0;
    mica_entity *order =
        twin && !r->failed
            ? micai_arena_alloc_array(r->host, &l->arena, most + (size_t)MICAI_IMAGE_BATCH,
                                      sizeof *order, _Alignof(mica_entity))
            : NULL;
    if (twin && !order && !r->failed) {
        r->failed = MICA_ERROR_MEMORY;
    }
    mica_entity past[MICAI_IMAGE_BATCH] = {{0}};
    uint32_t batches = micai_read(r, begin_list, "order", UINT32_MAX);
    uint32_t total = 0;
    for (uint32_t b = 0; b < batches && !r->failed; b++) {
        micai_read(r, begin_object, NULL);
        uint32_t count = micai_load_count(l);
        bool kept = order && total <= most;
        micai_read(r, entities, "entities", kept ? order + total : past, count);
        total = kept ? total + count : most + 1;
        micai_read(r, end, NULL);
    }
    micai_read(r, end, "order");
    if (MICAI_CANARY("image.order")) {
        total = most + 1;
    }
    if (!r->failed && order && total == most) {
        (void)micai_group_reorder(twin, order, total); // of others than it has, there is no order
    }
    micai_arena_rewind(&l->arena, mark);
}

void micai_load_groups(micai_loading *l)
{
    micai_reader *r = l->r;
    uint32_t groups = l->state->pools.groups.list.count;
    micai_arena_mark mark = micai_arena_here(&l->arena);
    bool *taken = micai_arena_alloc_array(r->host, &l->arena, groups, sizeof *taken, 1);
    if (!taken) {
        r->failed = r->failed ? r->failed : MICA_ERROR_MEMORY;
        return;
    }
    memset(taken, 0, groups * sizeof *taken);
    micai_read(r, begin_section, "groups");
    uint32_t count = micai_read(r, begin_list, "groups", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        const micai_type *with[2 * MICA_GROUP_TYPES_MAX] = {NULL};
        const micai_type *without[2 * MICA_GROUP_TYPES_MAX] = {NULL};
        micai_read(r, begin_object, NULL);
        uint32_t needed = load_group_types(l, "with", with);
        uint32_t forbidden = load_group_types(l, "without", without);
        bool wanted = !r->failed && !l->grafts;
        load_order(l, wanted ? find_group(l, with, needed, without, forbidden, taken) : NULL);
        micai_read(r, end, NULL);
    }
    micai_read(r, end, "groups");
    micai_read(r, end_section, "groups");
    micai_arena_rewind(&l->arena, mark);
}
