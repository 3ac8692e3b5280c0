// Systems, phases, steps and frame memory, with the k-th allocation refused, for all k.
#include <mica.h>

#include <string.h>

#include "oom/sites.h"
#include "runner/test.h"
#include "runner/world.h"

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type place, score, hit;
    mica_query all;
    mica_phase fixed;
    mica_system first;
    uint32_t number; // of what is added next
    uint32_t calls;  // of functions of systems
    uint64_t refused;
} scene;

static void begin(scene *s)
{
    memset(s, 0, sizeof *s);
    test_world_prepare(&s->t);
    sites_watch(&s->t);
    s->world = test_world_open(&s->t);
    s->place =
        mica_type_register(s->world, &(mica_type_desc){.name = "Place", .size = 8, .align = 4});
    s->score =
        mica_type_register(s->world, &(mica_type_desc){.name = "Score", .size = 8, .align = 4});
    s->hit = mica_type_register(s->world, &(mica_type_desc){.name = "Hit", .size = 8, .align = 4});
    s->all = mica_query_new(s->world, &(mica_query_desc){.everything = true});
}

static void end(scene *s)
{
    test_world_end(&s->t);
}

// The call, with ever later allocations refused, until it needs fewer. What fails changes nothing, unless
// it had begun: a step.
static void try_all(scene *s, bool (*call)(scene *s), bool partly)
{
    for (uint64_t k = 1;; k++) {
        uint64_t digest = mica_world_digest(s->world);
        mica_world_stats before = mica_world_get_stats(s->world);
        test_memory_fail_at(&s->t.memory, k, TEST_MEMORY_ONCE);
        bool succeeded = call(s);
        uint64_t refusals = s->t.memory.refusals;
        test_memory_fail_at(&s->t.memory, 0, TEST_MEMORY_ONCE);
        s->refused += refusals;
        if (refusals == 0) {
            CHECK(succeeded);
            return;
        }
        if (succeeded && partly && s->t.error.calls == 0) {
            continue; // it was for what is not needed
        }
        CHECK(!succeeded);
        CHECK_EQUAL(MICA_ERROR_MEMORY, s->t.error.last.code);
        CHECK(test_error_names_call(&s->t.error));
        CHECK(test_error_clear(&s->t.error) == 1 || partly);
        CHECK(partly || digest == mica_world_digest(s->world));
        CHECK(partly || before.queries == mica_world_get_stats(s->world).queries);
        CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
    }
}

static const char *next_name(scene *s)
{
    static char name[8];
    memcpy(name, "name AA", 8);
    name[5] = (char)('A' + (int)(s->number / 26));
    name[6] = (char)('A' + (int)(s->number % 26));
    return name;
}

static bool add_phase(scene *s)
{
    mica_phase added =
        mica_phase_add(s->world, &(mica_phase_desc){.name = next_name(s),
                                                    .fixed_dt = 0.25,
                                                    .before = mica_phase_find(s->world, "update")});
    s->fixed = MICA_IS_NONE(added) ? s->fixed : added;
    s->number += !MICA_IS_NONE(added);
    return !MICA_IS_NONE(added);
}

// Each function of a system takes what it can get.
static void act(const mica_iter *it)
{
    scene *s = it->user;
    s->calls++;
    mica_iter own;
    mica_iter_begin(it->world, s->all, &own);
    mica_iter_end(&own);
    (void)mica_frame_alloc(it->world, 1, 3000, 16);
    if (mica_entity_count(it->world) < 100) { // small pages make many segments, and so many calls
        (void)mica_spawn(mica_later(it), MICA_ADD(s->place));
    }
    (void)mica_resource_set(it->world, MICA_ADD(s->score));
    (void)mica_send(it->world, MICA_ADD(s->hit));
}

static bool when(const mica_iter *it)
{
    act(it);
    return true;
}

static void update(mica_iter *it)
{
    act(it);
}

