// Facets with the k-th allocation refused, for all k: the call it happens in fails with
// MICA_ERROR_MEMORY and changes nothing; the same call then succeeds.
#include <mica.h>

#include "oom/refuse.h"
#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"

enum { FACETS = 24 };

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type column, pooled, tag;
    mica_entity car, other;
    mica_query pools, plain;
} scene;

static mica_type register_one(mica_world *world, const char *name, uint32_t size, mica_storage kept)
{
    return mica_type_register(
        world, &(mica_type_desc){.name = name, .size = size, .align = size, .storage = kept});
}

// All owners of what is pooled.
static bool walk_owners(scene *s)
{
    mica_iter it;
    bool done = mica_iter_begin(s->world, s->pools, &it) == MICA_OK;
    while (done && mica_iter_next(&it)) {
        done = mica_iter_owners(&it) != NULL;
    }
    mica_iter_end(&it);
    return done;
}

// The calls, by number; false: there is none. `done` says whether it did what it should.
static bool call(void *given, uint32_t number, bool *done)
{
    scene *s = given;
    mica_world *world = s->world;
    if (number >= 10 && number < 10 + FACETS) {
        mica_entity owner = number % 3 ? s->car : s->other;
        *done = mica_facet_add(world, owner, s->tag, number, MICA_ADD(s->column),
                               MICA_ADD(number % 2 ? s->tag : s->pooled))
                    .bits != 0;
        return true;
    }
    switch (number) {
    case 0: *done = (s->column = register_one(world, "Column", 4, MICA_TABLE)).bits != 0; break;
    case 1: *done = (s->pooled = register_one(world, "Pooled", 8, MICA_SPARSE)).bits != 0; break;
    case 2: *done = (s->car = mica_spawn(world, MICA_ADD(s->column))).bits != 0; break;
    case 3: *done = (s->other = mica_spawn(world, MICA_ADD(s->pooled))).bits != 0; break;
    case 4:
        *done = mica_facet_add_values(world, s->car, (mica_type){0}, 1, NULL, 0).bits != 0;
        break;
    case 5: *done = (s->tag = MICA_TAG(world, Tag)).bits != 0; break;
    case 6:
        s->pools = mica_query_new(world, &(mica_query_desc){.terms = {{s->pooled, MICA_READ}}});
        *done = s->pools.bits != 0;
        break;
    case 7:
        s->plain = mica_query_new(
            world, &(mica_query_desc){.terms = {{s->column, MICA_READ}}, .no_facets = true});
        *done = s->plain.bits != 0;
        break;
    case 8: *done = mica_clone(world, s->car).bits != 0; break;
    case 9: *done = mica_add(world, s->car, s->pooled) == MICA_OK; break;
    case 10 + FACETS: *done = walk_owners(s); break;
    case 11 + FACETS:
        *done = mica_type_change_storage(world, s->pooled, MICA_TABLE) == MICA_OK;
        break;
    case 12 + FACETS: *done = mica_despawn_all(world, s->plain, NULL) == MICA_OK; break;
    case 13 + FACETS: *done = mica_despawn(world, s->other) == MICA_OK; break;
    case 14 + FACETS: *done = mica_world_reclaim(world) == MICA_OK; break;
    default: return false;
    }
    return true;
}

static uint64_t run(uint64_t first)
{
    scene s = {0};
    test_world_prepare(&s.t);
    sites_watch(&s.t);
    s.world = test_world_open(&s.t);
    const refusing what = {&s.t, s.world, &s, call, NULL, first};
    uint64_t refused = 0;
    bool is = true;
    for (uint32_t number = 0; is; number++) {
        refused += refuse_each(&what, number, &is);
        if (number == 10 + FACETS) {
            CHECK_EQUAL(1 + FACETS, mica_world_get_stats(s.world).facets);
        }
    }
    CHECK_EQUAL(0, mica_world_get_stats(s.world).facets);
    CHECK_EQUAL(0, mica_entity_count(s.world));
    test_world_end(&s.t);
    return refused;
}

static void facets_survive_every_refusal(void)
{
    for (uint64_t first = 1; first <= REFUSE_FIRST_MAX; first++) {
        CHECK(run(first) > 20 || first > 1);
    }
}

TESTS(facet, facets_survive_every_refusal)
