// How the values of a pool lie, for those who look in from outside (mica/inspect.h).
#include "store/pool/inspect.h"

#include "store/pool/group.h"

void micai_pool_inspect(const micai_pool *pool, mica_pool_info *info_out)
{
    const micai_pool_room *room = &pool->room;
    size_t each = sizeof(mica_entity) + pool->view.size + (room->flags ? 1 : 0) +
                  (room->changed ? 2 * sizeof(uint64_t) : 0);
    size_t ticks = ((size_t)room->capacity + (UINT32_C(1) << MICAI_POOL_TICK_SHIFT) - 1) >>
                   MICAI_POOL_TICK_SHIFT;
    info_out->count = micai_pool_size(pool);
    info_out->capacity = room->capacity;
    info_out->holes = pool->hole_count;
    info_out->bytes = room->capacity * each + ticks * sizeof(uint64_t);
    info_out->groups = pool->groups.count;
    info_out->owner = pool->owner ? pool->owner->handle : mica_group_none();
}

void micai_pool_inspect_rows(const micai_pool *pool, uint32_t place, mica_stretch *stretch_out)
{
    while (place < pool->count && micai_pool_is_hole(pool, place)) {
        place++;
    }
    if (place >= pool->count) {
        return;
    }
    uint32_t ticks = UINT32_C(1) << MICAI_POOL_TICK_SHIFT;
    uint32_t span = micai_pool_span(pool, place);
    uint32_t same = ticks - (place & (ticks - 1));
    uint32_t most = span < same ? span : same;
    uint32_t count = 1;
    while (count < most && !micai_pool_is_hole(pool, place + count)) {
        count++;
    }
    *stretch_out = (mica_stretch){.row = place,
                                  .count = count,
                                  .entities = &pool->room.entities[place],
                                  .data = micai_pool_value(pool, place),
                                  .changed = pool->room.ticks[place >> MICAI_POOL_TICK_SHIFT]};
}
