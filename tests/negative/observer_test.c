// The rows of <mica/observer.h>.
#include "negative/table.h"

#include <string.h>

static void hear(const mica_observer_event *h)
{
    (void)h;
}

static void observers_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_observer_desc good = {.type = t->tag, .events = MICA_ON_ADD, .call = hear};
    mica_observer_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    mica_observer_desc unended = good;
    unended.last_zero = 1;
    mica_observer_desc oversized = good;
    oversized.events = UINT32_MAX;
    mica_observer_desc contradictory = good;
    contradictory.query.everything = true;

    NULL_WORLD(mica_observer_new, NONES, mica_observer_new(w, &good));
    ALLOWED(mica_observer_new, mica_observer_free(w, mica_observer_new(w, &good)) == MICA_OK);
    NONES(mica_observer_new.desc.null, MICA_ERROR_NULL, mica_observer_new(w, NULL));
    NONES(mica_observer_new.desc.zeroed, MICA_ERROR_NULL,
          mica_observer_new(w, &(mica_observer_desc){0}));
    NONES(mica_observer_new.desc.garbage, MICA_ERROR_DESC, mica_observer_new(w, &garbage));
    NONES(mica_observer_new.desc.unended, MICA_ERROR_DESC, mica_observer_new(w, &unended));
    NONES(mica_observer_new.desc.oversized, MICA_ERROR_ARGUMENT, mica_observer_new(w, &oversized));
    NONES(mica_observer_new.desc.contradictory, MICA_ERROR_ARGUMENT,
          mica_observer_new(w, &contradictory));

    NULL_WORLD(mica_observer_free, FAILS, mica_observer_free(w, t->observer));
    ALLOWED(mica_observer_free, mica_observer_free(w, mica_observer_new(w, &good)) == MICA_OK);
    BAD_OBSERVERS(mica_observer_free.observer, FAILS, MICA_ERROR_OBSERVER,
                  mica_observer_free(w, x));

    NULL_WORLD(mica_observer_enable, FAILS, mica_observer_enable(w, t->observer));
    ALLOWED(mica_observer_enable, mica_observer_enable(w, t->observer) == MICA_OK);
    BAD_OBSERVERS(mica_observer_enable.observer, FAILS, MICA_ERROR_OBSERVER,
                  mica_observer_enable(w, x));
    NULL_WORLD(mica_observer_disable, FAILS, mica_observer_disable(w, t->observer));
    ALLOWED(mica_observer_disable, mica_observer_disable(w, t->observer) == MICA_OK);
    BAD_OBSERVERS(mica_observer_disable.observer, FAILS, MICA_ERROR_OBSERVER,
                  mica_observer_disable(w, x));
    NULL_WORLD(mica_observer_is_enabled, NULLS, mica_observer_is_enabled(w, t->observer));
    ALLOWED(mica_observer_is_enabled, !mica_observer_is_enabled(w, t->observer));
    BAD_OBSERVERS(mica_observer_is_enabled.observer, NULLS, MICA_ERROR_OBSERVER,
                  mica_observer_is_enabled(w, x));
    table_end(t);
}

static void signals_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const Position p = {0};
    const uint32_t size = sizeof p;

    NULL_WORLD(mica_modified, FAILS, mica_modified(w, t->full, t->position));
    ALLOWED(mica_modified, mica_modified(w, t->full, t->position) == MICA_OK);
    BAD_ENTITIES(mica_modified.entity, FAILS, MICA_ERROR_ENTITY, mica_modified(w, x, t->position));
    BAD_TYPES(mica_modified.type, FAILS, MICA_ERROR_TYPE, mica_modified(w, t->full, x));

    NULL_WORLD(mica_signal, FAILS, mica_signal(w, t->bare, t->position, &p, size));
    ALLOWED(mica_signal, mica_signal(w, t->bare, t->position, &p, size) == MICA_OK);
    BAD_ENTITIES(mica_signal.entity, FAILS, MICA_ERROR_ENTITY,
                 mica_signal(w, x, t->position, &p, size));
    BAD_TYPES(mica_signal.type, FAILS, MICA_ERROR_TYPE, mica_signal(w, t->bare, x, &p, size));
    FAILS(mica_signal.data.null, MICA_ERROR_NULL, mica_signal(w, t->bare, t->position, NULL, size));
    FAILS(mica_signal.size.zero, MICA_ERROR_SIZE, mica_signal(w, t->bare, t->position, &p, 0));
    FAILS(mica_signal.size.wrong, MICA_ERROR_SIZE, mica_signal(w, t->bare, t->position, &p, 4));
    FAILS(mica_signal.size.huge, MICA_ERROR_SIZE,
          mica_signal(w, t->bare, t->position, &p, UINT32_MAX));
    table_end(t);
}

TESTS(table_observer, observers_refuse_bad_arguments, signals_refuse_bad_arguments)
