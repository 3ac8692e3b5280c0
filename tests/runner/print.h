// What a function of mica that prints to a stream prints, as text:
//
//   char text[512];
//   TEST_PRINT(text, mica_entity_print, world, entity);
#ifndef TEST_RUNNER_PRINT_H
#define TEST_RUNNER_PRINT_H

#include <mica/stream.h>

// Fills the array `text`, truncated to its size. Returns the length of the whole text. A call that fails prints an
// empty text.
#define TEST_PRINT(text, print, ...)                                                               \
    test_print_end((print)(__VA_ARGS__, test_print_begin()), text, sizeof(text))

// The stream, which goes to a buffer; one at a time.
const mica_stream *test_print_begin(void);
size_t test_print_end(mica_result result, char *text, size_t size);

#endif
