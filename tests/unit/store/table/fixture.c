#include "unit/store/table/fixture.h"

#include <stdio.h>
#include <string.h>

#include "runner/test.h"

static const big big_default = {11, 12};

static void register_type(fixture *f, const mica_type_desc *desc)
{
    REQUIRE(
        !MICA_IS_NONE(micai_registry_register(f->host, &f->registry, "mica_type_register", desc)));
}

void fixture_begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    tracker_begin(&f->tracker);
    f->host = test_host_begin(&f->t);
    f->tick = 1;
    micai_registry_init(&f->registry, 0, 7);
    micai_kinds_use_all(&f->registry);
    micai_slots_init(&f->slots, 0);
    f->gate = (micai_gate){.host = f->host, .slots = &f->slots, .busy = &f->busy};
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
    REQUIRE_EQUAL(MICA_OK, micai_store_init(&f->store, &f->gate, &f->registry, &f->now, false));
}

void fixture_end(fixture *f)
{
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
    micai_store_free(&f->store);
    micai_arena_free(f->host, &f->scratch);
    micai_slots_free(f->host, &f->slots);
    micai_registry_free(f->host, &f->registry);
    CHECK_TRACKED(&f->tracker, 0);
    test_host_end(&f->t);
}

void fixture_register(fixture *f, uint32_t number, uint32_t size)
{
    char name[16];
    snprintf(name, sizeof name, "T%u", (unsigned)number);
    REQUIRE_EQUAL(number, f->registry.list.count);
    register_type(f, &(mica_type_desc){.name = name, .size = size, .align = size});
}

mica_type_set fixture_set(uint64_t bits)
{
    return (mica_type_set){.words = {bits}};
}

micai_table *fixture_table(fixture *f, uint64_t bits)
{
    const mica_type_set set = fixture_set(bits);
    return micai_store_table(&f->store, &set);
}

static void make_value(fixture *f, micai_cell cell, uint32_t number)
{
    const micai_type *type = cell.table->layout.columns[cell.column].type;
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    const uint64_t a = number;
    const uint32_t b = number * 3;
    const big e = {number, ~(uint64_t)number};
    const void *data = type->number == A ? &a : type->number == B ? &b : (const void *)&e;
    if (type->number == MOVED || type->number == HOOKED) {
        tracked value = tracked_make(&f->tracker, number);
        REQUIRE_EQUAL(MICA_OK, kind->construct(&f->store, cell, 1, &value, 0));
        tracked_drop(&f->tracker, &value);
    } else {
        REQUIRE_EQUAL(MICA_OK, kind->construct(&f->store, cell, 1, data, 0));
    }
}

static bool value_is(const fixture *f, const micai_type *type, const void *value, uint32_t number,
                     bool is_default)
{
    uint64_t a = is_default ? 0 : number;
    uint32_t b = is_default ? 0 : number * 3;
    big e = {number, ~(uint64_t)number};
    switch (type->number) {
    case A: return memcmp(value, &a, sizeof a) == 0;
    case B: return memcmp(value, &b, sizeof b) == 0;
    case MOVED:
    case HOOKED: return tracked_is(&f->tracker, value, is_default ? TRACKED_DEFAULT : number);
    default: return memcmp(value, is_default ? &big_default : &e, type->info.size) == 0;
    }
}

mica_entity fixture_spawn(fixture *f, micai_table *table, uint32_t number)
{
    if (micai_slots_reserve(f->host, &f->slots, 1) || micai_table_reserve(&f->store, table, 1)) {
        return (mica_entity){0};
    }
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        make_value(f, micai_row_next(table, c), number);
    }
    mica_entity entity = micai_slots_take(&f->slots, table->next);
    micai_row_append(table, entity, f->tick);
    return entity;
}

void fixture_spawn_many(fixture *f, micai_table *table, uint32_t count, mica_entity *entities_out)
{
    for (uint32_t i = 0; i < count; i++) {
        entities_out[i] = fixture_spawn(f, table, i);
    }
}

micai_row fixture_row(fixture *f, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&f->slots, entity);
    REQUIRE(record != NULL);
    return micai_row_of(&f->store, record);
}

