#include "model/lab.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runner/rows.h"
#include "state/state.h"
#include "store/pool/group.h"

bool lab_differ(lab *l, const char *format, ...)
{
    if (l->difference[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(l->difference, sizeof l->difference, format, arguments);
        va_end(arguments);
    }
    return false;
}

// Values: how a number looks as a component. 0 is all zeroes.

uint32_t lab_size(uint32_t type)
{
    static const uint32_t sizes[MODEL_TYPES] = {
        [BYTE] = 1, [WORD] = 4, [LONG] = 8, [TRIPLE] = 12, [WATCHED] = sizeof(tracked),
        [WIDE] = 40};
    return sizes[type];
}

static void fill(unsigned char *bytes, uint32_t type, uint32_t number)
{
    for (uint32_t i = 0; i < lab_size(type); i++) {
        bytes[i] = (unsigned char)((number >> (i & 1) * 8) + (number ? i * 29 : 0));
    }
}

void lab_put(tracker *t, void *value, uint32_t type, uint32_t number)
{
    if (type == WATCHED) {
        *(tracked *)value = tracked_make(t, number);
    } else {
        fill(value, type, number);
    }
}

mica_value lab_make(lab *l, lab_value *room, uint32_t type, uint32_t number)
{
    lab_put(&l->tracker, room, type, number);
    return (mica_value){l->types[type], lab_size(type) ? room : NULL, lab_size(type), 1, NULL};
}

void lab_drop(tracker *t, void *value, uint32_t type)
{
    if (type == WATCHED) {
        tracked_drop(t, value);
    }
}

void lab_write(void *value, uint32_t type, uint32_t number)
{
    if (type == WATCHED) {
        ((tracked *)value)->number = number;
    } else {
        fill(value, type, number);
    }
}

bool lab_holds(const lab *l, const void *value, uint32_t type, uint32_t number)
{
    if (type == WATCHED) {
        return tracked_is(&l->tracker, value, number);
    }
    unsigned char bytes[LAB_VALUE_SIZE];
    fill(bytes, type, number);
    return value && memcmp(bytes, value, lab_size(type)) == 0;
}

const char *lab_name(uint32_t name, char text[16])
{
    snprintf(text, 16, "name %" PRIu32, name);
    return text;
}

// Beginning and ending

// Over the tests' allocator: a block that it does not take back is reported.
static void *resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    lab *l = user;
    uint64_t blocks = l->t.memory.blocks;
    void *given = l->t.memory.allocator.resize(&l->t.memory, block, old_size, new_size, align);
    if (block && new_size == 0 && l->t.memory.blocks == blocks) {
        l->lost_block = true;
    }
    return given;
}

static mica_type_desc describe(tracker *t, uint32_t type)
{
    static const char *const names[MODEL_TYPES] = {"Byte",    "Word", "Long", "Triple",
                                                   "Watched", "Wide", "Mark", "Badge"};
    static const uint32_t aligns[MODEL_TYPES] = {
        [BYTE] = 1, [WORD] = 4, [LONG] = 8, [TRIPLE] = 4, [WIDE] = 8};
    // Not all bytes of a watched value count: two of the same number are equal.
    static const mica_field_info watched[] = {
        {.name = "number", .kind = MICA_KIND_I64, .offset = offsetof(tracked, number)}};
    static const mica_field_info word[] = {{.name = "word", .kind = MICA_KIND_U32}};
    static const mica_field_info halves[] = {{.name = "low", .kind = MICA_KIND_U32, .offset = 0},
                                             {.name = "high", .kind = MICA_KIND_U32, .offset = 4}};
    static const mica_field_info triple[] = {{.name = "x", .kind = MICA_KIND_I32, .offset = 0},
                                             {.name = "y", .kind = MICA_KIND_I32, .offset = 4},
                                             {.name = "z", .kind = MICA_KIND_I32, .offset = 8}};
    static const mica_field_info wide[] = {
        {.name = "long", .kind = MICA_KIND_U64, .offset = 0},
        {.name = "whole", .kind = MICA_KIND_U32, .offset = 8, .count = 4},
        {.name = "each",
         .kind = MICA_KIND_I16,
         .offset = 24,
         .count = 8,
         .strips = MICA_STRIPS_EACH}};
    static const struct {
        const mica_field_info *list;
        uint32_t count;
    } fields[MODEL_TYPES] = {[WORD] = {word, 1},
                             [LONG] = {halves, 2},
                             [TRIPLE] = {triple, 3},
                             [WATCHED] = {watched, 1},
                             [WIDE] = {wide, 3}};
    static uint32_t default_word;
    mica_type_desc desc = {
        .name = names[type], .size = lab_size(type), .align = aligns[type], .plain = true};
    if (type == WATCHED) {
        desc = tracked_desc(t, names[type], true);
    } else if (type == WORD) {
        fill((unsigned char *)&default_word, WORD, model_default(WORD));
        desc.default_value = &default_word;
    }
    if (type != WATCHED || !t->idle) {
        desc.fields = fields[type].list;
        desc.field_count = fields[type].count;
    }
    return desc;
}

