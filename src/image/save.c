// Saving: one walk over everything that is state. image.h has the order.
#include <inttypes.h>
#include <string.h>

#include <mica/image.h>

#include "event/saver.h"
#include "image/codec.h"
#include "image/convert.h"
#include "image/image.h"
#include "image/schema.h"
#include "query/saver.h"
#include "store/pool/replace.h"
#include "store/table/replace.h"
#include "system/saver.h"
#include "world/value.h"

const micai_saver *const micai_savers[] = {&micai_queue_saver, &micai_query_saver,
                                           &micai_system_saver};
const uint32_t micai_saver_count = sizeof micai_savers / sizeof *micai_savers;

typedef struct saving {
    micai_writer *w;
    mica_world *world;
    micai_core *core;
    micai_arena arena;
    unsigned char *bytes; // values on their way
    size_t size;
    size_t capacity;
} saving;

// Values

static bool make_room(saving *s, size_t size)
{
    if (size > s->capacity - s->size) {
        size_t wider = s->capacity * 2 > s->size + size ? s->capacity * 2 : s->size + size;
        unsigned char *bytes = micai_resize(s->w->host, s->bytes, s->capacity, wider, 64);
        if (!bytes) {
            s->w->failed = s->w->failed ? s->w->failed : MICA_ERROR_MEMORY;
            return false;
        }
        s->bytes = bytes;
        s->capacity = wider;
    }
    return true;
}

static bool put(void *out, const void *data, size_t size)
{
    saving *s = out;
    if (size > UINT32_MAX - s->size || !make_room(s, size)) {
        return false;
    }
    if (size > 0) {
        memcpy(s->bytes + s->size, data, size);
    }
    s->size += size;
    return true;
}

static void save_by_hook(saving *s, const micai_type *type, const void *value)
{
    s->size = 0;
    mica_result result = micai_hook_save(&s->core->gate, type, value, put, s);
    if (!s->w->failed && result) {
        s->w->failed = result;
    }
    micai_write(s->w, bytes, NULL, s->bytes, (uint32_t)s->size);
}

static const micai_schema_type *described(const saving *s, const micai_type *type)
{
    return &s->w->schema->types[s->w->numbers[type->number]];
}

// Puts values behind those that are on their way already.
static void convert(saving *s, const micai_type *type, const unsigned char *values, uint32_t count)
{
    size_t size = described(s, type)->size;
    if (!values || s->w->failed || !make_room(s, size * count)) {
        return;
    }
    if (micai_convert_is_same(&s->core->registry, type)) {
        memcpy(s->bytes + s->size, values, size * count);
        s->size += size * count;
        return;
    }
    for (uint32_t i = 0; i < count; i++, s->size += size) {
        micai_convert_out(&s->core->registry, type, values + (size_t)i * type->info.size,
                          s->bytes + s->size);
    }
}

static void save_values(micai_writer *w, const char *name, const micai_type *type,
                        const void *values, uint32_t count)
{
    saving *s = w->user;
    const micai_schema_type *as = described(s, type);
    const unsigned char *bytes = values;
    if (as->way == MICAI_SCHEMA_HOOKS) {
        micai_write(w, begin_list, name, count);
        for (uint32_t i = 0; i < count; i++) {
            save_by_hook(s, type, bytes + (size_t)i * type->info.size);
        }
        micai_write(w, end, name);
    } else if (micai_convert_is_same(&s->core->registry, type)) {
        micai_write(w, values, name, as, bytes, count);
    } else {
        s->size = 0;
        convert(s, type, bytes, count);
        if (!w->failed) {
            micai_write(w, values, name, as, s->bytes, count);
        }
    }
}

// Rows

// How many rows of values of this size may come at once.
static uint32_t rows_at_once(uint32_t size)
{
    uint32_t rows = MICAI_IMAGE_BATCH_SIZE / (size > 0 ? size : 1);
    return rows == 0 ? 1 : rows < MICAI_IMAGE_BATCH ? rows : MICAI_IMAGE_BATCH;
}

