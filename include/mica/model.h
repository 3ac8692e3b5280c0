// Models: the components of a program, declared once with a macro list. It generates a struct of
// typed handles, one call that registers all of them, and typed functions for each
// component. [model.generated] Swapped components and values of another type do not compile.
//
//   #define GAME(X) X(TABLE, Position, x, y) X(TABLE, Velocity, x, y) X(TAG, Frozen)
//   MICA_MODEL(game, GAME)
//
//   game g;
//   game_register(world, &g);
//   mica_entity e = mica_spawn(world, MICA_VALUE_OF(g, Position, 0, 0),
//                              MICA_VALUE_OF(g, Velocity, 1, 2));
//   const Position *p = Position_get(world, e, g.Position);
//   Frozen_add(world, e, g.Frozen);
//
// A row is X(kind, T, fields...): the storage, the C type, and its fields as in MICA_REGISTER().
// The component has the name of its C type, which must be one word. The type is a struct, a union,
// an enum or a number, not an array. (C converts between types of numbers without an error: wrap
// numbers in structs.) The kinds are:
//
//   TABLE, SPARSE, SPLIT, RING     the storage: mica_storage
//   WITH(words...)                 in tables by default; with up to 8 members of mica_type_desc:
//                                  X(WITH(storage = MICA_SPARSE, toggle = true), Shield, strength)
//   TAG, SPARSE_TAG                no data; the name is not that of a C type
//   TAG_WITH(words...)             X(TAG_WITH(storage = MICA_SPARSE, toggle = true), Chosen)
//
// All generated functions are static inline. They call the function behind them with `handle.type`,
// at the same cost. Use the handles with other functions in the same way: {g.Position.type,
// MICA_READ}. A program may have many models, but in one source file a component can be in only
// one.
#ifndef MICA_MODEL_H
#define MICA_MODEL_H

#include <mica/accessor.h>
#include <mica/component.h>
#include <mica/event.h>
#include <mica/query.h>
#include <mica/resource.h>

#include <string.h>

// A model M with a LIST of components, as above, defines:
//
//   M                                 a struct with a handle T_type for each component, named T
//   M_register(world, &model_out)     registers all: mica_type_register_all(). On failure, all
//                                     handles are null, and no new type is in the world
//                                     [model.register_fail]
//   M_types(world, &model, &set)      adds all of them to a set, or none: mica_type_set_add()
//                                     [model.types]
//
// and for each component T, where `type` is a T_type and pointers are to T:
//
//   T_add(world, entity, type)  T_remove()  T_has()         mica_add(), mica_remove(), mica_has()
//   T_join(world, &set, type)  T_leave()  T_is_in()         mica_type_set_add(), _remove(), _has()
//
// unless it is a tag: [model.tag_functions]
//
//   T_set(world, entity, type, value)                       mica_set_value()
//   T_load(world, entity, type, &value_out)                 mica_load()
//   T_resource(world, type)  T_resource_mut()               mica_resource_get(), _get_mut()
//   T_resource_set(world, type, value)                      mica_resource_set()
//   T_send(world, type, value)                              mica_send()
//   T_unread(it, type, &count_out)                          mica_events_unread()
//   T_events(world, type, &cursor, &count_out)              mica_events()
//
// unless it is split: [model.split_functions]
//
//   T_get(world, entity, type)  T_get_mut()                 mica_get(), mica_get_mut()
//   T_accessor_new(world, type)                             mica_accessor_new(), as a T_accessor
//   T_accessor_get(accessor, entity)  T_accessor_get_mut()  mica_accessor_get(), _get_mut()
#define MICA_MODEL(M, LIST)                                                                        \
    LIST(MICA_MODEL_STAMP_)                                                                        \
    typedef struct M {                                                                             \
        LIST(MICA_MODEL_MEMBER_)                                                                   \
    } M;                                                                                           \
    MICA_GENERATED_ mica_result M##_register(mica_world *world_, M *model_out_)                    \
    {                                                                                              \
        mica_type_desc descs_[] = {LIST(MICA_MODEL_DESC_)};                                        \
        mica_type types_[sizeof descs_ / sizeof descs_[0]];                                        \
        mica_type_desc *desc_ = descs_;                                                            \
        LIST(MICA_MODEL_WORDS_)                                                                    \
        mica_result result_ = mica_type_register_all(                                              \
            world_, descs_, MICA_CAST_(uint32_t, desc_ - descs_), model_out_ ? types_ : NULL);     \
        const mica_type *type_ = model_out_ ? types_ : NULL;                                       \
        if (type_) {                                                                               \
            LIST(MICA_MODEL_TAKE_)                                                                 \
        }                                                                                          \
        return result_;                                                                            \
    }                                                                                              \
    MICA_GENERATED_ mica_result M##_types(mica_world *world_, const M *model_,                     \
                                          mica_type_set *set_)                                     \
    {                                                                                              \
        mica_type_set all_;                                                                        \
        memset(&all_, 0, sizeof all_);                                                             \
        mica_result result_ = MICA_OK;                                                             \
        LIST(MICA_MODEL_JOIN_)                                                                     \
        result_ = result_ ? result_ : mica_type_set_union(world_, set_, set_, &all_);              \
        mica_type_set_free(world_, &all_);                                                         \
        return result_;                                                                            \
    }

