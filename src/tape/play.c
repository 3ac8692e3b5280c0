// Playing: each step's input is recorded into a buffer again, applied, and the step is run.
//
// A world that plays has a module, so that nothing leaks if a step is left by longjmp() or an exception.
#include <mica/event.h>
#include <mica/system.h>

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/canary.h"
#include "base/stream.h"
#include "command/buffer.h"
#include "tape/tape_internal.h"

enum { CHUNK = 1 << 16 };

typedef struct player {
    mica_world *world;
    micai_host *host;
    const char *call;
    micai_buffer *buffer;
    mica_stream stream; // the caller's
    micai_input input;
    uint64_t sum;         // of all records
    micai_tape_kind kind; // of the record that was read
    micai_packer content; // its content
    const char *damage;   // why reading the next record has failed with MICA_ERROR_IMAGE
    uint64_t position;    // steps before that record
    uint64_t first;       // the step to begin with
    uint64_t count;       // steps to play
    uint64_t played;
    bool done;
    bool running; // the frame of a step has not ended
    double dt;    // of the last step
    micai_tape_types types;
    micai_arena arena; // for the values of a step
    MICAI_ARRAY(mica_value) values;
    mica_entity last; // the entity of the command before
} player;

static mica_result fail_damaged(const player *p, const char *what)
{
    return micai_fail(p->host, MICA_ERROR_IMAGE,
                      "%s: the tape is damaged after step %" PRIu64 ": %s", p->call, p->position,
                      what);
}

static mica_result fail_desync(const player *p, const char *what)
{
    return micai_fail(p->host, MICA_ERROR_DESYNC, "%s: step %" PRIu64 " of the tape: %s", p->call,
                      p->position + 1, what);
}

// Records

static mica_result note_damage(player *p, const char *what)
{
    p->damage = what;
    return p->input.failed ? p->input.failed : MICA_ERROR_IMAGE;
}

static mica_result read_size(player *p, uint64_t *size_out)
{
    unsigned char byte = 0x80;
    *size_out = 0;
    for (uint32_t shift = 0; (byte & 0x80) != 0; shift += 7) {
        if (micai_input_read(&p->input, &byte, 1) == 0) {
            return note_damage(p, "it has no end");
        }
        if (shift > 28) {
            return note_damage(p, "a step is too long");
        }
        *size_out |= (uint64_t)(byte & 0x7f) << shift;
    }
    return MICA_OK;
}

static mica_result read_content(player *p, uint64_t size)
{
    p->content.bytes.count = 0;
    while (size > 0) {
        size_t some = size < CHUNK ? (size_t)size : CHUNK;
        unsigned char *space = micai_pack_space(&p->content, some);
        if (!space) {
            p->content.failed = false;
            return MICA_ERROR_MEMORY;
        }
        if (micai_input_read(&p->input, space, some) < some) {
            return note_damage(p, "it has no end");
        }
        size -= some;
    }
    return MICA_OK;
}

// Reads the next record. MICA_ERROR_IMAGE is not reported yet.
static mica_result read_record(player *p)
{
    uint64_t size;
    unsigned char kind;
    unsigned char sum[MICAI_TAPE_SUM_SIZE];
    mica_result result = read_size(p, &size);
    if (!result && micai_input_read(&p->input, &kind, 1) == 0) {
        result = note_damage(p, "it has no end");
    }
    result = result ? result : read_content(p, size);
    if (!result && micai_input_read(&p->input, sum, sizeof sum) < sizeof sum) {
        result = note_damage(p, "it has no end");
    }
    if (!result) {
        p->kind = (micai_tape_kind)kind;
        p->sum = micai_tape_sum(p->sum, p->kind, p->content.bytes.items, p->content.bytes.count);
        if (kind >= MICAI_TAPE_KINDS ||
            micai_get_little(sum, sizeof sum) != (p->sum & UINT16_MAX)) {
            result = note_damage(p, "a sum differs");
        }
    }
    return result;
}

static mica_result take_record(player *p)
{
    micai_host_begin(p->host, p->call);
    mica_result result = read_record(p);
    micai_host_end(p->host);
    return result;
}

