// Building a change: given, removed and toggled types. change.h has the contract. change.c runs it.
#include <stddef.h>
#include <string.h>

#include "entity/change_internal.h"
#include "entity/locate.h"

// Returns the number of words that a set of all types needs beyond the inline ones.
static uint32_t more_words(const mica_world *world)
{
    uint32_t words = micai_bits_words(world->state->registry.list.count);
    return words > MICA_TYPE_SET_INLINE_WORDS ? words - MICA_TYPE_SET_INLINE_WORDS : 0;
}

mica_result micai_change_begin_set(mica_world *world, mica_type_set *set)
{
    *set = (mica_type_set){.more_count = more_words(world)};
    size_t size = set->more_count * sizeof *set->more;
    if (size > 0) {
        set->more = micai_arena_alloc(&world->host, &world->scratch, size, _Alignof(uint64_t));
        if (!set->more) {
            return MICA_ERROR_MEMORY;
        }
        memset(set->more, 0, size);
    }
    return MICA_OK;
}

// Clears a change, so that it can be ended.
static void clear(micai_change *c)
{
    memset(c, 0, offsetof(micai_change, off));
}

static mica_result begin(micai_change *c, mica_world *world, const char *call, uint32_t count)
{
    c->world = world;
    c->call = call;
    c->mark = micai_arena_get_mark(&world->scratch);
    micai_host_begin(&world->host, call);
    c->assignments = micai_arena_alloc_array(&world->host, &world->scratch, count,
                                             sizeof *c->assignments, _Alignof(micai_assignment));
    c->removed = c->assignments
                     ? micai_arena_alloc_array(&world->host, &world->scratch, count,
                                               sizeof *c->removed, _Alignof(micai_type *))
                     : NULL;
    mica_result result = c->removed ? micai_change_begin_set(world, &c->given) : MICA_ERROR_MEMORY;
    micai_host_end(&world->host);
    return result;
}

mica_result micai_change_begin(micai_change *c, mica_world *world, const char *call,
                               mica_entity entity, uint32_t count)
{
    clear(c);
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_record *record = micai_slots_find(&world->state->slots, entity);
    if (!record) {
        return micai_slots_fail(&world->host, call, entity);
    }
    mica_result result = begin(c, world, call, count);
    c->entity = entity;
    c->record = record;
    c->row = micai_row_of(&world->state->store, record);
    c->source = micai_row_table(c->row);
    return result;
}

mica_result micai_change_begin_spawn(micai_change *c, mica_world *world, const char *call,
                                     uint32_t count)
{
    clear(c);
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_change(world, call);
    return result ? result : begin(c, world, call, count);
}

mica_result micai_change_begin_bundle(micai_change *c, mica_world *world, const char *call,
                                      const micai_bundle *bundle)
{
    mica_result result = micai_change_begin_spawn(c, world, call, bundle->count);
    c->transition = bundle->spawn;
    return result;
}

// Building

bool micai_change_has(const micai_change *c, const micai_type *type)
{
    return c->source &&
           (micai_pool_keeps(type)
                ? micai_value_has(c->world->state, (micai_entity_ref){c->entity, c->record}, type)
                : micai_table_has(c->source, type->number));
}

static void note_place(micai_change *c, uint32_t place)
{
    if (c->places) {
        c->places[c->assignments[place].type->number] = place;
    }
}

// Returns the assignment of a given type, or NULL if memory is short. Builds the table of places on
// first use. Duplicate types are rare, but one call may have a thousand.
static micai_assignment *find_assignment(micai_change *c, const micai_type *type)
{
    mica_world *world = c->world;
    if (!c->places) {
        micai_host_begin(&world->host, c->call);
        c->places = micai_arena_alloc_array(&world->host, &world->scratch,
                                            world->state->registry.list.count, sizeof *c->places,
                                            _Alignof(uint32_t));
        micai_host_end(&world->host);
        for (uint32_t i = 0; i < c->count; i++) {
            note_place(c, i);
        }
    }
    return c->places ? &c->assignments[c->places[type->number]] : NULL;
}

// Handles a type that is given again. The later value counts, unless the first cannot be copied and
// would be lost.
static mica_result give_again(micai_change *c, micai_assignment *one, const void *data)
{
    if (one->data && !micai_hook_can_copy(one->type)) {
        return micai_fail(&c->world->host, MICA_ERROR_ARGUMENT,
                          "%s: '%s', which cannot be copied, is given twice", c->call,
                          one->type->info.name);
    }
    one->data = data;
    c->overwrites = c->overwrites || (one->present && data);
    return MICA_OK;
}

