// C++: serialization. Save and load worlds.
//
//   if (world.save("game.mica") != MICA_OK) { ... }
//
//   mica::buffer image;
//   if (world.save(image) == MICA_OK && other.load(image) == MICA_OK) { ... }
//
// Images save the fields of types. Describe them in a mica::about<T> with MICA_DESCRIBE(), or set
// .plain, or hooks (mica/type.h). If a type without these has values, saving fails with
// MICA_ERROR_TYPE.
#ifndef MICA_HPP_IMAGE_HPP
#define MICA_HPP_IMAGE_HPP

#include <mica/hpp/face.hpp>

namespace mica {

// Growing memory, which is freed with the object. It belongs to no world.
class buffer {
public:
    buffer() = default;
    buffer(buffer &&other) noexcept : raw_(std::exchange(other.raw_, mica_buffer{})) {}
    buffer &operator=(buffer &&other) noexcept
    {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~buffer()
    {
        mica_buffer_free(&raw_);
    }

    const unsigned char *data() const
    {
        return raw_.data;
    }
    size_t size() const
    {
        return raw_.size;
    }
    // For a mica_stream.
    mica_buffer *raw()
    {
        return &raw_;
    }

private:
    mica_buffer raw_ = {};
};

namespace inside {

inline mica_result save(mica_world *world, const mica_stream &stream, mica_image_format format)
{
    mica_save_desc desc = {};
    desc.format = format;
    return mica_world_save(world, &stream, &desc);
}

} // namespace inside

inline mica_result face::save(const char *path, mica_image_format format) const
{
    mica_stream stream = {};
    stream.path = path;
    return inside::save(world_, stream, format);
}

inline mica_result face::save(buffer &image, mica_image_format format) const
{
    mica_stream stream = {};
    stream.buffer = image.raw();
    return inside::save(world_, stream, format);
}

inline mica_result face::load(const char *path, const mica_load_desc &how) const
{
    mica_stream stream = {};
    stream.path = path;
    return mica_world_load(world_, &stream, &how);
}

inline mica_result face::load(span<const unsigned char> image, const mica_load_desc &how) const
{
    mica_stream stream = {};
    stream.data = image.data();
    stream.size = image.size();
    return mica_world_load(world_, &stream, &how);
}

} // namespace mica

#endif
