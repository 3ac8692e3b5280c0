// Tests of src/inspect/hash.c.
#include <mica/debug.h>

#include <string.h>

#include "core/hash_term.h"
#include "state/state.h"
#include "unit/world/fixture.h"

typedef enum Mood { SAD = -1, CALM = 0, GLAD = 1 } Mood;

typedef struct Inner {
    int16_t a;
    double b;
} Inner;

// A field of every kind, and padding in many places.
typedef struct Everything {
    int8_t i8;
    int16_t i16;
    uint8_t u8;
    int32_t i32;
    uint16_t u16;
    int64_t i64;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    bool flag;
    char text[11];
    mica_entity other;
    Inner inner[2];
    Mood mood;
    int16_t numbers[3];
} Everything;

static const mica_enumerator moods[] = {{"sad", SAD}, {"calm", CALM}, {"glad", GLAD}, {0}};

static mica_type register_everything(mica_world *world)
{
    mica_type inner = MICA_REGISTER(world, Inner, a, b);
    const mica_field_info fields[] = {MICA_FIELD(Everything, i8),
                                      MICA_FIELD(Everything, i16),
                                      MICA_FIELD(Everything, u8),
                                      MICA_FIELD(Everything, i32),
                                      MICA_FIELD(Everything, u16),
                                      MICA_FIELD(Everything, i64),
                                      MICA_FIELD(Everything, u32),
                                      MICA_FIELD(Everything, u64),
                                      MICA_FIELD(Everything, f32),
                                      MICA_FIELD(Everything, f64),
                                      MICA_FIELD(Everything, flag),
                                      MICA_FIELD(Everything, text),
                                      MICA_FIELD(Everything, other),
                                      MICA_FIELD_STRUCT(Everything, inner, inner),
                                      MICA_FIELD_ENUM(Everything, mood, moods),
                                      MICA_FIELD(Everything, numbers)};
    mica_type_desc desc = MICA_DESCRIBE(Everything);
    desc.fields = fields;
    desc.field_count = sizeof fields / sizeof fields[0];
    mica_type type = mica_type_register(world, &desc);
    REQUIRE(!MICA_IS_NONE(type));
    return type;
}

// All fields set, field by field, over bytes of `padding`.
static void fill(Everything *e, int padding)
{
    memset(e, padding, sizeof *e);
    e->i8 = -1;
    e->i16 = -2;
    e->u8 = 3;
    e->i32 = -4;
    e->u16 = 5;
    e->i64 = -6;
    e->u32 = 7;
    e->u64 = 8;
    e->f32 = 9.5F;
    e->f64 = 10.5;
    e->flag = true;
    strcpy(e->text, "text");
    e->other = mica_entity_make(11, 12);
    for (int i = 0; i < 2; i++) {
        e->inner[i].a = (int16_t)(13 + i);
        e->inner[i].b = 14.5 + i;
    }
    e->mood = GLAD;
    for (int i = 0; i < 3; i++) {
        e->numbers[i] = (int16_t)(15 + i);
    }
}

TEST_WITH(fixture, f, an_empty_world_hashes_to_zero)
{
    CHECK_EQUAL(0, mica_world_hash(f->world));
    mica_entity e = fixture_spawn(f, 1);
    CHECK(mica_world_hash(f->world) != 0);
    mica_despawn(f->world, e);
    CHECK_EQUAL(0, mica_world_hash(f->world));
}

// Content of two entities, made in different ways.
typedef enum way { STRAIGHT, BACKWARDS, DETOUR, TYPES_REVERSED, RECLAIMED, WAYS } way;

static void add_content(mica_world *world, way how, mica_type position, mica_type velocity,
                        mica_type frozen)
{
    const mica_entity a = mica_entity_make(3, 0);
    const mica_entity b = mica_entity_make(7, 2);
    mica_spawn_at(world, how == BACKWARDS ? b : a);
    mica_spawn_at(world, how == BACKWARDS ? a : b);
    const mica_entity both[] = {how == BACKWARDS ? b : a, how == BACKWARDS ? a : b};
    for (uint32_t i = 0; i < 2; i++) {
        mica_set(world, both[i],
                 MICA_VALUE(position, Position, (float)mica_entity_slot(both[i]), 1));
    }
    if (how == DETOUR) {
        mica_add(world, a, frozen);
        mica_add(world, b, velocity);
        mica_remove(world, b, velocity);
        mica_remove(world, a, frozen);
    }
    mica_set(world, a, MICA_VALUE(velocity, Velocity, 5, 6));
    mica_add(world, b, frozen);
    mica_entity_set_name(world, a, "a");
    if (how == RECLAIMED) {
        mica_world_reclaim(world);
    }
}

