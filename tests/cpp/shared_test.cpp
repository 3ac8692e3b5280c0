// mica.hpp in a program and in a library that it loads, whose symbols are hidden from each other: a type of
// the one is the same type of the other.
#include <mica.hpp>

#include "check.h"
#include "shared.hpp"

static void a_type_is_the_same_in_every_library()
{
    mica::world world;
    mica::entity e = world.spawn(Name{"given by the program, and ended by the library"});
    plugin_answer answer = plugin_visit(world, e);
    CHECK(answer.key != mica::name_of<Name>()); // they know it by another address
    CHECK(answer.name == world.type<Name>().raw && answer.length == 46);
    CHECK(answer.velocity == world.type<Velocity>().raw);
    CHECK(world.get<Velocity>(e)->y == 4);
    CHECK(world.get<Name>(e)->text == "given by the library, and ended by the program");
    CHECK(!world.find_system("visit") && world.step(1) == MICA_OK);
    plugin_answer again = plugin_visit(world, e);
    CHECK(again.name == answer.name && mica_world_get_stats(world).types == 2);
    CHECK(world.validate() == MICA_OK);
}

int main()
{
    const test_case cases[] = {CASE(a_type_is_the_same_in_every_library)};
    return run_cases(cases);
}
