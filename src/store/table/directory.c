// Directories: growth and validation. directory.h has the drawing.
#include "store/table/directory.h"

#include <string.h>

#include "base/array.h"

const mica_view_values micai_directory_empty[MICAI_INDEX_BLOCK_SIZE];
const mica_view_type micai_directory_unknown;

static mica_view_values *no_block(void)
{
    const union {
        const mica_view_values *constant;
        mica_view_values *writable;
    } block = {.constant = micai_directory_empty};
    return block.writable;
}

static mica_view_type *no_type(void)
{
    const union {
        const mica_view_type *constant;
        mica_view_type *writable;
    } type = {.constant = &micai_directory_unknown};
    return type.writable;
}

#define BLOCK_BYTES sizeof micai_directory_empty

static void release_block(micai_host *host, mica_view_values *block)
{
    micai_release(host, block, BLOCK_BYTES, _Alignof(mica_view_values));
}

static void release_flat(micai_host *host, mica_view_values *flat, uint32_t count)
{
    micai_release(host, flat, count * BLOCK_BYTES, _Alignof(mica_view_values));
}

static void release_blocks(micai_host *host, const mica_view_type *entry)
{
    for (uint32_t i = entry->flat_count; i < entry->block_count; i++) {
        if (entry->visible_blocks[i] != micai_directory_empty) {
            release_block(host, entry->visible_blocks[i]);
        }
    }
    release_flat(host, entry->visible_flat, entry->flat_count);
}

void micai_directory_take_back(micai_host *host, micai_directory *directory, uint32_t types)
{
    while (directory->view.type_count > types) {
        mica_view_type *entry = directory->view.types[--directory->view.type_count];
        if (entry == &micai_directory_unknown) {
            continue;
        }
        release_blocks(host, entry);
        micai_release(host, entry->visible_blocks,
                      entry->block_count * sizeof *entry->visible_blocks,
                      _Alignof(mica_view_values *));
        micai_release(host, entry, sizeof *entry, _Alignof(mica_view_type));
    }
}

void micai_directory_free(micai_host *host, micai_directory *directory)
{
    micai_directory_take_back(host, directory, 0);
    micai_release(host, directory->blank, directory->blank_count * sizeof *directory->blank,
                  _Alignof(mica_view_values *));
    release_flat(host, directory->blank_flat, directory->blank_flat_count);
    micai_array_drop(host, &directory->view.types, &directory->type_capacity,
                     sizeof(mica_view_type *), _Alignof(max_align_t));
    *directory = (micai_directory){0};
}

// Grows an array of index blocks to at least `count`. New ones are empty.
static mica_result grow_array(micai_host *host, mica_view_values ***array, uint32_t *had,
                              uint32_t count)
{
    if (count <= *had) {
        return MICA_OK;
    }
    mica_view_values **blocks = micai_resize(host, *array, *had * sizeof *blocks,
                                             count * sizeof *blocks, _Alignof(mica_view_values *));
    if (!blocks) {
        return MICA_ERROR_MEMORY;
    }
    while (*had < count) {
        blocks[(*had)++] = no_block();
    }
    *array = blocks;
    return MICA_OK;
}

// Does the same for a flat array.
static mica_result grow_flat(micai_host *host, mica_view_values **block, uint32_t *had,
                             uint32_t count)
{
    if (count <= *had) {
        return MICA_OK;
    }
    mica_view_values *flat = micai_resize(host, *block, *had * BLOCK_BYTES, count * BLOCK_BYTES,
                                          _Alignof(mica_view_values));
    if (!flat) {
        return MICA_ERROR_MEMORY;
    }
    memset(flat + ((size_t)*had << MICA_VIEW_INDEX_SHIFT), 0, (count - *had) * BLOCK_BYTES);
    *block = flat;
    *had = count;
    return MICA_OK;
}

// Sets what lookups see of a type.
static void show(const micai_directory *directory, mica_view_type *entry, bool hidden)
{
    entry->blocks = hidden ? directory->blank : entry->visible_blocks;
    entry->flat = hidden && entry->visible_flat ? directory->blank_flat : entry->visible_flat;
    entry->flat_open = entry->flat;
}

// Points the index blocks of a flat type into its array.
static void line_up(mica_view_type *entry)
{
    for (uint32_t i = 0; i < entry->flat_count; i++) {
        entry->visible_blocks[i] = entry->visible_flat + ((size_t)i << MICA_VIEW_INDEX_SHIFT);
    }
}

