// C++: which type of a world a C++ type is, and how it is registered.
//
// A world knows its types by name, and the name of a C++ type is what the compiler calls it: "Position",
// "game::Position". A type is registered when it is first named in a world, or is found there, if C has
// registered that name before. How, says mica::about<T>: hooks and default come from the constructors and
// the destructor (mica/lifetime.h), and a class without members is a tag. To say more, specialise it
// before the type is used:
//
//   template <> struct mica::about<Target> : mica::stored<Target, MICA_SPARSE> {};
//   template <> struct mica::about<Position> {
//       static mica_type_desc describe() { return MICA_DESCRIBE(Position, x, y); } // with its fields
//   };
//
// Where the answer is kept: nothing in the process changes. Each world has a table from the address of a
// constant, which T's name is, to its type. The constant may be there once in every shared library; then
// so are the rows of the table, found by name each, and all lead to the same type. (A counter that gives
// each C++ type a number would give the same number to two types of two libraries, where these do not
// share their variables.)
//
// Names: two types of the same name in one program, as in unnamed namespaces of two files, are one type to
// the world, if they are of one size. What compilers call templates and unnamed namespaces differs
// between them; give such a type a name in its mica::about, if worlds are saved or compared. Of another size
// than the world's type of that name, it is MICA_ERROR_SHAPE, and no type.
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

// No members: no value. A mark that an entity has or has not.
template <class T>
inline constexpr bool is_tag = std::is_empty_v<T> &&std::is_trivially_copyable_v<T>;

// The type of T in one world; a mica_type that knows what it is a type of.
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

// What the compiler calls this function contains what it calls T. What stands around that is seen by a
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
        if (name.substr(0, word.size()) == word) { // not all compilers say so
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

// The name, with its zero; its address is what tables know T by.
template <class T> inline constexpr auto name_text = copy_name<T>();

template <class T> constexpr void check_component()
{
    static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_pointer_v<T>,
                  "a component is a class, or a number; not an array, a pointer, a text");
}

} // namespace inside

// As the compiler calls it.
template <class T> constexpr const char *name_of()
{
    return inside::name_text<std::remove_cv_t<T>>.data();
}

// What is registered, if nobody says otherwise.
template <class T> mica_type_desc describe()
{
    mica_type_desc desc = {};
    if constexpr (!is_tag<T>) {
        desc = mica_lifetime<T>::describe();
    }
    desc.name = name_of<T>();
    return desc;
}

// How T is registered: specialise it to say more.
template <class T> struct about {
    static mica_type_desc describe()
    {
        return mica::describe<T>();
    }
};

// To derive an about<T> from: with this storage.
template <class T, mica_storage Storage> struct stored {
    static mica_type_desc describe()
    {
        mica_type_desc desc = mica::describe<T>();
        desc.storage = Storage;
        return desc;
    }
};

namespace inside {

// Something of C++ that ends in C, too: a function that C calls, or a handle that could not be freed yet. The list
// of its core owns it.
struct owned {
    owned() = default;
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    virtual ~owned() = default;

    // Ends it in C. MICA_ERROR_ITERATING, _HOOK, _HANDLER: not now. Other errors: C does not know it any more.
    virtual mica_result end(mica_world *world) = 0;
    // C is not to call it any more, even if it still can.
    virtual void silence() {}
    // The list gives it up: C does not know it any more, or has refused to end it.
    virtual void leave(bool known) = 0;

    owned *next = nullptr;
    owned **link = nullptr; // what points to it
    uint64_t system = 0;    // the system that calls it; 0: none does
    bool over = false;      // to be ended in C as soon as that is possible
};

// Was the end of something refused only because of what the world is doing?
inline bool is_too_early(mica_result result)
{
    return result == MICA_ERROR_ITERATING || result == MICA_ERROR_HOOK ||
           result == MICA_ERROR_HANDLER;
}

// What C++ keeps of a world: the table of types, the functions of its systems and observers, and handles that
// could not be freed when their objects ended. It outlives the world as long as queries and observers are
// around, so that they see that it is gone.
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
    bool waiting = false;  // something in the list is over
    bool orphaned = false; // its world or guest has ended before the functions in `calls` ran
    std::atomic<uint32_t> calls{0}; // functions that are recorded and have not run

    explicit core(mica_world *of) : world(of) {}
    core(const core &) = delete;
    core &operator=(const core &) = delete;
    ~core()
    {
        delete[] entries;
    }

    // All but the low bits of an address, which are alike, mixed.
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
        return mica_type_none();
    }

    // Without memory for it nothing is remembered, and the type is found by name the next time.
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

    // Inside hooks and handlers C refuses to end anything, and would report that.
    bool is_shut() const
    {
        mica_result now = mica_world_check_change(world);
        return now == MICA_ERROR_HOOK || now == MICA_ERROR_HANDLER;
    }

    // Ends something in the list, now or, if C refuses that, later. What its function captured ends last: the world
    // may be among that, or the object itself, which is ending already.
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

    // Ends what was over too early. Called now and then, by what makes objects and by steps.
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

    // The system is gone: so are its functions.
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

    // The end: of the C world itself, or of what C++ has there. What C refuses to end is silent from now on.
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

    // A recorded function is about to run, or could not be recorded. False: it is not to run any more.
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

// What something has that belongs to a world and may outlive it.
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

    // Frees a handle, now or, if C refuses that, later. Without memory to remember it, C frees it with the world.
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

// Functions that C calls. They end when they are silenced and no call of them runs. What C points to is deleted when C
// does not know it any more; if C has refused to end it, it stays, and does nothing.
struct callback : owned {
    tie shared;
    uint32_t running = 0; // calls of it
    bool silent = false;
    bool gone = false; // C does not know it any more

    explicit callback(core *of) : shared(of) {}
    virtual void clear() = 0; // ends the functions

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
            running++; // what ends with the functions may lead here
            clear();
            shared = tie();
            running--;
            if (gone) {
                delete this;
            }
        }
    }
};

// A call of one.
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

// The type of that name, if there is one: another library, whose hooks are elsewhere, may have
// registered it, or C. If it is of another size, it is registered nevertheless, which is refused with a
// sentence: a T is not to be looked for there.
template <class T> mica_type first_type(core *shared)
{
    check_component<T>();
    constexpr uint32_t size = is_tag<T> ? 0 : static_cast<uint32_t>(sizeof(T));
    mica_type_desc desc = about<T>::describe();
    mica_type found =
        shared && desc.name ? mica_type_find(shared->world, desc.name) : mica_type_none();
    if (!found || mica_type_describe(shared->world, found)->size != size) {
        return register_type<T>(shared, desc);
    }
    shared->learn(name_of<T>(), found);
    return found;
}

template <class T> mica_type type_in(core *shared)
{
    using bare = std::remove_cv_t<T>;
    mica_type known = shared ? shared->find(name_of<bare>()) : mica_type_none();
    return known ? known : first_type<bare>(shared);
}

} // namespace inside
} // namespace mica

#endif
