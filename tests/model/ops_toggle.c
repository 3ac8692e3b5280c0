// Operations that switch components off and on: of one entity, by its type or an accessor, and of all
// that match. They are allowed while something is iterated.
#include "model/tape.h"

// Off if d & 1; by accessor if d & 2; if d & 4, of any type at all, which may be a mistake.
enum { OFF = 1, BY_ACCESSOR = 2, ANY = 4 };

static uint32_t type_of(const tape_op *op)
{
    return op->b % MODEL_TYPES;
}

// Type b of an entity, or the next behind it that can be toggled.
static uint32_t type_to_toggle(model *m, const tape_op *op)
{
    const model_slot *slot = model_find(m, model_pick(m, op->a));
    uint32_t possible = slot && !(op->d & ANY) ? slot->types & m->can.toggle : 0;
    uint32_t type = type_of(op);
    while (possible && !(possible >> type & 1)) {
        type = (type + 1) % MODEL_TYPES;
    }
    return type;
}

void library_toggle(lab *l, const tape_op *op, outcome *got)
{
    mica_entity entity = model_pick(&l->m, op->a);
    uint32_t type = type_to_toggle(&l->m, op);
    if ((op->d & BY_ACCESSOR) && !model_is_tag(type)) {
        const mica_accessor *accessor = &l->accessors[type];
        got->code = op->d & OFF ? mica_accessor_disable(accessor, entity)
                                : mica_accessor_enable(accessor, entity);
    } else {
        got->code = op->d & OFF ? mica_disable(l->world, entity, l->types[type])
                                : mica_enable(l->world, entity, l->types[type]);
    }
}

void model_of_toggle(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_toggle(m, model_pick(m, op->a), type_to_toggle(m, op), op->d & OFF);
}

void library_query_toggle(lab *l, const tape_op *op, outcome *got)
{
    mica_query query = l->queries[op->a % MODEL_QUERIES];
    mica_type type = l->types[type_of(op)];
    got->code = op->d & OFF ? mica_disable_all(l->world, query, type, &got->changed)
                            : mica_enable_all(l->world, query, type, &got->changed);
}

void model_of_query_toggle(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_toggle_matching(m, op->a % MODEL_QUERIES, type_of(op), op->d & OFF, want);
}