// Storages

const lab_storage lab_storages[] = {
    {MICA_TABLE, false, false}, {MICA_SPARSE, false, false}, {MICA_SPARSE, true, false},
    {MICA_TABLE, false, true},  {MICA_SPARSE, false, true},  {MICA_SPARSE, true, true},
    {MICA_RING, false, false},  {MICA_RING, false, true},    {MICA_SPLIT, false, false},
    {MICA_SPLIT, false, true},
};
const uint32_t lab_storage_count = sizeof lab_storages / sizeof lab_storages[0];

// Tags have no values that could stay where they are or lie in rings, and in tables no toggle. What cannot be
// split is in tables.
lab_storage lab_choose(uint64_t digits, uint32_t type)
{
    lab_storage chosen = lab_storages[(digits >> 4 * type & 15) % lab_storage_count];
    if (chosen.storage == MICA_SPLIT && !model_can_split(type)) {
        chosen.storage = MICA_TABLE;
    }
    if (type == LAB_FILLERS || model_is_tag(type)) {
        chosen.stable = false;
        chosen.toggle = chosen.toggle && chosen.storage == MICA_SPARSE;
        chosen.storage = chosen.storage == MICA_RING ? MICA_TABLE : chosen.storage;
    }
    return chosen;
}

bool lab_is_exact(uint64_t digits, uint32_t type)
{
    bool has_none = type >= MODEL_TYPES ||
                    (model_is_tag(type) && lab_choose(digits, type).storage != MICA_SPARSE);
    return !has_none && ((digits * UINT64_C(0x9e3779b97f4a7c15) >> 50 ^ 0x55) >> type & 1);
}

bool lab_is_plain(uint64_t digits)
{
    return digits >> 4 * LAB_PLAIN & 1;
}

model_abilities lab_abilities(uint64_t digits)
{
    model_abilities can = {.plain = lab_is_plain(digits)};
    for (uint32_t t = 0; t <= MODEL_OWNED; t++) {
        lab_storage chosen = lab_choose(digits, t);
        model_put(&can, t, chosen.storage);
        can.stable |= (uint32_t)chosen.stable << t;
        can.toggle |= (uint32_t)chosen.toggle << t;
        can.exact |= (uint32_t)lab_is_exact(digits, t) << t;
    }
    return can;
}

static void choose_storage(mica_type_desc *desc, uint64_t digits, uint32_t type)
{
    lab_storage chosen = lab_choose(digits, type);
    desc->storage = chosen.storage;
    desc->stable = chosen.stable;
    desc->toggle = chosen.toggle;
    desc->row_stamps = lab_is_exact(digits, type);
}

uint32_t lab_order(const lab *l, uint32_t type, mica_entity *entities_out)
{
    const micai_pool *pool = micai_pools_find(&l->world->state->pools, l->types[type]);
    uint32_t count = 0;
    for (uint32_t row = 0; pool && row < pool->table.count && count < MODEL_SLOTS; row++) {
        if (!micai_pool_is_hole(pool, row)) {
            entities_out[count++] = micai_pool_entity(pool, row);
        }
    }
    return count;
}

