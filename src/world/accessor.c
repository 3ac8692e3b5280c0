#include "world/accessor.h"

#include <inttypes.h>

#include "world/world.h"

static void free_lookup(micai_host *host, micai_lookup *lookup)
{
    micai_array_drop(host, &lookup->view.columns, &lookup->capacity, sizeof *lookup->view.columns,
                     _Alignof(max_align_t));
    micai_release(host, lookup, sizeof *lookup, _Alignof(micai_lookup));
}

void micai_lookups_free(micai_host *host, micai_lookups *lookups)
{
    for (uint32_t i = 0; i < lookups->list.count; i++) {
        free_lookup(host, lookups->list.items[i]);
    }
    micai_array_free(host, &lookups->list);
}

static bool reserve(micai_host *host, micai_lookup *lookup, uint32_t count)
{
    return micai_array_grow(host, &lookup->view.columns, &lookup->capacity, 0, count,
                            sizeof *lookup->view.columns, _Alignof(max_align_t));
}

static void enter(micai_lookup *lookup, const micai_table *table)
{
    lookup->view.columns[table->id] = (uint16_t)micai_table_column(table, lookup->type->number);
}

mica_result micai_lookups_enter(micai_host *host, micai_lookups *lookups, const micai_table *table)
{
    for (uint32_t i = 0; i < lookups->list.count; i++) {
        if (!reserve(host, lookups->list.items[i], table->id + 1)) {
            return MICA_ERROR_MEMORY;
        }
    }
    for (uint32_t i = 0; i < lookups->list.count; i++) {
        enter(lookups->list.items[i], table);
    }
    return MICA_OK;
}

mica_result micai_lookups_validate(const micai_store *store, const micai_lookups *lookups)
{
    for (uint32_t i = 0; i < lookups->list.count; i++) {
        const micai_lookup *lookup = lookups->list.items[i];
        for (uint32_t id = 0; id < store->tables.count; id++) {
            const micai_table *table = store->tables.items[id];
            if (table &&
                (lookup->capacity <= id ||
                 lookup->view.columns[id] != micai_table_column(table, lookup->type->number))) {
                return micai_fail_invariant(store->host, "W4",
                                            "the accessor of '%s' is wrong about table %" PRIu32,
                                            lookup->type->info.name, id);
            }
        }
    }
    return MICA_OK;
}

static micai_lookup *find_lookup(const micai_lookups *lookups, const micai_type *type)
{
    for (uint32_t i = 0; i < lookups->list.count; i++) {
        if (lookups->list.items[i]->type == type) {
            return lookups->list.items[i];
        }
    }
    return NULL;
}

static micai_lookup *make_lookup(mica_world *world, const micai_type *type)
{
    micai_store *store = &world->store;
    if (!micai_array_reserve(&world->host, &world->lookups.list, 1)) {
        return NULL;
    }
    micai_lookup *lookup = micai_alloc_zeroed(&world->host, sizeof *lookup, _Alignof(micai_lookup));
    if (!lookup) {
        return NULL;
    }
    lookup->type = type;
    lookup->view.size = type->info.size;
    if (!reserve(&world->host, lookup, store->tables.count)) {
        free_lookup(&world->host, lookup);
        return NULL;
    }
    for (uint32_t id = 0; id < store->tables.count; id++) {
        if (store->tables.items[id]) {
            enter(lookup, store->tables.items[id]);
        }
    }
    world->lookups.list.items[world->lookups.list.count++] = lookup;
    return lookup;
}

mica_accessor mica_accessor_new(mica_world *world, mica_type type)
{
    static const char call[] = "mica_accessor_new";
    mica_accessor none = {.world = world};
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return none;
    }
    const micai_type *found = micai_world_type(world, call, type);
    if (!found) {
        return none;
    }
    if (found->info.size == 0) {
        micai_fail(&world->host, MICA_ERROR_SIZE, "%s: '%s' is a tag and has no value", call,
                   found->info.name);
        return none;
    }
    micai_lookup *lookup = find_lookup(&world->lookups, found);
    lookup = lookup ? lookup : make_lookup(world, found);
    if (!lookup) {
        return none;
    }
    return (mica_accessor){.slots = &world->slots.view,
                           .store = &world->store.view,
                           .lookup = &lookup->view,
                           .world = world};
}

static void refuse(const mica_accessor *accessor, const char *call, mica_entity entity)
{
    if (!accessor || !accessor->slots) {
        mica_world *world = accessor ? accessor->world : NULL;
        micai_fail(micai_world_host(world), MICA_ERROR_TYPE, "%s: the accessor is none", call);
    } else {
        micai_slots_fail(&accessor->world->host, call, entity);
    }
}

const void *mica_accessor_refuse(const mica_accessor *accessor, mica_entity entity)
{
    refuse(accessor, "mica_accessor_get", entity);
    return NULL;
}

void *mica_accessor_own(const mica_accessor *accessor, mica_entity entity)
{
    uint32_t where = 0;
    micai_sheet *sheet = accessor ? mica_accessor_find(accessor, entity, &where) : NULL;
    if (!sheet) {
        refuse(accessor, "mica_accessor_get_mut", entity);
        return NULL;
    }
    uint32_t column = accessor->lookup->columns[sheet->table_id];
    if (!column || micai_sheet_own_page(&accessor->world->store, sheet, column)) {
        return NULL;
    }
    sheet->pages[column].tick = accessor->store->tick;
    return micai_sheet_at(sheet, column, where & (MICAI_ROWS - 1));
}
