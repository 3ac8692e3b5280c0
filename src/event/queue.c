// Sending events, and the end of a frame. queue.h has the drawing and the invariants.
#include "event/queue.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "core/value_hash.h"
#include "entity/locate.h"
#include "state/declared.h"
#include "state/recorder.h"

#define CHUNK_ALIGN 64 // a cache line

static const char send_call[] = "mica_send";

static size_t chunk_size(const micai_type *type, uint32_t chunk)
{
    return (size_t)micai_chunk_capacity(chunk) * type->info.size;
}

static size_t chunk_align(const micai_type *type)
{
    return type->info.align > CHUNK_ALIGN ? type->info.align : CHUNK_ALIGN;
}

void micai_queue_update_tail(micai_queue *queue)
{
    const micai_frame *frame = &queue->now;
    queue->tail = NULL;
    queue->space = 0;
    if (micai_hook_has_none(queue->type) && micai_chunk_of(frame->count) < frame->chunks.count) {
        queue->tail = micai_queue_locate(queue, frame, frame->count, &queue->space);
    }
}

static void drop_chunk(micai_host *host, const micai_queue *queue, micai_frame *frame)
{
    uint32_t chunk = --frame->chunks.count;
    micai_release(host, frame->chunks.items[chunk], chunk_size(queue->type, chunk),
                  chunk_align(queue->type));
}

// Destroys the events of a frame from a place on.
static void destroy_events(micai_state *state, const micai_queue *queue, micai_frame *frame,
                           uint32_t from)
{
    while (from < frame->count && queue->type->info.hooks.destruct) {
        uint32_t space;
        unsigned char *event = micai_queue_locate(queue, frame, from, &space);
        uint32_t count = frame->count - from < space ? frame->count - from : space;
        micai_hook_destruct(&state->gate, queue->type, event, count);
        from += count;
    }
}

static void free_frame(micai_state *state, const micai_queue *queue, micai_frame *frame)
{
    destroy_events(state, queue, frame, 0);
    while (frame->chunks.count > 0) {
        drop_chunk(state->host, queue, frame);
    }
    micai_array_free(state->host, &frame->chunks);
}

void micai_queue_free(micai_state *state, micai_queue *queue)
{
    free_frame(state, queue, &queue->last);
    free_frame(state, queue, &queue->now);
    micai_release(state->host, queue, sizeof *queue, _Alignof(micai_queue));
}

static void destroy_values(mica_world *world, void *data)
{
    const micai_queues *all = data;
    for (uint32_t n = 0; n < all->list.count; n++) {
        micai_queue *queue = all->list.items[n];
        if (queue) {
            destroy_events(world->state, queue, &queue->last, 0);
            destroy_events(world->state, queue, &queue->now, 0);
            queue->last.count = queue->now.count = 0;
        }
    }
}

static void close_module(mica_world *world, void *data)
{
    micai_queues *all = data;
    for (uint32_t n = 0; n < all->list.count; n++) {
        if (all->list.items[n]) {
            micai_queue_free(world->state, all->list.items[n]);
        }
    }
    micai_array_free(&world->host, &all->list);
    micai_cursors_free(&world->host, &all->cursors);
    micai_release(&world->host, all, sizeof *all, _Alignof(micai_queues));
}

// Checks E2.
static bool is_frame(const micai_frame *frame)
{
    uint32_t needed = frame->count > 0 ? micai_chunk_of(frame->count - 1) + 1 : 0;
    return frame->count <= MICAI_EVENTS_MAX && frame->chunks.count >= needed &&
           frame->chunks.count <= 32 - MICAI_CHUNK_SHIFT;
}

