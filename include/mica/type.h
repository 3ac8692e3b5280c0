// Component types: registration, storage, defaults and hooks. A type is registered in a world, by
// name:
//
//   mica_type position = MICA_REGISTER(world, Position, x, y);   // a struct and its fields
//   mica_type frozen   = MICA_TAG(world, Frozen);                // a tag: no data
//   mica_type target   = MICA_REGISTER_SPARSE(world, Target, entity);   // added and removed often
//   mica_type selected = MICA_SPARSE_TAG(world, Selected);
//   mica_type body     = MICA_REGISTER_SPLIT(world, Body, x, y, mass);   // an array for each field
//   mica_type heat     = MICA_REGISTER_RING(world, Heat, degrees);   // often iterated alone
//
// or with a descriptor, which also takes hooks, a default value and more. Registering the same type
// again returns the same handle. Registering the same name with anything different is an error.
#ifndef MICA_TYPE_H
#define MICA_TYPE_H

#include <mica/detail/use.h>
#include <mica/field.h>
#include <mica/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

// Limits of a type.
#define MICA_TYPE_SIZE_MAX (1u << 20)
#define MICA_TYPE_ALIGN_MAX 4096u
#define MICA_NAME_SIZE_MAX 255u
#define MICA_FIELDS_MAX 1024u
#define MICA_NESTING_MAX 16u  // depth of structs in structs: see mica/field.h
#define MICA_STRIPS_MAX 1024u // arrays of a split type

// Size of the buffer for mica_hook_explain(), with the terminating zero.
#define MICA_HOOK_WHY_SIZE 96u

typedef struct mica_type_info mica_type_info;

// How the values of a component are stored. Every storage supports the same calls and the same
// queries, with the same results. Only the speed differs.
typedef enum mica_storage {
    // In archetype tables: entities with the same set of components have their values side by side.
    // A query reads several components together as fast as plain arrays. Adding or removing one
    // moves the entity to another table.
    MICA_TABLE = 0,
    // In a sparse set of its own: adding or removing one touches no other component of the entity.
    // For components that are added and removed often, such as a tag that flips every frame.
    MICA_SPARSE,
    // In tables, with a separate array for each field (structure of arrays). A loop over one field
    // reads nothing else and can be vectorized. A value is not stored in one piece: loops read
    // fields (mica_read_field), and single values are set and loaded (mica_load), not pointed to.
    // Requires fields; allows no hooks.
    MICA_SPLIT,
    // In tables like MICA_TABLE, but the values of all tables lie in one array. A query that needs
    // only this component reads one array, however many tables there are. See mica_world_compact().
    // Not for tags, which have no values.
    MICA_RING,
    MICA_STORAGE_COUNT
} mica_storage;
MICA_ENUM_(mica_storage);

// The arguments of a hook.
typedef struct mica_hook_context {
    const mica_type_info *type;
    void *user;                      // from the type's descriptor
    const mica_allocator *allocator; // the world's; the hook must free its memory itself
    char *why;                       // read if the hook fails: mica_hook_explain()
} mica_hook_context;

// Called by a hook that fails: gives the reason, in a few words. [hook.why] They become the end of
// the error message, "mica_spawn: the copy hook of 'Mesh' failed: ...", and are truncated to
// MICA_HOOK_WHY_SIZE - 1 bytes. [hook.sentence]
static inline void mica_hook_explain(const mica_hook_context *context, const char *why)
{
    char *to = context->why;
    for (uint32_t left = MICA_HOOK_WHY_SIZE - 1; left > 0 && *why; left--) {
        *to++ = *why++;
    }
    *to = '\0';
}

// Saves some bytes of a value. Returns false if that fails: the hook should then return an error.
typedef bool mica_put(void *out, const void *data, size_t size);

