// make game: the game in the terminal; or, where keys are given, the screen after these, as text.
#define _DEFAULT_SOURCE // cfmakeraw

#include "rogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static const char usage[] =
    "usage: rogue [SEED [KEYS]]\n"
    "  SEED   a number: other caves (1)\n"
    "  KEYS   press these, print the screen as text, and leave; not in need of a terminal\n"
    "keys: h j k l or arrows go, y u b n go diagonally, into somebody hits, . waits, > goes down,\n"
    "z takes a turn back, q leaves. The amulet lies at the bottom.\n";

// In colour, over the last screen; or as text.
static void print_screen(rogue *r, bool colours)
{
    static const char *const ends[] = {"", "You have it! q leaves. ", "You are dead. z: not yet. "};
    const Cave *cave = MICA_RESOURCE(r->world, r->cave, Cave);
    const rogue_kind *kinds[WIDTH * HEIGHT] = {0};
    const char *end = colours ? "\x1b[0m\x1b[K\r\n" : "\n";
    mica_iter it;
    mica_iter_begin(r->world, r->things, &it);
    while (mica_iter_next(&it)) {
        const Place *at = mica_read(&it, 0);
        const Kind *kind = mica_read(&it, 1);
        const Body *body = mica_read(&it, 2);
        for (uint32_t i = 0; i < it.count; i++) {
            const rogue_kind **there = &kinds[at[i].y * WIDTH + at[i].x];
            *there = body || !*there ? &rogue_kinds[kind[i].number] : *there; // bodies above things
        }
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const rogue_kind *kind = cave->visible[i] ? kinds[i] : NULL;
        int bright = kind ? 1 : cave->visible[i] ? 22 : 2; // or as usual, or dim
        if (colours) {
            printf("\x1b[0;%d;%dm", bright, 30 + (kind ? kind->colour : 7));
        }
        putchar(kind ? kind->glyph : cave->seen[i] ? cave->tiles[i] : ' ');
        fputs(i % WIDTH == WIDTH - 1 ? end : "", stdout);
    }
    int points = MICA_GET(r->world, r->hero, r->body, Body)->points;
    printf("depth %d of %d   points %d of %d   gold %d   turn %d%s", cave->depth, DEPTHS,
           points > 0 ? points : 0, rogue_kinds[HERO].points, cave->gold, cave->turn, end);
    printf("%s%s%s", ends[cave->state], cave->text, end);
    printf("keys: arrows or h j k l walk and fight, y u b n diagonally,%s", end);
    printf(" . waits, > goes down stairs, z undoes a turn, q quits%s", end);
}

// The next key; 'q' at the end of the input. An arrow is three: escape and '[', which do nothing, and a letter.
static char read_key(void)
{
    char key;
    if (read(STDIN_FILENO, &key, 1) != 1 || key == 3) { // control and c
        return 'q';
    }
    return key >= 'A' && key <= 'D' ? "kjlh"[key - 'A'] : key;
}

static bool play(rogue *r)
{
    struct termios before, raw;
    tcgetattr(STDIN_FILENO, &before);
    raw = before;
    cfmakeraw(&raw);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    fputs("\x1b[?1049h\x1b[?25l\x1b[2J", stdout); // another screen, no cursor
    bool good = true;
    for (char key = 0; good && key != 'q';) {
        fputs("\x1b[H", stdout);
        print_screen(r, true);
        fflush(stdout);
        key = read_key();
        good = rogue_press(r, key);
    }
    fputs("\x1b[0m\x1b[?25h\x1b[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return good;
}

int main(int count, char **arguments)
{
    const char *keys = count > 2 ? arguments[2] : NULL;
    char *end = "";
    uint32_t seed = count > 1 ? (uint32_t)strtoul(arguments[1], &end, 10) : 1;
    if (count > 3 || *end != '\0' || (!keys && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))) {
        fputs(usage, stderr);
        return 2;
    }
    rogue r;
    bool good = rogue_begin(&r, seed);
    for (; good && keys && *keys; keys++) {
        good = rogue_press(&r, *keys);
    }
    if (good && keys) {
        print_screen(&r, false);
    } else if (good) {
        good = play(&r);
    }
    rogue_end(&r);
    return good ? 0 : 1;
}
