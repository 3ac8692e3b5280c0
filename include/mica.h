// mica: an entity component system in C. This is the one header to include; it only gathers the
// parts, each of which can also be read, and included, alone.
//
//   mica/api.h        version, visibility
//   mica/error.h      result codes, the last error, error and log handlers
//   mica/memory.h     the allocator hook
//   mica/entity.h     entity handles
//   mica/field.h      what is inside a component: fields and their kinds
//   mica/type.h       component types
//   mica/types.h      sets of component types, as values
//   mica/world.h      the world: everything lives in one
//   mica/component.h  spawning entities, giving them components, reading them
//   mica/accessor.h   one type prepared for quick access to single entities
//   mica/query.h      finding and iterating
//   mica/facet.h      further rows of an entity, each under a key
//   mica/group.h      sparse components that are iterated together, and their order
//   mica/toggle.h     components that are switched off and on
//   mica/change.h     looking only at what changed
//   mica/resource.h   values of which a world has one
//   mica/event.h      messages, for two frames
//   mica/command.h    changes that are recorded now and carried out later
//   mica/observer.h   functions that are told of changes
//   mica/phase.h      what a step consists of
//   mica/system.h     functions that run over a query every step
//   mica/frame.h      memory that lasts for a step
//   mica/model.h      the components of a program, declared once
//   mica/stream.h     where images and traces are written to, and images read from
//   mica/image.h      saving and loading worlds
//   mica/debug.h      figures, hashes, printers
//   mica/inspect.h    what there is in a world, and where it lies
//   mica/trace.h      being told what begins and ends, and writing it down
#ifndef MICA_H
#define MICA_H

#include <mica/accessor.h>
#include <mica/api.h>
#include <mica/change.h>
#include <mica/command.h>
#include <mica/component.h>
#include <mica/debug.h>
#include <mica/entity.h>
#include <mica/error.h>
#include <mica/event.h>
#include <mica/facet.h>
#include <mica/field.h>
#include <mica/frame.h>
#include <mica/group.h>
#include <mica/image.h>
#include <mica/inspect.h>
#include <mica/memory.h>
#include <mica/model.h>
#include <mica/observer.h>
#include <mica/phase.h>
#include <mica/query.h>
#include <mica/resource.h>
#include <mica/stream.h>
#include <mica/system.h>
#include <mica/toggle.h>
#include <mica/trace.h>
#include <mica/type.h>
#include <mica/types.h>
#include <mica/world.h>

#endif
