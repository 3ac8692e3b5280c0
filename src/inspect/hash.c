// The hash covers the content of the world. The digest covers its state to the last byte, order
// included.
#include <mica/debug.h>

#include "base/hash.h"
#include "entity/digest.h"
#include "event/queue.h"
#include "system/system.h"

uint64_t mica_world_hash(mica_world *world)
{
    static const char call[] = "mica_world_hash";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return 0;
    }
    uint64_t hash = 0;
    micai_sums to = {.sums = &hash};
    if (micai_world_guard_whole(world, call) || micai_entities_hash(world, call, &to)) {
        return 0;
    }
    micai_resources_hash(world->state, &to);
    return hash;
}

static uint64_t digest_slots(const micai_slots *slots, uint64_t hash)
{
    hash = micai_hash_add(hash, micai_slots_first_virgin(slots));
    hash = micai_hash_add(hash, slots->free_first);
    hash = micai_hash_add(hash, slots->alive);
    hash = micai_hash_add(hash, slots->pending);
    uint32_t slot = slots->free_first;
    while (slot != MICAI_SLOT_NONE) {
        const micai_record *record = micai_slots_at(slots, slot);
        hash = micai_hash_add(hash, (uint64_t)record->tag << 32 | slot);
        slot = record->where;
    }
    // Retired slots are in no list and no row, but they determine which slots new entities get.
    bool retired = micai_slots_count_retired(slots) > 0;
    for (slot = retired ? micai_slots_next_retired(slots, 0) : MICAI_SLOT_NONE;
         slot != MICAI_SLOT_NONE; slot = micai_slots_next_retired(slots, slot + 1)) {
        hash = micai_hash_add(hash, slot);
    }
    // So do the first generations of slots that were given back.
    for (uint32_t i = 0; i < slots->floors.count; i++) {
        if (slots->floors.items[i] > 1) {
            hash = micai_hash_add(hash, (uint64_t)i << 32 | slots->floors.items[i]);
        }
    }
    return hash;
}

uint64_t mica_world_digest(mica_world *world)
{
    static const char call[] = "mica_world_digest";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return 0;
    }
    if (micai_world_guard_whole(world, call)) {
        return 0;
    }
    uint64_t hash = micai_entities_digest(world->state);
    uint64_t resources = 0;
    micai_resources_hash(world->state, &(micai_sums){.sums = &resources});
    hash = micai_hash_add(hash, resources);
    hash = micai_hash_add(hash, world->view.tick);
    uint64_t time;
    memcpy(&time, &world->state->time, sizeof time);
    hash = micai_hash_add(hash, time);
    hash = digest_slots(&world->state->slots, hash);
    // By name: if modules registered these functions, every program would link them.
    const void *queues = world->state->modules[MICAI_MODULE_QUEUE].data;
    const void *systems = world->state->modules[MICAI_MODULE_SYSTEM].data;
    hash = queues ? micai_queues_digest(world->state, queues, hash) : hash;
    return systems ? micai_systems_digest(world->state, systems, hash) : hash;
}
