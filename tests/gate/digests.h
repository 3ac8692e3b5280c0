// What the files of the digest gate share: a scene, which is a world with types of every storage, and the steps
// that change it. A fixed world is a list of steps, a random one is a seed.
//
//   digests.c          builds every world and compares it with digests.list
//   digests_worlds.c   worlds with fixed steps
//   digests_random.c   worlds with random steps
//   digests_steps.c    steps on the whole world
//   digests_entity.c   steps that create entities, and operations on single entities
//   digests_notify.c   queries, observers and systems
//   digests_scene.c    types, values, groups
//
// Public headers only: the gate compares the library before and after its storage changes.
#ifndef GATE_DIGESTS_H
#define GATE_DIGESTS_H

#include <mica.h>

// Components. PLACE is 0 and in a table; so it ends lists of sparse types.
enum {
    PLACE,          // table
    TAG,            // table, no value
    WIDE,           // table, every kind of field
    STAMPED,        // table, toggle, row stamps
    BYTES,          // table, no fields
    OWNED,          // table, hooks
    SPLIT,          // split, toggle
    SPLIT_WIDE,     // split, row stamps, every kind of field
    RING,           // ring
    RING_STAMPED,   // ring, toggle, row stamps
    RING_OWNED,     // ring, hooks
    SPARSE,         // sparse
    SPARSE_TWIN,    // sparse
    SPARSE_STAMPED, // sparse, toggle, row stamps
    SPARSE_OWNED,   // sparse, hooks
    STABLE,         // sparse, stable address
    STABLE_OWNED,   // sparse, stable address, toggle, row stamps, hooks
    SPARSE_TAG,     // sparse, no value
    MARK,           // sparse, no value, toggle, row stamps
    TYPE_COUNT,
    SUBJECT = 31 // in steps: the type that the world is about
};

#define SET(type) (UINT32_C(1) << (type))
#define ALL_TYPES (SET(TYPE_COUNT) - 1)
#define SPARSE_TYPES (ALL_TYPES & ~(SET(SPARSE) - 1))

enum { OWNING, PARTIAL, LISTING, OWNING_TAG, GROUP_COUNT };

enum {
    EVERYTHING,
    PLACES,
    CHANGED,
    ADDED,
    MIXED,
    PAIRS,
    LISTED,
    RINGS,
    SPLITS,
    TOUCHED,
    OPTIONALS,
    ANY_OF,
    INCLUDES_DISABLED,
    MARKED,
    TAGGED,
    STABLES,
    ENABLED,
    QUERY_COUNT
};

enum { OBSERVER_COUNT = 11, ALL_OBSERVERS = (1 << OBSERVER_COUNT) - 1 };

// Operations on one entity.
#define DIGESTS_OPERATIONS(X)                                                                      \
    X(SET_VALUE, set_value)                                                                        \
    X(SET_SEVERAL, set_several)                                                                    \
    X(ADD, add)                                                                                    \
    X(ADD_SEVERAL, add_several)                                                                    \
    X(REMOVE, remove_one)                                                                          \
    X(REMOVE_SEVERAL, remove_several)                                                              \
    X(CHANGE, change)                                                                              \
    X(WRITE, write_value)                                                                          \
    X(ACCESS, write_by_accessor)                                                                   \
    X(DISABLE, disable)                                                                            \
    X(ADD_DISABLED, add_disabled)                                                                  \
    X(ENABLE, enable)                                                                              \
    X(NAME, set_name)                                                                              \
    X(UNNAME, remove_name)                                                                         \
    X(FACET, add_facet)                                                                            \
    X(CLONE, clone_entity)                                                                         \
    X(DESPAWN, despawn)

#define DIGESTS_OPERATION(code, function) code,
enum { DIGESTS_OPERATIONS(DIGESTS_OPERATION) OPERATION_COUNT };

