// C++: words, the template arguments of queries and systems, and the argument that each passes to
// the function of a loop.
//
//   word                       matches entities by               row by row     by segments
//   Position                   required, written                 Position &     span<Position>
//   const Velocity             required, read                    const V &      span<const V>
//   Frozen (a tag)             required                          -              -
//   with<T>, without<T>        required; excluded                -              -
//   maybe<T>, maybe<const T>   optional                          T *, or null   span, or empty
//   any<const T>               at least one of all any<>         T *, or null   span, or empty
//   any<Frozen> (a tag)        the same                          -              -
//   by_field<T>                required, accessed by field       -              fields<T>
//   changed<word>, added<word>     only where the component was changed, or added
//   include_disabled<word>            also where the component is disabled
//   touched<T>                     written; only rows that iter::touch() names count as changed
//   no_facets                      facets do not match
//   no_entities                    without entity ids: a ring is one span
//
// Only for systems:
//
//   res<T>, res<const T>       a resource: T &; the system fails if it does not exist
//   uses<T>, uses<const T>     a resource that the function writes, or reads, itself
//   sends<T>, receives<T>      events
//
// A const word is read. Others are written, and count as changed.
#ifndef MICA_HPP_TERM_HPP
#define MICA_HPP_TERM_HPP

#include <mica/hpp/face.hpp>

#include <tuple>

