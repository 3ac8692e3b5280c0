// Reports in words: what systems access, where they conflict, how long they took.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "system/conflict_internal.h"

bool mica_systems_conflict(mica_world *world, mica_system a, mica_system b, char *text, size_t size)
{
    static const char call[] = "mica_systems_conflict";
    if (size > 0 && text) {
        text[0] = '\0';
    }
    if (!world || (!text && size > 0)) {
        micai_fail_null(micai_world_host(world), call, world ? "text" : "world");
        return false;
    }
    const micai_system *one =
        micai_world_guard_read(world, call) ? NULL : micai_systems_find(world, call, a);
    const micai_system *other = one ? micai_systems_find(world, call, b) : NULL;
    micai_text_list w = {text, size, 0};
    return other && micai_systems_clash(world, one, other, &w);
}

// Appends the components, resources and events that a system uses with this access.
static void append_uses(mica_world *world, const micai_system *one, mica_access access,
                        micai_text_list *w)
{
    for (uint32_t n = 0; n < world->state->registry.list.count; n++) {
        const micai_type *type = world->state->registry.list.items[n];
        if (micai_system_access_to(world, one, type) == access) {
            micai_text_append(w, "", type->info.name);
        }
    }
    const micai_declared *d = &one->declared;
    for (uint32_t i = 0; i < d->resource_count; i++) {
        if (d->resources[i].access == (uint32_t)access) {
            micai_text_append(
                w, "resource ",
                micai_registry_find(&world->state->registry, d->resources[i].type)->info.name);
        }
    }
    for (uint32_t i = 0; i < d->event_count; i++) {
        if (d->events[i].access == (uint32_t)access) {
            micai_text_append(
                w, "event ",
                micai_registry_find(&world->state->registry, d->events[i].type)->info.name);
        }
    }
}

// Prints how a system runs and, if it begins a wave, why it is not in the one before.
static void print_wave(micai_printer *to, mica_world *world, const micai_system *one,
                       uint32_t number)
{
    char text[200] = "";
    micai_text_list w = {text, sizeof text, 0};
    micai_wave_explain(world, one, &w);
    micai_print(to, " (%s, wave %" PRIu32 "%s%s)",
                one->declared.run == MICA_PARALLEL ? "parallel" : "concurrent", number,
                w.used > 0 ? ": " : "", text);
}

// `wave` is the number of the system's wave. 0: it runs alone.
static void print_system(micai_printer *to, mica_world *world, const micai_system *one,
                         uint32_t wave)
{
    char text[200];
    micai_print(to, "  %s%s%s%s", one->declared.system, one->enabled ? "" : " (disabled)",
                one->when ? " (on a condition)" : "", one->replay_first ? " (after commands)" : "");
    if (wave > 0) {
        print_wave(to, world, one, wave);
    }
    micai_print(to, "\n");
    const mica_access ways[] = {MICA_WRITE, MICA_READ};
    for (uint32_t i = 0; i < 2; i++) {
        micai_text_list w = {text, sizeof text, 0};
        append_uses(world, one, ways[i], &w);
        if (w.used > 0) {
            micai_print(to, "    %s %s\n", ways[i] == MICA_WRITE ? "writes" : "reads ", text);
        }
    }
    for (const micai_system *other = one->phase->first; other != one; other = other->next) {
        micai_text_list w = {text, sizeof text, 0};
        if (micai_systems_clash(world, one, other, &w)) {
            micai_print(to, "    after  %s: %s\n", other->declared.system, text);
        }
    }
}

static void print_phase(micai_printer *to, mica_world *world, const micai_phase *phase)
{
    micai_print(to, "phase %s", phase->name);
    if (phase->fixed_dt > 0) {
        micai_print(to, ", every %g, at most %" PRIu64 " times in a step", phase->fixed_dt,
                    phase->max_runs);
    }
    if (phase->manual) {
        micai_print(to, ", manual");
    }
    micai_print(to, "\n");
    uint32_t waves = 0;
    for (const micai_system *one = phase->first; one; one = one->next) {
        bool shares = one->declared.run != MICA_ALONE;
        waves += shares && one->wave == one;
        print_system(to, world, one, shares ? waves : 0);
    }
}

mica_result mica_schedule_print(mica_world *world, const mica_stream *stream)
{
    micai_printer to;
    mica_result result = micai_world_begin_print(world, "mica_schedule_print", stream, &to);
    if (result) {
        return result;
    }
    micai_systems *all = micai_systems_of(world);
    if (!all) {
        micai_print(&to, "phase update\n"); // a world has it before it has the module
    } else {
        micai_waves_plan(world, all);
    }
    for (uint32_t p = 0; all && p < all->phases.count; p++) {
        print_phase(&to, world, all->phases.items[p]);
    }
    return micai_print_end(&to, MICA_OK);
}

static void print_times(micai_printer *to, const micai_system *one, uint64_t total)
{
    const mica_system_stats *s = &one->stats;
    micai_print(to, "%-24.24s %10" PRIu64 " %8" PRIu64 " %10" PRIu64 " %12" PRIu64,
                one->declared.system, s->runs, s->skipped, s->segments, s->rows);
    if (s->timed == 0) {
        micai_print(to, " %10s %10s %6s\n", "-", "-", "-");
        return;
    }
    micai_print(to, " %10.2f %10.2f %5.1f%%\n", (double)s->last_ns / 1000,
                (double)s->total_ns / 1000 / (double)s->timed,
                total > 0 ? 100 * (double)s->total_ns / (double)total : 0);
}

mica_result mica_timings_print(mica_world *world, const mica_stream *stream)
{
    micai_printer to;
    mica_result result = micai_world_begin_print(world, "mica_timings_print", stream, &to);
    if (result) {
        return result;
    }
    const micai_systems *all = micai_systems_of(world);
    const micai_system *first = all ? micai_systems_from(all, 0) : NULL;
    uint64_t total = 0;
    for (const micai_system *one = first; one; one = micai_systems_after(all, one)) {
        total += one->stats.total_ns;
    }
    micai_print(&to, "%-24s %10s %8s %10s %12s %10s %10s %6s\n", "system", "runs", "skipped",
                "segments", "rows", "last us", "mean us", "share");
    for (const micai_system *one = first; one; one = micai_systems_after(all, one)) {
        print_times(&to, one, total);
    }
    return micai_print_end(&to, MICA_OK);
}
