// The library that shared_test.cpp loads: compiled with hidden symbols, so that it shares no variable and no
// function of the headers with the program.
#include <mica.hpp>

#include "shared.hpp"

plugin_answer plugin_visit(mica_world *world, mica_entity e)
{
    plugin_answer answer = {};
    mica::guest guest(world);
    answer.velocity = guest.type<Velocity>(); // first named here
    answer.name = guest.type<Name>();         // and this one there
    answer.length = guest.get<Name>(e)->text.size();
    answer.key = mica::name_of<Name>();
    guest.set(e, Name{"given by the library, and ended by the program"}, Velocity{3, 4});
    guest.system<const Name>("visit").each([](const Name &) {});
    return answer;
}
