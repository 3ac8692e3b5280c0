#include "damage/everything.h"

#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

// Types

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef struct Guest {
    Vec2 at;
    char name[8];
    int32_t mood;
    uint16_t age;
} Guest;

static mica_result construct(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0, (size_t)count * context->type->size);
    return MICA_OK;
}

static void destruct(void *target, uint32_t count, const mica_hook_context *context)
{
    memset(target, 0xDD, (size_t)count * context->type->size);
}

static mica_result copy(void *target, const void *source, uint32_t count,
                        const mica_hook_context *context)
{
    memcpy(target, source, (size_t)count * context->type->size);
    return MICA_OK;
}

static void move(void *target, void *source, uint32_t count, const mica_hook_context *context)
{
    memcpy(target, source, (size_t)count * context->type->size);
}

enum {
    TAG,
    BYTE,
    WORD,
    VEC2,
    BIG,
    GUEST,
    HOOKED,
    MOVED,
    LOOSE,
    MARK,
    STABLE,
    OWNED, // sparse, with hooks
    SPLIT,
    RUNG, // in a ring
    RARE, // sparse, after 64 others
    LAST_TAG,
    LAST,
    TYPES
};

// So many that some queries need more words than they have inside.
enum { TYPES_ALL = 270 };

static mica_type add_plain(mica_world *world, const char *name, uint32_t size)
{
    return mica_type_register(world, &(mica_type_desc){.name = name, .size = size, .align = size});
}

// Tags fill the gap before the last two, so that these have high numbers.
static void add_types(everything *e, mica_type types[TYPES])
{
    static const uint64_t big_default[2] = {1, 2};
    static const mica_enumerator moods[] = {{"good", 1}, {"bad", 2}, {0}};
    mica_world *world = e->world;
    types[TAG] = MICA_TAG(world, Tag);
    types[BYTE] = add_plain(world, "Byte", 1);
    types[WORD] = add_plain(world, "Word", 4);
    types[VEC2] = MICA_REGISTER(world, Vec2, x, y);
    types[BIG] = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Big", .size = 16, .align = 8, .default_value = big_default, .toggle = true});
    const mica_field_info fields[] = {MICA_FIELD_STRUCT(Guest, at, types[VEC2]),
                                      MICA_FIELD(Guest, name), MICA_FIELD_ENUM(Guest, mood, moods),
                                      MICA_FIELD(Guest, age)};
    types[GUEST] = mica_type_register(world, &(mica_type_desc){.name = "Guest",
                                                               .size = sizeof(Guest),
                                                               .align = _Alignof(Guest),
                                                               .fields = fields,
                                                               .field_count = 4,
                                                               .row_stamps = true});
    const mica_hooks hooks = {.construct = construct, .destruct = destruct, .copy = copy};
    types[HOOKED] = mica_type_register(
        world, &(mica_type_desc){.name = "Hooked", .size = 8, .align = 8, .hooks = hooks});
    types[MOVED] = mica_type_register(
        world, &(mica_type_desc){.name = "Moved", .size = 8, .align = 8, .hooks = {.move = move}});
    types[LOOSE] = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Loose", .storage = MICA_SPARSE, .size = 4, .align = 4, .row_stamps = true});
    types[MARK] = MICA_SPARSE_TAG(world, Mark);
    types[STABLE] = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Stable", .storage = MICA_SPARSE, .size = 8, .align = 8, .stable = true});
    types[OWNED] = mica_type_register(
        world, &(mica_type_desc){
                   .name = "Owned", .storage = MICA_SPARSE, .size = 8, .align = 8, .hooks = hooks});
    const mica_field_info parts[] = {MICA_FIELD_STRUCT(Guest, at, types[VEC2]),
                                     MICA_FIELD(Guest, name), MICA_FIELD(Guest, mood),
                                     MICA_FIELD(Guest, age)};
    types[SPLIT] = mica_type_register(world, &(mica_type_desc){.name = "Split",
                                                               .storage = MICA_SPLIT,
                                                               .size = sizeof(Guest),
                                                               .align = _Alignof(Guest),
                                                               .fields = parts,
                                                               .field_count = 4});
    types[RUNG] = mica_type_register(
        world, &(mica_type_desc){
                   .name = "Rung", .storage = MICA_RING, .size = 8, .align = 8, .toggle = true});
    for (uint32_t n = RUNG + 1; n + 2 < TYPES_ALL; n++) {
        char name[16];
        snprintf(name, sizeof name, "Tag%u", (unsigned)n);
        bool sparse = n <= RUNG + 64; // for a second word of presence
        mica_type tag =
            sparse
                ? mica_type_register(world, &(mica_type_desc){.name = name, .storage = MICA_SPARSE})
                : mica_type_register(world, &(mica_type_desc){.name = name});
        types[RARE] = sparse ? tag : types[RARE];
    }
    types[LAST_TAG] = MICA_TAG(world, LastTag);
    types[LAST] = add_plain(world, "Last", 8);
}

