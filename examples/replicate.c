// Replication: a server sends its world to a client by deltas (mica/delta.h), over a network that loses packets. Each
// packet has the differences from the last state that the client has acknowledged. The client keeps a snapshot of each
// state that it has got, and restores the one that a packet begins with.
#include <mica.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

enum { SHIPS = 200, FRAMES = 12 };

// A world, and the snapshots of the frames that it has.
typedef struct machine {
    mica_world *world;
    mica_type position, velocity;
    mica_snapshot frames[FRAMES + 1];
    int frame; // the newest
} machine;

static void check(mica_result result)
{
    if (result != MICA_OK) {
        exit(EXIT_FAILURE);
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

static void open_machine(machine *m)
{
    m->world = mica_world_new(NULL);
    m->position = MICA_REGISTER(m->world, Position, x, y);
    m->velocity = MICA_REGISTER(m->world, Velocity, x, y);
    check(mica_time_begin(m->world, NULL));
}

// The server

static void launch(machine *server)
{
    for (int i = 0; i < SHIPS; i++) {
        mica_spawn(server->world, MICA_VALUE(server->position, Position, (float)i, 0),
                   MICA_VALUE(server->velocity, Velocity, i % 50 == 0 ? 1.0f : 0, 0.5f));
    }
    mica_system_add(server->world,
                    &(mica_system_desc){.name = "move",
                                        .update = move,
                                        .query.terms = {{server->position, MICA_WRITE},
                                                        {server->velocity, MICA_READ}}});
}

static void step(machine *server)
{
    check(mica_step(server->world, 1.0 / 60));
    if (server->frame % 4 == 0) {
        mica_entity sunk = mica_entity_next(server->world, (mica_entity){0});
        check(mica_despawn(server->world, sunk));
    }
    server->frames[++server->frame] = mica_snapshot_take(server->world);
}

// Writes the differences from a frame that the client has. Positions are rounded to hundredths.
static void save_packet(machine *server, int acknowledged, mica_buffer *packet)
{
    const mica_delta_field rounded[] = {{server->position, "x", 0.01},
                                        {server->position, "y", 0.01}};
    check(mica_delta_save(server->world, server->frames[acknowledged],
                          server->frames[server->frame], &(mica_stream){.buffer = packet},
                          &(mica_delta_desc){.fields = rounded, .field_count = 2}));
}

// The client

static void load_packet(machine *client, int from, int to, const mica_buffer *packet)
{
    const mica_stream stream = {.data = packet->data, .size = packet->size};
    if (client->frame != from) {
        check(mica_snapshot_restore(client->world, client->frames[from]));
    }
    check(mica_delta_load(client->world, &stream));
    client->frames[to] = mica_snapshot_take(client->world);
    client->frame = to;
}

// The first state comes as an image.
static void connect(machine *server, machine *client, mica_buffer *packet)
{
    check(mica_world_save(server->world, &(mica_stream){.buffer = packet}, NULL));
    check(mica_world_load(client->world, &(mica_stream){.data = packet->data, .size = packet->size},
                          NULL));
    server->frames[0] = mica_snapshot_take(server->world);
    client->frames[0] = mica_snapshot_take(client->world);
    printf("an image has %zu bytes\n", packet->size);
}

static bool is_close(machine *a, machine *b)
{
    bool close = mica_entity_count(a->world) == mica_entity_count(b->world);
    mica_entity entity = mica_entity_next(a->world, (mica_entity){0});
    for (; close && !MICA_IS_NONE(entity); entity = mica_entity_next(a->world, entity)) {
        const Position *p = mica_get(a->world, entity, a->position);
        const Position *q = mica_get(b->world, entity, b->position);
        close = q && p->x - q->x < 0.006f && q->x - p->x < 0.006f && p->y - q->y < 0.006f &&
                q->y - p->y < 0.006f;
    }
    return close;
}

int main(void)
{
    machine server = {0}, client = {0};
    mica_buffer packet = {0};
    open_machine(&server);
    open_machine(&client);
    launch(&server);
    connect(&server, &client, &packet);

    int acknowledged = 0; // as far as the server knows
    for (int frame = 1; frame <= FRAMES; frame++) {
        step(&server);
        save_packet(&server, acknowledged, &packet);
        bool lost = frame % 5 == 3;
        bool acknowledgement_lost = frame % 5 == 0;
        printf("frame %2d: %3zu bytes from frame %2d", frame, packet.size, acknowledged);
        if (lost) {
            puts(", lost");
            continue;
        }
        load_packet(&client, acknowledged, frame, &packet);
        printf(", %s%s\n", is_close(&server, &client) ? "equal" : "different",
               acknowledgement_lost ? "; the acknowledgement is lost" : "");
        acknowledged = acknowledgement_lost ? acknowledged : frame;
    }

    mica_buffer_free(&packet);
    mica_world_free(server.world);
    mica_world_free(client.world);
    return EXIT_SUCCESS;
}
