// Deltas: the differences between two snapshots of a world, as bytes. Loading a delta brings another world
// from the state of the first snapshot to that of the second. A server sends each client the changes since
// the state that the client has (replication). An editor saves the changes since the last save.
//
//   // in the server; `acknowledged` is the state that the client has
//   mica_delta_save(world, acknowledged, now, &(mica_stream){.buffer = &buffer}, NULL);
//
//   // in the client
//   mica_delta_load(world, &(mica_stream){.data = bytes, .size = size});
//
// The other world begins with the same state: it loads an image (mica/image.h), or runs the same set-up. An
// image has only those resources whose type says `saved`; a delta has them all.
//
// A delta has what mica_snapshot_compare() reports: entities that were spawned and despawned, with their
// handles; components that were added, removed, changed and toggled; names, facets and resources. It has
// only those fields of a changed value that differ. Its size follows from the changes: if nothing has
// changed, it has about 40 bytes, however large the world is.
//
// Both worlds then have the same mica_world_hash(). They need not have the same digest: a delta has no
// events, no ticks, no time, no state of queries and systems, and no order of rows. The storages of the
// two worlds may differ.
//
// Deltas are the same on every machine. Types are found by name. Both programs must describe the types of a
// delta in the same way: with the same fields, in the same order, and of the same kinds.
#ifndef MICA_DELTA_H
#define MICA_DELTA_H

#include <mica/stream.h>
#include <mica/time.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of deltas that this library writes and reads.
#define MICA_DELTA_VERSION 1u

// A field of kind F32 or F64, or an array of these, that deltas round to multiples of a step. A rounded
// field is sent when its nearest multiple differs, as the difference of the two: most often one or two bytes.
//
//   const mica_delta_field rounded[] = {{position, "x", 0.01}, {position, "y", 0.01}};
//
// If the type is nested in other types as a struct, its fields are rounded there, too.
typedef struct mica_delta_field {
    mica_type type;
    const char *field;
    double step; // above 0
} mica_delta_field;

// How to save a delta. Zero is the default of every member.
typedef struct mica_delta_desc {
    uint32_t first_zero; // must be 0

    const mica_delta_field *fields; // that are rounded; others are exact
    uint32_t field_count;

    uint32_t last_zero; // must be 0
} mica_delta_desc;

// Saves the differences between the states at `from` and at `to`. [delta.content] Either snapshot may be the older
// one. [delta.direction] A NULL `desc` means all defaults. [delta.defaults] Does not change the
// world. [delta.unchanged] O(changes between the two). [delta.cost]
//
// With rounded fields, the world that loads the delta has the nearest multiples of the steps where these
// have changed. Errors do not add up over many deltas, as long as all have the same steps. [delta.rounded]
// Values that have no multiple nearby (NaN, infinities, and those of more than 4,194,304 steps for F32,
// or 2^50 for F64) are exact. [delta.exact]
//
// Fails like mica_snapshot_restore() for either snapshot, with MICA_ERROR_NULL, _DESC, _MEMORY, and with
// _STREAM if writing fails. Fails with _ARGUMENT if a step is not above 0 or is too small, with _TYPE and
// _FIELD if a rounded field does not exist, or is no F32 or F64. Fails with _TYPE if a value that has
// changed cannot be saved by its fields: its type has a save hook, or has neither fields nor is declared
// plain (mica_type_desc.plain). [delta.fail]
MICA_USE_RESULT MICA_API mica_result mica_delta_save(mica_world *world, mica_snapshot from,
                                                     mica_snapshot to, const mica_stream *stream,
                                                     const mica_delta_desc *desc);

// Loads a delta: brings the world from the state at `from` to the state at `to`. [delta.loaded] The world
// must be in the state at `from`, or in one that was reached by loading rounded deltas to it; otherwise
// the call fails with MICA_ERROR_BASE. [delta.base] It remembers the last 64 states that were reached so:
// a client may restore one of them, and load a delta from there. [delta.remembered] This world need not
// keep time. [delta.no_time]
//
// Values change now (mica/change_detection.h). [delta.changed] Observers are not
// notified. [delta.observers] Entities that are spawned have the handles of the other world; facets of one
// owner keep their order. [delta.handles] Bytes outside of fields are those of the default
// value. [delta.padding]
//
// All or nothing: any failure leaves the world as it was. Fails with MICA_ERROR_IMAGE if the bytes are
// damaged, or are no delta; with _VERSION if its version is later than MICA_DELTA_VERSION; with _SCHEMA if
// a type is unknown here, or described differently; with _LIMIT if there are not enough slots, or if it
// would take much more memory than its size accounts for. Fails with _TYPE if the world has a type with a
// destruct, copy or move hook, like mica_time_begin(). Fails with _STREAM if reading fails, and with
// _NULL, _MEMORY. Refused where mica_snapshot_take() is. [delta.load_fail]
//
// Invalidates pointers into the world, as structural changes do. [delta.pointers] O(changes), and the hash
// of the world: O(everything), or, if the world keeps time and is as it was at its current snapshot,
// O(changes since the last snapshot whose hash is known). [delta.load_cost]
MICA_USE_RESULT MICA_API mica_result mica_delta_load(mica_world *world, const mica_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
