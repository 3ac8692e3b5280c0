// Relations of a world: adding them, the rows of their pools, checks of new links. relation.h has the
// invariants, store/pool/link.h the contract of the functions that pools and entity/ call.
#include "relation/relation.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "entity/change.h"
#include "entity/data.h"
#include "entity/locate.h"
#include "query/query.h"
#include "store/pool/replace.h"

static micai_relations *relations_of(const micai_links *links)
{
    return (micai_relations *)(void *)links;
}

void micai_relations_count(micai_relations *all, uint32_t added, uint32_t removed)
{
    uint32_t before = all->links.count;
    all->links.count += added - removed;
    all->state->side_tables_in_use += (all->links.count > 0) - (uint32_t)(before > 0);
}

// Rows

void micai_relation_add_row(micai_links *links, micai_relation *relation, mica_entity source,
                            mica_entity target)
{
    micai_relations *all = relations_of(links);
    if (!all->suspended) {
        micai_seats_append(&relation->seats, source, target);
        micai_relations_count(all, 1, 0);
    }
}

static void remove_row(micai_links *links, micai_relation *relation, mica_entity source)
{
    micai_relations *all = relations_of(links);
    if (!all->suspended && micai_seats_is_seated(&relation->seats, source)) {
        micai_seats_remove(&relation->seats, source);
        micai_relations_count(all, 0, 1);
    }
}

static void replace_row(micai_links *links, micai_relation *relation, mica_entity source,
                        mica_entity target)
{
    if (!relations_of(links)->suspended &&
        !MICA_EQUAL(micai_seats_target(&relation->seats, source), target)) {
        micai_seats_remove(&relation->seats, source);
        micai_seats_append(&relation->seats, source, target);
    }
}

static void write_row(micai_links *links, const micai_type *type, const micai_cell *cell,
                      const void *data)
{
    mica_entity target;
    memcpy(&target, data, sizeof target);
    replace_row(links, type->relation, micai_table_entity(cell->table, cell->row), target);
}

static void clear_rows(micai_links *links, micai_relation *relation)
{
    micai_relations_count(relations_of(links), 0, relation->seats.count);
    micai_seats_clear(&relation->seats);
}

static mica_result reserve_slot(micai_links *links, micai_relation *relation, uint32_t slot)
{
    return micai_seats_reserve_node(relations_of(links)->state->host, &relation->seats, slot)
               ? MICA_OK
               : MICA_ERROR_MEMORY;
}

static mica_result reserve_seats(micai_links *links, micai_relation *relation, uint32_t count)
{
    return micai_seats_reserve(relations_of(links)->state->host, &relation->seats, count, count)
               ? MICA_OK
               : MICA_ERROR_MEMORY;
}

// Checks of new links

static mica_result fail_link(mica_world *world, const char *call, const micai_link_fault *fault,
                             const char *name)
{
    char source[MICA_ENTITY_TEXT_SIZE];
    char target[MICA_ENTITY_TEXT_SIZE];
    mica_entity_text(fault->source, source);
    mica_entity_text(fault->target, target);
    const char *gap = MICA_IS_NONE(fault->target) ? "" : " ";
    return MICA_IS_NONE(fault->source)
               ? micai_fail(&world->host, fault->code, "%s: '%.80s' of a new entity %s%s%s", call,
                            name, fault->what, gap, *gap ? target : "")
               : micai_fail(&world->host, fault->code, "%s: '%.80s' of entity %s %s%s%s", call,
                            name, source, fault->what, gap, *gap ? target : "");
}

// Returns true if an entity is a target, or that of one, and so on. Links of seated sources have no
// cycles.
static bool is_above(const micai_seats *seats, mica_entity above, mica_entity entity)
{
    while (!MICA_IS_NONE(entity) && !MICA_EQUAL(entity, above)) {
        entity = micai_seats_target(seats, entity);
    }
    return !MICA_IS_NONE(entity);
}

