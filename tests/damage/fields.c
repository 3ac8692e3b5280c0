#include "damage/fields.h"

#include <string.h>

#include "command/command.h"
#include "core/piece.h"
#include "entity/data.h"
#include "entity/facet.h"
#include "entity/name.h"
#include "event/observer.h"
#include "event/queue.h"
#include "query/mixed.h"
#include "state/trace.h"
#include "store/pool/group.h"

#define ROW(S, member, harm, invariants)                                                           \
    {                                                                                              \
#member, offsetof(S, member), sizeof(((S *)0)->member), harm, invariants                   \
    }
#define PART(S, member) ROW(S, member, HARM_PART, NULL)
#define FREE(S, member, why) ROW(S, member, HARM_NONE, why)
#define ARRAY(S, member) LIST(S, member, HARM_ENDS)
#define LIST(S, member, harm)                                                                      \
    ROW(S, member.items, HARM_POINTER, "L1"), ROW(S, member.count, harm, "*"),                     \
        ROW(S, member.capacity, HARM_CAPACITY, "L1")
#define END                                                                                        \
    {                                                                                              \
        NULL, 0, 0, HARM_NONE, NULL                                                                \
    }
#define SEE(v, instance) (v)->see(v, instance)

static const char users[] = "the user's";
static const char figure[] = "a figure, which only grows";
static const char alone[] = "nothing else says the same";
static const char unused[] = "not in use";
static const char trusted[] = "a pointer that only the library writes";

// Base

static const field range_fields[] = {ROW(micai_range, low, HARM_MOST, "M4 W1"),
                                     ROW(micai_range, high, HARM_ZERO, "M4 W1"), END};

static void each_range(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < MICAI_RANGE_COUNT; i++) {
        micai_range *range = &e->world->host.ranges[i];
        if (range->low != range->high) {
            SEE(v, range);
        }
    }
}

static const field heard_fields[] = {
    ROW(micai_heard, sentence, HARM_ENDLESS, "E1"), ROW(micai_heard, count, HARM_HIGH, "E1"),
    ROW(micai_heard, told, HARM_HIGH, "E1"), ROW(micai_heard, moment, HARM_HIGH, "E1"), END};

static void each_heard(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < MICAI_HEARD_COUNT; i++) {
        SEE(v, &e->world->host.heard[i]);
    }
}

static const field waiting_fields[] = {ROW(micai_waiting, count, HARM_NUMBER, "E1"),
                                       ROW(micai_waiting, left_out, HARM_NUMBER, "E1"),
                                       FREE(micai_waiting, items, unused), END};

static void each_waiting(everything *e, visitor *v)
{
    SEE(v, &e->world->host.errors);
    SEE(v, &e->world->host.lines);
}

static const field host_fields[] = {ROW(micai_host, allocator.resize, HARM_ZERO, "E1"),
                                    FREE(micai_host, allocator.user, users),
                                    ROW(micai_host, memory.bytes, HARM_HIGH, "M3"),
                                    ROW(micai_host, memory.peak_bytes, HARM_ZERO, "M3"),
                                    ROW(micai_host, memory.blocks, HARM_HIGH, "M3"),
                                    ROW(micai_host, memory.allocations, HARM_ZERO, "M3"),
                                    ROW(micai_host, memory_max, HARM_NUMBER, "M7"),
                                    ROW(micai_host, beyond_maximum, HARM_POINTER, "M7"),
                                    PART(micai_host, ranges),
                                    FREE(micai_host, error_handler, users),
                                    FREE(micai_host, error_user, users),
                                    ROW(micai_host, last_error.code, HARM_HIGH, "E1"),
                                    ROW(micai_host, last_error.sentence, HARM_ENDLESS, "E1"),
                                    ROW(micai_host, failed, HARM_HIGH, "E1"),
                                    FREE(micai_host, abort_on_error, users),
                                    FREE(micai_host, log_handler, users),
                                    FREE(micai_host, log_user, users),
                                    ROW(micai_host, world, HARM_POINTER, "W1"),
                                    ROW(micai_host, system, HARM_POINTER, "W1"),
                                    ROW(micai_host, hook, HARM_POINTER, "B2"),
                                    ROW(micai_host, hooked, HARM_POINTER, "B2"),
                                    ROW(micai_host, inside, HARM_NUMBER, "E2"),
                                    ROW(micai_host, call, HARM_POINTER, "E2"),
                                    ROW(micai_host, handler, HARM_POINTER, "E2"),
                                    ROW(micai_host, busy, HARM_POINTER, "W1"),
                                    ROW(micai_host, main, HARM_POINTER, "W1"),
                                    ROW(micai_host, next, HARM_POINTER, "N4"),
                                    ROW(micai_host, previous, HARM_POINTER, "N4"),
                                    PART(micai_host, errors),
                                    PART(micai_host, lines),
                                    PART(micai_host, heard),
                                    FREE(micai_host, moment, figure),
                                    END};

static void each_host(everything *e, visitor *v)
{
    SEE(v, &e->world->host);
}

static const field map_fields[] = {ROW(micai_map, entries, HARM_POINTER, "H1"),
                                   ROW(micai_map, count, HARM_NUMBER, "H1"),
                                   ROW(micai_map, capacity, HARM_NUMBER, "H1"), END};

static micai_systems *systems_of(everything *e)
{
    return e->world->state->modules[MICAI_MODULE_SYSTEM].data;
}

static micai_queries *queries_of(everything *e)
{
    return e->world->state->modules[MICAI_MODULE_QUERY].data;
}

// Those that there are, in the order of their numbers.
#define FOR_SYSTEMS(e, one)                                                                        \
    micai_system *one;                                                                             \
    for (uint32_t i_ = 0; i_ < systems_of(e)->systems.list.count; i_++)                            \
        if ((one = systems_of(e)->systems.list.items[i_]) != NULL)

static micai_map *map_at(everything *e, uint32_t i)
{
    micai_state *state = e->world->state;
    micai_map *const maps[] = {&state->registry.by_name,
                               &state->store.by_set,
                               &micai_names_of(state)->by_text,
                               &micai_names_of(state)->by_slot,
                               &systems_of(e)->by_name,
                               &micai_facets_of(state)->by_key,
                               &micai_facets_of(state)->by_handle,
                               &micai_facets_of(state)->by_owner,
                               &systems_of(e)->phases_by_name,
                               &queries_of(e)->unclaimed.by_key,
                               &systems_of(e)->unclaimed.by_key};
    return maps[i];
}

enum { MAPS = 11 };

static void each_map(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < MAPS; i++) {
        SEE(v, map_at(e, i));
    }
}

static void see_entries(everything *e, visitor *v, bool used)
{
    for (uint32_t i = 0; i < MAPS; i++) {
        const micai_map *map = map_at(e, i);
        for (uint32_t at = 0; at < map->capacity; at++) {
            if ((map->entries[at].value != MICAI_MAP_NONE) == used) {
                SEE(v, &map->entries[at]);
            }
        }
    }
}

static const field entry_fields[] = {
    ROW(micai_map_entry, hash, HARM_NUMBER, "H2 K2 G1 W2 Y1 X3 X4 V2"),
    ROW(micai_map_entry, value, HARM_NUMBER, "H3 K2 G1 W2 Y1 X3 X4 V2"), END};

static void each_entry(everything *e, visitor *v)
{
    see_entries(e, v, true);
}

static const field free_entry_fields[] = {FREE(micai_map_entry, hash, unused),
                                          ROW(micai_map_entry, value, HARM_NUMBER, "H1"), END};

static void each_free_entry(everything *e, visitor *v)
{
    see_entries(e, v, false);
}

static const field arena_fields[] = {ROW(micai_arena, first, HARM_WILD, "A3"),
                                     ROW(micai_arena, current, HARM_WILD, "A3"),
                                     ROW(micai_arena, used, HARM_HIGH, "A3"), END};

static void each_arena(everything *e, visitor *v)
{
    SEE(v, &e->world->state->registry.arena);
    SEE(v, &e->world->scratch);
    SEE(v, &systems_of(e)->frame);
}

static const field block_fields[] = {ROW(micai_arena_block, next, HARM_WILD, "A3"),
                                     ROW(micai_arena_block, size, HARM_HIGH, "A3"), END};

static void each_block(everything *e, visitor *v)
{
    micai_arena *const arenas[] = {&e->world->state->registry.arena, &e->world->scratch,
                                   &systems_of(e)->frame};
    for (uint32_t i = 0; i < 3; i++) {
        for (micai_arena_block *block = arenas[i]->first; block; block = block->next) {
            SEE(v, block);
        }
    }
}

// Core

static const field slots_fields[] = {ROW(micai_slots, view.pages, HARM_POINTER, "S6"),
                                     ROW(micai_slots, view.page_count, HARM_ENDS, "S1 S3 S6 S7 M6"),
                                     ROW(micai_slots, slabs.first, HARM_WILD, "M5 M6"),
                                     ROW(micai_slots, slabs.size, HARM_NUMBER, "S6"),
                                     ROW(micai_slots, slabs.single, HARM_NUMBER, "M6"),
                                     ROW(micai_slots, page_capacity, HARM_CAPACITY, "S6"),
                                     ROW(micai_slots, fresh, HARM_NUMBER, "S3 S4 S5"),
                                     ROW(micai_slots, ready, HARM_ENDS, "S5"),
                                     ROW(micai_slots, ahead, HARM_NUMBER, "S3"),
                                     ROW(micai_slots, free_first, HARM_NUMBER, "S2"),
                                     ROW(micai_slots, free_count, HARM_NUMBER, "S2"),
                                     ROW(micai_slots, alive, HARM_NUMBER, "S1"),
                                     ROW(micai_slots, pending, HARM_NUMBER, "S9"),
                                     ROW(micai_slots, limit, HARM_ZERO, "S4"),
                                     LIST(micai_slots, floors, HARM_HIGH),
                                     LIST(micai_slots, backs, HARM_HIGH),
                                     END};

static void each_slots(everything *e, visitor *v)
{
    SEE(v, &e->world->state->slots);
}

#define ITEM(T, harm, invariants)                                                                  \
    {                                                                                              \
        {"item", 0, sizeof(T), harm, invariants}, END                                              \
    }

static const field slot_page_fields[] = ITEM(micai_record *, HARM_POINTER, "S1 S2 S3 S6 M6");

static void each_slot_page(everything *e, visitor *v)
{
    mica_view_slots *view = &e->world->state->slots.view;
    for (uint32_t i = 0; i < view->page_count; i++) {
        SEE(v, &view->pages[i]);
    }
}

#ifdef MICAI_TEST_SMALL_PAGES
static const field slab_fields[] = {ROW(micai_slab, next, HARM_WILD, "M5 M6"),
                                    ROW(micai_slab, taken, HARM_NUMBER, "M5 M6"), END};

static void each_slab(everything *e, visitor *v)
{
    for (micai_slab *slab = e->world->state->slots.slabs.first; slab; slab = slab->next) {
        SEE(v, slab);
    }
}
#endif

// A page that is made anew has what it has from its floor.
static const field floor_fields[] = ITEM(uint32_t, HARM_ENDS, "S7");

static void each_floor(everything *e, visitor *v)
{
    micai_slots *slots = &e->world->state->slots;
    for (uint32_t i = 0; i < slots->floors.count; i++) {
        SEE(v, &slots->floors.items[i]);
    }
}

static const field back_page_fields[] = ITEM(micai_slot_back *, HARM_WILD, "S8");

static void each_back_page(everything *e, visitor *v)
{
    micai_slots *slots = &e->world->state->slots;
    for (uint32_t i = 0; i < slots->backs.count; i++) {
        SEE(v, &slots->backs.items[i]);
    }
}

static const field back_fields[] = {
    ROW(micai_slot_back, before, HARM_NUMBER, "S8"),
    FREE(micai_slot_back, tag, "of another generation than its slot, it says nothing"), END};

// Of slots that stand in the free list behind another whose way back is noted.
static void each_back(everything *e, visitor *v)
{
    micai_slots *slots = &e->world->state->slots;
    bool noted = false;
    for (uint32_t slot = slots->free_first; slot != MICAI_SLOT_NONE;
         slot = micai_slots_at(slots, slot)->where) {
        uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
        micai_slot_back *back = page < slots->backs.count && slots->backs.items[page]
                                    ? &slots->backs.items[page][slot % MICAI_SLOT_PAGE_SIZE]
                                    : NULL;
        bool is = back && back->tag == micai_slots_at(slots, slot)->tag;
        if (is && noted) {
            SEE(v, back);
        }
        noted = is;
    }
}

typedef enum state { ALIVE, PENDING, FREED, UNUSED } state;

static void see_records(everything *e, visitor *v, state wanted)
{
    mica_view_slots *view = &e->world->state->slots.view;
    for (uint32_t page = 0; page < view->page_count; page++) {
        for (uint32_t i = 0; view->pages[page] && i < MICAI_SLOT_PAGE_SIZE; i++) {
            micai_record *record = &view->pages[page][i];
            uint32_t floor = micai_slots_floor(&e->world->state->slots, page);
            bool itself = record->where == (page << MICAI_SLOT_PAGE_SHIFT | i);
            state is = record->tag < MICAI_SLOT_FREE             ? ALIVE
                       : itself                                  ? PENDING
                       : record->tag > (MICAI_SLOT_FREE | floor) ? FREED
                                                                 : UNUSED;
            if (is == wanted) {
                SEE(v, record);
            }
        }
    }
}

static const field record_fields[] = {ROW(micai_record, where, HARM_NUMBER, "T1"),
                                      ROW(micai_record, tag, HARM_NUMBER, "S1 S2 S3 S7 T1"), END};

static void each_record(everything *e, visitor *v)
{
    see_records(e, v, ALIVE);
}

static const field pending_fields[] = {ROW(micai_record, where, HARM_NUMBER, "S3 S9"),
                                       ROW(micai_record, tag, HARM_NUMBER, "S1 S2 S3 S7 S9 N2"),
                                       END};

static void each_pending(everything *e, visitor *v)
{
    see_records(e, v, PENDING);
}

// The lowest bit would be that of another generation.
static const field freed_fields[] = {ROW(micai_record, where, HARM_NUMBER, "S2 S8 S9"),
                                     ROW(micai_record, tag, HARM_HIGH, "S1 S2"), END};

static void each_freed(everything *e, visitor *v)
{
    see_records(e, v, FREED);
}

static const field unused_fields[] = {ROW(micai_record, where, HARM_NUMBER, "S3"),
                                      ROW(micai_record, tag, HARM_NUMBER, "S1 S2 S3 S7"), END};

static void each_unused(everything *e, visitor *v)
{
    see_records(e, v, UNUSED);
}

static const field registry_fields[] = {ARRAY(micai_registry, list),
                                        ARRAY(micai_registry, column_words),
                                        PART(micai_registry, by_name),
                                        PART(micai_registry, arena),
                                        ROW(micai_registry, sparse_count, HARM_NUMBER, "K3"),
                                        ROW(micai_registry, hidden, HARM_NUMBER, "K2 K9"),
                                        ROW(micai_registry, limit, HARM_ZERO, "K7"),
                                        ROW(micai_registry, watched, HARM_NUMBER, "T8 O3"),
                                        ROW(micai_registry, seal, HARM_NUMBER, "W1"),
                                        END};

static void each_registry(everything *e, visitor *v)
{
    SEE(v, &e->world->state->registry);
}

static const field type_item_fields[] = ITEM(micai_type *, HARM_POINTER, "K1");

static void each_type_item(everything *e, visitor *v)
{
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t i = 0; i < registry->list.count; i++) {
        SEE(v, &registry->list.items[i]);
    }
}

static const field column_word_fields[] = ITEM(uint64_t, HARM_NUMBER, "K3");

static void each_column_word(everything *e, visitor *v)
{
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t i = 0; i < registry->column_words.count; i++) {
        SEE(v, &registry->column_words.items[i]);
    }
}

