// Entities: handles that detect that they are stale.
#include <mica.h>
#include <stdio.h>

static void say(mica_world *w, const char *what, mica_entity e)
{
    char text[MICA_ENTITY_TEXT_SIZE];
    printf("%-7s %-5s %s\n", what, mica_entity_text(e, text), mica_alive(w, e) ? "alive" : "dead");
}

typedef struct {
    int points;
} Health;

// One call: is the target alive, and does it have Health?
static void aim(mica_world *w, mica_entity target, mica_type health)
{
    const Health *its = MICA_TRY_GET(w, target, health, Health);
    if (its) {
        printf("the target has %d points\n", its->points);
    } else {
        printf("there is no target\n");
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type health = MICA_REGISTER(w, Health, points);
    mica_entity anna = mica_spawn_values(w, NULL, 0);
    mica_entity bert = mica_spawn_values(w, NULL, 0);
    say(w, "anna", anna);
    say(w, "bert", bert);

    // The slot is used again, by another generation: the old handle stays dead.
    mica_despawn(w, anna);
    mica_entity cleo = mica_spawn_values(w, NULL, 0);
    say(w, "anna", anna);
    say(w, "cleo", cleo);
    say(w, "nobody", (mica_entity){0});

    // A given handle: what a saved state or a mirrored world needs. Far away costs no array.
    mica_entity far_away = mica_spawn_at(w, mica_entity_make(100000000, 0));
    say(w, "far", far_away);

    // A target in a component or a variable may die: no error.
    mica_set(w, bert, MICA_VALUE(health, Health, 20));
    aim(w, bert, health);
    aim(w, anna, health);

    printf("%u alive:", (unsigned)mica_entity_count(w));
    for (mica_entity e = mica_entity_next(w, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(w, e)) {
        char text[MICA_ENTITY_TEXT_SIZE];
        printf(" %s", mica_entity_text(e, text));
    }
    printf("\n");
    mica_world_free(w);
}
