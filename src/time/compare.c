// Comparing two states of the mirror. compare_internal.h has the contract.
#include "time/compare_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "core/value_hash.h"

// By slot, then by generation.
static int compare_entities(mica_entity a, mica_entity b)
{
    uint64_t x = a.bits << 32 | a.bits >> 32;
    uint64_t y = b.bits << 32 | b.bits >> 32;
    return x < y ? -1 : x > y;
}

// Ranges

static bool add_rows(micai_ranges *ranges, const micai_entry *entry, uint32_t row, uint32_t end)
{
    if (row < end) {
        if (!micai_array_reserve(ranges->host, &ranges->list, 1)) {
            return false;
        }
        ranges->list.items[ranges->list.count++] = (micai_rows){entry, row, end};
    }
    return true;
}

// Adds the rows that are there with one of the counts only.
static bool add_counts(micai_ranges *ranges, const micai_time_log *log,
                       const micai_time_change *change)
{
    const micai_entry *entry = change->range.block->entry;
    uint32_t now = micai_entry_head(entry)->count;
    uint32_t then = now;
    if (change->range.offset == 0) {
        memcpy(&then, log->bytes.items + change->place, sizeof then);
    }
    return add_rows(ranges, entry, micai_smaller(now, then), micai_larger(now, then));
}

static bool add_change(micai_ranges *ranges, const micai_time_log *log,
                       const micai_time_change *change)
{
    const micai_time_block *block = change->range.block;
    if (block->kind == MICAI_BLOCK_PART) {
        ranges->parts[block->number] = true;
    }
    if (block->kind == MICAI_BLOCK_HEAD) {
        return add_counts(ranges, log, change);
    }
    if (block->kind != MICAI_BLOCK_CELLS) {
        return true;
    }
    uint32_t size = block->entry->strips[block->strip].size;
    uint32_t first = block->number << MICAI_ROW_SHIFT;
    return add_rows(ranges, block->entry, first + (uint32_t)(change->range.offset / size),
                    first +
                        (uint32_t)((change->range.offset + change->range.size + size - 1) / size));
}

static int compare_rows(const void *a, const void *b)
{
    const micai_rows *one = a;
    const micai_rows *other = b;
    uint32_t x = one->entry->number;
    uint32_t y = other->entry->number;
    if (x == y) {
        x = one->row;
        y = other->row;
    }
    return x < y ? -1 : x > y;
}

static void join_rows(micai_ranges *ranges)
{
    micai_rows *list = ranges->list.items;
    uint32_t joined = 0;
    for (uint32_t i = 0; i < ranges->list.count; i++) {
        micai_rows *last = joined > 0 ? &list[joined - 1] : NULL;
        if (last && last->entry == list[i].entry && list[i].row <= last->end) {
            last->end = micai_larger(last->end, list[i].end);
        } else {
            list[joined++] = list[i];
        }
    }
    ranges->list.count = joined;
}

bool micai_ranges_collect(micai_ranges *ranges, const micai_history *history, uint32_t first_log,
                          uint32_t end_log)
{
    for (uint32_t k = first_log; k < end_log; k++) {
        const micai_time_log *log = &history->kept.items[k].log;
        for (uint32_t i = 0; i < log->changes.count; i++) {
            if (!add_change(ranges, log, &log->changes.items[i])) {
                return false;
            }
        }
    }
    if (ranges->list.count > 0) {
        qsort(ranges->list.items, ranges->list.count, sizeof *ranges->list.items, compare_rows);
    }
    join_rows(ranges);
    return true;
}

void micai_ranges_free(micai_ranges *ranges)
{
    micai_array_free(ranges->host, &ranges->list);
}

// Sides

static const unsigned char *cell_at(const micai_entry *entry, uint32_t row, uint32_t strip)
{
    return micai_entry_cells(entry, row >> MICAI_ROW_SHIFT, strip)->bytes +
           (size_t)(row & (MICAI_ROWS - 1)) * entry->strips[strip].size;
}

static bool copy_row(micai_side *side, const micai_entry *entry, uint32_t row)
{
    mica_entity entity;
    memcpy(&entity, cell_at(entry, row, 0), sizeof entity);
    if (micai_is_hole(entity)) {
        return true;
    }
    if (!micai_array_reserve(side->host, &side->pieces, 1)) {
        return false;
    }
    side->pieces.items[side->pieces.count++] =
        (micai_piece){entity, entry, side->bytes.bytes.count};
    for (uint32_t strip = 0; strip < entry->strip_count; strip++) {
        micai_blob_write(&side->bytes, cell_at(entry, row, strip), entry->strips[strip].size);
    }
    return !side->bytes.failed;
}

