// Phases and systems in images. An image has the time of manual phases and of those with a time
// step of their own. It has the moments since which the unnamed queries of systems ask for changes.
// It has how far systems have read saved events, and which of these had been sent at the last runs
// of their phases. All is found by the names of phases and systems,
// whether the program creates them before it loads or after. A phase or system without state in the
// image begins anew.
#include "system/saver.h"

#include <float.h>
#include <string.h>

#include "base/canary.h"
#include "system/system.h"

#define LATEST (UINT64_MAX >> 1)

// Returns the type of an event that a system reads, if images contain its events. Otherwise returns
// NULL.
static const micai_type *read_event_type(const mica_world *world, const micai_system *one,
                                         uint32_t event)
{
    const mica_term *use = &one->declared.events[event];
    const micai_type *type = micai_registry_find(&world->state->registry, use->type);
    return use->access == MICA_READ && type->info.saved ? type : NULL;
}

// Returns a query with a change filter and no name: the system's own (0) or one that it declares (1
// and up). Returns NULL if the query is not of this kind.
static micai_query *unnamed_query(const mica_world *world, const micai_system *one, uint32_t number)
{
    micai_query *query =
        number == 0 ? one->rows : micai_query_look_up(world, one->declared.queries[number - 1]);
    return query && query->change_filtered && !query->name ? query : NULL;
}

// Resuming

void micai_phase_resume(mica_world *world, micai_systems *all, micai_phase *phase)
{
    uint64_t values[2];
    if (micai_phase_has_time(phase) &&
        micai_unclaimed_claim(&world->host, &all->unclaimed, MICAI_STATE_PHASE, phase->name, 0,
                              values)) {
        double time;
        memcpy(&time, &values[0], sizeof time);
        time = time > 0 ? time : 0; // without the sign of a zero
        if (phase->manual) {
            phase->now.own = time;
        } else {
            // Keep at most one run of a phase whose time step was longer then.
            phase->now.lag = time < phase->fixed_dt ? time : 0;
            phase->now.done = values[1];
        }
    }
}

void micai_system_resume(mica_world *world, micai_systems *all, micai_system *one)
{
    const char *name = one->declared.system;
    uint32_t queries = 1 + one->declared.query_count;
    uint64_t values[2];
    if (MICAI_CANARY("system.declared_moment")) {
        queries = 1;
    }
    for (uint32_t i = 0; i < queries; i++) {
        micai_query *query = unnamed_query(world, one, i);
        bool claimed = query && micai_unclaimed_claim(&world->host, &all->unclaimed,
                                                      MICAI_STATE_QUERY, name, i, values);
        // Another system that declares the query may have been created first, and run.
        if (claimed && query->since == 0) {
            micai_query_set_moment(world, query, values[0]);
        }
    }
    for (uint32_t k = 0; k < one->declared.event_count; k++) {
        const micai_type *type = read_event_type(world, one, k);
        if (type && micai_unclaimed_claim(&world->host, &all->unclaimed, MICAI_STATE_EVENTS_READ,
                                          name, type->info.type.bits, values)) {
            memcpy(&one->sent[k][1], values, sizeof values);
        }
        if (type && micai_unclaimed_claim(&world->host, &all->unclaimed, MICAI_STATE_POSITION, name,
                                          type->info.type.bits, values)) {
            // A position behind events that were not sent is that of a new reader.
            if (values[0] <= micai_events_sent(world, type->info.type) + 1) {
                one->declared.read[k] = (micai_position){values[0], values[1]};
            }
            if (MICAI_CANARY("system.position_loaded")) {
                one->declared.read[k] = (micai_position){0};
            }
        }
    }
}

// Serializing each kind of state

// The time of a manual phase has the place of the lag, which such a phase does not have.
static void serialize_phase(micai_archive *a, micai_unclaimed_item *item)
{
    const char *name = item->name;
    double lag;
    memcpy(&lag, &item->values[0], sizeof lag);
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, text, "name", &name);
    micai_serialize(a, real, "lag", &lag);
    micai_serialize(a, number, "runs", &item->values[1], LATEST);
    micai_serialize(a, end, NULL);
    if (a->reading && !(lag >= 0 && lag <= DBL_MAX)) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "the lag of phase '%.80s' is invalid", name);
    }
    memcpy(&item->values[0], &lag, sizeof lag);
    item->name = (char *)name;
}

// Serializes two numbers of a system and a type. Events of a type that the world does not have or
// does not save are not loaded, so neither is this. A system that has read no events is treated like
// one that the image does not contain.
static void serialize_numbers(micai_archive *a, micai_unclaimed_item *item, const char *first,
                              const char *second)
{
    const char *system = item->name;
    uint32_t number = a->reading ? 0 : a->numbers[micai_stamp_number(item->detail)];
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, text, "system", &system);
    micai_serialize(a, type, "type", &number);
    micai_serialize(a, number, first, &item->values[0], LATEST);
    micai_serialize(a, number, second, &item->values[1], LATEST);
    micai_serialize(a, end, NULL);
    const micai_type *type = a->failed ? NULL : a->types[number];
    if (type && type->info.saved && (item->values[0] | item->values[1])) {
        item->name = (char *)system;
        item->detail = type->info.type.bits;
    }
}

static void serialize_events_read(micai_archive *a, micai_unclaimed_item *item)
{
    serialize_numbers(a, item, "last", "before");
}

static void serialize_position(micai_archive *a, micai_unclaimed_item *item)
{
    serialize_numbers(a, item, "next", "missed");
}

