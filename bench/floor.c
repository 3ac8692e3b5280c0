// Growth and whole-table work of the floor. See floor.h.
#include "floor.h"

#include "host.h"
#include "plain.h"

void floor_begin(floor_world *world)
{
    *world = (floor_world){.free_slot = FLOOR_NO_SLOT};
}

void floor_end(floor_world *world)
{
    for (int i = 0; i < FLOOR_TABLE_COUNT; i++) {
        floor_table *t = &world->tables[i];
        bench_drop(t->position);
        bench_drop(t->velocity);
        bench_drop(t->data);
        bench_drop(t->slots);
    }
    bench_drop(world->records);
}

void floor_reserve_slots(floor_world *world, uint32_t capacity)
{
    if (capacity > world->slot_capacity) {
        world->records = bench_resize(world->records, capacity * sizeof(floor_record));
        world->slot_capacity = capacity;
    }
}

void floor_reserve_rows(floor_world *world, uint16_t table, uint32_t capacity)
{
    floor_table *t = &world->tables[table];
    if (capacity <= t->capacity) {
        return;
    }
    t->position = bench_resize(t->position, capacity * sizeof(Position));
    t->velocity = bench_resize(t->velocity, capacity * sizeof(Velocity));
    t->slots = bench_resize(t->slots, capacity * sizeof(uint32_t));
    if (table == FLOOR_WITH_DATA) {
        t->data = bench_resize(t->data, capacity * sizeof(Data));
    }
    t->capacity = capacity;
}

void floor_grow_slots(floor_world *world)
{
    floor_reserve_slots(world, plain_next_capacity(world->slot_capacity));
}

void floor_grow_rows(floor_world *world, uint16_t table)
{
    floor_reserve_rows(world, table, plain_next_capacity(world->tables[table].capacity));
}

void floor_spawn_many(floor_world *world, const Position *position, const Velocity *velocity,
                      uint32_t n)
{
    floor_table *t = &world->tables[FLOOR_PAIR];
    uint32_t first = t->count;
    floor_reserve_rows(world, FLOOR_PAIR, first + n);
    if (world->free_slot == FLOOR_NO_SLOT) {
        floor_reserve_slots(world, world->slot_count + n);
    }
    memcpy(t->position + first, position, n * sizeof(Position));
    memcpy(t->velocity + first, velocity, n * sizeof(Velocity));
    for (uint32_t i = 0; i < n; i++) {
        floor_append_row(world, FLOOR_PAIR, floor_take_slot(world));
    }
}

void floor_move_all(floor_world *world, uint16_t source, uint16_t target, Data data)
{
    floor_table *from = &world->tables[source];
    floor_table *to = &world->tables[target];
    uint32_t first = to->count;
    uint32_t count = from->count;
    if (count == 0) {
        return;
    }
    floor_reserve_rows(world, target, first + count);
    memcpy(to->position + first, from->position, count * sizeof(Position));
    memcpy(to->velocity + first, from->velocity, count * sizeof(Velocity));
    memcpy(to->slots + first, from->slots, count * sizeof(uint32_t));
    for (uint32_t row = first; row < first + count; row++) {
        world->records[to->slots[row]].row = row;
        world->records[to->slots[row]].table = target;
    }
    if (target == FLOOR_WITH_DATA) {
        for (uint32_t row = first; row < first + count; row++) {
            to->data[row] = data;
        }
    }
    to->count = first + count;
    from->count = 0;
}

size_t floor_size(const floor_world *world)
{
    size_t size = world->slot_capacity * sizeof(floor_record);
    for (int i = 0; i < FLOOR_TABLE_COUNT; i++) {
        size_t row_size = sizeof(Position) + sizeof(Velocity) + sizeof(uint32_t);
        row_size += i == FLOOR_WITH_DATA ? sizeof(Data) : 0;
        size += world->tables[i].capacity * row_size;
    }
    return size;
}