// Grows the index blocks of a type to at least `count`.
static mica_result grow_blocks(micai_host *host, const micai_directory *directory,
                               mica_view_type *entry, uint32_t count)
{
    bool hidden = entry->blocks != entry->visible_blocks;
    mica_result result = grow_array(host, &entry->visible_blocks, &entry->block_count, count);
    if (!result && entry->visible_flat) {
        result = grow_flat(host, &entry->visible_flat, &entry->flat_count, count);
        line_up(entry);
    }
    show(directory, entry, hidden);
    return result;
}

// Does the same for the blank index blocks, and with `flat` for the blank array.
static mica_result grow_blank(micai_host *host, micai_directory *directory, uint32_t count,
                              bool flat)
{
    if (count <= directory->blank_count && (!flat || count <= directory->blank_flat_count)) {
        return MICA_OK;
    }
    mica_result result = grow_array(host, &directory->blank, &directory->blank_count, count);
    if (!result && flat) {
        result = grow_flat(host, &directory->blank_flat, &directory->blank_flat_count, count);
    }
    for (uint32_t n = 0; n < directory->view.type_count; n++) {
        mica_view_type *entry = directory->view.types[n];
        if (entry->blocks != entry->visible_blocks) {
            show(directory, entry, true);
        }
    }
    return result;
}

mica_result micai_directory_enter(micai_host *host, micai_directory *directory,
                                  const micai_type *type)
{
    mica_view_store *view = &directory->view;
    if (type->number >= view->type_count) {
        uint32_t extra = type->number + 1 - view->type_count;
        if (!micai_array_grow(host, &view->types, &directory->type_capacity, view->type_count,
                              extra, sizeof(mica_view_type *), _Alignof(max_align_t))) {
            return MICA_ERROR_MEMORY;
        }
        for (uint32_t i = 0; i < extra; i++) {
            view->types[view->type_count++] = no_type();
        }
    }
    if (view->types[type->number] != &micai_directory_unknown) {
        return MICA_OK;
    }
    directory->block_count += directory->block_count == 0;
    if (grow_blank(host, directory, directory->block_count, directory->blank_flat)) {
        return MICA_ERROR_MEMORY;
    }
    mica_view_type *entry = micai_alloc_zeroed(host, sizeof *entry, _Alignof(mica_view_type));
    if (!entry || grow_blocks(host, directory, entry, directory->block_count)) {
        micai_release(host, entry, sizeof *entry, _Alignof(mica_view_type));
        return MICA_ERROR_MEMORY;
    }
    entry->size = type->info.size;
    entry->bits = type->info.type.bits;
    view->types[type->number] = entry;
    return MICA_OK;
}

// Grows by half, so that a world that adds one sheet at a time does not copy the arrays each time.
// If one type fails, the types before it keep their larger arrays. `block_count` changes only when
// all types have grown.
mica_result micai_directory_grow(micai_host *host, micai_directory *directory, uint32_t sheets)
{
    uint32_t needed = (sheets + MICAI_INDEX_BLOCK_SIZE - 1) >> MICA_VIEW_INDEX_SHIFT;
    uint32_t before = directory->block_count;
    if (needed <= before) {
        return MICA_OK;
    }
    uint32_t after = before + before / 2 > needed ? before + before / 2 : needed;
    if (directory->view.type_count > 0 &&
        grow_blank(host, directory, after, directory->blank_flat)) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t n = 0; n < directory->view.type_count; n++) {
        mica_view_type *entry = directory->view.types[n];
        if (entry->blocks && grow_blocks(host, directory, entry, after)) {
            return MICA_ERROR_MEMORY;
        }
    }
    directory->block_count = after;
    return MICA_OK;
}

static bool is_empty(const mica_view_values *block)
{
    uint32_t i = 0;
    while (i < MICAI_INDEX_BLOCK_SIZE && micai_value_pointer_is_empty(&block[i])) {
        i++;
    }
    return i == MICAI_INDEX_BLOCK_SIZE;
}

mica_result micai_directory_flatten(micai_host *host, micai_directory *directory, uint32_t type)
{
    mica_view_type *entry = directory->view.types[type];
    if (entry->visible_flat) {
        return MICA_OK;
    }
    uint32_t count = entry->block_count;
    if (grow_blank(host, directory, count, true)) {
        return MICA_ERROR_MEMORY;
    }
    mica_view_values *flat = micai_alloc(host, count * BLOCK_BYTES, _Alignof(mica_view_values));
    if (!flat) {
        return MICA_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        memcpy(flat + ((size_t)i << MICA_VIEW_INDEX_SHIFT), entry->visible_blocks[i], BLOCK_BYTES);
    }
    bool hidden = micai_directory_is_hidden(directory, type);
    release_blocks(host, entry);
    entry->visible_flat = flat;
    entry->flat_count = count;
    line_up(entry);
    show(directory, entry, hidden);
    return MICA_OK;
}

