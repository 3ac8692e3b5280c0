// The rows of <mica/relation.h>.
#include "negative/table.h"

static void relations_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_relation_desc good = {.name = "Fresh"};
    const mica_relation_desc garbage = {.first_zero = 7, .name = "Fresh"};
    const mica_relation_desc unended = {.name = "Fresh", .last_zero = 7};
    const mica_relation_desc zeroed = {0};

    NULL_WORLD(mica_relation_add, NONES, mica_relation_add(w, &good));
    REFUSED(mica_relation_add, NONES, mica_relation_add(w, &good));
    NONES(mica_relation_add.desc.null, MICA_ERROR_NULL, mica_relation_add(w, NULL));
    NONES(mica_relation_add.desc.zeroed, MICA_ERROR_NAME, mica_relation_add(w, &zeroed));
    NONES(mica_relation_add.desc.garbage, MICA_ERROR_DESC, mica_relation_add(w, &garbage));
    NONES(mica_relation_add.desc.unended, MICA_ERROR_DESC, mica_relation_add(w, &unended));

    NULL_WORLD(mica_relation_type, NONES, mica_relation_type(w, t->near));
    ALLOWED(mica_relation_type, mica_relation_type(w, t->near).bits != 0);
    BAD_RELATIONS(mica_relation_type.relation, NONES, MICA_ERROR_RELATION,
                  mica_relation_type(w, x));
    table_end(t);
}

static void links_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_entity own = t->full;
    mica_relation near = t->near;
    REQUIRE_EQUAL(MICA_OK, mica_link(w, t->named, near, t->full));
    table_settle(t);

    NULL_WORLD(mica_link, FAILS, mica_link(w, t->bare, near, own));
    REFUSED(mica_link, FAILS, mica_link(w, t->bare, near, own));
    BAD_ENTITIES(mica_link.source, FAILS, MICA_ERROR_ENTITY, mica_link(w, x, near, own));
    BAD_RELATIONS(mica_link.relation, FAILS, MICA_ERROR_RELATION, mica_link(w, t->bare, x, own));
    BAD_ENTITIES(mica_link.target, FAILS, MICA_ERROR_ENTITY, mica_link(w, t->bare, near, x));

    NULL_WORLD(mica_link_before, FAILS, mica_link_before(w, t->bare, near, t->named));
    REFUSED(mica_link_before, FAILS, mica_link_before(w, t->bare, near, t->named));
    BAD_ENTITIES(mica_link_before.source, FAILS, MICA_ERROR_ENTITY,
                 mica_link_before(w, x, near, t->named));
    BAD_RELATIONS(mica_link_before.relation, FAILS, MICA_ERROR_RELATION,
                  mica_link_before(w, t->bare, x, t->named));
    BAD_ENTITIES(mica_link_before.sibling, FAILS, MICA_ERROR_ENTITY,
                 mica_link_before(w, t->bare, near, x));

    NULL_WORLD(mica_unlink, FAILS, mica_unlink(w, t->named, near, own));
    REFUSED(mica_unlink, FAILS, mica_unlink(w, t->named, near, own));
    BAD_ENTITIES(mica_unlink.source, FAILS, MICA_ERROR_ENTITY, mica_unlink(w, x, near, own));
    BAD_RELATIONS(mica_unlink.relation, FAILS, MICA_ERROR_RELATION,
                  mica_unlink(w, t->named, x, own));
    for (uint32_t k = 1; k < ENTITY_KINDS; k++) {
        FAILS_("mica_unlink.target", entity_kinds[k], MICA_ERROR_ENTITY,
               mica_unlink(w, t->named, near, t->entities[k]));
    }
    SILENT(mica_unlink.target.none, !mica_unlink(w, t->bare, near, (mica_entity){0}));

    NULL_WORLD(mica_reorder, FAILS, mica_reorder(w, own, near, &t->named, 1));
    REFUSED(mica_reorder, FAILS, mica_reorder(w, own, near, &t->named, 1));
    BAD_ENTITIES(mica_reorder.target, FAILS, MICA_ERROR_ENTITY,
                 mica_reorder(w, x, near, &t->named, 1));
    BAD_RELATIONS(mica_reorder.relation, FAILS, MICA_ERROR_RELATION,
                  mica_reorder(w, own, x, &t->named, 1));
    FAILS(mica_reorder.sources.null, MICA_ERROR_NULL, mica_reorder(w, own, near, NULL, 1));
    WITH_BAD_ENTITIES(mica_reorder.sources, FAILS, MICA_ERROR_ARGUMENT,
                      mica_reorder(w, own, near, &x, 1));
    FAILS(mica_reorder.count.zero, MICA_ERROR_ARGUMENT, mica_reorder(w, own, near, &t->named, 0));
    FAILS(mica_reorder.count.huge, MICA_ERROR_ARGUMENT,
          mica_reorder(w, own, near, &t->named, HUGE_COUNT));
    table_end(t);
}

