// The world: its state, and the faces through which users access it. One face is the main one. The
// others record commands (state/recorder.h).
//
// Room:    state. Included by all rooms above it.
//
// Modules of higher rooms (queries, systems) store their data in `modules`. The world closes them
// without knowing what they are.
//
// Invariants, swept by mica_world_validate():
//   W1  A face's view refers to its state and has the tick of the main face. The state and its
//       parts report to the main face's host and have the state's seal. No system runs while no
//       step runs. If a step has begun, it runs or commands are replayed. Recording faces are
//       always busy, and follow the main face.
//   W2  Every named entity is alive. Names are valid, and look-ups work in both directions.
//   W3  If a bundle has a transition, that spawns the bundle's list and is pinned once per bundle.
//       The bundle's handle refers to it. Every place holds the handle and the transition of an
//       existing bundle.
//   W4  The world listens to its store.
//   W5  Time never decreases.
//   W6  `side_tables_in_use` counts the side tables that have entries, plus 1 if observers watch
//       removals of sparse types, plus 1 if there are links. While it is 0 and pools are empty, despawning an entity removes
//       only its row.
//   W8  A kind is marked as watched, for a type or for all entities, exactly if observers listen to
//       it.
//   W7  Scratch memory has a block as large as all reservations of it, and is empty between calls.
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
    MICAI_MODULE_TIME,
    MICAI_MODULE_VERIFY,
    MICAI_MODULE_DELTA,
    MICAI_MODULE_TAPE,
    MICAI_MODULE_RELATION, // nothing at the end of a frame, as those behind it
    MICAI_MODULE_WAVES,
    MICAI_MODULE_COUNT,
    MICAI_MODULE_FRAME_END = MICAI_MODULE_RELATION
} micai_module_id;

struct micai_declared;
struct micai_notification;
struct micai_notice;
struct mica_trace_point;

typedef struct micai_module {
    void *data; // NULL until first use
    // Destroys the values of the module when the world is freed; NULL: it has none. Observers are
    // notified of that here. close then frees its memory.
    void (*destroy_values)(mica_world *world, void *data);
    void (*close)(mica_world *world, void *data);
    // Commands and observers only: replays recorded commands.
    mica_result (*replay)(mica_world *world, void *data, const char *call);
    void (*reclaim)(mica_world *world, void *data); // frees unused memory; NULL: none
    // called after each frame; NULL: not needed
    void (*end_frame)(mica_world *world, void *data);
    // For modules that store values: whether bytes overlap one of them.
    bool (*hold)(const void *own, const void *data, size_t size);
    // Observers only: entity/notify.
    void (*notify)(mica_world *world, void *data, struct micai_notification *notification,
                   uint32_t kinds);
    void (*notify_one)(mica_world *world, void *data, const struct micai_notice *notice,
                       uint32_t kind);
    // Observers only: reserves space to note `count` values
    mica_result (*reserve)(mica_world *world, void *data, uint32_t count);
    // Event queues only: how many events of a type were ever sent. Systems only: how many of them
    // all fixed-step readers have read, so that they can be dropped.
    uint64_t (*sent)(const void *data, uint64_t type);
    uint64_t (*events_read)(const void *data, uint64_t type);
    // Tracing only: state/trace.
    uint64_t (*trace)(mica_world *world, void *data, struct mica_trace_point *point);
    // Tapes only, while one is recorded: writes and applies the input of a step that begins.
    mica_result (*begin_step)(mica_world *world, void *data, double dt);
} micai_module;

// The content of a world: entities, types, tables, and everything attached to them.
struct micai_state {
    micai_host *host; // the main face's host
    micai_gate gate;
    uint64_t seal; // seal of the handles that this state makes
    micai_slots slots;
    micai_registry registry;
    micai_store store;
    micai_pools pools;
    micai_side_table sides[MICAI_SIDE_COUNT];
    micai_resources resources;
    micai_walks walks;
    // side tables that have entries, plus 1 if removals of sparse types are observed, plus 1 if there
    // are links (W6)
    uint32_t side_tables_in_use;
    uint32_t observers;             // number of observers
    uint32_t query_observers;       // includes freed ones that still exist
    uint32_t notifying;             // depth of nested notifications
    const micai_callback *observer; // the innermost running observer; NULL: none
    uint64_t observers_created;     // observers ever created
    uint32_t pools_watched;         // sparse types whose removals are observed
    // 1 + the place of the first command that observers of the current call recorded; 0: none
    uint32_t recorded;
    bool needs_flush; // an observed call must end with micai_world_flush()
    bool stepping;    // a step runs
    bool midway;      // a step runs, or is paused while commands are replayed
    bool waiting;     // commands wait for the end of the last open iteration or of the step
    bool replaying;   // commands are being replayed
    struct micai_declared *declared; // declared by the running system; NULL: none runs
    uint64_t replayed;               // commands ever replayed
    uint64_t dropped;                // commands dropped because their entity was dead
    double time;                     // time of all finished steps
    uint32_t query_count;            // number of queries, without hidden ones
    bool has_accessors;              // accessors were made
    uint64_t snapshots;              // snapshots ever taken: their handles stay unique
    // Only in copies: each thread of a wave of systems sees the world through its own copy of the state
    // (system/wave.h), which shares all memory that this struct points to. NULL: this is no copy
    struct micai_state *original;
    struct micai_worker *worker;
    micai_module modules[MICAI_MODULE_COUNT];
    _Alignas(max_align_t) unsigned char entity_data[]; // for entity/data.h
};

