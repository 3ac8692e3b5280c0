#include "runner/mirror.h"

#include <string.h>

static void expect(mirror *m, bool right, const char *what)
{
    m->wrong = m->wrong ? m->wrong : right ? NULL : what;
}

static bool is_bit(uint32_t bits, uint32_t n)
{
    return bits >> n & 1;
}

static bool has_hooks(const mica_type_info *info)
{
    return info->hooks.construct || info->hooks.destruct || info->hooks.copy || info->hooks.move;
}

// What counts of a value, copied; zeroes if it is not there.
static void look(const mirror *m, mica_entity entity, uint32_t type, unsigned char *value_out)
{
    const mica_type_info *info = mica_type_get_info(m->world, m->types[type]);
    memset(value_out, 0, MIRROR_VALUE_SIZE);
    if (info->size > 0 && !has_hooks(info)) {
        mica_load(m->world, entity, m->types[type], value_out, info->size);
    } else if (info->size > 0) {
        const unsigned char *value = mica_get(m->world, entity, m->types[type]);
        const mica_field_info *field = info->field_count > 0 ? info->fields : NULL;
        if (value) {
            memcpy(value_out, value + (field ? field->offset : 0),
                   field ? field->size : info->size);
        }
    }
}

static bool is_as_reported(const mirror *m, const mirror_being *b, uint32_t type)
{
    unsigned char value[MIRROR_VALUE_SIZE];
    look(m, b->entity, type, value);
    return memcmp(value, b->values[type], sizeof value) == 0;
}

// The being of an entity. Where spawns are not reported, it comes with the first report of it.
static mirror_being *find(mirror *m, mica_entity entity)
{
    mirror_being *b = &m->beings[mica_entity_slot(entity) % MIRROR_SLOTS];
    if (!m->whole && !MICA_EQUAL(b->entity, entity)) {
        expect(m, b->has == 0 && b->matches == 0,
               "somebody came who is reported under another name");
        *b = (mirror_being){.entity = entity};
    }
    expect(m, MICA_EQUAL(b->entity, entity),
           "something is reported of an entity that is not there");
    return b;
}

// Being reported

static void hear_of_type(const mica_observer_event *h)
{
    mirror *m = h->user;
    mirror_being *b = find(m, h->entity);
    uint32_t t = 0;
    while (t < m->type_count && !MICA_EQUAL(m->types[t], h->type)) {
        t++;
    }
    uint32_t bit = UINT32_C(1) << t;
    bool has = b->has & bit;
    bool on = mica_is_enabled(m->world, h->entity, h->type);
    m->reported++;
    expect(m, mica_alive(m->world, h->entity), "the dead are reported of");
    expect(m, mica_has(m->world, h->entity, h->type), "what is not there is reported of");
    switch (h->kind) {
    case MICA_ON_ADD:
        expect(m, !has, "what was there comes");
        b->has |= bit;
        b->off = on ? b->off & ~bit : b->off | bit;
        look(m, h->entity, t, b->values[t]);
        break;
    case MICA_ON_SET:
        expect(m, has, "what was not there is set");
        look(m, h->entity, t, b->values[t]);
        break;
    case MICA_ON_REMOVE:
        expect(m, has && is_as_reported(m, b, t), "what goes was not there, or was something else");
        b->has &= ~bit;
        b->off &= ~bit;
        break;
    case MICA_ON_DISABLE:
        expect(m, has && !(b->off & bit) && on, "what is switched off was off");
        b->off |= bit;
        break;
    default:
        expect(m, h->kind == MICA_ON_ENABLE && has && (b->off & bit) && on,
               "what is switched on was on");
        b->off &= ~bit;
        break;
    }
}

// Its facets end before it.
static bool is_alone(const mirror *m, mica_entity entity)
{
    bool alone = true;
    mica_entity facet = (mica_entity){0};
    while (!MICA_IS_NONE(facet = mica_facet_next(m->world, entity, facet))) {
        const mirror_being *b = &m->beings[mica_entity_slot(facet) % MIRROR_SLOTS];
        alone = alone && !MICA_EQUAL(b->entity, facet);
    }
    return alone;
}

static void hear_of_entity(const mica_observer_event *h)
{
    mirror *m = h->user;
    mirror_being *b = &m->beings[mica_entity_slot(h->entity) % MIRROR_SLOTS];
    m->reported++;
    expect(m, mica_alive(m->world, h->entity), "the dead are reported of");
    if (h->kind == MICA_ON_SPAWN) {
        expect(m, MICA_IS_NONE(b->entity), "somebody comes to where somebody is");
        *b = (mirror_being){.entity = h->entity};
    } else {
        expect(m, MICA_EQUAL(b->entity, h->entity), "somebody ends who was not there");
        expect(m, b->has == 0 && b->matches == 0, "somebody ends who has something");
        expect(m, is_alone(m, h->entity), "somebody ends before a facet of it");
        *b = (mirror_being){0};
    }
}

static void hear_of_query(const mica_observer_event *h)
{
    mirror *m = h->user;
    mirror_being *b = find(m, h->entity);
    uint32_t q = 0;
    while (q < m->query_count && !MICA_EQUAL(m->observers[m->type_count + q], h->observer)) {
        q++;
    }
    uint32_t bit = UINT32_C(1) << q;
    bool comes = h->kind == MICA_ON_ENTER;
    m->reported++;
    expect(m, comes != (bool)(b->matches & bit),
           "somebody enters who was in, or leaves who was not");
    expect(m, mica_query_contains(m->world, m->queries[q], h->entity),
           "somebody is reported of who does not match");
    b->matches = comes ? b->matches | bit : b->matches & ~bit;
}

