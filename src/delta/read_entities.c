// Reading and checking a delta: entities that are despawned and spawned, facets and names. load_internal.h has the
// contract.
#include "delta/load_internal.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash_term.h"
#include "entity/name.h"

// Looking up

static int compare_slots(const void *a, const void *b)
{
    uint32_t x = mica_entity_slot(*(const mica_entity *)a);
    uint32_t y = mica_entity_slot(*(const mica_entity *)b);
    return x < y ? -1 : x > y;
}

// Returns the entity of a slot in a list of items that begin with their entity, by slot; or none.
static mica_entity find_item(const void *items, uint32_t count, size_t size, uint32_t slot)
{
    const mica_entity key = {slot};
    const mica_entity *found = count > 0 ? bsearch(&key, items, count, size, compare_slots) : NULL;
    return found ? *found : (mica_entity){0};
}

static mica_entity find_in(const micai_entity_list *list, uint32_t slot)
{
    return find_item(list->items, list->count, sizeof *list->items, slot);
}

static mica_entity find_living(const micai_delta_load *l, uint32_t slot)
{
    const micai_record *record = micai_slots_look(&l->state->slots, slot);
    bool alive = record && record->tag < MICAI_SLOT_FREE;
    return alive ? (mica_entity){(uint64_t)record->tag << 32 | slot} : (mica_entity){0};
}

static bool is_despawned(const micai_delta_load *l, mica_entity entity)
{
    return find_in(&l->despawned, mica_entity_slot(entity)).bits == entity.bits;
}

mica_entity micai_delta_find_kept(const micai_delta_load *l, uint32_t slot)
{
    mica_entity entity = find_living(l, slot);
    return is_despawned(l, entity) ? (mica_entity){0} : entity;
}

mica_entity micai_delta_find_after(const micai_delta_load *l, uint32_t slot)
{
    mica_entity entity = find_in(&l->spawned, slot);
    return MICA_IS_NONE(entity) ? micai_delta_find_kept(l, slot) : entity;
}

micai_slot_list micai_delta_begin_list(micai_delta_load *l, micai_unpacker *from)
{
    micai_slot_list list = micai_unpack_slots(from);
    if (list.left > (uint64_t)l->state->slots.alive + l->spawned.count) {
        micai_delta_fail(l, "a list has more entities than there are");
    }
    if (!micai_delta_is_read(l, from)) {
        list.left = 0;
    }
    return list;
}

// Entities that are despawned and spawned

static bool add_entity(micai_delta_load *l, micai_entity_list *list, mica_entity entity)
{
    if (!micai_array_reserve(l->host, list, 1)) {
        return micai_delta_fail_memory(l);
    }
    list->items[list->count++] = entity;
    return true;
}

// Subtracts all terms of an entity that is despawned.
static bool forget(micai_delta_load *l, mica_entity entity)
{
    const micai_state *state = l->state;
    const micai_entity_ref ref = micai_entity_ref_of(state, entity);
    const char *name = micai_names_get(micai_names_of(state), entity);
    const micai_facet *facet = micai_facets_get(micai_facets_of(state), entity);
    l->hash -= micai_hash_alive(entity);
    l->hash -= name ? micai_hash_name(entity, micai_hash_text(name)) : 0;
    l->hash -= facet ? micai_facet_hash(&state->registry, facet) : 0;
    for (uint32_t n = micai_value_next(state, ref, 0); n != MICAI_BITS_END;
         n = micai_value_next(state, ref, n + 1)) {
        l->hash -= n == state->registry.hidden
                       ? 0
                       : micai_delta_hash_old(l, entity, state->registry.list.items[n]);
    }
    mica_entity own = micai_facets_first(micai_facets_of(state), entity);
    for (; !MICA_IS_NONE(own); own = micai_facets_next(micai_facets_of(state), own)) {
        if (!is_despawned(l, own)) {
            return micai_delta_fail(l, "an entity is despawned, and a facet of it is not");
        }
    }
    return true;
}

