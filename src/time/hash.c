// The hash of a snapshot: that of its nearest neighbour with a known hash, minus the terms that went,
// plus those that came.
#include "base/hash.h"
#include "core/hash_term.h"
#include "entity/facet.h"
#include "time/compare.h"
#include "time/parts_internal.h"
#include "time/sides_internal.h"

// The arguments of a sum, and its state.
typedef struct summing {
    micai_host *host;
    const micai_registry *registry;
    micai_value_memory values;
    micai_blob cells; // of one row
    uint64_t sum;
} summing;

static void add_component(summing *s, const micai_entry *entry, mica_entity entity,
                          const micai_type *type)
{
    if (type->number != s->registry->hidden) {
        micai_component one =
            micai_component_read(entry, s->cells.bytes.items, type, s->values.bytes);
        s->sum += micai_hash_pair(s->registry, type, entity, one.value, !one.off);
    }
}

static void add_row(summing *s, const micai_entry *entry, uint32_t row)
{
    mica_entity entity = micai_entry_entity(entry, row);
    if (micai_is_hole(entity)) {
        return;
    }
    s->cells.bytes.count = 0;
    micai_entry_copy_row(entry, row, &s->cells);
    if (s->cells.failed) {
        return;
    }
    if (entry->pool) {
        add_component(s, entry, entity, entry->pool->type);
        return;
    }
    s->sum += micai_hash_alive(entity);
    for (uint32_t n = micai_bits_next(entry->words, entry->word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(entry->words, entry->word_count, n + 1)) {
        add_component(s, entry, entity, s->registry->list.items[n]);
    }
}

static void add_rows(summing *s, const micai_rows *rows)
{
    uint32_t end = micai_smaller(rows->end, micai_entry_head(rows->entry)->count);
    bool of_group = rows->entry->pool && !rows->entry->pool->type;
    for (uint32_t row = rows->row; row < end && !of_group; row++) {
        add_row(s, rows->entry, row);
    }
}

static void add_names(summing *s, micai_bytes from)
{
    for (uint32_t count = micai_bytes_read_32(&from); count > 0; count--) {
        mica_entity entity = {micai_bytes_read_64(&from)};
        const char *text = micai_bytes_skip(&from, micai_bytes_read_32(&from));
        s->sum += micai_hash_name(entity, micai_hash_text(text));
    }
}

static void add_facets(summing *s, micai_bytes from)
{
    uint32_t places = micai_bytes_read_32(&from);
    micai_bytes_skip(&from, 2 * sizeof(uint32_t)); // how many there are, and the first free place
    for (; places > 0; places--) {
        micai_facet one;
        micai_bytes_read(&from, &one, sizeof one);
        s->sum += MICA_IS_NONE(one.facet) ? 0 : micai_facet_hash(s->registry, &one);
    }
}

static void add_resources(summing *s, micai_bytes from)
{
    for (uint32_t count = micai_bytes_read_32(&from); count > 0; count--) {
        const micai_type *type = s->registry->list.items[micai_bytes_read_32(&from)];
        micai_bytes_read(&from, s->values.bytes, type->info.size);
        s->sum += micai_hash_resource(s->registry, type, s->values.bytes);
    }
}

// Sums the terms of mica_world_hash() for rows and parts, as the mirror has them now. False:
// MICA_ERROR_MEMORY.
static bool sum_terms(const micai_history *history, const micai_registry *registry,
                      const micai_ranges *ranges, uint64_t *sum_out)
{
    static void (*const parts[MICAI_PART_COUNT])(summing *, micai_bytes) = {
        [MICAI_PART_NAMES] = add_names,
        [MICAI_PART_FACETS] = add_facets,
        [MICAI_PART_RESOURCES] = add_resources,
    };
    summing s = {.host = history->heap.host, .registry = registry};
    s.cells.host = s.host;
    s.values = micai_value_memory_new(s.host, registry);
    bool summed = s.values.bytes != NULL;
    for (uint32_t i = 0; summed && i < ranges->list.count; i++) {
        add_rows(&s, &ranges->list.items[i]);
        summed = !s.cells.failed;
    }
    for (uint32_t i = 0; summed && i < MICAI_PART_COUNT; i++) {
        if (parts[i] && ranges->parts[i]) {
            parts[i](&s, micai_part_bytes(history, i));
        }
    }
    micai_array_free(s.host, &s.cells.bytes);
    micai_value_memory_free(s.host, &s.values);
    *sum_out = s.sum;
    return summed;
}

// Returns the snapshot nearest to a place whose hash is known, or UINT32_MAX.
static uint32_t find_hashed(const micai_history *h, uint32_t place)
{
    for (uint32_t distance = 1; distance < h->kept.count; distance++) {
        if (distance <= place && h->kept.items[place - distance].hashed) {
            return place - distance;
        }
        if (distance < h->kept.count - place && h->kept.items[place + distance].hashed) {
            return place + distance;
        }
    }
    return UINT32_MAX;
}

// Sums all terms of a snapshot.
static bool hash_all(micai_history *h, const micai_registry *registry, uint32_t place,
                     uint64_t *hash_out)
{
    micai_ranges ranges = {.host = h->heap.host};
    micai_history_swap(h, h->here, place);
    bool hashed = micai_ranges_collect_all(&ranges, h) && sum_terms(h, registry, &ranges, hash_out);
    micai_history_swap(h, place, h->here);
    micai_ranges_free(&ranges);
    return hashed;
}

// Sums the terms that differ from those of another snapshot, whose hash is known.
static bool hash_from(micai_history *h, const micai_registry *registry, uint32_t known,
                      uint32_t place, uint64_t *hash_out)
{
    micai_ranges ranges = {.host = h->heap.host};
    uint64_t went, came = 0;
    micai_history_swap(h, h->here, known);
    bool hashed =
        micai_ranges_collect(&ranges, h, micai_smaller(known, place), micai_larger(known, place)) &&
        sum_terms(h, registry, &ranges, &went);
    micai_history_swap(h, known, place);
    hashed = hashed && sum_terms(h, registry, &ranges, &came);
    micai_history_swap(h, place, h->here);
    micai_ranges_free(&ranges);
    *hash_out = hashed ? h->kept.items[known].hash - went + came : 0;
    return hashed;
}

bool micai_snapshot_hash_at(micai_history *h, const micai_registry *registry, uint32_t place)
{
    micai_kept *one = &h->kept.items[place];
    if (!one->hashed) {
        uint32_t known = find_hashed(h, place);
        one->hashed = known == UINT32_MAX ? hash_all(h, registry, place, &one->hash)
                                          : hash_from(h, registry, known, place, &one->hash);
    }
    return one->hashed;
}

mica_result micai_snapshot_get_hash(mica_world *world, const char *call, mica_snapshot snapshot,
                                    uint64_t *hash_out)
{
    micai_history *h;
    uint32_t place;
    mica_result result = micai_snapshot_find(world, call, snapshot, &h, &place);
    if (result) {
        return result;
    }
    micai_host_begin(&world->host, call);
    bool hashed = micai_snapshot_hash_at(h, &world->state->registry, place);
    micai_host_end(&world->host);
    *hash_out = h->kept.items[place].hash;
    return hashed ? MICA_OK : MICA_ERROR_MEMORY;
}

uint64_t mica_snapshot_hash(mica_world *world, mica_snapshot snapshot)
{
    uint64_t hash;
    return micai_snapshot_get_hash(world, "mica_snapshot_hash", snapshot, &hash) ? 0 : hash;
}
