// What every block of C in the documentation may use without declaring it.
#ifndef MICAI_DOCS_PRELUDE_H
#define MICAI_DOCS_PRELUDE_H

#include <mica.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;

typedef struct {
    int ticks;
} Burning;
typedef struct {
    mica_entity who;
} Target;
typedef struct {
    int channel;
} Sound;
typedef struct {
    float x, y, mass;
} Body;
typedef struct {
    float degrees;
} Heat;
typedef struct {
    int points;
} Score;

static mica_world *world;
static mica_type position; // Position: x, y
static mica_type velocity; // Velocity: x, y
static mica_type frozen;   // a tag

// The frame around them. Output and errors go the same way, in order, with marks between blocks.
static void micai_docs_begin(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    setvbuf(stderr, NULL, _IONBF, 0);
    world = mica_world_new(NULL);
    position = MICA_REGISTER(world, Position, x, y);
    velocity = MICA_REGISTER(world, Velocity, x, y);
    frozen = MICA_TAG(world, Frozen);
}

static void micai_docs_mark(int block)
{
    printf("@@ %d\n", block);
}

static void micai_docs_end(void)
{
    micai_docs_mark(0);
    exit(mica_world_validate(world) || mica_world_free(world) ? EXIT_FAILURE : EXIT_SUCCESS);
}

#endif