static mica_result next(player *p)
{
    mica_result result = take_record(p);
    return result == MICA_ERROR_IMAGE ? fail_damaged(p, p->damage) : result;
}

static micai_unpacker unpack(const player *p)
{
    static const unsigned char none[1];
    const unsigned char *begin = p->content.bytes.items ? p->content.bytes.items : none;
    return (micai_unpacker){begin, begin + p->content.bytes.count, false};
}

// Types

static mica_result read_type(player *p, micai_unpacker *from)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    bool named = micai_unpack_text(from, name);
    uint64_t layout = micai_unpack_fixed(from, 4);
    if (!named || from->failed) {
        return fail_damaged(p, "a type has no name");
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

static mica_result read_types(player *p)
{
    micai_unpacker from = unpack(p);
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

static const micai_tape_type *type_at(const player *p, micai_unpacker *from, uint64_t number)
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
static mica_result read_values(player *p, micai_unpacker *from, const micai_tape_type *one,
                               uint64_t count, unsigned char **values_out)
{
    const mica_type_info *info = &one->type->info;
    mica_result result = micai_tape_types_check(&p->types, p->call, MICA_ERROR_SCHEMA, one->type);
    if (result) {
        return result;
    }
    if (info->size == 0 || count > micai_unpack_left(from)) {
        return fail_damaged(p, "a value is none of its type");
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
    return from->failed ? fail_damaged(p, "a value is none of its type") : MICA_OK;
}

static mica_result read_value(player *p, micai_unpacker *from, mica_value *value_out)
{
    uint64_t code = micai_unpack_number(from);
    const micai_tape_type *one = type_at(p, from, code >> 1);
    if (!one) {
        return fail_damaged(p, "a value has no type");
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
static mica_result read_list(player *p, micai_unpacker *from)
{
    uint32_t count = micai_unpack_32(from);
    p->values.count = 0;
    if (count > micai_unpack_left(from)) {
        return fail_damaged(p, "a list is too long");
    }
    mica_result result =
        micai_array_reserve(p->host, &p->values, count) ? MICA_OK : MICA_ERROR_MEMORY;
    for (; !result && p->values.count < count; p->values.count++) {
        result = read_value(p, from, &p->values.items[p->values.count]);
    }
    return result;
}

// Ends a call of the recorder, in a try. What was recorded in an equal world cannot be refused.
static mica_result end_call(const player *p, mica_result result)
{
    bool refused = result && result != MICA_ERROR_MEMORY;
    micai_host_end_try(p->host, refused);
    return refused ? fail_desync(p, "its input is refused here, as the world is another one")
                   : result;
}

// The same for a call that creates an entity.
static mica_result end_new(const player *p, mica_entity entity, mica_entity made)
{
    bool none = MICA_IS_NONE(made);
    mica_result result = end_call(p, none ? micai_world_failed(p->world) : MICA_OK);
    return result || MICA_EQUAL(entity, made)
               ? result
               : fail_desync(p, "a new entity has another handle here");
}

static mica_result read_toggle(player *p, micai_unpacker *from, micai_tape_verb verb,
                               mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    const micai_tape_type *one = type_at(p, from, micai_unpack_number(from));
    if (!one) {
        return fail_damaged(p, "a command has no type");
    }
    mica_type type = one->type->info.type;
    micai_host_begin_try(p->host);
    return end_call(
        p, verb == MICAI_TAPE_REMOVE
               ? face->recorder->remove(face, p->call, entity, type)
               : face->recorder->toggle(face, p->call, entity, type, verb == MICAI_TAPE_DISABLE));
}

static mica_result read_set(player *p, micai_unpacker *from, mica_entity entity)
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

static mica_result read_spawn(player *p, micai_unpacker *from, mica_entity entity)
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

static mica_result read_facet(player *p, micai_unpacker *from, mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    mica_entity owner = read_entity(from);
    uint64_t key = micai_unpack_number(from);
    uint32_t role = micai_unpack_32(from);
    const micai_tape_type *one = key > 0 ? type_at(p, from, key - 1) : NULL;
    mica_result result =
        key > 0 && !one ? fail_damaged(p, "a facet has no key") : read_list(p, from);
    if (result) {
        return result;
    }
    mica_type component = one ? one->type->info.type : (mica_type){0};
    micai_host_begin_try(p->host);
    return end_new(p, entity,
                   face->recorder->extend(face, p->call, owner, component, role, p->values.items,
                                          p->values.count));
}

static mica_result read_clone(player *p, micai_unpacker *from, mica_entity entity)
{
    mica_world *face = micai_buffer_face(p->buffer);
    mica_entity source = read_entity(from);
    micai_host_begin_try(p->host);
    return end_new(p, entity, face->recorder->clone(face, p->call, source));
}

static mica_result read_name(player *p, micai_unpacker *from, mica_entity entity)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    if (!micai_unpack_text(from, name)) {
        return fail_damaged(p, "a name is none");
    }
    micai_host_begin_try(p->host);
    return end_call(p, mica_entity_set_name(micai_buffer_face(p->buffer), entity,
                                            name[0] != '\0' ? name : NULL));
}

static mica_result read_send(player *p, micai_unpacker *from)
{
    uint64_t code = micai_unpack_number(from);
    const micai_tape_type *one = type_at(p, from, micai_unpack_number(from));
    if (!one || code > UINT32_MAX) {
        return fail_damaged(p, "events have no type");
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
        return fail_damaged(p, "no events are sent");
    }
    micai_host_begin_try(p->host);
    return end_call(p, mica_send_values(micai_buffer_face(p->buffer), &value, 1));
}

static mica_result read_command(player *p, micai_unpacker *from)
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
    default: return fail_damaged(p, "a command is unknown");
    }
}

// Reads the flags and `dt` of a step.
static mica_result read_time(player *p, micai_unpacker *from)
{
    uint64_t flags = micai_unpack_fixed(from, 1);
    if ((flags & MICAI_TAPE_TIMED) != 0) {
        uint64_t bits = micai_unpack_fixed(from, 8);
        memcpy(&p->dt, &bits, sizeof p->dt);
    }
    bool right =
        !from->failed && flags <= MICAI_TAPE_TIMED && p->dt >= 0 && p->dt <= (double)FLT_MAX;
    return right ? MICA_OK : fail_damaged(p, "a step has no time");
}

static mica_result read_input(player *p)
{
    micai_unpacker from = unpack(p);
    p->last = (mica_entity){0};
    mica_result result = read_time(p, &from);
    while (!result && micai_unpack_left(&from) > 0) {
        result = read_command(p, &from);
        if (!result && from.failed) {
            result = fail_damaged(p, "a command ends in the middle");
        }
    }
    micai_arena_reset(&p->arena);
    return result;
}

// The memory that reading the input of a step may use: a base, and an amount for each byte.
#define MEMORY_BASE (UINT64_C(64) << 20)
#define MEMORY_EACH UINT64_C(256)

static mica_result read_limited(player *p)
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

// Steps

static bool is_playing(const mica_world *world, const player *p)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_TAPE];
    return module->data == p && !module->begin_step;
}

