// The rows of <mica/entity.h> and <mica/accessor.h>.
#include "negative/table.h"

static bool is_alive_or_none(mica_world *world, mica_entity entity)
{
    return MICA_IS_NONE(entity) || mica_alive(world, entity);
}

static void entities_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    char text[MICA_ENTITY_TEXT_SIZE];

    BAD_ENTITIES(mica_entity_text.entity, SILENT, MICA_OK, mica_entity_text(x, text) == text);
    SILENT(mica_entity_text.text.null, !mica_entity_text(t->full, NULL));

    NULL_WORLD(mica_spawn_at, NONES, mica_spawn_at(w, mica_entity_make(30, 0)));
    REFUSED(mica_spawn_at, NONES, mica_spawn_at(w, mica_entity_make(30, 0)));
    const mica_entity *bad = t->entities;
    NONES(mica_spawn_at.entity.none, MICA_ERROR_ENTITY, mica_spawn_at(w, bad[0]));
    NONES(mica_spawn_at.entity.impossible, MICA_ERROR_ENTITY, mica_spawn_at(w, bad[1]));
    NONES(mica_spawn_at.entity.unissued, MICA_ERROR_OCCUPIED, mica_spawn_at(w, bad[2]));
    NONES(mica_spawn_at.entity.dead, MICA_ERROR_OCCUPIED, mica_spawn_at(w, bad[3]));
    NONES(mica_spawn_at.entity.recycled, MICA_ERROR_OCCUPIED, mica_spawn_at(w, bad[4]));
    NONES(mica_spawn_at.entity.ones, MICA_ERROR_ENTITY, mica_spawn_at(w, bad[5]));
    WORKS(mica_spawn_at.entity.foreign, MICA_EQUAL(bad[6], mica_spawn_at(w, bad[6])));

    NULL_WORLD(mica_despawn, FAILS, mica_despawn(w, t->bare));
    REFUSED(mica_despawn, FAILS, mica_despawn(w, t->bare));
    BAD_ENTITIES(mica_despawn.entity, FAILS, MICA_ERROR_ENTITY, mica_despawn(w, x));

    NULL_WORLD(mica_alive, NULLS, mica_alive(w, t->full));
    ALLOWED(mica_alive, mica_alive(w, t->full));
    BAD_ENTITIES(mica_alive.entity, SILENT, MICA_OK, !mica_alive(w, x));

    NULL_WORLD(mica_entity_count, NULLS, mica_entity_count(w));
    ALLOWED(mica_entity_count, mica_entity_count(w) == 4);

    NULL_WORLD(mica_entity_reserve, FAILS, mica_entity_reserve(w, 1));
    ALLOWED(mica_entity_reserve, !mica_entity_reserve(w, 40));
    SILENT(mica_entity_reserve.count.zero, !mica_entity_reserve(w, 0));
    FAILS(mica_entity_reserve.count.huge, MICA_ERROR_LIMIT, mica_entity_reserve(w, UINT32_MAX));

    NULL_WORLD(mica_entity_next, NONES, mica_entity_next(w, t->full));
    ALLOWED(mica_entity_next, mica_alive(w, mica_entity_next(w, t->full)));
    BAD_ENTITIES(mica_entity_next.previous, SILENT, MICA_OK,
                 is_alive_or_none(w, mica_entity_next(w, x)));
    table_end(t);
}

