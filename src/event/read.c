// Reading events: as a system, with a named cursor, and with a plain cursor. queue.h has the
// invariants.
#include <inttypes.h>

#include "base/canary.h"
#include "core/field.h"
#include "event/queue.h"
#include "query/query.h"
#include "state/declared.h"
#include "state/recorder.h"

// What a call reads.
typedef struct request {
    const char *call;
    mica_type type;
    uint64_t size;
    const char *c_type;
} request;

// Returns the next events of a position, which moves behind them, or NULL.
static const void *read_next(const micai_queue *queue, micai_position *position,
                             uint32_t *count_out)
{
    if (!queue) { // a new reader waits for the first event ever sent
        position->next = position->next ? position->next : 1;
        return NULL;
    }
    uint64_t first = micai_queue_first(queue);
    if (position->next < first) {
        bool began = position->next > 0 && !MICAI_CANARY("event.missed");
        position->missed += began ? first - position->next : 0;
        position->next = first;
    }
    if (position->next >= micai_queue_end(queue)) {
        return NULL;
    }
    uint32_t place = (uint32_t)(position->next - first);
    const micai_frame *frame = &queue->last;
    if (place >= frame->count) {
        place -= frame->count;
        frame = &queue->now;
    }
    const unsigned char *events = micai_queue_locate(queue, frame, place, count_out);
    if (*count_out > frame->count - place) {
        *count_out = frame->count - place;
    }
    position->next += *count_out;
    return events;
}

// With a cursor

// Reads with a plain cursor.
static const void *read_plain(mica_world *world, const request *r, const micai_type *type,
                              mica_cursor *cursor, uint32_t *count_out)
{
    if (cursor->type.bits != 0 && cursor->type.bits != r->type.bits) {
        const micai_type *other = micai_registry_find(&world->state->registry, cursor->type);
        micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                   "%s: the cursor has read events of %s%s%s, not of '%s'", r->call,
                   other ? "'" : "another world", other ? other->info.name : "", other ? "'" : "",
                   type->info.name);
        return NULL;
    }
    micai_position position = {cursor->next, cursor->missed};
    const void *events = read_next(micai_queue_find(world, r->type), &position, count_out);
    cursor->type = r->type;
    cursor->next = position.next;
    cursor->missed = position.missed;
    return events;
}

static mica_result check_name(mica_world *world, const char *call, const char *name)
{
    return micai_name_is_valid(name)
               ? MICA_OK
               : micai_fail(&world->host, MICA_ERROR_NAME, "%s: the name of the cursor is %s", call,
                            micai_name_fault(name));
}

// Reads with a named cursor.
static const void *read_named(mica_world *face, const request *r, const micai_type *type,
                              mica_cursor *cursor, uint32_t *count_out)
{
    mica_world *world = micai_world_main(face);
    if (micai_world_guard_edit(world, r->call) || check_name(world, r->call, cursor->name)) {
        return NULL;
    }
    micai_host_begin(&world->host, r->call);
    micai_queues *all = micai_queues_open(world);
    micai_position *position =
        all ? micai_cursors_open(&world->host, &all->cursors, type, cursor->name) : NULL;
    micai_host_end(&world->host);
    if (!position) {
        return NULL;
    }
    const void *events = read_next(micai_queues_look_up(all, r->type.bits), position, count_out);
    cursor->missed = position->missed;
    return events;
}

static const void *read_events(mica_world *world, const request *r, mica_cursor *cursor,
                               uint32_t *count_out)
{
    if (count_out) {
        *count_out = 0;
    }
    if (!world || !cursor || !count_out) {
        micai_fail_null(micai_world_host(world), r->call,
                        !world    ? "world"
                        : !cursor ? "cursor"
                                  : "count_out");
        return NULL;
    }
    const micai_type *type = micai_world_guard_read(world, r->call)
                                 ? NULL
                                 : micai_world_type_as(world, r->call, r->type, r->size, r->c_type);
    if (!type || micai_world_use_event(world, r->call, r->type, MICA_READ)) {
        return NULL;
    }
    return cursor->name ? read_named(world, r, type, cursor, count_out)
                        : read_plain(world, r, type, cursor, count_out);
}

const void *mica_events(mica_world *world, mica_type type, mica_cursor *cursor, uint32_t *count_out)
{
    const request r = {"mica_events", type, MICAI_ANY_SIZE, NULL};
    return read_events(world, &r, cursor, count_out);
}

const void *mica_events_as(mica_world *world, mica_type type, uint32_t size, const char *c_type,
                           mica_cursor *cursor, uint32_t *count_out)
{
    const request r = {"MICA_EVENTS", type, size, c_type};
    return read_events(world, &r, cursor, count_out);
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

static const void *read_unread(const mica_iter *it, const request *r, uint32_t *count_out)
{
    if (count_out) {
        *count_out = 0;
    }
    if (!micai_iter_is_open(it)) {
        micai_iter_refuse(it, r->call);
        return NULL;
    }
    mica_world *world = it->world;
    if (!count_out) {
        micai_fail_null(&world->host, r->call, "count_out");
        return NULL;
    }
    if (micai_world_guard_edit(world, r->call) ||
        !micai_world_type_as(world, r->call, r->type, r->size, r->c_type)) {
        return NULL;
    }
    if (!it->walk->held_by_step) {
        micai_fail(&world->host, MICA_ERROR_ITERATOR,
                   "%s: this is an iteration, but not a system's own; read with a cursor", r->call);
        return NULL;
    }
    micai_position *position = micai_declared_position(world, r->call, r->type);
    return position ? read_next(micai_queue_find(world, r->type), position, count_out) : NULL;
}

const void *mica_events_unread(const mica_iter *it, mica_type type, uint32_t *count_out)
{
    const request r = {"mica_events_unread", type, MICAI_ANY_SIZE, NULL};
    return read_unread(it, &r, count_out);
}

const void *mica_events_unread_as(const mica_iter *it, mica_type type, uint32_t size,
                                  const char *c_type, uint32_t *count_out)
{
    const request r = {"MICA_UNREAD", type, size, c_type};
    return read_unread(it, &r, count_out);
}
