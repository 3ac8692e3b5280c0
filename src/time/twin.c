// Twins: a snapshot is copied from the mirror of one world to the mirror of another one, which then restores
// itself.
//
// The copy is a log of the twin's mirror like any other. So what fails takes it back, and the twin's own
// snapshots stay. Only blocks that differ between this snapshot and the one that was copied last are looked
// at, unless the twin's mirror was at another state since.
#include <inttypes.h>
#include <string.h>

#include <mica/component.h>

#include "base/canary.h"
#include "base/number.h"
#include "entity/facet.h"
#include "time/entries_internal.h"
#include "time/parts_internal.h"

typedef struct copying {
    mica_world *world; // the original
    const micai_history *from;
    mica_world *twin;
    micai_history *to;
    const char *call;
    uint32_t place;      // of the snapshot in the original
    micai_entry **twins; // by number of the original's entry; NULL: not in the snapshot
    micai_kept log;      // of what differs
    bool failed;         // MICA_ERROR_MEMORY
} copying;

// Definitions

static mica_type_desc describe(const mica_type_info *info, mica_storage storage)
{
    return (mica_type_desc){.name = info->name,
                            .c_type = info->c_type,
                            .size = info->size,
                            .align = info->align,
                            .fields = info->fields,
                            .field_count = info->field_count,
                            .default_value = info->default_value,
                            .hooks = info->hooks,
                            .user = info->user,
                            .storage = storage,
                            .stable = info->stable,
                            .toggle = info->toggle,
                            .row_stamps = info->row_stamps,
                            .plain = info->plain,
                            .saved = info->saved};
}

// Registers a type that the twin does not have yet.
static mica_result add_type(mica_world *twin, const char *call, const micai_registry *from,
                            uint32_t number)
{
    if (number == from->hidden) {
        return micai_facets_use(twin, call);
    }
    const micai_type *type = from->list.items[number];
    mica_type_desc desc = describe(&type->info, type->first_storage);
    mica_type added;
    return mica_type_register_all(twin, &desc, 1, &added);
}

static bool has_fields(const mica_type_info *a, const mica_type_info *b)
{
    bool same = a->field_count == b->field_count;
    for (uint32_t i = 0; i < a->field_count && same; i++) {
        const mica_field_info *x = &a->fields[i];
        const mica_field_info *y = &b->fields[i];
        same = strcmp(x->name, y->name) == 0 && x->kind == y->kind && x->offset == y->offset &&
               x->size == y->size && x->count == y->count;
    }
    return same;
}

// The handle has the name.
static bool is_same_type(const mica_type_info *a, const mica_type_info *b)
{
    return a->type.bits == b->type.bits && a->size == b->size && a->align == b->align &&
           a->stable == b->stable && a->toggle == b->toggle && a->row_stamps == b->row_stamps &&
           has_fields(a, b);
}

// Gives the twin the types that it lacks, and the storages of all.
static mica_result copy_types(mica_world *world, const char *call, mica_world *twin)
{
    const micai_registry *from = &world->state->registry;
    const micai_registry *to = &twin->state->registry;
    mica_result result = MICA_OK;
    for (uint32_t n = 0; n < from->list.count && !result; n++) {
        result = n < to->list.count ? MICA_OK : add_type(twin, call, from, n);
        const mica_type_info *original = &from->list.items[n]->info;
        const mica_type_info *copy = result ? original : &to->list.items[n]->info;
        if (!is_same_type(original, copy)) {
            return micai_fail(&world->host, MICA_ERROR_SHAPE,
                              "%s: type %" PRIu32
                              " is '%.80s' here and '%.80s' in the twin, or has "
                              "another shape; register the same types in the same order",
                              call, n, original->name, copy->name);
        }
        if (!result && copy->storage != original->storage) {
            result = mica_type_change_storage(twin, copy->type, original->storage);
        }
        const micai_relation *relation = from->list.items[n]->relation;
        if (!result && relation) {
            result = world->state->pools.links->ops->copy(twin, relation);
        }
    }
    return result;
}

static uint64_t group_at(const mica_world *world, uint32_t place)
{
    const micai_handles *groups = &world->state->pools.groups;
    const micai_group *group = place < groups->list.count ? groups->list.items[place] : NULL;
    return group ? group->handle.bits : 0;
}

