// The public functions on groups, and sorting. store/pool/group.h implements them.
#include <mica/group.h>

#include <inttypes.h>

#include "core/field.h"
#include "entity/group.h"
#include "store/pool/group.h"

// Creation

// Checks that a type in a group is sparse, not listed twice and, if owned, can be owned.
static mica_result check_type(mica_world *world, const char *call, const micai_group_plan *plan,
                              const micai_type *type, bool owned)
{
    const char *name = type->info.name;
    if (micai_pool_require(&world->host, call, type,
                           "is not sparse; groups are of sparse components")) {
        return MICA_ERROR_ARGUMENT;
    }
    if (owned && type->info.stable) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: values of '%s' are stable, and a group moves those it owns; list it "
                          "in .required",
                          call, name);
    }
    for (uint32_t i = 0; i < plan->type_count; i++) {
        if (plan->types[i] == type) {
            return micai_fail(&world->host, MICA_ERROR_TERMS, "%s: '%s' is listed twice", call,
                              name);
        }
    }
    const micai_pool *pool = micai_pools_find(&world->state->pools, type->info.type);
    if (owned && pool && pool->owner) {
        return micai_fail(&world->host, MICA_ERROR_OWNED, "%s: '%s' is owned by %s already", call,
                          name, micai_group_describe(pool->owner).text);
    }
    return MICA_OK;
}

// Adds the types of one list of a descriptor.
static mica_result add_types(mica_world *world, const char *call, micai_group_plan *plan,
                             const char *list, const mica_type *types)
{
    mica_result result = MICA_OK;
    uint32_t count = MICA_GROUP_TYPES_MAX;
    while (count > 0 && MICA_IS_NONE(types[count - 1])) {
        count--;
    }
    bool owned = list[0] == 'o';
    for (uint32_t i = 0; !result && i < count; i++) {
        const micai_type *type = micai_world_type_in(world, call, list, i, types[i]);
        result = type ? check_type(world, call, plan, type, owned) : MICA_ERROR_TYPE;
        if (!result) {
            plan->types[plan->type_count++] = type;
        }
    }
    return result;
}

static mica_result read_desc(mica_world *world, const char *call, const mica_group_desc *desc,
                             micai_group_plan *plan)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if (desc->name && !micai_name_is_valid(desc->name)) {
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name of the group is %s", call,
                          micai_name_fault(desc->name));
    }
    plan->name = desc->name;
    mica_result result = add_types(world, call, plan, "owned type", desc->owned);
    plan->owned_count = plan->type_count;
    result = result ? result : add_types(world, call, plan, "required type", desc->required);
    plan->needed_count = plan->type_count;
    result = result ? result : add_types(world, call, plan, "without type", desc->without);
    if (!result && (plan->needed_count == 0 || plan->type_count < 2)) {
        result = micai_fail(&world->host, MICA_ERROR_TERMS,
                            "%s: %s; a group is of two types or more, one of them needed", call,
                            plan->type_count == 0     ? "no types"
                            : plan->needed_count == 0 ? "no type is needed"
                                                      : "one type");
    }
    return result;
}

mica_group mica_group_new(mica_world *world, const mica_group_desc *desc)
{
    static const char call[] = "mica_group_new";
    if (!world || !desc) {
        micai_fail_null(micai_world_host(world), call, world ? "desc" : "world");
        return (mica_group){0};
    }
    micai_group_plan plan = {0};
    if (micai_world_guard(world, call) || read_desc(world, call, desc, &plan)) {
        return (mica_group){0};
    }
    micai_state *state = world->state;
    micai_host_begin(&world->host, call);
    const micai_group *group = micai_group_new(&state->pools, state->seal, &plan, world->view.tick);
    mica_group handle = group ? group->handle : (mica_group){0};
    micai_host_end(&world->host);
    return handle;
}

// Returns NULL, reported, if the handle is invalid.
micai_group *micai_group_find(mica_world *world, const char *call, mica_group group)
{
    micai_group *found = micai_groups_find(&world->state->pools, group);
    if (!found) {
        micai_fail(&world->host, MICA_ERROR_GROUP, "%s: the group is %s", call,
                   group.bits ? "freed, or of another world" : "none");
    }
    return found;
}

mica_result mica_group_free(mica_world *world, mica_group group)
{
    static const char call[] = "mica_group_free";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_group *found =
        micai_world_guard(world, call) ? NULL : micai_group_find(world, call, group);
    if (!found) {
        return micai_world_failed(world);
    }
    micai_group_free(&world->state->pools, found);
    return MICA_OK;
}

// Sorting

// What to sort, and the order.
typedef struct order {
    micai_pool *const *list; // pools whose first rows have the same entities
    uint32_t list_count;
    uint32_t count; // number of these
    const micai_pool *values;
    mica_compare *compare; // NULL: use the order of `like`
    void *user;
    const micai_pool *like; // NULL: no pool has the type
} order;

// The world is complete while a user's function compares, and the function may read it. The world
// cannot be changed while an iteration that the function began is open.
static mica_result work_out(mica_world *world, const char *call, micai_sorting *s, const order *by)
{
    if (!by->compare) {
        micai_sorting_like(s, by->like);
        return MICA_OK;
    }
    mica_result failed = micai_host_begin_compare(&world->host);
    micai_sorting_by(s, by->values, by->compare, by->user);
    micai_host_end_callback(&world->host, failed);
    return micai_world_guard(world, call);
}

