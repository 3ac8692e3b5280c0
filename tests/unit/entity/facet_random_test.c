// S0.6: entities with facets at random, against a plain model: who belongs to whom, under which key, in which
// order, with which values, whatever storage they have.
#include "runner/mirror.h"
#include "unit/world/fixture.h"

enum {
    COLUMN, // in tables
    HOOKED, // the same, with hooks
    MARK,   // a tag in tables
    POOLED, // sparse
    STABLE, // the same, at an address that stays
    RINGED,
    SPLIT,   // loaded, not pointed to
    TOGGLED, // in tables; may be disabled
    TYPES,

    OWNERS = 12,
    FACETS = 10, // of one owner, at most
    ROLES = 4,
    STEPS = 6000
};

typedef struct row {
    mica_entity entity; // none: nobody
    uint32_t types;
    bool off; // what can be disabled is
    int64_t values[TYPES];
    uint32_t component; // of the key: a type; TYPES: none
    uint32_t role;
} row;

typedef struct owner {
    row main;
    row facets[FACETS]; // in the order in which they were made
    uint32_t count;
} owner;

typedef struct lab {
    fixture f;
    mica_world *world;
    mica_type types[TYPES];
    owner owners[OWNERS];
    uint64_t state;
    int64_t next; // value
    mirror mirror;
} lab;

static uint32_t below(lab *l, uint32_t end)
{
    l->state ^= l->state << 13;
    l->state ^= l->state >> 7;
    l->state ^= l->state << 17;
    return (uint32_t)((l->state >> 16) % end);
}

static void lab_begin(lab *l, uint64_t seed, bool relocate_always)
{
    fixture_prepare(&l->f);
    l->f.t.desc.relocate_always = relocate_always;
    fixture_open(&l->f);
    l->world = l->f.world;
    static const mica_field_info number = {.name = "number", .kind = MICA_KIND_I64};
    static const mica_type_desc descs[TYPES] = {
        [COLUMN] = {.name = "Column"},
        [POOLED] = {.name = "Pooled", .storage = MICA_SPARSE},
        [STABLE] = {.name = "Stable", .storage = MICA_SPARSE, .stable = true},
        [RINGED] = {.name = "Ringed", .storage = MICA_RING},
        [SPLIT] = {.name = "Split", .storage = MICA_SPLIT, .fields = &number, .field_count = 1},
        [TOGGLED] = {.name = "Toggled", .toggle = true}};
    for (uint32_t t = 0; t < TYPES; t++) {
        mica_type_desc desc = descs[t];
        desc.size = desc.align = sizeof(int64_t);
        l->types[t] = desc.name ? mica_type_register(l->world, &desc) : (mica_type){0};
    }
    l->types[HOOKED] = l->f.hooked;
    l->types[MARK] = l->f.player;
    l->state = seed;
    l->next = 0;
    for (uint32_t o = 0; o < OWNERS; o++) {
        l->owners[o] = (owner){0};
    }
}

static mica_type component_of(lab *l, uint32_t component)
{
    return component == TYPES ? (mica_type){0} : l->types[component];
}

// A number for each type, as what is given to the world; hooked values are the caller's to drop.
typedef struct assignment {
    mica_value values[TYPES];
    int64_t numbers[TYPES];
    tracked watched;
    uint32_t count;
} assignment;

static void make_assignment(lab *l, row *r, uint32_t types, assignment *g)
{
    g->count = 0;
    g->watched = tracked_make(&l->f.tracker, ++l->next);
    for (uint32_t t = 0; t < TYPES; t++) {
        if (types >> t & 1) {
            mica_value *value = &g->values[g->count];
            r->values[t] = g->numbers[t] = t == HOOKED ? g->watched.number : ++l->next;
            *value = t == MARK ? (mica_value){.type = l->types[t]}
                     : t == HOOKED
                         ? (mica_value){l->types[t], &g->watched, sizeof g->watched, 1, NULL}
                         : (mica_value){l->types[t], &g->numbers[t], sizeof g->numbers[t], 1, NULL};
            g->count++;
        }
    }
    r->off = r->off && r->types >> TOGGLED & 1; // what comes is enabled
    r->types |= types;
}

