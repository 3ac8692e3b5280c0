// Reports in words: what systems access, where they conflict, how long they took.
#include "system/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"

// Text that is appended piece by piece. Text that does not fit is dropped.
typedef struct text_list {
    char *text;
    size_t size;
    size_t used;
} text_list;

static void append(text_list *w, const char *before, const char *what)
{
    if (w->size > 0) {
        int length = snprintf(w->text + w->used, w->size - w->used, "%s%s%s",
                              w->used > 0 ? ", " : "", before, what);
        w->used += length > 0 ? (size_t)length : 0;
        w->used = w->used < w->size ? w->used : w->size - 1;
    }
}

// Returns how a query accesses the values of a term. A change filter counts as reading.
static mica_access access_of(const micai_query *query, uint32_t term)
{
    return query->writable >> term & 1                              ? MICA_WRITE
           : (query->readable | query->change_filtered) >> term & 1 ? MICA_READ
                                                                    : MICA_ACCESS_NONE;
}

// Returns a query of a system, its own first. Returns NULL behind the last.
static const micai_query *query_at(mica_world *world, const micai_system *one, uint32_t i)
{
    bool own = !MICA_IS_NONE(one->query);
    if (own && i == 0) {
        return micai_query_look_up(world, one->query);
    }
    i -= own;
    return i < one->declared.query_count ? micai_query_look_up(world, one->declared.queries[i])
                                         : NULL;
}

// Returns the term of a type, or the number of terms if none has it.
static uint32_t find_term(const micai_query *query, const micai_type *type)
{
    uint32_t t = 0;
    while (t < query->term_count && query->terms[t].type != type) {
        t++;
    }
    return t;
}

// Returns the strongest access that the system's queries have to a type.
static mica_access access_to(mica_world *world, const micai_system *one, const micai_type *type)
{
    mica_access most = MICA_ACCESS_NONE;
    const micai_query *query;
    for (uint32_t i = 0; (query = query_at(world, one, i)) != NULL; i++) {
        uint32_t t = find_term(query, type);
        if (t < query->term_count && access_of(query, t) > most) {
            most = access_of(query, t);
        }
    }
    return most;
}

// The states of a component in a row, as bits.
enum { ABSENT = 1, DISABLED = 2, ENABLED = 4, ANY_STATE = 7 };

// Return the states in which the component counts as present for a term, and the states in which a
// row can match.
static uint32_t states_there(const micai_term *term)
{
    return term->include_disabled && term->type->info.toggle ? DISABLED | ENABLED : ENABLED;
}

static uint32_t states_allowed(const micai_term *term)
{
    uint32_t there = states_there(term);
    uint32_t possible = term->type->info.toggle ? ANY_STATE : ABSENT | ENABLED;
    micai_access_flags use = micai_query_access_flags(term->access);
    return use.required ? there : use.excluded ? possible & ~there : possible;
}

// Returns the states that a query allows for a type.
static uint32_t allowed_of(const micai_query *query, const micai_type *type)
{
    uint32_t t = find_term(query, type);
    return t < query->term_count ? states_allowed(&query->terms[t]) : ANY_STATE;
}

// Returns true if one query requires any of several components, and the other excludes all of them.
static bool lacks_all(const micai_query *query, const micai_query *other)
{
    bool asks = false;
    for (uint32_t t = 0; t < query->term_count; t++) {
        const micai_term *term = &query->terms[t];
        if (micai_query_access_flags(term->access).any) {
            asks = true;
            if (states_there(term) & allowed_of(other, term->type)) {
                return false;
            }
        }
    }
    return asks;
}

// Returns true if a row can match both queries.
static bool share_rows(const micai_query *a, const micai_query *b)
{
    bool share = !lacks_all(a, b) && !lacks_all(b, a);
    for (uint32_t t = 0; share && t < a->term_count; t++) {
        share = (states_allowed(&a->terms[t]) & allowed_of(b, a->terms[t].type)) != 0;
    }
    return share;
}

static bool clash(mica_access a, mica_access b)
{
    return a != MICA_ACCESS_NONE && b != MICA_ACCESS_NONE && (a == MICA_WRITE || b == MICA_WRITE);
}

// Returns true if two terms of one type conflict. If one filters by changes that the other makes,
// rows do not matter. A row written now may match the first query when it runs next. Whether it
// counts as changed depends on the order of the two systems.
static bool terms_clash(const micai_query *a, uint32_t t, const micai_query *b, uint32_t u)
{
    bool asked = (a->change_filtered >> t & b->writable >> u & 1) ||
                 (b->change_filtered >> u & a->writable >> t & 1);
    return asked || (clash(access_of(a, t), access_of(b, u)) && share_rows(a, b));
}