// Values of a column that do not lie side by side, or not whole.
static void convert_cells(saving *s, micai_cell cell, const micai_type *type, uint32_t count)
{
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    micai_arena_mark mark = micai_arena_here(&s->arena);
    for (s->size = 0; count > 0 && !s->w->failed;) {
        micai_span span = kind->read(cell);
        uint32_t some = span.data && span.count < count ? span.count : count;
        const unsigned char *values = span.data;
        if (!values) { // one by one
            some = 1;
            void *copy =
                micai_arena_alloc(s->w->host, &s->arena, type->info.size, type->info.align);
            mica_result result = copy ? kind->load(&s->core->store, cell, copy) : MICA_ERROR_MEMORY;
            s->w->failed = result;
            values = copy;
        }
        convert(s, type, values, some);
        micai_arena_rewind(&s->arena, mark);
        cell.row += some;
        count -= some;
    }
}

static void save_cells(saving *s, micai_cell cell, const micai_type *type, uint32_t count)
{
    const micai_kind *kind = micai_table_kind(cell.table, cell.column);
    micai_span span = kind->read(cell);
    if (span.data && span.count >= count) {
        save_values(s->w, "values", type, span.data, count);
    } else if (described(s, type)->way == MICAI_SCHEMA_HOOKS) { // which are never cut
        micai_write(s->w, begin_list, "values", count);
        for (uint32_t i = 0; i < count; i++, cell.row++) {
            save_by_hook(s, type, micai_table_at(cell));
        }
        micai_write(s->w, end, "values");
    } else {
        convert_cells(s, cell, type, count);
        if (!s->w->failed) {
            micai_write(s->w, values, "values", described(s, type), s->bytes, count);
        }
    }
}

static void save_row_ticks(saving *s, micai_cell cell, uint32_t count)
{
    uint64_t ticks[MICAI_IMAGE_BATCH];
    for (uint32_t added = 0; added < 2; added++) {
        for (uint32_t i = 0; i < count; i++) {
            const micai_ticks both =
                micai_ticks_get((micai_cell){cell.table, cell.column, cell.row + i});
            ticks[i] = added ? both.added : both.changed;
        }
        micai_write(s->w, numbers, added ? "added" : "changed", ticks, count);
    }
}

static void save_column(saving *s, micai_cell cell, uint32_t count)
{
    const micai_type *type = cell.table->layout.columns[cell.column].type;
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, type, "type", s->w->numbers[type->number]);
    micai_write(s->w, number, "tick", micai_table_own_tick(cell.table, cell.column, cell.row));
    micai_write(s->w, number, "swept", micai_table_sweep_tick(cell.table, cell.column));
    save_cells(s, cell, type, count);
    if (type->info.toggle) {
        micai_write(s->w, flags, "disabled", micai_toggle_flags(cell), count);
    }
    if (type->info.row_stamps) {
        save_row_ticks(s, cell, count);
    }
    micai_write(s->w, end, NULL);
}

// The column of owners, of a table of facets; 0: it has none.
static uint32_t owners_in(const saving *s, const micai_table *table)
{
    return table->facet ? micai_table_column(table, s->core->registry.hidden) : 0;
}

static void save_owners(saving *s, micai_cell cell, uint32_t count)
{
    mica_entity owners[MICAI_IMAGE_BATCH];
    for (uint32_t i = 0; i < count; i++, cell.row++) {
        memcpy(&owners[i], micai_table_at(cell), sizeof owners[i]);
    }
    micai_write(s->w, entities, "owners", owners, count);
}

static void save_batch(saving *s, micai_table *table, uint32_t row, uint32_t count)
{
    uint32_t owners = owners_in(s, table);
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, number, "count", count);
    micai_write(s->w, number, "tick", micai_table_own_tick(table, 0, row));
    micai_write(s->w, entities, "entities", micai_table_entities(table, row), count);
    if (owners) {
        save_owners(s, (micai_cell){table, owners, row}, count);
    }
    micai_write(s->w, begin_list, "columns", table->layout.column_count - 1 - (owners > 0));
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        if (c != owners) {
            save_column(s, (micai_cell){table, c, row}, count);
        }
    }
    micai_write(s->w, end, "columns");
    micai_write(s->w, end, NULL);
}

// The next rows that come at once.
static uint32_t next_rows(const micai_table *table, uint32_t row, uint32_t most)
{
    uint32_t rows = micai_table_stretch(table, row);
    return rows < most ? rows : most;
}

static void save_rows(saving *s, micai_table *table)
{
    uint32_t largest = 0;
    for (uint32_t c = 1; c < table->layout.column_count; c++) {
        uint32_t size = table->layout.columns[c].size;
        largest = size > largest ? size : largest;
    }
    uint32_t most = rows_at_once(largest);
    uint32_t batches = 0;
    for (uint32_t row = 0; row < table->count; row += next_rows(table, row, most)) {
        batches++;
    }
    micai_write(s->w, begin_list, "rows", batches);
    for (uint32_t row = 0; row < table->count && !s->w->failed;) {
        uint32_t count = next_rows(table, row, most);
        save_batch(s, table, row, count);
        row += count;
    }
    micai_write(s->w, end, "rows");
}

