// Tests of tracing: src/inspect/trace.c, and what src/system/step.c and src/command/replay.c tell. That
// others can read what is written, is seen by trace.sh.
#include <mica.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/folder.h"
#include "runner/test.h"
#include "runner/world.h"

// What a trace function has been reported: "(step (update (a) (b)) (commands))", marks as "!m".
typedef struct journal {
    char text[1024];
    uint32_t depth;
    uint64_t times[16]; // of beginnings that have not ended
    uint64_t last_ns;
    bool wrong; // an end is not that of the last beginning, or time runs backwards
    mica_trace_point ends[MICA_TRACE_KIND_COUNT]; // the last of each kind; names are not to be read
} journal;

static void add(journal *j, const char *before, const char *text, const char *after)
{
    size_t used = strlen(j->text);
    snprintf(j->text + used, sizeof j->text - used, "%s%s%s", before, text, after);
}

static void note(const mica_trace_point *point)
{
    journal *j = point->user;
    j->wrong = j->wrong || point->time_ns < j->last_ns;
    j->last_ns = point->time_ns;
    if (point->kind == MICA_TRACE_MARK) {
        j->wrong = j->wrong || point->ended || point->began_ns != point->time_ns;
        add(j, "!", point->name, "");
    } else if (!point->ended) {
        j->wrong = j->wrong || j->depth == 16 || point->began_ns != point->time_ns;
        j->times[j->depth++ % 16] = point->time_ns;
        add(j, "(", point->name, "");
    } else {
        j->wrong = j->wrong || j->depth == 0 || j->times[--j->depth] != point->began_ns;
        j->ends[point->kind] = *point;
        add(j, ")", "", "");
    }
}

#define CHECK_JOURNAL(j, expected)                                                                 \
    do {                                                                                           \
        CHECK_TEXT(expected, (j)->text);                                                           \
        CHECK(!(j)->wrong);                                                                        \
        CHECK_EQUAL(0, (j)->depth);                                                                \
        (j)->text[0] = '\0';                                                                       \
    } while (0)

typedef struct scene {
    test_world t;
    mica_world *world;
    mica_type tag;
    journal j;
} scene;

static mica_world *scene_begin(scene *s)
{
    memset(&s->j, 0, sizeof s->j);
    s->world = test_world_begin(&s->t);
    s->tag = MICA_TAG(s->world, Tag);
    return s->world;
}

static void scene_end(scene *s)
{
    test_world_end(&s->t);
}

static void idle(mica_iter *it)
{
    (void)it;
}

static bool never(const mica_iter *it)
{
    (void)it;
    return false;
}

static void spawn_later(mica_iter *it)
{
    mica_spawn_values(mica_later(it), NULL, 0);
    mica_spawn_values(mica_later(it), NULL, 0);
}

static mica_system add_system(mica_world *world, const char *name, mica_update_fn *update)
{
    return mica_system_add(world, &(mica_system_desc){.name = name, .update = update});
}

TEST_WITH(scene, s, steps_phases_systems_and_commands_are_reported_in_their_order)
{
    mica_world *w = s->world;
    mica_phase fixed = mica_phase_add(
        w, &(mica_phase_desc){
               .name = "fixed", .fixed_dt = 0.5, .before = mica_phase_find(w, "update")});
    mica_phase_add(w, &(mica_phase_desc){.name = "late"});
    mica_system_add(w, &(mica_system_desc){.name = "a", .update = spawn_later, .phase = fixed});
    add_system(w, "b", spawn_later);
    mica_system_add(w, &(mica_system_desc){.name = "c", .update = idle, .replay_first = true});
    mica_system_add(w, &(mica_system_desc){.name = "d", .update = idle, .when = never});
    mica_system_add(w, &(mica_system_desc){.name = "e", .update = idle, .disabled = true});
    CHECK_EQUAL(MICA_OK, mica_trace_set(w, note, &s->j));
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
    CHECK_JOURNAL(&s->j, "(step(fixed(a))(commands)(fixed(a))(commands)"
                         "(update(b)(commands)(c)(d))(late))");
    CHECK_EQUAL(MICA_OK, mica_step(w, 0.25)); // no time for the fixed one
    CHECK_JOURNAL(&s->j, "(step(update(b)(commands)(c)(d))(late))");
    CHECK_EQUAL(MICA_OK, mica_trace_set(w, NULL, NULL));
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
    CHECK_JOURNAL(&s->j, "");
}

