// Snapshots: what was, comes back. The model keeps a copy of itself for each of them; what is to be found after a
// restore is all that is compared after each operation, and the digest of that moment. They need types without
// hooks: elsewhere they are mistakes.
#include <inttypes.h>
#include <string.h>

#include "model/tape.h"

// The model's

static uint32_t place_of(const model_time *time, mica_snapshot snapshot)
{
    uint32_t i = 0;
    while (i < time->count && time->moments[i].snapshot.bits != snapshot.bits) {
        i++;
    }
    return i;
}

static void remove_moments(model_time *time, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        time->gone = time->moments[i].snapshot;
        time->current = MICA_EQUAL(time->gone, time->current) ? (mica_snapshot){0} : time->current;
    }
    memmove(&time->moments[first], &time->moments[end],
            (time->count - end) * sizeof time->moments[0]);
    time->count -= end - first;
}

static void drop_redo(model_time *time)
{
    if (time->here < time->count) {
        remove_moments(time, time->here + 1, time->count);
        time->here = time->count;
    }
}

// Nothing leads to those that can be redone without the one whose followers they are.
void model_drop(model *m, uint32_t moment)
{
    model_time *time = m->time;
    if (moment == time->here) {
        drop_redo(time);
    }
    remove_moments(time, moment, moment + 1);
    time->here -= moment < time->here;
}

void model_drop_all(model *m)
{
    remove_moments(m->time, 0, m->time->count);
    m->time->here = 0;
}

void model_restore(model *m, uint32_t moment)
{
    static model now;
    model_time *time = m->time;
    now = *m;
    *m = time->moments[moment].was;
    memcpy(m->queries, now.queries, sizeof m->queries);
    memcpy(m->bundles, now.bundles, sizeof m->bundles);
    memcpy(m->groups, now.groups, sizeof m->groups);
    m->reaction = now.reaction;
    for (uint32_t kind = 0; kind < MODEL_EVENT_KINDS; kind++) {
        for (uint32_t i = 0; i < MODEL_NAMED_CURSOR && !time->with_cursors; i++) {
            m->cursors[kind][i] = now.cursors[kind][i];
        }
    }
    time->current = time->moments[moment].snapshot;
    time->here = moment;
    time->marks++;
    if (!time->desc.redo) {
        drop_redo(time);
    }
}

// Why nothing can be done with snapshots, if that is so.
static mica_result check(const model *m)
{
    return model_is_open(m) ? MICA_ERROR_ITERATING : m->time->begun ? MICA_OK : MICA_ERROR_TIME;
}

// Beginning and ending. Which of the two, and how snapshots are kept, by c; how many, by d.

enum { REDO = 8, BUDGET = 16, WITH_CURSORS = 64, DENSE = 4, GAP = 16 };
enum { UNLIMITED, THIN, OLDEST_GO, FAILS };

static bool ends(const model *m, const tape_op *op)
{
    return (op->c & 7) <= m->time->begun;
}

static mica_time_desc desc_of(const tape_op *op)
{
    static const size_t budgets[] = {1500, 6000, 25000, 100000};
    uint32_t way = op->c / BUDGET & 3;
    return (mica_time_desc){.redo = op->c & REDO,
                            .thin = way == THIN,
                            .fail_when_full = way == FAILS,
                            .budget = way == UNLIMITED ? 0 : budgets[op->d & 3],
                            .dense = op->d / DENSE & 3,
                            .gap = way == THIN ? 2 * (op->d / GAP & 3u) : 0};
}

void library_time(lab *l, const tape_op *op, outcome *got)
{
    const mica_time_desc desc = desc_of(op);
    if (ends(&l->m, op)) {
        got->code = mica_time_end(l->world);
        return;
    }
    got->code = mica_time_begin(l->world, &desc);
    if (!got->code && (op->c & WITH_CURSORS)) {
        got->code = mica_time_include(l->world, l->cursors, sizeof l->cursors, "plain cursors");
    }
}

