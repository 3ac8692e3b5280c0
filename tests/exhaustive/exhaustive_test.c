// Every sequence of operations up to a length, on worlds so small that the operations get in each
// other's way. Each sequence gets a world of its own; lengths ascend, so that the first failure is
// as short as any and what leads up to the last operation has been looked at before. After that one
// the world is validated and compared with a few plain arrays.
//
// An operation on the first or last entity of a world that has none is made on one that has died, if
// there is one, and must be refused.
//
// Worlds whose types have no hooks go back in time, too: snapshots are taken and restored between all other
// operations, and what was done after the last one is done again.
#include "exhaustive/exhaustive.h"

#include <mica.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"
#include "unit/tracked.h"

enum { HOOKED, PLAIN, TAG, TYPES };
enum { BEGIN_MAX = 6, BEINGS_MAX = BEGIN_MAX + EXHAUSTIVE_LENGTH_MAX, PLAIN_DEFAULT = 9 };

// An entity that was ever spawned.
typedef struct being {
    mica_entity entity;
    bool alive;
    bool has[TYPES];
    int64_t value[TYPES];
} being;

// What the world should be.
typedef struct reference {
    uint32_t count;
    being beings[BEINGS_MAX];  // in the order of spawning
    uint32_t limit;            // of slots
    bool used[BEINGS_MAX];     // slots that are in use, or free
    uint32_t next[BEINGS_MAX]; // generation of those that are not
    uint32_t free_count;
    mica_entity free_slots[BEINGS_MAX]; // and who is next in each; the last one comes first
} reference;

// Which of the types are sparse, and stable, and in rings: bit per type. Timed: no type has hooks.
typedef struct storages {
    uint32_t sparse;
    uint32_t stable;
    uint32_t ring;
    bool timed;
} storages;

// A snapshot, and what the world was.
typedef struct moment {
    mica_snapshot snapshot;
    uint64_t digest;
    reference reference;
    int64_t last_value;
} moment;

typedef struct scene {
    test_world t;
    mica_world *world;
    tracker tracker;
    mica_type types[TYPES];
    mica_query query; // has the hooked, has not the tag
    reference reference;
    int64_t last_value;
    uint32_t moment_count; // the oldest first
    moment moments[EXHAUSTIVE_LENGTH_MAX + 1];
    uint32_t current;  // the one that was taken or restored last; UINT32_MAX: it was dropped
    uint32_t done;     // the step that did so
    uint32_t step;     // of the sequence
    const char *wrong; // what was found, in words; NULL: nothing
} scene;

static scene s;

static bool expect(bool right, const char *what)
{
    if (!right && !s.wrong) {
        s.wrong = what;
    }
    return right;
}

// The call succeeded in silence, or was refused for this reason and reported once.
static void expect_result(mica_result expected, mica_result actual)
{
    expect(expected == actual, "the call had another result");
    expect(s.t.error.calls == (expected != MICA_OK), "errors were reported, or not reported");
    expect(!expected || s.t.error.last.code == expected, "another error was reported");
    test_error_clear(&s.t.error);
}

// Entities

static mica_entity next_handle(const reference *r)
{
    if (r->free_count > 0) {
        return r->free_slots[r->free_count - 1];
    }
    uint32_t slot = 0;
    while (slot < r->limit && r->used[slot]) {
        slot++;
    }
    return slot < r->limit ? mica_entity_make(slot, r->next[slot]) : (mica_entity){0};
}

static void expect_spawned(mica_entity entity, const being *like)
{
    reference *r = &s.reference;
    mica_entity expected = next_handle(r);
    bool full = MICA_IS_NONE(expected);
    expect_result(full ? MICA_ERROR_LIMIT : MICA_OK,
                  MICA_IS_NONE(entity) ? MICA_ERROR_LIMIT : MICA_OK);
    if (expect(MICA_EQUAL(expected, entity), "the new entity has another handle") && !full) {
        r->used[mica_entity_slot(entity)] = true;
        r->free_count -= r->free_count > 0;
        r->beings[r->count] = *like;
        r->beings[r->count].entity = entity;
        r->beings[r->count++].alive = true;
    }
}

