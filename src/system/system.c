// Systems, in the order they were added, and the step that runs them. system.h has the invariants.
#include "system/system.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/field.h"
#include "core/stamp.h"

static void close_room(mica_world *world, void *state)
{
    micai_systems *all = state;
    for (uint32_t i = 0; i < all->list.count; i++) {
        micai_release_text(&world->host, all->list.items[i].name);
    }
    micai_array_free(&world->host, &all->list);
    micai_map_free(&world->host, &all->by_name);
    micai_release(&world->host, all, sizeof *all, _Alignof(micai_systems));
}

static bool match_name(const void *context, uint32_t value, const void *key)
{
    const micai_systems *all = context;
    return strcmp(all->list.items[value].name, key) == 0;
}

// Its place in the list; MICAI_MAP_NONE if there is no such system.
static uint32_t find_name(const micai_systems *all, const char *name)
{
    return micai_map_find(&all->by_name, micai_hash_text(name), match_name, all, name);
}

static mica_system make_handle(const micai_core *core, uint64_t seed)
{
    return (mica_system){micai_stamp_make(core->seal, seed, 0)};
}

// Y1 of the system at `i`, those before it being right: each was made after them, and so was its query.
static bool is_right(mica_world *world, const micai_systems *all, uint32_t i)
{
    const micai_system *one = &all->list.items[i];
    const micai_system *before = i > 0 ? one - 1 : NULL;
    const micai_query *query = micai_query_look_up(world, one->query);
    const micai_query *older = before ? micai_query_look_up(world, before->query) : NULL;
    return micai_memory_holds_text(&world->host, one->name, MICA_NAME_SIZE_MAX) &&
           micai_name_is_good(one->name) && one->update && query && one->seed <= all->made &&
           one->handle.bits == make_handle(world->core, one->seed).bits &&
           (!before || (before->seed < one->seed && older && older->seed < query->seed));
}

static bool runs(const micai_systems *all, const char *name)
{
    for (uint32_t i = 0; i < all->list.count; i++) {
        if (all->list.items[i].name == name) {
            return true;
        }
    }
    return false;
}

// Y1: each is found by its name, and nobody else is.
static mica_result validate_names(mica_world *world, const micai_systems *all)
{
    mica_result result = micai_map_validate(&world->host, &all->by_name, all->list.count);
    bool right = !result && all->by_name.count == all->list.count;
    for (uint32_t i = 0; right && i < all->list.count; i++) {
        right = find_name(all, all->list.items[i].name) == i;
    }
    return result || right ? result
                           : micai_fail_invariant(&world->host, "Y1", "a system is not found");
}

static mica_result validate_room(mica_world *world, void *state)
{
    const micai_systems *all = state;
    mica_result result = micai_array_validate(&world->host, &all->list, "systems");
    for (uint32_t i = 0; !result && i < all->list.count; i++) {
        if (!is_right(world, all, i)) {
            result = micai_fail_invariant(&world->host, "Y1",
                                          "system %" PRIu32 " has lost its query or name", i);
        }
    }
    result = result ? result : validate_names(world, all);
    if (!result && world->host.system && !runs(all, world->host.system)) {
        world->host.system = NULL; // no sentence is to end in it
        result = micai_fail_invariant(&world->host, "Y2", "a system runs that is none");
    }
    return result;
}

static micai_systems *open_room(mica_world *world)
{
    micai_room *room = &world->core->rooms[MICAI_ROOM_SYSTEM];
    if (!room->state) {
        micai_systems *all = micai_alloc_zeroed(&world->host, sizeof *all, _Alignof(micai_systems));
        if (all) {
            micai_room_open(
                room, (micai_room){.state = all, .close = close_room, .validate = validate_room});
        }
    }
    return room->state;
}

