// Buffers of commands: create, empty, free, validate. Also all public functions of commands that do
// not record.
#include "command/command.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "entity/bundle.h"
#include "entity/facet.h"

#define FACE_ALIGN 64 // a cache line, as for all faces

// Destroying

void micai_command_destroy_value(micai_buffer *buffer, micai_command *command)
{
    micai_gate *gate = &buffer->face.state->gate;
    if (command->verb == MICAI_SET && command->type->info.hooks.destruct) {
        micai_hook_destruct(gate, command->type, micai_command_value(command), 1);
    } else if (command->verb == MICAI_SEND && command->type->info.hooks.destruct) {
        const micai_send_data *sending = command->data.pointer;
        if (sending->values) {
            micai_hook_destruct(gate, command->type, sending->values, sending->count);
        }
    }
}

void micai_buffer_reset(micai_buffer *buffer)
{
    if (buffer->aside != MICAI_COMMAND_NONE) {
        buffer->first = buffer->aside;
        buffer->count = buffer->aside_end;
        buffer->aside = MICAI_COMMAND_NONE;
        return;
    }
    buffer->first = buffer->count = 0;
    micai_arena_reset(&buffer->arena);
    if (!buffer->own) {
        buffer->face.state->waiting = false;
    }
}

void micai_buffer_drop_some(mica_world *world, micai_buffer *buffer, uint32_t first, uint32_t end)
{
    micai_state *state = world->state;
    for (uint32_t i = first; i < end; i++) {
        micai_command *command = micai_command_at(buffer, i);
        micai_command_destroy_value(buffer, command);
        if (micai_command_creates_entity(command)) {
            micai_slots_discard(state->host, &state->slots, command->entity);
        }
    }
}

void micai_buffer_drop(micai_buffer *buffer)
{
    micai_buffer_drop_some(&buffer->face, buffer, buffer->first, buffer->count);
    micai_buffer_reset(buffer);
}

void micai_buffer_forget(micai_buffer *buffer)
{
    buffer->first = buffer->count = 0;
}

// Frees all memory of an empty buffer except the buffer itself.
static void free_blocks(micai_host *host, micai_buffer *buffer)
{
    for (uint32_t i = 0; i < buffer->blocks.count; i++) {
        micai_release(host, buffer->blocks.items[i], MICAI_COMMAND_BLOCK * sizeof(micai_command),
                      MICAI_COMMAND_ALIGN);
    }
    micai_array_free(host, &buffer->blocks);
    micai_arena_free(host, &buffer->arena);
}

static void drop_commands(mica_world *world, const char *call, micai_buffer *buffer)
{
    micai_host_begin(&world->host, call);
    micai_buffer_drop(buffer);
    micai_host_end(&world->host);
}

static void release(mica_world *world, micai_buffer *buffer)
{
    free_blocks(&world->host, buffer);
    micai_release(&world->host, buffer, sizeof *buffer, FACE_ALIGN);
}

static void free_buffer(mica_world *world, micai_buffer *buffer)
{
    micai_buffer_drop(buffer);
    micai_face_close(&buffer->face);
    release(world, buffer);
}

// Plain commands

// Returns true if `value_count` commands, the values of a spawn, are recorded and all plain.
static bool are_plain(const micai_buffer *buffer, uint32_t place, uint32_t value_count)
{
    bool plain = value_count <= buffer->count - place;
    for (uint32_t i = 0; plain && i < value_count; i++) {
        plain = micai_command_at(buffer, place + i)->plain;
    }
    return plain;
}

bool micai_command_is_plain(const micai_buffer *buffer, uint32_t place)
{
    const micai_command *command = micai_command_at(buffer, place);
    switch (command->verb) {
    case MICAI_ADD:
    case MICAI_REMOVE:
    case MICAI_DESPAWN: return true;
    case MICAI_SET: return !command->type->info.hooks.destruct;
    case MICAI_SPAWN: return are_plain(buffer, place + 1, command->data.value_count);
    default: return false;
    }
}

