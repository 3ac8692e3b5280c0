// A scene graph: a ship with turrets as its children, in an order, which die with it.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y; // relative to the parent
} Place;

typedef struct {
    char color[8];
} Paint;

static mica_type place, paint;
static mica_relation child_of;

static mica_entity add(mica_world *world, mica_entity parent, const char *name, float x, float y)
{
    mica_entity entity = mica_spawn(world, MICA_VALUE(place, Place, x, y));
    mica_entity_set_name(world, entity, name);
    if (parent.bits) {
        mica_link(world, entity, child_of, parent);
    }
    return entity;
}

// Prints all entities below one, with places in the world and inherited colors.
static void print(mica_world *world, mica_entity root)
{
    mica_descent below = mica_descend(world, root, child_of);
    for (mica_entity e; (e = mica_descent_next(&below)).bits;) {
        Place sum = {0};
        for (mica_entity at = e; at.bits; at = mica_target(world, at, child_of)) {
            const Place *p = mica_get(world, at, place);
            sum.x += p->x;
            sum.y += p->y;
        }
        const Paint *color = mica_get_up(world, e, child_of, paint, NULL);
        printf("%*s%s at %g %g, %s\n", (int)(2 * below.depth), "", mica_entity_name(world, e),
               (double)sum.x, (double)sum.y, color->color);
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    place = MICA_REGISTER(world, Place, x, y);
    paint = MICA_REGISTER(world, Paint, color);
    child_of =
        mica_relation_add(world, &(mica_relation_desc){.name = "ChildOf", .cleanup = MICA_CASCADE});

    mica_entity ship = add(world, (mica_entity){0}, "ship", 100, 50);
    mica_set(world, ship, MICA_VALUE(paint, Paint, "grey"));
    mica_entity left = add(world, ship, "left turret", -2, 0);
    mica_entity right = add(world, ship, "right turret", 2, 0);
    mica_set(world, right, MICA_VALUE(paint, Paint, "red"));
    add(world, right, "right gun", 0, 1);
    print(world, ship);

    // The order of children is the program's.
    printf("in front:\n");
    mica_entity front = add(world, (mica_entity){0}, "front turret", 0, 5);
    mica_link_before(world, front, child_of, left);
    print(world, ship);

    // A child cannot become the parent of its parent.
    mica_result result = mica_link(world, ship, child_of, right);
    printf("%s\n", mica_result_text(result));

    // What dies takes its children with it, unless they were unlinked before.
    mica_unlink(world, left, child_of, ship);
    mica_despawn(world, ship);
    printf("%u left\n", (unsigned)mica_entity_count(world));
    mica_world_free(world);
}
