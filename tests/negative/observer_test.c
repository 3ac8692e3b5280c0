// The rows of <mica/observer.h>.
#include "negative/table.h"

#include <string.h>

static void hear(const mica_happening *h)
{
    (void)h;
}

static void observers_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_observer_desc good = {.type = t->tag, .on = MICA_ON_ADD, .call = hear};
    mica_observer_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    mica_observer_desc unended = good;
    unended.last_zero = 1;
    mica_observer_desc oversized = good;
    oversized.on = UINT32_MAX;
    mica_observer_desc contradictory = good;
    contradictory.query.everything = true;

    NULL_WORLD(mica_observe, NONES, mica_observe(w, &good));
    ALLOWED(mica_observe, mica_observer_free(w, mica_observe(w, &good)) == MICA_OK);
    NONES(mica_observe.desc.null, MICA_ERROR_NULL, mica_observe(w, NULL));
    NONES(mica_observe.desc.zeroed, MICA_ERROR_NULL, mica_observe(w, &(mica_observer_desc){0}));
    NONES(mica_observe.desc.garbage, MICA_ERROR_DESC, mica_observe(w, &garbage));
    NONES(mica_observe.desc.unended, MICA_ERROR_DESC, mica_observe(w, &unended));
    NONES(mica_observe.desc.oversized, MICA_ERROR_ARGUMENT, mica_observe(w, &oversized));
    NONES(mica_observe.desc.contradictory, MICA_ERROR_ARGUMENT, mica_observe(w, &contradictory));

    NULL_WORLD(mica_observer_free, FAILS, mica_observer_free(w, t->observer));
    ALLOWED(mica_observer_free, mica_observer_free(w, mica_observe(w, &good)) == MICA_OK);
    BAD_OBSERVERS(mica_observer_free.observer, FAILS, MICA_ERROR_OBSERVER,
                  mica_observer_free(w, x));
    table_end(t);
}

TESTS(table_observer, observers_refuse_bad_arguments)
