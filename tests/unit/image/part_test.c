// Tests of parts of worlds, saved and loaded beside others.
#include "unit/image/cast.h"

#include <stdlib.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

// Who an entity is, whatever its handle, and whom it knows.
typedef struct Knot {
    mica_entity best;
    mica_entity others[2];
} Knot;

typedef struct Id {
    uint64_t number; // 0: of nobody
    mica_entity self;
    Knot knots[2];
} Id;

static const mica_storage ways[] = {MICA_TABLE, MICA_SPLIT, MICA_RING, MICA_SPARSE};

static mica_type add_id(mica_world *world, mica_storage storage)
{
    mica_type knot = MICA_REGISTER(world, Knot, best, others);
    const mica_field_info fields[] = {MICA_FIELD(Id, number), MICA_FIELD(Id, self),
                                      MICA_FIELD_STRUCT(Id, knots, knot)};
    return mica_type_register(world, &(mica_type_desc){.name = "Id",
                                                       .size = sizeof(Id),
                                                       .align = _Alignof(Id),
                                                       .storage = storage,
                                                       .fields = fields,
                                                       .field_count = 3});
}

static Id id_of(mica_world *world, mica_type id, mica_entity entity)
{
    Id value = {0};
    if (!MICA_IS_NONE(entity)) {
        REQUIRE(mica_load(world, entity, id, &value, sizeof value));
    }
    return value;
}

typedef struct entities {
    mica_entity list[2000];
    uint32_t count;
} entities;

// All that there are, facets included.
static void list_all(mica_world *world, entities *all)
{
    all->count = 0;
    for (mica_entity e = mica_entity_next(world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(world, e)) {
        if (MICA_EQUAL(mica_facet_owner(world, e), e)) {
            all->list[all->count++] = e;
        }
        for (mica_entity f = mica_facet_next(world, e, (mica_entity){0}); !MICA_IS_NONE(f);
             f = mica_facet_next(world, e, f)) {
            all->list[all->count++] = f;
        }
        REQUIRE(all->count < 1900);
    }
}

// Everybody gets a number, from `first` on, and knows somebody.
static void number_all(mica_world *world, mica_type id, uint64_t first, uint64_t seed)
{
    static entities all;
    list_all(world, &all);
    mica_entity dead = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, dead);
    for (uint32_t i = 0; i < all.count; i++) {
        Id value = {.number = first + i, .self = all.list[i]};
        mica_entity *whom = &value.knots[0].best;
        for (uint32_t k = 0; k < 6; k++) { // none, somebody who is dead, somebody
            uint64_t choice = cast_random(&seed);
            whom[k] = choice % 5 == 0   ? (mica_entity){0}
                      : choice % 5 == 1 ? dead
                                        : all.list[(choice >> 8) % all.count];
        }
        REQUIRE_EQUAL(MICA_OK, mica_set_value(world, all.list[i], id, &value, sizeof value));
    }
}

// Which of the entities of a world has a number; none if nobody has.
static mica_entity find_number(mica_world *world, mica_type id, const entities *all,
                               uint64_t number)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (mica_has(world, all->list[i], id) && id_of(world, id, all->list[i]).number == number) {
            return all->list[i];
        }
    }
    return (mica_entity){0};
}

static void compare_values(cast *a, mica_entity x, cast *b, mica_entity y, uint32_t type)
{
    if (type == CAST_TAG || type == CAST_MARK) {
        return;
    }
    if (type == CAST_TEXT) {
        const Text *one = mica_get(a->world, x, a->types[type]);
        const Text *other = mica_get(b->world, y, b->types[type]);
        CHECK_TEXT(one->text ? one->text : "", other->text ? other->text : "");
        return;
    }
    union {
        Sheet sheet;
        Vec2 pair;
    } one, other;
    uint32_t size = type == CAST_SHEET ? sizeof(Sheet) : sizeof(Vec2);
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    CHECK(mica_load(a->world, x, a->types[type], &one, size));
    CHECK(mica_load(b->world, y, b->types[type], &other, size));
    if (type == CAST_SHEET) { // its target is looked at elsewhere, and what is between is nothing
        CHECK(one.sheet.i64 == other.sheet.i64 && one.sheet.f64 == other.sheet.f64);
        CHECK(one.sheet.path[1].x == other.sheet.path[1].x && one.sheet.mood == other.sheet.mood);
        CHECK_TEXT(one.sheet.name, other.sheet.name);
    } else {
        CHECK_BYTES(&one, &other, sizeof(Vec2));
    }
}

static void compare_types(cast *a, mica_entity x, cast *b, mica_entity y)
{
    for (uint32_t type = 0; type < CAST_TYPES; type++) {
        bool has = mica_has(a->world, x, a->types[type]);
        REQUIRE_EQUAL(has, mica_has(b->world, y, b->types[type]));
        if (has) {
            compare_values(a, x, b, y, type);
        }
        if (has && mica_type_get_info(a->world, a->types[type])->toggle) {
            CHECK_EQUAL(mica_is_enabled(a->world, x, a->types[type]),
                        mica_is_enabled(b->world, y, b->types[type]));
        }
    }
}

