// Values that change at random go through leaves, and what was read is what was written, or the nearest multiple.
#include "delta/leaf.h"

#include <math.h>
#include <stdio.h>

#include "core/value_hash.h"
#include "runner/test.h"
#include "state/state.h"
#include "unit/image/cast.h"

typedef struct fixture {
    cast c;
    micai_arena arena;
    uint64_t random;
} fixture;

static uint32_t below(fixture *f, uint32_t end)
{
    return (uint32_t)(cast_random(&f->random) % end);
}

static micai_leaves leaves_of(fixture *f, mica_type type)
{
    micai_leaves leaves;
    const micai_registry *registry = &f->c.world->state->registry;
    REQUIRE(micai_leaves_make(&f->c.world->host, &f->arena, registry,
                              micai_registry_find(registry, type), &leaves));
    return leaves;
}

// Writes what differs, and reads it into `value`, which has what the reader has before. Returns the size.
static size_t pass(fixture *f, const micai_leaves *leaves, const void *before, const void *after,
                   void *value)
{
    unsigned char mask[16];
    REQUIRE(leaves->mask_size <= sizeof mask);
    micai_packer to = {.host = &f->c.world->host};
    micai_leaves_compare(leaves, before, after, mask);
    micai_leaves_write(leaves, mask, before, after, &to);
    REQUIRE(!to.failed);
    size_t size = to.bytes.count;
    micai_unpacker from = {to.bytes.items, to.bytes.items + size, false};
    micai_leaves_read(leaves, mask, &from, value);
    REQUIRE(!from.failed && from.at == from.end);
    micai_pack_free(&to);
    return size;
}

static void change_sheet(fixture *f, Sheet *sheet)
{
    switch (below(f, 12)) {
    case 0: sheet->i8 = (int8_t)below(f, 200); break;
    case 1: sheet->i64 = (int64_t)cast_random(&f->random); break;
    case 2: sheet->u16 = (uint16_t)below(f, 60000); break;
    case 3: sheet->f32 = (float)below(f, 1000) / 7; break;
    case 4: sheet->f64 = (double)below(f, 1000) / 7; break;
    case 5: sheet->flag = !sheet->flag; break;
    case 6: sheet->letter = (char)('a' + below(f, 26)); break;
    case 7: snprintf(sheet->name, sizeof sheet->name, "%u", below(f, 3000)); break;
    case 8: sheet->target.bits = cast_random(&f->random); break;
    case 9: sheet->path[below(f, 3)].x = (float)below(f, 9); break;
    case 10: sheet->few[below(f, 3)] = (uint16_t)below(f, 9); break;
    default: sheet->at.y = (float)below(f, 9); break;
    }
}

static void leaves_that_differ_are_read_as_they_were_written(void)
{
    fixture f = {.random = 5};
    cast_begin(&f.c);
    const mica_type type = f.c.types[CAST_SHEET];
    const micai_registry *registry = &f.c.world->state->registry;
    const micai_leaves leaves = leaves_of(&f, type);
    Sheet before = {0}, copy = {0};
    unsigned char mask[16];
    CHECK(!micai_leaves_compare(&leaves, (void *)&before, (void *)&copy, mask));
    for (int i = 0; i < 3000; i++) {
        Sheet after = before;
        for (uint32_t n = below(&f, 4); n > 0; n--) {
            change_sheet(&f, &after);
        }
        pass(&f, &leaves, &before, &after, &copy);
        const micai_type *of = micai_registry_find(registry, type);
        REQUIRE_EQUAL(micai_hash_value(registry, of, (void *)&after),
                      micai_hash_value(registry, of, (void *)&copy));
        before = after;
    }
    micai_arena_free(&f.c.world->host, &f.arena);
    cast_end(&f.c);
}

// Numbers of all sizes, and such that are close to halves of steps.
static double any_number(fixture *f, double step)
{
    switch (below(f, 6)) {
    case 0: return (double)below(f, 2000) * step / 2 - 500 * step;
    case 1: return ldexp((double)below(f, 1000), (int)below(f, 60) - 30);
    case 2: return -(double)below(f, 1000000) * step;
    case 3: return below(f, 40) == 0 ? (below(f, 2) ? INFINITY : NAN) : 0.0;
    default: return (double)below(f, 1000000) / 1000;
    }
}

static void rounded_values_are_the_nearest_multiples(void)
{
    static const double steps[] = {0.01, 1.0 / 3, 0.125, 7, 1e-6, 1e6, 3e-38, 1e30};
    fixture f = {.random = 9};
    cast_begin(&f.c);
    micai_leaves leaves = leaves_of(&f, f.c.vec2);
    for (uint32_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        leaves.items[0].step = steps[s];
        Vec2 before = {0}, copy = {0};
        for (int i = 0; i < 3000; i++) {
            Vec2 after = {(float)any_number(&f, steps[s]), 0};
            size_t size = pass(&f, &leaves, &before, &after, &copy);
            double way = (double)copy.x - (double)after.x;
            bool same = memcmp(&copy.x, &after.x, sizeof copy.x) == 0;
            REQUIRE(same || fabs(way) <= steps[s] / 2 + fabs((double)after.x) * 1e-6);
            REQUIRE(size <= 5);
            before = after;
        }
    }
    micai_arena_free(&f.c.world->host, &f.arena);
    cast_end(&f.c);
}

static void lists_of_slots_are_read_as_they_were_written(void)
{
    enum { MOST = 300 };
    fixture f = {.random = 3};
    cast_begin(&f.c);
    for (int i = 0; i < 500; i++) {
        uint32_t slots[MOST];
        uint32_t count = below(&f, MOST);
        uint32_t sparse = 1 + below(&f, 4) * below(&f, 1000);
        uint32_t slot = below(&f, 3);
        for (uint32_t k = 0; k < count; k++) {
            slots[k] = slot;
            slot += below(&f, 3) == 0 ? 1 + below(&f, sparse) : 1;
        }
        micai_packer to = {.host = &f.c.world->host};
        micai_pack_slots(&to, slots, count, sizeof *slots);
        micai_unpacker from = {to.bytes.items, to.bytes.items + to.bytes.count, false};
        micai_slot_list list = micai_unpack_slots(&from);
        REQUIRE_EQUAL(count, list.left);
        for (uint32_t k = 0; k < count; k++) {
            REQUIRE_EQUAL(slots[k], micai_unpack_slot(&from, &list));
        }
        REQUIRE(!from.failed && from.at == from.end && list.left == 0);
        micai_pack_free(&to);
    }
    cast_end(&f.c);
}

TESTS(delta_leaf, leaves_that_differ_are_read_as_they_were_written,
      rounded_values_are_the_nearest_multiples, lists_of_slots_are_read_as_they_were_written)
