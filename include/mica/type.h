// Component types. A type is registered in a world, by name:
//
//   mica_type position = MICA_REGISTER(world, Position, x, y);   // a struct and its fields
//   mica_type frozen   = MICA_TAG(world, Frozen);                // no data: a mark
//   mica_type target   = MICA_REGISTER_SPARSE(world, Target, entity);   // comes and goes all the time
//   mica_type selected = MICA_SPARSE_TAG(world, Selected);
//   mica_type body     = MICA_REGISTER_SPLIT(world, Body, x, y, mass);   // an array for each field
//   mica_type heat     = MICA_REGISTER_RING(world, Heat, degrees);   // often looked at alone
//
// or by descriptor, where hooks, defaults and more can be given. Registering the same again returns
// the same type; the same name with anything different is an error.
#ifndef MICA_TYPE_H
#define MICA_TYPE_H

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
#define MICA_NESTING_MAX 16u  // structs of structs of ...: see mica/field.h
#define MICA_PIECES_MAX 1024u // arrays of a split type

// Room for mica_hook_explain().
#define MICA_HOOK_WHY_SIZE 96u

typedef struct mica_type_info mica_type_info;

// Where the values of a component are kept. Everything that can be said of a component can be said
// whatever its storage: the same calls, the same queries, the same answers. What differs is what is
// quick.
typedef enum mica_storage {
    // In tables: entities with the same set of components have their values side by side, so that a
    // query reads several components together as fast as plain arrays. Adding or removing one moves
    // the entity to another table.
    MICA_TABLE = 0,
    // In a pool of its own: adding or removing one touches nothing else, however many others the
    // entity has. For what comes and goes all the time; a tag that flips every frame.
    MICA_SPARSE,
    // In tables, each field in an array of its own: a loop over one field reads nothing else, eight or
    // sixteen at a time. A value is nowhere whole: loops reach fields (mica_read_field), and single
    // values are set and loaded (mica_load), not pointed to. Needs fields; takes no hooks.
    MICA_SPLIT,
    // In rings: an entity is in a table as if it was MICA_TABLE, but the values of all tables lie in one
    // array, so that whoever wants this component alone walks it from one end to the other, however
    // many sets of components there are. See mica_world_settle(). Not for tags, which have no values.
    MICA_RING,
    MICA_STORAGE_COUNT
} mica_storage;
MICA_ENUM_(mica_storage);

// What a hook is told.
typedef struct mica_hook_context {
    const mica_type_info *type;
    void *user;                      // of the type's descriptor
    const mica_allocator *allocator; // the world's; what is taken from it is yours to give back
    char *why;                       // read by the world if the hook fails: mica_hook_explain()
} mica_hook_context;

// For a construct or copy hook that fails: why, in a few words. [hook.why] They end the sentence of
// the failure, "mica_spawn: the copy hook of 'Mesh' failed: ...", and are cut to
// MICA_HOOK_WHY_SIZE - 1 bytes. [hook.sentence]
MICA_INLINE void mica_hook_explain(const mica_hook_context *context, const char *why)
{
    char *to = context->why;
    for (uint32_t left = MICA_HOOK_WHY_SIZE - 1; left > 0 && *why; left--) {
        *to++ = *why++;
    }
    *to = '\0';
}

// Takes bytes of a value that is saved; false if it cannot, and then the hook should return.
typedef bool mica_put(void *out, const void *data, size_t size);

