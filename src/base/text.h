// Text: characters in UTF-8, and which of them a terminal obeys instead of showing them.
//
// Room:    base. Called by printers, sentences, core/ (names), world/ (traces) and image/ (JSON).
#ifndef MICAI_BASE_TEXT_H
#define MICAI_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// How many bytes the character has that begins here, of so many bytes; 0: they begin with none.
size_t micai_text_character(const char *text, size_t size);

// Is it a control character: below a space, DEL, or one of U+0080 to U+009F?
bool micai_text_is_control(const char *text, size_t size);

#endif
