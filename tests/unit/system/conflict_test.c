// Does the order of two systems matter? Pairs of systems with random terms, over types of all storages, with toggles and
// row stamps, run on random worlds in both orders. Where what they saw or left differs, mica_systems_conflict() must have
// said so. Where no row can be of both, it must say that there is none.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/system/stage.h"

enum { TYPES = 4, ENTITIES = 24, ROUNDS = 4, PAIRS = 3000 };

typedef struct Number {
    uint32_t n;
} Number;

typedef struct shape {
    mica_storage storage;
    bool tag, toggle, stamps;
} shape;

// Two systems: what each asks for of each type; 0: nothing.
typedef struct pair {
    uint64_t seed;
    shape shapes[TYPES];
    uint32_t access[2][TYPES];
} pair;

static uint64_t next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t count)
{
    return (uint32_t)(next(state) % count);
}

static bool chance(uint64_t *state, uint32_t percent)
{
    return below(state, 100) < percent;
}

static uint32_t choose_access(uint64_t *state, const shape *of)
{
    static const uint32_t accesses[] = {MICA_READ,    MICA_WRITE,    MICA_WRITE,          MICA_WITH,
                                        MICA_WITHOUT, MICA_OPTIONAL, MICA_OPTIONAL_WRITE, MICA_ANY};
    static const uint32_t of_tags[] = {MICA_WITH, MICA_WITHOUT, MICA_ANY};
    if (chance(state, 35)) {
        return 0;
    }
    uint32_t access = of->tag ? of_tags[below(state, 3)] : accesses[below(state, 8)];
    bool writes = access == MICA_WRITE || access == MICA_OPTIONAL_WRITE;
    uint32_t filters = writes && chance(state, 30) ? MICA_TOUCH : 0;
    if (of->toggle && chance(state, 40)) {
        filters |= MICA_INCLUDE_DISABLED;
    }
    if (access != MICA_WITHOUT && chance(state, 15)) {
        filters |= chance(state, 60) ? MICA_CHANGED : MICA_ADDED;
    }
    return access | filters;
}

static pair choose_pair(uint64_t seed)
{
    static const mica_storage storages[] = {MICA_TABLE, MICA_SPARSE, MICA_SPLIT, MICA_RING};
    uint64_t state = seed;
    pair p = {.seed = next(&state)};
    for (uint32_t i = 0; i < TYPES; i++) {
        shape *of = &p.shapes[i];
        of->tag = chance(&state, 25);
        of->storage = of->tag ? storages[below(&state, 2)] : storages[below(&state, 4)];
        of->toggle = (!of->tag || of->storage == MICA_SPARSE) && chance(&state, 40);
        of->stamps = !of->tag && chance(&state, 40);
        p.access[0][i] = choose_access(&state, of);
        p.access[1][i] = choose_access(&state, of);
    }
    return p;
}

// What a system does with the values of a type: MICA_READ, MICA_WRITE or 0.
static uint32_t way_of(const pair *p, uint32_t system, uint32_t type)
{
    switch (p->shapes[type].tag ? 0 : p->access[system][type] & 0xff) {
    case MICA_READ:
    case MICA_OPTIONAL:
    case MICA_ANY: return MICA_READ;
    case MICA_WRITE:
    case MICA_OPTIONAL_WRITE: return MICA_WRITE;
    default: return 0;
    }
}

// Running them

typedef struct machine machine;

typedef struct runner {
    machine *of;
    uint32_t number;
    uint64_t log; // of all rows that it saw, and their values
} runner;

struct machine {
    test_world t;
    mica_world *world;
    mica_type types[TYPES];
    mica_entity entities[ENTITIES];
    const pair *pair;
    runner runners[2];
    mica_system systems[2];
    uint32_t round;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t state = a ^ b * UINT64_C(0x2545f4914f6cdd1d);
    return next(&state);
}

static uint64_t sum_row(const mica_iter *it, const mica_read_fields *fields, uint32_t count,
                        uint32_t row)
{
    uint64_t sum = mix(it->entities[row].bits, 1);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t n = 0;
        if (fields[t].base) {
            memcpy(&n, (const char *)fields[t].base + row * fields[t].stride, sizeof n);
            sum = mix(sum, n + ((uint64_t)t << 32));
        }
    }
    return sum;
}

