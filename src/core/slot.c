// Entity slots: the slow half. What every spawn, despawn and look-up does is inline in slot.h, with
// the drawing and the invariants; here is what makes pages, refuses, steps over slots taken ahead,
// and sweeps.
#include "core/slot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "core/hook.h"

char *mica_entity_text(mica_entity entity, char text[MICA_ENTITY_TEXT_SIZE])
{
    if (!text) {
        return NULL;
    }
    if (mica_entity_is_none(entity)) {
        strcpy(text, "none");
    } else {
        snprintf(text, MICA_ENTITY_TEXT_SIZE, "%" PRIu32 ".%" PRIu32, mica_entity_slot(entity),
                 mica_entity_generation(entity));
    }
    return text;
}

void micai_slots_init(micai_slots *slots, uint32_t limit)
{
    memset(slots, 0, sizeof *slots);
    slots->free_first = MICAI_SLOT_NONE;
    slots->limit = limit ? limit : UINT32_MAX;
}

void micai_slots_free(micai_host *host, micai_slots *slots)
{
    for (uint32_t page = 0; page < slots->view.page_count; page++) {
        micai_release(host, slots->view.pages[page], MICAI_SLOT_PAGE_SIZE * sizeof(micai_record),
                      _Alignof(micai_record));
    }
    micai_array_drop(host, &slots->view.pages, &slots->page_capacity, sizeof *slots->view.pages,
                     _Alignof(max_align_t));
    micai_slots_init(slots, slots->limit);
}

mica_result micai_slots_fail(micai_host *host, const char *call, mica_entity entity)
{
    if (host && host->hook) {
        return micai_hook_refuse(host, call);
    }
    char text[MICA_ENTITY_TEXT_SIZE];
    mica_entity_text(entity, text);
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    if (mica_entity_is_none(entity)) {
        return micai_fail(host, MICA_ERROR_ENTITY, "%s: the entity is none", call);
    }
    if (tag == 0 || tag >= MICAI_SLOT_FREE || (uint32_t)entity.bits == MICAI_SLOT_NONE) {
        return micai_fail(host, MICA_ERROR_ENTITY,
                          "%s: 0x%016" PRIx64 " is no handle of any entity", call, entity.bits);
    }
    return micai_fail(host, MICA_ERROR_ENTITY, "%s: entity %s is dead, or of another world", call,
                      text);
}

// Where a slot's page is not made yet, the slot is virgin.
static bool is_virgin(const micai_slots *slots, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    return page >= slots->view.page_count || !slots->view.pages[page] ||
           micai_slots_at(slots, slot)->tag == MICAI_SLOT_VIRGIN;
}

static bool make_page(micai_host *host, micai_slots *slots, uint32_t page)
{
    if (page >= slots->view.page_count) {
        uint32_t extra = page + 1 - slots->view.page_count;
        if (!micai_array_grow(host, &slots->view.pages, &slots->page_capacity,
                              slots->view.page_count, extra, sizeof *slots->view.pages,
                              _Alignof(max_align_t))) {
            return false;
        }
        while (slots->view.page_count <= page) {
            slots->view.pages[slots->view.page_count++] = NULL;
        }
    }
    if (slots->view.pages[page]) {
        return true;
    }
    micai_record *records =
        micai_alloc_array(host, MICAI_SLOT_PAGE_SIZE, sizeof(micai_record), _Alignof(micai_record));
    if (!records) {
        return false;
    }
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        records[i] = (micai_record){.where = MICAI_SLOT_NONE, .tag = MICAI_SLOT_VIRGIN};
    }
    slots->view.pages[page] = records;
    return true;
}

// How many virgins are in slots `first` to `end` of one page.
static uint32_t count_virgins(const micai_slots *slots, uint32_t first, uint32_t end)
{
    if (slots->ahead == 0) {
        return end - first;
    }
    uint32_t count = 0;
    for (uint32_t slot = first; slot < end; slot++) {
        count += is_virgin(slots, slot);
    }
    return count;
}

// Pages for as many fresh slots as the free list falls short of.
static mica_result reserve_fresh(micai_host *host, micai_slots *slots, uint32_t count)
{
    uint32_t virgins = slots->limit - slots->fresh - slots->ahead;
    if (count > virgins) {
        return micai_fail(host, MICA_ERROR_LIMIT,
                          "the world's limit of %" PRIu32 " entity slots would be passed: %" PRIu32
                          " in use",
                          slots->limit, slots->alive);
    }
    uint32_t slot = slots->fresh;
    for (uint32_t found = 0; found < count;) {
        if (!make_page(host, slots, slot >> MICAI_SLOT_PAGE_SHIFT)) {
            return MICA_ERROR_MEMORY;
        }
        uint32_t last = slot | (MICAI_SLOT_PAGE_SIZE - 1);
        uint32_t end = last < slots->limit ? last + 1 : slots->limit;
        found += count_virgins(slots, slot, end);
        slot = end;
    }
    return MICA_OK;
}

