// The component types of a world, by number and by name.
//
// Room:    core. Called by all rooms above.
//
// The number of a type is its bit in component sets. Types are never removed. So everything that
// belongs to a type (record, name, fields, enumerators, default value) is allocated in one arena. A
// failed registration rewinds it.
//
// Invariants, swept by micai_registry_validate():
//   K1  list.items[n] has number n, and its handle is the one that was returned for n.
//   K2  by_name contains exactly the types that are not hidden. Names of types and C types are
//       valid, and stored name hashes are correct.
//   K3  Bit n of column_words is set exactly if tables have columns for type n. Types that are or
//       were sparse have distinct numbers below `sparse_count`.
//   K4  Fields lie inside their type, in ascending order, without overlap. Their sizes match kind
//       and count. Their names and those of enumerators are valid, and the hashes of their names
//       are correct.
//   K5  A struct field has a type of lower depth. No depth exceeds MICA_NESTING_MAX, which bounds
//       recursion over fields.
//   K6  Sizes and alignments are ones that registration accepts. Tags have no hooks. A type with a
//       default value has no construct or copy hook.
//   K7  There are at most `limit` types, not counting the hidden one.
//   K8  A type that is or was split has the strips that follow from its fields. Other types have
//       none.
//   K10 Only existing kinds of events are watched. `plain` is set exactly if the type has no hooks,
//       its values are not watched, and they are no links.
//   K11 Every type has the registry's list of kinds.
//   K9  `hidden` is MICAI_NOT_HIDDEN or the number of the type with the reserved name.
#ifndef MICAI_CORE_REGISTRY_H
#define MICAI_CORE_REGISTRY_H

#include <mica/type.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bits.h"
#include "base/map.h"
#include "core/stamp.h"

typedef struct micai_field_strip micai_field_strip;
typedef struct micai_kind micai_kind;
typedef struct micai_callback micai_callback;

#define MICAI_NOT_SPARSE UINT32_MAX
#define MICAI_NOT_HIDDEN UINT32_MAX
#define MICAI_STORED_KINDS 4    // store/table/kind.h
#define MICAI_KINDS_OF_TYPES 11 // number of event kinds that concern a type: core/watch

typedef struct micai_type {
    mica_type_info info;
    uint32_t number;
    uint32_t depth;  // 1, or one more than the deepest struct field
    uint32_t sparse; // number among sparse types; MICAI_NOT_SPARSE: it was never sparse
    uint32_t field_strip_count;
    const micai_field_strip *strips; // split types only, in ascending order: core/field_strip
    uint64_t name_hash;
    const uint64_t *field_hashes; // of the names of fields, for core/value_hash; NULL: no fields
    // at registration; the handle says whether it was sparse (core/stamp)
    mica_storage first_storage;
    bool unstamped; // some query had a MICA_TOUCH term of it: writes may leave no tick
    bool
        plain; // bytes may be overwritten: the type has no hooks, no observers of values, no relation
    struct micai_relation *relation; // the relation whose links are values of this type; NULL: none
    uint32_t watched;                // event kinds that observers listen to: core/watch
    const micai_kind *const *kinds;  // the registry's
    // by bit of the event kind: the only listener; NULL: there is not exactly one
    micai_callback *single_listener[MICAI_KINDS_OF_TYPES];
} micai_type;

typedef struct micai_registry {
    MICAI_ARRAY(micai_type *) list;
    MICAI_ARRAY(uint64_t) column_words; // bits of the types that have columns
    micai_map by_name;
    micai_arena arena;
    uint32_t sparse_count;
    uint32_t hidden; // number of the hidden type; MICAI_NOT_HIDDEN: none
    uint32_t limit;
    uint32_t watched; // event kinds that observers of all entities listen to: core/watch
    uint64_t seal;    // the state's seal, for handles
    // The kinds of columns that types may have, by number; NULL: not linked into the program, or
    // not used yet. For store/table/kind.h.
    const micai_kind *kinds[MICAI_STORED_KINDS];
    // Is micai_field_strips_make(), set with the kind of split types.
    mica_result (*split)(micai_host *host, const struct micai_registry *registry,
                         micai_arena *arena, const char *call, micai_type *type);
} micai_registry;

