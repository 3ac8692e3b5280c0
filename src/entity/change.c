// Changes of one entity: working out, reserving, committing. change.h has the contract; change_many.c does the same for
// many entities at once, and despawns them; change_reserve.c keeps promises of capacity.
#include "entity/change.h"

#include <stddef.h>
#include <string.h>

#include "base/canary.h"
#include "entity/bundle.h"
#include "entity/locate.h"
#include "store/table/debug_relocate.h"

// The words that a set of any types there are has beyond those it holds itself.
static uint32_t more_words(const mica_world *world)
{
    uint32_t words = micai_bits_words(world->state->registry.list.count);
    return words > MICA_TYPES_INLINE_WORDS ? words - MICA_TYPES_INLINE_WORDS : 0;
}

// An empty set that has room for all types, in scratch memory: it is not to be freed.
static bool begin_set(mica_world *world, mica_types *set)
{
    *set = (mica_types){.more_count = more_words(world)};
    size_t size = set->more_count * sizeof *set->more;
    set->more = size == 0
                    ? NULL
                    : micai_arena_alloc(&world->host, &world->scratch, size, _Alignof(uint64_t));
    if (set->more) {
        memset(set->more, 0, size);
    }
    return set->more || size == 0;
}

mica_result micai_change_begin_set(mica_world *world, mica_types *set)
{
    return begin_set(world, set) ? MICA_OK : MICA_ERROR_MEMORY;
}

// A change of no world, which can be ended.
static void clear(micai_change *c)
{
    memset(c, 0, offsetof(micai_change, off));
}

static mica_result begin(micai_change *c, mica_world *world, const char *call, uint32_t count)
{
    c->world = world;
    c->call = call;
    c->mark = micai_arena_here(&world->scratch);
    micai_host_begin(&world->host, call);
    c->assignments = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                             sizeof *c->assignments, _Alignof(micai_assignment));
    c->removed = c->assignments
                     ? micai_arena_alloc_array(&world->host, &world->scratch, count,
                                               sizeof *c->removed, _Alignof(micai_type *))
                     : NULL;
    bool begun = c->removed && begin_set(world, &c->given);
    micai_host_end(&world->host);
    return begun ? MICA_OK : MICA_ERROR_MEMORY;
}

mica_result micai_change_begin(micai_change *c, mica_world *world, const char *call,
                               mica_entity entity, uint32_t count)
{
    clear(c);
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_record *record = micai_slots_find(&world->state->slots, entity);
    if (!record) {
        return micai_slots_fail(&world->host, call, entity);
    }
    mica_result result = begin(c, world, call, count);
    c->entity = entity;
    c->record = record;
    c->row = micai_row_of(&world->state->store, record);
    c->source = micai_row_table(c->row);
    return result;
}

mica_result micai_change_begin_spawn(micai_change *c, mica_world *world, const char *call,
                                     uint32_t count)
{
    clear(c);
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_change(world, call);
    return result ? result : begin(c, world, call, count);
}

mica_result micai_change_begin_bundle(micai_change *c, mica_world *world, const char *call,
                                      const micai_bundle *bundle)
{
    mica_result result = micai_change_begin_spawn(c, world, call, bundle->count);
    c->transition = bundle->spawn;
    return result;
}

// Working out

static bool has_now(const micai_change *c, const micai_type *type)
{
    return c->source &&
           (micai_pool_keeps(type)
                ? micai_value_has(c->world->state, (micai_living){c->entity, c->record}, type)
                : micai_table_has(c->source, type->number));
}

static void note_place(micai_change *c, uint32_t place)
{
    if (c->places) {
        c->places[c->assignments[place].type->number] = place;
    }
}

// The assignment of a type that was given. Where each is is noted when it is asked for the first time:
// giving one type twice is rare, but one call may do it a thousand times. NULL for lack of memory.
static micai_assignment *find_assignment(micai_change *c, const micai_type *type)
{
    mica_world *world = c->world;
    if (!c->places) {
        micai_host_begin(&world->host, c->call);
        c->places = micai_arena_alloc_array(&world->host, &world->scratch,
                                            world->state->registry.list.count, sizeof *c->places,
                                            _Alignof(uint32_t));
        micai_host_end(&world->host);
        for (uint32_t i = 0; i < c->count; i++) {
            note_place(c, i);
        }
    }
    return c->places ? &c->assignments[c->places[type->number]] : NULL;
}

