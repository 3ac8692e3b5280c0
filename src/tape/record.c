// Recording: a recording world whose commands are written to a stream when a step begins, and then applied.
//
// All that a step needs is packed first. If memory runs out then, the step fails and nothing has happened. Errors
// of the stream show at the end.
#include <string.h>

#include "base/bytes.h"
#include "base/canary.h"
#include "base/stream.h"
#include "command/buffer.h"
#include "entity/bundle.h"
#include "tape/tape_internal.h"

typedef struct tape {
    mica_world *world;
    micai_buffer *buffer;
    micai_recorder inner; // what the recording world does with calls that are good for a tape
    uint32_t hash_steps;
    uint64_t steps;   // that were written
    uint64_t dt_bits; // of the last one
    bool running;     // its frame has not ended: it runs, or has failed
    uint64_t sum;     // of all records
    micai_tape_types types;
    micai_packer defined; // types that the next step is the first to have
    micai_packer content; // of the next step
    mica_entity last;     // the entity of the command before
    mica_stream stream;   // the user's, with `path` as its path
    micai_output output;
    size_t path_size; // with the terminating zero; 0: no path
    char path[];
} tape;

// Returns the tape that is recorded, or NULL.
static tape *tape_of(const mica_world *world)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_TAPE];
    return module->begin_step ? module->data : NULL;
}

// The recording world: its calls are checked here, and then recorded as usual

// Fails if no input can be made now. Hooks and handlers are refused later.
static mica_result check_between(mica_world *face, const char *call)
{
    mica_world *world = micai_world_main(face);
    bool inside = face->state->midway || face->state->replaying;
    return !inside || world->host.hook || world->host.handler
               ? MICA_OK
               : micai_fail(&world->host, MICA_ERROR_ITERATING,
                            "%s: a tape records input between steps, and nothing that systems and "
                            "observers do in them; mica_later records that",
                            call);
}

// Fails if a value cannot be written. Other mistakes are found later.
static mica_result check_value(mica_world *face, const char *call, mica_type handle,
                               const void *data)
{
    const micai_type *type = data ? micai_registry_find(&face->state->registry, handle) : NULL;
    return type ? micai_tape_types_check(&tape_of(face)->types, call, MICA_ERROR_TYPE, type)
                : MICA_OK;
}

static mica_result check_values(mica_world *face, const char *call, const mica_value *values,
                                uint32_t count)
{
    mica_result result = check_between(face, call);
    for (uint32_t i = 0; !result && i < count; i++) {
        result = check_value(face, call, values[i].type, values[i].data);
    }
    return result;
}

static mica_result take_set(mica_world *face, const char *call, mica_entity entity, mica_type type,
                            const void *data, uint32_t size)
{
    mica_result result = check_between(face, call);
    result = result ? result : check_value(face, call, type, data);
    return result ? result : tape_of(face)->inner.set(face, call, entity, type, data, size);
}

static mica_result take_remove(mica_world *face, const char *call, mica_entity entity,
                               mica_type type)
{
    mica_result result = check_between(face, call);
    return result ? result : tape_of(face)->inner.remove(face, call, entity, type);
}

static mica_result take_change(mica_world *face, const char *call, mica_entity entity,
                               const mica_value *values, uint32_t value_count,
                               const mica_type *removed, uint32_t removed_count)
{
    mica_result result = check_values(face, call, values, value_count);
    return result ? result
                  : tape_of(face)->inner.change(face, call, entity, values, value_count, removed,
                                                removed_count);
}

static mica_result take_toggle(mica_world *face, const char *call, mica_entity entity,
                               mica_type type, bool off)
{
    mica_result result = check_between(face, call);
    return result ? result : tape_of(face)->inner.toggle(face, call, entity, type, off);
}

static mica_result take_name(mica_world *face, const char *call, mica_entity entity,
                             const char *name)
{
    mica_result result = check_between(face, call);
    return result ? result : tape_of(face)->inner.name(face, call, entity, name);
}