// Changes of all entities that match a query.
enum { ADD_ALL, REMOVE_ALL, SET_ALL, ENABLE_ALL, DISABLE_ALL, DESPAWN_ALL };

// Ways to load an image into a fresh world.
enum { BINARY, JSON, OTHER_STORAGES };

// Steps. The comments say what `what`, `type` and `n` are, in this order.
#define DIGESTS_STEPS(X)                                                                           \
    X(FILL, fill)             /* set of types; n: entities, 0: the size of the world */            \
    X(FILL_MIXED, fill_mixed) /* the same; each entity has some of the types */                    \
    X(FILL_MANY, fill_many)   /* the same; one call for all of them */                             \
    X(FILL_BUNDLE, fill_bundle)                                                                    \
    X(FILL_AT, fill_at)             /* n: entities */                                              \
    X(RESERVE, reserve)             /* set of types; n: rows */                                    \
    X(EACH, do_each)                /* operation, type; n: every n-th entity */                    \
    X(BACK, do_back)                /* the same from the last entity to the first */               \
    X(NEW, do_new)                  /* the same; of those created since recording began */         \
    X(ONE, do_one)                  /* operation, type; n: which entity */                         \
    X(DESPAWN_MANY, despawn_many)   /* n: every n-th entity */                                     \
    X(BULK, change_all)             /* bulk change, type; n: query */                              \
    X(ITERATE, iterate)             /* query */                                                    \
    X(ITERATE_LATER, iterate_later) /* operation, type; n: query */                                \
    X(RECORD, record)               /* 0: in a buffer, 1: with the world */                        \
    X(APPLY, apply)                                                                                \
    X(DISCARD, discard)                                                                            \
    X(DEFER_CALL, defer_call) /* n: calls */                                                       \
    X(GROUP_NEW, group_new)   /* group */                                                          \
    X(GROUP_FREE, group_free)                                                                      \
    X(GROUP_SORT, group_sort)           /* group, type */                                          \
    X(GROUP_SORT_LIKE, group_sort_like) /* group, type */                                          \
    X(SORT, sort)                       /* type */                                                 \
    X(SORT_LIKE, sort_like)             /* other type, type */                                     \
    X(STORAGE, set_storage)             /* storage, type */                                        \
    X(CLEAR, clear)                                                                                \
    X(RECLAIM, reclaim)                                                                            \
    X(COMPACT, compact)                                                                            \
    X(TICK, tick)                                                                                  \
    X(SEND, send)                                                                                  \
    X(RESOURCE, set_resource)                                                                      \
    X(NO_RESOURCE, remove_resource)                                                                \
    X(OBSERVE, observe) /* set of observers */                                                     \
    X(UNOBSERVE, unobserve)                                                                        \
    X(SYSTEMS, add_systems)                                                                        \
    X(FRAMES, run_frames)   /* n: frames */                                                        \
    X(LOAD, load)           /* way */                                                              \
    X(COPY_PART, copy_part) /* query */

#define DIGESTS_STEP(code, function) code,
enum { END_OF_STEPS, DIGESTS_STEPS(DIGESTS_STEP) STEP_COUNT };

typedef struct step {
    uint32_t code, what, type, n;
} step;

#define STEP(...) STEP_(__VA_ARGS__, 0, 0, 0, 0)
#define STEP_(code, what, type, n, ...)                                                            \
    {                                                                                              \
        code, what, type, n                                                                        \
    }

// A world to build: a list of steps and, with a seed, random steps behind them.
typedef struct world_row {
    char name[48];
    uint32_t size;    // entities
    uint32_t subject; // the component that SUBJECT stands for
    const step *steps;
    uint64_t seed; // 0: no random steps
} world_row;

typedef struct Pair {
    float x;
    int32_t y;
} Pair;

// Every kind of field, and padding between fields.
typedef struct Wide {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    bool flag;
    char letter;
    char text[7];
    mica_entity target;
    Pair at;
    Pair path[3];
    int16_t mood;
    uint16_t few[3];
} Wide;

