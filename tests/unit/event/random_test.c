// Random changes, with random observers, beside a model that predicts what is reported: to whom, of whom, with
// which value, in which order. Observers set values, record changes, free each other and make others.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/watch.h"
#include "unit/event/fixture.h"

enum { TYPES = 7, PEOPLE = 14, LISTENERS = 400, LOG = 4096, STEPS = 500, SEEDS = 10 };

typedef enum reaction {
    REACT_NOT,
    REACT_SET, // a value that is there, at once
    REACT_ADD, // the others are recorded, or about observers
    REACT_REMOVE,
    REACT_DESPAWN,
    REACT_SPAWN,
    REACT_FREE,
    REACT_OBSERVE,
    REACTIONS
} reaction;

typedef struct query {
    uint32_t needed, forbidden, any, even; // bits by type
} query;

// An observer, as both sides know it.
typedef struct hearer {
    mica_observer handle;
    bool freed;
    uint32_t on;
    int type; // -1: none
    bool queries;
    query query;
    reaction reaction;
    uint32_t argument;
} hearer;

typedef struct reported {
    uint32_t hearer, what;
    uint64_t entity;
    int type;
    int32_t value; // 0: none
} reported;

typedef struct person {
    mica_entity entity;
    bool alive;
    uint32_t has, off; // bits by type
    int32_t values[TYPES];
} person;

typedef struct record {
    reaction what;
    mica_entity entity; // none: nothing is recorded
    uint32_t type;
} record;

typedef struct side {
    hearer hearers[LISTENERS];
    uint32_t hearer_count;
    reported log[LOG];
    uint32_t log_count;
    uint32_t reactions; // that are still allowed in this step
    bool recorded;      // so that at most one is
    record later;
} side;

// What comes of a change of one.
typedef struct change {
    person *who;
    bool spawns, ends;
    uint32_t has, off; // afterwards
    uint32_t set;
    int32_t values[TYPES]; // of those that come or are set
    bool was[LISTENERS];   // by hearer: did it match?
} change;

// Of the change that is reported, what the order of kinds is worked out from. Types below `next` were reported.
typedef struct order {
    const person *who;
    uint32_t comes, goes;
    int next;
    uint32_t set[TYPES]; // values set too early, reported later: to so many observers; 0: none
} order;

typedef struct lab {
    test_world t;
    mica_world *world;
    mica_type types[TYPES];
    mica_query everybody;
    side real, model;
    person people[PEOPLE];
    order now;
    bool
        blind; // it is not known who comes first; observers set values, of which the model knows nothing
    bool spare;  // there is place for two more people, when the step begins
    bool simple; // few types, and nobody observes queries, so that short cuts stay open
    uint32_t seed;
} lab;

static const bool has_values[TYPES] = {true, true, true, true, true, false, false};
static const bool toggles[TYPES] = {false, true, false, true, true, false, false};

static uint32_t draw(lab *l, uint32_t below)
{
    l->seed = l->seed * 1664525u + 1013904223u;
    return (l->seed >> 8) % below;
}

// Few types are in few tables, along whose edges many go.
static int draw_type(lab *l)
{
    static const int few[] = {0, 2, 5};
    return l->simple && draw(l, 5) ? few[draw(l, 3)] : (int)draw(l, TYPES);
}

static bool bit(uint32_t bits, int n)
{
    return bits >> n & 1;
}

static void note(side *s, reported what)
{
    if (s->log_count < LOG) {
        s->log[s->log_count++] = what;
    }
}

// The real side

typedef struct listener_of {
    lab *l;
    uint32_t number;
} listener_of;

static listener_of listeners[LISTENERS];

static void observe(lab *l, hearer h);

static mica_query_desc describe(const lab *l, const query *q)
{
    mica_query_desc desc = {0};
    uint32_t count = 0;
    for (int t = 0; t < TYPES; t++) {
        uint32_t access = bit(q->needed, t)      ? MICA_WITH
                          : bit(q->forbidden, t) ? MICA_WITHOUT
                          : bit(q->any, t)       ? MICA_ANY
                                                 : MICA_ACCESS_NONE;
        if (access) {
            access |= bit(q->even, t) ? MICA_INCLUDE_DISABLED : 0;
            desc.terms[count++] = (mica_term){l->types[t], access};
        }
    }
    desc.everything = count == 0;
    return desc;
}

