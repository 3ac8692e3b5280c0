// Sets of component types: values to compute with.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;

static void print(mica_world *w, const char *what, const mica_type_set *set)
{
    printf("%-8s", what);
    for (mica_type t = mica_type_set_next(w, set, (mica_type){0}); !MICA_IS_NONE(t);
         t = mica_type_set_next(w, set, t)) {
        printf(" %s", mica_type_get_info(w, t)->name);
    }
    printf("\n");
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_type frozen = MICA_TAG(w, Frozen);
    mica_type velocity = MICA_REGISTER(w, Velocity, x, y);
    mica_entity e = mica_spawn(w, MICA_ADD(position), MICA_ADD(frozen), MICA_ADD(velocity));

    mica_type_set has = {0}, moving = {0}, result = {0};
    mica_entity_types(w, e, &has);
    mica_type_set_add_list(w, &moving, (mica_type[]){position, velocity}, 2);
    print(w, "has", &has);
    print(w, "moving", &moving);
    printf("has contains moving: %s\n", mica_type_set_contains(&has, &moving) ? "yes" : "no");

    mica_type_set_difference(w, &result, &has, &moving);
    print(w, "rest", &result);

    // Where the data is: the number of data-carrying types before it. A tag has no column.
    printf("%u columns:", (unsigned)mica_type_set_column_count(w, &has));
    printf(" Position %d, Frozen %d, Velocity %d\n", (int)mica_type_set_column(w, &has, position),
           (int)mica_type_set_column(w, &has, frozen),
           (int)mica_type_set_column(w, &has, velocity));

    // A query of a set; and a set that an entity loses in one move.
    mica_query movers = mica_query_new(w, &(mica_query_desc){.with = &moving});
    printf("%u moving\n", (unsigned)mica_query_count(w, movers));
    mica_change_sets(w, e, NULL, &moving);
    printf("%u moving\n", (unsigned)mica_query_count(w, movers));
    mica_entity_print(w, e, NULL);

    // Wherever a list of types goes.
    mica_type list[8];
    mica_bundle bundle = mica_bundle_new(w, list, mica_type_set_list(w, &moving, list, 8));
    mica_entity_print(w, mica_spawn_bundle(w, bundle, NULL, 0), NULL);

    mica_type_set_free(w, &has);
    mica_type_set_free(w, &moving);
    mica_type_set_free(w, &result);
    mica_world_free(w);
}