static void spawn(lab *l, owner *o)
{
    assignment g;
    make_assignment(l, &o->main, below(l, 1 << TYPES), &g);
    o->main.entity = mica_spawn_values(l->world, g.values, g.count);
    tracked_drop(&l->f.tracker, &g.watched);
    o->count = 0;
}

static uint32_t find(const owner *o, uint32_t component, uint32_t role)
{
    uint32_t i = 0;
    while (i < o->count && (o->facets[i].component != component || o->facets[i].role != role)) {
        i++;
    }
    return i;
}

static void extend(lab *l, owner *o)
{
    uint32_t component = below(l, TYPES + 1);
    uint32_t role = below(l, ROLES);
    bool taken = find(o, component, role) < o->count || (component == TYPES && role == 0);
    if (o->count == FACETS && !taken) {
        return;
    }
    row made = {.component = component, .role = role};
    assignment g;
    make_assignment(l, &made, below(l, 1 << TYPES), &g);
    made.entity = mica_facet_add_values(l->world, o->main.entity, component_of(l, component), role,
                                        g.values, g.count);
    tracked_drop(&l->f.tracker, &g.watched);
    CHECK(MICA_IS_NONE(made.entity) == taken);
    if (taken) {
        CHECK_EQUAL(MICA_ERROR_KEY, l->f.t.error.last.code);
        CHECK_EQUAL(1, test_error_clear(&l->f.t.error));
    } else {
        o->facets[o->count++] = made;
    }
}

static void remove_facet(lab *l, owner *o, uint32_t place)
{
    CHECK_EQUAL(MICA_OK, mica_despawn(l->world, o->facets[place].entity));
    for (uint32_t i = place + 1; i < o->count; i++) {
        o->facets[i - 1] = o->facets[i];
    }
    o->count--;
}

static void change(lab *l, row *r)
{
    assignment g;
    uint32_t lost = below(l, 1 << TYPES);
    mica_type removed[TYPES];
    uint32_t count = 0;
    make_assignment(l, r, below(l, 1 << TYPES) & ~lost, &g);
    for (uint32_t t = 0; t < TYPES; t++) {
        if (lost >> t & 1) {
            removed[count++] = l->types[t];
        }
    }
    r->types &= ~lost;
    r->off = r->off && r->types >> TOGGLED & 1;
    CHECK_EQUAL(MICA_OK, mica_change(l->world, r->entity, g.values, g.count, removed, count));
    tracked_drop(&l->f.tracker, &g.watched);
}

static void toggle(lab *l, row *r)
{
    bool has = r->types >> TOGGLED & 1;
    mica_result result = r->off ? mica_enable(l->world, r->entity, l->types[TOGGLED])
                                : mica_disable(l->world, r->entity, l->types[TOGGLED]);
    CHECK_EQUAL(has, result == MICA_OK);
    CHECK_EQUAL(!has, test_error_clear(&l->f.t.error));
    r->off = has && !r->off;
}

static void step(lab *l)
{
    owner *o = &l->owners[below(l, OWNERS)];
    if (MICA_IS_NONE(o->main.entity)) {
        spawn(l, o);
        return;
    }
    uint32_t place = o->count > 0 ? below(l, o->count) : 0;
    switch (below(l, 18)) {
    case 0:
        CHECK_EQUAL(MICA_OK, mica_despawn(l->world, o->main.entity));
        *o = (owner){0};
        break;
    case 1:
    case 2:
    case 3:
        if (o->count > 0) {
            remove_facet(l, o, place);
        }
        break;
    case 4:
    case 5: change(l, &o->main); break;
    case 6:
    case 7:
    case 8:
    case 9:
        if (o->count > 0) {
            change(l, &o->facets[place]);
        }
        break;
    case 10: toggle(l, &o->main); break;
    case 11:
        if (o->count > 0) {
            toggle(l, &o->facets[place]);
        }
        break;
    default: extend(l, o);
    }
}

