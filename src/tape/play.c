// Playing: each step's input is recorded into a buffer again, applied, and the step is run.
//
// A world that plays has a module, so that nothing leaks if a step is left by longjmp() or an exception.
#include <mica/system.h>

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "tape/play_internal.h"

enum { CHUNK = 1 << 16 };

mica_result micai_tape_fail_damaged(const micai_player *p, const char *what)
{
    return micai_fail(p->host, MICA_ERROR_IMAGE,
                      "%s: the tape is damaged after step %" PRIu64 ": %s", p->call, p->position,
                      what);
}

mica_result micai_tape_fail_desync(const micai_player *p, const char *what)
{
    return micai_fail(p->host, MICA_ERROR_DESYNC, "%s: step %" PRIu64 " of the tape: %s", p->call,
                      p->position + 1, what);
}

// Records

static mica_result note_damage(micai_player *p, const char *what)
{
    p->damage = what;
    return p->input.failed ? p->input.failed : MICA_ERROR_IMAGE;
}

static mica_result read_size(micai_player *p, uint64_t *size_out)
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

static mica_result read_content(micai_player *p, uint64_t size)
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
static mica_result read_record(micai_player *p)
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

static mica_result take_record(micai_player *p)
{
    micai_host_begin(p->host, p->call);
    mica_result result = read_record(p);
    micai_host_end(p->host);
    return result;
}

static mica_result next(micai_player *p)
{
    mica_result result = take_record(p);
    return result == MICA_ERROR_IMAGE ? micai_tape_fail_damaged(p, p->damage) : result;
}

// Steps

static bool is_playing(const mica_world *world, const micai_player *p)
{
    const micai_module *module = &world->state->modules[MICAI_MODULE_TAPE];
    return module->data == p && !module->begin_step;
}

static void end_frame(mica_world *world, void *data)
{
    micai_player *p = data;
    (void)world;
    p->running = false;
}

// Ends a step. `result` is that of the step here. A step fails if its frame does not end.
static mica_result end_step(micai_player *p, mica_result result)
{
    mica_result read = take_record(p);
    bool failed = !read && p->kind == MICAI_TAPE_FAILED;
    if (result == MICA_ERROR_MEMORY || (p->running && !failed)) {
        return result; // it is reported
    }
    if (!p->running && failed) {
        return micai_tape_fail_desync(p, "it failed when it was recorded, and does not here");
    }
    p->position++;
    p->played++;
    read = failed ? take_record(p) : read;
    if (read == MICA_ERROR_IMAGE && p->played == p->count) {
        p->done = true;
        return MICA_OK;
    }
    return read == MICA_ERROR_IMAGE ? micai_tape_fail_damaged(p, p->damage) : read;
}

static mica_result play_step(micai_player *p)
{
    mica_world *world = p->world;
    mica_result result = micai_tape_read_input(p);
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
static mica_result check_hash(const micai_player *p)
{
    micai_unpacker from = micai_tape_unpack(p);
    uint64_t expected = micai_unpack_fixed(&from, 8);
    uint64_t hash;
    if (from.failed || micai_unpack_left(&from) > 0) {
        return micai_tape_fail_damaged(p, "a hash is none");
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

static mica_result read_head(micai_player *p)
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
static mica_result skip(micai_player *p)
{
    mica_result result = next(p);
    while (!result &&
           (p->position < p->first || (p->kind == MICAI_TAPE_FAILED && p->position > 0))) {
        micai_unpacker from = micai_tape_unpack(p);
        if (p->kind == MICAI_TAPE_END) {
            return micai_fail(p->host, MICA_ERROR_ARGUMENT,
                              "%s: the tape has %" PRIu64 " steps; step %" PRIu64
                              " cannot be the first one",
                              p->call, p->position, p->first);
        }
        if (p->kind == MICAI_TAPE_TYPES) {
            result = micai_tape_read_types(p);
        } else if (p->kind == MICAI_TAPE_STEP) {
            result = micai_tape_read_time(p, &from);
            p->position++;
        }
        result = result ? result : next(p);
    }
    return result;
}

// Plays from the record that was read.
static mica_result play(micai_player *p)
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
            return micai_tape_fail_damaged(p, "a step fails twice");
        }
        p->done = p->kind == MICAI_TAPE_END;
        if (p->kind == MICAI_TAPE_TYPES) {
            result = micai_tape_read_types(p);
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
    micai_player *p = data;
    micai_input_close(&p->input);
    micai_tape_types_free(&p->types);
    micai_pack_free(&p->content);
    micai_array_free(&world->host, &p->values);
    micai_arena_free(&world->host, &p->arena);
    micai_release(&world->host, p, sizeof *p, _Alignof(micai_player));
}

static void end_playing(mica_world *world, const char *call)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_TAPE];
    micai_player *p = module->data;
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
static micai_player *make_player(mica_world *world, const char *call)
{
    micai_host *host = &world->host;
    micai_player *p = micai_alloc_zeroed(host, sizeof *p, _Alignof(micai_player));
    micai_buffer *buffer = p ? micai_buffer_new(world, call) : NULL;
    if (!buffer) {
        micai_release(host, p, sizeof *p, _Alignof(micai_player));
        return NULL;
    }
    *p = (micai_player){.world = world, .host = host, .call = call, .buffer = buffer};
    p->content.host = p->types.host = host;
    p->types.registry = &world->state->registry;
    world->state->modules[MICAI_MODULE_TAPE] =
        (micai_module){.data = p, .close = close_module, .end_frame = end_frame};
    return p;
}

// Creates a player that has read the head of the tape.
static mica_result open_tape(mica_world *world, const char *call, const mica_stream *stream,
                             uint64_t first, micai_player **player_out)
{
    micai_input input;
    mica_result result = micai_input_open(&input, &world->host, call, stream);
    if (result) {
        return result;
    }
    micai_player *p = make_player(world, call);
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
    micai_player *p = NULL;
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
