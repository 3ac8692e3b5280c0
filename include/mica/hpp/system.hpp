// C++: systems with functions, such as lambdas.
//
//   mica_system move =
//       world.system<Position, const Velocity>("move")
//           .each([](Position &p, const Velocity &v, float dt) { p.x += v.x * dt; });
//
//   world.system<Position, mica::res<const Gravity>>("fall")
//       .in(physics)
//       .after(move)
//       .each([](Position &p, const Gravity &g, float dt) { p.y += g.y * dt; });
//
//   world.system<mica::receives<Hit>, mica::res<Score>>("count")
//       .run([](mica::iter &it, Score &score) {
//           for (const Hit &hit : it.unread<Hit>()) { score.points += hit.damage; }
//       });
//
// The words are in mica/hpp/term.hpp, the arguments of the function in mica/hpp/query.hpp. The
// function is kept until face::remove() removes the system, or the world or the guest ends.
// Captured references must be valid until then.
//
// Systems run on several threads (mica/thread.h) if they say so:
//
//   world.system<Body, const Orbit>("pull")
//       .parallel()
//       .reads_others<Place>()
//       .each([](mica::iter &it, Body &body, const Orbit &orbit) {
//           const Place *sun = it.world().get<Place>(orbit.sun); ...
//       });
//
// Then the function is called by several threads at the same time. What it has captured is shared:
// read it, and write nothing to it. Types that it names beyond the words must have been
// registered before, and queries and other objects must exist before.
//
// If a function throws, the step fails with MICA_ERROR_FAILED and the exception's what() as the
// reason. iter::fail() does the same without an exception, with a value of the program's own.
#ifndef MICA_HPP_SYSTEM_HPP
#define MICA_HPP_SYSTEM_HPP

#include <mica/hpp/query.hpp>

#include <exception>
#include <memory>
#include <optional>

namespace mica {

namespace inside {

// A function that takes an iteration, or nothing. It may be move-only.
template <class Result> class task {
    struct base {
        base() = default;
        base(const base &) = delete;
        base &operator=(const base &) = delete;
        virtual ~base() = default;
        virtual Result run(iter &it) = 0;
    };
    template <class F> struct holder : base {
        F function;

        explicit holder(F &&f) : function(std::move(f)) {}
        Result run([[maybe_unused]] iter &it) override
        {
            if constexpr (std::is_invocable_v<F &, iter &>) {
                return static_cast<Result>(function(it));
            } else {
                static_assert(std::is_invocable_v<F &>,
                              "the function takes nothing, or a mica::iter &");
                return static_cast<Result>(function());
            }
        }
    };

public:
    template <class F> void set(F &&f)
    {
        held_.reset(new holder<F>(std::move(f)));
    }
    void clear()
    {
        held_.reset();
    }
    explicit operator bool() const
    {
        return held_ != nullptr;
    }
    Result operator()(iter &it) const
    {
        return held_->run(it);
    }

private:
    std::unique_ptr<base> held_;
};

// The target of it->user in systems with functions.
struct system_base : callback {
    task<void> at_begin, at_end;
    task<bool> when;

    using callback::callback;
    mica_result end(mica_world *world) override
    {
        return mica_system_remove(world, mica_system{system});
    }
    void clear() override
    {
        at_begin.clear();
        at_end.clear();
        when.clear();
    }

    // Exceptions must not pass through the library, which is C.
    template <class Do> static void guard(const mica_iter *it, Do &&run) noexcept
    {
#ifdef __cpp_exceptions
        try {
            run();
        } catch (const std::exception &exception) {
            (void)mica_system_fail(it, 0, "%s", exception.what());
        } catch (...) {
            (void)mica_system_fail(it, 0, "it threw something");
        }
#else
        (void)it;
        run();
#endif
    }

