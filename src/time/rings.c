// Rings: where the values of each table lie. Sweeps visit them in that order, so a restored ring has the
// same. If the runs are the same, only the values of rows that differ are copied. Otherwise the ring is
// laid out anew, with all values.
#include "time/rings_internal.h"

#include <string.h>

#include "base/canary.h"
#include "time/parts_internal.h"

#define END UINT32_MAX // no type number

typedef struct ring_numbers {
    uint64_t tick;
    uint32_t capacity;
    uint32_t fragmented;
    uint32_t runs;
    uint32_t zero;
} ring_numbers;

typedef struct run_numbers {
    uint32_t table;
    micai_run run;
} run_numbers;

static void write(mica_world *world, micai_blob *to)
{
    const micai_rings *rings = &world->state->store.rings;
    for (uint32_t i = 0; i < rings->list.count; i++) {
        const micai_ring *ring = rings->list.items[i];
        const ring_numbers numbers = {ring->tick, ring->capacity, ring->fragmented,
                                      ring->runs.count, 0};
        micai_blob_write_32(to, ring->type->number);
        micai_blob_write(to, &numbers, sizeof numbers);
        for (uint32_t k = 0; k < ring->runs.count; k++) {
            const micai_ring_slice *slice = (const micai_ring_slice *)ring->runs.items[k];
            const run_numbers one = {slice->table->id, slice->run};
            micai_blob_write(to, &one, sizeof one);
        }
    }
    micai_blob_write_32(to, END);
}

// Finds a ring in the bytes of a part. Returns false if the snapshot has none of this type.
static bool find_ring(micai_bytes from, uint32_t number, ring_numbers *numbers_out,
                      const void **runs_out)
{
    for (uint32_t n = micai_bytes_read_32(&from); n != END; n = micai_bytes_read_32(&from)) {
        micai_bytes_read(&from, numbers_out, sizeof *numbers_out);
        *runs_out = micai_bytes_skip(&from, numbers_out->runs * sizeof(run_numbers));
        if (n == number) {
            return true;
        }
    }
    *numbers_out = (ring_numbers){0};
    *runs_out = NULL;
    return false;
}

static run_numbers run_at(const void *runs, uint32_t i)
{
    run_numbers one;
    memcpy(&one, (const unsigned char *)runs + i * sizeof one, sizeof one);
    return one;
}

// Staged: how to lay out rings anew.
typedef MICAI_ARRAY(micai_ring_plan) ring_plans;

static bool is_laid_out(const micai_history *history, const micai_ring *ring,
                        const ring_numbers *numbers, const void *runs)
{
    bool same = ring->capacity == numbers->capacity && ring->runs.count == numbers->runs;
    for (uint32_t k = 0; k < ring->runs.count && same; k++) {
        const micai_ring_slice *slice = (const micai_ring_slice *)ring->runs.items[k];
        const run_numbers one = run_at(runs, k);
        same = slice->table == micai_restored_table(history, one.table) &&
               memcmp(&slice->run, &one.run, sizeof one.run) == 0;
    }
    return same;
}

// Creates the slices that tables of the snapshot had.
static mica_result open_slices(mica_world *world, micai_bytes from)
{
    micai_store *store = &world->state->store;
    const micai_history *history = micai_history_of(world);
    bool failed = false;
    for (uint32_t n = micai_bytes_read_32(&from); n != END; n = micai_bytes_read_32(&from)) {
        ring_numbers numbers;
        micai_bytes_read(&from, &numbers, sizeof numbers);
        for (uint32_t k = 0; k < numbers.runs; k++) {
            run_numbers one;
            micai_bytes_read(&from, &one, sizeof one);
            micai_table *table = micai_restored_table(history, one.table);
            failed = failed || !micai_ring_slice_open(store, table, micai_table_column(table, n));
        }
    }
    return failed ? MICA_ERROR_MEMORY : MICA_OK;
}

// Returns true if the table is in the snapshot.
static bool stays(const micai_history *history, const micai_table *table)
{
    bool found = false;
    for (uint32_t id = 0; id < history->order.count && !found; id++) {
        found = history->order.items[id] == table;
    }
    return found;
}

