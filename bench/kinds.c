// Entities of several kinds in turn, and changes of wide entities one at a time: a cache that remembers
// only the last change misses every time.
//
//   kinds_tag2, 20, 64    per entity: add a tag, remove it; entity i is of kind i % 2, 20 or 64
//   kinds_value2, ...     per entity: add Data with a value, remove it
//   kinds_spawn2, ...     spawn entities from lists of two or three values, after all were despawned
//   clone10               clone an entity of ten components, after all clones were despawned
//   spawn13               spawn from a list of thirteen values, after all were despawned
//   noop                  per entity: add what is there and remove what is not
//
// A kind is a set of two or three table components, so k kinds are k tables; the policy is that of the tag
// or of Data. The limit has Data at the entity's own index, and a byte that says what is there; it
// spawns and clones into arrays of a fixed size, one per kind and component. The limit of noop is mica,
// too: a tag that is really added and removed.
#include <mica/component.h>
#include <mica/world.h>

#include <stdio.h>

#include "harness.h"
#include "host.h"
#include "pairs.h"
#include "scenarios.h"

enum {
    LEFT_COUNT = 8,
    RIGHT_COUNT = 4,
    KINDS_MAX = 2 * LEFT_COUNT * RIGHT_COUNT,
    CLONE_COUNT = 10,
    SPAWN_COUNT = 13,
    COMPONENT_WORDS = 3,
    WORD_COUNT = SPAWN_COUNT + COMPONENT_WORDS - 1
};

// Kind k has one left component, one right component and, if k is odd, Position.
static inline uint32_t left_of(uint32_t kind)
{
    return kind / 2 % LEFT_COUNT;
}

static inline uint32_t right_of(uint32_t kind)
{
    return kind / 2 / LEFT_COUNT;
}

static inline bool has_position(uint32_t kind)
{
    return kind % 2 == 1;
}

static inline uint32_t next_kind(uint32_t kind, uint32_t kind_count)
{
    return kind + 1 < kind_count ? kind + 1 : 0;
}

static inline Data2 left_value(uint32_t i)
{
    return (Data2){(float)(int32_t)(i & 1023)};
}

static inline Data2 right_value(uint32_t i)
{
    return (Data2){(float)(int32_t)(i & 7)};
}

static uint64_t check_row(uint32_t i, const Data2 *left, const Data2 *right,
                          const Position *position)
{
    uint64_t sum = mix(mix(bits_of_floats(left->value, right->value)) + i);
    return position != NULL ? sum + check_position(i, position) : sum;
}

// What the sides of mica have in common. A part of it is not used by each.
typedef struct mica_state {
    mica_world *world;
    mica_entity *entities;
    uint32_t n;
    uint32_t kind_count;
    mica_type position, left[LEFT_COUNT], right[RIGHT_COUNT], data, tag;
    uint32_t component_count; // of wide entities
    mica_type wide[SPAWN_COUNT];
    mica_entity source; // that is cloned
} mica_state;

static mica_state *begin(const bench_case *what)
{
    mica_world *world = mica_world_new(NULL);
    if (world == NULL) {
        return NULL;
    }
    mica_state *s = bench_alloc(sizeof *s);
    *s = (mica_state){
        .world = world, .entities = bench_alloc(what->n * sizeof(mica_entity)), .n = what->n};
    return s;
}

static void despawn_all(void *state)
{
    const mica_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        mica_despawn(s->world, s->entities[i]);
    }
}

static void end(void *state)
{
    mica_state *s = state;
    mica_world_free(s->world);
    bench_free(s->entities);
    bench_free(s);
}

// Kinds: mica

static void register_each(mica_world *world, const char *name, mica_type *types_out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char numbered[16];
        snprintf(numbered, sizeof numbered, "%s%u", name, (unsigned)i);
        mica_type_desc desc = {.name = numbered, .size = sizeof(Data2), .align = _Alignof(Data2)};
        types_out[i] = mica_type_register(world, &desc);
    }
}