static mica_result take_spawn(mica_world *face, const char *call, const micai_bundle *bundle,
                              const mica_value *values, uint32_t value_count, uint32_t count,
                              mica_entity *entities_out)
{
    mica_result result = check_between(face, call);
    for (uint32_t i = 0; !result && i < value_count; i++) {
        mica_type type = bundle ? bundle->types[i]->info.type : values[i].type;
        result = check_value(face, call, type, values[i].data);
    }
    return result ? result
                  : tape_of(face)->inner.spawn(face, call, bundle, values, value_count, count,
                                               entities_out);
}

static mica_entity take_clone(mica_world *face, const char *call, mica_entity entity)
{
    return check_between(face, call) ? (mica_entity){0}
                                     : tape_of(face)->inner.clone(face, call, entity);
}

static mica_entity take_extend(mica_world *face, const char *call, mica_entity owner,
                               mica_type component, uint32_t role, const mica_value *values,
                               uint32_t value_count)
{
    return check_values(face, call, values, value_count)
               ? (mica_entity){0}
               : tape_of(face)->inner.extend(face, call, owner, component, role, values,
                                             value_count);
}

static mica_result take_despawn(mica_world *face, const char *call, const mica_entity *entities,
                                uint32_t count)
{
    mica_result result = check_between(face, call);
    return result ? result : tape_of(face)->inner.despawn(face, call, entities, count);
}

static mica_result take_send(mica_world *face, const char *call, const mica_value *values,
                             uint32_t count, micai_send_fn *send)
{
    mica_result result = check_values(face, call, values, count);
    return result ? result : tape_of(face)->inner.send(face, call, values, count, send);
}

static mica_result take_link(mica_world *face, const char *call, const micai_type *type,
                             micai_link_verb verb, mica_entity source, mica_entity other)
{
    mica_result result = check_between(face, call);
    return result ? result : tape_of(face)->inner.link(face, call, type, verb, source, other);
}

static micai_recorder recorder_of(mica_world *world)
{
    return (micai_recorder){.world = world,
                            .set = take_set,
                            .remove = take_remove,
                            .change = take_change,
                            .toggle = take_toggle,
                            .name = take_name,
                            .spawn = take_spawn,
                            .clone = take_clone,
                            .extend = take_extend,
                            .despawn = take_despawn,
                            .send = take_send,
                            .link = take_link};
}

// Packing a step

static void pack_entity(micai_packer *to, mica_entity entity)
{
    micai_pack_number(to, mica_entity_slot(entity));
    micai_pack_number(to, entity.bits >> 32);
}

static void pack_verb(tape *t, micai_tape_verb verb, mica_entity entity)
{
    bool same = MICA_EQUAL(entity, t->last);
    micai_pack_fixed(&t->content, (uint64_t)verb | (same ? MICAI_TAPE_SAME : 0), 1);
    if (!same) {
        pack_entity(&t->content, entity);
        t->last = entity;
    }
}

// Returns what is known of a type, which is on the tape then. NULL: MICA_ERROR_MEMORY.
static micai_tape_type *define_type(tape *t, const micai_type *type)
{
    micai_tape_type *one = micai_tape_types_open(&t->types, type);
    if (one && !one->numbered) {
        micai_pack_text(&t->defined, type->info.name);
        micai_pack_fixed(&t->defined, one->leaves.layout & UINT32_MAX, 4);
        one = micai_tape_types_add(&t->types, one) ? one : NULL;
    }
    t->content.failed = t->content.failed || !one;
    return one;
}

static void pack_type(tape *t, const micai_type *type)
{
    const micai_tape_type *one = define_type(t, type);
    micai_pack_number(&t->content, one ? one->number : 0);
}

static void pack_leaves(tape *t, const micai_tape_type *one, const unsigned char *value)
{
    micai_leaves_compare(&one->leaves, one->leaves.initial, value, one->leaves.mask);
    micai_pack_bytes(&t->content, one->leaves.mask, one->leaves.mask_size);
    micai_leaves_write(&one->leaves, one->leaves.mask, one->leaves.initial, value, &t->content);
}

static void pack_value(tape *t, const micai_type *type, const void *data)
{
    const micai_tape_type *one = define_type(t, type);
    micai_pack_number(&t->content, one ? (uint64_t)one->number << 1 | (data != NULL) : 0);
    if (one && data) {
        pack_leaves(t, one, data);
    }
}

