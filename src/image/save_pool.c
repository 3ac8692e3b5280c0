// Saving pools, some places at a time, and the order of groups.
#include <string.h>

#include "image/save_internal.h"
#include "store/pool/replace.h"
#include "store/table/replace.h"

static void save_pool_values(micai_saving *s, const micai_pool *pool, const micai_batch *places)
{
    const micai_type *type = pool->type;
    bool hooks = micai_save_described(s, type)->way == MICAI_SCHEMA_HOOKS;
    uint32_t values = 0;
    for (uint32_t i = 0; i < places->count; i++) {
        values += !micai_pool_is_hole(pool, micai_batch_at(places, i));
    }
    if (values == places->count && !places->picked &&
        micai_pool_span(pool, places->first) >= places->count) {
        micai_save_values(s->w, "values", type, micai_pool_value(pool, places->first), values);
        return;
    }
    if (hooks) {
        micai_write(s->w, begin_list, "values", values);
    }
    s->size = 0;
    for (uint32_t i = 0; i < places->count; i++) {
        uint32_t place = micai_batch_at(places, i);
        if (micai_pool_is_hole(pool, place)) {
            continue;
        }
        if (hooks) {
            micai_save_by_hook(s, type, micai_pool_value(pool, place));
        } else {
            micai_save_convert(s, type, micai_pool_value(pool, place), 1);
        }
    }
    if (hooks) {
        micai_write(s->w, end, "values");
    } else {
        micai_save_converted(s, type, values);
    }
}

// What comes beside the values, which holes have none of.
static void save_beside(micai_saving *s, const micai_pool *pool, const micai_batch *places)
{
    const mica_type_info *info = &pool->type->info;
    if (info->toggle) {
        unsigned char flags[MICAI_IMAGE_BATCH];
        for (uint32_t i = 0; i < places->count; i++) {
            flags[i] = micai_pool_is_off(pool, micai_batch_at(places, i));
        }
        micai_write(s->w, flags, "disabled", flags, places->count);
    }
    for (uint32_t added = 0; info->row_stamps && added < 2; added++) {
        uint64_t ticks[MICAI_IMAGE_BATCH];
        for (uint32_t i = 0; i < places->count; i++) {
            uint32_t row = micai_batch_at(places, i);
            const micai_ticks own = micai_ticks_get(micai_pool_cell(pool, row));
            ticks[i] = micai_pool_is_hole(pool, row) ? 0 : added ? own.added : own.changed;
        }
        micai_write(s->w, numbers, added ? "added" : "changed", ticks, places->count);
    }
}

static void save_places(micai_saving *s, const micai_pool *pool, const micai_batch *places)
{
    mica_entity entities[MICAI_IMAGE_BATCH];
    for (uint32_t i = 0; i < places->count; i++) {
        uint32_t place = micai_batch_at(places, i);
        entities[i] = micai_pool_is_hole(pool, place)
                          ? mica_entity_none()
                          : micai_save_handle(s, micai_pool_entity(pool, place));
    }
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, number, "count", places->count);
    uint32_t end;
    micai_write(s->w, number, "tick",
                micai_table_tick(&pool->table, pool->column, places->first, &end));
    micai_write(s->w, entities, "entities", entities, places->count);
    if (pool->type->info.size > 0) {
        save_pool_values(s, pool, places);
    }
    save_beside(s, pool, places);
    micai_write(s->w, end, NULL);
}

static bool is_in(const micai_saving *s, const void *of, uint32_t number)
{
    const micai_pool *pool = of;
    return !micai_pool_is_hole(pool, number) &&
           micai_excerpt_has(s->part, micai_pool_entity(pool, number));
}

// The next places that come at once: false, there are none.
static bool next_places(micai_saving *s, const micai_pool *pool, uint32_t most, micai_batch *places)
{
    places->count = 0;
    while (places->next < pool->table.count && places->count == 0) {
        uint32_t count = micai_table_stretch(&pool->table, places->next);
        micai_save_pick(s, pool, count < most ? count : most, is_in, places);
    }
    return places->count > 0;
}

