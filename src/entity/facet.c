// Facets: their list and the public functions. facet.h has the contract.
#include "entity/facet.h"

#include <inttypes.h>

#include "base/canary.h"
#include "base/hash.h"
#include "entity/change.h"
#include "entity/locate.h"
#include "state/recorder.h"

typedef struct key {
    mica_entity owner;
    uint32_t component;
    uint32_t role;
} key;

static uint64_t hash_key(key of)
{
    return micai_hash_add(micai_hash_mix(of.owner.bits), (uint64_t)of.component << 32 | of.role);
}

static uint64_t hash_handle(mica_entity entity)
{
    return micai_hash_mix(entity.bits);
}

static key key_of(const micai_facet *facet)
{
    return (key){facet->owner, facet->component, facet->role};
}

static bool is_main(key of)
{
    return of.component == MICAI_FACET_NONE && of.role == 0;
}

static bool has_key(const void *context, uint32_t value, const void *sought)
{
    const micai_facets *facets = context;
    const micai_facet *facet = &facets->list.items[value];
    const key *of = sought;
    return facet->owner.bits == of->owner.bits && facet->component == of->component &&
           facet->role == of->role;
}

static bool has_handle(const void *context, uint32_t value, const void *sought)
{
    const micai_facets *facets = context;
    const mica_entity *entity = sought;
    return facets->list.items[value].facet.bits == entity->bits;
}

static bool has_owner(const void *context, uint32_t value, const void *sought)
{
    const micai_facets *facets = context;
    const mica_entity *entity = sought;
    return facets->list.items[value].owner.bits == entity->bits;
}

// These return places, or MICAI_FACET_NONE, which equals MICAI_MAP_NONE.
MICA_INLINE_ static inline uint32_t find_by_key(const micai_facets *facets, key of)
{
    return micai_map_find(&facets->by_key, hash_key(of), has_key, facets, &of);
}

static uint32_t find_by_handle(const micai_facets *facets, mica_entity entity)
{
    return micai_map_find(&facets->by_handle, hash_handle(entity), has_handle, facets, &entity);
}

static uint32_t find_first(const micai_facets *facets, mica_entity owner)
{
    return micai_map_find(&facets->by_owner, hash_handle(owner), has_owner, facets, &owner);
}

static mica_entity facet_at(const micai_facets *facets, uint32_t place)
{
    return place == MICAI_FACET_NONE ? (mica_entity){0} : facets->list.items[place].facet;
}

mica_entity micai_facets_first(const micai_facets *facets, mica_entity owner)
{
    return facets->count == 0 ? (mica_entity){0} : facet_at(facets, find_first(facets, owner));
}

MICA_INLINE_ static inline mica_entity find(const micai_facets *facets, key of)
{
    return facets->count == 0 ? (mica_entity){0} : facet_at(facets, find_by_key(facets, of));
}

mica_entity micai_facets_find(const micai_facets *facets, mica_entity owner, uint32_t component,
                              uint32_t role)
{
    return find(facets, (key){owner, component, role});
}

mica_entity micai_facets_next(const micai_facets *facets, mica_entity facet)
{
    const micai_facet *found = micai_facets_get(facets, facet);
    return found ? facet_at(facets, found->next) : (mica_entity){0};
}

const micai_facet *micai_facets_get(const micai_facets *facets, mica_entity entity)
{
    uint32_t place = facets->count == 0 ? MICAI_FACET_NONE : find_by_handle(facets, entity);
    return place == MICAI_FACET_NONE ? NULL : &facets->list.items[place];
}

uint32_t micai_facets_count_others(const micai_state *state)
{
    return state->slots.alive - micai_facets_of(state)->count;
}

static bool reserve_places(micai_host *host, micai_facets *facets, uint32_t count)
{
    return micai_array_reserve(host, &facets->list, count) &&
           micai_map_reserve(host, &facets->by_key, count) &&
           micai_map_reserve(host, &facets->by_handle, count) &&
           micai_map_reserve(host, &facets->by_owner, count);
}

mica_result micai_facets_reserve(mica_world *world, const char *call, uint32_t count)
{
    return reserve_places(&world->host, micai_facets_of(world->state), count)
               ? micai_facets_use(world, call)
               : MICA_ERROR_MEMORY;
}

