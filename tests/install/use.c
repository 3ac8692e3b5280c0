// What somebody outside the tree would write first.
#include <mica.h>
#include <stdio.h>

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    mica_entity entity = mica_spawn_values(world, NULL, 0);
    bool alive = mica_alive(world, entity);
    mica_world_free(world);
    printf("mica %s, %s\n", mica_version(), alive ? "alive" : "dead");
    return alive ? 0 : 1;
}
