// Despawning: entities of a list, of a table, and all. change.h has the contract.
#include <inttypes.h>
#include <stdlib.h>

#include "base/canary.h"
#include "entity/change.h"
#include "entity/link.h"
#include "store/table/debug_relocate.h"

// Observers of despawns

static void notify_end(mica_world *world, micai_notification *notification, mica_entity entity)
{
    notification->ref = micai_entity_ref_of(world->state, entity);
    if ((micai_notification_watched(world->state, notification->ref) & MICAI_WATCH_BEFORE) != 0) {
        micai_notify(world, notification, MICAI_WATCH_BEFORE);
    }
}

static micai_notification begin_ends(const mica_world *world, const char *call)
{
    micai_notification notification = micai_notification_begin(world, call);
    notification.ends = true;
    return notification;
}

// The entities in rows of tables, each after its dependents. So facets precede their owners.
typedef struct table_endings {
    mica_world *world;
    micai_table *const *tables;
    uint32_t count;
} table_endings;

// Calls a function for each of them until it returns true.
static void visit_endings(const table_endings *endings, bool (*visit)(mica_entity, void *),
                          void *user)
{
    bool over = false;
    for (uint32_t i = 0; !over && i < endings->count; i++) {
        const micai_table *table = endings->tables[i];
        for (uint32_t row = 0; !over && !table->facet && row < table->count; row++) {
            mica_entity entity = micai_table_entity(table, row);
            micai_dependents dependents = {.state = endings->world->state, .owner = entity};
            while (!over && micai_dependents_next(&dependents)) {
                over = visit(dependents.entity, user);
            }
            over = over || visit(entity, user);
        }
    }
}

// Searches for the first of two entities.
typedef struct ending_search {
    mica_entity one, other;
    mica_entity found; // none: neither was found
} ending_search;

static bool find_first(mica_entity entity, void *user)
{
    ending_search *search = user;
    bool found = MICA_EQUAL(entity, search->one) || MICA_EQUAL(entity, search->other);
    search->found = found ? entity : search->found;
    return found;
}

static bool is_in_earlier_row(const micai_state *state, const micai_notification *notification,
                              mica_entity entity)
{
    ending_search search = {.one = entity, .other = notification->ref.entity};
    (void)state;
    visit_endings(notification->peers, find_first, &search);
    return MICA_EQUAL(search.found, entity);
}

typedef struct table_notification {
    mica_world *world;
    micai_notification notification;
} table_notification;

static bool notify_in_table(mica_entity entity, void *user)
{
    table_notification *n = user;
    notify_end(n->world, &n->notification, entity);
    return false;
}

void micai_despawn_notify_tables(mica_world *world, const char *call, micai_table *const *tables,
                                 uint32_t count)
{
    if (world->state->observers == 0) {
        return;
    }
    const table_endings endings = {world, tables, count};
    table_notification n = {world, begin_ends(world, call)};
    n.notification.is_peer = is_in_earlier_row;
    n.notification.peers = &endings;
    visit_endings(&endings, notify_in_table, &n);
}

// An entity that will be despawned, and its place in the list.
typedef struct ending {
    mica_entity entity;
    uint32_t place;
} ending;

// Returns true if an entity precedes that of the notification in the list.
static bool is_listed_before(const micai_state *state, const micai_notification *notification,
                             mica_entity entity)
{
    const ending *one = notification->peers;
    (void)state;
    while (!MICA_EQUAL(one->entity, notification->ref.entity) && !MICA_EQUAL(one->entity, entity)) {
        one++;
    }
    return MICA_EQUAL(one->entity, entity);
}

static int compare_endings(const void *a, const void *b)
{
    const ending *x = a;
    const ending *y = b;
    return x->entity.bits != y->entity.bits ? (x->entity.bits < y->entity.bits ? -1 : 1)
                                            : (x->place > y->place) - (x->place < y->place);
}

static int compare_places(const void *a, const void *b)
{
    const ending *x = a;
    const ending *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

// Returns the number of entities with their facets, including duplicates. Stores them in a list
// unless that is NULL.
static uint32_t list_endings(const micai_state *state, const mica_entity *entities, uint32_t count,
                             ending *list)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        micai_dependents dependents = {.state = state, .owner = entities[i]};
        while (micai_dependents_next(&dependents)) {
            if (list) {
                list[listed] = (ending){dependents.entity, listed};
            }
            listed++;
        }
        if (list) {
            list[listed] = (ending){entities[i], listed};
        }
        listed++;
    }
    return listed;
}

// Removes duplicates, keeping the first of each.
static uint32_t drop_repeated(ending *list, uint32_t count)
{
    uint32_t kept = 0;
    qsort(list, count, sizeof *list, compare_endings);
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || list[kept - 1].entity.bits != list[i].entity.bits) {
            list[kept++] = list[i];
        }
    }
    qsort(list, kept, sizeof *list, compare_places);
    return kept;
}

// Returns all entities to despawn, each once, facets before their owners. Returns NULL on
// MICA_ERROR_MEMORY. `alone` holds a single entity and needs no allocation.
static ending *find_endings(mica_world *world, const mica_entity *entities, uint32_t count,
                            ending *alone, uint32_t *count_out)
{
    uint32_t listed = list_endings(world->state, entities, count, NULL);
    ending *list = listed == 1 ? alone
                               : micai_arena_alloc_array(&world->host, &world->scratch, listed,
                                                         sizeof *list, _Alignof(ending));
    if (list) {
        list_endings(world->state, entities, count, list);
        *count_out = count > 1 ? drop_repeated(list, listed) : listed;
    }
    return list;
}

