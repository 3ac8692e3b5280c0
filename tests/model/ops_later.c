// S3.8, commands: an operation records a handful of them, in an iteration, in a system, by hand, or on a buffer of
// its own, and has them carried out. Some are functions, which change the world and record further ones.
//
// The commands are drawn from the numbers of the operation. Whom they are about is somebody who lives when
// the operation begins, or who was made by one of them. While an iteration is open from one operation to
// the next, they go into a buffer that is discarded.
#include "model/tape.h"

enum { COMMANDS = 12, WAITING = 10 * COMMANDS };

typedef enum kind {
    KIND_SPAWN,
    KIND_DESPAWN,
    KIND_SET,
    KIND_REMOVE,
    KIND_GIVE, // what cannot be copied
    KIND_TOGGLE,
    KIND_SEND, // about nobody
    KIND_NAME, // from here on: at its place
    KIND_CLONE,
    KIND_CALL,
    KIND_EXTEND
} kind;

// The numbers are those of operations that do the same at once: a: who, b: which types or name, c: which
// value, d: how.
typedef struct wish {
    kind kind;
    tape_op op;
} wish;

// How they are recorded: d & 3.
enum { IN_ITERATION, BY_HAND, ON_A_BUFFER, IN_A_SYSTEM };

// Facets are made, too: c & 256, so that tapes which were kept mean what they meant.
enum { WITH_FACETS = 256 };

// What a function does.
enum { CALL_DESPAWN = 1, CALL_SPAWN = 2, CALL_RECORD = 4 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 40) % below;
}

static uint32_t draw_wishes(const tape_op *op, wish *wishes_out)
{
    static const kind often[] = {KIND_SPAWN,  KIND_DESPAWN, KIND_SET,    KIND_SET,
                                 KIND_REMOVE, KIND_REMOVE,  KIND_TOGGLE, KIND_SEND,
                                 KIND_GIVE,   KIND_NAME,    KIND_CLONE,  KIND_CALL,
                                 KIND_SPAWN,  KIND_EXTEND,  KIND_EXTEND, KIND_EXTEND};
    uint64_t state = (uint64_t)op->a << 48 | (uint64_t)op->b << 32 | (uint64_t)op->c << 16 | op->d;
    uint32_t count = 1 + draw(&state, COMMANDS);
    enum { IN_NO_PLACE = 8, NO_FACETS = 13, ALL = 16 };
    uint32_t kinds = draw(&state, 3) ? IN_NO_PLACE : NO_FACETS;
    kinds = op->c & WITH_FACETS ? ALL : kinds;
    uint32_t crowd = 1 + draw(&state, 12);
    for (uint32_t i = 0; i < count; i++) {
        wishes_out[i].kind = often[draw(&state, kinds)];
        wishes_out[i].op = (tape_op){.a = (uint16_t)draw(&state, crowd),
                                     .b = (uint16_t)(draw(&state, 256) & draw(&state, 256)),
                                     .c = (uint16_t)draw(&state, 65536),
                                     .d = (uint16_t)draw(&state, 4096)};
        if (wishes_out[i].kind != KIND_EXTEND) { // which has a key there
            wishes_out[i].op.c &= 255;
        }
    }
    return count;
}

// Whom a wish is about: of those who lived, or of those who were made since, the last ones first.
static mica_entity choose(const model *before, const wish *one, const mica_entity *made,
                          uint32_t made_count)
{
    bool newcomer = made_count > 0 && one->op.a % 3 == 0;
    return newcomer ? made[made_count - 1 - one->op.a / 3 % made_count]
                    : model_pick(before, one->op.a);
}

// The library

typedef struct run {
    lab *l;
    const model *before;
    const wish *wishes;
    uint32_t count;
    outcome *got; // its entities are those that were made
} run;

static void got_one(run *r, mica_entity entity)
{
    if (!MICA_IS_NONE(entity)) {
        r->got->entities[r->got->count++] = entity;
    }
}

static void spawn(run *r, mica_world *face, const wish *one)
{
    tape_items items = tape_list(&one->op);
    tape_values values;
    tape_make(r->l, &items, &values);
    got_one(r, mica_spawn_values(face, values.values, values.count));
    tape_drop(r->l, &items, &values);
}

static void set(run *r, mica_world *face, const wish *one, mica_entity entity)
{
    tape_items items = tape_list(&one->op);
    tape_values values;
    tape_make(r->l, &items, &values);
    mica_set_values(face, entity, values.values, values.count);
    tape_drop(r->l, &items, &values);
}

