// A program of random systems that is saved and loaded in the middle of its run goes on as one that was not:
// two worlds do the same, and one of them is saved and loaded again and again, into itself, perhaps after it went
// another way for a while, or into a new world.
// Of the program, a random part is created before the image is loaded, and the rest after that. After every step
// both must have the same digest and the same hash, and their systems, queries and observers must have seen the same.
#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

enum {
    ROWS,       // in tables, with row stamps
    PAGES,      // in tables, without
    POOL_ROWS,  // sparse, with row stamps
    POOL_PAGES, // sparse, without
    TYPES,

    PHASES = 4,
    QUERIES = 5,
    SYSTEMS = 10,
    PARTS = PHASES + QUERIES + SYSTEMS, // of a program
    STEPS = 120
};

typedef struct Pair {
    int32_t a, b;
} Pair;

typedef struct Note {
    uint32_t from, number;
} Note;

// What a system is to do; the same in both worlds.
typedef struct role {
    uint32_t phase; // its number; PHASES: none
    uint32_t type;
    uint32_t news;   // MICA_CHANGED, MICA_ADDED or 0
    uint32_t writes; // another type; TYPES: none
    uint32_t query;  // that it declares and iterates; QUERIES: none
    bool named;      // its own query is
    bool rows;       // it has a query of its own
    bool reads, sends, records, replays, disabled;
} role;

// A program: what both worlds have, in the order in which it was created.
typedef struct script {
    uint64_t state;
    double fixed[PHASES];
    struct {
        uint32_t type, news;
        bool named;
    } queries[QUERIES];
    role roles[SYSTEMS];
    uint32_t order[PARTS]; // phases, then queries, then systems, by number
    uint32_t fails;        // the system that is to fail; SYSTEMS: none
    const char *wrong;     // what went wrong first; NULL: nothing
} script;

typedef struct stage stage;
typedef struct actor {
    stage *stage;
    uint32_t number;
} actor;

struct stage {
    test_world t;
    mica_world *world;
    const script *script;
    mica_type types[TYPES];
    mica_type note; // an event, saved
    mica_phase phases[PHASES];
    mica_query queries[QUERIES];
    mica_system systems[SYSTEMS];
    actor actors[SYSTEMS];
    uint64_t seen[SYSTEMS + QUERIES + 1]; // in this step; the last is the observer's
};

static uint32_t below(script *s, uint32_t end)
{
    s->state ^= s->state << 13;
    s->state ^= s->state >> 7;
    s->state ^= s->state << 17;
    return (uint32_t)((s->state >> 16) % end);
}

static void expect(script *s, bool holds, const char *what)
{
    s->wrong = s->wrong || holds ? s->wrong : what;
}

static void see(uint64_t *seen, uint64_t value)
{
    *seen = (*seen ^ value) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    *seen ^= *seen >> 29;
}

// What systems do

static void see_rows(uint64_t *seen, const mica_iter *it)
{
    for (uint32_t i = 0; i < it->count; i++) {
        see(seen, it->entities[i].bits);
    }
}

static void write_rows(mica_iter *it, const role *r)
{
    Pair *pairs = r->writes < TYPES ? mica_write(it, 1) : NULL;
    for (uint32_t i = 0; pairs && i < it->count; i++) {
        pairs[i].a++;
    }
}

static void record(const stage *s, const mica_iter *it, const role *r)
{
    for (uint32_t i = 0; i < it->count; i++) {
        uint64_t slot = it->entities[i].bits & UINT32_MAX;
        if (slot % 5 == 0) {
            mica_set(mica_later(it), it->entities[i],
                     MICA_VALUE(s->types[(r->type + 1) % TYPES], Pair, 7, 7));
        } else if (slot % 11 == 3) {
            mica_despawn(mica_later(it), it->entities[i]);
        }
    }
}

static void see_notes(uint64_t *seen, const Note *notes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        see(seen, (uint64_t)notes[i].from << 32 | notes[i].number);
    }
}