static void save_table(saving *s, micai_table *table)
{
    uint32_t types = 0;
    uint32_t hidden = s->core->registry.hidden;
    for (uint32_t i = 0; i < table->word_count; i++) {
        types += micai_bits_ones(table->words[i]);
    }
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, begin_list, "types", types - table->facet);
    for (uint32_t n = micai_bits_next(table->words, table->word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(table->words, table->word_count, n + 1)) {
        if (n != hidden) {
            micai_write(s->w, type, NULL, s->w->numbers[n]);
        }
    }
    micai_write(s->w, end, "types");
    micai_write(s->w, flag, "facets", table->facet);
    micai_write(s->w, flag, "idle", table->idle);
    save_rows(s, table);
    micai_write(s->w, end, NULL);
}

static void save_tables(saving *s)
{
    const micai_store *store = &s->core->store;
    micai_write(s->w, begin_section, "tables");
    micai_write(s->w, number, "settled", store->settled);
    micai_write(s->w, number, "young", store->young);
    micai_write(s->w, begin_list, "tables", store->tables.count);
    for (uint32_t id = 0; id < store->tables.count && !s->w->failed; id++) {
        save_table(s, store->tables.items[id]);
    }
    micai_write(s->w, end, "tables");
    s->w->encoder->end_section(s->w);
}

// Entities

// Entities some at a time, each known by its number.
typedef mica_entity next_entity(const saving *s, const void *of, uint32_t number, uint32_t *state);

static void save_entities(saving *s, const char *name, const void *of, uint32_t count,
                          next_entity *next)
{
    mica_entity entities[MICAI_IMAGE_BATCH];
    uint32_t state = 0;
    uint32_t batches = (count + MICAI_IMAGE_BATCH - 1) / MICAI_IMAGE_BATCH;
    micai_write(s->w, begin_list, name, batches);
    for (uint32_t done = 0; done < count && !s->w->failed;) {
        uint32_t some = count - done < MICAI_IMAGE_BATCH ? count - done : MICAI_IMAGE_BATCH;
        for (uint32_t i = 0; i < some; i++) {
            entities[i] = next(s, of, done + i, &state);
        }
        micai_write(s->w, begin_object, NULL);
        micai_write(s->w, number, "count", some);
        micai_write(s->w, entities, "entities", entities, some);
        micai_write(s->w, end, NULL);
        done += some;
    }
    micai_write(s->w, end, name);
}

// The handle that the next who lives in a free slot will have.
static mica_entity next_free(const saving *s, const void *of, uint32_t number, uint32_t *state)
{
    const micai_slots *slots = of;
    (void)s;
    uint32_t slot = number == 0 ? slots->free_first : micai_slots_at(slots, *state)->where;
    *state = slot;
    uint32_t tag = micai_slots_at(slots, slot)->tag & ~MICAI_SLOT_FREE;
    return (mica_entity){(uint64_t)tag << 32 | slot};
}

static void save_floors(saving *s, const micai_slots *slots)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slots->floors.count; i++) {
        count += slots->floors.items[i] > 1;
    }
    micai_write(s->w, begin_list, "floors", count);
    for (uint32_t i = 0; i < slots->floors.count; i++) {
        if (slots->floors.items[i] > 1) {
            micai_write(s->w, begin_object, NULL);
            micai_write(s->w, number, "first", (uint64_t)i * MICAI_FLOOR_SLOTS);
            micai_write(s->w, number, "count", MICAI_FLOOR_SLOTS);
            micai_write(s->w, number, "floor", slots->floors.items[i]);
            micai_write(s->w, end, NULL);
        }
    }
    micai_write(s->w, end, "floors");
}

static void save_slots(saving *s)
{
    const micai_slots *slots = &s->core->slots;
    uint32_t retired = 0;
    for (uint32_t slot = micai_slots_next_retired(slots, 0); slot != MICAI_SLOT_NONE;
         slot = micai_slots_next_retired(slots, slot + 1)) {
        retired++;
    }
    micai_write(s->w, begin_section, "entities");
    micai_write(s->w, number, "fresh", slots->fresh);
    save_floors(s, slots);
    micai_write(s->w, begin_list, "retired", retired);
    for (uint32_t slot = micai_slots_next_retired(slots, 0); slot != MICAI_SLOT_NONE;
         slot = micai_slots_next_retired(slots, slot + 1)) {
        micai_write(s->w, number, NULL, slot);
    }
    micai_write(s->w, end, "retired");
    save_entities(s, "free", slots, slots->free_count, next_free);
    s->w->encoder->end_section(s->w);
}

