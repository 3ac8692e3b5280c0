// Which canary is on: the one that MICA_CANARY in the environment names, if any.
#include "base/canary.h"

#include <stdlib.h>
#include <string.h>

bool micai_canary_is_on(const char *name)
{
    static const char *on;
    static bool asked;
    if (!asked) {
        asked = true;
        on = getenv("MICA_CANARY");
    }
    return on && strcmp(on, name) == 0;
}