// The last entity of its slot.
static mica_entity age(mica_world *world, mica_entity entity)
{
    const micai_slots *slots = &world->state->slots;
    micai_row row = micai_row_of(&world->state->store, micai_slots_find(slots, entity));
    mica_entity last = micai_slots_age(&world->state->slots, entity, MICA_GENERATION_LAST);
    micai_sheet_ids(row.sheet)[row.offset] = last;
    return last;
}

// Commands that wait: in a buffer, with those that spawn; and in the world's own, after some that were
// carried out.
static void record(mica_world *face, mica_entity who, const mica_type types[TYPES])
{
    const uint64_t words[32] = {0};
    const uint32_t big = mica_type_get_info(face, types[BIG])->size;
    const mica_value values[] = {{types[BIG], words, big, 1, NULL},
                                 {types[VEC2], words, sizeof(Vec2), 1, NULL}};
    for (uint32_t n = 0; n < 3; n++) {
        mica_set_values(face, who, values, 2);
        mica_disable(face, who, types[BIG]);
        mica_entity_set_name(face, who, "Emil");
        mica_remove(face, who, types[VEC2]);
    }
    mica_despawn(face, who);
}

static void record_spawns(mica_world *world, const mica_type types[TYPES])
{
    mica_world *own = mica_commands_new(world);
    for (uint32_t n = 0; n < 6; n++) {
        const mica_value values[] = {MICA_ADD(types[BIG]), MICA_ADD(types[VEC2])};
        mica_entity made = mica_spawn_values(own, values, 2);
        mica_clone(own, made);
        mica_facet_add_values(own, made, types[VEC2], n, values, 2);
        record(own, made, types);
    }
}

static void record_changes(mica_world *world, const mica_type types[TYPES])
{
    const uint32_t words[] = {1, 2};
    mica_entity first = mica_entity_next(world, (mica_entity){0});
    mica_add(mica_world_later(world), first, types[MARK]);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(world));
    record(mica_world_later(world), first, types);
    CHECK_EQUAL(MICA_OK,
                mica_send(mica_world_later(world), MICA_COPY_OF_ARRAY(types[WORD], words)));
}

// Transitions of lists of types, one of plain values and one with a flag.
static void add_lists(mica_world *world, const mica_type types[TYPES])
{
    const mica_type lists[2][2] = {{types[TAG], types[BYTE]}, {types[VEC2], types[BIG]}};
    mica_entity entity = mica_spawn(world, MICA_ADD(types[WORD]));
    for (uint32_t i = 0; i < 2; i++) {
        test_add_types(world, entity, lists[i], 2);
        mica_change(world, entity, NULL, 0, lists[i], 2);
    }
    mica_despawn(world, entity);
}