// Checks one link. The source may be none: an entity to be spawned.
static micai_link_fault find_fault(const micai_state *state, const micai_relation *relation,
                                   mica_entity source, mica_entity target)
{
    micai_link_fault fault = {.source = source, .target = target};
    const micai_seats *seats = &relation->seats;
    if (MICA_IS_NONE(target)) {
        fault.what = "needs a target: give it a value, or use mica_link";
        fault.code = MICA_ERROR_ENTITY;
    } else if (!micai_slots_find(&state->slots, target)) {
        fault.what = "cannot lead to an entity that is dead, or of another world:";
        fault.code = MICA_ERROR_ENTITY;
    } else if (micai_facets_get(micai_facets_of(state), source)) {
        fault.what = "is refused, as facets have no links; its target is";
        fault.code = MICA_ERROR_ARGUMENT;
    } else if (!relation->cyclic && MICA_EQUAL(source, target)) {
        fault.what = "would lead to itself,";
        fault.code = MICA_ERROR_CYCLE;
    } else if (!relation->cyclic && micai_seats_list(seats, source) &&
               is_above(seats, source, target) && !MICAI_CANARY("relation.cycle")) {
        fault.what = "would close a cycle: below it is";
        fault.code = MICA_ERROR_CYCLE;
    }
    return fault;
}

static mica_entity load_target(const micai_new_links *added, uint32_t i)
{
    mica_entity target = {0};
    if (added->targets) {
        memcpy(&target, (const char *)added->targets + (size_t)i * added->stride, sizeof target);
    }
    return target;
}

// Reserves the seats of checked links. `runs` is how often the target changes in the list.
static mica_result reserve(mica_world *world, const char *call, micai_relation *relation,
                           const micai_new_links *added, uint32_t runs)
{
    bool reserved = true;
    micai_host *host = &world->host;
    micai_seats *seats = &relation->seats;
    micai_host_begin(host, call);
    for (uint32_t i = 0; reserved && i < added->count; i++) {
        uint32_t slot = mica_entity_slot(load_target(added, i));
        reserved = (added->stride == 0 && i > 0) || micai_seats_reserve_node(host, seats, slot);
        reserved = reserved &&
                   (!added->sources ||
                    micai_seats_reserve_node(host, seats, mica_entity_slot(added->sources[i])));
    }
    reserved = reserved && micai_seats_reserve(host, seats, added->count, runs);
    micai_host_end(host);
    return reserved ? MICA_OK : MICA_ERROR_MEMORY;
}

mica_result micai_relation_prepare(mica_world *world, const char *call,
                                   const micai_new_links *added)
{
    mica_result result = micai_world_guard_change(world, call);
    micai_relation *relation = added->type->relation;
    mica_entity previous = {0};
    uint32_t runs = 0;
    for (uint32_t i = 0; !result && i < added->count; i++) {
        mica_entity target = load_target(added, i);
        mica_entity source = added->sources ? added->sources[i] : (mica_entity){0};
        const micai_link_fault fault = find_fault(world->state, relation, source, target);
        if (fault.what) {
            return fail_link(world, call, &fault, relation->type->info.name);
        }
        runs += !MICA_EQUAL(target, previous);
        previous = target;
    }
    const micai_seats *seats = &relation->seats;
    bool ready = added->count == 1 && added->sources && micai_seats_has_one(seats) &&
                 micai_seats_node(seats, mica_entity_slot(previous)) &&
                 micai_seats_node(seats, mica_entity_slot(added->sources[0]));
    return result || ready ? result : reserve(world, call, relation, added, runs);
}

static mica_result give(const micai_change *change, const micai_type *type, const void *data)
{
    const mica_entity *source = change->source ? &change->entity : &change->pending;
    const micai_new_links added = {type, MICA_IS_NONE(*source) ? NULL : source, 1, data, 0};
    bool stays = !data && change->source &&
                 !MICA_IS_NONE(micai_link_target(change->world->state, type, change->entity));
    return stays ? MICA_OK : micai_relation_prepare(change->world, change->call, &added);
}

