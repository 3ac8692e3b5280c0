// Events in images: for each saved type, the events of both frames, the number of events before
// them, and how far named cursors have read them.
#include "event/saver.h"

#include "base/canary.h"
#include "core/field.h"
#include "event/queue.h"

#define AT_ONCE 1024u // events
#define SIZE_AT_ONCE (UINT32_C(1) << 20)

static const micai_queues *queues_of(const micai_state *state)
{
    return state->modules[MICAI_MODULE_QUEUE].data;
}

static micai_queue *queue_of(const micai_state *state, uint32_t number)
{
    const micai_queues *all = queues_of(state);
    return all && number < all->list.count ? all->list.items[number] : NULL;
}

void micai_queues_free_from(micai_state *state, uint32_t types)
{
    micai_queues *all = state->modules[MICAI_MODULE_QUEUE].data;
    while (all && all->list.count > types) {
        micai_queue *queue = all->list.items[--all->list.count];
        if (queue) {
            micai_queue_free(state, queue);
        }
    }
}

bool micai_queue_has_events(const micai_state *state, uint32_t number)
{
    const micai_queue *queue = queue_of(state, number);
    return queue && queue->last.count + queue->now.count > 0;
}

// Returns how many events the next batch has, from a place on.
static uint32_t next_events(const micai_queue *queue, const micai_frame *frame, uint32_t place)
{
    uint32_t space;
    micai_queue_locate(queue, frame, place, &space);
    uint32_t most = SIZE_AT_ONCE / queue->size;
    most = most == 0 ? 1 : most < AT_ONCE ? most : AT_ONCE;
    most = most < space ? most : space;
    return frame->count - place < most ? frame->count - place : most;
}

static bool is_saved(const micai_queue *queue)
{
    return queue && queue->type->info.saved && queue->before + queue->now.count > 0;
}

// Loaded queues that will replace those of the world.
typedef struct loaded_queues {
    uint32_t count;
    // by type number in the image: its queue was read; allocated behind the queues
    bool *seen;
    micai_cursors cursors; // with capacity for the world's cursors
    micai_queue *queues[]; // the loaded queue; NULL: none
} loaded_queues;

static size_t size_of(uint32_t count)
{
    return sizeof(loaded_queues) + count * (sizeof(micai_queue *) + sizeof(bool));
}

static void cancel(mica_world *world, void *data)
{
    loaded_queues *all = data;
    for (uint32_t n = 0; n < all->count; n++) {
        if (all->queues[n]) {
            micai_queue_free(world->state, all->queues[n]);
        }
    }
    micai_cursors_free(&world->host, &all->cursors);
    micai_release(&world->host, all, size_of(all->count), _Alignof(loaded_queues));
}

// Creates the loaded queue of a type. Opens the world's own queue now, because that may fail.
static void make_queue(mica_world *world, micai_archive *a, loaded_queues *all, uint32_t number)
{
    const micai_type *type = a->types[number];
    micai_queue *queue =
        micai_queue_open(world, type)
            ? micai_alloc_zeroed(&world->host, sizeof *queue, _Alignof(micai_queue))
            : NULL;
    if (!queue) {
        micai_archive_fail_memory(a);
        return;
    }
    queue->bits = type->info.type.bits;
    queue->type = type;
    queue->size = type->info.size;
    all->queues[number] = queue;
}

// Loads one batch of events into chunks of a frame. Without a queue they are skipped: the world
// does not have such a type, or does not save it.
static void load_events(mica_world *world, micai_archive *a, uint32_t number,
                        const micai_queue *queue, micai_frame *frame, uint32_t count)
{
    const micai_type *type = a->types[number];
    if (!queue) {
        a->values(a, "events", number, NULL, count);
        return;
    }
    micai_host *host = a->host;
    void *events = micai_alloc_array(host, count, type->info.size,
                                     type->info.align > 64 ? type->info.align : 64);
    mica_result result =
        events ? micai_queue_reserve(host, queue, frame, count) : MICA_ERROR_MEMORY;
    a->failed = a->failed ? a->failed : result;
    if (!a->failed) {
        a->values(a, "events", number, events, count);
    }
    unsigned char *source = events;
    for (uint32_t done = 0; !a->failed && done < count;) {
        uint32_t space;
        unsigned char *target = micai_queue_locate(queue, frame, frame->count, &space);
        uint32_t some = count - done < space ? count - done : space;
        micai_hook_relocate(&world->state->gate, type, target,
                            source + (size_t)done * type->info.size, some);
        frame->count += some;
        done += some;
    }
    if (events) {
        micai_release(host, events, (size_t)count * type->info.size,
                      type->info.align > 64 ? type->info.align : 64);
    }
}