static void kinds_spawn_all(void *state)
{
    const mica_state *s = state;
    uint32_t kind = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        Position position = position_of(i);
        Data2 left = left_value(i);
        Data2 right = right_value(i);
        mica_type left_type = s->left[left_of(kind)];
        mica_type right_type = s->right[right_of(kind)];
        s->entities[i] = has_position(kind) ? mica_spawn(s->world, MICA_COPY_OF(left_type, left),
                                                         MICA_COPY_OF(right_type, right),
                                                         MICA_COPY_OF(s->position, position))
                                            : mica_spawn(s->world, MICA_COPY_OF(left_type, left),
                                                         MICA_COPY_OF(right_type, right));
        kind = next_kind(kind, s->kind_count);
    }
}

static void *kinds_setup(const bench_case *what, uint32_t kind_count)
{
    mica_state *s = begin(what);
    if (s == NULL) {
        return NULL;
    }
    s->kind_count = kind_count;
    s->position = pairs_register(s->world, BENCH_TABLE, MICA_DESCRIBE(Position, x, y));
    s->data = pairs_register(s->world, what->policy, MICA_DESCRIBE(Data, number, real, flag, seed));
    s->tag = pairs_storage(what->policy) == MICA_SPARSE ? MICA_SPARSE_TAG(s->world, Tag)
                                                        : MICA_TAG(s->world, Tag);
    register_each(s->world, "Left", s->left, LEFT_COUNT);
    register_each(s->world, "Right", s->right, RIGHT_COUNT);
    kinds_spawn_all(s);
    return s;
}

static void kinds_tag_run(void *state)
{
    const mica_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        mica_add(s->world, s->entities[i], s->tag);
        mica_remove(s->world, s->entities[i], s->tag);
    }
}

static void kinds_value_run(void *state)
{
    const mica_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        Data data = data_of(i);
        mica_set_value(s->world, s->entities[i], s->data, &data, sizeof data);
        mica_remove(s->world, s->entities[i], s->data);
    }
}

static uint64_t kinds_check_entity(const mica_state *s, uint32_t i)
{
    mica_entity entity = s->entities[i];
    uint32_t kind = i % s->kind_count;
    Position position;
    Data2 left;
    Data2 right;
    Data data;
    if (!MICA_LOAD(s->world, entity, s->left[left_of(kind)], left) ||
        !MICA_LOAD(s->world, entity, s->right[right_of(kind)], right)) {
        return 0;
    }
    bool placed = MICA_LOAD(s->world, entity, s->position, position);
    uint64_t sum = check_row(i, &left, &right, placed ? &position : NULL);
    sum += MICA_LOAD(s->world, entity, s->data, data) ? check_data(i, &data) : 0;
    return sum + (mica_has(s->world, entity, s->tag) ? mix(i) : 0);
}

static uint64_t kinds_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        sum += kinds_check_entity(s, i);
    }
    return sum;
}

// Kinds: limit. Rows of kind k begin at k * rows_per_kind.

enum { HAS_DATA = 1, HAS_TAG = 2 };

typedef struct plain_kinds {
    Data2 *left, *right;
    Position *position;
    uint32_t *rows; // by entity
    Data *data;     // by entity
    uint8_t *has;   // by entity
    uint32_t counts[KINDS_MAX];
    uint32_t rows_per_kind;
    uint32_t n, kind_count;
} plain_kinds;

static void plain_kinds_empty(void *state)
{
    plain_kinds *s = state;
    memset(s->counts, 0, sizeof s->counts);
}

static void plain_kinds_spawn_all(void *state)
{
    plain_kinds *s = state;
    uint32_t kind = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t row = kind * s->rows_per_kind + s->counts[kind]++;
        s->rows[i] = row;
        s->left[row] = left_value(i);
        s->right[row] = right_value(i);
        if (has_position(kind)) {
            s->position[row] = position_of(i);
        }
        kind = next_kind(kind, s->kind_count);
    }
}

