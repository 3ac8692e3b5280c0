// Making layouts: first counted, then filled in.
#include "store/table/layout.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/memory.h"

uint32_t micai_kind_describe_rest(const micai_type *type, micai_strip *strips_out, uint32_t count)
{
    for (uint32_t i = 0; type->info.row_stamps && i < 2; i++, count++) {
        if (strips_out) {
            strips_out[count] = (micai_strip){
                .size = (uint32_t)sizeof(uint64_t), .align = _Alignof(uint64_t), .ticks = true};
        }
    }
    if (type->info.toggle) {
        if (strips_out) {
            strips_out[count] = (micai_strip){.size = 1, .align = 1, .flags = true};
        }
        count++;
    }
    return count;
}

static const micai_strip ids_strip = {.size = (uint32_t)sizeof(mica_entity),
                                      .align = _Alignof(mica_entity)};

static size_t size_of(uint32_t column_count, uint32_t strip_count)
{
    return column_count * sizeof(micai_column) + strip_count * sizeof(micai_strip);
}

static mica_result count(micai_host *host, const micai_registry *registry,
                         const uint64_t *column_words, uint32_t word_count, micai_layout *layout)
{
    layout->column_count = layout->strip_count = 1;
    for (uint32_t n = micai_bits_next(column_words, word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(column_words, word_count, n + 1)) {
        const micai_type *type = registry->list.items[n];
        layout->column_count++;
        layout->strip_count += micai_kind_of(type)->describe(type, NULL);
        if (layout->column_count > MICAI_COLUMNS_MAX || layout->strip_count > MICAI_COLUMNS_MAX) {
            return micai_fail_within(
                host, MICA_ERROR_LIMIT,
                "one entity would have more than %u components, or parts of them",
                MICAI_COLUMNS_MAX - 1);
        }
    }
    return MICA_OK;
}

static void add_column(micai_layout *layout, const micai_type *type)
{
    const micai_kind *kind = micai_kind_of(type);
    micai_strip *strips = layout->strips + layout->strip_count;
    uint32_t strip_count = kind->describe(type, strips);
    bool bytes = true;
    for (uint32_t s = 0; s < strip_count; s++) {
        strips[s].column = (uint16_t)layout->column_count;
        bytes = bytes && !strips[s].careful;
    }
    layout->columns[layout->column_count++] = (micai_column){.type = type,
                                                             .kind = kind,
                                                             .size = type->info.size,
                                                             .strip = (uint16_t)layout->strip_count,
                                                             .strip_count = (uint16_t)strip_count};
    layout->strip_count += strip_count;
    bytes = bytes && !kind->outside;
    bool light = micai_hook_has_none(type) && (bytes || kind == &micai_kind_ring);
    layout->plain = layout->plain && light && bytes;
    layout->light = layout->light && light;
    layout->outside = layout->outside || kind->outside;
}

mica_result micai_layout_make(micai_host *host, const micai_registry *registry,
                              const uint64_t *column_words, uint32_t word_count,
                              micai_layout *layout_out)
{
    micai_layout layout = {.plain = true, .light = true};
    mica_result result = count(host, registry, column_words, word_count, &layout);
    if (result) {
        return result;
    }
    layout.columns =
        micai_alloc(host, size_of(layout.column_count, layout.strip_count), _Alignof(micai_column));
    if (!layout.columns) {
        return MICA_ERROR_MEMORY;
    }
    layout.strips = (micai_strip *)(void *)(layout.columns + layout.column_count);
    layout.columns[0] = (micai_column){
        .kind = &micai_kind_paged, .size = (uint32_t)sizeof(mica_entity), .strip_count = 1};
    layout.strips[0] = ids_strip;
    layout.column_count = layout.strip_count = 1;
    for (uint32_t n = micai_bits_next(column_words, word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(column_words, word_count, n + 1)) {
        add_column(&layout, registry->list.items[n]);
    }
    *layout_out = layout;
    return MICA_OK;
}

void micai_layout_free(micai_host *host, micai_layout *layout)
{
    micai_release(host, layout->columns, size_of(layout->column_count, layout->strip_count),
                  _Alignof(micai_column));
    *layout = (micai_layout){0};
}

bool micai_column_needs_care(const micai_layout *layout, uint32_t column)
{
    const micai_column *moved = &layout->columns[column];
    bool careful = moved->kind->outside;
    for (uint32_t s = 0; s < moved->strip_count; s++) {
        careful = careful || layout->strips[moved->strip + s].careful;
    }
    return careful;
}

bool micai_column_is_whole(const micai_layout *layout, uint32_t column)
{
    const micai_column *asked = &layout->columns[column];
    bool whole = false;
    for (uint32_t s = 0; s < asked->strip_count; s++) {
        whole = whole || layout->strips[asked->strip + s].whole;
    }
    return whole;
}

// Validation

#define DESCRIBED_MAX 64 // strips of a column that are compared; most have one

static bool strips_equal(const micai_strip *a, const micai_strip *b)
{
    return a->type == b->type && a->size == b->size && a->align == b->align &&
           a->offset == b->offset && micai_memory_holds_bool(&a->careful) &&
           micai_memory_holds_bool(&a->whole) && micai_memory_holds_bool(&a->flags) &&
           micai_memory_holds_bool(&a->ticks) && micai_memory_holds_bool(&a->outside) &&
           a->careful == b->careful && a->whole == b->whole && a->flags == b->flags &&
           a->ticks == b->ticks && a->outside == b->outside;
}

// Has a column's type, which is known, the strips that its kind describes?
static bool has_its_strips(const micai_layout *layout, uint32_t c)
{
    const micai_column *column = &layout->columns[c];
    micai_strip described[DESCRIBED_MAX];
    bool right = true;
    if (c == 0) {
        described[0] = ids_strip;
    } else if (column->strip_count <= DESCRIBED_MAX) {
        column->kind->describe(column->type, described);
    }
    for (uint32_t s = 0; right && s < column->strip_count; s++) {
        const micai_strip *strip = &layout->strips[column->strip + s];
        right = strip->column == c && (s >= DESCRIBED_MAX || strips_equal(strip, &described[s]));
    }
    return right;
}

// Is it a type's column? Its strips are looked at when it is known where they are.
static bool is_column_of(const micai_column *column, const micai_type *type, uint32_t strip)
{
    const micai_kind *kind = type ? micai_kind_of(type) : &micai_kind_paged;
    return column->type == type && column->kind == kind &&
           column->size == (type ? type->info.size : sizeof(mica_entity)) &&
           (kind->outside || !column->outside) && column->strip == strip &&
           column->strip_count == (type ? kind->describe(type, NULL) : 1);
}

static mica_result validate_columns(micai_host *host, const micai_registry *registry,
                                    const uint64_t *column_words, uint32_t word_count,
                                    const micai_layout *layout)
{
    uint32_t strip = 0;
    uint32_t n = 0;
    for (uint32_t c = 0; c < layout->column_count; c++) {
        n = c > 0 ? micai_bits_next(column_words, word_count, n) : 0;
        const micai_type *type = c > 0 ? registry->list.items[n++] : NULL;
        if (!is_column_of(&layout->columns[c], type, strip)) {
            return micai_fail_invariant(host, "U1", "column %" PRIu32 " is none of '%s'", c,
                                        type ? type->info.name : "ids");
        }
        strip += layout->columns[c].strip_count;
    }
    return strip == layout->strip_count
               ? MICA_OK
               : micai_fail_invariant(host, "U2", "%" PRIu32 " strips are not %" PRIu32, strip,
                                      layout->strip_count);
}

static mica_result validate_strips(micai_host *host, const micai_layout *layout)
{
    bool plain = true;
    bool light = true;
    bool outside = false;
    for (uint32_t c = 0; c < layout->column_count; c++) {
        if (!has_its_strips(layout, c)) {
            return micai_fail_invariant(host, "U2", "column %" PRIu32 " has another's strips", c);
        }
        const micai_column *column = &layout->columns[c];
        bool careful = micai_column_needs_care(layout, c);
        light = light && (!column->type || micai_hook_has_none(column->type)) &&
                (!careful || column->kind == &micai_kind_ring);
        plain = plain && light && !careful;
        outside = outside || column->kind->outside;
    }
    return micai_memory_holds_bool(&layout->plain) && micai_memory_holds_bool(&layout->light) &&
                   micai_memory_holds_bool(&layout->outside) && layout->plain == plain &&
                   layout->light == light && layout->outside == outside
               ? MICA_OK
               : micai_fail_invariant(host, "U3", "a layout is wrongly taken for plain or not");
}

mica_result micai_layout_validate(micai_host *host, const micai_registry *registry,
                                  const uint64_t *column_words, uint32_t word_count,
                                  const micai_layout *layout)
{
    uint32_t columns = 1 + micai_bits_count(column_words, word_count);
    if (layout->column_count != columns || layout->strip_count > MICAI_COLUMNS_MAX ||
        !micai_memory_holds(host, layout->columns, 1, size_of(columns, layout->strip_count),
                            _Alignof(micai_column))) {
        return micai_fail_invariant(host, "U1", "a layout has not %" PRIu32 " columns", columns);
    }
    if (layout->strips != (const void *)(layout->columns + columns)) {
        return micai_fail_invariant(host, "U2", "the strips of a layout are not where they were");
    }
    mica_result result = validate_columns(host, registry, column_words, word_count, layout);
    return result ? result : validate_strips(host, layout);
}
