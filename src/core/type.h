// The component types of a world: the list of them, by number and by name.
//
// Room:    core. Called by world/ (the public functions), store/ and query/ (sizes, hooks).
//
// A type's number is its bit in every component set. Types are made once and never go away, so
// everything a type consists of (record, name, fields, enumerators, default value) is cut from one
// arena, which a failed registration rewinds.
//
// Invariants, swept by micai_types_validate():
//   K1  list.items[n]->number is n, and its handle is the one that was given out for n.
//   K2  by_name finds every type under its name, and nothing else.
//   K3  bit n of data_words is set exactly if type n carries data.
//   K4  fields lie inside their type in ascending order without overlap.
#ifndef MICAI_CORE_TYPE_H
#define MICAI_CORE_TYPE_H

#include <mica/type.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bits.h"
#include "base/map.h"
#include "core/stamp.h"

typedef struct micai_type {
    mica_type_info info;
    uint32_t number;
    uint64_t name_hash;
} micai_type;

typedef struct micai_types {
    MICAI_ARRAY(micai_type *) list;
    MICAI_ARRAY(uint64_t) data_words; // which types carry data
    micai_map by_name;
    micai_arena arena;
    uint32_t limit;
} micai_types;

// `limit` 0 means all there can be. The host's address is the world's identity in handles.
void micai_types_init(micai_types *types, uint32_t limit);
void micai_types_free(micai_host *host, micai_types *types);

// The public contract is in mica/type.h. None on failure, which has been reported.
mica_type micai_types_register(micai_host *host, micai_types *types, const mica_type_desc *desc);

// The type of a handle; NULL if it is none or of another world, unreported. One load beside the
// record, one comparison.
static inline const micai_type *micai_types_find(const micai_types *types, mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    if (number >= types->list.count) {
        return NULL;
    }
    const micai_type *found = types->list.items[number];
    return found->info.type.bits == type.bits ? found : NULL;
}

// NULL if there is no type of that name.
const micai_type *micai_types_find_name(const micai_types *types, const char *name);

// MICA_ERROR_TYPE with a sentence that says what the handle is.
mica_result micai_types_fail(micai_host *host, const char *call, mica_type type);

mica_result micai_types_validate(micai_host *host, const micai_types *types);

#endif
