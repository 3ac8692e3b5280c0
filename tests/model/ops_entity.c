// Operations on single entities and lists of them: spawning, despawning, components, names.
#include "model/tape.h"
#include "state/state.h"

// Coming

void library_limit(lab *l, const tape_op *op, outcome *got)
{
    (void)l;
    (void)op;
    (void)got;
}

void model_of_limit(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)m;
    (void)op;
    (void)got;
    (void)want;
}

void library_spawn(lab *l, const tape_op *op, outcome *got)
{
    (void)op;
    tape_got_entity(l, got, mica_spawn_values(l->world, NULL, 0));
}

void model_of_spawn(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)op;
    (void)got;
    want->code = model_spawn(m, &(model_edit){0}, want);
}

void library_spawn_values(lab *l, const tape_op *op, outcome *got)
{
    tape_items items = tape_list(op);
    tape_values values;
    tape_make(l, &items, &values);
    tape_got_entity(l, got, mica_spawn_values(l->world, values.values, values.count));
    tape_drop(l, &items, &values);
}

void model_of_spawn_values(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    tape_items items = tape_list(op);
    model_edit edit = tape_edit(&items);
    want->code = model_spawn(m, &edit, want);
}

// Slot a, in the generation that would come next, or near it, or the last of all.
static mica_entity chosen_handle(const model *m, const tape_op *op)
{
    uint32_t slot = op->a % (m->limit + 2);
    uint32_t next = slot < m->limit ? m->slots[slot].generation : 0;
    switch (op->b % 16) {
    case 12: return mica_entity_make(slot, MICA_GENERATION_LAST - 1); // the next is the last
    case 13: return mica_entity_make(slot, MICA_GENERATION_LAST + 1);
    case 14: return mica_entity_make(slot, next > 0 ? next - 1 : 0);
    case 15: return mica_entity_make(slot, MICA_GENERATION_LAST);
    default: return mica_entity_make(slot, next + op->b % 3);
    }
}

void library_spawn_at(lab *l, const tape_op *op, outcome *got)
{
    tape_got_entity(l, got, mica_spawn_at(l->world, chosen_handle(&l->m, op)));
}

void model_of_spawn_at(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_spawn_at(m, chosen_handle(m, op), want);
}

void library_clone(lab *l, const tape_op *op, outcome *got)
{
    tape_got_entity(l, got, mica_clone(l->world, model_pick(&l->m, op->a)));
}

void model_of_clone(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_clone(m, model_pick(m, op->a), want);
}

// Bundles

// A bundle takes the place of the one before it. The types of mask b; one of them twice if d & 8.
void library_bundle_new(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = op->a % MODEL_BUNDLES;
    if (l->m.bundles[which].exists && mica_bundle_free(l->world, l->bundles[which])) {
        lab_differ(l, "a bundle is not freed");
    }
    tape_items items = tape_list(op);
    tape_values values;
    tape_make(l, &items, &values);
    mica_bundle made = mica_bundle_new(l->world, values.types, values.count);
    tape_drop(l, &items, &values);
    got->code = made.bits ? MICA_OK : mica_last_error(l->world)->code;
    if (made.bits) {
        l->bundles[which] = made;
    }
}

void model_of_bundle_new(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    tape_items items = tape_list(op);
    bool twice = (op->d & 8) && items.count > 0;
    model_bundle *bundle = &m->bundles[op->a % MODEL_BUNDLES];
    *bundle = (model_bundle){.exists = !twice, .count = twice ? 0 : items.count};
    for (uint32_t i = 0; i < bundle->count; i++) {
        bundle->types[i] = items.types[i];
    }
    want->code = twice ? MICA_ERROR_ARGUMENT : MICA_OK;
}

void library_bundle_free(lab *l, const tape_op *op, outcome *got)
{
    got->code = mica_bundle_free(l->world, l->bundles[op->a % MODEL_BUNDLES]);
}

void model_of_bundle_free(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    model_bundle *bundle = &m->bundles[op->a % MODEL_BUNDLES];
    want->code = bundle->exists ? MICA_OK : MICA_ERROR_BUNDLE;
    bundle->exists = false;
}