static uint64_t hash_of_way(way how)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type types[3] = {{0}};
    for (uint32_t i = 0; i < 3; i++) {
        switch (how == TYPES_REVERSED ? 2 - i : i) {
        case 0: types[0] = MICA_REGISTER(world, Position, x, y); break;
        case 1: types[1] = MICA_REGISTER(world, Velocity, y, x); break;
        default: types[2] = MICA_TAG(world, Frozen); break;
        }
    }
    add_content(world, how, types[0], types[1], types[2]);
    uint64_t hash = mica_world_hash(world);
    test_world_end(&t);
    return hash;
}

static void equal_content_has_equal_hash_however_it_came_about(void)
{
    const uint64_t hash = hash_of_way(STRAIGHT);
    CHECK(hash != 0);
    for (uint32_t how = 0; how < WAYS; how++) {
        CHECK_EQUAL(hash, hash_of_way((way)how));
    }
    // The same on every machine, whatever its byte order and page size.
    CHECK_EQUAL(UINT64_C(0x0ea93acfb7c74810), hash);
}

TEST_WITH(test_world, t, padding_does_not_count)
{
    mica_world *world = t->world;
    mica_type type = register_everything(world);
    mica_entity e = mica_spawn_values(world, NULL, 0);
    Everything value;
    fill(&value, 0x00);
    mica_set_value(world, e, type, &value, sizeof value);
    uint64_t hash = mica_world_hash(world);
    fill(&value, 0xFF);
    memcpy(value.text, "text\0abcdef", 11); // nor does what follows a text's end
    mica_set_value(world, e, type, &value, sizeof value);
    CHECK_EQUAL(hash, mica_world_hash(world));
}

TEST_WITH(test_world, t, every_field_counts)
{
    mica_world *world = t->world;
    mica_type type = register_everything(world);
    mica_entity e = mica_spawn_values(world, NULL, 0);
    Everything value;
    fill(&value, 0);
    mica_set_value(world, e, type, &value, sizeof value);
    uint64_t hash = mica_world_hash(world);
#define CHECK_COUNTS(change)                                                                       \
    do {                                                                                           \
        fill(&value, 0);                                                                           \
        change;                                                                                    \
        mica_set_value(world, e, type, &value, sizeof value);                                      \
        CHECK(hash != mica_world_hash(world));                                                     \
    } while (0)
    CHECK_COUNTS(value.i8++);
    CHECK_COUNTS(value.i16++);
    CHECK_COUNTS(value.u8++);
    CHECK_COUNTS(value.i32++);
    CHECK_COUNTS(value.u16++);
    CHECK_COUNTS(value.i64++);
    CHECK_COUNTS(value.u32++);
    CHECK_COUNTS(value.u64++);
    CHECK_COUNTS(value.f32++);
    CHECK_COUNTS(value.f64++);
    CHECK_COUNTS(value.flag = false);
    CHECK_COUNTS(value.text[0] = 'T');
    CHECK_COUNTS(value.text[3] = '\0');
    CHECK_COUNTS(memset(value.text, 'x', sizeof value.text)); // no zero at its end
    CHECK_COUNTS(value.other.bits++);
    CHECK_COUNTS(value.inner[0].a++);
    CHECK_COUNTS(value.inner[1].b++);
    CHECK_COUNTS(value.mood = SAD);
    CHECK_COUNTS(value.numbers[0]++);
    CHECK_COUNTS(value.numbers[2]++);
    CHECK_COUNTS(value.numbers[0] = 16; value.numbers[1] = 15); // the order of elements
    CHECK_COUNTS(value.i32 = 7; value.u32 = (uint32_t)-4);      // and of fields
#undef CHECK_COUNTS
    fill(&value, 0);
    mica_set_value(world, e, type, &value, sizeof value);
    CHECK_EQUAL(hash, mica_world_hash(world));
}