static mica_result validate_queue(mica_world *world, const micai_queue *queue, uint32_t number)
{
    micai_host *host = &world->host;
    const micai_type *type = world->state->registry.list.items[number];
    if (queue->type != type || queue->bits != type->info.type.bits) {
        return micai_fail_invariant(host, "E1", "the queue of '%s' has another type",
                                    type->info.name);
    }
    mica_result result = micai_array_validate(host, &queue->last.chunks, "chunks");
    result = result ? result : micai_array_validate(host, &queue->now.chunks, "chunks");
    if (!result &&
        (!is_frame(&queue->last) || !is_frame(&queue->now) || queue->before < queue->last.count)) {
        result = micai_fail_invariant(host, "E2", "the frames of '%s' are damaged",
                                      queue->type->info.name);
    }
    micai_queue updated = *queue;
    if (!result) {
        micai_queue_update_tail(&updated);
    }
    if (!result && (queue->tail != updated.tail || queue->space != updated.space ||
                    queue->size != queue->type->info.size)) {
        result = micai_fail_invariant(host, "E3", "the tail of the queue of '%s' is wrong",
                                      queue->type->info.name);
    }
    return result;
}

// Checks E4.
static mica_result validate_cursors(mica_world *world, const micai_queues *all)
{
    const micai_cursors *cursors = &all->cursors;
    mica_result result = micai_array_validate(&world->host, &cursors->list, "named cursors");
    for (uint32_t i = 0; !result && i < cursors->list.count; i++) {
        const micai_cursor *cursor = &cursors->list.items[i];
        const micai_queue *queue = micai_queues_look_up(all, cursor->type->info.type.bits);
        if (!micai_cursor_is_valid(world, i > 0 ? cursor - 1 : NULL, cursor) ||
            cursor->read.next > (queue ? micai_queue_end(queue) : 1)) {
            result = micai_fail_invariant(&world->host, "E4", "a named cursor is damaged");
        }
    }
    return result;
}

mica_result micai_queues_validate(mica_world *world, const void *data)
{
    const micai_queues *all = data;
    mica_result result = micai_array_validate(&world->host, &all->list, "queues");
    if (!result && all->list.count > world->state->registry.list.count) {
        result = micai_fail_invariant(&world->host, "E1", "there are more queues than types");
    }
    for (uint32_t n = 0; !result && n < all->list.count; n++) {
        result = all->list.items[n] ? validate_queue(world, all->list.items[n], n) : MICA_OK;
    }
    return result ? result : validate_cursors(world, all);
}

// Returns true if the bytes lie in an event.
static bool contains(const void *queues, const void *data, size_t size)
{
    const micai_queues *all = queues;
    for (uint32_t n = 0; n < all->list.count; n++) {
        const micai_queue *queue = all->list.items[n];
        for (uint32_t k = 0; queue && k < 2; k++) {
            const micai_frame *frame = k ? &queue->now : &queue->last;
            for (uint32_t i = 0; i < frame->chunks.count; i++) {
                if (micai_value_overlaps(data, size, frame->chunks.items[i],
                                         chunk_size(queue->type, i))) {
                    return true;
                }
            }
        }
    }
    return false;
}

static uint64_t digest_frame(const micai_state *state, const micai_queue *queue,
                             const micai_frame *frame, uint64_t hash)
{
    hash = micai_hash_add(hash, frame->count);
    for (uint32_t i = 0; i < frame->count; i++) {
        uint32_t space;
        hash = micai_hash_add(hash, micai_hash_value(&state->registry, queue->type,
                                                     micai_queue_locate(queue, frame, i, &space)));
    }
    return hash;
}

uint64_t micai_queues_digest(const micai_state *state, const void *data, uint64_t hash)
{
    const micai_queues *all = data;
    for (uint32_t n = 0; n < all->list.count; n++) {
        const micai_queue *queue = all->list.items[n];
        if (queue && queue->before + queue->now.count > 0) {
            hash = micai_hash_add(hash, queue->before);
            hash = digest_frame(state, queue, &queue->last, hash);
            hash = digest_frame(state, queue, &queue->now, hash);
        }
    }
    return micai_cursors_digest(&all->cursors, hash);
}

