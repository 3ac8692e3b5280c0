// C++: queries, and loops over their entities.
//
//   mica::query<Position, const Velocity, mica::without<Frozen>> movers = world.query<...>();
//   movers.each([](Position &p, const Velocity &v) { p.x += v.x; });
//   movers.each([](mica::entity e, Position &p, const Velocity &v) { ... });
//   movers.each_segment([](mica::span<Position> p, mica::span<const Velocity> v) { ... });
//
// The template arguments are words: mica/hpp/term.hpp. The function takes their values, in their
// order. Before them it may take the iteration (mica::iter &) and, in each(), the entity; after
// them the time step (float). The loop is as fast as one in C with mica_write() and mica_read().
//
// A query is freed with its object, which can be moved.
#ifndef MICA_HPP_QUERY_HPP
#define MICA_HPP_QUERY_HPP

#include <mica/hpp/term.hpp>
#include <mica/thread.h>

namespace mica {

// An iteration with a current segment: the contents of a mica_iter.
class iter {
public:
    iter(const mica_iter *raw, inside::core *shared) : raw_(raw), core_(shared) {}

    uint32_t count() const
    {
        return raw_->count;
    }
    span<const entity> entities() const
    {
        return {raw_->entities, raw_->entities ? raw_->count : 0};
    }
    float dt() const
    {
        return raw_->dt;
    }
    double time() const
    {
        return raw_->time;
    }
    face world() const
    {
        return face(raw_->world, core_);
    }
    // The owners of the rows: the owner of a facet, or the entity itself.
    span<const entity> owners() const
    {
        const entity *found = mica_iter_owners(raw_);
        return {found, found ? raw_->count : 0};
    }
    // A recording world, for changes, which are refused during iteration.
    face later() const
    {
        return face(mica_later(raw_), core_);
    }
    // In a system: the events that it has not read.
    template <class T> event_range<T> unread() const
    {
        return event_range<T>(raw_, world().template type<T>());
    }
    // Marks a row of a touched<T>. `term` is the number of a word, counting only words that are
    // terms.
    mica_result touch(uint32_t term, uint32_t row) const
    {
        return mica_touch(raw_, term, row);
    }
    uint64_t enabled(uint32_t term, uint32_t row) const
    {
        return mica_read_enabled(raw_, term, row);
    }
    // In a system: reports that the system has failed, which fails the step. The value is the
    // program's own: face::last_error().value.
    mica_result fail(int64_t value, const char *why) const
    {
        return mica_system_fail(raw_, value, "%s", why);
    }
    // In a parallel system: the number of the batch, what random numbers begin with, and the batch's
    // own value of the resource that reduce<T>() of the system names; null if it names another.
    uint32_t batch() const
    {
        return mica_batch(raw_);
    }
    uint64_t batch_seed() const
    {
        return mica_batch_seed(raw_);
    }
    template <class T> T *reduce() const
    {
        return static_cast<T *>(mica_reduce(raw_));
    }
    const mica_iter *raw() const
    {
        return raw_;
    }

private:
    const mica_iter *raw_;
    inside::core *core_;
};

namespace inside {

// Calls for each row. A... are the arguments for the words; the variants differ in the function's
// other arguments.
template <class F, class... A> struct row_call {
    static constexpr bool plain = std::is_invocable_v<F &, A...>;
    static constexpr bool who = std::is_invocable_v<F &, entity, A...>;
    static constexpr bool plain_dt = std::is_invocable_v<F &, A..., float>;
    static constexpr bool who_dt = std::is_invocable_v<F &, entity, A..., float>;
    static constexpr bool with_iter = std::is_invocable_v<F &, iter &, A...>;
    static constexpr bool with_both = std::is_invocable_v<F &, iter &, entity, A...>;
    static constexpr bool with_iter_dt = std::is_invocable_v<F &, iter &, A..., float>;
    static constexpr bool with_both_dt = std::is_invocable_v<F &, iter &, entity, A..., float>;
    static constexpr bool fits = plain || who || plain_dt || who_dt || with_iter || with_both ||
                                 with_iter_dt || with_both_dt;
    // The same order as in run().
    static constexpr bool asks_whose =
        !plain && (who || (!plain_dt && (who_dt || (!with_iter && (with_both || !with_iter_dt)))));

    MICA_INLINE_ static void run(F &f, iter &it, const entity *entities, uint32_t row, float dt,
                                 A... a)
    {
        (void)it;
        (void)entities;
        (void)row;
        (void)dt;
        if constexpr (plain) {
            f(static_cast<A>(a)...);
        } else if constexpr (who) {
            f(entities[row], static_cast<A>(a)...);
        } else if constexpr (plain_dt) {
            f(static_cast<A>(a)..., dt);
        } else if constexpr (who_dt) {
            f(entities[row], static_cast<A>(a)..., dt);
        } else if constexpr (with_iter) {
            f(it, static_cast<A>(a)...);
        } else if constexpr (with_both) {
            f(it, entities[row], static_cast<A>(a)...);
        } else if constexpr (with_iter_dt) {
            f(it, static_cast<A>(a)..., dt);
        } else {
            f(it, entities[row], static_cast<A>(a)..., dt);
        }
    }
};

// Calls for each segment.
template <class F, class... A> struct segment_call {
    static constexpr bool plain = std::is_invocable_v<F &, A...>;
    static constexpr bool plain_dt = std::is_invocable_v<F &, A..., float>;
    static constexpr bool with_iter = std::is_invocable_v<F &, iter &, A...>;
    static constexpr bool with_iter_dt = std::is_invocable_v<F &, iter &, A..., float>;
    static constexpr bool fits = plain || plain_dt || with_iter || with_iter_dt;

    MICA_INLINE_ static void run(F &f, iter &it, A... a)
    {
        if constexpr (plain) {
            f(static_cast<A>(a)...);
        } else if constexpr (plain_dt) {
            f(static_cast<A>(a)..., it.dt());
        } else if constexpr (with_iter) {
            f(it, static_cast<A>(a)...);
        } else {
            f(it, static_cast<A>(a)..., it.dt());
        }
    }
};

// An argument type without const.
template <class T> struct unconst {
    using as = T;
};
template <class T> struct unconst<const T &> {
    using as = T &;
};
template <class T> struct unconst<const T *> {
    using as = T *;
};
template <class T> struct unconst<span<const T>> {
    using as = span<T>;
};

template <template <class...> class Call, class F, class... A> constexpr bool check_call()
{
    constexpr bool fits = Call<F, A...>::fits;
    constexpr bool writes = !fits && Call<F, typename unconst<A>::as...>::fits;
    static_assert(!writes,
                  "the function writes what the query only reads: take it as const, or name "
                  "it without const in the words");
    static_assert(fits || writes, "the function does not take what the words give, in their order, "
                                  "with the entity or a mica::iter & before or a float dt behind");
    return fits;
}

MICA_INLINE_ inline bool unlikely(bool condition)
{
#ifdef __GNUC__
    return __builtin_expect(condition, 0);
#else
    return condition;
#endif
}

// The loops. All of this code must be inlined into the calling function: otherwise captured
// variables are not kept in registers. So it is always inlined. For gcc, the library's calls around
// the loop must also be noexcept (walk, whole()), and the other branches unlikely.
// tests/gate/each.sh checks the result.
template <bool Whose, class F, class... S>
MICA_INLINE_ inline void run_rows(const mica_iter *raw, uint32_t count, iter &it, F &f, S... s)
{
    using call = row_call<F, decltype(s.at(0))...>;
    if constexpr (check_call<row_call, F, decltype(s.at(0))...>()) {
        static_assert(Whose || !call::asks_whose, "no_entities: whose rows they are is not known");
        // Copies, because the compiler cannot know that they do not change.
        const entity *entities = raw->entities;
        const float dt = raw->dt;
        for (uint32_t i = 0; i < count; i++) {
            if ((s.good(i) && ...)) {
                call::run(f, it, entities, i, dt, s.at(i)...);
            }
        }
    }
}

template <class F, class... S>
inline void run_stretch(uint32_t count, iter &it, F &f, const S &...s)
{
    if constexpr (check_call<segment_call, F, decltype(s.all(0))...>()) {
        segment_call<F, decltype(s.all(0))...>::run(f, it, s.all(count)...);
    }
}

template <bool ByRow, bool Whose, class F, class Sources, size_t... I>
MICA_INLINE_ inline bool run_sources(const mica_iter *raw, core *shared, F &f,
                                     const Sources &sources, std::index_sequence<I...>)
{
    const bool ready = (std::get<I>(sources).ready() && ...);
    iter it(raw, shared);
    if constexpr (ByRow) {
        run_rows<Whose>(raw, ready ? raw->count : 0, it, f, std::get<I>(sources)...);
    } else if (ready) {
        run_stretch(raw->count, it, f, std::get<I>(sources)...);
    }
    return ready;
}

// Runs one segment. Returns false if the values cannot be accessed, which the library has reported.
template <bool ByRow, class... Words, class F>
MICA_INLINE_ inline bool run_segment(const mica_iter *raw, core *shared, F &f)
{
    const auto sources =
        sources_of<ByRow, Words...>(raw, shared, std::index_sequence_for<Words...>{});
    constexpr size_t count = std::tuple_size_v<decltype(sources)>;
    return run_sources<ByRow, !has_option<no_entities, Words...>>(
        raw, shared, f, sources, std::make_index_sequence<count>{});
}

// An iteration that is always ended, also by an exception.
struct walk {
    mica_iter it = {};
    bool open = false;

