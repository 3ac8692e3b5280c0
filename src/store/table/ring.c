// Rolling, growing, shrinking and compacting runs. ring.h has the contract.
//
// Why the target slots of both passes are free: The order of runs does not change. After the first
// pass, no run is longer than its final length. A run that rolls left ends left of all runs after
// it, wherever those go. The run before it might be in the way only if it rolls left itself, and it
// has done so already. The second pass mirrors this for runs that roll right. A run grows when all
// runs after it are in place.
#include "store/table/ring.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/number.h"
#include "store/table/page.h"

// Moves values to other slots, which may overlap. A move hook gets batches that do not overlap.
static void move_values(micai_gate *gate, micai_ring *ring, uint32_t to, uint32_t from,
                        uint32_t count)
{
    ring->moves += count;
    if (!ring->type->info.hooks.move) {
        memmove(micai_ring_at(ring, to), micai_ring_at(ring, from),
                (size_t)count * ring->type->info.size);
        return;
    }
    uint32_t most = to > from ? to - from : from - to;
    for (uint32_t done = 0; done < count;) {
        uint32_t some = micai_smaller(most, count - done);
        uint32_t first = to > from ? count - done - some : done;
        micai_hook_relocate(gate, ring->type, micai_ring_at(ring, to + first),
                            micai_ring_at(ring, from + first), some);
        done += some;
    }
}

void micai_ring_roll_left(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t slots)
{
    uint32_t length = run->length;
    if (slots < length) {
        move_values(gate, ring, run->base - slots, run->base + length - slots, slots);
        uint32_t before = length - run->tip;
        run->tip = slots < before ? run->tip + slots : slots - before;
    } else if (length > 0) {
        move_values(gate, ring, run->base - slots, run->base, length);
    }
    run->base -= slots;
}

void micai_ring_roll_right(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t slots)
{
    uint32_t length = run->length;
    if (slots < length) {
        move_values(gate, ring, run->base + length, run->base, slots);
        uint32_t tip = run->tip;
        if (!MICAI_CANARY("store.ring_tip")) {
            tip = tip < slots ? tip + length - slots : tip - slots;
        }
        run->tip = tip;
    } else if (length > 0) {
        move_values(gate, ring, run->base + slots, run->base, length);
    }
    run->base += slots;
}

// Returns true if a change of length moves the slots before the tip, false if those after it. It
// moves the smaller side of the longer run.
static bool moves_front(const micai_run *run, uint32_t longer)
{
    return run->tip <= longer - run->tip;
}

void micai_ring_shrink(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t length)
{
    uint32_t less = run->length - length;
    uint32_t base = run->base;
    uint32_t tip = run->tip;
    if (tip <= less) { // the remaining rows are adjacent, after the tip
        run->base = base + tip;
        run->tip = 0;
    } else if (moves_front(run, run->length)) {
        move_values(gate, ring, base + less, base, tip - less);
        run->base = base + less;
        run->tip = tip - less;
    } else {
        move_values(gate, ring, base + tip - less, base + tip, run->length - tip);
        run->tip = tip - less;
    }
    run->length = length;
}

void micai_ring_grow(micai_gate *gate, micai_ring *ring, micai_run *run, uint32_t length)
{
    uint32_t more = length - run->length;
    uint32_t base = run->base;
    uint32_t tip = run->tip;
    if (tip == 0) {
        // The new rows follow the last.
    } else if (moves_front(run, length)) {
        uint32_t behind = micai_smaller(tip, more); // rows that fit into the new slots
        move_values(gate, ring, base + run->length, base, behind);
        if (tip > behind) {
            move_values(gate, ring, base, base + behind, tip - behind);
        }
    } else {
        move_values(gate, ring, base + tip + more, base + tip, run->length - tip);
        run->tip = tip + more;
    }
    run->length = length;
}

uint64_t micai_ring_total(const micai_ring *ring, const micai_ring_batch *batch)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        total += batch->goal(ring->runs.items[i]);
    }
    return total;
}

