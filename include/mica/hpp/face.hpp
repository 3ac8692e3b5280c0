// C++: worlds and their functions. Each function calls the C function of that name, and looks up
// the types of its arguments. See the C headers for effect, cost and failures. Errors are reported
// as in C (mica/error.h): a null handle is false, a missing value is null.
#ifndef MICA_HPP_FACE_HPP
#define MICA_HPP_FACE_HPP

#include <mica/hpp/span.hpp>
#include <mica/hpp/type.hpp>
#include <mica/thread.h>

#include <cstddef>
#include <initializer_list>
#include <new>
#include <optional>

namespace mica {

using entity = mica_entity;

// A cursor for events: a plain one that has read nothing yet, or a named one.
struct cursor : mica_cursor {
    cursor() : mica_cursor() {}
    explicit cursor(const char *of) : mica_cursor()
    {
        name = of;
    }
};

template <class... Words> class query;
template <class... Words> class system_builder;
template <class... Types> class bundle;
template <class T> class accessor;
template <class T> class event_range;
class facet_range;
class observer;
class commands;
class group;
class buffer;

namespace inside {

// A value as C takes it, which is copied or moved.
template <class Value> auto value_of(mica_type type, Value &&given)
{
    if constexpr (is_tag<std::decay_t<Value>>) {
        return mica_value{type, nullptr, 0, 0, nullptr};
    } else {
        return mica_value_from(type, std::forward<Value>(given));
    }
}

// A copy of the value that the function loads, or nothing.
template <class T, class Load> std::optional<T> load_value(Load load)
{
    static_assert(std::is_trivially_copyable_v<T>, "a copy without its copy constructor: get()");
    alignas(T) unsigned char bytes[sizeof(T)]; // T may have no default constructor
    std::optional<T> copy;
    if (load(bytes, static_cast<uint32_t>(sizeof(T)))) {
        copy.emplace(*std::launder(reinterpret_cast<const T *>(bytes)));
    }
    return copy;
}

} // namespace inside

// A borrowed world; pass it by value. It stands for a mica::world, the world of a running system,
// or a recording world.
class face {
public:
    face() = default;
    face(mica_world *world, inside::core *shared) : world_(world), core_(shared) {}

    // For all C functions.
    operator mica_world *() const
    {
        return world_;
    }

    // Types are registered when they are first used, as mica::about<T> describes, or earlier with
    // these functions. Types that one call names are registered in the order in which they are
    // written. Registering a type twice with different descriptors is an error, as in
    // mica_type_register().

    template <class T> mica::type<T> type() const
    {
        return {inside::type_in<T>(core_)};
    }
    template <class T> mica::type<T> type(const mica_type_desc &desc) const
    {
        return {inside::register_type<T>(core_, desc)};
    }
    template <class T> mica::type<T> type(mica_storage storage) const
    {
        mica_type_desc desc = about<T>::describe();
        desc.storage = storage;
        return type<T>(desc);
    }

    // Entities. A copyable value is copied: std::move() does not change it. A value that cannot be
    // copied must be a temporary or std::move()d. It is moved; if the call fails, it is destroyed.
    // For a tag, Frozen{}, only the type counts.

    template <class... Values> entity spawn(Values &&...values) const
    {
        if constexpr (sizeof...(values) == 0) {
            return mica_spawn(world_);
        } else {
            return give(
                [this](auto &&...given) {
                    return mica_spawn(world_, std::forward<decltype(given)>(given)...);
                },
                std::forward<Values>(values)...);
        }
    }
    mica_result despawn(entity e) const
    {
        return mica_despawn(world_, e);
    }
    entity clone(entity e) const
    {
        return mica_clone(world_, e);
    }
    bool alive(entity e) const
    {
        return mica_alive(world_, e);
    }
    uint32_t count() const
    {
        return mica_entity_count(world_);
    }
    mica_result set_name(entity e, const char *name) const
    {
        return mica_entity_set_name(world_, e, name);
    }
    const char *name(entity e) const
    {
        return mica_entity_name(world_, e);
    }
    entity find(const char *name) const
    {
        return mica_entity_find(world_, name);
    }

    // Components. get() is for reading; get_mut() counts as a change. Both return null if the
    // component is missing.

