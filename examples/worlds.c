// Two worlds: a server's, and a client's copy of it. The server sends only changes. An entity has the same handle on
// both sides. Each world has its own types, time and errors.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;

typedef struct {
    mica_world *world;
    mica_type position;
} Side;

static Side side_new(void)
{
    Side s = {.world = mica_world_new(NULL)};
    mica_type_desc desc = MICA_DESCRIBE(Position, x, y);
    desc.row_stamps = true; // to send those that changed, and no others
    s.position = mica_type_register(s.world, &desc);
    return s;
}

// A type of one world means nothing to another: each side names its own.
static void receive(Side *client, mica_entity e, Position p)
{
    if (!mica_alive(client->world, e)) {
        mica_spawn_at(client->world, e);
    }
    mica_set(client->world, e, MICA_COPY_OF(client->position, p));
}

static void gone(const mica_observer_event *h)
{
    const Side *client = h->user;
    mica_despawn(client->world, h->entity); // another world: it may be changed from in here
}

static void send_changes(Side *server, mica_query changed, Side *client)
{
    mica_iter it;
    uint32_t sent = 0;
    mica_iter_begin(server->world, changed, &it);
    while (mica_iter_next(&it)) {
        const Position *p = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++, sent++) {
            receive(client, it.entities[i], p[i]);
        }
    }
    bool same = mica_world_hash(server->world) == mica_world_hash(client->world);
    printf("%u sent; the client %s\n", (unsigned)sent, same ? "has the same" : "differs");
}

int main(void)
{
    Side server = side_new(), client = side_new();
    mica_query changed = mica_query_new(
        server.world, &(mica_query_desc){.terms = {{server.position, MICA_READ | MICA_CHANGED}}});
    mica_observer_new(server.world, &(mica_observer_desc){
                                        .events = MICA_ON_DESPAWN, .call = gone, .user = &client});
    mica_entity e[100];
    for (int i = 0; i < 100; i++) {
        e[i] = mica_spawn(server.world, MICA_VALUE(server.position, Position, (float)i, 0));
    }
    send_changes(&server, changed, &client);
    mica_set(server.world, e[7], MICA_VALUE(server.position, Position, 7, 1));
    MICA_GET_MUT(server.world, e[9], server.position, Position)->y = 2;
    send_changes(&server, changed, &client);
    mica_despawn(server.world, e[50]);
    mica_spawn(server.world, MICA_VALUE(server.position, Position, 50, 50)); // in its slot
    send_changes(&server, changed, &client);
    mica_world_free(client.world);
    mica_world_free(server.world);
}