// The module

static void destroy_values(mica_world *world, void *data)
{
    (void)world;
    const micai_commands *commands = data;
    for (uint32_t i = 0; i < commands->list.count; i++) {
        micai_buffer_drop(commands->list.items[i]);
    }
}

static void close_module(mica_world *world, void *data)
{
    micai_commands *commands = data;
    micai_host *host = &world->host;
    for (uint32_t i = 0; i < commands->list.count; i++) {
        free_buffer(world, commands->list.items[i]);
    }
    micai_array_free(host, &commands->list);
    micai_marks_free(host, &commands->marks);
    micai_release(host, commands, sizeof *commands, _Alignof(micai_commands));
}

// Frees the memory of empty buffers. Skipped during replay: a command may be running a function
// whose data is in a buffer.
static void reclaim_module(mica_world *world, void *data)
{
    micai_commands *commands = data;
    bool idle = !world->state->replaying;
    for (uint32_t i = 0; idle && i < commands->list.count; i++) {
        micai_buffer *buffer = commands->list.items[i];
        if (buffer->count == 0) {
            free_blocks(&world->host, buffer);
            micai_arena_free(&world->host, &buffer->face.scratch);
        }
    }
    if (idle) {
        micai_marks_free(&world->host, &commands->marks); // nothing is linked now
    }
}

static mica_result replay_module(mica_world *world, void *data, const char *call)
{
    micai_commands *commands = data;
    return world->state->replaying ? MICA_OK
                                   : micai_commands_replay(world, commands, commands->later, call);
}

// Validation

// Checks N1 of a send.
static bool is_sending_right(const micai_send_data *sending, const micai_type *type)
{
    return type->info.size > 0 &&
           (sending->values ? sending->count > 0 && sending->count <= SIZE_MAX / type->info.size
                            : sending->count == 1);
}

// Checks N1 of a command that has a type.
static bool is_typed_command_right(const micai_buffer *buffer, const micai_command *command)
{
    const micai_type *type = command->type;
    if (!micai_registry_contains(&buffer->face.state->registry, type)) {
        return false;
    }
    switch (command->verb) {
    case MICAI_ADD:
    case MICAI_REMOVE:
    case MICAI_SET: return true;
    case MICAI_ENABLE:
    case MICAI_DISABLE: return type->info.toggle;
    case MICAI_SEND: return is_sending_right(command->data.pointer, type);
    case MICAI_LINK:
    case MICAI_LINK_BEFORE:
    case MICAI_UNLINK: return type->relation != NULL;
    default: return false;
    }
}

// Checks N1 of a facet that is not created yet.
static bool is_facet_right(const micai_buffer *buffer, const micai_facet_data *facet)
{
    return facet->component == MICAI_FACET_NONE ||
           facet->component < buffer->face.state->registry.list.count;
}

// Checks N1 of a command. With `is_value`, the command is a value of the spawn before it.
static bool is_command_right(const micai_buffer *buffer, const micai_command *command,
                             bool is_value)
{
    bool no_entity = is_value || command->verb == MICAI_CALL || command->verb == MICAI_SEND;
    if (command->verb == MICAI_DONE) {
        return !is_value && MICA_IS_NONE(command->entity);
    }
    if (MICA_IS_NONE(command->entity) != no_entity ||
        (is_value && command->verb != MICAI_ADD && command->verb != MICAI_SET)) {
        return false;
    }
    switch (command->verb) {
    case MICAI_SPAWN:
    case MICAI_DESPAWN:
    case MICAI_CLONE:
    case MICAI_NAME:
    case MICAI_CALL: return !command->type;
    case MICAI_EXTEND: return !command->type && is_facet_right(buffer, command->data.pointer);
    default: return is_typed_command_right(buffer, command);
    }
}

// Checks the links of N1 for a command that is otherwise valid. Handlers may validate the world
// during replay.
static bool is_linked_right(const micai_buffer *buffer, uint32_t place)
{
    const micai_command *command = micai_command_at(buffer, place);
    bool alone = !command->linked && command->next == MICAI_COMMAND_NONE;
    return command->verb == MICAI_DONE ||
           (alone ? command->plain == micai_command_is_plain(buffer, place)
                  : buffer->face.state->replaying);
}

