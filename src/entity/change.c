// Changes of one entity: reserving and committing. change.h has the contract. change_build.c builds
// them. change_many.c changes many entities at once. change_reserve.c keeps reserved capacity
// sufficient.
#include "base/canary.h"
#include "entity/bundle.h"
#include "entity/change_internal.h"
#include "entity/locate.h"
#include "store/table/debug_relocate.h"

// Reserving

// Copies values that overwrite others before anything changes, because copying may fail, and
// because they may lie in rows that will move.
static mica_result copy_ahead(micai_change *c)
{
    mica_world *world = c->world;
    for (uint32_t i = 0; c->overwrites && i < c->count; i++) {
        micai_assignment *one = &c->assignments[i];
        if (!one->data || !one->present) {
            continue;
        }
        mica_result result = micai_world_guard_access(world, c->call, one->type);
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

// Finds the transition of a single type or of a list.
static mica_result find_transition(micai_change *c)
{
    micai_store *store = &c->world->state->store;
    const uint32_t count = c->count + c->removed_count;
    if (c->transition) {
        return MICA_OK; // the transition of a bundle
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
    return c->source || !MICA_IS_NONE(c->pending) ? micai_table_reserve(store, target, 1)
                                                  : micai_store_reserve(store, target, 1);
}

// Prepares a value in the new row. Returns false if it wrote the value as bytes of the row, which
// need no undo.
static bool prepare_in_row(micai_change *c, micai_assignment *one, const micai_step *step)
{
    micai_store *store = &c->world->state->store;
    micai_table *table = c->transition->target;
    if (micai_table_is_bytes(table) && micai_step_is_bytes(step) && !step->fill.outside) {
        const void *data = micai_new_values_follow(store, one->data);
        micai_row_fill_value(store, micai_row_raw(table), step->fill,
                             data ? data : one->type->info.default_value);
        return false;
    }
    one->made = micai_new_values_in_table(table, step->column, 1);
    return step->column != 0;
}

// Prepares a value in a pool, for the slot that the entity has or will have.
static mica_result prepare_in_pool(micai_change *c, micai_assignment *one)
{
    micai_pool *pool = c->world->state->pools.functions->open(&c->world->state->pools, one->type);
    if (!pool) {
        return MICA_ERROR_MEMORY;
    }
    const mica_entity *entity = c->source                  ? &c->entity
                                : MICA_IS_NONE(c->pending) ? NULL
                                                           : &c->pending;
    mica_result result = micai_new_values_reserve(c->world, pool, entity, 1);
    one->made = micai_new_values_in_pool(pool, micai_pool_next(pool), 1);
    return result;
}

// Constructs the values of absent types. Assignments are the first steps of the transition, in
// order.
static mica_result construct_new(micai_change *c)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < c->count; i++) {
        micai_assignment *one = &c->assignments[i];
        if (one->present) {
            continue;
        }
        bool sparse = micai_pool_keeps(one->type);
        result = sparse ? prepare_in_pool(c, one) : MICA_OK;
        if (!result && (sparse || prepare_in_row(c, one, &c->transition->steps[i]))) {
            one->made.data = one->data;
            result = micai_new_values_construct(c->world, &one->made);
            one->constructed = !result;
        }
    }
    return result;
}

bool micai_change_may_flip(const mica_world *world, const micai_type *type)
{
    const micai_state *state = world->state;
    const micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    bool free = micai_pool_keeps(type) && type->info.size == 0 && state->notifying == 0 &&
                (!pool || pool->groups.count == 0) && !world->host.hook && !world->host.handler;
    for (const micai_walk *walk = state->walks.newest; free && walk; walk = walk->older) {
        free = !state->walks.has_term(walk, type);
    }
    return free;
}

// Returns true if an entity loses a sparse type that it has.
static bool leaves_pool(const micai_change *c, const micai_type *type)
{
    return micai_pool_keeps(type) && micai_change_has(c, type);
}

// Returns true if the change adds and removes only tags that may change during iteration.
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

// Adds a type to a set of the notification and returns its watched events.
static uint32_t note(mica_type_set *set, const micai_type *type)
{
    micai_types_put(set, type->number);
    return type->watched;
}

// Adds the types that are added and set. Returns the watched events of these.
static uint32_t note_assignments(micai_change *c)
{
    uint32_t watched = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const micai_assignment *one = &c->assignments[i];
        if (one->data) {
            watched |= note(&c->set, one->type) & MICAI_WATCH_VALUES;
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
        watched |= micai_change_has(c, c->removed[i]) ? note(&c->less, c->removed[i]) : 0;
    }
    return watched;
}

// Adds the types of `set` that are disabled or enabled. Returns the watched events of those that
// existed.
static uint32_t note_flips(micai_change *c, const mica_type_set *set, bool off)
{
    const micai_state *state = c->world->state;
    const micai_entity_ref ref = {c->entity, c->record};
    uint32_t watched = 0;
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        const micai_type *type = state->registry.list.items[n];
        bool present = micai_change_has(c, type);
        if ((present ? micai_value_is_on(state, ref, type) : true) == off) {
            uint32_t kinds = note(&c->flips, type) & MICAI_WATCH_TOGGLES;
            watched |= present ? kinds : 0;
        }
    }
    return watched;
}

