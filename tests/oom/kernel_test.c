// The same as oom_test.c, for everything that moves rows: spawning in all its forms, components,
// bundles, names, queries, iterations, changes by query, systems, pages that are shared. The k-th
// allocation is refused, or the k-th construct or copy hook fails, for all k: the call it happens in
// must fail with MICA_ERROR_MEMORY or MICA_ERROR_HOOK, reported once, and leave hash, digest, names,
// queries and values as they were and the world valid. The same call must then succeed, and all the
// rest end as if nothing had happened, without a leak and with every value ended once.
//
// To add an operation: write a step, and put it into the list `kernel_steps` (kernel_steps.c). What a
// step needs and is not to be failed (types, pages shared with somebody else) is made in begin() or by a
// step that asks for no memory.
#include "oom/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "oom/sites.h"
#include "oom/stride.h"
#include "state/state.h"

// Hooks

static bool is_refused(tally *t)
{
    bool refused = ++t->calls == t->fail_at;
    t->refusals += refused;
    return refused;
}

static mica_result make_handles(void *target, uint32_t count, const mica_hook_context *context)
{
    tally *t = context->user;
    Handle *handles = target;
    if (is_refused(t)) {
        return MICA_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        t->wrong += context->type->hooks.move && handles[i].magic == MAGIC;
        handles[i] = (Handle){MAGIC, -1};
    }
    t->alive += count;
    return MICA_OK;
}

static void end_handles(void *target, uint32_t count, const mica_hook_context *context)
{
    tally *t = context->user;
    Handle *handles = target;
    for (uint32_t i = 0; i < count; i++) {
        t->wrong += handles[i].magic != MAGIC;
        handles[i].magic = 0;
    }
    t->alive -= count;
}

static mica_result copy_handles(void *target, const void *source, uint32_t count,
                                const mica_hook_context *context)
{
    tally *t = context->user;
    Handle *to = target;
    const Handle *from = source;
    if (is_refused(t)) {
        return MICA_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        t->wrong += from[i].magic != MAGIC;
        to[i] = from[i];
    }
    t->alive += count;
    return MICA_OK;
}

static void move_handles(void *target, void *source, uint32_t count,
                         const mica_hook_context *context)
{
    tally *t = context->user;
    Handle *to = target;
    Handle *from = source;
    for (uint32_t i = 0; i < count; i++) {
        t->wrong += from[i].magic != MAGIC;
        to[i] = from[i];
        from[i].magic = 0;
    }
}

// What can be seen of the world, by means that give the same number in every run.
static uint64_t fingerprint(scenario *s)
{
    uint64_t hash = micai_hash_add(mica_world_hash(s->world), mica_world_digest(s->world));
    hash = micai_hash_add(hash, (uint64_t)s->tally.alive);
    hash = micai_hash_add(hash, (uint64_t)s->changed << 32 | s->logged);
    hash = micai_hash_add(hash, mica_world_get_stats(s->world).queries);
    hash = micai_hash_add(hash, s->world->state->walks.count);
    for (uint32_t i = 0; i < QUERIES; i++) {
        if (!MICA_IS_NONE(s->queries[i])) {
            hash = micai_hash_add(hash, mica_query_count(s->world, s->queries[i]));
            hash = micai_hash_add(hash, mica_query_first(s->world, s->queries[i]).bits);
        }
    }
    for (uint32_t i = 0; i < 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "entity %" PRIu32, i);
        hash = micai_hash_add(hash, mica_entity_find(s->world, name).bits);
    }
    hash = micai_hash_add(hash, mica_system_find(s->world, "first").bits != 0);
    hash = micai_hash_add(hash, mica_system_find(s->world, "second").bits != 0);
    return micai_hash_add(hash, mica_system_find(s->world, "third").bits != 0);
}

static void count_log(mica_world *world, mica_log_level level, const char *sentence, void *user)
{
    (void)level;
    (void)sentence;
    test_look(world);
    ((scenario *)user)->logged++;
}

// Of the present run: all types are in tables, or all but two in rings (tags cannot be), or sparse, some of them stable.
static mica_storage storage;

static mica_type add_type(scenario *s, bool stable, mica_type_desc desc)
{
    desc.storage = desc.size == 0 && storage == MICA_RING ? MICA_TABLE : storage;
    desc.stable = storage == MICA_SPARSE && stable;
    desc.row_stamps = desc.size > 0 && !stable;
    return mica_type_register(s->world, &desc);
}