// Owns memory that repeats the number. `copies` counts how often the value was copied.
typedef struct Owned {
    uint32_t number, copies;
    uint32_t *heap; // NULL: a value outside of the world
} Owned;

typedef union any_value {
    Pair pair;
    Wide wide;
    Owned owned;
    unsigned char bytes[8];
} any_value;

// What a query shows, entity by entity and term by term, each hashed on its own: which rows come in one segment is not
// part of it.
typedef struct digests_seen {
    uint64_t entities;
    uint64_t terms[MICA_TERMS_MAX];
} digests_seen;

typedef struct scene {
    mica_world *world;
    mica_world *target; // of operations on entities: the world, or one that records
    mica_type types[TYPE_COUNT];
    mica_type pair;   // the type of fields
    mica_type score;  // resource and events; saved
    mica_type secret; // the same; not saved
    mica_query queries[QUERY_COUNT];
    mica_group groups[GROUP_COUNT];
    mica_cursor cursor;
    mica_observer observers[OBSERVER_COUNT];
    uint32_t observed; // set of the observers that exist
    bool has_systems;

    mica_entity *entities; // all that were created, dead ones included
    uint32_t count, capacity;
    uint32_t recorded; // number of those that were created before recording began

    uint32_t size, subject;
    uint32_t number;      // of the next value
    uint64_t random;      // state of the generator
    digests_seen systems; // what systems have seen
    uint64_t order;       // hash of notifications, errors and rows, in their order
    uint32_t errors;      // reported
    char error[252];      // sentence of the first of them
    int64_t owned;        // values with hooks that exist
    const char *failure;  // what went wrong first; NULL: nothing
} scene;

// digests_scene.c

#define DIGESTS_FNV UINT64_C(0xcbf29ce484222325)
uint64_t digests_fnv(uint64_t hash, const void *bytes, size_t size);
void digests_note_seen(scene *s, const digests_seen *seen);

// Adds a number to the hash of the order.
void digests_note(scene *s, uint64_t number);

// Keeps the first condition that does not hold.
#define DIGESTS_CHECK(s, condition) digests_check(s, condition, #condition)
void digests_check(scene *s, bool holds, const char *what);

void *digests_alloc(size_t count, size_t size);
void digests_keep(scene *s, mica_entity entity);

// Opens s->world with all types, and the groups, observers and systems that the scene has.
void digests_open(scene *s, bool other_storages);
void digests_close(scene *s);

// A new value of a type, in `value_out`.
mica_value digests_value(scene *s, uint32_t type, any_value *value_out);
bool digests_is_pair(uint32_t type);
bool digests_is_owned(uint32_t type);
const char *digests_type_name(uint32_t type);

void digests_create_group(scene *s, uint32_t group);

// digests_notify.c

mica_query digests_query(scene *s, uint32_t query);
void digests_create_observers(scene *s, uint32_t set);
void digests_create_systems(scene *s);

// Iterates a query, notes entities and values; `writes`: changes what it may write.
void digests_visit(scene *s, uint32_t query, bool writes);

// digests_entity.c

void digests_operate(scene *s, uint32_t operation, mica_entity entity, uint32_t type);

// digests_steps.c; the functions of some steps are in digests_entity.c and digests_notify.c.

typedef void step_fn(scene *s, const step *with);
#define DIGESTS_DECLARE(code, function) step_fn digests_##function;
DIGESTS_STEPS(DIGESTS_DECLARE)

const char *digests_step_name(uint32_t code);
void digests_run_step(scene *s, step with);

// digests_worlds.c and, of random worlds, digests_random.c

uint32_t digests_world_count(void);
world_row digests_world(uint32_t index);
uint32_t digests_random_count(void);
world_row digests_random(uint32_t index);

// The step of a random world behind its first steps; its code is END_OF_STEPS behind the last one.
step digests_random_step(scene *s, uint32_t index);

#endif
