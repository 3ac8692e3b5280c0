// Plans: working out, reserving, committing. plan.h has the contract; plan_many.c does the same for
// many entities at once, and ends them; plan_room.c makes promises of room.
#include "entity/plan.h"

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

mica_result micai_plan_begin_note(mica_world *world, mica_types *set)
{
    return begin_set(world, set) ? MICA_OK : MICA_ERROR_MEMORY;
}

// A plan of no world, which can be ended.
static void clear(micai_plan *plan)
{
    memset(plan, 0, offsetof(micai_plan, lost));
}

static mica_result begin(micai_plan *plan, mica_world *world, const char *call, uint32_t gifts)
{
    plan->world = world;
    plan->call = call;
    plan->gift_capacity = gifts;
    plan->mark = micai_arena_here(&world->scratch);
    micai_host_begin(&world->host, call);
    plan->gifts = micai_arena_alloc_array(&world->host, &world->scratch, gifts, sizeof *plan->gifts,
                                          _Alignof(micai_gift));
    bool begun = plan->gifts && begin_set(world, &plan->types) && begin_set(world, &plan->given);
    micai_host_end(&world->host);
    return begun ? MICA_OK : MICA_ERROR_MEMORY;
}

mica_result micai_plan_begin(micai_plan *plan, mica_world *world, const char *call,
                             mica_entity entity, uint32_t gifts)
{
    clear(plan);
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_record *record = micai_slots_find(&world->state->slots, entity);
    if (!record) {
        return micai_slots_fail(&world->host, call, entity);
    }
    mica_result result = begin(plan, world, call, gifts);
    plan->entity = entity;
    plan->record = record;
    plan->row = micai_row_of(&world->state->store, record);
    plan->source = micai_row_table(plan->row);
    return result ? result : micai_store_set_of(&world->state->store, plan->source, &plan->types);
}

mica_result micai_plan_begin_spawn(micai_plan *plan, mica_world *world, const char *call,
                                   uint32_t gifts)
{
    clear(plan);
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_change(world, call);
    return result ? result : begin(plan, world, call, gifts);
}

mica_result micai_plan_begin_bundle(micai_plan *plan, mica_world *world, const char *call,
                                    const micai_bundle *bundle)
{
    mica_result result = micai_plan_begin_spawn(plan, world, call, bundle->count);
    plan->target = bundle->table;
    return result;
}

// Working out

static bool has_now(const micai_plan *plan, const micai_type *type)
{
    return micai_pool_keeps(type)
               ? plan->source && micai_value_has(plan->world->state,
                                                 (micai_living){plan->entity, plan->record}, type)
               : plan->source && micai_table_has(plan->source, type->number);
}

static void note_place(micai_plan *plan, uint32_t place)
{
    if (plan->places) {
        plan->places[plan->gifts[place].type->number] = place;
    }
}

// The gift of a type that was given. Where each is is noted when it is asked for the first time:
// giving one type twice is rare, but who does so may do it a thousand times in one call. NULL for
// lack of memory.
static micai_gift *find_gift(micai_plan *plan, const micai_type *type)
{
    mica_world *world = plan->world;
    if (!plan->places) {
        micai_host_begin(&world->host, plan->call);
        plan->places = micai_arena_alloc_array(&world->host, &world->scratch,
                                               world->state->registry.list.count,
                                               sizeof *plan->places, _Alignof(uint32_t));
        micai_host_end(&world->host);
        for (uint32_t i = 0; i < plan->gift_count; i++) {
            note_place(plan, i);
        }
    }
    return plan->places ? &plan->gifts[plan->places[type->number]] : NULL;
}

// Given again: the later value counts, unless the first is one that would be lost.
static mica_result give_again(micai_plan *plan, micai_gift *gift, const void *data)
{
    if (gift->data && !micai_hook_can_copy(gift->type)) {
        return micai_fail(&plan->world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%s', which cannot be copied, is given twice", plan->call,
                          gift->type->info.name);
    }
    gift->data = data;
    plan->overwrites = plan->overwrites || (gift->there && data);
    return MICA_OK;
}

// Is this where the entity has the value already?
static bool is_own_place(const micai_plan *plan, const micai_type *type, const void *data)
{
    return has_now(plan, type) &&
           micai_value_read(micai_value_find(
               plan->world->state, (micai_living){plan->entity, plan->record}, type)) == data;
}