uint32_t lab_group_order(const lab *l, uint32_t group, mica_entity *entities_out)
{
    const micai_group *found = micai_groups_find(&l->world->state->pools, l->groups[group]);
    uint32_t count = 0;
    for (; found && count < micai_group_size(found) && count < MODEL_SLOTS; count++) {
        entities_out[count] = micai_pool_entity(micai_group_front(found), count);
    }
    return count;
}

// Values that end and are not copied.
static mica_type register_owned(mica_world *world, tracker *t, uint64_t storages)
{
    mica_type_desc desc = describe(t, WATCHED);
    desc.name = "Owned";
    desc.hooks.copy = NULL;
    desc.hooks.move = NULL;
    choose_storage(&desc, storages, LAB_OWNED);
    return mica_type_register(world, &desc);
}

// Types come between others, so that some are beyond the first word of an archetype (64) and what
// sets hold without memory of their own (256).
static void register_types(lab *l)
{
    static const struct {
        uint32_t type, number;
    } order[MODEL_TYPES] = {{MARK, 0}, {WATCHED, 1}, {LONG, 2},   {BYTE, 3},
                            {WORD, 5}, {TRIPLE, 70}, {WIDE, 260}, {BADGE, 300}};
    for (uint32_t i = 0; i < MODEL_TYPES; i++) {
        while (test_type_count(l->world) < order[i].number) {
            char name[16];
            snprintf(name, sizeof name, "Filler%" PRIu32, test_type_count(l->world));
            mica_type_desc filler = {.name = name};
            choose_storage(&filler, l->storages, LAB_FILLERS);
            mica_type_register(l->world, &filler);
        }
        mica_type_desc desc = describe(&l->tracker, order[i].type);
        choose_storage(&desc, l->storages, order[i].type);
        l->types[order[i].type] = mica_type_register(l->world, &desc);
    }
    for (uint32_t t = 0; t < MARK; t++) {
        l->accessors[t] = mica_accessor_new(l->world, l->types[t]);
    }
    l->owned = register_owned(l->world, &l->tracker, l->storages);
    l->owner = mica_accessor_new(l->world, l->owned);
}

static void make_looks(lab *l)
{
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        uint32_t access = MICA_WITH | (l->m.can.toggle >> t & 1 ? MICA_INCLUDE_DISABLED : 0u);
        for (uint32_t added = 0; added < 2; added++) {
            char name[16]; // by which an image knows it
            snprintf(name, sizeof name, "look %u", (unsigned)(2 * t + added));
            const mica_query_desc desc = {
                .name = name,
                .terms = {{l->types[t], access | (added ? MICA_ADDED : MICA_CHANGED)}}};
            l->looks[t][added] = mica_query_new(l->world, &desc);
        }
    }
}

bool lab_begin(lab *l, uint32_t limit, uint64_t storages, unsigned char fill)
{
    memset(l, 0, sizeof *l);
    l->storages = storages;
    l->mixed = storages != 0;
    tracker_begin(&l->tracker);
    l->tracker.idle = lab_is_plain(storages);
    model_begin(&l->m, limit, lab_abilities(storages));
    l->m.time = &l->time;
    test_world_prepare(&l->t);
    l->t.memory.fill = fill;
    l->t.desc.allocator = (mica_allocator){resize, l};
    l->t.desc.max_entities = limit;
    l->t.desc.relocate_always = l->t.desc.relocate_always || (storages >> 4 * LAB_RELOCATING & 1);
    l->world = mica_world_new(&l->t.desc);
    if (!l->world) {
        return lab_differ(l, "no world: %s", l->t.error.last.sentence);
    }
    test_world_verify(l->world);
    register_types(l);
    make_looks(l);
    return l->t.error.calls == 0 || lab_differ(l, "no types: %s", l->t.error.last.sentence);
}

