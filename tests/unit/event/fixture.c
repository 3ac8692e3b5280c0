#include "unit/event/fixture.h"

#include <stdio.h>
#include <string.h>

const mica_storage fixture_storages[FIXTURE_STORAGES] = {MICA_TABLE, MICA_SPLIT, MICA_RING,
                                                         MICA_SPARSE};

static mica_type make(mica_world *world, const char *name, mica_storage storage, bool toggle)
{
    mica_type_desc desc = MICA_DESCRIBE(Number, n);
    desc.name = name;
    desc.storage = storage;
    desc.toggle = toggle;
    return mica_type_register(world, &desc);
}

void fixture_begin(fixture *f, mica_storage storage)
{
    memset(f, 0, sizeof *f);
    mica_world *world = f->world = test_world_begin(&f->t);
    f->a = make(world, "A", storage, false);
    f->b = make(world, "B", storage, true);
    f->tag = MICA_TAG(world, Tag);
    f->marked = MICA_SPARSE_TAG(world, Marked);
    f->all = mica_query_new(world, &(mica_query_desc){.everything = true});
    REQUIRE_EQUAL(FIXTURE_TYPES, test_type_count(world));
}

void fixture_end(fixture *f)
{
    test_world_end(&f->t);
}

int32_t fixture_load(fixture *f, mica_entity entity, mica_type type)
{
    Number value = {-1};
    CHECK(mica_load(f->world, entity, type, &value, sizeof value));
    return value.n;
}

static const char *word(uint32_t what)
{
    switch (what) {
    case MICA_ON_LEAVE: return "leave";
    case MICA_ON_DISABLE: return "disable";
    case MICA_ON_REMOVE: return "remove";
    case MICA_ON_DESPAWN: return "despawn";
    case MICA_ON_SPAWN: return "spawn";
    case MICA_ON_ADD: return "add";
    case MICA_ON_SET: return "set";
    case MICA_ON_ENABLE: return "enable";
    case MICA_ON_ENTER: return "enter";
    case MICA_ON_REPLACE: return "replace";
    case MICA_ON_SIGNAL: return "signal";
    default: return "?";
    }
}

listener *fixture_listener(const mica_observer_event *h)
{
    return h->user;
}

static void note(const mica_observer_event *h)
{
    listener *own = h->user;
    fixture *f = own->f;
    size_t size = strlen(f->log);
    CHECK(h->world == f->world && h->later != NULL);
    CHECK(mica_alive(h->world, h->entity));
    CHECK_EQUAL(MICA_OK, mica_world_validate(h->world));
    int more =
        snprintf(f->log + size, sizeof f->log - size, "%s%s%s%s %u", size ? ", " : "",
                 word(h->kind), own->label[0] ? " " : "", own->label, mica_entity_slot(h->entity));
    size += (size_t)more;
    if (h->kind == MICA_ON_SIGNAL) {
        if (h->value) {
            snprintf(f->log + size, sizeof f->log - size, "=%d",
                     (int)((const Number *)h->value)->n);
        }
    } else if (f->values && !MICA_IS_NONE(h->type) && !MICA_EQUAL(h->type, f->tag) &&
               !MICA_EQUAL(h->type, f->marked)) {
        int32_t value = fixture_load(f, h->entity, h->type);
        CHECK(!h->value || ((const Number *)h->value)->n == value);
        snprintf(f->log + size, sizeof f->log - size, "=%d", (int)value);
    }
    if (own->and_then) {
        own->and_then(h);
    }
}

static mica_observer hear(fixture *f, const char *label, mica_observer_desc desc,
                          void (*and_then)(const mica_observer_event *h))
{
    listener *own = &f->listeners[f->listener_count++];
    *own = (listener){f, label, and_then};
    desc.call = note;
    desc.user = own;
    desc.name = label[0] ? label : NULL;
    mica_observer observer = mica_observer_new(f->world, &desc);
    CHECK(!MICA_IS_NONE(observer));
    return observer;
}

mica_observer fixture_hear_and(fixture *f, const char *label, mica_type type, uint32_t on,
                               void (*and_then)(const mica_observer_event *h))
{
    return hear(f, label, (mica_observer_desc){.type = type, .events = on}, and_then);
}

mica_observer fixture_hear(fixture *f, const char *label, mica_type type, uint32_t on)
{
    return fixture_hear_and(f, label, type, on, NULL);
}

mica_observer fixture_hear_as(fixture *f, const char *label, mica_observer_desc desc,
                              void (*and_then)(const mica_observer_event *h))
{
    return hear(f, label, desc, and_then);
}

mica_observer fixture_hear_query(fixture *f, const char *label, mica_query_desc query, uint32_t on)
{
    return hear(f, label, (mica_observer_desc){.query = query, .events = on}, NULL);
}
