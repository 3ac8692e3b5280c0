// Named cursors: how far readers that are no systems have read. The world has one for each name and
// type of events. Systems have their positions with their declarations (state/declared.h), and the
// program has those of plain cursors.
//
// Room:    event, and inspect/ for figures. queue.h has the invariant E4.
//
// A cursor at the position zero is a new reader: digests, images, snapshots and inspection treat it
// as if it did not exist.
#ifndef MICAI_EVENT_CURSOR_H
#define MICAI_EVENT_CURSOR_H

#include "state/declared.h"

typedef struct micai_cursor {
    char *name;
    const micai_type *type;
    micai_position read;
} micai_cursor;

typedef struct micai_cursors {
    MICAI_ARRAY(micai_cursor) list; // by type number, then by name
} micai_cursors;

static inline bool micai_position_is_new(const micai_position *position)
{
    return (position->next | position->missed) == 0;
}

// Returns the position of a named cursor. Creates it if needed, as a new reader. Returns NULL with
// MICA_ERROR_MEMORY. It is valid until a cursor is created or removed.
micai_position *micai_cursors_open(micai_host *host, micai_cursors *all, const micai_type *type,
                                   const char *name);

// Makes all cursors new readers. Needs no memory.
void micai_cursors_reset(micai_cursors *all);

// Replaces the cursors of saved types by loaded ones, which are empty then. The loaded ones have
// reserved capacity for the others.
void micai_cursors_replace(micai_host *host, micai_cursors *all, micai_cursors *loaded);

// Removes the cursors of a name. micai_cursors_free() removes all and frees the list.
void micai_cursors_remove(micai_host *host, micai_cursors *all, const char *name);
void micai_cursors_free(micai_host *host, micai_cursors *all);

// Returns true if a cursor has a valid name and a registered type, and stands behind the one before
// it, if there is one.
bool micai_cursor_is_valid(const mica_world *world, const micai_cursor *before,
                           const micai_cursor *cursor);
uint64_t micai_cursors_digest(const micai_cursors *all, uint64_t hash);

#endif
