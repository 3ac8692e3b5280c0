// Events: what is sent in a frame can be read in it and in the next, and is gone then. Frames end with the steps of
// other operations. What can be read is compared after each operation, by a reader who has read nothing yet;
// those who go on where they were are operations.
#include "model/tape.h"

#include <inttypes.h>
#include <string.h>

enum { CROWD = 96, ARRAY_MAX = 8 }; // no more is sent where there are so many

static const uint32_t event_types[MODEL_EVENT_KINDS] = {LONG, WATCHED};

mica_type tape_event_type(const lab *l, uint32_t kind)
{
    return l->types[event_types[kind]];
}

// Sending

// How, by d; the last two of them are for the operation, not for what is sent.
enum { DEFAULT = 1, ARRAY = 2, BOTH = 4, RECORDED = 8, ON_A_BUFFER = 16 };

// One value of a call.
typedef struct sending {
    uint32_t kind;
    uint32_t count;
    uint32_t number; // of the first; those behind it have the next ones
    bool given;
} sending;

// Of the kind b says, one or several, or a default; of the other kind, too, if d says so.
static uint32_t list_sendings(const tape_op *op, sending sendings_out[2])
{
    uint32_t kind = op->b % MODEL_EVENT_KINDS;
    bool given = !(op->d & DEFAULT);
    sendings_out[0] = (sending){kind, op->d & ARRAY && given ? 1u + op->a % ARRAY_MAX : 1,
                                given ? op->c : model_default(event_types[kind]), given};
    sendings_out[1] = (sending){(kind + 1) % MODEL_EVENT_KINDS, 1, op->c + 100u, true};
    return op->d & BOTH ? 2 : 1;
}

bool tape_may_send(const model *m)
{
    bool may = true;
    for (uint32_t kind = 0; kind < MODEL_EVENT_KINDS; kind++) {
        may = may && m->queues[kind].count + m->queues[kind].waiting_count < CROWD;
    }
    return may;
}

typedef union array {
    unsigned char bytes[ARRAY_MAX * LAB_VALUE_SIZE];
    uint64_t align;
} array;

static void *place_in(array *values, uint32_t type, uint32_t i)
{
    return values->bytes + (size_t)i * lab_size(type);
}

mica_result tape_send(lab *l, mica_world *face, const tape_op *op)
{
    sending sendings[2];
    array arrays[2];
    mica_value values[2];
    uint32_t count = list_sendings(op, sendings);
    for (uint32_t n = 0; n < count; n++) {
        const sending *one = &sendings[n];
        uint32_t type = event_types[one->kind];
        for (uint32_t i = 0; one->given && i < one->count; i++) {
            lab_put(&l->tracker, place_in(&arrays[n], type, i), type, one->number + i);
        }
        values[n] = one->given ? (mica_value){l->types[type], arrays[n].bytes, lab_size(type),
                                              one->count, NULL}
                               : MICA_ADD(l->types[type]);
    }
    mica_result result = mica_send_values(face, values, count);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t type = event_types[sendings[n].kind];
        for (uint32_t i = 0; sendings[n].given && i < sendings[n].count; i++) {
            lab_drop(&l->tracker, place_in(&arrays[n], type, i), type);
        }
    }
    return result;
}

void library_send(lab *l, const tape_op *op, outcome *got)
{
    bool open = model_is_open(&l->m);
    if (!tape_may_send(&l->m)) {
        return;
    }
    if (!(op->d & RECORDED)) {
        got->code = tape_send(l, l->world, op);
        return;
    }
    mica_world *own = op->d & ON_A_BUFFER ? mica_commands_new(l->world) : NULL;
    got->code = tape_send(l, own ? own : mica_world_later(l->world), op);
    if (!got->code && !open) {
        got->code = mica_commands_apply(own ? own : l->world);
    }
    if (own && mica_commands_free(own)) {
        lab_differ(l, "a buffer of commands is not freed");
    }
}

