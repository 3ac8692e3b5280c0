// Entity slots: the general paths. slot.h has the fast paths, the drawing and the invariants. This
// file creates pages, makes error sentences, and skips slots that were taken by handle.
#include "core/slot_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/number.h"
#include "core/hook.h"

char *mica_entity_text(mica_entity entity, char text[MICA_ENTITY_TEXT_SIZE])
{
    if (!text) {
        return NULL;
    }
    if (MICA_IS_NONE(entity)) {
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
    slots->slabs.size = MICAI_SLOT_PAGE_BYTES;
}

static void free_back_links(micai_host *host, micai_slots *slots)
{
    for (uint32_t page = 0; page < slots->back_links.count; page++) {
        micai_release(host, slots->back_links.items[page],
                      MICAI_SLOT_PAGE_SIZE * sizeof(micai_back_link), _Alignof(micai_back_link));
    }
    micai_array_free(host, &slots->back_links);
}

void micai_slots_free(micai_host *host, micai_slots *slots)
{
    for (uint32_t page = slots->view.page_count; page > 0;
         page--) { // the search for a page's slab starts at the newest
        micai_slabs_release(host, &slots->slabs, slots->view.pages[page - 1]);
    }
    micai_array_drop(host, &slots->view.pages, &slots->page_capacity, sizeof *slots->view.pages,
                     _Alignof(max_align_t));
    micai_array_free(host, &slots->floors);
    free_back_links(host, slots);
    micai_slots_init(slots, slots->limit);
}

MICAI_COLD mica_result micai_slots_fail(micai_host *host, const char *call, mica_entity entity)
{
    return host && host->hook ? micai_hook_refuse(host, call)
                              : micai_slots_fail_dead(host, call, entity);
}

mica_result micai_slots_fail_dead(micai_host *host, const char *call, mica_entity entity)
{
    char text[MICA_ENTITY_TEXT_SIZE];
    mica_entity_text(entity, text);
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    if (MICA_IS_NONE(entity)) {
        return micai_fail(host, MICA_ERROR_ENTITY, "%s: the entity is none", call);
    }
    if (tag == 0 || tag >= MICAI_SLOT_FREE || (uint32_t)entity.bits == MICAI_SLOT_NONE) {
        return micai_fail(host, MICA_ERROR_ENTITY,
                          "%s: 0x%016" PRIx64 " is no handle of any entity", call, entity.bits);
    }
    return micai_fail(host, MICA_ERROR_ENTITY, "%s: entity %s is dead, or of another world", call,
                      text);
}

// Pages

// Reserves an entry in the list of pages.
static bool reserve_list(micai_host *host, micai_slots *slots, uint32_t page)
{
    return page < slots->view.page_count ||
           micai_array_grow(host, &slots->view.pages, &slots->page_capacity, slots->view.page_count,
                            page + 1 - slots->view.page_count, sizeof *slots->view.pages,
                            _Alignof(max_align_t));
}

// Lists pages up to this one. The list must have capacity.
static void extend_list(micai_slots *slots, uint32_t page)
{
    while (slots->view.page_count <= page) {
        slots->view.pages[slots->view.page_count++] = NULL;
    }
}

mica_result micai_slots_extend(micai_host *host, micai_slots *slots, uint32_t pages)
{
    if (pages > 0 && !reserve_list(host, slots, pages - 1)) {
        return MICA_ERROR_MEMORY;
    }
    if (pages > 0) {
        extend_list(slots, pages - 1);
    }
    return MICA_OK;
}

// Adds a page to the prepared ones. `needed` is how many are still missing.
static bool add_page(micai_host *host, micai_slots *slots, micai_slot_capacity *pages,
                     uint32_t needed)
{
    void *page = micai_slabs_take(host, &slots->slabs, needed);
    if (page) {
        memcpy(page, &pages->first, sizeof pages->first);
        pages->first = page;
        pages->count++;
    }
    return page != NULL;
}

static void *remove_page(micai_slot_capacity *pages)
{
    void *page = pages->first;
    memcpy(&pages->first, page, sizeof pages->first);
    pages->count--;
    return page;
}

// Fills a page with virgins and lists it. The list must have capacity.
static void enter_page(micai_slots *slots, uint32_t page, micai_record *records)
{
    extend_list(slots, page);
    uint32_t tag = MICAI_SLOT_FREE | micai_slots_floor(slots, page);
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        records[i] = (micai_record){.where = MICAI_SLOT_NONE, .tag = tag};
    }
    slots->view.pages[page] = records;
}

