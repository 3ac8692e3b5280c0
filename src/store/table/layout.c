// Building layouts: first count, then fill in. layout.h has the contract.
#include "store/table/layout.h"

#include <assert.h>
#include <inttypes.h>

#include "base/bits.h"
#include "base/memory.h"

uint32_t micai_kind_describe_rest(const micai_type *type, micai_strip *strips_out, uint32_t count)
{
    if (!strips_out) {
        return micai_kind_count_rest(type, count);
    }
    for (uint32_t i = 0; type->info.row_stamps && i < 2; i++) {
        strips_out[count++] = (micai_strip){.size = (uint32_t)sizeof(uint64_t),
                                            .align_power = micai_align_power(_Alignof(uint64_t)),
                                            .ticks = true};
    }
    if (type->info.toggle) {
        strips_out[count++] = (micai_strip){.size = 1, .flags = true};
    }
    return count;
}

static micai_strip describe_ids(void)
{
    return (micai_strip){.size = (uint32_t)sizeof(mica_entity),
                         .align_power = micai_align_power(_Alignof(mica_entity))};
}

// Returns the size of the part before the columns. Every column has an outside pointer there, even
// if it stays NULL, because few layouts have that part. The size keeps the columns aligned.
static size_t head_size(const micai_layout *layout)
{
    return layout->outside ? layout->column_count * sizeof(void *) : 0;
}

static size_t size_of(const micai_layout *layout)
{
    return head_size(layout) + layout->column_count * sizeof(micai_column) +
           layout->strip_count * sizeof(micai_strip);
}

// Returns the number of strips of a column, and sets `outside`. The most common kind is counted
// inline.
static uint32_t count_strips(micai_layout *layout, const micai_type *type)
{
    uint8_t place = micai_kind_place(type);
    if (place == MICAI_KIND_PAGED) {
        return micai_kind_count_rest(type, type->info.size > 0);
    }
    const micai_kind *kind = micai_kind_at(type, place);
    layout->outside = layout->outside || kind->outside;
    return kind->describe(type, NULL);
}

// Counts columns and strips, and sets `outside`.
static mica_result count(micai_host *host, micai_type *const *types, const uint64_t *column_words,
                         uint32_t word_count, micai_layout *layout)
{
    uint32_t columns = 1;
    uint32_t strips = 1;
    for (uint32_t i = 0; i < word_count; i++) {
        for (uint64_t left = column_words[i]; left; left &= left - 1) {
            const micai_type *type = types[i * 64 + micai_bits_lowest(left)];
            columns++;
            strips += count_strips(layout, type);
            if (columns > MICAI_COLUMNS_MAX || strips > MICAI_COLUMNS_MAX) {
                return micai_fail_within(
                    host, MICA_ERROR_LIMIT,
                    "one entity would have more than %u components, or parts of them",
                    MICAI_COLUMNS_MAX - 1);
            }
        }
    }
    layout->column_count = (uint16_t)columns;
    layout->strip_count = (uint16_t)strips;
    return MICA_OK;
}

// Adds the column of a type, whose strips start at number `strip`. Returns the number of its
// strips.
static uint32_t add_column(micai_layout *layout, const micai_type *type, uint32_t column,
                           uint32_t strip)
{
    uint8_t place = micai_kind_place(type);
    const micai_kind *kind = micai_kind_at(type, place);
    assert(kind); // it was used before the type was registered
    micai_strip *strips = layout->strips + strip;
    uint32_t strip_count = kind->describe(type, strips);
    bool bytes = !kind->outside;
    for (uint32_t s = 0; s < strip_count; s++) {
        strips[s].column = (uint16_t)column;
        bytes = bytes && !strips[s].careful;
    }
    layout->columns[column] = (micai_column){.type = type,
                                             .strip = (uint16_t)strip,
                                             .strip_count = (uint16_t)strip_count,
                                             .kind = place,
                                             .careful = !bytes};
    bool light = micai_hook_has_none(type) && (bytes || kind->ring);
    layout->plain = layout->plain && light && bytes;
    layout->bytes = layout->bytes && light;
    return strip_count;
}

static void add_columns(micai_layout *layout, micai_type *const *types,
                        const uint64_t *column_words, uint32_t word_count)
{
    uint32_t column = 1;
    uint32_t strip = 1;
    for (uint32_t i = 0; i < word_count; i++) {
        for (uint64_t left = column_words[i]; left; left &= left - 1) {
            const micai_type *type = types[i * 64 + micai_bits_lowest(left)];
            strip += add_column(layout, type, column++, strip);
        }
    }
}

mica_result micai_layout_make(micai_host *host, micai_type *const *types,
                              const uint64_t *column_words, uint32_t word_count,
                              micai_layout *layout_out)
{
    micai_layout layout = {.plain = true, .bytes = true};
    mica_result result = count(host, types, column_words, word_count, &layout);
    if (result) {
        return result;
    }
    unsigned char *block = micai_alloc(host, size_of(&layout), _Alignof(micai_column));
    if (!block) {
        return MICA_ERROR_MEMORY;
    }
    layout.columns = (micai_column *)(void *)(block + head_size(&layout));
    layout.strips = (micai_strip *)(void *)(layout.columns + layout.column_count);
    layout.columns[0] = (micai_column){.strip_count = 1};
    layout.strips[0] = describe_ids();
    for (uint32_t c = 0; layout.outside && c < layout.column_count; c++) {
        *micai_layout_outside(&layout, c) = NULL;
    }
    add_columns(&layout, types, column_words, word_count);
    *layout_out = layout;
    return MICA_OK;
}

