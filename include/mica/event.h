// Events: messages between systems (an event queue), kept for two frames. Event types are
// registered like component types, with fields and hooks. One type can be both.
//
//   mica_type hit = MICA_REGISTER(world, Hit, target, damage);
//   mica_send(world, MICA_VALUE(hit, Hit, e, 5));
//
//   mica_cursor seen = {0}; // one per reader, for example in the user data of a system
//   uint32_t count;
//   for (const Hit *h; (h = MICA_EVENTS(world, hit, Hit, &seen, &count)) != NULL;) {
//       for (uint32_t i = 0; i < count; i++) { ... h[i] ... }
//   }
//
// A frame ends with each mica_step() in which all systems have run. [event.frame] An event can be
// read in the frame in which it is sent and in the next one, whatever the order of systems. Then it
// is deleted. [event.two_frames] A reader that reads in each frame with its own cursor gets every
// event exactly once. A new cursor gets all events of both frames. [event.once] If a system of a
// phase with a fixed time step (mica/phase.h) reads events, they are kept until that phase has
// completed two runs. [event.fixed]
//
// A system may read and send only the events that it declares (mica_system_desc.events). Others
// fail with MICA_ERROR_UNDECLARED. [event.declared]
//
// All functions here can be called at any time, also during iteration, but not in hooks. Sending
// also fails in error handlers. [event.any_time] A recording world (mica/command.h) copies the
// values at once, and sends them when its commands are applied, in their order. [event.recorded]
// mica_world_clear() keeps events. The entities in them are then dead. [event.clear]
#ifndef MICA_EVENT_H
#define MICA_EVENT_H

#include <mica/component.h>

#ifdef __cplusplus
extern "C" {
#endif

// A cursor: how far a reader has read the events of one type. {0} has read nothing. A copy of a
// cursor is a second reader at the same position. [cursor.copy] After loading an image, begin with
// new cursors.
typedef struct mica_cursor {
    uint64_t missed; // public: events that were deleted before it read them [cursor.missed]

    // private
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

// Returns the next events that the cursor has not read, as an array of `count_out` values in the
// order of sending. [event.read] Returns NULL, and a count of 0, at the end. [event.read_end]
// Events keep their address and value until they are deleted. More events can be sent while these
// are read; the cursor reads them, too. [event.stay] O(1). [event.read_cost] The `_as` form also
// checks the C type: MICA_ERROR_SIZE if its size differs, and MICA_ERROR_C_TYPE if its name
// differs, unless `c_type` is NULL. [event.as]
//
// Fails with MICA_ERROR_NULL, _TYPE, and with MICA_ERROR_ARGUMENT if the cursor has read another
// type. [event.read_fail]
MICA_API const void *mica_events(mica_world *world, mica_type type, mica_cursor *cursor,
                                 uint32_t *count_out);
MICA_API const void *mica_events_as(mica_world *world, mica_type type, uint32_t size,
                                    const char *c_type, mica_cursor *cursor, uint32_t *count_out);

#ifdef __cplusplus
}

#include <mica/hpp/event.hpp>

#else

#define mica_send(world, ...) mica_send_values(world, MICA_VALUES_(__VA_ARGS__))

#endif

#define MICA_EVENTS(world, type, T, cursor, count_out)                                             \
    (MICA_CAST_(MICA_CONST_(T) *, mica_events_as(world, type, MICA_CAST_(uint32_t, sizeof(T)),     \
                                                 MICA_C_TYPE_(T), cursor, count_out)))

#endif
