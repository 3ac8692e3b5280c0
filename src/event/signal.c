// Calls that notify observers without a change: a value that was written through a pointer, and
// signals.
#include "event/observer.h"

#include "base/canary.h"
#include "entity/locate.h"

// Begins a call about one entity and one type. Returns the type, or NULL, reported.
static const micai_type *begin_call(mica_world *world, const char *call, mica_entity entity,
                                    mica_type type, micai_entity_ref *ref_out)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    if (world->recorder ? micai_world_refuse(world, call) : micai_world_guard_edit(world, call)) {
        return NULL;
    }
    *ref_out = (micai_entity_ref){entity, micai_slots_find(&world->state->slots, entity)};
    if (!ref_out->record) {
        micai_slots_fail(&world->host, call, entity);
        return NULL;
    }
    return micai_world_type(world, call, type);
}

mica_result mica_modified(mica_world *world, mica_entity entity, mica_type type)
{
    static const char call[] = "mica_modified";
    micai_entity_ref ref;
    const micai_type *found = begin_call(world, call, entity, type, &ref);
    if (!found) {
        return micai_world_failed(world);
    }
    if (found->info.size == 0) {
        return micai_world_check_size(world, call, found, 0);
    }
    if (!micai_value_has(world->state, ref, found)) {
        char id[MICA_ENTITY_TEXT_SIZE];
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: entity %s has no '%s'", call,
                          mica_entity_text(entity, id), found->info.name);
    }
    bool observed = micai_type_is_watched(found, MICA_ON_SET);
    mica_result result = micai_world_guard_access(world, call, found);
    result = result || !observed ? result : micai_notification_reserve_sets(world, call, 1);
    if (result) {
        return result;
    }
    if (!MICAI_CANARY("event.unstamped")) {
        micai_value_touch(world, ref, found);
    }
    if (observed) {
        micai_notify_one(world, call, entity, found, MICA_ON_SET,
                         micai_value_look_at(world->state, ref, found));
    }
    return observed ? micai_world_finish(world, call, MICA_OK) : MICA_OK;
}

mica_result mica_signal(mica_world *world, mica_entity entity, mica_type type, const void *data,
                        uint32_t size)
{
    static const char call[] = "mica_signal";
    micai_entity_ref ref;
    const micai_type *found = begin_call(world, call, entity, type, &ref);
    if (!found) {
        return micai_world_failed(world);
    }
    if (!data && size != 0) {
        return micai_fail_null(&world->host, call, "data");
    }
    mica_result result = data ? micai_world_check_size(world, call, found, size) : MICA_OK;
    if (result || !micai_type_is_watched(found, MICA_ON_SIGNAL)) {
        return result;
    }
    result = micai_notification_reserve_sets(world, call, 0);
    if (!result) {
        micai_notify_one(world, call, entity, found, MICA_ON_SIGNAL, data);
    }
    return result ? result : micai_world_finish(world, call, MICA_OK);
}
