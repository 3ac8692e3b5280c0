// Hot reload: a table has all functions of a module, and systems call through it. To replace the module while the world
// runs, replace the table. All data stay, because the world has them.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float y, speed;
} Ball;

// What dlsym() or GetProcAddress() would find in a library that was just compiled.
typedef struct {
    const char *version;
    mica_update_fn *fall;
} Code;

static void fall_1(mica_iter *it)
{
    Ball *balls = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        balls[i].y -= it->dt; // a bug: it does not get faster
    }
}

static void fall_2(mica_iter *it)
{
    Ball *balls = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        balls[i].speed += 10 * it->dt;
        balls[i].y -= balls[i].speed * it->dt;
    }
}

static const Code version_1 = {"version 1", fall_1};
static const Code version_2 = {"version 2", fall_2};

// What the world knows. It stays where it is; a pointer into a library would be gone with that.
static void fall(mica_iter *it)
{
    const Code *const *code = it->user;
    (*code)->fall(it);
}

int main(void)
{
    mica_world *world = mica_world_new(NULL);
    const Code *code = &version_1;
    mica_type ball = MICA_REGISTER(world, Ball, y, speed);
    mica_entity e = mica_spawn(world, MICA_VALUE(ball, Ball, 100, 0));
    mica_system_add(world, &(mica_system_desc){.name = "fall",
                                               .update = fall,
                                               .user = &code,
                                               .query.terms = {{ball, MICA_WRITE}}});
    for (int second = 1; second <= 4; second++) {
        mica_step(world, 1);
        printf("%s: %g\n", code->version, MICA_GET(world, e, ball, Ball)->y);
        if (second == 2) {
            code = &version_2; // between steps
        }
    }
    mica_world_free(world);
}
