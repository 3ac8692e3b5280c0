// The commands that look at one image: info, json, check.
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static uint32_t count_names(mica_world *world)
{
    uint32_t count = 0;
    for (mica_entity e = mica_entity_next(world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(world, e)) {
        count += mica_entity_name(world, e) != NULL;
    }
    return count;
}

static void tell_type(mica_world *world, const mica_type_info *type)
{
    tool_text text = {0};
    mica_type_stats stats = mica_type_get_stats(world, type->type);
    uint32_t events = type->size > 0 ? tool_event_count(world, type->type) : 0;
    tool_describe(&text, world, type);
    printf("  %-24s %10" PRIu32 "  %s\n", type->name, stats.rows, text.chars);
    const void *resource = type->size > 0 ? mica_resource_get(world, type->type) : NULL;
    if (resource) {
        tool_text_clear(&text);
        tool_tell_value(&text, world, type, resource);
        printf("  %-24s %10s  = %s\n", "", "resource", text.chars);
    }
    if (events > 0) {
        printf("  %-24s %10" PRIu32 "  events\n", "", events);
    }
    tool_text_free(&text);
}

int tool_info(const tool_options *options, const char *path)
{
    tool_image image;
    int result = tool_image_open(&image, options, path);
    if (result) {
        return result;
    }
    mica_world_stats stats = mica_world_get_stats(image.world);
    printf("%s: %s image, %" PRIu64 " bytes\n", image.name, image.json ? "JSON" : "binary",
           image.size);
    printf("  entities  %" PRIu32 ", %" PRIu32 " with a name\n", stats.entities,
           count_names(image.world));
    if (stats.facets > 0) {
        printf("  facets    %" PRIu32 "\n", stats.facets);
    }
    printf("  tables    %" PRIu32 "\n", stats.tables);
    printf("types, entities that have them, what they are:\n");
    for (mica_type type = mica_type_next(image.world, (mica_type){0}); !MICA_IS_NONE(type);
         type = mica_type_next(image.world, type)) {
        tell_type(image.world, mica_type_get_info(image.world, type));
    }
    tool_image_close(&image);
    return TOOL_FINE;
}

// Where JSON goes to that is to be shown.
typedef struct sink {
    tool_progress progress;
    uint64_t count;
} sink;

static bool write_some(void *user, const void *data, size_t size)
{
    sink *s = user;
    s->count += size;
    tool_progress_tell(&s->progress, s->count);
    return fwrite(data, 1, size, stdout) == size;
}

int tool_json(const tool_options *options, const char *path, const char *target)
{
    tool_image image;
    int result = tool_image_open(&image, options, path);
    if (result) {
        return result;
    }
    sink s = {0};
    const mica_save_desc desc = {.format = MICA_IMAGE_JSON};
    const mica_stream file = {.path = target};
    const mica_stream shown = {.write = write_some, .user = &s};
    tool_progress_begin(&s.progress, options, "writing", image.name, 0);
    mica_result saved = mica_world_save(image.world, target ? &file : &shown, &desc);
    tool_progress_end(&s.progress);
    if (saved) {
        tool_complain(&image, saved);
        result = TOOL_TROUBLE;
    } else if (!target && fflush(stdout) != 0) {
        fprintf(stderr, "mica: standard output cannot be written: %s\n", strerror(errno));
        result = TOOL_TROUBLE;
    }
    tool_image_close(&image);
    return result;
}

int tool_check(const tool_options *options, const char *path)
{
    tool_image image;
    int result = tool_image_open(&image, options, path);
    if (result) {
        return result;
    }
    mica_result valid = mica_world_validate(image.world);
    if (valid) {
        result = tool_complain(&image, valid);
    } else {
        printf("%s: fine: %" PRIu32 " entities, %" PRIu32 " types\n", image.name,
               mica_entity_count(image.world), mica_world_get_stats(image.world).types);
    }
    tool_image_close(&image);
    return result;
}
