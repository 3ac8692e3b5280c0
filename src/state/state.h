// The world: the state, which has everything, and the faces that its users hold. One is the main one;
// the others record what they are told to do (world/recorder.h).
//
// Room:    world. Included by world/ and the modules above it.
//
// Modules above (queries, systems) hang their data into `modules`; the world closes and
// validates them without knowing what they are.
//
// Invariants, swept by mica_world_validate():
//   W1  a face's view is of its state, and has the tick of the main face; the state and all its parts
//       report to the main face's host, and have its seal. While no step runs, none of a system does; one
//       that has begun runs, or commands are carried out.
//       Faces that record are always busy, and follow the main one.
//   W2  every named entity is alive; names are good ones, and found both ways.
//   W3  a bundle's transition, where it has one, spawns its list, and is pinned by each bundle that has it. Its handle names
//       it. A place has the handle and the transition of a bundle that there is.
//   W4  the world listens to its store.
//   W5  time does not run backwards.
//   W6  `side_tables_in_use` counts what stores something by entity beside its row and beside pools, and has something now: names,
//       facets, observers of sparse types that are removed. While it is 0 and pools are empty, despawning an entity removes
//       nothing but its row.
//   W8  kinds are watched of types and of entities exactly if observers listen to them.
//   W7  scratch memory has a block as large as all that was promised of it, and is empty between calls.
#ifndef MICAI_STATE_STATE_H
#define MICAI_STATE_STATE_H

#include <mica/component.h>
#include <mica/world.h>

#include "base/arena.h"
#include "base/print.h"
#include "core/gate.h"
#include "core/hook.h"
#include "core/registry.h"
#include "core/slot.h"
#include "state/resource.h"
#include "state/side.h"
#include "state/walk.h"
#include "store/pool/pool.h"
#include "store/table/store.h"

typedef enum micai_module_id {
    MICAI_MODULE_QUERY,
    MICAI_MODULE_COMMAND,
    MICAI_MODULE_QUEUE,
    MICAI_MODULE_OBSERVER,
    MICAI_MODULE_SYSTEM,
    MICAI_MODULE_TRACE,
    MICAI_MODULE_COUNT
} micai_module_id;

struct micai_declared;
struct micai_notification;
struct micai_notice;
struct mica_trace_point;

typedef struct micai_module {
    void *data; // NULL until first used
    // Destroys the values it keeps, of a world that is being freed; NULL: it keeps none. Then gives back its memory.
    void (*destroy_values)(mica_world *world, void *data);
    void (*close)(mica_world *world, void *data);
    mica_result (*validate)(mica_world *world, void *data);
    mica_result (*settle)(mica_world *world, void *data,
                          const char *call);        // of the commands' and the observers' only
    void (*reclaim)(mica_world *world, void *data); // gives back room that is not used; NULL: none
    void (*turn)(mica_world *world, void *data); // a frame has ended; NULL: that is nothing to it
    // Of modules that keep values: do bytes lie in one, and what they add to the digest.
    bool (*hold)(const void *own, const void *data, size_t size);
    uint64_t (*digest)(const micai_state *state, const void *data, uint64_t hash);
    mica_result (*send)(mica_world *world, const mica_value *values,
                        uint32_t count); // of the queues' only: events
    // Of the observers' only: world/notification.
    void (*tell)(mica_world *world, void *data, struct micai_notification *notification,
                 uint32_t kinds);
    void (*notify_one)(mica_world *world, void *data, const struct micai_notice *news,
                       uint32_t what);
    mica_result (*reserve)(mica_world *world, void *data, uint32_t count); // to note so many values
    // Of the events' only: how many of a type were sent, ever. Of the systems': how many of those all have
    // heard that are to hear them in a phase with a time step of its own, and so may go.
    uint64_t (*sent)(const void *data, uint64_t type);
    uint64_t (*events_read)(const void *data, uint64_t type);
    // Of the tracing's only: world/trace.
    uint64_t (*trace)(mica_world *world, void *data, struct mica_trace_point *point);
} micai_module;

