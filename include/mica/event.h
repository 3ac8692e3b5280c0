// Events: messages of a type, which anybody sends and anybody reads, for two frames. Their types are
// registered as those of components are, with fields and hooks, and one type can be both.
//
//   mica_type hit = MICA_REGISTER(world, Hit, target, damage);
//   mica_send(world, MICA_VALUE(hit, Hit, e, 5));
//
//   mica_cursor seen = {0}; // kept by who reads, as in a system's own state
//   uint32_t count;
//   for (const Hit *h; (h = MICA_EVENTS(world, hit, Hit, &seen, &count)) != NULL;) {
//       for (uint32_t i = 0; i < count; i++) { ... h[i] ... }
//   }
//
// A frame ends with a mica_step() whose systems all have run. [event.frame] What is sent in one can
// be read in it and in the next, whatever the order of systems, and is gone when that
// ends. [event.two_frames] Who reads each frame with a cursor of its own gets every event exactly
// once; a cursor that is new gets all there are, of both frames. [event.once] An event that a
// system reads in a phase with a time step of its own (mica/phase.h) is kept until that phase has
// run twice, to its end. [event.fixed]
//
// A system reads and sends what it has declared (mica_system_desc.events); all else is
// MICA_ERROR_UNDECLARED. [event.declared]
//
// All of these can be called at any time, during iterations too, but not from hooks; sending not
// from error handlers either. [event.any_time] On a world that records (mica/command.h) values are
// copied in when that is called, and sent when the commands are carried out, in their
// order. [event.recorded] mica_world_clear() keeps events: the entities that they tell of may be
// dead, as ever. [event.clear]
#ifndef MICA_EVENT_H
#define MICA_EVENT_H

#include <mica/component.h>

#ifdef __cplusplus
extern "C" {
#endif

// How far somebody has read the events of one type. {0}: nothing yet. It can be copied, which makes
// another reader that has read as far. [cursor.copy] An image that is loaded knows of no cursors:
// begin with new ones.
typedef struct mica_cursor {
    uint64_t missed; // public: events that were gone before it came to them [cursor.missed]

    // private
    uint64_t next;
    mica_type type; // set when it reads for the first time
} mica_cursor;

// Sends these values, in this order; of an array (MICA_FROM_ARRAY) each of its values. [event.send]
// They are copied in, as those of components are; without data, one of the type's
// default. [event.copied] All or none. [event.all_or_none] O(values). [event.send_cost]
//
// MICA_ERROR_NULL, _TYPE, _MEMORY, _HOOK; _SIZE also for a tag, which has no value; _LIMIT for more
// than 2^31 of a type in a frame; _ARGUMENT as for components. [event.send_fail] mica_send(world,
// values...) lists them in the call. [event.send_list]
MICA_API mica_result mica_send_values(mica_world *world, const mica_value *values, uint32_t count);
MICA_INLINE mica_result mica_send_compared(mica_world *world, mica_value *values, uint32_t count)
{
    mica_values_compare(world, values, count);
    return mica_send_values(world, values, count);
}

// The next events that the cursor has not read, in the order they were sent in: `count_out` of
// them, side by side. [event.read] NULL, and 0, if there are no more. [event.read_end] They stay
// where they are, and as they are, until they are gone; so more can be sent while these are read,
// which are then read, too. [event.stay] O(1). [event.read_cost] The `_sized` form also checks the
// size: MICA_ERROR_SIZE. [event.sized]
//
// MICA_ERROR_NULL, _TYPE; MICA_ERROR_ARGUMENT for a cursor that has read another
// type. [event.read_fail]
MICA_API const void *mica_events(mica_world *world, mica_type type, mica_cursor *cursor,
                                 uint32_t *count_out);
MICA_API const void *mica_events_sized(mica_world *world, mica_type type, uint32_t size,
                                       mica_cursor *cursor, uint32_t *count_out);

// The same with the name of the C type compared, too, unless that is NULL:
// MICA_ERROR_C_TYPE. [event.c_type]
MICA_INLINE_ALWAYS const void *mica_events_as(mica_world *world, mica_type type, uint32_t size,
                                              const char *c_type, mica_cursor *cursor,
                                              uint32_t *count_out)
{
    if (c_type && !mica_type_is_c(world, type, size, c_type, "MICA_EVENTS")) {
        if (count_out) {
            *count_out = 0;
        }
        return NULL;
    }
    return mica_events_sized(world, type, size, cursor, count_out);
}

// How many can be read. [event.count]
MICA_API uint32_t mica_event_count(mica_world *world, mica_type type);

#ifdef __cplusplus
}

template <class... Values, mica_if_values<Values...> = true>
mica_result mica_send(mica_world *world, Values &&...values)
{
    if (!(mica_hand::fits(world, "mica_send", values) && ...)) {
        return MICA_ERROR_C_TYPE;
    }
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_result result = mica_send_values(world, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::settle(std::forward<Values>(values), result == MICA_OK), ...);
    return result;
}

#else

#define mica_send(world, ...) MICA_LISTED_(mica_send)(world, MICA_VALUES_(__VA_ARGS__))

#endif

#define MICA_EVENTS(world, type, T, cursor, count_out)                                             \
    (MICA_CAST_(MICA_CONST_(T) *, mica_events_as(world, type, MICA_CAST_(uint32_t, sizeof(T)),     \
                                                 MICA_C_TYPE_(T), cursor, count_out)))

#endif
