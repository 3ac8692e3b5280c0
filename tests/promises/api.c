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

TESTS(api, promise_of_mica_version)
