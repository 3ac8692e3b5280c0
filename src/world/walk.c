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