mica_result micai_slots_grow(micai_host *host, micai_slots *slots, uint32_t count)
{
    return count <= slots->free_count ? MICA_OK
                                      : reserve_fresh(host, slots, count - slots->free_count);
}

void micai_slots_advance(micai_slots *slots)
{
    while (!is_virgin(slots, slots->fresh)) {
        slots->fresh++;
        slots->ahead--;
    }
    uint32_t end = slots->fresh | (MICAI_SLOT_PAGE_SIZE - 1); // the last slot of the page
    end = end < slots->limit ? end + 1 : slots->limit;
    slots->ready = slots->ahead == 0 ? end : slots->fresh + 1;
    while (slots->ready < end && is_virgin(slots, slots->ready)) {
        slots->ready++;
    }
}

// From the free list; returns how many that were.
static uint32_t take_freed(micai_slots *slots, uint32_t where, uint32_t count,
                           mica_entity *entities_out)
{
    uint32_t taken = 0;
    uint32_t slot = slots->free_first;
    for (; taken < count && slot != MICAI_SLOT_NONE; taken++) {
        micai_record *record = micai_slots_at(slots, slot);
        uint32_t tag = record->tag & ~MICAI_SLOT_FREE;
        entities_out[taken] = (mica_entity){(uint64_t)tag << 32 | slot};
        slot = record->where;
        *record = (micai_record){.where = where + taken, .tag = tag};
    }
    slots->free_first = slot;
    slots->free_count -= taken;
    return taken;
}

void micai_slots_take_many(micai_slots *slots, uint32_t where, uint32_t count,
                           mica_entity *entities_out)
{
    uint32_t taken = take_freed(slots, where, count, entities_out);
    while (taken < count) {
        if (slots->fresh == slots->ready) {
            micai_slots_advance(slots);
        }
        // What is ready lies in one page.
        uint32_t ready = slots->ready - slots->fresh;
        uint32_t batch = ready < count - taken ? ready : count - taken;
        micai_record *records = micai_slots_at(slots, slots->fresh);
        for (uint32_t i = 0; i < batch; i++) {
            records[i] = (micai_record){.where = where + taken + i, .tag = 1};
            entities_out[taken + i] = mica_entity_make(slots->fresh + i, 0);
        }
        slots->fresh += batch;
        taken += batch;
    }
    slots->alive += count;
}

mica_result micai_slots_reserve_at(micai_host *host, micai_slots *slots, mica_entity entity)
{
    static const char call[] = "mica_spawn_at";
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    if (tag == 0 || tag >= MICAI_SLOT_FREE || slot == MICAI_SLOT_NONE) {
        return micai_slots_fail(host, call, entity);
    }
    if (slot >= slots->limit) {
        return micai_fail(host, MICA_ERROR_LIMIT,
                          "%s: slot %" PRIu32 " is beyond the world's limit of %" PRIu32, call,
                          slot, slots->limit);
    }
    if (!make_page(host, slots, slot >> MICAI_SLOT_PAGE_SHIFT)) {
        return MICA_ERROR_MEMORY;
    }
    uint32_t now = micai_slots_at(slots, slot)->tag;
    if (now < MICAI_SLOT_FREE) {
        return micai_fail(host, MICA_ERROR_OCCUPIED,
                          "%s: slot %" PRIu32 " is in use by entity %" PRIu32 ".%" PRIu32, call,
                          slot, slot, now - 1);
    }
    if (now == MICAI_SLOT_FREE) {
        return micai_fail(host, MICA_ERROR_OCCUPIED, "%s: slot %" PRIu32 " is retired", call, slot);
    }
    if (tag < (now & ~MICAI_SLOT_FREE)) {
        return micai_fail(host, MICA_ERROR_OCCUPIED,
                          "%s: slot %" PRIu32 " has moved past generation %" PRIu32
                          "; its next is %" PRIu32,
                          call, slot, tag - 1, (now & ~MICAI_SLOT_FREE) - 1);
    }
    return MICA_OK;
}

