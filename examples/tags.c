// Tags: components without data. They take a bit in the entity's archetype and no memory per entity.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_type frozen = MICA_TAG(w, Frozen);

    for (int i = 0; i < 5; i++) {
        mica_entity e = mica_spawn(w, MICA_VALUE(position, Position, (float)i, 0));
        if (i % 2 == 0) {
            mica_add(w, e, frozen);
        }
    }
    mica_query still = mica_query_new(
        w, &(mica_query_desc){.terms = {{position, MICA_READ}, {frozen, MICA_WITH}}});
    mica_query moving = mica_query_new(
        w, &(mica_query_desc){.terms = {{position, MICA_READ}, {frozen, MICA_WITHOUT}}});
    printf("frozen %u, moving %u\n", (unsigned)mica_query_count(w, still),
           (unsigned)mica_query_count(w, moving));

    // A thaw: all at once, by handing pages over instead of touching entities.
    uint32_t matched = 0;
    mica_remove_all(w, still, frozen, &matched);
    printf("thawed %u\n", (unsigned)matched);
    printf("frozen %u, moving %u\n", (unsigned)mica_query_count(w, still),
           (unsigned)mica_query_count(w, moving));
    printf("bytes of all tags: %zu\n", mica_type_get_stats(w, frozen).bytes);
    mica_world_free(w);
}
