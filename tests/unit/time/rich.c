#include "unit/time/rich.h"

#include <string.h>

#include "runner/rows.h"
#include "runner/test.h"

enum { BIG_SIZE = 200 };

static const char *const systems[] = {"follow", "watch", "writer"};

// Types, queries, systems

static mica_type add_type(rich *r, const char *name, mica_type_desc desc, mica_storage storage)
{
    desc.name = name;
    desc.storage = storage;
    return mica_type_register(r->c.world, &desc);
}

static void add_types(rich *r)
{
    memcpy(r->types, r->c.types, sizeof r->c.types);
    mica_type_desc pair = MICA_DESCRIBE(Vec2, x, y);
    const mica_type_desc big = {.size = BIG_SIZE, .align = 4, .plain = true};
    r->types[RICH_BIG] = add_type(r, "Big", big, MICA_TABLE);
    r->types[RICH_SWEPT] = add_type(r, "Swept", pair, MICA_RING);
    r->types[RICH_ORDER] = add_type(r, "Order", pair, MICA_SPARSE);
    pair.row_stamps = true;
    r->types[RICH_FIELDS] = add_type(r, "Fields", pair, MICA_SPLIT);
    pair.stable = true;
    pair.toggle = true;
    r->types[RICH_STEADY] = add_type(r, "Steady", pair, MICA_SPARSE);
}

void rich_add_query(rich *r, uint32_t which)
{
    const mica_type *of = r->types;
    enum { TOUCH = MICA_WRITE | MICA_TOUCH };
    const mica_query_desc descs[RICH_QUERIES] = {
        [RICH_TOUCHED] = {.terms = {{of[CAST_POSITION], TOUCH}}},
        [RICH_TOUCHED_POOL] = {.terms = {{of[CAST_SPARSE], TOUCH}}},
        [RICH_TOUCHED_RING] = {.terms = {{of[CAST_RING], TOUCH}}},
        [RICH_TOUCHED_BYTES] = {.terms = {{of[CAST_BYTES], TOUCH}}},
        [RICH_TOUCHED_STABLE] = {.terms = {{of[CAST_STABLE], TOUCH}}},
        [RICH_TOUCHED_STEADY] = {.terms = {{of[RICH_STEADY], TOUCH | MICA_INCLUDE_DISABLED}}},
        [RICH_WRITTEN] = {.terms = {{of[CAST_SPARSE], MICA_WRITE}, {of[CAST_BYTES], MICA_WRITE}}},
        [RICH_SWEEP] = {.terms = {{of[RICH_SWEPT], MICA_WRITE}}, .no_entities = true},
        [RICH_WRITTEN_FIELDS] = {.terms = {{of[RICH_FIELDS], MICA_WRITE},
                                           {of[CAST_SPLIT], MICA_WRITE | MICA_OPTIONAL}}},
        [RICH_ALL] = {.everything = true},
        [RICH_TAGGED] = {.terms = {{of[CAST_TAG], MICA_WITH}}},
        [RICH_MIXED] = {.terms = {{of[CAST_SPARSE], MICA_WITH | MICA_INCLUDE_DISABLED},
                                  {of[CAST_POSITION], MICA_WITHOUT}}},
        [RICH_GROUPED] = {.terms = {{of[CAST_LOOSE], MICA_READ}, {of[CAST_SPARSE], MICA_READ}}},
        [RICH_CHANGED] = {.terms = {{of[CAST_SPARSE], MICA_READ | MICA_CHANGED},
                                    {of[CAST_BYTES], MICA_READ | MICA_ADDED}}},
    };
    r->queries[which] = mica_query_new(r->c.world, &descs[which]);
}

void rich_follow(mica_iter *it)
{
    (void)it;
}

// Moves, spawns and sends. Does not depend on where segments end: that is no state of a world.
static void run_writer(mica_iter *it)
{
    const rich *r = it->user;
    Vec2 *p = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += it->dt;
        if (mica_entity_slot(it->entities[i]) % 16 == 1) {
            mica_entity spawned = mica_spawn_values(mica_later(it), NULL, 0);
            mica_add(mica_later(it), spawned, r->types[CAST_TAG]);
            mica_remove(mica_later(it), it->entities[i], r->types[CAST_RING]);
            mica_send(it->world, MICA_VALUE(r->c.score, Vec2, p[i].y, 9));
        }
    }
}