// Builds the notification and reserves its memory, if there are observers.
static mica_result reserve_notifications(micai_change *c)
{
    mica_world *world = c->world;
    if (world->state->observers == 0) {
        return MICA_OK;
    }
    bool spawns = !c->source;
    if (micai_change_begin_set(world, &c->more) || micai_change_begin_set(world, &c->less) ||
        micai_change_begin_set(world, &c->set) ||
        (c->toggles && micai_change_begin_set(world, &c->flips))) {
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
    c->notification.ref = (micai_entity_ref){c->entity, c->record};
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

// Checks that the change may run now. During iteration, it may only overwrite values and add or
// remove certain tags.
static mica_result ask_gate(const micai_change *c, bool stays)
{
    mica_world *world = c->world;
    bool edits = stays && ((!c->joins && !c->leaves) || (world->busy != 0 && flips(c)));
    return edits ? micai_world_guard_edit(world, c->call)
                 : micai_world_guard_change(world, c->call);
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

// Destroys the values constructed so far. A given value of a type that cannot be copied moves back.
static void undo(micai_change *c)
{
    for (uint32_t i = c->count; i-- > 0;) {
        micai_assignment *one = &c->assignments[i];
        if (one->copy) {
            micai_hook_undo_copy(&c->world->state->gate, one->type, one->copy, one->data, 1);
        }
        if (one->constructed && !MICAI_CANARY("entity.failed_spawn")) {
            micai_new_values_undo(c->world, &one->made);
        }
    }
}

// Committing

static void overwrite(micai_change *c)
{
    const micai_entity_ref ref = {c->entity, c->record};
    for (uint32_t i = 0; c->overwrites && i < c->count; i++) {
        micai_assignment *one = &c->assignments[i];
        if (one->copy) {
            micai_value_replace(c->world, micai_value_find(c->world->state, ref, one->type),
                                one->copy);
        }
    }
}

// Adds the entity to pools and removes it from others.
static void commit_pools(micai_change *c)
{
    micai_pools *pools = &c->world->state->pools;
    uint64_t tick = c->world->view.tick;
    for (uint32_t i = 0; i < c->count; i++) {
        const micai_new_values *made = &c->assignments[i].made;
        if (made->pool) {
            pools->functions->add(pools, made->pool, made->cell.row, c->entity, tick);
            pools->functions->relocate(pools, made->pool);
        }
    }
    for (uint32_t i = 0; c->leaves && i < c->removed_count; i++) {
        const micai_type *type = c->removed[i];
        if (leaves_pool(c, type)) {
            micai_pool *pool = pools->by_type.items[type->number];
            pools->functions->remove(pools, pool, mica_entity_slot(c->entity), tick);
            pools->functions->relocate(pools, pool);
        }
    }
}

// Appends a new entity in the row after a table's last, which was reserved and whose values were
// constructed. It gets any handle, or `pending`.
static mica_entity append(micai_state *state, micai_table *table, mica_entity pending,
                          uint64_t tick)
{
    mica_entity entity = pending;
    if (MICA_IS_NONE(pending)) {
        entity = micai_slots_take(&state->slots, table->next);
    } else {
        micai_slots_activate(&state->slots, entity, table->next);
    }
    micai_row_append(table, entity, tick);
    return entity;
}

static void commit_toggles(micai_change *c, const mica_type_set *set, bool off)
{
    mica_world *world = c->world;
    const micai_entity_ref ref = {c->entity, c->record};
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        micai_value_toggle(world, ref, world->state->registry.list.items[n], off);
    }
}

static void commit_row(micai_change *c)
{
    micai_state *state = c->world->state;
    const micai_transition *t = c->transition;
    if (c->source) {
        uint32_t row = micai_row_number(c->row);
        micai_row_move(&state->store, t, c->row, c->record, c->world->view.tick);
        micai_debug_relocate_row(&state->store, c->source, row);
    } else {
        c->entity = append(state, t->target, c->pending, c->world->view.tick);
        c->record = micai_slots_at(&state->slots, mica_entity_slot(c->entity));
    }
    micai_debug_relocate_from(&state->store, t->target, t->target->count - 1);
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
    micai_store_tidy(&world->state->store, tables);
    if (c->observed) {
        c->notification.ref = (micai_entity_ref){c->entity, c->record};
        micai_notify(world, &c->notification, MICAI_WATCH_AFTER);
    }
    return micai_world_end(world, tables, MICA_OK);
}

// Despawning

void micai_change_remove_sides(mica_world *world, mica_entity entity)
{
    if (MICAI_CANARY("entity.name_of_the_dead")) {
        return;
    }
    if (world->state->side_tables_in_use > 0) {
        micai_sides_remove(world->state, entity);
    }
    if (world->state->pools.row_count > 0) {
        micai_pools_forget(&world->state->pools, mica_entity_slot(entity), world->view.tick);
    }
}

void micai_change_drop_row(mica_world *world, micai_entity_ref ref)
{
    micai_state *state = world->state;
    micai_row row = micai_row_of(&state->store, ref.record);
    micai_table *table = micai_row_table(row);
    uint32_t number = micai_row_number(row);
    micai_change_remove_sides(world, ref.entity);
    micai_table_destruct_values(&state->store, table, number, 1);
    micai_row_drop(&state->store, row, world->view.tick);
    micai_slots_release(state->host, &state->slots, ref.entity);
    micai_debug_relocate_row(&state->store, table, number);
}

// Entities without components

static void notify_of_spawn(mica_world *world, const char *call, mica_entity entity)
{
    if ((world->state->registry.watched & MICAI_WATCH_AFTER) != 0) {
        micai_notification notification = micai_notification_begin(world, call);
        notification.ref = micai_entity_ref_of(world->state, entity);
        notification.spawns = true;
        micai_notify(world, &notification, MICAI_WATCH_AFTER);
    }
}

mica_entity micai_spawn_empty(mica_world *world, const char *call)
{
    micai_store *store = &world->state->store;
    if (micai_store_reserve(store, store->root, 1)) {
        return (mica_entity){0};
    }
    mica_entity entity = append(world->state, store->root, (mica_entity){0}, world->view.tick);
    micai_debug_relocate_from(store, store->root, store->root->count - 1);
    notify_of_spawn(world, call, entity);
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
        micai_debug_relocate_from(&state->store, root, root->count - 1);
        notify_of_spawn(world, "mica_spawn_at", entity);
    }
    return result;
}