void model_of_time(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    model_time *time = m->time;
    want->code = check(m);
    if (ends(m, op)) {
        if (!want->code) {
            model_drop_all(m);
            time->begun = false;
        }
        return;
    }
    if (want->code != MICA_ERROR_ITERATING) {
        want->code = !m->can.plain ? MICA_ERROR_TYPE : !want->code ? MICA_ERROR_TIME : MICA_OK;
    }
    if (!want->code) {
        time->begun = true;
        time->desc = desc_of(op);
        time->with_cursors = op->c & WITH_CURSORS;
    }
}

// Taking. If there are too many, the oldest one goes before.

static void list_kept(lab *l)
{
    model_time *time = &l->time;
    mica_snapshot next = mica_snapshot_next(l->world, (mica_snapshot){0});
    for (time->listed_count = 0; !MICA_IS_NONE(next) && time->listed_count < MODEL_MOMENTS;) {
        time->listed[time->listed_count++] = next;
        next = mica_snapshot_next(l->world, next);
    }
}

// The budget is kept, or nothing is left that might go.
static void check_budget(lab *l)
{
    const model_time *time = &l->time;
    mica_time_stats stats = mica_time_get_stats(l->world);
    bool movable = time->desc.fail_when_full;
    for (uint32_t i = 0; i + 1 < time->listed_count; i++) {
        uint32_t place = place_of(time, time->listed[i]);
        movable = movable || (place < time->count && !time->moments[place].pinned);
    }
    if (time->desc.budget > 0 && stats.log_bytes > time->desc.budget && movable) {
        lab_differ(l, "logs of %lu bytes are beyond the budget", (unsigned long)stats.log_bytes);
    }
}

void library_snapshot(lab *l, const tape_op *op, outcome *got)
{
    model_time *time = &l->time;
    (void)op;
    if (!check(&l->m) && time->count == MODEL_MOMENTS &&
        mica_snapshot_drop(l->world, time->moments[0].snapshot)) {
        lab_differ(l, "a snapshot is not dropped");
    }
    uint64_t digest = mica_world_digest(l->world);
    time->taken = mica_snapshot_take(l->world);
    time->digest = digest;
    time->hash = mica_world_hash(l->world);
    if (MICA_IS_NONE(time->taken)) {
        got->code = mica_last_error(l->world)->code;
        return;
    }
    list_kept(l);
    check_budget(l);
    if (mica_world_digest(l->world) != digest) {
        lab_differ(l, "taking a snapshot changes the digest");
    }
}

// Which ones the budget lets go, the library has reported: none that is pinned, nor the new one, nor one that
// leaves too wide a gap, unless it is among the oldest.
static void thin_out(model_time *time)
{
    for (uint32_t i = 0; i < time->count;) {
        bool kept = time->moments[i].pinned || i + 1 == time->count || time->desc.budget == 0 ||
                    time->desc.fail_when_full;
        for (uint32_t k = 0; k < time->listed_count; k++) {
            kept = kept || MICA_EQUAL(time->listed[k], time->moments[i].snapshot);
        }
        if (kept) {
            i++;
        } else {
            remove_moments(time, i, i + 1);
            const model_moment *next = &time->moments[i];
            time->wide = time->wide || (i > 0 && !next[-1].pinned && time->desc.gap > 0 &&
                                        next->number - next[-1].number > time->desc.gap);
        }
    }
}

void model_of_snapshot(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)op;
    model_time *time = m->time;
    want->code = check(m);
    if (want->code) {
        return;
    }
    if (time->count == MODEL_MOMENTS) {
        model_drop(m, 0);
    }
    if (time->desc.fail_when_full && got->code == MICA_ERROR_LIMIT) {
        want->code = MICA_ERROR_LIMIT;
        return;
    }
    drop_redo(time);
    time->moments[time->count++] = (model_moment){.snapshot = time->taken,
                                                  .number = ++time->number,
                                                  .digest = time->digest,
                                                  .hash = time->hash,
                                                  .was = *m};
    time->current = time->taken;
    time->marks++;
    thin_out(time);
    time->here = time->count;
}

