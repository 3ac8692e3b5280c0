// Reading events: as a system, with a named cursor, and with a plain cursor. queue.h has the
// invariants.
#include <inttypes.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "core/field.h"
#include "event/queue.h"
#include "query/query.h"
#include "state/declared.h"
#include "state/recorder.h"

// Returns the next events of a position, which moves behind them, or NULL.
static inline const void *read_next(const micai_queue *queue, uint64_t *next, uint64_t *missed,
                                    uint32_t *count_out)
{
    if (!queue) { // a new reader waits for the first event ever sent
        *next = *next ? *next : 1;
        return NULL;
    }
    uint64_t first = micai_queue_first(queue);
    if (*next < first) {
        bool began = *next > 0 && !MICAI_CANARY("event.missed");
        *missed += began ? first - *next : 0;
        *next = first;
    }
    if (*next >= micai_queue_end(queue)) {
        return NULL;
    }
    uint32_t place = (uint32_t)(*next - first);
    const micai_frame *frame = &queue->last;
    if (place >= frame->count) {
        place -= frame->count;
        frame = &queue->now;
    }
    const unsigned char *events = micai_queue_locate(queue, frame, place, count_out);
    if (*count_out > frame->count - place) {
        *count_out = frame->count - place;
    }
    *next += *count_out;
    return events;
}

// With a cursor

static mica_result check_name(mica_world *world, const char *call, const char *name)
{
    return micai_name_is_valid(name)
               ? MICA_OK
               : micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name of the cursor is %s", call,
                            micai_name_fault(name));
}

// Reads with a named cursor.
MICAI_COLD static const void *read_named(mica_world *world, const char *call,
                                         const micai_type *type, mica_cursor *cursor,
                                         uint32_t *count_out)
{
    if (micai_world_guard_edit(world, call) || check_name(world, call, cursor->name)) {
        return NULL;
    }
    micai_host_begin(&world->host, call);
    micai_queues *all = micai_queues_open(world);
    micai_position *position =
        all ? micai_cursors_open(&world->host, &all->cursors, type, cursor->name) : NULL;
    micai_host_end(&world->host);
    if (!position) {
        return NULL;
    }
    const void *events = read_next(micai_queues_look_up(all, type->info.type.bits), &position->next,
                                   &position->missed, count_out);
    cursor->missed = position->missed;
    return events;
}

// Reports a plain cursor that has read events of another type.
MICAI_COLD static void refuse_cursor(mica_world *world, const char *call, const micai_type *type,
                                     const mica_cursor *cursor)
{
    const micai_type *other = micai_registry_find(&world->state->registry, cursor->type);
    micai_fail(&world->host, MICA_ERROR_ARGUMENT,
               "%s: the cursor has read events of %s%s%s, not of '%s'", call,
               other ? "'" : "another world", other ? other->info.name : "", other ? "'" : "",
               type->info.name);
}

static const void *read_events(mica_world *world, const char *call, mica_type type, uint64_t size,
                               const char *c_type, mica_cursor *cursor, uint32_t *count_out)
{
    if (count_out) {
        *count_out = 0;
    }
    if (!world || !cursor || !count_out) {
        micai_fail_null(micai_world_host(world), call,
                        !world    ? "world"
                        : !cursor ? "cursor"
                                  : "count_out");
        return NULL;
    }
    const micai_type *found = micai_world_guard_read(world, call)
                                  ? NULL
                                  : micai_world_type_as(world, call, type, size, c_type);
    if (!found || micai_world_use_event(world, call, type, MICA_READ)) {
        return NULL;
    }
    if (cursor->name) {
        return read_named(micai_world_main(world), call, found, cursor, count_out);
    }
    if (cursor->type.bits != 0 && cursor->type.bits != type.bits) {
        refuse_cursor(world, call, found, cursor);
        return NULL;
    }
    cursor->type = type;
    return read_next(micai_queue_find(world, type), &cursor->next, &cursor->missed, count_out);
}

const void *mica_events(mica_world *world, mica_type type, mica_cursor *cursor, uint32_t *count_out)
{
    return read_events(world, "mica_events", type, MICAI_ANY_SIZE, NULL, cursor, count_out);
}

const void *mica_events_as(mica_world *world, mica_type type, uint32_t size, const char *c_type,
                           mica_cursor *cursor, uint32_t *count_out)
{
    return read_events(world, "MICA_EVENTS", type, size, c_type, cursor, count_out);
}

mica_result mica_cursor_remove(mica_world *world, const char *name)
{
    static const char call[] = "mica_cursor_remove";
    if (!world || !name) {
        return micai_fail_null(micai_world_host(world), call, world ? "name" : "world");
    }
    world = micai_world_main(world);
    mica_result result = micai_world_guard_edit(world, call);
    result = result ? result : check_name(world, call, name);
    micai_queues *all = result ? NULL : micai_queues_of(world);
    if (all) {
        micai_cursors_remove(&world->host, &all->cursors, name);
    }
    return result;
}

// As a system

static const void *read_unread(const mica_iter *it, const char *call, mica_type type, uint64_t size,
                               const char *c_type, uint32_t *count_out)
{
    if (count_out) {
        *count_out = 0;
    }
    if (!micai_iter_is_open(it)) {
        micai_iter_refuse(it, call);
        return NULL;
    }
    mica_world *world = it->world;
    if (!count_out) {
        micai_fail_null(&world->host, call, "count_out");
        return NULL;
    }
    if (micai_world_guard_own(world, call) ||
        !micai_world_type_as(world, call, type, size, c_type)) {
        return NULL;
    }
    if (!it->walk->held_by_step) {
        micai_fail(&world->host, MICA_ERROR_ITERATOR,
                   "%s: this is an iteration, but not a system's own; read with a cursor", call);
        return NULL;
    }
    micai_position *position = micai_declared_position(world, call, type);
    return position ? read_next(micai_queue_find(world, type), &position->next, &position->missed,
                                count_out)
                    : NULL;
}

const void *mica_events_unread(const mica_iter *it, mica_type type, uint32_t *count_out)
{
    return read_unread(it, "mica_events_unread", type, MICAI_ANY_SIZE, NULL, count_out);
}

const void *mica_events_unread_as(const mica_iter *it, mica_type type, uint32_t size,
                                  const char *c_type, uint32_t *count_out)
{
    return read_unread(it, "MICA_UNREAD", type, size, c_type, count_out);
}
