#include "unit/query/small.h"

mica_type small_register(mica_world *world, const char *name, bool stable)
{
    return mica_type_register(world, &(mica_type_desc){.name = name,
                                                       .storage = MICA_SPARSE,
                                                       .size = sizeof(Num),
                                                       .align = _Alignof(Num),
                                                       .stable = stable});
}

mica_world *small_begin(small *s)
{
    s->world = test_world_begin(&s->t);
    s->column = MICA_REGISTER(s->world, Num, n);
    s->loose = small_register(s->world, "Loose", false);
    s->other = small_register(s->world, "Other", false);
    s->stable = small_register(s->world, "Stable", true);
    s->mark = MICA_SPARSE_TAG(s->world, Mark);
    return s->world;
}

void small_end(small *s)
{
    test_world_end(&s->t);
}

mica_query small_query(small *s, mica_term a, mica_term b, mica_term c)
{
    mica_query query = mica_query_new(s->world, &(mica_query_desc){.terms = {a, b, c}});
    REQUIRE(!MICA_IS_NONE(query));
    return query;
}

void small_put(small *s, mica_entity entity, mica_type type, int32_t n)
{
    const mica_value one = MICA_VALUE(type, Num, n);
    REQUIRE_EQUAL(MICA_OK, mica_change(s->world, entity, &one, 1, NULL, 0));
}

int32_t small_num(small *s, mica_entity entity, mica_type type)
{
    const Num *found = mica_get(s->world, entity, type);
    return found ? found->n : INT32_MIN;
}

void small_spawn_crossed(small *s, mica_entity e[WRITTEN])
{
    for (int32_t i = 0; i < WRITTEN; i++) {
        e[i] = mica_spawn(s->world, MICA_VALUE(s->loose, Num, i));
    }
    for (int32_t i = WRITTEN; i-- > 0;) {
        small_put(s, e[i], s->other, i);
        small_put(s, e[i], s->stable, i);
    }
}

mica_query small_cross(small *s)
{
    return small_query(s, (mica_term){s->loose, MICA_WRITE}, (mica_term){s->other, MICA_WRITE},
                       (mica_term){s->stable, MICA_OPTIONAL_WRITE});
}

void small_write_all(const mica_iter *it, uint32_t term, int32_t n)
{
    Num *values = mica_write(it, term);
    for (uint32_t i = 0; values && i < it->count; i++) {
        values[i].n = n;
    }
}
