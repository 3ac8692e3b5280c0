// Making, freeing, clearing and validating worlds; the last error; who may change a world when.
#include "world/plan.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "world/recorder.h"
#include "world/tidings.h"

#define FACE_ALIGN 64 // a cache line: faces are written to by different threads

// A host to report to and to allocate from before there is a world.
static void begin_host(micai_host *host, const mica_world_desc *desc)
{
    micai_host_init(host);
    host->allocator = desc->allocator;
    if (!host->allocator.resize) {
        host->allocator.resize = micai_system_resize;
    }
    host->error_handler = desc->error_handler;
    host->error_user = desc->error_user;
    host->abort_on_error = desc->abort_on_error;
    host->log_handler = desc->log_handler;
    host->log_user = desc->log_user;
}

static void hear_going(void *user)
{
    micai_core *core = user;
    micai_bundles_forget(&core->bundles);
}

static void hear_judged(void *user, micai_table *table)
{
    micai_core *core = user;
    micai_bundles_judge(&core->bundles, table);
}

static micai_listener listen(micai_core *core)
{
    return (micai_listener){.going = hear_going, .judged = hear_judged, .user = core};
}

// Values are destroyed while all memory is still there: their hooks may ask accessors and faces, which refuse.
static void destroy_values(mica_world *world, micai_core *core)
{
    for (uint32_t i = MICAI_ROOM_COUNT; i-- > 0;) {
        const micai_room *room = &core->rooms[i];
        if (room->state && room->destroy_values) {
            room->destroy_values(world, room->state);
        }
    }
    micai_resources_clear(core);
    micai_pools_clear(&core->pools);
    micai_store_clear(&core->store);
}

static void free_core(mica_world *world, micai_core *core)
{
    destroy_values(world, core);
    for (uint32_t i = MICAI_ROOM_COUNT; i-- > 0;) {
        if (core->rooms[i].state) {
            core->rooms[i].close(world, core->rooms[i].state);
        }
    }
    micai_bundles_free(core->host, &core->bundles);
    micai_names_free(core);
    micai_facets_free(core);
    micai_array_free(core->host, &core->resources);
    micai_pools_free(&core->pools);
    micai_store_free(&core->store);
    micai_slots_free(core->host, &core->slots);
    micai_registry_free(core->host, &core->registry);
    micai_walks_free(core->host, &core->walks);
    micai_release(core->host, core, sizeof *core, _Alignof(micai_core));
}

static void free_world(mica_world *world, const char *call)
{
    micai_host_begin(&world->host, call);
    if (world->core) {
        free_core(world, world->core);
    }
    // What hooks had to be told is still to be told, but not of a world.
    world->host.world = NULL;
    world->host.busy = NULL;
    micai_host_end(&world->host);
    micai_arena_free(&world->host, &world->scratch);
    micai_host_close(&world->host);
    // The world lies in memory of its own host: the last block is given back by a copy of it.
    micai_host host;
    micai_host_succeed(&host, &world->host);
    micai_release(&host, world, sizeof *world, FACE_ALIGN);
}

// Puts a core behind a face.
static void face_core(mica_world *world, micai_core *core)
{
    world->core = core;
    world->view.slots = &core->slots.view;
    world->view.store = &core->store.directory.view;
    world->view.flags = &core->store.flags.view;
    world->view.world = world;
}

static mica_result make_core(mica_world *world, const mica_world_desc *desc)
{
    micai_core *core = micai_alloc_zeroed(&world->host, sizeof *core, _Alignof(micai_core));
    if (!core) {
        return MICA_ERROR_MEMORY;
    }
    face_core(world, core);
    core->host = &world->host;
    core->seal = micai_stamp_seal(core);
    core->gate = (micai_gate){.host = core->host, .slots = &core->slots, .busy = &world->busy};
    core->host->busy = &world->busy;
    micai_slots_init(&core->slots, desc->max_entities);
    micai_facets_init(&core->facets);
    micai_registry_init(&core->registry, desc->max_types, core->seal);
    micai_pools_init(&core->pools, &core->gate, desc->restless);
    mica_result result = micai_store_init(&core->store, &core->gate, &core->registry,
                                          &world->view.tick, desc->restless);
    return result ? result : micai_store_listen(&core->store, listen(core));
}

