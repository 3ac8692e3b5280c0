// Systems: add, find, remove, look up. system.h has the invariants.
#include "system/wave.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/field.h"
#include "core/stamp.h"

// The module

static void free_system(mica_world *world, micai_system *one)
{
    // NOLINTNEXTLINE(performance-no-int-to-ptr): allocated here, and shown as const
    micai_release_text(&world->host, (char *)(uintptr_t)one->declared.system);
    micai_release(&world->host, one, sizeof *one, _Alignof(micai_system));
}

static void close_module(mica_world *world, void *data)
{
    micai_systems *all = data;
    for (uint32_t i = 0; i < all->systems.list.count; i++) {
        if (all->systems.list.items[i]) {
            free_system(world, all->systems.list.items[i]);
        }
    }
    for (uint32_t i = 0; i < all->phases.count; i++) {
        micai_phase *phase = all->phases.items[i];
        micai_release_text(&world->host, phase->name);
        micai_release(&world->host, phase, sizeof *phase, _Alignof(micai_phase));
    }
    micai_handles_free(&world->host, &all->systems);
    micai_handles_free(&world->host, &all->phase_handles);
    micai_array_free(&world->host, &all->phases);
    micai_map_free(&world->host, &all->by_name);
    micai_map_free(&world->host, &all->phases_by_name);
    micai_arena_free(&world->host, &all->frame);
    micai_unclaimed_free(&world->host, &all->unclaimed);
    micai_release(&world->host, all, sizeof *all, _Alignof(micai_systems));
}

static void reclaim_module(mica_world *world, void *data)
{
    micai_systems *all = data;
    if (!all->frame.current) { // the frame has no allocations
        micai_arena_free(&world->host, &all->frame);
    }
}

micai_systems *micai_systems_open(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_SYSTEM];
    if (module->data) {
        return module->data;
    }
    micai_systems *all = micai_alloc_zeroed(&world->host, sizeof *all, _Alignof(micai_systems));
    if (!all) {
        return NULL;
    }
    if (!micai_phase_make(world, all, "mica_phase_add", &(mica_phase_desc){.name = "update"})) {
        close_module(world, all);
        return NULL;
    }
    *module = (micai_module){.data = all,
                             .close = close_module,
                             .reclaim = reclaim_module,
                             .events_read = micai_systems_events_read};
    return all;
}

uint64_t micai_systems_stamp(const micai_state *state, uint64_t seed, uint32_t number)
{
    return micai_stamp_make(state->seal, seed, number);
}

// Finding

static bool match_name(const void *context, uint32_t value, const void *key)
{
    const micai_systems *all = context;
    const micai_system *one = all->systems.list.items[value];
    return strcmp(one->declared.system, key) == 0;
}

// Returns NULL if there is no such system.
static const micai_system *find_name(const micai_systems *all, const char *name)
{
    return micai_handles_at(
        &all->systems, micai_map_find(&all->by_name, micai_hash_text(name), match_name, all, name));
}

micai_system *micai_systems_find(mica_world *world, const char *call, mica_system system)
{
    const micai_systems *all = micai_systems_of(world);
    micai_system *found = all ? micai_systems_look_up(all, system) : NULL;
    if (!found) {
        micai_fail(&world->host, MICA_ERROR_SYSTEM, "%s: the system is %s", call,
                   system.bits ? "removed, or of another world" : "none");
    }
    return found;
}

mica_system mica_system_find(mica_world *world, const char *name)
{
    static const char call[] = "mica_system_find";
    if (!world || !name) {
        micai_fail_null(micai_world_host(world), call, world ? "name" : "world");
        return (mica_system){0};
    }
    if (micai_world_guard_read(world, call)) {
        return (mica_system){0};
    }
    const micai_systems *all = micai_systems_of(world);
    const micai_system *found = all ? find_name(all, name) : NULL;
    return found ? found->handle : (mica_system){0};
}

// Adding

static mica_result check_desc(mica_world *world, const char *call, const mica_system_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (!micai_name_is_valid(desc->name)) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name is %s", call,
                          micai_name_fault(desc->name));
    }
    const micai_systems *all = micai_systems_of(world);
    if (all && find_name(all, desc->name)) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: there is a system '%s' already", call,
                          desc->name);
    }
    if (!desc->update) {
        return micai_fail(&world->host, MICA_ERROR_NULL, "%s: update of system '%s' is null", call,
                          desc->name);
    }
    return MICA_OK;
}

