// Applying a delta that was read. load_internal.h has the contract.
//
// An entity whose table changes gets a new row with all its values; then its old row goes. Entities are
// despawned first, so that others can have their slots, keys and names. Nobody is notified.
#include <stdlib.h>
#include <string.h>

#include "base/canary.h"
#include "delta/load_internal.h"
#include "entity/change.h"
#include "entity/name.h"
#include "store/table/debug_relocate.h"
#include "store/table/replace.h"
#include "store/table/tick.h"
#include "store/table/toggle.h"

// Reserving

static int compare_edits(const void *a, const void *b)
{
    const micai_edit *one = a;
    const micai_edit *other = b;
    uint32_t x = mica_entity_slot(one->entity);
    uint32_t y = mica_entity_slot(other->entity);
    if (x == y) {
        x = one->type->number;
        y = other->type->number;
    }
    return x < y ? -1 : x > y;
}

// A facet has its owner in a value of the hidden type.
static mica_result add_owners(micai_delta_load *l)
{
    uint32_t count = l->facets.count;
    mica_result result = count > 0 ? micai_facets_reserve(l->world, l->call, count) : MICA_OK;
    if (!result && count > 0 && !micai_array_reserve(l->host, &l->tables, count)) {
        result = MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count && !result; i++) {
        const micai_registry *registry = &l->state->registry;
        micai_facet *facet = &l->facets.items[i];
        l->tables.items[l->tables.count++] =
            (micai_edit){.entity = facet->facet,
                         .type = registry->list.items[registry->hidden],
                         .value = &facet->owner,
                         .kind = MICAI_EDIT_ADD};
    }
    return result;
}

static micai_table *table_of(const micai_delta_load *l, mica_entity entity)
{
    const micai_record *record = micai_slots_at(&l->state->slots, mica_entity_slot(entity));
    return micai_row_table(micai_row_of(&l->state->store, record));
}

// Returns the table that an entity moves to. NULL: a failure.
static micai_table *find_target(micai_delta_load *l, const micai_move *move)
{
    micai_store *store = &l->state->store;
    mica_type_set set = {0};
    uint32_t words = (l->state->registry.list.count + 63) / 64;
    mica_result result =
        move->spawned ? MICA_OK : micai_store_set_of(store, table_of(l, move->entity), &set);
    result = result ? result : micai_types_reserve(l->host, &set, words);
    for (uint32_t i = move->first; i < move->end && !result; i++) {
        const micai_edit *edit = &l->tables.items[i];
        if (edit->kind == MICAI_EDIT_ADD) {
            micai_types_put(&set, edit->type->number);
        } else {
            micai_types_remove(&set, edit->type->number);
        }
    }
    micai_table *table = result ? NULL : micai_store_table(store, &set);
    micai_types_free(l->host, &set);
    return table;
}

// Returns true if two entities in the same table have edits of the same kinds and types.
static bool move_alike(const micai_delta_load *l, const micai_move *a, const micai_move *b)
{
    bool alike = a->spawned == b->spawned && a->end - a->first == b->end - b->first &&
                 (a->spawned || table_of(l, a->entity) == table_of(l, b->entity));
    for (uint32_t i = 0; alike && i < a->end - a->first; i++) {
        const micai_edit *one = &l->tables.items[a->first + i];
        const micai_edit *other = &l->tables.items[b->first + i];
        alike = one->type == other->type && one->kind == other->kind;
    }
    return alike;
}

static bool add_move(micai_delta_load *l, micai_move move)
{
    if (!micai_array_reserve(l->host, &l->moves, 1)) {
        return false;
    }
    const micai_move *last = l->moves.count > 0 ? &l->moves.items[l->moves.count - 1] : NULL;
    move.target = last && move_alike(l, last, &move) ? last->target : find_target(l, &move);
    l->moves.items[l->moves.count++] = move;
    return move.target != NULL;
}

// Lists the entities that get rows in other tables: those that are spawned, and those with edits of tables.
static bool list_moves(micai_delta_load *l)
{
    uint32_t edit = 0;
    uint32_t spawned = 0;
    const micai_edit *edits = l->tables.items;
    if (l->tables.count > 0) {
        qsort(l->tables.items, l->tables.count, sizeof *l->tables.items, compare_edits);
    }
    while (edit < l->tables.count || spawned < l->spawned.count) {
        bool by_edit = edit < l->tables.count && (spawned == l->spawned.count ||
                                                  mica_entity_slot(edits[edit].entity) <=
                                                      mica_entity_slot(l->spawned.items[spawned]));
        micai_move move = {.entity = by_edit ? edits[edit].entity : l->spawned.items[spawned],
                           .first = edit};
        while (edit < l->tables.count && edits[edit].entity.bits == move.entity.bits) {
            edit++;
        }
        move.end = edit;
        move.spawned =
            spawned < l->spawned.count && l->spawned.items[spawned].bits == move.entity.bits;
        spawned += move.spawned;
        if (!add_move(l, move)) {
            return false;
        }
    }
    return true;
}