static mica_result notify_ends(mica_world *world, const char *call, const mica_entity *entities,
                               uint32_t count)
{
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    ending alone;
    uint32_t listed = 0;
    const ending *list = find_endings(world, entities, count, &alone, &listed);
    micai_notification notification = begin_ends(world, call);
    notification.is_peer = is_listed_before;
    notification.peers = list;
    for (uint32_t i = 0; i < listed; i++) {
        notify_end(world, &notification, list[i].entity);
    }
    micai_arena_rewind(&world->scratch, mark);
    return list ? MICA_OK : MICA_ERROR_MEMORY;
}

static void end_entity(mica_world *world, mica_entity entity)
{
    micai_state *state = world->state;
    for (;;) {
        micai_dependents dependents = {.state = state, .owner = entity};
        if (MICAI_CANARY("entity.dead_owner") || !micai_dependents_next(&dependents)) {
            break;
        }
        micai_change_drop_row(world, micai_entity_ref_of(state, dependents.entity));
    }
    micai_change_drop_row(world, micai_entity_ref_of(state, entity));
}

// Entities with links to them

static bool has_sources(const micai_state *state, const mica_entity *entities, uint32_t count)
{
    const micai_links *links = state->pools.links;
    bool has = false;
    if (!links || links->count == 0) {
        return false;
    }
    for (uint32_t i = 0; !has && i < count; i++) {
        micai_dependents dependents = {.state = state, .owner = entities[i]};
        has = links->ops->has_sources(links, entities[i]);
        while (!has && micai_dependents_next(&dependents)) {
            has = links->ops->has_sources(links, dependents.entity);
        }
    }
    return has;
}

// Lists the dead for notifications, if there are observers, and reserves these for links of others.
static mica_result reserve_deaths(mica_world *world, const char *call, const micai_deaths *deaths,
                                  ending **list_out, uint64_t **matched_out)
{
    mica_result result = MICA_OK;
    *list_out = NULL;
    *matched_out = NULL;
    if (world->state->observers > 0) {
        micai_host_begin(&world->host, call);
        *list_out = micai_arena_alloc_array(&world->host, &world->scratch, deaths->count,
                                            sizeof **list_out, _Alignof(ending));
        result = *list_out ? micai_notification_reserve(world, 1, matched_out) : MICA_ERROR_MEMORY;
        micai_host_end(&world->host);
    }
    for (uint32_t i = 0; *list_out && i < deaths->count; i++) {
        (*list_out)[i] = (ending){deaths->entities[i], i};
    }
    return result;
}

static void notify_deaths(mica_world *world, const char *call, const ending *list, uint32_t count)
{
    micai_notification notification = begin_ends(world, call);
    notification.is_peer = is_listed_before;
    notification.peers = list;
    for (uint32_t i = 0; i < count; i++) {
        notify_end(world, &notification, list[i].entity);
    }
}

// Despawns entities with everything that relations despawn with them.
static mica_result despawn_linked(mica_world *world, const char *call, const mica_entity *entities,
                                  uint32_t count)
{
    micai_state *state = world->state;
    const micai_links_ops *ops = state->pools.links->ops;
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    micai_deaths deaths = {0};
    ending *list = NULL;
    uint64_t *matched = NULL;
    mica_result result = ops->collect(world, call, entities, count, &deaths);
    result = result ? result : reserve_deaths(world, call, &deaths, &list, &matched);
    if (!result) {
        ops->sever(world, call, matched);
        if (list) {
            notify_deaths(world, call, list, deaths.count);
        }
        for (uint32_t i = 0; i < deaths.count; i++) {
            micai_change_drop_row(world, micai_entity_ref_of(state, deaths.entities[i]));
        }
        micai_store_compact_rings(&state->store, deaths.count);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

mica_result micai_despawn_many(mica_world *world, const char *call, const mica_entity *entities,
                               uint32_t count)
{
    micai_state *state = world->state;
    if (has_sources(state, entities, count)) {
        return despawn_linked(world, call, entities, count);
    }
    mica_result result = state->observers > 0 ? notify_ends(world, call, entities, count) : MICA_OK;
    for (uint32_t i = 0; !result && i < count; i++) {
        // A duplicate has been despawned already, and so may a facet.
        if (micai_slots_find(&state->slots, entities[i])) {
            end_entity(world, entities[i]);
        }
    }
    if (!result && count > 1) {
        micai_store_compact_rings(&state->store, count);
    }
    return result;
}

mica_result micai_change_validate(mica_world *world)
{
    bool known = micai_watch_is_right(world->state);
    uint32_t side_tables_in_use =
        micai_sides_count_used(world->state) + (uint32_t)(known && world->state->pools_watched > 0);
    if (!known || side_tables_in_use != world->state->side_tables_in_use) {
        return micai_fail_invariant(&world->host, "W6",
                                    "there are %" PRIu32 " side tables in use, not %" PRIu32,
                                    side_tables_in_use, world->state->side_tables_in_use);
    }
    return micai_change_keeps_promise(world)
               ? MICA_OK
               : micai_fail_invariant(&world->host, "W7",
                                      "scratch memory was promised and is not there");
}
