// Operations on facets, which are entities that have an owner: all other operations meet them, too. What is
// compared after each operation: to whom they belong, under which key, in which order.
#include <inttypes.h>

#include "model/tape.h"

// Keys are few, so that some come twice: c >> 8 & 3 is the component, which may be none, c >> 10 & 3 the role. Of
// the types, two are beyond the first word of an archetype.
enum { COMPONENTS = 4, ROLES = 4, OWNING = 64, OF_ITSELF = 128 };

static model_label label_of(uint32_t component, uint32_t role)
{
    static const uint32_t components[COMPONENTS] = {MODEL_TYPES, MARK, TRIPLE, BADGE};
    return (model_label){components[component % COMPONENTS], role % ROLES};
}

model_label tape_label(const tape_op *op)
{
    return label_of(op->c >> 8 & 3, op->c >> 10 & 3);
}

mica_type lab_component(const mica_type *types, model_label label)
{
    return label.component == MODEL_TYPES ? (mica_type){0} : types[label.component];
}

// Making

mica_entity tape_owner(const model *m, mica_entity entity, const tape_op *op)
{
    return op->c >> 8 & OF_ITSELF ? entity : model_facet_owner(m, entity);
}

static tape_items list_items(const tape_op *op)
{
    tape_op values = *op;
    values.c &= 255;
    return tape_list(&values);
}

// With a value that cannot be copied behind the others, if c says so.
mica_entity tape_extend(lab *l, mica_world *face, mica_entity owner, const tape_op *op)
{
    tape_items items = list_items(op);
    tape_values made;
    mica_value values[MODEL_TYPES + 2];
    tape_make(l, &items, &made);
    uint32_t count = 0;
    for (; count < made.count; count++) {
        values[count] = made.values[count];
    }
    tracked assignment = tracked_make(&l->tracker, op->c & 255);
    bool owning = op->c >> 8 & OWNING;
    if (owning) {
        values[count++] = MICA_COPY_OF(l->owned, assignment);
    }
    model_label label = tape_label(op);
    mica_entity facet = mica_facet_add_values(face, owner, lab_component(l->types, label),
                                              label.role, values, count);
    if (!owning || MICA_IS_NONE(facet)) {
        tracked_drop(&l->tracker, &assignment);
    }
    tape_drop(l, &items, &made);
    return facet;
}

model_edit tape_facet_edit(const tape_op *op)
{
    tape_items items = list_items(op);
    model_edit edit = tape_edit(&items);
    edit.gives = op->c >> 8 & OWNING;
    edit.assignment = op->c & 255;
    return edit;
}

void library_extend(lab *l, const tape_op *op, outcome *got)
{
    mica_entity owner = tape_owner(&l->m, model_pick(&l->m, op->a), op);
    tape_got_entity(l, got, tape_extend(l, l->world, owner, op));
}

void model_of_extend(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    model_edit edit = tape_facet_edit(op);
    mica_entity owner = tape_owner(m, model_pick(m, op->a), op);
    want->code = model_extend(m, owner, tape_label(op), &edit, want);
}

// Finding one of an entity, or of its owner, by a key that there is or, if d & 4, any; and what is done with it.
enum { FINDS, ENDS, SETS, ENDS_OWNER, ANY_KEY = 4 };

static model_label sought(const model *m, mica_entity owner, const tape_op *op)
{
    uint32_t facets[MODEL_SLOTS];
    uint32_t count = model_list_facets(m, owner, facets);
    return count == 0 || (op->d & ANY_KEY) ? tape_label(op)
                                           : m->slots[facets[(op->c >> 8) % count]].label;
}

void library_facet(lab *l, const tape_op *op, outcome *got)
{
    mica_entity owner = tape_owner(&l->m, model_pick(&l->m, op->a), op);
    model_label label = sought(&l->m, owner, op);
    mica_entity facet =
        mica_facet_find(l->world, owner, lab_component(l->types, label), label.role);
    if (MICA_IS_NONE(facet)) {
        got->code = MICA_IS_NONE(owner) ? mica_last_error(l->world)->code : MICA_OK;
        return;
    }
    got->entities[got->count++] = facet;
    uint32_t type = op->b % MODEL_TYPES;
    lab_value room;
    mica_value value = lab_make(l, &room, type, op->c & 255);
    switch (op->d & 3) {
    case ENDS: got->code = mica_despawn(l->world, facet); break;
    case SETS:
        got->code = mica_set_value(l->world, facet, value.type, value.data, value.size);
        break;
    case ENDS_OWNER: got->code = mica_despawn(l->world, owner); break;
    default: break;
    }
    lab_drop(&l->tracker, &room, type);
}

