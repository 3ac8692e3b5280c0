// Reading and checking a delta. load_internal.h has the contract, delta_internal.h the format.
#include "delta/load_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/hash_term.h"
#include "entity/name.h"
#include "image/way.h"

// A type of the delta, while it is read.
typedef struct micai_read_type {
    const micai_type *type;
    micai_leaves leaves;
} read_type;

bool micai_delta_fail(micai_delta_load *l, const char *what)
{
    if (!l->failed) {
        l->failed =
            micai_fail(l->host, MICA_ERROR_IMAGE, "%s: the delta is damaged: %s", l->call, what);
    }
    return false;
}

bool micai_delta_fail_memory(micai_delta_load *l)
{
    l->failed = l->failed ? l->failed : MICA_ERROR_MEMORY;
    return false;
}

static bool is_read(micai_delta_load *l, const micai_unpacker *from)
{
    return !l->failed && (!from->failed || micai_delta_fail(l, "it ends in the middle"));
}

static void *alloc(micai_delta_load *l, size_t size, size_t align)
{
    void *memory = micai_arena_alloc(l->host, &l->arena, size, align);
    if (!memory) {
        micai_delta_fail_memory(l);
    }
    return memory;
}

// Entities

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

bool micai_delta_is_despawned(const micai_delta_load *l, mica_entity entity)
{
    return find_in(&l->despawned, mica_entity_slot(entity)).bits == entity.bits;
}

mica_entity micai_delta_find_kept(const micai_delta_load *l, uint32_t slot)
{
    mica_entity entity = find_living(l, slot);
    return micai_delta_is_despawned(l, entity) ? (mica_entity){0} : entity;
}

// Returns the entity that a slot has afterwards; or none.
static mica_entity find_after(const micai_delta_load *l, uint32_t slot)
{
    mica_entity entity = find_in(&l->spawned, slot);
    return MICA_IS_NONE(entity) ? micai_delta_find_kept(l, slot) : entity;
}

// Reads the head of a list of entities that are there before or afterwards.
static micai_slot_list begin_list(micai_delta_load *l, micai_unpacker *from)
{
    micai_slot_list list = micai_unpack_slots(from);
    if (list.left > (uint64_t)l->state->slots.alive + l->spawned.count) {
        micai_delta_fail(l, "a list has more entities than there are");
    }
    if (!is_read(l, from)) {
        list.left = 0;
    }
    return list;
}

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

static uint64_t hash_old(const micai_delta_load *l, mica_entity entity, const micai_type *type)
{
    bool off;
    load_old(l, entity, type, l->space, &off);
    return hash_of(l, entity, type, type->info.size > 0 ? l->space : NULL, off);
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
        l->hash -=
            n == state->registry.hidden ? 0 : hash_old(l, entity, state->registry.list.items[n]);
    }
    mica_entity own = micai_facets_first(micai_facets_of(state), entity);
    for (; !MICA_IS_NONE(own); own = micai_facets_next(micai_facets_of(state), own)) {
        if (!micai_delta_is_despawned(l, own)) {
            return micai_delta_fail(l, "an entity is despawned, and a facet of it is not");
        }
    }
    return true;
}

// Head

static mica_result fail_image(micai_delta_load *l, const char *what)
{
    return micai_fail(l->host, MICA_ERROR_IMAGE, "%s: %s", l->call, what);
}

