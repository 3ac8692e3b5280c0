// Parts: the numbers of the world and its slots, the order of tables, counts of groups, resources, and
// memory of the program. Other parts are written by other rooms.
#include "time/parts_internal.h"

#include <string.h>

#include "entity/facet.h"
#include "entity/name.h"
#include "event/part.h"
#include "query/part.h"
#include "system/part.h"
#include "time/rings_internal.h"

static void append(micai_blob *to, const void *bytes, size_t size)
{
    if (size > UINT32_MAX || to->failed ||
        !micai_array_reserve(to->host, &to->bytes, (uint32_t)size)) {
        to->failed = true;
    } else if (size > 0) {
        memcpy(to->bytes.items + to->bytes.count, bytes, size);
        to->bytes.count += (uint32_t)size;
    }
}

// Ends the comparison.
static void copy_matched(micai_blob *to)
{
    if (to->same) {
        append(to, to->same, to->matched);
        to->same = NULL;
    }
}

void micai_blob_append(micai_blob *to, const void *bytes, size_t size)
{
    copy_matched(to);
    append(to, bytes, size);
}

// The world

typedef struct world_numbers {
    uint64_t tick;
    double time;
    uint64_t replayed;
    uint64_t dropped;
    uint64_t bytes_in_use;
    uint64_t new_bytes;
    uint32_t fresh;
    uint32_t ahead;
    uint32_t free_first;
    uint32_t free_count;
    uint32_t alive;
    uint32_t floors;
} world_numbers;

_Static_assert(sizeof(world_numbers) == 6 * 8 + 6 * 4, "numbers have no gaps between them");

static void write_world(mica_world *world, micai_blob *to)
{
    const micai_state *state = world->state;
    const micai_slots *slots = &state->slots;
    const world_numbers numbers = {
        .tick = world->view.tick,
        .time = state->time,
        .replayed = state->replayed,
        .dropped = state->dropped,
        .bytes_in_use = state->store.bytes_in_use,
        .new_bytes = state->store.new_bytes,
        .fresh = slots->fresh,
        .ahead = slots->ahead,
        .free_first = slots->free_first,
        .free_count = slots->free_count,
        .alive = slots->alive,
        .floors = slots->floors.count,
    };
    micai_blob_write(to, &numbers, sizeof numbers);
    micai_blob_write(to, slots->floors.items, slots->floors.count * sizeof *slots->floors.items);
}

static mica_result reserve_world(mica_world *world, micai_bytes from, void **staged_out)
{
    micai_slots *slots = &world->state->slots;
    world_numbers numbers;
    (void)staged_out;
    micai_bytes_read(&from, &numbers, sizeof numbers);
    uint32_t had = slots->floors.count;
    if (numbers.floors > had &&
        !micai_array_reserve(&world->host, &slots->floors, numbers.floors - had)) {
        return MICA_ERROR_MEMORY;
    }
    return micai_slots_extend(&world->host, slots, numbers.floors); // a twin may have fewer
}

static void read_world(mica_world *world, micai_bytes from, void *staged)
{
    micai_state *state = world->state;
    world_numbers numbers;
    (void)staged;
    micai_bytes_read(&from, &numbers, sizeof numbers);
    state->time = numbers.time;
    state->replayed = numbers.replayed;
    state->dropped = numbers.dropped;
    state->store.bytes_in_use = (size_t)numbers.bytes_in_use;
    state->store.new_bytes = (size_t)numbers.new_bytes;
    micai_world_set_tick(world, numbers.tick);
    micai_slots *slots = &state->slots;
    micai_slots_rewind(&world->host, slots, numbers.fresh, numbers.ahead, numbers.free_first,
                       numbers.free_count, numbers.alive);
    slots->floors.count = numbers.floors;
    micai_bytes_read(&from, slots->floors.items, numbers.floors * sizeof *slots->floors.items);
}

static const micai_part world_part = {NULL, write_world, reserve_world, read_world, NULL};

// Groups: how many entities each has that owns its order. Lists are entries.

static void write_groups(mica_world *world, micai_blob *to)
{
    MICAI_FOR_HANDLES(micai_group, group, &world->state->pools.groups)
    {
        micai_blob_write_32(to, group->count);
    }
}

static void read_groups(mica_world *world, micai_bytes from, void *staged)
{
    (void)staged;
    MICAI_FOR_HANDLES(micai_group, group, &world->state->pools.groups)
    {
        group->count = micai_bytes_read_32(&from);
    }
}