static mica_result check_groups(mica_world *world, const char *call, const mica_world *twin)
{
    uint32_t count =
        micai_larger(world->state->pools.groups.list.count, twin->state->pools.groups.list.count);
    for (uint32_t i = 0; i < count; i++) {
        if (group_at(world, i) != group_at(twin, i)) {
            return micai_fail(
                &world->host, MICA_ERROR_GROUP,
                "%s: the twin has other groups; create the same ones in the same order", call);
        }
    }
    return MICA_OK;
}

// The entries of the twin

static bool map_table(copying *c, const micai_entry *entry)
{
    micai_table *table = micai_rewind_make_table(c->twin, entry);
    micai_entry *twin = table ? micai_mirror_table(&c->twin->host, c->to, table) : NULL;
    c->twins[entry->number] = twin;
    return twin != NULL;
}

static micai_pool *find_pool(const copying *c, const micai_pool *pool)
{
    micai_pools *pools = &c->twin->state->pools;
    if (pool->type) {
        return micai_pools_open(pools, c->twin->state->registry.list.items[pool->type->number]);
    }
    const micai_handles *groups = &c->world->state->pools.groups;
    for (uint32_t i = 0; i < groups->list.count; i++) {
        const micai_group *group = groups->list.items[i];
        const micai_group *twin = pools->groups.list.items[i];
        if (group && group->list == pool) {
            return twin->list;
        }
    }
    return NULL;
}

static bool map_pool(copying *c, const micai_entry *entry)
{
    micai_pool *pool = find_pool(c, entry->pool);
    c->twins[entry->number] = pool ? micai_mirror_pool(&c->twin->host, c->to, pool) : NULL;
    return c->twins[entry->number] != NULL;
}

// Finds or creates the entries that the snapshot has, with their tables.
static bool map_entries(copying *c)
{
    bool mapped = true;
    for (uint32_t id = 0; id < micai_rewind_count(c->from) && mapped; id++) {
        mapped = map_table(c, micai_rewind_entry(c->from, id));
    }
    for (uint32_t i = 0; i < c->from->entries.count && mapped; i++) {
        const micai_entry *entry = c->from->entries.items[i];
        mapped = !entry->pool || map_pool(c, entry);
    }
    return mapped;
}

// Copying

static void write(copying *c, micai_time_block *block, const void *bytes, size_t size)
{
    c->failed = c->failed || !micai_mirror_grow(&c->twin->host, c->to, block, size) ||
                !micai_scan_write(c->twin, c->to, &c->log.log, block, bytes, size);
}

static void copy_cells(copying *c, const micai_time_block *block)
{
    micai_entry *twin = c->twins[block->entry->number];
    uint32_t size = twin->strips[block->strip].size;
    uint32_t capacity = size > 0 ? (uint32_t)(block->size / size) : 0;
    c->failed =
        c->failed || !micai_mirror_sheet(&c->twin->host, c->to, twin, block->number, capacity);
    if (!c->failed && block->size > 0) {
        write(c, micai_entry_cells(twin, block->number, block->strip), block->bytes, block->size);
    }
}

static void copy_slots(copying *c, const micai_time_block *block)
{
    micai_time_block *twin = micai_mirror_slots(&c->twin->host, c->to, block->number);
    c->failed = c->failed || !twin;
    if (!c->failed) {
        write(c, twin, block->bytes, block->size);
    }
}

// The order of tables has the numbers of entries, which are others in the twin.
static void copy_order(copying *c, const micai_time_block *block, micai_time_block *twin)
{
    micai_blob bytes = {.host = &c->twin->host};
    uint64_t size;
    memcpy(&size, block->bytes, sizeof size);
    micai_blob_write_64(&bytes, size);
    for (uint32_t id = 0; id < micai_rewind_count(c->from); id++) {
        const micai_entry *entry = c->twins[micai_rewind_entry(c->from, id)->number];
        micai_blob_write_32(&bytes, entry->number);
    }
    c->failed = c->failed || bytes.failed;
    if (!c->failed) {
        write(c, twin, bytes.bytes.items, bytes.bytes.count);
    }
    micai_array_free(bytes.host, &bytes.bytes);
}

// Memory of the program belongs to one world.
static void copy_part(copying *c, const micai_time_block *block)
{
    micai_time_block *twin = &c->to->parts[block->number];
    uint64_t size;
    memcpy(&size, block->bytes, sizeof size);
    if (block->number == MICAI_PART_TABLES) {
        copy_order(c, block, twin);
    } else if (block->number != MICAI_PART_INCLUDED) {
        write(c, twin, block->bytes, (size_t)size);
    }
}

