// Tracing: a callback sees the steps and the systems in them. With a path as its argument, this program also writes a
// trace file for chrome://tracing or ui.perfetto.dev.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;

static void age(mica_iter *it)
{
    for (uint32_t i = 0; i < it->count; i++) {
        mica_despawn(mica_later(it), it->entities[i]);
    }
}

static void solve(mica_iter *it)
{
    mica_trace_span pairs = mica_trace_span_begin(it->world, "find pairs");
    mica_trace_span_end(&pairs);
    mica_trace_mark(it->world, "no pairs");
    mica_trace_span push = mica_trace_span_begin(it->world, "push apart");
    mica_trace_span_end(&push);
}

// Prints a tree. Times are left out here: they are never the same.
static void print_point(const mica_trace_point *point)
{
    int *depth = point->user;
    if (point->ended) {
        (*depth)--;
        if (point->kind == MICA_TRACE_SYSTEM || point->kind == MICA_TRACE_COMMANDS) {
            printf("%*s  %s: %u\n", *depth * 2, "",
                   point->kind == MICA_TRACE_SYSTEM ? "rows" : "carried out",
                   (unsigned)point->rows);
        }
        return;
    }
    printf("%*s%s\n", *depth * 2, "", point->name);
    *depth += point->kind != MICA_TRACE_MARK;
}

int main(int argc, char **argv)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_phase physics = mica_phase_add(
        w, &(mica_phase_desc){
               .name = "physics", .fixed_dt = 0.5, .before = mica_phase_find(w, "update")});
    mica_system_add(w, &(mica_system_desc){.name = "solve", .update = solve, .phase = physics});
    mica_system_add(w, &(mica_system_desc){
                           .name = "age", .update = age, .query.terms = {{position, MICA_READ}}});
    for (int i = 0; i < 3; i++) {
        mica_spawn(w, MICA_VALUE(position, Position, 1, 2));
    }

    int depth = 0;
    mica_trace_set(w, print_point, &depth);
    mica_step(w, 0.5);
    mica_trace_set(w, NULL, NULL);

    if (argc > 1) {
        mica_result result = mica_trace_begin(w, &(mica_stream){.path = argv[1]},
                                              &(mica_trace_desc){.name = "tracing"});
        for (int i = 0; i < 10; i++) {
            mica_spawn(w, MICA_VALUE(position, Position, 1, 2));
            mica_step(w, 0.5);
        }
        result = result ? result : mica_trace_end(w);
        if (result) {
            return 1;
        }
    }
    mica_world_free(w);
    return 0;
}
