// Writes the images that tests/fuzz begins with, and golden ones: a world of some of everything. The
// golden images of a version are written once, and loaded ever after. And loads images and saves them again,
// to be compared on several machines (tools/long/cross.sh).
//
// usage: golden SEED OPERATIONS PREFIX    writes PREFIX.mica and .json, and a part, .part.mica and .part.json
//        golden again PREFIX TARGET       loads each of these, and saves it as TARGET...
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "unit/image/cast.h"

static uint64_t seed;
static uint32_t operations;
static const char *prefix;
static const char *target;

static const struct {
    const char *ending;
    mica_image_format format;
    bool part;
} kinds[] = {{".mica", MICA_IMAGE_BINARY, false},
             {".json", MICA_IMAGE_JSON, false},
             {".part.mica", MICA_IMAGE_BINARY, true},
             {".part.json", MICA_IMAGE_JSON, true}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *path_of(const char *begin, const char *ending)
{
    static char path[1024];
    REQUIRE(snprintf(path, sizeof path, "%s%s", begin, ending) < (int)sizeof path);
    return path;
}

TEST_WITH(cast, c, images_are_written)
{
    cast_play(c, seed, operations);
    mica_query some =
        mica_query_new(c->world, &(mica_query_desc){.terms = {{c->types[CAST_SHEET], MICA_ANY},
                                                              {c->types[CAST_SPARSE], MICA_ANY}}});
    for (uint32_t i = 0; i < KINDS; i++) {
        const mica_stream stream = {.path = path_of(prefix, kinds[i].ending)};
        const mica_save_desc how = {.format = kinds[i].format};
        CHECK_EQUAL(MICA_OK, kinds[i].part ? mica_subset_save(c->world, some, &stream, &how, NULL)
                                           : mica_world_save(c->world, &stream, &how));
    }
}

static void images_are_written_again(void)
{
    for (uint32_t i = 0; i < KINDS; i++) {
        cast c;
        cast_begin(&c);
        const mica_save_desc how = {.format = kinds[i].format};
        mica_stream stream = {.path = path_of(prefix, kinds[i].ending)};
        CHECK_EQUAL(MICA_OK, mica_world_load(c.world, &stream, NULL));
        stream.path = path_of(target, kinds[i].ending);
        mica_query all = mica_query_new(c.world, &(mica_query_desc){.everything = true});
        CHECK_EQUAL(MICA_OK, kinds[i].part ? mica_subset_save(c.world, all, &stream, &how, NULL)
                                           : mica_world_save(c.world, &stream, &how));
        cast_end(&c);
    }
}

TESTS(golden, images_are_written)
TESTS(again, images_are_written_again)

int main(int argument_count, char **arguments)
{
    if (argument_count != 4) {
        return 2;
    }
    bool again = strcmp(arguments[1], "again") == 0;
    const test_suite *const suites[] = {again ? &test_suite_again : &test_suite_golden,
                                        &test_suite_0};
    prefix = arguments[again ? 2 : 3];
    target = arguments[3];
    seed = again ? 0 : strtoull(arguments[1], NULL, 10);
    operations = again ? 0 : (uint32_t)strtoul(arguments[2], NULL, 10);
    return test_main(suites, 1, arguments);
}
