// Inspection of observers, event queues and readers of events.
#include "inspect/inspect_internal.h"

#include "event/observer.h"
#include "event/queue.h"
#include "system/system.h"

// Returns true for the head of an observer that is not freed.
static bool is_listed(const micai_observer *observer)
{
    return observer && !observer->freed && observer->head == observer;
}

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
    for (; all && next < all->handles.list.count && !is_listed(found); next++) {
        found = all->handles.list.items[next];
    }
    return is_listed(found) ? found->callback.event.observer : (mica_observer){0};
}

bool mica_observer_get_info(mica_world *world, mica_observer observer, mica_observer_info *info_out)
{
    static const char call[] = "mica_observer_get_info";
    const micai_observer *found =
        micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out)
            ? micai_observers_find(world, call, observer)
            : NULL;
    if (found) {
        *info_out = (mica_observer_info){.name = found->callback.name,
                                         .events = found->declared,
                                         .query = found->query,
                                         .user = found->callback.event.user,
                                         .disabled = !micai_observer_is_enabled(found)};
        const micai_observer *part = found;
        for (uint32_t i = 0; part && part->type; part = part->next_part) {
            info_out->types[i++] = part->type->info.type;
        }
        info_out->type = found->next_part ? (mica_type){0} : info_out->types[0];
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
    const micai_queue *queue = found ? micai_queue_find(world, type) : NULL;
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

// Returns a reader by its position.
static mica_reader_info describe_reader(const micai_queue *queue, const char *name,
                                        mica_system system, const micai_position *read)
{
    mica_reader_info info = {.name = name, .system = system, .missed = read->missed};
    if (queue) {
        uint64_t first = micai_queue_first(queue);
        uint64_t next = read->next < first ? first : read->next;
        info.missed += read->next > 0 ? next - read->next : 0;
        info.unread = next < micai_queue_end(queue) ? micai_queue_end(queue) - next : 0;
    }
    return info;
}

// Describes the system of this number, of those that read the events of a type. Counts `index` down
// by the systems that were passed.
static bool describe_system(mica_world *world, mica_type type, uint32_t *index,
                            mica_reader_info *info_out)
{
    const micai_systems *all = micai_systems_of(world);
    for (const micai_system *one = all ? micai_systems_from(all, 0) : NULL; one;
         one = micai_systems_after(all, one)) {
        for (uint32_t k = 0; k < one->declared.event_count; k++) {
            const mica_term *event = &one->declared.events[k];
            if (event->type.bits == type.bits && event->access == MICA_READ && (*index)-- == 0) {
                *info_out = describe_reader(micai_queue_find(world, type), one->declared.system,
                                            one->handle, &one->declared.read[k]);
                return true;
            }
        }
    }
    return false;
}

static bool describe_cursor(mica_world *world, mica_type type, uint32_t index,
                            mica_reader_info *info_out)
{
    const micai_queues *all = micai_queues_of(world);
    for (uint32_t i = 0; all && i < all->cursors.list.count; i++) {
        const micai_cursor *cursor = &all->cursors.list.items[i];
        if (cursor->type->info.type.bits == type.bits && !micai_position_is_new(&cursor->read) &&
            index-- == 0) {
            *info_out = describe_reader(micai_queue_find(world, type), cursor->name,
                                        (mica_system){0}, &cursor->read);
            return true;
        }
    }
    return false;
}

bool mica_reader_get_info(mica_world *world, mica_type type, uint32_t index,
                          mica_reader_info *info_out)
{
    static const char call[] = "mica_reader_get_info";
    return micai_inspect_begin(world, call, "info_out", info_out, sizeof *info_out) &&
           micai_world_type(world, call, type) &&
           (describe_system(world, type, &index, info_out) ||
            describe_cursor(world, type, index, info_out));
}