// What to do with values that are more than their bytes. Each works on `count` values in a row.
// NULL: construct copies the default value (or zeroes), destruct does nothing, copy and move copy
// bytes. Hooks run exactly once per value.
//
// While a hook runs, its world is half changed. Calls into it are refused with MICA_ERROR_HOOK, which is
// told when the call around them is over, and have no effect on that; what may be called is what asks for
// types (mica_type_find, _describe, _count, _next; mica_types_*), figures (mica_entity_count,
// mica_world_stats, mica_memory) and errors. Other worlds are open to it.
//
// A type that has destruct but no copy cannot be copied: what would make two of one is refused. A
// value that is given to the world is moved into it, by the move hook if there is one: it belongs to
// the world from then on, if the call succeeds, and its old place is raw memory. So it must come from
// outside: one that lies in the world is MICA_ERROR_ARGUMENT (O(sheets) to find out), unless it is set
// from its own place, which changes nothing; so is one that is given twice, or as two types.
typedef struct mica_hooks {
    // Makes values out of raw memory. May fail, leaving none of them made.
    mica_result (*construct)(void *target, uint32_t count, const mica_hook_context *context);
    // Ends values; the memory is raw afterwards.
    void (*destruct)(void *target, uint32_t count, const mica_hook_context *context);
    // Makes values out of raw memory, equal to the sources. May fail, leaving none of them made.
    mica_result (*copy)(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context);
    // Relocates: makes the targets out of raw memory and ends the sources.
    void (*move)(void *target, void *source, uint32_t count, const mica_hook_context *context);
    // For images (mica/image.h), both or none, one value at a time. Saving calls put(out, data, size) as
    // often as it likes; what it puts is to be the same on every machine. Loading makes a value out of raw
    // memory from all that was put. Both may fail.
    mica_result (*save)(const void *value, mica_put *put, void *out,
                        const mica_hook_context *context);
    mica_result (*load)(void *target, const void *data, size_t size,
                        const mica_hook_context *context);
} mica_hooks;

// Zero is the default of every field.
typedef struct mica_type_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    const char *name;              // 1 to 255 printable characters; copied
    const char *c_type;            // the C type's name, to be compared: below; NULL: it is not
    uint32_t size;                 // bytes; 0: a tag
    uint32_t align;                // a power of two that divides size; 0 for tags only
    const mica_field_info *fields; // in any order, without overlap; copied
    uint32_t field_count;
    const void *default_value; // `size` bytes, copied; not together with construct or copy hooks
    mica_hooks hooks;
    void *user;           // yours; hooks find it in their context
    mica_storage storage; // MICA_TABLE unless said otherwise
    bool stable; // sparse values only: one stays where it is in memory until it is removed.
                 // Places of those removed are used again, but skipped by loops until then
    bool toggle; // can be disabled and enabled per entity: mica/toggle.h. No tags in tables
    bool
        row_stamps; // when it changed and when it was added is known of each value, not only of those around
                    // it: mica/change.h. 16 bytes for each. No tags in tables
    bool
        plain; // without fields: values are nothing but bytes, no pointers, and images may have them
    bool saved; // images have the resource and the events of this type; components they have anyway

    uint32_t last_zero; // must be 0
} mica_type_desc;

