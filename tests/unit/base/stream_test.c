// Tests of src/base/stream.c and, below it, src/base/file.c: S2.9, streams.
#include "base/stream.h"

#include <mica/resource.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/capture.h"
#include "runner/folder.h"
#include "runner/host.h"
#include "runner/test.h"
#include "runner/world.h"
#include "state/state.h"

enum { LARGE = 200 * 1024 };

// Bytes that no place repeats soon.
static unsigned char byte_at(size_t place)
{
    return (unsigned char)(place * 31 + place / 251 + (place >> 16));
}

static const unsigned char *large(void)
{
    static unsigned char bytes[LARGE];
    for (size_t i = 0; i < LARGE; i++) {
        bytes[i] = byte_at(i);
    }
    return bytes;
}

// Writes LARGE bytes, in pieces of a size that changes all the time.
static void put_large(micai_output *output)
{
    size_t done = 0;
    for (size_t piece = 1; done < LARGE; piece = piece * 3 + 1) {
        size_t size = piece < LARGE - done ? piece : LARGE - done;
        micai_output_write(output, large() + done, size);
        done += size;
        piece = piece > 70000 ? 0 : piece;
    }
    CHECK(output->failed || output->count == LARGE);
}

static mica_result save_large(micai_host *host, const mica_stream *stream)
{
    micai_output output;
    mica_result result =
        micai_output_open(&output, host, "mica_image_save", stream, MICAI_OUTPUT_SMALL);
    if (!result) {
        put_large(&output);
        result = micai_output_close(&output, MICA_OK);
    }
    return result;
}

static mica_result load_large(micai_host *host, const mica_stream *stream, bool known)
{
    micai_input input;
    mica_result result = micai_input_open(&input, host, "mica_image_load", stream);
    size_t done = 0;
    unsigned char *got = malloc(LARGE + 1);
    for (size_t piece = 1; !result && done < LARGE; piece = piece * 3 + 1) {
        CHECK_EQUAL(known ? LARGE - done : UINT64_MAX, micai_input_left(&input));
        CHECK_EQUAL(done, micai_input_position(&input));
        size_t size = piece < LARGE - done ? piece : LARGE - done;
        size_t count = micai_input_read(&input, got + done, size);
        done += count;
        piece = piece > 70000 ? 0 : piece;
        if (count < size) {
            break;
        }
    }
    if (!result) {
        result = input.failed;
        if (!result) {
            CHECK_EQUAL(LARGE, done);
            CHECK_EQUAL(0, micai_input_read(&input, got, 1));
            CHECK_EQUAL(0, micai_input_left(&input));
            CHECK(memcmp(got, large(), LARGE) == 0);
        }
        micai_input_close(&input);
    }
    free(got);
    return result;
}

static void a_file_comes_back_as_it_was_written(void) // S2.9
{
    test_host t;
    micai_host *host = test_host_begin(&t);
    test_folder folder;
    test_folder_begin(&folder);
    const mica_stream stream = {.path = test_folder_path(&folder, "large")};
    CHECK_EQUAL(MICA_OK, save_large(host, &stream));
    CHECK_EQUAL(1, test_folder_count(&folder));
    CHECK_EQUAL(MICA_OK, load_large(host, &stream, true));
    CHECK_EQUAL(MICA_OK, save_large(host, &stream)); // over what is there
    CHECK_EQUAL(1, test_folder_count(&folder));
    CHECK_EQUAL(MICA_OK, load_large(host, &stream, true));
    test_folder_end(&folder);
    test_host_end(&t);
}

TEST_WITH(test_host, t, a_buffer_comes_back_as_it_was_written)
{
    micai_host *host = &t->host;
    mica_buffer buffer = {.allocator = t->memory.allocator};
    const mica_stream stream = {.buffer = &buffer};
    CHECK_EQUAL(MICA_OK, save_large(host, &stream));
    CHECK_EQUAL(0, host->memory.bytes); // which does not count the buffer
    CHECK_EQUAL(LARGE, buffer.size);
    CHECK_BYTES(large(), buffer.data, LARGE);
    CHECK_EQUAL(MICA_OK, load_large(host, &stream, true));
    CHECK_EQUAL(MICA_OK, save_large(host, &stream)); // replaces what it has
    CHECK_EQUAL(LARGE, buffer.size);
    CHECK_EQUAL(MICA_OK,
                load_large(host, &(mica_stream){.data = buffer.data, .size = buffer.size}, true));
    mica_buffer_free(&buffer);
    CHECK_POINTER(NULL, buffer.data);
    CHECK_EQUAL(0, buffer.size);
    mica_buffer_free(&buffer);
    mica_buffer_free(NULL);
    CHECK_EQUAL(MICA_OK, save_large(host, &stream)); // can be used again
    mica_buffer_free(&buffer);
    // By the C library's allocator, unless reported otherwise.
    mica_buffer plain = {0};
    CHECK_EQUAL(MICA_OK, save_large(host, &(mica_stream){.buffer = &plain}));
    CHECK_EQUAL(MICA_OK, load_large(host, &(mica_stream){.buffer = &plain}, true));
    mica_buffer_free(&plain);
}

