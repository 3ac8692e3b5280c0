// Rollback netcode: two machines play the same game, and neither waits for the other. A machine predicts the keys of
// the other player. When the real keys arrive and differ, it restores the snapshot of that frame and plays again from
// there. Both machines are in this program. The network between them is slow and loses packets.
//
// Then one machine gets a fault. The hashes of confirmed frames differ, and mica_sync_test() finds the fault.
#include <mica.h>
#include <stdio.h>

enum {
    FRAMES = 600,
    LATENCY = 8, // frames from sending to receiving
    LOSS = 5,    // percent of packets that get lost
    WINDOW = 16, // frames that can be played again; a machine that is further ahead waits
    WIDTH = 40,  // the field
    HEIGHT = 20
};

// The game: players move up and down at both ends of a field, and shoot at each other. Numbers are integers, which are
// the same on every machine.
enum { UP = 1, DOWN = 2, FIRE = 4 };

typedef struct {
    int number, y, points;
} Player;

typedef struct {
    int shooter, x, y;
} Bullet;

typedef struct {
    int pressed[2]; // by each player, in this frame
} Keys;

typedef struct {
    int until; // the keys before this frame are in here
    int keys[2 * WINDOW];
    int confirmed; // a frame whose keys are all known, and the hash of the world before it
    uint64_t hash;
    bool arrives;
} Packet;

typedef struct {
    mica_world *world;
    mica_type player, bullet, keys;
    mica_entity players[2];
    int me;
    int frame;                       // the next one
    int known;                       // the keys of the other player are known up to here
    int pressed[2][FRAMES];          // the other player's from `known` on are predictions
    mica_snapshot snapshots[WINDOW]; // the world before a frame, by its number
    uint64_t hashes[FRAMES + 1];
    Packet incoming[LATENCY + 1]; // by the time of arrival
    int lost, restores, again, waited, compared, different;
    bool faulty;
    int flights; // the fault: it changes the game, and is not in the world
} Machine;

static void move_players(mica_iter *it)
{
    const Machine *m = it->user;
    const Keys *keys = MICA_RESOURCE(it->world, m->keys, Keys);
    Player *p = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        int pressed = keys->pressed[p[i].number];
        p[i].y += (pressed & DOWN && p[i].y < HEIGHT - 1) - (pressed & UP && p[i].y > 0);
        if (pressed & FIRE) {
            int x = p[i].number == 0 ? 0 : WIDTH;
            mica_spawn(mica_later(it), MICA_VALUE(m->bullet, Bullet, p[i].number, x, p[i].y));
        }
    }
}

static void move_bullets(mica_iter *it)
{
    Machine *m = it->user;
    Bullet *b = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        int shooter = b[i].shooter;
        b[i].x += shooter == 0 ? 2 : -2;
        b[i].y += m->faulty && ++m->flights % 50 == 0;
        if (b[i].x <= 0 || b[i].x >= WIDTH) {
            const Player *other = MICA_GET(it->world, m->players[!shooter], m->player, Player);
            int missed_by = b[i].y - other->y;
            if (missed_by * missed_by <= 1) {
                MICA_GET_MUT(it->world, m->players[shooter], m->player, Player)->points++;
            }
            mica_despawn(mica_later(it), it->entities[i]);
        }
    }
}

// Takes the snapshot before the next frame.
static void remember(Machine *m)
{
    mica_snapshot *place = &m->snapshots[m->frame % WINDOW];
    if (mica_snapshot_is_kept(m->world, *place)) {
        mica_snapshot_drop(m->world, *place); // a confirmed frame; it is never played again
    }
    *place = mica_snapshot_take(m->world);
    m->hashes[m->frame] = mica_snapshot_hash(m->world, *place);
}

static void show(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)user;
    printf("%s\n", error->sentence);
}

static void begin(Machine *m, int me)
{
    mica_world *world = mica_world_new(&(mica_world_desc){.error_handler = show});
    m->world = world;
    m->me = me;
    m->player = MICA_REGISTER(world, Player, number, y, points);
    m->bullet = MICA_REGISTER(world, Bullet, shooter, x, y);
    m->keys = MICA_REGISTER(world, Keys, pressed);
    mica_system_add(world, &(mica_system_desc){.name = "move players",
                                               .update = move_players,
                                               .user = m,
                                               .query.terms = {{m->player, MICA_WRITE}},
                                               .resources = {{m->keys, MICA_READ}}});
    mica_system_add(world, &(mica_system_desc){.name = "move bullets",
                                               .update = move_bullets,
                                               .user = m,
                                               .query.terms = {{m->bullet, MICA_WRITE}}});
    for (int i = 0; i < 2; i++) {
        m->players[i] = mica_spawn(world, MICA_VALUE(m->player, Player, i, HEIGHT / 2, 0));
    }
    mica_time_begin(world, NULL);
    remember(m);
}