// What there is: entities, types, tables, and what hangs on them.
struct micai_state {
    micai_host *host; // the main face's
    micai_gate gate;
    uint64_t seal; // in the handles it gives out
    micai_slots slots;
    micai_registry registry;
    micai_store store;
    micai_pools pools;
    micai_side_table sides[MICAI_SIDE_COUNT];
    micai_resources resources;
    micai_walks walks;
    uint32_t
        side_tables_in_use; // who keep something by entity beside its row, and have something just now
    uint32_t observers;     // there are
    uint32_t query_observers; // there are, those included that are freed and not gone yet
    uint32_t notifying;       // observers that are being told, each but the first inside another
    const micai_callback *observer; // the innermost; NULL: none is told
    uint64_t observers_made;        // ever
    uint32_t pools_watched;         // types in pools whose values are observed when they go
    bool owing;                     // the call that is observed has to tidy up: micai_world_pay
    bool stepping;                  // a step runs
    bool midway;    // it does, or what its systems recorded is carried out before it goes on
    bool waiting;   // there are commands for the end of the outermost iteration, or of the step
    bool replaying; // commands are carried out
    const struct micai_declared *declared; // by the system that runs; NULL: none does
    uint64_t replayed;                     // commands, ever
    uint64_t dropped;                      // and those whose entity was dead
    double time;                           // of all steps that are over
    uint32_t query_count;                  // those that are hidden not among them
    micai_module modules[MICAI_MODULE_COUNT];
    _Alignas(max_align_t) unsigned char entity_data[]; // entity/data.h
};

// Are there entities that must be destroyed before this one?
static inline bool micai_dependents_next(micai_dependents *dependents)
{
    return dependents->state->side_tables_in_use > 0 && micai_dependents_find(dependents);
}

// What a caller, or a system, holds as its world: a face of the state. Another core can be put behind
// it, and a state can have several faces, each with a tick, errors and scratch memory of its own.
struct mica_world {
    micai_state *state;
    uint32_t
        busy; // not 0: short cuts are shut. The main face's is the gate's; the others are never open
    const struct micai_recorder *recorder; // what is done instead; NULL: this is the main face
    mica_view_face view;                   // of the state, and the tick
    micai_host host;
    micai_arena scratch; // of one call; empty between calls
    size_t promised; // bytes of it, beside some for each type, that a reserve keeps; 0: none does
};

// The host of a world that may be NULL, for reporting just that.
static inline micai_host *micai_world_host(mica_world *world)
{
    return world ? &world->host : NULL;
}

// Why the world is shut, in a sentence that names the call: MICA_ERROR_HOOK inside a hook;
// MICA_ERROR_HANDLER inside a handler; MICA_ERROR_ITERATING otherwise, naming the system that runs
// or else what is being iterated: the innermost, or the one of that name (NULL: it has none).
mica_result micai_world_refuse(mica_world *world, const char *call);
mica_result micai_world_refuse_for(mica_world *world, const char *call, const char *name);

// The same for a call that can be recorded; the sentence says so.
mica_result micai_world_refuse_change(mica_world *world, const char *call);

// May the world be changed as a whole? Not while commands are carried out, either, which may be in the middle of
// a step: MICA_ERROR_ITERATING.
mica_result micai_world_guard_all(mica_world *world, const char *call);

// Why the values of a type are not to be reached: MICA_ERROR_ITERATING, if an iteration has brought them
// together to be written.
mica_result micai_world_check_gathered(mica_world *world, const char *call, const micai_type *type);

// Closes all iterations; those who have them find them ended.
void micai_world_close_walks(mica_world *world);

// A step begins, which shuts the gate, and ends. In between it may pause, to carry out commands.
void micai_world_begin_step(mica_world *world);
void micai_world_pause_step(mica_world *world);
void micai_world_end_step(mica_world *world);

// Time goes on, for all faces.
void micai_world_advance(mica_world *world);

// The end of a call that may have been observed: carries out what observers have recorded, if the world
// is open. That of an iteration is done by its end. The result of the call; if that went well,
// MICA_ERROR_LIMIT if what was recorded had no end.
mica_result micai_world_pay(mica_world *world, const char *call);

static inline mica_result micai_world_finish(mica_world *world, const char *call,
                                             mica_result result)
{
    mica_result paid = world->state->owing ? micai_world_pay(world, call) : MICA_OK;
    return result ? result : paid;
}

// The end of an iteration: if it was the outermost, and of no step, the commands that wait are carried
// out. MICA_OK, or why some still wait.
static inline mica_result micai_world_settle(mica_world *world, const char *call)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_COMMAND];
    return !world->state->waiting || world->busy != 0 ? MICA_OK
                                                      : module->settle(world, module->data, call);
}

// The end of a frame.
void micai_world_turn(mica_world *world);

// Makes another face of a state, whose memory is there; ends it.
void micai_face_set_state(mica_world *face, micai_state *state);
void micai_face_open(mica_world *face, mica_world *main, const struct micai_recorder *recorder);
void micai_face_close(mica_world *face);

