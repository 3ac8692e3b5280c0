// A fuzz target: binary images, whose checksums are made right first. Run by tools/fuzz.sh, and over its
// corpus by `make test`.
#include "fuzz/world.h"

#include "image/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    must(copy != NULL, "memory");
    if (size > 0) {
        memcpy(copy, data, size);
    }
    mend(copy, size);
    try_to_load(copy, size);
    free(copy);
    return 0;
}
