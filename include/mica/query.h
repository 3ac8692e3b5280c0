// Queries: all entities that have certain components, in stretches of rows that lie side by side.
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
// A query is compiled once and remembers the tables that match; a table that appears or goes is
// entered or struck out, nothing is ever searched again. The order of results is the same for the
// same history: tables by creation, rows ascending; or, of a query that needs a sparse component, the
// order in which that came to them, if few have it.
//
// While an iteration is open, structural changes are refused, whichever query it is; opening more
// iterations, also of the same query, is fine. An iteration that is left early must be ended with
// mica_iter_end(); one that ran to its end has ended.
#ifndef MICA_QUERY_H
#define MICA_QUERY_H

#include <mica/component.h>

#ifdef __cplusplus
extern "C" {
#endif

// Terms of a query, and how many of them the descriptor has room for: more than anybody writes down
// by hand. Room for all would be a kilobyte that every descriptor clears and nearly none fills.
enum { MICA_TERMS_MAX = 64, MICA_TERMS_INSIDE = 32 };

typedef enum mica_access {
    MICA_ACCESS_NONE = 0, // of no term: the access must be named
    MICA_READ,            // has it; read
    MICA_WRITE,           // has it; read and write, counts as a change
    MICA_WITH,            // has it; data not needed
    MICA_WITHOUT,         // has it not
    MICA_OPTIONAL,        // has it or not; read where it is there
    MICA_OPTIONAL_WRITE,  // has it or not; written where it is there
    MICA_ANY,             // has at least one of all ANY terms; read where it is there
    MICA_ACCESS_COUNT
} mica_access;
MICA_ENUM_(mica_access);

// What a term asks for beside its access: {burning, MICA_READ | MICA_EVEN_DISABLED}.
enum {
    // Also where the component is disabled (mica/toggle.h). Without this, it is as if it was not there.
    MICA_EVEN_DISABLED = 1 << 8,
    // Only where the component has changed, or was added, since the query was iterated last, or the system
    // ran (mica/change.h). Elsewhere, it is as if it was not there. Not both; not with MICA_WITHOUT.
    MICA_CHANGED = 1 << 9,
    MICA_ADDED = 1 << 10,
    // Of what is written, only rows count as changed that mica_touch() names. With MICA_WRITE and
    // MICA_OPTIONAL_WRITE, of components with values.
    MICA_TOUCH = 1 << 11
};

// The low 8 bits of `access` are a mica_access. The others are filters, or 0. (One word for both,
// because a member of its own would make compilers warn of every {type, access} that leaves it
// out.)
typedef struct mica_term {
    mica_type type;
    uint32_t access;
} mica_term;

// Zero is the default of every field, and not a query: what matches must be said.
typedef struct mica_query_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    mica_term terms[MICA_TERMS_INSIDE]; // up to the first that is all zero; nothing may follow that
    const mica_term *more_terms;        // further ones, for lists that are long or made at run time
    uint32_t more_count;
    bool everything; // every entity matches; instead of terms
    // Whose rows they are is not asked: it->entities is NULL. Rows of several sets of components
    // can then be one segment: those of a query whose only term is read or written, MICA_RING and
    // settled (mica_world_settle) are, unless rows must be told apart: for .no_facets, where the
    // component has a toggle (but not with MICA_EVEN_DISABLED), or row stamps or MICA_TOUCH and is
    // written. [segment.one] Its rows may come in another order.
    bool no_entities;
    bool no_facets;   // facets (mica/facet.h) do not match; else they do, like entities
    const char *name; // for error sentences; copied

    uint32_t last_zero; // must be 0
} mica_query_desc;

typedef struct mica_query {
    uint64_t bits; // private; 0 is none
    MICA_HANDLE_BOOL_
} mica_query;

// Returns the null handle. [query.none]
MICA_INLINE mica_query mica_query_none(void)
{
    mica_query none = {0};
    return none;
}

// Returns true for the null handle. [query.is_none]
MICA_INLINE bool mica_query_is_none(mica_query query)
{
    return query.bits == 0;
}

// Returns true if both are the same handle. [query.equal]
MICA_INLINE bool mica_query_equal(mica_query a, mica_query b)
{
    return a.bits == b.bits;
}

// None on failure: MICA_ERROR_NULL, _DESC, _TYPE, _NAME, _ARGUMENT (an access that is not named, or
// is none; a filter), _LIMIT, _MEMORY, _HOOK inside a hook of a type, and _TERMS: none although
// `everything` is not asked for, some although it is, more than MICA_TERMS_MAX, or terms that
// contradict each other (a component named twice). [query.fail] So a type that was never registered
// makes an error, and never a query that matches more. [query.unregistered] Costs one look at every
// table that exists. [query.cost] At any time, also while something is iterated. [query.any_time]
MICA_API mica_query mica_query_new(mica_world *world, const mica_query_desc *desc);

