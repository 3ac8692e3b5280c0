// Z5: relations at random against a plain model: an array of sources for each target and relation. All
// calls, all ways in which targets may die, commands, images, snapshots, twins and deltas.
//
// MICA_TEST_SEED=N tells one world. MICA_TEST_SEEDS=N tells so many.
#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "runner/tier.h"
#include "runner/world.h"

enum { ENTITIES = 48, RELATIONS = 5, KEPT = 4, NONE = -1, CYCLIC = RELATIONS - 1 };

// Entities are places in arrays. Links lead from place to place.
typedef struct model {
    mica_entity entities[ENTITIES]; // none: dead
    int target[RELATIONS][ENTITIES];
    int sources[RELATIONS][ENTITIES][ENTITIES];
    int counts[RELATIONS][ENTITIES];
} model;

typedef struct lab {
    test_world t;
    mica_world *world;
    mica_relation relations[RELATIONS];
    mica_type number;
    uint64_t random;
    model now;
    model kept[KEPT]; // with the snapshots
    mica_snapshot snapshots[KEPT];
    int severed; // notifications of removed links of entities that live on
    int removed; // all
} lab;

static const char *const names[RELATIONS] = {"Near", "ChildOf", "Holds", "DockedTo", "Follows"};
static const mica_cleanup cleanups[RELATIONS] = {MICA_UNLINK, MICA_CASCADE, MICA_LIFT, MICA_REFUSE,
                                                 MICA_UNLINK};

static uint32_t below(lab *l, uint32_t end)
{
    l->random ^= l->random << 13;
    l->random ^= l->random >> 7;
    l->random ^= l->random << 17;
    return (uint32_t)((l->random >> 16) % end);
}

// The model

static bool lives(const model *m, int e)
{
    return m->entities[e].bits != 0;
}

static void drop_source(model *m, int r, int source)
{
    int target = m->target[r][source];
    if (target == NONE) {
        return;
    }
    int *list = m->sources[r][target];
    int place = 0;
    while (list[place] != source) {
        place++;
    }
    m->counts[r][target]--;
    for (int i = place; i < m->counts[r][target]; i++) {
        list[i] = list[i + 1];
    }
    m->target[r][source] = NONE;
}

static void insert_source(model *m, int r, int source, int target, int place)
{
    int *list = m->sources[r][target];
    for (int i = m->counts[r][target]++; i > place; i--) {
        list[i] = list[i - 1];
    }
    list[place] = source;
    m->target[r][source] = target;
}

static void set_target(model *m, int r, int source, int target)
{
    if (m->target[r][source] != target) {
        drop_source(m, r, source);
        insert_source(m, r, source, target, m->counts[r][target]);
    }
}

static int find_place(const model *m, int r, int target, int source)
{
    int place = 0;
    while (m->sources[r][target][place] != source) {
        place++;
    }
    return place;
}

static bool is_under(const model *m, int r, int entity, int above)
{
    int at = m->target[r][entity];
    for (int i = 0; i < ENTITIES && at != NONE && at != above; i++) {
        at = m->target[r][at];
    }
    return at == above && above != NONE;
}

static int depth_of(const model *m, int r, int entity)
{
    bool seen[ENTITIES] = {false};
    int depth = 0;
    seen[entity] = true;
    for (int at = m->target[r][entity]; at != NONE && !seen[at]; at = m->target[r][at]) {
        seen[at] = true;
        depth++;
    }
    return depth;
}

static bool would_cycle(const model *m, int r, int source, int target)
{
    return r != CYCLIC && (source == target || is_under(m, r, target, source));
}

static int spawn_place(lab *l)
{
    int e = (int)below(l, ENTITIES);
    for (int i = 0; i < ENTITIES; i++, e = (e + 1) % ENTITIES) {
        if (!lives(&l->now, e)) {
            return e;
        }
    }
    return NONE;
}

static int pick(lab *l)
{
    int e = (int)below(l, ENTITIES);
    for (int i = 0; i < ENTITIES; i++, e = (e + 1) % ENTITIES) {
        if (lives(&l->now, e)) {
            return e;
        }
    }
    return NONE;
}