bool lab_end(lab *l)
{
    if (l->difference[0]) {
        return false;
    }
    for (uint32_t i = 0; i < MODEL_WALKS; i++) {
        if (l->m.walks[i].open) {
            mica_iter_end(&l->walks[i]);
        }
    }
    if (mica_world_free(l->world) || l->t.error.calls) {
        return lab_differ(l, "the world is not freed: %s", l->t.error.last.sentence);
    }
    if (l->tracker.errors || l->tracker.alive) {
        return lab_differ(
            l, "%" PRIu32 " watched values outlive the world, %" PRIu32 " were treated wrongly",
            l->tracker.alive, l->tracker.errors);
    }
    if (l->t.memory.blocks || l->lost_block) {
        return lab_differ(l, "%" PRIu64 " blocks are not given back", l->t.memory.blocks);
    }
    return l->difference[0] == '\0';
}

// Comparing

const void *lab_find(lab *l, mica_entity entity, uint32_t type, lab_value *room)
{
    bool split = l->m.can.split >> type & 1;
    // S3.12
    if (!split && mica_try_get(l->world, entity, l->types[type]) !=
                      mica_get(l->world, entity, l->types[type])) {
        lab_differ(l, "type %" PRIu32 " of entity %" PRIu32 " is elsewhere for mica_try_get()",
                   type, mica_entity_slot(entity));
    }
    if (type == WATCHED || model_is_tag(type)) {
        return mica_get(l->world, entity, l->types[type]);
    }
    bool loaded = mica_load(l->world, entity, l->types[type], room, lab_size(type));
    if (split) {
        return loaded ? room : NULL;
    }
    const void *value = mica_get(l->world, entity, l->types[type]);
    if (loaded ? !value || memcmp(value, room, lab_size(type)) != 0 : value != NULL) {
        lab_differ(l, "type %" PRIu32 " of entity %" PRIu32 " is loaded as something else", type,
                   mica_entity_slot(entity));
    }
    return value;
}

// Is an entity, or a value of it, at the row where it is said to be? (S0.11)
static bool is_at(lab *l, mica_entity entity, mica_type type, bool has)
{
    mica_location at;
    if (mica_entity_get_location(l->world, entity, type, &at) != has || !has) {
        return !has;
    }
    mica_row_range range;
    bool found = at.table == UINT32_MAX
                     ? mica_pool_range(l->world, type, at.row, &range)
                     : mica_table_range(l->world, at.table, type, at.row, &range);
    return found && range.row == at.row && MICA_EQUAL(range.entities[0], entity);
}

static bool compare_components(lab *l, mica_entity entity, const model_slot *slot)
{
    uint32_t at = mica_entity_slot(entity);
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        bool has = slot->types >> t & 1;
        if (mica_has(l->world, entity, l->types[t]) != has) {
            return lab_differ(l, "entity %" PRIu32 " should %shave type %" PRIu32, at,
                              has ? "" : "not ", t);
        }
        if (!is_at(l, entity, l->types[t], has) || !is_at(l, entity, (mica_type){0}, true)) {
            return lab_differ(l, "type %" PRIu32 " of entity %" PRIu32 " is located elsewhere", t,
                              at);
        }
        lab_value room;
        const void *value = lab_find(l, entity, t, &room);
        bool good = has && !model_is_tag(t) ? lab_holds(l, value, t, slot->values[t]) : !value;
        if (!good) {
            return lab_differ(l, "entity %" PRIu32 " should have %" PRIu32 " as type %" PRIu32, at,
                              slot->values[t], t);
        }
        bool on = has && !(slot->off >> t & 1);
        if (mica_is_enabled(l->world, entity, l->types[t]) != on) {
            return lab_differ(l, "type %" PRIu32 " of entity %" PRIu32 " should %sbe enabled", t,
                              at, on ? "" : "not ");
        }
        bool whole = !(l->m.can.split >> t & 1);
        if (!model_is_tag(t) && ((whole && mica_accessor_get(&l->accessors[t], entity) != value) ||
                                 mica_accessor_is_enabled(&l->accessors[t], entity) != on)) {
            return lab_differ(l, "the accessor of type %" PRIu32 " is wrong about entity %" PRIu32,
                              t, at);
        }
    }
    const void *owned = mica_get(l->world, entity, l->owned);
    if (mica_has(l->world, entity, l->owned) != slot->owns ||
        (slot->owns ? !tracked_is(&l->tracker, owned, slot->owned) : owned != NULL) ||
        mica_accessor_get(&l->owner, entity) != owned) {
        return lab_differ(l, "entity %" PRIu32 " should %sown %" PRIu32, at,
                          slot->owns ? "" : "not ", slot->owned);
    }
    const char *name = mica_entity_name(l->world, entity);
    char text[16];
    if (slot->name ? !name || strcmp(lab_name(slot->name, text), name) != 0 : name != NULL) {
        return lab_differ(l, "entity %" PRIu32 " should have name %" PRIu32, at, slot->name);
    }
    return true;
}

