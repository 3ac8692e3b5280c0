// Compares worlds that are built in a fixed way with what they were when digests.list was written: the exact state
// (mica_world_digest), the content (mica_world_hash), the bytes of the image, and the order in which observers are
// notified and queries return rows. A change of the library that keeps its behaviour keeps all of these.
//
// usage: digests LIST             compares; prints a line for each world and the counts
//        digests --write          prints the list
//        digests --steps WORLD    prints what a world is after each of its steps; to find out which one differs
//
// A change that alters a value on purpose writes the list again and says why in its commit:
//
//   build/release/tests/digests --write >tests/gate/digests.list
#include "digests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUE_COUNT = 4, WORLDS_MAX = 256 };

static const char *const value_names[VALUE_COUNT] = {"digest", "hash", "image", "order"};

// Building

static bool hash_written(void *user, const void *data, size_t size)
{
    uint64_t *hash = user;
    *hash = digests_fnv(*hash, data, size);
    return true;
}

static uint64_t hash_image(scene *s)
{
    uint64_t hash = DIGESTS_FNV;
    mica_result result =
        mica_world_save(s->world, &(mica_stream){.write = hash_written, .user = &hash}, NULL);
    DIGESTS_CHECK(s, result == MICA_OK);
    return hash;
}

static void print_state(scene *s, uint32_t index, const step *done)
{
    printf("%5" PRIu32 " %-16s %8" PRIx32 " %2" PRIu32 " %5" PRIu32 "  %016" PRIx64 " %016" PRIx64
           " %016" PRIx64 "\n",
           index, digests_step_name(done->code), done->what, done->type, done->n,
           mica_world_digest(s->world), mica_world_hash(s->world), s->order);
}

// The steps of a world; and the random ones behind them.
static step get_step(scene *s, const world_row *row, uint32_t index, uint32_t *fixed)
{
    if (row->steps[*fixed].code != END_OF_STEPS) {
        return row->steps[(*fixed)++];
    }
    return row->seed ? digests_random_step(s, index - *fixed) : row->steps[*fixed];
}

static void run_steps(scene *s, const world_row *row, bool prints)
{
    uint32_t fixed = 0;
    uint32_t index = 0;
    for (step next = get_step(s, row, index, &fixed); next.code != END_OF_STEPS;
         next = get_step(s, row, ++index, &fixed)) {
        digests_run_step(s, next);
        if (prints) {
            print_state(s, index, &next);
        }
    }
    digests_run_step(s, (step){.code = APPLY}); // what is still recorded
}

// Builds a world and takes its values. Returns NULL, or what went wrong: good until the next call.
static const char *build(const world_row *row, bool prints, uint64_t values_out[VALUE_COUNT])
{
    static scene s;
    s = (scene){.size = row->size, .subject = row->subject, .order = DIGESTS_FNV};
    s.random = row->seed;
    digests_open(&s, false);
    run_steps(&s, row, prints);
    values_out[0] = mica_world_digest(s.world);
    values_out[1] = mica_world_hash(s.world);
    values_out[2] = hash_image(&s);
    for (uint32_t query = 0; query < QUERY_COUNT; query++) { // last: queries count iterations
        digests_visit(&s, query, false);
    }
    digests_note_seen(&s, &s.systems);
    values_out[3] = s.order;
    digests_close(&s);
    DIGESTS_CHECK(&s, s.owned == 0);
    free(s.entities);
    return s.failure ? s.failure : s.errors > 0 && !row->seed ? s.error : NULL;
}

// Comparing

typedef struct expected {
    char name[48];
    uint64_t values[VALUE_COUNT];
    bool used;
} expected;