// Removes entities with all that follows. Returns false if a link refuses, and then changes nothing.
static bool kill_all(model *m, const int *entities, int count)
{
    int doomed[ENTITIES];
    bool dies[ENTITIES] = {false};
    int all = 0;
    for (int i = 0; i < count; i++) {
        if (!dies[entities[i]]) {
            dies[entities[i]] = true;
            doomed[all++] = entities[i];
        }
    }
    for (int i = 0; i < all; i++) {
        for (int r = 0; r < RELATIONS; r++) {
            for (int s = 0; cleanups[r] == MICA_CASCADE && s < m->counts[r][doomed[i]]; s++) {
                int source = m->sources[r][doomed[i]][s];
                if (!dies[source]) {
                    dies[source] = true;
                    doomed[all++] = source;
                }
            }
        }
    }
    for (int i = 0; i < all; i++) {
        for (int r = 0; r < RELATIONS; r++) {
            for (int s = 0; cleanups[r] == MICA_REFUSE && s < m->counts[r][doomed[i]]; s++) {
                if (!dies[m->sources[r][doomed[i]][s]]) {
                    return false;
                }
            }
        }
    }
    for (int r = 0; r < RELATIONS; r++) {
        for (int i = 0; i < all; i++) {
            int heir = m->target[r][doomed[i]];
            for (int n = 0; n < all && heir != NONE && dies[heir]; n++) {
                heir = m->target[r][heir];
            }
            heir = cleanups[r] == MICA_LIFT && heir != NONE && !dies[heir] ? heir : NONE;
            int sources[ENTITIES];
            int sources_count = m->counts[r][doomed[i]];
            memcpy(sources, m->sources[r][doomed[i]], sizeof sources);
            for (int s = 0; s < sources_count; s++) {
                if (dies[sources[s]]) {
                    continue;
                }
                drop_source(m, r, sources[s]);
                if (heir != NONE) {
                    insert_source(m, r, sources[s], heir, m->counts[r][heir]);
                }
            }
        }
    }
    for (int i = 0; i < all; i++) {
        for (int r = 0; r < RELATIONS; r++) {
            drop_source(m, r, doomed[i]);
        }
        m->entities[doomed[i]] = (mica_entity){0};
    }
    return true;
}

// Comparing

static void check_target(lab *l, int r, int e)
{
    const model *m = &l->now;
    mica_relation relation = l->relations[r];
    mica_entity entity = m->entities[e];
    int target = m->target[r][e];
    mica_entity expected = target == NONE ? (mica_entity){0} : m->entities[target];
    CHECK_EQUAL(expected.bits, mica_target(l->world, entity, relation).bits);
    CHECK_EQUAL(depth_of(m, r, e), mica_depth(l->world, entity, relation));
    const mica_entity *value = mica_get(l->world, entity, mica_relation_type(l->world, relation));
    CHECK_EQUAL(expected.bits, value ? value->bits : 0);
}

static void check_sources(lab *l, int r, int e)
{
    const model *m = &l->now;
    mica_relation relation = l->relations[r];
    mica_entity list[ENTITIES];
    uint32_t first = below(l, 3);
    uint32_t count = mica_sources(l->world, m->entities[e], relation, first, list, ENTITIES);
    CHECK_EQUAL(m->counts[r][e], mica_source_count(l->world, m->entities[e], relation));
    REQUIRE_EQUAL((uint32_t)m->counts[r][e] > first ? (uint32_t)m->counts[r][e] - first : 0, count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_EQUAL(m->entities[m->sources[r][e][first + i]].bits, list[i].bits);
    }
}

// Returns the number of entities below a place in the model, in order.
static int list_below(const model *m, int r, int root, int at, int *list, int count)
{
    for (int s = 0; s < m->counts[r][at]; s++) {
        int source = m->sources[r][at][s];
        if (source != root) {
            list[count++] = source;
            count = list_below(m, r, root, source, list, count);
        }
    }
    return count;
}

