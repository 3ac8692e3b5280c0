// Floating-point numbers as text, and back, bit for bit: the shortest text that is read as the same
// number, whatever the locale, the machine and its way of rounding. Only integers are calculated with.
//
// Room:    image. Called by json_write.c, json_read.c.
//
//   0.1  -0.0  1.0  16777216.0  1e16  1.5e-7       a number is as long as it must be
//   NaN  Infinity  -Infinity                       JSON has no such numbers: these are strings
//   NaN(0xffc00001)                                all bits, of a NaN that is not the usual one
//
// The usual NaN is quiet, positive and has no payload: 0x7fc00000 of 4 bytes, 0x7ff8000000000000 of 8.
#ifndef MICAI_IMAGE_JSON_NUMBER_INTERNAL_H
#define MICAI_IMAGE_JSON_NUMBER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICAI_JSON_REAL_SIZE 32u   // room for the text of any, terminating zero included
#define MICAI_JSON_NUMBER_MAX 128u // characters of a number that is read

// Prints the float of `size` bytes, 4 or 8, that these bits are. Returns how many characters; *number_out
// says whether they are a number, or else a string.
uint32_t micai_json_print_real(uint64_t bits, uint32_t size, char text[MICAI_JSON_REAL_SIZE],
                               bool *number_out);

// The bits of the float that is nearest to a number, written as JSON has it, with a zero behind it; of two
// equally near, the even one. False: it is beyond all floats of that size.
bool micai_json_scan_real(const char *text, uint32_t size, uint64_t *bits_out);

// The same of a string, for what JSON has no numbers for. False: it is none of these.
bool micai_json_scan_special(const char *text, uint32_t size, uint64_t *bits_out);

// The value of a hexadecimal digit, 0 to 9 or a to f; -1: it is none.
static inline int micai_json_hex_digit(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
