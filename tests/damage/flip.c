// Each bit is flipped in a child process, which may crash. A child goes on with the next bit, the
// memory being put back as it was, until it does; then another one takes its place.
//
// Bits are those of all blocks that the world has out, but for users' values: of components in their
// pages, and of defaults. Everything else counts, also what nobody uses: padding, room to grow.
#define _DEFAULT_SOURCE // for fork and mmap
#include "damage/flip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "damage/fields.h"
#include "runner/test.h"

#if defined(__unix__) || defined(__APPLE__)

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIELDS_MAX = 2048, SECONDS_MAX = 1 };

typedef enum outcome { PENDING, REPORTED, UNNOTICED, CRASHED } outcome;

// What a byte is: a field of a structure, or none.
typedef struct label {
    const structure *of;
    const field *field;
} label;

typedef struct flipper {
    everything *e;
    const flip_options *options;
    unsigned char **own; // the bytes whose bits are flipped
    size_t own_count;
    unsigned char *values; // by place in the region: 1 where a user's value is
    uint16_t *labels;      // by place in the region: into `names`
    label names[FIELDS_MAX];
    uint32_t name_count;
    unsigned char *saved; // all blocks, one after the other
    struct progress {
        volatile uint32_t next;
        volatile unsigned char outcomes[];
    } * progress; // seen by both processes
} flipper;

// Which bytes

static size_t place_of(const flipper *f, const void *pointer)
{
    return (size_t)((const unsigned char *)pointer - f->e->region.bytes);
}

static void leave_out(flipper *f, const void *bytes, size_t size)
{
    memset(f->values + place_of(f, bytes), 1, size);
}

static void leave_out_pages(flipper *f, const micai_page *pages, uint32_t count)
{
    for (uint32_t s = 1; s < count; s++) {
        const micai_extent *extent = pages[s].extent;
        if (extent) {
            leave_out(f, micai_extent_data(extent), extent->unit * extent->unit_count);
        }
    }
}

static void leave_out_ring(flipper *f, const micai_ring *ring)
{
    size_t size = ring->type->info.size;
    leave_out(f, ring->values, ring->capacity * size);
    for (uint32_t i = 0; i < ring->runs.count; i++) {
        const micai_overflow *over = &((const micai_share *)ring->runs.items[i])->overflow;
        leave_out(f, over->values, over->capacity * size);
    }
}

static void leave_out_values(flipper *f)
{
    const micai_state *state = f->e->world->state;
    for (uint32_t id = 0; id < state->store.tables.count; id++) {
        const micai_table *table = state->store.tables.items[id];
        for (uint32_t i = 0; i < table->sheets.count; i++) {
            leave_out_pages(f, table->sheets.items[i]->pages, table->layout.strip_count);
        }
    }
    for (uint32_t i = 0; i < state->store.rings.list.count; i++) {
        leave_out_ring(f, state->store.rings.list.items[i]);
    }
    const micai_shed *shed = &state->store.shed;
    leave_out_pages(f, shed->pages, shed->sheet ? shed->table->layout.strip_count : 0);
    for (uint32_t n = 0; n < state->registry.list.count; n++) {
        const mica_type_info *info = &state->registry.list.items[n]->info;
        if (info->default_value) {
            leave_out(f, info->default_value, info->size);
        }
    }
}

static void find_own(flipper *f)
{
    const region *r = &f->e->region;
    leave_out_values(f);
    for (uint32_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < r->blocks[i].size; k++) {
            if (!f->values[place_of(f, r->blocks[i].bytes + k)]) {
                f->own[f->own_count++] = r->blocks[i].bytes + k;
            }
        }
    }
}

// What they are

typedef struct labeller {
    visitor v;
    flipper *f;
    const structure *of;
    uint32_t first; // label of its first field
} labeller;

static void label_instance(visitor *v, void *instance)
{
    labeller *l = (labeller *)(void *)v;
    uint32_t name = l->first;
    for (const field *one = l->of->fields; one->name; one++, name++) {
        for (size_t k = 0; one->harm != HARM_PART && k < one->size; k++) {
            size_t place = place_of(l->f, (unsigned char *)instance + one->offset + k);
            l->f->labels[place] = (uint16_t)name;
        }
    }
}

static void label_all(flipper *f)
{
    f->name_count = 1; // 0 is none
    for (const structure *s = structures; s->name; s++) {
        labeller l = {{label_instance}, f, s, f->name_count};
        for (const field *one = s->fields; one->name; one++) {
            REQUIRE(f->name_count < FIELDS_MAX);
            f->names[f->name_count++] = (label){s, one};
        }
        s->each(f->e, &l.v);
    }
}

// Flipping

// The bit that comes `number`-th: the same for the same seed.
static unsigned char *choose(const flipper *f, uint32_t number, unsigned *bit_out)
{
    uint64_t random = micai_hash_add(micai_hash_mix(f->options->seed), number);
    *bit_out = (unsigned)(random & 7);
    return f->own[(random >> 3) % f->own_count];
}