// Whole contents

static void suspend(micai_links *links)
{
    relations_of(links)->suspended = true;
}

static void follow(micai_links *links)
{
    relations_of(links)->suspended = false;
}

bool micai_relation_seat(micai_links *links, micai_relation *relation, mica_entity source)
{
    micai_relations *all = relations_of(links);
    mica_entity target = micai_link_target(all->state, relation->type, source);
    if (MICA_IS_NONE(target) || micai_seats_is_seated(&relation->seats, source)) {
        return false;
    }
    micai_seats_append(&relation->seats, source, target);
    micai_relations_count(all, 1, 0);
    return true;
}

// Removes seats of sources that have another target now, or none.
static void drop_seats(micai_relations *all, micai_relation *relation)
{
    micai_seats *seats = &relation->seats;
    for (uint32_t i = 0; i < seats->lists.count; i++) {
        mica_entity target = seats->lists.items[i].target;
        mica_entity next;
        seats->keep_empty = true;
        for (mica_entity source =
                 MICA_IS_NONE(target) ? target : micai_seats_first(seats, &seats->lists.items[i]);
             !MICA_IS_NONE(source); source = next) {
            next = micai_seats_next(seats, source);
            if (!micai_slots_find(&all->state->slots, target) ||
                !MICA_EQUAL(micai_link_target(all->state, relation->type, source), target)) {
                micai_seats_remove(seats, source);
                micai_relations_count(all, 0, 1);
            }
        }
        seats->keep_empty = false;
        micai_seats_drop_empty(seats, target);
    }
}

void micai_relation_drop_invalid(mica_world *world)
{
    micai_relations *all = micai_relations_of(world);
    micai_links *links = &all->links;
    for (uint32_t i = 0; i < all->list.count; i++) {
        micai_relation *relation = all->list.items[i];
        const micai_pool *pool = micai_pools_find(&all->state->pools, relation->type->info.type);
        drop_seats(all, relation);
        for (uint32_t row = 0; pool && row < pool->table.count;) {
            mica_entity source = micai_pool_entity(pool, row);
            mica_entity target = micai_link_target(all->state, relation->type, source);
            bool wrong = !micai_seats_is_seated(&relation->seats, source) &&
                         find_fault(all->state, relation, source, target).what;
            if (wrong) { // the last row takes its place
                micai_link_drop(world, source, relation->type);
            } else {
                (void)micai_relation_seat(links, relation, source);
                row++;
            }
        }
    }
}

// Checking all values of a pool

typedef struct check {
    const micai_pool *pool;
    uint64_t mark;
    uint8_t *seen; // by row: one of the states below
} check;

enum { NOT_SEEN, SEEN, FINE };

static mica_entity target_at(const check *c, uint32_t row)
{
    mica_entity target;
    memcpy(&target, micai_pool_value(c->pool, row), sizeof target);
    target.bits &= ~c->mark;
    return target;
}

static uint32_t next_row(const check *c, uint32_t row)
{
    mica_entity target = target_at(c, row);
    return MICA_IS_NONE(target) ? MICAI_INDEX_NONE
                                : micai_pool_row(c->pool, mica_entity_slot(target));
}

// Follows the links from a row. Returns false if they form a cycle.
static bool follow_links(const check *c, uint32_t row)
{
    uint32_t at = row;
    for (; at != MICAI_INDEX_NONE && c->seen[at] == NOT_SEEN; at = next_row(c, at)) {
        c->seen[at] = SEEN;
    }
    bool right = at == MICAI_INDEX_NONE || c->seen[at] == FINE;
    for (at = row; right && at != MICAI_INDEX_NONE && c->seen[at] == SEEN; at = next_row(c, at)) {
        c->seen[at] = FINE;
    }
    return right;
}

