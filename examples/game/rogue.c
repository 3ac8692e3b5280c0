// The rules. Read the file from the end: rogue_begin() lists the types, and the order of the systems in a turn.
#include "rogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOMS = 7, SIGHT = 8 };

const rogue_kind rogue_kinds[] = {
    {"you", '@', 7, 40, 6},       {"the rat", 'r', 3, 3, 1},  {"the goblin", 'g', 2, 6, 2},
    {"the ogre", 'o', 1, 12, 4},  {"the gold", '$', 3, 0, 0}, {"the potion", '!', 5, 0, 0},
    {"the amulet", '"', 6, 0, 0},
};

typedef struct {
    mica_entity who, by;
    int force;
} Blow;

static uint32_t below(Cave *cave, uint32_t limit)
{
    cave->random = cave->random * 1664525 + 1013904223;
    return (cave->random >> 8) % limit;
}

static int cell(Place p)
{
    return p.y * WIDTH + p.x;
}

static bool is_near(Place a, Place b, int distance)
{
    return abs(a.x - b.x) <= distance && abs(a.y - b.y) <= distance;
}

static int towards(int from, int to)
{
    return (to > from) - (to < from);
}

static const rogue_kind *kind_of(rogue *r, mica_entity e)
{
    return &rogue_kinds[MICA_GET(r->world, e, r->kind, Kind)->number];
}

static Place hero_place(rogue *r)
{
    return *MICA_GET(r->world, r->hero, r->place, Place);
}

static Cave *cave_of(rogue *r)
{
    return MICA_RESOURCE_MUT(r->world, r->cave, Cave);
}

static void tell(Cave *cave, const char *who, const char *does, const char *whom)
{
    size_t used = strlen(cave->text);
    snprintf(cave->text + used, sizeof cave->text - used, "%s %s%s. ", who, does, whom);
}

// One step, or a blow at the monster in the way.
static void go(rogue *r, mica_entity e, Place *at, int dx, int dy)
{
    Cave *cave = cave_of(r);
    const Place next = {at->x + dx, at->y + dy};
    mica_entity other = cave->who[cell(next)];
    if (cave->tiles[cell(next)] != '#' && MICA_IS_NONE(other)) {
        cave->who[cell(*at)] = (mica_entity){0};
        cave->who[cell(next)] = e;
        *at = next;
    } else if (MICA_EQUAL(e, r->hero) != MICA_EQUAL(other, r->hero) && !MICA_IS_NONE(other)) {
        int force = 1 + (int)below(cave, (uint32_t)kind_of(r, e)->force);
        mica_send(r->world, MICA_VALUE(r->blow, Blow, other, e, force));
    }
}

// The hero. First of all, who is where?
static void walk_begin(mica_iter *it)
{
    memset(cave_of(it->user)->who, 0, sizeof cave_of(it->user)->who);
}

static void walk_mark(mica_iter *it)
{
    Cave *cave = cave_of(it->user);
    const Place *at = mica_read(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        cave->who[cell(at[i])] = it->entities[i];
    }
}

static void walk_end(mica_iter *it)
{
    rogue *r = it->user;
    go(r, r->hero, MICA_GET_MUT(r->world, r->hero, r->place, Place), r->dx, r->dy);
}

static void gather(mica_iter *it)
{
    rogue *r = it->user;
    Cave *cave = cave_of(r);
    const Place *at = mica_read(it, 0);
    const Kind *kinds = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        if (is_near(at[i], hero_place(r), 0)) {
            Body *body = MICA_GET_MUT(r->world, r->hero, r->body, Body);
            cave->gold += kinds[i].number == GOLD ? 10 : 0;
            cave->state = kinds[i].number == AMULET ? WON : cave->state;
            body->points = kinds[i].number == POTION ? rogue_kinds[HERO].points : body->points;
            tell(cave, "you", "take ", rogue_kinds[kinds[i].number].name);
            mica_despawn(mica_later(it), it->entities[i]);
        }
    }
}

static void hunt(mica_iter *it)
{
    rogue *r = it->user;
    Cave *cave = cave_of(r);
    const Place hero = hero_place(r);
    Place *at = mica_write(it, 0);
    Hunter *hunters = mica_write(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        int dx = towards(at[i].x, hero.x), dy = towards(at[i].y, hero.y);
        if (cave->tiles[cell((Place){at[i].x + dx, at[i].y + dy})] == '#') {
            *(cave->tiles[cell((Place){at[i].x + dx, at[i].y})] == '#' ? &dx : &dy) = 0; // along it
        }
        go(r, it->entities[i], &at[i], dx, dy);
        hunters[i].patience = cave->visible[cell(at[i])] ? 10 : hunters[i].patience - 1;
        if (hunters[i].patience <= 0) {
            mica_disable(mica_later(it), it->entities[i], r->hunter); // falls asleep
        }
    }
}

