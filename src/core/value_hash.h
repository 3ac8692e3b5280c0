// The hash of one value: of its named fields or, if the type has no fields, of its bytes. Padding, the
// order of bytes in numbers, and what follows the end of a text do not affect it. And the runs of
// bytes in a value that this leaves, for digests of many values.
//
// Room:    core. Called by store/table (digest), entity/, event/ and inspect/.
#ifndef MICAI_CORE_VALUE_HASH_H
#define MICAI_CORE_VALUE_HASH_H

#include "base/hash.h"
#include "core/registry.h"

// Sums the hashes of the fields, each with its name. So their order does not affect the result.
uint64_t micai_hash_value(const micai_registry *types, const micai_type *type,
                          const unsigned char *value);

// Returns the length of a text: up to the first zero, or `size`.
uint32_t micai_value_count_text(const unsigned char *bytes, uint32_t size);

// Adjacent bytes of fields: numbers, or one text.
typedef struct micai_value_run {
    uint32_t begin; // in the value
    uint32_t end;
    uint32_t unit;   // size of the numbers; 1: bytes, which are in the same order on all machines
    uint32_t before; // characters of the text in front of `begin`; not 0: a strip begins in a text
    bool text;
} micai_value_run;

// Finds the next run from `from` to `end`, two positions in a value. Numbers are one run up to the next
// padding or text. Returns false if there is none.
bool micai_value_next_run(const micai_registry *types, const micai_type *type, uint32_t from,
                          uint32_t end, micai_value_run *run_out);

#endif