TEST_WITH(scene, s, a_world_without_systems_tells_of_steps)
{
    mica_world *w = s->world;
    mica_trace_set(w, note, &s->j);
    mica_step(w, 1);
    CHECK_JOURNAL(&s->j, "(step)");
    CHECK_POINTER(w, s->j.ends[MICA_TRACE_STEP].world);
}

TEST_WITH(scene, s, ends_say_how_much_there_was)
{
    mica_world *w = s->world;
    mica_type other = MICA_TAG(w, Other);
    mica_spawn(w, MICA_ADD(s->tag));
    mica_spawn(w, MICA_ADD(s->tag));
    mica_spawn(w, MICA_ADD(s->tag), MICA_ADD(other));
    mica_system_add(w, &(mica_system_desc){
                           .name = "rows", .update = idle, .query.terms = {{s->tag, MICA_WITH}}});
    mica_trace_set(w, note, &s->j);
    mica_step(w, 1);
    mica_step(w, 1);
    CHECK_EQUAL(3, s->j.ends[MICA_TRACE_SYSTEM].rows); // of one run
    CHECK_EQUAL(2, s->j.ends[MICA_TRACE_SYSTEM].segments);
    CHECK_EQUAL(0, s->j.ends[MICA_TRACE_STEP].rows);
    CHECK_EQUAL(0, s->j.ends[MICA_TRACE_PHASE].segments);
    s->j.text[0] = '\0';

    mica_world *later = mica_world_later(w);
    mica_spawn_values(later, NULL, 0);
    mica_spawn_values(later, NULL, 0);
    mica_spawn_values(later, NULL, 0);
    mica_commands_apply(later); // outside of steps, too
    CHECK_JOURNAL(&s->j, "(commands)");
    CHECK_EQUAL(3, s->j.ends[MICA_TRACE_COMMANDS].rows);
}

TEST_WITH(scene, s, a_system_that_is_run_by_hand_is_a_step_of_its_own)
{
    mica_world *w = s->world;
    mica_system a = add_system(w, "a", spawn_later);
    mica_trace_set(w, note, &s->j);
    CHECK_EQUAL(MICA_OK, mica_systems_run(w, &a, 1, 1));
    CHECK_JOURNAL(&s->j, "(step(a)(commands))");
}

static void fail(mica_iter *it)
{
    mica_system_fail(it, 0, "on purpose");
}

TEST_WITH(scene, s, a_step_that_fails_is_reported_to_end)
{
    mica_world *w = s->world;
    add_system(w, "a", fail);
    add_system(w, "b", idle);
    mica_trace_set(w, note, &s->j);
    CHECK_EQUAL(MICA_ERROR_FAILED, mica_step(w, 1));
    CHECK_ERROR(&s->t, MICA_ERROR_FAILED, "mica_step: system 'a': on purpose");
    CHECK_JOURNAL(&s->j, "(step(update(a)))");
}

static void end_all(mica_iter *it)
{
    mica_world_end_iterations(it->world);
}

TEST_WITH(scene, s, a_step_that_is_ended_from_inside_is_not)
{
    mica_world *w = s->world;
    mica_system a = add_system(w, "a", end_all);
    mica_trace_set(w, note, &s->j);
    CHECK_EQUAL(MICA_ERROR_ITERATOR, mica_step(w, 1));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_TEXT("(step(update(a", s->j.text);
    memset(&s->j, 0, sizeof s->j);
    mica_system_remove(w, a);
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
    CHECK_JOURNAL(&s->j, "(step(update))");
}

