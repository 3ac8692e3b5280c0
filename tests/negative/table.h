// The negative table: every public function against every kind of bad argument it can get. A row is a
// call on a world that has some of everything, and what must come of it: which code is reported, what
// is returned, and that nothing else is different afterwards.
//
//   FAILS(mica_add.world.iterating, MICA_ERROR_ITERATING, mica_add(w, t->bare, t->tag));
//   BAD_ENTITIES(mica_add.entity, FAILS, MICA_ERROR_ENTITY, mica_add(w, x, t->tag));
//
// A row is called function.parameter.kind. Which rows there must be is derived from the public
// headers by functions.sh; check.sh fails for one that is missing and for one too many. A new
// function thus fails the suite until its rows are written: into the file named after its header.
//
// Macros expect a `table *t` and a `mica_world *w`, which is t->world. In rows over many bad things
// `x` is the bad thing.
#ifndef TEST_NEGATIVE_TABLE_H
#define TEST_NEGATIVE_TABLE_H

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Position {
    int32_t x, y;
} Position;

enum {
    ENTITY_KINDS = 7,
    TYPE_KINDS = 3,
    HANDLE_KINDS = 5,
    ITER_KINDS = 7,
    NAME_KINDS = 3,
    STREAM_KINDS = 4,
    SNAPSHOT_KINDS = 4,
    EXTRA_TYPES = 70, // more than a query may have terms

    // On a 32-bit machine a list of so many small things has a size that wraps around to a few bytes.
    HUGE_COUNT = 0x40000001
};

typedef struct table {
    test_world own;
    test_world other;
    mica_world *world;
    mica_world *foreign;

    mica_type position; // 8 bytes
    mica_type weight;   // 4 bytes
    mica_type tag;
    mica_type extra[EXTRA_TYPES]; // tags that nobody has
    mica_type split;              // split; 4 bytes
    mica_type loose;              // sparse; 4 bytes
    mica_type rung;               // in a ring; 4 bytes
    mica_type mark;               // a sparse tag
    mica_relation near;           // without links

    mica_entity full;  // has position, weight, tag, loose and mark
    mica_entity named; // called "taken", has position and mark
    mica_entity bare;

    mica_query movers; // position to write, weight to read, with tag
    mica_query nobody; // what it wants nobody has
    mica_bundle bundle;
    mica_system system; // called "taken"
    mica_phase phase;   // called "taken", the last, without systems
    mica_group group;   // owns loose, and needs mark
    mica_observer observer;
    mica_accessor positions;
    mica_type_set set; // of position and tag
    mica_buffer buffer;
    mica_stream stream; // to and from the buffer

    // What is wrong, in the order of the names of kinds.
    mica_entity entities[ENTITY_KINDS];
    mica_type types[TYPE_KINDS];
    mica_query queries[HANDLE_KINDS];
    mica_bundle bundles[HANDLE_KINDS];
    mica_system systems[HANDLE_KINDS];
    mica_phase phases[HANDLE_KINDS];
    mica_group groups[HANDLE_KINDS];
    mica_observer observers[HANDLE_KINDS];
    mica_iter iters[ITER_KINDS];
    mica_stream streams[STREAM_KINDS];       // the first stands for NULL
    mica_snapshot snapshots[SNAPSHOT_KINDS]; // from table_begin_time() on
    mica_relation relations[TYPE_KINDS];
    mica_type_set foreign_set; // of a type whose number this world does not have; owns no memory

    // Private.
    mica_iter open;
    bool apart; // the present row's error belongs to no world
    uint64_t before[6];
} table;

extern const char *const entity_kinds[ENTITY_KINDS];
extern const char *const with_entity_kinds[ENTITY_KINDS];
extern const char *const type_kinds[TYPE_KINDS];
extern const char *const with_type_kinds[TYPE_KINDS];
extern const char *const handle_kinds[HANDLE_KINDS];
extern const char *const iter_kinds[ITER_KINDS];
extern const char *const name_kinds[NAME_KINDS];
extern const char *const bad_names[NAME_KINDS];
extern const char *const stream_kinds[STREAM_KINDS];
extern const mica_result stream_codes[STREAM_KINDS];
extern const char *const snapshot_kinds[SNAPSHOT_KINDS];