// What a world knows of a type. Read-only; valid as long as the world.
struct mica_type_info {
    mica_type type;
    const char *name;
    const char *c_type; // NULL: not known
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

// Returns the null handle. [type.none]
MICA_INLINE mica_type mica_type_none(void)
{
    mica_type none = {0};
    return none;
}

// Returns true for the null handle. [type.is_none]
MICA_INLINE bool mica_type_is_none(mica_type type)
{
    return type.bits == 0;
}

// Returns true if both are the same handle. [type.equal]
MICA_INLINE bool mica_type_equal(mica_type a, mica_type b)
{
    return a.bits == b.bits;
}

// Returns the type, none on failure: MICA_ERROR_NULL, _DESC, _NAME, _SIZE, _ALIGNMENT, _FIELD,
// _ARGUMENT (a default beside construct or copy; hooks or a default on a tag; no such storage;
// stable what is not sparse or has no values; a tag in a ring; a toggle or row stamps on a tag that
// is not sparse; split what has no fields, or hooks; a save hook without a load hook), _SHAPE,
// _LIMIT, _MEMORY. [type.fail] Types are for the life of the world. [type.life]
//
// Of a split type, only fields are kept: bytes between them that cannot be padding are
// MICA_ERROR_FIELD, and those that are load as zeroes. [type.split] More than MICA_PIECES_MAX
// pieces are MICA_ERROR_LIMIT. [type.pieces]
MICA_API mica_type mica_type_register(mica_world *world, const mica_type_desc *desc);

// The same with .storage = MICA_SPARSE, MICA_SPLIT or MICA_RING, whatever the descriptor
// says. [type.storage]
MICA_API mica_type mica_type_register_sparse(mica_world *world, const mica_type_desc *desc);
MICA_API mica_type mica_type_register_split(mica_world *world, const mica_type_desc *desc);
MICA_API mica_type mica_type_register_ring(mica_world *world, const mica_type_desc *desc);

// Several at once, all or none. If one cannot be registered, `types_out` are none, and no type is
// new. [type.all] Those that are there already are what they are, as ever; what is a struct among
// their fields has been registered before. [type.all_there] MICA_ERROR_LIMIT for more than the
// world may have, and the failures of mica_type_register(). [type.all_fail]
MICA_API mica_result mica_type_register_all(mica_world *world, const mica_type_desc *descs,
                                            uint32_t count, mica_type *types_out);

// A type without data: in tables; sparse. [type.tag]
MICA_API mica_type mica_type_register_tag(mica_world *world, const char *name);
MICA_API mica_type mica_type_register_sparse_tag(mica_world *world, const char *name);

// Keeps a component in another way from now on, while the world runs. [storage.change] All its
// values move there; what they are, whose they are, what is disabled and when each changed stays,
// and so do handles, queries, bundles, accessors and the hash of the world. [storage.stays] Whoever
// works with the component need not know, but for those who point to values that are split
// now. [storage.users] It is registered again with the storage that it has, or with the one it was
// registered with first. [storage.registered]
//
//   mica_type_set_storage(world, velocity, MICA_SPLIT);
//
// All or nothing: a call that fails leaves everything as it was. [storage.all_or_none] Values are
// relocated, by the type's move hook if it has one; no other hook is called. [storage.hooks]
// The memory needed beside is that of the values in their new place, once, whatever else lies in
// their tables; in MICA_SPARSE 8 bytes more for each, and 12 for each entity of the
// world. [storage.memory] Tables that divide or become one take room for up to 3 x 1,024 rows more,
// and 8 bytes for each entity that leaves others. [storage.tables_memory] Other components that are
// in rings take the values of those who go to another table, once. [storage.rings] A table for
// which room was reserved keeps it: who leaves it gets other. [storage.reserved]
//
// Between storages in tables (MICA_TABLE, MICA_SPLIT, MICA_RING), rows and their order
// stay. [storage.rows] To MICA_SPARSE, tables that differ in the component alone become one; from
// there, entities that have it leave those that have not. [storage.tables] Both move rows, as
// removing it from all or adding it to all would, and so they may come in another order, and what
// is in rows that moved counts as changed and added where that is not known of each value
// (.row_stamps). [storage.moves]
//
// Structural: pointers end, and it is refused while anything is iterated. [storage.structural]
// MICA_ERROR_NULL, _TYPE, _ITERATING, _MEMORY, _LIMIT, _HOOK; _ARGUMENT for a tag, for no storage,
// and for what cannot be split; _FIELD likewise; _OWNED if a group has the component, naming the
// group; _STORAGE if it is stable, which is a promise that values stay where they
// are. [storage.fail]
MICA_API mica_result mica_type_set_storage(mica_world *world, mica_type type, mica_storage storage);

// The type of that name; none, silently, if there is none. [type.find]
MICA_API mica_type mica_type_find(mica_world *world, const char *name);

// NULL and MICA_ERROR_TYPE for none and for types of other worlds. [type.describe]
MICA_API const mica_type_info *mica_type_describe(mica_world *world, mica_type type);

// Is this the name of the type's C type, or has it none? [type.is_c] MICA_ERROR_C_TYPE if not, as a
// failure of `call`. [type.not_c] True, silently, where there is no such type, no name to compare,
// or where the size is another (0: it is not asked): who goes on is told of
// that. [type.is_c_silent]
MICA_API bool mica_type_is_c(mica_world *world, mica_type type, uint32_t size, const char *c_type,
                             const char *call);

// How many types are registered, and all of them in order of registration: the first after
// `previous` (none, to begin), none at the end. [type.next]
MICA_API uint32_t mica_type_count(mica_world *world);
MICA_API mica_type mica_type_next(mica_world *world, mica_type previous);

#ifdef __cplusplus
}
#endif

