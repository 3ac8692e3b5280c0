// Taking, restoring, dropping and thinning snapshots, and the public functions. history_internal.h has
// the model.
#include "time/history_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "core/field.h"
#include "time/compare.h"
#include "time/parts_internal.h"

#define DENSE 8u

// Handles: the number of the snapshot, and bits of the world.

static uint64_t bits_of(const micai_state *state, uint64_t number)
{
    // Twins have one seal, but not one address.
    return number << 16 | (micai_hash_mix(state->seal ^ (uintptr_t)state) & 0xffff);
}

static micai_history *history_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_TIME].data;
}

bool micai_history_is_usable(const mica_world *world, const micai_history *h)
{
    return h->structure == world->state->store.structure;
}

// Returns how many snapshots can be restored.
static uint32_t count_kept(const mica_world *world, const micai_history *h)
{
    return micai_history_is_usable(world, h) ? h->kept.count : 0;
}

uint32_t micai_snapshot_place(const mica_world *world, const micai_history *h,
                              mica_snapshot snapshot)
{
    uint32_t first = 0;
    uint32_t end = count_kept(world, h);
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (bits_of(world->state, h->kept.items[middle].number) < snapshot.bits) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    bool found = first < count_kept(world, h) &&
                 bits_of(world->state, h->kept.items[first].number) == snapshot.bits;
    return found ? first : UINT32_MAX;
}

static mica_snapshot snapshot_at(const mica_world *world, const micai_history *h, uint32_t place)
{
    return place < count_kept(world, h)
               ? (mica_snapshot){bits_of(world->state, h->kept.items[place].number)}
               : (mica_snapshot){0};
}

// Dropping. `stats.log_bytes` is kept up to date.

static void free_log(micai_history *h, micai_time_log *log)
{
    h->stats.log_bytes -= micai_time_log_size(log);
    micai_time_log_free(&h->heap, log);
}

static void remove_place(micai_history *h, uint32_t place)
{
    h->kept.count--;
    memmove(&h->kept.items[place], &h->kept.items[place + 1],
            (h->kept.count - place) * sizeof *h->kept.items);
}

// Drops the snapshots from a place on, which can only be redone, and the log that leads to them.
static void drop_redo(micai_history *h)
{
    if (h->here < h->kept.count) {
        for (uint32_t i = h->here; i < h->kept.count; i++) {
            free_log(h, &h->kept.items[i].log);
        }
        h->kept.count = ++h->here;
    }
}

// Appends the log of a place to the one before it.
static bool merge_log(micai_history *h, uint32_t place, bool undoes)
{
    micai_time_log *log = &h->kept.items[place - 1].log;
    micai_time_log *later = &h->kept.items[place].log;
    h->stats.log_bytes -= micai_time_log_size(log) + micai_time_log_size(later);
    bool merged = micai_time_log_append(&h->heap, log, later, undoes);
    h->stats.log_bytes += micai_time_log_size(log) + micai_time_log_size(later);
    return merged;
}

static mica_result drop(micai_history *h, uint32_t place)
{
    if (place == h->here) {
        drop_redo(h); // nothing would lead from the mirror to them
    }
    bool undoes = place < h->here;
    bool last = place + 1 == h->kept.count;
    if (place == 0) {
        free_log(h, &h->kept.items[0].log);
    } else if (!undoes && last) {
        free_log(h, &h->kept.items[place - 1].log);
    } else if (!merge_log(h, place, undoes)) {
        return MICA_ERROR_MEMORY;
    }
    remove_place(h, place);
    h->here -= undoes;
    return MICA_OK;
}

static void drop_all(micai_history *h)
{
    for (uint32_t i = 0; i < h->kept.count; i++) {
        free_log(h, &h->kept.items[i].log);
    }
    h->kept.count = 0;
    h->here = 0;
}

// The budget

// Returns a snapshot that thinning may drop, or UINT32_MAX: the one whose neighbours are closest; with
// `desc.gap`, the oldest that leaves none wider. So the gaps of old snapshots are as wide as they may be.
static uint32_t find_dense(const micai_history *h)
{
    uint32_t dense = h->desc.dense > 0 ? h->desc.dense : DENSE;
    uint32_t found = UINT32_MAX;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 1; i + dense < h->kept.count; i++) {
        uint64_t gap = h->kept.items[i + 1].number - h->kept.items[i - 1].number;
        if (h->kept.items[i].pinned) {
            continue;
        }
        if (h->desc.gap > 0 && gap <= h->desc.gap) {
            return i;
        }
        if (h->desc.gap == 0 && gap < least) {
            least = gap;
            found = i;
        }
    }
    return found;
}

