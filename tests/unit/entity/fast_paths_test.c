// Short cuts: a table's rows take them while nothing but bytes is moved and nobody observes it
// (micai_table.quick). Observing one table is nobody else's business.
#include <mica.h>

#include <string.h>

#include "entity/data.h"
#include "state/state.h"
#include "store/table/row.h"
#include "unit/world/fixture.h"

enum { ROWS = 3 * MICAI_ROWS };

// Two tables of plain values, each with a bundle; a third, with one type more, for changes.
typedef struct pair {
    fixture f;
    mica_bundle still, moving;
    mica_entity stills[ROWS], movers[ROWS];
} pair;

static micai_table *table_of(const fixture *f, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&f->world->state->slots, entity);
    REQUIRE(record != NULL);
    return micai_row_table(micai_row_of(&f->world->state->store, record));
}

static micai_way way_of(const fixture *f, mica_bundle bundle)
{
    const micai_bundles *bundles = micai_bundles_of(f->world->state);
    for (uint32_t i = 0; i < bundles->handles.list.count; i++) {
        const micai_bundle *found = bundles->handles.list.items[i];
        if (mica_bundle_equal(found->handle, bundle)) {
            CHECK_EQUAL(found->way == MICAI_WAY_QUICK, mica_bundle_equal(found->quick, bundle));
            return found->way;
        }
    }
    return MICAI_WAY_LONG;
}

static bool is_quick(const fixture *f, mica_bundle bundle)
{
    return way_of(f, bundle) == MICAI_WAY_QUICK;
}

// The edge from this table, one type more, if it is remembered.
static const micai_edge *find_remembered(const fixture *f, const micai_table *table, mica_type type)
{
    const micai_store *store = &f->world->state->store;
    uint32_t slot = micai_edge_slot(micai_stamp_number(type.bits), false, MICAI_EDGE_QUICK);
    const micai_edge *edge = slot < store->recent.count ? store->recent.items[slot] : NULL;
    return edge && edge->source == table ? edge : NULL;
}

static bool is_remembered(const fixture *f, const micai_table *table, mica_type type)
{
    return find_remembered(f, table, type) != NULL;
}

static void pair_begin(pair *p)
{
    fixture *f = &p->f;
    fixture_begin(f);
    const mica_type types[] = {f->position, f->velocity};
    p->still = mica_bundle_new(f->world, types, 1);
    p->moving = mica_bundle_new(f->world, types, 2);
    for (uint32_t i = 0; i < ROWS; i++) {
        const Position at = {(float)i, 1};
        const Velocity by = {(float)i, 2};
        const mica_value values[] = {MICA_FROM(f->position, at), MICA_FROM(f->velocity, by)};
        p->stills[i] = mica_spawn_bundle(f->world, p->still, values, 1);
        p->movers[i] = mica_spawn_bundle(f->world, p->moving, values, 2);
    }
}

// Everybody who lives has the position and velocity they were given.
static void check_all(const pair *p)
{
    const fixture *f = &p->f;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        const mica_entity both[] = {p->stills[i], p->movers[i]};
        for (uint32_t k = 0; k < 2; k++) {
            if (mica_alive(f->world, both[k])) {
                const Position *at = mica_get(f->world, both[k], f->position);
                wrong += !at || at->x != (float)i || at->y != 1;
            }
        }
        if (mica_alive(f->world, p->movers[i])) {
            const Velocity *by = mica_get(f->world, p->movers[i], f->velocity);
            wrong += !by || by->x != (float)i || by->y != 2;
        }
    }
    CHECK_EQUAL(0, wrong);
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
}

static void a_table_of_values_with_hooks_is_never_quick(void)
{
    fixture f;
    fixture_begin(&f);
    mica_type_desc desc = {.name = "Ends", .size = 4, .align = 4};
    desc.hooks.destruct = tracked_desc(&f.tracker, "", false).hooks.destruct;
    desc.user = &f.tracker;
    mica_type ends = mica_type_register(f.world, &desc);
    const mica_type types[] = {f.moved, f.hooked, ends, f.position, f.player};
    for (uint32_t i = 0; i < 5; i++) {
        mica_bundle bundle = mica_bundle_new(f.world, &types[i], 1);
        CHECK_EQUAL(i >= 3, is_quick(&f, bundle));
    }
    fixture_end(&f);
}

// The others need not ask for flags, then.
static void values_with_flags_take_short_cuts_apart_from_the_others(void)
{
    static pair p;
    pair_begin(&p);
    fixture *f = &p.f;
    const mica_type_desc desc = {.name = "Lamp", .size = 4, .align = 4, .toggle = true};
    const mica_type lamp = mica_type_register(f->world, &desc);
    const mica_type types[] = {f->position, lamp};
    CHECK_EQUAL(MICAI_WAY_APART, way_of(f, mica_bundle_new(f->world, types, 2)));
    const float value = 1;
    for (uint32_t i = 0; i < 2; i++) {
        mica_set_value(f->world, p.stills[i], lamp, &value, sizeof value);
        mica_set_value(f->world, p.stills[i], f->velocity, &(Velocity){0}, sizeof(Velocity));
    }
    const micai_table *moving = table_of(f, p.movers[0]);
    mica_set_value(f->world, p.movers[0], lamp, &value, sizeof value);
    const micai_edge *flagged = find_remembered(f, moving, lamp);
    REQUIRE(flagged != NULL);
    CHECK_EQUAL(MICAI_EDGE_NO_SIZE, flagged->size);
    CHECK_EQUAL(4, flagged->fill.size);
    uint64_t uses = f->world->state->store.edge_uses;
    mica_set_value(f->world, p.movers[1], lamp, &value, sizeof value);
    CHECK_EQUAL(uses, f->world->state->store.edge_uses); // no edge was looked for
    const float *got = mica_get(f->world, p.movers[1], lamp);
    CHECK(got && *got == value);
    check_all(&p);
    fixture_end(f);
}

