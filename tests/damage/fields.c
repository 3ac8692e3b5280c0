#include "damage/fields.h"

#include <string.h>

#include "command/command.h"
#include "core/field_strip.h"
#include "entity/data.h"
#include "entity/facet.h"
#include "entity/name.h"
#include "event/observer.h"
#include "event/queue.h"
#include "query/filtered_internal.h"
#include "state/trace.h"
#include "store/pool/group.h"

// How instances are found. Those that there are several of are the first of their sort.
#define FIND(name, instance)                                                                       \
    static void *name(const everything *e)                                                         \
    {                                                                                              \
        return instance;                                                                           \
    }

static micai_state *state_of(const everything *e)
{
    return e->world->state;
}

static void *data_of(const everything *e, micai_module_id module)
{
    return state_of(e)->modules[module].data;
}

// Base

FIND(world, e->world)
FIND(host, &e->world->host)
FIND(names_by_text, &micai_names_of(state_of(e))->by_text)

static void *entry_of_name(const everything *e)
{
    micai_map_entry *entry = micai_names_of(state_of(e))->by_text.entries;
    while (entry->value == MICAI_MAP_NONE) {
        entry++;
    }
    return entry;
}

FIND(types_arena, &state_of(e)->registry.arena)

// Core

FIND(slots, &state_of(e)->slots)
FIND(first_floor, state_of(e)->slots.floors.items)

// Of the second in the free list whose way back is noted.
static void *back(const everything *e)
{
    const micai_slots *all = slots(e);
    bool noted = false;
    for (uint32_t slot = all->free_first; slot != MICAI_SLOT_NONE;
         slot = micai_slots_at(all, slot)->where) {
        uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
        micai_back_link *one = page < all->back_links.count && all->back_links.items[page]
                                   ? &all->back_links.items[page][slot & (MICAI_SLOT_PAGE_SIZE - 1)]
                                   : NULL;
        bool is = one && one->tag == micai_slots_at(all, slot)->tag;
        if (is && noted) {
            return one;
        }
        noted = is;
    }
    return NULL;
}

static void *living_record(const everything *e)
{
    const micai_sheet *sheet = state_of(e)->store.root->sheets.items[0];
    return micai_slots_find(slots(e), micai_sheet_ids(sheet)[0]);
}

FIND(free_record, micai_slots_at(slots(e), state_of(e)->slots.free_first))

static micai_command *find_command(const everything *e, micai_verb verb)
{
    const micai_commands *commands = data_of(e, MICAI_MODULE_COMMAND);
    for (uint32_t i = 0; i < commands->list.count; i++) {
        const micai_buffer *buffer = commands->list.items[i];
        for (uint32_t place = buffer->first; place < buffer->count; place++) {
            micai_command *command = micai_command_at(buffer, place);
            if (command->verb == verb) {
                return command;
            }
        }
    }
    return NULL;
}

// Virgin, at or beyond `fresh`.
FIND(unused_record, micai_slots_at(slots(e), state_of(e)->slots.fresh))
FIND(registry, &state_of(e)->registry)
FIND(first_column_word, state_of(e)->registry.column_words.items)

static void *type_named(const everything *e, const char *name)
{
    return (void *)(uintptr_t)micai_registry_find_name(&state_of(e)->registry, name);
}

FIND(guest_type, type_named(e, "Guest"))

// The first of its name.
static void *guest_letter(const everything *e)
{
    const micai_type *type = guest_type(e);
    return (void *)(uintptr_t)type->info.name;
}

FIND(stable_type, type_named(e, "Stable"))
FIND(split_type, type_named(e, "Split"))

static void *guest_field(const everything *e)
{
    const micai_type *type = guest_type(e);
    return (void *)(uintptr_t)&type->info.fields[1];
}

static void *split_piece(const everything *e)
{
    const micai_type *type = split_type(e);
    return (void *)(uintptr_t)&type->strips[0];
}

static void *unclaimed(const everything *e)
{
    micai_queries *queries = data_of(e, MICAI_MODULE_QUERY);
    return &queries->unclaimed;
}