static void check_descent(lab *l, int r, int root)
{
    const model *m = &l->now;
    int list[ENTITIES];
    int count = list_below(m, r, root, root, list, 0);
    int seen = 0;
    mica_descent below_root = mica_descend(l->world, m->entities[root], l->relations[r]);
    for (mica_entity e; (e = mica_descent_next(&below_root)).bits; seen++) {
        REQUIRE(seen < count);
        CHECK_EQUAL(m->entities[list[seen]].bits, e.bits);
    }
    CHECK_EQUAL(count, seen);
}

static void compare(lab *l)
{
    for (int r = 0; r < RELATIONS; r++) {
        for (int e = 0; e < ENTITIES; e++) {
            if (lives(&l->now, e)) {
                check_target(l, r, e);
                check_sources(l, r, e);
            }
        }
        int e = pick(l);
        int other = pick(l);
        if (e != NONE) {
            check_descent(l, r, e);
            CHECK_EQUAL(is_under(&l->now, r, e, other),
                        mica_is_under(l->world, l->now.entities[e], l->relations[r],
                                      l->now.entities[other]));
        }
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(l->world));
}

// Calls

static void spawn(lab *l)
{
    int e = spawn_place(l);
    int target = pick(l);
    int r = (int)below(l, RELATIONS);
    if (e == NONE) {
        return;
    }
    if (target == NONE || below(l, 2) == 0) {
        l->now.entities[e] = mica_spawn_values(l->world, NULL, 0);
        return;
    }
    const mica_type type = mica_relation_type(l->world, l->relations[r]);
    int64_t number = e;
    const mica_value values[] = {
        {type, &l->now.entities[target], sizeof(mica_entity), 1, NULL},
        {l->number, &number, sizeof number, 1, NULL},
    };
    l->now.entities[e] = mica_spawn_values(l->world, values, 1 + below(l, 2));
    set_target(&l->now, r, e, target);
}

static void clone(lab *l)
{
    int e = spawn_place(l);
    int original = pick(l);
    if (e == NONE || original == NONE) {
        return;
    }
    l->now.entities[e] = mica_clone(l->world, l->now.entities[original]);
    for (int r = 0; r < RELATIONS; r++) {
        if (l->now.target[r][original] != NONE) {
            set_target(&l->now, r, e, l->now.target[r][original]);
        }
    }
}

// Links in one of three ways, perhaps recorded.
static void link(lab *l)
{
    int source = pick(l);
    int target = pick(l);
    int r = (int)below(l, RELATIONS);
    mica_world *world = below(l, 4) == 0 ? mica_world_later(l->world) : l->world;
    bool recorded = world != l->world;
    const mica_entity *of = l->now.entities;
    mica_result result;
    if (source == NONE) {
        return;
    }
    if (below(l, 3) == 0) {
        result = mica_set_value(world, of[source], mica_relation_type(l->world, l->relations[r]),
                                &of[target], sizeof of[target]);
    } else {
        result = mica_link(world, of[source], l->relations[r], of[target]);
    }
    bool cycle = would_cycle(&l->now, r, source, target);
    CHECK_EQUAL(!recorded && cycle ? MICA_ERROR_CYCLE : MICA_OK, result);
    if (recorded) {
        CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    }
    if (cycle) {
        CHECK_REPORTED(&l->t, MICA_ERROR_CYCLE);
    } else {
        set_target(&l->now, r, source, target);
    }
}

static void link_before(lab *l)
{
    int source = pick(l);
    int sibling = pick(l);
    int r = (int)below(l, RELATIONS);
    model *m = &l->now;
    if (source == NONE) {
        return;
    }
    int target = m->target[r][sibling];
    mica_result result =
        mica_link_before(l->world, m->entities[source], l->relations[r], m->entities[sibling]);
    mica_result expected = source == sibling || target == NONE ? MICA_ERROR_ARGUMENT
                           : would_cycle(m, r, source, target) ? MICA_ERROR_CYCLE
                                                               : MICA_OK;
    CHECK_EQUAL(expected, result);
    if (result) {
        CHECK_REPORTED(&l->t, expected);
    } else {
        drop_source(m, r, source);
        insert_source(m, r, source, target, find_place(m, r, target, sibling));
    }
}