void micai_layout_free(micai_host *host, micai_layout *layout)
{
    unsigned char *columns = (unsigned char *)layout->columns;
    if (columns) {
        micai_release(host, columns - head_size(layout), size_of(layout), _Alignof(micai_column));
    }
    *layout = (micai_layout){0};
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

// per column: field strips, two strips of ticks, one of flags
#define STRIPS_MAX (MICA_STRIPS_MAX + 3)

static bool strips_equal(const micai_strip *a, const micai_strip *b)
{
    return a->size == b->size && a->align_power == b->align_power && a->offset == b->offset &&
           a->traits == b->traits;
}

// Returns true if a column has the strips that its kind describes. Its type and strip count have
// been checked.
static bool has_its_strips(const micai_layout *layout, uint32_t c)
{
    const micai_column *column = &layout->columns[c];
    micai_strip described[STRIPS_MAX];
    if (c == 0) {
        described[0] = describe_ids();
    } else {
        micai_column_kind(column)->describe(column->type, described);
    }
    bool right = true;
    for (uint32_t s = 0; right && s < column->strip_count; s++) {
        const micai_strip *strip = &layout->strips[column->strip + s];
        right = strip->column == c && strips_equal(strip, &described[s]);
    }
    return right;
}

// Returns true if column `c` belongs to `type`, or to the ids if that is NULL. The strips are
// checked later, once their position is known.
static bool is_column_of(const micai_layout *layout, uint32_t c, const micai_type *type,
                         uint32_t strip)
{
    const micai_column *column = &layout->columns[c];
    uint8_t place = type ? micai_kind_place(type) : 0;
    return column->type == type && column->kind == place &&
           (micai_kind_at(type, place)->outside || !micai_layout_get_outside(layout, c)) &&
           column->strip == strip &&
           column->strip_count == (type ? micai_kind_at(type, place)->describe(type, NULL) : 1);
}

// Returns true if the kind of any of these types keeps values outside the strips.
static bool has_outside(micai_type *const *types, const uint64_t *column_words, uint32_t word_count)
{
    bool outside = false;
    for (uint32_t n = micai_bits_next(column_words, word_count, 0); n != MICAI_BITS_END;
         n = micai_bits_next(column_words, word_count, n + 1)) {
        outside = outside || micai_kind_of(types[n])->outside;
    }
    return outside;
}

static mica_result validate_columns(micai_host *host, micai_type *const *types,
                                    const uint64_t *column_words, uint32_t word_count,
                                    const micai_layout *layout)
{
    uint32_t strip = 0;
    uint32_t n = 0;
    for (uint32_t c = 0; c < layout->column_count; c++) {
        n = c > 0 ? micai_bits_next(column_words, word_count, n) : 0;
        const micai_type *type = c > 0 ? types[n++] : NULL;
        if (!is_column_of(layout, c, type, strip)) {
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

// Returns true if some values of a column are not only the bytes of its strips.
static bool find_careful(const micai_layout *layout, uint32_t column)
{
    const micai_column *moved = &layout->columns[column];
    bool careful = micai_column_kind(moved)->outside;
    for (uint32_t s = 0; s < moved->strip_count; s++) {
        careful = careful || layout->strips[moved->strip + s].careful;
    }
    return careful;
}

static mica_result validate_strips(micai_host *host, const micai_layout *layout)
{
    bool plain = true;
    bool light = true;
    for (uint32_t c = 0; c < layout->column_count; c++) {
        if (!has_its_strips(layout, c)) {
            return micai_fail_invariant(host, "U2", "column %" PRIu32 " has another's strips", c);
        }
        const micai_column *column = &layout->columns[c];
        bool careful = find_careful(layout, c);
        if (column->careful != careful) {
            return micai_fail_invariant(host, "U3",
                                        "column %" PRIu32 " is wrongly taken for bytes or not", c);
        }
        light = light && (!column->type || micai_hook_has_none(column->type)) &&
                (!careful || micai_column_kind(column)->ring);
        plain = plain && light && !careful;
    }
    return layout->plain == plain && layout->bytes == light
               ? MICA_OK
               : micai_fail_invariant(host, "U3", "a layout is wrongly taken for plain or not");
}

mica_result micai_layout_validate(micai_host *host, micai_type *const *types,
                                  const uint64_t *column_words, uint32_t word_count,
                                  const micai_layout *layout)
{
    uint32_t columns = 1 + micai_bits_count(column_words, word_count);
    if (layout->column_count != columns || layout->strip_count > MICAI_COLUMNS_MAX) {
        return micai_fail_invariant(host, "U1", "a layout has not %" PRIu32 " columns", columns);
    }
    if (layout->outside != has_outside(types, column_words, word_count)) {
        return micai_fail_invariant(host, "U3", "a layout is mistaken in what is kept outside");
    }
    mica_result result = validate_columns(host, types, column_words, word_count, layout);
    return result ? result : validate_strips(host, layout);
}
