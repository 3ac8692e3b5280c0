// Digests of columns: their values, flags and row stamps in the order of rows, and the ticks of their
// pages. Of pools, too.
//
// Room:    store/table. Called by store/pool and entity/ (digest).
//
// A digest covers all bytes of state, and no others: no padding, nothing behind the end of a text, no
// cells of holes (P3). Numbers enter with their lowest byte first. So where values have no padding and
// no texts, adjacent cells enter as they are in memory. Others enter run by run: the first run of all
// rows, the next run of all rows. The result does not depend on where pages or parts of rings end.
#ifndef MICAI_STORE_TABLE_DIGEST_H
#define MICAI_STORE_TABLE_DIGEST_H

#include "core/value_hash.h"
#include "store/table/table.h"

// Add to a digest: the ticks of a column's pages; what is in the cells of a column. The ids of holes
// are included, because they link the holes.
void micai_digest_ticks(micai_hash_stream *digest, const micai_table *table, uint32_t column);
void micai_digest_cells(micai_hash_stream *digest, const micai_registry *types,
                        const micai_table *table, uint32_t column);

#endif