static mica_result find_cycle(micai_host *host, check *c, micai_link_fault *fault_out)
{
    uint32_t count = c->pool->table.count;
    c->seen = micai_alloc_zeroed(host, count, 1);
    for (uint32_t row = 0; c->seen && row < count && !fault_out->what; row++) {
        if (!follow_links(c, row)) {
            *fault_out =
                (micai_link_fault){"is part of a cycle, with", micai_pool_entity(c->pool, row),
                                   target_at(c, row), MICA_ERROR_CYCLE};
        }
    }
    micai_release(host, c->seen, count, 1);
    return c->seen ? MICA_OK : MICA_ERROR_MEMORY;
}

mica_result micai_relation_check(mica_world *world, const micai_state *state,
                                 const micai_type *type, uint64_t mark, micai_link_fault *fault_out)
{
    check c = {.pool = micai_pools_find(&state->pools, type->info.type), .mark = mark};
    uint32_t count = c.pool ? c.pool->table.count : 0;
    *fault_out = (micai_link_fault){0};
    for (uint32_t row = 0; row < count && !fault_out->what; row++) {
        mica_entity source = micai_pool_entity(c.pool, row);
        mica_entity target = target_at(&c, row);
        if (micai_facets_get(micai_facets_of(state), source) ||
            (!micai_slots_find(&state->slots, target) && !(mark && MICA_IS_NONE(target)))) {
            *fault_out = (micai_link_fault){"has no living target, or is that of a facet:", source,
                                            target, MICA_ERROR_ENTITY};
        }
    }
    bool acyclic = !type->relation || !type->relation->cyclic;
    return count > 0 && acyclic && !fault_out->what ? find_cycle(&world->host, &c, fault_out)
                                                    : MICA_OK;
}

// Order

// Returns the first source from a row on that is the first of its target.
static mica_entity find_first(const micai_relations *all, const micai_relation *relation,
                              uint32_t row)
{
    const micai_pool *pool = micai_pools_find(&all->state->pools, relation->type->info.type);
    const micai_seats *seats = &relation->seats;
    for (; pool && row < pool->table.count; row++) {
        mica_entity source = micai_pool_entity(pool, row);
        const micai_seat_list *list = micai_seats_list(seats, micai_seats_target(seats, source));
        if (list && MICA_EQUAL(micai_seats_first(seats, list), source)) {
            return source;
        }
    }
    return (mica_entity){0};
}

static mica_entity next_source(const micai_links *links, const micai_relation *relation,
                               mica_entity previous)
{
    const micai_relations *all = relations_of(links);
    const micai_seats *seats = &relation->seats;
    if (MICA_IS_NONE(previous)) {
        return find_first(all, relation, 0);
    }
    mica_entity next = micai_seats_next(seats, previous);
    if (MICA_IS_NONE(next)) {
        const micai_pool *pool = micai_pools_find(&all->state->pools, relation->type->info.type);
        const micai_seat_list *list = micai_seats_list(seats, micai_seats_target(seats, previous));
        mica_entity first = micai_seats_first(seats, list);
        next = find_first(all, relation, micai_pool_row(pool, mica_entity_slot(first)) + 1);
    }
    return next;
}

static uint64_t digest(const micai_links *links, uint64_t hash)
{
    const micai_relations *all = relations_of(links);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_relation *relation = all->list.items[i];
        uint64_t one = relation->type->name_hash;
        for (mica_entity source = next_source(links, relation, (mica_entity){0});
             !MICA_IS_NONE(source); source = next_source(links, relation, source)) {
            one = micai_hash_add(one, source.bits);
        }
        sum += relation->seats.count > 0 ? micai_hash_mix(one) : 0;
    }
    return sum ? micai_hash_add(hash, sum) : hash;
}

static bool has_sources(const micai_links *links, mica_entity entity)
{
    const micai_relations *all = relations_of(links);
    bool has = false;
    for (uint32_t i = 0; !has && i < all->list.count; i++) {
        has = micai_seats_list(&all->list.items[i]->seats, entity) != NULL;
    }
    return has;
}