static void observe(const mica_observer_event *event)
{
    rich *r = event->user;
    r->notified++;
}

static void add_systems(rich *r)
{
    mica_world *world = r->c.world;
    r->manual = mica_phase_add(world, &(mica_phase_desc){.name = "manual", .manual = true});
    r->writer = mica_system_add(
        world, &(mica_system_desc){.name = "writer",
                                   .update = run_writer,
                                   .user = r,
                                   .query.terms = {{r->types[CAST_POSITION], MICA_WRITE}},
                                   .events = {{r->c.score, MICA_WRITE}}});
    mica_observer_new(world, &(mica_observer_desc){.type = r->types[CAST_STABLE],
                                                   .events = MICA_ON_SET | MICA_ON_REMOVE,
                                                   .call = observe,
                                                   .user = r});
}

void rich_begin(rich *r, mica_world *twin_of)
{
    memset(r, 0, sizeof *r);
    cast_begin_hookless(&r->c, twin_of);
    add_types(r);
    for (uint32_t i = 0; i < RICH_QUERIES; i++) {
        rich_add_query(r, i);
    }
    add_systems(r);
    const mica_type types[] = {r->types[CAST_POSITION], r->types[CAST_RING], r->types[CAST_SPARSE],
                               r->types[RICH_SWEPT]};
    r->bundle = mica_bundle_new(r->c.world, types, 4);
    r->stable = mica_accessor_new(r->c.world, r->types[CAST_STABLE]);
    r->steady = mica_accessor_new(r->c.world, r->types[RICH_STEADY]);
    r->bytes = mica_accessor_new(r->c.world, r->types[CAST_BYTES]);
}

void rich_end(rich *r)
{
    cast_end(&r->c);
}

mica_entity rich_choose(const rich *r, uint64_t number)
{
    mica_world *world = r->c.world;
    uint32_t count = mica_entity_count(world);
    mica_entity entity = mica_entity_next(world, (mica_entity){0});
    for (uint64_t i = count > 0 ? number % count : 0; i > 0; i--) {
        entity = mica_entity_next(world, entity);
    }
    if (number >> 32 & 1 && !MICA_IS_NONE(entity)) {
        mica_entity facet = mica_facet_next(world, entity, (mica_entity){0});
        entity = MICA_IS_NONE(facet) ? entity : facet;
    }
    return entity;
}

void rich_set(rich *r, mica_entity entity, uint32_t type, uint64_t number)
{
    const mica_type_info *info = mica_type_get_info(r->c.world, r->types[type]);
    if (info->size == 0 || type == CAST_SHEET) {
        mica_add(r->c.world, entity, r->types[type]);
        return;
    }
    float values[BIG_SIZE / 4];
    for (uint32_t i = 0; i < BIG_SIZE / 4; i++) {
        values[i] = (float)((number >> i % 16 & 1023) + i);
    }
    mica_set_value(r->c.world, entity, r->types[type], values, info->size);
}

// Operations

static int compare(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    const bool *down = user;
    if (!a->value) { // of a tag
        return (a->entity.bits > b->entity.bits) - (a->entity.bits < b->entity.bits);
    }
    float x;
    float y;
    memcpy(&x, a->value, sizeof x);
    memcpy(&y, b->value, sizeof y);
    return *down ? (x < y) - (x > y) : (x > y) - (x < y);
}

static void sort(rich *r, uint64_t n)
{
    mica_world *world = r->c.world;
    const mica_type *of = r->types;
    bool down = n >> 8 & 1;
    switch (n % 6) {
    case 0: mica_sort(world, of[CAST_SPARSE], compare, &down); break;
    case 1: mica_sort(world, of[CAST_MARK], compare, &down); break;
    case 2: mica_sort(world, of[RICH_ORDER], compare, &down); break;
    case 3: mica_sort_like(world, of[RICH_ORDER], of[down ? CAST_STABLE : CAST_SPARSE]); break;
    case 4: mica_group_sort(world, r->c.owning, of[CAST_LOOSE], compare, &down); break;
    default: mica_group_sort(world, r->c.listing, of[CAST_SPARSE], compare, &down); break;
    }
}

