// The format of deltas, which save.c writes and load.c reads.
//
// Room:    delta.
//
//   magic, 3 | version, 1 | flags, 1 | hash of the state before, 8 | hash of the state afterwards, 8
//   types        count; each: its name, a hash of its layout in 4 bytes, then the rounded leaves: their
//                count; each: its number, and the step in 8 bytes
//   despawned    slots
//   spawned      slots; then the generation of each, which begins with 1
//   facets       count; each: its number among the spawned, the slot of its owner, the number of the type of
//                its key among the types (from 1 on; 0: none), the role
//   names        slots; then the name of each, which is empty if it has none afterwards
//   values       of each type: slots that it was removed from; runs of slots that it was added to; runs of
//                slots where its value has changed; slots where it was toggled; its resource: 0, nothing
//                has changed; 1, it was removed; 2, its mask and leaves follow
//   checksum, 8  of all bytes before
//
// Numbers have 7 bits in each byte, the lowest first, unless a size is given. Those are little-endian. Texts
// follow their size.
//
//   run          slots, a mask of leaves, and for each slot the leaves: leaf.h. A run without
//                slots ends the list. If the type can be toggled, a run of added values has a byte in front
//                of the mask: 1 if they are disabled.
//
// Leaves of an added value are those that differ from the default value. A delta has no generations of
// entities that were there before: the state before is known, so the slot is enough.
#ifndef MICAI_DELTA_DELTA_INTERNAL_H
#define MICAI_DELTA_DELTA_INTERNAL_H

#include <mica/delta.h>

#define MICAI_DELTA_MAGIC "\x8emd"
#define MICAI_DELTA_MAGIC_SIZE 3u
#define MICAI_DELTA_SUM_SIZE 8u

enum {
    MICAI_DELTA_ROUNDS = 1, // a flag: the state afterwards has values that are rounded
};

enum { MICAI_DELTA_KEPT, MICAI_DELTA_REMOVED, MICAI_DELTA_SET }; // resources

#endif
