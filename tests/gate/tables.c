// What making a table costs, for the instruction gate in run.sh: a world of 20 types and 20 queries
// in which one table after the other is made, each of six of the types. run.sh has the instructions
// inside make_measured() counted.
//
// usage: tables FIRST COUNT
//
// Of the tables FIRST, FIRST + 1, ... the first COUNT that make no array or map grow are measured.
// Growth costs a copy of everything now and then, whatever the size of the world; so that it cannot
// hide here or look like a trend, a first run finds out which tables it falls on, and they are left
// out. The world's memory comes off a stack: what an allocator costs depends on its history.
//
// Every table matches six of the queries, so that all have the same work to do.
#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 20, TYPES_PER_TABLE = 6, QUERIES = 20, TABLES_MAX = 12000 };

// A stack, with nothing ever given back.
typedef struct stack {
    unsigned char *memory;
    size_t size;
    size_t used;
} stack;

static void *resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    stack *s = user;
    if (new_size == 0) {
        return NULL;
    }
    size_t at = (s->used + align - 1) / align * align;
    if (new_size > s->size || at > s->size - new_size) {
        return NULL;
    }
    s->used = at + new_size;
    if (block != NULL) {
        memcpy(s->memory + at, block, old_size < new_size ? old_size : new_size);
    }
    return s->memory + at;
}

// The sets of six types of twenty, in an order that favours no type.
static uint32_t sets[TABLES_MAX];

static void make_sets(void)
{
    static uint32_t all[38760]; // 20 choose 6
    uint32_t count = 0;
    for (uint32_t bits = 0; bits < UINT32_C(1) << TYPES; bits++) {
        uint32_t ones = 0;
        for (uint32_t left = bits; left != 0; left &= left - 1) {
            ones++;
        }
        if (ones == TYPES_PER_TABLE) {
            all[count++] = bits;
        }
    }
    uint32_t random = 1;
    for (uint32_t i = 0; i < TABLES_MAX; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t j = i + (uint32_t)((uint64_t)random * (count - i) >> 32);
        sets[i] = all[j];
        all[j] = all[i];
    }
}

typedef struct scene {
    stack stack;
    mica_world *world;
    mica_type types[TYPES];
} scene;

static void begin(scene *s, unsigned char *memory, size_t size)
{
    s->stack = (stack){.memory = memory, .size = size};
    s->world =
        mica_world_new(&(mica_world_desc){.allocator = {.resize = resize, .user = &s->stack}});
    for (uint32_t i = 0; i < TYPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "Type%" PRIu32, i);
        s->types[i] =
            mica_type_register(s->world, &(mica_type_desc){.name = name, .size = 8, .align = 8});
    }
    for (uint32_t i = 0; i < QUERIES; i++) {
        mica_query_new(s->world, &(mica_query_desc){.terms = {
                                                        {s->types[i], MICA_WRITE},
                                                        {s->types[(i + 1) % TYPES], MICA_OPTIONAL},
                                                    }});
    }
}

// A table without rows: that of a bundle, which is of no further use.
static bool make(scene *s, uint32_t number)
{
    mica_type types[TYPES_PER_TABLE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        if (sets[number] >> i & 1) {
            types[count++] = s->types[i];
        }
    }
    return mica_bundle_new(s->world, types, count).bits != 0;
}

// The same under a name of its own, that callgrind can be reported.
#if defined(__GNUC__)
__attribute__((noinline))
#endif
bool make_measured(scene *s, uint32_t number);

bool make_measured(scene *s, uint32_t number)
{
    return make(s, number);
}

int main(int argument_count, char **arguments)
{
    uint32_t first = argument_count == 3 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 0;
    uint32_t wanted = argument_count == 3 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 0;
    static _Alignas(4096) unsigned char memory[UINT32_C(1) << 26];
    static bool grows[TABLES_MAX];
    static scene s;
    make_sets();
    if (first == 0 || first >= TABLES_MAX || wanted == 0) {
        fprintf(stderr, "usage: tables FIRST COUNT\n");
        return 2;
    }
    begin(&s, memory, sizeof memory);
    uint64_t least = UINT64_MAX;
    static uint64_t allocations[TABLES_MAX];
    for (uint32_t n = 1; n < TABLES_MAX; n++) {
        uint64_t before = mica_world_get_stats(s.world).memory.allocations;
        if (!make(&s, n)) {
            return 2;
        }
        allocations[n] = mica_world_get_stats(s.world).memory.allocations - before;
        least = allocations[n] < least ? allocations[n] : least;
    }
    for (uint32_t n = 1; n < TABLES_MAX; n++) {
        grows[n] = allocations[n] > least;
    }
    begin(&s, memory, sizeof memory);
    uint32_t measured = 0;
    uint32_t last = 0;
    for (uint32_t n = 1; n < TABLES_MAX && measured < wanted; n++) {
        bool counts = n >= first && !grows[n];
        if (counts ? !make_measured(&s, n) : !make(&s, n)) {
            return 2;
        }
        measured += counts;
        last = n;
    }
    printf("%" PRIu32 " tables measured, the last of them number %" PRIu32 "\n", measured, last);
    return measured == wanted && mica_world_validate(s.world) == MICA_OK ? 0 : 2;
}