static void *plain_kinds_setup(const bench_case *what, uint32_t kind_count)
{
    uint32_t n = what->n;
    uint32_t rows_per_kind = (n + kind_count - 1) / kind_count;
    size_t rows = (size_t)rows_per_kind * kind_count;
    plain_kinds *s = bench_alloc(sizeof *s);
    *s = (plain_kinds){.left = bench_alloc_touched(rows * sizeof(Data2)),
                       .right = bench_alloc_touched(rows * sizeof(Data2)),
                       .position = bench_alloc_touched(rows * sizeof(Position)),
                       .rows = bench_alloc(n * sizeof(uint32_t)),
                       .data = bench_alloc_touched(n * sizeof(Data)),
                       .has = bench_alloc(n),
                       .rows_per_kind = rows_per_kind,
                       .n = n,
                       .kind_count = kind_count};
    memset(s->has, 0, n);
    plain_kinds_spawn_all(s);
    return s;
}

static void plain_kinds_tag_run(void *state)
{
    const plain_kinds *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        s->has[i] |= HAS_TAG;
        bench_barrier();
        s->has[i] &= (uint8_t)~HAS_TAG;
        bench_barrier();
    }
}

static void plain_kinds_value_run(void *state)
{
    const plain_kinds *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        s->data[i] = data_of(i);
        s->has[i] |= HAS_DATA;
        bench_barrier();
        s->has[i] &= (uint8_t)~HAS_DATA;
        bench_barrier();
    }
}

static uint64_t plain_kinds_check(void *state)
{
    const plain_kinds *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t row = s->rows[i];
        bool placed = has_position(i % s->kind_count);
        sum += check_row(i, &s->left[row], &s->right[row], placed ? &s->position[row] : NULL);
        sum += s->has[i] & HAS_DATA ? check_data(i, &s->data[i]) : 0;
        sum += s->has[i] & HAS_TAG ? mix(i) : 0;
    }
    return sum;
}

static void plain_kinds_teardown(void *state)
{
    plain_kinds *s = state;
    bench_free(s->left);
    bench_free(s->right);
    bench_free(s->position);
    bench_free(s->rows);
    bench_free(s->data);
    bench_free(s->has);
    bench_free(s);
}

// Wide entities: component k has one, two or three words. Its value is a part of the entity's words,
// which overlap from component to component.

static inline uint32_t words_of(uint32_t component)
{
    return component % COMPONENT_WORDS + 1;
}

static inline uint32_t size_of(uint32_t component)
{
    return words_of(component) * (uint32_t)sizeof(uint64_t);
}

static inline void fill_words(uint64_t words[WORD_COUNT], uint32_t i)
{
    for (uint32_t w = 0; w < WORD_COUNT; w++) {
        words[w] = i + (uint64_t)w * WORD_COUNT;
    }
}

static uint64_t check_words(uint32_t i, uint32_t component, const uint64_t *words)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < words_of(component); w++) {
        sum = mix(sum + words[w]);
    }
    return mix(mix(sum + component) + i);
}

// The values that `words` has at the moment of each call.
static void list_values(const mica_state *s, const uint64_t words[WORD_COUNT],
                        mica_value values_out[SPAWN_COUNT])
{
    for (uint32_t k = 0; k < s->component_count; k++) {
        values_out[k] = (mica_value){s->wide[k], words + k, size_of(k), 1, NULL};
    }
}

static void spawn13_run(void *state)
{
    const mica_state *s = state;
    uint64_t words[WORD_COUNT] = {0};
    mica_value values[SPAWN_COUNT];
    list_values(s, words, values);
    for (uint32_t i = 0; i < s->n; i++) {
        fill_words(words, i);
        s->entities[i] = mica_spawn_values(s->world, values, SPAWN_COUNT);
    }
}

static void clone10_run(void *state)
{
    const mica_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        s->entities[i] = mica_clone(s->world, s->source);
    }
}

