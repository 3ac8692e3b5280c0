// Commands: buffers of recorded calls, each with the face of the world that records into it.
//
// Room:    command. Called by system/ (replay); the world's short cuts and slow ways know recorders only
//          (world/recorder.h).
//
//   blocks   [0] -> | command | command | ...     places count on over all blocks
//            [1] -> | command | ...               kept, to be used again
//   arena    values of more than 8 bytes, names, data of calls
//
// Recording is a bump: a command is 32 bytes, with the value in it if that is small. Which commands are
// of one entity is found out when they are carried out, a stretch at a time: from the first that waits
// up to the next that must stay in its place. Going through a stretch, `marks` says for each slot which
// command was the last of it. A mark is believed if it leads to a command before this one, in the
// stretch, that is of the same entity; so marks need never be cleared.
//
// Invariants, swept by the room's validate:
//   N1  a buffer has room for its commands; those before `first` are done. Each is one, of a type of
//       the world. They are linked only while they are carried out.
//   N2  what makes an entity has a slot that is pending; those are all that are pending.
//   N3  the world's own buffer says whether it has anything that waits.
//   N4  the face of a buffer is one of its world: busy, following its host, with its tick. It knows its place in
//       the list of buffers, and is in the list of hosts, once.
#ifndef MICAI_COMMAND_COMMAND_H
#define MICAI_COMMAND_COMMAND_H

#include <mica/command.h>

#include <stddef.h>

#include "base/array.h"
#include "core/mark.h"
#include "state/recorder.h"

typedef enum micai_verb {
    MICAI_DONE = 0, // it was carried out with another, before its place came
    MICAI_ADD,
    MICAI_SET,
    MICAI_REMOVE,
    MICAI_ENABLE,
    MICAI_DISABLE,
    MICAI_DESPAWN,
    MICAI_SPAWN, // the commands behind it are its values
    MICAI_SEND,
    MICAI_NAME, // from here on: not to be done before or after its place
    MICAI_CLONE,
    MICAI_EXTEND, // the commands behind it are its values
    MICAI_CALL,
    MICAI_VERB_COUNT
} micai_verb;

// What a call is made of; its data is so many bytes behind it.
typedef struct micai_calling {
    mica_call_fn *function;
    size_t size;
} micai_calling;

// What is sent: one value by default, or several of a type.
typedef struct micai_sending {
    void *values; // NULL: the default
    uint32_t count;
} micai_sending;

// What a facet is made of, beside its values.
typedef struct micai_extending {
    mica_entity owner;
    uint32_t component; // of its key: the number of a type; MICAI_FACET_NONE: none
    uint32_t role;
    uint32_t parts; // commands behind it that are its values
} micai_extending;

#define MICAI_CALLING_SIZE                                                                         \
    ((sizeof(micai_calling) + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1))

typedef struct micai_command {
    mica_entity entity;     // none: it is a value of the one before, done, sent, or a call
    const micai_type *type; // NULL: it is about none
    union {
        unsigned char bytes[8]; // a small value
        void *pointer;          // another; a name, or NULL; what is called, or sent; of a facet
        mica_entity source;     // of a clone
        bool amiss;             // of a toggle, once it is worked in: there is nothing to toggle
        uint32_t parts;         // commands behind a spawn that are its values
    } data;
    uint32_t next; // the entity's next one in the stretch; MICAI_COMMAND_NONE: it is the last
    uint8_t verb;
    bool linked; // it is the next one of another
    bool
        plain; // it can be done at once: a change of one component, a spawn or an end, without values
               // that must end; and it is its entity's only one in the stretch, as far as is known
} micai_command;

#define MICAI_COMMAND_SHIFT MICA_VIEW_ROW_SHIFT // commands in a block, as a power of two: 1,024
#define MICAI_COMMAND_ALIGN 64
#define MICAI_COMMAND_NONE UINT32_MAX // no place
#define MICAI_COMMAND_BLOCK (UINT32_C(1) << MICAI_COMMAND_SHIFT)

typedef struct micai_buffer {
    mica_world face; // the first member: who has the face has the buffer
    micai_recorder recorder;
    MICAI_ARRAY(micai_command *) blocks;
    uint32_t first; // that waits
    uint32_t count; // of all, done or not
    micai_arena arena;
    uint32_t place; // in the list of all
    bool own;       // made by the user; not the world's
} micai_buffer;

typedef struct micai_commands {
    micai_buffer *later;              // the world's own; NULL until asked for
    MICAI_ARRAY(micai_buffer *) list; // all of them
    micai_marks marks;                // places in a buffer
    const micai_buffer *replayed;     // that is carried out, if any is
} micai_commands;

// A command of this verb, linked to none. What is not plain has to be looked at.
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

// Commands behind one that are its values.
static inline uint32_t micai_command_parts(const micai_command *command)
{
    return command->verb == MICAI_SPAWN    ? command->data.parts
           : command->verb == MICAI_EXTEND ? ((micai_extending *)command->data.pointer)->parts
                                           : 0;
}

// Does it have the slot of an entity to be?
static inline bool micai_command_makes(const micai_command *command)
{
    return command->verb == MICAI_SPAWN || command->verb == MICAI_CLONE ||
           command->verb == MICAI_EXTEND;
}

// What is before a place is done; maybe nothing waits any more.
static inline void micai_buffer_go_on(micai_buffer *buffer, uint32_t place)
{
    buffer->first = place;
    if (!buffer->own) {
        buffer->face.state->waiting = place < buffer->count;
    }
}

// Does a value of the type lie in the command itself?
static inline bool micai_command_is_small(const micai_type *type)
{
    return type->info.size <= sizeof((micai_command *)0)->data &&
           type->info.align <= _Alignof(uint64_t);
}

static inline void *micai_command_value(micai_command *command)
{
    return micai_command_is_small(command->type) ? command->data.bytes : command->data.pointer;
}

// The room's state; NULL until there is any.
static inline micai_commands *micai_commands_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_COMMAND].data;
}

// The face of the world's own buffer, which may have to be made: NULL, reported, on failure.
mica_world *micai_commands_later(mica_world *world, const char *call);

// Is a command at a place plain, but for others of its entity? What it is made of must be there.
bool micai_command_is_plain(const micai_buffer *buffer, uint32_t place);

// The functions of a recorder, for a buffer that is being made.
micai_recorder micai_recorder_make(mica_world *world);

// Forgets all that waits: its values end, and its slots are passed on.
void micai_buffer_drop(micai_buffer *buffer);

// Ends the value of a command, or those it sends, if it has any.
void micai_command_end(micai_buffer *buffer, micai_command *command);

// Nothing waits any more.
void micai_buffer_reset(micai_buffer *buffer);

// Carries out a buffer and then, if all of it was, what the world's own has. The world must be open.
mica_result micai_commands_replay(mica_world *world, micai_commands *commands, micai_buffer *buffer,
                                  const char *call);

#endif