// Plays a frame. Unknown keys of the other player are predicted: nothing has changed.
static void play(Machine *m)
{
    int *others = m->pressed[!m->me];
    if (m->frame >= m->known) {
        others[m->frame] = m->known > 0 ? others[m->known - 1] : 0;
    }
    mica_resource_set(
        m->world, MICA_VALUE(m->keys, Keys, {m->pressed[0][m->frame], m->pressed[1][m->frame]}));
    mica_step(m->world, 1.0 / 60);
    m->frame++;
    remember(m);
}

// Restores the world before a frame, and plays again up to the present.
static void play_again(Machine *m, int from)
{
    int now = m->frame;
    if (mica_snapshot_restore(m->world, m->snapshots[from % WINDOW]) != MICA_OK) {
        return;
    }
    m->restores++;
    m->again += now - from;
    for (m->frame = from; m->frame < now;) {
        play(m);
    }
}

static void receive(Machine *m, const Packet *p)
{
    int wrong = m->frame;
    for (; m->known < p->until; m->known++) {
        int pressed = p->keys[m->known % (2 * WINDOW)];
        int *predicted = &m->pressed[!m->me][m->known];
        if (m->known < wrong && *predicted != pressed) {
            wrong = m->known;
        }
        *predicted = pressed;
    }
    if (wrong < m->frame) {
        play_again(m, wrong);
    }
    if (p->confirmed <= m->known && p->confirmed <= m->frame) {
        m->compared++;
        m->different += p->hash != m->hashes[p->confirmed];
    }
}

// The latest keys are in every packet, so a lost one does no harm.
static void send(const Machine *m, Packet *p)
{
    p->until = m->frame;
    for (int i = p->until > 2 * WINDOW ? p->until - 2 * WINDOW : 0; i < p->until; i++) {
        p->keys[i % (2 * WINDOW)] = m->pressed[m->me][i];
    }
    p->confirmed = m->known < m->frame ? m->known : m->frame;
    p->hash = m->hashes[p->confirmed];
}

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t bits = (a + 1) * 2654435761u ^ (b + 1) * 2246822519u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    return bits ^ bits >> 13;
}

// A player who presses other keys every now and then.
static int press(int player, int frame)
{
    uint32_t random = mix((uint32_t)player, (uint32_t)frame / 10);
    int pressed = random % 3 == 0 ? UP : random % 3 == 1 ? DOWN : 0;
    return frame % 6 == 0 && random & 16 ? pressed | FIRE : pressed;
}

// One frame of real time on a machine.
static void run(Machine *m, Machine *other, int time)
{
    Packet *incoming = &m->incoming[time % (LATENCY + 1)];
    if (incoming->arrives) {
        receive(m, incoming);
    }
    if (m->frame - m->known >= WINDOW - 1) {
        m->waited++;
    } else if (m->frame < FRAMES) {
        m->pressed[m->me][m->frame] = press(m->me, m->frame);
        play(m);
    }
    Packet *outgoing = &other->incoming[(time + LATENCY) % (LATENCY + 1)];
    outgoing->arrives = mix((uint32_t)(m->me + 2), (uint32_t)time) % 100 >= LOSS;
    other->lost += !outgoing->arrives;
    send(m, outgoing);
}

static bool is_done(const Machine *m)
{
    return m->frame == FRAMES && m->known == FRAMES;
}

static void report(const Machine *m, const char *name)
{
    printf("%-6s %d packets lost, %d restores, %d frames played again, %d waited for\n", name,
           m->lost, m->restores, m->again, m->waited);
    printf("       %d hashes of the other machine compared, %d differ\n", m->compared,
           m->different);
}

static void match(Machine *left, Machine *right)
{
    begin(left, 0);
    begin(right, 1);
    for (int time = 0; time < 2 * FRAMES && !(is_done(left) && is_done(right)); time++) {
        run(left, right, time);
        run(right, left, time);
    }
}

static void end(Machine *left, Machine *right)
{
    mica_world_free(left->world);
    mica_world_free(right->world);
    *left = *right = (Machine){0};
}

int main(void)
{
    static Machine left, right;
    match(&left, &right);
    report(&left, "left:");
    report(&right, "right:");
    bool equal = left.hashes[FRAMES] == right.hashes[FRAMES];
    printf("after %d frames both are %s, at %d : %d\n", FRAMES, equal ? "equal" : "different",
           MICA_GET(left.world, left.players[0], left.player, Player)->points,
           MICA_GET(left.world, left.players[1], left.player, Player)->points);
    end(&left, &right);

    right.faulty = true;
    match(&left, &right);
    int frame = 0;
    while (frame < FRAMES && left.hashes[frame] == right.hashes[frame]) {
        frame++;
    }
    printf("with a fault, both are different from frame %d on\n", frame);
    bool found = false;
    for (int i = 0; i < 100 && !found; i++) { // a debug build would do this in the match
        found = mica_sync_test(right.world, 1.0 / 60, NULL) == MICA_ERROR_DESYNC;
    }
    end(&left, &right);
    return equal && found ? 0 : 1;
}
