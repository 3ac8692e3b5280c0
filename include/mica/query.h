// Queries: find and iterate all entities that have certain components. An iteration returns
// segments: runs of rows whose values are contiguous arrays (structure of arrays).
//
//   mica_query movers = mica_query_new(world, &(mica_query_desc){
//       .terms = {{position, MICA_WRITE}, {velocity, MICA_READ}, {frozen, MICA_WITHOUT}}});
//   mica_iter it;
//   mica_iter_begin(world, movers, &it);
//   while (mica_iter_next(&it)) {
//       Position *p = mica_write(&it, 0);
//       const Velocity *v = mica_read(&it, 1);
//       for (uint32_t i = 0; i < it.count; i++) { p[i].x += v[i].x; }
//   }
//
// A query is compiled once and cached: it keeps a list of matching tables, which is updated when
// tables appear or disappear. The order of results is deterministic: tables in order of creation,
// rows ascending. If a query requires a sparse component that few entities have, the order is that
// of this component's values.
//
// While any iteration is open, structural changes are refused. Several iterations may be open at
// the same time, also of the same query. An iteration that is left early must be ended with
// mica_iter_end(). One that reaches its end ends by itself.
#ifndef MICA_QUERY_H
#define MICA_QUERY_H

#include <mica/component.h>
#include <mica/relation.h>

