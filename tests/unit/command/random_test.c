// The same changes in two worlds: called directly in one, recorded and carried out in the other. After
// that everybody has the same in both.
#include <stdio.h>

#include "unit/command/fixture.h"

enum { PAIRS = 48, BATCH = 24, BATCHES = 250, OPERATIONS = 16 };

typedef struct pair {
    mica_entity direct;
    mica_entity recorded;
} pair;

typedef struct twins {
    fixture direct;
    fixture recorded;
    pair pairs[PAIRS];
    uint32_t count;
    uint32_t seed;
    mica_cursor read_directly, read_recorded;
} twins;

static uint32_t draw(twins *w, uint32_t below)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 8) % below;
}

static mica_type type_of(const fixture *f, uint32_t which)
{
    const mica_type types[] = {f->position, f->health,  f->wide,  f->frozen, f->moved,
                               f->owned,    f->burning, f->loose, f->marked};
    return types[which];
}

// A value of a type, made of a number; tracked ones are made for it.
typedef union any {
    Position position;
    Health health;
    Wide wide;
    tracked tracked;
    int32_t burning;
    int64_t loose;
} any;

static mica_value value_of(fixture *f, uint32_t which, int32_t n, any *room)
{
    mica_type type = type_of(f, which);
    switch (which) {
    case 0: room->position = (Position){(float)n, 1}; break;
    case 1: room->health = (Health){n}; break;
    case 2: room->wide = (Wide){{n, n, n}}; break;
    case 4:
    case 5: room->tracked = tracked_make(&f->tracker, n); break;
    case 6: room->burning = n; break;
    case 7: room->loose = n; break;
    default: return (mica_value){.type = type};
    }
    static const uint32_t sizes[] = {
        sizeof(Position), sizeof(Health), sizeof(Wide), 0, sizeof(tracked), sizeof(tracked), 4, 8};
    return (mica_value){type, room, sizes[which], 1, NULL};
}

// A tracked value is the test's unless it was handed over.
static void settle_value(fixture *f, uint32_t which, bool taken, any *room)
{
    if (which == 4 || (which == 5 && !taken)) {
        tracked_drop(&f->tracker, &room->tracked);
    }
}

static void set(fixture *f, mica_world *face, mica_entity e, uint32_t which, int32_t n)
{
    any room;
    mica_value value = value_of(f, which, n, &room);
    settle_value(f, which, mica_set_values(face, e, &value, 1) == MICA_OK, &room);
}

static mica_entity spawn(fixture *f, mica_world *face, uint32_t a, uint32_t b, int32_t n)
{
    any rooms[2];
    const mica_value values[] = {value_of(f, a, n, &rooms[0]), value_of(f, b, n + 1, &rooms[1])};
    mica_entity e = mica_spawn_values(face, values, 2);
    settle_value(f, a, !MICA_IS_NONE(e), &rooms[0]);
    settle_value(f, b, !MICA_IS_NONE(e), &rooms[1]);
    return e;
}

static void change(fixture *f, mica_world *face, mica_entity e, uint32_t a, uint32_t b, int32_t n)
{
    any room;
    mica_value value = value_of(f, a, n, &room);
    mica_type removed = type_of(f, b);
    settle_value(f, a, mica_change(face, e, &value, 1, &removed, 1) == MICA_OK, &room);
}

static void toggle_by_call(mica_world *world, const void *data)
{
    const pair *who = data;
    mica_type frozen = {who->direct.bits};
    if (mica_has(world, who->recorded, frozen)) {
        mica_remove(world, who->recorded, frozen);
    } else if (mica_alive(world, who->recorded)) {
        mica_add(world, who->recorded, frozen);
    }
}

static const char *name_of(uint32_t n)
{
    static const char *const names[] = {"ann", "bob", "cid", NULL};
    return names[n % 4];
}

enum { SEND = 12, CLONE = 13, SPAWN = 14 }; // or more

// One operation on one side. What it draws was drawn before.
typedef struct operation {
    uint32_t what, who, a, b;
    int32_t n;
} operation;

static mica_entity operate(fixture *f, mica_world *face, mica_entity e, const operation *o)
{
    switch (o->what) {
    case 0:
    case 1: mica_add(face, e, type_of(f, o->a)); break;
    case 2:
    case 3: mica_remove(face, e, type_of(f, o->a)); break;
    case 4:
    case 5: set(f, face, e, o->a, o->n); break;
    case 6: change(f, face, e, o->a, o->b, o->n); break;
    case 7: mica_despawn(face, e); break;
    case 8: mica_disable(face, e, f->burning); break;
    case 9: mica_enable(face, e, f->burning); break;
    case 10: mica_entity_set_name(face, e, name_of(o->a)); break;
    case 11: {
        pair who = {{f->frozen.bits}, e};
        mica_defer_call(face, toggle_by_call, &who, sizeof who);
        break;
    }
    case SEND: mica_send(face, MICA_VALUE(f->health, Health, o->n)); break;
    case CLONE: return mica_clone(face, e);
    default: return spawn(f, face, o->a, o->b, o->n);
    }
    return (mica_entity){0};
}

