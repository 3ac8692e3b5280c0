// Making layouts: first counted, then filled in.
#include "store/table/layout.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/memory.h"

static size_t size_of(uint32_t column_count, uint32_t strip_count)
{
    return column_count * sizeof(micai_column) + strip_count * sizeof(micai_strip);
}

static mica_result count(micai_host *host, const micai_registry *registry,
                         const uint64_t *data_words, uint32_t word_count, micai_layout *layout)
{
    layout->column_count = layout->strip_count = 1;
    for (uint32_t n = micai_bits_next(data_words, word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(data_words, word_count, n + 1)) {
        const micai_type *type = registry->list.items[n];
        layout->column_count++;
        layout->strip_count += micai_kind_of(type)->describe(type, NULL);
        if (layout->column_count > MICAI_COLUMNS_MAX || layout->strip_count > MICAI_COLUMNS_MAX) {
            return micai_fail(host, MICA_ERROR_LIMIT,
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
    for (uint32_t s = 0; s < strip_count; s++) {
        strips[s].column = (uint16_t)layout->column_count;
        layout->plain = layout->plain && !strips[s].careful;
    }
    layout->columns[layout->column_count++] = (micai_column){.type = type,
                                                             .kind = kind,
                                                             .size = type->info.size,
                                                             .strip = (uint16_t)layout->strip_count,
                                                             .strip_count = (uint16_t)strip_count};
    layout->strip_count += strip_count;
    layout->plain = layout->plain && micai_hook_has_none(type) && !kind->outside;
    layout->outside = layout->outside || kind->outside;
}

mica_result micai_layout_make(micai_host *host, const micai_registry *registry,
                              const uint64_t *data_words, uint32_t word_count,
                              micai_layout *layout_out)
{
    micai_layout layout = {.plain = true};
    mica_result result = count(host, registry, data_words, word_count, &layout);
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
    layout.strips[0] =
        (micai_strip){.size = (uint32_t)sizeof(mica_entity), .align = _Alignof(mica_entity)};
    layout.column_count = layout.strip_count = 1;
    for (uint32_t n = micai_bits_next(data_words, word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(data_words, word_count, n + 1)) {
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