// Entities of several tables, moved between them so that there are transitions; slots that
// are free, retired and ahead; sheets that are free; names.
static void add_entities(everything *e, const mica_type types[TYPES])
{
    mica_world *world = e->world;
    enum { COUNT = 2 * MICAI_ROWS + 60 };
    static mica_entity many[COUNT];
    const mica_type few[] = {types[WORD], types[VEC2]};
    const mica_type all[] = {types[TAG],    types[BYTE],  types[WORD],  types[BIG], types[GUEST],
                             types[HOOKED], types[MOVED], types[SPLIT], types[LAST]};
    mica_bundle pair = mica_bundle_new(world, few, 2);
    mica_bundle full = mica_bundle_new(world, all, sizeof all / sizeof all[0]);
    mica_bundle freed = mica_bundle_new(world, all, 2);
    mica_bundle_new(world, all, 3); // its table will be reclaimed
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, pair, COUNT, NULL, 0, many));
    for (uint32_t i = 0; i < 5; i++) {
        mica_spawn_bundle(world, full, NULL, 0);
        mica_spawn_values(world, NULL, 0);
    }
    for (uint32_t i = 0; i < 6; i++) {
        mica_add(world, many[i], types[BIG]);
        mica_add(world, many[i], types[LAST_TAG]);
        mica_remove(world, many[i], types[WORD]);
        mica_add(world, many[10 + i % 3], types[i % 2 ? HOOKED : MOVED]);
        const mica_value values[] = {{.type = types[LAST]}, {.type = types[BYTE]}};
        mica_change(world, many[6 + i % 2], values, 2, &types[VEC2], 1);
    }
    mica_disable(world, many[1], types[BIG]);
    const char *names[] = {"Ada", "Bertrand", "Christopher"};
    for (uint32_t i = 0; i < 3; i++) {
        mica_entity_set_name(world, many[i], names[i]);
    }
    mica_resource_set(world, MICA_ADD(types[WORD]), MICA_ADD(types[HOOKED]));
    for (uint32_t i = 0; i < 9; i++) {
        mica_send(world, MICA_ADD(types[WORD]), MICA_ADD(types[HOOKED]));
    }
    for (uint32_t i = 0; i < 2; i++) {
        mica_cursor cursor = {.name = i ? "first" : "second"};
        uint32_t count;
        mica_events(world, types[WORD], &cursor, &count);
    }
    for (uint32_t i = 0; i < 6; i++) { // facets, of which one is gone
        mica_type mark[] = {types[MARK], types[OWNED], types[WORD]};
        mica_facet_add(world, many[50 + i % 2], types[i % 3], i + 1, MICA_ADD(mark[i % 3]),
                       MICA_ADD(types[MARK]));
    }
    mica_despawn(world, mica_facet_find(world, many[50], types[2], 3));
    for (uint32_t i = 0; i < 6; i++) { // tables that go, and leave free numbers of sheets
        mica_type l[] = {types[i < 4 ? GUEST : LAST], types[1 + i]};
        mica_bundle gone = mica_bundle_new(world, l, 2);
        mica_despawn(world, mica_spawn_bundle(world, gone, NULL, 0));
    }
    mica_world_reclaim(world);
    REQUIRE(
        !MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(COUNT + 6 * MICAI_SLOT_PAGE_SIZE, 2))));
    for (uint32_t i = 0; i < 4; i++) { // and transitions after all that
        mica_add(world, many[30 + i], types[BIG]);
        mica_remove(world, many[30 + i], types[BIG]);
        mica_add(world, many[i], types[TAG]);
    }
    const uint64_t word[32] = {0};
    for (uint32_t i = 0; i < 2; i++) { // transitions of spawns
        const mica_type_info *info = mica_type_get_info(world, types[i ? BIG : WORD]);
        const mica_value values[] = {{info->type, word, info->size, 1, NULL}, MICA_ADD(types[TAG])};
        REQUIRE(info->size <= sizeof word);
        mica_spawn_values(world, values, 2);
    }
    for (uint32_t i = 0; i < 12; i++) { // values in pools; some leave, and holes stay behind
        const mica_value loose[] = {{.type = types[LOOSE]}, {.type = types[STABLE]}};
        mica_change(world, many[40 + i], loose, 2, NULL, 0);
        mica_add(world, many[42 + i], types[MARK]);
        mica_add(world, many[42 + i], types[RARE]);
        mica_add(world, many[i], types[OWNED]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        mica_remove(world, many[41 + 2 * i], types[STABLE]);
        mica_remove(world, many[40 + i], types[LOOSE]);
    }
    for (uint32_t i = 0; i < 5; i++) { // groups: one that owns, one with a list, one that is gone
        mica_add(world, many[44 + i], types[OWNED]);
    }
    mica_group gone =
        mica_group_new(world, &(mica_group_desc){.required = {types[LOOSE], types[STABLE]}});
    mica_group_new(
        world,
        &(mica_group_desc){.owned = {types[OWNED]}, .required = {types[MARK]}, .name = "owning"});
    mica_group_new(world, &(mica_group_desc){.required = {types[MARK], types[STABLE]},
                                             .without = {types[LOOSE]},
                                             .name = "list"});
    mica_group_free(world, gone);
    for (uint32_t i = 0; i < 3; i++) { // a ring of two runs
        mica_add(world, many[i], types[RUNG]);
        mica_add(world, many[25 + i], types[RUNG]);
        mica_add(world, many[28 + i], types[RUNG]);
    }
    mica_disable(world, many[25], types[RUNG]);
    mica_accessor_new(world, types[RUNG]); // flags side by side
    const mica_type sparse[] = {types[WORD], types[LOOSE], types[MARK]};
    mica_bundle_new(world, sparse, 3);
    add_lists(world, types);
    mica_type grown[] = {types[BYTE], types[LAST]};
    mica_bundle growing = mica_bundle_new(world, grown, 2);
    mica_bundle_reserve(world, growing, 1);
    mica_bundle_free(world, freed);
    for (uint32_t i = 0; i <= MICAI_ROWS_FIRST; i++) { // a sheet that has grown
        mica_spawn_bundle(world, growing, NULL, 0);
    }
    record_spawns(world, types);
    mica_despawn(world, many[20]);
    mica_despawn(world, many[21]);
    mica_despawn(world, many[23]);
    // The ways back in the free list are noted, of those that were there.
    mica_entity back =
        mica_entity_make(mica_entity_slot(many[23]), mica_entity_generation(many[23]) + 1);
    CHECK(MICA_EQUAL(back, mica_spawn_at(world, back)));
    mica_despawn(world, back);
    mica_despawn(world, age(world, many[22])); // whose slot is retired
}