// Reports a handle that stands behind a null one in a list of handles.
static mica_result fail_gap(mica_world *world, const char *call, const char *system,
                            const char *list)
{
    return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                      "%s: system '%.80s': .%s has a gap; the handles behind it would be lost",
                      call, system, list);
}

static mica_result declare_queries(mica_world *world, const char *call,
                                   const mica_system_desc *desc, micai_declared *declared)
{
    for (uint32_t i = 0; i < MICA_SYSTEM_QUERIES_MAX; i++) {
        if (MICA_IS_NONE(desc->queries[i])) {
            continue;
        }
        if (i > declared->query_count) {
            return fail_gap(world, call, desc->name, "queries");
        }
        const micai_query *query = micai_query_look_up(world, desc->queries[i]);
        if (!query) {
            return micai_fail(&world->host, MICA_ERROR_QUERY,
                              "%s: system '%.80s', query %u: it is freed, or of another world",
                              call, desc->name, (unsigned)i);
        }
        if (query->owned) {
            return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                              "%s: system '%.80s', query %u: it is the own one of a system or an "
                              "observer, and goes with that",
                              call, desc->name, (unsigned)i);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (declared->queries[k].bits == desc->queries[i].bits) {
                return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                                  "%s: system '%.80s', query %u: it is listed twice", call,
                                  desc->name, (unsigned)i);
            }
        }
        declared->queries[declared->query_count++] = desc->queries[i];
    }
    return MICA_OK;
}

// Checks one use of a resource or event. With `both`, a type may be listed for reading and for
// writing.
static mica_result check_use(mica_world *world, const char *call, const char *system,
                             const char *what, const mica_term *uses, uint32_t i, bool both)
{
    char label[160];
    (void)snprintf(label, sizeof label, "%s: system '%.80s'", call, system);
    const micai_type *type = micai_world_type_in(world, label, what, i, uses[i].type);
    if (!type) {
        return micai_world_failed(world);
    }
    if (type->info.size == 0) {
        return micai_fail(&world->host, MICA_ERROR_SIZE, "%s, %s %u: '%.80s' is a tag", label, what,
                          (unsigned)i, type->info.name);
    }
    if (uses[i].access != MICA_READ && uses[i].access != MICA_WRITE) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s, %s %u: the access of '%.80s' must be MICA_READ or MICA_WRITE", label,
                          what, (unsigned)i, type->info.name);
    }
    for (uint32_t k = 0; k < i; k++) {
        if (uses[k].type.bits == uses[i].type.bits && (!both || uses[k].access == uses[i].access)) {
            return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                              "%s, %s %u: '%.80s' is listed twice", label, what, (unsigned)i,
                              type->info.name);
        }
    }
    return MICA_OK;
}

static mica_result declare_uses(mica_world *world, const char *call, const mica_system_desc *desc,
                                bool events, micai_declared *declared)
{
    const mica_term *uses = events ? desc->events : desc->resources;
    mica_term *target = events ? declared->events : declared->resources;
    uint32_t *count = events ? &declared->event_count : &declared->resource_count;
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < MICA_SYSTEM_USES_MAX; i++) {
        if (uses[i].type.bits == 0 && uses[i].access == 0) {
            continue;
        }
        if (i > *count) {
            return fail_gap(world, call, desc->name, events ? "events" : "resources");
        }
        result = check_use(world, call, desc->name, events ? "event" : "resource", uses, i, events);
        if (!result) {
            target[(*count)++] = uses[i];
        }
    }
    return result;
}

// Copies the list of systems that it must run before, or after.
static mica_result declare_order(mica_world *world, const char *call, const mica_system_desc *desc,
                                 bool after, mica_system *target)
{
    const mica_system *others = after ? desc->after : desc->before;
    const micai_systems *all = micai_systems_of(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < MICA_SYSTEM_ORDER_MAX; i++) {
        if (MICA_IS_NONE(others[i])) {
            continue;
        }
        if (i > count) {
            return fail_gap(world, call, desc->name, after ? "after" : "before");
        }
        if (!micai_systems_look_up(all, others[i])) {
            return micai_fail(&world->host, MICA_ERROR_SYSTEM,
                              "%s: system '%.80s': .%s names a system that is removed, or of "
                              "another world",
                              call, desc->name, after ? "after" : "before");
        }
        target[count++] = others[i];
    }
    return MICA_OK;
}

