// Toggles of components that are in groups, and sorted: whatever changes places takes its flag along.
#include <mica.h>

#include "runner/test.h"

enum { CROWD = 60, TYPES = 3, STEPS = 3000 };

typedef struct {
    uint32_t number;
} Num;

typedef struct scene {
    mica_world *world;
    uint32_t random;
    mica_type types[TYPES];
    mica_entity entities[CROWD];
    bool has[CROWD][TYPES];
    bool off[CROWD][TYPES];
} scene;

static uint32_t below(scene *s, uint32_t end)
{
    s->random = s->random * 1664525 + 1013904223;
    return (s->random >> 8) % end;
}

static int by_number(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    const Num *x = a->value;
    const Num *y = b->value;
    return (x->number > y->number) - (x->number < y->number);
}

static void check_scene(scene *s, mica_query pair, mica_query even)
{
    uint32_t on = 0;
    uint32_t all = 0;
    for (uint32_t i = 0; i < CROWD; i++) {
        for (uint32_t t = 0; t < TYPES; t++) {
            CHECK_EQUAL(s->has[i][t], mica_has(s->world, s->entities[i], s->types[t]));
            CHECK_EQUAL(s->has[i][t] && !s->off[i][t],
                        mica_is_enabled(s->world, s->entities[i], s->types[t]));
        }
        bool both = s->has[i][0] && s->has[i][1];
        all += both;
        on += both && !s->off[i][0] && !s->off[i][1];
    }
    CHECK_EQUAL(on, mica_query_count(s->world, pair));
    CHECK_EQUAL(all, mica_query_count(s->world, even));
    uint32_t met = 0;
    mica_iter it;
    mica_iter_begin(s->world, pair, &it);
    while (mica_iter_next(&it)) {
        const Num *a = mica_read(&it, 0);
        const Num *b = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK_EQUAL(a[i].number, b[i].number);
            CHECK(mica_is_enabled(s->world, it.entities[i], s->types[0]));
            CHECK(mica_is_enabled(s->world, it.entities[i], s->types[1]));
        }
        met += it.count;
    }
    CHECK_EQUAL(on, met);
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
}

static void change(scene *s)
{
    uint32_t i = below(s, CROWD);
    uint32_t t = below(s, TYPES);
    mica_entity e = s->entities[i];
    if (!s->has[i][t]) {
        CHECK_EQUAL(MICA_OK, mica_set(s->world, e, MICA_VALUE(s->types[t], Num, i)));
        s->has[i][t] = true;
        s->off[i][t] = false;
    } else if (below(s, 3) == 0) {
        CHECK_EQUAL(MICA_OK, mica_remove(s->world, e, s->types[t]));
        s->has[i][t] = false;
    } else {
        bool off = below(s, 2);
        CHECK_EQUAL(MICA_OK, off ? mica_disable(s->world, e, s->types[t])
                                 : mica_enable(s->world, e, s->types[t]));
        s->off[i][t] = off;
    }
}

// Of two owned components, and of a third that is sorted by itself.
static void what_changes_places_takes_its_flag_along(void)
{
    for (uint32_t owning = 0; owning < 2; owning++) {
        static scene s;
        s = (scene){.world = mica_world_new(NULL), .random = 7 + owning};
        static const char *const names[TYPES] = {"A", "B", "C"};
        for (uint32_t t = 0; t < TYPES; t++) {
            s.types[t] = mica_type_register(s.world, &(mica_type_desc){.name = names[t],
                                                                       .size = sizeof(Num),
                                                                       .align = _Alignof(Num),
                                                                       .storage = MICA_SPARSE,
                                                                       .toggle = true});
        }
        for (uint32_t i = 0; i < CROWD; i++) {
            s.entities[i] = mica_spawn_values(s.world, NULL, 0);
        }
        const mica_group_desc owns = {.owned = {s.types[0], s.types[1]}};
        const mica_group_desc lists = {.required = {s.types[0], s.types[1]}};
        mica_group group = mica_group_new(s.world, owning ? &owns : &lists);
        mica_query pair = mica_query_new(
            s.world,
            &(mica_query_desc){.terms = {{s.types[0], MICA_READ}, {s.types[1], MICA_READ}}});
        mica_query even = mica_query_new(
            s.world,
            &(mica_query_desc){.terms = {{s.types[0], MICA_READ | MICA_INCLUDE_DISABLED},
                                         {s.types[1], MICA_READ | MICA_INCLUDE_DISABLED}}});
        for (uint32_t step = 0; step < STEPS; step++) {
            change(&s);
            if (step % 50 == 0) {
                CHECK_EQUAL(MICA_OK, mica_group_sort(s.world, group, s.types[0], by_number, NULL));
                CHECK_EQUAL(MICA_OK, mica_sort(s.world, s.types[2], by_number, NULL));
            }
            if (step % 10 == 0) {
                check_scene(&s, pair, even);
            }
        }
        mica_world_free(s.world);
    }
}

// Who has what is forbidden, but disabled, is not in the group, and still matches.
static void a_group_does_not_hide_who_has_a_forbidden_component_disabled(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type a = MICA_SPARSE_TAG(world, A);
    mica_type b = MICA_SPARSE_TAG(world, B);
    mica_type_desc desc = {.name = "C", .storage = MICA_SPARSE, .toggle = true};
    mica_type c = mica_type_register(world, &desc);
    mica_group_new(world, &(mica_group_desc){.owned = {a, b}, .without = {c}});
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{a, MICA_WITH}, {b, MICA_WITH}, {c, MICA_WITHOUT}}});
    mica_entity e = mica_spawn(world, MICA_ADD(a), MICA_ADD(b), MICA_ADD(c));
    CHECK_EQUAL(0, mica_query_count(world, query));
    CHECK_EQUAL(MICA_OK, mica_disable(world, e, c));
    CHECK_EQUAL(1, mica_query_count(world, query));
    mica_world_free(world);
}

TESTS(toggle_group, what_changes_places_takes_its_flag_along,
      a_group_does_not_hide_who_has_a_forbidden_component_disabled)
