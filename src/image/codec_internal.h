// The codecs there are: how an archive (core/archive.h) is opened for a stream.
//
// Room:    image. Implemented by binary.c and json.c. Called by save.c and load.c.
#ifndef MICAI_IMAGE_CODEC_INTERNAL_H
#define MICAI_IMAGE_CODEC_INTERNAL_H

#include "base/stream.h"
#include "core/archive.h"

// Opens an archive that is written to the output or, if that is NULL, read from the input. NULL on failure, which
// has been reported: MICA_ERROR_MEMORY; MICA_ERROR_IMAGE, _VERSION if the input does not begin as it should.
//
// Closing one that is written writes what was held back, and the end; closing one that is read looks for the end.
// It returns the first failure, or `result` if that was one, and frees everything. Calls, reading, host, call,
// failed, version and text are filled in by the codec, the rest by its user.
typedef struct micai_codec {
    micai_archive *(*open)(micai_host *host, const char *call, micai_output *output,
                           micai_input *input);
    mica_result (*close)(micai_archive *a, mica_result result);
} micai_codec;

extern const micai_codec micai_codec_binary;
extern const micai_codec micai_codec_json;

#endif
