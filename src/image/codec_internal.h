// The codecs: how to open an archive (core/archive.h) for a stream.
//
// Room:    image. Implemented by binary.c and json.c. Called by save.c and load.c.
#ifndef MICAI_IMAGE_CODEC_INTERNAL_H
#define MICAI_IMAGE_CODEC_INTERNAL_H

#include "base/stream.h"
#include "core/archive.h"

// `open` opens an archive that writes to the output or, if that is NULL, reads from the input. It
// returns NULL with a report on failure: MICA_ERROR_MEMORY, or MICA_ERROR_IMAGE and _VERSION if the
// input has a wrong beginning.
//
// `close` writes pending data and the end of an image, or checks the end of one that was read. It
// returns the first failure, or `result` if that is one, and frees everything. The codec fills in
// calls, reading, host, call, failed, version and text. Its user fills in the rest.
typedef struct micai_codec {
    micai_archive *(*open)(micai_host *host, const char *call, micai_output *output,
                           micai_input *input);
    mica_result (*close)(micai_archive *a, mica_result result);
} micai_codec;

extern const micai_codec micai_codec_binary;
extern const micai_codec micai_codec_json;

#endif
