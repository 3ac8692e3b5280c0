// Structural changes on all that match. Whole tables travel along their edges: everything that may
// fail is prepared for all of them before the first one moves.
#include "query/query.h"

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
        micai_transfer_commit(&world->core->store, &list->items[i], world->view.tick);
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
        micai_edge *edge = micai_store_edge(&world->core->store, table, type->number, remove);
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
    const micai_type *kind = found ? micai_world_type(world, call, type) : NULL;
    if (!kind) {
        return micai_world_failed(world);
    }
    uint32_t rows = count_rows(found);
    transfers list = {0};
    mica_result result = prepare(world, found, kind, remove, NULL, &list);
    if (!result) {
        commit_all(world, &list);
        if (matched_out) {
            *matched_out = rows;
        }
    }
    micai_array_free(&world->host, &list);
    return result;
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

// Setting what is there: copies of hooked values are all made first, into one block, then moved in
// place; plain ones are simply written.

typedef struct copies {
    unsigned char *block;
    size_t size;  // bytes
    size_t align; // of the block
    uint32_t count;
} copies;

static void drop_copies(mica_world *world, const micai_column *kind, copies *made)
{
    micai_column_destruct(&world->core->gate, kind, made->block, made->count);
    micai_release(&world->host, made->block, made->size, made->align);
}

static mica_result make_copies(mica_world *world, const micai_column *kind, const void *data,
                               uint32_t count, copies *made_out)
{
    *made_out = (copies){0};
    const mica_type_info *info = &kind->type->info;
    if (count == 0 || (!info->hooks.copy && !info->hooks.destruct)) {
        return MICA_OK;
    }
    made_out->size = (size_t)count * kind->size;
    made_out->align = info->align;
    made_out->block = micai_alloc_array(&world->host, count, kind->size, info->align);
    if (!made_out->block) {
        return MICA_ERROR_MEMORY;
    }
    while (made_out->count < count) {
        void *target = made_out->block + (size_t)made_out->count * kind->size;
        mica_result result = micai_column_copy(&world->core->gate, kind, target, data, 1);
        if (result) {
            drop_copies(world, kind, made_out);
            return result;
        }
        made_out->count++;
    }
    return MICA_OK;
}

static mica_result own_column(mica_world *world, const micai_query *query, const micai_type *type,
                              uint32_t *rows_out)
{
    *rows_out = 0;
    for (uint32_t m = 0; m < query->tables.count; m++) {
        micai_table *table = query->tables.items[m];
        uint32_t column = micai_table_column(table, type->number);
        for (uint32_t row = 0; column && row < table->count; row += MICAI_ROWS) {
            mica_result result =
                micai_sheet_own_page(&world->core->store, micai_table_sheet(table, row), column);
            if (result) {
                return result;
            }
        }
        *rows_out += column ? table->count : 0;
    }
    return MICA_OK;
}

static void write_value(mica_world *world, const micai_column *kind, void *value, const void *data,
                        copies *made)
{
    if (made->block) {
        micai_column_destruct(&world->core->gate, kind, value, 1);
        micai_column_relocate(&world->core->gate, kind, value,
                              made->block + (size_t)--made->count * kind->size, 1);
    } else {
        micai_copy_bytes(value, data, kind->size);
    }
}

// Cannot fail: pages are owned, copies made.
static void write_column(mica_world *world, const micai_query *query, const micai_type *type,
                         const void *data, copies *made)
{
    for (uint32_t m = 0; m < query->tables.count; m++) {
        micai_table *table = query->tables.items[m];
        uint32_t column = micai_table_column(table, type->number);
        const micai_column *kind = &table->columns[column];
        for (uint32_t row = 0; column && row < table->count;) {
            micai_span span =
                micai_table_write_span(&world->core->store, table, column, row, world->view.tick);
            unsigned char *values = span.data;
            for (uint32_t i = 0; i < span.count; i++) {
                write_value(world, kind, values + (size_t)i * kind->size, data, made);
            }
            row += span.count;
        }
    }
}

static mica_result set_all(mica_world *world, micai_query *query, const micai_column *kind,
                           const void *data)
{
    uint32_t present = 0;
    copies made = {0};
    mica_result result = data ? own_column(world, query, kind->type, &present) : MICA_OK;
    result = result ? result : make_copies(world, kind, data, present, &made);
    if (result) {
        return result;
    }
    transfers list = {0};
    result = prepare(world, query, kind->type, false, data, &list);
    if (!result) {
        if (data) {
            write_column(world, query, kind->type, data, &made); // before others join these tables
        }
        commit_all(world, &list);
    }
    micai_array_free(&world->host, &list);
    drop_copies(world, kind, &made);
    return result;
}

// Data that lies in the world may move when room is made, so a copy is used; the caller ends it.
static mica_result put_aside(mica_world *world, const micai_column *kind, const void *data,
                             void **copy_out)
{
    const mica_type_info *info = &kind->type->info;
    void *copy = micai_arena_alloc(&world->host, &world->scratch, info->size, info->align);
    mica_result result =
        copy ? micai_column_copy(&world->core->gate, kind, copy, data, 1) : MICA_ERROR_MEMORY;
    *copy_out = result ? NULL : copy;
    return result;
}

static mica_result set_aside(mica_world *world, micai_query *query, const micai_type *type,
                             const void *data)
{
    const micai_column kind = {
        .type = type, .size = type->info.size, .has_move = type->info.hooks.move != NULL};
    void *copy = NULL;
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    mica_result result = data ? put_aside(world, &kind, data, &copy) : MICA_OK;
    result = result ? result : set_all(world, query, &kind, copy);
    if (copy && type->info.hooks.copy) {
        micai_column_destruct(&world->core->gate, &kind, copy, 1);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

mica_result mica_set_all(mica_world *world, mica_query query, mica_type type, const void *data,
                         uint32_t size, uint32_t *matched_out)
{
    static const char call[] = "mica_set_all";
    micai_query *found = begin(world, call, query);
    const micai_type *kind = found ? micai_world_type(world, call, type) : NULL;
    if (!kind) {
        return micai_world_failed(world);
    }
    mica_result result = data || size ? micai_world_check_size(world, call, kind, size) : MICA_OK;
    if (!result && data && kind->info.hooks.destruct && !kind->info.hooks.copy) {
        result = micai_fail(&world->host, MICA_ERROR_HOOK,
                            "%s: '%s' has a destruct hook but no copy hook", call, kind->info.name);
    }
    uint32_t rows = count_rows(found);
    result = result ? result : set_aside(world, found, kind, data);
    if (!result && matched_out) {
        *matched_out = rows;
    }
    return result;
}

static void end_table(mica_world *world, micai_table *table)
{
    micai_table_destruct_all(&world->core->store, table);
    for (uint32_t row = 0; row < table->count; row++) {
        mica_entity entity = micai_sheet_ids(micai_table_sheet(table, row))[row & (MICAI_ROWS - 1)];
        if (world->core->names.list.count > 0) {
            micai_names_remove(&world->host, &world->core->names, entity);
        }
        micai_slots_give(&world->host, &world->core->slots, entity);
    }
    micai_table_set_count(table, 0);
    if (world->core->store.sharing) { // the values left in shared pages are the others' alone
        micai_table_trim(&world->core->store, table);
    }
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
    for (uint32_t m = 0; m < found->tables.count; m++) {
        end_table(world, found->tables.items[m]);
    }
    return MICA_OK;
}
