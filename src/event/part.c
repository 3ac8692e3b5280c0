// Events in snapshots: for each queue, how many events there were, and those of both frames; and
// how far named cursors have read.
#include "event/part.h"

#include "base/canary.h"
#include "event/queue.h"

#define END UINT32_MAX // no type number

typedef struct queue_numbers {
    uint64_t before;
    uint32_t last;
    uint32_t now;
} queue_numbers;

// Passes the adjacent events of a frame from a place on. Returns how many.
static uint32_t next_events(const micai_queue *queue, const micai_frame *frame, uint32_t place,
                            unsigned char **events_out)
{
    uint32_t space;
    *events_out = micai_queue_locate(queue, frame, place, &space);
    return space < frame->count - place ? space : frame->count - place;
}

static void write_frame(const micai_queue *queue, const micai_frame *frame, micai_blob *to)
{
    for (uint32_t place = 0; place < frame->count;) {
        unsigned char *events;
        uint32_t count = next_events(queue, frame, place, &events);
        micai_blob_write(to, events, (size_t)count * queue->size);
        place += count;
    }
}

static void write_cursors(const micai_cursors *all, micai_blob *to)
{
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_cursor *cursor = &all->list.items[i];
        if (!micai_position_is_new(&cursor->read)) {
            size_t size = strlen(cursor->name) + 1;
            micai_blob_write_32(to, cursor->type->number);
            micai_blob_write_32(to, (uint32_t)size);
            micai_blob_write(to, cursor->name, size);
            micai_blob_write(to, &cursor->read, sizeof cursor->read);
        }
    }
}

// Finds the world's cursors of those in the snapshot, which it creates as needed. Then reads where
// they were if `reading` is set.
static mica_result visit_cursors(mica_world *world, micai_bytes *from, bool reading)
{
    mica_result result = MICA_OK;
    for (uint32_t n = micai_bytes_read_32(from); n != END && !result;
         n = result ? END : micai_bytes_read_32(from)) {
        const micai_type *type = micai_registry_at(&world->state->registry, n);
        uint32_t size = micai_bytes_read_32(from);
        const char *name = micai_bytes_skip(from, size);
        micai_position read;
        micai_bytes_read(from, &read, sizeof read);
        micai_queues *all = micai_queues_open(world); // a twin may have none
        micai_position *position =
            all ? micai_cursors_open(&world->host, &all->cursors, type, name) : NULL;
        if (!position) {
            result = MICA_ERROR_MEMORY;
        } else if (reading && !MICAI_CANARY("event.cursor_restored")) {
            *position = read;
        }
    }
    return result;
}

static void write(mica_world *world, micai_blob *to)
{
    const micai_queues *all = micai_queues_of(world);
    if (all) {
        write_cursors(&all->cursors, to);
    }
    micai_blob_write_32(to, END);
    for (uint32_t n = 0; all && n < all->list.count; n++) {
        const micai_queue *queue = all->list.items[n];
        if (queue && queue->before + queue->now.count > 0) {
            const queue_numbers numbers = {queue->before, queue->last.count, queue->now.count};
            micai_blob_write_32(to, n);
            micai_blob_write(to, &numbers, sizeof numbers);
            write_frame(queue, &queue->last, to);
            write_frame(queue, &queue->now, to);
        }
    }
    micai_blob_write_32(to, END);
}

static mica_result reserve_frame(mica_world *world, const micai_queue *queue, micai_frame *frame,
                                 uint32_t count)
{
    return count > frame->count
               ? micai_queue_reserve(&world->host, queue, frame, count - frame->count)
               : MICA_OK;
}

static mica_result reserve(mica_world *world, micai_bytes from, void **staged_out)
{
    (void)staged_out;
    mica_result result = visit_cursors(world, &from, false);
    if (result) {
        return result;
    }
    for (uint32_t n = micai_bytes_read_32(&from); n != END && !result;
         n = micai_bytes_read_32(&from)) {
        // A twin may have none.
        micai_queue *queue = micai_queue_open(world, world->state->registry.list.items[n]);
        if (!queue) {
            return MICA_ERROR_MEMORY;
        }
        queue_numbers numbers;
        micai_bytes_read(&from, &numbers, sizeof numbers);
        micai_bytes_skip(&from, ((size_t)numbers.last + numbers.now) * queue->size);
        result = reserve_frame(world, queue, &queue->last, numbers.last);
        result = result ? result : reserve_frame(world, queue, &queue->now, numbers.now);
        micai_queue_update_tail(queue);
    }
    return result;
}

static void read_frame(const micai_queue *queue, micai_frame *frame, uint32_t count,
                       micai_bytes *from)
{
    frame->count = count;
    for (uint32_t place = 0; place < count;) {
        unsigned char *events;
        uint32_t some = next_events(queue, frame, place, &events);
        micai_bytes_read(from, events, (size_t)some * queue->size);
        place += some;
    }
}

static void read(mica_world *world, micai_bytes from, void *staged)
{
    micai_queues *all = micai_queues_of(world);
    (void)staged;
    if (all) {
        micai_cursors_reset(&all->cursors);
    }
    (void)visit_cursors(world, &from, true); // cannot fail: reserve() has created them
    uint32_t next = micai_bytes_read_32(&from);
    for (uint32_t n = 0; all && n < all->list.count; n++) {
        micai_queue *queue = all->list.items[n];
        queue_numbers numbers = {0};
        if (queue) {
            if (n == next) {
                micai_bytes_read(&from, &numbers, sizeof numbers);
            }
            queue->before = numbers.before;
            read_frame(queue, &queue->last, numbers.last, &from);
            read_frame(queue, &queue->now, numbers.now, &from);
            micai_queue_update_tail(queue);
            next = n == next ? micai_bytes_read_32(&from) : next;
        }
    }
}

const micai_part micai_events_part = {NULL, write, reserve, read, NULL};
