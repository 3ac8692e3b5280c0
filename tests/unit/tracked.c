#include "unit/tracked.h"

#include <string.h>

#include "runner/memory.h"

void tracker_begin(tracker *t)
{
    memset(t, 0, sizeof *t);
    t->next = 1;
}

static bool keeps_place(const mica_hook_context *context)
{
    return context->type->hooks.move != NULL;
}

static bool lives(const tracker *t, const tracked *value)
{
    return value->id < TRACKED_IDS && t->live[value->id] &&
           (value->self == NULL || value->self == value);
}

static void expect_alive(tracker *t, const tracked *value)
{
    t->errors += !lives(t, value);
}

// A value that knows its place and is still there must not be overwritten.
static void expect_raw(tracker *t, const tracked *target)
{
    test_memory_mark_written(target, sizeof *target);
    t->errors += target->self == target && lives(t, target);
}

static void make(tracker *t, tracked *target, int64_t number, bool placed)
{
    uint32_t id = t->next++;
    if (id >= TRACKED_IDS) {
        t->errors++;
        id = 0;
    }
    t->live[id] = true;
    t->alive++;
    *target = (tracked){id, placed ? target : NULL, number};
}

static void end(tracker *t, tracked *value)
{
    expect_alive(t, value);
    if (value->id < TRACKED_IDS) {
        t->live[value->id] = false;
    }
    t->alive--;
    memset(value, 0xDD, sizeof *value);
}

// Will one of the next `count` values fail?
static bool fails(tracker *t, uint32_t count)
{
    if (t->until_failure == 0) {
        return false;
    }
    bool now = t->until_failure <= count;
    t->until_failure = now ? 0 : t->until_failure - count;
    return now;
}

static mica_result construct(void *target, uint32_t count, const mica_hook_context *context)
{
    tracker *t = context->user;
    tracked *values = target;
    t->errors += count == 0;
    if (fails(t, count)) {
        return MICA_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        expect_raw(t, &values[i]);
        make(t, &values[i], TRACKED_DEFAULT, keeps_place(context));
        t->constructs++;
    }
    return MICA_OK;
}

static void destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    tracker *t = context->user;
    tracked *values = target;
    t->errors += count == 0;
    for (uint32_t i = 0; i < count; i++) {
        end(t, &values[i]);
        t->destructs++;
    }
}

static mica_result copy(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context)
{
    tracker *t = context->user;
    tracked *targets = target;
    const tracked *sources = source;
    t->errors += count == 0;
    if (fails(t, count)) {
        return MICA_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        expect_alive(t, &sources[i]);
        expect_raw(t, &targets[i]);
        make(t, &targets[i], sources[i].number, keeps_place(context));
        t->copies++;
    }
    return MICA_OK;
}

static void move(void *target, void *source, uint32_t count, const mica_hook_context *context)
{
    tracker *t = context->user;
    tracked *targets = target;
    tracked *sources = source;
    t->errors += count == 0;
    for (uint32_t i = 0; i < count; i++) {
        expect_alive(t, &sources[i]);
        expect_raw(t, &targets[i]);
        targets[i] = sources[i];
        targets[i].self = &targets[i];
        memset(&sources[i], 0xDD, sizeof sources[i]);
        t->moves++;
    }
}

mica_type_desc tracked_desc(tracker *t, const char *name, bool has_move)
{
    static const tracked unwatched = {.number = TRACKED_DEFAULT};
    if (t->idle) {
        return (mica_type_desc){.name = name,
                                .size = sizeof(tracked),
                                .align = _Alignof(tracked),
                                .default_value = &unwatched,
                                .plain = true};
    }
    return (mica_type_desc){.name = name,
                            .size = sizeof(tracked),
                            .align = _Alignof(tracked),
                            .hooks = {.construct = construct,
                                      .destruct = destruct,
                                      .copy = copy,
                                      .move = has_move ? move : NULL},
                            .user = t};
}

tracked tracked_make(tracker *t, int64_t number)
{
    tracked value = {.number = number};
    if (!t->idle) {
        make(t, &value, number, false);
    }
    return value;
}

void tracked_drop(tracker *t, tracked *value)
{
    if (!t->idle) {
        end(t, value);
    }
}

bool tracked_is(const tracker *t, const void *value, int64_t number)
{
    const tracked *v = value;
    return v != NULL && (t->idle || lives(t, v)) && v->number == number;
}
