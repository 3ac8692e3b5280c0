// A flock in the terminal: two pixels in a character, one above the other, and a table of systems beside them.
#define _DEFAULT_SOURCE // cfmakeraw, TIOCGWINSZ

#include "keys.h"
#include "picture.h"
#include "screen.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PANEL = 40, FRAMES_PER_SECOND = 30 };

static struct termios before;
static volatile sig_atomic_t interrupted;

double screen_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool screen_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void enter(void)
{
    tcgetattr(STDIN_FILENO, &before);
    struct termios raw = before;
    cfmakeraw(&raw);
    raw.c_lflag |= ISIG;
    raw.c_cc[VMIN] = raw.c_cc[VTIME] = 0; // reading does not wait
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    fputs("\x1b[?1049h\x1b[?25l\x1b[2J", stdout); // another screen, no cursor
}

static void leave(void)
{
    fputs("\x1b[0m\x1b[?25h\x1b[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

// Text that goes out at once, a frame at a time.
typedef struct text {
    char *bytes;
    size_t used, size;
} text;

static void say(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->bytes + t->used, t->size - t->used, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < t->size - t->used) {
        t->used += (size_t)length;
    }
}

static void say_picture(text *t, const picture *p)
{
    for (int y = 0; y + 1 < p->height; y += 2) {
        say(t, "\x1b[%d;1H", y / 2 + 1);
        unsigned char last[6] = {0};
        for (int x = 0; x < p->width; x++) {
            const unsigned char *upper = &p->pixels[3 * (y * p->width + x)];
            const unsigned char *lower = upper + 3 * p->width;
            if (x == 0 || memcmp(last, upper, 3) != 0 || memcmp(last + 3, lower, 3) != 0) {
                say(t, "\x1b[38;2;%d;%d;%dm\x1b[48;2;%d;%d;%dm", upper[0], upper[1], upper[2],
                    lower[0], lower[1], lower[2]);
                memcpy(last, upper, 3);
                memcpy(last + 3, lower, 3);
            }
            say(t, "\xe2\x96\x80"); // the upper half of a block
        }
    }
}

static const char *const names[] = {"gather", "lead", "average", "hunt",        "steer",
                                    "flee",   "feed", "move",    "count panic", "count"};

static void say_panel(text *t, flock *f, int column, const keys *k)
{
    const mica_time_stats time = mica_time_get_stats(f->world);
    const Census *c = MICA_RESOURCE(f->world, f->census, Census);
    int row = 1;
#define LINE(...) (say(t, "\x1b[%d;%dH", row++, column), say(t, __VA_ARGS__), say(t, "\x1b[K"))
    say(t, "\x1b[0m");
    LINE("\x1b[1mmica: a flock\x1b[0m%s", k->rewind ? "   (back)" : k->paused ? "   (paused)" : "");
    LINE("%u birds, %u in panic", (unsigned)c->birds, (unsigned)c->panicking);
    LINE("%u born, %u starved, %u caught", (unsigned)c->born, (unsigned)c->starved,
         (unsigned)c->caught);
    LINE("simulated in %.2f ms a frame", k->frame_ms);
    LINE("frame %u of %u, back in %.2f ms", (unsigned)f->frame, (unsigned)flock_last_frame(f),
         k->back_ms);
    LINE("%u snapshots, %u MB", (unsigned)time.snapshots, (unsigned)(time.log_bytes >> 20));
    LINE("%u thread%s, digest %016llx", (unsigned)flock_threads(f), flock_threads(f) > 1 ? "s" : "",
         (unsigned long long)mica_world_digest(f->world));
    LINE("velocities stored: \x1b[1m%s\x1b[0m", flock_storage(f));
    LINE(" ");
    LINE("%-14s %9s %9s", "system", "rows", "us");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        mica_system_info system;
        mica_system_get_info(f->world, mica_system_find(f->world, names[i]), &system);
        const mica_system_stats *s = &system.stats;
        uint64_t rows = s->runs > 0 ? s->rows / s->runs : 0;
        LINE("%-14s %9u %9.1f", names[i], (unsigned)rows, (double)s->last_ns / 1000);
    }
    LINE(" ");
    LINE("space  pause        .  one frame");
    LINE("r      rewind       ,  one back");
    LINE("+ -    more, fewer  s  other storage");
    LINE("t      threads      q  leave");
#undef LINE
}

// The size of the terminal, and of the picture in it.
static bool fit(picture *p, text *t, int *column_out)
{
    struct winsize size = {0};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    int columns = size.ws_col > 0 ? size.ws_col : 80;
    int rows = size.ws_row > 0 ? size.ws_row : 24;
    int width = columns > PANEL + 20 ? columns - PANEL : columns / 2;
    bool same = p->width == width && p->height == 2 * rows;
    *column_out = width + 2;
    if (same) {
        return true;
    }
    free(t->bytes);
    t->size = (size_t)columns * (size_t)rows * 48 + 8192;
    t->bytes = malloc(t->size);
    fputs("\x1b[0m\x1b[2J", stdout);
    return t->bytes && picture_resize(p, width, 2 * rows);
}

static bool show(picture *p, text *t, flock *f, const keys *k)
{
    int column;
    if (!fit(p, t, &column)) {
        return false;
    }
    picture_draw(p, f);
    t->used = 0;
    say_picture(t, p);
    say_panel(t, f, column, k);
    fwrite(t->bytes, 1, t->used, stdout);
    return fflush(stdout) == 0;
}

// Until the next frame is due.
static void wait_until(double moment)
{
    double rest = moment - screen_seconds();
    if (rest > 0) {
        struct timespec pause = {0, (long)(rest * 1e9)};
        nanosleep(&pause, NULL);
    }
}

bool screen_run(flock *f, uint32_t frames)
{
    picture p = {0};
    text t = {0};
    keys k = {0};
    bool good = true;
    enter();
    for (uint32_t frame = 0; good && !k.leave && !interrupted && (frames == 0 || frame < frames);
         frame++) {
        double began = screen_seconds();
        unsigned char key;
        while (read(STDIN_FILENO, &key, 1) == 1) {
            keys_press(&k, f, key);
        }
        good = keys_play(&k, f, 1.0 / FRAMES_PER_SECOND) && show(&p, &t, f, &k);
        wait_until(began + 1.0 / FRAMES_PER_SECOND);
    }
    leave();
    free(t.bytes);
    picture_free(&p);
    return good;
}