static void work_in_parts(mica_iter *it)
{
    mica_trace_span outer = mica_trace_span_begin(it->world, "outer");
    mica_trace_span inner = mica_trace_span_begin(it->world, "inner");
    mica_trace_mark(it->world, "here");
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&inner));
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&inner)); // has ended: nothing
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&outer));
}

TEST_WITH(scene, s, spans_and_marks_are_reported_where_they_are)
{
    mica_world *w = s->world;
    add_system(w, "a", work_in_parts);
    CHECK_EQUAL(MICA_OK, mica_step(w, 1)); // nobody traces
    mica_trace_span before = mica_trace_span_begin(w, "before");
    mica_trace_set(w, note, &s->j);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&before)); // it never began, for whom is reported now
    mica_step(w, 1);
    CHECK_JOURNAL(&s->j, "(step(update(a(outer(inner!here)))))");
    mica_trace_span after = mica_trace_span_begin(w, "after");
    mica_trace_set(w, NULL, NULL);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&after));
    mica_trace_span zero = {0};
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&zero));
}

// What was written.
typedef struct paper {
    char text[1 << 18];
    size_t size;
    uint32_t calls;
    uint32_t refuse_at; // the call; 0: none
} paper;

static bool write_down(void *user, const void *data, size_t size)
{
    paper *p = user;
    if (++p->calls == p->refuse_at || size >= sizeof p->text - p->size) {
        return false;
    }
    memcpy(p->text + p->size, data, size);
    p->size += size;
    p->text[p->size] = '\0';
    return true;
}

static void a_span_that_began_for_somebody_else_ends_silently(void)
{
    scene s;
    static paper p;
    memset(&p, 0, sizeof p);
    mica_world *w = scene_begin(&s);
    journal other = {0};
    mica_trace_set(w, note, &other);
    mica_trace_span span = mica_trace_span_begin(w, "of another");
    mica_trace_span second = mica_trace_span_begin(w, "of another, too");
    mica_trace_set(w, note, &s.j);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&second));
    CHECK_JOURNAL(&s.j, "");
    mica_trace_set(w, NULL, NULL);
    mica_trace_begin(w, &(mica_stream){.write = write_down, .user = &p}, NULL);
    CHECK_EQUAL(MICA_OK, mica_trace_span_end(&span));
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    CHECK(strstr(p.text, "of another") == NULL);
    scene_end(&s);
}

static void try_to_change(const mica_trace_point *point)
{
    scene *s = point->user;
    CHECK_EQUAL(1, mica_world_get_stats(point->world).types); // it may look
    CHECK(MICA_IS_NONE(mica_spawn_values(point->world, NULL, 0)));
    CHECK_EQUAL(MICA_ERROR_HANDLER, mica_trace_mark(point->world, "inside"));
    CHECK_EQUAL(MICA_ERROR_HANDLER, mica_trace_set(point->world, NULL, NULL));
    s->j.depth++;
}

TEST_WITH(scene, s, a_trace_function_may_look_and_not_change)
{
    mica_world *w = s->world;
    mica_trace_set(w, try_to_change, s);
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
    CHECK_EQUAL(2, s->j.depth);
    CHECK_EQUAL(0, mica_entity_count(w));
    CHECK_EQUAL(MICA_OK, mica_world_validate(w));
}

static void trace_in_a_step(mica_iter *it)
{
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_trace_set(it->world, note, NULL));
    CHECK_EQUAL(MICA_ERROR_ITERATING, mica_trace_end(it->world));
    CHECK_EQUAL(MICA_ERROR_ITERATING,
                mica_trace_begin(it->world, &(mica_stream){.path = "none"}, NULL));
}