static hearer newcomer(uint32_t argument)
{
    int type = (int)argument % TYPES;
    uint32_t set = has_values[type] ? MICA_ON_SET : 0;
    return (hearer){.on = MICA_ON_ADD | set | MICA_ON_REMOVE, .type = type};
}

// A value that is there, of anybody, mostly of what is reported of.
static void set_somebody(lab *l, const mica_observer_event *h, const hearer *own)
{
    int t = own->type >= 0 ? own->type : (int)own->argument % TYPES;
    const person *p = &l->people[(own->argument + l->real.log_count) % PEOPLE];
    if (has_values[t] && mica_has(h->world, p->entity, l->types[t])) {
        l->real.reactions--;
        CHECK_EQUAL(MICA_OK,
                    mica_set(h->world, p->entity, NUMBER(l->types[t], (int)own->argument)));
    }
}

static void react(lab *l, const mica_observer_event *h, const hearer *own)
{
    side *s = &l->real;
    mica_type type = l->types[own->argument % TYPES];
    if (own->reaction == REACT_NOT || s->reactions == 0) {
        return;
    }
    if (l->blind) {
        set_somebody(l, h, own);
        return;
    }
    s->reactions--;
    switch (own->reaction) {
    case REACT_SET:
        if (mica_has(h->world, h->entity, type) && has_values[own->argument % TYPES]) {
            CHECK_EQUAL(MICA_OK, mica_set(h->world, h->entity, NUMBER(type, (int)own->argument)));
        }
        return;
    case REACT_FREE: {
        hearer *other = &s->hearers[own->argument % s->hearer_count];
        if (!other->freed) {
            other->freed = true;
            CHECK_EQUAL(MICA_OK, mica_observer_free(h->world, other->handle));
        }
        return;
    }
    case REACT_OBSERVE: observe(l, newcomer(own->argument)); return;
    default: break;
    }
    if (s->recorded || (own->reaction == REACT_SPAWN && !l->spare)) {
        return;
    }
    s->recorded = true;
    s->later = (record){own->reaction, h->entity, own->argument % TYPES};
    switch (own->reaction) {
    case REACT_ADD: mica_add(h->later, h->entity, type); break;
    case REACT_REMOVE: mica_remove(h->later, h->entity, type); break;
    case REACT_DESPAWN: mica_despawn(h->later, h->entity); break;
    default: s->later.entity = mica_spawn(h->later, MICA_ADD(type)); break;
    }
}

static int number_of(const lab *l, mica_type type)
{
    for (int t = 0; t < TYPES; t++) {
        if (MICA_EQUAL(l->types[t], type)) {
            return t;
        }
    }
    return -1;
}

static void hear(const mica_observer_event *h)
{
    const listener_of *own = h->user;
    lab *l = own->l;
    int type = number_of(l, h->type);
    Number value = {0};
    if (type >= 0 && has_values[type]) {
        CHECK(mica_load(h->world, h->entity, h->type, &value, sizeof value));
        CHECK(!h->value || ((const Number *)h->value)->n == value.n);
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(h->world));
    note(&l->real, (reported){own->number, h->kind, h->entity.bits, type, value.n});
    const hearer copy = l->real.hearers[own->number];
    react(l, h, &copy);
}

static void observe(lab *l, hearer h)
{
    side *s = &l->real;
    if (s->hearer_count == LISTENERS) {
        return;
    }
    uint32_t number = s->hearer_count++;
    listeners[number] = (listener_of){l, number};
    mica_observer_desc desc = {.events = h.on, .call = hear, .user = &listeners[number]};
    if (h.type >= 0) {
        desc.type = l->types[h.type];
    }
    if (h.queries) {
        desc.query = describe(l, &h.query);
    }
    h.handle = mica_observer_new(l->world, &desc);
    CHECK(!MICA_IS_NONE(h.handle));
    s->hearers[number] = h;
}

// The model

static bool sees(const person *p, const query *q, int t)
{
    return bit(p->has, t) && (bit(q->even, t) || !bit(p->off, t));
}

static bool matches(const person *p, const query *q)
{
    bool any = q->any == 0;
    for (int t = 0; t < TYPES; t++) {
        if ((bit(q->needed, t) && !sees(p, q, t)) || (bit(q->forbidden, t) && sees(p, q, t))) {
            return false;
        }
        any = any || (bit(q->any, t) && sees(p, q, t));
    }
    return any;
}

