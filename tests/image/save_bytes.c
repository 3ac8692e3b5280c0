// Saves bytes to a path as images are saved, for atomic.sh, which has the disk fail meanwhile.
//
// usage: save_bytes PATH COUNT LETTER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <signal.h>
#endif

#include "base/stream.h"

int main(int argument_count, char **arguments)
{
    if (argument_count != 4) {
        fprintf(stderr, "usage: save_bytes PATH COUNT LETTER\n");
        return 2;
    }
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); // the file is too large: that is to be an error, not the end
#endif
    size_t rest = (size_t)strtoul(arguments[2], NULL, 10);
    char piece[1000];
    memset(piece, arguments[3][0], sizeof piece);
    micai_host host;
    micai_host_init(&host);
    micai_output output;
    const mica_stream stream = {.path = arguments[1]};
    mica_result result =
        micai_output_open(&output, &host, "save_bytes", &stream, MICAI_OUTPUT_SMALL);
    if (result) {
        return 1;
    }
    while (rest > 0) {
        size_t size = rest < sizeof piece ? rest : sizeof piece;
        micai_output_write(&output, piece, size);
        rest -= size;
    }
    return micai_output_close(&output, MICA_OK) ? 1 : 0;
}
