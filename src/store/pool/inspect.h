// The layout of a pool's values, for mica/inspect.h.
//
// Room:    store/pool. Called by inspect/.
#ifndef MICAI_STORE_POOL_INSPECT_H
#define MICAI_STORE_POOL_INSPECT_H

#include <mica/inspect.h>

#include "store/pool/pool.h"

void micai_pool_inspect(const micai_pool *pool, mica_pool_info *info_out);

// Returns the first values at or after `row` that are adjacent and share a tick. The range is empty
// after the last row.
void micai_pool_inspect_rows(const micai_pool *pool, uint32_t row, mica_row_range *range_out);

#endif