// A component of a model with its value, for mica_spawn(), mica_set() and all other calls with
// values. `model` is the struct itself: write *model for a pointer.
//
//   MICA_VALUE_OF(model, T, initializers...)   a new value
//   MICA_VARIABLE_OF(model, T, variable)       the value of a variable of type T
//   MICA_ARRAY_OF(model, T, array)             an array of T, for mica_spawn_many(), mica_send()
//   MICA_ADD_OF(model, T)                      a tag, or the default value
#define MICA_VALUE_OF(model, T, ...) MICA_VALUE((model).T.type, T, __VA_ARGS__)
#define MICA_VARIABLE_OF(model, T, variable)                                                       \
    MICA_COPY_OF(MICA_IF_SAME_(T, variable, (model).T.type), variable)
#define MICA_ARRAY_OF(model, T, array)                                                             \
    MICA_COPY_OF_ARRAY(MICA_IF_SAME_(T, (array)[0], (model).T.type), array)
#define MICA_ADD_OF(model, T) MICA_ADD((model).T.type)

// Typed queries: a list of rows X(access, T) or X(access, T, filters), in the order of terms.
//
//   #define MOVERS(X) X(WRITE, Position) X(READ, Velocity) X(WITHOUT, Frozen)
//   MICA_MODEL_QUERY(game, movers, MOVERS)
//
//   movers_query q = movers_new(world, &g);
//   MICA_EACH(movers, m, world, q) {
//       m.Position->x += m.Velocity->x;
//   }
//
// The accesses are READ, WRITE, WITH, WITHOUT, OPTIONAL, OPTIONAL_WRITE and ANY, as in mica_access.
// READ_FIELDS and WRITE_FIELDS are for split components, which have no pointer to whole
// values. [model.fields] MICA_READ_FIELD() and MICA_WRITE_FIELD() access their fields by the number
// of the term: MICA_TERM(movers, Body).
//
// A query Q of a model M defines:
//
//   Q                      a struct with `rows`, the number of rows, with `entity`, and with a
//                          pointer for each component that is read or written. The pointer has
//                          the component's name, and is const if it is only read. They point to
//                          the first of `rows` contiguous values
//   Q_desc(&model)         a mica_query_desc, as for a system; other members can be set in it
//                          [model.desc]
//   Q_new(world, &model)   mica_query_new() with it. Returns a Q_query; its .query is a mica_query
//   Q_rows(it)             returns a Q: the rows of the current segment, for example in a system
//                          [model.rows]. If values are not available (mica_read() says why), it
//                          reports an error and has no rows [model.rows_fail]. Debug builds
//                          compare the names of the C types, which detects an iteration of
//                          another query [model.c_type]
//   Q_none(), Q_begin(), Q_next(), Q_advance()   used by MICA_EACH()
#define MICA_MODEL_QUERY(M, Q, LIST)                                                               \
    typedef struct Q##_query {                                                                     \
        mica_query query;                                                                          \
    } Q##_query;                                                                                   \
    typedef struct Q##_terms {                                                                     \
        LIST(MICA_TERM_NUMBER_)                                                                    \
    } Q##_terms;                                                                                   \
    typedef char Q##_has_too_many_terms[sizeof(Q##_terms) <= MICA_TERMS_INLINE ? 1 : -1];          \
    typedef struct Q {                                                                             \
        uint32_t rows;                                                                             \
        const mica_entity *entity;                                                                 \
        LIST(MICA_TERM_MEMBER_)                                                                    \
    } Q;                                                                                           \
    MICA_GENERATED_ mica_query_desc Q##_desc(const M *model_)                                      \
    {                                                                                              \
        mica_query_desc desc_;                                                                     \
        memset(&desc_, 0, sizeof desc_);                                                           \
        desc_.name = #Q;                                                                           \
        mica_term terms_[] = {LIST(MICA_TERM_)};                                                   \
        for (uint32_t i_ = 0; i_ < sizeof(Q##_terms); i_++) {                                      \
            desc_.terms[i_] = terms_[i_];                                                          \
        }                                                                                          \
        return desc_;                                                                              \
    }                                                                                              \
    MICA_GENERATED_ Q##_query Q##_new(mica_world *world_, const M *model_)                         \
    {                                                                                              \
        const mica_query_desc desc_ = Q##_desc(model_);                                            \
        Q##_query made_ = {mica_query_new(world_, &desc_)};                                        \
        return made_;                                                                              \
    }                                                                                              \
    MICA_GENERATED_ Q Q##_rows(const mica_iter *it_)                                               \
    {                                                                                              \
        Q row_;                                                                                    \
        uint32_t term_ = 0;                                                                        \
        uint32_t any_ = 0; /* rows of optional components */                                       \
        row_.rows = it_ ? it_->count : 0;                                                          \
        row_.entity = it_ ? it_->entities : NULL;                                                  \
        LIST(MICA_TERM_GET_)                                                                       \
        (void)term_;                                                                               \
        (void)any_;                                                                                \
        return row_;                                                                               \
    }                                                                                              \
    MICA_GENERATED_ Q Q##_none(void)                                                               \
    {                                                                                              \
        Q row_;                                                                                    \
        memset(&row_, 0, sizeof row_);                                                             \
        return row_;                                                                               \
    }                                                                                              \
    MICA_GENERATED_ void Q##_advance(Q *row_)                                                      \
    {                                                                                              \
        row_->rows--;                                                                              \
        row_->entity = row_->entity ? row_->entity + 1 : row_->entity;                             \
        LIST(MICA_TERM_ADVANCE_)                                                                   \
    }                                                                                              \
    MICA_GENERATED_ mica_iter *Q##_begin(mica_world *world_, Q##_query query_, mica_iter *it_out_) \
    {                                                                                              \
        return mica_iter_begin(world_, query_.query, it_out_) ? NULL : it_out_;                    \
    }                                                                                              \
    MICA_GENERATED_ bool Q##_next(mica_iter *it_, Q *row_)                                         \
    {                                                                                              \
        if (row_->rows > 0) {                                                                      \
            mica_iter_end(it_); /* left in the middle */                                           \
            return false;                                                                          \
        }                                                                                          \
        bool more_ = mica_iter_next(it_);                                                          \
        if (more_) {                                                                               \
            *row_ = Q##_rows(it_);                                                                 \
        }                                                                                          \
        return more_;                                                                              \
    }

// Loops over all rows of a query. `row` is a Q, whose pointers point to the values of one
// entity. [each.rows] `break` ends the iteration; return and goto leave it open. [each.break] The
// iteration is row##_it, for example in mica_later(&m_it). [each.iteration]
#define MICA_EACH(Q, row, world, query)                                                            \
    for (mica_iter row##_it, *row##_on = Q##_begin(world, query, &row##_it); row##_on;             \
         row##_on = NULL)                                                                          \
        for (Q row = Q##_none(); Q##_next(row##_on, &row);)                                        \
            for (; row.rows > 0; Q##_advance(&row))

// Loops over the rows of the current segment, in a system or inside an iteration of the
// query. [each.segment]
#define MICA_EACH_ROW(Q, row, it) for (Q row = Q##_rows(it); row.rows > 0; Q##_advance(&row))

// The number of a component's term in a typed query. [model.term]
#define MICA_TERM(Q, T) (MICA_CAST_(uint32_t, offsetof(Q##_terms, T)))

// The functions behind Q_rows(): return the values of a term, like mica_read() and mica_write().
// Without values, they set `rows` to 0. They compare the name of the C type, unless it is NULL.
MICA_INLINE_ static inline const void *mica_rows_read_(const mica_iter *it, uint32_t term,
                                                       uint32_t size, const char *c_type,
                                                       uint32_t *rows)
{
    if (!c_type && it && (it->readable >> term & 1)) {
        return it->pointers[term];
    }
    const void *values = c_type ? mica_read_as(it, term, size, c_type) : mica_read(it, term);
    *rows = values ? *rows : 0;
    return values;
}
MICA_INLINE_ static inline void *mica_rows_write_(const mica_iter *it, uint32_t term, uint32_t size,
                                                  const char *c_type, uint32_t *rows)
{
    if (!c_type && it && (it->writable >> term & 1)) {
        return it->pointers[term];
    }
    void *values = c_type ? mica_write_as(it, term, size, c_type) : mica_write(it, term);
    *rows = values ? *rows : 0;
    return values;
}

// The function behind M_register(): returns the descriptor of a tag.
static inline mica_type_desc mica_tag_desc_(const char *name)
{
    mica_type_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = name;
    return desc;
}

// Implementation. A list is expanded several times, with a different macro for X. Each macro joins
// its own name and the kind or access of a row. The result is the name of the macro for that row.
// (MICA_APPLY_ expands its argument before it is pasted. Variables end in _, so that they hide none
// of the program's.)

#ifdef __GNUC__
#define MICA_GENERATED_ __attribute__((unused)) static inline
#else
#define MICA_GENERATED_ static inline
#endif
#define MICA_APPLY_(f, T) f(T)
#define MICA_SECOND_(first, second, ...) second

// The type and the functions of a component.
#define MICA_MODEL_STAMP_(kind, ...) MICA_MODEL_STAMP_##kind(__VA_ARGS__)
#define MICA_MODEL_STAMP_TABLE(...) MICA_APPLY_(MICA_MODEL_WHOLE_, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_MODEL_STAMP_SPARSE(...) MICA_APPLY_(MICA_MODEL_WHOLE_, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_MODEL_STAMP_RING(...) MICA_APPLY_(MICA_MODEL_WHOLE_, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_MODEL_STAMP_WITH(...) MICA_MODEL_STAMP_TABLE
#define MICA_MODEL_STAMP_SPLIT(...) MICA_APPLY_(MICA_MODEL_VALUE_, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_MODEL_STAMP_TAG(T) MICA_MODEL_TYPE_(T)
#define MICA_MODEL_STAMP_SPARSE_TAG(T) MICA_MODEL_TYPE_(T)
#define MICA_MODEL_STAMP_TAG_WITH(...) MICA_MODEL_TYPE_

#define MICA_MODEL_TYPE_(T)                                                                        \
    typedef struct T##_type {                                                                      \
        mica_type type;                                                                            \
    } T##_type;                                                                                    \
    MICA_GENERATED_ mica_result T##_add(mica_world *world_, mica_entity entity_, T##_type type_)   \
    {                                                                                              \
        return mica_add(world_, entity_, type_.type);                                              \
    }                                                                                              \
    MICA_GENERATED_ mica_result T##_remove(mica_world *world_, mica_entity entity_,                \
                                           T##_type type_)                                         \
    {                                                                                              \
        return mica_remove(world_, entity_, type_.type);                                           \
    }                                                                                              \
    MICA_GENERATED_ bool T##_has(mica_world *world_, mica_entity entity_, T##_type type_)          \
    {                                                                                              \
        return mica_has(world_, entity_, type_.type);                                              \
    }                                                                                              \
    MICA_GENERATED_ mica_result T##_join(mica_world *world_, mica_type_set *set_, T##_type type_)  \
    {                                                                                              \
        return mica_type_set_add(world_, set_, type_.type);                                        \
    }                                                                                              \
    MICA_GENERATED_ mica_result T##_leave(mica_world *world_, mica_type_set *set_, T##_type type_) \
    {                                                                                              \
        return mica_type_set_remove(world_, set_, type_.type);                                     \
    }                                                                                              \
    MICA_GENERATED_ bool T##_is_in(mica_world *world_, const mica_type_set *set_, T##_type type_)  \
    {                                                                                              \
        return mica_type_set_has(world_, set_, type_.type);                                        \
    }

// The second typedef does not compile for an array, because functions cannot take arrays by value.
#define MICA_MODEL_VALUE_(T)                                                                       \
    MICA_MODEL_TYPE_(T)                                                                            \
    typedef T (*T##_is_no_array)(void);                                                            \
    MICA_GENERATED_ mica_result T##_set(mica_world *world_, mica_entity entity_, T##_type type_,   \
                                        T value_)                                                  \
    {                                                                                              \
        return MICA_SET_(T);                                                                       \
    }                                                                                              \
    MICA_GENERATED_ bool T##_load(mica_world *world_, mica_entity entity_, T##_type type_,         \
                                  T *value_out_)                                                   \
    {                                                                                              \
        return mica_load(world_, entity_, type_.type, value_out_,                                  \
                         MICA_CAST_(uint32_t, sizeof(T)));                                         \
    }                                                                                              \
    MICA_GENERATED_ const T *T##_resource(mica_world *world_, T##_type type_)                      \
    {                                                                                              \
        return MICA_CAST_(const T *, mica_resource_get(world_, type_.type));                       \
    }                                                                                              \
    MICA_GENERATED_ T *T##_resource_mut(mica_world *world_, T##_type type_)                        \
    {                                                                                              \
        return MICA_CAST_(T *, mica_resource_get_mut(world_, type_.type));                         \
    }                                                                                              \
    MICA_GENERATED_ mica_result T##_resource_set(mica_world *world_, T##_type type_, T value_)     \
    {                                                                                              \
        return MICA_GIVE_(mica_resource_set, T);                                                   \
    }                                                                                              \
    MICA_GENERATED_ mica_result T##_send(mica_world *world_, T##_type type_, T value_)             \
    {                                                                                              \
        return MICA_GIVE_(mica_send, T);                                                           \
    }                                                                                              \
    MICA_GENERATED_ const T *T##_unread(const mica_iter *it_, T##_type type_,                      \
                                        uint32_t *count_out_)                                      \
    {                                                                                              \
        return MICA_CAST_(const T *, mica_events_unread(it_, type_.type, count_out_));             \
    }                                                                                              \
    MICA_GENERATED_ const T *T##_events(mica_world *world_, T##_type type_, mica_cursor *cursor_,  \
                                        uint32_t *count_out_)                                      \
    {                                                                                              \
        return MICA_CAST_(const T *, mica_events(world_, type_.type, cursor_, count_out_));        \
    }