static void never_mind(const mica_happening *h)
{
    (void)h;
}

static mica_observer observe(fixture *f, mica_observer_desc desc)
{
    desc.call = never_mind;
    return mica_observe(f->world, &desc);
}

static bool is_told(fixture *f, mica_entity entity, mica_type type, bool remove)
{
    const micai_store *store = &f->world->state->store;
    const micai_record *record = micai_slots_find(&f->world->state->slots, entity);
    return micai_row_ready_and_told(store, micai_row_table(micai_row_of(store, record)), type,
                                    remove) != NULL;
}

static void observing_a_type_closes_the_short_cuts_of_its_tables_only(void)
{
    static pair p;
    pair_begin(&p);
    fixture *f = &p.f;
    micai_table *still = table_of(f, p.stills[0]);
    micai_table *moving = table_of(f, p.movers[0]);
    CHECK(still->quick && moving->quick);
    CHECK(is_quick(f, p.still) && is_quick(f, p.moving));
    mica_observer observer =
        observe(f, (mica_observer_desc){.type = f->velocity, .on = MICA_ON_ADD});
    CHECK(still->quick && !moving->quick);
    CHECK(is_quick(f, p.still) && !is_quick(f, p.moving));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    // An edge that is observed is not remembered, others of the same table are.
    for (uint32_t i = 1; i < 3; i++) {
        CHECK_EQUAL(MICA_OK, mica_add(f->world, p.stills[i], f->velocity));
        CHECK_EQUAL(MICA_OK, mica_add(f->world, p.stills[ROWS - i], f->player));
    }
    CHECK(!is_remembered(f, still, f->velocity));
    CHECK(is_remembered(f, still, f->player));
    check_all(&p);
    mica_observer_free(f->world, observer);
    CHECK(moving->quick && is_quick(f, p.moving));
    check_all(&p);
    fixture_end(f);
}

// Rows of a table that is observed and of one that is not change in the same way, side by side.
static void the_short_cuts_and_the_long_way_do_the_same(void)
{
    static pair p;
    pair_begin(&p);
    fixture *f = &p.f;
    mica_observer observer =
        observe(f, (mica_observer_desc){.type = f->velocity, .on = MICA_ON_ADD | MICA_ON_REMOVE});
    for (uint32_t i = 0; i < ROWS; i++) {
        const mica_entity both[] = {p.stills[i], p.movers[i]};
        for (uint32_t k = 0; k < 2; k++) {
            switch (i % 5) {
            case 0: CHECK_EQUAL(MICA_OK, mica_add(f->world, both[k], f->frozen)); break;
            case 1: CHECK_EQUAL(MICA_OK, mica_despawn(f->world, both[k])); break;
            case 2:
                CHECK_EQUAL(MICA_OK, mica_set(f->world, both[k], MICA_VALUE(f->health, Health, 1)));
                CHECK_EQUAL(MICA_OK, mica_remove(f->world, both[k], f->health));
                break;
            case 3: ((Position *)mica_get_mut(f->world, both[k], f->position))->x = (float)i; break;
            default:
                mica_spawn_bundle(f->world, k ? p.moving : p.still, NULL, 0);
                CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
            }
        }
    }
    check_all(&p);
    mica_observer_free(f->world, observer);
    check_all(&p);
    fixture_end(f);
}

static void what_is_observed_has_short_cuts_of_its_own(void)
{
    static pair p;
    pair_begin(&p);
    fixture *f = &p.f;
    mica_entity e = p.stills[0];
    mica_observer by_type = observe(f, (mica_observer_desc){.type = f->frozen, .on = MICA_ON_ADD});
    for (int i = 0; i < 3; i++) {
        mica_add(f->world, e, f->frozen);
        mica_remove(f->world, e, f->frozen);
    }
    CHECK(is_told(f, e, f->frozen, false));
    CHECK(!is_remembered(f, table_of(f, e), f->frozen));
    mica_add(f->world, e, f->frozen);
    CHECK(is_told(f, e, f->frozen, true));
    mica_remove(f->world, e, f->frozen);
    mica_observer by_query = observe(
        f, (mica_observer_desc){.query.terms = {{f->frozen, MICA_WITH}}, .on = MICA_ON_ENTER});
    mica_add(f->world, e, f->frozen);
    mica_remove(f->world, e, f->frozen);
    CHECK(!is_told(f, e, f->frozen, false)); // that of queries is for the plan
    mica_observer_free(f->world, by_query);
    mica_observer_free(f->world, by_type);
    mica_add(f->world, e, f->frozen);
    mica_remove(f->world, e, f->frozen);
    CHECK(!is_told(f, e, f->frozen, false));
    CHECK(is_remembered(f, table_of(f, e), f->frozen));
    check_all(&p);
    fixture_end(f);
}

TESTS(quick, observing_a_type_closes_the_short_cuts_of_its_tables_only,
      the_short_cuts_and_the_long_way_do_the_same, a_table_of_values_with_hooks_is_never_quick,
      values_with_flags_take_short_cuts_apart_from_the_others,
      what_is_observed_has_short_cuts_of_its_own)