mica_result micai_facets_use(mica_world *world, const char *call)
{
    micai_host *host = &world->host;
    micai_registry *registry = &world->state->registry;
    mica_result result = registry->hidden == MICAI_NOT_HIDDEN
                             ? micai_change_reserve_types(world, registry->list.count + 1)
                             : MICA_OK;
    return result ? result
                  : micai_registry_add_hidden(host, registry, call, (uint32_t)sizeof(mica_entity),
                                              (uint32_t) _Alignof(mica_entity));
}

static uint32_t take_place(micai_facets *facets)
{
    uint32_t place = facets->free_first;
    if (place == MICAI_FACET_NONE) {
        return facets->list.count++;
    }
    facets->free_first = facets->list.items[place].next;
    return place;
}

// Appends a facet to its owner's list. Capacity was reserved.
static void add(micai_state *state, mica_entity facet, key of)
{
    micai_facets *facets = micai_facets_of(state);
    uint32_t place = take_place(facets);
    uint32_t first = find_first(facets, of.owner);
    uint32_t last = place;
    if (first == MICAI_FACET_NONE) {
        micai_map_insert(&facets->by_owner, hash_handle(of.owner), place);
    } else {
        last = facets->list.items[first].previous;
        facets->list.items[first].previous = place;
        facets->list.items[last].next = place;
    }
    facets->list.items[place] =
        (micai_facet){facet, of.owner, of.component, of.role, MICAI_FACET_NONE, last};
    micai_map_insert(&facets->by_key, hash_key(of), place);
    micai_map_insert(&facets->by_handle, hash_handle(facet), place);
    state->side_tables_in_use += facets->count == 0;
    facets->revision++;
    facets->count++;
}

mica_result micai_facets_revive(micai_state *state, mica_entity facet, mica_entity owner,
                                uint32_t component, uint32_t role)
{
    key of = {owner, component, role};
    if (!reserve_places(state->host, micai_facets_of(state), 1)) {
        return MICA_ERROR_MEMORY;
    }
    if (is_main(of) || find_by_key(micai_facets_of(state), of) != MICAI_FACET_NONE ||
        find_by_handle(micai_facets_of(state), facet) != MICAI_FACET_NONE) {
        return MICA_ERROR_CORRUPT;
    }
    add(state, facet, of);
    return MICA_OK;
}

// Removes a place from the list of its owner.
static void unlink_place(micai_facets *facets, uint32_t place)
{
    micai_facet *list = facets->list.items;
    const micai_facet gone = list[place];
    uint32_t first = find_first(facets, gone.owner);
    if (place == first) {
        micai_map_remove(&facets->by_owner, hash_handle(gone.owner), place);
        if (gone.next != MICAI_FACET_NONE) {
            list[gone.next].previous = gone.previous;
            micai_map_insert(&facets->by_owner, hash_handle(gone.owner), gone.next);
        }
        return;
    }
    list[gone.previous].next = gone.next;
    list[gone.next == MICAI_FACET_NONE ? first : gone.next].previous = gone.previous;
}

void micai_facets_remove(micai_state *state, mica_entity entity)
{
    micai_facets *facets = micai_facets_of(state);
    uint32_t place = facets->count == 0 ? MICAI_FACET_NONE : find_by_handle(facets, entity);
    if (place == MICAI_FACET_NONE) {
        return;
    }
    micai_facet *gone = &facets->list.items[place];
    micai_map_remove(&facets->by_key, hash_key(key_of(gone)), place);
    micai_map_remove(&facets->by_handle, hash_handle(entity), place);
    unlink_place(facets, place);
    *gone = (micai_facet){.next = facets->free_first};
    facets->free_first = place;
    facets->revision++;
    facets->count--;
    state->side_tables_in_use -= facets->count == 0;
}

static void clear(micai_state *state)
{
    micai_facets *facets = micai_facets_of(state);
    state->side_tables_in_use -= facets->count > 0;
    facets->revision++;
    facets->list.count = 0;
    facets->count = 0;
    facets->free_first = MICAI_FACET_NONE;
    micai_map_clear(&facets->by_key);
    micai_map_clear(&facets->by_handle);
    micai_map_clear(&facets->by_owner);
}

