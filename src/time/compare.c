// Comparing two states of the mirror. sides_internal.h explains sides and pieces.
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "core/value_hash.h"
#include "time/sides_internal.h"

// The arguments of a comparison, and its state.
typedef struct comparison {
    const micai_registry *registry;
    const micai_side *sides[2]; // before and after
    mica_state_difference_fn *function;
    void *user;
    unsigned char *values[2]; // with space for a value of any type
    bool ended;
} comparison;

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

static micai_component read_component(const comparison *c, int side, const micai_piece *piece,
                                      uint32_t number)
{
    return micai_component_read(piece->entry, c->sides[side]->bytes.bytes.items + piece->place,
                                c->registry->list.items[number], c->values[side]);
}

static void compare_component(comparison *c, mica_entity entity, uint32_t number,
                              micai_component before, micai_component after)
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
static micai_component take_component(const comparison *c, int side, pieces *one, uint32_t number)
{
    if (next_in_pools(one) == number) {
        return read_component(c, side, one->pools++, number);
    }
    return next_in_table(one->table, number) == number ? read_component(c, side, one->table, number)
                                                       : (micai_component){0};
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
        micai_component before = take_component(c, 0, &both[0], number);
        micai_component after = take_component(c, 1, &both[1], number);
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
                (!first || micai_entities_compare(next->entity, first->entity) < 0)) {
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
    return micai_entities_compare(((const name *)a)->entity, ((const name *)b)->entity);
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
                                         : micai_entities_compare(before->entity, after->entity);
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
        const micai_type *type = c->registry->list.items[number];
        const void *values[2] = {NULL, NULL};
        for (int side = 0; side < 2; side++) {
            if (numbers[side] == number) {
                micai_bytes_read(&from[side], c->values[side], type->info.size);
                values[side] = c->values[side];
                numbers[side] = next_resource(&from[side], &counts[side]);
            }
        }
        bool both = values[0] && values[1];
        if (!both || !is_equal(c, type, values[0], values[1])) {
            report(c, (mica_state_difference){
                          .kind = MICA_STATE_RESOURCE,
                          .type = type->info.type,
                          .before = values[0],
                          .after = values[1],
                          .field = both ? find_field(&type->info, values[0], values[1]) : NULL});
        }
        number = micai_smaller(numbers[0], numbers[1]);
    }
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
    micai_value_memory values = micai_value_memory_new(host, &world->state->registry);
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
    micai_value_memory_free(host, &values);
    micai_release(host, names, count * sizeof *names, _Alignof(name));
    return failed ? MICA_ERROR_MEMORY : MICA_OK;
}

// Public

// Copies what differs between two snapshots, and leaves the mirror as it was. False: MICA_ERROR_MEMORY.
static bool copy_sides(micai_history *h, uint32_t from, uint32_t to, micai_side *before,
                       micai_side *after)
{
    micai_ranges ranges = {.host = h->heap.host};
    micai_history_swap(h, h->here, from);
    bool copied =
        micai_ranges_collect(&ranges, h, micai_smaller(from, to), micai_larger(from, to)) &&
        micai_side_copy(before, h, &ranges);
    micai_history_swap(h, from, to);
    copied = copied && micai_side_copy(after, h, &ranges);
    micai_history_swap(h, to, h->here);
    micai_ranges_free(&ranges);
    return copied;
}

mica_result mica_snapshot_compare(mica_world *world, mica_snapshot from, mica_snapshot to,
                                  mica_state_difference_fn *function, void *user)
{
    static const char call[] = "mica_snapshot_compare";
    micai_history *h;
    uint32_t first, second;
    mica_result result = micai_snapshot_find(world, call, from, &h, &first);
    result = result ? result : micai_snapshot_find(world, call, to, &h, &second);
    if (!result && !function) {
        result = micai_fail_null(&world->host, call, "function");
    }
    if (result) {
        return result;
    }
    micai_host *host = &world->host;
    micai_side before = {.host = host};
    micai_side after = {.host = host};
    micai_host_begin(host, call);
    bool copied = copy_sides(h, first, second, &before, &after);
    micai_host_end(host);
    result = copied ? micai_sides_compare(world, call, &before, &after, function, user)
                    : MICA_ERROR_MEMORY;
    micai_side_free(&before);
    micai_side_free(&after);
    return result;
}
