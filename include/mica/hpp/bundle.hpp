// C++: bundles, which spawn many entities fast, and accessors, which read single entities fast.
//
//   auto movers = world.bundle<Position, Velocity>();
//   movers.spawn(Position{1, 2}, Velocity{3, 4});
//
//   mica::accessor<const Position> positions = world.accessor<const Position>();
//   const Position *p = positions.get(e);
#ifndef MICA_HPP_BUNDLE_HPP
#define MICA_HPP_BUNDLE_HPP

#include <mica/hpp/face.hpp>

namespace mica {

template <class... Types> class bundle {
    static_assert(sizeof...(Types) > 0, "a bundle of nothing: mica_spawn(world)");

public:
    bundle() = default;
    explicit bundle(face of) : tie_(of.shared()), types_{of.type<Types>()...}
    {
        raw_ = mica_bundle_new(of, types_, static_cast<uint32_t>(sizeof...(Types)));
    }
    bundle(bundle &&other) noexcept
        : tie_(std::move(other.tie_)), raw_(std::exchange(other.raw_, mica_bundle{}))
    {
        std::swap(types_, other.types_);
    }
    bundle &operator=(bundle &&other) noexcept
    {
        tie_ = std::move(other.tie_);
        std::swap(raw_, other.raw_);
        std::swap(types_, other.types_);
        return *this;
    }
    ~bundle()
    {
        if (raw_ && tie_.world()) {
            tie_.free<mica_bundle, mica_bundle_free>(raw_);
        }
    }

    explicit operator bool() const
    {
        return static_cast<bool>(raw_);
    }
    operator mica_bundle() const
    {
        return raw_;
    }

    mica_result reserve(uint32_t count) const
    {
        return mica_bundle_reserve(tie_.world(), raw_, count);
    }

    // Spawns one entity, with the types' defaults, or with these values, in the order of the
    // bundle.
    entity spawn() const
    {
        return mica_spawn_bundle(tie_.world(), raw_, nullptr, 0);
    }
    template <class... Values> entity spawn(Values &&...values) const
    {
        static_assert((std::is_same_v<std::decay_t<Values>, Types> && ...) &&
                          sizeof...(Values) == sizeof...(Types),
                      "the values are those of the bundle's types, in its order");
        return spawn_each(std::index_sequence_for<Types...>{}, std::forward<Values>(values)...);
    }

    // Spawns `count` entities, all or none, with values from arrays of that length, one for each
    // type. An empty array means defaults. Other lengths fail with MICA_ERROR_ARGUMENT. Arrays of
    // tags are ignored.
    mica_result spawn_many(uint32_t count, span<const Types>... arrays) const
    {
        return spawn_list(count, nullptr, arrays...);
    }
    // Spawns as many entities as `entities_out` has elements, and writes their handles to it.
    mica_result spawn_many(span<entity> entities_out, span<const Types>... arrays) const
    {
        return spawn_list(static_cast<uint32_t>(entities_out.size()), entities_out.data(),
                          arrays...);
    }

private:
    mica_result spawn_list(uint32_t count, entity *entities_out, span<const Types>... arrays) const
    {
        static_assert((mica_lifetime<Types>::can_copy && ...), "values in arrays are copied");
        uint32_t i = 0;
        const mica_value list[] = {array_of<Types>(types_[i++], arrays)...};
        return mica_spawn_many(tie_.world(), raw_, count, list,
                               static_cast<uint32_t>(sizeof...(Types)), entities_out);
    }
    template <class T> static mica_value array_of(mica_type type, span<const T> array)
    {
        if (is_tag<T> || array.empty()) {
            return {type, nullptr, 0, 0, nullptr};
        }
        return {type, array.data(), static_cast<uint32_t>(sizeof(T)),
                static_cast<uint32_t>(array.size()), nullptr};
    }

    template <size_t... I, class... Values>
    entity spawn_each(std::index_sequence<I...>, Values &&...values) const
    {
        return mica_spawn_bundle(tie_.world(), raw_,
                                 inside::value_of(types_[I], std::forward<Values>(values))...);
    }
    inside::tie tie_;
    mica_bundle raw_ = {};
    mica_type types_[sizeof...(Types)] = {};
};

// Valid as long as the world. For a const type, it only reads. Otherwise it also writes, which
// counts as a change.
template <class T> class accessor {
public:
    accessor() = default;
    explicit accessor(face of) : raw_(mica_accessor_new(of, of.type<std::remove_const_t<T>>())) {}

    MICA_INLINE_ T *get(entity e) const
    {
        if constexpr (std::is_const_v<T>) {
            return static_cast<T *>(mica_accessor_get_as(&raw_, e, size, nullptr));
        } else {
            return static_cast<T *>(mica_accessor_get_mut_as(&raw_, e, size, nullptr));
        }
    }
    mica_result enable(entity e) const
    {
        return mica_accessor_enable(&raw_, e);
    }
    mica_result disable(entity e) const
    {
        return mica_accessor_disable(&raw_, e);
    }
    bool is_enabled(entity e) const
    {
        return mica_accessor_is_enabled(&raw_, e);
    }
    const mica_accessor &raw() const
    {
        return raw_;
    }

private:
    static constexpr uint32_t size = static_cast<uint32_t>(sizeof(T));
    mica_accessor raw_ = {};
};

template <class... Types> mica::bundle<Types...> face::bundle() const
{
    return mica::bundle<Types...>(*this);
}

template <class T> mica::accessor<T> face::accessor() const
{
    return mica::accessor<T>(*this);
}

} // namespace mica

#endif
