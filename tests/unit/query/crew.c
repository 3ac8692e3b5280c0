#include "unit/query/crew.h"

mica_world *crew_begin_as(crew *f, bool relocate_always)
{
    test_world_prepare(&f->t);
    f->t.desc.relocate_always = relocate_always;
    mica_world *w = f->world = test_world_open(&f->t);
    f->place = MICA_REGISTER_SPARSE(w, Place, x, y);
    f->speed = MICA_REGISTER_SPARSE(w, Speed, x, y, z);
    f->mass = MICA_REGISTER_SPARSE(w, Mass, grams);
    f->rock = mica_type_register(
        w, &(mica_type_desc){
               .name = "Rock", .size = 8, .align = 8, .storage = MICA_SPARSE, .stable = true});
    f->asleep = MICA_SPARSE_TAG(w, Asleep);
    f->table = mica_type_register(w, &(mica_type_desc){.name = "Table", .size = 4, .align = 4});
    f->movers = mica_query_new(
        w, &(mica_query_desc){.terms = {{f->place, MICA_WRITE}, {f->speed, MICA_READ}}});
    return w;
}

mica_world *crew_begin(crew *f)
{
    return crew_begin_as(f, false);
}

void crew_end(crew *f)
{
    test_world_end(&f->t);
}

void crew_spawn(crew *f, int32_t count, int32_t of)
{
    for (int32_t i = 0; i < count; i++) {
        mica_entity e = mica_spawn_values(f->world, NULL, 0);
        f->entities[i] = e;
        REQUIRE(!mica_set(f->world, e, MICA_VALUE(f->place, Place, i, i)));
        if (i % of == 0) {
            REQUIRE(!mica_set(f->world, e, MICA_VALUE(f->speed, Speed, i, 0, 0)));
        }
    }
}

mica_group crew_own(crew *f)
{
    mica_group group = mica_group_new(
        f->world, &(mica_group_desc){.owned = {f->place, f->speed}, .name = "movers"});
    REQUIRE(!MICA_IS_NONE(group));
    return group;
}

crew_walked crew_walk(crew *f)
{
    crew_walked all = {0};
    mica_iter it;
    mica_iter_begin(f->world, f->movers, &it);
    while (mica_iter_next(&it)) {
        const Speed *s = mica_read(&it, 1);
        for (uint32_t i = 0; s && i < it.count; i++) {
            const Place *place = mica_get(f->world, it.entities[i], f->place);
            CHECK(place && place->x == s[i].x);
        }
        const Place *p = mica_write(&it, 0);
        REQUIRE(p && s);
        for (uint32_t i = 0; i < it.count; i++) {
            CHECK(p[i].x == s[i].x && p[i].x == p[i].y);
            all.xs[all.rows++ % MANY] = p[i].x;
        }
        all.segments++;
    }
    CHECK_EQUAL(all.rows, mica_query_count(f->world, f->movers));
    CHECK_EQUAL(0, mica_world_validate(f->world));
    return all;
}

int crew_by_x_down(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    const Place *x = a->value;
    const Place *y = b->value;
    ++*(uint32_t *)user;
    return (x->x < y->x) - (x->x > y->x);
}
