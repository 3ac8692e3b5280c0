// Kinds of column that only the tests have, to see that the contract of store/table/kind.h is enough
// for others than the paged one. Types are given a kind by how their name begins:
//
//   Halves...    a value's bytes in two strips: it lies nowhere whole. For types without hooks.
//   Careful...   the same, and the strips may not be moved as bytes.
//   Noted...     the value whole, and in a second strip of 8 bytes a checksum of it, so that strips
//                which part company are found.
//   Boxed...     outside of the strips, in an array per table. With any hooks.
//   Ringed...    in rings, which is no kind of the tests, to be put beside them.
//
// All others are paged.
#ifndef TEST_STORE_TABLE_KINDS_H
#define TEST_STORE_TABLE_KINDS_H

#include "store/table/kind.h"

// While this is false every type is paged: for a second world to compare with.
extern bool kinds_are_chosen;

#endif