// Pools

static void save_pool_values(saving *s, const micai_pool *pool, uint32_t place, uint32_t count)
{
    const micai_type *type = pool->type;
    bool hooks = described(s, type)->way == MICAI_SCHEMA_HOOKS;
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        values += !micai_pool_is_hole(pool, place + i);
    }
    if (values == count && micai_pool_span(pool, place) >= count) {
        save_values(s->w, "values", type, micai_pool_value(pool, place), count);
        return;
    }
    if (hooks) {
        micai_write(s->w, begin_list, "values", values);
    }
    s->size = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (micai_pool_is_hole(pool, place + i)) {
            continue;
        }
        if (hooks) {
            save_by_hook(s, type, micai_pool_value(pool, place + i));
        } else {
            convert(s, type, micai_pool_value(pool, place + i), 1);
        }
    }
    if (hooks) {
        micai_write(s->w, end, "values");
    } else if (!s->w->failed) {
        micai_write(s->w, values, "values", described(s, type), s->bytes, values);
    }
}

static void save_places(saving *s, const micai_pool *pool, uint32_t place, uint32_t count)
{
    mica_entity entities[MICAI_IMAGE_BATCH];
    const mica_type_info *info = &pool->type->info;
    for (uint32_t i = 0; i < count; i++) {
        entities[i] = micai_pool_is_hole(pool, place + i) ? mica_entity_none()
                                                          : pool->room.entities[place + i];
    }
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, number, "count", count);
    micai_write(s->w, number, "tick", pool->room.ticks[place >> MICAI_POOL_TICK_SHIFT]);
    micai_write(s->w, entities, "entities", entities, count);
    if (info->size > 0) {
        save_pool_values(s, pool, place, count);
    }
    if (info->toggle) {
        micai_write(s->w, flags, "disabled", pool->room.flags + place, count);
    }
    for (uint32_t added = 0; info->row_stamps && added < 2; added++) {
        uint64_t ticks[MICAI_IMAGE_BATCH];
        const uint64_t *from = added ? pool->room.added : pool->room.changed;
        for (uint32_t i = 0; i < count; i++) {
            ticks[i] = micai_pool_is_hole(pool, place + i) ? 0 : from[place + i];
        }
        micai_write(s->w, numbers, added ? "added" : "changed", ticks, count);
    }
    micai_write(s->w, end, NULL);
}

static uint32_t next_places(const micai_pool *pool, uint32_t place, uint32_t most)
{
    uint32_t count = micai_pool_stretch(pool, place);
    return count < most ? count : most;
}

static void save_pool(saving *s, const micai_pool *pool)
{
    uint32_t most = rows_at_once(pool->type->info.size);
    uint32_t batches = 0;
    for (uint32_t place = 0; place < pool->count; place += next_places(pool, place, most)) {
        batches++;
    }
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, type, "type", s->w->numbers[pool->type->number]);
    micai_write(s->w, begin_list, "places", batches);
    for (uint32_t place = 0; place < pool->count && !s->w->failed;) {
        uint32_t count = next_places(pool, place, most);
        save_places(s, pool, place, count);
        place += count;
    }
    micai_write(s->w, end, "places");
    micai_write(s->w, begin_list, "holes", pool->hole_count);
    uint32_t hole = pool->first_hole;
    for (uint32_t i = 0; i < pool->hole_count; i++, hole = micai_pool_next_hole(pool, hole)) {
        micai_write(s->w, number, NULL, hole);
    }
    micai_write(s->w, end, "holes");
    micai_write(s->w, end, NULL);
}

// By number of the type, as the schema lists them.
static void save_pools(saving *s)
{
    const micai_pools *pools = &s->core->pools;
    uint32_t count = 0;
    for (uint32_t n = 0; n < pools->by_type.count; n++) {
        count += pools->by_type.items[n] && pools->by_type.items[n]->count > 0;
    }
    micai_write(s->w, begin_section, "pools");
    micai_write(s->w, begin_list, "pools", count);
    for (uint32_t n = 0; n < pools->by_type.count && !s->w->failed; n++) {
        if (pools->by_type.items[n] && pools->by_type.items[n]->count > 0) {
            save_pool(s, pools->by_type.items[n]);
        }
    }
    micai_write(s->w, end, "pools");
    s->w->encoder->end_section(s->w);
}

