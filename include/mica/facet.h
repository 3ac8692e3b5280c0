// Facets: further rows of one entity, beside its main one, each under a key of its own.
//
//   enum { FRONT = 1, REAR };
//   mica_entity car = mica_spawn(world, MICA_VALUE(position, Position, 3, 4));
//   mica_extend(world, car, collider, FRONT, MICA_VALUE(collider, Collider, 0.5f));
//   mica_extend(world, car, collider, REAR, MICA_VALUE(collider, Collider, 0.7f));
//   mica_entity rear = mica_facet_find(world, car, collider, REAR);
//   const Collider *c = mica_get(world, rear, collider);
//
// An entity has a component once. Where it needs several of a kind, two colliders or a seat for each
// passenger, it owns a facet for each: a row that has components like any other, and that belongs to it.
//
// The key is a component and a role. The component says what the facet is for, and need not be among those
// it has; it may be none. A role is a number, usually of an enum of the program, so that there is
// nothing to register, and 0 is none. The key (none, 0) is that of the main row, which may be empty.
//
// A facet has a handle, and with that everything can be done that can be done with an entity: components
// are added, set, removed, enabled, it can have a name, and mica_despawn() removes it. It dies with its
// owner, before that; facets of one owner in the order in which they were made. Facets own no facets.
// mica_clone() copies the row of its handle, and gives an entity that is no facet and has none.
//
// Queries find facets as they find entities, each row by itself: mica_owners() says to whom the rows of a
// segment belong, and `.no_facets` in the descriptor leaves them out. mica_entity_count() and
// mica_entity_next() are about entities, and leave them out always.
//
// Making and removing facets is a structural change, and can be recorded (mica/command.h). A world that has
// no facets pays nothing for them; while one has some, mica_despawn() looks in each case whether there is
// one to go first.
//
// Errors of all functions here, unless said otherwise: MICA_ERROR_NULL, MICA_ERROR_ENTITY for the dead, _TYPE
// for a component of another world, _HOOK inside a hook of a type.
#ifndef MICA_FACET_H
#define MICA_FACET_H

#include <mica/component.h>
#include <mica/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// A new facet of `owner` under a key, with these components: none, or those that mica_spawn() would
// give an entity. [facet.new] Returns its handle; or none, with the errors of mica_spawn(), or
// MICA_ERROR_KEY if the owner has that key already, which it always has if it is (none, 0), or
// MICA_ERROR_ARGUMENT if the owner is a facet. [facet.fail] O(1). [facet.new_cost]
// `mica_extend(world, owner, component, role, values...)` is this with a list of
// values. [facet.list]
MICA_API mica_entity mica_extend_values(mica_world *world, mica_entity owner, mica_type component,
                                        uint32_t role, const mica_value *values, uint32_t count);
MICA_INLINE mica_entity mica_extend_compared(mica_world *world, mica_entity owner,
                                             mica_type component, uint32_t role, mica_value *values,
                                             uint32_t count)
{
    mica_values_compare(world, values, count);
    return mica_extend_values(world, owner, component, role, values, count);
}

// The facet of an entity under a key; under (none, 0), the entity itself. None, silently, if it has
// no such facet. O(1). [facet.find]
MICA_API mica_entity mica_facet_find(mica_world *world, mica_entity owner, mica_type component,
                                     uint32_t role);

// Walks the facets of an entity in the order in which they were made: the first one after
// `previous`, or after none. None at the end. [facet.next] MICA_ERROR_ARGUMENT if `previous` is no
// facet of it. [facet.next_fail]
MICA_API mica_entity mica_facet_next(mica_world *world, mica_entity owner, mica_entity previous);

// To whom a facet belongs. Of an entity that is no facet, itself. None on failure. [facet.owner]
MICA_API mica_entity mica_facet_owner(mica_world *world, mica_entity facet);

// The key of a facet; (none, 0) of an entity that is none. [facet.key] Either pointer may be
// NULL. [facet.key_null] A call that fails writes nothing. [facet.key_fail]
MICA_API mica_result mica_facet_key(mica_world *world, mica_entity facet, mica_type *component_out,
                                    uint32_t *role_out);

// To whom the rows of the present segment belong: `it->count` handles, beside
// `it->entities`. [owners.rows] Where none of the rows is a facet, that pointer itself, and where
// it is NULL, because the query has .no_entities, NULL. [owners.same] Valid until the next
// segment. [owners.valid] NULL and MICA_ERROR_ITERATOR if the iteration is at none; NULL and
// MICA_ERROR_MEMORY where owners had to be brought together first, as those of queries with sparse
// terms or with disabled components may have to. [owners.fail]
MICA_API const mica_entity *mica_owners(const mica_iter *it);

#ifdef __cplusplus
}

template <class... Values, mica_if_values<Values...> = true>
mica_entity mica_extend(mica_world *world, mica_entity owner, mica_type component, uint32_t role,
                        Values &&...values)
{
    if (!(mica_hand::fits(world, "mica_extend", values) && ...)) {
        return mica_entity{};
    }
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_entity facet = mica_extend_values(world, owner, component, role, list,
                                           static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::settle(std::forward<Values>(values), !mica_entity_is_none(facet)), ...);
    return facet;
}
#else
#define mica_extend(world, owner, component, role, ...)                                            \
    MICA_LISTED_(mica_extend)(world, owner, component, role, MICA_VALUES_(__VA_ARGS__))
#endif

#endif