static mica_state *wide_begin(const bench_case *what, uint32_t component_count)
{
    mica_state *s = begin(what);
    if (s == NULL) {
        return NULL;
    }
    s->component_count = component_count;
    for (uint32_t k = 0; k < component_count; k++) {
        char name[16];
        snprintf(name, sizeof name, "Wide%u", (unsigned)k);
        mica_type_desc desc = {.name = name, .size = size_of(k), .align = _Alignof(uint64_t)};
        s->wide[k] = mica_type_register(s->world, &desc);
    }
    return s;
}

static void *spawn13_setup(const bench_case *what)
{
    mica_state *s = wide_begin(what, SPAWN_COUNT);
    if (s != NULL) {
        spawn13_run(s);
    }
    return s;
}

static void *clone10_setup(const bench_case *what)
{
    mica_state *s = wide_begin(what, CLONE_COUNT);
    if (s == NULL) {
        return NULL;
    }
    uint64_t words[WORD_COUNT] = {0};
    mica_value values[SPAWN_COUNT];
    list_values(s, words, values);
    fill_words(words, 0);
    s->source = mica_spawn_values(s->world, values, CLONE_COUNT);
    clone10_run(s);
    return s;
}

static uint64_t wide_check(void *state)
{
    const mica_state *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t k = 0; k < s->component_count; k++) {
            uint64_t words[COMPONENT_WORDS];
            bool there = mica_load(s->world, s->entities[i], s->wide[k], words, size_of(k));
            sum += there ? check_words(i, k, words) : 0;
        }
    }
    return sum;
}

// Wide entities: limit

typedef struct plain_wide {
    uint64_t *columns[SPAWN_COUNT];
    uint32_t count; // rows in use
    uint32_t n, component_count;
} plain_wide;

static inline void plain_append(plain_wide *s, const uint64_t *words, uint32_t component_count)
{
    uint32_t row = s->count++;
    for (uint32_t k = 0; k < component_count; k++) {
        memcpy(s->columns[k] + (size_t)row * words_of(k), words + k, size_of(k));
    }
}

static void plain_spawn13_run(void *state)
{
    plain_wide *s = state;
    uint64_t words[WORD_COUNT] = {0};
    for (uint32_t i = 0; i < s->n; i++) {
        fill_words(words, i);
        plain_append(s, words, SPAWN_COUNT);
    }
}

static void plain_clone10_run(void *state)
{
    plain_wide *s = state;
    uint64_t words[WORD_COUNT] = {0};
    fill_words(words, 0);
    for (uint32_t i = 0; i < s->n; i++) {
        plain_append(s, words, CLONE_COUNT);
    }
}

static void plain_wide_empty(void *state)
{
    plain_wide *s = state;
    s->count = 0;
}

static plain_wide *plain_wide_begin(const bench_case *what, uint32_t component_count)
{
    plain_wide *s = bench_alloc(sizeof *s);
    *s = (plain_wide){.n = what->n, .component_count = component_count};
    for (uint32_t k = 0; k < component_count; k++) {
        s->columns[k] = bench_alloc_touched((size_t)what->n * size_of(k));
    }
    return s;
}

static void *plain_spawn13_setup(const bench_case *what)
{
    return plain_wide_begin(what, SPAWN_COUNT);
}

static void *plain_clone10_setup(const bench_case *what)
{
    return plain_wide_begin(what, CLONE_COUNT);
}

static uint64_t plain_wide_check(void *state)
{
    const plain_wide *s = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = 0; k < s->component_count; k++) {
            sum += check_words(i, k, s->columns[k] + (size_t)i * words_of(k));
        }
    }
    return sum;
}

static void plain_wide_teardown(void *state)
{
    plain_wide *s = state;
    for (uint32_t k = 0; k < s->component_count; k++) {
        bench_free(s->columns[k]);
    }
    bench_free(s);
}

// Changes that do nothing: entities of one kind, which have Left0 and Right0, but not the tag.

static void noop_run(void *state)
{
    const mica_state *s = state;
    for (uint32_t i = 0; i < s->n; i++) {
        mica_add(s->world, s->entities[i], s->left[0]);
        mica_remove(s->world, s->entities[i], s->tag);
    }
}