static void pack_send(tape *t, const micai_command_info *info)
{
    const micai_tape_type *one = define_type(t, info->type);
    micai_pack_fixed(&t->content, MICAI_TAPE_SEND, 1);
    micai_pack_number(&t->content, info->data ? (uint64_t)info->count + 1 : 0);
    micai_pack_number(&t->content, one ? one->number : 0);
    for (uint32_t i = 0; one && info->data && i < info->count; i++) {
        pack_leaves(t, one, (const unsigned char *)info->data + (size_t)i * info->type->info.size);
    }
}

// Packs the values behind a command.
static void pack_list(tape *t, uint32_t place, uint32_t count)
{
    micai_pack_number(&t->content, count);
    for (uint32_t i = 1; i <= count; i++) {
        const micai_command_info value = micai_buffer_read(t->buffer, place + i);
        pack_value(t, value.type, value.data);
    }
}

static void pack_extend(tape *t, uint32_t place, const micai_command_info *info)
{
    pack_verb(t, MICAI_TAPE_FACET, info->entity);
    pack_entity(&t->content, info->other);
    const micai_tape_type *key = info->type ? define_type(t, info->type) : NULL;
    micai_pack_number(&t->content, key ? (uint64_t)key->number + 1 : 0);
    micai_pack_number(&t->content, info->role);
    pack_list(t, place, info->count);
}

// Packs a command with its values. Returns the place of the next one.
static uint32_t pack_command(tape *t, uint32_t place)
{
    const micai_command_info info = micai_buffer_read(t->buffer, place);
    switch (info.verb) {
    case MICAI_ADD:
    case MICAI_SET:
        pack_verb(t, MICAI_TAPE_SET, info.entity);
        pack_value(t, info.type, info.data);
        break;
    case MICAI_REMOVE:
        pack_verb(t, MICAI_TAPE_REMOVE, info.entity);
        pack_type(t, info.type);
        break;
    case MICAI_ENABLE:
        pack_verb(t, MICAI_TAPE_ENABLE, info.entity);
        pack_type(t, info.type);
        break;
    case MICAI_DISABLE:
        pack_verb(t, MICAI_TAPE_DISABLE, info.entity);
        pack_type(t, info.type);
        break;
    case MICAI_DESPAWN: pack_verb(t, MICAI_TAPE_DESPAWN, info.entity); break;
    case MICAI_SPAWN:
        pack_verb(t, MICAI_TAPE_SPAWN, info.entity);
        pack_list(t, place, info.count);
        return place + 1 + info.count;
    case MICAI_EXTEND: pack_extend(t, place, &info); return place + 1 + info.count;
    case MICAI_CLONE:
        pack_verb(t, MICAI_TAPE_CLONE, info.entity);
        pack_entity(&t->content, info.other);
        break;
    case MICAI_NAME:
        pack_verb(t, MICAI_TAPE_NAME, info.entity);
        micai_pack_text(&t->content, info.data);
        break;
    case MICAI_SEND: pack_send(t, &info); break;
    case MICAI_LINK:
    case MICAI_LINK_BEFORE:
    case MICAI_UNLINK:
        pack_verb(t, (micai_tape_verb)(MICAI_TAPE_LINK + (uint32_t)(info.verb - MICAI_LINK)),
                  info.entity);
        pack_type(t, info.type);
        pack_entity(&t->content, info.other);
        break;
    default: break; // done already
    }
    return place + 1;
}

// Types that a step has defined are forgotten if the step is not written.
static void forget_types(tape *t, uint32_t count)
{
    while (t->types.list.count > count && !MICAI_CANARY("tape.defined")) {
        t->types.list.items[--t->types.list.count]->numbered = false;
    }
}

static mica_result pack_step(tape *t, double dt)
{
    uint64_t bits = micai_tape_bits(dt);
    bool timed = bits != t->dt_bits;
    uint32_t types = t->types.list.count;
    t->defined.bytes.count = t->content.bytes.count = 0;
    t->defined.failed = t->content.failed = false;
    t->last = MICAI_CANARY("tape.same") ? t->last : (mica_entity){0};
    micai_pack_fixed(&t->content, timed ? MICAI_TAPE_TIMED : 0, 1);
    if (timed) {
        micai_pack_fixed(&t->content, bits, 8);
    }
    uint32_t end = micai_buffer_end(t->buffer);
    for (uint32_t place = micai_buffer_first(t->buffer); place < end && !t->content.failed;) {
        place = pack_command(t, place);
    }
    if (t->content.failed || t->defined.failed) {
        forget_types(t, types);
        return MICA_ERROR_MEMORY;
    }
    return MICA_OK;
}

