// The operation that has an observer react from now on, or no more: when a component has come to somebody, it
// records that another is set, or goes.
#include "model/tape.h"

// Of type b, by c to which other one; that goes if d & 1.
static model_reaction reaction_of(const tape_op *op)
{
    uint32_t type = op->b % MODEL_TYPES;
    return (model_reaction){.on = true,
                            .type = type,
                            .other = (type + 1 + op->c % (MODEL_TYPES - 1)) % MODEL_TYPES,
                            .number = op->c,
                            .removes = op->d & 1};
}

static void hear(const mica_observer_event *h)
{
    lab *l = h->user;
    const model_reaction *reaction = &l->m.reaction;
    mica_type other = l->types[reaction->other];
    if (reaction->removes) {
        mica_remove(h->later, h->entity, other);
        return;
    }
    lab_value room;
    mica_value value = lab_make(l, &room, reaction->other, reaction->number);
    mica_set_value(h->later, h->entity, other, value.data, value.size);
    lab_drop(&l->tracker, &room, reaction->other);
}

void library_react(lab *l, const tape_op *op, outcome *got)
{
    if (model_is_open(&l->m)) {
        return;
    }
    if (l->m.reaction.on) {
        got->code = mica_observer_free(l->world, l->reacting);
        return;
    }
    const mica_observer_desc desc = {
        .type = l->types[reaction_of(op).type], .events = MICA_ON_ADD, .call = hear, .user = l};
    l->reacting = mica_observer_new(l->world, &desc);
    got->code = MICA_IS_NONE(l->reacting) ? mica_last_error(l->world)->code : MICA_OK;
}

void model_of_react(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    (void)want;
    if (!model_is_open(m)) {
        m->reaction = m->reaction.on ? (model_reaction){0} : reaction_of(op);
    }
}

// What comes of it

model_edit model_react(const model_reaction *reaction)
{
    uint32_t bit = UINT32_C(1) << reaction->other;
    model_edit edit = {.without = bit};
    if (!reaction->removes) {
        edit = (model_edit){.with = bit, .given = bit};
        edit.values[reaction->other] = reaction->number;
    }
    return edit;
}

static bool has_reason(const model *m, const model *before, uint32_t slot)
{
    const model_slot *is = &m->slots[slot];
    const model_slot *was = &before->slots[slot];
    uint32_t bit = UINT32_C(1) << m->reaction.type;
    bool had = was->state == MODEL_ALIVE && was->generation == is->generation && (was->types & bit);
    return m->reaction.on && is->state == MODEL_ALIVE && (is->types & bit) && !had;
}

void model_owe(model *m, const model *before)
{
    for (uint32_t i = 0; i < m->limit; i++) {
        m->reaction.owed[i] += has_reason(m, before, i);
    }
}

// As commands, of which the net effect is known.
static void pay(model *m)
{
    static model before;
    const model_edit edit = model_react(&m->reaction);
    bool owes = false;
    for (uint32_t i = 0; m->reaction.on && i < m->limit; i++) {
        owes = owes || m->reaction.owed[i] > 0;
    }
    if (!owes) {
        return;
    }
    before = *m;
    for (uint32_t i = 0; i < m->limit; i++) {
        if (m->reaction.owed[i] > 0) {
            model_change(m, model_handle(m, i), &edit);
        }
        m->reaction.owed[i] = 0;
    }
    model_blur(m, &before);
}

void model_catch_up(model *m)
{
    if (!model_is_open(m)) {
        model_send_waiting(m);
        pay(m);
    }
}

uint32_t model_count_watched_debts(const model *m)
{
    const model_reaction *reaction = &m->reaction;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->limit; i++) {
        count += reaction->owed[i];
    }
    return reaction->on && !reaction->removes && reaction->other == WATCHED ? count : 0;
}
