// Bundles, and their public functions except spawning, which is in spawn.c.
#include "entity/bundle.h"

#include <inttypes.h>

#include "base/canary.h"
#include "core/stamp.h"
#include "entity/change.h"
#include "entity/data.h"

static size_t size_of(uint32_t count)
{
    return sizeof(micai_bundle) + count * sizeof(micai_type *);
}

static void free_bundle(micai_host *host, micai_bundle *bundle)
{
    micai_release(host, bundle, size_of(bundle->count), _Alignof(micai_bundle));
}

void micai_bundles_init(micai_bundles *bundles)
{
    for (uint32_t i = 0; i < MICAI_BUNDLE_PLACES; i++) {
        bundles->places[i] = (micai_bundle_place){.bits = i + 1};
    }
}

// Listener: drops transitions whose tables will be freed.
static void forget_dying(void *user)
{
    micai_state *state = user;
    micai_bundles_init(micai_bundles_of(state));
    MICAI_FOR_HANDLES(micai_bundle, bundle, &micai_bundles_of(state)->handles)
    {
        if (bundle->spawn && bundle->spawn->target->dying) {
            bundle->spawn = NULL;
        }
    }
}

static micai_listener listen(micai_state *state)
{
    return (micai_listener){.freeing = forget_dying, .user = state};
}

mica_result micai_bundles_listen(micai_state *state)
{
    return micai_store_listen(&state->store, listen(state));
}

void micai_bundles_free(micai_host *host, micai_bundles *bundles)
{
    MICAI_FOR_HANDLES(micai_bundle, bundle, &bundles->handles)
    {
        free_bundle(host, bundle);
    }
    micai_handles_free(host, &bundles->handles);
}

void micai_bundles_forget(micai_bundles *bundles)
{
    micai_bundles_init(bundles);
    MICAI_FOR_HANDLES(micai_bundle, bundle, &bundles->handles)
    {
        bundle->spawn = NULL;
    }
}

void micai_bundles_refresh(micai_state *state)
{
    micai_bundles_init(micai_bundles_of(state));
    MICAI_FOR_HANDLES(micai_bundle, bundle, &micai_bundles_of(state)->handles)
    {
        if (bundle->spawn && !micai_transition_refresh(&state->store, bundle->spawn)) {
            bundle->spawn->pins--;
            bundle->spawn = NULL;
        }
    }
    micai_transitions_drop_unpinned(&state->store);
}

micai_bundle *micai_bundle_find(mica_world *world, const char *call, mica_bundle bundle)
{
    micai_bundle *found = micai_handles_find(&micai_bundles_of(world->state)->handles, bundle.bits);
    if (!found || found->handle.bits != bundle.bits) {
        micai_fail(&world->host, MICA_ERROR_BUNDLE, "%s: the bundle is %s", call,
                   bundle.bits ? "freed, or of another world" : "none");
        return NULL;
    }
    return found;
}

static micai_list list_of(const micai_bundle *bundle)
{
    return (micai_list){bundle->types, bundle->count, bundle->count};
}

// Finds the bundle's transition and creates its pools. Fails with MICA_ERROR_MEMORY.
static mica_result prepare(mica_world *world, micai_bundle *bundle)
{
    micai_state *state = world->state;
    const micai_list list = list_of(bundle);
    for (uint32_t i = 0; i < bundle->count; i++) {
        if (micai_pool_keeps(bundle->types[i]) &&
            !micai_pools_open(&state->pools, bundle->types[i])) {
            return MICA_ERROR_MEMORY;
        }
    }
    bundle->spawn = micai_transition_list(&state->store, NULL, &list, &world->scratch, true);
    if (!bundle->spawn) {
        return world->host.failed;
    }
    bundle->spawn->pins++;
    return MICA_OK;
}

