// Transfers: all rows of a table move by a transition. Changes by query move a million rows by
// handing over pages.
//
// Room:    store/table. Called by entity/bulk.
//
// All rows of the source move to the target. Reserve prepares everything and fills added columns
// with `data` or their defaults. Commit or cancel follows. Only transitions of one type accept
// data.
//
// In a *raw* transfer, the caller creates and destructs the values of columns that only one table
// has. The source's must be raw before the commit, and the target's are raw after it. A raw
// transfer needs little additional memory:
// - the added columns;
// - where rows move one by one, some sheets for the first of them, because emptied sheets of the
// source follow;
// - the memory outside of columns that have it, for these rows.
#ifndef MICAI_STORE_TABLE_TRANSFER_H
#define MICAI_STORE_TABLE_TRANSFER_H

#include "store/table/row.h"

#define MICAI_TRANSFER_FEW 4u

// Must not move in memory while it is reserved.
typedef struct micai_transfer {
    const micai_transition *t;
    const void *data;
    const mica_entity *entities; // the entities to move; NULL: all
    bool raw;
    bool by_page; // rows move with their sheets, except a few
    uint32_t rows;
    uint32_t single; // rows that move one by one
    // New sheets in the target's layout, with added pages only.
    MICAI_ARRAY(micai_sheet *) sheets;
    micai_sheet *few[MICAI_TRANSFER_FEW]; // the list of sheets while it is short
} micai_transfer;

mica_result micai_transfer_reserve(micai_store *store, const micai_transition *t, const void *data,
                                   micai_transfer *transfer_out);

// Moves only the rows of `count` entities of the source, whose list must stay until the commit.
// NULL: all rows.
mica_result micai_transfer_reserve_raw(micai_store *store, const micai_transition *t,
                                       const mica_entity *entities, uint32_t count,
                                       micai_transfer *transfer_out);
void micai_transfer_commit(micai_store *store, micai_transfer *transfer, uint64_t tick);
void micai_transfer_cancel(micai_store *store, micai_transfer *transfer);

#endif