TEST_WITH(fixture, f, names_handles_tags_and_type_names_count)
{
    mica_entity e = mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 2));
    uint64_t plain = mica_world_hash(f->world);
    mica_entity_set_name(f->world, e, "e");
    uint64_t named = mica_world_hash(f->world);
    CHECK(named != plain);
    mica_entity_set_name(f->world, e, NULL);
    CHECK_EQUAL(plain, mica_world_hash(f->world));
    mica_add(f->world, e, f->frozen);
    uint64_t frozen = mica_world_hash(f->world);
    CHECK(frozen != plain);
    mica_remove(f->world, e, f->frozen);
    mica_add(f->world, e, f->player);
    CHECK(frozen != mica_world_hash(f->world));
    mica_remove(f->world, e, f->player);
    CHECK_EQUAL(plain, mica_world_hash(f->world));
    // The same value under another type's name.
    mica_change(f->world, e, &MICA_VALUE(f->velocity, Velocity, 1, 2), 1, &f->position, 1);
    CHECK(plain != mica_world_hash(f->world));
    // The same content in the next generation.
    mica_despawn(f->world, e);
    mica_entity next = mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 2));
    CHECK_EQUAL(mica_entity_slot(e), mica_entity_slot(next));
    CHECK(plain != mica_world_hash(f->world));
}

TEST_WITH(fixture, f, two_entities_that_swap_their_values_change_the_hash)
{
    mica_entity a = mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 2));
    mica_entity b = mica_spawn(f->world, MICA_VALUE(f->position, Position, 3, 4));
    uint64_t hash = mica_world_hash(f->world);
    mica_set(f->world, a, MICA_VALUE(f->position, Position, 3, 4));
    mica_set(f->world, b, MICA_VALUE(f->position, Position, 1, 2));
    CHECK(hash != mica_world_hash(f->world));
}

TEST_WITH(test_world, t, a_type_without_fields_counts_by_its_bytes)
{
    mica_world *world = t->world;
    mica_type type =
        mica_type_register(world, &(mica_type_desc){.name = "Raw", .size = 3, .align = 1});
    mica_entity e = mica_spawn_values(world, NULL, 0);
    mica_set_value(world, e, type, "abc", 3);
    uint64_t hash = mica_world_hash(world);
    mica_set_value(world, e, type, "abd", 3);
    CHECK(hash != mica_world_hash(world));
    mica_set_value(world, e, type, "abc", 3);
    CHECK_EQUAL(hash, mica_world_hash(world));
}

static void the_digest_tells_rows_apart_that_the_hash_does_not(void)
{
    uint64_t hashes[2];
    uint64_t digests[2];
    uint64_t again[2];
    for (uint32_t i = 0; i < 2; i++) {
        fixture f;
        fixture_begin(&f);
        mica_entity a = mica_spawn_values(f.world, NULL, 0);
        mica_entity b = mica_spawn_values(f.world, NULL, 0);
        mica_set(f.world, i == 0 ? a : b, MICA_VALUE(f.position, Position, i == 0 ? 1 : 2, 0));
        mica_set(f.world, i == 0 ? b : a, MICA_VALUE(f.position, Position, i == 0 ? 2 : 1, 0));
        hashes[i] = mica_world_hash(f.world);
        digests[i] = mica_world_digest(f.world);
        again[i] = mica_world_digest(f.world);
        fixture_end(&f);
    }
    CHECK_EQUAL(hashes[0], hashes[1]);
    CHECK(digests[0] != digests[1]);
    CHECK_EQUAL(digests[0], again[0]);
}

static void the_digest_is_the_same_for_the_same_history(void)
{
    uint64_t digests[2];
    for (uint32_t i = 0; i < 2; i++) {
        fixture f;
        fixture_begin(&f);
        for (int32_t n = 0; n < 9; n++) {
            mica_entity e = mica_spawn(f.world, MICA_VALUE(f.position, Position, (float)n, 0));
            if (n % 3 == 0) {
                mica_add(f.world, e, f.frozen);
            }
            if (n % 4 == 0) {
                mica_despawn(f.world, e);
            }
        }
        digests[i] = mica_world_digest(f.world);
        fixture_end(&f);
    }
    CHECK_EQUAL(digests[0], digests[1]);
}

