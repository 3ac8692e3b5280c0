// Walks: the path of one public call through the library, on its first and on its second execution.
//
// Each walk has a world of its own. `prepare` builds what the walk needs, then `act` runs twice: on one
// entity, and on another one of the same kind. The first execution creates tables, edges, pools and
// capacity; the second one finds them.
//
// tools/walks.sh compiles this program without optimization and runs it under callgrind, which writes one
// file for each call of walk_counted(): two for each walk, in the order of the names printed here. Callgrind
// counts calls even while it collects no costs (--toggle-collect), so it is off until a walk begins.
//
// Functions of this file are not counted. Inline functions of public headers are, so actions compare `bits`
// themselves.
//
// Public headers of mica only.
#include <mica/command.h>
#include <mica/debug.h>
#include <mica/facet.h>
#include <mica/observer.h>
#include <mica/world.h>

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#include "kernels.h"

enum { LOOP_ENTITIES = 8 };

typedef struct scene {
    mica_world *world;
    mica_type position, velocity, health; // in tables
    mica_type damage;                     // sparse
    mica_query query;                     // Position and Damage
    mica_entity entities[LOOP_ENTITIES];  // the walk acts on the first, then on the second
    mica_entity entity;                   // the one that the walk acts on now
    uint32_t notifications;
} scene;

typedef struct walk {
    const char *name;
    void (*prepare)(scene *s); // NULL: the world has its types, and no entity
    bool (*act)(scene *s);     // false: a call failed
} walk;

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "walks: %s failed\n", what);
        exit(1);
    }
}

static scene begin_scene(void)
{
    mica_world *world = mica_world_new(NULL);
    require(world != NULL, "mica_world_new");
    scene s = {.world = world,
               .position = MICA_REGISTER(world, Position, x, y),
               .velocity = MICA_REGISTER(world, Velocity, x, y),
               .health = MICA_REGISTER(world, Health, hp, maxhp, status),
               .damage = MICA_REGISTER_SPARSE(world, Damage, atk, def)};
    require(mica_world_get_stats(world).types == 4, "MICA_REGISTER");
    return s;
}

// Worlds

static void spawn_movers(scene *s)
{
    for (uint32_t i = 0; i < LOOP_ENTITIES; i++) {
        s->entities[i] = mica_spawn(s->world, MICA_VALUE(s->position, Position, 1, 2),
                                    MICA_VALUE(s->velocity, Velocity, 3, 4));
        require(s->entities[i].bits != 0, "mica_spawn");
    }
}

static void spawn_damaged(scene *s)
{
    spawn_movers(s);
    for (uint32_t i = 0; i < LOOP_ENTITIES; i++) {
        mica_result result =
            mica_set(s->world, s->entities[i], MICA_VALUE(s->damage, Damage, 5, 6));
        require(result == MICA_OK, "mica_set");
    }
}

static void spawn_queried(scene *s)
{
    spawn_damaged(s);
    s->query = mica_query_new(
        s->world, &(mica_query_desc){.terms = {{s->position, MICA_WRITE}, {s->damage, MICA_READ}}});
    require(s->query.bits != 0, "mica_query_new");
}

static void count_notification(const mica_observer_event *h)
{
    scene *s = h->user;
    s->notifications++;
}

static void spawn_observed(scene *s)
{
    spawn_damaged(s);
    for (uint32_t i = 0; i < LOOP_ENTITIES; i++) {
        mica_entity facet = mica_facet_add(s->world, s->entities[i], s->position, 1,
                                           MICA_VALUE(s->position, Position, 7, 8));
        require(facet.bits != 0, "mica_facet_add");
    }
    mica_observer observer = mica_observer_new(
        s->world, &(mica_observer_desc){.type = s->damage,
                                        .events = MICA_ON_REMOVE | MICA_ON_DESPAWN,
                                        .call = count_notification,
                                        .user = s});
    require(observer.bits != 0, "mica_observer_new");
}

// Actions

static bool spawn_two_values(scene *s)
{
    mica_entity entity = mica_spawn(s->world, MICA_VALUE(s->position, Position, 1, 2),
                                    MICA_VALUE(s->velocity, Velocity, 3, 4));
    return entity.bits != 0;
}

static bool set_absent(scene *s)
{
    return mica_set(s->world, s->entity, MICA_VALUE(s->health, Health, 9, 10, 0)) == MICA_OK;
}

static bool set_present(scene *s)
{
    return mica_set(s->world, s->entity, MICA_VALUE(s->position, Position, 9, 10)) == MICA_OK;
}

static bool set_absent_sparse(scene *s)
{
    return mica_set(s->world, s->entity, MICA_VALUE(s->damage, Damage, 9, 10)) == MICA_OK;
}

static bool get_table(scene *s)
{
    return mica_get(s->world, s->entity, s->position) != NULL;
}

static bool get_sparse(scene *s)
{
    return mica_get(s->world, s->entity, s->damage) != NULL;
}

static bool add_present(scene *s)
{
    return mica_add(s->world, s->entity, s->position) == MICA_OK;
}

static bool despawn_observed(scene *s)
{
    uint32_t before = s->notifications;
    return mica_despawn(s->world, s->entity) == MICA_OK && s->notifications == before + 2;
}

static bool set_recorded(scene *s)
{
    mica_world *later = mica_world_later(s->world);
    return mica_set(later, s->entity, MICA_VALUE(s->health, Health, 9, 10, 0)) == MICA_OK &&
           mica_commands_apply(later) == MICA_OK;
}

static bool loop(scene *s)
{
    uint32_t rows = 0;
    mica_iter it;
    if (mica_iter_begin(s->world, s->query, &it) != MICA_OK) {
        return false;
    }
    while (mica_iter_next(&it)) {
        Position *position = mica_write(&it, 0);
        const Damage *damage = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            position[i].x += (float)damage[i].atk;
        }
        rows += it.count;
    }
    return mica_iter_end(&it) == MICA_OK && rows == LOOP_ENTITIES;
}

static const walk walks[] = {
    {"spawn of two values", NULL, spawn_two_values},
    {"set, absent", spawn_movers, set_absent},
    {"set, present", spawn_movers, set_present},
    {"set, absent, sparse", spawn_movers, set_absent_sparse},
    {"get", spawn_movers, get_table},
    {"get, sparse", spawn_damaged, get_sparse},
    {"add, present", spawn_movers, add_present},
    {"despawn with a sparse component, a facet and an observer", spawn_observed, despawn_observed},
    {"set, absent, recorded and replayed", spawn_movers, set_recorded},
    {"loop over a table term and a sparse term, 8 entities", spawn_queried, loop},
};

#if defined(__GNUC__)
__attribute__((noinline))
#endif
static bool
walk_counted(const walk *w, scene *s)
{
    return w->act(s);
}

int main(void)
{
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        scene s = begin_scene();
        if (walks[i].prepare) {
            walks[i].prepare(&s);
        }
        for (uint32_t execution = 0; execution < 2; execution++) {
            s.entity = s.entities[execution];
            CALLGRIND_START_INSTRUMENTATION;
            bool done = walk_counted(&walks[i], &s);
            CALLGRIND_STOP_INSTRUMENTATION;
            require(done, walks[i].name);
        }
        require(mica_world_validate(s.world) == MICA_OK, "mica_world_validate");
        require(mica_world_free(s.world) == MICA_OK, "mica_world_free");
        printf("%s\n", walks[i].name);
    }
    return 0;
}
