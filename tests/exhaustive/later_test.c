// Every sequence of a few commands, with the component that most of them are about in every storage: recorded,
// and carried out. What comes of it must be what comes of plain structs that are changed one after the
// other; what was for the dead is dropped and counted, and every other mistake is reported.
#include "exhaustive/exhaustive.h"

#include <mica.h>

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

static const struct storage {
    const char *name;
    mica_storage storage;
} storages[] = {{"in tables", MICA_TABLE},
                {"sparse", MICA_SPARSE},
                {"in a ring", MICA_RING},
                {"split", MICA_SPLIT}};

enum {
    STORAGES = sizeof storages / sizeof storages[0],
    OLD = 2, // beings at the start
    BEINGS_MAX = OLD + EXHAUSTIVE_LENGTH_MAX,
    WAITING_MAX = 2 * EXHAUSTIVE_LENGTH_MAX,
    DEFAULT_NUMBER = 5
};

// In the storage that is looked at, with a toggle and a default; and one that does not fit into a command.
typedef struct Pair {
    int32_t number, other;
} Pair;

typedef struct Wide {
    int32_t numbers[9];
} Wide;

typedef struct being {
    mica_entity entity;
    bool alive;
    bool has_pair, off, has_wide, has_tag, named;
    int32_t pair, wide;
} being;

typedef enum operation {
    ADD_PAIR,
    SET_PAIR,
    REMOVE_PAIR,
    DISABLE_PAIR,
    SET_WIDE,
    CHANGE_BOTH,
    TAG_OTHER,
    DESPAWN,
    SPAWN,
    SET_PAIR_OF_MADE,
    DESPAWN_MADE,
    CLONE,
    NAME,
    CALL,
    OPERATIONS,
    SET_OTHER = OPERATIONS // what a call records
} operation;

// A command that waits: what it does, to whom, and with which number.
typedef struct waiting {
    operation what;
    uint32_t who;
    int32_t number;
} waiting;

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_world *later;
    mica_type pair, wide, tag;
    being beings[BEINGS_MAX];
    uint32_t count;
    uint32_t made; // whom the last command makes that makes somebody; 0: none did
    int32_t number;
    waiting list[WAITING_MAX];
    uint32_t waiting;
    uint32_t dropped, errors;
    const char *wrong;
} scene;

static scene s;

static void expect(bool right, const char *what)
{
    s.wrong = s.wrong ? s.wrong : right ? NULL : what;
}

static Pair pair_of(int32_t number)
{
    return (Pair){number, -number};
}

static Wide wide_of(int32_t number)
{
    return (Wide){.numbers = {number, 1, 2, 3, 4, 5, 6, 7, -number}};
}

// Recording

// Ends the first, and gives the other a value later.
static void called(mica_world *world, const void *data)
{
    const int32_t *number = data;
    if (mica_alive(world, s.beings[0].entity)) {
        mica_despawn(world, s.beings[0].entity);
    }
    if (mica_alive(world, s.beings[1].entity)) {
        const Pair pair = pair_of(*number);
        mica_set(mica_world_later(world), s.beings[1].entity, MICA_COPY_OF(s.pair, pair));
    }
}

static void enter(mica_entity entity)
{
    s.made = s.count;
    s.beings[s.count++] = (being){.entity = entity};
}

static void call(mica_world *later, operation what, mica_entity who, int32_t number)
{
    const Pair pair = pair_of(number);
    const Wide wide = wide_of(number);
    switch (what) {
    case ADD_PAIR: mica_add(later, who, s.pair); break;
    case SET_PAIR:
    case SET_PAIR_OF_MADE: mica_set(later, who, MICA_COPY_OF(s.pair, pair)); break;
    case REMOVE_PAIR: mica_remove(later, who, s.pair); break;
    case DISABLE_PAIR: mica_disable(later, who, s.pair); break;
    case SET_WIDE: mica_set(later, who, MICA_COPY_OF(s.wide, wide)); break;
    case CHANGE_BOTH: mica_change(later, who, &MICA_COPY_OF(s.pair, pair), 1, &s.wide, 1); break;
    case TAG_OTHER: mica_add(later, who, s.tag); break;
    case SPAWN: enter(mica_spawn(later, MICA_COPY_OF(s.pair, pair), MICA_ADD(s.tag))); break;
    case CLONE: enter(mica_clone(later, who)); break;
    case NAME: mica_entity_set_name(later, who, "one"); break;
    case CALL: mica_defer_call(later, called, &number, sizeof number); break;
    default: mica_despawn(later, who); break;
    }
}