static mica_result check_bundle(const model *m, uint32_t which, uint32_t count)
{
    return model_is_open(m)            ? MICA_ERROR_ITERATING
           : !m->bundles[which].exists ? MICA_ERROR_BUNDLE
                                       : model_room(m, count);
}

void library_bundle_reserve(lab *l, const tape_op *op, outcome *got)
{
    got->code = op->d & 1
                    ? mica_entity_reserve(l->world, op->b % 32)
                    : mica_bundle_reserve(l->world, l->bundles[op->a % MODEL_BUNDLES], op->b % 32);
}

void model_of_bundle_reserve(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code =
        op->d & 1 ? model_room(m, op->b % 32) : check_bundle(m, op->a % MODEL_BUNDLES, op->b % 32);
}

// One entity of a bundle: values as for several at once, all defaults if d & 8.
static bool has_value(const tape_op *op, uint32_t type)
{
    return !(op->d & 8) && !model_is_tag(type) && !(op->d >> 4 >> type & 1);
}

static uint32_t number_of(const tape_op *op, uint32_t type, uint32_t i)
{
    return op->c + type + 2 * i;
}

void library_spawn_bundle(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = op->a % MODEL_BUNDLES;
    const model_bundle *bundle = &l->m.bundles[which];
    mica_value values[MODEL_TYPES];
    lab_value modules[MODEL_TYPES];
    for (uint32_t k = 0; k < bundle->count; k++) {
        uint32_t type = bundle->types[k];
        values[k] = has_value(op, type) ? lab_make(l, &modules[k], type, number_of(op, type, 0))
                                        : MICA_ADD(l->types[type]);
    }
    bool defaults = op->d & 8;
    tape_got_entity(l, got,
                    mica_spawn_bundle(l->world, l->bundles[which], defaults ? NULL : values,
                                      defaults ? 0 : bundle->count));
    for (uint32_t k = 0; k < bundle->count; k++) {
        if (values[k].data) {
            lab_drop(&l->tracker, &modules[k], bundle->types[k]);
        }
    }
}

static void come_of_bundle(model *m, const tape_op *op, uint32_t count, outcome *want)
{
    const model_bundle *bundle = &m->bundles[op->a % MODEL_BUNDLES];
    want->code = check_bundle(m, op->a % MODEL_BUNDLES, count);
    for (uint32_t i = 0; !want->code && i < count; i++) {
        model_edit edit = {.with = 0};
        for (uint32_t k = 0; k < bundle->count; k++) {
            uint32_t type = bundle->types[k];
            edit.with |= UINT32_C(1) << type;
            edit.given |= (uint32_t)has_value(op, type) << type;
            edit.values[type] = number_of(op, type, i);
        }
        model_spawn(m, &edit, want);
    }
}

// Up to 15 of a bundle, for which room is made; then there is no memory. Each in another way.
enum { RESERVED = 16 };

static mica_result spawn_somehow(lab *l, uint32_t which, uint32_t way, mica_entity *entity_out)
{
    const model_bundle *bundle = &l->m.bundles[which];
    mica_value values[MODEL_TYPES];
    for (uint32_t k = 0; k < bundle->count; k++) {
        values[k] = MICA_ADD(l->types[bundle->types[k]]);
    }
    switch (way) {
    case 0: *entity_out = mica_spawn_bundle(l->world, l->bundles[which], NULL, 0); break;
    case 1:
        *entity_out = mica_spawn_bundle(l->world, l->bundles[which], values, bundle->count);
        break;
    case 2: *entity_out = mica_spawn_values(l->world, values, bundle->count); break;
    default: return mica_spawn_many(l->world, l->bundles[which], 1, NULL, 0, entity_out);
    }
    return MICA_IS_NONE(*entity_out) ? mica_last_error(l->world)->code : MICA_OK;
}

void library_spawn_reserved(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = op->a % MODEL_BUNDLES;
    uint32_t count = op->b % RESERVED;
    got->code = mica_bundle_reserve(l->world, l->bundles[which], count);
    if (!got->code) {
        if (!l->m.reaction.on) { // who records needs some
            test_memory_fail_at(&l->t.memory, 1, TEST_MEMORY_ONWARDS);
        }
        for (uint32_t i = 0; !got->code && i < count; i++) {
            got->code = spawn_somehow(l, which, (op->d + i) % 4, &got->entities[i]);
            got->count += !got->code;
        }
        test_memory_fail_at(&l->t.memory, 0, TEST_MEMORY_ONCE);
    }
}

