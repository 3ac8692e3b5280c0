// A world with something of everything that tools/gdb/mica.py prints.
#include <mica.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Hunt {
    mica_entity prey;
    int days;
} Hunt;

typedef struct Body {
    double mass;
    float axes[3];
} Body;

typedef struct Heat {
    int degrees;
} Heat;

typedef struct Place {
    long long number;
} Place;

typedef struct Session {
    mica_world *world;
    mica_type position, heat, frozen, none_type;
    mica_entity scout, hunter, dead, none;
    mica_query moving;
    mica_system system;
    mica_phase phase;
    mica_type_set set;
    mica_row_range range;
} Session;

static void stop_here(const Session *s)
{
    (void)s;
}

static void stop_in_system(mica_iter *it)
{
    (void)it;
}

static void move(mica_iter *it)
{
    stop_in_system(it);
}

int main(void)
{
    mica_world *unused = NULL;
    mica_world *world = mica_world_new(NULL);
    mica_world_set_abort_on_error(world, true);
    Session s = {.world = world};
    s.position = MICA_REGISTER(world, Position, x, y);
    mica_type hunt = MICA_REGISTER(world, Hunt, prey, days);
    mica_type body = MICA_REGISTER_SPLIT(world, Body, mass, axes);
    s.heat = MICA_REGISTER_RING(world, Heat, degrees);
    mica_type place = mica_type_register(world, &(mica_type_desc){.name = "Place",
                                                                  .c_type = "Place",
                                                                  .size = sizeof(Place),
                                                                  .align = _Alignof(Place),
                                                                  .storage = MICA_SPARSE,
                                                                  .stable = true,
                                                                  .toggle = true});
    // A type of whose name the program has no struct.
    mica_type label = mica_type_register(
        world,
        &(mica_type_desc){
            .name = "Label",
            .size = 12,
            .align = 4,
            .fields = (mica_field_info[]){{.name = "text", .kind = MICA_KIND_CHAR, .size = 8},
                                          {.name = "size", .kind = MICA_KIND_F32, .offset = 8}},
            .field_count = 2});
    s.frozen = MICA_TAG(world, Frozen);

    s.scout = mica_spawn(world, MICA_VALUE(s.position, Position, 1, 2),
                         MICA_VALUE(body, Body, 70, {1, 2, 3}), MICA_ADD(s.frozen));
    mica_entity_set_name(world, s.scout, "scout");
    s.hunter = mica_spawn(world, MICA_VALUE(hunt, Hunt, s.scout, 3), MICA_VALUE(s.heat, Heat, 36),
                          MICA_VALUE(place, Place, -5),
                          ((mica_value){.type = label,
                                        .data = &(struct {
                                            char text[8];
                                            float size;
                                        }){"big", 10},
                                        .size = 12}));
    mica_disable(world, s.hunter, place);
    mica_facet_add(world, s.hunter, s.position, 2, MICA_VALUE(s.heat, Heat, 40));
    s.dead = mica_spawn(world, MICA_ADD(s.position));
    mica_despawn(world, s.dead);
    for (int i = 0; i < 1500; i++) {
        mica_spawn(world, MICA_VALUE(s.position, Position, (float)i, 0));
    }
    s.phase = mica_phase_add(world, &(mica_phase_desc){.name = "early"});
    s.moving = mica_query_new(
        world, &(mica_query_desc){.terms = {{s.position, MICA_READ}}, .name = "moving"});
    s.system = mica_system_add(world, &(mica_system_desc){.name = "move",
                                                          .update = move,
                                                          .query.terms = {{s.position, MICA_WRITE},
                                                                          {s.frozen, MICA_WITH}}});
    mica_type_set_add(world, &s.set, s.position);
    mica_type_set_add(world, &s.set, s.frozen);
    mica_table_range(world, 1, s.position, 0, &s.range);
    stop_here(&s);
    mica_step(world, 1);
    mica_world_free(unused);
    mica_world_free(world);
    return 0;
}
