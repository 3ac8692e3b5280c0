// The C++ half of mica/facet.h: mica_facet_add() with listed values.
#ifndef MICA_HPP_FACET_HPP
#define MICA_HPP_FACET_HPP

#include <mica/facet.h>

template <class... Values, mica_if_values<Values...> = true>
mica_entity mica_facet_add(mica_world *world, mica_entity owner, mica_type component, uint32_t role,
                           Values &&...values)
{
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_entity facet = mica_facet_add_values(world, owner, component, role, list,
                                              static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::finish(std::forward<Values>(values), !MICA_IS_NONE(facet)), ...);
    return facet;
}

#endif
