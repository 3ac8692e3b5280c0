// Rows, entities, observers and events whose number is around a full word of 64 bits.
#include "boundary/boundary.h"

#include <stdlib.h>
#include <string.h>

// Entities 0 to n - 1, each with its number, of a type that has a toggle and row stamps.
typedef struct crowd {
    test_world t;
    mica_world *world;
    mica_type number;
    uint32_t count;
    mica_entity entities[BOUNDARY_MOST];
} crowd;

static mica_type register_number(mica_world *world, mica_storage storage)
{
    const mica_field_info field = {.name = "n", .kind = MICA_KIND_U32, .size = 4, .count = 1};
    return mica_type_register(world, &(mica_type_desc){.name = "Number",
                                                       .size = 4,
                                                       .align = 4,
                                                       .fields = &field,
                                                       .field_count = 1,
                                                       .toggle = true,
                                                       .row_stamps = true,
                                                       .storage = storage});
}

static void crowd_begin(crowd *c, uint32_t n, mica_storage storage)
{
    c->world = test_world_begin(&c->t);
    c->number = register_number(c->world, storage);
    c->count = n;
    for (uint32_t i = 0; i < n; i++) {
        c->entities[i] = mica_spawn(c->world, MICA_COPY_OF(c->number, i));
    }
}

static const mica_storage storages[] = {MICA_TABLE, MICA_SPLIT, MICA_RING, MICA_SPARSE};
enum { STORAGES = sizeof storages / sizeof *storages };

#define EACH_CROWD(c, n)                                                                           \
    for (uint32_t s_ = 0; s_ < STORAGES; s_++)                                                     \
        for (uint32_t k_ = 0; k_ < BOUNDARY_COUNTS; k_++)                                          \
            for (uint32_t n = boundary_counts[k_], once_ = 1;                                      \
                 once_ && (crowd_begin(c, n, storages[s_]), true);                                 \
                 once_ = 0, test_world_end(&(c)->t))

// Which entities a query visits, as marks by their place in the crowd.
static void visit(crowd *c, mica_query query, bool *seen_out)
{
    mica_iter it;
    memset(seen_out, 0, BOUNDARY_MOST * sizeof *seen_out);
    REQUIRE_EQUAL(MICA_OK, mica_iter_begin(c->world, query, &it));
    while (mica_iter_next(&it)) {
        for (uint32_t row = 0; row < it.count; row++) {
            uint32_t place = mica_entity_slot(it.entities[row]);
            REQUIRE(place < c->count && !seen_out[place]);
            seen_out[place] = true;
        }
    }
}

static bool is_third(uint32_t i, uint32_t n)
{
    (void)n;
    return i % 3 == 0;
}

static bool is_last(uint32_t i, uint32_t n)
{
    return i == n - 1;
}

static bool is_not_first(uint32_t i, uint32_t n)
{
    (void)n;
    return i > 0;
}

static bool is_any(uint32_t i, uint32_t n)
{
    (void)i;
    (void)n;
    return true;
}

typedef bool choice(uint32_t i, uint32_t n);
static choice *const choices[] = {is_third, is_last, is_not_first, is_any};
enum { CHOICES = sizeof choices / sizeof *choices };

// Are those visited that were chosen, or all others?
static void check_visited(crowd *c, mica_query query, choice *chosen, bool expected)
{
    bool seen[BOUNDARY_MOST];
    visit(c, query, seen);
    for (uint32_t i = 0; i < c->count; i++) {
        if (seen[i] != (chosen(i, c->count) == expected)) {
            test_fail(__FILE__, __LINE__, "%u of %u", (unsigned)i, (unsigned)c->count);
        }
    }
}

