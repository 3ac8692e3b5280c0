// Changes of several components of an entity at once. All or none.
//
// If the same list of types, in the same order, was changed before on an entity of the same table,
// its transition is found. Then the call only compares the handles, writes the values and moves the
// row. A micai_change does everything else.
#include <mica/component.h>

#include "base/compiler.h"
#include "entity/change.h"
#include "entity/fast.h"
#include "entity/locate.h"
#include "state/recorder.h"

enum { LIST_MAX = 64 }; // longest list of types that is looked up

// A list of changes. A value without data adds its type with its default.
typedef struct change_list {
    const mica_value *values;
    uint32_t given; // number of values
    uint32_t gone;
    const mica_type *removed;
} change_list;

static inline uint64_t key_of(const change_list *list)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < list->given; i++) {
        key = micai_list_key_add(key, list->values[i].type.bits);
    }
    for (uint32_t i = 0; i < list->gone; i++) {
        key = micai_list_key_add(key, list->removed[i].bits);
    }
    return micai_list_key_add(key, list->given);
}

static inline bool is_short(const change_list *list)
{
    return list->given <= LIST_MAX &&
           list->gone <= LIST_MAX; // longer lists may have an invalid count
}

// Returns true if a transition has the counts and removed types of a list, and capacity. Its added
// types are compared later.
static inline bool removes(const micai_transition *t, const change_list *list)
{
    if (t->given_count != list->given || t->step_count - t->given_count != list->gone ||
        !micai_row_has_capacity(t->target)) {
        return false;
    }
    const micai_step *step = t->steps + list->given;
    for (uint32_t i = 0; i < list->gone; i++) {
        if (step[i].bits != list->removed[i].bits) {
            return false;
        }
    }
    return true;
}

// Returns the last transition if it is the one of the entity and list and admits the fast path.
// Returns NULL otherwise.
static inline const micai_transition *find_fast(const mica_world *world, const micai_record *record,
                                                const change_list *list)
{
    if (!record) {
        return NULL;
    }
    const micai_store *store = &world->state->store;
    const micai_transition *t = micai_transition_last(&store->transitions, MICAI_TRANSITION_LIST);
    return t->source == micai_row_table(micai_fast_row(world, record)) &&
                   micai_transition_is_fast(t) && removes(t, list)
               ? t
               : NULL;
}

// Returns the transition from its map, whether or not it admits the fast path. Lists of one type
// use the maps for single types.
static const micai_transition *find_list(mica_world *world, const micai_record *record,
                                         const change_list *list)
{
    micai_store *store = &world->state->store;
    const micai_table *source = micai_row_table(micai_fast_row(world, record));
    const micai_transition *t = NULL;
    if (list->given == 1 && list->gone == 0) {
        t = micai_transition_seek(&store->transitions, MICAI_TRANSITION_ADD,
                                  list->values->type.bits, source);
    } else if (list->given == 0 && list->gone == 1) {
        t = micai_transition_seek(&store->transitions, MICAI_TRANSITION_REMOVE, list->removed->bits,
                                  source);
    } else if (is_short(list)) {
        t = micai_transition_seek(&store->transitions, MICAI_TRANSITION_LIST, key_of(list), source);
    }
    return t && removes(t, list) ? t : NULL;
}

static inline mica_result move(mica_world *world, const micai_transition *t, micai_record *record)
{
    return micai_fast_move(world, t, micai_row_get_memory(micai_fast_row(world, record)), record);
}

// Returns true if the value adds its type without data.
static inline bool is_added(const micai_step *step, const mica_value *value)
{
    return value->type.bits == step->bits && !value->data && value->size == 0;
}

// Changes rows with flags, ticks, split values or rings, which require that every value is checked
// first. Also adds defaults. Returns false if the values are not all bytes, are observed, or one is
// invalid.
static bool run_bytes(mica_world *world, const micai_transition *t, micai_record *record,
                      const change_list *list)
{
    enum { NEEDED = MICAI_FAST_BYTES | MICAI_FAST_UNOBSERVED };
    if ((t->fast_paths & NEEDED) != NEEDED) {
        return false;
    }
    for (uint32_t i = 0; i < list->given; i++) {
        const micai_step *step = &t->steps[i];
        if (step->sparse ||
            !(micai_step_takes(step, &list->values[i]) || is_added(step, &list->values[i]))) {
            return false;
        }
    }
    micai_fast_move_list(world, t, record, list->values);
    return true;
}

// Existing values

enum { OVERWRITTEN_MAX = 16, OVERWRITTEN_BYTES = 512 };

// Looks up the existing values of a list that can all be overwritten in place, and copies the new
// ones. The new ones may lie in values that the list overwrites. Returns false if this is
// impossible for one of them.
static bool look_up_all(const mica_world *world, const micai_record *record,
                        const change_list *list, micai_directory_value *reaches,
                        unsigned char *copies)
{
    const micai_state *state = world->state;
    uint32_t used = 0;
    for (uint32_t i = 0; i < list->given; i++) {
        const mica_value *value = &list->values[i];
        reaches[i] = micai_directory_find(&state->store.directory, value->type, record->where);
        if (!micai_directory_value_is_writable(reaches[i])) {
            return false;
        }
        const micai_type *type = state->registry.list.items[micai_stamp_number(value->type.bits)];
        if (!type->plain || !micai_world_accepts_value(type, value) ||
            value->size > OVERWRITTEN_BYTES - used) {
            return false;
        }
        micai_copy_bytes(copies + used, value->data, value->size);
        used += value->size;
    }
    return true;
}

