// The rows of <mica/type.h>, <mica/field.h> and <mica/type_set.h>.
#include "negative/table.h"

#include <string.h>

static mica_result copy_nothing(void *target, const void *source, uint32_t count,
                                const mica_hook_context *context)
{
    (void)target;
    (void)source;
    (void)count;
    (void)context;
    return MICA_OK;
}

static void types_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_type_desc known = {.name = "Weight", .size = 4, .align = 4, .plain = true};
    mica_type_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_type_desc unended = {.name = "New", .last_zero = 1};
    const mica_type_desc oversized = {.name = "New", .size = MICA_TYPE_SIZE_MAX + 4, .align = 4};
    const mica_type_desc contradictory = {
        .name = "New", .size = 4, .align = 4, .default_value = "abc", .hooks.copy = copy_nothing};

    SILENT(mica_kind_name.kind.beyond, !strcmp(mica_kind_name(MICA_KIND_COUNT), "none"));
    SILENT(mica_kind_name.kind.negative, !strcmp(mica_kind_name((mica_kind)-1), "none"));

    NULL_WORLD(mica_type_register, NONES, mica_type_register(w, &known));
    ALLOWED(mica_type_register, MICA_EQUAL(t->weight, mica_type_register(w, &known)));
    NONES(mica_type_register.desc.null, MICA_ERROR_NULL, mica_type_register(w, NULL));
    NONES(mica_type_register.desc.zeroed, MICA_ERROR_NAME,
          mica_type_register(w, &(mica_type_desc){0}));
    NONES(mica_type_register.desc.garbage, MICA_ERROR_DESC, mica_type_register(w, &garbage));
    NONES(mica_type_register.desc.unended, MICA_ERROR_DESC, mica_type_register(w, &unended));
    NONES(mica_type_register.desc.oversized, MICA_ERROR_SIZE, mica_type_register(w, &oversized));
    NONES(mica_type_register.desc.contradictory, MICA_ERROR_ARGUMENT,
          mica_type_register(w, &contradictory));

    mica_type types[2];
    const mica_type_desc last_bad[] = {{.name = "New"}, {0}};
    NULL_WORLD(mica_type_register_all, FAILS, mica_type_register_all(w, &known, 1, types));
    ALLOWED(mica_type_register_all,
            !mica_type_register_all(w, &known, 1, types) && MICA_EQUAL(t->weight, types[0]));
    FAILS(mica_type_register_all.descs.null, MICA_ERROR_NULL,
          mica_type_register_all(w, NULL, 1, types));
    FAILS(mica_type_register_all.descs.zeroed, MICA_ERROR_NAME,
          mica_type_register_all(w, last_bad, 2, types));
    FAILS(mica_type_register_all.descs.garbage, MICA_ERROR_DESC,
          mica_type_register_all(w, &garbage, 1, types));
    FAILS(mica_type_register_all.descs.unended, MICA_ERROR_DESC,
          mica_type_register_all(w, &unended, 1, types));
    FAILS(mica_type_register_all.descs.oversized, MICA_ERROR_SIZE,
          mica_type_register_all(w, &oversized, 1, types));
    FAILS(mica_type_register_all.descs.contradictory, MICA_ERROR_ARGUMENT,
          mica_type_register_all(w, &contradictory, 1, types));
    SILENT(mica_type_register_all.count.zero, !mica_type_register_all(w, NULL, 0, NULL));
    FAILS(mica_type_register_all.count.huge, MICA_ERROR_LIMIT,
          mica_type_register_all(w, &known, HUGE_COUNT, types));
    FAILS(mica_type_register_all.types_out.null, MICA_ERROR_NULL,
          mica_type_register_all(w, &known, 1, NULL));

    NULL_WORLD(mica_type_change_storage, FAILS,
               mica_type_change_storage(w, t->weight, MICA_SPARSE));
    REFUSED(mica_type_change_storage, FAILS, mica_type_change_storage(w, t->weight, MICA_SPARSE));
    BAD_TYPES(mica_type_change_storage.type, FAILS, MICA_ERROR_TYPE,
              mica_type_change_storage(w, x, MICA_SPARSE));
    FAILS(mica_type_change_storage.storage.beyond, MICA_ERROR_ARGUMENT,
          mica_type_change_storage(w, t->weight, MICA_STORAGE_COUNT));
    FAILS(mica_type_change_storage.storage.negative, MICA_ERROR_ARGUMENT,
          mica_type_change_storage(w, t->weight, (mica_storage)-1));

    NULL_WORLD(mica_type_find, NONES, mica_type_find(w, "Tag"));
    ALLOWED(mica_type_find, MICA_EQUAL(t->tag, mica_type_find(w, "Tag")));
    NONES(mica_type_find.name.null, MICA_ERROR_NULL, mica_type_find(w, NULL));
    BAD_NAMES(mica_type_find.name, SILENT, MICA_OK, MICA_IS_NONE(mica_type_find(w, x)));
    SILENT(mica_type_find.name.unknown, MICA_IS_NONE(mica_type_find(w, "Unknown")));

    NULL_WORLD(mica_type_get_info, NULLS, mica_type_get_info(w, t->tag));
    ALLOWED(mica_type_get_info, mica_type_get_info(w, t->tag));
    BAD_TYPES(mica_type_get_info.type, NULLS, MICA_ERROR_TYPE, mica_type_get_info(w, x));

    NULL_WORLD(mica_type_next, NONES, mica_type_next(w, t->tag));
    ALLOWED(mica_type_next, MICA_EQUAL(t->extra[0], mica_type_next(w, t->tag)));
    const mica_type *bad = t->types;
    SILENT(mica_type_next.previous.none, MICA_EQUAL(t->position, mica_type_next(w, bad[0])));
    NONES(mica_type_next.previous.garbage, MICA_ERROR_TYPE, mica_type_next(w, bad[1]));
    NONES(mica_type_next.previous.foreign, MICA_ERROR_TYPE, mica_type_next(w, bad[2]));
    table_end(t);
}

