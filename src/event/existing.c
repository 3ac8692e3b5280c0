// Notifying a new observer of what is there already.
//
// The entities are listed before the observer exists, so that it is created and notified, or
// neither. While it is notified, no entity is added or removed, and none gains or loses a component.
// But components can be toggled, so a query is matched again.
#include "event/observer.h"

// Creates a query of the entities with any of the head's types, or of all.
static micai_query *make_query(mica_world *world, const char *call, const micai_observer *head)
{
    mica_query_desc desc = {.everything = !head->type};
    uint32_t need = head->next_part ? MICA_ANY : MICA_WITH;
    uint32_t count = 0;
    for (const micai_observer *part = head; part && part->type; part = part->next_part) {
        const mica_type_info *info = &part->type->info;
        desc.terms[count++] =
            (mica_term){info->type, need | (info->toggle ? MICA_INCLUDE_DISABLED : 0)};
    }
    const micai_query_origin origin = {.call = call, .noun = "observer", .hidden = true};
    return micai_query_look_up(world, micai_query_new(world, &origin, &desc));
}

mica_result micai_existing_list(mica_world *world, const char *call, const micai_observer *head,
                                micai_existing *list_out)
{
    bool own = !MICA_IS_NONE(head->query);
    micai_query *query =
        own ? micai_query_look_up(world, head->query) : make_query(world, call, head);
    if (!query) {
        return micai_world_failed(world);
    }
    uint32_t count = micai_query_count(world, query);
    bool reserved = micai_array_reserve(&world->host, list_out, count);
    if (reserved) {
        list_out->count = micai_query_list(world, query, list_out->items);
    }
    if (!own) {
        micai_query_free(world, query);
    }
    return reserved ? MICA_OK : MICA_ERROR_MEMORY;
}

void micai_existing_notify(mica_world *world, const char *call, const micai_observer *head,
                           micai_existing *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        micai_observers_notify_existing(world, call, head, list->items[i]);
    }
    micai_array_free(&world->host, list);
    (void)micai_world_finish(world, call, MICA_OK);
}