static bool plan_ring(mica_world *world, micai_ring *ring, const ring_numbers *numbers,
                      const void *runs, micai_ring_plan *plan)
{
    micai_host *host = &world->host;
    const micai_history *history = micai_history_of(world);
    *plan = (micai_ring_plan){.type = ring->type, .capacity = numbers->capacity};
    if (!micai_array_reserve(host, &plan->places, ring->runs.count)) {
        return false;
    }
    for (uint32_t k = 0; k < ring->runs.count; k++) {
        micai_ring_slice *slice = (micai_ring_slice *)ring->runs.items[k];
        micai_ring_place place = {.slice = slice};
        for (uint32_t i = 0; i < numbers->runs; i++) {
            const run_numbers one = run_at(runs, i);
            if (micai_restored_table(history, one.table) == slice->table) {
                place.run = one.run;
            }
        }
        if (stays(history, slice->table)) {
            plan->places.items[plan->places.count++] = place;
        }
    }
    return micai_ring_plan_reserve(&world->state->store, plan) == MICA_OK;
}

static void cancel(mica_world *world, void *staged)
{
    ring_plans *plans = staged;
    for (uint32_t i = 0; i < plans->count; i++) {
        micai_ring_plan_cancel(&world->state->store, &plans->items[i]);
    }
    micai_array_free(&world->host, plans);
    micai_release(&world->host, plans, sizeof *plans, _Alignof(ring_plans));
}

static mica_result reserve(mica_world *world, micai_bytes from, void **staged_out)
{
    micai_host *host = &world->host;
    const micai_rings *rings = &world->state->store.rings;
    ring_plans *plans = micai_alloc_zeroed(host, sizeof *plans, _Alignof(ring_plans));
    bool failed =
        !plans || open_slices(world, from) || !micai_array_reserve(host, plans, rings->list.count);
    for (uint32_t i = 0; !failed && i < rings->list.count; i++) {
        micai_ring *ring = rings->list.items[i];
        ring_numbers numbers;
        const void *runs;
        (void)find_ring(from, ring->type->number, &numbers, &runs);
        if (!is_laid_out(micai_history_of(world), ring, &numbers, runs) &&
            !MICAI_CANARY("time.ring_layout")) {
            failed = !plan_ring(world, ring, &numbers, runs, &plans->items[plans->count++]);
        }
    }
    if (failed && plans) {
        cancel(world, plans);
    }
    *staged_out = failed ? NULL : plans;
    return failed ? MICA_ERROR_MEMORY : MICA_OK;
}

// The base of a run that the snapshot does not have is where the one before it ends.
static void place_empty_runs(const micai_ring *ring)
{
    uint32_t end = 0;
    for (uint32_t k = 0; k < ring->runs.count; k++) {
        micai_run *run = ring->runs.items[k];
        run->base = run->length > 0 ? run->base : end;
        end = run->base + run->length;
    }
}

static void read(mica_world *world, micai_bytes from, void *staged)
{
    const micai_history *history = micai_history_of(world);
    micai_store *store = &world->state->store;
    ring_plans *plans = staged;
    for (uint32_t i = 0; i < plans->count; i++) {
        if (micai_rings_find(&store->rings, plans->items[i].type)) {
            micai_ring_plan_commit(store, &plans->items[i]);
            for (uint32_t k = 0; k < plans->items[i].places.count; k++) {
                const micai_ring_slice *slice = plans->items[i].places.items[k].slice;
                micai_rewind_column(history, slice->table, slice->column);
            }
        }
    }
    for (uint32_t i = 0; i < store->rings.list.count; i++) {
        micai_ring *ring = store->rings.list.items[i];
        ring_numbers numbers;
        const void *runs;
        (void)find_ring(from, ring->type->number, &numbers, &runs);
        ring->tick = numbers.tick;
        ring->fragmented = numbers.fragmented != 0;
        place_empty_runs(ring);
    }
    cancel(world, plans);
}

const micai_part micai_rings_part = {NULL, write, reserve, read, cancel};
