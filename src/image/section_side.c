// The head of an image, and its facets, names and resources. section_internal.h has the contract.
#include <float.h>
#include <string.h>

#include "entity/facet.h"
#include "entity/name.h"
#include "image/section_internal.h"
#include "store/table/row.h"

void micai_serialize_world(micai_archive *a)
{
    const micai_saving *s = micai_saving_of(a);
    micai_loading *l = micai_loading_of(a);
    uint64_t tick = s ? s->world->view.tick : 0;
    double time = s ? s->state->time : 0;
    micai_serialize(a, begin_section, "world");
    micai_serialize(a, number, "tick", &tick, MICAI_IMAGE_TICK_MAX);
    micai_serialize(a, real, "time", &time);
    if (l && (tick == 0 || !(time >= 0 && time <= DBL_MAX))) {
        micai_load_fail(l, "the time is invalid");
    }
    micai_serialize(a, end_section, "world");
    if (l) {
        l->stage.tick = tick;
        l->stage.time = time;
    }
}

// Facets

uint32_t micai_save_count_facets(const micai_saving *s)
{
    const micai_store *store = &s->state->store;
    uint32_t count = s->subset ? 0 : micai_facets_of(s->state)->count;
    for (uint32_t id = 0; s->subset && id < store->tables.count; id++) {
        const micai_table *table = store->tables.items[id];
        count += table->facet ? micai_selection_rows(s->subset, table) : 0;
    }
    return count;
}

// Where to search for the next facet to save.
typedef struct facet_cursor {
    uint32_t table;
    uint32_t row;
    mica_entity next; // next facet of the owner; null: search for the next owner
} facet_cursor;

// Returns the next facet: owners in the order of rows, and the facets of each in their order. So
// loading restores this order. The caller knows that there is one more.
static micai_facet next_facet(const micai_saving *s, facet_cursor *cursor)
{
    const micai_facets *facets = micai_facets_of(s->state);
    while (MICA_IS_NONE(cursor->next)) {
        const micai_table *table = s->state->store.tables.items[cursor->table];
        if (!table->facet || cursor->row == table->count) {
            cursor->table++;
            cursor->row = 0;
            continue;
        }
        mica_entity facet = micai_table_entity(table, cursor->row++);
        mica_entity owner = micai_facets_get(facets, facet)->owner;
        if (MICA_EQUAL(micai_facets_first(facets, owner), facet) &&
            (!s->subset || micai_selection_has(s->subset, owner))) {
            cursor->next = facet;
        }
    }
    micai_facet found = *micai_facets_get(facets, cursor->next);
    cursor->next = micai_facets_next(facets, cursor->next);
    found.facet = micai_save_handle(s, found.facet);
    return found;
}

// Returns the table and row of a living entity on the stage. Returns NULL if it is not alive.
static micai_table *table_of(const micai_loading *l, mica_entity entity, micai_row *row_out)
{
    const micai_record *record = micai_slots_find(&l->stage.state->slots, entity);
    if (!record) {
        return NULL;
    }
    *row_out = micai_row_of(&l->stage.state->store, record);
    return micai_row_table(*row_out);
}

static void restore_facet(micai_loading *l, const micai_facet *one)
{
    micai_row row;
    const micai_table *table = table_of(l, one->facet, &row);
    if (!table || !table->facet) {
        micai_load_fail(l, "an entity in the facets is not a facet");
        return;
    }
    mica_entity owner;
    uint32_t column = micai_table_column(table, l->state->registry.hidden);
    memcpy(&owner, micai_table_at(micai_row_cell(row, column)), sizeof owner);
    const micai_table *owners = table_of(l, owner, &row);
    if (!owners || owners->facet) {
        micai_load_fail(l, "a facet has no owner");
        return;
    }
    micai_load_check(
        l, micai_facets_revive(l->stage.state, one->facet, owner, one->component, one->role),
        "a facet occurs twice");
}

// Serializes the component in the key of a facet, if it has one.
static void serialize_component(micai_archive *a, uint32_t *component)
{
    bool has_component = !a->reading && *component != MICAI_FACET_NONE;
    micai_serialize(a, flag, "has_component", &has_component);
    if (!has_component) {
        *component = MICAI_FACET_NONE;
        return;
    }
    uint32_t number = a->reading ? 0 : a->numbers[*component];
    micai_serialize(a, type, "component", &number);
    const micai_type *type = a->failed ? NULL : a->types[number];
    if (!a->failed && !type) {
        micai_archive_fail(a, MICA_ERROR_SCHEMA, "facets belong to '%.80s', which is not here",
                           a->schema->types[number].name);
    }
    *component = type ? type->number : MICAI_FACET_NONE;
}

static uint32_t count_rows_of_facets(const micai_loading *l)
{
    const micai_store *store = &l->stage.state->store;
    uint32_t rows = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        rows += store->tables.items[id]->facet ? store->tables.items[id]->count : 0;
    }
    return rows;
}

