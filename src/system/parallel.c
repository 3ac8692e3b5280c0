// What parallel and concurrent systems declare, and the public functions that they call.
#include <stdio.h>

#include "base/hash.h"
#include "base/number.h"
#include "system/parallel_internal.h"
#include "system/wave.h"

void mica_use_waves_(mica_world *world)
{
    if (!world || world->recorder || world->state->original || micai_waves_of(world)) {
        return;
    }
    micai_host *host = &world->host;
    bool quiet = host->depth == 0 && !host->trying; // mica_system_add() reports it
    micai_host_begin(host, "mica_system_add");
    if (quiet) {
        micai_host_begin_try(host);
    }
    (void)micai_waves_open(world);
    if (quiet) {
        micai_host_end_try(host, true);
    }
    micai_host_end(host);
}

// Declarations

static mica_result fail(mica_world *world, const char *call, const char *system, const char *why,
                        const char *name)
{
    return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: system '%.80s': %s%s%.80s%s", call,
                      system, why, name ? " '" : "", name ? name : "", name ? "'" : "");
}

static mica_result declare_others(mica_world *world, const char *call, const mica_system_desc *desc,
                                  micai_declared *declared)
{
    for (uint32_t i = 0; i < MICA_SYSTEM_USES_MAX; i++) {
        if (MICA_IS_NONE(desc->others[i])) {
            continue;
        }
        if (i > declared->other_count) {
            return fail(world, call, desc->name,
                        ".others has a gap; the types behind it would be lost", NULL);
        }
        char label[160];
        (void)snprintf(label, sizeof label, "%s: system '%.80s'", call, desc->name);
        const micai_type *type = micai_world_type_in(world, label, ".others", i, desc->others[i]);
        if (!type) {
            return micai_world_failed(world);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (desc->others[k].bits == desc->others[i].bits) {
                return fail(world, call, desc->name,
                            ".others lists a type twice:", type->info.name);
            }
        }
        declared->others[declared->other_count++] = desc->others[i];
    }
    return MICA_OK;
}

static mica_result declare_reduce(mica_world *world, const char *call, const mica_system_desc *desc,
                                  micai_system *one)
{
    if (MICA_IS_NONE(desc->reduce.into)) {
        return desc->reduce.combine
                   ? fail(world, call, desc->name, ".reduce.combine without .reduce.into", NULL)
                   : MICA_OK;
    }
    char label[160];
    (void)snprintf(label, sizeof label, "%s: system '%.80s', .reduce.into", call, desc->name);
    const micai_type *type = micai_world_type(world, label, desc->reduce.into);
    if (!type) {
        return micai_world_failed(world);
    }
    if (!desc->reduce.combine) {
        return micai_fail_null(&world->host, call, "reduce.combine");
    }
    if (type->info.size == 0 || !micai_hook_has_none(type)) {
        return fail(world, call, desc->name,
                    ".reduce.into must be a type whose values are bytes, not", type->info.name);
    }
    micai_declared *declared = &one->declared;
    for (uint32_t i = 0; i < declared->resource_count; i++) {
        if (declared->resources[i].type.bits == desc->reduce.into.bits) {
            return fail(world, call, desc->name,
                        ".reduce.into is listed in .resources, too:", type->info.name);
        }
    }
    if (declared->resource_count == MICA_SYSTEM_USES_MAX) {
        return fail(world, call, desc->name, ".resources has no place left for .reduce.into", NULL);
    }
    declared->resources[declared->resource_count++] = (mica_term){desc->reduce.into, MICA_WRITE};
    one->reduced = type;
    one->combine = desc->reduce.combine;
    return MICA_OK;
}

mica_result micai_parallel_declare(mica_world *world, const char *call,
                                   const mica_system_desc *desc, micai_system *one)
{
    one->declared.run = desc->run;
    if (desc->run == MICA_ALONE) {
        bool fields = mica_system_threads_(desc);
        return fields ? fail(world, call, desc->name,
                             ".others, .batch_rows, .spawns and .reduce need .run = MICA_PARALLEL "
                             "or MICA_CONCURRENT",
                             NULL)
                      : MICA_OK;
    }
    if (desc->run != MICA_CONCURRENT && desc->run != MICA_PARALLEL) {
        return fail(world, call, desc->name,
                    ".run is none of MICA_ALONE, _CONCURRENT and _PARALLEL", NULL);
    }
    for (uint32_t i = 0; desc->run == MICA_PARALLEL && i < one->declared.resource_count; i++) {
        if (one->declared.resources[i].access == MICA_WRITE) {
            return fail(
                world, call, desc->name,
                "a parallel system only reads resources; .reduce combines values of its batches",
                NULL);
        }
    }
    one->batch_rows = desc->batch_rows;
    one->spawns = desc->spawns;
    mica_result result = declare_others(world, call, desc, &one->declared);
    return result ? result : declare_reduce(world, call, desc, one);
}