// What will come of a world is in its digest: which slots will be used, and the order of iteration.
static void the_digest_sees_slots_that_are_retired(void)
{
    uint64_t digests[2];
    uint32_t next[2];
    for (uint32_t i = 0; i < 2; i++) {
        fixture f;
        fixture_begin(&f);
        if (i == 1) {
            mica_entity last = mica_spawn_at(f.world, mica_entity_make(1, MICA_GENERATION_LAST));
            CHECK_EQUAL(MICA_OK, mica_despawn(f.world, last));
        }
        digests[i] = mica_world_digest(f.world);
        mica_spawn_values(f.world, NULL, 0);
        next[i] = mica_entity_slot(mica_spawn_values(f.world, NULL, 0));
        fixture_end(&f);
    }
    CHECK_EQUAL(1, next[0]);
    CHECK_EQUAL(2, next[1]);
    CHECK(digests[0] != digests[1]);
}

static void the_digest_sees_tables_without_rows(void)
{
    uint64_t digests[3];
    mica_entity first[3];
    for (uint32_t i = 0; i < 3; i++) {
        fixture f;
        fixture_begin(&f);
        mica_bundle a = mica_bundle_new(f.world, i == 0 ? &f.position : &f.frozen, 1);
        mica_bundle b = mica_bundle_new(f.world, i == 0 ? &f.frozen : &f.position, 1);
        if (i == 2) {
            mica_world_reclaim(f.world);
        }
        digests[i] = mica_world_digest(f.world);
        mica_spawn_bundle(f.world, i == 0 ? a : b, NULL, 0); // of position
        mica_spawn_bundle(f.world, i == 0 ? b : a, NULL, 0);
        mica_query all = mica_query_new(f.world, &(mica_query_desc){.everything = true});
        first[i] = mica_query_first(f.world, all);
        fixture_end(&f);
    }
    CHECK(!MICA_EQUAL(first[0], first[1]));
    CHECK(digests[0] != digests[1]);
    CHECK(digests[1] != digests[2]);
}

TEST_WITH(fixture, f, the_digest_sees_free_slots_generations_and_ticks)
{
    mica_entity a = mica_spawn(f->world, MICA_VALUE(f->position, Position, 1, 0));
    uint64_t hash = mica_world_hash(f->world);
    uint64_t digest = mica_world_digest(f->world);
    mica_despawn(f->world, mica_spawn_values(f->world, NULL, 0)); // a free slot, a generation on
    uint64_t freed = mica_world_digest(f->world);
    CHECK(digest != freed);
    mica_despawn(f->world, mica_spawn_values(f->world, NULL, 0));
    CHECK(freed != mica_world_digest(f->world));
    freed = mica_world_digest(f->world);
    f->world->view.tick++;
    CHECK(freed != mica_world_digest(f->world));
    freed = mica_world_digest(f->world);
    mica_get_mut(f->world, a, f->position); // stamps
    CHECK(freed != mica_world_digest(f->world));
    CHECK_EQUAL(hash, mica_world_hash(f->world));
    CHECK_EQUAL(0, mica_world_hash(NULL));
    CHECK_EQUAL(0, mica_world_digest(NULL));
}

TEST_WITH(test_world, t, without_memory_for_a_split_value_there_is_no_hash)
{
    mica_world *world = t->world;
    mica_type inner = MICA_REGISTER_SPLIT(world, Inner, a, b);
    mica_bundle bundle = mica_bundle_new(world, &inner, 1);
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 3, NULL, 0, NULL));
    t->error.blind = true; // who looks needs that memory, too
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONWARDS);
    CHECK(mica_world_digest(world) != 0); // which goes through strips
    CHECK_EQUAL(0, t->memory.refusals);
    CHECK_EQUAL(0, mica_world_hash(world));
    CHECK(t->memory.refusals > 0);
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, t->error.last.code);
    CHECK_EQUAL(1, test_error_clear(&t->error));
    CHECK(mica_world_hash(world) != 0);
}

// Types of all storages, with toggles and row stamps where they may be.
enum { TABLED, SPARSE, STABLE, SPLIT, RING, TAG, SPARSE_TAG, STORED };