// Names of C types. Two structs of one size pass for each other wherever sizes are compared. So a type that
// was registered by the macros below knows the name of its C type, and the macros that are given one,
// MICA_VALUE(type, T, ...), MICA_GET(world, entity, type, T) and all others with a T, compare them:
//
//   MICA_GET: component 'Position' is of C type 'Position', not 'Velocity'
//
// MICA_ERROR_C_TYPE, and no effect. That is done where a program is compiled without NDEBUG, or with
// MICA_CHECK_C_TYPES defined as 1; with 0 it is not. Nothing is compared, and not an instruction spent,
// elsewhere; the library is the same for both.
//
// What is compared is how the type is written, without const, struct, union, enum and class in front. A type
// that has several names (typedef) is spoken of by the one it was registered with; or it is registered with
// another .c_type, or with NULL, and never compared; or what is to work for several components of one C type
// uses the functions behind the macros (mica_get), which know no names. In C++ it is the type itself, as
// gcc and clang call it, whatever it is called there; other compilers do not compare. A name with namespaces
// in front fits one without, of a part in C.
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
// its fields; MICA_REGISTER_SPARSE() the same, to be kept in a pool, MICA_REGISTER_SPLIT() in an
// array for each field, MICA_REGISTER_RING() in a ring. MICA_DESCRIBE(T, fields...) is the
// descriptor it uses, to be filled in further:
//
//   mica_type_desc desc = MICA_DESCRIBE(Mesh, vertex_count);
//   desc.hooks.destruct = free_mesh;
//   mica_type mesh = mica_type_register(world, &desc);
//
// In C the fields of the descriptor live as long as the block MICA_DESCRIBE() stands in. In C++ the
// descriptor also has the hooks, or the default value, that the type's constructors and destructor
// make necessary: mica/lifetime.h.
#define MICA_TAG(world, T) mica_type_register_tag(world, #T)
#define MICA_SPARSE_TAG(world, T) mica_type_register_sparse_tag(world, #T)

#ifndef __cplusplus

#define MICA_REGISTER(world, ...) mica_type_register(world, &MICA_DESCRIBE(__VA_ARGS__))
#define MICA_REGISTER_SPARSE(world, ...)                                                           \
    mica_type_register_sparse(world, &MICA_DESCRIBE(__VA_ARGS__))
#define MICA_REGISTER_SPLIT(world, ...) mica_type_register_split(world, &MICA_DESCRIBE(__VA_ARGS__))
#define MICA_REGISTER_RING(world, ...) mica_type_register_ring(world, &MICA_DESCRIBE(__VA_ARGS__))

#define MICA_DESCRIBE(...)                                                                         \
    ((mica_type_desc){.name = MICA_TEXT_(MICA_FIRST_(__VA_ARGS__, )),                              \
                      .c_type = MICA_TEXT_(MICA_FIRST_(__VA_ARGS__, )),                            \
                      .size = sizeof(MICA_FIRST_(__VA_ARGS__, )),                                  \
                      .align = _Alignof(MICA_FIRST_(__VA_ARGS__, )),                               \
                      .fields = (const mica_field_info[]){MICA_FIELDS_(__VA_ARGS__){0}},           \
                      .field_count = MICA_FIELD_COUNT_(__VA_ARGS__)})

#else // C++

#include <mica/lifetime.h>

#define MICA_REGISTER(world, ...)                                                                  \
    mica_type_register(world, &static_cast<const mica_type_desc &>(MICA_DESCRIBE(__VA_ARGS__)))
#define MICA_REGISTER_SPARSE(world, ...)                                                           \
    mica_type_register_sparse(world,                                                               \
                              &static_cast<const mica_type_desc &>(MICA_DESCRIBE(__VA_ARGS__)))
#define MICA_REGISTER_SPLIT(world, ...)                                                            \
    mica_type_register_split(world,                                                                \
                             &static_cast<const mica_type_desc &>(MICA_DESCRIBE(__VA_ARGS__)))
#define MICA_REGISTER_RING(world, ...)                                                             \
    mica_type_register_ring(world, &static_cast<const mica_type_desc &>(MICA_DESCRIBE(__VA_ARGS__)))

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

// How the list of fields is taken apart: counted, then peeled off one by one.
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