static mica_entity next_in_index(const saving *s, const void *of, uint32_t number, uint32_t *state)
{
    (void)s, (void)state;
    const micai_pool *index = of;
    return index->room.entities[number];
}

static void save_group(saving *s, const micai_group *group)
{
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, begin_list, "with", group->needed_count);
    for (uint32_t i = 0; i < group->needed_count; i++) {
        micai_write(s->w, type, NULL, s->w->numbers[group->pools[i]->type->number]);
    }
    micai_write(s->w, end, "with");
    micai_write(s->w, begin_list, "without", group->pool_count - group->needed_count);
    for (uint32_t i = group->needed_count; i < group->pool_count; i++) {
        micai_write(s->w, type, NULL, s->w->numbers[group->pools[i]->type->number]);
    }
    micai_write(s->w, end, "without");
    save_entities(s, "order", group->index, group->index->count, next_in_index);
    micai_write(s->w, end, NULL);
}

static void save_groups(saving *s)
{
    const micai_groups *groups = &s->core->pools.groups;
    uint32_t count = 0;
    for (uint32_t n = 0; n < groups->list.count; n++) {
        count += groups->list.items[n] && groups->list.items[n]->index;
    }
    micai_write(s->w, begin_section, "groups");
    micai_write(s->w, begin_list, "groups", count);
    for (uint32_t n = 0; n < groups->list.count && !s->w->failed; n++) {
        if (groups->list.items[n] && groups->list.items[n]->index) {
            save_group(s, groups->list.items[n]);
        }
    }
    micai_write(s->w, end, "groups");
    s->w->encoder->end_section(s->w);
}

// What is kept by entity

static void save_facet(saving *s, const micai_facet *facet)
{
    bool none = facet->component == MICAI_FACET_NONE;
    micai_write(s->w, begin_object, NULL);
    micai_write(s->w, entity, "facet", facet->facet);
    micai_write(s->w, flag, "has_component", !none);
    if (!none) {
        micai_write(s->w, type, "component", s->w->numbers[facet->component]);
    }
    micai_write(s->w, number, "role", facet->role);
    micai_write(s->w, end, NULL);
}

// Owner after owner, in the order of rows, each with its facets in their order: so that those who read
// them get the same.
static void save_facets(saving *s)
{
    const micai_facets *facets = &s->core->facets;
    const micai_store *store = &s->core->store;
    micai_write(s->w, begin_section, "facets");
    micai_write(s->w, begin_list, "facets", facets->count);
    for (uint32_t id = 0; id < store->tables.count && facets->count > 0; id++) {
        const micai_table *table = store->tables.items[id];
        for (uint32_t row = 0; table->facet && row < table->count; row++) {
            mica_entity facet = micai_table_entity(table, row);
            mica_entity owner = micai_facets_get(facets, facet)->owner;
            facet = mica_entity_equal(micai_facets_first(facets, owner), facet)
                        ? facet
                        : mica_entity_none();
            for (; !mica_entity_is_none(facet); facet = micai_facets_next(facets, facet)) {
                save_facet(s, micai_facets_get(facets, facet));
            }
        }
    }
    micai_write(s->w, end, "facets");
    s->w->encoder->end_section(s->w);
}

static void save_names(saving *s)
{
    const micai_names *names = &s->core->names;
    micai_write(s->w, begin_section, "names");
    micai_write(s->w, begin_list, "names", names->list.count);
    for (uint32_t i = 0; i < names->list.count && !s->w->failed; i++) {
        micai_write(s->w, begin_object, NULL);
        micai_write(s->w, entity, "entity", names->list.items[i].entity);
        micai_write(s->w, text, "name", names->list.items[i].text);
        micai_write(s->w, end, NULL);
    }
    micai_write(s->w, end, "names");
    s->w->encoder->end_section(s->w);
}

static bool is_saved(const saving *s, uint32_t number)
{
    return s->core->resources.items[number].value &&
           s->core->registry.list.items[number]->info.saved;
}

