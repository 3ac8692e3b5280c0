// What mica/system.h promises.
#include "promise.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Score {
    int32_t points;
} Score;

typedef struct stage stage;

// A system of these cases: it writes its letter whenever one of its functions is called, and may do something.
typedef struct actor {
    char letter;
    stage *s;
    void (*act)(mica_iter *it, struct actor *self); // in its update
    bool fails_early, fails_when;                   // in begin, or when
    bool unwilling;                                 // when says no
    mica_system other;
    mica_query query;
    mica_result result; // of what it did
    uint32_t seen;
    float dt;
    double time;
} actor;

struct stage {
    test_world t;
    mica_world *world;
    mica_type position, frozen, score;
    mica_entity entity;
    char played[200];
    actor a, b, c;
};

static void play(actor *self, char letter)
{
    size_t length = strlen(self->s->played);
    REQUIRE(length + 1 < sizeof self->s->played);
    self->s->played[length] = letter;
    self->s->played[length + 1] = 0;
}

static void update(mica_iter *it)
{
    actor *self = it->user;
    play(self, self->letter);
    self->dt = it->dt;
    self->time = it->time;
    if (self->act) {
        self->act(it, self);
    }
}

static void begin_run(mica_iter *it)
{
    actor *self = it->user;
    play(self, '(');
    CHECK_EQUAL(0, it->count);
    if (self->fails_early) {
        mica_system_fail(it, -5, "early");
    }
}

static void end_run(mica_iter *it)
{
    play(it->user, ')');
    CHECK_EQUAL(0, it->count);
}

static bool is_willing(const mica_iter *it)
{
    actor *self = it->user;
    play(self, '?');
    CHECK_EQUAL(0, it->count);
    if (self->fails_when) {
        mica_system_fail(it, 0, "unsure");
    }
    return !self->unwilling;
}

static mica_world *begin(stage *s)
{
    memset(s, 0, sizeof *s);
    s->world = test_world_begin(&s->t);
    s->position = MICA_REGISTER(s->world, Position, x, y);
    s->frozen = MICA_TAG(s->world, Frozen);
    s->score = MICA_REGISTER(s->world, Score, points);
    s->entity = mica_spawn(s->world, MICA_VALUE(s->position, Position, 1, 2));
    s->a = (actor){.letter = 'a', .s = s};
    s->b = (actor){.letter = 'b', .s = s};
    s->c = (actor){.letter = 'c', .s = s};
    return s->world;
}

// A system that plays an actor, and is named by its letter; the rest as described.
static mica_system add(stage *s, actor *who, mica_system_desc desc)
{
    char name[] = {who->letter, 0};
    desc.name = name;
    desc.update = update;
    desc.user = who;
    return mica_system_add(s->world, &desc);
}

static const mica_system_desc plain; // all zero

static void check_played(stage *s, const char *expected)
{
    CHECK_TEXT(expected, s->played);
    s->played[0] = 0;
}

static void check_code(stage *s, mica_result code)
{
    CHECK_EQUAL(code, s->t.error.last.code);
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
}

// The plan of a step is as it was.
static void check_refused(stage *s, mica_result code, mica_result result, const char *plan)
{
    char text[1000];
    CHECK_EQUAL(code, result);
    check_code(s, code);
    TEST_PRINT(text, mica_schedule_print, s->world);
    CHECK_TEXT(plan, text);
}

static void refuse(stage *s, mica_result code, const mica_system_desc *desc)
{
    uint32_t queries = mica_world_get_stats(s->world).queries;
    char before[1000];
    TEST_PRINT(before, mica_schedule_print, s->world);
    CHECK(MICA_IS_NONE(mica_system_add(s->world, desc)));
    check_refused(s, code, code, before);
    CHECK_EQUAL(queries, mica_world_get_stats(s->world).queries);
}

// The same of one that has a name and an update.
static void refuse_rest(stage *s, mica_result code, mica_system_desc desc)
{
    desc.name = "refused";
    desc.update = update;
    refuse(s, code, &desc);
}

static void read_score(mica_world *world, const void *data)
{
    actor *self = *(actor *const *)data;
    self->seen += mica_resource_get(world, self->s->score) != NULL;
}

static void add_inside(mica_iter *it, actor *self)
{
    self->result = MICA_IS_NONE(mica_system_add(
                       it->world, &(mica_system_desc){.name = "late", .update = update}))
                       ? MICA_ERROR_ITERATING
                       : MICA_OK;
}

// What a system finds that has declared nothing.
static void reach_out(mica_iter *it, actor *self)
{
    stage *s = self->s;
    mica_iter own;
    CHECK(mica_resource_get(it->world, s->score) == NULL);
    check_code(s, MICA_ERROR_UNDECLARED);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED,
                mica_resource_set(it->world, MICA_VALUE(s->score, Score, 1)));
    check_code(s, MICA_ERROR_UNDECLARED);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, mica_send(it->world, MICA_VALUE(s->score, Score, 1)));
    check_code(s, MICA_ERROR_UNDECLARED);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, mica_send(mica_later(it), MICA_VALUE(s->score, Score, 1)));
    check_code(s, MICA_ERROR_UNDECLARED);
    CHECK_EQUAL(MICA_ERROR_UNDECLARED, mica_iter_begin(it->world, self->query, &own));
    check_code(s, MICA_ERROR_UNDECLARED);
    CHECK(mica_get_mut(it->world, s->entity, s->position) != NULL);
    CHECK_EQUAL(1, mica_query_count(it->world, self->query));
    CHECK_EQUAL(MICA_OK, mica_set(it->world, s->entity, MICA_VALUE(s->position, Position, 3, 4)));
    mica_defer_call(mica_later(it), read_score, &self, sizeof self);
}

static void observe_score(const mica_observer_event *h)
{
    actor *self = h->user;
    self->seen += mica_resource_get(h->world, self->s->score) != NULL;
}

