// Memory: a world allocates with one function of yours, and survives when that returns NULL.
#include <mica.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double samples[8];
} Wave;

typedef struct {
    size_t used, limit;
} Budget;

// The C library's allocator behind a limit. Since malloc() promises little alignment, a block is cut
// from a larger one, whose address stands in front of it.
static void *resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    Budget *budget = user;
    if (budget->used - old_size + new_size > budget->limit) {
        return NULL;
    }
    void *made = NULL;
    align = align < sizeof(void *) ? sizeof(void *) : align;
    if (new_size > 0) {
        unsigned char *raw = malloc(new_size + align + sizeof(void *));
        if (!raw) {
            return NULL;
        }
        made = raw + sizeof(void *) + (align - (uintptr_t)(raw + sizeof(void *)) % align);
        ((void **)made)[-1] = raw;
    }
    if (block) {
        for (size_t i = 0; i < old_size && i < new_size; i++) {
            ((unsigned char *)made)[i] = ((unsigned char *)block)[i];
        }
        free(((void **)block)[-1]);
    }
    budget->used += new_size - old_size;
    return made;
}

static void quiet(mica_world *w, const mica_error *error, void *user)
{
    (void)w, (void)error, (void)user;
}

int main(void)
{
    Budget budget = {.limit = 256 * 1024};
    mica_world *w =
        mica_world_new(&(mica_world_desc){.allocator = {resize, &budget}, .error_handler = quiet});
    mica_type wave = MICA_REGISTER(w, Wave, samples);
    mica_entity e;
    do {
        e = mica_spawn(w, MICA_ADD(wave));
    } while (!MICA_IS_NONE(e));
    printf("%s\n", mica_result_text(mica_last_error(w)->code));
    printf("more than a thousand fit: %s\n", mica_entity_count(w) > 1000 ? "yes" : "no");
    printf("the world is %s\n", mica_world_validate(w) ? "broken" : "valid");

    mica_world_clear(w);
    mica_world_reclaim(w);
    printf("room again: %s\n", MICA_IS_NONE(mica_spawn(w, MICA_ADD(wave))) ? "no" : "yes");
    mica_world_free(w);
    printf("%zu bytes not given back\n", budget.used);
}