// Beginning

static void keep(mirror *m, mica_observer_desc desc)
{
    desc.user = m;
    m->observers[m->observer_count] = mica_observer_new(m->world, &desc);
    expect(m, !MICA_IS_NONE(m->observers[m->observer_count++]), "an observer is refused");
}

static void observe(mirror *m, const mica_query_desc *queries)
{
    for (uint32_t t = 0; t < m->type_count; t++) {
        const mica_type_info *info = mica_type_get_info(m->world, m->types[t]);
        uint32_t on = MICA_ON_ADD | MICA_ON_REMOVE;
        on |= info->size > 0 ? MICA_ON_SET : 0;
        on |= info->toggle ? MICA_ON_ENABLE | MICA_ON_DISABLE : 0;
        keep(m, (mica_observer_desc){.type = m->types[t], .events = on, .call = hear_of_type});
    }
    for (uint32_t q = 0; q < m->query_count; q++) {
        m->queries[q] = mica_query_new(m->world, &queries[q]);
        keep(m, (mica_observer_desc){.query = queries[q],
                                     .events = MICA_ON_ENTER | MICA_ON_LEAVE,
                                     .call = hear_of_query});
    }
    if (m->whole) {
        keep(m, (mica_observer_desc){.events = MICA_ON_SPAWN | MICA_ON_DESPAWN,
                                     .call = hear_of_entity});
    }
}

// One that there is, as it is.
static void see(mirror *m, mica_entity entity)
{
    mirror_being *b = &m->beings[mica_entity_slot(entity) % MIRROR_SLOTS];
    *b = (mirror_being){.entity = entity};
    for (uint32_t t = 0; t < m->type_count; t++) {
        bool has = mica_has(m->world, entity, m->types[t]);
        bool off = has && !mica_is_enabled(m->world, entity, m->types[t]);
        b->has |= (uint32_t)has << t;
        b->off |= (uint32_t)off << t;
        if (has) {
            look(m, entity, t, b->values[t]);
        }
    }
    for (uint32_t q = 0; q < m->query_count; q++) {
        b->matches |= (uint32_t)mica_query_contains(m->world, m->queries[q], entity) << q;
    }
}

// All that there are, each after its facets; how many.
static uint32_t go_through(mirror *m, void (*with)(mirror *m, mica_entity entity))
{
    uint32_t count = 0;
    mica_entity entity = (mica_entity){0};
    while (!MICA_IS_NONE(entity = mica_entity_next(m->world, entity))) {
        mica_entity facet = (mica_entity){0};
        while (!MICA_IS_NONE(facet = mica_facet_next(m->world, entity, facet))) {
            with(m, facet);
            count++;
        }
        with(m, entity);
        count++;
    }
    return count;
}

bool mirror_begin(mirror *m, mica_world *world, const mica_type *types, uint32_t type_count,
                  const mica_query_desc *queries, uint32_t query_count, bool whole)
{
    memset(m, 0, sizeof *m);
    m->world = world;
    m->whole = whole;
    m->type_count = type_count;
    m->query_count = query_count;
    memcpy(m->types, types, type_count * sizeof *types);
    observe(m, queries);
    go_through(m, see);
    return !m->wrong;
}

void mirror_end(mirror *m)
{
    for (uint32_t i = 0; i < m->observer_count; i++) {
        mica_observer_free(m->world, m->observers[i]);
    }
    for (uint32_t q = 0; q < m->query_count; q++) {
        mica_query_free(m->world, m->queries[q]);
    }
    m->world = NULL;
}

void mirror_look_again(mirror *m)
{
    for (uint32_t i = 0; i < MIRROR_SLOTS; i++) {
        mirror_being *b = &m->beings[i];
        for (uint32_t t = 0; t < m->type_count; t++) {
            if (is_bit(b->has, t) && mica_has(m->world, b->entity, m->types[t])) {
                look(m, b->entity, t, b->values[t]);
            }
        }
    }
}

// Comparing

static void check(mirror *m, mica_entity entity)
{
    const mirror_being *b = &m->beings[mica_entity_slot(entity) % MIRROR_SLOTS];
    const mirror_being nothing = {.entity = entity};
    if (!m->whole && !MICA_EQUAL(b->entity, entity)) {
        b = &nothing; // nobody was reported of it
    }
    expect(m, MICA_EQUAL(b->entity, entity), "somebody came and nobody was reported");
    for (uint32_t t = 0; t < m->type_count; t++) {
        bool has = mica_has(m->world, entity, m->types[t]);
        bool off = has && !mica_is_enabled(m->world, entity, m->types[t]);
        expect(m, has == is_bit(b->has, t), "a component came or went and nobody was reported");
        expect(m, off == is_bit(b->off, t), "a component was switched and nobody was reported");
        expect(m, !has || is_as_reported(m, b, t), "a value was set and nobody was reported");
    }
    for (uint32_t q = 0; q < m->query_count; q++) {
        expect(m, mica_query_contains(m->world, m->queries[q], entity) == is_bit(b->matches, q),
               "somebody matches, or does not, and nobody was reported");
    }
}

const char *mirror_compare(mirror *m)
{
    uint32_t count = go_through(m, check);
    uint32_t known = 0;
    for (uint32_t i = 0; i < MIRROR_SLOTS; i++) {
        const mirror_being *b = &m->beings[i];
        bool there = !MICA_IS_NONE(b->entity) && (m->whole || b->has || b->matches);
        known += there;
        expect(m, !there || mica_alive(m->world, b->entity),
               "somebody ended and nobody was reported");
    }
    expect(m, m->whole ? known == count : known <= count, "there are fewer than were reported of");
    return m->wrong;
}
