// Saving: the differences are collected by type while two snapshots are compared, entity by entity. Then they
// are written type by type. delta_internal.h has the format.
#include "delta/delta_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stream.h"
#include "core/field.h"
#include "delta/leaf.h"
#include "entity/facet.h"
#include "time/compare.h"

// A value that was added, or has changed.
typedef struct saved_value {
    uint32_t slot;
    uint32_t head;              // size of what begins its run: see the format
    uint32_t size;              // of its leaves, which follow the head
    size_t place;               // of the head in the bytes of the type
    const unsigned char *bytes; // the head, once all are collected
} saved_value;

typedef MICAI_ARRAY(saved_value) saved_values;
typedef MICAI_ARRAY(uint32_t) saved_slots;

// What differs in a type.
typedef struct saved_type {
    const micai_type *type;
    uint32_t number; // among the types of the delta, from 1 on
    micai_leaves leaves;
    saved_slots removed;
    saved_slots toggled;
    saved_values added;
    saved_values changed;
    micai_packer bytes;    // of the values
    micai_packer resource; // empty: nothing has changed
} saved_type;

typedef struct saving {
    mica_world *world;
    micai_host *host;
    const char *call;
    const micai_registry *registry;
    const mica_delta_desc *desc;
    mica_result failed;
    micai_arena arena;
    saved_type **types; // by number of the registry; NULL: nothing differs
    MICAI_ARRAY(saved_type *) list;
    saved_slots despawned;
    saved_slots spawned;
    micai_packer generations;
    saved_slots named;
    micai_packer names;
    uint32_t facet_count;
    micai_packer facets;
} saving;

// Collecting

static bool fail_memory(saving *s)
{
    s->failed = s->failed ? s->failed : MICA_ERROR_MEMORY;
    return false;
}

static bool add_slot(saving *s, saved_slots *list, mica_entity entity)
{
    if (!micai_array_reserve(s->host, list, 1)) {
        return fail_memory(s);
    }
    list->items[list->count++] = mica_entity_slot(entity);
    return true;
}

// Sets the steps of a type's leaves.
static void round_leaves(const saving *s, micai_leaves *leaves)
{
    for (uint32_t i = 0; i < s->desc->field_count; i++) {
        const mica_delta_field *rounded = &s->desc->fields[i];
        const mica_type_info *info = &micai_registry_find(s->registry, rounded->type)->info;
        for (uint32_t n = 0; n < leaves->count; n++) {
            micai_leaf *leaf = &leaves->items[n];
            if (leaf->field >= info->fields && leaf->field < info->fields + info->field_count &&
                strcmp(leaf->field->name, rounded->field) == 0) {
                leaf->step = rounded->step;
            }
        }
    }
}

static bool make_type(saving *s, const micai_type *type, saved_type *one)
{
    *one = (saved_type){.type = type, .number = s->list.count + 1};
    one->bytes.host = one->resource.host = s->host;
    if (!micai_leaves_make(s->host, &s->arena, s->registry, type, &one->leaves) ||
        !micai_leaves_prepare(s->host, &s->arena, type, &one->leaves)) {
        return false;
    }
    round_leaves(s, &one->leaves);
    return true;
}

// Returns what differs in a type. NULL: MICA_ERROR_MEMORY.
static saved_type *open_type(saving *s, const micai_type *type)
{
    saved_type *one = s->types[type->number];
    if (one) {
        return one;
    }
    one = micai_array_reserve(s->host, &s->list, 1)
              ? micai_arena_alloc(s->host, &s->arena, sizeof *one, _Alignof(saved_type))
              : NULL;
    if (!one || !make_type(s, type, one)) {
        fail_memory(s);
        return NULL;
    }
    s->types[type->number] = s->list.items[s->list.count++] = one;
    return one;
}

static bool can_save(saving *s, const micai_type *type)
{
    s->failed = micai_leaves_check(s->host, s->call, s->registry, type, MICA_ERROR_TYPE, "deltas");
    return !s->failed;
}

// Adds a value that was added, or that differs when it is rounded.
static bool add_value(saving *s, saved_type *one, const micai_difference *d)
{
    const unsigned char *after = d->state.after;
    bool added = d->state.kind == MICA_STATE_ADDED;
    const unsigned char *before = added ? one->leaves.initial : d->state.before;
    saved_values *list = added ? &one->added : &one->changed;
    if (!micai_leaves_compare(&one->leaves, before, after, one->leaves.mask) && !added) {
        return true;
    }
    saved_value value = {.slot = mica_entity_slot(d->state.entity),
                         .place = one->bytes.bytes.count};
    if (added && one->type->info.toggle) {
        micai_pack_fixed(&one->bytes, d->off, 1);
    }
    micai_pack_bytes(&one->bytes, one->leaves.mask, one->leaves.mask_size);
    value.head = one->bytes.bytes.count - (uint32_t)value.place;
    micai_leaves_write(&one->leaves, one->leaves.mask, before, after, &one->bytes);
    value.size = one->bytes.bytes.count - (uint32_t)value.place - value.head;
    if (one->bytes.failed || !micai_array_reserve(s->host, list, 1)) {
        return fail_memory(s);
    }
    list->items[list->count++] = value;
    return true;
}

