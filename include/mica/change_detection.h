// Change detection: systems and queries that match only changed or added components.
//
//   mica_system_add(world, &(mica_system_desc){
//       .name = "upload", .update = upload,
//       .query.terms = {{position, MICA_READ | MICA_CHANGED}}});
//
// A term with MICA_CHANGED treats a component as missing unless it was changed. A term with
// MICA_ADDED treats it as missing unless it was added. So MICA_READ, MICA_WRITE and MICA_WITH match
// only changed rows, and several such terms must all match. MICA_OPTIONAL returns NULL for
// unchanged values. At least one of all MICA_ANY terms must have changed. MICA_WITHOUT cannot have
// these filters.
//
// A value counts as changed when it is added, set, requested for writing, enabled or disabled
// (mica/toggle.h), or marked with mica_touch(). Spawns, clones and facets add their values.
// Requests for writing are mica_get_mut(), an accessor's get_mut, and a segment of a MICA_WRITE
// term. A change counts whether or not the bytes differ. A write through a pointer counts at the
// moment when the pointer was requested.
//
// A system sees changes since its last run. In its first run it sees everything, also from before
// the first step. After that, it sees all changes since its last run: those made later in that
// step, between steps, and earlier in this step. It does not see changes that it made itself,
// except by commands.
//
// A query that is iterated by hand sees changes since its own last iteration, in the same way. It
// does not see changes that its own loop made. Only an iteration that reaches its end counts. If it
// is left early, ends by an error, or is over one entity, the next one sees the same changes again.
// mica_query_count(), similar functions and changes by query do not count as iterations either.
//
// Precision: mica stores changes as ticks, which are numbers that grow. With .row_stamps
// (mica/type.h), each value has its own ticks, which move with it. Exactly the changed, or added,
// values match. Without it, ticks are kept per range of up to 1,024 rows of a table or pool. A ring
// that is written in one segment (.no_entities) is one range. For MICA_CHANGED, all values of a
// range match if one was changed, was added, or was moved by changes of other entities. For
// MICA_ADDED, all values of a range in a table match if one was added or moved. In a pool,
// MICA_ADDED matches the same values as MICA_CHANGED. Skipping ranges without changes costs almost
// nothing either way.
#ifndef MICA_CHANGE_DETECTION_H
#define MICA_CHANGE_DETECTION_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the tick of the world, a number that stands for the present moment: later changes are
// newer than it, and earlier ones are not. [moment.mark] Moments are for mica_query_set_since().
// They increase. [moment.grows] While an iteration that writes is open, changes since it began
// count as newer, too. Changes just before it began may count as newer, too. [moment.iterating]
// Returns 0, the moment before all changes, on failure: MICA_ERROR_NULL, _HOOK. [moment.fail]
MICA_API uint64_t mica_world_tick(mica_world *world);

// mica_query_since() returns the moment after which changes match the query; 0: all changes
// match. [since.get] mica_query_set_since() sets it, for programs that keep moments themselves, for
// example one per network client. [since.set]
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
// Use it for loops that read many rows and write few. [touch.only]
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
