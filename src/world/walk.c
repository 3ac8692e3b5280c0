// The memory of walks. walk.h has the contract.
#include "world/walk.h"

#include "base/memory.h"

bool micai_walks_make(micai_host *host, micai_walks *walks)
{
    micai_walk *walk = micai_alloc(host, sizeof *walk, _Alignof(micai_walk));
    if (!walk) {
        return false;
    }
    walk->serial = 0;
    walk->older = walks->closed;
    walks->closed = walk;
    walks->made++;
    return true;
}

void micai_walks_free(micai_host *host, micai_walks *walks)
{
    while (walks->closed) {
        micai_walk *walk = walks->closed;
        walks->closed = walk->older;
        micai_release(host, walk, sizeof *walk, _Alignof(micai_walk));
    }
}

static bool is_there(const micai_host *host, const micai_walk *walk)
{
    return micai_memory_holds(host, walk, 1, sizeof *walk, _Alignof(micai_walk));
}

static mica_result validate_open(micai_host *host, const micai_walks *walks, bool stepping)
{
    const micai_walk *newer = NULL;
    uint64_t serial = walks->last_serial + 1;
    uint32_t count = 0;
    bool right = true;
    for (const micai_walk *walk = walks->newest; right && walk; walk = walk->older) {
        right = ++count <= walks->count && is_there(host, walk) && walk->newer == newer &&
                walk->serial != 0 && walk->serial < serial;
        if (right && (!micai_memory_holds_bool(&walk->held) || (walk->held && !stepping))) {
            return micai_fail_invariant(host, "J3", "a step that does not run holds an iteration");
        }
        serial = right ? walk->serial : 0;
        newer = walk;
    }
    return right && count == walks->count
               ? MICA_OK
               : micai_fail_invariant(host, "J1", "the list of open iterations is broken");
}

mica_result micai_walks_validate(micai_host *host, const micai_walks *walks, bool stepping)
{
    mica_result result = validate_open(host, walks, stepping);
    if (result) {
        return result;
    }
    uint64_t count = walks->count;
    bool right = true;
    for (const micai_walk *walk = walks->closed; right && walk; walk = walk->older) {
        right = ++count <= walks->made && is_there(host, walk) && walk->serial == 0;
    }
    return right && count == walks->made
               ? MICA_OK
               : micai_fail_invariant(host, "J2", "the list of closed iterations is broken");
}