static void predict_set(lab *l, person *p, int type, int32_t value);

// One is reported, and does what it does.
static void predict(lab *l, person *p, uint32_t number, uint32_t what, int type)
{
    side *s = &l->model;
    const hearer own = s->hearers[number];
    if (own.freed || (own.on & what) == 0) {
        return;
    }
    note(s, (reported){number, what, p->entity.bits, type,
                       type >= 0 && has_values[type] ? p->values[type] : 0});
    if (own.reaction == REACT_NOT || s->reactions == 0) {
        return;
    }
    s->reactions--;
    int t = (int)own.argument % TYPES;
    switch (own.reaction) {
    case REACT_SET:
        if (bit(p->has, t) && has_values[t]) {
            predict_set(l, p, t, (int32_t)own.argument);
        }
        return;
    case REACT_FREE: s->hearers[own.argument % s->hearer_count].freed = true; return;
    case REACT_OBSERVE:
        if (s->hearer_count < LISTENERS) {
            s->hearers[s->hearer_count++] = newcomer(own.argument);
        }
        return;
    default: break;
    }
    if (!s->recorded && (own.reaction != REACT_SPAWN || l->spare)) {
        s->recorded = true;
        s->later = (record){own.reaction, p->entity, (uint32_t)t};
    }
}

// Values of a type are reported to observers of a query that names it, for those who match.
static bool hears_value(const hearer *h, const person *p, uint32_t what, int type)
{
    return what == MICA_ON_SET && h->queries && bit(h->query.needed | h->query.any, type) &&
           matches(p, &h->query);
}

static void predict_type(lab *l, person *p, uint32_t made, uint32_t what, int type)
{
    for (uint32_t i = 0; i < made; i++) {
        const hearer *h = &l->model.hearers[i];
        if (h->type == type || hears_value(h, p, what, type)) {
            predict(l, p, i, what, type);
        }
    }
}

static void predict_types(lab *l, person *p, uint32_t made, uint32_t what, uint32_t types)
{
    for (int t = 0; t < TYPES; t++) {
        if (bit(types, t)) {
            predict_type(l, p, made, what, t);
        }
    }
}

// The same of types that go, come, or were given values by the change.
static void predict_removed(lab *l, person *p, uint32_t made, uint32_t types)
{
    l->now = (order){.who = p, .goes = types};
    for (int t = 0; t < TYPES; t++) {
        if (bit(types, t)) {
            l->now.next = t + 1;
            predict_type(l, p, made, MICA_ON_REMOVE, t);
        }
    }
}

static void predict_added(lab *l, person *p, uint32_t made, uint32_t types, uint32_t given)
{
    for (int t = 0; t < TYPES; t++) {
        if (bit(types, t)) {
            predict_type(l, p, made, MICA_ON_ADD, t);
            l->now.next = t + 1;
            if (!bit(given, t) && l->now.set[t] > 0) {
                predict_type(l, p, l->now.set[t], MICA_ON_SET, t);
            }
        }
    }
}

static void predict_given(lab *l, person *p, uint32_t made, uint32_t types)
{
    for (int t = 0; t < TYPES; t++) {
        if (bit(types, t)) {
            predict_type(l, p, l->now.set[t] > 0 ? l->now.set[t] : made, MICA_ON_SET, t);
        }
    }
}

static void predict_newcomers(lab *l, person *p, uint32_t made, uint32_t what)
{
    for (uint32_t i = 0; i < made; i++) {
        const hearer *h = &l->model.hearers[i];
        bool meant = h->type >= 0 ? bit(p->has, h->type)
                     : h->queries ? matches(p, &h->query)
                                  : true;
        if (meant) {
            predict(l, p, i, what, h->type);
        }
    }
}

static void predict_set(lab *l, person *p, int type, int32_t value)
{
    uint32_t made = l->model.hearer_count;
    order *now = &l->now;
    bool early = now->who == p && bit(now->comes, type) && type >= now->next;
    bool late = now->who == p && bit(now->goes, type) && type < now->next;
    if (!early && !late) {
        predict_type(l, p, made, MICA_ON_REPLACE, type);
    }
    p->values[type] = value;
    if (early) {
        now->set[type] = made;
    } else if (!late) {
        predict_type(l, p, made, MICA_ON_SET, type);
    }
}