static void register_stored(mica_world *world, mica_type types_out[STORED])
{
    static const char *const names[] = {"Tabled", "Sparse", "Stable",   "Split",
                                        "Ring",   "Tag",    "SparseTag"};
    mica_type inner = MICA_REGISTER(world, Inner, a, b);
    (void)inner;
    for (uint32_t i = 0; i < STORED; i++) {
        mica_type_desc desc = MICA_DESCRIBE(Inner, a, b);
        desc.c_type = NULL;
        desc.toggle = desc.row_stamps = true;
        if (i >= TAG) {
            desc = (mica_type_desc){.toggle = i == SPARSE_TAG};
        }
        desc.name = names[i];
        desc.stable = i == STABLE;
        desc.storage = i == SPARSE || i == STABLE || i == SPARSE_TAG ? MICA_SPARSE
                       : i == SPLIT                                  ? MICA_SPLIT
                       : i == RING                                   ? MICA_RING
                                                                     : MICA_TABLE;
        types_out[i] = mica_type_register(world, &desc);
        REQUIRE(!MICA_IS_NONE(types_out[i]));
    }
}

static void set_inner(mica_world *world, mica_entity e, mica_type type, int16_t a, int padding)
{
    Inner value;
    memset(&value, padding, sizeof value);
    value.a = a;
    value.b = a + 0.5;
    REQUIRE_EQUAL(MICA_OK, mica_set_value(world, e, type, &value, sizeof value));
}

// Entities with some of the types, holes among the stable ones, names, facets, a resource.
static void populate(mica_world *world, const mica_type types[STORED], int padding)
{
    mica_entity entities[40];
    for (uint32_t i = 0; i < 40; i++) {
        mica_entity e = entities[i] = mica_spawn_values(world, NULL, 0);
        for (uint32_t k = 0; k < STORED; k++) {
            if ((i * 5 + k * 3) % 4 != 0 && k < TAG) {
                set_inner(world, e, types[k], (int16_t)(i * 10 + k), padding);
            } else if ((i + k) % 3 == 0) {
                mica_add(world, e, types[k]);
            }
            if (k != TAG && (i + k) % 5 == 0 && mica_has(world, e, types[k])) {
                mica_disable(world, e, types[k]);
            }
        }
    }
    for (uint32_t i = 0; i < 40; i += 7) {
        mica_despawn(world, entities[i]);
    }
    mica_entity_set_name(world, entities[1], "one");
    mica_entity_set_name(world, entities[2], "two");
    mica_facet_add_values(world, entities[1], types[TAG], 5, NULL, 0);
    set_inner(world, mica_facet_add_values(world, entities[1], (mica_type){0}, 6, NULL, 0),
              types[SPLIT], 3, padding);
    mica_resource_set(world, MICA_VALUE(types[TABLED], Inner, 1, 2));
}

static uint64_t sum_of_entity(mica_world *world, const mica_type types[STORED], mica_entity e)
{
    const micai_registry *registry = &world->state->registry;
    uint64_t sum = micai_hash_alive(e);
    for (uint32_t k = 0; k < STORED; k++) {
        Inner value;
        if (mica_has(world, e, types[k])) {
            const micai_type *type = micai_registry_find(registry, types[k]);
            if (k < TAG) {
                REQUIRE(mica_load(world, e, types[k], &value, sizeof value));
            }
            bool on = k == TAG || mica_is_enabled(world, e, types[k]);
            sum += micai_hash_pair(registry, type, e, k < TAG ? &value : NULL, on);
        }
    }
    const char *name = mica_entity_name(world, e);
    sum += name ? micai_hash_name(e, micai_hash_text(name)) : 0;
    mica_entity owner = mica_facet_owner(world, e);
    mica_type component;
    uint32_t role;
    REQUIRE_EQUAL(MICA_OK, mica_facet_key(world, e, &component, &role));
    const micai_type *key = micai_registry_find(registry, component);
    return sum + (owner.bits != e.bits ? micai_hash_facet(e, owner, key, role) : 0);
}

