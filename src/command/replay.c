// Replaying commands. command.h explains how the commands of one entity are linked.
//
// A single command is run as its public call, or by the fast path. Several commands of one entity
// are merged first: replay_chain.c.
#include <mica/toggle.h>

#include <assert.h>
#include <inttypes.h>

#include "base/canary.h"
#include "base/compiler.h"
#include "command/replay_internal.h"
#include "entity/change.h"
#include "entity/data.h"
#include "entity/facet.h"
#include "entity/fast.h"
#include "entity/locate.h"
#include "state/trace.h"
#include "store/table/row.h"

// Finishing commands

// Marks a command as done. Destroys its value unless the world took it.
static inline void finish_command(const micai_replay *run, micai_command *command, bool used)
{
    bool ends = !command->plain && (command->verb == MICAI_SET || command->verb == MICAI_SEND) &&
                (!used || micai_hook_can_copy(command->type));
    if (MICAI_CANARY("command.ended_value")) {
        ends = false;
    }
    if (ends) {
        micai_command_destroy_value(run->buffer, command);
    }
    command->verb = MICAI_DONE;
    command->entity = (mica_entity){0};
}

void micai_replay_finish(const micai_replay *run, uint32_t place, bool used)
{
    micai_command *command = micai_command_at(run->buffer, place);
    uint32_t value_count = micai_command_value_count(command);
    for (uint32_t i = 1; i <= value_count; i++) {
        finish_command(run, micai_command_at(run->buffer, place + i), used);
    }
    finish_command(run, command, used);
}

void micai_replay_drop(const micai_replay *run, uint32_t place)
{
    run->world->state->dropped++;
    micai_replay_finish(run, place, false);
}

void micai_replay_return_slot(const micai_replay *run, mica_entity entity)
{
    micai_state *state = run->world->state;
    micai_slots_discard(state->host, &state->slots, entity);
}

// One command

// Returns the value of a command as a public call takes it.
static mica_value value_of(micai_command *command)
{
    const mica_type_info *info = &command->type->info;
    return command->verb == MICAI_SET
               ? (mica_value){info->type, micai_command_value(command), info->size, 1, NULL}
               : (mica_value){.type = info->type};
}

// Returns the values of a new entity, in memory of the caller or, if they are many, in scratch
// memory. Returns NULL with a report if there is no memory.
static mica_value *list_values(const micai_replay *run, uint32_t place, uint32_t count,
                               mica_value inside[MICAI_VALUES_INSIDE])
{
    mica_world *world = run->world;
    mica_value *values = inside;
    if (count > MICAI_VALUES_INSIDE) {
        micai_host_begin(&world->host, run->call);
        values = micai_arena_alloc_array(&world->host, &world->scratch, count, sizeof *values,
                                         _Alignof(mica_value));
        micai_host_end(&world->host);
    }
    for (uint32_t i = 0; values && i < count; i++) {
        values[i] = value_of(micai_command_at(run->buffer, place + 1 + i));
    }
    return values;
}

static mica_result replay_spawn(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    const micai_command *command = micai_command_at(run->buffer, place);
    uint32_t count = command->data.value_count;
    mica_value inside[MICAI_VALUES_INSIDE];
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    const mica_value *values = list_values(run, place, count, inside);
    mica_result result =
        values ? micai_spawn_pending(world, command->entity, values, count) : MICA_ERROR_MEMORY;
    micai_arena_rewind(&world->scratch, mark);
    return result;
}

// Runs a command as its public call. The entity is alive or pending.
static mica_result run_verb(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    micai_command *command = micai_command_at(run->buffer, place);
    mica_entity entity = command->entity;
    const mica_type_info *info = command->type ? &command->type->info : NULL;
    assert(info || command->verb > MICAI_DISABLE); // N1
    switch (command->verb) {
    case MICAI_ADD: return mica_add(world, entity, info->type);
    case MICAI_REMOVE: return mica_remove(world, entity, info->type);
    case MICAI_SET:
        return mica_set_value(world, entity, info->type, micai_command_value(command), info->size);
    case MICAI_ENABLE: return mica_enable(world, entity, info->type);
    case MICAI_DISABLE: return mica_disable(world, entity, info->type);
    case MICAI_DESPAWN: return mica_despawn(world, entity);
    default: return replay_spawn(run, place);
    }
}

