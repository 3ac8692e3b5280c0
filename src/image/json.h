// The JSON codec: the same content as text, to be read, compared and, with care, edited.
//
//   {
//     "mica_image": 1,                          the version of the format
//     "world": {                                a section is an object
//       "tick": 7
//     },
//     "tables": {
//       "tables_count": 1,                      how long a list is stands before it
//       "tables": [
//         ...
//           "values": [
//             {"x": 1.0, "name": "caf\u00e9", "friend": "12.3", "mood": "glad"}     a value in a line
//
// Members of sections and objects come in their order. Fields of values may come in any, but all of them
// must. How each is written:
//
//   integers    as numbers, exactly             bool     true, false
//   floats      the shortest that comes back    char     a string; of several, text up to the first zero
//   entities    "slot.generation", or null      enums    the name of the value, or a number if it has none
//   structs     objects                         bytes    {"bytes": "00ff"}, and so text that is not UTF-8
//   arrays      lists                           types    by name
//
// json_number.h says how floats are, json_read.h what is not accepted. An entity of bits that no handle
// has is their number.
//
// Room:    image. Reached by micai_codec_json; its two halves are json_encode.c and json_decode.c.
#ifndef MICAI_IMAGE_JSON_H
#define MICAI_IMAGE_JSON_H

#include <stdio.h>

#include "image/codec.h"

#define MICAI_JSON_VERSION_KEY "mica_image"

micai_writer *micai_json_open_writer(micai_host *host, const char *call, micai_output *output);
mica_result micai_json_close_writer(micai_writer *w, mica_result result);
micai_reader *micai_json_open_reader(micai_host *host, const char *call, micai_input *input);
mica_result micai_json_close_reader(micai_reader *r, mica_result result);

// The key of how many items the list of that name has.
#define MICAI_JSON_COUNT_KEY_SIZE 64u
static inline const char *micai_json_count_key(const char *name,
                                               char key[MICAI_JSON_COUNT_KEY_SIZE])
{
    snprintf(key, MICAI_JSON_COUNT_KEY_SIZE, "%s_count", name);
    return key;
}

#endif
