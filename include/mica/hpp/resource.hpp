// The C++ half of mica/resource.h: mica_resource_set() of listed values.
#ifndef MICA_HPP_RESOURCE_HPP
#define MICA_HPP_RESOURCE_HPP

#include <mica/resource.h>

template <class... Values, mica_if_values<Values...> = true>
mica_result mica_resource_set(mica_world *world, Values &&...values)
{
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_result result =
        mica_resource_set_values(world, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::finish(std::forward<Values>(values), result == MICA_OK), ...);
    return result;
}

#endif
