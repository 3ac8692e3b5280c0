// C++: how a C++ type is registered as a component type of a world.
//
// A world knows its types by name. The name of a C++ type is the compiler's: "Position",
// "game::Position". A type is registered when a world first uses it, unless C code has registered
// that name before. mica::about<T> describes the type. By default, hooks and the default value come
// from the constructors and the destructor (mica/hpp/lifetime.hpp), and a class without members is a tag.
// Specialize it for more, before the type is used:
//
//   template <> struct mica::about<Target> : mica::stored<Target, MICA_SPARSE> {};
//   template <> struct mica::about<Position> {
//       static mica_type_desc describe() { return MICA_DESCRIBE(Position, x, y); } // fields
//   };
//
// Lookup: there are no mutable globals. The name of T is a constant. Each world has a table from
// the address of this constant to the type. Every shared library may have its own copy of the
// constant. The table then has several entries for the type, which were found by name. (A counter
// that numbers the C++ types could give the same number to two types in two libraries that do not
// share their variables.)
//
// Names: two types with the same name and size in one program, as in unnamed namespaces of two
// files, are one type to the world. If the sizes differ, registration fails with MICA_ERROR_SHAPE.
// Compilers name templates and unnamed namespaces differently; give such a type a name in its
// mica::about if worlds are saved or compared.
#ifndef MICA_HPP_TYPE_HPP
#define MICA_HPP_TYPE_HPP

#include <mica.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mica {

// A tag has no members and no value.
template <class T>
inline constexpr bool is_tag = std::is_empty_v<T> &&std::is_trivially_copyable_v<T>;

// The type of T in one world: a mica_type that knows its C++ type.
template <class T> struct type {
    mica_type raw;

    operator mica_type() const
    {
        return raw;
    }
    explicit operator bool() const
    {
        return static_cast<bool>(raw);
    }
};

namespace inside {

// The compiler's name for this function contains the name of T. The text around it is found with a
// type whose name is known.
template <class T> constexpr auto spell()
{
#ifdef __GNUC__
    return std::string_view(__PRETTY_FUNCTION__);
#else
    return std::string_view(__FUNCSIG__);
#endif
}

template <class T> constexpr std::string_view name_within()
{
    constexpr std::string_view known = spell<double>();
    constexpr size_t before = known.find("double");
    constexpr size_t behind = known.size() - before - 6;
    std::string_view name = spell<T>();
    name = name.substr(before, name.size() - before - behind);
    for (std::string_view word : {std::string_view("struct "), std::string_view("class ")}) {
        if (name.substr(0, word.size()) == word) { // some compilers write this
            name.remove_prefix(word.size());
        }
    }
    return name;
}

template <class T> constexpr auto copy_name()
{
    constexpr std::string_view name = name_within<T>();
    std::array<char, name.size() + 1> text{};
    for (size_t i = 0; i < name.size(); i++) {
        text[i] = name[i];
    }
    return text;
}

// The name, with its terminating zero. Its address is the key of T in tables.
template <class T> inline constexpr auto name_text = copy_name<T>();

template <class T> constexpr void check_component()
{
    static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_pointer_v<T>,
                  "a component is a class, or a number; not an array, a pointer, a text");
}

} // namespace inside

// Returns the compiler's name for T.
template <class T> constexpr const char *name_of()
{
    return inside::name_text<std::remove_cv_t<T>>.data();
}

// Returns the default descriptor of T.
template <class T> mica_type_desc describe()
{
    mica_type_desc desc = {};
    if constexpr (!is_tag<T>) {
        desc = mica_lifetime<T>::describe();
    }
    desc.name = name_of<T>();
    return desc;
}

// How T is registered. Specialize it to change that.
template <class T> struct about {
    static mica_type_desc describe()
    {
        return mica::describe<T>();
    }
};

// A base class for about<T>: with this storage.
template <class T, mica_storage Storage> struct stored {
    static mica_type_desc describe()
    {
        static_assert(Storage != MICA_SPLIT,
                      "a split component names its fields: in mica::about, start with "
                      "MICA_DESCRIBE(T, x, y) and set storage");
        mica_type_desc desc = mica::describe<T>();
        desc.storage = Storage;
        return desc;
    }
};

namespace inside {

// A C++ object with a counterpart in C: a function that C calls, or a handle that could not be
// freed yet. It is owned by the list of its core.
struct owned {
    owned() = default;
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    virtual ~owned() = default;

    // Ends it in C. After MICA_ERROR_ITERATING, _HOOK or _HANDLER, try again later. After other
    // errors, C has no reference to it any more.
    virtual mica_result end(mica_world *world) = 0;
    // Stops calls from C, even if C still knows it.
    virtual void silence() {}
    // Called when the list drops it. `known`: C has refused to end it, and still knows it.
    virtual void leave(bool known) = 0;