static void put(model *m, const sending *one)
{
    model_queue *queue = &m->queues[one->kind];
    for (uint32_t i = 0; i < one->count; i++) {
        queue->events[queue->count++] = (model_event){one->number + i, m->frame, true};
        queue->sent++;
    }
}

static void let_wait(model *m, const sending *one)
{
    model_queue *queue = &m->queues[one->kind];
    for (uint32_t i = 0; i < one->count; i++) {
        queue->waiting[queue->waiting_count++] =
            (model_event){.number = one->number + i, .made = one->given};
    }
}

void tape_expect_sent(model *m, const tape_op *op)
{
    sending sendings[2];
    uint32_t count = list_sendings(op, sendings);
    for (uint32_t n = 0; n < count; n++) {
        put(m, &sendings[n]);
    }
}

// A buffer of its own that cannot be carried out, because something is iterated, is forgotten.
void model_of_send(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    (void)want;
    if (!tape_may_send(m)) {
        return;
    }
    if (!(op->d & RECORDED) || !model_is_open(m)) {
        tape_expect_sent(m, op);
        return;
    }
    sending sendings[2];
    uint32_t count = op->d & ON_A_BUFFER ? 0 : list_sendings(op, sendings);
    for (uint32_t n = 0; n < count; n++) {
        let_wait(m, &sendings[n]);
    }
}

// What becomes of what was sent

void model_send_waiting(model *m)
{
    for (uint32_t kind = 0; kind < MODEL_EVENT_KINDS; kind++) {
        model_queue *queue = &m->queues[kind];
        for (uint32_t i = 0; i < queue->waiting_count; i++) {
            put(m, &(sending){.kind = kind, .count = 1, .number = queue->waiting[i].number});
        }
        queue->waiting_count = 0;
    }
}

void model_end_frame(model *m)
{
    m->frame++;
    for (uint32_t kind = 0; kind < MODEL_EVENT_KINDS; kind++) {
        model_queue *queue = &m->queues[kind];
        uint32_t left = 0;
        for (uint32_t i = 0; i < queue->count; i++) {
            if (queue->events[i].frame + 1 >= m->frame) {
                queue->events[left++] = queue->events[i];
            }
        }
        queue->count = left;
    }
}

uint32_t model_count_watched_events(const model *m)
{
    const model_queue *queue = &m->queues[MODEL_WATCHED_EVENT];
    uint32_t count = queue->count;
    for (uint32_t i = 0; i < queue->waiting_count; i++) {
        count += queue->waiting[i].made;
    }
    return count;
}

// Reading

// The number, of all that were ever sent, of the oldest one that can be read.
static uint32_t oldest(const model_queue *queue)
{
    return queue->sent - queue->count;
}

// Reads on from event `next`, all there are or those that come first. How many.
static uint32_t read_on(lab *l, uint32_t kind, mica_cursor *cursor, uint32_t next, bool all)
{
    const model_queue *queue = &l->m.queues[kind];
    uint32_t type = event_types[kind];
    uint32_t read = 0;
    uint32_t count;
    const unsigned char *events;
    do {
        events = mica_events_as(l->world, l->types[type], lab_size(type), NULL, cursor, &count);
        for (uint32_t i = 0; i < count; i++, read++) {
            if (next + read >= queue->sent ||
                !lab_holds(l, events + (size_t)i * lab_size(type), type,
                           queue->events[next + read - oldest(queue)].number)) {
                lab_differ(l, "event %" PRIu32 " of kind %" PRIu32 " is another", next + read,
                           kind);
                return read;
            }
        }
    } while (events && all);
    return read;
}

