// Change detection: systems and queries that look only at what changed.
//
//   mica_system_add(world, &(mica_system_desc){
//       .name = "upload", .update = upload, .query.terms = {{position, MICA_READ | MICA_CHANGED}}});
//
// MICA_CHANGED in the access of a term: the component counts only where it changed, elsewhere it is as
// if it was not there. MICA_ADDED: where it was added. Terms that need it (MICA_READ, MICA_WRITE,
// MICA_WITH) match nobody else; several of them must all hold. MICA_OPTIONAL gives NULL where nothing
// changed; of several MICA_ANY at least one has changed. Not with MICA_WITHOUT.
//
// What a change is: that a value comes (spawned, added, set, extended, cloned), is set, is asked for to
// be written (mica_get_mut, an accessor's, a segment's of a MICA_WRITE term), is switched on or off
// (mica/toggle.h), or is named with mica_touch(). It counts whether or not the bytes differ. What is
// written later through a pointer that was got before counts as written when that was got.
//
// Since when: since the system ran last. One that never ran sees everything, what was set up before the
// first step included. It sees what others changed after its last run, in the step before, between
// steps and by commands (its own, too), and in this step before its turn. What it changed itself in
// its last run it does not see.
//
// A query that is iterated by hand sees what changed since its own last iteration, in the same way: what
// the loop itself changed belongs to it. Only an iteration that comes to its end counts. One that is
// left early, or ended by an error, or over one entity, moves nothing, and what it showed comes again;
// nothing is ever lost. mica_query_count() and the other questions and changes by query go by the same
// moment and do not move it.
//
// How exact: of a type with .row_stamps (mica/type.h), each value has ticks of its own, which move with
// it: exactly those pass that changed, or were added. Of others, ticks are kept for values that lie together
// (up to 1,024 rows of a table, or values of a pool), and all pass where one changed, came, or was moved by
// what happened to others; all pass as added where one changed, in a pool, or came or moved, in a table. Whole
// stretches in which nothing happened cost next to nothing either way.
#ifndef MICA_CHANGE_H
#define MICA_CHANGE_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Marks a moment: what changes from now on is newer than it, all that changed before is
// not. [moment.mark] Moments are for mica_query_set_since(); they are numbers above 0 that
// grow. [moment.grows] While an iteration is open that may write what it has handed out, what
// changed since that began is newer, too. [moment.iterating] 0 on failure: MICA_ERROR_NULL,
// _HOOK. [moment.fail]
MICA_API uint64_t mica_world_mark(mica_world *world);

// The moment since which the query's terms ask for changes; 0: all there ever was. [since.get]
// Another one: for whoever keeps moments himself, one for each client that is to be told,
// say. [since.set]
//
//   mica_query_set_since(world, moved, client->seen);
//   ... iterate `moved`, to the end ...
//   client->seen = mica_query_since(world, moved);
//
// MICA_ERROR_NULL, _QUERY, _HOOK; _ARGUMENT if the query has no term with MICA_CHANGED or
// MICA_ADDED, or the moment is still to come; _ITERATING while the query is iterated. [since.fail]
MICA_API uint64_t mica_query_since(mica_world *world, mica_query query);
MICA_API mica_result mica_query_set_since(mica_world *world, mica_query query, uint64_t moment);

// Says that a row of a MICA_TOUCH term has changed. [touch.row] Such a term, {position,
// MICA_WRITE | MICA_TOUCH}, is written like others, but nothing of it counts as changed unless it
// is named here: for systems that may write many, and write few. [touch.only]
//
//   Position *p = mica_write(it, 0);
//   for (uint32_t i = 0; i < it->count; i++) {
//       if (push(&p[i])) { mica_touch(it, 0, i); }
//   }
//
// Nothing happens, silently, where an optional component is not there. [touch.absent] Needs no
// memory. [touch.memory] MICA_ERROR_TERM (no such term, or not MICA_TOUCH), _ITERATOR (no
// iteration, or not at a segment), _ARGUMENT (a row beyond it->count). [touch.fail]
MICA_API mica_result mica_touch(const mica_iter *it, uint32_t term, uint32_t row);

#ifdef __cplusplus
}
#endif

#endif