// One at a time.
table *table_begin(void);
void table_end(table *t);

// The world anew, as it was; returns it.
mica_world *table_renew(table *t);

// What a test has added belongs to the world from now on.
void table_settle(table *t);

// Begins time in both worlds. Returns the only snapshot.
mica_snapshot table_begin_time(table *t);

// An iteration that is open while a call is made.
void table_open(table *t);
void table_close(table *t);

// Whether an iteration of this kind has no world that could be reported of an error.
bool table_iter_is_apart(uint32_t kind);

// Around a call: what was reported is `code`, once, or nothing if that is MICA_OK; `returned` says
// whether the right thing came back; nothing is different. `call` is the call as written.
void table_begin_row(table *t);
void table_end_row(table *t, const char *prefix, const char *kind, mica_result code, bool returned,
                   const char *file, int line, const char *call);

#define ROW(prefix, kind, code, returned, call)                                                    \
    (table_begin_row(t), table_end_row(t, prefix, kind, code, returned, __FILE__, __LINE__, call))

// What a call that fails gives back: its code; a null pointer, false or 0; a handle that is none.
#define FAILS_(prefix, kind, code, call) ROW(prefix, kind, code, (call) == (code), #call)
#define NULLS_(prefix, kind, code, call) ROW(prefix, kind, code, !(call), #call)
#define NONES_(prefix, kind, code, call) ROW(prefix, kind, code, (call).bits == 0, #call)
// A call that is right, or wrong in a way that is not worth a word, and changes nothing.
#define SILENT_(prefix, kind, code, condition) ROW(prefix, kind, code, condition, #condition)

#define FAILS(row, code, call) FAILS_(#row, "", code, call)
#define NULLS(row, code, call) NULLS_(#row, "", code, call)
#define NONES(row, code, call) NONES_(#row, "", code, call)
#define SILENT(row, condition) SILENT_(#row, "", MICA_OK, condition)

