// Operations on values that end and cannot be copied: whoever gives one has handed it over, if the
// call succeeded. They lie beside the model's other types, so that masks of those stay what they are.
#include "model/tape.h"

// How a value is given, by d: alone, with a word, with a word while type b goes, to a new entity, or
// as a default.
enum { ALONE, WITH_OTHERS, CHANGING, NEW, DEFAULT, WAYS };

// How often, by d >> 3: once, the same twice, two of them, once and then without data. The last three
// are mistakes, but where only one can be given.
enum { ONCE, SAME_TWICE, TWO, THEN_NONE, TIMES };

static uint32_t way_of(const tape_op *op)
{
    return (op->d & 7u) % WAYS;
}

static uint32_t times_of(const tape_op *op)
{
    uint32_t way = way_of(op);
    return way == ALONE || way == DEFAULT ? ONCE : (op->d >> 3) % TIMES;
}

static uint32_t removed_of(const tape_op *op)
{
    return op->b % MODEL_TYPES;
}

// The values of one call, the first of which is handed over.
typedef struct gifts {
    uint32_t count;
    mica_value values[3];
    tracked first, second;
    lab_value word;
} gifts;

static void wrap(lab *l, const tape_op *op, gifts *g)
{
    g->first = tracked_make(&l->tracker, op->c);
    g->second = tracked_make(&l->tracker, op->c + 1);
    g->count = 0;
    g->values[g->count++] = MICA_FROM(l->owned, g->first);
    g->values[g->count++] = lab_make(l, &g->word, WORD, op->c);
    switch (times_of(op)) {
    case SAME_TWICE: g->values[g->count++] = MICA_FROM(l->owned, g->first); break;
    case TWO: g->values[g->count++] = MICA_FROM(l->owned, g->second); break;
    case THEN_NONE: g->values[g->count++] = MICA_ADD(l->owned); break;
    default: break;
    }
}

void library_give(lab *l, const tape_op *op, outcome *got)
{
    mica_entity entity = model_pick(&l->m, op->a);
    gifts g;
    wrap(l, op, &g);
    switch (way_of(op)) {
    case ALONE:
        got->code = mica_set_value(l->world, entity, l->owned, &g.first, sizeof g.first);
        break;
    case WITH_OTHERS: got->code = mica_set_values(l->world, entity, g.values, g.count); break;
    case CHANGING:
        got->code = mica_change(l->world, entity, g.values, g.count, &l->types[removed_of(op)], 1);
        break;
    case NEW: tape_got_entity(l, got, mica_spawn_values(l->world, g.values, g.count)); break;
    default: got->code = mica_add(l->world, entity, l->owned);
    }
    if (got->code || way_of(op) == DEFAULT) {
        tracked_drop(&l->tracker, &g.first);
    }
    tracked_drop(&l->tracker, &g.second);
}

void model_of_give(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    mica_entity entity = model_pick(m, op->a);
    const model_slot *slot = model_find(m, entity);
    model_edit edit = {.gives = true, .gift = op->c};
    if (way_of(op) == DEFAULT) {
        edit = (model_edit){.gives = !slot || !slot->owns, .gift = TRACKED_DEFAULT};
    } else if (way_of(op) != ALONE) {
        edit.with = edit.given = UINT32_C(1) << WORD;
        edit.values[WORD] = op->c;
    }
    if (way_of(op) == CHANGING) {
        edit.without = UINT32_C(1) << removed_of(op);
    }
    edit.wrong = times_of(op) != ONCE;
    want->code = way_of(op) == NEW ? model_spawn(m, &edit, want) : model_change(m, entity, &edit);
}

void library_take(lab *l, const tape_op *op, outcome *got)
{
    got->code = mica_remove(l->world, model_pick(&l->m, op->a), l->owned);
}

void model_of_take(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_change(m, model_pick(m, op->a), &(model_edit){.takes = true});
}
