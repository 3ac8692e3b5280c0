// The types of a tape, and the input of a step, which is recorded into a buffer again.
#include "tape/play_internal.h"

#include <mica/event.h>

#include <float.h>
#include <string.h>

#include "base/canary.h"

// Types

static mica_result read_type(micai_player *p, micai_unpacker *from)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    bool named = micai_unpack_text(from, name);
    uint64_t layout = micai_unpack_fixed(from, 4);
    if (!named || from->failed) {
        return micai_tape_fail_damaged(p, "a type has no name");
    }
    const micai_type *type = micai_registry_find_name(p->types.registry, name);
    if (!type) {
        return micai_fail(p->host, MICA_ERROR_SCHEMA, "%s: '%.80s' is unknown here", p->call, name);
    }
    micai_tape_type *one = micai_tape_types_open(&p->types, type);
    if (!one || !micai_tape_types_add(&p->types, one)) {
        return MICA_ERROR_MEMORY;
    }
    return layout == (one->leaves.layout & UINT32_MAX)
               ? MICA_OK
               : micai_fail(p->host, MICA_ERROR_SCHEMA,
                            "%s: '%.80s' is described differently here: its fields, or its default",
                            p->call, name);
}

mica_result micai_tape_read_types(micai_player *p)
{
    micai_unpacker from = micai_tape_unpack(p);
    mica_result result = MICA_OK;
    micai_host_begin(p->host, p->call);
    while (!result && micai_unpack_left(&from) > 0) {
        result = read_type(p, &from);
    }
    micai_host_end(p->host);
    return result;
}

// Input

static mica_entity read_entity(micai_unpacker *from)
{
    uint64_t slot = micai_unpack_32(from);
    uint64_t tag = micai_unpack_32(from);
    return (mica_entity){tag << 32 | slot};
}

static const micai_tape_type *type_at(const micai_player *p, micai_unpacker *from, uint64_t number)
{
    from->failed = from->failed || number >= p->types.list.count;
    return from->failed ? NULL : p->types.list.items[number];
}

// Reads the leaves of a value into `value`.
static void read_leaves(const micai_tape_type *one, micai_unpacker *from, unsigned char *value)
{
    const unsigned char *mask = micai_unpack_bytes(from, one->leaves.mask_size);
    micai_leaves_begin(one->type, value);
    if (mask) {
        micai_leaves_read(&one->leaves, mask, from, value);
    }
}

// Reads values of a type, which has a size. Each of them takes a byte at least.
static mica_result read_values(micai_player *p, micai_unpacker *from, const micai_tape_type *one,
                               uint64_t count, unsigned char **values_out)
{
    const mica_type_info *info = &one->type->info;
    mica_result result = micai_tape_types_check(&p->types, p->call, MICA_ERROR_SCHEMA, one->type);
    if (result) {
        return result;
    }
    if (info->size == 0 || count > micai_unpack_left(from)) {
        return micai_tape_fail_damaged(p, "a value is none of its type");
    }
    unsigned char *values =
        micai_arena_alloc_array(p->host, &p->arena, (size_t)count, info->size, info->align);
    if (!values) {
        return MICA_ERROR_MEMORY;
    }
    for (uint64_t i = 0; i < count && !from->failed; i++) {
        read_leaves(one, from, values + (size_t)i * info->size);
    }
    *values_out = values;
    return from->failed ? micai_tape_fail_damaged(p, "a value is none of its type") : MICA_OK;
}

static mica_result read_value(micai_player *p, micai_unpacker *from, mica_value *value_out)
{
    uint64_t code = micai_unpack_number(from);
    const micai_tape_type *one = type_at(p, from, code >> 1);
    if (!one) {
        return micai_tape_fail_damaged(p, "a value has no type");
    }
    *value_out = (mica_value){.type = one->type->info.type};
    if ((code & 1) == 0) {
        return MICA_OK;
    }
    unsigned char *data = NULL;
    mica_result result = read_values(p, from, one, 1, &data);
    value_out->data = data;
    value_out->size = one->type->info.size;
    value_out->count = 1;
    return result;
}