#define MICA_MODEL_WHOLE_(T)                                                                       \
    MICA_MODEL_VALUE_(T)                                                                           \
    typedef T T##_whole;                                                                           \
    MICA_GENERATED_ const T *T##_get(mica_world *world_, mica_entity entity_, T##_type type_)      \
    {                                                                                              \
        return MICA_CAST_(const T *, mica_get(world_, entity_, type_.type));                       \
    }                                                                                              \
    MICA_GENERATED_ T *T##_get_mut(mica_world *world_, mica_entity entity_, T##_type type_)        \
    {                                                                                              \
        return MICA_CAST_(T *, mica_get_mut(world_, entity_, type_.type));                         \
    }                                                                                              \
    typedef struct T##_accessor {                                                                  \
        mica_accessor accessor;                                                                    \
    } T##_accessor;                                                                                \
    MICA_GENERATED_ T##_accessor T##_accessor_new(mica_world *world_, T##_type type_)              \
    {                                                                                              \
        T##_accessor made_ = {mica_accessor_new(world_, type_.type)};                              \
        return made_;                                                                              \
    }                                                                                              \
    MICA_INLINE_ MICA_GENERATED_ const T *T##_accessor_get(T##_accessor accessor_,                 \
                                                           mica_entity entity_)                    \
    {                                                                                              \
        return MICA_CAST_(const T *, mica_accessor_get(&accessor_.accessor, entity_));             \
    }                                                                                              \
    MICA_INLINE_ MICA_GENERATED_ T *T##_accessor_get_mut(T##_accessor accessor_,                   \
                                                         mica_entity entity_)                      \
    {                                                                                              \
        return MICA_CAST_(T *, mica_accessor_get_mut(&accessor_.accessor, entity_));               \
    }