// Restoring. The newest is a 0; d & 1: twice; d & 16: one that is gone.

enum { TWICE = 1, GONE = 16 };

static mica_snapshot snapshot_at(const model_time *time, uint32_t place)
{
    return place < time->count ? time->moments[place].snapshot : (mica_snapshot){0};
}

static mica_snapshot chosen(const model_time *time, const tape_op *op)
{
    uint32_t place = time->count > 0 ? time->count - 1 - op->a % time->count : 0;
    return op->d & GONE ? time->gone : snapshot_at(time, place);
}

static mica_result restore(lab *l, mica_snapshot snapshot)
{
    uint64_t reported = l->mirror.reported;
    mica_result result = mica_snapshot_restore(l->world, snapshot);
    if (result) {
        return result;
    }
    uint32_t place = place_of(&l->time, snapshot);
    if (place == l->time.count) {
        lab_differ(l, "a snapshot is restored that was dropped");
    } else if (mica_world_digest(l->world) != l->time.moments[place].digest) {
        lab_differ(l, "a world that was restored has another digest");
    }
    if (reported != l->mirror.reported) {
        lab_differ(l, "observers are notified of a restore");
    }
    return MICA_OK;
}

// What the program has remembered of the world that is gone.
static void look_anew(lab *l)
{
    memset(l->places, 0, sizeof l->places);
    lab_mirror_again(l);
}

static mica_result want_restored(model *m, mica_snapshot snapshot)
{
    uint32_t place = place_of(m->time, snapshot);
    mica_result result = check(m);
    if (!result) {
        result = place < m->time->count ? MICA_OK : MICA_ERROR_TIME;
    }
    if (!result) {
        model_restore(m, place);
    }
    return result;
}

void library_restore(lab *l, const tape_op *op, outcome *got)
{
    mica_snapshot snapshot = chosen(&l->time, op);
    got->code = restore(l, snapshot);
    if (!got->code && (op->d & TWICE)) {
        got->code = restore(l, snapshot);
    }
    if (!got->code) {
        look_anew(l);
    }
}

void model_of_restore(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = want_restored(m, chosen(m->time, op));
}

// Back, or, if d & 1, forward again, from where the world is.

static mica_snapshot neighbour(const model_time *time, const tape_op *op)
{
    uint32_t place = place_of(time, time->current);
    bool somewhere = place < time->count;
    return op->d & 1 ? snapshot_at(time, somewhere ? place + 1 : 0)
                     : snapshot_at(time, somewhere ? place - 1 : time->count - 1);
}

void library_undo(lab *l, const tape_op *op, outcome *got)
{
    mica_snapshot current = mica_snapshot_current(l->world);
    if (!l->time.begun) {
        got->code = mica_last_error(l->world)->code;
        return;
    }
    mica_snapshot to = op->d & 1 ? mica_snapshot_next(l->world, current)
                                 : mica_snapshot_previous(l->world, current);
    if (!MICA_EQUAL(to, neighbour(&l->time, op))) {
        lab_differ(l, "another snapshot is beside the current one");
    } else if (!MICA_IS_NONE(to)) {
        got->code = restore(l, to);
        if (!got->code) {
            look_anew(l);
        }
    }
}

void model_of_undo(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    mica_snapshot to = neighbour(m->time, op);
    if (!m->time->begun) {
        want->code = MICA_ERROR_TIME;
    } else if (!MICA_IS_NONE(to)) {
        want->code = want_restored(m, to);
    }
}

// Once more what was done since the last snapshot or restore, after it was restored. The model goes along.