// What a parallel system may not declare, and an alone one.
static void refuse_run(stage *s, const char *sentence, mica_system_desc desc)
{
    char before[1000];
    char after[1000];
    uint32_t queries = mica_world_get_stats(s->world).queries;
    TEST_PRINT(before, mica_schedule_print, s->world);
    desc.name = "refused";
    desc.update = update;
    CHECK(MICA_IS_NONE(mica_system_add(s->world, &desc)));
    CHECK_ERROR(&s->t, s->t.error.last.code, sentence);
    TEST_PRINT(after, mica_schedule_print, s->world);
    CHECK_TEXT(before, after);
    CHECK_EQUAL(queries, mica_world_get_stats(s->world).queries);
}

static void combine_scores(void *total, const void *value)
{
    ((Score *)total)->points += ((const Score *)value)->points;
}

static mica_result copy_score(void *target, const void *source, uint32_t count,
                              const mica_hook_context *context)
{
    (void)context;
    memcpy(target, source, count * sizeof(Score));
    return MICA_OK;
}

static void check_alone(stage *s)
{
    static const char needs[] =
        "mica_system_add: system 'refused': .others, .batch_rows, .spawns and .reduce need .run = "
        "MICA_PARALLEL or MICA_CONCURRENT";
    refuse_run(s, needs, (mica_system_desc){.batch_rows = 1});
    refuse_run(s, needs, (mica_system_desc){.spawns = 1});
    refuse_run(s, needs, (mica_system_desc){.reduce.into = s->score});
    refuse_run(s, needs, (mica_system_desc){.reduce.combine = combine_scores});
    refuse_run(s, needs, (mica_system_desc){.others = {s->position}});
    refuse_run(s, needs, (mica_system_desc){.others = {{0}, s->position}});
}

static void check_parallel(stage *s, mica_query reads, mica_query writes)
{
    mica_system_desc good = {.run = MICA_PARALLEL, .query.terms = {{s->position, MICA_WRITE}}};
    mica_system_desc desc = good;
    desc.run = (mica_run)3;
    refuse_run(s,
               "mica_system_add: system 'refused': .run is none of MICA_ALONE, _CONCURRENT and "
               "_PARALLEL",
               desc);
    desc = good;
    desc.query.terms[0] = (mica_term){{0}, 0};
    refuse_run(s,
               "mica_system_add: system 'refused': a parallel system needs a query, whose rows are "
               "divided; MICA_CONCURRENT does not",
               desc);
    desc = good;
    desc.resources[0] = (mica_term){s->score, MICA_WRITE};
    refuse_run(s,
               "mica_system_add: system 'refused': a parallel system only reads resources; .reduce "
               "combines values of its batches",
               desc);
    desc = good;
    desc.queries[0] = writes;
    refuse_run(s,
               "mica_system_add: system 'refused': its batches run at the same time, and each "
               "would write, by .queries, 'Score'",
               desc);
    desc = good;
    desc.queries[0] = reads;
    refuse_run(s,
               "mica_system_add: system 'refused': its batches read in other rows, by .queries, "
               "what they write at the same time: 'Position'",
               desc);
    desc = good;
    desc.query.terms[0].access = MICA_WRITE | MICA_CHANGED;
    refuse_run(s,
               "mica_system_add: system 'refused': its batches select changes that they make at "
               "the same time, of 'Position'",
               desc);
    desc = good;
    desc.others[0] = s->position;
    refuse_run(s,
               "mica_system_add: system 'refused': its batches read of other entities, by "
               ".others, what they write at the same time: 'Position'",
               desc);
}

static void check_others(stage *s, mica_type foreign)
{
    const mica_system_desc good = {.run = MICA_CONCURRENT};
    mica_system_desc desc = good;
    desc.others[1] = s->score;
    refuse_run(s,
               "mica_system_add: system 'refused': .others has a gap; the types behind it would be "
               "lost",
               desc);
    desc.others[0] = s->score;
    refuse_run(s, "mica_system_add: system 'refused': .others lists a type twice: 'Score'", desc);
    desc.others[1] = foreign;
    refuse_run(
        s,
        "mica_system_add: system 'refused': .others 1: the component type is of another world, or no type at "
        "all",
        desc);
}

static void check_reduce(stage *s, mica_type foreign, mica_type hooked)
{
    const mica_system_desc good = {.run = MICA_CONCURRENT, .reduce = {s->score, combine_scores}};
    mica_system_desc desc = good;
    desc.reduce.into = (mica_type){0};
    refuse_run(s, "mica_system_add: system 'refused': .reduce.combine without .reduce.into", desc);
    desc.reduce.into = foreign;
    refuse_run(
        s,
        "mica_system_add: system 'refused', .reduce.into: the component type is of another world, or no type "
        "at all",
        desc);
    desc = good;
    desc.reduce.combine = NULL;
    refuse_run(s, "mica_system_add: reduce.combine is null", desc);
    desc = good;
    desc.reduce.into = hooked;
    refuse_run(s,
               "mica_system_add: system 'refused': .reduce.into must be a type whose values are "
               "bytes, not 'Hooked'",
               desc);
    desc.reduce.into = s->frozen;
    refuse_run(s,
               "mica_system_add: system 'refused': .reduce.into must be a type whose values are "
               "bytes, not 'Frozen'",
               desc);
    desc = good;
    desc.resources[0] = (mica_term){s->score, MICA_READ};
    refuse_run(s,
               "mica_system_add: system 'refused': .reduce.into is listed in .resources, too: "
               "'Score'",
               desc);
    desc = good;
    for (uint32_t i = 0; i < MICA_SYSTEM_USES_MAX; i++) {
        char name[] = {'r', (char)('a' + i), 0};
        desc.resources[i] = (mica_term){
            mica_type_register(s->world, &(mica_type_desc){.name = name, .size = 4, .align = 4}),
            MICA_READ};
    }
    refuse_run(s,
               "mica_system_add: system 'refused': .resources has no place left for .reduce.into",
               desc);
}