// Moves to the next entity that must be destroyed before the owner. Returns false at the end.
static inline bool micai_dependents_next(micai_dependents *dependents)
{
    return dependents->state->side_tables_in_use > 0 && micai_dependents_find(dependents);
}

// A world as users and systems see it: a face of the state. Each face has its own tick, errors and
// scratch memory. A face can be attached to another state.
struct mica_world {
    micai_state *state;
    // Not 0: fast paths are disabled. The gate uses the main face's counter. On other faces, it is
    // never 0.
    uint32_t busy;
    bool notify_on_free; // freeing the world notifies observers
    // implements the calls instead; NULL: this is the main face
    const struct micai_recorder *recorder;
    mica_view_face view; // the view of the state, with the tick
    micai_host host;
    micai_arena scratch; // memory of the current call; empty between calls
    // bytes of scratch memory that reserve calls keep, in addition to some per type; 0: none
    size_t scratch_reserved;
};

// Returns the host to report to. The world may be NULL.
static inline micai_host *micai_world_host(mica_world *world)
{
    return world ? &world->host : NULL;
}

// Refuse a call, with a sentence that names it. MICA_ERROR_HOOK inside a hook, MICA_ERROR_HANDLER
// inside a handler, otherwise MICA_ERROR_ITERATING. That sentence names the running system, or else
// the iterated query: the innermost one, or the one that the caller passes.
mica_result micai_world_refuse(mica_world *world, const char *call);
mica_result micai_world_refuse_for(mica_world *world, const char *call,
                                   const struct micai_query *query);

// The same for a call that can be recorded; the sentence suggests that.
mica_result micai_world_refuse_change(mica_world *world, const char *call);

// Guards a change of the whole world. Also refused with MICA_ERROR_ITERATING while commands are
// replayed, because a step may be in progress.
mica_result micai_world_guard_all(mica_world *world, const char *call);

// Guards saving, loading and restoring all of the world. Also refused with MICA_ERROR_ITERATING while
// commands wait or entities are reserved for them, since only the program's memory has these.
mica_result micai_world_guard_idle(mica_world *world, const char *call);

// Fails with MICA_ERROR_ITERATING if an iteration has gathered the values of this type in order to
// write them back. In a wave of systems, fails unless the system has declared that it reads them of any entity.
mica_result micai_world_check_gathered(mica_world *world, const char *call, const micai_type *type);

// Closes all iterations. Their iterators detect that they have ended.
void micai_world_close_walks(mica_world *world);

// Begin and end a step, which closes the gate. pause opens it within a step, to replay commands.
void micai_world_begin_step(mica_world *world);
void micai_world_pause_step(mica_world *world);
void micai_world_end_step(mica_world *world);

// Advances the tick of all faces.
void micai_world_advance(mica_world *world);

// Sets the tick of all faces, because the world was restored.
void micai_world_set_tick(mica_world *world, uint64_t tick);

// Ends a call that may have been observed: replays what observers have recorded, if the world is
// open. Inside an iteration, its end does this instead. Returns MICA_ERROR_LIMIT if the recorded
// commands never end.
mica_result micai_world_flush(mica_world *world, const char *call);

static inline mica_result micai_world_finish(mica_world *world, const char *call,
                                             mica_result result)
{
    mica_result flushed = world->state->needs_flush ? micai_world_flush(world, call) : MICA_OK;
    return result ? result : flushed;
}

// Ends an iteration: replays waiting commands, if it was the last open one and no step runs.
// Returns MICA_OK, or why commands still wait.
static inline mica_result micai_world_replay_waiting(mica_world *world, const char *call)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_COMMAND];
    return !world->state->waiting || world->busy != 0 ? MICA_OK
                                                      : module->replay(world, module->data, call);
}

// Notifies the modules that a frame has ended.
void micai_world_end_frame(mica_world *world);

// set_state attaches a face to a state. open initializes a recording face in memory of the caller,
// close ends it.
void micai_face_set_state(mica_world *face, micai_state *state);
void micai_face_open(mica_world *face, mica_world *main, const struct micai_recorder *recorder);
void micai_face_close(mica_world *face);

