// The maps that transitions are kept in: finding, growing, dropping, making room.
#include <string.h>

#include "base/hash.h"
#include "runner/test.h"
#include "unit/store/table/fixture.h"

static micai_transition_map *map_of(fixture *f, micai_transition_kind kind)
{
    return &f->store.transitions.maps[kind];
}

static uint32_t places_of(const micai_transition_map *map)
{
    return UINT32_C(1) << (64 - map->shift);
}

static micai_transition **place_of(const micai_transition_map *map, const micai_transition *t)
{
    micai_transition **place = map->places;
    while (*place != t) {
        REQUIRE(place < map->places + places_of(map));
        place++;
    }
    return place;
}

static micai_transition **first_place_of(const micai_transition_map *map, const micai_transition *t)
{
    uint64_t hash = t->source ? t->source->hash : 0;
    bool list = t->kind >= MICAI_TRANSITION_LIST; // the keys of which are of numbers
    return map->places + (list ? micai_transition_place(map, 0, t->key ^ hash)
                               : micai_transition_place(map, t->key, hash));
}

static micai_transition *peek(fixture *f, const micai_transition *t)
{
    micai_transitions *all = &f->store.transitions;
    return t->source ? micai_transition_peek(all, t->kind, t->key, t->source)
                     : micai_transition_peek_spawn(all, t->key);
}

static micai_transition *seek(fixture *f, const micai_transition *t)
{
    return micai_transition_seek(&f->store.transitions, t->kind, t->key, t->source);
}

TEST_WITH(fixture, f, nothing_is_found_in_empty_maps)
{
    for (uint32_t k = 0; k < MICAI_TRANSITION_KINDS; k++) {
        const micai_transition wanted = {.kind = (uint8_t)k,
                                         .key = k,
                                         .source =
                                             k == MICAI_TRANSITION_SPAWN ? NULL : f->store.root};
        CHECK_POINTER(NULL, seek(f, &wanted));
        if (k != MICAI_TRANSITION_SPAWN) { // which has a key, and steps to be compared
            CHECK_POINTER(NULL, peek(f, &wanted));
        }
    }
    micai_transitions_drop_unpinned(&f->store);
    micai_transitions_drop_dying(&f->store);
    micai_transitions_update(&f->store, NULL);
    CHECK_EQUAL(0, fixture_transitions(f));
    CHECK_EQUAL(0, micai_transitions_count_pins(&f->store));
}

// So many that some have to slice their first place. Each is found; when it is looked for, it moves there.
TEST_WITH(fixture, f, many_transitions_are_all_found_also_those_that_collide)
{
    for (uint32_t number = TYPES; number < 10; number++) {
        fixture_register(f, number, 0);
    }
    enum { BITS = 1 << 8 };
    static micai_transition *all[BITS * 10];
    uint32_t count = 0;
    for (uint64_t bits = 0; bits < BITS; bits++) {
        for (uint32_t number = 0; number < 10; number++) {
            if (!(bits & BIT(number))) {
                all[count] = fixture_one(f, fixture_table(f, bits), number, false);
                REQUIRE(all[count] != NULL);
                count++;
            }
        }
    }
    const micai_transition_map *map = map_of(f, MICAI_TRANSITION_ADD);
    CHECK_EQUAL(count, map->count);
    CHECK(count * 4 <= places_of(map));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    uint32_t second = 0;
    uint32_t further = 0;
    for (uint32_t i = 0; i < count; i++) {
        ptrdiff_t behind = place_of(map, all[i]) - first_place_of(map, all[i]);
        CHECK_POINTER(behind == 0 || behind == 1 ? all[i] : NULL, peek(f, all[i]));
        second += behind == 1;
        further += behind != 0 && behind != 1;
    }
    CHECK(second > 0 && further > 0);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_POINTER(all[i], seek(f, all[i]));
        CHECK_POINTER(all[i], *first_place_of(map, all[i]));
        CHECK_POINTER(all[i], peek(f, all[i]));
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
}