// [system.add_thread]
static void check_threads(void)
{
    stage s;
    stage other;
    mica_world *world = begin(&s);
    begin(&other);
    add(&other, &other.a, plain);
    mica_type foreign = other.score;
    mica_type hooked = mica_type_register(world, &(mica_type_desc){.name = "Hooked",
                                                                   .size = sizeof(Score),
                                                                   .align = _Alignof(Score),
                                                                   .hooks.copy = copy_score});
    mica_query reads =
        mica_query_new(world, &(mica_query_desc){.terms = {{s.position, MICA_READ}}});
    mica_query writes = mica_query_new(world, &(mica_query_desc){.terms = {{s.score, MICA_WRITE}}});
    check_alone(&s);
    check_parallel(&s, reads, writes);
    check_others(&s, foreign);
    check_reduce(&s, foreign, hooked);

    // what is allowed: reading in other rows, and all that of concurrent systems
    mica_system_desc desc = {.run = MICA_PARALLEL,
                             .query.terms = {{s.score, MICA_WRITE}},
                             .queries = {reads},
                             .others = {s.position},
                             .batch_rows = 1,
                             .spawns = 2};
    CHECK(!MICA_IS_NONE(add(&s, &s.a, desc)));
    desc = (mica_system_desc){.run = MICA_CONCURRENT,
                              .query.terms = {{s.position, MICA_WRITE | MICA_CHANGED}},
                              .queries = {reads, writes},
                              .others = {s.position, s.score},
                              .resources = {{s.position, MICA_WRITE}},
                              .reduce = {s.score, combine_scores}};
    CHECK(!MICA_IS_NONE(add(&s, &s.b, desc)));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    test_world_end(&other.t);
    test_world_end(&s.t);
}

PROMISE(mica_system_add)
{
    // [system.add_thread]
    check_threads();

    // [system.add_cost]: tests/gate/growth.c
    // [system.undeclared], [system.entities], [system.calls]
    {
        stage s;
        mica_world *world = begin(&s);
        mica_resource_set(world, MICA_VALUE(s.score, Score, 5));
        s.a.act = reach_out;
        s.a.query = mica_query_new(world, &(mica_query_desc){.terms = {{s.position, MICA_READ}}});
        mica_observer_new(world, &(mica_observer_desc){.events = MICA_ON_SET,
                                                       .type = s.position,
                                                       .call = observe_score,
                                                       .user = &s.a});
        add(&s, &s.a, plain);
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        CHECK_EQUAL(2, s.a.seen);
        CHECK_EQUAL(0, test_event_count(world, s.score));
        test_world_end(&s.t);
    }

    stage s;
    mica_world *world = begin(&s);

    // [system.order]
    mica_system a = add(&s, &s.a, plain);
    mica_system b = add(&s, &s.b, plain);
    mica_system c = add(&s, &s.c, (mica_system_desc){.before = {b, a}});
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "cab");

    // [system.named]
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, a));
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, b));
    a = add(&s, &s.a, plain);
    CHECK_EQUAL(MICA_OK, mica_system_move(world, c, (mica_phase){0}, (mica_system){0}));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "ac");

    // [system.add_fail]: MICA_ERROR_NULL, MICA_ERROR_DESC, MICA_ERROR_NAME, MICA_ERROR_ITERATING
    // and those of mica_query_new()
    CHECK(MICA_IS_NONE(mica_system_add(NULL, &plain)));
    refuse(&s, MICA_ERROR_NULL, NULL);
    refuse(&s, MICA_ERROR_NULL, &(mica_system_desc){.name = "x"});
    refuse(&s, MICA_ERROR_NAME, &(mica_system_desc){.update = update});
    refuse(&s, MICA_ERROR_NAME, &(mica_system_desc){.name = "a", .update = update});
    refuse(&s, MICA_ERROR_NAME, &(mica_system_desc){.name = "", .update = update});
    refuse_rest(&s, MICA_ERROR_DESC, (mica_system_desc){.first_zero = 1});
    refuse_rest(&s, MICA_ERROR_DESC, (mica_system_desc){.last_zero = 1});
    refuse_rest(&s, MICA_ERROR_DESC, (mica_system_desc){.query.last_zero = 1});
    refuse_rest(&s, MICA_ERROR_TERMS, (mica_system_desc){.query.no_entities = true});
    refuse_rest(&s, MICA_ERROR_TERMS, (mica_system_desc){.query.name = "nothing"});
    refuse_rest(&s, MICA_ERROR_TYPE, (mica_system_desc){.query.terms = {{{0}, MICA_READ}}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.query.terms = {{s.position, 0}}});
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    refuse_rest(&s, MICA_ERROR_ITERATING, plain);
    mica_iter_end(&it);
    s.a.act = add_inside;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_ITERATING, s.a.result);
    check_code(&s, MICA_ERROR_ITERATING);
    s.a.act = NULL;
    check_played(&s, "ac");

    // [system.add_fail]: MICA_ERROR_QUERY, MICA_ERROR_TYPE, MICA_ERROR_PHASE, MICA_ERROR_SYSTEM
    stage other;
    begin(&other);
    mica_system foreign = add(&other, &other.a, plain);
    mica_query foreign_query =
        mica_query_new(other.world, &(mica_query_desc){.terms = {{other.frozen, MICA_WITH}}});
    refuse_rest(&s, MICA_ERROR_QUERY, (mica_system_desc){.queries = {foreign_query}});
    refuse_rest(&s, MICA_ERROR_TYPE, (mica_system_desc){.resources = {{other.score, MICA_READ}}});
    refuse_rest(&s, MICA_ERROR_TYPE, (mica_system_desc){.events = {{other.score, MICA_READ}}});
    refuse_rest(&s, MICA_ERROR_TYPE, (mica_system_desc){.events = {{{0}, MICA_READ}}});
    refuse_rest(&s, MICA_ERROR_PHASE,
                (mica_system_desc){.phase = mica_phase_find(other.world, "update")});
    refuse_rest(&s, MICA_ERROR_SYSTEM, (mica_system_desc){.before = {foreign}});
    refuse_rest(&s, MICA_ERROR_SYSTEM, (mica_system_desc){.after = {foreign}});
    refuse_rest(&s, MICA_ERROR_SYSTEM, (mica_system_desc){.after = {b}}); // removed
    test_world_end(&other.t);

    // [system.add_fail]: MICA_ERROR_ARGUMENT
    const mica_term read = {s.score, MICA_READ};
    const mica_term write = {s.score, MICA_WRITE};
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.resources = {{s.score, MICA_WITH}}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT,
                (mica_system_desc){.events = {{s.score, MICA_READ | MICA_CHANGED}}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.queries = {query, query}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.resources = {read, write}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.events = {read, read}});
    mica_system both = add(&s, &s.b, (mica_system_desc){.events = {read, write}});
    CHECK(!MICA_IS_NONE(both));
    mica_system_remove(world, both);
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.queries = {{0}, query}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.resources = {{{0}, 0}, read}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.events = {{{0}, 0}, read}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.before = {{0}, a}});
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.after = {{0}, a}});
    b = add(&s, &s.b, (mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
    mica_query own = (mica_query){0};
    for (mica_query q = mica_query_next(world, own); !MICA_IS_NONE(q);
         q = mica_query_next(world, q)) {
        mica_query_info about;
        own = mica_query_get_info(world, q, &about) && MICA_EQUAL(b, about.system) ? q : own;
    }
    refuse_rest(&s, MICA_ERROR_ARGUMENT, (mica_system_desc){.queries = {own}});

    // [system.add_fail]: MICA_ERROR_SIZE
    refuse_rest(&s, MICA_ERROR_SIZE, (mica_system_desc){.resources = {{s.frozen, MICA_READ}}});
    refuse_rest(&s, MICA_ERROR_SIZE, (mica_system_desc){.events = {{s.frozen, MICA_READ}}});

    // [system.add_fail]: MICA_ERROR_ORDER
    refuse_rest(&s, MICA_ERROR_ORDER, (mica_system_desc){.before = {a}, .after = {c}});
    mica_phase late = mica_phase_add(world, &(mica_phase_desc){.name = "late"});
    refuse_rest(&s, MICA_ERROR_ORDER, (mica_system_desc){.before = {a}, .phase = late});
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "acb");

    // [system.add_fail]: MICA_ERROR_MEMORY, wherever it is refused
    mica_result code = MICA_ERROR_MEMORY;
    for (uint32_t k = 1; code == MICA_ERROR_MEMORY; k++) {
        uint32_t queries = mica_world_get_stats(world).queries;
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        mica_system made =
            mica_system_add(world, &(mica_system_desc){.name = "hungry",
                                                       .update = update,
                                                       .begin = begin_run,
                                                       .user = &s.b,
                                                       .query.terms = {{s.score, MICA_READ}}});
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        code = MICA_IS_NONE(made) ? s.t.error.last.code : MICA_OK;
        CHECK_EQUAL(code ? 1 : 0, test_error_clear(&s.t.error));
        CHECK(MICA_EQUAL(made, mica_system_find(world, "hungry")));
        CHECK_EQUAL(queries + (code ? 0 : 1), mica_world_get_stats(world).queries);
    }
    CHECK_EQUAL(MICA_OK, code);
    test_world_end(&s.t);
}