// Logs what it sees, and writes what depends on that, and on who writes.
static void act_on_pair(mica_iter *it)
{
    runner *self = it->user;
    mica_read_fields reads[TYPES] = {{0}};
    mica_write_fields writes[TYPES] = {{0}};
    bool touches[TYPES] = {0};
    uint32_t terms = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        uint32_t access = self->of->pair->access[self->number][i];
        uint32_t t = terms;
        terms += access != 0;
        uint32_t way = way_of(self->of->pair, self->number, i);
        if (way == MICA_WRITE) {
            writes[t] = mica_write_field(it, t, 0, sizeof(uint32_t), NULL);
            reads[t] = (mica_read_fields){writes[t].base, writes[t].stride};
            touches[t] = (access & MICA_TOUCH) != 0;
        } else if (way == MICA_READ) {
            reads[t] = mica_read_field(it, t, 0, sizeof(uint32_t), NULL);
        }
    }
    for (uint32_t row = 0; row < it->count; row++) {
        uint64_t sum = sum_row(it, reads, terms, row);
        self->log += mix(sum, self->of->round);
        for (uint32_t t = 0; t < terms; t++) {
            if (writes[t].base) {
                uint32_t n = (uint32_t)mix(sum, self->number);
                memcpy((char *)writes[t].base + row * writes[t].stride, &n, sizeof n);
                if (touches[t] && n % 2) {
                    CHECK_EQUAL(MICA_OK, mica_touch(it, t, row));
                }
            }
        }
    }
}

static bool add_runner(machine *m, uint32_t number)
{
    static const char *const names[] = {"a", "b"};
    m->runners[number] = (runner){.of = m, .number = number};
    mica_system_desc desc = {
        .name = names[number], .update = act_on_pair, .user = &m->runners[number]};
    uint32_t terms = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        if (m->pair->access[number][i] != 0) {
            desc.query.terms[terms++] = (mica_term){m->types[i], m->pair->access[number][i]};
        }
    }
    m->systems[number] = terms > 0 ? mica_system_add(m->world, &desc) : (mica_system){0};
    return !MICA_IS_NONE(m->systems[number]);
}

static void give(machine *m, mica_entity e, uint32_t i, uint32_t n)
{
    if (m->pair->shapes[i].tag) {
        mica_add(m->world, e, m->types[i]);
    } else {
        mica_set(m->world, e, MICA_VALUE(m->types[i], Number, n));
    }
}

static void flip(machine *m, mica_entity e, uint32_t i, bool on)
{
    if (m->pair->shapes[i].toggle && mica_has(m->world, e, m->types[i])) {
        (on ? mica_enable : mica_disable)(m->world, e, m->types[i]);
    }
}

static void change_one(machine *m, uint64_t *state)
{
    mica_entity e = m->entities[below(state, ENTITIES)];
    uint32_t i = below(state, TYPES);
    uint32_t n = below(state, 1000);
    switch (below(state, 4)) {
    case 0: mica_remove(m->world, e, m->types[i]); break;
    case 1: give(m, e, i, n); break;
    default: flip(m, e, i, n % 2); break;
    }
}

static void populate(machine *m, uint64_t *state)
{
    for (uint32_t k = 0; k < ENTITIES; k++) {
        m->entities[k] = mica_spawn_values(m->world, NULL, 0);
        for (uint32_t i = 0; i < TYPES; i++) {
            if (chance(state, 65)) {
                give(m, m->entities[k], i, below(state, 1000));
                flip(m, m->entities[k], i, chance(state, 70));
            }
        }
    }
}

// A world with both systems, in this order. False: one of them cannot be.
static bool begin_machine(machine *m, const pair *p, bool swapped)
{
    uint64_t state = p->seed;
    *m = (machine){.pair = p};
    m->world = test_world_begin(&m->t);
    for (uint32_t i = 0; i < TYPES; i++) {
        static const char *const names[TYPES] = {"A", "B", "C", "D"};
        const shape *of = &p->shapes[i];
        mica_type_desc desc = MICA_DESCRIBE(Number, n);
        if (of->tag) {
            desc = (mica_type_desc){0};
        }
        desc.name = names[i];
        desc.storage = of->storage;
        desc.toggle = of->toggle;
        desc.row_stamps = of->stamps;
        m->types[i] = mica_type_register(m->world, &desc);
        REQUIRE(!MICA_IS_NONE(m->types[i]));
    }
    populate(m, &state);
    bool added = add_runner(m, swapped) && add_runner(m, !swapped);
    test_error_clear(&m->t.error);
    return added;
}

// What they saw, each, and what is left.
typedef struct outcome {
    uint64_t logs[2];
    uint64_t hash;
} outcome;

static outcome run_machine(machine *m)
{
    uint64_t state = m->pair->seed ^ 1;
    for (m->round = 0; m->round < ROUNDS; m->round++) {
        CHECK_EQUAL(MICA_OK, mica_step(m->world, 1));
        for (uint32_t k = 0; k < 3; k++) {
            change_one(m, &state);
        }
    }
    return (outcome){{m->runners[0].log, m->runners[1].log}, mica_world_hash(m->world)};
}

// What is so

enum { ABSENT, DISABLED, ENABLED, STATES };