static void end_frame(mica_world *world, void *data)
{
    player *p = data;
    (void)world;
    p->running = false;
}

// Ends a step. `result` is that of the step here. A step fails if its frame does not end.
static mica_result end_step(player *p, mica_result result)
{
    mica_result read = take_record(p);
    bool failed = !read && p->kind == MICAI_TAPE_FAILED;
    if (result == MICA_ERROR_MEMORY || (p->running && !failed)) {
        return result; // it is reported
    }
    if (!p->running && failed) {
        return fail_desync(p, "it failed when it was recorded, and does not here");
    }
    p->position++;
    p->played++;
    read = failed ? take_record(p) : read;
    if (read == MICA_ERROR_IMAGE && p->played == p->count) {
        p->done = true;
        return MICA_OK;
    }
    return read == MICA_ERROR_IMAGE ? fail_damaged(p, p->damage) : read;
}

static mica_result play_step(player *p)
{
    mica_world *world = p->world;
    mica_result result = read_limited(p);
    if (result) {
        return result;
    }
    p->running = true;
    if (micai_buffer_first(p->buffer) < micai_buffer_end(p->buffer)) {
        result = micai_buffer_replay(world, p->call, p->buffer);
    }
    result = result ? result : mica_step(world, p->dt);
    // A system that ends the step by itself may have ended the playing, too.
    return result == MICA_ERROR_ITERATOR ? result : end_step(p, result);
}