void micai_directory_trim(micai_host *host, micai_directory *directory)
{
    for (uint32_t n = 0; n < directory->view.type_count; n++) {
        mica_view_type *entry = directory->view.types[n];
        for (uint32_t i = entry->flat_count; i < entry->block_count; i++) {
            if (entry->visible_blocks[i] != micai_directory_empty &&
                is_empty(entry->visible_blocks[i])) {
                release_block(host, entry->visible_blocks[i]);
                entry->visible_blocks[i] = no_block();
            }
        }
    }
}

void micai_directory_hide(micai_directory *directory, uint32_t type, bool hidden)
{
    show(directory, directory->view.types[type], hidden);
}

void micai_directory_close(micai_directory *directory, bool closed)
{
    for (uint32_t n = 0; n < directory->view.type_count; n++) {
        mica_view_type *entry = directory->view.types[n];
        if (entry->visible_flat) {
            entry->flat_open = closed ? directory->blank_flat : entry->flat;
        }
    }
}

mica_result micai_directory_reserve(micai_host *host, micai_directory *directory, uint32_t type,
                                    uint32_t sheet)
{
    mica_view_values **block =
        &directory->view.types[type]->visible_blocks[sheet >> MICA_VIEW_INDEX_SHIFT];
    if (*block != micai_directory_empty) {
        return MICA_OK;
    }
    mica_view_values *made = micai_alloc_zeroed(host, BLOCK_BYTES, _Alignof(mica_view_values));
    *block = made ? made : no_block();
    return made ? MICA_OK : MICA_ERROR_MEMORY;
}

// Checks D5 for a type with valid index blocks.
static bool is_flat_if_it_can(const micai_directory *directory, const mica_view_type *entry)
{
    if (!entry->visible_flat) {
        return entry->flat_count == 0 && !entry->flat;
    }
    const mica_view_values *seen =
        entry->blocks == entry->visible_blocks ? entry->visible_flat : directory->blank_flat;
    bool right = entry->flat_count >= directory->block_count &&
                 entry->flat_count <= entry->block_count && entry->flat == seen &&
                 entry->flat_open == seen && directory->blank_flat_count >= directory->block_count;
    for (uint32_t i = 0; right && i < entry->flat_count; i++) {
        right =
            entry->visible_blocks[i] == entry->visible_flat + ((size_t)i << MICA_VIEW_INDEX_SHIFT);
    }
    return right;
}

static bool is_entry_of(const micai_directory *directory, const mica_view_type *entry,
                        const mica_type_info *info)
{
    return entry == &micai_directory_unknown ||
           (entry->bits == info->type.bits && entry->size == info->size &&
            entry->block_count >= directory->block_count &&
            directory->blank_count >= directory->block_count &&
            (entry->blocks == entry->visible_blocks || entry->blocks == directory->blank) &&
            is_flat_if_it_can(directory, entry));
}

// Returns true if the blank index blocks and the blank array are empty.
static bool is_blank(const micai_directory *directory)
{
    bool right = directory->blank || directory->blank_count == 0;
    for (uint32_t i = 0; right && i < directory->blank_count; i++) {
        right = directory->blank[i] == micai_directory_empty;
    }
    const mica_view_values *flat = directory->blank_flat;
    right = right && (flat || directory->blank_flat_count == 0);
    for (uint32_t i = 0; right && i < directory->blank_flat_count; i++) {
        right = is_empty(flat + ((size_t)i << MICA_VIEW_INDEX_SHIFT));
    }
    return right;
}

mica_result micai_directory_validate(micai_host *host, const micai_directory *directory,
                                     const micai_registry *registry, uint32_t sheets)
{
    const mica_view_store *view = &directory->view;
    mica_result result = micai_array_check(host, view->type_count, directory->type_capacity,
                                           "types in the directory");
    if (!result && (view->type_count > registry->list.count ||
                    (uint64_t)directory->block_count << MICA_VIEW_INDEX_SHIFT < sheets)) {
        result = micai_fail_invariant(host, "D3", "the directory has lost its measure");
    }
    if (!result && !is_blank(directory)) {
        result = micai_fail_invariant(host, "D4", "what hides values shows some");
    }
    for (uint32_t n = 0; !result && n < view->type_count; n++) {
        const mica_type_info *info = &registry->list.items[n]->info;
        if (!is_entry_of(directory, view->types[n], info)) {
            result =
                micai_fail_invariant(host, "D3", "the directory of '%s' is damaged", info->name);
        }
    }
    return result;
}