// A call that is right after all, and does what it is there for.
#define WORKS(row, condition)                                                                      \
    do {                                                                                           \
        CHECK(condition);                                                                          \
        w = table_renew(t);                                                                        \
        ROW(#row, "", MICA_OK, true, "");                                                          \
    } while (0)

// The error belongs to no world: it goes to standard error, where check.sh counts it.
#define APART(row) (t->apart = true, row)

// `form` is FAILS, NULLS, NONES, or SILENT with MICA_OK.
#define NULL_WORLD(function, form, call)                                                           \
    do {                                                                                           \
        w = NULL;                                                                                  \
        APART(form##_(#function, "world.null", MICA_ERROR_NULL, call));                            \
        w = t->world;                                                                              \
    } while (0)
#define NULL_WORLD_IS_FINE(function, condition)                                                    \
    do {                                                                                           \
        w = NULL;                                                                                  \
        SILENT_(#function, "world.null", MICA_OK, condition);                                      \
        w = t->world;                                                                              \
    } while (0)

#define ITERATING(function, form, code, call)                                                      \
    do {                                                                                           \
        table_open(t);                                                                             \
        form##_(#function, "world.iterating", code, call);                                         \
        table_close(t);                                                                            \
    } while (0)
// Refused, and allowed.
#define REFUSED(function, form, call) ITERATING(function, form, MICA_ERROR_ITERATING, call)
#define ALLOWED(function, condition) ITERATING(function, SILENT, MICA_OK, condition)

#define BAD_(type, list, names, count, prefix, form, code, call)                                   \
    do {                                                                                           \
        for (uint32_t k = 0; k < (count); k++) {                                                   \
            const type x = (list)[k];                                                              \
            form##_(#prefix, (names)[k], code, call);                                              \
        }                                                                                          \
    } while (0)
#define BAD_ENTITIES(prefix, form, code, call)                                                     \
    BAD_(mica_entity, t->entities, entity_kinds, ENTITY_KINDS, prefix, form, code, call)
#define WITH_BAD_ENTITIES(prefix, form, code, call)                                                \
    BAD_(mica_entity, t->entities, with_entity_kinds, ENTITY_KINDS, prefix, form, code, call)
#define BAD_TYPES(prefix, form, code, call)                                                        \
    BAD_(mica_type, t->types, type_kinds, TYPE_KINDS, prefix, form, code, call)
#define WITH_BAD_TYPES(prefix, form, code, call)                                                   \
    BAD_(mica_type, t->types, with_type_kinds, TYPE_KINDS, prefix, form, code, call)
#define BAD_RELATIONS(prefix, form, code, call)                                                    \
    BAD_(mica_relation, t->relations, type_kinds, TYPE_KINDS, prefix, form, code, call)
#define BAD_QUERIES(prefix, form, code, call)                                                      \
    BAD_(mica_query, t->queries, handle_kinds, HANDLE_KINDS, prefix, form, code, call)
#define BAD_BUNDLES(prefix, form, code, call)                                                      \
    BAD_(mica_bundle, t->bundles, handle_kinds, HANDLE_KINDS, prefix, form, code, call)
#define BAD_SYSTEMS(prefix, form, code, call)                                                      \
    BAD_(mica_system, t->systems, handle_kinds, HANDLE_KINDS, prefix, form, code, call)
#define BAD_PHASES(prefix, form, code, call)                                                       \
    BAD_(mica_phase, t->phases, handle_kinds, HANDLE_KINDS, prefix, form, code, call)
// Where none is right.
#define BAD_SYSTEMS_BUT_NONE(prefix, form, code, call)                                             \
    BAD_(mica_system, t->systems + 1, handle_kinds + 1, HANDLE_KINDS - 1, prefix, form, code, call)
#define BAD_PHASES_BUT_NONE(prefix, form, code, call)                                              \
    BAD_(mica_phase, t->phases + 1, handle_kinds + 1, HANDLE_KINDS - 1, prefix, form, code, call)
#define BAD_GROUPS(prefix, form, code, call)                                                       \
    BAD_(mica_group, t->groups, handle_kinds, HANDLE_KINDS, prefix, form, code, call)
#define BAD_OBSERVERS(prefix, form, code, call)                                                    \
    BAD_(mica_observer, t->observers, handle_kinds, HANDLE_KINDS, prefix, form, code, call)
// Empty, too long, not printable.
#define BAD_NAMES(prefix, form, code, call)                                                        \
    BAD_(char *const, bad_names, name_kinds, NAME_KINDS, prefix, form, code, call)

#define BAD_SNAPSHOTS(prefix, form, code, call)                                                    \
    BAD_(mica_snapshot, t->snapshots, snapshot_kinds, SNAPSHOT_KINDS, prefix, form, code, call)
#define BAD_SNAPSHOTS_BUT_NONE(prefix, form, code, call)                                           \
    BAD_(mica_snapshot, t->snapshots + 1, snapshot_kinds + 1, SNAPSHOT_KINDS - 1, prefix, form,    \
         code, call)

// x is a mica_stream *.
#define BAD_STREAMS_(first, prefix, form, call)                                                    \
    do {                                                                                           \
        for (uint32_t k = (first); k < STREAM_KINDS; k++) {                                        \
            const mica_stream *x = k > 0 ? &t->streams[k] : NULL;                                  \
            form##_(#prefix, stream_kinds[k], stream_codes[k], call);                              \
        }                                                                                          \
    } while (0)
#define BAD_STREAMS(prefix, form, call) BAD_STREAMS_(0, prefix, form, call)
// Where NULL is right.
#define BAD_STREAMS_BUT_NULL(prefix, form, call) BAD_STREAMS_(1, prefix, form, call)

// x is a mica_iter *, of a copy each.
#define BAD_ITERS(prefix, form, code, call)                                                        \
    do {                                                                                           \
        for (uint32_t k = 0; k < ITER_KINDS; k++) {                                                \
            mica_iter copy_ = t->iters[k];                                                         \
            mica_iter *x = k == 0 ? NULL : &copy_;                                                 \
            t->apart = (code) != MICA_OK && table_iter_is_apart(k);                                \
            form##_(#prefix, iter_kinds[k], code, call);                                           \
        }                                                                                          \
    } while (0)

#endif
