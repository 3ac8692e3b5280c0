// Bundles, and the public functions on them but for spawning, which is in spawn.c. A bundle keeps
// its types; its table is looked up, by the plan, when it is needed and forgotten when that is
// reclaimed.
#include "entity/bundle.h"

#include <inttypes.h>

#include "core/stamp.h"
#include "entity/data.h"
#include "entity/plan.h"

static size_t size_of(uint32_t count)
{
    return sizeof(micai_bundle) + count * sizeof(micai_bundle_item);
}

static void free_bundle(micai_host *host, micai_bundle *bundle)
{
    micai_release(host, bundle, size_of(bundle->count), _Alignof(micai_bundle));
}

static void forget_dying(void *user)
{
    micai_state *state = user;
    micai_bundles_forget(micai_bundles_of(state));
}

static void judge(void *user, micai_table *table)
{
    micai_state *state = user;
    micai_bundles_judge(micai_bundles_of(state), table);
}

static micai_listener listen(micai_state *state)
{
    return (micai_listener){.going = forget_dying, .judged = judge, .user = state};
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
    MICAI_FOR_HANDLES(micai_bundle, bundle, &bundles->handles)
    {
        if (bundle->table && bundle->table->dying) {
            micai_bundle_set(bundle, NULL, MICAI_WAY_LONG);
        }
    }
    for (uint32_t i = 0; i < MICAI_SHAPES; i++) {
        micai_shape *shape = &bundles->shapes[i];
        if (shape->table && shape->table->dying) {
            shape->table = NULL;
        }
    }
}

void micai_bundles_forget_all(micai_bundles *bundles)
{
    MICAI_FOR_HANDLES(micai_bundle, bundle, &bundles->handles)
    {
        micai_bundle_set(bundle, NULL, MICAI_WAY_LONG);
        for (uint32_t n = 0; n < bundle->count; n++) {
            bundle->items[n].pool = NULL;
        }
    }
    for (uint32_t i = 0; i < MICAI_SHAPES; i++) {
        bundles->shapes[i].table = NULL;
    }
}

void micai_bundles_judge(micai_bundles *bundles, micai_table *table)
{
    MICAI_FOR_HANDLES(micai_bundle, bundle, &bundles->handles)
    {
        if (bundle->table == table) {
            micai_bundle_set(bundle, table, micai_plan_way(table, bundle->items, bundle->count));
        }
    }
    for (uint32_t i = 0; i < MICAI_SHAPES; i++) {
        micai_shape *shape = &bundles->shapes[i];
        if (shape->table == table &&
            micai_plan_way(table, shape->items, shape->count) == MICAI_WAY_LONG) {
            shape->table = NULL;
        }
    }
}

// Shapes

static uint64_t key_of(const micai_bundle_item *items, uint32_t count)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < count; i++) {
        key = micai_stamp_add(key, items[i].bits);
    }
    return micai_stamp_mix(key);
}

// A place that is free. Where there is none, a newcomer that comes twice running takes the one that is its
// own, and so does every eighth, and who is the first of its kind ever (`fresh`): the others are not remembered
// (NULL). Who spawns more kinds in turn than there are places would else lose each of them before it comes again;
// but the first of a kind is followed by others more often than not, and a table was made for it anyway.
static micai_shape *find_place(micai_bundles *bundles, uint64_t key, bool fresh)
{
    for (uint32_t turn = 0; turn < MICAI_SHAPES; turn++) {
        micai_shape *shape = &bundles->shapes[micai_shape_place(key, turn)];
        if (!shape->table) {
            return shape;
        }
    }
    bool again = bundles->newcomer == key;
    bundles->newcomer = key;
    bool taken = ++bundles->newcomers % 8 != 0 && !again && !fresh;
    return taken ? NULL : &bundles->shapes[micai_shape_place(key, 0)];
}

// Is each value one that can be filled in? As micai_bundle_takes() asks it of the item it will have.
static bool can_be_filled_in(const micai_plan *plan, const mica_value *values)
{
    bool can = true;
    for (uint32_t i = 0; can && i < plan->gift_count; i++) {
        uint32_t size = plan->gifts[i].type->info.size;
        can = values[i].size == size && values[i].count == (size > 0) && (values[i].data || !size);
    }
    return can;
}

void micai_shape_remember(micai_state *state, const micai_plan *plan, const mica_value *values,
                          uint32_t count)
{
    micai_table *table = plan->target;
    if (!table->light || count > MICAI_SHAPE_TYPES || plan->gift_count != count) {
        return; // a type that was given twice is one gift
    }
    uint64_t key = micai_shape_key(values, count);
    bool fresh = table->count == 1 && table->id + 1 == state->store.tables.count;
    micai_shape *place = micai_shape_find(micai_bundles_of(state), key)
                             ? NULL
                             : find_place(micai_bundles_of(state), key, fresh);
    if (!place || !can_be_filled_in(plan, values)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const micai_gift *gift = &plan->gifts[i];
        place->items[i] = (micai_bundle_item){.type = gift->type,
                                              .bits = gift->type->info.type.bits,
                                              .column = gift->column,
                                              .pool = gift->pool};
        micai_plan_prepare_item(table, &place->items[i]);
    }
    place->key = key;
    place->count = count;
    place->way = micai_plan_way(table, place->items, count);
    place->table = place->way != MICAI_WAY_LONG ? table : NULL;
}

// Bundles

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

micai_bundle *micai_bundle_open(mica_world *world, const char *call, mica_bundle bundle)
{
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    micai_bundle *found =
        micai_world_guard(world, call) ? NULL : micai_bundle_find(world, call, bundle);
    return found && (found->table || micai_plan_prepare(world, found) == MICA_OK) ? found : NULL;
}