// A pipe of the user's: gives and takes in uneven pieces, and fails where it is reported to.
typedef struct pipe_end {
    unsigned char *bytes;
    size_t size;
    size_t at;
    size_t fails_at; // bytes; 0: never
    const char *why;
    bool lies;
    mica_world *world;
    mica_type type;
} pipe_end;

static bool pipe_write(void *user, const void *data, size_t size)
{
    pipe_end *to = user;
    CHECK(size > 0);
    if (to->fails_at > 0 && to->size + size > to->fails_at) {
        return false;
    }
    memcpy(to->bytes + to->size, data, size);
    to->size += size;
    return true;
}

static size_t pipe_read(void *user, void *data, size_t size)
{
    pipe_end *from = user;
    CHECK(size > 0);
    if (from->fails_at > 0 && from->at >= from->fails_at) {
        return from->lies ? size + 1 : MICA_STREAM_FAILED;
    }
    size_t rest = from->size - from->at;
    size_t count = size / 3 + 1 < rest ? size / 3 + 1 : rest;
    memcpy(data, from->bytes + from->at, count);
    from->at += count;
    return count;
}

static const char *pipe_explain(void *user)
{
    return ((pipe_end *)user)->why;
}

TEST_WITH(test_host, t, functions_of_the_user_get_and_give_all_of_it)
{
    micai_host *host = &t->host;
    pipe_end pipe = {.bytes = malloc(LARGE)};
    const mica_stream stream = {.write = pipe_write, .read = pipe_read, .user = &pipe};
    CHECK_EQUAL(MICA_OK, save_large(host, &stream));
    CHECK_EQUAL(LARGE, pipe.size);
    CHECK_EQUAL(MICA_OK, load_large(host, &stream, false));
    free(pipe.bytes);
}

TEST_WITH(test_host, t, functions_that_fail_can_say_why)
{
    micai_host *host = &t->host;
    pipe_end pipe = {.bytes = malloc(LARGE), .fails_at = 100000, .why = "the line is dead"};
    mica_stream stream = {.write = pipe_write, .read = pipe_read, .user = &pipe};
    CHECK_EQUAL(MICA_ERROR_STREAM, save_large(host, &stream));
    CHECK_ERROR(t, MICA_ERROR_STREAM, "mica_image_save: the stream's write function failed");
    stream.explain = pipe_explain;
    pipe.size = 0;
    CHECK_EQUAL(MICA_ERROR_STREAM, save_large(host, &stream));
    CHECK_ERROR(t, MICA_ERROR_STREAM,
                "mica_image_save: the stream's write function failed: the line is dead");
    pipe.size = 0;
    pipe.why = NULL;
    CHECK_EQUAL(MICA_ERROR_STREAM, save_large(host, &stream));
    CHECK_ERROR(t, MICA_ERROR_STREAM, "mica_image_save: the stream's write function failed");
    pipe.size = LARGE;
    memcpy(pipe.bytes, large(), LARGE);
    pipe.why = "no carrier";
    CHECK_EQUAL(MICA_ERROR_STREAM, load_large(host, &stream, false));
    CHECK_ERROR(t, MICA_ERROR_STREAM,
                "mica_image_load: the stream's read function failed: no carrier");
    free(pipe.bytes);
}

TEST_WITH(test_host, t, a_function_that_gives_more_than_it_was_asked_for_is_caught)
{
    micai_host *host = &t->host;
    pipe_end pipe = {.bytes = malloc(LARGE), .size = LARGE, .fails_at = 1, .lies = true};
    memcpy(pipe.bytes, large(), LARGE);
    const mica_stream stream = {.read = pipe_read, .user = &pipe};
    CHECK_EQUAL(MICA_ERROR_STREAM, load_large(host, &stream, false));
    CHECK_ERROR(t, MICA_ERROR_STREAM,
                "mica_image_load: the stream's read function gave 65537 bytes for 65536");
    free(pipe.bytes);
}

static bool write_into_world(void *user, const void *data, size_t size)
{
    pipe_end *to = user;
    CHECK(data && size > 0);
    CHECK_EQUAL(0, mica_entity_count(to->world));
    CHECK_EQUAL(MICA_ERROR_HANDLER, mica_resource_set(to->world, MICA_ADD(to->type)));
    return true;
}

static pipe_end of_world;

