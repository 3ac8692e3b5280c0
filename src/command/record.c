// Recording: the calls on a face that records. The public function finds the gate of the face shut
// and calls the recorder.
//
// A call that fails records nothing. Whatever it had recorded is undone in reverse order: copies
// are destroyed, values that were moved go back to their source, and slots are returned.
#include "command/command.h"

#include <string.h>

#include "base/bytes.h"
#include "base/compiler.h"
#include "entity/data.h"
#include "entity/facet.h"
#include "entity/locate.h"
#include "query/query.h"

// A position in a buffer, to go back to.
typedef struct position {
    uint32_t count;
    micai_arena_mark mark;
} position;

static position position_of(const micai_buffer *buffer)
{
    return (position){buffer->count, micai_arena_get_mark(&buffer->arena)};
}

static void rewind_to(micai_buffer *buffer, position to)
{
    buffer->count = to.count;
    micai_buffer_set_first(buffer, buffer->first);
    micai_arena_rewind(&buffer->arena, to.mark);
}

static bool add_block(micai_buffer *buffer, const char *call)
{
    micai_host *host = &micai_buffer_world(buffer)->host;
    micai_command *block = NULL;
    micai_host_begin(host, call);
    if (micai_array_reserve(host, &buffer->blocks, 1)) {
        block = micai_alloc_array(host, MICAI_COMMAND_BLOCK, sizeof *block, MICAI_COMMAND_ALIGN);
    }
    micai_host_end(host);
    if (block) {
        buffer->blocks.items[buffer->blocks.count++] = block;
    }
    return block != NULL;
}

// Returns space for one more command, or NULL without memory. count_command() adds it to the
// buffer.
static inline micai_command *next_command(micai_buffer *buffer, const char *call)
{
    bool room = buffer->count >> MICAI_COMMAND_SHIFT < buffer->blocks.count;
    return MICAI_LIKELY(room) || add_block(buffer, call) ? micai_command_at(buffer, buffer->count)
                                                         : NULL;
}

static inline void count_command(micai_buffer *buffer)
{
    buffer->count++;
    if (!buffer->own) {
        buffer->face.state->waiting = true;
    }
}

// Fails inside a hook or a handler, and if the entity is neither alive nor pending.
static inline mica_result check_entity(micai_buffer *buffer, const char *call, mica_entity entity)
{
    mica_world *world = micai_buffer_world(buffer);
    mica_result result = micai_world_guard_edit(world, call);
    const micai_slots *slots = &world->state->slots;
    return result || micai_slots_find(slots, entity) || micai_slots_is_pending(slots, entity)
               ? result
               : micai_slots_fail(&world->host, call, entity);
}

// Values

// Copies a value into a command, or moves it if its type cannot be copied.
static mica_result take_value(micai_buffer *buffer, const char *call, micai_command *command,
                              const void *data)
{
    mica_world *world = micai_buffer_world(buffer);
    const mica_type_info *info = &command->type->info;
    void *value = command->data.bytes;
    micai_host_begin(&world->host, call);
    if (!micai_command_is_small(command->type)) {
        value = command->data.pointer =
            micai_arena_alloc(&world->host, &buffer->arena, info->size, info->align);
    }
    mica_result result = MICA_ERROR_MEMORY;
    if (value && micai_hook_has_none(command->type)) {
        memcpy(value, data, info->size);
        result = MICA_OK;
    } else if (value) {
        result = micai_hook_copy(&world->state->gate, command->type, value, data, 1);
    }
    micai_host_end(&world->host);
    return result;
}

// Undoes a command that this call recorded, with the data that the caller passed.
static void undo_command(micai_buffer *buffer, micai_command *command, const void *data)
{
    micai_state *state = buffer->face.state;
    if (command->verb == MICAI_SET) {
        micai_hook_undo_copy(&state->gate, command->type, micai_command_value(command), data, 1);
    } else if (command->verb == MICAI_SEND) {
        const micai_send_data *sending = command->data.pointer;
        if (sending->values) {
            micai_hook_undo_copy(&state->gate, command->type, sending->values, data,
                                 sending->count);
        }
    } else if (micai_command_creates_entity(command)) {
        micai_slots_put_back(&state->slots, command->entity);
    }
}

