// A fuzz target: images as JSON. Run by tools/fuzz.sh, and over its corpus by `make test`.
#include "fuzz/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_to_load(data, size);
    return 0;
}