static void end_being(being *b)
{
    reference *r = &s.reference;
    b->alive = false;
    r->free_slots[r->free_count++] =
        mica_entity_make(mica_entity_slot(b->entity), mica_entity_generation(b->entity) + 1);
}

static being nobody;

// The subject of an operation: the first or the last that is alive, otherwise one that is not.
static being *first(void)
{
    reference *r = &s.reference;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->beings[i].alive) {
            return &r->beings[i];
        }
    }
    return r->count > 0 ? &r->beings[0] : &nobody;
}

static being *last(void)
{
    reference *r = &s.reference;
    for (uint32_t i = r->count; i-- > 0;) {
        if (r->beings[i].alive) {
            return &r->beings[i];
        }
    }
    return r->count > 0 ? &r->beings[r->count - 1] : &nobody;
}

static mica_result result_for(const being *b)
{
    return b->alive ? MICA_OK : MICA_ERROR_ENTITY;
}

static bool matches(const being *b)
{
    return b->alive && b->has[HOOKED] && !b->has[TAG];
}

// Operations

static void spawn_empty(void)
{
    expect_spawned(mica_spawn_values(s.world, NULL, 0), &(being){0});
}

static void spawn_hooked(void)
{
    being like = {.has = {[HOOKED] = true}, .value = {[HOOKED] = ++s.last_value}};
    tracked value = tracked_make(&s.tracker, s.last_value);
    expect_spawned(mica_spawn(s.world, ((mica_value){s.types[HOOKED], &value,
                                                     (uint32_t)sizeof value, 1, NULL})),
                   &like);
    tracked_drop(&s.tracker, &value);
}

static void clone_first(void)
{
    const being like = *first();
    mica_entity entity = mica_clone(s.world, like.entity);
    if (like.alive) {
        expect_spawned(entity, &like);
    } else {
        expect_result(MICA_ERROR_ENTITY, s.t.error.last.code);
        expect(MICA_IS_NONE(entity), "the dead were cloned");
    }
}

static void despawn(being *b)
{
    expect_result(result_for(b), mica_despawn(s.world, b->entity));
    if (b->alive) {
        end_being(b);
    }
}

static void despawn_first(void)
{
    despawn(first());
}

static void despawn_last(void)
{
    despawn(last());
}

static void set_hooked_of_first(void)
{
    being *b = first();
    tracked value = tracked_make(&s.tracker, ++s.last_value);
    expect_result(result_for(b), mica_set_value(s.world, b->entity, s.types[HOOKED], &value,
                                                (uint32_t)sizeof value));
    tracked_drop(&s.tracker, &value);
    if (b->alive) {
        b->has[HOOKED] = true;
        b->value[HOOKED] = s.last_value;
    }
}

static void set_plain(being *b)
{
    int64_t value = ++s.last_value;
    expect_result(result_for(b), mica_set_value(s.world, b->entity, s.types[PLAIN], &value,
                                                (uint32_t)sizeof value));
    if (b->alive) {
        b->has[PLAIN] = true;
        b->value[PLAIN] = value;
    }
}

static void toggle(being *b, int type, int64_t value)
{
    bool had = b->has[type];
    expect_result(result_for(b), had ? mica_remove(s.world, b->entity, s.types[type])
                                     : mica_add(s.world, b->entity, s.types[type]));
    if (b->alive) {
        b->has[type] = !had;
        b->value[type] = value;
    }
}

static void toggle_plain_of_first(void)
{
    being *b = first();
    if (b->has[PLAIN]) {
        toggle(b, PLAIN, 0);
    } else {
        set_plain(b);
    }
}

static void toggle_hooked_of_last(void)
{
    toggle(last(), HOOKED, TRACKED_DEFAULT);
}

static void toggle_tag_of_last(void)
{
    toggle(last(), TAG, 0);
}