// Neither the last one who died here nor the next one to come lives.
static bool compare_dead(lab *l, uint32_t at)
{
    const model_slot *slot = &l->m.slots[at];
    bool lives = slot->state != MODEL_ALIVE && mica_alive(l->world, model_handle(&l->m, at));
    lives = lives || (slot->generation > 0 &&
                      mica_alive(l->world, mica_entity_make(at, slot->generation - 1)));
    lives = lives || (slot->state != MODEL_ALIVE &&
                      mica_try_get(l->world, model_handle(&l->m, at), l->types[0]));
    return !lives || lab_differ(l, "a dead entity of slot %" PRIu32 " lives", at);
}

static bool compare_entities(lab *l)
{
    mica_entity next = mica_entity_next(l->world, (mica_entity){0});
    uint32_t watched = 0;
    mica_entity named[MODEL_NAMES + 1] = {{0}};
    for (uint32_t i = 0; i < l->m.limit; i++) {
        const model_slot *slot = &l->m.slots[i];
        if (!compare_dead(l, i)) {
            return false;
        }
        if (slot->state != MODEL_ALIVE) {
            continue;
        }
        mica_entity entity = model_handle(&l->m, i);
        bool listed = !model_is_facet(slot);
        if ((listed && !MICA_EQUAL(next, entity)) || !mica_alive(l->world, entity)) {
            return lab_differ(l, "entity %" PRIu32 ".%" PRIu32 " should live", i, slot->generation);
        }
        if (!compare_components(l, entity, slot)) {
            return false;
        }
        watched += (slot->types >> WATCHED & 1) + slot->owns;
        named[slot->name] = entity;
        next = listed ? mica_entity_next(l->world, next) : next;
    }
    uint32_t count = model_count(&l->m) - model_count_facets(&l->m);
    if (!MICA_IS_NONE(next) || mica_entity_count(l->world) != count) {
        return lab_differ(l, "%" PRIu32 " live, not %" PRIu32, mica_entity_count(l->world), count);
    }
    for (uint32_t i = 1; i <= MODEL_NAMES; i++) {
        char text[16];
        if (!MICA_EQUAL(mica_entity_find(l->world, lab_name(i, text)), named[i])) {
            return lab_differ(l, "name %" PRIu32 " leads to somebody else", i);
        }
    }
    watched += model_count_watched_events(&l->m);
    watched += model_count_watched_debts(&l->m) + model_count_watched_resources(&l->m);
    watched = l->tracker.idle ? 0 : watched;
    return (l->tracker.errors == 0 && l->tracker.alive == watched) ||
           lab_differ(l, "%" PRIu32 " watched values live, not %" PRIu32 "; %" PRIu32 " mistakes",
                      l->tracker.alive, watched, l->tracker.errors);
}

// Single rows are reached where they are.
static bool compare_places(lab *l, uint32_t term, uint32_t type, const mica_iter *it)
{
    bool same = true;
    for (uint32_t row = 0; same && row < it->count; row++) {
        const void *value = mica_read_row(it, term, row);
        same = !value || value == mica_get(l->world, it->entities[row], l->types[type]);
    }
    return same;
}

