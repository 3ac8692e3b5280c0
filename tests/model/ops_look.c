// The operation that looks for what has changed, or was added, of a type. What others do to values is noted by
// the model as it happens; what is seen of that is compared after each operation.
#include "model/tape.h"

// Type b; what was added if d & 1; d & 16: the iteration is left after its first segment.
enum { ADDED = 1, LEAVES = 16 };

static uint32_t type_of(const tape_op *op)
{
    return op->b % MODEL_TYPES;
}

void library_look(lab *l, const tape_op *op, outcome *got)
{
    mica_iter it;
    got->code = mica_iter_begin(l->world, l->looks[type_of(op)][op->d & ADDED], &it);
    while (mica_iter_next(&it)) {
        for (uint32_t row = 0; row < it.count && got->count < MODEL_SLOTS; row++) {
            got->entities[got->count++] = it.entities[row];
        }
        if (op->d & LEAVES) {
            mica_iter_end(&it);
            return;
        }
    }
}

void model_of_look(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    uint32_t type = type_of(op);
    uint32_t added = op->d & ADDED;
    bool met[MODEL_SLOTS] = {0};
    bool right = true;
    for (uint32_t i = 0; i < got->count; i++) {
        const model_slot *slot = model_find(m, got->entities[i]);
        uint32_t at = mica_entity_slot(got->entities[i]);
        right = right && slot && !met[at] && model_may_show(m, slot, type, added);
        met[at] = true;
    }
    bool ended = !(op->d & LEAVES) || got->count == 0;
    for (uint32_t i = 0; ended && i < m->limit; i++) {
        right = right && (met[i] || !model_has_news(m, &m->slots[i], type, added));
    }
    if (ended) {
        model_mark(m, type, added);
    }
    want->count = right ? got->count : MODEL_SLOTS + 1;
    for (uint32_t i = 0; right && i < got->count; i++) {
        want->entities[i] = got->entities[i];
    }
}
