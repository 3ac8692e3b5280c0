// Facets: additional rows of one entity, each under its own key. With facets, an entity has several
// values of one component.
//
//   enum { FRONT = 1, REAR };
//   mica_entity car = mica_spawn(world, MICA_VALUE(position, Position, 3, 4));
//   mica_facet_add(world, car, collider, FRONT, MICA_VALUE(collider, Collider, 0.5f));
//   mica_facet_add(world, car, collider, REAR, MICA_VALUE(collider, Collider, 0.7f));
//   mica_entity rear = mica_facet_find(world, car, collider, REAR);
//   const Collider *c = mica_get(world, rear, collider);
//
// An entity has each component at most once. If it needs several of a kind, such as two colliders
// or a seat for each passenger, it owns a facet for each of them. A facet is a row with components
// like any other, which belongs to the entity.
//
// A key is a component and a role. The component says what the facet is for. It may be the null
// handle, and the facet need not have this component. A role is a number, usually from an enum of
// the program, and 0 means no role. The key (none, 0) belongs to the entity's main row, which may
// be empty.
//
// A facet has a handle and supports all operations of entities. Its components are added, set,
// removed and enabled; it can have a name; mica_despawn() removes it. When its owner is despawned,
// its facets are destroyed first, in the order of their creation. Facets cannot own facets.
// mica_clone() of a facet copies its row into a new entity, which is no facet and has no facets.
//
// Queries match facets like entities, each row separately. mica_iter_owners() returns the owners of
// the rows of a segment; `.no_facets` in the query excludes facets. mica_entity_count() and
// mica_entity_next() always skip facets.
//
// Creating and removing facets is a structural change, and can be recorded (mica/command.h). Worlds
// without facets pay nothing for them. In a world with facets, each mica_despawn() checks whether
// the entity has some.
//
// Errors of all functions here, unless they say otherwise: MICA_ERROR_NULL, _ENTITY (dead), _TYPE
// (of another world), _HOOK (inside a hook of a type).
#ifndef MICA_FACET_H
#define MICA_FACET_H

#include <mica/component.h>
#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// Creates a facet of `owner` under a key, with a list of components as in mica_spawn(), which may
// be empty. [facet.new] Returns its handle, or the null handle with an error of mica_spawn(). Fails
// with MICA_ERROR_KEY if the owner has that key already; every owner has (none, 0). Fails with
// MICA_ERROR_ARGUMENT if the owner is a facet. [facet.fail] O(1). [facet.new_cost]
// `mica_facet_add(world, owner, component, role, values...)` takes a list of values. [facet.list]
MICA_API mica_entity mica_facet_add_values(mica_world *world, mica_entity owner,
                                           mica_type component, uint32_t role,
                                           const mica_value *values, uint32_t count);

// Returns the facet of an entity under a key, or the entity itself for (none, 0). Returns the null
// handle, without an error, if it has no such facet. O(1). [facet.find]
MICA_API mica_entity mica_facet_find(mica_world *world, mica_entity owner, mica_type component,
                                     uint32_t role);

// Iterates the facets of an entity in the order of their creation. Returns the first one after
// `previous`, or the null handle at the end. To begin, `previous` is the null handle. [facet.next]
// Fails with MICA_ERROR_ARGUMENT if `previous` is not a facet of this entity. [facet.next_fail]
MICA_API mica_entity mica_facet_next(mica_world *world, mica_entity owner, mica_entity previous);

// Returns the owner of a facet, or the entity itself if it is not a facet. Returns the null handle
// on failure. [facet.owner]
MICA_API mica_entity mica_facet_owner(mica_world *world, mica_entity facet);

// Returns the key of a facet; (none, 0) for an entity that is not a facet. [facet.key] Either
// pointer may be NULL. [facet.key_null] A failed call writes nothing. [facet.key_fail]
MICA_API mica_result mica_facet_key(mica_world *world, mica_entity facet, mica_type *component_out,
                                    uint32_t *role_out);

// Returns the owners of the rows of the current segment: `it->count` handles, parallel to
// `it->entities`. [owners.rows] If no row is a facet, returns `it->entities` itself, which is NULL
// if the query has .no_entities. [owners.same] Valid until the next segment. [owners.valid] Returns
// NULL with MICA_ERROR_ITERATOR if there is no current segment, and with MICA_ERROR_MEMORY if it
// cannot gather the owners. Queries with sparse terms or with disabled components may have to
// gather them. [owners.fail]
MICA_API const mica_entity *mica_iter_owners(const mica_iter *it);

#ifdef __cplusplus
}

#include <mica/hpp/facet.hpp>

#else
#define mica_facet_add(world, owner, component, role, ...)                                         \
    mica_facet_add_values(world, owner, component, role, MICA_VALUES_(__VA_ARGS__))
#endif

#endif