// Writing

static void write_record(tape *t, micai_tape_kind kind, const void *content, size_t size)
{
    unsigned char head[MICAI_NUMBER_SIZE_MAX + 1];
    uint32_t count = micai_put_number(head, size);
    head[count++] = (unsigned char)kind;
    unsigned char sum[MICAI_TAPE_SUM_SIZE];
    t->sum = micai_tape_sum(t->sum, kind, content, size);
    micai_put_little(sum, t->sum & 0xffff, MICAI_TAPE_SUM_SIZE);
    micai_output_write(&t->output, head, count);
    micai_output_write(&t->output, content, size);
    micai_output_write(&t->output, sum, sizeof sum);
}

static void write_number(tape *t, micai_tape_kind kind, uint64_t number, uint32_t size)
{
    unsigned char bytes[8];
    micai_put_little(bytes, number, size);
    write_record(t, kind, bytes, size);
}

// Notes that the last step has failed, if it has.
static void write_failure(tape *t)
{
    if (t->running) {
        write_record(t, MICAI_TAPE_FAILED, "", 0);
        t->running = false;
    }
}

static void pass_on(tape *t)
{
    if (t->stream.write) {
        micai_output_flush(&t->output);
    }
}

// Writes the waiting input as a step.
static mica_result write_step(tape *t, const char *call, double dt)
{
    bool hashed = t->hash_steps > 0 && t->steps > 0 && t->steps % t->hash_steps == 0;
    uint64_t hash = 0;
    micai_host_begin(&t->world->host, call);
    mica_result result = hashed ? micai_tape_hash_world(t->world, call, &hash) : MICA_OK;
    result = result ? result : pack_step(t, dt);
    micai_host_end(&t->world->host);
    if (result) {
        return result;
    }
    write_failure(t);
    if (hashed) {
        write_number(t, MICAI_TAPE_HASH, hash, 8);
    }
    if (t->defined.bytes.count > 0) {
        write_record(t, MICAI_TAPE_TYPES, t->defined.bytes.items, t->defined.bytes.count);
    }
    write_record(t, MICAI_TAPE_STEP, t->content.bytes.items, t->content.bytes.count);
    pass_on(t);
    t->dt_bits = micai_tape_bits(dt);
    t->steps++;
    t->running = true;
    return MICA_OK;
}

static mica_result begin_step(mica_world *world, void *data, double dt)
{
    static const char call[] = "mica_step";
    tape *t = data;
    mica_result result = write_step(t, call, dt);
    return result || micai_buffer_first(t->buffer) == micai_buffer_end(t->buffer)
               ? result
               : micai_buffer_replay(world, call, t->buffer);
}

static void end_frame(mica_world *world, void *data)
{
    tape *t = data;
    (void)world;
    t->running = false;
}

// Beginning and ending

static size_t size_of(const tape *t)
{
    return sizeof *t + t->path_size;
}

// Ends the stream, and frees the tape. The buffer stays.
static mica_result close_tape(mica_world *world, const char *call, tape *t)
{
    micai_host *host = &world->host;
    t->output.call = call;
    micai_host_begin(host, call);
    mica_result result = micai_output_close(&t->output, MICA_OK);
    micai_tape_types_free(&t->types);
    micai_pack_free(&t->defined);
    micai_pack_free(&t->content);
    micai_release(host, t, size_of(t), _Alignof(tape));
    micai_host_end(host);
    return result;
}

static void close_module(mica_world *world, void *data)
{
    write_failure(data);
    write_record(data, MICAI_TAPE_END, "", 0);
    (void)close_tape(world, "mica_world_free", data);
}