static bool read_despawned(micai_delta_load *l, micai_unpacker *from)
{
    micai_slot_list list = micai_delta_begin_list(l, from);
    while (list.left > 0) {
        mica_entity entity = find_living(l, micai_unpack_slot(from, &list));
        if (!micai_delta_is_read(l, from)) {
            return false;
        }
        if (MICA_IS_NONE(entity)) {
            return micai_delta_fail(l, "an entity is despawned that is not alive");
        }
        if (!add_entity(l, &l->despawned, entity)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < l->despawned.count; i++) {
        if (!forget(l, l->despawned.items[i])) {
            return false;
        }
    }
    return micai_delta_is_read(l, from);
}

static bool read_spawned(micai_delta_load *l, micai_unpacker *from)
{
    micai_slot_list list = micai_unpack_slots(from);
    if (list.left > micai_unpack_left(from)) { // each has a generation
        return micai_delta_fail(l, "it ends in the middle");
    }
    while (list.left > 0) {
        mica_entity entity = {micai_unpack_slot(from, &list)};
        if (!micai_delta_is_read(l, from) || !add_entity(l, &l->spawned, entity)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < l->spawned.count; i++) {
        mica_entity *one = &l->spawned.items[i];
        uint64_t tag = micai_unpack_number(from);
        uint32_t slot = mica_entity_slot(*one);
        if (from->failed || tag == 0 || tag >= MICAI_SLOT_FREE) {
            return micai_delta_fail(l, "an entity is spawned with a handle that is none");
        }
        if (!MICA_IS_NONE(micai_delta_find_kept(l, slot))) {
            return micai_delta_fail(l, "an entity is spawned where another one lives");
        }
        one->bits = tag << 32 | slot;
        l->hash += micai_hash_alive(*one);
    }
    return micai_delta_is_read(l, from);
}

// Facets

static int compare_facets(const void *a, const void *b)
{
    return compare_slots(&((const micai_facet *)a)->facet, &((const micai_facet *)b)->facet);
}

static int compare_keys(const void *a, const void *b)
{
    const micai_facet *one = a;
    const micai_facet *other = b;
    int order = compare_slots(&one->owner, &other->owner);
    if (order == 0 && one->component != other->component) {
        order = one->component < other->component ? -1 : 1;
    }
    return order != 0 ? order : one->role < other->role ? -1 : one->role > other->role;
}

// Returns true if the order is strict after sorting a copy.
static bool are_different(micai_delta_load *l, int (*compare)(const void *, const void *))
{
    uint32_t count = l->facets.count;
    micai_facet *copy = micai_delta_alloc(l, count * sizeof *copy, _Alignof(micai_facet));
    if (!copy) {
        return false;
    }
    memcpy(copy, l->facets.items, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare);
    uint32_t i = 1;
    while (i < count && compare(&copy[i - 1], &copy[i]) < 0) {
        i++;
    }
    return i >= count || micai_delta_fail(l, "a facet occurs twice");
}

static bool read_facet(micai_delta_load *l, micai_unpacker *from, micai_facet *facet_out)
{
    const micai_facets *facets = micai_facets_of(l->state);
    uint64_t place = micai_unpack_number(from);
    mica_entity owner = micai_delta_find_after(l, micai_unpack_32(from));
    uint64_t key = micai_unpack_number(from);
    uint32_t role = micai_unpack_32(from);
    if (!micai_delta_is_read(l, from)) {
        return false;
    }
    if (place >= l->spawned.count || key > l->type_count || (key == 0 && role == 0) ||
        MICA_IS_NONE(owner) || micai_facets_get(facets, owner)) {
        return micai_delta_fail(l, "a facet has no owner, or no key");
    }
    uint32_t component = key == 0 ? MICAI_FACET_NONE : l->types[key - 1].type->number;
    mica_entity same = micai_facets_find(facets, owner, component, role);
    if (!MICA_IS_NONE(same) && !is_despawned(l, same)) {
        return micai_delta_fail(l, "a facet has the key of another one");
    }
    *facet_out = (micai_facet){
        .facet = l->spawned.items[place], .owner = owner, .component = component, .role = role};
    l->hash += micai_facet_hash(&l->state->registry, facet_out);
    return true;
}

static bool are_owners_main(micai_delta_load *l)
{
    micai_entity_list list = {0};
    bool reserved = micai_array_reserve(l->host, &list, l->facets.count);
    for (uint32_t i = 0; reserved && i < l->facets.count; i++) {
        list.items[list.count++] = l->facets.items[i].facet;
    }
    if (list.count > 0) {
        qsort(list.items, list.count, sizeof *list.items, compare_slots);
    }
    bool main = reserved || micai_delta_fail_memory(l);
    for (uint32_t i = 0; main && i < l->facets.count; i++) {
        mica_entity owner = l->facets.items[i].owner;
        main = find_in(&list, mica_entity_slot(owner)).bits != owner.bits ||
               micai_delta_fail(l, "a facet has an owner that is a facet");
    }
    micai_array_free(l->host, &list);
    return main;
}

static bool read_facets(micai_delta_load *l, micai_unpacker *from)
{
    uint64_t count = micai_unpack_number(from);
    if (count > l->spawned.count) {
        return micai_delta_fail(l, "a list has more entities than there are");
    }
    if (count > 0 && !micai_array_reserve(l->host, &l->facets, (uint32_t)count)) {
        return micai_delta_fail_memory(l);
    }
    for (; count > 0; count--) {
        if (!read_facet(l, from, &l->facets.items[l->facets.count])) {
            return false;
        }
        l->facets.count++;
    }
    return micai_delta_is_read(l, from) &&
           (l->facets.count == 0 || (are_different(l, compare_facets) &&
                                     are_different(l, compare_keys) && are_owners_main(l)));
}

// Names

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Fails if two entities would have the same name.
static bool are_names_different(micai_delta_load *l)
{
    uint32_t count = 0;
    const char **texts =
        micai_delta_alloc(l, (l->names.count + (size_t)1) * sizeof *texts, _Alignof(char *));
    for (uint32_t i = 0; texts && i < l->names.count; i++) {
        if (l->names.items[i].text) {
            texts[count++] = l->names.items[i].text;
        }
    }
    if (count > 0) {
        qsort(texts, count, sizeof *texts, compare_names);
    }
    bool different = texts != NULL;
    for (uint32_t i = 1; i < count && different; i++) {
        different =
            strcmp(texts[i - 1], texts[i]) != 0 || micai_delta_fail(l, "a name occurs twice");
    }
    return different;
}

// Fails if an entity that keeps its name has one of the new ones.
static bool are_names_free(micai_delta_load *l)
{
    for (uint32_t i = 0; i < l->names.count; i++) {
        const char *text = l->names.items[i].text;
        mica_entity holder =
            text ? micai_names_find(micai_names_of(l->state), text) : (mica_entity){0};
        mica_entity named = find_item(l->names.items, l->names.count, sizeof *l->names.items,
                                      mica_entity_slot(holder));
        if (!MICA_IS_NONE(holder) && !is_despawned(l, holder) && named.bits != holder.bits) {
            return micai_delta_fail(l, "a name is another entity's");
        }
    }
    return true;
}

static bool read_name(micai_delta_load *l, micai_unpacker *from, micai_new_name *name)
{
    const char *before = micai_names_get(micai_names_of(l->state), name->entity);
    char text[MICA_NAME_SIZE_MAX + 1];
    if (!micai_unpack_text(from, text) || (text[0] != '\0' && !micai_names_accept(text))) {
        return micai_delta_fail(l, "a name is none");
    }
    if (text[0] != '\0') {
        size_t size = strlen(text) + 1;
        char *copy = micai_delta_alloc(l, size, 1);
        if (!copy) {
            return false;
        }
        name->text = memcpy(copy, text, size);
    }
    l->hash -= before ? micai_hash_name(name->entity, micai_hash_text(before)) : 0;
    l->hash += name->text ? micai_hash_name(name->entity, micai_hash_text(name->text)) : 0;
    return true;
}

static bool read_names(micai_delta_load *l, micai_unpacker *from)
{
    micai_slot_list list = micai_delta_begin_list(l, from);
    if (list.left > 0 && !micai_array_reserve(l->host, &l->names, (uint32_t)list.left)) {
        return micai_delta_fail_memory(l);
    }
    while (list.left > 0) {
        mica_entity entity = micai_delta_find_after(l, micai_unpack_slot(from, &list));
        if (micai_delta_is_read(l, from) && MICA_IS_NONE(entity)) {
            micai_delta_fail(l, "an entity is named that is not alive");
        }
        if (l->failed) {
            return false;
        }
        l->names.items[l->names.count++] = (micai_new_name){.entity = entity};
    }
    for (uint32_t i = 0; i < l->names.count; i++) {
        if (!read_name(l, from, &l->names.items[i])) {
            return false;
        }
    }
    return are_names_different(l) && are_names_free(l);
}

bool micai_delta_read_entities(micai_delta_load *l, micai_unpacker *from)
{
    return read_despawned(l, from) && read_spawned(l, from) && read_facets(l, from) &&
           read_names(l, from);
}