static void predict_before(lab *l, change *c, uint32_t made)
{
    person *p = c->who;
    if (c->spawns) {
        return;
    }
    person after = *p;
    after.has = c->has;
    after.off = c->off;
    for (uint32_t i = 0; i < made; i++) {
        const hearer *h = &l->model.hearers[i];
        c->was[i] = h->queries && matches(p, &h->query);
        if (c->was[i] && (c->ends || !matches(&after, &h->query))) {
            predict(l, p, i, MICA_ON_LEAVE, -1);
        }
    }
    uint32_t stays = c->ends ? 0 : p->has & c->has;
    predict_types(l, p, made, MICA_ON_DISABLE, stays & c->off & ~p->off);
    predict_types(l, p, made, MICA_ON_REPLACE, stays & c->set);
    predict_removed(l, p, made, c->ends ? p->has : p->has & ~c->has);
    if (c->ends) {
        predict_newcomers(l, p, made, MICA_ON_DESPAWN);
    }
}

static void commit(change *c, uint32_t *come_out, uint32_t *enabled_out)
{
    person *p = c->who;
    uint32_t come = c->spawns ? c->has : c->has & ~p->has;
    *come_out = come;
    *enabled_out = c->spawns ? 0 : p->has & c->has & p->off & ~c->off;
    for (int t = 0; t < TYPES; t++) {
        if (bit(come | c->set, t)) {
            p->values[t] = c->values[t];
        }
    }
    p->alive = !c->ends;
    p->has = c->ends ? 0 : c->has;
    p->off = c->ends ? 0 : c->off;
}

static void predict_after(lab *l, change *c, uint32_t made, uint32_t come, uint32_t enabled)
{
    person *p = c->who;
    if (c->ends) {
        return;
    }
    l->now = (order){.who = p, .comes = come};
    if (c->spawns) {
        predict_newcomers(l, p, made, MICA_ON_SPAWN);
    }
    predict_added(l, p, made, come, c->set);
    predict_given(l, p, made, c->set);
    predict_types(l, p, made, MICA_ON_ENABLE, enabled);
    for (uint32_t i = 0; i < made; i++) {
        const hearer *h = &l->model.hearers[i];
        if (h->queries && !h->freed && (c->spawns || !c->was[i]) && matches(p, &h->query)) {
            predict(l, p, i, MICA_ON_ENTER, -1);
        }
    }
}