// Returns true if the command is being replayed and has spawned its entity, and observers are being
// notified of that.
static bool is_being_spawned(const micai_buffer *buffer, const micai_command *command)
{
    const micai_state *state = buffer->face.state;
    return state->replaying && state->notifying > 0 &&
           micai_slots_find(&state->slots, command->entity);
}

static mica_result validate_commands(micai_host *host, const micai_buffer *buffer, uint32_t first,
                                     uint32_t end, uint64_t *pending)
{
    const micai_slots *slots = &buffer->face.state->slots;
    uint32_t values_left = 0; // values of the last command that are still expected
    for (uint32_t i = first; i < end; i++) {
        const micai_command *command = micai_command_at(buffer, i);
        if (!is_command_right(buffer, command, values_left > 0) || !is_linked_right(buffer, i)) {
            return micai_fail_invariant(host, "N1", "command %" PRIu32 " is invalid", i);
        }
        values_left = values_left > 0 ? values_left - 1 : micai_command_value_count(command);
        if (micai_command_creates_entity(command) && !is_being_spawned(buffer, command)) {
            *pending += command->entity.bits;
            if (!micai_slots_is_pending(slots, command->entity)) {
                return micai_fail_invariant(host, "N2", "command %" PRIu32 " has no pending slot",
                                            i);
            }
        }
    }
    return values_left == 0
               ? MICA_OK
               : micai_fail_invariant(host, "N1", "values of the last command are missing");
}

// Checks N4.
static bool is_face_right(mica_world *world, const micai_buffer *buffer)
{
    const mica_world *face = &buffer->face;
    return face->state == world->state && face->busy == 1 && face->recorder == &buffer->recorder &&
           face->view.slots == world->view.slots && face->view.store == world->view.store &&
           face->view.flags == world->view.flags && face->view.tick == world->view.tick &&
           face->view.world == face && face->host.world == face && face->scratch_reserved == 0 &&
           !face->host.hook && !face->host.hooked && micai_host_follows(&face->host, &world->host);
}

// Checks N4: as many hosts follow the world's as there are buffers, linked both ways.
static bool are_followers(const mica_world *world, const micai_commands *commands)
{
    const micai_host *host = &world->host;
    uint32_t count = 0;
    while (host->next && host->next->previous == host && count < commands->list.count) {
        host = host->next;
        count++;
    }
    return !host->next && count == commands->list.count && !world->host.previous;
}

static mica_result validate_buffer(mica_world *world, const micai_buffer *buffer, uint64_t *pending)
{
    micai_host *host = &world->host;
    if (!is_face_right(world, buffer)) {
        return micai_fail_invariant(host, "N4", "a recording face does not match its world");
    }
    mica_result result = micai_array_validate(host, &buffer->blocks, "blocks of commands");
    result = result ? result : micai_arena_validate(host, &buffer->arena);
    result = result ? result : micai_arena_validate(host, &buffer->face.scratch);
    bool right = buffer->first <= buffer->count &&
                 (buffer->aside == MICAI_COMMAND_NONE ||
                  (buffer->aside < buffer->aside_end && buffer->aside_end <= buffer->first)) &&
                 buffer->count <= (uint64_t)buffer->blocks.count * MICAI_COMMAND_BLOCK;
    if (!result && !right) {
        return micai_fail_invariant(host, "N1", "a buffer has more commands than space");
    }
    if (!result && buffer->aside != MICAI_COMMAND_NONE) {
        result = validate_commands(host, buffer, buffer->aside, buffer->aside_end, pending);
    }
    return result ? result : validate_commands(host, buffer, buffer->first, buffer->count, pending);
}