    mica_result begin(mica_world *world, mica_query query) noexcept
    {
        mica_result result = mica_iter_begin(world, query, &it);
        open = result == MICA_OK;
        return result;
    }
    mica_result begin(mica_world *world, mica_query query, entity e) noexcept
    {
        mica_result result = mica_iter_begin_entity(world, query, e, &it);
        open = result == MICA_OK;
        return result;
    }
    bool next() noexcept
    {
        return mica_iter_next(&it);
    }
    // Ends the iteration and returns the code of the last error.
    mica_result give_up() noexcept
    {
        mica_result why = mica_last_error(it.world)->code;
        (void)end();
        return why;
    }
    mica_result end() noexcept
    {
        open = false;
        return mica_iter_end(&it);
    }
    ~walk()
    {
        if (open) {
            (void)mica_iter_end(&it);
        }
    }
};

} // namespace inside

template <class... Words> class query {
    static_assert(
        (inside::word<Words>::is_of_query && ...),
        "resources and events are words of systems; a loop by hand captures what it needs");

public:
    query() = default;
    query(face of, const char *name) : tie_(of.shared())
    {
        mica_query_desc desc = {};
        inside::fill_terms<Words...>(of, desc);
        desc.everything = inside::term_count<Words...> == 0;
        desc.name = name;
        raw_ = mica_query_new(of, &desc);
    }
    query(query &&other) noexcept
        : tie_(std::move(other.tie_)), raw_(std::exchange(other.raw_, mica_query{})),
          kept_(other.kept_)
    {}
    query &operator=(query &&other) noexcept
    {
        tie_ = std::move(other.tie_);
        std::swap(raw_, other.raw_);
        std::swap(kept_, other.kept_);
        return *this;
    }
    ~query()
    {
        if (raw_ && !kept_ && tie_.world()) {
            tie_.free<mica_query, mica_query_free>(raw_);
        }
    }

    explicit operator bool() const
    {
        return static_cast<bool>(raw_);
    }
    operator mica_query() const
    {
        return raw_;
    }
    // Leaves the query to the world, which frees it; this object can still be used.
    void keep() const
    {
        kept_ = true;
    }

    // Call the function for every row, for every segment, or for the row of one entity if it
    // matches. They return the result of mica_iter_end(), or MICA_ERROR_TERM if values cannot be
    // accessed. That is so for a split component (use by_field) and, in each_segment(), for
    // scattered values with hooks. If the function throws, the iteration ends and the exception is
    // passed on.
    template <class F> MICA_INLINE_ mica_result each(F &&f) const
    {
        inside::walk walk;
        return go<true>(walk, walk.begin(tie_.world(), raw_), f);
    }
    template <class F> mica_result each_segment(F &&f) const
    {
        inside::walk walk;
        return go<false>(walk, walk.begin(tie_.world(), raw_), f);
    }
    template <class F> mica_result each_of(entity e, F &&f) const
    {
        inside::walk walk;
        return go<true>(walk, walk.begin(tie_.world(), raw_, e), f);
    }

    uint32_t count() const
    {
        return mica_query_count(tie_.world(), raw_);
    }
    entity first() const
    {
        return mica_query_first(tie_.world(), raw_);
    }
    // The only entity that matches; anything else is an error.
    entity single() const
    {
        return mica_query_single(tie_.world(), raw_);
    }
    bool contains(entity e) const
    {
        return mica_query_contains(tie_.world(), raw_, e);
    }

    // Changes of all matching entities.
    mica_result despawn_all() const
    {
        return mica_despawn_all(tie_.world(), raw_, nullptr);
    }
    template <class T> mica_result add_all() const
    {
        return mica_add_all(tie_.world(), raw_, type<T>(), nullptr);
    }
    template <class T> mica_result remove_all() const
    {
        return mica_remove_all(tie_.world(), raw_, type<T>(), nullptr);
    }
    template <class T> mica_result set_all(const T &value) const
    {
        static_assert(!is_tag<T>, "a tag has no value: add_all<T>()");
        static_assert(mica_lifetime<T>::can_copy, "one value for many is copied");
        return mica_set_all(tie_.world(), raw_, type<T>(), mica_address_of(value),
                            static_cast<uint32_t>(sizeof(T)), nullptr);
    }
    template <class T> mica_result enable_all() const
    {
        return mica_enable_all(tie_.world(), raw_, type<T>(), nullptr);
    }
    template <class T> mica_result disable_all() const
    {
        return mica_disable_all(tie_.world(), raw_, type<T>(), nullptr);
    }

private:
    template <class T> mica_type type() const
    {
        return inside::type_in<T>(tie_.shared());
    }

    template <bool ByRow, class F>
    MICA_INLINE_ mica_result go(inside::walk &walk, mica_result begun, F &f) const
    {
        if (begun != MICA_OK) {
            return begun;
        }
        while (walk.next()) {
            if (inside::unlikely(
                    !inside::run_segment<ByRow, Words...>(&walk.it, tie_.shared(), f))) {
                return walk.give_up();
            }
        }
        return walk.end();
    }

    inside::tie tie_;
    mica_query raw_ = {};
    mutable bool kept_ = false;
};

template <class... Words> mica::query<Words...> face::query(const char *name) const
{
    return mica::query<Words...>(*this, name);
}

} // namespace mica

#endif