static void serialize_moment(micai_archive *a, micai_unclaimed_item *item)
{
    const char *system = item->name;
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, text, "system", &system);
    micai_serialize(a, number, "query", &item->detail, MICA_SYSTEM_QUERIES_MAX);
    micai_serialize(a, number, "since", &item->values[0], LATEST);
    micai_serialize(a, end, NULL);
    item->name = (char *)system;
}

static void serialize(micai_archive *a, micai_unclaimed *all)
{
    micai_unclaimed_serialize(a, "phases", MICAI_STATE_PHASE, serialize_phase, all);
    micai_unclaimed_serialize(a, "heard", MICAI_STATE_EVENTS_READ, serialize_events_read, all);
    if (!a->reading || a->version > 1) {
        micai_unclaimed_serialize(a, "moments", MICAI_STATE_QUERY, serialize_moment, all);
    }
    if (!a->reading || a->version > 2) {
        micai_unclaimed_serialize(a, "readers", MICAI_STATE_POSITION, serialize_position, all);
    }
}

// Saving: state that has an owner, then unclaimed state.

static void gather_phases(micai_archive *a, const micai_systems *systems, micai_unclaimed *all)
{
    for (uint32_t i = 0; i < systems->phases.count; i++) {
        const micai_phase *phase = systems->phases.items[i];
        micai_unclaimed_item item = {
            .name = phase->name, .kind = MICAI_STATE_PHASE, .values = {0, phase->now.done}};
        memcpy(&item.values[0], phase->manual ? &phase->now.own : &phase->now.lag, sizeof(double));
        if (micai_phase_has_time(phase)) {
            micai_unclaimed_gather(a, all, item);
        }
    }
}

static void gather_system(micai_archive *a, const mica_world *world, const micai_system *one,
                          micai_unclaimed *all)
{
    char *name = (char *)one->declared.system;
    for (uint32_t k = 0; k < one->declared.event_count; k++) {
        const micai_type *type = read_event_type(world, one, k);
        if (type && (one->sent[k][1] | one->sent[k][2])) {
            micai_unclaimed_item item = {.name = name,
                                         .kind = MICAI_STATE_EVENTS_READ,
                                         .detail = type->info.type.bits,
                                         .values = {one->sent[k][1], one->sent[k][2]}};
            micai_unclaimed_gather(a, all, item);
        }
        const micai_position *read = &one->declared.read[k];
        if (type && (read->next | read->missed)) {
            micai_unclaimed_item item = {.name = name,
                                         .kind = MICAI_STATE_POSITION,
                                         .detail = type->info.type.bits,
                                         .values = {read->next, read->missed}};
            micai_unclaimed_gather(a, all, item);
        }
    }
    for (uint32_t i = 0; i <= one->declared.query_count; i++) {
        const micai_query *query = unnamed_query(world, one, i);
        if (query) {
            micai_unclaimed_item item = {
                .name = name, .kind = MICAI_STATE_QUERY, .detail = i, .values = {query->since}};
            micai_unclaimed_gather(a, all, item);
        }
    }
}

static void save(mica_world *world, micai_archive *a)
{
    const micai_systems *systems = a->partial ? NULL : micai_systems_of(world);
    const micai_system *one = systems ? micai_systems_from(systems, 0) : NULL;
    micai_unclaimed all = {0};
    if (systems) {
        gather_phases(a, systems, &all);
    }
    for (; one; one = micai_systems_after(systems, one)) {
        gather_system(a, world, one, &all);
    }
    if (systems) {
        micai_unclaimed_gather_all(a, &all, &systems->unclaimed);
    }
    serialize(a, &all);
    micai_unclaimed_free(a->host, &all);
}

// Loading

static void cancel(mica_world *world, void *data)
{
    micai_unclaimed_release(&world->host, data);
}

static void *load(mica_world *world, micai_archive *a)
{
    micai_unclaimed *made = micai_unclaimed_new(a->host);
    if (!made) {
        micai_archive_fail_memory(a);
        return NULL;
    }
    serialize(a, made);
    if (!a->failed && made->left > 0 && !micai_systems_open(world)) {
        micai_archive_fail_memory(a);
    }
    return made;
}

// Resets all that images restore. This includes what systems have read of types that only this
// world saves. Their events stay, and are kept a little longer.
static void reset_state(mica_world *world, micai_systems *all)
{
    for (uint32_t i = 0; i < all->phases.count; i++) {
        micai_phase_time *now = &all->phases.items[i]->now;
        now->lag = now->own = 0;
        now->done = 0;
    }
    for (micai_system *one = micai_systems_from(all, 0); one; one = micai_systems_after(all, one)) {
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            if (read_event_type(world, one, k)) {
                memset(one->sent[k], 0, sizeof one->sent[k]);
                one->declared.read[k] = (micai_position){0};
            }
        }
    }
}

// Existing phases and systems claim their state at once; the rest waits for those that are created
// later. Before this, the queries were reset to no moment (query/saver.c).
static void commit(mica_world *world, void *data)
{
    micai_systems *all = micai_systems_of(world);
    if (all) {
        micai_unclaimed_replace(&world->host, &all->unclaimed, data);
        reset_state(world, all);
        for (uint32_t i = 0; i < all->phases.count; i++) {
            micai_phase_resume(world, all, all->phases.items[i]);
        }
        for (micai_system *one = micai_systems_from(all, 0); one;
             one = micai_systems_after(all, one)) {
            micai_system_resume(world, all, one);
        }
    }
    cancel(world, data);
}

const micai_saver micai_system_saver = {"phases", save, load, commit, cancel};