// Does an entity in these states match, whatever has changed?
static bool matches(const pair *p, uint32_t system, const uint32_t *states)
{
    bool any = false;
    bool found = false;
    for (uint32_t i = 0; i < TYPES; i++) {
        uint32_t access = p->access[system][i];
        bool there = states[i] == ENABLED ||
                     (states[i] == DISABLED && (access & MICA_INCLUDE_DISABLED) != 0);
        switch (access & 0xff) {
        case MICA_READ:
        case MICA_WRITE:
        case MICA_WITH:
            if (!there) {
                return false;
            }
            break;
        case MICA_WITHOUT:
            if (there) {
                return false;
            }
            break;
        case MICA_ANY:
            any = true;
            found = found || there;
            break;
        default: break;
        }
    }
    return found || !any;
}

// Is there a row that both match?
static bool share_a_row(const pair *p)
{
    uint32_t states[TYPES] = {0};
    for (uint32_t number = 0; number < 81; /* STATES to the power of TYPES */ number++) {
        uint32_t rest = number;
        bool possible = true;
        for (uint32_t i = 0; i < TYPES; i++, rest /= STATES) {
            states[i] = rest % STATES;
            possible = possible && (states[i] != DISABLED || p->shapes[i].toggle);
        }
        if (possible && matches(p, 0, states) && matches(p, 1, states)) {
            return true;
        }
    }
    return false;
}

static bool has_filter(const pair *p)
{
    bool has = false;
    for (uint32_t i = 0; i < 2 * TYPES; i++) {
        has = has || (p->access[i / TYPES][i % TYPES] & (MICA_CHANGED | MICA_ADDED)) != 0;
    }
    return has;
}

// Does one write a value that the other reads or writes?
static bool clash_on_values(const pair *p)
{
    bool clashes = false;
    for (uint32_t i = 0; i < TYPES; i++) {
        uint32_t one = way_of(p, 0, i);
        uint32_t other = way_of(p, 1, i);
        clashes = clashes || (one && other && (one == MICA_WRITE || other == MICA_WRITE));
    }
    return clashes;
}

static void print_pair(const pair *p)
{
    static const char *const storages[] = {"table", "sparse", "split", "ring"};
    static const char *const accesses[] = {"-",       "read",     "write",          "with",
                                           "without", "optional", "optional write", "any"};
    for (uint32_t i = 0; i < TYPES; i++) {
        const shape *of = &p->shapes[i];
        printf("  %c: %s%s%s%s;", "ABCD"[i], storages[of->storage], of -> tag ? " tag" : "",
               of->toggle ? ", toggle" : "", of->stamps ? ", stamps" : "");
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t access = p->access[k][i];
            printf(" %c %s%s%s%s%s", "ab"[k], accesses[access & 0xff],
                   access & MICA_INCLUDE_DISABLED ? " even disabled" : "",
                   access & MICA_CHANGED ? " changed" : "", access & MICA_ADDED ? " added" : "",
                   access & MICA_TOUCH ? " touch" : "");
        }
        printf("\n");
    }
}

// What came of all pairs.
typedef struct figures {
    uint32_t differing; // pairs whose order matters
    uint32_t apart;     // that reach the same component and never the same row
    uint32_t exact;     // of which is known what is to be said
} figures;

static void try_pair(const pair *p, uint64_t seed, machine *m, machine *swapped, figures *f)
{
    char text[64];
    bool said = mica_systems_conflict(m->world, m->systems[0], m->systems[1], text, sizeof text);
    CHECK_EQUAL(said, mica_systems_conflict(m->world, m->systems[1], m->systems[0], NULL, 0));
    outcome one = run_machine(m);
    outcome other = run_machine(swapped);
    bool differs = memcmp(&one, &other, sizeof one) != 0;
    bool clashes = clash_on_values(p);
    bool missed = differs && !said;
    bool wrong = !has_filter(p) && said != (clashes && share_a_row(p));
    CHECK(!missed);
    CHECK(!wrong);
    if (missed || wrong) {
        printf("  pair %" PRIu64 ": %s%s; the order %s\n", seed, said ? "conflict on " : "none",
               text, differs ? "matters" : "does not matter");
        print_pair(p);
    }
    f->differing += differs;
    f->apart += !said && clashes;
    f->exact += !has_filter(p);
}

static void a_conflict_is_said_where_the_order_of_systems_matters(void) // S3.10
{
    figures f = {0};
    for (uint64_t seed = 1; seed <= PAIRS; seed++) {
        pair p = choose_pair(seed);
        machine m, swapped;
        bool one = begin_machine(&m, &p, false);
        bool other = begin_machine(&swapped, &p, true);
        if (one && other) {
            try_pair(&p, seed, &m, &swapped, &f);
        }
        test_world_end(&swapped.t);
        test_world_end(&m.t);
    }
    // There was something to find.
    CHECK(f.differing > PAIRS / 20);
    CHECK(f.apart > PAIRS / 50);
    CHECK(f.exact > PAIRS / 10);
}

TESTS(conflict, a_conflict_is_said_where_the_order_of_systems_matters)
