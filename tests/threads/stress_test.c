// Z4 under stress: two worlds do the same for many steps, one on one thread, the other on workers that start, stop and are
// shuffled between steps. Entities come and go, systems fail, and the allocator of both refuses memory at times. The
// worlds stay equal as long as it does not, and whole in any case. A watchdog ends the program if it hangs.
#include <mica.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <unistd.h>
#endif

#include "runner/test.h"
#include "runner/tier.h"

enum { SECONDS = 900, MOST = 3000 };

typedef struct Life {
    uint32_t left;
    uint32_t seen;
} Life;

typedef struct Mate {
    mica_entity entity;
} Mate;

typedef struct Count {
    uint64_t alive;
} Count;

typedef struct party {
    mica_world *world;
    mica_type life, mate, mark, count;
    uint32_t failing;  // batches of this number fail; 0: none
    uint64_t errors;   // a hash of what was reported, in order
    uint32_t slots;    // the highest ever used
    atomic_int refuse; // allocations until one is refused; negative: none
} party;

static void *resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    party *p = user;
    (void)old_size;
    (void)align;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (atomic_load(&p->refuse) >= 0 && atomic_fetch_sub(&p->refuse, 1) == 0) {
        return NULL;
    }
    void *made = aligned_alloc(align, (new_size + align - 1) / align * align);
    if (made && block) {
        memcpy(made, block, old_size < new_size ? old_size : new_size);
        free(block);
    }
    return made;
}

static void note_error(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    party *p = user;
    for (const char *c = error->sentence; *c; c++) {
        p->errors = (p->errors ^ (unsigned char)*c) * UINT64_C(1099511628211);
    }
}

// Entities die, are born up to a limit, find mates, and are marked.
static void live(mica_iter *it)
{
    const party *p = it->user;
    Life *lives = mica_write(it, 0);
    Count *count = mica_reduce(it);
    uint64_t random = mica_batch_seed(it);
    const Count *before = MICA_RESOURCE(it->world, p->count, Count);
    if (p->failing > 0 && mica_batch(it) % p->failing == p->failing - 1) {
        mica_system_fail(it, mica_batch(it), "batch %u fails", (unsigned)mica_batch(it));
        return;
    }
    for (uint32_t i = 0; i < it->count; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t dice = (uint32_t)(random >> 40);
        count->alive++;
        if (lives[i].left-- <= 1) {
            mica_despawn(it->world, it->entities[i]);
        } else if (dice % 8 == 0 && before && before->alive < MOST) {
            mica_entity child =
                mica_spawn(it->world, MICA_VALUE(p->life, Life, 4 + dice / 8 % 16, 0),
                           MICA_VALUE(p->mate, Mate, it->entities[i]));
            mica_set(it->world, it->entities[i], MICA_VALUE(p->mate, Mate, child));
        } else if (dice % 8 == 1) {
            mica_add(it->world, it->entities[i], p->mark);
        } else if (dice % 8 == 2) {
            mica_remove(it->world, it->entities[i], p->mark);
        }
    }
}

static void meet(mica_iter *it)
{
    const party *p = it->user;
    const Mate *mates = mica_read(it, 0);
    Life *lives = mica_write(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        lives[i].seen += mica_alive(it->world, mates[i].entity);
        lives[i].seen += mica_has(it->world, mates[i].entity, p->mark);
    }
}

static void watch(mica_iter *it)
{
    const party *p = it->user;
    const Mate *mates = mica_read(it, 0);
    uint32_t alive = 0;
    for (uint32_t i = 0; i < it->count; i++) {
        const Life *life = mica_try_get(it->world, mates[i].entity, p->life);
        alive += life && life->left > 3;
    }
    if (alive > it->count) {
        mica_system_fail(it, 0, "more than there are");
    }
}

static void sum(void *total, const void *value)
{
    ((Count *)total)->alive += ((const Count *)value)->alive;
}

