// Several commands of one entity. command.h explains how they are linked.
//
// They are merged first: for each type, will the entity have it at the end, and is the value new? Then
// one change applies the result. Some sequences need more than one change: a component is removed and
// comes back with its default, or enabled again. The chain is split there, and the first half is applied
// before the second.
#include <mica/toggle.h>

#include "base/canary.h"
#include "command/replay_internal.h"
#include "entity/change.h"
#include "entity/data.h"
#include "entity/locate.h"

// The net effect of a chain on one type.
typedef struct net {
    const micai_type *type;
    micai_command *value; // the last value that was set, or NULL
    bool had;             // the entity has it now
    bool has;             // the entity will have it
    bool toggled;
    bool off;
} net;

typedef struct chain {
    mica_entity entity;
    micai_record *record; // NULL: the entity is pending
    net *nets;
    uint32_t count;
    uint32_t end; // the first command of the next change, or MICAI_COMMAND_NONE
} chain;

static net *find_net(const micai_replay *run, chain *all, const micai_type *type)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->nets[i].type == type) {
            return &all->nets[i];
        }
    }
    bool had = all->record && micai_value_has(run->world->state,
                                              (micai_entity_ref){all->entity, all->record}, type);
    net *found = &all->nets[all->count++];
    *found = (net){.type = type, .had = had, .has = had};
    return found;
}

// Toggling an absent component is an error, as outside of commands. It is reported when the change
// has been applied.
static void toggle(micai_command *command, net *one)
{
    command->data.absent = !one->has;
    if (one->has) {
        one->toggled = true;
        one->off = command->verb == MICAI_DISABLE;
    }
}

static void report_absent(const micai_replay *run, const micai_command *command)
{
    char id[MICA_ENTITY_TEXT_SIZE];
    micai_fail(&run->world->host, MICA_ERROR_ARGUMENT, "%s: entity %s has no '%s'",
               command->verb == MICAI_DISABLE ? "mica_disable" : "mica_enable",
               mica_entity_text(command->entity, id), command->type->info.name);
}

// Merges a command into the net effect. Returns false if it must run after the change that was
// merged so far.
static bool merge_command(const micai_replay *run, chain *all, micai_command *command)
{
    net *one = find_net(run, all, command->type);
    bool anew = one->had && !one->has;
    switch (command->verb) {
    case MICAI_ADD:
        if (anew) {
            return false;
        }
        one->has = true;
        break;
    case MICAI_SET:
        if (anew && one->type->info.toggle) {
            return false;
        }
        one->has = true;
        one->value = command;
        break;
    case MICAI_REMOVE:
        one->has = false;
        one->toggled = false;
        if (MICAI_CANARY("command.removed_value")) {
            break;
        }
        one->value = NULL;
        break;
    default: toggle(command, one); break;
    }
    return true;
}

// Merges a value of a spawn. If a spawn has two values of one type, the later one counts, even
// without data.
static void apply_spawn_value(const micai_replay *run, chain *all, micai_command *value)
{
    net *one = find_net(run, all, value->type);
    one->has = true;
    one->value = value->verb == MICAI_SET ? value : NULL;
}

// Merges all commands from `place` up to one that must run later. Returns true if the entity is
// despawned.
static bool merge_chain(const micai_replay *run, chain *all, uint32_t place)
{
    for (all->end = place; all->end != MICAI_COMMAND_NONE;) {
        micai_command *command = micai_command_at(run->buffer, all->end);
        if (command->verb == MICAI_DESPAWN) {
            return true;
        }
        uint32_t value_count = micai_command_value_count(command);
        for (uint32_t i = 1; i <= value_count; i++) {
            apply_spawn_value(run, all, micai_command_at(run->buffer, all->end + i));
        }
        if (command->verb != MICAI_SPAWN && !merge_command(run, all, command)) {
            return false;
        }
        all->end = command->next;
    }
    return false;
}

static bool has_new_value(const net *one)
{
    return one->has && (one->value || !one->had);
}

static const void *data_of(const net *one)
{
    return one->value ? micai_command_value(one->value) : NULL;
}

// Applies the merged commands as one change.
static mica_result apply_change(const micai_replay *run, const chain *all)
{
    micai_change c;
    mica_result result =
        all->record ? micai_change_begin(&c, run->world, run->call, all->entity, all->count)
                    : micai_change_begin_spawn(&c, run->world, run->call, all->count);
    if (!all->record) {
        c.pending = all->entity;
    }
    for (uint32_t i = 0; !result && i < all->count; i++) {
        const net *one = &all->nets[i];
        if (has_new_value(one)) {
            result = micai_change_give(&c, one->type, data_of(one));
        } else if (!one->has && one->had) {
            result = micai_change_remove(&c, one->type->info.type, MICAI_NO_POSITION);
        }
        if (!result && one->toggled) {
            result = micai_change_switch(&c, one->type, one->off);
        }
    }
    return micai_change_finish(&c, result);
}

// The result for a living entity may be nothing at all, or one component added, removed or toggled.
// None of these needs a change.
static mica_result apply_chain(const micai_replay *run, const chain *all)
{
    uint32_t count = 0;
    const net *change = NULL;
    const net *toggle = NULL;
    for (uint32_t i = 0; i < all->count; i++) {
        const net *one = &all->nets[i];
        if (has_new_value(one) || one->has != one->had) {
            change = one;
            count++;
        }
        if (one->toggled) {
            toggle = one;
            count++;
        }
    }
    if (count != 1) {
        return count == 0 ? MICA_OK : apply_change(run, all);
    }
    if (toggle) {
        return (toggle->off ? mica_disable : mica_enable)(run->world, all->entity,
                                                          toggle->type->info.type);
    }
    return change->has ? micai_set_known(run->world, all->entity, all->record, change->type,
                                         data_of(change))
                       : micai_remove_known(run->world, all->entity, all->record, change->type);
}

