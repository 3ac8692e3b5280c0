// Archives: failures and memory. archive.h has the contract.
#include "core/archive.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void micai_archive_fail(micai_archive *a, mica_result code, const char *format, ...)
{
    char text[200];
    char where[MICAI_WHERE_SIZE] = "";
    if (a->failed) {
        return;
    }
    if (a->calls->where) {
        a->calls->where(a, where);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    a->failed = micai_fail(a->host, code, "%s: %s%s", a->call, where, text);
}

void *micai_archive_alloc(micai_archive *a, micai_arena *arena, size_t count, size_t size)
{
    void *items = a->failed
                      ? NULL
                      : micai_arena_alloc_array(a->host, arena, count, size, _Alignof(max_align_t));
    if (!items) {
        micai_archive_fail_memory(a);
        return NULL;
    }
    return memset(items, 0, count * size);
}
