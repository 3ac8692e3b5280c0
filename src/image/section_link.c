// The links of relations: their values are in pools, and the section "groups" has the order of
// sources. section_internal.h has the contract.
//
//   relations    each: its type; its sources, those of each target in their order
//
// Sources that the list does not have come last. So images of version 3, and those that were
// changed by hand, load as well.
#include <string.h>

#include "base/canary.h"
#include "image/remap_internal.h"
#include "image/section_internal.h"

// Saving

// A relation of which some links are saved.
typedef struct relation_cursor {
    const micai_saving *s;
    const micai_pool *pool;
    mica_entity next; // the next source to save, or none
} relation_cursor;

// Moves to the next source that is saved.
static void find_source(relation_cursor *cursor)
{
    const micai_links *links = cursor->s->state->pools.links;
    do {
        cursor->next = links->ops->next(links, cursor->pool->relation, cursor->next);
    } while (!MICA_IS_NONE(cursor->next) && cursor->s->subset &&
             !micai_selection_has(cursor->s->subset, cursor->next));
}

static uint32_t count_sources(relation_cursor cursor)
{
    uint32_t count = 0;
    for (find_source(&cursor); !MICA_IS_NONE(cursor.next); find_source(&cursor)) {
        count++;
    }
    return count;
}

static void *next_relation(const micai_saving *s, uint32_t *number)
{
    while (*number < s->state->pools.by_type.count) {
        micai_pool *pool = s->state->pools.by_type.items[(*number)++];
        if (pool && pool->relation && count_sources((relation_cursor){s, pool, {0}}) > 0) {
            return pool;
        }
    }
    return NULL;
}

// Loading

static void add_sources(micai_loading *l, micai_link_order *order, const mica_entity *entities,
                        uint32_t count)
{
    const micai_slots *slots = &l->stage.state->slots;
    if (!micai_array_reserve(l->r->host, &order->sources, count)) {
        micai_archive_fail_memory(l->r);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!micai_slots_find(slots, entities[i])) {
            micai_load_fail(l, "an entity that does not exist has a link");
            return;
        }
        order->sources.items[order->sources.count++] = entities[i];
    }
}

static void serialize_batch(micai_archive *a, void *user, mica_entity *entities, uint32_t count)
{
    micai_loading *l = micai_loading_of(a);
    if (l) {
        add_sources(l, user, entities, count);
        return;
    }
    relation_cursor *cursor = user;
    for (uint32_t i = 0; i < count; i++) {
        find_source(cursor);
        entities[i] = micai_save_handle(cursor->s, cursor->next);
    }
}

// Adds an order to those that were loaded.
static micai_link_order *add_order(micai_loading *l, const micai_type *type)
{
    if (!micai_array_reserve(l->r->host, &l->orders, 1)) {
        micai_archive_fail_memory(l->r);
        return NULL;
    }
    micai_link_order *order = &l->orders.items[l->orders.count++];
    *order = (micai_link_order){.type = type};
    return order;
}

static void serialize_relation(micai_archive *a, void *item, void *user)
{
    const micai_pool *pool = item;
    micai_loading *l = micai_loading_of(a);
    uint32_t number = pool ? a->numbers[pool->type->number] : 0;
    (void)user;
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, type, "type", &number);
    if (l) {
        micai_link_order *order = a->failed ? NULL : add_order(l, a->types[number]);
        if (order) {
            micai_serialize_entities(a, "sources", 0, serialize_batch, order);
        }
    } else {
        relation_cursor cursor = {micai_saving_of(a), pool, {0}};
        micai_serialize_entities(a, "sources", count_sources(cursor), serialize_batch, &cursor);
    }
    micai_serialize(a, end, NULL);
}

void micai_serialize_links(micai_archive *a)
{
    if (a->reading && a->version < 4) {
        return;
    }
    micai_serialize_list(a, "relations", a->schema->count, next_relation, serialize_relation, NULL);
}

// The relations of this world

#define FOR_RELATIONS(type, l)                                                                     \
    for (uint32_t n_ = 0; (l)->state->pools.links && n_ < (l)->state->registry.list.count; n_++)   \
        for (const micai_type *type = (l)->state->registry.list.items[n_]; type && type->relation; \
             type = NULL)

static void check_type(micai_loading *l, const micai_type *type)
{
    micai_link_fault fault;
    const micai_links *links = l->state->pools.links;
    mica_result result =
        links->ops->check(l->world, l->stage.state, type, l->merges ? MICAI_REMAP_MARK : 0, &fault);
    if (result) {
        micai_archive_fail_memory(l->r);
    } else if (fault.what) {
        char source[MICA_ENTITY_TEXT_SIZE];
        char target[MICA_ENTITY_TEXT_SIZE];
        micai_archive_fail(l->r, MICA_ERROR_IMAGE,
                           "the image is damaged: '%.80s' of entity %s %s %s", type->info.name,
                           mica_entity_text(fault.source, source), fault.what,
                           mica_entity_text(fault.target, target));
    }
}

void micai_links_check_loaded(micai_loading *l)
{
    FOR_RELATIONS(type, l)
    {
        if (!l->r->failed) {
            check_type(l, type);
        }
    }
}

static mica_result reserve_type(micai_loading *l, const micai_type *type)
{
    micai_links *links = l->state->pools.links;
    const micai_pool *pool = micai_pools_find(&l->stage.state->pools, type->info.type);
    uint32_t count = pool ? pool->table.count : 0;
    mica_result result =
        count > 0 ? links->ops->reserve_seats(links, type->relation, count) : MICA_OK;
    for (uint32_t row = 0; !result && row < count; row++) {
        mica_entity target;
        memcpy(&target, micai_pool_value(pool, row), sizeof target);
        uint32_t source = mica_entity_slot(micai_pool_entity(pool, row));
        result = links->ops->reserve_slot(links, type->relation, source);
        result = result ? result
                        : links->ops->reserve_slot(links, type->relation, mica_entity_slot(target));
    }
    return result;
}

mica_result micai_links_reserve_loaded(micai_loading *l)
{
    mica_result result = MICA_OK;
    FOR_RELATIONS(type, l)
    {
        result = result ? result : reserve_type(l, type);
    }
    return result;
}

void micai_links_begin_loaded(micai_loading *l)
{
    micai_links *links = l->state->pools.links;
    if (links) {
        links->ops->suspend(links);
    }
    FOR_RELATIONS(type, l)
    {
        links->ops->clear(links, type->relation);
    }
}

void micai_links_end_loaded(micai_loading *l)
{
    micai_links *links = l->state->pools.links;
    for (uint32_t i = 0; i < l->orders.count; i++) {
        const micai_link_order *order = &l->orders.items[i];
        bool known = order->type && order->type->relation && !MICAI_CANARY("image.link_order");
        for (uint32_t s = 0; known && s < order->sources.count; s++) {
            (void)links->ops->seat(links, order->type->relation, order->sources.items[s]);
        }
    }
    FOR_RELATIONS(type, l)
    {
        const micai_pool *pool = micai_pools_find(&l->state->pools, type->info.type);
        for (uint32_t row = 0; row < pool->table.count; row++) {
            (void)links->ops->seat(links, type->relation, micai_pool_entity(pool, row));
        }
    }
    if (links) {
        links->ops->follow(links);
    }
}

void micai_links_free_loaded(micai_loading *l)
{
    for (uint32_t i = 0; i < l->orders.count; i++) {
        micai_array_free(&l->world->host, &l->orders.items[i].sources);
    }
    micai_array_free(&l->world->host, &l->orders);
}
