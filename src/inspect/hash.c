// The hash covers the content of the world. The digest covers its state to the last byte, order
// included.
#include <mica/debug.h>

#include "base/hash.h"
#include "core/value_hash.h"
#include "entity/facet.h"
#include "entity/locate.h"
#include "entity/name.h"
#include "event/queue.h"
#include "system/system.h"

// Returns the hash of a facet's owner and key, or 0 if the entity is not a facet.
static uint64_t hash_facet(const micai_state *state, mica_entity entity)
{
    const micai_facet *facet = micai_facets_get(micai_facets_of(state), entity);
    if (!facet) {
        return 0;
    }
    bool none = facet->component == MICAI_FACET_NONE;
    uint64_t name = none ? 0 : state->registry.list.items[facet->component]->name_hash;
    return micai_hash_add(micai_hash_add(micai_hash_mix(facet->owner.bits), name), facet->role);
}

// Returns false with a report if there is no memory to gather a value.
static bool hash_entity(mica_world *world, const char *call, mica_entity entity, uint64_t *hash_out)
{
    const micai_entity_ref ref = {entity,
                                  micai_slots_at(&world->state->slots, mica_entity_slot(entity))};
    const char *name = micai_names_get(micai_names_of(world->state), entity);
    uint64_t sum = (name ? micai_hash_text(name) : 0) + hash_facet(world->state, entity);
    for (uint32_t n = micai_value_next(world->state, ref, 0); n != MICAI_BITS_END;
         n = micai_value_next(world->state, ref, n + 1)) {
        const micai_type *type = world->state->registry.list.items[n];
        micai_value value = micai_value_find(world->state, ref, type);
        micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
        const void *data = micai_value_is_there(value) ? micai_value_see(world, call, value) : NULL;
        if (!data && micai_value_is_there(value)) {
            return false;
        }
        uint64_t hash = data ? micai_hash_value(&world->state->registry, &type->info, data) : 0;
        bool on = !type->info.toggle || micai_value_is_on(world->state, ref, type);
        sum += micai_hash_add(type->name_hash, on ? hash : micai_hash_mix(hash + 1));
        micai_arena_rewind(&world->scratch, mark);
    }
    *hash_out = micai_hash_add(micai_hash_mix(entity.bits), sum);
    return true;
}

// Combines the hashes of all entities, in the order of tables and rows: chained if `ordered`, added
// otherwise. Returns false as above.
static bool fold_entities(mica_world *world, const char *call, bool ordered, uint64_t *hash_out)
{
    uint64_t hash = 0;
    const micai_store *store = &world->state->store;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        for (uint32_t row = 0; row < table->count; row++) {
            mica_entity entity = micai_table_entity(table, row);
            uint64_t one;
            if (!hash_entity(world, call, entity, &one)) {
                return false;
            }
            hash = ordered ? micai_hash_add(hash, one) : hash + one;
            if (ordered && table->facet) {
                hash = micai_hash_add(
                    hash, micai_facets_next(micai_facets_of(world->state), entity).bits);
            }
        }
    }
    *hash_out = hash;
    return true;
}

// Hashes resources by the names of their types. So neither their order nor the order of
// registration matters.
static uint64_t hash_resources(const micai_state *state)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < state->resources.count; n++) {
        const micai_type *type = state->registry.list.items[n];
        const unsigned char *value = state->resources.items[n].value;
        sum += value ? micai_hash_add(micai_hash_mix(type->name_hash),
                                      micai_hash_value(&state->registry, &type->info, value))
                     : 0;
    }
    return sum;
}

uint64_t mica_world_hash(mica_world *world)
{
    static const char call[] = "mica_world_hash";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return 0;
    }
    uint64_t hash = 0;
    bool done = !micai_world_guard_read(world, call) && fold_entities(world, call, false, &hash);
    return done ? hash + hash_resources(world->state) : 0;
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
    for (slot = micai_slots_next_retired(slots, 0); slot != MICAI_SLOT_NONE;
         slot = micai_slots_next_retired(slots, slot + 1)) {
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
    uint64_t hash;
    if (micai_world_guard_read(world, call) || !fold_entities(world, call, true, &hash)) {
        return 0;
    }
    hash = micai_hash_add(hash, hash_resources(world->state));
    hash = micai_hash_add(hash, world->view.tick);
    uint64_t time;
    memcpy(&time, &world->state->time, sizeof time);
    hash = micai_hash_add(hash, time);
    hash = digest_slots(&world->state->slots, hash);
    hash = micai_value_digest(world->state, hash);
    // By name: if modules registered these functions, every program would link them.
    const void *queues = world->state->modules[MICAI_MODULE_QUEUE].data;
    const void *systems = world->state->modules[MICAI_MODULE_SYSTEM].data;
    hash = queues ? micai_queues_digest(world->state, queues, hash) : hash;
    return systems ? micai_systems_digest(world->state, systems, hash) : hash;
}