static void copy_block(copying *c, const micai_time_block *block)
{
    micai_entry *twin = block->entry ? c->twins[block->entry->number] : NULL;
    if (c->failed || (block->entry && !twin)) {
        return;
    }
    switch ((micai_time_block_kind)block->kind) {
    case MICAI_BLOCK_HEAD: write(c, &twin->head, block->bytes, block->size); break;
    case MICAI_BLOCK_TICKS: write(c, &twin->ticks, block->bytes, block->size); break;
    case MICAI_BLOCK_CELLS: copy_cells(c, block); break;
    case MICAI_BLOCK_SLOTS: copy_slots(c, block); break;
    case MICAI_BLOCK_PART: copy_part(c, block); break;
    }
}

static void copy_entry(copying *c, const micai_entry *entry)
{
    copy_block(c, &entry->head);
    copy_block(c, &entry->ticks);
    for (uint32_t i = 0; i < entry->cells.count; i++) {
        copy_block(c, entry->cells.items[i]);
    }
}

static void copy_all(copying *c)
{
    for (uint32_t i = 0; i < c->from->entries.count; i++) {
        copy_entry(c, c->from->entries.items[i]);
    }
    for (uint32_t page = 0; page < c->from->slots.count; page++) {
        if (c->from->slots.items[page]) {
            copy_block(c, c->from->slots.items[page]);
        }
    }
    for (uint32_t i = 0; i < MICAI_PART_COUNT; i++) {
        copy_block(c, &c->from->parts[i]);
    }
}

// Copies blocks that logs have touched. Entries without rows may have been away in between: the logs do not
// have all of their cells.
static void copy_touched(copying *c, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < c->from->entries.count; i++) {
        const micai_entry *entry = c->from->entries.items[i];
        const micai_entry *twin = c->twins[i];
        if (twin && micai_entry_head(twin)->count == 0 && micai_entry_head(entry)->count > 0) {
            copy_entry(c, entry);
        }
    }
    for (uint32_t k = first; k < end; k++) {
        const micai_time_log *log = &c->from->kept.items[k].log;
        for (uint32_t i = 0; i < log->changes.count; i++) {
            micai_time_block *block = log->changes.items[i].range.block;
            if (!block->covered && !MICAI_CANARY("time.twin_touched")) {
                block->covered = true;
                copy_block(c, block);
            }
        }
    }
    for (uint32_t k = first; k < end; k++) {
        const micai_time_log *log = &c->from->kept.items[k].log;
        for (uint32_t i = 0; i < log->changes.count; i++) {
            log->changes.items[i].range.block->covered = false;
        }
    }
    copy_block(c, &c->from->parts[MICAI_PART_TABLES]);
}

// Entries that the original does not have are empty in the twin.
static void clear_entries(copying *c)
{
    micai_host *host = &c->twin->host;
    uint32_t count = c->to->entries.count;
    bool *mapped = micai_alloc_zeroed(host, count * sizeof *mapped, _Alignof(bool));
    c->failed = c->failed || (count > 0 && !mapped);
    for (uint32_t i = 0; i < c->from->entries.count && !c->failed; i++) {
        if (c->twins[i]) {
            mapped[c->twins[i]->number] = true;
        }
    }
    for (uint32_t i = 0; i < count && !c->failed; i++) {
        micai_entry *twin = c->to->entries.items[i];
        const micai_head empty = {.first_hole = twin->pool ? MICAI_INDEX_NONE : 0};
        if (!mapped[i] && !MICAI_CANARY("time.twin_others")) {
            write(c, &twin->head, &empty, sizeof empty);
        }
    }
    micai_release(host, mapped, count * sizeof *mapped, _Alignof(bool));
}

// Slots that the original does not have were never used.
static void clear_slots(copying *c)
{
    micai_record virgin[MICAI_SLOT_PAGE_SIZE];
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        virgin[i] = (micai_record){.where = MICAI_SLOT_NONE, .tag = MICAI_SLOT_FREE | 1};
    }
    for (uint32_t page = 0; page < c->to->slots.count && !c->failed; page++) {
        bool there = page < c->from->slots.count && c->from->slots.items[page];
        if (!there && c->to->slots.items[page]) {
            write(c, c->to->slots.items[page], virgin, sizeof virgin);
        }
    }
}

