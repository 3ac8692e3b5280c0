// Unclaimed state. unclaimed.h has the contract and the invariants.
#include "core/unclaimed.h"

#include <mica/type.h>
#include <string.h>

#include "base/canary.h"
#include "base/hash.h"

typedef struct key {
    const char *name;
    uint64_t detail;
    uint32_t kind;
} key;

static key key_of(const micai_unclaimed_item *item)
{
    return (key){item->name, item->detail, item->kind};
}

static uint64_t hash_key(key of)
{
    return micai_hash_add(micai_hash_add(micai_hash_text(of.name), of.kind), of.detail);
}

static bool has_key(const micai_unclaimed_item *item, key of)
{
    return item->kind == of.kind && item->detail == of.detail && item->name &&
           strcmp(item->name, of.name) == 0;
}

static bool match_key(const void *context, uint32_t value, const void *of)
{
    const micai_unclaimed *all = context;
    return has_key(&all->items.items[value], *(const key *)of);
}

static uint32_t find_first(const micai_unclaimed *all, key of)
{
    return micai_map_find(&all->by_key, hash_key(of), match_key, all, &of);
}

bool micai_unclaimed_add(micai_host *host, micai_unclaimed *all, micai_unclaimed_item item)
{
    if (!micai_array_reserve(host, &all->items, 1) || !micai_map_reserve(host, &all->by_key, 1)) {
        return false;
    }
    item.name = micai_copy_text(host, item.name);
    if (!item.name) {
        return false;
    }
    uint32_t place = all->items.count;
    uint32_t first = find_first(all, key_of(&item));
    item.next = MICAI_MAP_NONE;
    item.last = 0;
    if (first == MICAI_MAP_NONE) {
        item.last = place;
        micai_map_insert(&all->by_key, hash_key(key_of(&item)), place);
    } else {
        all->items.items[all->items.items[first].last].next = place;
        all->items.items[first].last = place;
    }
    all->items.items[all->items.count++] = item;
    all->left++;
    return true;
}

bool micai_unclaimed_claim(micai_host *host, micai_unclaimed *all, uint32_t kind, const char *name,
                           uint64_t detail, uint64_t values_out[2])
{
    const key of = {name, detail, kind};
    uint32_t first = find_first(all, of);
    if (first == MICAI_MAP_NONE) {
        return false;
    }
    micai_unclaimed_item *item = &all->items.items[first];
    uint32_t next = item->next;
    if (MICAI_CANARY("core.claim_next")) {
        next = MICAI_MAP_NONE;
    }
    memcpy(values_out, item->values, sizeof item->values);
    micai_map_remove(&all->by_key, hash_key(of), first);
    if (next != MICAI_MAP_NONE) {
        all->items.items[next].last = item->last;
        micai_map_insert(&all->by_key, hash_key(of), next);
    }
    micai_release_text(host, item->name);
    *item = (micai_unclaimed_item){0};
    if (--all->left == 0) {
        micai_unclaimed_free(host, all);
    }
    return true;
}

const micai_unclaimed_item *micai_unclaimed_next(const micai_unclaimed *all, uint32_t kind,
                                                 uint32_t *place)
{
    while (*place < all->items.count) {
        const micai_unclaimed_item *item = &all->items.items[(*place)++];
        if (item->name && item->kind == kind) {
            return item;
        }
    }
    return NULL;
}

uint32_t micai_unclaimed_count(const micai_unclaimed *all, uint32_t kind)
{
    uint32_t count = 0;
    for (uint32_t place = 0; micai_unclaimed_next(all, kind, &place);) {
        count++;
    }
    return count;
}

void micai_unclaimed_free(micai_host *host, micai_unclaimed *all)
{
    for (uint32_t i = 0; i < all->items.count; i++) {
        micai_release_text(host, all->items.items[i].name);
    }
    micai_array_free(host, &all->items);
    micai_map_free(host, &all->by_key);
    all->left = 0;
}

