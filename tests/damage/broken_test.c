// Breaks every field of every structure, and expects validation to name an invariant that speaks of
// it. The rows are in fields.c.
#include <stdio.h>
#include <string.h>

#include "damage/fields.h"
#include "runner/test.h"

// Instances of a structure that are broken: the first of all there are. They are alike.
enum { INSTANCES_MAX = 12, WAYS_MAX = 4, VALUE_MAX = 256 };

typedef struct breaker {
    visitor v;
    everything *e;
    const structure *of;
    uint32_t seen;
    uint32_t broken; // in how many ways fields were
    uint32_t missed;
} breaker;

static void every_byte_of_every_structure_has_a_row(void)
{
    for (const structure *s = structures; s->name; s++) {
        size_t covered = 0;
        for (const field *f = s->fields; f->name; f++) {
            covered += f->size;
            for (const field *other = s->fields; other != f; other++) {
                CHECK(other->offset + other->size <= f->offset ||
                      f->offset + f->size <= other->offset);
            }
        }
        if (sizeof(void *) == 8 && covered + s->padding != s->size) {
            test_fail(__FILE__, __LINE__, "rows of %s have %u bytes, beside %u of padding, of %u",
                      s->name, (unsigned)covered, (unsigned)s->padding, (unsigned)s->size);
        }
        CHECK(covered + s->padding == s->size || sizeof(void *) != 8);
    }
}

// Does the sentence name one of the invariants?
static bool is_named(const char *sentence, const char *invariants)
{
    static const char begin[] = "invariant ";
    if (strncmp(sentence, begin, sizeof begin - 1) != 0) {
        return false;
    }
    const char *which = sentence + sizeof begin - 1;
    size_t size = strcspn(which, " ");
    for (const char *one = invariants; one; one = strchr(one, ' ')) {
        one += *one == ' ';
        if (strcmp(one, "*") == 0 ||
            (strncmp(one, which, size) == 0 && strcspn(one, " ") == size)) {
            return true;
        }
    }
    return false;
}

static void flip_high(unsigned char *bytes, size_t size)
{
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    bytes[little ? size - 1 : 0] ^= 0x80;
}

static void flip_low(unsigned char *bytes, size_t size)
{
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    bytes[little ? 0 : size - 1] ^= 1;
}

// Beyond the region, which is small, and beyond all memory.
static const uintptr_t far_away = (uintptr_t)1 << (sizeof(void *) == 8 ? 40 : 28);
static const uintptr_t further_away = (uintptr_t)1 << (sizeof(void *) * 8 - 2);

static void set_pointer(unsigned char *bytes, uintptr_t value)
{
    memcpy(bytes, &value, sizeof value);
}

// Damages a field in the `way`-th way; false: there are no more ways.
static bool damage(const field *f, unsigned char *bytes, uint32_t way)
{
    uintptr_t pointer = 0;
    if (f->harm == HARM_POINTER || f->harm == HARM_WILD || f->harm == HARM_TEXT) {
        memcpy(&pointer, bytes, sizeof pointer);
    }
    switch (f->harm) {
    case HARM_NONE:
    case HARM_PART: return false;
    case HARM_NUMBER:
        way == 0 ? flip_low(bytes, f->size) : flip_high(bytes, f->size);
        return way < 2;
    case HARM_HIGH: flip_high(bytes, f->size); return way < 1;
    case HARM_ENDS:
        way == 0 ? (void)memset(bytes, 0, f->size) : flip_high(bytes, f->size);
        return way < 2;
    case HARM_ZERO: memset(bytes, 0, f->size); return way < 1;
    case HARM_MOST: memset(bytes, 0xFF, f->size); return way < 1;
    case HARM_FLAG: *bytes = way == 0 ? !*bytes : 2; return way < 2;
    case HARM_POINTER:
    case HARM_WILD:
        set_pointer(bytes, way == 0   ? pointer + 1
                           : way == 1 ? pointer ^ far_away
                           : way == 2 ? pointer ^ further_away
                                      : 0);
        return way < (f->harm == HARM_WILD ? 3 : 4);
    case HARM_TEXT:
        set_pointer(bytes, pointer ^ (way == 0 ? far_away : further_away));
        return way < 2;
    case HARM_CAPACITY: memset(bytes, way == 0 ? 0 : 0xF7, f->size); return way < 2;
    case HARM_BYTES: *bytes ^= (unsigned char)(1u << way); return way < 8;
    case HARM_ENDLESS: memset(bytes, 'x', f->size); return way < 1;
    }
    return false;
}

static void break_field(breaker *b, const field *f, unsigned char *bytes)
{
    unsigned char right[VALUE_MAX];
    REQUIRE(f->size <= sizeof right || f->harm == HARM_PART || f->harm == HARM_NONE);
    if (f->harm == HARM_PART || f->harm == HARM_NONE) {
        return;
    }
    memcpy(right, bytes, f->size);
    for (uint32_t way = 0; damage(f, bytes, way); way++) {
        if (memcmp(right, bytes, f->size) != 0) {
            b->broken++;
            mica_result result = mica_world_validate(b->e->world);
            bool named = result == MICA_ERROR_CORRUPT && b->e->error.calls == 1 &&
                         is_named(b->e->error.last.sentence, f->invariants);
            if (!named && ++b->missed < 100) {
                memcpy(bytes, right, f->size);
                test_fail(__FILE__, __LINE__, "%s.%s, %u, way %u, expects %s: \"%s\"", b->of->name,
                          f->name, (unsigned)b->seen, (unsigned)way, f->invariants,
                          result ? b->e->error.last.sentence : "nothing");
            }
        }
        memcpy(bytes, right, f->size);
        test_error_clear(&b->e->error);
    }
    memcpy(bytes, right, f->size);
}

static void break_instance(visitor *v, void *instance)
{
    breaker *b = (breaker *)(void *)v;
    if (b->seen++ >= INSTANCES_MAX) {
        return;
    }
    for (const field *f = b->of->fields; f->name; f++) {
        break_field(b, f, (unsigned char *)instance + f->offset);
    }
}

static void a_field_that_is_broken_is_named(void)
{
    static everything e;
    everything_begin(&e, 270, false);
    breaker b = {.v = {break_instance}, .e = &e};
    for (b.of = structures; b.of->name; b.of++) {
        b.seen = 0;
        b.of->each(&e, &b.v);
        if (b.seen == 0) {
            test_fail(__FILE__, __LINE__, "there is no %s", b.of->name);
        }
    }
    printf("%u breaks, %u missed\n", (unsigned)b.broken, (unsigned)b.missed);
    CHECK(b.broken > 1000);
    everything_end(&e);
}

TESTS(broken, every_byte_of_every_structure_has_a_row, a_field_that_is_broken_is_named)
