// What is said of mistakes that systems make.
#include <mica.h>

#include <stdio.h>

#include "runner/capture.h"
#include "runner/test.h"
#include "runner/world.h"

typedef struct Position {
    float x, y;
} Position;

// A mistake, and not a structural change: those are refused, and name the system anyway.
static void look_at_the_dead(mica_iter *it)
{
    mica_get(it->world, *(mica_entity *)it->user, mica_type_find(it->world, "Position"));
}

static mica_entity die(mica_world *world)
{
    mica_entity dead = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, dead);
    return dead;
}

static void add(mica_world *world, const char *name, mica_entity *dead)
{
    mica_type position = MICA_REGISTER(world, Position, x, y);
    mica_system_add(world, &(mica_system_desc){.name = name,
                                               .update = look_at_the_dead,
                                               .user = dead,
                                               .query.terms = {{position, MICA_READ}}});
}

TEST_WITH(test_world, t, a_sentence_names_the_system_it_happened_in)
{
    mica_world *world = t->world;
    mica_entity dead = die(world);
    add(world, "aim", &dead);
    mica_type position = mica_type_find(world, "Position");
    mica_entity living = mica_spawn(world, MICA_ADD(position));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_ERROR(t, MICA_ERROR_ENTITY,
                "mica_get: entity 0.0 is dead, or of another world (in system 'aim')");
    // Outside of it there is no system to name.
    mica_despawn(world, living);
    mica_get(world, living, position);
    CHECK_ERROR(t, MICA_ERROR_ENTITY, "mica_get: entity 0.1 is dead, or of another world");
}

static void make_mistakes_in_every_frame(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_entity dead = die(world);
    add(world, "aim", &dead);
    add(world, "shoot", &dead);
    mica_spawn(world, MICA_ADD(mica_type_find(world, "Position")));
    for (uint32_t frame = 0; frame < 60; frame++) {
        mica_step(world, 1);
    }
    mica_world_free(world);
}

static void a_mistake_made_in_every_frame_is_printed_once_and_counted(void)
{
    char text[1000];
    test_capture_stderr(make_mistakes_in_every_frame, text, sizeof text);
    static const char aim[] = "mica_get: entity 0.0 is dead, or of another world (in system 'aim')";
    static const char shoot[] =
        "mica_get: entity 0.0 is dead, or of another world (in system 'shoot')";
    char expected[1000];
    snprintf(expected, sizeof expected,
             "mica: %s\nmica: %s\n"
             "mica: 10 times: %s\nmica: 10 times: %s\n"
             "mica: 60 times: %s\nmica: 60 times: %s\n",
             aim, shoot, aim, shoot, aim, shoot);
    CHECK_TEXT(expected, text);
}

TESTS(error, a_sentence_names_the_system_it_happened_in,
      a_mistake_made_in_every_frame_is_printed_once_and_counted)