// Returns true if the system's own query writes values of a type.
static bool writes(const micai_query *query, const micai_type *type)
{
    bool found = false;
    for (uint32_t t = 0; t < query->term_count; t++) {
        found = found || (query->terms[t].type == type && (query->writable >> t & 1));
    }
    return found;
}

// Refuses what other batches of the system would write at the same time.
static mica_result check_query(mica_world *world, const char *call, const mica_system_desc *desc,
                               const micai_query *own, const micai_query *query)
{
    for (uint32_t t = 0; t < query->term_count; t++) {
        const micai_type *type = query->terms[t].type;
        bool changed = query->change_filtered >> t & 1;
        if (query != own && (query->writable >> t & 1)) {
            return fail(world, call, desc->name,
                        "its batches run at the same time, and each would write, by .queries,",
                        type->info.name);
        }
        if (((query != own && (query->readable >> t & 1)) || changed) && writes(own, type)) {
            return fail(
                world, call, desc->name,
                changed
                    ? "its batches select changes that they make at the same time, of"
                    : "its batches read in other rows, by .queries, what they write at the same time:",
                type->info.name);
        }
    }
    return MICA_OK;
}

mica_result micai_parallel_check(mica_world *world, const char *call, const mica_system_desc *desc,
                                 const micai_system *one)
{
    if (desc->run != MICA_PARALLEL) {
        return MICA_OK;
    }
    if (!one->rows) {
        return fail(
            world, call, desc->name,
            "a parallel system needs a query, whose rows are divided; MICA_CONCURRENT does not",
            NULL);
    }
    mica_result result = check_query(world, call, desc, one->rows, one->rows);
    for (uint32_t i = 0; !result && i < one->declared.query_count; i++) {
        const micai_query *query = micai_query_look_up(world, one->declared.queries[i]);
        result = check_query(world, call, desc, one->rows, query);
    }
    for (uint32_t i = 0; !result && i < one->declared.other_count; i++) {
        const micai_type *type =
            micai_registry_find(&world->state->registry, one->declared.others[i]);
        if (writes(one->rows, type)) {
            result = fail(
                world, call, desc->name,
                "its batches read of other entities, by .others, what they write at the same time:",
                type->info.name);
        }
    }
    return result;
}

// What systems call

// Returns the worker that runs a batch if the iteration is that of the batch itself. NULL: it is not.
static micai_worker *worker_of(const mica_iter *it)
{
    micai_worker *worker = it->world->state->worker;
    return worker && worker->batch && it->walk->held_by_step ? worker : NULL;
}

static uint32_t batch_of(const mica_iter *it)
{
    const micai_worker *worker = worker_of(it);
    return worker ? (uint32_t)(worker->batch - worker->waves->batches.items) -
                        worker->waves->systems.items[worker->batch->system].first_batch
                  : 0;
}

uint32_t mica_batch(const mica_iter *it)
{
    if (!micai_iter_is_open(it)) {
        micai_iter_refuse(it, "mica_batch");
        return 0;
    }
    return batch_of(it);
}

uint64_t mica_batch_seed(const mica_iter *it)
{
    if (!micai_iter_is_open(it)) {
        micai_iter_refuse(it, "mica_batch_seed");
        return 0;
    }
    uint64_t hash = micai_hash_text(it->walk->name ? it->walk->name : "");
    return micai_hash_add(micai_hash_add(hash, it->world->view.tick), batch_of(it));
}

void *mica_reduce(const mica_iter *it)
{
    static const char call[] = "mica_reduce";
    if (!micai_iter_is_open(it)) {
        micai_iter_refuse(it, call);
        return NULL;
    }
    const micai_worker *worker = worker_of(it);
    const micai_wave_system *system =
        worker ? &worker->waves->systems.items[worker->batch->system] : NULL;
    if (!system || !system->sums) {
        micai_fail(&it->world->host, MICA_ERROR_ITERATOR,
                   "%s: this is not the update of a system with .reduce", call);
        return NULL;
    }
    return system->sums + (size_t)batch_of(it) * system->one->reduced->info.size;
}