// Can there be a block for so many items? Where size_t has 32 bits, not always.
static bool has_size(size_t count)
{
    return count <= (SIZE_MAX - sizeof(micai_bundle)) / sizeof(micai_bundle_item);
}

// Enters the types of a bundle: all known, each once.
static mica_result list_types(mica_world *world, const char *call, const mica_type *types,
                              micai_bundle *bundle)
{
    mica_types listed = {0};
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
            bundle->items[i] = (micai_bundle_item){.type = type, .bits = type->info.type.bits};
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
    if (list_types(world, call, types, bundle) || micai_plan_prepare(world, bundle)) {
        free_bundle(&world->host, bundle);
        return NULL;
    }
    return bundle;
}

// Mixed into the handle, like a type's name, so that one kept from a world that is gone is told.
static uint64_t hash_items(const micai_bundle *bundle)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < bundle->count; i++) {
        hash = micai_hash_add(hash, bundle->items[i].type->name_hash);
    }
    return hash;
}

static mica_bundle make_handle(const micai_state *state, const micai_bundle *bundle,
                               uint32_t number)
{
    return (mica_bundle){
        micai_stamp_make(state->seal, micai_hash_add(bundle->seed, hash_items(bundle)), number)};
}

// Validation

// Are the items types that there are? That each is listed once is known by the handle, or the key of a
// shape, in which they are mixed: they are the ones it was made with.
static bool has_types(const micai_state *state, const micai_bundle_item *items, uint32_t count)
{
    bool right = true;
    for (uint32_t i = 0; right && i < count; i++) {
        const micai_bundle_item *item = &items[i];
        right = micai_registry_knows(&state->registry, item->type) &&
                item->bits == item->type->info.type.bits;
    }
    return right;
}

// Is the table that of the items, and are they filled in as they would be there?
static bool is_table_of(const micai_state *state, const micai_table *table,
                        const micai_bundle_item *items, uint32_t count)
{
    return micai_store_knows(&state->store, table) && micai_plan_fits(state, table, items, count);
}

static bool has_its_table(const micai_state *state, const micai_bundle *bundle)
{
    const micai_table *table = bundle->table;
    bool right = !table || is_table_of(state, table, bundle->items, bundle->count);
    micai_way way =
        right && table ? micai_plan_way(table, bundle->items, bundle->count) : MICAI_WAY_LONG;
    uint64_t quick = way == MICAI_WAY_QUICK ? bundle->handle.bits : 0;
    return right && bundle->way == way && bundle->quick.bits == quick;
}

// Is the bundle the one that its handle names?
static bool is_sound(const micai_state *state, const micai_bundle *bundle, uint32_t number)
{
    return bundle->count <= state->registry.list.count &&
           has_types(state, bundle->items, bundle->count) &&
           bundle->seed <= micai_bundles_of(state)->handles.made &&
           bundle->handle.bits == make_handle(state, bundle, number).bits;
}

static bool is_right_shape(const micai_state *state, const micai_shape *shape)
{
    return shape->count <= MICAI_SHAPE_TYPES && has_types(state, shape->items, shape->count) &&
           is_table_of(state, shape->table, shape->items, shape->count) &&
           shape->way != MICAI_WAY_LONG &&
           shape->way == micai_plan_way(shape->table, shape->items, shape->count) &&
           shape->key == key_of(shape->items, shape->count);
}

static mica_result validate_shapes(const micai_state *state)
{
    for (uint32_t i = 0; i < MICAI_SHAPES; i++) {
        const micai_shape *shape = &micai_bundles_of(state)->shapes[i];
        if (shape->table && !is_right_shape(state, shape)) {
            return micai_fail_invariant(state->host, "W3", "shape %" PRIu32 " has another's table",
                                        i);
        }
    }
    return MICA_OK;
}

mica_result micai_bundles_validate(const micai_state *state)
{
    const micai_bundles *bundles = micai_bundles_of(state);
    if (!micai_store_has_listener(&state->store, listen((micai_state *)state))) {
        return micai_fail_invariant(state->host, "W4", "bundles do not listen to the store");
    }
    mica_result result = micai_handles_validate(state->host, &bundles->handles, "bundles");
    for (uint32_t i = 0; !result && i < bundles->handles.list.count; i++) {
        const micai_bundle *bundle = micai_handles_at(&bundles->handles, i);
        if (bundle && !(is_sound(state, bundle, i) && has_its_table(state, bundle))) {
            result = micai_fail_invariant(state->host, "W3",
                                          "bundle %" PRIu32 " has another's table", i);
        }
    }
    return result ? result : validate_shapes(state);
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
    uint32_t number = micai_handles_enter(&bundles->handles, bundle);
    bundle->seed = bundles->handles.made;
    bundle->handle = make_handle(world->state, bundle, number);
    micai_bundle_set(bundle, bundle->table, bundle->way);
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
    if (micai_world_edit(world, call)) {
        return none;
    }
    uint32_t tables = micai_world_begin(world, call);
    mica_bundle bundle = make_bundle(world, call, types, count);
    micai_world_end(world, tables,
                    mica_bundle_is_none(bundle) ? micai_world_failed(world) : MICA_OK);
    return bundle;
}

mica_result mica_bundle_free(mica_world *world, mica_bundle bundle)
{
    static const char call[] = "mica_bundle_free";
    if (!world) {
        return micai_fail_null(NULL, call, "world");
    }
    micai_bundle *found =
        micai_world_edit(world, call) ? NULL : micai_bundle_find(world, call, bundle);
    if (!found) {
        return micai_world_failed(world);
    }
    micai_handles_remove(&micai_bundles_of(world->state)->handles, micai_stamp_number(bundle.bits));
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
        found ? micai_plan_reserve_many(world, found, count) : micai_world_failed(world);
    return micai_world_end(world, tables, result);
}
