// Tapes: operations as data. An operation is a code and four small numbers, which are taken modulo
// what there is; so any part of a tape is a tape, and a failing one can be cut down.
//
// A new operation is a line in OPERATIONS and two functions of the same name, which stand side by
// side in one of the files ops_*.c:
//
//   void library_<name>(lab *l, const tape_op *op, outcome *got);
//   void model_of_<name>(model *m, const tape_op *op, const outcome *got, outcome *want);
//
// The first does it to the library and says what came of it; l->m is the model as it was before. The
// second does it to the model and says what should have come of it. It may look at what the library
// did where the model cannot know: in which order a query gives what matches.
#ifndef TEST_MODEL_TAPE_H
#define TEST_MODEL_TAPE_H

#include "model/lab.h"

// X(code, name, weight): how often it is drawn, beside the others.
#define OPERATIONS(X)                                                                              \
    X(LIMIT, limit,                                                                                \
      0) /* how many slots the world has, and where types are kept; from the start */              \
    X(SPAWN, spawn, 12)                                                                            \
    X(SPAWN_VALUES, spawn_values, 40)                                                              \
    X(SPAWN_AT, spawn_at, 12)                                                                      \
    X(BUNDLE_NEW, bundle_new, 6)                                                                   \
    X(BUNDLE_FREE, bundle_free, 1)                                                                 \
    X(BUNDLE_RESERVE, bundle_reserve, 4)                                                           \
    X(SPAWN_RESERVED, spawn_reserved, 8)                                                           \
    X(SPAWN_BUNDLE, spawn_bundle, 40)                                                              \
    X(SPAWN_MANY, spawn_many, 14)                                                                  \
    X(CLONE, clone, 16)                                                                            \
    X(DESPAWN, despawn, 24)                                                                        \
    X(DESPAWN_MANY, despawn_many, 6)                                                               \
    X(ADD, add, 40)                                                                                \
    X(REMOVE, remove, 40)                                                                          \
    X(SET, set, 40)                                                                                \
    X(ADD_TYPES, add_types, 16)                                                                    \
    X(REMOVE_TYPES, remove_types, 12)                                                              \
    X(SET_VALUES, set_values, 20)                                                                  \
    X(CHANGE, change, 30)                                                                          \
    X(COPY, copy, 20)                                                                              \
    X(GIVE, give, 24)                                                                              \
    X(TAKE, take, 8)                                                                               \
    X(NAME, name, 14)                                                                              \
    X(WRITE, write, 16)                                                                            \
    X(QUERY_NEW, query_new, 20)                                                                    \
    X(QUERY_FREE, query_free, 1)                                                                   \
    X(ITERATE, iterate, 20)                                                                        \
    X(ITERATE_ENTITY, iterate_entity, 12)                                                          \
    X(WALK_BEGIN, walk_begin, 6)                                                                   \
    X(WALK_NEXT, walk_next, 12)                                                                    \
    X(WALK_END, walk_end, 6)                                                                       \
    X(WALK_END_ALL, walk_end_all, 2)                                                               \
    X(STEP, step, 8)                                                                               \
    X(RUN, run, 6)                                                                                 \
    X(LATER, later, 40)                                                                            \
    X(QUERY_ADD, query_add, 16)                                                                    \
    X(QUERY_REMOVE, query_remove, 16)                                                              \
    X(QUERY_SET, query_set, 16)                                                                    \
    X(QUERY_DESPAWN, query_despawn, 2)                                                             \
    X(TOGGLE, toggle, 40)                                                                          \
    X(QUERY_TOGGLE, query_toggle, 10)                                                              \
    X(GROUP_NEW, group_new, 12)                                                                    \
    X(GROUP_FREE, group_free, 2)                                                                   \
    X(GROUP_SORT, group_sort, 10)                                                                  \
    X(GROUP_SORT_LIKE, group_sort_like, 5)                                                         \
    X(SORT, sort, 10)                                                                              \
    X(SORT_LIKE, sort_like, 5)                                                                     \
    X(LOOK, look, 24)                                                                              \
    X(KEEP, keep, 12)                                                                              \
    X(CLEAR, clear, 1)                                                                             \
    X(RECLAIM, reclaim, 6)                                                                         \
    X(OBSERVE, observe, 6)                                                                         \
    X(RELOAD, reload, 6)                                                                           \
    X(BAD, bad, 14)                                                                                \
    X(SEND, send, 24)                                                                              \
    X(READ, read, 16)                                                                              \
    X(REACT, react, 6)                                                                             \
    X(RESOURCE, resource, 12)                                                                      \
    X(EXTEND, extend, 60)                                                                          \
    X(FACET, facet, 20)                                                                            \
    X(UNTIDY, untidy, 30)                                                                          \
    X(TIME, time, 2)                                                                               \
    X(SNAPSHOT, snapshot, 40)                                                                      \
    X(RESTORE, restore, 30)                                                                        \
    X(DROP, drop, 8)                                                                               \
    X(PIN, pin, 6)                                                                                 \
    X(UNDO, undo, 16)                                                                              \
    X(COMPARE, compare, 16)                                                                        \
    X(AGAIN, again, 24)                                                                            \
    X(TOUCH, touch, 20)