static void save_holes(micai_saving *s, const micai_pool *pool)
{
    uint32_t count = s->part ? 0 : pool->index.hole_count;
    uint32_t hole = pool->index.first_hole;
    micai_write(s->w, begin_list, "holes", count);
    for (uint32_t i = 0; i < count; i++, hole = micai_pool_next_hole(pool, hole)) {
        micai_write(s->w, number, NULL, hole);
    }
    micai_write(s->w, end, "holes");
}

static void save_pool(micai_saving *s, const micai_pool *pool)
{
    uint32_t most = micai_image_rows(pool->type->info.size);
    uint32_t batches = 0;
    for (micai_batch places = {0}; next_places(s, pool, most, &places);) {
        batches++;
    }
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, type, "type", s->w->numbers[pool->type->number]);
    micai_write(s->w, begin_list, "places", batches);
    for (micai_batch places = {0}; !s->w->failed && next_places(s, pool, most, &places);) {
        save_places(s, pool, &places);
    }
    micai_write(s->w, end, "places");
    save_holes(s, pool);
    micai_write(s->w, end, NULL);
}

bool micai_save_has_pool(const micai_saving *s, const micai_pool *pool)
{
    bool has = pool && pool->table.count > 0 && !s->part;
    for (uint32_t place = 0; s->part && pool && place < pool->table.count && !has; place++) {
        has = is_in(s, pool, place);
    }
    return has;
}

// By number of the type, as the schema lists them.
void micai_save_pools(micai_saving *s)
{
    const micai_pools *pools = &s->state->pools;
    uint32_t count = 0;
    for (uint32_t n = 0; n < pools->by_type.count; n++) {
        count += micai_save_has_pool(s, pools->by_type.items[n]);
    }
    micai_write(s->w, begin_section, "pools");
    micai_write(s->w, begin_list, "pools", count);
    for (uint32_t n = 0; n < pools->by_type.count && !s->w->failed; n++) {
        if (micai_save_has_pool(s, pools->by_type.items[n])) {
            save_pool(s, pools->by_type.items[n]);
        }
    }
    micai_write(s->w, end, "pools");
    micai_write(s->w, end_section, "pools");
}

static mica_entity next_in_list(const micai_saving *s, const void *of, uint32_t number,
                                uint32_t *cursor)
{
    (void)s, (void)cursor;
    const micai_pool *list = of;
    return micai_pool_entity(list, number);
}

static void save_group(micai_saving *s, const micai_group *group)
{
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, begin_list, "with", group->needed_count);
    for (uint32_t i = 0; i < group->needed_count; i++) {
        micai_write(s->w, type, NULL, s->w->numbers[group->pools[i]->type->number]);
    }
    micai_write(s->w, end, "with");
    micai_write(s->w, begin_list, "without", group->pool_count - group->needed_count);
    for (uint32_t i = group->needed_count; i < group->pool_count; i++) {
        micai_write(s->w, type, NULL, s->w->numbers[group->pools[i]->type->number]);
    }
    micai_write(s->w, end, "without");
    micai_save_entities(s, "order", group->list, group->list->table.count, next_in_list);
    micai_write(s->w, end, NULL);
}

// Groups are the world's: a part has none.
void micai_save_groups(micai_saving *s)
{
    const micai_handles *groups = &s->state->pools.groups;
    uint32_t count = 0;
    MICAI_FOR_HANDLES(const micai_group, counted, groups)
    {
        count += !s->part && counted->list;
    }
    micai_write(s->w, begin_section, "groups");
    micai_write(s->w, begin_list, "groups", count);
    MICAI_FOR_HANDLES(const micai_group, group, groups)
    {
        if (!s->part && group->list && !s->w->failed) {
            save_group(s, group);
        }
    }
    micai_write(s->w, end, "groups");
    micai_write(s->w, end_section, "groups");
}
