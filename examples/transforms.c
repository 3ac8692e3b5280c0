// A hierarchy: things that move with their parent. The values are sorted so that parents are before children. Then
// one loop from front to back places everything, at any depth.
#include <mica.h>
#include <stdio.h>

typedef struct {
    mica_entity parent; // none: it stands by itself
    int depth;          // 0, or one more than the parent's
    float offset;       // from the parent
    float at;           // in the world
} Node;

static int by_depth(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    (void)user;
    const Node *x = a->value, *y = b->value;
    return x->depth - y->depth;
}

static void place(mica_iter *it)
{
    const mica_type *node = it->user;
    for (uint32_t i = 0; i < it->count; i++) {
        Node *n = mica_write_row(it, 0, i); // in place: children see the new values of parents
        n->at = n->offset;
        if (!MICA_IS_NONE(n->parent)) {
            n->at += MICA_GET(it->world, n->parent, *node, Node)->at;
        }
    }
}

static mica_entity attach(mica_world *world, mica_type node, const char *name, mica_entity parent,
                          float offset)
{
    int depth = MICA_IS_NONE(parent) ? 0 : MICA_GET(world, parent, node, Node)->depth + 1;
    mica_entity e = mica_spawn(world, MICA_VALUE(node, Node, parent, depth, offset, 0));
    mica_entity_set_name(world, e, name);
    return e;
}

static void print(mica_world *world, mica_type node, const char *name)
{
    printf("%s at %g\n", name, MICA_GET(world, mica_entity_find(world, name), node, Node)->at);
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_type node = MICA_REGISTER_SPARSE(world, Node, parent, depth, offset, at);
    mica_entity none = (mica_entity){0};
    mica_entity ship = attach(world, node, "ship", none, 100);
    mica_entity turret = attach(world, node, "turret", ship, 10);
    attach(world, node, "barrel", turret, 1);
    mica_entity tug = attach(world, node, "tug", none, 5);

    // The ship is taken in tow: everything on it goes one deeper.
    mica_set(world, ship, MICA_VALUE(node, Node, tug, 1, 20, 0));
    MICA_GET_MUT(world, turret, node, Node)->depth = 2;
    MICA_GET_MUT(world, mica_entity_find(world, "barrel"), node, Node)->depth = 3;
    mica_sort(world, node, by_depth, NULL); // only when the tree has changed

    mica_system_add(world, &(mica_system_desc){.name = "place",
                                               .update = place,
                                               .user = &node,
                                               .query.terms = {{node, MICA_WRITE}}});
    mica_step(world, 1);
    print(world, node, "barrel");
    MICA_GET_MUT(world, tug, node, Node)->offset = 1005;
    mica_step(world, 1);
    print(world, node, "barrel");
    mica_world_free(world);
}