// The fast path: records a value that is bytes only, if the block has space. Otherwise returns
// false and records nothing.
static inline bool put_value(micai_buffer *buffer, mica_entity entity, const micai_type *type,
                             const void *data)
{
    bool is_bytes = type->plain || // one load, and implies the rest
                    (micai_hook_has_none(type) && !type->relation);
    if (buffer->count >> MICAI_COMMAND_SHIFT >= buffer->blocks.count || !is_bytes) {
        return false;
    }
    micai_command *command = micai_command_at(buffer, buffer->count);
    uint32_t size = type->info.size;
    void *value = command->data.bytes;
    if (!micai_command_is_small(type)) {
        value = command->data.pointer =
            micai_arena_alloc_fast(&buffer->arena, size, type->info.align);
        if (!value) {
            return false;
        }
    }
    micai_copy_bytes(value, data, size);
    micai_command_begin(command, entity, type, MICAI_SET, true);
    count_command(buffer);
    return true;
}

// Records a link. `other` is what the verb says.
static mica_result record_link_of(micai_buffer *buffer, const char *call, const micai_type *type,
                                  micai_link_verb verb, mica_entity source, mica_entity other)
{
    micai_command *command = next_command(buffer, call);
    if (!command) {
        return MICA_ERROR_MEMORY;
    }
    micai_command_begin(command, source, type, (micai_verb)(MICAI_LINK + (uint32_t)verb), false);
    command->data.other = other;
    count_command(buffer);
    return MICA_OK;
}

// Records the value of a relation's type for an existing entity.
static mica_result record_link_value(micai_buffer *buffer, const char *call, mica_entity entity,
                                     const micai_type *type, const void *data)
{
    mica_entity target = {0};
    if (data) {
        memcpy(&target, data, sizeof target);
    }
    mica_result result = check_entity(buffer, call, target);
    return result ? result : record_link_of(buffer, call, type, MICAI_LINK_TARGET, entity, target);
}

// Records a value of an entity, or of the spawn before it if `entity` is null. The caller has
// checked the value.
static mica_result record_value(micai_buffer *buffer, const char *call, mica_entity entity,
                                const micai_type *type, const void *data)
{
    bool has_data = data && type->info.size > 0;
    if (type->relation && !MICA_IS_NONE(entity)) {
        return record_link_value(buffer, call, entity, type, data);
    }
    if (has_data && put_value(buffer, entity, type, data)) {
        return MICA_OK;
    }
    micai_command *command = next_command(buffer, call);
    if (!command) {
        return MICA_ERROR_MEMORY;
    }
    micai_command_begin(command, entity, type, has_data ? MICAI_SET : MICAI_ADD,
                        !has_data || !type->info.hooks.destruct);
    mica_result result = has_data ? take_value(buffer, call, command, data) : MICA_OK;
    if (!result) {
        count_command(buffer);
    }
    return result;
}

static mica_result record_verb(micai_buffer *buffer, const char *call, micai_verb verb,
                               mica_entity entity, const micai_type *type)
{
    micai_command *command = next_command(buffer, call);
    if (!command) {
        return MICA_ERROR_MEMORY;
    }
    micai_command_begin(command, entity, type, verb, verb == MICAI_REMOVE || verb == MICAI_DESPAWN);
    count_command(buffer);
    return MICA_OK;
}

// Fails if a value of a type that cannot be copied lies in the world, or is passed twice. The
// values before it are checked already.
static mica_result check_unique(mica_world *world, const char *call, const mica_value *values,
                                uint32_t i, const micai_type *type)
{
    mica_result result = micai_value_check_source(world, call, type, values[i].data, 1);
    for (uint32_t j = 0; !result && j < i; j++) {
        const micai_type *other = micai_registry_find(&world->state->registry, values[j].type);
        if (other == type && values[j].data) {
            return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                              "%s: '%s', which cannot be copied, is given twice", call,
                              type->info.name);
        }
        result =
            micai_value_check_overlap(world, call, other, values[j].data, type, values[i].data, 1);
    }
    return result;
}

