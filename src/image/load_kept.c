// Loading what is kept beside rows: facets, names, resources.
#include <string.h>

#include "entity/facet.h"
#include "entity/name.h"
#include "image/load_internal.h"
#include "store/table/row.h"

// The table that a living entity of the stage is in; NULL: it is not alive.
static micai_table *table_of(const micai_loading *l, mica_entity entity, micai_row *row_out)
{
    const micai_record *record = micai_slots_find(&l->stage.state->slots, entity);
    if (!record) {
        return NULL;
    }
    *row_out = micai_row_of(&l->stage.state->store, record);
    return micai_row_table(*row_out);
}

static void load_facet(micai_loading *l)
{
    micai_reader *r = l->r;
    micai_read(r, begin_object, NULL);
    mica_entity facet = micai_read(r, entity, "facet");
    uint32_t component = MICAI_FACET_NONE;
    if (micai_read(r, flag, "has_component")) {
        uint32_t number = micai_read(r, type, "component");
        const micai_type *type = r->failed ? NULL : l->match.types[number];
        if (!r->failed && !type) {
            micai_reader_fail(r, MICA_ERROR_SCHEMA, "facets belong to '%.80s', which is not here",
                              l->schema.types[number].name);
        }
        component = type ? type->number : component;
    }
    uint32_t role = (uint32_t)micai_read(r, number, "role", UINT32_MAX);
    micai_read(r, end, NULL);
    micai_row row;
    micai_table *table = r->failed ? NULL : table_of(l, facet, &row);
    if (!r->failed && (!table || !table->facet)) {
        micai_load_fail(l, "a facet is none");
    }
    if (r->failed || !table) {
        return;
    }
    mica_entity owner;
    memcpy(
        &owner,
        micai_table_at(micai_row_cell(row, micai_table_column(table, l->state->registry.hidden))),
        sizeof owner);
    const micai_table *owners = table_of(l, owner, &row);
    if (!owners || owners->facet) {
        micai_load_fail(l, "a facet belongs to nobody");
        return;
    }
    micai_load_take(l, micai_facets_revive(l->stage.state, facet, owner, component, role),
                    "a facet is there twice");
}

void micai_load_facets(micai_loading *l)
{
    micai_reader *r = l->r;
    const micai_store *store = &l->stage.state->store;
    uint32_t rows = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        rows += store->tables.items[id]->facet ? store->tables.items[id]->count : 0;
    }
    micai_read(r, begin_section, "facets");
    uint32_t count = micai_read(r, begin_list, "facets", UINT32_MAX);
    if (!r->failed && count != rows) {
        micai_load_fail(l, "facets are missing");
    }
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_facet(l);
    }
    micai_read(r, end, "facets");
    r->decoder->end_section(r);
}

void micai_load_names(micai_loading *l)
{
    micai_reader *r = l->r;
    micai_state *made = l->stage.state;
    micai_read(r, begin_section, "names");
    uint32_t count = micai_read(r, begin_list, "names", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        char name[MICA_NAME_SIZE_MAX + 1];
        micai_read(r, begin_object, NULL);
        mica_entity entity = micai_read(r, entity, "entity");
        micai_read(r, text, "name", name);
        micai_read(r, end, NULL);
        if (!r->failed && (!micai_names_accept(name) || !micai_slots_find(&made->slots, entity) ||
                           micai_names_get(micai_names_of(made), entity) ||
                           !mica_entity_is_none(micai_names_find(micai_names_of(made), name)))) {
            micai_load_fail(l, "a name cannot be, or is there twice");
        }
        if (!r->failed) {
            micai_load_take(l, micai_names_set(made, entity, name), "");
        }
    }
    micai_read(r, end, "names");
    r->decoder->end_section(r);
}

// Resources

// Those of types that are saved on both sides become those of the image, be it none.
static void clear_resources(micai_loading *l)
{
    for (uint32_t n = 0; n < l->schema.count && !l->r->failed; n++) {
        const micai_type *type = l->match.types[n];
        if (type && l->schema.types[n].saved && type->info.saved && type->info.size > 0) {
            micai_resource *place = micai_stage_resource(&l->stage, type);
            if (!place) {
                l->r->failed = MICA_ERROR_MEMORY;
            } else {
                place->bits = type->info.type.bits;
            }
        }
    }
}

static void load_resource(micai_loading *l)
{
    micai_reader *r = l->r;
    micai_read(r, begin_object, NULL);
    uint32_t number = micai_read(r, type, "type");
    const micai_schema_type *as = r->failed ? NULL : &l->schema.types[number];
    if (as && (!as->saved || as->way == MICAI_SCHEMA_NONE || as->way == MICAI_SCHEMA_CLOSED)) {
        micai_load_fail(l, "there is a resource that cannot be");
    }
    const micai_type *type =
        r->failed || micai_load_is_refused(l, number) ? NULL : l->match.types[number];
    type = type && type->info.saved ? type : NULL;
    if (type && l->stage.resources.items[type->number].value) {
        micai_load_fail(l, "a resource is there twice");
        return;
    }
    void *value = type ? micai_alloc(r->host, type->info.size, type->info.align) : NULL;
    if (type && !value) {
        r->failed = MICA_ERROR_MEMORY;
    } else if (!r->failed) {
        micai_load_values(r, "value", number, value, 1);
    }
    if (value && r->failed) {
        micai_release(r->host, value, type->info.size, type->info.align);
    } else if (value) {
        l->stage.resources.items[type->number].value = value;
    }
    micai_read(r, end, NULL);
}

void micai_load_resources(micai_loading *l)
{
    micai_reader *r = l->r;
    clear_resources(l);
    micai_read(r, begin_section, "resources");
    uint32_t count = micai_read(r, begin_list, "resources", l->schema.count);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_resource(l);
    }
    micai_read(r, end, "resources");
    r->decoder->end_section(r);
}
