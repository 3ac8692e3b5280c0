// The rows of <mica/image.h>.
#include "negative/table.h"

#include <string.h>

static void saving_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_buffer buffer = {0};
    const mica_stream good = {.buffer = &buffer};
    mica_stream garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_stream contradictory = {.buffer = &buffer, .path = "image.mica"};
    mica_save_desc desc;
    memset(&desc, 0xA5, sizeof desc);
    const mica_save_desc unended = {.last_zero = 1};
    const mica_save_desc oversized = {.format = MICA_IMAGE_FORMAT_COUNT};

    NULL_WORLD(mica_world_save, FAILS, mica_world_save(w, &good, NULL));
    REFUSED(mica_world_save, FAILS, mica_world_save(w, &good, NULL));
    FAILS(mica_world_save.stream.null, MICA_ERROR_NULL, mica_world_save(w, NULL, NULL));
    FAILS(mica_world_save.stream.zeroed, MICA_ERROR_ARGUMENT,
          mica_world_save(w, &(mica_stream){0}, NULL));
    FAILS(mica_world_save.stream.garbage, MICA_ERROR_DESC, mica_world_save(w, &garbage, NULL));
    FAILS(mica_world_save.stream.contradictory, MICA_ERROR_ARGUMENT,
          mica_world_save(w, &contradictory, NULL));
    SILENT(mica_world_save.desc.null, mica_world_save(w, &good, NULL) == MICA_OK);
    SILENT(mica_world_save.desc.zeroed, mica_world_save(w, &good, &(mica_save_desc){0}) == MICA_OK);
    FAILS(mica_world_save.desc.garbage, MICA_ERROR_DESC, mica_world_save(w, &good, &desc));
    FAILS(mica_world_save.desc.unended, MICA_ERROR_DESC, mica_world_save(w, &good, &unended));
    FAILS(mica_world_save.desc.oversized, MICA_ERROR_ARGUMENT,
          mica_world_save(w, &good, &oversized));
    mica_buffer_free(&buffer);
    table_end(t);
}

static void loading_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_buffer buffer = {0};
    const mica_stream good = {.buffer = &buffer};
    mica_stream garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_stream contradictory = {.buffer = &buffer, .path = "image.mica"};
    mica_load_desc desc;
    memset(&desc, 0xA5, sizeof desc);
    const mica_load_desc unended = {.last_zero = 1};
    const mica_load_desc oversized = {.unknown = MICA_UNKNOWN_COUNT};
    const mica_alias nothing = {.field = "x"};
    const mica_load_desc contrary = {.aliases = &nothing, .alias_count = 1};
    CHECK_EQUAL(MICA_OK, mica_world_save(w, &good, NULL));

    NULL_WORLD(mica_world_load, FAILS, mica_world_load(w, &good, NULL));
    REFUSED(mica_world_load, FAILS, mica_world_load(w, &good, NULL));
    FAILS(mica_world_load.stream.null, MICA_ERROR_NULL, mica_world_load(w, NULL, NULL));
    FAILS(mica_world_load.stream.zeroed, MICA_ERROR_ARGUMENT,
          mica_world_load(w, &(mica_stream){0}, NULL));
    FAILS(mica_world_load.stream.garbage, MICA_ERROR_DESC, mica_world_load(w, &garbage, NULL));
    FAILS(mica_world_load.stream.contradictory, MICA_ERROR_ARGUMENT,
          mica_world_load(w, &contradictory, NULL));
    SILENT(mica_world_load.desc.null, mica_world_load(w, &good, NULL) == MICA_OK);
    SILENT(mica_world_load.desc.zeroed, mica_world_load(w, &good, &(mica_load_desc){0}) == MICA_OK);
    FAILS(mica_world_load.desc.garbage, MICA_ERROR_DESC, mica_world_load(w, &good, &desc));
    FAILS(mica_world_load.desc.unended, MICA_ERROR_DESC, mica_world_load(w, &good, &unended));
    FAILS(mica_world_load.desc.oversized, MICA_ERROR_ARGUMENT,
          mica_world_load(w, &good, &oversized));
    FAILS(mica_world_load.desc.contradictory, MICA_ERROR_ARGUMENT,
          mica_world_load(w, &good, &contrary));
    mica_buffer_free(&buffer);
    table_end(t);
}