// Checks that the image can have a queue of this type, and passes out the loaded queue. NULL: the
// world has no such queue. A type whose values cannot be saved has no events in an image, but may
// have a count of past ones.
static bool expect_queue(micai_archive *a, uint32_t number, loaded_queues *all,
                         micai_queue **queue_out)
{
    const micai_schema_type *as = a->failed ? NULL : &a->schema->types[number];
    if (as && (all->seen[number] || !as->saved || as->way == MICAI_SCHEMA_NONE)) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "there cannot be events of '%.80s'", as->name);
    }
    if (!a->failed) {
        all->seen[number] = true;
        *queue_out = all->queues[number];
    }
    return !a->failed;
}

// Both directions

// Serializes a frame, one batch of events at a time.
static void serialize_frame(mica_world *world, micai_archive *a, const char *name, uint32_t number,
                            const micai_queue *queue, micai_frame *frame)
{
    uint32_t batches = 0;
    uint32_t place = 0;
    for (uint32_t i = 0; !a->reading && i < frame->count; i += next_events(queue, frame, i)) {
        batches++;
    }
    micai_serialize(a, begin_list, name, &batches, UINT32_MAX);
    for (uint32_t i = 0; i < batches && !a->failed; i++) {
        uint32_t space;
        uint32_t count = a->reading ? 0 : next_events(queue, frame, place);
        micai_serialize(a, begin_object, NULL);
        micai_serialize_32(a, "count", &count, AT_ONCE);
        if (!a->reading) {
            a->values(a, "events", number, micai_queue_locate(queue, frame, place, &space), count);
        } else if (count == 0 || count > MICAI_EVENTS_MAX - frame->count) {
            micai_archive_fail(a, MICA_ERROR_IMAGE, "there cannot be so many events");
        } else {
            load_events(world, a, number, queue, frame, count);
        }
        micai_serialize(a, end, NULL);
        place += count;
    }
    micai_serialize(a, end, name);
}

// Serializes a queue. While loading, events without a loaded queue are skipped.
static void serialize_queue(mica_world *world, micai_archive *a, micai_queue *queue,
                            loaded_queues *all)
{
    uint32_t number = a->reading ? 0 : a->numbers[queue->type->number];
    uint64_t before = a->reading ? 0 : queue->before;
    micai_frame past[2] = {{.count = 0}, {.count = 0}};
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, type, "type", &number);
    micai_serialize(a, number, "before", &before, UINT64_MAX >> 1);
    if (a->reading && !expect_queue(a, number, all, &queue)) {
        return;
    }
    serialize_frame(world, a, "last", number, queue, queue ? &queue->last : &past[0]);
    serialize_frame(world, a, "now", number, queue, queue ? &queue->now : &past[1]);
    if (a->reading && queue) {
        if (before < queue->last.count) {
            micai_archive_fail(a, MICA_ERROR_IMAGE, "there were fewer events of '%.80s'",
                               a->schema->types[number].name);
        }
        queue->before = before;
        micai_queue_update_tail(queue);
    }
    micai_serialize(a, end, NULL);
}

static bool is_cursor_saved(const micai_cursor *cursor)
{
    return cursor->type->info.saved && !micai_position_is_new(&cursor->read);
}

// Adds a loaded cursor. It is a new reader if it is behind events that were not sent.
static void load_cursor(micai_archive *a, loaded_queues *all, uint32_t number, const char *name,
                        micai_position read)
{
    const micai_queue *queue = all->queues[number];
    micai_position *position = micai_cursors_open(a->host, &all->cursors, a->types[number], name);
    if (!position) {
        micai_archive_fail_memory(a);
    } else if (read.next <= (queue ? micai_queue_end(queue) : 1)) {
        *position = read;
    }
}

// Serializes a cursor. Of a type that the world does not have or does not save, events are not
// loaded, so neither are cursors.
static void serialize_cursor(micai_archive *a, const micai_cursor *cursor, loaded_queues *all)
{
    const char *name = a->reading ? NULL : cursor->name;
    uint32_t number = a->reading ? 0 : a->numbers[cursor->type->number];
    micai_position read = a->reading ? (micai_position){0} : cursor->read;
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, text, "name", &name);
    micai_serialize(a, type, "type", &number);
    micai_serialize(a, number, "next", &read.next, UINT64_MAX >> 1);
    micai_serialize(a, number, "missed", &read.missed, UINT64_MAX >> 1);
    micai_serialize(a, end, NULL);
    const micai_type *type = a->reading && !a->failed ? a->types[number] : NULL;
    if (a->reading && !a->failed && !micai_name_is_valid(name)) {
        micai_archive_fail(a, MICA_ERROR_IMAGE, "the name of a cursor is %s",
                           micai_name_fault(name));
    } else if (type && type->info.saved) {
        load_cursor(a, all, number, name, read);
    }
}