// Returns true if two systems conflict in a component.
static bool clash_on(mica_world *world, const micai_system *a, const micai_system *b,
                     const micai_type *type)
{
    bool clashes = false;
    const micai_query *one;
    const micai_query *other;
    for (uint32_t i = 0; !clashes && (one = query_at(world, a, i)) != NULL; i++) {
        for (uint32_t k = 0; !clashes && (other = query_at(world, b, k)) != NULL; k++) {
            uint32_t t = find_term(one, type);
            uint32_t u = find_term(other, type);
            clashes = t < one->term_count && u < other->term_count && terms_clash(one, t, other, u);
        }
    }
    return clashes;
}

// Returns true if a use conflicts with any use of another system.
static bool clash_use(mica_term use, const mica_term *others, uint32_t count)
{
    bool clashes = false;
    for (uint32_t i = 0; i < count; i++) {
        clashes = clashes || (use.type.bits == others[i].type.bits &&
                              clash((mica_access)use.access, (mica_access)others[i].access));
    }
    return clashes;
}

// Appends the resources or events in which two systems conflict. Returns true if there are any.
static bool clash_uses(mica_world *world, const char *what, const mica_term *a, uint32_t a_count,
                       const mica_term *b, uint32_t b_count, text_list *w)
{
    bool clashes = false;
    for (uint32_t i = 0; i < a_count; i++) {
        bool here = clash_use(a[i], b, b_count);
        // a conflict by reading and sending is reported once
        for (uint32_t k = 0; here && k < i; k++) {
            here = a[k].type.bits != a[i].type.bits || !clash_use(a[k], b, b_count);
        }
        if (here) {
            append(w, what, micai_registry_find(&world->state->registry, a[i].type)->info.name);
            clashes = true;
        }
    }
    return clashes;
}

static bool conflict(mica_world *world, const micai_system *a, const micai_system *b, text_list *w)
{
    bool conflicts = false;
    for (uint32_t n = 0; n < world->state->registry.list.count; n++) {
        const micai_type *type = world->state->registry.list.items[n];
        if (clash_on(world, a, b, type)) {
            append(w, "", type->info.name);
            conflicts = true;
        }
    }
    const micai_declared *p = &a->declared;
    const micai_declared *q = &b->declared;
    bool resources = clash_uses(world, "resource ", p->resources, p->resource_count, q->resources,
                                q->resource_count, w);
    bool events =
        clash_uses(world, "event ", p->events, p->event_count, q->events, q->event_count, w);
    return conflicts || resources || events;
}

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
    text_list w = {text, size, 0};
    return other && conflict(world, one, other, &w);
}

// Appends the components, resources and events that a system uses with this access.
static void append_uses(mica_world *world, const micai_system *one, mica_access access,
                        text_list *w)
{
    for (uint32_t n = 0; n < world->state->registry.list.count; n++) {
        const micai_type *type = world->state->registry.list.items[n];
        if (access_to(world, one, type) == access) {
            append(w, "", type->info.name);
        }
    }
    const micai_declared *d = &one->declared;
    for (uint32_t i = 0; i < d->resource_count; i++) {
        if (d->resources[i].access == (uint32_t)access) {
            append(w, "resource ",
                   micai_registry_find(&world->state->registry, d->resources[i].type)->info.name);
        }
    }
    for (uint32_t i = 0; i < d->event_count; i++) {
        if (d->events[i].access == (uint32_t)access) {
            append(w, "event ",
                   micai_registry_find(&world->state->registry, d->events[i].type)->info.name);
        }
    }
}

static void print_system(micai_printer *to, mica_world *world, const micai_system *one)
{
    char text[200];
    micai_print(to, "  %s%s%s%s\n", one->declared.system, one->enabled ? "" : " (disabled)",
                one->when ? " (on a condition)" : "", one->replay_first ? " (after commands)" : "");
    const mica_access ways[] = {MICA_WRITE, MICA_READ};
    for (uint32_t i = 0; i < 2; i++) {
        text_list w = {text, sizeof text, 0};
        append_uses(world, one, ways[i], &w);
        if (w.used > 0) {
            micai_print(to, "    %s %s\n", ways[i] == MICA_WRITE ? "writes" : "reads ", text);
        }
    }
    for (const micai_system *other = one->phase->first; other != one; other = other->next) {
        text_list w = {text, sizeof text, 0};
        if (conflict(world, one, other, &w)) {
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
    for (const micai_system *one = phase->first; one; one = one->next) {
        print_system(to, world, one);
    }
}

mica_result mica_schedule_print(mica_world *world, const mica_stream *stream)
{
    micai_printer to;
    mica_result result = micai_world_begin_print(world, "mica_schedule_print", stream, &to);
    if (result) {
        return result;
    }
    const micai_systems *all = micai_systems_of(world);
    if (!all) {
        micai_print(&to, "phase update\n"); // a world has it before it has the module
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
