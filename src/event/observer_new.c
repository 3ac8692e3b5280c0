// Creating observers. observer.h explains their parts.
#include "event/observer.h"

#include <inttypes.h>

#include "base/bits.h"
#include "core/field.h"

// Returns true if a descriptor contains a query.
static bool has_query(const mica_query_desc *desc)
{
    bool has = desc->first_zero || desc->more_terms || desc->more_count || desc->everything ||
               desc->no_entities || desc->no_facets || desc->name || desc->last_zero ||
               desc->of.relation.bits;
    for (uint32_t i = 0; !has && i < MICA_TERMS_INLINE; i++) {
        has = desc->terms[i].type.bits || desc->terms[i].access;
    }
    return has;
}

typedef struct subject {
    const micai_type *types[MICA_OBSERVER_TYPES_MAX];
    uint32_t type_count;
    bool query; // the subject is a query
} subject;

static const char *describe(const subject *of)
{
    return of->type_count > 0 ? "a component" : of->query ? "a query" : "all entities";
}

// Returns the name of the first of several kinds, as programs write it.
static const char *name_kind(uint32_t kinds)
{
    static const char *const names[] = {"MICA_ON_LEAVE",   "MICA_ON_DISABLE", "MICA_ON_REMOVE",
                                        "MICA_ON_DESPAWN", "MICA_ON_SPAWN",   "MICA_ON_ADD",
                                        "MICA_ON_SET",     "MICA_ON_ENABLE",  "MICA_ON_ENTER",
                                        "MICA_ON_REPLACE", "MICA_ON_SIGNAL"};
    uint32_t first = micai_bits_lowest(kinds);
    return first < sizeof names / sizeof names[0] ? names[first] : "a bit without a name";
}

// Fails if a component does not have one of these kinds of event.
static mica_result check_type_kinds(mica_world *world, const char *call, uint32_t on,
                                    const micai_type *type)
{
    uint32_t toggles = MICA_ON_ENABLE | MICA_ON_DISABLE;
    if ((on & toggles) != 0 && !type->info.toggle) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%.80s' has no toggle; register it with .toggle = true", call,
                          type->info.name);
    }
    if ((on & MICAI_WATCH_VALUES) != 0 && type->info.size == 0) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%.80s' is a tag and has no value to be set; observe MICA_ON_ADD",
                          call, type->info.name);
    }
    return MICA_OK;
}

// The same for the subject.
static mica_result check_kinds(mica_world *world, const char *call, const mica_observer_desc *desc,
                               const subject *of)
{
    micai_host *host = &world->host;
    uint32_t on = desc->events;
    uint32_t kinds = of->type_count > 0 ? MICAI_ON_TYPE
                     : of->query        ? MICAI_ON_QUERY
                                        : MICAI_ON_ENTITIES;
    if (on == 0) {
        return micai_fail(host, MICA_ERROR_ARGUMENT,
                          "%s: .events is 0; set it to kinds of events, such as MICA_ON_ADD", call);
    }
    if ((on & ~kinds) != 0) {
        return micai_fail(host, MICA_ERROR_ARGUMENT, "%s: %s is not an event of %s", call,
                          name_kind(on & ~kinds), describe(of));
    }
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < of->type_count; i++) {
        result = check_type_kinds(world, call, on, of->types[i]);
    }
    if (!result && desc->existing && (on & MICAI_ON_EXISTING) == 0) {
        result = micai_fail(host, MICA_ERROR_ARGUMENT,
                            "%s: .existing reports MICA_ON_SPAWN, _ADD, _SET and _ENTER, and "
                            ".events has none of them",
                            call);
    }
    return result;
}

static mica_result add_type(mica_world *world, const char *call, const micai_type *type,
                            subject *of)
{
    for (uint32_t i = 0; type && i < of->type_count; i++) {
        if (of->types[i] == type) {
            return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                              "%s: the descriptor names '%.80s' twice", call, type->info.name);
        }
    }
    if (!type) {
        return MICA_ERROR_TYPE;
    }
    of->types[of->type_count++] = type;
    return MICA_OK;
}