static void record(operation what)
{
    bool of_made = what == SET_PAIR_OF_MADE || what == DESPAWN_MADE;
    if (of_made && s.made == 0) {
        return;
    }
    uint32_t who = of_made ? s.made : what == TAG_OTHER;
    int32_t number = ++s.number;
    call(s.later, what, s.beings[who].entity, number);
    bool makes = what == SPAWN || what == CLONE;
    s.list[s.waiting++] = (waiting){what, makes ? s.made : who, number};
}

// What should come of it

static void carry_out(const waiting *w)
{
    being *b = &s.beings[w->who];
    switch (w->what) {
    case SPAWN:
        *b = (being){.entity = b->entity,
                     .alive = true,
                     .has_pair = true,
                     .pair = w->number,
                     .has_tag = true};
        return;
    case CLONE: {
        mica_entity entity = b->entity;
        s.dropped += !s.beings[0].alive;
        *b = s.beings[0];
        b->entity = entity;
        b->named = false;
        return;
    }
    case CALL:
        s.beings[0].alive = false;
        if (s.beings[1].alive) {
            s.list[s.waiting++] = (waiting){SET_OTHER, 1, w->number};
        }
        return;
    default: break;
    }
    if (!b->alive) {
        s.dropped += w->what == CHANGE_BOTH ? 2 : 1;
        return;
    }
    switch (w->what) {
    case ADD_PAIR:
        b->pair = b->has_pair ? b->pair : DEFAULT_NUMBER;
        b->off = b->off && b->has_pair;
        b->has_pair = true;
        break;
    case CHANGE_BOTH:
    case SET_PAIR:
    case SET_OTHER:
    case SET_PAIR_OF_MADE:
        b->pair = w->number;
        b->off = b->off && b->has_pair;
        b->has_pair = true;
        b->has_wide = b->has_wide && w->what != CHANGE_BOTH;
        break;
    case REMOVE_PAIR: b->has_pair = b->off = false; break;
    case DISABLE_PAIR:
        s.errors += !b->has_pair;
        b->off = b->has_pair;
        break;
    case SET_WIDE:
        b->wide = w->number;
        b->has_wide = true;
        break;
    case TAG_OTHER: b->has_tag = true; break;
    case NAME: b->named = true; break;
    default: b->alive = false; break;
    }
}

// Comparing

static void compare_being(const being *b)
{
    mica_world *w = s.world;
    expect(mica_alive(w, b->entity) == b->alive, "somebody lives, or is dead");
    if (!b->alive) {
        return;
    }
    Pair pair = {0};
    expect(mica_has(w, b->entity, s.pair) == b->has_pair, "a pair is there, or is not");
    if (b->has_pair) {
        mica_load(w, b->entity, s.pair, &pair, sizeof pair);
        const Pair right = b->pair == DEFAULT_NUMBER ? (Pair){5, 5} : pair_of(b->pair);
        expect(pair.number == right.number && pair.other == right.other, "another pair");
        expect(mica_is_enabled(w, b->entity, s.pair) != b->off, "a pair is disabled, or is not");
    }
    const Wide *wide = mica_get(w, b->entity, s.wide);
    const Wide right = wide_of(b->wide);
    expect(b->has_wide ? wide && memcmp(wide, &right, sizeof right) == 0 : !wide, "another wide");
    expect(mica_has(w, b->entity, s.tag) == b->has_tag, "a tag is there, or is not");
    expect((mica_entity_name(w, b->entity) != NULL) == b->named, "a name is there, or is not");
}

