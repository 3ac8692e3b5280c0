// The rows of <mica/system.h>, <mica/phase.h> and <mica/frame.h>.
#include "negative/table.h"

#include <math.h>
#include <string.h>

static void update(mica_iter *it)
{
    (void)it;
}

static void adding_systems_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_system_desc good = {.name = "new", .update = update, .query.everything = true};
    mica_system_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    mica_term many[EXTRA_TYPES];
    for (uint32_t i = 0; i < EXTRA_TYPES; i++) {
        many[i] = (mica_term){t->extra[i], MICA_WITH};
    }
    mica_system_desc unended = good;
    unended.last_zero = 1;
    mica_system_desc oversized = good;
    oversized.query.everything = false;
    oversized.query.more_terms = many;
    oversized.query.more_count = EXTRA_TYPES;
    mica_system_desc contradictory = good;
    contradictory.query.terms[0] = (mica_term){t->tag, MICA_WITH}; // beside .everything

    NULL_WORLD(mica_system_add, NONES, mica_system_add(w, &good));
    REFUSED(mica_system_add, NONES, mica_system_add(w, &good));
    NONES(mica_system_add.desc.null, MICA_ERROR_NULL, mica_system_add(w, NULL));
    NONES(mica_system_add.desc.zeroed, MICA_ERROR_NAME, mica_system_add(w, &(mica_system_desc){0}));
    NONES(mica_system_add.desc.garbage, MICA_ERROR_DESC, mica_system_add(w, &garbage));
    NONES(mica_system_add.desc.unended, MICA_ERROR_DESC, mica_system_add(w, &unended));
    NONES(mica_system_add.desc.oversized, MICA_ERROR_TERMS, mica_system_add(w, &oversized));
    NONES(mica_system_add.desc.contradictory, MICA_ERROR_TERMS, mica_system_add(w, &contradictory));
    // In its lists.
    for (uint32_t k = 1; k < HANDLE_KINDS; k++) {
        mica_system_desc bad = good;
        bad.queries[0] = t->queries[k];
        CHECK_EQUAL(0, mica_system_add(w, &bad).bits);
        CHECK_EQUAL(MICA_ERROR_QUERY, t->own.error.last.code);
        bad = good;
        bad.phase = t->phases[k];
        CHECK_EQUAL(0, mica_system_add(w, &bad).bits);
        CHECK_EQUAL(MICA_ERROR_PHASE, t->own.error.last.code);
        bad = good;
        bad.before[0] = t->systems[k];
        CHECK_EQUAL(0, mica_system_add(w, &bad).bits);
        CHECK_EQUAL(MICA_ERROR_SYSTEM, t->own.error.last.code);
        bad = good;
        bad.after[0] = t->systems[k];
        CHECK_EQUAL(0, mica_system_add(w, &bad).bits);
        CHECK_EQUAL(MICA_ERROR_SYSTEM, t->own.error.last.code);
        CHECK_EQUAL(4, test_error_clear(&t->own.error));
    }
    for (uint32_t k = 0; k < TYPE_KINDS; k++) {
        mica_system_desc bad = good;
        bad.resources[0] = (mica_term){t->types[k], MICA_READ};
        CHECK_EQUAL(0, mica_system_add(w, &bad).bits);
        CHECK_EQUAL(MICA_ERROR_TYPE, t->own.error.last.code);
        bad = good;
        bad.events[0] = (mica_term){t->types[k], MICA_READ};
        CHECK_EQUAL(0, mica_system_add(w, &bad).bits);
        CHECK_EQUAL(MICA_ERROR_TYPE, t->own.error.last.code);
        CHECK_EQUAL(2, test_error_clear(&t->own.error));
    }
    mica_clear_error(w);
    table_end(t);
}

