// A small game: a hero goes down into caves for an amulet. This is the world and its rules. Each key is a turn. It
// does not use a terminal.
#ifndef ROGUE_H
#define ROGUE_H

#include <mica.h>

enum { WIDTH = 60, HEIGHT = 18, DEPTHS = 4 };

// Properties of a kind need not be in the world.
enum { HERO, RAT, GOBLIN, OGRE, GOLD, POTION, AMULET };
typedef struct {
    const char *name;
    char glyph;
    int colour;        // as terminals number them
    int points, force; // both 0: the kind has no body
} rogue_kind;
extern const rogue_kind rogue_kinds[];

typedef struct {
    int number; // in rogue_kinds
} Kind;
typedef struct {
    int x, y;
} Place;
typedef struct {
    int points;
} Body;
typedef struct {
    int patience; // turns for which it searches without seeing the hero; then it sleeps, disabled
} Hunter;

enum { PLAYING, WON, DEAD };

// A resource: where it happens, and how it goes.
typedef struct {
    char tiles[WIDTH * HEIGHT + 1]; // '#', '.' or '>'
    bool seen[WIDTH * HEIGHT];      // ever; and from where the hero is
    bool visible[WIDTH * HEIGHT];
    mica_entity who[WIDTH * HEIGHT]; // the entity with a body there; filled in every turn
    uint32_t random;
    int depth, turn, gold, state;
    char text[100]; // text about the last turn
} Cave;

typedef struct rogue {
    mica_world *world;
    mica_type place, kind, body, hunter, cave, blow;
    mica_query things; // {place, kind, body if there is one}
    mica_entity hero;
    int dx, dy; // what the hero is to do
} rogue;

bool rogue_begin(rogue *r, uint32_t seed);
void rogue_end(rogue *r);

// h j k l y u b n go, '.' waits, '>' goes down, 'z' takes a turn back; others do nothing. False if the world
// could not be stepped, or taken back.
bool rogue_press(rogue *r, char key);

#endif