// With a new plain cursor each time, so all there are: how many depends on what systems have heard. With a name,
// what no reader of that name has read; which was missed, too.
static void read_notes(stage *s, const char *name, uint64_t *seen)
{
    mica_cursor cursor = {.name = name};
    uint32_t count;
    for (const Note *n; (n = MICA_EVENTS(s->world, s->note, Note, &cursor, &count)) != NULL;) {
        see_notes(seen, n, count);
    }
    see(seen, cursor.missed);
}

// What the system has not read yet (S3.6).
static void read_unread(const mica_iter *it, const stage *s, uint64_t *seen)
{
    uint32_t count;
    for (const Note *n; (n = MICA_UNREAD(it, s->note, Note, &count)) != NULL;) {
        see_notes(seen, n, count);
    }
}

static void iterate(stage *s, mica_query query, uint64_t *seen)
{
    mica_iter it;
    mica_iter_begin(s->world, query, &it);
    while (mica_iter_next(&it)) {
        see_rows(seen, &it);
    }
}

static void begin(mica_iter *it)
{
    const actor *self = it->user;
    stage *s = self->stage;
    const role *r = &s->script->roles[self->number];
    uint64_t *seen = &s->seen[self->number];
    see(seen, (uint64_t)(it->time * 1000));
    if (r->query < QUERIES) {
        iterate(s, s->queries[r->query], seen);
    }
    if (r->reads) {
        read_notes(s, NULL, seen);
        read_notes(s, self->number % 2 ? "odd" : "even", seen);
        read_unread(it, s, seen);
    }
    if (r->sends) {
        mica_send(s->world, MICA_VALUE(s->note, Note, self->number, (uint32_t)*seen));
    }
    if (s->script->fails == self->number) {
        mica_system_fail(it, 0, "as it was to");
    }
}

static void update(mica_iter *it)
{
    const actor *self = it->user;
    stage *s = self->stage;
    const role *r = &s->script->roles[self->number];
    if (!r->rows) {
        return;
    }
    see_rows(&s->seen[self->number], it);
    write_rows(it, r);
    if (r->records) {
        record(s, it, r);
    }
}

static void observe(const mica_observer_event *news)
{
    stage *s = news->user;
    see(&s->seen[SYSTEMS + QUERIES], news->entity.bits);
}

// Parts of the program

static void add_system(stage *s, uint32_t number)
{
    const role *r = &s->script->roles[number];
    char name[16];
    char query[16];
    snprintf(name, sizeof name, "system %u", (unsigned)number);
    snprintf(query, sizeof query, "own %u", (unsigned)number);
    mica_system_desc desc = {.name = name,
                             .update = update,
                             .begin = begin,
                             .user = &s->actors[number],
                             .disabled = r->disabled,
                             .replay_first = r->replays};
    if (r->rows) {
        desc.query.name = r->named ? query : NULL;
        desc.query.terms[0] = (mica_term){s->types[r->type], MICA_READ | r->news};
        if (r->writes < TYPES) {
            desc.query.terms[1] = (mica_term){s->types[r->writes], MICA_WRITE};
        }
    }
    if (r->query < QUERIES) {
        desc.queries[0] = s->queries[r->query];
    }
    uint32_t events = 0;
    if (r->reads) {
        desc.events[events++] = (mica_term){s->note, MICA_READ};
    }
    if (r->sends) {
        desc.events[events++] = (mica_term){s->note, MICA_WRITE};
    }
    if (r->phase < PHASES) {
        desc.phase = s->phases[r->phase];
    }
    s->actors[number] = (actor){s, number};
    s->systems[number] = mica_system_add(s->world, &desc);
    REQUIRE(!MICA_IS_NONE(s->systems[number]));
}

static void add_query(stage *s, uint32_t number)
{
    const bool named = s->script->queries[number].named;
    mica_query_desc desc = {.name = !named ? NULL : number < 2 ? "the same" : "another"};
    desc.terms[0] = (mica_term){s->types[s->script->queries[number].type],
                                MICA_READ | s->script->queries[number].news};
    s->queries[number] = mica_query_new(s->world, &desc);
}

static void add_part(stage *s, uint32_t part)
{
    if (part < PHASES) {
        char name[16];
        snprintf(name, sizeof name, "phase %u", (unsigned)part);
        s->phases[part] = mica_phase_add(
            s->world, &(mica_phase_desc){.name = name, .fixed_dt = s->script->fixed[part]});
    } else if (part < PHASES + QUERIES) {
        add_query(s, part - PHASES);
    } else {
        add_system(s, part - PHASES - QUERIES);
    }
}