static bool add_resource(saving *s, saved_type *one, const mica_state_difference *d)
{
    micai_packer *to = &one->resource;
    const unsigned char *before = d->before ? d->before : one->leaves.initial;
    if (!d->after) {
        micai_pack_fixed(to, MICAI_DELTA_REMOVED, 1);
    } else if (!can_save(s, one->type)) {
        return false;
    } else if (micai_leaves_compare(&one->leaves, before, d->after, one->leaves.mask) ||
               !d->before) {
        micai_pack_fixed(to, MICAI_DELTA_SET, 1);
        micai_pack_bytes(to, one->leaves.mask, one->leaves.mask_size);
        micai_leaves_write(&one->leaves, one->leaves.mask, before, d->after, to);
    }
    return !to->failed || fail_memory(s);
}

static bool add_name(saving *s, mica_entity entity, const char *text)
{
    micai_pack_text(&s->names, text);
    return s->names.failed ? fail_memory(s) : add_slot(s, &s->named, entity);
}

static bool add_spawned(saving *s, mica_entity entity)
{
    micai_pack_number(&s->generations, entity.bits >> 32);
    return s->generations.failed ? fail_memory(s) : add_slot(s, &s->spawned, entity);
}

static bool add_component(saving *s, saved_type *one, const micai_difference *d)
{
    switch (d->state.kind) {
    case MICA_STATE_REMOVED: return d->whole || add_slot(s, &one->removed, d->state.entity);
    case MICA_STATE_TOGGLED: return add_slot(s, &one->toggled, d->state.entity);
    case MICA_STATE_RESOURCE: return add_resource(s, one, &d->state);
    default: return can_save(s, one->type) && add_value(s, one, d);
    }
}

// Returns the place of the first slot at or after `slot`, in a list in ascending order.
static uint32_t find_slot(const uint32_t *slots, uint32_t count, uint32_t slot)
{
    uint32_t first = 0;
    while (first < count) {
        uint32_t middle = first + (count - first) / 2;
        if (slots[middle] < slot) {
            first = middle + 1;
        } else {
            count = middle;
        }
    }
    return first;
}

static bool is_despawned(const saving *s, mica_entity entity)
{
    uint32_t slot = mica_entity_slot(entity);
    uint32_t place = find_slot(s->despawned.items, s->despawned.count, slot);
    return place < s->despawned.count && s->despawned.items[place] == slot;
}

// Names come after all entities. The name of a despawned entity goes with it.
static bool add_difference(const micai_difference *d, void *user)
{
    saving *s = user;
    switch (d->state.kind) {
    case MICA_STATE_SPAWNED: return add_spawned(s, d->state.entity);
    case MICA_STATE_DESPAWNED: return add_slot(s, &s->despawned, d->state.entity);
    case MICA_STATE_NAME:
        return (!d->state.after && is_despawned(s, d->state.entity)) ||
               add_name(s, d->state.entity, d->state.after);
    default: break;
    }
    if (d->whole && d->state.kind == MICA_STATE_REMOVED) {
        return true;
    }
    saved_type *one = open_type(s, micai_registry_find(s->registry, d->state.type));
    return one && add_component(s, one, d);
}

static bool add_facet(const micai_facet *facet, void *user)
{
    saving *s = user;
    uint32_t key = 0;
    if (facet->component != MICAI_FACET_NONE) {
        const saved_type *one = open_type(s, s->registry->list.items[facet->component]);
        if (!one) {
            return false;
        }
        key = one->number;
    }
    s->facet_count++;
    micai_pack_number(
        &s->facets, find_slot(s->spawned.items, s->spawned.count, mica_entity_slot(facet->facet)));
    micai_pack_number(&s->facets, mica_entity_slot(facet->owner));
    micai_pack_number(&s->facets, key);
    micai_pack_number(&s->facets, facet->role);
    return !s->facets.failed || fail_memory(s);
}

// Writing

static bool write_type(const saved_type *one, micai_packer *to)
{
    uint32_t rounded = 0;
    for (uint32_t i = 0; i < one->leaves.count; i++) {
        rounded += one->leaves.items[i].step > 0;
    }
    micai_pack_text(to, one->type->info.name);
    micai_pack_fixed(to, one->leaves.layout & UINT32_MAX, 4);
    micai_pack_number(to, rounded);
    for (uint32_t i = 0; i < one->leaves.count; i++) {
        if (one->leaves.items[i].step > 0) {
            uint64_t bits;
            memcpy(&bits, &one->leaves.items[i].step, sizeof bits);
            micai_pack_number(to, i);
            micai_pack_fixed(to, bits, sizeof bits);
        }
    }
    return rounded > 0;
}

