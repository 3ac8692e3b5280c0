// The world on which the rows of the negative table are tried, and the judge of each row.
//
// With MICA_NEGATIVE_ROWS set to the name of a file the rows are listed there as they are tried, for
// check.sh: one per line, followed by " reported" if its error belongs to no world.
#include "negative/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const entity_kinds[ENTITY_KINDS] = {"none",     "impossible", "unissued", "dead",
                                                "recycled", "ones",       "foreign"};
const char *const with_entity_kinds[ENTITY_KINDS] = {
    "with_none",     "with_impossible", "with_unissued", "with_dead",
    "with_recycled", "with_ones",       "with_foreign"};
const char *const type_kinds[TYPE_KINDS] = {"none", "garbage", "foreign"};
const char *const with_type_kinds[TYPE_KINDS] = {"with_none", "with_garbage", "with_foreign"};
const char *const handle_kinds[HANDLE_KINDS] = {"none", "garbage", "freed", "recycled", "foreign"};
const char *const iter_kinds[ITER_KINDS] = {"null",  "zeroed", "garbage", "unbegun",
                                            "ended", "closed", "foreign"};
const char *const name_kinds[NAME_KINDS] = {"empty", "long", "control"};
const char *const stream_kinds[STREAM_KINDS] = {"null", "zeroed", "garbage", "contradictory"};
const mica_result stream_codes[STREAM_KINDS] = {MICA_ERROR_NULL, MICA_ERROR_ARGUMENT,
                                                MICA_ERROR_DESC, MICA_ERROR_ARGUMENT};
const char *const snapshot_kinds[SNAPSHOT_KINDS] = {"none", "garbage", "dropped", "foreign"};

// 256 characters: one more than a name may have.
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
const char *const bad_names[NAME_KINDS] = {"", HUNDRED HUNDRED TEN TEN TEN TEN TEN "012345",
                                           "a\nb"};

static const uint64_t garbage = UINT64_C(0xa5a5a5a5a5a5a5a5);

static void update(mica_iter *it)
{
    (void)it;
}

static void register_types(mica_world *world, table *t)
{
    t->position = MICA_REGISTER(world, Position, x, y);
    t->weight = mica_type_register(
        world, &(mica_type_desc){.name = "Weight", .size = 4, .align = 4, .plain = true});
    t->tag = MICA_TAG(world, Tag);
    for (int i = 0; i < EXTRA_TYPES; i++) {
        char name[24];
        snprintf(name, sizeof name, "Extra%d", i);
        t->extra[i] = mica_type_register(world, &(mica_type_desc){.name = name});
    }
    t->rung = mica_type_register(
        world, &(mica_type_desc){
                   .name = "Rung", .storage = MICA_RING, .size = 4, .align = 4, .plain = true});
    t->loose = mica_type_register(
        world, &(mica_type_desc){
                   .name = "Loose", .storage = MICA_SPARSE, .size = 4, .align = 4, .plain = true});
    t->mark = MICA_SPARSE_TAG(world, Mark);
    const mica_field_info whole = {.name = "whole", .kind = MICA_KIND_I32};
    t->split = mica_type_register(world, &(mica_type_desc){.name = "Split",
                                                           .storage = MICA_SPLIT,
                                                           .size = 4,
                                                           .align = 4,
                                                           .fields = &whole,
                                                           .field_count = 1});
    t->near = mica_relation_add(world, &(mica_relation_desc){.name = "Near"});
}

static mica_query make_query(mica_world *world, const table *t)
{
    return mica_query_new(world, &(mica_query_desc){.terms = {{t->position, MICA_WRITE},
                                                              {t->weight, MICA_READ},
                                                              {t->tag, MICA_WITH}},
                                                    .name = "movers"});
}

static mica_bundle make_bundle(mica_world *world, const table *t)
{
    return mica_bundle_new(world, (const mica_type[]){t->position, t->weight, t->tag}, 3);
}

static mica_system make_system(mica_world *world, const char *name)
{
    return mica_system_add(
        world, &(mica_system_desc){.name = name, .update = update, .query.everything = true});
}

static mica_phase make_phase(mica_world *world, const char *name)
{
    return mica_phase_add(world, &(mica_phase_desc){.name = name, .fixed_dt = 0.5});
}

static mica_group make_group(mica_world *world, const table *t)
{
    return mica_group_new(
        world, &(mica_group_desc){.owned = {t->loose}, .required = {t->mark}, .name = "taken"});
}

static void hear(const mica_observer_event *h)
{
    (void)h;
}

static mica_observer make_observer(mica_world *world, const table *t)
{
    return mica_observer_new(
        world, &(mica_observer_desc){.type = t->extra[1], .events = MICA_ON_ADD, .call = hear});
}