static const field type_fields[] = {ROW(micai_type, info.type, HARM_NUMBER, "K1"),
                                    ROW(micai_type, info.name, HARM_POINTER, "K2"),
                                    ROW(micai_type, info.c_type, HARM_TEXT, "K2"),
                                    ROW(micai_type, info.size, HARM_NUMBER, "K3 K4 K6 U1 P6"),
                                    ROW(micai_type, info.align, HARM_NUMBER, "K6 U2"),
                                    ROW(micai_type, info.fields, HARM_POINTER, "K4"),
                                    ROW(micai_type, info.field_count, HARM_HIGH, "K4"),
                                    ROW(micai_type, info.default_value, HARM_WILD, "K6"),
                                    FREE(micai_type, info.hooks, users),
                                    FREE(micai_type, info.user, users),
                                    ROW(micai_type, info.storage, HARM_NUMBER, "K3 K6 P6"),
                                    ROW(micai_type, info.stable, HARM_FLAG, "K3 K6 P6"),
                                    FREE(micai_type, info.toggle, alone), // of one that nobody has
                                    FREE(micai_type, info.row_stamps, alone), // the same
                                    FREE(micai_type, info.plain, users),
                                    FREE(micai_type, info.saved, users),
                                    ROW(micai_type, number, HARM_NUMBER, "K1"),
                                    ROW(micai_type, registered, HARM_HIGH, "K1"),
                                    ROW(micai_type, plain, HARM_FLAG, "K10"),
                                    ROW(micai_type, watched, HARM_NUMBER, "K10 T8 D1 P6 G5 W6 O3"),
                                    PART(micai_type, alone),
                                    ROW(micai_type, depth, HARM_NUMBER, "K5"),
                                    ROW(micai_type, sparse, HARM_NUMBER, "K3"),
                                    ROW(micai_type, pieces, HARM_POINTER, "K8"),
                                    ROW(micai_type, piece_count, HARM_NUMBER, "K8"),
                                    ROW(micai_type, name_hash, HARM_NUMBER, "K1"),
                                    END};

static void each_type(everything *e, visitor *v)
{
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t i = 0; i < registry->list.count; i++) {
        SEE(v, registry->list.items[i]);
    }
}

static const field piece_fields[] = {ROW(micai_piece, offset, HARM_NUMBER, "K8"),
                                     ROW(micai_piece, size, HARM_NUMBER, "K8"),
                                     ROW(micai_piece, align, HARM_NUMBER, "K8"), END};

static void each_piece(everything *e, visitor *v)
{
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t i = 0; i < registry->list.count; i++) {
        const micai_type *type = registry->list.items[i];
        for (uint32_t p = 0; p < type->piece_count; p++) {
            SEE(v, (micai_piece *)(uintptr_t)&type->pieces[p]);
        }
    }
}

static const field field_fields[] = {ROW(mica_field_info, name, HARM_TEXT, "K4"),
                                     ROW(mica_field_info, kind, HARM_HIGH, "K4"),
                                     ROW(mica_field_info, offset, HARM_HIGH, "K4"),
                                     ROW(mica_field_info, size, HARM_NUMBER, "K4"),
                                     ROW(mica_field_info, count, HARM_NUMBER, "K4"),
                                     ROW(mica_field_info, type, HARM_NUMBER, "K4"),
                                     ROW(mica_field_info, enumerators, HARM_POINTER, "K4"),
                                     ROW(mica_field_info, pieces, HARM_HIGH, "K4"),
                                     END};

static void each_field(everything *e, visitor *v)
{
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t i = 0; i < registry->list.count; i++) {
        const mica_type_info *info = &registry->list.items[i]->info;
        for (uint32_t f = 0; f < info->field_count; f++) {
            SEE(v, (void *)(uintptr_t)&info->fields[f]);
        }
    }
}

static const field enumerator_fields[] = {ROW(mica_enumerator, name, HARM_TEXT, "K4"),
                                          FREE(mica_enumerator, value, users), END};

static void each_enumerator(everything *e, visitor *v)
{
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t i = 0; i < registry->list.count; i++) {
        const mica_type_info *info = &registry->list.items[i]->info;
        for (uint32_t f = 0; f < info->field_count; f++) {
            const mica_enumerator *list = info->fields[f].enumerators;
            for (uint32_t k = 0; list && list[k].name; k++) {
                SEE(v, (void *)(uintptr_t)&list[k]);
            }
        }
    }
}

// The store

static const field store_fields[] = {ROW(micai_store, host, HARM_POINTER, "W1"),
                                     ROW(micai_store, gate, HARM_POINTER, "W1"),
                                     ROW(micai_store, slots, HARM_POINTER, "W1"),
                                     ROW(micai_store, registry, HARM_POINTER, "W1"),
                                     PART(micai_store, directory),
                                     PART(micai_store, flags),
                                     ARRAY(micai_store, sheets),
                                     LIST(micai_store, recent, HARM_HIGH),
                                     PART(micai_store, leaps),
                                     ARRAY(micai_store, tables),
                                     PART(micai_store, by_set),
                                     ROW(micai_store, root, HARM_POINTER, "G1"),
                                     ARRAY(micai_store, free_sheets),
                                     ARRAY(micai_store, listeners),
                                     ROW(micai_store, shed.table, HARM_POINTER, "G7"),
                                     ROW(micai_store, shed.sheet, HARM_POINTER, "G7"),
                                     ROW(micai_store, shed.pages, HARM_POINTER, "G7"),
                                     ROW(micai_store, shed.rows, HARM_NUMBER, "G7"),
                                     ARRAY(micai_store, rings.list),
                                     FREE(micai_store, rings.moves, figure),
                                     ROW(micai_store, edge_uses, HARM_ZERO, "G2"),
                                     ROW(micai_store, edges_kept, HARM_HIGH, "G2"),
                                     FREE(micai_store, settled, figure),
                                     FREE(micai_store, young, figure),
                                     ROW(micai_store, restless, HARM_FLAG, "T8"),
                                     ROW(micai_store, now, HARM_POINTER, "W1"),
                                     FREE(micai_store, placings, figure),
                                     FREE(micai_store, row_moves, figure),
                                     FREE(micai_store, page_moves, figure),
                                     FREE(micai_store, page_copies, figure),
                                     END};

static void each_store(everything *e, visitor *v)
{
    SEE(v, &e->world->state->store);
}

static const field ring_item_fields[] = ITEM(micai_ring *, HARM_POINTER, "R4");

static void each_ring_item(everything *e, visitor *v)
{
    micai_rings *rings = &e->world->state->store.rings;
    for (uint32_t i = 0; i < rings->list.count; i++) {
        SEE(v, &rings->list.items[i]);
    }
}

static const field ring_fields[] = {ROW(micai_ring, type, HARM_POINTER, "R4"),
                                    ROW(micai_ring, values, HARM_POINTER, "R3"),
                                    ROW(micai_ring, capacity, HARM_CAPACITY, "R1 R3"),
                                    ROW(micai_ring, unsettled, HARM_HIGH, "R4"),
                                    FREE(micai_ring, moves, figure),
                                    ROW(micai_ring, tick, HARM_HIGH, "R7"),
                                    ARRAY(micai_ring, runs),
                                    END};

static void each_ring(everything *e, visitor *v)
{
    micai_rings *rings = &e->world->state->store.rings;
    for (uint32_t i = 0; i < rings->list.count; i++) {
        SEE(v, rings->list.items[i]);
    }
}

#define FOR_RUNS(e, run)                                                                           \
    for (uint32_t i_ = 0; i_ < (e)->world->state->store.rings.list.count; i_++)                    \
        for (micai_run **run = (e)->world->state->store.rings.list.items[i_]->runs.items,          \
                       **end_ = run + (e)->world->state->store.rings.list.items[i_]->runs.count;   \
             run < end_; run++)

static const field run_item_fields[] = ITEM(micai_run *, HARM_POINTER, "R4");

static void each_run_item(everything *e, visitor *v)
{
    FOR_RUNS(e, run)
    {
        SEE(v, run);
    }
}

static const field run_fields[] = {ROW(micai_run, base, HARM_NUMBER, "R1 R6"),
                                   ROW(micai_run, length, HARM_NUMBER, "R1 R2 R5 R6"),
                                   ROW(micai_run, tip, HARM_HIGH, "R2"), END};

static void each_run(everything *e, visitor *v)
{
    FOR_RUNS(e, run)
    {
        SEE(v, *run);
    }
}

static const field share_fields[] = {PART(micai_share, run),
                                     ROW(micai_share, ring, HARM_POINTER, "R4"),
                                     ROW(micai_share, table, HARM_POINTER, "R4"),
                                     ROW(micai_share, column, HARM_NUMBER, "R4"),
                                     ROW(micai_share, overflow.values, HARM_POINTER, "R5"),
                                     ROW(micai_share, overflow.capacity, HARM_CAPACITY, "R5"),
                                     ROW(micai_share, old.values, HARM_POINTER, "R5"),
                                     ROW(micai_share, old.capacity, HARM_CAPACITY, "R5"),
                                     END};

static void each_share(everything *e, visitor *v)
{
    FOR_RUNS(e, run)
    {
        SEE(v, (micai_share *)*run);
    }
}

static const field listener_fields[] = {ROW(micai_listener, made, HARM_POINTER, "W4 Q5"),
                                        ROW(micai_listener, going, HARM_POINTER, "G6 W4 Q5"),
                                        ROW(micai_listener, judged, HARM_POINTER, "W4 Q5"),
                                        ROW(micai_listener, user, HARM_POINTER, "W4 Q5"), END};

static void each_listener(everything *e, visitor *v)
{
    micai_store *store = &e->world->state->store;
    for (uint32_t i = 0; i < store->listeners.count; i++) {
        SEE(v, &store->listeners.items[i]);
    }
}

static const field free_sheet_fields[] = ITEM(uint32_t, HARM_NUMBER, "G4");

static void each_free_sheet(everything *e, visitor *v)
{
    micai_store *store = &e->world->state->store;
    for (uint32_t i = 0; i < store->free_sheets.count; i++) {
        SEE(v, &store->free_sheets.items[i]);
    }
}

static const field sheet_item_fields[] = ITEM(micai_sheet *, HARM_POINTER, "T4 G4");

static void each_sheet_item(everything *e, visitor *v)
{
    micai_store *store = &e->world->state->store;
    for (uint32_t i = 0; i < store->sheets.count; i++) {
        SEE(v, &store->sheets.items[i]);
    }
}

static const field recent_fields[] = ITEM(micai_edge *, HARM_POINTER, "G5");

static void each_recent(everything *e, visitor *v)
{
    micai_store *store = &e->world->state->store;
    for (uint32_t i = 0; i < store->recent.count; i++) {
        SEE(v, &store->recent.items[i]);
    }
}

static const field leap_fields[] = {ROW(micai_leap, key, HARM_NUMBER, "G8"),
                                    ROW(micai_leap, edge, HARM_POINTER, "G8"), END};

static void each_leap(everything *e, visitor *v)
{
    micai_store *store = &e->world->state->store;
    for (uint32_t i = 0; i < MICAI_LEAPS; i++) {
        SEE(v, &store->leaps[i]);
    }
}

static const field table_item_fields[] = ITEM(micai_table *, HARM_POINTER, "G1");

static void each_table_item(everything *e, visitor *v)
{
    micai_store *store = &e->world->state->store;
    for (uint32_t i = 0; i < store->tables.count; i++) {
        SEE(v, &store->tables.items[i]);
    }
}

static const field directory_fields[] = {ROW(micai_directory, view.types, HARM_POINTER, "L1"),
                                         ROW(micai_directory, view.type_count, HARM_ENDS, "L1 D3"),
                                         ROW(micai_directory, type_capacity, HARM_CAPACITY, "L1"),
                                         ROW(micai_directory, shelf_count, HARM_ENDS, "D3"),
                                         ROW(micai_directory, blank, HARM_POINTER, "D4"),
                                         ROW(micai_directory, blank_count, HARM_ENDS, "D3 D4"),
                                         ROW(micai_directory, blank_flat, HARM_POINTER, "D4"),
                                         ROW(micai_directory, blank_flat_count, HARM_ENDS, "D3 D4"),
                                         END};

static void each_directory(everything *e, visitor *v)
{
    SEE(v, &e->world->state->store.directory);
    SEE(v, &e->world->state->store.flags);
}

static const field blank_fields[] = ITEM(mica_view_spot *, HARM_POINTER, "D4");

static void each_blank(everything *e, visitor *v)
{
    const micai_directory *directory = &e->world->state->store.directory;
    for (uint32_t i = 0; i < directory->blank_count; i++) {
        SEE(v, &directory->blank[i]);
    }
}

static const field blank_spot_fields[] = {ROW(mica_view_spot, data, HARM_WILD, "D4"),
                                          ROW(mica_view_spot, tick, HARM_WILD, "D4"),
                                          ROW(mica_view_spot, seen, HARM_NUMBER, "D4"), END};

static void each_blank_spot(everything *e, visitor *v)
{
    const micai_directory *directory = &e->world->state->store.directory;
    for (uint32_t i = 0; i < directory->blank_flat_count << MICA_VIEW_SHELF_SHIFT; i++) {
        SEE(v, &directory->blank_flat[i]);
    }
}

static const field known_item_fields[] = ITEM(mica_view_type *, HARM_POINTER, "D3");

// Those of values, and those of flags.
#define FOR_DIRECTORIES(e, directory)                                                              \
    micai_directory *directory = &(e)->world->state->store.directory;                              \
    for (uint32_t d_ = 0; d_ < 2; d_++, directory = &(e)->world->state->store.flags)

static void each_known_item(everything *e, visitor *v)
{
    FOR_DIRECTORIES(e, directory)
    {
        for (uint32_t i = 0; i < directory->view.type_count; i++) {
            SEE(v, &directory->view.types[i]);
        }
    }
}

static const field known_fields[] = {ROW(mica_view_type, shelves, HARM_POINTER, "D3"),
                                     ROW(mica_view_type, kept, HARM_POINTER, "D3"),
                                     ROW(mica_view_type, bits, HARM_NUMBER, "D3"),
                                     ROW(mica_view_type, size, HARM_NUMBER, "D3"),
                                     ROW(mica_view_type, flat, HARM_POINTER, "D3"),
                                     ROW(mica_view_type, kept_flat, HARM_POINTER, "D3"),
                                     ROW(mica_view_type, shelf_count, HARM_HIGH, "D3"),
                                     ROW(mica_view_type, flat_count, HARM_NUMBER, "D3"),
                                     END};

static void each_known(everything *e, visitor *v)
{
    FOR_DIRECTORIES(e, directory)
    {
        for (uint32_t i = 0; i < directory->view.type_count; i++) {
            if (directory->view.types[i] != &micai_directory_unknown) {
                SEE(v, directory->view.types[i]);
            }
        }
    }
}

static const field shelf_fields[] = ITEM(mica_view_spot *, HARM_POINTER, "D3");

static void each_shelf(everything *e, visitor *v)
{
    FOR_DIRECTORIES(e, directory)
    {
        for (uint32_t n = 0; n < directory->view.type_count; n++) {
            for (uint32_t i = 0; i < directory->view.types[n]->shelf_count; i++) {
                SEE(v, &directory->view.types[n]->kept[i]);
            }
        }
    }
}

static const field spot_fields[] = {ROW(mica_view_spot, data, HARM_WILD, "D1 D2"),
                                    ROW(mica_view_spot, tick, HARM_WILD, "D1 D2"),
                                    ROW(mica_view_spot, seen, HARM_NUMBER, "D1 D2"), END};

static void each_spot(everything *e, visitor *v)
{
    FOR_DIRECTORIES(e, directory)
    {
        for (uint32_t n = 0; n < directory->view.type_count; n++) {
            for (uint32_t i = 0; i < directory->shelf_count << MICA_VIEW_SHELF_SHIFT; i++) {
                mica_view_spot *spot = micai_directory_spot(directory, n, i);
                if (spot) {
                    SEE(v, spot);
                }
            }
        }
    }
}

#define FOR_TABLES(e, table)                                                                       \
    micai_table *table;                                                                            \
    for (uint32_t id_ = 0; id_ < (e)->world->state->store.tables.count; id_++)                     \
        if ((table = (e)->world->state->store.tables.items[id_]) != NULL)

