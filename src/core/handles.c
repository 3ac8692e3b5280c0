// Handle tables. handles.h has the contract.
#include "core/handles.h"

#include "base/hash.h"

bool micai_handles_reserve(micai_host *host, micai_handles *handles, const char *call,
                           const char *what)
{
    if (handles->list.count > MICAI_STAMP_NUMBER_MAX && handles->free_list.count == 0) {
        micai_fail(host, MICA_ERROR_LIMIT, "%s: too many %s", call, what);
        return false;
    }
    return micai_array_reserve(host, &handles->list, 1) &&
           micai_array_reserve(host, &handles->free_list,
                               handles->list.count + 1 - handles->free_list.count);
}

uint32_t micai_handles_add(micai_handles *handles, void *thing)
{
    uint32_t number = handles->free_list.count > 0
                          ? handles->free_list.items[--handles->free_list.count]
                          : handles->list.count++;
    handles->list.items[number] = thing;
    handles->created++;
    return number;
}

void micai_handles_remove(micai_handles *handles, uint32_t number)
{
    handles->list.items[number] = NULL;
    handles->free_list.items[handles->free_list.count++] = number;
}

void micai_handles_free(micai_host *host, micai_handles *handles)
{
    micai_array_free(host, &handles->list);
    micai_array_free(host, &handles->free_list);
}

mica_result micai_handles_validate(micai_host *host, const micai_handles *handles, const char *what)
{
    mica_result result = micai_array_validate(host, &handles->list, what);
    result = result ? result : micai_array_validate(host, &handles->free_list, what);
    uint64_t difference = 0; // free numbers minus listed numbers, as a sum of hashes
    uint32_t free = 0;
    for (uint32_t i = 0; !result && i < handles->list.count; i++) {
        free += !handles->list.items[i];
        difference += handles->list.items[i] ? 0 : micai_hash_mix((uint64_t)i + 1);
    }
    for (uint32_t i = 0; !result && i < handles->free_list.count; i++) {
        difference -= micai_hash_mix((uint64_t)handles->free_list.items[i] + 1);
    }
    return result || (difference == 0 && free == handles->free_list.count)
               ? result
               : micai_fail_invariant(host, "L2", "numbers of %s are lost, or free twice", what);
}
