// The operation that keeps a type in another way from now on. What there is to compare afterwards is everything.
#include "model/tape.h"

// Type b; one more is that whose values cannot be copied.
static uint32_t type_of(const tape_op *op)
{
    return op->b % (MODEL_TYPES + 1);
}

// In a way of the list, c.
static mica_storage storage_of(const tape_op *op)
{
    return lab_storages[op->c % lab_storage_count].storage;
}

void library_keep(lab *l, const tape_op *op, outcome *got)
{
    uint32_t type = type_of(op);
    mica_type handle = type == MODEL_OWNED ? l->owned : l->types[type];
    got->code = mica_type_change_storage(l->world, handle, storage_of(op));
    l->mixed = l->mixed || !got->code;
    mica_storage expected = got->code ? l->m.can.kept[type] : storage_of(op);
    if (mica_type_get_info(l->world, handle)->storage != expected) {
        lab_differ(l, "a type is not described as it is kept");
    }
}

void model_of_keep(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    bool stays = m->can.kept[type_of(op)] == storage_of(op);
    want->code = model_keep(m, type_of(op), storage_of(op));
    if (!want->code && !stays) {
        model_drop_all(m);
    }
}
