// Slots without entities, in images: those that are free, retired, or were given back. section_internal.h has the contract.
#include "base/number.h"
#include "core/revive.h"
#include "image/section_internal.h"

// Slots from `first` on that were given back: generations of their entities begin at `floor`.
typedef struct floor_range {
    uint32_t first;
    uint32_t count;
    uint32_t floor;
} floor_range;

static uint32_t count_floors(const micai_slots *slots)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slots->floors.count; i++) {
        count += slots->floors.items[i] > 1;
    }
    return count;
}

static floor_range next_floor(const micai_slots *slots, uint32_t *cursor)
{
    while (slots->floors.items[*cursor] <= 1) {
        (*cursor)++;
    }
    uint32_t first = *cursor * MICAI_FLOOR_SLOTS;
    // UINT32_MAX is the number of no slot.
    uint32_t count = micai_smaller(MICAI_FLOOR_SLOTS, MICAI_SLOT_NONE - first);
    return (floor_range){first, count, slots->floors.items[(*cursor)++]};
}

// In ascending order, each beyond the one before: so that all of them together cost no more than slots there can be.
static void restore_floor(micai_loading *l, const floor_range *range, uint64_t *next)
{
    if (range->first < *next) {
        micai_load_fail(l, "the floors of slots overlap, or are not in ascending order");
    }
    *next = (uint64_t)range->first + range->count;
    if (!l->r->failed) {
        micai_load_take(l,
                        micai_revive_floor(l->r->host, &l->stage.state->slots, range->first,
                                           range->count, range->floor),
                        "slots begin where none can be");
    }
}

static void serialize_floors(micai_archive *a, const micai_slots *slots)
{
    uint32_t count = a->reading ? 0 : count_floors(slots);
    uint32_t cursor = 0;
    uint64_t next = 0;
    micai_serialize(a, begin_list, "floors", &count, UINT32_MAX);
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        floor_range range = a->reading ? (floor_range){0} : next_floor(slots, &cursor);
        micai_serialize(a, begin_object, NULL);
        micai_serialize_32(a, "first", &range.first, UINT32_MAX);
        micai_serialize_32(a, "count", &range.count, UINT32_MAX);
        micai_serialize_32(a, "floor", &range.floor, UINT32_MAX);
        micai_serialize(a, end, NULL);
        if (a->reading) {
            restore_floor(micai_loading_of(a), &range, &next);
        }
    }
    micai_serialize(a, end, "floors");
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
            micai_load_take(l, micai_revive_retired(a->host, &l->stage.state->slots, slot),
                            "a slot that is retired cannot be");
        }
    }
    micai_serialize(a, end, "retired");
}

void micai_serialize_batch(micai_archive *a, mica_entity *entities, uint32_t *count)
{
    micai_serialize(a, begin_object, NULL);
    micai_serialize_32(a, "count", count, MICAI_IMAGE_BATCH);
    if (a->reading && *count == 0) {
        micai_load_fail(micai_loading_of(a), "something comes in no pieces");
    }
    micai_serialize(a, entities, "entities", entities, *count);
    micai_serialize(a, end, NULL);
}

static void read_free(micai_archive *a)
{
    micai_slots *slots = &micai_loading_of(a)->stage.state->slots;
    mica_entity entities[MICAI_IMAGE_BATCH];
    uint32_t last = MICAI_SLOT_NONE;
    uint32_t batches = micai_read(a, begin_list, "free", UINT32_MAX);
    for (uint32_t b = 0; b < batches && !a->failed; b++) {
        uint32_t count;
        micai_serialize_batch(a, entities, &count);
        for (uint32_t i = 0; i < count && !a->failed; i++) {
            micai_load_take(micai_loading_of(a),
                            micai_revive_free(a->host, slots, entities[i], &last),
                            "a slot that is free cannot be");
        }
    }
    micai_serialize(a, end, "free");
}

// The handle that the next entity in a free slot will have.
static mica_entity next_free(const micai_saving *s, const void *of, uint32_t number,
                             uint32_t *cursor)
{
    const micai_slots *slots = of;
    (void)s;
    uint32_t slot = number == 0 ? slots->free_first : micai_slots_at(slots, *cursor)->where;
    *cursor = slot;
    uint32_t tag = micai_slots_at(slots, slot)->tag & ~MICAI_SLOT_FREE;
    return (mica_entity){(uint64_t)tag << 32 | slot};
}

// In an image of a part, every slot has an entity. `fresh` is the first slot that was never used.
void micai_serialize_slots(micai_archive *a)
{
    static const micai_slots none;
    micai_saving *s = micai_saving_of(a);
    const micai_slots *slots = s && !s->part ? &s->state->slots : &none;
    uint32_t retired = s && !s->part ? micai_slots_count_retired(slots) : 0;
    uint32_t fresh = !s        ? 0
                     : s->part ? micai_excerpt_count(s->part)
                               : micai_slots_first_virgin(slots);
    micai_serialize(a, begin_section, "entities");
    micai_serialize_32(a, "fresh", &fresh, UINT32_MAX);
    serialize_floors(a, slots);
    serialize_retired(a, slots, retired);
    if (s) {
        micai_save_entities(s, "free", slots, slots->free_count, next_free);
    } else {
        micai_loading_of(a)->fresh = fresh;
        read_free(a);
    }
    micai_serialize(a, end_section, "entities");
}