// Of one, or several at once.
static void predict_changes(lab *l, change *changes, uint32_t count, uint32_t made)
{
    uint32_t come[PEOPLE];
    uint32_t enabled[PEOPLE];
    for (uint32_t i = 0; i < count; i++) {
        predict_before(l, &changes[i], made);
    }
    for (uint32_t i = 0; i < count; i++) {
        commit(&changes[i], &come[i], &enabled[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        predict_after(l, &changes[i], made, come[i], enabled[i]);
    }
    l->now = (order){0};
}

static bool differs(const change *c)
{
    return c->spawns || c->ends || c->has != c->who->has || c->off != c->who->off || c->set != 0;
}

static void predict_change(lab *l, change *c)
{
    if (differs(c)) {
        predict_changes(l, c, 1, l->model.hearer_count);
    }
}

static change unchanged(person *p)
{
    return (change){.who = p, .has = p->has, .off = p->off};
}

static change with_type(person *p, int type)
{
    change c = unchanged(p);
    c.has |= UINT32_C(1) << type;
    return c;
}

static change without_type(person *p, int type)
{
    change c = unchanged(p);
    c.has &= ~(UINT32_C(1) << type);
    c.off &= c.has;
    return c;
}

static change with_value(person *p, int type, int32_t value)
{
    change c = with_type(p, type);
    if (has_values[type]) {
        c.set = UINT32_C(1) << type;
        c.values[type] = value;
    }
    return c;
}

static change ending(person *p)
{
    change c = unchanged(p);
    c.ends = true;
    return c;
}

static change toggled(person *p, int type, bool off)
{
    change c = unchanged(p);
    c.off = off ? c.off | UINT32_C(1) << type : c.off & ~(UINT32_C(1) << type);
    return c;
}

static person *find_free(lab *l)
{
    for (uint32_t i = 0; i < PEOPLE; i++) {
        if (!l->people[i].alive) {
            return &l->people[i];
        }
    }
    return NULL;
}

static person *find_person(lab *l, mica_entity entity)
{
    for (uint32_t i = 0; i < PEOPLE; i++) {
        if (l->people[i].alive && MICA_EQUAL(l->people[i].entity, entity)) {
            return &l->people[i];
        }
    }
    return NULL;
}

// What was recorded is carried out.
static void predict_later(lab *l)
{
    const record later = l->model.later;
    person *p = later.what == REACT_SPAWN ? find_free(l) : find_person(l, later.entity);
    if (!l->model.recorded || !p) {
        return;
    }
    change c = {0};
    int t = (int)later.type;
    switch (later.what) {
    case REACT_ADD: c = with_type(p, t); break;
    case REACT_REMOVE: c = without_type(p, t); break;
    case REACT_DESPAWN: c = ending(p); break;
    default:
        *p = (person){.entity = l->real.later.entity};
        c = with_type(p, t);
        c.spawns = true;
        break;
    }
    predict_change(l, &c);
}

// Steps: the library first, because it gives handles; then the model.

static mica_value value_of(const lab *l, int type, int32_t *n)
{
    return has_values[type] && *n ? (mica_value){l->types[type], n, sizeof *n, 1, NULL}
                                  : (mica_value){.type = l->types[type]};
}

static void step_spawn(lab *l)
{
    person *p = find_free(l);
    int a = draw_type(l);
    int b = draw_type(l);
    int32_t values[2] = {(int32_t)draw(l, 3), (int32_t)draw(l, 3)};
    if (!p || (a == b)) {
        return;
    }
    uint32_t count = draw(l, 3);
    const mica_value list[] = {value_of(l, a, &values[0]), value_of(l, b, &values[1])};
    *p = (person){0};
    p->entity = count == 0 ? mica_spawn_values(l->world, NULL, 0)
                           : mica_spawn_values(l->world, list, count);
    change c = {.who = p, .spawns = true};
    for (uint32_t i = 0; i < count; i++) {
        int t = i == 0 ? a : b;
        c.has |= UINT32_C(1) << t;
        if (has_values[t] && values[i]) {
            c.set |= UINT32_C(1) << t;
            c.values[t] = values[i];
        }
    }
    predict_change(l, &c);
}

static void step_clone(lab *l, const person *from)
{
    person *p = find_free(l);
    if (!p) {
        return;
    }
    const person original = *from;
    *p = (person){.entity = mica_clone(l->world, from->entity)};
    change c = {.who = p, .spawns = true, .has = original.has, .off = original.off};
    for (int t = 0; t < TYPES; t++) {
        c.set |= has_values[t] && bit(original.has, t) ? UINT32_C(1) << t : 0;
        c.values[t] = original.values[t];
    }
    predict_change(l, &c);
}

// A command for one, worked into what comes of several. What goes and comes anew is two changes.
static void record_one(lab *l, mica_world *later, change *c)
{
    int t = draw_type(l);
    uint32_t mask = UINT32_C(1) << t;
    int32_t n = 1 + (int32_t)draw(l, 9);
    mica_entity entity = c->who->entity;
    mica_type type = l->types[t];
    bool gone = bit(c->who->has & ~c->has, t);
    switch (draw(l, 4)) {
    case 0:
        if (!gone) {
            mica_add(later, entity, type);
            c->has |= mask;
        }
        break;
    case 1:
        if (!gone && has_values[t]) {
            mica_set(later, entity, NUMBER(type, n));
            c->has |= mask;
            c->set |= mask;
            c->values[t] = n;
        }
        break;
    case 2:
        mica_remove(later, entity, type);
        c->has &= ~mask;
        c->set &= ~mask;
        c->off &= ~mask;
        c->values[t] = 0;
        break;
    default:
        if (toggles[t] && bit(c->has, t)) {
            bool off = draw(l, 2);
            (off ? mica_disable : mica_enable)(later, entity, type);
            c->off = off ? c->off | mask : c->off & ~mask;
        }
        break;
    }
}

static void step_record(lab *l, person *p)
{
    mica_world *later = mica_world_later(l->world);
    change c = unchanged(p);
    if (!p->alive) {
        *p = (person){.entity = mica_spawn_values(later, NULL, 0)};
        c = (change){.who = p, .spawns = true};
    }
    for (uint32_t i = 0; i < 6; i++) {
        record_one(l, later, &c);
    }
    CHECK_EQUAL(MICA_OK, mica_commands_apply(l->world));
    predict_change(l, &c);
}

static void step_change(lab *l, person *p)
{
    int a = draw_type(l);
    int b = draw_type(l);
    int gone = draw_type(l);
    int32_t n = 1 + (int32_t)draw(l, 9);
    if (a == b || gone == a || gone == b) {
        return;
    }
    const mica_value values[] = {value_of(l, a, &n), {.type = l->types[b]}};
    CHECK_EQUAL(MICA_OK, mica_change(l->world, p->entity, values, 2, &l->types[gone], 1));
    change c = with_value(p, a, n);
    c.has = (c.has | UINT32_C(1) << b) & ~(UINT32_C(1) << gone);
    c.off &= c.has;
    predict_change(l, &c);
}

// One change for everybody; who comes first is not for the model to say.
static void step_all(lab *l)
{
    uint32_t what = draw(l, 6);
    int t = draw_type(l);
    bool toggles_it = what >= 3 && what < 5;
    int32_t n = 1 + (int32_t)draw(l, 9);
    mica_world *world = l->world;
    mica_type type = l->types[t];
    if ((toggles_it && !toggles[t]) || (what == 2 && !has_values[t])) {
        return;
    }
    switch (what) {
    case 0: mica_add_all(world, l->everybody, type, NULL); break;
    case 1: mica_remove_all(world, l->everybody, type, NULL); break;
    case 2: mica_set_all(world, l->everybody, type, &n, sizeof n, NULL); break;
    case 3: mica_enable_all(world, l->everybody, type, NULL); break;
    case 4: mica_disable_all(world, l->everybody, type, NULL); break;
    default: mica_despawn_all(world, l->everybody, NULL); break;
    }
    change changes[PEOPLE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < PEOPLE; i++) {
        person *p = &l->people[i];
        if (!p->alive || (toggles_it && !bit(p->has, t))) {
            continue;
        }
        change c = what == 0   ? with_type(p, t)
                   : what == 1 ? without_type(p, t)
                   : what == 2 ? with_value(p, t, n)
                   : what < 5  ? toggled(p, t, what == 4)
                               : ending(p);
        if (differs(&c)) {
            changes[count++] = c;
        }
    }
    predict_changes(l, changes, count, l->model.hearer_count);
}

static void step_observe(lab *l)
{
    hearer h = {.type = -1, .reaction = (reaction)draw(l, REACTIONS), .argument = draw(l, 1000)};
    uint32_t subject = draw(l, 8);
    if (l->simple && subject >= 4) {
        subject = 7;
    }
    h.reaction = draw(l, 3) == 0 ? h.reaction : REACT_NOT;
    if (subject < 4) {
        h.type = draw_type(l);
        h.on = 1 + draw(l, MICAI_ON_ALL);
        h.on &= (uint32_t)MICAI_ON_ALL & ~(uint32_t)(MICA_ON_ENTER | MICA_ON_LEAVE);
        h.on &= has_values[h.type] ? MICAI_ON_ALL : ~(uint32_t)MICAI_WATCH_VALUES;
        h.on &= toggles[h.type] ? MICAI_ON_ALL : ~(uint32_t)(MICA_ON_ENABLE | MICA_ON_DISABLE);
    } else if (subject < 7) {
        h.queries = true;
        h.on = 1 + draw(l, MICAI_ON_ALL);
        h.on &= MICA_ON_ENTER | MICA_ON_LEAVE | MICA_ON_SPAWN | MICA_ON_DESPAWN | MICA_ON_SET;
        bool valued = false;
        for (int t = 0; t < TYPES; t++) {
            uint32_t access = draw(l, 7);
            uint32_t mask = UINT32_C(1) << t;
            h.query.needed |= access == 0 ? mask : 0;
            h.query.forbidden |= access == 1 ? mask : 0;
            h.query.any |= access == 2 ? mask : 0;
            h.query.even |= access < 3 && toggles[t] && draw(l, 3) == 0 ? mask : 0;
            valued = valued || (has_values[t] && (access == 0 || access == 2));
        }
        h.on &= valued ? MICAI_ON_ALL : ~(uint32_t)MICA_ON_SET;
    } else {
        h.on = draw(l, 2) ? MICA_ON_SPAWN : MICA_ON_DESPAWN;
    }
    if (h.on != 0 && l->real.hearer_count < LISTENERS) {
        observe(l, h);
        l->model.hearers[l->model.hearer_count++] = h;
    }
}

static void step_free(lab *l)
{
    uint32_t number = l->real.hearer_count > 0 ? draw(l, l->real.hearer_count) : 0;
    if (number < l->real.hearer_count && !l->real.hearers[number].freed) {
        l->real.hearers[number].freed = true;
        l->model.hearers[number].freed = true;
        CHECK_EQUAL(MICA_OK, mica_observer_free(l->world, l->real.hearers[number].handle));
    }
}

static void step_one(lab *l, person *p)
{
    int t = draw_type(l);
    mica_world *world = l->world;
    mica_type type = l->types[t];
    int32_t n = 1 + (int32_t)draw(l, 9);
    change c;
    switch (draw(l, 8)) {
    case 0:
        mica_add(world, p->entity, type);
        c = with_type(p, t);
        break;
    case 1:
        mica_remove(world, p->entity, type);
        c = without_type(p, t);
        break;
    case 2:
    case 3: {
        mica_value value = value_of(l, t, &n);
        mica_set_values(world, p->entity, &value, 1);
        c = with_value(p, t, n);
        break;
    }
    case 4:
    case 5: {
        bool off = draw(l, 2);
        if (!toggles[t] || !bit(p->has, t)) {
            return;
        }
        (off ? mica_disable : mica_enable)(world, p->entity, type);
        c = toggled(p, t, off);
        break;
    }
    case 6: step_clone(l, p); return;
    default:
        if (draw(l, 2)) {
            step_change(l, p);
            return;
        }
        mica_despawn(world, p->entity);
        c = ending(p);
        break;
    }
    predict_change(l, &c);
}

// Comparing

static bool is_before(const reported *what)
{
    return what->what <= MICA_ON_DESPAWN || what->what == MICA_ON_REPLACE;
}

static int compare_reported(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(reported));
}

static void show(const char *name, const side *s)
{
    for (uint32_t i = 0; i < s->log_count; i++) {
        const reported *x = &s->log[i];
        printf("%s: hearer %u, kind %x, entity %llx, type %d, value %d\n", name,
               (unsigned)x->hearer, (unsigned)x->what, (unsigned long long)x->entity, x->type,
               (int)x->value);
    }
}

// Of each component of each entity: first that it comes, last that it goes.
static bool are_in_order(const side *s)
{
    for (uint32_t i = 0; i < s->log_count; i++) {
        const reported *x = &s->log[i];
        for (uint32_t k = 0; k < i; k++) {
            const reported *earlier = &s->log[k];
            bool same = earlier->entity == x->entity && earlier->type == x->type && x->type >= 0;
            bool valued = (x->what & MICAI_WATCH_VALUES) != 0;
            bool was_valued = (earlier->what & MICAI_WATCH_VALUES) != 0;
            if (same && ((x->what == MICA_ON_ADD && was_valued) ||
                         (valued && earlier->what == MICA_ON_REMOVE))) {
                return false;
            }
        }
    }
    return true;
}

// Observers may have set values, of whom the model does not know: both sides forget that.
static void forget_sets(lab *l, side *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->log_count; i++) {
        reported x = s->log[i];
        x.value = 0;
        if ((x.what & MICAI_WATCH_VALUES) == 0) {
            s->log[kept++] = x;
        }
    }
    s->log_count = kept;
    for (uint32_t i = 0; i < PEOPLE; i++) {
        person *p = &l->people[i];
        for (int t = 0; p->alive && t < TYPES; t++) {
            Number value = {0};
            if (has_values[t] && bit(p->has, t)) {
                mica_load(l->world, p->entity, l->types[t], &value, sizeof value);
                p->values[t] = value.n;
            }
        }
    }
}

