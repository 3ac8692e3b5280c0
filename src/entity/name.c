// Names of entities: an unordered list and two maps into it. The last name fills the place of a
// removed one, so removing is O(1) and updates both maps.
#include "entity/name.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "core/field.h"
#include "state/recorder.h"

static bool has_text(const void *context, uint32_t value, const void *key)
{
    const micai_names *names = context;
    return strcmp(names->list.items[value].text, key) == 0;
}

static bool has_slot(const void *context, uint32_t value, const void *key)
{
    const micai_names *names = context;
    const mica_entity *entity = key;
    return names->list.items[value].entity.bits == entity->bits;
}

static uint64_t hash_slot(mica_entity entity)
{
    return micai_hash_mix(entity.bits);
}

static uint32_t place_of(const micai_names *names, mica_entity entity)
{
    return micai_map_find(&names->by_slot, hash_slot(entity), has_slot, names, &entity);
}

const char *micai_names_get(const micai_names *names, mica_entity entity)
{
    uint32_t place = place_of(names, entity);
    return place == MICAI_MAP_NONE ? NULL : names->list.items[place].text;
}

mica_entity micai_names_find(const micai_names *names, const char *text)
{
    uint32_t place = micai_map_find(&names->by_text, micai_hash_text(text), has_text, names, text);
    return place == MICAI_MAP_NONE ? (mica_entity){0} : names->list.items[place].entity;
}

bool micai_names_reserve(micai_state *state, uint32_t count)
{
    micai_names *names = micai_names_of(state);
    return micai_array_reserve(state->host, &names->list, count) &&
           micai_map_reserve(state->host, &names->by_text, count) &&
           micai_map_reserve(state->host, &names->by_slot, count);
}

void micai_names_put(micai_state *state, mica_entity entity, char *text)
{
    micai_names *names = micai_names_of(state);
    micai_names_remove(state, entity);
    state->side_tables_in_use += names->list.count == 0;
    names->revision++;
    uint32_t place = names->list.count++;
    names->list.items[place] = (micai_name){text, micai_hash_text(text), entity};
    micai_map_insert(&names->by_text, names->list.items[place].hash, place);
    micai_map_insert(&names->by_slot, hash_slot(entity), place);
}

mica_result micai_names_set(micai_state *state, mica_entity entity, const char *text)
{
    char *copy = micai_names_reserve(state, 1) ? micai_copy_text(state->host, text) : NULL;
    if (!copy) {
        return MICA_ERROR_MEMORY;
    }
    micai_names_put(state, entity, copy);
    return MICA_OK;
}

// Moves the last name to the place of the removed one.
void micai_names_remove(micai_state *state, mica_entity entity)
{
    micai_names *names = micai_names_of(state);
    uint32_t place = names->list.count ? place_of(names, entity) : MICAI_MAP_NONE;
    if (place == MICAI_MAP_NONE) {
        return;
    }
    micai_name *name = &names->list.items[place];
    micai_map_remove(&names->by_text, name->hash, place);
    micai_map_remove(&names->by_slot, hash_slot(entity), place);
    micai_release_text(state->host, name->text);
    uint32_t last = --names->list.count;
    names->revision++;
    state->side_tables_in_use -= last == 0;
    if (place != last) {
        *name = names->list.items[last];
        micai_map_remove(&names->by_text, name->hash, last);
        micai_map_remove(&names->by_slot, hash_slot(name->entity), last);
        micai_map_insert(&names->by_text, name->hash, place);
        micai_map_insert(&names->by_slot, hash_slot(name->entity), place);
    }
}

static void clear(micai_state *state)
{
    micai_names *names = micai_names_of(state);
    for (uint32_t i = 0; i < names->list.count; i++) {
        micai_release_text(state->host, names->list.items[i].text);
    }
    state->side_tables_in_use -= names->list.count > 0;
    names->revision++;
    names->list.count = 0;
    micai_map_clear(&names->by_text);
    micai_map_clear(&names->by_slot);
}