TEST_WITH(scene, s, who_is_reported_stays_the_same_during_a_step)
{
    mica_world *w = s->world;
    add_system(w, "a", trace_in_a_step);
    mica_trace_set(w, note, &s->j);
    mica_trace_set(w, note, &s->j); // again, or another
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
    CHECK_EQUAL(3, test_error_clear(&s->t.error));
    CHECK_JOURNAL(&s->j, "(step(update(a)))");
}

// Reads JSON, strictly: where it ends, or NULL.

static const char *skip_space(const char *text)
{
    return text + strspn(text, " \n\t\r");
}

static const char *read_string(const char *text)
{
    if (*text++ != '"') {
        return NULL;
    }
    while (*text != '"') {
        if ((unsigned char)*text < 0x20) {
            return NULL; // the end, or what must be escaped
        }
        if (*text == '\\') {
            text++;
            if (*text == 'u' ? strspn(text + 1, "0123456789abcdefABCDEF") < 4
                             : !*text || !strchr("\"\\/bfnrt", *text)) {
                return NULL;
            }
            text += *text == 'u' ? 4 : 0;
        }
        text++;
    }
    return text + 1;
}

static const char *read_value(const char *text, uint32_t depth);

static const char *read_list(const char *text, char close, uint32_t depth)
{
    text = skip_space(text + 1);
    while (text && *text != close) {
        if (close == '}') {
            text = read_string(text);
            text = text ? skip_space(text) : NULL;
            if (!text || *text++ != ':') {
                return NULL;
            }
        }
        text = read_value(skip_space(text), depth + 1);
        text = text ? skip_space(text) : NULL;
        if (text && *text == ',') {
            text = skip_space(text + 1);
            text = *text == close ? NULL : text;
        } else if (text && *text != close) {
            return NULL;
        }
    }
    return text ? text + 1 : NULL;
}

static const char *read_value(const char *text, uint32_t depth)
{
    if (depth > 8) {
        return NULL;
    }
    if (*text == '{' || *text == '[') {
        return read_list(text, *text == '{' ? '}' : ']', depth);
    }
    if (*text == '"') {
        return read_string(text);
    }
    size_t digits = strspn(text, "0123456789");
    size_t more = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;
    bool right = digits > 0 && (digits == 1 || *text != '0') && (text[digits] != '.' || more > 0);
    return right ? text + digits + (more > 0 ? more + 1 : 0) : NULL;
}

static bool is_json(const char *text)
{
    const char *rest = read_value(skip_space(text), 0);
    return rest && *skip_space(rest) == '\0';
}

// The events of a trace.
typedef struct written {
    char name[32];
    char kind; // X, i, M
    double at, took;
} written;

static double number_behind(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found ? strtod(found + strlen(key), NULL) : -1;
}

static uint32_t read_events(const char *text, written *out, uint32_t room)
{
    uint32_t count = 0;
    for (const char *line = strstr(text, "\n{"); line && count < room;
         line = strstr(line + 1, "\n{")) {
        written *w = &out[count++];
        sscanf(line, "\n{\"name\":\"%31[^\"]", w->name);
        w->kind = strstr(line, "\"ph\":\"")[6];
        w->at = number_behind(line, "\"ts\":");
        w->took = w->kind == 'X' ? number_behind(line, "\"dur\":") : 0;
    }
    return count;
}

