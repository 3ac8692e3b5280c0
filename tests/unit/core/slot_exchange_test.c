// Many slots released and taken by handle at once, in older generations, too.
#include "unit/core/slots.h"

enum { SLOTS = 300 };

typedef struct game {
    fixture f;
    uint64_t random;
    mica_entity living[SLOTS];   // by slot; none
    mica_entity released[SLOTS]; // in the order of slots
    mica_entity taken[SLOTS];
    uint32_t released_count, taken_count;
} game;

static uint32_t below(game *g, uint32_t end)
{
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((g->random >> 33) % end);
}

static void exchange(game *g)
{
    micai_slots *slots = &g->f.slots;
    g->released_count = g->taken_count = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        bool alive = g->living[slot].bits != 0;
        bool released = alive && below(g, 6) == 0;
        if (released) {
            g->released[g->released_count++] = g->living[slot];
        }
        if ((!alive || released) && below(g, 3) == 0) {
            g->taken[g->taken_count++].bits = (uint64_t)(1 + below(g, 9)) << 32 | slot;
        }
    }
    REQUIRE_EQUAL(MICA_OK,
                  micai_slots_reserve_exchange(g->f.host, slots, g->released, g->released_count,
                                               g->taken, g->taken_count));
    for (uint32_t i = 0; i < g->released_count; i++) {
        micai_slots_release(g->f.host, slots, g->released[i]);
        g->living[mica_entity_slot(g->released[i])].bits = 0;
    }
    micai_slots_exchange_released(slots);
    for (uint32_t i = 0; i < g->taken_count; i++) {
        micai_slots_take_at(slots, g->taken[i], ROW + mica_entity_slot(g->taken[i]));
        g->living[mica_entity_slot(g->taken[i])] = g->taken[i];
    }
}

static void slots_are_exchanged_at_random(void)
{
    static game g;
    slots_begin(&g.f, 0);
    for (int i = 0; i < 400; i++) {
        exchange(&g);
        for (uint32_t n = below(&g, 4); n > 0; n--) { // and as usual
            mica_entity entity = slots_take(&g.f);
            if (mica_entity_slot(entity) < SLOTS) {
                g.living[mica_entity_slot(entity)] = entity;
            } else {
                slots_give(&g.f, entity);
            }
        }
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            mica_entity entity = g.living[slot];
            REQUIRE(entity.bits == 0 || micai_slots_find(&g.f.slots, entity) != NULL);
        }
        REQUIRE_EQUAL(MICA_OK, micai_slots_validate(g.f.host, &g.f.slots));
    }
    slots_end(&g.f);
}

static mica_result try_to_take(fixture *f, mica_entity released, uint64_t taken)
{
    return micai_slots_reserve_exchange(f->host, &f->slots, &released, released.bits != 0,
                                        &(mica_entity){taken}, 1);
}

static void a_slot_that_is_used_cannot_be_taken(void)
{
    fixture f;
    slots_begin(&f, 100);
    const mica_entity none = {0};
    mica_entity entity = slots_take(&f);
    CHECK_EQUAL(MICA_ERROR_CORRUPT, try_to_take(&f, none, UINT64_C(2) << 32 | 0));
    CHECK_EQUAL(MICA_OK, try_to_take(&f, entity, UINT64_C(2) << 32 | 0));
    CHECK_EQUAL(MICA_ERROR_CORRUPT, try_to_take(&f, none, 1));
    CHECK_EQUAL(MICA_ERROR_CORRUPT, try_to_take(&f, none, UINT64_C(0x80000000) << 32 | 1));
    CHECK_EQUAL(MICA_ERROR_LIMIT, try_to_take(&f, none, UINT64_C(1) << 32 | 100));
    CHECK_ERROR(&f.t, MICA_ERROR_LIMIT, "slot 100 is beyond the world's limit of 100");
    entity = micai_slots_age(&f.slots, entity, MICAI_SLOT_FREE - 2);
    CHECK_EQUAL(MICA_ERROR_CORRUPT, try_to_take(&f, entity, UINT64_C(2) << 32 | 0));
    slots_give(&f, entity);
    CHECK_EQUAL(MICA_ERROR_CORRUPT, try_to_take(&f, none, UINT64_C(2) << 32 | 0)); // it is retired
    slots_end(&f);
}

TESTS(slot_exchange, slots_are_exchanged_at_random, a_slot_that_is_used_cannot_be_taken)
