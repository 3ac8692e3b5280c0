// Accessors: the functions that are not inline.
//
// Room:    world.
#include <mica/accessor.h>

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/number.h"
#include "entity/locate.h"

mica_accessor mica_accessor_new_any(mica_world *world, mica_type type, uint32_t layout)
{
    static const char call[] = "mica_accessor_new";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return (mica_accessor){0};
    }
    const mica_accessor none = {.face = &world->view};
    if (micai_world_guard_read(world, call) ||
        (world->recorder && micai_world_refuse(world, call))) { // its writes would not be recorded
        return none;
    }
    if (layout != MICA_VIEW_LAYOUT) {
        micai_fail(&world->host, MICA_ERROR_VERSION,
                   "%s: the program was compiled for layout %" PRIx32 ", the library has %" PRIx32,
                   call, layout, MICA_VIEW_LAYOUT);
        return none;
    }
    const micai_type *found = micai_world_type(world, call, type);
    if (!found) {
        return none;
    }
    if (found->info.size == 0) {
        micai_fail(&world->host, MICA_ERROR_SIZE, "%s: '%s' is a tag and has no value", call,
                   found->info.name);
        return none;
    }
    mica_accessor accessor = {
        .face = &world->view, .slots = world->view.slots, .type = type, .size = found->info.size};
    micai_host_begin(&world->host, call);
    mica_result result = micai_value_prepare(world, found, &accessor);
    micai_host_end(&world->host);
    return result ? none : accessor;
}

bool micai_accessor_is_none(mica_world *world, mica_type type, const char *call)
{
    bool none = MICA_IS_NONE(type);
    if (none) {
        micai_fail(micai_world_host(world), MICA_ERROR_TYPE, "%s: the accessor is none", call);
    }
    return none;
}

// Returns the type. A missing world or type is reported.
static const micai_type *find_type(mica_world *world, mica_type type, const char *call)
{
    if (micai_accessor_is_none(world, type, call)) {
        return NULL;
    }
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    return micai_world_type(world, call, type);
}

// Fails if an iteration has gathered the values, or if a system that runs beside others writes them.
static mica_result guard_access(mica_world *world, const char *call, const micai_type *type)
{
    if (world->state->walks.gathered == 0) {
        return MICA_OK;
    }
    if (!world->state->original) {
        return micai_world_check_gathered(world, call, type);
    }
    return !micai_value_is_hidden(world->state->original, type)
               ? MICA_OK
               : micai_fail(&world->host, MICA_ERROR_UNDECLARED,
                            "%s: '%.80s' is being written by systems that run together", call,
                            type->info.name);
}

// Accessors read while systems run together, when the world is closed as if a hook ran.
static void fail_dead(mica_world *world, const char *call, mica_entity entity)
{
    if (world->state->original) {
        micai_slots_fail_dead(&world->host, call, entity);
    } else {
        micai_slots_fail(&world->host, call, entity);
    }
}

// Returns the value, if the entity has it. Errors are reported.
static micai_value find_value(mica_world *world, mica_type type, const char *call,
                              mica_entity entity)
{
    const micai_value nothing = {0};
    const micai_type *found = find_type(world, type, call);
    if (!found) {
        return nothing;
    }
    const micai_record *record = micai_slots_find(&world->state->slots, entity);
    if (!record) {
        fail_dead(world, call, entity);
        return nothing;
    }
    micai_value value = micai_value_find(world->state, (micai_entity_ref){entity, record}, found);
    return micai_value_is_there(value) && guard_access(world, call, found) ? nothing : value;
}

static const void *get_any(mica_world *world, mica_type type, mica_entity entity, const char *call)
{
    micai_value value = find_value(world, type, call, entity);
    return micai_value_is_there(value) ? micai_value_get(world, call, value) : NULL;
}

