// Named cursors. cursor.h has the contract.
#include "event/cursor.h"

#include <string.h>

#include "base/hash.h"
#include "core/field.h"

// Returns a negative number, 0 or a positive one, as the cursor is before, at or behind the place
// of this type and name.
static int compare(const micai_cursor *cursor, const micai_type *type, const char *name)
{
    if (cursor->type->number != type->number) {
        return cursor->type->number < type->number ? -1 : 1;
    }
    return strcmp(cursor->name, name);
}

// Returns the place where the cursor is or would be.
static uint32_t find_place(const micai_cursors *all, const micai_type *type, const char *name)
{
    uint32_t from = 0;
    uint32_t to = all->list.count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (compare(&all->list.items[middle], type, name) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

// Inserts a cursor at its place. The capacity is reserved.
static void insert(micai_cursors *all, uint32_t place, micai_cursor cursor)
{
    micai_cursor *items = all->list.items;
    memmove(&items[place + 1], &items[place], (all->list.count - place) * sizeof *items);
    items[place] = cursor;
    all->list.count++;
}

micai_position *micai_cursors_open(micai_host *host, micai_cursors *all, const micai_type *type,
                                   const char *name)
{
    uint32_t place = find_place(all, type, name);
    if (place < all->list.count && compare(&all->list.items[place], type, name) == 0) {
        return &all->list.items[place].read;
    }
    char *copy = micai_array_reserve(host, &all->list, 1) ? micai_copy_text(host, name) : NULL;
    if (!copy) {
        return NULL;
    }
    insert(all, place, (micai_cursor){.name = copy, .type = type});
    return &all->list.items[place].read;
}

void micai_cursors_reset(micai_cursors *all)
{
    for (uint32_t i = 0; i < all->list.count; i++) {
        all->list.items[i].read = (micai_position){0};
    }
}

void micai_cursors_replace(micai_host *host, micai_cursors *all, micai_cursors *loaded)
{
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_cursor *cursor = &all->list.items[i];
        if (cursor->type->info.saved) {
            micai_release_text(host, cursor->name);
        } else {
            insert(loaded, find_place(loaded, cursor->type, cursor->name), *cursor);
        }
    }
    micai_array_free(host, &all->list);
    *all = *loaded;
    *loaded = (micai_cursors){0};
}

void micai_cursors_remove(micai_host *host, micai_cursors *all, const char *name)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < all->list.count; i++) {
        micai_cursor *cursor = &all->list.items[i];
        if (strcmp(cursor->name, name) == 0) {
            micai_release_text(host, cursor->name);
        } else {
            all->list.items[left++] = *cursor;
        }
    }
    all->list.count = left;
}

void micai_cursors_free(micai_host *host, micai_cursors *all)
{
    for (uint32_t i = 0; i < all->list.count; i++) {
        micai_release_text(host, all->list.items[i].name);
    }
    micai_array_free(host, &all->list);
}

bool micai_cursor_is_valid(const mica_world *world, const micai_cursor *before,
                           const micai_cursor *cursor)
{
    return micai_name_is_valid(cursor->name) &&
           micai_registry_contains(&world->state->registry, cursor->type) &&
           (!before || compare(before, cursor->type, cursor->name) < 0);
}

uint64_t micai_cursors_digest(const micai_cursors *all, uint64_t hash)
{
    for (uint32_t i = 0; i < all->list.count; i++) {
        const micai_cursor *cursor = &all->list.items[i];
        if (!micai_position_is_new(&cursor->read)) {
            hash = micai_hash_add(hash, cursor->type->name_hash);
            hash = micai_hash_add(hash, micai_hash_text(cursor->name));
            hash = micai_hash_add(hash, cursor->read.next);
            hash = micai_hash_add(hash, cursor->read.missed);
        }
    }
    return hash;
}
