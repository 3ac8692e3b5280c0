// C++: groups of sparse components, and sorting.
//
//   mica::group movers =
//       world.group<Place, Speed, mica::required<Fuse>, mica::without<Frozen>>("movers");
//   world.sort<Fuse>([](const Fuse &a, const Fuse &b) { return a.seconds < b.seconds; });
//
// A group changes only speed and order; queries do the iteration. It is freed with its object, or
// with the world after movers.keep().
#ifndef MICA_HPP_GROUP_HPP
#define MICA_HPP_GROUP_HPP

#include <mica/hpp/term.hpp>

#include <exception>

namespace mica {

// Required by a group, and not owned.
template <class T> struct required {};

namespace inside {

// Which list of the group descriptor a word belongs to.
enum class lists { owned, required, without };

template <class T> struct group_word {
    using component = T;
    static constexpr lists list = lists::owned;
};
template <class T> struct group_word<required<T>> {
    using component = T;
    static constexpr lists list = lists::required;
};
template <class T> struct group_word<without<T>> {
    using component = T;
    static constexpr lists list = lists::without;
};

// Adapts a function that returns true if one comes before the other to a C comparison. An exception
// is rethrown after the library, which is C, has returned; until then, all values compare as equal.
template <class T, class Less> struct comparison {
    static constexpr bool by_value = std::is_invocable_r_v<bool, Less &, const T &, const T &>;
    static constexpr bool by_entity = std::is_invocable_r_v<bool, Less &, entity, entity>;
    static_assert(by_value || by_entity,
                  "the function takes two values (const T &), or two entities, and returns a bool");

    Less &less;
#ifdef __cpp_exceptions
    std::exception_ptr thrown = {};
#endif

    bool before(const mica_sort_item &a, const mica_sort_item &b)
    {
        if constexpr (by_value) {
            return less(*static_cast<const T *>(a.value), *static_cast<const T *>(b.value));
        } else {
            return less(a.entity, b.entity);
        }
    }
    int ask(const mica_sort_item &a, const mica_sort_item &b)
    {
        return before(a, b) ? -1 : before(b, a) ? 1 : 0;
    }

    static int compare(const mica_sort_item *a, const mica_sort_item *b, void *user) noexcept
    {
        auto *self = static_cast<comparison *>(user);
#ifdef __cpp_exceptions
        try {
            return self->thrown ? 0 : self->ask(*a, *b);
        } catch (...) {
            self->thrown = std::current_exception();
            return 0;
        }
#else
        return self->ask(*a, *b);
#endif
    }
    void rethrow() const
    {
#ifdef __cpp_exceptions
        if (thrown) {
            std::rethrow_exception(thrown);
        }
#endif
    }
};

} // namespace inside

class [[nodiscard]] group {
public:
    group() = default;
    group(face of, mica_group raw) : tie_(of.shared()), raw_(raw) {}
    group(group &&other) noexcept
        : tie_(std::move(other.tie_)), raw_(std::exchange(other.raw_, mica_group{}))
    {}
    group &operator=(group &&other) noexcept
    {
        tie_ = std::move(other.tie_);
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~group()
    {
        if (raw_ && tie_.world()) {
            tie_.free<mica_group, free_group>(raw_);
        }
    }

    // False if it could not be created, and after keep().
    explicit operator bool() const
    {
        return static_cast<bool>(raw_);
    }
    operator mica_group() const
    {
        return raw_;
    }
    // Leaves the group to the world, and returns the handle.
    mica_group keep()
    {
        return std::exchange(raw_, mica_group{});
    }

    uint32_t count() const
    {
        mica_group_info info;
        mica_group_get_info(tie_.world(), raw_, &info);
        return info.count;
    }
    // Sorts the entities by T, a required component. If the function throws, the order is
    // unspecified, and the exception is rethrown.
    template <class T, class Less> mica_result sort(Less less) const
    {
        inside::comparison<T, Less> by{less};
        mica_result result = mica_group_sort(tie_.world(), raw_, inside::type_in<T>(tie_.shared()),
                                             inside::comparison<T, Less>::compare, &by);
        by.rethrow();
        return result;
    }
    // Sorts in the order of a component that the group does not own.
    template <class Other> mica_result sort_like() const
    {
        return mica_group_sort_like(tie_.world(), raw_, inside::type_in<Other>(tie_.shared()));
    }

private:
    // C refuses this during iteration. That is not reported: the group is freed later.
    static mica_result free_group(mica_world *world, mica_group group)
    {
        mica_result now = mica_world_check_change(world);
        return now ? now : mica_group_free(world, group);
    }

    inside::tie tie_;
    mica_group raw_ = {};
};

template <class... Words> mica::group face::group(const char *name) const
{
    mica_group_desc desc = {};
    uint32_t counts[3] = {0, 0, 0};
    auto add = [&](auto word) {
        using W = decltype(word);
        mica_type *lists[] = {desc.owned, desc.required, desc.without};
        constexpr auto list = static_cast<size_t>(W::list);
        lists[list][counts[list]++] = type<typename W::component>();
    };
    static_assert(sizeof...(Words) <= MICA_GROUP_TYPES_MAX, "too many types");
    static_assert(sizeof...(Words) > 1, "a group is of two types, or more");
    (add(inside::group_word<Words>{}), ...);
    desc.name = name;
    return mica::group(*this, mica_group_new(world_, &desc));
}

template <class T, class Less> mica_result face::sort(Less less) const
{
    inside::comparison<T, Less> by{less};
    mica_result result = mica_sort(world_, type<T>(), inside::comparison<T, Less>::compare, &by);
    by.rethrow();
    return result;
}

} // namespace mica

#endif