static const micai_part groups_part = {NULL, write_groups, NULL, read_groups, NULL};

// Resources

static void write_resources(mica_world *world, micai_blob *to)
{
    const micai_state *state = world->state;
    uint32_t count = 0;
    for (uint32_t n = 0; n < state->resources.count; n++) {
        count += state->resources.items[n].value != NULL;
    }
    micai_blob_write_32(to, count);
    for (uint32_t n = 0; n < state->resources.count; n++) {
        if (state->resources.items[n].value) {
            micai_blob_write_32(to, n);
            micai_blob_write(to, state->resources.items[n].value,
                             state->registry.list.items[n]->info.size);
        }
    }
}

// Staged: by type number, memory for the values of resources that the world does not have now.
static void cancel_resources(mica_world *world, void *staged)
{
    const micai_registry *registry = &world->state->registry;
    unsigned char **values = staged;
    for (uint32_t n = 0; n < registry->list.count; n++) {
        const mica_type_info *info = &registry->list.items[n]->info;
        micai_release(&world->host, values[n], info->size, info->align);
    }
    micai_release(&world->host, values, registry->list.count * sizeof *values, _Alignof(void *));
}

static mica_result reserve_resources(mica_world *world, micai_bytes from, void **staged_out)
{
    micai_state *state = world->state;
    micai_host *host = &world->host;
    uint32_t types = state->registry.list.count;
    unsigned char **values = micai_alloc_zeroed(host, types * sizeof *values, _Alignof(void *));
    uint32_t count = micai_bytes_read_32(&from);
    bool failed = !values && types > 0;
    for (uint32_t i = 0; i < count && !failed; i++) {
        uint32_t number = micai_bytes_read_32(&from);
        const micai_type *type = state->registry.list.items[number];
        micai_bytes_skip(&from, type->info.size);
        failed = micai_resources_reserve(state, type) != MICA_OK;
        if (!failed && !state->resources.items[number].value) {
            values[number] = micai_alloc(host, type->info.size, type->info.align);
            failed = !values[number];
        }
    }
    if (failed && values) {
        cancel_resources(world, values);
    }
    *staged_out = failed ? NULL : values;
    return failed ? MICA_ERROR_MEMORY : MICA_OK;
}

// Resources that the snapshot does not have are removed.
static void read_resources(mica_world *world, micai_bytes from, void *staged)
{
    micai_state *state = world->state;
    unsigned char **values = staged;
    uint32_t count = micai_bytes_read_32(&from);
    uint32_t number = count > 0 ? micai_bytes_read_32(&from) : UINT32_MAX;
    for (uint32_t n = 0; n < state->resources.count; n++) {
        const micai_type *type = state->registry.list.items[n];
        micai_resource *one = &state->resources.items[n];
        if (n != number) {
            if (one->value) {
                micai_resources_destroy_value(state, type,
                                              micai_resources_exchange(state, type, NULL));
            }
            continue;
        }
        if (!one->value) {
            micai_resources_exchange(state, type, values[n]);
            values[n] = NULL;
        }
        micai_bytes_read(&from, one->value, type->info.size);
        number = --count > 0 ? micai_bytes_read_32(&from) : UINT32_MAX;
    }
    cancel_resources(world, staged);
}

static const micai_part resources_part = {NULL, write_resources, reserve_resources, read_resources,
                                          cancel_resources};

// Relations: worlds without them have no code of theirs.

static const micai_links *links_of(const mica_world *world)
{
    return world->state->pools.links;
}

static uint64_t get_links_revision(const mica_world *world)
{
    return links_of(world) ? links_of(world)->ops->part->revision(world) : 0;
}

static void write_links(mica_world *world, micai_blob *to)
{
    if (links_of(world)) {
        links_of(world)->ops->part->write(world, to);
    } else {
        micai_blob_write_32(to, 0);
    }
}

static mica_result reserve_links(mica_world *world, micai_bytes from, void **staged_out)
{
    return links_of(world) ? links_of(world)->ops->part->reserve(world, from, staged_out) : MICA_OK;
}

static void read_links(mica_world *world, micai_bytes from, void *staged)
{
    if (links_of(world)) {
        links_of(world)->ops->part->read(world, from, staged);
    }
}

static const micai_part links_part = {get_links_revision, write_links, reserve_links, read_links,
                                      NULL};

// Memory of the program

