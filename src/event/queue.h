// Queues: the events of each type, of this frame and of the last.
//
//   queue    last    chunk 0: 64 events | chunk 1: 128 | chunk 2: 256 ...     `count` of them
//            now     chunk 0: 64 events | ...
//
// A chunk is never moved while anything is in it, so that events can be read while others are sent. When a
// frame ends, the events of the last one end, and the two change places: in a steady state nothing is
// allocated.
//
// Room:    event, private to it.
//
// Invariants, swept by the room's validate:
//   E1  a queue is kept under its type's number, with the type's handle.
//   E2  a frame has as many chunks as its events need, or more; each has twice as much room as the one
//       before. No more events are of the last frame than were sent before this one.
//   E3  the short cut of a type without hooks leads to the place behind the last event, and to the end of
//       its chunk.
#ifndef MICAI_EVENT_QUEUE_H
#define MICAI_EVENT_QUEUE_H

#include <mica/event.h>

#include "state/state.h"

#define MICAI_EVENTS_MAX (UINT32_C(1) << 31) // of a type, in a frame

// Events in a frame's first chunk, as a power of two. Tests make it tiny.
#define MICAI_CHUNK_SHIFT MICA_VIEW_SHELF_SHIFT

typedef struct micai_frame {
    MICAI_ARRAY(unsigned char *) chunks;
    uint32_t count; // events in them
} micai_frame;

typedef struct micai_queue {
    uint64_t bits; // its type's handle
    const micai_type *type;
    micai_frame last;
    micai_frame now;
    uint64_t before; // events sent before this frame. They are numbered from 1 on
    // The short cut: where the next event goes if it is nothing but bytes, and how many more can follow.
    unsigned char *tail; // NULL, with room for none: the short cut is shut
    uint32_t room;
    uint32_t size; // of an event
} micai_queue;

typedef struct micai_queues {
    MICAI_ARRAY(micai_queue *) list; // by number of type; NULL: nothing was ever sent of it
} micai_queues;

// The queue of a type, made if there is none: NULL, reported, for lack of memory. And back, with its
// events, of one that is in no list.
micai_queue *micai_queue_open(mica_world *world, const micai_type *type);
void micai_queue_free(micai_state *state, micai_queue *queue);

// An event of a frame, and how many lie side by side from there on to the end of its chunk. Room for so
// many more: MICA_ERROR_MEMORY.
unsigned char *micai_queue_locate(const micai_queue *queue, const micai_frame *frame,
                                  uint32_t place, uint32_t *room_out);
mica_result micai_queue_widen(micai_host *host, const micai_queue *queue, micai_frame *frame,
                              uint32_t count);

// E3, after anything but a short cut.
void micai_queue_aim(micai_queue *queue);

#endif