// The row of an entity in its table comes first, then its rows in pools by type.
static int compare_pieces(const void *a, const void *b)
{
    const micai_piece *one = a;
    const micai_piece *other = b;
    int order = compare_entities(one->entity, other->entity);
    if (order == 0) {
        uint32_t x = one->entry->pool ? one->entry->pool->type->number + 1 : 0;
        uint32_t y = other->entry->pool ? other->entry->pool->type->number + 1 : 0;
        order = x < y ? -1 : x > y;
    }
    return order;
}

// Returns the place of a copy of a part, which is empty if no log has touched it.
static size_t copy_part(micai_side *side, const micai_history *history, const micai_ranges *ranges,
                        micai_part_id id)
{
    static const unsigned char none[sizeof(uint32_t)];
    size_t place = side->bytes.bytes.count;
    uint64_t size;
    memcpy(&size, history->parts[id].bytes, sizeof size);
    if (ranges->parts[id]) {
        micai_blob_write(&side->bytes, history->parts[id].bytes + sizeof size,
                         (size_t)size - sizeof size);
    } else {
        micai_blob_write(&side->bytes, none, sizeof none);
    }
    return place;
}

bool micai_side_copy(micai_side *side, const micai_history *history, const micai_ranges *ranges)
{
    side->bytes.host = side->host;
    for (uint32_t i = 0; i < ranges->list.count; i++) {
        const micai_rows *rows = &ranges->list.items[i];
        uint32_t end = micai_smaller(rows->end, micai_entry_head(rows->entry)->count);
        bool of_group = rows->entry->pool && !rows->entry->pool->type;
        for (uint32_t row = rows->row; row < end && !of_group; row++) {
            if (!copy_row(side, rows->entry, row)) {
                return false;
            }
        }
    }
    if (side->pieces.count > 0) {
        qsort(side->pieces.items, side->pieces.count, sizeof *side->pieces.items, compare_pieces);
    }
    side->names = copy_part(side, history, ranges, MICAI_PART_NAMES);
    side->resources = copy_part(side, history, ranges, MICAI_PART_RESOURCES);
    return !side->bytes.failed;
}

void micai_side_free(micai_side *side)
{
    micai_array_free(side->host, &side->pieces);
    micai_array_free(side->host, &side->bytes.bytes);
}

// Comparing

// The arguments of a comparison, and its state.
typedef struct comparison {
    const micai_registry *registry;
    const micai_side *sides[2]; // before and after
    mica_state_difference_fn *function;
    void *user;
    unsigned char *values[2]; // with space for a value of any type
    bool ended;
} comparison;

// A component of an entity in one state.
typedef struct component {
    bool there;
    bool off;
    const void *value; // NULL: there is none, or a tag
} component;

static void report(comparison *c, mica_state_difference difference)
{
    difference.user = c->user;
    c->ended = c->ended || !c->function(&difference);
}

// Returns the name of the first field that differs, or NULL.
static const char *find_field(const mica_type_info *info, const unsigned char *before,
                              const unsigned char *after)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < info->field_count && !found; i++) {
        const mica_field_info *field = &info->fields[i];
        bool same = memcmp(before + field->offset, after + field->offset, field->size) == 0;
        found = same ? NULL : field->name;
    }
    return found;
}

// Padding makes no difference.
static bool is_equal(const comparison *c, const micai_type *type, const void *before,
                     const void *after)
{
    return type->info.size == 0 || memcmp(before, after, type->info.size) == 0 ||
           micai_hash_value(c->registry, type, before) ==
               micai_hash_value(c->registry, type, after);
}

// Assembles a value from the strips of its column.
static component read_component(const comparison *c, int side, const micai_piece *piece,
                                uint32_t number)
{
    const micai_entry *entry = piece->entry;
    const unsigned char *cell = c->sides[side]->bytes.bytes.items + piece->place;
    const micai_type *type = c->registry->list.items[number];
    component one = {.there = true};
    for (uint32_t s = 0; s < entry->strip_count; s++) {
        const micai_strip *strip = &entry->strips[s];
        if (entry->columns[strip->column].type != type) {
            cell += strip->size;
            continue;
        }
        if (strip->flags) {
            one.off = *cell != 0;
        } else if (!strip->ticks) {
            memcpy(c->values[side] + strip->offset, cell, strip->size);
            one.value = c->values[side];
        }
        cell += strip->size;
    }
    return one;
}