// Types that changes by query may add, remove and set.
static uint32_t bulk_type(uint64_t n)
{
    return (uint32_t)(n % RICH_TYPES);
}

static void change_by_query(rich *r, uint64_t n)
{
    mica_world *world = r->c.world;
    static const uint32_t toggles[] = {CAST_SPLIT, CAST_SPARSE, CAST_MARK, CAST_BYTES, RICH_STEADY};
    static const uint32_t wheres[] = {RICH_TAGGED, RICH_TAGGED,  RICH_MIXED,
                                      RICH_MIXED,  RICH_CHANGED, RICH_ALL};
    mica_query where = r->queries[wheres[(n >> 8) % 6]];
    uint32_t type = bulk_type(n >> 16);
    mica_type toggle = r->types[toggles[(n >> 24) % 5]];
    switch (n % 8) {
    case 0:
    case 1: mica_add_all(world, where, r->types[type], NULL); break;
    case 2:
    case 3: mica_remove_all(world, where, r->types[type], NULL); break;
    case 4: mica_set_all(world, where, r->types[type], NULL, 0, NULL); break;
    case 5: mica_enable_all(world, where, toggle, NULL); break;
    case 6: mica_disable_all(world, where, toggle, NULL); break;
    default:
        if ((n >> 8) % 6 < 4) {
            mica_despawn_all(world, where, NULL);
        }
    }
}

// Writes through an iteration, with and without a notice. One that only touches may end early; others count
// segments as changed, and where these end is no state.
static void write_rows(rich *r, uint64_t n)
{
    uint32_t which = (uint32_t)(n % (RICH_WRITTEN + 1));
    bool early = which < RICH_WRITTEN && n >> 40 & 1;
    mica_iter it;
    mica_iter_begin(r->c.world, r->queries[which], &it);
    while (mica_iter_next(&it)) {
        unsigned char *bytes = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            uint32_t slot = mica_entity_slot(it.entities[i]);
            if (early && slot % 32 == (n >> 41) % 32) {
                mica_iter_end(&it);
                return;
            }
            if (n >> (slot % 16 + 8) & 1) {
                bytes[8 * i] = (unsigned char)(n >> 16);
                if (which < RICH_WRITTEN && n >> (slot % 15 + 24) & 1) {
                    mica_touch(&it, 0, i);
                }
            }
        }
    }
}

static void sweep(rich *r, uint64_t n)
{
    mica_iter it;
    mica_iter_begin(r->c.world, r->queries[RICH_SWEEP], &it);
    while (mica_iter_next(&it)) {
        Vec2 *p = mica_write(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x = p[i].y + (float)(n & 255);
        }
    }
    mica_iter_begin(r->c.world, r->queries[RICH_WRITTEN_FIELDS], &it);
    while (mica_iter_next(&it)) {
        mica_write_fields y = MICA_WRITE_FIELD(&it, 0, Vec2, y);
        for (uint32_t i = 0; i < it.count; i++) {
            MICA_WRITE_IN(y, i, float) += 1;
            if (n >> (mica_entity_slot(it.entities[i]) % 32) & 1) {
                const Vec2 value = {1, (float)n};
                MICA_STORE_ROW(&it, 0, i, value);
            }
        }
    }
}

static void read_changes(rich *r, uint64_t n)
{
    mica_iter it;
    if (n & 1) {
        mica_query_set_since(r->c.world, r->queries[RICH_CHANGED], mica_world_tick(r->c.world) / 2);
    }
    mica_iter_begin(r->c.world, r->queries[RICH_CHANGED], &it);
    while (mica_iter_next(&it)) {
    }
}

static void reserve(rich *r, uint64_t n)
{
    if (n & 1) {
        mica_entity_reserve(r->c.world, (uint32_t)(n >> 8) % 40);
    } else {
        mica_bundle_reserve(r->c.world, r->bundle, (uint32_t)(n >> 8) % 40);
    }
}

