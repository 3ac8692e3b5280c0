// Serializing in one direction, for tests of codecs: what is written comes as a value, and what is read as a result.
#ifndef TEST_UNIT_IMAGE_ONE_WAY_H
#define TEST_UNIT_IMAGE_ONE_WAY_H

#include "core/archive.h"

#define micai_write(a, what, ...) micai_write_##what(a, __VA_ARGS__)
#define micai_read(a, what, ...) micai_read_##what(a, __VA_ARGS__)

#define micai_write_begin_section(a, name) micai_serialize(a, begin_section, name)
#define micai_write_end_section(a, name) micai_serialize(a, end_section, name)
#define micai_write_begin_object(a, name) micai_serialize(a, begin_object, name)
#define micai_write_end(a, name) micai_serialize(a, end, name)
#define micai_write_numbers(a, name, list, count)                                                  \
    micai_serialize(a, numbers, name, (uint64_t *)(list), count)
#define micai_write_entities(a, name, list, count)                                                 \
    micai_serialize(a, entities, name, (mica_entity *)(list), count)
#define micai_write_flags(a, name, list, count)                                                    \
    micai_serialize(a, flags, name, (unsigned char *)(list), count)

static inline void micai_write_begin_list(micai_archive *a, const char *name, uint32_t count)
{
    micai_serialize(a, begin_list, name, &count, UINT32_MAX);
}

static inline void micai_write_number(micai_archive *a, const char *name, uint64_t number)
{
    micai_serialize(a, number, name, &number, UINT64_MAX);
}

static inline void micai_write_flag(micai_archive *a, const char *name, bool flag)
{
    micai_serialize(a, flag, name, &flag);
}

static inline void micai_write_type(micai_archive *a, const char *name, uint32_t number)
{
    micai_serialize(a, type, name, &number);
}

#define micai_read_begin_section(a, name) micai_serialize(a, begin_section, name)
#define micai_read_end_section(a, name) micai_serialize(a, end_section, name)
#define micai_read_begin_object(a, name) micai_serialize(a, begin_object, name)
#define micai_read_end(a, name) micai_serialize(a, end, name)
#define micai_read_numbers(a, name, list, count) micai_serialize(a, numbers, name, list, count)
#define micai_read_entities(a, name, list, count) micai_serialize(a, entities, name, list, count)
#define micai_read_flags(a, name, list, count) micai_serialize(a, flags, name, list, count)

static inline uint32_t micai_read_begin_list(micai_archive *a, const char *name, uint32_t max)
{
    uint32_t count;
    micai_serialize(a, begin_list, name, &count, max);
    return count;
}

static inline uint64_t micai_read_number(micai_archive *a, const char *name, uint64_t max)
{
    uint64_t number;
    micai_serialize(a, number, name, &number, max);
    return number;
}

static inline bool micai_read_flag(micai_archive *a, const char *name)
{
    bool flag;
    micai_serialize(a, flag, name, &flag);
    return flag;
}

static inline uint32_t micai_read_type(micai_archive *a, const char *name)
{
    uint32_t number;
    micai_serialize(a, type, name, &number);
    return number;
}

static inline void micai_write_integer(micai_archive *a, const char *name, int64_t number)
{
    micai_serialize(a, integer, name, &number);
}

static inline void micai_write_real(micai_archive *a, const char *name, double real)
{
    micai_serialize(a, real, name, &real);
}

static inline void micai_write_text(micai_archive *a, const char *name, const char *text)
{
    micai_serialize(a, text, name, &text);
}

static inline void micai_write_bytes(micai_archive *a, const char *name, const char *data,
                                     uint32_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    micai_serialize(a, bytes, name, &bytes, &size);
}

static inline void micai_write_entity(micai_archive *a, const char *name, mica_entity entity)
{
    micai_serialize(a, entity, name, &entity);
}

static inline void micai_write_values(micai_archive *a, const char *name,
                                      const micai_schema_type *type, const void *values,
                                      uint32_t count)
{
    micai_serialize(a, values, name, type, (unsigned char *)values, count);
}

static inline int64_t micai_read_integer(micai_archive *a, const char *name)
{
    int64_t number;
    micai_serialize(a, integer, name, &number);
    return number;
}

static inline double micai_read_real(micai_archive *a, const char *name)
{
    double real;
    micai_serialize(a, real, name, &real);
    return real;
}

static inline const char *micai_read_text(micai_archive *a, const char *name)
{
    const char *text;
    micai_serialize(a, text, name, &text);
    return text;
}

static inline const unsigned char *micai_read_bytes(micai_archive *a, const char *name,
                                                    uint32_t *size)
{
    const unsigned char *bytes;
    micai_serialize(a, bytes, name, &bytes, size);
    return bytes;
}

static inline mica_entity micai_read_entity(micai_archive *a, const char *name)
{
    mica_entity entity;
    micai_serialize(a, entity, name, &entity);
    return entity;
}

#define micai_read_values(a, name, type, values_out, count)                                        \
    micai_serialize(a, values, name, type, values_out, count)

#endif