// Hooks handle values that are more than their bytes. Each one works on `count` values in a row.
// Defaults for NULL: construct copies the default value (or zeroes), destruct does nothing, copy
// and move copy bytes. Each operation on a value calls its hook exactly once.
//
// While a hook runs, its world is partly changed, and calls into it fail with MICA_ERROR_HOOK. That
// error is reported when the outer call returns, and does not affect the outer call. A hook may
// call functions that look up types (mica_type_find, _get_info, _next; mica_type_set_*),
// statistics (mica_entity_count, mica_world_get_stats) and errors. It may use other worlds.
//
// A type with a destruct hook and no copy hook cannot be copied: calls that would copy its values
// fail. A value of such a type that is passed to the world is moved into it, with the move hook if
// there is one. If the call succeeds, the world owns the value, and its old place is raw memory.
// Passing such a value from a place in the world fails with MICA_ERROR_ARGUMENT. The check takes
// O(sheets); a sheet is a block of 1,024 rows. Setting a value from its own place is allowed and
// changes nothing. Passing a value twice, or as two types, fails with MICA_ERROR_ARGUMENT, too.
typedef struct mica_hooks {
    // Creates values in raw memory. May fail, and then must leave no value created.
    mica_result (*construct)(void *target, uint32_t count, const mica_hook_context *context);
    // Destroys values; the memory is raw afterwards.
    void (*destruct)(void *target, uint32_t count, const mica_hook_context *context);
    // Creates values in raw memory, equal to the sources. May fail, and then must leave no value
    // created.
    mica_result (*copy)(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context);
    // Relocates values: creates the targets in raw memory and destroys the sources.
    void (*move)(void *target, void *source, uint32_t count, const mica_hook_context *context);
    // Serialize one value for images (mica/image.h); set both or neither. save calls put(out, data,
    // size) any number of times, with bytes that are the same on every machine. load creates a
    // value in raw memory from all these bytes. Both may fail.
    mica_result (*save)(const void *value, mica_put *put, void *out,
                        const mica_hook_context *context);
    mica_result (*load)(void *target, const void *data, size_t size,
                        const mica_hook_context *context);
} mica_hooks;

// Zero is the default of every field.
typedef struct mica_type_desc {
    uint32_t first_zero; // must be 0

    const char *name;              // 1 to 255 printable characters; copied
    const char *c_type;            // name of the C type: see below; NULL: not compared
    uint32_t size;                 // bytes; 0: a tag
    uint32_t align;                // a power of two that divides `size`; 0 for tags only
    const mica_field_info *fields; // in any order, without overlap; copied
    uint32_t field_count;
    const void *default_value; // `size` bytes, copied; not with construct or copy hooks
    mica_hooks hooks;
    void *user;           // passed to the hooks
    mica_storage storage; // default: MICA_TABLE
    // For sparse values: a value keeps its address until it is removed. The place of a removed
    // value is reused; until then, loops skip it.
    bool stable;
    bool toggle; // can be disabled and enabled per entity: mica/toggle.h. Not for tags in tables
    // Keeps the times of the last change and of the addition for each value, not only for ranges of
    // values: mica/change_detection.h. 16 bytes per value. Not for tags in tables.
    bool row_stamps;
    bool plain; // for a type without fields: images save its bytes, which must contain no pointers
    bool saved; // images save the resource and the events of this type; they always save components

    uint32_t last_zero; // must be 0
} mica_type_desc;

// Information about a type. Read-only; valid as long as the world.
struct mica_type_info {
    mica_type type;
    const char *name;
    const char *c_type; // NULL: unknown
    uint32_t size;
    uint32_t align;
    const mica_field_info *fields; // ascending offsets; size and count filled in
    uint32_t field_count;
    const void *default_value; // NULL: zeroes
    mica_hooks hooks;
    void *user;
    mica_storage storage;
    bool stable;
    bool toggle;
    bool row_stamps;
    bool plain;
    bool saved;
};

// Used by mica_type_register(): mica/detail/use.h.
MICA_INLINE_ static inline void mica_type_use_(mica_world *world, const mica_type_desc *desc)
{
    if (desc->storage == MICA_SPARSE) {
        mica_use_sparse_(world);
    } else if (desc->storage == MICA_SPLIT) {
        mica_use_split_(world);
    } else if (desc->storage == MICA_RING) {
        mica_use_ring_(world);
    }
    if (desc->toggle) {
        mica_use_toggle_(world);
    }
}

// Registers a type and returns its handle. Returns the null handle on failure: MICA_ERROR_NULL,
// _DESC, _NAME, _SIZE, _ALIGNMENT, _FIELD, _SHAPE, _LIMIT, _MEMORY, or _ARGUMENT. The last means
// one of these:
//   - a default value with a construct or copy hook; a save hook without a load hook
//   - hooks or a default value on a tag; a tag in a ring; a toggle or row stamps on a tag in tables
//   - an unknown storage; a stable type that is not sparse or has no values
//   - a split type that has no fields, or has hooks [type.fail]
// A type lives as long as its world. [type.life]
//
// A split type stores only its fields. Bytes between fields must be padding, or registration fails
// with MICA_ERROR_FIELD; mica_load() sets them to zero. [type.split] More than MICA_STRIPS_MAX
// arrays fail with MICA_ERROR_LIMIT. [type.strips]
MICA_INLINE_ALWAYS mica_type mica_type_register(mica_world *world, const mica_type_desc *desc)
{
    if (world && desc && desc->first_zero == 0 && desc->last_zero == 0) {
        mica_type_use_(world, desc);
    }
    mica_type type = {mica_type_register_(world, desc)};
    return type;
}