static void add_parts(stage *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        add_part(s, s->script->order[i]);
    }
}

static void open_stage(stage *s, const script *of)
{
    static const char *const names[TYPES] = {"Rows", "Pages", "PoolRows", "PoolPages"};
    memset(s, 0, sizeof *s);
    s->script = of;
    s->world = test_world_begin(&s->t);
    for (uint32_t i = 0; i < TYPES; i++) {
        mica_type_desc desc = MICA_DESCRIBE(Pair, a, b);
        desc.name = names[i];
        desc.row_stamps = i == ROWS || i == POOL_ROWS;
        desc.storage = i >= POOL_ROWS ? MICA_SPARSE : MICA_TABLE;
        s->types[i] = mica_type_register(s->world, &desc);
    }
    mica_type_desc desc = MICA_DESCRIBE(Note, from, number);
    desc.saved = true;
    s->note = mica_type_register(s->world, &desc);
    mica_observer_new(
        s->world, &(mica_observer_desc){
                      .events = MICA_ON_SET, .type = s->types[PAGES], .call = observe, .user = s});
}

// A random program

static void write_role(script *s, role *r)
{
    *r = (role){.phase = below(s, PHASES + 1),
                .type = below(s, TYPES),
                .news = below(s, 3) == 0 ? MICA_ADDED : MICA_CHANGED,
                .writes = below(s, 2 * TYPES),
                .query = below(s, 2 * QUERIES),
                .named = below(s, 3) == 0,
                .rows = below(s, 4) > 0,
                .reads = below(s, 3) == 0,
                .sends = below(s, 3) == 0,
                .records = below(s, 3) == 0,
                .replays = below(s, 4) == 0,
                .disabled = below(s, 6) == 0};
    r->writes = r->writes < TYPES && r->writes != r->type ? r->writes : TYPES;
    r->query = r->query < QUERIES ? r->query : QUERIES;
}

static void write_script(script *s, uint64_t seed)
{
    static const double steps[PHASES] = {0.1, 0, 0.07, 0.31};
    *s = (script){.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .fails = SYSTEMS};
    for (uint32_t i = 0; i < PHASES; i++) {
        s->fixed[i] = steps[(i + below(s, 2)) % PHASES];
    }
    for (uint32_t i = 0; i < QUERIES; i++) {
        s->queries[i].type = below(s, TYPES);
        s->queries[i].news = i % 2 ? MICA_CHANGED : MICA_ADDED;
        s->queries[i].named = i < 3;
    }
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        write_role(s, &s->roles[i]);
    }
    for (uint32_t i = 0; i < PARTS; i++) {
        s->order[i] = i;
    }
}

// Puts a system behind all others.
static void reorder(script *s, uint32_t number)
{
    uint32_t i = 0;
    while (s->order[i] != PHASES + QUERIES + number) {
        i++;
    }
    memmove(&s->order[i], &s->order[i + 1], (PARTS - 1 - i) * sizeof s->order[0]);
    s->order[PARTS - 1] = PHASES + QUERIES + number;
}

// Between steps, the same in both worlds

static mica_entity choose(stage *s, uint32_t number)
{
    uint32_t count = mica_entity_count(s->world);
    mica_entity entity = mica_entity_next(s->world, (mica_entity){0});
    for (uint32_t i = count > 0 ? number % count : 0; i > 0; i--) {
        entity = mica_entity_next(s->world, entity);
    }
    return entity;
}

static void change_entities(stage *s, uint32_t kind, uint32_t number)
{
    mica_type type = s->types[number % TYPES];
    mica_type other = s->types[number / 7 % TYPES];
    mica_entity entity = choose(s, number);
    if (kind < 3 || MICA_IS_NONE(entity)) {
        entity = mica_spawn(s->world, MICA_VALUE(type, Pair, (int32_t)number, 1));
        mica_set(s->world, entity, MICA_VALUE(other, Pair, 2, 3));
    } else if (kind == 3) {
        mica_despawn(s->world, entity);
    } else if (kind == 4) {
        mica_remove(s->world, entity, type);
    } else {
        mica_set(s->world, entity, MICA_VALUE(type, Pair, (int32_t)number, 4));
    }
}