static micai_unclaimed_item *find_item(const everything *e, bool claimed)
{
    micai_unclaimed *all = unclaimed(e);
    uint32_t i = 0;
    while (!all->items.items[i].name != claimed) {
        i++;
    }
    return &all->items.items[i];
}

FIND(claimed_item, find_item(e, true))
FIND(unclaimed_item, find_item(e, false))

// Tables

FIND(store, &state_of(e)->store)

// The first table that has this type and rows.
static micai_table *table_with(const everything *e, const char *name)
{
    const micai_type *type = type_named(e, name);
    const micai_store *all = store(e);
    for (uint32_t id = 0; id < all->tables.count; id++) {
        micai_table *one = all->tables.items[id];
        if (one->count > 0 && micai_table_has(one, type->number)) {
            return one;
        }
    }
    return NULL;
}

FIND(word_table, table_with(e, "Word"))

static void *big_table(const everything *e)
{
    const micai_store *all = store(e);
    micai_table *one = all->tables.items[0];
    for (uint32_t id = 0; id < all->tables.count && one->disabled_columns == 0; id++) {
        one = all->tables.items[id];
    }
    return one;
}

FIND(table_ranks, micai_table_ranks(table_with(e, "Word")))
FIND(word_column, &table_with(e, "Word")->layout.columns[1])
FIND(word_strip, &table_with(e, "Word")->layout.strips[1])
FIND(word_sheet, table_with(e, "Word")->sheets.items[0])
FIND(word_page, &table_with(e, "Word")->sheets.items[0]->pages[1])
FIND(word_extent, ((micai_page *)word_page(e))->extent)
FIND(first_id, micai_sheet_ids(word_sheet(e)))

static void *row_ticks(const everything *e)
{
    const micai_table *table = table_with(e, "Guest");
    uint32_t column = micai_table_column(table, ((micai_type *)guest_type(e))->number);
    return micai_sheet_at(table->sheets.items[0], micai_ticks_strip(&table->layout, column), 0);
}

// The flags of the first row of a table: of one in which something is disabled, or of one in which nothing is.
static void *find_flag(const everything *e, bool has_disabled)
{
    const micai_store *all = store(e);
    const micai_type *type = type_named(e, "Big");
    for (uint32_t id = 0; id < all->tables.count; id++) {
        const micai_table *one = all->tables.items[id];
        uint32_t column = micai_table_column(one, type->number);
        if (column && one->count > 0 && one->layout.columns[column].has_disabled == has_disabled) {
            return micai_sheet_at(one->sheets.items[0], micai_toggle_strip(&one->layout, column),
                                  0);
        }
    }
    return NULL;
}

FIND(disabled_flag, find_flag(e, true))
FIND(lit_flag, find_flag(e, false))

// The first of a kind.
static micai_transition *find_transition(const everything *e, micai_transition_kind kind)
{
    const micai_store *all = store(e);
    micai_transition **place = all->transitions.maps[kind].places;
    while (!(*place)->target) {
        place++;
    }
    return *place;
}

FIND(add, find_transition(e, MICAI_TRANSITION_ADD))
FIND(list_transition, find_transition(e, MICAI_TRANSITION_LIST))
FIND(spawn, find_transition(e, MICAI_TRANSITION_SPAWN))
FIND(first_step, find_transition(e, MICAI_TRANSITION_LIST)->steps)
FIND(first_copy, (void *)(uintptr_t)find_transition(e, MICAI_TRANSITION_ADD)->copies)
FIND(transition_map, &state_of(e)->store.transitions.maps[MICAI_TRANSITION_REMOVE])

FIND(free_sheet, state_of(e)->store.free_sheets.items)
FIND(first_listener, state_of(e)->store.listeners.items)

static void *known_type(const everything *e)
{
    const micai_type *type = type_named(e, "Word");
    return state_of(e)->store.directory.view.types[type->number];
}

