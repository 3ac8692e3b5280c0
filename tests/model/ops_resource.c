// The operation on resources: set, with a value or the default, written through a pointer, removed. What there is,
// and that it stays where it is, is compared after each operation.
#include "model/tape.h"

#include <inttypes.h>

static const uint32_t resource_types[MODEL_RESOURCES] = {WORD, WATCHED, WIDE};

// What is done, by a, to resource b: SET_TWO is about the next one, too; the last two are mistakes.
typedef enum way {
    SET_ONE,
    SET_TWO,
    SET_DEFAULT,
    WRITE_IT,
    REMOVE_IT,
    SET_TWICE,
    SET_LATER,
    WAYS
} way;

static way way_of(const tape_op *op)
{
    return (way)((op->a + op->d) % WAYS);
}

// Which resource is the n-th that an operation is about, and which number it is given.
static uint32_t resource_of(const tape_op *op, uint32_t n)
{
    return (op->b + (way_of(op) == SET_TWICE ? 0 : n)) % MODEL_RESOURCES;
}

static uint32_t count_of(const tape_op *op)
{
    return way_of(op) == SET_TWO || way_of(op) == SET_TWICE ? 2 : 1;
}

static mica_result set(lab *l, mica_world *face, const tape_op *op)
{
    lab_value modules[2];
    mica_value values[2];
    for (uint32_t n = 0; n < count_of(op); n++) {
        values[n] = lab_make(l, &modules[n], resource_types[resource_of(op, n)], op->c + n);
    }
    mica_result result = mica_resource_set_values(face, values, count_of(op));
    for (uint32_t n = 0; n < count_of(op); n++) {
        lab_drop(&l->tracker, &modules[n], resource_types[resource_of(op, n)]);
    }
    return result;
}

void library_resource(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = resource_of(op, 0);
    uint32_t type = resource_types[which];
    const mica_value missing = MICA_ADD(l->types[type]);
    void *value;
    switch (way_of(op)) {
    case SET_DEFAULT: got->code = mica_resource_set_values(l->world, &missing, 1); break;
    case SET_LATER: got->code = set(l, mica_world_later(l->world), op); break;
    case REMOVE_IT:
        got->code = mica_resource_remove(l->world, l->types[type]);
        l->places[which] = NULL;
        break;
    case WRITE_IT:
        value = mica_resource_get_mut_as(l->world, l->types[type], lab_size(type), NULL);
        got->changed = value != NULL;
        if (value) {
            lab_write(value, type, op->c);
        }
        break;
    default: got->code = set(l, l->world, op); break;
    }
}

void model_of_resource(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    model_resource *first = &m->resources[resource_of(op, 0)];
    switch (way_of(op)) {
    case SET_TWICE: want->code = MICA_ERROR_ARGUMENT; break;
    case SET_LATER: want->code = MICA_ERROR_RECORDING; break;
    case REMOVE_IT: *first = (model_resource){0}; break;
    case SET_DEFAULT:
        *first = (model_resource){true, model_default(resource_types[resource_of(op, 0)])};
        break;
    case WRITE_IT:
        want->changed = first->exists;
        first->number = op->c;
        break;
    default:
        for (uint32_t n = 0; n < count_of(op); n++) {
            m->resources[resource_of(op, n)] = (model_resource){true, op->c + n};
        }
    }
}

uint32_t model_count_watched_resources(const model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MODEL_RESOURCES; i++) {
        count += m->resources[i].exists && resource_types[i] == WATCHED;
    }
    return count;
}

bool lab_compare_resources(lab *l)
{
    for (uint32_t i = 0; i < MODEL_RESOURCES; i++) {
        const model_resource *resource = &l->m.resources[i];
        uint32_t type = resource_types[i];
        const void *value = mica_resource_get(l->world, l->types[type]);
        bool right = (value != NULL) == resource->exists &&
                     (resource->exists ? lab_holds(l, value, type, resource->number) : !value);
        if (!right || (l->places[i] && l->places[i] != value)) {
            return lab_differ(l, "resource %" PRIu32 " should %s, as %" PRIu32, i,
                              !resource->exists ? "not be"
                              : right           ? "be where it was"
                                                : "be there",
                              resource->number);
        }
        l->places[i] = value;
    }
    return true;
}

void lab_give_resources(const model *m, mica_world *twin, const mica_type *types, tracker *t)
{
    for (uint32_t i = MODEL_RESOURCES; i-- > 0;) {
        uint32_t type = resource_types[i];
        if (m->resources[i].exists) {
            lab_value room;
            lab_put(t, &room, type, m->resources[i].number);
            const mica_value value = {types[type], &room, lab_size(type), 1, NULL};
            mica_resource_set_values(twin, &value, 1);
            lab_drop(t, &room, type);
        }
    }
}