static void unlink_free(micai_slots *slots, uint32_t slot)
{
    uint32_t *link = &slots->free_first;
    while (*link != slot) {
        link = &micai_slots_at(slots, *link)->where;
    }
    *link = micai_slots_at(slots, slot)->where;
    slots->free_count--;
}

void micai_slots_take_at(micai_slots *slots, mica_entity entity, uint32_t where)
{
    uint32_t slot = (uint32_t)entity.bits;
    micai_record *record = micai_slots_at(slots, slot);
    if (record->tag != MICAI_SLOT_VIRGIN) {
        unlink_free(slots, slot);
    } else if (slot == slots->fresh) {
        slots->fresh++;
        slots->ready = slots->ready > slots->fresh ? slots->ready : slots->fresh;
    } else {
        slots->ahead++;
        slots->ready = slots->ready < slot ? slots->ready : slot;
    }
    record->where = where;
    record->tag = (uint32_t)(entity.bits >> 32);
    slots->alive++;
}

void micai_slots_retire(micai_host *host, micai_slots *slots, uint32_t slot)
{
    micai_slots_at(slots, slot)->where = MICAI_SLOT_NONE;
    micai_log(host, MICA_LOG_INFO, "entity slot %" PRIu32 " is retired after its last generation",
              slot);
}

void micai_slots_clear(micai_host *host, micai_slots *slots)
{
    mica_entity entity = micai_slots_next(slots, 0);
    while (!mica_entity_is_none(entity)) {
        micai_slots_give(host, slots, entity);
        entity = micai_slots_next(slots, mica_entity_slot(entity) + 1);
    }
}

// The first slot at or after `slot` whose tag is in this range; MICAI_SLOT_NONE at the end.
static uint32_t find_tag(const micai_slots *slots, uint32_t slot, uint32_t from, uint32_t to)
{
    uint32_t inside = slot & (MICAI_SLOT_PAGE_SIZE - 1);
    for (uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT; page < slots->view.page_count; page++) {
        for (; slots->view.pages[page] && inside < MICAI_SLOT_PAGE_SIZE; inside++) {
            uint32_t tag = slots->view.pages[page][inside].tag;
            if (tag >= from && tag <= to) {
                return page << MICAI_SLOT_PAGE_SHIFT | inside;
            }
        }
        inside = 0;
    }
    return MICAI_SLOT_NONE;
}

mica_entity micai_slots_next(const micai_slots *slots, uint32_t slot)
{
    slot = find_tag(slots, slot, 1, MICAI_SLOT_FREE - 1);
    return slot == MICAI_SLOT_NONE
               ? mica_entity_none()
               : (mica_entity){(uint64_t)micai_slots_at(slots, slot)->tag << 32 | slot};
}

uint32_t micai_slots_next_retired(const micai_slots *slots, uint32_t slot)
{
    return find_tag(slots, slot, MICAI_SLOT_FREE, MICAI_SLOT_FREE);
}

mica_entity micai_slots_age(micai_slots *slots, mica_entity entity, uint32_t generation)
{
    micai_slots_at(slots, (uint32_t)entity.bits)->tag = generation + 1;
    return mica_entity_make((uint32_t)entity.bits, generation);
}

// Validation

// S6: only then records can be looked at.
static mica_result validate_pages(micai_host *host, const micai_slots *slots)
{
    uint32_t count = slots->view.page_count;
    bool right = slots->page_capacity > 0
                     ? micai_memory_holds(host, slots->view.pages, slots->page_capacity,
                                          sizeof *slots->view.pages, _Alignof(max_align_t))
                     : !slots->view.pages;
    right = right && count <= slots->page_capacity;
    for (uint32_t page = 0; right && page < count; page++) {
        right = !slots->view.pages[page] ||
                micai_memory_holds(host, slots->view.pages[page], MICAI_SLOT_PAGE_SIZE,
                                   sizeof(micai_record), _Alignof(micai_record));
    }
    return right ? MICA_OK : micai_fail_invariant(host, "S6", "pages of slots are damaged");
}

static bool has_page(const micai_slots *slots, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    return page < slots->view.page_count && slots->view.pages[page];
}

static mica_result validate_free_list(micai_host *host, const micai_slots *slots)
{
    uint32_t slot = slots->free_first;
    for (uint32_t seen = 0; seen < slots->free_count; seen++) {
        if (!has_page(slots, slot)) {
            return micai_fail_invariant(
                host, "S2", "the free list leads to slot %" PRIu32 ", unheard of", slot);
        }
        if (micai_slots_at(slots, slot)->tag <= MICAI_SLOT_VIRGIN) {
            return micai_fail_invariant(host, "S2",
                                        "slot %" PRIu32 " is in the free list but not free", slot);
        }
        slot = micai_slots_at(slots, slot)->where;
    }
    if (slot != MICAI_SLOT_NONE) {
        return micai_fail_invariant(host, "S2", "the free list is longer than its count %" PRIu32,
                                    slots->free_count);
    }
    return MICA_OK;
}

