// C++: observers from functions.
//
//   mica::observer watch = world.observe<Burning>(MICA_ON_ADD | MICA_ON_REMOVE,
//       [&](const mica::happening<Burning> &h) { burning += h.what() == MICA_ON_ADD ? 1 : -1; });
//
// It is told as long as the object lives, or as the world does after watch.keep(). It can end itself, or
// others, from inside. A function that throws ends the program: what it was told of cannot be undone.
#ifndef MICA_HPP_OBSERVER_HPP
#define MICA_HPP_OBSERVER_HPP

#include <mica/hpp/term.hpp>

namespace mica {

// What an observer is told: what mica_happening has. T is void, if it is about no single component.
template <class T> class happening {
public:
    happening(const mica_happening *raw, inside::core *shared) : raw_(raw), core_(shared) {}

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
    uint32_t what() const
    {
        return raw_->what;
    }
    // Null, if there is none, or it is nowhere whole: mica_happening.
    const T *value() const
    {
        return static_cast<const T *>(raw_->value);
    }
    const mica_happening *raw() const
    {
        return raw_;
    }

private:
    const mica_happening *raw_;
    inside::core *core_;
};

namespace inside {

struct observer_base : callback {
    core *shared = nullptr;
    mica_observer handle = {};
    uint32_t depth = 0; // calls of it that run
    bool over = false;  // ends when they have returned

    void detach(mica_world *world) override
    {
        (void)mica_observer_free(world, handle);
    }
};

template <class T, class F> struct observer_of : observer_base {
    F function;

    explicit observer_of(F &&f) : function(std::move(f)) {}

    static void call(const mica_happening *h) noexcept
    {
        auto *self = static_cast<observer_of *>(static_cast<observer_base *>(h->user));
        self->depth++;
        self->function(happening<T>(h, self->shared));
        if (--self->depth == 0 && self->over) {
            delete self;
        }
    }
};

} // namespace inside

class [[nodiscard]] observer {
public:
    observer() = default;
    observer(inside::tie tie, inside::observer_base *base) : tie_(std::move(tie)), base_(base) {}
    observer(observer &&other) noexcept
        : tie_(std::move(other.tie_)), base_(std::exchange(other.base_, nullptr))
    {}
    observer &operator=(observer &&other) noexcept
    {
        tie_ = std::move(other.tie_);
        std::swap(base_, other.base_);
        return *this;
    }
    ~observer()
    {
        if (!base_) {
            return;
        }
        if (tie_.world()) {
            (void)mica_observer_free(tie_.world(), base_->handle);
        }
        base_->over = true;
        if (base_->depth == 0) {
            delete base_;
        }
    }

    // False, if it could not be made, and after keep().
    explicit operator bool() const
    {
        return base_;
    }
    operator mica_observer() const
    {
        return base_ ? base_->handle : mica_observer_none();
    }

    // Leaves it to the world, which ends it when that ends itself; gives the handle.
    mica_observer keep()
    {
        mica_observer handle = *this;
        inside::observer_base *base = std::exchange(base_, nullptr);
        if (base && tie_.world()) {
            tie_.shared()->own(base);
        } else {
            delete base;
        }
        return handle;
    }

private:
    inside::tie tie_;
    inside::observer_base *base_ = nullptr;
};

namespace inside {

template <class T, class F> observer observe(face world, mica_observer_desc &desc, F &&function)
{
    static_assert(std::is_invocable_v<F &, const happening<T> &>,
                  "the function takes a const mica::happening<T> &; T is the component, or void");
    auto *base = new observer_of<T, F>(std::move(function));
    base->shared = world.shared();
    desc.call = observer_of<T, F>::call;
    desc.user = static_cast<observer_base *>(base);
    base->handle = mica_observe(world, &desc);
    if (!base->handle) {
        delete base;
        return observer();
    }
    return observer(tie(world.shared()), base);
}

} // namespace inside

template <class Function> observer face::observe(uint32_t on, Function function) const
{
    mica_observer_desc desc = {};
    desc.on = on;
    return inside::observe<void>(*this, desc, std::move(function));
}

template <class T, class Function> observer face::observe(uint32_t on, Function function) const
{
    mica_observer_desc desc = {};
    desc.on = on;
    desc.type = type<T>();
    return inside::observe<T>(*this, desc, std::move(function));
}

template <class... Words, class Function>
observer face::observe_query(uint32_t on, Function function) const
{
    mica_observer_desc desc = {};
    desc.on = on;
    inside::fill_terms<Words...>(*this, desc.query);
    return inside::observe<void>(*this, desc, std::move(function));
}

} // namespace mica

#endif