// MICA_SET_() and MICA_GIVE_() pass a value to a call. MICA_IF_SAME_() is `type`, but compiles only
// if the variable has the C type T.
#ifndef __cplusplus
#define MICA_SET_(T) mica_set_value(world_, entity_, type_.type, &value_, (uint32_t)sizeof(T))
#define MICA_GIVE_(call, T)                                                                        \
    call##_values(world_, &(mica_value){type_.type, &value_, (uint32_t)sizeof(T), 1, NULL}, 1)
#define MICA_IF_SAME_(T, variable, type) _Generic((variable), T : (type))
#else
#define MICA_SET_(T)                                                                               \
    mica_set(world_, entity_, mica_value_made(type_.type, static_cast<T &&>(value_), nullptr))
#define MICA_GIVE_(call, T)                                                                        \
    call(world_, mica_value_made(type_.type, static_cast<T &&>(value_), nullptr))
#define MICA_IF_SAME_(T, variable, type) (mica_if_same<T, decltype(variable)>(type))
#endif

// For each component: its handle in the struct; its descriptor, with the members set in it; its
// registered type; its place in the set.
#define MICA_MODEL_MEMBER_(kind, ...) MICA_APPLY_(MICA_MODEL_HANDLE_, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_MODEL_HANDLE_(T) T##_type T;