static mica_result reserve_tables(micai_delta_load *l)
{
    micai_store *store = &l->state->store;
    if (!list_moves(l)) {
        return l->host->failed ? l->host->failed : MICA_ERROR_MEMORY;
    }
    uint32_t tables = store->tables.count;
    uint32_t *counts =
        micai_arena_alloc_array(l->host, &l->arena, tables, sizeof *counts, _Alignof(uint32_t));
    if (!counts) {
        return MICA_ERROR_MEMORY;
    }
    memset(counts, 0, tables * sizeof *counts);
    for (uint32_t i = 0; i < l->moves.count; i++) {
        micai_move *move = &l->moves.items[i];
        move->was_idle = move->target->idle;
        counts[move->target->id]++;
    }
    mica_result result = MICA_OK;
    for (uint32_t id = 0; id < tables && !result; id++) {
        result = counts[id] > 0 ? micai_table_reserve(store, store->tables.items[id], counts[id])
                                : MICA_OK;
    }
    return result;
}

// The edits of one type are adjacent.
static mica_result reserve_pools(micai_delta_load *l)
{
    micai_pools *pools = &l->state->pools;
    mica_result result = MICA_OK;
    for (uint32_t i = 0; i < l->pools.count && !result;) {
        const micai_type *type = l->pools.items[i].type;
        micai_pool *pool = pools->functions->open(pools, type);
        uint32_t count = 0;
        result = pool ? MICA_OK : MICA_ERROR_MEMORY;
        for (; i < l->pools.count && l->pools.items[i].type == type && !result; i++) {
            if (l->pools.items[i].kind == MICAI_EDIT_ADD) {
                uint32_t slot = mica_entity_slot(l->pools.items[i].entity);
                result = pools->functions->reserve_slot(pools, pool, slot);
                count++;
            }
        }
        result = result || count == 0 ? result : pools->functions->reserve(pools, pool, count);
    }
    return result;
}

// Reserves the seat of a link that the delta adds or changes.
static mica_result reserve_link(const micai_delta_load *l, const micai_edit *edit, uint32_t *count)
{
    micai_links *links = l->state->pools.links;
    mica_entity target = {0};
    if (!edit->type->relation || !edit->value ||
        (edit->kind != MICAI_EDIT_ADD && edit->kind != MICAI_EDIT_CHANGE)) {
        return MICA_OK;
    }
    memcpy(&target, edit->value, sizeof target);
    ++*count;
    mica_result result =
        links->ops->reserve_slot(links, edit->type->relation, mica_entity_slot(target));
    return result ? result : links->ops->reserve_seats(links, edit->type->relation, *count);
}

static mica_result reserve_links(const micai_delta_load *l)
{
    mica_result result = MICA_OK;
    uint32_t count = 0; // of all relations: there are few
    for (uint32_t i = 0; !result && i < l->values.count; i++) {
        result = reserve_link(l, &l->values.items[i], &count);
    }
    for (uint32_t i = 0; !result && i < l->pools.count; i++) {
        result = reserve_link(l, &l->pools.items[i], &count);
    }
    return result;
}

static mica_result reserve_sides(micai_delta_load *l)
{
    bool reserved = l->names.count == 0 || micai_names_reserve(l->state, l->names.count);
    for (uint32_t i = 0; i < l->names.count && reserved; i++) {
        micai_new_name *name = &l->names.items[i];
        name->copy = name->text ? micai_copy_text(l->host, name->text) : NULL;
        reserved = name->copy || !name->text;
    }
    for (uint32_t i = 0; i < l->resources.count && reserved; i++) {
        micai_new_resource *one = &l->resources.items[i];
        const mica_type_info *info = &one->type->info;
        if (one->value && !micai_resources_find(&l->state->resources, info->type)) {
            reserved = micai_resources_reserve(l->state, one->type) == MICA_OK;
            one->memory = reserved ? micai_alloc(l->host, info->size, info->align) : NULL;
            reserved = one->memory != NULL;
        }
    }
    return reserved ? MICA_OK : MICA_ERROR_MEMORY;
}