// Frees the chunks of empty frames.
static void reclaim_module(mica_world *world, void *data)
{
    const micai_queues *all = data;
    for (uint32_t n = 0; n < all->list.count; n++) {
        micai_queue *queue = all->list.items[n];
        for (uint32_t k = 0; queue && k < 2; k++) {
            micai_frame *frame = k ? &queue->now : &queue->last;
            while (frame->count == 0 && frame->chunks.count > 0) {
                drop_chunk(&world->host, queue, frame);
            }
            micai_queue_update_tail(queue);
        }
    }
}

// Frees the last chunk of a frame that used less than a quarter of the others. So a frame shrinks
// by one chunk at a time.
static void shrink(micai_host *host, const micai_queue *queue, micai_frame *frame)
{
    uint32_t chunks = frame->chunks.count;
    if (chunks > 1 && frame->count < micai_chunk_start(chunks - 1) / 4) {
        drop_chunk(host, queue, frame);
    }
}

// Returns true if a system has not read all events of the last frame.
static bool is_unread(const mica_world *world, const micai_queue *queue)
{
    const micai_module *systems = &world->state->modules[MICAI_MODULE_SYSTEM];
    bool unread = queue->last.count > 0 && systems->data &&
                  systems->events_read(systems->data, queue->bits) < queue->before;
    if (MICAI_CANARY("event.held")) {
        unread = false;
    }
    return unread;
}

static void end_frame(mica_world *world, void *data)
{
    const micai_queues *all = data;
    micai_host_begin(&world->host, "mica_step");
    for (uint32_t n = 0; n < all->list.count; n++) {
        micai_queue *queue = all->list.items[n];
        if (queue && !is_unread(world, queue) && !MICAI_CANARY("event.turn")) {
            destroy_events(world->state, queue, &queue->last, 0);
            shrink(&world->host, queue, &queue->last);
            queue->last.count = 0;
            micai_frame last = queue->last;
            queue->last = queue->now;
            queue->now = last;
            queue->before += queue->last.count;
            micai_queue_update_tail(queue);
        }
    }
    micai_host_end(&world->host);
}

static uint64_t count_sent(const void *data, uint64_t type)
{
    const micai_queue *queue = micai_queues_look_up(data, type);
    return queue ? queue->before + queue->now.count : 0;
}

micai_queues *micai_queues_open(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_QUEUE];
    if (!module->data) {
        micai_queues *all = micai_alloc_zeroed(&world->host, sizeof *all, _Alignof(micai_queues));
        if (all) {
            *module = (micai_module){.data = all,
                                     .destroy_values = destroy_values,
                                     .close = close_module,
                                     .reclaim = reclaim_module,
                                     .end_frame = end_frame,
                                     .hold = contains,
                                     .sent = count_sent};
        }
    }
    return module->data;
}

micai_queue *micai_queue_open(mica_world *world, const micai_type *type)
{
    assert(type); // checked by the caller
    micai_queue *queue = micai_queue_find(world, type->info.type);
    if (queue) {
        return queue;
    }
    micai_queues *all = micai_queues_open(world);
    uint32_t had = all ? all->list.count : 0;
    uint32_t extra = all && type->number >= had ? type->number + 1 - had : 0;
    if (!all || !micai_array_reserve(&world->host, &all->list, extra)) {
        return NULL;
    }
    queue = micai_alloc_zeroed(&world->host, sizeof *queue, _Alignof(micai_queue));
    if (queue) {
        memset(&all->list.items[had], 0, extra * sizeof(micai_queue *));
        all->list.count = had + extra;
        queue->bits = type->info.type.bits;
        queue->type = type;
        queue->size = type->info.size;
        all->list.items[type->number] = queue;
    }
    return queue;
}