static uint32_t read_list(const char *path, expected rows_out[WORLDS_MAX])
{
    FILE *file = fopen(path, "r");
    char line[256];
    uint32_t count = 0;
    while (file && count < WORLDS_MAX && fgets(line, sizeof line, file)) {
        expected *row = &rows_out[count];
        uint64_t *v = row->values;
        count += line[0] != '#' && sscanf(line, "%47s %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
                                          row->name, &v[0], &v[1], &v[2], &v[3]) == 5;
    }
    if (file) {
        fclose(file);
    }
    return count;
}

static expected *find(expected *rows, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            rows[i].used = true;
            return &rows[i];
        }
    }
    return NULL;
}

static void print_values(const char *name, const uint64_t values[VALUE_COUNT])
{
    printf("%-24s %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", name, values[0],
           values[1], values[2], values[3]);
}

// True if the world is as the list says; otherwise says in what it differs.
static bool compare(const world_row *world, const expected *row, const uint64_t values[VALUE_COUNT],
                    const char *failure)
{
    bool same = row && !failure;
    if (failure) {
        printf("FAILED digests: %s: %s\n", world->name, failure);
    } else if (!row) {
        printf("FAILED digests: %s is not in the list\n", world->name);
    }
    for (uint32_t i = 0; row && i < VALUE_COUNT; i++) {
        if (row->values[i] != values[i]) {
            printf("FAILED digests: %s: the %s was %016" PRIx64 ", and is %016" PRIx64 "\n",
                   world->name, value_names[i], row->values[i], values[i]);
            same = false;
        }
    }
    return same;
}

static int compare_all(const char *path)
{
    static expected rows[WORLDS_MAX];
    uint32_t row_count = read_list(path, rows);
    uint32_t passed = 0;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < digests_world_count(); i++) {
        world_row world = digests_world(i);
        uint64_t values[VALUE_COUNT];
        const char *failure = build(&world, false, values);
        print_values(world.name, values);
        bool same = compare(&world, find(rows, row_count, world.name), values, failure);
        passed += same;
        failed += !same;
    }
    for (uint32_t i = 0; i < row_count; i++) {
        if (!rows[i].used) {
            printf("FAILED digests: %s is in the list, and no world\n", rows[i].name);
            failed++;
        }
    }
    printf("%" PRIu32 " passed, %" PRIu32 " failed, 0 skipped\n", passed, failed);
    return failed > 0 || passed == 0;
}

static int write_all(void)
{
    int status = 0;
    printf(
        "# Of fixed worlds: name, digest, hash, FNV-1a of the image, FNV-1a of the order. Written by\n"
        "# `digests --write`: see digests.c.\n");
    for (uint32_t i = 0; i < digests_world_count(); i++) {
        world_row world = digests_world(i);
        uint64_t values[VALUE_COUNT];
        const char *failure = build(&world, false, values);
        print_values(world.name, values);
        if (failure) {
            fprintf(stderr, "digests: %s: %s\n", world.name, failure);
            status = 1;
        }
    }
    return status;
}

static int print_steps(const char *name)
{
    for (uint32_t i = 0; i < digests_world_count(); i++) {
        world_row world = digests_world(i);
        if (strcmp(world.name, name) == 0) {
            uint64_t values[VALUE_COUNT];
            const char *failure = build(&world, true, values);
            printf("%s\n", failure ? failure : "");
            return failure != NULL;
        }
    }
    fprintf(stderr, "digests: there is no world %s\n", name);
    return 2;
}

int main(int argc, char **words)
{
    if (argc == 2 && strcmp(words[1], "--write") == 0) {
        return write_all();
    }
    if (argc == 3 && strcmp(words[1], "--steps") == 0) {
        return print_steps(words[2]);
    }
    if (argc != 2) {
        fprintf(stderr, "usage: digests LIST | --write | --steps WORLD\n");
        return 2;
    }
#ifdef MICAI_TEST_SMALL_PAGES
    printf("SKIPPED digests: pages of a few rows change ticks and images\n"
           "0 passed, 0 failed, 1 skipped\n");
    return 77;
#else
    return compare_all(words[1]);
#endif
}