// Spawns the entity with its net values. The shape may have a transition already.
static mica_result spawn_chain(const micai_replay *run, const chain *all)
{
    mica_value values[MICAI_VALUES_INSIDE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const net *one = &all->nets[i];
        if ((one->has && count == MICAI_VALUES_INSIDE) || (one->toggled && one->off)) {
            return apply_change(run, all);
        }
        if (one->has) {
            const mica_type_info *info = &one->type->info;
            values[count++] = one->value
                                  ? (mica_value){info->type, data_of(one), info->size, 1, NULL}
                                  : (mica_value){.type = info->type};
        }
    }
    return micai_spawn_pending(run->world, all->entity, values, count);
}

// Finishes a merged command and returns the place of the entity's next one.
static uint32_t finish_next(const micai_replay *run, uint32_t place)
{
    const micai_command *command = micai_command_at(run->buffer, place);
    const uint32_t next = command->next;
    bool toggles = command->verb == MICAI_ENABLE || command->verb == MICAI_DISABLE;
    if (toggles && command->data.absent) {
        report_absent(run, command);
    }
    run->world->state->replayed++;
    micai_replay_finish(run, place, false);
    return next;
}

// Finishes the commands of a change, from `place` up to its end. The world took the values that
// cannot be copied.
static void finish_change(const micai_replay *run, const chain *all, uint32_t place)
{
    for (uint32_t i = 0; i < all->count; i++) {
        micai_command *value = all->nets[i].value;
        if (value && !micai_hook_can_copy(value->type)) {
            value->verb = MICAI_ADD;
        }
    }
    while (place != all->end) {
        place = finish_next(run, place);
    }
}

// Despawns the entity. Earlier commands have no effect then, and later ones are dropped.
static mica_result despawn_entity(const micai_replay *run, const chain *all, uint32_t place)
{
    mica_result result = MICA_OK;
    if (all->record) {
        result = mica_despawn(run->world, all->entity);
    } else {
        place = finish_next(run, place); // the spawn
        if (!MICAI_CANARY("command.passed_slot")) {
            micai_replay_return_slot(run, all->entity);
        }
    }
    while (!result && place != all->end) {
        place = finish_next(run, place);
    }
    place = result ? place : finish_next(run, place);
    while (!result && place != MICAI_COMMAND_NONE) {
        uint32_t next = micai_command_at(run->buffer, place)->next;
        micai_replay_drop(run, place);
        place = next;
    }
    return result;
}

// Runs the commands one by one after their change failed: some may succeed.
static mica_result replay_each(const micai_replay *run, uint32_t place, uint32_t end)
{
    mica_result result = MICA_OK;
    while (!result && place != end) {
        uint32_t next = micai_command_at(run->buffer, place)->next;
        result = micai_replay_one(run, place);
        place = next;
    }
    return result;
}

static uint32_t count_types(const micai_replay *run, uint32_t place)
{
    uint32_t count = 0;
    while (place != MICAI_COMMAND_NONE) {
        const micai_command *command = micai_command_at(run->buffer, place);
        count += command->verb == MICAI_SPAWN ? command->data.value_count : 1;
        place = command->next;
    }
    return count;
}

// Applies one change: all commands of the entity from `place` on or, where that is impossible, the
// first of them. Moves `place` to the start of the next change.
static mica_result replay_change(const micai_replay *run, uint32_t *place, net *nets)
{
    const micai_slots *slots = &run->world->state->slots;
    const micai_command *command = micai_command_at(run->buffer, *place);
    chain all = {.entity = command->entity, .nets = nets};
    all.record = micai_slots_find(slots, all.entity);
    if (!all.record && command->verb != MICAI_SPAWN) {
        uint32_t next = command->next;
        micai_replay_drop(run, *place);
        *place = next;
        return MICA_OK;
    }
    mica_result result;
    if (merge_chain(run, &all, *place)) {
        result = despawn_entity(run, &all, *place);
        all.end = MICAI_COMMAND_NONE;
    } else {
        micai_host_begin_try(&run->world->host);
        result = all.record ? apply_chain(run, &all) : spawn_chain(run, &all);
        micai_host_end_try(&run->world->host, result && result != MICA_ERROR_MEMORY);
        if (!result) {
            finish_change(run, &all, *place);
        } else if (result != MICA_ERROR_MEMORY) {
            result = replay_each(run, *place, all.end);
        }
    }
    *place = result ? *place : all.end;
    return result;
}

mica_result micai_replay_chain(const micai_replay *run, uint32_t place)
{
    mica_world *world = run->world;
    net inside[MICAI_VALUES_INSIDE];
    net *nets = inside;
    uint32_t count = count_types(run, place);
    micai_arena_mark mark = micai_arena_get_mark(&world->scratch);
    if (count > MICAI_VALUES_INSIDE) {
        micai_host_begin(&world->host, run->call);
        nets = micai_arena_alloc_array(&world->host, &world->scratch, count, sizeof *nets,
                                       _Alignof(net));
        micai_host_end(&world->host);
    }
    mica_result result = nets ? MICA_OK : MICA_ERROR_MEMORY;
    while (!result && place != MICAI_COMMAND_NONE) {
        result = replay_change(run, &place, nets);
    }
    micai_arena_rewind(&world->scratch, mark);
    return result;
}