static void what_is_written_is_json_and_in_order(void)
{
    scene s;
    static paper p;
    memset(&p, 0, sizeof p);
    mica_world *w = scene_begin(&s);
    add_system(w, "parts", work_in_parts);
    add_system(w, "later", spawn_later);
    CHECK_EQUAL(MICA_OK, mica_trace_begin(w, &(mica_stream){.write = write_down, .user = &p},
                                          &(mica_trace_desc){.name = "test"}));
    CHECK_EQUAL(MICA_OK, mica_step(w, 1));
    CHECK_EQUAL(MICA_OK, mica_world_validate(w));
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    CHECK(is_json(p.text));

    written events[16];
    REQUIRE_EQUAL(9, read_events(p.text, events, 16));
    static const char *const names[] = {"process_name", "here",   "inner",    "outer", "parts",
                                        "later",        "update", "commands", "step"};
    for (uint32_t i = 0; i < 9; i++) {
        CHECK_TEXT(names[i], events[i].name);
        CHECK_EQUAL(i == 0 ? 'M' : i == 1 ? 'i' : 'X', events[i].kind);
    }
    // Each is inside of the one that is around it; "later" and "parts" are beside each other.
    static const uint32_t around[] = {0, 2, 3, 4, 6, 6, 8, 8};
    for (uint32_t i = 1; i < 8; i++) {
        const written *in = &events[i];
        const written *out = &events[around[i]];
        CHECK(in->at >= out->at && in->at + in->took <= out->at + out->took + 0.0005);
    }
    CHECK(events[4].at + events[4].took <= events[5].at + 0.0005);
    CHECK(strstr(p.text, "\"args\":{\"name\":\"test\"}") != NULL);
    CHECK(strstr(p.text, "\"args\":{\"commands\":2}") != NULL);
    CHECK(strstr(p.text, "\"cat\":\"system\"") != NULL);
    scene_end(&s);
}