mica_result micai_commands_validate(mica_world *world, const void *data)
{
    const micai_commands *commands = data;
    micai_host *host = &world->host;
    const micai_state *state = world->state;
    mica_result result = micai_array_validate(host, &commands->list, "buffers of commands");
    bool found = !commands->later;
    uint64_t pending = 0; // the sum of the handles
    for (uint32_t i = 0; !result && i < commands->list.count; i++) {
        const micai_buffer *buffer = commands->list.items[i];
        result = validate_buffer(world, buffer, &pending);
        found = found || buffer == commands->later;
        if (!result && buffer->place != i) {
            result = micai_fail_invariant(host, "N4", "a buffer has the wrong place");
        }
        if (!result && buffer->own == (buffer == commands->later)) {
            result = micai_fail_invariant(host, "N3", "the owner of a buffer is wrong");
        }
    }
    if (!result && !are_followers(world, commands)) {
        result = micai_fail_invariant(host, "N4", "a recording face is not in the list of hosts");
    }
    result = result ? result : micai_marks_validate(host, &commands->marks);
    if (!result && pending != micai_slots_sum_pending(&state->slots)) {
        result = micai_fail_invariant(host, "N2", "a pending slot belongs to no command");
    }
    bool waits = found && commands->later && commands->later->first < commands->later->count;
    if (!result && (!found || state->waiting != waits)) {
        result = micai_fail_invariant(host, "N3", "the waiting flag is wrong");
    }
    return result;
}

// Creating

static micai_commands *open_module(mica_world *world)
{
    micai_module *module = &world->state->modules[MICAI_MODULE_COMMAND];
    if (!module->data) {
        micai_commands *commands =
            micai_alloc_zeroed(&world->host, sizeof *commands, _Alignof(micai_commands));
        if (commands) {
            *module = (micai_module){.data = commands,
                                     .destroy_values = destroy_values,
                                     .close = close_module,
                                     .replay = replay_module,
                                     .reclaim = reclaim_module};
        }
    }
    return module->data;
}

static micai_buffer *make_buffer(mica_world *world, bool own)
{
    micai_commands *commands = open_module(world);
    if (!commands || !micai_array_reserve(&world->host, &commands->list, 1)) {
        return NULL;
    }
    micai_buffer *buffer = micai_alloc_zeroed(&world->host, sizeof *buffer, FACE_ALIGN);
    if (buffer) {
        buffer->own = own;
        buffer->aside = MICAI_COMMAND_NONE;
        buffer->recorder = micai_recorder_make(world);
        micai_face_open(&buffer->face, world, &buffer->recorder);
        buffer->place = commands->list.count;
        commands->list.items[commands->list.count++] = buffer;
    }
    return buffer;
}

static mica_world *make_later(mica_world *world, const char *call)
{
    if (micai_world_guard_read(world, call)) {
        return NULL;
    }
    micai_host_begin(&world->host, call);
    micai_buffer *buffer = make_buffer(world, false);
    micai_host_end(&world->host);
    if (!buffer) {
        return NULL;
    }
    micai_commands_of(world)->later = buffer;
    return &buffer->face;
}

mica_world *micai_commands_later(mica_world *world, const char *call)
{
    const micai_commands *commands = micai_commands_of(world);
    return commands && commands->later ? &commands->later->face : make_later(world, call);
}

mica_world *mica_world_later(mica_world *world)
{
    static const char call[] = "mica_world_later";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    world = micai_world_main(world);
    return micai_world_guard_read(world, call) ? NULL : micai_commands_later(world, call);
}

mica_world *mica_commands_new(mica_world *world)
{
    static const char call[] = "mica_commands_new";
    if (!world) {
        micai_fail_null(NULL, call, "world");
        return NULL;
    }
    world = micai_world_main(world);
    if (micai_world_guard_edit(world, call)) {
        return NULL;
    }
    micai_buffer *buffer = micai_buffer_new(world, call);
    return buffer ? &buffer->face : NULL;
}

