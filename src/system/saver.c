// Phases and systems in images: how far the phases are that have a time step of their own; since which moments
// systems ask for changes, if their queries have no names of their own; and what systems have heard of events that
// are saved. All is found again by the names of phases and systems, whether the program creates them before it
// loads or after. A phase or system that an image does not know begins anew.
#include "system/saver.h"

#include <float.h>
#include <string.h>

#include "base/canary.h"
#include "system/system.h"

#define LATEST (UINT64_MAX >> 1)

static bool is_fixed(const micai_phase *phase)
{
    return phase->fixed_dt > 0;
}

// The type of an event that a system reads, if an image has such events; NULL: it sends it, or it is not saved.
static const micai_type *heard_type(const mica_world *world, const micai_system *one,
                                    uint32_t event)
{
    const mica_term *use = &one->declared.events[event];
    const micai_type *type = micai_registry_find(&world->state->registry, use->type);
    return use->access == MICA_READ && type->info.saved ? type : NULL;
}

// The own query of a system, 0, or one that it declares, from 1 on, if it asks for changes and only the system
// has a name; NULL: it is another.
static micai_query *unnamed_query(const mica_world *world, const micai_system *one, uint32_t number)
{
    micai_query *query =
        number == 0 ? one->rows : micai_query_look_up(world, one->declared.queries[number - 1]);
    return query && query->timed && !query->name ? query : NULL;
}

// Going on

void micai_phase_resume(mica_world *world, micai_systems *all, micai_phase *phase)
{
    uint64_t values[2];
    if (is_fixed(phase) && micai_unclaimed_claim(&world->host, &all->unclaimed, MICAI_STATE_PHASE,
                                                 phase->name, 0, values)) {
        double lag;
        memcpy(&lag, &values[0], sizeof lag);
        // Of a phase whose time step was longer then, no more than a run. A zero may have a sign.
        phase->now.lag = lag > 0 && lag < phase->fixed_dt ? lag : 0;
        phase->now.done = values[1];
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
        const micai_type *type = heard_type(world, one, k);
        if (type && micai_unclaimed_claim(&world->host, &all->unclaimed, MICAI_STATE_HEARD, name,
                                          type->info.type.bits, values)) {
            memcpy(&one->sent[k][1], values, sizeof values);
        }
    }
}

// Saving. Each of these writes an item; the lists have what exists, and then what is not claimed.

static void save_phase(micai_writer *w, const char *name, double lag, uint64_t runs)
{
    micai_write(w, begin_object, NULL);
    micai_write(w, text, "name", name);
    micai_write(w, real, "lag", lag);
    micai_write(w, number, "runs", runs);
    micai_write(w, end, NULL);
}

static void save_moment(micai_writer *w, const char *system, uint64_t query, uint64_t since)
{
    micai_write(w, begin_object, NULL);
    micai_write(w, text, "system", system);
    micai_write(w, number, "query", query);
    micai_write(w, number, "since", since);
    micai_write(w, end, NULL);
}

static void save_heard(micai_writer *w, const char *system, uint64_t type, const uint64_t values[2])
{
    micai_write(w, begin_object, NULL);
    micai_write(w, text, "system", system);
    micai_write(w, type, "type", w->numbers[micai_stamp_number(type)]);
    micai_write(w, number, "last", values[0]);
    micai_write(w, number, "before", values[1]);
    micai_write(w, end, NULL);
}

static void save_unclaimed(const micai_systems *all, uint32_t kind, micai_writer *w)
{
    const micai_unclaimed_item *item;
    for (uint32_t i = 0; all && (item = micai_unclaimed_next(&all->unclaimed, kind, &i));) {
        if (kind == MICAI_STATE_PHASE) {
            double lag;
            memcpy(&lag, &item->values[0], sizeof lag);
            save_phase(w, item->name, lag, item->values[1]);
        } else if (kind == MICAI_STATE_QUERY) {
            save_moment(w, item->name, item->detail, item->values[0]);
        } else {
            save_heard(w, item->name, item->detail, item->values);
        }
    }
}

static void save_phases(const micai_systems *all, micai_writer *w)
{
    uint32_t count = all ? micai_unclaimed_count(&all->unclaimed, MICAI_STATE_PHASE) : 0;
    for (uint32_t i = 0; all && i < all->phases.count; i++) {
        count += is_fixed(all->phases.items[i]);
    }
    micai_write(w, begin_list, "phases", count);
    for (uint32_t i = 0; all && i < all->phases.count; i++) {
        const micai_phase *phase = all->phases.items[i];
        if (is_fixed(phase)) {
            save_phase(w, phase->name, phase->now.lag, phase->now.done);
        }
    }
    save_unclaimed(all, MICAI_STATE_PHASE, w);
    micai_write(w, end, "phases");
}

// Of one system; or counts, if there is no writer.
static uint32_t save_system_heard(const mica_world *world, const micai_system *one, micai_writer *w)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < one->declared.event_count; k++) {
        const micai_type *type = heard_type(world, one, k);
        if (type && (one->sent[k][1] | one->sent[k][2])) {
            count++;
            if (w) {
                save_heard(w, one->declared.system, type->info.type.bits, &one->sent[k][1]);
            }
        }
    }
    return count;
}

static uint32_t save_system_moments(const mica_world *world, const micai_system *one,
                                    micai_writer *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= one->declared.query_count; i++) {
        const micai_query *query = unnamed_query(world, one, i);
        count += query != NULL;
        if (query && w) {
            save_moment(w, one->declared.system, i, query->since);
        }
    }
    return count;
}