static void systems_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;

    NULL_WORLD(mica_system_remove, FAILS, mica_system_remove(w, t->system));
    REFUSED(mica_system_remove, FAILS, mica_system_remove(w, t->system));
    BAD_SYSTEMS(mica_system_remove.system, FAILS, MICA_ERROR_SYSTEM, mica_system_remove(w, x));

    const mica_system none = (mica_system){0};
    NULL_WORLD(mica_system_move, FAILS, mica_system_move(w, t->system, t->phase, none));
    REFUSED(mica_system_move, FAILS, mica_system_move(w, t->system, t->phase, none));
    BAD_SYSTEMS(mica_system_move.system, FAILS, MICA_ERROR_SYSTEM,
                mica_system_move(w, x, t->phase, none));
    WORKS(mica_system_move.phase.none, !mica_system_move(w, t->system, (mica_phase){0}, none));
    BAD_PHASES_BUT_NONE(mica_system_move.phase, FAILS, MICA_ERROR_PHASE,
                        mica_system_move(w, t->system, x, none));
    WORKS(mica_system_move.before.none, !mica_system_move(w, t->system, t->phase, none));
    BAD_SYSTEMS_BUT_NONE(mica_system_move.before, FAILS, MICA_ERROR_SYSTEM,
                         mica_system_move(w, t->system, t->phase, x));

    NULL_WORLD(mica_system_find, NONES, mica_system_find(w, "taken"));
    ALLOWED(mica_system_find, mica_system_find(w, "taken").bits == t->system.bits);
    NONES(mica_system_find.name.null, MICA_ERROR_NULL, mica_system_find(w, NULL));
    BAD_NAMES(mica_system_find.name, SILENT, MICA_OK, !mica_system_find(w, x).bits);
    SILENT(mica_system_find.name.unknown, !mica_system_find(w, "unknown").bits);

    NULL_WORLD(mica_system_enable, FAILS, mica_system_enable(w, t->system));
    ALLOWED(mica_system_enable, !mica_system_enable(w, t->system));
    BAD_SYSTEMS(mica_system_enable.system, FAILS, MICA_ERROR_SYSTEM, mica_system_enable(w, x));
    NULL_WORLD(mica_system_disable, FAILS, mica_system_disable(w, t->system));
    ALLOWED(mica_system_disable, !mica_system_disable(w, t->system));
    BAD_SYSTEMS(mica_system_disable.system, FAILS, MICA_ERROR_SYSTEM, mica_system_disable(w, x));
    NULL_WORLD(mica_system_is_enabled, NULLS, mica_system_is_enabled(w, t->system));
    ALLOWED(mica_system_is_enabled, !mica_system_is_enabled(w, t->system));
    BAD_SYSTEMS(mica_system_is_enabled.system, NULLS, MICA_ERROR_SYSTEM,
                mica_system_is_enabled(w, x));

    char text[80] = "";
    NULL_WORLD(mica_systems_conflict, NULLS,
               mica_systems_conflict(w, t->system, t->system, text, sizeof text));
    ALLOWED(mica_systems_conflict,
            !mica_systems_conflict(w, t->system, t->system, text, sizeof text));
    BAD_SYSTEMS(mica_systems_conflict.a, NULLS, MICA_ERROR_SYSTEM,
                mica_systems_conflict(w, x, t->system, text, sizeof text));
    BAD_SYSTEMS(mica_systems_conflict.b, NULLS, MICA_ERROR_SYSTEM,
                mica_systems_conflict(w, t->system, x, text, sizeof text));
    NULLS(mica_systems_conflict.text.null, MICA_ERROR_NULL,
          mica_systems_conflict(w, t->system, t->system, NULL, sizeof text));
    SILENT(mica_systems_conflict.size.zero,
           !mica_systems_conflict(w, t->system, t->system, text, 0));
    table_end(t);
}