static mica_result copy_relation(mica_world *world, const micai_relation *relation)
{
    const mica_relation_desc desc = {.name = relation->type->info.name,
                                     .cleanup = relation->cleanup,
                                     .cyclic = relation->cyclic};
    return MICA_IS_NONE(mica_relation_add(world, &desc)) ? micai_world_failed(world) : MICA_OK;
}

// The module

static const micai_links_ops ops = {
    .add = micai_relation_add_row,
    .remove = remove_row,
    .replace = replace_row,
    .clear = clear_rows,
    .write = write_row,
    .give = give,
    .reserve_slot = reserve_slot,
    .reserve_seats = reserve_seats,
    .prepare = micai_relation_prepare,
    .replay = micai_relation_replay,
    .has_sources = has_sources,
    .collect = micai_relation_collect,
    .sever = micai_relation_sever,
    .suspend = suspend,
    .seat = micai_relation_seat,
    .follow = follow,
    .drop_invalid = micai_relation_drop_invalid,
    .check = micai_relation_check,
    .next = next_source,
    .visit = micai_relation_visit,
    .leads_to = micai_relation_leads_to,
    .digest = digest,
    .part = &micai_relations_part,
    .copy = copy_relation,
};

static void free_relation(micai_host *host, micai_relation *relation)
{
    micai_seats_free(host, &relation->seats);
    micai_release(host, relation, sizeof *relation, _Alignof(micai_relation));
}

// Pools are freed later, without the relations.
static void close_module(mica_world *world, void *data)
{
    micai_relations *all = data;
    world->state->pools.links = NULL;
    for (uint32_t i = 0; i < all->list.count; i++) {
        free_relation(&world->host, all->list.items[i]);
    }
    micai_array_free(&world->host, &all->list);
    micai_array_free(&world->host, &all->deaths);
    micai_array_free(&world->host, &all->order);
    micai_marks_free(&world->host, &all->marks);
    micai_release(&world->host, all, sizeof *all, _Alignof(micai_relations));
}

static void reclaim_module(mica_world *world, void *data)
{
    micai_relations *all = data;
    for (uint32_t i = 0; i < all->list.count; i++) {
        micai_seats_reclaim(&world->host, &all->list.items[i]->seats);
    }
    micai_array_free(&world->host, &all->deaths);
    micai_array_free(&world->host, &all->order);
    micai_marks_free(&world->host, &all->marks);
}

static micai_relations *open_module(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_RELATION];
    if (!module->data) {
        micai_relations *all =
            micai_alloc_zeroed(&world->host, sizeof *all, _Alignof(micai_relations));
        if (all) {
            all->links.ops = &ops;
            all->state = world->state;
            *module = (micai_module){.data = all, .close = close_module, .reclaim = reclaim_module};
            world->state->pools.links = &all->links;
        }
    }
    return module->data;
}

// Adding relations

static const mica_field_info target_field = {.name = "target", .kind = MICA_KIND_ENTITY};

static mica_type register_type(mica_world *world, const char *call, const char *name)
{
    const mica_type_desc desc = {.name = name,
                                 .size = sizeof(mica_entity),
                                 .align = _Alignof(mica_entity),
                                 .fields = &target_field,
                                 .field_count = 1,
                                 .storage = MICA_SPARSE};
    micai_registry *registry = &world->state->registry;
    return micai_change_reserve_types(world, registry->list.count + 1)
               ? (mica_type){0}
               : micai_registry_register(&world->host, registry, call, &desc);
}

