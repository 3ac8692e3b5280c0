// Progress: drawn over itself, on standard error, if that is a terminal and the work takes a while.
#if !defined(_WIN32)
// NOLINTNEXTLINE(bugprone-reserved-identifier): so is it called
#define _POSIX_C_SOURCE 200809L // isatty(), fileno()
#endif

#include "tool.h"

#include <string.h>
#include <time.h>

#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

enum { BAR = 30 };

static const double patience = 0.5; // seconds before anything is shown
static const double interval = 0.1; // and between one drawing and the next

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void tool_progress_begin(tool_progress *p, const tool_options *options, const char *what,
                         const char *name, uint64_t whole)
{
    *p = (tool_progress){.what = what, .name = name, .whole = whole};
    p->shown = options->progress || isatty(fileno(stderr)) != 0;
    p->begun = options->progress ? 0 : now();
}

static void draw(const tool_progress *p, uint64_t done)
{
    char bar[BAR + 1];
    if (p->whole == 0) {
        fprintf(stderr, "\r%s %s: %.1f MB", p->what, p->name, (double)done / 1e6);
        return;
    }
    double share = (double)done / (double)p->whole;
    share = share > 1 ? 1 : share;
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(share * BAR));
    bar[BAR] = '\0';
    fprintf(stderr, "\r%s %s [%s] %3d %%", p->what, p->name, bar, (int)(share * 100));
}

void tool_progress_tell(tool_progress *p, uint64_t done)
{
    if (!p->shown) {
        return;
    }
    double time = now();
    if (time - p->begun >= patience && time - p->told >= interval) {
        p->told = time;
        draw(p, done);
        fflush(stderr);
    }
}

// Nothing is left of it.
void tool_progress_end(tool_progress *p)
{
    if (p->told > 0) {
        fprintf(stderr, "\r%*s\r", (int)(strlen(p->what) + strlen(p->name)) + BAR + 12, "");
        fflush(stderr);
    }
}