// Of a type that cannot be copied: a value that is set from itself stays what it is; one that lies
// anywhere else in the world, or is given as another type too, would be there twice.
static mica_result check_unique(micai_plan *plan, const micai_type *type, const void **data)
{
    if (is_own_place(plan, type, *data)) {
        *data = NULL;
        return MICA_OK;
    }
    mica_result result = micai_value_check_source(plan->world, plan->call, type, *data, 1);
    for (uint32_t i = 0; !result && i < plan->gift_count; i++) {
        const micai_gift *other = &plan->gifts[i];
        if (other->type != type) {
            result = micai_value_check_apart(plan->world, plan->call, other->type, other->data,
                                             type, *data, 1);
        }
    }
    return result;
}

// One type more that is given, which was not yet.
static void add_gift(micai_plan *plan, const micai_type *type, const void *data)
{
    micai_gift *gift = &plan->gifts[plan->gift_count];
    bool there = plan->source && has_now(plan, type);
    gift->type = type;
    gift->data = data;
    gift->copy = NULL;
    gift->there = there;
    gift->made = false;
    gift->pool = NULL;
    gift->column = 0;
    plan->overwrites = plan->overwrites || (there && data);
    if (micai_pool_keeps(type)) {
        plan->joins = plan->joins || !there;
    } else {
        micai_types_put(&plan->types, type->number);
    }
    note_place(plan, plan->gift_count++);
}

mica_result micai_plan_give(micai_plan *plan, const micai_type *type, const void *data)
{
    if (data && !micai_hook_can_copy(type)) {
        plan->hands_over = true;
        if (check_unique(plan, type, &data)) {
            return MICA_ERROR_ARGUMENT;
        }
    }
    if (!micai_types_put(&plan->given, type->number)) {
        micai_gift *gift = find_gift(plan, type);
        return gift ? give_again(plan, gift, data) : MICA_ERROR_MEMORY;
    }
    add_gift(plan, type, data);
    return MICA_OK;
}

mica_result micai_plan_set(micai_plan *plan, const mica_value *value, uint32_t place)
{
    const micai_type *found = micai_registry_find(&plan->world->state->registry, value->type);
    if (!found) {
        micai_world_type_in(plan->world, plan->call, "value", place, value->type);
        return MICA_ERROR_TYPE;
    }
    mica_result result = micai_world_takes(found, value)
                             ? MICA_OK
                             : micai_world_check_value(plan->world, plan->call, found, value);
    const void *data = found->info.size > 0 ? value->data : NULL;
    return result ? result : micai_plan_give(plan, found, data);
}

// Notes that a sparse type goes. Few plans do.
static mica_result lose(micai_plan *plan, const micai_type *type)
{
    if (!plan->leaves && !begin_set(plan->world, &plan->lost)) {
        return MICA_ERROR_MEMORY;
    }
    plan->leaves = true;
    micai_types_put(&plan->lost, type->number);
    return MICA_OK;
}

// The first sparse type at or after `number` that goes; MICAI_BITS_END: none.
static uint32_t next_lost(const micai_plan *plan, uint32_t number)
{
    return plan->leaves ? micai_types_next(&plan->lost, number) : MICAI_BITS_END;
}