static void remove_types(run *r, mica_world *face, const wish *one, mica_entity entity)
{
    mica_type types[MODEL_TYPES];
    uint32_t count = 0;
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        if (one->op.b >> t & 1) {
            types[count++] = r->l->types[t];
        }
    }
    mica_change(face, entity, NULL, 0, types, count);
}

static void give(run *r, mica_world *face, const wish *one, mica_entity entity)
{
    tracked value = tracked_make(&r->l->tracker, one->op.c);
    if (mica_set_value(face, entity, r->l->owned, &value, sizeof value)) {
        tracked_drop(&r->l->tracker, &value);
    }
}

static void extend(run *r, mica_world *face, const wish *one, mica_entity entity)
{
    got_one(r, tape_extend(r->l, face, tape_owner(r->before, entity, &one->op), &one->op));
}

static void send(run *r, mica_world *face, const wish *one)
{
    if (tape_may_send(r->before)) {
        tape_send(r->l, face, &one->op);
    }
}

typedef struct call_data {
    run *r;
    const wish *one;
} call_data;

static void called(mica_world *world, const void *data)
{
    const call_data *call = data;
    run *r = call->r;
    mica_entity who = choose(r->before, call->one, r->got->entities, r->got->count);
    if (call->one->op.d & CALL_DESPAWN) {
        mica_despawn(world, who);
    }
    if (call->one->op.d & CALL_SPAWN) {
        spawn(r, world, call->one);
    }
    if (call->one->op.d & CALL_RECORD) {
        mica_world *later = mica_world_later(world);
        spawn(r, later, call->one);
        mica_despawn(later, who);
        set(r, later, call->one, choose(r->before, call->one, r->got->entities, r->got->count));
    }
}

static void record(run *r, mica_world *face, const wish *one)
{
    mica_entity who = choose(r->before, one, r->got->entities, r->got->count);
    mica_type type = r->l->types[one->op.b % MODEL_TYPES];
    uint32_t name = one->op.b % (MODEL_NAMES + 1);
    char text[16];
    switch (one->kind) {
    case KIND_SPAWN: spawn(r, face, one); break;
    case KIND_DESPAWN: mica_despawn(face, who); break;
    case KIND_SET: set(r, face, one, who); break;
    case KIND_REMOVE: remove_types(r, face, one, who); break;
    case KIND_GIVE: give(r, face, one, who); break;
    case KIND_TOGGLE: (one->op.d & 1 ? mica_disable : mica_enable)(face, who, type); break;
    case KIND_SEND: send(r, face, one); break;
    case KIND_NAME: mica_entity_set_name(face, who, name ? lab_name(name, text) : NULL); break;
    case KIND_CLONE: got_one(r, mica_clone(face, who)); break;
    case KIND_EXTEND: extend(r, face, one, who); break;
    default: mica_defer_call(face, called, &(call_data){r, one}, sizeof(call_data)); break;
    }
}

static void record_all(run *r, mica_world *face)
{
    for (uint32_t i = 0; i < r->count; i++) {
        record(r, face, &r->wishes[i]);
    }
}

static void record_in_system(mica_iter *it)
{
    run *r = it->user;
    record_all(r, mica_later(it));
    r->count = 0; // once
}

static void step(run *r)
{
    lab *l = r->l;
    mica_system system = mica_system_add(
        l->world,
        &(mica_system_desc){.name = "later",
                            .update = record_in_system,
                            .user = r,
                            .query = {.everything = true},
                            .events = {{tape_event_type(l, MODEL_PLAIN_EVENT), MICA_WRITE},
                                       {tape_event_type(l, MODEL_WATCHED_EVENT), MICA_WRITE}}});
    if (mica_step(l->world, 1) || mica_system_remove(l->world, system)) {
        lab_differ(l, "a step with commands fails");
    }
}

static void iterate(run *r, uint32_t query, bool leave)
{
    lab *l = r->l;
    mica_iter it;
    mica_iter_begin(l->world, l->queries[query], &it);
    record_all(r, mica_later(&it));
    while (mica_iter_next(&it)) {
        if (leave) {
            mica_iter_end(&it);
            break;
        }
    }
}

static void use_buffer(run *r, bool apply)
{
    mica_world *own = mica_commands_new(r->l->world);
    record_all(r, own);
    if ((apply ? mica_commands_apply(own) : mica_commands_discard(own)) ||
        mica_commands_free(own)) {
        lab_differ(r->l, "a buffer of commands is not applied");
    }
}