// Whoever is in the part is known there by the same number; others are none. Returns how many.
static uint32_t compare_references(const Id *one, const Id *other, mica_world *a, mica_type id_a,
                                   mica_world *b, mica_type id_b, const entities *saved)
{
    uint32_t cut = 0;
    for (uint32_t k = 0; k < 6; k++) {
        mica_entity was = (&one->knots[0].best)[k];
        mica_entity is = (&other->knots[0].best)[k];
        bool in = false;
        for (uint32_t i = 0; i < saved->count; i++) {
            in = in || MICA_EQUAL(saved->list[i], was);
        }
        CHECK_EQUAL(in ? id_of(a, id_a, was).number : 0, id_of(b, id_b, is).number);
        cut += !in && !MICA_IS_NONE(was);
    }
    return cut;
}

static void compare_facets(cast *a, mica_type id_a, mica_entity x, cast *b, mica_type id_b,
                           mica_entity y)
{
    mica_entity g = (mica_entity){0};
    for (mica_entity f = mica_facet_next(a->world, x, (mica_entity){0}); !MICA_IS_NONE(f);
         f = mica_facet_next(a->world, x, f)) {
        g = mica_facet_next(b->world, y, g);
        REQUIRE(!MICA_IS_NONE(g));
        mica_type keys[2];
        uint32_t roles[2];
        CHECK_EQUAL(MICA_OK, mica_facet_key(a->world, f, &keys[0], &roles[0]));
        CHECK_EQUAL(MICA_OK, mica_facet_key(b->world, g, &keys[1], &roles[1]));
        CHECK_EQUAL(roles[0], roles[1]);
        CHECK_EQUAL(MICA_IS_NONE(keys[0]), MICA_IS_NONE(keys[1]));
        CHECK_EQUAL(id_of(a->world, id_a, f).number, id_of(b->world, id_b, g).number);
    }
    CHECK(MICA_IS_NONE(mica_facet_next(b->world, y, g)));
}

// The whole of one part: who of the first world is in it, and is now in the second.
static void compare(cast *a, mica_type id_a, const entities *saved, cast *b, mica_type id_b,
                    const mica_subset_stats *part)
{
    static entities there;
    uint32_t facets = 0;
    uint64_t cut = 0;
    list_all(b->world, &there);
    for (uint32_t i = 0; i < saved->count; i++) {
        mica_entity x = saved->list[i];
        const Id one = id_of(a->world, id_a, x);
        mica_entity y = find_number(b->world, id_b, &there, one.number);
        REQUIRE(!MICA_IS_NONE(y));
        const Id other = id_of(b->world, id_b, y);
        CHECK(MICA_EQUAL(y, other.self));
        compare_types(a, x, b, y);
        cut += compare_references(&one, &other, a->world, id_a, b->world, id_b, saved);
        const char *names[] = {mica_entity_name(a->world, x), mica_entity_name(b->world, y)};
        CHECK_TEXT(names[0] ? names[0] : "", names[1] ? names[1] : "");
        bool facet = !MICA_EQUAL(mica_facet_owner(a->world, x), x);
        facets += facet;
        if (!facet) {
            compare_facets(a, id_a, x, b, id_b, y);
        }
        Sheet sheet;
        if (mica_load(a->world, x, a->types[CAST_SHEET], &sheet, sizeof sheet)) {
            bool in = false;
            for (uint32_t k = 0; k < saved->count; k++) {
                in = in || MICA_EQUAL(saved->list[k], sheet.target);
            }
            cut += !in && !MICA_IS_NONE(sheet.target);
        }
    }
    CHECK_EQUAL(facets, part->facets);
    CHECK_EQUAL(saved->count - facets, part->entities);
    CHECK_EQUAL(cut, part->lost_references);
}

// Who a query matches, with facets of all that are none; facets come with their owners only.
static void list_matches(mica_world *world, mica_query query, entities *matches)
{
    static entities all;
    matches->count = 0;
    list_all(world, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        if (mica_query_contains(world, query, mica_facet_owner(world, all.list[i]))) {
            matches->list[matches->count++] = all.list[i];
        }
    }
}

static mica_query choose_query(cast *c, uint64_t seed)
{
    mica_type one = c->types[seed % CAST_TYPES];
    mica_type other = c->types[(seed / 3 + 1) % CAST_TYPES];
    uint32_t even = mica_type_get_info(c->world, one)->toggle ? MICA_INCLUDE_DISABLED : 0;
    const mica_query_desc descs[] = {
        {.everything = true},
        {.terms = {{one, MICA_WITH | even}}},
        {.terms = {{one, MICA_WITHOUT}}},
        {.terms = {{one, MICA_WITH}}, .no_facets = true},
        {.terms = {{one, MICA_ANY}, {MICA_EQUAL(one, other) ? c->score : other, MICA_ANY}}},
    };
    return mica_query_new(c->world, &descs[seed % 5]);
}