#ifdef __cplusplus
extern "C" {
#endif

// The limit of terms per query, and the number of terms that fit into the descriptor itself. (Space
// for all would take a kilobyte in every descriptor, and hardly any needs it.)
enum { MICA_TERMS_MAX = 64, MICA_TERMS_INLINE = 32 };

typedef enum mica_access {
    MICA_ACCESS_NONE = 0, // not valid in a term
    MICA_READ,            // the component is required and read
    MICA_WRITE,           // required, read and written; counts as a change
    MICA_WITH,            // required; its data is not used
    MICA_WITHOUT,         // excluded
    MICA_OPTIONAL,        // read if it is there
    MICA_OPTIONAL_WRITE,  // written if it is there
    MICA_ANY,             // at least one of all ANY terms is required; read if it is there
    MICA_ACCESS_COUNT
} mica_access;
MICA_ENUM_(mica_access);

// Filters of a term, added to its access: {burning, MICA_READ | MICA_INCLUDE_DISABLED}.
enum {
    // Also match disabled components (mica/toggle.h). Without this, a disabled component counts as
    // missing.
    MICA_INCLUDE_DISABLED = 1 << 8,
    // Match only components that were changed, or added, since this query was last iterated or its
    // system last ran (mica/change_detection.h). Others count as missing. A term has at most one of
    // the two, and a MICA_WITHOUT term has neither.
    MICA_CHANGED = 1 << 9,
    MICA_ADDED = 1 << 10,
    // Only rows that mica_touch() names count as changed. Allowed with MICA_WRITE and
    // MICA_OPTIONAL_WRITE, for components that have values.
    MICA_TOUCH = 1 << 11
};

// The low 8 bits of `access` are a mica_access. The other bits are filters, or 0. (Both share one
// member, because compilers would warn of every {type, access} that leaves out a third member.)
typedef struct mica_term {
    mica_type type;
    uint32_t access;
} mica_term;

// Restricts a query to sources of a target (mica/relation.h), in their order, or to everything below
// it: each target before its sources. Without a target, nothing matches.
typedef struct mica_query_of {
    mica_relation relation; // none: no restriction
    mica_entity target;     // mica_query_set_of() sets another one
    bool below;             // also sources of sources, and so on
} mica_query_of;

// Zero is the default of every field. A query needs terms, `of`, or `everything`.
typedef struct mica_query_desc {
    uint32_t first_zero; // must be 0

    mica_term terms[MICA_TERMS_INLINE]; // up to the first all-zero term; only zeros may follow
    const mica_term *more_terms;        // more terms, for lists that are long or built at run time
    uint32_t more_count;
    // Sets of types that are required, and excluded; only read by the call. Each type becomes a
    // MICA_WITH or MICA_WITHOUT term, after all listed terms. [query.sets] If a listed term already
    // requires or excludes the type as the set does, only that term counts, with its
    // filters. [query.sets_listed] Any other type that is named twice is a contradiction:
    // MICA_ERROR_TERMS. [query.sets_twice]
    const mica_type_set *with;
    const mica_type_set *without;
    mica_query_of of;
    bool everything; // every entity matches; without terms
    // Entity ids are not provided: it->entities is NULL. One segment then has the rows of all
    // tables if the only term reads or writes a MICA_RING component. The ring must be compacted
    // (mica_world_compact). Exceptions: .no_facets; a component with a toggle, unless
    // MICA_INCLUDE_DISABLED is set; a written component with row stamps or
    // MICA_TOUCH. [segment.one] The rows may come in another order.
    bool no_entities;
    bool no_facets;   // facets (mica/facet.h) do not match; by default they match like entities
    const char *name; // for error messages; copied

    uint32_t last_zero; // must be 0
} mica_query_desc;

typedef struct mica_query {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_query;

// Used by mica_query_new() and mica_system_add(): mica/detail/use.h.
MICA_INLINE_ static inline uint32_t mica_terms_access_(const mica_term *terms)
{
    return terms[0].access | terms[1].access | terms[2].access | terms[3].access | terms[4].access |
           terms[5].access | terms[6].access | terms[7].access | terms[8].access | terms[9].access |
           terms[10].access | terms[11].access | terms[12].access | terms[13].access |
           terms[14].access | terms[15].access | terms[16].access | terms[17].access |
           terms[18].access | terms[19].access | terms[20].access | terms[21].access |
           terms[22].access | terms[23].access | terms[24].access | terms[25].access |
           terms[26].access | terms[27].access | terms[28].access | terms[29].access |
           terms[30].access | terms[31].access;
}
MICA_INLINE_ static inline void mica_query_use_(mica_world *world, const mica_query_desc *desc)
{
    if (desc->more_count > 0 || desc->of.relation.bits ||
        (mica_terms_access_(desc->terms) & (MICA_CHANGED | MICA_ADDED))) {
        mica_use_filters_(world);
    }
}

// Creates a query. Returns the null handle on failure: MICA_ERROR_NULL, _DESC, _TYPE, _NAME,
// _LIMIT, _MEMORY, or _HOOK inside a hook of a type. Fails with _ARGUMENT for an invalid access or
// filter. Fails with _RELATION and _ENTITY for an invalid `of`. Fails with _TERMS if it has neither
// terms, `of` nor `everything`, or `everything` with one of the others. Also fails with
// _TERMS for more than MICA_TERMS_MAX terms, and for a component that is named twice. [query.fail]
// So an unregistered type causes an error, not a query that matches too much. [query.unregistered]
// O(tables). [query.cost] Allowed at any time, also during iteration. [query.any_time]
MICA_INLINE_ALWAYS mica_query mica_query_new(mica_world *world, const mica_query_desc *desc)
{
    if (desc) {
        mica_query_use_(world, desc);
    }
    mica_query query = {mica_query_new_(world, desc)};
    return query;
}

// Sets the target of a query with `of`. The null handle: nothing matches. O(1). [query.set_of] An
// iteration visits only the sources of the target, or all entities below it, in that order. A dead
// target has none. [query.of_order] Fails with MICA_ERROR_ARGUMENT if the query has no `of`, or if a
// system or an observer owns it. Fails with _ITERATING while it is being iterated, and with _NULL,
// _QUERY, _ENTITY, _HOOK. [query.set_of_fail]
MICA_API mica_result mica_query_set_of(mica_world *world, mica_query query, mica_entity target);

// Frees a query. Fails with MICA_ERROR_ITERATING while the query is being iterated. Fails with
// MICA_ERROR_ARGUMENT while a system declares it (mica_system_desc.queries), and if a system or an
// observer owns it, which frees it itself. [query.free_refused] Fails with MICA_ERROR_NULL, _HOOK,
// and with MICA_ERROR_QUERY for null, freed and foreign handles. [query.free_fail] O(open
// iterations). [query.free_cost]
MICA_API mica_result mica_query_free(mica_world *world, mica_query query);

// mica_query_count() returns the number of matching entities. It takes O(matching tables). With
// sparse terms, it takes O(entities of the smallest set), plus the free places of a stable
// component. With disabled components or change filters, it takes O(entities). mica_query_first()
// returns the first entity that an iteration would return, or the null handle.
// mica_query_contains() returns true if the entity matches. [query.count] Dead entities do not
// match; that is not an error. [query.dead] Facets count as entities, unless the query has
// .no_facets. [query.facets] On failure, these return 0, the null handle and false, with
// MICA_ERROR_NULL, _QUERY, _HOOK. [query.count_fail]
MICA_API uint32_t mica_query_count(mica_world *world, mica_query query);
MICA_API mica_entity mica_query_first(mica_world *world, mica_query query);
MICA_API bool mica_query_contains(mica_world *world, mica_query query, mica_entity entity);

// Returns the only entity that matches, such as the player or the camera. [single.only] Stops
// looking at the second match. [single.cost] Returns the null handle on failure: MICA_ERROR_ARGUMENT
// if none matches, or more than one. Other errors: MICA_ERROR_NULL, _QUERY, _HOOK. [single.fail]
MICA_API mica_entity mica_query_single(mica_world *world, mica_query query);

// Writes into `text`, in words, why the entity matches or not. Truncates the text to `size` bytes
// including the terminating zero. [query.explain] Fails with MICA_ERROR_NULL, _QUERY, _HOOK, and
// with _ARGUMENT if `size` is 0: then it writes nothing. [query.explain_fail]
MICA_API mica_result mica_query_explain(mica_world *world, mica_query query, mica_entity entity,
                                        char *text, size_t size);

// Structural changes on all matching entities. They work on whole tables: blocks of memory move to
// the other table, so the values that entities keep are not copied. [all.tables] They work entity
// by entity if matching depends on sparse terms, disabled components or changes, or if the type is
// sparse. Both ways are all or none. [all.one_by_one] The effect on each entity is that of
// mica_add(), mica_remove(), mica_set_value() or mica_despawn(). [all.each] `matched_out`, which
// may be NULL, receives the number of matching entities, unless the call fails. [all.matched]
MICA_API mica_result mica_add_all(mica_world *world, mica_query query, mica_type type,
                                  uint32_t *matched_out);
MICA_API mica_result mica_remove_all(mica_world *world, mica_query query, mica_type type,
                                     uint32_t *matched_out);
MICA_API mica_result mica_set_all(mica_world *world, mica_query query, mica_type type,
                                  const void *data, uint32_t size, uint32_t *matched_out);
MICA_API mica_result mica_despawn_all(mica_world *world, mica_query query, uint32_t *matched_out);

// An iteration. It lives on the caller's stack and must not be copied.
typedef struct mica_iter {
    // public, read-only
    mica_world *world;
    double time;                 // sum of `dt` of all earlier steps; see also mica/phase.h
    uint32_t count;              // rows of the current segment
    float dt;                    // a system's time step; 0 outside of systems
    const mica_entity *entities; // the entity of each row; NULL if the query has .no_entities
    void *user;                  // the user pointer of the system

    // private
    void *const *pointers;   // to the values of each term
    uint64_t readable;       // one bit for each term that mica_read() handles inline
    uint64_t writable;       // the same for mica_write()
    mica_result result;      // the reason for the end
    struct micai_walk *walk; // NULL: not begun, or ended
    uint64_t serial;         // number of the iteration in its world; 0: not begun
    uint64_t check;          // distinguishes an iteration from garbage
} mica_iter;

// Begins an iteration over all matching entities, or over one entity if it matches. [iter.begin]
// Fails with MICA_ERROR_QUERY, _ENTITY, _MEMORY, _HOOK inside a hook of a type, or _UNDECLARED in a
// system that did not declare this query. Fails with MICA_ERROR_ITERATING if another iteration
// holds copies of values that this one reads: see mica_write() below. A failed iteration has no
// segments; advancing and ending it is allowed and reports no further error. [iter.begin_fail] If
// it fails with MICA_ERROR_NULL, `it_out` is not an iteration: advancing or ending it is an
// error. [iter.begin_null] Fails with MICA_ERROR_ITERATOR if `it_out` is an open iteration of this
// world, which then continues. [iter.begin_open] O(open iterations). [iter.begin_cost]
MICA_API mica_result mica_iter_begin(mica_world *world, mica_query query, mica_iter *it_out);
MICA_API mica_result mica_iter_begin_entity(mica_world *world, mica_query query, mica_entity entity,
                                            mica_iter *it_out);

// Advances to the next segment. Returns false at the end, and ends the iteration, as
// mica_iter_end() does. mica_iter_end() then returns the reason for the end. [iter.next] Fails with
// MICA_ERROR_ITERATOR if the iteration has ended, is invalid, or belongs to a system: its step
// advances it. Fails with MICA_ERROR_HOOK inside a hook of a type. [iter.next_fail]
MICA_API bool mica_iter_next(mica_iter *it);

// Ends an iteration. Iterations may end in any order. O(1), plus the values to write
// back. [iter.end] The end of the last open iteration applies recorded commands (mica/command.h),
// and returns MICA_ERROR_MEMORY or _LIMIT if some could not be applied. [iter.end_commands] For an
// iteration that has already ended, or never began, returns the reason: MICA_OK if it reached its
// end or this function ended it. [iter.end_again] Fails with MICA_ERROR_ITERATOR for an invalid
// iteration, for one that mica_world_end_iterations() ended, and for that of a system, which its
// step ends. Fails with MICA_ERROR_HOOK inside a hook of a type, and ends nothing. [iter.end_fail]
MICA_API mica_result mica_iter_end(mica_iter *it);

// Writes the components that all rows of the current segment have, tags included, into a set. Zero
// a set before its first use. [iter.types] If a segment was gathered from several tables, writes
// the components that they have in common. [iter.types_common] Sparse components differ from row to
// row and are not included: use mica_has(). [iter.types_sparse] If the query has .no_entities,
// writes the components that its terms require. [iter.types_no_entities] O(types), or O(rows) for a
// gathered segment. [iter.types_cost] Fails with MICA_ERROR_ITERATOR if the iteration has no
// current segment, and with MICA_ERROR_NULL, _MEMORY. [iter.types_fail]
MICA_API mica_result mica_iter_types(const mica_iter *it, mica_type_set *types_out);

// Handles the cases that the functions below do not handle inline: values that must be gathered
// first, and wrong uses. For a wrong use, returns NULL and reports MICA_ERROR_TERM with a sentence
// that names the right call. [read.behind]
MICA_API void *mica_iter_values_any(const mica_iter *it, uint32_t term, bool write);

// Returns the values of a term: `it->count` of them, in the order of `it->entities`. [read.values]
// Returns NULL, without an error, if the component is optional and these entities do not have
// it. [read.optional] Returns NULL and reports MICA_ERROR_TERM if the query has no such term, or
// the term may not be read or written. [read.access]
//
// The values of a segment may not be contiguous if the query has sparse terms, or if components are
// disabled (mica/toggle.h). They are then gathered into copies. Values written to the copies are
// written back when the iteration leaves the segment, in any way. [write.copies] Until then, the
// copies that mica_write() returned are the only access to these values. Accessing that component
// through the world, for any entity, fails with MICA_ERROR_ITERATING, and so does beginning an
// iteration that reads it. [write.alone] Functions that print or hash the component use its old
// values. [write.shown] Values with a destruct, copy or move hook are not copied. mica_write() does
// not copy values that another open iteration reads. In both cases, returns NULL and reports
// MICA_ERROR_TERM: use mica_read_row() or mica_write_row(). [write.hooks] Fails with
// MICA_ERROR_ITERATOR if the iteration has no current segment. [read.no_segment]
MICA_INLINE const void *mica_read(const mica_iter *it, uint32_t term)
{
    return it && term < MICA_TERMS_MAX && (it->readable >> term & 1)
               ? it->pointers[term]
               : mica_iter_values_any(it, term, false);
}
MICA_INLINE void *mica_write(const mica_iter *it, uint32_t term)
{
    return it && term < MICA_TERMS_MAX && (it->writable >> term & 1)
               ? it->pointers[term]
               : mica_iter_values_any(it, term, true);
}

// Returns one row of a term, to read or to write. The rules are those of mica_read() and
// mica_write(). Fails with MICA_ERROR_ARGUMENT if the row is not below it->count. [read.row]
// Gathers no values. The pointer is valid until mica_read() or mica_write() is called for this
// term. [read.row_pointer]
MICA_API const void *mica_read_row(const mica_iter *it, uint32_t term, uint32_t row);
MICA_API void *mica_write_row(const mica_iter *it, uint32_t term, uint32_t row);

// mica_load_row() copies the value of one row out of the world, and mica_store_row() into it. They
// work for every storage, also for split components, whose values have no address. [row.load]
// Ticks, MICA_TOUCH terms and gathered copies are treated as mica_read_row() and mica_write_row()
// treat them. [row.ticks] If an optional component is missing, mica_load_row() returns false
// without an error, and mica_store_row() fails with MICA_ERROR_TERM. [row.missing] They also fail
// with the errors of those functions, and with MICA_ERROR_NULL, MICA_ERROR_SIZE, or
// MICA_ERROR_ARGUMENT if the type has hooks that copy or destroy values. [row.fail] MICA_LOAD_ROW()
// and MICA_STORE_ROW() copy to or from a variable. [row.variable]
MICA_API bool mica_load_row(const mica_iter *it, uint32_t term, uint32_t row, void *value_out,
                            uint32_t size);
MICA_API mica_result mica_store_row(const mica_iter *it, uint32_t term, uint32_t row,
                                    const void *value, uint32_t size);

// Returns one field of a term, whatever the storage: a pointer to the first row's field, and the
// bytes from row to row. [fields.stride] For a split component, mica_read() and mica_write() return
// NULL and report MICA_ERROR_TERM: access its fields with these functions, and whole values with
// mica_load_row() and mica_store_row(). [fields.split] `offset` and `size` specify the field, as in
// mica_field_info. Fails with MICA_ERROR_FIELD if the value has no such bytes, or if a split
// component stores them in several arrays. [fields.fail] Fails with MICA_ERROR_C_TYPE if the name
// of the component's C type is not `c_type`, unless `c_type` is NULL. [fields.c_type] `base` is
// NULL, without an error, if the component is missing. [fields.absent] Otherwise the rules are
// those of mica_read() and mica_write(). [fields.rules]
typedef struct mica_read_fields {
    const void *base;
    size_t stride; // the size of the field, if its values are contiguous [fields.dense]
} mica_read_fields;

typedef struct mica_write_fields {
    void *base;
    size_t stride;
} mica_write_fields;

MICA_API mica_read_fields mica_read_field(const mica_iter *it, uint32_t term, uint32_t offset,
                                          uint32_t size, const char *c_type);
MICA_API mica_write_fields mica_write_field(const mica_iter *it, uint32_t term, uint32_t offset,
                                            uint32_t size, const char *c_type);

// Returns the field of one row. [fields.row]
static inline const void *mica_read_in(mica_read_fields fields, uint32_t row)
{
    return MICA_CAST_(const unsigned char *, fields.base) + row * fields.stride;
}
static inline void *mica_write_in(mica_write_fields fields, uint32_t row)
{
    return MICA_CAST_(unsigned char *, fields.base) + row * fields.stride;
}

// Like mica_read() and mica_write(), and also check the C type: MICA_ERROR_SIZE if its size
// differs, and MICA_ERROR_C_TYPE if its name differs, unless `c_type` is NULL. [read.as]
MICA_API const void *mica_read_as(const mica_iter *it, uint32_t term, uint32_t size,
                                  const char *c_type);
MICA_API void *mica_write_as(const mica_iter *it, uint32_t term, uint32_t size, const char *c_type);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_query)
#endif

#define MICA_READ_AS(it, term, T)                                                                  \
    (MICA_CAST_(MICA_CONST_(T) *,                                                                  \
                mica_read_as(it, term, MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))
#define MICA_WRITE_AS(it, term, T)                                                                 \
    (MICA_CAST_(T *, mica_write_as(it, term, MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))

#define MICA_LOAD_ROW(it, term, row, variable)                                                     \
    (mica_load_row(it, term, row, &(variable), MICA_CAST_(uint32_t, sizeof(variable))))
#define MICA_STORE_ROW(it, term, row, variable)                                                    \
    (mica_store_row(it, term, row, &(variable), MICA_CAST_(uint32_t, sizeof(variable))))

// MICA_READ_FIELD(it, 0, Body, mass) and MICA_WRITE_FIELD(it, 0, Body, at.x) name a field.
// MICA_READ_IN(fields, row, T) and MICA_WRITE_IN(fields, row, T) are the field of one row. The
// latter can also be assigned to:
//
//   mica_write_fields y = MICA_WRITE_FIELD(it, 0, Body, y);
//   for (uint32_t i = 0; i < it->count; i++) { MICA_WRITE_IN(y, i, float) -= 9.81f * it->dt; }
//
// For the best speed, test the stride first. If it is sizeof(float), y.base is an array of floats,
// and the compiler can vectorize the loop.
#define MICA_READ_FIELD(it, term, T, field)                                                        \
    mica_read_field(it, term, MICA_FIELD_OFFSET(T, field), MICA_FIELD_SIZE(T, field),              \
                    MICA_C_TYPE_(T))
#define MICA_WRITE_FIELD(it, term, T, field)                                                       \
    mica_write_field(it, term, MICA_FIELD_OFFSET(T, field), MICA_FIELD_SIZE(T, field),             \
                     MICA_C_TYPE_(T))
#define MICA_READ_IN(fields, row, T) (*MICA_CAST_(MICA_CONST_(T) *, mica_read_in(fields, row)))
#define MICA_WRITE_IN(fields, row, T) (*MICA_CAST_(T *, mica_write_in(fields, row)))

#endif