static const field table_fields[] = {ROW(micai_table, id, HARM_NUMBER, "G1"),
                                     ROW(micai_table, word_count, HARM_NUMBER, "G1"),
                                     ROW(micai_table, words, HARM_POINTER, "G1"),
                                     ROW(micai_table, hash, HARM_NUMBER, "G1"),
                                     ROW(micai_table, facet, HARM_FLAG, "G1"),
                                     ROW(micai_table, dying, HARM_FLAG, "G1"),
                                     FREE(micai_table, idle, alone),
                                     LIST(micai_table, edges, HARM_HIGH),
                                     ROW(micai_table, bare, HARM_FLAG, "T8"),
                                     ROW(micai_table, quick, HARM_FLAG, "T8"),
                                     ROW(micai_table, count, HARM_NUMBER, "T1 T5 T6 G3"),
                                     ROW(micai_table, capacity, HARM_NUMBER, "T5"),
                                     ROW(micai_table, promised, HARM_HIGH, "T5"),
                                     ROW(micai_table, next, HARM_NUMBER, "T6"),
                                     ROW(micai_table, end, HARM_NUMBER, "T6"),
                                     ROW(micai_table, tail, HARM_POINTER, "T6"),
                                     ROW(micai_table, layout.columns, HARM_POINTER, "U1"),
                                     ROW(micai_table, layout.strips, HARM_POINTER, "U2"),
                                     ROW(micai_table, layout.column_count, HARM_NUMBER, "U1"),
                                     ROW(micai_table, layout.strip_count, HARM_NUMBER, "U1 U2"),
                                     ROW(micai_table, layout.plain, HARM_FLAG, "U3"),
                                     ROW(micai_table, layout.outside, HARM_FLAG, "U3"),
                                     ROW(micai_table, shared_count, HARM_NUMBER, "T8"),
                                     ROW(micai_table, dimmed, HARM_NUMBER, "F3"),
                                     ROW(micai_table, sheets.items, HARM_POINTER, "L1 T11"),
                                     ROW(micai_table, sheets.count, HARM_ENDS, "*"),
                                     ROW(micai_table, sheets.capacity, HARM_CAPACITY, "L1 T11"),
                                     ROW(micai_table, only, HARM_POINTER, "T4 T11"),
                                     END};

static void each_table(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        SEE(v, table);
    }
}

static const field word_fields[] = ITEM(uint64_t, HARM_NUMBER, "G1");

static void each_word(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->word_count; i++) {
            SEE(v, &table->words[i]);
            SEE(v, &micai_table_column_words(table)[i]);
        }
    }
}

static const field rank_fields[] = ITEM(uint16_t, HARM_NUMBER, "G1");

static void each_rank(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->word_count; i++) {
            SEE(v, &micai_table_ranks(table)[i]);
        }
    }
}

static const field column_fields[] = {
    ROW(micai_column, type, HARM_POINTER, "U1"), ROW(micai_column, kind, HARM_NUMBER, "U1"),
    ROW(micai_column, strip, HARM_NUMBER, "U1"), ROW(micai_column, strip_count, HARM_NUMBER, "U1"),
    ROW(micai_column, dimmed, HARM_FLAG, "F3"),  END};

static void each_column(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t c = 0; c < table->layout.column_count; c++) {
            SEE(v, &table->layout.columns[c]);
        }
    }
}

static const field outside_fields[] = ITEM(void *, HARM_POINTER, "U1 R4");

static void each_outside(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t c = 0; table->layout.outside && c < table->layout.column_count; c++) {
            SEE(v, micai_layout_outside(&table->layout, c));
        }
    }
}

static const field row_tick_fields[] = ITEM(uint64_t, HARM_HIGH, "T10");

static void each_row_tick(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t s = 0; s < table->layout.strip_count; s++) {
            for (uint32_t row = 0; table->layout.strips[s].ticks && row < table->count; row++) {
                SEE(v, micai_sheet_at(micai_table_sheet(table, row), s, row & (MICAI_ROWS - 1)));
            }
        }
    }
}

static const field strip_fields[] = {
    ROW(micai_strip, size, HARM_NUMBER, "U2"),   ROW(micai_strip, align_power, HARM_NUMBER, "U2"),
    ROW(micai_strip, column, HARM_NUMBER, "U2"), ROW(micai_strip, traits, HARM_NUMBER, "U2"),
    ROW(micai_strip, offset, HARM_NUMBER, "U2"), END};

static void each_strip(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t s = 0; s < table->layout.strip_count; s++) {
            SEE(v, &table->layout.strips[s]);
        }
    }
}

static const field own_sheet_fields[] = ITEM(micai_sheet *, HARM_POINTER, "T4");

static void each_own_sheet(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->sheets.count; i++) {
            SEE(v, &table->sheets.items[i]);
        }
    }
}

static const field sheet_fields[] = {ROW(micai_sheet, table, HARM_POINTER, "T4"),
                                     ROW(micai_sheet, number, HARM_NUMBER, "T4"),
                                     ROW(micai_sheet, index, HARM_NUMBER, "T4"),
                                     ROW(micai_sheet, capacity, HARM_NUMBER, "T2 P1"),
                                     ROW(micai_sheet, reach, HARM_NUMBER, "T7"),
                                     ROW(micai_sheet, shared, HARM_FLAG, "T3 T4 T8"),
                                     END};

static void each_sheet(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->sheets.count; i++) {
            SEE(v, table->sheets.items[i]);
        }
    }
}

static const field page_fields[] = {ROW(micai_page, data, HARM_POINTER, "P1"),
                                    ROW(micai_page, tick, HARM_HIGH, "T9"),
                                    ROW(micai_page, extent, HARM_POINTER, "P1"), END};

static void each_page(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->sheets.count; i++) {
            for (uint32_t s = 0; s < table->layout.strip_count; s++) {
                SEE(v, &table->sheets.items[i]->pages[s]);
            }
        }
    }
}

static const field shed_page_fields[] = {ROW(micai_page, data, HARM_POINTER, "P1"),
                                         FREE(micai_page, tick, unused),
                                         ROW(micai_page, extent, HARM_POINTER, "P1"), END};

static void each_shed_page(everything *e, visitor *v)
{
    const micai_shed *shed = &e->world->state->store.shed;
    for (uint32_t s = 0; shed->sheet && s < shed->table->layout.strip_count; s++) {
        SEE(v, &shed->pages[s]);
    }
}

static const field extent_fields[] = {ROW(micai_extent, unit, HARM_NUMBER, "P1"),
                                      ROW(micai_extent, align, HARM_NUMBER, "P1"),
                                      ROW(micai_extent, unit_count, HARM_NUMBER, "P1"),
                                      ROW(micai_extent, live, HARM_NUMBER, "P2"), END};

// Each once: by its first page that is seen.
typedef struct extent_visitor {
    visitor v;
    visitor *to;
    bool references;
} extent_visitor;

static void see_extent(visitor *v, void *instance)
{
    const extent_visitor *from = (const extent_visitor *)(void *)v;
    const micai_page *page = instance;
    if (!page->extent || page->data != micai_extent_data(page->extent)) {
        return;
    }
    if (!from->references) {
        SEE(from->to, page->extent);
        return;
    }
    for (uint32_t i = 0; i < page->extent->unit_count; i++) {
        if (page->extent->references[i] == 1) {
            SEE(from->to, &page->extent->references[i]);
        }
    }
}

static void see_extents(everything *e, visitor *v, bool references)
{
    extent_visitor by_page = {{see_extent}, v, references};
    each_page(e, &by_page.v);
    each_shed_page(e, &by_page.v);
}

static void each_extent(everything *e, visitor *v)
{
    see_extents(e, v, false);
}

// Of pages that are not shared; how many share the others, nobody else knows.
static const field reference_fields[] = ITEM(uint32_t, HARM_ZERO, "P2");

static void each_reference(everything *e, visitor *v)
{
    see_extents(e, v, true);
}

static const field id_fields[] = ITEM(mica_entity, HARM_NUMBER, "T1");

static void each_id(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t row = 0; row < table->count; row++) {
            const micai_sheet *sheet = micai_table_sheet(table, row);
            SEE(v, &micai_sheet_ids(sheet)[row & (MICAI_ROWS - 1)]);
        }
    }
}

static const field edge_item_fields[] = ITEM(micai_edge *, HARM_POINTER, "G2");

static void each_edge_item(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->edges.count; i++) {
            SEE(v, &table->edges.items[i]);
        }
    }
}

static const field edge_fields[] = {ROW(micai_edge, key, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, type, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, size, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, fill.strip, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, fill.flags, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, fill.ticks, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, fill.pieces, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, fill.size, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, source, HARM_POINTER, "G2"),
                                    ROW(micai_edge, target, HARM_POINTER, "G2"),
                                    ROW(micai_edge, eight_count, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, strip_count, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, dropped_count, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, careful_count, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, added_count, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, removed_count, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, used, HARM_HIGH, "G2"),
                                    ROW(micai_edge, step_count, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, given_count, HARM_NUMBER, "G2"),
                                    ROW(micai_edge, direct, HARM_FLAG, "G2"),
                                    ROW(micai_edge, steps, HARM_POINTER, "G2"),
                                    END};

static void each_edge(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->edges.count; i++) {
            SEE(v, table->edges.items[i]);
        }
    }
}

static const field step_fields[] = {
    ROW(micai_step, bits, HARM_NUMBER, "G2"),       ROW(micai_step, given, HARM_NUMBER, "G2"),
    ROW(micai_step, fill.strip, HARM_NUMBER, "G2"), ROW(micai_step, fill.flags, HARM_NUMBER, "G2"),
    ROW(micai_step, fill.ticks, HARM_NUMBER, "G2"), ROW(micai_step, fill.pieces, HARM_NUMBER, "G2"),
    ROW(micai_step, fill.size, HARM_NUMBER, "G2"),  END};

static void each_step(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->edges.count; i++) {
            const micai_edge *edge = table->edges.items[i];
            for (uint32_t s = 0; s < edge->step_count; s++) {
                SEE(v, &edge->steps[s]);
            }
        }
    }
}

static const field copy_fields[] = {ROW(micai_copy, source, HARM_NUMBER, "G2"),
                                    ROW(micai_copy, target, HARM_NUMBER, "G2"),
                                    ROW(micai_copy, size, HARM_NUMBER, "G2"), END};

static void each_copy(everything *e, visitor *v)
{
    FOR_TABLES(e, table)
    {
        for (uint32_t i = 0; i < table->edges.count; i++) {
            micai_edge *edge = table->edges.items[i];
            uint32_t count =
                (uint32_t)(micai_edge_removed(edge) - edge->copies) + edge->removed_count;
            for (uint32_t c = 0; c < count; c++) {
                SEE(v, &edge->copies[c]);
            }
        }
    }
}

// Pools

static const field pools_fields[] = {ROW(micai_pools, gate, HARM_POINTER, "W1"),
                                     ROW(micai_pools, restless, HARM_FLAG, "P6"),
                                     ROW(micai_pools, kept, HARM_NUMBER, "P7"),
                                     ARRAY(micai_pools, by_type),
                                     ARRAY(micai_pools, list),
                                     ARRAY(micai_pools, presence),
                                     ARRAY(micai_pools, words),
                                     PART(micai_pools, groups),
                                     END};

static void each_pools(everything *e, visitor *v)
{
    SEE(v, &e->world->state->pools);
}

static const field pool_item_fields[] = ITEM(micai_pool *, HARM_POINTER, "P6");

static void each_pool_item(everything *e, visitor *v)
{
    micai_pools *pools = &e->world->state->pools;
    for (uint32_t i = 0; i < pools->list.count; i++) {
        SEE(v, &pools->list.items[i]);
    }
    for (uint32_t i = 0; i < pools->by_type.count; i++) {
        SEE(v, &pools->by_type.items[i]);
    }
}

#define FOR_POOLS(e, pool)                                                                         \
    micai_pool *pool;                                                                              \
    for (uint32_t i_ = 0; i_ < (e)->world->state->pools.list.count; i_++)                          \
        if ((pool = (e)->world->state->pools.list.items[i_]) != NULL)

static const field pool_fields[] = {PART(micai_pool, view),
                                    ROW(micai_pool, type, HARM_POINTER, "P6"),
                                    ROW(micai_pool, handle, HARM_NUMBER, "P6"),
                                    ROW(micai_pool, presence, HARM_POINTER, "P6"),
                                    ROW(micai_pool, bit, HARM_NUMBER, "P6"),
                                    PART(micai_pool, room),
                                    PART(micai_pool, wider),
                                    ROW(micai_pool, count, HARM_NUMBER, "P1 P2 P3"),
                                    ROW(micai_pool, hole_count, HARM_NUMBER, "P2 P3"),
                                    ROW(micai_pool, first_hole, HARM_NUMBER, "P3"),
                                    ROW(micai_pool, leaf_capacity, HARM_CAPACITY, "P4"),
                                    ROW(micai_pool, block_capacity, HARM_CAPACITY, "P2 P6"),
                                    ROW(micai_pool, bare, HARM_FLAG, "P6"),
                                    ROW(micai_pool, plain, HARM_FLAG, "P6"),
                                    ROW(micai_pool, quick, HARM_FLAG, "P6"),
                                    ROW(micai_pool, told, HARM_FLAG, "P6"),
                                    ROW(micai_pool, dimmed, HARM_FLAG, "P12"),
                                    ARRAY(micai_pool, groups),
                                    ROW(micai_pool, owner, HARM_POINTER, "P8"),
                                    END};

static void each_pool(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        SEE(v, pool);
    }
}

static const field pool_view_fields[] = {ROW(mica_view_pool, leaves, HARM_POINTER, "P4"),
                                         ROW(mica_view_pool, blocks, HARM_POINTER, "P2 P6"),
                                         ROW(mica_view_pool, entities, HARM_POINTER, "P6"),
                                         ROW(mica_view_pool, ticks, HARM_POINTER, "P6"),
                                         ROW(mica_view_pool, flags, HARM_POINTER, "P6"),
                                         ROW(mica_view_pool, switches, HARM_POINTER, "P12"),
                                         ROW(mica_view_pool, leaf_count, HARM_ENDS, "P1 P4"),
                                         ROW(mica_view_pool, block_shift, HARM_NUMBER, "P6"),
                                         ROW(mica_view_pool, size, HARM_NUMBER, "P6"),
                                         ROW(mica_view_pool, hidden, HARM_NUMBER, "P6 Q6"),
                                         END};

static void each_pool_view(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        SEE(v, &pool->view);
    }
}

static const field room_of_pool_fields[] = {ROW(micai_pool_room, entities, HARM_POINTER, "P2 P6"),
                                            ROW(micai_pool_room, ticks, HARM_POINTER, "P2 P6"),
                                            ROW(micai_pool_room, values, HARM_POINTER, "P2"),
                                            ROW(micai_pool_room, flags, HARM_POINTER, "P6"),
                                            ROW(micai_pool_room, changed, HARM_POINTER, "P2 P6"),
                                            ROW(micai_pool_room, added, HARM_POINTER, "P2"),
                                            ROW(micai_pool_room, capacity, HARM_CAPACITY, "P2"),
                                            END};

static void each_room_of_pool(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        SEE(v, &pool->room);
    }
}

static const field place_tick_fields[] = ITEM(uint64_t, HARM_HIGH, "P13");

static void each_place_tick(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        for (uint32_t i = 0; pool->room.changed && i < pool->count; i++) {
            SEE(v, &pool->room.changed[i]);
            SEE(v, &pool->room.added[i]);
        }
    }
}

static const field wider_fields[] = {ROW(micai_pool_room, entities, HARM_POINTER, "P5"),
                                     ROW(micai_pool_room, ticks, HARM_POINTER, "P5"),
                                     ROW(micai_pool_room, values, HARM_POINTER, "P5"),
                                     ROW(micai_pool_room, flags, HARM_POINTER, "P5"),
                                     ROW(micai_pool_room, changed, HARM_POINTER, "P5"),
                                     ROW(micai_pool_room, added, HARM_POINTER, "P5"),
                                     ROW(micai_pool_room, capacity, HARM_NUMBER, "P5"),
                                     END};

static void each_wider(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        SEE(v, &pool->wider);
    }
}

static const field leaf_fields[] = ITEM(uint32_t *, HARM_POINTER, "P1 P4");

static void each_leaf(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        for (uint32_t i = 0; i < pool->view.leaf_count; i++) {
            SEE(v, &pool->view.leaves[i]);
        }
    }
}

// Of slots that have a value, and that have none.
static const field place_fields[] = ITEM(uint32_t, HARM_NUMBER, "P1");

static void each_place(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        for (uint32_t page = 0; page < pool->view.leaf_count; page++) {
            for (uint32_t i = 0; pool->view.leaves[page] && i < 8; i++) {
                SEE(v, &pool->view.leaves[page][i & (MICAI_SLOT_PAGE_SIZE - 1)]);
            }
        }
    }
}

static const field value_block_fields[] = ITEM(unsigned char *, HARM_POINTER, "P2");

static void each_value_block(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        uint32_t count = pool->type->info.stable ? pool->room.capacity >> MICA_VIEW_POOL_SHIFT : 0;
        for (uint32_t i = 0; i < count; i++) {
            SEE(v, &pool->view.blocks[i]);
        }
    }
}

static const field member_fields[] = ITEM(mica_entity, HARM_NUMBER, "P1 P3");

static void each_member(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        for (uint32_t place = 0; place < pool->count; place++) {
            SEE(v, &pool->room.entities[place]);
        }
    }
}

static const field pool_tick_fields[] = ITEM(uint64_t, HARM_HIGH, "P2");