// Which is what lets a hash be brought up to date by subtracting and adding terms.
TEST_WITH(test_world, t, the_hash_is_the_sum_of_its_terms)
{
    mica_world *world = t->world;
    mica_type types[STORED];
    register_stored(world, types);
    populate(world, types, 0);
    uint64_t sum = micai_hash_resource(&world->state->registry,
                                       micai_registry_find(&world->state->registry, types[TABLED]),
                                       mica_resource_get(world, types[TABLED]));
    uint32_t count = 0;
    for (mica_entity e = micai_slots_next(&world->state->slots, 0); e.bits;
         e = micai_slots_next(&world->state->slots, mica_entity_slot(e) + 1)) {
        sum += sum_of_entity(world, types, e);
        count++;
    }
    CHECK_EQUAL(40 - 6 + 2, count);
    CHECK_EQUAL(sum, mica_world_hash(world));
}

static void the_digest_does_not_see_padding_in_any_storage(void)
{
    uint64_t digests[2];
    for (uint32_t i = 0; i < 2; i++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type types[STORED];
        register_stored(world, types);
        populate(world, types, i == 0 ? 0 : 0xA5);
        digests[i] = mica_world_digest(world);
        test_world_end(&t);
    }
    CHECK_EQUAL(digests[0], digests[1]);
}

// Each value and flag, in a world that is not changed otherwise: by writes that leave no ticks.
TEST_WITH(test_world, t, the_digest_sees_every_value_in_every_storage)
{
    mica_world *world = t->world;
    mica_type types[STORED];
    register_stored(world, types);
    populate(world, types, 0);
    const uint64_t digest = mica_world_digest(world);
    uint32_t count = 0;
    for (mica_entity e = micai_slots_next(&world->state->slots, 0); e.bits;
         e = micai_slots_next(&world->state->slots, mica_entity_slot(e) + 1)) {
        for (uint32_t k = 0; k < TAG; k++) {
            const void *found = k == SPLIT                     ? NULL
                                : mica_has(world, e, types[k]) ? mica_get(world, e, types[k])
                                                               : NULL;
            if (found) {
                Inner *value = (Inner *)(uintptr_t)found;
                value->b += 1;
                REQUIRE(mica_world_digest(world) != digest);
                value->b -= 1;
                REQUIRE_EQUAL(digest, mica_world_digest(world));
                count++;
            }
        }
    }
    CHECK(count > 60);
}

// A split text: each character in a strip.
static void the_digest_sees_characters_up_to_the_end_of_a_split_text(void)
{
    typedef struct Word {
        int32_t n;
        char text[6];
    } Word;
    static const char *const texts[] = {"abc\0de", "abc\0xx", "abd\0de", "abcxde", "\0bcdef"};
    uint64_t digests[5];
    for (uint32_t i = 0; i < 5; i++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        const mica_field_info fields[] = {
            MICA_FIELD(Word, n), mica_field_with_strips(MICA_FIELD(Word, text), MICA_STRIPS_EACH)};
        mica_type_desc desc = MICA_DESCRIBE(Word);
        desc.fields = fields;
        desc.field_count = 2;
        desc.storage = MICA_SPLIT;
        mica_type type = mica_type_register(world, &desc);
        REQUIRE(!MICA_IS_NONE(type));
        Word word = {7, {0}};
        memcpy(word.text, texts[i], 6);
        mica_set_value(world, mica_spawn_values(world, NULL, 0), type, &word, sizeof word);
        digests[i] = mica_world_digest(world);
        test_world_end(&t);
    }
    CHECK_EQUAL(digests[0], digests[1]);
    for (uint32_t i = 2; i < 5; i++) {
        CHECK(digests[0] != digests[i]);
    }
}

TESTS(hash, an_empty_world_hashes_to_zero, equal_content_has_equal_hash_however_it_came_about,
      padding_does_not_count, every_field_counts, names_handles_tags_and_type_names_count,
      two_entities_that_swap_their_values_change_the_hash,
      a_type_without_fields_counts_by_its_bytes, the_digest_tells_rows_apart_that_the_hash_does_not,
      the_digest_is_the_same_for_the_same_history, the_digest_sees_slots_that_are_retired,
      the_digest_sees_tables_without_rows, the_digest_sees_free_slots_generations_and_ticks,
      without_memory_for_a_split_value_there_is_no_hash, the_hash_is_the_sum_of_its_terms,
      the_digest_does_not_see_padding_in_any_storage, the_digest_sees_every_value_in_every_storage,
      the_digest_sees_characters_up_to_the_end_of_a_split_text)
