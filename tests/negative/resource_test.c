// The rows of <mica/resource.h>.
#include "negative/table.h"

static void resources_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_type p = t->position;
    const float xy[2] = {1, 2};
    const mica_value good = {p, xy, 8, 1, NULL};
    const mica_value wrong_size = {p, xy, 4, 1, NULL};
    const mica_value tag_data = {t->tag, xy, 8, 1, NULL};
    const mica_value twice[] = {good, good};
    const mica_value then_none[] = {good, {(mica_type){0}, NULL, 0, 0, NULL}};
    CHECK_EQUAL(MICA_OK, mica_resource_set_values(w, &good, 1));
    table_settle(t);

    NULL_WORLD(mica_resource_set_values, FAILS, mica_resource_set_values(w, &good, 1));
    ALLOWED(mica_resource_set_values, !mica_resource_set_values(w, &good, 1));
    FAILS(mica_resource_set_values.values.null, MICA_ERROR_NULL,
          mica_resource_set_values(w, NULL, 1));
    WITH_BAD_TYPES(
        mica_resource_set_values.values, FAILS, MICA_ERROR_TYPE,
        mica_resource_set_values(w, (const mica_value[]){good, {x, NULL, 0, 0, NULL}}, 2));
    FAILS(mica_resource_set_values.values.with_size, MICA_ERROR_SIZE,
          mica_resource_set_values(w, &wrong_size, 1));
    FAILS(mica_resource_set_values.values.with_tag_data, MICA_ERROR_SIZE,
          mica_resource_set_values(w, &tag_data, 1));
    FAILS(mica_resource_set_values.values.with_twice, MICA_ERROR_ARGUMENT,
          mica_resource_set_values(w, twice, 2));
    SILENT(mica_resource_set_values.count.zero, !mica_resource_set_values(w, NULL, 0));
    FAILS(mica_resource_set_values.count.huge, MICA_ERROR_MEMORY,
          mica_resource_set_values(w, then_none, HUGE_COUNT));

    NULL_WORLD(mica_resource_get, NULLS, mica_resource_get(w, p));
    ALLOWED(mica_resource_get, mica_resource_get(w, p));
    BAD_TYPES(mica_resource_get.type, NULLS, MICA_ERROR_TYPE, mica_resource_get(w, x));

    NULL_WORLD(mica_resource_get_mut, NULLS, mica_resource_get_mut(w, p));
    ALLOWED(mica_resource_get_mut, mica_resource_get_mut(w, p));
    BAD_TYPES(mica_resource_get_mut.type, NULLS, MICA_ERROR_TYPE, mica_resource_get_mut(w, x));

    NULL_WORLD(mica_resource_get_as, NULLS, mica_resource_get_as(w, p, 8, NULL));
    ALLOWED(mica_resource_get_as, mica_resource_get_as(w, p, 8, NULL));
    BAD_TYPES(mica_resource_get_as.type, NULLS, MICA_ERROR_TYPE,
              mica_resource_get_as(w, x, 8, NULL));
    NULLS(mica_resource_get_as.size.zero, MICA_ERROR_SIZE, mica_resource_get_as(w, p, 0, NULL));
    NULLS(mica_resource_get_as.size.wrong, MICA_ERROR_SIZE, mica_resource_get_as(w, p, 4, NULL));
    NULLS(mica_resource_get_as.size.huge, MICA_ERROR_SIZE,
          mica_resource_get_as(w, p, UINT32_MAX, NULL));

    NULL_WORLD(mica_resource_get_mut_as, NULLS, mica_resource_get_mut_as(w, p, 8, NULL));
    ALLOWED(mica_resource_get_mut_as, mica_resource_get_mut_as(w, p, 8, NULL));
    BAD_TYPES(mica_resource_get_mut_as.type, NULLS, MICA_ERROR_TYPE,
              mica_resource_get_mut_as(w, x, 8, NULL));
    NULLS(mica_resource_get_mut_as.size.zero, MICA_ERROR_SIZE,
          mica_resource_get_mut_as(w, p, 0, NULL));
    NULLS(mica_resource_get_mut_as.size.wrong, MICA_ERROR_SIZE,
          mica_resource_get_mut_as(w, p, 4, NULL));
    NULLS(mica_resource_get_mut_as.size.huge, MICA_ERROR_SIZE,
          mica_resource_get_mut_as(w, p, UINT32_MAX, NULL));

    NULL_WORLD(mica_resource_remove, FAILS, mica_resource_remove(w, p));
    ALLOWED(mica_resource_remove, !mica_resource_remove(w, t->tag));
    BAD_TYPES(mica_resource_remove.type, FAILS, MICA_ERROR_TYPE, mica_resource_remove(w, x));
    table_end(t);
}

TESTS(table_resource, resources_refuse_bad_arguments)