void model_of_facet(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    mica_entity owner = tape_owner(m, model_pick(m, op->a), op);
    mica_entity facet = model_facet_find(m, owner, sought(m, owner, op));
    want->code = MICA_IS_NONE(owner) ? MICA_ERROR_ENTITY : MICA_OK;
    if (MICA_IS_NONE(facet)) {
        return;
    }
    want->entities[want->count++] = facet;
    uint32_t bit = UINT32_C(1) << op->b % MODEL_TYPES;
    model_edit edit = {.with = bit, .given = bit};
    edit.values[op->b % MODEL_TYPES] = op->c & 255;
    switch (op->d & 3) {
    case ENDS: want->code = model_despawn(m, &facet, 1); break;
    case SETS: want->code = model_change(m, facet, &edit); break;
    case ENDS_OWNER: want->code = model_despawn(m, &owner, 1); break;
    default: break;
    }
}

// Comparing

static bool has_key(lab *l, mica_entity entity)
{
    model_label label = model_facet_label(&l->m, entity);
    mica_type component;
    uint32_t role;
    return !mica_facet_key(l->world, entity, &component, &role) && role == label.role &&
           MICA_EQUAL(component, lab_component(l->types, label));
}

// By a key, each time another: it may be that of no facet.
static bool finds(lab *l, mica_entity owner, model_label label)
{
    mica_entity found =
        mica_facet_find(l->world, owner, lab_component(l->types, label), label.role);
    return MICA_EQUAL(found, model_facet_find(&l->m, owner, label));
}

static bool compare_list(lab *l, mica_entity owner)
{
    uint32_t facets[MODEL_SLOTS];
    uint32_t count = model_list_facets(&l->m, owner, facets);
    mica_entity last = (mica_entity){0};
    for (uint32_t i = 0; i <= count; i++) {
        mica_entity next = mica_facet_next(l->world, owner, last);
        last = i < count ? model_handle(&l->m, facets[i]) : (mica_entity){0};
        if (!MICA_EQUAL(next, last)) {
            return lab_differ(l, "entity %" PRIu32 " has another facet at %" PRIu32 " of %" PRIu32,
                              mica_entity_slot(owner), i, count);
        }
    }
    return true;
}

bool lab_compare_facets(lab *l)
{
    for (uint32_t i = 0; i < l->m.limit; i++) {
        if (l->m.slots[i].state != MODEL_ALIVE) {
            continue;
        }
        mica_entity entity = model_handle(&l->m, i);
        mica_entity owner = model_facet_owner(&l->m, entity);
        uint32_t turn = l->sought++;
        if (!MICA_EQUAL(mica_facet_owner(l->world, entity), owner) || !has_key(l, entity)) {
            return lab_differ(l, "entity %" PRIu32 " has another owner, or key", i);
        }
        if (!finds(l, owner, model_facet_label(&l->m, entity)) ||
            !finds(l, entity, label_of(turn, turn / COMPONENTS))) {
            return lab_differ(l, "a facet of entity %" PRIu32 " is not found by its key", i);
        }
        if (!compare_list(l, entity)) {
            return false;
        }
    }
    uint32_t count = model_count_facets(&l->m);
    return mica_world_get_stats(l->world).facets == count ||
           lab_differ(l, "%" PRIu32 " facets are counted, not %" PRIu32,
                      mica_world_get_stats(l->world).facets, count);
}

bool lab_compare_owners(lab *l, const mica_iter *it)
{
    const mica_entity *owners = mica_iter_owners(it);
    bool same = owners != NULL;
    bool none = true;
    for (uint32_t row = 0; same && row < it->count; row++) {
        mica_entity owner = model_facet_owner(&l->m, it->entities[row]);
        same = MICA_EQUAL(owners[row], owner);
        none = none && MICA_EQUAL(owner, it->entities[row]);
    }
    return (same && (!none || owners == it->entities)) ||
           lab_differ(l, "an iteration says that rows belong to others");
}