void library_again(lab *l, const tape_op *op, outcome *got)
{
    (void)op;
    mica_snapshot current = l->time.current;
    if (MICA_IS_NONE(current)) {
        return;
    }
    got->code = restore(l, current);
    if (!got->code) {
        model_restore(&l->m, place_of(&l->time, current));
        look_anew(l);
        tape_again(l);
    }
}

void model_of_again(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)op, (void)got;
    want->code = MICA_IS_NONE(m->time->current) ? MICA_OK : check(m);
}

// Dropping: the oldest, one between, the newest, or any, by c. Pinning, if d & 1.

static mica_snapshot unwanted(const model_time *time, const tape_op *op)
{
    enum { OLDEST, MIDDLE, NEWEST, WAYS = 4 };
    uint32_t way = op->c % WAYS;
    return op->d & GONE || way > NEWEST ? chosen(time, op)
           : way == OLDEST              ? snapshot_at(time, 0)
           : way == MIDDLE              ? snapshot_at(time, time->count / 2)
                                        : snapshot_at(time, time->count - 1);
}

void library_drop(lab *l, const tape_op *op, outcome *got)
{
    got->code = mica_snapshot_drop(l->world, unwanted(&l->time, op));
}

void model_of_drop(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    uint32_t place = place_of(m->time, unwanted(m->time, op));
    want->code = check(m);
    if (!want->code && place == m->time->count) {
        want->code = MICA_ERROR_TIME;
    } else if (!want->code) {
        model_drop(m, place);
    }
}

void library_pin(lab *l, const tape_op *op, outcome *got)
{
    got->code = mica_snapshot_pin(l->world, chosen(&l->time, op), op->d & 1);
}

void model_of_pin(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    uint32_t place = place_of(m->time, chosen(m->time, op));
    want->code = check(m);
    if (!want->code && place == m->time->count) {
        want->code = MICA_ERROR_TIME;
    } else if (!want->code) {
        m->time->moments[place].pinned = op->d & 1;
    }
}

// Comparing the newest but a with the newest but b; if d & 1, no further than c differences.

enum { STOPS = 1, DIFFERENCES = 4 * MODEL_SLOTS };

// What the model finds: of which entity and which type, with the numbers that the values have.
typedef struct difference {
    mica_state_difference_kind kind;
    mica_entity entity;
    uint32_t type; // MODEL_TYPES + 1: none
    const uint32_t *before, *after;
} difference;

typedef struct comparison {
    lab *l;
    uint32_t count;
    uint32_t reported;
    uint32_t most;
    difference list[DIFFERENCES];
} comparison;

enum { NO_TYPE = MODEL_OWNED + 1 };

// The order in which they are registered.
static const uint32_t in_order[] = {MARK,   WATCHED, LONG,  BYTE,       WORD,
                                    TRIPLE, WIDE,    BADGE, MODEL_OWNED};

static void add(comparison *c, difference one)
{
    if (c->count < DIFFERENCES) {
        c->list[c->count++] = one;
    }
}

// A number is not all of it in small types.
static bool is_equal(uint32_t type, const uint32_t *before, const uint32_t *after)
{
    static tracker none = {.idle = true};
    lab_value values[2] = {{{0}}, {{0}}};
    uint32_t shape = type == MODEL_OWNED ? WATCHED : type;
    lab_put(&none, &values[0], shape, *before);
    lab_put(&none, &values[1], shape, *after);
    return memcmp(&values[0], &values[1], lab_size(shape)) == 0;
}

static bool has(const model_slot *slot, uint32_t type)
{
    return slot && (type == MODEL_OWNED ? slot->owns : slot->types >> type & 1);
}

static const uint32_t *value_of(const model_slot *slot, uint32_t type)
{
    return !has(slot, type) || model_is_tag(type) ? NULL
           : type == MODEL_OWNED                  ? &slot->owned
                                                  : &slot->values[type];
}