void model_of_spawn_reserved(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    const tape_op defaults = {.a = op->a, .d = 8};
    come_of_bundle(m, &defaults, op->b % RESERVED, want);
}

void model_of_spawn_bundle(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    come_of_bundle(m, op, 1, want);
}

// Up to 15 at once; their handles are not asked for if d & 1.
enum { MANY = 16 };

void library_spawn_many(lab *l, const tape_op *op, outcome *got)
{
    static union {
        unsigned char bytes[MANY * LAB_VALUE_SIZE];
        uint64_t align;
    } arrays[MODEL_TYPES];
    uint32_t which = op->a % MODEL_BUNDLES;
    uint32_t count = op->b % MANY;
    const model_bundle *bundle = &l->m.bundles[which];
    mica_value starts[MODEL_TYPES];
    for (uint32_t k = 0; k < bundle->count; k++) {
        uint32_t type = bundle->types[k];
        starts[k] = MICA_ADD(l->types[type]);
        if (has_value(op, type)) {
            starts[k] = (mica_value){l->types[type], arrays[k].bytes, lab_size(type), count, NULL};
        }
        for (uint32_t i = 0; starts[k].data && i < count; i++) {
            lab_put(&l->tracker, arrays[k].bytes + i * lab_size(type), type,
                    number_of(op, type, i));
        }
    }
    bool quiet = op->d & 1;
    got->code = mica_spawn_many(l->world, l->bundles[which], count, starts, bundle->count,
                                quiet ? NULL : got->entities);
    got->count = quiet || got->code ? 0 : count;
    for (uint32_t k = 0; k < bundle->count; k++) {
        uint32_t type = bundle->types[k];
        for (uint32_t i = 0; starts[k].data && i < count; i++) {
            lab_drop(&l->tracker, arrays[k].bytes + i * lab_size(type), type);
        }
    }
}

void model_of_spawn_many(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    come_of_bundle(m, op, op->b % MANY, want);
    want->count = op->d & 1 ? 0 : want->count;
}

// Going

void library_despawn(lab *l, const tape_op *op, outcome *got)
{
    got->code = mica_despawn(l->world, model_pick(&l->m, op->a));
}

void model_of_despawn(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    mica_entity entity = model_pick(m, op->a);
    want->code = model_despawn(m, &entity, 1);
}

// d & 7 of them, b apart; one may well come twice, one is dead if d & 8.
static uint32_t list_entities(const model *m, const tape_op *op, mica_entity *list)
{
    uint32_t count = model_count(m) > 0 ? op->d & 7 : 0;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = model_pick(m, op->a + i * (op->b + 1u));
    }
    if (op->d & 8) {
        list[count] = mica_entity_make(op->a % m->limit, m->slots[op->a % m->limit].generation + 1);
        count++;
    }
    return count;
}

void library_despawn_many(lab *l, const tape_op *op, outcome *got)
{
    mica_entity list[8];
    uint32_t count = list_entities(&l->m, op, list);
    got->code = mica_despawn_many(l->world, list, count);
}

void model_of_despawn_many(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    mica_entity list[8];
    uint32_t count = list_entities(m, op, list);
    want->code = model_despawn(m, list, count);
}

void library_clear(lab *l, const tape_op *op, outcome *got)
{
    (void)op;
    got->code = mica_world_clear(l->world);
}

void model_of_clear(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)op;
    (void)got;
    want->code = model_clear(m);
}

void library_reclaim(lab *l, const tape_op *op, outcome *got)
{
    (void)op;
    got->code = mica_world_reclaim(l->world);
}

void model_of_reclaim(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)op;
    (void)got;
    want->code = model_reclaim(m);
}

// As if large tables had been created: the next change that tidies up drops tables that stay empty.
void library_untidy(lab *l, const tape_op *op, outcome *got)
{
    (void)op;
    (void)got;
    l->world->state->store.new_bytes = SIZE_MAX / 4;
}