// In a system of everybody nothing is recorded if nobody lives.
static uint32_t way_of(const model *m, const tape_op *op)
{
    uint32_t way = op->d & 3;
    bool possible = way == IN_ITERATION  ? m->queries[op->a % MODEL_QUERIES].exists
                    : way == IN_A_SYSTEM ? model_count(m) > 0
                                         : true;
    return model_is_open(m) ? ON_A_BUFFER : possible ? way : BY_HAND;
}

// `changed` is how many errors were reported and commands dropped.
static uint32_t figure(uint32_t errors, uint64_t dropped)
{
    return errors << 16 | (uint32_t)dropped;
}

void library_later(lab *l, const tape_op *op, outcome *got)
{
    wish wishes[COMMANDS];
    static model before;
    before = l->m;
    run r = {l, &before, wishes, draw_wishes(op, wishes), got};
    uint64_t dropped = mica_world_get_stats(l->world).commands_dropped;
    uint32_t waiting = mica_commands_count(l->world); // for the iterations that are open
    switch (way_of(&l->m, op)) {
    case IN_ITERATION: iterate(&r, op->a % MODEL_QUERIES, op->d & 4); break;
    case BY_HAND:
        record_all(&r, mica_world_later(l->world));
        if (mica_commands_apply(l->world)) {
            lab_differ(l, "commands are not carried out");
        }
        break;
    case ON_A_BUFFER: use_buffer(&r, !model_is_open(&l->m)); break;
    default: step(&r); break;
    }
    if (mica_commands_count(l->world) != waiting) {
        lab_differ(l, "commands still wait");
    }
    got->changed = figure(test_error_clear(&l->t.error),
                          mica_world_get_stats(l->world).commands_dropped - dropped);
}

// The model

typedef struct waiting {
    const wish *one;
    kind kind;
    mica_entity entity;
    mica_entity source; // of a clone; the owner of a facet
    model_edit edit;
    uint32_t commands; // that it is
    bool reacts;       // what the observer has recorded, not `one`
    bool done;
} waiting;

typedef struct waiting_list {
    waiting items[WAITING];
    uint32_t first;
    uint32_t count;
} waiting_list;

typedef struct plan {
    model *m;
    const model *before;
    waiting_list *later; // where functions record
    outcome *want;
    uint32_t errors;
    uint32_t dropped;
} plan;

static void count_error(plan *p, mica_result result)
{
    p->errors += result != MICA_OK;
}

// May somebody be cloned, or have a facet? Whether it has one under that key already is known when it is made.
static mica_result check_source(const plan *p, const wish *one, kind what, mica_entity who)
{
    const model *m = p->m;
    if (!model_find(p->m, who) && !model_is_pending(m, who)) {
        return MICA_ERROR_ENTITY;
    }
    bool is_facet = !MICA_EQUAL(model_facet_owner(m, who), who);
    bool is_main = MICA_EQUAL(model_facet_find(m, who, tape_label(&one->op)), who);
    return what == KIND_CLONE ? MICA_OK
           : is_facet         ? MICA_ERROR_ARGUMENT
           : is_main          ? MICA_ERROR_KEY
                              : MICA_OK;
}

// Records; a mistake is reported at once.
static void expect(plan *p, waiting_list *list, const wish *one, kind what, mica_entity who)
{
    model *m = p->m;
    waiting w = {.one = one, .kind = what, .entity = who, .commands = 1};
    tape_items items = tape_list(&one->op);
    mica_result result = MICA_OK;
    if (what == KIND_SPAWN || what == KIND_CLONE || what == KIND_EXTEND) {
        w.source = what == KIND_EXTEND ? tape_owner(p->before, who, &one->op) : who;
        w.edit = what == KIND_SPAWN    ? tape_edit(&items)
                 : what == KIND_EXTEND ? tape_facet_edit(&one->op)
                                       : w.edit;
        result = what == KIND_SPAWN ? MICA_OK : check_source(p, one, what, w.source);
        result = result ? result : model_room(m, 1);
        if (!result) {
            w.entity = model_pend(m);
            p->want->entities[p->want->count++] = w.entity;
        }
    } else if (what == KIND_SEND) {
        w.entity = (mica_entity){0};
        w.commands = tape_may_send(p->before);
    } else if (what != KIND_CALL) {
        bool toggles = m->can.toggle >> (one->op.b % MODEL_TYPES) & 1;
        result = !model_find(m, who) && !model_is_pending(m, who) ? MICA_ERROR_ENTITY
                 : what == KIND_TOGGLE && !toggles                ? MICA_ERROR_ARGUMENT
                                                                  : MICA_OK;
        if (what == KIND_SET) {
            w.edit = tape_edit(&items);
            w.commands = items.count;
        } else if (what == KIND_REMOVE) {
            w.edit.without = one->op.b;
            w.commands = 0;
            for (uint32_t t = 0; t < MODEL_TYPES; t++) {
                w.commands += one->op.b >> t & 1;
            }
        } else if (what == KIND_GIVE) {
            w.edit = (model_edit){.gives = true, .assignment = one->op.c};
        }
    }
    count_error(p, result);
    if (!result && w.commands > 0) {
        list->items[list->count++] = w;
    }
}

