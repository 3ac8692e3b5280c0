// Reading and checking a delta: components and resources. load_internal.h has the contract.
#include "delta/load_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/canary.h"
#include "core/hash_term.h"
#include "image/way.h"

// Hashes

static uint64_t hash_of(const micai_delta_load *l, mica_entity entity, const micai_type *type,
                        const void *value, bool off)
{
    return micai_hash_pair(&l->state->registry, type, entity, value, !off);
}

// Copies the value that a living entity has, and passes out whether it is disabled. Tags have none.
static void load_old(const micai_delta_load *l, mica_entity entity, const micai_type *type,
                     void *value, bool *off_out)
{
    const micai_entity_ref ref = micai_entity_ref_of(l->state, entity);
    if (type->info.size > 0) {
        micai_value_load(l->world, micai_value_find(l->state, ref, type), value);
    }
    *off_out = type->info.toggle && !micai_value_is_on(l->state, ref, type);
}

uint64_t micai_delta_hash_old(const micai_delta_load *l, mica_entity entity, const micai_type *type)
{
    bool off;
    load_old(l, entity, type, l->space, &off);
    return hash_of(l, entity, type, type->info.size > 0 ? l->space : NULL, off);
}

// Values

static bool add_edit(micai_delta_load *l, micai_edits *list, micai_edit one)
{
    if (!micai_array_reserve(l->host, list, 1)) {
        return micai_delta_fail_memory(l);
    }
    list->items[list->count++] = one;
    return true;
}

// Returns true if the entity of a slot has the type before.
static bool had(const micai_delta_load *l, mica_entity entity, const micai_type *type)
{
    return !MICA_IS_NONE(entity) &&
           micai_value_has(l->state, micai_entity_ref_of(l->state, entity), type);
}

// Reads the slots of entities whose type is removed, or toggled.
static bool read_slots(micai_delta_load *l, micai_unpacker *from, const micai_delta_type *of,
                       micai_edit_kind kind)
{
    micai_slot_list list = micai_delta_begin_list(l, from);
    while (list.left > 0) {
        mica_entity entity = micai_delta_find_kept(l, micai_unpack_slot(from, &list));
        if (!micai_delta_is_read(l, from)) {
            return false;
        }
        bool can = kind == MICAI_EDIT_REMOVE || of->type->info.toggle;
        if (!can || !had(l, entity, of->type)) {
            return micai_delta_fail(l, "a component is removed or toggled that is not there");
        }
        if (!add_edit(l, &l->edits,
                      (micai_edit){.entity = entity, .type = of->type, .kind = kind})) {
            return false;
        }
    }
    return micai_delta_is_read(l, from);
}

// Passes out the value that an edit begins with. Fails if the entity cannot have it.
static bool begin_value(micai_delta_load *l, const micai_delta_type *of, micai_edit *edit)
{
    const mica_type_info *info = &of->type->info;
    mica_entity kept = micai_delta_find_kept(l, mica_entity_slot(edit->entity));
    bool there = edit->kind == MICAI_EDIT_ADD
                     ? !MICA_IS_NONE(edit->entity) && !had(l, kept, of->type)
                     : had(l, edit->entity, of->type);
    if (!there) {
        return micai_delta_fail(l, "a value is another entity's");
    }
    if (info->size == 0) {
        return edit->kind == MICAI_EDIT_ADD || micai_delta_fail(l, "a tag has changed");
    }
    edit->value = micai_delta_alloc(l, info->size, info->align);
    if (!edit->value) {
        return false;
    }
    if (edit->kind == MICAI_EDIT_ADD) {
        micai_leaves_begin(of->type, edit->value);
    } else {
        bool off;
        load_old(l, edit->entity, of->type, edit->value, &off);
    }
    return true;
}

// Reads a mask. NULL: a failure.
static const unsigned char *read_mask(micai_delta_load *l, micai_unpacker *from,
                                      const micai_delta_type *of)
{
    const unsigned char *mask = micai_unpack_bytes(from, of->leaves.mask_size);
    uint32_t unused = of->leaves.mask_size * 8 - of->leaves.count;
    if (mask && unused > 0 && mask[of->leaves.mask_size - 1] >> (8 - unused) != 0) {
        micai_delta_fail(l, "a value has a field that its type has not");
    }
    return micai_delta_is_read(l, from) ? mask : NULL;
}

static bool read_run(micai_delta_load *l, micai_unpacker *from, const micai_delta_type *of,
                     micai_slot_list *list, micai_edit_kind kind)
{
    uint32_t first = l->edits.count;
    while (list->left > 0) {
        uint32_t slot = micai_unpack_slot(from, list);
        mica_entity entity = kind == MICAI_EDIT_ADD ? micai_delta_find_after(l, slot)
                                                    : micai_delta_find_kept(l, slot);
        if (!micai_delta_is_read(l, from) ||
            !add_edit(l, &l->edits,
                      (micai_edit){.entity = entity, .type = of->type, .kind = kind})) {
            return false;
        }
    }
    bool toggles = kind == MICAI_EDIT_ADD && of->type->info.toggle;
    uint64_t off = toggles ? micai_unpack_fixed(from, 1) : 0;
    const unsigned char *mask = read_mask(l, from, of);
    if (!mask || off > 1) {
        return micai_delta_fail(l, "a value is neither enabled nor disabled");
    }
    for (uint32_t i = first; i < l->edits.count; i++) {
        micai_edit *edit = &l->edits.items[i];
        edit->off = off != 0;
        if (!begin_value(l, of, edit)) {
            return false;
        }
        if (edit->value) {
            micai_leaves_read(&of->leaves, mask, from, edit->value);
        }
        if (from->failed) {
            return micai_delta_fail(l, "a value is none of its type");
        }
    }
    return true;
}