static void update(mica_iter *it)
{
    (void)it;
}

static void hear(const mica_observer_event *h)
{
    (void)h;
}

// Observers of types, one of them sparse and one gone, and of a query.
static void add_observers(mica_world *world, const mica_type types[TYPES])
{
    mica_observer gone = mica_observer_new(
        world, &(mica_observer_desc){.type = types[GUEST], .events = MICA_ON_SET, .call = hear});
    mica_observer_new(world, &(mica_observer_desc){.name = "guests",
                                                   .type = types[GUEST],
                                                   .events = MICA_ON_ADD | MICA_ON_SPAWN,
                                                   .call = hear});
    mica_observer_new(world, &(mica_observer_desc){.name = "more guests",
                                                   .type = types[GUEST],
                                                   .events = MICA_ON_REMOVE,
                                                   .call = hear});
    mica_observer_new(world, &(mica_observer_desc){.name = "stable",
                                                   .type = types[STABLE],
                                                   .events = MICA_ON_REMOVE,
                                                   .call = hear});
    mica_observer_new(world, &(mica_observer_desc){.name = "hooked",
                                                   .query.terms = {{types[HOOKED], MICA_WITH},
                                                                   {types[SPLIT], MICA_WITHOUT}},
                                                   .events = MICA_ON_ENTER | MICA_ON_DESPAWN,
                                                   .call = hear});
    mica_observer_free(world, gone);
}

// Where a trace goes.
static bool swallow(void *user, const void *data, size_t size)
{
    (void)data;
    (void)size;
    (void)user;
    return true;
}

static void add_queries(everything *e, const mica_type types[TYPES])
{
    mica_world *world = e->world;
    mica_query freed = mica_query_new(world, &(mica_query_desc){.everything = true});
    mica_query pairs = mica_query_new(
        world, &(mica_query_desc){.name = "pairs",
                                  .terms = {{types[VEC2], MICA_WRITE}, {types[WORD], MICA_READ}}});
    mica_query others =
        mica_query_new(world, &(mica_query_desc){.terms = {{types[LAST], MICA_OPTIONAL},
                                                           {types[BIG], MICA_ANY},
                                                           {types[GUEST], MICA_ANY},
                                                           {types[LAST_TAG], MICA_WITHOUT}}});
    mica_query news = mica_query_new(
        world, &(mica_query_desc){.name = "news",
                                  .terms = {{types[GUEST], MICA_WITH | MICA_CHANGED},
                                            {types[LAST], MICA_WRITE | MICA_TOUCH}}});
    mica_query_new(world, &(mica_query_desc){.terms = {{types[LOOSE], MICA_READ | MICA_ADDED}}});
    mica_query_new(world, &(mica_query_desc){.name = "last", .terms = {{types[LAST], MICA_WITH}}});
    mica_query_new(world,
                   &(mica_query_desc){.terms = {{types[RUNG], MICA_READ | MICA_INCLUDE_DISABLED}},
                                      .no_entities = true});
    mica_query mixed =
        mica_query_new(world, &(mica_query_desc){.name = "mixed",
                                                 .terms = {{types[LOOSE], MICA_WRITE},
                                                           {types[WORD], MICA_READ},
                                                           {types[STABLE], MICA_OPTIONAL},
                                                           {types[OWNED], MICA_WITHOUT}}});
    mica_query any = mica_query_new(
        world, &(mica_query_desc){.terms = {{types[OWNED], MICA_ANY}, {types[MARK], MICA_ANY}}});
    mica_query grouped = mica_query_new(
        world, &(mica_query_desc){.terms = {{types[OWNED], MICA_READ}, {types[MARK], MICA_WITH}}});
    for (uint32_t i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "system %u", (unsigned)i);
        mica_system_add(world, &(mica_system_desc){.name = name,
                                                   .update = update,
                                                   .query.terms = {{types[BIG], MICA_READ}}});
    }
    mica_phase fixed =
        mica_phase_add(world, &(mica_phase_desc){.name = "fixed", .fixed_dt = 0.375});
    mica_system_add(world, &(mica_system_desc){.name = "declared",
                                               .update = update,
                                               .phase = fixed,
                                               .queries = {mixed, any},
                                               .resources = {{types[BIG], MICA_WRITE}},
                                               .events = {{types[BIG], MICA_READ}},
                                               .after = {mica_system_find(world, "system 1")}});
    mica_world_set_timing(world, true);
    mica_system_add(world, &(mica_system_desc){.name = "removed", .update = update});
    (void)mica_system_remove(world, mica_system_find(world, "removed"));
    add_observers(world, types);
    mica_query_free(world, freed);
    mica_trace_begin(world, &(mica_stream){.write = swallow}, NULL);
    CHECK_EQUAL(MICA_OK, mica_step(world, 0.5));
    record_changes(world, types);
    mica_iter_begin(world, news, &e->timed);
    CHECK(mica_iter_next(&e->timed));
    mica_iter closed;
    mica_iter_begin(world, pairs, &closed);
    mica_iter mixed_closed;
    mica_iter_begin(world, mixed, &mixed_closed);
    mica_iter_begin(world, pairs, &e->outer);
    mica_iter_begin(world, others, &e->inner);
    mica_iter_begin(world, mixed, &e->driven);
    mica_iter_begin(world, any, &e->sieved);
    CHECK(mica_iter_next(&e->outer) && mica_iter_next(&e->inner));
    CHECK(mica_iter_next(&e->driven) && mica_iter_next(&e->sieved));
    CHECK(mica_write(&e->driven, 0) != NULL);
    while (mica_iter_owners(&e->sieved) == e->sieved.entities) { // up to some that are facets
        REQUIRE(mica_iter_next(&e->sieved));
    }
    mica_iter_begin(world, grouped, &e->grouped);
    CHECK(mica_iter_next(&e->grouped));
    mica_iter_end(&closed);
    mica_iter_end(&mixed_closed);
}