static void remove_inside(mica_iter *it, actor *self)
{
    self->result = mica_system_remove(it->world, self->other);
}

static void remove_called(mica_world *world, const void *data)
{
    actor *self = *(actor *const *)data;
    self->result = mica_system_remove(world, self->other);
}

static void remove_recorded(mica_iter *it, actor *self)
{
    mica_defer_call(mica_later(it), remove_called, &self, sizeof self);
}

PROMISE(mica_system_remove)
{
    stage s;
    mica_world *world = begin(&s);
    mica_system a = add(&s, &s.a, plain);
    mica_system b = add(&s, &s.b, (mica_system_desc){.query.terms = {{s.position, MICA_READ}}});

    // [system.remove_fail]: MICA_ERROR_ITERATING
    s.a.act = remove_inside;
    s.a.other = b;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_ITERATING, s.a.result);
    check_code(&s, MICA_ERROR_ITERATING);
    s.a.act = remove_recorded;
    s.a.result = MICA_OK;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_ITERATING, s.a.result);
    check_code(&s, MICA_ERROR_ITERATING);
    check_played(&s, "abab");
    s.a.act = NULL;

    // [system.remove], and its query with it
    uint32_t queries = mica_world_get_stats(world).queries;
    CHECK_EQUAL(MICA_OK, mica_system_remove(world, b));
    CHECK_EQUAL(queries - 1, mica_world_get_stats(world).queries);
    CHECK(MICA_IS_NONE(mica_system_find(world, "b")));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "a");

    // [system.remove_fail]: MICA_ERROR_SYSTEM
    char text[1000];
    TEST_PRINT(text, mica_schedule_print, world);
    check_refused(&s, MICA_ERROR_SYSTEM, mica_system_remove(world, (mica_system){0}), text);
    check_refused(&s, MICA_ERROR_SYSTEM, mica_system_remove(world, b), text);
    stage other;
    begin(&other);
    mica_system foreign = add(&other, &other.a, plain);
    check_refused(&s, MICA_ERROR_SYSTEM, mica_system_remove(world, foreign), text);
    test_world_end(&other.t);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_system_remove(NULL, a));
    test_world_end(&s.t);
}

static void move_inside(mica_iter *it, actor *self)
{
    self->result = mica_system_move(it->world, self->other, (mica_phase){0}, (mica_system){0});
}