// The spot of a sheet, or of a number behind the last sheet.
static void *find_spot(const everything *e, const char *name, uint32_t number)
{
    const micai_type *type = type_named(e, name);
    return micai_directory_pointer(&state_of(e)->store.directory, type->number, number);
}

FIND(word_spot, find_spot(e, "Word", ((micai_sheet *)word_sheet(e))->number))
FIND(empty_spot, find_spot(e, "Word", state_of(e)->store.root->sheets.items[0]->number))
FIND(rung_spot, find_spot(e, "Rung", table_with(e, "Rung")->sheets.items[0]->number))
FIND(blank_spot, state_of(e)->store.directory.blank_flat)
FIND(ring, state_of(e)->store.rings.list.items[0])
FIND(share, ((micai_ring *)ring(e))->runs.items[0])

// Pools

FIND(pools, &state_of(e)->pools)

static micai_pool *pool_of(const everything *e, const char *name)
{
    const micai_type *type = type_named(e, name);
    return state_of(e)->pools.list.items[type->sparse];
}

FIND(loose_pool, pool_of(e, "Loose"))
FIND(stable_pool, pool_of(e, "Stable"))

static void *leaf_entry(const everything *e)
{
    const micai_pool *pool = loose_pool(e);
    return micai_index_entry(&pool->index, mica_entity_slot(micai_pool_entity(pool, 0)));
}

FIND(pool_tick, &pool_of(e, "Loose")->table.sheets.items[0]->pages[1].tick)
FIND(pool_row_tick, pool_of(e, "Loose")->table.sheets.items[0]->pages[2].data)
FIND(pool_block, pool_of(e, "Loose")->index.view.blocks)
FIND(presence_word, state_of(e)->pools.words.items)

static micai_group *find_group(const everything *e, bool owns)
{
    micai_group *found = NULL;
    MICAI_FOR_HANDLES(micai_group, group, &state_of(e)->pools.groups)
    {
        found = !found && (group->owned_count > 0) == owns ? group : found;
    }
    return found;
}

FIND(owning_group, find_group(e, true))
FIND(group_list, find_group(e, false)->list)
FIND(free_group, state_of(e)->pools.groups.free_list.items)
FIND(owned_pool, find_group(e, true)->pools[0])

// State and entities

FIND(state, state_of(e))
FIND(walks, &state_of(e)->walks)
FIND(open_walk, e->outer.walk)
FIND(timed_walk, e->timed.walk)
FIND(driven_block, e->driven.walk->memory)

static void *resource(const everything *e)
{
    micai_resource *one = state_of(e)->resources.items;
    while (!one->value) {
        one++;
    }
    return one;
}

FIND(name, micai_names_of(state_of(e))->list.items)

static micai_facet *find_facet(const everything *e, bool used)
{
    micai_facet *one = micai_facets_of(state_of(e))->list.items;
    while (MICA_IS_NONE(one->facet) == used) {
        one++;
    }
    return one;
}

FIND(facet, find_facet(e, true))
FIND(free_facet, find_facet(e, false))
FIND(bundle, micai_bundles_of(state_of(e))->handles.list.items[0])
FIND(free_bundle, micai_bundles_of(state_of(e))->handles.free_list.items)
FIND(tracing, data_of(e, MICAI_MODULE_TRACE))

// Queries

FIND(pairs_query, (void *)(uintptr_t)e->outer.walk->query)
FIND(timed_query, (void *)(uintptr_t)e->timed.walk->query)
FIND(mixed_query, (void *)(uintptr_t)e->driven.walk->query)
FIND(first_term, &((micai_query *)pairs_query(e))->terms[0])
FIND(first_match, ((micai_query *)pairs_query(e))->tables.items)
FIND(first_found, ((micai_query *)pairs_query(e))->term_columns.items)

static void *free_query(const everything *e)
{
    micai_queries *queries = data_of(e, MICAI_MODULE_QUERY);
    return queries->handles.free_list.items;
}

// Commands

static void *later(const everything *e)
{
    micai_commands *commands = data_of(e, MICAI_MODULE_COMMAND);
    return commands->later;
}