mica_result micai_delta_read_head(micai_delta_load *l, micai_unpacker *from)
{
    const unsigned char *begin = from->at;
    size_t size = (size_t)micai_unpack_left(from);
    const unsigned char *magic = micai_unpack_bytes(from, MICAI_DELTA_MAGIC_SIZE);
    if (!magic || memcmp(magic, MICAI_DELTA_MAGIC, MICAI_DELTA_MAGIC_SIZE) != 0) {
        return fail_image(l, "this is no delta");
    }
    uint64_t version = micai_unpack_fixed(from, 1);
    if (version > MICA_DELTA_VERSION) {
        return micai_fail(l->host, MICA_ERROR_VERSION,
                          "%s: the delta has version %" PRIu64 "; this library reads %u", l->call,
                          version, MICA_DELTA_VERSION);
    }
    uint64_t flags = micai_unpack_fixed(from, 1);
    l->before = micai_unpack_fixed(from, 8);
    l->after = micai_unpack_fixed(from, 8);
    l->rounds = (flags & MICAI_DELTA_ROUNDS) != 0;
    if (from->failed || version == 0 || flags > MICAI_DELTA_ROUNDS ||
        micai_unpack_left(from) < MICAI_DELTA_SUM_SIZE) {
        return fail_image(l, "the delta is damaged: its head is wrong");
    }
    from->end -= MICAI_DELTA_SUM_SIZE;
    micai_unpacker sum = {from->end, from->end + MICAI_DELTA_SUM_SIZE, false};
    return micai_unpack_fixed(&sum, MICAI_DELTA_SUM_SIZE) ==
                   micai_hash_bytes(begin, size - MICAI_DELTA_SUM_SIZE)
               ? MICA_OK
               : fail_image(l, "the delta is damaged: its checksum is wrong");
}

// Types

static bool read_steps(micai_delta_load *l, micai_unpacker *from, micai_leaves *leaves)
{
    uint64_t count = micai_unpack_number(from);
    if (count > leaves->count || (count > 0 && !l->rounds)) {
        return micai_delta_fail(l, "fields are rounded that cannot be");
    }
    for (; count > 0 && !from->failed; count--) {
        uint64_t place = micai_unpack_number(from);
        uint64_t bits = micai_unpack_fixed(from, 8);
        double step;
        memcpy(&step, &bits, sizeof step);
        if (place >= leaves->count || !micai_leaf_can_round(leaves->items[place].kind, step)) {
            return micai_delta_fail(l, "fields are rounded that cannot be");
        }
        leaves->items[place].step = step;
    }
    return is_read(l, from);
}

static bool fail_schema(micai_delta_load *l, const char *format, const char *name)
{
    l->failed = micai_fail(l->host, MICA_ERROR_SCHEMA, format, l->call, name);
    return false;
}

static bool read_type_of(micai_delta_load *l, micai_unpacker *from, read_type *one)
{
    const micai_registry *registry = &l->state->registry;
    char name[MICA_NAME_SIZE_MAX + 1];
    bool named = micai_unpack_text(from, name);
    uint64_t layout = micai_unpack_fixed(from, 4);
    if (!named) {
        return micai_delta_fail(l, "a type has no name");
    }
    if (!is_read(l, from)) {
        return false;
    }
    one->type = micai_registry_find_name(registry, name);
    if (!one->type) {
        return fail_schema(l, "%s: the delta has '%.80s', which is not registered here", name);
    }
    if (!micai_leaves_make(l->host, &l->arena, registry, one->type, &one->leaves)) {
        return micai_delta_fail_memory(l);
    }
    if ((one->leaves.layout & UINT32_MAX) != layout) {
        return fail_schema(l, "%s: '%.80s' is described differently in the delta", name);
    }
    return read_steps(l, from, &one->leaves);
}