static void spawn_many(rich *r, uint64_t n)
{
    mica_world *world = r->c.world;
    mica_entity entities[40];
    uint32_t count = (uint32_t)(n >> 8) % 40;
    switch (n % 4) {
    case 0: mica_spawn_many(world, r->bundle, count, NULL, 0, NULL); break;
    case 1:
        mica_spawn_many(world, r->bundle, count, NULL, 0, entities);
        mica_despawn_many(world, entities, count / 2);
        break;
    case 2: {
        mica_entity entity = rich_choose(r, n >> 16);
        if (!MICA_IS_NONE(entity) && MICA_EQUAL(mica_facet_owner(world, entity), entity)) {
            mica_clone(world, entity);
        }
        break;
    }
    default: {
        // A handle that is not in use, often far away.
        uint32_t slot = (uint32_t)(n >> 16) % (n >> 60 & 1 ? 20000 : 300);
        mica_spawn_at(world, mica_entity_make(slot, 1000 + (uint32_t)(n >> 40) % 8));
        test_error_clear(&r->c.t.error); // it may be in use after all
    }
    }
}

static void schedule(rich *r, uint64_t n)
{
    mica_world *world = r->c.world;
    mica_system system = mica_system_find(world, systems[(n >> 8) % 3]);
    switch (n % 5) {
    case 0: mica_system_enable(world, system); break;
    case 1: mica_system_disable(world, system); break;
    case 2: mica_systems_run(world, &system, 1, 0.5); break;
    case 3: mica_phases_run(world, &r->manual, 1, 0.125); break;
    default:
        if (r->tests) {
            REQUIRE_EQUAL(MICA_OK, mica_sync_test(world, 0.3, NULL));
        } else {
            mica_step(world, 0.3);
        }
        break;
    }
}

static void send(rich *r, uint64_t n)
{
    const mica_type events[] = {r->c.score, r->c.secret, r->c.call, r->c.vec2};
    const Vec2 values[3] = {{(float)(n >> 8 & 255), 1}, {2, 3}, {4, 5}};
    const mica_value sent = {.type = events[n % 4], .data = values, .size = sizeof *values};
    for (uint32_t i = 0; i <= (n >> 32) % 3; i++) {
        mica_send_values(r->c.world, &sent, 1);
    }
}

static void use_resources(rich *r, uint64_t n)
{
    mica_world *world = r->c.world;
    const mica_type types[] = {r->c.score, r->c.secret, r->c.vec2, r->types[RICH_BIG]};
    mica_type type = types[(n >> 8) % 4];
    float *value = mica_resource_get_mut(world, type);
    switch (n % 3) {
    case 0: mica_resource_remove(world, type); break;
    case 1:
        if (value) {
            *value += 1;
        }
        break;
    default: {
        const mica_value set = {.type = type};
        mica_resource_set_values(world, &set, 1);
    }
    }
}

static void name(rich *r, mica_entity entity, uint64_t n)
{
    char text[80] =
        "a name that is longer than the one before it, and may not fit where that was 0";
    size_t size = (n >> 8) % 70 + 2;
    text[size - 1] = (char)('0' + n % 10);
    text[size] = '\0';
    if (n >> 40 & 1) {
        mica_entity_set_name(r->c.world, entity, NULL);
    } else if (MICA_IS_NONE(mica_entity_find(r->c.world, text))) {
        mica_entity_set_name(r->c.world, entity, text);
    }
}

static void change_facets(rich *r, mica_entity entity, uint64_t n)
{
    mica_world *world = r->c.world;
    mica_entity owner = mica_facet_owner(world, entity);
    uint32_t role = (uint32_t)(n >> 8) % 5 + 1;
    if (n % 4 == 0) {
        mica_despawn(world, owner);
    } else if (n % 4 == 1) {
        mica_despawn(world, entity);
    } else if (MICA_IS_NONE(mica_facet_find(world, owner, (mica_type){0}, role))) {
        mica_entity facet = mica_facet_add_values(world, owner, (mica_type){0}, role, NULL, 0);
        rich_set(r, facet, (uint32_t)(n >> 16) % RICH_TYPES, n >> 24);
    }
}