micai_bundle *micai_bundle_open(mica_world *world, const char *call, mica_bundle bundle)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    micai_bundle *found =
        micai_world_guard(world, call) ? NULL : micai_bundle_find(world, call, bundle);
    return found && (found->spawn || prepare(world, found) == MICA_OK) ? found : NULL;
}

// Returns false if the size would overflow, which is possible with a 32-bit size_t.
static bool has_size(size_t count)
{
    return count <= (SIZE_MAX - sizeof(micai_bundle)) / sizeof(micai_type *);
}

// Enters the types of a bundle: all known, each once.
static mica_result list_types(mica_world *world, const char *call, const mica_type *types,
                              micai_bundle *bundle)
{
    mica_type_set listed = {0};
    mica_result result = MICA_OK;
    for (uint32_t i = 0; !result && i < bundle->count; i++) {
        const micai_type *type = micai_world_type_in(world, call, "type", i, types[i]);
        if (!type) {
            result = MICA_ERROR_TYPE;
        } else if (micai_types_has(&listed, type->number)) {
            result = micai_fail(&world->host, MICA_ERROR_ARGUMENT, "%s: '%s' is listed twice", call,
                                type->info.name);
        } else {
            result = micai_types_add(&world->host, &listed, type->number);
            bundle->types[i] = type;
        }
    }
    micai_types_free(&world->host, &listed);
    return result;
}

static micai_bundle *build(mica_world *world, const char *call, const mica_type *types,
                           uint32_t count)
{
    if (!has_size(count)) {
        micai_fail(&world->host, MICA_ERROR_MEMORY,
                   "%s: %" PRIu32 " types are more than memory can hold", call, count);
        return NULL;
    }
    micai_bundle *bundle = micai_alloc(&world->host, size_of(count), _Alignof(micai_bundle));
    if (!bundle) {
        return NULL;
    }
    *bundle = (micai_bundle){.count = count};
    if (list_types(world, call, types, bundle) || prepare(world, bundle)) {
        free_bundle(&world->host, bundle);
        return NULL;
    }
    return bundle;
}

// Mixes the types' names into the handle, so that a handle kept from a freed world is refused.
static uint64_t hash_types(const micai_bundle *bundle)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < bundle->count; i++) {
        hash = micai_hash_add(hash, bundle->types[i]->name_hash);
    }
    return hash;
}

static mica_bundle make_handle(const micai_state *state, const micai_bundle *bundle,
                               uint32_t number)
{
    return (mica_bundle){
        micai_stamp_make(state->seal, micai_hash_add(bundle->seed, hash_types(bundle)), number)};
}

// Validation

// Returns true if the bundle matches its handle and its types exist. The handle also shows that
// each type is listed once, because it mixes them.
static bool is_sound(const micai_state *state, const micai_bundle *bundle, uint32_t number)
{
    bool right = bundle->count <= state->registry.list.count &&
                 bundle->seed <= micai_bundles_of(state)->handles.created;
    for (uint32_t i = 0; right && i < bundle->count; i++) {
        right = micai_registry_contains(&state->registry, bundle->types[i]);
    }
    return right && bundle->handle.bits == make_handle(state, bundle, number).bits;
}

static bool has_its_transition(const micai_state *state, const micai_bundle *bundle)
{
    const micai_list list = list_of(bundle);
    return !bundle->spawn ||
           bundle->spawn == micai_transition_find((micai_store *)&state->store,
                                                  MICAI_TRANSITION_SPAWN, NULL, &list);
}

// Returns true if each place has the transition of its bundle.
static bool are_places_right(const micai_bundles *bundles)
{
    bool right = true;
    for (uint32_t i = 0; right && i < MICAI_BUNDLE_PLACES; i++) {
        const micai_bundle_place *place = &bundles->places[i];
        if (place->bits % MICAI_BUNDLE_PLACES == i) {
            const micai_bundle *bundle = micai_handles_find(&bundles->handles, place->bits);
            right = bundle && bundle->handle.bits == place->bits && bundle->spawn == place->spawn &&
                    bundle->spawn;
        }
    }
    return right;
}