#define MICA_MODEL_DESC_(kind, ...) MICA_MODEL_DESC_##kind(__VA_ARGS__)
#define MICA_MODEL_DESC_TABLE(...) MICA_DESCRIBE(__VA_ARGS__),
#define MICA_MODEL_DESC_SPARSE(...) MICA_DESCRIBE(__VA_ARGS__),
#define MICA_MODEL_DESC_SPLIT(...) MICA_DESCRIBE(__VA_ARGS__),
#define MICA_MODEL_DESC_RING(...) MICA_DESCRIBE(__VA_ARGS__),
#define MICA_MODEL_DESC_WITH(...) MICA_MODEL_DESC_TABLE
#define MICA_MODEL_DESC_TAG(T) mica_tag_desc_(#T),
#define MICA_MODEL_DESC_SPARSE_TAG(T) mica_tag_desc_(#T),
#define MICA_MODEL_DESC_TAG_WITH(...) MICA_MODEL_DESC_TAG

#define MICA_MODEL_WORDS_(kind, ...)                                                               \
    MICA_MODEL_WORDS_##kind;                                                                       \
    desc_++;
#define MICA_MODEL_WORDS_TABLE desc_->storage = MICA_TABLE
#define MICA_MODEL_WORDS_SPARSE desc_->storage = MICA_SPARSE
#define MICA_MODEL_WORDS_SPLIT desc_->storage = MICA_SPLIT
#define MICA_MODEL_WORDS_RING desc_->storage = MICA_RING
#define MICA_MODEL_WORDS_TAG desc_->storage = MICA_TABLE
#define MICA_MODEL_WORDS_SPARSE_TAG desc_->storage = MICA_SPARSE
#define MICA_MODEL_WORDS_WITH(...)                                                                 \
    MICA_JOIN_(MICA_WORDS_, MICA_FIELD_COUNT_(desc_, __VA_ARGS__))(__VA_ARGS__)