// Changes the program: the script, and then both worlds.
static void change_program(script *s, stage *worlds[2])
{
    uint32_t number = below(s, SYSTEMS);
    role *r = &s->roles[number];
    uint32_t way = below(s, 3);
    uint32_t phase = below(s, PHASES + 1);
    for (uint32_t i = 0; i < 2; i++) {
        stage *w = worlds[i];
        if (way == 0) {
            (r->disabled ? mica_system_enable : mica_system_disable)(w->world, w->systems[number]);
        } else if (way == 1) {
            expect(s, !mica_system_remove(w->world, w->systems[number]), "a system stays");
            add_system(w, number);
        } else {
            mica_phase to = phase < PHASES ? w->phases[phase] : (mica_phase){0};
            expect(s, !mica_system_move(w->world, w->systems[number], to, (mica_system){0}),
                   "a system does not move");
        }
    }
    r->disabled = way == 0 ? !r->disabled : r->disabled;
    r->phase = way == 2 ? phase : r->phase;
    if (way > 0) {
        reorder(s, number);
    }
}

static void act(script *s, stage *worlds[2])
{
    for (uint32_t n = below(s, 6); n > 0; n--) {
        uint32_t kind = below(s, 8);
        uint32_t number = below(s, 1000);
        change_entities(worlds[0], kind, number);
        change_entities(worlds[1], kind, number);
    }
    uint32_t query = below(s, 3 * QUERIES);
    for (uint32_t i = 0; i < 2 && query < QUERIES && s->queries[query].named; i++) {
        iterate(worlds[i], worlds[i]->queries[query], &worlds[i]->seen[SYSTEMS + query]);
    }
    if (below(s, 8) == 0) {
        change_program(s, worlds);
    }
    if (below(s, 30) == 0) {
        for (uint32_t i = 0; i < 2; i++) {
            expect(s, !mica_cursor_remove(worlds[i]->world, "odd"), "a cursor stays");
        }
    }
}

static void step(script *s, stage *worlds[2])
{
    double dt = (double)below(s, 40) / 100;
    s->fails = below(s, 15) == 0 ? below(s, SYSTEMS) : SYSTEMS;
    mica_result results[2];
    for (uint32_t i = 0; i < 2; i++) {
        results[i] = mica_step(worlds[i]->world, dt);
        test_error_clear(&worlds[i]->t.error);
    }
    expect(s, results[0] == results[1], "steps end differently");
}

// Queries without a name that no system declares begin anew, and are the program's to set.
static bool is_kept(const script *s, uint32_t query)
{
    bool kept = s->queries[query].named;
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        kept = kept || s->roles[i].query == query;
    }
    return kept;
}

static void compare(script *s, stage *worlds[2])
{
    stage *a = worlds[0];
    stage *b = worlds[1];
    expect(s, memcmp(a->seen, b->seen, sizeof a->seen) == 0, "they have seen other things");
    expect(s, mica_world_hash(a->world) == mica_world_hash(b->world), "other values");
    expect(s, mica_world_digest(a->world) == mica_world_digest(b->world), "another digest");
    for (uint32_t i = 0; i < QUERIES; i++) {
        uint64_t since = mica_query_since(a->world, a->queries[i]);
        expect(s, !is_kept(s, i) || since == mica_query_since(b->world, b->queries[i]),
               "a query has another moment");
    }
    for (uint32_t i = 0; i < PHASES; i++) {
        double progress = mica_phase_progress(a->world, a->phases[i]);
        expect(s, progress == mica_phase_progress(b->world, b->phases[i]),
               "a phase is at another time");
    }
}

// Saving and loading

static void save(script *s, stage *of, mica_image_format format, mica_buffer *image)
{
    const mica_save_desc desc = {.format = format};
    expect(s, !mica_world_save(of->world, &(mica_stream){.buffer = image}, &desc), "not saved");
}