mica_result micai_plan_remove(micai_plan *plan, mica_type type, uint32_t place)
{
    const micai_type *found = micai_world_type_in(plan->world, plan->call, "type", place, type);
    if (!found) {
        return MICA_ERROR_TYPE;
    }
    if (micai_types_has(&plan->given, found->number)) {
        return micai_fail(&plan->world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%s' is both set and removed", plan->call, found->info.name);
    }
    if (micai_pool_keeps(found)) {
        return has_now(plan, found) ? lose(plan, found) : MICA_OK;
    }
    micai_types_remove(&plan->types, found->number);
    return MICA_OK;
}

mica_result micai_plan_switch(micai_plan *plan, const micai_type *type, bool off)
{
    if (!plan->toggles &&
        (!begin_set(plan->world, &plan->off) || !begin_set(plan->world, &plan->on))) {
        return MICA_ERROR_MEMORY;
    }
    plan->toggles = true;
    micai_types_put(off ? &plan->off : &plan->on, type->number);
    return MICA_OK;
}

// What changes on the whole, for an entity that is there.
static void count_changes(micai_plan *plan)
{
    uint32_t words = micai_bits_words(plan->world->state->registry.list.count);
    for (uint32_t i = 0; i < words; i++) {
        uint64_t before = i < plan->source->word_count ? plan->source->words[i] : 0;
        uint64_t changed = before ^ micai_types_word(&plan->types, i);
        if (changed) {
            plan->changes += micai_bits_ones(changed);
            plan->changed = i * 64 + micai_bits_lowest(changed);
            plan->removes = (before & changed) != 0;
        }
    }
}

// Reserving

// Copies of the values that overwrite others are made before anything is changed, because copying
// may fail, and because the values may themselves lie in rows that are about to move.
static mica_result copy_ahead(micai_plan *plan)
{
    mica_world *world = plan->world;
    for (uint32_t i = 0; plan->overwrites && i < plan->gift_count; i++) {
        micai_gift *gift = &plan->gifts[i];
        if (!gift->data || !gift->there) {
            continue;
        }
        mica_result result = micai_world_reach(world, plan->call, gift->type);
        if (result) {
            return result;
        }
        const mica_type_info *info = &gift->type->info;
        void *copy = micai_arena_alloc(&world->host, &world->scratch, info->size, info->align);
        result = copy ? micai_hook_copy(&world->state->gate, gift->type, copy, gift->data, 1)
                      : MICA_ERROR_MEMORY;
        if (result) {
            return result;
        }
        gift->copy = copy;
    }
    return MICA_OK;
}

// Where the entity will be, and the way there.
static mica_result find_target(micai_plan *plan)
{
    micai_store *store = &plan->world->state->store;
    if (plan->target) {
        return MICA_OK; // a bundle's
    }
    if (!plan->source) {
        plan->target = micai_store_table(store, &plan->types);
    } else if (plan->changes == 1) {
        plan->edge = micai_edge_of(store, plan->source, plan->changed, plan->removes);
    } else {
        plan->edge = micai_edge_to(store, plan->source, &plan->types);
    }
    if (plan->edge) {
        plan->target = plan->edge->target;
    }
    return plan->target ? MICA_OK : store->host->failed;
}

static mica_result reserve_room(micai_plan *plan)
{
    micai_store *store = &plan->world->state->store;
    bool grows = !micai_table_is_ready(plan->target, 1);
    mica_result result = plan->source || !mica_entity_is_none(plan->pending)
                             ? micai_table_reserve(store, plan->target, 1)
                             : micai_store_reserve(store, plan->target, 1);
    plan->grew = grows && micai_store_has_moved(store);
    return result;
}

// What was given, where it is now.
static inline const void *follow(const micai_plan *plan, const micai_gift *gift)
{
    return plan->grew ? micai_store_follow(&plan->world->state->store, gift->data) : gift->data;
}

// A value in the row to be; nothing, of a tag. What is nothing but bytes of that row needs no undoing.
static mica_result make_in_row(micai_plan *plan, micai_gift *gift)
{
    micai_store *store = &plan->world->state->store;
    micai_table *table = plan->target;
    uint32_t column = micai_table_column(table, gift->type->number);
    gift->column = column;
    if (!column) {
        return MICA_OK;
    }
    const void *data = follow(plan, gift);
    if (table->bare &&
        micai_row_fill_column(store, table, column, data ? data : gift->type->info.default_value)) {
        return MICA_OK;
    }
    mica_result result =
        micai_table_kind(table, column)->make(store, micai_row_next(table, column), 1, data, 0);
    gift->made = !result;
    return result;
}

// A value in a pool, for the slot that the entity has, or will have.
static mica_result make_in_pool(micai_plan *plan, micai_gift *gift)
{
    micai_state *state = plan->world->state;
    micai_pool *pool = micai_pools_open(&state->pools, gift->type);
    if (!pool) {
        return MICA_ERROR_MEMORY;
    }
    uint32_t slot = plan->source ? mica_entity_slot(plan->entity)
                    : mica_entity_is_none(plan->pending)
                        ? micai_slots_look_ahead(&state->slots).slot
                        : mica_entity_slot(plan->pending);
    gift->pool = pool;
    mica_result result = micai_pool_reserve_slot(&state->pools, pool, slot);
    result = result ? result : micai_pool_reserve(&state->pools, pool, 1);
    gift->place = micai_pool_next(pool);
    plan->grew = micai_store_has_moved(&state->store);
    result = result
                 ? result
                 : micai_pool_construct(&state->pools, pool, gift->place, 1, follow(plan, gift), 0);
    gift->made = !result;
    return result;
}

// The values that the entity has not yet.
static mica_result make_new(micai_plan *plan)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < plan->gift_count; i++) {
        micai_gift *gift = &plan->gifts[i];
        if (!gift->there) {
            result =
                micai_pool_keeps(gift->type) ? make_in_pool(plan, gift) : make_in_row(plan, gift);
        }
    }
    return result;
}

