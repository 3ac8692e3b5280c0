// Pools, in batches of rows, and the order of groups. section_internal.h has the contract.
#include <string.h>

#include "base/canary.h"
#include "entity/locate.h"
#include "image/schema_internal.h"
#include "image/section_internal.h"
#include "store/pool/replace.h"
#include "store/table/row.h"

// Adding to pools and tables

void micai_load_add_to_pool(micai_loading *l, const micai_type *type, micai_batch *rows)
{
    micai_pools *pools = &l->stage.state->pools;
    micai_pool *pool = micai_pools_open(pools, type);
    mica_result result = pool ? micai_pool_reserve_restore(pools, pool, rows->entities, rows->count)
                              : MICA_ERROR_MEMORY;
    if (micai_load_check(l, result, "an entity has a component twice")) {
        micai_cell cell = {&pool->table, pool->column, pool->table.count};
        micai_load_store(l, cell, type, rows, 0, rows->count, l->values.data);
        micai_pool_restore(pools, pool, rows->entities, rows->count, rows->tick);
    } else {
        micai_load_discard(l, type, l->values.data, rows->values);
    }
}

// Adds a component that is a table component in this world, which moves the entity to another
// table. Returns false on failure.
static bool move_to_table(micai_loading *l, const micai_type *type, const micai_batch *rows,
                          uint32_t i, unsigned char *value)
{
    micai_store *store = &l->stage.state->store;
    micai_record *record =
        micai_slots_at(&l->stage.state->slots, mica_entity_slot(rows->entities[i]));
    micai_row row = micai_row_of(store, record);
    if (micai_table_has(micai_row_table(row), type->number)) {
        micai_load_fail(l, "an entity has a component twice");
        return false;
    }
    const micai_transition *t = micai_transition_one(store, micai_row_table(row), type, false);
    mica_result result = t ? micai_table_reserve(store, t->target, 1) : l->r->host->failed;
    if (!micai_load_check(l, result, "") || !t) {
        return false;
    }
    uint32_t column = micai_table_column(t->target, type->number);
    micai_cell cell = {t->target, column, t->target->count};
    micai_load_store(l, cell, type, rows, i, 1, value);
    micai_row_move(store, t, row, record, l->stage.tick);
    return true;
}

static void move_all(micai_loading *l, const micai_type *type, const micai_batch *rows)
{
    unsigned char *value = l->values.data;
    for (uint32_t i = 0; i < rows->count; i++, value += type->info.size) {
        if (!move_to_table(l, type, rows, i, value)) {
            micai_load_discard(l, type, value, rows->count - i);
            return;
        }
    }
}

// Pools

static void check_rows(micai_loading *l, micai_batch *rows, bool stable)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        bool hole = MICA_IS_NONE(rows->entities[i]);
        rows->values -= hole;
        if (!hole && !micai_slots_find(&l->stage.state->slots, rows->entities[i])) {
            micai_load_fail(l, "an entity that does not exist has a component");
            return;
        }
    }
    if (rows->values < rows->count && !stable) {
        micai_load_fail(l, "a pool that is not stable has a hole");
    }
}

// Drops the holes of a type that is not stable in this world.
static void drop_holes(micai_batch *rows)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; rows->values < rows->count && i < rows->count; i++) {
        if (!MICA_IS_NONE(rows->entities[i])) {
            rows->entities[kept] = rows->entities[i];
            rows->flags[kept] = rows->flags[i];
            rows->changed[kept] = rows->changed[i];
            rows->added[kept++] = rows->added[i];
        }
    }
    rows->count = rows->values;
}

// `user` is the number of the type in the schema.
static void serialize_rows(micai_archive *a, micai_batch *rows, void *user)
{
    micai_loading *l = micai_loading_of(a);
    uint32_t number = *(const uint32_t *)user;
    const micai_type *type = a->types[number];
    if (l) {
        check_rows(l, rows, a->schema->types[number].stable);
    }
    rows->tick = rows->row_tick;
    if (!micai_serialize_column(a, rows, number, l ? 0 : rows->table->layout.column_count - 1u)) {
        return;
    }
    if (!type->info.stable) {
        drop_holes(rows);
    }
    if (micai_schema_is_sparse(type)) {
        micai_load_add_to_pool(l, type, rows);
    } else {
        move_all(l, type, rows);
    }
}

