// A delta that was read and checked, and its way into the world.
//
// Room:    delta. read.c and the files read_*.c read the bytes, apply.c changes the world, load.c calls both.
//
// Reading checks everything, and sums up the hash that the world will have. Then all memory is reserved.
// Then the world changes, which cannot fail.
#ifndef MICAI_DELTA_LOAD_INTERNAL_H
#define MICAI_DELTA_LOAD_INTERNAL_H

#include "delta/delta_internal.h"
#include "delta/leaf.h"
#include "entity/facet.h"
#include "entity/locate.h"

// A type of the delta.
typedef struct micai_delta_type {
    const micai_type *type;
    micai_leaves leaves;
} micai_delta_type;

// What happens to one type of one entity.
typedef enum micai_edit_kind {
    MICAI_EDIT_REMOVE,
    MICAI_EDIT_ADD,
    MICAI_EDIT_CHANGE,
    MICAI_EDIT_TOGGLE // may follow a change of the same value
} micai_edit_kind;

typedef struct micai_edit {
    mica_entity entity;
    const micai_type *type;
    void *value; // whole; NULL: none, or a tag
    micai_edit_kind kind;
    bool off; // ADD, TOGGLE: afterwards
} micai_edit;

typedef MICAI_ARRAY(micai_edit) micai_edits;
typedef MICAI_ARRAY(mica_entity) micai_entity_list;

// An entity that gets a row in another table, or its first row.
typedef struct micai_move {
    mica_entity entity;
    micai_table *target;
    uint32_t first; // its edits, among those of tables
    uint32_t end;
    bool spawned;
    bool was_idle; // the target, before rows were reserved
} micai_move;

typedef struct micai_new_name {
    mica_entity entity; // first: the list is searched by it
    const char *text;   // NULL: it has none afterwards
    char *copy;         // reserved
} micai_new_name;

typedef struct micai_new_resource {
    const micai_type *type;
    void *value;           // NULL: removed
    unsigned char *memory; // reserved, if there is none now
} micai_new_resource;

typedef struct micai_delta_load {
    mica_world *world;
    micai_state *state;
    micai_host *host;
    const char *call;
    mica_result failed;
    uint32_t known_tables; // when the call began
    micai_arena arena;
    uint64_t before; // hashes that the delta says
    uint64_t after;
    bool rounds;
    uint64_t hash;               // of the world afterwards
    void *space;                 // for a value of any type
    micai_entity_list despawned; // by slot
    micai_entity_list spawned;   // by slot
    micai_delta_type *types;
    uint32_t type_count;
    micai_edits edits;  // of one type, while it is read
    micai_edits tables; // added and removed, by slot
    micai_edits pools;  // added and removed, by type
    micai_edits values; // changed and toggled, by type
    MICAI_ARRAY(micai_facet) facets;
    MICAI_ARRAY(micai_new_name) names;
    MICAI_ARRAY(micai_new_resource) resources;
    MICAI_ARRAY(micai_move) moves;
} micai_delta_load;

// Fail with MICA_ERROR_IMAGE, _MEMORY or _SCHEMA, unless it has failed already. Return false. `format` is for the call and
// a name.
bool micai_delta_fail(micai_delta_load *l, const char *what);
bool micai_delta_fail_memory(micai_delta_load *l);
bool micai_delta_fail_schema(micai_delta_load *l, const char *format, const char *name);

// Returns true if nothing has failed. Fails if the bytes have ended too early.
bool micai_delta_is_read(micai_delta_load *l, const micai_unpacker *from);

// Returns memory that is freed when the delta is loaded. NULL: a failure.
void *micai_delta_alloc(micai_delta_load *l, size_t size, size_t align);

// Return the living entity of a slot that is neither despawned nor spawned, and the one that the slot has afterwards; or
// none.
mica_entity micai_delta_find_kept(const micai_delta_load *l, uint32_t slot);
mica_entity micai_delta_find_after(const micai_delta_load *l, uint32_t slot);

// Reads the head of a list of entities that are there before or afterwards.
micai_slot_list micai_delta_begin_list(micai_delta_load *l, micai_unpacker *from);

// Returns the term in the hash of a component that a living entity has.
uint64_t micai_delta_hash_old(const micai_delta_load *l, mica_entity entity,
                              const micai_type *type);

// Reads the head: whether these bytes are a delta, and the hashes; the types; then the rest, which is for a
// world with the hash `l->hash`.
mica_result micai_delta_read_head(micai_delta_load *l, micai_unpacker *from);
mica_result micai_delta_read_types(micai_delta_load *l, micai_unpacker *from);
mica_result micai_delta_read(micai_delta_load *l, micai_unpacker *from);

// Parts of the rest: all about entities but their components; all about a type. Return false on failure.
bool micai_delta_read_entities(micai_delta_load *l, micai_unpacker *from);
bool micai_delta_read_values(micai_delta_load *l, micai_unpacker *from, const micai_delta_type *of);

// Reserves what applying needs. Whatever it returns, the caller ends with release.
mica_result micai_delta_reserve(micai_delta_load *l);
void micai_delta_apply(micai_delta_load *l);
void micai_delta_release(micai_delta_load *l);

#endif
