// Hands files to a fuzz target, one after the other, as libFuzzer would: what once went wrong, and what is
// good to begin with, is tried again by every `make test`.
//
// usage: <target> FILE...
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    long size = ftell(file);
    uint8_t *data = malloc((size_t)size); // no more: sanitizers see who reads beyond it
    rewind(file);
    size_t got = size > 0 ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    LLVMFuzzerTestOneInput(data, got);
    free(data);
    return 0;
}

int main(int argument_count, char **arguments)
{
    int failed = argument_count < 2;
    for (int i = 1; i < argument_count; i++) {
        failed += replay(arguments[i]);
    }
    printf("%d passed, %d failed, 0 skipped\n", argument_count - 1 - failed, failed);
    return failed > 0;
}