mica_world *mica_world_new(const mica_world_desc *desc)
{
    static const char call[] = "mica_world_new";
    const mica_world_desc defaults = {0};
    if (!desc) {
        desc = &defaults;
    }
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        // Nothing in it can be trusted, the handler included.
        micai_fail(NULL, MICA_ERROR_DESC,
                   "%s: the descriptor was not zeroed before it was filled in", call);
        return NULL;
    }
    micai_host host;
    begin_host(&host, desc);
    if (desc->max_types > MICAI_STAMP_NUMBER_MAX + 1) {
        micai_fail(&host, MICA_ERROR_ARGUMENT,
                   "%s: a limit of %" PRIu32 " types is beyond %" PRIu32, call, desc->max_types,
                   MICAI_STAMP_NUMBER_MAX + 1);
        return NULL;
    }
    micai_host_begin(&host, call);
    mica_world *world = micai_alloc_zeroed(&host, sizeof *world, FACE_ALIGN);
    micai_host_end(&host);
    if (!world) {
        return NULL;
    }
    micai_host_succeed(&world->host, &host);
    world->view.tick = 1;
    micai_host_begin(&world->host, call);
    mica_result result = make_core(world, desc);
    micai_host_end(&world->host);
    if (result) {
        free_world(world, call);
        return NULL;
    }
    world->host.world = world;
    return world;
}

mica_result micai_world_guard_all(mica_world *world, const char *call)
{
    mica_result result = micai_world_guard(world, call);
    if (!result && world->core->replaying) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "%s: refused while commands are carried out; do it afterwards or, if one "
                          "was left by longjmp or an exception, after mica_world_end_iterations",
                          call);
    }
    return result;
}

mica_result mica_world_free(mica_world *world)
{
    if (!world) {
        return MICA_OK;
    }
    static const char call[] = "mica_world_free";
    mica_result result = micai_world_guard_all(world, call);
    if (!result) {
        free_world(world, call);
    }
    return result;
}

mica_result mica_world_clear(mica_world *world)
{
    static const char call[] = "mica_world_clear";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard(world, call);
    if (!result) {
        uint32_t tables = micai_world_begin(world, call);
        micai_plan_end_all(world, call);
        micai_world_end(world, tables, MICA_OK);
        result = micai_world_finish(world, call, MICA_OK);
    }
    return result;
}

mica_result mica_world_settle(mica_world *world)
{
    static const char call[] = "mica_world_settle";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard(world, call);
    if (!result) {
        micai_host_begin(&world->host, call);
        if (micai_rings_settle(&world->core->store, UINT32_MAX)) {
            result =
                micai_fail_within(&world->host, MICA_ERROR_MEMORY, "no memory for a ring to grow");
        }
        micai_host_end(&world->host);
    }
    return result;
}

static void reclaim_rooms(mica_world *world)
{
    for (uint32_t i = 0; i < MICAI_ROOM_COUNT; i++) {
        const micai_room *room = &world->core->rooms[i];
        if (room->state && room->reclaim) {
            room->reclaim(world, room->state);
        }
    }
}

mica_result mica_world_reclaim(mica_world *world)
{
    static const char call[] = "mica_world_reclaim";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_core *core = world->core;
    mica_result result = micai_world_guard(world, call);
    if (!result) {
        uint32_t tables = micai_world_begin(world, call);
        result = micai_slots_reserve_reclaim(core->host, &core->slots);
        result = result ? result : micai_store_reserve_reclaim(&core->store);
        result = result ? result : micai_pools_reserve_reclaim(&core->pools);
        if (!result) {
            micai_store_reclaim(&core->store);
            micai_pools_reclaim(&core->pools);
            micai_slots_reclaim(core->host, &core->slots);
            reclaim_rooms(world);
        }
        if (!result && !world->scratch.current) { // it is empty, as it is between calls
            micai_arena_free(&world->host, &world->scratch);
            world->promised = 0;
        }
        micai_world_end(world, tables, result);
    }
    return result;
}

// Where memory is refused that was reported, and what is left waits: the call itself has not failed.
mica_result micai_world_pay(mica_world *world, const char *call)
{
    mica_result result = MICA_OK;
    if (world->core->telling == 0) {
        const micai_room *events = &world->core->rooms[MICAI_ROOM_OBSERVER];
        world->core->owing = false;
        (void)events->settle(world, events->state, call);
        result = micai_world_settle(world, call);
    }
    return result == MICA_ERROR_LIMIT ? result : MICA_OK;
}

