// Structural changes on all that match. Whole tables travel along their edges: everything that may
// fail is prepared for all of them before the first one moves.
#include "query/query.h"
#include "store/table/stir.h"
#include "store/table/transfer.h"
#include "world/plan.h"

typedef MICAI_ARRAY(micai_transfer) transfers;

static void cancel_all(mica_world *world, transfers *list)
{
    while (list->count > 0) {
        micai_transfer_cancel(&world->core->store, &list->items[--list->count]);
    }
}

static uint32_t commit_all(mica_world *world, transfers *list)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        rows += list->items[i].rows;
        micai_table *source = list->items[i].edge->source;
        micai_table *target = list->items[i].edge->target;
        micai_transfer_commit(&world->core->store, &list->items[i], world->view.tick);
        micai_stir_from(&world->core->store, source, 0);
        micai_stir_from(&world->core->store, target, 0);
    }
    return rows;
}

// Prepares the transfer of every matching table that lacks the type (or has it, to remove).
// Working out an edge may make a table that matches too, at the end of the list: it has no rows.
static mica_result prepare(mica_world *world, micai_query *query, const micai_type *type,
                           bool remove, const void *data, transfers *list)
{
    uint32_t count = query->tables.count;
    if (!micai_array_reserve(&world->host, list, count)) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < count; m++) {
        micai_table *table = query->tables.items[m];
        if (table->count == 0 || micai_table_has(table, type->number) != remove) {
            continue;
        }
        micai_edge *edge = micai_edge_of(&world->core->store, table, type->number, remove);
        mica_result result = edge ? micai_transfer_reserve(&world->core->store, edge, data,
                                                           &list->items[list->count])
                                  : world->host.failed;
        if (result) {
            cancel_all(world, list);
            return result;
        }
        list->count++;
    }
    return MICA_OK;
}

// The query, if the world may be changed and all is good; NULL, reported, otherwise.
static micai_query *begin(mica_world *world, const char *call, mica_query query)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    return micai_world_guard(world, call) ? NULL : micai_query_find(world, call, query);
}

static uint32_t count_rows(const micai_query *query)
{
    uint32_t rows = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        rows += query->tables.items[m]->count;
    }
    return rows;
}

static mica_result move_all(mica_world *world, const char *call, mica_query query, mica_type type,
                            bool remove, uint32_t *matched_out)
{
    micai_query *found = begin(world, call, query);
    const micai_type *changed = found ? micai_world_type(world, call, type) : NULL;
    if (!changed) {
        return micai_world_failed(world);
    }
    uint32_t rows = count_rows(found);
    transfers list = {0};
    uint32_t tables = micai_world_begin(world);
    mica_result result = prepare(world, found, changed, remove, NULL, &list);
    if (!result) {
        commit_all(world, &list);
        if (matched_out) {
            *matched_out = rows;
        }
    }
    micai_array_free(&world->host, &list);
    return micai_world_end(world, tables, result);
}

mica_result mica_add_all(mica_world *world, mica_query query, mica_type type, uint32_t *matched_out)
{
    return move_all(world, "mica_add_all", query, type, false, matched_out);
}

mica_result mica_remove_all(mica_world *world, mica_query query, mica_type type,
                            uint32_t *matched_out)
{
    return move_all(world, "mica_remove_all", query, type, true, matched_out);
}

// Setting what is there: as many copies as there are values to overwrite are all made first, into one
// block, then put in their places. Values that are nothing but bytes need only one.

typedef struct copies {
    unsigned char *block;
    uint32_t count;
    uint32_t stride; // 0: the same one for all
} copies;

static void drop_copies(mica_world *world, const micai_type *type, copies *made, uint32_t first)
{
    uint32_t size = type->info.size;
    if (made->block) {
        micai_hook_destruct(&world->core->gate, type, made->block + (size_t)first * size,
                            made->count - first);
        micai_release(&world->host, made->block, (size_t)made->count * size, type->info.align);
    }
}

static mica_result make_copies(mica_world *world, const micai_type *type, const void *data,
                               uint32_t count, copies *made_out)
{
    *made_out = (copies){0};
    uint32_t size = type->info.size;
    count = micai_hook_has_none(type) && count > 1 ? 1 : count;
    if (count == 0) {
        return MICA_OK;
    }
    unsigned char *block = micai_alloc_array(&world->host, count, size, type->info.align);
    if (!block) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        mica_result result =
            micai_hook_copy(&world->core->gate, type, block + (size_t)i * size, data, 1);
        if (result) {
            micai_hook_destruct(&world->core->gate, type, block, i);
            micai_release(&world->host, block, (size_t)count * size, type->info.align);
            return result;
        }
    }
    *made_out = (copies){block, count, micai_hook_has_none(type) ? 0 : size};
    return MICA_OK;
}

