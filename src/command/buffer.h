// Buffers of commands, for rooms above: made, read, taken back, replayed.
//
// Room:    command. Called by tape/.
#ifndef MICAI_COMMAND_BUFFER_H
#define MICAI_COMMAND_BUFFER_H

#include "state/recorder.h"

typedef enum micai_verb {
    MICAI_DONE = 0, // replayed together with an earlier command
    MICAI_ADD,
    MICAI_SET,
    MICAI_REMOVE,
    MICAI_ENABLE,
    MICAI_DISABLE,
    MICAI_DESPAWN,
    MICAI_SPAWN, // the commands behind it are its values
    MICAI_SEND,
    MICAI_NAME, // from here on: commands that keep their place in the order
    MICAI_CLONE,
    MICAI_EXTEND, // the commands behind it are its values
    MICAI_CALL,
    MICAI_LINK, // these three in the order of micai_link_verb
    MICAI_LINK_BEFORE,
    MICAI_UNLINK,
    MICAI_VERB_COUNT
} micai_verb;

typedef struct micai_buffer micai_buffer;

// A command, to be read.
typedef struct micai_command_info {
    micai_verb verb;
    mica_entity entity;     // null for values behind a command, and for sends
    const micai_type *type; // of one component or event; of the key of a facet. NULL: none
    const void *data;       // a value, values to send (NULL: the default), or a name
    uint32_t count;         // values to send, or commands behind this one that are its values
    mica_entity other;      // the source of a clone, the owner of a facet, the other end of a link
    uint32_t role;          // of a facet
} micai_command_info;

// Creates a buffer of the user's own. Returns NULL with MICA_ERROR_MEMORY. It is freed with its commands, whose
// values are destroyed, and whose entities will never exist.
micai_buffer *micai_buffer_new(mica_world *world, const char *call);
void micai_buffer_free(mica_world *world, const char *call, micai_buffer *buffer);

// Has the calls on its face go through another recorder, and refuses to apply, discard and free it by public
// calls, and to record functions. `what` says what it is, in the sentences of these errors. It must be static.
void micai_buffer_hold(micai_buffer *buffer, const micai_recorder *recorder, const char *what);

mica_world *micai_buffer_face(micai_buffer *buffer);

// The places of the commands that wait, of which some may be done. Reads one of them.
uint32_t micai_buffer_first(const micai_buffer *buffer);
uint32_t micai_buffer_end(const micai_buffer *buffer);
micai_command_info micai_buffer_read(const micai_buffer *buffer, uint32_t place);

// Takes back all commands. No handle of them may have been passed on: nothing then shows that they were recorded.
void micai_buffer_take_back(micai_buffer *buffer);

// Applies the commands, like mica_commands_apply().
mica_result micai_buffer_replay(mica_world *world, const char *call, micai_buffer *buffer);

#endif