// Overwrites existing values in place, if all are bytes. Handlers must not change anything.
static bool overwrite_all(const mica_world *world, mica_entity entity, const change_list *list)
{
    micai_directory_value reaches[OVERWRITTEN_MAX];
    unsigned char copies[OVERWRITTEN_BYTES];
    const micai_record *record =
        world && !world->host.handler ? micai_slots_find(&world->state->slots, entity) : NULL;
    if (!record || list->gone > 0 || list->given > OVERWRITTEN_MAX ||
        !look_up_all(world, record, list, reaches, copies)) {
        return false;
    }
    const unsigned char *copy = copies;
    for (uint32_t i = 0; i < list->given; i++) {
        uint32_t size = list->values[i].size;
        (void)micai_directory_value_open(reaches[i], world->view.tick);
        micai_copy_bytes(micai_directory_value_data(reaches[i]), copy, size);
        copy += size;
    }
    return list->given > 0;
}

// The general case

MICAI_COLD static mica_result change_long(mica_world *world, const char *call, mica_entity entity,
                                          const change_list *list)
{
    micai_change c;
    uint32_t count = list->given <= UINT32_MAX - list->gone ? list->given + list->gone : UINT32_MAX;
    mica_result result = micai_change_begin(&c, world, call, entity, count);
    for (uint32_t i = 0; !result && i < list->given; i++) {
        result = micai_change_set(&c, &list->values[i], i);
    }
    for (uint32_t i = 0; !result && i < list->gone; i++) {
        result = micai_change_remove(&c, list->removed[i], i);
    }
    return micai_change_finish(&c, result);
}

// Handles recording worlds, lists other than the last, bytes with flags, ticks, split values or
// rings, defaults, and the general case.
MICAI_NOINLINE static mica_result change_any(mica_world *world, const char *call,
                                             mica_entity entity, const change_list *list)
{
    const micai_recorder *recorder = micai_recorder_of(world);
    if (recorder) {
        return recorder->change(world, call, entity, list->values, list->given, list->removed,
                                list->gone);
    }
    micai_record *record = micai_fast_record(world, entity);
    const micai_transition *t = record ? find_list(world, record, list) : NULL;
    if (t && micai_transition_is_fast(t) &&
        (list->given == 0 || micai_fast_fill(t, list->values))) {
        return move(world, t, record);
    }
    return (t && run_bytes(world, t, record, list)) || overwrite_all(world, entity, list)
               ? MICA_OK
               : change_long(world, call, entity, list);
}

static inline mica_result change_list_of(mica_world *world, const char *call, mica_entity entity,
                                         const change_list *list)
{
    micai_record *record = micai_fast_record(world, entity);
    const micai_transition *t = find_fast(world, record, list);
    return t && (list->given == 0 || micai_fast_fill(t, list->values))
               ? move(world, t, record)
               : change_any(world, call, entity, list);
}

mica_result micai_set_list(mica_world *world, const char *call, mica_entity entity,
                           const mica_value *values, uint32_t count)
{
    return change_list_of(world, call, entity, &(change_list){.values = values, .given = count});
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
    return change_list_of(world, call, entity, &list);
}

// Sets

// Returns the number of types in a set, or UINT32_MAX, reported, if the world has not all of them.
static uint32_t count_types(mica_world *world, const char *call, const mica_type_set *set)
{
    uint32_t count = 0;
    for (uint32_t n = micai_types_next(set, 0); n != MICAI_BITS_END;
         n = micai_types_next(set, n + 1)) {
        if (!micai_registry_at(&world->state->registry, n)) {
            micai_fail(&world->host, MICA_ERROR_TYPE, "%s: a set has types of another world", call);
            return UINT32_MAX;
        }
        count++;
    }
    return count;
}

// Writes the types of two sets into a list of changes, in scratch memory.
static mica_result list_sets(mica_world *world, const char *call, const mica_type_set *added,
                             const mica_type_set *removed, change_list *list_out)
{
    uint32_t given = count_types(world, call, added);
    uint32_t gone = given != UINT32_MAX ? count_types(world, call, removed) : UINT32_MAX;
    if (gone == UINT32_MAX) {
        return MICA_ERROR_TYPE;
    }
    mica_value *values = micai_arena_alloc_array(&world->host, &world->scratch, given,
                                                 sizeof *values, _Alignof(mica_value));
    mica_type *types = values ? micai_arena_alloc_array(&world->host, &world->scratch, gone,
                                                        sizeof *types, _Alignof(mica_type))
                              : NULL;
    if (!types) {
        return MICA_ERROR_MEMORY;
    }
    const micai_registry *registry = &world->state->registry;
    uint32_t n = micai_types_next(added, 0);
    for (uint32_t i = 0; i < given; i++, n = micai_types_next(added, n + 1)) {
        values[i] = (mica_value){.type = micai_registry_at(registry, n)->info.type};
    }
    n = micai_types_next(removed, 0);
    for (uint32_t i = 0; i < gone; i++, n = micai_types_next(removed, n + 1)) {
        types[i] = micai_registry_at(registry, n)->info.type;
    }
    *list_out = (change_list){.values = values, .given = given, .gone = gone, .removed = types};
    return MICA_OK;
}

mica_result mica_change_sets(mica_world *world, mica_entity entity, const mica_type_set *added,
                             const mica_type_set *removed)
{
    static const char call[] = "mica_change_sets";
    static const mica_type_set empty;
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    change_list list;
    micai_host_begin(&world->host, call);
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    mica_result result =
        list_sets(world, call, added ? added : &empty, removed ? removed : &empty, &list);
    micai_host_end(&world->host);
    result = result ? result : change_list_of(world, call, entity, &list);
    micai_arena_rewind(&world->scratch, mark);
    return result;
}
