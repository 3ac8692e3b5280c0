// Writers of whole stores. Changing how a component is kept while the world runs.
//
//   table, split, ring         the tables get other layouts: store/table/rebuild
//   tables -> pool             whole tables go where removing the component would lead, without its values,
//                              which are added to the pool
//   pool   -> tables           tables of which all entities have the component go whole where adding it
//                              would lead; of others, those that have it go one by one
//
// Everything is reserved beside what there is; then values are relocated, and tables and pools are exchanged, which
// cannot fail. So memory is needed for the values, and where rows go one by one, for some of them and for
// what others keep of them in rings: store/table/transfer.h. Capacity that tables grow by otherwise is not kept ready.
//
// Room:    entity. Called by query/storage, which compiles queries anew.
#ifndef MICAI_ENTITY_BULK_H
#define MICAI_ENTITY_BULK_H

#include "state/state.h"
#include "store/table/rebuild.h"
#include "store/table/transfer.h"

// Entities of a table that move by a transition.
typedef struct micai_migration {
    const micai_transition *t;
    micai_transfer transfer;
    mica_entity *entities; // if they are some; NULL: all of them
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

// May the storage of a type be changed? Reports why not: MICA_ERROR_ARGUMENT, _STORAGE, _OWNED.
mica_result micai_storage_check(mica_world *world, const char *call, const micai_type *type,
                                mica_storage storage);

// The type has its new storage already. Scratch memory of the world is used until all is over. MICA_ERROR_MEMORY,
// _LIMIT: then it is to be cancelled.
mica_result micai_storage_reserve(micai_storage_change *change);
void micai_storage_cancel(micai_storage_change *change);
void micai_storage_commit(micai_storage_change *change);

// At the end, when queries have been exchanged: tables that had the type go.
void micai_storage_finish(const micai_storage_change *change);

#endif