mica_result micai_slots_make_page(micai_host *host, micai_slots *slots, uint32_t page)
{
    if (micai_slots_have_page(slots, page)) {
        return MICA_OK;
    }
    micai_record *records = NULL;
    if (reserve_list(host, slots, page)) {
        records = micai_slabs_take(host, &slots->slabs, 1);
    }
    if (!records) {
        return MICA_ERROR_MEMORY;
    }
    enter_page(slots, page, records);
    return MICA_OK;
}

// Counts the virgins from `slot` up to `end`, within one page. Stops at `enough`.
static uint32_t count_virgins(const micai_slots *slots, uint32_t slot, uint32_t end,
                              uint32_t enough)
{
    if (slots->ahead == 0 || !micai_slots_have_page(slots, slot >> MICAI_SLOT_PAGE_SHIFT)) {
        return end - slot < enough ? end - slot : enough;
    }
    uint32_t count = 0;
    for (; slot < end && count < enough; slot++) {
        count += micai_slot_is_virgin(slots, slot);
    }
    return count;
}

// Counts the pages that `count` virgins still need. `last_out` is the page of the last of them.
static uint32_t count_missing(const micai_slots *slots, uint32_t count, uint32_t *last_out)
{
    uint32_t missing = 0;
    uint32_t slot = slots->fresh;
    for (uint32_t found = 0; found < count;) {
        uint32_t end = micai_slot_next_page(slots, slot);
        *last_out = slot >> MICAI_SLOT_PAGE_SHIFT;
        missing += !micai_slots_have_page(slots, *last_out);
        found += count_virgins(slots, slot, end, count - found);
        slot = end;
    }
    return missing;
}

MICAI_COLD mica_result micai_slots_prepare(micai_host *host, micai_slots *slots, uint32_t count,
                                           micai_slot_capacity *pages_out)
{
    *pages_out = (micai_slot_capacity){0};
    uint32_t needed = count > slots->free_count ? count - slots->free_count : 0;
    if (needed > slots->limit - slots->fresh - slots->ahead) {
        return micai_fail_within(host, MICA_ERROR_LIMIT,
                                 "the world's limit of %" PRIu32
                                 " entity slots would be passed: %" PRIu32 " in use",
                                 slots->limit, slots->alive + slots->pending);
    }
    uint32_t last = 0;
    uint32_t missing = count_missing(slots, needed, &last);
    bool got = micai_probe(host, (uint64_t)missing * MICAI_SLOT_PAGE_SIZE * sizeof(micai_record));
    while (got && pages_out->count < missing) {
        got = add_page(host, slots, pages_out, missing - pages_out->count);
    }
    if (!got || (missing > 0 && !reserve_list(host, slots, last))) {
        micai_slots_cancel(host, slots, *pages_out);
        return MICA_ERROR_MEMORY;
    }
    return MICA_OK;
}

void micai_slots_commit(micai_slots *slots, micai_slot_capacity pages)
{
    for (uint32_t page = slots->fresh >> MICAI_SLOT_PAGE_SHIFT; pages.count > 0; page++) {
        if (!micai_slots_have_page(slots, page)) {
            enter_page(slots, page, remove_page(&pages));
        }
    }
}

uint32_t micai_slots_page_end(const micai_slots *slots, micai_slot_capacity pages)
{
    uint32_t page = slots->fresh >> MICAI_SLOT_PAGE_SHIFT;
    for (; pages.count > 0; page++) {
        pages.count -= !micai_slots_have_page(slots, page);
    }
    return page;
}