static mica_result check_begin(mica_world *world, const char *call, const mica_stream *stream,
                               const mica_tape_desc *desc)
{
    mica_result result = micai_tape_check(world, call, stream);
    return result || (desc->first_zero == 0 && desc->last_zero == 0)
               ? result
               : micai_fail(&world->host, MICA_ERROR_DESC,
                            "%s: the descriptor was not zeroed before it was filled in", call);
}

// Creates a tape that writes to an open output. Takes ownership of that, also on failure. NULL: MICA_ERROR_MEMORY.
static tape *make_tape(mica_world *world, const char *call, micai_output *output)
{
    micai_host *host = &world->host;
    const mica_stream *stream = output->stream;
    size_t path_size = stream->path ? strlen(stream->path) + 1 : 0;
    tape *t = micai_alloc_zeroed(host, sizeof *t + path_size, _Alignof(tape));
    micai_buffer *buffer = t ? micai_buffer_new(world, call) : NULL;
    if (!buffer) {
        (void)micai_output_close(output, MICA_ERROR_MEMORY);
        micai_release(host, t, t ? sizeof *t + path_size : 0, _Alignof(tape));
        return NULL;
    }
    t->world = world;
    t->buffer = buffer;
    t->path_size = path_size;
    t->types.host = t->defined.host = t->content.host = host;
    t->types.registry = &world->state->registry;
    t->dt_bits = micai_tape_bits(0);
    t->stream = *stream;
    if (stream->path) {
        memcpy(t->path, stream->path, path_size);
        t->stream.path = t->path;
    }
    t->output = *output;
    t->output.stream = &t->stream;
    return t;
}

static void begin(tape *t, uint64_t hash)
{
    const micai_recorder recorder = recorder_of(t->world);
    t->inner = *micai_buffer_face(t->buffer)->recorder;
    micai_buffer_hold(t->buffer, &recorder,
                      "the input of a tape, which mica_step applies and mica_tape_end frees");
    t->world->state->modules[MICAI_MODULE_TAPE] = (micai_module){
        .data = t, .close = close_module, .begin_step = begin_step, .end_frame = end_frame};
    unsigned char head[MICAI_TAPE_HEAD_SIZE];
    memcpy(head, MICAI_TAPE_MAGIC, MICAI_TAPE_MAGIC_SIZE);
    head[MICAI_TAPE_MAGIC_SIZE] = MICA_TAPE_VERSION;
    micai_put_little(head + 4, hash, 8);
    micai_put_little(head + 12, micai_tape_bits(t->world->state->time), 8);
    t->sum = micai_hash_bytes(head, sizeof head);
    micai_output_write(&t->output, head, sizeof head);
    pass_on(t);
}

mica_world *mica_tape_begin(mica_world *world, const mica_stream *stream,
                            const mica_tape_desc *desc)
{
    static const char call[] = "mica_tape_begin";
    const mica_tape_desc defaults = {0};
    desc = desc ? desc : &defaults;
    if (check_begin(world, call, stream, desc)) {
        return NULL;
    }
    micai_output output;
    uint64_t hash;
    tape *t = NULL;
    micai_host_begin(&world->host, call);
    if (!micai_tape_hash_world(world, call, &hash) &&
        !micai_output_open(&output, &world->host, call, stream, MICAI_OUTPUT_SMALL)) {
        t = make_tape(world, call, &output);
    }
    micai_host_end(&world->host);
    if (!t) {
        return NULL;
    }
    t->hash_steps = desc->hash_steps;
    begin(t, hash);
    return micai_buffer_face(t->buffer);
}

mica_result mica_tape_end(mica_world *world)
{
    static const char call[] = "mica_tape_end";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    mica_result result = micai_world_guard_all(world, call);
    if (result) {
        return result;
    }
    tape *t = tape_of(world);
    if (!t) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: no tape is recorded", call);
    }
    uint64_t hash;
    micai_host_begin(&world->host, call);
    result = micai_tape_hash_world(world, call, &hash);
    write_failure(t);
    write_number(t, MICAI_TAPE_END, hash, result ? 0 : 8);
    world->state->modules[MICAI_MODULE_TAPE] = (micai_module){0};
    micai_buffer_free(world, call, t->buffer);
    mica_result closed = close_tape(world, call, t);
    micai_host_end(&world->host);
    return result ? result : closed;
}
