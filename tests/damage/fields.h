// Every structure of a world, every field of it, how it may be damaged, and which invariant then
// speaks up. A field that has no row is noticed (every_byte_of_every_structure_has_a_row); one whose
// damage nobody can tell says why.
#ifndef TEST_DAMAGE_FIELDS_H
#define TEST_DAMAGE_FIELDS_H

#include "damage/everything.h"

// What is done to a field.
typedef enum harm {
    HARM_NONE,     // nothing: `invariants` says why it would not be told
    HARM_PART,     // nothing: another structure of this list
    HARM_NUMBER,   // its lowest and its highest bit
    HARM_HIGH,     // its highest bit
    HARM_ENDS,     // zero, and its highest bit
    HARM_ZERO,     // zero
    HARM_MOST,     // all ones
    HARM_FLAG,     // the other, and what is no bool
    HARM_POINTER,  // null, or not; off by a byte; far away
    HARM_WILD,     // a pointer that may be null for good reasons: the same without null
    HARM_TEXT,     // a pointer to a text of which there is no second copy: far away
    HARM_CAPACITY, // zero, and far too much
    HARM_BYTES,    // each byte of a text
    HARM_ENDLESS   // a text without an end
} harm;

typedef struct field {
    const char *name;
    size_t offset;
    size_t size;
    harm harm;
    const char *invariants; // "T5 T6": one of these; "*": any
} field;

typedef struct visitor {
    void (*see)(struct visitor *visitor, void *instance);
} visitor;

typedef struct structure {
    const char *name;
    size_t size;
    size_t padding; // bytes that no field has, where pointers have 8
    const field *fields;
    void (*each)(everything *e, visitor *v); // shows every instance there is
} structure;

// Ends with a name that is NULL.
extern const structure structures[];

#endif
