// C++: the words that queries and systems are made of, and what each gives to the function of a loop.
//
//   word                       who matches                       row by row     by segments
//   Position                   has it; written                   Position &     span<Position>
//   const Velocity             has it; read                      const V &      span<const V>
//   Frozen (a tag)             has it                            -              -
//   with<T>, without<T>        has it; has it not                -              -
//   maybe<T>, maybe<const T>   has it or not                     T *, or null   span, or empty
//   any<const T>               has at least one of all any<>     T *, or null   span, or empty
//   any<Frozen> (a tag)        the same                          -              -
//   by_field<T>                has it; reached field by field    -              fields<T>
//   changed<word>, added<word>     the word, only where that changed, or was added
//   even_disabled<word>            also where it is switched off
//   touched<T>                     written; only rows count as changed that iter::touch() names
//   no_facets                      facets do not match
//   no_entities                    whose rows they are is not asked: a ring is one span
//
// Of systems alone:
//
//   res<T>, res<const T>       a resource; the system fails if there is none: T &
//   uses<T>, uses<const T>     a resource that it may write, or read, itself
//   sends<T>, receives<T>      events
//
// A word that is const is read; one that is not is written, and counts as changed.
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
template <class Word> struct even_disabled {};
template <class T> struct touched {};
struct no_facets {};
struct no_entities {};
template <class T> struct res {};
template <class T> struct uses {};
template <class T> struct sends {};
template <class T> struct receives {};

// The fields of a component in a segment, whatever its storage: body(&Body::mass) is a column of them.
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
            mica_read_fields found = mica_read_field(it_, term_, offset, size);
            return {found.base, found.stride, it_->count};
        } else {
            mica_write_fields found = mica_write_field(it_, term_, offset, size);
            return {found.base, found.stride, it_->count};
        }
    }

private:
    const mica_iter *it_;
    uint32_t term_;
};

namespace inside {

// What a word stands for: a term of the query that gives a row, perhaps a row, fields or nothing; something
// about the query as a whole; or something that a system declares.
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
template <class Word> struct word<even_disabled<Word>> : filtered<Word, MICA_EVEN_DISABLED> {};

template <> struct word<no_facets> : meaning<no_facets, 0, gives::nothing, stands::option> {};
template <> struct word<no_entities> : meaning<no_entities, 0, gives::nothing, stands::option> {};
// A tag has no value that a world could keep, or that could be sent.
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

// Which term of the query the I-th word is: words that are none do not count.
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

// Writes the terms, and what is said of the query as a whole, into a descriptor.
template <class... Words> void fill_terms(const face &world, mica_query_desc &desc)
{
    static_assert(term_count<Words...> <= MICA_TERMS_INSIDE, "too many terms");
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

// Where the values of a word are in a segment. good() is asked for each row, before at(); where there is
// nothing to ask it is no instruction.

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

// Values with hooks are not brought together by the library: where they do not lie side by side, each is
// asked for.
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

// A resource: the same one for every row.
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

// The same by segments.
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

// What a word gives, as a list of none or one.
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