// Registers several types, all or none. If one cannot be registered, sets all of `types_out` to
// null handles and registers no type. [type.all] Types that exist already are returned, as in a
// single call. The struct types of fields must be registered before this call. [type.all_there]
// Fails with MICA_ERROR_LIMIT for more types than the world may have, and with the errors of
// mica_type_register(). [type.all_fail]
MICA_API mica_result mica_type_register_all(mica_world *world, const mica_type_desc *descs,
                                            uint32_t count, mica_type *types_out);

// Changes the storage of a component while the world runs. [storage.change] All its values move.
// They keep their contents, owners, disabled state and change ticks. Handles, queries, bundles and
// accessors stay valid, and the hash of the world stays the same. [storage.stays] Code that uses
// the component need not change, unless it points to values that are split now. [storage.users]
// Registering the type again is allowed with its present storage, and with the one that it was
// registered with first. [storage.registered]
//
//   mica_type_change_storage(world, velocity, MICA_SPLIT);
//
// All or nothing: a call that fails leaves everything as it was. [storage.all_or_none] Values are
// relocated, with the type's move hook if it has one; no other hook is called. [storage.hooks] The
// call needs memory only for the values in their new place, whatever other components their tables
// have. MICA_SPARSE needs 8 bytes more per value, and 12 per entity of the world. [storage.memory]
// Tables that split or merge need capacity for up to 3 x 1,024 more rows, and 8 bytes for each
// entity that changes its table. [storage.tables_memory] If entities that change their table have
// components in rings, those values are copied: that needs memory for one copy. [storage.rings] A
// table keeps its reserved capacity: entities that leave it get other memory. [storage.reserved]
//
// Changes among MICA_TABLE, MICA_SPLIT and MICA_RING keep the rows and their order. [storage.rows]
// Changing to MICA_SPARSE merges tables that differ only in this component. Changing away from it
// splits tables. [storage.tables] Both move rows, like removing the component from all entities or
// adding it to all. So the order of rows may change. Values in moved rows count as changed and
// added, unless their type has .row_stamps. [storage.moves]
//
// This is a structural change: it invalidates pointers, and is refused during
// iteration. [storage.structural] Fails with MICA_ERROR_NULL, _TYPE, _ITERATING, _MEMORY, _LIMIT,
// _HOOK. Fails with _ARGUMENT for a tag and for an unknown storage. Fails with _ARGUMENT or _FIELD
// for a type that cannot be split. Fails with _OWNED, naming the group, if a group has the
// component. Fails with _STORAGE if the component is stable, because its values must keep their
// addresses. [storage.fail]
MICA_API mica_result mica_type_change_storage(mica_world *world, mica_type type,
                                              mica_storage storage);

// Returns the type with that name, or the null handle, without an error, if there is no such
// type. [type.find]
MICA_API mica_type mica_type_find(mica_world *world, const char *name);

// Returns information about a type. Returns NULL and reports MICA_ERROR_TYPE for the null handle
// and for types of other worlds. [type.describe]
MICA_API const mica_type_info *mica_type_get_info(mica_world *world, mica_type type);

// Returns the first type after `previous` in order of registration. `previous` is the null handle
// to begin, and the result is the null handle at the end. [type.next]
MICA_API mica_type mica_type_next(mica_world *world, mica_type previous);

// Used by MICA_REGISTER_SPARSE(), MICA_TAG() and similar macros.
static inline mica_type mica_type_register_in_(mica_world *world, const mica_type_desc *desc,
                                               mica_storage storage)
{
    mica_type_desc stored = *desc;
    stored.storage = storage;
    return mica_type_register(world, &stored);
}
static inline mica_type mica_type_register_tag_(mica_world *world, const char *name,
                                                mica_storage storage)
{
#ifdef __cplusplus
    mica_type_desc desc = {};
#else
    mica_type_desc desc = {0};
#endif
    desc.name = name;
    desc.storage = storage;
    return mica_type_register(world, &desc);
}