static void disabled_rows_are_passed_over(void)
{
    crowd c;
    EACH_CROWD(&c, n)
    {
        mica_query enabled =
            mica_query_new(c.world, &(mica_query_desc){.terms = {{c.number, MICA_WITH}}});
        mica_query disabled =
            mica_query_new(c.world, &(mica_query_desc){.terms = {{c.number, MICA_WITHOUT}}});
        for (uint32_t k = 0; k < CHOICES; k++) {
            for (uint32_t i = 0; i < n; i++) {
                CHECK_EQUAL(MICA_OK, choices[k](i, n)
                                         ? mica_disable(c.world, c.entities[i], c.number)
                                         : mica_enable(c.world, c.entities[i], c.number));
            }
            check_visited(&c, enabled, choices[k], false);
            check_visited(&c, disabled, choices[k], true);
            CHECK_VALID(c.world);
        }
    }
}

static void a_word_says_which_of_64_rows_are_enabled(void)
{
    crowd c;
    EACH_CROWD(&c, n)
    {
        mica_query query = mica_query_new(
            c.world, &(mica_query_desc){.terms = {{c.number, MICA_WITH | MICA_INCLUDE_DISABLED}}});
        for (uint32_t i = 0; i < n; i += 2) {
            CHECK_EQUAL(MICA_OK, mica_disable(c.world, c.entities[i], c.number));
        }
        mica_iter it;
        uint32_t rows = 0;
        REQUIRE_EQUAL(MICA_OK, mica_iter_begin(c.world, query, &it));
        while (mica_iter_next(&it)) {
            for (uint32_t first = 0; first < it.count; first += 64) {
                uint64_t word = mica_read_enabled(&it, 0, first);
                for (uint32_t i = 0; i < 64; i++) {
                    bool expected =
                        first + i < it.count && mica_entity_slot(it.entities[first + i]) % 2 == 1;
                    if ((word >> i & 1) != expected) {
                        test_fail(__FILE__, __LINE__, "%u of %u", (unsigned)(first + i),
                                  (unsigned)n);
                    }
                }
            }
            rows += it.count;
        }
        CHECK_EQUAL(n, rows);
    }
}

static void changed_rows_are_found(void)
{
    crowd c;
    EACH_CROWD(&c, n)
    {
        mica_query changed = mica_query_new(
            c.world, &(mica_query_desc){.terms = {{c.number, MICA_READ | MICA_CHANGED}}});
        for (uint32_t k = 0; k < CHOICES; k++) {
            bool seen[BOUNDARY_MOST];
            visit(&c, changed, seen);
            for (uint32_t i = 0; i < n; i++) {
                if (choices[k](i, n)) {
                    CHECK_EQUAL(MICA_OK,
                                mica_set_value(c.world, c.entities[i], c.number, &i, sizeof i));
                }
            }
            check_visited(&c, changed, choices[k], true);
            CHECK_VALID(c.world);
        }
    }
}

// The last rows fill the places of those that go.
static void rows_keep_their_values_where_others_go(void)
{
    crowd c;
    EACH_CROWD(&c, n)
    {
        for (uint32_t i = 0; i < n; i += 2) {
            REQUIRE_EQUAL(MICA_OK, mica_despawn(c.world, c.entities[i]));
        }
        for (uint32_t i = 1; i < n; i += 2) {
            uint32_t value;
            REQUIRE(mica_load(c.world, c.entities[i], c.number, &value, sizeof value));
            CHECK_EQUAL(i, value);
        }
        CHECK_VALID(c.world);
    }
}

// A storage is changed, which takes rows over in batches.
static void rows_keep_their_values_in_another_storage(void)
{
    crowd c;
    EACH_CROWD(&c, n)
    {
        for (uint32_t s = 0; s < STORAGES; s++) {
            REQUIRE_EQUAL(MICA_OK, mica_type_change_storage(c.world, c.number, storages[s]));
            for (uint32_t i = 0; i < n; i++) {
                uint32_t value;
                REQUIRE(mica_load(c.world, c.entities[i], c.number, &value, sizeof value));
                CHECK_EQUAL(i, value);
            }
            CHECK_VALID(c.world);
        }
    }
}

