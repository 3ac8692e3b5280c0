// Slots without entities: free, retired, or given back. section_internal.h has the contract.
#include "base/number.h"
#include "core/restore.h"
#include "image/section_internal.h"

// Slots from `first` on that were given back. The generations of their entities begin at `floor`.
typedef struct floor_range {
    uint32_t first;
    uint32_t count;
    uint32_t floor;
} floor_range;

static void *next_floor(const micai_saving *s, uint32_t *cursor)
{
    const micai_slots *slots = &s->state->slots;
    while (!s->subset && *cursor < slots->floors.count) {
        if (slots->floors.items[(*cursor)++] > 1) {
            return &slots->floors.items[*cursor - 1];
        }
    }
    return NULL;
}

static floor_range range_of(const micai_slots *slots, const uint32_t *floor)
{
    uint32_t first = (uint32_t)(floor - slots->floors.items) * MICAI_FLOOR_SLOTS;
    // UINT32_MAX is not a slot.
    return (floor_range){first, micai_smaller(MICAI_FLOOR_SLOTS, MICAI_SLOT_NONE - first), *floor};
}

// Ranges must ascend without overlap. So they cannot cover more slots than exist.
static void restore_floor(micai_loading *l, const floor_range *range, uint64_t *next)
{
    if (range->first < *next) {
        micai_load_fail(l, "the floors of slots overlap, or are not in ascending order");
    }
    *next = (uint64_t)range->first + range->count;
    if (!l->r->failed) {
        micai_load_check(l,
                         micai_restore_floor(l->r->host, &l->stage.state->slots, range->first,
                                             range->count, range->floor),
                         "the floor of slots is invalid");
    }
}

static void serialize_floor(micai_archive *a, void *item, void *next)
{
    floor_range range = {0};
    if (item) {
        range = range_of(&micai_saving_of(a)->state->slots, item);
    }
    micai_serialize(a, begin_object, NULL);
    micai_serialize_32(a, "first", &range.first, UINT32_MAX);
    micai_serialize_32(a, "count", &range.count, UINT32_MAX);
    micai_serialize_32(a, "floor", &range.floor, UINT32_MAX);
    micai_serialize(a, end, NULL);
    if (a->reading) {
        restore_floor(micai_loading_of(a), &range, next);
    }
}

static void serialize_retired(micai_archive *a, const micai_slots *slots, uint32_t count)
{
    micai_loading *l = micai_loading_of(a);
    uint32_t slot = 0;
    micai_serialize(a, begin_list, "retired", &count, UINT32_MAX);
    for (uint32_t i = 0; i < count && !a->failed; i++, slot++) {
        slot = l ? 0 : micai_slots_next_retired(slots, slot);
        micai_serialize_32(a, NULL, &slot, UINT32_MAX);
        if (l && !a->failed) {
            micai_load_check(l, micai_restore_retired(a->host, &l->stage.state->slots, slot),
                             "a retired slot is invalid");
        }
    }
    micai_serialize(a, end, "retired");
}

// The position in the free list.
typedef struct free_list {
    const micai_slots *slots; // for saving
    uint32_t last;
} free_list;

static void serialize_free(micai_archive *a, void *user, mica_entity *entities, uint32_t count)
{
    free_list *f = user;
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        if (a->reading) {
            micai_loading *l = micai_loading_of(a);
            micai_load_check(
                l, micai_restore_free(a->host, &l->stage.state->slots, entities[i], &f->last),
                "a free slot is invalid");
            continue;
        }
        uint32_t slot = f->last == MICAI_SLOT_NONE ? f->slots->free_first
                                                   : micai_slots_at(f->slots, f->last)->where;
        uint32_t tag = micai_slots_at(f->slots, slot)->tag & ~MICAI_SLOT_FREE;
        entities[i] = (mica_entity){(uint64_t)tag << 32 | slot};
        f->last = slot;
    }
}

// In the image of a subset, every slot has an entity. `fresh` is the first slot that was never
// used.
void micai_serialize_slots(micai_archive *a)
{
    static const micai_slots none;
    micai_saving *s = micai_saving_of(a);
    const micai_slots *slots = s && !s->subset ? &s->state->slots : &none;
    uint32_t retired = s && !s->subset ? micai_slots_count_retired(slots) : 0;
    uint32_t fresh = !s          ? 0
                     : s->subset ? micai_selection_count(s->subset)
                                 : micai_slots_first_virgin(slots);
    micai_serialize(a, begin_section, "entities");
    micai_serialize_32(a, "fresh", &fresh, UINT32_MAX);
    micai_serialize_list(a, "floors", UINT32_MAX, next_floor, serialize_floor, &(uint64_t){0});
    serialize_retired(a, slots, retired);
    micai_serialize_entities(a, "free", slots->free_count, serialize_free,
                             &(free_list){slots, MICAI_SLOT_NONE});
    if (!s) {
        micai_loading_of(a)->fresh = fresh;
    }
    micai_serialize(a, end_section, "entities");
}