static void party_begin(party *p)
{
    memset(p, 0, sizeof *p);
    atomic_init(&p->refuse, -1);
    p->world = mica_world_new(
        &(mica_world_desc){.allocator = {resize, p}, .error_handler = note_error, .error_user = p});
    p->life = MICA_REGISTER(p->world, Life, left, seen);
    p->mate = MICA_REGISTER_SPARSE(p->world, Mate, entity);
    p->mark = MICA_TAG(p->world, Mark);
    p->count = MICA_REGISTER(p->world, Count, alive);
    for (uint32_t i = 0; i < 1000; i++) {
        mica_spawn(p->world, MICA_VALUE(p->life, Life, 2 + i % 19, 0));
    }
    mica_system_desc systems[] = {
        {.name = "live",
         .update = live,
         .run = MICA_PARALLEL,
         .spawns = 16,
         .reduce = {p->count, sum},
         .query.terms = {{p->life, MICA_WRITE}}},
        {.name = "watch",
         .update = watch,
         .run = MICA_PARALLEL,
         .others = {p->life},
         .query.terms = {{p->mate, MICA_READ}}},
        {.name = "meet",
         .update = meet,
         .run = MICA_PARALLEL,
         .query.terms = {{p->mate, MICA_READ}, {p->life, MICA_WRITE}}},
    };
    for (uint32_t i = 0; i < 3; i++) {
        systems[i].user = p;
        systems[i].batch_rows = 32;
        REQUIRE(!MICA_IS_NONE(mica_system_add(p->world, &systems[i])));
    }
    CHECK_EQUAL(MICA_OK, mica_resource_set(p->world, MICA_VALUE(p->count, Count, 1000)));
}

static uint32_t next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33);
}

static void change_workers(const party *p, uint32_t dice)
{
    if (dice % 64 == 0) {
        CHECK_EQUAL(MICA_OK, mica_world_start_workers(p->world, 1 + dice / 64 % 4));
    }
    if (dice % 32 == 1) {
        CHECK_EQUAL(MICA_OK, mica_world_shuffle_workers(p->world, dice / 32 % 3 * dice));
    }
}

static uint32_t count_steps(void)
{
    return test_tier_is_small() ? 1500 : test_tier_is("long") ? 100000 : 2000;
}

static void stay_alive(void)
{
#ifndef _WIN32
    alarm(SECONDS); // the watchdog
#endif
}

static void worlds_are_equal_on_any_workers_for_many_steps(void)
{
    static party a;
    static party b;
    party_begin(&a);
    party_begin(&b);
    uint64_t random = 5;
    for (uint32_t i = 0; i < count_steps(); i++) {
        uint32_t dice = next(&random);
        change_workers(&b, dice);
        a.failing = b.failing = dice % 11 == 0 ? 3 + dice % 3 : 0;
        stay_alive();
        mica_result result = mica_step(a.world, 0.25);
        CHECK_EQUAL(result, mica_step(b.world, 0.25));
        CHECK(a.failing > 0 || !result);
        if (i % 64 == 0) {
            REQUIRE_EQUAL(mica_world_digest(a.world), mica_world_digest(b.world));
            REQUIRE_EQUAL(a.errors, b.errors);
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(b.world));
            if (mica_world_get_stats(b.world).entities == 0) {
                break;
            }
        }
    }
    // As many as ever lived at once, and the lanes of all batches.
    CHECK(mica_world_get_stats(b.world).entities > 0);
    mica_entity last = mica_spawn_values(b.world, NULL, 0);
    CHECK(mica_entity_slot(last) < 3 * MOST);
    CHECK_EQUAL(MICA_OK, mica_world_free(a.world));
    CHECK_EQUAL(MICA_OK, mica_world_free(b.world));
}

static void workers_survive_an_allocator_that_refuses(void)
{
    static party p;
    party_begin(&p);
    uint64_t random = 9;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count_steps() / 4; i++) {
        uint32_t dice = next(&random);
        stay_alive();
        change_workers(&p, dice);
        if (dice % 3 == 0) {
            mica_world_reclaim(p.world); // so that the step allocates
        }
        atomic_store(&p.refuse, (int)(dice / 8 % 40));
        failed += mica_step(p.world, 0.25) != MICA_OK;
        atomic_store(&p.refuse, -1);
        CHECK_EQUAL(MICA_OK, mica_commands_apply(p.world));
        if (i % 16 == 0) {
            REQUIRE_EQUAL(MICA_OK, mica_world_validate(p.world));
        }
    }
    CHECK(failed > 0);
    CHECK_EQUAL(MICA_OK, mica_world_free(p.world));
}

TESTS(stress, worlds_are_equal_on_any_workers_for_many_steps,
      workers_survive_an_allocator_that_refuses)