// The observer is reported that its type has come to somebody: what it does then waits behind all the others.
static void react(plan *p, const wish *one, mica_entity who, uint32_t come)
{
    const model_reaction *reaction = &p->m->reaction;
    if (reaction->on && (come >> reaction->type & 1)) {
        p->later->items[p->later->count++] = (waiting){.one = one,
                                                       .kind = KIND_SET,
                                                       .entity = who,
                                                       .edit = model_react(reaction),
                                                       .commands = 1,
                                                       .reacts = true};
    }
}

static mica_entity whom(const plan *p, const wish *one)
{
    return choose(p->before, one, p->want->entities, p->want->count);
}

static void call(plan *p, const wish *one)
{
    model *m = p->m;
    mica_entity who = whom(p, one);
    tape_items items = tape_list(&one->op);
    model_edit edit = tape_edit(&items);
    if (one->op.d & CALL_DESPAWN) {
        count_error(p, model_despawn(m, &who, 1));
    }
    if (one->op.d & CALL_SPAWN) {
        mica_result result = model_spawn(m, &edit, p->want);
        count_error(p, result);
        if (!result) {
            react(p, one, p->want->entities[p->want->count - 1], edit.with);
        }
    }
    if (one->op.d & CALL_RECORD) {
        expect(p, p->later, one, KIND_SPAWN, who);
        expect(p, p->later, one, KIND_DESPAWN, who);
        expect(p, p->later, one, KIND_SET, whom(p, one));
    }
}

static void clone(plan *p, const waiting *w)
{
    model_slot *source = model_find(p->m, w->source);
    if (!source || (source->owns && !p->m->can.plain)) {
        p->dropped += !source;
        p->errors += source != NULL;
        model_pass(p->m, w->entity);
        return;
    }
    const model_slot copied = *source;
    model_edit edit = {.with = copied.types,
                       .given = copied.types,
                       .gives = copied.owns,
                       .assignment = copied.owned};
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        edit.values[t] = copied.values[t];
    }
    model_settle(p->m, w->entity, &edit);
    model_find(p->m, w->entity)->off = copied.off;
    react(p, w->one, w->entity, copied.types);
}

static void make_facet(plan *p, const waiting *w)
{
    bool owned = model_find(p->m, w->source) != NULL;
    model_label label = tape_label(&w->one->op);
    if (!owned || model_check_label(p->m, w->source, label)) {
        p->dropped += !owned;
        p->errors += owned;
        model_pass(p->m, w->entity);
        return;
    }
    model_settle_facet(p->m, w->entity, w->source, label, &w->edit);
    react(p, w->one, w->entity, w->edit.with);
}

static void carry_out(plan *p, waiting *w)
{
    model *m = p->m;
    const tape_op *op = &w->one->op;
    w->done = true;
    if (w->kind == KIND_SPAWN) {
        model_settle(m, w->entity, &w->edit);
    } else if (w->kind == KIND_CLONE) {
        clone(p, w);
    } else if (w->kind == KIND_EXTEND) {
        make_facet(p, w);
    } else if (w->kind == KIND_CALL) {
        call(p, w->one);
    } else if (w->kind == KIND_SEND) {
        tape_expect_sent(m, op);
    } else if (!model_find(m, w->entity)) {
        p->dropped += w->commands;
    } else if (w->kind == KIND_DESPAWN) {
        model_despawn(m, &w->entity, 1);
    } else if (w->kind == KIND_TOGGLE) {
        count_error(p, model_toggle(m, w->entity, op->b % MODEL_TYPES, op->d & 1));
    } else if (w->kind == KIND_NAME) {
        count_error(p, model_name(m, w->entity, op->b % (MODEL_NAMES + 1)));
    } else {
        model_change(m, w->entity, &w->edit);
    }
}

