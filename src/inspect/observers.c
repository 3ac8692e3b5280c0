// Inspection of observers and event queues.
#include "inspect/inspect_internal.h"

#include "event/observer.h"
#include "event/queue.h"

mica_observer mica_observer_next(mica_world *world, mica_observer previous)
{
    static const char call[] = "mica_observer_next";
    bool first = MICA_IS_NONE(previous);
    if (!micai_inspect_enter(world, call) ||
        (!first && !micai_observers_find(world, call, previous))) {
        return (mica_observer){0};
    }
    const micai_observers *all = micai_observers_of(world);
    uint32_t next = first ? 0 : micai_stamp_number(previous.bits) + 1;
    const micai_observer *found = NULL;
    for (; all && next < all->handles.list.count && (!found || found->freed); next++) {
        found = all->handles.list.items[next];
    }
    return found && !found->freed ? found->callback.event.observer : (mica_observer){0};
}

bool mica_observer_get_info(mica_world *world, mica_observer observer, mica_observer_info *info_out)
{
    static const char call[] = "mica_observer_get_info";
    const micai_observer *found =
        micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out)
            ? micai_observers_find(world, call, observer)
            : NULL;
    if (found) {
        *info_out =
            (mica_observer_info){.name = found->callback.name,
                                 .events = found->events,
                                 .type = found->type ? found->type->info.type : (mica_type){0},
                                 .query = found->query,
                                 .user = found->callback.event.user};
    }
    return found != NULL;
}

// Returns the capacity of a frame. By E2, each chunk has twice the capacity of the one before.
static size_t frame_capacity(const micai_frame *frame)
{
    return (((size_t)1 << frame->chunks.count) - 1) << MICAI_CHUNK_SHIFT;
}

bool mica_event_get_info(mica_world *world, mica_type type, mica_event_info *info_out)
{
    static const char call[] = "mica_event_get_info";
    const micai_type *found =
        micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out)
            ? micai_world_type(world, call, type)
            : NULL;
    const micai_queues *all = found ? world->state->modules[MICAI_MODULE_QUEUE].data : NULL;
    const micai_queue *queue =
        all && found->number < all->list.count ? all->list.items[found->number] : NULL;
    uint64_t sent = queue ? queue->before + queue->now.count : 0;
    if (sent > 0) { // otherwise there is only spare capacity, from a send that failed
        *info_out = (mica_event_info){
            .now = queue->now.count,
            .last = queue->last.count,
            .sent = sent,
            .bytes = (frame_capacity(&queue->now) + frame_capacity(&queue->last)) * queue->size};
    }
    return sent > 0;
}