// Given again: the later value counts, unless the first is one that would be lost.
static mica_result give_again(micai_change *c, micai_assignment *one, const void *data)
{
    if (one->data && !micai_hook_can_copy(one->type)) {
        return micai_fail(&c->world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%s', which cannot be copied, is given twice", c->call,
                          one->type->info.name);
    }
    one->data = data;
    c->overwrites = c->overwrites || (one->present && data);
    return MICA_OK;
}

// Is this where the entity has the value already?
static bool is_own_place(const micai_change *c, const micai_type *type, const void *data)
{
    const micai_living who = {c->entity, c->record};
    return has_now(c, type) &&
           micai_value_read(micai_value_find(c->world->state, who, type)) == data;
}

// Of a type that cannot be copied: a value that is set from itself stays what it is; one that lies
// anywhere else in the world, or is given as another type too, would be there twice.
static mica_result check_unique(micai_change *c, const micai_type *type, const void **data)
{
    if (is_own_place(c, type, *data)) {
        *data = NULL;
        return MICA_OK;
    }
    mica_result result = micai_value_check_source(c->world, c->call, type, *data, 1);
    for (uint32_t i = 0; !result && i < c->count; i++) {
        const micai_assignment *other = &c->assignments[i];
        if (other->type != type) {
            result = micai_value_check_overlap(c->world, c->call, other->type, other->data, type,
                                               *data, 1);
        }
    }
    return result;
}

// One type more that is given, which was not yet.
static void add_assignment(micai_change *c, const micai_type *type, const void *data)
{
    bool present = has_now(c, type);
    c->assignments[c->count] = (micai_assignment){.type = type, .data = data, .present = present};
    c->overwrites = c->overwrites || (present && data);
    if (!present && micai_pool_keeps(type)) {
        c->joins = true;
    } else if (!present) {
        c->moves = true;
    }
    note_place(c, c->count++);
}

mica_result micai_change_give(micai_change *c, const micai_type *type, const void *data)
{
    if (data && !micai_hook_can_copy(type)) {
        c->hands_over = true;
        if (check_unique(c, type, &data)) {
            return MICA_ERROR_ARGUMENT;
        }
    }
    if (!micai_types_put(&c->given, type->number)) {
        micai_assignment *one = find_assignment(c, type);
        return one ? give_again(c, one, data) : MICA_ERROR_MEMORY;
    }
    add_assignment(c, type, data);
    return MICA_OK;
}

mica_result micai_change_set(micai_change *c, const mica_value *value, uint32_t place)
{
    const micai_type *found = micai_registry_find(&c->world->state->registry, value->type);
    if (!found) {
        micai_world_type_in(c->world, c->call, "value", place, value->type);
        return MICA_ERROR_TYPE;
    }
    mica_result result = micai_world_takes(found, value)
                             ? MICA_OK
                             : micai_world_check_value(c->world, c->call, found, value);
    const void *data = found->info.size > 0 ? value->data : NULL;
    return result ? result : micai_change_give(c, found, data);
}

mica_result micai_change_remove(micai_change *c, mica_type type, uint32_t place)
{
    const micai_type *found = micai_world_type_in(c->world, c->call, "type", place, type);
    if (!found) {
        return MICA_ERROR_TYPE;
    }
    if (micai_types_has(&c->given, found->number)) {
        return micai_fail(&c->world->host, MICA_ERROR_ARGUMENT, "%s: '%s' is both set and removed",
                          c->call, found->info.name);
    }
    bool present = has_now(c, found);
    bool sparse = micai_pool_keeps(found);
    c->leaves = c->leaves || (present && sparse);
    c->moves = c->moves || (present && !sparse);
    c->removed[c->removed_count++] = found;
    return MICA_OK;
}

mica_result micai_change_switch(micai_change *c, const micai_type *type, bool off)
{
    if (!c->toggles && (!begin_set(c->world, &c->off) || !begin_set(c->world, &c->on))) {
        return MICA_ERROR_MEMORY;
    }
    c->toggles = true;
    micai_types_put(off ? &c->off : &c->on, type->number);
    return MICA_OK;
}

// Reserving

