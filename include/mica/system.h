// Systems: functions that run over a query, once per step, in the order they were added.
//
//   static void move(mica_iter *it) { ... }
//   mica_system_add(world, &(mica_system_desc){
//       .name = "move", .update = move,
//       .query.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
//   mica_step(world, 1.0 / 60);
#ifndef MICA_SYSTEM_H
#define MICA_SYSTEM_H

#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Called once per segment, with the segment's rows. Structural changes are refused inside, with a
// sentence that names the system and the call, unless they are recorded for later: mica/command.h.
// The iteration is the step's: an update may begin others, which it has to end, but neither advance
// nor end its own (MICA_ERROR_ITERATOR).
typedef void mica_update_fn(mica_iter *it);

// Zero is the default of every field.
typedef struct mica_system_desc {
    uint32_t first_zero; // must be 0: catches a descriptor that was not zeroed

    const char *name;       // required, unique among the world's systems; copied
    mica_update_fn *update; // required
    mica_query_desc query;
    void *user; // the system's own state: it->user

    // The commands that the systems before it have recorded in this step are carried out before it
    // runs. Without this, when the step ends.
    bool replay_first;

    uint32_t last_zero; // must be 0
} mica_system_desc;

typedef struct mica_system {
    uint64_t bits; // private; 0 is none
} mica_system;

static inline mica_system mica_system_none(void)
{
    mica_system none = {0};
    return none;
}

static inline bool mica_system_is_none(mica_system system)
{
    return system.bits == 0;
}

static inline bool mica_system_equal(mica_system a, mica_system b)
{
    return a.bits == b.bits;
}

// None on failure: MICA_ERROR_NULL, _DESC, _NAME, _ITERATING, and those of mica_query_new().
MICA_API mica_system mica_system_add(mica_world *world, const mica_system_desc *desc);

// Takes a system out. MICA_ERROR_SYSTEM for none, removed or foreign ones; MICA_ERROR_ITERATING
// during a step, and, as for adding one, while commands are carried out.
MICA_API mica_result mica_system_remove(mica_world *world, mica_system system);

// The system of that name; none, silently, if there is none.
MICA_API mica_system mica_system_find(mica_world *world, const char *name);

// Runs every system once, in the order of addition, and then carries out the commands that they have
// recorded. `dt` is what the iterations of systems give as `dt`; the sum of those of all steps before is
// what they give as `time`. A step whose systems do not all run does not count.
//
// MICA_ERROR_ARGUMENT if dt is negative, not a number, or more than a float can hold.
// MICA_ERROR_ITERATING inside a step or an iteration, or while commands are carried out; and, naming the
// system, after one that left an iteration open: that is ended, and the systems behind it do not run.
// MICA_ERROR_MEMORY, MICA_ERROR_LIMIT, also if not all commands could be carried out: mica/command.h. An
// update that is left by longjmp() or an exception leaves the step unfinished:
// mica_world_end_iterations().
MICA_API mica_result mica_step(mica_world *world, double dt);

#ifdef __cplusplus
}

MICA_HANDLE_OPERATORS_(mica_system)
#endif

#endif