bool lab_compare_events(lab *l)
{
    for (uint32_t kind = 0; kind < MODEL_EVENT_KINDS; kind++) {
        const model_queue *queue = &l->m.queues[kind];
        mica_cursor cursor = {0};
        uint32_t read = read_on(l, kind, &cursor, oldest(queue), true);
        if (read != queue->count || cursor.missed > 0 ||
            test_event_count(l->world, tape_event_type(l, kind)) != queue->count) {
            return lab_differ(l, "%" PRIu32 " events of kind %" PRIu32 " are read, not %" PRIu32,
                              read, kind, queue->count);
        }
    }
    return true;
}

// Cursor a, of kind b, is a new one or a copy of the other before it reads, or reads what comes first only. The one
// that has a name cannot be copied.
enum { NEW = 1, COPIED = 2, FIRST = 4 };

static bool is_copied(const tape_op *op)
{
    return (op->d & (NEW | COPIED)) == COPIED && op->a % MODEL_CURSORS != MODEL_NAMED_CURSOR;
}

static uint32_t other_of(uint32_t which)
{
    return (which + 1) % MODEL_NAMED_CURSOR;
}

static void prepare(model_cursor *cursors, const tape_op *op)
{
    uint32_t which = op->a % MODEL_CURSORS;
    if (op->d & NEW) {
        cursors[which] = (model_cursor){0};
    } else if (is_copied(op)) {
        cursors[which] = cursors[other_of(which)];
    }
}

// Where it goes on. One that has begun, be it before anything was ever sent, has missed what is gone before that.
static void go_on(const model_queue *queue, model_cursor *cursor)
{
    if (cursor->began && cursor->next < oldest(queue)) {
        cursor->missed += oldest(queue) - cursor->next;
    }
    if (!cursor->began || cursor->next < oldest(queue)) {
        cursor->next = oldest(queue);
    }
    cursor->began = true;
}

// `changed` is how many were read, and how many were missed so far.
static uint32_t figure(uint32_t read, uint64_t missed)
{
    return (uint32_t)missed << 16 | read;
}

void library_read(lab *l, const tape_op *op, outcome *got)
{
    uint32_t kind = op->b % MODEL_EVENT_KINDS;
    uint32_t which = op->a % MODEL_CURSORS;
    mica_cursor *cursor = &l->cursors[kind][which];
    model_cursor expected[MODEL_CURSORS];
    memcpy(expected, l->m.cursors[kind], sizeof expected);
    prepare(expected, op);
    go_on(&l->m.queues[kind], &expected[which]);
    if (which == MODEL_NAMED_CURSOR) {
        *cursor = (mica_cursor){.name = kind ? "odd" : "even"};
        if (op->d & NEW && mica_cursor_remove(l->world, cursor->name)) {
            lab_differ(l, "a named cursor is not removed");
        }
    } else if (op->d & NEW) {
        *cursor = (mica_cursor){0};
    } else if (is_copied(op)) {
        *cursor = l->cursors[kind][other_of(which)];
    }
    uint32_t read = read_on(l, kind, cursor, expected[which].next, !(op->d & FIRST));
    got->changed = figure(read, cursor->missed);
}

// How many come first, the library has reported: some, if there are any.
void model_of_read(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    uint32_t kind = op->b % MODEL_EVENT_KINDS;
    const model_queue *queue = &m->queues[kind];
    model_cursor *cursor = &m->cursors[kind][op->a % MODEL_CURSORS];
    prepare(m->cursors[kind], op);
    go_on(queue, cursor);
    uint32_t read = cursor->next < queue->sent ? queue->sent - cursor->next : 0; // it stays ahead
    uint32_t reported = got->changed & UINT16_MAX;
    if ((op->d & FIRST) && reported > 0 && reported < read) {
        read = reported;
    }
    cursor->next += read;
    want->changed = figure(read, cursor->missed);
}

void model_forget_cursors(model *m)
{
    for (uint32_t kind = 0; kind < MODEL_EVENT_KINDS; kind++) {
        for (uint32_t i = 0; i < MODEL_NAMED_CURSOR; i++) {
            m->cursors[kind][i] = (model_cursor){0};
        }
    }
}