// May the world be looked into? Not from inside a hook of one of its types: MICA_ERROR_HOOK.
static inline mica_result micai_world_enter(mica_world *world, const char *call)
{
    return world->host.hook ? micai_hook_refuse(&world->host, call) : MICA_OK;
}

// Begins to print, in the name of a public call. A failure has been reported: MICA_ERROR_NULL, MICA_ERROR_HOOK, or one
// of micai_print_begin().
static inline mica_result micai_world_begin_print(mica_world *world, const char *call,
                                                  const mica_stream *stream, micai_printer *to)
{
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_enter(world, call);
    return result ? result : micai_print_begin(to, &world->host, call, stream);
}

// May what is not entities be changed, or a value that is there? Not from inside a hook or a handler.
static inline mica_result micai_world_edit(mica_world *world, const char *call)
{
    return world->host.hook || world->host.handler ? micai_world_refuse(world, call) : MICA_OK;
}

// May the values of a type be reached, one by one? Asked by all who found no short cut.
static inline mica_result micai_world_reach(mica_world *world, const char *call,
                                            const micai_type *type)
{
    return world->state->walks.gathered == 0 ? MICA_OK
                                             : micai_world_check_gathered(world, call, type);
}

// May the world be changed structurally?
static inline mica_result micai_world_guard(mica_world *world, const char *call)
{
    return world->busy == 0 ? MICA_OK : micai_world_refuse(world, call);
}

// The same for a call that can be recorded.
static inline mica_result micai_world_guard_change(mica_world *world, const char *call)
{
    return world->busy == 0 ? MICA_OK : micai_world_refuse_change(world, call);
}

// Around what may fail half way, or is half done for a while: reports wait until it is over
// (micai_host_begin). If it fails, the tables that were made for it go again: an empty table is not
// nothing, since tables are iterated in the order they were made in. Beginning returns how many there
// are; ending, the result.
static inline uint32_t micai_world_begin(mica_world *world, const char *call)
{
    micai_host_begin(&world->host, call);
    return world->state->store.tables.count;
}

static inline mica_result micai_world_end(mica_world *world, uint32_t tables, mica_result result)
{
    if (result && world->state->store.tables.count > tables) {
        micai_store_take_back(&world->state->store, tables);
    }
    micai_host_end(&world->host);
    if (world->state->store.shed && world->host.inside == 0) {
        micai_store_clear_shed(&world->state->store);
    }
    return result;
}

// The code of a failure that has just been reported.
static inline mica_result micai_world_failed(const mica_world *world)
{
    return world ? world->host.failed : MICA_ERROR_NULL;
}

// The type of a handle; NULL, reported, if it is none or foreign.
static inline const micai_type *micai_world_type(mica_world *world, const char *call,
                                                 mica_type type)
{
    const micai_type *found = micai_registry_find(&world->state->registry, type);
    if (!found) {
        micai_registry_fail(&world->host, call, type);
    }
    return found;
}

// The same, of values of this size: MICA_ERROR_SIZE. MICAI_ANY_SIZE: that is not asked.
#define MICAI_ANY_SIZE UINT64_MAX // beyond all that is asked for
const micai_type *micai_world_type_sized(mica_world *world, const char *call, mica_type type,
                                         uint64_t size);

// The same for a handle in a list; the sentence says which it is: "value 2". MICAI_ALONE: in none.
#define MICAI_ALONE UINT32_MAX
const micai_type *micai_world_type_in(mica_world *world, const char *call, const char *what,
                                      uint32_t place, mica_type type);

// MICA_ERROR_SIZE unless the size is the type's.
mica_result micai_world_check_size(mica_world *world, const char *call, const micai_type *type,
                                   uint32_t size);

// MICA_ERROR_C_TYPE unless this is the name of the type's C type, or that has none.
mica_result micai_world_check_c_type(mica_world *world, const char *call, const micai_type *type,
                                     const char *c_type);

// MICA_OK if this is a value of the type for one entity, or an array of values for `count`; or, with
// neither data nor size, the default. The type of the value itself is not looked at.
mica_result micai_world_check_value(mica_world *world, const char *call, const micai_type *type,
                                    const mica_value *value);

// Is there nothing to be checked? So it is with most.
static inline bool micai_world_takes(const micai_type *type, const mica_value *value)
{
    return value->data && value->size == type->info.size && value->size > 0 && value->count <= 1;
}

mica_result micai_world_check_array(mica_world *world, const char *call, const micai_type *type,
                                    const mica_value *array, uint32_t count);

#endif