    template <class T> const T *get(entity e) const
    {
        return static_cast<const T *>(mica_get_as(world_, e, type<T>(), size_of<T>(), nullptr));
    }
    // The same as get(), but null without an error if the entity is dead.
    template <class T> const T *try_get(entity e) const
    {
        return static_cast<const T *>(mica_try_get_as(world_, e, type<T>(), size_of<T>(), nullptr));
    }
    template <class T> T *get_mut(entity e) const
    {
        return static_cast<T *>(mica_get_mut_as(world_, e, type<T>(), size_of<T>(), nullptr));
    }
    // Returns a copy, for every storage. For a split component, get() is not possible.
    template <class T> std::optional<T> load(entity e) const
    {
        return inside::load_value<T>([&](void *bytes, uint32_t size) {
            return mica_load(world_, e, type<T>(), bytes, size);
        });
    }
    template <class... Values> mica_result set(entity e, Values &&...values) const
    {
        return give(
            [&](auto &&...given) {
                return mica_set(world_, e, std::forward<decltype(given)>(given)...);
            },
            std::forward<Values>(values)...);
    }
    template <class... Types> mica_result add(entity e) const
    {
        const mica_value values[] = {MICA_ADD(type<Types>())...};
        return mica_change(world_, e, values, sizeof...(Types), nullptr, 0);
    }
    template <class... Types> mica_result remove(entity e) const
    {
        const mica_type types[] = {type<Types>()...};
        return mica_change(world_, e, nullptr, 0, types, sizeof...(Types));
    }
    // Sets the values and removes the types, in one move: change<Frozen>(e, Velocity{1, 0}).
    template <class... Removed, class... Values>
    mica_result change(entity e, Values &&...values) const
    {
        if constexpr (sizeof...(values) == 0) {
            return remove<Removed...>(e);
        } else {
            const std::initializer_list<mica_type> removed = {type<Removed>()...};
            return give(
                [&](auto &&...given) {
                    return mica_change(world_, e, removed, std::forward<decltype(given)>(given)...);
                },
                std::forward<Values>(values)...);
        }
    }
    template <class T> bool has(entity e) const
    {
        return mica_has(world_, e, type<T>());
    }
    template <class T> mica_result enable(entity e) const
    {
        return mica_enable(world_, e, type<T>());
    }
    template <class T> mica_result disable(entity e) const
    {
        return mica_disable(world_, e, type<T>());
    }
    template <class T> bool is_enabled(entity e) const
    {
        return mica_is_enabled(world_, e, type<T>());
    }

    // Facets: additional rows of an entity, each under a key of component (or none) and role:
    // add_facet<Collider>(car, FRONT, Collider{0.5f}), facet<Collider>(car, FRONT). Without values,
    // the row is empty.

    template <class Key = void, class... Values>
    entity add_facet(entity owner, uint32_t role, Values &&...values) const
    {
        const mica_type under = key<Key>();
        if constexpr (sizeof...(values) == 0) {
            return mica_facet_add_values(world_, owner, under, role, nullptr, 0);
        } else {
            return give(
                [&](auto &&...given) {
                    return mica_facet_add(world_, owner, under, role,
                                          std::forward<decltype(given)>(given)...);
                },
                std::forward<Values>(values)...);
        }
    }
    template <class Key = void> entity facet(entity owner, uint32_t role = 0) const
    {
        return mica_facet_find(world_, owner, key<Key>(), role);
    }
    // for (mica::entity facet : world.facets(car)), in order of creation. Do not remove facets in
    // the loop.
    facet_range facets(entity owner) const;
    // Returns the owner of a facet, or the entity itself if it is not a facet.
    entity owner(entity facet) const
    {
        return mica_facet_owner(world_, facet);
    }

    // For many entities: mica/hpp/bundle.hpp.

    template <class... Types> mica::bundle<Types...> bundle() const;
    template <class T> mica::accessor<T> accessor() const;

    // Queries and systems: mica/hpp/query.hpp, mica/hpp/system.hpp.

    template <class... Words> mica::query<Words...> query(const char *name = nullptr) const;
    template <class... Words> [[nodiscard]] system_builder<Words...> system(const char *name) const;