static mica_result check_desc(mica_world *world, const char *call, const mica_system_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (!micai_name_is_good(desc->name)) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name is %s", call,
                          micai_name_fault(desc->name));
    }
    const micai_systems *all = world->core->rooms[MICAI_ROOM_SYSTEM].state;
    if (all && find_name(all, desc->name) != MICAI_MAP_NONE) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: there is a system '%s' already", call,
                          desc->name);
    }
    if (!desc->update) {
        return micai_fail(&world->host, MICA_ERROR_NULL, "%s: update of system '%s' is null", call,
                          desc->name);
    }
    return MICA_OK;
}

static mica_system add_system(mica_world *world, const char *call, const mica_system_desc *desc)
{
    const mica_system none = {0};
    micai_systems *all = open_room(world);
    if (!all || !micai_array_reserve(&world->host, &all->list, 1) ||
        !micai_map_reserve(&world->host, &all->by_name, 1)) {
        return none;
    }
    micai_system one = {
        .update = desc->update, .user = desc->user, .replay_first = desc->replay_first};
    const micai_maker by = {call, "system", desc->name};
    one.query = micai_query_make(world, &by, &desc->query);
    if (mica_query_is_none(one.query)) {
        return none;
    }
    one.name = micai_copy_text(&world->host, desc->name);
    if (!one.name) {
        mica_query_free(world, one.query);
        return none;
    }
    one.seed = ++all->made;
    one.handle = make_handle(world->core, one.seed);
    micai_map_insert(&all->by_name, micai_hash_text(one.name), all->list.count);
    all->list.items[all->list.count++] = one;
    return one.handle;
}

// Systems come, go and run when nothing else happens: commands that are carried out may do so in the
// middle of a step.
static mica_result check_open(mica_world *world, const char *call)
{
    mica_result result = micai_world_guard(world, call);
    if (!result && world->core->replaying) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "%s: refused while commands are carried out; do it afterwards", call);
    }
    return result;
}

mica_system mica_system_add(mica_world *world, const mica_system_desc *desc)
{
    static const char call[] = "mica_system_add";
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return mica_system_none();
    }
    if (check_open(world, call) || check_desc(world, call, desc)) {
        return mica_system_none();
    }
    micai_host_begin(&world->host, call);
    mica_system added = add_system(world, call, desc);
    micai_host_end(&world->host);
    return added;
}

// A system by its handle, its number in the list; the count of systems if it is not there.
static uint32_t find_system(const micai_systems *all, mica_system handle)
{
    uint32_t i = 0;
    while (i < all->list.count && all->list.items[i].handle.bits != handle.bits) {
        i++;
    }
    return i;
}

mica_result mica_system_remove(mica_world *world, mica_system handle)
{
    static const char call[] = "mica_system_remove";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = check_open(world, call);
    if (result) {
        return result;
    }
    micai_systems *all = world->core->rooms[MICAI_ROOM_SYSTEM].state;
    uint32_t i = all ? find_system(all, handle) : 0;
    if (!all || i == all->list.count) {
        return micai_fail(&world->host, MICA_ERROR_SYSTEM, "%s: the system is %s", call,
                          handle.bits ? "removed, or of another world" : "none");
    }
    if (!MICAI_CANARY("system.removed_query")) {
        mica_query_free(world, all->list.items[i].query);
    }
    micai_release_text(&world->host, all->list.items[i].name);
    all->list.count--;
    memmove(&all->list.items[i], &all->list.items[i + 1],
            (all->list.count - i) * sizeof *all->list.items);
    micai_map_clear(&all->by_name); // those behind it have other places
    for (i = 0; i < all->list.count; i++) {
        micai_map_insert(&all->by_name, micai_hash_text(all->list.items[i].name), i);
    }
    return MICA_OK;
}

mica_system mica_system_find(mica_world *world, const char *name)
{
    static const char call[] = "mica_system_find";
    const mica_system none = {0};
    if (!world || !name) {
        micai_fail_null(micai_world_host(world), call, world ? "name" : "world");
        return none;
    }
    if (micai_world_enter(world, call)) {
        return none;
    }
    const micai_systems *all = world->core->rooms[MICAI_ROOM_SYSTEM].state;
    uint32_t place = all ? find_name(all, name) : MICAI_MAP_NONE;
    return place != MICAI_MAP_NONE ? all->list.items[place].handle : none;
}

