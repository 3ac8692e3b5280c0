// Tidings. tidings.h has the contract.
#include "entity/notify.h"

#include <stdlib.h>

#include "base/canary.h"

micai_tidings micai_tidings_begin(const mica_world *world, const char *call)
{
    return (micai_tidings){.call = call, .made = world->state->observers_made};
}

void micai_tidings_tell(mica_world *world, micai_tidings *tidings, uint32_t kinds)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_OBSERVER];
    if (module->data) {
        module->tell(world, module->data, tidings, kinds);
    }
}

// Telling of one type

MICAI_APART static void tell_several(mica_world *world, const micai_tiding *news, uint32_t what)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_OBSERVER];
    module->tell_one(world, module->data, news, what);
}

void micai_tidings_tell_one(mica_world *world, const char *call, mica_entity entity,
                            const micai_type *type, uint32_t what, const void *value)
{
    if (!micai_watches(type, what)) {
        return;
    }
    micai_ear *ear = world->busy == 0 ? micai_tidings_find_alone(world, type, what) : NULL;
    if (ear) {
        micai_tidings_tell_alone(world, call, ear, entity, what, value);
        return;
    }
    const micai_tiding news = {call, entity, type, value, world->state->observers_made};
    tell_several(world, &news, what);
}

// What was watched before anybody was told is told: those who are may make others, and free others. If one of them has
// set the value, which notes it, that is not told twice.
void micai_tidings_tell_come(mica_world *world, const char *call, mica_entity entity,
                             const micai_type *type, const void *value, bool given)
{
    micai_tiding news = {call, entity, type, value, world->state->observers_made};
    bool set = given && micai_watches(type, MICA_ON_SET);
    if (MICAI_CANARY("entity.set_late")) {
        news.made = UINT64_MAX;
    }
    micai_tidings_tell_one(world, call, entity, type, MICA_ON_ADD, value);
    if (set && world->state->observers_made == news.made && !world->state->owing) {
        micai_tidings_tell_one(world, call, entity, type, MICA_ON_SET, value);
    } else if (set) {
        tell_several(world, &news, MICA_ON_SET);
    }
}

mica_result micai_tidings_end_come_slowly(mica_world *world, const char *call, mica_entity entity,
                                          const micai_type *type, const void *value, bool given)
{
    micai_tidings_tell_come(world, call, entity, type, value, given);
    return micai_world_finish(world, call, MICA_OK);
}

// It is still being told, for the sentence.
void micai_tidings_end_left(mica_world *world, const char *call, uint32_t walks)
{
    micai_state *state = world->state;
    while (state->walks.count > walks) {
        micai_walk_leave(state->walks.newest);
        micai_walk_close(&state->walks, &state->gate, state->walks.newest);
    }
    const char *name = state->observer ? state->observer->name : NULL;
    micai_fail(&world->host, MICA_ERROR_ITERATING,
               "%s: %s%.80s%s left an iteration open; mica_iter_end ends one", call,
               name ? "observer '" : "an observer", name ? name : "", name ? "'" : "");
}

void micai_tidings_clear_up(mica_world *world, const char *call)
{
    if (world->state->walks.count > 0) {
        micai_tidings_end_left(world, call, 0);
    }
    if (world->state->waiting) {
        world->state->owing = true;
    }
}

// What it is about

static bool holds(const mica_types *set, const micai_type *type)
{
    return set && micai_types_has(set, type->number);
}

static bool comes(const micai_tidings *tidings, const micai_type *type)
{
    return (tidings->one == type && tidings->comes) || holds(tidings->more, type);
}

static bool goes(const micai_tidings *tidings, const micai_type *type)
{
    return (tidings->one == type && tidings->goes) || holds(tidings->less, type);
}

bool micai_tidings_has(const micai_state *state, const micai_tidings *tidings,
                       const micai_type *type, bool after)
{
    if (after && (comes(tidings, type) || goes(tidings, type))) {
        return comes(tidings, type);
    }
    return micai_value_has(state, tidings->who, type);
}

bool micai_tidings_is_on(const micai_state *state, const micai_tidings *tidings,
                         const micai_type *type, bool after)
{
    bool flips = after && holds(tidings->flips, type);
    if (MICAI_CANARY("entity.flips")) {
        flips = false;
    }
    if (after && (comes(tidings, type) || goes(tidings, type))) {
        return comes(tidings, type) && !flips;
    }
    return after && tidings->toggled == type
               ? !tidings->off
               : micai_value_is_on(state, tidings->who, type) != flips;
}

// Of another entity of the same call it is known that the only type, or everything it has, is added or removed.
bool micai_tidings_holds_back(const micai_state *state, const micai_tidings *tidings,
                              mica_entity entity, const micai_type *type)
{
    bool whole = tidings->after ? tidings->spawns : tidings->ends;
    if (!mica_entity_equal(entity, tidings->who.entity)) {
        bool alone = !tidings->is_peer || (!whole && tidings->one != type);
        if (MICAI_CANARY("entity.peers")) {
            alone = true;
        }
        return !alone && tidings->is_peer(state, tidings, entity);
    }
    bool moves = whole || (tidings->after ? comes(tidings, type) : goes(tidings, type));
    return moves && (type->number < tidings->next_type) != tidings->after;
}

bool micai_tidings_is_row_behind(const micai_state *state, const micai_tidings *tidings,
                                 mica_entity entity)
{
    const micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(entity));
    micai_row row = micai_row_of(&state->store, record);
    micai_row now = micai_row_of(&state->store, tidings->who.record);
    return micai_row_table(row) == micai_row_table(now) &&
           micai_row_number(row) > micai_row_number(now);
}

