// Standard error goes into a temporary file for a while.
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L // dup(), fileno()
#endif

#include "runner/capture.h"
#include "runner/test.h"

#include <stdio.h>
#include <string.h>

#ifdef _WIN32
#include <io.h>
#define dup _dup
#define dup2 _dup2
#define fileno _fileno
#else
#include <unistd.h>
#endif

void test_capture_stderr(void (*act)(void), char *text, int text_size)
{
    FILE *file = tmpfile();
    if (file == NULL) {
        SKIP("no temporary file to catch standard error in");
    }
    fflush(stderr);
    int saved = dup(fileno(stderr));
    REQUIRE(saved >= 0 && dup2(fileno(file), fileno(stderr)) >= 0);
    act();
    fflush(stderr);
    REQUIRE(dup2(saved, fileno(stderr)) >= 0);
    close(saved);
    rewind(file);
    text[0] = '\0';
    char *end = text;
    while (end - text < text_size - 1 && fgets(end, text_size - (int)(end - text), file) != NULL) {
        end += strlen(end);
    }
    fclose(file);
}