bool micai_plan_may_flip(const mica_world *world, const micai_type *type)
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

// Is it nothing but such tags that change?
static bool flips(const micai_plan *plan)
{
    const micai_registry *registry = &plan->world->state->registry;
    bool free = true;
    for (uint32_t i = 0; free && i < plan->gift_count; i++) {
        const micai_type *type = plan->gifts[i].type;
        free = plan->gifts[i].there || micai_plan_may_flip(plan->world, type);
    }
    for (uint32_t n = next_lost(plan, 0); free && n != MICAI_BITS_END; n = next_lost(plan, n + 1)) {
        free = micai_plan_may_flip(plan->world, registry->list.items[n]);
    }
    return free;
}

// Observers

// Notes a type in one of the sets of the tidings; what is watched of it.
static uint32_t note(mica_types *set, const micai_type *type)
{
    micai_types_put(set, type->number);
    return type->watched;
}

// What the entity comes to have and is given; what is watched of that.
static uint32_t note_gifts(micai_plan *plan)
{
    uint32_t watched = 0;
    for (uint32_t i = 0; i < plan->gift_count; i++) {
        const micai_gift *gift = &plan->gifts[i];
        if (gift->data) {
            watched |= note(&plan->set, gift->type) & MICA_ON_SET;
        }
        if (!gift->there) {
            watched |= note(&plan->more, gift->type) & ~(uint32_t)MICA_ON_SET;
        }
    }
    return watched;
}

// What it loses.
static uint32_t note_losses(micai_plan *plan)
{
    const micai_registry *registry = &plan->world->state->registry;
    uint32_t watched = 0;
    for (uint32_t i = 0; plan->changes > 0 && i < plan->source->word_count; i++) {
        uint64_t rest = plan->source->words[i] & ~micai_types_word(&plan->types, i);
        for (; rest != 0; rest &= rest - 1) {
            const micai_type *type = registry->list.items[i * 64 + micai_bits_lowest(rest)];
            watched |= note(&plan->less, type);
        }
    }
    for (uint32_t n = next_lost(plan, 0); n != MICAI_BITS_END; n = next_lost(plan, n + 1)) {
        watched |= note(&plan->less, registry->list.items[n]);
    }
    return watched;
}

// What is switched from one state to the other, of types in a set; what is watched of what was there.
static uint32_t note_flips(micai_plan *plan, const mica_types *set, bool off)
{
    const micai_state *state = plan->world->state;
    const micai_living who = {plan->entity, plan->record};
    uint32_t watched = 0;
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        const micai_type *type = state->registry.list.items[n];
        bool there = has_now(plan, type);
        if ((there ? micai_value_is_on(state, who, type) : true) == off) {
            uint32_t kinds = note(&plan->flips, type) & MICAI_WATCH_TOGGLES;
            watched |= there ? kinds : 0;
        }
    }
    return watched;
}

// Works out what is to be told, if anybody listens, and makes room for it.
static mica_result reserve_tidings(micai_plan *plan)
{
    mica_world *world = plan->world;
    if (world->state->observers == 0) {
        return MICA_OK;
    }
    bool spawns = !plan->source;
    if (!begin_set(world, &plan->more) || !begin_set(world, &plan->less) ||
        !begin_set(world, &plan->set) || (plan->toggles && !begin_set(world, &plan->flips))) {
        return MICA_ERROR_MEMORY;
    }
    uint32_t watched = note_gifts(plan);
    watched |= spawns ? world->state->registry.watched : note_losses(plan);
    watched &= spawns ? MICAI_WATCH_AFTER : MICAI_WATCH_CHANGES;
    if (plan->toggles) {
        watched |= note_flips(plan, &plan->off, true) | note_flips(plan, &plan->on, false);
    }
    plan->told = watched != 0;
    plan->tidings = micai_tidings_begin(world, plan->call);
    plan->tidings.who = (micai_living){plan->entity, plan->record};
    plan->tidings.spawns = spawns;
    plan->tidings.more = &plan->more;
    plan->tidings.less = &plan->less;
    plan->tidings.set = &plan->set;
    plan->tidings.flips = plan->toggles ? &plan->flips : NULL;
    mica_result result = plan->told ? micai_tidings_check_depth(world, plan->call) : MICA_OK;
    if (!result && !spawns && (watched & MICAI_WATCH_MATCHES) != 0) {
        result = micai_tidings_reserve(world, 1, &plan->tidings.matched);
    }
    return result;
}