mica_result micai_queue_reserve(micai_host *host, const micai_queue *queue, micai_frame *frame,
                                uint32_t count)
{
    uint32_t needed = count > 0 ? micai_chunk_of(frame->count + count - 1) + 1 : 0;
    while (frame->chunks.count < needed) {
        uint32_t chunk = frame->chunks.count;
        unsigned char *made =
            micai_array_reserve(host, &frame->chunks, 1)
                ? micai_alloc_array(host, micai_chunk_capacity(chunk), queue->type->info.size,
                                    chunk_align(queue->type))
                : NULL;
        if (!made) {
            return MICA_ERROR_MEMORY;
        }
        frame->chunks.items[frame->chunks.count++] = made;
    }
    return MICA_OK;
}

// Reserves space for `count` more events.
static mica_result reserve(mica_world *world, micai_queue *queue, uint32_t count)
{
    if (count > MICAI_EVENTS_MAX - queue->now.count) {
        return micai_fail(&world->host, MICA_ERROR_LIMIT,
                          "mica_send: more than %" PRIu32 " events of '%s' in a frame",
                          MICAI_EVENTS_MAX, queue->type->info.name);
    }
    mica_result result = micai_queue_reserve(&world->host, queue, &queue->now, count);
    if (result) {
        micai_queue_update_tail(queue); // the new chunks stay as spare capacity
    }
    return result;
}

// Returns how many events a value stands for.
static uint32_t count_of(const mica_value *value)
{
    return value->data && value->count > 1 ? value->count : 1;
}

// Undoes the last `count` events, which were created from this data. Goes chunk by chunk from the
// last on.
static void undo_send(mica_world *world, micai_queue *queue, const unsigned char *data,
                      uint32_t count)
{
    micai_frame *frame = &queue->now;
    while (count > 0) {
        uint32_t chunk = micai_chunk_of(frame->count - 1);
        uint32_t inside = frame->count - micai_chunk_start(chunk);
        uint32_t some = inside < count ? inside : count;
        uint32_t space;
        unsigned char *events = micai_queue_locate(queue, frame, frame->count - some, &space);
        count -= some;
        if (data) {
            micai_hook_undo_copy(&world->state->gate, queue->type, events,
                                 data + (size_t)count * queue->type->info.size, some);
        } else {
            micai_hook_destruct(&world->state->gate, queue->type, events, some);
        }
        frame->count -= some;
    }
    micai_queue_update_tail(queue);
}

// Creates the events of a value, all or none. The space is reserved.
static mica_result create_events(mica_world *world, micai_queue *queue, const unsigned char *data,
                                 uint32_t count)
{
    micai_frame *frame = &queue->now;
    micai_gate *gate = &world->state->gate;
    for (uint32_t done = 0; done < count;) {
        uint32_t space;
        unsigned char *events = micai_queue_locate(queue, frame, frame->count, &space);
        uint32_t some = count - done < space ? count - done : space;
        mica_result result =
            data ? micai_hook_copy(gate, queue->type, events,
                                   data + (size_t)done * queue->type->info.size, some)
                 : micai_hook_construct(gate, queue->type, events, some);
        if (result) {
            undo_send(world, queue, data, done);
            return result;
        }
        done += some;
        frame->count += some;
    }
    micai_queue_update_tail(queue);
    return MICA_OK;
}

// Checks a value, and that no value of a type that cannot be copied is sent twice.
static mica_result check_value(mica_world *world, const char *call, const mica_value *values,
                               uint32_t i)
{
    const micai_type *type = micai_world_type_in(world, call, "value", i, values[i].type);
    if (!type) {
        return micai_world_failed(world);
    }
    uint32_t count = count_of(&values[i]);
    mica_result result = type->info.size == 0
                             ? micai_world_check_size(world, call, type, 0)
                             : micai_world_check_array(world, call, type, &values[i], count);
    if (!result) {
        result = micai_value_check_source(world, call, type, values[i].data, count);
    }
    result = result ? result : micai_world_use_event(world, call, values[i].type, MICA_WRITE);
    for (uint32_t k = 0; !result && !micai_hook_can_copy(type) && k < i; k++) {
        const micai_type *other = micai_registry_find(&world->state->registry, values[k].type);
        result = micai_value_check_overlap(world, call, other, values[k].data, type, values[i].data,
                                           count);
    }
    return result;
}