static void expect_component(comparison *c, mica_entity entity, uint32_t type,
                             const model_slot *before, const model_slot *after)
{
    difference one = {MICA_STATE_CHANGED, entity, type, value_of(before, type),
                      value_of(after, type)};
    if (has(before, type) != has(after, type)) {
        one.kind = has(after, type) ? MICA_STATE_ADDED : MICA_STATE_REMOVED;
        add(c, one);
    } else if (has(after, type)) {
        if (one.before && !is_equal(type, one.before, one.after)) {
            add(c, one);
        }
        if (type < MODEL_TYPES && ((before->off ^ after->off) >> type & 1)) {
            one.kind = MICA_STATE_TOGGLED;
            add(c, one);
        }
    }
}

// Somebody, as before and afterwards; NULL: not there.
static void expect_entity(comparison *c, mica_entity entity, const model_slot *before,
                          const model_slot *after)
{
    if (!before) {
        add(c, (difference){.kind = MICA_STATE_SPAWNED, .entity = entity, .type = NO_TYPE});
    }
    for (uint32_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++) {
        expect_component(c, entity, in_order[i], before, after);
    }
    if (!after) {
        add(c, (difference){.kind = MICA_STATE_DESPAWNED, .entity = entity, .type = NO_TYPE});
    }
}

static void expect_name(comparison *c, mica_entity entity, const model_slot *before,
                        const model_slot *after)
{
    const uint32_t *was = before && before->name ? &before->name : NULL;
    const uint32_t *is = after && after->name ? &after->name : NULL;
    if (was && is ? *was != *is : was || is) {
        add(c, (difference){MICA_STATE_NAME, entity, NO_TYPE, was, is});
    }
}

// Of a slot; whoever lived there first comes first.
static void expect_slot(comparison *c, const model *from, const model *to, uint32_t at, bool names)
{
    void (*expect)(comparison *, mica_entity, const model_slot *, const model_slot *) =
        names ? expect_name : expect_entity;
    const model_slot *before = &from->slots[at];
    const model_slot *after = &to->slots[at];
    before = before->state == MODEL_ALIVE ? before : NULL;
    after = after->state == MODEL_ALIVE ? after : NULL;
    if (before && after && before->generation == after->generation) {
        expect(c, model_handle(to, at), before, after);
        return;
    }
    bool later_first = before && after && after->generation < before->generation;
    if (later_first) {
        expect(c, model_handle(to, at), NULL, after);
    }
    if (before) {
        expect(c, model_handle(from, at), before, NULL);
    }
    if (after && !later_first) {
        expect(c, model_handle(to, at), NULL, after);
    }
}

static void expect_all(comparison *c, const model *from, const model *to)
{
    static const struct {
        uint32_t which, type;
    } resources[MODEL_RESOURCES] = {{1, WATCHED}, {0, WORD}, {2, WIDE}};
    for (uint32_t i = 0; i < 2 * to->limit; i++) {
        expect_slot(c, from, to, i % to->limit, i >= to->limit);
    }
    for (uint32_t i = 0; i < MODEL_RESOURCES; i++) {
        const model_resource *was = &from->resources[resources[i].which];
        const model_resource *is = &to->resources[resources[i].which];
        difference one = {.kind = MICA_STATE_RESOURCE,
                          .type = resources[i].type,
                          .before = was->exists ? &was->number : NULL,
                          .after = is->exists ? &is->number : NULL};
        if (one.before && one.after ? !is_equal(one.type, one.before, one.after)
                                    : one.before || one.after) {
            add(c, one);
        }
    }
}

static bool is_value(const lab *l, const difference *one, const uint32_t *number, const void *value)
{
    char text[16];
    if (!number || !value) {
        return !number && !value;
    }
    return one->kind == MICA_STATE_NAME
               ? strcmp(lab_name(*number, text), value) == 0
               : lab_holds(l, value, one->type == MODEL_OWNED ? WATCHED : one->type, *number);
}