void micai_world_close_walks(mica_world *world)
{
    micai_core *core = world->core;
    while (core->walks.newest) {
        micai_walk_leave(core->walks.newest);
        micai_walk_close(&core->walks, &core->gate, core->walks.newest);
    }
}

void micai_world_advance(mica_world *world)
{
    world->view.tick++;
    for (const micai_host *host = world->host.next; host; host = host->next) {
        host->world->view.tick = world->view.tick;
    }
}

void micai_face_open(mica_world *face, mica_world *main, const micai_recorder *recorder)
{
    micai_host_follow(&face->host, &main->host);
    face->host.world = face;
    face_core(face, main->core);
    face->view.tick = main->view.tick;
    face->recorder = recorder;
    face->busy = 1;
    face->scratch = (micai_arena){0};
    face->promised = 0;
}

void micai_face_close(mica_world *face)
{
    micai_arena_free(&face->host, &face->scratch);
    micai_host_leave(&face->host);
}

void micai_world_begin_step(mica_world *world)
{
    world->core->stepping = world->core->midway = true;
    micai_gate_shut(&world->core->gate);
}

void micai_world_end_step(mica_world *world)
{
    world->core->stepping = world->core->midway = false;
    world->core->declared = NULL;
    world->host.system = NULL;
    micai_gate_open(&world->core->gate);
}

void micai_world_pause_step(mica_world *world)
{
    micai_world_end_step(world);
    world->core->midway = true;
}

uint32_t mica_world_end_iterations(mica_world *world)
{
    static const char call[] = "mica_world_end_iterations";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return 0;
    }
    if (micai_world_edit(world, call) ||
        (world->core->telling > 0 && micai_world_refuse(world, call))) {
        return 0;
    }
    uint32_t open = world->core->walks.count;
    micai_world_close_walks(world);
    if (world->core->stepping) {
        micai_world_end_step(world);
    }
    world->core->midway = false;
    world->core->replaying = false;
    return open;
}

mica_result mica_world_check_change(mica_world *world)
{
    if (!world) {
        return micai_fail_null(NULL, "mica_world_check_change", "world");
    }
    world = micai_world_main(world);
    const micai_host *host = &world->host;
    return host->hook         ? MICA_ERROR_HOOK
           : host->handler    ? MICA_ERROR_HANDLER
           : world->busy != 0 ? MICA_ERROR_ITERATING
                              : MICA_OK;
}

static mica_result refuse_inside(mica_world *world, const char *call, bool recordable)
{
    const micai_ear *observer = world->core->observer;
    const char *name = observer ? observer->name : NULL;
    return micai_fail(
        &world->host, MICA_ERROR_ITERATING,
        "%s: refused inside %s%.80s%s; %sdo it when the call is over that is observed", call,
        name ? "observer '" : "an observer", name ? name : "", name ? "'" : "",
        recordable ? "record it with its `later`, or " : "");
}

// What can be recorded is said to be so.
static mica_result refuse(mica_world *world, const char *call, const char *name, bool recordable)
{
    micai_host *host = &world->host;
    if (host->hook) {
        return micai_hook_refuse(host, call);
    }
    if (world->recorder) {
        return micai_fail(
            host, MICA_ERROR_RECORDING,
            "%s: cannot be recorded; do it on the world itself, or have a function do "
            "it that is recorded with mica_call",
            call);
    }
    if (host->handler) {
        return micai_fail(host, MICA_ERROR_HANDLER,
                          "%s: refused inside the %s handler, which may look at the world but not "
                          "change it",
                          call, host->handler);
    }
    if (world->core->telling > 0) {
        return refuse_inside(world, call, recordable);
    }
    if (host->system) {
        return micai_fail(
            host, MICA_ERROR_ITERATING,
            "%s: refused while system '%s' runs; %s do it after mica_step", call, host->system,
            recordable ? "record it with mica_later, or" : "note what is to be done and");
    }
    return micai_fail(host, MICA_ERROR_ITERATING,
                      "%s: refused while %s%s%s is being iterated; %sdo it afterwards, or end that "
                      "with mica_iter_end or, if it is lost, mica_world_end_iterations",
                      call, name ? "'" : "", name ? name : "a query", name ? "'" : "",
                      recordable ? "record it with mica_later, " : "");
}

