// A replay, and what its files call of each other.
//
// Room:    command. Called by replay.c and replay_chain.c.
#ifndef MICAI_COMMAND_REPLAY_INTERNAL_H
#define MICAI_COMMAND_REPLAY_INTERNAL_H

#include "command/command.h"

enum { MICAI_VALUES_INSIDE = 12 }; // values of an entity that need no scratch memory

typedef struct micai_replay {
    mica_world *world;
    micai_commands *commands;
    micai_buffer *buffer;
    const char *call;
} micai_replay;

// Marks a command and the values behind it as done. Destroys the values unless the world took them.
void micai_replay_finish(const micai_replay *run, uint32_t place, bool used);

// Does the same for a command whose entity is dead, and counts it.
void micai_replay_drop(const micai_replay *run, uint32_t place);

// Returns the slot of an entity that will never be spawned. Comes after its command is finished: if
// the slot is retired, the log handler is called, and it may validate the world.
void micai_replay_return_slot(const micai_replay *run, mica_entity entity);

// Runs one command. Runs all commands of an entity from `place` on. Both fail with MICA_ERROR_MEMORY;
// what has not run then waits.
mica_result micai_replay_one(const micai_replay *run, uint32_t place);
mica_result micai_replay_chain(const micai_replay *run, uint32_t place);

#endif
