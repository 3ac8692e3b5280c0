// The soak: a large world in which as many come as go, for as long as is asked for, with every storage, commands,
// events, observers, changes by query and images. It checks what must be so after any number of frames: who
// is there, what observers and events have counted, that a loaded image is the world it was saved from, and that the
// world is valid. And it checks that memory stays where it is: after the first frames it may not grow by more than
// a tenth.
//
// usage: soak [--entities N] [--seconds N] [--seed N]
#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Body {
    float mass, heat;
    int32_t parts;
} Body;
typedef struct Age {
    uint32_t frames;
} Age;
typedef struct Target {
    mica_entity entity;
} Target;
typedef struct Died {
    mica_entity entity;
    uint32_t age;
} Died;

// After so many frames memory is measured: by then, all have been replaced many times. Everything is looked at every so
// many, and one of so many is replaced, and another stirred, in a frame.
enum { WARM_UP = 200, LOOK_EVERY = 50, SHARE = 16 };

typedef struct soak {
    mica_world *world;
    mica_type position, velocity; // in tables
    mica_type body;               // split
    mica_type age;                // a ring
    mica_type target;             // sparse
    mica_type chosen;             // a sparse tag
    mica_type burning;            // can be switched off
    mica_type died;               // an event
    mica_bundle plain, rich;
    mica_query old, aiming, everybody;
    mica_cursor cursor;
    uint64_t random;
    uint32_t entities;    // that there are to be
    uint32_t alive;       // by what observers were reported
    uint64_t sent, heard; // events
    uint64_t frames, images, refused;
    size_t steady_bytes;
    const char *wrong; // NULL: nothing yet
} soak;

static void must(soak *s, bool condition, const char *what)
{
    if (!condition && !s->wrong) {
        s->wrong = what;
    }
}

#define MUST(s, condition) must(s, condition, #condition)

static uint32_t draw(soak *s, uint32_t below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (uint32_t)(s->random >> 32) % below;
}

static void note_error(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    soak *s = user;
    if (s->refused++ == 0) {
        printf("an error: %s\n", error->sentence);
    }
}

static void count_lives(const mica_observer_event *h)
{
    soak *s = h->user;
    if (h->kind == MICA_ON_SPAWN) {
        s->alive++;
    } else {
        s->alive--;
    }
}

static void move(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->dt;
        p[i].y += v[i].y * it->dt;
    }
}

static void grow_old(mica_iter *it)
{
    Age *ages = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        ages[i].frames++;
    }
}

static void cool(mica_iter *it)
{
    mica_write_fields heat = MICA_WRITE_FIELD(it, 0, Body, heat);
    for (uint32_t i = 0; i < it->count; i++) {
        *(float *)mica_write_in(heat, i) *= 0.99f;
    }
}

// Ends some of those it meets, says so, and has somebody new for each.
static void renew(mica_iter *it)
{
    soak *s = it->user;
    mica_world *later = mica_later(it);
    const Age *ages = mica_read(it, 0);
    for (uint32_t i = draw(s, SHARE); i < it->count; i += SHARE) {
        Died died = {it->entities[i], ages[i].frames};
        mica_send(it->world, MICA_COPY_OF(s->died, died));
        s->sent++;
        mica_despawn(later, it->entities[i]);
        Position origin = {(float)draw(s, 100), (float)draw(s, 100)};
        if (draw(s, 2)) {
            mica_spawn(later, MICA_COPY_OF(s->position, origin),
                       MICA_VALUE(s->velocity, Velocity, 1, 1), MICA_ADD(s->age));
        } else {
            mica_spawn(later, MICA_COPY_OF(s->position, origin), MICA_ADD(s->age),
                       MICA_VALUE(s->body, Body, 1, 100, 3), MICA_ADD(s->burning));
        }
    }
}

