#include "unit/store/pool/fixture.h"

#include <stdio.h>
#include <string.h>

static const note note_default = {11, 12};

static void register_type(fixture *f, mica_storage storage, bool stable, mica_type_desc desc)
{
    desc.storage = storage;
    desc.stable = stable;
    REQUIRE(
        !MICA_IS_NONE(micai_registry_register(f->host, &f->registry, "mica_type_register", &desc)));
}

void fixture_register_all(fixture *f)
{
    const mica_type_desc plain = {
        .name = "Note", .size = 16, .align = 8, .default_value = &note_default};
    register_type(f, MICA_SPARSE, false, plain);
    register_type(f, MICA_TABLE, false, (mica_type_desc){.name = "Tabled", .size = 4, .align = 4});
    register_type(f, MICA_SPARSE, false, (mica_type_desc){.name = "Mark"});
    register_type(f, MICA_SPARSE, true, (mica_type_desc){.name = "Stable", .size = 8, .align = 8});
    register_type(f, MICA_SPARSE, false, tracked_desc(&f->tracker, "Moved", true));
    register_type(f, MICA_SPARSE, false, tracked_desc(&f->tracker, "Hooked", false));
    register_type(f, MICA_SPARSE, true, tracked_desc(&f->tracker, "StableHooked", true));
    register_type(f, MICA_SPARSE, false,
                  (mica_type_desc){.name = "Wide", .size = 256, .align = 256});
    mica_type_desc full = tracked_desc(&f->tracker, "Full", true);
    full.toggle = full.row_stamps = true;
    register_type(f, MICA_SPARSE, false, full);
}

void fixture_begin(fixture *f, bool relocate_always)
{
    memset(f, 0, sizeof *f);
    tracker_begin(&f->tracker);
    f->host = test_host_begin(&f->t);
    f->tick = 1;
    micai_registry_init(&f->registry, 0, 7);
    micai_kinds_use_all(&f->registry);
    micai_slots_init(&f->slots, 0);
    f->gate = (micai_gate){.host = f->host, .slots = &f->slots, .busy = &f->busy};
    fixture_register_all(f);
    REQUIRE_EQUAL(MICA_OK,
                  micai_store_init(&f->store, &f->gate, &f->registry, &f->tick, relocate_always));
    micai_pools_init(&f->pools, &f->store);
}

void fixture_end(fixture *f)
{
    CHECK_VALID(f);
    micai_pools_free(&f->pools);
    micai_store_free(&f->store);
    micai_slots_free(f->host, &f->slots);
    micai_registry_free(f->host, &f->registry);
    CHECK_TRACKED(&f->tracker, 0);
    test_host_end(&f->t);
}

const micai_type *fixture_type(const fixture *f, uint32_t number)
{
    return f->registry.list.items[number];
}

uint32_t fixture_register_tag(fixture *f)
{
    char name[16];
    uint32_t number = f->registry.list.count;
    snprintf(name, sizeof name, "T%u", (unsigned)number);
    register_type(f, MICA_SPARSE, false, (mica_type_desc){.name = name});
    return number;
}

micai_pool *fixture_pool(fixture *f, uint32_t number)
{
    micai_pool *pool = micai_pools_open(&f->pools, fixture_type(f, number));
    REQUIRE(pool != NULL);
    return pool;
}

mica_entity fixture_spawn(fixture *f)
{
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve(f->host, &f->slots, 1));
    return micai_slots_take(&f->slots, 0);
}

void fixture_despawn(fixture *f, mica_entity entity)
{
    micai_pools_forget(&f->pools, mica_entity_slot(entity), f->tick);
    micai_slots_release(f->host, &f->slots, entity);
}

void fixture_spawn_many(fixture *f, uint32_t count, mica_entity *entities_out)
{
    for (uint32_t i = 0; i < count; i++) {
        entities_out[i] = fixture_spawn(f);
    }
}

static bool is_tracked(uint32_t number)
{
    return number == MOVED || number == HOOKED || number == STABLE_HOOKED || number == FULL;
}

mica_result fixture_try_give(fixture *f, uint32_t number, mica_entity entity, uint32_t say)
{
    micai_pool *pool = micai_pools_open(&f->pools, fixture_type(f, number));
    if (!pool) {
        return MICA_ERROR_MEMORY;
    }
    unsigned char bytes[256] = {0};
    const note value = {say, ~(uint64_t)say};
    memcpy(bytes, &value, sizeof value);
    tracked source = {0};
    if (is_tracked(number)) {
        source = tracked_make(&f->tracker, say);
    }
    const void *data = is_tracked(number) ? (const void *)&source : bytes;
    mica_result result = micai_pool_reserve_slot(&f->pools, pool, mica_entity_slot(entity));
    result = result ? result : micai_pool_reserve(&f->pools, pool, 1);
    uint32_t row = micai_pool_next(pool);
    result = result ? result : micai_pool_construct(&f->pools, pool, row, 1, data, 0);
    if (!result) {
        micai_pool_add(&f->pools, pool, row, entity, f->tick);
        micai_pool_relocate(&f->pools, pool);
    }
    micai_store_clear_replaced(&f->store);
    if (is_tracked(number)) {
        tracked_drop(&f->tracker, &source);
    }
    return result;
}

void fixture_give(fixture *f, uint32_t number, mica_entity entity, uint32_t say)
{
    REQUIRE_EQUAL(MICA_OK, fixture_try_give(f, number, entity, say));
}

void fixture_take(fixture *f, uint32_t number, mica_entity entity)
{
    micai_pool *pool = fixture_pool(f, number);
    micai_pool_remove(&f->pools, pool, mica_entity_slot(entity), f->tick);
    micai_pool_relocate(&f->pools, pool);
}

bool fixture_has(const fixture *f, uint32_t number, mica_entity entity)
{
    const micai_type *type = fixture_type(f, number);
    const micai_pool *pool = micai_pools_find(&f->pools, type->info.type);
    uint32_t slot = mica_entity_slot(entity);
    bool has = pool && micai_pool_row(pool, slot) != MICAI_INDEX_NONE;
    uint64_t present = micai_presence_of(&f->pools, type->sparse / 64, slot);
    CHECK_EQUAL(has, present >> (type->sparse % 64) & 1);
    return has;
}

void *fixture_value(const fixture *f, uint32_t number, mica_entity entity)
{
    const micai_pool *pool = micai_pools_find(&f->pools, fixture_type(f, number)->info.type);
    return micai_pool_value(pool, micai_pool_row(pool, mica_entity_slot(entity)));
}

bool fixture_says(const fixture *f, uint32_t number, mica_entity entity, uint32_t say)
{
    if (!fixture_has(f, number, entity)) {
        return false;
    }
    const void *value = fixture_value(f, number, entity);
    if (is_tracked(number)) {
        return tracked_is(&f->tracker, value, say);
    }
    const note expected = {say, ~(uint64_t)say};
    uint32_t size = fixture_type(f, number)->info.size;
    return memcmp(value, &expected, size < sizeof expected ? size : sizeof expected) == 0;
}