// Lists the components of a descriptor: one, or several without a gap.
static mica_result list_types(mica_world *world, const char *call, const mica_observer_desc *desc,
                              subject *of)
{
    micai_host *host = &world->host;
    mica_result result = MICA_OK;
    if (!MICA_IS_NONE(desc->type)) {
        result = add_type(world, call, micai_world_type(world, call, desc->type), of);
    }
    bool ended = false;
    for (uint32_t i = 0; !result && i < MICA_OBSERVER_TYPES_MAX; i++) {
        bool none = MICA_IS_NONE(desc->types[i]);
        if (!none && ended) {
            result = micai_fail(host, MICA_ERROR_ARGUMENT,
                                "%s: .types has a gap before place %" PRIu32, call, i);
        } else if (!none && !MICA_IS_NONE(desc->type)) {
            result = micai_fail(host, MICA_ERROR_ARGUMENT,
                                "%s: the descriptor has both .type and .types; put all components "
                                "into .types",
                                call);
        } else if (!none) {
            result = add_type(world, call,
                              micai_world_type_in(world, call, "component", i, desc->types[i]), of);
        }
        ended = none;
    }
    return result;
}

static mica_result check_desc(mica_world *world, const char *call, const mica_observer_desc *desc,
                              subject *of)
{
    micai_host *host = &world->host;
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (!desc->call) {
        return micai_fail_null(host, call, "desc->call");
    }
    if (desc->name && !micai_name_is_valid(desc->name)) {
        return micai_fail(host, MICA_ERROR_NAME, "%s: the name of the observer is %s", call,
                          micai_name_fault(desc->name));
    }
    *of = (subject){.query = has_query(&desc->query)};
    mica_result result = list_types(world, call, desc, of);
    if (!result && of->query && of->type_count > 0) {
        result = micai_fail(host, MICA_ERROR_ARGUMENT,
                            "%s: the descriptor names both '%.80s' and a query; use two observers",
                            call, of->types[0]->info.name);
    }
    result = result ? result : check_kinds(world, call, desc, of);
    return !result && desc->existing && world->state->notifying > 0
               ? micai_world_refuse(world, call)
               : result;
}

// Returns true if a set of the term's component is an event of the query.
static bool can_be_set(const micai_query *query, uint32_t t)
{
    return (query->excluded >> t & 1) == 0 && query->terms[t].type->info.size > 0;
}

// Observers are notified at the moment of a change. So queries that ask about earlier changes are
// refused.
static mica_result check_terms(mica_world *world, const char *call, const micai_query *query,
                               uint32_t on)
{
    bool can_set = false;
    if (query && query->of) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: the query has .of, and links of others decide what matches; observe "
                          "'%.80s'",
                          call, query->of->info.name);
    }
    for (uint32_t t = 0; query && t < query->term_count; t++) {
        can_set = can_set || can_be_set(query, t);
    }
    if (query && query->change_filtered != 0) {
        return micai_fail(
            &world->host, MICA_ERROR_ARGUMENT,
            "%s: MICA_CHANGED and MICA_ADDED are for iterations; observe what is set, or "
            "added",
            call);
    }
    if (query && (on & MICA_ON_SET) != 0 && !can_set) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: MICA_ON_SET needs a term with a value; the query has none", call);
    }
    return query ? MICA_OK : micai_world_failed(world);
}

// Parts

typedef struct creation {
    mica_world *world;
    const char *call;
    const mica_observer_desc *desc;
    micai_observers *all;
    micai_observer *head; // NULL: none yet
    micai_observer *last;
    uint32_t count; // of its parts
} creation;

// Creates a part, which gets a number. Returns NULL with a report on failure.
static micai_observer *add_part(creation *c, const micai_type *type, uint32_t events)
{
    mica_world *world = c->world;
    micai_observer *part =
        micai_handles_reserve(&world->host, &c->all->handles, c->call, "observers")
            ? micai_alloc_zeroed(&world->host, sizeof *part, _Alignof(micai_observer))
            : NULL;
    if (!part) {
        return NULL;
    }
    part->number = micai_handles_add(&c->all->handles, part);
    part->events = events;
    part->type = type;
    part->callback.call = c->desc->call;
    part->callback.event.type = type ? type->info.type : (mica_type){0};
    part->callback.event.user = c->desc->user;
    if (c->head) {
        c->last->next_part = part;
        part->callback.name = c->head->callback.name;
    } else {
        c->head = part;
    }
    part->head = c->head;
    c->last = part;
    c->count++;
    return part;
}