static void begin(cast *c, mica_type *id, uint64_t seed, bool otherwise)
{
    (otherwise ? cast_begin_otherwise : cast_begin)(c);
    *id = add_id(c->world, ways[seed % 4]);
}

// Names that the other has not.
static void clear_names(mica_world *world)
{
    static entities all;
    list_all(world, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        mica_entity_set_name(world, all.list[i], NULL);
    }
}

// Random worlds, in whatever storages, of which the one takes a part of the other.
static void a_part_of_a_world_joins_another(void)
{
    static entities saved, loaded;
    uint32_t most = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        cast a, b;
        mica_type id_a, id_b;
        mica_buffer image = {0};
        begin(&a, &id_a, seed, false);
        begin(&b, &id_b, seed / 4, seed % 2);
        cast_play(&a, seed, 20 * (uint32_t)seed);
        number_all(a.world, id_a, 1, seed);
        if (seed % 2 == 0) {
            cast_play(&b, seed + 1000, 300);
            clear_names(b.world);
        }
        number_all(b.world, id_b, 1000000, seed);
        uint64_t before = mica_world_hash(b.world);
        uint64_t digest = mica_world_digest(a.world);
        mica_query query = choose_query(&a, seed);
        list_matches(a.world, query, &saved);

        mica_subset_stats part, again;
        const mica_save_desc how = {.format = seed % 3 ? MICA_IMAGE_BINARY : MICA_IMAGE_JSON};
        REQUIRE_EQUAL(MICA_OK, mica_subset_save(a.world, query, &(mica_stream){.buffer = &image},
                                                &how, &part));
        CHECK_EQUAL(digest, mica_world_digest(a.world));
        REQUIRE_EQUAL(MICA_OK, mica_subset_load(b.world, &(mica_stream){.buffer = &image}, NULL,
                                                loaded.list, 2000, &again));
        CHECK_EQUAL(MICA_OK, mica_world_validate(b.world));
        CHECK_EQUAL(part.entities, again.entities);
        CHECK_EQUAL(0, again.lost_references); // they are none in the image
        again.lost_references = part.lost_references;
        compare(&a, id_a, &saved, &b, id_b, &again);
        most = part.entities > most ? part.entities : most;

        // Who was there before is as before.
        CHECK_EQUAL(MICA_OK, mica_despawn_many(b.world, loaded.list, again.entities));
        CHECK_EQUAL(before, mica_world_hash(b.world));
        CHECK_EQUAL(MICA_OK, mica_world_validate(b.world));
        mica_buffer_free(&image);
        cast_end(&a);
        cast_end(&b);
    }
    CHECK(most > 100);
}

// A few worlds by hand

typedef struct Link {
    mica_entity to;
} Link;

static mica_query query_of(mica_world *world, mica_type type)
{
    return mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_WITH}}});
}

static mica_entity spawn_link(mica_world *world, mica_type link, mica_entity to)
{
    return mica_spawn(world, MICA_VALUE(link, Link, to));
}

static mica_entity linked(mica_world *world, mica_type link, mica_entity entity)
{
    const Link *value = mica_get(world, entity, link);
    return value ? value->to : (mica_entity){0};
}

// Three in a ring and one that leads out of the part, in a buffer.
static void save_ring(mica_buffer *image, mica_image_format format, mica_subset_stats *stats_out)
{
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_type other = MICA_TAG(world, Other);
    mica_entity outside = mica_spawn(world, MICA_ADD(other));
    mica_entity e[4];
    e[0] = spawn_link(world, link, (mica_entity){0});
    e[1] = spawn_link(world, link, e[0]);
    e[2] = spawn_link(world, link, e[1]);
    mica_set(world, e[0], MICA_VALUE(link, Link, e[2]));
    e[3] = spawn_link(world, link, outside);
    mica_entity_set_name(world, e[0], "first");
    mica_entity_set_name(world, outside, "outside");
    REQUIRE_EQUAL(MICA_OK,
                  mica_subset_save(world, query_of(world, link), &(mica_stream){.buffer = image},
                                   &(mica_save_desc){.format = format}, stats_out));
    test_world_end(&t);
}

static void references_inside_follow_and_others_are_none(void)
{
    for (uint32_t format = 0; format < MICA_IMAGE_FORMAT_COUNT; format++) {
        test_world t;
        mica_buffer image = {0};
        mica_subset_stats part;
        save_ring(&image, (mica_image_format)format, &part);
        CHECK_EQUAL(4, part.entities);
        CHECK_EQUAL(1, part.lost_references);
        mica_world *world = test_world_begin(&t);
        mica_type link = MICA_REGISTER(world, Link, to);
        mica_entity own[2];
        own[0] = spawn_link(world, link, (mica_entity){0});
        own[1] = spawn_link(world, link, own[0]);
        mica_entity e[5] = {{0}};
        REQUIRE_EQUAL(MICA_OK,
                      mica_subset_load(world, &(mica_stream){.buffer = &image}, NULL, e, 5, &part));
        CHECK_EQUAL(4, part.entities);
        CHECK_EQUAL(0, part.lost_references);
        CHECK(MICA_IS_NONE(e[4]));
        CHECK(MICA_EQUAL(linked(world, link, e[0]), e[2]));
        CHECK(MICA_EQUAL(linked(world, link, e[1]), e[0]));
        CHECK(MICA_EQUAL(linked(world, link, e[2]), e[1]));
        CHECK(MICA_IS_NONE(linked(world, link, e[3])));
        CHECK(MICA_EQUAL(linked(world, link, own[1]), own[0]));
        CHECK(MICA_EQUAL(mica_entity_find(world, "first"), e[0]));
        CHECK_EQUAL(6, mica_entity_count(world));
        mica_buffer_free(&image);
        test_world_end(&t);
    }
}

