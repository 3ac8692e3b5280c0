// Comparing two states of the mirror. sides_internal.h explains sides and pieces.
#include "time/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "core/value_hash.h"
#include "entity/facet.h"
#include "time/sides_internal.h"

// The arguments of a comparison, and its state.
typedef struct comparison {
    const micai_registry *registry;
    const micai_side *sides[2]; // before and after
    const micai_compare_calls *calls;
    unsigned char *values[2]; // with space for a value of any type
    bool ended;
} comparison;

static void report_all(comparison *c, const micai_difference *difference)
{
    c->ended = c->ended || !c->calls->differs(difference, c->calls->user);
}

static void report(comparison *c, mica_state_difference difference)
{
    report_all(c, &(micai_difference){.state = difference});
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

// `whole`: the entity is there only before, or only afterwards.
static void compare_component(comparison *c, mica_entity entity, uint32_t number, bool whole,
                              micai_component before, micai_component after)
{
    const mica_type_info *info = &c->registry->list.items[number]->info;
    mica_state_difference one = {
        .entity = entity, .type = info->type, .before = before.value, .after = after.value};
    if (before.there != after.there) {
        one.kind = after.there ? MICA_STATE_ADDED : MICA_STATE_REMOVED;
        report_all(c, &(micai_difference){.state = one, .off = after.off, .whole = whole});
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
    bool whole = !both[0].table != !both[1].table;
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
        compare_component(c, entity, number, whole, before, after);
    }
}

// Returns true if an entity has the same row in both, to the last byte. Most of the rows that a log has touched are.
static bool is_row_same(const comparison *c, const pieces both[2])
{
    const micai_piece *before = both[0].table;
    const micai_piece *after = both[1].table;
    return before && after && before->entry == after->entry && both[0].pools == both[0].end &&
           both[1].pools == both[1].end &&
           memcmp(c->sides[0]->bytes.bytes.items + before->place,
                  c->sides[1]->bytes.bytes.items + after->place,
                  micai_entry_row_size(before->entry)) == 0;
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
        if (is_row_same(c, both)) {
            continue;
        }
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

// Facets. Their part has the list with its free places: entity/facet.c.

typedef struct facets {
    const unsigned char *items; // of micai_facet, not aligned
    uint32_t count;
} facets;

static facets list_facets(const micai_side *side)
{
    micai_bytes from = {side->bytes.bytes.items + side->facets};
    facets all = {.count = micai_bytes_read_32(&from)};
    if (all.count > 0) { // an empty part has nothing else
        micai_bytes_skip(&from,
                         2 * sizeof(uint32_t)); // how many there are, and the first free place
        all.items = from.at;
    }
    return all;
}

static micai_facet facet_at(const facets *all, uint32_t place)
{
    micai_facet facet;
    memcpy(&facet, all->items + place * sizeof facet, sizeof facet);
    return facet;
}

static int compare_handles(const void *a, const void *b)
{
    uint64_t x = ((const mica_entity *)a)->bits;
    uint64_t y = ((const mica_entity *)b)->bits;
    return x < y ? -1 : x > y;
}

// Reports the facets of one owner that were not there before, from its first facet on.
static void report_facets(comparison *c, const facets *all, uint32_t place,
                          const mica_entity *before, uint32_t before_count)
{
    while (place != MICAI_FACET_NONE && !c->ended) {
        micai_facet one = facet_at(all, place);
        bool is_new = before_count == 0 ||
                      !bsearch(&one.facet, before, before_count, sizeof *before, compare_handles);
        c->ended = is_new && !c->calls->facet(&one, c->calls->user);
        place = one.next;
    }
}

// `handles` has space for all facets before.
static void compare_facets(comparison *c, mica_entity *handles)
{
    facets before = list_facets(c->sides[0]);
    facets after = list_facets(c->sides[1]);
    for (uint32_t i = 0; i < before.count; i++) {
        handles[i] = facet_at(&before, i).facet;
    }
    if (before.count > 0) {
        qsort(handles, before.count, sizeof *handles, compare_handles);
    }
    for (uint32_t i = 0; i < after.count; i++) {
        micai_facet one = facet_at(&after, i);
        if (!MICA_IS_NONE(one.facet) &&
            facet_at(&after, one.previous).next == MICAI_FACET_NONE) { // the owner's first
            report_facets(c, &after, i, handles, before.count);
        }
    }
}

// Memory of a comparison.
typedef struct workspace {
    micai_value_memory values;
    uint32_t names_before;
    size_t name_count;
    name *names;
    uint32_t facet_count; // before
    mica_entity *facets;
} workspace;

static bool begin_work(micai_host *host, const micai_registry *registry, const micai_side *before,
                       const micai_side *after, workspace *w)
{
    *w = (workspace){.names_before = count_names(before)};
    w->name_count = (size_t)w->names_before + count_names(after);
    w->facet_count = list_facets(before).count;
    w->values = micai_value_memory_new(host, registry);
    bool begun = w->values.bytes != NULL;
    if (begun && w->name_count > 0) {
        w->names = micai_alloc_array(host, w->name_count, sizeof *w->names, _Alignof(name));
        begun = w->names != NULL;
    }
    if (begun && w->facet_count > 0) {
        w->facets =
            micai_alloc_array(host, w->facet_count, sizeof *w->facets, _Alignof(mica_entity));
        begun = w->facets != NULL;
    }
    return begun;
}

static void end_work(micai_host *host, workspace *w)
{
    micai_value_memory_free(host, &w->values);
    micai_release(host, w->names, w->name_count * sizeof *w->names, _Alignof(name));
    micai_release(host, w->facets, w->facet_count * sizeof *w->facets, _Alignof(mica_entity));
}

static void compare_sides(comparison *c, const workspace *w)
{
    compare_pieces_of_all(c);
    if (w->name_count > 0) {
        name *middle = w->names + w->names_before;
        list_names(c->sides[0], w->names);
        list_names(c->sides[1], middle);
        compare_all_names(c, w->names, middle, middle, w->names + w->name_count);
    }
    compare_resources(c);
    if (c->calls->facet && !c->ended) {
        compare_facets(c, w->facets);
    }
}

// Calls the functions for each difference, until one returns false. Fails with MICA_ERROR_MEMORY.
static mica_result compare(mica_world *world, const char *call, const micai_side *before,
                           const micai_side *after, const micai_compare_calls *calls)
{
    micai_host *host = &world->host;
    const micai_registry *registry = &world->state->registry;
    workspace w;
    micai_host_begin(host, call);
    bool begun = begin_work(host, registry, before, after, &w);
    micai_host_end(host);
    if (begun) {
        comparison c = {.registry = registry,
                        .sides = {before, after},
                        .calls = calls,
                        .values = {w.values.bytes, w.values.bytes + w.values.size / 2}};
        mica_result saved = calls->foreign ? micai_host_begin_compare(host) : MICA_OK;
        compare_sides(&c, &w);
        if (calls->foreign) {
            micai_host_end_callback(host, saved);
        }
    }
    end_work(host, &w);
    return begun ? MICA_OK : MICA_ERROR_MEMORY;
}

typedef struct listener {
    mica_state_difference_fn *function;
    void *user;
} listener;

static bool call_listener(const micai_difference *difference, void *user)
{
    const listener *to = user;
    mica_state_difference one = difference->state;
    one.user = to->user;
    return to->function(&one);
}

mica_result micai_sides_compare(mica_world *world, const char *call, const micai_side *before,
                                const micai_side *after, mica_state_difference_fn *function,
                                void *user)
{
    listener to_call = {function, user};
    const micai_compare_calls calls = {.differs = call_listener, .user = &to_call, .foreign = true};
    return compare(world, call, before, after, &calls);
}

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

mica_result micai_snapshots_compare(mica_world *world, const char *call, mica_snapshot from,
                                    mica_snapshot to, const micai_compare_calls *calls)
{
    micai_history *h;
    uint32_t first, second;
    mica_result result = micai_snapshot_find(world, call, from, &h, &first);
    result = result ? result : micai_snapshot_find(world, call, to, &h, &second);
    if (!result && !calls) {
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
    result = copied ? compare(world, call, &before, &after, calls) : MICA_ERROR_MEMORY;
    micai_side_free(&before);
    micai_side_free(&after);
    return result;
}

// Public

mica_result mica_snapshot_compare(mica_world *world, mica_snapshot from, mica_snapshot to,
                                  mica_state_difference_fn *function, void *user)
{
    listener to_call = {function, user};
    const micai_compare_calls calls = {.differs = call_listener, .user = &to_call, .foreign = true};
    return micai_snapshots_compare(world, "mica_snapshot_compare", from, to,
                                   function ? &calls : NULL);
}
