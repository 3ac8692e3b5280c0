// Worlds that move their memory at every structural change (src/store/table/debug_relocate.c).
#include "runner/test.h"
#include "unit/world/fixture.h"

enum { ENTITIES = 11 };

// A relocate_always world and a calm one that goes through the same.
typedef struct pair {
    fixture relocate_always, calm;
    mica_entity entities[ENTITIES];
} pair;

static void pair_begin(pair *p)
{
    fixture_begin(&p->calm);
    fixture_prepare(&p->relocate_always);
    p->relocate_always.t.desc.relocate_always = true;
    fixture_open(&p->relocate_always);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        fixture *const both[] = {&p->calm, &p->relocate_always};
        for (uint32_t k = 0; k < 2; k++) {
            p->entities[i] =
                mica_spawn(both[k]->world, MICA_VALUE(both[k]->position, Position, (float)i, 1),
                           MICA_ADD(both[k]->hooked));
        }
    }
}

static void pair_end(pair *p)
{
    CHECK_EQUAL(mica_world_hash(p->calm.world), mica_world_hash(p->relocate_always.world));
    fixture_end(&p->relocate_always);
    fixture_end(&p->calm);
}

// Does the change move the values of an entity that it touches? `change` is done to both worlds.
typedef void change_fn(fixture *f, const mica_entity *entities);

static void add(fixture *f, const mica_entity *entities)
{
    CHECK_EQUAL(MICA_OK, mica_add(f->world, entities[0], f->frozen));
}

static void set(fixture *f, const mica_entity *entities)
{
    CHECK_EQUAL(MICA_OK, mica_set(f->world, entities[0], MICA_VALUE(f->velocity, Velocity, 1, 2)));
}

static void take(fixture *f, const mica_entity *entities)
{
    CHECK_EQUAL(MICA_OK, mica_remove(f->world, entities[0], f->hooked));
}

static void end_first(fixture *f, const mica_entity *entities) // the last one takes its place
{
    CHECK_EQUAL(MICA_OK, mica_despawn(f->world, entities[1]));
}

static void clone(fixture *f, const mica_entity *entities)
{
    CHECK(!MICA_IS_NONE(mica_clone(f->world, entities[0])));
}

static void mark_all(fixture *f, const mica_entity *entities)
{
    (void)entities;
    mica_query query =
        mica_query_new(f->world, &(mica_query_desc){.terms = {{f->position, MICA_WITH}}});
    CHECK_EQUAL(MICA_OK, mica_add_all(f->world, query, f->frozen, NULL));
}

static void every_change_moves_what_it_touches(void)
{
    static const struct {
        change_fn *change;
        uint32_t watched;
    } cases[] = {{add, 0}, {set, 0}, {take, 0}, {clone, 10}, {end_first, 10}, {mark_all, 5}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pair p;
        pair_begin(&p);
        mica_entity watched = p.entities[cases[i].watched];
        uintptr_t before =
            (uintptr_t)mica_get(p.relocate_always.world, watched, p.relocate_always.position);
        CHECK(before != 0);
        cases[i].change(&p.calm, p.entities);
        cases[i].change(&p.relocate_always, p.entities);
        CHECK(before !=
              (uintptr_t)mica_get(p.relocate_always.world, watched, p.relocate_always.position));
        CHECK_EQUAL(MICA_OK, mica_world_validate(p.relocate_always.world));
        pair_end(&p);
    }
}

TEST_WITH(pair, p, setting_what_is_there_moves_nothing)
{
    const void *before =
        mica_get(p->relocate_always.world, p->entities[0], p->relocate_always.position);
    fixture *const both[] = {&p->calm, &p->relocate_always};
    for (uint32_t k = 0; k < 2; k++) {
        mica_set(both[k]->world, p->entities[0], MICA_VALUE(both[k]->position, Position, 8, 9));
        mica_add(both[k]->world, p->entities[0], both[k]->position);
    }
    CHECK_POINTER(before,
                  mica_get(p->relocate_always.world, p->entities[0], p->relocate_always.position));
}

TEST_WITH(pair, p, values_may_come_from_the_relocating_world_itself)
{
    fixture *const both[] = {&p->calm, &p->relocate_always};
    for (uint32_t k = 0; k < 2; k++) {
        fixture *f = both[k];
        const Position *from = mica_get(f->world, p->entities[3], f->position);
        mica_entity e =
            mica_spawn(f->world, (mica_value){f->position, from, sizeof *from, 1, NULL});
        CHECK(MICA_GET(f->world, e, f->position, Position)->x == 3);
    }
}

static void values_that_know_where_they_are_are_reported(void)
{
    fixture f;
    fixture_prepare(&f);
    f.t.desc.relocate_always = true;
    fixture_open(&f);
    mica_entity entities[ENTITIES];
    for (int32_t i = 0; i < ENTITIES; i++) {
        entities[i] = fixture_spawn(&f, i);
    }
    mica_despawn(f.world, entities[0]);
    mica_add(f.world, entities[3], f.frozen);
    for (int32_t i = 1; i < ENTITIES; i++) {
        CHECK(fixture_holds(&f, entities[i], i));
    }
    CHECK(f.tracker.moves > ENTITIES);
    fixture_end(&f);
}

TEST_WITH(pair, p, a_relocating_world_without_memory_to_move_to_goes_on)
{
    test_memory_fail_at(&p->relocate_always.t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_OK, mica_despawn(p->relocate_always.world, p->entities[4]));
    test_memory_fail_at(&p->relocate_always.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_OK, mica_despawn(p->calm.world, p->entities[4]));
    CHECK_EQUAL(MICA_OK, mica_world_validate(p->relocate_always.world));
}

TESTS(relocate_always, every_change_moves_what_it_touches, setting_what_is_there_moves_nothing,
      values_may_come_from_the_relocating_world_itself,
      values_that_know_where_they_are_are_reported,
      a_relocating_world_without_memory_to_move_to_goes_on)