static void save_cursors(micai_archive *a, const micai_cursors *all)
{
    uint32_t saved = 0;
    for (uint32_t i = 0; all && i < all->list.count; i++) {
        saved += is_cursor_saved(&all->list.items[i]);
    }
    micai_serialize(a, begin_list, "cursors", &saved, UINT32_MAX);
    for (uint32_t i = 0; all && i < all->list.count; i++) {
        if (is_cursor_saved(&all->list.items[i])) {
            serialize_cursor(a, &all->list.items[i], NULL);
        }
    }
    micai_serialize(a, end, "cursors");
}

// Also reserves capacity for the world's cursors of types that are not saved.
static void load_cursors(mica_world *world, micai_archive *a, loaded_queues *loaded)
{
    uint32_t count = 0;
    if (a->version > 2) {
        micai_serialize(a, begin_list, "cursors", &count, UINT32_MAX);
        for (uint32_t i = 0; i < count && !a->failed; i++) {
            serialize_cursor(a, NULL, loaded);
        }
        micai_serialize(a, end, "cursors");
    }
    const micai_queues *all = queues_of(world->state);
    uint32_t kept = all ? all->cursors.list.count : 0;
    if (!a->failed && ((loaded->cursors.list.count > 0 && !micai_queues_open(world)) ||
                       !micai_array_reserve(a->host, &loaded->cursors.list, kept))) {
        micai_archive_fail_memory(a);
    }
}

static void save(mica_world *world, micai_archive *a)
{
    const micai_queues *all = a->partial ? NULL : queues_of(world->state);
    uint32_t count = all ? all->list.count : 0;
    uint32_t saved = 0;
    for (uint32_t n = 0; n < count; n++) {
        saved += is_saved(all->list.items[n]);
    }
    micai_serialize(a, begin_list, "queues", &saved, UINT32_MAX);
    for (uint32_t n = 0; n < count && !a->failed; n++) {
        if (is_saved(all->list.items[n])) {
            serialize_queue(world, a, all->list.items[n], NULL);
        }
    }
    micai_serialize(a, end, "queues");
    save_cursors(a, all ? &all->cursors : NULL);
}

// Returns true if both the image and the world save the type. Its events are then replaced by those
// of the image, even if the image has none.
static bool is_replaced(const micai_archive *a, uint32_t number)
{
    const micai_type *type = a->types[number];
    return a->schema->types[number].saved && type && type->info.saved && type->info.size > 0;
}

static void *load(mica_world *world, micai_archive *a)
{
    uint32_t types = a->schema->count;
    loaded_queues *all = micai_alloc_zeroed(a->host, size_of(types), _Alignof(loaded_queues));
    if (!all) {
        micai_archive_fail_memory(a);
        return NULL;
    }
    all->count = types;
    all->seen = (bool *)(all->queues + types);
    for (uint32_t n = 0; n < types && !a->failed; n++) {
        if (is_replaced(a, n)) {
            make_queue(world, a, all, n);
        }
    }
    uint32_t count;
    micai_serialize(a, begin_list, "queues", &count, types);
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        serialize_queue(world, a, NULL, all);
    }
    micai_serialize(a, end, "queues");
    load_cursors(world, a, all);
    return all;
}

static void commit(mica_world *world, void *data)
{
    loaded_queues *all = data;
    for (uint32_t n = 0; n < all->count; n++) {
        micai_queue *queue = all->queues[n];
        micai_queue *place = queue ? queue_of(world->state, queue->type->number) : NULL;
        if (place) {
            const micai_queue old = *place;
            *place = *queue;
            *queue = old;
        }
    }
    micai_queues *queues = world->state->modules[MICAI_MODULE_QUEUE].data;
    if (queues && !MICAI_CANARY("event.cursor_loaded")) {
        micai_cursors_replace(&world->host, &queues->cursors, &all->cursors);
    }
    cancel(world, all); // frees the replaced events
}

const micai_saver micai_queue_saver = {"events", save, load, commit, cancel};
