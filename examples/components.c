// Components: set, get, change several at once.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    int points;
} Health;
typedef struct {
    int points;
} Armour;

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_type health = MICA_REGISTER(w, Health, points);
    mica_type armour = MICA_REGISTER(w, Armour, points);

    mica_entity knight = mica_spawn(w, MICA_VALUE(position, Position, 3, 4), MICA_ADD(health));
    mica_entity_print(w, knight, NULL);

    // mica_set adds missing components and overwrites existing ones.
    mica_set(w, knight, MICA_VALUE(health, Health, 100), MICA_VALUE(armour, Armour, 20));
    mica_entity_print(w, knight, NULL);

    // A pointer to change in place, its size checked. Good until the next structural change.
    MICA_GET_MUT(w, knight, health, Health)->points -= 30;
    printf("health %d\n", MICA_GET(w, knight, health, Health)->points);

    // Both directions in one move.
    mica_change(w, knight, &MICA_VALUE(health, Health, 50), 1, &armour, 1);
    printf("armour is %s\n", mica_get(w, knight, armour) ? "there" : "gone");

    mica_entity_print(w, mica_clone(w, knight), NULL);
    mica_world_free(w);
}