static void tell_before(micai_plan *plan)
{
    micai_tidings_tell(plan->world, &plan->tidings, MICAI_WATCH_BEFORE);
}

static void tell_after(micai_plan *plan)
{
    plan->tidings.who = (micai_living){plan->entity, plan->record};
    micai_tidings_tell(plan->world, &plan->tidings, MICAI_WATCH_AFTER);
}

// May the plan be carried out now? Values may be overwritten, and some tags may come and go, also while
// the world is iterated.
static mica_result ask_gate(const micai_plan *plan, bool stays)
{
    mica_world *world = plan->world;
    bool edits = stays && ((!plan->joins && !plan->leaves) || (world->busy != 0 && flips(plan)));
    return edits ? micai_world_edit(world, plan->call)
                 : micai_world_guard_change(world, plan->call);
}

static mica_result reserve(micai_plan *plan)
{
    if (plan->source) {
        count_changes(plan);
    }
    bool stays = plan->source && plan->changes == 0;
    mica_result result = ask_gate(plan, stays);
    result = result ? result : copy_ahead(plan);
    if (!stays) {
        result = result ? result : find_target(plan);
        result = result ? result : reserve_room(plan);
    }
    result = result ? result : reserve_tidings(plan);
    return result ? result : make_new(plan);
}

// Ends what was made so far. A value that was given, of a type that cannot be copied, goes back.
static void undo(micai_plan *plan)
{
    micai_store *store = &plan->world->state->store;
    for (uint32_t i = plan->gift_count; i-- > 0;) {
        micai_gift *gift = &plan->gifts[i];
        if (gift->copy) {
            micai_hook_undo_copy(store->gate, gift->type, gift->copy, gift->data, 1);
        }
        if (MICAI_CANARY("entity.failed_spawn")) {
            continue;
        }
        if (gift->pool && gift->made) {
            micai_pool_undo(&plan->world->state->pools, gift->pool, gift->place, 1, gift->data, 0);
        } else if (gift->made) {
            uint32_t column = micai_table_column(plan->target, gift->type->number);
            const micai_kind *kind = micai_table_kind(plan->target, column);
            micai_cell cell = micai_row_next(plan->target, column);
            if (gift->data && !micai_hook_can_copy(gift->type)) {
                kind->load(store, cell, (void *)gift->data);
            } else {
                kind->end(store, cell, 1);
            }
        }
    }
}

// Committing

static void overwrite(micai_plan *plan)
{
    const micai_living who = {plan->entity, plan->record};
    for (uint32_t i = 0; plan->overwrites && i < plan->gift_count; i++) {
        micai_gift *gift = &plan->gifts[i];
        if (gift->copy) {
            micai_value_replace(plan->world, micai_value_find(plan->world->state, who, gift->type),
                                gift->copy);
        }
    }
}

// Joins pools, and leaves others.
static void commit_pools(micai_plan *plan)
{
    micai_pools *pools = &plan->world->state->pools;
    uint64_t tick = plan->world->view.tick;
    for (uint32_t i = 0; i < plan->gift_count; i++) {
        micai_gift *gift = &plan->gifts[i];
        if (gift->pool) {
            micai_pool_add(pools, gift->pool, gift->place, plan->entity, tick);
            micai_pool_relocate(pools, gift->pool);
        }
    }
    for (uint32_t n = next_lost(plan, 0); n != MICAI_BITS_END; n = next_lost(plan, n + 1)) {
        micai_pool *pool = pools->by_type.items[n];
        micai_pool_remove(pools, pool, mica_entity_slot(plan->entity), tick);
        micai_pool_relocate(pools, pool);
    }
}

// A new entity in the row behind a table's last, which was reserved and whose values are made.
static mica_entity join(micai_state *state, micai_table *table, uint64_t tick)
{
    mica_entity entity = micai_slots_take(&state->slots, table->next);
    micai_row_append(table, entity, tick);
    return entity;
}