// Orders by what begins the run, then by slot.
static int compare_values(const void *a, const void *b)
{
    const saved_value *one = a;
    const saved_value *other = b;
    int order = memcmp(one->bytes, other->bytes, one->head);
    return order != 0 ? order : one->slot < other->slot ? -1 : one->slot > other->slot;
}

static bool is_sorted(const saved_values *values)
{
    uint32_t i = 1;
    while (i < values->count && compare_values(&values->items[i - 1], &values->items[i]) < 0) {
        i++;
    }
    return i >= values->count;
}

static void write_runs(const micai_packer *bytes, saved_values *values, micai_packer *to)
{
    static const unsigned char none[1];
    const unsigned char *begin = bytes->bytes.items ? bytes->bytes.items : none; // of tags
    for (uint32_t i = 0; i < values->count; i++) {
        values->items[i].bytes = begin + values->items[i].place;
    }
    if (!is_sorted(values)) {
        qsort(values->items, values->count, sizeof *values->items, compare_values);
    }
    for (uint32_t i = 0; i < values->count;) {
        const saved_value *first = &values->items[i];
        uint32_t end = i + 1;
        while (end < values->count &&
               memcmp(values->items[end].bytes, first->bytes, first->head) == 0) {
            end++;
        }
        micai_pack_slots(to, &first->slot, end - i, sizeof *first);
        micai_pack_bytes(to, first->bytes, first->head);
        for (; i < end; i++) {
            const saved_value *one = &values->items[i];
            micai_pack_bytes(to, one->bytes + one->head, one->size);
        }
    }
    micai_pack_slots(to, NULL, 0, 0);
}

static void write_values(saved_type *one, micai_packer *to)
{
    micai_pack_slots(to, one->removed.items, one->removed.count, sizeof(uint32_t));
    write_runs(&one->bytes, &one->added, to);
    write_runs(&one->bytes, &one->changed, to);
    micai_pack_slots(to, one->toggled.items, one->toggled.count, sizeof(uint32_t));
    if (one->resource.bytes.count == 0) {
        micai_pack_fixed(to, MICAI_DELTA_KEPT, 1);
    }
    micai_pack_bytes(to, one->resource.bytes.items, one->resource.bytes.count);
}

static void write_all(saving *s, uint64_t before, uint64_t after, micai_packer *to)
{
    micai_pack_bytes(to, MICAI_DELTA_MAGIC, MICAI_DELTA_MAGIC_SIZE);
    micai_pack_fixed(to, MICA_DELTA_VERSION, 1);
    uint32_t flags = to->bytes.count;
    micai_pack_fixed(to, 0, 1);
    micai_pack_fixed(to, before, 8);
    micai_pack_fixed(to, after, 8);
    micai_pack_number(to, s->list.count);
    bool rounds = false;
    for (uint32_t i = 0; i < s->list.count; i++) {
        rounds |= write_type(s->list.items[i], to);
    }
    if (rounds && !to->failed) {
        to->bytes.items[flags] = MICAI_DELTA_ROUNDS;
    }
    micai_pack_slots(to, s->despawned.items, s->despawned.count, sizeof(uint32_t));
    micai_pack_slots(to, s->spawned.items, s->spawned.count, sizeof(uint32_t));
    micai_pack_bytes(to, s->generations.bytes.items, s->generations.bytes.count);
    micai_pack_number(to, s->facet_count);
    micai_pack_bytes(to, s->facets.bytes.items, s->facets.bytes.count);
    micai_pack_slots(to, s->named.items, s->named.count, sizeof(uint32_t));
    micai_pack_bytes(to, s->names.bytes.items, s->names.bytes.count);
    for (uint32_t i = 0; i < s->list.count; i++) {
        write_values(s->list.items[i], to);
    }
    if (!to->failed) {
        micai_pack_fixed(to, micai_hash_bytes(to->bytes.items, to->bytes.count),
                         MICAI_DELTA_SUM_SIZE);
    }
}

static void free_all(saving *s)
{
    for (uint32_t i = 0; i < s->list.count; i++) {
        saved_type *one = s->list.items[i];
        micai_array_free(s->host, &one->removed);
        micai_array_free(s->host, &one->toggled);
        micai_array_free(s->host, &one->added);
        micai_array_free(s->host, &one->changed);
        micai_pack_free(&one->bytes);
        micai_pack_free(&one->resource);
    }
    micai_array_free(s->host, &s->list);
    micai_array_free(s->host, &s->despawned);
    micai_array_free(s->host, &s->spawned);
    micai_array_free(s->host, &s->named);
    micai_pack_free(&s->generations);
    micai_pack_free(&s->facets);
    micai_pack_free(&s->names);
    micai_arena_free(s->host, &s->arena);
}