#define MICA_MODEL_WORDS_TAG_WITH(...) MICA_MODEL_WORDS_WITH(__VA_ARGS__)
#define MICA_WORDS_1(word) desc_->word
#define MICA_WORDS_2(word, ...) MICA_WORDS_1(word), MICA_WORDS_1(__VA_ARGS__)
#define MICA_WORDS_3(word, ...) MICA_WORDS_1(word), MICA_WORDS_2(__VA_ARGS__)
#define MICA_WORDS_4(word, ...) MICA_WORDS_1(word), MICA_WORDS_3(__VA_ARGS__)
#define MICA_WORDS_5(word, ...) MICA_WORDS_1(word), MICA_WORDS_4(__VA_ARGS__)
#define MICA_WORDS_6(word, ...) MICA_WORDS_1(word), MICA_WORDS_5(__VA_ARGS__)
#define MICA_WORDS_7(word, ...) MICA_WORDS_1(word), MICA_WORDS_6(__VA_ARGS__)
#define MICA_WORDS_8(word, ...) MICA_WORDS_1(word), MICA_WORDS_7(__VA_ARGS__)

#define MICA_MODEL_TAKE_(kind, ...) MICA_APPLY_(MICA_MODEL_TAKEN_, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_MODEL_TAKEN_(T) model_out_->T.type = *type_++;

#define MICA_MODEL_JOIN_(kind, ...) MICA_APPLY_(MICA_MODEL_JOINED_, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_MODEL_JOINED_(T)                                                                      \
    result_ = result_ ? result_ : mica_type_set_add(world_, &all_, model_->T.type);

// For each term: its number; its descriptor; its pointer in the struct, and how to get and advance
// it.
#define MICA_TERM_NUMBER_(access, ...) MICA_APPLY_(MICA_TERM_COUNTED_, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_TERM_COUNTED_(T) char T;

