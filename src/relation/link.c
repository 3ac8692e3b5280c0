// Links: the public calls that link, unlink and look links up. mica/relation.h has the contract.
#include <inttypes.h>

#include "base/canary.h"
#include "entity/change.h"
#include "entity/locate.h"
#include "relation/relation.h"
#include "state/recorder.h"

// Finds the relation of a call about an entity. Returns NULL, reported, if there is none or if the
// entity is dead.
static micai_relation *find_of(mica_world *world, const char *call, mica_entity entity,
                               mica_relation relation)
{
    micai_relation *found = micai_relation_find(world, call, relation);
    if (found && !micai_slots_find(&world->state->slots, entity)) {
        micai_slots_fail(&world->host, call, entity);
        return NULL;
    }
    return found;
}

// The same for a call that changes links. Recording worlds look entities up themselves.
static mica_result find_for_change(mica_world *world, const char *call, mica_entity source,
                                   mica_relation relation, micai_relation **found_out)
{
    *found_out = find_of(world, call, source, relation);
    return *found_out ? micai_world_guard_change(world, call) : micai_world_failed(world);
}

static mica_result record(mica_world *world, const char *call, mica_relation relation,
                          micai_link_verb verb, mica_entity source, mica_entity other)
{
    const micai_relation *found = micai_relation_find(world, call, relation);
    return found ? world->recorder->link(world, call, found->type, verb, source, other)
                 : micai_world_failed(world);
}

static mica_result link_checked(mica_world *world, const char *call, mica_entity source,
                                const micai_relation *relation, mica_entity target)
{
    const micai_new_links added = {
        .type = relation->type, .sources = &source, .count = 1, .targets = &target};
    if (MICA_EQUAL(micai_seats_target(&relation->seats, source), target) && target.bits) {
        return MICA_OK;
    }
    mica_result result = micai_relation_prepare(world, call, &added);
    return result ? result : micai_link_set(world, call, source, relation->type, target);
}

mica_result mica_link(mica_world *world, mica_entity source, mica_relation relation,
                      mica_entity target)
{
    static const char call[] = "mica_link";
    if (micai_recorder_of(world)) {
        return record(world, call, relation, MICAI_LINK_TARGET, source, target);
    }
    micai_relation *found;
    mica_result result = find_for_change(world, call, source, relation, &found);
    return result ? result : link_checked(world, call, source, found, target);
}

static mica_result fail_before(mica_world *world, const char *call, const micai_relation *relation,
                               mica_entity source, mica_entity sibling)
{
    char one[MICA_ENTITY_TEXT_SIZE];
    char other[MICA_ENTITY_TEXT_SIZE];
    mica_entity_text(source, one);
    mica_entity_text(sibling, other);
    return MICA_EQUAL(source, sibling)
               ? micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                            "%s: entity %s cannot be placed before itself", call, one)
               : micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                            "%s: entity %s cannot be placed before %s, which has no '%.80s'", call,
                            one, other, relation->type->info.name);
}

mica_result mica_link_before(mica_world *world, mica_entity source, mica_relation relation,
                             mica_entity sibling)
{
    static const char call[] = "mica_link_before";
    if (micai_recorder_of(world)) {
        return record(world, call, relation, MICAI_LINK_SIBLING, source, sibling);
    }
    micai_relation *found;
    mica_result result = find_for_change(world, call, source, relation, &found);
    if (result) {
        return result;
    }
    if (!micai_slots_find(&world->state->slots, sibling)) {
        return micai_slots_fail(&world->host, call, sibling);
    }
    micai_seats *seats = &found->seats;
    mica_entity target = micai_seats_target(seats, sibling);
    if (MICA_EQUAL(source, sibling) || MICA_IS_NONE(target)) {
        return fail_before(world, call, found, source, sibling);
    }
    micai_host_begin(&world->host, call);
    if (!micai_seats_reserve(&world->host, seats, 2, 2)) {
        result = MICA_ERROR_MEMORY;
    }
    micai_host_end(&world->host);
    result = result ? result : link_checked(world, call, source, found, target);
    // Commands of observers may have changed links.
    if (!result && MICA_EQUAL(micai_seats_target(seats, source), target) &&
        MICA_EQUAL(micai_seats_target(seats, sibling), target)) {
        micai_seats_remove(seats, source);
        micai_seats_insert(seats, source, sibling);
    }
    return result;
}

mica_result mica_unlink(mica_world *world, mica_entity source, mica_relation relation,
                        mica_entity target)
{
    static const char call[] = "mica_unlink";
    if (micai_recorder_of(world)) {
        return record(world, call, relation, MICAI_LINK_GONE, source, target);
    }
    micai_relation *found;
    mica_result result = find_for_change(world, call, source, relation, &found);
    if (result) {
        return result;
    }
    if (!MICA_IS_NONE(target) && !micai_slots_find(&world->state->slots, target)) {
        return micai_slots_fail(&world->host, call, target);
    }
    mica_entity had = micai_seats_target(&found->seats, source);
    if (MICA_IS_NONE(had) || (!MICA_IS_NONE(target) && !MICA_EQUAL(had, target))) {
        return MICA_OK;
    }
    return micai_link_remove(world, source, found->type);
}