// Returns the type of a value if both are valid, or NULL with a report.
static const micai_type *check_value(mica_world *world, const char *call, const mica_value *values,
                                     uint32_t count, uint32_t i)
{
    const uint32_t place = count > 1 ? i : MICAI_NO_POSITION;
    // cppcheck-suppress ctunullpointer; values are NULL only if there are none to check
    const micai_type *type = micai_world_type_in(world, call, "value", place, values[i].type);
    bool good = type && !micai_world_check_value(world, call, type, &values[i]) &&
                (micai_hook_can_copy(type) || !check_unique(world, call, values, i, type));
    return good ? type : NULL;
}

// Changes

// Fails with MICA_ERROR_ARGUMENT if the call both sets and removes the type.
static mica_result check_removed(mica_world *world, const char *call, const micai_type *type,
                                 const mica_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i].type.bits == type->info.type.bits) {
            return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: '%s' is both set and removed",
                              call, type->info.name);
        }
    }
    return MICA_OK;
}

// If a list has two values of one type, the later one counts. If it has no data, earlier values of
// the type lose theirs: their commands, which begin at `first`, become plain additions.
static void drop_earlier_data(micai_buffer *buffer, uint32_t first, uint32_t count,
                              const micai_type *type)
{
    for (uint32_t i = 0; i < count; i++) {
        micai_command *command = micai_command_at(buffer, first + i);
        if (command->type == type && command->verb == MICAI_SET) {
            micai_command_destroy_value(buffer, command);
            micai_command_begin(command, command->entity, type, MICAI_ADD, true);
        }
    }
}

static mica_result record_change(mica_world *face, const char *call, mica_entity entity,
                                 const mica_value *values, uint32_t value_count,
                                 const mica_type *removed, uint32_t removed_count)
{
    micai_buffer *buffer = micai_buffer_of(face);
    mica_world *world = micai_buffer_world(buffer);
    const position before = position_of(buffer);
    bool has_data = false;
    micai_host_begin(&world->host, call);
    mica_result result = check_entity(buffer, call, entity);
    for (uint32_t i = 0; !result && i < value_count; i++) {
        const micai_type *type = check_value(world, call, values, value_count, i);
        result = type ? record_value(buffer, call, entity, type, values[i].data)
                      : micai_world_failed(world);
        if (!result && !values[i].data && has_data) {
            drop_earlier_data(buffer, before.count, i, type);
        }
        has_data = has_data || values[i].data;
    }
    for (uint32_t i = 0; !result && i < removed_count; i++) {
        const micai_type *type = micai_world_type_in(
            world, call, "type", removed_count > 1 ? i : MICAI_NO_POSITION, removed[i]);
        result = type ? check_removed(world, call, type, values, value_count) : MICA_ERROR_TYPE;
        result = result ? result : record_verb(buffer, call, MICAI_REMOVE, entity, type);
    }
    if (result) {
        for (uint32_t i = buffer->count - before.count; i-- > 0;) {
            if (i < value_count) {
                undo_command(buffer, micai_command_at(buffer, before.count + i), values[i].data);
            }
        }
        rewind_to(buffer, before);
    }
    micai_host_end(&world->host);
    return result;
}

// Returns true if a command for the entity needs no checks: no hook or handler runs,
// the entity is alive and the block has space.
static inline bool is_ready(const micai_buffer *buffer, mica_entity entity)
{
    const mica_world *world = micai_buffer_world(buffer);
    return !world->host.hook && !world->host.handler &&
           buffer->count >> MICAI_COMMAND_SHIFT < buffer->blocks.count &&
           micai_slots_find(&buffer->face.state->slots, entity);
}

// Returns the type for a fast recording of one component, or NULL if the fast path does not apply.
static inline const micai_type *find_recordable(const micai_buffer *buffer, mica_entity entity,
                                                mica_type type)
{
    return is_ready(buffer, entity) ? micai_registry_find(&buffer->face.state->registry, type)
                                    : NULL;
}