static mica_system add(scene *s, bool rows)
{
    mica_system_desc desc = {.name = next_name(s),
                             .user = s,
                             .update = update,
                             .begin = update,
                             .end = update,
                             .when = when,
                             .queries = {s->all},
                             .resources = {{s->score, MICA_WRITE}},
                             .events = {{s->hit, MICA_READ}, {s->hit, MICA_WRITE}},
                             .phase = rows ? (mica_phase){0} : s->fixed,
                             .before = {s->first}};
    if (rows) {
        desc.query.terms[0] = (mica_term){s->place, MICA_WRITE};
    }
    mica_system added = mica_system_add(s->world, &desc);
    s->number += !MICA_IS_NONE(added);
    return added;
}

static bool add_system(scene *s)
{
    return !MICA_IS_NONE(add(s, true));
}

static bool add_rowless(scene *s)
{
    return !MICA_IS_NONE(add(s, false));
}

static bool switch_timing(scene *s)
{
    return mica_world_set_timing(s->world, true) == MICA_OK;
}

static bool take(scene *s)
{
    return mica_frame_alloc(s->world, 1000, 8, 64) != NULL;
}

static bool take_more(scene *s)
{
    mica_allocator frame = mica_frame_allocator(s->world);
    char *first = frame.resize(frame.user, NULL, 0, 8000, 64);
    if (first) {
        first[7999] = 9;
        char *second = frame.resize(frame.user, first, 8000, 80000, 64);
        CHECK_EQUAL(9, second ? second[7999] : first[7999]);
        return second != NULL;
    }
    return false;
}

static bool move_phase(scene *s)
{
    return mica_phase_move(s->world, s->fixed, mica_phase_find(s->world, "update")) == MICA_OK;
}

static bool remove_first_phase(scene *s)
{
    return mica_phase_remove(s->world, mica_phase_find(s->world, "update")) != MICA_ERROR_MEMORY;
}

static bool step(scene *s)
{
    return mica_step(s->world, 0.5) == MICA_OK && s->t.error.calls == 0;
}

static bool run(scene *s)
{
    return mica_systems_run(s->world, &s->first, 1, 0.5) == MICA_OK && s->t.error.calls == 0;
}

static bool run_first_phase(scene *s)
{
    mica_phase update = mica_phase_find(s->world, "update");
    return mica_phases_run(s->world, &update, 1, 0.5) == MICA_OK && s->t.error.calls == 0;
}

// Each of these may be the first that needs the room.
static void what_comes_first_survives_every_refusal(void)
{
    bool (*const calls[])(scene *) = {add_phase, add_system,         switch_timing,  take,
                                      take_more, remove_first_phase, run_first_phase};
    for (uint32_t i = 0; i < 7; i++) {
        static scene s;
        begin(&s);
        try_all(&s, calls[i], false);
        CHECK(s.refused > 0);
        test_error_clear(&s.t.error); // the first phase stays
        end(&s);
    }
}

static void systems_and_phases_survive_every_refusal(void)
{
    static scene s;
    begin(&s);
    s.first = add(&s, true);
    for (uint32_t round = 0; round < 10; round++) {
        try_all(&s, add_phase, false);
        try_all(&s, add_rowless, false);
        try_all(&s, add_system, false);
        try_all(&s, move_phase, false);
    }
    CHECK(s.refused > 40);
    end(&s);
}

static void steps_survive_every_refusal(void)
{
    static scene s;
    begin(&s);
    s.first = add(&s, true);
    mica_spawn(s.world, MICA_ADD(s.place));
    add_phase(&s);
    add_rowless(&s);
    for (uint32_t round = 0; round < 6; round++) {
        try_all(&s, step, true);
        try_all(&s, run, true);
        try_all(&s, run_first_phase, true);
        try_all(&s, take, false);
        try_all(&s, take_more, false);
        if (round == 3) {
            mica_world_clear(s.world);
            mica_world_reclaim(s.world);
        }
    }
    CHECK(s.refused > 10);
    CHECK(s.calls > 100);
    end(&s);
}

TESTS(system, what_comes_first_survives_every_refusal, systems_and_phases_survive_every_refusal,
      steps_survive_every_refusal)