static uint32_t count_matches(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s.reference.count; i++) {
        count += matches(&s.reference.beings[i]);
    }
    return count;
}

static void add_plain_by_query(void)
{
    uint32_t changed = UINT32_MAX;
    expect_result(MICA_OK, mica_add_all(s.world, s.query, s.types[PLAIN], &changed));
    expect(changed == count_matches(), "another number was changed by query");
    for (uint32_t i = 0; i < s.reference.count; i++) {
        being *b = &s.reference.beings[i];
        if (matches(b) && !b->has[PLAIN]) {
            b->has[PLAIN] = true;
            b->value[PLAIN] = PLAIN_DEFAULT;
        }
    }
}

static void remove_hooked_by_query(void)
{
    uint32_t changed = UINT32_MAX;
    expect_result(MICA_OK, mica_remove_all(s.world, s.query, s.types[HOOKED], &changed));
    expect(changed == count_matches(), "another number was changed by query");
    for (uint32_t i = 0; i < s.reference.count; i++) {
        being *b = &s.reference.beings[i];
        b->has[HOOKED] = b->has[HOOKED] && !matches(b);
    }
}

// Is nobody alive in the page of a slot?
static bool is_idle(const reference *r, uint32_t page)
{
    bool idle = true;
    for (uint32_t i = 0; i < r->count; i++) {
        const being *b = &r->beings[i];
        idle = idle && !(b->alive && mica_entity_slot(b->entity) >> MICA_VIEW_SLOT_SHIFT == page);
    }
    return idle;
}

// Slots of pages in which nobody lives are as if never used, but for the generation: the highest that
// is next in one of them.
static void reclaim(void)
{
    reference *r = &s.reference;
    expect_result(MICA_OK, mica_world_reclaim(s.world));
    uint32_t floors[BEINGS_MAX] = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->free_count; i++) {
        uint32_t page = mica_entity_slot(r->free_slots[i]) >> MICA_VIEW_SLOT_SHIFT;
        uint32_t generation = mica_entity_generation(r->free_slots[i]);
        floors[page] = generation > floors[page] ? generation : floors[page];
        if (!is_idle(r, page)) {
            r->free_slots[kept++] = r->free_slots[i];
        }
    }
    r->free_count = kept;
    for (uint32_t slot = 0; slot < BEINGS_MAX; slot++) {
        uint32_t page = slot >> MICA_VIEW_SLOT_SHIFT;
        if (is_idle(r, page)) {
            r->used[slot] = false;
            r->next[slot] = r->next[slot] > floors[page] ? r->next[slot] : floors[page];
        }
    }
}

// The lowest slot goes first.
static void clear(void)
{
    expect_result(MICA_OK, mica_world_clear(s.world));
    reference *r = &s.reference;
    for (uint32_t slot = 0; slot < BEINGS_MAX; slot++) {
        for (uint32_t i = 0; i < r->count; i++) {
            if (r->beings[i].alive && mica_entity_slot(r->beings[i].entity) == slot) {
                end_being(&r->beings[i]);
            }
        }
    }
}

// Snapshots

static void take(void)
{
    moment *m = &s.moments[s.moment_count];
    uint64_t digest = mica_world_digest(s.world);
    mica_snapshot snapshot = mica_snapshot_take(s.world);
    expect(!MICA_IS_NONE(snapshot), "no snapshot is taken");
    expect(mica_world_digest(s.world) == digest, "taking a snapshot changes the digest");
    m->snapshot = snapshot;
    m->digest = digest;
    m->reference = s.reference;
    m->last_value = s.last_value;
    s.current = s.moment_count++;
    s.done = s.step;
}

static void restore(uint32_t which)
{
    const moment *m = &s.moments[which];
    bool kept = which < s.moment_count;
    expect_result(kept ? MICA_OK : MICA_ERROR_TIME,
                  mica_snapshot_restore(s.world, kept ? m->snapshot : (mica_snapshot){0}));
    if (kept) {
        expect(mica_world_digest(s.world) == m->digest, "a restore leads to another digest");
        s.reference = m->reference;
        s.last_value = m->last_value;
        s.moment_count = which + 1;
        s.current = which;
        s.done = s.step;
    }
}

