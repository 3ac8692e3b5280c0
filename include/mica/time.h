// Snapshots: rollback, undo and redo, search. A snapshot is the state of the world at one moment. Taking
// and restoring it take time in proportion to the changes since, not to the size of the world.
//
//   mica_time_begin(world, NULL);
//   mica_snapshot before = mica_snapshot_take(world);
//   mica_step(world, 1.0 / 60);
//   mica_snapshot_restore(world, before);     // as if the step had not been
//
// The world keeps a copy of itself, the *mirror*, and for each snapshot a *log*: the bytes that later
// changes have overwritten. So memory doubles when time begins, and each snapshot adds the changed bytes.
//
// A snapshot has the whole state: entities with their handles, values of every storage, disabled values,
// the order of rows, tables and groups, facets, names, resources, events, ticks and time. It also has the
// state of queries, systems and phases: the last run, the time of fixed phases, whether a system is
// enabled, and how far systems and named cursors have read events (mica/event.h). A restored world
// continues exactly as it did the first time: it has the digest of that moment (mica_world_digest()).
// Only where segments end is not restored: a system must not depend on `it->count`. Handles of entities
// that are created after a restore may equal those of the future that was undone.
//
// Definitions are no state: types, queries, systems, phases and observers stay as they are. New ones are
// like those of a new program that has loaded the state. [snapshot.definitions] But changing a storage,
// creating or freeing a group and loading an image make all snapshots unusable. [snapshot.structure]
//
// Observers are not notified of a restore. [snapshot.observers] Taking and restoring end the validity of
// pointers to values for writing: get them again.
#ifndef MICA_TIME_H
#define MICA_TIME_H

#include <mica/type.h>
#include <mica/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// A snapshot of one world. All zero is the null handle.
typedef struct mica_snapshot {
    uint64_t bits;
} mica_snapshot;

// How to keep snapshots. Zero is the default of every field.
typedef struct mica_time_desc {
    uint32_t first_zero; // must be 0

    size_t budget;  // most bytes of all logs; 0: no limit
    uint32_t dense; // the newest snapshots that thinning leaves alone; 0: 8
    uint32_t gap;   // thinning keeps at least one of this many in a row; 0: no limit [time.gap]
    bool thin;      // beyond the budget, thin out old snapshots evenly; otherwise the oldest go
    bool fail_when_full; // beyond the budget, taking a snapshot fails
    bool redo;           // a restore keeps the later snapshots, until another one is taken

    uint32_t last_zero; // must be 0
} mica_time_desc;

// Begins to keep time: copies the world to the mirror. [time.begin] O(used bytes). [time.begin_cost] A
// NULL `desc` means all defaults. [time.defaults] Until then, snapshots cost nothing and cannot be
// taken. [time.not_begun]
//
// Fails with MICA_ERROR_TYPE if the world has a type with a destruct, copy or move hook: values of such a
// type are more than their bytes. The sentence names the type. [time.hooks] Fails with MICA_ERROR_TIME if
// time has begun. [time.begun] Fails with MICA_ERROR_NULL, _DESC, _MEMORY; with _ARGUMENT if `thin` and
// `fail_when_full` are both set, or either without a budget, or `gap` without `thin`; and wherever
// mica_snapshot_take() is refused. The world is unchanged. [time.begin_fail]
MICA_API mica_result mica_time_begin(mica_world *world, const mica_time_desc *desc);

// Ends it: frees the mirror and all snapshots. The world stays as it is. [time.end] Fails with
// MICA_ERROR_NULL, and with _TIME if time has not begun. Refused where mica_snapshot_take()
// is. [time.end_fail]
MICA_API mica_result mica_time_end(mica_world *world);

// Includes memory of the program in snapshots, for example the state behind the `user` pointer of a
// system: `size` bytes at `data`. [time.include] They are compared at each snapshot. The memory must stay
// until it is excluded or time ends. `name` appears in error sentences. Snapshots taken before do not
// have it: restoring them leaves it alone. [time.include_later]
//
// mica_time_exclude() ends this. [time.exclude] They fail with MICA_ERROR_NULL, _NAME, _MEMORY; with _TIME
// if time has not begun; with _ARGUMENT if `size` is 0, if the memory overlaps included memory, or if
// none begins at `data`; with _LIMIT if 4 GiB or more would be included. [time.include_fail]
MICA_API mica_result mica_time_include(mica_world *world, void *data, size_t size,
                                       const char *name);
MICA_API mica_result mica_time_exclude(mica_world *world, void *data);

// Takes a snapshot of the world as it is. Returns none on failure; the world is unchanged. [take.state]
// O(bytes that changed since the last snapshot or restore, sheets of rows). [take.cost] Taking one does not
// change the digest. [take.digest]
//
// Refused during iteration and during steps, inside observers, hooks and handlers, and on recording
// worlds (MICA_ERROR_ITERATING, _HOOK, _HANDLER, _RECORDING). Refused while commands wait or an entity is
// reserved for one (MICA_ERROR_ITERATING). [take.refused] Fails with MICA_ERROR_NULL, _MEMORY; with _TIME
// if time has not begun; with _LIMIT if `fail_when_full` is set and the budget is too small; with _TYPE
// if a type with hooks was registered after time began. [take.fail]
MICA_USE_RESULT MICA_API mica_snapshot mica_snapshot_take(mica_world *world);

