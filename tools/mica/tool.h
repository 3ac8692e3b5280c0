// The command-line tool: what its parts share. It is made of the public interface alone, and knows no
// types but those that the images describe.
#ifndef MICA_TOOL_H
#define MICA_TOOL_H

#include <mica.h>

#include <stdio.h>

// What the program ends with. The largest of several counts.
enum { TOOL_FINE = 0, TOOL_DIFFERS = 1, TOOL_TROUBLE = 2 };

typedef struct tool_options {
    bool progress; // shown always, not only on a terminal and after a while
    bool exact;    // order and ticks count as well
} tool_options;

// Progress, on standard error: a bar, if the whole is known, and else how many megabytes it is so far.
typedef struct tool_progress {
    const char *what; // what is being done: "reading"
    const char *name; // and to what: "world.mica"
    uint64_t whole;   // 0: not known
    bool shown;       // at all
    double begun;     // seconds
    double told;      // when it was drawn last; 0: never
} tool_progress;

void tool_progress_begin(tool_progress *p, const tool_options *options, const char *what,
                         const char *name, uint64_t whole);
void tool_progress_tell(tool_progress *p, uint64_t done);
void tool_progress_end(tool_progress *p);

// An image that was loaded into a world of its own.
typedef struct tool_image {
    const char *path; // as it was given; "-": standard input
    const char *name; // for those who read
    mica_world *world;
    uint64_t size; // bytes
    bool json;
} tool_image;

// TOOL_FINE; TOOL_DIFFERS if it is no good image, TOOL_TROUBLE if it could not be read: both have been told.
int tool_image_open(tool_image *image, const tool_options *options, const char *path);
void tool_image_close(tool_image *image);

// Tells what a call of the library said went wrong with the image, and returns what to end with.
int tool_complain(const tool_image *image, mica_result code);

// Text that grows; it ends with a zero.
typedef struct tool_text {
    char *chars; // NULL: nothing yet
    size_t size;
    size_t capacity;
} tool_text;

void tool_text_clear(tool_text *text);
void tool_text_add(tool_text *text, const char *format, ...) MICA_PRINTF(2, 3);
void tool_text_free(tool_text *text);

// The number of events that can be read.
uint32_t tool_event_count(mica_world *world, mica_type type);

// What a type is: "sparse, 8 bytes: x f32, y f32".
void tool_describe(tool_text *text, mica_world *world, const mica_type_info *type);

// A field of a value, or, without one, the value: as text.
void tool_tell_field(tool_text *text, mica_world *world, const mica_field_info *field,
                     const unsigned char *value);
void tool_tell_value(tool_text *text, mica_world *world, const mica_type_info *type,
                     const void *value);

// The commands.
int tool_info(const tool_options *options, const char *path);
int tool_json(const tool_options *options, const char *path, const char *target);
int tool_diff(const tool_options *options, const char *path, const char *other);
int tool_check(const tool_options *options, const char *path);

#endif