// Copies the snapshot, to which the mirror of the original was taken.
static void copy_mirror(copying *c)
{
    uint32_t last = micai_snapshot_place(c->world, c->from, (mica_snapshot){c->to->copied});
    if (last == UINT32_MAX) {
        copy_all(c);
    } else {
        copy_touched(c, micai_smaller(last, c->place), micai_larger(last, c->place));
    }
    clear_entries(c);
    clear_slots(c);
}

// Restores the twin from its mirror. `tables` is how many there were before.
static mica_result restore_twin(copying *c, uint32_t tables)
{
    micai_restoring r = micai_rewind_begin(c->twin, c->to, &c->log, 1);
    r.tables = tables;
    mica_result result = micai_rewind_reserve(&r);
    if (!result && !micai_history_keep_log(c->to, &c->log.log)) {
        result = MICA_ERROR_MEMORY;
    }
    if (result) {
        micai_rewind_cancel(&r);
        return result;
    }
    micai_rewind_commit(&r);
    micai_scan_settle(c->twin, c->to);
    return MICA_OK;
}

static mica_result copy(mica_world *world, micai_history *from, uint32_t place, mica_world *twin,
                        micai_history *to, const char *call)
{
    micai_host *host = &twin->host;
    copying c = {
        .world = world, .from = from, .twin = twin, .to = to, .call = call, .place = place};
    uint32_t tables = micai_world_begin(twin, call);
    uint32_t count = from->entries.count;
    c.twins = micai_alloc_array(host, count, sizeof(micai_entry *), _Alignof(micai_entry *));
    micai_history_swap(from, from->here, place);
    mica_result result =
        c.twins || count == 0 ? micai_history_prepare(twin, to) : MICA_ERROR_MEMORY;
    if (!result) {
        memset(c.twins, 0, count * sizeof *c.twins);
        result = map_entries(&c) && micai_scan_cover(twin, to) ? MICA_OK : MICA_ERROR_MEMORY;
    }
    if (!result) {
        copy_mirror(&c);
        result = c.failed ? MICA_ERROR_MEMORY : restore_twin(&c, tables);
        if (result) {
            micai_time_log_swap_backward(&c.log.log);
            micai_time_log_free(&to->heap, &c.log.log);
        }
    }
    micai_history_swap(from, place, from->here);
    micai_release(host, c.twins, count * sizeof *c.twins, _Alignof(micai_entry *));
    return micai_world_end(twin, tables, result);
}

// Checks the twin, and begins time for it if needed.
static mica_result prepare_twin(mica_world *world, const char *call, mica_world *twin,
                                micai_history **to_out)
{
    if (twin == world || twin->state->seal != world->state->seal) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: the other world is no twin of this one; mica_twin_new creates one",
                          call);
    }
    mica_result result = micai_world_guard_idle(twin, call);
    result = result ? result : copy_types(world, call, twin);
    result = result ? result : check_groups(world, call, twin);
    if (!result && !micai_history_of(twin)) {
        result = mica_time_begin(twin, NULL);
    }
    result = result ? result : micai_history_check_begun(twin, call, to_out);
    return result ? result : micai_history_check_types(twin, call, &(*to_out)->types);
}

mica_world *mica_twin_new(mica_world *world, const mica_world_desc *desc)
{
    if (!world) {
        micai_fail_null(NULL, "mica_twin_new", "world");
        return NULL;
    }
    mica_world *twin = mica_world_new(desc);
    if (twin) { // no handle has its seal yet
        const micai_state *original = world->state;
        micai_state *state = twin->state;
        state->seal = state->registry.seal = original->seal;
        state->slots.limit = original->slots.limit;
        state->registry.limit = original->registry.limit;
    }
    return twin;
}

mica_result mica_snapshot_copy(mica_world *world, mica_snapshot snapshot, mica_world *twin)
{
    static const char call[] = "mica_snapshot_copy";
    micai_history *from, *to;
    uint32_t place;
    mica_result result = micai_snapshot_find(world, call, snapshot, &from, &place);
    if (!result && !twin) {
        result = micai_fail_null(&world->host, call, "twin");
    }
    result = result ? result : prepare_twin(world, call, twin, &to);
    result = result ? result : copy(world, from, place, twin, to, call);
    if (!result) {
        to->copied = snapshot.bits;
    }
    return result;
}