typedef enum tape_code {
#define OPERATION_CODE(code, name, weight) code,
    OPERATIONS(OPERATION_CODE)
#undef OPERATION_CODE
        TAPE_CODES
} tape_code;

// What the numbers mean is up to the operation; as a rule a: who, b: which types, c: which value,
// d: how.
typedef struct tape_op {
    tape_code code;
    uint16_t a, b, c, d;
} tape_op;

#define OPERATION_FUNCTIONS(code, name, weight)                                                    \
    void library_##name(lab *l, const tape_op *op, outcome *got);                                  \
    void model_of_##name(model *m, const tape_op *op, const outcome *got, outcome *want);
OPERATIONS(OPERATION_FUNCTIONS)
#undef OPERATION_FUNCTIONS

// A tape of a seed: which operations are frequent, which never come, how large the world may be and
// which types it mostly uses is drawn first.
void tape_draw(uint64_t seed, tape_op *tape, uint32_t count);

// Runs a tape. Returns NULL, or what was wrong, beginning with "step N: ", of the first step after
// which library and model differ. Valid until the next tape is run. The second compares what an operation gave
// after each of them, but all there is only after every so many, and at the end.
const char *tape_run(const tape_op *tape, uint32_t count);
const char *tape_run_looking(const tape_op *tape, uint32_t count, uint32_t every);

// As a test for replay_test.c.
void tape_print(const tape_op *tape, uint32_t count, uint64_t seed, const char *difference);

// For the operations

// What a call that returns an entity gave.
void tape_got_entity(lab *l, outcome *got, mica_entity entity);

// Several values at once: the types of mask b beginning with type d & 7, of number c, c + 1, ...;
// those of mask d >> 4 without data; one more of the first type if d & 8, without data if c & 3 is 3.
typedef struct tape_items {
    uint32_t count;
    uint32_t types[MODEL_TYPES + 1];
    bool given[MODEL_TYPES + 1];
    uint32_t numbers[MODEL_TYPES + 1];
} tape_items;

tape_items tape_list(const tape_op *op);
model_edit tape_edit(const tape_items *items);

// The same for the library; to be dropped.
typedef struct tape_values {
    uint32_t count;
    mica_value values[MODEL_TYPES + 1];
    mica_type types[MODEL_TYPES + 1];
    lab_value modules[MODEL_TYPES + 1];
} tape_values;

// Sends the events of an operation, or what it records of them: a: how many, b: of which kind, c: the number of
// the first, d: how. Nothing, if there are too many already.
bool tape_may_send(const model *m);
mica_type tape_event_type(const lab *l, uint32_t kind);
mica_result tape_send(lab *l, mica_world *face, const tape_op *op);
void tape_expect_sent(model *m, const tape_op *op);

// Makes a facet, or records that: b, c & 255, d: its values; c >> 8: its key, and how. Whom it is made for is
// the entity, or its owner if that is a facet; or, if c says so, that itself, which is a mistake.
mica_entity tape_owner(const model *m, mica_entity entity, const tape_op *op);
mica_entity tape_extend(lab *l, mica_world *face, mica_entity owner, const tape_op *op);
model_label tape_label(const tape_op *op);
model_edit tape_facet_edit(const tape_op *op);

// Does again what was done since the last snapshot or restore, after that was restored. The same must come of
// it, digests and all. Nothing, if there was something that a restore does not undo.
void tape_again(lab *l);

// The terms of a query, or of one that reads what it writes.
void tape_terms(const lab *l, const model_query *query, bool writes, mica_term *terms_out);

void tape_make(lab *l, const tape_items *items, tape_values *values_out);
void tape_drop(lab *l, const tape_items *items, tape_values *values);

#endif