// The same types in another order, or cut elsewhere into what is added and what is removed, are another list.
TEST_WITH(fixture, f, another_order_is_another_list)
{
    micai_table *a = fixture_table(f, BIT(A) | BIT(TAG_3));
    const uint32_t one[] = {B, E, A};
    const uint32_t other[] = {E, B, A};
    const micai_transition *lists[] = {fixture_list(f, a, one, 3, 3),
                                       fixture_list(f, a, other, 3, 3),
                                       fixture_list(f, a, one, 2, 3),
                                       fixture_list(f, a, other, 2, 3),
                                       fixture_list(f, a, one, 2, 2),
                                       fixture_list(f, a, one, 1, 2),
                                       fixture_list(f, NULL, one, 2, 2),
                                       fixture_list(f, NULL, other, 2, 2),
                                       fixture_list(f, f->store.root, one, 2, 2)};
    for (uint32_t i = 0; i < 9; i++) {
        for (uint32_t k = 0; k < i; k++) {
            CHECK(lists[i] != lists[k]);
        }
        CHECK_POINTER(lists[i], seek(f, lists[i]));
    }
    CHECK_POINTER(lists[0]->target, lists[1]->target);
    CHECK_POINTER(lists[6]->target, lists[7]->target);
    CHECK_POINTER(lists[2], fixture_list(f, a, one, 2, 3));
    CHECK_EQUAL(9, fixture_transitions(f));
}

// Keys are rotated by 7 bits for each type, so that after 64 types one has its bits where it began.
static void two_lists_of_one_key_are_two_transitions(void)
{
    enum { MANY = 65 };
    fixture f;
    fixture_begin(&f);
    uint32_t lists[2][MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        if (i >= TYPES) {
            fixture_register(&f, i, 0);
        }
        lists[0][i] = lists[1][i] = i;
    }
    lists[1][0] = MANY - 1;
    lists[1][MANY - 1] = 0;
    micai_table *sources[] = {f.store.root, NULL};
    for (uint32_t s = 0; s < 2; s++) {
        micai_transition *both[2];
        for (uint32_t i = 0; i < 2; i++) {
            both[i] = fixture_list(&f, sources[s], lists[i], MANY, MANY);
            REQUIRE(both[i] != NULL);
        }
        CHECK(both[0] != both[1]);
        CHECK_EQUAL(both[0]->key, both[1]->key);
        CHECK_POINTER(both[0]->target, both[1]->target);
        for (uint32_t i = 0; i < 4; i++) { // the one that was looked for last is found first
            CHECK_POINTER(both[i % 2], fixture_list(&f, sources[s], lists[i % 2], MANY, MANY));
            CHECK_POINTER(both[i % 2], peek(&f, both[i % 2]));
            CHECK_POINTER(both[i % 2], seek(&f, both[i % 2]));
        }
        CHECK_EQUAL(2, map_of(&f, (micai_transition_kind)both[0]->kind)->count);
    }
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
    fixture_end(&f);
}

// Room

// The orders of five types, one after the other: each is a list of its own, and all lead to one table.
enum { ORDERS = 120, ORDERED = 5 };

static void order(uint32_t number, uint32_t list_out[ORDERED])
{
    uint32_t rest[ORDERED] = {TAG_0, A, B, TAG_3, E};
    for (uint32_t i = 0; i < ORDERED; i++) {
        uint32_t at = number % (ORDERED - i);
        number /= ORDERED - i;
        list_out[i] = rest[at];
        rest[at] = rest[ORDERED - i - 1];
    }
}

static void lists_beyond_the_limit_make_room_and_pinned_ones_stay(void)
{
    for (uint32_t spawn = 0; spawn < 2; spawn++) {
        fixture f;
        fixture_begin(&f);
        micai_table *source = spawn ? NULL : f.store.root;
        const micai_transition *one = fixture_one(&f, f.store.root, B, false);
        const micai_transition_map *map =
            map_of(&f, spawn ? MICAI_TRANSITION_SPAWN : MICAI_TRANSITION_LIST);
        micai_transition *pinned[3] = {0};
        for (uint32_t i = 0; i < 2 * ORDERS; i++) {
            uint32_t list[ORDERED];
            order(i % ORDERS, list);
            micai_transition *t = fixture_list(&f, source, list, ORDERED, ORDERED);
            REQUIRE(t != NULL);
            CHECK_POINTER(t, seek(&f, t)); // the one that was built last is there
            if (i < 30 && i % 10 == 0) {
                t->pins = 1;
                pinned[i / 10] = t;
            }
            uint32_t limit = MICAI_TRANSITION_LISTS + 4 * f.store.tables.count;
            CHECK_EQUAL(i < limit ? i + 1 : limit, map->count);
            CHECK_EQUAL(MICA_OK, micai_store_validate(&f.store));
        }
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t list[ORDERED];
            order(10 * i, list);
            CHECK_POINTER(pinned[i], fixture_list(&f, source, list, ORDERED, ORDERED));
        }
        CHECK_POINTER(one, fixture_one(&f, f.store.root, B, false));
        CHECK_EQUAL(3, micai_transitions_count_pins(&f.store));
        micai_transitions_drop_unpinned(&f.store);
        CHECK_EQUAL(3, fixture_transitions(&f));
        fixture_end(&f);
    }
}