// A table that was idle had no capacity. Tables that were created are taken back at the end of the call.
static void cancel(micai_delta_load *l)
{
    for (uint32_t i = 0; i < l->moves.count; i++) {
        const micai_move *move = &l->moves.items[i];
        if (move->was_idle && !move->target->idle && !MICAI_CANARY("delta.idle")) {
            move->target->idle = true;
            micai_table_trim(&l->state->store, move->target);
        }
    }
}

mica_result micai_delta_reserve(micai_delta_load *l)
{
    mica_result result =
        micai_slots_reserve_exchange(l->host, &l->state->slots, l->despawned.items,
                                     l->despawned.count, l->spawned.items, l->spawned.count);
    if (result == MICA_ERROR_CORRUPT) {
        micai_delta_fail(l, "an entity is spawned in a slot that is used up");
        result = l->failed;
    }
    result = result ? result : add_owners(l);
    result = result ? result : reserve_tables(l);
    result = result ? result : reserve_pools(l);
    result = result ? result : reserve_links(l);
    result = result ? result : reserve_sides(l);
    if (result) {
        cancel(l);
    }
    return result;
}

void micai_delta_release(micai_delta_load *l)
{
    for (uint32_t i = 0; i < l->names.count; i++) {
        if (l->names.items[i].copy) {
            micai_release_text(l->host, l->names.items[i].copy);
        }
    }
    for (uint32_t i = 0; i < l->resources.count; i++) {
        const micai_new_resource *one = &l->resources.items[i];
        micai_release(l->host, one->memory, one->type->info.size, one->type->info.align);
    }
    micai_array_free(l->host, &l->despawned);
    micai_array_free(l->host, &l->spawned);
    micai_array_free(l->host, &l->edits);
    micai_array_free(l->host, &l->tables);
    micai_array_free(l->host, &l->pools);
    micai_array_free(l->host, &l->values);
    micai_array_free(l->host, &l->facets);
    micai_array_free(l->host, &l->names);
    micai_array_free(l->host, &l->resources);
    micai_array_free(l->host, &l->moves);
    micai_arena_free(l->host, &l->arena);
}

// Values in place, and pools

static void apply_values(micai_delta_load *l)
{
    for (uint32_t i = 0; i < l->values.count; i++) {
        const micai_edit *edit = &l->values.items[i];
        const micai_entity_ref ref = micai_entity_ref_of(l->state, edit->entity);
        if (edit->kind == MICAI_EDIT_CHANGE) {
            micai_value_replace(l->world, micai_value_find(l->state, ref, edit->type), edit->value);
        } else {
            micai_value_toggle(l->world, ref, edit->type, edit->off);
        }
    }
}

static void leave_pools(micai_delta_load *l)
{
    micai_pools *pools = &l->state->pools;
    for (uint32_t i = 0; i < l->pools.count; i++) {
        const micai_edit *edit = &l->pools.items[i];
        if (edit->kind == MICAI_EDIT_REMOVE) {
            micai_pool *pool = pools->by_type.items[edit->type->number];
            pools->functions->remove(pools, pool, mica_entity_slot(edit->entity),
                                     l->world->view.tick);
            pools->functions->relocate(pools, pool);
        }
    }
}

static void join_pools(micai_delta_load *l)
{
    micai_pools *pools = &l->state->pools;
    for (uint32_t i = 0; i < l->pools.count; i++) {
        const micai_edit *edit = &l->pools.items[i];
        if (edit->kind == MICAI_EDIT_ADD) {
            micai_pool *pool = pools->by_type.items[edit->type->number];
            uint32_t row = micai_pool_next(pool);
            (void)pools->functions->construct(pools, pool, row, 1, edit->value, 0); // bytes
            pools->functions->add(pools, pool, row, edit->entity, l->world->view.tick);
            if (edit->off) {
                micai_value_toggle(l->world, micai_entity_ref_of(l->state, edit->entity),
                                   edit->type, true);
            }
            pools->functions->relocate(pools, pool);
        }
    }
}

// Entities

static void despawn(micai_delta_load *l)
{
    const micai_facets *facets = micai_facets_of(l->state);
    for (int owners = 0; owners < 2; owners++) { // facets first
        for (uint32_t i = 0; i < l->despawned.count; i++) {
            mica_entity entity = l->despawned.items[i];
            const micai_record *record = micai_slots_find(&l->state->slots, entity);
            if (record && (owners || micai_facets_get(facets, entity))) {
                micai_change_drop_row(l->world, (micai_entity_ref){entity, record});
            }
        }
    }
}

// Returns the edit that gives a type to an entity. NULL: there is none.
static const micai_edit *find_added(const micai_delta_load *l, const micai_move *move,
                                    const micai_type *type)
{
    for (uint32_t i = move->first; i < move->end; i++) {
        if (l->tables.items[i].type == type) {
            return &l->tables.items[i];
        }
    }
    return NULL;
}