static void free_all(micai_state *state)
{
    clear(state);
    micai_array_free(state->host, &micai_facets_of(state)->list);
    micai_map_free(state->host, &micai_facets_of(state)->by_key);
    micai_map_free(state->host, &micai_facets_of(state)->by_handle);
    micai_map_free(state->host, &micai_facets_of(state)->by_owner);
}

// Validation. Lists first, because facets are looked up in them.

static mica_result validate_lists(micai_host *host, const micai_facets *facets)
{
    mica_result result = micai_array_validate(host, &facets->list, "facets");
    uint32_t end = result ? 0 : facets->list.count;
    result = result ? result : micai_map_validate(host, &facets->by_key, end);
    result = result ? result : micai_map_validate(host, &facets->by_handle, end);
    result = result ? result : micai_map_validate(host, &facets->by_owner, end);
    if (!result && (facets->by_key.count != facets->count ||
                    facets->by_handle.count != facets->count || facets->count > end)) {
        result = micai_fail_invariant(host, "X3", "the facets are miscounted");
    }
    return result;
}

// Returns true if the number of free places is right and all are in the free list.
static bool has_free_places(const micai_facets *facets)
{
    uint32_t end = facets->list.count;
    uint32_t free = 0;
    uint32_t place = facets->free_first;
    while (place < end && free < end && MICA_IS_NONE(facets->list.items[place].facet)) {
        const micai_facet *one = &facets->list.items[place];
        if (one->owner.bits != 0 || one->component != 0 || one->role != 0 || one->previous != 0) {
            return false;
        }
        free++;
        place = one->next;
    }
    return place == MICAI_FACET_NONE && free == end - facets->count;
}

static bool is_in_facet_table(const micai_state *state, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&state->slots, entity);
    return record && micai_row_table(micai_row_of(&state->store, record))->facet;
}

static bool says_owner(mica_world *world, const micai_facet *facet)
{
    const micai_state *state = world->state;
    const micai_entity_ref ref = {facet->facet, micai_slots_find(&state->slots, facet->facet)};
    const micai_type *type = state->registry.list.items[state->registry.hidden];
    mica_entity owner;
    micai_value_load(world, micai_value_find(state, ref, type), &owner);
    return owner.bits == facet->owner.bits;
}

static bool is_linked(const micai_facets *facets, uint32_t place)
{
    const micai_facet *list = facets->list.items;
    const micai_facet *one = &list[place];
    uint32_t first = find_first(facets, one->owner);
    uint32_t end = facets->list.count;
    if (first >= end || one->previous >= end ||
        (one->next >= end && one->next != MICAI_FACET_NONE)) {
        return false;
    }
    uint32_t after = one->next == MICAI_FACET_NONE ? first : one->next;
    return list[one->previous].next == (place == first ? MICAI_FACET_NONE : place) &&
           list[after].previous == place && list[after].owner.bits == one->owner.bits;
}

static mica_result validate_facet(mica_world *world, uint32_t place)
{
    micai_host *host = &world->host;
    const micai_state *state = world->state;
    const micai_facets *facets = micai_facets_of(state);
    const micai_facet *one = &facets->list.items[place];
    if (!is_in_facet_table(state, one->facet) || !micai_slots_find(&state->slots, one->owner) ||
        is_in_facet_table(state, one->owner)) {
        return micai_fail_invariant(host, "X1", "facet %" PRIu32 " or its owner is none", place);
    }
    if (!says_owner(world, one)) {
        return micai_fail_invariant(host, "X2", "the row of facet %" PRIu32 " is another's", place);
    }
    bool known =
        one->component == MICAI_FACET_NONE ||
        (one->component < state->registry.list.count && one->component != state->registry.hidden);
    if (!known || is_main(key_of(one)) || find_by_key(facets, key_of(one)) != place ||
        find_by_handle(facets, one->facet) != place) {
        return micai_fail_invariant(host, "X3", "facet %" PRIu32 " is lost", place);
    }
    return is_linked(facets, place)
               ? MICA_OK
               : micai_fail_invariant(host, "X4", "facet %" PRIu32 " is not linked", place);
}