// Owned values cannot be cloned; a clone of one that has such is none in one world and, in the other, a
// handle that nobody will live under.
static void both(twins *w, mica_world *face)
{
    operation o = {draw(w, OPERATIONS), draw(w, PAIRS), draw(w, 9), draw(w, 9),
                   (int32_t)draw(w, 1000)};
    bool makes = o.what >= CLONE;
    if (w->count == 0 || (makes && w->count == PAIRS)) {
        o.what = w->count == 0 ? SPAWN : 7;
        makes = o.what == SPAWN;
    }
    if (o.a == o.b && (o.what == 6 || makes)) {
        o.b = (o.b + 1) % 9;
    }
    uint32_t who = w->count > 0 ? o.who % w->count : 0;
    pair *old = &w->pairs[who];
    if (o.what < SPAWN && o.what != SEND && !mica_alive(w->direct.world, old->direct)) {
        operate(&w->recorded, face, old->recorded,
                &o); // dropped, if it was alive when it was recorded
        return;
    }
    pair made = {operate(&w->direct, w->direct.world, old->direct, &o),
                 operate(&w->recorded, face, old->recorded, &o)};
    if (makes && !MICA_IS_NONE(made.direct)) {
        w->pairs[w->count++] = made;
    }
}

static void check_pair(twins *w, const pair *who)
{
    fixture *a = &w->direct;
    fixture *b = &w->recorded;
    if (!mica_alive(a->world, who->direct)) {
        CHECK(!mica_alive(b->world, who->recorded));
        return;
    }
    REQUIRE(mica_alive(b->world, who->recorded));
    CHECK_TEXT(mica_entity_name(a->world, who->direct), mica_entity_name(b->world, who->recorded));
    for (uint32_t i = 0; i < 9; i++) {
        bool has = mica_has(a->world, who->direct, type_of(a, i));
        CHECK_EQUAL(has, mica_has(b->world, who->recorded, type_of(b, i)));
        const void *x = mica_get(a->world, who->direct, type_of(a, i));
        const void *y = mica_get(b->world, who->recorded, type_of(b, i));
        CHECK(!x == !y);
        if (x && y && (i == 4 || i == 5)) {
            CHECK(tracked_is(&b->tracker, y, ((const tracked *)x)->number));
        } else if (x && y) {
            CHECK_BYTES(x, y, mica_type_get_info(a->world, type_of(a, i))->size);
        }
    }
    CHECK_EQUAL(mica_is_enabled(a->world, who->direct, a->burning),
                mica_is_enabled(b->world, who->recorded, b->burning));
}

static const Health *read_next(fixture *f, mica_cursor *cursor)
{
    uint32_t count;
    const Health *next = MICA_EVENTS(f->world, f->health, Health, cursor, &count);
    if (next) { // one at a time: chunks of the two worlds may end in other places
        cursor->next -= count - 1;
    }
    return next;
}

static void check_events(twins *w)
{
    const Health *a;
    const Health *b;
    do {
        a = read_next(&w->direct, &w->read_directly);
        b = read_next(&w->recorded, &w->read_recorded);
        CHECK(!a == !b);
        CHECK(!a || !b || a->points == b->points);
    } while (a && b);
    CHECK_EQUAL(0, w->read_recorded.missed);
}

static void check_all(twins *w)
{
    check_events(w);
    CHECK_EQUAL(mica_entity_count(w->direct.world), mica_entity_count(w->recorded.world));
    for (uint32_t i = 0; i < w->count; i++) {
        check_pair(w, &w->pairs[i]);
    }
    for (uint32_t i = w->count; i-- > 0;) {
        if (!mica_alive(w->direct.world, w->pairs[i].direct)) {
            w->pairs[i] = w->pairs[--w->count];
        }
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(w->recorded.world));
}

static twins *batch_of; // for the update of a system

static void record_batch(mica_iter *it)
{
    for (uint32_t i = 0; batch_of && i < BATCH; i++) {
        both(batch_of, mica_later(it));
    }
    batch_of = NULL;
}

// In an iteration, in a step, into the world's own buffer or one of its own; now and then one that is
// forgotten.
static void run_batch(twins *w, mica_world *own)
{
    mica_world *world = w->recorded.world;
    uint32_t way = draw(w, 4);
    uint32_t count = draw(w, BATCH);
    mica_iter it;
    switch (way) {
    case 0:
        mica_iter_begin(world, w->recorded.all, &it);
        while (mica_iter_next(&it)) {
            for (uint32_t i = 0; i < 3; i++) {
                both(w, mica_later(&it));
            }
        }
        break;
    case 1:
        batch_of = w;
        CHECK_EQUAL(MICA_OK, mica_step(world, 1));
        batch_of = NULL;
        break;
    default:
        for (uint32_t i = 0; i < count; i++) {
            both(w, way == 2 ? own : mica_world_later(world));
        }
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        CHECK_EQUAL(MICA_OK, mica_commands_apply(way == 2 ? own : world));
        break;
    }
}

static void run(uint32_t seed, bool relocate_always)
{
    static twins w;
    w.seed = seed;
    w.count = 0;
    w.read_directly = w.read_recorded = (mica_cursor){0};
    fixture_begin_as(&w.direct, relocate_always);
    fixture_begin_as(&w.recorded, relocate_always);
    mica_world *own = mica_commands_new(w.recorded.world);
    mica_system_add(w.recorded.world,
                    &(mica_system_desc){.name = "batch",
                                        .update = record_batch,
                                        .query.everything = true,
                                        .events = {{w.recorded.health, MICA_WRITE}}});
    for (uint32_t i = 0; i < BATCHES; i++) {
        run_batch(&w, own);
        test_error_clear(&w.direct.t.error);
        test_error_clear(&w.recorded.t.error);
        check_all(&w);
    }
    for (uint32_t i = 0; i < 10; i++) { // left over: ends with the world
        both(&w, own);
    }
    test_error_clear(&w.direct.t.error);
    test_error_clear(&w.recorded.t.error);
    fixture_end(&w.direct);
    fixture_end(&w.recorded);
}

static void random_commands_do_what_the_same_calls_do(void) // S3.8
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        run(seed, false);
    }
}

static void and_in_relocating_worlds(void)
{
    run(5, true);
}

TESTS(random, random_commands_do_what_the_same_calls_do, and_in_relocating_worlds)
