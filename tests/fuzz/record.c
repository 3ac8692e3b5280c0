// Records what a world would save as a tree (tree.h): this is the code that saves worlds, compiled again with
// another codec. Its functions get other names, so that the library has its own beside them.
#define micai_savers recorded_savers
#define micai_saver_count recorded_saver_count
#define micai_save_by_hook record_by_hook
#define micai_save_convert record_convert
#define micai_save_converted record_converted
#define micai_save_values record_values
#define micai_save_pick record_pick
#define micai_save_entities record_entities
#define mica_world_save record_world_save
#define mica_subset_save record_part_save
#define micai_codec_binary recorder
#define micai_codec_json recorder
#include "image/save.c"

#include "fuzz/tree.h"

#include <stdlib.h>

enum { DEPTH_MAX = 32 };

static struct {
    micai_archive base;
    tree *open[DEPTH_MAX];
    uint32_t depth;
} recording;

static tree *record(tree_kind kind, const char *name, uint64_t number, uint32_t size)
{
    tree *node = tree_new(kind, name);
    if (!node) {
        abort();
    }
    node->number = number;
    node->size = size;
    tree_append(recording.open[recording.depth], node);
    return node;
}

static void record_open(tree_kind kind, const char *name)
{
    tree *node = record(kind, name, 0, 0);
    recording.open[++recording.depth] = node;
}

static void record_object(micai_archive *a, const char *name)
{
    (void)a;
    record_open(TREE_OBJECT, name);
}

static void record_list(micai_archive *a, const char *name, uint32_t *count, uint32_t max)
{
    (void)a, (void)count, (void)max;
    record_open(TREE_LIST, name);
}

static void record_end(micai_archive *a, const char *name)
{
    (void)a, (void)name;
    recording.depth--;
}

static void record_number(micai_archive *a, const char *name, uint64_t *number, uint64_t max)
{
    (void)a, (void)max;
    record(TREE_NUMBER, name, *number, 8);
}

static void record_integer(micai_archive *a, const char *name, int64_t *number)
{
    (void)a;
    record(TREE_INTEGER, name, (uint64_t)*number, 8);
}

static void record_real(micai_archive *a, const char *name, double *real)
{
    uint64_t bits;
    (void)a;
    memcpy(&bits, real, sizeof bits);
    record(TREE_REAL, name, bits, 8);
}

static void record_flag(micai_archive *a, const char *name, bool *flag)
{
    (void)a;
    record(TREE_FLAG, name, *flag, 1);
}

static void record_bytes(micai_archive *a, const char *name, const unsigned char **data,
                         uint32_t *size)
{
    (void)a;
    tree *node = record(TREE_BYTES, name, 0, 0);
    node->bytes = tree_bytes(*data, *size, 0);
    node->byte_count = *size;
}

static void record_text(micai_archive *a, const char *name, const char **text)
{
    const unsigned char *bytes = (const unsigned char *)*text;
    uint32_t size = (uint32_t)strlen(*text);
    record_bytes(a, name, &bytes, &size);
    recording.open[recording.depth]->last->kind = TREE_TEXT;
}

static void record_entity(micai_archive *a, const char *name, mica_entity *entity)
{
    (void)a;
    record(TREE_ENTITY, name, entity->bits, 8);
}

static void record_type(micai_archive *a, const char *name, uint32_t *number)
{
    (void)a;
    record(TREE_TYPE, name, *number, 4);
}

static void record_numbers(micai_archive *a, const char *name, uint64_t *list, uint32_t count)
{
    record_open(TREE_ROW, name);
    for (uint32_t i = 0; i < count; i++) {
        record(TREE_NUMBER, NULL, list[i], 8);
    }
    record_end(a, name);
}

static void record_handles(micai_archive *a, const char *name, mica_entity *list, uint32_t count)
{
    record_open(TREE_ROW, name);
    for (uint32_t i = 0; i < count; i++) {
        record(TREE_ENTITY, NULL, list[i].bits, 8);
    }
    record_end(a, name);
}

static void record_flags(micai_archive *a, const char *name, unsigned char *list, uint32_t count)
{
    record_open(TREE_ROW, name);
    for (uint32_t i = 0; i < count; i++) {
        record(TREE_BIT, NULL, list[i], 1);
    }
    record_end(a, name);
}

static void record_described(micai_archive *a, const char *name, const micai_schema_type *type,
                             unsigned char *values, uint32_t count)
{
    record_open(TREE_ROW, name);
    for (uint32_t i = 0; i < count; i++) {
        tree *node = record(TREE_VALUE, NULL, (uint64_t)(type - a->schema->types), 0);
        node->bytes = tree_bytes(values + (size_t)i * type->size, type->size, 0);
        node->byte_count = type->size;
    }
    record_end(a, name);
}

static const micai_archive_calls calls = {
    .begin_section = record_object,
    .begin_object = record_object,
    .begin_list = record_list,
    .end = record_end,
    .end_section = record_end,
    .number = record_number,
    .integer = record_integer,
    .real = record_real,
    .flag = record_flag,
    .text = record_text,
    .bytes = record_bytes,
    .entity = record_entity,
    .type = record_type,
    .numbers = record_numbers,
    .entities = record_handles,
    .flags = record_flags,
    .values = record_described,
};

static micai_archive *open_recorder(micai_host *host, const char *call, micai_output *output,
                                    micai_input *input)
{
    (void)output, (void)input;
    recording.base = (micai_archive){.calls = &calls, .host = host, .call = call};
    return &recording.base;
}

static mica_result close_recorder(micai_archive *a, mica_result result)
{
    return result ? result : a->failed;
}

const micai_codec recorder = {.open = open_recorder, .close = close_recorder};

tree *tree_record(mica_world *world)
{
    mica_buffer nothing = {0};
    tree *root = tree_new(TREE_OBJECT, NULL);
    root->number = MICA_IMAGE_VERSION;
    recording.open[0] = root;
    recording.depth = 0;
    mica_result result = record_world_save(world, &(mica_stream){.buffer = &nothing}, NULL);
    mica_buffer_free(&nothing);
    if (result || recording.depth != 0) {
        abort();
    }
    return root;
}