// Turns the values that a type has into links.
static mica_result adopt(mica_world *world, const char *call, micai_relation *relation)
{
    micai_state *state = world->state;
    const micai_type *type = relation->type;
    micai_pool *pool = micai_pools_open(&state->pools, type);
    micai_link_fault fault;
    if (!pool) {
        return MICA_ERROR_MEMORY;
    }
    mica_result result = micai_relation_check(world, state, type, 0, &fault);
    if (!result && fault.what && !(relation->cyclic && fault.code == MICA_ERROR_CYCLE)) {
        return fail_link(world, call, &fault, type->info.name);
    }
    for (uint32_t row = 0; !result && row < pool->table.count; row++) {
        mica_entity source = micai_pool_entity(pool, row);
        mica_entity target = micai_link_target(state, type, source);
        bool reserved =
            micai_seats_reserve_node(&world->host, &relation->seats, mica_entity_slot(source)) &&
            micai_seats_reserve_node(&world->host, &relation->seats, mica_entity_slot(target)) &&
            micai_seats_reserve(&world->host, &relation->seats, 1, 1);
        result = reserved ? MICA_OK : MICA_ERROR_MEMORY;
        if (!result) {
            micai_seats_append(&relation->seats, source, target);
        }
    }
    return result;
}

static mica_result refuse_type(mica_world *world, const char *call, const micai_type *type)
{
    if (world->state->modules[MICAI_MODULE_TIME].data && type->sparse < UINT32_MAX &&
        micai_pools_find(&world->state->pools, type->info.type)) {
        return micai_fail(&world->host, MICA_ERROR_TIME,
                          "%s: snapshots have '%.80s' as a plain component", call, type->info.name);
    }
    return micai_pool_require(&world->host, call, type, "is not sparse: its storage was changed");
}

static mica_relation commit(micai_relations *all, micai_relation *relation)
{
    micai_state *state = all->state;
    micai_type *type = state->registry.list.items[relation->type->number];
    micai_pool *pool = micai_pools_find(&state->pools, type->info.type);
    type->relation = relation;
    type->plain = false;
    pool->relation = relation;
    pool->index.view.hidden = MICAI_POOL_LINKS;
    micai_pool_update_fast_paths(&state->pools, pool);
    micai_transitions_update(&state->store, NULL);
    all->list.items[all->list.count++] = relation;
    micai_relations_count(all, relation->seats.count, 0);
    return (mica_relation){type->info.type.bits};
}

static mica_relation add_new(mica_world *world, const char *call, const mica_relation_desc *desc,
                             const micai_type *type)
{
    micai_relations *all = open_module(world);
    if (!all || !micai_array_reserve(&world->host, &all->list, 1)) {
        return (mica_relation){0};
    }
    micai_relation *relation =
        micai_alloc_zeroed(&world->host, sizeof *relation, _Alignof(micai_relation));
    if (!relation) {
        return (mica_relation){0};
    }
    relation->type = type;
    relation->cleanup = desc->cleanup;
    relation->cyclic = desc->cyclic;
    micai_seats_init(&relation->seats);
    if (refuse_type(world, call, type) || adopt(world, call, relation)) {
        free_relation(&world->host, relation);
        return (mica_relation){0};
    }
    return commit(all, relation);
}

static mica_relation add_again(mica_world *world, const char *call, const mica_relation_desc *desc,
                               const micai_relation *known)
{
    if (known->cleanup == desc->cleanup && known->cyclic == desc->cyclic) {
        return (mica_relation){known->type->info.type.bits};
    }
    micai_fail(&world->host, MICA_ERROR_SHAPE, "%s: '%.80s' was added with another %s", call,
               desc->name, known->cleanup == desc->cleanup ? ".cyclic" : ".cleanup");
    return (mica_relation){0};
}

