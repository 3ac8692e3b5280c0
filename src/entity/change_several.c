// Changing what an entity has, several components at once: all of them, or none.
//
// The short cut: the same types, listed in the same order, have led from the same table before, along an edge
// that is remembered with what they were (store/table/leap.h). Then what is left is to compare the handles, to
// fill in the values, and to move. The plan does everything else, and tells the store what led where.
#include <mica/component.h>

#include <assert.h>

#include "base/compiler.h"
#include "entity/locate.h"
#include "entity/plan.h"
#include "state/recorder.h"

// What changes. Values are NULL if types are added by default: `added` has these then.
typedef struct change_list {
    const mica_value *values;
    const mica_type *added;
    uint32_t given; // of either
    uint32_t gone;
    const mica_type *removed;
} change_list;

static inline micai_record *find_record(const mica_world *world, mica_entity entity)
{
    return world && world->busy == 0 ? micai_slots_find(&world->state->slots, entity) : NULL;
}

static inline uint64_t given_bits(const change_list *list, uint32_t i)
{
    assert(list->values || list->added);
    return list->values ? list->values[i].type.bits : list->added[i].bits;
}

// The edge along which the entity of a record can go at once, by the key of a list; NULL otherwise. It removes
// what the list does; what it gives is still to be compared.
static inline micai_edge *find_leap(const mica_world *world, const micai_record *record,
                                    const change_list *list, micai_edge_way way)
{
    if (list->given > MICAI_LEAP_TYPES || list->gone > MICAI_LEAP_TYPES) {
        return NULL; // the list may not be as long as it is said to be
    }
    uint64_t key = 0;
    for (uint32_t i = 0; i < list->given; i++) {
        key = micai_stamp_add(key, given_bits(list, i));
    }
    key = micai_stamp_add(key, list->given);
    for (uint32_t i = 0; i < list->gone; i++) {
        key = micai_stamp_add(key, list->removed[i].bits);
    }
    const micai_store *store = &world->state->store;
    const micai_table *table = micai_row_table(micai_row_of(store, record));
    micai_edge *edge = micai_row_ready_to_leap(store, table, key, way);
    if (!edge || edge->given_count != list->given || edge->step_count != list->given + list->gone) {
        return NULL;
    }
    const micai_step *step = edge->steps + list->given;
    for (uint32_t i = 0; i < list->gone; i++) {
        if (step[i].bits != list->removed[i].bits) {
            return NULL;
        }
    }
    return edge;
}

// The same where a call more does not matter, and one place for it is smaller.
MICAI_APART static micai_edge *find_leap_apart(const mica_world *world, const micai_record *record,
                                               const change_list *list, micai_edge_way way)
{
    return find_leap(world, record, list, way);
}

// Is a value what is filled in for a step? One that does not say how many it is takes the long way.
static inline bool expects(const micai_step *step, const mica_value *value)
{
    uint64_t given = (uint64_t)value->count << 32 | value->size;
    return value->type.bits == step->bits && given == step->given && (value->data || !step->given);
}

// Fills in plain values; false if one is not what it should be.
static inline bool fill_all(const micai_edge *edge, const mica_value *values, uint32_t count)
{
    const micai_row raw = micai_row_raw(edge->target);
    const micai_step *step = edge->steps;
    for (uint32_t i = 0; i < count; i++, step++) {
        if (!expects(step, &values[i])) {
            return false;
        }
        if (step->given) {
            micai_row_fill(raw, step->fill, values[i].data);
        }
    }
    return true;
}

// The same where there are flags, ticks, pieces or rings, which must not be told of a value and then have none;
// and for defaults.
static bool fill_all_apart(mica_world *world, const micai_edge *edge, const change_list *list)
{
    const micai_registry *registry = &world->state->registry;
    const micai_row raw = micai_row_raw(edge->target);
    for (uint32_t i = 0; i < list->given; i++) {
        const micai_step *step = &edge->steps[i];
        if (list->values ? !expects(step, &list->values[i]) : step->bits != list->added[i].bits) {
            return false;
        }
    }
    for (uint32_t i = 0; i < list->given; i++) {
        const micai_step *step = &edge->steps[i];
        if (step->given) {
            uint32_t number = micai_stamp_number(step->bits);
            const void *data = list->values ? list->values[i].data
                                            : registry->list.items[number]->info.default_value;
            micai_row_fill_value(&world->state->store, raw, step->fill, data);
        }
    }
    return true;
}

