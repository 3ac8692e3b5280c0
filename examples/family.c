// Observers: a parent component. A despawned parent takes its children along, and theirs, and so on.
#include <mica.h>
#include <stdio.h>

typedef struct {
    mica_entity of;
} Parent;

typedef struct {
    mica_type parent;
    mica_query children;
} Family;

// Despawns the children of a despawned parent. They are recorded: they end when this call is over, are observed
// in turn, and take theirs along.
static void take_children_along(const mica_observer_event *h)
{
    const Family *family = h->user;
    mica_iter it;
    mica_iter_begin(h->world, family->children, &it);
    while (mica_iter_next(&it)) {
        const Parent *parents = mica_read(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            if (MICA_EQUAL(parents[i].of, h->entity)) {
                mica_despawn(h->later, it.entities[i]);
            }
        }
    }
}

static void say_goodbye(const mica_observer_event *h)
{
    const char *name = mica_entity_name(h->world, h->entity);
    printf("%s goes\n", name ? name : "somebody");
}

static mica_entity spawn(mica_world *world, const Family *family, const char *name,
                         mica_entity parent)
{
    mica_entity e = MICA_IS_NONE(parent)
                        ? mica_spawn_values(world, NULL, 0)
                        : mica_spawn(world, MICA_VALUE(family->parent, Parent, parent));
    mica_entity_set_name(world, e, name);
    return e;
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    Family family = {.parent = MICA_REGISTER(world, Parent, of)};
    family.children =
        mica_query_new(world, &(mica_query_desc){.terms = {{family.parent, MICA_READ}}});
    mica_observer_new(
        world,
        &(mica_observer_desc){.name = "goodbye", .events = MICA_ON_DESPAWN, .call = say_goodbye});
    mica_observer_new(world, &(mica_observer_desc){.name = "family",
                                                   .events = MICA_ON_DESPAWN,
                                                   .call = take_children_along,
                                                   .user = &family});

    mica_entity tank = spawn(world, &family, "tank", (mica_entity){0});
    mica_entity turret = spawn(world, &family, "turret", tank);
    spawn(world, &family, "gun", turret);
    spawn(world, &family, "hatch", turret);
    spawn(world, &family, "tracks", tank);
    spawn(world, &family, "tree", (mica_entity){0});

    mica_despawn(world, turret);
    printf("%u are left\n", mica_entity_count(world));
    mica_despawn(world, tank);
    printf("%u is left\n", mica_entity_count(world));
    mica_world_free(world);
}
