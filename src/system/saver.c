// Phases in images: how far those are that have a time step of their own, and what their systems have heard
// of events that are saved. Both are found again by their names; a phase that an image does not know begins
// anew, and a system has heard nothing.
#include "system/saver.h"

#include <float.h>
#include <string.h>

#include "system/system.h"

static bool is_fixed(const micai_phase *phase)
{
    return phase->fixed_dt > 0;
}

// Has the system something to hear there, of a type that is saved?
static bool hears(const mica_world *world, const micai_system *one, uint32_t event)
{
    const mica_term *use = &one->declared.events[event];
    const micai_type *type = micai_registry_find(&world->core->registry, use->type);
    return is_fixed(one->phase) && use->access == MICA_READ && type->info.saved;
}

// Saving

static void save_phases(const micai_systems *all, micai_writer *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; all && i < all->phases.count; i++) {
        count += is_fixed(all->phases.items[i]);
    }
    micai_write(w, begin_list, "phases", count);
    for (uint32_t i = 0; all && i < all->phases.count; i++) {
        const micai_phase *phase = all->phases.items[i];
        if (is_fixed(phase)) {
            micai_write(w, begin_object, NULL);
            micai_write(w, text, "name", phase->name);
            micai_write(w, real, "lag", phase->now.lag);
            micai_write(w, number, "runs", phase->now.done);
            micai_write(w, end, NULL);
        }
    }
    micai_write(w, end, "phases");
}

// Of one system, one event; or counts them, if there is no writer.
static uint32_t save_heard(const mica_world *world, const micai_system *one, micai_writer *w)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < one->declared.event_count; k++) {
        if (!hears(world, one, k)) {
            continue;
        }
        count++;
        if (w) {
            uint32_t type = micai_stamp_number(one->declared.events[k].type.bits);
            micai_write(w, begin_object, NULL);
            micai_write(w, text, "system", one->declared.system);
            micai_write(w, type, "type", w->numbers[type]);
            micai_write(w, number, "last", one->sent[k][1]);
            micai_write(w, number, "before", one->sent[k][2]);
            micai_write(w, end, NULL);
        }
    }
    return count;
}

static void save(mica_world *world, micai_writer *w)
{
    const micai_systems *all = micai_systems_of(world);
    save_phases(all, w);
    uint32_t count = 0;
    for (uint32_t i = 0; all && i < all->list.count; i++) {
        count += save_heard(world, all->list.items[i], NULL);
    }
    micai_write(w, begin_list, "heard", count);
    for (uint32_t i = 0; all && i < all->list.count; i++) {
        (void)save_heard(world, all->list.items[i], w);
    }
    micai_write(w, end, "heard");
}

// Loading

typedef struct moment {
    double lag;
    uint64_t done;
} moment;

typedef struct hearing {
    uint64_t sent[MICA_SYSTEM_USES_MAX][3];
} hearing;

// By place in the lists of the room.
typedef struct waiting {
    uint32_t phase_count;
    uint32_t system_count;
    moment *phases;
    hearing *systems;
} waiting;

static void cancel(mica_world *world, void *state)
{
    waiting *all = state;
    micai_release(&world->host, all->phases, (all->phase_count + (size_t)1) * sizeof(moment),
                  _Alignof(moment));
    micai_release(&world->host, all->systems, (all->system_count + (size_t)1) * sizeof(hearing),
                  _Alignof(hearing));
    micai_release(&world->host, all, sizeof *all, _Alignof(waiting));
}

// One of each more than there are, so that there is always something.
static waiting *wait(micai_host *host, const micai_systems *all)
{
    waiting *made = micai_alloc_zeroed(host, sizeof *made, _Alignof(waiting));
    if (!made) {
        return NULL;
    }
    made->phase_count = all ? all->phases.count : 0;
    made->system_count = all ? all->list.count : 0;
    made->phases = micai_alloc_zeroed(host, (made->phase_count + (size_t)1) * sizeof(moment),
                                      _Alignof(moment));
    made->systems = micai_alloc_zeroed(host, (made->system_count + (size_t)1) * sizeof(hearing),
                                       _Alignof(hearing));
    return made;
}

static void load_phase(const micai_systems *all, micai_reader *r, waiting *made)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    micai_read(r, begin_object, NULL);
    micai_read(r, text, "name", name);
    double lag = micai_read(r, real, "lag");
    uint64_t done = micai_read(r, number, "runs", UINT64_MAX >> 1);
    micai_read(r, end, NULL);
    if (!r->failed && !(lag >= 0 && lag <= (double)FLT_MAX)) {
        micai_reader_fail(r, MICA_ERROR_IMAGE, "phase '%.80s' cannot be late by that", name);
    }
    for (uint32_t i = 0; !r->failed && i < made->phase_count; i++) {
        const micai_phase *phase = all->phases.items[i];
        if (is_fixed(phase) && strcmp(phase->name, name) == 0) {
            // Of a phase whose time step was longer then, no more than a run. A zero may have a sign.
            bool fits = lag > 0 && lag < phase->fixed_dt;
            made->phases[i] = (moment){fits ? lag : 0, done};
        }
    }
}

static void load_heard(const mica_world *world, const micai_systems *all, micai_reader *r,
                       waiting *made)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    micai_read(r, begin_object, NULL);
    micai_read(r, text, "system", name);
    uint32_t number = micai_read(r, type, "type");
    uint64_t last = micai_read(r, number, "last", UINT64_MAX >> 1);
    uint64_t before = micai_read(r, number, "before", UINT64_MAX >> 1);
    micai_read(r, end, NULL);
    const micai_type *type = r->failed ? NULL : r->types[number];
    for (uint32_t i = 0; type && i < made->system_count; i++) {
        const micai_system *one = all->list.items[i];
        bool same = strcmp(one->declared.system, name) == 0;
        for (uint32_t k = 0; same && k < one->declared.event_count; k++) {
            if (hears(world, one, k) && one->declared.events[k].type.bits == type->info.type.bits) {
                made->systems[i].sent[k][1] = last;
                made->systems[i].sent[k][2] = before;
            }
        }
    }
}

static void *load(mica_world *world, micai_reader *r)
{
    const micai_systems *all = micai_systems_of(world);
    waiting *made = wait(r->host, all);
    if (!made || !made->phases || !made->systems) {
        r->failed = r->failed ? r->failed : MICA_ERROR_MEMORY;
        return made;
    }
    uint32_t count = micai_read(r, begin_list, "phases", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_phase(all, r, made);
    }
    micai_read(r, end, "phases");
    count = micai_read(r, begin_list, "heard", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_heard(world, all, r, made);
    }
    micai_read(r, end, "heard");
    return made;
}

static void commit(mica_world *world, void *state)
{
    const waiting *made = state;
    micai_systems *all = micai_systems_of(world);
    for (uint32_t i = 0; i < made->phase_count; i++) {
        micai_phase *phase = all->phases.items[i];
        phase->now.lag = made->phases[i].lag;
        phase->now.done = made->phases[i].done;
    }
    for (uint32_t i = 0; i < made->system_count; i++) {
        micai_system *one = all->list.items[i];
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            if (hears(world, one, k)) {
                memcpy(one->sent[k], made->systems[i].sent[k], sizeof one->sent[k]);
            }
        }
    }
    cancel(world, state);
}

const micai_saver micai_system_saver = {"phases", {"phases", "heard"}, save, load, commit, cancel};