static void save_one_byte(void)
{
    const mica_stream stream = {.write = write_into_world, .user = &of_world};
    micai_output output;
    CHECK_EQUAL(MICA_OK, micai_output_open(&output, &of_world.world->host, "mica_image_save",
                                           &stream, MICAI_OUTPUT_SMALL));
    micai_output_write(&output, "x", 1);
    CHECK_EQUAL(MICA_OK, micai_output_close(&output, MICA_OK));
}

TEST_WITH(test_world, t, functions_may_look_at_the_world_but_not_change_it)
{
    mica_world *world = t->world;
    char reported[512];
    of_world.world = world;
    of_world.type =
        mica_type_register(world, &(mica_type_desc){.name = "T", .size = 4, .align = 4});
    test_capture_stderr(save_one_byte, reported, sizeof reported); // as inside an error handler
    CHECK_TEXT("mica: mica_resource_set: refused inside the stream handler, which may look at "
               "the world but not change it\n",
               reported);
    CHECK_EQUAL(MICA_OK, mica_resource_set(world, MICA_ADD(of_world.type)));
}

static void check_whole(test_folder *folder, const char *path)
{
    char was[8];
    CHECK_EQUAL(3, test_file_read(path, was, sizeof was));
    CHECK_BYTES("old", was, 3);
    CHECK_EQUAL(1, test_folder_count(folder));
}

TEST_WITH(test_host, t, saving_that_fails_leaves_the_old_file_and_nothing_beside_it)
{
    micai_host *host = &t->host;
    test_folder folder;
    test_folder_begin(&folder);
    const char *path = test_folder_path(&folder, "saved");
    test_file_write(path, "old", 3);
    const mica_stream stream = {.path = path};
    micai_output output;
    CHECK_EQUAL(MICA_OK,
                micai_output_open(&output, host, "mica_image_save", &stream, MICAI_OUTPUT_SMALL));
    CHECK_EQUAL(2, test_folder_count(&folder));
    put_large(&output);
    CHECK_EQUAL(MICA_ERROR_TYPE, micai_output_close(&output, MICA_ERROR_TYPE)); // whoever failed
    check_whole(&folder, path);
    for (uint64_t k = 1; k <= 2; k++) {
        test_memory_fail_at(&t->memory, k, TEST_MEMORY_ONCE);
        CHECK_EQUAL(MICA_ERROR_MEMORY, save_large(host, &stream));
        CHECK_EQUAL(1, test_error_clear(&t->error));
        check_whole(&folder, path);
    }
    test_memory_fail_at(&t->memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, load_large(host, &stream, true));
    CHECK_EQUAL(1, test_error_clear(&t->error));
    test_memory_fail_at(&t->memory, 0, TEST_MEMORY_ONCE);
    test_folder_end(&folder);
}

TEST_WITH(test_host, t, a_buffer_that_cannot_grow_is_as_it_was)
{
    micai_host *host = &t->host;
    test_memory memory;
    test_memory_begin(&memory);
    mica_buffer buffer = {.allocator = memory.allocator};
    const mica_stream stream = {.buffer = &buffer};
    CHECK_EQUAL(MICA_OK, save_large(host, &stream));
    const mica_buffer before = buffer;
    uint64_t k = 1;
    for (mica_result result = MICA_ERROR_MEMORY; result; k++) {
        test_memory_fail_at(&memory, k, TEST_MEMORY_ONCE);
        result = save_large(host, &stream);
        if (result) {
            CHECK_EQUAL(MICA_ERROR_MEMORY, result);
            CHECK_EQUAL(1, test_error_clear(&t->error));
            CHECK(memcmp(&before, &buffer, sizeof before) == 0);
            CHECK_BYTES(large(), buffer.data, LARGE);
        }
    }
    CHECK(k > 3);
    test_memory_fail_at(&memory, 0, TEST_MEMORY_ONCE);
    mica_buffer_free(&buffer);
    test_memory_end(&memory);
}