// Returns true if `data` is the entity's own value of the type.
static bool is_own_place(const micai_change *c, const micai_type *type, const void *data)
{
    const micai_entity_ref ref = {c->entity, c->record};
    return micai_change_has(c, type) &&
           micai_value_read(micai_value_find(c->world->state, ref, type)) == data;
}

// For a type that cannot be copied. A value that is set to itself stays. A value elsewhere in the
// world, or also given as another type, would exist twice.
static mica_result check_unique(micai_change *c, const micai_type *type, const void **data)
{
    if (is_own_place(c, type, *data)) {
        *data = NULL;
        return MICA_OK;
    }
    mica_result result = micai_value_check_source(c->world, c->call, type, *data, 1);
    for (uint32_t i = 0; !result && i < c->count; i++) {
        const micai_assignment *other = &c->assignments[i];
        if (other->type != type) {
            result = micai_value_check_overlap(c->world, c->call, other->type, other->data, type,
                                               *data, 1);
        }
    }
    return result;
}

// Adds a type that was not given before.
static void add_assignment(micai_change *c, const micai_type *type, const void *data)
{
    bool present = micai_change_has(c, type);
    c->assignments[c->count] = (micai_assignment){.type = type, .data = data, .present = present};
    c->overwrites = c->overwrites || (present && data);
    if (!present && micai_pool_keeps(type)) {
        c->joins = true;
    } else if (!present) {
        c->moves = true;
    }
    note_place(c, c->count++);
}

mica_result micai_change_give(micai_change *c, const micai_type *type, const void *data)
{
    if (type->relation) {
        mica_result result = c->world->state->pools.links->ops->give(c, type, data);
        if (result) {
            return result;
        }
    }
    if (data && !micai_hook_can_copy(type)) {
        c->hands_over = true;
        if (check_unique(c, type, &data)) {
            return MICA_ERROR_ARGUMENT;
        }
    }
    if (!micai_types_put(&c->given, type->number)) {
        micai_assignment *one = find_assignment(c, type);
        return one ? give_again(c, one, data) : MICA_ERROR_MEMORY;
    }
    add_assignment(c, type, data);
    return MICA_OK;
}

mica_result micai_change_set(micai_change *c, const mica_value *value, uint32_t place)
{
    const micai_type *found = micai_registry_find(&c->world->state->registry, value->type);
    if (!found) {
        micai_world_type_in(c->world, c->call, "value", place, value->type);
        return MICA_ERROR_TYPE;
    }
    mica_result result = micai_world_accepts_value(found, value)
                             ? MICA_OK
                             : micai_world_check_value(c->world, c->call, found, value);
    const void *data = found->info.size > 0 ? value->data : NULL;
    return result ? result : micai_change_give(c, found, data);
}

mica_result micai_change_remove(micai_change *c, mica_type type, uint32_t place)
{
    const micai_type *found = micai_world_type_in(c->world, c->call, "type", place, type);
    if (!found) {
        return MICA_ERROR_TYPE;
    }
    if (micai_types_has(&c->given, found->number)) {
        return micai_fail(&c->world->host, MICA_ERROR_ARGUMENT, "%s: '%s' is both set and removed",
                          c->call, found->info.name);
    }
    bool present = micai_change_has(c, found);
    bool sparse = micai_pool_keeps(found);
    c->leaves = c->leaves || (present && sparse);
    c->moves = c->moves || (present && !sparse);
    c->removed[c->removed_count++] = found;
    return MICA_OK;
}

mica_result micai_change_switch(micai_change *c, const micai_type *type, bool off)
{
    mica_result result = c->toggles ? MICA_OK : micai_change_begin_set(c->world, &c->off);
    result = result || c->toggles ? result : micai_change_begin_set(c->world, &c->on);
    if (!result) {
        c->toggles = true;
        micai_types_put(off ? &c->off : &c->on, type->number);
    }
    return result;
}

mica_entity micai_change_end(micai_change *c)
{
    if (!c->world) {
        return (mica_entity){0};
    }
    micai_arena_rewind(&c->world->scratch, c->mark);
    return c->entity;
}

mica_result micai_change_finish(micai_change *c, mica_result result)
{
    result = result ? result : micai_change_run(c);
    micai_change_end(c);
    mica_result paid = c->world ? micai_world_finish(c->world, c->call, result) : result;
    return c->hands_over ? result : paid;
}

mica_entity micai_change_finish_spawn(micai_change *c, mica_result result)
{
    result = result ? result : micai_change_run(c);
    mica_entity entity = micai_change_end(c);
    return result ? (mica_entity){0} : entity;
}
