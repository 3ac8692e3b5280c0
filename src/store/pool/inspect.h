// How the values of a pool lie, for those who look in from outside (mica/inspect.h).
//
// Room:    store/pool. Called by world/inspect.
#ifndef MICAI_STORE_POOL_INSPECT_H
#define MICAI_STORE_POOL_INSPECT_H

#include <mica/inspect.h>

#include "store/pool/pool.h"

void micai_pool_inspect(const micai_pool *pool, mica_pool_info *info_out);

// The first values at or behind a row that lie side by side and have a tick in common; none behind the last.
void micai_pool_inspect_rows(const micai_pool *pool, uint32_t row, mica_row_range *range_out);

#endif
