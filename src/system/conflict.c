// Conflicts between systems, and the waves that follow from them. conflict_internal.h has the contract.
#include "system/conflict_internal.h"

#include <stdio.h>

#include "base/canary.h"

void micai_text_append(micai_text_list *w, const char *before, const char *what)
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

// Returns true if a system declares that it reads components of a type of any entity.
static bool reads_any(const micai_system *one, const micai_type *type)
{
    bool reads = false;
    for (uint32_t i = 0; i < one->declared.other_count; i++) {
        reads = reads || one->declared.others[i].bits == type->info.type.bits;
    }
    return reads;
}

// Returns the strongest access that the system's queries have to a type.
mica_access micai_system_access_to(mica_world *world, const micai_system *one,
                                   const micai_type *type)
{
    mica_access most = MICA_ACCESS_NONE;
    const micai_query *query;
    for (uint32_t i = 0; (query = query_at(world, one, i)) != NULL; i++) {
        uint32_t t = find_term(query, type);
        if (t < query->term_count && access_of(query, t) > most) {
            most = access_of(query, t);
        }
    }
    return most == MICA_ACCESS_NONE && reads_any(one, type) ? MICA_READ : most;
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

// Returns true if a query of a system writes components of a type.
static bool writes(mica_world *world, const micai_system *one, const micai_type *type)
{
    return micai_system_access_to(world, one, type) == MICA_WRITE;
}

// Returns true if two systems conflict in a component.
static bool clash_on(mica_world *world, const micai_system *a, const micai_system *b,
                     const micai_type *type)
{
    bool clashes = (reads_any(a, type) && writes(world, b, type)) ||
                   (reads_any(b, type) && writes(world, a, type));
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
                       const mica_term *b, uint32_t b_count, micai_text_list *w)
{
    bool clashes = false;
    for (uint32_t i = 0; i < a_count; i++) {
        bool here = clash_use(a[i], b, b_count);
        // a conflict by reading and sending is reported once
        for (uint32_t k = 0; here && k < i; k++) {
            here = a[k].type.bits != a[i].type.bits || !clash_use(a[k], b, b_count);
        }
        if (here) {
            micai_text_append(w, what,
                              micai_registry_find(&world->state->registry, a[i].type)->info.name);
            clashes = true;
        }
    }
    return clashes;
}

bool micai_systems_clash(mica_world *world, const micai_system *a, const micai_system *b,
                         micai_text_list *w)
{
    bool conflicts = false;
    for (uint32_t n = 0; n < world->state->registry.list.count; n++) {
        const micai_type *type = world->state->registry.list.items[n];
        if (clash_on(world, a, b, type)) {
            micai_text_append(w, "", type->info.name);
            conflicts = true;
        }
    }
    const micai_declared *p = &a->declared;
    const micai_declared *q = &b->declared;
    bool resources = clash_uses(world, "resource ", p->resources, p->resource_count, q->resources,
                                q->resource_count, w);
    // Two systems that only record what they send do not depend on their order.
    bool recorded = p->run != MICA_ALONE && q->run != MICA_ALONE;
    bool events = !recorded && clash_uses(world, "event ", p->events, p->event_count, q->events,
                                          q->event_count, w);
    return conflicts || resources || events;
}

// Waves

// Returns why a system shares its wave with no other. NULL: it may.
static const char *find_reason(const micai_system *one)
{
    return one->declared.run == MICA_ALONE       ? "runs alone"
           : one->replay_first                   ? "has commands applied first"
           : one->begin || one->end || one->when ? "has functions without rows"
                                                 : NULL;
}

// Returns the first system in the wave of another with which it conflicts, or NULL.
static const micai_system *find_clash(mica_world *world, const micai_system *one,
                                      const micai_system *first, micai_text_list *w)
{
    for (const micai_system *other = first; other != one; other = other->next) {
        if (micai_systems_clash(world, one, other, w)) {
            return other;
        }
    }
    return NULL;
}

void micai_waves_plan(mica_world *world, micai_systems *all)
{
    if (all->waves_planned) {
        return;
    }
    for (uint32_t p = 0; p < all->phases.count; p++) {
        micai_system *first = NULL; // of the wave that the next system may join
        for (micai_system *one = all->phases.items[p]->first; one; one = one->next) {
            micai_text_list none = {0};
            bool joins =
                first && !find_reason(one) &&
                (MICAI_CANARY("system.wave_clash") || !find_clash(world, one, first, &none));
            first = joins ? first : one;
            one->wave = first;
            first = find_reason(one) ? NULL : first;
        }
    }
    all->waves_planned = true;
}

void micai_wave_explain(mica_world *world, const micai_system *one, micai_text_list *w)
{
    const micai_system *before = one->previous;
    const char *reason = find_reason(one);
    if (one->wave != one || one->declared.run == MICA_ALONE) {
        return;
    }
    if (reason) {
        micai_text_append(w, "", reason);
    } else if (before && !find_reason(before)) {
        char text[120];
        micai_text_list what = {text, sizeof text, 0};
        const micai_system *other = find_clash(world, one, before->wave, &what);
        micai_text_append(w, "conflicts with ", other ? other->declared.system : "");
        micai_text_append(w, "", text);
    }
}