void micai_slots_cancel(micai_host *host, micai_slots *slots, micai_slot_capacity pages)
{
    while (pages.count > 0) {
        micai_slabs_release(host, &slots->slabs, remove_page(&pages));
    }
}

mica_result micai_slots_grow(micai_host *host, micai_slots *slots, uint32_t count)
{
    micai_slot_capacity pages;
    mica_result result = micai_slots_prepare(host, slots, count, &pages);
    if (!result) {
        micai_slots_commit(slots, pages);
    }
    return result;
}

void micai_slots_advance(micai_slots *slots)
{
    while (!micai_slot_is_virgin(slots, slots->fresh)) {
        slots->fresh++;
        slots->ahead--;
    }
    uint32_t end = micai_slot_next_page(slots, slots->fresh);
    slots->ready = slots->ahead == 0 ? end : slots->fresh + 1;
    while (slots->ready < end && micai_slot_is_virgin(slots, slots->ready)) {
        slots->ready++;
    }
}

uint32_t micai_slots_first_virgin(const micai_slots *slots)
{
    uint32_t slot = slots->fresh;
    while (slot < slots->limit && !micai_slot_is_virgin(slots, slot)) {
        slot++;
    }
    return slot;
}

static micai_slot_cursor find_virgin(const micai_slots *slots, uint32_t slot)
{
    while (!micai_slot_is_virgin(slots, slot)) {
        slot++;
    }
    return (micai_slot_cursor){slot, false};
}

micai_slot_cursor micai_slots_peek(const micai_slots *slots)
{
    return slots->free_first != MICAI_SLOT_NONE ? (micai_slot_cursor){slots->free_first, true}
                                                : find_virgin(slots, slots->fresh);
}

void micai_slots_peek_next(const micai_slots *slots, micai_slot_cursor *ahead)
{
    uint32_t next = ahead->freed ? micai_slots_at(slots, ahead->slot)->where : ahead->slot + 1;
    bool freed = ahead->freed && next != MICAI_SLOT_NONE;
    uint32_t from = ahead->freed ? slots->fresh : next;
    *ahead = freed ? (micai_slot_cursor){next, true} : find_virgin(slots, from);
}

// Takes slots from the free list and returns how many. Slots that were released in ascending order
// are taken in descending order. While that holds, the next record is the one before this one, so
// the loop need not wait for the link.
static uint32_t take_freed(micai_slots *slots, uint32_t where, uint32_t count,
                           mica_entity *entities_out)
{
    mica_entity *out = entities_out;
    const mica_entity *end = entities_out + count;
    uint32_t slot = slots->free_first;
    while (out < end && slot != MICAI_SLOT_NONE) {
        micai_record *record = micai_slots_at(slots, slot);
        for (;; record--) {
            uint32_t tag = record->tag & ~MICAI_SLOT_FREE;
            uint32_t next = record->where;
            bool adjacent = next == slot - 1 && (slot & (MICAI_SLOT_PAGE_SIZE - 1)) != 0;
            *out++ = (mica_entity){(uint64_t)tag << 32 | slot};
            *record = (micai_record){.where = where, .tag = tag};
            where++;
            slot = next;
            if (!adjacent || out == end) {
                break;
            }
        }
    }
    uint32_t taken = (uint32_t)(out - entities_out);
    slots->free_first = slot;
    slots->free_count -= taken;
    return taken;
}

// Takes virgins of one page, from `first` on. Records and handles have separate loops, so the
// compiler sees that they do not overlap.
static void take_virgins(micai_record *records, uint32_t first, uint32_t where, uint32_t count,
                         mica_entity *entities_out)
{
    uint32_t tag = records->tag & ~MICAI_SLOT_FREE; // the same for all
    for (uint32_t i = 0; i < count; i++) {
        records[i] = (micai_record){.where = where + i, .tag = tag};
    }
    for (uint32_t i = 0; i < count; i++) {
        entities_out[i] = (mica_entity){((uint64_t)tag << 32 | first) + i};
    }
}

