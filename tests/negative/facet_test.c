// The rows of <mica/facet.h>.
#include "negative/table.h"

static void facets_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_entity own = t->full;
    const Position p = {1, 2};
    const mica_value good = {t->position, &p, sizeof p, 1, NULL};
    const mica_value wrong_size = {t->position, &p, 4, 1, NULL};
    const mica_value tag_data = {t->tag, &p, sizeof p, 1, NULL};
    const mica_value then_none[] = {good, {(mica_type){0}, NULL, 0, 0, NULL}};

    NULL_WORLD(mica_facet_add_values, NONES, mica_facet_add_values(w, own, t->tag, 1, &good, 1));
    REFUSED(mica_facet_add_values, NONES, mica_facet_add_values(w, own, t->tag, 1, &good, 1));
    BAD_ENTITIES(mica_facet_add_values.owner, NONES, MICA_ERROR_ENTITY,
                 mica_facet_add_values(w, x, t->tag, 1, &good, 1));
    NONES(mica_facet_add_values.component.garbage, MICA_ERROR_TYPE,
          mica_facet_add_values(w, t->full, t->types[1], 1, &good, 1));
    NONES(mica_facet_add_values.component.foreign, MICA_ERROR_TYPE,
          mica_facet_add_values(w, t->full, t->types[2], 1, &good, 1));
    mica_facet_add_values(w, t->full, t->tag, 1, &good, 1);
    table_settle(t);
    NONES(mica_facet_add_values.role.taken, MICA_ERROR_KEY,
          mica_facet_add_values(w, t->full, t->tag, 1, &good, 1));
    NONES(mica_facet_add_values.values.null, MICA_ERROR_NULL,
          mica_facet_add_values(w, t->full, t->tag, 2, NULL, 1));
    WITH_BAD_TYPES(
        mica_facet_add_values.values, NONES, MICA_ERROR_TYPE,
        mica_facet_add_values(w, t->full, t->tag, 2, &(mica_value){x, NULL, 0, 0, NULL}, 1));
    NONES(mica_facet_add_values.values.with_size, MICA_ERROR_SIZE,
          mica_facet_add_values(w, t->full, t->tag, 2, &wrong_size, 1));
    NONES(mica_facet_add_values.values.with_tag_data, MICA_ERROR_SIZE,
          mica_facet_add_values(w, t->full, t->tag, 2, &tag_data, 1));
    NONES(mica_facet_add_values.count.huge, MICA_ERROR_MEMORY,
          mica_facet_add_values(w, t->full, t->tag, 2, then_none, HUGE_COUNT));
    WORKS(mica_facet_add_values.component.none,
          mica_facet_add(w, t->full, (mica_type){0}, 1, MICA_ADD(t->position)).bits);
    WORKS(mica_facet_add_values.role.zero,
          mica_facet_add(w, t->full, t->position, 0, MICA_ADD(t->position)).bits);
    WORKS(mica_facet_add_values.values.with_twice,
          mica_facet_add(w, t->full, t->tag, 2, MICA_ADD(t->tag), MICA_ADD(t->tag)).bits);
    WORKS(mica_facet_add_values.count.zero,
          mica_facet_add_values(w, t->full, t->tag, 2, NULL, 0).bits);
    table_end(t);
}

static void questions_about_facets_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_entity own = t->full;
    mica_entity facet = mica_facet_add(w, own, t->tag, 1, MICA_ADD(t->tag));
    mica_type component = t->weight;
    uint32_t role = 7;
    table_settle(t);

    NULL_WORLD(mica_facet_find, NONES, mica_facet_find(w, own, t->tag, 1));
    ALLOWED(mica_facet_find, mica_facet_find(w, own, t->tag, 1).bits == facet.bits);
    BAD_ENTITIES(mica_facet_find.owner, NONES, MICA_ERROR_ENTITY, mica_facet_find(w, x, t->tag, 1));
    SILENT(mica_facet_find.component.none, mica_facet_find(w, own, (mica_type){0}, 1).bits == 0);
    NONES(mica_facet_find.component.garbage, MICA_ERROR_TYPE,
          mica_facet_find(w, own, t->types[1], 1));
    NONES(mica_facet_find.component.foreign, MICA_ERROR_TYPE,
          mica_facet_find(w, own, t->types[2], 1));
    SILENT(mica_facet_find.role.zero, mica_facet_find(w, own, (mica_type){0}, 0).bits == own.bits);
    SILENT(mica_facet_find.role.unknown, mica_facet_find(w, own, t->tag, 9).bits == 0);

    NULL_WORLD(mica_facet_next, NONES, mica_facet_next(w, own, facet));
    ALLOWED(mica_facet_next, mica_facet_next(w, own, facet).bits == 0);
    BAD_ENTITIES(mica_facet_next.owner, NONES, MICA_ERROR_ENTITY, mica_facet_next(w, x, facet));
    SILENT(mica_facet_next.previous.none,
           mica_facet_next(w, own, (mica_entity){0}).bits == facet.bits);
    for (uint32_t k = 1; k < ENTITY_KINDS; k++) {
        NONES_("mica_facet_next.previous", entity_kinds[k], MICA_ERROR_ENTITY,
               mica_facet_next(w, own, t->entities[k]));
    }

    NULL_WORLD(mica_facet_owner, NONES, mica_facet_owner(w, facet));
    ALLOWED(mica_facet_owner, mica_facet_owner(w, facet).bits == own.bits);
    BAD_ENTITIES(mica_facet_owner.facet, NONES, MICA_ERROR_ENTITY, mica_facet_owner(w, x));

    NULL_WORLD(mica_facet_key, FAILS, mica_facet_key(w, facet, &component, &role));
    ALLOWED(mica_facet_key, !mica_facet_key(w, facet, NULL, NULL));
    BAD_ENTITIES(mica_facet_key.facet, FAILS, MICA_ERROR_ENTITY,
                 mica_facet_key(w, x, &component, &role));
    CHECK(role == 7 && MICA_EQUAL(t->weight, component));
    SILENT(mica_facet_key.component_out.null, !mica_facet_key(w, facet, NULL, &role));
    SILENT(mica_facet_key.role_out.null, !mica_facet_key(w, facet, &component, NULL));
    CHECK(role == 1 && MICA_EQUAL(t->tag, component));
    table_end(t);
}

static void owners_of_iterations_refuse_bad_arguments(void)
{
    table *t = table_begin();
    BAD_ITERS(mica_iter_owners.it, NULLS, MICA_ERROR_ITERATOR, mica_iter_owners(x));
    table_end(t);
}

TESTS(table_facet, facets_refuse_bad_arguments, questions_about_facets_refuse_bad_arguments,
      owners_of_iterations_refuse_bad_arguments)
