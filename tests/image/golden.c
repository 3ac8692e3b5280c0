// Writes the images that tests/fuzz begins with, and a golden one: a world of some of everything. The
// golden image of a version is written once, and loaded ever after.
//
// usage: golden SEED OPERATIONS FILE
#include <stdlib.h>

#include "runner/test.h"
#include "unit/image/cast.h"

static uint64_t seed;
static uint32_t operations;
static const char *path;

static void an_image_is_written(void)
{
    cast c;
    cast_begin(&c);
    cast_play(&c, seed, operations);
    CHECK_EQUAL(MICA_OK, mica_world_save(c.world, &(mica_stream){.path = path}, NULL));
    cast_end(&c);
}

TESTS(golden, an_image_is_written)

int main(int argument_count, char **arguments)
{
    const test_suite *const suites[] = {&test_suite_golden, &test_suite_0};
    if (argument_count != 4) {
        return 2;
    }
    seed = strtoull(arguments[1], NULL, 10);
    operations = (uint32_t)strtoul(arguments[2], NULL, 10);
    path = arguments[3];
    return test_main(suites, 1, arguments);
}
