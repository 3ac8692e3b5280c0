// C++: arrays of values, contiguous or with a stride, without ownership.
#ifndef MICA_HPP_SPAN_HPP
#define MICA_HPP_SPAN_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mica {

// A contiguous array of T. (C++20 has std::span; this is C++17.)
template <class T> class span {
public:
    constexpr span() = default;
    constexpr span(T *data, size_t size) : data_(data), size_(size) {}
    template <size_t N> constexpr span(T (&array)[N]) : data_(array), size_(N) {}

    // From a span, a std::vector or a std::array of T, or of T without const.
    template <class Other,
              class = std::enable_if_t<std::is_convertible_v<
                  std::remove_pointer_t<decltype(std::declval<Other &>().data())> (*)[], T (*)[]>>>
    constexpr span(Other &&other) : data_(other.data()), size_(other.size())
    {}

    constexpr T *data() const
    {
        return data_;
    }
    constexpr size_t size() const
    {
        return size_;
    }
    constexpr bool empty() const
    {
        return size_ == 0;
    }
    constexpr T &operator[](size_t i) const
    {
        return data_[i];
    }
    constexpr T *begin() const
    {
        return data_;
    }
    constexpr T *end() const
    {
        return data_ + size_;
    }

private:
    T *data_ = nullptr;
    size_t size_ = 0;
};

// One field of several rows, for every storage.
template <class T> class column {
    using byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
    using untyped = std::conditional_t<std::is_const_v<T>, const void, void>;

public:
    constexpr column() = default;
    column(untyped *base, size_t stride, size_t size)
        : base_(static_cast<byte *>(base)), stride_(stride), size_(base ? size : 0)
    {}

    size_t size() const
    {
        return size_;
    }
    T &operator[](size_t i) const
    {
        return *reinterpret_cast<T *>(base_ + i * stride_);
    }
    // Returns the values if they are contiguous, for loops that the compiler can vectorize;
    // otherwise empty.
    span<T> packed() const
    {
        return stride_ == sizeof(T) ? span<T>(reinterpret_cast<T *>(base_), size_) : span<T>();
    }

private:
    byte *base_ = nullptr;
    size_t stride_ = 0;
    size_t size_ = 0;
};

} // namespace mica

#endif