// A list to which every system adds what it has.
static void save_systems(const mica_world *world, micai_writer *w, const char *name, uint32_t kind,
                         uint32_t (*save_one)(const mica_world *world, const micai_system *one,
                                              micai_writer *w))
{
    const micai_systems *all = micai_systems_of(world);
    const micai_system *first = all ? micai_systems_from(all, 0) : NULL;
    uint32_t count = all ? micai_unclaimed_count(&all->unclaimed, kind) : 0;
    for (const micai_system *one = first; one; one = micai_systems_after(all, one)) {
        count += save_one(world, one, NULL);
    }
    micai_write(w, begin_list, name, count);
    for (const micai_system *one = first; one; one = micai_systems_after(all, one)) {
        (void)save_one(world, one, w);
    }
    save_unclaimed(all, kind, w);
    micai_write(w, end, name);
}

static void save(mica_world *world, micai_writer *w)
{
    save_phases(micai_systems_of(world), w);
    save_systems(world, w, "heard", MICAI_STATE_HEARD, save_system_heard);
    save_systems(world, w, "moments", MICAI_STATE_QUERY, save_system_moments);
}

// Loading

static void cancel(mica_world *world, void *data)
{
    micai_unclaimed_release(&world->host, data);
}

static void add(micai_reader *r, micai_unclaimed *made, micai_unclaimed_item item)
{
    if (!r->failed && !micai_unclaimed_add(r->host, made, item)) {
        r->failed = MICA_ERROR_MEMORY;
    }
}

static void load_phase(micai_reader *r, micai_unclaimed *made)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    micai_unclaimed_item item = {.name = name, .kind = MICAI_STATE_PHASE};
    micai_read(r, begin_object, NULL);
    micai_read(r, text, "name", name);
    double lag = micai_read(r, real, "lag");
    item.values[1] = micai_read(r, number, "runs", LATEST);
    micai_read(r, end, NULL);
    if (!r->failed && !(lag >= 0 && lag <= (double)FLT_MAX)) {
        micai_reader_fail(r, MICA_ERROR_IMAGE, "phase '%.80s' cannot be late by that", name);
    }
    memcpy(&item.values[0], &lag, sizeof lag);
    add(r, made, item);
}

// Events of a type that the world does not have, or does not save, are not loaded either. A system that has heard
// nothing is like one that the image does not know.
static void load_heard(micai_reader *r, micai_unclaimed *made)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    micai_unclaimed_item item = {.name = name, .kind = MICAI_STATE_HEARD};
    micai_read(r, begin_object, NULL);
    micai_read(r, text, "system", name);
    uint32_t number = micai_read(r, type, "type");
    item.values[0] = micai_read(r, number, "last", LATEST);
    item.values[1] = micai_read(r, number, "before", LATEST);
    micai_read(r, end, NULL);
    const micai_type *type = r->failed ? NULL : r->types[number];
    if (type && type->info.saved && (item.values[0] | item.values[1])) {
        item.detail = type->info.type.bits;
        add(r, made, item);
    }
}

static void load_moment(micai_reader *r, micai_unclaimed *made)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    micai_unclaimed_item item = {.name = name, .kind = MICAI_STATE_QUERY};
    micai_read(r, begin_object, NULL);
    micai_read(r, text, "system", name);
    item.detail = micai_read(r, number, "query", MICA_SYSTEM_QUERIES_MAX);
    item.values[0] = micai_read(r, number, "since", LATEST);
    micai_read(r, end, NULL);
    add(r, made, item);
}

static void load_list(micai_reader *r, const char *name, micai_unclaimed *made,
                      void (*load_one)(micai_reader *r, micai_unclaimed *made))
{
    uint32_t count = micai_read(r, begin_list, name, UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_one(r, made);
    }
    micai_read(r, end, name);
}

static void *load(mica_world *world, micai_reader *r)
{
    micai_unclaimed *made = micai_unclaimed_new(r->host);
    if (!made) {
        r->failed = r->failed ? r->failed : MICA_ERROR_MEMORY;
        return NULL;
    }
    load_list(r, "phases", made, load_phase);
    load_list(r, "heard", made, load_heard);
    if (r->version > 1) {
        load_list(r, "moments", made, load_moment);
    }
    if (!r->failed && made->left > 0 && !micai_systems_open(world)) {
        r->failed = MICA_ERROR_MEMORY;
    }
    return made;
}

// Also what a system has read of a type that only this world saves, whose events stay: they are kept a little longer.
static void begin_anew(mica_world *world, micai_systems *all)
{
    for (uint32_t i = 0; i < all->phases.count; i++) {
        all->phases.items[i]->now.lag = 0;
        all->phases.items[i]->now.done = 0;
    }
    for (micai_system *one = micai_systems_from(all, 0); one; one = micai_systems_after(all, one)) {
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            if (heard_type(world, one, k)) {
                memset(one->sent[k], 0, sizeof one->sent[k]);
            }
        }
    }
}

// Phases and systems that exist claim their state at once; the rest waits for those that do not exist yet. Queries
// have been set to no moment before (query/saver.c).
static void commit(mica_world *world, void *data)
{
    micai_systems *all = micai_systems_of(world);
    if (all) {
        micai_unclaimed_replace(&world->host, &all->unclaimed, data);
        begin_anew(world, all);
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

const micai_saver micai_system_saver = {
    "phases", {"phases", "heard", "moments"}, save, load, commit, cancel};