static inline void put_verb(micai_buffer *buffer, micai_verb verb, mica_entity entity,
                            const micai_type *type)
{
    micai_command *command = micai_command_at(buffer, buffer->count);
    micai_command_begin(command, entity, type, verb, true);
    count_command(buffer);
}

MICAI_COLD static mica_result record_set_any(mica_world *face, const char *call, mica_entity entity,
                                             mica_type type, const void *data, uint32_t size)
{
    const mica_value value = {type, data, size, 1, NULL};
    return record_change(face, call, entity, &value, 1, NULL, 0);
}

static mica_result record_set(mica_world *face, const char *call, mica_entity entity,
                              mica_type type, const void *data, uint32_t size)
{
    micai_buffer *buffer = micai_buffer_of(face);
    const micai_type *found = find_recordable(buffer, entity, type);
    if (found && data && size == found->info.size && size > 0 &&
        put_value(buffer, entity, found, data)) {
        return MICA_OK;
    }
    if (found && !data && size == 0 && !found->relation) {
        put_verb(buffer, MICAI_ADD, entity, found);
        return MICA_OK;
    }
    return record_set_any(face, call, entity, type, data, size);
}

MICAI_COLD static mica_result record_remove_any(mica_world *face, const char *call,
                                                mica_entity entity, mica_type type)
{
    return record_change(face, call, entity, NULL, 0, &type, 1);
}

static mica_result record_remove(mica_world *face, const char *call, mica_entity entity,
                                 mica_type type)
{
    micai_buffer *buffer = micai_buffer_of(face);
    const micai_type *found = find_recordable(buffer, entity, type);
    if (!found) {
        return record_remove_any(face, call, entity, type);
    }
    put_verb(buffer, MICAI_REMOVE, entity, found);
    return MICA_OK;
}

static mica_result record_toggle(mica_world *face, const char *call, mica_entity entity,
                                 mica_type type, bool off)
{
    micai_buffer *buffer = micai_buffer_of(face);
    mica_world *world = micai_buffer_world(buffer);
    mica_result result = check_entity(buffer, call, entity);
    const micai_type *found = result ? NULL : micai_world_type(world, call, type);
    if (!found) {
        return result ? result : MICA_ERROR_TYPE;
    }
    result = micai_value_check_toggle(world, call, found);
    return result ? result
                  : record_verb(buffer, call, off ? MICAI_DISABLE : MICAI_ENABLE, entity, found);
}

// Records a command whose data points to `size` bytes, which the caller fills in.
static void *record_bytes(micai_buffer *buffer, const char *call, micai_verb verb,
                          mica_entity entity, size_t size)
{
    mica_world *world = micai_buffer_world(buffer);
    micai_host_begin(&world->host, call);
    micai_command *command = next_command(buffer, call);
    void *bytes = command
                      ? micai_arena_alloc(&world->host, &buffer->arena, size, _Alignof(max_align_t))
                      : NULL;
    micai_host_end(&world->host);
    if (bytes) {
        micai_command_begin(command, entity, NULL, verb, false);
        command->data.pointer = bytes;
        count_command(buffer);
    }
    return bytes;
}

static mica_result record_name(mica_world *face, const char *call, mica_entity entity,
                               const char *name)
{
    micai_buffer *buffer = micai_buffer_of(face);
    mica_result result = check_entity(buffer, call, entity);
    if (result) {
        return result;
    }
    size_t size = name ? strlen(name) + 1 : 1;
    char *text = record_bytes(buffer, call, MICAI_NAME, entity, size);
    if (!text) {
        return MICA_ERROR_MEMORY;
    }
    memcpy(text, name ? name : "", size); // an empty text means no name
    return MICA_OK;
}

// Sending

