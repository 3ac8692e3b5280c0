// A fuzz target: JSON as text. What the reader accepts is written again, token by token, and read again:
// the second time it must be the same, and stay the same. Run by tools/fuzz.sh, and over its corpus by
// `make test`.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/json_read_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "must be: %s\n", what);
        abort();
    }
}

static void stay_quiet(mica_world *world, const mica_error *error, void *user)
{
    (void)world, (void)user;
    must(error->code != MICA_OK && strncmp(error->sentence, "fuzz: ", 6) == 0, "a sentence");
}

static void copy_token(micai_json_reader *r, micai_json_writer *w, const char *key)
{
    uint64_t bits;
    int64_t number;
    micai_json_style style = r->depth % 2 ? MICAI_JSON_TALL : MICAI_JSON_FULL;
    switch (r->token) {
    case MICAI_JSON_OBJECT: micai_json_open_object(w, key, style); break;
    case MICAI_JSON_LIST: micai_json_open_list(w, key, style); break;
    case MICAI_JSON_CLOSE: micai_json_close(w); break;
    case MICAI_JSON_TEXT:
        if (micai_json_scan_special(r->text, 4, &bits)) {
            micai_json_write_real(w, key, bits, 4);
        } else {
            micai_json_write_text(w, key, r->text, r->size);
        }
        break;
    case MICAI_JSON_INTEGER:
        if (micai_json_to_unsigned(r, &bits)) {
            micai_json_write_unsigned(w, key, bits);
        } else if (micai_json_to_signed(r, &number)) {
            micai_json_write_signed(w, key, number);
        } else {
            micai_json_write_null(w, key);
        }
        break;
    case MICAI_JSON_REAL:
        if (micai_json_scan_real(r->text, 8, &bits)) {
            micai_json_write_real(w, key, bits, 8);
        } else {
            micai_json_write_null(w, key);
        }
        break;
    case MICAI_JSON_NULL: micai_json_write_null(w, key); break;
    default: micai_json_write_bool(w, key, r->token == MICAI_JSON_TRUE); break;
    }
}

// Copies the document. False: it is none.
static bool copy(micai_host *host, const mica_stream *from, const mica_stream *to)
{
    micai_input input;
    micai_output output;
    micai_json_reader r;
    micai_json_writer w;
    char *key = NULL;
    must(!micai_input_open(&input, host, "fuzz", from), "an input");
    must(!micai_output_open(&output, host, "fuzz", to, MICAI_OUTPUT_SMALL), "an output");
    micai_json_reader_begin(&r, host, "fuzz", &input);
    micai_json_begin(&w, &output);
    while (micai_json_next(&r)) {
        if (r.token == MICAI_JSON_KEY) {
            must(strlen(r.text) == r.size, "a key that is a C string");
            key = malloc(r.size + 1);
            memcpy(key, r.text, r.size + 1);
        } else {
            copy_token(&r, &w, key);
            free(key);
            key = NULL;
        }
    }
    free(key);
    bool good = !r.failed;
    if (good) {
        micai_json_end(&w);
    }
    micai_json_reader_end(&r);
    micai_input_close(&input);
    mica_result result = micai_output_close(&output, good ? MICA_OK : MICA_ERROR_IMAGE);
    must((result == MICA_OK) == good, "an output that can be closed");
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    micai_host host;
    micai_host_init(&host);
    host.error_handler = stay_quiet;
    mica_buffer first = {0};
    mica_buffer second = {0};
    static const uint8_t nothing[1];
    const mica_stream given = {.data = size > 0 ? data : nothing, .size = size};
    if (copy(&host, &given, &(mica_stream){.buffer = &first})) {
        must(copy(&host, &(mica_stream){.buffer = &first}, &(mica_stream){.buffer = &second}),
             "a document that is read again");
        must(first.size == second.size && memcmp(first.data, second.data, first.size) == 0,
             "the same again");
    }
    mica_buffer_free(&first);
    mica_buffer_free(&second);
    must(host.memory.bytes == 0, "no memory left");
    return 0;
}