// Refused with MICA_ERROR_ITERATING while the query is being iterated, and with MICA_ERROR_ARGUMENT
// while a system is there that has declared it (mica_system_desc.queries), and for the own query of
// a system or an observer, which goes with that. [query.free_refused] MICA_ERROR_NULL, _HOOK;
// MICA_ERROR_QUERY for none, freed or foreign ones. [query.free_fail] Takes time in proportion to
// the number of open iterations. [query.free_cost]
MICA_API mica_result mica_query_free(mica_world *world, mica_query query);

// How many entities match (O(matching tables); with sparse terms, O(entities of the smallest set,
// and places of a stable one that wait to be used again); where something is disabled or changes
// are asked for, O(entities)); the first that an iteration would come to, none if there is none;
// does this one match? [query.count] The dead do not, silently. [query.dead] Facets count as
// entities, unless the query has .no_facets. [query.facets] On failure, 0, none and false:
// MICA_ERROR_NULL, _QUERY, _HOOK. [query.count_fail]
MICA_API uint32_t mica_query_count(mica_world *world, mica_query query);
MICA_API mica_entity mica_query_first(mica_world *world, mica_query query);
MICA_API bool mica_query_contains(mica_world *world, mica_query query, mica_entity entity);

// Says in words why the entity matches or not, into `text`, cut to `size` bytes, the zero at its
// end included. [query.explain] MICA_ERROR_NULL, _QUERY, _HOOK, and _ARGUMENT for a size of 0: then
// nothing is written. [query.explain_fail]
MICA_API mica_result mica_query_explain(mica_world *world, mica_query query, mica_entity entity,
                                        char *text, size_t size);

// Structural changes on all that match, whole tables at a time: pages change hands, values that
// stay are not copied. [all.tables] Where sparse terms, disabled components or changes decide who
// matches, or the type is sparse, entity by entity, all or none as well. [all.one_by_one] What
// happens to each entity is what mica_add(), mica_remove(), mica_set_value() and mica_despawn()
// do. [all.each] `matched_out`, which may be NULL, gets the number of entities that matched, unless
// the call fails. [all.matched]
MICA_API mica_result mica_add_all(mica_world *world, mica_query query, mica_type type,
                                  uint32_t *matched_out);
MICA_API mica_result mica_remove_all(mica_world *world, mica_query query, mica_type type,
                                     uint32_t *matched_out);
MICA_API mica_result mica_set_all(mica_world *world, mica_query query, mica_type type,
                                  const void *data, uint32_t size, uint32_t *matched_out);
MICA_API mica_result mica_despawn_all(mica_world *world, mica_query query, uint32_t *matched_out);

// An iteration. On the stack of whoever iterates; not to be copied.
typedef struct mica_iter {
    // public, read-only
    mica_world *world;
    double time;                 // the time steps of all steps before this one, added up
    uint32_t count;              // rows of the present segment
    float dt;                    // a system's time step; 0 outside of systems
    const mica_entity *entities; // whose rows they are; NULL if the query has .no_entities
    void *user;                  // a system's own state

    // private
    void *const *pointers;   // to the values of each term
    uint64_t readable;       // bit per term whose pointer may be asked for with mica_read()
    uint64_t writable;       // and with mica_write()
    mica_result result;      // why it ended
    struct micai_walk *walk; // NULL: it never began, or has ended
    uint64_t serial;         // which iteration of the world this is; 0: it never began
    uint64_t check;          // tells an iteration from garbage
} mica_iter;

// Begins an iteration over all that match, or over one entity if it does. [iter.begin] On failure
// (MICA_ERROR_QUERY, _ENTITY, _MEMORY, _HOOK inside a hook of a type, _UNDECLARED in a system that
// has not said that it iterates this query, and _ITERATING if another one has values that it reads:
// mica_write() below) it has no segments, and may be walked and ended like any other, without a
// further word. [iter.begin_fail] MICA_ERROR_NULL: there is none. [iter.begin_null]
// MICA_ERROR_ITERATOR: the iterator has an iteration of this world open, which goes
// on. [iter.begin_open] Takes time in proportion to the number of open
// iterations. [iter.begin_cost]
MICA_API mica_result mica_iter_begin(mica_world *world, mica_query query, mica_iter *it_out);
MICA_API mica_result mica_iter_begin_entity(mica_world *world, mica_query query, mica_entity entity,
                                            mica_iter *it_out);