static void restore_newest(void)
{
    restore(s.moment_count > 0 ? s.moment_count - 1 : 0);
}

static void restore_oldest(void)
{
    restore(0);
}

static void drop_newest(void)
{
    bool kept = s.moment_count > 0;
    s.moment_count -= kept;
    s.current = s.current == s.moment_count ? UINT32_MAX : s.current;
    expect_result(kept ? MICA_OK : MICA_ERROR_TIME,
                  mica_snapshot_drop(s.world, kept ? s.moments[s.moment_count].snapshot
                                                   : (mica_snapshot){0}));
}

typedef struct operation {
    const char *name;
    void (*run)(void);
} operation;

static const operation operations[] = {
    {"spawn empty", spawn_empty},
    {"spawn hooked", spawn_hooked},
    {"clone first", clone_first},
    {"despawn first", despawn_first},
    {"despawn last", despawn_last},
    {"set hooked of first", set_hooked_of_first},
    {"toggle hooked of last", toggle_hooked_of_last},
    {"toggle plain of first", toggle_plain_of_first},
    {"toggle tag of last", toggle_tag_of_last},
    {"add plain by query", add_plain_by_query},
    {"remove hooked by query", remove_hooked_by_query},
    {"reclaim", reclaim},
    {"clear", clear},
    {"take", take},
    {"restore newest", restore_newest},
    {"restore oldest", restore_oldest},
    {"drop newest", drop_newest},
};

enum {
    TIMED_OPERATIONS = sizeof operations / sizeof operations[0],
    OPERATIONS = TIMED_OPERATIONS - 4
};

static bool is_of_time(uint32_t step)
{
    return step >= OPERATIONS;
}

// Comparing

static void compare_value(const being *b, int type, const void *value)
{
    if (!b->has[type] || type == TAG) {
        expect(!value, "there is a value of a component that is not there");
    } else if (type == HOOKED) {
        expect(tracked_is(&s.tracker, value, b->value[type]), "a hooked value is not what it was");
    } else {
        expect(value && *(const int64_t *)value == b->value[type],
               "a plain value is not what it was");
    }
}

static void compare_being(const being *b)
{
    expect(mica_alive(s.world, b->entity) == b->alive,
           "an entity is alive that should not be, or dead");
    expect(mica_query_contains(s.world, s.query, b->entity) == matches(b),
           "the query contains an entity that it should not, or lacks one");
    for (int type = 0; b->alive && type < TYPES; type++) {
        expect(mica_has(s.world, b->entity, s.types[type]) == b->has[type],
               "an entity has a component that it should not have, or lacks one");
        compare_value(b, type, mica_get(s.world, b->entity, s.types[type]));
    }
}

// One row of a segment: somebody who matches and was not seen before.
static void compare_row(const mica_iter *it, uint32_t row, bool *seen)
{
    for (uint32_t i = 0; i < s.reference.count; i++) {
        const being *b = &s.reference.beings[i];
        if (MICA_EQUAL(b->entity, it->entities[row])) {
            expect(matches(b) && !seen[i], "a row of the query should not be there");
            seen[i] = true;
            const int64_t *plain = mica_read(it, 2);
            compare_value(b, HOOKED, mica_read_row(it, 0, row)); // it has hooks
            compare_value(b, PLAIN, plain ? plain + row : NULL);
            return;
        }
    }
    expect(false, "a row of the query is nobody's");
}

static void compare_query(void)
{
    expect(mica_query_count(s.world, s.query) == count_matches(), "the query counts others");
    bool seen[BEINGS_MAX] = {false};
    uint32_t rows = 0;
    mica_iter it;
    mica_iter_begin(s.world, s.query, &it);
    while (mica_iter_next(&it)) {
        rows += it.count;
        for (uint32_t row = 0; row < it.count && !s.wrong; row++) {
            compare_row(&it, row, seen);
        }
    }
    expect(rows == count_matches(), "the query's segments have more or fewer rows");
}

