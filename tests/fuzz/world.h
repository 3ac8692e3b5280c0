// What fuzz targets do with worlds: loads whatever it is, and what could be loaded is looked at from all
// sides, saved in both formats and loaded again: the same must come of it.
#ifndef TEST_FUZZ_WORLD_H
#define TEST_FUZZ_WORLD_H

#include <mica.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "must be: %s\n", what);
        abort();
    }
}

static inline void stay_quiet(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)user;
    must(error->code != MICA_ERROR_CORRUPT, "a world that is whole");
}

static inline mica_world *new_world(void)
{
    mica_world *world = mica_world_new(&(mica_world_desc){.error_handler = stay_quiet});
    must(world != NULL, "a world");
    return world;
}

// What was loaded before may be loaded again, whatever memory it takes: in another format it may be smaller.
static inline bool load_again(mica_world *world, const mica_buffer *buffer)
{
    const mica_load_desc desc = {.unknown = MICA_UNKNOWN_KEPT, .memory_max = UINT64_MAX};
    const mica_stream stream = {.data = buffer->data, .size = buffer->size};
    mica_result result = mica_world_load(world, &stream, &desc);
    must(mica_world_validate(world) == MICA_OK, "a world that is valid");
    return result == MICA_OK;
}

// No image takes more memory than mica/image.h says.
static inline void check_memory(mica_world *world, size_t before, size_t size)
{
    size_t most = ((size_t)128 << 20) + 128 * size;
    must(mica_world_get_stats(world).memory.peak_bytes <= before + most,
         "as much memory as is allowed");
}

static inline bool load(mica_world *world, const void *data, size_t size)
{
    const mica_load_desc desc = {.unknown = MICA_UNKNOWN_KEPT};
    size_t before = mica_world_get_stats(world).memory.bytes;
    mica_result result = mica_world_load(world, &(mica_stream){.data = data, .size = size}, &desc);
    check_memory(world, before, size);
    must(mica_world_validate(world) == MICA_OK, "a world that is valid");
    return result == MICA_OK;
}

// False: names in it are not UTF-8, and cannot be JSON.
static inline bool save(mica_world *world, mica_image_format format, mica_buffer *buffer)
{
    const mica_save_desc desc = {.format = format};
    mica_result result = mica_world_save(world, &(mica_stream){.buffer = buffer}, &desc);
    must(!result || (format == MICA_IMAGE_JSON && result == MICA_ERROR_NAME),
         "a world that is saved");
    return !result;
}

static inline void look(mica_iter *it)
{
    (void)it;
}

// A program that has the names of tests/unit/image/cast.c, and so what images have of that.
static inline void add_program(mica_world *world, mica_type type)
{
    const mica_query_desc news = {.name = "moved", .terms = {{type, MICA_WITH | MICA_CHANGED}}};
    mica_query_new(world, &news);
    mica_phase slow = mica_phase_add(world, &(mica_phase_desc){.name = "slow", .fixed_dt = 0.4f});
    mica_system_add(world, &(mica_system_desc){.name = "watch",
                                               .update = look,
                                               .query.terms = {{type, MICA_WITH | MICA_ADDED}}});
    mica_system_desc follow = {.name = "follow", .update = look, .phase = slow};
    follow.query.terms[0] = news.terms[0];
    uint32_t events = 0;
    for (; !MICA_IS_NONE(type) && events < MICA_SYSTEM_USES_MAX;
         type = mica_type_next(world, type)) {
        if (mica_type_get_info(world, type)->size > 0) {
            follow.events[events++] = (mica_term){type, MICA_READ};
        }
    }
    mica_system_add(world, &follow);
    must(mica_world_validate(world) == MICA_OK, "a world that is valid with a program");
}

// Every value, by queries; then changes, so that what is wrong behind the scenes comes out.
static inline void use(mica_world *world)
{
    for (mica_type type = mica_type_next(world, (mica_type){0}); !MICA_IS_NONE(type);
         type = mica_type_next(world, type)) {
        mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_WITH}}});
        mica_iter it;
        uint32_t count = 0;
        mica_iter_begin(world, query, &it);
        while (mica_iter_next(&it)) {
            count += it.count;
        }
        must(count == mica_query_count(world, query), "as many as are counted");
        mica_query_free(world, query);
    }
    mica_type first = mica_type_next(world, (mica_type){0});
    if (!MICA_IS_NONE(first)) {
        add_program(world, first);
    }
    for (int i = 0; i < 20; i++) {
        mica_entity entity = mica_spawn_values(world, NULL, 0);
        mica_type type = mica_type_next(world, (mica_type){0});
        if (!MICA_IS_NONE(type) && !MICA_IS_NONE(entity)) {
            mica_add(world, entity, type);
        }
    }
    mica_despawn(world, mica_entity_next(world, (mica_entity){0}));
    mica_step(world, 0.1f);
    must(mica_world_validate(world) == MICA_OK, "a world that is valid after a while");
}

// By way of a format, and back.
static inline void check_again(mica_world *first, mica_image_format format)
{
    mica_buffer binary = {0};
    mica_buffer other = {0};
    mica_buffer again = {0};
    mica_world *second = new_world();
    save(first, MICA_IMAGE_BINARY, &binary);
    if (save(first, format, &other)) {
        must(load_again(second, &other), "an image that is loaded again");
        save(second, MICA_IMAGE_BINARY, &again);
        must(again.size == binary.size && memcmp(again.data, binary.data, again.size) == 0,
             "the same again");
        use(second);
    }
    mica_buffer_free(&binary);
    mica_buffer_free(&other);
    mica_buffer_free(&again);
    mica_world_free(second);
}

static inline void try_to_load(const void *data, size_t size)
{
    static const uint8_t nothing[1];
    mica_world *world = new_world();
    if (load(world, size > 0 ? data : nothing, size)) {
        check_again(world, MICA_IMAGE_BINARY);
        check_again(world, MICA_IMAGE_JSON);
    }
    mica_world_free(world);
}

#endif
