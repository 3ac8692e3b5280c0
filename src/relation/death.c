// Deaths: what is despawned with an entity, and what becomes of the links of others. There is no
// recursion: the entities are listed, then counted, then put into order.
//
// Room:    relation. Called by entity/despawn.c through store/pool/link.h.
#include <inttypes.h>

#include "base/canary.h"
#include "entity/data.h"
#include "relation/relation.h"

// Returns the place of an entity in the list, or MICAI_SEAT_NONE.
static uint32_t find_death(const micai_relations *all, mica_entity entity)
{
    const uint32_t *mark = micai_marks_find(&all->marks, mica_entity_slot(entity));
    return mark && *mark < all->deaths.count && MICA_EQUAL(all->deaths.items[*mark].entity, entity)
               ? *mark
               : MICAI_SEAT_NONE;
}

// Lists an entity, unless it is listed already.
static mica_result list_death(micai_relations *all, mica_entity entity)
{
    if (find_death(all, entity) != MICAI_SEAT_NONE) {
        return MICA_OK;
    }
    micai_host *host = all->state->host;
    uint32_t *mark = micai_marks_get_or_add(host, &all->marks, mica_entity_slot(entity));
    if (!mark || !micai_array_reserve(host, &all->deaths, 1)) {
        return MICA_ERROR_MEMORY;
    }
    *mark = all->deaths.count;
    all->deaths.items[all->deaths.count++] = (micai_death){.entity = entity};
    return MICA_OK;
}

// Lists the sources of an entity.
static mica_result list_sources(micai_relations *all, const micai_relation *relation,
                                mica_entity target)
{
    const micai_seats *seats = &relation->seats;
    const micai_seat_list *list = micai_seats_list(seats, target);
    mica_result result = MICA_OK;
    for (mica_entity source = list ? micai_seats_first(seats, list) : (mica_entity){0};
         !result && !MICA_IS_NONE(source); source = micai_seats_next(seats, source)) {
        result = list_death(all, source);
    }
    return result;
}

static mica_result list_all(micai_relations *all, const mica_entity *entities, uint32_t count)
{
    mica_result result = MICA_OK;
    all->deaths.count = 0;
    for (uint32_t i = 0; !result && i < count; i++) {
        result = list_death(all, entities[i]);
    }
    for (uint32_t i = 0; !result && i < all->deaths.count; i++) {
        mica_entity entity = all->deaths.items[i].entity;
        micai_dependents dependents = {.state = all->state, .owner = entity};
        while (!result && micai_dependents_next(&dependents)) {
            result = list_death(all, dependents.entity);
        }
        for (uint32_t r = 0; !result && r < all->list.count; r++) {
            const micai_relation *relation = all->list.items[r];
            if (relation->cleanup == MICA_CASCADE) {
                result = list_sources(all, relation, entity);
            }
        }
    }
    return result;
}

// Links of others

static mica_result refuse(mica_world *world, const char *call, const micai_relation *relation,
                          mica_entity source, mica_entity target)
{
    char one[MICA_ENTITY_TEXT_SIZE];
    char other[MICA_ENTITY_TEXT_SIZE];
    return micai_fail(&world->host, MICA_ERROR_LINKED,
                      "%s: entity %s cannot be despawned: '%.80s' of entity %s leads to it, and "
                      "refuses",
                      call, mica_entity_text(target, one), relation->type->info.name,
                      mica_entity_text(source, other));
}

// Returns the first source from a seat on that stays alive, or none.
static mica_entity find_survivor(const micai_relations *all, const micai_seats *seats,
                                 mica_entity source)
{
    while (!MICA_IS_NONE(source) && find_death(all, source) != MICAI_SEAT_NONE) {
        source = micai_seats_next(seats, source);
    }
    return source;
}

static mica_entity first_survivor(const micai_relations *all, const micai_seats *seats,
                                  mica_entity target)
{
    const micai_seat_list *list = micai_seats_list(seats, target);
    return list ? find_survivor(all, seats, micai_seats_first(seats, list)) : (mica_entity){0};
}

// Returns the nearest target above a dying one that stays alive, or none.
static mica_entity find_heir(const micai_relations *all, const micai_relation *relation,
                             mica_entity target)
{
    uint32_t left = all->deaths.count; // there may be cycles
    mica_entity heir = target;
    do {
        heir = micai_seats_target(&relation->seats, heir);
    } while (left-- > 0 && !MICA_IS_NONE(heir) && find_death(all, heir) != MICAI_SEAT_NONE);
    return !MICA_IS_NONE(heir) && find_death(all, heir) == MICAI_SEAT_NONE ? heir
                                                                           : (mica_entity){0};
}

