// Recorders: what a face of the world does that is not the main one. It changes nothing, but records
// what it is told to do, for later.
//
// Room:    state. Filled in by command/; asked where a call was turned away by the gate, which is shut
//          for such a face, and nowhere else.
//
// Each function is what the public calls do that it is named for, with the call for sentences. World
// and pointers have been looked at; entities, types, sizes and counts have not.
#ifndef MICAI_STATE_RECORDER_H
#define MICAI_STATE_RECORDER_H

#include "state/state.h"

struct micai_bundle;

typedef struct micai_recorder {
    mica_world *world; // the main face

    // One component is given a value, or added (neither data nor size), or removed. The upper half of the
    // size is how many values there are, if they are several.
    mica_result (*set)(mica_world *face, const char *call, mica_entity entity, mica_type type,
                       const void *data, uint64_t size);
    mica_result (*remove)(mica_world *face, const char *call, mica_entity entity, mica_type type);
    // Several are given and taken away.
    mica_result (*change)(mica_world *face, const char *call, mica_entity entity,
                          const mica_value *values, uint32_t value_count, const mica_type *removed,
                          uint32_t removed_count);
    mica_result (*toggle)(mica_world *face, const char *call, mica_entity entity, mica_type type,
                          bool off);
    mica_result (*name)(mica_world *face, const char *call, mica_entity entity, const char *name);
    // `count` entities, of arrays of as many values; without those, each type of the bundle is given
    // its default.
    mica_result (*spawn)(mica_world *face, const char *call, const struct micai_bundle *bundle,
                         const mica_value *values, uint32_t value_count, uint32_t count,
                         mica_entity *entities_out);
    mica_entity (*clone)(mica_world *face, const char *call, mica_entity entity);
    // A facet; the component may be none.
    mica_entity (*extend)(mica_world *face, const char *call, mica_entity owner,
                          mica_type component, uint32_t role, const mica_value *values,
                          uint32_t value_count);
    mica_result (*despawn)(mica_world *face, const char *call, const mica_entity *entities,
                           uint32_t count);
    // Events, which have been looked at; the room of the queues is open.
    mica_result (*send)(mica_world *face, const char *call, const mica_value *values,
                        uint32_t count);
} micai_recorder;

static inline const micai_recorder *micai_recorder_of(const mica_world *world)
{
    return world ? world->recorder : NULL;
}

// The main face of a world.
static inline mica_world *micai_world_main(mica_world *world)
{
    return world->recorder ? world->recorder->world : world;
}

#endif