// All rows of a term: field by field, and, if they can be pointed to, one by one and side by side. What has
// hooks may be reached one by one only.
static bool compare_term(lab *l, const model_query *query, uint32_t k, const mica_iter *it)
{
    uint32_t type = query->types[k];
    const mica_type_info *info = mica_type_get_info(l->world, l->types[type]);
    bool split = l->m.can.split >> type & 1;
    bool rows_only = l->mixed && type == WATCHED;
    bool same = split || compare_places(l, k, type, it);
    const unsigned char *values = rows_only || split ? NULL : mica_read(it, k);
    for (uint32_t row = 0; same && row < it->count; row++) {
        const model_slot *slot = &l->m.slots[mica_entity_slot(it->entities[row])];
        lab_value room, whole; // S1.9; the first row is loaded before others gather
        bool is_whole = type != WATCHED && mica_load_row(it, k, row, &whole, lab_size(type));
        const void *loaded =
            type != WATCHED && test_row_load(it, k, info, row, &room) ? &room : NULL;
        same = is_whole == (loaded != NULL) &&
               (!loaded || memcmp(&whole, loaded, lab_size(type)) == 0);
        const void *value = rows_only ? mica_read_row(it, k, row)
                            : values  ? values + (size_t)row * lab_size(type)
                                      : NULL;
        if (!model_shows(query, k, slot)) {
            same = same && !value && !loaded;
        } else {
            same = same && (split || lab_holds(l, value, type, slot->values[type])) &&
                   (type == WATCHED || lab_holds(l, loaded, type, slot->values[type]));
        }
    }
    return same;
}

static bool compare_segment(lab *l, uint32_t q, const mica_iter *it, bool *seen)
{
    const model_query *query = &l->m.queries[q];
    outcome met = {.count = 0};
    for (uint32_t row = 0; row < it->count && met.count < MODEL_SLOTS; row++) {
        met.entities[met.count++] = it->entities[row];
    }
    if (!model_meet(&l->m, q, &met, seen, false, 0)) {
        return lab_differ(l, "query %" PRIu32 " gives an entity that does not match, or twice", q);
    }
    if (!lab_compare_owners(l, it)) {
        return false;
    }
    for (uint32_t k = 0; k < query->count; k++) {
        uint32_t type = query->types[k];
        mica_access access = query->accesses[k];
        if (model_is_tag(type) || access == MICA_WITH || access == MICA_WITHOUT) {
            continue;
        }
        if (!compare_term(l, query, k, it)) {
            return lab_differ(l, "query %" PRIu32 ", term %" PRIu32 ": other values", q, k);
        }
    }
    return true;
}

// What a query says of entities, each time of another.
static bool compare_explained(lab *l, uint32_t q)
{
    uint32_t slot = l->explained++ % l->m.limit;
    char text[300];
    mica_query_explain(l->world, l->queries[q], model_handle(&l->m, slot), text, sizeof text);
    return (strstr(text, " does not match: ") == NULL) ==
           model_matches(&l->m.queries[q], &l->m.slots[slot]);
}

// The query that writes may begin with another entity: if it has its filters in another order, another of two
// pools of the same size drives it.
static bool compare_query(lab *l, uint32_t q)
{
    bool seen[MODEL_SLOTS] = {0};
    mica_entity first = (mica_entity){0};
    mica_iter it;
    mica_iter_begin(l->world, l->readers[q], &it);
    while (mica_iter_next(&it)) {
        first = MICA_IS_NONE(first) ? it.entities[0] : first;
        if (!compare_segment(l, q, &it, seen)) {
            mica_iter_end(&it);
            return false;
        }
    }
    for (uint32_t i = 0; i < l->m.limit; i++) {
        bool matches = model_matches(&l->m.queries[q], &l->m.slots[i]);
        if (matches != seen[i] ||
            matches != mica_query_contains(l->world, l->queries[q], model_handle(&l->m, i))) {
            return lab_differ(l, "query %" PRIu32 " should %smatch entity %" PRIu32, q,
                              matches ? "" : "not ", i);
        }
    }
    if (!compare_explained(l, q)) {
        return lab_differ(l, "query %" PRIu32 " explains the opposite", q);
    }
    uint32_t count = model_count_matching(&l->m, q);
    mica_entity other = mica_query_first(l->world, l->queries[q]);
    if (mica_query_count(l->world, l->queries[q]) != count ||
        mica_query_count(l->world, l->readers[q]) != count ||
        !MICA_EQUAL(mica_query_first(l->world, l->readers[q]), first) ||
        (count > 0 ? !mica_query_contains(l->world, l->queries[q], other) : !MICA_IS_NONE(other))) {
        return lab_differ(l, "query %" PRIu32 " miscounts, or begins elsewhere", q);
    }
    return true;
}