static void each_pool_tick(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        for (uint32_t place = 0; place < pool->count; place += 1 << MICAI_POOL_TICK_SHIFT) {
            SEE(v, &pool->room.ticks[place >> MICAI_POOL_TICK_SHIFT]);
        }
    }
}

static const field presence_item_fields[] = ITEM(micai_presence *, HARM_POINTER, "P14 P6");

static void each_presence_item(everything *e, visitor *v)
{
    micai_pools *pools = &e->world->state->pools;
    for (uint32_t i = 0; i < pools->presence.count; i++) {
        SEE(v, &pools->presence.items[i]);
    }
}

static const field slot_words_fields[] = ITEM(uint64_t, HARM_NUMBER, "P14");

static void each_slot_words(everything *e, visitor *v)
{
    micai_pools *pools = &e->world->state->pools;
    for (uint32_t i = 0; i < pools->words.count; i++) {
        SEE(v, &pools->words.items[i]);
    }
}

static const field presence_fields[] = {ARRAY(micai_presence, pages), END};

static void each_presence(everything *e, visitor *v)
{
    micai_pools *pools = &e->world->state->pools;
    for (uint32_t i = 0; i < pools->presence.count; i++) {
        SEE(v, pools->presence.items[i]);
    }
}

static const field mask_page_fields[] = ITEM(uint64_t *, HARM_POINTER, "P14 P6");
static const field mask_fields[] = ITEM(uint64_t, HARM_NUMBER, "P1 P7");

static void see_masks(everything *e, visitor *v, bool pages)
{
    micai_pools *pools = &e->world->state->pools;
    for (uint32_t w = 0; w < pools->presence.count; w++) {
        micai_presence *presence = pools->presence.items[w];
        for (uint32_t page = 0; page < presence->pages.count; page++) {
            if (pages) {
                SEE(v, &presence->pages.items[page]);
            }
            for (uint32_t i = 0; !pages && presence->pages.items[page] && i < 4; i++) {
                SEE(v, &presence->pages.items[page][i]);
            }
        }
    }
}

static void each_mask_page(everything *e, visitor *v)
{
    see_masks(e, v, true);
}

static void each_mask(everything *e, visitor *v)
{
    see_masks(e, v, false);
}

// The world

static const field world_fields[] = {ROW(mica_world, state, HARM_POINTER, "W1"),
                                     ROW(mica_world, busy, HARM_NUMBER, "B1"),
                                     ROW(mica_world, recorder, HARM_POINTER, "W1"),
                                     ROW(mica_world, view.slots, HARM_POINTER, "W1"),
                                     ROW(mica_world, view.store, HARM_POINTER, "W1"),
                                     ROW(mica_world, view.flags, HARM_POINTER, "W1"),
                                     ROW(mica_world, view.world, HARM_POINTER, "W1"),
                                     ROW(mica_world, view.tick, HARM_ZERO, "T9"),
                                     PART(mica_world, host),
                                     PART(mica_world, scratch),
                                     ROW(mica_world, promised, HARM_HIGH, "W7"),
                                     END};

static void each_world(everything *e, visitor *v)
{
    SEE(v, e->world);
}

static const field core_fields[] = {ROW(micai_state, host, HARM_POINTER, "W1"),
                                    ROW(micai_state, gate.host, HARM_POINTER, "W1"),
                                    ROW(micai_state, gate.slots, HARM_POINTER, "W1"),
                                    ROW(micai_state, gate.busy, HARM_POINTER, "W1"),
                                    FREE(micai_state, gate.hidden, unused),
                                    ROW(micai_state, seal, HARM_NUMBER, "W1"),
                                    PART(micai_state, slots),
                                    PART(micai_state, registry),
                                    PART(micai_state, store),
                                    PART(micai_state, pools),

                                    FREE(micai_state, sides, trusted),
                                    LIST(micai_state, resources, HARM_HIGH),
                                    PART(micai_state, walks),
                                    ROW(micai_state, keepers, HARM_NUMBER, "W6"),
                                    ROW(micai_state, stepping, HARM_FLAG, "B1 W1"),
                                    ROW(micai_state, midway, HARM_FLAG, "W1"),
                                    ROW(micai_state, waiting, HARM_FLAG, "N3"),
                                    FREE(micai_state, replaying, alone),
                                    ROW(micai_state, declared, HARM_POINTER, "W1"),
                                    FREE(micai_state, owing, alone),
                                    ROW(micai_state, pools_watched, HARM_NUMBER, "W6"),
                                    FREE(micai_state, observers_made, figure),
                                    ROW(micai_state, telling, HARM_NUMBER, "B1"),
                                    ROW(micai_state, observer, HARM_POINTER, "O3"),
                                    ROW(micai_state, observers, HARM_NUMBER, "O3"),
                                    ROW(micai_state, matchers, HARM_NUMBER, "O3"),
                                    FREE(micai_state, replayed, figure),
                                    FREE(micai_state, dropped, figure),
                                    ROW(micai_state, time, HARM_HIGH, "W5"),
                                    ROW(micai_state, query_count, HARM_NUMBER, "Q5"),
                                    PART(micai_state, modules),
                                    END};

static void each_core(everything *e, visitor *v)
{
    SEE(v, e->world->state);
}

static micai_queues *queues_of(const everything *e)
{
    return e->world->state->modules[MICAI_MODULE_QUEUE].data;
}

static const field queues_fields[] = {LIST(micai_queues, list, HARM_HIGH), END};

static void each_queues(everything *e, visitor *v)
{
    SEE(v, queues_of(e));
}

static const field queue_item_fields[] = ITEM(micai_queue *, HARM_WILD, "E1");

static void each_queue_item(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < queues_of(e)->list.count; i++) {
        SEE(v, &queues_of(e)->list.items[i]);
    }
}

static const field queue_fields[] = {ROW(micai_queue, bits, HARM_NUMBER, "E1"),
                                     ROW(micai_queue, type, HARM_POINTER, "E1"),
                                     PART(micai_queue, last),
                                     PART(micai_queue, now),
                                     FREE(micai_queue, before, figure),
                                     ROW(micai_queue, tail, HARM_POINTER, "E3"),
                                     ROW(micai_queue, room, HARM_NUMBER, "E3"),
                                     ROW(micai_queue, size, HARM_NUMBER, "E3"),
                                     END};

static void each_queue(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < queues_of(e)->list.count; i++) {
        if (queues_of(e)->list.items[i]) {
            SEE(v, queues_of(e)->list.items[i]);
        }
    }
}

static const field frame_fields[] = {LIST(micai_frame, chunks, HARM_HIGH),
                                     ROW(micai_frame, count, HARM_HIGH, "E2"), END};

static void each_frame(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < queues_of(e)->list.count; i++) {
        if (queues_of(e)->list.items[i]) {
            SEE(v, &queues_of(e)->list.items[i]->last);
            SEE(v, &queues_of(e)->list.items[i]->now);
        }
    }
}

static const field chunk_fields[] = ITEM(unsigned char *, HARM_POINTER, "E2");

static void each_chunk(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < queues_of(e)->list.count; i++) {
        const micai_queue *queue = queues_of(e)->list.items[i];
        for (uint32_t k = 0; queue && k < queue->last.chunks.count; k++) {
            SEE(v, &queue->last.chunks.items[k]);
        }
        for (uint32_t k = 0; queue && k < queue->now.chunks.count; k++) {
            SEE(v, &queue->now.chunks.items[k]);
        }
    }
}

static const field resource_fields[] = {ROW(micai_resource, bits, HARM_NUMBER, "R1"),
                                        ROW(micai_resource, value, HARM_POINTER, "R1"), END};

static void each_resource(everything *e, visitor *v)
{
    micai_resources *all = &e->world->state->resources;
    for (uint32_t i = 0; i < all->count; i++) {
        SEE(v, &all->items[i]);
    }
}

static const field room_fields[] = {ROW(micai_module, data, HARM_POINTER, "W5"),
                                    ROW(micai_module, destroy_values, HARM_POINTER, "W5"),
                                    ROW(micai_module, close, HARM_POINTER, "W5"),
                                    ROW(micai_module, validate, HARM_POINTER, "W5"),
                                    ROW(micai_module, settle, HARM_POINTER, "W5"),
                                    ROW(micai_module, reclaim, HARM_POINTER, "W5"),
                                    ROW(micai_module, turn, HARM_POINTER, "W5"),
                                    ROW(micai_module, send, HARM_POINTER, "W5"),
                                    ROW(micai_module, hold, HARM_POINTER, "W5"),
                                    ROW(micai_module, digest, HARM_POINTER, "W5"),
                                    ROW(micai_module, tell, HARM_POINTER, "W5"),
                                    ROW(micai_module, tell_one, HARM_POINTER, "W5"),
                                    ROW(micai_module, sent, HARM_POINTER, "W5"),
                                    ROW(micai_module, heard, HARM_POINTER, "W5"),
                                    ROW(micai_module, trace, HARM_POINTER, "W5"),
                                    ROW(micai_module, check, HARM_NUMBER, "W5"),
                                    END};

#define STREAM(member)                                                                             \
    ROW(micai_tracing, member.first_zero, HARM_NUMBER, "W9"),                                      \
        ROW(micai_tracing, member.path, HARM_POINTER, "W9"),                                       \
        ROW(micai_tracing, member.buffer, HARM_POINTER, "W9"),                                     \
        ROW(micai_tracing, member.data, HARM_POINTER, "W9"),                                       \
        ROW(micai_tracing, member.size, HARM_NUMBER, "W9"),                                        \
        ROW(micai_tracing, member.write, HARM_POINTER, "W9"),                                      \
        ROW(micai_tracing, member.read, HARM_POINTER, "W9"),                                       \
        ROW(micai_tracing, member.explain, HARM_POINTER, "W9"),                                    \
        ROW(micai_tracing, member.user, HARM_POINTER, "W9"),                                       \
        ROW(micai_tracing, member.last_zero, HARM_NUMBER, "W9")
#define OUTPUT(member)                                                                             \
    ROW(micai_tracing, member.host, HARM_POINTER, "W9"),                                           \
        ROW(micai_tracing, member.call, HARM_POINTER, "W9"),                                       \
        ROW(micai_tracing, member.stream, HARM_POINTER, "W9"),                                     \
        ROW(micai_tracing, member.block, HARM_POINTER, "W9"),                                      \
        ROW(micai_tracing, member.size, HARM_NUMBER, "W9"),                                        \
        ROW(micai_tracing, member.used, HARM_NUMBER, "W9"),                                        \
        ROW(micai_tracing, member.count, HARM_NUMBER, "W9"),                                       \
        ROW(micai_tracing, member.failed, HARM_NUMBER, "W9"),                                      \
        ROW(micai_tracing, member.why, HARM_ENDLESS, "W9"),                                        \
        ROW(micai_tracing, member.file.handle, HARM_NUMBER, "W9"),                                 \
        ROW(micai_tracing, member.file.size, HARM_NUMBER, "W9"),                                   \
        ROW(micai_tracing, member.file.reason, HARM_NUMBER, "W9"),                                 \
        ROW(micai_tracing, member.temporary, HARM_POINTER, "W9"),                                  \
        ROW(micai_tracing, member.temporary_size, HARM_NUMBER, "W9"),                              \
        ROW(micai_tracing, member.grown.data, HARM_POINTER, "W9"),                                 \
        ROW(micai_tracing, member.grown.size, HARM_NUMBER, "W9"),                                  \
        ROW(micai_tracing, member.grown.capacity, HARM_NUMBER, "W9"),                              \
        ROW(micai_tracing, member.grown.allocator.resize, HARM_POINTER, "W9"),                     \
        ROW(micai_tracing, member.grown.allocator.user, HARM_POINTER, "W9")

static const field tracing_fields[] = {ROW(micai_tracing, function, HARM_POINTER, "W9"),
                                       ROW(micai_tracing, user, HARM_POINTER, "W9"),
                                       ROW(micai_tracing, start_ns, HARM_NUMBER, "W9"),
                                       STREAM(stream),
                                       OUTPUT(output),
                                       ROW(micai_tracing, path_size, HARM_NUMBER, "W9"),
                                       ROW(micai_tracing, check, HARM_NUMBER, "W9"),
                                       END};

static void each_tracing(everything *e, visitor *v)
{
    SEE(v, e->world->state->modules[MICAI_MODULE_TRACE].data);
}

static void each_room(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < MICAI_MODULE_COUNT; i++) {
        SEE(v, &e->world->state->modules[i]);
    }
}

static const field names_fields[] = {ARRAY(micai_names, list), PART(micai_names, by_text),
                                     PART(micai_names, by_slot), END};

static void each_names(everything *e, visitor *v)
{
    SEE(v, micai_names_of(e->world->state));
}

static const field name_fields[] = {ROW(micai_name, text, HARM_POINTER, "W2"),
                                    ROW(micai_name, hash, HARM_NUMBER, "W2"),
                                    ROW(micai_name, entity, HARM_NUMBER, "W2"), END};

static void each_name(everything *e, visitor *v)
{
    micai_names *names = micai_names_of(e->world->state);
    for (uint32_t i = 0; i < names->list.count; i++) {
        SEE(v, &names->list.items[i]);
    }
}

static const field facets_fields[] = {ARRAY(micai_facets, list),
                                      PART(micai_facets, by_key),
                                      PART(micai_facets, by_handle),
                                      PART(micai_facets, by_owner),
                                      ROW(micai_facets, free_first, HARM_NUMBER, "X1"),
                                      ROW(micai_facets, count, HARM_NUMBER, "X1 X3"),
                                      END};

static void each_facets(everything *e, visitor *v)
{
    SEE(v, micai_facets_of(e->world->state));
}

static void see_facets(everything *e, visitor *v, bool used)
{
    micai_facets *facets = micai_facets_of(e->world->state);
    for (uint32_t i = 0; i < facets->list.count; i++) {
        if (!mica_entity_is_none(facets->list.items[i].facet) == used) {
            SEE(v, &facets->list.items[i]);
        }
    }
}

static const field facet_fields[] = {ROW(micai_facet, facet, HARM_NUMBER, "X1 X2 X3"),
                                     ROW(micai_facet, owner, HARM_NUMBER, "X1 X2 X4"),
                                     ROW(micai_facet, component, HARM_NUMBER, "X3"),
                                     ROW(micai_facet, role, HARM_NUMBER, "X3"),
                                     ROW(micai_facet, next, HARM_NUMBER, "X4"),
                                     ROW(micai_facet, previous, HARM_NUMBER, "X4"),
                                     END};

static void each_facet(everything *e, visitor *v)
{
    see_facets(e, v, true);
}

static const field free_facet_fields[] = {ROW(micai_facet, facet, HARM_NUMBER, "X1"),
                                          ROW(micai_facet, owner, HARM_NUMBER, "X1"),
                                          ROW(micai_facet, component, HARM_NUMBER, "X1"),
                                          ROW(micai_facet, role, HARM_NUMBER, "X1"),
                                          ROW(micai_facet, next, HARM_NUMBER, "X1"),
                                          ROW(micai_facet, previous, HARM_NUMBER, "X1"),
                                          END};

static void each_free_facet(everything *e, visitor *v)
{
    see_facets(e, v, false);
}

static const field letter_fields[] = ITEM(char, HARM_BYTES, "W2 K2");

static void see_letters(visitor *v, const char *text)
{
    for (size_t i = 0; i <= strlen(text); i++) {
        SEE(v, (void *)(uintptr_t)&text[i]);
    }
}

static void each_letter(everything *e, visitor *v)
{
    micai_names *names = micai_names_of(e->world->state);
    for (uint32_t i = 0; i < names->list.count; i++) {
        see_letters(v, names->list.items[i].text);
    }
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t i = 0; i < registry->list.count; i++) {
        const mica_type_info *info = &registry->list.items[i]->info;
        see_letters(v, info->name);
        if (info->c_type) {
            see_letters(v, info->c_type);
        }
    }
}

static const field bundles_fields[] = {LIST(micai_bundles, list, HARM_HIGH),
                                       ARRAY(micai_bundles, free_list),
                                       ROW(micai_bundles, made, HARM_ZERO, "W3"),
                                       FREE(micai_bundles, newcomers, figure),
                                       FREE(micai_bundles, newcomer, alone),
                                       PART(micai_bundles, shapes),
                                       END};

static void each_bundles(everything *e, visitor *v)
{
    SEE(v, micai_bundles_of(e->world->state));
}

static const field bundle_item_fields[] = ITEM(micai_bundle *, HARM_POINTER, "W3");
static const field free_bundle_fields[] = ITEM(uint32_t, HARM_NUMBER, "W3");

static void each_bundle_item(everything *e, visitor *v)
{
    micai_bundles *bundles = micai_bundles_of(e->world->state);
    for (uint32_t i = 0; i < bundles->handles.list.count; i++) {
        SEE(v, &bundles->handles.list.items[i]);
    }
}