bool micai_tidings_is_listed(const micai_state *state, const micai_tidings *tidings,
                             mica_entity entity)
{
    const micai_listed_peers *peers = tidings->peers;
    bool passed = false;
    (void)state;
    for (uint32_t i = 0; i < peers->count; i++) {
        if (mica_entity_equal(peers->entities[i], entity)) {
            return passed == tidings->after && (!peers->count_in || peers->count_in[i]);
        }
        passed = passed || mica_entity_equal(peers->entities[i], tidings->who.entity);
    }
    return false;
}

mica_result micai_tidings_reserve(mica_world *world, uint32_t count, uint64_t **matched_out)
{
    uint32_t words = micai_tidings_words(world->state);
    *matched_out = NULL;
    if (words == 0) {
        return MICA_OK;
    }
    *matched_out = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                           words * sizeof **matched_out, _Alignof(uint64_t));
    return *matched_out ? MICA_OK : MICA_ERROR_MEMORY;
}

uint32_t micai_tidings_watched(const micai_state *state, micai_living who)
{
    uint32_t watched = state->registry.watched;
    for (uint32_t n = micai_value_next(state, who, 0); n != MICAI_BITS_END;
         n = micai_value_next(state, who, n + 1)) {
        watched |= state->registry.list.items[n]->watched;
    }
    return watched;
}

mica_result micai_tidings_reserve_sets(mica_world *world, const char *call, uint32_t count)
{
    const micai_state *state = world->state;
    if (state->telling == 0) {
        return MICA_OK;
    }
    if (state->telling < MICA_OBSERVER_DEPTH) {
        const micai_module *module = &state->modules[MICAI_MODULE_OBSERVER];
        micai_host_begin(&world->host, call);
        mica_result result = module->reserve(world, module->data, count);
        micai_host_end(&world->host);
        return result;
    }
    const char *name = state->observer ? state->observer->name : NULL;
    return micai_fail(&world->host, MICA_ERROR_LIMIT,
                      "%s: refused inside %s%.80s%s: %d observers are being told, each of what the "
                      "one before it has set",
                      call, name ? "observer '" : "an observer", name ? name : "", name ? "'" : "",
                      MICA_OBSERVER_DEPTH);
}

// Observers of ends

static void tell_end(mica_world *world, micai_tidings *tidings, mica_entity entity)
{
    tidings->who =
        (micai_living){entity, micai_slots_at(&world->state->slots, mica_entity_slot(entity))};
    if ((micai_tidings_watched(world->state, tidings->who) & MICAI_WATCH_BEFORE) != 0) {
        micai_tidings_tell(world, tidings, MICAI_WATCH_BEFORE);
    }
}

static micai_tidings begin_ends(const mica_world *world, const char *call)
{
    micai_tidings tidings = micai_tidings_begin(world, call);
    tidings.ends = true;
    return tidings;
}

// The entities in rows of tables, each after its dependents: facets come with their owners.
typedef struct table_endings {
    mica_world *world;
    micai_table *const *tables;
    uint32_t count;
} table_endings;

// Calls a function with each of them, until it returns true.
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

// Which of two comes first?
typedef struct ending_search {
    mica_entity one, other;
    mica_entity found; // none: neither
} ending_search;

static bool find_first(mica_entity entity, void *user)
{
    ending_search *search = user;
    bool found = mica_entity_equal(entity, search->one) || mica_entity_equal(entity, search->other);
    search->found = found ? entity : search->found;
    return found;
}

static bool is_in_earlier_row(const micai_state *state, const micai_tidings *tidings,
                              mica_entity entity)
{
    ending_search search = {.one = entity, .other = tidings->who.entity};
    (void)state;
    visit_endings(tidings->peers, find_first, &search);
    return mica_entity_equal(search.found, entity);
}

typedef struct table_notification {
    mica_world *world;
    micai_tidings tidings;
} table_notification;

static bool notify_of_end(mica_entity entity, void *user)
{
    table_notification *n = user;
    tell_end(n->world, &n->tidings, entity);
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
    n.tidings.is_peer = is_in_earlier_row;
    n.tidings.peers = &endings;
    visit_endings(&endings, notify_of_end, &n);
}

// An entity in a list of those that end, and its place there.
typedef struct ending {
    mica_entity entity;
    uint32_t place;
} ending;

// Does it stand in the list before that of which observers are notified?
static bool is_listed_before(const micai_state *state, const micai_tidings *tidings,
                             mica_entity entity)
{
    const ending *one = tidings->peers;
    (void)state;
    while (!mica_entity_equal(one->entity, tidings->who.entity) &&
           !mica_entity_equal(one->entity, entity)) {
        one++;
    }
    return mica_entity_equal(one->entity, entity);
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

// How many there are with their facets, those that are listed twice counted twice; puts them into a
// list, unless that is NULL.
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

// Leaves each in the list once, where it came first.
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

// All who will end, each once, facets before their owners. NULL: MICA_ERROR_MEMORY, which `alone` is
// not asked for.
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

mica_result micai_despawn_notify_list(mica_world *world, const char *call,
                                      const mica_entity *entities, uint32_t count)
{
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    ending alone;
    uint32_t listed = 0;
    const ending *list = find_endings(world, entities, count, &alone, &listed);
    micai_tidings tidings = begin_ends(world, call);
    tidings.is_peer = is_listed_before;
    tidings.peers = list;
    for (uint32_t i = 0; i < listed; i++) {
        tell_end(world, &tidings, list[i].entity);
    }
    micai_arena_rewind(&world->scratch, mark);
    return list ? MICA_OK : MICA_ERROR_MEMORY;
}