static void unlink(lab *l)
{
    int source = pick(l);
    int r = (int)below(l, RELATIONS);
    model *m = &l->now;
    if (source == NONE) {
        return;
    }
    int target = below(l, 3) == 0 ? pick(l) : NONE;
    if (below(l, 2) == 0) {
        target = NONE;
        CHECK_EQUAL(MICA_OK, mica_remove(l->world, m->entities[source],
                                         mica_relation_type(l->world, l->relations[r])));
    } else {
        CHECK_EQUAL(MICA_OK, mica_unlink(l->world, m->entities[source], l->relations[r],
                                         target == NONE ? (mica_entity){0} : m->entities[target]));
    }
    if (target == NONE || target == m->target[r][source]) {
        drop_source(m, r, source);
    }
}

static void reorder(lab *l)
{
    int target = pick(l);
    int r = (int)below(l, RELATIONS);
    model *m = &l->now;
    mica_entity list[ENTITIES + 1] = {{0}};
    if (target == NONE) {
        return;
    }
    int count = m->counts[r][target];
    int *sources = m->sources[r][target];
    for (int i = count; i > 1; i--) {
        int other = (int)below(l, (uint32_t)i);
        int moved = sources[i - 1];
        sources[i - 1] = sources[other];
        sources[other] = moved;
    }
    for (int i = 0; i < count; i++) {
        list[i] = m->entities[sources[i]];
    }
    CHECK_EQUAL(MICA_OK, mica_reorder(l->world, m->entities[target], l->relations[r], list,
                                      (uint32_t)count));
    if (count > 1) {
        list[0] = list[1];
        CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_reorder(l->world, m->entities[target],
                                                      l->relations[r], list, (uint32_t)count));
        CHECK_REPORTED(&l->t, MICA_ERROR_ARGUMENT);
    }
}

static void despawn(lab *l)
{
    int doomed[3];
    mica_entity list[3];
    int count = 1 + (int)below(l, 3);
    model after = l->now;
    for (int i = 0; i < count; i++) {
        doomed[i] = pick(l);
        if (doomed[i] == NONE) {
            return;
        }
        list[i] = l->now.entities[doomed[i]];
    }
    bool may = kill_all(&after, doomed, count);
    mica_result result = count == 1 ? mica_despawn(l->world, list[0])
                                    : mica_despawn_many(l->world, list, (uint32_t)count);
    CHECK_EQUAL(may ? MICA_OK : MICA_ERROR_LINKED, result);
    if (may) {
        l->now = after;
    } else {
        CHECK_REPORTED(&l->t, MICA_ERROR_LINKED);
    }
}

// Several recorded calls, whose order among entities counts.
static void record(lab *l)
{
    int parent = spawn_place(l);
    int original = pick(l);
    int r = (int)below(l, RELATIONS);
    if (parent == NONE || original == NONE) {
        return;
    }
    mica_world *later = mica_world_later(l->world);
    model *m = &l->now;
    mica_entity child = m->entities[original];
    m->entities[parent] = mica_spawn_values(later, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_unlink(later, child, l->relations[r], (mica_entity){0}));
    CHECK_EQUAL(MICA_OK, mica_link(later, child, l->relations[r], m->entities[parent]));
    CHECK_EQUAL(MICA_OK, mica_commands_apply(later));
    drop_source(m, r, original);
    set_target(m, r, original, parent);
}

// Snapshots, images and so on

static void take(lab *l)
{
    uint32_t place = below(l, KEPT);
    l->snapshots[place] = mica_snapshot_take(l->world);
    l->kept[place] = l->now;
}

static void restore(lab *l)
{
    uint32_t place = below(l, KEPT);
    if (mica_snapshot_is_kept(l->world, l->snapshots[place])) {
        CHECK_EQUAL(MICA_OK, mica_snapshot_restore(l->world, l->snapshots[place]));
        l->now = l->kept[place];
    }
}