    mica_system find_system(const char *name) const
    {
        return mica_system_find(world_, name);
    }
    mica_result enable(mica_system system) const
    {
        return mica_system_enable(world_, system);
    }
    mica_result disable(mica_system system) const
    {
        return mica_system_disable(world_, system);
    }
    // Removes a system and destroys its functions.
    mica_result remove(mica_system system) const
    {
        mica_result result = mica_system_remove(world_, system);
        if (!result && core_) {
            core_->forget(system.bits);
        }
        return result;
    }
    // Adds a phase with a fixed time step; 0: that of the step. It runs before another one; null
    // handle: after all others.
    mica_phase add_phase(const char *name, double fixed_dt = 0, mica_phase before = {}) const
    {
        mica_phase_desc desc = {};
        desc.name = name;
        desc.fixed_dt = fixed_dt;
        desc.before = before;
        return mica_phase_add(world_, &desc);
    }
    // Adds a manual phase: step() does not run it, run() does.
    mica_phase add_manual_phase(const char *name, mica_phase before = {}) const
    {
        mica_phase_desc desc = {};
        desc.name = name;
        desc.manual = true;
        desc.before = before;
        return mica_phase_add(world_, &desc);
    }
    mica_phase find_phase(const char *name) const
    {
        return mica_phase_find(world_, name);
    }
    mica_result step(double dt) const
    {
        if (core_) {
            core_->sweep();
        }
        return mica_step(world_, dt);
    }

    // Threads run systems that are parallel() or concurrent(), this one included. 0: as many as the
    // machine has cores.
    mica_result start_workers(uint32_t threads = 0) const
    {
        return mica_world_start_workers(world_, threads);
    }
    uint32_t worker_count() const
    {
        return mica_world_worker_count(world_);
    }

    // Run phases, or systems, now and in this order: world.run({fight, score}, dt). The list may
    // also be an array or a std::vector. See mica_phases_run() and mica_systems_run().
    mica_result run(std::initializer_list<mica_phase> phases, double dt) const
    {
        return run(span<const mica_phase>(phases.begin(), phases.size()), dt);
    }
    mica_result run(std::initializer_list<mica_system> systems, double dt) const
    {
        return run(span<const mica_system>(systems.begin(), systems.size()), dt);
    }
    mica_result run(span<const mica_phase> phases, double dt) const
    {
        if (core_) {
            core_->sweep();
        }
        return mica_phases_run(world_, phases.data(), static_cast<uint32_t>(phases.size()), dt);
    }
    mica_result run(span<const mica_system> systems, double dt) const
    {
        if (core_) {
            core_->sweep();
        }
        return mica_systems_run(world_, systems.data(), static_cast<uint32_t>(systems.size()), dt);
    }

    // Resources (singletons). Null if the world has none.

    template <class T> const T *resource() const
    {
        return static_cast<const T *>(
            mica_resource_get_as(world_, type<T>(), size_of<T>(), nullptr));
    }
    template <class T> T *resource_mut() const
    {
        return static_cast<T *>(mica_resource_get_mut_as(world_, type<T>(), size_of<T>(), nullptr));
    }
    template <class... Values> mica_result set_resource(Values &&...values) const
    {
        static_assert((!is_tag<std::decay_t<Values>> && ...), "a tag has no value to keep");
        return give(
            [this](auto &&...given) {
                return mica_resource_set(world_, std::forward<decltype(given)>(given)...);
            },
            std::forward<Values>(values)...);
    }
    template <class T> bool has_resource() const
    {
        return mica_resource_get(world_, type<T>()) != nullptr;
    }
    template <class T> mica_result remove_resource() const
    {
        return mica_resource_remove(world_, type<T>());
    }

    // Events. A system reads them with its iteration: for (const Hit &hit : it.unread<Hit>()).
    // Other readers have cursors: for (const Hit &hit : world.events<Hit>(seen)).

    template <class... Values> mica_result send(Values &&...values) const
    {
        static_assert((!is_tag<std::decay_t<Values>> && ...),
                      "a tag has no value to send: give it a member");
        return give(
            [this](auto &&...given) {
                return mica_send(world_, std::forward<decltype(given)>(given)...);
            },
            std::forward<Values>(values)...);
    }
    template <class T> event_range<T> events(mica_cursor &seen) const;
    mica_result remove_cursor(const char *name) const
    {
        return mica_cursor_remove(world_, name);
    }