void micai_slots_take_many(micai_slots *slots, uint32_t where, uint32_t count,
                           mica_entity *entities_out)
{
    uint32_t taken = take_freed(slots, where, count, entities_out);
    while (taken < count) {
        if (slots->fresh == slots->ready) {
            micai_slots_advance(slots);
        }
        // Ready slots lie in one page.
        uint32_t ready = slots->ready - slots->fresh;
        uint32_t batch = ready < count - taken ? ready : count - taken;
        take_virgins(micai_slots_at(slots, slots->fresh), slots->fresh, where + taken, batch,
                     entities_out + taken);
        slots->fresh += batch;
        taken += batch;
    }
    slots->alive += count;
}

// Slots taken by handle

static bool add_back_links(micai_host *host, micai_slots *slots, uint32_t page)
{
    if (page >= slots->back_links.count) {
        uint32_t extra = page + 1 - slots->back_links.count;
        if (!micai_array_reserve(host, &slots->back_links, extra)) {
            return false;
        }
        while (slots->back_links.count <= page) {
            slots->back_links.items[slots->back_links.count++] = NULL;
        }
    }
    if (!slots->back_links.items[page]) {
        slots->back_links.items[page] = micai_alloc_zeroed(
            host, MICAI_SLOT_PAGE_SIZE * sizeof(micai_back_link), _Alignof(micai_back_link));
    }
    return slots->back_links.items[page] != NULL;
}

// Adds back links to the front of the free list, up to the first slot that has one, and corrects
// that one. Memory for all is allocated first: a slot with a link must not follow one without.
static mica_result update_back_links(micai_host *host, micai_slots *slots)
{
    uint32_t end = slots->free_first;
    while (end != MICAI_SLOT_NONE && !micai_slot_has_back_link(slots, end)) {
        if (!add_back_links(host, slots, end >> MICAI_SLOT_PAGE_SHIFT)) {
            return MICA_ERROR_MEMORY;
        }
        end = micai_slots_at(slots, end)->where;
    }
    uint32_t before = MICAI_SLOT_NONE;
    uint32_t slot = slots->free_first;
    while (slot != end) {
        const micai_record *record = micai_slots_at(slots, slot);
        *micai_slot_back_link(slots, slot) = (micai_back_link){before, record->tag};
        before = slot;
        slot = record->where;
    }
    if (end != MICAI_SLOT_NONE) {
        micai_slot_back_link(slots, end)->before = before;
    }
    return MICA_OK;
}

static mica_result check_at(micai_host *host, const micai_slots *slots, mica_entity entity)
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
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    uint32_t now = micai_slots_have_page(slots, page)
                       ? micai_slots_at(slots, slot)->tag
                       : MICAI_SLOT_FREE | micai_slots_floor(slots, page);
    if (now < MICAI_SLOT_FREE) {
        return micai_fail(host, MICA_ERROR_OCCUPIED,
                          "%s: slot %" PRIu32 " is in use by entity %" PRIu32 ".%" PRIu32, call,
                          slot, slot, now - 1);
    }
    if (now == MICAI_SLOT_FREE) {
        return micai_fail(host, MICA_ERROR_OCCUPIED, "%s: slot %" PRIu32 " is retired", call, slot);
    }
    if (micai_slots_have_page(slots, page) &&
        micai_record_is_pending(micai_slots_at(slots, slot), slot)) {
        return micai_fail(host, MICA_ERROR_OCCUPIED,
                          "%s: slot %" PRIu32 " is kept for entity %" PRIu32 ".%" PRIu32
                          ", which a command will spawn",
                          call, slot, slot, (now & ~MICAI_SLOT_FREE) - 1);
    }
    if (tag < (now & ~MICAI_SLOT_FREE)) {
        return micai_fail(host, MICA_ERROR_OCCUPIED,
                          "%s: slot %" PRIu32 " has moved past generation %" PRIu32
                          "; its next is %" PRIu32,
                          call, slot, tag - 1, (now & ~MICAI_SLOT_FREE) - 1);
    }
    return MICA_OK;
}

