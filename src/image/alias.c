// Indexing aliases. alias_internal.h has the contract.
#include "image/alias_internal.h"

#include <string.h>

#include "base/hash.h"

// Compares keys: the old name of a type, or the present names of a field and its type.
static bool is_found_alike(const void *context, uint32_t value, const void *key)
{
    const micai_aliases *aliases = context;
    const mica_alias *one = &aliases->list[value];
    const mica_alias *wanted = key;
    if (!one->field || !wanted->field) {
        return !one->field && !wanted->field && strcmp(one->was, wanted->was) == 0;
    }
    return strcmp(one->type, wanted->type) == 0 && strcmp(one->field, wanted->field) == 0;
}

static uint64_t hash_of(const mica_alias *alias)
{
    return alias->field
               ? micai_hash_add(micai_hash_text(alias->type), micai_hash_text(alias->field))
               : micai_hash_text(alias->was);
}

static uint32_t find(const micai_aliases *aliases, const mica_alias *wanted)
{
    return micai_map_find(&aliases->first, hash_of(wanted), is_found_alike, aliases, wanted);
}

bool micai_aliases_index(micai_host *host, micai_arena *arena, const mica_alias *list,
                         uint32_t count, micai_aliases *aliases_out)
{
    *aliases_out = (micai_aliases){.list = list};
    uint32_t *next = micai_arena_alloc_array(host, arena, count, sizeof *next, _Alignof(uint32_t));
    uint32_t *last = // by number of the first alias with a key: the last one with it
        next ? micai_arena_alloc_array(host, arena, count, sizeof *last, _Alignof(uint32_t)) : NULL;
    aliases_out->next = next;
    if (!last || !micai_map_open(host, arena, count, &aliases_out->first)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = find(aliases_out, &list[i]);
        if (first == MICAI_MAP_NONE) {
            micai_map_insert(&aliases_out->first, hash_of(&list[i]), i);
            first = i;
        } else {
            next[last[first]] = i;
        }
        next[i] = MICAI_ALIAS_NONE;
        last[first] = i;
    }
    return true;
}

uint32_t micai_aliases_find_type(const micai_aliases *aliases, const char *was)
{
    return find(aliases, &(mica_alias){.was = was});
}

uint32_t micai_aliases_find_field(const micai_aliases *aliases, const char *type, const char *field)
{
    return find(aliases, &(mica_alias){.type = type, .field = field});
}