// Returns true if all facets can be reached from the first ones.
static bool are_reached(const micai_facets *facets)
{
    uint32_t reached = 0;
    uint32_t owners = 0;
    for (uint32_t i = 0; i < facets->list.count; i++) {
        const micai_facet *one = &facets->list.items[i];
        if (MICA_IS_NONE(one->facet) || find_first(facets, one->owner) != i) {
            continue;
        }
        owners++;
        for (uint32_t at = i; at != MICAI_FACET_NONE && reached <= facets->count; reached++) {
            at = facets->list.items[at].next;
        }
    }
    return reached == facets->count && owners == facets->by_owner.count;
}

mica_result micai_facets_validate(mica_world *world)
{
    micai_state *state = world->state;
    const micai_facets *facets = micai_facets_of(state);
    mica_result result = validate_lists(&world->host, facets);
    uint32_t rows = 0;
    for (uint32_t id = 0; id < state->store.tables.count; id++) {
        const micai_table *table = state->store.tables.items[id];
        rows += table->facet ? table->count : 0;
    }
    if (!result && (rows != facets->count || !has_free_places(facets))) {
        result = micai_fail_invariant(
            &world->host, "X1", "%" PRIu32 " facets have %" PRIu32 " rows, or places are lost",
            facets->count, rows);
    }
    for (uint32_t i = 0; !result && i < facets->list.count; i++) {
        bool used = !MICA_IS_NONE(facets->list.items[i].facet);
        result = used ? validate_facet(world, i) : MICA_OK;
    }
    return result || are_reached(facets)
               ? result
               : micai_fail_invariant(&world->host, "X4", "facets are linked to nobody");
}

static uint32_t count_facets(const micai_state *state)
{
    return micai_facets_of(state)->count;
}

static mica_entity next_facet(const micai_state *state, mica_entity owner, mica_entity previous)
{
    const micai_facets *facets = micai_facets_of(state);
    return MICA_IS_NONE(previous) ? micai_facets_first(facets, owner)
                                  : micai_facets_next(facets, previous);
}

const micai_side_ops micai_facets_side = {.count = count_facets,
                                          .remove = micai_facets_remove,
                                          .dependent = next_facet,
                                          .clear = clear,
                                          .free = free_all,
                                          .size = sizeof(micai_facets)};

// Snapshots: the list with its free places. Maps are filled again.

static uint64_t get_revision(const mica_world *world)
{
    return micai_facets_of(world->state)->revision;
}

static void write_part(mica_world *world, micai_blob *to)
{
    const micai_facets *facets = micai_facets_of(world->state);
    micai_blob_write_32(to, facets->list.count);
    micai_blob_write_32(to, facets->count);
    micai_blob_write_32(to, facets->free_first);
    micai_blob_write(to, facets->list.items, facets->list.count * sizeof *facets->list.items);
}

static mica_result reserve_part(mica_world *world, micai_bytes from, void **staged_out)
{
    micai_host *host = &world->host;
    micai_facets *facets = micai_facets_of(world->state);
    uint32_t places = micai_bytes_read_32(&from);
    uint32_t count = micai_bytes_read_32(&from);
    uint32_t more = count > facets->count ? count - facets->count : 0;
    bool reserved = (places <= facets->list.count ||
                     micai_array_reserve(host, &facets->list, places - facets->list.count)) &&
                    micai_map_reserve(host, &facets->by_key, more) &&
                    micai_map_reserve(host, &facets->by_handle, more) &&
                    micai_map_reserve(host, &facets->by_owner, count);
    (void)staged_out;
    return reserved ? MICA_OK : MICA_ERROR_MEMORY;
}

static void read_part(mica_world *world, micai_bytes from, void *staged)
{
    micai_state *state = world->state;
    micai_facets *facets = micai_facets_of(state);
    (void)staged;
    clear(state);
    facets->list.count = micai_bytes_read_32(&from);
    facets->count = micai_bytes_read_32(&from);
    facets->free_first = micai_bytes_read_32(&from);
    micai_bytes_read(&from, facets->list.items, facets->list.count * sizeof *facets->list.items);
    for (uint32_t place = 0; place < facets->list.count; place++) {
        const micai_facet *one = &facets->list.items[place];
        if (MICA_IS_NONE(one->facet)) {
            continue;
        }
        micai_map_insert(&facets->by_key, hash_key(key_of(one)), place);
        micai_map_insert(&facets->by_handle, hash_handle(one->facet), place);
        if (facets->list.items[one->previous].next == MICAI_FACET_NONE) {
            micai_map_insert(&facets->by_owner, hash_handle(one->owner), place);
        }
    }
    state->side_tables_in_use += facets->count > 0;
}

