// Sets of component types: values to compute with.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;

static void print(mica_world *w, const char *what, const mica_types *set)
{
    printf("%-8s", what);
    for (mica_type t = mica_types_next(w, set, mica_type_none()); !mica_type_is_none(t);
         t = mica_types_next(w, set, t)) {
        printf(" %s", mica_type_describe(w, t)->name);
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

    mica_types has = {0}, moving = {0}, result = {0};
    mica_entity_types(w, e, &has);
    mica_types_add(w, &moving, position);
    mica_types_add(w, &moving, velocity);
    print(w, "has", &has);
    print(w, "moving", &moving);
    printf("has contains moving: %s\n", mica_types_contains(&has, &moving) ? "yes" : "no");

    mica_types_difference(w, &result, &has, &moving);
    print(w, "rest", &result);

    // Where the data is: the number of data-carrying types before it. A tag has no column.
    printf("%u columns:", (unsigned)mica_types_column_count(w, &has));
    printf(" Position %d, Frozen %d, Velocity %d\n", (int)mica_types_column(w, &has, position),
           (int)mica_types_column(w, &has, frozen), (int)mica_types_column(w, &has, velocity));

    mica_types_free(w, &has);
    mica_types_free(w, &moving);
    mica_types_free(w, &result);
    mica_world_free(w);
}