// Creates the query of the head, and a part for each component whose values it observes.
static mica_result add_query(creation *c)
{
    const micai_query_origin origin = {
        .call = c->call, .noun = "observer", .name = c->desc->name, .owned = true};
    c->head->query = micai_query_new(c->world, &origin, &c->desc->query);
    const micai_query *query = micai_query_look_up(c->world, c->head->query);
    uint32_t set = c->desc->events & MICA_ON_SET;
    mica_result result = check_terms(c->world, c->call, query, set);
    for (uint32_t t = 0; !result && set && t < query->term_count; t++) {
        if (can_be_set(query, t)) {
            micai_observer *part = add_part(c, query->terms[t].type, set);
            result = part ? MICA_OK : micai_world_failed(c->world);
            if (part) {
                part->filtered = true;
            }
        }
    }
    return result;
}

// Creates all parts, without a place in any list.
static mica_result add_parts(creation *c, const subject *of)
{
    uint32_t events = c->desc->events & ~(of->query ? MICA_ON_SET : UINT32_C(0));
    micai_observer *head = add_part(c, of->type_count > 0 ? of->types[0] : NULL, events);
    if (!head) {
        return micai_world_failed(c->world);
    }
    head->declared = c->desc->events;
    head->callback.name = c->desc->name ? micai_copy_text(&c->world->host, c->desc->name) : NULL;
    if (c->desc->name && !head->callback.name) {
        return MICA_ERROR_MEMORY;
    }
    mica_result result = of->query ? add_query(c) : MICA_OK;
    for (uint32_t i = 1; !result && i < of->type_count; i++) {
        result = add_part(c, of->types[i], events) ? MICA_OK : micai_world_failed(c->world);
    }
    for (const micai_observer *part = head; !result && part; part = part->next_part) {
        result =
            micai_observer_reserve(c->world, c->all, part, c->count) ? MICA_OK : MICA_ERROR_MEMORY;
    }
    return result;
}

static void remove_parts(creation *c)
{
    while (c->head) {
        // the head goes last, because the others compare with it
        micai_observer **link = &c->head;
        while ((*link)->next_part) {
            link = &(*link)->next_part;
        }
        micai_observer *part = *link;
        *link = NULL;
        micai_handles_remove(&c->all->handles, part->number);
        micai_observer_release(c->world, part);
    }
}

static void register_parts(const creation *c)
{
    micai_state *state = c->world->state;
    micai_observer *head = c->head;
    for (micai_observer *part = head; part; part = part->next_part) {
        part->seed = ++state->observers_created;
        part->since = c->desc->disabled ? MICAI_OBSERVER_DISABLED : part->seed;
        part->callback.event.observer = micai_observer_handle(state, head, head->number);
        part->callback.event.later = &c->all->later->face;
        micai_observer_register(c->world, c->all, part);
    }
    state->observers++;
}

// Creates an observer, and lists what it will be notified of at once.
static mica_observer create_observer(creation *c, const subject *of, micai_existing *existing)
{
    mica_world *world = c->world;
    c->all = micai_observers_open(world);
    mica_world *later = c->all ? micai_commands_later(world, c->call) : NULL;
    if (!later) {
        return (mica_observer){0};
    }
    c->all->later = micai_buffer_of(later);
    mica_result result = add_parts(c, of);
    if (!result && c->desc->existing && !c->desc->disabled) {
        result = micai_existing_list(world, c->call, c->head, existing);
    }
    if (result) {
        remove_parts(c);
        return (mica_observer){0};
    }
    register_parts(c);
    return c->head->callback.event.observer;
}

mica_observer mica_observer_new(mica_world *world, const mica_observer_desc *desc)
{
    static const char call[] = "mica_observer_new";
    subject of;
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return (mica_observer){0};
    }
    if (micai_world_guard_edit(world, call) || check_desc(world, call, desc, &of)) {
        return (mica_observer){0};
    }
    creation c = {.world = world, .call = call, .desc = desc};
    micai_existing existing = {0};
    micai_host_begin(&world->host, call);
    mica_observer observer = create_observer(&c, &of, &existing);
    micai_host_end(&world->host);
    if (existing.count > 0) {
        micai_existing_notify(world, call, c.head, &existing);
    }
    return observer;
}