// Collects the differences, and writes them to `to`.
static mica_result make(saving *s, mica_snapshot from, mica_snapshot to, micai_packer *out)
{
    const micai_compare_calls calls = {.differs = add_difference, .facet = add_facet, .user = s};
    size_t types = s->registry->list.count;
    s->types = micai_arena_alloc_array(s->host, &s->arena, types, sizeof *s->types,
                                       _Alignof(saved_type *));
    if (!s->types && types > 0) {
        return MICA_ERROR_MEMORY;
    }
    for (size_t n = 0; n < types; n++) {
        s->types[n] = NULL;
    }
    mica_result result = micai_snapshots_compare(s->world, s->call, from, to, &calls);
    result = result ? result : s->failed;
    uint64_t before, after;
    result = result ? result : micai_snapshot_get_hash(s->world, s->call, from, &before);
    result = result ? result : micai_snapshot_get_hash(s->world, s->call, to, &after);
    if (!result) {
        write_all(s, before, after, out);
        result = out->failed ? MICA_ERROR_MEMORY : MICA_OK;
    }
    return result;
}

// The descriptor

static mica_result check_field(saving *s, uint32_t place)
{
    const mica_delta_field *rounded = &s->desc->fields[place];
    const micai_type *type =
        micai_world_type_in(s->world, s->call, "rounded field", place, rounded->type);
    if (!type) {
        return MICA_ERROR_TYPE;
    }
    if (!rounded->field) {
        return micai_fail_null(s->host, s->call, "field");
    }
    const mica_type_info *info = &type->info;
    uint32_t i = 0;
    while (i < info->field_count && strcmp(info->fields[i].name, rounded->field) != 0) {
        i++;
    }
    if (i == info->field_count) {
        return micai_fail(s->host, MICA_ERROR_FIELD, "%s: '%.80s' has no field '%.80s'", s->call,
                          info->name, rounded->field);
    }
    mica_kind kind = info->fields[i].kind;
    if (kind != MICA_KIND_F32 && kind != MICA_KIND_F64) {
        return micai_fail(s->host, MICA_ERROR_FIELD,
                          "%s: '%.80s.%.80s' is %s; only f32 and f64 are rounded", s->call,
                          info->name, rounded->field, mica_kind_name(kind));
    }
    return micai_leaf_can_round(kind, rounded->step)
               ? MICA_OK
               : micai_fail(s->host, MICA_ERROR_ARGUMENT,
                            "%s: '%.80s.%.80s' cannot be rounded to multiples of %g", s->call,
                            info->name, rounded->field, rounded->step);
}

static mica_result check_desc(saving *s)
{
    if (s->desc->first_zero != 0 || s->desc->last_zero != 0) {
        return micai_fail(s->host, MICA_ERROR_DESC,
                          "%s: the descriptor was not zeroed before it was filled in", s->call);
    }
    if (s->desc->field_count > 0 && !s->desc->fields) {
        return micai_fail_null(s->host, s->call, "fields");
    }
    mica_result result = MICA_OK;
    for (uint32_t i = 0; i < s->desc->field_count && !result; i++) {
        result = check_field(s, i);
    }
    return result;
}

// Writes what was made to the stream.
static mica_result write_stream(const saving *s, const mica_stream *stream,
                                const micai_packer *bytes)
{
    micai_output output;
    mica_result result = micai_output_open(&output, s->host, s->call, stream, MICAI_OUTPUT_SMALL);
    if (!result) {
        micai_output_write(&output, bytes->bytes.items, bytes->bytes.count);
        result = micai_output_close(&output, MICA_OK);
    }
    return result;
}

static const mica_delta_desc defaults;

mica_result mica_delta_save(mica_world *world, mica_snapshot from, mica_snapshot to,
                            const mica_stream *stream, const mica_delta_desc *desc)
{
    static const char call[] = "mica_delta_save";
    if (!world || !stream) {
        return micai_fail_null(micai_world_host(world), call, world ? "stream" : "world");
    }
    saving s = {.world = world,
                .host = &world->host,
                .call = call,
                .registry = &world->state->registry,
                .desc = desc ? desc : &defaults};
    s.generations.host = s.names.host = s.facets.host = s.host;
    mica_result result = check_desc(&s);
    if (result) {
        return result;
    }
    micai_packer bytes = {.host = s.host};
    micai_host_begin(s.host, call);
    result = make(&s, from, to, &bytes);
    result = result ? result : write_stream(&s, stream, &bytes);
    free_all(&s);
    micai_pack_free(&bytes);
    micai_host_end(s.host);
    return result;
}