// Serializes the holes of a pool, in the order in which they will be filled. The list needs at most
// the memory of the pool that was read. While loading, `pool` is NULL if the world has no such
// pool.
static void serialize_holes(micai_archive *a, micai_pool *pool)
{
    const micai_saving *s = micai_saving_of(a);
    bool wanted = !s && !a->failed && pool && pool->type->info.stable;
    uint32_t count = s && !s->subset ? pool->index.hole_count : 0;
    uint64_t hole = s ? pool->index.first_hole : 0;
    micai_arena_mark mark = micai_arena_get_mark(micai_arena_of(a));
    micai_serialize(a, begin_list, "holes", &count, UINT32_MAX);
    if (wanted && count != pool->index.hole_count) {
        micai_load_fail(micai_loading_of(a), "the holes of a pool do not match");
    }
    uint64_t *holes = wanted && !a->failed
                          ? micai_archive_alloc(a, micai_arena_of(a), count, sizeof *holes)
                          : NULL;
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        micai_serialize(a, number, NULL, &hole, UINT32_MAX);
        if (s) {
            hole = micai_pool_next_hole(pool, (uint32_t)hole);
        } else if (holes) {
            holes[i] = hole;
        }
    }
    micai_serialize(a, end, "holes");
    if (holes && !a->failed && !micai_pool_restore_holes(pool, holes, count)) {
        micai_load_fail(micai_loading_of(a), "the holes of a pool do not match");
    }
    micai_arena_rewind(micai_arena_of(a), mark);
}

// Fails if the image must not have a pool of this type. Returns the world's type, or NULL.
static const micai_type *check_pool(micai_loading *l, uint32_t number)
{
    const micai_type *type =
        l->r->failed || micai_load_is_refused(l, number) ? NULL : l->match.types[number];
    if (!l->r->failed && !l->schema.types[number].pooled) {
        micai_load_fail(l, "there is a pool of a table component");
    }
    if (type && micai_pools_find(&l->stage.state->pools, type->info.type)) {
        micai_load_fail(l, "there are two pools of a type");
    }
    return type;
}

static void serialize_pool(micai_archive *a, void *item, void *user)
{
    micai_pool *pool = item;
    uint32_t number = pool ? a->numbers[pool->type->number] : 0;
    micai_loading *l = micai_loading_of(a);
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, type, "type", &number);
    const micai_type *type = l ? check_pool(l, number) : NULL;
    uint32_t batches = micai_begin_rows(a, "places", pool ? &pool->table : NULL, user);
    micai_serialize_rows(a, "places", batches, user, serialize_rows, &number);
    if (type) {
        pool = micai_pools_find(&l->stage.state->pools, type->info.type);
    }
    serialize_holes(a, pool);
    micai_serialize(a, end, NULL);
}

// Returns pools by type number, in the order of the schema.
static void *next_pool(const micai_saving *s, uint32_t *cursor)
{
    const micai_pools *pools = &s->state->pools;
    while (*cursor < pools->by_type.count) {
        micai_pool *pool = pools->by_type.items[(*cursor)++];
        if (pool && micai_save_has_rows(s, &pool->table)) {
            return pool;
        }
    }
    return NULL;
}

void micai_serialize_pools(micai_archive *a, micai_batch *rows)
{
    micai_loading *l = micai_loading_of(a);
    micai_serialize(a, begin_section, "pools");
    micai_serialize_list(a, "pools", a->schema->count, next_pool, serialize_pool, rows);
    micai_serialize(a, end_section, "pools");
    if (l && !a->failed && !l->merges) {
        mica_result result = micai_pools_reserve_exchange(&l->state->pools, &l->stage.state->pools,
                                                          l->state->seal, l->stage.tick);
        micai_load_check(l, result, "");
    }
}

// Groups

// The order of a non-owning group.
typedef struct group_order {
    const micai_pool *list; // for saving
    mica_entity *order;     // for loading; NULL: it is skipped
    uint32_t most;
    uint64_t count;
} group_order;

