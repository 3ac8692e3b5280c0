// The tests' host and the record of errors.
#include "runner/host.h"
#include "runner/test.h"

#include <mica.h>

#include <string.h>

// Every type of an entity; without sets, which may need memory that is refused in this moment.
static void look_at_values(mica_world *world, mica_entity entity)
{
    for (mica_type type = mica_type_next(world, (mica_type){0}); !MICA_IS_NONE(type);
         type = mica_type_next(world, type)) {
        const mica_type_info *info = mica_type_get_info(world, type);
        // Of split values there is no pointer; the others must be of what the entity has.
        if (info->storage != MICA_SPLIT && mica_get(world, entity, type) &&
            !(info->size > 0 && mica_has(world, entity, type))) {
            test_fail(__FILE__, __LINE__, "a handler finds a value of '%s'", info->name);
        }
    }
}

static void look_at_entities(mica_world *world)
{
    enum { CLOSELY = 4 }; // as many; the others are counted
    uint32_t count = 0;
    for (mica_entity e = mica_entity_next(world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(world, e)) {
        if (count++ < CLOSELY) {
            look_at_values(world, e);
        }
    }
    if (count != mica_entity_count(world)) {
        test_fail(__FILE__, __LINE__, "a handler finds %lu entities, not %lu", (unsigned long)count,
                  (unsigned long)mica_entity_count(world));
    }
}

void test_look(mica_world *world)
{
    if (mica_world_validate(world) != MICA_OK) {
        test_fail(__FILE__, __LINE__, "a handler was called while the world was not whole");
        return;
    }
    uint64_t hash = mica_world_hash(world);
    look_at_entities(world);
    if (mica_world_hash(world) != hash) {
        test_fail(__FILE__, __LINE__, "looking has changed the world");
    }
}

void test_log_look(mica_world *world, mica_log_level level, const char *sentence, void *user)
{
    (void)level;
    (void)sentence;
    (void)user;
    if (world) {
        test_look(world);
    }
}

// Looking takes as long as the world is large.
static bool is_worth_a_look(test_error *record, mica_world *world)
{
    enum { ALWAYS = 16, LARGE = 1000, RARELY = 16, VERY_RARELY = 256 };
    uint32_t every = mica_entity_count(world) > LARGE ? VERY_RARELY : RARELY;
    return !record->blind && (record->looked++ < ALWAYS || record->looked % every == 0);
}

void test_error_record(mica_world *world, const mica_error *error, void *user)
{
    test_error *record = user;
    if (world && error->code != MICA_ERROR_CORRUPT && is_worth_a_look(record, world)) {
        test_look(world);
    }
    record->calls++;
    record->last = *error;
}

uint32_t test_error_clear(test_error *error)
{
    uint32_t calls = error->calls;
    *error = (test_error){.looked = error->looked};
    return calls;
}

bool test_error_names_call(const test_error *error)
{
    const char *sentence = error->last.sentence;
    size_t size = strcspn(sentence, ": ");
    return (strncmp(sentence, "mica_", 5) == 0 || strncmp(sentence, "MICA_", 5) == 0) &&
           sentence[size] == ':';
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
        if (sentence) {
            test_check_text(sentence, error->last.sentence, file, line, text);
        }
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