static void sets_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_type_set *set = &t->set;
    mica_type_set target = {0};
    mica_type_set other = t->foreign_set;

    NULL_WORLD(mica_type_set_free, NULLS, (mica_type_set_free(w, set), !mica_type_set_count(set)));
    ALLOWED(mica_type_set_free, (mica_type_set_free(w, &target), true));
    NULLS(mica_type_set_free.set.null, MICA_ERROR_NULL, (mica_type_set_free(w, NULL), false));
    SILENT(mica_type_set_free.set.foreign,
           (mica_type_set_free(w, &other), !mica_type_set_count(&other)));

    NULL_WORLD(mica_type_set_add, FAILS, mica_type_set_add(w, &target, t->tag));
    ALLOWED(mica_type_set_add, !mica_type_set_add(w, &target, t->tag));
    FAILS(mica_type_set_add.target.null, MICA_ERROR_NULL, mica_type_set_add(w, NULL, t->tag));
    other = t->foreign_set;
    SILENT(mica_type_set_add.target.foreign, !mica_type_set_add(w, &other, t->tag));
    BAD_TYPES(mica_type_set_add.type, FAILS, MICA_ERROR_TYPE, mica_type_set_add(w, set, x));

    const mica_type tag_twice[] = {t->tag, t->tag};
    NULL_WORLD(mica_type_set_add_list, FAILS, mica_type_set_add_list(w, &target, tag_twice, 2));
    ALLOWED(mica_type_set_add_list, !mica_type_set_add_list(w, &target, tag_twice, 2));
    FAILS(mica_type_set_add_list.target.null, MICA_ERROR_NULL,
          mica_type_set_add_list(w, NULL, tag_twice, 2));
    other = t->foreign_set;
    SILENT(mica_type_set_add_list.target.foreign, !mica_type_set_add_list(w, &other, tag_twice, 2));
    FAILS(mica_type_set_add_list.types.null, MICA_ERROR_NULL,
          mica_type_set_add_list(w, &target, NULL, 1));
    WITH_BAD_TYPES(mica_type_set_add_list.types, FAILS, MICA_ERROR_TYPE,
                   mica_type_set_add_list(w, set, (const mica_type[]){t->tag, x}, 2));
    SILENT(mica_type_set_add_list.types.with_twice,
           !mica_type_set_add_list(w, &target, tag_twice, 2));
    SILENT(mica_type_set_add_list.count.zero, !mica_type_set_add_list(w, &target, tag_twice, 0));
    FAILS(mica_type_set_add_list.count.huge, MICA_ERROR_TYPE,
          mica_type_set_add_list(w, &target, (const mica_type[]){t->tag, {0}}, HUGE_COUNT));

    NULL_WORLD(mica_type_set_remove, FAILS, mica_type_set_remove(w, &target, t->tag));
    ALLOWED(mica_type_set_remove, !mica_type_set_remove(w, &target, t->tag));
    FAILS(mica_type_set_remove.target.null, MICA_ERROR_NULL, mica_type_set_remove(w, NULL, t->tag));
    other = t->foreign_set;
    SILENT(mica_type_set_remove.target.foreign, !mica_type_set_remove(w, &other, t->tag));
    BAD_TYPES(mica_type_set_remove.type, FAILS, MICA_ERROR_TYPE, mica_type_set_remove(w, set, x));

    NULL_WORLD(mica_type_set_copy, FAILS, mica_type_set_copy(w, &target, set));
    ALLOWED(mica_type_set_copy, !mica_type_set_copy(w, &target, set));
    FAILS(mica_type_set_copy.target.null, MICA_ERROR_NULL, mica_type_set_copy(w, NULL, set));
    SILENT(mica_type_set_copy.target.foreign, !mica_type_set_copy(w, &other, set));
    other = t->foreign_set;
    FAILS(mica_type_set_copy.source.null, MICA_ERROR_NULL, mica_type_set_copy(w, &target, NULL));
    SILENT(mica_type_set_copy.source.foreign, !mica_type_set_copy(w, &target, &other));

    NULL_WORLD(mica_type_set_union, FAILS, mica_type_set_union(w, &target, set, set));
    ALLOWED(mica_type_set_union, !mica_type_set_union(w, &target, set, set));
    FAILS(mica_type_set_union.target.null, MICA_ERROR_NULL, mica_type_set_union(w, NULL, set, set));
    SILENT(mica_type_set_union.target.foreign, !mica_type_set_union(w, &other, set, set));
    FAILS(mica_type_set_union.a.null, MICA_ERROR_NULL, mica_type_set_union(w, &target, NULL, set));
    SILENT(mica_type_set_union.a.foreign, !mica_type_set_union(w, &target, &t->foreign_set, set));
    FAILS(mica_type_set_union.b.null, MICA_ERROR_NULL, mica_type_set_union(w, &target, set, NULL));
    SILENT(mica_type_set_union.b.foreign, !mica_type_set_union(w, &target, set, &t->foreign_set));

    NULL_WORLD(mica_type_set_intersection, FAILS, mica_type_set_intersection(w, &target, set, set));
    ALLOWED(mica_type_set_intersection, !mica_type_set_intersection(w, &target, set, set));
    FAILS(mica_type_set_intersection.target.null, MICA_ERROR_NULL,
          mica_type_set_intersection(w, NULL, set, set));
    SILENT(mica_type_set_intersection.target.foreign,
           !mica_type_set_intersection(w, &other, set, set));
    FAILS(mica_type_set_intersection.a.null, MICA_ERROR_NULL,
          mica_type_set_intersection(w, &target, NULL, set));
    SILENT(mica_type_set_intersection.a.foreign,
           !mica_type_set_intersection(w, &target, &t->foreign_set, set));
    FAILS(mica_type_set_intersection.b.null, MICA_ERROR_NULL,
          mica_type_set_intersection(w, &target, set, NULL));
    SILENT(mica_type_set_intersection.b.foreign,
           !mica_type_set_intersection(w, &target, set, &t->foreign_set));

    NULL_WORLD(mica_type_set_difference, FAILS, mica_type_set_difference(w, &target, set, set));
    ALLOWED(mica_type_set_difference, !mica_type_set_difference(w, &target, set, set));
    FAILS(mica_type_set_difference.target.null, MICA_ERROR_NULL,
          mica_type_set_difference(w, NULL, set, set));
    SILENT(mica_type_set_difference.target.foreign, !mica_type_set_difference(w, &other, set, set));
    FAILS(mica_type_set_difference.a.null, MICA_ERROR_NULL,
          mica_type_set_difference(w, &target, NULL, set));
    SILENT(mica_type_set_difference.a.foreign,
           !mica_type_set_difference(w, &target, &t->foreign_set, set));
    FAILS(mica_type_set_difference.b.null, MICA_ERROR_NULL,
          mica_type_set_difference(w, &target, set, NULL));
    SILENT(mica_type_set_difference.b.foreign,
           !mica_type_set_difference(w, &target, set, &t->foreign_set));
    CHECK_EQUAL(2, mica_type_set_count(set));
    table_end(t);
}