micai_unclaimed *micai_unclaimed_new(micai_host *host)
{
    return micai_alloc_zeroed(host, sizeof(micai_unclaimed), _Alignof(micai_unclaimed));
}

void micai_unclaimed_replace(micai_host *host, micai_unclaimed *all, micai_unclaimed *made)
{
    micai_unclaimed_free(host, all);
    *all = *made;
    *made = (micai_unclaimed){0};
}

void micai_unclaimed_release(micai_host *host, micai_unclaimed *made)
{
    micai_unclaimed_free(host, made);
    micai_release(host, made, sizeof *made, _Alignof(micai_unclaimed));
}

void micai_unclaimed_gather(micai_archive *a, micai_unclaimed *all, micai_unclaimed_item item)
{
    if (!a->failed && !micai_unclaimed_add(a->host, all, item)) {
        micai_archive_fail_memory(a);
    }
}

void micai_unclaimed_gather_all(micai_archive *a, micai_unclaimed *all,
                                const micai_unclaimed *others)
{
    for (uint32_t i = 0; i < others->items.count; i++) {
        if (others->items.items[i].name) {
            micai_unclaimed_gather(a, all, others->items.items[i]);
        }
    }
}

void micai_unclaimed_serialize(micai_archive *a, const char *name, uint32_t kind,
                               void (*serialize)(micai_archive *a, micai_unclaimed_item *item),
                               micai_unclaimed *all)
{
    uint32_t count = a->reading ? 0 : micai_unclaimed_count(all, kind);
    uint32_t place = 0;
    micai_serialize(a, begin_list, name, &count, UINT32_MAX);
    for (uint32_t i = 0; i < count && !a->failed; i++) {
        micai_unclaimed_item item = {.kind = kind};
        if (!a->reading) {
            item = *micai_unclaimed_next(all, kind, &place);
        }
        serialize(a, &item);
        if (a->reading && item.name) {
            micai_unclaimed_gather(a, all, item);
        }
    }
    micai_serialize(a, end, name);
}

// V1
static bool is_item(const micai_unclaimed_item *item)
{
    return item->name || (item->detail == 0 && item->values[0] == 0 && item->values[1] == 0 &&
                          item->kind == 0 && item->next == 0 && item->last == 0);
}

// V2: returns the number of items with the key of the first one, or 0 if their links are broken.
static uint32_t count_key(const micai_unclaimed *all, uint32_t first)
{
    const micai_unclaimed_item *items = all->items.items;
    uint32_t count = 1;
    uint32_t place = first;
    for (uint32_t next = items[first].next; next != MICAI_MAP_NONE; next = items[next].next) {
        if (next <= place || next >= all->items.count || items[next].last != 0 ||
            !has_key(&items[next], key_of(&items[first]))) {
            return 0;
        }
        place = next;
        count++;
    }
    return items[first].last == place ? count : 0;
}

mica_result micai_unclaimed_validate(micai_host *host, const micai_unclaimed *all)
{
    mica_result result = micai_array_validate(host, &all->items, "unclaimed state");
    for (uint32_t i = 0; !result && i < all->items.count; i++) {
        if (!is_item(&all->items.items[i])) {
            result = micai_fail_invariant(host, "V1", "unclaimed state is damaged");
        }
    }
    result = result ? result : micai_map_validate(host, &all->by_key, all->items.count);
    uint32_t keys = 0;
    uint32_t found = 0;
    uint32_t left = 0;
    bool right = true;
    for (uint32_t i = 0; !result && right && i < all->items.count; i++) {
        if (all->items.items[i].name) {
            bool first = find_first(all, key_of(&all->items.items[i])) == i;
            uint32_t same = first ? count_key(all, i) : 0;
            right = !first || same > 0;
            keys += first;
            found += same;
            left++;
        }
    }
    right = right && found == left && left == all->left && keys == all->by_key.count;
    return result || right ? result
                           : micai_fail_invariant(host, "V2", "unclaimed state is not found");
}
