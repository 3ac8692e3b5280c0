// The scenario files. Each defines one family; main.c lists those that are built in.
#ifndef BENCH_SCENARIOS_H
#define BENCH_SCENARIOS_H

#include "harness.h"

extern const bench_family bench_entity;   // entity.c: empty entities
extern const bench_family bench_create;   // create.c: entities with values, made and ended
extern const bench_family bench_access;   // access.c: one component through a handle
extern const bench_family bench_gets;     // gets.c: several components through a handle
extern const bench_family bench_churn;    // churn.c: changes in no order
extern const bench_family bench_tables;   // tables.c: many tables
extern const bench_family bench_wide;     // wide.c: many components, large ones, many types
extern const bench_family bench_change;   // change.c: components added and removed
extern const bench_family bench_kinds;    // kinds.c: kinds of entity in turn
extern const bench_family bench_changed;  // changed.c: looking at what changed
extern const bench_family bench_later;    // later.c: changes that are recorded
extern const bench_family bench_observe;  // observe.c: changes that are observed
extern const bench_family bench_iterate;  // iterate.c: queries
extern const bench_family bench_sparse;   // sparse.c: sparse components
extern const bench_family bench_group;    // group.c: groups of sparse components, sorting
extern const bench_family bench_members;  // members.c: groups that own some of it, or nothing
extern const bench_family bench_ring;     // ring.c: components in rings
extern const bench_family bench_sys7;     // sys7.c: a frame of seven systems
extern const bench_family bench_step;     // step.c: what a step costs beside its systems
extern const bench_family bench_world;    // world.c: worlds as such
extern const bench_family bench_toggle;   // toggle.c: components switched off and on
extern const bench_family bench_storage;  // storage.c: fields; components kept in other ways
extern const bench_family bench_facet;    // facet.c: further rows of entities
extern const bench_family bench_relation; // relation.c: children of a parent, trees
extern const bench_family bench_event;    // event.c: messages
extern const bench_family bench_image;    // image.c: worlds saved and loaded
extern const bench_family bench_time;     // time.c: snapshots
extern const bench_family bench_thread;   // thread.c: systems on threads
extern const bench_family bench_memory;   // memory.c: bytes per entity

#endif