mica_result micai_bundles_validate(const micai_state *state)
{
    const micai_bundles *bundles = micai_bundles_of(state);
    uint32_t pins = 0;
    if (!micai_store_has_listener(&state->store, listen((micai_state *)state))) {
        return micai_fail_invariant(state->host, "W4", "bundles do not listen to the store");
    }
    mica_result result = micai_handles_validate(state->host, &bundles->handles, "bundles");
    if (!result && !are_places_right(bundles)) {
        return micai_fail_invariant(state->host, "W3", "a place has another's bundle");
    }
    for (uint32_t i = 0; !result && i < bundles->handles.list.count; i++) {
        const micai_bundle *bundle = micai_handles_at(&bundles->handles, i);
        if (bundle && !(is_sound(state, bundle, i) && has_its_transition(state, bundle))) {
            result = micai_fail_invariant(state->host, "W3",
                                          "bundle %" PRIu32 " has another's table", i);
        }
        pins += bundle && bundle->spawn;
    }
    uint32_t pinned = micai_transitions_count_pins(&state->store);
    return result || pins == pinned
               ? result
               : micai_fail_invariant(state->host, "W3",
                                      "%" PRIu32 " bundles have pinned %" PRIu32 " transitions",
                                      pins, pinned);
}

static mica_bundle make_bundle(mica_world *world, const char *call, const mica_type *types,
                               uint32_t count)
{
    const mica_bundle none = {0};
    micai_bundles *bundles = micai_bundles_of(world->state);
    micai_bundle *bundle = micai_handles_reserve(&world->host, &bundles->handles, call, "bundles")
                               ? build(world, call, types, count)
                               : NULL;
    if (!bundle) {
        return none;
    }
    uint32_t number = micai_handles_add(&bundles->handles, bundle);
    bundle->seed = bundles->handles.created;
    bundle->handle = make_handle(world->state, bundle, number);
    return bundle->handle;
}

mica_bundle mica_bundle_new(mica_world *world, const mica_type *types, uint32_t count)
{
    static const char call[] = "mica_bundle_new";
    const mica_bundle none = {0};
    if (!world || (!types && count > 0)) {
        micai_fail_null(micai_world_host(world), call, world ? "types" : "world");
        return none;
    }
    if (micai_world_guard_edit(world, call)) {
        return none;
    }
    uint32_t tables = micai_world_begin(world, call);
    mica_bundle bundle = make_bundle(world, call, types, count);
    micai_world_end(world, tables, MICA_IS_NONE(bundle) ? micai_world_failed(world) : MICA_OK);
    return bundle;
}

mica_result mica_bundle_free(mica_world *world, mica_bundle bundle)
{
    static const char call[] = "mica_bundle_free";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_bundle *found =
        micai_world_guard_edit(world, call) ? NULL : micai_bundle_find(world, call, bundle);
    if (!found) {
        return micai_world_failed(world);
    }
    micai_bundles *bundles = micai_bundles_of(world->state);
    micai_handles_remove(&bundles->handles, micai_stamp_number(bundle.bits));
    if (!MICAI_CANARY("entity.freed_bundle")) {
        micai_bundles_init(bundles);
    }
    if (found->spawn) {
        found->spawn->pins--;
    }
    free_bundle(&world->host, found);
    return MICA_OK;
}

mica_result mica_bundle_reserve(mica_world *world, mica_bundle bundle, uint32_t count)
{
    static const char call[] = "mica_bundle_reserve";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    uint32_t tables = micai_world_begin(world, call);
    const micai_bundle *found = micai_bundle_open(world, call, bundle);
    mica_result result =
        found ? micai_spawn_reserve(world, found, count) : micai_world_failed(world);
    if (!result) {
        micai_store_tidy(&world->state->store, tables);
    }
    return micai_world_end(world, tables, result);
}
