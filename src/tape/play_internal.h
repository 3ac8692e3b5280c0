// Playing a tape.
//
// Room:    tape. play.c reads records and runs steps, input.c reads what is in them.
#ifndef MICAI_TAPE_PLAY_INTERNAL_H
#define MICAI_TAPE_PLAY_INTERNAL_H

#include "base/stream.h"
#include "command/buffer.h"
#include "tape/tape_internal.h"

typedef struct micai_player {
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
} micai_player;

static inline micai_unpacker micai_tape_unpack(const micai_player *p)
{
    static const unsigned char none[1];
    const unsigned char *begin = p->content.bytes.items ? p->content.bytes.items : none;
    return (micai_unpacker){begin, begin + p->content.bytes.count, false};
}

mica_result micai_tape_fail_damaged(const micai_player *p, const char *what);
mica_result micai_tape_fail_desync(const micai_player *p, const char *what);

// Reads a record of types.
mica_result micai_tape_read_types(micai_player *p);

// Reads the flags and `dt` of a step.
mica_result micai_tape_read_time(micai_player *p, micai_unpacker *from);

// Reads a step, and records its input into the buffer. On failure, the buffer is empty.
mica_result micai_tape_read_input(micai_player *p);

#endif
