// Leaves: the fields of a type, with those of nested structs in their place. A delta has the leaves of a value
// that differ.
//
// Room:    delta. Called by its files, and by tape/.
//
//     mask     a bit per leaf: it differs
//     leaf     exact: its elements as they are, little-endian; a text up to its end
//              rounded: for each element, the difference of two multiples of the step
//
// A type without fields is one leaf of bytes.
#ifndef MICAI_DELTA_LEAF_H
#define MICAI_DELTA_LEAF_H

#include "base/arena.h"
#include "core/registry.h"
#include "delta/pack.h"

typedef struct micai_leaf {
    const mica_field_info *field; // NULL: bytes of a type without fields
    mica_kind kind;               // MICA_KIND_NONE: bytes
    uint32_t offset;              // in the value
    uint32_t size;                // of an element
    uint32_t count;               // elements; CHAR, more than one: a text
    double step;                  // 0: exact
} micai_leaf;

typedef struct micai_leaves {
    micai_leaf *items;
    uint32_t count;
    uint32_t mask_size;     // bytes
    uint64_t layout;        // a hash of names, kinds and counts, and of the default value
    unsigned char *mask;    // space for one; NULL before micai_leaves_prepare()
    unsigned char *initial; // the value that a component begins with; NULL before, too
} micai_leaves;

// Fails with this code if values of the type are more than their fields. `what` has the values: "deltas".
mica_result micai_leaves_check(micai_host *host, const char *call, const micai_registry *registry,
                               const micai_type *type, mica_result code, const char *what);

// Lists the leaves of a type, all of them exact. False: MICA_ERROR_MEMORY.
bool micai_leaves_make(micai_host *host, micai_arena *arena, const micai_registry *registry,
                       const micai_type *type, micai_leaves *leaves_out);

// Allocates what writing values needs. False: MICA_ERROR_MEMORY.
bool micai_leaves_prepare(micai_host *host, micai_arena *arena, const micai_type *type,
                          micai_leaves *leaves);

// Returns true if a field of this kind can be rounded to multiples of a step.
bool micai_leaf_can_round(mica_kind kind, double step);

// Sets the mask of what differs. Returns false if nothing does.
bool micai_leaves_compare(const micai_leaves *leaves, const unsigned char *before,
                          const unsigned char *after, unsigned char *mask);

// Writes the leaves of a mask.
void micai_leaves_write(const micai_leaves *leaves, const unsigned char *mask,
                        const unsigned char *before, const unsigned char *after, micai_packer *to);

// Reads them into a value, which has what was there before.
void micai_leaves_read(const micai_leaves *leaves, const unsigned char *mask, micai_unpacker *from,
                       unsigned char *value);

// Writes the value that a component begins with.
static inline void micai_leaves_begin(const micai_type *type, unsigned char *value)
{
    if (type->info.default_value) {
        memcpy(value, type->info.default_value, type->info.size);
    } else {
        memset(value, 0, type->info.size);
    }
}

#endif