// Restores the world as it was when the snapshot was taken. [restore.state] Changes since the last take or
// restore are lost. Later snapshots are dropped; with `redo`, they stay until another one is
// taken. [restore.later] O(bytes that changed since the snapshot). [restore.cost]
//
// Fails with MICA_ERROR_MEMORY, and the world is as before. [restore.memory] Fails with MICA_ERROR_TIME if
// the handle is null, or if the snapshot was dropped, is unusable or of another world. [restore.gone]
// Refused where mica_snapshot_take() is. [restore.refused]
MICA_API mica_result mica_snapshot_restore(mica_world *world, mica_snapshot snapshot);

// Drops a snapshot. Its bytes go unless older ones need them. [drop.frees] With `redo`, dropping the one
// that was restored drops the later ones, too. [drop.redo] Fails like
// mica_snapshot_restore(). [drop.fail]
MICA_API mica_result mica_snapshot_drop(mica_world *world, mica_snapshot snapshot);

// Pins a snapshot, or ends that. The budget does not drop a pinned snapshot. [pin.kept] It fails like
// mica_snapshot_restore(). [pin.fail]
MICA_API mica_result mica_snapshot_pin(mica_world *world, mica_snapshot snapshot, bool pinned);

// Returns true if the snapshot can be restored. [kept.true] Returns false, without an error, for none,
// dropped, unusable and foreign ones. [kept.false]
MICA_API bool mica_snapshot_is_kept(mica_world *world, mica_snapshot snapshot);

// Return the next newer or older snapshot that is kept, or none at the end. The one after none is the
// oldest; the one before none is the newest. [next.order] mica_snapshot_current() returns the one that was
// taken or restored last, or none if that was dropped. [current.last] Return none on failure:
// MICA_ERROR_NULL, _TIME. [next.fail]
MICA_API mica_snapshot mica_snapshot_next(mica_world *world, mica_snapshot snapshot);
MICA_API mica_snapshot mica_snapshot_previous(mica_world *world, mica_snapshot snapshot);
MICA_API mica_snapshot mica_snapshot_current(mica_world *world);

// Returns the hash that mica_world_hash() returned, or would have returned, when the snapshot was
// taken. [snapshot.hash] O(everything) for the first snapshot, then O(changes between it and the nearest
// one whose hash is known): so hashing each snapshot finds cheaply whether two machines still
// agree. [snapshot.hash_cost] Returns 0 on failure: like mica_snapshot_restore(). [snapshot.hash_fail]
MICA_API uint64_t mica_snapshot_hash(mica_world *world, mica_snapshot snapshot);

// How a snapshot differs from an earlier or a later one.
typedef enum mica_state_difference_kind {
    MICA_STATE_SPAWNED,   // an entity is there only afterwards; its components follow as ADDED
    MICA_STATE_DESPAWNED, // it was there only before; its components come first, as REMOVED
    MICA_STATE_ADDED,     // it has a component only afterwards
    MICA_STATE_REMOVED,   // it had a component only before
    MICA_STATE_CHANGED,   // the value differs
    MICA_STATE_TOGGLED,   // the component is enabled in one of them only
    MICA_STATE_NAME,      // the name of an entity differs: `before` and `after` are strings
    MICA_STATE_RESOURCE   // without an entity; `before` or `after` may be NULL
} mica_state_difference_kind;
MICA_ENUM_(mica_state_difference_kind);

typedef struct mica_state_difference {
    mica_state_difference_kind kind;
    mica_entity entity; // null: a resource
    mica_type type;     // null: the whole entity
    // The values, until the function returns. NULL: without a value there, and for tags.
    const void *before;
    const void *after;
    const char *field; // both values are there: the first field that differs; NULL: without fields
    void *user;
} mica_state_difference;

// A difference function may read the world but not change it (MICA_ERROR_HANDLER), like an error handler,
// and must return normally. [differ.looks] Returning false ends the comparison. [differ.ends]
typedef bool mica_state_difference_fn(const mica_state_difference *difference);

// Reports how the state at `to` differs from that at `from`: entities in the order of their slots, with
// components in the order of registration, then names, then resources. [differ.report] Either may be
// the later one. [differ.direction] Ticks, the order of rows, events, and the state of queries and systems
// are not compared; neither is padding in values. [differ.content] The world does not
// change. O(changes between the two). [differ.cost]
//
// Fails like mica_snapshot_restore(), and with MICA_ERROR_NULL if `function` is NULL. [differ.fail]
MICA_API mica_result mica_snapshot_compare(mica_world *world, mica_snapshot from, mica_snapshot to,
                                           mica_state_difference_fn *function, void *user);