static void a_part_is_an_image_of_its_own(void)
{
    test_world t;
    mica_buffer image = {0};
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    REQUIRE_EQUAL(MICA_OK, mica_world_load(world, &(mica_stream){.buffer = &image}, NULL));
    CHECK_EQUAL(4, mica_entity_count(world));
    mica_entity first = mica_entity_find(world, "first");
    CHECK_EQUAL(0, mica_entity_slot(first));
    mica_entity next = linked(world, link, first);
    CHECK(MICA_EQUAL(linked(world, link, linked(world, link, next)), first));
    CHECK_EQUAL(MICA_OK, mica_world_validate(world));
    mica_buffer_free(&image);
    test_world_end(&t);
}

// References that the image does not have, of the type's default, are the world's.
static void references_of_a_default_stay(void)
{
    typedef struct Pair {
        mica_entity to, home;
    } Pair;
    test_world t;
    mica_buffer image = {0};
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    mica_world *world = test_world_begin(&t);
    mica_entity home = mica_spawn_values(world, NULL, 0); // whose handle is also one of the part
    const Pair usual = {.home = home};
    mica_type_desc desc = MICA_DESCRIBE(Pair, to, home);
    desc.name = "Link";
    desc.default_value = &usual;
    mica_type pair = mica_type_register(world, &desc);
    mica_entity e[4];
    REQUIRE_EQUAL(MICA_OK,
                  mica_subset_load(world, &(mica_stream){.buffer = &image}, NULL, e, 4, NULL));
    const Pair *value = mica_get(world, e[1], pair);
    CHECK(MICA_EQUAL(value->home, home));
    CHECK(MICA_EQUAL(value->to, e[0]));
    mica_buffer_free(&image);
    test_world_end(&t);
}

// Somebody who was written into the text by hand leads nowhere.
static void references_that_lead_nowhere_are_cut_when_they_are_loaded(void)
{
    test_world t;
    mica_buffer image = {0};
    save_ring(&image, MICA_IMAGE_JSON, NULL);
    char *text = calloc(image.size + 1, 1);
    memcpy(text, image.data, image.size);
    char *to = strstr(text, "\"to\": \"2.0\""); // that of the first
    REQUIRE(to);
    to[7] = '9';
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_entity e[4];
    mica_subset_stats part;
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &(mica_stream){.data = text, .size = image.size},
                                            NULL, e, 4, &part));
    CHECK_EQUAL(1, part.lost_references);
    CHECK(MICA_IS_NONE(linked(world, link, e[0])));
    free(text);
    mica_buffer_free(&image);
    test_world_end(&t);
}

static void a_name_that_is_taken_is_an_error_or_dropped(void)
{
    test_world t;
    mica_buffer image = {0};
    mica_subset_stats part;
    mica_entity e[4];
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    const mica_stream stream = {.buffer = &image};
    mica_world *world = test_world_begin(&t);
    MICA_REGISTER(world, Link, to);
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &stream, NULL, e, 4, &part));
    CHECK_EQUAL(0, part.unnamed);
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_NAME, mica_subset_load(world, &stream, NULL, NULL, 0, NULL));
    CHECK_TEXT(
        "mica_subset_load: an entity here is called 'first' already; load it with drop_names, "
        "or rename one of them",
        t.error.last.sentence);
    test_error_clear(&t.error);
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK(MICA_EQUAL(mica_entity_find(world, "first"), e[0]));
    mica_entity more[4];
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &stream, &(mica_load_desc){.drop_names = true},
                                            more, 4, &part));
    CHECK_EQUAL(1, part.unnamed);
    CHECK_POINTER(NULL, mica_entity_name(world, more[0]));
    CHECK(MICA_EQUAL(mica_entity_find(world, "first"), e[0]));
    CHECK_EQUAL(8, mica_entity_count(world));
    mica_buffer_free(&image);
    test_world_end(&t);
}

// What the world hears

static struct {
    uint32_t spawned, added, set, entered;
    bool whole; // all were there when the first was reported of
} heard;

static void hear_spawn(const mica_observer_event *h)
{
    heard.spawned++;
    heard.whole = heard.whole && mica_entity_count(h->world) == 4;
}

static void hear_add(const mica_observer_event *h)
{
    (void)h;
    heard.added++;
}

static void hear_set(const mica_observer_event *h)
{
    const Link *value = h->value;
    heard.set += value != NULL;
    mica_add(h->later, h->entity, mica_type_find(h->world, "Seen"));
}

