// Sparse components: each has a pool of its own, so adding and removing them moves no other values.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;

typedef struct {
    int ticks;
} Burning;

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_type burning = MICA_REGISTER_SPARSE(w, Burning, ticks);
    mica_type seen = MICA_SPARSE_TAG(w, Seen);

    mica_entity e[8];
    for (int i = 0; i < 8; i++) {
        e[i] = mica_spawn(w, MICA_VALUE(position, Position, (float)i, 0));
    }
    uint32_t tables = mica_world_get_stats(w).tables;
    mica_set(w, e[2], MICA_VALUE(burning, Burning, 2));
    mica_set(w, e[5], MICA_VALUE(burning, Burning, 1));
    printf("tables more: %u\n", (unsigned)(mica_world_get_stats(w).tables - tables));

    // A query names them like any other component. This one visits the two, not the eight.
    mica_query fires = mica_query_new(
        w, &(mica_query_desc){.terms = {{burning, MICA_WRITE}, {position, MICA_READ}}});
    for (int frame = 0; frame < 2; frame++) {
        mica_entity out[8];
        uint32_t out_count = 0;
        mica_iter it;
        mica_iter_begin(w, fires, &it);
        while (mica_iter_next(&it)) {
            Burning *b = mica_write(&it, 0);
            const Position *p = mica_read(&it, 1);
            for (uint32_t i = 0; i < it.count; i++) {
                printf("frame %d: fire at %g\n", frame, p[i].x);
                if (--b[i].ticks == 0) {
                    out[out_count++] = it.entities[i];
                }
                mica_add(w, it.entities[i],
                         seen); // no open query has this tag as a term, so it may change
            }
        }
        for (uint32_t i = 0; i < out_count; i++) {
            mica_remove(w, out[i], burning);
        }
    }
    mica_query marks = mica_query_new(w, &(mica_query_desc){.terms = {{seen, MICA_WITH}}});
    printf("burning %u, seen %u\n", (unsigned)mica_query_count(w, fires),
           (unsigned)mica_query_count(w, marks));
    mica_world_free(w);
}