// Where the order of entities is not known everything is reported of nobody twice, but for values.
static bool are_same(lab *l, bool sorted)
{
    side *a = &l->real;
    side *b = &l->model;
    if (sorted && !are_in_order(a)) {
        return false;
    }
    if (l->blind) {
        forget_sets(l, a);
        forget_sets(l, b);
    }
    for (uint32_t i = 1; sorted && i < a->log_count; i++) {
        if (is_before(&a->log[i]) && !is_before(&a->log[i - 1])) {
            return false;
        }
    }
    if (sorted) {
        qsort(a->log, a->log_count, sizeof *a->log, compare_reported);
        qsort(b->log, b->log_count, sizeof *b->log, compare_reported);
    }
    return a->log_count == b->log_count &&
           memcmp(a->log, b->log, sizeof(reported) * a->log_count) == 0;
}

static bool are_people_right(lab *l)
{
    bool right = true;
    for (uint32_t i = 0; i < PEOPLE; i++) {
        const person *p = &l->people[i];
        for (int t = 0; p->alive && t < TYPES; t++) {
            Number value = {0};
            bool has = mica_has(l->world, p->entity, l->types[t]);
            right = right && has == bit(p->has, t);
            if (has && has_values[t]) {
                mica_load(l->world, p->entity, l->types[t], &value, sizeof value);
                right = right && value.n == p->values[t];
            }
            right = right && (!has || !toggles[t] ||
                              mica_is_enabled(l->world, p->entity, l->types[t]) != bit(p->off, t));
        }
    }
    return right;
}