static void each_free_bundle(everything *e, visitor *v)
{
    micai_bundles *bundles = micai_bundles_of(e->world->state);
    for (uint32_t i = 0; i < bundles->free_list.count; i++) {
        SEE(v, &bundles->free_list.items[i]);
    }
}

static const field bundle_fields[] = {ROW(micai_bundle, handle, HARM_NUMBER, "W3"),
                                      ROW(micai_bundle, seed, HARM_NUMBER, "W3"),
                                      ROW(micai_bundle, table, HARM_WILD, "W3"),
                                      ROW(micai_bundle, quick, HARM_NUMBER, "W3"),
                                      ROW(micai_bundle, way, HARM_NUMBER, "W3"),
                                      ROW(micai_bundle, count, HARM_NUMBER, "W3"),
                                      END};

static void each_bundle(everything *e, visitor *v)
{
    micai_bundles *bundles = micai_bundles_of(e->world->state);
    for (uint32_t i = 0; i < bundles->handles.list.count; i++) {
        if (bundles->handles.list.items[i]) {
            SEE(v, bundles->handles.list.items[i]);
        }
    }
}

static const field part_fields[] = {ROW(micai_bundle_item, type, HARM_POINTER, "W3"),
                                    ROW(micai_bundle_item, bits, HARM_NUMBER, "W3"),
                                    ROW(micai_bundle_item, fill.strip, HARM_NUMBER, "W3"),
                                    ROW(micai_bundle_item, fill.flags, HARM_NUMBER, "W3"),
                                    ROW(micai_bundle_item, fill.ticks, HARM_NUMBER, "W3"),
                                    ROW(micai_bundle_item, fill.pieces, HARM_NUMBER, "W3"),
                                    ROW(micai_bundle_item, fill.size, HARM_NUMBER, "W3"),
                                    ROW(micai_bundle_item, given, HARM_NUMBER, "W3"),
                                    ROW(micai_bundle_item, column, HARM_NUMBER, "W3"),
                                    ROW(micai_bundle_item, pool, HARM_POINTER, "W3"),
                                    END};

static const field idle_part_fields[] = {ROW(micai_bundle_item, type, HARM_POINTER, "W3"),
                                         ROW(micai_bundle_item, bits, HARM_NUMBER, "W3"),
                                         FREE(micai_bundle_item, fill.strip, unused),
                                         FREE(micai_bundle_item, fill.flags, unused),
                                         FREE(micai_bundle_item, fill.ticks, unused),
                                         FREE(micai_bundle_item, fill.pieces, unused),
                                         FREE(micai_bundle_item, fill.size, unused),
                                         FREE(micai_bundle_item, given, unused),
                                         FREE(micai_bundle_item, column, unused),
                                         FREE(micai_bundle_item, pool, unused),
                                         END};

static const field shape_fields[] = {ROW(micai_shape, key, HARM_NUMBER, "W3"),
                                     ROW(micai_shape, table, HARM_WILD, "W3"),
                                     ROW(micai_shape, count, HARM_NUMBER, "W3"),
                                     ROW(micai_shape, way, HARM_NUMBER, "W3"),
                                     PART(micai_shape, items),
                                     END};

static const field idle_shape_fields[] = {
    FREE(micai_shape, key, unused),   ROW(micai_shape, table, HARM_WILD, "W3"),
    FREE(micai_shape, count, unused), FREE(micai_shape, way, unused),
    PART(micai_shape, items),         END};

static void see_shapes(everything *e, visitor *v, bool with_table)
{
    for (uint32_t i = 0; i < MICAI_SHAPES; i++) {
        micai_shape *shape = &micai_bundles_of(e->world->state)->shapes[i];
        if (!shape->table == !with_table) {
            SEE(v, shape);
        }
    }
}

static void each_shape(everything *e, visitor *v)
{
    see_shapes(e, v, true);
}

static void each_idle_shape(everything *e, visitor *v)
{
    see_shapes(e, v, false);
}

static const field unused_part_fields[] = {FREE(micai_bundle_item, type, unused),
                                           FREE(micai_bundle_item, bits, unused),
                                           FREE(micai_bundle_item, fill.strip, unused),
                                           FREE(micai_bundle_item, fill.flags, unused),
                                           FREE(micai_bundle_item, fill.ticks, unused),
                                           FREE(micai_bundle_item, fill.pieces, unused),
                                           FREE(micai_bundle_item, fill.size, unused),
                                           FREE(micai_bundle_item, given, unused),
                                           FREE(micai_bundle_item, column, unused),
                                           FREE(micai_bundle_item, pool, unused),
                                           END};

static void see_parts_of_shapes(everything *e, visitor *v, bool used)
{
    for (uint32_t i = 0; i < MICAI_SHAPES; i++) {
        micai_shape *shape = &micai_bundles_of(e->world->state)->shapes[i];
        for (uint32_t k = 0; k < MICAI_SHAPE_TYPES; k++) {
            if ((shape->table && k < shape->count) == used) {
                SEE(v, &shape->items[k]);
            }
        }
    }
}

static void each_unused_part(everything *e, visitor *v)
{
    see_parts_of_shapes(e, v, false);
}

static void see_parts(everything *e, visitor *v, bool with_table)
{
    micai_bundles *bundles = micai_bundles_of(e->world->state);
    for (uint32_t i = 0; i < bundles->handles.list.count; i++) {
        micai_bundle *bundle = bundles->handles.list.items[i];
        for (uint32_t k = 0; bundle && !bundle->table == !with_table && k < bundle->count; k++) {
            SEE(v, &bundle->items[k]);
        }
    }
}

static void each_part(everything *e, visitor *v)
{
    see_parts(e, v, true);
    see_parts_of_shapes(e, v, true);
}

static void each_idle_part(everything *e, visitor *v)
{
    see_parts(e, v, false);
}

static const field walks_fields[] = {
    ROW(micai_walks, names, HARM_POINTER, "Q5"),    ROW(micai_walks, gathers, HARM_POINTER, "Q5"),
    ROW(micai_walks, outer, HARM_POINTER, "J2"),    ROW(micai_walks, newest, HARM_POINTER, "J1"),
    ROW(micai_walks, closed, HARM_POINTER, "J2"),   ROW(micai_walks, count, HARM_NUMBER, "J1"),
    ROW(micai_walks, made, HARM_NUMBER, "J2"),      ROW(micai_walks, gathered, HARM_NUMBER, "Q6"),
    ROW(micai_walks, last_serial, HARM_ZERO, "J1"), END};

static void each_walks(everything *e, visitor *v)
{
    SEE(v, &e->world->state->walks);
}

static const field walk_fields[] = {ROW(micai_walk, serial, HARM_ENDS, "J1"),
                                    ROW(micai_walk, next, HARM_POINTER, "Q3"),
                                    ROW(micai_walk, query, HARM_POINTER, "Q3"),
                                    FREE(micai_walk, iter, "an address in the caller's memory"),
                                    ROW(micai_walk, match, HARM_HIGH, "Q3"),
                                    ROW(micai_walk, row, HARM_HIGH, "Q3"),
                                    FREE(micai_walk, rows, alone),
                                    ROW(micai_walk, shown, HARM_WILD, "Q3"),
                                    FREE(micai_walk, shown_row, alone),
                                    ROW(micai_walk, held, HARM_FLAG, "J3"),
                                    FREE(micai_walk, whole, "of queries that go by rows only"),
                                    FREE(micai_walk, since, "of queries that go by rows only"),
                                    ROW(micai_walk, driver, HARM_POINTER, "Q3"),
                                    ROW(micai_walk, group, HARM_WILD, "Q3"),
                                    ROW(micai_walk, leave, HARM_POINTER, "Q3"),
                                    ROW(micai_walk, memory, HARM_POINTER, "J4"),
                                    ROW(micai_walk, memory_size, HARM_ENDS, "J4 Q3"),
                                    ROW(micai_walk, memory_align, HARM_NUMBER, "J4"),
                                    ROW(micai_walk, owner_capacity, HARM_ENDS, "J4"),
                                    ROW(micai_walk, owners, HARM_POINTER, "J4"),
                                    ROW(micai_walk, name, HARM_POINTER, "Q3"),
                                    ROW(micai_walk, newer, HARM_POINTER, "J1"),
                                    ROW(micai_walk, older, HARM_POINTER, "J1"),
                                    FREE(micai_walk, pointers, "of a segment that is over"),
                                    END};

static void each_walk(everything *e, visitor *v)
{
    for (micai_walk *walk = e->world->state->walks.newest; walk; walk = walk->older) {
        SEE(v, walk);
    }
}

static const field block_of_rows_fields[] = {ROW(micai_block, world, HARM_POINTER, "Q3"),
                                             ROW(micai_block, table, HARM_POINTER, "Q3"),
                                             ROW(micai_block, run, HARM_FLAG, "Q3"),
                                             ROW(micai_block, ids, HARM_POINTER, "Q3"),
                                             ROW(micai_block, first, HARM_NUMBER, "Q3"),
                                             ROW(micai_block, count, HARM_HIGH, "Q3"),
                                             ROW(micai_block, gathered, HARM_HIGH, "Q3"),
                                             ROW(micai_block, written, HARM_HIGH, "Q3"),
                                             ROW(micai_block, touched, HARM_HIGH, "Q3"),
                                             ROW(micai_block, present, HARM_HIGH, "Q3"),
                                             ROW(micai_block, placed, HARM_NUMBER, "Q3"),
                                             ROW(micai_block, straight, HARM_HIGH, "Q3"),
                                             ROW(micai_block, noted, HARM_HIGH, "Q3"),
                                             ROW(micai_block, sieved, HARM_HIGH, "Q3"),
                                             ROW(micai_block, from, HARM_HIGH, "Q3"),
                                             FREE(micai_block, breaks, alone),
                                             FREE(micai_block, rows, alone),
                                             FREE(micai_block, entities, "the caller's to read"),
                                             END};

static void each_block_of_rows(everything *e, visitor *v)
{
    SEE(v, e->driven.walk->memory);
    SEE(v, e->sieved.walk->memory);
    SEE(v, e->grouped.walk->memory);
}

static const field closed_fields[] = {ROW(micai_walk, serial, HARM_NUMBER, "J2"),
                                      FREE(micai_walk, next, unused),
                                      FREE(micai_walk, query, unused),
                                      FREE(micai_walk, iter, unused),
                                      FREE(micai_walk, match, unused),
                                      FREE(micai_walk, row, unused),
                                      FREE(micai_walk, rows, unused),
                                      FREE(micai_walk, shown, unused),
                                      FREE(micai_walk, shown_row, unused),
                                      FREE(micai_walk, held, unused),
                                      FREE(micai_walk, whole, unused),
                                      FREE(micai_walk, since, unused),
                                      FREE(micai_walk, driver, unused),
                                      FREE(micai_walk, group, unused),
                                      FREE(micai_walk, leave, unused),
                                      ROW(micai_walk, memory, HARM_POINTER, "J4"),
                                      ROW(micai_walk, memory_size, HARM_ENDS, "J4"),
                                      ROW(micai_walk, memory_align, HARM_NUMBER, "J4"),
                                      ROW(micai_walk, owner_capacity, HARM_ENDS, "J4"),
                                      ROW(micai_walk, owners, HARM_POINTER, "J4"),
                                      FREE(micai_walk, name, unused),
                                      FREE(micai_walk, newer, unused),
                                      ROW(micai_walk, older, HARM_POINTER, "J2"),
                                      FREE(micai_walk, pointers, unused),
                                      END};

static void each_closed(everything *e, visitor *v)
{
    for (micai_walk *walk = e->world->state->walks.closed; walk; walk = walk->older) {
        SEE(v, walk);
    }
}

// State that nobody has claimed

static const field unclaimed_fields[] = {LIST(micai_unclaimed, items, HARM_ENDS),
                                         PART(micai_unclaimed, by_key),
                                         ROW(micai_unclaimed, left, HARM_NUMBER, "V2"), END};

static void each_unclaimed(everything *e, visitor *v)
{
    SEE(v, &queries_of(e)->unclaimed);
    SEE(v, &systems_of(e)->unclaimed);
}

static const field unclaimed_item_fields[] = {
    ROW(micai_unclaimed_item, name, HARM_POINTER, "V1 V2"),
    ROW(micai_unclaimed_item, detail, HARM_NUMBER, "V1 V2"),
    FREE(micai_unclaimed_item, values, alone),
    ROW(micai_unclaimed_item, kind, HARM_NUMBER, "V1 V2"),
    ROW(micai_unclaimed_item, next, HARM_NUMBER, "V1 V2"),
    ROW(micai_unclaimed_item, last, HARM_NUMBER, "V1 V2"),
    END};

static void each_unclaimed_item(everything *e, visitor *v)
{
    micai_unclaimed *const all[] = {&queries_of(e)->unclaimed, &systems_of(e)->unclaimed};
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < all[k]->items.count; i++) {
            SEE(v, &all[k]->items.items[i]);
        }
    }
}

// Queries and systems

static const field queries_fields[] = {ARRAY(micai_queries, list), ARRAY(micai_queries, free_list),
                                       ROW(micai_queries, made, HARM_ZERO, "Q4"),
                                       PART(micai_queries, unclaimed), END};

static void each_queries(everything *e, visitor *v)
{
    SEE(v, queries_of(e));
}

static const field query_item_fields[] = ITEM(micai_query *, HARM_POINTER, "Q4 Q5");
static const field free_query_fields[] = ITEM(uint32_t, HARM_NUMBER, "Q5");

static void each_query_item(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < queries_of(e)->handles.list.count; i++) {
        SEE(v, &queries_of(e)->handles.list.items[i]);
    }
}

static void each_free_query(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < queries_of(e)->free_list.count; i++) {
        SEE(v, &queries_of(e)->free_list.items[i]);
    }
}

#define FOR_QUERIES(e, query)                                                                      \
    micai_query *query;                                                                            \
    for (uint32_t i_ = 0; i_ < queries_of(e)->handles.list.count; i_++)                                    \
        if ((query = queries_of(e)->handles.list.items[i_]) != NULL)

static const field query_fields[] = {ROW(micai_query, handle, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, seed, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, name, HARM_TEXT, "Q4"),
                                     ROW(micai_query, term_count, HARM_NUMBER, "Q4"),
                                     PART(micai_query, terms),
                                     PART(micai_query, needed),
                                     PART(micai_query, forbidden),
                                     PART(micai_query, any),
                                     ROW(micai_query, readable, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, writable, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, split, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, fickle, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, timed, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, touch, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, since, HARM_HIGH, "Q7"),
                                     ROW(micai_query, no_facets, HARM_FLAG, "Q4"),
                                     ROW(micai_query, owned, HARM_FLAG, "Q4"),
                                     ROW(micai_query, no_entities, HARM_FLAG, "Q4"),
                                     ROW(micai_query, loop, HARM_POINTER, "Q4"),
                                     ROW(micai_query, simple, HARM_FLAG, "Q4"),
                                     ROW(micai_query, anywhere, HARM_FLAG, "Q4"),
                                     ROW(micai_query, plain, HARM_FLAG, "Q4"),
                                     ROW(micai_query, loose_any, HARM_FLAG, "Q4"),
                                     ROW(micai_query, loose, HARM_NUMBER, "Q4"),
                                     ARRAY(micai_query, sieves),
                                     ROW(micai_query, block_rows, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, block_align, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, block_size, HARM_NUMBER, "Q4"),
                                     ROW(micai_query, users, HARM_NUMBER, "Y1"),
                                     ARRAY(micai_query, tables),
                                     ARRAY(micai_query, found),
                                     ROW(micai_query, cuts, HARM_POINTER, "Q8"),
                                     ROW(micai_query, cuts_size, HARM_NUMBER, "Q8"),
                                     ROW(micai_query, cut_size, HARM_NUMBER, "Q8"),
                                     ROW(micai_query, cut_at, HARM_HIGH, "Q8"),
                                     ROW(micai_query, cut_seen, HARM_HIGH, "Q8"),
                                     END};

static void each_query(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        SEE(v, query);
    }
}

static const field term_fields[] = {ROW(micai_term, type, HARM_POINTER, "Q4"),
                                    ROW(micai_term, access, HARM_NUMBER, "Q4"),
                                    ROW(micai_term, even, HARM_FLAG, "Q4"),
                                    ROW(micai_term, touch, HARM_FLAG, "Q4"),
                                    ROW(micai_term, news, HARM_NUMBER, "Q4"),
                                    ROW(micai_term, size, HARM_NUMBER, "Q4"),
                                    ROW(micai_term, values, HARM_NUMBER, "Q4"),
                                    ROW(micai_term, homes, HARM_NUMBER, "Q4"),
                                    END};

