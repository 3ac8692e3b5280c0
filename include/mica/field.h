// Reflection: the fields of a component, for printing, hashing, serialization and inspection. Types
// without fields are allowed; they are compared and hashed by their bytes.
//
// Describe a field by hand, or let MICA_FIELD() deduce its kind:
//
//   typedef struct { float x, y; char name[16]; Vec3 at; enum mood mood; } Guest;
//   const mica_field_info fields[] = {
//       MICA_FIELD(Guest, x), MICA_FIELD(Guest, y), MICA_FIELD(Guest, name),
//       MICA_FIELD_STRUCT(Guest, at, vec3), MICA_FIELD_ENUM(Guest, mood, moods),
//   };
//
// MICA_FIELD() does not compile for pointers, structs, unions, and arrays of arrays. Structs may be
// nested in structs MICA_NESTING_MAX deep, including the component.
//
// In C++, classes need not be standard-layout, and fields may be inherited. Fields of polymorphic
// classes and of virtual bases are not allowed.
#ifndef MICA_FIELD_H
#define MICA_FIELD_H

#include <mica/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_type {
    uint64_t bits; // private: a number in one world, and a stamp that identifies the world
    MICA_HANDLE_BOOL_
} mica_type;

// All kinds: X(name, size of one element). STRUCT and ENUM define their own size.
#define MICA_KINDS(X)                                                                              \
    X(I8, 1)                                                                                       \
    X(I16, 2)                                                                                      \
    X(I32, 4)                                                                                      \
    X(I64, 8)                                                                                      \
    X(U8, 1)                                                                                       \
    X(U16, 2)                                                                                      \
    X(U32, 4)                                                                                      \
    X(U64, 8)                                                                                      \
    X(F32, 4)                                                                                      \
    X(F64, 8)                                                                                      \
    X(BOOL, sizeof(bool))                                                                          \
    X(CHAR, 1)   /* one element: a character; several: text, up to its first zero */               \
    X(ENTITY, 8) /* a mica_entity */                                                               \
    X(STRUCT, 0) /* another registered type, named by mica_field_info.type */                      \
    X(ENUM, 0)   /* a signed integer of 1, 2, 4 or 8 bytes whose values have names */

typedef enum mica_kind {
    MICA_KIND_NONE = 0,
#define MICA_KIND_CODE(name, size) MICA_KIND_##name,
    MICA_KINDS(MICA_KIND_CODE)
#undef MICA_KIND_CODE
        MICA_KIND_COUNT
} mica_kind;
MICA_ENUM_(mica_kind);

// Returns the name of a kind: "i32", "f32", "struct", ...; "none" for an unknown kind. The string
// is static. [kind.name]
MICA_API const char *mica_kind_name(mica_kind kind);

// How a field of a split component is stored: mica/type.h.
typedef enum mica_strips {
    MICA_STRIPS_FIELDS = 0, // a struct: one array per field; an array: one for all its elements
    MICA_STRIPS_WHOLE,      // one array for the whole field, even for a struct
    MICA_STRIPS_EACH,       // an array: one array for each element
    MICA_STRIPS_COUNT
} mica_strips;
MICA_ENUM_(mica_strips);

// A named value of an enum. A list of them ends with a null name.
typedef struct mica_enumerator {
    const char *name;
    int64_t value;
} mica_enumerator;

// A field of a component. Zero is the default of every member, unless it says otherwise.
typedef struct mica_field_info {
    const char *name; // unique in its type
    mica_kind kind;
    uint32_t offset; // bytes from the start of the component
    uint32_t size;   // bytes of the whole field; 0: computed from kind and count
    uint32_t count;  // elements of a fixed array; 0: as many as fit `size`, or one
    mica_type type;  // STRUCT: its type, which must be registered before
    const mica_enumerator *enumerators; // ENUM: its names
    mica_strips strips;                 // for a split component
} mica_field_info;

// Returns a copy of the description with another value of `strips`:
// mica_field_with_strips(MICA_FIELD(Body, axes), MICA_STRIPS_EACH). [field.strips]
static inline mica_field_info mica_field_with_strips(mica_field_info field, mica_strips strips)
{
    field.strips = strips;
    return field;
}

#ifdef __cplusplus
}
#endif

// The macros of this header, on top of the structs above.

#ifndef __cplusplus