static void hear_enter(const mica_observer_event *h)
{
    (void)h;
    heard.entered++;
}

static void observers_are_reported_when_all_are_there(void)
{
    test_world t;
    mica_buffer image = {0};
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_type seen = MICA_TAG(world, Seen);
    mica_observer_new(world, &(mica_observer_desc){.events = MICA_ON_SPAWN, .call = hear_spawn});
    mica_observer_new(world,
                      &(mica_observer_desc){.type = link, .events = MICA_ON_ADD, .call = hear_add});
    mica_observer_new(world,
                      &(mica_observer_desc){.type = link, .events = MICA_ON_SET, .call = hear_set});
    mica_observer_new(world, &(mica_observer_desc){.query.terms = {{link, MICA_WITH}},
                                                   .events = MICA_ON_ENTER,
                                                   .call = hear_enter});
    memset(&heard, 0, sizeof heard);
    heard.whole = true;
    REQUIRE_EQUAL(MICA_OK,
                  mica_subset_load(world, &(mica_stream){.buffer = &image}, NULL, NULL, 0, NULL));
    CHECK_EQUAL(4, heard.spawned);
    CHECK_EQUAL(4, heard.added);
    CHECK_EQUAL(4, heard.set);
    CHECK_EQUAL(4, heard.entered);
    CHECK(heard.whole);
    CHECK_EQUAL(4, mica_query_count(world, query_of(world, seen))); // what they recorded is done
    mica_buffer_free(&image);
    test_world_end(&t);
}

static void what_is_loaded_has_changed_and_was_added_now(void)
{
    test_world t;
    mica_buffer image = {0};
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        mica_world *world = test_world_begin(&t);
        mica_type_desc desc = MICA_DESCRIBE(Link, to);
        desc.storage = ways[i];
        desc.row_stamps = true;
        mica_type link = mica_type_register(world, &desc);
        spawn_link(world, link, (mica_entity){0});
        mica_query changed =
            mica_query_new(world, &(mica_query_desc){.terms = {{link, MICA_READ | MICA_CHANGED}}});
        mica_query added =
            mica_query_new(world, &(mica_query_desc){.terms = {{link, MICA_READ | MICA_ADDED}}});
        for (uint32_t k = 0; k < 2; k++) {
            mica_iter it;
            mica_iter_begin(world, k ? changed : added, &it);
            while (mica_iter_next(&it)) {
            }
        }
        CHECK_EQUAL(0, mica_query_count(world, changed));
        REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &(mica_stream){.buffer = &image}, NULL, NULL,
                                                0, NULL));
        CHECK_EQUAL(4, mica_query_count(world, changed));
        CHECK_EQUAL(4, mica_query_count(world, added));
        CHECK_EQUAL(MICA_OK, mica_world_validate(world));
        test_world_end(&t);
    }
    mica_buffer_free(&image);
}

static void the_moment_of_a_query_that_is_saved_does_not_move(void)
{
    test_world t;
    mica_buffer image = {0};
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_query changed =
        mica_query_new(world, &(mica_query_desc){.terms = {{link, MICA_READ | MICA_CHANGED}}});
    spawn_link(world, link, (mica_entity){0});
    mica_subset_stats part;
    for (uint32_t i = 0; i < 2; i++) {
        REQUIRE_EQUAL(MICA_OK, mica_subset_save(world, changed, &(mica_stream){.buffer = &image},
                                                NULL, &part));
        CHECK_EQUAL(1, part.entities);
    }
    mica_buffer_free(&image);
    test_world_end(&t);
}

// Types

static void count_notes(mica_world *world, const mica_load_note *note, void *user)
{
    (void)world, (void)note;
    ++*(uint32_t *)user;
}

static void a_part_has_the_types_of_its_entities_and_no_others(void)
{
    test_world t;
    mica_buffer image = {0};
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    const mica_stream stream = {.buffer = &image};
    mica_world *world = test_world_begin(&t);
    mica_entity own = mica_spawn_values(world, NULL, 0);
    uint64_t digest = mica_world_digest(world);
    CHECK_EQUAL(MICA_ERROR_SCHEMA, mica_subset_load(world, &stream, NULL, NULL, 0, NULL));
    test_error_clear(&t.error);
    CHECK_EQUAL(digest, mica_world_digest(world));
    uint32_t notes = 0;
    mica_subset_stats part;
    const mica_load_desc drop = {
        .unknown = MICA_UNKNOWN_DROPPED, .listener = count_notes, .user = &notes};
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &stream, &drop, NULL, 0, &part));
    CHECK_EQUAL(1, notes);
    CHECK_EQUAL(4, part.entities);
    CHECK_EQUAL(0, test_type_count(world));
    mica_world_clear(world);
    const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT};
    mica_entity e[4];
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &stream, &keep, e, 4, NULL));
    CHECK_EQUAL(1, test_type_count(world));
    CHECK(MICA_EQUAL(linked(world, mica_type_find(world, "Link"), e[1]), e[0]));
    CHECK(!mica_alive(world, own));
    mica_buffer_free(&image);
    test_world_end(&t);
}