static mica_type_desc describe_handle(scenario *s, const char *name, bool has_move)
{
    return (mica_type_desc){.name = name,
                            .size = sizeof(Handle),
                            .align = _Alignof(Handle),
                            .hooks = {.construct = make_handles,
                                      .destruct = end_handles,
                                      .copy = copy_handles,
                                      .move = has_move ? move_handles : NULL},
                            .user = &s->tally};
}

static void begin(scenario *s)
{
    memset(s, 0, sizeof *s);
    test_world_prepare(&s->t);
    sites_watch(&s->t);
    s->t.desc.log_handler = count_log;
    s->t.desc.log_user = s;
    s->world = test_world_open(&s->t);
    s->position = MICA_REGISTER(s->world, Position, x, y);
    s->weight = add_type(
        s, false,
        (mica_type_desc){.name = "Weight", .size = 4, .align = 4, .default_value = &(int32_t){5}});
    s->handle = add_type(s, true, describe_handle(s, "Handle", false));
    s->mover = add_type(s, false, describe_handle(s, "Mover", true));
    s->tag = add_type(s, false, (mica_type_desc){.name = "Tag"});
    for (uint32_t i = 0; i < FILLERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "Filler%" PRIu32, i);
        mica_type_register(s->world, &(mica_type_desc){.name = name});
    }
    s->far_weight = add_type(s, true, (mica_type_desc){.name = "FarWeight", .size = 4, .align = 4});
    const mica_type_desc far_handle = describe_handle(s, "FarHandle", false);
    s->far_handle = mica_type_register(s->world, &far_handle);
    s->far_tag = add_type(s, false, (mica_type_desc){.name = "FarTag"});
    REQUIRE(!MICA_IS_NONE(s->far_tag));
    s->tally.calls = 0;
}

static void end(scenario *s)
{
    kernel_close_iterations(s, 0);
    test_world_end(&s->t);
    REQUIRE_EQUAL(0, s->tally.alive);
    REQUIRE_EQUAL(0, s->tally.wrong);
}

// Each call that succeeds ends a tick, so that a stamp set by a failed call is a new one.
static bool run_step(scenario *s, const kernel_step *at, uint32_t i)
{
    bool worked = at->run(s, i);
    if (worked && !at->within_tick) {
        micai_world_advance(s->world);
    }
    return worked;
}

// The run in which nothing fails: what the world looks like before each call, and at the end.
typedef struct reference {
    uint64_t before[CALLS_MAX + 1];
    uint32_t calls;
    uint64_t allocations; // by the steps
    uint64_t hooks;
} reference;

static void run_undisturbed(reference *expected)
{
    static scenario s;
    begin(&s);
    *expected = (reference){0};
    for (uint32_t n = 0; n < kernel_step_count; n++) {
        for (uint32_t i = 0; i < kernel_steps[n].times; i++) {
            REQUIRE(expected->calls < CALLS_MAX);
            expected->before[expected->calls++] = fingerprint(&s);
            uint64_t allocations = s.t.memory.allocations;
            bool worked = run_step(&s, &kernel_steps[n], kernel_steps[n].first + i);
            expected->allocations += s.t.memory.allocations - allocations;
            if (!worked || mica_world_validate(s.world)) {
                test_fail(__FILE__, __LINE__, "step %s(%" PRIu32 ") fails: %s",
                          kernel_steps[n].name, i, s.t.error.last.sentence);
                test_leave();
            }
        }
    }
    expected->before[expected->calls] = fingerprint(&s);
    expected->hooks = s.tally.calls;
    CHECK_EQUAL(0, s.t.error.calls);
    end(&s);
}

typedef enum failure { MEMORY_ONCE, MEMORY_ONWARDS, HOOK } failure;

static void set_failure(scenario *s, failure kind, uint64_t which)
{
    if (kind == HOOK) {
        s->tally.fail_at = which;
    } else {
        test_memory_fail_at(&s->t.memory, which,
                            kind == MEMORY_ONCE ? TEST_MEMORY_ONCE : TEST_MEMORY_ONWARDS);
    }
}

static bool has_failed(const scenario *s, failure kind)
{
    return kind == HOOK ? s->tally.refusals > 0 : s->t.memory.refusals > 0;
}

