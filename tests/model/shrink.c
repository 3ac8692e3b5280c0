#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif

#include "model/shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32

bool shrink_try(void (*run)(const void *user), const void *user, bool quiet,
                char said[SHRINK_SAID_SIZE])
{
    (void)quiet;
    (void)run;
    (void)user;
    snprintf(said, SHRINK_SAID_SIZE, "there is no process to run it in");
    return true;
}

#else

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

// A tape that takes this long is in a loop without end.
enum { STUCK_SECONDS = 300, STUCK_TRIAL_SECONDS = 20 };

static void run_child(void (*run)(const void *user), const void *user, bool quiet, int output)
{
    dup2(output, STDOUT_FILENO);
    close(output);
    if (quiet) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) {
            dup2(nowhere, STDERR_FILENO);
        }
    }
    alarm(quiet ? STUCK_TRIAL_SECONDS : STUCK_SECONDS);
    run(user);
    fflush(stdout);
    exit(0); // not _exit(): leaks are looked for, and coverage is written down
}

// What comes through the pipe, as far as there is room for it.
static void listen(int input, char said[SHRINK_SAID_SIZE])
{
    size_t used = 0;
    char part[256];
    ssize_t size;
    while ((size = read(input, part, sizeof part)) > 0) {
        for (ssize_t i = 0; i < size && used + 1 < SHRINK_SAID_SIZE; i++) {
            said[used++] = part[i];
        }
    }
    while (used > 0 && said[used - 1] == '\n') {
        used--;
    }
    said[used] = '\0';
}

bool shrink_try(void (*run)(const void *user), const void *user, bool quiet,
                char said[SHRINK_SAID_SIZE])
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0) {
        snprintf(said, SHRINK_SAID_SIZE, "no pipe");
        return true;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(run, user, quiet, ends[1]);
    }
    close(ends[1]);
    listen(ends[0], said);
    close(ends[0]);
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        snprintf(said, SHRINK_SAID_SIZE, "no process");
        return true;
    }
    if (status != 0 && said[0] == '\0') {
        snprintf(said, SHRINK_SAID_SIZE,
                 WIFSIGNALED(status) ? "died of signal %d" : "exits with %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return status != 0 || said[0] != '\0';
}

#endif

typedef struct part {
    const tape_op *tape;
    uint32_t count;
} part;

static void run_part(const void *user)
{
    const part *p = user;
    const char *difference = tape_run(p->tape, p->count);
    if (difference) {
        printf("%s\n", difference);
    }
}

bool shrink_try_tape(const tape_op *tape, uint32_t count, bool quiet, char said[SHRINK_SAID_SIZE])
{
    return shrink_try(run_part, &(part){tape, count}, quiet, said);
}

typedef struct shrinker {
    tape_op *tape;
    tape_op *room; // for what is tried
    uint32_t count;
    uint32_t trials;
    char *said;
} shrinker;

// Keeps the tape in `room` if it still fails.
static bool keep_if_failing(shrinker *s, uint32_t count)
{
    char said[SHRINK_SAID_SIZE];
    s->trials++;
    if (!shrink_try_tape(s->room, count, true, said)) {
        return false;
    }
    memcpy(s->tape, s->room, count * sizeof *s->tape);
    s->count = count;
    memcpy(s->said, said, sizeof said);
    return true;
}

static bool leave_out(shrinker *s, uint32_t first, uint32_t size)
{
    uint32_t rest = s->count - first - size;
    memcpy(s->room, s->tape, first * sizeof *s->tape);
    memcpy(s->room + first, s->tape + first + size, rest * sizeof *s->tape);
    return keep_if_failing(s, first + rest);
}

// Stretches of a size, from the end: what is late matters less often to what comes before.
static bool leave_out_all(shrinker *s, uint32_t size)
{
    bool some = false;
    for (uint32_t end = s->count; end >= size; end = end > s->count ? s->count : end) {
        if (leave_out(s, end - size, size)) {
            some = true;
            end -= size;
        } else {
            end--;
            end -= end % size; // on to the next stretch
            if (end == 0) {
                break;
            }
        }
    }
    return some;
}

static bool try_number(shrinker *s, uint32_t i, uint32_t field, uint16_t number)
{
    memcpy(s->room, s->tape, s->count * sizeof *s->tape);
    tape_op *op = &s->room[i];
    uint16_t *fields[] = {&op->a, &op->b, &op->c, &op->d};
    if (*fields[field] == number) {
        return false;
    }
    *fields[field] = number;
    return keep_if_failing(s, s->count);
}

static uint16_t number_of(const shrinker *s, uint32_t i, uint32_t field)
{
    const tape_op *op = &s->tape[i];
    const uint16_t numbers[] = {op->a, op->b, op->c, op->d};
    return numbers[field];
}

// The smallest numbers first; then, for numbers that are masks, fewer bits.
static bool make_smaller(shrinker *s, uint32_t i, uint32_t field)
{
    enum { SMALL = 9 };
    for (uint16_t number = 0; number < SMALL && number < number_of(s, i, field); number++) {
        if (try_number(s, i, field, number)) {
            return true;
        }
    }
    bool some = false;
    for (uint32_t bit = 16; bit-- > 0;) {
        uint32_t number = number_of(s, i, field);
        if (number >> bit & 1) {
            some = try_number(s, i, field, (uint16_t)(number & ~(1u << bit))) || some;
        }
    }
    return some;
}

static bool make_all_smaller(shrinker *s)
{
    bool some = false;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t field = 0; field < 4; field++) {
            some = make_smaller(s, i, field) || some;
        }
    }
    return some;
}

uint32_t shrink_tape(tape_op *tape, uint32_t count, char said[SHRINK_SAID_SIZE],
                     uint32_t *trials_out)
{
    shrinker s = {tape, malloc((count + 1) * sizeof *tape), count, 0, said};
    unsigned long step = 0;
    if (!s.room) {
        return count;
    }
    // Nothing behind the step that differed matters.
    if (sscanf(said, "step %lu:", &step) == 1 && step > 0 && step < count) {
        memcpy(s.room, s.tape, step * sizeof *tape);
        keep_if_failing(&s, (uint32_t)step);
    }
    bool some = true;
    while (some) {
        some = false;
        for (uint32_t size = s.count / 2; size > 0; size /= 2) {
            some = leave_out_all(&s, size) || some;
        }
        some = make_all_smaller(&s) || some;
    }
    free(s.room);
    *trials_out = s.trials;
    return s.count;
}
