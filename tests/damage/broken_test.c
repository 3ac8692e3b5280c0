// Breaks one field after the other, and expects validation to name an invariant that speaks of it. The rows are in
// fields.c.
#include <stdio.h>
#include <string.h>

#include "damage/fields.h"
#include "runner/test.h"

enum { VALUE_MAX = 512 };

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
        if (strncmp(one, which, size) == 0 && strcspn(one, " ") == size) {
            return true;
        }
    }
    return false;
}

static void break_bytes(unsigned char *bytes, size_t size, harm how)
{
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    switch (how) {
    case HARM_LOW: bytes[little ? 0 : size - 1] ^= 1; break;
    case HARM_HIGH: bytes[little ? size - 1 : 0] ^= 0x80; break;
    case HARM_ZERO: memset(bytes, 0, size); break;
    case HARM_TEXT: memset(bytes, 'x', size); break;
    }
}

static void break_field(everything *e, const field *f)
{
    unsigned char right[VALUE_MAX];
    unsigned char *instance = f->find(e);
    REQUIRE(instance != NULL && f->size <= sizeof right);
    unsigned char *bytes = instance + f->offset;
    memcpy(right, bytes, f->size);
    break_bytes(bytes, f->size, f->harm);
    bool broken = memcmp(right, bytes, f->size) != 0;
    mica_result result = mica_world_validate(e->world);
    bool named = result == MICA_ERROR_CORRUPT && e->error.calls == 1 &&
                 is_named(e->error.last.sentence, f->invariants);
    memcpy(bytes, right, f->size);
    if (!broken || !named) {
        test_fail(__FILE__, __LINE__, "%s expects %s: \"%s\"", f->name, f->invariants,
                  !broken  ? "it is not broken"
                  : result ? e->error.last.sentence
                           : "nothing");
    }
    test_error_clear(&e->error);
    CHECK_EQUAL(MICA_OK, mica_world_validate(e->world));
    CHECK_EQUAL(0, test_error_clear(&e->error));
}

static void a_field_that_is_broken_is_named(void)
{
    static everything e;
    everything_begin(&e);
    uint32_t count = 0;
    for (const field *f = fields; f->name; f++, count++) {
        break_field(&e, f);
    }
    printf("%u breaks\n", (unsigned)count);
    everything_end(&e);
}

TESTS(broken, a_field_that_is_broken_is_named)