void micai_ring_compact(micai_gate *gate, micai_ring *ring, const micai_ring_batch *batch)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        micai_run *run = ring->runs.items[i];
        uint32_t goal = batch->goal(run);
        if (goal < run->length) {
            micai_ring_shrink(gate, ring, run, goal);
        }
        if (run->base > at) {
            micai_ring_roll_left(gate, ring, run, run->base - at);
        }
        at += goal;
    }
    for (uint32_t i = ring->runs.count; i-- > 0;) {
        micai_run *run = ring->runs.items[i];
        uint32_t goal = batch->goal(run);
        at -= goal;
        if (run->base < at) {
            micai_ring_roll_right(gate, ring, run, at - run->base);
        }
        if (goal > run->length) {
            uint32_t first = run->length;
            micai_ring_grow(gate, ring, run, goal);
            batch->fill(gate, ring, run, first);
        }
    }
    ring->fragmented = false;
}

void micai_ring_refit(micai_gate *gate, micai_ring *ring, const micai_ring_batch *batch,
                      unsigned char *values, uint32_t capacity)
{
    const micai_ring old = *ring;
    uint32_t at = 0;
    ring->values = values;
    ring->capacity = capacity;
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        micai_run *run = ring->runs.items[i];
        const micai_run was = *run;
        *run = (micai_run){at, batch->goal(run), 0};
        uint32_t kept = micai_smaller(was.length, run->length);
        for (uint32_t row = 0; row < kept;) {
            uint32_t rows = micai_smaller(micai_run_adjacent(&was, row), kept - row);
            micai_hook_relocate(gate, ring->type, micai_ring_at(ring, at + row),
                                micai_ring_at(&old, micai_run_slot(&was, row)), rows);
            row += rows;
        }
        if (run->length > kept) {
            batch->fill(gate, ring, run, kept);
        }
        at += run->length;
    }
    ring->fragmented = false;
}

// Memory

size_t micai_ring_align(const micai_type *type)
{
    return type->info.align > MICAI_PAGE_ALIGN ? type->info.align : MICAI_PAGE_ALIGN;
}

unsigned char *micai_ring_alloc(micai_host *host, const micai_type *type, uint32_t capacity)
{
    uint64_t size = (uint64_t)capacity * type->info.size;
    return size > 0 && size <= SIZE_MAX / 2
               ? micai_alloc_try(host, (size_t)size, micai_ring_align(type))
               : NULL;
}

void micai_ring_release(micai_host *host, const micai_type *type, unsigned char *values,
                        uint32_t capacity)
{
    micai_release(host, values, (size_t)capacity * type->info.size, micai_ring_align(type));
}

uint32_t micai_ring_grown_capacity(const micai_ring *ring, uint64_t total)
{
    uint64_t more = (uint64_t)ring->capacity + ring->capacity / 2;
    uint64_t capacity = total > more ? total : more;
    return capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
}

// Validation

static mica_result fail_run(micai_host *host, const char *invariant, const micai_ring *ring,
                            uint32_t i)
{
    return micai_fail_invariant(host, invariant,
                                "run %" PRIu32 " of the ring of '%s' is out of place", i,
                                ring->type->info.name);
}

mica_result micai_ring_validate(micai_host *host, const micai_ring *ring)
{
    if ((ring->capacity == 0) != !ring->values) {
        return micai_fail_invariant(host, "R3",
                                    "the ring of '%s' has no array of %" PRIu32 " slots",
                                    ring->type->info.name, ring->capacity);
    }
    uint64_t end = 0;
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        const micai_run *run = ring->runs.items[i];
        if (run->base < end || (uint64_t)run->base + run->length > ring->capacity) {
            return fail_run(host, "R1", ring, i);
        }
        if (run->tip >= run->length && run->tip + run->length != 0) {
            return fail_run(host, "R2", ring, i);
        }
        end = (uint64_t)run->base + run->length;
    }
    return MICA_OK;
}