// Copies of the values that overwrite others are made before anything is changed, because copying
// may fail, and because the values may themselves lie in rows that are about to move.
static mica_result copy_ahead(micai_change *c)
{
    mica_world *world = c->world;
    for (uint32_t i = 0; c->overwrites && i < c->count; i++) {
        micai_assignment *one = &c->assignments[i];
        if (!one->data || !one->present) {
            continue;
        }
        mica_result result = micai_world_reach(world, c->call, one->type);
        if (result) {
            return result;
        }
        const mica_type_info *info = &one->type->info;
        void *copy = micai_arena_alloc(&world->host, &world->scratch, info->size, info->align);
        result = copy ? micai_hook_copy(&world->state->gate, one->type, copy, one->data, 1)
                      : MICA_ERROR_MEMORY;
        if (result) {
            return result;
        }
        one->copy = copy;
    }
    return MICA_OK;
}

// Where the entity will be, and how it gets there: by its one type, or by its list.
static mica_result find_transition(micai_change *c)
{
    micai_store *store = &c->world->state->store;
    const uint32_t count = c->count + c->removed_count;
    if (c->transition) {
        return MICA_OK; // a bundle's
    }
    if (c->source && count == 1) {
        bool remove = c->removed_count > 0;
        const micai_type *type = remove ? c->removed[0] : c->assignments[0].type;
        c->transition = micai_transition_one(store, c->source, type, remove);
        return c->transition ? MICA_OK : store->host->failed;
    }
    const micai_type **types = micai_arena_alloc_array(&c->world->host, &c->world->scratch, count,
                                                       sizeof *types, _Alignof(micai_type *));
    for (uint32_t i = 0; types && i < count; i++) {
        types[i] = i < c->count ? c->assignments[i].type : c->removed[i - c->count];
    }
    const micai_list list = {types, c->count, count};
    c->transition =
        types ? micai_transition_list(store, c->source, &list, &c->world->scratch, false) : NULL;
    return c->transition ? MICA_OK : store->host->failed;
}

static mica_result reserve_row(micai_change *c)
{
    micai_store *store = &c->world->state->store;
    micai_table *target = c->transition->target;
    bool grows = !micai_table_is_ready(target, 1);
    mica_result result = c->source || !mica_entity_is_none(c->pending)
                             ? micai_table_reserve(store, target, 1)
                             : micai_store_reserve(store, target, 1);
    c->grew = grows && micai_store_has_moved(store);
    return result;
}

// What was given, where it is now.
static inline const void *follow(const micai_change *c, const micai_assignment *one)
{
    return c->grew ? micai_store_follow(&c->world->state->store, one->data) : one->data;
}

// A value in the row to be; nothing, of a tag. What is nothing but bytes of that row needs no undoing.
static mica_result construct_in_row(micai_change *c, micai_assignment *one, const micai_step *step)
{
    micai_store *store = &c->world->state->store;
    micai_table *table = c->transition->target;
    if (!step->column) {
        return MICA_OK;
    }
    const void *data = follow(c, one);
    if (micai_table_is_bytes(table) && micai_step_is_bytes(step) && !step->fill.outside) {
        micai_row_fill_value(store, micai_row_raw(table), step->fill,
                             data ? data : one->type->info.default_value);
        return MICA_OK;
    }
    mica_result result = micai_table_kind(table, step->column)
                             ->make(store, micai_row_next(table, step->column), 1, data, 0);
    one->constructed = !result;
    return result;
}

// A value in a pool, for the slot that the entity has, or will have.
static mica_result construct_in_pool(micai_change *c, micai_assignment *one)
{
    micai_state *state = c->world->state;
    micai_pool *pool = micai_pools_open(&state->pools, one->type);
    if (!pool) {
        return MICA_ERROR_MEMORY;
    }
    uint32_t slot = c->source                         ? mica_entity_slot(c->entity)
                    : mica_entity_is_none(c->pending) ? micai_slots_look_ahead(&state->slots).slot
                                                      : mica_entity_slot(c->pending);
    one->pool = pool;
    mica_result result = micai_pool_reserve_slot(&state->pools, pool, slot);
    result = result ? result : micai_pool_reserve(&state->pools, pool, 1);
    one->place = micai_pool_next(pool);
    c->grew = micai_store_has_moved(&state->store);
    result = result ? result
                    : micai_pool_construct(&state->pools, pool, one->place, 1, follow(c, one), 0);
    one->constructed = !result;
    return result;
}