static void compare_component(comparison *c, mica_entity entity, uint32_t number, component before,
                              component after)
{
    const mica_type_info *info = &c->registry->list.items[number]->info;
    mica_state_difference one = {
        .entity = entity, .type = info->type, .before = before.value, .after = after.value};
    if (before.there != after.there) {
        one.kind = after.there ? MICA_STATE_ADDED : MICA_STATE_REMOVED;
        report(c, one);
        return;
    }
    if (!is_equal(c, c->registry->list.items[number], before.value, after.value)) {
        one.kind = MICA_STATE_CHANGED;
        one.field = find_field(info, before.value, after.value);
        report(c, one);
    }
    if (before.off != after.off && !c->ended) {
        one.kind = MICA_STATE_TOGGLED;
        one.field = NULL;
        report(c, one);
    }
}

// The pieces of one entity on one side.
typedef struct pieces {
    const micai_piece *table; // NULL: its row has not changed, or it does not live
    const micai_piece *pools;
    const micai_piece *end;
} pieces;

// Passes over the pieces of an entity, which may have none.
static pieces take_pieces(const micai_side *side, uint32_t *place, mica_entity entity)
{
    const micai_piece *items = side->pieces.items;
    pieces one = {0};
    if (*place < side->pieces.count && items[*place].entity.bits == entity.bits) {
        one.table = items[*place].entry->pool ? NULL : &items[*place];
        *place += one.table != NULL;
    }
    one.pools = one.end = items + *place;
    while (*place < side->pieces.count && items[*place].entity.bits == entity.bits) {
        one.end = items + ++*place;
    }
    return one;
}

static uint32_t next_in_table(const micai_piece *table, uint32_t number)
{
    return table ? micai_bits_next(table->entry->words, table->entry->word_count, number)
                 : MICAI_BITS_END;
}

static uint32_t next_in_pools(const pieces *one)
{
    return one->pools < one->end ? one->pools->entry->pool->type->number : MICAI_BITS_END;
}

// Returns the component of a type, and passes over its piece if that is of a pool.
static component take_component(const comparison *c, int side, pieces *one, uint32_t number)
{
    if (next_in_pools(one) == number) {
        return read_component(c, side, one->pools++, number);
    }
    return next_in_table(one->table, number) == number ? read_component(c, side, one->table, number)
                                                       : (component){0};
}

static void compare_components(comparison *c, mica_entity entity, pieces both[2])
{
    for (uint32_t number = 0; !c->ended; number++) {
        uint32_t next = MICAI_BITS_END;
        for (int side = 0; side < 2; side++) {
            next = micai_smaller(next, next_in_table(both[side].table, number));
            next = micai_smaller(next, next_in_pools(&both[side]));
        }
        if (next == MICAI_BITS_END) {
            return;
        }
        number = next;
        if (number == c->registry->hidden) {
            continue; // the owner of a facet
        }
        component before = take_component(c, 0, &both[0], number);
        component after = take_component(c, 1, &both[1], number);
        compare_component(c, entity, number, before, after);
    }
}

static void compare_pieces_of_all(comparison *c)
{
    uint32_t places[2] = {0};
    while (!c->ended) {
        const micai_piece *first = NULL;
        for (int side = 0; side < 2; side++) {
            const micai_piece *next = c->sides[side]->pieces.items + places[side];
            if (places[side] < c->sides[side]->pieces.count &&
                (!first || compare_entities(next->entity, first->entity) < 0)) {
                first = next;
            }
        }
        if (!first) {
            return;
        }
        mica_entity entity = first->entity;
        pieces both[2] = {take_pieces(c->sides[0], &places[0], entity),
                          take_pieces(c->sides[1], &places[1], entity)};
        bool before = both[0].table != NULL;
        bool after = both[1].table != NULL;
        if (after && !before) {
            report(c, (mica_state_difference){.kind = MICA_STATE_SPAWNED, .entity = entity});
        }
        compare_components(c, entity, both);
        if (before && !after && !c->ended) {
            report(c, (mica_state_difference){.kind = MICA_STATE_DESPAWNED, .entity = entity});
        }
    }
}

// Names. Their part has them in no order.

typedef struct name {
    mica_entity entity;
    const char *text;
} name;

static int compare_names(const void *a, const void *b)
{
    return compare_entities(((const name *)a)->entity, ((const name *)b)->entity);
}

static uint32_t count_names(const micai_side *side)
{
    micai_bytes from = {side->bytes.bytes.items + side->names};
    return micai_bytes_read_32(&from);
}