// Guards reads. MICA_ERROR_HOOK inside a hook.
static inline mica_result micai_world_guard_read(mica_world *world, const char *call)
{
    return world->host.hook ? micai_hook_refuse(&world->host, call) : MICA_OK;
}

// Guards reads of the world as a whole. MICA_ERROR_ITERATING in a wave of systems, too.
mica_result micai_world_guard_whole(mica_world *world, const char *call);

// Begins to print for a public call. Reports and returns MICA_ERROR_NULL, MICA_ERROR_HOOK, or an
// error of micai_print_begin().
static inline mica_result micai_world_begin_print(mica_world *world, const char *call,
                                                  const mica_stream *stream, micai_printer *to)
{
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_whole(world, call);
    return result ? result : micai_print_begin(to, &world->host, call, stream);
}

// Guards changes of existing values, and of anything but entities. Refused inside hooks and
// handlers.
static inline mica_result micai_world_guard_edit(mica_world *world, const char *call)
{
    return world->host.hook || world->host.handler ? micai_world_refuse(world, call) : MICA_OK;
}

// Guards what a system does for itself only, beside others, too.
static inline mica_result micai_world_guard_own(mica_world *world, const char *call)
{
    return world->state->original ? micai_world_guard_read(world, call)
                                  : micai_world_guard_edit(world, call);
}

// Guards access to single values of a type, on the general path. Fast paths do not see gathered
// values.
static inline mica_result micai_world_guard_access(mica_world *world, const char *call,
                                                   const micai_type *type)
{
    return world->state->walks.gathered == 0 ? MICA_OK
                                             : micai_world_check_gathered(world, call, type);
}

// Guards structural changes.
static inline mica_result micai_world_guard(mica_world *world, const char *call)
{
    return world->busy == 0 ? MICA_OK : micai_world_refuse(world, call);
}

// The same for a call that can be recorded.
static inline mica_result micai_world_guard_change(mica_world *world, const char *call)
{
    return world->busy == 0 ? MICA_OK : micai_world_refuse_change(world, call);
}

// Surround a call that may fail halfway or leaves the world inconsistent for a while; reports are
// deferred until its end (micai_host_begin). If the call fails, the tables that it created are
// removed. An empty table is not harmless: tables are iterated in the order of their creation.
// begin returns the number of tables, end returns the result.
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
    if (world->state->store.replaced && world->host.depth == 0) {
        micai_store_clear_replaced(&world->state->store);
    }
    return result;
}

// Returns the code of the failure that was just reported.
static inline mica_result micai_world_failed(const mica_world *world)
{
    return world ? world->host.failed : MICA_ERROR_NULL;
}

// Returns the type of a handle. Returns NULL, and reports it, for the null handle and those of
// other worlds.
static inline const micai_type *micai_world_type(mica_world *world, const char *call,
                                                 mica_type type)
{
    const micai_type *found = micai_registry_find(&world->state->registry, type);
    if (!found) {
        micai_registry_fail(&world->host, call, type);
    }
    return found;
}

// The same, but also fails with MICA_ERROR_SIZE if the size differs, unless it is MICAI_ANY_SIZE,
// and with MICA_ERROR_C_TYPE if the name of the C type differs, unless that is NULL.
#define MICAI_ANY_SIZE UINT64_MAX // larger than any size
const micai_type *micai_world_type_as(mica_world *world, const char *call, mica_type type,
                                      uint64_t size, const char *c_type);

// The same for a handle in a list; the sentence names its position: "value 2". MICAI_NO_POSITION:
// not in a list.
#define MICAI_NO_POSITION UINT32_MAX
const micai_type *micai_world_type_in(mica_world *world, const char *call, const char *what,
                                      uint32_t place, mica_type type);

// Fails with MICA_ERROR_SIZE if the size is not that of the type.
mica_result micai_world_check_size(mica_world *world, const char *call, const micai_type *type,
                                   uint32_t size);

// Fails with MICA_ERROR_C_TYPE if the type has another C type name. NULL is any name.
mica_result micai_world_check_c_type(mica_world *world, const char *call, const micai_type *type,
                                     const char *c_type);

// Check a value for one entity, or an array of values for `count` entities. A value without data
// and size is the default. The value's own type handle is not checked.
mica_result micai_world_check_value(mica_world *world, const char *call, const micai_type *type,
                                    const mica_value *value);

// Returns true for a value that is certainly valid, which is the usual case.
static inline bool micai_world_accepts_value(const micai_type *type, const mica_value *value)
{
    return value->data && value->size == type->info.size && value->size > 0 && value->count == 1;
}

mica_result micai_world_check_array(mica_world *world, const char *call, const micai_type *type,
                                    const mica_value *array, uint32_t count);

#endif