static void begin_step(side *s, uint32_t reactions)
{
    s->log_count = 0;
    s->reactions = reactions;
    s->recorded = false;
    s->later = (record){0};
    memset(s->log, 0, sizeof s->log);
}

static bool step(lab *l)
{
    uint32_t what = draw(l, 30);
    bool all = what == 6;
    uint32_t reactions = draw(l, all ? 10 : 4);
    begin_step(&l->real, reactions);
    begin_step(&l->model, all ? 0 : reactions);
    l->blind = all && reactions > 0;
    person *p = &l->people[draw(l, PEOPLE)];
    uint32_t alive = 0;
    for (uint32_t i = 0; i < PEOPLE; i++) {
        alive += l->people[i].alive;
    }
    l->spare = alive + 2 <= PEOPLE;
    if (what == 0) {
        step_observe(l);
    } else if (what == 1) {
        step_free(l);
    } else if (what < 6) {
        step_spawn(l);
    } else if (all) {
        step_all(l);
    } else if (what < 10) {
        step_record(l, p);
    } else if (p->alive) {
        step_one(l, p);
    }
    predict_later(l);
    bool right = are_same(l, all) && are_people_right(l) &&
                 mica_world_validate(l->world) == MICA_OK && l->t.error.calls == 0 &&
                 mica_commands_count(l->world) == 0;
    if (!right) {
        show("reported", &l->real);
        show("model", &l->model);
    }
    return right;
}

