// Errors: a call that fails changes nothing, returns a null thing or a code, and says why.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;

// By default the sentence goes to standard error; a handler of your own decides otherwise.
static void tell(mica_world *w, const mica_error *error, void *user)
{
    (void)w;
    ++*(int *)user;
    printf("%s: %s\n", mica_result_name(error->code), error->sentence);
}

static void fall(mica_iter *it)
{
    Position *p = mica_write(it, 0); // declared MICA_READ
    for (uint32_t i = 0; p && i < it->count; i++) {
        p[i].y -= it->dt;
    }
}

int main(void)
{
    int failures = 0;
    mica_world *w =
        mica_world_new(&(mica_world_desc){.error_handler = tell, .error_user = &failures});
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_entity e = mica_spawn(w, MICA_VALUE(position, Position, 1, 2));

    mica_set(w, e, MICA_VALUE(position, int, 1)); // not a Position

    mica_system_add(w, &(mica_system_desc){
                           .name = "fall", .update = fall, .query.terms = {{position, MICA_READ}}});
    mica_step(w, 1); // the sentence names the system

    mica_query all =
        mica_query_new(w, &(mica_query_desc){.terms = {{position, MICA_READ}}, .name = "all"});
    mica_iter it;
    mica_iter_begin(w, all, &it);
    mica_iter_next(&it);
    mica_despawn(w, e);  // the floor would go from under the iteration
    mica_iter_end(&it);  // left early
    mica_iter_next(&it); // and not to be used again

    mica_despawn(w, e);
    if (!mica_get(w, e, position)) {
        printf("last: %s\n", mica_result_text(mica_last_error(w)->code));
    }
    printf("%d failures, world %s\n", failures, mica_world_validate(w) ? "broken" : "valid");
    mica_world_free(w);
}