// Of one entity: the types that it had when what is one change began, and has now.
typedef struct stretch {
    uint32_t had;
    uint32_t has;
} stretch;

static void tell(plan *p, stretch *s, const waiting *w)
{
    react(p, w->one, w->entity, s->has & ~s->had);
    s->had = s->has;
}

// What has gone and is to come again is another change, unless a value takes its place that is enabled anyway.
static void note_one(plan *p, stretch *s, const waiting *w, uint32_t type, bool valued)
{
    uint32_t bit = UINT32_C(1) << type;
    if ((s->had & ~s->has & bit) && (!valued || (p->m->can.toggle & bit))) {
        tell(p, s, w);
    }
    s->has |= bit;
}

// Notes what a command does. Who ends is reported nothing of what came right before.
static void note(plan *p, stretch *s, const waiting *w)
{
    const model_reaction *reaction = &p->m->reaction;
    tape_items items = tape_list(&w->one->op);
    if (w->kind == KIND_DESPAWN) {
        s->had = s->has;
    } else if (w->edit.without) {
        s->has &= ~w->edit.without;
    } else if (w->reacts) {
        note_one(p, s, w, reaction->other, !model_is_tag(reaction->other));
    } else if (w->kind == KIND_SPAWN || w->kind == KIND_SET) {
        for (uint32_t i = 0; i < items.count; i++) {
            uint32_t type = items.types[i];
            bool given = items.given[i] && (w->edit.given >> type & 1); // the later one counts
            note_one(p, s, w, type, given && !model_is_tag(type));
        }
    }
}

// All that is about the same entity as this one, which is the first, is one change.
static void carry_out_all_of(plan *p, waiting *items, uint32_t first, uint32_t end)
{
    const waiting w = items[first];
    const model_slot *slot = model_find(p->m, w.entity);
    stretch s = {slot ? slot->types : 0, slot ? slot->types : 0};
    for (uint32_t k = first; k < end; k++) {
        waiting *next = &items[k];
        if (next->done || !MICA_EQUAL(next->entity, w.entity)) {
            continue;
        }
        if (next->kind == KIND_SPAWN || model_find(p->m, w.entity)) {
            note(p, &s, next);
        }
        carry_out(p, next);
    }
    tell(p, &s, &w);
}

// From the first that waits: one that stays in its place; or all up to the next of those, of which each
// entity comes with its first, and is done with.
static void carry_out_next(plan *p, waiting_list *list)
{
    uint32_t end = list->first;
    while (end < list->count && list->items[end].kind < KIND_NAME) {
        end++;
    }
    if (end == list->first) {
        list->first++;
        carry_out(p, &list->items[end]);
        return;
    }
    for (uint32_t i = list->first; i < end; i++) {
        if (!list->items[i].done) {
            carry_out_all_of(p, list->items, i, end);
        }
    }
    list->first = end;
}

static void discard(model *m, const waiting_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        kind what = list->items[i].kind;
        if (what == KIND_SPAWN || what == KIND_CLONE || what == KIND_EXTEND) {
            model_pass(m, list->items[i].entity);
        }
    }
}

void model_of_later(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    static waiting_list lists[2];
    static model before;
    wish wishes[COMMANDS];
    uint32_t count = draw_wishes(op, wishes);
    before = *m;
    lists[0].first = lists[0].count = lists[1].first = lists[1].count = 0;
    waiting_list *list = &lists[way_of(m, op) == ON_A_BUFFER];
    plan p = {.m = m, .before = &before, .later = &lists[0], .want = want};
    for (uint32_t i = 0; i < count; i++) {
        expect(&p, list, &wishes[i], wishes[i].kind, whom(&p, &wishes[i]));
    }
    uint32_t way = way_of(&before, op);
    m->clock += way == IN_A_SYSTEM;
    if (way == IN_ITERATION) {
        model_hand_out(m, op->a % MODEL_QUERIES);
    }
    if (model_is_open(m)) {
        discard(m, list);
    } else {
        while (lists[1].first < lists[1].count) {
            carry_out_next(&p, &lists[1]);
        }
        while (lists[0].first < lists[0].count) {
            carry_out_next(&p, &lists[0]);
        }
        model_blur(m, &before);
    }
    if (way == IN_A_SYSTEM) {
        model_end_frame(m);
    }
    want->changed = figure(p.errors, p.dropped);
}