static void saving_parts_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;
    mica_buffer buffer = {0};
    const mica_stream good = {.buffer = &buffer};
    mica_stream garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_stream contradictory = {.buffer = &buffer, .path = "image.mica"};
    mica_save_desc desc;
    memset(&desc, 0xA5, sizeof desc);
    const mica_save_desc unended = {.last_zero = 1};
    const mica_save_desc oversized = {.format = MICA_IMAGE_FORMAT_COUNT};
    mica_part part;

    NULL_WORLD(mica_part_save, FAILS, mica_part_save(w, q, &good, NULL, &part));
    REFUSED(mica_part_save, FAILS, mica_part_save(w, q, &good, NULL, &part));
    BAD_QUERIES(mica_part_save.query, FAILS, MICA_ERROR_QUERY,
                mica_part_save(w, x, &good, NULL, &part));
    FAILS(mica_part_save.stream.null, MICA_ERROR_NULL, mica_part_save(w, q, NULL, NULL, &part));
    FAILS(mica_part_save.stream.zeroed, MICA_ERROR_ARGUMENT,
          mica_part_save(w, q, &(mica_stream){0}, NULL, &part));
    FAILS(mica_part_save.stream.garbage, MICA_ERROR_DESC,
          mica_part_save(w, q, &garbage, NULL, &part));
    FAILS(mica_part_save.stream.contradictory, MICA_ERROR_ARGUMENT,
          mica_part_save(w, q, &contradictory, NULL, &part));
    SILENT(mica_part_save.desc.null, mica_part_save(w, q, &good, NULL, &part) == MICA_OK);
    SILENT(mica_part_save.desc.zeroed,
           mica_part_save(w, q, &good, &(mica_save_desc){0}, &part) == MICA_OK);
    FAILS(mica_part_save.desc.garbage, MICA_ERROR_DESC, mica_part_save(w, q, &good, &desc, &part));
    FAILS(mica_part_save.desc.unended, MICA_ERROR_DESC,
          mica_part_save(w, q, &good, &unended, &part));
    FAILS(mica_part_save.desc.oversized, MICA_ERROR_ARGUMENT,
          mica_part_save(w, q, &good, &oversized, &part));
    SILENT(mica_part_save.part_out.null, mica_part_save(w, q, &good, NULL, NULL) == MICA_OK);
    mica_buffer_free(&buffer);
    table_end(t);
}

static void loading_parts_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_buffer buffer = {0};
    const mica_stream good = {.buffer = &buffer};
    mica_stream garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_stream contradictory = {.buffer = &buffer, .path = "image.mica"};
    mica_load_desc desc;
    memset(&desc, 0xA5, sizeof desc);
    const mica_load_desc unended = {.last_zero = 1};
    const mica_load_desc oversized = {.unknown = MICA_UNKNOWN_COUNT};
    const mica_alias nothing = {.field = "x"};
    const mica_load_desc contrary = {.aliases = &nothing, .alias_count = 1};
    mica_entity e[4];
    mica_part p;
    CHECK_EQUAL(MICA_OK, mica_part_save(w, t->nobody, &good, NULL, NULL));

    NULL_WORLD(mica_part_load, FAILS, mica_part_load(w, &good, NULL, e, 4, &p));
    REFUSED(mica_part_load, FAILS, mica_part_load(w, &good, NULL, e, 4, &p));
    FAILS(mica_part_load.stream.null, MICA_ERROR_NULL, mica_part_load(w, NULL, NULL, e, 4, &p));
    FAILS(mica_part_load.stream.zeroed, MICA_ERROR_ARGUMENT,
          mica_part_load(w, &(mica_stream){0}, NULL, e, 4, &p));
    FAILS(mica_part_load.stream.garbage, MICA_ERROR_DESC,
          mica_part_load(w, &garbage, NULL, e, 4, &p));
    FAILS(mica_part_load.stream.contradictory, MICA_ERROR_ARGUMENT,
          mica_part_load(w, &contradictory, NULL, e, 4, &p));
    SILENT(mica_part_load.desc.null, mica_part_load(w, &good, NULL, e, 4, &p) == MICA_OK);
    SILENT(mica_part_load.desc.zeroed,
           mica_part_load(w, &good, &(mica_load_desc){0}, e, 4, &p) == MICA_OK);
    FAILS(mica_part_load.desc.garbage, MICA_ERROR_DESC, mica_part_load(w, &good, &desc, e, 4, &p));
    FAILS(mica_part_load.desc.unended, MICA_ERROR_DESC,
          mica_part_load(w, &good, &unended, e, 4, &p));
    FAILS(mica_part_load.desc.oversized, MICA_ERROR_ARGUMENT,
          mica_part_load(w, &good, &oversized, e, 4, &p));
    FAILS(mica_part_load.desc.contradictory, MICA_ERROR_ARGUMENT,
          mica_part_load(w, &good, &contrary, e, 4, &p));
    FAILS(mica_part_load.entities_out.null, MICA_ERROR_NULL,
          mica_part_load(w, &good, NULL, NULL, 4, &p));
    SILENT(mica_part_load.capacity.zero, mica_part_load(w, &good, NULL, NULL, 0, &p) == MICA_OK);
    SILENT(mica_part_load.capacity.huge,
           mica_part_load(w, &good, NULL, e, UINT32_MAX, &p) == MICA_OK);
    SILENT(mica_part_load.part_out.null, mica_part_load(w, &good, NULL, e, 4, NULL) == MICA_OK);
    mica_buffer_free(&buffer);
    table_end(t);
}

TESTS(table_image, saving_refuses_bad_arguments, loading_refuses_bad_arguments,
      saving_parts_refuses_bad_arguments, loading_parts_refuses_bad_arguments)
