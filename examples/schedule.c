// Phases: the parts of a step. One phase has a fixed time step and runs as often as it fits into the time of the
// frame. So it gives the same result at any frame rate. Another phase draws between its last state and the next.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float y, before, speed; // metres; where it was one run ago
} Ball;

static void fall(mica_iter *it)
{
    Ball *balls = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        balls[i].before = balls[i].y;
        balls[i].speed -= 10 * it->dt;
        balls[i].y += balls[i].speed * it->dt;
    }
    printf("  fall: %g seconds have passed here\n", it->time + it->dt);
}

static void draw(mica_iter *it)
{
    const mica_phase *physics = it->user;
    const Ball *balls = mica_read(it, 0);
    float progress = (float)mica_phase_progress(it->world, *physics);
    for (uint32_t i = 0; i < it->count; i++) {
        float y = balls[i].before + (balls[i].y - balls[i].before) * progress;
        printf("  draw: at %.3f, %g of the way to the next run\n", y, progress);
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type ball = MICA_REGISTER(w, Ball, y, before, speed);
    mica_spawn(w, MICA_VALUE(ball, Ball, 100, 100, 0));

    mica_phase update = mica_phase_find(w, "update"); // that a world has from the beginning
    mica_phase physics = mica_phase_add(
        w,
        &(mica_phase_desc){.name = "physics", .fixed_dt = 0.25, .max_runs = 3, .before = update});
    mica_phase drawing = mica_phase_add(w, &(mica_phase_desc){.name = "draw"});
    mica_system_add(w, &(mica_system_desc){.name = "draw",
                                           .update = draw,
                                           .user = &physics,
                                           .phase = drawing,
                                           .query.terms = {{ball, MICA_READ}}});
    mica_system_add(w, &(mica_system_desc){.name = "fall",
                                           .update = fall,
                                           .phase = physics,
                                           .query.terms = {{ball, MICA_WRITE}}});
    mica_schedule_print(w, NULL);

    // Short frames, a long one, and one after the program was asleep.
    const double frames[] = {0.125, 0.1875, 0.5, 60};
    for (int i = 0; i < 4; i++) {
        printf("a frame of %g seconds\n", frames[i]);
        if (mica_step(w, frames[i])) {
            return 1;
        }
    }
    mica_phase_info info;
    mica_phase_get_info(w, physics, &info);
    printf("%g seconds are lost\n", info.lost);
    mica_world_free(w);
}