// Where all that is read is owned, it is read in place.
static bool compare_owned(lab *l, uint32_t g, const mica_iter *it)
{
    for (uint32_t k = 0; k < MODEL_TYPES; k++) {
        uint32_t type = l->member_types[g][k];
        if (type < MARK &&
            mica_read(it, k) != mica_get(l->world, it->entities[0], l->types[type])) {
            return lab_differ(l, "what group %" PRIu32 " owns is not read in place", g);
        }
    }
    return true;
}

// The members of a group are those that match the query that asks for the same. Of a group that owns
// all it needs they are a segment for each sheet, or fewer; of one that forbids what has a toggle, any.
static bool compare_members(lab *l, uint32_t g, mica_iter *it)
{
    const model_group *group = &l->m.groups[g];
    bool whole = !group->also && !(group->without & l->m.can.toggle);
    uint32_t rows = 0;
    uint32_t segments = 0;
    for (; mica_iter_next(it); segments++) {
        rows += it->count;
        for (uint32_t row = 0; row < it->count; row++) {
            const model_slot *slot = model_find(&l->m, it->entities[row]);
            if (!slot || !model_is_member(group, slot)) {
                return lab_differ(l, "group %" PRIu32 " has a member that it should not have", g);
            }
        }
        if (whole && !compare_owned(l, g, it)) {
            return false;
        }
    }
    bool right = rows == test_group_count(l->world, l->groups[g]);
    uint32_t most = (rows + MICAI_ROWS - 1) >> MICAI_ROW_SHIFT; // a sheet lies side by side
    return (right && (!whole || (segments <= most && (segments > 0) == (rows > 0)))) ||
           lab_differ(l, "group %" PRIu32 " has %" PRIu32 " rows in %" PRIu32 " segments", g, rows,
                      segments);
}

static bool compare_group(lab *l, uint32_t g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->m.limit; i++) {
        count += model_is_member(&l->m.groups[g], &l->m.slots[i]);
    }
    if (test_group_count(l->world, l->groups[g]) != count) {
        return lab_differ(l, "group %" PRIu32 " should have %" PRIu32 " entities", g, count);
    }
    mica_iter it;
    mica_iter_begin(l->world, l->members[g], &it);
    bool same = compare_members(l, g, &it);
    return !mica_iter_end(&it) && same;
}

// Is what has changed since the last look shown, and nothing that certainly has not?
static bool compare_news(lab *l)
{
    for (uint32_t i = 0; i < l->m.limit; i++) {
        const model_slot *slot = &l->m.slots[i];
        for (uint32_t k = 0; slot->state == MODEL_ALIVE && k < 2 * MODEL_TYPES; k++) {
            uint32_t type = k / 2;
            if (!(slot->types >> type & 1)) {
                continue;
            }
            bool shown =
                mica_query_contains(l->world, l->looks[type][k % 2], model_handle(&l->m, i));
            if (shown ? !model_may_show(&l->m, slot, type, k % 2)
                      : model_has_news(&l->m, slot, type, k % 2)) {
                return lab_differ(l, "type %" PRIu32 " of entity %" PRIu32 " should %sbe %s", type,
                                  i, shown ? "not " : "", k % 2 ? "added" : "changed");
            }
        }
    }
    return true;
}

bool lab_compare(lab *l)
{
    bool same = true;
    same = same && compare_entities(l) && compare_news(l) && lab_compare_facets(l) &&
           lab_compare_events(l) && lab_compare_resources(l) && lab_compare_time(l);
    for (uint32_t q = 0; same && q < MODEL_QUERIES; q++) {
        same = !l->m.queries[q].exists || compare_query(l, q);
    }
    for (uint32_t g = 0; same && g < MODEL_GROUPS; g++) {
        same = !l->m.groups[g].exists || compare_group(l, g);
    }
    const char *wrong = same && l->mirror.world ? mirror_compare(&l->mirror) : NULL;
    if (wrong) {
        same = lab_differ(l, "observers: %s", wrong);
    }
    if (same && (mica_world_validate(l->world) || l->t.error.calls)) {
        same = lab_differ(l, "%s", l->t.error.last.sentence);
    }
    return same && (!l->lost_block || lab_differ(l, "a block was given back that is none"));
}

