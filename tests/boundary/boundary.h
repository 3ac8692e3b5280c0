// Counts around the ends of words of 64 bits, at which sets that are words are full, or begin a new one.
#ifndef TEST_BOUNDARY_H
#define TEST_BOUNDARY_H

#include <mica.h>

#include <stdio.h>

#include "runner/test.h"
#include "runner/world.h"

static const uint32_t boundary_counts[] = {1, 62, 63, 64, 65, 66, 126, 127, 128, 129};
enum {
    BOUNDARY_COUNTS = sizeof boundary_counts / sizeof *boundary_counts,
    BOUNDARY_MOST = 129 // of these
};

#define EACH_COUNT(n)                                                                              \
    for (uint32_t i_ = 0, n = boundary_counts[0]; i_ < BOUNDARY_COUNTS;                            \
         n = ++i_ < BOUNDARY_COUNTS ? boundary_counts[i_] : 0)

#define CHECK_VALID(world) CHECK_EQUAL(MICA_OK, mica_world_validate(world))

// Types of 32 bits, named "t0", "t1" and so on, from `first` on.
static inline void register_types(mica_world *world, mica_type *types, uint32_t first,
                                  uint32_t count, mica_storage storage)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%u", (unsigned)(first + i));
        types[i] = mica_type_register(
            world, &(mica_type_desc){
                       .name = name, .size = 4, .align = 4, .plain = true, .storage = storage});
        REQUIRE(!MICA_IS_NONE(types[i]));
    }
}

static inline uint32_t count_rows(mica_world *world, mica_query query)
{
    uint32_t rows = 0;
    mica_iter it;
    REQUIRE_EQUAL(MICA_OK, mica_iter_begin(world, query, &it));
    while (mica_iter_next(&it)) {
        rows += it.count;
    }
    return rows;
}

#endif