static void save_or_restore(const flipper *f, bool restore)
{
    const region *r = &f->e->region;
    unsigned char *saved = f->saved;
    for (uint32_t i = 0; i < r->count; i++) {
        void *block = r->blocks[i].bytes;
        size_t size = r->blocks[i].size;
        memcpy(restore ? block : saved, restore ? saved : block, size);
        saved += size;
    }
}

// The child's work, up to its end or to a crash.
_Noreturn static void flip_on(const flipper *f)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        signal(signals[i], SIG_DFL);
    }
    for (uint32_t i = f->progress->next; i < f->options->flips; i++) {
        unsigned bit;
        unsigned char *byte = choose(f, i, &bit);
        f->progress->next = i;
        *byte ^= (unsigned char)(1u << bit);
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = SECONDS_MAX}, NULL);
        mica_result result = mica_world_validate(f->e->world);
        f->progress->outcomes[i] = result ? REPORTED : UNNOTICED;
        save_or_restore(f, true);
    }
    f->progress->next = f->options->flips;
    _exit(0);
}

static void flip_in_children(flipper *f)
{
    while (f->progress->next < f->options->flips) {
        fflush(NULL);
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            flip_on(f);
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        uint32_t at = f->progress->next;
        if (at < f->options->flips) {
            f->progress->outcomes[at] = CRASHED;
            f->progress->next = at + 1;
        }
    }
}

// Telling

static void print_labels(const flipper *f, outcome wanted, const char *word)
{
    static uint32_t counts[FIELDS_MAX];
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < f->options->flips; i++) {
        unsigned bit;
        const unsigned char *byte = choose(f, i, &bit);
        counts[f->labels[place_of(f, byte)]] += f->progress->outcomes[i] == (unsigned char)wanted;
    }
    for (uint32_t n = 0; n < f->name_count; n++) {
        if (counts[n] > 0) {
            const field *one = f->names[n].field;
            printf("  %-10s %6u  %s%s%s%s\n", word, (unsigned)counts[n],
                   n ? f->names[n].of->name : "padding, and room to grow", n ? "." : "",
                   n ? one->name : "", n && one->harm == HARM_NONE ? " (not spoken of)" : "");
        }
    }
}

static void sum_up(const flipper *f, flip_counts *counts_out)
{
    uint32_t unspoken = 0;
    uint32_t spare = 0;
    for (uint32_t i = 0; i < f->options->flips; i++) {
        unsigned bit;
        uint16_t name = f->labels[place_of(f, choose(f, i, &bit))];
        outcome now = (outcome)f->progress->outcomes[i];
        counts_out->reported += now == REPORTED;
        counts_out->unnoticed += now == UNNOTICED;
        counts_out->crashed += now == CRASHED;
        spare += now == UNNOTICED && name == 0;
        unspoken += now == UNNOTICED && name && f->names[name].field->harm == HARM_NONE;
    }
    counts_out->missed = counts_out->unnoticed - spare - unspoken;
    printf("%u flips of %u bytes from seed %llu%s: %u reported, %u not noticed, %u crashed\n",
           (unsigned)f->options->flips, (unsigned)f->own_count,
           (unsigned long long)f->options->seed, f->options->apart ? ", blocks apart" : "",
           (unsigned)counts_out->reported, (unsigned)counts_out->unnoticed,
           (unsigned)counts_out->crashed);
    printf("of those not noticed: %u padding and room to grow, %u in fields that no invariant "
           "speaks of, %u in bits of others\n",
           (unsigned)spare, (unsigned)unspoken, (unsigned)counts_out->missed);
    if (f->options->explain) {
        print_labels(f, UNNOTICED, "unnoticed");
        print_labels(f, CRASHED, "crashed");
    }
}

bool flip_all(everything *e, const flip_options *options, flip_counts *counts_out)
{
    static flipper f;
    memset(&f, 0, sizeof f);
    f.e = e;
    f.options = options;
    size_t blocks = 0;
    for (uint32_t i = 0; i < e->region.count; i++) {
        blocks += e->region.blocks[i].size;
    }
    f.own = malloc(blocks * sizeof *f.own);
    f.saved = malloc(blocks);
    f.values = calloc(e->region.used, 1);
    f.labels = calloc(e->region.used, sizeof *f.labels);
    size_t shared = sizeof *f.progress + options->flips;
    f.progress = mmap(NULL, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    REQUIRE(f.own && f.saved && f.values && f.labels && f.progress != MAP_FAILED);
    find_own(&f);
    label_all(&f);
    save_or_restore(&f, false);
    flip_in_children(&f);
    *counts_out = (flip_counts){0};
    sum_up(&f, counts_out);
    munmap((void *)f.progress, shared);
    free(f.own);
    free(f.saved);
    free(f.values);
    free(f.labels);
    return true;
}

#else

bool flip_all(everything *e, const flip_options *options, flip_counts *counts_out)
{
    (void)e;
    (void)options;
    *counts_out = (flip_counts){0};
    return false;
}

#endif