static void list_names(const micai_side *side, name *names_out)
{
    micai_bytes from = {side->bytes.bytes.items + side->names};
    uint32_t count = micai_bytes_read_32(&from);
    for (uint32_t i = 0; i < count; i++) {
        names_out[i].entity.bits = micai_bytes_read_64(&from);
        names_out[i].text = micai_bytes_skip(&from, micai_bytes_read_32(&from));
    }
    if (count > 0) {
        qsort(names_out, count, sizeof *names_out, compare_names);
    }
}

static void compare_all_names(comparison *c, const name *before, const name *before_end,
                              const name *after, const name *after_end)
{
    while ((before < before_end || after < after_end) && !c->ended) {
        int order = before == before_end ? 1
                    : after == after_end ? -1
                                         : compare_entities(before->entity, after->entity);
        mica_state_difference one = {.kind = MICA_STATE_NAME,
                                     .entity = order <= 0 ? before->entity : after->entity,
                                     .before = order <= 0 ? before->text : NULL,
                                     .after = order >= 0 ? after->text : NULL};
        before += order <= 0;
        after += order >= 0;
        if (order != 0 || strcmp(one.before, one.after) != 0) {
            report(c, one);
        }
    }
}

// Resources, in the order of their types.

static uint32_t next_resource(micai_bytes *from, uint32_t *count)
{
    return *count > 0 && (*count)-- > 0 ? micai_bytes_read_32(from) : MICAI_BITS_END;
}

static void compare_resources(comparison *c)
{
    micai_bytes from[2];
    uint32_t counts[2], numbers[2];
    for (int side = 0; side < 2; side++) {
        from[side].at = c->sides[side]->bytes.bytes.items + c->sides[side]->resources;
        counts[side] = micai_bytes_read_32(&from[side]);
        numbers[side] = next_resource(&from[side], &counts[side]);
    }
    uint32_t number = micai_smaller(numbers[0], numbers[1]);
    while (number != MICAI_BITS_END && !c->ended) {
        const mica_type_info *info = &c->registry->list.items[number]->info;
        const void *values[2] = {NULL, NULL};
        for (int side = 0; side < 2; side++) {
            if (numbers[side] == number) {
                micai_bytes_read(&from[side], c->values[side], info->size);
                values[side] = c->values[side];
                numbers[side] = next_resource(&from[side], &counts[side]);
            }
        }
        if (!values[0] || !values[1] ||
            !is_equal(c, c->registry->list.items[number], values[0], values[1])) {
            report(c, (mica_state_difference){.kind = MICA_STATE_RESOURCE,
                                              .type = info->type,
                                              .before = values[0],
                                              .after = values[1]});
        }
        number = micai_smaller(numbers[0], numbers[1]);
    }
}

// Memory for values of any type.
typedef struct value_memory {
    size_t size;
    size_t align;
    unsigned char *bytes;
} value_memory;

static value_memory make_values(micai_host *host, const micai_registry *registry)
{
    value_memory memory = {.size = 1, .align = 1};
    for (uint32_t n = 0; n < registry->list.count; n++) {
        const mica_type_info *info = &registry->list.items[n]->info;
        memory.size = info->size > memory.size ? info->size : memory.size;
        memory.align = info->align > memory.align ? info->align : memory.align;
    }
    memory.size = micai_round_up(memory.size, memory.align) * 2;
    memory.bytes = micai_alloc_zeroed(host, memory.size, memory.align);
    return memory;
}

mica_result micai_sides_compare(mica_world *world, const char *call, const micai_side *before,
                                const micai_side *after, mica_state_difference_fn *function,
                                void *user)
{
    micai_host *host = &world->host;
    micai_host_begin(host, call);
    uint32_t names_before = count_names(before);
    uint32_t names_after = count_names(after);
    size_t count = (size_t)names_before + names_after;
    value_memory values = make_values(host, &world->state->registry);
    name *names = count > 0 ? micai_alloc_array(host, count, sizeof *names, _Alignof(name)) : NULL;
    bool failed = !values.bytes || (count > 0 && !names);
    micai_host_end(host);
    if (!failed) {
        comparison c = {.registry = &world->state->registry,
                        .sides = {before, after},
                        .function = function,
                        .user = user,
                        .values = {values.bytes, values.bytes + values.size / 2}};
        mica_result saved = micai_host_begin_compare(host);
        compare_pieces_of_all(&c);
        if (count > 0) {
            list_names(before, names);
            list_names(after, names + names_before);
            compare_all_names(&c, names, names + names_before, names + names_before, names + count);
        }
        compare_resources(&c);
        micai_host_end_callback(host, saved);
    }
    micai_release(host, values.bytes, values.size, values.align);
    micai_release(host, names, count * sizeof *names, _Alignof(name));
    return failed ? MICA_ERROR_MEMORY : MICA_OK;
}
