// Calling hooks. hook.h has the contract.
#include "core/hook.h"

#include <assert.h>
#include <string.h>

#include "base/canary.h"

// The call of a hook that is in progress.
typedef struct hook_call {
    mica_hook_context context;
    mica_result failed; // the host's code before the call (B6)
    char why[MICA_HOOK_WHY_SIZE];
} hook_call;

// All faces know the running hook, because a hook may call into any of them.
void micai_hook_name(micai_host *host, const char *name, const char *type)
{
    for (; host; host = host->next) {
        host->hook = name;
        host->hooked = type;
        host->closed += name ? 1 : UINT32_MAX; // -1
    }
}

static void begin_hook(hook_call *now, micai_gate *gate, const char *name,
                       const mica_type_info *info)
{
    micai_host *host = gate->host;
    assert(!host->hook); // B3
    micai_host_begin(host, host->call);
    now->context = (mica_hook_context){
        .type = info, .user = info->user, .allocator = &host->allocator, .why = now->why};
    now->failed = host->failed;
    now->why[0] = '\0';
    micai_hook_name(host, name, info->name);
    gate->hidden = gate->slots->view.page_count;
    gate->slots->view.page_count = 0;
    micai_gate_shut(gate);
}

static void end_hook(const hook_call *now, micai_gate *gate)
{
    micai_gate_open(gate);
    gate->slots->view.page_count = gate->hidden;
    micai_hook_name(gate->host, NULL, NULL);
    if (!MICAI_CANARY("core.failed_in_hook")) {
        gate->host->failed = now->failed;
    }
    micai_host_end(gate->host);
}

// Ends a hook that may have failed. The user's text in `why` may be unterminated.
static mica_result end_fallible_hook(hook_call *now, micai_gate *gate, const char *name,
                                     mica_result result)
{
    end_hook(now, gate);
    if (!result) {
        return MICA_OK;
    }
    now->why[MICA_HOOK_WHY_SIZE - 1] = '\0';
    return micai_fail_within(gate->host, MICA_ERROR_HOOK, "the %s hook of '%s' failed%s%s", name,
                             now->context.type->name, now->why[0] ? ": " : "", now->why);
}

const char micai_hook_wave[5] = "wave";

mica_result micai_hook_refuse(micai_host *host, const char *call)
{
    if (host->hook == micai_hook_wave) {
        return micai_fail(host, MICA_ERROR_ITERATING,
                          "%s: refused while systems run together; use the it->world of each",
                          call);
    }
    return micai_fail(host, MICA_ERROR_HOOK, "%s: refused inside the %s hook of '%s'", call,
                      host->hook, host->hooked);
}

// Copies the value once, then doubles the copied part. That takes few calls of memcpy, and large
// ones.
void micai_hook_repeat(const mica_type_info *info, void *target, const void *value, uint32_t count)
{
    unsigned char *bytes = target;
    size_t total = (size_t)count * info->size;
    size_t done = count > 0 ? info->size : 0;
    memcpy(bytes, value, done);
    while (done < total) {
        size_t more = done < total - done ? done : total - done;
        memcpy(bytes + done, bytes, more);
        done += more;
    }
}

mica_result micai_hook_construct(micai_gate *gate, const micai_type *type, void *target,
                                 uint32_t count)
{
    const mica_type_info *info = &type->info;
    if (info->hooks.construct && count > 0) {
        hook_call now;
        begin_hook(&now, gate, "construct", info);
        mica_result result = info->hooks.construct(target, count, &now.context);
        return end_fallible_hook(&now, gate, "construct", result);
    }
    if (info->default_value) {
        micai_hook_repeat(info, target, info->default_value, count);
    } else {
        memset(target, 0, (size_t)count * info->size);
    }
    return MICA_OK;
}

mica_result micai_hook_copy(micai_gate *gate, const micai_type *type, void *target,
                            const void *source, uint32_t count)
{
    const mica_type_info *info = &type->info;
    if (!micai_hook_can_copy(type)) {
        // Sources that are moved lie in writable memory, so the cast is valid.
        micai_hook_relocate(gate, type, target, (void *)source, count);
        return MICA_OK;
    }
    if (info->hooks.copy && count > 0) {
        hook_call now;
        begin_hook(&now, gate, "copy", info);
        mica_result result = info->hooks.copy(target, source, count, &now.context);
        return end_fallible_hook(&now, gate, "copy", result);
    }
    memcpy(target, source, (size_t)count * info->size);
    return MICA_OK;
}

void micai_hook_undo_copy(micai_gate *gate, const micai_type *type, void *target,
                          const void *source, uint32_t count)
{
    if (micai_hook_can_copy(type)) {
        micai_hook_destruct(gate, type, target, count);
    } else {
        micai_hook_relocate(gate, type, (void *)source, target, count);
    }
}

void micai_hook_relocate(micai_gate *gate, const micai_type *type, void *target, void *source,
                         uint32_t count)
{
    const mica_type_info *info = &type->info;
    if (info->hooks.move && count > 0) {
        hook_call now;
        begin_hook(&now, gate, "move", info);
        info->hooks.move(target, source, count, &now.context);
        end_hook(&now, gate);
    } else {
        memcpy(target, source, (size_t)count * info->size);
    }
}

void micai_hook_destruct(micai_gate *gate, const micai_type *type, void *target, uint32_t count)
{
    const mica_type_info *info = &type->info;
    if (info->hooks.destruct && count > 0) {
        hook_call now;
        begin_hook(&now, gate, "destruct", info);
        info->hooks.destruct(target, count, &now.context);
        end_hook(&now, gate);
    }
}

mica_result micai_hook_save(micai_gate *gate, const micai_type *type, const void *value,
                            mica_put *put, void *out)
{
    hook_call now;
    begin_hook(&now, gate, "save", &type->info);
    mica_result result = type->info.hooks.save(value, put, out, &now.context);
    return end_fallible_hook(&now, gate, "save", result);
}

mica_result micai_hook_load(micai_gate *gate, const micai_type *type, void *target,
                            const void *data, size_t size)
{
    hook_call now;
    begin_hook(&now, gate, "load", &type->info);
    mica_result result = type->info.hooks.load(target, data, size, &now.context);
    return end_fallible_hook(&now, gate, "load", result);
}