static void each_term(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        for (uint32_t t = 0; t < query->term_count; t++) {
            SEE(v, &query->terms[t]);
        }
    }
}

static const field idle_term_fields[] = {ROW(micai_term, type, HARM_POINTER, "Q4"),
                                         ROW(micai_term, access, HARM_NUMBER, "Q4"),
                                         ROW(micai_term, even, HARM_FLAG, "Q4"),
                                         ROW(micai_term, touch, HARM_FLAG, "Q4"),
                                         ROW(micai_term, news, HARM_NUMBER, "Q4"),
                                         ROW(micai_term, size, HARM_NUMBER, "Q4"),
                                         ROW(micai_term, values, HARM_NUMBER, "Q4"),
                                         ROW(micai_term, homes, HARM_NUMBER, "Q4"),
                                         END};

static void each_idle_term(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        for (uint32_t t = query->term_count; t < MICA_TERMS_MAX; t++) {
            SEE(v, &query->terms[t]);
        }
    }
}

static const field sieve_fields[] = {
    ROW(micai_sieve, word, HARM_NUMBER, "Q4"),      ROW(micai_sieve, needed, HARM_NUMBER, "Q4"),
    ROW(micai_sieve, forbidden, HARM_NUMBER, "Q4"), ROW(micai_sieve, any, HARM_NUMBER, "Q4"),
    ROW(micai_sieve, varying, HARM_NUMBER, "Q4"),   END};

static void each_sieve(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        for (uint32_t i = 0; i < query->sieves.count; i++) {
            SEE(v, &query->sieves.items[i]);
        }
    }
}

static const field types_fields[] = {ROW(mica_types, words[0], HARM_NUMBER, "Q4"),
                                     ROW(mica_types, words[1], HARM_NUMBER, "Q4"),
                                     ROW(mica_types, words[2], HARM_NUMBER, "Q4"),
                                     ROW(mica_types, words[3], HARM_NUMBER, "Q4"),
                                     ROW(mica_types, more, HARM_POINTER, "Q4"),
                                     ROW(mica_types, more_count, HARM_HIGH, "Q4"),
                                     END};

static void each_types(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        SEE(v, &query->needed);
        SEE(v, &query->forbidden);
        SEE(v, &query->any);
    }
}

static const field more_fields[] = ITEM(uint64_t, HARM_NUMBER, "Q4");

static void each_more(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        mica_types *const sets[] = {&query->needed, &query->forbidden, &query->any};
        for (uint32_t s = 0; s < 3; s++) {
            for (uint32_t i = 0; i < sets[s]->more_count; i++) {
                SEE(v, &sets[s]->more[i]);
            }
        }
    }
}

static const field match_fields[] = ITEM(micai_table *, HARM_POINTER, "Q1");

static void each_match(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        for (uint32_t m = 0; m < query->tables.count; m++) {
            SEE(v, &query->tables.items[m]);
        }
    }
}

static const field found_fields[] = {ROW(micai_found, column, HARM_NUMBER, "Q2"),
                                     ROW(micai_found, lane, HARM_NUMBER, "Q2"), END};

static void each_found(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        for (uint32_t i = 0; i < query->found.count; i++) {
            SEE(v, &query->found.items[i]);
        }
    }
}

// Commands

static micai_commands *commands_of(everything *e)
{
    return e->world->state->modules[MICAI_MODULE_COMMAND].data;
}

static const field commands_fields[] = {
    ROW(micai_commands, later, HARM_POINTER, "N3"), LIST(micai_commands, list, HARM_ENDS),
    LIST(micai_commands, marks.pages, HARM_HIGH), FREE(micai_commands, replayed, unused), END};

static void each_commands(everything *e, visitor *v)
{
    SEE(v, commands_of(e));
}

static const field buffer_item_fields[] = ITEM(micai_buffer *, HARM_POINTER, "N4");

static void each_buffer_item(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < commands_of(e)->list.count; i++) {
        SEE(v, &commands_of(e)->list.items[i]);
    }
}

static const field mark_fields[] = ITEM(uint32_t *, HARM_WILD, "L1");

static void each_mark(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < commands_of(e)->marks.pages.count; i++) {
        SEE(v, &commands_of(e)->marks.pages.items[i]);
    }
}

static const field buffer_fields[] = {PART(micai_buffer, face),
                                      ROW(micai_buffer, recorder.world, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.set, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.remove, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.change, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.toggle, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.name, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.spawn, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.clone, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.extend, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.despawn, HARM_POINTER, "N4"),
                                      ROW(micai_buffer, recorder.send, HARM_POINTER, "N4"),
                                      LIST(micai_buffer, blocks, HARM_ENDS),
                                      ROW(micai_buffer, first, HARM_HIGH, "N1"),
                                      ROW(micai_buffer, count, HARM_HIGH, "N1"),
                                      PART(micai_buffer, arena),
                                      ROW(micai_buffer, place, HARM_NUMBER, "N4"),
                                      ROW(micai_buffer, own, HARM_FLAG, "N3 N4"),
                                      END};

static void each_buffer(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < commands_of(e)->list.count; i++) {
        SEE(v, commands_of(e)->list.items[i]);
    }
}

static const field face_fields[] = {ROW(mica_world, state, HARM_POINTER, "N4"),
                                    ROW(mica_world, busy, HARM_NUMBER, "N4"),
                                    ROW(mica_world, recorder, HARM_POINTER, "N4"),
                                    ROW(mica_world, view.slots, HARM_POINTER, "N4"),
                                    ROW(mica_world, view.store, HARM_POINTER, "N4"),
                                    ROW(mica_world, view.flags, HARM_POINTER, "N4"),
                                    ROW(mica_world, view.world, HARM_POINTER, "N4"),
                                    ROW(mica_world, view.tick, HARM_NUMBER, "N4"),
                                    PART(mica_world, host),
                                    ROW(mica_world, scratch.first, HARM_WILD, "A3"),
                                    ROW(mica_world, scratch.current, HARM_WILD, "A3"),
                                    FREE(mica_world, scratch.used, unused),
                                    ROW(mica_world, promised, HARM_NUMBER, "N4"),
                                    END};

static void each_face(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < commands_of(e)->list.count; i++) {
        SEE(v, &commands_of(e)->list.items[i]->face);
    }
}

// It reports by the main one, and has no memory of its own.
static const field follower_fields[] = {ROW(micai_host, allocator.resize, HARM_POINTER, "N4"),
                                        ROW(micai_host, allocator.user, HARM_POINTER, "N4"),
                                        FREE(micai_host, memory, unused),
                                        FREE(micai_host, memory_max, unused),
                                        FREE(micai_host, beyond_maximum, unused),
                                        FREE(micai_host, ranges, unused),
                                        FREE(micai_host, error_handler, unused),
                                        FREE(micai_host, error_user, unused),
                                        FREE(micai_host, last_error, unused),
                                        FREE(micai_host, failed, alone),
                                        FREE(micai_host, abort_on_error, unused),
                                        FREE(micai_host, log_handler, unused),
                                        FREE(micai_host, log_user, unused),
                                        ROW(micai_host, world, HARM_POINTER, "N4"),
                                        ROW(micai_host, system, HARM_POINTER, "N4"),
                                        ROW(micai_host, hook, HARM_POINTER, "N4"),
                                        ROW(micai_host, hooked, HARM_POINTER, "N4"),
                                        ROW(micai_host, inside, HARM_NUMBER, "N4"),
                                        ROW(micai_host, call, HARM_POINTER, "N4"),
                                        ROW(micai_host, handler, HARM_POINTER, "N4"),
                                        ROW(micai_host, busy, HARM_POINTER, "N4"),
                                        ROW(micai_host, main, HARM_POINTER, "N4"),
                                        ROW(micai_host, next, HARM_POINTER, "N4"),
                                        ROW(micai_host, previous, HARM_POINTER, "N4"),
                                        ROW(micai_host, errors.count, HARM_NUMBER, "N4"),
                                        FREE(micai_host, errors.left_out, unused),
                                        FREE(micai_host, errors.items, unused),
                                        ROW(micai_host, lines.count, HARM_NUMBER, "N4"),
                                        FREE(micai_host, lines.left_out, unused),
                                        FREE(micai_host, lines.items, unused),
                                        FREE(micai_host, heard, unused),
                                        FREE(micai_host, moment, unused),
                                        END};

static void each_follower(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < commands_of(e)->list.count; i++) {
        SEE(v, &commands_of(e)->list.items[i]->face.host);
    }
}

static const field command_block_fields[] = ITEM(micai_command *, HARM_POINTER, "N1");

static void each_command_block(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < commands_of(e)->list.count; i++) {
        micai_buffer *buffer = commands_of(e)->list.items[i];
        for (uint32_t block = 0; block < buffer->blocks.count; block++) {
            SEE(v, &buffer->blocks.items[block]);
        }
    }
}

static void see_commands(everything *e, visitor *v, bool (*wanted)(const micai_command *command))
{
    for (uint32_t i = 0; i < commands_of(e)->list.count; i++) {
        micai_buffer *buffer = commands_of(e)->list.items[i];
        for (uint32_t place = buffer->first; place < buffer->count; place++) {
            micai_command *command = micai_command_at(buffer, place);
            if (wanted(command)) {
                SEE(v, command);
            }
        }
    }
}

static bool is_any(const micai_command *command)
{
    (void)command;
    return true;
}

static bool is_spawning(const micai_command *command)
{
    return command->verb == MICAI_SPAWN;
}

static bool is_wide(const micai_command *command)
{
    return command->verb == MICAI_SET && !micai_command_is_small(command->type);
}

static const field command_fields[] = {FREE(micai_command, entity, "it may be anybody's"),
                                       ROW(micai_command, type, HARM_POINTER, "N1"),
                                       FREE(micai_command, data, "it may be any value"),
                                       ROW(micai_command, next, HARM_NUMBER, "N1"),
                                       ROW(micai_command, verb, HARM_HIGH, "N1"),
                                       ROW(micai_command, linked, HARM_FLAG, "N1"),
                                       ROW(micai_command, plain, HARM_FLAG, "N1"),
                                       END};

static void each_command(everything *e, visitor *v)
{
    see_commands(e, v, is_any);
}

static const field spawning_fields[] = {ROW(micai_command, entity, HARM_NUMBER, "N2"),
                                        ROW(micai_command, type, HARM_POINTER, "N1"),
                                        ROW(micai_command, data.spawn.parts, HARM_NUMBER, "N1"),
                                        ROW(micai_command, data.spawn.shape, HARM_HIGH, "N1"),
                                        ROW(micai_command, next, HARM_NUMBER, "N1"),
                                        ROW(micai_command, verb, HARM_NUMBER, "N1 N2"),
                                        ROW(micai_command, linked, HARM_FLAG, "N1"),
                                        ROW(micai_command, plain, HARM_FLAG, "N1"),
                                        END};

static void each_spawning(everything *e, visitor *v)
{
    see_commands(e, v, is_spawning);
}

static const field wide_fields[] = {FREE(micai_command, entity, "it may be anybody's"),
                                    ROW(micai_command, type, HARM_POINTER, "N1"),
                                    ROW(micai_command, data.pointer, HARM_POINTER, "N1"),
                                    ROW(micai_command, next, HARM_NUMBER, "N1"),
                                    ROW(micai_command, verb, HARM_HIGH, "N1"),
                                    ROW(micai_command, linked, HARM_FLAG, "N1"),
                                    ROW(micai_command, plain, HARM_FLAG, "N1"),
                                    END};

static void each_wide(everything *e, visitor *v)
{
    see_commands(e, v, is_wide);
}

static const field sending_command_fields[] = {ROW(micai_command, entity, HARM_NUMBER, "N1"),
                                               ROW(micai_command, type, HARM_POINTER, "N1"),
                                               ROW(micai_command, data.pointer, HARM_POINTER, "N1"),
                                               ROW(micai_command, next, HARM_NUMBER, "N1"),
                                               ROW(micai_command, verb, HARM_HIGH, "N1"),
                                               ROW(micai_command, linked, HARM_FLAG, "N1"),
                                               ROW(micai_command, plain, HARM_FLAG, "N1"),
                                               END};

static bool is_sending(const micai_command *command)
{
    return command->verb == MICAI_SEND;
}

static void each_sending_command(everything *e, visitor *v)
{
    see_commands(e, v, is_sending);
}

static const field sending_fields[] = {ROW(micai_sending, values, HARM_POINTER, "N1"),
                                       ROW(micai_sending, count, HARM_HIGH, "N1"), END};

static void each_sending(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < commands_of(e)->list.count; i++) {
        micai_buffer *buffer = commands_of(e)->list.items[i];
        for (uint32_t place = buffer->first; place < buffer->count; place++) {
            const micai_command *command = micai_command_at(buffer, place);
            if (is_sending(command)) {
                SEE(v, (micai_sending *)command->data.pointer);
            }
        }
    }
}

static bool is_extending(const micai_command *command)
{
    return command->verb == MICAI_EXTEND;
}

static const field extending_fields[] = {ROW(micai_command, entity, HARM_NUMBER, "N2"),
                                         ROW(micai_command, type, HARM_POINTER, "N1"),
                                         ROW(micai_command, data.pointer, HARM_POINTER, "N1"),
                                         ROW(micai_command, next, HARM_NUMBER, "N1"),
                                         ROW(micai_command, verb, HARM_HIGH, "N1"),
                                         ROW(micai_command, linked, HARM_FLAG, "N1"),
                                         ROW(micai_command, plain, HARM_FLAG, "N1"),
                                         END};

static void each_extending(everything *e, visitor *v)
{
    see_commands(e, v, is_extending);
}

static const field facet_to_be_fields[] = {FREE(micai_extending, owner, "it may be anybody"),
                                           ROW(micai_extending, component, HARM_HIGH, "N1"),
                                           FREE(micai_extending, role, "it may be any number"),
                                           ROW(micai_extending, parts, HARM_NUMBER, "N1"), END};

static void each_facet_to_be(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < commands_of(e)->list.count; i++) {
        micai_buffer *buffer = commands_of(e)->list.items[i];
        for (uint32_t place = buffer->first; place < buffer->count; place++) {
            micai_command *command = micai_command_at(buffer, place);
            if (is_extending(command)) {
                SEE(v, (micai_extending *)command->data.pointer);
            }
        }
    }
}

// Observers

static micai_observers *observers_of(everything *e)
{
    return e->world->state->modules[MICAI_MODULE_OBSERVER].data;
}

#define LISTENERS(S, member) ARRAY(S, member.list), ROW(S, member.holes, HARM_NUMBER, "O2")

static const field observers_fields[] = {ARRAY(micai_observers, handles.list),
                                         ARRAY(micai_observers, handles.free_list),
                                         ARRAY(micai_observers, by_type),
                                         LISTENERS(micai_observers, matchers),
                                         LISTENERS(micai_observers, comers),
                                         PART(micai_observers, watching),
                                         ROW(micai_observers, later, HARM_POINTER, "O3"),
                                         ROW(micai_observers, last_freed, HARM_POINTER, "O4"),
                                         ROW(micai_observers, freed, HARM_NUMBER, "O4"),
                                         END};

static void each_observers(everything *e, visitor *v)
{
    SEE(v, observers_of(e));
}

static const field observer_item_fields[] = ITEM(micai_observer *, HARM_POINTER, "L2 O1");
static const field free_observer_fields[] = ITEM(uint32_t, HARM_NUMBER, "L2");

static void each_observer_item(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < observers_of(e)->handles.list.count; i++) {
        SEE(v, &observers_of(e)->handles.list.items[i]);
    }
}

static void each_free_observer(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < observers_of(e)->handles.free_list.count; i++) {
        SEE(v, &observers_of(e)->handles.free_list.items[i]);
    }
}

static const field observed_type_fields[] = {
    LISTENERS(micai_observed_type, listeners), PART(micai_observed_type, watching),
    PART(micai_observed_type, active), PART(micai_observed_type, numbers), END};
static const field kind_count_fields[] = ITEM(uint32_t, HARM_NUMBER, "O3");
static const field heard_by_fields[] = ITEM(const micai_observer *, HARM_POINTER, "O2");
static const field alone_fields[] = ITEM(micai_ear *, HARM_POINTER, "O5");

static void each_alone(everything *e, visitor *v)
{
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t n = 0; n < registry->list.count; n++) {
        for (uint32_t bit = 0; bit < MICAI_KINDS_OF_TYPES; bit++) {
            SEE(v, &registry->list.items[n]->alone[bit]);
        }
    }
}

