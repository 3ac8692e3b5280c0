// The rows of <mica/group.h>.
#include "negative/table.h"

#include <string.h>

static int as_they_are(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)a;
    (void)b;
    (void)user;
    return 0;
}

static void groups_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_group_desc good = {.required = {t->loose, t->mark}};
    mica_group_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_group_desc unended = {.required = {t->loose, t->mark}, .last_zero = 1};
    const mica_group_desc contradictory = {.required = {t->loose}, .without = {t->loose}};

    NULL_WORLD(mica_group_new, NONES, mica_group_new(w, &good));
    REFUSED(mica_group_new, NONES, mica_group_new(w, &good));
    NONES(mica_group_new.desc.null, MICA_ERROR_NULL, mica_group_new(w, NULL));
    NONES(mica_group_new.desc.zeroed, MICA_ERROR_TERMS, mica_group_new(w, &(mica_group_desc){0}));
    NONES(mica_group_new.desc.garbage, MICA_ERROR_DESC, mica_group_new(w, &garbage));
    NONES(mica_group_new.desc.unended, MICA_ERROR_DESC, mica_group_new(w, &unended));
    NONES(mica_group_new.desc.contradictory, MICA_ERROR_TERMS, mica_group_new(w, &contradictory));

    NULL_WORLD(mica_group_free, FAILS, mica_group_free(w, t->group));
    REFUSED(mica_group_free, FAILS, mica_group_free(w, t->group));
    BAD_GROUPS(mica_group_free.group, FAILS, MICA_ERROR_GROUP, mica_group_free(w, x));
    table_end(t);
}

// Of components that no group owns.
static void sorting_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_type free = t->mark;

    NULL_WORLD(mica_sort, FAILS, mica_sort(w, free, as_they_are, NULL));
    REFUSED(mica_sort, FAILS, mica_sort(w, free, as_they_are, NULL));
    BAD_TYPES(mica_sort.type, FAILS, MICA_ERROR_TYPE, mica_sort(w, x, as_they_are, NULL));
    FAILS(mica_sort.compare.null, MICA_ERROR_NULL, mica_sort(w, free, NULL, NULL));
    SILENT(mica_sort.user.null, !mica_sort(w, free, as_they_are, NULL));

    NULL_WORLD(mica_sort_like, FAILS, mica_sort_like(w, free, t->loose));
    REFUSED(mica_sort_like, FAILS, mica_sort_like(w, free, t->loose));
    BAD_TYPES(mica_sort_like.type, FAILS, MICA_ERROR_TYPE, mica_sort_like(w, x, t->loose));
    BAD_TYPES(mica_sort_like.other, FAILS, MICA_ERROR_TYPE, mica_sort_like(w, free, x));
    table_end(t);
}

static void sorting_groups_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_group g = t->group;

    NULL_WORLD(mica_group_sort, FAILS, mica_group_sort(w, g, t->loose, as_they_are, NULL));
    REFUSED(mica_group_sort, FAILS, mica_group_sort(w, g, t->loose, as_they_are, NULL));
    BAD_GROUPS(mica_group_sort.group, FAILS, MICA_ERROR_GROUP,
               mica_group_sort(w, x, t->loose, as_they_are, NULL));
    BAD_TYPES(mica_group_sort.type, FAILS, MICA_ERROR_TYPE,
              mica_group_sort(w, g, x, as_they_are, NULL));
    FAILS(mica_group_sort.compare.null, MICA_ERROR_NULL,
          mica_group_sort(w, g, t->loose, NULL, NULL));
    SILENT(mica_group_sort.user.null, !mica_group_sort(w, g, t->loose, as_they_are, NULL));

    NULL_WORLD(mica_group_sort_like, FAILS, mica_group_sort_like(w, g, t->mark));
    REFUSED(mica_group_sort_like, FAILS, mica_group_sort_like(w, g, t->mark));
    BAD_GROUPS(mica_group_sort_like.group, FAILS, MICA_ERROR_GROUP,
               mica_group_sort_like(w, x, t->mark));
    BAD_TYPES(mica_group_sort_like.other, FAILS, MICA_ERROR_TYPE, mica_group_sort_like(w, g, x));
    table_end(t);
}

TESTS(table_group, groups_refuse_bad_arguments, sorting_refuses_bad_arguments,
      sorting_groups_refuses_bad_arguments)
