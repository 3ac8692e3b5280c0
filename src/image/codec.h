// The codecs there are: how a writer and a reader (core/codec.h) are got for a stream.
//
// Room:    image. Signed by binary.c and json_encode.c; called by save.c and load.c.
#ifndef MICAI_IMAGE_CODEC_H
#define MICAI_IMAGE_CODEC_H

#include "base/stream.h"
#include "core/codec.h"

// NULL on failure, which has been reported: MICA_ERROR_MEMORY; MICA_ERROR_IMAGE, _VERSION of what does
// not begin as it should. Closing the writer writes what was held back, and the end; closing the reader
// looks for the end. Both return the first failure, or `result` if that was one, and free everything.
// Codec, host, call and failed are the codec's to fill in, the rest its user's.
typedef struct micai_codec {
    micai_writer *(*open_writer)(micai_host *host, const char *call, micai_output *output);
    mica_result (*close_writer)(micai_writer *w, mica_result result);
    micai_reader *(*open_reader)(micai_host *host, const char *call, micai_input *input);
    mica_result (*close_reader)(micai_reader *r, mica_result result);
} micai_codec;

extern const micai_codec micai_codec_binary;
extern const micai_codec micai_codec_json;

#endif
