// Commands: buffers of recorded calls. Each buffer has a face of the world that records into it.
//
// Room:    command. Called by system/ (replay). The fast and slow paths of world/ know only the
//          recorder (state/recorder.h).
//
//   blocks   [0] -> | command | command | ...     places are numbered across all blocks
//            [1] -> | command | ...               kept for reuse
//   arena    values of more than 8 bytes, names, data of calls
//
// Recording bumps a counter: a command has 32 bytes and contains its value if that is small.
// Commands of one entity are linked when they are replayed, one batch at a time. A batch reaches
// from the first waiting command to the next one that must keep its place in the order. While a
// batch is linked, `marks` holds the last command of each slot. A mark is valid only if it leads to
// an earlier command of the batch and of the same entity. So marks are never cleared.
//
// Invariants, swept by the room's validate:
//   N1  a buffer has capacity for its commands; those before `first` are done, except those from
//       `aside` up to `aside_end`, which wait while later ones are replayed. Each command is
//       valid, and its type belongs to the world. Commands are linked only during replay.
//   N2  each command that creates an entity has a pending slot; no other slot is pending.
//   N3  the state's `waiting` flag says whether the world's own buffer has commands that wait.
//   N4  the face of a buffer belongs to the buffer's world: it is busy, follows the world's host
//       and has its tick. It knows its place in the list of buffers, and is in the list of hosts
//       once.
#ifndef MICAI_COMMAND_COMMAND_H
#define MICAI_COMMAND_COMMAND_H

#include <mica/command.h>

#include <stddef.h>

#include "base/array.h"
#include "command/buffer.h"
#include "core/mark.h"

// A recorded call. `size` bytes of data follow it.
typedef struct micai_call_data {
    mica_call_fn *function;
    size_t size;
} micai_call_data;

// Events to send: one default value, or several values of a type.
typedef struct micai_send_data {
    void *values; // NULL: the default
    uint32_t count;
    micai_send_fn *send;
} micai_send_data;

// The description of a facet, without its values.
typedef struct micai_facet_data {
    mica_entity owner;
    uint32_t component; // the type number in its key, or MICAI_FACET_NONE
    uint32_t role;
    uint32_t value_count; // how many commands behind it are its values
} micai_facet_data;

#define MICAI_CALL_DATA_SIZE                                                                       \
    ((sizeof(micai_call_data) + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1))

typedef struct micai_command {
    mica_entity entity;     // null for values behind a command, for sends, calls and done commands
    const micai_type *type; // NULL: the command has no type
    union {
        unsigned char bytes[8]; // a small value
        void *pointer;          // a large value, a name, or the data of a call, send or facet
        mica_entity source;     // the source of a clone
        mica_entity other;      // the target or sibling of a link; null: any target
        bool absent;            // a toggle, after merging: the entity lacks the component
        uint32_t value_count;   // how many commands behind a spawn are its values
    } data;
    uint32_t next; // the entity's next command in the batch, or MICAI_COMMAND_NONE
    uint8_t verb;
    bool linked; // another command has it as `next`
    // Replay can run it without merging: it changes one component, spawns or despawns, and no value
    // needs a destructor. No other command of the batch is known to have the same entity.
    bool plain;
} micai_command;

#define MICAI_COMMAND_SHIFT MICA_VIEW_ROW_SHIFT // commands in a block, as a power of two: 1,024
#define MICAI_COMMAND_ALIGN 64
#define MICAI_COMMAND_NONE UINT32_MAX // no place
#define MICAI_COMMAND_BLOCK (UINT32_C(1) << MICAI_COMMAND_SHIFT)

struct micai_buffer {
    mica_world face; // the first member, so that a face leads to its buffer
    micai_recorder recorder;
    MICAI_ARRAY(micai_command *) blocks;
    uint32_t first; // the first command that waits
    uint32_t count; // recorded commands, done or not
    uint32_t aside; // commands that wait while those behind them are replayed; MICAI_COMMAND_NONE
    uint32_t aside_end;
    micai_arena arena;
    uint32_t place;   // in the list of all buffers
    bool own;         // created by the user; false for the world's own
    const char *held; // what the buffer is, if only another room may apply and free it; or NULL
};

typedef struct micai_commands {
    micai_buffer *later;              // the world's own buffer; NULL until first needed
    MICAI_ARRAY(micai_buffer *) list; // all buffers
    micai_marks marks;                // places in a buffer
    const micai_buffer *replayed;     // the buffer being replayed; NULL between replays
} micai_commands;