static void what_cannot_be_saved_matters_only_in_the_part(void)
{
    test_world t;
    mica_buffer image = {0};
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    for (uint32_t sparse = 0; sparse < 2; sparse++) {
        mica_type closed = mica_type_register(
            world, &(mica_type_desc){.name = sparse ? "Thing" : "Pointer",
                                     .size = 8,
                                     .align = 8,
                                     .storage = sparse ? MICA_SPARSE : MICA_TABLE});
        mica_entity with = spawn_link(world, link, (mica_entity){0});
        mica_entity alone = mica_spawn_values(world, NULL, 0);
        mica_add(world, alone, closed);
        mica_query query = query_of(world, link);
        const mica_stream stream = {.buffer = &image};
        CHECK_EQUAL(MICA_OK, mica_subset_save(world, query, &stream, NULL, NULL));
        mica_add(world, with, closed);
        CHECK_EQUAL(MICA_ERROR_TYPE, mica_subset_save(world, query, &stream, NULL, NULL));
        CHECK(strstr(t.error.last.sentence, sparse ? "mica_subset_save: 'Thing' has no fields"
                                                   : "mica_subset_save: 'Pointer' has no fields"));
        test_error_clear(&t.error);
        mica_remove(world, with, closed);
    }
    mica_buffer_free(&image);
    test_world_end(&t);
}

// Facets

static void a_facet_goes_with_its_owner_and_never_alone(void)
{
    test_world t, u;
    mica_buffer image = {0};
    mica_world *world = test_world_begin(&t);
    mica_world *other = test_world_begin(&u);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_type tag = MICA_TAG(world, Tag);
    mica_type role = MICA_TAG(world, Role);
    mica_entity owner = mica_spawn(world, MICA_ADD(tag));
    mica_entity lonely = mica_spawn_values(world, NULL, 0);
    mica_entity facet = mica_facet_add(world, owner, role, 1, MICA_VALUE(link, Link, owner));
    mica_facet_add(world, lonely, (mica_type){0}, 7, MICA_VALUE(link, Link, facet));
    mica_subset_stats part;
    const mica_stream stream = {.buffer = &image};
    // Only facets match, and their owners do not.
    REQUIRE_EQUAL(MICA_OK, mica_subset_save(world, query_of(world, link), &stream, NULL, &part));
    CHECK_EQUAL(0, part.entities + part.facets);
    REQUIRE_EQUAL(MICA_OK, mica_subset_save(world, query_of(world, tag), &stream, NULL, &part));
    CHECK_EQUAL(1, part.entities);
    CHECK_EQUAL(1, part.facets);
    CHECK_EQUAL(0, part.lost_references);
    const mica_load_desc keep = {.unknown = MICA_UNKNOWN_KEPT};
    mica_entity e[2] = {{0}};
    mica_spawn_values(other, NULL, 0);
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(other, &stream, &keep, e, 2, &part));
    CHECK_EQUAL(1, part.facets);
    CHECK(MICA_IS_NONE(e[1]));
    mica_entity found = mica_facet_find(other, e[0], mica_type_find(other, "Role"), 1);
    REQUIRE(mica_alive(other, found));
    CHECK(MICA_EQUAL(linked(other, mica_type_find(other, "Link"), found), e[0]));
    CHECK_EQUAL(MICA_OK, mica_world_validate(other));
    mica_buffer_free(&image);
    test_world_end(&t);
    test_world_end(&u);
}

// Whole worlds, and nothing at all

static void a_whole_world_can_be_loaded_beside_another(void)
{
    cast a, b;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_begin(&b);
    cast_play(&a, 5, 400);
    cast_play(&b, 6, 300);
    clear_names(b.world);
    mica_resource_set(b.world, MICA_VALUE(b.score, Vec2, 5, 5));
    cast_save(&a, &image);
    uint32_t before = mica_entity_count(b.world);
    mica_subset_stats part;
    REQUIRE_EQUAL(
        MICA_OK, mica_subset_load(b.world, &(mica_stream){.buffer = &image}, NULL, NULL, 0, &part));
    CHECK_EQUAL(mica_entity_count(a.world), part.entities);
    CHECK_EQUAL(before + part.entities, mica_entity_count(b.world));
    const Vec2 *score = mica_resource_get(b.world, b.score);
    CHECK(score && score->x == 5); // that of the image is left out
    CHECK_EQUAL(MICA_OK, mica_world_validate(b.world));
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

static void a_part_can_be_empty(void)
{
    test_world t;
    mica_buffer image = {0};
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_subset_stats part = {1, 1, 1, 1};
    const mica_stream stream = {.buffer = &image};
    REQUIRE_EQUAL(MICA_OK, mica_subset_save(world, query_of(world, link), &stream, NULL, &part));
    CHECK_EQUAL(0, part.entities);
    uint64_t digest = mica_world_digest(world);
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &stream, NULL, NULL, 0, &part));
    CHECK_EQUAL(0, part.entities);
    CHECK_EQUAL(digest, mica_world_digest(world));
    mica_buffer_free(&image);
    test_world_end(&t);
}

