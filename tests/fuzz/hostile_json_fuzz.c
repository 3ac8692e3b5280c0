// A fuzz target: images as JSON whose counts, sizes and checksums are right and whose content is hostile, loaded
// by several programs (hostile.c). Run by tools/fuzz.sh, and over its corpus by `make test`. Pages have the
// size that users have: how much memory an image may take is a question of that size. What numbers are compared with
// says nothing about orders.
//
// flags: -fno-sanitize-coverage=trace-cmp -UMICAI_TEST_SMALL_PAGES
// with: tests/fuzz/hostile.c tests/fuzz/record.c tests/fuzz/tree_change.c tests/fuzz/tree_write.c
#include "fuzz/hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hostile_try(data, size, tree_write_json);
    return 0;
}