micai_table *fixture_table_of(fixture *f, mica_entity entity)
{
    return micai_row_table(fixture_row(f, entity));
}

void *fixture_value(fixture *f, mica_entity entity, uint32_t number)
{
    micai_table *table = fixture_table_of(f, entity);
    uint32_t column = micai_table_column(table, number);
    REQUIRE(column != 0);
    micai_cell cell = micai_row_cell(fixture_row(f, entity), column);
    return micai_table_kind(table, column)->read(cell).data;
}

void fixture_despawn(fixture *f, mica_entity entity)
{
    micai_row row = fixture_row(f, entity);
    micai_table *table = micai_row_table(row);
    uint32_t number = micai_row_number(row);
    micai_table_destruct_values(&f->store, table, number, 1);
    micai_row_drop(&f->store, row, f->tick);
    micai_slots_release(f->host, &f->slots, entity);
}

void fixture_reclaim(fixture *f)
{
    REQUIRE_EQUAL(MICA_OK, micai_store_reserve_reclaim(&f->store));
    micai_store_reclaim(&f->store);
}

micai_transition *fixture_one(fixture *f, micai_table *source, uint32_t number, bool remove)
{
    return micai_transition_one(&f->store, source, f->registry.list.items[number], remove);
}

micai_transition *fixture_list(fixture *f, micai_table *source, const uint32_t *numbers,
                               uint32_t given, uint32_t count)
{
    const micai_type *types[80];
    for (uint32_t i = 0; i < count; i++) {
        types[i] = f->registry.list.items[numbers[i]];
    }
    const micai_list list = {types, given, count};
    return micai_transition_list(&f->store, source, &list, &f->scratch, false);
}

micai_transition *fixture_to(fixture *f, micai_table *source, uint64_t bits)
{
    const uint64_t has = source->word_count > 0 ? source->words[0] : 0;
    uint32_t numbers[64];
    uint32_t given = 0;
    uint32_t count = 0;
    for (uint32_t removes = 0; removes < 2; removes++) {
        uint64_t changed = removes ? has & ~bits : bits & ~has;
        for (uint32_t number = 0; number < f->registry.list.count; number++) {
            if (changed & BIT(number)) {
                numbers[count++] = number;
            }
        }
        given = removes ? given : count;
    }
    return fixture_list(f, source, numbers, given, count);
}

uint32_t fixture_transitions(const fixture *f)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < MICAI_TRANSITION_KINDS; k++) {
        count += f->store.transitions.maps[k].count;
    }
    return count;
}

void fixture_move(fixture *f, const micai_transition *t, mica_entity entity, uint32_t number)
{
    micai_row row = fixture_row(f, entity);
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, t->target, 1));
    const micai_copy *added = micai_transition_added(t);
    for (uint32_t i = 0; i < t->added_count; i++) {
        make_value(f, micai_row_next(t->target, added[i].target), number);
    }
    micai_row_move(&f->store, t, row, micai_slots_at(&f->slots, mica_entity_slot(entity)), f->tick);
}

bool fixture_holds(fixture *f, mica_entity entity, uint32_t number, uint64_t defaults)
{
    micai_row row = fixture_row(f, entity);
    micai_table *table = micai_row_table(row);
    bool holds = micai_sheet_ids(row.sheet)[row.offset].bits == entity.bits;
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        const micai_type *type = table->layout.columns[c].type;
        holds = holds && value_is(f, type, fixture_value(f, entity, type->number), number,
                                  (defaults & BIT(type->number)) != 0);
    }
    return holds;
}

void fixture_set_bytes(fixture *f, micai_table *table, bool bytes)
{
    f->store.relocate_always = !bytes; // as one of the reasons there are
    micai_table_update_fast_paths(&f->store, table);
    micai_transitions_update(&f->store, table);
    f->store.relocate_always = false;
}

mica_view_values fixture_spot(const fixture *f, uint32_t number, uint32_t sheet)
{
    const mica_view_values *spot = number < f->store.directory.view.type_count
                                       ? micai_directory_pointer(&f->store.directory, number, sheet)
                                       : NULL;
    return spot ? *spot : (mica_view_values){0};
}
