// Changes of all matches. entity/ changes whole tables, or lists of entities.
#include <mica/toggle.h>

#include "entity/change.h"
#include "entity/facet.h"
#include "query/query.h"

// Returns the query if the world may be changed. Returns NULL, reported, otherwise.
static micai_query *find_for_change(mica_world *world, const char *call, mica_query query)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    return micai_world_guard(world, call) ? NULL : micai_query_find(world, call, query);
}

// The matching entities. The caller frees the list.
typedef MICAI_ARRAY(mica_entity) entities;

static mica_result list_entities(mica_world *world, const micai_query *query, entities *list)
{
    uint32_t count = micai_query_count(world, query);
    if (!micai_array_reserve(&world->host, list, count)) {
        return MICA_ERROR_MEMORY;
    }
    list->count = micai_query_list(world, query, list->items);
    return MICA_OK;
}

// Adds or removes a type of all matches: by whole tables if possible.
static mica_result change_matching(mica_world *world, const char *call, const micai_query *query,
                                   const micai_type *type, bool remove, const void *data)
{
    micai_table *const *tables = query->tables.items;
    uint32_t count = query->tables.count;
    if (!micai_query_is_filtered(query) && micai_change_moves_tables(type)) {
        return micai_change_tables(world, tables, count, type, remove, data);
    }
    entities list = {0};
    mica_result result = list_entities(world, query, &list);
    result = result ? result
                    : micai_change_each(world, call, list.items, list.count, type, remove, data);
    micai_array_free(&world->host, &list);
    return result;
}

// Does the same as a whole call.
static mica_result change_all(mica_world *world, const char *call, const micai_query *query,
                              const micai_type *type, bool remove, const void *data,
                              uint32_t *matched_out)
{
    uint32_t rows = micai_query_count(world, query);
    uint32_t before = micai_world_begin(world, call);
    mica_result result = change_matching(world, call, query, type, remove, data);
    if (!result) {
        micai_store_compact_rings(&world->state->store, rows);
    }
    result = micai_world_end(world, before, result);
    if (!result && matched_out) {
        *matched_out = rows;
    }
    return micai_world_finish(world, call, result);
}

static mica_result move_all(mica_world *world, const char *call, mica_query query, mica_type type,
                            bool remove, uint32_t *matched_out)
{
    const micai_query *found = find_for_change(world, call, query);
    const micai_type *changed = found ? micai_world_type(world, call, type) : NULL;
    return changed ? change_all(world, call, found, changed, remove, NULL, matched_out)
                   : micai_world_failed(world);
}

mica_result mica_add_all(mica_world *world, mica_query query, mica_type type, uint32_t *matched_out)
{
    return move_all(world, "mica_add_all", query, type, false, matched_out);
}

mica_result mica_remove_all(mica_world *world, mica_query query, mica_type type,
                            uint32_t *matched_out)
{
    return move_all(world, "mica_remove_all", query, type, true, matched_out);
}

mica_result mica_set_all(mica_world *world, mica_query query, mica_type type, const void *data,
                         uint32_t size, uint32_t *matched_out)
{
    static const char call[] = "mica_set_all";
    const micai_query *found = find_for_change(world, call, query);
    const micai_type *set = found ? micai_world_type(world, call, type) : NULL;
    if (!set) {
        return micai_world_failed(world);
    }
    mica_result result =
        micai_world_check_value(world, call, set, &(mica_value){type, data, size, 1, NULL});
    if (!result && data && !micai_hook_can_copy(set)) {
        result = micai_fail(&world->host, MICA_ERROR_HOOK,
                            "%s: '%s' has a destruct hook but no copy hook", call, set->info.name);
    }
    const void *given = set->info.size > 0 ? data : NULL;
    return result ? result : change_all(world, call, found, set, false, given, matched_out);
}

// Toggles the matches that have the type.
static mica_result toggle_each(mica_world *world, const char *call, const micai_query *query,
                               const micai_type *type, bool off)
{
    entities list = {0};
    mica_result result = list_entities(world, query, &list);
    result =
        result ? result : micai_change_toggle_each(world, call, list.items, list.count, type, off);
    micai_array_free(&world->host, &list);
    micai_value_look(world, type);
    return result;
}

static mica_result toggle_all(mica_world *world, const char *call, mica_query query, mica_type type,
                              bool off, uint32_t *matched_out)
{
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    const micai_query *found =
        micai_world_guard_edit(world, call) ? NULL : micai_query_find(world, call, query);
    const micai_type *toggled = found ? micai_world_type(world, call, type) : NULL;
    if (!toggled) {
        return micai_world_failed(world);
    }
    mica_result result = micai_value_check_toggle(world, call, toggled);
    result = result ? result : micai_change_check_toggle(world, call, toggled, false);
    if (result) {
        return result;
    }
    uint32_t rows = micai_query_count(world, found);
    bool whole = !micai_query_is_filtered(found) && micai_toggle_sweeps_tables(toggled);
    micai_host_begin(&world->host, call);
    if (whole) {
        micai_value_toggle_tables(world, found->tables.items, found->tables.count, toggled, off);
    } else {
        result = toggle_each(world, call, found, toggled, off);
    }
    micai_host_end(&world->host);
    if (!result && matched_out) {
        *matched_out = rows;
    }
    return micai_world_finish(world, call, result);
}

mica_result mica_enable_all(mica_world *world, mica_query query, mica_type type,
                            uint32_t *matched_out)
{
    return toggle_all(world, "mica_enable_all", query, type, false, matched_out);
}

mica_result mica_disable_all(mica_world *world, mica_query query, mica_type type,
                             uint32_t *matched_out)
{
    return toggle_all(world, "mica_disable_all", query, type, true, matched_out);
}

static mica_result despawn_each(mica_world *world, const char *call, const micai_query *query)
{
    entities list = {0};
    mica_result result = list_entities(world, query, &list);
    result = result ? result : micai_despawn_many(world, call, list.items, list.count);
    micai_array_free(&world->host, &list);
    return result;
}

mica_result mica_despawn_all(mica_world *world, mica_query query, uint32_t *matched_out)
{
    static const char call[] = "mica_despawn_all";
    const micai_query *found = find_for_change(world, call, query);
    if (!found) {
        return micai_world_failed(world);
    }
    uint32_t rows = micai_query_count(world, found);
    uint32_t tables = micai_world_begin(world, call);
    // Facets are despawned with their owners, and are in other tables.
    // Links have others despawned, too.
    const micai_links *links = world->state->pools.links;
    bool by_rows = micai_query_is_filtered(found) || micai_facets_of(world->state)->count > 0 ||
                   (links && links->count > 0);
    mica_result result = by_rows ? despawn_each(world, call, found) : MICA_OK;
    if (!by_rows) {
        micai_despawn_notify_tables(world, call, found->tables.items, found->tables.count);
    }
    for (uint32_t m = 0; !by_rows && m < found->tables.count; m++) {
        micai_despawn_table(world, found->tables.items[m]);
    }
    if (!result) {
        micai_store_compact_rings(&world->state->store, rows);
    }
    result = micai_world_end(world, tables, result);
    if (!result && matched_out) {
        *matched_out = rows;
    }
    return micai_world_finish(world, call, result);
}