static void change_several(rich *r, mica_entity entity, uint64_t n)
{
    mica_type_set added = {0};
    mica_type_set removed = {0};
    for (uint32_t type = 0; type < RICH_TYPES; type++) {
        if (n >> type & 1 && n >> (type + 20) & 1) {
            mica_type_set_add(r->c.world, n >> (type + 40) & 1 ? &added : &removed, r->types[type]);
        }
    }
    mica_change_sets(r->c.world, entity, &added, &removed);
    mica_type_set_free(r->c.world, &added);
    mica_type_set_free(r->c.world, &removed);
}

static void record(rich *r, mica_entity entity, uint64_t n)
{
    mica_world *world = r->c.world;
    mica_world *commands = n & 1 ? mica_commands_new(world) : mica_world_later(world);
    mica_entity spawned = mica_spawn_values(commands, NULL, 0);
    mica_add(commands, spawned, r->types[(n >> 8) % RICH_TYPES]);
    mica_remove(commands, entity, r->types[(n >> 16) % RICH_TYPES]);
    if (n >> 24 & 1) {
        mica_despawn(commands, spawned);
    }
    if (n >> 25 & 1) {
        mica_commands_discard(commands);
    }
    mica_commands_apply(commands);
    if (n & 1) {
        mica_commands_free(commands);
    }
}

static void write_through_accessors(rich *r, mica_entity entity, uint64_t n)
{
    Vec2 *p = mica_accessor_get_mut(&r->stable, entity);
    if (p) {
        p->x = (float)(n & 255);
    }
    if (mica_has(r->c.world, entity, r->types[RICH_STEADY])) {
        p = mica_accessor_get_mut(&r->steady, entity);
        p->y = (float)(n & 255);
        (n >> 8 & 1 ? mica_accessor_enable : mica_accessor_disable)(&r->steady, entity);
    }
    if (mica_has(r->c.world, entity, r->types[CAST_BYTES])) {
        uint32_t *bytes = mica_accessor_get_mut(&r->bytes, entity);
        *bytes = (uint32_t)n;
        (n >> 9 & 1 ? mica_accessor_enable : mica_accessor_disable)(&r->bytes, entity);
    }
}

void rich_do(rich *r, uint64_t n)
{
    mica_world *world = r->c.world;
    if (n % 2 == 0) {
        cast_do(&r->c, n >> 2);
        return;
    }
    mica_entity entity = rich_choose(r, n >> 20);
    if (MICA_IS_NONE(entity)) {
        entity = mica_spawn_values(world, NULL, 0);
    }
    uint64_t more = n >> 12;
    switch (n >> 1 & 31) {
    case 0:
        if (more % 8 == 0) {
            mica_world_clear(world);
        }
        break;
    case 1:
    case 2:
    case 3: change_by_query(r, more); break;
    case 4: sort(r, more); break;
    case 5: reserve(r, more); break;
    case 6:
    case 7: schedule(r, more); break;
    case 8: send(r, more); break;
    case 9: name(r, entity, more); break;
    case 10: use_resources(r, more); break;
    case 11:
    case 12: write_rows(r, more); break;
    case 13: sweep(r, more); break;
    case 14:
    case 15: change_facets(r, entity, more); break;
    case 16: spawn_many(r, more); break;
    case 17: write_through_accessors(r, entity, more); break;
    case 18: record(r, entity, more); break;
    case 19: read_changes(r, more); break;
    case 20: memset(r->memory + more % 600, (int)(more >> 16), more >> 32 & 63); break;
    case 21: more & 1 ? mica_world_reclaim(world) : mica_world_compact(world); break;
    case 22: mica_despawn(world, entity); break;
    case 23:
    case 24: change_several(r, entity, more); break;
    default: rich_set(r, entity, (uint32_t)(n >> 8) % RICH_TYPES, more); break;
    }
}

// Looking

static void fold(uint64_t *hash, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size; i++) {
        *hash = (*hash ^ from[i]) * UINT64_C(0x100000001b3);
    }
}

static void fold_number(uint64_t *hash, uint64_t number)
{
    fold(hash, &number, sizeof number);
}