// An update has ended the step. The system may not be there any more.
static mica_result fail_ended(mica_world *world, mica_system handle)
{
    const micai_systems *all = world->core->rooms[MICAI_ROOM_SYSTEM].state;
    uint32_t i = find_system(all, handle);
    bool there = i < all->list.count;
    return micai_fail(&world->host, MICA_ERROR_ITERATOR,
                      "mica_step: %s%s%s has ended the step with mica_world_end_iterations",
                      there ? "system '" : "a system that is gone",
                      there ? all->list.items[i].name : "", there ? "'" : "");
}

// MICA_ERROR_ITERATOR, reported, if the system has ended the step, which is then over.
static mica_result update_all(mica_world *world, const micai_system *one, micai_walk *walk,
                              float dt)
{
    mica_iter it;
    micai_iter_aim(&it, world, walk, 0, 0, UINT32_MAX);
    walk->held = true;
    it.user = one->user;
    it.dt = dt;
    uint64_t serial = walk->serial;
    mica_system handle = one->handle;
    mica_update_fn *update = one->update;
    while (walk->next(&it)) {
        update(&it);
        if (walk->serial != serial) {
            return fail_ended(world, handle);
        }
        if (it.walk != walk) {
            return MICA_ERROR_ITERATING; // it has put another iteration into its iterator
        }
    }
    return it.result;
}

static mica_result run_system(mica_world *world, const micai_system *one, float dt)
{
    static const char call[] = "mica_step";
    micai_query *query = micai_query_find(world, call, one->query);
    micai_walk *walk = query ? micai_query_walk(world, call, query, one->name) : NULL;
    if (!walk) {
        return world->host.failed;
    }
    if (!MICAI_CANARY("system.tick")) {
        micai_world_advance(world);
    }
    mica_result result = update_all(world, one, walk, dt);
    if (result != MICA_ERROR_ITERATOR && world->core->walks.count > 0) {
        micai_world_close_walks(world);
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "mica_step: system '%s' left an iteration open; mica_iter_end ends one",
                          one->name);
    }
    return result;
}

// In the middle of a step, which is interrupted for that: the world is open.
static mica_result replay(mica_world *world)
{
    micai_world_end_step(world);
    mica_result result = micai_world_settle(world, "mica_step");
    micai_world_begin_step(world);
    return result;
}

mica_result mica_step(mica_world *world, double dt)
{
    static const char call[] = "mica_step";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    if (!(dt >= 0 && dt <= (double)FLT_MAX)) {
        return micai_fail(
            &world->host, MICA_ERROR_ARGUMENT,
            "%s: a time step of %g; it must be 0 or more, and no more than a float can hold", call,
            dt);
    }
    if (world->core->stepping && !world->host.hook) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "%s: a step is running, which ends when its systems have returned or, if "
                          "one was left by longjmp or an exception, with mica_world_end_iterations",
                          call);
    }
    mica_result result = check_open(world, call);
    if (result) {
        return result;
    }
    micai_systems *all = world->core->rooms[MICAI_ROOM_SYSTEM].state;
    micai_host_begin(&world->host, call);
    micai_store_settle(&world->core->store, UINT32_MAX);
    micai_host_end(&world->host);
    micai_world_begin_step(world);
    for (uint32_t i = 0; !result && all && i < all->list.count; i++) {
        result = all->list.items[i].replay_first ? replay(world) : MICA_OK;
        if (!result) {
            world->host.system = all->list.items[i].name;
            result = run_system(world, &all->list.items[i], (float)dt);
        }
    }
    if (result == MICA_ERROR_ITERATOR) {
        return result; // it is over already
    }
    micai_world_end_step(world);
    if (!result) {
        world->core->time += dt;
    }
    mica_result settled = micai_world_settle(world, call);
    if (!result) {
        micai_world_turn(world);
    }
    return result ? result : settled;
}