static void *get_mut_any(mica_world *world, mica_type type, mica_entity entity, const char *call)
{
    if (world && world->state->original) {
        micai_fail(
            &world->host, MICA_ERROR_RECORDING,
            "%s: refused while systems run together; write the rows of the query, or record mica_set with "
            "it->world",
            call);
        return NULL;
    }
    const micai_record *record = world ? micai_slots_find(&world->state->slots, entity) : NULL;
    void *ticked =
        record ? micai_value_open_ticked(world, (micai_entity_ref){entity, record}, type) : NULL;
    if (ticked) {
        return ticked;
    }
    micai_value value = find_value(world, type, call, entity);
    return micai_value_is_there(value) ? micai_value_open(world, call, value) : NULL;
}

const void *mica_accessor_get_any(mica_world *world, mica_type type, mica_entity entity)
{
    return get_any(world, type, entity, "mica_accessor_get");
}

void *mica_accessor_get_mut_any(mica_world *world, mica_type type, mica_entity entity)
{
    return get_mut_any(world, type, entity, "mica_accessor_get_mut");
}

void *mica_accessor_get_as_any(mica_world *world, mica_type type, mica_entity entity, uint32_t size,
                               const char *c_type, bool write)
{
    const char *call = write ? "MICA_ACCESSOR_GET_MUT" : "MICA_ACCESSOR_GET";
    const micai_type *found = find_type(world, type, call);
    if (!found || micai_world_check_size(world, call, found, size) ||
        (c_type && micai_world_check_c_type(world, call, found, c_type))) {
        return NULL;
    }
    return write ? get_mut_any(world, type, entity, call)
                 : (void *)get_any(world, type, entity, call);
}

// Reading many values at once. All loads of one kind are started before the first result is used,
// so their latencies overlap.

enum { MANY = 64 };

// Finds the records of handles. Handles without a record get one that belongs to no entity.
static inline void find_records(const micai_slots *slots, const mica_entity *entities,
                                uint32_t count, const micai_record **records_out)
{
    static const micai_record unused = {0, MICA_VIEW_TAG_END};
    for (uint32_t i = 0; i < count; i++) {
        const micai_record *record = micai_slots_look(slots, mica_entity_slot(entities[i]));
        records_out[i] = record ? record : &unused;
        MICAI_PREFETCH_READ(record);
    }
}

static inline void prefetch(const void *value, bool write)
{
    if (write) {
        MICAI_PREFETCH(value);
    } else {
        MICAI_PREFETCH_READ(value);
    }
}

// Finds values of table components on the fast path. Returns how many it found.
MICAI_NOINLINE static uint32_t get_row_values(const mica_accessor *accessor,
                                              const mica_entity *entities, uint32_t count,
                                              bool write, void **values_out)
{
    const micai_record *records[MANY];
    find_records(&accessor->face->world->state->slots, entities, count, records);
    mica_view_type rows = *accessor->rows;
    rows.flat = write ? rows.flat_open : rows.flat;
    const uint64_t tick = accessor->face->tick;
    const size_t size = accessor->size;
    uint32_t fast_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (micai_record_is_of(records[i], entities[i])) {
            uint32_t where = records[i]->where;
            mica_view_values *values = mica_view_find_flat(&rows, where);
            if (write ? mica_view_open(values, tick) : values->data != NULL) {
                values_out[i] = values->data + mica_view_offset(where, size);
                prefetch(values_out[i], write);
                fast_count++;
            }
        }
    }
    return fast_count;
}

// The same for a sparse component.
MICAI_NOINLINE static uint32_t get_sparse_values(const mica_accessor *accessor,
                                                 const mica_entity *entities, uint32_t count,
                                                 bool write, void **values_out)
{
    static const uint32_t nowhere = 0;
    const micai_record *records[MANY];
    const uint32_t *entries[MANY];
    const micai_state *state = accessor->face->world->state;
    const micai_pool *pool = micai_pools_find(&state->pools, accessor->type);
    if (!pool || pool->index.view.hidden || (write && pool->index.view.open_leaf_count == 0) ||
        (write && pool->type->info.row_stamps)) {
        return 0;
    }
    uint32_t fast_count = 0;
    find_records(&state->slots, entities, count, records);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *entry = micai_index_entry(&pool->index, mica_entity_slot(entities[i]));
        entries[i] = entry ? entry : &nowhere;
        MICAI_PREFETCH_READ(entry);
    }
    const mica_view_pool view = pool->index.view;
    const uint64_t tick = accessor->face->tick;
    for (uint32_t i = 0; i < count; i++) {
        if (micai_record_is_of(records[i], entities[i]) && *entries[i] > 0) {
            uint32_t row = *entries[i] - 1;
            if (write) {
                *mica_view_pool_block(&view, row)->tick = tick;
            }
            values_out[i] = mica_view_pool_value(&view, row, accessor->size);
            prefetch(values_out[i], write);
            fast_count++;
        }
    }
    return fast_count;
}