static uint32_t find_oldest(const micai_history *h)
{
    uint32_t i = 0;
    while (i < h->kept.count && h->kept.items[i].pinned) {
        i++;
    }
    return i;
}

static bool drop_for_budget(micai_history *h)
{
    uint32_t place = h->desc.thin ? find_dense(h) : UINT32_MAX;
    place = place == UINT32_MAX ? find_oldest(h) : place;
    bool dropped = place + 1 < h->kept.count && drop(h, place) == MICA_OK;
    h->stats.thinned += dropped;
    return dropped;
}

// Drops snapshots until the budget is enough, but never the newest. If there is no memory to join two logs,
// the next snapshot tries again.
static void apply_budget(micai_history *h)
{
    micai_host_begin_try(h->heap.host);
    while (h->desc.budget > 0 && h->stats.log_bytes > h->desc.budget && drop_for_budget(h)) {
    }
    micai_host_end_try(h->heap.host, true);
}

// Checks

static mica_result fail_not_begun(mica_world *world, const char *call)
{
    return micai_fail(&world->host, MICA_ERROR_TIME,
                      "%s: time has not begun; call mica_time_begin first", call);
}

// Refuses what a function in a replay calls while a sync test runs. A test that was left by longjmp() or
// an exception is abandoned.
static mica_result check_test(mica_world *world, const char *call, micai_history *h)
{
    if (h->test && world->state->replaying) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING, "%s: refused during mica_sync_test",
                          call);
    }
    if (h->test) {
        h->test->abandon(world, h);
    }
    return MICA_OK;
}

mica_result micai_snapshots_guard(mica_world *world, const char *call)
{
    micai_history *h = history_of(world);
    mica_result result = micai_world_guard_idle(world, call);
    return result || !h ? result : check_test(world, call, h);
}

mica_result micai_history_check_begun(mica_world *world, const char *call,
                                      micai_history **history_out)
{
    *history_out = NULL;
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_idle(world, call);
    if (result) {
        return result;
    }
    *history_out = history_of(world);
    return *history_out ? check_test(world, call, *history_out) : fail_not_begun(world, call);
}

mica_result micai_snapshot_find(mica_world *world, const char *call, mica_snapshot snapshot,
                                micai_history **history_out, uint32_t *place_out)
{
    mica_result result = micai_history_check_begun(world, call, history_out);
    if (result) {
        return result;
    }
    *place_out = micai_snapshot_place(world, *history_out, snapshot);
    if (*place_out != UINT32_MAX) {
        return MICA_OK;
    }
    return micai_fail(
        &world->host, MICA_ERROR_TIME,
        snapshot.bits == 0 ? "%s: the snapshot is none"
        : micai_history_is_usable(world, *history_out)
            ? "%s: the snapshot was dropped (also by a restore, or for the budget), or is of another "
              "world"
            : "%s: a storage or a group has changed, or an image was loaded, since the "
              "snapshot",
        call);
}

void micai_history_swap(micai_history *h, uint32_t from, uint32_t to)
{
    while (from > to) {
        micai_time_log_swap_backward(&h->kept.items[--from].log);
    }
    while (from < to) {
        micai_time_log_swap_forward(&h->kept.items[from++].log);
    }
}

// Values of types with hooks are more than their bytes.
mica_result micai_history_check_types(mica_world *world, const char *call, uint32_t *checked)
{
    const micai_registry *registry = &world->state->registry;
    for (; *checked < registry->list.count; ++*checked) {
        const micai_type *type = registry->list.items[*checked];
        if (!micai_hook_allows_byte_copy(type)) {
            return micai_fail(
                &world->host, MICA_ERROR_TYPE,
                "%s: '%.80s' has hooks that copy, move or destroy values; snapshots keep "
                "only bytes",
                call, type->info.name);
        }
    }
    return MICA_OK;
}