// Where the rows have come from is not seen in it.
static void a_part_does_not_depend_on_handles(void)
{
    mica_buffer images[2] = {{0}};
    for (uint32_t i = 0; i < 2; i++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type link = MICA_REGISTER(world, Link, to);
        for (uint32_t k = 0; k < 5 * i; k++) {
            mica_despawn(world, mica_spawn_values(world, NULL, 0));
            mica_spawn_values(world, NULL, 0);
        }
        mica_entity e = spawn_link(world, link, (mica_entity){0});
        spawn_link(world, link, e);
        REQUIRE_EQUAL(MICA_OK, mica_subset_save(world, query_of(world, link),
                                                &(mica_stream){.buffer = &images[i]}, NULL, NULL));
        test_world_end(&t);
    }
    REQUIRE_EQUAL(images[0].size, images[1].size);
    CHECK_BYTES(images[0].data, images[1].data, images[0].size);
    mica_buffer_free(&images[0]);
    mica_buffer_free(&images[1]);
}

static void new_entities_have_the_handles_that_the_world_gives_out_next(void)
{
    mica_buffer image = {0};
    mica_entity expected[4], e[4] = {{0}};
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    for (uint32_t load = 0; load < 2; load++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        MICA_REGISTER(world, Link, to);
        mica_entity own[3];
        for (uint32_t i = 0; i < 3; i++) {
            own[i] = mica_spawn_values(world, NULL, 0);
        }
        mica_despawn(world, own[2]);
        mica_despawn(world, own[0]);
        for (uint32_t i = 0; !load && i < 4; i++) {
            expected[i] = mica_spawn_values(world, NULL, 0);
        }
        if (load) { // no more are copied than there is room for
            REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &(mica_stream){.buffer = &image}, NULL,
                                                    e, 3, NULL));
        }
        test_world_end(&t);
    }
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(MICA_EQUAL(expected[i], e[i]));
    }
    CHECK(MICA_IS_NONE(e[3]));
    mica_buffer_free(&image);
}

static void handles_that_no_field_tells_of_are_as_they_were(void)
{
    test_world t;
    mica_buffer image = {0};
    mica_world *world = test_world_begin(&t);
    mica_type raw = mica_type_register(
        world, &(mica_type_desc){.name = "Raw", .size = 8, .align = 8, .plain = true});
    mica_spawn_values(world, NULL, 0);
    mica_entity one = mica_spawn_values(world, NULL, 0);
    mica_set_value(world, one, raw, &one, sizeof one);
    mica_subset_stats part;
    mica_entity e;
    const mica_stream stream = {.buffer = &image};
    REQUIRE_EQUAL(MICA_OK, mica_subset_save(world, query_of(world, raw), &stream, NULL, &part));
    CHECK_EQUAL(0, part.lost_references);
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &stream, NULL, &e, 1, &part));
    CHECK_EQUAL(0, part.lost_references);
    CHECK_BYTES(&one, mica_get(world, e, raw), sizeof one);
    mica_buffer_free(&image);
    test_world_end(&t);
}

// What it says of memory: 8 bytes for each that matches, and what is loaded twice.
static void parts_need_little_memory_beside(void)
{
    enum { COUNT = 50000 };
    test_world t;
    mica_buffer image = {0};
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_bundle bundle = mica_bundle_new(world, &link, 1);
    REQUIRE_EQUAL(MICA_OK, mica_spawn_many(world, bundle, COUNT, NULL, 0, NULL));
    mica_query query = query_of(world, link);
    size_t before = t.memory.peak_bytes = t.memory.bytes;
    const mica_stream stream = {.buffer = &image};
    REQUIRE_EQUAL(MICA_OK, mica_subset_save(world, query, &stream, NULL, NULL));
    CHECK(t.memory.peak_bytes - before < ((size_t)2 << 20) + COUNT * (size_t)9);
    CHECK_EQUAL(before, t.memory.bytes);
    REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &stream, NULL, NULL, 0, NULL));
    size_t more = t.memory.bytes - before;
    CHECK(t.memory.peak_bytes - t.memory.bytes < 2 * more);
    mica_buffer_free(&image);
    test_world_end(&t);
}

static void commands_that_wait_are_carried_out_before_parts(void)
{
    test_world t;
    mica_buffer image = {0};
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    mica_world *world = test_world_begin(&t);
    mica_type link = MICA_REGISTER(world, Link, to);
    mica_world *commands = mica_commands_new(world);
    mica_spawn_values(commands, NULL, 0);
    const mica_stream stream = {.buffer = &image};
    CHECK_EQUAL(MICA_ERROR_ITERATING,
                mica_subset_save(world, query_of(world, link), &stream, NULL, NULL));
    CHECK_TEXT("mica_subset_save: commands wait; apply them first, with mica_commands_apply",
               t.error.last.sentence);
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_subset_load(world, &stream, NULL, NULL, 0, NULL));
    test_error_clear(&t.error);
    CHECK_EQUAL(MICA_OK, mica_commands_apply(commands));
    CHECK_EQUAL(MICA_OK, mica_subset_load(world, &stream, NULL, NULL, 0, NULL));
    CHECK_EQUAL(MICA_ERROR_RECORDING, mica_subset_load(commands, &stream, NULL, NULL, 0, NULL));
    test_error_clear(&t.error);
    mica_buffer_free(&image);
    test_world_end(&t);
}