static void compare(void)
{
    expect(mica_world_validate(s.world) == MICA_OK, s.t.error.last.sentence);
    uint32_t alive = 0;
    uint32_t hooked = 0;
    for (uint32_t i = 0; i < s.reference.count && !s.wrong; i++) {
        const being *b = &s.reference.beings[i];
        compare_being(b);
        alive += b->alive;
        hooked += b->alive && b->has[HOOKED];
    }
    expect(mica_entity_count(s.world) == alive, "another number of entities is alive");
    expect(s.tracker.errors == 0, "hooks were called wrongly");
    expect(s.tracker.alive == (s.tracker.idle ? 0 : hooked),
           "another number of hooked values is alive");
    if (!s.wrong) {
        compare_query();
    }
    expect(s.t.error.calls == 0, "looking at the world reported an error");
}

// Sequences

typedef struct sequence {
    uint32_t length;
    uint8_t steps[EXHAUSTIVE_LENGTH_MAX];
} sequence;

static sequence now;

static void print_sequence(void)
{
    printf("  the sequence");
    for (uint32_t i = 0; i < now.length; i++) {
        printf("%s %s", i > 0 ? "," : ":", operations[now.steps[i]].name);
    }
    printf("\n");
}

// A failed assertion, or worse: at least the sequence is reported.
static void tell_and_die(int signal_number)
{
    print_sequence();
    fflush(stdout);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static mica_type register_type(const storages *kept, uint32_t type, mica_type_desc desc)
{
    desc.storage = kept->sparse >> type & 1 ? MICA_SPARSE
                   : kept->ring >> type & 1 ? MICA_RING
                                            : MICA_TABLE;
    desc.stable = kept->stable >> type & 1;
    return mica_type_register(s.world, &desc);
}

static void begin_world(const storages *kept, uint32_t limit, uint32_t count)
{
    test_world_prepare(&s.t);
    s.t.desc.max_entities = limit;
    s.world = test_world_open(&s.t);
    tracker_begin(&s.tracker);
    s.tracker.idle = kept->timed;
    s.last_value = 100;
    s.moment_count = s.done = s.step = 0;
    s.wrong = NULL;
    s.reference.count = s.reference.free_count = 0;
    memset(s.reference.used, 0, sizeof s.reference.used);
    memset(s.reference.next, 0, sizeof s.reference.next);
    s.reference.limit = limit;
    static const int64_t plain_default = PLAIN_DEFAULT;
    mica_type_desc hooked = tracked_desc(&s.tracker, "Hooked", true);
    mica_type_desc plain = {.name = "Plain",
                            .size = sizeof plain_default,
                            .align = _Alignof(int64_t),
                            .default_value = &plain_default};
    s.types[HOOKED] = register_type(kept, HOOKED, hooked);
    s.types[PLAIN] = register_type(kept, PLAIN, plain);
    s.types[TAG] = register_type(kept, TAG, (mica_type_desc){.name = "Tag"});
    s.query =
        mica_query_new(s.world, &(mica_query_desc){.terms = {{s.types[HOOKED], MICA_READ},
                                                             {s.types[TAG], MICA_WITHOUT},
                                                             {s.types[PLAIN], MICA_OPTIONAL}}});
    for (uint32_t i = 0; i < count; i++) {
        spawn_hooked();
    }
    if (kept->timed) {
        expect_result(MICA_OK, mica_time_begin(s.world, NULL));
        take();
    }
}

// Once more what came after the last snapshot or restore, after that was restored.
static void do_again(void)
{
    uint64_t digest = mica_world_digest(s.world);
    uint32_t first = s.done;
    if (s.current == UINT32_MAX) {
        return;
    }
    restore(s.current);
    for (uint32_t i = first; i < now.length; i++) {
        if (!is_of_time(now.steps[i])) {
            operations[now.steps[i]].run();
        }
    }
    expect(mica_world_digest(s.world) == digest, "doing it again leads elsewhere");
}

static void run_sequence(const storages *kept, uint32_t limit, uint32_t count)
{
    begin_world(kept, limit, count);
    for (s.step = 0; s.step < now.length; s.step++) {
        operations[now.steps[s.step]].run();
    }
    compare();
    if (kept->timed && !s.wrong) {
        do_again();
        compare();
    }
    if (s.wrong) {
        test_fail(__FILE__, __LINE__, "%s", s.wrong);
        print_sequence();
        test_leave();
    }
    test_world_end(&s.t);
    if (s.tracker.errors != 0 || s.tracker.alive != 0) {
        test_fail(__FILE__, __LINE__, "the end of the world left %lu values",
                  (unsigned long)s.tracker.alive);
        print_sequence();
        test_leave();
    }
}

// The next sequence of the same length, the last operation changing first; false after the last.
static bool next_sequence(uint32_t count)
{
    for (uint32_t i = now.length; i-- > 0;) {
        now.steps[i] = (uint8_t)((now.steps[i] + 1) % count);
        if (now.steps[i] != 0) {
            return true;
        }
    }
    return false;
}

static void run_all(const char *name, const storages *kept, uint32_t length, uint32_t limit,
                    uint32_t count)
{
    signal(SIGABRT, tell_and_die);
    signal(SIGSEGV, tell_and_die);
    unsigned long expected = 0;
    unsigned long sequences = 0;
    unsigned long of_this_length = 1;
    uint32_t count_of_operations = kept->timed ? TIMED_OPERATIONS : OPERATIONS;
    for (uint32_t l = 1; l <= length; l++) {
        now = (sequence){.length = l};
        of_this_length *= count_of_operations;
        expected += of_this_length;
        do {
            run_sequence(kept, limit, count);
            sequences++;
        } while (next_sequence(count_of_operations));
    }
    CHECK_EQUAL(expected, sequences);
    printf("%s: %lu sequences of up to %lu of %d operations\n", name, sequences,
           (unsigned long)length, (int)count_of_operations);
}

static const storages in_tables;

static uint32_t shorter(void)
{
    return exhaustive_length > 1 ? exhaustive_length - 1 : 1;
}

static void every_sequence_in_three_slots(void)
{
    run_all("three slots", &in_tables, exhaustive_length, 3, 0);
}

// Six entities are a sheet and a half of one table.
static void every_sequence_from_two_sheets(void)
{
    run_all("two sheets", &in_tables, shorter(), BEGIN_MAX + 1, BEGIN_MAX);
}

static void every_sequence_with_a_sparse_type(void)
{
    static const storages some[] = {{.sparse = 1 << HOOKED},
                                    {.sparse = 1 << PLAIN, .stable = 1 << PLAIN},
                                    {.sparse = 1 << TAG},
                                    {.sparse = 1 << HOOKED | 1 << TAG, .stable = 1 << HOOKED}};
    static const char *const names[] = {"a sparse type with hooks", "a stable type", "a sparse tag",
                                        "a stable type with hooks, a sparse tag"};
    for (uint32_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        run_all(names[i], &some[i], shorter(), 3, 0);
    }
}

// One entity, of which there is a snapshot, to begin with.
static void every_sequence_that_goes_back(void)
{
    static const storages some[] = {{.timed = true},
                                    {.sparse = 1 << HOOKED | 1 << TAG, .timed = true},
                                    {.sparse = 1 << PLAIN, .stable = 1 << PLAIN, .timed = true},
                                    {.ring = 1 << HOOKED | 1 << PLAIN, .timed = true}};
    static const char *const names[] = {"snapshots of tables", "snapshots of pools",
                                        "snapshots of a stable type", "snapshots of rings"};
    for (uint32_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        run_all(names[i], &some[i], shorter(), 3, 1);
    }
}

TESTS(exhaustive, every_sequence_that_goes_back, every_sequence_in_three_slots,
      every_sequence_from_two_sheets, every_sequence_with_a_sparse_type)
