// Converts floating-point numbers to text and back, bit for bit. The text is the shortest that
// reads as the same number. Locale, machine and rounding mode have no influence, since all
// arithmetic is on integers.
//
// Room:    image. Called by json_write.c, json_read.c.
//
//   0.1  -0.0  1.0  16777216.0  1e16  1.5e-7       a number is as long as necessary
//   NaN  Infinity  -Infinity                       JSON has no such numbers: these are strings
//   NaN(0xffc00001)                                all bits of any other NaN
//
// The usual NaN is quiet and positive, without a payload: 0x7fc00000 of 4 bytes, 0x7ff8000000000000
// of 8.
#ifndef MICAI_IMAGE_JSON_NUMBER_INTERNAL_H
#define MICAI_IMAGE_JSON_NUMBER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICAI_JSON_REAL_SIZE 32u   // space for the longest text, with its terminating zero
#define MICAI_JSON_NUMBER_MAX 128u // characters of a number that is read

// Prints the float of `size` bytes, 4 or 8, with these bits. Returns the length of the text. Sets
// *number_out to false if the text must be a string.
uint32_t micai_json_print_real(uint64_t bits, uint32_t size, char text[MICAI_JSON_REAL_SIZE],
                               bool *number_out);

// Passes out the bits of the float nearest to a number in JSON syntax, which ends with a zero. If
// two floats are equally near, takes the even one. Returns false if the number is beyond all floats
// of that size.
bool micai_json_scan_real(const char *text, uint32_t size, uint64_t *bits_out);

// Does the same for the strings that replace numbers. Returns false for any other string.
bool micai_json_scan_special(const char *text, uint32_t size, uint64_t *bits_out);

// Returns the value of a hexadecimal digit, 0 to 9 or a to f, or -1.
static inline int micai_json_hex_digit(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
