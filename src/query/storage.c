// Changes the storage of a component while the world exists: entity/bulk.h. This is in the room
// query because queries are compiled for the storages of their terms, and are compiled anew here.
#include "base/canary.h"
#include "entity/bulk.h"
#include "entity/notify.h"
#include "query/query.h"

typedef struct change {
    micai_storage_change storage;
    mica_world *world;
    const micai_type *type;
    micai_query **recompiled; // by number of the query; NULL: it is not recompiled
    uint32_t recompiled_count;
} change;

// Queries

static micai_queries *queries_of(const change *c)
{
    return c->world->state->modules[MICAI_MODULE_QUERY].data;
}

static mica_result reserve_queries(change *c)
{
    const micai_queries *queries = queries_of(c);
    uint32_t count = queries ? queries->handles.list.count : 0;
    c->recompiled = count > 0
                        ? micai_arena_alloc_array(&c->world->host, &c->world->scratch, count,
                                                  sizeof *c->recompiled, _Alignof(max_align_t))
                        : NULL;
    if (count > 0 && !c->recompiled) {
        return MICA_ERROR_MEMORY;
    }
    for (; c->recompiled_count < count; c->recompiled_count++) {
        const micai_query *query = queries->handles.list.items[c->recompiled_count];
        micai_query **recompiled = &c->recompiled[c->recompiled_count];
        bool named = query && micai_query_has_term(query, c->type);
        *recompiled = named ? micai_query_recompile(c->world, query) : NULL;
        if (named && !*recompiled) {
            return c->world->host.failed;
        }
    }
    return MICA_OK;
}

static void cancel_queries(change *c)
{
    for (uint32_t i = 0; i < c->recompiled_count; i++) {
        if (c->recompiled[i]) {
            micai_query_discard(c->world, c->recompiled[i]);
        }
    }
}

static void commit_queries(change *c)
{
    micai_queries *queries = queries_of(c);
    if (MICAI_CANARY("query.storage")) {
        cancel_queries(c);
        return;
    }
    for (uint32_t i = 0; i < c->recompiled_count; i++) {
        if (c->recompiled[i]) {
            micai_query_replace(c->world, queries->handles.list.items[i], c->recompiled[i]);
        }
    }
    for (uint32_t i = 0; queries && i < queries->handles.list.count; i++) {
        if (queries->handles.list.items[i]) {
            micai_query_update_columns(queries->handles.list.items[i]);
        }
    }
}

// The call

static mica_result change_storage(mica_world *world, const char *call, const micai_type *type,
                                  mica_storage storage)
{
    micai_registry *registry = &world->state->registry;
    change c = {.storage = {.world = world, .type = type, .before = type->info.storage},
                .world = world,
                .type = type};
    uint32_t tables = micai_world_begin(world, call);
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    micai_use_all(world->state);
    mica_result result = micai_registry_check_storage(&world->host, registry, call, type, storage);
    if (!result) {
        micai_registry_set_storage(registry, type, storage);
        result = micai_storage_reserve(&c.storage);
        result = result ? result : reserve_queries(&c);
        if (!result) {
            micai_storage_commit(&c.storage);
            commit_queries(&c);
            micai_storage_finish(&c.storage);
        } else {
            cancel_queries(&c);
            micai_storage_cancel(&c.storage);
        }
    }
    micai_arena_rewind(&world->scratch, mark);
    if (result) { // before observers run, which may read the world
        micai_store_take_back(&world->state->store, tables);
        micai_registry_set_storage(registry, type, c.storage.before);
    }
    micai_watch_pools(world->state);
    return micai_world_end(world, tables, result);
}

mica_result mica_type_change_storage(mica_world *world, mica_type type, mica_storage storage)
{
    static const char call[] = "mica_type_change_storage";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    const micai_type *found =
        micai_world_guard(world, call) ? NULL : micai_world_type(world, call, type);
    if (!found) {
        return micai_world_failed(world);
    }
    mica_result result = micai_storage_check(world, call, found, storage);
    if (result || found->info.storage == storage) {
        return result;
    }
    return change_storage(world, call, found, storage);
}
