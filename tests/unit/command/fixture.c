#include "unit/command/fixture.h"

#include <string.h>

void fixture_begin_as(fixture *f, bool relocate_always)
{
    memset(f, 0, sizeof *f);
    tracker_begin(&f->tracker);
    test_world_prepare(&f->t);
    f->t.desc.relocate_always = relocate_always;
    mica_world *world = f->world = test_world_open(&f->t);
    f->position = MICA_REGISTER(world, Position, x, y);
    mica_type_desc health = MICA_DESCRIBE(Health, points);
    health.default_value = &(Health){100};
    f->health = mica_type_register(world, &health);
    f->wide = mica_type_register(
        world, &(mica_type_desc){.name = "Wide", .size = sizeof(Wide), .align = _Alignof(Wide)});
    f->frozen = MICA_TAG(world, Frozen);
    const mica_type_desc moved = tracked_desc(&f->tracker, "Moved", true);
    f->moved = mica_type_register(world, &moved);
    mica_type_desc owned = tracked_desc(&f->tracker, "Owned", true);
    owned.hooks.copy = NULL;
    f->owned = mica_type_register(world, &owned);
    f->burning = mica_type_register(
        world, &(mica_type_desc){.name = "Burning", .size = 4, .align = 4, .toggle = true});
    f->loose = mica_type_register(
        world, &(mica_type_desc){.name = "Loose", .size = 8, .align = 8, .storage = MICA_SPARSE});
    f->marked = MICA_SPARSE_TAG(world, Marked);
    f->all = mica_query_new(world, &(mica_query_desc){.everything = true, .name = "all"});
    REQUIRE_EQUAL(9, mica_type_count(world));
}

void fixture_begin(fixture *f)
{
    fixture_begin_as(f, false);
}

void fixture_end(fixture *f)
{
    test_world_end(&f->t);
    CHECK_TRACKED(&f->tracker, 0);
}

mica_value fixture_owned(fixture *f, tracked *made)
{
    return (mica_value){f->owned, made, sizeof *made, 1, NULL};
}

mica_world *fixture_later(fixture *f)
{
    mica_world *later = mica_world_later(f->world);
    REQUIRE(later != NULL);
    return later;
}

void fixture_apply(fixture *f)
{
    CHECK_EQUAL(MICA_OK, mica_commands_apply(f->world));
    CHECK_EQUAL(0, mica_commands_count(f->world));
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
}