// Takes over how the system runs. Programs without waves do not link what checks that (system/parallel).
static mica_result declare_run(mica_world *world, const char *call, const mica_system_desc *desc,
                               micai_system *one)
{
    const micai_waves *waves = micai_waves_of(world);
    if (!waves && (desc->run != MICA_ALONE || mica_system_threads_(desc))) {
        return micai_fail_within(&world->host, MICA_ERROR_MEMORY,
                                 "there is none for systems that run together");
    }
    return waves ? waves->functions->declare(world, call, desc, one) : MICA_OK;
}

static mica_result declare(mica_world *world, const char *call, const mica_system_desc *desc,
                           micai_system *one)
{
    mica_result result = declare_queries(world, call, desc, &one->declared);
    result = result ? result : declare_uses(world, call, desc, false, &one->declared);
    result = result ? result : declare_uses(world, call, desc, true, &one->declared);
    result = result ? result : declare_run(world, call, desc, one);
    result = result ? result : declare_order(world, call, desc, false, one->before);
    return result ? result : declare_order(world, call, desc, true, one->after);
}

// Creates the query that is iterated by functions without rows.
static mica_result require_rowless_query(mica_world *world, const char *call, micai_systems *all)
{
    if (MICA_IS_NONE(all->rowless)) {
        const micai_query_origin origin = {.call = call, .noun = "query", .hidden = true};
        all->rowless = micai_query_new(world, &origin, &(mica_query_desc){.everything = true});
    }
    return MICA_IS_NONE(all->rowless) ? micai_world_failed(world) : MICA_OK;
}

static void free_rowless_query(mica_world *world, micai_systems *all)
{
    if (!MICA_IS_NONE(all->rowless)) {
        micai_query_free(world, micai_query_look_up(world, all->rowless));
        all->rowless = (mica_query){0};
    }
}

static bool is_empty(const mica_query_desc *desc)
{
    bool empty = desc->first_zero == 0 && desc->last_zero == 0 && !desc->everything &&
                 !desc->more_terms && desc->more_count == 0 && !desc->name && !desc->no_entities &&
                 !desc->no_facets && MICA_IS_NONE(desc->of.relation);
    for (uint32_t i = 0; empty && i < MICA_TERMS_INLINE; i++) {
        empty = MICA_IS_NONE(desc->terms[i].type) && desc->terms[i].access == 0;
    }
    return empty;
}

// Does all that can fail except the order check: phase, query, name, declarations.
static mica_result fill_in(mica_world *world, const char *call, const mica_system_desc *desc,
                           micai_systems *all, micai_system *one)
{
    one->phase = micai_phases_find(world, call, desc->phase);
    mica_result result = one->phase ? MICA_OK : micai_world_failed(world);
    result = result ? result : declare(world, call, desc, one);
    bool once = is_empty(&desc->query);
    if (!result && (once || desc->begin || desc->end || desc->when)) {
        result = require_rowless_query(world, call, all);
    }
    if (!result && !once) {
        const micai_query_origin origin = {
            .call = call, .noun = "system", .name = desc->name, .owned = true};
        one->query = micai_query_new(world, &origin, &desc->query);
        one->rows = micai_query_look_up(world, one->query);
        result = one->rows ? MICA_OK : micai_world_failed(world);
    }
    if (!result && desc->run != MICA_ALONE) {
        result = micai_waves_of(world)->functions->check(world, call, desc, one);
    }
    if (!result) {
        one->declared.system = micai_copy_text(&world->host, desc->name);
        result = one->declared.system ? MICA_OK : MICA_ERROR_MEMORY;
    }
    return result;
}

static void free_with_query(mica_world *world, micai_system *one)
{
    if (one->rows) {
        micai_query_free(world, one->rows);
    }
    free_system(world, one);
}

// Adds `by` to the user counts of the declared queries. A query in use cannot be freed.
static void count_uses(mica_world *world, const micai_system *one, uint32_t by)
{
    for (uint32_t i = 0; i < one->declared.query_count; i++) {
        micai_query *query = micai_query_look_up(world, one->declared.queries[i]);
        assert(query); // fill_in() has found it, and a query in use cannot be freed
        query->declaring_systems += by;
    }
}

void micai_system_set_enabled(micai_system *one, bool enabled)
{
    one->enabled = enabled;
    one->special = !enabled || one->replay_first || one->declared.run != MICA_ALONE;
}