PROMISE(mica_system_move)
{
    // [system.move_cost]: tests/gate/growth.c
    stage s;
    mica_world *world = begin(&s);
    mica_system a = add(&s, &s.a, plain);
    mica_system b = add(&s, &s.b, plain);
    mica_system c = add(&s, &s.c, (mica_system_desc){.after = {a}});
    mica_phase early = mica_phase_add(
        world, &(mica_phase_desc){.name = "early", .before = mica_phase_find(world, "update")});
    mica_phase none = (mica_phase){0};

    // [system.move]
    CHECK_EQUAL(MICA_OK, mica_system_move(world, b, early, (mica_system){0}));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "bac");
    CHECK_EQUAL(MICA_OK, mica_system_move(world, b, none, c));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "abc");
    CHECK_EQUAL(MICA_OK, mica_system_move(world, b, none, (mica_system){0}));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "acb");

    // [system.move_order]: MICA_ERROR_ORDER
    char text[1000];
    TEST_PRINT(text, mica_schedule_print, world);
    check_refused(&s, MICA_ERROR_ORDER, mica_system_move(world, c, none, a), text);
    check_refused(&s, MICA_ERROR_ORDER, mica_system_move(world, c, early, (mica_system){0}), text);
    check_refused(&s, MICA_ERROR_ORDER, mica_system_move(world, a, none, b), text);
    check_refused(&s, MICA_ERROR_ORDER, mica_system_move(world, a, none, (mica_system){0}), text);

    // [system.move_order]: MICA_ERROR_ARGUMENT
    check_refused(&s, MICA_ERROR_ARGUMENT, mica_system_move(world, a, none, a), text);
    check_refused(&s, MICA_ERROR_ARGUMENT, mica_system_move(world, b, early, a), text);

    // [system.move_fail]
    check_refused(&s, MICA_ERROR_SYSTEM, mica_system_move(world, (mica_system){0}, none, a), text);
    check_refused(&s, MICA_ERROR_SYSTEM, mica_system_move(world, a, none, (mica_system){99}), text);
    check_refused(&s, MICA_ERROR_PHASE, mica_system_move(world, a, (mica_phase){99}, b), text);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_system_move(NULL, a, none, b));

    // [system.move_when]
    s.a.act = move_inside;
    s.a.other = b;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_ITERATING, s.a.result);
    check_code(&s, MICA_ERROR_ITERATING);
    check_played(&s, "acb");
    test_world_end(&s.t);
}

PROMISE(mica_system_find)
{
    stage s;
    mica_world *world = begin(&s);

    // [system.find]: also where none was ever made
    CHECK(MICA_IS_NONE(mica_system_find(world, "a")));
    mica_system a = add(&s, &s.a, plain);
    CHECK(MICA_EQUAL(a, mica_system_find(world, "a")));
    CHECK(MICA_IS_NONE(mica_system_find(world, "A")));
    CHECK(MICA_IS_NONE(mica_system_find(world, "")));

    // [system.find]: MICA_ERROR_NULL
    CHECK(MICA_IS_NONE(mica_system_find(world, NULL)));
    check_code(&s, MICA_ERROR_NULL);
    CHECK(MICA_IS_NONE(mica_system_find(NULL, "a")));
    test_world_end(&s.t);
}

static void switch_others(mica_iter *it, actor *self)
{
    mica_system own = mica_system_find(it->world, "b");
    CHECK_EQUAL(MICA_OK, mica_system_disable(it->world, own));
    CHECK(!mica_system_is_enabled(it->world, own));
    CHECK_EQUAL(MICA_OK, mica_system_is_enabled(it->world, self->other)
                             ? mica_system_disable(it->world, self->other)
                             : mica_system_enable(it->world, self->other));
}

static mica_result switched_in_hook;

static mica_result switch_in_hook(void *target, uint32_t count, const mica_hook_context *context)
{
    (void)target, (void)count;
    stage *s = context->user;
    switched_in_hook = mica_system_disable(s->world, s->a.other);
    return MICA_OK;
}

PROMISE(mica_system_enable)
{
    stage s;
    mica_world *world = begin(&s);
    mica_spawn(world, MICA_ADD(s.position), MICA_ADD(s.frozen)); // a second segment
    mica_system a = add(&s, &s.a, (mica_system_desc){.disabled = true});
    mica_system b = add(&s, &s.b, (mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
    mica_system c = add(&s, &s.c, plain);

    // [system.enable]
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "bbc");
    CHECK_EQUAL(MICA_OK, mica_system_enable(world, a));
    CHECK_EQUAL(MICA_OK, mica_system_enable(world, a));
    CHECK_EQUAL(MICA_OK, mica_system_disable(world, c));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "abb");

    // [system.enable_when]
    s.b.act = switch_others;
    s.b.other = c;
    mica_entity extra = mica_query_first(
        world, mica_query_new(world, &(mica_query_desc){.terms = {{s.frozen, MICA_WITH}}}));
    mica_despawn(world, extra);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "abc");
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "ac");
    CHECK(!mica_system_is_enabled(world, b));

    // [system.enable_hook]
    s.a.other = a;
    mica_type nosy = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Nosy", .size = 4, .align = 4, .hooks.construct = switch_in_hook, .user = &s});
    mica_add(world, s.entity, nosy);
    CHECK_EQUAL(MICA_ERROR_HOOK, switched_in_hook);
    check_code(&s, MICA_ERROR_HOOK);
    CHECK(mica_system_is_enabled(world, a));

    // [system.enable_fail]
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_system_enable(world, (mica_system){0}));
    check_code(&s, MICA_ERROR_SYSTEM);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_system_enable(NULL, a));
    test_world_end(&s.t);
}

PROMISE(mica_system_disable)
{
    stage s;
    mica_world *world = begin(&s);
    mica_system a = add(&s, &s.a, plain);
    CHECK_EQUAL(MICA_OK, mica_system_disable(world, a));
    CHECK_EQUAL(MICA_OK, mica_system_disable(world, a));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "");
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_system_disable(world, (mica_system){99}));
    check_code(&s, MICA_ERROR_SYSTEM);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_system_disable(NULL, a));
    test_world_end(&s.t);
}

PROMISE(mica_system_is_enabled)
{
    stage s;
    mica_world *world = begin(&s);
    mica_system a = add(&s, &s.a, plain);
    CHECK(mica_system_is_enabled(world, a));
    mica_system_disable(world, a);
    CHECK(!mica_system_is_enabled(world, a));
    CHECK(!mica_system_is_enabled(world, (mica_system){0}));
    check_code(&s, MICA_ERROR_SYSTEM);
    CHECK(!mica_system_is_enabled(NULL, a));
    test_world_end(&s.t);
}

static void record_one(mica_iter *it, actor *self)
{
    mica_add(mica_later(it), self->s->entity, self->s->frozen);
}