// Fills in a cell of the raw row after the last: with a new value, or with that of the old row.
static void fill_cell(micai_delta_load *l, const micai_edit *added, micai_cell to, micai_cell from,
                      void *space)
{
    micai_store *store = &l->state->store;
    const micai_type *type = to.table->layout.columns[to.column].type;
    const micai_kind *kind = micai_table_kind(to.table, to.column);
    uint64_t now = l->world->view.tick;
    micai_ticks ticks = {now, now};
    unsigned char off = added && added->off && !MICAI_CANARY("delta.disabled");
    void *value = added ? added->value : space;
    if (!added) {
        micai_table_kind(from.table, from.column)->give(store, from, space, 1);
        off = type->info.toggle && micai_toggle_is_off(from);
        ticks = type->info.row_stamps ? micai_ticks_get(from) : ticks;
    }
    kind->take(store, to, value, 1);
    if (type->info.toggle) {
        micai_replace_flags(store, to, &off, 1);
    }
    if (type->info.row_stamps) {
        micai_ticks_set(to, ticks);
    }
}

static void append_row(micai_delta_load *l, const micai_move *move, void *space)
{
    micai_state *state = l->state;
    micai_table *table = move->target;
    uint32_t slot = mica_entity_slot(move->entity);
    uint64_t now = l->world->view.tick;
    micai_row old = {0};
    if (move->spawned) {
        micai_slots_take_at(&state->slots, move->entity, table->next);
    } else {
        old = micai_row_of(&state->store, micai_slots_at(&state->slots, slot));
    }
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        const micai_type *type = table->layout.columns[c].type;
        const micai_edit *added = find_added(l, move, type);
        micai_cell from = {0};
        if (!added) {
            from = micai_row_cell(old, micai_table_column(micai_row_table(old), type->number));
        }
        fill_cell(l, added, micai_row_next(table, c), from, space);
    }
    if (!move->spawned) {
        micai_slots_place(&state->slots, slot, table->next);
    }
    micai_row_append(table, move->entity, now);
    if (!move->spawned) {
        micai_table *source = micai_row_table(old);
        uint32_t number = micai_row_number(old);
        state->store.row_moves++;
        micai_row_drop(&state->store, old, now);
        micai_debug_relocate_row(&state->store, source, number);
    }
    micai_debug_relocate_from(&state->store, table, table->count - 1);
}

static void apply_moves(micai_delta_load *l)
{
    for (uint32_t i = 0; i < l->moves.count; i++) {
        append_row(l, &l->moves.items[i], l->space);
    }
}

// What is kept beside

static void apply_sides(micai_delta_load *l)
{
    for (uint32_t i = 0; i < l->facets.count; i++) {
        const micai_facet *one = &l->facets.items[i];
        (void)micai_facets_revive(l->state, one->facet, one->owner, one->component, one->role);
    }
    for (uint32_t i = 0; i < l->names.count; i++) {
        micai_names_remove(l->state, l->names.items[i].entity);
    }
    for (uint32_t i = 0; i < l->names.count; i++) {
        micai_new_name *name = &l->names.items[i];
        if (name->copy) {
            micai_names_put(l->state, name->entity, name->copy);
            name->copy = NULL;
        }
    }
}

static void apply_resources(micai_delta_load *l)
{
    for (uint32_t i = 0; i < l->resources.count; i++) {
        micai_new_resource *one = &l->resources.items[i];
        const mica_type_info *info = &one->type->info;
        if (!one->value) {
            micai_resources_destroy_value(l->state, one->type,
                                          micai_resources_exchange(l->state, one->type, NULL));
            continue;
        }
        if (one->memory) {
            micai_resources_exchange(l->state, one->type, one->memory);
            one->memory = NULL;
        }
        memcpy(micai_resources_find(&l->state->resources, info->type), one->value, info->size);
    }
}

void micai_delta_apply(micai_delta_load *l)
{
    micai_links *links = l->state->pools.links;
    if (links) {
        links->ops->suspend(links);
    }
    apply_values(l);
    leave_pools(l);
    despawn(l);
    if (l->spawned.count > 0 && !MICAI_CANARY("delta.released")) {
        micai_slots_exchange_released(&l->state->slots);
    }
    apply_moves(l);
    join_pools(l);
    apply_sides(l);
    if (links) {
        links->ops->follow(links);
        links->ops->drop_invalid(l->world);
    }
    apply_resources(l);
    micai_store_compact_rings(&l->state->store, l->moves.count + l->despawned.count);
    micai_store_tidy(&l->state->store, l->known_tables);
}