TEST_WITH(fixture, f, pinned_lists_may_be_more_than_the_limit)
{
    for (uint32_t i = 0; i < ORDERS; i++) {
        uint32_t list[ORDERED];
        order(i, list);
        fixture_list(f, NULL, list, ORDERED, ORDERED)->pins = 1;
    }
    CHECK_EQUAL(ORDERS, fixture_transitions(f));
    CHECK_EQUAL(ORDERS, micai_transitions_count_pins(&f->store));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
}

TEST_WITH(fixture, f, a_spawn_into_promised_rows_keeps_no_transition)
{
    micai_table *ab = fixture_table(f, BIT(A) | BIT(B));
    const uint32_t list[] = {B, A};
    REQUIRE_EQUAL(MICA_OK, micai_table_reserve(&f->store, ab, 3));
    ab->promised = 3;
    size_t blocks = f->t.memory.blocks;
    const micai_transition *t = fixture_list(f, NULL, list, 2, 2);
    REQUIRE(t != NULL);
    CHECK(micai_transition_is_fast(t) && t->target == ab && t->step_count == 2);
    CHECK_EQUAL(0, fixture_transitions(f));
    CHECK_EQUAL(blocks + 1, f->t.memory.blocks); // of scratch memory
    CHECK_POINTER(NULL, seek(f, t));
    CHECK(fixture_one(f, ab, A, true) != NULL && fixture_to(f, ab, BIT(E)) != NULL);
    CHECK_EQUAL(2, fixture_transitions(f)); // changes are kept

    const micai_type *types[] = {f->registry.list.items[B], f->registry.list.items[A]};
    const micai_list both = {types, 2, 2};
    CHECK_POINTER(NULL, micai_transition_find(&f->store, MICAI_TRANSITION_SPAWN, NULL, &both));
    const micai_transition *kept =
        micai_transition_list(&f->store, NULL, &both, &f->scratch, true); // for a bundle to pin
    CHECK_EQUAL(3, fixture_transitions(f));
    CHECK_POINTER(kept, micai_transition_find(&f->store, MICAI_TRANSITION_SPAWN, NULL, &both));
    CHECK_POINTER(kept, fixture_list(f, NULL, list, 2, 2)); // what is there is found
    ab->promised = 0;
    CHECK(fixture_list(f, NULL, (uint32_t[]){A, B}, 2, 2) != NULL);
    CHECK_EQUAL(4, fixture_transitions(f));
}

TEST_WITH(fixture, f, reclaiming_drops_transitions_that_no_bundle_has_pinned)
{
    micai_table *a = fixture_table(f, BIT(A));
    const micai_transition *add = fixture_one(f, a, B, false);
    micai_transition *spawn = fixture_list(f, NULL, (uint32_t[]){B, E}, 2, 2);
    micai_transition *empty = fixture_list(f, NULL, (uint32_t[]){TAG_0}, 1, 1);
    fixture_spawn(f, a, 1);
    fixture_spawn(f, add->target, 2);
    fixture_spawn(f, spawn->target, 3);
    REQUIRE(fixture_to(f, a, BIT(B) | BIT(E)) != NULL);
    spawn->pins = 2;
    empty->pins = 1; // its table has no rows, and goes nevertheless
    CHECK_EQUAL(4, fixture_transitions(f));
    CHECK_EQUAL(3, micai_transitions_count_pins(&f->store));
    fixture_reclaim(f);
    CHECK_EQUAL(1, fixture_transitions(f));
    CHECK_POINTER(spawn, fixture_list(f, NULL, (uint32_t[]){B, E}, 2, 2));
    CHECK_EQUAL(2, micai_transitions_count_pins(&f->store));
    spawn->pins = 0;
    fixture_reclaim(f);
    CHECK_EQUAL(0, fixture_transitions(f));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
}