mica_result micai_world_refuse_for(mica_world *world, const char *call, const char *name)
{
    return refuse(world, call, name, false);
}

mica_result micai_world_refuse(mica_world *world, const char *call)
{
    const micai_walk *innermost = world->core->walks.newest;
    return refuse(world, call, innermost ? innermost->name : NULL, false);
}

mica_result micai_world_refuse_change(mica_world *world, const char *call)
{
    const micai_walk *innermost = world->core->walks.newest;
    return refuse(world, call, innermost ? innermost->name : NULL, true);
}

mica_result micai_world_check_gathered(mica_world *world, const char *call, const micai_type *type)
{
    const micai_walks *walks = &world->core->walks;
    const micai_walk *walk = walks->newest;
    while (walk && !walks->gathers(walk, type)) {
        walk = walk->older;
    }
    if (!walk) {
        return MICA_OK;
    }
    const char *quote = walk->name ? "'" : "";
    return micai_fail(&world->host, MICA_ERROR_ITERATING,
                      "%s: '%.80s' is brought together by the iteration of %s%s%.80s%s, which has "
                      "its values until it goes on; use %s there",
                      call, type->info.name, walk->held ? "system " : "", quote,
                      walk->name ? walk->name : "a query", quote,
                      micai_kind_of(type)->find ? "mica_load and mica_set" : "mica_write_row");
}

// Rooms

// Of all of it but the check.
static uint64_t check_of(const micai_room *room)
{
    return micai_hash_bytes(room, offsetof(micai_room, check));
}

void micai_room_open(micai_room *room, micai_room opened)
{
    *room = opened;
    room->check = check_of(room);
}

void micai_world_turn(mica_world *world)
{
    for (uint32_t i = 0; i < MICAI_ROOM_COUNT; i++) {
        const micai_room *room = &world->core->rooms[i];
        if (room->state && room->turn) {
            room->turn(world, room->state);
        }
    }
}

// Validation

// W1, first of what can be told without looking into the core.
static bool faces_its_core(const mica_world *world)
{
    const micai_core *core = world->core;
    const micai_host *host = &world->host;
    return micai_memory_holds(host, core, 1, sizeof *core, _Alignof(micai_core)) &&
           world->view.slots == &core->slots.view &&
           world->view.store == &core->store.directory.view &&
           world->view.flags == &core->store.flags.view && world->view.world == world &&
           host->world == world && !world->recorder && !host->main && core->host == host &&
           core->gate.host == host && core->gate.slots == &core->slots &&
           core->gate.busy == &world->busy && core->store.host == host &&
           core->store.gate == &core->gate && core->store.slots == &core->slots &&
           core->store.registry == &core->registry && core->store.now == &world->view.tick &&
           core->pools.gate == &core->gate && core->registry.seal == core->seal;
}

// The face, and what lies in the core itself.
static mica_result validate_face(mica_world *world)
{
    micai_host *host = &world->host;
    const micai_core *core = world->core;
    if (!faces_its_core(world)) {
        host->main = NULL; // it is to be told to nobody else
        return micai_fail_invariant(host, "W1", "the world's face and its core are strangers");
    }
    if (host->busy != &world->busy) {
        host->busy = NULL; // telling it is not to write there
        return micai_fail_invariant(host, "W1", "the world's host shuts another's gate");
    }
    if (!micai_memory_holds_bool(&core->stepping) ||
        ((host->system || core->declared) && !core->stepping)) {
        world->core->declared = NULL;
        host->system = NULL; // whatever it was, no sentence is to end in it
        return micai_fail_invariant(host, "W1", "a system runs without a step");
    }
    if (!micai_memory_holds_bool(&core->midway) ||
        (core->midway != core->stepping && !(core->midway && core->replaying))) {
        return micai_fail_invariant(host, "W1", "a step that does not run is not over");
    }
    mica_result result = micai_host_validate(host);
    result = result ? result : micai_memory_validate(host);
    result = result ? result : micai_arena_validate(host, &world->scratch);
    result = result ? result : micai_walks_validate(host, &core->walks, core->stepping);
    uint32_t busy = core->walks.count + core->stepping + (host->handler != NULL) + core->telling;
    if (!result && world->busy != busy) {
        result = micai_fail_invariant(host, "B1", "%" PRIu32 " shut the gate, not %" PRIu32, busy,
                                      world->busy);
    }
    if (!result && busy == 0 && world->scratch.current) {
        result = micai_fail_invariant(host, "W7", "scratch memory is in use between calls");
    }
    if (!result && !(core->time >= 0 && core->time <= DBL_MAX)) {
        result = micai_fail_invariant(host, "W5", "the time is %g", core->time);
    }
    return result;
}

