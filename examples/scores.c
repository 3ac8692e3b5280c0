// A leaderboard: a sparse component is sorted in place, and a query over it returns that order. Sorting again after
// each round costs little, because the values are nearly in order.
#include <mica.h>
#include <stdio.h>

typedef struct {
    int points;
} Score;

static int by_points(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    const Score *x = a->value, *y = b->value;
    return (y->points > x->points) - (y->points < x->points); // most first; equals stay as they are
}

static void print_best(mica_world *world, mica_query players, uint32_t best)
{
    mica_iter it;
    uint32_t place = 0;
    mica_iter_begin(world, players, &it);
    while (place < best && mica_iter_next(&it)) {
        const Score *scores = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count && place < best; i++) {
            printf("  %u. %-5s %3d\n", (unsigned)++place, mica_entity_name(world, it.entities[i]),
                   scores[i].points);
        }
    }
    mica_iter_end(&it); // we need not have come to its end
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type score = MICA_REGISTER_SPARSE(world, Score, points);
    mica_query players = mica_query_new(world, &(mica_query_desc){.terms = {{score, MICA_READ}}});
    const char *names[] = {"Ada", "Bob", "Cleo", "Dan", "Eve"};
    mica_entity e[5];
    for (int i = 0; i < 5; i++) {
        e[i] = mica_spawn(world, MICA_VALUE(score, Score, (i * 7 + 3) % 11 * 10));
        mica_entity_set_name(world, e[i], names[i]);
    }
    mica_sort(world, score, by_points, NULL);
    printf("first round\n");
    print_best(world, players, 3);

    MICA_GET_MUT(world, e[4], score, Score)->points += 95;
    mica_despawn(world, e[0]);
    mica_sort(world, score, by_points, NULL);
    printf("second round\n");
    print_best(world, players, 3);
    mica_world_free(world);
}