// A set of rows says who is in a part.
static void parts_have_the_entities_that_match(void)
{
    crowd c;
    EACH_CROWD(&c, n)
    {
        mica_query enabled =
            mica_query_new(c.world, &(mica_query_desc){.terms = {{c.number, MICA_WITH}}});
        for (uint32_t i = 0; i < n; i++) {
            if (!is_third(i, n) && !is_last(i, n)) {
                CHECK_EQUAL(MICA_OK, mica_disable(c.world, c.entities[i], c.number));
            }
        }
        mica_buffer image = {0};
        mica_subset_stats part;
        REQUIRE_EQUAL(MICA_OK, mica_subset_save(c.world, enabled, &(mica_stream){.buffer = &image},
                                                NULL, &part));
        uint32_t expected = (n + 2) / 3 + (n % 3 != 1);
        CHECK_EQUAL(expected, part.entities);
        test_world other;
        mica_world *world = test_world_begin(&other);
        mica_type number = register_number(world, MICA_TABLE);
        mica_entity loaded[BOUNDARY_MOST];
        REQUIRE_EQUAL(MICA_OK, mica_subset_load(world, &(mica_stream){.buffer = &image}, NULL,
                                                loaded, BOUNDARY_MOST, &part));
        REQUIRE_EQUAL(expected, part.entities);
        uint32_t sum = 0;
        for (uint32_t i = 0; i < expected; i++) {
            sum += *MICA_GET(world, loaded[i], number, uint32_t);
        }
        for (uint32_t i = 0; i < n; i++) {
            sum -= is_third(i, n) || is_last(i, n) ? i : 0;
        }
        CHECK_EQUAL(0, sum);
        CHECK_VALID(world);
        mica_buffer_free(&image);
        test_world_end(&other);
    }
}

static void an_accessor_finds_as_many_values(void)
{
    crowd c;
    EACH_CROWD(&c, n)
    {
        if (storages[s_] != MICA_SPLIT) { // whose values lie nowhere whole
            mica_accessor accessor = mica_accessor_new(c.world, c.number);
            const void *values[BOUNDARY_MOST];
            CHECK_EQUAL(n, mica_accessor_get_many(&accessor, c.entities, n, values));
            for (uint32_t i = 0; i < n; i++) {
                CHECK_EQUAL(i, *(const uint32_t *)values[i]);
            }
        }
        CHECK_VALID(c.world);
    }
}

static void many_entities_end_at_once(void)
{
    crowd c;
    EACH_CROWD(&c, n)
    {
        REQUIRE_EQUAL(MICA_OK, mica_despawn_many(c.world, c.entities, n - 1));
        CHECK_EQUAL(1, mica_entity_count(c.world));
        uint32_t value;
        CHECK(mica_load(c.world, c.entities[n - 1], c.number, &value, sizeof value));
        CHECK_EQUAL(n - 1, value);
        CHECK_VALID(c.world);
    }
}

static void entities_have_as_many_facets(void)
{
    EACH_COUNT(n)
    {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_entity owner = mica_spawn_values(world, NULL, 0);
        mica_entity facets[BOUNDARY_MOST];
        for (uint32_t i = 0; i < n; i++) {
            facets[i] = mica_facet_add_values(world, owner, (mica_type){0}, i + 1, NULL, 0);
        }
        mica_entity seen = (mica_entity){0};
        for (uint32_t i = 0; i < n; i++) {
            seen = mica_facet_next(world, owner, seen);
            CHECK_EQUAL(facets[i].bits, seen.bits);
            CHECK_EQUAL(seen.bits, mica_facet_find(world, owner, (mica_type){0}, i + 1).bits);
        }
        CHECK(MICA_IS_NONE(mica_facet_next(world, owner, seen)));
        CHECK_VALID(world);
        REQUIRE_EQUAL(MICA_OK, mica_despawn(world, owner));
        CHECK_EQUAL(0, mica_entity_count(world));
        test_world_end(&t);
    }
}