// The values that the entity has not yet. Assignments are the first steps of the transition, in their order.
static mica_result construct_new(micai_change *c)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < c->count; i++) {
        micai_assignment *one = &c->assignments[i];
        if (!one->present) {
            result = micai_pool_keeps(one->type)
                         ? construct_in_pool(c, one)
                         : construct_in_row(c, one, &c->transition->steps[i]);
        }
    }
    return result;
}

bool micai_change_may_flip(const mica_world *world, const micai_type *type)
{
    const micai_state *state = world->state;
    const micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    bool free = micai_pool_keeps(type) && type->info.size == 0 && state->telling == 0 &&
                (!pool || pool->groups.count == 0) && !world->host.hook && !world->host.handler;
    for (const micai_walk *walk = state->walks.newest; free && walk; walk = walk->older) {
        free = !state->walks.names(walk, type);
    }
    return free;
}

// Does an entity that stays in its row lose a type? Those are sparse.
static bool leaves_pool(const micai_change *c, const micai_type *type)
{
    return micai_pool_keeps(type) && has_now(c, type);
}

// Is it nothing but such tags that change?
static bool flips(const micai_change *c)
{
    bool free = true;
    for (uint32_t i = 0; free && i < c->count; i++) {
        const micai_assignment *one = &c->assignments[i];
        free = one->present || micai_change_may_flip(c->world, one->type);
    }
    for (uint32_t i = 0; free && i < c->removed_count; i++) {
        const micai_type *type = c->removed[i];
        free = !leaves_pool(c, type) || micai_change_may_flip(c->world, type);
    }
    return free;
}

// Observers

// Notes a type in one of the sets of the notifications; what is observed of it.
static uint32_t note(mica_types *set, const micai_type *type)
{
    micai_types_put(set, type->number);
    return type->watched;
}

// What is added to the entity, and set; what is observed of that.
static uint32_t note_assignments(micai_change *c)
{
    uint32_t watched = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const micai_assignment *one = &c->assignments[i];
        if (one->data) {
            watched |= note(&c->set, one->type) & MICA_ON_SET;
        }
        if (!one->present) {
            watched |= note(&c->more, one->type) & ~(uint32_t)MICA_ON_SET;
        }
    }
    return watched;
}

static uint32_t note_removed(micai_change *c)
{
    uint32_t watched = 0;
    for (uint32_t i = 0; i < c->removed_count; i++) {
        watched |= has_now(c, c->removed[i]) ? note(&c->less, c->removed[i]) : 0;
    }
    return watched;
}

// What is disabled or enabled, of types in a set; what is observed of what was there.
static uint32_t note_flips(micai_change *c, const mica_types *set, bool off)
{
    const micai_state *state = c->world->state;
    const micai_living who = {c->entity, c->record};
    uint32_t watched = 0;
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        const micai_type *type = state->registry.list.items[n];
        bool present = has_now(c, type);
        if ((present ? micai_value_is_on(state, who, type) : true) == off) {
            uint32_t kinds = note(&c->flips, type) & MICAI_WATCH_TOGGLES;
            watched |= present ? kinds : 0;
        }
    }
    return watched;
}

// Works out what observers are to be notified of, if there are any, and makes room for it.
static mica_result reserve_notifications(micai_change *c)
{
    mica_world *world = c->world;
    if (world->state->observers == 0) {
        return MICA_OK;
    }
    bool spawns = !c->source;
    if (!begin_set(world, &c->more) || !begin_set(world, &c->less) || !begin_set(world, &c->set) ||
        (c->toggles && !begin_set(world, &c->flips))) {
        return MICA_ERROR_MEMORY;
    }
    uint32_t watched = note_assignments(c);
    watched |= spawns ? world->state->registry.watched : note_removed(c);
    watched &= spawns ? MICAI_WATCH_AFTER : MICAI_WATCH_CHANGES;
    if (c->toggles) {
        watched |= note_flips(c, &c->off, true) | note_flips(c, &c->on, false);
    }
    c->observed = watched != 0;
    c->notification = micai_notification_begin(world, c->call);
    c->notification.who = (micai_living){c->entity, c->record};
    c->notification.spawns = spawns;
    c->notification.more = &c->more;
    c->notification.less = &c->less;
    c->notification.set = &c->set;
    c->notification.flips = c->toggles ? &c->flips : NULL;
    mica_result result =
        c->observed ? micai_notification_reserve_sets(world, c->call, c->count) : MICA_OK;
    if (!result && !spawns && (watched & MICAI_WATCH_MATCHES) != 0) {
        result = micai_notification_reserve(world, 1, &c->notification.matched);
    }
    return result;
}