PROMISE(mica_systems_run)
{
    stage s;
    mica_world *world = begin(&s);
    mica_phase physics =
        mica_phase_add(world, &(mica_phase_desc){.name = "physics", .fixed_dt = 0.5});
    mica_system a = add(&s, &s.a,
                        (mica_system_desc){.disabled = true,
                                           .begin = begin_run,
                                           .end = end_run,
                                           .when = is_willing,
                                           .phase = physics});
    add(&s, &s.b, plain);
    s.a.unwilling = true;
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.25));
    check_played(&s, "b");

    // [systems.run]
    s.a.act = record_one;
    CHECK_EQUAL(MICA_OK, mica_systems_run(world, &a, 1, 3));
    check_played(&s, "(a)");
    CHECK(s.a.dt == 3);
    CHECK(s.a.time == 0.25);
    CHECK(mica_has(world, s.entity, s.frozen));
    s.a.act = NULL;

    // [systems.run_time]: events stay
    mica_send(world, MICA_VALUE(s.score, Score, 1));
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_EQUAL(MICA_OK, mica_systems_run(world, &a, 1, 1));
    }
    CHECK(s.a.time == 0.25);
    CHECK_EQUAL(1, test_event_count(world, s.score));
    CHECK(mica_phase_progress(world, physics) == 0.5);
    s.played[0] = 0;

    // [systems.run_fail]
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_systems_run(world, &a, 1, -1));
    check_code(&s, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_SYSTEM, mica_systems_run(world, &(mica_system){0}, 1, 1));
    check_code(&s, MICA_ERROR_SYSTEM);
    s.a.fails_early = true;
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_systems_run(world, &a, 1, 1));
    CHECK_ERROR(&s.t, MICA_ERROR_FAILED, "mica_systems_run: system 'a': early");
    check_played(&s, "(");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_systems_run(NULL, &a, 1, 1));
    mica_query query = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_systems_run(world, &a, 1, 1));
    check_code(&s, MICA_ERROR_ITERATING);
    mica_iter_end(&it);

    // [systems.run_stop], [systems.run_none]
    mica_system b = mica_system_find(world, "b");
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_systems_run(world, (mica_system[]){b, a, b}, 3, 1));
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    check_played(&s, "b(");
    CHECK_EQUAL(MICA_OK, mica_systems_run(world, NULL, 0, 1));
    check_played(&s, "");
    test_world_end(&s.t);
}

static mica_query left_open;

static void fail_messily(mica_iter *it, actor *self)
{
    static mica_iter lost;
    Position *positions = mica_write(it, 0);
    positions[0].x = 77;
    mica_add(mica_later(it), self->s->entity, self->s->frozen);
    CHECK_EQUAL(MICA_OK, mica_iter_begin(it->world, left_open, &lost));
    CHECK_EQUAL(MICA_OK, mica_system_fail(it, 77, "no such level: %d", 7));

    CHECK_EQUAL(MICA_OK, mica_system_fail(it, 0, "nor this"));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_system_fail(&lost, 0, "another's"));
    CHECK_EQUAL(MICA_ERROR_ITERATOR, self->s->t.error.last.code);
    play(self, '!'); // [system.fail]
}

PROMISE(mica_system_fail)
{
    stage s;
    mica_world *world = begin(&s);
    mica_spawn(world, MICA_ADD(s.position), MICA_ADD(s.score)); // a second segment
    left_open = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_system a = add(&s, &s.a,
                        (mica_system_desc){.query.terms = {{s.position, MICA_WRITE}},
                                           .queries = {left_open},
                                           .begin = begin_run,
                                           .when = is_willing,
                                           .end = end_run});
    add(&s, &s.b, plain);
    mica_phase late = mica_phase_add(world, &(mica_phase_desc){.name = "late"});
    add(&s, &s.c, (mica_system_desc){.phase = late});

    // [system.fail]: the step ends, with its sentence; [system.fail_again]
    s.a.act = fail_messily;
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 1));
    check_played(&s, "?(a!");
    CHECK(test_error_clear(&s.t.error) >= 2);

    // [system.fail_done]
    CHECK(((const Position *)mica_get(world, s.entity, s.position))->x == 77);
    CHECK(mica_has(world, s.entity, s.frozen));
    CHECK_EQUAL(MICA_OK, mica_remove(world, s.entity, s.frozen));

    // [system.fail]: in any of its functions
    s.a.act = NULL;
    s.a.fails_early = true;
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 1));
    CHECK(mica_last_error(world)->value == -5); // [system.fail_value]
    CHECK_ERROR(&s.t, MICA_ERROR_FAILED, "mica_step: system 'a': early");
    check_played(&s, "?(");
    s.a.fails_when = true;
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 1));
    CHECK_ERROR(&s.t, MICA_ERROR_FAILED, "mica_step: system 'a': unsure");
    check_played(&s, "?");
    s.a.fails_early = s.a.fails_when = false;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK(s.b.time == 0); // those steps did not count
    CHECK_EQUAL(4, test_system_info(world, a).stats.runs + 1);

    // [system.fail_iterator]
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_system_fail(NULL, 0, "what"));
    mica_iter it;
    mica_iter_begin(world, left_open, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_system_fail(&it, 0, "what"));
    check_code(&s, MICA_ERROR_ITERATOR);
    mica_iter_end(&it);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_system_fail(&it, 0, "what"));
    check_code(&s, MICA_ERROR_ITERATOR);
    test_world_end(&s.t);
}

static void step_inside(mica_iter *it, actor *self)
{
    self->result = mica_step(it->world, 1);
}

static void step_called(mica_world *world, const void *data)
{
    actor *self = *(actor *const *)data;
    self->result = mica_step(world, 1);
}

static void step_recorded(mica_iter *it, actor *self)
{
    mica_defer_call(mica_later(it), step_called, &self, sizeof self);
}

static void leave_open(mica_iter *it, actor *self)
{
    static mica_iter lost;
    (void)self;
    mica_iter_begin(it->world, left_open, &lost);
}

static jmp_buf way_out;

static void jump_out(mica_iter *it, actor *self)
{
    (void)it, (void)self;
    longjmp(way_out, 1);
}