namespace mica {

template <class T> struct with {};
template <class T> struct without {};
template <class T> struct maybe {};
template <class T> struct any {};
template <class T> struct by_field {};
template <class Word> struct changed {};
template <class Word> struct added {};
template <class Word> struct include_disabled {};
template <class T> struct touched {};
struct no_facets {};
struct no_entities {};
template <class T> struct res {};
template <class T> struct uses {};
template <class T> struct sends {};
template <class T> struct receives {};

// The fields of a component in a segment, for every storage: body(&Body::mass) is a column of them.
// load() and store() copy the whole value of a row.
template <class T> class fields {
    using bare = std::remove_const_t<T>;

public:
    fields(const mica_iter *it, uint32_t term) : it_(it), term_(term) {}

    template <class Field>
    column<std::conditional_t<std::is_const_v<T>, const Field, Field>>
    operator()(Field bare::*field) const
    {
        const mica_some<bare> some;
        uint32_t offset =
            static_cast<uint32_t>(some.offset(mica_address_of(some.nowhere().*field)));
        uint32_t size = static_cast<uint32_t>(sizeof(Field));
        if constexpr (std::is_const_v<T>) {
            mica_read_fields found = mica_read_field(it_, term_, offset, size, nullptr);
            return {found.base, found.stride, it_->count};
        } else {
            mica_write_fields found = mica_write_field(it_, term_, offset, size, nullptr);
            return {found.base, found.stride, it_->count};
        }
    }
    std::optional<bare> load(uint32_t row) const
    {
        return inside::load_value<bare>([&](void *bytes, uint32_t size) {
            return mica_load_row(it_, term_, row, bytes, size);
        });
    }
    mica_result store(uint32_t row, const bare &value) const
    {
        static_assert(!std::is_const_v<T>, "what is const is not written");
        static_assert(std::is_trivially_copyable_v<bare>, "a copy without its copy constructor");
        return mica_store_row(it_, term_, row, mica_address_of(value),
                              static_cast<uint32_t>(sizeof(bare)));
    }

private:
    const mica_iter *it_;
    uint32_t term_;
};

namespace inside {

// The meaning of a word: a term of the query, an option of the query, or a declaration of a system.
// A term passes a row, an optional row, fields or nothing.
enum class gives { row, perhaps, columns, nothing };
enum class stands { term, option, resource, resource_unseen, event };

template <class T, uint32_t Access, gives What, stands For = stands::term> struct meaning {
    using value = T; // const: read
    using component = std::remove_const_t<T>;
    static constexpr uint32_t access = Access;
    static constexpr gives what = What;
    static constexpr stands is = For;
    static constexpr bool is_term = For == stands::term;
    static constexpr bool is_of_query = is_term || For == stands::option;
};

template <class T>
inline constexpr uint32_t access_of = std::is_const_v<T> ? MICA_READ : MICA_WRITE;

template <class T>
struct word : meaning<T, is_tag<T> ? uint32_t{MICA_WITH} : access_of<T>,
                      is_tag<T> ? gives::nothing : gives::row> {};
template <class T> struct word<with<T>> : meaning<const T, MICA_WITH, gives::nothing> {};
template <class T> struct word<without<T>> : meaning<const T, MICA_WITHOUT, gives::nothing> {};
template <class T>
struct word<maybe<T>>
    : meaning<T, std::is_const_v<T> ? uint32_t{MICA_OPTIONAL} : uint32_t{MICA_OPTIONAL_WRITE},
              gives::perhaps> {
    static_assert(!is_tag<T>, "a tag has no value to point to");
};
template <class T>
struct word<any<T>> : meaning<T, MICA_ANY, is_tag<T> ? gives::nothing : gives::perhaps> {
    static_assert(std::is_const_v<T> || is_tag<T>, "one of several is only read: any<const T>");
};
template <class T> struct word<by_field<T>> : meaning<T, access_of<T>, gives::columns> {
    static_assert(!is_tag<T>, "a tag has no fields");
};
template <class T>
struct word<touched<T>> : meaning<T, MICA_WRITE | uint32_t{MICA_TOUCH}, gives::row> {
    static_assert(!std::is_const_v<T>, "what is const is not written");
    static_assert(!is_tag<T>, "a tag has no value to write");
};

template <class Word, uint32_t Filter>
struct filtered
    : meaning<typename word<Word>::value, word<Word>::access | Filter, word<Word>::what> {
    static_assert(word<Word>::is_term, "a filter is about a term");
};
template <class Word> struct word<changed<Word>> : filtered<Word, MICA_CHANGED> {};
template <class Word> struct word<added<Word>> : filtered<Word, MICA_ADDED> {};
template <class Word>
struct word<include_disabled<Word>> : filtered<Word, MICA_INCLUDE_DISABLED> {};

template <> struct word<no_facets> : meaning<no_facets, 0, gives::nothing, stands::option> {};
template <> struct word<no_entities> : meaning<no_entities, 0, gives::nothing, stands::option> {};
// A tag has no value to store or to send.
template <class T, uint32_t Access, gives What, stands For>
struct declared : meaning<T, Access, What, For> {
    static_assert(!is_tag<T>, "a tag is neither a resource nor an event: give it a member");
};
template <class T> struct word<res<T>> : declared<T, access_of<T>, gives::row, stands::resource> {};
template <class T>
struct word<uses<T>> : declared<T, access_of<T>, gives::nothing, stands::resource_unseen> {};
template <class T>
struct word<sends<T>> : declared<T, MICA_WRITE, gives::nothing, stands::event> {};
template <class T>
struct word<receives<T>> : declared<T, MICA_READ, gives::nothing, stands::event> {};

// Returns the number of a word among those that are terms.
template <class... Words> constexpr uint32_t term_number(size_t word_number)
{
    const bool is_term[] = {word<Words>::is_term..., false};
    uint32_t number = 0;
    for (size_t i = 0; i < word_number; i++) {
        number += is_term[i];
    }
    return number;
}
template <class... Words>
inline constexpr uint32_t term_count = term_number<Words...>(sizeof...(Words));

template <class Option, class... Words>
inline constexpr bool has_option = (std::is_same_v<Option, Words> || ...);

// Writes the terms and the options into a descriptor.
template <class... Words> void fill_terms(const face &world, mica_query_desc &desc)
{
    static_assert(term_count<Words...> <= MICA_TERMS_INLINE, "too many terms");
    [[maybe_unused]] uint32_t count = 0;
    [[maybe_unused]] auto add = [&](auto meant) {
        using W = decltype(meant);
        if constexpr (W::is_term) {
            desc.terms[count++] = {world.type<typename W::component>(), W::access};
        }
    };
    (add(word<Words>{}), ...);
    desc.no_facets = has_option<no_facets, Words...>;
    desc.no_entities = has_option<no_entities, Words...>;
}

// The values of a word in a segment. good() is called for each row, before at(); if it is always
// true, it costs nothing.

template <class T> T *whole(const mica_iter *it, uint32_t term) noexcept
{
    if constexpr (std::is_const_v<T>) {
        return static_cast<T *>(mica_read(it, term));
    } else {
        return static_cast<T *>(mica_write(it, term));
    }
}

template <class T> struct rows {
    T *data;

    rows(const mica_iter *it, uint32_t term) : data(whole<T>(it, term)) {}
    bool ready() const
    {
        return data;
    }
    bool good(uint32_t) const
    {
        return true;
    }
    T &at(uint32_t row) const
    {
        return data[row];
    }
};

// The library does not gather values with hooks. If they are not contiguous, each row is read
// separately.
template <class T> struct scattered {
    const mica_iter *it;
    uint32_t term;
    T *data;
    T *now = nullptr;

    scattered(const mica_iter *of, uint32_t number) : it(of), term(number), data(nullptr)
    {
        uint64_t able = std::is_const_v<T> ? it->readable : it->writable;
        if (able >> term & 1) {
            data = whole<T>(it, term);
        }
    }
    bool ready() const
    {
        return true;
    }
    bool good(uint32_t row)
    {
        if (data) {
            now = data + row;
        } else if constexpr (std::is_const_v<T>) {
            now = static_cast<T *>(mica_read_row(it, term, row));
        } else {
            now = static_cast<T *>(mica_write_row(it, term, row));
        }
        return now;
    }
    T &at(uint32_t) const
    {
        return *now;
    }
};

template <class T> struct perhaps_rows {
    T *data;

    perhaps_rows(const mica_iter *it, uint32_t term) : data(whole<T>(it, term)) {}
    bool ready() const
    {
        return true;
    }
    bool good(uint32_t) const
    {
        return true;
    }
    T *at(uint32_t row) const
    {
        return data ? data + row : nullptr;
    }
};

template <class T> struct perhaps_scattered : scattered<T> {
    using scattered<T>::scattered;
    bool good(uint32_t row)
    {
        scattered<T>::good(row);
        return true;
    }
    T *at(uint32_t) const
    {
        return this->now;
    }
};

// A resource, which is the same for every row.
template <class T> struct single {
    T *data;

    bool ready() const
    {
        return data;
    }
    bool good(uint32_t) const
    {
        return true;
    }
    T &at(uint32_t) const
    {
        return *data;
    }
    T &all(uint32_t) const
    {
        return *data;
    }
};

// A component by segments.
template <class T, bool Needed> struct stretch {
    T *data;

    stretch(const mica_iter *it, uint32_t term) : data(whole<T>(it, term)) {}
    bool ready() const
    {
        return data || !Needed;
    }
    span<T> all(uint32_t count) const
    {
        return {data, data ? count : 0};
    }
};

template <class T> struct columns {
    fields<T> found;

    columns(const mica_iter *it, uint32_t term) : found(it, term) {}
    bool ready() const
    {
        return true;
    }
    fields<T> all(uint32_t) const
    {
        return found;
    }
};

template <class T>
inline constexpr bool has_hooks =
    !mica_lifetime<std::remove_const_t<T>>::is_bytes ||
    !mica_lifetime<std::remove_const_t<T>>::can_copy || !std::is_trivially_destructible_v<T>;

// The argument of a word, as a tuple of none or one.
template <bool ByRow, class W>
auto source_of([[maybe_unused]] const mica_iter *it, [[maybe_unused]] core *shared,
               [[maybe_unused]] uint32_t term)
{
    using T = typename W::value;
    if constexpr (W::is == stands::resource) {
        face world(it->world, shared);
        if constexpr (std::is_const_v<T>) {
            return std::make_tuple(single<T>{world.resource<typename W::component>()});
        } else {
            return std::make_tuple(single<T>{world.resource_mut<T>()});
        }
    } else if constexpr (W::what == gives::nothing) {
        return std::tuple<>();
    } else if constexpr (W::what == gives::columns) {
        static_assert(!ByRow, "fields are given by segments: each_segment()");
        return std::tuple<columns<T>>({it, term});
    } else if constexpr (!ByRow) {
        return std::tuple<stretch<T, W::what == gives::row>>({it, term});
    } else if constexpr (W::what == gives::row) {
        return std::tuple<std::conditional_t<has_hooks<T>, scattered<T>, rows<T>>>({it, term});
    } else {
        return std::tuple<std::conditional_t<has_hooks<T>, perhaps_scattered<T>, perhaps_rows<T>>>(
            {it, term});
    }
}

template <bool ByRow, class... Words, size_t... I>
auto sources_of([[maybe_unused]] const mica_iter *it, [[maybe_unused]] core *shared,
                std::index_sequence<I...>)
{
    return std::tuple_cat(source_of<ByRow, word<Words>>(it, shared, term_number<Words...>(I))...);
}

} // namespace inside
} // namespace mica

#endif