static void save_resources(saving *s)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < s->core->resources.count; n++) {
        count += is_saved(s, n);
    }
    micai_write(s->w, begin_section, "resources");
    micai_write(s->w, begin_list, "resources", count);
    for (uint32_t n = 0; n < s->core->resources.count && !s->w->failed; n++) {
        if (is_saved(s, n)) {
            micai_write(s->w, begin_object, NULL);
            micai_write(s->w, type, "type", s->w->numbers[n]);
            save_values(s->w, "value", s->core->registry.list.items[n],
                        s->core->resources.items[n].value, 1);
            micai_write(s->w, end, NULL);
        }
    }
    micai_write(s->w, end, "resources");
    s->w->encoder->end_section(s->w);
}

static void save_world(saving *s)
{
    micai_write(s->w, begin_section, "world");
    micai_write(s->w, number, "tick", s->world->view.tick);
    micai_write(s->w, real, "time", s->core->time);
    s->w->encoder->end_section(s->w);
    micai_schema_write(s->w);
    save_slots(s);
    save_tables(s);
    save_pools(s);
    save_groups(s);
    save_facets(s);
    save_names(s);
    save_resources(s);
    for (uint32_t i = 0; i < micai_saver_count && !s->w->failed; i++) {
        micai_write(s->w, begin_section, micai_savers[i]->section);
        micai_savers[i]->save(s->world, s->w);
        s->w->encoder->end_section(s->w);
    }
}

// Can everything be saved that there is? Asked before the first byte is written.
static mica_result check_types(saving *s)
{
    for (uint32_t n = 0; n < s->core->registry.list.count; n++) {
        const micai_type *type = s->core->registry.list.items[n];
        mica_type_stats stats = {0};
        if (n == s->core->registry.hidden || described(s, type)->way != MICAI_SCHEMA_CLOSED) {
            continue;
        }
        micai_value_count(s->core, type, &stats);
        bool resource = n < s->core->resources.count && is_saved(s, n);
        if (stats.rows > 0 || resource ||
            (type->info.saved && micai_queue_has_events(s->core, n))) {
            return micai_fail(
                &s->world->host, MICA_ERROR_TYPE,
                "%s: '%.80s' has no fields; declare it plain, or give it hooks to save "
                "and load",
                s->w->call, type->info.name);
        }
    }
    return MICA_OK;
}

static mica_result write_image(mica_world *world, const char *call, const micai_codec *codec,
                               micai_output *output)
{
    micai_writer *w = codec->open_writer(&world->host, call, output);
    if (!w) {
        return world->host.failed;
    }
    micai_schema schema;
    uint32_t *numbers;
    saving s = {.w = w, .world = world, .core = world->core};
    mica_result result =
        micai_schema_make(&world->host, &s.arena, &s.core->registry, &schema, &numbers);
    if (!result) {
        w->schema = &schema;
        w->numbers = numbers;
        w->values = save_values;
        w->user = &s;
        result = check_types(&s);
    }
    if (!result) {
        save_world(&s);
        result = w->failed;
    }
    result = codec->close_writer(w, result);
    micai_release(&world->host, s.bytes, s.capacity, 64);
    micai_arena_free(&world->host, &s.arena);
    return result;
}

static mica_result check_desc(mica_world *world, const char *call, const mica_save_desc *desc)
{
    if (desc->first_zero != 0 || desc->last_zero != 0) {
        return micai_fail(&world->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", call);
    }
    if ((unsigned)desc->format >= MICA_IMAGE_FORMAT_COUNT) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: there is no format %u", call,
                          (unsigned)desc->format);
    }
    return MICA_OK;
}

mica_result mica_world_save(mica_world *world, const mica_stream *stream,
                            const mica_save_desc *desc)
{
    static const char call[] = "mica_world_save";
    const mica_save_desc defaults = {0};
    if (!world || !stream) {
        return micai_fail_null(micai_world_host(world), call, world ? "stream" : "world");
    }
    desc = desc ? desc : &defaults;
    mica_result result = micai_world_guard(world, call);
    result = result ? result : check_desc(world, call, desc);
    result = result ? result : micai_image_check_waiting(world, call);
    micai_output output;
    if (result) {
        return result;
    }
    const micai_codec *codec =
        desc->format == MICA_IMAGE_JSON ? &micai_codec_json : &micai_codec_binary;
    micai_host_begin(&world->host, call);
    result = micai_output_open(&output, &world->host, call, stream);
    if (!result) {
        result = write_image(world, call, codec, &output);
        result = micai_output_close(&output, result);
    }
    micai_host_end(&world->host);
    return result;
}
