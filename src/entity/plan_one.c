// The plan of one type that is observed and comes to an entity or goes from it, in a hurry. plan.h has
// the contract.
//
// Where nothing has to be made or reserved, what is left of the plan is to tell and to move bytes, as the
// short cuts do for those that nobody observes.
#include "entity/plan.h"

#include "base/canary.h"

// Pools

// The entry of an entity that can join a pool at once, or leave it, though that is watched; NULL: it
// cannot.
static inline uint32_t *find_entry(const mica_world *world, const micai_pool *pool,
                                   mica_entity entity, bool there)
{
    bool may = pool->bare && !pool->plain && world->busy == 0;
    return micai_pool_ready_if(pool, may, mica_entity_slot(entity), there);
}

static inline void *join(mica_world *world, micai_pool *pool, uint32_t *entry, mica_entity entity,
                         const void *data)
{
    micai_pool_add_bytes(&world->state->pools, pool, entry, entity, data, world->view.tick);
    return micai_pool_value(pool, *entry - 1);
}

static inline void leave(mica_world *world, micai_pool *pool, uint32_t *entry, uint32_t slot)
{
    micai_pool_remove_bytes(&world->state->pools, pool, entry, slot, world->view.tick);
}

bool micai_plan_join(mica_world *world, const char *call, micai_pool *pool, mica_entity entity,
                     const void *data, bool given)
{
    const micai_type *type = pool->type;
    uint32_t *entry = find_entry(world, pool, entity, false);
    if (!entry || micai_watches(type, MICAI_WATCH_MATCHES)) {
        return false;
    }
    const void *value = join(world, pool, entry, entity, data);
    micai_tidings_tell_come(world, call, entity, type, value, given);
    return true;
}

bool micai_plan_leave(mica_world *world, const char *call, micai_pool *pool, mica_entity entity)
{
    const micai_type *type = pool->type;
    uint32_t *entry = find_entry(world, pool, entity, true);
    if (!entry || micai_watches(type, MICAI_WATCH_MATCHES)) {
        return false;
    }
    const void *value = micai_pool_value(pool, *entry - 1);
    micai_tidings_tell_one(world, call, entity, type, MICA_ON_REMOVE, value);
    leave(world, pool, entry, mica_entity_slot(entity));
    return true;
}

// Short cuts

mica_result micai_plan_go(mica_world *world, const char *call, const micai_edge *edge,
                          mica_entity entity, micai_record *record, const void *data)
{
    micai_store *store = &world->state->store;
    const micai_type *type = world->state->registry.list.items[edge->key >> 1];
    const micai_living who = {entity, record};
    bool remove = edge->key & 1;
    if (remove && micai_watches(type, MICA_ON_REMOVE)) {
        micai_tidings_tell_one(world, call, entity, type, MICA_ON_REMOVE,
                               micai_value_look_at(world->state, who, type));
    } else if (!remove && micai_edge_fills(edge)) {
        micai_row_fill_value(store, micai_row_raw(edge->target), edge->fill,
                             data ? data : type->info.default_value);
    }
    micai_row_move(store, edge, micai_row_of(store, record), record, world->view.tick);
    if (!remove && micai_watches(type, MICA_ON_ADD | MICA_ON_SET)) {
        micai_tidings_tell_come(world, call, entity, type,
                                micai_value_look_at(world->state, who, type), data != NULL);
    }
    return micai_world_finish(world, call, MICA_OK);
}

// Anything else

typedef struct hurry {
    mica_world *world;
    const char *call;
    const micai_type *type;
    micai_living who;
    const void *data; // what comes; NULL: zeroes
    bool remove;
    bool given;             // the data is, by the caller
    micai_tidings *tidings; // for those who observe queries; NULL: none does
} hurry;

static const void *look_at(const hurry *h)
{
    return micai_value_look_at(h->world->state, h->who, h->type);
}