const micai_part micai_facets_part = {get_revision, write_part, reserve_part, read_part, NULL};

// Public

// Builds the key of a living entity. Fails with MICA_ERROR_NULL, MICA_ERROR_ENTITY, MICA_ERROR_TYPE
// or MICA_ERROR_HOOK.
static mica_result find_key(mica_world *world, const char *call, mica_entity owner,
                            mica_type component, uint32_t role, key *key_out)
{
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    if (!micai_slots_find(&world->state->slots, owner)) {
        return micai_slots_fail(&world->host, call, owner);
    }
    if (micai_world_guard_read(world, call)) {
        return MICA_ERROR_HOOK;
    }
    *key_out = (key){owner, MICAI_FACET_NONE, role};
    if (!MICA_IS_NONE(component)) {
        const micai_type *type = micai_world_type(world, call, component);
        if (!type) {
            return MICA_ERROR_TYPE;
        }
        key_out->component = type->number;
    }
    return MICA_OK;
}

// Reports why an owner cannot have a facet under a key: it is a facet itself, or it has the facet
// at `place`. MICAI_FACET_NONE means that the key is that of its main row.
static mica_result refuse(mica_world *world, const char *call, key of, const micai_facet *own,
                          uint32_t place)
{
    const micai_facets *facets = micai_facets_of(world->state);
    char owner[MICA_ENTITY_TEXT_SIZE];
    char other[MICA_ENTITY_TEXT_SIZE];
    mica_entity_text(of.owner, owner);
    if (own) {
        return micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                          "%s: entity %s is a facet of %s, and facets own none", call, owner,
                          mica_entity_text(own->owner, other));
    }
    if (place == MICAI_FACET_NONE) {
        return micai_fail(&world->host, MICA_ERROR_KEY,
                          "%s: (none, 0) is the key of the main row of entity %s", call, owner);
    }
    bool none = of.component == MICAI_FACET_NONE;
    const char *quote = none ? "" : "'";
    return micai_fail(
        &world->host, MICA_ERROR_KEY,
        "%s: entity %s has a facet under (%s%.80s%s, %" PRIu32 ") already, which is %s", call,
        owner, quote, none ? "none" : world->state->registry.list.items[of.component]->info.name,
        quote, of.role, mica_entity_text(facet_at(facets, place), other));
}

// Checks that the owner can have a facet under this key.
static mica_result check_new(mica_world *world, const char *call, key of)
{
    const micai_facets *facets = micai_facets_of(world->state);
    const micai_facet *own = micai_facets_get(facets, of.owner);
    uint32_t place = find_by_key(facets, of);
    if (MICAI_CANARY("entity.facet_key")) {
        place = MICAI_FACET_NONE;
    }
    return own || place != MICAI_FACET_NONE || is_main(of) ? refuse(world, call, of, own, place)
                                                           : MICA_OK;
}

// Adds the facet once its row exists.
static void add_row(micai_change *c, const void *user)
{
    add(c->world->state, c->entity, *(const key *)user);
}

// Spawns a row with the values and the owner.
static mica_entity spawn_row(mica_world *world, const char *call, key of, const mica_value *values,
                             uint32_t count, mica_entity pending)
{
    const micai_registry *registry = &world->state->registry;
    micai_change c;
    mica_result result =
        micai_change_begin_spawn(&c, world, call, count < UINT32_MAX ? count + 1 : count);
    c.pending = pending;
    c.and_then = add_row;
    c.user = &of;
    for (uint32_t i = 0; !result && i < count; i++) {
        const micai_type *type = micai_registry_find(registry, values[i].type);
        result = type && type->relation
                     ? micai_fail(&world->host, MICA_ERROR_ARGUMENT,
                                  "%s: '%.80s' is a relation, and facets have no links", call,
                                  type->info.name)
                     : micai_change_set(&c, &values[i], i);
    }
    result =
        result ? result : micai_change_give(&c, registry->list.items[registry->hidden], &of.owner);
    return micai_change_finish_spawn(&c, result);
}

