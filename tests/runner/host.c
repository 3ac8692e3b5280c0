// The tests' host and the record of errors.
#include "runner/host.h"
#include "runner/test.h"

#include <string.h>

void test_error_record(mica_world *world, const mica_error *error, void *user)
{
    (void)world;
    test_error *record = user;
    record->calls++;
    record->last = *error;
}

uint32_t test_error_clear(test_error *error)
{
    uint32_t calls = error->calls;
    memset(error, 0, sizeof *error);
    return calls;
}

void test_error_end_at(test_error *error, const char *file, int line)
{
    if (error->calls != 0) {
        test_fail(file, line, "%lu errors were not looked at, the last %s: %s",
                  (unsigned long)error->calls, mica_result_name(error->last.code),
                  error->last.sentence);
    }
    test_error_clear(error);
}

void test_check_error(test_error *error, mica_result code, const char *sentence, const char *file,
                      int line, const char *text)
{
    if (error->calls == 1) {
        test_check_text(mica_result_name(code), mica_result_name(error->last.code), file, line,
                        text);
        test_check_text(sentence, error->last.sentence, file, line, text);
    } else {
        test_check(false, file, line, text);
        test_fail(file, line, "%lu errors were reported", (unsigned long)error->calls);
    }
    test_error_clear(error);
}

micai_host *test_host_begin(test_host *t)
{
    memset(t, 0, sizeof *t);
    test_memory_begin(&t->memory);
    t->host.allocator = t->memory.allocator;
    t->host.error_handler = test_error_record;
    t->host.error_user = &t->error;
    return &t->host;
}

void test_host_end_at(test_host *t, const char *file, int line)
{
    const mica_memory_stats *counted = &t->host.memory;
    if (counted->bytes != t->memory.bytes || counted->blocks != t->memory.blocks) {
        test_fail(file, line,
                  "M2: the host counts %lu bytes in %lu blocks, the allocator %lu in %lu",
                  (unsigned long)counted->bytes, (unsigned long)counted->blocks,
                  (unsigned long)t->memory.bytes, (unsigned long)t->memory.blocks);
    }
    test_error_end_at(&t->error, file, line);
    test_memory_end_at(&t->memory, file, line);
}
