// Relations: links between entities, such as a hierarchy (parent and child), ownership or a dock.
//
//   mica_relation child_of = mica_relation_add(world, &(mica_relation_desc){
//       .name = "ChildOf", .cleanup = MICA_CASCADE});
//   mica_entity ship = mica_spawn(world, MICA_VALUE(position, Position, 3, 4));
//   mica_entity turret = mica_spawn(world, MICA_VALUE(position, Position, 0, 1));
//   mica_link(world, turret, child_of, ship);
//
//   mica_entity parent = mica_target(world, turret, child_of);
//   mica_entity children[16];
//   uint32_t count = mica_sources(world, ship, child_of, 0, children, 16);
//   mica_despawn(world, ship); // and the turret, as the relation cascades
//
// A link leads from its *source* to its *target*: from the child to the parent. A source has at most
// one target per relation. A target has any number of sources, which keep their order. Linking and
// unlinking take the same time for one sibling and for a million.
//
// A relation is a sparse component of its sources, with the name of the relation and the target as
// its value. So queries match sources by it, observers are notified of it, commands, images,
// snapshots, deltas and hashes contain it, and mica_has() and mica_get() read it. mica_set(), mica_spawn(),
// bundles, mica_clone() and other calls that give an entity this value link it, and mica_remove()
// unlinks it. The value cannot be written in place: mica_get_mut(), accessors and MICA_WRITE terms
// refuse it. Its storage cannot be changed.
//
// Links are structural changes. They are refused during iteration, and can be recorded
// (mica/command.h). Recorded links keep their place among the commands of all entities. One whose
// source or target is dead when it is replayed is dropped, and counted as
// such. [link.dropped] A recorded mica_spawn() with a link as a value fails when it is replayed, if the
// target does not live by then. [link.spawned_dead]
//
// Facets can be targets, and have no links themselves. Images keep the order of sources. If only a part of the
// world is saved or loaded, links whose target is not in it are lost, and counted in
// `lost_references`. [link.subset] Snapshots restore the order exactly. Deltas have the links, but not
// their order: in the receiver, a new source comes last. [link.order_kept]
//
// Errors of all functions here, unless they say otherwise: MICA_ERROR_NULL, _RELATION (none, or of
// another world), _ENTITY (dead), _HOOK (inside a hook of a type).
#ifndef MICA_RELATION_H
#define MICA_RELATION_H

#include <mica/component.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_relation {
    uint64_t bits; // private; 0: the null handle
    MICA_HANDLE_BOOL_
} mica_relation;

// The rule for sources whose target is despawned.
typedef enum mica_cleanup {
    MICA_UNLINK = 0, // they lose the link
    MICA_CASCADE,    // they are despawned, and so are their own sources, before the target
    MICA_LIFT,       // they are linked to the target's own target or, if it has none, unlinked
    MICA_REFUSE,     // the target is not despawned, unless the same call despawns all its sources
    MICA_CLEANUP_COUNT
} mica_cleanup;
MICA_ENUM_(mica_cleanup);

// Zero is the default of every field except the name.
typedef struct mica_relation_desc {
    uint32_t first_zero; // must be 0

    const char *name; // names the relation and its component type
    mica_cleanup cleanup;
    bool cyclic; // links may form cycles; an entity may be its own target

    uint32_t last_zero; // must be 0
} mica_relation_desc;

// Adds a relation, which lives as long as its world. Adding it again with the same descriptor
// returns the same handle. [relation.add] If the world has its type already, such as from an image that
// was loaded before, the values become links. It is a sparse type with this name and one field, `target`, of
// kind MICA_KIND_ENTITY. [relation.adopt]
//
// Returns the null handle on failure: MICA_ERROR_NULL, _DESC, _NAME, _LIMIT, _ITERATING, _HOOK,
// _MEMORY. Fails with _ARGUMENT for an unknown cleanup, and if the storage of the type was
// changed. Fails with _SHAPE if the name belongs to
// another type, or to a relation with another descriptor. Fails with _ENTITY or _CYCLE if existing
// values cannot be links, and with _TIME if snapshots have them as plain
// values. [relation.add_fail]
MICA_API mica_relation mica_relation_add(mica_world *world, const mica_relation_desc *desc);

// Returns the component type of a relation, for terms, observers and lists of values. Returns the
// null handle on failure. [relation.type]
MICA_API mica_type mica_relation_type(mica_world *world, mica_relation relation);