    owned *next = nullptr;
    owned **link = nullptr; // the pointer that points to it
    uint64_t system = 0;    // the system that calls it; 0: no system
    bool over = false;      // to be ended in C as soon as possible
};

// Returns true if the end was refused only because of the present state of the world.
inline bool is_too_early(mica_result result)
{
    return result == MICA_ERROR_ITERATING || result == MICA_ERROR_HOOK ||
           result == MICA_ERROR_HANDLER;
}

// The C++ state of a world. It has the table of types, the functions of systems and observers, and
// handles that could not be freed when their objects ended. It outlives the world while queries and
// observers exist, so that they can see that the world is gone.
struct core {
    struct entry {
        const void *key;
        mica_type type;
    };

    mica_world *world;        // null: gone
    entry *entries = nullptr; // a hash table, linear probing, at most half full
    uint32_t mask = 0;        // entries - 1
    uint32_t count = 0;
    uint32_t users = 1;
    owned *list = nullptr;
    bool waiting = false;  // an element of the list is over
    bool orphaned = false; // its world or guest has ended before the functions in `calls` ran
    std::atomic<uint32_t> calls{0}; // recorded functions that have not run

    explicit core(mica_world *of) : world(of) {}
    core(const core &) = delete;
    core &operator=(const core &) = delete;
    ~core()
    {
        delete[] entries;
    }

    // Hashes an address. Its low bits are the same for all keys.
    static uint32_t spread(const void *key)
    {
        uint64_t bits = reinterpret_cast<uintptr_t>(key);
        return static_cast<uint32_t>(bits * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    }

    mica_type find(const void *key) const
    {
        if (entries) {
            for (uint32_t at = spread(key) & mask; entries[at].key; at = (at + 1) & mask) {
                if (entries[at].key == key) {
                    return entries[at].type;
                }
            }
        }
        return mica_type{};
    }

    // Remembers a type. Without memory, does nothing: the type is found by name the next time.
    void learn(const void *key, mica_type type)
    {
        if (count * 2 >= (entries ? mask + 1 : 0) && !grow()) {
            return;
        }
        enter(key, type);
        count++;
    }

    bool grow()
    {
        uint32_t size = entries ? (mask + 1) * 2 : 32;
        entry *old = entries;
        entry *bigger = new (std::nothrow) entry[size]();
        if (!bigger) {
            return false;
        }
        uint32_t old_size = old ? mask + 1 : 0;
        entries = bigger;
        mask = size - 1;
        for (uint32_t i = 0; i < old_size; i++) {
            if (old[i].key) {
                enter(old[i].key, old[i].type);
            }
        }
        delete[] old;
        return true;
    }

    void enter(const void *key, mica_type type)
    {
        uint32_t at = spread(key) & mask;
        while (entries[at].key) {
            at = (at + 1) & mask;
        }
        entries[at] = {key, type};
    }

    static void put(owned *&head, owned *one)
    {
        one->next = head;
        one->link = &head;
        if (head) {
            head->link = &one->next;
        }
        head = one;
    }
    static void take(owned *one)
    {
        *one->link = one->next;
        if (one->next) {
            one->next->link = one->link;
        }
    }

    void own(owned *one)
    {
        put(list, one);
    }

    // Inside hooks and handlers, C refuses to end anything, and would report that.
    bool is_shut() const
    {
        mica_result now = mica_world_check_change(world);
        return now == MICA_ERROR_HOOK || now == MICA_ERROR_HANDLER;
    }

    // Ends an element of the list, now or, if C refuses that, later. The captures of its function
    // end last: they may include the world, or the object itself, which is ending already.
    void finish(owned *one)
    {
        if (one->over) {
            return;
        }
        take(one);
        one->over = true;
        if (is_shut() || is_too_early(one->end(world))) {
            waiting = true;
            own(one);
            one->silence();
        } else {
            one->silence();
            one->leave(false);
        }
    }

    // Ends elements whose end was refused before. Called by constructors and steps.
    void sweep()
    {
        if (!waiting || !world || mica_world_check_change(world) != MICA_OK) {
            return;
        }
        waiting = false;
        owned *ending = nullptr;
        for (owned *one = list, *next; one; one = next) {
            next = one->next;
            if (one->over) {
                take(one);
                put(ending, one);
            }
        }
        while (ending) {
            owned *one = ending;
            take(one);
            if (is_too_early(one->end(world))) {
                own(one);
                waiting = true;
            } else {
                one->leave(false);
            }
        }
    }

    // Destroys the functions of a removed system.
    void forget(uint64_t system)
    {
        owned *one = list;
        while (one && one->system != system) {
            one = one->next;
        }
        if (one) {
            take(one);
            one->silence();
            one->leave(false);
        }
    }

    // The end of the C world, or of the C++ objects in it. Objects that C refuses to end are silent
    // from now on.
    void close(mica_world *of, bool gone)
    {
        while (list) {
            owned *one = list;
            take(one);
            one->over = true;
            bool known = !gone && is_too_early(one->end(of));
            one->silence();
            one->leave(known);
        }
        world = nullptr;
        orphaned = !gone && calls > 0;
        if (!orphaned) {
            leave(this);
        }
    }

    // A recorded function is about to run, or could not be recorded. Returns false if it must not
    // run any more.
    bool count_call()
    {
        bool runs = world != nullptr;
        if (--calls == 0 && orphaned) {
            leave(this);
        }
        return runs;
    }

    static void leave(core *one)
    {
        if (one && --one->users == 0) {
            delete one;
        }
    }
};

// The reference of an object to its world, which it may outlive.
class tie {
public:
    tie() = default;
    explicit tie(core *shared) : core_(shared)
    {
        if (core_) {
            core_->users++;
            core_->sweep();
        }
    }
    tie(tie &&other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
    tie &operator=(tie &&other) noexcept
    {
        std::swap(core_, other.core_);
        return *this;
    }
    ~tie()
    {
        core::leave(core_);
    }

    mica_world *world() const // null: gone
    {
        return core_ ? core_->world : nullptr;
    }
    core *shared() const
    {
        return core_;
    }

    // Frees a handle, now or, if C refuses that, later. If there is no memory to remember it, C
    // frees it with the world.
    template <class Handle, mica_result (*Free)(mica_world *, Handle)>
    void free(Handle handle) const
    {
        struct unfreed : owned {
            Handle handle;

            explicit unfreed(Handle of) : handle(of) {}
            mica_result end(mica_world *world) override
            {
                return Free(world, handle);
            }
            void leave(bool) override
            {
                delete this;
            }
        };
        if (core_->is_shut() || is_too_early(Free(core_->world, handle))) {
            owned *one = new (std::nothrow) unfreed(handle);
            if (one) {
                one->over = core_->waiting = true;
                core_->own(one);
            }
        }
    }

private:
    core *core_ = nullptr;
};

// Functions that C calls. They are destroyed when they are silent and no call of them runs. The
// object itself is deleted when C does not know it any more. If C has refused to end it, it stays
// and does nothing.
struct callback : owned {
    tie shared;
    uint32_t running = 0; // running calls
    bool silent = false;
    bool gone = false; // C does not know it any more

