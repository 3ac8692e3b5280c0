// Links: rows of relations. link.h has the contract.
#include "entity/link.h"

#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "entity/locate.h"
#include "entity/notify.h"

static micai_pool *pool_of(const micai_state *state, const micai_type *type)
{
    return micai_pools_find(&state->pools, type->info.type);
}

mica_entity micai_link_target(const micai_state *state, const micai_type *type, mica_entity source)
{
    const micai_pool *pool = pool_of(state, type);
    const uint32_t *entry = pool ? micai_pool_find(pool, source) : NULL;
    mica_entity target = {0};
    if (entry) {
        memcpy(&target, micai_pool_value(pool, *entry - 1), sizeof target);
    }
    return target;
}

// Returns true if rows are plain bytes beside their seats.
static bool is_plain(const micai_state *state, const micai_pool *pool)
{
    return micai_pool_admits(pool, MICAI_FAST_PLAIN) && !state->store.relocate_always;
}

// Not inline, because the compiler would warn of sizes that links do not have.
MICAI_NOINLINE static void add_bytes(mica_world *world, micai_pool *pool, uint32_t *entry,
                                     mica_entity source, const void *target)
{
    micai_pool_add_fast(&world->state->pools, pool, entry, source, target, world->view.tick);
}

// Adds a row that nobody observes.
static mica_result add_row(mica_world *world, micai_pool *pool, mica_entity source,
                           mica_entity target)
{
    micai_pools *pools = &world->state->pools;
    uint32_t *entry =
        micai_pool_ready_if(pool, is_plain(world->state, pool), mica_entity_slot(source), false);
    if (entry) {
        add_bytes(world, pool, entry, source, &target);
        pools->links->ops->add(pools->links, pool->relation, source, target);
        return MICA_OK;
    }
    mica_result result = micai_pool_reserve_slot(pools, pool, mica_entity_slot(source));
    result = result ? result : micai_pool_reserve(pools, pool, 1);
    if (!result) {
        uint32_t row = micai_pool_next(pool);
        memcpy(micai_pool_value(pool, row), &target, sizeof target);
        pools->functions->add(pools, pool, row, source, world->view.tick);
        micai_pool_relocate(pools, pool);
    }
    return result;
}

static void change_row(mica_world *world, micai_pool *pool, uint32_t row, mica_entity target)
{
    micai_links *links = world->state->pools.links;
    links->ops->replace(links, pool->relation, micai_pool_entity(pool, row), target);
    memcpy(micai_pool_value(pool, row), &target, sizeof target);
    micai_pool_touch(pool, row, world->view.tick);
}

// Returns the pool of a relation if nobody observes its links.
static micai_pool *find_silent(const micai_state *state, const micai_type *type)
{
    enum { SILENT = MICAI_FAST_UNOBSERVED | MICAI_FAST_UNMATCHED };
    micai_pool *pool = pool_of(state, type);
    return pool && micai_pool_admits(pool, SILENT) ? pool : NULL;
}

mica_result micai_link_set(mica_world *world, const char *call, mica_entity source,
                           const micai_type *type, mica_entity target)
{
    micai_pool *pool = find_silent(world->state, type);
    if (!pool) {
        return mica_set_value(world, source, type->info.type, &target, sizeof target);
    }
    const uint32_t *entry = micai_pool_find(pool, source);
    if (entry) {
        change_row(world, pool, *entry - 1, target);
        return MICA_OK;
    }
    micai_host_begin(&world->host, call);
    mica_result result = add_row(world, pool, source, target);
    micai_host_end(&world->host);
    return result;
}

void micai_link_drop(mica_world *world, mica_entity source, const micai_type *type)
{
    micai_pools *pools = &world->state->pools;
    micai_pool *pool = pool_of(world->state, type);
    if (is_plain(world->state, pool)) {
        uint32_t slot = mica_entity_slot(source);
        pools->links->ops->remove(pools->links, pool->relation, source);
        micai_pool_remove_fast(pools, pool, micai_index_at(&pool->index, slot), slot,
                               world->view.tick);
        return;
    }
    pools->functions->remove(pools, pool, mica_entity_slot(source), world->view.tick);
    micai_pool_relocate(pools, pool);
}

mica_result micai_link_remove(mica_world *world, mica_entity source, const micai_type *type)
{
    if (!find_silent(world->state, type)) {
        return mica_remove(world, source, type->info.type);
    }
    micai_link_drop(world, source, type);
    return MICA_OK;
}

void micai_link_sever(mica_world *world, const char *call, mica_entity source,
                      const micai_type *type, uint64_t *matched)
{
    bool observed = world->state->observers > 0 && micai_type_is_watched(type, MICAI_WATCH_CHANGES);
    micai_notification notification = {0};
    if (observed && !MICAI_CANARY("entity.silent_link")) {
        notification = micai_notification_begin(world, call);
        notification.ref = micai_entity_ref_of(world->state, source);
        notification.one = type;
        notification.goes = true;
        notification.matched = matched;
        if (matched) {
            memset(matched, 0, micai_notification_words(world->state) * sizeof *matched);
        }
        micai_notify(world, &notification, MICAI_WATCH_BEFORE);
    }
    micai_link_drop(world, source, type);
    if (observed) {
        micai_notify(world, &notification, MICAI_WATCH_AFTER);
    }
}

void micai_link_lift(mica_world *world, const char *call, mica_entity source,
                     const micai_type *type, mica_entity target)
{
    micai_pool *pool = pool_of(world->state, type);
    change_row(world, pool, micai_pool_row(pool, mica_entity_slot(source)), target);
    const micai_entity_ref ref = micai_entity_ref_of(world->state, source);
    micai_notify_one(world, call, source, type, MICA_ON_SET,
                     micai_value_look_at(world->state, ref, type));
}