// Loads the image of a program that has more than this one: queries of one name, a phase and a system. "news" and
// "fixed" are claimed later.
static void load_unclaimed(everything *e)
{
    static const char *const names[] = {"news", "nobody's", "nobody's", "nobody's", "other"};
    mica_world *other = mica_world_new(NULL);
    REQUIRE(other != NULL);
    mica_type type = mica_type_register(other, &(mica_type_desc){.name = "Other"});
    const mica_query_desc desc = {.terms = {{type, MICA_WITH | MICA_CHANGED}}};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        mica_query_desc named = desc;
        named.name = names[i];
        mica_query_new(other, &named);
    }
    mica_system_add(other,
                    &(mica_system_desc){.name = "nobody's", .update = update, .query = desc});
    mica_phase_add(other, &(mica_phase_desc){.name = "fixed", .fixed_dt = 0.375});
    mica_phase_add(other, &(mica_phase_desc){.name = "nobody's", .fixed_dt = 0.25});
    mica_buffer image = {0};
    CHECK_EQUAL(MICA_OK, mica_world_save(other, &(mica_stream){.buffer = &image}, NULL));
    CHECK_EQUAL(MICA_OK, mica_world_load(e->world, &(mica_stream){.buffer = &image}, NULL));
    mica_buffer_free(&image);
    mica_world_free(other);
}

void everything_begin(everything *e)
{
    memset(e, 0, sizeof *e);
    test_memory_begin(&e->memory);
    e->world = mica_world_new(&(mica_world_desc){.allocator = e->memory.allocator,
                                                 .error_handler = test_error_record,
                                                 .error_user = &e->error});
    REQUIRE(e->world != NULL);
    load_unclaimed(e);
    // Slots of a page that was given back begin with the next generation.
    mica_despawn(e->world, mica_spawn_values(e->world, NULL, 0));
    CHECK_EQUAL(MICA_OK, mica_world_reclaim(e->world));
    mica_type all[TYPES];
    add_types(e, all);
    add_entities(e, all);
    add_queries(e, all);
    CHECK_EQUAL(MICA_OK, mica_world_validate(e->world));
    test_error_end_at(&e->error, __FILE__, __LINE__);
}

void everything_end(everything *e)
{
    mica_world_end_iterations(e->world);
    CHECK_EQUAL(MICA_OK, mica_world_validate(e->world));
    CHECK_EQUAL(MICA_OK, mica_world_free(e->world));
    test_error_end_at(&e->error, __FILE__, __LINE__);
    test_memory_end(&e->memory);
}