mica_result micai_replay_one(const micai_replay *run, uint32_t place)
{
    const micai_slots *slots = &run->world->state->slots;
    micai_command *command = micai_command_at(run->buffer, place);
    bool spawns = command->verb == MICAI_SPAWN;
    mica_entity entity = command->entity;
    if (!spawns && !micai_slots_find(slots, entity)) {
        micai_replay_drop(run, place);
        return MICA_OK;
    }
    mica_result result = run_verb(run, place);
    if (result == MICA_ERROR_MEMORY) {
        return result;
    }
    run->world->state->replayed++;
    micai_replay_finish(run, place, result == MICA_OK);
    if (result && spawns) {
        micai_replay_return_slot(run, entity);
    }
    return MICA_OK;
}

// Events belong to no entity. They are sent in the order of recording.
static mica_result replay_send(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    micai_command *command = micai_command_at(run->buffer, place);
    const mica_type_info *info = &command->type->info;
    const micai_send_data *sending = command->data.pointer;
    const mica_value value = {info->type, sending->values, sending->values ? info->size : 0,
                              sending->count, NULL};
    mica_result result = sending->send(world, &value, 1);
    if (result == MICA_ERROR_MEMORY) {
        return result;
    }
    world->state->replayed++;
    if (MICAI_CANARY("command.sent_value")) {
        result = MICA_ERROR_LIMIT;
    }
    finish_command(run, command, result == MICA_OK);
    return MICA_OK;
}

// Commands that keep their place

static mica_result replay_clone(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    micai_command *command = micai_command_at(run->buffer, place);
    mica_entity entity = command->entity;
    if (!micai_slots_find(&world->state->slots, command->data.source)) {
        micai_replay_drop(run, place);
        micai_replay_return_slot(run, entity);
        return MICA_OK;
    }
    bool failed =
        MICA_IS_NONE(micai_spawn_clone(world, "mica_clone", command->data.source, entity));
    if (failed && micai_world_failed(world) == MICA_ERROR_MEMORY) {
        return MICA_ERROR_MEMORY;
    }
    world->state->replayed++;
    finish_command(run, command, false);
    if (failed) {
        micai_replay_return_slot(run, entity);
    }
    return MICA_OK;
}

static mica_result replay_facet(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    const micai_command *command = micai_command_at(run->buffer, place);
    const micai_facet_data *facet = command->data.pointer;
    mica_entity entity = command->entity;
    if (!micai_slots_find(&world->state->slots, facet->owner)) {
        micai_replay_drop(run, place);
        micai_replay_return_slot(run, entity);
        return MICA_OK;
    }
    mica_value inside[MICAI_VALUES_INSIDE];
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    const mica_value *values = list_values(run, place, facet->value_count, inside);
    bool made = values && !MICA_IS_NONE(micai_facets_extend(world, "mica_facet_add", facet->owner,
                                                            facet->component, facet->role, values,
                                                            facet->value_count, entity));
    micai_arena_rewind(&world->scratch, mark);
    if (!made && micai_world_failed(world) == MICA_ERROR_MEMORY) {
        return MICA_ERROR_MEMORY;
    }
    world->state->replayed++;
    micai_replay_finish(run, place, made);
    if (!made) {
        micai_replay_return_slot(run, entity);
    }
    return MICA_OK;
}

static mica_result replay_name(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    micai_command *command = micai_command_at(run->buffer, place);
    if (!micai_slots_find(&world->state->slots, command->entity)) {
        micai_replay_drop(run, place);
        return MICA_OK;
    }
    const char *text = command->data.pointer;
    mica_result result = mica_entity_set_name(world, command->entity, *text ? text : NULL);
    if (result == MICA_ERROR_MEMORY) {
        return result;
    }
    world->state->replayed++;
    finish_command(run, command, false);
    return MICA_OK;
}

// A link whose source or other end is dead is dropped.
static mica_result replay_link(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    const micai_slots *slots = &world->state->slots;
    micai_command *command = micai_command_at(run->buffer, place);
    mica_entity other = command->data.other;
    bool dead = !micai_slots_find(slots, command->entity) ||
                (!MICA_IS_NONE(other) && !micai_slots_find(slots, other));
    if (dead) {
        micai_replay_drop(run, place);
        return MICA_OK;
    }
    const micai_links *links = world->state->pools.links;
    mica_result result =
        links->ops->replay(world, command->type, (micai_link_verb)(command->verb - MICAI_LINK),
                           command->entity, other);
    if (result == MICA_ERROR_MEMORY) {
        return result;
    }
    world->state->replayed++;
    finish_command(run, command, false);
    return MICA_OK;
}

