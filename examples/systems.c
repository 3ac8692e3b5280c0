// Systems: named functions over a query, with state of their own, which each step runs in order. They can have begin
// and end functions and a condition, and run before or after others.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float celsius;
} Heat;

typedef struct {
    float room; // degrees that things cool down to
} Weather;

static void cool(mica_iter *it)
{
    const Weather *weather = it->user;
    Heat *heat = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        heat[i].celsius += (weather->room - heat[i].celsius) * it->dt;
    }
}

// Once before all rows, once for each stretch of them, once behind the last.
typedef struct {
    float sum;
    uint32_t count;
} Mean;

static void begin_mean(mica_iter *it)
{
    Mean *mean = it->user;
    *mean = (Mean){0};
}

static void add_to_mean(mica_iter *it)
{
    Mean *mean = it->user;
    const Heat *heat = mica_read(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        mean->sum += heat[i].celsius;
    }
    mean->count += it->count;
}

static void print_mean(mica_iter *it)
{
    const Mean *mean = it->user;
    printf("after %g minutes: %g on average\n", it->time + it->dt, mean->sum / (float)mean->count);
}

// A system without a query runs once per step. This one has a condition.
static bool is_full_minute(const mica_iter *it)
{
    double end = it->time + it->dt;
    return end == (double)(int)end;
}

static void strike(mica_iter *it)
{
    (void)it;
    printf("the clock strikes\n");
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type heat = MICA_REGISTER(w, Heat, celsius);
    mica_spawn(w, MICA_VALUE(heat, Heat, 84));
    mica_spawn(w, MICA_VALUE(heat, Heat, 4), MICA_ADD(MICA_TAG(w, Drink)));

    Mean mean;
    mica_system average =
        mica_system_add(w, &(mica_system_desc){.name = "average",
                                               .begin = begin_mean,
                                               .update = add_to_mean,
                                               .end = print_mean,
                                               .user = &mean,
                                               .query.terms = {{heat, MICA_READ}}});
    Weather mild = {20};
    mica_system_add(w, &(mica_system_desc){.name = "cool",
                                           .update = cool,
                                           .user = &mild,
                                           .query.terms = {{heat, MICA_WRITE}},
                                           .before = {average}});
    mica_system clock = mica_system_add(
        w, &(mica_system_desc){.name = "clock", .update = strike, .when = is_full_minute});
    for (int step = 0; step < 4; step++) {
        if (mica_step(w, 0.5)) {
            return 1;
        }
    }
    mica_system_disable(w, average);
    mica_result result = mica_systems_run(w, &clock, 1, 0); // by hand, whatever its condition says
    mica_system_info info;
    mica_system_get_info(w, clock, &info);
    printf("struck %u times, and %u times not\n", (unsigned)info.stats.runs,
           (unsigned)info.stats.skipped);
    mica_world_free(w);
    return result != MICA_OK;
}
