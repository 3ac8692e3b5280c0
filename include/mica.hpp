// mica in C++17: the library with types instead of handles of types, functions instead of callbacks, and
// objects that free what they have. All of it is inline over mica.h, which it includes, and with which it can
// be mixed: a mica::world is taken wherever a mica_world * is.
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
//   const Position *p = world.get<Position>(e);
//
// This only gathers the parts:
//
//   mica/hpp/face.hpp      the world, and what is done to it: start here
//   mica/hpp/type.hpp      which type of a world a C++ type is, and how to say more of it
//   mica/hpp/term.hpp      the words that queries and systems are made of
//   mica/hpp/query.hpp     queries and loops
//   mica/hpp/system.hpp    systems
//   mica/hpp/observer.hpp  observers
//   mica/hpp/bundle.hpp    bundles and accessors
//   mica/hpp/group.hpp     groups, sorting
//   mica/hpp/image.hpp     saving and loading
//   mica/hpp/span.hpp      values side by side
//
// It needs neither exceptions nor RTTI. What it does not say is as in C: errors, threads, what
// invalidates which pointers. docs/guide/cpp.md tells it in words.
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
