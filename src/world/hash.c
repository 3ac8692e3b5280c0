// Hash and digest: what the world means, and what it is to the last byte.
#include <mica/debug.h>

#include "base/hash.h"
#include "world/world.h"

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

static uint64_t hash_value(const micai_registry *types, const mica_type_info *info,
                           const unsigned char *value);

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
                ? hash_value(types, &micai_registry_find(types, field->type)->info, bytes)
                : load(bytes, size);
        hash = micai_hash_add(hash, element);
    }
    return hash;
}

// Fields add up under their names, so that neither their order nor the padding between counts.
static uint64_t hash_value(const micai_registry *types, const mica_type_info *info,
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

static uint64_t hash_row(mica_world *world, const micai_sheet *sheet, uint32_t offset)
{
    const micai_table *table = sheet->table;
    mica_entity entity = micai_sheet_ids(sheet)[offset];
    const char *name = micai_names_get(&world->core->names, entity);
    uint64_t sum = name ? micai_hash_text(name) : 0;
    for (uint32_t n = micai_bits_next(table->words, table->word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(table->words, table->word_count, n + 1)) {
        const micai_type *type = world->core->registry.list.items[n];
        uint32_t column = micai_table_column(table, n);
        uint64_t value = column ? hash_value(&world->core->registry, &type->info,
                                             micai_sheet_at(sheet, column, offset))
                                : 0;
        sum += micai_hash_add(type->name_hash, value);
    }
    return micai_hash_add(micai_hash_mix(entity.bits), sum);
}

// The hashes of all rows, tables by id: chained, or added up.
static uint64_t fold_rows(mica_world *world, bool ordered)
{
    uint64_t hash = 0;
    const micai_store *store = &world->core->store;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        for (uint32_t row = 0; row < table->count; row++) {
            uint64_t one = hash_row(world, micai_table_sheet(table, row), row & (MICAI_ROWS - 1));
            hash = ordered ? micai_hash_add(hash, one) : hash + one;
        }
    }
    return hash;
}

uint64_t mica_world_hash(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_world_hash", "world");
        return 0;
    }
    return fold_rows(world, false);
}

static uint64_t digest_slots(const micai_slots *slots, uint64_t hash)
{
    hash = micai_hash_add(hash, slots->fresh);
    hash = micai_hash_add(hash, slots->free_first);
    hash = micai_hash_add(hash, slots->alive);
    uint32_t slot = slots->free_first;
    while (slot != MICAI_SLOT_NONE) {
        const micai_record *record = micai_slots_at(slots, slot);
        hash = micai_hash_add(hash, (uint64_t)record->tag << 32 | slot);
        slot = record->where;
    }
    return hash;
}

static uint64_t digest_ticks(const micai_table *table, uint64_t hash)
{
    for (uint32_t row = 0; row < table->count; row += MICAI_ROWS) {
        const micai_sheet *sheet = micai_table_sheet(table, row);
        for (uint32_t c = 0; c < table->column_count; c++) {
            hash = micai_hash_add(hash, micai_sheet_tick(sheet, c));
        }
    }
    return hash;
}

uint64_t mica_world_digest(mica_world *world)
{
    if (!world) {
        micai_fail_null(NULL, "mica_world_digest", "world");
        return 0;
    }
    const micai_store *store = &world->core->store;
    uint64_t hash = micai_hash_add(fold_rows(world, true), world->view.tick);
    uint64_t time;
    memcpy(&time, &world->core->time, sizeof time);
    hash = micai_hash_add(hash, time);
    hash = digest_slots(&world->core->slots, hash);
    for (uint32_t id = 0; id < store->tables.count; id++) {
        if (store->tables.items[id]->count > 0) {
            hash = micai_hash_add(hash, store->tables.items[id]->hash);
            hash = digest_ticks(store->tables.items[id], hash);
        }
    }
    return hash;
}