static void bleed(mica_iter *it)
{
    rogue *r = it->user;
    Cave *cave = cave_of(r);
    uint32_t count;
    for (const Blow *b; (b = MICA_UNREAD(it, r->blow, Blow, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            const rogue_kind *who = kind_of(r, b[i].who), *by = kind_of(r, b[i].by);
            bool is_hero = MICA_EQUAL(b[i].who, r->hero);
            Body *body = MICA_GET_MUT(r->world, b[i].who, r->body, Body);
            body->points -= b[i].force;
            tell(cave, by->name, is_hero ? "bites " : "hit ", who->name);
            if (body->points <= 0 && is_hero) {
                cave->state = DEAD;
            } else if (body->points <= 0) {
                tell(cave, who->name, "dies", "");
                mica_despawn(mica_later(it), b[i].who);
            }
        }
    }
}

// All cells on a straight line from the hero, up to the first wall.
static void look_begin(mica_iter *it)
{
    rogue *r = it->user;
    Cave *cave = cave_of(r);
    const Place hero = hero_place(r);
    memset(cave->visible, 0, sizeof cave->visible);
    for (int i = 0; i < (2 * SIGHT + 1) * (2 * SIGHT + 1); i++) {
        int dx = i % (2 * SIGHT + 1) - SIGHT, dy = i / (2 * SIGHT + 1) - SIGHT;
        bool open = abs(dx) == SIGHT || abs(dy) == SIGHT; // towards the edge of the visible area
        for (int step = 0; open && step <= SIGHT; step++) {
            int x = (hero.x * SIGHT + dx * step + SIGHT / 2) / SIGHT;
            int y = (hero.y * SIGHT + dy * step + SIGHT / 2) / SIGHT;
            cave->seen[cell((Place){x, y})] = cave->visible[cell((Place){x, y})] = true;
            open = cave->tiles[cell((Place){x, y})] != '#'; // which is at every border
        }
    }
}

static void look_wake(mica_iter *it)
{
    rogue *r = it->user;
    Cave *cave = cave_of(r);
    const Place *at = mica_read(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        if (cave->visible[cell(at[i])] && below(cave, 3) == 0) {
            mica_enable(mica_later(it), it->entities[i], r->hunter);
        }
    }
}

static bool take_turn(rogue *r)
{
    bool good = !MICA_IS_NONE(mica_snapshot_take(r->world));
    Cave *cave = cave_of(r);
    cave->text[0] = '\0';
    cave->turn++;
    return good && mica_step(r->world, 1) == MICA_OK;
}

static void dig(Cave *cave, Place rooms[ROOMS])
{
    memset(cave->tiles, '#', WIDTH * HEIGHT);
    memset(cave->seen, 0, sizeof cave->seen);
    for (int i = 0; i < ROOMS; i++) {
        int width = 5 + (int)below(cave, 8), height = 3 + (int)below(cave, 3);
        int left = 1 + (int)below(cave, (uint32_t)(WIDTH - width - 1));
        int top = 1 + (int)below(cave, (uint32_t)(HEIGHT - height - 1));
        for (int y = top; y < top + height; y++) {
            memset(&cave->tiles[y * WIDTH + left], '.', (size_t)width);
        }
        rooms[i] = (Place){left + width / 2, top + height / 2};
        for (Place at = rooms[i > 0 ? i - 1 : 0]; !is_near(at, rooms[i], 0);) { // a corridor
            at.y += at.x == rooms[i].x ? towards(at.y, rooms[i].y) : 0;
            at.x += towards(at.x, rooms[i].x);
            cave->tiles[cell(at)] = '.';
        }
    }
}

static void put(rogue *r, int kind, int x, int y)
{
    mica_entity e =
        mica_spawn(r->world, MICA_VALUE(r->kind, Kind, kind), MICA_VALUE(r->place, Place, x, y));
    if (rogue_kinds[kind].points > 0) {
        mica_set(r->world, e, MICA_VALUE(r->body, Body, rogue_kinds[kind].points),
                 MICA_ADD(r->hunter));
        mica_disable(r->world, e, r->hunter);
    }
}

// Restores the world before the last turn, if that is known.
static bool take_back(rogue *r)
{
    mica_snapshot before = mica_snapshot_previous(r->world, (mica_snapshot){0}); // the newest
    return MICA_IS_NONE(before) || (mica_snapshot_restore(r->world, before) == MICA_OK &&
                                    mica_snapshot_drop(r->world, before) == MICA_OK);
}

static void forget_turns(rogue *r)
{
    mica_snapshot oldest = mica_snapshot_next(r->world, (mica_snapshot){0});
    while (!MICA_IS_NONE(oldest)) {
        mica_snapshot_drop(r->world, oldest);
        oldest = mica_snapshot_next(r->world, (mica_snapshot){0});
    }
}

static bool descend(rogue *r)
{
    Cave *cave = cave_of(r);
    Place rooms[ROOMS];
    const int depth = ++cave->depth, last = ROOMS - 1;
    mica_remove(r->world, r->hero, r->place); // all that has a place stays behind
    mica_despawn_all(r->world, r->things, NULL);
    dig(cave, rooms);
    mica_set(r->world, r->hero, MICA_COPY_OF(r->place, rooms[0]));
    for (int i = 1; i < ROOMS; i++) {
        if (!is_near(rooms[i], rooms[0], 3)) {
            put(r, below(cave, 2) ? GOLD : POTION, rooms[i].x + 1, rooms[i].y);
            put(r, RAT + (int)below(cave, depth < 3 ? (uint32_t)depth : 3), rooms[i].x, rooms[i].y);
            put(r, depth < 3 ? RAT : GOBLIN, rooms[i].x - 1, rooms[i].y + 1);
        }
    }
    cave->tiles[cell(rooms[last])] = depth < DEPTHS ? '>' : '.';
    if (depth == DEPTHS) {
        put(r, AMULET, rooms[last].x, rooms[last].y);
    }
    bool good = take_turn(r);
    forget_turns(r); // from below there is no way back, nor before the first look around
    return good;
}

bool rogue_press(rogue *r, char key)
{
    static const char keys[] = "hjklyubn.";
    static const int dx[] = {-1, 0, 0, 1, -1, 1, -1, 1, 0}, dy[] = {0, 1, -1, 0, -1, -1, 1, 1, 0};
    const char *known = key ? strchr(keys, key) : NULL;
    const Cave *cave = cave_of(r);
    if (key == 'z') {
        return take_back(r);
    }
    if (cave->state == PLAYING && key == '>' && cave->tiles[cell(hero_place(r))] == '>') {
        return descend(r);
    }
    r->dx = known ? dx[known - keys] : 0;
    r->dy = known ? dy[known - keys] : 0;
    return cave->state != PLAYING || !known || take_turn(r);
}

static void add(rogue *r, const char *name, mica_update_fn *begin, mica_update_fn *update,
                mica_update_fn *end, mica_query_desc query)
{
    const mica_system_desc desc = {.name = name,
                                   .begin = begin,
                                   .update = update,
                                   .end = end,
                                   .user = r,
                                   .query = query,
                                   .resources = {{r->cave, MICA_WRITE}},
                                   .events = {{r->blow, MICA_READ}, {r->blow, MICA_WRITE}}};
    mica_system_add(r->world, &desc);
}

bool rogue_begin(rogue *r, uint32_t seed)
{
    *r = (rogue){.world = mica_world_new(NULL)};
    mica_world *w = r->world;
    mica_type_desc hunter = MICA_DESCRIBE(Hunter, patience);
    hunter.toggle = true;
    r->place = MICA_REGISTER(w, Place, x, y);
    r->kind = MICA_REGISTER(w, Kind, number);
    r->body = MICA_REGISTER(w, Body, points);
    r->hunter = mica_type_register(w, &hunter);
    r->cave = MICA_REGISTER(w, Cave, tiles, seen, visible, random, depth, turn, gold, state, text);
    r->blow = MICA_REGISTER(w, Blow, who, by, force);
    const mica_term at = {r->place, MICA_READ}, kind = {r->kind, MICA_READ};
    r->things =
        mica_query_new(w, &(mica_query_desc){.terms = {at, kind, {r->body, MICA_OPTIONAL}}});

    add(r, "walk", walk_begin, walk_mark, walk_end,
        (mica_query_desc){.terms = {at, {r->body, MICA_WITH}}});
    add(r, "gather", NULL, gather, NULL,
        (mica_query_desc){.terms = {at, kind, {r->body, MICA_WITHOUT}}});
    add(r, "hunt", NULL, hunt, NULL,
        (mica_query_desc){.terms = {{r->place, MICA_WRITE}, {r->hunter, MICA_WRITE}}});
    add(r, "bleed", NULL, bleed, NULL, (mica_query_desc){0});
    add(r, "look", look_begin, look_wake, NULL,
        (mica_query_desc){.terms = {at, {r->hunter, MICA_WITH | MICA_INCLUDE_DISABLED}}});
    bool good = mica_resource_set(w, MICA_VALUE(r->cave, Cave, .random = seed)) == MICA_OK;
    r->hero = mica_spawn(w, MICA_VALUE(r->kind, Kind, HERO),
                         MICA_VALUE(r->body, Body, rogue_kinds[HERO].points));
    good = good && mica_time_begin(w, &(mica_time_desc){.budget = 1 << 20}) == MICA_OK;
    return good && descend(r);
}

void rogue_end(rogue *r)
{
    mica_world_free(r->world);
}