    explicit callback(core *of) : shared(of) {}
    virtual void clear() = 0; // destroys the functions

    void silence() override
    {
        silent = true;
        tidy();
    }
    void leave(bool known) override
    {
        gone = !known;
        tidy();
    }
    void tidy()
    {
        if (running == 0 && silent) {
            running++; // destructors of the functions may call this again
            clear();
            shared = tie();
            running--;
            if (gone) {
                delete this;
            }
        }
    }
};

// One running call.
class calling {
public:
    explicit calling(callback *of) : callback_(of)
    {
        callback_->running++;
    }
    calling(const calling &) = delete;
    calling &operator=(const calling &) = delete;
    ~calling()
    {
        callback_->running--;
        callback_->tidy();
    }
    explicit operator bool() const
    {
        return !callback_->silent;
    }

private:
    callback *callback_;
};

template <class T> mica_type register_type(core *shared, mica_type_desc desc)
{
    check_component<T>();
    if constexpr (is_tag<T>) {
        desc.size = desc.align = 0;
        desc.default_value = nullptr;
    }
    mica_type found = mica_type_register(shared ? shared->world : nullptr, &desc);
    if (found && !shared->find(name_of<T>())) {
        shared->learn(name_of<T>(), found);
    }
    return found;
}

// Finds the type by name: C, or another library with its own hooks, may have registered it. If its
// size differs, registers T nevertheless, which fails with an error: the found type is not T.
template <class T> mica_type first_type(core *shared)
{
    check_component<T>();
    constexpr uint32_t size = is_tag<T> ? 0 : static_cast<uint32_t>(sizeof(T));
    mica_type_desc desc = about<T>::describe();
    mica_type found = shared && desc.name ? mica_type_find(shared->world, desc.name) : mica_type{};
    if (!found || mica_type_get_info(shared->world, found)->size != size) {
        return register_type<T>(shared, desc);
    }
    shared->learn(name_of<T>(), found);
    return found;
}

template <class T> mica_type type_in(core *shared)
{
    using bare = std::remove_cv_t<T>;
    mica_type known = shared ? shared->find(name_of<bare>()) : mica_type{};
    return known ? known : first_type<bare>(shared);
}

} // namespace inside
} // namespace mica

#endif