// Storages are changed below, as if by a call: what is spawned leads elsewhere then.
TEST_WITH(fixture, f, a_spawn_is_refreshed_when_types_are_kept_in_other_ways)
{
    micai_transition *t = fixture_list(f, NULL, (uint32_t[]){B, A}, 2, 2);
    CHECK(micai_transition_refresh(&f->store, t));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
    micai_type *b = f->registry.list.items[B];
    b->info.storage = MICA_SPARSE;
    CHECK(!micai_transition_refresh(&f->store, t));
    CHECK(t->steps[0].sparse && !t->steps[0].column && t->steps[1].column);
    b->info.storage = MICA_TABLE;
    t->steps[1].fill.strip++;
    t->fast_paths = 0;
    CHECK(micai_transition_refresh(&f->store, t));
    CHECK(micai_transition_is_fast(t));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&f->store));
}

// Random

enum { KEPT = 400, LISTED = 3, SOURCES = 40, STEPS = 6000 };

typedef struct kept {
    const micai_transition *t;
    micai_transition_kind kind;
    micai_table *source;
    const micai_type *types[LISTED];
    micai_list list;
} kept;

typedef struct lab {
    fixture f;
    micai_table *sources[SOURCES];
    kept list[KEPT];
    uint32_t count;
    uint64_t random;
} lab;

static uint32_t draw(lab *l, uint32_t below)
{
    l->random = micai_hash_mix(l->random + 1);
    return (uint32_t)(l->random >> 32) % below;
}

static void draw_list(lab *l, kept *k)
{
    uint32_t numbers[TYPES];
    for (uint32_t i = 0; i < TYPES; i++) {
        numbers[i] = i;
    }
    k->list = (micai_list){.count = k->kind < MICAI_TRANSITION_LIST ? 1 : 1 + draw(l, LISTED)};
    for (uint32_t i = 0; i < k->list.count; i++) {
        uint32_t at = i + draw(l, TYPES - i);
        k->types[i] = l->f.registry.list.items[numbers[at]];
        numbers[at] = numbers[i];
    }
    uint32_t number = k->types[0]->number;
    if (k->kind == MICAI_TRANSITION_LIST) {
        k->list.given_count = draw(l, k->list.count + 1);
    } else if (k->kind == MICAI_TRANSITION_SPAWN) {
        k->list.given_count = k->list.count;
    } else { // what makes a difference
        k->kind =
            micai_table_has(k->source, number) ? MICAI_TRANSITION_REMOVE : MICAI_TRANSITION_ADD;
        k->list.given_count = k->kind == MICAI_TRANSITION_ADD;
    }
}

static kept *find_kept(lab *l, const kept *wanted)
{
    for (uint32_t i = 0; i < l->count; i++) {
        kept *k = &l->list[i];
        bool same = k->kind == wanted->kind && k->source == wanted->source &&
                    k->list.count == wanted->list.count &&
                    k->list.given_count == wanted->list.given_count;
        if (same && memcmp(k->types, wanted->types, k->list.count * sizeof *k->types) == 0) {
            return k;
        }
    }
    return NULL;
}

static const micai_transition *find_again(lab *l, kept *k)
{
    k->list.types = k->types;
    return micai_transition_find(&l->f.store, k->kind, k->source, &k->list);
}