static void write_included(const micai_history *history, micai_blob *to)
{
    for (uint32_t i = 0; i < history->included.count; i++) {
        const micai_included *one = &history->included.items[i];
        micai_blob_write_64(to, one->number);
        micai_blob_write_64(to, one->size);
        micai_blob_write(to, one->data, one->size);
    }
    micai_blob_write_64(to, 0);
}

static void read_included(const micai_history *history, micai_bytes from)
{
    for (uint64_t number = micai_bytes_read_64(&from); number != 0;
         number = micai_bytes_read_64(&from)) {
        size_t size = (size_t)micai_bytes_read_64(&from);
        const void *bytes = micai_bytes_skip(&from, size);
        for (uint32_t i = 0; i < history->included.count; i++) {
            if (history->included.items[i].number == number) {
                memcpy(history->included.items[i].data, bytes, size);
            }
        }
    }
}

// Tables: the entries of all tables, in order

static void write_tables(const micai_history *history, const micai_state *state, micai_blob *to)
{
    for (uint32_t id = 0; id < state->store.tables.count; id++) {
        micai_blob_write_32(to, history->by_id.items[id]->number);
    }
}

// All parts

static const micai_part *const parts[MICAI_PART_COUNT] = {
    [MICAI_PART_WORLD] = &world_part,           [MICAI_PART_RINGS] = &micai_rings_part,
    [MICAI_PART_GROUPS] = &groups_part,         [MICAI_PART_NAMES] = &micai_names_part,
    [MICAI_PART_FACETS] = &micai_facets_part,   [MICAI_PART_RELATIONS] = &links_part,
    [MICAI_PART_RESOURCES] = &resources_part,   [MICAI_PART_EVENTS] = &micai_events_part,
    [MICAI_PART_QUERIES] = &micai_queries_part, [MICAI_PART_SYSTEMS] = &micai_systems_part,
};

// Writes a part behind 8 bytes for its size.
static void write_part(mica_world *world, const micai_history *history, micai_part_id id,
                       micai_blob *to)
{
    if (id == MICAI_PART_TABLES) {
        write_tables(history, world->state, to);
    } else if (id == MICAI_PART_INCLUDED) {
        write_included(history, to);
    } else {
        parts[id]->write(world, to);
    }
}

bool micai_part_is_unchanged(const mica_world *world, const micai_history *history,
                             micai_part_id id)
{
    return parts[id] && parts[id]->revision && history->parts[id].size > 0 &&
           history->revisions[id] == parts[id]->revision(world);
}

bool micai_part_differs(mica_world *world, const micai_history *history, micai_part_id id,
                        micai_blob *to)
{
    const micai_time_block *block = &history->parts[id];
    uint64_t size = 0;
    to->bytes.count = 0;
    append(to, &size, sizeof size);
    to->same = block->size > 0 ? block->bytes + sizeof size : NULL;
    to->matched = to->same_size = 0;
    if (to->same) {
        memcpy(&size, block->bytes, sizeof size);
        to->same_size = (size_t)size - sizeof size;
    }
    write_part(world, history, id, to);
    if (to->same && to->matched == to->same_size) {
        return false;
    }
    copy_matched(to);
    if (!to->failed) {
        size = to->bytes.count;
        memcpy(to->bytes.items, &size, sizeof size);
    }
    return true;
}

void micai_parts_settle(const mica_world *world, micai_history *history)
{
    for (uint32_t i = 0; i < MICAI_PART_COUNT; i++) {
        if (parts[i] && parts[i]->revision) {
            history->revisions[i] = parts[i]->revision(world);
        }
    }
}

micai_bytes micai_part_bytes(const micai_history *history, micai_part_id id)
{
    return (micai_bytes){history->parts[id].bytes + sizeof(uint64_t)};
}

mica_result micai_part_reserve(micai_restoring *r, micai_part_id id)
{
    return parts[id] && parts[id]->reserve
               ? parts[id]->reserve(r->world, micai_part_bytes(r->history, id), &r->staged[id])
               : MICA_OK;
}

void micai_part_read(micai_restoring *r, micai_part_id id)
{
    micai_bytes from = micai_part_bytes(r->history, id);
    if (id == MICAI_PART_INCLUDED) {
        read_included(r->history, from);
    } else if (parts[id]) {
        parts[id]->read(r->world, from, r->staged[id]);
    }
}

void micai_part_cancel(micai_restoring *r, micai_part_id id)
{
    if (r->staged[id]) {
        parts[id]->cancel(r->world, r->staged[id]);
        r->staged[id] = NULL;
    }
}