mica_result micai_slots_reserve_at(micai_host *host, micai_slots *slots, mica_entity entity)
{
    mica_result result = check_at(host, slots, entity);
    if (result) {
        return result;
    }
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (!micai_slot_is_virgin(slots, slot)) {
        return update_back_links(host, slots);
    }
    return micai_slots_make_page(host, slots, page);
}

// Removes a slot from any position of the free list.
static void unlink_free(micai_slots *slots, uint32_t slot)
{
    uint32_t before = micai_slot_back_link(slots, slot)->before;
    uint32_t after = micai_slots_at(slots, slot)->where;
    if (before == MICAI_SLOT_NONE) {
        slots->free_first = after;
    } else {
        micai_slots_at(slots, before)->where = after;
        slots->relinked = true;
    }
    if (after != MICAI_SLOT_NONE) {
        micai_slot_back_link(slots, after)->before = before;
    }
    micai_slot_back_link(slots, slot)->tag =
        0; // it may come back with the same tag: reserve_exchange
    slots->free_count--;
}

void micai_slots_take_at(micai_slots *slots, mica_entity entity, uint32_t where)
{
    uint32_t slot = (uint32_t)entity.bits;
    micai_record *record = micai_slots_at(slots, slot);
    if (!micai_slot_is_virgin(slots, slot)) {
        unlink_free(slots, slot);
    } else if (slot == slots->fresh) {
        slots->fresh++;
        slots->ready = slots->ready > slots->fresh ? slots->ready : slots->fresh;
    } else {
        slots->ahead++;
        slots->ready = slots->ready < slot ? slots->ready : slot;
    }
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    slots->relinked = slots->relinked || tag < (record->tag & ~MICAI_SLOT_FREE);
    record->where = where;
    record->tag = tag;
    slots->alive++;
}

// Returns true if a slot that is not alive, or one that is released first, can have a handle.
static bool can_take(const micai_slots *slots, mica_entity entity, const mica_entity *released)
{
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    if (slot == MICAI_SLOT_NONE || tag >= MICAI_SLOT_FREE || tag < micai_slots_floor(slots, page)) {
        return false;
    }
    if (released) {
        return !micai_slots_is_last(*released);
    }
    return micai_slot_is_virgin(slots, slot) || micai_slots_at(slots, slot)->tag > MICAI_SLOT_FREE;
}

static mica_result reserve_taken(micai_host *host, micai_slots *slots, mica_entity entity,
                                 const mica_entity *released)
{
    uint32_t slot = (uint32_t)entity.bits;
    if (slot >= slots->limit) {
        return micai_fail_within(host, MICA_ERROR_LIMIT,
                                 "slot %" PRIu32 " is beyond the world's limit of %" PRIu32, slot,
                                 slots->limit);
    }
    return can_take(slots, entity, released)
               ? micai_slots_make_page(host, slots, slot >> MICAI_SLOT_PAGE_SHIFT)
               : MICA_ERROR_CORRUPT;
}

mica_result micai_slots_reserve_exchange(micai_host *host, micai_slots *slots,
                                         const mica_entity *released, uint32_t released_count,
                                         const mica_entity *taken, uint32_t taken_count)
{
    mica_result result = taken_count > 0 ? update_back_links(host, slots) : MICA_OK;
    const mica_entity *end = released + released_count;
    for (uint32_t i = 0; i < taken_count && !result; i++) {
        uint32_t slot = (uint32_t)taken[i].bits;
        while (released < end && (uint32_t)released->bits < slot) {
            released++;
        }
        bool freed = released < end && (uint32_t)released->bits == slot;
        result = reserve_taken(host, slots, taken[i], freed ? released : NULL);
    }
    for (released = end - released_count; released < end && taken_count > 0 && !result;
         released++) {
        uint32_t page = (uint32_t)released->bits >> MICAI_SLOT_PAGE_SHIFT;
        result = add_back_links(host, slots, page) ? MICA_OK : MICA_ERROR_MEMORY;
    }
    return result;
}

