// Tidings: the net change of one entity, as observers are told of it, and whether anybody has to be.
//
// Room:    world. Made by the plan, and by what sets and toggles values that are there; told by event/,
//          through its room. A change that is observed is reserved, told (micai_tidings_tell with the kinds
//          that come before), committed, told again. Telling cannot fail.
//
// While observers are told the world is whole, and shut: nothing moves, no row and no value comes or
// goes, and no flag changes that anybody watches. So what was reserved stays, and what was worked out
// before the change is still right after it.
#ifndef MICAI_WORLD_TIDINGS_H
#define MICAI_WORLD_TIDINGS_H

#include "core/types.h"
#include "core/watch.h"
#include "world/value.h"

typedef struct micai_tidings {
    const char *call;
    micai_living who;        // before it was spawned: nobody
    bool spawns;             // everything it has has come
    bool ends;               // everything it has goes
    const mica_types *more;  // types that come to one that was there; NULL: none
    const mica_types *less;  // that go from one that stays; the same
    const mica_types *set;   // that are given values; the same
    const mica_types *flips; // that come disabled, or are there and switched off or on; the same
    const micai_type *one;   // if it is about one type only, that, instead of sets; NULL: it is not
    bool comes;
    bool goes;
    bool given;
    const micai_type *toggled; // NULL: none
    bool off;
    uint64_t *matched; // a bit for each observer of a query: does it match before? Room for them is
        // reserved, and they are filled in by those who are told. NULL: there are none,
        // or none matches (it is spawned), or it does not matter (it ends)
    uint64_t made; // observers, ever, when it began: those are told
} micai_tidings;

// The tidings of a call, about nobody yet.
micai_tidings micai_tidings_begin(const mica_world *world, const char *call);

// Tells those who listen to one kind of one type of an entity, whose value lies there (NULL: nowhere). For
// those who have not begun anything that handlers must not see.
static inline void micai_tidings_tell_one(mica_world *world, const char *call, mica_entity entity,
                                          const micai_type *type, uint32_t what, const void *value)
{
    const micai_room *room = &world->core->rooms[MICAI_ROOM_OBSERVER];
    if (micai_watches(type, what)) {
        room->tell_one(world, room->state, call, entity, type, what, value);
    }
}

// Tells those who listen: of kinds that come before the change, or after it.
void micai_tidings_tell(mica_world *world, micai_tidings *tidings, uint32_t kinds);

// Has the entity a type, before the change or after it? Is that enabled? For the first, the change is
// still to come, or the entity is new and its change done.
bool micai_tidings_has(const micai_core *core, const micai_tidings *tidings, const micai_type *type,
                       bool after);
bool micai_tidings_is_on(const micai_core *core, const micai_tidings *tidings,
                         const micai_type *type, bool after);

// Room for `matched` of so many entities, in scratch memory: MICA_ERROR_MEMORY. How many words each of
// them has.
mica_result micai_tidings_reserve(mica_world *world, uint32_t count, uint64_t **matched_out);

static inline uint32_t micai_tidings_words(const micai_core *core)
{
    return micai_bits_words(core->matchers);
}

// What is watched of a living entity and all it has.
uint32_t micai_tidings_watched(const micai_core *core, micai_living who);

// May observers be told of what happens inside an observer? MICA_ERROR_LIMIT, if they are as deep as
// they may be.
mica_result micai_tidings_check_depth(mica_world *world, const char *call);

// Watching (world/plan_watch.c)

// What observers listen to, of a type and of all entities, has changed: short cuts are judged anew.
void micai_watch_type(mica_world *world, const micai_type *type, uint32_t watched);
void micai_watch_entities(mica_world *world, uint32_t watched);

// A type is kept in a pool from now on, or no more: is anything watched that is (W6)?
void micai_watch_pools(micai_core *core);

// To validate: is that known? And, while nobody has ever observed anything, is nothing watched?
bool micai_watch_is_right(const micai_core *core);
bool micai_watch_is_idle(const micai_core *core);

#endif