static void serialize_order(micai_archive *a, void *user, mica_entity *entities, uint32_t count)
{
    group_order *o = user;
    for (uint32_t i = 0; !a->reading && i < count; i++) {
        entities[i] = micai_pool_entity(o->list, (uint32_t)o->count + i);
    }
    if (o->order && o->count + count <= o->most) {
        memcpy(o->order + o->count, entities, count * sizeof *entities);
    }
    o->count += count;
}

// Serializes a list of types. A type that the world lacks becomes NULL, which no group matches.
static uint32_t serialize_types(micai_archive *a, const char *name, const micai_type **types,
                                uint32_t count)
{
    micai_serialize(a, begin_list, name, &count, 2 * MICA_GROUP_TYPES_MAX);
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        uint32_t number = a->reading ? 0 : a->numbers[types[i]->number];
        micai_serialize(a, type, NULL, &number);
        types[i] = a->failed ? NULL : a->types[number];
    }
    micai_serialize(a, end, name);
    return a->failed ? 0 : count;
}

// Returns the stage's copy of a group of the world with these types, and marks that as taken.
// Returns NULL if no group is left. So each of several equal groups gets its own order.
static micai_group *claim_group(micai_loading *l, const micai_type *const *types, uint32_t needed,
                                uint32_t count, bool *taken)
{
    const micai_handles *groups = &l->state->pools.groups;
    for (uint32_t n = 0; n < groups->list.count; n++) {
        const micai_group *group = groups->list.items[n];
        bool same = group && !taken[n] && group->list && group->needed_count == needed &&
                    group->pool_count == count;
        for (uint32_t i = 0; same && i < count; i++) {
            same = group->pools[i]->type == types[i];
        }
        if (same) {
            taken[n] = true;
            return micai_groups_counterpart(&l->state->pools, &l->stage.state->pools, group);
        }
    }
    return NULL;
}

static void serialize_group(micai_archive *a, void *item, void *taken)
{
    const micai_group *group = item;
    const micai_type *types[4 * MICA_GROUP_TYPES_MAX] = {NULL};
    group_order o = {0};
    uint32_t needed = group ? group->needed_count : 0;
    uint32_t rest = group ? group->pool_count - needed : 0;
    for (uint32_t i = 0; i < needed + rest; i++) {
        types[i] = group->pools[i]->type;
    }
    micai_serialize(a, begin_object, NULL);
    needed = serialize_types(a, "with", types, needed);
    rest = serialize_types(a, "without", types + needed, rest);
    micai_loading *l = micai_loading_of(a);
    micai_group *copy =
        l && !a->failed && !l->merges ? claim_group(l, types, needed, needed + rest, taken) : NULL;
    micai_arena_mark mark = micai_arena_get_mark(micai_arena_of(a));
    if (copy) {
        o.most = copy->list->table.count;
        o.order = micai_archive_alloc(a, micai_arena_of(a), o.most, sizeof *o.order);
    }
    o.list = group ? group->list : NULL;
    micai_serialize_entities(a, "order", group ? o.list->table.count : 0, serialize_order, &o);
    o.count += MICAI_CANARY("image.order") ? 1 : 0;
    if (o.order && !a->failed && o.count == o.most) {
        // An order of other entities is ignored.
        (void)micai_group_reorder(copy, o.order, o.most);
    }
    micai_serialize(a, end, NULL);
    micai_arena_rewind(micai_arena_of(a), mark);
}

// Groups belong to the world: a subset has none.
static void *next_group(const micai_saving *s, uint32_t *cursor)
{
    const micai_handles *groups = &s->state->pools.groups;
    while (!s->subset && *cursor < groups->list.count) {
        micai_group *group = groups->list.items[(*cursor)++];
        if (group && group->list) {
            return group;
        }
    }
    return NULL;
}

void micai_serialize_groups(micai_archive *a)
{
    micai_loading *l = micai_loading_of(a);
    micai_arena_mark mark = micai_arena_get_mark(micai_arena_of(a));
    bool *taken =
        l ? micai_archive_alloc(a, &l->arena, l->state->pools.groups.list.count, 1) : NULL;
    micai_serialize(a, begin_section, "groups");
    micai_serialize_list(a, "groups", UINT32_MAX, next_group, serialize_group, taken);
    micai_serialize_links(a);
    micai_serialize(a, end_section, "groups");
    micai_arena_rewind(micai_arena_of(a), mark);
}
