// Hash and digest: what the world means, and what it is to the last byte.
#include "world/hash.h"

#include <mica/debug.h>

#include "base/hash.h"
#include "world/value.h"

// Reads an integer of 1, 2, 4 or 8 bytes as this machine stores it.
static uint64_t load(const unsigned char *bytes, uint32_t size)
{
    uint8_t a;
    uint16_t b;
    uint32_t c;
    uint64_t d;
    switch (size) {
    case 1: memcpy(&a, bytes, 1); return a;
    case 2: memcpy(&b, bytes, 2); return b;
    case 4: memcpy(&c, bytes, 4); return c;
    default: memcpy(&d, bytes, 8); return d;
    }
}

static uint64_t hash_text_field(const unsigned char *bytes, uint32_t size)
{
    uint32_t used = 0;
    while (used < size && bytes[used]) {
        used++;
    }
    return micai_hash_bytes(bytes, used);
}

static uint64_t hash_field(const micai_registry *types, const mica_field_info *field,
                           const unsigned char *bytes)
{
    if (field->kind == MICA_KIND_CHAR) {
        return hash_text_field(bytes, field->size);
    }
    uint32_t size = field->size / field->count;
    uint64_t hash = field->count;
    for (uint32_t i = 0; i < field->count; i++, bytes += size) {
        uint64_t element =
            field->kind == MICA_KIND_STRUCT
                ? micai_hash_value(types, &micai_registry_find(types, field->type)->info, bytes)
                : load(bytes, size);
        hash = micai_hash_add(hash, element);
    }
    return hash;
}

// Fields add up under their names, so that neither their order nor the padding between counts.
uint64_t micai_hash_value(const micai_registry *types, const mica_type_info *info,
                          const unsigned char *value)
{
    if (info->field_count == 0) {
        return micai_hash_bytes(value, info->size);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        sum += micai_hash_add(micai_hash_text(field->name),
                              hash_field(types, field, value + field->offset));
    }
    return sum;
}

// Whose it is, and its key; 0 of what is no facet.
static uint64_t hash_facet(const micai_core *core, mica_entity entity)
{
    const micai_facet *facet = micai_facets_get(&core->facets, entity);
    if (!facet) {
        return 0;
    }
    bool none = facet->component == MICAI_FACET_NONE;
    uint64_t name = none ? 0 : core->registry.list.items[facet->component]->name_hash;
    return micai_hash_add(micai_hash_add(micai_hash_mix(facet->owner.bits), name), facet->role);
}

// False, reported, for lack of memory to put a value together.
static bool hash_entity(mica_world *world, const char *call, mica_entity entity, uint64_t *hash_out)
{
    const micai_living who = {entity,
                              micai_slots_at(&world->core->slots, mica_entity_slot(entity))};
    const char *name = micai_names_get(&world->core->names, entity);
    uint64_t sum = (name ? micai_hash_text(name) : 0) + hash_facet(world->core, entity);
    for (uint32_t n = micai_value_next(world->core, who, 0); n != MICAI_BITS_END;
         n = micai_value_next(world->core, who, n + 1)) {
        const micai_type *type = world->core->registry.list.items[n];
        micai_value value = micai_value_find(world->core, who, type);
        micai_arena_mark mark = micai_arena_here(&world->scratch);
        const void *data = micai_value_is_there(value) ? micai_value_see(world, call, value) : NULL;
        if (!data && micai_value_is_there(value)) {
            return false;
        }
        uint64_t hash = data ? micai_hash_value(&world->core->registry, &type->info, data) : 0;
        bool on = !type->info.toggle || micai_value_is_on(world->core, who, type);
        sum += micai_hash_add(type->name_hash, on ? hash : micai_hash_mix(hash + 1));
        micai_arena_rewind(&world->scratch, mark);
    }
    *hash_out = micai_hash_add(micai_hash_mix(entity.bits), sum);
    return true;
}

// The hashes of all entities, in the order of tables and rows: chained, or added up. False as above.
static bool fold_entities(mica_world *world, const char *call, bool ordered, uint64_t *hash_out)
{
    uint64_t hash = 0;
    const micai_store *store = &world->core->store;
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
                hash = micai_hash_add(hash, micai_facets_next(&world->core->facets, entity).bits);
            }
        }
    }
    *hash_out = hash;
    return true;
}

// The resources: under their types' names, so that neither their order nor that of registering counts.
static uint64_t hash_resources(const micai_core *core)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < core->resources.count; n++) {
        const micai_type *type = core->registry.list.items[n];
        const unsigned char *value = core->resources.items[n].value;
        sum += value ? micai_hash_add(micai_hash_mix(type->name_hash),
                                      micai_hash_value(&core->registry, &type->info, value))
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
    bool done = !micai_world_enter(world, call) && fold_entities(world, call, false, &hash);
    return done ? hash + hash_resources(world->core) : 0;
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
    // Those that are retired are in no list and no row, and decide where others will live.
    for (slot = micai_slots_next_retired(slots, 0); slot != MICAI_SLOT_NONE;
         slot = micai_slots_next_retired(slots, slot + 1)) {
        hash = micai_hash_add(hash, slot);
    }
    // So do the generations that slots begin with which were given back.
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
    if (micai_world_enter(world, call) || !fold_entities(world, call, true, &hash)) {
        return 0;
    }
    hash = micai_hash_add(hash, hash_resources(world->core));
    hash = micai_hash_add(hash, world->view.tick);
    uint64_t time;
    memcpy(&time, &world->core->time, sizeof time);
    hash = micai_hash_add(hash, time);
    hash = digest_slots(&world->core->slots, hash);
    hash = micai_value_digest(world->core, hash);
    for (uint32_t i = 0; i < MICAI_ROOM_COUNT; i++) {
        const micai_room *room = &world->core->rooms[i];
        hash = room->state && room->digest ? room->digest(world->core, room->state, hash) : hash;
    }
    return hash;
}
