// Loading slots that nobody lives in: those that are free, retired, or were given back.
#include "core/revive.h"
#include "image/load_internal.h"

// In ascending order, each beyond the one before: so that all of them together cost no more than slots there can be.
static bool load_floors(micai_loading *l)
{
    micai_reader *r = l->r;
    micai_slots *slots = &l->stage.state->slots;
    uint64_t next = 0;
    uint32_t count = micai_read(r, begin_list, "floors", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        micai_read(r, begin_object, NULL);
        uint32_t first = (uint32_t)micai_read(r, number, "first", UINT32_MAX);
        uint32_t slots_there = (uint32_t)micai_read(r, number, "count", UINT32_MAX);
        uint32_t floor = (uint32_t)micai_read(r, number, "floor", UINT32_MAX);
        micai_read(r, end, NULL);
        if (!r->failed && first < next) {
            micai_load_fail(l, "the floors of slots overlap, or are not in ascending order");
        }
        next = (uint64_t)first + slots_there;
        if (!r->failed) {
            micai_load_take(l, micai_revive_floor(r->host, slots, first, slots_there, floor),
                            "slots begin where none can be");
        }
    }
    micai_read(r, end, "floors");
    return !r->failed;
}

static void load_free(micai_loading *l)
{
    micai_reader *r = l->r;
    mica_entity entities[MICAI_IMAGE_BATCH];
    uint32_t last = MICAI_SLOT_NONE;
    uint32_t batches = micai_read(r, begin_list, "free", UINT32_MAX);
    for (uint32_t b = 0; b < batches && !r->failed; b++) {
        micai_read(r, begin_object, NULL);
        uint32_t count = micai_load_count(l);
        micai_read(r, entities, "entities", entities, count);
        micai_read(r, end, NULL);
        for (uint32_t i = 0; i < count && !r->failed; i++) {
            micai_load_take(l,
                            micai_revive_free(r->host, &l->stage.state->slots, entities[i], &last),
                            "a slot that is free cannot be");
        }
    }
    micai_read(r, end, "free");
}

// Which slot will be the next that was never used.
uint32_t micai_load_slots(micai_loading *l)
{
    micai_reader *r = l->r;
    micai_read(r, begin_section, "entities");
    uint32_t fresh = (uint32_t)micai_read(r, number, "fresh", UINT32_MAX);
    load_floors(l);
    uint32_t count = micai_read(r, begin_list, "retired", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        uint32_t slot = (uint32_t)micai_read(r, number, NULL, UINT32_MAX);
        if (!r->failed) {
            micai_load_take(l, micai_revive_retired(r->host, &l->stage.state->slots, slot),
                            "a slot that is retired cannot be");
        }
    }
    micai_read(r, end, "retired");
    load_free(l);
    r->decoder->end_section(r);
    return fresh;
}