static void running_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;

    NULL_WORLD(mica_step, FAILS, mica_step(w, 1));
    REFUSED(mica_step, FAILS, mica_step(w, 1));
    FAILS(mica_step.dt.negative, MICA_ERROR_ARGUMENT, mica_step(w, -1));
    FAILS(mica_step.dt.nan, MICA_ERROR_ARGUMENT, mica_step(w, NAN));
    FAILS(mica_step.dt.infinite, MICA_ERROR_ARGUMENT, mica_step(w, INFINITY));

    NULL_WORLD(mica_systems_run, FAILS, mica_systems_run(w, &t->system, 1, 1));
    REFUSED(mica_systems_run, FAILS, mica_systems_run(w, &t->system, 1, 1));
    FAILS(mica_systems_run.dt.negative, MICA_ERROR_ARGUMENT,
          mica_systems_run(w, &t->system, 1, -1));
    FAILS(mica_systems_run.dt.nan, MICA_ERROR_ARGUMENT, mica_systems_run(w, &t->system, 1, NAN));
    FAILS(mica_systems_run.dt.infinite, MICA_ERROR_ARGUMENT,
          mica_systems_run(w, &t->system, 1, INFINITY));
    BAD_SYSTEMS(mica_systems_run.systems, FAILS, MICA_ERROR_SYSTEM,
                mica_systems_run(w, (mica_system[]){t->system, x}, 2, 1));
    FAILS(mica_systems_run.systems.null, MICA_ERROR_NULL, mica_systems_run(w, NULL, 1, 1));
    SILENT(mica_systems_run.count.zero, !mica_systems_run(w, NULL, 0, 1));

    const mica_phase update = mica_phase_find(w, "update");
    NULL_WORLD(mica_phases_run, FAILS, mica_phases_run(w, &update, 1, 1));
    REFUSED(mica_phases_run, FAILS, mica_phases_run(w, &update, 1, 1));
    BAD_PHASES(mica_phases_run.phases, FAILS, MICA_ERROR_PHASE,
               mica_phases_run(w, (mica_phase[]){update, x}, 2, 1));
    FAILS(mica_phases_run.phases.null, MICA_ERROR_NULL, mica_phases_run(w, NULL, 1, 1));
    FAILS(mica_phases_run.dt.negative, MICA_ERROR_ARGUMENT, mica_phases_run(w, &update, 1, -1));
    FAILS(mica_phases_run.dt.nan, MICA_ERROR_ARGUMENT, mica_phases_run(w, &update, 1, NAN));
    FAILS(mica_phases_run.dt.infinite, MICA_ERROR_ARGUMENT,
          mica_phases_run(w, &update, 1, INFINITY));
    SILENT(mica_phases_run.count.zero, !mica_phases_run(w, NULL, 0, 1));

    // An iteration that is right, but no system's; whatever is said of it.
    char length[400];
    memset(length, 'x', sizeof length - 1);
    length[sizeof length - 1] = '\0';
    const char *const empty = "";
    mica_iter it;
    mica_iter_begin(w, t->movers, &it);
    mica_iter_next(&it);
    FAILS(mica_system_fail.format.null, MICA_ERROR_NULL, mica_system_fail(&it, 0, NULL));
    FAILS(mica_system_fail.format.empty, MICA_ERROR_ITERATOR,
          mica_system_fail(&it, 0, "%s", empty));
    FAILS(mica_system_fail.format.long, MICA_ERROR_ITERATOR,
          mica_system_fail(&it, 0, "%s", length));
    mica_iter_end(&it);
    BAD_ITERS(mica_system_fail.it, FAILS, MICA_ERROR_ITERATOR, mica_system_fail(x, 0, "why"));

    NULL_WORLD(mica_world_set_timing, FAILS, mica_world_set_timing(w, true));
    REFUSED(mica_world_set_timing, FAILS, mica_world_set_timing(w, true));
    table_end(t);
}

