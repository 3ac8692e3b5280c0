// Loading: reads the bytes of a delta, checks them against the world, and applies them.
//
// Rounded deltas lead to a state that differs from that of the other world. A module of the world remembers
// for which state of the other world such a state stands.
#include <string.h>

#include "base/stream.h"
#include "delta/load_internal.h"
#include "entity/digest.h"
#include "time/compare.h"

enum { ALIASES = 64, CHUNK = 1 << 16 };

// A state of this world that stands for one of another world.
typedef struct alias {
    uint64_t here; // hashes
    uint64_t there;
} alias;

typedef struct aliases {
    alias list[ALIASES];
    uint32_t count; // of those ever entered
} aliases;

static aliases *aliases_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_DELTA].data;
}

static void close_module(mica_world *world, void *data)
{
    micai_release(&world->host, data, sizeof(aliases), _Alignof(aliases));
}

static bool stands_for(const mica_world *world, uint64_t here, uint64_t there)
{
    const aliases *all = aliases_of(world);
    bool found = false;
    for (uint32_t i = 0; all && i < ALIASES && i < all->count && !found; i++) {
        found = all->list[i].here == here && all->list[i].there == there;
    }
    return found;
}

static mica_result reserve_alias(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_DELTA];
    if (!module->data) {
        void *all = micai_alloc_zeroed(&world->host, sizeof(aliases), _Alignof(aliases));
        *module = (micai_module){.data = all, .close = all ? close_module : NULL};
    }
    return module->data ? MICA_OK : MICA_ERROR_MEMORY;
}

static void enter_alias(mica_world *world, uint64_t here, uint64_t there)
{
    aliases *all = aliases_of(world);
    if (!stands_for(world, here, there)) {
        all->list[all->count % ALIASES] = (alias){here, there};
        all->count = all->count + 1 < 2 * ALIASES ? all->count + 1 : ALIASES;
    }
}

// The base

static mica_result check_base(micai_delta_load *l, bool *exact_out)
{
    micai_sums to = {.sums = &l->hash};
    if (!micai_snapshots_hash_world(l->world, &l->hash)) {
        l->hash = 0;
        mica_result result = micai_entities_hash(l->world, l->call, &to);
        if (result) {
            return result;
        }
        micai_resources_hash(l->state, &to);
    }
    *exact_out = l->hash == l->before;
    return *exact_out || stands_for(l->world, l->hash, l->before)
               ? MICA_OK
               : micai_fail(l->host, MICA_ERROR_BASE,
                            "%s: the world is not in the state that the delta begins with: it has "
                            "missed a delta, or has content of its own",
                            l->call);
}

// Values of types with hooks are more than their bytes.
static mica_result check_types(const micai_delta_load *l)
{
    const micai_registry *registry = &l->state->registry;
    for (uint32_t n = 0; n < registry->list.count; n++) {
        const micai_type *type = registry->list.items[n];
        if (!micai_hook_allows_byte_copy(type)) {
            return micai_fail(
                l->host, MICA_ERROR_TYPE,
                "%s: '%.80s' has hooks that copy, move or destroy values; deltas have "
                "only bytes",
                l->call, type->info.name);
        }
    }
    return MICA_OK;
}

// Loading

static mica_result load(micai_delta_load *l, micai_unpacker from)
{
    bool exact = false;
    mica_result result = micai_delta_read_head(l, &from);
    result = result ? result : check_types(l);
    result = result ? result : micai_delta_read_types(l, &from);
    result = result ? result : check_base(l, &exact);
    result = result ? result : micai_delta_read(l, &from);
    if (!result && exact && !l->rounds && l->hash != l->after) {
        micai_delta_fail(l, "it does not lead where it says");
        result = l->failed;
    }
    bool other = l->hash != l->after;
    result = result || !other ? result : reserve_alias(l->world);
    result = result ? result : micai_delta_reserve(l);
    if (!result) {
        micai_delta_apply(l);
        if (other) {
            enter_alias(l->world, l->hash, l->after);
        }
    }
    micai_delta_release(l);
    return result;
}

// The memory that loading may use: a base, and an amount for each byte. So a small delta cannot use up all
// memory.
#define MEMORY_BASE (UINT64_C(128) << 20)
#define MEMORY_EACH UINT64_C(128)

static mica_result load_limited(micai_delta_load *l, micai_unpacker from)
{
    uint64_t size = (uint64_t)(from.end - from.at);
    micai_memory_limit(l->host, MEMORY_BASE + MEMORY_EACH * size,
                       "the delta needs more memory than its size accounts for");
    return micai_memory_remove_limit(l->host, load(l, from));
}

// Reads all bytes of a stream.
static mica_result read_stream(micai_host *host, const char *call, const mica_stream *stream,
                               micai_packer *bytes_out)
{
    micai_input input;
    mica_result result = micai_input_open(&input, host, call, stream);
    if (result) {
        return result;
    }
    size_t got = CHUNK;
    while (got == CHUNK && !result) {
        unsigned char *space = micai_pack_space(bytes_out, CHUNK);
        got = space ? micai_input_read(&input, space, CHUNK) : 0;
        bytes_out->bytes.count -= space ? (uint32_t)(CHUNK - got) : 0;
        result = space ? input.failed : MICA_ERROR_MEMORY;
    }
    micai_input_close(&input);
    return result;
}

mica_result mica_delta_load(mica_world *world, const mica_stream *stream)
{
    static const char call[] = "mica_delta_load";
    if (!world || !stream) {
        return micai_fail_null(micai_world_host(world), call, world ? "stream" : "world");
    }
    mica_result result = micai_snapshots_guard(world, call);
    if (result) {
        return result;
    }
    micai_delta_load l = {
        .world = world, .state = world->state, .host = &world->host, .call = call};
    micai_packer bytes = {.host = l.host};
    l.known_tables = micai_world_begin(world, call);
    result = read_stream(l.host, call, stream, &bytes);
    if (!result) {
        const unsigned char *begin = bytes.bytes.items;
        result = load_limited(&l, (micai_unpacker){begin, begin + bytes.bytes.count, false});
    }
    micai_pack_free(&bytes);
    return micai_world_end(world, l.known_tables, result);
}