// Begin and end

static void close_module(mica_world *world, void *data)
{
    micai_history *h = data;
    micai_host *host = &world->host;
    if (h->test) {
        h->test->abandon(world, h);
    }
    drop_all(h);
    micai_time_heap_free(&h->heap);
    micai_mirror_free(host, h);
    for (uint32_t i = 0; i < h->included.count; i++) {
        micai_release_text(host, h->included.items[i].name);
    }
    micai_array_free(host, &h->kept);
    micai_array_free(host, &h->included);
    micai_array_free(host, &h->covered);
    micai_array_free(host, &h->order);
    micai_array_free(host, &h->scratch.bytes);
    micai_release(host, h, sizeof *h, _Alignof(micai_history));
}

static const mica_time_desc defaults;

static mica_result check_desc(mica_world *world, const char *call, const mica_time_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (desc->budget == 0 && (desc->thin || desc->fail_when_full)) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: there is no budget, so 'thin' and 'fail_when_full' mean nothing",
                          call);
    }
    if (desc->gap > 0 && !desc->thin) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: 'gap' means nothing without 'thin'", call);
    }
    if (desc->thin && desc->fail_when_full) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: 'thin' and 'fail_when_full' exclude each other", call);
    }
    return MICA_OK;
}

// Copies the whole world to an empty mirror.
static mica_result copy_world(mica_world *world, micai_history *h)
{
    if (!micai_scan_take(world, h, NULL)) {
        micai_mirror_free(&world->host, h);
        return MICA_ERROR_MEMORY;
    }
    micai_scan_settle(world, h);
    return MICA_OK;
}

mica_result mica_time_begin(mica_world *world, const mica_time_desc *desc)
{
    static const char call[] = "mica_time_begin";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    desc = desc ? desc : &defaults;
    uint32_t types = 0;
    mica_result result = micai_world_guard_idle(world, call);
    result = result ? result : check_desc(world, call, desc);
    result = result ? result : micai_history_check_types(world, call, &types);
    if (!result && history_of(world)) {
        result = micai_fail(&world->host, MICA_ERROR_TIME, "%s: time has begun already", call);
    }
    if (result) {
        return result;
    }
    micai_host_begin(&world->host, call);
    micai_history *h = micai_alloc_zeroed(&world->host, sizeof *h, _Alignof(micai_history));
    result = h ? MICA_OK : MICA_ERROR_MEMORY;
    if (h) {
        h->desc = *desc;
        h->heap.host = &world->host;
        h->types = types;
        h->stats.begun = true;
        result = copy_world(world, h);
    }
    if (!result) {
        world->state->modules[MICAI_MODULE_TIME] = (micai_module){.data = h, .close = close_module};
    } else if (h) {
        close_module(world, h);
    }
    micai_host_end(&world->host);
    return result;
}

mica_result mica_time_end(mica_world *world)
{
    micai_history *h;
    mica_result result = micai_history_check_begun(world, "mica_time_end", &h);
    if (!result) {
        close_module(world, h);
        world->state->modules[MICAI_MODULE_TIME] = (micai_module){0};
    }
    return result;
}

// Memory of the program

// Returns true if so many more bytes fit into the part that has it.
static bool can_include(const micai_history *h, size_t size)
{
    enum { HEAD = 16, END = 8 };
    uint64_t bytes = END + HEAD;
    for (uint32_t i = 0; i < h->included.count; i++) {
        bytes += HEAD + h->included.items[i].size;
    }
    return size < UINT32_MAX && bytes + size <= UINT32_MAX;
}

static uint32_t find_included(const micai_history *h, const void *data, size_t size)
{
    uintptr_t from = (uintptr_t)data;
    uint32_t i = 0;
    while (i < h->included.count) {
        const micai_included *one = &h->included.items[i];
        uintptr_t start = (uintptr_t)one->data;
        if (from < start + one->size && start < from + size) {
            return i;
        }
        i++;
    }
    return UINT32_MAX;
}