// The same with a handle that was given out before.
static mica_entity settle(micai_state *state, micai_table *table, mica_entity entity, uint64_t tick)
{
    micai_slots_settle(&state->slots, entity, table->next);
    micai_row_append(table, entity, tick);
    return entity;
}

static void commit_toggles(micai_plan *plan, const mica_types *set, bool off)
{
    mica_world *world = plan->world;
    const micai_living who = {plan->entity, plan->record};
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        micai_value_toggle(world, who, world->state->registry.list.items[n], off);
    }
}

static void commit(micai_plan *plan)
{
    micai_state *state = plan->world->state;
    uint64_t tick = plan->world->view.tick;
    if (plan->edge) {
        micai_row_move(&state->store, plan->edge, plan->row, plan->record, tick);
        if (plan->changes == 1) {
            micai_edge_remember(&state->store, plan->edge);
        }
    } else if (plan->target) {
        plan->entity = mica_entity_is_none(plan->pending)
                           ? join(state, plan->target, tick)
                           : settle(state, plan->target, plan->pending, tick);
        plan->record = micai_slots_at(&state->slots, mica_entity_slot(plan->entity));
    }
    if (plan->joins || plan->leaves) {
        commit_pools(plan);
    }
    overwrite(plan);
    if (plan->toggles) {
        commit_toggles(plan, &plan->off, true);
        if (MICAI_CANARY("entity.switched_on")) {
            return;
        }
        commit_toggles(plan, &plan->on, false);
    }
}

static void carry_through(micai_plan *plan)
{
    micai_store *store = &plan->world->state->store;
    uint32_t row = plan->source ? micai_row_number(plan->row) : 0;
    commit(plan);
    if (plan->edge) {
        micai_stir_row(store, plan->source, row);
    }
    if (plan->target) {
        micai_stir_from(store, plan->target, plan->target->count - 1);
    }
}

mica_result micai_plan_carry_out(micai_plan *plan)
{
    uint32_t tables = micai_world_begin(plan->world, plan->call);
    mica_result result = reserve(plan);
    if (result) {
        undo(plan);
    } else {
        if (plan->told) {
            tell_before(plan);
        }
        carry_through(plan);
        if (plan->and_then) {
            plan->and_then(plan, plan->user);
        }
        micai_store_tidy(&plan->world->state->store);
        if (plan->told) {
            tell_after(plan);
        }
    }
    return micai_world_end(plan->world, tables, result);
}

mica_entity micai_plan_end(micai_plan *plan)
{
    if (!plan->world) {
        return mica_entity_none();
    }
    micai_arena_rewind(&plan->world->scratch, plan->mark);
    return plan->entity;
}

mica_result micai_plan_finish(micai_plan *plan, mica_result result)
{
    result = result ? result : micai_plan_carry_out(plan);
    micai_plan_end(plan);
    mica_result paid = plan->world ? micai_world_finish(plan->world, plan->call, result) : result;
    return plan->hands_over ? result : paid;
}

// Entities that have nothing yet

static void tell_of_spawn(mica_world *world, const char *call, mica_entity entity)
{
    if ((world->state->registry.watched & MICAI_WATCH_AFTER) != 0) {
        micai_tidings tidings = micai_tidings_begin(world, call);
        tidings.who =
            (micai_living){entity, micai_slots_at(&world->state->slots, mica_entity_slot(entity))};
        tidings.spawns = true;
        micai_tidings_tell(world, &tidings, MICAI_WATCH_AFTER);
    }
}

mica_entity micai_plan_spawn_empty(mica_world *world)
{
    micai_store *store = &world->state->store;
    if (micai_store_reserve(store, store->root, 1)) {
        return mica_entity_none();
    }
    mica_entity entity = join(world->state, store->root, world->view.tick);
    micai_stir_from(store, store->root, store->root->count - 1);
    tell_of_spawn(world, "mica_spawn_empty", entity);
    return entity;
}

mica_result micai_plan_spawn_at(mica_world *world, mica_entity entity)
{
    micai_state *state = world->state;
    micai_table *root = state->store.root;
    mica_result result = micai_slots_reserve_at(state->host, &state->slots, entity);
    result = result ? result : micai_table_reserve(&state->store, root, 1);
    if (!result) {
        micai_slots_take_at(&state->slots, entity, root->next);
        micai_row_append(root, entity, world->view.tick);
        micai_stir_from(&state->store, root, root->count - 1);
        tell_of_spawn(world, "mica_spawn_at", entity);
    }
    return result;
}