void model_of_untidy(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)m;
    (void)op;
    (void)got;
    (void)want;
}

// One component

static uint32_t type_of(const tape_op *op)
{
    return op->b % MODEL_TYPES;
}

void library_add(lab *l, const tape_op *op, outcome *got)
{
    got->code = mica_add(l->world, model_pick(&l->m, op->a), l->types[type_of(op)]);
}

void model_of_add(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code =
        model_change(m, model_pick(m, op->a), &(model_edit){.with = UINT32_C(1) << type_of(op)});
}

void library_remove(lab *l, const tape_op *op, outcome *got)
{
    got->code = mica_remove(l->world, model_pick(&l->m, op->a), l->types[type_of(op)]);
}

void model_of_remove(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code =
        model_change(m, model_pick(m, op->a), &(model_edit){.without = UINT32_C(1) << type_of(op)});
}

// Without data if d & 1.
void library_set(lab *l, const tape_op *op, outcome *got)
{
    lab_value room;
    mica_value value = lab_make(l, &room, type_of(op), op->c);
    bool given = !(op->d & 1);
    got->code = mica_set_value(l->world, model_pick(&l->m, op->a), value.type,
                               given ? value.data : NULL, given ? value.size : 0);
    lab_drop(&l->tracker, &room, type_of(op));
}

static model_edit edit_one(const tape_op *op)
{
    uint32_t bit = UINT32_C(1) << type_of(op);
    model_edit edit = {.with = bit, .given = op->d & 1 ? 0 : bit};
    edit.values[type_of(op)] = op->c;
    return edit;
}

void model_of_set(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    model_edit edit = edit_one(op);
    want->code = model_change(m, model_pick(m, op->a), &edit);
}

// Through a pointer, if the component is there and has not been split.
void library_write(lab *l, const tape_op *op, outcome *got)
{
    mica_entity entity = model_pick(&l->m, op->a);
    uint32_t type = type_of(op);
    uint32_t way = model_is_tag(type) ? 0 : op->d % 3;
    void *value = way == 0 ? mica_get_mut(l->world, entity, l->types[type])
                  : way == 1
                      ? mica_get_mut_as(l->world, entity, l->types[type], lab_size(type), NULL)
                      : mica_accessor_get_mut(&l->accessors[type], entity);
    got->changed = value != NULL;
    got->code = l->t.error.calls > 0 ? mica_last_error(l->world)->code : MICA_OK;
    if (value) {
        lab_write(value, type, op->c);
    }
}

void model_of_write(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    model_slot *slot = model_find(m, model_pick(m, op->a));
    uint32_t type = type_of(op);
    bool there = slot && !model_is_tag(type) && (slot->types >> type & 1);
    bool split = m->can.split >> type & 1;
    want->code = !slot ? MICA_ERROR_ENTITY : there && split ? MICA_ERROR_STORAGE : MICA_OK;
    if (there && !split) {
        slot->values[type] = op->c;
        slot->changed[type] = slot->maybe[type] = m->clock;
        want->changed = 1;
    }
}

// A value that lies in the world itself (of what is split, one that was loaded), of entity a: given to entity
// d, to a new one, or to all that match. If it is not there, a default is given.
void library_copy(lab *l, const tape_op *op, outcome *got)
{
    mica_entity source = model_pick(&l->m, op->a);
    mica_entity target = model_pick(&l->m, op->d);
    uint32_t type = type_of(op);
    lab_value room;
    const void *data = MICA_IS_NONE(source) ? NULL : lab_find(l, source, type, &room);
    mica_value value = {l->types[type], data, data ? lab_size(type) : 0, 1, NULL};
    switch (op->c % 4) {
    case 0: got->code = mica_set_value(l->world, target, value.type, value.data, value.size); break;
    case 1: got->code = mica_set_values(l->world, target, &value, 1); break;
    case 2: tape_got_entity(l, got, mica_spawn_values(l->world, &value, 1)); break;
    default:
        got->code = mica_set_all(l->world, l->queries[op->d % MODEL_QUERIES], value.type,
                                 value.data, value.size, &got->changed);
    }
}