static void tell_before(const hurry *h)
{
    if (h->tidings) {
        micai_tidings_tell(h->world, h->tidings, MICAI_WATCH_BEFORE);
    } else if (h->remove && micai_watches(h->type, MICA_ON_REMOVE)) {
        micai_tidings_tell_one(h->world, h->call, h->who.entity, h->type, MICA_ON_REMOVE,
                               look_at(h));
    }
}

static void tell_after(const hurry *h)
{
    if (h->tidings) {
        micai_tidings_tell(h->world, h->tidings, MICAI_WATCH_AFTER);
    } else if (!h->remove && micai_watches(h->type, MICA_ON_ADD | MICA_ON_SET)) {
        micai_tidings_tell_come(h->world, h->call, h->who.entity, h->type, look_at(h), h->given);
    }
}

static bool go_by_pool(const hurry *h)
{
    mica_entity entity = h->who.entity;
    micai_pool *pool = micai_pools_find(&h->world->state->pools, h->type->info.type);
    uint32_t *entry = pool ? find_entry(h->world, pool, entity, h->remove) : NULL;
    if (!entry) {
        return false;
    }
    tell_before(h);
    if (h->remove) {
        leave(h->world, pool, entry, mica_entity_slot(entity));
    } else {
        join(h->world, pool, entry, entity, h->data);
    }
    tell_after(h);
    return true;
}

static bool go_by_table(const hurry *h, micai_record *record)
{
    micai_store *store = &h->world->state->store;
    micai_edge *edge = micai_edge_look(store, micai_row_table(micai_row_of(store, record)),
                                       h->type->number, h->remove);
    if (!edge) {
        return false;
    }
    if (!h->tidings) {
        micai_edge_remember(store, edge);
    }
    tell_before(h);
    if (micai_edge_fills(edge)) {
        micai_row_fill_value(store, micai_row_raw(edge->target), edge->fill, h->data);
    }
    micai_row_move(store, edge, micai_row_of(store, record), record, h->world->view.tick);
    tell_after(h);
    return true;
}

static bool go(const hurry *h, micai_record *record)
{
    return micai_pool_keeps(h->type) ? go_by_pool(h) : go_by_table(h, record);
}

// With observers of queries.
static bool go_and_match(hurry *h, micai_record *record)
{
    uint64_t matched[1] = {0};
    micai_tidings tidings = micai_tidings_begin(h->world, h->call);
    if (h->world->state->matchers > 64) {
        return false;
    }
    tidings.who = h->who;
    tidings.one = h->type;
    tidings.comes = !h->remove;
    tidings.goes = h->remove;
    tidings.given = h->given;
    tidings.matched = matched;
    h->tidings = &tidings;
    bool gone = go(h, record);
    h->tidings = NULL;
    return gone;
}

// The type of a handle, if it is observed and the world may be changed; NULL otherwise.
static const micai_type *find_watched(const mica_world *world, mica_type type)
{
    const micai_type *found =
        world && world->busy == 0 ? micai_registry_find(&world->state->registry, type) : NULL;
    return found && micai_watches(found, MICAI_WATCH_CHANGES) ? found : NULL;
}

bool micai_plan_one(mica_world *world, const char *call, mica_entity entity, mica_type type,
                    const void *data, uint64_t size, bool remove)
{
    const micai_type *found = find_watched(world, type);
    micai_record *record = found ? micai_slots_find(&world->state->slots, entity) : NULL;
    const micai_living who = {entity, record};
    if (!record || (data && (size != found->info.size || size == 0)) ||
        !micai_hook_has_none(found) || micai_value_has(world->state, who, found) != remove) {
        return false;
    }
    hurry h = {.world = world,
               .call = call,
               .type = found,
               .who = who,
               .data = data ? data : found->info.default_value,
               .remove = remove,
               .given = data != NULL};
    bool done =
        micai_watches(found, MICAI_WATCH_MATCHES) ? go_and_match(&h, record) : go(&h, record);
    return done;
}
