// The rows of <mica/image.h>.
#include "negative/table.h"

#include <string.h>

// Descriptors that are wrong.
typedef struct save_descs {
    mica_save_desc garbage, unended, oversized;
} save_descs;

static save_descs bad_save_descs(void)
{
    save_descs d = {.unended.last_zero = 1, .oversized.format = MICA_IMAGE_FORMAT_COUNT};
    memset(&d.garbage, 0xA5, sizeof d.garbage);
    return d;
}

typedef struct load_descs {
    mica_load_desc garbage, unended, oversized, contradictory;
} load_descs;

static load_descs bad_load_descs(void)
{
    static const mica_alias nothing = {.field = "x"};
    load_descs d = {.unended.last_zero = 1,
                    .oversized.unknown = MICA_UNKNOWN_COUNT,
                    .contradictory = {.aliases = &nothing, .alias_count = 1}};
    memset(&d.garbage, 0xA5, sizeof d.garbage);
    return d;
}

static void saving_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const save_descs d = bad_save_descs();

    NULL_WORLD(mica_world_save, FAILS, mica_world_save(w, &t->stream, NULL));
    REFUSED(mica_world_save, FAILS, mica_world_save(w, &t->stream, NULL));
    BAD_STREAMS(mica_world_save.stream, FAILS, mica_world_save(w, x, NULL));
    SILENT(mica_world_save.desc.null, mica_world_save(w, &t->stream, NULL) == MICA_OK);
    SILENT(mica_world_save.desc.zeroed,
           mica_world_save(w, &t->stream, &(mica_save_desc){0}) == MICA_OK);
    FAILS(mica_world_save.desc.garbage, MICA_ERROR_DESC,
          mica_world_save(w, &t->stream, &d.garbage));
    FAILS(mica_world_save.desc.unended, MICA_ERROR_DESC,
          mica_world_save(w, &t->stream, &d.unended));
    FAILS(mica_world_save.desc.oversized, MICA_ERROR_ARGUMENT,
          mica_world_save(w, &t->stream, &d.oversized));
    table_end(t);
}

static void loading_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const load_descs d = bad_load_descs();
    CHECK_EQUAL(MICA_OK, mica_world_save(w, &t->stream, NULL));

    NULL_WORLD(mica_world_load, FAILS, mica_world_load(w, &t->stream, NULL));
    REFUSED(mica_world_load, FAILS, mica_world_load(w, &t->stream, NULL));
    BAD_STREAMS(mica_world_load.stream, FAILS, mica_world_load(w, x, NULL));
    SILENT(mica_world_load.desc.null, mica_world_load(w, &t->stream, NULL) == MICA_OK);
    SILENT(mica_world_load.desc.zeroed,
           mica_world_load(w, &t->stream, &(mica_load_desc){0}) == MICA_OK);
    FAILS(mica_world_load.desc.garbage, MICA_ERROR_DESC,
          mica_world_load(w, &t->stream, &d.garbage));
    FAILS(mica_world_load.desc.unended, MICA_ERROR_DESC,
          mica_world_load(w, &t->stream, &d.unended));
    FAILS(mica_world_load.desc.oversized, MICA_ERROR_ARGUMENT,
          mica_world_load(w, &t->stream, &d.oversized));
    FAILS(mica_world_load.desc.contradictory, MICA_ERROR_ARGUMENT,
          mica_world_load(w, &t->stream, &d.contradictory));
    table_end(t);
}

static void saving_parts_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;
    const save_descs d = bad_save_descs();
    mica_subset_stats part;

    NULL_WORLD(mica_subset_save, FAILS, mica_subset_save(w, q, &t->stream, NULL, &part));
    REFUSED(mica_subset_save, FAILS, mica_subset_save(w, q, &t->stream, NULL, &part));
    BAD_QUERIES(mica_subset_save.query, FAILS, MICA_ERROR_QUERY,
                mica_subset_save(w, x, &t->stream, NULL, &part));
    BAD_STREAMS(mica_subset_save.stream, FAILS, mica_subset_save(w, q, x, NULL, &part));
    SILENT(mica_subset_save.desc.null, mica_subset_save(w, q, &t->stream, NULL, &part) == MICA_OK);
    SILENT(mica_subset_save.desc.zeroed,
           mica_subset_save(w, q, &t->stream, &(mica_save_desc){0}, &part) == MICA_OK);
    FAILS(mica_subset_save.desc.garbage, MICA_ERROR_DESC,
          mica_subset_save(w, q, &t->stream, &d.garbage, &part));
    FAILS(mica_subset_save.desc.unended, MICA_ERROR_DESC,
          mica_subset_save(w, q, &t->stream, &d.unended, &part));
    FAILS(mica_subset_save.desc.oversized, MICA_ERROR_ARGUMENT,
          mica_subset_save(w, q, &t->stream, &d.oversized, &part));
    SILENT(mica_subset_save.stats_out.null,
           mica_subset_save(w, q, &t->stream, NULL, NULL) == MICA_OK);
    table_end(t);
}

static void loading_parts_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const load_descs d = bad_load_descs();
    mica_entity e[4];
    mica_subset_stats p;
    CHECK_EQUAL(MICA_OK, mica_subset_save(w, t->nobody, &t->stream, NULL, NULL));

    NULL_WORLD(mica_subset_load, FAILS, mica_subset_load(w, &t->stream, NULL, e, 4, &p));
    REFUSED(mica_subset_load, FAILS, mica_subset_load(w, &t->stream, NULL, e, 4, &p));
    BAD_STREAMS(mica_subset_load.stream, FAILS, mica_subset_load(w, x, NULL, e, 4, &p));
    SILENT(mica_subset_load.desc.null, mica_subset_load(w, &t->stream, NULL, e, 4, &p) == MICA_OK);
    SILENT(mica_subset_load.desc.zeroed,
           mica_subset_load(w, &t->stream, &(mica_load_desc){0}, e, 4, &p) == MICA_OK);
    FAILS(mica_subset_load.desc.garbage, MICA_ERROR_DESC,
          mica_subset_load(w, &t->stream, &d.garbage, e, 4, &p));
    FAILS(mica_subset_load.desc.unended, MICA_ERROR_DESC,
          mica_subset_load(w, &t->stream, &d.unended, e, 4, &p));
    FAILS(mica_subset_load.desc.oversized, MICA_ERROR_ARGUMENT,
          mica_subset_load(w, &t->stream, &d.oversized, e, 4, &p));
    FAILS(mica_subset_load.desc.contradictory, MICA_ERROR_ARGUMENT,
          mica_subset_load(w, &t->stream, &d.contradictory, e, 4, &p));
    FAILS(mica_subset_load.entities_out.null, MICA_ERROR_NULL,
          mica_subset_load(w, &t->stream, NULL, NULL, 4, &p));
    SILENT(mica_subset_load.capacity.zero,
           mica_subset_load(w, &t->stream, NULL, NULL, 0, &p) == MICA_OK);
    SILENT(mica_subset_load.capacity.huge,
           mica_subset_load(w, &t->stream, NULL, e, UINT32_MAX, &p) == MICA_OK);
    SILENT(mica_subset_load.stats_out.null,
           mica_subset_load(w, &t->stream, NULL, e, 4, NULL) == MICA_OK);
    table_end(t);
}

TESTS(table_image, saving_refuses_bad_arguments, loading_refuses_bad_arguments,
      saving_parts_refuses_bad_arguments, loading_parts_refuses_bad_arguments)