static void names_are_quoted(void)
{
    scene s;
    static paper p;
    memset(&p, 0, sizeof p);
    mica_world *w = scene_begin(&s);
    mica_trace_begin(w, &(mica_stream){.write = write_down, .user = &p}, NULL);
    mica_trace_mark(w, "a \"b\" \\ c");
    mica_trace_mark(w, "tab\tline\n");
    mica_trace_mark(w, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"); // is UTF-8
    mica_trace_mark(w, "\xff \xc3 \xed\xa0\x80 \xe0\x80\x80");    // is not
    char longer[400];
    memset(longer, '\1', sizeof longer);
    longer[399] = '\0';
    mica_trace_mark(w, longer);
    memset(longer, 'x', 254);
    memcpy(longer + 254, "\xc3\xa9", 3);
    mica_trace_mark(w, longer); // its last character does not fit
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    CHECK(is_json(p.text));
    CHECK(strstr(p.text, "\"a \\\"b\\\" \\\\ c\"") != NULL);
    CHECK(strstr(p.text, "\"tab\\u0009line\\u000a\"") != NULL);
    CHECK(strstr(p.text, "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"") != NULL);
    CHECK(strstr(p.text, "\"\\ufffd \\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\"") !=
          NULL);
    CHECK(strstr(p.text, "xxx\"") != NULL && strstr(p.text, "xxx\xc3") == NULL);
    scene_end(&s);
}

static void much_is_written_piece_by_piece(void)
{
    scene s;
    static paper p;
    memset(&p, 0, sizeof p);
    mica_world *w = scene_begin(&s);
    mica_trace_begin(w, &(mica_stream){.write = write_down, .user = &p}, NULL);
    for (uint32_t i = 0; i < 2000; i++) {
        mica_trace_mark(w, "mark");
    }
    CHECK(p.calls > 1 && p.size < sizeof p.text - 4096);
    CHECK_EQUAL(MICA_OK, mica_world_validate(w));
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    CHECK(is_json(p.text));
    static written events[2100];
    CHECK_EQUAL(2001, read_events(p.text, events, 2100));
    scene_end(&s);
}

static void what_cannot_be_written_is_reported_at_the_end(void)
{
    scene s;
    static paper p;
    memset(&p, 0, sizeof p);
    p.refuse_at = 1;
    mica_world *w = scene_begin(&s);
    mica_trace_begin(w, &(mica_stream){.write = write_down, .user = &p}, NULL);
    for (uint32_t i = 0; i < 2000; i++) {
        CHECK_EQUAL(MICA_OK, mica_trace_mark(w, "mark"));
    }
    CHECK_EQUAL(1, p.calls); // and not again
    CHECK_EQUAL(0, test_error_clear(&s.t.error));
    CHECK_EQUAL(MICA_OK, mica_world_validate(w));
    CHECK_EQUAL(MICA_ERROR_STREAM, mica_trace_end(w));
    CHECK_ERROR(&s.t, MICA_ERROR_STREAM, "mica_trace_end: the stream's write function failed");
    CHECK_EQUAL(1, p.calls);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_end(w)); // it has ended
    CHECK_ERROR(&s.t, MICA_ERROR_ARGUMENT, "mica_trace_end: no trace is being written");
    scene_end(&s);
}

static void a_trace_ends_with_its_world(void)
{
    static paper p;
    memset(&p, 0, sizeof p);
    scene s;
    mica_world *w = scene_begin(&s);
    mica_trace_begin(w, &(mica_stream){.write = write_down, .user = &p}, NULL);
    mica_step(w, 1);
    scene_end(&s);
    CHECK(is_json(p.text));
    CHECK(strstr(p.text, "\"step\"") != NULL);
}

static bool look_and_write(void *user, const void *data, size_t size)
{
    (void)data;
    (void)size;
    scene *s = user;
    CHECK_EQUAL(MICA_OK, mica_world_validate(s->world));
    s->j.depth++;
    return true;
}

TEST_WITH(scene, s, who_writes_a_trace_finds_the_world_whole)
{
    mica_world *w = s->world;
    add_system(w, "a", spawn_later);
    mica_trace_begin(w, &(mica_stream){.write = look_and_write, .user = s}, NULL);
    for (uint32_t i = 0; i < 500; i++) {
        mica_step(w, 1);
    }
    CHECK(s->j.depth > 0);
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    CHECK(s->j.depth > 1);
}

static const char *explain(void *user)
{
    (void)user;
    return "the paper is used up";
}

static void a_trace_that_cannot_be_ended_with_its_world_is_reported(void)
{
    static paper p;
    memset(&p, 0, sizeof p);
    p.refuse_at = 1;
    scene s;
    mica_world *w = scene_begin(&s);
    mica_trace_begin(w, &(mica_stream){.write = write_down, .explain = explain, .user = &p}, NULL);
    CHECK_EQUAL(MICA_OK, mica_world_free(w));
    s.t.world = NULL;
    CHECK_ERROR(&s.t, MICA_ERROR_STREAM,
                "mica_world_free: the stream's write function failed: the paper is used up");
    scene_end(&s);
}

static void a_world_is_traced_once_at_a_time(void)
{
    scene s;
    static paper p;
    memset(&p, 0, sizeof p);
    mica_world *w = scene_begin(&s);
    const mica_stream stream = {.write = write_down, .user = &p};
    mica_trace_set(w, note, &s.j);
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_begin(w, &stream, NULL));
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    mica_trace_set(w, NULL, NULL);
    CHECK_EQUAL(MICA_OK, mica_trace_begin(w, &stream, NULL));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_begin(w, &stream, NULL));
    CHECK_EQUAL(MICA_ERROR_ARGUMENT, mica_trace_set(w, note, &s.j));
    CHECK_EQUAL(2, test_error_clear(&s.t.error));
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    scene_end(&s);
}

TEST_WITH(test_folder, folder, a_trace_goes_to_a_file)
{
    const char *path = test_folder_path(folder, "trace.json");
    test_file_write(path, "old", 3);
    char given[TEST_PATH_SIZE];
    snprintf(given, sizeof given, "%s", path);
    scene s;
    mica_world *w = scene_begin(&s);
    CHECK_EQUAL(MICA_OK, mica_trace_begin(w, &(mica_stream){.path = given}, NULL));
    memset(given, 'x', sizeof given - 1); // it was copied
    mica_step(w, 1);
    static char text[4096];
    CHECK_EQUAL(3, test_file_read(path, text, sizeof text)); // it is whole when it ends
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    text[test_file_read(path, text, sizeof text - 1)] = '\0';
    CHECK(is_json(text));
    CHECK(strstr(text, "\"step\"") != NULL);
    CHECK_EQUAL(1, test_folder_count(folder));

    CHECK_EQUAL(MICA_ERROR_STREAM,
                mica_trace_begin(w, &(mica_stream){.path = "no/such/folder/trace.json"}, NULL));
    CHECK_ERROR(&s.t, MICA_ERROR_STREAM,
                "mica_trace_begin: 'no/such/folder/trace.json' cannot be written: there is no such "
                "file or folder");
    scene_end(&s);
}

