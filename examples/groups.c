// Groups: sparse components that are added and removed often, and still iterated like plain arrays; and sorted.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;
typedef struct {
    int depth;
} Sprite;

// The furthest first, as a painter wants them.
static int by_depth(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    const Sprite *x = a->value;
    const Sprite *y = b->value;
    return (x->depth < y->depth) - (x->depth > y->depth);
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER_SPARSE(w, Position, x, y);
    mica_type velocity = MICA_REGISTER_SPARSE(w, Velocity, x, y);
    mica_type sprite = MICA_REGISTER_SPARSE(w, Sprite, depth);
    mica_type hidden = MICA_SPARSE_TAG(w, Hidden);

    // The group keeps the values of its entities in front of both pools, in the same order.
    mica_group movers = mica_group_new(w, &(mica_group_desc){.owned = {position, velocity}});
    // This one owns nothing: it has a list, with an order of its own.
    mica_group seen =
        mica_group_new(w, &(mica_group_desc){.required = {sprite, position}, .without = {hidden}});

    mica_entity entities[6];
    for (int i = 0; i < 6; i++) {
        entities[i] = mica_spawn(w, MICA_VALUE(position, Position, (float)i, 0),
                                 MICA_VALUE(sprite, Sprite, i * 5 % 6));
        if (i % 2 == 1) {
            mica_set(w, entities[i], MICA_VALUE(velocity, Velocity, 10, 0));
        }
    }
    mica_add(w, entities[4], hidden);
    mica_group_info moving_ones, seen_ones;
    mica_group_get_info(w, movers, &moving_ones);
    mica_group_get_info(w, seen, &seen_ones);
    printf("%u move, %u are seen\n", (unsigned)moving_ones.count, (unsigned)seen_ones.count);

    // An ordinary query. That there is a group shows in nothing but its speed: it is one segment.
    mica_query moving = mica_query_new(
        w, &(mica_query_desc){.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(w, moving, &it);
    while (mica_iter_next(&it)) {
        Position *p = mica_write(&it, 0);
        const Velocity *v = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
        }
        printf("moved %u at once\n", (unsigned)it.count);
    }

    mica_group_sort(w, seen, sprite, by_depth, NULL);
    mica_query drawn = mica_query_new(
        w, &(mica_query_desc){
               .terms = {{sprite, MICA_READ}, {position, MICA_READ}, {hidden, MICA_WITHOUT}}});
    mica_iter_begin(w, drawn, &it);
    while (mica_iter_next(&it)) {
        const Sprite *s = mica_read(&it, 0);
        const Position *p = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            printf("depth %d at %g\n", s[i].depth, p[i].x);
        }
    }
    mica_world_free(w);
}