// Fills in an unlinked command. A command that is not plain needs a check before replay.
static inline void micai_command_begin(micai_command *command, mica_entity entity,
                                       const micai_type *type, micai_verb verb, bool plain)
{
    command->entity = entity;
    command->type = type;
    command->next = MICAI_COMMAND_NONE;
    command->verb = (uint8_t)verb;
    command->linked = false;
    command->plain = plain;
}

static inline micai_command *micai_command_at(const micai_buffer *buffer, uint32_t place)
{
    return &buffer->blocks.items[place >> MICAI_COMMAND_SHIFT][place & (MICAI_COMMAND_BLOCK - 1)];
}

static inline micai_buffer *micai_buffer_of(mica_world *face)
{
    return (micai_buffer *)face;
}

static inline mica_world *micai_buffer_world(const micai_buffer *buffer)
{
    return buffer->recorder.world;
}

// Returns how many commands behind this one are its values.
static inline uint32_t micai_command_value_count(const micai_command *command)
{
    return command->verb == MICAI_SPAWN ? command->data.value_count
           : command->verb == MICAI_EXTEND
               ? ((micai_facet_data *)command->data.pointer)->value_count
               : 0;
}

// Returns true if the command holds the pending slot of an entity.
static inline bool micai_command_creates_entity(const micai_command *command)
{
    return command->verb == MICAI_SPAWN || command->verb == MICAI_CLONE ||
           command->verb == MICAI_EXTEND;
}

// Marks all commands before `place` as done, and updates the state's `waiting` flag.
static inline void micai_buffer_set_first(micai_buffer *buffer, uint32_t place)
{
    buffer->first = place;
    if (!buffer->own) {
        buffer->face.state->waiting = place < buffer->count || buffer->aside != MICAI_COMMAND_NONE;
    }
}

// Returns true if a value of the type fits into the command itself.
static inline bool micai_command_is_small(const micai_type *type)
{
    return type->info.size <= sizeof((micai_command *)0)->data &&
           type->info.align <= _Alignof(uint64_t);
}

static inline void *micai_command_value(micai_command *command)
{
    return micai_command_is_small(command->type) ? command->data.bytes : command->data.pointer;
}

// Returns the room's state, or NULL before the first buffer is created.
static inline micai_commands *micai_commands_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_COMMAND].data;
}

// Returns the face of the world's own buffer, which it creates if needed. Returns NULL with a
// report on failure.
mica_world *micai_commands_later(mica_world *world, const char *call);

// Returns true if the command is plain, other commands of its entity aside. The values behind it
// must be recorded already.
bool micai_command_is_plain(const micai_buffer *buffer, uint32_t place);

// Returns the recorder functions for a new buffer.
micai_recorder micai_recorder_make(mica_world *world);

// Discards all waiting commands: destroys their values and passes their slots on.
void micai_buffer_drop(micai_buffer *buffer);

// Destroys the value of a command, or the events it sends, if it has any.
void micai_command_destroy_value(micai_buffer *buffer, micai_command *command);

// Empties a buffer without destroying values.
void micai_buffer_reset(micai_buffer *buffer);

// Copies the commands from `first` to `end` of another buffer behind those of the world's own buffer. The other buffer
// keeps their values until it is reset: forget() empties it without that. Fails with MICA_ERROR_MEMORY and copies
// none; drop_some() then ends them. Their slots are pending in the world.
mica_result micai_commands_append(mica_world *world, const char *call, const micai_buffer *from,
                                  uint32_t first, uint32_t end);
void micai_buffer_drop_some(mica_world *world, micai_buffer *buffer, uint32_t first, uint32_t end);
void micai_buffer_forget(micai_buffer *buffer);

mica_result micai_commands_validate(mica_world *world, const void *data);

// Replays a buffer. After a success, also replays the world's own buffer. The world must be open.
mica_result micai_commands_replay(mica_world *world, micai_commands *commands, micai_buffer *buffer,
                                  const char *call);

// Replays the commands of the world's own buffer from a place on, and those that they record. Those
// before it go on waiting. Does nothing while the world is shut or commands are replayed.
mica_result micai_commands_replay_from(mica_world *world, const char *call, uint32_t place);

#endif