#ifdef __cplusplus
}
#endif

// Names of C types. Two structs of the same size cannot be distinguished by their size. So a type
// that was registered with the macros below knows the name of its C type. MICA_VALUE(type, T, ...),
// MICA_GET(world, entity, type, T) and all other macros with a T compare it:
//
//   MICA_GET: component 'Position' is of C type 'Position', not 'Velocity'
//
// A call with another type fails with MICA_ERROR_C_TYPE and has no effect. The check is on if the
// program is compiled without NDEBUG. Define MICA_CHECK_C_TYPES as 1 or 0 to switch it on or off in
// any case. Without the check there is no cost. The library is the same for both.
//
// The check compares how the type is written, without const, struct, union, enum and class. For a
// type with several names (typedef), there are three ways. Use the name that it was registered
// with. Register it with another .c_type, or with NULL, which is never compared. Or call the
// functions without a C type (mica_get). These are also for code that works with several components
// of one C type. In C++, the check compares the type itself, as gcc and clang name it; other
// compilers do not compare. A C++ name with namespaces also matches the same name without them,
// because C code registers it like that.
#ifndef MICA_CHECK_C_TYPES
#ifdef NDEBUG
#define MICA_CHECK_C_TYPES 0
#else
#define MICA_CHECK_C_TYPES 1
#endif
#endif

#if !MICA_CHECK_C_TYPES
#define MICA_C_TYPE_(T) NULL
#elif defined(__cplusplus)
#define MICA_C_TYPE_(T) mica_c_type<T>::name()
#else
#define MICA_C_TYPE_(T) #T
#endif

// MICA_REGISTER(world, T, fields...) registers the struct T under its own name, with up to 32 of
// its fields. MICA_REGISTER_SPARSE(), MICA_REGISTER_SPLIT() and MICA_REGISTER_RING() do the same
// with another storage. MICA_TAG(world, T) and MICA_SPARSE_TAG(world, T) register a tag, a type
// without data, of that name. MICA_DESCRIBE(T, fields...) is the descriptor that they use. It can
// be extended:
//
//   mica_type_desc desc = MICA_DESCRIBE(Mesh, vertex_count);
//   desc.hooks.destruct = free_mesh;
//   mica_type mesh = mica_type_register(world, &desc);
//
// In C, the fields of the descriptor live as long as the block that contains MICA_DESCRIBE(). In
// C++, the descriptor also has the hooks, or the default value, for the type's constructors and
// destructor: mica/hpp/lifetime.hpp.
#define MICA_REGISTER_SPARSE(world, ...) MICA_REGISTER_IN_(MICA_SPARSE, world, __VA_ARGS__)
#define MICA_REGISTER_SPLIT(world, ...) MICA_REGISTER_IN_(MICA_SPLIT, world, __VA_ARGS__)
#define MICA_REGISTER_RING(world, ...) MICA_REGISTER_IN_(MICA_RING, world, __VA_ARGS__)
#define MICA_TAG(world, T) mica_type_register_tag_(world, #T, MICA_TABLE)
#define MICA_SPARSE_TAG(world, T) mica_type_register_tag_(world, #T, MICA_SPARSE)

#ifndef __cplusplus

#define MICA_REGISTER(world, ...) mica_type_register(world, &MICA_DESCRIBE(__VA_ARGS__))
#define MICA_REGISTER_IN_(storage, world, ...)                                                     \
    mica_type_register_in_(world, &MICA_DESCRIBE(__VA_ARGS__), storage)

#define MICA_DESCRIBE(...)                                                                         \
    ((mica_type_desc){.name = MICA_TEXT_(MICA_FIRST_(__VA_ARGS__, )),                              \
                      .c_type = MICA_TEXT_(MICA_FIRST_(__VA_ARGS__, )),                            \
                      .size = sizeof(MICA_FIRST_(__VA_ARGS__, )),                                  \
                      .align = _Alignof(MICA_FIRST_(__VA_ARGS__, )),                               \
                      .fields = (const mica_field_info[]){MICA_FIELDS_(__VA_ARGS__){0}},           \
                      .field_count = MICA_FIELD_COUNT_(__VA_ARGS__)})

#else // C++

#include <mica/hpp/lifetime.hpp>

#define MICA_REGISTER(world, ...)                                                                  \
    mica_type_register(world, &static_cast<const mica_type_desc &>(MICA_DESCRIBE(__VA_ARGS__)))
