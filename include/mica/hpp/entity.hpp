// The C++ half of mica/entity.h: comparison and hash of entities.
#ifndef MICA_HPP_ENTITY_HPP
#define MICA_HPP_ENTITY_HPP

#include <mica/entity.h>

#include <typeindex> // for std::hash: the smallest header that provides it

MICA_HANDLE_OPERATORS_(mica_entity)

constexpr bool operator<(mica_entity a, mica_entity b)
{
    return a.bits < b.bits;
}

namespace std {
template <> struct hash<mica_entity> {
    size_t operator()(mica_entity entity) const noexcept
    {
        size_t generation = mica_entity_generation(entity);
        return mica_entity_slot(entity) + generation * 0x9e3779b1u;
    }
};
} // namespace std

#endif