static void *noop_setup(const bench_case *what)
{
    return kinds_setup(what, 1);
}

#define KINDS_SETUP(count)                                                                         \
    static void *kinds_setup##count(const bench_case *what)                                        \
    {                                                                                              \
        return kinds_setup(what, count);                                                           \
    }                                                                                              \
    static void *plain_kinds_setup##count(const bench_case *what)                                  \
    {                                                                                              \
        return plain_kinds_setup(what, count);                                                     \
    }

KINDS_SETUP(2)
KINDS_SETUP(20)
KINDS_SETUP(64)

#define SIDES(of, start, ready, work, plain_start, plain_ready, plain_work)                        \
    {                                                                                              \
        [BENCH_MICA] = {.setup = start,                                                            \
                        .prepare = ready,                                                          \
                        .run = work,                                                               \
                        .check = of##_check,                                                       \
                        .teardown = end},                                                          \
        [BENCH_LIMIT] = {.setup = plain_start,                                                     \
                         .prepare = plain_ready,                                                   \
                         .run = plain_work,                                                        \
                         .check = plain_##of##_check,                                              \
                         .teardown = plain_##of##_teardown},                                       \
    }
#define KINDS(work, count, words)                                                                  \
    {                                                                                              \
        .name = "kinds_" #work #count, .text = words, .policies = 1 << BENCH_SPARSE,               \
        .sizes = {1000, 65536},                                                                    \
        .sides = SIDES(kinds, kinds_setup##count, NULL, kinds_##work##_run,                        \
                       plain_kinds_setup##count, NULL, plain_kinds_##work##_run)                   \
    }
#define KINDS_SPAWN(count, words)                                                                  \
    {                                                                                              \
        .name = "kinds_spawn" #count, .text = words, .sizes = {1000, 65536},                       \
        .sides = SIDES(kinds, kinds_setup##count, despawn_all, kinds_spawn_all,                    \
                       plain_kinds_setup##count, plain_kinds_empty, plain_kinds_spawn_all)         \
    }

static const bench_scenario scenarios[] = {
    KINDS(tag, 2, "add a tag and remove it, per pair, two kinds of entity in turn"),
    KINDS(tag, 20, "the same, 20 kinds"),
    KINDS(tag, 64, "the same, 64 kinds"),
    KINDS(value, 2, "add a component and remove it, per pair, two kinds of entity in turn"),
    KINDS(value, 20, "the same, 20 kinds"),
    KINDS(value, 64, "the same, 64 kinds"),
    KINDS_SPAWN(2, "spawn with two or three values, two kinds in turn"),
    KINDS_SPAWN(20, "the same, 20 kinds"),
    KINDS_SPAWN(64, "the same, 64 kinds"),
    {.name = "clone10",
     .text = "clone an entity of ten components",
     .sizes = {1000, 65536},
     .sides = SIDES(wide, clone10_setup, despawn_all, clone10_run, plain_clone10_setup,
                    plain_wide_empty, plain_clone10_run)},
    {.name = "spawn13",
     .text = "spawn with 13 values",
     .sizes = {1000, 65536},
     .sides = SIDES(wide, spawn13_setup, despawn_all, spawn13_run, plain_spawn13_setup,
                    plain_wide_empty, plain_spawn13_run)},
    {.name = "noop",
     .text = "add what is there, remove what is not, per pair; against a real pair",
     .policies = 1 << BENCH_SPARSE,
     .sizes = {1000, 65536},
     .sides = {[BENCH_MICA] =
                   {.setup = noop_setup, .run = noop_run, .check = kinds_check, .teardown = end},
               [BENCH_LIMIT] = {.setup = noop_setup,
                                .run = kinds_tag_run,
                                .check = kinds_check,
                                .teardown = end}}},
};

const bench_family bench_kinds = {scenarios, sizeof scenarios / sizeof scenarios[0]};