// The right to overwrite; and how many values that are.
static mica_result own_column(mica_world *world, const micai_query *query, const micai_type *type,
                              uint32_t *rows_out)
{
    *rows_out = 0;
    mica_result result = MICA_OK;
    for (uint32_t m = 0; !result && m < query->tables.count; m++) {
        micai_table *table = query->tables.items[m];
        uint32_t column = micai_table_column(table, type->number);
        if (column) {
            result = micai_table_kind(table, column)
                         ->own(&world->core->store, (micai_cell){table, column, 0}, table->count);
            *rows_out += table->count;
        }
    }
    return result;
}

// Cannot fail: rows are owned, copies made. Returns how many copies were used up.
static uint32_t write_column(mica_world *world, const micai_query *query, const micai_type *type,
                             const copies *made)
{
    unsigned char *source = made->block;
    uint32_t used = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        micai_table *table = query->tables.items[m];
        uint32_t column = micai_table_column(table, type->number);
        const micai_kind *kind = micai_table_kind(table, column);
        for (uint32_t row = 0; column && row < table->count; row++) {
            kind->replace(&world->core->store, (micai_cell){table, column, row},
                          source + (size_t)used * made->stride, world->view.tick);
            used++;
        }
    }
    return used;
}

static mica_result set_all(mica_world *world, micai_query *query, const micai_type *type,
                           const void *data)
{
    uint32_t present = 0;
    uint32_t used = 0;
    copies made = {0};
    mica_result result = data ? own_column(world, query, type, &present) : MICA_OK;
    result = result ? result : make_copies(world, type, data, present, &made);
    if (result) {
        return result;
    }
    transfers list = {0};
    result = prepare(world, query, type, false, data, &list);
    if (!result) {
        if (data) { // before others join these tables
            used = write_column(world, query, type, &made);
        }
        commit_all(world, &list);
    }
    micai_array_free(&world->host, &list);
    drop_copies(world, type, &made, made.stride ? used : made.count);
    return result;
}

// Data that lies in the world may move when room is made, so a copy is used; the caller ends it.
static mica_result put_aside(mica_world *world, const micai_type *type, const void *data,
                             void **copy_out)
{
    const mica_type_info *info = &type->info;
    void *copy = micai_arena_alloc(&world->host, &world->scratch, info->size, info->align);
    mica_result result =
        copy ? micai_hook_copy(&world->core->gate, type, copy, data, 1) : MICA_ERROR_MEMORY;
    *copy_out = result ? NULL : copy;
    return result;
}

static mica_result set_aside(mica_world *world, micai_query *query, const micai_type *type,
                             const void *data)
{
    void *copy = NULL;
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    uint32_t tables = micai_world_begin(world);
    mica_result result = data ? put_aside(world, type, data, &copy) : MICA_OK;
    result = result ? result : set_all(world, query, type, copy);
    if (copy) {
        micai_hook_destruct(&world->core->gate, type, copy, 1);
    }
    micai_arena_rewind(&world->scratch, mark);
    return micai_world_end(world, tables, result);
}

mica_result mica_set_all(mica_world *world, mica_query query, mica_type type, const void *data,
                         uint32_t size, uint32_t *matched_out)
{
    static const char call[] = "mica_set_all";
    micai_query *found = begin(world, call, query);
    const micai_type *set = found ? micai_world_type(world, call, type) : NULL;
    if (!set) {
        return micai_world_failed(world);
    }
    mica_result result = data || size ? micai_world_check_size(world, call, set, size) : MICA_OK;
    if (!result && data && !micai_hook_can_copy(set)) {
        result = micai_fail(&world->host, MICA_ERROR_HOOK,
                            "%s: '%s' has a destruct hook but no copy hook", call, set->info.name);
    }
    uint32_t rows = count_rows(found);
    result = result ? result : set_aside(world, found, set, data);
    if (!result && matched_out) {
        *matched_out = rows;
    }
    return result;
}

mica_result mica_despawn_all(mica_world *world, mica_query query, uint32_t *matched_out)
{
    micai_query *found = begin(world, "mica_despawn_all", query);
    if (!found) {
        return micai_world_failed(world);
    }
    if (matched_out) {
        *matched_out = count_rows(found);
    }
    uint32_t tables = micai_world_begin(world);
    for (uint32_t m = 0; m < found->tables.count; m++) {
        micai_plan_end_table(world, found->tables.items[m]);
    }
    return micai_world_end(world, tables, MICA_OK);
}