// Reads a list of values into `values`.
static mica_result read_list(micai_player *p, micai_unpacker *from)
{
    uint32_t count = micai_unpack_32(from);
    p->values.count = 0;
    if (count > micai_unpack_left(from)) {
        return micai_tape_fail_damaged(p, "a list is too long");
    }
    mica_result result =
        micai_array_reserve(p->host, &p->values, count) ? MICA_OK : MICA_ERROR_MEMORY;
    for (; !result && p->values.count < count; p->values.count++) {
        result = read_value(p, from, &p->values.items[p->values.count]);
    }
    return result;
}

// Ends a call of the recorder, in a try. What was recorded in an equal world cannot be refused.
static mica_result end_call(const micai_player *p, mica_result result)
{
    bool refused = result && result != MICA_ERROR_MEMORY;
    micai_host_end_try(p->host, refused);
    return refused
               ? micai_tape_fail_desync(p, "its input is refused here, as the world is another one")
               : result;
}

// The same for a call that creates an entity.
static mica_result end_new(const micai_player *p, mica_entity entity, mica_entity made)
{
    bool none = MICA_IS_NONE(made);
    mica_result result = end_call(p, none ? micai_world_failed(p->world) : MICA_OK);
    return result || MICA_EQUAL(entity, made)
               ? result
               : micai_tape_fail_desync(p, "a new entity has another handle here");
}

static mica_result read_toggle(micai_player *p, micai_unpacker *from, micai_tape_verb verb,
                               mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    const micai_tape_type *one = type_at(p, from, micai_unpack_number(from));
    if (!one) {
        return micai_tape_fail_damaged(p, "a command has no type");
    }
    mica_type type = one->type->info.type;
    micai_host_begin_try(p->host);
    return end_call(
        p, verb == MICAI_TAPE_REMOVE
               ? face->recorder->remove(face, p->call, entity, type)
               : face->recorder->toggle(face, p->call, entity, type, verb == MICAI_TAPE_DISABLE));
}

static mica_result read_set(micai_player *p, micai_unpacker *from, mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    mica_value value;
    mica_result result = read_value(p, from, &value);
    if (result) {
        return result;
    }
    micai_host_begin_try(p->host);
    return end_call(p,
                    face->recorder->set(face, p->call, entity, value.type, value.data, value.size));
}

static mica_result read_spawn(micai_player *p, micai_unpacker *from, mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    mica_result result = read_list(p, from);
    if (result) {
        return result;
    }
    mica_entity made = {0};
    micai_host_begin_try(p->host);
    result = face->recorder->spawn(face, p->call, NULL, p->values.items, p->values.count, 1, &made);
    return end_new(p, entity, result ? (mica_entity){0} : made);
}

static mica_result read_facet(micai_player *p, micai_unpacker *from, mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    mica_entity owner = read_entity(from);
    uint64_t key = micai_unpack_number(from);
    uint32_t role = micai_unpack_32(from);
    const micai_tape_type *one = key > 0 ? type_at(p, from, key - 1) : NULL;
    mica_result result =
        key > 0 && !one ? micai_tape_fail_damaged(p, "a facet has no key") : read_list(p, from);
    if (result) {
        return result;
    }
    mica_type component = one ? one->type->info.type : (mica_type){0};
    micai_host_begin_try(p->host);
    return end_new(p, entity,
                   face->recorder->extend(face, p->call, owner, component, role, p->values.items,
                                          p->values.count));
}

static mica_result read_clone(micai_player *p, micai_unpacker *from, mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    mica_entity source = read_entity(from);
    micai_host_begin_try(p->host);
    return end_new(p, entity, face->recorder->clone(face, p->call, source));
}

static mica_result read_name(micai_player *p, micai_unpacker *from, mica_entity entity)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    if (!micai_unpack_text(from, name)) {
        return micai_tape_fail_damaged(p, "a name is none");
    }
    micai_host_begin_try(p->host);
    return end_call(p, mica_entity_set_name(micai_buffer_face(p->buffer), entity,
                                            name[0] != '\0' ? name : NULL));
}

static mica_result read_link(micai_player *p, micai_unpacker *from, micai_tape_verb verb,
                             mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    const micai_tape_type *one = type_at(p, from, micai_unpack_number(from));
    mica_entity other = read_entity(from);
    if (!one || !one->type->relation) {
        return micai_tape_fail_damaged(p, "a link has no relation");
    }
    micai_host_begin_try(p->host);
    return end_call(p,
                    face->recorder->link(face, p->call, one->type,
                                         (micai_link_verb)(verb - MICAI_TAPE_LINK), entity, other));
}