static bool read_runs(micai_delta_load *l, micai_unpacker *from, const micai_delta_type *of,
                      micai_edit_kind kind)
{
    micai_schema_way way = micai_schema_way_of(&l->state->registry, of->type);
    micai_slot_list list = micai_delta_begin_list(l, from);
    if (list.left > 0 && (way == MICAI_SCHEMA_HOOKS || way == MICAI_SCHEMA_CLOSED)) {
        return micai_delta_fail_schema(l, "%s: '%.80s' is described differently in the delta",
                                       of->type->info.name);
    }
    while (list.left > 0) {
        if (!read_run(l, from, of, &list, kind)) {
            return false;
        }
        list = micai_delta_begin_list(l, from);
    }
    return micai_delta_is_read(l, from);
}

// By slot. A change comes before a toggle of the same value.
static int compare_edits(const void *a, const void *b)
{
    const micai_edit *one = a;
    const micai_edit *other = b;
    uint32_t x = mica_entity_slot(one->entity);
    uint32_t y = mica_entity_slot(other->entity);
    if (x == y) {
        x = one->kind;
        y = other->kind;
    }
    return x < y ? -1 : x > y;
}

static void sort_edits(micai_edits *edits)
{
    uint32_t i = 1;
    while (i < edits->count && compare_edits(&edits->items[i - 1], &edits->items[i]) < 0) {
        i++;
    }
    if (i < edits->count) {
        qsort(edits->items, edits->count, sizeof *edits->items, compare_edits);
    }
}

// Enters the edit of an entity, or two: a change, and then a toggle.
static bool enter_edits(micai_delta_load *l, const micai_delta_type *of, micai_edit *edit,
                        uint32_t count)
{
    bool sparse = micai_schema_is_sparse(of->type);
    micai_edit *last = &edit[count - 1];
    if (count > 2 ||
        (count == 2 && (edit->kind != MICAI_EDIT_CHANGE || last->kind != MICAI_EDIT_TOGGLE))) {
        return micai_delta_fail(l, "an entity occurs twice");
    }
    if (edit->kind == MICAI_EDIT_ADD) {
        l->hash += hash_of(l, edit->entity, of->type, edit->value, edit->off);
        return add_edit(l, sparse ? &l->pools : &l->tables, *edit);
    }
    bool off;
    const void *old = of->type->info.size > 0 ? l->space : NULL;
    load_old(l, edit->entity, of->type, l->space, &off);
    l->hash -= hash_of(l, edit->entity, of->type, old, off);
    if (edit->kind == MICAI_EDIT_REMOVE) {
        return add_edit(l, sparse ? &l->pools : &l->tables, *edit);
    }
    last->off = last->kind == MICAI_EDIT_TOGGLE && !MICAI_CANARY("delta.toggled") ? !off : off;
    l->hash += hash_of(l, edit->entity, of->type, edit->value ? edit->value : old, last->off);
    return add_edit(l, &l->values, *edit) && (count == 1 || add_edit(l, &l->values, *last));
}

static bool enter_all(micai_delta_load *l, const micai_delta_type *of)
{
    sort_edits(&l->edits);
    for (uint32_t i = 0, end; i < l->edits.count; i = end) {
        micai_edit *first = &l->edits.items[i];
        end = i + 1;
        while (end < l->edits.count && l->edits.items[end].entity.bits == first->entity.bits) {
            end++;
        }
        if (!enter_edits(l, of, first, end - i)) {
            return false;
        }
    }
    return true;
}

static bool read_resource(micai_delta_load *l, micai_unpacker *from, const micai_delta_type *of)
{
    const micai_registry *registry = &l->state->registry;
    const mica_type_info *info = &of->type->info;
    const unsigned char *old = micai_resources_find(&l->state->resources, info->type);
    uint64_t what = micai_unpack_fixed(from, 1);
    if (!micai_delta_is_read(l, from) || what == MICAI_DELTA_KEPT) {
        return !l->failed;
    }
    if (what > MICAI_DELTA_SET || (what == MICAI_DELTA_REMOVED && !old) || info->size == 0) {
        return micai_delta_fail(l, "a resource is removed that is not there");
    }
    micai_new_resource one = {.type = of->type};
    if (what == MICAI_DELTA_SET) {
        const unsigned char *mask = read_mask(l, from, of);
        one.value = mask ? micai_delta_alloc(l, info->size, info->align) : NULL;
        if (!one.value) {
            return false;
        }
        if (old) {
            memcpy(one.value, old, info->size);
        } else {
            micai_leaves_begin(of->type, one.value);
        }
        micai_leaves_read(&of->leaves, mask, from, one.value);
        if (from->failed) {
            return micai_delta_fail(l, "a value is none of its type");
        }
        l->hash += micai_hash_resource(registry, of->type, one.value);
    }
    l->hash -= old ? micai_hash_resource(registry, of->type, old) : 0;
    if (!micai_array_reserve(l->host, &l->resources, 1)) {
        return micai_delta_fail_memory(l);
    }
    l->resources.items[l->resources.count++] = one;
    return true;
}

bool micai_delta_read_values(micai_delta_load *l, micai_unpacker *from, const micai_delta_type *of)
{
    l->edits.count = 0;
    return read_slots(l, from, of, MICAI_EDIT_REMOVE) && read_runs(l, from, of, MICAI_EDIT_ADD) &&
           read_runs(l, from, of, MICAI_EDIT_CHANGE) &&
           read_slots(l, from, of, MICAI_EDIT_TOGGLE) && enter_all(l, of) &&
           read_resource(l, from, of);
}
