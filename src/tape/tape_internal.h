// The format of tapes, which record.c writes, and play.c and input.c read, and the types of a tape.
//
// Room:    tape.
//
//   magic, 3 | version, 1 | hash of the world, 8 | bits of its time, 8
//   records: size of the content | kind, 1 | content | sum, 2
//
//   HASH     hash of the world, 8, before the next step
//   TYPES    each: its name, a hash of its layout in 4 bytes. They are numbered in this order, from 0 on
//   STEP     flags, 1: 1, the bits of `dt` follow, 8, else it is as before; then commands
//   FAILED   nothing: the frame of the step before has not ended
//   END      hash of the world, 8; or nothing
//
//   command  verb, 1, with SAME if the entity is that of the command before; else its slot and its tag
//   SET      a value
//   REMOVE, ENABLE, DISABLE      the number of a type
//   DESPAWN
//   SPAWN    the number of values; the values
//   FACET    slot and tag of the owner; 1 + the number of the type of its key, or 0; role; like SPAWN
//   CLONE    slot and tag of the source
//   NAME     a text; empty: none
//   SEND     1 + how many values; the number of a type; the values. 0: the default of the type
//   LINK, LINK_BEFORE, UNLINK    the number of a type; slot and tag of the target or sibling
//   value    twice the number of a type, plus 1 if a mask and leaves follow: those that differ from the
//            default (delta/leaf.h)
//
// Numbers have 7 bits in each byte, the lowest first, unless a size is given. Those are little-endian. Texts
// follow their size. The sum is of the record and all before.
#ifndef MICAI_TAPE_TAPE_INTERNAL_H
#define MICAI_TAPE_TAPE_INTERNAL_H

#include <mica/tape.h>

#include "base/hash.h"
#include "delta/leaf.h"
#include "state/state.h"

#define MICAI_TAPE_MAGIC "\x8emt"
#define MICAI_TAPE_MAGIC_SIZE 3u
#define MICAI_TAPE_HEAD_SIZE 20u
#define MICAI_TAPE_SUM_SIZE 2u
#define MICAI_TAPE_TIMED 1u // a flag of STEP

typedef enum micai_tape_kind {
    MICAI_TAPE_HASH,
    MICAI_TAPE_TYPES,
    MICAI_TAPE_STEP,
    MICAI_TAPE_FAILED,
    MICAI_TAPE_END,
    MICAI_TAPE_KINDS
} micai_tape_kind;

typedef enum micai_tape_verb {
    MICAI_TAPE_SET,
    MICAI_TAPE_REMOVE,
    MICAI_TAPE_ENABLE,
    MICAI_TAPE_DISABLE,
    MICAI_TAPE_DESPAWN,
    MICAI_TAPE_SPAWN,
    MICAI_TAPE_FACET,
    MICAI_TAPE_CLONE,
    MICAI_TAPE_NAME,
    MICAI_TAPE_SEND,
    MICAI_TAPE_LINK, // these three in the order of micai_link_verb
    MICAI_TAPE_LINK_BEFORE,
    MICAI_TAPE_UNLINK,
    MICAI_TAPE_SAME = 0x80
} micai_tape_verb;

typedef struct micai_tape_type {
    const micai_type *type;
    bool numbered;   // it is on the tape
    uint32_t number; // there
    micai_leaves leaves;
} micai_tape_type;

typedef struct micai_tape_types {
    micai_host *host;
    const micai_registry *registry;
    micai_arena arena;
    MICAI_ARRAY(micai_tape_type *) known; // by number of the registry; NULL: not used yet
    MICAI_ARRAY(micai_tape_type *) list;  // by number on the tape
} micai_tape_types;

// Returns what is known of a type. NULL: MICA_ERROR_MEMORY.
micai_tape_type *micai_tape_types_open(micai_tape_types *types, const micai_type *type);

// Gives a type the next number on the tape. False: MICA_ERROR_MEMORY.
bool micai_tape_types_add(micai_tape_types *types, micai_tape_type *one);

void micai_tape_types_free(micai_tape_types *types);

// Fails with this code if values of the type cannot be on a tape.
mica_result micai_tape_types_check(const micai_tape_types *types, const char *call,
                                   mica_result code, const micai_type *type);

// Adds a record to the sum of those before.
static inline uint64_t micai_tape_sum(uint64_t sum, micai_tape_kind kind, const void *content,
                                      size_t size)
{
    return micai_hash_add(micai_hash_add(sum, (uint64_t)kind), micai_hash_bytes(content, size));
}

// Passes out mica_world_hash(). MICA_ERROR_MEMORY.
mica_result micai_tape_hash_world(mica_world *world, const char *call, uint64_t *hash_out);

static inline uint64_t micai_tape_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// Checks whether a tape can begin, or be played, now. Ends what a longjmp() or an exception out of a step has left of
// a playing.
mica_result micai_tape_check(mica_world *world, const char *call, const mica_stream *stream);

#endif