    // Commands: make the call on a recording world, world.later().despawn(e), or record a function,
    // world.later([e](mica::face world) {...}). Its captures are copied as bytes. If this is not a
    // recording world, call() calls the function at once.

    face later() const
    {
        return face(mica_world_later(world_), core_);
    }
    template <class Function> mica_result later(Function function) const
    {
        return later().call(function);
    }
    template <class Function> mica_result call(Function function) const
    {
        static_assert(std::is_trivially_copyable_v<Function>,
                      "what a command captures is copied as bytes: entities, numbers, pointers");
        static_assert(alignof(Function) <= alignof(std::max_align_t), "aligned like malloc()");
        struct packed {
            inside::core *shared;
            Function function;
        } data{core_, function};
        if (core_) {
            core_->calls++;
        }
        mica_result result = mica_defer_call(
            world_,
            [](mica_world *world, const void *bytes) noexcept {
                packed copy = *static_cast<const packed *>(bytes);
                if (!copy.shared || copy.shared->count_call()) {
                    copy.function(face(world, copy.shared));
                }
            },
            &data, sizeof data);
        if (result != MICA_OK && core_) { // neither recorded nor called
            (void)core_->count_call();
        }
        return result;
    }
    // Creates a separate command buffer. Its commands run with apply().
    mica::commands commands() const;
    // Applies the waiting commands.
    mica_result apply() const
    {
        return mica_commands_apply(world_);
    }

    // Observers: mica/hpp/observer.hpp. `on` is a sum of MICA_ON_ADD and so on, and of
    // mica::existing, which reports existing entities at once. These functions observe all entities,
    // a component, or the matches of a query.

    template <class Function> observer observe(uint32_t on, Function function) const;
    template <class T, class Function> observer observe(uint32_t on, Function function) const;
    template <class... Words, class Function>
    observer observe_query(uint32_t on, Function function) const;
    mica_result enable(mica_observer observer) const
    {
        return mica_observer_enable(world_, observer);
    }
    mica_result disable(mica_observer observer) const
    {
        return mica_observer_disable(world_, observer);
    }
    // A value was written through a pointer: notifies observers of MICA_ON_SET.
    template <class T> mica_result modified(entity e) const
    {
        return mica_modified(world_, e, type<T>());
    }
    // Sends a signal to an entity: signal(e, Hit{5}), or signal<Hit>(e) without a value.
    template <class T> mica_result signal(entity e, const T &value) const
    {
        return mica_signal(world_, e, type<T>(), &value, sizeof value);
    }
    template <class T> mica_result signal(entity e) const
    {
        return mica_signal(world_, e, type<T>(), nullptr, 0);
    }

    // Groups of sparse components, and sorting: mica/hpp/group.hpp. A type is owned, mica::required<T>
    // required, mica::without<T> excluded. The function returns true if the first value (const T
    // &), or entity, comes before the second.

    template <class... Words> mica::group group(const char *name = nullptr) const;
    template <class T, class Less> mica_result sort(Less less) const;
    template <class T, class Other> mica_result sort_like() const
    {
        const mica_type types[] = {type<T>(), type<Other>()};
        return mica_sort_like(world_, types[0], types[1]);
    }

    // Images: mica/hpp/image.hpp. Save to a file or a buffer, and load any format.

    [[nodiscard]] mica_result save(const char *path,
                                   mica_image_format format = MICA_IMAGE_BINARY) const;
    [[nodiscard]] mica_result save(buffer &image,
                                   mica_image_format format = MICA_IMAGE_BINARY) const;
    [[nodiscard]] mica_result load(const char *path, const mica_load_desc &how = {}) const;
    [[nodiscard]] mica_result load(span<const unsigned char> image,
                                   const mica_load_desc &how = {}) const;

    // The world as a whole.