// May it be run now? Values may be overwritten, and some tags added and removed, also while
// the world is iterated.
static mica_result ask_gate(const micai_change *c, bool stays)
{
    mica_world *world = c->world;
    bool edits = stays && ((!c->joins && !c->leaves) || (world->busy != 0 && flips(c)));
    return edits ? micai_world_edit(world, c->call) : micai_world_guard_change(world, c->call);
}

static mica_result reserve(micai_change *c)
{
    bool stays = c->source && !c->moves;
    mica_result result = ask_gate(c, stays);
    result = result ? result : copy_ahead(c);
    if (!stays) {
        result = result ? result : find_transition(c);
        result = result ? result : reserve_row(c);
    }
    result = result ? result : reserve_notifications(c);
    return result ? result : construct_new(c);
}

// Destroys what was constructed so far. A value that was given, of a type that cannot be copied, goes back.
static void undo(micai_change *c)
{
    micai_store *store = &c->world->state->store;
    for (uint32_t i = c->count; i-- > 0;) {
        micai_assignment *one = &c->assignments[i];
        if (one->copy) {
            micai_hook_undo_copy(store->gate, one->type, one->copy, one->data, 1);
        }
        if (MICAI_CANARY("entity.failed_spawn")) {
            continue;
        }
        if (one->pool && one->constructed) {
            micai_pool_undo(&c->world->state->pools, one->pool, one->place, 1, one->data, 0);
        } else if (one->constructed) {
            micai_table *target = c->transition->target;
            uint32_t column = c->transition->steps[i].column;
            const micai_kind *kind = micai_table_kind(target, column);
            micai_cell cell = micai_row_next(target, column);
            if (one->data && !micai_hook_can_copy(one->type)) {
                kind->load(store, cell, (void *)one->data);
            } else {
                kind->end(store, cell, 1);
            }
        }
    }
}

// Committing

static void overwrite(micai_change *c)
{
    const micai_living who = {c->entity, c->record};
    for (uint32_t i = 0; c->overwrites && i < c->count; i++) {
        micai_assignment *one = &c->assignments[i];
        if (one->copy) {
            micai_value_replace(c->world, micai_value_find(c->world->state, who, one->type),
                                one->copy);
        }
    }
}

// Joins pools, and leaves others.
static void commit_pools(micai_change *c)
{
    micai_pools *pools = &c->world->state->pools;
    uint64_t tick = c->world->view.tick;
    for (uint32_t i = 0; i < c->count; i++) {
        micai_assignment *one = &c->assignments[i];
        if (one->pool) {
            micai_pool_add(pools, one->pool, one->place, c->entity, tick);
            micai_pool_relocate(pools, one->pool);
        }
    }
    for (uint32_t i = 0; c->leaves && i < c->removed_count; i++) {
        const micai_type *type = c->removed[i];
        if (leaves_pool(c, type)) {
            micai_pool *pool = pools->by_type.items[type->number];
            micai_pool_remove(pools, pool, mica_entity_slot(c->entity), tick);
            micai_pool_relocate(pools, pool);
        }
    }
}

// A new entity in the row behind a table's last, which was reserved and whose values are constructed: with any handle, or
// with one that was given out before.
static mica_entity append(micai_state *state, micai_table *table, mica_entity pending,
                          uint64_t tick)
{
    mica_entity entity = pending;
    if (mica_entity_is_none(pending)) {
        entity = micai_slots_take(&state->slots, table->next);
    } else {
        micai_slots_settle(&state->slots, entity, table->next);
    }
    micai_row_append(table, entity, tick);
    return entity;
}

static void commit_toggles(micai_change *c, const mica_types *set, bool off)
{
    mica_world *world = c->world;
    const micai_living who = {c->entity, c->record};
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        micai_value_toggle(world, who, world->state->registry.list.items[n], off);
    }
}

static void commit_row(micai_change *c)
{
    micai_state *state = c->world->state;
    const micai_transition *t = c->transition;
    if (c->source) {
        uint32_t row = micai_row_number(c->row);
        micai_row_move(&state->store, t, c->row, c->record, c->world->view.tick);
        micai_stir_row(&state->store, c->source, row);
    } else {
        c->entity = append(state, t->target, c->pending, c->world->view.tick);
        c->record = micai_slots_at(&state->slots, mica_entity_slot(c->entity));
    }
    micai_stir_from(&state->store, t->target, t->target->count - 1);
}