static mica_result sort(mica_world *world, const char *call, const order *by)
{
    micai_sorting s;
    micai_host_begin(&world->host, call);
    mica_result result =
        micai_sorting_begin(&s, &world->state->pools, by->list, by->list_count, by->count);
    micai_host_end(&world->host);
    result = result ? result : work_out(world, call, &s, by);
    if (!result) {
        micai_host_begin(&world->host, call);
        micai_sorting_apply(&s, world->view.tick);
        micai_host_end(&world->host);
    }
    micai_sorting_end(&s);
    return result;
}

// Returns a sparse type, or NULL, reported.
static const micai_type *find_sparse(mica_world *world, const char *call, mica_type type)
{
    const micai_type *found = micai_world_type(world, call, type);
    bool sparse =
        found && !micai_pool_require(&world->host, call, found,
                                     "is kept in tables, which have no order of their own; sparse "
                                     "components do");
    return sparse ? found : NULL;
}

// Checks that the values of a type can be sorted alone.
static mica_result check_sortable(mica_world *world, const char *call, const micai_type *type,
                                  const micai_pool *pool)
{
    if (type->info.stable) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: values of '%s' are stable, and stay where they are", call,
                          type->info.name);
    }
    if (pool && pool->owner) {
        return micai_fail(&world->host, MICA_ERROR_OWNED,
                          "%s: '%s' is owned by %s; mica_group_sort sorts that", call,
                          type->info.name, micai_group_describe(pool->owner).text);
    }
    return MICA_OK;
}

static mica_result sort_type(mica_world *world, const char *call, mica_type type, order by)
{
    const micai_type *found = find_sparse(world, call, type);
    if (!found) {
        return micai_world_failed(world);
    }
    micai_pool *pool = micai_pools_find(&world->state->pools, type);
    mica_result result = check_sortable(world, call, found, pool);
    if (result || !pool) {
        return result;
    }
    by.list = &pool;
    by.list_count = 1;
    by.count = pool->table.count;
    by.values = pool;
    return sort(world, call, &by);
}

mica_result mica_sort(mica_world *world, mica_type type, mica_compare *compare, void *user)
{
    static const char call[] = "mica_sort";
    if (!world || !compare) {
        return micai_fail_null(micai_world_host(world), call, world ? "compare" : "world");
    }
    mica_result result = micai_world_guard(world, call);
    return result ? result
                  : sort_type(world, call, type, (order){.compare = compare, .user = user});
}

mica_result mica_sort_like(mica_world *world, mica_type type, mica_type other)
{
    static const char call[] = "mica_sort_like";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard(world, call);
    if (!result && !find_sparse(world, call, other)) {
        result = micai_world_failed(world);
    }
    const micai_pool *like = micai_pools_find(&world->state->pools, other);
    return result ? result : sort_type(world, call, type, (order){.like = like});
}

// Sorts all owned pools of a group, or its list.
static mica_result sort_group(mica_world *world, const char *call, const micai_group *group,
                              order *by)
{
    by->list = group->list ? &group->list : group->pools;
    by->list_count = group->list ? 1 : group->owned_count;
    by->count = micai_group_size(group);
    return sort(world, call, by);
}

// Finds the pool whose values sort a group.
static mica_result find_values(mica_world *world, const char *call, const micai_group *group,
                               mica_type type, const micai_pool **values_out)
{
    const micai_type *found = micai_world_type(world, call, type);
    if (!found) {
        return micai_world_failed(world);
    }
    for (uint32_t i = 0; i < group->needed_count; i++) {
        if (group->pools[i]->type == found) {
            *values_out = group->pools[i];
            return MICA_OK;
        }
    }
    return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                      "%s: %s does not need '%s', so that it cannot be sorted by it", call,
                      micai_group_describe(group).text, found->info.name);
}

mica_result mica_group_sort(mica_world *world, mica_group group, mica_type type,
                            mica_compare *compare, void *user)
{
    static const char call[] = "mica_group_sort";
    if (!world || !compare) {
        return micai_fail_null(micai_world_host(world), call, world ? "compare" : "world");
    }
    const micai_group *found =
        micai_world_guard(world, call) ? NULL : micai_group_find(world, call, group);
    if (!found) {
        return micai_world_failed(world);
    }
    order by = {.compare = compare, .user = user};
    mica_result result = find_values(world, call, found, type, &by.values);
    return result ? result : sort_group(world, call, found, &by);
}

mica_result mica_group_sort_like(mica_world *world, mica_group group, mica_type other)
{
    static const char call[] = "mica_group_sort_like";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    const micai_group *found =
        micai_world_guard(world, call) ? NULL : micai_group_find(world, call, group);
    const micai_type *type = found ? find_sparse(world, call, other) : NULL;
    if (!type) {
        return micai_world_failed(world);
    }
    const micai_pool *like = micai_pools_find(&world->state->pools, other);
    if (like && like->owner == found) {
        return micai_fail(&world->host, MICA_ERROR_OWNED, "%s: '%s' is owned by %s itself", call,
                          type->info.name, micai_group_describe(found).text);
    }
    return sort_group(world, call, found, &(order){.like = like});
}