static void questions_about_sets_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_type_set *set = &t->set;
    const mica_type_set *other = &t->foreign_set;

    NULL_WORLD(mica_type_set_has, NULLS, mica_type_set_has(w, set, t->tag));
    ALLOWED(mica_type_set_has, mica_type_set_has(w, set, t->tag));
    SILENT(mica_type_set_has.set.null, !mica_type_set_has(w, NULL, t->tag));
    SILENT(mica_type_set_has.set.foreign, !mica_type_set_has(w, other, t->tag));
    BAD_TYPES(mica_type_set_has.type, NULLS, MICA_ERROR_TYPE, mica_type_set_has(w, set, x));

    SILENT(mica_type_set_contains.whole.null, !mica_type_set_contains(NULL, set));
    SILENT(mica_type_set_contains.whole.foreign, !mica_type_set_contains(other, set));
    SILENT(mica_type_set_contains.part.null, mica_type_set_contains(set, NULL));
    SILENT(mica_type_set_contains.part.foreign, !mica_type_set_contains(set, other));
    SILENT(mica_type_set_overlaps.a.null, !mica_type_set_overlaps(NULL, set));
    SILENT(mica_type_set_overlaps.a.foreign, !mica_type_set_overlaps(other, set));
    SILENT(mica_type_set_overlaps.b.null, !mica_type_set_overlaps(set, NULL));
    SILENT(mica_type_set_overlaps.b.foreign, !mica_type_set_overlaps(set, other));
    SILENT(mica_type_set_equal.a.null, !mica_type_set_equal(NULL, set));
    SILENT(mica_type_set_equal.a.foreign, !mica_type_set_equal(other, set));
    SILENT(mica_type_set_equal.b.null, !mica_type_set_equal(set, NULL));
    SILENT(mica_type_set_equal.b.foreign, !mica_type_set_equal(set, other));
    SILENT(mica_type_set_count.set.null, mica_type_set_count(NULL) == 0);
    SILENT(mica_type_set_count.set.foreign, mica_type_set_count(other) == 1);

    NULL_WORLD(mica_type_set_next, NONES, mica_type_set_next(w, set, t->position));
    ALLOWED(mica_type_set_next, mica_type_set_next(w, set, t->position).bits == t->tag.bits);
    SILENT(mica_type_set_next.set.null, !mica_type_set_next(w, NULL, t->position).bits);
    SILENT(mica_type_set_next.set.foreign, !mica_type_set_next(w, other, t->position).bits);
    const mica_type *bad = t->types;
    SILENT(mica_type_set_next.previous.none,
           MICA_EQUAL(t->position, mica_type_set_next(w, set, bad[0])));
    NONES(mica_type_set_next.previous.garbage, MICA_ERROR_TYPE, mica_type_set_next(w, set, bad[1]));
    NONES(mica_type_set_next.previous.foreign, MICA_ERROR_TYPE, mica_type_set_next(w, set, bad[2]));

    mica_type list[4];
    NULL_WORLD(mica_type_set_list, NULLS, mica_type_set_list(w, set, list, 4));
    ALLOWED(mica_type_set_list, mica_type_set_list(w, set, list, 4) == 2);
    SILENT(mica_type_set_list.set.null, mica_type_set_list(w, NULL, list, 4) == 0);
    SILENT(mica_type_set_list.set.foreign, mica_type_set_list(w, other, list, 4) <= 1);
    NULLS(mica_type_set_list.types_out.null, MICA_ERROR_NULL, mica_type_set_list(w, set, NULL, 4));
    SILENT(mica_type_set_list.capacity.zero, mica_type_set_list(w, set, list, 0) == 2);
    SILENT(mica_type_set_list.capacity.huge, mica_type_set_list(w, set, list, UINT32_MAX) == 2);

    NULL_WORLD(mica_type_set_column_count, NULLS, mica_type_set_column_count(w, set));
    ALLOWED(mica_type_set_column_count, mica_type_set_column_count(w, set) == 1);
    SILENT(mica_type_set_column_count.set.null, mica_type_set_column_count(w, NULL) == 0);
    SILENT(mica_type_set_column_count.set.foreign, mica_type_set_column_count(w, other) == 0);

    NULL_WORLD(mica_type_set_column, NULLS, mica_type_set_column(w, set, t->position) + 1);
    ALLOWED(mica_type_set_column, mica_type_set_column(w, set, t->position) == 0);
    SILENT(mica_type_set_column.set.null, mica_type_set_column(w, NULL, t->position) == -1);
    SILENT(mica_type_set_column.set.foreign, mica_type_set_column(w, other, t->position) == -1);
    BAD_TYPES(mica_type_set_column.type, NULLS, MICA_ERROR_TYPE,
              mica_type_set_column(w, set, x) + 1);
    table_end(t);
}

TESTS(table_type, types_refuse_bad_arguments, sets_refuse_bad_arguments,
      questions_about_sets_refuse_bad_arguments)