// Creates a twin: a second world that snapshots can be copied to. Save it on another thread while this
// world continues, or search ahead in it.
//
//   mica_world *twin = mica_twin_new(world, NULL);
//   mica_snapshot_copy(world, mica_snapshot_take(world), twin);
//   ...                                       // on another thread:
//   mica_world_save(twin, &(mica_stream){.path = "game.mica"}, NULL);
//
// It is empty, and has the limits of the original. Handles of types are valid in both. [twin.new] `desc`
// is like that of mica_world_new(); NULL: all defaults. [twin.desc] Free it with mica_world_free(), before or
// after the original. [twin.free] Returns NULL on failure, like mica_world_new(), and with
// MICA_ERROR_NULL. [twin.fail]
MICA_API mica_world *mica_twin_new(mica_world *world, const mica_world_desc *desc);

// Copies a snapshot to a twin.
//
// Afterwards, the twin has all entities, values, names, resources and events of that moment: its hash is
// that of the snapshot. [copy.state] Types that it lacks are registered. [copy.types] A twin with the
// same definitions, made in the same order, also has the state of queries, systems and phases, and so the
// digest of that moment: both continue in the same way. [copy.setup] Included memory is not
// copied. [copy.included] Otherwise, a copy is like a restore for the twin: it loses its changes, keeps
// its own snapshots, and its observers are not notified. [copy.restore] If time has not begun for the
// twin, it begins. [copy.begin]
//
// O(changes between this snapshot and the one that was copied last, changes of the twin). The first
// copy, and one after the twin has taken or restored a snapshot itself, is O(used bytes). [copy.cost]
//
// The other direction works, too: from the twin to the original. [copy.back]
//
// Fails like mica_snapshot_restore(), for either world; the twin is as before, or has more types. Fails
// with MICA_ERROR_NULL; with _ARGUMENT if it is no twin; with _SHAPE if a type of the same number
// differs, and names it; with _GROUP if the groups differ. [copy.fail]
MICA_API mica_result mica_snapshot_copy(mica_world *world, mica_snapshot snapshot,
                                        mica_world *twin);

// Where two runs of the same step differ first.
typedef struct mica_desync {
    const char *phase;  // the phase; NULL: none has run
    const char *system; // the system; NULL: the phase's commands, or the end of the step
    // The difference there. `type` is null: that entities exist, names, facets, events, or the order
    // of rows. `entity` is null: a resource, or the difference has gone by the end of the step.
    mica_entity entity;
    mica_type type;
    const char *field; // NULL: the type has no fields, or the component is there only once
} mica_desync;

// Tests that a step repeats: steps the world, restores it, steps it again and compares. [sync.same] If
// the runs differ, fails with MICA_ERROR_DESYNC. The sentence names the system, type, entity and field;
// so does `desync_out`, unless it is NULL. [sync.differ] Its texts are valid as long as the system and
// the type are. All zero if the runs do not differ. [sync.none]
//
// A system that differs depends on something that is not in the world: memory behind its `user` pointer
// that is not included, a static variable, a clock, an address, rand(). This is how rollback, replays and
// lockstep go wrong. Call it instead of mica_step() in tests, or every few seconds in debug builds: the
// world is afterwards as after one step. [sync.once] Snapshots are kept as by one. [sync.snapshots] It is
// slow: it hashes the world after each system. A trace has both runs. [sync.trace] In the second run, batches of
// systems that run together (mica/thread.h) run in another order. [sync.order] If these differ, the system
// is the first of them. [sync.together]
//
// Fails like mica_snapshot_take() and mica_step(), and with MICA_ERROR_ARGUMENT while a tape records the
// world (mica/tape.h); without memory, the world has made the step or
// not. [sync.fail]
MICA_API mica_result mica_sync_test(mica_world *world, double dt, mica_desync *desync_out);

// For debugging, and for tests of the library: begins to verify that snapshots find every write. The world
// gets a mirror of its own, and each call that follows ends with comparing all bytes with it. A byte that
// was written without a notice, for example through a pointer that was kept too long, is
// MICA_ERROR_CORRUPT. The sentence names the row. [verify.finds] Between mica_time_begin() and
// mica_time_end(), and where a snapshot could not be taken, nothing is compared. [verify.waits] This is
// very slow, and lasts as long as the world. Fails with MICA_ERROR_NULL and _MEMORY, and where
// mica_snapshot_take() is refused. [verify.fail]
MICA_API mica_result mica_time_verify(mica_world *world);

typedef struct mica_time_stats {
    bool begun;
    uint32_t snapshots;   // that are kept
    size_t mirror_bytes;  // memory of the mirror
    size_t log_bytes;     // memory of all logs
    size_t spare_bytes;   // memory of dropped logs, kept for the next ones; at most 16 MiB
    size_t changed_bytes; // bytes that the last snapshot or restore has copied
    uint64_t taken;       // snapshots ever taken
    uint64_t restored;    // restores that succeeded
    uint64_t thinned;     // snapshots that went because of the budget
} mica_time_stats;

// Returns figures in O(1). [time.stats] All zero if time has not begun, and for NULL, which is an
// error. [time.stats_null]
MICA_API mica_time_stats mica_time_get_stats(mica_world *world);

#ifdef __cplusplus
}
#endif

#endif