// The command is done before its function runs. So it is never called twice, whatever the function
// does.
static mica_result replay_call(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    micai_command *command = micai_command_at(run->buffer, place);
    const micai_call_data *calling = command->data.pointer;
    const void *data = calling->size > 0 ? (const char *)calling + MICAI_CALL_DATA_SIZE : NULL;
    world->state->replayed++;
    finish_command(run, command, false);
    micai_buffer_set_first(run->buffer, place + 1);
    calling->function(world, data);
    if (!world->state->replaying) { // the buffer may be freed, or replayed already
        return micai_fail(&world->host, MICA_ERROR_ITERATOR,
                          "%s: a function that was called by a command has called "
                          "mica_world_end_iterations; what waits behind it still does",
                          run->call);
    }
    if (world->state->walks.count > 0) {
        char of[MICAI_WALK_TEXT];
        world->state->walks.describe(world->state->walks.newest->query, of, sizeof of);
        micai_world_close_walks(world);
        micai_fail(&world->host, MICA_ERROR_ITERATING,
                   "%s: a function that was called by a command left an iteration of %s open; "
                   "mica_iter_end ends one",
                   run->call, of);
    }
    return MICA_OK;
}

// Batches

// Returns the first place behind the block of `place`, or `end` if that comes first.
static inline uint32_t end_of_block(uint32_t end, uint32_t place)
{
    uint32_t last = place | (MICAI_COMMAND_BLOCK - 1);
    return last < end ? last + 1 : end;
}

static uint32_t *make_mark(const micai_replay *run, uint32_t slot)
{
    micai_host_begin(&run->world->host, run->call);
    uint32_t *mark = micai_marks_get_or_add(&run->world->host, &run->commands->marks, slot);
    micai_host_end(&run->world->host);
    return mark;
}

// Notes a command as the last of its entity, and links it to the one before it.
static inline void link_one(micai_buffer *buffer, uint32_t *mark, uint32_t first, uint32_t place,
                            micai_command *command)
{
    uint32_t before = *mark;
    *mark = place;
    if (before - first < place - first) { // it lies in this batch
        micai_command *last = micai_command_at(buffer, before);
        if (last->entity.bits == command->entity.bits) {
            last->next = place;
            command->linked = true;
            last->plain = command->plain = false;
        }
    }
}

// Unlinks the commands that were not replayed. The next replay links them again from the new first
// one.
static void unlink_all(const micai_replay *run, uint32_t end)
{
    if (MICAI_CANARY("command.unlinked")) {
        end = 0;
    }
    for (uint32_t i = run->buffer->first; i < end; i++) {
        micai_command *command = micai_command_at(run->buffer, i);
        command->next = MICAI_COMMAND_NONE;
        command->linked = false;
        command->plain = micai_command_is_plain(run->buffer, i);
    }
}

static inline bool link_next(const micai_replay *run, uint32_t first, uint32_t place,
                             micai_command *command)
{
    uint32_t slot = mica_entity_slot(command->entity);
    uint32_t *mark = micai_marks_find(&run->commands->marks, slot);
    if (!mark) {
        mark = make_mark(run, slot);
        if (!mark) {
            return false;
        }
    }
    link_one(run->buffer, mark, first, place, command);
    return true;
}

// Returns true if the command is not done and has no values behind it. One comparison in most
// cases.
static inline bool is_single(const micai_command *command)
{
    return (uint8_t)(command->verb - 1) < MICAI_SPAWN - 1;
}

// Links the commands of each entity, up to the next one that must keep its place. Passes out the
// place where it stopped: that command, or the first that lacked memory.
MICAI_NOINLINE static mica_result link(const micai_replay *run, uint32_t *end_out)
{
    const micai_buffer *buffer = run->buffer;
    const uint32_t first = buffer->first;
    uint32_t place = first;
    bool linked = true;
    while (linked && place < buffer->count) {
        const uint32_t stop = end_of_block(buffer->count, place);
        micai_command *command = micai_command_at(buffer, place);
        for (; place < stop && is_single(command); place++, command++) {
            linked = link_next(run, first, place, command);
            if (!linked) {
                break;
            }
        }
        while (linked && place < stop && command->verb == MICAI_SPAWN) {
            linked = link_next(run, first, place, command);
            uint32_t length = linked ? 1 + command->data.value_count : 0;
            place += length;
            command += length;
        }
        if (place < stop && command->verb >= MICAI_NAME) {
            break;
        }
        place +=
            linked && place < stop && (command->verb == MICAI_DONE || command->verb == MICAI_SEND);
    }
    *end_out = place;
    return linked ? MICA_OK : MICA_ERROR_MEMORY;
}

// Fast paths

// Returns true if the values behind a command lie in its block.
static inline bool is_in_block(uint32_t place, uint32_t count)
{
    return (place & (MICAI_COMMAND_BLOCK - 1)) + count < MICAI_COMMAND_BLOCK;
}

