// Changes of whole stores: changing the storage of a component while the world runs.
//
//     table, split, ring         the tables get other layouts: store/table/rebuild
//     tables -> pool             whole tables move where removing the component would lead, without
//                                its values, which are added to the pool
//     pool   -> tables           tables whose entities all have the component move as a whole, where
//                                adding it would lead; of others, rows with it move one by one
//
// Everything is reserved first. Then values are relocated and tables and pools are swapped, which
// cannot fail. So memory is needed for the values. Where rows move one by one, it is also needed
// for some rows and for their values in rings: store/table/transfer.h. Tables do not get the usual
// capacity ahead.
//
// Room:    entity. Called by query/storage, which compiles queries again.
#ifndef MICAI_ENTITY_BULK_H
#define MICAI_ENTITY_BULK_H

#include "state/state.h"
#include "store/table/rebuild.h"
#include "store/table/transfer.h"

// Entities of a table that move by a transition.
typedef struct micai_migration {
    const micai_transition *t;
    micai_transfer transfer;
    mica_entity *entities; // a list of some entities; NULL: all of them
    uint32_t count;
} micai_migration;

typedef struct micai_storage_change {
    mica_world *world;
    const micai_type *type;
    mica_storage before;
    micai_rebuild rebuild;
    micai_pool *pool;
    micai_migration *list;
    uint32_t count;
} micai_storage_change;

// Checks that the storage of a type may be changed. Fails with MICA_ERROR_ARGUMENT,
// MICA_ERROR_STORAGE or MICA_ERROR_OWNED.
mica_result micai_storage_check(mica_world *world, const char *call, const micai_type *type,
                                mica_storage storage);

// The type has its new storage already. The change uses scratch memory of the world until it is
// finished. Reserve fails with MICA_ERROR_MEMORY or MICA_ERROR_LIMIT. The caller then cancels the
// change.
mica_result micai_storage_reserve(micai_storage_change *change);
void micai_storage_cancel(micai_storage_change *change);
void micai_storage_commit(micai_storage_change *change);

// Ends the change after queries have been swapped. Frees tables that had the type.
void micai_storage_finish(const micai_storage_change *change);

#endif