static mica_type register_one(lab *l, int t, uint32_t mix)
{
    static const char *const names[TYPES] = {"A", "B", "C", "D", "E", "Tag", "Mark"};
    if (!has_values[t]) {
        return t == 5 ? MICA_TAG(l->world, Tag) : MICA_SPARSE_TAG(l->world, Mark);
    }
    mica_type_desc desc = MICA_DESCRIBE(Number, n);
    desc.name = names[t];
    desc.toggle = toggles[t];
    desc.storage = fixture_storages[((uint32_t)t + mix) % FIXTURE_STORAGES];
    return mica_type_register(l->world, &desc);
}

static lab the_lab;

static void run(uint32_t seed, bool relocate_always)
{
    lab *l = &the_lab;
    memset(l, 0, sizeof *l);
    l->seed = seed;
    l->simple = seed % 2 == 0;
    test_world_prepare(&l->t);
    l->t.desc.relocate_always = relocate_always;
    l->world = test_world_open(&l->t);
    for (int t = 0; t < TYPES; t++) {
        l->types[t] = register_one(l, t, seed);
    }
    l->everybody = mica_query_new(l->world, &(mica_query_desc){.everything = true});
    uint32_t steps = 0;
    while (steps < STEPS && step(l)) {
        steps++;
    }
    if (steps < STEPS) {
        test_fail(__FILE__, __LINE__, "seed %u, step %u: %s", (unsigned)seed, (unsigned)steps,
                  l->t.error.last.sentence);
    }
    CHECK_EQUAL(STEPS, steps);
    test_world_end(&l->t);
}

static void what_is_reported_is_what_a_model_predicts(void) // S2.8
{
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        run(seed, false);
    }
}

static void the_same_in_worlds_in_which_everything_moves(void)
{
    for (uint32_t seed = 101; seed < 101 + SEEDS / 3; seed++) {
        run(seed, true);
    }
}

TESTS(random, what_is_reported_is_what_a_model_predicts,
      the_same_in_worlds_in_which_everything_moves)
