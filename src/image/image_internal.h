// What saving and loading share beside the schema: the sections of an image, and the sizes of
// batches.
//
//   world      tick, time
//   types      the schema
//   entities   slots without entities
//   tables     in their order: types, then rows in batches, column by column
//   pools      the same for sparse types
//   groups     the order of non-owning groups, and of the sources of relations
//   facets     keys, in the order in which each owner got them
//   names
//   resources  those of saved types
//   ...        a section for each saver: events, queries, phases
//
// Version 2 added a list at the end of "phases": "moments", since when the queries of systems ask
// for changes. These begin anew if an image of version 1 is loaded. Version 4 added a
// list to "groups": "relations".
//
// Room:    image.
#ifndef MICAI_IMAGE_IMAGE_INTERNAL_H
#define MICAI_IMAGE_IMAGE_INTERNAL_H

#include <mica/stream.h>

#include "core/archive.h"
#include "state/state.h"

#define MICAI_IMAGE_BATCH 1024u // maximum number of rows in a batch
#define MICAI_IMAGE_BATCH_SIZE                                                                     \
    (UINT32_C(1) << 20) // maximum bytes of one column in a batch, unless one row has more

// Returns how many values of a size fit into a batch.
static inline uint32_t micai_image_rows(uint32_t size)
{
    uint32_t rows = MICAI_IMAGE_BATCH_SIZE / (size > 0 ? size : 1);
    return rows == 0 ? 1 : rows < MICAI_IMAGE_BATCH ? rows : MICAI_IMAGE_BATCH;
}

// Returns the size of the largest value in a row of a table.
uint32_t micai_image_largest(const micai_table *table);

#define MICAI_IMAGE_TICK_MAX (UINT64_C(1) << 62)

// The savers of modules, in the order of their sections.
extern const micai_saver *const micai_savers[];
extern const uint32_t micai_saver_count;

// Checks the stream, the world and the members of the descriptor that must be 0. Fails with
// MICA_ERROR_NULL, _DESC, _ITERATING and others. Waiting commands are MICA_ERROR_ITERATING, too,
// since an image cannot contain them.
mica_result micai_image_check(mica_world *world, const char *call, const mica_stream *stream,
                              uint32_t zeroes);

#endif