static void free_all(micai_state *state)
{
    clear(state);
    micai_array_free(state->host, &micai_names_of(state)->list);
    micai_map_free(state->host, &micai_names_of(state)->by_text);
    micai_map_free(state->host, &micai_names_of(state)->by_slot);
}

// Checks lists and texts first, because names are looked up in them.
static mica_result validate_texts(micai_host *host, const micai_names *names)
{
    mica_result result = micai_array_validate(host, &names->list, "names");
    uint32_t count = result ? 0 : names->list.count;
    result = result ? result : micai_map_validate(host, &names->by_text, count);
    result = result ? result : micai_map_validate(host, &names->by_slot, count);
    if (!result && (names->by_text.count != count || names->by_slot.count != count)) {
        result = micai_fail_invariant(host, "W2", "the names are miscounted");
    }
    for (uint32_t i = 0; !result && i < count; i++) {
        const char *text = names->list.items[i].text;
        if (!micai_name_is_valid(text)) {
            result = micai_fail_invariant(host, "W2", "name %" PRIu32 " is none", i);
        }
    }
    return result;
}

mica_result micai_names_validate(mica_world *world)
{
    micai_host *host = &world->host;
    const micai_names *names = micai_names_of(world->state);
    mica_result result = validate_texts(host, names);
    for (uint32_t i = 0; !result && i < names->list.count; i++) {
        const micai_name *name = &names->list.items[i];
        if (!micai_slots_find(&world->state->slots, name->entity) ||
            name->hash != micai_hash_text(name->text) ||
            micai_names_find(names, name->text).bits != name->entity.bits ||
            place_of(names, name->entity) != i) {
            result = micai_fail_invariant(host, "W2", "name '%s' is lost", name->text);
        }
    }
    return result;
}

static uint32_t count(const micai_state *state)
{
    return micai_names_of(state)->list.count;
}

const micai_side_ops micai_names_side = {.count = count,
                                         .remove = micai_names_remove,
                                         .clear = clear,
                                         .free = free_all,
                                         .size = sizeof(micai_names)};

// Snapshots: the names in the order of the list. Staged are copies of the texts.

static uint64_t get_revision(const mica_world *world)
{
    return micai_names_of(world->state)->revision;
}

static void write_part(mica_world *world, micai_blob *to)
{
    const micai_names *names = micai_names_of(world->state);
    micai_blob_write_32(to, names->list.count);
    for (uint32_t i = 0; i < names->list.count; i++) {
        uint32_t size = (uint32_t)strlen(names->list.items[i].text) + 1;
        micai_blob_write_64(to, names->list.items[i].entity.bits);
        micai_blob_write_32(to, size);
        micai_blob_write(to, names->list.items[i].text, size);
    }
}

typedef struct staged_names {
    uint32_t count;
    char *texts[];
} staged_names;

static size_t staged_size(uint32_t count)
{
    return sizeof(staged_names) + count * sizeof(char *);
}

static void cancel_part(mica_world *world, void *staged)
{
    staged_names *all = staged;
    for (uint32_t i = 0; i < all->count; i++) {
        micai_release_text(&world->host, all->texts[i]);
    }
    micai_release(&world->host, all, staged_size(all->count), _Alignof(staged_names));
}

static mica_result reserve_part(mica_world *world, micai_bytes from, void **staged_out)
{
    micai_host *host = &world->host;
    micai_names *names = micai_names_of(world->state);
    uint32_t count = micai_bytes_read_32(&from);
    uint32_t more = count > names->list.count ? count - names->list.count : 0;
    staged_names *all = micai_alloc_zeroed(host, staged_size(count), _Alignof(staged_names));
    bool failed = !all || !micai_array_reserve(host, &names->list, more) ||
                  !micai_map_reserve(host, &names->by_text, more) ||
                  !micai_map_reserve(host, &names->by_slot, more);
    if (all) {
        all->count = count;
    }
    for (uint32_t i = 0; i < count && !failed; i++) {
        micai_bytes_read_64(&from);
        all->texts[i] = micai_copy_text(host, micai_bytes_skip(&from, micai_bytes_read_32(&from)));
        failed = !all->texts[i];
    }
    if (failed && all) {
        cancel_part(world, all);
    }
    *staged_out = failed ? NULL : all;
    return failed ? MICA_ERROR_MEMORY : MICA_OK;
}