static mica_result check_survivors(micai_relations *all, mica_world *world, const char *call)
{
    for (uint32_t r = 0; r < all->list.count; r++) {
        micai_relation *relation = all->list.items[r];
        uint32_t lifted = 0;
        bool refuses = relation->cleanup == MICA_REFUSE && !MICAI_CANARY("relation.refuse");
        bool counts = relation->cleanup == MICA_LIFT || refuses;
        for (uint32_t d = 0; counts && d < all->deaths.count; d++) {
            const micai_seats *seats = &relation->seats;
            mica_entity target = all->deaths.items[d].entity;
            mica_entity source = first_survivor(all, seats, target);
            if (refuses && !MICA_IS_NONE(source)) {
                return refuse(world, call, relation, source, target);
            }
            lifted += MICA_IS_NONE(source) ? 0 : micai_seats_list(seats, target)->count;
        }
        if (lifted > 0 && !micai_seats_reserve(&world->host, &relation->seats, lifted, lifted)) {
            return MICA_ERROR_MEMORY;
        }
    }
    return MICA_OK;
}

// Removes or lifts the links of all sources of a target that stay alive. Blocks stay meanwhile.
static void sever(micai_relations *all, mica_world *world, const char *call,
                  micai_relation *relation, mica_entity target, uint64_t *matched)
{
    micai_seats *seats = &relation->seats;
    mica_entity heir =
        relation->cleanup == MICA_LIFT ? find_heir(all, relation, target) : (mica_entity){0};
    mica_entity next;
    seats->keep_empty = true;
    for (mica_entity source = first_survivor(all, seats, target); !MICA_IS_NONE(source);
         source = next) {
        next = find_survivor(all, seats, micai_seats_next(seats, source));
        if (MICA_IS_NONE(heir)) {
            micai_link_sever(world, call, source, relation->type, matched);
        } else {
            micai_link_lift(world, call, source, relation->type, heir);
        }
    }
    seats->keep_empty = false;
    micai_seats_drop_empty(seats, target);
}

void micai_relation_sever(mica_world *world, const char *call, uint64_t *matched)
{
    micai_relations *all = micai_relations_of(world);
    for (uint32_t r = 0; r < all->list.count; r++) {
        micai_relation *relation = all->list.items[r];
        for (uint32_t d = 0; relation->cleanup != MICA_CASCADE && d < all->deaths.count; d++) {
            sever(all, world, call, relation, all->deaths.items[d].entity, matched);
        }
    }
}

// Order

// Returns the place of an entity or, if it is a facet whose owner dies, of the owner: facets come
// right before that.
static uint32_t place_of(const micai_relations *all, mica_entity entity)
{
    const micai_facet *facet = micai_facets_get(micai_facets_of(all->state), entity);
    uint32_t owner = facet ? find_death(all, facet->owner) : MICAI_SEAT_NONE;
    return owner != MICAI_SEAT_NONE ? owner : find_death(all, entity);
}

// Returns the next place after an entity's own that waits for its death: that of a target by a
// relation that cascades. `relation` begins with 0. Returns MICAI_SEAT_NONE at the end.
static uint32_t next_waiting(const micai_relations *all, mica_entity entity, uint32_t *relation)
{
    while (*relation < all->list.count) {
        const micai_relation *one = all->list.items[(*relation)++];
        mica_entity target = one->cleanup == MICA_CASCADE && one->seats.count > 0
                                 ? micai_seats_target(&one->seats, entity)
                                 : (mica_entity){0};
        uint32_t place = MICA_IS_NONE(target) ? MICAI_SEAT_NONE : place_of(all, target);
        if (place != MICAI_SEAT_NONE && place != place_of(all, entity)) {
            return place;
        }
    }
    return MICAI_SEAT_NONE;
}

static void count_pending(micai_relations *all)
{
    for (uint32_t i = 0; i < all->deaths.count; i++) {
        uint32_t relation = 0;
        uint32_t place;
        while ((place = next_waiting(all, all->deaths.items[i].entity, &relation)) !=
               MICAI_SEAT_NONE) {
            all->deaths.items[place].pending++;
        }
    }
}

#define PENDING_DONE UINT32_C(0x80000000) // the entity is in the order

// Appends an entity behind its facets.
static void append(micai_relations *all, uint32_t place)
{
    mica_entity entity = all->deaths.items[place].entity;
    micai_dependents dependents = {.state = all->state, .owner = entity};
    while (micai_dependents_next(&dependents)) {
        all->order.items[all->order.count++] = dependents.entity;
    }
    all->deaths.items[place].pending |= PENDING_DONE;
    all->order.items[all->order.count++] = entity;
}