static void fold_entity(rich *r, uint64_t *hash, mica_entity entity)
{
    mica_world *world = r->c.world;
    fold_number(hash, entity.bits);
    for (uint32_t i = 0; i < RICH_TYPES; i++) {
        const mica_type_info *info = mica_type_get_info(world, r->types[i]);
        fold_number(hash, mica_has(world, entity, r->types[i]));
        fold_number(hash, mica_is_enabled(world, entity, r->types[i]));
        if (info->storage != MICA_SPLIT && i != CAST_SHEET) { // it has padding
            const void *value = mica_get(world, entity, r->types[i]);
            fold(hash, value, value ? info->size : 0);
        }
    }
    const char *text = mica_entity_name(world, entity);
    fold(hash, text, text ? strlen(text) : 0);
    if (text && !MICA_EQUAL(entity, mica_entity_find(world, text))) {
        test_fail(__FILE__, __LINE__, "'%s' is not found by its name", text);
    }
}

static void fold_query(rich *r, uint64_t *hash, mica_query query)
{
    fold_number(hash, mica_query_count(r->c.world, query));
    fold_number(hash, mica_query_first(r->c.world, query).bits);
    if (MICA_EQUAL(query, r->queries[RICH_CHANGED])) {
        fold_number(hash, mica_query_since(r->c.world, query));
    }
}

static void fold_iteration(rich *r, uint64_t *hash, mica_query query)
{
    mica_iter it;
    mica_iter_begin(r->c.world, query, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            fold_number(hash, it.entities[i].bits);
            if (MICA_EQUAL(query, r->queries[RICH_GROUPED])) {
                fold(hash, mica_read_row(&it, 0, i), sizeof(Vec2));
                fold(hash, mica_read_row(&it, 1, i), sizeof(Vec2));
            }
        }
    }
}

static void fold_schedule(rich *r, uint64_t *hash)
{
    mica_world *world = r->c.world;
    for (uint32_t i = 0; i < 3; i++) {
        fold_number(hash, mica_system_is_enabled(world, mica_system_find(world, systems[i])));
    }
    double progress = mica_phase_progress(world, mica_phase_find(world, "slow"));
    fold(hash, &progress, sizeof progress);
}

static void fold_events(rich *r, uint64_t *hash, mica_type type)
{
    mica_cursor cursor = {0};
    uint32_t count;
    for (const void *values; (values = mica_events(r->c.world, type, &cursor, &count));) {
        fold(hash, values, count * sizeof(Vec2));
    }
    fold_number(hash, cursor.missed);
}

uint64_t rich_look(rich *r)
{
    mica_world *world = r->c.world;
    uint64_t hash = 0;
    for (mica_entity e = mica_entity_next(world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(world, e)) {
        fold_entity(r, &hash, e);
        for (mica_entity f = mica_facet_next(world, e, (mica_entity){0}); !MICA_IS_NONE(f);
             f = mica_facet_next(world, e, f)) {
            fold_entity(r, &hash, f);
        }
    }
    for (uint32_t i = 0; i < RICH_QUERIES; i++) {
        fold_query(r, &hash, r->queries[i]);
    }
    fold_iteration(r, &hash, r->queries[RICH_GROUPED]);
    fold_iteration(r, &hash, r->queries[RICH_ALL]);
    fold_iteration(r, &hash, r->queries[RICH_MIXED]);
    const mica_type types[] = {r->c.score, r->c.secret, r->c.call, r->c.vec2};
    for (uint32_t i = 0; i < 4; i++) {
        fold_events(r, &hash, types[i]);
        const void *value = mica_resource_get(world, types[i]);
        fold(&hash, value, value ? sizeof(Vec2) : 0);
    }
    fold_schedule(r, &hash);
    fold(&hash, r->memory, sizeof r->memory);
    return hash;
}

// The ticks of pages and rings are left out: one that had no row may have kept a tick, which means nothing.
uint64_t rich_digest(rich *r)
{
    mica_buffer buffer = {0};
    REQUIRE_EQUAL(MICA_OK, mica_world_save(r->c.world, &(mica_stream){.buffer = &buffer},
                                           &(mica_save_desc){.format = MICA_IMAGE_JSON}));
    uint64_t hash = mica_world_digest(r->c.world);
    const char *line = (const char *)buffer.data;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *word = line + strspn(line, " ");
        if (strncmp(word, "\"tick\":", 7) != 0 && strncmp(word, "\"swept\":", 8) != 0) {
            fold(&hash, word, (size_t)(end - word));
        }
    }
    mica_buffer_free(&buffer);
    return hash;
}