// Observers of queries: a bit for each says whether an entity matched.
typedef struct watch {
    uint32_t entered;
    uint32_t left;
} watch;

static void note(const mica_observer_event *h)
{
    watch *w = h->user;
    w->entered += h->kind == MICA_ON_ENTER;
    w->left += h->kind == MICA_ON_LEAVE;
}

static void as_many_observers_of_queries_see_who_enters_and_leaves(void)
{
    EACH_COUNT(n)
    {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type types[BOUNDARY_MOST];
        watch watches[BOUNDARY_MOST] = {{0, 0}};
        register_types(world, types, 0, n, MICA_TABLE);
        for (uint32_t i = 0; i < n; i++) {
            mica_observer observer = mica_observer_new(
                world, &(mica_observer_desc){.events = MICA_ON_ENTER | MICA_ON_LEAVE,
                                             .query.terms = {{types[i], MICA_READ}},
                                             .call = note,
                                             .user = &watches[i]});
            REQUIRE(!MICA_IS_NONE(observer));
        }
        mica_entity entity = mica_spawn(world, MICA_ADD(types[0]));
        REQUIRE_EQUAL(MICA_OK, mica_add(world, entity, types[n - 1]));
        REQUIRE_EQUAL(MICA_OK, test_add_types(world, entity, types, n));
        CHECK_VALID(world);
        REQUIRE_EQUAL(MICA_OK, mica_remove(world, entity, types[n - 1]));
        REQUIRE_EQUAL(MICA_OK, mica_despawn(world, entity));
        for (uint32_t i = 0; i < n; i++) {
            CHECK_EQUAL(1, watches[i].entered);
            CHECK_EQUAL(1, watches[i].left);
        }
        CHECK_VALID(world);
        test_world_end(&t);
    }
}

// Observers of one type that stay when others go are notified in the order of their creation.
typedef struct notified {
    uint32_t count;
    uint32_t order[BOUNDARY_MOST];
} notified;

static notified *all_notified;

static void note_order(const mica_observer_event *h)
{
    const uint32_t *number = h->user;
    all_notified->order[all_notified->count++] = *number;
}

static void observers_keep_their_order_when_others_go(void)
{
    EACH_COUNT(n)
    {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type type;
        mica_observer observers[BOUNDARY_MOST];
        uint32_t numbers[BOUNDARY_MOST];
        register_types(world, &type, 0, 1, MICA_TABLE);
        for (uint32_t i = 0; i < n; i++) {
            numbers[i] = i;
            observers[i] = mica_observer_new(world, &(mica_observer_desc){.events = MICA_ON_ADD,
                                                                          .type = type,
                                                                          .call = note_order,
                                                                          .user = &numbers[i]});
        }
        for (uint32_t step = 2; step <= 3; step++) { // those that are odd go, then other thirds
            for (uint32_t i = 0; i < n; i++) {
                if (i % step == 1 && (step == 2 || i % 2 == 0)) {
                    REQUIRE_EQUAL(MICA_OK, mica_observer_free(world, observers[i]));
                    CHECK_VALID(world);
                }
            }
            notified seen = {0};
            all_notified = &seen;
            mica_spawn(world, MICA_ADD(type));
            uint32_t count = 0;
            for (uint32_t i = 0; i < n; i++) {
                if (i % 2 == 0 && (step == 2 || i % 3 != 1)) {
                    CHECK_EQUAL(i, seen.order[count]);
                    count++;
                }
            }
            CHECK_EQUAL(count, seen.count);
        }
        test_world_end(&t);
    }
}

