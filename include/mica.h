// mica: an archetype entity component system (ECS) in C11. Include this header: it contains no
// declarations of its own, only the headers below. Each of them can also be included alone.
//
//   mica/api.h        version, visibility, macros that the other headers use
//   mica/error.h      result codes, the last error, error and log handlers
//   mica/memory.h     custom allocators
//   mica/entity.h     entity handles: create, destroy, test if alive
//   mica/field.h      reflection: the fields of a component and their kinds
//   mica/type.h       component types: registration, storage, hooks
//   mica/type_set.h   sets of component types
//   mica/world.h      the world, which owns all data
//   mica/component.h  spawn entities; add, set, get and remove components; bundles
//   mica/accessor.h   fast random access to one component of single entities
//   mica/query.h      find and iterate the entities that have certain components
//   mica/facet.h      several values of one component per entity, each under a key
//   mica/relation.h   links between entities: hierarchies, ownership
//   mica/group.h      sparse components iterated together; sorting
//   mica/toggle.h     enable and disable components in place
//   mica/change_detection.h   what was changed or added since a system last ran
//   mica/resource.h   singletons: one value per world
//   mica/event.h      messages between systems, kept for two frames
//   mica/command.h    command buffers: changes recorded now and applied later
//   mica/observer.h   callbacks for added, removed and set components
//   mica/phase.h      the phases of a step, fixed time steps, schedules of the program
//   mica/system.h     functions that run over a query in every step
//   mica/thread.h     systems on several threads
//   mica/frame.h      temporary memory that lasts for one step
//   mica/model.h      typed components and queries, declared once with macros
//   mica/stream.h     files, memory buffers and callbacks to read and write
//   mica/image.h      serialization: save and load worlds and parts of them
//   mica/debug.h      statistics, hashes, printing
//   mica/time.h       snapshots: rollback, undo and redo
//   mica/delta.h      what differs between two snapshots, as bytes: replication
//   mica/tape.h       recorded input, to play a simulation again
//   mica/inspect.h    introspection: what a world contains and where it is stored
//   mica/trace.h      tracing and profiling: a log of begins and ends with times
//
// Headers in mica/hpp are the C++ halves of these, which include them; mica.hpp includes the others.
#ifndef MICA_H
#define MICA_H

#include <mica/accessor.h>
#include <mica/api.h>
#include <mica/change_detection.h>
#include <mica/command.h>
#include <mica/component.h>
#include <mica/debug.h>
#include <mica/delta.h>
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
#include <mica/relation.h>
#include <mica/resource.h>
#include <mica/stream.h>
#include <mica/system.h>
#include <mica/tape.h>
#include <mica/thread.h>
#include <mica/time.h>
#include <mica/toggle.h>
#include <mica/trace.h>
#include <mica/type.h>
#include <mica/type_set.h>
#include <mica/world.h>

#endif