// What the short cuts end in, so that they save no registers.
MICAI_APART static mica_result go(mica_world *world, micai_edge *edge, micai_record *record)
{
    micai_store *store = &world->state->store;
    edge->used = ++store->edge_uses;
    micai_row_move_fast(store, edge, micai_row_of(store, record), record, world->view.tick);
    return MICA_OK;
}

// Values that are there

enum { OVERWRITTEN_MAX = 16, OVERWRITTEN_BYTES = 512 };

// Where the values of a list are that is of an entity's already, each to be written at once, and copies of what is
// to be written: that may be what another value of the list overwrites. False if one is not like that.
static bool look_up_all(const mica_world *world, const micai_record *record,
                        const change_list *list, micai_reach *reaches, unsigned char *copies)
{
    const micai_state *state = world->state;
    uint32_t used = 0;
    for (uint32_t i = 0; i < list->given; i++) {
        const mica_value *value = &list->values[i];
        reaches[i] = micai_directory_reach(&state->store.directory, value->type, record->where);
        if (!micai_reach_opens(reaches[i])) {
            return false;
        }
        const micai_type *type = state->registry.list.items[micai_stamp_number(value->type.bits)];
        if (!type->plain || !micai_world_takes(type, value) ||
            value->size > OVERWRITTEN_BYTES - used) {
            return false;
        }
        micai_copy_bytes(copies + used, value->data, value->size);
        used += value->size;
    }
    return true;
}

// The short cut of values that are there and nothing but bytes: they are overwritten where they are.
// Handlers may change nothing.
static bool overwrite_all(const mica_world *world, mica_entity entity, const change_list *list)
{
    micai_reach reaches[OVERWRITTEN_MAX];
    unsigned char copies[OVERWRITTEN_BYTES];
    const micai_record *record = world && !world->host.handler && list->values
                                     ? micai_slots_find(&world->state->slots, entity)
                                     : NULL;
    if (!record || list->gone > 0 || list->given > OVERWRITTEN_MAX ||
        !look_up_all(world, record, list, reaches, copies)) {
        return false;
    }
    const unsigned char *copy = copies;
    for (uint32_t i = 0; i < list->given; i++) {
        uint32_t size = list->values[i].size;
        (void)micai_reach_open(reaches[i], world->view.tick);
        micai_copy_bytes(micai_reach_value(reaches[i]), copy, size);
        copy += size;
    }
    return list->given > 0;
}

// The plan

// Of a plan that was committed: the store is told what led along an edge of several types.
MICAI_COLD static void remember(micai_plan *plan, const void *user)
{
    const change_list *list = user;
    uint64_t bits[MICAI_LEAP_TYPES];
    uint32_t count = 0;
    if (!plan->edge || plan->changes != list->given + list->gone || plan->changes < 2 ||
        plan->changes > MICAI_LEAP_TYPES) {
        return;
    }
    for (uint32_t i = 0; i < list->given; i++) {
        bits[count++] = given_bits(list, i);
    }
    for (uint32_t i = 0; i < list->gone; i++) {
        bits[count++] = list->removed[i].bits;
    }
    micai_leap_remember(&plan->world->state->store, plan->edge, bits, count, list->given);
}

MICAI_COLD static mica_result change_slowly(mica_world *world, const char *call, mica_entity entity,
                                            const change_list *list)
{
    micai_plan plan;
    mica_result result = micai_plan_begin(&plan, world, call, entity, list->given);
    for (uint32_t i = 0; !result && list->values && i < list->given; i++) {
        result = micai_plan_set(&plan, &list->values[i], i);
    }
    for (uint32_t i = 0; !result && !list->values && i < list->given; i++) {
        const micai_type *type = micai_world_type_in(world, call, "type", i, list->added[i]);
        result = type ? micai_plan_give(&plan, type, NULL) : MICA_ERROR_TYPE;
    }
    for (uint32_t i = 0; !result && i < list->gone; i++) {
        result = micai_plan_remove(&plan, list->removed[i], i);
    }
    plan.and_then = remember;
    plan.user = list;
    return micai_plan_finish(&plan, result);
}

