// What saving and loading agree on beside the schema: which sections there are, and how much comes at
// once.
//
//   world      tick, time
//   types      the schema
//   entities   slots without entities
//   tables     in their order: types, then rows, some at a time, column by column
//   pools      the same for sparse types
//   groups     the order of those that own nothing
//   facets     keys, in the order in which each owner got them
//   names
//   resources  those of types that are saved
//   ...        a section for each saver: events, queries, phases
//
// Version 2 has one list more, behind the others in "phases": "moments", since when the queries of systems ask
// for changes. Of version 1, these begin anew.
//
// Room:    image.
#ifndef MICAI_IMAGE_IMAGE_INTERNAL_H
#define MICAI_IMAGE_IMAGE_INTERNAL_H

#include <mica/stream.h>

#include "core/archive.h"
#include "state/state.h"

#define MICAI_IMAGE_BATCH 1024u // rows at once, at most
#define MICAI_IMAGE_BATCH_SIZE                                                                     \
    (UINT32_C(1) << 20) // bytes of one column at once, if they are not one row's

// How many values of a size come at once.
static inline uint32_t micai_image_rows(uint32_t size)
{
    uint32_t rows = MICAI_IMAGE_BATCH_SIZE / (size > 0 ? size : 1);
    return rows == 0 ? 1 : rows < MICAI_IMAGE_BATCH ? rows : MICAI_IMAGE_BATCH;
}

// The size of the largest value in a row of a table.
uint32_t micai_image_largest(const micai_table *table);

#define MICAI_IMAGE_TICK_MAX (UINT64_C(1) << 62)

// Those of modules above the world, in the order of their sections.
extern const micai_saver *const micai_savers[];
extern const uint32_t micai_saver_count;

// What every call asks first, of its stream, the world and the members of the descriptor that must be 0: MICA_ERROR_NULL,
// _ITERATING (also if commands wait to be carried out, which an image cannot have), _DESC and others.
mica_result micai_image_check(mica_world *world, const char *call, const mica_stream *stream,
                              uint32_t zeroes);

#endif