#define MICA_REGISTER_IN_(storage, world, ...)                                                     \
    mica_type_register_in_(                                                                        \
        world, &static_cast<const mica_type_desc &>(MICA_DESCRIBE(__VA_ARGS__)), storage)

#define MICA_DESCRIBE(...)                                                                         \
    ([] {                                                                                          \
        static const mica_field_info mica_fields_[] = {MICA_FIELDS_(__VA_ARGS__)                   \
                                                           mica_field_info{}};                     \
        mica_type_desc mica_desc_ = mica_lifetime<MICA_FIRST_(__VA_ARGS__, )>::describe();         \
        mica_desc_.name = MICA_TEXT_(MICA_FIRST_(__VA_ARGS__, ));                                  \
        mica_desc_.fields = mica_fields_;                                                          \
        mica_desc_.field_count = MICA_FIELD_COUNT_(__VA_ARGS__);                                   \
        return mica_desc_;                                                                         \
    }())

#endif

// Take apart the list of fields: count it, then handle one field after the other.
#define MICA_FIRST_(first, ...) first
#define MICA_TEXT_(x) MICA_TEXT_AGAIN_(x)
#define MICA_TEXT_AGAIN_(x) #x
#define MICA_JOIN_(a, b) MICA_JOIN_AGAIN_(a, b)
#define MICA_JOIN_AGAIN_(a, b) a##b
#define MICA_FIELDS_(...) MICA_JOIN_(MICA_FIELDS_, MICA_FIELD_COUNT_(__VA_ARGS__))(__VA_ARGS__)
// clang-format off
#define MICA_FIELD_COUNT_(...) \
    MICA_FIELD_COUNT_PICK_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,)
#define MICA_FIELD_COUNT_PICK_(t, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, count, ...) count
#define MICA_FIELDS_0(T)
#define MICA_FIELDS_1(T, f) MICA_FIELD(T, f),
#define MICA_FIELDS_2(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_1(T, __VA_ARGS__)
#define MICA_FIELDS_3(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_2(T, __VA_ARGS__)
#define MICA_FIELDS_4(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_3(T, __VA_ARGS__)
#define MICA_FIELDS_5(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_4(T, __VA_ARGS__)
#define MICA_FIELDS_6(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_5(T, __VA_ARGS__)
#define MICA_FIELDS_7(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_6(T, __VA_ARGS__)
#define MICA_FIELDS_8(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_7(T, __VA_ARGS__)
#define MICA_FIELDS_9(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_8(T, __VA_ARGS__)
#define MICA_FIELDS_10(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_9(T, __VA_ARGS__)
#define MICA_FIELDS_11(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_10(T, __VA_ARGS__)
#define MICA_FIELDS_12(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_11(T, __VA_ARGS__)
#define MICA_FIELDS_13(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_12(T, __VA_ARGS__)
#define MICA_FIELDS_14(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_13(T, __VA_ARGS__)
#define MICA_FIELDS_15(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_14(T, __VA_ARGS__)
#define MICA_FIELDS_16(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_15(T, __VA_ARGS__)
#define MICA_FIELDS_17(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_16(T, __VA_ARGS__)
#define MICA_FIELDS_18(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_17(T, __VA_ARGS__)
#define MICA_FIELDS_19(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_18(T, __VA_ARGS__)
#define MICA_FIELDS_20(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_19(T, __VA_ARGS__)
#define MICA_FIELDS_21(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_20(T, __VA_ARGS__)
#define MICA_FIELDS_22(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_21(T, __VA_ARGS__)
#define MICA_FIELDS_23(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_22(T, __VA_ARGS__)
#define MICA_FIELDS_24(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_23(T, __VA_ARGS__)
#define MICA_FIELDS_25(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_24(T, __VA_ARGS__)
#define MICA_FIELDS_26(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_25(T, __VA_ARGS__)
#define MICA_FIELDS_27(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_26(T, __VA_ARGS__)
#define MICA_FIELDS_28(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_27(T, __VA_ARGS__)
#define MICA_FIELDS_29(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_28(T, __VA_ARGS__)
#define MICA_FIELDS_30(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_29(T, __VA_ARGS__)
#define MICA_FIELDS_31(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_30(T, __VA_ARGS__)
#define MICA_FIELDS_32(T, f, ...) MICA_FIELD(T, f), MICA_FIELDS_31(T, __VA_ARGS__)
// clang-format on

#endif