mica_result mica_time_include(mica_world *world, void *data, size_t size, const char *name)
{
    static const char call[] = "mica_time_include";
    micai_history *h;
    mica_result result = micai_history_check_begun(world, call, &h);
    if (result) {
        return result;
    }
    micai_host *host = &world->host;
    if (!data || !name) {
        return micai_fail_null(host, call, data ? "name" : "data");
    }
    if (!micai_name_is_valid(name)) {
        return micai_fail(host, MICA_ERROR_NAME, "%s: the name is %s", call,
                          micai_name_fault(name));
    }
    if (size == 0) {
        return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: '%.80s' has no bytes", call, name);
    }
    if (!can_include(h, size)) {
        return micai_fail(host, MICA_ERROR_LIMIT,
                          "%s: with '%.80s', 4 GiB or more would be included", call, name);
    }
    uint32_t place = find_included(h, data, size);
    if (place != UINT32_MAX) {
        return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: '%.80s' overlaps '%.80s'", call, name,
                          h->included.items[place].name);
    }
    micai_host_begin(host, call);
    char *copy = micai_array_reserve(host, &h->included, 1) ? micai_copy_text(host, name) : NULL;
    if (copy) {
        h->included.items[h->included.count++] =
            (micai_included){data, size, copy, ++h->included_ever};
    }
    micai_host_end(host);
    return copy ? MICA_OK : MICA_ERROR_MEMORY;
}

mica_result mica_time_exclude(mica_world *world, void *data)
{
    static const char call[] = "mica_time_exclude";
    micai_history *h;
    mica_result result = micai_history_check_begun(world, call, &h);
    if (result) {
        return result;
    }
    uint32_t place = data ? find_included(h, data, 1) : UINT32_MAX;
    if (place == UINT32_MAX || h->included.items[place].data != data) {
        return data ? micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                                 "%s: no included memory begins there", call)
                    : micai_fail_null(&world->host, call, "data");
    }
    micai_release_text(&world->host, h->included.items[place].name);
    h->included.count--;
    memmove(&h->included.items[place], &h->included.items[place + 1],
            (h->included.count - place) * sizeof *h->included.items);
    return MICA_OK;
}

// Taking

// The log of changes becomes part of the last snapshot's.
bool micai_history_keep_log(micai_history *h, micai_time_log *log)
{
    uint32_t count = h->here < h->kept.count ? h->here + 1 : h->kept.count;
    if (count == 0) {
        micai_time_log_free(&h->heap, log);
        return true;
    }
    micai_time_log *last = &h->kept.items[count - 1].log;
    if (h->here < h->kept.count || last->changes.count == 0) {
        drop_redo(h);
        free_log(h, last);
        *last = *log;
        h->stats.log_bytes += micai_time_log_size(last);
        return true;
    }
    h->stats.log_bytes -= micai_time_log_size(last);
    bool kept = micai_time_log_append(&h->heap, last, log, true);
    h->stats.log_bytes += micai_time_log_size(last);
    return kept;
}

mica_result micai_history_prepare(mica_world *world, micai_history *h)
{
    if (micai_history_is_usable(world, h) && h->scans > 0) {
        return MICA_OK;
    }
    drop_all(h);
    micai_mirror_free(&world->host, h);
    return copy_world(world, h);
}

static mica_result take(mica_world *world, micai_history *h, const char *call)
{
    micai_host *host = &world->host;
    micai_time_log log = {0};
    if (micai_history_prepare(world, h) || !micai_array_reserve(host, &h->kept, 1)) {
        return MICA_ERROR_MEMORY;
    }
    bool logged = h->kept.count > 0;
    mica_result result =
        micai_scan_take(world, h, logged ? &log : NULL) ? MICA_OK : MICA_ERROR_MEMORY;
    if (!result && h->desc.fail_when_full &&
        h->stats.log_bytes + micai_time_log_size(&log) > h->desc.budget) {
        result = micai_fail(host, MICA_ERROR_LIMIT,
                            "%s: the snapshots take %zu bytes, and the budget is %zu", call,
                            h->stats.log_bytes + micai_time_log_size(&log), h->desc.budget);
    }
    uint32_t changes = log.changes.count;
    uint32_t bytes = log.bytes.count;
    if (!result && !micai_history_keep_log(h, &log)) {
        result = MICA_ERROR_MEMORY;
    }
    if (!result) {
        micai_scan_settle(world, h);
        h->heap.changes = changes;
        h->heap.bytes = bytes;
    } else if (logged) {
        micai_time_log_swap_backward(&log);
        micai_time_log_free(&h->heap, &log);
        micai_scan_forget(world, h);
    } else {
        micai_mirror_free(host, h); // no snapshot needs it; the next take copies the world
    }
    return result;
}

