// Images that are looked at: read with progress, into a world that takes its types from them.
#include "tool.h"

#include <errno.h>
#include <string.h>

// Where the bytes come from.
typedef struct source {
    FILE *file;
    tool_progress progress;
    uint64_t count;
    bool json; // by its first byte
} source;

static size_t read_some(void *user, void *data, size_t size)
{
    source *s = user;
    size_t got = fread(data, 1, size, s->file);
    if (got == 0 && ferror(s->file)) {
        return MICA_STREAM_FAILED;
    }
    if (s->count == 0 && got > 0) {
        s->json = strchr("{ \t\r\n", *(const char *)data) != NULL;
    }
    s->count += got;
    tool_progress_tell(&s->progress, s->count);
    return got;
}

static const char *explain(void *user)
{
    (void)user;
    return errno ? strerror(errno) : NULL;
}

// What goes wrong is told by who called.
static void keep_quiet(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)error, (void)user;
}

int tool_complain(const tool_image *image, mica_result code)
{
    const mica_error *error = mica_last_error(image->world);
    const char *sentence = strchr(error->sentence, ' '); // behind the name of the call
    fprintf(stderr, "mica: %s: %s\n", image->name, sentence ? sentence + 1 : error->sentence);
    return code == MICA_ERROR_STREAM || code == MICA_ERROR_MEMORY ? TOOL_TROUBLE : TOOL_DIFFERS;
}

static uint64_t size_of(FILE *file)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    rewind(file);
    return size > 0 ? (uint64_t)size : 0;
}

static int load(tool_image *image, const tool_options *options, FILE *file)
{
    source s = {.file = file};
    const mica_stream stream = {.read = read_some, .explain = explain, .user = &s};
    image->world = mica_world_new(&(mica_world_desc){.error_handler = keep_quiet});
    if (!image->world) {
        fprintf(stderr, "mica: there is no more memory\n");
        return TOOL_TROUBLE;
    }
    tool_progress_begin(&s.progress, options, "reading", image->name,
                        file == stdin ? 0 : size_of(file));
    errno = 0;
    mica_result result =
        mica_world_load(image->world, &stream, &(mica_load_desc){.unknown = MICA_UNKNOWN_KEPT});
    tool_progress_end(&s.progress);
    image->size = s.count;
    image->json = s.json;
    return result ? tool_complain(image, result) : TOOL_FINE;
}

int tool_image_open(tool_image *image, const tool_options *options, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    *image = (tool_image){.path = path, .name = standard ? "standard input" : path};
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "mica: %s: cannot be read: %s\n", path, strerror(errno));
        return TOOL_TROUBLE;
    }
    int result = load(image, options, file);
    if (!standard) {
        fclose(file);
    }
    if (result) {
        tool_image_close(image);
    }
    return result;
}

void tool_image_close(tool_image *image)
{
    if (image->world) {
        mica_world_free(image->world);
        image->world = NULL;
    }
}