mica_result micai_relation_replay(mica_world *world, const micai_type *type, micai_link_verb verb,
                                  mica_entity source, mica_entity other)
{
    const mica_relation relation = {type->info.type.bits};
    return verb == MICAI_LINK_TARGET    ? mica_link(world, source, relation, other)
           : verb == MICAI_LINK_SIBLING ? mica_link_before(world, source, relation, other)
                                        : mica_unlink(world, source, relation, other);
}

// Looking up

mica_entity mica_target(mica_world *world, mica_entity source, mica_relation relation)
{
    const micai_relation *found = find_of(world, "mica_target", source, relation);
    return found ? micai_seats_target(&found->seats, source) : (mica_entity){0};
}

uint32_t mica_source_count(mica_world *world, mica_entity target, mica_relation relation)
{
    const micai_relation *found = find_of(world, "mica_source_count", target, relation);
    const micai_seat_list *list = found ? micai_seats_list(&found->seats, target) : NULL;
    return list ? list->count : 0;
}

uint32_t mica_sources(mica_world *world, mica_entity target, mica_relation relation, uint32_t first,
                      mica_entity *sources_out, uint32_t capacity)
{
    static const char call[] = "mica_sources";
    if (world && !sources_out && capacity > 0) {
        micai_fail_null(&world->host, call, "sources_out");
        return 0;
    }
    const micai_relation *found = find_of(world, call, target, relation);
    const micai_seat_list *list = found ? micai_seats_list(&found->seats, target) : NULL;
    return list ? micai_seats_copy(&found->seats, list, first, sources_out, capacity) : 0;
}

mica_result mica_reorder(mica_world *world, mica_entity target, mica_relation relation,
                         const mica_entity *sources, uint32_t count)
{
    static const char call[] = "mica_reorder";
    if (!world || (!sources && count > 0)) {
        return micai_fail_null(micai_world_host(world), call, world ? "sources" : "world");
    }
    if (world->recorder) {
        return micai_fail(&world->host, MICA_ERROR_RECORDING, "%s: an order cannot be recorded",
                          call);
    }
    micai_relation *found = find_of(world, call, target, relation);
    mica_result result = found ? micai_world_guard(world, call) : micai_world_failed(world);
    if (result) {
        return result;
    }
    const micai_seat_list *list = micai_seats_list(&found->seats, target);
    char text[MICA_ENTITY_TEXT_SIZE];
    if ((list || count > 0) &&
        (!list || !micai_seats_reorder(&found->seats, list, sources, count))) {
        return micai_fail(
            &world->host, MICA_ERROR_ARGUMENT,
            "%s: the list has not each of the %" PRIu32 " sources of entity %s by '%.80s' once",
            call, list ? list->count : 0, mica_entity_text(target, text), found->type->info.name);
    }
    return MICA_OK;
}

// Upwards

// Visits the targets above an entity. Ends in cycles, too, after each was visited.
typedef struct ascent {
    const micai_seats *seats;
    mica_entity at;
    uint32_t left;
} ascent;

static ascent begin_ascent(const micai_relation *relation, mica_entity entity)
{
    return (ascent){&relation->seats, entity, relation->seats.count};
}

static bool ascend(ascent *up)
{
    up->at = up->left-- > 0 ? micai_seats_target(up->seats, up->at) : (mica_entity){0};
    return !MICA_IS_NONE(up->at);
}

bool mica_is_under(mica_world *world, mica_entity entity, mica_relation relation,
                   mica_entity ancestor)
{
    static const char call[] = "mica_is_under";
    const micai_relation *found = find_of(world, call, entity, relation);
    if (!found || !find_of(world, call, ancestor, relation)) {
        return false;
    }
    ascent up = begin_ascent(found, entity);
    bool under = false;
    while (!under && ascend(&up)) {
        under = MICA_EQUAL(up.at, ancestor);
    }
    return under;
}

// Counts the targets above an entity whose links may form a cycle, each once (Brent's algorithm).
static uint32_t count_above(const micai_seats *seats, mica_entity entity)
{
    mica_entity slow = entity;
    mica_entity fast = micai_seats_target(seats, entity);
    uint32_t steps = 0;  // to the end, or
    uint32_t length = 1; // around the cycle
    for (uint32_t power = 1; !MICA_IS_NONE(fast) && !MICA_EQUAL(slow, fast); length++, steps++) {
        if (power == length) {
            slow = fast;
            power *= 2;
            length = 0;
        }
        fast = micai_seats_target(seats, fast);
    }
    if (MICA_IS_NONE(fast)) {
        return steps;
    }
    slow = fast = entity;
    for (uint32_t i = 0; i < length; i++) {
        fast = micai_seats_target(seats, fast);
    }
    uint32_t before = 0;
    for (; !MICA_EQUAL(slow, fast); before++) {
        slow = micai_seats_target(seats, slow);
        fast = micai_seats_target(seats, fast);
    }
    return before + length - 1;
}