void model_of_copy(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    const model_slot *source = model_find(m, model_pick(m, op->a));
    uint32_t type = type_of(op);
    uint32_t bit = UINT32_C(1) << type;
    bool given = source && !model_is_tag(type) && (source->types & bit);
    model_edit edit = {.with = bit, .given = given ? bit : 0};
    edit.values[type] = given ? source->values[type] : 0;
    switch (op->c % 4) {
    case 0:
    case 1: want->code = model_change(m, model_pick(m, op->d), &edit); break;
    case 2: want->code = model_spawn(m, &edit, want); break;
    default: want->code = model_change_matching(m, op->d % MODEL_QUERIES, &edit, want);
    }
}

// Several components

// Adds or removes types as a set. (S0.10)
static mica_result change_set(lab *l, mica_entity entity, const mica_type *types, uint32_t count,
                              bool removed)
{
    mica_type_set set = {0};
    mica_result result = mica_type_set_add_list(l->world, &set, types, count);
    result = result
                 ? result
                 : mica_change_sets(l->world, entity, removed ? NULL : &set, removed ? &set : NULL);
    mica_type_set_free(l->world, &set);
    return result;
}

void library_add_types(lab *l, const tape_op *op, outcome *got)
{
    tape_items items = tape_list(op);
    mica_type types[MODEL_TYPES + 1];
    for (uint32_t i = 0; i < items.count; i++) {
        types[i] = l->types[items.types[i]];
    }
    mica_entity entity = model_pick(&l->m, op->a);
    got->code = op->c & 1 ? change_set(l, entity, types, items.count, false)
                          : test_add_types(l->world, entity, types, items.count);
}

void model_of_add_types(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_change(m, model_pick(m, op->a), &(model_edit){.with = op->b & 255u});
}

void library_remove_types(lab *l, const tape_op *op, outcome *got)
{
    tape_items items = tape_list(op);
    mica_type types[MODEL_TYPES + 1];
    for (uint32_t i = 0; i < items.count; i++) {
        types[i] = l->types[items.types[i]];
    }
    mica_entity entity = model_pick(&l->m, op->a);
    got->code = op->c & 1 ? change_set(l, entity, types, items.count, true)
                          : mica_change(l->world, entity, NULL, 0, types, items.count);
}

void model_of_remove_types(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_change(m, model_pick(m, op->a), &(model_edit){.without = op->b & 255u});
}

void library_set_values(lab *l, const tape_op *op, outcome *got)
{
    tape_items items = tape_list(op);
    tape_values values;
    tape_make(l, &items, &values);
    got->code = mica_set_values(l->world, model_pick(&l->m, op->a), values.values, values.count);
    tape_drop(l, &items, &values);
}

void model_of_set_values(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    tape_items items = tape_list(op);
    model_edit edit = tape_edit(&items);
    want->code = model_change(m, model_pick(m, op->a), &edit);
}

// Those of the high byte of c go. One that also comes is left out, or a mistake if d & 8.
static uint32_t removed_of(const tape_op *op)
{
    uint32_t removed = op->c >> 8;
    return op->d & 8 ? removed : removed & ~(uint32_t)op->b;
}

void library_change(lab *l, const tape_op *op, outcome *got)
{
    tape_items items = tape_list(op);
    tape_values values;
    mica_type removed[MODEL_TYPES];
    uint32_t count = 0;
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        if (removed_of(op) >> t & 1) {
            removed[count++] = l->types[t];
        }
    }
    tape_make(l, &items, &values);
    got->code = mica_change(l->world, model_pick(&l->m, op->a), values.values, values.count,
                            removed, count);
    tape_drop(l, &items, &values);
}

void model_of_change(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    tape_items items = tape_list(op);
    model_edit edit = tape_edit(&items);
    edit.without = removed_of(op);
    want->code = model_change(m, model_pick(m, op->a), &edit);
}

// Names

static uint32_t name_of(const tape_op *op)
{
    return op->b % (MODEL_NAMES + 1);
}

void library_name(lab *l, const tape_op *op, outcome *got)
{
    char text[16];
    got->code = mica_entity_set_name(l->world, model_pick(&l->m, op->a),
                                     name_of(op) ? lab_name(name_of(op), text) : NULL);
}

void model_of_name(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_name(m, model_pick(m, op->a), name_of(op));
}