static mica_result validate_rooms(mica_world *world)
{
    micai_core *core = world->core;
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < MICAI_ROOM_COUNT; i++) {
        micai_room *room = &core->rooms[i];
        if (room->check != (room->state ? check_of(room) : 0)) {
            result = micai_fail_invariant(&world->host, "W5", "room %" PRIu32 " is damaged", i);
        } else if (room->state) {
            result = room->validate(world, room->state);
        }
    }
    if (!result && !core->rooms[MICAI_ROOM_COMMAND].state &&
        (world->host.next || core->waiting || core->replaying || core->slots.pending > 0)) {
        result = micai_fail_invariant(&world->host, "W1", "commands wait that nobody has recorded");
    }
    if (!result && !core->rooms[MICAI_ROOM_OBSERVER].state && !micai_watch_is_idle(core)) {
        result = micai_fail_invariant(&world->host, "W8", "something is watched by nobody");
    }
    return result;
}

mica_result mica_world_validate(mica_world *world)
{
    static const char call[] = "mica_world_validate";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    world = world->host.main ? micai_world_main(world) : world;
    micai_host *host = &world->host;
    if (!host->hook != !host->hooked) {
        host->hook = host->hooked = NULL; // no sentence is to name them
        return micai_fail_invariant(host, "B2", "a hook is called that is of no type");
    }
    if (micai_world_enter(world, call)) {
        return MICA_ERROR_HOOK;
    }
    micai_core *core = world->core;
    mica_result result = validate_face(world);
    result = result ? result : micai_slots_validate(host, &core->slots);
    result = result ? result : micai_registry_validate(host, &core->registry);
    result = result ? result : micai_store_validate(&core->store);
    result = result ? result : micai_store_validate_ticks(&core->store, world->view.tick);
    result =
        result ? result : micai_pools_validate(&core->pools, &core->registry, world->view.tick);
    if (!result && !micai_store_has_listener(&core->store, listen(core))) {
        result = micai_fail_invariant(host, "W4", "the world is deaf to its store");
    }
    result = result ? result : micai_names_validate(host, &core->names, &core->slots);
    result = result ? result : micai_facets_validate(world);
    result = result ? result : micai_resources_validate(host, core);
    result = result ? result : micai_bundles_validate(core);
    result = result ? result : micai_plan_validate(world);
    return result ? result : validate_rooms(world);
}

const mica_error *mica_last_error(mica_world *world)
{
    return world ? micai_host_last_error(micai_host_main(&world->host)) : NULL;
}

void mica_clear_error(mica_world *world)
{
    if (world) {
        micai_host_main(&world->host)->last_error = (mica_error){0};
    }
}

mica_result mica_world_set_error_handler(mica_world *world, mica_error_handler *handler, void *user)
{
    if (!world) {
        return micai_fail_null(NULL, "mica_world_set_error_handler", "world");
    }
    micai_host *host = micai_host_main(&world->host);
    host->error_handler = handler;
    host->error_user = user;
    return MICA_OK;
}

mica_result mica_world_set_abort_on_error(mica_world *world, bool abort_on_error)
{
    if (!world) {
        return micai_fail_null(NULL, "mica_world_set_abort_on_error", "world");
    }
    micai_host_main(&world->host)->abort_on_error = abort_on_error;
    return MICA_OK;
}

mica_allocator mica_world_allocator(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_world_allocator", "world");
        return (mica_allocator){0};
    }
    return world->host.allocator;
}

mica_memory_stats mica_memory(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_memory", "world");
        return (mica_memory_stats){0};
    }
    return micai_host_main(&world->host)->memory;
}