PROMISE(mica_step)
{
    stage s;
    mica_world *world = begin(&s);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1)); // of nothing

    // [step.runs]
    mica_phase late = mica_phase_add(world, &(mica_phase_desc){.name = "late"});
    mica_phase fixed = mica_phase_add(world, &(mica_phase_desc){.name = "fixed", .fixed_dt = 0.5});
    add(&s, &s.c, (mica_system_desc){.phase = fixed});
    add(&s, &s.b, (mica_system_desc){.phase = late});
    mica_system a = add(&s, &s.a, plain);
    s.a.act = record_one;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    check_played(&s, "abcc");
    CHECK(mica_has(world, s.entity, s.frozen));
    s.a.act = NULL;

    // [step.time]
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.25));
    CHECK(s.a.dt == 0.25f && s.b.dt == 0.25f && s.c.dt == 0.5f);
    CHECK(s.a.time == 2 && s.b.time == 2);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK(s.a.dt == 0 && s.a.time == 2.25);
    s.played[0] = 0;

    // [step.stopped], [step.failed]
    mica_phase early = mica_phase_add(
        world, &(mica_phase_desc){
                   .name = "early", .fixed_dt = 1, .before = mica_phase_find(world, "update")});
    double progress = mica_phase_progress(world, fixed);
    actor d = {.letter = 'd', .s = &s};
    add(&s, &d, (mica_system_desc){.phase = early});
    mica_system failing = mica_system_add(
        world,
        &(mica_system_desc){
            .name = "failing", .update = update, .begin = begin_run, .user = &s.b, .phase = late});
    s.b.fails_early = true;
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(world, 1.5));
    check_code(&s, MICA_ERROR_FAILED);
    check_played(&s, "dab(");
    CHECK(mica_phase_progress(world, fixed) == progress);
    CHECK(mica_phase_progress(world, early) == 0);
    mica_system_remove(world, failing);
    s.b.fails_early = false;
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK(s.a.time == 2.25);
    check_played(&s, "ab");

    // [step.dt]
    const double wrong[] = {-1, -1e-300, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e39};
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_step(world, wrong[i]));
        check_code(&s, MICA_ERROR_ARGUMENT);
    }
    check_played(&s, "");

    // [step.iterating]: inside a step, an iteration or a command
    s.a.act = step_inside;
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK_EQUAL(MICA_ERROR_ITERATING, s.a.result);
    check_code(&s, MICA_ERROR_ITERATING);
    s.a.act = step_recorded;
    s.a.result = MICA_OK;
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK_EQUAL(MICA_ERROR_ITERATING, s.a.result);
    check_code(&s, MICA_ERROR_ITERATING);
    left_open = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(world, left_open, &it);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(world, 0));
    check_code(&s, MICA_ERROR_ITERATING);
    mica_iter_end(&it);
    check_played(&s, "abab");

    // [step.iterating]: an iteration that a system left open
    mica_system_remove(world, a);
    a = add(&s, &s.a, (mica_system_desc){.queries = {left_open}});
    s.a.act = leave_open;
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(world, 1));
    CHECK_ERROR(
        &s.t, MICA_ERROR_ITERATING,
        "mica_step: system 'a' left an iteration of a query of all entities open; mica_iter_end ends one");
    CHECK_EQUAL(MICA_OK, mica_remove(world, s.entity, s.frozen));
    check_played(&s, "da");

    // [step.memory]
    s.a.act = record_one;
    CHECK_EQUAL(MICA_OK, mica_step(world, 0)); // makes room for recording
    CHECK_EQUAL(MICA_OK, mica_remove(world, s.entity, s.frozen));
    mica_world_reclaim(world);
    mica_result result = MICA_OK;
    for (uint32_t k = 1; result == MICA_OK && k < 20; k++) {
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONWARDS);
        result = mica_step(world, 0);
        test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
        mica_remove(world, s.entity, s.frozen);
        mica_world_reclaim(world);
        test_error_clear(&s.t.error);
    }
    CHECK_EQUAL(MICA_ERROR_MEMORY, result);

    // [step.left]
    s.a.act = jump_out;
    if (setjmp(way_out) == 0) {
        mica_step(world, 1);
    }
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_step(world, 0));
    check_code(&s, MICA_ERROR_ITERATING);
    mica_world_end_iterations(world);
    s.a.act = NULL;
    CHECK_EQUAL(MICA_OK, mica_step(world, 0));
    CHECK(s.a.time == 2.25);
    CHECK_EQUAL(MICA_ERROR_NULL, mica_step(NULL, 0));
    test_world_end(&s.t);
}

static void time_inside(mica_iter *it, actor *self)
{
    self->result = mica_world_set_timing(it->world, false);
}

PROMISE(mica_world_set_timing)
{
    stage s;
    mica_world *world = begin(&s);

    // [timing.fail]: MICA_ERROR_NULL, MICA_ERROR_MEMORY
    CHECK_EQUAL(MICA_ERROR_NULL, mica_world_set_timing(NULL, true));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_world_set_timing(world, true));
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    check_code(&s, MICA_ERROR_MEMORY);

    // [timing.clock]
    mica_system a = add(&s, &s.a, plain);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(0, test_system_info(world, a).stats.timed);
    CHECK_EQUAL(MICA_OK, mica_world_set_timing(world, true));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(2, test_system_info(world, a).stats.timed);
    CHECK(test_system_info(world, a).stats.total_ns >= test_system_info(world, a).stats.last_ns);

    // [timing.fail]: MICA_ERROR_ITERATING
    s.a.act = time_inside;
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(MICA_ERROR_ITERATING, s.a.result);
    check_code(&s, MICA_ERROR_ITERATING);
    s.a.act = NULL;
    CHECK_EQUAL(3, test_system_info(world, a).stats.timed);
    CHECK_EQUAL(MICA_OK, mica_world_set_timing(world, false));
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    CHECK_EQUAL(3, test_system_info(world, a).stats.timed);
    test_world_end(&s.t);
}