static void each_observed_type(everything *e, visitor *v)
{
    for (uint32_t n = 0; n < observers_of(e)->by_type.count; n++) {
        if (observers_of(e)->by_type.items[n].listeners.list.count > 0) {
            SEE(v, &observers_of(e)->by_type.items[n]);
        }
    }
}

static void see_counts(micai_kind_counts *counts, visitor *v)
{
    for (uint32_t bit = 0; bit < MICAI_KINDS; bit++) {
        SEE(v, &counts->counts[bit]);
    }
}

static void each_kind_count(everything *e, visitor *v)
{
    micai_observers *all = observers_of(e);
    see_counts(&all->watching, v);
    for (uint32_t n = 0; n < all->by_type.count; n++) {
        see_counts(&all->by_type.items[n].watching, v);
        see_counts(&all->by_type.items[n].active, v);
        see_counts(&all->by_type.items[n].numbers, v);
    }
}

static void see_listeners(micai_observer_list *listeners, visitor *v)
{
    for (uint32_t i = 0; i < listeners->list.count; i++) {
        SEE(v, &listeners->list.items[i]);
    }
}

static void each_heard_by(everything *e, visitor *v)
{
    micai_observers *all = observers_of(e);
    see_listeners(&all->matchers, v);
    see_listeners(&all->comers, v);
    for (uint32_t n = 0; n < all->by_type.count; n++) {
        see_listeners(&all->by_type.items[n].listeners, v);
    }
}

static const char last_told[] = "of who was told last; written before it is read";

static const field observer_fields[] = {FREE(micai_observer, ear.told.world, last_told),
                                        ROW(micai_observer, ear.told.later, HARM_POINTER, "O1"),
                                        FREE(micai_observer, ear.told.entity, last_told),
                                        ROW(micai_observer, ear.told.type, HARM_NUMBER, "O1"),
                                        FREE(micai_observer, ear.told.what, last_told),
                                        FREE(micai_observer, ear.told.value, last_told),
                                        ROW(micai_observer, ear.told.observer, HARM_NUMBER, "O1"),
                                        FREE(micai_observer, ear.told.user, users),
                                        ROW(micai_observer, ear.call, HARM_ZERO, "O1"),
                                        ROW(micai_observer, ear.name, HARM_TEXT, "O1"),
                                        ROW(micai_observer, seed, HARM_NUMBER, "O1"),
                                        ROW(micai_observer, on, HARM_NUMBER, "O1"),
                                        ROW(micai_observer, type, HARM_POINTER, "O1"),
                                        ROW(micai_observer, query, HARM_NUMBER, "O1"),
                                        ROW(micai_observer, place, HARM_NUMBER, "O1 O2"),
                                        ROW(micai_observer, lifecycle_place, HARM_NUMBER, "O1 O2"),
                                        ROW(micai_observer, freed, HARM_FLAG, "O1 O4"),
                                        ROW(micai_observer, next_freed, HARM_POINTER, "O1 O4"),
                                        END};

static void each_observer(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < observers_of(e)->handles.list.count; i++) {
        if (observers_of(e)->handles.list.items[i]) {
            SEE(v, observers_of(e)->handles.list.items[i]);
        }
    }
}

static const field systems_fields[] = {LIST(micai_systems, systems.list, HARM_HIGH),
                                       LIST(micai_systems, systems.free_list, HARM_HIGH),
                                       LIST(micai_systems, phase_handles.list, HARM_ENDS),
                                       LIST(micai_systems, phase_handles.free_list, HARM_HIGH),
                                       LIST(micai_systems, phases, HARM_ENDS),
                                       PART(micai_systems, by_name),
                                       PART(micai_systems, phases_by_name),
                                       ROW(micai_systems, nothing, HARM_NUMBER, "Y1"),
                                       ROW(micai_systems, made, HARM_ZERO, "Y1"),
                                       ROW(micai_systems, phases_made, HARM_ZERO, "Y3"),
                                       FREE(micai_systems, clock_ns, figure),
                                       FREE(micai_systems, timing, alone),
                                       FREE(micai_systems, failed, alone),
                                       FREE(micai_systems, by_hand, alone),
                                       PART(micai_systems, frame),
                                       PART(micai_systems, unclaimed),
                                       END};

static void each_systems(everything *e, visitor *v)
{
    SEE(v, systems_of(e));
}

static const field system_item_fields[] = ITEM(micai_system *, HARM_POINTER, "L2 Y1");
static const field phase_item_fields[] = ITEM(micai_phase *, HARM_POINTER, "Y3");
static const field phase_handle_fields[] = ITEM(micai_phase *, HARM_POINTER, "L2 Y3");
static const field free_handle_fields[] = ITEM(uint32_t, HARM_NUMBER, "L2");

static void each_system_item(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < systems_of(e)->systems.list.count; i++) {
        SEE(v, &systems_of(e)->systems.list.items[i]);
    }
}

static void each_phase_handle(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < systems_of(e)->phase_handles.list.count; i++) {
        SEE(v, &systems_of(e)->phase_handles.list.items[i]);
    }
}

static void each_free_handle(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < systems_of(e)->systems.free_list.count; i++) {
        SEE(v, &systems_of(e)->systems.free_list.items[i]);
    }
}

static void each_phase_item(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < systems_of(e)->phases.count; i++) {
        SEE(v, &systems_of(e)->phases.items[i]);
    }
}

static const field declared_fields[] = {ROW(micai_declared, system, HARM_TEXT, "Y1"),
                                        PART(micai_declared, queries),
                                        PART(micai_declared, resources),
                                        PART(micai_declared, events),
                                        ROW(micai_declared, query_count, HARM_NUMBER, "Y1"),
                                        ROW(micai_declared, resource_count, HARM_NUMBER, "Y1"),
                                        ROW(micai_declared, event_count, HARM_NUMBER, "Y1"),
                                        END};
static const field declared_query_fields[] = ITEM(mica_query, HARM_NUMBER, "Y1");
static const field use_fields[] = {ROW(mica_term, type, HARM_NUMBER, "Y1"),
                                   ROW(mica_term, access, HARM_NUMBER, "Y1"), END};
static const field neighbour_fields[] = ITEM(mica_system, HARM_NUMBER, "Y1");

static void each_declared(everything *e, visitor *v)
{
    FOR_SYSTEMS(e, one)
    {
        SEE(v, &one->declared);
    }
}

static void each_declared_query(everything *e, visitor *v)
{
    FOR_SYSTEMS(e, one)
    {
        for (uint32_t k = 0; k < MICA_SYSTEM_QUERIES_MAX; k++) {
            SEE(v, &one->declared.queries[k]);
        }
    }
}

static void each_use(everything *e, visitor *v)
{
    FOR_SYSTEMS(e, one)
    {
        for (uint32_t k = 0; k < MICA_SYSTEM_USES_MAX; k++) {
            SEE(v, &one->declared.resources[k]);
            SEE(v, &one->declared.events[k]);
        }
    }
}

static void each_neighbour(everything *e, visitor *v)
{
    FOR_SYSTEMS(e, one)
    {
        for (uint32_t k = 0; k < MICA_SYSTEM_ORDER_MAX; k++) {
            SEE(v, &one->before[k]);
            SEE(v, &one->after[k]);
        }
    }
}

static const field system_fields[] = {ROW(micai_system, handle, HARM_NUMBER, "Y1"),
                                      ROW(micai_system, seed, HARM_NUMBER, "Y1"),
                                      ROW(micai_system, phase, HARM_POINTER, "Y1"),
                                      ROW(micai_system, update, HARM_ZERO, "Y1"),
                                      ROW(micai_system, begin, HARM_POINTER, "Y1"),
                                      ROW(micai_system, end, HARM_POINTER, "Y1"),
                                      ROW(micai_system, when, HARM_POINTER, "Y1"),
                                      ROW(micai_system, user, HARM_POINTER, "Y1"),
                                      ROW(micai_system, query, HARM_NUMBER, "Y1"),
                                      ROW(micai_system, rows, HARM_POINTER, "Y1"),
                                      PART(micai_system, declared),
                                      PART(micai_system, before),
                                      PART(micai_system, after),
                                      ROW(micai_system, replay_first, HARM_NUMBER, "Y1"),
                                      ROW(micai_system, check, HARM_NUMBER, "Y1"),
                                      ROW(micai_system, previous, HARM_POINTER, "Y3"),
                                      ROW(micai_system, next, HARM_POINTER, "Y3"),
                                      ROW(micai_system, rank, HARM_ZERO, "Y3"),
                                      ROW(micai_system, enabled, HARM_HIGH, "Y1"),
                                      FREE(micai_system, sent, figure),
                                      ROW(micai_system, stats.name, HARM_TEXT, "Y1"),
                                      ROW(micai_system, stats.phase, HARM_NUMBER, "Y1"),
                                      FREE(micai_system, stats.runs, figure),
                                      FREE(micai_system, stats.skipped, figure),
                                      FREE(micai_system, stats.segments, figure),
                                      FREE(micai_system, stats.rows, figure),
                                      FREE(micai_system, stats.timed, figure),
                                      FREE(micai_system, stats.last_ns, figure),
                                      FREE(micai_system, stats.total_ns, figure),
                                      END};

static const field phase_fields[] = {ROW(micai_phase, handle, HARM_NUMBER, "Y3"),
                                     ROW(micai_phase, seed, HARM_NUMBER, "Y3"),
                                     ROW(micai_phase, name, HARM_TEXT, "Y3"),
                                     ROW(micai_phase, fixed_dt, HARM_NUMBER, "Y3"),
                                     ROW(micai_phase, max_runs, HARM_NUMBER, "Y3"),
                                     ROW(micai_phase, check, HARM_NUMBER, "Y3"),
                                     ROW(micai_phase, place, HARM_NUMBER, "Y3"),
                                     ROW(micai_phase, first, HARM_POINTER, "Y3"),
                                     ROW(micai_phase, last, HARM_POINTER, "Y3"),
                                     ROW(micai_phase, count, HARM_NUMBER, "Y3"),
                                     FREE(micai_phase, runs, figure),
                                     ROW(micai_phase, now.lag, HARM_HIGH, "Y3"),
                                     ROW(micai_phase, now.done, HARM_HIGH, "Y3"),
                                     ROW(micai_phase, now.lost, HARM_HIGH, "Y3"),
                                     FREE(micai_phase, next, alone),
                                     END};

static void each_system(everything *e, visitor *v)
{
    FOR_SYSTEMS(e, one)
    {
        SEE(v, one);
    }
}

static void each_phase(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < systems_of(e)->phases.count; i++) {
        SEE(v, systems_of(e)->phases.items[i]);
    }
}

// Names of queries, systems and fields: a letter that becomes another is not told.
static const field other_letter_fields[] = {{"letter", 0, 1, HARM_NONE, alone}, END};

static void each_other_letter(everything *e, visitor *v)
{
    FOR_QUERIES(e, query)
    {
        if (query->name) {
            see_letters(v, query->name);
        }
    }
    FOR_SYSTEMS(e, one)
    {
        see_letters(v, (char *)(uintptr_t)one->declared.system);
    }
    micai_registry *registry = &e->world->state->registry;
    for (uint32_t n = 0; n < registry->list.count; n++) {
        const mica_type_info *info = &registry->list.items[n]->info;
        for (uint32_t f = 0; f < info->field_count; f++) {
            see_letters(v, info->fields[f].name);
            const mica_enumerator *list = info->fields[f].enumerators;
            for (uint32_t k = 0; list && list[k].name; k++) {
                see_letters(v, list[k].name);
            }
        }
    }
}

// Groups

static micai_groups *groups_of(everything *e)
{
    return &e->world->state->pools.groups;
}

#define FOR_GROUPS(e, group)                                                                       \
    micai_group *group;                                                                            \
    for (uint32_t i_ = 0; i_ < groups_of(e)->list.count; i_++)                                     \
        if ((group = groups_of(e)->list.items[i_]) != NULL)

static const field groups_fields[] = {ARRAY(micai_groups, list), ARRAY(micai_groups, free_list),
                                      ROW(micai_groups, made, HARM_ZERO, "P11"), END};

static void each_groups(everything *e, visitor *v)
{
    SEE(v, groups_of(e));
}

static const field group_item_fields[] = ITEM(micai_group *, HARM_POINTER, "P8 P11");

static void each_group_item(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < groups_of(e)->list.count; i++) {
        SEE(v, &groups_of(e)->list.items[i]);
    }
}

static const field free_group_fields[] = ITEM(uint32_t, HARM_NUMBER, "P11");

static void each_free_group(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < groups_of(e)->free_list.count; i++) {
        SEE(v, &groups_of(e)->free_list.items[i]);
    }
}

static const field joined_fields[] = ITEM(micai_group *, HARM_POINTER, "P8");

static void each_joined(everything *e, visitor *v)
{
    FOR_POOLS(e, pool)
    {
        for (uint32_t i = 0; i < pool->groups.count; i++) {
            SEE(v, &pool->groups.items[i]);
        }
    }
}

static const field group_fields[] = {ROW(micai_group, handle, HARM_NUMBER, "P11"),
                                     ROW(micai_group, seed, HARM_NUMBER, "P11"),
                                     ROW(micai_group, name, HARM_TEXT, "P11"),
                                     PART(micai_group, pools),
                                     ROW(micai_group, owned_count, HARM_NUMBER, "P11"),
                                     ROW(micai_group, needed_count, HARM_NUMBER, "P11"),
                                     ROW(micai_group, pool_count, HARM_NUMBER, "P11"),
                                     ROW(micai_group, word_count, HARM_NUMBER, "P11"),
                                     PART(micai_group, words),
                                     ROW(micai_group, count, HARM_NUMBER, "P9"),
                                     ROW(micai_group, index, HARM_POINTER, "P10 P11"),
                                     ROW(micai_group, scratch, HARM_POINTER, "P11"),
                                     ROW(micai_group, scratch_size, HARM_NUMBER, "P11"),
                                     ROW(micai_group, scratch_align, HARM_NUMBER, "P11"),
                                     END};

static void each_group(everything *e, visitor *v)
{
    FOR_GROUPS(e, group)
    {
        SEE(v, group);
    }
}

static const field grouped_fields[] = ITEM(micai_pool *, HARM_POINTER, "P11");

static void each_grouped(everything *e, visitor *v)
{
    FOR_GROUPS(e, group)
    {
        for (uint32_t i = 0; i < 5; i++) {
            SEE(v, &group->pools[i]);
        }
    }
}

static const field group_word_fields[] = {ROW(micai_group_word, word, HARM_NUMBER, "P11"),
                                          ROW(micai_group_word, needed, HARM_NUMBER, "P11"),
                                          ROW(micai_group_word, forbidden, HARM_NUMBER, "P11"),
                                          END};

static void each_group_word(everything *e, visitor *v)
{
    FOR_GROUPS(e, group)
    {
        SEE(v, &group->words[0]);
        SEE(v, &group->words[MICAI_GROUP_POOLS - 1]);
    }
}

static const field index_fields[] = {PART(micai_pool, view),
                                     ROW(micai_pool, type, HARM_POINTER, "P10"),
                                     ROW(micai_pool, handle, HARM_NUMBER, "P10"),
                                     ROW(micai_pool, presence, HARM_POINTER, "P10"),
                                     ROW(micai_pool, bit, HARM_NUMBER, "P10"),
                                     PART(micai_pool, room),
                                     PART(micai_pool, wider),
                                     ROW(micai_pool, count, HARM_NUMBER, "P10"),
                                     ROW(micai_pool, hole_count, HARM_NUMBER, "P10"),
                                     ROW(micai_pool, first_hole, HARM_NUMBER, "P10"),
                                     ROW(micai_pool, leaf_capacity, HARM_CAPACITY, "P10"),
                                     ROW(micai_pool, block_capacity, HARM_CAPACITY, "P10"),
                                     ROW(micai_pool, bare, HARM_FLAG, "P10"),
                                     ROW(micai_pool, plain, HARM_FLAG, "P10"),
                                     ROW(micai_pool, quick, HARM_FLAG, "P10"),
                                     ROW(micai_pool, told, HARM_FLAG, "P10"),
                                     ROW(micai_pool, dimmed, HARM_FLAG, "P10"),
                                     ROW(micai_pool, groups.items, HARM_POINTER, "P10"),
                                     ROW(micai_pool, groups.count, HARM_NUMBER, "P10"),
                                     ROW(micai_pool, groups.capacity, HARM_NUMBER, "P10"),
                                     ROW(micai_pool, owner, HARM_POINTER, "P10"),
                                     END};

