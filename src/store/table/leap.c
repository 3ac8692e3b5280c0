// Leaps: remembering, forgetting. leap.h has the contract.
#include "store/table/leap.h"

#include <inttypes.h>

#include "base/canary.h"
#include "core/watch.h"
#include "store/table/store.h"

// Can rows go along an edge as bytes, and does nobody have to be told?
static bool can_be_remembered(const micai_store *store, const micai_edge *edge)
{
    bool can = edge->source->bare && edge->target->bare && micai_toggle_covers(edge);
    for (uint32_t i = 0; can && i < edge->step_count; i++) {
        const micai_step *step = &edge->steps[i];
        const micai_type *type = store->registry->list.items[micai_stamp_number(step->bits)];
        can = !micai_watches(type, MICAI_WATCH_CHANGES) && (!step->given || step->fill.strip);
    }
    return can;
}

// Of an edge that can be.
static micai_edge_way way_of(const micai_edge *edge)
{
    bool plain = edge->source->layout.plain && edge->target->layout.plain;
    for (uint32_t i = 0; plain && i < edge->given_count; i++) {
        plain = micai_fill_is_plain(edge->steps[i].fill);
    }
    return plain ? MICAI_EDGE_QUICK : MICAI_EDGE_LIGHT;
}

static uint64_t key_of(const micai_edge *edge)
{
    uint64_t list = 0;
    for (uint32_t i = 0; i < edge->given_count; i++) {
        list = micai_stamp_add(list, edge->steps[i].bits);
    }
    list = micai_stamp_add(list, edge->given_count);
    for (uint32_t i = edge->given_count; i < edge->step_count; i++) {
        list = micai_stamp_add(list, edge->steps[i].bits);
    }
    return micai_leap_key(list, edge->source, way_of(edge));
}

// Puts the steps in the order of a list; false if that has others. As long as it has none it is the steps'
// own: types that come are before those that go in both.
static bool put_in_order(micai_edge *edge, const uint64_t *bits)
{
    micai_step *steps = edge->steps;
    for (uint32_t i = 0; i < edge->step_count; i++) {
        uint32_t at = i;
        while (at < edge->step_count && steps[at].bits != bits[i]) {
            at++;
        }
        if (at == edge->step_count) {
            return false;
        }
        const micai_step step = steps[at];
        steps[at] = steps[i];
        steps[i] = step;
    }
    return true;
}

static bool is_in_order(const micai_edge *edge, const uint64_t *bits)
{
    bool same = true;
    for (uint32_t i = 0; same && i < edge->step_count; i++) {
        same = edge->steps[i].bits == bits[i];
    }
    return same;
}

// A place that is free, or that the key has already; else its own.
static micai_leap *find_place(micai_store *store, uint64_t key)
{
    for (uint32_t turn = 0; turn < MICAI_LEAP_TURNS; turn++) {
        micai_leap *leap = &store->leaps[micai_leap_place(key, turn)];
        if (!leap->edge || leap->key == key) {
            return leap;
        }
    }
    return &store->leaps[micai_leap_place(key, 0)];
}

void micai_leap_remember(micai_store *store, micai_edge *edge, const uint64_t *bits, uint32_t count,
                         uint32_t given)
{
    if (count != edge->step_count || given != edge->given_count) {
        return; // a type was listed twice, or made no difference
    }
    if (!is_in_order(edge, bits)) {
        micai_leap_forget(store, edge);
        if (!put_in_order(edge, bits)) {
            return;
        }
    }
    if (can_be_remembered(store, edge)) {
        uint64_t key = key_of(edge);
        *find_place(store, key) = (micai_leap){key, edge};
    }
}

void micai_leap_forget(micai_store *store, const micai_edge *edge)
{
    if (MICAI_CANARY("store.leap_edge")) {
        return;
    }
    for (uint32_t i = 0; edge->step_count > 0 && i < MICAI_LEAPS; i++) {
        if (store->leaps[i].edge == edge) {
            store->leaps[i] = (micai_leap){0};
        }
    }
}

void micai_leap_forget_table(micai_store *store, const micai_table *table)
{
    if (MICAI_CANARY("store.leap_kept")) {
        return;
    }
    for (uint32_t i = 0; i < MICAI_LEAPS; i++) {
        const micai_edge *edge = store->leaps[i].edge;
        if (edge && (!table || edge->source == table || edge->target == table)) {
            store->leaps[i] = (micai_leap){0};
        }
    }
}

// Validation

// Is it where its key is looked for, before anything that has the same?
static bool is_in_its_place(const micai_store *store, const micai_leap *leap)
{
    for (uint32_t turn = 0; turn < MICAI_LEAP_TURNS; turn++) {
        const micai_leap *found = &store->leaps[micai_leap_place(leap->key, turn)];
        if (found->edge && found->key == leap->key) {
            return found == leap;
        }
    }
    return false;
}

// The leaps of a table's edges, as far as they are right.
static uint32_t count_leaps(const micai_store *store, const micai_table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->edges.count; i++) {
        const micai_edge *edge = table->edges.items[i];
        for (uint32_t n = 0; edge->step_count > 0 && n < MICAI_LEAPS; n++) {
            const micai_leap *leap = &store->leaps[n];
            count += leap->edge == edge && is_in_its_place(store, leap) &&
                     can_be_remembered(store, edge) && leap->key == key_of(edge);
        }
    }
    return count;
}

// Edges of leaps may be gone, and are not looked into: those that are there are counted.
mica_result micai_leap_validate(micai_store *store)
{
    uint32_t remembered = 0;
    for (uint32_t i = 0; i < MICAI_LEAPS; i++) {
        remembered += store->leaps[i].edge || store->leaps[i].key != 0;
    }
    uint32_t right = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        right += count_leaps(store, store->tables.items[id]);
    }
    return remembered == right
               ? MICA_OK
               : micai_fail_invariant(store->host, "G8",
                                      "of %" PRIu32 " leaps, %" PRIu32 " are short cuts",
                                      remembered, right);
}
