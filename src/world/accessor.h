// Look-ups for accessors: for each type that was asked for, its column in every table.
//
// Room:    world. Called by world/ (when tables come).
//
// Invariant, swept by mica_world_validate():
//   W4  a look-up has an entry for every table, and it is the type's column there.
#ifndef MICAI_WORLD_ACCESSOR_H
#define MICAI_WORLD_ACCESSOR_H

#include <mica/accessor.h>

#include "base/array.h"
#include "store/table/store.h"

typedef struct micai_lookup {
    mica_view_lookup view;
    uint32_t capacity; // entries at view.columns
    const micai_type *type;
} micai_lookup;

typedef struct micai_lookups {
    MICAI_ARRAY(micai_lookup *) list; // in no order: there are few, and none ever goes
} micai_lookups;

void micai_lookups_free(micai_host *host, micai_lookups *lookups);

// A table was made: all look-ups enter it, or MICA_ERROR_MEMORY and none does.
mica_result micai_lookups_enter(micai_host *host, micai_lookups *lookups, const micai_table *table);

mica_result micai_lookups_validate(const micai_store *store, const micai_lookups *lookups);

#endif