// Compares the hash of the world with that of the record.
static mica_result check_hash(const player *p)
{
    micai_unpacker from = unpack(p);
    uint64_t expected = micai_unpack_fixed(&from, 8);
    uint64_t hash;
    if (from.failed || micai_unpack_left(&from) > 0) {
        return fail_damaged(p, "a hash is none");
    }
    micai_host_begin(p->host, p->call);
    mica_result result = micai_tape_hash_world(p->world, p->call, &hash);
    micai_host_end(p->host);
    if (result || hash == expected) {
        return result;
    }
    return p->played == 0
               ? micai_fail(p->host, MICA_ERROR_BASE,
                            "%s: the world is not in the state after step %" PRIu64 " of the tape",
                            p->call, p->position)
               : micai_fail(p->host, MICA_ERROR_DESYNC,
                            "%s: after step %" PRIu64 " of the tape, the world has another hash",
                            p->call, p->position);
}

static mica_result read_head(player *p)
{
    unsigned char head[MICAI_TAPE_HEAD_SIZE];
    uint64_t hash;
    if (micai_input_read(&p->input, head, sizeof head) < sizeof head ||
        memcmp(head, MICAI_TAPE_MAGIC, MICAI_TAPE_MAGIC_SIZE) != 0) {
        return p->input.failed
                   ? p->input.failed
                   : micai_fail(p->host, MICA_ERROR_IMAGE, "%s: these bytes are no tape", p->call);
    }
    if (head[MICAI_TAPE_MAGIC_SIZE] != MICA_TAPE_VERSION) {
        return micai_fail(p->host, MICA_ERROR_VERSION,
                          "%s: the tape has version %u; this library reads version %u", p->call,
                          (unsigned)head[MICAI_TAPE_MAGIC_SIZE], MICA_TAPE_VERSION);
    }
    p->sum = micai_hash_bytes(head, sizeof head);
    mica_result result = p->first == 0 ? micai_tape_hash_world(p->world, p->call, &hash) : MICA_OK;
    bool base = p->first > 0 || result || hash == micai_get_little(head + 4, 8);
    bool time =
        p->first > 0 || micai_tape_bits(p->world->state->time) == micai_get_little(head + 12, 8);
    if (!result && !(base && time)) {
        result = micai_fail(p->host, MICA_ERROR_BASE,
                            base ? "%s: the world has another time than when the tape began"
                                 : "%s: the world is not in the state in which the tape began",
                            p->call);
    }
    return result;
}

// Reads the steps before the first one to play, and the record behind them.
static mica_result skip(player *p)
{
    mica_result result = next(p);
    while (!result &&
           (p->position < p->first || (p->kind == MICAI_TAPE_FAILED && p->position > 0))) {
        micai_unpacker from = unpack(p);
        if (p->kind == MICAI_TAPE_END) {
            return micai_fail(p->host, MICA_ERROR_ARGUMENT,
                              "%s: the tape has %" PRIu64 " steps; step %" PRIu64
                              " cannot be the first one",
                              p->call, p->position, p->first);
        }
        if (p->kind == MICAI_TAPE_TYPES) {
            result = read_types(p);
        } else if (p->kind == MICAI_TAPE_STEP) {
            result = read_time(p, &from);
            p->position++;
        }
        result = result ? result : next(p);
    }
    return result;
}