// Returns the transition that spawns these types, according to its key, or NULL if it is not
// stored.
static const micai_transition *find_spawn(const micai_replay *run, const micai_command *command)
{
    uint64_t key = 0;
    for (uint32_t i = 1; i <= command->data.value_count; i++) {
        key = micai_list_key_add(key, command[i].type->info.type.bits);
    }
    micai_transitions *known = &run->world->state->store.transitions;
    const micai_transition *t = micai_transition_peek_spawn(known, key);
    return t ? t : micai_transition_seek(known, MICAI_TRANSITION_SPAWN, key, NULL);
}

// Fills in the values of a spawn by a transition that admits the fast path and has capacity.
// Returns false if the types differ, or a value is missing.
static inline bool fill_values(const micai_transition *t, micai_command *value, uint32_t count)
{
    if (t->step_count != count || !micai_transition_is_fast(t) ||
        !micai_row_has_capacity(t->target)) {
        return false;
    }
    const micai_row raw = micai_row_raw(t->target);
    const micai_step *end = t->steps + count;
    for (const micai_step *step = t->steps; step < end; step++, value++) {
        if (value->type != step->type) {
            return false;
        }
        if (value->verb == MICAI_SET) {
            micai_row_fill(raw, step->fill, micai_command_value(value));
        } else if (step->expected) {
            return false;
        }
    }
    return true;
}

// Spawns on the fast path: by the last transition, or another stored one. The values are plain and
// lie behind the command. Returns false if that is impossible; nothing has happened then.
MICAI_NOINLINE static bool spawn_fast(const micai_replay *run, uint32_t place,
                                      micai_command *command)
{
    mica_world *world = run->world;
    uint32_t count = command->data.value_count;
    const micai_transition *t =
        micai_transition_last(&world->state->store.transitions, MICAI_TRANSITION_SPAWN);
    if (!is_in_block(place, count)) {
        return false;
    }
    if (!fill_values(t, command + 1, count)) {
        t = find_spawn(run, command);
        if (!t || !fill_values(t, command + 1, count)) {
            return false;
        }
    }
    micai_fast_append_pending(world, t->target, command->entity);
    return true;
}

// Runs a plain command that is not a spawn. An error means that nothing has happened:
// MICA_ERROR_MEMORY, which is reported, or any other error if the fast path does not apply.
static inline mica_result replay_fast(const micai_replay *run, micai_command *command)
{
    mica_world *world = run->world;
    micai_record *record = micai_slots_find(&world->state->slots, command->entity);
    if (!record) {
        return MICA_ERROR_ENTITY;
    }
    mica_result result;
    if (command->verb == MICAI_REMOVE) {
        result = micai_remove_known(world, command->entity, record, command->type);
    } else if (command->verb == MICAI_DESPAWN) {
        result = mica_despawn(world, command->entity);
    } else {
        const void *data = command->verb == MICAI_SET ? micai_command_value(command) : NULL;
        result = micai_set_known(world, command->entity, record, command->type, data);
    }
    return result == MICA_ERROR_MEMORY ? result : MICA_OK;
}

// Runs as many commands as the fast path can, from `place` on. Returns the place of the first one
// left.
MICAI_NOINLINE static uint32_t replay_all_fast(const micai_replay *run, uint32_t place,
                                               uint32_t end, mica_result *result)
{
    uint64_t done = 0;
    uint32_t before = place - 1;
    mica_result one = MICA_OK;
    while (!one && place < end && place != before) { // while there is progress
        before = place;
        const uint32_t stop = end_of_block(end, place);
        micai_command *command = micai_command_at(run->buffer, place);
        for (; place < stop && command->plain && is_single(command); place++, command++) {
            run->buffer->first = place; // for handlers: all before it is done
            one = replay_fast(run, command);
            if (one) {
                break;
            }
        }
        done += place - before;
        while (place < stop && command->plain && command->verb == MICAI_SPAWN &&
               spawn_fast(run, place, command)) {
            place += 1 + command->data.value_count;
            command += 1 + command->data.value_count;
            done++;
        }
    }
    run->world->state->replayed += done;
    *result = one == MICA_ERROR_MEMORY ? one : MICA_OK;
    return place;
}