    // Calls one of the functions, unless it is silent.
    template <class Task> static void call(const mica_iter *it, Task task) noexcept
    {
        auto *self = static_cast<system_base *>(it->user);
        calling now(self);
        if (now) {
            iter at(it, self->shared.shared());
            guard(it, [&] { task(*self, at); });
        }
    }
    static void call_begin(mica_iter *it) noexcept
    {
        call(it, [](system_base &self, iter &at) { self.at_begin(at); });
    }
    static void call_end(mica_iter *it) noexcept
    {
        call(it, [](system_base &self, iter &at) { self.at_end(at); });
    }
    static bool call_when(const mica_iter *it) noexcept
    {
        bool runs = false;
        call(it, [&](system_base &self, iter &at) { runs = self.when(at); });
        return runs;
    }
};

// Returns the first resource argument that does not exist; null if all exist: then another value
// was not accessible.
template <class... Words> const char *missing_resource(const mica_iter *it, core *shared)
{
    const char *missing = nullptr;
    [[maybe_unused]] auto look = [&](auto meant) {
        using W = decltype(meant);
        if constexpr (W::is == stands::resource) {
            if (!missing && !face(it->world, shared).has_resource<typename W::component>()) {
                missing = name_of<typename W::component>();
            }
        }
    };
    (look(word<Words>{}), ...);
    return missing;
}

template <bool ByRow, class F, class... Words> struct system_of : system_base {
    std::optional<F> function;

    system_of(core *of, F &&f) : system_base(of), function(std::move(f)) {}

    void clear() override
    {
        system_base::clear();
        function.reset();
    }
    static system_of *of(const mica_iter *it) noexcept
    {
        return static_cast<system_of *>(static_cast<system_base *>(it->user));
    }
    static void update(mica_iter *it) noexcept
    {
        system_of *self = of(it);
        calling now(self);
        if (now) {
            run(it, self);
        }
    }
    // The same, on any thread. While systems run together, none is removed, and nothing counts
    // calls.
    static void update_together(mica_iter *it) noexcept
    {
        system_of *self = of(it);
        if (!self->silent) {
            run(it, self);
        }
    }
    static void run(mica_iter *it, system_of *self) noexcept
    {
        guard(it, [&] {
            core *shared = self->shared.shared();
            if (!run_segment<ByRow, Words...>(it, shared, *self->function)) {
                const char *missing = missing_resource<Words...>(it, shared);
                (void)mica_system_fail(it, 0,
                                       missing ? "there is no resource '%s'"
                                               : "not all of its values can be reached%s",
                                       missing ? missing : "");
            }
        });
    }
};

// Combines values of batches by +=.
template <class T> void add_value(T &total, const T &value)
{
    total += value;
}

} // namespace inside

// The result of world.system<...>("name"), a builder. Its functions set options. The last call,
// each(), each_segment() or run(), adds the system.
template <class... Words> class system_builder {
    static constexpr uint32_t terms = inside::term_count<Words...>;

public:
    system_builder(face of, const char *name) : world_(of)
    {
        desc_.name = name;
    }

    system_builder &in(mica_phase phase)
    {
        desc_.phase = phase;
        return *this;
    }
    // Runs after, or before, these systems. A second call replaces the list.
    template <class... Systems> system_builder &after(Systems... systems)
    {
        static_assert(sizeof...(systems) <= MICA_SYSTEM_ORDER_MAX, "too many systems");
        list(desc_.after, systems...);
        return *this;
    }
    template <class... Systems> system_builder &before(Systems... systems)
    {
        static_assert(sizeof...(systems) <= MICA_SYSTEM_ORDER_MAX, "too many systems");
        list(desc_.before, systems...);
        return *this;
    }
    // Other queries that the function iterates. The world owns them from now on: query::keep().
    template <class... Queries> system_builder &iterates(const Queries &...queries)
    {
        static_assert(sizeof...(queries) <= MICA_SYSTEM_QUERIES_MAX, "too many queries");
        (queries.keep(), ...);
        list(desc_.queries, static_cast<mica_query>(queries)...);
        return *this;
    }
    // Called before each run. If it returns false, the system does not run.
    template <class F> system_builder &when(F f)
    {
        when_.set(std::move(f));
        return *this;
    }
    template <class F> system_builder &begin(F f)
    {
        begin_.set(std::move(f));
        return *this;
    }
    template <class F> system_builder &end(F f)
    {
        end_.set(std::move(f));
        return *this;
    }
    system_builder &disabled()
    {
        desc_.disabled = true;
        return *this;
    }
    system_builder &replay_first()
    {
        desc_.replay_first = true;
        return *this;
    }
    // Divides the rows among threads, in batches of so many; 0: 8,192 or more.
    system_builder &parallel(uint32_t batch_rows = 0)
    {
        desc_.run = MICA_PARALLEL;
        desc_.batch_rows = batch_rows;
        return *this;
    }
    // Runs beside other systems.
    system_builder &concurrent()
    {
        desc_.run = MICA_CONCURRENT;
        return *this;
    }
    // In both: components of any entity that the function reads, with it.world().get<T>(e) or an
    // accessor<const T>. A second call replaces the list.
    template <class... Types> system_builder &reads_others()
    {
        static_assert(sizeof...(Types) <= MICA_SYSTEM_USES_MAX, "too many types");
        list(desc_.others, static_cast<mica_type>(world_.type<Types>())...);
        return *this;
    }
    // How many entities a batch creates at most.
    system_builder &spawns(uint32_t most)
    {
        desc_.spawns = most;
        return *this;
    }
    // The resource T that the values of all batches are combined into, by += or by a function.
    // Each batch has one: iter::reduce<T>().
    template <class T, void (*Combine)(T &, const T &) = inside::add_value<T>>
    system_builder &reduce()
    {
        desc_.reduce.into = world_.type<T>();
        desc_.reduce.combine = [](void *total, const void *value) {
            Combine(*static_cast<T *>(total), *static_cast<const T *>(value));
        };
        return *this;
    }

    // Add the system. The function is called for every row, for every segment or, without terms,
    // once. They return the null handle on failure.
    template <class F> mica_system each(F function)
    {
        static_assert(terms > 0, "no terms, no rows: run()");
        return add<true>(std::move(function));
    }
    template <class F> mica_system each_segment(F function)
    {
        static_assert(terms > 0, "no terms, no segments: run()");
        return add<false>(std::move(function));
    }
    template <class F> mica_system run(F function)
    {
        static_assert(terms == 0, "it has terms: each(), or each_segment()");
        return add<false>(std::move(function));
    }

private:
    template <class Handle, size_t N, class... Handles>
    static void list(Handle (&target)[N], Handles... handles)
    {
        Handle given[N] = {handles...};
        for (size_t i = 0; i < N; i++) {
            target[i] = given[i];
        }
    }

    // Registers the types in the order of the words, because terms, resources and events are in
    // three lists.
    void name_types()
    {
        [[maybe_unused]] auto name = [&](auto meant) {
            using W = decltype(meant);
            if constexpr (W::is != inside::stands::option) {
                (void)world_.type<typename W::component>();
            }
        };
        (name(inside::word<Words>{}), ...);
    }

    void fill_uses()
    {
        static_assert(((inside::word<Words>::is == inside::stands::event) + ... + 0) <=
                          MICA_SYSTEM_USES_MAX,
                      "too many events");
        static_assert(((inside::word<Words>::is == inside::stands::resource ||
                        inside::word<Words>::is == inside::stands::resource_unseen) +
                       ... + 0) <= MICA_SYSTEM_USES_MAX,
                      "too many resources");
        [[maybe_unused]] mica_term *resource = desc_.resources;
        [[maybe_unused]] mica_term *event = desc_.events;
        [[maybe_unused]] auto use = [&](auto meant) {
            using W = decltype(meant);
            if constexpr (!W::is_of_query) {
                mica_term term = {world_.type<typename W::component>(), W::access};
                *(W::is == inside::stands::event ? event++ : resource++) = term;
            }
        };
        (use(inside::word<Words>{}), ...);
    }

    template <bool ByRow, class F> mica_system add(F &&function)
    {
        using closure = inside::system_of<ByRow, F, Words...>;
        auto *one = new closure(world_.shared(), std::move(function));
        one->at_begin = std::move(begin_);
        one->at_end = std::move(end_);
        one->when = std::move(when_);
        name_types();
        inside::fill_terms<Words...>(world_, desc_.query);
        fill_uses();
        desc_.user = static_cast<inside::system_base *>(one);
        desc_.update = desc_.run == MICA_ALONE ? closure::update : closure::update_together;
        desc_.begin = one->at_begin ? closure::call_begin : nullptr;
        desc_.end = one->at_end ? closure::call_end : nullptr;
        desc_.when = one->when ? closure::call_when : nullptr;
        mica_system added = mica_system_add(world_, &desc_);
        one->system = added.bits;
        if (added) {
            world_.shared()->own(one);
        } else {
            delete one;
        }
        return added;
    }

    face world_;
    mica_system_desc desc_ = {};
    inside::task<void> begin_, end_;
    inside::task<bool> when_;
};

template <class... Words> system_builder<Words...> face::system(const char *name) const
{
    return system_builder<Words...>(*this, name);
}

} // namespace mica

#endif