// Chunks have 16, 32, 64 places and so on, or fewer in a library of small pages.
static void as_many_events_are_read_in_order(void)
{
    const uint32_t counts[] = {1, 15, 16, 17, 47, 48, 49, 63, 64, 65, 111, 112, 113, 127, 128, 129};
    test_world t;
    mica_world *world = test_world_begin(&t);
    mica_type type;
    register_types(world, &type, 0, 1, MICA_TABLE);
    mica_cursor cursor = {0};
    for (uint32_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (uint32_t i = 0; i < counts[c]; i++) {
            REQUIRE_EQUAL(MICA_OK, mica_send(world, MICA_COPY_OF(type, i)));
        }
        uint32_t seen = 0;
        uint32_t count;
        for (const uint32_t *e;
             (e = MICA_EVENTS(world, type, uint32_t, &cursor, &count)) != NULL;) {
            for (uint32_t i = 0; i < count; i++) {
                CHECK_EQUAL(seen, e[i]);
                seen++;
            }
        }
        CHECK_EQUAL(counts[c], seen);
        CHECK_VALID(world);
        REQUIRE_EQUAL(MICA_OK, mica_step(world, 0));
    }
    test_world_end(&t);
}

// 64 pages of slots lie in one block, once there are as many. Small pages have 4 slots, others 4,096.
static void slots_in_many_pages_are_found(void)
{
    const uint32_t page = UINT32_C(1) << MICA_VIEW_SLOT_SHIFT;
    const uint32_t pages[] = {63, 64, 65, 127, 128, 129};
    for (uint32_t c = 0; c < sizeof pages / sizeof *pages; c++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        for (uint32_t p = 0; p < pages[c]; p++) {
            REQUIRE(!MICA_IS_NONE(mica_spawn_at(world, mica_entity_make(p * page, 0))));
        }
        CHECK_VALID(world);
        for (uint32_t p = 0; p < pages[c]; p += 2) {
            REQUIRE_EQUAL(MICA_OK, mica_despawn(world, mica_entity_make(p * page, 0)));
        }
        REQUIRE_EQUAL(MICA_OK, mica_world_reclaim(world));
        CHECK_VALID(world);
        for (uint32_t p = 0; p < pages[c]; p++) {
            CHECK_EQUAL(p % 2 == 1, mica_alive(world, mica_entity_make(p * page, 0)));
        }
        test_world_end(&t);
    }
}

// Commands lie in blocks of 1,024, or of 4 in a library of small pages.
static void as_many_commands_are_carried_out_in_order(void)
{
    const uint32_t counts[] = {63, 64, 65, 127, 128, 129, 1023, 1024, 1025};
    for (uint32_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        test_world t;
        mica_world *world = test_world_begin(&t);
        mica_type type;
        register_types(world, &type, 0, 1, MICA_TABLE);
        mica_world *later = mica_world_later(world);
        mica_entity last = (mica_entity){0};
        for (uint32_t i = 0; i < counts[c]; i++) {
            last = mica_spawn(later, MICA_COPY_OF(type, i));
        }
        CHECK_VALID(world);
        CHECK_EQUAL(counts[c], mica_commands_count(world));
        REQUIRE_EQUAL(MICA_OK, mica_commands_apply(world));
        CHECK_EQUAL(counts[c], mica_entity_count(world));
        CHECK_EQUAL(counts[c] - 1, *MICA_GET(world, last, type, uint32_t));
        CHECK_VALID(world);
        test_world_end(&t);
    }
}

TESTS(rows, disabled_rows_are_passed_over, a_word_says_which_of_64_rows_are_enabled,
      changed_rows_are_found, rows_keep_their_values_where_others_go,
      rows_keep_their_values_in_another_storage, parts_have_the_entities_that_match,
      an_accessor_finds_as_many_values, many_entities_end_at_once, entities_have_as_many_facets,
      as_many_observers_of_queries_see_who_enters_and_leaves,
      observers_keep_their_order_when_others_go, as_many_events_are_read_in_order,
      slots_in_many_pages_are_found, as_many_commands_are_carried_out_in_order)