FIND(spawn_command, find_command(e, MICAI_SPAWN))
FIND(sending, find_command(e, MICAI_SEND)->data.pointer)

// Events and observers

static void *queue(const everything *e)
{
    const micai_queues *queues = data_of(e, MICAI_MODULE_QUEUE);
    uint32_t i = 0;
    while (!queues->list.items[i]) {
        i++;
    }
    return queues->list.items[i];
}

static micai_cursor *cursor_of(const everything *e)
{
    const micai_queues *queues = data_of(e, MICAI_MODULE_QUEUE);
    return queues->cursors.list.items;
}

FIND(first_cursor, cursor_of(e))
FIND(name_of_cursor, cursor_of(e)->name)

FIND(observers, data_of(e, MICAI_MODULE_OBSERVER))

static micai_observer *find_observer(const everything *e, const char *named)
{
    const micai_observers *all = observers(e);
    for (uint32_t i = 0; i < all->handles.list.count; i++) {
        micai_observer *one = all->handles.list.items[i];
        if (one && strcmp(one->callback.name, named) == 0) {
            return one;
        }
    }
    return NULL;
}

FIND(guest_observer, find_observer(e, "guests"))
FIND(free_observer, ((micai_observers *)observers(e))->handles.free_list.items)

static void *guest_counts(const everything *e)
{
    const micai_type *type = guest_type(e);
    return &((micai_observers *)observers(e))->by_type.items[type->number].active;
}

// Who is the only one to listen to a kind of the stable type.
static void *alone(const everything *e)
{
    micai_type *type = stable_type(e);
    uint32_t bit = 0;
    while (!type->single_listener[bit]) {
        bit++;
    }
    return (void *)(uintptr_t)&type->single_listener[bit];
}

// Systems

FIND(systems, data_of(e, MICAI_MODULE_SYSTEM))

static micai_system *find_system(const everything *e, const char *named)
{
    mica_system handle = mica_system_find(e->world, named);
    return micai_systems_look_up(systems(e), handle);
}

FIND(last_system, find_system(e, "system 2"))
FIND(declared_system, find_system(e, "declared"))
FIND(fixed_phase, find_system(e, "declared")->phase)

// The rows

#define ROW(find, T, member, harm, invariants)                                                     \
    {                                                                                              \
#find "." #member, find, offsetof(T, member), sizeof(((T *)0)->member), harm, invariants   \
    }
#define ITEM(find, T, harm, invariants)                                                            \
    {                                                                                              \
#find, find, 0, sizeof(T), harm, invariants                                                \
    }