// Records values of a type, or its default. The caller has checked them.
static mica_result record_sending(micai_buffer *buffer, const char *call, const micai_type *type,
                                  const mica_value *value, micai_send_fn *send)
{
    mica_world *world = micai_buffer_world(buffer);
    micai_command *command = next_command(buffer, call);
    micai_send_data *sending = command
                                   ? micai_arena_alloc(&world->host, &buffer->arena,
                                                       sizeof *sending, _Alignof(micai_send_data))
                                   : NULL;
    if (!sending) {
        return MICA_ERROR_MEMORY;
    }
    *sending = (micai_send_data){NULL, value->data && value->count > 1 ? value->count : 1, send};
    mica_result result = MICA_OK;
    if (value->data) {
        sending->values = micai_arena_alloc_array(&world->host, &buffer->arena, sending->count,
                                                  type->info.size, type->info.align);
        result = sending->values ? micai_hook_copy(&world->state->gate, type, sending->values,
                                                   value->data, sending->count)
                                 : MICA_ERROR_MEMORY;
    }
    if (!result) {
        micai_command_begin(command, (mica_entity){0}, type, MICAI_SEND, false);
        command->data.pointer = sending;
        count_command(buffer);
    }
    return result;
}

static mica_result record_send(mica_world *face, const char *call, const mica_value *values,
                               uint32_t count, micai_send_fn *send)
{
    micai_buffer *buffer = micai_buffer_of(face);
    mica_world *world = micai_buffer_world(buffer);
    const position before = position_of(buffer);
    mica_result result = MICA_OK;
    micai_host_begin(&world->host, call);
    for (uint32_t i = 0; !result && i < count; i++) {
        const micai_type *type = micai_registry_find(&world->state->registry, values[i].type);
        result = record_sending(buffer, call, type, &values[i], send);
    }
    if (result) {
        for (uint32_t i = buffer->count - before.count; i-- > 0;) {
            undo_command(buffer, micai_command_at(buffer, before.count + i), values[i].data);
        }
        rewind_to(buffer, before);
    }
    micai_host_end(&world->host);
    return result;
}

// Entities

// Reserves slots. In a wave, each batch of a system has its own, as many as the system declares.
static mica_result reserve_slots(mica_world *world, const char *call, uint32_t count)
{
    micai_slots *slots = &world->state->slots;
    if (!world->state->original || micai_slots_are_ready(slots, count)) {
        return micai_slots_reserve(&world->host, slots, count);
    }
    return micai_fail(&world->host, MICA_ERROR_LIMIT,
                      "%s: system '%.80s' runs beside others, and has too few slots left; .spawns "
                      "says how many entities a batch creates at most",
                      call, world->host.system ? world->host.system : "");
}

// Records a command that creates an entity, with a new pending slot.
static mica_result record_pending(micai_buffer *buffer, const char *call, micai_verb verb,
                                  mica_entity *entity_out)
{
    mica_world *world = micai_buffer_world(buffer);
    micai_command *command = next_command(buffer, call);
    mica_result result = command ? reserve_slots(world, call, 1) : MICA_ERROR_MEMORY;
    if (result) {
        return result;
    }
    *entity_out = micai_slots_pend(&world->state->slots);
    micai_command_begin(command, *entity_out, NULL, verb, false);
    command->data.value_count = 0;
    count_command(buffer);
    return MICA_OK;
}

// Entities to record: the same values, or bundle, for each of `count` entities.
typedef struct spawn_request {
    const char *call;
    const micai_facet_data *facet; // NULL: no facet
    const micai_bundle *bundle;    // NULL: of values
    const mica_value *values;      // NULL: defaults of the bundle's types
    uint32_t value_count;
    uint32_t count;
} spawn_request;

static const void *data_for(const spawn_request *request, uint32_t value, uint32_t number)
{
    const unsigned char *data = request->values ? request->values[value].data : NULL;
    return data ? data + (size_t)number * request->values[value].size : NULL;
}

