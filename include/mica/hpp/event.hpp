// The C++ half of mica/event.h: mica_send() of listed values.
#ifndef MICA_HPP_EVENT_HPP
#define MICA_HPP_EVENT_HPP

#include <mica/event.h>

template <class... Values, mica_if_values<Values...> = true>
mica_result mica_send(mica_world *world, Values &&...values)
{
    const mica_value list[] = {mica_hand::see(std::forward<Values>(values))...};
    mica_result result = mica_send_values(world, list, static_cast<uint32_t>(sizeof...(values)));
    (mica_hand::finish(std::forward<Values>(values), result == MICA_OK), ...);
    return result;
}

#endif