void micai_slots_exchange_released(micai_slots *slots)
{
    (void)update_back_links(NULL, slots); // allocates nothing: pages of links were reserved
}

void micai_slots_retire(micai_host *host, micai_slots *slots, uint32_t slot)
{
    micai_slots_at(slots, slot)->where = MICAI_SLOT_NONE;
    slots->relinked = true;
    micai_log(host, MICA_LOG_INFO, "entity slot %" PRIu32 " is retired after its last generation",
              slot);
}

// Slots of pending entities

void micai_slots_discard(micai_host *host, micai_slots *slots, mica_entity entity)
{
    micai_slots_activate(slots, entity, 0);
    micai_slots_release(host, slots, entity);
}

uint64_t micai_slots_sum_pending(const micai_slots *slots)
{
    uint64_t sum = 0;
    for (uint32_t page = 0; page < slots->view.page_count; page++) {
        for (uint32_t i = 0; slots->view.pages[page] && i < MICAI_SLOT_PAGE_SIZE; i++) {
            uint32_t slot = page << MICAI_SLOT_PAGE_SHIFT | i;
            const micai_record *record = &slots->view.pages[page][i];
            if (micai_record_is_pending(record, slot)) {
                sum += (uint64_t)(record->tag & ~MICAI_SLOT_FREE) << 32 | slot;
            }
        }
    }
    return sum;
}

// The slot must be the last one that was taken. Slots between it and `fresh` were taken by handle.
void micai_slots_put_back(micai_slots *slots, mica_entity entity)
{
    uint32_t slot = (uint32_t)entity.bits;
    micai_record *record = micai_slots_at(slots, slot);
    uint32_t floor = micai_slots_floor(slots, slot >> MICAI_SLOT_PAGE_SHIFT);
    slots->pending--;
    if (record->tag == (MICAI_SLOT_FREE | floor)) {
        uint32_t passed = slots->fresh - slot - 1;
        record->where = MICAI_SLOT_NONE;
        slots->fresh = slot;
        slots->ahead += passed;
        if (!slots->lane) {
            slots->ready = passed > 0
                               ? slot + 1
                               : micai_smaller(slots->ready, micai_slot_next_page(slots, slot));
        }
        return;
    }
    record->where = slots->free_first;
    slots->free_first = slot;
    slots->free_count++;
}

void micai_slots_clear(micai_host *host, micai_slots *slots)
{
    mica_entity entity = micai_slots_next(slots, 0);
    while (!MICA_IS_NONE(entity)) {
        micai_slots_release(host, slots, entity);
        entity = micai_slots_next(slots, mica_entity_slot(entity) + 1);
    }
}

// Reclaiming

// Returns the highest next tag of a page without living or pending entities. Returns 0 for other
// pages and for those with a retired slot, which must stay known.
static uint32_t find_floor(const micai_slots *slots, uint32_t page)
{
    const micai_record *records = slots->view.pages[page];
    uint32_t floor = 0;
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        uint32_t tag = records[i].tag;
        if (tag <= MICAI_SLOT_FREE ||
            micai_record_is_pending(&records[i], page << MICAI_SLOT_PAGE_SHIFT | i)) {
            return 0;
        }
        floor = (tag & ~MICAI_SLOT_FREE) > floor ? tag & ~MICAI_SLOT_FREE : floor;
    }
    return floor;
}

// Returns the number of pages up to the last one that can be released.
static uint32_t count_to_last_idle(const micai_slots *slots)
{
    uint32_t count = slots->view.page_count;
    while (count > 0 &&
           (!micai_slots_have_page(slots, count - 1) || !find_floor(slots, count - 1))) {
        count--;
    }
    return count;
}

mica_result micai_slots_reserve_reclaim(micai_host *host, micai_slots *slots)
{
    uint32_t count = count_to_last_idle(slots);
    bool reserved = count <= slots->floors.count ||
                    micai_array_reserve(host, &slots->floors, count - slots->floors.count);
    return reserved ? MICA_OK : MICA_ERROR_MEMORY;
}