static micai_pool *index_of(everything *e)
{
    micai_pool *index = NULL;
    FOR_GROUPS(e, group)
    {
        index = group->index ? group->index : index;
    }
    return index;
}

static void each_index(everything *e, visitor *v)
{
    SEE(v, index_of(e));
}

static const field index_view_fields[] = {ROW(mica_view_pool, leaves, HARM_POINTER, "P10"),
                                          ROW(mica_view_pool, blocks, HARM_POINTER, "P10"),
                                          ROW(mica_view_pool, ticks, HARM_POINTER, "P10"),
                                          ROW(mica_view_pool, flags, HARM_POINTER, "P10"),
                                          ROW(mica_view_pool, switches, HARM_POINTER, "P10"),
                                          ROW(mica_view_pool, entities, HARM_POINTER, "P10"),
                                          ROW(mica_view_pool, leaf_count, HARM_ENDS, "P10"),
                                          ROW(mica_view_pool, block_shift, HARM_NUMBER, "P10"),
                                          ROW(mica_view_pool, size, HARM_NUMBER, "P10"),
                                          ROW(mica_view_pool, hidden, HARM_NUMBER, "P10"),
                                          END};

static void each_index_view(everything *e, visitor *v)
{
    SEE(v, &index_of(e)->view);
}

static const field index_room_fields[] = {ROW(micai_pool_room, entities, HARM_POINTER, "P10"),
                                          ROW(micai_pool_room, ticks, HARM_POINTER, "P10"),
                                          ROW(micai_pool_room, values, HARM_POINTER, "P10"),
                                          ROW(micai_pool_room, flags, HARM_POINTER, "P10"),
                                          ROW(micai_pool_room, changed, HARM_POINTER, "P10"),
                                          ROW(micai_pool_room, added, HARM_POINTER, "P10"),
                                          ROW(micai_pool_room, capacity, HARM_NUMBER, "P10"),
                                          END};

static void each_index_room(everything *e, visitor *v)
{
    SEE(v, &index_of(e)->room);
    SEE(v, &index_of(e)->wider);
}

static const field index_leaf_fields[] = ITEM(uint32_t *, HARM_POINTER, "P10");

static void each_index_leaf(everything *e, visitor *v)
{
    for (uint32_t i = 0; i < index_of(e)->view.leaf_count; i++) {
        if (index_of(e)->view.leaves[i]) {
            SEE(v, &index_of(e)->view.leaves[i]);
        }
    }
}

static const field index_place_fields[] = ITEM(uint32_t, HARM_NUMBER, "P10");

static void each_index_place(everything *e, visitor *v)
{
    for (uint32_t place = 0; place < index_of(e)->count; place++) {
        uint32_t slot = mica_entity_slot(index_of(e)->room.entities[place]);
        SEE(v, micai_pool_entry(index_of(e), slot));
    }
}

static const field index_member_fields[] = ITEM(mica_entity, HARM_NUMBER, "P10");

static void each_index_member(everything *e, visitor *v)
{
    for (uint32_t place = 0; place < index_of(e)->count; place++) {
        SEE(v, &index_of(e)->room.entities[place]);
    }
}

#define STRUCTURE(T, padding, fields, each)                                                        \
    {                                                                                              \
#T, sizeof(T), padding, fields, each                                                       \
    }
#define ITEMS(name, T, fields, each) SOME(name, T, 0, fields, each)
#define SOME(name, T, padding, fields, each)                                                       \
    {                                                                                              \
        name, sizeof(T), padding, fields, each                                                     \
    }

const structure structures[] = {
    STRUCTURE(micai_range, 0, range_fields, each_range),
    STRUCTURE(micai_heard, 4, heard_fields, each_heard),
    STRUCTURE(micai_waiting, 4, waiting_fields, each_waiting),
    STRUCTURE(micai_host, 7, host_fields, each_host),
    STRUCTURE(micai_map, 0, map_fields, each_map),
    ITEMS("entries of maps", micai_map_entry, entry_fields, each_entry),
    ITEMS("free entries of maps", micai_map_entry, free_entry_fields, each_free_entry),
    STRUCTURE(micai_arena, 0, arena_fields, each_arena),
    STRUCTURE(micai_arena_block, 0, block_fields, each_block),
    STRUCTURE(micai_slots, 12, slots_fields, each_slots),
#ifdef MICAI_TEST_SMALL_PAGES // it takes many entities otherwise
    STRUCTURE(micai_slab, 0, slab_fields, each_slab),
#endif
    ITEMS("pages of slots", micai_record *, slot_page_fields, each_slot_page),
    ITEMS("floors", uint32_t, floor_fields, each_floor),
    ITEMS("pages of ways back", micai_slot_back *, back_page_fields, each_back_page),
    STRUCTURE(micai_slot_back, 0, back_fields, each_back),
    ITEMS("records", micai_record, record_fields, each_record),
    ITEMS("pending records", micai_record, pending_fields, each_pending),
    ITEMS("free records", micai_record, freed_fields, each_freed),
    ITEMS("unused records", micai_record, unused_fields, each_unused),
    STRUCTURE(micai_registry, 0, registry_fields, each_registry),
    ITEMS("types", micai_type *, type_item_fields, each_type_item),
    ITEMS("types with columns", uint64_t, column_word_fields, each_column_word),
    STRUCTURE(micai_type, 18, type_fields, each_type),
    STRUCTURE(micai_piece, 0, piece_fields, each_piece),
    STRUCTURE(mica_field_info, 4, field_fields, each_field),
    STRUCTURE(mica_enumerator, 0, enumerator_fields, each_enumerator),
    STRUCTURE(micai_store, 11, store_fields, each_store),
    ITEMS("rings", micai_ring *, ring_item_fields, each_ring_item),
    STRUCTURE(micai_ring, 3, ring_fields, each_ring),
    ITEMS("runs of rings", micai_run *, run_item_fields, each_run_item),
    STRUCTURE(micai_run, 0, run_fields, each_run),
    STRUCTURE(micai_share, 8, share_fields, each_share),
    STRUCTURE(micai_listener, 0, listener_fields, each_listener),
    ITEMS("free sheets", uint32_t, free_sheet_fields, each_free_sheet),
    ITEMS("sheets", micai_sheet *, sheet_item_fields, each_sheet_item),
    ITEMS("edges remembered", micai_edge *, recent_fields, each_recent),
    STRUCTURE(micai_leap, 0, leap_fields, each_leap),
    ITEMS("tables", micai_table *, table_item_fields, each_table_item),
    STRUCTURE(micai_directory, 4, directory_fields, each_directory),
    ITEMS("blank shelves", mica_view_spot *, blank_fields, each_blank),
    ITEMS("blank spots", mica_view_spot, blank_spot_fields, each_blank_spot),
    ITEMS("known types", mica_view_type *, known_item_fields, each_known_item),
    STRUCTURE(mica_view_type, 0, known_fields, each_known),
    ITEMS("shelves", mica_view_spot *, shelf_fields, each_shelf),
    STRUCTURE(mica_view_spot, 0, spot_fields, each_spot),
    STRUCTURE(micai_table, 3, table_fields, each_table),
    ITEMS("words of archetypes", uint64_t, word_fields, each_word),
    ITEMS("ranks of words", uint16_t, rank_fields, each_rank),
    STRUCTURE(micai_column, 2, column_fields, each_column),
    ITEMS("what columns have outside", void *, outside_fields, each_outside),
    ITEMS("ticks of rows", uint64_t, row_tick_fields, each_row_tick),
    STRUCTURE(micai_strip, 0, strip_fields, each_strip),
    ITEMS("sheets of tables", micai_sheet *, own_sheet_fields, each_own_sheet),
    STRUCTURE(micai_sheet, 1, sheet_fields, each_sheet),
    STRUCTURE(micai_page, 0, page_fields, each_page),
    ITEMS("pages that were shed", micai_page, shed_page_fields, each_shed_page),
    STRUCTURE(micai_extent, 4, extent_fields, each_extent),
    ITEMS("references", uint32_t, reference_fields, each_reference),
    ITEMS("ids", mica_entity, id_fields, each_id),
    ITEMS("edges", micai_edge *, edge_item_fields, each_edge_item),
    STRUCTURE(micai_edge, 11, edge_fields, each_edge),
    STRUCTURE(micai_copy, 0, copy_fields, each_copy),
    STRUCTURE(micai_step, 4, step_fields, each_step),
    STRUCTURE(micai_pools, 3, pools_fields, each_pools),
    ITEMS("pools", micai_pool *, pool_item_fields, each_pool_item),
    STRUCTURE(micai_pool, 7, pool_fields, each_pool),
    STRUCTURE(mica_view_pool, 0, pool_view_fields, each_pool_view),
    STRUCTURE(micai_pool_room, 4, room_of_pool_fields, each_room_of_pool),
    ITEMS("ticks of places", uint64_t, place_tick_fields, each_place_tick),
    SOME("rooms to be", micai_pool_room, 4, wider_fields, each_wider),
    ITEMS("leaves", uint32_t *, leaf_fields, each_leaf),
    ITEMS("places", uint32_t, place_fields, each_place),
    ITEMS("blocks of values", unsigned char *, value_block_fields, each_value_block),
    ITEMS("members", mica_entity, member_fields, each_member),
    ITEMS("ticks of pools", uint64_t, pool_tick_fields, each_pool_tick),
    STRUCTURE(micai_groups, 0, groups_fields, each_groups),
    ITEMS("groups", micai_group *, group_item_fields, each_group_item),
    ITEMS("free groups", uint32_t, free_group_fields, each_free_group),
    ITEMS("groups of pools", micai_group *, joined_fields, each_joined),
    STRUCTURE(micai_group, 8, group_fields, each_group),
    ITEMS("pools of groups", micai_pool *, grouped_fields, each_grouped),
    STRUCTURE(micai_group_word, 4, group_word_fields, each_group_word),
    SOME("indexes", micai_pool, 7, index_fields, each_index),
    SOME("views of indexes", mica_view_pool, 0, index_view_fields, each_index_view),
    SOME("rooms of indexes", micai_pool_room, 4, index_room_fields, each_index_room),
    ITEMS("leaves of indexes", uint32_t *, index_leaf_fields, each_index_leaf),
    ITEMS("places in indexes", uint32_t, index_place_fields, each_index_place),
    ITEMS("entities of indexes", mica_entity, index_member_fields, each_index_member),
    ITEMS("words of presence", micai_presence *, presence_item_fields, each_presence_item),
    ITEMS("words of pages of slots", uint64_t, slot_words_fields, each_slot_words),
    STRUCTURE(micai_presence, 0, presence_fields, each_presence),
    ITEMS("pages of presence", uint64_t *, mask_page_fields, each_mask_page),
    ITEMS("masks", uint64_t, mask_fields, each_mask),
    STRUCTURE(mica_world, 4, world_fields, each_world),
    STRUCTURE(micai_state, 15, core_fields, each_core),
    STRUCTURE(micai_module, 0, room_fields, each_room),
    STRUCTURE(micai_tracing, 16, tracing_fields, each_tracing),
    STRUCTURE(micai_names, 0, names_fields, each_names),
    STRUCTURE(micai_name, 0, name_fields, each_name),
    STRUCTURE(micai_queues, 0, queues_fields, each_queues),
    ITEMS("queues", micai_queue *, queue_item_fields, each_queue_item),
    STRUCTURE(micai_queue, 0, queue_fields, each_queue),
    STRUCTURE(micai_frame, 4, frame_fields, each_frame),
    ITEMS("chunks of events", unsigned char *, chunk_fields, each_chunk),
    STRUCTURE(micai_resource, 0, resource_fields, each_resource),
    STRUCTURE(micai_facets, 0, facets_fields, each_facets),
    STRUCTURE(micai_facet, 0, facet_fields, each_facet),
    SOME("free facets", micai_facet, 0, free_facet_fields, each_free_facet),
    ITEMS("letters of names", char, letter_fields, each_letter),
    STRUCTURE(micai_bundles, 4, bundles_fields, each_bundles),
    ITEMS("bundles", micai_bundle *, bundle_item_fields, each_bundle_item),
    ITEMS("free bundles", uint32_t, free_bundle_fields, each_free_bundle),
    STRUCTURE(micai_bundle, 0, bundle_fields, each_bundle),
    STRUCTURE(micai_bundle_item, 4, part_fields, each_part),
    SOME("items without a table", micai_bundle_item, 4, idle_part_fields, each_idle_part),
    STRUCTURE(micai_shape, 0, shape_fields, each_shape),
    SOME("places without a shape", micai_shape, 0, idle_shape_fields, each_idle_shape),
    SOME("items without a shape", micai_bundle_item, 4, unused_part_fields, each_unused_part),
    STRUCTURE(micai_walks, 4, walks_fields, each_walks),
    STRUCTURE(micai_walk, 6, walk_fields, each_walk),
    STRUCTURE(micai_block, 7, block_of_rows_fields, each_block_of_rows),
    SOME("closed walks", micai_walk, 6, closed_fields, each_closed),
    STRUCTURE(micai_unclaimed, 4, unclaimed_fields, each_unclaimed),
    STRUCTURE(micai_unclaimed_item, 4, unclaimed_item_fields, each_unclaimed_item),
    STRUCTURE(micai_queries, 0, queries_fields, each_queries),
    ITEMS("queries", micai_query *, query_item_fields, each_query_item),
    ITEMS("free queries", uint32_t, free_query_fields, each_free_query),
    STRUCTURE(micai_query, 1, query_fields, each_query),
    STRUCTURE(micai_term, 2, term_fields, each_term),
    SOME("unused terms", micai_term, 2, idle_term_fields, each_idle_term),
    STRUCTURE(micai_sieve, 4, sieve_fields, each_sieve),
    STRUCTURE(mica_types, 4, types_fields, each_types),
    ITEMS("further words of sets", uint64_t, more_fields, each_more),
    ITEMS("matches", micai_table *, match_fields, each_match),
    STRUCTURE(micai_found, 0, found_fields, each_found),
    STRUCTURE(micai_commands, 0, commands_fields, each_commands),
    ITEMS("buffers of commands", micai_buffer *, buffer_item_fields, each_buffer_item),
    ITEMS("pages of marks", uint32_t *, mark_fields, each_mark),
    STRUCTURE(micai_buffer, 3, buffer_fields, each_buffer),
    SOME("faces", mica_world, 4, face_fields, each_face),
    SOME("hosts of faces", micai_host, 15, follower_fields, each_follower),
    ITEMS("blocks of commands", micai_command *, command_block_fields, each_command_block),
    STRUCTURE(micai_command, 1, command_fields, each_command),
    SOME("commands that spawn", micai_command, 1, spawning_fields, each_spawning),
    SOME("commands with values elsewhere", micai_command, 1, wide_fields, each_wide),
    SOME("commands that send", micai_command, 1, sending_command_fields, each_sending_command),
    SOME("what commands send", micai_sending, 4, sending_fields, each_sending),
    SOME("commands that make facets", micai_command, 1, extending_fields, each_extending),
    SOME("facets to be", micai_extending, 4, facet_to_be_fields, each_facet_to_be),
    STRUCTURE(micai_observers, 16, observers_fields, each_observers),
    ITEMS("observers", micai_observer *, observer_item_fields, each_observer_item),
    ITEMS("free observers", uint32_t, free_observer_fields, each_free_observer),
    STRUCTURE(micai_observed_type, 8, observed_type_fields, each_observed_type),
    ITEMS("counts by kind", uint32_t, kind_count_fields, each_kind_count),
    ITEMS("observers that listen", const micai_observer *, heard_by_fields, each_heard_by),
    ITEMS("observers that listen alone", micai_ear *, alone_fields, each_alone),
    STRUCTURE(micai_observer, 15, observer_fields, each_observer),
    STRUCTURE(micai_systems, 5, systems_fields, each_systems),
    STRUCTURE(micai_system, 0, system_fields, each_system),
    STRUCTURE(micai_phase, 0, phase_fields, each_phase),
    ITEMS("systems", micai_system *, system_item_fields, each_system_item),
    ITEMS("phases", micai_phase *, phase_item_fields, each_phase_item),
    ITEMS("phases by number", micai_phase *, phase_handle_fields, each_phase_handle),
    ITEMS("free numbers of systems", uint32_t, free_handle_fields, each_free_handle),
    STRUCTURE(micai_declared, 4, declared_fields, each_declared),
    ITEMS("declared queries", mica_query, declared_query_fields, each_declared_query),
    STRUCTURE(mica_term, 4, use_fields, each_use),
    ITEMS("neighbours of systems", mica_system, neighbour_fields, each_neighbour),
    ITEMS("letters of other names", char, other_letter_fields, each_other_letter),
    {NULL, 0, 0, NULL, NULL},
};