// Plays from the record that was read.
static mica_result play(player *p)
{
    mica_world *world = p->world;
    mica_result result = skip(p);
    while (!result && !p->done) {
        bool more = p->kind == MICAI_TAPE_STEP || p->kind == MICAI_TAPE_TYPES;
        if (more && p->count > 0 && p->played == p->count) {
            return MICA_OK;
        }
        if (p->kind == MICAI_TAPE_STEP) {
            result = play_step(p);
            if (result == MICA_ERROR_ITERATOR && !is_playing(world, p)) {
                return result;
            }
            continue;
        }
        if (p->kind == MICAI_TAPE_FAILED) {
            return fail_damaged(p, "a step fails twice");
        }
        p->done = p->kind == MICAI_TAPE_END;
        if (p->kind == MICAI_TAPE_TYPES) {
            result = read_types(p);
        } else if (p->kind == MICAI_TAPE_HASH || p->content.bytes.count > 0) {
            result = check_hash(p);
        }
        result = result || p->done ? result : next(p);
    }
    return result;
}

// Beginning and ending

// The buffer is freed with the world if that is why the playing ends.
static void close_module(mica_world *world, void *data)
{
    player *p = data;
    micai_input_close(&p->input);
    micai_tape_types_free(&p->types);
    micai_pack_free(&p->content);
    micai_array_free(&world->host, &p->values);
    micai_arena_free(&world->host, &p->arena);
    micai_release(&world->host, p, sizeof *p, _Alignof(player));
}

static void end_playing(mica_world *world, const char *call)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_TAPE];
    player *p = module->data;
    *module = (micai_module){0};
    micai_host_begin(&world->host, call);
    micai_buffer_free(world, call, p->buffer);
    close_module(world, p);
    micai_host_end(&world->host);
}

// Ends what a longjmp() or an exception out of a step has left.
static void end_abandoned(mica_world *world)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_TAPE];
    if (module->data && !module->begin_step) {
        end_playing(world, "mica_tape_play");
    }
}

mica_result micai_tape_check(mica_world *world, const char *call, const mica_stream *stream)
{
    if (!world || !stream) {
        return micai_fail_null(micai_world_host(world), call, world ? "stream" : "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    if (result) {
        return result;
    }
    end_abandoned(world);
    return world->state->modules[MICAI_MODULE_TAPE].data
               ? micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                            "%s: the world is recorded already; mica_tape_end ends that", call)
               : micai_world_guard_idle(world, call);
}

// Creates a player, which is a module then. NULL: MICA_ERROR_MEMORY.
static player *make_player(mica_world *world, const char *call)
{
    micai_host *host = &world->host;
    player *p = micai_alloc_zeroed(host, sizeof *p, _Alignof(player));
    micai_buffer *buffer = p ? micai_buffer_new(world, call) : NULL;
    if (!buffer) {
        micai_release(host, p, sizeof *p, _Alignof(player));
        return NULL;
    }
    *p = (player){.world = world, .host = host, .call = call, .buffer = buffer};
    p->content.host = p->types.host = host;
    p->types.registry = &world->state->registry;
    world->state->modules[MICAI_MODULE_TAPE] =
        (micai_module){.data = p, .close = close_module, .end_frame = end_frame};
    return p;
}

// Creates a player that has read the head of the tape.
static mica_result open_tape(mica_world *world, const char *call, const mica_stream *stream,
                             uint64_t first, player **player_out)
{
    micai_input input;
    mica_result result = micai_input_open(&input, &world->host, call, stream);
    if (result) {
        return result;
    }
    player *p = make_player(world, call);
    if (!p) {
        micai_input_close(&input);
        return MICA_ERROR_MEMORY;
    }
    p->stream = *stream;
    p->input = input;
    p->input.stream = &p->stream;
    p->first = first;
    *player_out = p;
    return read_head(p);
}

mica_result mica_tape_play(mica_world *world, const mica_stream *stream, uint64_t first,
                           uint64_t count, uint64_t *played_out)
{
    static const char call[] = "mica_tape_play";
    if (played_out) {
        *played_out = 0;
    }
    mica_result result = micai_tape_check(world, call, stream);
    if (result) {
        return result;
    }
    player *p = NULL;
    micai_host_begin(&world->host, call);
    result = open_tape(world, call, stream, first, &p);
    micai_host_end(&world->host);
    if (!result) {
        p->count = count;
        result = play(p);
    }
    if (p && is_playing(world, p)) {
        if (played_out) {
            *played_out = p->played;
        }
        end_playing(world, call);
    }
    return result;
}