static void insert(lab *l)
{
    kept k = {.kind = (micai_transition_kind)draw(l, MICAI_TRANSITION_KINDS)};
    k.source = k.kind == MICAI_TRANSITION_SPAWN ? NULL : l->sources[draw(l, SOURCES)];
    draw_list(l, &k);
    const kept *there = find_kept(l, &k);
    CHECK_POINTER(there ? there->t : NULL, find_again(l, &k));
    if (l->count == KEPT) {
        return;
    }
    k.t = k.kind < MICAI_TRANSITION_LIST
              ? micai_transition_one(&l->f.store, k.source, k.types[0],
                                     k.kind == MICAI_TRANSITION_REMOVE)
              : micai_transition_list(&l->f.store, k.source, &k.list, &l->f.scratch, false);
    REQUIRE(k.t != NULL);
    CHECK(!there || there->t == k.t);
    if (!there) {
        l->list[l->count++] = k;
    }
}

// Those from and to a table go, as when it is reclaimed.
static void drop_table(lab *l)
{
    micai_table *dying = l->sources[draw(l, SOURCES)];
    for (uint32_t i = 0; i < l->count;) {
        const micai_transition *t = l->list[i].t;
        bool stays = t->source != dying && t->target != dying;
        l->list[i] = stays ? l->list[i] : l->list[l->count - 1];
        stays ? i++ : l->count--;
    }
    dying->dying = true;
    micai_transitions_drop_dying(&l->f.store);
    dying->dying = false;
}

static void check_all_found(lab *l)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        wrong += find_again(l, &l->list[i]) != l->list[i].t;
        wrong += peek(&l->f, l->list[i].t) != l->list[i].t; // it has moved to its first place
    }
    CHECK_EQUAL(0, wrong);
    CHECK_EQUAL(l->count, fixture_transitions(&l->f));
    CHECK_EQUAL(MICA_OK, micai_store_validate(&l->f.store));
}

static void what_is_kept_and_dropped_at_random_is_what_a_list_says(void)
{
    static lab l;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        memset(&l, 0, sizeof l);
        l.random = seed;
        fixture_begin(&l.f);
        for (uint32_t i = 0; i < SOURCES; i++) {
            l.sources[i] = fixture_table(&l.f, 3 * i);
        }
        for (uint32_t step = 0; step < STEPS; step++) {
            if (draw(&l, 40) == 0) {
                drop_table(&l);
            } else {
                insert(&l);
            }
            if (step % 200 == 0) {
                check_all_found(&l);
            }
        }
        check_all_found(&l);
        micai_transitions_drop_unpinned(&l.f.store);
        CHECK_EQUAL(0, fixture_transitions(&l.f));
        fixture_end(&l.f);
    }
}

// Validation

// G8
TEST_WITH(fixture, f, validate_finds_a_transition_that_is_not_found_once)
{
    const micai_transition *t = fixture_one(f, f->store.root, A, false);
    micai_transition_map *map = map_of(f, MICAI_TRANSITION_ADD);
    map->count++;
    CHECK_BROKEN(f, "G8");
    map->count--;
    micai_transition **place = place_of(map, t);
    micai_transition **other = map->places + (place == map->places ? 2 : 0);
    micai_transition *none = *other;
    *other = *place; // twice
    CHECK_BROKEN(f, "G8");
    *place = none; // not where it is looked for
    CHECK_BROKEN(f, "G8");
    *place = *other;
    *other = none;
    map_of(f, MICAI_TRANSITION_REMOVE)->count++;
    CHECK_BROKEN(f, "G8");
    map_of(f, MICAI_TRANSITION_REMOVE)->count--;
    const micai_transition_map adds = *map;
    *map = *map_of(f, MICAI_TRANSITION_REMOVE);
    *map_of(f, MICAI_TRANSITION_REMOVE) = adds; // the map of another kind
    CHECK_BROKEN(f, "G2");
    *map_of(f, MICAI_TRANSITION_REMOVE) = *map;
    *map = adds;
}

TESTS(transition_map, nothing_is_found_in_empty_maps,
      many_transitions_are_all_found_also_those_that_collide, another_order_is_another_list,
      two_lists_of_one_key_are_two_transitions,
      lists_beyond_the_limit_make_room_and_pinned_ones_stay,
      pinned_lists_may_be_more_than_the_limit, a_spawn_into_promised_rows_keeps_no_transition,
      reclaiming_drops_transitions_that_no_bundle_has_pinned,
      a_spawn_is_refreshed_when_types_are_kept_in_other_ways,
      what_is_kept_and_dropped_at_random_is_what_a_list_says,
      validate_finds_a_transition_that_is_not_found_once)
