// The tests' world.
#include "runner/world.h"
#include "runner/test.h"

#include <stdlib.h>
#include <string.h>

void test_world_prepare(test_world *t)
{
    memset(t, 0, sizeof *t);
    test_memory_begin(&t->memory);
    t->desc.allocator = t->memory.allocator;
    t->desc.error_handler = test_error_record;
    t->desc.error_user = &t->error;
    t->desc.log_handler = test_log_look;
    t->desc.relocate_always = getenv("MICA_TEST_RELOCATING") != NULL;
}

void test_world_verify(mica_world *world)
{
    if (getenv("MICA_TEST_VERIFYING")) {
        (void)mica_time_verify(world);
    }
}

static mica_world *keep(test_world *t, mica_world *world, const char *file, int line)
{
    t->world = world;
    if (t->world == NULL) {
        test_fail(file, line, "no world: %s", t->error.last.sentence);
        test_leave();
    }
    test_world_verify(t->world);
    return t->world;
}

mica_world *test_world_open_at(test_world *t, const char *file, int line)
{
    return keep(t, mica_world_new(&t->desc), file, line);
}

mica_world *test_world_open_twin_at(test_world *t, mica_world *original, const char *file, int line)
{
    test_world_prepare(t);
    return keep(t, mica_twin_new(original, &t->desc), file, line);
}

void test_world_end_at(test_world *t, const char *file, int line)
{
    // First: validating may report, which is then reported in its own words.
    test_error_end_at(&t->error, file, line);
    if (t->world != NULL) {
        if (mica_world_validate(t->world) != MICA_OK) {
            test_fail(file, line, "the world is not valid: %s", t->error.last.sentence);
        }
        if (mica_world_free(t->world) != MICA_OK) {
            test_fail(file, line, "the world was not freed: %s", t->error.last.sentence);
        }
        t->world = NULL;
        test_error_clear(&t->error);
    }
    test_memory_end_at(&t->memory, file, line);
}

mica_result test_add_types(mica_world *world, mica_entity entity, const mica_type *types,
                           uint32_t count)
{
    mica_value *values = calloc(count + 1, sizeof *values);
    REQUIRE(values);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = MICA_ADD(types[i]);
    }
    mica_result result = mica_change(world, entity, values, count, NULL, 0);
    free(values);
    return result;
}

mica_system_info test_system_info(mica_world *world, mica_system system)
{
    mica_system_info info;
    mica_system_get_info(world, system, &info);
    return info;
}

mica_phase_info test_phase_info(mica_world *world, mica_phase phase)
{
    mica_phase_info info;
    mica_phase_get_info(world, phase, &info);
    return info;
}

uint32_t test_group_count(mica_world *world, mica_group group)
{
    mica_group_info info;
    mica_group_get_info(world, group, &info);
    return info.count;
}

uint32_t test_type_count(mica_world *world)
{
    return mica_world_get_stats(world).types;
}

uint32_t test_event_count(mica_world *world, mica_type type)
{
    mica_event_info info;
    mica_event_get_info(world, type, &info);
    return info.now + info.last;
}
