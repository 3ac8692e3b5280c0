// Queues: the events of each type, of this frame and of the last.
//
//   queue    last    chunk 0: 64 events | chunk 1: 128 | chunk 2: 256 ...     `count` of them
//            now     chunk 0: 64 events | ...
//
// A chunk that contains events never moves, so that events can be read while others are sent. At
// the end of a frame, the events of the last one are destroyed, and the two frames swap places. In
// a steady state nothing is allocated.
//
// Room:    event, and inspect/ for figures.
//
// Invariants, swept by the room's validate:
//   E1  a queue is listed under its type's number, and has the type's handle.
//   E2  a frame has at least as many chunks as its events need. Each chunk has twice the capacity
//       of the one before. The last frame has at most as many events as were sent before this one.
//   E3  `tail` and `space` of a type without hooks give the place behind the last event, and the
//       space left in its chunk.
//   E4  named cursors have valid names and registered types. They are sorted by type number and
//       name, each once. None has read more events than were sent.
#ifndef MICAI_EVENT_QUEUE_H
#define MICAI_EVENT_QUEUE_H

#include <mica/event.h>

#include "base/bits.h"
#include "core/stamp.h"
#include "event/cursor.h"
#include "state/state.h"

#define MICAI_EVENTS_MAX (UINT32_C(1) << 31) // for each type, in a frame

// The capacity of a frame's first chunk, as a power of two. Tests make it tiny.
#define MICAI_CHUNK_SHIFT MICA_VIEW_INDEX_SHIFT

typedef struct micai_frame {
    MICAI_ARRAY(unsigned char *) chunks;
    uint32_t count; // events in the chunks
} micai_frame;

typedef struct micai_queue {
    uint64_t bits; // the type's handle
    const micai_type *type;
    micai_frame last;
    micai_frame now;
    uint64_t before; // events sent before this frame; event numbers start at 1
    // The fast path: where the next event goes if it is bytes only, and the space left there.
    unsigned char *tail; // NULL, with no space: the fast path is closed
    uint32_t space;
    uint32_t size; // size of an event
} micai_queue;

typedef struct micai_queues {
    MICAI_ARRAY(micai_queue *) list; // by type number; NULL: no event was ever sent
    micai_cursors cursors;
} micai_queues;

static inline micai_queues *micai_queues_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_QUEUE].data;
}

// Returns NULL if no event of the type was ever sent.
static inline micai_queue *micai_queues_look_up(const micai_queues *all, uint64_t type)
{
    uint32_t number = micai_stamp_number(type);
    micai_queue *queue = number < all->list.count ? all->list.items[number] : NULL;
    return queue && queue->bits == type ? queue : NULL;
}

static inline micai_queue *micai_queue_find(const mica_world *world, mica_type type)
{
    const micai_queues *all = micai_queues_of(world);
    return all ? micai_queues_look_up(all, type.bits) : NULL;
}

// Returns the room's state, which it creates if needed, or NULL with MICA_ERROR_MEMORY.
micai_queues *micai_queues_open(mica_world *world);

// Return the capacity of a chunk, the total capacity of all chunks before it, and the chunk of a
// place.
static inline uint32_t micai_chunk_capacity(uint32_t chunk)
{
    return UINT32_C(1) << (MICAI_CHUNK_SHIFT + chunk);
}

static inline uint32_t micai_chunk_start(uint32_t chunk)
{
    return micai_chunk_capacity(chunk) - (UINT32_C(1) << MICAI_CHUNK_SHIFT);
}

static inline uint32_t micai_chunk_of(uint32_t place)
{
    return micai_bits_highest((place >> MICAI_CHUNK_SHIFT) + 1);
}

// Returns an event of a frame, and how many places follow side by side up to the end of its chunk.
static inline unsigned char *micai_queue_locate(const micai_queue *queue, const micai_frame *frame,
                                                uint32_t place, uint32_t *space_out)
{
    uint32_t chunk = micai_chunk_of(place);
    uint32_t inside = place - micai_chunk_start(chunk);
    *space_out = micai_chunk_capacity(chunk) - inside;
    return frame->chunks.items[chunk] + (size_t)inside * queue->type->info.size;
}

// Returns the queue of a type, which it creates if needed. Returns NULL with a report without
// memory. micai_queue_free() destroys the events, too. The queue must be in no list.
micai_queue *micai_queue_open(mica_world *world, const micai_type *type);
void micai_queue_free(micai_state *state, micai_queue *queue);

// Reserves space for `count` more events, or returns MICA_ERROR_MEMORY.
mica_result micai_queue_reserve(micai_host *host, const micai_queue *queue, micai_frame *frame,
                                uint32_t count);

mica_result micai_queues_validate(mica_world *world, const void *data);

// Returns the contribution to the digest.
uint64_t micai_queues_digest(const micai_state *state, const void *data, uint64_t hash);

// Returns the number of the oldest event that can be read, and of the next one that will be sent.
static inline uint64_t micai_queue_first(const micai_queue *queue)
{
    return queue->before + 1 - queue->last.count;
}

static inline uint64_t micai_queue_end(const micai_queue *queue)
{
    return queue->before + 1 + queue->now.count;
}

// Restores E3 after any change that bypasses the fast path.
void micai_queue_update_tail(micai_queue *queue);

#endif
