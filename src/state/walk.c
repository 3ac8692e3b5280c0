// The memory of walks. walk.h has the contract.
#include "state/walk.h"

#include "base/memory.h"

bool micai_walks_add(micai_host *host, const char *call, micai_walks *walks)
{
    micai_host_begin(host, call);
    micai_walk *walk = micai_alloc(host, sizeof *walk, _Alignof(micai_walk));
    micai_host_end(host);
    if (!walk) {
        return false;
    }
    walk->serial = 0;
    walk->driver = NULL;
    walk->group = NULL;
    walk->leave = NULL;
    walk->memory = NULL;
    walk->memory_size = 0;
    walk->memory_align = 0;
    walk->owners = NULL;
    walk->owner_capacity = 0;
    walk->newer = NULL;
    walk->older = NULL;
    if (walks->outer) {
        walk->older = walks->closed;
        walks->closed = walk;
    } else {
        walks->outer = walk;
    }
    walks->made++;
    return true;
}

micai_walk *micai_walk_open_inner(micai_walks *walks, micai_gate *gate, const char *call,
                                  const char *name)
{
    bool there = walks->closed || micai_walks_add(gate->host, call, walks);
    micai_walk *walk = there ? walks->closed : NULL;
    if (!walk) {
        return NULL;
    }
    walks->closed = walk->older;
    walk->serial = ++walks->last_serial;
    walk->name = name;
    walk->newer = NULL;
    walk->older = walks->newest;
    walks->newest->newer = walk;
    walks->newest = walk;
    walks->count++;
    micai_gate_shut(gate);
    return walk;
}

static void release_memory(micai_host *host, micai_walk *walk)
{
    if (walk->memory) {
        micai_release(host, walk->memory, walk->memory_size, walk->memory_align);
    }
    walk->memory = NULL;
    walk->memory_size = 0;
    walk->memory_align = 0;
}

mica_result micai_walk_reserve(micai_host *host, micai_walk *walk, size_t size, uint32_t align)
{
    if (walk->memory && walk->memory_size >= size && walk->memory_align >= align) {
        return MICA_OK;
    }
    void *memory = micai_alloc(host, size, align);
    if (!memory) {
        return MICA_ERROR_MEMORY;
    }
    release_memory(host, walk);
    walk->memory = memory;
    walk->memory_size = size;
    walk->memory_align = align;
    return MICA_OK;
}

static void release_owners(micai_host *host, micai_walk *walk)
{
    if (walk->owners) {
        micai_release(host, walk->owners, (size_t)walk->owner_capacity * sizeof *walk->owners,
                      _Alignof(mica_entity));
    }
    walk->owners = NULL;
    walk->owner_capacity = 0;
}

mica_result micai_walk_reserve_owners(micai_host *host, micai_walk *walk, uint32_t count)
{
    if (walk->owner_capacity >= count) {
        return MICA_OK;
    }
    mica_entity *owners =
        micai_alloc_array(host, count, sizeof *walk->owners, _Alignof(mica_entity));
    if (!owners) {
        return MICA_ERROR_MEMORY;
    }
    release_owners(host, walk);
    walk->owners = owners;
    walk->owner_capacity = count;
    return MICA_OK;
}

static void release_walk(micai_host *host, micai_walk *walk)
{
    release_memory(host, walk);
    release_owners(host, walk);
    micai_release(host, walk, sizeof *walk, _Alignof(micai_walk));
}

void micai_walks_free(micai_host *host, micai_walks *walks)
{
    while (walks->closed) {
        micai_walk *walk = walks->closed;
        walks->closed = walk->older;
        release_walk(host, walk);
    }
    if (walks->outer) {
        release_walk(host, walks->outer);
        walks->outer = NULL;
    }
}

// Follows the list of open walks as long as its links are valid. Returns NULL if all are.
static const micai_walk *follow_open(const micai_walks *walks, uint32_t *count_out)
{
    const micai_walk *newer = NULL;
    const micai_walk *walk = walks->newest;
    uint64_t serial = walks->last_serial + 1;
    *count_out = 0;
    while (walk && ++*count_out <= walks->count && walk->newer == newer && walk->serial != 0 &&
           walk->serial < serial) {
        serial = walk->serial;
        newer = walk;
        walk = walk->older;
    }
    return walk;
}

static const micai_walk *follow_closed(const micai_walks *walks, uint32_t *count_out)
{
    const micai_walk *walk = walks->closed;
    *count_out = 0;
    while (walk && ++*count_out <= walks->made && walk->serial == 0 && walk != walks->outer) {
        walk = walk->older;
    }
    return walk;
}

// Returns true if the outer walk is in the right place. The list of open walks is already checked.
static bool is_outer_valid(const micai_walks *walks)
{
    const micai_walk *outer = walks->outer;
    if (!outer) {
        return walks->made == 0;
    }
    if (outer->older) {
        return false;
    }
    const micai_walk *oldest = walks->newest;
    while (oldest && oldest->older) {
        oldest = oldest->older;
    }
    return outer->serial == 0 ? !outer->newer : oldest == outer;
}

static bool has_memory(const micai_walk *walk)
{
    size_t align = walk->memory_align;
    return !walk->owners == (walk->owner_capacity == 0) &&
           (walk->memory ? walk->memory_size > 0 && align > 0 && (align & (align - 1)) == 0
                         : walk->memory_size == 0 && align == 0);
}

static bool have_memory(const micai_walk *list)
{
    while (list && has_memory(list)) {
        list = list->older;
    }
    return !list;
}

mica_result micai_walks_validate(micai_host *host, const micai_walks *walks, bool stepping)
{
    uint32_t open;
    if (follow_open(walks, &open) || open != walks->count) {
        return micai_fail_invariant(host, "J1", "the list of open iterations is broken");
    }
    uint32_t closed;
    bool idle = walks->outer && walks->outer->serial == 0;
    if (!is_outer_valid(walks) || follow_closed(walks, &closed) ||
        (uint64_t)open + closed + idle != walks->made) {
        return micai_fail_invariant(host, "J2", "the list of closed iterations is broken");
    }
    if (!have_memory(walks->newest) || !have_memory(walks->closed) || !have_memory(walks->outer)) {
        return micai_fail_invariant(host, "J4", "an iteration has lost its memory");
    }
    for (const micai_walk *walk = walks->newest; walk; walk = walk->older) {
        if (walk->held_by_step && !stepping) {
            return micai_fail_invariant(host, "J3", "a step that does not run holds an iteration");
        }
    }
    return MICA_OK;
}