mica_snapshot mica_snapshot_take(mica_world *world)
{
    static const char call[] = "mica_snapshot_take";
    micai_history *h;
    mica_result result = micai_history_check_begun(world, call, &h);
    result = result ? result : micai_history_check_types(world, call, &h->types);
    if (result) {
        return (mica_snapshot){0};
    }
    micai_host_begin(&world->host, call);
    result = take(world, h, call);
    if (!result) {
        h->kept.items[h->kept.count++] = (micai_kept){.number = ++world->state->snapshots};
        h->here = h->kept.count;
        h->current = world->state->snapshots;
        h->stats.taken++;
        apply_budget(h);
    }
    micai_host_end(&world->host);
    return result ? (mica_snapshot){0} : snapshot_at(world, h, h->kept.count - 1);
}

// Restoring

mica_result micai_history_go_to(mica_world *world, micai_history *h, uint32_t place)
{
    uint32_t first = micai_smaller(place, h->here);
    uint32_t count = micai_larger(place, h->here) - first;
    micai_restoring r = micai_rewind_begin(world, h, h->kept.items + first, count);
    if (!micai_scan_cover(world, h)) {
        return MICA_ERROR_MEMORY;
    }
    micai_history_swap(h, h->here, place);
    mica_result result = micai_rewind_reserve(&r);
    if (result) {
        micai_rewind_cancel(&r);
        micai_history_swap(h, place, h->here);
        return result;
    }
    micai_rewind_commit(&r);
    h->here = place;
    micai_scan_settle(world, h);
    return MICA_OK;
}

static mica_result restore(mica_world *world, micai_history *h, uint32_t place)
{
    mica_result result = micai_history_go_to(world, h, place);
    if (result) {
        return result;
    }
    h->current = h->kept.items[place].number;
    if (h->desc.redo) {
        free_log(h, &h->kept.items[h->kept.count - 1].log); // leads to no snapshot
    } else {
        drop_redo(h);
    }
    h->stats.restored++;
    h->stats.changed_bytes = 0;
    for (uint32_t i = 0; i < h->covered.count; i++) {
        h->stats.changed_bytes += h->covered.items[i].size;
    }
    return MICA_OK;
}

mica_result mica_snapshot_restore(mica_world *world, mica_snapshot snapshot)
{
    static const char call[] = "mica_snapshot_restore";
    micai_history *h;
    uint32_t place;
    mica_result result = micai_snapshot_find(world, call, snapshot, &h, &place);
    if (result) {
        return result;
    }
    uint32_t tables = micai_world_begin(world, call);
    return micai_world_end(world, tables, restore(world, h, place));
}

mica_result mica_snapshot_drop(mica_world *world, mica_snapshot snapshot)
{
    static const char call[] = "mica_snapshot_drop";
    micai_history *h;
    uint32_t place;
    mica_result result = micai_snapshot_find(world, call, snapshot, &h, &place);
    if (!result) {
        micai_host_begin(&world->host, call);
        result = drop(h, place);
        micai_host_end(&world->host);
    }
    return result;
}

mica_result mica_snapshot_pin(mica_world *world, mica_snapshot snapshot, bool pinned)
{
    micai_history *h;
    uint32_t place;
    mica_result result = micai_snapshot_find(world, "mica_snapshot_pin", snapshot, &h, &place);
    if (!result) {
        h->kept.items[place].pinned = pinned;
    }
    return result;
}

// Looking

bool mica_snapshot_is_kept(mica_world *world, mica_snapshot snapshot)
{
    const micai_history *h = world ? history_of(world) : NULL;
    if (!world) {
        micai_fail_null(NULL, "mica_snapshot_is_kept", "world");
    }
    return h && micai_snapshot_place(world, h, snapshot) != UINT32_MAX;
}

static const micai_history *look(mica_world *world, const char *call)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    const micai_history *h = history_of(world);
    if (!h) {
        fail_not_begun(world, call);
    }
    return h;
}