// A facet gets the slot that is next: one that was freed just now, or, of the first generation, the lowest that
// was never used. So those below it are in use.
static mica_entity extend_twin(const model *m, mica_world *twin, const mica_type *types,
                               uint32_t at)
{
    const model_slot *slot = &m->slots[at];
    if (slot->generation > 0) {
        mica_despawn(twin, mica_spawn_at(twin, mica_entity_make(at, slot->generation - 1)));
    }
    return mica_facet_add_values(twin, slot->owner, lab_component(types, slot->label),
                                 slot->label.role, NULL, 0);
}

// Everybody who lives, empty. Somebody else is in the other slots until all are there.
static void populate_twin(const model *m, mica_world *twin, const mica_type *types)
{
    mica_entity others[MODEL_SLOTS];
    uint32_t count = 0;
    for (uint32_t i = m->limit; i-- > 0;) {
        const model_slot *slot = &m->slots[i];
        if (slot->state == MODEL_ALIVE && !model_is_facet(slot)) {
            mica_spawn_at(twin, model_handle(m, i));
        } else if (slot->state != MODEL_ALIVE) {
            others[count++] = mica_spawn_at(twin, mica_entity_make(i, 0));
        }
    }
    for (uint32_t i = 0; i < m->limit; i++) {
        if (model_is_facet(&m->slots[i])) {
            extend_twin(m, twin, types, i);
        }
    }
    mica_despawn_many(twin, others, count);
}

// The last slots first, each component by its own call, and no other types than these; all in tables,
// but for tags that have a toggle.
static uint64_t hash_twin(const model *m, mica_world *twin, tracker *t)
{
    mica_type types[MODEL_TYPES];
    for (uint32_t i = MODEL_TYPES; i-- > 0;) {
        mica_type_desc desc = describe(t, i);
        desc.toggle = m->can.toggle >> i & 1;
        desc.storage = desc.toggle && model_is_tag(i) ? MICA_SPARSE : MICA_TABLE;
        types[i] = mica_type_register(twin, &desc);
    }
    mica_type owned = register_owned(twin, t, 0);
    populate_twin(m, twin, types);
    for (uint32_t i = m->limit; i-- > 0;) {
        const model_slot *slot = &m->slots[i];
        if (slot->state != MODEL_ALIVE) {
            continue;
        }
        mica_entity entity = model_handle(m, i);
        for (uint32_t k = 0; k < MODEL_TYPES; k++) {
            uint32_t type = (i + k) % MODEL_TYPES;
            if (slot->types >> type & 1) {
                lab_value room;
                lab_put(t, &room, type, slot->values[type]);
                mica_set_value(twin, entity, types[type], lab_size(type) ? &room : NULL,
                               lab_size(type));
                lab_drop(t, &room, type);
            }
            if (slot->off >> type & 1) {
                mica_disable(twin, entity, types[type]);
            }
        }
        if (slot->owns) {
            const tracked value = tracked_make(t, slot->owned);
            mica_set_value(twin, entity, owned, &value, sizeof value);
        }
        char text[16];
        mica_entity_set_name(twin, entity, slot->name ? lab_name(slot->name, text) : NULL);
    }
    lab_give_resources(m, twin, types, t);
    return mica_world_hash(twin);
}

bool lab_compare_twin(lab *l)
{
    static tracker t;
    tracker_begin(&t);
    t.idle = l->tracker.idle;
    mica_world *twin = mica_world_new(&(mica_world_desc){.max_entities = l->m.limit});
    if (!twin) {
        return lab_differ(l, "no twin");
    }
    bool same = hash_twin(&l->m, twin, &t) == mica_world_hash(l->world);
    mica_world_free(twin);
    return same || lab_differ(l, "a world of the same content has another hash");
}