static mica_result check_values(mica_world *world, const char *call, const mica_value *values,
                                uint32_t count)
{
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < count; i++) {
        result = check_value(world, call, values, i);
    }
    return result;
}

static mica_result send_all(mica_world *world, const mica_value *values, uint32_t count)
{
    mica_result result = MICA_OK;
    uint32_t sent = 0;
    while (!result && sent < count) {
        const mica_value *value = &values[sent];
        micai_queue *queue =
            micai_queue_open(world, micai_registry_find(&world->state->registry, value->type));
        result = queue ? reserve(world, queue, count_of(value)) : MICA_ERROR_MEMORY;
        result = result ? result : create_events(world, queue, value->data, count_of(value));
        sent += !result;
    }
    while (result && sent-- > 0) {
        undo_send(world, micai_queue_find(world, values[sent].type), values[sent].data,
                  count_of(&values[sent]));
    }
    return result;
}

// Sends recorded values, which were checked at recording.
static mica_result send_recorded(mica_world *world, const mica_value *values, uint32_t count)
{
    micai_host_begin(&world->host, send_call);
    mica_result result = send_all(world, values, count);
    micai_host_end(&world->host);
    return result;
}

// Called when a chunk is full. Not inlined, because that is rare.
MICAI_NOINLINE static void start_chunk(micai_queue *queue)
{
    micai_queue_update_tail(queue);
}

// Sends one event on the fast path. Otherwise returns false.
static inline bool send_one(const mica_world *world, const mica_value *value)
{
    micai_queue *queue = micai_queue_find(world, value->type);
    if (!queue || queue->space == 0 || value->size != queue->size || !value->data ||
        value->count != 1 || world->recorder || world->host.hook || world->host.handler ||
        (world->state->declared && !micai_declared_sends(world->state->declared, value->type))) {
        return false;
    }
    if (value->size == 8) { // a constant size for the most common case
        memcpy(queue->tail, value->data, 8);
    } else {
        memcpy(queue->tail, value->data, value->size);
    }
    queue->tail += value->size;
    queue->now.count++;
    if (--queue->space == 0) {
        start_chunk(queue);
    }
    return true;
}

MICAI_COLD static mica_result send_long(mica_world *face, const mica_value *values, uint32_t count)
{
    if (!face || (!values && count > 0)) {
        return micai_fail_null(micai_world_host(face), send_call, face ? "values" : "world");
    }
    mica_world *world = micai_world_main(face);
    mica_result result = micai_world_guard_own(world, send_call);
    if (result) {
        return result;
    }
    micai_host_begin(&world->host, send_call);
    result = check_values(world, send_call, values, count);
    if (!result) {
        result = face->recorder
                     ? face->recorder->send(face, send_call, values, count, send_recorded)
                     : send_all(world, values, count);
    }
    micai_host_end(&world->host);
    return result;
}

// Compares the C type of one event, and sends it on the fast path. Otherwise returns false.
static bool send_compared(const mica_world *world, const mica_value *value)
{
    mica_value plain = *value;
    plain.count = 1;
    const micai_type *type = micai_registry_find(&world->state->registry, value->type);
    return value->count == 0 && value->c_type && type && micai_type_is_c(type, value->c_type) &&
           send_one(world, &plain);
}

MICAI_NOINLINE static mica_result send_any(mica_world *world, const mica_value *values,
                                           uint32_t count)
{
    return world && values && count == 1 && send_compared(world, values)
               ? MICA_OK
               : send_long(world, values, count);
}

mica_result mica_send_values(mica_world *world, const mica_value *values, uint32_t count)
{
    return world && values && count == 1 && send_one(world, values)
               ? MICA_OK
               : send_any(world, values, count);
}
