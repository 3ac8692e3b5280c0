// Whole tables by transitions: how by-query changes move a million rows by handing over pages.
//
// Room:    store/table. Called by query/ (bulk, storage).
//
// All rows of the source go to the target. Reserve prepares everything, added columns filled with
// `data` or their defaults; commit or cancel follows. Only transitions of one type are given data.
//
// In a *raw* transfer the values of columns that only one of the tables has are the caller's business: neither
// made nor ended. Those of the source are raw before it is committed, those of the target behind it. And it takes
// no more memory than it must: that of added columns; where rows go one by one, some sheets for the first of
// them, because sheets that the source does not need any more follow; and, of columns whose values lie outside, what
// they keep for these rows.
#ifndef MICAI_STORE_TABLE_TRANSFER_H
#define MICAI_STORE_TABLE_TRANSFER_H

#include "store/table/row.h"

#define MICAI_TRANSFER_FEW 4u

// Not to be moved while it is reserved.
typedef struct micai_transfer {
    const micai_transition *t;
    const void *data;
    const mica_entity *entities; // who goes; NULL: all
    bool raw;
    bool by_page; // rows go with their sheets, but for a few
    uint32_t rows;
    uint32_t single;                      // rows of them that go one by one
    MICAI_ARRAY(micai_sheet *) sheets;    // new ones in the target's layout, with added pages only
    micai_sheet *few[MICAI_TRANSFER_FEW]; // where they are listed, if they are not more
} micai_transfer;

mica_result micai_transfer_reserve(micai_store *store, const micai_transition *t, const void *data,
                                   micai_transfer *transfer_out);

// Of the source's rows, those of `count` entities, which are listed until it is committed; NULL: all of them.
mica_result micai_transfer_reserve_raw(micai_store *store, const micai_transition *t,
                                       const mica_entity *entities, uint32_t count,
                                       micai_transfer *transfer_out);
void micai_transfer_commit(micai_store *store, micai_transfer *transfer, uint64_t tick);
void micai_transfer_cancel(micai_store *store, micai_transfer *transfer);

#endif