static void read_part(mica_world *world, micai_bytes from, void *staged)
{
    micai_state *state = world->state;
    micai_names *names = micai_names_of(state);
    staged_names *all = staged;
    clear(state);
    micai_bytes_read_32(&from);
    for (uint32_t i = 0; i < all->count; i++) {
        mica_entity entity = {micai_bytes_read_64(&from)};
        micai_bytes_skip(&from, micai_bytes_read_32(&from));
        names->list.items[i] = (micai_name){all->texts[i], micai_hash_text(all->texts[i]), entity};
        micai_map_insert(&names->by_text, names->list.items[i].hash, i);
        micai_map_insert(&names->by_slot, hash_slot(entity), i);
        all->texts[i] = NULL;
    }
    names->list.count = all->count;
    state->side_tables_in_use += all->count > 0;
    cancel_part(world, all);
}

const micai_part micai_names_part = {get_revision, write_part, reserve_part, read_part,
                                     cancel_part};

// Public

bool micai_names_accept(const char *text)
{
    return micai_name_is_valid(text) && text[0] != '#' && !strchr(text, '/');
}

static mica_result check_name(micai_host *host, const char *call, const char *name)
{
    if (!micai_name_is_valid(name)) {
        return micai_fail(host, MICA_ERROR_NAME, "%s: the name is %s", call,
                          micai_name_fault(name));
    }
    if (name[0] == '#' || strchr(name, '/')) {
        return micai_fail(host, MICA_ERROR_NAME,
                          "%s: '%.80s' has %s, which is kept for paths; choose another name", call,
                          name, name[0] == '#' ? "a '#' in front" : "a '/' in it");
    }
    return MICA_OK;
}

mica_result mica_entity_set_name(mica_world *world, mica_entity entity, const char *name)
{
    static const char call[] = "mica_entity_set_name";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    if (world->recorder) {
        mica_result result = name ? check_name(&world->host, call, name) : MICA_OK;
        return result ? result : world->recorder->name(world, call, entity, name);
    }
    if (!micai_slots_find(&world->state->slots, entity)) {
        return micai_slots_fail(&world->host, call, entity);
    }
    if (micai_world_guard_edit(world, call)) {
        return micai_world_failed(world);
    }
    if (!name) {
        micai_names_remove(world->state, entity);
        return MICA_OK;
    }
    mica_result result = check_name(&world->host, call, name);
    if (result) {
        return result;
    }
    mica_entity owner = micai_names_find(micai_names_of(world->state), name);
    if (MICA_EQUAL(owner, entity)) {
        return MICA_OK;
    }
    if (!MICA_IS_NONE(owner)) {
        char text[MICA_ENTITY_TEXT_SIZE];
        return micai_fail(&world->host, MICA_ERROR_NAME, "%s: '%s' is the name of entity %s", call,
                          name, mica_entity_text(owner, text));
    }
    micai_host_begin(&world->host, call);
    result = micai_names_set(world->state, entity, name);
    micai_host_end(&world->host);
    return result;
}

const char *mica_entity_name(mica_world *world, mica_entity entity)
{
    static const char call[] = "mica_entity_name";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    if (!micai_slots_find(&world->state->slots, entity)) {
        micai_slots_fail(&world->host, call, entity);
        return NULL;
    }
    return micai_names_get(micai_names_of(world->state), entity);
}

mica_entity mica_entity_find(mica_world *world, const char *name)
{
    static const char call[] = "mica_entity_find";
    if (!world || !name) {
        micai_fail_null(micai_world_host(world), call, world ? "name" : "world");
        return (mica_entity){0};
    }
    return micai_world_guard_read(world, call)
               ? (mica_entity){0}
               : micai_names_find(micai_names_of(world->state), name);
}