    // Changes the storage of a component.
    template <class T> mica_result set_storage(mica_storage storage) const
    {
        return mica_type_change_storage(world_, type<T>(), storage);
    }
    // Returns uninitialized memory until the end of the step, or an empty span on failure. No
    // destructors are called.
    template <class T> span<T> frame_array(size_t count) const
    {
        static_assert(std::is_trivially_destructible_v<T> &&
                          std::is_trivially_default_constructible_v<T>,
                      "nobody makes or ends what is in it: numbers, handles, pointers");
        T *items = static_cast<T *>(mica_frame_alloc(world_, count, sizeof(T), alignof(T)));
        return {items, items ? count : 0};
    }
    mica_result clear() const
    {
        return mica_world_clear(world_);
    }
    mica_result validate() const
    {
        return mica_world_validate(world_);
    }
    const mica_error &last_error() const
    {
        static const mica_error none = {};
        const mica_error *last = mica_last_error(world_);
        return last ? *last : none;
    }

    // For other headers in mica/hpp.
    inside::core *shared() const
    {
        return core_;
    }

protected:
    template <class T> static constexpr uint32_t size_of()
    {
        static_assert(!is_tag<T>, "a tag has no value: has<T>() tells whether it is there");
        return static_cast<uint32_t>(sizeof(T));
    }

    template <class Key> mica_type key() const
    {
        if constexpr (std::is_void_v<Key>) {
            return mica_type{};
        } else {
            return type<Key>();
        }
    }

    // Calls a function with values as C takes them. A list in braces is evaluated in the order in
    // which it is written, so that types are registered in that order. Arguments of a function have
    // no such order.
    template <class Call, class... Values> auto give(const Call &call, Values &&...values) const
    {
        const mica_type types[] = {type<std::remove_reference_t<Values>>()...};
        return give_typed(call, types, std::index_sequence_for<Values...>{},
                          std::forward<Values>(values)...);
    }
    template <class Call, size_t... I, class... Values>
    static auto give_typed(const Call &call, const mica_type *types, std::index_sequence<I...>,
                           Values &&...values)
    {
        return call(inside::value_of(types[I], std::forward<Values>(values))...);
    }

    mica_world *world_ = nullptr;
    inside::core *core_ = nullptr;
};

namespace inside {

// A face with the C++ state of its world. It can be moved; faces and handles stay valid.
class root : public face {
public:
    root(root &&other) noexcept
        : face(std::exchange(other.world_, nullptr), std::exchange(other.core_, nullptr))
    {}
    root &operator=(root &&other) noexcept
    {
        std::swap(world_, other.world_);
        std::swap(core_, other.core_);
        return *this;
    }

protected:
    explicit root(mica_world *world) : face(world, nullptr)
    {
        core_ = world ? new (std::nothrow) core(world) : nullptr;
    }
    // If there is no memory for the C++ state, returns the C world and does not own it any more.
    // Otherwise returns null.
    mica_world *release()
    {
        return core_ ? nullptr : std::exchange(world_, nullptr);
    }
    ~root() = default;