// Appends an entity, and each that waited for nothing else. The list itself says which of them comes
// next: those appended last are looked at from `from` on.
static void append_ready(micai_relations *all, uint32_t place)
{
    uint32_t from = all->order.count;
    append(all, place);
    for (; from < all->order.count; from++) {
        uint32_t relation = 0;
        while ((place = next_waiting(all, all->order.items[from], &relation)) != MICAI_SEAT_NONE) {
            micai_death *waiting = &all->deaths.items[place];
            if ((waiting->pending & ~PENDING_DONE) > 0 && --waiting->pending == 0) {
                append(all, place);
            }
        }
    }
}

// Facets of owners that die are appended with these. What is left at the end waits in a cycle.
static void put_into_order(micai_relations *all)
{
    all->order.count = 0;
    count_pending(all);
    for (int cycles = 0; cycles < 2; cycles++) {
        for (uint32_t i = 0; i < all->deaths.count; i++) {
            const micai_death *one = &all->deaths.items[i];
            bool ready = one->pending == 0 || (cycles && one->pending < PENDING_DONE);
            if (ready && place_of(all, one->entity) == i) {
                append_ready(all, i);
            }
        }
    }
}

// Trees

// Returns the only relation that has links, if its deaths form a tree: it cascades, without cycles, and
// there are no facets. Returns NULL otherwise.
static const micai_relation *find_tree(const micai_relations *all)
{
    const micai_relation *tree = NULL;
    for (uint32_t r = 0; r < all->list.count; r++) {
        const micai_relation *one = all->list.items[r];
        if (one->seats.count == all->links.count && one->cleanup == MICA_CASCADE && !one->cyclic) {
            tree = one;
        }
    }
    return micai_facets_of(all->state)->count == 0 ? tree : NULL;
}

static bool list_tree(micai_relations *all, const micai_seats *seats, mica_entity root)
{
    micai_host *host = all->state->host;
    all->deaths.count = 0;
    if (!micai_array_reserve(host, &all->deaths, 1)) {
        return false;
    }
    all->deaths.items[all->deaths.count++] = (micai_death){.entity = root};
    for (uint32_t i = 0; i < all->deaths.count; i++) {
        micai_death *one = &all->deaths.items[i];
        const micai_seat_list *list = micai_seats_list(seats, one->entity);
        if (!list) {
            continue;
        }
        one->pending = list->count;
        if (!micai_array_reserve(host, &all->deaths, list->count)) {
            return false;
        }
        for (mica_entity source = micai_seats_first(seats, list); !MICA_IS_NONE(source);
             source = micai_seats_next(seats, source)) {
            all->deaths.items[all->deaths.count++] = (micai_death){source, 0, i};
        }
    }
    return true;
}

// Puts a tree into the order of put_into_order().
static void order_tree(micai_relations *all)
{
    all->order.count = 0;
    for (uint32_t i = 0; i < all->deaths.count; i++) {
        uint32_t at = i;
        while (all->deaths.items[at].pending == 0) {
            all->order.items[all->order.count++] = all->deaths.items[at].entity;
            if (at == 0) {
                break;
            }
            at = all->deaths.items[at].target;
            all->deaths.items[at].pending--;
        }
    }
}

static mica_result collect_fast(mica_world *world, const char *call, micai_relations *all,
                                const micai_seats *seats, mica_entity root)
{
    micai_host_begin(&world->host, call);
    all->order.count = 0;
    bool listed = list_tree(all, seats, root) &&
                  micai_array_reserve(&world->host, &all->order, all->deaths.count);
    micai_host_end(&world->host);
    if (listed) {
        order_tree(all);
    }
    return listed ? MICA_OK : MICA_ERROR_MEMORY;
}

mica_result micai_relation_collect(mica_world *world, const char *call, const mica_entity *entities,
                                   uint32_t count, micai_deaths *deaths_out)
{
    micai_relations *all = micai_relations_of(world);
    const micai_relation *tree = count == 1 ? find_tree(all) : NULL;
    if (tree) {
        mica_result collected = collect_fast(world, call, all, &tree->seats, *entities);
        *deaths_out = (micai_deaths){all->order.items, all->order.count};
        return collected;
    }
    micai_host_begin(&world->host, call);
    mica_result result = list_all(all, entities, count);
    all->order.count = 0;
    if (!result && !micai_array_reserve(&world->host, &all->order, all->deaths.count)) {
        result = MICA_ERROR_MEMORY;
    }
    result = result ? result : check_survivors(all, world, call);
    micai_host_end(&world->host);
    if (!result) {
        put_into_order(all);
        *deaths_out = (micai_deaths){all->order.items, all->order.count};
    }
    return result;
}