static mica_result read_send(micai_player *p, micai_unpacker *from)
{
    uint64_t code = micai_unpack_number(from);
    const micai_tape_type *one = type_at(p, from, micai_unpack_number(from));
    if (!one || code > UINT32_MAX) {
        return micai_tape_fail_damaged(p, "events have no type");
    }
    mica_value value = {.type = one->type->info.type};
    if (code > 1) {
        unsigned char *values = NULL;
        mica_result result = read_values(p, from, one, code - 1, &values);
        if (result) {
            return result;
        }
        value.data = values;
        value.size = one->type->info.size;
        value.count = (uint32_t)(code - 1);
    } else if (code == 1) {
        return micai_tape_fail_damaged(p, "no events are sent");
    }
    micai_host_begin_try(p->host);
    return end_call(p, mica_send_values(micai_buffer_face(p->buffer), &value, 1));
}

static mica_result read_command(micai_player *p, micai_unpacker *from)
{
    uint32_t code = (uint32_t)micai_unpack_fixed(from, 1);
    micai_tape_verb verb = (micai_tape_verb)(code & ~(uint32_t)MICAI_TAPE_SAME);
    if (verb == MICAI_TAPE_SEND) {
        return read_send(p, from);
    }
    if ((code & MICAI_TAPE_SAME) == 0) {
        p->last = read_entity(from);
    }
    mica_world *face = micai_buffer_face(p->buffer);
    mica_entity entity = p->last;
    switch (verb) {
    case MICAI_TAPE_SET: return read_set(p, from, entity);
    case MICAI_TAPE_REMOVE:
    case MICAI_TAPE_ENABLE:
    case MICAI_TAPE_DISABLE: return read_toggle(p, from, verb, entity);
    case MICAI_TAPE_DESPAWN:
        micai_host_begin_try(p->host);
        return end_call(p, face->recorder->despawn(face, p->call, &entity, 1));
    case MICAI_TAPE_SPAWN: return read_spawn(p, from, entity);
    case MICAI_TAPE_FACET: return read_facet(p, from, entity);
    case MICAI_TAPE_CLONE: return read_clone(p, from, entity);
    case MICAI_TAPE_NAME: return read_name(p, from, entity);
    case MICAI_TAPE_LINK:
    case MICAI_TAPE_LINK_BEFORE:
    case MICAI_TAPE_UNLINK: return read_link(p, from, verb, entity);
    default: return micai_tape_fail_damaged(p, "a command is unknown");
    }
}

mica_result micai_tape_read_time(micai_player *p, micai_unpacker *from)
{
    uint64_t flags = micai_unpack_fixed(from, 1);
    if ((flags & MICAI_TAPE_TIMED) != 0) {
        uint64_t bits = micai_unpack_fixed(from, 8);
        memcpy(&p->dt, &bits, sizeof p->dt);
    }
    bool right =
        !from->failed && flags <= MICAI_TAPE_TIMED && p->dt >= 0 && p->dt <= (double)FLT_MAX;
    return right ? MICA_OK : micai_tape_fail_damaged(p, "a step has no time");
}

static mica_result read_input(micai_player *p)
{
    micai_unpacker from = micai_tape_unpack(p);
    p->last = (mica_entity){0};
    mica_result result = micai_tape_read_time(p, &from);
    while (!result && micai_unpack_left(&from) > 0) {
        result = read_command(p, &from);
        if (!result && from.failed) {
            result = micai_tape_fail_damaged(p, "a command ends in the middle");
        }
    }
    micai_arena_reset(&p->arena);
    return result;
}

// The memory that reading the input of a step may use: a base, and an amount for each byte.
#define MEMORY_BASE (UINT64_C(64) << 20)
#define MEMORY_EACH UINT64_C(256)

mica_result micai_tape_read_input(micai_player *p)
{
    micai_host_begin(p->host, p->call);
    micai_memory_limit(p->host, MEMORY_BASE + MEMORY_EACH * p->content.bytes.count,
                       "the input of a step needs more memory than its size accounts for");
    mica_result result = micai_memory_remove_limit(p->host, read_input(p));
    if (result && !MICAI_CANARY("tape.take_back")) {
        micai_buffer_take_back(p->buffer);
    }
    micai_host_end(p->host);
    return result;
}
