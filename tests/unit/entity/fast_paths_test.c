// Fast paths: rows, spawns and changes take them while nothing but bytes is moved and nobody observes them
// (`fast_paths` of tables and transitions). Observing one table is nobody else's business.
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

static const micai_transition *spawn_of(const fixture *f, mica_bundle bundle)
{
    const micai_bundles *bundles = micai_bundles_of(f->world->state);
    const micai_bundle *found =
        micai_handles_at(&bundles->handles, micai_stamp_number(bundle.bits));
    REQUIRE(found && found->handle.bits == bundle.bits && found->spawn);
    return found->spawn;
}

static bool is_fast(const fixture *f, mica_bundle bundle)
{
    return micai_transition_is_fast(spawn_of(f, bundle));
}

// The transition that adds a type to an entity, or removes it.
static const micai_transition *find_one(const fixture *f, mica_entity entity, mica_type type,
                                        bool remove)
{
    return fixture_transition(f, entity, &type, remove ? 0 : 1, 1);
}

static bool is_added_fast(const fixture *f, mica_entity entity, mica_type type)
{
    const micai_transition *t = find_one(f, entity, type, false);
    return t && micai_transition_is_fast(t);
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
        const mica_value values[] = {MICA_COPY_OF(f->position, at), MICA_COPY_OF(f->velocity, by)};
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

TEST_WITH(fixture, f, a_bundle_of_values_with_hooks_is_never_fast)
{
    mica_type_desc desc = {.name = "Ends", .size = 4, .align = 4};
    desc.hooks.destruct = tracked_desc(&f->tracker, "", false).hooks.destruct;
    desc.user = &f->tracker;
    mica_type ends = mica_type_register(f->world, &desc);
    const mica_type types[] = {f->moved, f->hooked, ends, f->position, f->player};
    for (uint32_t i = 0; i < 5; i++) {
        mica_bundle bundle = mica_bundle_new(f->world, &types[i], 1);
        CHECK_EQUAL(i >= 3, is_fast(f, bundle));
    }
}

// They are bytes, but more than one copy.
static void values_with_flags_are_not_plain(void)
{
    static pair p;
    pair_begin(&p);
    fixture *f = &p.f;
    const mica_type_desc desc = {.name = "Lamp", .size = 4, .align = 4, .toggle = true};
    const mica_type lamp = mica_type_register(f->world, &desc);
    const mica_type types[] = {f->position, lamp};
    CHECK_EQUAL(MICAI_FAST_ALL & ~MICAI_FAST_PLAIN,
                spawn_of(f, mica_bundle_new(f->world, types, 2))->fast_paths);
    const float value = 1;
    for (uint32_t i = 0; i < 2; i++) {
        mica_set_value(f->world, p.stills[i], lamp, &value, sizeof value);
        mica_set_value(f->world, p.stills[i], f->velocity, &(Velocity){0}, sizeof(Velocity));
    }
    CHECK(!find_one(f, p.movers[0], lamp, false));
    mica_set_value(f->world, p.movers[0], lamp, &value, sizeof value);
    const micai_transition *flagged = find_one(f, p.movers[1], lamp, false);
    REQUIRE(flagged != NULL);
    CHECK_EQUAL(MICAI_FAST_ALL & ~MICAI_FAST_PLAIN, flagged->fast_paths);
    CHECK_EQUAL(MICAI_TRANSITION_NO_SIZE, flagged->size);
    CHECK_EQUAL(4, flagged->steps->fill.size);
    uint32_t kept = f->world->state->store.transitions.maps[MICAI_TRANSITION_ADD].count;
    mica_set_value(f->world, p.movers[1], lamp, &value, sizeof value);
    CHECK_EQUAL(kept, f->world->state->store.transitions.maps[MICAI_TRANSITION_ADD].count);
    const float *got = mica_get(f->world, p.movers[1], lamp);
    CHECK(got && *got == value);
    check_all(&p);
    fixture_end(f);
}

static void never_mind(const mica_observer_event *h)
{
    (void)h;
}

static mica_observer observe(fixture *f, mica_observer_desc desc)
{
    desc.call = never_mind;
    return mica_observer_new(f->world, &desc);
}

static void observing_a_type_closes_the_fast_paths_of_its_tables_only(void)
{
    static pair p;
    pair_begin(&p);
    fixture *f = &p.f;
    const micai_table *still = fixture_table(f, p.stills[0]);
    const micai_table *moving = fixture_table(f, p.movers[0]);
    CHECK(still->fast_paths == MICAI_FAST_ALL && moving->fast_paths == MICAI_FAST_ALL);
    CHECK(is_fast(f, p.still) && is_fast(f, p.moving));
    mica_observer observer =
        observe(f, (mica_observer_desc){.type = f->velocity, .events = MICA_ON_ADD});
    CHECK(still->fast_paths == MICAI_FAST_ALL);
    CHECK_EQUAL(MICAI_FAST_BYTES | MICAI_FAST_PLAIN, moving->fast_paths);
    CHECK(is_fast(f, p.still) && !is_fast(f, p.moving));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    // A transition that is observed does not admit the fast path, others of the same table do.
    for (uint32_t i = 1; i < 3; i++) {
        CHECK_EQUAL(MICA_OK, mica_add(f->world, p.stills[i], f->velocity));
        CHECK_EQUAL(MICA_OK, mica_add(f->world, p.stills[ROWS - i], f->player));
    }
    CHECK(find_one(f, p.stills[0], f->velocity, false) != NULL);
    CHECK(!is_added_fast(f, p.stills[0], f->velocity));
    CHECK(is_added_fast(f, p.stills[0], f->player));
    check_all(&p);
    mica_observer_free(f->world, observer);
    CHECK(moving->fast_paths == MICAI_FAST_ALL && is_fast(f, p.moving));
    CHECK(is_added_fast(f, p.stills[0], f->velocity));
    check_all(&p);
    fixture_end(f);
}

// Rows of a table that is observed and of one that is not change in the same way, side by side.
static void the_fast_path_and_the_general_one_do_the_same(void)
{
    static pair p;
    pair_begin(&p);
    fixture *f = &p.f;
    mica_observer observer = observe(
        f, (mica_observer_desc){.type = f->velocity, .events = MICA_ON_ADD | MICA_ON_REMOVE});
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

// Of a type alone: that is bytes still. Observers of queries have to know what matched.
static void what_is_observed_says_whether_queries_are_matched(void)
{
    static pair p;
    pair_begin(&p);
    fixture *f = &p.f;
    mica_entity e = p.stills[0];
    const uint32_t matched = MICAI_FAST_BYTES | MICAI_FAST_PLAIN;
    const uint32_t notified = matched | MICAI_FAST_UNMATCHED;
    mica_observer by_type =
        observe(f, (mica_observer_desc){.type = f->frozen, .events = MICA_ON_ADD});
    for (int i = 0; i < 3; i++) {
        mica_add(f->world, e, f->frozen);
        mica_remove(f->world, e, f->frozen);
    }
    const micai_transition *add = find_one(f, e, f->frozen, false);
    REQUIRE(add != NULL);
    CHECK_EQUAL(notified, add->fast_paths);
    mica_add(f->world, e, f->frozen);
    const micai_transition *remove = find_one(f, e, f->frozen, true);
    REQUIRE(remove != NULL);
    CHECK_EQUAL(notified, remove->fast_paths);
    mica_remove(f->world, e, f->frozen);
    mica_observer by_query = observe(
        f, (mica_observer_desc){.query.terms = {{f->frozen, MICA_WITH}}, .events = MICA_ON_ENTER});
    CHECK_EQUAL(matched, add->fast_paths);
    CHECK_EQUAL(matched, remove->fast_paths);
    mica_add(f->world, e, f->frozen);
    mica_remove(f->world, e, f->frozen);
    mica_observer_free(f->world, by_query);
    CHECK_EQUAL(notified, add->fast_paths);
    mica_observer_free(f->world, by_type);
    mica_add(f->world, e, f->frozen);
    mica_remove(f->world, e, f->frozen);
    CHECK_POINTER(add, find_one(f, e, f->frozen, false));
    CHECK(micai_transition_is_fast(add) && micai_transition_is_fast(remove));
    check_all(&p);
    fixture_end(f);
}

TESTS(fast_paths, observing_a_type_closes_the_fast_paths_of_its_tables_only,
      the_fast_path_and_the_general_one_do_the_same, a_bundle_of_values_with_hooks_is_never_fast,
      values_with_flags_are_not_plain, what_is_observed_says_whether_queries_are_matched)
