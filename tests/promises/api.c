// What mica/api.h promises.
#include "promise.h"

#include <stdio.h>

PROMISE(mica_version)
{
    // [version.text]: here, both versions are the same
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", MICA_VERSION_MAJOR, MICA_VERSION_MINOR,
             MICA_VERSION_PATCH);
    CHECK_TEXT(text, mica_version());
}

static void handles_can_be_tested_and_compared(void)
{
    // [handle.is_none], [handle.none]
    CHECK(MICA_IS_NONE((mica_entity){0}));
    CHECK(!MICA_IS_NONE(mica_entity_make(0, 0)));
    CHECK(MICA_IS_NONE((mica_query){0}));
    CHECK(!MICA_IS_NONE((mica_query){1}));

    // [handle.equal]
    CHECK(MICA_EQUAL(mica_entity_make(1, 2), mica_entity_make(1, 2)));
    CHECK(!MICA_EQUAL(mica_entity_make(1, 2), mica_entity_make(1, 3)));
    CHECK(!MICA_EQUAL(mica_entity_make(1, 2), mica_entity_make(2, 2)));
}

TESTS(api, promise_of_mica_version, handles_can_be_tested_and_compared)