// Records the command that creates an entity, without its values.
static mica_result record_head(micai_buffer *buffer, const spawn_request *request,
                               mica_entity *entity_out)
{
    if (!request->facet) {
        return record_pending(buffer, request->call, MICAI_SPAWN, entity_out);
    }
    micai_host *host = &micai_buffer_world(buffer)->host;
    micai_facet_data *facet =
        micai_arena_alloc(host, &buffer->arena, sizeof *facet, _Alignof(micai_facet_data));
    mica_result result =
        facet ? record_pending(buffer, request->call, MICAI_EXTEND, entity_out) : MICA_ERROR_MEMORY;
    if (!result) {
        *facet = *request->facet;
        micai_command_at(buffer, buffer->count - 1)->data.pointer = facet;
    }
    return result;
}

// Adds one to the value count of a command that creates an entity.
static void count_value(micai_command *command)
{
    if (command->verb == MICAI_SPAWN) {
        command->data.value_count++;
    } else {
        ((micai_facet_data *)command->data.pointer)->value_count++;
    }
}

static mica_result record_entity(micai_buffer *buffer, const spawn_request *request,
                                 uint32_t number, mica_entity *entity_out)
{
    mica_world *world = micai_buffer_world(buffer);
    uint32_t place = buffer->count;
    uint32_t value_count = request->values   ? request->value_count
                           : request->bundle ? request->bundle->count
                                             : 0;
    bool plain = true;
    mica_result result = record_head(buffer, request, entity_out);
    for (uint32_t i = 0; !result && i < value_count; i++) {
        const micai_type *type =
            request->bundle ? request->bundle->types[i]
                            : micai_registry_find(&world->state->registry, request->values[i].type);
        result = record_value(buffer, request->call, (mica_entity){0}, type,
                              data_for(request, i, number));
        if (!result) {
            plain = plain && micai_command_at(buffer, buffer->count - 1)->plain;
            count_value(micai_command_at(buffer, place));
        }
    }
    if (!result) {
        micai_command_at(buffer, place)->plain = plain && !request->facet;
    }
    return result;
}

// Undoes the recorded entities, the last one first.
static void undo_request(micai_buffer *buffer, position before, const spawn_request *request)
{
    uint32_t place = before.count;
    uint32_t number = 0;
    while (place < buffer->count) { // forwards first, to count the entities
        place += 1 + micai_command_value_count(micai_command_at(buffer, place));
        number++;
    }
    while (number-- > 0) {
        uint32_t value_count = 0;
        while (!micai_command_creates_entity(micai_command_at(buffer, buffer->count - 1))) {
            value_count++;
            buffer->count--;
        }
        for (uint32_t i = value_count; i-- > 0;) {
            undo_command(buffer, micai_command_at(buffer, buffer->count + i),
                         data_for(request, i, number));
        }
        undo_command(buffer, micai_command_at(buffer, --buffer->count), NULL);
    }
    rewind_to(buffer, before);
}

// Checks the values for one entity. The values of a bundle were checked by the caller, except for
// types that cannot be copied.
static mica_result check_request(mica_world *world, const spawn_request *request)
{
    mica_result result = micai_world_guard_edit(world, request->call);
    for (uint32_t i = 0; !result && request->count == 1 && i < request->value_count; i++) {
        bool good =
            check_value(world, request->call, request->values, request->value_count, i) != NULL;
        result = good ? MICA_OK : micai_world_failed(world);
    }
    return result;
}

// Records one value of a new entity if it is valid and bytes only. Otherwise returns false.
static inline bool put_spawn_value(micai_buffer *buffer, const mica_value *value)
{
    const micai_type *type = micai_registry_find(&buffer->face.state->registry, value->type);
    if (!type || buffer->count >> MICAI_COMMAND_SHIFT >= buffer->blocks.count) {
        return false;
    }
    if (!value->data && value->size == 0) {
        put_verb(buffer, MICAI_ADD, (mica_entity){0}, type);
        return true;
    }
    return value->data && value->size == type->info.size && value->size > 0 && value->count == 1 &&
           put_value(buffer, (mica_entity){0}, type, value->data);
}

// Returns true if an entity can be recorded without allocating.
static inline bool is_ready_to_spawn(const micai_buffer *buffer)
{
    const mica_world *world = micai_buffer_world(buffer);
    return !world->host.hook && !world->host.handler &&
           micai_slots_are_ready(&world->state->slots, 1) &&
           buffer->count >> MICAI_COMMAND_SHIFT < buffer->blocks.count;
}