mica_result micai_delta_read_types(micai_delta_load *l, micai_unpacker *from)
{
    uint64_t count = micai_unpack_number(from);
    if (count > l->state->registry.list.count) {
        fail_schema(l, "%s: the delta has more types than %s", "are registered here");
    }
    if (!is_read(l, from)) {
        return l->failed;
    }
    l->types = alloc(l, ((size_t)count + 1) * sizeof *l->types, _Alignof(read_type));
    bool *known = l->types ? alloc(l, l->state->registry.list.count + (size_t)1, 1) : NULL;
    if (known) {
        memset(known, 0, l->state->registry.list.count);
    }
    while (known && l->type_count < count && read_type_of(l, from, &l->types[l->type_count])) {
        uint32_t number = l->types[l->type_count++].type->number;
        if (known[number]) {
            micai_delta_fail(l, "a type occurs twice");
            return l->failed;
        }
        known[number] = true;
    }
    return l->failed;
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

static bool read_despawned(micai_delta_load *l, micai_unpacker *from)
{
    micai_slot_list list = begin_list(l, from);
    while (list.left > 0) {
        mica_entity entity = find_living(l, micai_unpack_slot(from, &list));
        if (!is_read(l, from)) {
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
    return is_read(l, from);
}

static bool read_spawned(micai_delta_load *l, micai_unpacker *from)
{
    micai_slot_list list = micai_unpack_slots(from);
    if (list.left > micai_unpack_left(from)) { // each has a generation
        return micai_delta_fail(l, "it ends in the middle");
    }
    while (list.left > 0) {
        mica_entity entity = {micai_unpack_slot(from, &list)};
        if (!is_read(l, from) || !add_entity(l, &l->spawned, entity)) {
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
    return is_read(l, from);
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
    micai_facet *copy = alloc(l, count * sizeof *copy, _Alignof(micai_facet));
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
    mica_entity owner = find_after(l, micai_unpack_32(from));
    uint64_t key = micai_unpack_number(from);
    uint32_t role = micai_unpack_32(from);
    if (!is_read(l, from)) {
        return false;
    }
    if (place >= l->spawned.count || key > l->type_count || (key == 0 && role == 0) ||
        MICA_IS_NONE(owner) || micai_facets_get(facets, owner)) {
        return micai_delta_fail(l, "a facet has no owner, or no key");
    }
    uint32_t component = key == 0 ? MICAI_FACET_NONE : l->types[key - 1].type->number;
    mica_entity same = micai_facets_find(facets, owner, component, role);
    if (!MICA_IS_NONE(same) && !micai_delta_is_despawned(l, same)) {
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
    return is_read(l, from) &&
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
    const char **texts = alloc(l, (l->names.count + (size_t)1) * sizeof *texts, _Alignof(char *));
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
        if (!MICA_IS_NONE(holder) && !micai_delta_is_despawned(l, holder) &&
            named.bits != holder.bits) {
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
        char *copy = alloc(l, size, 1);
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
    micai_slot_list list = begin_list(l, from);
    if (list.left > 0 && !micai_array_reserve(l->host, &l->names, (uint32_t)list.left)) {
        return micai_delta_fail_memory(l);
    }
    while (list.left > 0) {
        mica_entity entity = find_after(l, micai_unpack_slot(from, &list));
        if (is_read(l, from) && MICA_IS_NONE(entity)) {
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

// Values

static bool add_act(micai_delta_load *l, micai_acts *list, micai_act one)
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
static bool read_slots(micai_delta_load *l, micai_unpacker *from, const read_type *of,
                       micai_act_kind kind)
{
    micai_slot_list list = begin_list(l, from);
    while (list.left > 0) {
        mica_entity entity = micai_delta_find_kept(l, micai_unpack_slot(from, &list));
        if (!is_read(l, from)) {
            return false;
        }
        bool can = kind == MICAI_ACT_REMOVE || of->type->info.toggle;
        if (!can || !had(l, entity, of->type)) {
            return micai_delta_fail(l, "a component is removed or toggled that is not there");
        }
        if (!add_act(l, &l->acts, (micai_act){.entity = entity, .type = of->type, .kind = kind})) {
            return false;
        }
    }
    return is_read(l, from);
}

// Passes out the value that an act begins with. Fails if the entity cannot have it.
static bool begin_value(micai_delta_load *l, const read_type *of, micai_act *act)
{
    const mica_type_info *info = &of->type->info;
    bool there =
        act->kind == MICAI_ACT_ADD ? !MICA_IS_NONE(act->entity) : had(l, act->entity, of->type);
    if (there && act->kind == MICAI_ACT_ADD) {
        bool spawned = !MICA_IS_NONE(find_in(&l->spawned, mica_entity_slot(act->entity)));
        there = spawned || !had(l, act->entity, of->type);
    }
    if (!there) {
        return micai_delta_fail(l, "a value is another entity's");
    }
    if (info->size == 0) {
        return act->kind == MICAI_ACT_ADD || micai_delta_fail(l, "a tag has changed");
    }
    act->value = alloc(l, info->size, info->align);
    if (!act->value) {
        return false;
    }
    if (act->kind == MICAI_ACT_ADD) {
        micai_leaves_begin(of->type, act->value);
    } else {
        bool off;
        load_old(l, act->entity, of->type, act->value, &off);
    }
    return true;
}

// Reads a mask. NULL: a failure.
static const unsigned char *read_mask(micai_delta_load *l, micai_unpacker *from,
                                      const read_type *of)
{
    const unsigned char *mask = micai_unpack_bytes(from, of->leaves.mask_size);
    uint32_t unused = of->leaves.mask_size * 8 - of->leaves.count;
    if (mask && unused > 0 && mask[of->leaves.mask_size - 1] >> (8 - unused) != 0) {
        micai_delta_fail(l, "a value has a field that its type has not");
    }
    return is_read(l, from) ? mask : NULL;
}

static bool read_run(micai_delta_load *l, micai_unpacker *from, const read_type *of,
                     micai_slot_list *list, micai_act_kind kind)
{
    uint32_t first = l->acts.count;
    while (list->left > 0) {
        uint32_t slot = micai_unpack_slot(from, list);
        mica_entity entity =
            kind == MICAI_ACT_ADD ? find_after(l, slot) : micai_delta_find_kept(l, slot);
        if (!is_read(l, from) ||
            !add_act(l, &l->acts, (micai_act){.entity = entity, .type = of->type, .kind = kind})) {
            return false;
        }
    }
    bool toggles = kind == MICAI_ACT_ADD && of->type->info.toggle;
    uint64_t off = toggles ? micai_unpack_fixed(from, 1) : 0;
    const unsigned char *mask = read_mask(l, from, of);
    if (!mask || off > 1) {
        return micai_delta_fail(l, "a value is neither enabled nor disabled");
    }
    for (uint32_t i = first; i < l->acts.count; i++) {
        micai_act *act = &l->acts.items[i];
        act->off = off != 0;
        if (!begin_value(l, of, act)) {
            return false;
        }
        if (act->value) {
            micai_leaves_read(&of->leaves, mask, from, act->value);
        }
        if (from->failed) {
            return micai_delta_fail(l, "a value is none of its type");
        }
    }
    return true;
}

static bool read_runs(micai_delta_load *l, micai_unpacker *from, const read_type *of,
                      micai_act_kind kind)
{
    micai_schema_way way = micai_schema_way_of(&l->state->registry, of->type);
    micai_slot_list list = begin_list(l, from);
    if (list.left > 0 && (way == MICAI_SCHEMA_HOOKS || way == MICAI_SCHEMA_CLOSED)) {
        return fail_schema(l, "%s: '%.80s' is described differently in the delta",
                           of->type->info.name);
    }
    while (list.left > 0) {
        if (!read_run(l, from, of, &list, kind)) {
            return false;
        }
        list = begin_list(l, from);
    }
    return is_read(l, from);
}

static int compare_acts(const void *a, const void *b)
{
    const micai_act *one = a;
    const micai_act *other = b;
    int order = compare_slots(&one->entity, &other->entity);
    return order != 0 ? order : one->kind < other->kind ? -1 : one->kind > other->kind;
}

static void sort_acts(micai_acts *acts)
{
    uint32_t i = 1;
    while (i < acts->count && compare_acts(&acts->items[i - 1], &acts->items[i]) < 0) {
        i++;
    }
    if (i < acts->count) {
        qsort(acts->items, acts->count, sizeof *acts->items, compare_acts);
    }
}

// Enters the act of an entity, or two: a change, and then a toggle.
static bool enter_acts(micai_delta_load *l, const read_type *of, micai_act *act, uint32_t count)
{
    bool sparse = micai_schema_is_sparse(of->type);
    micai_act *last = &act[count - 1];
    if (count > 2 ||
        (count == 2 && (act->kind != MICAI_ACT_CHANGE || last->kind != MICAI_ACT_TOGGLE))) {
        return micai_delta_fail(l, "an entity occurs twice");
    }
    if (act->kind == MICAI_ACT_ADD) {
        l->hash += hash_of(l, act->entity, of->type, act->value, act->off);
        return add_act(l, sparse ? &l->pools : &l->tables, *act);
    }
    bool off;
    const void *old = of->type->info.size > 0 ? l->space : NULL;
    load_old(l, act->entity, of->type, l->space, &off);
    l->hash -= hash_of(l, act->entity, of->type, old, off);
    if (act->kind == MICAI_ACT_REMOVE) {
        return add_act(l, sparse ? &l->pools : &l->tables, *act);
    }
    last->off = last->kind == MICAI_ACT_TOGGLE && !MICAI_CANARY("delta.toggled") ? !off : off;
    l->hash += hash_of(l, act->entity, of->type, act->value ? act->value : old, last->off);
    return add_act(l, &l->values, *act) && (count == 1 || add_act(l, &l->values, *last));
}

static bool enter_all(micai_delta_load *l, const read_type *of)
{
    sort_acts(&l->acts);
    for (uint32_t i = 0, end; i < l->acts.count; i = end) {
        micai_act *first = &l->acts.items[i];
        end = i + 1;
        while (end < l->acts.count && l->acts.items[end].entity.bits == first->entity.bits) {
            end++;
        }
        if (!enter_acts(l, of, first, end - i)) {
            return false;
        }
    }
    return true;
}

static bool read_resource(micai_delta_load *l, micai_unpacker *from, const read_type *of)
{
    const micai_registry *registry = &l->state->registry;
    const mica_type_info *info = &of->type->info;
    const unsigned char *old = micai_resources_find(&l->state->resources, info->type);
    uint64_t what = micai_unpack_fixed(from, 1);
    if (!is_read(l, from) || what == MICAI_DELTA_KEPT) {
        return !l->failed;
    }
    if (what > MICAI_DELTA_SET || (what == MICAI_DELTA_REMOVED && !old) || info->size == 0) {
        return micai_delta_fail(l, "a resource is removed that is not there");
    }
    micai_new_resource one = {.type = of->type};
    if (what == MICAI_DELTA_SET) {
        const unsigned char *mask = read_mask(l, from, of);
        one.value = mask ? alloc(l, info->size, info->align) : NULL;
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

static bool read_values(micai_delta_load *l, micai_unpacker *from, const read_type *of)
{
    l->acts.count = 0;
    return read_slots(l, from, of, MICAI_ACT_REMOVE) && read_runs(l, from, of, MICAI_ACT_ADD) &&
           read_runs(l, from, of, MICAI_ACT_CHANGE) && read_slots(l, from, of, MICAI_ACT_TOGGLE) &&
           enter_all(l, of) && read_resource(l, from, of);
}

// Returns memory for a value of any type.
static void *alloc_value(micai_delta_load *l)
{
    const micai_registry *registry = &l->state->registry;
    size_t size = 1;
    size_t align = 1;
    for (uint32_t n = 0; n < registry->list.count; n++) {
        const mica_type_info *info = &registry->list.items[n]->info;
        size = info->size > size ? info->size : size;
        align = info->align > align ? info->align : align;
    }
    return alloc(l, size, align);
}

mica_result micai_delta_read(micai_delta_load *l, micai_unpacker *from)
{
    l->space = alloc_value(l);
    bool good = l->space && read_despawned(l, from) && read_spawned(l, from) &&
                read_facets(l, from) && read_names(l, from);
    for (uint32_t i = 0; i < l->type_count && good; i++) {
        good = read_values(l, from, &l->types[i]);
    }
    if (good && micai_unpack_left(from) > 0) {
        micai_delta_fail(l, "it does not end where it should");
    }
    return l->failed;
}