const field fields[] = {
    ROW(host, micai_host, memory.blocks, HARM_HIGH, "M3"),
    ROW(host, micai_host, memory_max, HARM_LOW, "M7"),
    ROW(host, micai_host, last_error.sentence, HARM_TEXT, "I1"),
    ROW(host, micai_host, repeated[0].printed, HARM_HIGH, "I1"),
    ROW(host, micai_host, depth, HARM_LOW, "I2"),
    ROW(names_by_text, micai_map, count, HARM_LOW, "H1"),
    ROW(entry_of_name, micai_map_entry, hash, HARM_LOW, "H2"),
    ROW(entry_of_name, micai_map_entry, value, HARM_HIGH, "H3"),
    ROW(types_arena, micai_arena, used, HARM_HIGH, "A3"),
    ROW(registry, micai_registry, list.count, HARM_HIGH, "L1"),

    ROW(slots, micai_slots, alive, HARM_LOW, "S1"),
    ROW(slots, micai_slots, free_count, HARM_LOW, "S2"),
    ROW(slots, micai_slots, ahead, HARM_LOW, "S3"),
    ROW(slots, micai_slots, limit, HARM_ZERO, "S4"),
    ROW(slots, micai_slots, ready, HARM_HIGH, "S5"),
    ROW(slots, micai_slots, page_capacity, HARM_ZERO, "S6"),
    ROW(slots, micai_slots, pending, HARM_LOW, "S9"),
    ROW(slots, micai_slots, slabs.single, HARM_LOW, "M6"),
    ITEM(first_floor, uint32_t, HARM_ZERO, "S7"),
    ROW(back, micai_back_link, before, HARM_LOW, "S8"),
    ROW(living_record, micai_record, where, HARM_LOW, "T1"),
    ROW(free_record, micai_record, where, HARM_LOW, "S2"),
    ROW(unused_record, micai_record, where, HARM_LOW, "S3"),
    ROW(registry, micai_registry, hidden, HARM_HIGH, "K9"),
    ROW(registry, micai_registry, limit, HARM_ZERO, "K7"),
    ITEM(first_column_word, uint64_t, HARM_LOW, "K3"),
    ROW(guest_type, micai_type, number, HARM_LOW, "K1"),
    ITEM(guest_letter, char, HARM_LOW, "K2"),
    ROW(guest_type, micai_type, depth, HARM_LOW, "K5"),
    ROW(guest_type, micai_type, info.align, HARM_LOW, "K6"),
    ROW(guest_type, micai_type, plain, HARM_LOW, "K10"),
    ROW(stable_type, micai_type, sparse, HARM_HIGH, "K3"),
    ROW(split_piece, micai_field_strip, offset, HARM_LOW, "K8"),
    ROW(guest_field, mica_field_info, offset, HARM_HIGH, "K4"),
    ROW(claimed_item, micai_unclaimed_item, detail, HARM_LOW, "V1"),
    ROW(unclaimed_item, micai_unclaimed_item, last, HARM_HIGH, "V2"),

    ROW(store, micai_store, tables.count, HARM_LOW, "G1 H3"),
    ITEM(free_sheet, uint32_t, HARM_LOW, "G4"),
    ROW(first_listener, micai_listener, freeing, HARM_ZERO, "G6"),
    ROW(word_table, micai_table, id, HARM_LOW, "G1"),
    ROW(word_table, micai_table, facet, HARM_LOW, "G1"),
    ROW(word_table, micai_table, capacity, HARM_LOW, "T5"),
    ROW(word_table, micai_table, next, HARM_LOW, "T6"),
    ROW(word_table, micai_table, fast_paths, HARM_LOW, "T8"),
    ROW(word_table, micai_table, layout.column_count, HARM_LOW, "U1"),
    ROW(word_table, micai_table, layout.strip_count, HARM_LOW, "U2"),
    ROW(word_table, micai_table, layout.plain, HARM_LOW, "U3"),
    ROW(word_table, micai_table, sheets.capacity, HARM_ZERO, "L1 T11"),
    ROW(big_table, micai_table, disabled_columns, HARM_LOW, "F3"),
    ITEM(disabled_flag, unsigned char, HARM_HIGH, "F1"),
    ITEM(lit_flag, unsigned char, HARM_LOW, "F2"),
    ITEM(table_ranks, uint16_t, HARM_LOW, "G1"),
    ROW(word_column, micai_column, strip, HARM_LOW, "U1"),
    ROW(word_strip, micai_strip, size, HARM_LOW, "U2"),
    ROW(word_sheet, micai_sheet, capacity, HARM_HIGH, "T2"),
    ROW(word_sheet, micai_sheet, index, HARM_LOW, "T4"),
    ROW(word_sheet, micai_sheet, adjacent, HARM_LOW, "T7"),
    ROW(word_page, micai_page, tick, HARM_HIGH, "T9"),
    ROW(word_extent, micai_extent, unit_count, HARM_ZERO, "T12"),
    ROW(word_extent, micai_extent, live, HARM_HIGH, "T13"),
    ITEM(first_id, mica_entity, HARM_LOW, "T1"),
    ITEM(row_ticks, uint64_t, HARM_HIGH, "T10"),
    ROW(add, micai_transition, strip_count, HARM_LOW, "G2"),
    ROW(add, micai_transition, size, HARM_LOW, "G5"),
    ROW(list_transition, micai_transition, key, HARM_LOW, "G2"),
    ROW(list_transition, micai_transition, fast_paths, HARM_LOW, "G5"),
    ROW(spawn, micai_transition, kind, HARM_LOW, "G2"),
    ROW(spawn, micai_transition, pins, HARM_LOW, "W3"),
    ROW(first_step, micai_step, bits, HARM_LOW, "G2"),
    ROW(first_copy, micai_copy, size, HARM_LOW, "G2"),
    ROW(transition_map, micai_transition_map, count, HARM_LOW, "G8"),
    ROW(known_type, mica_view_type, size, HARM_LOW, "D3"),
    ROW(word_spot, mica_view_values, written_tick, HARM_HIGH, "D1"),
    ROW(empty_spot, mica_view_values, written_tick, HARM_LOW, "D2"),
    ROW(blank_spot, mica_view_values, written_tick, HARM_LOW, "D4"),
    ROW(rung_spot, mica_view_values, data, HARM_LOW, "R8"),
    ROW(ring, micai_ring, capacity, HARM_ZERO, "R1 R3"),
    ROW(ring, micai_ring, tick, HARM_HIGH, "R7"),
    ROW(share, micai_ring_slice, column, HARM_LOW, "R4"),
    ROW(share, micai_ring_slice, run.base, HARM_HIGH, "R1"),
    ROW(share, micai_ring_slice, run.tip, HARM_HIGH, "R2"),
    ROW(share, micai_ring_slice, run.length, HARM_ZERO, "R6"),
    ROW(share, micai_ring_slice, overflow.capacity, HARM_ZERO, "R5"),

    ROW(pools, micai_pools, row_count, HARM_LOW, "P7"),
    ROW(loose_pool, micai_pool, table.count, HARM_LOW, "T6 P16"),
    ROW(loose_pool, micai_pool, table.capacity, HARM_ZERO, "T5"),
    ROW(loose_pool, micai_pool, fast_paths, HARM_LOW, "P6"),
    ROW(loose_pool, micai_pool, table.disabled_columns, HARM_LOW, "F3"),
    ROW(loose_pool, micai_pool, index.block_capacity, HARM_ZERO, "P15"),
    ROW(loose_pool, micai_pool, column, HARM_LOW, "P6"),
    ROW(stable_pool, micai_pool, index.hole_count, HARM_LOW, "P3"),
    ROW(stable_pool, micai_pool, index.leaf_capacity, HARM_ZERO, "P15"),
    ITEM(leaf_entry, uint32_t, HARM_LOW, "P16"),
    ROW(pool_block, mica_view_block, data, HARM_LOW, "P15"),
    ROW(pool_block, mica_view_block, flags_tick, HARM_LOW, "P15"),
    ITEM(pool_tick, uint64_t, HARM_HIGH, "T9"),
    ITEM(pool_row_tick, uint64_t, HARM_HIGH, "T10"),
    ITEM(presence_word, uint64_t, HARM_HIGH, "P14"),
    ROW(owned_pool, micai_pool, owner, HARM_ZERO, "P8"),
    ROW(owning_group, micai_group, count, HARM_LOW, "P9"),
    ROW(group_list, micai_pool, table.capacity, HARM_ZERO, "P10"),
    ROW(group_list, micai_pool, table.count, HARM_LOW, "T6"),
    ITEM(free_group, uint32_t, HARM_LOW, "L2"),
    ROW(owning_group, micai_group, seed, HARM_HIGH, "P11"),

    ROW(world, mica_world, busy, HARM_LOW, "B1"),
    ROW(world, mica_world, scratch_reserved, HARM_HIGH, "W7"),
    ROW(state, micai_state, midway, HARM_LOW, "W1"),
    ROW(state, micai_state, time, HARM_HIGH, "W5"),
    ROW(state, micai_state, side_tables_in_use, HARM_LOW, "W6"),
    ROW(walks, micai_walks, count, HARM_LOW, "J1"),
    ROW(walks, micai_walks, made, HARM_LOW, "J2"),
    ROW(walks, micai_walks, gathered, HARM_LOW, "Q6"),
    ROW(open_walk, micai_walk, held_by_step, HARM_LOW, "J3"),
    ROW(timed_walk, micai_walk, memory_align, HARM_LOW, "J4"),
    ROW(resource, micai_resource, bits, HARM_LOW, "W10"),
    ROW(name, micai_name, hash, HARM_LOW, "W2"),
    ROW(free_facet, micai_facet, role, HARM_LOW, "X1"),
    ROW(facet, micai_facet, owner, HARM_LOW, "X1 X2"),
    ROW(facet, micai_facet, role, HARM_LOW, "X3"),
    ROW(facet, micai_facet, previous, HARM_LOW, "X4"),
    ROW(bundle, micai_bundle, spawn, HARM_ZERO, "W3"),
    ROW(bundle, micai_bundle, seed, HARM_LOW, "W3"),
    ITEM(free_bundle, uint32_t, HARM_LOW, "L2"),
    ROW(first_listener, micai_listener, user, HARM_ZERO, "W4"),
    ROW(tracing, micai_tracing, output.used, HARM_HIGH, "W9"),

    ITEM(first_match, micai_table *, HARM_ZERO, "Q1"),
    ROW(first_found, micai_term_column, column, HARM_LOW, "Q2"),
    ROW(open_walk, micai_walk, match, HARM_HIGH, "Q3"),
    ROW(driven_block, micai_block, count, HARM_HIGH, "Q3"),
    ROW(pairs_query, micai_query, readable, HARM_LOW, "Q4"),
    ROW(pairs_query, micai_query, cached_at, HARM_HIGH, "Q8"),
    ROW(timed_query, micai_query, since, HARM_HIGH, "Q7"),
    ROW(mixed_query, micai_query, declaring_systems, HARM_LOW, "Y1"),
    ROW(first_term, micai_term, size, HARM_LOW, "Q4"),
    ROW(mixed_query, micai_query, sparse, HARM_LOW, "Q4"),
    ITEM(free_query, uint32_t, HARM_LOW, "L2"),
    ROW(state, micai_state, query_count, HARM_HIGH, "Q5"),

    ROW(later, micai_buffer, first, HARM_HIGH, "N1"),
    ROW(later, micai_buffer, face.busy, HARM_LOW, "N4"),
    ROW(state, micai_state, waiting, HARM_LOW, "N3"),
    ROW(spawn_command, micai_command, entity, HARM_LOW, "N2"),
    ROW(spawn_command, micai_command, verb, HARM_HIGH, "N1"),
    ROW(sending, micai_send_data, count, HARM_ZERO, "N1"),

    ROW(queue, micai_queue, bits, HARM_LOW, "E1"),
    ROW(queue, micai_queue, last.count, HARM_HIGH, "E2"),
    ROW(queue, micai_queue, space, HARM_LOW, "E3"),
    ROW(first_cursor, micai_cursor, read.next, HARM_HIGH, "E4"),
    ITEM(name_of_cursor, char, HARM_HIGH, "E4"),
    ROW(observers, micai_observers, freed, HARM_LOW, "O4"),
    ROW(observers, micai_observers, postponed.count, HARM_LOW, "O6"),
    ROW(guest_observer, micai_observer, events, HARM_HIGH, "O1"),
    ROW(guest_observer, micai_observer, place, HARM_HIGH, "O2"),
    ROW(guest_counts, micai_kind_counts, counts[0], HARM_LOW, "O3"),
    ITEM(alone, micai_callback *, HARM_ZERO, "O5"),
    ITEM(free_observer, uint32_t, HARM_LOW, "L2"),

    ROW(declared_system, micai_system, seed, HARM_HIGH, "Y1"),
    ROW(declared_system, micai_system, declared.query_count, HARM_HIGH, "Y1"),
    ROW(declared_system, micai_system, declared.read[0].next, HARM_HIGH, "Y5"),
    ROW(last_system, micai_system, rank, HARM_ZERO, "Y3"),
    ROW(fixed_phase, micai_phase, now.lag, HARM_HIGH, "Y3"),
    {NULL, NULL, 0, 0, HARM_LOW, NULL},
};