// Things of the other world, which is made in the same way.
static void make_foreign(table *t)
{
    mica_world *world = t->foreign = test_world_begin(&t->other);
    register_types(world, t);
    mica_type last = MICA_TAG(world, Last); // a number the world under test does not have
    REQUIRE_EQUAL(MICA_OK, mica_type_set_add(world, &t->foreign_set, last));
    t->types[2] = t->position;
    t->relations[2] = t->near;
    t->queries[4] = make_query(world, t);
    t->bundles[4] = make_bundle(world, t);
    t->systems[4] = make_system(world, "taken");
    t->phases[4] = make_phase(world, "taken");
    t->groups[4] = make_group(world, t);
    t->observers[4] = make_observer(world, t);
    for (int i = 0; i < 50; i++) {
        t->entities[6] = mica_spawn_values(world, NULL, 0);
    }
}

static void make_entities(table *t)
{
    mica_world *world = t->world;
    t->full = mica_spawn(world, MICA_VALUE(t->position, Position, 1, 2),
                         MICA_VALUE(t->weight, int32_t, 3), MICA_ADD(t->tag),
                         MICA_VALUE(t->loose, int32_t, 6), MICA_ADD(t->mark));
    t->named = mica_spawn(world, MICA_VALUE(t->position, Position, 4, 5), MICA_ADD(t->mark));
    t->bare = mica_spawn_values(world, NULL, 0);
    REQUIRE_EQUAL(MICA_OK, mica_entity_set_name(world, t->named, "taken"));
    mica_entity recycled = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, recycled);
    mica_entity heir = mica_spawn_values(world, NULL, 0);
    REQUIRE_EQUAL(mica_entity_slot(recycled), mica_entity_slot(heir));
    mica_entity dead = mica_spawn_values(world, NULL, 0);
    mica_despawn(world, dead);
    t->entities[0] = (mica_entity){0};
    t->entities[1] = (mica_entity){mica_entity_slot(t->named)}; // no generation
    t->entities[2] = mica_entity_make(mica_entity_slot(t->full), 7);
    t->entities[3] = dead;
    t->entities[4] = recycled;
    t->entities[5] = (mica_entity){UINT64_MAX};
}

// Of each: one that goes and whose place is taken, then one whose place stays free.
static void make_handles(table *t)
{
    mica_world *world = t->world;
    t->queries[3] = make_query(world, t);
    mica_query_free(world, t->queries[3]);
    t->movers = make_query(world, t);
    t->nobody = mica_query_new(
        world, &(mica_query_desc){.terms = {{t->extra[0], MICA_WITH}}, .name = "no"});
    t->queries[2] = make_query(world, t);
    mica_query_free(world, t->queries[2]);
    t->queries[1].bits = garbage;

    t->bundles[3] = make_bundle(world, t);
    mica_bundle_free(world, t->bundles[3]);
    t->bundle = make_bundle(world, t);
    t->bundles[2] = make_bundle(world, t);
    mica_bundle_free(world, t->bundles[2]);
    t->bundles[1].bits = garbage;

    t->systems[3] = make_system(world, "taken");
    mica_system_remove(world, t->systems[3]);
    t->system = make_system(world, "taken");
    t->systems[2] = make_system(world, "gone");
    mica_system_remove(world, t->systems[2]);
    t->systems[1].bits = garbage;
    t->phases[3] = make_phase(world, "taken");
    mica_phase_remove(world, t->phases[3]);
    t->phase = make_phase(world, "taken");
    t->phases[2] = make_phase(world, "gone");
    mica_phase_remove(world, t->phases[2]);
    t->phases[1].bits = garbage;

    t->groups[3] = make_group(world, t);
    mica_group_free(world, t->groups[3]);
    t->group = make_group(world, t);
    t->groups[2] = mica_group_new(world, &(mica_group_desc){.required = {t->loose, t->mark}});
    mica_group_free(world, t->groups[2]);
    t->groups[1].bits = garbage;

    t->observers[3] = make_observer(world, t);
    mica_observer_free(world, t->observers[3]);
    t->observer = make_observer(world, t);
    t->observers[2] = make_observer(world, t);
    mica_observer_free(world, t->observers[2]);
    t->observers[1].bits = garbage;
}

// One that is closed behind its back has lost its query too.
static void make_iters(table *t)
{
    memset(&t->iters[1], 0, sizeof t->iters[1]);
    memset(&t->iters[2], 0xA5, sizeof t->iters[2]);
    mica_iter_begin(t->world, (mica_query){0}, &t->iters[3]);
    REQUIRE_EQUAL(1, test_error_clear(&t->own.error));
    mica_query query = make_query(t->world, t);
    for (uint32_t k = 4; k < 7; k++) {
        mica_iter_begin(t->world, query, &t->iters[k]);
        REQUIRE(mica_iter_next(&t->iters[k]));
    }
    mica_iter_end(&t->iters[4]);
    REQUIRE_EQUAL(2, mica_world_end_iterations(t->world));
    REQUIRE_EQUAL(MICA_OK, mica_query_free(t->world, query));
    t->iters[6].world = t->foreign;
}

static void make_streams(table *t)
{
    t->stream = (mica_stream){.buffer = &t->buffer};
    memset(&t->streams[2], 0xA5, sizeof t->streams[2]);
    t->streams[3] = (mica_stream){.buffer = &t->buffer, .path = "file.mica"};
}

