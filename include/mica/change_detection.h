// Change detection: systems and queries that match only changed or added components.
//
//   mica_system_add(world, &(mica_system_desc){
//       .name = "upload", .update = upload,
//       .query.terms = {{position, MICA_READ | MICA_CHANGED}}});
//
// MICA_CHANGED in the access of a term: the component counts only where it was changed, and as
// missing elsewhere. MICA_ADDED: only where it was added. Terms that require the component
// (MICA_READ, MICA_WRITE, MICA_WITH) match nothing else. If several terms have a filter, a row must
// pass all of them. MICA_OPTIONAL returns NULL for unchanged values. At least one of all MICA_ANY
// terms must have changed. Not with MICA_WITHOUT.
//
// Changes are: a value is added (spawned, added, set, extended, cloned), set, requested for
// writing, enabled or disabled (mica/toggle.h), or named with mica_touch(). Requests for writing
// are mica_get_mut(), an accessor's get_mut, and a segment of a MICA_WRITE term. A change counts
// whether or not the bytes differ. A write through a pointer counts as made when the pointer was
// requested.
//
// A system sees changes since its last run. In its first run it sees everything, also from before
// the first step. Later it sees changes that others made after its last run. Those are changes in
// the last step, between steps, by commands (also its own), and in this step before its turn. It
// does not see changes of its own last run.
//
// A query that is iterated by hand sees changes since its own last iteration, in the same way.
// Changes of the loop itself belong to that iteration. Only an iteration that reaches its end
// counts. If it is left early, ends by an error, or is over one entity, the next one sees the same
// changes again. mica_query_count(), similar functions, and changes by query see the same changes,
// and the next iteration sees them again.
//
// Precision: with .row_stamps (mica/type.h), each value has its own ticks, which move with it.
// Exactly the changed, or added, values match. Without it, ticks are kept per range of up to 1,024
// rows of a table or pool. A ring that is written in one segment (.no_entities) is one range. All
// values of a range match if one was changed, was added, or was moved by changes of other entities.
// All match as added if, in a table, one was added or moved, or if, in a pool, one was changed.
// Skipping ranges without changes costs almost nothing either way.
#ifndef MICA_CHANGE_DETECTION_H
#define MICA_CHANGE_DETECTION_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the present moment as a number: later changes are newer than it, and earlier ones are
// not. [moment.mark] Moments are for mica_query_set_since(). They are above 0 and
// increase. [moment.grows] If an open iteration may still write through its pointers, changes since
// its begin are newer, too. [moment.iterating] Returns 0 on failure: MICA_ERROR_NULL,
// _HOOK. [moment.fail]
MICA_API uint64_t mica_world_tick(mica_world *world);

// mica_query_since() returns the moment since which the query's terms look for changes; 0: all
// changes. [since.get] mica_query_set_since() sets it, for programs that keep moments themselves,
// for example one per network client. [since.set]
//
//   mica_query_set_since(world, moved, client->seen);
//   ... iterate `moved`, to the end ...
//   client->seen = mica_query_since(world, moved);
//
// Fails with MICA_ERROR_NULL, _QUERY, _HOOK. Fails with _ARGUMENT if the query has no term with
// MICA_CHANGED or MICA_ADDED, or if the moment is in the future. Fails with _ITERATING while the
// query is iterated. [since.fail]
MICA_API uint64_t mica_query_since(mica_world *world, mica_query query);
MICA_API mica_result mica_query_set_since(mica_world *world, mica_query query, uint64_t moment);

// Marks a row of a MICA_TOUCH term as changed. [touch.row] Such a term, {position, MICA_WRITE |
// MICA_TOUCH}, is written like others, but its rows count as changed only if they are marked here.
// This is for systems that may write many rows and write few. [touch.only]
//
//   Position *p = mica_write(it, 0);
//   for (uint32_t i = 0; i < it->count; i++) {
//       if (push(&p[i])) { mica_touch(it, 0, i); }
//   }
//
// Does nothing, without an error, if an optional component is missing. [touch.absent] Needs no
// memory. [touch.memory] Fails with MICA_ERROR_TERM if there is no such term, or it lacks
// MICA_TOUCH. Fails with _ITERATOR if the iteration is invalid or has no current segment, and with
// _ARGUMENT if the row is beyond it->count. [touch.fail]
MICA_API mica_result mica_touch(const mica_iter *it, uint32_t term, uint32_t row);

#ifdef __cplusplus
}
#endif

#endif
