// Operations on what is seen of changes. The first looks for what has changed, or was added, of a type. What others do
// to values is noted by the model as it happens; what is seen of that is compared after each operation. The second
// writes, and tells of some of it only.
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

// Writing type b, which is no tag, with c: by slot, nothing, silently, or marked as changed.

typedef enum way { LEFT, SILENT, MARKED, WAYS } way;

static way way_of(const tape_op *op, uint32_t slot)
{
    return (way)((op->c + slot) % WAYS);
}

static void touch_row(lab *l, const mica_iter *it, uint32_t type, uint32_t row, const tape_op *op)
{
    uint32_t slot = mica_entity_slot(it->entities[row]);
    lab_value room;
    if (way_of(op, slot) == LEFT) {
        return;
    }
    if (l->m.can.split >> type & 1) {
        lab_put(&l->tracker, &room, type, model_written(op->c, slot));
        if (mica_store_row(it, 0, row, &room, lab_size(type))) {
            lab_differ(l, "a row that is touched is not stored");
        }
    } else {
        lab_write(mica_write_row(it, 0, row), type, model_written(op->c, slot));
    }
    if (way_of(op, slot) == MARKED && mica_touch(it, 0, row)) {
        lab_differ(l, "a row is not marked");
    }
}

void library_touch(lab *l, const tape_op *op, outcome *got)
{
    uint32_t type = op->b % MARK;
    mica_iter it;
    if (model_is_open(&l->m)) {
        return;
    }
    if (MICA_IS_NONE(l->touches[type])) {
        l->touches[type] = mica_query_new(
            l->world, &(mica_query_desc){.terms = {{l->types[type], MICA_WRITE | MICA_TOUCH}}});
    }
    got->code = mica_iter_begin(l->world, l->touches[type], &it);
    while (mica_iter_next(&it)) {
        for (uint32_t row = 0; row < it.count; row++) {
            touch_row(l, &it, type, row, op);
        }
        got->changed += it.count;
    }
}

void model_of_touch(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    uint32_t type = op->b % MARK;
    (void)got;
    for (uint32_t i = 0; !model_is_open(m) && i < m->limit; i++) {
        model_slot *slot = &m->slots[i];
        if (slot->state != MODEL_ALIVE || !((slot->types & ~slot->off) >> type & 1)) {
            continue;
        }
        want->changed++;
        if (way_of(op, i) != LEFT) {
            slot->values[type] = model_written(op->c, i);
        }
        if (way_of(op, i) == MARKED) {
            slot->changed[type] = slot->maybe[type] = m->clock;
        }
    }
}