// Makes space for `count` more commands.
static mica_result reserve_blocks(mica_world *world, micai_buffer *buffer, uint32_t count)
{
    micai_host *host = &world->host;
    while (((uint64_t)buffer->blocks.count << MICAI_COMMAND_SHIFT) - buffer->count < count) {
        micai_command *block =
            micai_array_reserve(host, &buffer->blocks, 1)
                ? micai_alloc_array(host, MICAI_COMMAND_BLOCK, sizeof *block, MICAI_COMMAND_ALIGN)
                : NULL;
        if (!block) {
            return MICA_ERROR_MEMORY;
        }
        buffer->blocks.items[buffer->blocks.count++] = block;
    }
    return MICA_OK;
}

mica_result micai_commands_append(mica_world *world, const char *call, const micai_buffer *from,
                                  uint32_t first, uint32_t end)
{
    mica_world *face = micai_commands_later(world, call);
    micai_buffer *to = face ? micai_buffer_of(face) : NULL;
    if (!to || reserve_blocks(world, to, end - first)) {
        return MICA_ERROR_MEMORY;
    }
    while (first < end) {
        uint32_t inside = MICAI_COMMAND_BLOCK - 1;
        uint32_t left = MICAI_COMMAND_BLOCK - (first & inside);
        uint32_t space = MICAI_COMMAND_BLOCK - (to->count & inside);
        uint32_t count = micai_smaller(end - first, micai_smaller(left, space));
        memcpy(micai_command_at(to, to->count), micai_command_at(from, first),
               count * sizeof(micai_command));
        to->count += count;
        first += count;
    }
    micai_buffer_set_first(to, to->first);
    return MICA_OK;
}

// For rooms above

micai_buffer *micai_buffer_new(mica_world *world, const char *call)
{
    micai_host_begin(&world->host, call);
    micai_buffer *buffer = make_buffer(world, true);
    micai_host_end(&world->host);
    return buffer;
}

void micai_buffer_free(mica_world *world, const char *call, micai_buffer *buffer)
{
    drop_commands(world, call, buffer);
    micai_commands *all = micai_commands_of(world);
    micai_buffer *last = all->list.items[--all->list.count];
    all->list.items[buffer->place] = last;
    last->place = buffer->place;
    micai_face_close(&buffer->face);
    release(world, buffer);
}

void micai_buffer_hold(micai_buffer *buffer, const micai_recorder *recorder, const char *what)
{
    buffer->recorder = *recorder;
    buffer->held = what;
}

mica_world *micai_buffer_face(micai_buffer *buffer)
{
    return &buffer->face;
}

uint32_t micai_buffer_first(const micai_buffer *buffer)
{
    return buffer->first;
}

uint32_t micai_buffer_end(const micai_buffer *buffer)
{
    return buffer->count;
}

micai_command_info micai_buffer_read(const micai_buffer *buffer, uint32_t place)
{
    micai_command *command = micai_command_at(buffer, place);
    micai_command_info info = {.verb = (micai_verb)command->verb,
                               .entity = command->entity,
                               .type = command->type,
                               .count = micai_command_value_count(command)};
    if (command->verb == MICAI_SET) {
        info.data = micai_command_value(command);
    } else if (command->verb == MICAI_SEND) {
        const micai_send_data *sending = command->data.pointer;
        info.data = sending->values;
        info.count = sending->count;
    } else if (command->verb == MICAI_NAME) {
        info.data = command->data.pointer;
    } else if (command->verb == MICAI_CLONE) {
        info.other = command->data.source;
    } else if (command->verb >= MICAI_LINK) {
        info.other = command->data.other;
    } else if (command->verb == MICAI_EXTEND) {
        const micai_facet_data *facet = command->data.pointer;
        const micai_registry *registry = &buffer->face.state->registry;
        info.other = facet->owner;
        info.role = facet->role;
        info.type =
            facet->component == MICAI_FACET_NONE ? NULL : registry->list.items[facet->component];
    }
    return info;
}

