#include "unit/store/table/fixture.h"

#include <string.h>

#include "runner/test.h"

static const big big_default = {11, 12};

static void register_type(fixture *f, const mica_type_desc *desc)
{
    REQUIRE(!mica_type_is_none(micai_registry_register(f->host, &f->registry, desc)));
}

void fixture_begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    tracker_begin(&f->tracker);
    f->host = test_host_begin(&f->t);
    f->tick = 1;
    micai_registry_init(&f->registry, 0, 7);
    micai_slots_init(&f->slots, 0);
    f->gate = (micai_gate){.host = f->host, .slots = &f->slots};
    const mica_type_desc moved = tracked_desc(&f->tracker, "Moved", true);
    const mica_type_desc hooked = tracked_desc(&f->tracker, "Hooked", false);
    register_type(f, &(mica_type_desc){.name = "Tag0"});
    register_type(f, &(mica_type_desc){.name = "A", .size = 8, .align = 8});
    register_type(f, &(mica_type_desc){.name = "B", .size = 4, .align = 4});
    register_type(f, &(mica_type_desc){.name = "Tag3"});
    register_type(f, &moved);
    register_type(f, &hooked);
    register_type(f, &(mica_type_desc){.name = "E",
                                       .size = sizeof(big),
                                       .align = _Alignof(big),
                                       .default_value = &big_default});
    REQUIRE_EQUAL(MICA_OK, micai_store_init(&f->store, &f->gate, &f->registry));
}

void fixture_end(fixture *f)
{
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
    micai_store_free(&f->store);
    micai_slots_free(f->host, &f->slots);
    micai_registry_free(f->host, &f->registry);
    CHECK_TRACKED(&f->tracker, 0);
    test_host_end(&f->t);
}

mica_types fixture_set(uint64_t bits)
{
    return (mica_types){.words = {bits}};
}

micai_table *fixture_table(fixture *f, uint64_t bits)
{
    const mica_types set = fixture_set(bits);
    return micai_store_table(&f->store, &set);
}

static void write_value(fixture *f, const micai_column *column, void *target, uint32_t number)
{
    uint64_t a = number;
    uint32_t b = number * 3;
    big e = {number, ~(uint64_t)number};
    switch (column->type->number) {
    case A: memcpy(target, &a, sizeof a); break;
    case B: memcpy(target, &b, sizeof b); break;
    case E: memcpy(target, &e, sizeof e); break;
    default: {
        tracked value = tracked_make(&f->tracker, number);
        REQUIRE_EQUAL(MICA_OK, micai_column_copy(&f->gate, column, target, &value, 1));
        tracked_drop(&f->tracker, &value);
        break;
    }
    }
}

static bool value_is(const fixture *f, const micai_column *column, const void *value,
                     uint32_t number, bool is_default)
{
    uint64_t a = is_default ? 0 : number;
    uint32_t b = is_default ? 0 : number * 3;
    big e = {number, ~(uint64_t)number};
    switch (column->type->number) {
    case A: return memcmp(value, &a, sizeof a) == 0;
    case B: return memcmp(value, &b, sizeof b) == 0;
    case E: return memcmp(value, is_default ? &big_default : &e, sizeof e) == 0;
    default: return tracked_is(&f->tracker, value, is_default ? TRACKED_DEFAULT : number);
    }
}

mica_entity fixture_spawn(fixture *f, micai_table *table, uint32_t number)
{
    if (micai_slots_reserve(f->host, &f->slots, 1) || micai_table_reserve(&f->store, table, 1)) {
        return mica_entity_none();
    }
    uint32_t row = table->count;
    micai_sheet *sheet = micai_table_sheet(table, row);
    uint32_t offset = row & (MICAI_ROWS - 1);
    for (uint32_t c = 1; c < table->column_count; c++) {
        write_value(f, &table->columns[c], micai_sheet_at(sheet, c, offset), number);
    }
    micai_table_push(table);
    mica_entity entity = micai_slots_take(&f->slots, micai_sheet_where(sheet, offset));
    micai_sheet_ids(sheet)[offset] = entity;
    return entity;
}

micai_place fixture_place(fixture *f, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&f->slots, entity);
    REQUIRE(record != NULL);
    return micai_store_place(&f->store, record);
}

void fixture_despawn(fixture *f, mica_entity entity)
{
    micai_place place = fixture_place(f, entity);
    micai_table *table = place.sheet->table;
    uint32_t row = micai_place_row(place);
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve_remove(&f->store, table, row));
    micai_table_destruct_row(&f->store, table, row);
    micai_store_drop(&f->store, place, f->tick);
    micai_slots_give(f->host, &f->slots, entity);
}

void fixture_move(fixture *f, const micai_edge *edge, mica_entity entity, uint32_t number)
{
    micai_place place = fixture_place(f, entity);
    micai_table *target = edge->target;
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, target, 1));
    REQUIRE_EQUAL(MICA_OK,
                  micai_table_reserve_remove(&f->store, edge->source, micai_place_row(place)));
    const micai_copy *added = edge->copies + edge->shared_count;
    for (uint32_t i = 0; i < edge->added_count; i++) {
        write_value(f, &target->columns[added[i].target],
                    micai_sheet_at(micai_table_sheet(target, target->count), added[i].target,
                                   target->count & (MICAI_ROWS - 1)),
                    number);
    }
    micai_store_move(&f->store, edge, place, micai_slots_at(&f->slots, mica_entity_slot(entity)),
                     f->tick);
}

bool fixture_holds(fixture *f, mica_entity entity, uint32_t number, uint64_t defaults)
{
    micai_place place = fixture_place(f, entity);
    const micai_table *table = place.sheet->table;
    bool holds = micai_sheet_ids(place.sheet)[place.offset].bits == entity.bits;
    for (uint32_t c = 1; c < table->column_count; c++) {
        const micai_column *column = &table->columns[c];
        holds = holds && value_is(f, column, micai_sheet_at(place.sheet, c, place.offset), number,
                                  (defaults & BIT(column->type->number)) != 0);
    }
    return holds;
}

kept fixture_keep(fixture *f, micai_sheet *sheet, uint32_t column)
{
    kept k = {.column = &sheet->table->columns[column], .rows = micai_sheet_used(sheet)};
    micai_sheet_share_page(&f->store, sheet, column);
    k.page = sheet->pages[column];
    REQUIRE((size_t)k.rows * k.column->size <= sizeof k.bytes);
    memcpy(k.bytes, k.page.data, (size_t)k.rows * k.column->size);
    return k;
}

bool fixture_kept(const kept *k)
{
    return memcmp(k->bytes, k->page.data, (size_t)k->rows * k->column->size) == 0;
}

void fixture_drop(fixture *f, kept *k)
{
    if (micai_page_references(&k->page) == 1) {
        micai_column_destruct(&f->gate, k->column, k->page.data, k->rows);
    }
    micai_page_release(f->host, &k->page);
}
