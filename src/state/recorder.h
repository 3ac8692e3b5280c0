// Recorders: the implementation of calls on a recording face. Such a face changes nothing; it
// records commands for later.
//
// Room:    state. Filled in by command/. Called only after the gate has refused a call; for a recording
//          face, it is always closed.
//
// Each function implements the public calls of its name. `call` is for error sentences. Worlds and
// pointers are already checked; entities, types, sizes and counts are not.
#ifndef MICAI_STATE_RECORDER_H
#define MICAI_STATE_RECORDER_H

#include "state/state.h"

struct micai_bundle;

typedef mica_result micai_send_fn(mica_world *world, const mica_value *values, uint32_t count);

typedef struct micai_recorder {
    mica_world *world; // the main face

    // Sets, adds or removes one component. To add, data is NULL and size is 0. If there are several
    // values, the upper half of size is their count.
    mica_result (*set)(mica_world *face, const char *call, mica_entity entity, mica_type type,
                       const void *data, uint32_t size);
    mica_result (*remove)(mica_world *face, const char *call, mica_entity entity, mica_type type);
    // Sets and removes several components.
    mica_result (*change)(mica_world *face, const char *call, mica_entity entity,
                          const mica_value *values, uint32_t value_count, const mica_type *removed,
                          uint32_t removed_count);
    mica_result (*toggle)(mica_world *face, const char *call, mica_entity entity, mica_type type,
                          bool off);
    mica_result (*name)(mica_world *face, const char *call, mica_entity entity, const char *name);
    // Spawns `count` entities from arrays of values. Without values, each type of the bundle gets
    // its default.
    mica_result (*spawn)(mica_world *face, const char *call, const struct micai_bundle *bundle,
                         const mica_value *values, uint32_t value_count, uint32_t count,
                         mica_entity *entities_out);
    mica_entity (*clone)(mica_world *face, const char *call, mica_entity entity);
    // Adds a facet. The component may be the null handle.
    mica_entity (*extend)(mica_world *face, const char *call, mica_entity owner,
                          mica_type component, uint32_t role, const mica_value *values,
                          uint32_t value_count);
    // Links and unlinks by a relation's type. What `other` is depends on the verb.
    mica_result (*link)(mica_world *face, const char *call, const micai_type *type,
                        micai_link_verb verb, mica_entity source, mica_entity other);
    mica_result (*despawn)(mica_world *face, const char *call, const mica_entity *entities,
                           uint32_t count);
    // Sends events, with a function of event/. They are already checked.
    mica_result (*send)(mica_world *face, const char *call, const mica_value *values,
                        uint32_t count, micai_send_fn *send);
} micai_recorder;

static inline const micai_recorder *micai_recorder_of(const mica_world *world)
{
    return world ? world->recorder : NULL;
}

// Returns the main face of a world. In a wave of systems, that is the face that the system has.
static inline mica_world *micai_world_main(mica_world *world)
{
    return world->recorder && !world->state->original ? world->recorder->world : world;
}

#endif
