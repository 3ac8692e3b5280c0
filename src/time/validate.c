// The invariant of the history.
#include "time/validate.h"

#include "time/history_internal.h"

// Z1
mica_result micai_history_validate(mica_world *world, const void *data)
{
    const micai_history *h = data;
    mica_result result = micai_array_validate(&world->host, &h->kept, "snapshots");
    bool right = h->here <= h->kept.count;
    for (uint32_t i = 1; !result && right && i < h->kept.count; i++) {
        right = h->kept.items[i - 1].number < h->kept.items[i].number &&
                h->kept.items[i].number <= world->state->snapshots;
    }
    return result || right
               ? result
               : micai_fail_invariant(&world->host, "Z1", "the snapshots are out of order");
}