TEST_WITH(test_host, t, a_stream_is_one_thing_and_not_two)
{
    micai_host *host = &t->host;
    mica_buffer buffer = {0};
    mica_buffer garbage = {.size = 7};
    const struct {
        mica_stream stream;
        bool writes;
        mica_result code;
        const char *sentence;
    } rows[] = {
        {{.first_zero = 1, .path = "x"},
         true,
         MICA_ERROR_DESC,
         "mica_x: the mica_stream was not zeroed"},
        {{.last_zero = 1, .path = "x"},
         false,
         MICA_ERROR_DESC,
         "mica_x: the mica_stream was not zeroed"},
        {{.path = NULL},
         true,
         MICA_ERROR_ARGUMENT,
         "mica_x: the stream has none of path, buffer, data and functions"},
        {{.path = "x", .buffer = &buffer},
         true,
         MICA_ERROR_ARGUMENT,
         "mica_x: the stream has more than one of path, buffer, data and functions"},
        {{.buffer = &buffer, .read = pipe_read},
         false,
         MICA_ERROR_ARGUMENT,
         "mica_x: the stream has more than one of path, buffer, data and functions"},
        {{.data = "x", .size = 1},
         true,
         MICA_ERROR_ARGUMENT,
         "mica_x: the stream has data, which can be read only"},
        {{.size = 1}, false, MICA_ERROR_NULL, "mica_x: stream.data is null"},
        {{.read = pipe_read},
         true,
         MICA_ERROR_ARGUMENT,
         "mica_x: the stream has no function that writes"},
        {{.write = pipe_write},
         false,
         MICA_ERROR_ARGUMENT,
         "mica_x: the stream has no function that reads"},
        {{.path = ""}, false, MICA_ERROR_ARGUMENT, "mica_x: the stream's path is empty"},
        {{.buffer = &garbage},
         true,
         MICA_ERROR_ARGUMENT,
         "mica_x: the stream's buffer was not zeroed before its first use"},
        {{.path = "/no/such/folder/file"},
         true,
         MICA_ERROR_STREAM,
         "mica_x: '/no/such/folder/file' cannot be written: there is no such file or folder"},
        {{.path = "/no/such/file"},
         false,
         MICA_ERROR_STREAM,
         "mica_x: '/no/such/file' cannot be read: there is no such file or folder"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        micai_output output;
        micai_input input;
        CHECK_EQUAL(rows[i].code, rows[i].writes
                                      ? micai_output_open(&output, host, "mica_x", &rows[i].stream,
                                                          MICAI_OUTPUT_SMALL)
                                      : micai_input_open(&input, host, "mica_x", &rows[i].stream));
        CHECK_ERROR(t, rows[i].code, rows[i].sentence);
    }
    micai_input input;
    CHECK_EQUAL(MICA_ERROR_NULL, micai_input_open(&input, host, "mica_x", NULL));
    CHECK_ERROR(t, MICA_ERROR_NULL, "mica_x: stream is null");
}

TEST_WITH(test_host, t, folders_and_devices_are_not_written_to)
{
    micai_host *host = &t->host;
    test_folder folder;
    test_folder_begin(&folder);
    char sentence[TEST_PATH_SIZE];
    const mica_stream stream = {.path = folder.name};
    micai_output output;
    micai_input input;
    CHECK_EQUAL(MICA_ERROR_STREAM,
                micai_output_open(&output, host, "mica_x", &stream, MICAI_OUTPUT_SMALL));
    snprintf(sentence, sizeof sentence, "mica_x: '%s' cannot be written: it is a folder",
             folder.name);
    CHECK_ERROR(t, MICA_ERROR_STREAM, sentence);
    CHECK_EQUAL(MICA_ERROR_STREAM, micai_input_open(&input, host, "mica_x", &stream));
    snprintf(sentence, sizeof sentence, "mica_x: '%s' cannot be read: it is a folder", folder.name);
    CHECK_ERROR(t, MICA_ERROR_STREAM, sentence);
#ifndef _WIN32 // whose devices have no path
    const mica_stream device = {.path = "/dev/null"};
    CHECK_EQUAL(MICA_ERROR_STREAM,
                micai_output_open(&output, host, "mica_x", &device, MICAI_OUTPUT_SMALL));
    CHECK_ERROR(t, MICA_ERROR_STREAM,
                "mica_x: '/dev/null' cannot be written: it is no ordinary file");
    CHECK_EQUAL(MICA_OK, micai_input_open(&input, host, "mica_x", &device));
    CHECK_EQUAL(UINT64_MAX, micai_input_left(&input));
    char byte;
    CHECK_EQUAL(0, micai_input_read(&input, &byte, 1));
    CHECK_EQUAL(MICA_OK, input.failed);
    micai_input_close(&input);
#endif
    test_folder_end(&folder);
}

static void why_is_said_in_words_or_by_number(void)
{
    char text[MICAI_FILE_REASON_SIZE];
    CHECK_TEXT("error 9999 of the system", micai_file_reason_text(9999, text));
}

TESTS(stream, a_file_comes_back_as_it_was_written, a_buffer_comes_back_as_it_was_written,
      functions_of_the_user_get_and_give_all_of_it, functions_that_fail_can_say_why,
      a_function_that_gives_more_than_it_was_asked_for_is_caught,
      functions_may_look_at_the_world_but_not_change_it,
      saving_that_fails_leaves_the_old_file_and_nothing_beside_it,
      a_buffer_that_cannot_grow_is_as_it_was, a_stream_is_one_thing_and_not_two,
      folders_and_devices_are_not_written_to, why_is_said_in_words_or_by_number)