static void load(script *s, stage *into, const mica_buffer *image)
{
    const mica_stream stream = {.data = image->data, .size = image->size};
    expect(s, !mica_world_load(into->world, &stream, NULL), "not loaded");
    expect(s, !mica_world_validate(into->world), "a loaded world is not valid");
}

static void check_image(script *s, stage *of, mica_image_format format, const mica_buffer *image)
{
    mica_buffer again = {0};
    save(s, of, format, &again);
    expect(s, image->size == again.size && memcmp(image->data, again.data, again.size) == 0,
           "a world that was loaded is saved as another");
    mica_buffer_free(&again);
}

// Into a new world, whose program is there up to a part when it is loaded.
static void load_elsewhere(script *s, stage *copy, mica_image_format format,
                           const mica_buffer *image, uint64_t digest)
{
    uint64_t seen[sizeof copy->seen / sizeof copy->seen[0]];
    uint32_t choice = below(s, 4);
    uint32_t before = choice == 0 ? 0 : choice == 1 ? PARTS : below(s, PARTS + 1);
    memcpy(seen, copy->seen, sizeof seen);
    test_world_end(&copy->t);
    open_stage(copy, s);
    memcpy(copy->seen, seen, sizeof seen);
    add_parts(copy, 0, before);
    load(s, copy, image);
    if (before == 0) {
        check_image(s, copy, format, image);
    }
    expect(s, digest == mica_world_digest(copy->world), "another digest before all is created");
    add_parts(copy, before, PARTS);
}

// The world goes on alone, to be loaded then as it was before.
static void stray(script *s, stage *copy)
{
    uint64_t seen[sizeof copy->seen / sizeof copy->seen[0]];
    memcpy(seen, copy->seen, sizeof seen);
    for (uint32_t n = below(s, 4); n > 0; n--) {
        change_entities(copy, below(s, 8), below(s, 1000));
        expect(s, !mica_step(copy->world, 0.2), "a step fails");
        iterate(copy, copy->queries[0], &copy->seen[SYSTEMS]);
    }
    memcpy(copy->seen, seen, sizeof seen);
}

static void reload(script *s, stage *copy, bool elsewhere)
{
    mica_buffer image = {0};
    mica_image_format format = below(s, 2) ? MICA_IMAGE_JSON : MICA_IMAGE_BINARY;
    uint64_t digest = mica_world_digest(copy->world);
    save(s, copy, format, &image);
    if (elsewhere) {
        load_elsewhere(s, copy, format, &image, digest);
    } else {
        s->fails = SYSTEMS;
        stray(s, copy);
        load(s, copy, &image);
        check_image(s, copy, format, &image);
    }
    expect(s, digest == mica_world_digest(copy->world), "another digest when it is loaded");
    expect(s, !mica_world_validate(copy->world), "a world is not valid");
    mica_buffer_free(&image);
}

static void run(uint64_t seed)
{
    static stage twin, copy;
    static script s;
    stage *worlds[2] = {&twin, &copy};
    write_script(&s, seed);
    for (uint32_t i = 0; i < 2; i++) {
        open_stage(worlds[i], &s);
        add_parts(worlds[i], 0, PARTS);
    }
    for (uint32_t n = 0; n < STEPS && !s.wrong; n++) {
        uint32_t way = below(&s, 6);
        memset(twin.seen, 0, sizeof twin.seen);
        memset(copy.seen, 0, sizeof copy.seen);
        act(&s, worlds);
        if (way < 2) {
            reload(&s, &copy, way == 1);
        }
        step(&s, worlds);
        compare(&s, worlds);
        if (s.wrong) {
            test_fail(__FILE__, __LINE__, "seed %" PRIu64 ", step %" PRIu32 ", %s: %s", seed, n,
                      way > 1    ? "not loaded in it"
                      : way == 1 ? "loaded into a new world"
                                 : "loaded into itself",
                      s.wrong);
        }
    }
    CHECK(!s.wrong);
    test_world_end(&twin.t);
    test_world_end(&copy.t);
}

static void a_random_program_goes_on_after_loading_as_it_would_have(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        run(seed);
    }
}

TESTS(resume_random, a_random_program_goes_on_after_loading_as_it_would_have)