static void commit(micai_change *c)
{
    if (c->transition) {
        commit_row(c);
    }
    if (c->joins || c->leaves) {
        commit_pools(c);
    }
    overwrite(c);
    if (c->toggles) {
        commit_toggles(c, &c->off, true);
        if (MICAI_CANARY("entity.switched_on")) {
            return;
        }
        commit_toggles(c, &c->on, false);
    }
}

mica_result micai_change_run(micai_change *c)
{
    mica_world *world = c->world;
    uint32_t tables = micai_world_begin(world, c->call);
    mica_result result = reserve(c);
    if (result) {
        undo(c);
        return micai_world_end(world, tables, result);
    }
    if (c->observed) {
        micai_notify(world, &c->notification, MICAI_WATCH_BEFORE);
    }
    commit(c);
    if (c->and_then) {
        c->and_then(c, c->user);
    }
    micai_store_tidy(&world->state->store);
    if (c->observed) {
        c->notification.who = (micai_living){c->entity, c->record};
        micai_notify(world, &c->notification, MICAI_WATCH_AFTER);
    }
    return micai_world_end(world, tables, MICA_OK);
}

mica_entity micai_change_end(micai_change *c)
{
    if (!c->world) {
        return mica_entity_none();
    }
    micai_arena_rewind(&c->world->scratch, c->mark);
    return c->entity;
}

mica_result micai_change_finish(micai_change *c, mica_result result)
{
    result = result ? result : micai_change_run(c);
    micai_change_end(c);
    mica_result paid = c->world ? micai_world_finish(c->world, c->call, result) : result;
    return c->hands_over ? result : paid;
}

// Despawning

void micai_change_remove_sides(mica_world *world, mica_entity entity)
{
    if (MICAI_CANARY("entity.name_of_the_dead")) {
        return;
    }
    if (world->state->keepers > 0) {
        micai_sides_remove(world->state, entity);
    }
    if (world->state->pools.kept > 0) {
        micai_pools_forget(&world->state->pools, mica_entity_slot(entity), world->view.tick);
    }
}

void micai_change_drop_row(mica_world *world, mica_entity entity, micai_row row)
{
    micai_state *state = world->state;
    micai_table *table = micai_row_table(row);
    uint32_t number = micai_row_number(row);
    micai_change_remove_sides(world, entity);
    micai_table_end_values(&state->store, table, number, 1);
    micai_row_drop(&state->store, row, world->view.tick);
    micai_slots_give(state->host, &state->slots, entity);
    micai_stir_row(&state->store, table, number);
}

// Entities that have nothing yet

static void notify_of_spawn(mica_world *world, const char *call, mica_entity entity)
{
    if ((world->state->registry.watched & MICAI_WATCH_AFTER) != 0) {
        micai_notification notification = micai_notification_begin(world, call);
        notification.who =
            (micai_living){entity, micai_slots_at(&world->state->slots, mica_entity_slot(entity))};
        notification.spawns = true;
        micai_notify(world, &notification, MICAI_WATCH_AFTER);
    }
}

mica_entity micai_spawn_empty(mica_world *world)
{
    micai_store *store = &world->state->store;
    if (micai_store_reserve(store, store->root, 1)) {
        return mica_entity_none();
    }
    mica_entity entity = append(world->state, store->root, mica_entity_none(), world->view.tick);
    micai_stir_from(store, store->root, store->root->count - 1);
    notify_of_spawn(world, "mica_spawn_empty", entity);
    return entity;
}

mica_result micai_spawn_at(mica_world *world, mica_entity entity)
{
    micai_state *state = world->state;
    micai_table *root = state->store.root;
    mica_result result = micai_slots_reserve_at(state->host, &state->slots, entity);
    result = result ? result : micai_table_reserve(&state->store, root, 1);
    if (!result) {
        micai_slots_take_at(&state->slots, entity, root->next);
        micai_row_append(root, entity, world->view.tick);
        micai_stir_from(&state->store, root, root->count - 1);
        notify_of_spawn(world, "mica_spawn_at", entity);
    }
    return result;
}