// Fills in a spawn command whose values are already recorded behind it.
static inline mica_entity put_spawn(micai_buffer *buffer, micai_command *command,
                                    uint32_t value_count)
{
    mica_entity entity = micai_slots_pend(&buffer->face.state->slots);
    micai_command_begin(command, entity, NULL, MICAI_SPAWN, true);
    command->data.value_count = value_count;
    return entity;
}

// The fast path: records an entity with any values that are bytes only. Otherwise returns false and
// records nothing; memory taken from the arena comes back when the buffer is empty.
static bool put_entity(micai_buffer *buffer, const mica_value *values, uint32_t count,
                       mica_entity *entity_out)
{
    if (!is_ready_to_spawn(buffer)) {
        return false;
    }
    const position before = position_of(buffer);
    micai_command *command = micai_command_at(buffer, buffer->count);
    count_command(buffer);
    for (uint32_t i = 0; i < count; i++) {
        if (!put_spawn_value(buffer, &values[i])) {
            rewind_to(buffer, before);
            return false;
        }
    }
    *entity_out = put_spawn(buffer, command, count);
    return true;
}

// Records all entities or none.
static mica_result record_request(micai_buffer *buffer, const spawn_request *request,
                                  mica_entity *entities_out)
{
    mica_world *world = micai_buffer_world(buffer);
    const position before = position_of(buffer);
    mica_result result = check_request(world, request);
    if (result) {
        return result;
    }
    micai_host_begin(&world->host, request->call);
    result = reserve_slots(world, request->call, request->count);
    for (uint32_t i = 0; !result && i < request->count; i++) {
        mica_entity entity;
        result = record_entity(buffer, request, i, &entity);
        if (!result && entities_out) {
            entities_out[i] = entity;
        }
    }
    if (result) {
        undo_request(buffer, before, request);
    }
    micai_host_end(&world->host);
    return result;
}

static mica_result record_spawn(mica_world *face, const char *call, const micai_bundle *bundle,
                                const mica_value *values, uint32_t value_count, uint32_t count,
                                mica_entity *entities_out)
{
    micai_buffer *buffer = micai_buffer_of(face);
    if (!bundle && count == 1 && put_entity(buffer, values, value_count, entities_out)) {
        return MICA_OK;
    }
    const spawn_request request = {.call = call,
                                   .bundle = bundle,
                                   .values = values,
                                   .value_count = value_count,
                                   .count = count};
    return record_request(buffer, &request, entities_out);
}

// Replay checks whether the owner already has such a facet.
static mica_entity record_extend(mica_world *face, const char *call, mica_entity owner,
                                 mica_type component, uint32_t role, const mica_value *values,
                                 uint32_t value_count)
{
    micai_buffer *buffer = micai_buffer_of(face);
    mica_world *world = micai_buffer_world(buffer);
    micai_facet_data facet = {.owner = owner, .component = MICAI_FACET_NONE, .role = role};
    const spawn_request request = {
        .call = call, .facet = &facet, .values = values, .value_count = value_count, .count = 1};
    mica_result result = check_entity(buffer, call, owner);
    if (!result && !MICA_IS_NONE(component)) {
        const micai_type *type = micai_world_type(world, call, component);
        result = type ? MICA_OK : MICA_ERROR_TYPE;
        facet.component = type ? type->number : MICAI_FACET_NONE;
    }
    result = result ? result : micai_facets_check(world, call, owner, facet.component, role);
    mica_entity entity;
    result = result ? result : record_request(buffer, &request, &entity);
    return result ? (mica_entity){0} : entity;
}

static mica_entity record_clone(mica_world *face, const char *call, mica_entity entity)
{
    micai_buffer *buffer = micai_buffer_of(face);
    mica_world *world = micai_buffer_world(buffer);
    mica_entity clone = (mica_entity){0};
    if (check_entity(buffer, call, entity) == MICA_OK) {
        micai_host_begin(&world->host, call);
        if (record_pending(buffer, call, MICAI_CLONE, &clone) == MICA_OK) {
            micai_command_at(buffer, buffer->count - 1)->data.source = entity;
        }
        micai_host_end(&world->host);
    }
    return clone;
}

