// UTF-8 text: the length of characters, and which of them control a terminal.
//
// Room:    base. Called by base/ (printers and error sentences), core/ (names), inspect/ (traces) and
//          image/ (JSON).
#ifndef MICAI_BASE_TEXT_H
#define MICAI_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// Returns the size in bytes of the first character, or 0 if the text does not begin with a valid
// one.
size_t micai_text_character(const char *text, size_t size);

// Returns true for control characters: below a space, DEL, or U+0080 to U+009F.
bool micai_text_is_control(const char *text, size_t size);

#endif