static void compare(uint64_t dropped)
{
    expect(mica_world_get_stats(s.world).commands_dropped - dropped == s.dropped,
           "others were dropped");
    expect(test_error_clear(&s.t.error) == s.errors, "other errors were reported");
    uint32_t alive = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        compare_being(&s.beings[i]);
        alive += s.beings[i].alive;
    }
    expect(mica_entity_count(s.world) == alive, "there are more, or fewer");
    expect(mica_world_validate(s.world) == MICA_OK, "the world is not valid");
}

// Sequences

static void begin(const struct storage *kept)
{
    s = (scene){0};
    s.world = test_world_begin(&s.t);
    const Pair usual = {5, 5};
    mica_type_desc pair = MICA_DESCRIBE(Pair, number, other);
    pair.storage = kept->storage;
    pair.toggle = true;
    pair.default_value = &usual;
    s.pair = mica_type_register(s.world, &pair);
    s.wide = mica_type_register(
        s.world, &(mica_type_desc){.name = "Wide", .size = sizeof(Wide), .align = 4});
    s.tag = MICA_SPARSE_TAG(s.world, Tag);
    s.later = mica_world_later(s.world);
}

static void run(const uint8_t *steps, uint32_t length)
{
    mica_world_clear(s.world);
    s.made = s.waiting = s.dropped = s.errors = 0;
    s.number = 100;
    s.count = OLD;
    const Pair pair = pair_of(1);
    const Wide wide = wide_of(2);
    s.beings[0] = (being){.entity = mica_spawn(s.world, MICA_COPY_OF(s.pair, pair)),
                          .alive = true,
                          .has_pair = true,
                          .pair = 1};
    s.beings[1] = (being){.entity = mica_spawn(s.world, MICA_COPY_OF(s.wide, wide)),
                          .alive = true,
                          .has_wide = true,
                          .wide = 2};
    uint64_t dropped = mica_world_get_stats(s.world).commands_dropped;
    for (uint32_t i = 0; i < length; i++) {
        record((operation)steps[i]);
    }
    expect(mica_commands_apply(s.world) == MICA_OK, "commands were not carried out");
    for (uint32_t i = 0; i < s.waiting; i++) {
        carry_out(&s.list[i]);
    }
    compare(dropped);
}

static bool next_sequence(uint8_t *steps, uint32_t length)
{
    for (uint32_t i = length; i-- > 0;) {
        steps[i] = (uint8_t)((steps[i] + 1) % OPERATIONS);
        if (steps[i] != 0) {
            return true;
        }
    }
    return false;
}

static void fail(const struct storage *kept, const uint8_t *steps, uint32_t length)
{
    printf("pairs %s, commands", kept->name);
    for (uint32_t i = 0; i < length; i++) {
        printf(" %d", steps[i]);
    }
    printf(": %s\n", s.wrong);
    CHECK(false);
}

static void every_sequence_of_commands_on_every_storage(void) // S3.8
{
    uint32_t longest = exhaustive_length > 1 ? exhaustive_length - 1 : 1;
    unsigned long runs = 0;
    unsigned long expected = 0;
    for (uint32_t kept = 0; kept < STORAGES; kept++) {
        begin(&storages[kept]);
        unsigned long of_this_length = 1;
        for (uint32_t length = 1; length <= longest && !s.wrong; length++) {
            uint8_t steps[EXHAUSTIVE_LENGTH_MAX] = {0};
            of_this_length *= OPERATIONS;
            expected += of_this_length;
            do {
                run(steps, length);
                runs++;
                if (s.wrong) {
                    fail(&storages[kept], steps, length);
                }
            } while (!s.wrong && next_sequence(steps, length));
        }
        test_world_end(&s.t);
    }
    CHECK_EQUAL(expected, runs);
    printf("later: %lu sequences of up to %lu of %d commands\n", runs, (unsigned long)longest,
           OPERATIONS);
}

TESTS(later, every_sequence_of_commands_on_every_storage)
