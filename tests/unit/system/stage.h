// A world whose systems keep a journal: who ran, in which order.
//
//   stage s;
//   stage_begin(&s);
//   actor a = {.letter = 'a'};
//   stage_add(&s, &a, &(mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
//   mica_step(s.world, 1);
//   CHECK_TEXT("(aa)", stage_read(&s));
//
// A system that was added writes '(' when it begins, its letter for each update, ')' when it ends, and '?'
// when it is asked whether to run: those that it has.
#ifndef TEST_UNIT_SYSTEM_STAGE_H
#define TEST_UNIT_SYSTEM_STAGE_H

#include <mica.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Score {
    uint32_t points;
} Score;

typedef struct Hit {
    uint32_t number;
} Hit;

enum { JOURNAL_SIZE = 512 };

typedef struct stage {
    test_world t;
    mica_world *world;
    mica_type position, velocity, frozen; // components; the last is a tag
    mica_type score;                      // a resource
    mica_type hit;                        // an event
    char journal[JOURNAL_SIZE];
    char read[JOURNAL_SIZE];
    uint32_t count;
} stage;

typedef enum actor_part { IN_NONE, IN_WHEN, IN_BEGIN, IN_UPDATE, IN_END } actor_part;

// A system's own state.
typedef struct actor actor;
struct actor {
    char letter;
    bool unwilling;      // what its condition says
    actor_part fails_in; // where it says that it failed
    actor_part acts_in;  // where `act` is called, if not everywhere
    void (*act)(const mica_iter *it, actor *self);
    mica_entity entity; // for `act`, as the two that follow
    mica_system system;
    uint32_t acted;

    // What it was reported last.
    float dt;
    double time;
    uint32_t rows;

    // Private.
    stage *stage;
};

void stage_begin(stage *s);
void stage_end(stage *s);

// What was written since the last reading.
const char *stage_read(stage *s);
void stage_write(stage *s, char letter);

// Adds a system called after its letter, with all that `desc` says. `parts` are the functions that it
// has beside update: letters of "?()".
mica_system stage_add(stage *s, actor *self, const char *parts, const mica_system_desc *desc);

// The same without a word: a system of no query.
mica_system stage_add_plain(stage *s, actor *self, mica_phase phase);

// Functions of a system whose own state is an actor.
bool actor_when(const mica_iter *it);
void actor_begin(mica_iter *it);
void actor_update(mica_iter *it);
void actor_end(mica_iter *it);

#endif