// Gives a handle to a system that is in its place. From here on it can be found.
static void enter(mica_world *world, micai_systems *all, micai_system *one)
{
    uint32_t number = micai_handles_add(&all->systems, one);
    one->seed = ++all->made;
    one->handle.bits = micai_systems_stamp(world->state, one->seed, number);
    micai_map_insert(&all->by_name, micai_hash_text(one->declared.system), number);
    count_uses(world, one, 1);
    all->waves_planned = false;
}

static mica_system add_system(mica_world *world, const char *call, const mica_system_desc *desc)
{
    micai_systems *all = micai_systems_open(world);
    micai_system *one =
        all && micai_handles_reserve(&world->host, &all->systems, call, "systems") &&
                micai_map_reserve(&world->host, &all->by_name, 1)
            ? micai_alloc_zeroed(&world->host, sizeof *one, _Alignof(micai_system))
            : NULL;
    if (!one) {
        return (mica_system){0};
    }
    one->update = desc->update;
    one->begin = desc->begin;
    one->end = desc->end;
    one->when = desc->when;
    one->user = desc->user;
    one->replay_first = desc->replay_first;
    bool needed = !MICA_IS_NONE(all->rowless);
    if (fill_in(world, call, desc, all, one)) {
        free_with_query(world, one);
        if (!needed) {
            free_rowless_query(world, all);
        }
        return (mica_system){0};
    }
    micai_system_insert(one, micai_systems_find_successor(all, one));
    if (micai_system_check_place(world, call, all, one)) { // no other system can name it yet
        micai_system_unlink(one);
        free_with_query(world, one);
        if (!needed) {
            free_rowless_query(world, all);
        }
        return (mica_system){0};
    }
    micai_system_set_enabled(one, !desc->disabled);
    enter(world, all, one);
    if (one->rows) {
        micai_query_resume(world, one->rows); // by its own name, if it has one
    }
    micai_system_resume(world, all, one);
    return one->handle;
}

static mica_system add_checked(mica_world *world, const mica_system_desc *desc)
{
    static const char call[] = "mica_system_add";
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return (mica_system){0};
    }
    if (micai_world_guard_all(world, call) || check_desc(world, call, desc)) {
        return (mica_system){0};
    }
    micai_host_begin(&world->host, call);
    mica_system added = add_system(world, call, desc);
    micai_host_end(&world->host);
    return added;
}

uint64_t mica_system_add_(mica_world *world, const mica_system_desc *desc)
{
    return add_checked(world, desc).bits;
}

mica_result mica_system_remove(mica_world *world, mica_system system)
{
    static const char call[] = "mica_system_remove";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    micai_system *one = result ? NULL : micai_systems_find(world, call, system);
    if (!one) {
        return micai_world_failed(world);
    }
    micai_systems *all = micai_systems_of(world);
    count_uses(world, one, UINT32_MAX); // -1
    uint32_t number = micai_stamp_number(system.bits);
    micai_map_remove(&all->by_name, micai_hash_text(one->declared.system), number);
    micai_handles_remove(&all->systems, number);
    micai_system_unlink(one);
    all->waves_planned = false;
    if (MICAI_CANARY("system.removed_query")) {
        one->rows = NULL;
    }
    free_with_query(world, one);
    return MICA_OK;
}

// Looking up and switching

// Returns a system to read or switch it, which is allowed during a step. Returns NULL with a report
// on failure.
static micai_system *find_entered(mica_world *world, const char *call, mica_system system)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    return micai_world_guard_read(world, call) ? NULL : micai_systems_find(world, call, system);
}

static mica_result enable(mica_world *world, const char *call, mica_system system, bool enabled)
{
    micai_system *one = find_entered(world, call, system);
    if (!one || micai_world_guard_edit(world, call)) {
        return micai_world_failed(world);
    }
    micai_system_set_enabled(one, enabled);
    return MICA_OK;
}

mica_result mica_system_enable(mica_world *world, mica_system system)
{
    return enable(world, "mica_system_enable", system, true);
}

mica_result mica_system_disable(mica_world *world, mica_system system)
{
    return enable(world, "mica_system_disable", system, false);
}

bool mica_system_is_enabled(mica_world *world, mica_system system)
{
    const micai_system *one = find_entered(world, "mica_system_is_enabled", system);
    return one && one->enabled;
}
