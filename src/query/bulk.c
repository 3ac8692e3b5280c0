// Structural changes on all that match: whole tables, which is for the plan to do.
#include "query/segment.h"
#include "world/plan.h"

// The query, if the world may be changed and all is good; NULL, reported, otherwise.
static micai_query *begin(mica_world *world, const char *call, mica_query query)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    return micai_world_guard(world, call) ? NULL : micai_query_find(world, call, query);
}

static mica_result move_all(mica_world *world, const char *call, mica_query query, mica_type type,
                            bool remove, uint32_t *matched_out)
{
    micai_query *found = begin(world, call, query);
    const micai_type *changed = found ? micai_world_type(world, call, type) : NULL;
    if (!changed) {
        return micai_world_failed(world);
    }
    micai_table *const *tables = found->tables.items;
    uint32_t count = found->tables.count;
    uint32_t rows = micai_segment_count(world, found);
    uint32_t before = micai_world_begin(world, call);
    mica_result result = remove ? micai_plan_remove_tables(world, tables, count, changed)
                                : micai_plan_set_tables(world, tables, count, changed, NULL);
    result = micai_world_end(world, before, result);
    if (!result && matched_out) {
        *matched_out = rows;
    }
    return result;
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
    micai_query *found = begin(world, call, query);
    const micai_type *set = found ? micai_world_type(world, call, type) : NULL;
    if (!set) {
        return micai_world_failed(world);
    }
    mica_result result =
        micai_world_check_value(world, call, set, &(mica_value){type, data, size, 1});
    if (!result && data && !micai_hook_can_copy(set)) {
        result = micai_fail(&world->host, MICA_ERROR_HOOK,
                            "%s: '%s' has a destruct hook but no copy hook", call, set->info.name);
    }
    uint32_t rows = micai_segment_count(world, found);
    if (!result) {
        uint32_t before = micai_world_begin(world, call);
        result = micai_plan_set_tables(world, found->tables.items, found->tables.count, set,
                                       set->info.size > 0 ? data : NULL);
        result = micai_world_end(world, before, result);
    }
    if (!result && matched_out) {
        *matched_out = rows;
    }
    return result;
}

mica_result mica_despawn_all(mica_world *world, mica_query query, uint32_t *matched_out)
{
    static const char call[] = "mica_despawn_all";
    micai_query *found = begin(world, call, query);
    if (!found) {
        return micai_world_failed(world);
    }
    if (matched_out) {
        *matched_out = micai_segment_count(world, found);
    }
    uint32_t tables = micai_world_begin(world, call);
    for (uint32_t m = 0; m < found->tables.count; m++) {
        micai_plan_end_table(world, found->tables.items[m]);
    }
    return micai_world_end(world, tables, MICA_OK);
}