static void accessors_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_accessor none = {0};
    const mica_accessor *p = &t->positions;
    mica_entity e = t->full;

    NULL_WORLD(mica_accessor_new, NULLS, mica_accessor_new(w, t->position).size);
    ALLOWED(mica_accessor_new, mica_accessor_new(w, t->position).size);
    BAD_TYPES(mica_accessor_new.type, NULLS, MICA_ERROR_TYPE, mica_accessor_new(w, x).size);

    NULL_WORLD(mica_accessor_new_any, NULLS,
               mica_accessor_new_any(w, t->position, MICA_VIEW_LAYOUT).size);
    ALLOWED(mica_accessor_new_any, mica_accessor_new_any(w, t->position, MICA_VIEW_LAYOUT).size);
    BAD_TYPES(mica_accessor_new_any.type, NULLS, MICA_ERROR_TYPE,
              mica_accessor_new_any(w, x, MICA_VIEW_LAYOUT).size);
    NULLS(mica_accessor_new_any.layout.zero, MICA_ERROR_VERSION,
          mica_accessor_new_any(w, t->position, 0).size);
    NULLS(mica_accessor_new_any.layout.other, MICA_ERROR_VERSION,
          mica_accessor_new_any(w, t->position, MICA_VIEW_LAYOUT ^ 1).size);

    APART(NULLS(mica_accessor_get.accessor.null, MICA_ERROR_TYPE, mica_accessor_get(NULL, e)));
    APART(NULLS(mica_accessor_get.accessor.none, MICA_ERROR_TYPE, mica_accessor_get(&none, e)));
    BAD_ENTITIES(mica_accessor_get.entity, NULLS, MICA_ERROR_ENTITY, mica_accessor_get(p, x));

    APART(NULLS(mica_accessor_get_mut.accessor.null, MICA_ERROR_TYPE,
                mica_accessor_get_mut(NULL, e)));
    APART(NULLS(mica_accessor_get_mut.accessor.none, MICA_ERROR_TYPE,
                mica_accessor_get_mut(&none, e)));
    BAD_ENTITIES(mica_accessor_get_mut.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_accessor_get_mut(p, x));

    APART(NULLS(mica_accessor_get_as.accessor.null, MICA_ERROR_TYPE,
                mica_accessor_get_as(NULL, e, 8, NULL)));
    APART(NULLS(mica_accessor_get_as.accessor.none, MICA_ERROR_TYPE,
                mica_accessor_get_as(&none, e, 8, NULL)));
    BAD_ENTITIES(mica_accessor_get_as.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_accessor_get_as(p, x, 8, NULL));
    NULLS(mica_accessor_get_as.size.zero, MICA_ERROR_SIZE, mica_accessor_get_as(p, e, 0, NULL));
    NULLS(mica_accessor_get_as.size.wrong, MICA_ERROR_SIZE, mica_accessor_get_as(p, e, 4, NULL));
    NULLS(mica_accessor_get_as.size.huge, MICA_ERROR_SIZE,
          mica_accessor_get_as(p, e, UINT32_MAX, NULL));

    APART(NULLS(mica_accessor_get_mut_as.accessor.null, MICA_ERROR_TYPE,
                mica_accessor_get_mut_as(NULL, e, 8, NULL)));
    APART(NULLS(mica_accessor_get_mut_as.accessor.none, MICA_ERROR_TYPE,
                mica_accessor_get_mut_as(&none, e, 8, NULL)));
    BAD_ENTITIES(mica_accessor_get_mut_as.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_accessor_get_mut_as(p, x, 8, NULL));
    NULLS(mica_accessor_get_mut_as.size.zero, MICA_ERROR_SIZE,
          mica_accessor_get_mut_as(p, e, 0, NULL));
    NULLS(mica_accessor_get_mut_as.size.wrong, MICA_ERROR_SIZE,
          mica_accessor_get_mut_as(p, e, 4, NULL));
    NULLS(mica_accessor_get_mut_as.size.huge, MICA_ERROR_SIZE,
          mica_accessor_get_mut_as(p, e, UINT32_MAX, NULL));

    const void *read[2];
    APART(NULLS(mica_accessor_get_many.accessor.null, MICA_ERROR_TYPE,
                mica_accessor_get_many(NULL, &e, 1, read) || read[0]));
    APART(NULLS(mica_accessor_get_many.accessor.none, MICA_ERROR_TYPE,
                mica_accessor_get_many(&none, &e, 1, read) || read[0]));
    NULLS(mica_accessor_get_many.entities.null, MICA_ERROR_NULL,
          mica_accessor_get_many(p, NULL, 1, read));
    WITH_BAD_ENTITIES(mica_accessor_get_many.entities, NULLS, MICA_ERROR_ENTITY,
                      mica_accessor_get_many(p, (const mica_entity[]){x, e}, 2, read) != 1 ||
                          read[0] || !read[1]);
    SILENT(mica_accessor_get_many.count.zero, !mica_accessor_get_many(p, NULL, 0, NULL));
    NULLS(mica_accessor_get_many.values_out.null, MICA_ERROR_NULL,
          mica_accessor_get_many(p, &e, 1, NULL));

    void *write[2];
    APART(NULLS(mica_accessor_get_mut_many.accessor.null, MICA_ERROR_TYPE,
                mica_accessor_get_mut_many(NULL, &e, 1, write) || write[0]));
    APART(NULLS(mica_accessor_get_mut_many.accessor.none, MICA_ERROR_TYPE,
                mica_accessor_get_mut_many(&none, &e, 1, write) || write[0]));
    NULLS(mica_accessor_get_mut_many.entities.null, MICA_ERROR_NULL,
          mica_accessor_get_mut_many(p, NULL, 1, write));
    WITH_BAD_ENTITIES(mica_accessor_get_mut_many.entities, NULLS, MICA_ERROR_ENTITY,
                      mica_accessor_get_mut_many(p, (const mica_entity[]){x, e}, 2, write) != 1 ||
                          write[0] || !write[1]);
    SILENT(mica_accessor_get_mut_many.count.zero, !mica_accessor_get_mut_many(p, NULL, 0, NULL));
    NULLS(mica_accessor_get_mut_many.values_out.null, MICA_ERROR_NULL,
          mica_accessor_get_mut_many(p, &e, 1, NULL));

    mica_type type = t->position;
    NULL_WORLD(mica_accessor_get_any, NULLS, mica_accessor_get_any(w, type, e));
    ALLOWED(mica_accessor_get_any, mica_accessor_get_any(w, type, e));
    BAD_TYPES(mica_accessor_get_any.type, NULLS, MICA_ERROR_TYPE, mica_accessor_get_any(w, x, e));
    BAD_ENTITIES(mica_accessor_get_any.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_accessor_get_any(w, type, x));

    NULL_WORLD(mica_accessor_get_mut_any, NULLS, mica_accessor_get_mut_any(w, type, e));
    ALLOWED(mica_accessor_get_mut_any, mica_accessor_get_mut_any(w, type, e));
    BAD_TYPES(mica_accessor_get_mut_any.type, NULLS, MICA_ERROR_TYPE,
              mica_accessor_get_mut_any(w, x, e));
    BAD_ENTITIES(mica_accessor_get_mut_any.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_accessor_get_mut_any(w, type, x));

    NULL_WORLD(mica_accessor_get_as_any, NULLS,
               mica_accessor_get_as_any(w, type, e, 8, NULL, true));
    ALLOWED(mica_accessor_get_as_any, mica_accessor_get_as_any(w, type, e, 8, NULL, true));
    BAD_TYPES(mica_accessor_get_as_any.type, NULLS, MICA_ERROR_TYPE,
              mica_accessor_get_as_any(w, x, e, 8, NULL, true));
    BAD_ENTITIES(mica_accessor_get_as_any.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_accessor_get_as_any(w, type, x, 8, NULL, true));
    NULLS(mica_accessor_get_as_any.size.zero, MICA_ERROR_SIZE,
          mica_accessor_get_as_any(w, type, e, 0, NULL, true));
    NULLS(mica_accessor_get_as_any.size.wrong, MICA_ERROR_SIZE,
          mica_accessor_get_as_any(w, type, e, 4, NULL, false));
    NULLS(mica_accessor_get_as_any.size.huge, MICA_ERROR_SIZE,
          mica_accessor_get_as_any(w, type, e, UINT32_MAX, NULL, true));
    SILENT(mica_accessor_get_as_any.c_type.null,
           mica_accessor_get_as_any(w, type, e, 8, NULL, false));
    NULLS(mica_accessor_get_as_any.c_type.other, MICA_ERROR_C_TYPE,
          mica_accessor_get_as_any(w, type, e, 8, "Velocity", true));
    table_end(t);
}

TESTS(table_entity, entities_refuse_bad_arguments, accessors_refuse_bad_arguments)
