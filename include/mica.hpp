// mica in C++17: types instead of type handles, functions instead of callbacks, and objects that
// free their resources (RAII). It is inline code over mica.h, which it includes, and can be mixed
// with it: a mica::world is accepted as a mica_world *.
//
//   #include <mica.hpp>
//
//   struct Position { float x, y; };
//   struct Velocity { float x, y; };
//
//   mica::world world;
//   mica::entity e = world.spawn(Position{0, 0}, Velocity{1, 2});
//   world.system<Position, const Velocity>("move").each(
//       [](Position &p, const Velocity &v, float dt) { p.x += v.x * dt; p.y += v.y * dt; });
//   world.step(1.0 / 60);
//
// This header contains no declarations of its own, only these:
//
//   mica/hpp/face.hpp      worlds and their functions: start here
//   mica/hpp/type.hpp      how a C++ type is registered
//   mica/hpp/term.hpp      the words of queries and systems
//   mica/hpp/query.hpp     queries and loops
//   mica/hpp/system.hpp    systems
//   mica/hpp/observer.hpp  observers
//   mica/hpp/bundle.hpp    bundles and accessors
//   mica/hpp/group.hpp     groups, sorting
//   mica/hpp/image.hpp     serialization: saving and loading
//   mica/hpp/span.hpp      arrays of values
//
// It needs neither exceptions nor RTTI. Errors, threads and the validity of pointers are as in C,
// unless a comment says otherwise. See also docs/guide/cpp.md.
#ifndef MICA_HPP
#define MICA_HPP

#include <mica/hpp/bundle.hpp>
#include <mica/hpp/face.hpp>
#include <mica/hpp/group.hpp>
#include <mica/hpp/image.hpp>
#include <mica/hpp/observer.hpp>
#include <mica/hpp/query.hpp>
#include <mica/hpp/span.hpp>
#include <mica/hpp/system.hpp>
#include <mica/hpp/term.hpp>
#include <mica/hpp/type.hpp>

#endif