// The next segment; false at the end, which ends the iteration as mica_iter_end() does: that tells
// why. [iter.next] MICA_ERROR_ITERATOR for an iteration that has ended, or is none, or is that of a
// system, which its step advances; MICA_ERROR_HOOK inside a hook of a type. [iter.next_fail]
MICA_API bool mica_iter_next(mica_iter *it);

// Ends an iteration, in whatever order, in O(1) and what there is to be written back. [iter.end]
// With the last that is open, what has been recorded meanwhile is carried out (mica/command.h):
// MICA_ERROR_MEMORY, _LIMIT, if not all of it could be. [iter.end_commands] One that has ended
// before, or never began, gives why: MICA_OK if it came to its end or was ended by this
// function. [iter.end_again] MICA_ERROR_ITERATOR for what is no iteration, for one that
// mica_world_end_iterations() ended, and for that of a system, which its step ends; MICA_ERROR_HOOK
// inside a hook of a type, where nothing ends. [iter.end_fail]
MICA_API mica_result mica_iter_end(mica_iter *it);

// Which components all rows of the present segment have, tags included, into a set that was { 0 }
// or used before. [iter.types] Rows that a segment has brought together may be of several sets:
// what those have in common. [iter.types_common] Sparse components differ from row to row and are
// not among them: mica_has() knows. [iter.types_sparse] Of a query with .no_entities, of whose rows
// nobody asks whose they are, what it asks for itself. [iter.types_no_entities] O(types); where
// rows are brought together, O(rows). [iter.types_cost] MICA_ERROR_ITERATOR if the iteration is at
// no segment; MICA_ERROR_NULL, _MEMORY. [iter.types_fail]
MICA_API mica_result mica_iter_types(const mica_iter *it, mica_types *types_out);

// Behind the functions below, for all they do not do inline: values that are brought together
// first, and wrong uses (MICA_ERROR_TERM, naming the right one; NULL). [read.behind]
MICA_API void *mica_iter_reach(const mica_iter *it, uint32_t term, bool write);

// The values of a term: `it->count` of them, in the order of `it->entities`. [read.values] NULL,
// silently, for an optional component that these entities do not have. [read.optional] A term that
// is not to be read, or not to be written, or no term of the query: NULL and
// MICA_ERROR_TERM. [read.access]
//
// Where a query has sparse terms, or something is disabled here and there (mica/toggle.h), values
// that do not lie side by side are brought together: copies, and what is written to them goes back
// when the segment is left, whichever way. [write.copies] Until then the segment alone has
// what mica_write() gave: to reach that component through the world, for any entity, or to begin an
// iteration that reads it, is MICA_ERROR_ITERATING. [write.alone] (What only shows it, prints or
// hashes, shows what it was.) [write.shown] Values with a destruct, copy or move hook are not
// copied, nor are values to be written that another open iteration reads: NULL and MICA_ERROR_TERM,
// and mica_read_row() or mica_write_row() instead. [write.hooks] MICA_ERROR_ITERATOR if the
// iteration is at no segment. [read.no_segment]
MICA_INLINE const void *mica_read(const mica_iter *it, uint32_t term)
{
    return it && term < MICA_TERMS_MAX && (it->readable >> term & 1)
               ? it->pointers[term]
               : mica_iter_reach(it, term, false);
}
MICA_INLINE void *mica_write(const mica_iter *it, uint32_t term)
{
    return it && term < MICA_TERMS_MAX && (it->writable >> term & 1)
               ? it->pointers[term]
               : mica_iter_reach(it, term, true);
}

// One row of a term, to read or to write; the same rules, and the row must be below it->count:
// MICA_ERROR_ARGUMENT. [read.row] Nothing is brought together for it; its pointer is good until the
// term is asked for as a whole. [read.row_pointer]
MICA_API const void *mica_read_row(const mica_iter *it, uint32_t term, uint32_t row);
MICA_API void *mica_write_row(const mica_iter *it, uint32_t term, uint32_t row);

// One field of a term, whatever the storage: where the first row's is, and how many bytes further
// each next row's. [fields.stride] The only way to the values of a split component, of which
// mica_read() and its kin give NULL and MICA_ERROR_TERM. [fields.split] `offset` and `size` say
// which field it is (mica_field_info has them): MICA_ERROR_FIELD if the values have no such bytes,
// or if they are split and these are in several pieces. [fields.fail] No base, silently, where the
// component is not there. [fields.absent] Otherwise the rules are those of mica_read() and
// mica_write(). [fields.rules]
typedef struct mica_read_fields {
    const void *base;
    size_t stride; // the size of the field, if its values lie side by side [fields.dense]
} mica_read_fields;

typedef struct mica_write_fields {
    void *base;
    size_t stride;
} mica_write_fields;