PROMISE(mica_systems_conflict)
{
    stage s;
    mica_world *world = begin(&s);
    mica_query extra =
        mica_query_new(world, &(mica_query_desc){.terms = {{s.position, MICA_READ}}});
    mica_system a = add(&s, &s.a,
                        (mica_system_desc){.query.terms = {{s.position, MICA_WRITE}},
                                           .resources = {{s.score, MICA_READ}},
                                           .events = {{s.score, MICA_WRITE}}});
    mica_system b = add(&s, &s.b,
                        (mica_system_desc){.queries = {extra},
                                           .resources = {{s.score, MICA_WRITE}},
                                           .events = {{s.score, MICA_READ}}});
    mica_system c =
        add(&s, &s.c,
            (mica_system_desc){.query.terms = {{s.position, MICA_WITH}, {s.frozen, MICA_WITHOUT}}});

    // [conflict.write], [conflict.text]
    char text[100];
    CHECK(mica_systems_conflict(world, a, b, text, sizeof text));
    CHECK_TEXT("Position, resource Score, event Score", text);
    CHECK(mica_systems_conflict(world, b, a, NULL, 0));
    memset(text, '~', sizeof text);
    CHECK(mica_systems_conflict(world, b, a, text, 4));
    CHECK_TEXT("Pos", text);
    CHECK_EQUAL('~', text[4]);
    CHECK(!mica_systems_conflict(world, a, c, text, sizeof text));
    CHECK_TEXT("", text);

    // [conflict.apart]
    mica_type sparse = MICA_SPARSE_TAG(world, Sparse);
    mica_type toggled = mica_type_register(
        world, &(mica_type_desc){.name = "Toggled", .size = 4, .align = 4, .toggle = true});
    const mica_type excluded[] = {s.frozen, sparse, toggled};
    actor actors[7] = {{0}};
    for (uint32_t i = 0; i < 3; i++) {
        actor *two = &actors[2 * i];
        two[0].letter = "dfh"[i];
        two[1].letter = "egi"[i];
        mica_system_desc with = {
            .query.terms = {{s.position, MICA_WRITE}, {excluded[i], MICA_WITH}}};
        mica_system_desc without = {
            .query.terms = {{s.position, MICA_WRITE}, {excluded[i], MICA_WITHOUT}}};
        CHECK(!mica_systems_conflict(world, add(&s, &two[0], with), add(&s, &two[1], without), text,
                                     sizeof text));
    }

    // [conflict.changed]
    actors[6].letter = 'j';
    mica_system asks =
        add(&s, &actors[6],
            (mica_system_desc){
                .query.terms = {{s.position, MICA_WITH | MICA_CHANGED}, {s.frozen, MICA_WITHOUT}}});
    CHECK(mica_systems_conflict(world, asks, a, text, sizeof text));
    CHECK(mica_systems_conflict(world, asks, mica_system_find(world, "d"), text, sizeof text));
    CHECK_TEXT("Position", text);
    CHECK(!mica_systems_conflict(world, asks, b, text, sizeof text));

    // [conflict.single]: a system that writes with mica_get_mut() has declared nothing.
    // [conflict.fail]
    CHECK(!mica_systems_conflict(world, a, (mica_system){0}, text, sizeof text));
    check_code(&s, MICA_ERROR_SYSTEM);
    CHECK(!mica_systems_conflict(world, a, b, NULL, 4));
    check_code(&s, MICA_ERROR_NULL);
    CHECK(!mica_systems_conflict(NULL, a, b, text, sizeof text));
    test_world_end(&s.t);
}

static void check_printing(mica_result (*print)(mica_world *, const mica_stream *),
                           const char *const *words, uint32_t count)
{
    stage s;
    mica_world *world = begin(&s);
    char whole[2000];
    CHECK(TEST_PRINT(whole, print, world) > 0); // without systems
    mica_world_set_timing(world, true);
    mica_phase_add(world, &(mica_phase_desc){.name = "physics", .fixed_dt = 0.5});
    add(&s, &s.a, (mica_system_desc){.query.terms = {{s.position, MICA_WRITE}}});
    add(&s, &s.b, (mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));

    // [schedule.stream]: into a buffer
    CHECK(TEST_PRINT(whole, print, world) < sizeof whole);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(strstr(whole, words[i]) != NULL);
    }

    // [schedule.stream]: failures
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, print(world, &(mica_stream){0}));
    check_code(&s, MICA_ERROR_ARGUMENT);
    CHECK_EQUAL(MICA_ERROR_NULL, print(NULL, NULL));
    test_world_end(&s.t);
}

static const char *const plan_words[] = {"update", "physics", "a", "b", "Position"};
static const char *const table_words[] = {"a", "b", "1"};

PROMISE(mica_schedule_print)
{
    // [schedule.lines]: the plan. [schedule.stream]. To standard output: examples/schedule.expected
    check_printing(mica_schedule_print, plan_words, 5);
    stage s;
    mica_world *world = begin(&s);
    add(&s, &s.a, (mica_system_desc){.query.terms = {{s.position, MICA_WRITE}}});
    char text[1000];
    size_t one = TEST_PRINT(text, mica_schedule_print, world);
    add(&s, &s.b, (mica_system_desc){.query.terms = {{s.position, MICA_READ}}});
    CHECK(TEST_PRINT(text, mica_schedule_print, world) > one);
    CHECK(strstr(text, "'a'") || strstr(text, " a"));
    test_world_end(&s.t);
}

PROMISE(mica_timings_print)
{
    // [schedule.lines]: the table
    check_printing(mica_timings_print, table_words, 3);

    // [schedule.lines]: what was not timed
    stage s;
    mica_world *world = begin(&s);
    add(&s, &s.a, plain);
    CHECK_EQUAL(MICA_OK, mica_step(world, 1));
    char text[1000];
    TEST_PRINT(text, mica_timings_print, world);
    CHECK(strstr(text, " -") != NULL);
    test_world_end(&s.t);
}

TESTS(system, promise_of_mica_system_add, promise_of_mica_system_remove,
      promise_of_mica_system_move, promise_of_mica_system_find, promise_of_mica_system_enable,
      promise_of_mica_system_disable, promise_of_mica_system_is_enabled,
      promise_of_mica_systems_run, promise_of_mica_system_fail, promise_of_mica_step,
      promise_of_mica_world_set_timing, promise_of_mica_systems_conflict,
      promise_of_mica_schedule_print, promise_of_mica_timings_print)
