// mica: looks into images of worlds, from the command line.
#include "tool.h"

#include <string.h>

static const char help[] =
    "mica: looks into images of worlds, binary or JSON.\n"
    "\n"
    "  mica info FILE              what is in it: entities, types, resources\n"
    "  mica json FILE [OUTPUT]     all of it as JSON, to standard output or a file\n"
    "  mica diff FILE OTHER        what differs between two\n"
    "  mica check FILE...          reads it, and checks everything\n"
    "\n"
    "  --exact      diff: order, ticks and handles that come next count as well\n"
    "  --progress   shows how far it is, though standard error is no terminal\n"
    "  --help       this text\n"
    "  --version    the version of mica, and that of the images it writes\n"
    "\n"
    "FILE may be -, which is standard input. No types need be known: an image describes its own.\n"
    "\n"
    "Ends with 0 if all is fine, or the same; with 1 if an image is bad, or two differ; with 2 if\n"
    "something could not be read or written, or was not understood.\n";

typedef struct command {
    const char *name;
    int least; // files that it takes
    int most;
} command;

static const command commands[] = {
    {"info", 1, 1}, {"json", 1, 2}, {"diff", 2, 2}, {"check", 1, 1 << 20}};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int misunderstood(const char *what, const char *which)
{
    fprintf(stderr, "mica: %s%s%s; mica --help says what there is\n", what, *which ? " " : "",
            which);
    return TOOL_TROUBLE;
}

static int check_all(const tool_options *options, int count, char **files)
{
    int worst = TOOL_FINE;
    for (int i = 0; i < count; i++) {
        int result = tool_check(options, files[i]);
        worst = result > worst ? result : worst;
    }
    return worst;
}

static int run(const command *which, const tool_options *options, int count, char **files)
{
    switch (which - commands) {
    case 0: return tool_info(options, files[0]);
    case 1: return tool_json(options, files[0], count > 1 ? files[1] : NULL);
    case 2: return tool_diff(options, files[0], files[1]);
    default: return check_all(options, count, files);
    }
}

// Options may stand anywhere. Returns how many of the arguments are left, or -1: that was all.
static int take_options(int count, char **arguments, tool_options *options, int *result_out)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            fputs(help, stdout);
            return -1;
        }
        if (strcmp(argument, "--version") == 0) {
            printf("mica %s, images of version %u\n", mica_version(), MICA_IMAGE_VERSION);
            return -1;
        }
        if (strcmp(argument, "--exact") == 0) {
            options->exact = true;
        } else if (strcmp(argument, "--progress") == 0) {
            options->progress = true;
        } else if (argument[0] == '-' && argument[1] != '\0') {
            *result_out = misunderstood("there is no option", argument);
            return -1;
        } else {
            arguments[left++] = arguments[i];
        }
    }
    return left;
}

int main(int argument_count, char **arguments)
{
    tool_options options = {0};
    int result = TOOL_FINE;
    int count = take_options(argument_count - 1, arguments + 1, &options, &result);
    if (count < 0) {
        return result;
    }
    if (count == 0) {
        fputs(help, stderr);
        return TOOL_TROUBLE;
    }
    for (int i = 0; i < COMMANDS; i++) {
        const command *which = &commands[i];
        if (strcmp(arguments[1], which->name) == 0) {
            bool right = count - 1 >= which->least && count - 1 <= which->most;
            result = right ? run(which, &options, count - 1, arguments + 2)
                           : misunderstood("not as many files as are taken by", which->name);
            return fflush(stdout) == 0 ? result : TOOL_TROUBLE;
        }
    }
    return misunderstood("there is no command", arguments[1]);
}