MICA_API mica_read_fields mica_read_field(const mica_iter *it, uint32_t term, uint32_t offset,
                                          uint32_t size);
MICA_API mica_write_fields mica_write_field(const mica_iter *it, uint32_t term, uint32_t offset,
                                            uint32_t size);

// The field of one row. [fields.row]
MICA_INLINE const void *mica_read_in(mica_read_fields fields, uint32_t row)
{
    return MICA_CAST_(const unsigned char *, fields.base) + row * fields.stride;
}
MICA_INLINE void *mica_write_in(mica_write_fields fields, uint32_t row)
{
    return MICA_CAST_(unsigned char *, fields.base) + row * fields.stride;
}

// The same with the size of the C type checked against the component's:
// MICA_ERROR_SIZE. [read.size]
MICA_API const void *mica_read_sized(const mica_iter *it, uint32_t term, uint32_t size);
MICA_API void *mica_write_sized(const mica_iter *it, uint32_t term, uint32_t size);

// mica_type_is_c() of the type of a term; true, silently, if there is no such term. [term.c_type]
MICA_API bool mica_term_is_c(const mica_iter *it, uint32_t term, uint32_t size, const char *c_type,
                             const char *call);

// The same with the name of the C type compared, too, unless that is NULL:
// MICA_ERROR_C_TYPE. [read.c_type]
MICA_INLINE_ALWAYS const void *mica_read_as(const mica_iter *it, uint32_t term, uint32_t size,
                                            const char *c_type)
{
    return !c_type || mica_term_is_c(it, term, size, c_type, "MICA_READ_AS")
               ? mica_read_sized(it, term, size)
               : NULL;
}
MICA_INLINE_ALWAYS void *mica_write_as(const mica_iter *it, uint32_t term, uint32_t size,
                                       const char *c_type)
{
    return !c_type || mica_term_is_c(it, term, size, c_type, "MICA_WRITE_AS")
               ? mica_write_sized(it, term, size)
               : NULL;
}
MICA_INLINE_ALWAYS mica_read_fields mica_read_field_as(const mica_iter *it, uint32_t term,
                                                       uint32_t offset, uint32_t size,
                                                       const char *c_type)
{
    const mica_read_fields nothing = {NULL, 0};
    return !c_type || mica_term_is_c(it, term, 0, c_type, "MICA_READ_FIELD")
               ? mica_read_field(it, term, offset, size)
               : nothing;
}
MICA_INLINE_ALWAYS mica_write_fields mica_write_field_as(const mica_iter *it, uint32_t term,
                                                         uint32_t offset, uint32_t size,
                                                         const char *c_type)
{
    const mica_write_fields nothing = {NULL, 0};
    return !c_type || mica_term_is_c(it, term, 0, c_type, "MICA_WRITE_FIELD")
               ? mica_write_field(it, term, offset, size)
               : nothing;
}

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_query)
#endif

#define MICA_READ_AS(it, term, T)                                                                  \
    (MICA_CAST_(MICA_CONST_(T) *,                                                                  \
                mica_read_as(it, term, MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))
#define MICA_WRITE_AS(it, term, T)                                                                 \
    (MICA_CAST_(T *, mica_write_as(it, term, MICA_CAST_(uint32_t, sizeof(T)), MICA_C_TYPE_(T))))

// MICA_READ_FIELD(it, 0, Body, mass), MICA_WRITE_FIELD(it, 0, Body, at.x): a field by its name.
// That of one row is MICA_READ_IN(fields, row, T) or MICA_WRITE_IN(fields, row, T), as the field was
// asked for; the second can be read and assigned to:
//
//   mica_write_fields y = MICA_WRITE_FIELD(it, 0, Body, y);
//   for (uint32_t i = 0; i < it->count; i++) { MICA_WRITE_IN(y, i, float) -= 9.81f * it->dt; }
//
// Where it matters, ask for the stride first: if it is sizeof(float), y.base is a plain array of
// floats, and the compiler will do several at a time.
#define MICA_READ_FIELD(it, term, T, field)                                                        \
    mica_read_field_as(it, term, MICA_FIELD_OFFSET(T, field), MICA_FIELD_SIZE(T, field),           \
                       MICA_C_TYPE_(T))
#define MICA_WRITE_FIELD(it, term, T, field)                                                       \
    mica_write_field_as(it, term, MICA_FIELD_OFFSET(T, field), MICA_FIELD_SIZE(T, field),          \
                        MICA_C_TYPE_(T))
#define MICA_READ_IN(fields, row, T) (*MICA_CAST_(MICA_CONST_(T) *, mica_read_in(fields, row)))
#define MICA_WRITE_IN(fields, row, T) (*MICA_CAST_(T *, mica_write_in(fields, row)))

#endif