mica_result micai_facets_check(mica_world *world, const char *call, mica_entity owner,
                               uint32_t component, uint32_t role)
{
    const key of = {owner, component, role};
    const micai_facet *own = micai_facets_get(micai_facets_of(world->state), owner);
    return own || is_main(of) ? refuse(world, call, of, own, MICAI_FACET_NONE) : MICA_OK;
}

mica_entity micai_facets_extend(mica_world *world, const char *call, mica_entity owner,
                                uint32_t component, uint32_t role, const mica_value *values,
                                uint32_t count, mica_entity pending)
{
    const key of = {owner, component, role};
    if (check_new(world, call, of)) {
        return (mica_entity){0};
    }
    uint32_t tables = micai_world_begin(world, call);
    mica_result result = micai_facets_reserve(world, call, 1);
    mica_entity facet =
        result ? (mica_entity){0} : spawn_row(world, call, of, values, count, pending);
    bool made = !MICA_IS_NONE(facet);
    micai_world_end(world, tables, made ? MICA_OK : micai_world_failed(world));
    (void)micai_world_finish(world, call, MICA_OK);
    return facet;
}

mica_entity mica_facet_add_values(mica_world *world, mica_entity owner, mica_type component,
                                  uint32_t role, const mica_value *values, uint32_t count)
{
    static const char call[] = "mica_facet_add";
    key of = {0};
    if (!world || (!values && count > 0)) {
        micai_fail_null(micai_world_host(world), call, world ? "values" : "world");
        return (mica_entity){0};
    }
    const micai_recorder *recorder = micai_recorder_of(world);
    if (recorder) {
        return recorder->extend(world, call, owner, component, role, values, count);
    }
    if (find_key(world, call, owner, component, role, &of) ||
        micai_world_guard_change(world, call)) {
        return (mica_entity){0};
    }
    return micai_facets_extend(world, call, owner, of.component, role, values, count,
                               (mica_entity){0});
}

mica_entity mica_facet_find(mica_world *world, mica_entity owner, mica_type component,
                            uint32_t role)
{
    key of;
    if (find_key(world, "mica_facet_find", owner, component, role, &of)) {
        return (mica_entity){0};
    }
    const micai_facets *facets = micai_facets_of(world->state);
    if (is_main(of)) {
        return owner;
    }
    return find(facets, of);
}

mica_entity mica_facet_next(mica_world *world, mica_entity owner, mica_entity previous)
{
    static const char call[] = "mica_facet_next";
    key of;
    if (find_key(world, call, owner, (mica_type){0}, 0, &of)) {
        return (mica_entity){0};
    }
    const micai_facets *facets = micai_facets_of(world->state);
    if (MICA_IS_NONE(previous)) {
        return micai_facets_first(facets, owner);
    }
    if (!micai_slots_find(&world->state->slots, previous)) {
        micai_slots_fail(&world->host, call, previous);
        return (mica_entity){0};
    }
    const micai_facet *found = micai_facets_get(facets, previous);
    if (!found || !MICA_EQUAL(found->owner, owner)) {
        char text[MICA_ENTITY_TEXT_SIZE];
        char other[MICA_ENTITY_TEXT_SIZE];
        micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: entity %s is no facet of %s", call,
                   mica_entity_text(previous, text), mica_entity_text(owner, other));
        return (mica_entity){0};
    }
    return facet_at(facets, found->next);
}

mica_entity mica_facet_owner(mica_world *world, mica_entity facet)
{
    key of;
    if (find_key(world, "mica_facet_owner", facet, (mica_type){0}, 0, &of)) {
        return (mica_entity){0};
    }
    const micai_facet *found = micai_facets_get(micai_facets_of(world->state), facet);
    return found ? found->owner : facet;
}

mica_result mica_facet_key(mica_world *world, mica_entity facet, mica_type *component_out,
                           uint32_t *role_out)
{
    key of;
    mica_result result = find_key(world, "mica_facet_key", facet, (mica_type){0}, 0, &of);
    if (result) {
        return result;
    }
    const micai_facet *found = micai_facets_get(micai_facets_of(world->state), facet);
    of = found ? key_of(found) : of;
    if (component_out) {
        *component_out = of.component == MICAI_FACET_NONE
                             ? (mica_type){0}
                             : world->state->registry.list.items[of.component]->info.type;
    }
    if (role_out) {
        *role_out = of.role;
    }
    return MICA_OK;
}
