// The component types of a world: the list of them, by number and by name.
//
// Room:    core. Called by world/ (the public functions), store/ and query/ (sizes, hooks).
//
// A type's number is its bit in every component set. Types are made once and never go away, so
// everything a type consists of (record, name, fields, enumerators, default value) is cut from one
// arena, which a failed registration rewinds.
//
// Invariants, swept by micai_registry_validate():
//   K1  the number of list.items[n] is n, and its handle is the one that was given out for n.
//   K2  by_name finds every type but the hidden one under its name, and nothing else. Names are good
//       ones, those of C types too; the hash that a type keeps of its own is right.
//   K3  bit n of column_words is set exactly if values of type n are kept in columns of tables. The
//       types that are sparse, or were, have numbers below `sparse_count`, each its own.
//   K4  fields lie inside their type in ascending order without overlap, each as large as its kind
//       and count say. Their names and those of enumerators are good ones.
//   K5  a struct among them is of a type that is less deep; no type is deeper than MICA_NESTING_MAX,
//       which is how deep those who go through fields may call themselves.
//   K6  sizes and alignments are such as can be registered; tags have no hooks; a default value goes
//       with no construct or copy hook.
//   K7  there are no more types than `limit`, the hidden one not counted.
//   K8  types that are split, or were, have the pieces that their fields make; others have none.
//   K10 only kinds that there are are watched; a type is plain exactly if it can be.
//   K9  `hidden` is MICAI_NOT_HIDDEN, or the number of a type of the name that is for nobody.
#ifndef MICAI_CORE_REGISTRY_H
#define MICAI_CORE_REGISTRY_H

#include <mica/type.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bits.h"
#include "base/map.h"
#include "core/stamp.h"

typedef struct micai_field_strip micai_field_strip;
typedef struct micai_callback micai_callback;

#define MICAI_NOT_SPARSE UINT32_MAX
#define MICAI_NOT_HIDDEN UINT32_MAX
#define MICAI_KINDS_OF_TYPES 8 // bits of kinds that there are of types: core/watch

typedef struct micai_type {
    mica_type_info info;
    uint32_t number;
    uint32_t depth;  // 1, or one more than the deepest struct among its fields
    uint32_t sparse; // its number among the sparse types; MICAI_NOT_SPARSE: it never was one
    uint32_t field_strip_count;
    const micai_field_strip *strips; // of split types, in ascending order: core/field_strip
    uint64_t name_hash;
    mica_storage
        first_storage; // how it was kept first. Its handle says whether that was sparse: core/stamp
    bool plain; // values may be overwritten as bytes: it has no hooks, and nobody watches that
    uint32_t watched; // what observers listen to of it: core/watch
    micai_callback *single_listener
        [MICAI_KINDS_OF_TYPES]; // by the bit of each kind, who does, if it is one; NULL: none
} micai_type;

typedef struct micai_registry {
    MICAI_ARRAY(micai_type *) list;
    MICAI_ARRAY(uint64_t) column_words; // which types have columns
    micai_map by_name;
    micai_arena arena;
    uint32_t sparse_count;
    uint32_t hidden; // a number; MICAI_NOT_HIDDEN: none
    uint32_t limit;
    uint32_t watched; // what observers listen to of entities, whatever they have: core/watch
    uint64_t seal;    // of the state, in handles
} micai_registry;

// `limit` 0 means all there can be. The seal is the state's, in handles.
void micai_registry_init(micai_registry *registry, uint32_t limit, uint64_t seal);
void micai_registry_free(micai_host *host, micai_registry *registry);

// The public contract is in mica/type.h. None on failure, which has been reported, as that of `call`.
mica_type micai_registry_register(micai_host *host, micai_registry *registry, const char *call,
                                  const mica_type_desc *desc);

// The same for several, all or none: none of them is there if one is refused.
mica_result micai_registry_register_all(micai_host *host, micai_registry *registry,
                                        const char *call, const mica_type_desc *descs,
                                        uint32_t count, mica_type *types_out);

// The type that the library keeps for itself, made if it is not there: of a size and an alignment, found by
// nobody who looks for names or walks through all types. MICA_ERROR_MEMORY, MICA_ERROR_LIMIT.
mica_result micai_registry_add_hidden(micai_host *host, micai_registry *registry, const char *call,
                                      uint32_t size, uint32_t align);

// Where a registry stood, to go back to: types that were made since are none any more. Nobody may have
// kept anything of them.
typedef struct micai_registry_mark {
    uint32_t count;
    uint32_t sparse_count;
    uint32_t hidden;
    micai_arena_mark arena;
} micai_registry_mark;

micai_registry_mark micai_registry_get_mark(const micai_registry *registry);
void micai_registry_rewind(micai_registry *registry, micai_registry_mark mark);

// How many types there are for others; and the number of the first of them at or after one, which may be
// beyond the last.
static inline uint32_t micai_registry_count(const micai_registry *registry)
{
    return registry->list.count - (registry->hidden != MICAI_NOT_HIDDEN);
}

static inline uint32_t micai_registry_next(const micai_registry *registry, uint32_t number)
{
    return number + (number == registry->hidden);
}

// "table", "sparse", "split", "ring". A static string.
const char *micai_storage_name(mica_storage storage);

// Can the values of a type, which has some, be kept in another way? As those of `call`: MICA_ERROR_ARGUMENT,
// _FIELD, _LIMIT, _MEMORY. Then says that they are. Cannot fail.
mica_result micai_registry_check_storage(micai_host *host, micai_registry *registry,
                                         const char *call, const micai_type *type,
                                         mica_storage storage);
void micai_registry_set_storage(micai_registry *registry, const micai_type *type,
                                mica_storage storage);

// The type of a handle; NULL if it is none or of another world, unreported. One load beside the
// record, one comparison.
static inline const micai_type *micai_registry_find(const micai_registry *registry, mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    if (number >= registry->list.count) {
        return NULL;
    }
    const micai_type *found = registry->list.items[number];
    return found->info.type.bits == type.bits ? found : NULL;
}

// Are these names of one C type, as mica/type.h compares them?
bool micai_c_type_matches(const char *a, const char *b);

// NULL if there is no type of that name.
const micai_type *micai_registry_find_name(const micai_registry *registry, const char *name);

// Is it one of the types, found under its number?
bool micai_registry_contains(const micai_registry *registry, const micai_type *type);

// MICA_ERROR_TYPE with a sentence that says what the handle is.
mica_result micai_registry_fail(micai_host *host, const char *call, mica_type type);

mica_result micai_registry_validate(micai_host *host, const micai_registry *registry);

#endif