static void reload(lab *l)
{
    mica_buffer buffer = {0};
    const mica_save_desc desc = {.format = below(l, 2) ? MICA_IMAGE_JSON : MICA_IMAGE_BINARY};
    uint64_t digest = mica_world_digest(l->world);
    CHECK_EQUAL(MICA_OK, mica_world_save(l->world, &(mica_stream){.buffer = &buffer}, &desc));
    if (below(l, 2) == 0) {
        CHECK_EQUAL(MICA_OK, mica_world_clear(l->world));
    }
    CHECK_EQUAL(MICA_OK, mica_world_load(l->world, &(mica_stream){.buffer = &buffer}, NULL));
    CHECK_EQUAL(digest, mica_world_digest(l->world));
    mica_buffer_free(&buffer);
    memset(l->snapshots, 0, sizeof l->snapshots);
}

static void clear(lab *l)
{
    CHECK_EQUAL(MICA_OK, mica_world_clear(l->world));
    for (int e = 0; e < ENTITIES; e++) {
        l->now.entities[e] = (mica_entity){0};
        for (int r = 0; r < RELATIONS; r++) {
            l->now.target[r][e] = NONE;
            l->now.counts[r][e] = 0;
        }
    }
}

// Observers

static void note(const mica_observer_event *event)
{
    lab *l = event->user;
    l->removed++;
    CHECK(mica_alive(event->world, event->entity));
}

static void begin(lab *l, uint64_t seed, bool timed, bool observed)
{
    test_world_prepare(&l->t);
    l->t.desc.relocate_always = seed % 3 == 0;
    l->world = test_world_open(&l->t);
    l->random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    l->number = mica_type_register(
        l->world, &(mica_type_desc){.name = "Number", .size = 8, .align = 8, .plain = true});
    for (int r = 0; r < RELATIONS; r++) {
        l->relations[r] = mica_relation_add(
            l->world,
            &(mica_relation_desc){.name = names[r], .cleanup = cleanups[r], .cyclic = r == CYCLIC});
        REQUIRE(l->relations[r].bits != 0);
        if (observed) {
            mica_observer_new(l->world, &(mica_observer_desc){
                                            .type = mica_relation_type(l->world, l->relations[r]),
                                            .events = MICA_ON_REMOVE | MICA_ON_ADD | MICA_ON_SET,
                                            .call = note,
                                            .user = l});
        }
    }
    memset(l->snapshots, 0, sizeof l->snapshots);
    l->removed = 0;
    clear(l);
    if (timed) {
        CHECK_EQUAL(MICA_OK, mica_time_begin(l->world, NULL));
    }
}

static void act(lab *l, bool timed)
{
    switch (below(l, 24)) {
    case 0:
    case 1:
    case 2:
    case 3: spawn(l); break;
    case 4: clone(l); break;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 10: link(l); break;
    case 11:
    case 12: link_before(l); break;
    case 13:
    case 14: unlink(l); break;
    case 15: reorder(l); break;
    case 16:
    case 17: despawn(l); break;
    case 18: record(l); break;
    case 19:
        if (timed) {
            take(l);
        }
        break;
    case 20:
        if (timed) {
            restore(l);
        }
        break;
    case 21:
        if (!timed && below(l, 4) == 0) {
            reload(l);
        }
        break;
    case 22: CHECK_EQUAL(MICA_OK, mica_world_reclaim(l->world)); break;
    default:
        if (below(l, 20) == 0) {
            clear(l);
        }
        break;
    }
}

static void tell(uint64_t seed)
{
    static lab l;
    bool timed = seed % 2 == 0;
    begin(&l, seed, timed, seed % 4 < 2);
    for (int step = 0; step < 400; step++) {
        act(&l, timed);
        compare(&l);
    }
    test_world_end(&l.t);
}

static void relations_are_as_in_a_plain_model(void)
{
    const char *seed = getenv("MICA_TEST_SEED");
    const char *seeds = getenv("MICA_TEST_SEEDS");
    uint64_t count = seeds ? strtoull(seeds, NULL, 10) : test_tier_is_small() ? 12 : 120;
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
    for (uint64_t i = first; i < first + (seed ? 1 : count); i++) {
        tell(i);
    }
}

TESTS(relation_random, relations_are_as_in_a_plain_model)
