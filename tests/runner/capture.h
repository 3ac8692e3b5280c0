// What is printed to standard error.
#ifndef TEST_RUNNER_CAPTURE_H
#define TEST_RUNNER_CAPTURE_H

// Calls `act` and fills `text` with what it prints to standard error. Skips the test where there is
// nothing to catch it in. `act` must not leave the test: no REQUIRE in there.
void test_capture_stderr(void (*act)(void), char *text, int text_size);

#endif