#define MICA_FIELD_SIZE(T, field) ((uint32_t)sizeof(((T *)0)->field))
#define MICA_FIELD_OFFSET(T, field) ((uint32_t)offsetof(T, field))

#define MICA_FIELD(T, field)                                                                       \
    ((mica_field_info){.name = #field,                                                             \
                       .kind = MICA_KIND_OF(T, field),                                             \
                       .offset = MICA_FIELD_OFFSET(T, field),                                      \
                       .size = MICA_FIELD_SIZE(T, field)})

#define MICA_FIELD_STRUCT(T, field, struct_type)                                                   \
    ((mica_field_info){.name = #field,                                                             \
                       .kind = MICA_KIND_STRUCT,                                                   \
                       .offset = MICA_FIELD_OFFSET(T, field),                                      \
                       .size = MICA_FIELD_SIZE(T, field),                                          \
                       .type = (struct_type)})

#define MICA_FIELD_ENUM(T, field, names)                                                           \
    ((mica_field_info){.name = #field,                                                             \
                       .kind = MICA_KIND_ENUM,                                                     \
                       .offset = MICA_FIELD_OFFSET(T, field),                                      \
                       .size = MICA_FIELD_SIZE(T, field),                                          \
                       .count = 1,                                                                 \
                       .enumerators = (names)})

// The kind of a scalar, or of the elements of an array. The outer _Generic selects by the field's
// address, which distinguishes an array from a pointer. The inner one selects an array by the
// pointer to its first element, to which it decays. Other fields select a name that is no
// mica_kind, and do not compile.
// clang-format off
#define MICA_KIND_OF(T, field)                                                                     \
    _Generic(&((T *)0)->field,                                                                     \
        MICA_KIND_CASES_,                                                                          \
        MICA_KIND_POINTER_CASES_,                                                                  \
        default: _Generic(((T *)0)->field, MICA_KIND_CASES_, default: mica_field_has_no_kind_LEAVE_IT_OUT_or_use_MICA_FIELD_STRUCT))

#define MICA_KIND_CASES_                                                                           \
    signed char *: MICA_KIND_I8,                                                                   \
    short *: MICA_KIND_I16,                                                                        \
    int *: MICA_KIND_I32,                                                                          \
    long *: (sizeof(long) == 8 ? MICA_KIND_I64 : MICA_KIND_I32),                                   \
    long long *: MICA_KIND_I64,                                                                    \
    unsigned char *: MICA_KIND_U8,                                                                 \
    unsigned short *: MICA_KIND_U16,                                                               \
    unsigned int *: MICA_KIND_U32,                                                                 \
    unsigned long *: (sizeof(long) == 8 ? MICA_KIND_U64 : MICA_KIND_U32),                          \
    unsigned long long *: MICA_KIND_U64,                                                           \
    float *: MICA_KIND_F32,                                                                        \
    double *: MICA_KIND_F64,                                                                       \
    bool *: MICA_KIND_BOOL,                                                                        \
    char *: MICA_KIND_CHAR,                                                                        \
    mica_entity *: MICA_KIND_ENTITY

// Pointer fields. In the inner _Generic, a pointer to one of these types would look like an array
// of them.
#define MICA_KIND_POINTER_CASES_                                                                   \
    signed char **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                          \
    short **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                                \
    int **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                                  \
    long **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                                 \
    long long **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                            \
    unsigned char **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                        \
    unsigned short **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                       \
    unsigned int **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                         \
    unsigned long **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                        \
    unsigned long long **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                   \
    float **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                                \
    double **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                               \
    bool **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                                 \
    char **: mica_field_is_a_pointer_LEAVE_IT_OUT,                                                 \
    mica_entity **: mica_field_is_a_pointer_LEAVE_IT_OUT
// clang-format on

// Never defined: their names are the compile errors.
extern const struct mica_field_has_no_kind_LEAVE_IT_OUT_or_use_MICA_FIELD_STRUCT {
    char unused;
} mica_field_has_no_kind_LEAVE_IT_OUT_or_use_MICA_FIELD_STRUCT;
extern const struct mica_field_is_a_pointer_LEAVE_IT_OUT {
    char unused;
} mica_field_is_a_pointer_LEAVE_IT_OUT;

#else

#include <mica/hpp/field.hpp>

#endif

#endif