#define MICA_TERM_(access, ...)                                                                    \
    {model_->MICA_FIRST_(__VA_ARGS__, ).type,                                                      \
     MICA_CAST_(uint32_t, MICA_TERM_ACCESS_##access) |                                             \
         MICA_CAST_(uint32_t, MICA_SECOND_(__VA_ARGS__, 0, ))},
#define MICA_TERM_ACCESS_READ MICA_READ
#define MICA_TERM_ACCESS_WRITE MICA_WRITE
#define MICA_TERM_ACCESS_READ_FIELDS MICA_READ
#define MICA_TERM_ACCESS_WRITE_FIELDS MICA_WRITE
#define MICA_TERM_ACCESS_WITH MICA_WITH
#define MICA_TERM_ACCESS_WITHOUT MICA_WITHOUT
#define MICA_TERM_ACCESS_OPTIONAL MICA_OPTIONAL
#define MICA_TERM_ACCESS_OPTIONAL_WRITE MICA_OPTIONAL_WRITE
#define MICA_TERM_ACCESS_ANY MICA_ANY

#define MICA_TERM_MEMBER_(access, ...)                                                             \
    MICA_APPLY_(MICA_TERM_MEMBER_##access, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_TERM_MEMBER_READ(T) const T##_whole *T;
#define MICA_TERM_MEMBER_WRITE(T) T##_whole *T;
#define MICA_TERM_MEMBER_READ_FIELDS(T)
#define MICA_TERM_MEMBER_WRITE_FIELDS(T)
#define MICA_TERM_MEMBER_WITH(T)
#define MICA_TERM_MEMBER_WITHOUT(T)
#define MICA_TERM_MEMBER_OPTIONAL(T) const T##_whole *T;
#define MICA_TERM_MEMBER_OPTIONAL_WRITE(T) T##_whole *T;
#define MICA_TERM_MEMBER_ANY(T) const T##_whole *T;

#define MICA_TERM_GET_(access, ...)                                                                \
    MICA_APPLY_(MICA_TERM_GET_##access, MICA_FIRST_(__VA_ARGS__, ))                                \
    term_++;
#define MICA_TERM_GET_READ(T) MICA_TERM_GOT_(const T##_whole, T, mica_rows_read_, row_.rows)
#define MICA_TERM_GET_WRITE(T) MICA_TERM_GOT_(T##_whole, T, mica_rows_write_, row_.rows)
#define MICA_TERM_GET_READ_FIELDS(T)
#define MICA_TERM_GET_WRITE_FIELDS(T)
#define MICA_TERM_GET_WITH(T)
#define MICA_TERM_GET_WITHOUT(T)
#define MICA_TERM_GET_OPTIONAL(T) MICA_TERM_GOT_(const T##_whole, T, mica_rows_read_, any_)
#define MICA_TERM_GET_OPTIONAL_WRITE(T) MICA_TERM_GOT_(T##_whole, T, mica_rows_write_, any_)
#define MICA_TERM_GET_ANY(T) MICA_TERM_GOT_(const T##_whole, T, mica_rows_read_, any_)
#define MICA_TERM_GOT_(C, T, reach, rows)                                                          \
    row_.T = MICA_CAST_(                                                                           \
        C *, reach(it_, term_, MICA_CAST_(uint32_t, sizeof(C)), MICA_C_TYPE_(T), &rows));

#define MICA_TERM_ADVANCE_(access, ...)                                                            \
    MICA_APPLY_(MICA_TERM_ADVANCE_##access, MICA_FIRST_(__VA_ARGS__, ))
#define MICA_TERM_ADVANCE_READ(T) row_->T++;
#define MICA_TERM_ADVANCE_WRITE(T) row_->T++;
#define MICA_TERM_ADVANCE_READ_FIELDS(T)
#define MICA_TERM_ADVANCE_WRITE_FIELDS(T)
#define MICA_TERM_ADVANCE_WITH(T)
#define MICA_TERM_ADVANCE_WITHOUT(T)
#define MICA_TERM_ADVANCE_OPTIONAL(T) row_->T = row_->T ? row_->T + 1 : row_->T;
#define MICA_TERM_ADVANCE_OPTIONAL_WRITE(T) row_->T = row_->T ? row_->T + 1 : row_->T;
#define MICA_TERM_ADVANCE_ANY(T) row_->T = row_->T ? row_->T + 1 : row_->T;

#endif