// Those are a few values without data, each a command. If one is refused, none is recorded.
static mica_result record_types(mica_world *world, const char *call, mica_entity entity,
                                const mica_type *types, uint32_t count)
{
    micai_arena_mark mark = micai_arena_here(&world->scratch);
    micai_host_begin(&world->host, call);
    mica_value *values = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                                 sizeof *values, _Alignof(mica_value));
    micai_host_end(&world->host);
    mica_result result = values ? MICA_OK : MICA_ERROR_MEMORY;
    for (uint32_t i = 0; !result && i < count; i++) {
        values[i] = (mica_value){.type = types[i]};
        result = micai_world_type_in(world, call, "type", i, types[i]) ? MICA_OK : MICA_ERROR_TYPE;
    }
    result = result ? result : world->recorder->change(world, call, entity, values, count, NULL, 0);
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

// Faces that record; the short cut where there are flags, ticks, pieces or rings, and of defaults; and all
// the rest.
MICAI_APART static mica_result change_elsewhere(mica_world *world, const char *call,
                                                mica_entity entity, const change_list *list)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    if (recorder) {
        return list->added ? record_types(world, call, entity, list->added, list->given)
                           : recorder->change(world, call, entity, list->values, list->given,
                                              list->removed, list->gone);
    }
    micai_record *record = find_record(world, entity);
    micai_edge *edge = record ? find_leap_apart(world, record, list, MICAI_EDGE_LIGHT) : NULL;
    if (!edge && record && list->added) {
        edge = find_leap_apart(world, record, list, MICAI_EDGE_QUICK);
    }
    if (edge && fill_all_apart(world, edge, list)) {
        micai_store *store = &world->state->store;
        edge->used = ++store->edge_uses;
        micai_row_move_with_rings(store, edge, micai_row_of(store, record), record,
                                  world->view.tick);
        return MICA_OK;
    }
    return overwrite_all(world, entity, list) ? MICA_OK : change_slowly(world, call, entity, list);
}

mica_result micai_change_values(mica_world *world, const char *call, mica_entity entity,
                                const mica_value *values, uint32_t count)
{
    const change_list list = {.values = values, .given = count};
    micai_record *record = find_record(world, entity);
    micai_edge *edge = record ? find_leap(world, record, &list, MICAI_EDGE_QUICK) : NULL;
    return edge && fill_all(edge, values, count) ? go(world, edge, record)
                                                 : change_elsewhere(world, call, entity, &list);
}

mica_result mica_change(mica_world *world, mica_entity entity, const mica_value *values,
                        uint32_t value_count, const mica_type *removed, uint32_t removed_count)
{
    static const char call[] = "mica_change";
    if ((!values && value_count > 0) || (!removed && removed_count > 0)) {
        return micai_fail_null(micai_world_host(world), call,
                               !values && value_count > 0 ? "values" : "removed");
    }
    const change_list list = {
        .values = values, .given = value_count, .gone = removed_count, .removed = removed};
    micai_record *record = find_record(world, entity);
    micai_edge *edge = record ? find_leap(world, record, &list, MICAI_EDGE_QUICK) : NULL;
    return edge && fill_all(edge, values, value_count)
               ? go(world, edge, record)
               : change_elsewhere(world, call, entity, &list);
}

mica_result mica_remove_types(mica_world *world, mica_entity entity, const mica_type *types,
                              uint32_t count)
{
    static const char call[] = "mica_remove_types";
    if (!types && count > 0) {
        return micai_fail_null(micai_world_host(world), call, "types");
    }
    const change_list list = {.gone = count, .removed = types};
    micai_record *record = find_record(world, entity);
    micai_edge *edge = record ? find_leap(world, record, &list, MICAI_EDGE_QUICK) : NULL;
    return edge ? go(world, edge, record) : change_elsewhere(world, call, entity, &list);
}

mica_result mica_add_types(mica_world *world, mica_entity entity, const mica_type *types,
                           uint32_t count)
{
    static const char call[] = "mica_add_types";
    if (!types && count > 0) {
        return micai_fail_null(micai_world_host(world), call, "types");
    }
    return change_elsewhere(world, call, entity, &(change_list){.added = types, .given = count});
}
