// Replication: a server sends its world to a client by deltas (mica/delta.h), over a network that is slow and loses
// packets. Each packet has the differences from the base: the last frame that the client has acknowledged, as far as
// the server knows. The server keeps the snapshots of the base and of later frames, which may become the base.
//
// The client keeps a snapshot of the base, and restores it before it loads a packet. A restore drops later snapshots,
// so of the frame that it acknowledges it keeps the delta.
#include <mica.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

enum { SHIPS = 200, FRAMES = 20, LATENCY = 3 };

typedef struct packet {
    int from, to; // frames
    mica_buffer delta;
} packet;

typedef struct server {
    mica_world *world;
    mica_type position, velocity;
    mica_entity ships[SHIPS];
    int frame;                             // the newest
    int base;                              // that the client has
    mica_snapshot snapshots[FRAMES + 1];   // from the base on
    Position positions[FRAMES + 1][SHIPS]; // only to be compared
} server;

typedef struct client {
    mica_world *world;
    mica_type position, velocity;
    int base;
    mica_snapshot snapshot; // taken at the base
    int acknowledged;       // the base, or the next one
    mica_buffer next;       // the delta from the base to the next one
} client;

static void check(mica_result result)
{
    if (result != MICA_OK) {
        exit(EXIT_FAILURE);
    }
}

static mica_world *open_world(mica_type *position, mica_type *velocity)
{
    mica_world *world = mica_world_new(NULL);
    *position = MICA_REGISTER(world, Position, x, y);
    *velocity = MICA_REGISTER(world, Velocity, x, y);
    check(mica_time_begin(world, NULL));
    return world;
}

// Ships that are sunk are nowhere.
static void look(const mica_entity *ships, mica_world *world, mica_type type, Position *positions)
{
    for (int i = 0; i < SHIPS; i++) {
        bool floats = mica_alive(world, ships[i]);
        positions[i] =
            floats ? *(const Position *)mica_get(world, ships[i], type) : (Position){-1, -1};
    }
}

// The server

static void move(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->dt;
        p[i].y += v[i].y * it->dt;
    }
}

static void launch(server *s)
{
    for (int i = 0; i < SHIPS; i++) {
        s->ships[i] = mica_spawn(s->world, MICA_VALUE(s->position, Position, (float)i, 0),
                                 MICA_VALUE(s->velocity, Velocity, i % 50 == 0 ? 1.0f : 0, 0.5f));
    }
    mica_system_add(s->world, &(mica_system_desc){.name = "move",
                                                  .update = move,
                                                  .query.terms = {{s->position, MICA_WRITE},
                                                                  {s->velocity, MICA_READ}}});
}

static void step(server *s)
{
    check(mica_step(s->world, 1.0 / 60));
    if (s->frame % 4 == 0) {
        check(mica_despawn(s->world, s->ships[s->frame]));
    }
    s->snapshots[++s->frame] = mica_snapshot_take(s->world);
    look(s->ships, s->world, s->position, s->positions[s->frame]);
}

// No packet will begin with an earlier frame.
static void set_base(server *s, int acknowledged)
{
    while (s->base < acknowledged) {
        check(mica_snapshot_drop(s->world, s->snapshots[s->base++]));
    }
}

// Positions are rounded to hundredths.
static void save_packet(server *s, packet *p)
{
    const mica_delta_field rounded[] = {{s->position, "x", 0.01}, {s->position, "y", 0.01}};
    p->from = s->base;
    p->to = s->frame;
    check(mica_delta_save(s->world, s->snapshots[p->from], s->snapshots[p->to],
                          &(mica_stream){.buffer = &p->delta},
                          &(mica_delta_desc){.fields = rounded, .field_count = 2}));
}

// The client

static void load_delta(client *c, const mica_buffer *delta)
{
    check(mica_snapshot_restore(c->world, c->snapshot));
    check(mica_delta_load(c->world, &(mica_stream){.data = delta->data, .size = delta->size}));
}

// The server knows that the client has the frame that it has acknowledged: this is the base now.
static void advance_base(client *c)
{
    load_delta(c, &c->next);
    check(mica_snapshot_drop(c->world, c->snapshot));
    c->snapshot = mica_snapshot_take(c->world);
    c->base = c->acknowledged;
}

// Packets arrive in order. If they did not, those that begin before the base would have to be ignored.
static void load_packet(client *c, packet *p)
{
    if (p->from != c->base) {
        advance_base(c);
    }
    load_delta(c, &p->delta);
    if (c->acknowledged == c->base) { // one frame at a time
        mica_buffer kept = p->delta;
        p->delta = c->next;
        c->next = kept;
        c->acknowledged = p->to;
    }
}

// The first state comes as an image.
static void connect(server *s, client *c)
{
    mica_buffer image = {0};
    check(mica_world_save(s->world, &(mica_stream){.buffer = &image}, NULL));
    check(mica_world_load(c->world, &(mica_stream){.data = image.data, .size = image.size}, NULL));
    s->snapshots[0] = mica_snapshot_take(s->world);
    c->snapshot = mica_snapshot_take(c->world);
    printf("an image has %zu bytes\n", image.size);
    mica_buffer_free(&image);
}

static bool is_close(const server *s, const client *c, int frame)
{
    Position positions[SHIPS];
    look(s->ships, c->world, c->position, positions);
    bool close = true;
    for (int i = 0; i < SHIPS; i++) {
        Position p = positions[i], q = s->positions[frame][i];
        close = close && p.x - q.x < 0.006f && q.x - p.x < 0.006f && p.y - q.y < 0.006f &&
                q.y - p.y < 0.006f;
    }
    return close;
}

int main(void)
{
    static server s;
    static client c;
    static packet packets[FRAMES + 1];      // by the frame in which they are sent
    int acknowledgements[FRAMES + 1] = {0}; // 0: none, or lost
    s.world = open_world(&s.position, &s.velocity);
    c.world = open_world(&c.position, &c.velocity);
    launch(&s);
    connect(&s, &c);

    for (int frame = 1; frame <= FRAMES; frame++) {
        int sent = frame > LATENCY ? frame - LATENCY : 0; // what arrives now
        step(&s);
        set_base(&s, acknowledgements[sent]);
        save_packet(&s, &packets[frame]);
        printf("frame %2d: %3zu bytes from frame %2d", frame, packets[frame].delta.size, s.base);
        if (sent % 5 == 3) {
            printf("; frame %2d is lost", sent);
        } else if (sent > 0) {
            load_packet(&c, &packets[sent]);
            acknowledgements[frame] = frame % 5 != 0 ? c.acknowledged : 0;
            printf("; frame %2d arrives: %s; frame %2d is acknowledged", sent,
                   is_close(&s, &c, sent) ? "equal" : "different", c.acknowledged);
        }
        puts("");
    }

    for (int frame = 1; frame <= FRAMES; frame++) {
        mica_buffer_free(&packets[frame].delta);
    }
    mica_buffer_free(&c.next);
    mica_world_free(s.world);
    mica_world_free(c.world);
    return EXIT_SUCCESS;
}