// Chooses the path by the accessor. Finds nothing for a null accessor.
static inline uint32_t get_values_fast(const mica_accessor *accessor, const mica_entity *entities,
                                       uint32_t count, bool write, void **values_out)
{
    memset(values_out, 0, count * sizeof *values_out);
    if (accessor->rows) {
        return get_row_values(accessor, entities, count, write, values_out);
    }
    return accessor->pool ? get_sparse_values(accessor, entities, count, write, values_out) : 0;
}

// Returns the number of entities to read: `count`, or 0 for a missing list or a null accessor. Both
// are reported.
static uint32_t check_lists(const mica_accessor *accessor, const mica_entity *entities,
                            uint32_t count, void *values_out, const char *call)
{
    mica_world *world = mica_view_world(accessor->face);
    if (count > 0 && (!entities || !values_out)) {
        micai_fail_null(micai_world_host(world), call, entities ? "values_out" : "entities");
        return 0;
    }
    const mica_type type = world ? accessor->type : (mica_type){0};
    if (count > 0 && micai_accessor_is_none(world, type, call)) {
        memset(values_out, 0, count * sizeof(void *));
        return 0;
    }
    return count;
}

// Returns true for a dead entity. Only the first one of a list is reported.
static bool is_dead(mica_world *world, const char *call, mica_entity entity, bool *reported)
{
    bool dead = !micai_slots_find(&world->state->slots, entity);
    if (dead && !*reported) {
        fail_dead(world, call, entity);
        *reported = true;
    }
    return dead;
}

uint32_t mica_accessor_get_many(const mica_accessor *accessor, const mica_entity *entities,
                                uint32_t count, const void **values_out)
{
    static const char call[] = "mica_accessor_get_many";
    const mica_accessor none = {0};
    accessor = accessor ? accessor : &none;
    mica_world *world = mica_view_world(accessor->face);
    count = check_lists(accessor, entities, count, (void *)values_out, call);
    uint32_t found = 0;
    bool reported = false;
    for (uint32_t from = 0, end; from < count; from = end) {
        void *values[MANY];
        end = from + micai_smaller(count - from, MANY);
        found += get_values_fast(accessor, entities + from, end - from, false, values);
        for (uint32_t i = from; i < end; i++) {
            values_out[i] = values[i - from];
            if (!values_out[i] && !is_dead(world, call, entities[i], &reported)) {
                values_out[i] = get_any(world, accessor->type, entities[i], call);
                found += values_out[i] != NULL;
            }
        }
    }
    return found;
}

uint32_t mica_accessor_get_mut_many(const mica_accessor *accessor, const mica_entity *entities,
                                    uint32_t count, void **values_out)
{
    static const char call[] = "mica_accessor_get_mut_many";
    const mica_accessor none = {0};
    accessor = accessor ? accessor : &none;
    mica_world *world = mica_view_world(accessor->face);
    count = check_lists(accessor, entities, count, (void *)values_out, call);
    uint32_t found = 0;
    bool reported = false;
    for (uint32_t from = 0, end; from < count; from = end) {
        end = from + micai_smaller(count - from, MANY);
        uint32_t fast_count =
            get_values_fast(accessor, entities + from, end - from, true, values_out + from);
        found += fast_count;
        for (uint32_t i = from; fast_count < end - from && i < end; i++) {
            if (!values_out[i] && !is_dead(world, call, entities[i], &reported)) {
                values_out[i] = get_mut_any(world, accessor->type, entities[i], call);
                found += values_out[i] != NULL;
            }
        }
    }
    return found;
}
