// A pipeline of events: blows become wounds, wounds become deaths. Each stage is a system that reads one kind of
// event and sends the next. A new rule is one more system, and the others stay as they are.
#include <mica.h>
#include <stdio.h>

typedef struct {
    mica_entity who;
    int force;
} Blow;

typedef struct {
    mica_entity who;
    int damage;
} Wound;

typedef struct {
    int points, armour;
} Body;

typedef struct {
    mica_type body, blow, wound;
} Rules;

static void parry(mica_iter *it)
{
    const Rules *r = it->user;
    uint32_t count;
    for (const Blow *b; (b = MICA_UNREAD(it, r->blow, Blow, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            if (!mica_has(it->world, b[i].who, r->body)) {
                continue; // its target has died since
            }
            const Body *body = MICA_GET(it->world, b[i].who, r->body, Body);
            if (b[i].force > body->armour) {
                mica_send(it->world,
                          MICA_VALUE(r->wound, Wound, b[i].who, b[i].force - body->armour));
            }
        }
    }
}

static void bleed(mica_iter *it)
{
    const Rules *r = it->user;
    uint32_t count;
    for (const Wound *w; (w = MICA_UNREAD(it, r->wound, Wound, &count)) != NULL;) {
        for (uint32_t i = 0; i < count; i++) {
            if (!mica_has(it->world, w[i].who, r->body)) {
                continue;
            }
            Body *body = MICA_GET_MUT(it->world, w[i].who, r->body, Body);
            body->points -= w[i].damage;
            printf("%s: %d left\n", mica_entity_name(it->world, w[i].who), body->points);
            if (body->points <= 0) {
                mica_despawn(mica_later(it), w[i].who); // twice does no harm
            }
        }
    }
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    Rules r = {MICA_REGISTER(world, Body, points, armour), MICA_REGISTER(world, Blow, who, force),
               MICA_REGISTER(world, Wound, who, damage)};
    mica_system_add(world,
                    &(mica_system_desc){.name = "parry",
                                        .update = parry,
                                        .user = &r,
                                        .events = {{r.blow, MICA_READ}, {r.wound, MICA_WRITE}}});
    mica_system_add(
        world, &(mica_system_desc){
                   .name = "bleed", .update = bleed, .user = &r, .events = {{r.wound, MICA_READ}}});
    mica_entity knight = mica_spawn(world, MICA_VALUE(r.body, Body, 20, 5));
    mica_entity page = mica_spawn(world, MICA_VALUE(r.body, Body, 8, 0));
    mica_entity_set_name(world, knight, "knight");
    mica_entity_set_name(world, page, "page");
    mica_send(world, MICA_VALUE(r.blow, Blow, knight, 4), MICA_VALUE(r.blow, Blow, knight, 9),
              MICA_VALUE(r.blow, Blow, page, 6), MICA_VALUE(r.blow, Blow, page, 6));
    mica_step(world, 1);
    printf("%s lives, %s\n", mica_alive(world, knight) ? "the knight" : "nobody",
           mica_alive(world, page) ? "and so does the page" : "the page does not");
    mica_world_free(world);
}