static mica_result record_despawn(mica_world *face, const char *call, const mica_entity *entities,
                                  uint32_t count)
{
    micai_buffer *buffer = micai_buffer_of(face);
    if (count == 1 && is_ready(buffer, *entities)) {
        put_verb(buffer, MICAI_DESPAWN, *entities, NULL);
        return MICA_OK;
    }
    micai_host *host = &micai_buffer_world(buffer)->host;
    const position before = position_of(buffer);
    mica_result result = MICA_OK;
    micai_host_begin(host, call);
    for (uint32_t i = 0; !result && i < count; i++) {
        result = check_entity(buffer, call, entities[i]);
    }
    for (uint32_t i = 0; !result && i < count; i++) {
        result = record_verb(buffer, call, MICAI_DESPAWN, entities[i], NULL);
    }
    if (result) {
        rewind_to(buffer, before);
    }
    micai_host_end(host);
    return result;
}

static mica_result record_link(mica_world *face, const char *call, const micai_type *type,
                               micai_link_verb verb, mica_entity source, mica_entity other)
{
    micai_buffer *buffer = micai_buffer_of(face);
    mica_result result = check_entity(buffer, call, source);
    if (!result && !(verb == MICAI_LINK_GONE && MICA_IS_NONE(other))) {
        result = check_entity(buffer, call, other);
    }
    return result ? result : record_link_of(buffer, call, type, verb, source, other);
}

micai_recorder micai_recorder_make(mica_world *world)
{
    return (micai_recorder){.world = world,
                            .set = record_set,
                            .remove = record_remove,
                            .change = record_change,
                            .toggle = record_toggle,
                            .name = record_name,
                            .spawn = record_spawn,
                            .clone = record_clone,
                            .extend = record_extend,
                            .send = record_send,
                            .link = record_link,
                            .despawn = record_despawn};
}

mica_world *mica_later(const mica_iter *it)
{
    static const char call[] = "mica_later";
    if (!micai_iter_is_open(it)) {
        micai_iter_refuse(it, call);
        return NULL;
    }
    const micai_commands *commands = micai_commands_of(it->world);
    return MICAI_LIKELY(commands && commands->later) ? &commands->later->face
                                                     : micai_commands_later(it->world, call);
}

// Calls

mica_result mica_defer_call(mica_world *world, mica_call_fn *function, const void *data,
                            size_t size)
{
    static const char call[] = "mica_defer_call";
    if (!world || !function || (!data && size > 0)) {
        return micai_fail_null(micai_world_host(world), call,
                               !world      ? "world"
                               : !function ? "function"
                                           : "data");
    }
    if (!world->recorder) {
        mica_result result = micai_world_guard_change(world, call);
        if (!result) {
            function(world, data);
        }
        return result;
    }
    micai_buffer *buffer = micai_buffer_of(world);
    mica_result result = micai_world_guard_edit(micai_buffer_world(buffer), call);
    if (result) {
        return result;
    }
    if (buffer->held) {
        return micai_fail(&world->host, MICA_ERROR_RECORDING,
                          "%s: refused for %s: a function cannot be written", call, buffer->held);
    }
    if (size > SIZE_MAX / 2) {
        return micai_fail(&world->host, MICA_ERROR_MEMORY,
                          "%s: %llu bytes are more than memory can hold", call,
                          (unsigned long long)size);
    }
    micai_call_data *calling =
        record_bytes(buffer, call, MICAI_CALL, (mica_entity){0}, MICAI_CALL_DATA_SIZE + size);
    if (!calling) {
        return MICA_ERROR_MEMORY;
    }
    *calling = (micai_call_data){function, size};
    if (size > 0) {
        memcpy((unsigned char *)calling + MICAI_CALL_DATA_SIZE, data, size);
    }
    return MICA_OK;
}
