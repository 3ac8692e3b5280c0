// C++: observers with functions, such as lambdas.
//
//   mica::observer watch = world.observe<Burning>(
//       MICA_ON_ADD | MICA_ON_REMOVE, [&](const mica::observer_event<Burning> &h) {
//           burning += h.kind() == MICA_ON_ADD ? 1 : -1;
//       });
//
// The function is called as long as the object lives or, after watch.keep(), as long as the world
// lives. The object can be destroyed anywhere: inside its own function or another one, in an
// iteration, in the destructor of a component, after its world. The function is then not called any
// more, and is destroyed when no call of it runs. If a function throws, the program is terminated,
// because the observed change cannot be undone.
#ifndef MICA_HPP_OBSERVER_HPP
#define MICA_HPP_OBSERVER_HPP

#include <mica/hpp/term.hpp>

#include <optional>

namespace mica {

// For the first argument of observe(): sets `existing` of the descriptor.
constexpr uint32_t existing = UINT32_C(1) << 31;

// An observer event: the contents of a mica_observer_event. T is void if it is not about a single
// component.
template <class T> class observer_event {
public:
    observer_event(const mica_observer_event *raw, inside::core *shared) : raw_(raw), core_(shared)
    {}

    face world() const
    {
        return face(raw_->world, core_);
    }
    face later() const
    {
        return face(raw_->later, core_);
    }
    mica::entity entity() const
    {
        return raw_->entity;
    }
    uint32_t kind() const
    {
        return raw_->kind;
    }
    // Null if the value is missing or not in one piece: see mica_observer_event.
    const T *value() const
    {
        return static_cast<const T *>(raw_->value);
    }
    const mica_observer_event *raw() const
    {
        return raw_;
    }

private:
    const mica_observer_event *raw_;
    inside::core *core_;
};

namespace inside {

struct observer_base : callback {
    mica_observer handle = {};

    using callback::callback;
    mica_result end(mica_world *world) override
    {
        return mica_observer_free(world, handle);
    }
};

template <class T, class F> struct observer_of : observer_base {
    std::optional<F> function;

    observer_of(core *of, F &&f) : observer_base(of), function(std::move(f)) {}

    void clear() override
    {
        function.reset();
    }
    static void call(const mica_observer_event *h) noexcept
    {
        auto *self = static_cast<observer_of *>(static_cast<observer_base *>(h->user));
        calling now(self);
        if (now) {
            (*self->function)(observer_event<T>(h, self->shared.shared()));
        }
    }
};

} // namespace inside

class [[nodiscard]] observer {
public:
    observer() = default;
    observer(inside::core *shared, inside::observer_base *base)
        : tie_(shared), base_(base), handle_(base->handle)
    {}
    observer(observer &&other) noexcept
        : tie_(std::move(other.tie_)), base_(std::exchange(other.base_, nullptr)),
          handle_(std::exchange(other.handle_, mica_observer{}))
    {}
    observer &operator=(observer &&other) noexcept
    {
        tie_ = std::move(other.tie_);
        std::swap(base_, other.base_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~observer()
    {
        if (base_ && tie_.world()) { // otherwise it ended with the world or the guest
            tie_.shared()->finish(base_);
        }
    }

    // False if it could not be created, and after keep().
    explicit operator bool() const
    {
        return base_;
    }
    operator mica_observer() const
    {
        return handle_;
    }

    // Leaves the observer to the world or the guest, and returns the handle.
    mica_observer keep()
    {
        base_ = nullptr;
        return std::exchange(handle_, mica_observer{});
    }

private:
    inside::tie tie_;
    inside::observer_base *base_ = nullptr; // owned by the core
    mica_observer handle_ = {};
};

namespace inside {

template <class T, class F> observer observe(face world, mica_observer_desc &desc, F &&function)
{
    static_assert(
        std::is_invocable_v<F &, const observer_event<T> &>,
        "the function takes a const mica::observer_event<T> &; T is the component, or void");
    desc.existing = (desc.events & existing) != 0;
    desc.events &= ~existing;
    auto *base = new observer_of<T, F>(world.shared(), std::move(function));
    desc.call = observer_of<T, F>::call;
    desc.user = static_cast<observer_base *>(base);
    base->handle = mica_observer_new(world, &desc);
    if (!base->handle) {
        delete base;
        return observer();
    }
    world.shared()->own(base);
    return observer(world.shared(), base);
}

} // namespace inside

template <class Function> observer face::observe(uint32_t on, Function function) const
{
    mica_observer_desc desc = {};
    desc.events = on;
    return inside::observe<void>(*this, desc, std::move(function));
}

template <class T, class Function> observer face::observe(uint32_t on, Function function) const
{
    mica_observer_desc desc = {};
    desc.events = on;
    desc.type = type<T>();
    return inside::observe<T>(*this, desc, std::move(function));
}

template <class... Words, class Function>
observer face::observe_query(uint32_t on, Function function) const
{
    mica_observer_desc desc = {};
    desc.events = on;
    inside::fill_terms<Words...>(*this, desc.query);
    return inside::observe<void>(*this, desc, std::move(function));
}

} // namespace mica

#endif