uint32_t mica_depth(mica_world *world, mica_entity entity, mica_relation relation)
{
    const micai_relation *found = find_of(world, "mica_depth", entity, relation);
    if (found && found->cyclic) {
        return count_above(&found->seats, entity);
    }
    uint32_t depth = 0;
    for (ascent up = found ? begin_ascent(found, entity) : (ascent){0}; found && ascend(&up);) {
        depth++;
    }
    return depth;
}

const void *mica_get_up(mica_world *world, mica_entity entity, mica_relation relation,
                        mica_type type, mica_entity *whose_out)
{
    static const char call[] = "mica_get_up";
    const micai_relation *found = find_of(world, call, entity, relation);
    const micai_type *sought = found ? micai_world_type(world, call, type) : NULL;
    if (whose_out) {
        *whose_out = (mica_entity){0};
    }
    if (!sought) {
        return NULL;
    }
    if (sought->info.size == 0) {
        micai_fail(&world->host, MICA_ERROR_SIZE, "%s: '%.80s' is a tag and has no value", call,
                   sought->info.name);
        return NULL;
    }
    ascent up = begin_ascent(found, entity);
    do {
        const micai_entity_ref ref = micai_entity_ref_of(world->state, up.at);
        micai_value value = micai_value_find(world->state, ref, sought);
        if (micai_value_is_there(value)) {
            const void *data = micai_world_guard_access(world, call, sought)
                                   ? NULL
                                   : micai_value_get(world, call, value);
            if (data && whose_out) {
                *whose_out = up.at;
            }
            return data;
        }
    } while (ascend(&up));
    return NULL;
}

// Downwards

mica_descent mica_descend(mica_world *world, mica_entity root, mica_relation relation)
{
    const micai_relation *found = find_of(world, "mica_descend", root, relation);
    mica_descent descent = {.world = found ? world : NULL,
                            .relation = relation,
                            .root = root,
                            .current = root,
                            .revision = found ? found->seats.revision : 0};
    return descent;
}

// Returns a source, or the one behind it if it is the root, as in a cycle.
static mica_entity skip_root(const micai_seats *seats, const mica_descent *descent,
                             mica_entity source)
{
    return MICA_EQUAL(source, descent->root) ? micai_seats_next(seats, source) : source;
}

// Returns the next entity below the root: a source of the current one, or the next sibling of that
// or of a target above it.
static mica_entity find_next(const micai_seats *seats, mica_descent *descent)
{
    mica_entity at = descent->current;
    const micai_seat_list *list = micai_seats_list(seats, at);
    mica_entity next = {0};
    if (list) {
        next = skip_root(seats, descent, micai_seats_first(seats, list));
        descent->depth += !MICA_IS_NONE(next);
    }
    for (; MICA_IS_NONE(next) && !MICA_EQUAL(at, descent->root);
         at = micai_seats_target(seats, at)) {
        next = skip_root(seats, descent, micai_seats_next(seats, at));
        descent->depth -= MICA_IS_NONE(next);
    }
    return next;
}

mica_entity micai_relation_visit(const micai_relation *relation, mica_entity target, bool below,
                                 mica_entity previous)
{
    const micai_seats *seats = &relation->seats;
    bool begins = MICA_IS_NONE(previous);
    if (below) {
        mica_descent descent = {.root = target, .current = begins ? target : previous};
        return find_next(seats, &descent);
    }
    const micai_seat_list *list = begins ? micai_seats_list(seats, target) : NULL;
    return !begins ? micai_seats_next(seats, previous)
           : list  ? micai_seats_first(seats, list)
                   : (mica_entity){0};
}

bool micai_relation_leads_to(const micai_relation *relation, mica_entity target, bool below,
                             mica_entity entity)
{
    ascent up = begin_ascent(relation, entity);
    bool found = ascend(&up) && MICA_EQUAL(up.at, target);
    while (below && !found && ascend(&up)) {
        found = MICA_EQUAL(up.at, target);
    }
    return found && !(below && MICA_EQUAL(entity, target)); // of a cycle, all but the target
}

mica_entity mica_descent_next(mica_descent *descent)
{
    static const char call[] = "mica_descent_next";
    if (!descent || !descent->world) {
        if (!descent) {
            micai_fail_null(NULL, call, "descent");
        }
        return (mica_entity){0};
    }
    const micai_relation *found = micai_relation_find(descent->world, call, descent->relation);
    if (found && found->seats.revision != descent->revision) {
        micai_fail(&descent->world->host, MICA_ERROR_ITERATOR,
                   "%s: links of '%.80s' have changed since mica_descend", call,
                   found->type->info.name);
        found = NULL;
    }
    mica_entity next = found ? find_next(&found->seats, descent) : (mica_entity){0};
    descent->current = next;
    descent->world = MICA_IS_NONE(next) ? NULL : descent->world;
    return next;
}