// How many things are wrong with a row.
static uint32_t look_at_row(lab *l, const row *r)
{
    uint32_t wrong = 0;
    for (uint32_t t = 0; t < TYPES; t++) {
        bool has = r->types >> t & 1;
        int64_t loaded;
        bool is_loaded = t == SPLIT && mica_load(l->world, r->entity, l->types[t], &loaded, 8);
        const int64_t *value = is_loaded    ? &loaded
                               : t == SPLIT ? NULL
                                            : mica_get(l->world, r->entity, l->types[t]);
        wrong += mica_has(l->world, r->entity, l->types[t]) != has;
        if (has && t == HOOKED) {
            wrong += !tracked_is(&l->f.tracker, value, r->values[t]);
        } else if (has && t != MARK) {
            wrong += !value || *value != r->values[t];
        }
    }
    bool on = r->types >> TOGGLED & 1 && !r->off;
    return wrong + (mica_is_enabled(l->world, r->entity, l->types[TOGGLED]) != on);
}

static uint32_t look_at_owner(lab *l, const owner *o)
{
    uint32_t wrong = look_at_row(l, &o->main);
    mica_entity facet = (mica_entity){0};
    for (uint32_t i = 0; i < o->count; i++) {
        const row *r = &o->facets[i];
        mica_type component = l->f.frozen;
        uint32_t role = 99;
        facet = mica_facet_next(l->world, o->main.entity, facet);
        mica_facet_key(l->world, facet, &component, &role);
        wrong += !MICA_EQUAL(r->entity, facet);
        wrong += !MICA_EQUAL(component_of(l, r->component), component) || role != r->role;
        wrong += !MICA_EQUAL(o->main.entity, mica_facet_owner(l->world, facet));
        wrong += !MICA_EQUAL(facet, mica_facet_find(l->world, o->main.entity, component, role));
        wrong += look_at_row(l, r);
    }
    facet = mica_facet_next(l->world, o->main.entity, facet);
    return wrong + !MICA_IS_NONE(facet);
}

static void look(lab *l)
{
    CHECK(!l->mirror.world || !mirror_compare(&l->mirror));
    uint32_t wrong = 0;
    uint32_t entities = 0;
    uint32_t facets = 0;
    for (uint32_t o = 0; o < OWNERS; o++) {
        if (!MICA_IS_NONE(l->owners[o].main.entity)) {
            wrong += look_at_owner(l, &l->owners[o]);
            entities++;
            facets += l->owners[o].count;
        }
    }
    CHECK_EQUAL(0, wrong);
    CHECK_EQUAL(entities, mica_entity_count(l->world));
    CHECK_EQUAL(facets, mica_world_get_stats(l->world).facets);
    CHECK_EQUAL(MICA_OK, mica_world_validate(l->world));
}

static void run(uint64_t seed, bool relocate_always, bool observed, uint32_t steps)
{
    static lab l;
    lab_begin(&l, seed, relocate_always);
    const mica_query_desc queries[] = {
        {.terms = {{l.types[COLUMN], MICA_WITH}, {l.types[POOLED], MICA_WITHOUT}}},
        {.terms = {{l.types[TOGGLED], MICA_WITH}, {l.types[RINGED], MICA_WITHOUT}}},
        {.terms = {{l.types[MARK], MICA_WITH}}, .no_facets = true}};
    l.mirror.world = NULL;
    CHECK(!observed || mirror_begin(&l.mirror, l.world, l.types, TYPES, queries, 3, true));
    for (uint32_t i = 0; i < steps; i++) {
        step(&l);
        if (i % 16 == 0) {
            look(&l);
        }
    }
    look(&l);
    fixture_end(&l.f);
}

static void facets_are_those_of_a_plain_model(void)
{
    run(20261, false, false, STEPS);
    run(7, false, false, STEPS);
}

static void facets_are_those_of_a_plain_model_in_a_relocating_world(void)
{
    run(424242, true, false, STEPS / 8);
}

static void facets_are_reported_of_as_a_mirror_shows(void)
{
    run(99, false, true, STEPS / 4);
    run(3, true, true, STEPS / 16);
}

TESTS(facet_random, facets_are_those_of_a_plain_model,
      facets_are_those_of_a_plain_model_in_a_relocating_world,
      facets_are_reported_of_as_a_mirror_shows)