    // Destructors call this first. `gone`: the C world is freed.
    void close(mica_world *of, bool gone)
    {
        if (core_) {
            core_->close(of, gone);
        }
    }
};

} // namespace inside

// Owns a world. Null if it could not be created, and after it was moved from; all calls then fail.
class world : public inside::root {
public:
    world() : world(mica_world_new(nullptr)) {}
    explicit world(const mica_world_desc &desc) : world(mica_world_new(&desc)) {}
    world(world &&) = default;
    world &operator=(world &&) = default;
    // Ends open iterations first, and reports them. If a world is destroyed inside one of its own
    // systems, observers, hooks or handlers, that is reported, and it is not freed.
    ~world()
    {
        if (core_) {
            core_->world = nullptr; // handles inside components need not free themselves
        }
        bool gone = mica_world_free(world_) == MICA_OK;
        if (!gone) {
            mica_world_end_iterations(world_);
            gone = mica_world_free(world_) == MICA_OK;
        }
        close(world_, gone);
    }

private:
    explicit world(mica_world *made) : root(made)
    {
        (void)mica_world_free(release());
    }
};

// C++ in a world that other code creates, and frees after the guest has ended. The guest's systems
// and observers end with it, even if a mica::observer lives longer. Recorded functions that have
// not run are not called any more. Types, entities and values stay, and so do queries that live
// longer. Inside a step or a hook, C refuses to remove systems or observers, and reports that.
// Their functions are then not called any more, but some memory of each leaks. So does some memory
// of a guest whose recorded functions were dropped without running.
class guest : public inside::root {
public:
    explicit guest(mica_world *of) : root(of)
    {
        (void)release();
    }
    guest(guest &&) = default;
    guest &operator=(guest &&) = default;
    ~guest()
    {
        close(world_, false);
    }
};

// A command buffer. Its commands wait for apply(), and are discarded if it ends before.
class commands : public face {
public:
    explicit commands(face of) : face(mica_commands_new(of), of.shared()), tie_(of.shared()) {}
    commands(commands &&other) noexcept
        : face(std::exchange(other.world_, nullptr), std::exchange(other.core_, nullptr)),
          tie_(std::move(other.tie_))
    {}
    commands &operator=(commands &&other) noexcept
    {
        std::swap(world_, other.world_);
        std::swap(core_, other.core_);
        tie_ = std::move(other.tie_);
        return *this;
    }
    ~commands()
    {
        if (world_ && tie_.world()) { // otherwise it ended with the world
            tie_.free<mica_world *, free_buffer>(world_);
        }
    }
    uint32_t waiting() const
    {
        return mica_commands_count(world_);
    }
    mica_result discard() const
    {
        return mica_commands_discard(world_);
    }

private:
    static mica_result free_buffer(mica_world *, mica_world *buffer)
    {
        return mica_commands_free(buffer);
    }

    inside::tie tie_;
};

inline commands face::commands() const
{
    return mica::commands(*this);
}

// The events that a system or a cursor has not read. The loop reads them in blocks. If it is left early, the
// rest of its block counts as read.
template <class T> class event_range {
public:
    event_range(mica_world *world, mica_type type, mica_cursor &seen)
        : world_(world), type_(type), seen_(&seen)
    {}
    event_range(const mica_iter *it, mica_type type) : it_(it), type_(type) {}

    struct end_mark {};
    class iterator {
    public:
        explicit iterator(const event_range &range) : range_(range)
        {
            fetch();
        }
        const T &operator*() const
        {
            return *at_;
        }
        iterator &operator++()
        {
            if (++at_ == end_) {
                fetch();
            }
            return *this;
        }
        bool operator!=(end_mark) const
        {
            return at_ != nullptr;
        }

    private:
        void fetch()
        {
            uint32_t count = 0;
            const auto size = static_cast<uint32_t>(sizeof(T));
            const mica_type type = range_.type_;
            at_ = static_cast<const T *>(
                range_.it_
                    ? mica_events_unread_as(range_.it_, type, size, nullptr, &count)
                    : mica_events_as(range_.world_, type, size, nullptr, range_.seen_, &count));
            end_ = at_ + count;
        }

        event_range range_;
        const T *at_ = nullptr;
        const T *end_ = nullptr;
    };

    iterator begin() const
    {
        return iterator(*this);
    }
    end_mark end() const
    {
        return {};
    }

private:
    mica_world *world_ = nullptr;
    const mica_iter *it_ = nullptr; // NULL: a cursor reads
    mica_type type_;
    mica_cursor *seen_ = nullptr;
};

// The facets of an entity.
class facet_range {
public:
    facet_range(mica_world *world, entity owner) : world_(world), owner_(owner) {}

    struct end_mark {};
    class iterator {
    public:
        iterator(mica_world *world, entity owner) : world_(world), owner_(owner)
        {
            ++*this;
        }
        entity operator*() const
        {
            return at_;
        }
        iterator &operator++()
        {
            at_ = mica_facet_next(world_, owner_, at_);
            return *this;
        }
        bool operator!=(end_mark) const
        {
            return static_cast<bool>(at_);
        }

    private:
        mica_world *world_;
        entity owner_;
        entity at_ = {};
    };

    iterator begin() const
    {
        return {world_, owner_};
    }
    end_mark end() const
    {
        return {};
    }

private:
    mica_world *world_;
    entity owner_;
};

inline facet_range face::facets(entity of) const
{
    return facet_range(world_, of);
}

template <class T> event_range<T> face::events(mica_cursor &seen) const
{
    return event_range<T>(world_, type<T>(), seen);
}

} // namespace mica

#endif