// Something failed in this call.
static void check_failed_call(scenario *s, failure kind, const kernel_step *at, uint32_t i,
                              uint64_t which, bool worked, const reference *expected, uint32_t call)
{
    set_failure(s, kind, 0); // looking at the world may need memory too
    mica_result code = kind == HOOK ? MICA_ERROR_HOOK : MICA_ERROR_MEMORY;
    if (worked && kind != HOOK && s->t.error.calls == 0 &&
        fingerprint(s) == expected->before[call + 1]) {
        return; // it was for what is not needed
    }
    const char *wrong = NULL;
    if (worked) {
        wrong = "succeeded nevertheless";
    } else if (s->t.error.calls != 1 || s->t.error.last.code != code) {
        wrong = "did not report the failure, and that once";
    } else if (!test_error_names_call(&s->t.error)) {
        wrong = "does not say which call has failed";
    } else if (mica_last_error(s->world)->code != code) {
        wrong = "is not the last error";
    } else if (mica_world_validate(s->world)) {
        wrong = "left the world invalid";
    } else if (fingerprint(s) != expected->before[call]) {
        wrong = "left the world changed";
    }
    if (!wrong) {
        test_error_clear(&s->t.error);
        if (!run_step(s, at, i)) {
            wrong = "failed again";
        } else if (fingerprint(s) != expected->before[call + 1]) {
            wrong = "came to another result";
        }
    }
    if (wrong) {
        test_fail(__FILE__, __LINE__, "failure %" PRIu64 ", %s(%" PRIu32 ") %s: %s", which,
                  at->name, i, wrong, s->t.error.last.sentence);
        test_leave();
    }
}

static void run_with_failure(const reference *expected, failure kind, uint64_t which)
{
    static scenario s;
    begin(&s);
    set_failure(&s, kind, which);
    uint32_t call = 0;
    bool failed = false;
    for (uint32_t n = 0; n < kernel_step_count; n++) {
        for (uint32_t i = 0; i < kernel_steps[n].times; i++, call++) {
            bool worked = run_step(&s, &kernel_steps[n], kernel_steps[n].first + i);
            if (!failed && has_failed(&s, kind)) {
                failed = true;
                check_failed_call(&s, kind, &kernel_steps[n], kernel_steps[n].first + i, which,
                                  worked, expected, call);
            } else {
                REQUIRE(worked);
            }
        }
    }
    REQUIRE(failed);
    REQUIRE_EQUAL(expected->before[expected->calls], fingerprint(&s));
    end(&s);
}

static void sweep(failure kind, const char *what)
{
    static const mica_storage storages[] = {MICA_SPARSE, MICA_TABLE, MICA_RING};
    for (uint32_t n = 0; n < (kind == HOOK ? 3 : 2); n++) {
        storage = storages[n];
        static reference expected;
        run_undisturbed(&expected);
        uint64_t count = kind == HOOK ? expected.hooks : expected.allocations;
        REQUIRE(count > 100);
        for (uint64_t which = oom_first(); which <= count; which += oom_stride()) {
            run_with_failure(&expected, kind, which);
        }
        printf("oom: %" PRIu64 " %s in %" PRIu32 " calls of the kernel%s\n", count, what,
               expected.calls,
               n < 1   ? ", with sparse types"
               : n > 1 ? ", with rings"
                       : "");
    }
}

static void the_kernels_scenario_runs_alike_each_time(void)
{
    static reference first;
    static reference second;
    run_undisturbed(&first);
    run_undisturbed(&second);
    CHECK_EQUAL(first.allocations, second.allocations);
    CHECK_EQUAL(first.hooks, second.hooks);
    CHECK_BYTES(first.before, second.before, (first.calls + 1) * sizeof first.before[0]);
}

static void s0_8_one_refused_allocation_undoes_the_whole_call(void)
{
    sweep(MEMORY_ONCE, "allocations, each refused once,");
}

static void s0_8_running_out_of_memory_undoes_the_whole_call(void)
{
    sweep(MEMORY_ONWARDS, "allocations, each refused with all that follow,");
}

static void one_failed_hook_undoes_the_whole_call(void)
{
    sweep(HOOK, "construct and copy hooks, each failed once,");
}

TESTS(kernel, the_kernels_scenario_runs_alike_each_time,
      s0_8_one_refused_allocation_undoes_the_whole_call,
      s0_8_running_out_of_memory_undoes_the_whole_call, one_failed_hook_undoes_the_whole_call)
