// make demo: a flock in the terminal. Without a terminal: 300 frames, figures and a picture.
#include "keys.h"
#include "picture.h"
#include "screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: flock [--birds N] [--frames N] [--threads N] [--keys KEYS] [--picture FILE]\n"
    "  --birds N        how many there are at first (100000)\n"
    "  --frames N       stop after so many; without a terminal, 300\n"
    "  --threads N      how many threads simulate at first (as many as the machine has cores)\n"
    "  --keys KEYS      without a terminal: press these at the end, one in each frame\n"
    "  --picture FILE   where the last frame goes, as a PNG file (flock.png, without a terminal)\n"
    "keys: " KEYS_SHORT "\n";

typedef struct options {
    uint32_t birds;
    uint32_t frames;  // 0: until the user quits
    uint32_t threads; // 0: as many as the machine has cores
    const char *keys;
    const char *picture;
} options;

// A number of at most eight digits; 0 if it is not a number.
static uint32_t read_number(const char *text)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits > 0 && digits <= 8 && text[digits] == '\0' ? (uint32_t)strtoul(text, NULL, 10)
                                                             : 0;
}

static bool read_options(options *o, int count, char **arguments)
{
    bool good = true;
    for (int i = 1; good && i < count; i += 2) {
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (strcmp(arguments[i], "--birds") == 0) {
            good = (o->birds = read_number(value)) > 0;
        } else if (strcmp(arguments[i], "--frames") == 0) {
            good = (o->frames = read_number(value)) > 0;
        } else if (strcmp(arguments[i], "--threads") == 0) {
            good = (o->threads = read_number(value)) > 0;
        } else if (strcmp(arguments[i], "--keys") == 0) {
            good = (o->keys = value) != NULL;
        } else if (strcmp(arguments[i], "--picture") == 0) {
            good = (o->picture = value) != NULL;
        } else {
            good = false;
        }
    }
    return good;
}

static bool save_picture(flock *f, const char *path)
{
    picture p = {0};
    bool drawn = picture_resize(&p, 960, 540);
    if (drawn) {
        picture_draw(&p, f);
    }
    bool saved = drawn && picture_save(&p, path);
    if (saved) {
        printf("the last frame is in %s\n", path);
    } else {
        fprintf(stderr, "flock: %s: %s\n", path, strerror(errno));
    }
    picture_free(&p);
    return saved;
}

static void print_summary(flock *f, uint32_t frames, double seconds)
{
    const Census *c = MICA_RESOURCE(f->world, f->census, Census);
    printf("%u frames of 1/30 s in %.2f s: %.0f a second\n", (unsigned)frames, seconds,
           frames / (seconds > 0 ? seconds : 1));
    printf("%u birds, %u in panic; %u were born, %u starved, %u were caught\n\n",
           (unsigned)c->birds, (unsigned)c->panicking, (unsigned)c->born, (unsigned)c->starved,
           (unsigned)c->caught);
    mica_timings_print(f->world, NULL);
    printf("%u thread%s, digest %016llx\n", (unsigned)flock_threads(f),
           flock_threads(f) > 1 ? "s" : "", (unsigned long long)mica_world_digest(f->world));
}

// Presses keys, and plays a frame after each.
static bool press_quietly(flock *f, const char *pressed)
{
    keys k = {0};
    bool good = true;
    for (; good && *pressed; pressed++) {
        keys_press(&k, f, (unsigned char)*pressed);
        good = keys_play(&k, f, 1.0 / 30);
    }
    printf("frame %u of %u, back in %.2f ms\n", (unsigned)f->frame, (unsigned)flock_last_frame(f),
           k.back_ms);
    return good;
}

static bool run_quietly(flock *f, uint32_t frames)
{
    double began = screen_seconds();
    for (uint32_t i = 0; i < frames; i++) {
        if (flock_step(f, 1.0 / 30)) {
            return false;
        }
    }
    print_summary(f, frames, screen_seconds() - began);
    return true;
}

int main(int count, char **arguments)
{
    options o = {.birds = 100000};
    if (!read_options(&o, count, arguments)) {
        fputs(usage, stderr);
        return 2;
    }
    flock f;
    if (!flock_begin(&f, o.birds)) {
        return 1;
    }
    (void)flock_set_threads(&f, o.threads); // if they cannot be started, one thread is enough
    bool good;
    if (screen_is_there()) {
        good = screen_run(&f, o.frames);
    } else {
        o.picture = o.picture ? o.picture : "flock.png";
        good = run_quietly(&f, o.frames ? o.frames : 300) && (!o.keys || press_quietly(&f, o.keys));
    }
    if (good && o.picture) {
        good = save_picture(&f, o.picture);
    }
    flock_end(&f);
    return good ? 0 : 1;
}