TEST_WITH(scene, s, a_trace_goes_into_memory)
{
    mica_world *w = s->world;
    test_memory memory;
    test_memory_begin(&memory);
    mica_buffer buffer = {.allocator = memory.allocator};
    const mica_stream stream = {.buffer = &buffer};
    CHECK_EQUAL(MICA_OK, mica_trace_begin(w, &stream, NULL));
    mica_step(w, 1);
    CHECK_EQUAL(0, buffer.size);
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    size_t size = buffer.size;
    CHECK(size > 10 && memcmp(buffer.data, "[\n{", 3) == 0);
    CHECK(memcmp(buffer.data + size - 4, "}\n]\n", 4) == 0);

    CHECK_EQUAL(MICA_OK, mica_trace_begin(w, &stream, NULL));
    test_memory_fail_at(&memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_trace_end(w));
    CHECK_EQUAL(1, test_error_clear(&s->t.error));
    CHECK_EQUAL(size, buffer.size); // as it was
    mica_buffer_free(&buffer);
    test_memory_end(&memory);
}

static void tracing_that_gets_no_memory_does_not_begin(void)
{
    scene s;
    static paper p;
    memset(&p, 0, sizeof p);
    mica_world *w = scene_begin(&s);
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_trace_set(w, note, &s.j));
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    test_memory_fail_at(&s.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY,
                mica_trace_begin(w, &(mica_stream){.write = write_down, .user = &p}, NULL));
    CHECK_EQUAL(1, test_error_clear(&s.t.error));
    mica_step(w, 1);
    CHECK_JOURNAL(&s.j, "");
    CHECK_EQUAL(0, p.calls);

    test_folder folder;
    test_folder_begin(&folder);
    const mica_stream stream = {.path = test_folder_path(&folder, "trace.json")};
    uint64_t k = 1;
    for (mica_result result = MICA_ERROR_MEMORY; result; k++) {
        test_memory_fail_at(&s.t.memory, k, TEST_MEMORY_ONCE);
        result = mica_trace_begin(w, &stream, NULL);
        CHECK_EQUAL(result ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(result ? 1 : 0, test_error_clear(&s.t.error));
        CHECK_EQUAL(result ? 0 : 1, test_folder_count(&folder)); // nothing is left there
    }
    CHECK_EQUAL(5, k);
    test_memory_fail_at(&s.t.memory, 0, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_OK, mica_trace_end(w));
    test_folder_end(&folder);
    scene_end(&s);
}

TESTS(trace, steps_phases_systems_and_commands_are_reported_in_their_order,
      a_world_without_systems_tells_of_steps, ends_say_how_much_there_was,
      a_system_that_is_run_by_hand_is_a_step_of_its_own, a_step_that_fails_is_reported_to_end,
      a_step_that_is_ended_from_inside_is_not, spans_and_marks_are_reported_where_they_are,
      a_span_that_began_for_somebody_else_ends_silently, a_trace_function_may_look_and_not_change,
      who_is_reported_stays_the_same_during_a_step, what_is_written_is_json_and_in_order,
      names_are_quoted, much_is_written_piece_by_piece,
      what_cannot_be_written_is_reported_at_the_end, a_trace_ends_with_its_world,
      who_writes_a_trace_finds_the_world_whole,
      a_trace_that_cannot_be_ended_with_its_world_is_reported, a_trace_goes_into_memory,
      a_world_is_traced_once_at_a_time, a_trace_goes_to_a_file,
      tracing_that_gets_no_memory_does_not_begin)
