// Events: messages between systems (an event queue), kept for two frames. Event types are
// registered like component types, with fields and hooks. One type can be both.
//
//   mica_type hit = MICA_REGISTER(world, Hit, target, damage);
//   mica_send(world, MICA_VALUE(hit, Hit, e, 5));
//
//   static void hurt(mica_iter *it) // a system that declares .events = {{hit, MICA_READ}}
//   {
//       uint32_t count;
//       for (const Hit *h; (h = MICA_UNREAD(it, hit, Hit, &count)) != NULL;) {
//           for (uint32_t i = 0; i < count; i++) { ... h[i] ... }
//       }
//   }
//
// A frame ends with each mica_step() in which all systems have run. [event.frame] An event can be
// read in the frame in which it is sent and in the next one, whatever the order of systems. Then it
// is deleted. [event.two_frames] A reader that reads in each frame gets every event exactly once. A
// new reader gets all events of both frames. [event.once] If a system of a phase with a fixed time
// step (mica/phase.h) reads events, they are kept until that phase has completed two
// runs. [event.fixed]
//
// A reader is a system, a named cursor or a plain cursor:
//
//   a system         MICA_UNREAD(it, ...)
//   a named cursor   mica_cursor hud = {.name = "hud"};   MICA_EVENTS(world, ..., &hud, ...)
//   a plain cursor   mica_cursor log = {0};               MICA_EVENTS(world, ..., &log, ...)
//
// How far systems and named cursors have read is part of the world's state. Snapshots contain it.
// Images contain it together with the events, for saved types (mica_type_desc.saved). So a world
// that is loaded or restored reads on exactly where it was. [reader.state]
//
// Plain cursors belong to the program. They are for readers that must not go back, such as sound or
// a log: of the events that are sent again after a restore (mica/time.h), a plain cursor skips as
// many as it has read. [cursor.plain] After loading an image, begin with new plain cursors.
//
// A system may read and send only the events that it declares (mica_system_desc.events). Others
// fail with MICA_ERROR_UNDECLARED. [event.declared]
//
// All functions here can be called at any time, also during iteration, but not in hooks. In error
// handlers, only plain cursors work. [event.any_time] A recording world (mica/command.h) copies the
// values at once, and sends them when its commands are applied, in their order. [event.recorded]
// mica_world_clear() keeps events and how far they were read. The entities in them are then
// dead. [event.clear]
#ifndef MICA_EVENT_H
#define MICA_EVENT_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// A cursor: how far a reader that is not a system has read. {0} is a plain cursor that has read
// nothing, of the events of one type. A copy of it is a second reader at the same
// position. [cursor.copy]
//
// With a name it is a named cursor: the world keeps the position, for each type. Cursors of the
// same name are one reader, wherever they are in the program. [cursor.named] A name that has not
// read the type is a new reader. [cursor.new]
typedef struct mica_cursor {
    const char *name; // public: NULL for plain cursors; borrowed

    // public: events that were deleted before it read them; set by each read [cursor.missed]
    uint64_t missed;

    // private, of plain cursors
    uint64_t next;
    mica_type type; // set by the first read
} mica_cursor;

// Sends these values, in this order. For an array (MICA_COPY_OF_ARRAY), sends each of its
// values. [event.send] Values are copied, like component values. A value without data means the
// type's default. [event.copied] Sends all or none. [event.all_or_none]
// O(values). [event.send_cost]
//
// Fails with MICA_ERROR_NULL, _TYPE, _MEMORY, _HOOK, and as described at mica_value. Fails with
// _SIZE also for a tag, which has no value, and with _LIMIT for more than 2^31 events of a type in
// a frame. [event.send_fail] mica_send(world, values...) takes a list of values. [event.send_list]
MICA_API mica_result mica_send_values(mica_world *world, const mica_value *values, uint32_t count);

// In a system: returns the next events that this system has not read, as an array of `count_out`
// values in the order of sending. [event.unread] Returns NULL, and a count of 0, at the
// end. [event.unread_end] All functions of the system read on from the same
// position. [event.unread_functions] A system that is removed and added again is a new reader. So
// is one that a loaded image does not have. [event.unread_new]
//
// Events keep their address and value until they are deleted. More events can be sent while these
// are read; the system reads them, too. [event.unread_stay] O(events that the system
// declares). [event.unread_cost] The `_as` form also checks the C type, like
// mica_events_as(). [event.unread_as]
//
// Fails with MICA_ERROR_NULL, _TYPE, _HOOK, _HANDLER, and with _UNDECLARED unless the system
// declares that it reads the events. Fails with _ITERATOR if `it` is not a system's own
// iteration. [event.unread_fail]
MICA_API const void *mica_events_unread(const mica_iter *it, mica_type type, uint32_t *count_out);
MICA_API const void *mica_events_unread_as(const mica_iter *it, mica_type type, uint32_t size,
                                           const char *c_type, uint32_t *count_out);

// Returns the next events that the cursor has not read, as an array of `count_out` values in the
// order of sending. [event.read] Returns NULL, and a count of 0, at the end. [event.read_end]
// Events keep their address and value until they are deleted. More events can be sent while these
// are read; the cursor reads them, too. [event.stay] O(1), or O(log named cursors).
// [event.read_cost] The `_as` form also checks the C type: MICA_ERROR_SIZE if its size differs, and
// MICA_ERROR_C_TYPE if its name differs, unless `c_type` is NULL. [event.as]
//
// Fails with MICA_ERROR_NULL, _TYPE, _HOOK, and with MICA_ERROR_ARGUMENT if a plain cursor has read
// another type. [event.read_fail] With a named cursor, also fails with _NAME, _HANDLER, and with
// _MEMORY when the name first reads the type. [cursor.fail]
MICA_API const void *mica_events(mica_world *world, mica_type type, mica_cursor *cursor,
                                 uint32_t *count_out);
MICA_API const void *mica_events_as(mica_world *world, mica_type type, uint32_t size,
                                    const char *c_type, mica_cursor *cursor, uint32_t *count_out);

// Removes what the world knows of the named cursors of this name, for all types. If the name is
// read again, it is a new reader. [cursor.remove] Does nothing if no cursor has this
// name. [cursor.none] Fails with MICA_ERROR_NULL, _NAME, _HOOK, _HANDLER. [cursor.remove_fail]
MICA_API mica_result mica_cursor_remove(mica_world *world, const char *name);

#ifdef __cplusplus
}

#include <mica/hpp/event.hpp>

#else

#define mica_send(world, ...) mica_send_values(world, MICA_VALUES_(__VA_ARGS__))

#endif

#define MICA_UNREAD(it, type, T, count_out)                                                        \
    (MICA_CAST_(MICA_CONST_(T) *, mica_events_unread_as(it, type, MICA_CAST_(uint32_t, sizeof(T)), \
                                                        MICA_C_TYPE_(T), count_out)))

#define MICA_EVENTS(world, type, T, cursor, count_out)                                             \
    (MICA_CAST_(MICA_CONST_(T) *, mica_events_as(world, type, MICA_CAST_(uint32_t, sizeof(T)),     \
                                                 MICA_C_TYPE_(T), cursor, count_out)))

#endif