void micai_serialize_facets(micai_archive *a)
{
    const micai_saving *s = micai_saving_of(a);
    micai_loading *l = micai_loading_of(a);
    uint32_t count = s ? micai_save_count_facets(s) : 0;
    facet_cursor cursor = {0};
    micai_serialize(a, begin_section, "facets");
    micai_serialize(a, begin_list, "facets", &count, UINT32_MAX);
    if (l && count != count_rows_of_facets(l)) {
        micai_load_fail(l, "facets are missing");
    }
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        micai_facet one = s ? next_facet(s, &cursor) : (micai_facet){0};
        micai_serialize(a, begin_object, NULL);
        micai_serialize(a, entity, "facet", &one.facet);
        serialize_component(a, &one.component);
        micai_serialize_32(a, "role", &one.role, UINT32_MAX);
        micai_serialize(a, end, NULL);
        if (l && !a->failed) {
            restore_facet(l, &one);
        }
    }
    micai_serialize(a, end, "facets");
    micai_serialize(a, end_section, "facets");
}

// Names

static void *next_name(const micai_saving *s, uint32_t *cursor)
{
    const micai_names *names = micai_names_of(s->state);
    while (*cursor < names->list.count) {
        micai_name *one = &names->list.items[(*cursor)++];
        if (!MICA_IS_NONE(micai_save_handle(s, one->entity))) {
            return one;
        }
    }
    return NULL;
}

static void restore_name(micai_loading *l, mica_entity entity, const char *name)
{
    micai_state *staged = l->stage.state;
    if (!micai_names_accept(name) || !micai_slots_find(&staged->slots, entity) ||
        micai_names_get(micai_names_of(staged), entity) ||
        !MICA_IS_NONE(micai_names_find(micai_names_of(staged), name))) {
        micai_load_fail(l, "a name is invalid, or occurs twice");
    } else {
        micai_load_check(l, micai_names_set(staged, entity, name), "");
    }
}

static void serialize_name(micai_archive *a, void *item, void *user)
{
    const micai_saving *s = micai_saving_of(a);
    const micai_name *one = item;
    mica_entity entity = s ? micai_save_handle(s, one->entity) : (mica_entity){0};
    const char *name = s ? one->text : NULL;
    (void)user;
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, entity, "entity", &entity);
    micai_serialize(a, text, "name", &name);
    micai_serialize(a, end, NULL);
    if (!s && !a->failed) {
        restore_name(micai_loading_of(a), entity, name);
    }
}

void micai_serialize_names(micai_archive *a)
{
    micai_serialize(a, begin_section, "names");
    micai_serialize_list(a, "names", UINT32_MAX, next_name, serialize_name, NULL);
    micai_serialize(a, end_section, "names");
}

// Resources

bool micai_save_has_resource(const micai_saving *s, uint32_t number)
{
    return !s->subset && number < s->state->resources.count &&
           s->state->resources.items[number].value &&
           s->state->registry.list.items[number]->info.saved;
}

static void *next_resource(const micai_saving *s, uint32_t *cursor)
{
    while (*cursor < s->state->resources.count) {
        if (micai_save_has_resource(s, (*cursor)++)) {
            return s->state->registry.list.items[*cursor - 1];
        }
    }
    return NULL;
}

// Resources of types that both sides save are replaced by those of the image, even if the image has
// none.
static void clear_resources(micai_loading *l)
{
    for (uint32_t n = 0; n < l->schema.count && !l->r->failed; n++) {
        const micai_type *type = l->match.types[n];
        if (type && l->schema.types[n].saved && type->info.saved && type->info.size > 0) {
            micai_resource *place = micai_stage_resource(&l->stage, type);
            if (!place) {
                micai_archive_fail_memory(l->r);
            } else {
                place->bits = type->info.type.bits;
            }
        }
    }
}

static void load_resource(micai_loading *l, uint32_t number)
{
    micai_archive *a = l->r;
    const micai_schema_type *as = &l->schema.types[number];
    if (!as->saved || as->way == MICAI_SCHEMA_NONE || as->way == MICAI_SCHEMA_CLOSED) {
        micai_load_fail(l, "a resource has a type without saved values");
    }
    const micai_type *type = micai_load_is_refused(l, number) ? NULL : l->match.types[number];
    type = type && type->info.saved ? type : NULL;
    micai_resource *place = type ? &l->stage.resources.items[type->number] : NULL;
    if (place && place->value) {
        micai_load_fail(l, "a resource occurs twice");
        return;
    }
    void *value = type ? micai_alloc(a->host, type->info.size, type->info.align) : NULL;
    if (type && !value) {
        micai_archive_fail_memory(a);
    } else if (!a->failed) {
        micai_load_values(a, "value", number, value, 1);
    }
    if (value && a->failed) {
        micai_release(a->host, value, type->info.size, type->info.align);
    } else if (value) {
        place->value = value;
    }
}

static void serialize_resource(micai_archive *a, void *item, void *user)
{
    const micai_saving *s = micai_saving_of(a);
    const micai_type *type = item;
    uint32_t number = s ? a->numbers[type->number] : 0;
    (void)user;
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, type, "type", &number);
    if (s) {
        a->values(a, "value", number, s->state->resources.items[type->number].value, 1);
    } else if (!a->failed) {
        load_resource(micai_loading_of(a), number);
    }
    micai_serialize(a, end, NULL);
}

void micai_serialize_resources(micai_archive *a)
{
    if (a->reading) {
        clear_resources(micai_loading_of(a));
    }
    micai_serialize(a, begin_section, "resources");
    micai_serialize_list(a, "resources", a->schema->count, next_resource, serialize_resource, NULL);
    micai_serialize(a, end_section, "resources");
}