static bool meet(const mica_state_difference *reported)
{
    comparison *c = reported->user;
    lab *l = c->l;
    const difference *one = &c->list[c->reported];
    if (c->reported++ == c->count) {
        return lab_differ(l, "a comparison reports more than %" PRIu32 " differences", c->count);
    }
    mica_type type = one->type == NO_TYPE       ? (mica_type){0}
                     : one->type == MODEL_OWNED ? l->owned
                                                : l->types[one->type];
    if (reported->kind != one->kind || !MICA_EQUAL(reported->entity, one->entity) ||
        !MICA_EQUAL(reported->type, type) || !is_value(l, one, one->before, reported->before) ||
        !is_value(l, one, one->after, reported->after)) {
        return lab_differ(l,
                          "a comparison reports kind %d of slot %" PRIu32 " as the %" PRIu32
                          ". difference, not kind %d of slot %" PRIu32 ", type %" PRIu32,
                          (int)reported->kind, mica_entity_slot(reported->entity), c->reported,
                          (int)one->kind, mica_entity_slot(one->entity), one->type);
    }
    return c->reported < c->most;
}

void library_compare(lab *l, const tape_op *op, outcome *got)
{
    static comparison c;
    const model_time *time = &l->time;
    mica_snapshot from = chosen(time, op);
    mica_snapshot to = chosen(time, &(tape_op){.a = op->b});
    c.l = l;
    c.count = c.reported = 0;
    c.most = op->d & STOPS ? 1 + op->c % 8u : UINT32_MAX;
    uint32_t first = place_of(time, from);
    uint32_t second = place_of(time, to);
    if (first < time->count && second < time->count) {
        expect_all(&c, &time->moments[first].was, &time->moments[second].was);
    }
    uint64_t digest = mica_world_digest(l->world);
    if (first < time->count && !check(&l->m) &&
        mica_snapshot_hash(l->world, from) != time->moments[first].hash) {
        lab_differ(l, "a snapshot has another hash");
    }
    got->code = mica_snapshot_compare(l->world, from, to, meet, &c);
    uint32_t most = c.most < c.count ? c.most : c.count;
    if (!got->code && c.reported != most) {
        lab_differ(l, "a comparison reports %" PRIu32 " differences, not %" PRIu32, c.reported,
                   most);
    }
    if (mica_world_digest(l->world) != digest) {
        lab_differ(l, "a comparison changes the digest");
    }
}

void model_of_compare(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = check(m);
    if (!want->code &&
        (m->time->count == 0 || place_of(m->time, chosen(m->time, op)) == m->time->count)) {
        want->code = MICA_ERROR_TIME;
    }
}

// What there is, after each operation

bool lab_compare_time(lab *l)
{
    const model_time *time = &l->time;
    mica_time_stats stats = mica_time_get_stats(l->world);
    if (stats.begun != time->begun || stats.snapshots != time->count) {
        return lab_differ(l, "%" PRIu32 " snapshots are kept, not %" PRIu32, stats.snapshots,
                          time->count);
    }
    if (!time->begun) {
        return true;
    }
    mica_snapshot next = {0}, previous = {0};
    bool same = MICA_EQUAL(mica_snapshot_current(l->world), time->current);
    for (uint32_t i = 0; same && i <= time->count; i++) {
        next = mica_snapshot_next(l->world, next);
        previous = mica_snapshot_previous(l->world, previous);
        same = MICA_EQUAL(next, snapshot_at(time, i)) &&
               MICA_EQUAL(previous, snapshot_at(time, time->count - 1 - i)) &&
               mica_snapshot_is_kept(l->world, next) == (i < time->count);
    }
    same = same && !mica_snapshot_is_kept(l->world, time->gone);
    if (time->wide) {
        return lab_differ(l, "thinning has left too wide a gap");
    }
    return same || lab_differ(l, "other snapshots are kept, or one that is gone");
}