static void phases_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_phase_desc good = {.name = "new"};
    mica_phase_desc garbage;
    memset(&garbage, 0xA5, sizeof garbage);
    const mica_phase_desc unended = {.name = "new", .last_zero = 1};
    const mica_phase_desc oversized = {.name = "new", .fixed_dt = 1e300};
    const mica_phase_desc contradictory = {.name = "new", .max_runs = 3};

    NULL_WORLD(mica_phase_add, NONES, mica_phase_add(w, &good));
    REFUSED(mica_phase_add, NONES, mica_phase_add(w, &good));
    NONES(mica_phase_add.desc.null, MICA_ERROR_NULL, mica_phase_add(w, NULL));
    NONES(mica_phase_add.desc.zeroed, MICA_ERROR_NAME, mica_phase_add(w, &(mica_phase_desc){0}));
    NONES(mica_phase_add.desc.garbage, MICA_ERROR_DESC, mica_phase_add(w, &garbage));
    NONES(mica_phase_add.desc.unended, MICA_ERROR_DESC, mica_phase_add(w, &unended));
    NONES(mica_phase_add.desc.oversized, MICA_ERROR_ARGUMENT, mica_phase_add(w, &oversized));
    NONES(mica_phase_add.desc.contradictory, MICA_ERROR_ARGUMENT,
          mica_phase_add(w, &contradictory));

    NULL_WORLD(mica_phase_remove, FAILS, mica_phase_remove(w, t->phase));
    REFUSED(mica_phase_remove, FAILS, mica_phase_remove(w, t->phase));
    BAD_PHASES(mica_phase_remove.phase, FAILS, MICA_ERROR_PHASE, mica_phase_remove(w, x));

    NULL_WORLD(mica_phase_move, FAILS, mica_phase_move(w, t->phase, (mica_phase){0}));
    REFUSED(mica_phase_move, FAILS, mica_phase_move(w, t->phase, (mica_phase){0}));
    BAD_PHASES(mica_phase_move.phase, FAILS, MICA_ERROR_PHASE,
               mica_phase_move(w, x, (mica_phase){0}));
    SILENT(mica_phase_move.before.none, !mica_phase_move(w, t->phase, (mica_phase){0}));
    BAD_PHASES_BUT_NONE(mica_phase_move.before, FAILS, MICA_ERROR_PHASE,
                        mica_phase_move(w, t->phase, x));

    NULL_WORLD(mica_phase_find, NONES, mica_phase_find(w, "taken"));
    ALLOWED(mica_phase_find, mica_phase_find(w, "taken").bits == t->phase.bits);
    NONES(mica_phase_find.name.null, MICA_ERROR_NULL, mica_phase_find(w, NULL));
    BAD_NAMES(mica_phase_find.name, SILENT, MICA_OK, !mica_phase_find(w, x).bits);
    SILENT(mica_phase_find.name.unknown, !mica_phase_find(w, "unknown").bits);

    NULL_WORLD(mica_phase_progress, NULLS, mica_phase_progress(w, t->phase) != 0);
    ALLOWED(mica_phase_progress, mica_phase_progress(w, t->phase) == 0);
    BAD_PHASES(mica_phase_progress.phase, NULLS, MICA_ERROR_PHASE, mica_phase_progress(w, x) != 0);
    table_end(t);
}

static void frame_memory_refuses_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;

    NULL_WORLD(mica_frame_allocator, NULLS, mica_frame_allocator(w).resize);
    ALLOWED(mica_frame_allocator, mica_frame_allocator(w).resize != NULL);
    NULL_WORLD(mica_frame_alloc, NULLS, mica_frame_alloc(w, 1, 8, 8));
    ALLOWED(mica_frame_alloc, mica_frame_alloc(w, 1, 8, 8) != NULL);
    SILENT(mica_frame_alloc.size.zero, mica_frame_alloc(w, 1, 0, 8) != NULL);
    NULLS(mica_frame_alloc.align.zero, MICA_ERROR_ALIGNMENT, mica_frame_alloc(w, 1, 8, 0));
    NULLS(mica_frame_alloc.align.odd, MICA_ERROR_ALIGNMENT, mica_frame_alloc(w, 1, 8, 12));
    SILENT(mica_frame_alloc.count.zero, mica_frame_alloc(w, 0, 8, 8) != NULL);
    NULLS(mica_frame_alloc.count.huge, MICA_ERROR_MEMORY,
          mica_frame_alloc(w, SIZE_MAX / 8 + 2, 8, 8));
    NULLS(mica_frame_alloc.align.huge, MICA_ERROR_ALIGNMENT,
          mica_frame_alloc(w, 2, 8, SIZE_MAX / 2 + 1));
    table_end(t);
}

TESTS(table_system, adding_systems_refuses_bad_arguments, systems_refuse_bad_arguments,
      running_refuses_bad_arguments, phases_refuse_bad_arguments,
      frame_memory_refuses_bad_arguments)
