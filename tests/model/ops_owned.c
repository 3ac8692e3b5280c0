// Operations on values that end and cannot be copied: whoever gives one has handed it over, if the
// call succeeded. In worlds without hooks they are like any others. They lie beside the model's other types, so that masks of those stay what they are.
#include "model/tape.h"

// How a value is given, by d: alone, with a word, with a word while type b goes, to a new entity, or
// as a default.
enum { ALONE, WITH_OTHERS, CHANGING, NEW, DEFAULT, WAYS };

// How often, by d >> 3: once, the same twice, two of them, once and then without data. The last three
// are mistakes, but where only one can be given.
enum { ONCE, SAME_TWICE, TWO, THEN_NONE, TIMES };

// Where it comes from, by d >> 5: from within the world now and then, of the entity itself or, by b, of
// any other. From itself nothing happens; from others it is a mistake.
enum { FROM_ITSELF, FROM_ANOTHER, SOURCES = 8 };

static uint32_t way_of(const tape_op *op)
{
    return (op->d & 7u) % WAYS;
}

static uint32_t times_of(const tape_op *op)
{
    uint32_t way = way_of(op);
    return way == ALONE || way == DEFAULT ? ONCE : (op->d >> 3) % TIMES;
}

// Whose value is given; none if it is a new one.
static mica_entity giver_of(model *m, const tape_op *op)
{
    uint32_t source = (op->d >> 5) % SOURCES;
    if (source > FROM_ANOTHER || way_of(op) == DEFAULT || times_of(op) > SAME_TWICE) {
        return (mica_entity){0};
    }
    mica_entity giver = model_pick(m, source == FROM_ITSELF ? op->a : op->b);
    const model_slot *slot = model_find(m, giver);
    return slot && slot->owns ? giver : (mica_entity){0};
}

static uint32_t removed_of(const tape_op *op)
{
    return op->b % MODEL_TYPES;
}

// The values of one call, the first of which is handed over.
typedef struct assignments {
    uint32_t count;
    mica_value values[3];
    mica_entity giver;
    tracked first, second;
    lab_value word;
} assignments;

static void wrap(lab *l, const tape_op *op, assignments *g)
{
    g->first = tracked_make(&l->tracker, op->c);
    g->second = tracked_make(&l->tracker, op->c + 1);
    g->count = 0;
    g->giver = giver_of(&l->m, op);
    const void *data = MICA_IS_NONE(g->giver) ? &g->first : mica_get(l->world, g->giver, l->owned);
    g->values[g->count++] = (mica_value){l->owned, data, sizeof g->first, 1, NULL};
    g->values[g->count++] = lab_make(l, &g->word, WORD, op->c);
    switch (times_of(op)) {
    case SAME_TWICE: g->values[g->count++] = g->values[0]; break;
    case TWO: g->values[g->count++] = MICA_COPY_OF(l->owned, g->second); break;
    case THEN_NONE: g->values[g->count++] = MICA_ADD(l->owned); break;
    default: break;
    }
}

void library_give(lab *l, const tape_op *op, outcome *got)
{
    mica_entity entity = model_pick(&l->m, op->a);
    assignments g;
    wrap(l, op, &g);
    switch (way_of(op)) {
    case ALONE:
        got->code = mica_set_value(l->world, entity, l->owned, g.values->data, g.values->size);
        break;
    case WITH_OTHERS: got->code = mica_set_values(l->world, entity, g.values, g.count); break;
    case CHANGING:
        got->code = mica_change(l->world, entity, g.values, g.count, &l->types[removed_of(op)], 1);
        break;
    case NEW: tape_got_entity(l, got, mica_spawn_values(l->world, g.values, g.count)); break;
    default: got->code = mica_add(l->world, entity, l->owned);
    }
    if (got->code || way_of(op) == DEFAULT || !MICA_IS_NONE(g.giver)) {
        tracked_drop(&l->tracker, &g.first);
    }
    tracked_drop(&l->tracker, &g.second);
}

// Without hooks they are copied like any others, and the last of several counts.
static void give_copies(model *m, const tape_op *op, const model_slot *slot, model_edit *edit)
{
    const model_slot *giver = model_find(m, giver_of(m, op));
    if (giver) {
        edit->assignment = giver->owned;
    } else if (times_of(op) == TWO) {
        edit->assignment = op->c + 1u;
    } else if (times_of(op) == THEN_NONE) {
        edit->gives = !slot || !slot->owns;
        edit->assignment = TRACKED_DEFAULT;
    }
}

void model_of_give(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    mica_entity entity = model_pick(m, op->a);
    const model_slot *slot = model_find(m, entity);
    model_edit edit = {.gives = true, .assignment = op->c};
    if (way_of(op) == DEFAULT) {
        edit = (model_edit){.gives = !slot || !slot->owns, .assignment = TRACKED_DEFAULT};
    } else if (way_of(op) != ALONE) {
        edit.with = edit.given = UINT32_C(1) << WORD;
        edit.values[WORD] = op->c;
    }
    if (way_of(op) == CHANGING) {
        edit.without = UINT32_C(1) << removed_of(op);
    }
    mica_entity giver = giver_of(m, op);
    if (m->can.plain) {
        give_copies(m, op, way_of(op) == NEW ? NULL : slot, &edit);
    } else if (MICA_IS_NONE(giver)) {
        edit.wrong = times_of(op) != ONCE;
    } else {
        edit.gives = false;
        edit.wrong = way_of(op) == NEW || !MICA_EQUAL(giver, entity);
    }
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
