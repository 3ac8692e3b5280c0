// The least bookkeeping that still has generational handles and tables: the floor of the scenarios
// in which handles take part. It checks generations and nothing else, and knows its three tables by
// name. What mica does beyond this (errors, any component, hooks, queries) is what its distance to
// the floor pays for.
//
//   handle    generation << 32 | slot
//   records   one per slot, 8 bytes: where its row is. Free slots form a list, last freed first.
//   tables    columns that grow by doubling, and for each row the slot it belongs to. A row that is
//             removed is filled by the last one.
//
// Invariants:
//   F1  records[tables[t].slots[row]] is { row, t } for every row of every table.
//   F2  a generation moves on when its slot is freed.
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include "kernels.h"

#define FLOOR_NO_SLOT UINT32_MAX

// What the entities of a table have beside Position and Velocity.
enum { FLOOR_PAIR = 0, FLOOR_WITH_DATA, FLOOR_WITH_TAG, FLOOR_TABLE_COUNT };

typedef struct floor_record {
    uint32_t row; // of a free slot: the next free one
    uint16_t table;
    uint16_t generation;
} floor_record;

typedef struct floor_table {
    Position *position;
    Velocity *velocity;
    Data *data; // FLOOR_WITH_DATA only
    uint32_t *slots;
    uint32_t count;
    uint32_t capacity;
} floor_table;

typedef struct floor_world {
    floor_record *records;
    uint32_t slot_count;
    uint32_t slot_capacity;
    uint32_t free_slot; // first of the list; FLOOR_NO_SLOT: none
    floor_table tables[FLOOR_TABLE_COUNT];
} floor_world;

void floor_begin(floor_world *world);
void floor_end(floor_world *world);

// Makes room for at least `capacity` slots, or rows of a table.
void floor_reserve_slots(floor_world *world, uint32_t capacity);
void floor_reserve_rows(floor_world *world, uint16_t table, uint32_t capacity);

// Room for one more: twice as much as before. Apart, so that callers of the inline functions below
// do not carry this code along.
void floor_grow_slots(floor_world *world);
void floor_grow_rows(floor_world *world, uint16_t table);

// One call for n entities. Their handles are not returned.
void floor_spawn_many(floor_world *world, const Position *position, const Velocity *velocity,
                      uint32_t n);

// All rows of one table to another. New Data is `data`.
void floor_move_all(floor_world *world, uint16_t source, uint16_t target, Data data);

// Bytes it holds.
size_t floor_size(const floor_world *world);

static inline uint64_t floor_handle(const floor_world *world, uint32_t slot)
{
    return (uint64_t)world->records[slot].generation << 32 | slot;
}

static inline bool floor_alive(const floor_world *world, uint64_t handle)
{
    return world->records[(uint32_t)handle].generation == (uint16_t)(handle >> 32);
}

static inline uint32_t floor_take_slot(floor_world *world)
{
    uint32_t slot = world->free_slot;
    if (slot != FLOOR_NO_SLOT) {
        world->free_slot = world->records[slot].row;
        return slot;
    }
    if (world->slot_count == world->slot_capacity) {
        floor_grow_slots(world);
    }
    slot = world->slot_count++;
    world->records[slot].generation = 0;
    return slot;
}

static inline void floor_free_slot(floor_world *world, uint32_t slot)
{
    floor_record *record = &world->records[slot];
    record->generation++;
    record->row = world->free_slot;
    world->free_slot = slot;
}

static inline uint32_t floor_append_row(floor_world *world, uint16_t table, uint32_t slot)
{
    floor_table *t = &world->tables[table];
    if (t->count == t->capacity) {
        floor_grow_rows(world, table);
    }
    uint32_t row = t->count++;
    t->slots[row] = slot;
    world->records[slot].row = row;
    world->records[slot].table = table;
    return row;
}

static inline void floor_remove_row(floor_world *world, uint16_t table, uint32_t row)
{
    floor_table *t = &world->tables[table];
    uint32_t last = --t->count;
    if (row == last) {
        return;
    }
    uint32_t moved = t->slots[last];
    t->position[row] = t->position[last];
    t->velocity[row] = t->velocity[last];
    if (table == FLOOR_WITH_DATA) {
        t->data[row] = t->data[last];
    }
    t->slots[row] = moved;
    world->records[moved].row = row;
}

static inline uint64_t floor_spawn(floor_world *world, Position position, Velocity velocity)
{
    uint32_t slot = floor_take_slot(world);
    uint32_t row = floor_append_row(world, FLOOR_PAIR, slot);
    world->tables[FLOOR_PAIR].position[row] = position;
    world->tables[FLOOR_PAIR].velocity[row] = velocity;
    return floor_handle(world, slot);
}

// The entity must be a pair.
static inline bool floor_despawn(floor_world *world, uint64_t handle)
{
    uint32_t slot = (uint32_t)handle;
    if (!floor_alive(world, handle)) {
        return false;
    }
    floor_remove_row(world, FLOOR_PAIR, world->records[slot].row);
    floor_free_slot(world, slot);
    return true;
}

// From `source` to `target`, which are constants at every call, so that only the right columns are
// copied. Returns the new row; Data there is for the caller to set.
static inline uint32_t floor_move(floor_world *world, uint32_t slot, uint16_t source,
                                  uint16_t target)
{
    uint32_t old_row = world->records[slot].row;
    uint32_t new_row = floor_append_row(world, target, slot);
    const floor_table *from = &world->tables[source];
    floor_table *to = &world->tables[target];
    to->position[new_row] = from->position[old_row];
    to->velocity[new_row] = from->velocity[old_row];
    floor_remove_row(world, source, old_row);
    return new_row;
}

#endif