void micai_buffer_take_back(micai_buffer *buffer)
{
    for (uint32_t i = buffer->count; i-- > buffer->first;) {
        micai_command *command = micai_command_at(buffer, i);
        micai_command_destroy_value(buffer, command);
        if (micai_command_creates_entity(command)) {
            micai_slots_put_back(&buffer->face.state->slots, command->entity);
        }
    }
    micai_buffer_reset(buffer);
}

mica_result micai_buffer_replay(mica_world *world, const char *call, micai_buffer *buffer)
{
    return micai_commands_replay(world, micai_commands_of(world), buffer, call);
}

// Applying and discarding

// Returns the buffer that a face records into, or the world's own. Returns NULL if the world has
// none yet.
static micai_buffer *find_buffer(mica_world *face)
{
    const micai_commands *commands = micai_commands_of(face);
    return face->recorder ? micai_buffer_of(face) : commands ? commands->later : NULL;
}

static mica_result check_held(mica_world *world, const char *call, const micai_buffer *buffer)
{
    return buffer && buffer->held ? micai_fail(&world->host, MICA_ERROR_RECORDING,
                                               "%s: refused for %s", call, buffer->held)
                                  : MICA_OK;
}

mica_result mica_commands_apply(mica_world *commands)
{
    static const char call[] = "mica_commands_apply";
    if (!commands) {
        return micai_fail_null(NULL, call, "commands");
    }
    mica_world *world = micai_world_main(commands);
    mica_result result = micai_world_guard(world, call);
    if (!result && world->state->replaying) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "%s: refused while commands are replayed; commands that they record "
                          "follows in turn",
                          call);
    }
    micai_buffer *buffer = find_buffer(commands);
    result = result ? result : check_held(world, call, buffer);
    return result || !buffer ? result
                             : micai_commands_replay(world, micai_commands_of(world), buffer, call);
}

// Fails if the buffer must not be emptied now.
static mica_result check_idle(mica_world *world, const char *call, const micai_buffer *buffer)
{
    mica_result result = micai_world_guard_edit(world, call);
    result = result ? result : check_held(world, call, buffer);
    if (!result && world->state->replaying && micai_commands_of(world)->replayed == buffer) {
        return micai_fail(&world->host, MICA_ERROR_ITERATING,
                          "%s: refused while these commands are replayed", call);
    }
    return result;
}

mica_result mica_commands_discard(mica_world *commands)
{
    static const char call[] = "mica_commands_discard";
    if (!commands) {
        return micai_fail_null(NULL, call, "commands");
    }
    mica_world *world = micai_world_main(commands);
    micai_buffer *buffer = find_buffer(commands);
    mica_result result = check_idle(world, call, buffer);
    if (!result && buffer) {
        drop_commands(world, call, buffer);
    }
    return result;
}

mica_result mica_commands_free(mica_world *commands)
{
    static const char call[] = "mica_commands_free";
    if (!commands) {
        return MICA_OK;
    }
    mica_world *world = micai_world_main(commands);
    micai_buffer *buffer = find_buffer(commands);
    mica_result result = check_idle(world, call, buffer);
    if (result) {
        return result;
    }
    if (!buffer || !buffer->own) {
        return micai_fail(&world->host, MICA_ERROR_RECORDING,
                          "%s: these commands are the world's own, and are freed with it", call);
    }
    micai_buffer_free(world, call, buffer);
    return MICA_OK;
}

static uint32_t count_range(const micai_buffer *buffer, uint32_t first, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        const micai_command *command = micai_command_at(buffer, i);
        count += command->verb != MICAI_DONE;
        i += micai_command_value_count(command);
    }
    return count;
}

uint32_t mica_commands_count(mica_world *commands)
{
    if (!commands) {
        micai_fail_null(NULL, "mica_commands_count", "commands");
        return 0;
    }
    const micai_buffer *buffer = find_buffer(commands);
    if (!buffer) {
        return 0;
    }
    uint32_t aside = buffer->aside != MICAI_COMMAND_NONE
                         ? count_range(buffer, buffer->aside, buffer->aside_end)
                         : 0;
    return aside + count_range(buffer, buffer->first, buffer->count);
}