// Returns the place of a snapshot that must be kept, unless it is none. UINT32_MAX: it is not.
static uint32_t look_up(mica_world *world, const char *call, const micai_history *h,
                        mica_snapshot snapshot)
{
    uint32_t place = micai_snapshot_place(world, h, snapshot);
    if (place == UINT32_MAX) {
        micai_fail(
            &world->host, MICA_ERROR_TIME,
            "%s: the snapshot was dropped (also by a restore, or for the budget), or is of another "
            "world",
            call);
    }
    return place;
}

mica_snapshot mica_snapshot_next(mica_world *world, mica_snapshot snapshot)
{
    static const char call[] = "mica_snapshot_next";
    const micai_history *h = look(world, call);
    if (!h) {
        return (mica_snapshot){0};
    }
    if (snapshot.bits == 0) {
        return snapshot_at(world, h, 0);
    }
    uint32_t place = look_up(world, call, h, snapshot);
    return place == UINT32_MAX ? (mica_snapshot){0} : snapshot_at(world, h, place + 1);
}

mica_snapshot mica_snapshot_previous(mica_world *world, mica_snapshot snapshot)
{
    static const char call[] = "mica_snapshot_previous";
    const micai_history *h = look(world, call);
    if (!h) {
        return (mica_snapshot){0};
    }
    if (snapshot.bits == 0) {
        return snapshot_at(world, h, h->kept.count - 1);
    }
    uint32_t place = look_up(world, call, h, snapshot);
    return place == UINT32_MAX || place == 0 ? (mica_snapshot){0}
                                             : snapshot_at(world, h, place - 1);
}

// Returns true if all that has a term in the hash equals the mirror.
static bool is_unchanged(mica_world *world, micai_history *h)
{
    static const micai_part_id parts[] = {MICAI_PART_NAMES, MICAI_PART_FACETS,
                                          MICAI_PART_RESOURCES};
    bool same = micai_scan_cover(world, h) && h->covered.count == 0;
    for (uint32_t i = 0; same && i < h->entries.count; i++) {
        const micai_entry *entry = h->entries.items[i];
        same = (entry->table ? entry->table->count : 0) == micai_entry_head(entry)->count;
    }
    for (uint32_t i = 0; same && i < sizeof parts / sizeof *parts; i++) {
        same = micai_part_is_unchanged(world, h, parts[i]) ||
               !micai_part_differs(world, h, parts[i], &h->scratch);
    }
    return same;
}

// Returns the place of the snapshot that the mirror is at, or UINT32_MAX.
static uint32_t place_of_mirror(const mica_world *world, const micai_history *h)
{
    if (!micai_history_is_usable(world, h) || h->kept.count == 0) {
        return UINT32_MAX;
    }
    uint32_t last = h->kept.count - 1;
    bool at_last = h->here > last && h->kept.items[last].log.changes.count == 0;
    return h->here <= last ? h->here : at_last ? last : UINT32_MAX;
}

bool micai_snapshots_hash_world(mica_world *world, uint64_t *hash_out)
{
    micai_history *h = history_of(world);
    uint32_t place = h ? place_of_mirror(world, h) : UINT32_MAX;
    if (place == UINT32_MAX) {
        return false;
    }
    micai_host_begin_try(&world->host);
    bool hashed =
        is_unchanged(world, h) && micai_snapshot_hash_at(h, &world->state->registry, place);
    micai_host_end_try(&world->host, true);
    *hash_out = h->kept.items[place].hash;
    return hashed;
}

mica_snapshot mica_snapshot_current(mica_world *world)
{
    const micai_history *h = look(world, "mica_snapshot_current");
    mica_snapshot last = {h ? bits_of(world->state, h->current) : 0};
    return h && micai_snapshot_place(world, h, last) != UINT32_MAX ? last : (mica_snapshot){0};
}

mica_time_stats mica_time_get_stats(mica_world *world)
{
    mica_time_stats stats = {0};
    const micai_history *h = world ? history_of(world) : NULL;
    if (!world) {
        micai_fail_null(NULL, "mica_time_get_stats", "world");
    }
    if (h) {
        stats = h->stats;
        stats.snapshots = count_kept(world, h);
        stats.mirror_bytes = h->mirror_size;
        stats.spare_bytes = h->heap.spare_bytes;
    }
    return stats;
}