static void questions_about_links_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_entity own = t->full;
    mica_relation near = t->near;
    mica_entity found;
    REQUIRE_EQUAL(MICA_OK, mica_link(w, t->named, near, own));
    table_settle(t);

    NULL_WORLD(mica_target, NONES, mica_target(w, t->named, near));
    ALLOWED(mica_target, mica_target(w, t->named, near).bits == own.bits);
    BAD_ENTITIES(mica_target.source, NONES, MICA_ERROR_ENTITY, mica_target(w, x, near));
    BAD_RELATIONS(mica_target.relation, NONES, MICA_ERROR_RELATION, mica_target(w, own, x));

    NULL_WORLD(mica_source_count, NULLS, mica_source_count(w, own, near));
    ALLOWED(mica_source_count, mica_source_count(w, own, near) == 1);
    BAD_ENTITIES(mica_source_count.target, NULLS, MICA_ERROR_ENTITY, mica_source_count(w, x, near));
    BAD_RELATIONS(mica_source_count.relation, NULLS, MICA_ERROR_RELATION,
                  mica_source_count(w, own, x));

    NULL_WORLD(mica_sources, NULLS, mica_sources(w, own, near, 0, &found, 1));
    ALLOWED(mica_sources, mica_sources(w, own, near, 0, &found, 1) == 1);
    BAD_ENTITIES(mica_sources.target, NULLS, MICA_ERROR_ENTITY,
                 mica_sources(w, x, near, 0, &found, 1));
    BAD_RELATIONS(mica_sources.relation, NULLS, MICA_ERROR_RELATION,
                  mica_sources(w, own, x, 0, &found, 1));
    SILENT(mica_sources.first.huge, mica_sources(w, own, near, HUGE_COUNT, &found, 1) == 0);
    NULLS(mica_sources.sources_out.null, MICA_ERROR_NULL, mica_sources(w, own, near, 0, NULL, 1));
    SILENT(mica_sources.capacity.zero, mica_sources(w, own, near, 0, NULL, 0) == 0);
    SILENT(mica_sources.capacity.huge, mica_sources(w, own, near, 0, &found, HUGE_COUNT) == 1);

    NULL_WORLD(mica_is_under, NULLS, mica_is_under(w, t->named, near, own));
    ALLOWED(mica_is_under, mica_is_under(w, t->named, near, own));
    BAD_ENTITIES(mica_is_under.entity, NULLS, MICA_ERROR_ENTITY, mica_is_under(w, x, near, own));
    BAD_RELATIONS(mica_is_under.relation, NULLS, MICA_ERROR_RELATION,
                  mica_is_under(w, t->named, x, own));
    BAD_ENTITIES(mica_is_under.ancestor, NULLS, MICA_ERROR_ENTITY,
                 mica_is_under(w, t->named, near, x));

    NULL_WORLD(mica_depth, NULLS, mica_depth(w, t->named, near));
    ALLOWED(mica_depth, mica_depth(w, t->named, near) == 1);
    BAD_ENTITIES(mica_depth.entity, NULLS, MICA_ERROR_ENTITY, mica_depth(w, x, near));
    BAD_RELATIONS(mica_depth.relation, NULLS, MICA_ERROR_RELATION, mica_depth(w, t->named, x));

    NULL_WORLD(mica_get_up, NULLS, mica_get_up(w, t->named, near, t->weight, &found));
    ALLOWED(mica_get_up, mica_get_up(w, t->named, near, t->weight, NULL) != NULL);
    BAD_ENTITIES(mica_get_up.entity, NULLS, MICA_ERROR_ENTITY,
                 mica_get_up(w, x, near, t->weight, &found));
    BAD_RELATIONS(mica_get_up.relation, NULLS, MICA_ERROR_RELATION,
                  mica_get_up(w, t->named, x, t->weight, &found));
    BAD_TYPES(mica_get_up.type, NULLS, MICA_ERROR_TYPE, mica_get_up(w, t->named, near, x, &found));
    SILENT(mica_get_up.whose_out.null, mica_get_up(w, t->named, near, t->weight, NULL) != NULL);
    table_end(t);
}

static void descents_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_entity own = t->full;
    mica_relation near = t->near;
    REQUIRE_EQUAL(MICA_OK, mica_link(w, t->named, near, own));
    table_settle(t);

    NULL_WORLD(mica_descend, NULLS, mica_descend(w, own, near).world);
    ALLOWED(mica_descend, mica_descend(w, own, near).world != NULL);
    BAD_ENTITIES(mica_descend.root, NULLS, MICA_ERROR_ENTITY, mica_descend(w, x, near).world);
    BAD_RELATIONS(mica_descend.relation, NULLS, MICA_ERROR_RELATION, mica_descend(w, own, x).world);

    mica_descent zeroed = {0};
    mica_descent ended = mica_descend(w, t->named, near);
    mica_descent changed = mica_descend(w, own, near);
    changed.revision++;
    APART(NONES(mica_descent_next.descent.null, MICA_ERROR_NULL, mica_descent_next(NULL)));
    SILENT(mica_descent_next.descent.zeroed, mica_descent_next(&zeroed).bits == 0);
    (void)mica_descent_next(&ended);
    SILENT(mica_descent_next.descent.ended, mica_descent_next(&ended).bits == 0);
    NONES(mica_descent_next.descent.changed, MICA_ERROR_ITERATOR, mica_descent_next(&changed));
    table_end(t);
}

TESTS(table_relation, relations_refuse_bad_arguments, links_refuse_bad_arguments,
      questions_about_links_refuse_bad_arguments, descents_refuse_bad_arguments)