// Links a source to a target, as the last of its sources. Replaces the link that the source has. Does
// nothing if that leads to this target already. [link.link] O(1). A source that has sources itself
// also visits the targets above, to find cycles. [link.cost] Fails with MICA_ERROR_CYCLE, naming
// both, if the target is the source or below it, unless the relation is .cyclic. [link.cycle] Fails
// with MICA_ERROR_ARGUMENT if the source is a facet. [link.facet] Fails with _ITERATING, _LIMIT,
// _MEMORY. A failed call changes nothing. [link.fail]
MICA_API mica_result mica_link(mica_world *world, mica_entity source, mica_relation relation,
                               mica_entity target);

// Links a source to the target of a sibling, and places it before that. If the source has the same
// target, it only moves, and no observer is notified. O(1). [link.before] Fails like mica_link(), and
// with MICA_ERROR_ARGUMENT if the sibling has no target or is the source. A failed call changes
// nothing. [link.before_fail]
MICA_API mica_result mica_link_before(mica_world *world, mica_entity source, mica_relation relation,
                                      mica_entity sibling);

// Removes the link of a source to a target, or to any target if `target` is the null handle. Does
// nothing if there is no such link. O(1). [link.unlink] Fails with _ITERATING and _MEMORY, and with
// MICA_ERROR_ENTITY for a dead target. A failed call changes nothing. [link.unlink_fail]
MICA_API mica_result mica_unlink(mica_world *world, mica_entity source, mica_relation relation,
                                 mica_entity target);

// Returns the target of a source. Returns the null handle, without an error, if it has none.
// O(1). [link.target]
MICA_API mica_entity mica_target(mica_world *world, mica_entity source, mica_relation relation);

// Returns the number of sources of a target. O(1). [sources.count]
MICA_API uint32_t mica_source_count(mica_world *world, mica_entity target, mica_relation relation);

// Copies the sources of a target in their order: those from number `first` on, and at most
// `capacity`. Returns how many were copied, and 0 on failure. [sources.list] O(capacity + first /
// 64). [sources.cost]
MICA_API uint32_t mica_sources(mica_world *world, mica_entity target, mica_relation relation,
                               uint32_t first, mica_entity *sources_out, uint32_t capacity);

// Gives the sources of a target another order. O(sources). [sources.reorder] Fails with
// MICA_ERROR_ARGUMENT unless the list has each of them once. Fails with _ITERATING, and with
// _RECORDING in a recording world. A failed call leaves the order as it was. [sources.reorder_fail]
MICA_API mica_result mica_reorder(mica_world *world, mica_entity target, mica_relation relation,
                                  const mica_entity *sources, uint32_t count);

// Returns true if the targets of an entity lead to `ancestor`: its target, the target of that, and
// so on. An entity is not under itself, unless links form a cycle. Returns false on failure.
// O(depth). [relation.under]
MICA_API bool mica_is_under(mica_world *world, mica_entity entity, mica_relation relation,
                            mica_entity ancestor);

// Returns the number of targets above an entity: 0 for one without a target. In a cycle, each
// entity counts once. Returns 0 on failure. O(depth). [relation.depth]
MICA_API uint32_t mica_depth(mica_world *world, mica_entity entity, mica_relation relation);

// Returns the value of a component of the entity itself or, if it has none, of the nearest target
// above that has one. `*whose_out` receives that entity, or none; the pointer may be NULL. Returns
// NULL, without an error, if no entity has one. O(depth). [relation.get_up] Fails with
// MICA_ERROR_SIZE for a tag, and with the errors of mica_get(). [relation.get_up_fail]
MICA_API const void *mica_get_up(mica_world *world, mica_entity entity, mica_relation relation,
                                 mica_type type, mica_entity *whose_out);

// A walk over everything below an entity. All members are private, except `depth`.
typedef struct mica_descent {
    mica_world *world;
    mica_relation relation;
    mica_entity root;
    mica_entity current;
    uint64_t revision;
    uint32_t depth; // depth of the last returned entity below the root: 1 for a source of that
} mica_descent;

// Walks over the sources of an entity, their sources, and so on: each target before its sources,
// and sources in their order. [descent.order]
//
//   mica_descent below = mica_descend(world, ship, child_of);
//   for (mica_entity e; (e = mica_descent_next(&below)).bits;) { ... }
//
// mica_descent_next() returns the null handle at the end, and after a failure of
// mica_descend(). [descent.end] It needs no memory and does not recurse. O(1) on
// average. [descent.cost] If links of the relation have changed since mica_descend(), it ends with
// MICA_ERROR_ITERATOR. [descent.changed] In a cycle, the root is not visited again. [descent.cycle]
MICA_API mica_descent mica_descend(mica_world *world, mica_entity root, mica_relation relation);
MICA_API mica_entity mica_descent_next(mica_descent *descent);

#ifdef __cplusplus
}
#endif

#endif