// Failures

static void a_world_without_enough_slots_stays_as_it_was(void)
{
    test_world t;
    mica_buffer image = {0};
    save_ring(&image, MICA_IMAGE_BINARY, NULL);
    test_world_prepare(&t);
    t.desc.max_entities = 5;
    mica_world *world = test_world_open(&t);
    MICA_REGISTER(world, Link, to);
    mica_spawn_values(world, NULL, 0);
    mica_entity two = mica_spawn_values(world, NULL, 0);
    uint64_t digest = mica_world_digest(world);
    const mica_stream stream = {.buffer = &image};
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_subset_load(world, &stream, NULL, NULL, 0, NULL));
    test_error_clear(&t.error);
    CHECK_EQUAL(digest, mica_world_digest(world));
    mica_despawn(world, two);
    CHECK_EQUAL(MICA_OK, mica_subset_load(world, &stream, NULL, NULL, 0, NULL));
    CHECK_EQUAL(5, mica_entity_count(world));
    test_world_end(&t);
    test_world_prepare(&t);
    t.desc.max_entities = 3; // which even one image is too large for
    world = test_world_open(&t);
    MICA_REGISTER(world, Link, to);
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_subset_load(world, &stream, NULL, NULL, 0, NULL));
    CHECK_EQUAL(MICA_ERROR_LIMIT, mica_world_load(world, &stream, NULL));
    CHECK(strstr(t.error.last.sentence, "an entity in slot 3, and this world has 3 slots at most"));
    test_error_clear(&t.error);
    mica_buffer_free(&image);
    test_world_end(&t);
}

static void a_part_that_is_damaged_leaves_the_world_as_it_was(void)
{
    cast a, b;
    mica_buffer image = {0};
    cast_begin(&a);
    cast_begin(&b);
    cast_play(&a, 21, 60);
    cast_play(&b, 22, 60);
    clear_names(b.world);
    mica_query all = mica_query_new(a.world, &(mica_query_desc){.everything = true});
    REQUIRE_EQUAL(MICA_OK,
                  mica_subset_save(a.world, all, &(mica_stream){.buffer = &image}, NULL, NULL));
    uint64_t digest = mica_world_digest(b.world);
    for (size_t size = 0; size < image.size; size++) {
        CHECK(mica_subset_load(b.world, &(mica_stream){.data = image.data, .size = size}, NULL,
                               NULL, 0, NULL) != MICA_OK);
        test_error_clear(&b.t.error);
        if (size % 64 == 0) {
            REQUIRE_EQUAL(digest, mica_world_digest(b.world));
        }
    }
    for (size_t i = 0; i < image.size; i += 3) {
        image.data[i] ^= 0x10;
        CHECK(mica_subset_load(b.world, &(mica_stream){.data = image.data, .size = image.size},
                               NULL, NULL, 0, NULL) != MICA_OK);
        image.data[i] ^= 0x10;
        test_error_clear(&b.t.error);
    }
    CHECK_EQUAL(digest, mica_world_digest(b.world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(b.world));
    mica_buffer_free(&image);
    cast_end(&a);
    cast_end(&b);
}

static void a_query_is_asked_for(void)
{
    test_world t;
    mica_buffer image = {0};
    mica_world *world = test_world_begin(&t);
    mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(MICA_ERROR_QUERY, mica_subset_save(world, (mica_query){0},
                                                   &(mica_stream){.buffer = &image}, NULL, NULL));
    test_error_clear(&t.error);
    CHECK_EQUAL(0, image.size);
    test_world_end(&t);
}

TESTS(part, a_part_of_a_world_joins_another, references_inside_follow_and_others_are_none,
      a_part_is_an_image_of_its_own, references_of_a_default_stay,
      references_that_lead_nowhere_are_cut_when_they_are_loaded,
      a_name_that_is_taken_is_an_error_or_dropped, observers_are_reported_when_all_are_there,
      what_is_loaded_has_changed_and_was_added_now,
      the_moment_of_a_query_that_is_saved_does_not_move,
      a_part_has_the_types_of_its_entities_and_no_others,
      what_cannot_be_saved_matters_only_in_the_part, a_facet_goes_with_its_owner_and_never_alone,
      a_whole_world_can_be_loaded_beside_another, a_part_can_be_empty,
      a_part_does_not_depend_on_handles, a_world_without_enough_slots_stays_as_it_was,
      a_part_that_is_damaged_leaves_the_world_as_it_was, a_query_is_asked_for,
      new_entities_have_the_handles_that_the_world_gives_out_next,
      handles_that_no_field_tells_of_are_as_they_were, parts_need_little_memory_beside,
      commands_that_wait_are_carried_out_before_parts)