// What may not be different after a row.
static void measure(const table *t, uint64_t *seen)
{
    mica_world_stats stats = mica_world_get_stats(t->world);
    seen[0] = mica_world_hash(t->world);
    seen[1] = mica_world_digest(t->world);
    seen[2] = stats.entities;
    seen[3] = stats.types;
    seen[4] = stats.queries;
    seen[5] = mica_world_hash(t->foreign);
}

void table_settle(table *t)
{
    measure(t, t->before);
}

mica_snapshot table_begin_time(table *t)
{
    CHECK_EQUAL(MICA_OK, mica_time_begin(t->world, NULL));
    CHECK_EQUAL(MICA_OK, mica_time_begin(t->foreign, NULL));
    t->snapshots[1].bits = garbage;
    t->snapshots[2] = mica_snapshot_take(t->world);
    t->snapshots[3] = mica_snapshot_take(t->foreign);
    mica_snapshot kept = mica_snapshot_take(t->world);
    CHECK_EQUAL(MICA_OK, mica_snapshot_drop(t->world, t->snapshots[2]));
    table_settle(t);
    return kept;
}

static void build(table *t)
{
    memset(t, 0, sizeof *t);
    make_foreign(t);
    t->world = test_world_begin(&t->own);
    register_types(t->world, t);
    t->types[1].bits = garbage;
    t->relations[1].bits = garbage;
    make_entities(t);
    make_handles(t);
    make_iters(t);
    make_streams(t);
    t->positions = mica_accessor_new(t->world, t->position);
    mica_type_set_add(t->world, &t->set, t->position);
    mica_type_set_add(t->world, &t->set, t->tag);
    mica_clear_error(t->world);
    REQUIRE_EQUAL(0, t->own.error.calls + t->other.error.calls);
    measure(t, t->before);
}

table *table_begin(void)
{
    static table t;
    build(&t);
    return &t;
}

void table_end(table *t)
{
    test_world_end(&t->own);
    test_world_end(&t->other);
    mica_buffer_free(&t->buffer);
}

mica_world *table_renew(table *t)
{
    table_end(t);
    build(t);
    return t->world;
}

void table_open(table *t)
{
    mica_iter_begin(t->world, t->movers, &t->open);
}

void table_close(table *t)
{
    mica_iter_end(&t->open);
}

bool table_iter_is_apart(uint32_t kind)
{
    return kind < 3 || kind == 6; // null, zeroed, garbage, foreign
}

static void list_row(const char *row, bool apart)
{
    const char *name = getenv("MICA_NEGATIVE_ROWS");
    FILE *file = name ? fopen(name, "a") : NULL;
    if (file) {
        fprintf(file, "%s%s\n", row, apart ? " reported" : "");
        fclose(file);
    }
}

// What is wrong with how the error was reported; NULL: nothing.
static const char *judge_report(const table *t, mica_result code)
{
    const test_error *error = &t->own.error;
    const mica_error *last = mica_last_error(t->world);
    if (t->other.error.calls > 0) {
        return "the other world was reported";
    }
    if (code == MICA_OK || t->apart) {
        return error->calls > 0         ? "an error was reported"
               : last->code != MICA_OK  ? "there is a last error"
               : last->sentence[0] != 0 ? "there is a sentence"
                                        : NULL;
    }
    return error->calls == 0               ? "no error was reported"
           : error->calls > 1              ? "more than one error was reported"
           : error->last.code != code      ? "another error was reported"
           : last->code != code            ? "it is not the last error"
           : last->sentence[0] == 0        ? "there is no sentence"
           : !test_error_names_call(error) ? "the sentence does not begin with a call"
                                           : NULL;
}

void table_begin_row(table *t)
{
    (void)t;
    fflush(stdout); // what was printed before stands before what a crash prints
}

void table_end_row(table *t, const char *prefix, const char *kind, mica_result code, bool returned,
                   const char *file, int line, const char *call)
{
    char row[128];
    snprintf(row, sizeof row, "%s%s%s", prefix, kind[0] ? "." : "", kind);
    list_row(row, t->apart);
    const char *wrong = returned ? judge_report(t, code) : "something else was returned";
    char sentence[sizeof t->own.error.last.sentence];
    snprintf(sentence, sizeof sentence, "%s", t->own.error.last.sentence);
    test_error_clear(&t->own.error);
    test_error_clear(&t->other.error);
    mica_clear_error(t->world);
    uint64_t after[sizeof t->before / sizeof t->before[0]];
    measure(t, after);
    if (!wrong && memcmp(t->before, after, sizeof after) != 0) {
        wrong = "the world is different";
    }
    if (!wrong && (mica_world_validate(t->world) || mica_world_validate(t->foreign))) {
        wrong = "the world is not valid";
    }
    t->apart = false;
    if (!test_check(!wrong, file, line, call)) {
        test_fail(file, line, "row %s: %s; reported: '%s'", row, wrong, sentence);
        memcpy(t->before, after, sizeof after); // reported once
    }
}