// Unlinks the slots of reclaimed pages from the free list. The floors of those pages have the top
// bit set.
static void unlink_reclaimed(micai_slots *slots)
{
    uint32_t *link = &slots->free_first;
    while (*link != MICAI_SLOT_NONE) {
        micai_record *record = micai_slots_at(slots, *link);
        if (micai_slots_floor(slots, *link >> MICAI_SLOT_PAGE_SHIFT) & MICAI_SLOT_FREE) {
            *link = record->where;
            slots->free_count--;
        } else {
            link = &record->where;
        }
    }
}

// Recomputes `fresh` and `ahead`, so that no slot below `fresh` is virgin.
static void find_fresh(micai_slots *slots)
{
    uint32_t page = 0;
    while (micai_slots_have_page(slots, page) && page < slots->fresh >> MICAI_SLOT_PAGE_SHIFT) {
        page++;
    }
    if (page < slots->fresh >> MICAI_SLOT_PAGE_SHIFT || !micai_slots_have_page(slots, page)) {
        slots->fresh = page << MICAI_SLOT_PAGE_SHIFT;
    }
    slots->ready = slots->fresh;
    slots->ahead = 0;
    for (; page < slots->view.page_count; page++) {
        for (uint32_t i = 0; slots->view.pages[page] && i < MICAI_SLOT_PAGE_SIZE; i++) {
            uint32_t slot = page << MICAI_SLOT_PAGE_SHIFT | i;
            slots->ahead += slot >= slots->fresh && !micai_slot_is_virgin(slots, slot);
        }
    }
}

void micai_slots_reclaim(micai_host *host, micai_slots *slots)
{
    uint32_t count = count_to_last_idle(slots);
    while (slots->floors.count < count) {
        slots->floors.items[slots->floors.count++] = 1;
    }
    for (uint32_t page = 0; page < count; page++) {
        uint32_t floor = micai_slots_have_page(slots, page) ? find_floor(slots, page) : 0;
        if (floor > 0) {
            slots->floors.items[page] = MICAI_SLOT_FREE | floor;
        }
    }
    unlink_reclaimed(slots);
    slots->relinked = true;
    for (uint32_t page = 0; page < count; page++) {
        if (slots->floors.items[page] & MICAI_SLOT_FREE) {
            micai_slabs_release(host, &slots->slabs, slots->view.pages[page]);
            slots->view.pages[page] = NULL;
            slots->floors.items[page] &= ~MICAI_SLOT_FREE;
            if (MICAI_CANARY("core.floor")) {
                slots->floors.items[page] = 1;
            }
        }
    }
    for (uint32_t page = 0; page < slots->view.page_count && !MICAI_CANARY("core.pack"); page++) {
        slots->view.pages[page] = micai_slabs_pack(host, &slots->slabs, slots->view.pages[page]);
    }
    find_fresh(slots);
    free_back_links(host, slots);
}

// Returns the first slot at or after `slot` whose tag is in this range, or MICAI_SLOT_NONE.
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
               ? (mica_entity){0}
               : (mica_entity){(uint64_t)micai_slots_at(slots, slot)->tag << 32 | slot};
}

uint32_t micai_slots_next_retired(const micai_slots *slots, uint32_t slot)
{
    return find_tag(slots, slot, MICAI_SLOT_FREE, MICAI_SLOT_FREE);
}

mica_entity micai_slots_age(micai_slots *slots, mica_entity entity, uint32_t generation)
{
    micai_slots_at(slots, (uint32_t)entity.bits)->tag = generation + 1;
    slots->relinked = true;
    return mica_entity_make((uint32_t)entity.bits, generation);
}

void micai_slots_rewind(micai_host *host, micai_slots *slots, uint32_t fresh, uint32_t ahead,
                        uint32_t free_first, uint32_t free_count, uint32_t alive)
{
    slots->fresh = slots->ready = fresh;
    slots->ahead = ahead;
    slots->free_first = free_first;
    slots->free_count = free_count;
    slots->alive = alive;
    free_back_links(host, slots);
}