// `limit` 0 means no limit but that of handles. The seal is the state's.
void micai_registry_init(micai_registry *registry, uint32_t limit, uint64_t seal);
void micai_registry_free(micai_host *host, micai_registry *registry);

// mica/type.h has the public contract. Returns the null handle on failure, which is reported on
// behalf of `call`.
mica_type micai_registry_register(micai_host *host, micai_registry *registry, const char *call,
                                  const mica_type_desc *desc);

// Registers all types or, if one is refused, none.
mica_result micai_registry_register_all(micai_host *host, micai_registry *registry,
                                        const char *call, const mica_type_desc *descs,
                                        uint32_t count, mica_type *types_out);

// Adds the library's own type, unless it exists. Look-ups by name and iteration over types do not
// find it. MICA_ERROR_MEMORY, MICA_ERROR_LIMIT.
mica_result micai_registry_add_hidden(micai_host *host, micai_registry *registry, const char *call,
                                      uint32_t size, uint32_t align);

// A state of the registry to rewind to. Rewinding removes all later types; nothing may refer to
// them.
typedef struct micai_registry_mark {
    uint32_t count;
    uint32_t sparse_count;
    uint32_t hidden;
    micai_arena_mark arena;
} micai_registry_mark;

micai_registry_mark micai_registry_get_mark(const micai_registry *registry);
void micai_registry_rewind(micai_registry *registry, micai_registry_mark mark);

// count returns how many types are visible to users. next returns the first visible number at or
// after `number`, which may be beyond the last type.
static inline uint32_t micai_registry_count(const micai_registry *registry)
{
    return registry->list.count - (registry->hidden != MICAI_NOT_HIDDEN);
}

static inline uint32_t micai_registry_next(const micai_registry *registry, uint32_t number)
{
    return number + (number == registry->hidden);
}

// Returns the type with this number, or NULL if users see no such type. Sets of types that belong
// to another world may have any numbers.
static inline const micai_type *micai_registry_at(const micai_registry *registry, uint32_t number)
{
    return number < registry->list.count && number != registry->hidden
               ? registry->list.items[number]
               : NULL;
}

// Returns a static string: "table", "sparse", "split", "ring".
const char *micai_storage_name(mica_storage storage);

// check fails, on behalf of `call`, if the type cannot use this storage: MICA_ERROR_ARGUMENT,
// _FIELD, _LIMIT, _MEMORY. set changes the storage and cannot fail. The type must have values.
mica_result micai_registry_check_storage(micai_host *host, micai_registry *registry,
                                         const char *call, const micai_type *type,
                                         mica_storage storage);
void micai_registry_set_storage(micai_registry *registry, const micai_type *type,
                                mica_storage storage);

// Returns the type of a handle, or NULL for the null handle and those of other worlds. Reports
// nothing. Costs one load beside the record, and one comparison.
static inline const micai_type *micai_registry_find(const micai_registry *registry, mica_type type)
{
    uint32_t number = micai_stamp_number(type.bits);
    if (number >= registry->list.count) {
        return NULL;
    }
    const micai_type *found = registry->list.items[number];
    return found->info.type.bits == type.bits ? found : NULL;
}

// Returns true if both names denote the same C type, by the rules of mica/type.h.
bool micai_c_type_matches(const char *a, const char *b);

// Returns true if the type has this C type, or if either is unknown (NULL).
static inline bool micai_type_is_c(const micai_type *type, const char *c_type)
{
    return !c_type || !type->info.c_type || micai_c_type_matches(type->info.c_type, c_type);
}

// Returns NULL if there is no type of that name.
const micai_type *micai_registry_find_name(const micai_registry *registry, const char *name);

// Returns true if this is the registered type with its number.
bool micai_registry_contains(const micai_registry *registry, const micai_type *type);

// Reports MICA_ERROR_TYPE; the sentence tells what kind of handle it is.
mica_result micai_registry_fail(micai_host *host, const char *call, mica_type type);

mica_result micai_registry_validate(micai_host *host, const micai_registry *registry);

#endif
