// A sample of the fields of a world's structures: numbers, counts, flags, ticks, and references from one structure to
// another. Each row breaks one field of one instance, and names the invariants that may then be reported. Pointers
// that the library owns are trusted, so no row makes one wild.
#ifndef TEST_DAMAGE_FIELDS_H
#define TEST_DAMAGE_FIELDS_H

#include "damage/everything.h"

typedef enum harm {
    HARM_LOW,  // flips the lowest bit
    HARM_HIGH, // flips the highest bit
    HARM_ZERO, // clears all bits
    HARM_TEXT  // fills a text, so that it has no end
} harm;

typedef struct field {
    const char *name;
    void *(*find)(const everything *e); // the instance
    size_t offset;
    size_t size;
    harm harm;
    const char *invariants; // "T5 T6": one of these
} field;

// Ends with a name that is NULL.
extern const field fields[];

#endif