// What is counted by going through all records.
typedef struct sweep {
    uint32_t alive;
    uint32_t listed;
    uint32_t ahead;
} sweep;

static mica_result validate_record(micai_host *host, const micai_slots *slots, uint32_t slot,
                                   sweep *counts)
{
    const micai_record *record = micai_slots_at(slots, slot);
    bool virgin = record->tag == MICAI_SLOT_VIRGIN;
    bool alive = record->tag < MICAI_SLOT_FREE;
    counts->alive += alive;
    counts->listed += record->tag > MICAI_SLOT_VIRGIN;
    counts->ahead += !virgin && slot >= slots->fresh;
    if (virgin && slot < slots->fresh) {
        return micai_fail_invariant(host, "S3", "slot %" PRIu32 " is virgin below fresh %" PRIu32,
                                    slot, slots->fresh);
    }
    if (!alive && record->tag <= MICAI_SLOT_VIRGIN && record->where != MICAI_SLOT_NONE) {
        return micai_fail_invariant(host, "S3",
                                    "slot %" PRIu32 " is not in use, but leads to %" PRIu32, slot,
                                    record->where);
    }
    if (record->tag == 0) {
        return micai_fail_invariant(host, "S1", "slot %" PRIu32 " is neither alive nor free", slot);
    }
    if (!virgin && slot >= slots->limit) {
        return micai_fail_invariant(host, "S4", "slot %" PRIu32 " is beyond the limit %" PRIu32,
                                    slot, slots->limit);
    }
    return MICA_OK;
}

static mica_result validate_counts(micai_host *host, const micai_slots *slots, const sweep *counts)
{
    if (counts->alive != slots->alive) {
        return micai_fail_invariant(host, "S1", "%" PRIu32 " slots are alive, not %" PRIu32,
                                    counts->alive, slots->alive);
    }
    if (counts->listed != slots->free_count) {
        return micai_fail_invariant(host, "S2", "%" PRIu32 " slots are free, not %" PRIu32,
                                    counts->listed, slots->free_count);
    }
    if (counts->ahead != slots->ahead) {
        return micai_fail_invariant(host, "S3", "%" PRIu32 " slots are ahead, not %" PRIu32,
                                    counts->ahead, slots->ahead);
    }
    return MICA_OK;
}

// What lies between `fresh` and `ready` does so in one page.
static mica_result validate_ends(micai_host *host, const micai_slots *slots)
{
    if (slots->fresh > slots->limit || slots->limit == 0) {
        return micai_fail_invariant(host, "S4", "fresh %" PRIu32 " is beyond the limit %" PRIu32,
                                    slots->fresh, slots->limit);
    }
    if (slots->ready < slots->fresh || slots->ready > slots->limit) {
        return micai_fail_invariant(host, "S5",
                                    "slots are ready up to %" PRIu32 ", from %" PRIu32 " on",
                                    slots->ready, slots->fresh);
    }
    for (uint32_t slot = slots->fresh; slot < slots->ready; slot++) {
        if (!has_page(slots, slot) || !is_virgin(slots, slot)) {
            return micai_fail_invariant(host, "S5", "slot %" PRIu32 " is not ready", slot);
        }
    }
    return MICA_OK;
}

mica_result micai_slots_validate(micai_host *host, const micai_slots *slots)
{
    mica_result result = validate_pages(host, slots);
    sweep counts = {0};
    for (uint32_t page = 0; !result && page < slots->view.page_count; page++) {
        uint32_t first = page << MICAI_SLOT_PAGE_SHIFT;
        if (!slots->view.pages[page] && first < slots->fresh) {
            return micai_fail_invariant(
                host, "S3", "slot %" PRIu32 " is virgin below fresh %" PRIu32, first, slots->fresh);
        }
        for (uint32_t i = 0; !result && slots->view.pages[page] && i < MICAI_SLOT_PAGE_SIZE; i++) {
            result = validate_record(host, slots, first | i, &counts);
        }
    }
    result = result ? result : validate_counts(host, slots, &counts);
    result = result ? result : validate_ends(host, slots);
    return result ? result : validate_free_list(host, slots);
}