mica_relation mica_relation_add(mica_world *world, const mica_relation_desc *desc)
{
    static const char call[] = "mica_relation_add";
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return (mica_relation){0};
    }
    if (micai_world_guard(world, call)) {
        return (mica_relation){0};
    }
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        micai_fail(&world->host, MICA_ERROR_DESC,
                   "%s: the descriptor was not zeroed before it was filled in", call);
        return (mica_relation){0};
    }
    if ((unsigned)desc->cleanup >= MICA_CLEANUP_COUNT) {
        micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: there is no cleanup %u", call,
                   (unsigned)desc->cleanup);
        return (mica_relation){0};
    }
    micai_kinds_use_stable(&world->state->registry);
    micai_pools_use(&world->state->pools);
    micai_filtered_use(&world->state->walks);
    micai_host_begin(&world->host, call);
    micai_state *state = world->state;
    const micai_registry_mark mark = micai_registry_get_mark(&state->registry);
    const mica_type handle = register_type(world, call, desc->name);
    const micai_type *type = micai_registry_find(&state->registry, handle);
    mica_relation added = {0};
    if (type) {
        added = type->relation ? add_again(world, call, desc, type->relation)
                               : add_new(world, call, desc, type);
    }
    if (type && MICA_IS_NONE(added) && type->number >= mark.count) {
        micai_pools_take_back(&state->pools, mark.count, mark.sparse_count);
        micai_registry_rewind(&state->registry, mark);
    }
    micai_host_end(&world->host);
    return added;
}

micai_relation *micai_relation_find(mica_world *world, const char *call, mica_relation relation)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    if (micai_world_guard_read(world, call)) {
        return NULL;
    }
    const micai_type *type =
        micai_registry_find(&world->state->registry, (mica_type){relation.bits});
    if (type && type->relation) {
        return type->relation;
    }
    micai_fail(&world->host, MICA_ERROR_RELATION, "%s: %s", call,
               MICA_IS_NONE(relation) ? "the relation is none"
                                      : "there is no such relation; it may be of another world");
    return NULL;
}

mica_type mica_relation_type(mica_world *world, mica_relation relation)
{
    const micai_relation *found = micai_relation_find(world, "mica_relation_type", relation);
    return found ? found->type->info.type : (mica_type){0};
}

// Validation

static mica_result validate_rows(mica_world *world, const micai_relation *relation)
{
    const micai_state *state = world->state;
    const char *name = relation->type->info.name;
    const micai_pool *pool = micai_pools_find(&state->pools, relation->type->info.type);
    if (!pool || pool->relation != relation || pool->table.count != relation->seats.count) {
        return micai_fail_invariant(&world->host, "R15", "%s: %" PRIu32 " sources have seats", name,
                                    relation->seats.count);
    }
    for (uint32_t row = 0; row < pool->table.count; row++) {
        mica_entity source = micai_pool_entity(pool, row);
        mica_entity target;
        memcpy(&target, micai_pool_value(pool, row), sizeof target);
        if (!MICA_EQUAL(micai_seats_target(&relation->seats, source), target) ||
            micai_facets_get(micai_facets_of(state), source)) {
            return micai_fail_invariant(&world->host, "R15",
                                        "%s: the source in row %" PRIu32 " has another seat", name,
                                        row);
        }
    }
    micai_link_fault fault;
    mica_result result = micai_relation_check(world, state, relation->type, 0, &fault);
    return result || !fault.what
               ? result
               : micai_fail_invariant(&world->host, "R16", "%s: links form a cycle", name);
}

mica_result micai_relations_validate(mica_world *world, const void *data)
{
    const micai_relations *all = data;
    const micai_state *state = world->state;
    uint32_t links = 0;
    uint32_t marked = 0;
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < all->list.count; i++) {
        const micai_relation *relation = all->list.items[i];
        result = micai_seats_validate(&world->host, &relation->seats, &state->slots,
                                      relation->type->info.name);
        result = result ? result : validate_rows(world, relation);
        links += relation->seats.count;
    }
    for (uint32_t n = 0; n < state->registry.list.count; n++) {
        marked += state->registry.list.items[n]->relation != NULL;
    }
    if (!result && (links != all->links.count || marked != all->list.count || all->suspended ||
                    state->pools.links != &all->links || all->state != state)) {
        result = micai_fail_invariant(&world->host, "R17", "relations are miscounted");
    }
    return result;
}