static void hear(mica_iter *it)
{
    soak *s = it->user;
    uint32_t count;
    for (const Died *died;
         (died = MICA_EVENTS(it->world, s->died, Died, &s->cursor, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            MUST(s, !MICA_IS_NONE(died[i].entity));
        }
        s->heard += count;
    }
}

static void make_types(soak *s)
{
    mica_world *world = s->world;
    s->position = MICA_REGISTER(world, Position, x, y);
    s->velocity = MICA_REGISTER(world, Velocity, x, y);
    s->body = MICA_REGISTER_SPLIT(world, Body, mass, heat, parts);
    s->age = MICA_REGISTER_RING(world, Age, frames);
    s->target = MICA_REGISTER_SPARSE(world, Target, entity);
    s->chosen = MICA_SPARSE_TAG(world, Chosen);
    s->died = MICA_REGISTER(world, Died, entity, age);
    mica_type_desc burning = {
        .name = "Burning", .size = 4, .align = 4, .plain = true, .toggle = true};
    s->burning = mica_type_register(world, &burning);
}

static void make_systems(soak *s)
{
    mica_world *world = s->world;
    mica_query_desc all_ages = {.terms = {{s->age, MICA_READ}}, .name = "everybody"};
    s->everybody = mica_query_new(world, &all_ages);
    s->aiming = mica_query_new(world, &(mica_query_desc){.terms = {{s->target, MICA_READ}}});
    s->old = mica_query_new(
        world, &(mica_query_desc){.terms = {{s->chosen, MICA_WITH}, {s->velocity, MICA_WITHOUT}}});
    mica_observer_new(world, &(mica_observer_desc){.events = MICA_ON_SPAWN | MICA_ON_DESPAWN,
                                                   .call = count_lives,
                                                   .user = s});
    mica_system_add(world, &(mica_system_desc){.name = "move",
                                               .update = move,
                                               .query.terms = {{s->position, MICA_WRITE},
                                                               {s->velocity, MICA_READ}}});
    mica_system_add(world, &(mica_system_desc){.name = "grow old",
                                               .update = grow_old,
                                               .query.terms = {{s->age, MICA_WRITE}},
                                               .query.no_entities = true});
    mica_system_add(world, &(mica_system_desc){.name = "cool",
                                               .update = cool,
                                               .query.terms = {{s->body, MICA_WRITE}}});
    mica_system_add(world, &(mica_system_desc){.name = "renew",
                                               .update = renew,
                                               .query = all_ages,
                                               .user = s,
                                               .events = {{s->died, MICA_WRITE}}});
    mica_system_add(
        world, &(mica_system_desc){
                   .name = "hear", .update = hear, .user = s, .events = {{s->died, MICA_READ}}});
}

static void fill(soak *s)
{
    s->plain = mica_bundle_new(s->world, (mica_type[]){s->position, s->velocity, s->age}, 3);
    s->rich = mica_bundle_new(s->world, (mica_type[]){s->position, s->body, s->age, s->burning}, 4);
    uint32_t half = s->entities / 2;
    MUST(s, mica_spawn_many(s->world, s->plain, half, NULL, 0, NULL) == MICA_OK);
    MUST(s, mica_spawn_many(s->world, s->rich, s->entities - half, NULL, 0, NULL) == MICA_OK);
}

// What is done between steps: sparse components come and go, values are switched, sets change, by query too.
static void relocate(soak *s)
{
    mica_world *world = s->world;
    mica_entity at = mica_entity_make(draw(s, s->entities), 0);
    for (uint32_t i = 0; i < s->entities / SHARE; i++) {
        at = mica_entity_next(world, at);
        if (MICA_IS_NONE(at)) {
            at = mica_entity_next(world, (mica_entity){0});
        }
        switch (draw(s, 8)) {
        case 0: mica_set(world, at, MICA_VALUE(s->target, Target, at)); break;
        case 1: mica_remove(world, at, s->target); break;
        case 2: mica_add(world, at, s->chosen); break;
        case 3: mica_remove(world, at, s->chosen); break;
        case 4: mica_has(world, at, s->burning) ? mica_disable(world, at, s->burning) : 0; break;
        case 5: mica_has(world, at, s->burning) ? mica_enable(world, at, s->burning) : 0; break;
        case 6: mica_add(world, at, s->velocity); break;
        default: mica_remove(world, at, s->velocity); break;
        }
    }
    if (s->frames % 8 == 7) {
        MUST(s, mica_set_all(world, s->old, s->velocity, &(Velocity){1, 2}, sizeof(Velocity),
                             NULL) == MICA_OK);
        MUST(s, mica_query_count(world, s->old) == 0);
        MUST(s, mica_remove_all(world, s->aiming, s->target, NULL) == MICA_OK);
    }
}

// A loaded image is the world that was saved: in a world of its own, which goes again.
static void save_and_load(soak *s)
{
    mica_buffer buffer = {0};
    MUST(s, mica_world_save(s->world, &(mica_stream){.buffer = &buffer}, NULL) == MICA_OK);
    mica_world *other = mica_world_new(NULL);
    soak same = {.world = other};
    make_types(&same);
    MUST(s, mica_world_load(other, &(mica_stream){.buffer = &buffer}, NULL) == MICA_OK);
    MUST(s, mica_world_hash(other) == mica_world_hash(s->world));
    mica_world_free(other);
    mica_buffer_free(&buffer);
    s->images++;
}

static void look(soak *s)
{
    MUST(s, mica_entity_count(s->world) == s->entities);
    MUST(s, s->alive == s->entities);
    MUST(s, mica_query_count(s->world, s->everybody) == s->entities);
    MUST(s, s->heard == s->sent);
    MUST(s, s->refused == 0);
    MUST(s, mica_world_get_stats(s->world).commands_dropped == 0);
    MUST(s, mica_world_validate(s->world) == MICA_OK);
    save_and_load(s);
    size_t bytes = mica_world_get_stats(s->world).memory.bytes;
    if (s->frames <= WARM_UP) {
        s->steady_bytes = bytes;
    }
    MUST(s, bytes <= s->steady_bytes + s->steady_bytes / 10);
}

static uint32_t option(int count, char **arguments, const char *name, uint32_t otherwise)
{
    for (int i = 1; i + 1 < count; i++) {
        if (strcmp(arguments[i], name) == 0) {
            return (uint32_t)strtoul(arguments[i + 1], NULL, 10);
        }
    }
    return otherwise;
}

int main(int argument_count, char **arguments)
{
    static soak s;
    s.entities = option(argument_count, arguments, "--entities", 20000);
    uint32_t seconds = option(argument_count, arguments, "--seconds", 2);
    s.random = option(argument_count, arguments, "--seed", 1) * UINT64_C(0x9e3779b97f4a7c15);
    s.world = mica_world_new(&(mica_world_desc){.error_handler = note_error, .error_user = &s});
    make_types(&s);
    make_systems(&s);
    fill(&s);

    // Until the time is over and everything was looked at since memory was measured.
    time_t began = time(NULL);
    while (!s.wrong &&
           (time(NULL) - began < (time_t)seconds || s.frames < WARM_UP + 2 * LOOK_EVERY)) {
        relocate(&s);
        MUST(&s, mica_step(s.world, 1.0 / 64) == MICA_OK);
        s.frames++;
        if (s.frames % LOOK_EVERY == 0) {
            look(&s);
        }
    }
    mica_memory_stats memory = mica_world_get_stats(s.world).memory;
    printf("figure: %" PRIu32 " entities, %" PRIu64 " frames, %" PRIu64 " events, %" PRIu64
           " images, %.0f MiB (%.2f times that of frame %d)\n",
           s.entities, s.frames, s.sent, s.images, (double)memory.bytes / 1048576,
           (double)memory.bytes / (double)(s.steady_bytes ? s.steady_bytes : memory.bytes),
           WARM_UP);
    printf("gate: nothing is lost, and memory stays\n");
    MUST(&s, mica_world_free(s.world) == MICA_OK);
    if (s.wrong) {
        printf("after %" PRIu64 " frames, this does not hold: %s\n", s.frames, s.wrong);
    }
    printf("%d passed, %d failed, 0 skipped\n", s.wrong == NULL, s.wrong != NULL);
    return s.wrong != NULL;
}