// Replays a batch. `first` follows, so that no command runs twice.
static mica_result replay_batch(const micai_replay *run)
{
    micai_buffer *buffer = run->buffer;
    uint32_t end = 0;
    mica_result result = link(run, &end);
    while (!result && buffer->first < end) {
        uint32_t place = buffer->first = replay_all_fast(run, buffer->first, end, &result);
        if (result || place == end) {
            break;
        }
        const micai_command *command = micai_command_at(buffer, place);
        uint32_t value_count = micai_command_value_count(command);
        if (command->verb == MICAI_SEND) {
            result = replay_send(run, place);
        } else if (command->verb != MICAI_DONE && !command->linked) {
            result = command->next == MICAI_COMMAND_NONE ? micai_replay_one(run, place)
                                                         : micai_replay_chain(run, place);
        }
        buffer->first += result ? 0 : 1 + value_count;
    }
    if (result) {
        unlink_all(run, end);
    }
    return result;
}

static mica_result replay_next(const micai_replay *run)
{
    uint32_t place = run->buffer->first;
    const micai_command *command = micai_command_at(run->buffer, place);
    uint32_t value_count = micai_command_value_count(command);
    mica_result result;
    switch (command->verb) {
    case MICAI_NAME: result = replay_name(run, place); break;
    case MICAI_LINK:
    case MICAI_LINK_BEFORE:
    case MICAI_UNLINK: result = replay_link(run, place); break;
    case MICAI_CLONE: result = replay_clone(run, place); break;
    case MICAI_EXTEND: result = replay_facet(run, place); break;
    case MICAI_CALL: return replay_call(run, place);
    default: return replay_batch(run);
    }
    run->buffer->first += result ? 0 : 1 + value_count;
    return result;
}

// Ends a replay whose commands keep recording others. Drops the commands that still wait.
static mica_result drop_endless(const micai_replay *run)
{
    uint32_t waiting = mica_commands_count(&run->buffer->face);
    micai_host_begin(&run->world->host, run->call);
    micai_buffer_drop(run->buffer);
    micai_host_end(&run->world->host);
    waiting -= mica_commands_count(&run->buffer->face); // those aside still wait
    run->world->state->dropped += waiting;
    return micai_fail(&run->world->host, MICA_ERROR_LIMIT,
                      "%s: commands have recorded further ones %d times in a row; those that wait "
                      "(%" PRIu32 ") are dropped",
                      run->call, MICA_COMMAND_ROUNDS, waiting);
}

// Replays all commands of a buffer, including those recorded meanwhile.
static mica_result replay_buffer(const micai_replay *run, uint32_t *rounds)
{
    micai_buffer *buffer = run->buffer;
    uint32_t end = buffer->count; // the round ends here
    mica_result result = MICA_OK;
    run->commands->replayed = buffer;
    while (!result && buffer->first < buffer->count) {
        if (buffer->first >= end) {
            end = buffer->count;
            if (++*rounds >= MICA_COMMAND_ROUNDS) {
                return drop_endless(run);
            }
        }
        result = replay_next(run);
    }
    if (!result) {
        micai_buffer_reset(buffer);
    }
    return result;
}

mica_result micai_commands_replay(mica_world *world, micai_commands *commands, micai_buffer *buffer,
                                  const char *call)
{
    micai_replay run = {world, commands, buffer, call};
    uint32_t rounds = 0;
    uint64_t before = world->state->replayed;
    uint64_t began = micai_trace_begin(world, MICA_TRACE_COMMANDS, "commands");
    world->state->replaying = true;
    mica_result result = replay_buffer(&run, &rounds);
    if (!result && buffer != commands->later && world->state->waiting) {
        run.buffer = commands->later;
        result = replay_buffer(&run, &rounds);
    }
    world->state->replaying = false;
    uint64_t done = world->state->replayed - before;
    micai_host_begin(&world->host, call);
    micai_store_compact_rings(&world->state->store,
                              done < UINT32_MAX ? (uint32_t)done : UINT32_MAX);
    micai_host_end(&world->host);
    micai_trace_end(world, MICA_TRACE_COMMANDS, "commands", began, done, 0);
    return result;
}

mica_result micai_commands_replay_from(mica_world *world, const char *call, uint32_t place)
{
    micai_commands *commands = micai_commands_of(world);
    micai_buffer *buffer = commands->later;
    if (world->busy != 0 || world->state->replaying || place >= buffer->count) {
        return MICA_OK;
    }
    if (place > buffer->first && !MICAI_CANARY("command.all_that_wait")) {
        buffer->aside = buffer->first;
        buffer->aside_end = place;
        buffer->first = place;
    }
    mica_result result = micai_commands_replay(world, commands, buffer, call);
    if (buffer->aside != MICAI_COMMAND_NONE) { // some could not be applied, and wait, too
        buffer->first = buffer->aside;
        buffer->aside = MICAI_COMMAND_NONE;
    }
    return result;
}
