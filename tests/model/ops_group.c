// Operations on groups, and sorting.
#include "model/tape.h"

static uint32_t group_of(const tape_op *op)
{
    return op->a % MODEL_GROUPS;
}

static uint32_t type_of(const tape_op *op)
{
    return op->b % MODEL_TYPES;
}

// Group a, or the next behind it that there is.
static uint32_t present_group_of(const model *m, const tape_op *op)
{
    uint32_t which = group_of(op);
    for (uint32_t i = 0; i < MODEL_GROUPS && !m->groups[which].exists; i++) {
        which = (which + 1) % MODEL_GROUPS;
    }
    return which;
}

// Making. A hexadecimal digit per type, in c and b: owned, needed, forbidden. d says which type comes
// first. Types that cannot be in the group like this are not, or otherwise; if d & 8 they are mistakes.

static model_group read_group(const model *m, const tape_op *op)
{
    enum { OWNED = 1, ALSO, WITHOUT };
    model_group group = {.first = op->d % MODEL_TYPES};
    uint32_t digits = (uint32_t)op->c << 16 | op->b;
    bool careful = !(op->d & 8);
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        uint32_t digit = digits >> 4 * t & 3;
        uint32_t owner = model_owner(m, t);
        bool is_free = owner == MODEL_GROUPS || owner == group_of(op);
        if (careful && !(m->can.sparse >> t & 1)) {
            digit = 0;
        } else if (careful && digit == OWNED && (!is_free || (m->can.stable >> t & 1))) {
            digit = ALSO;
        }
        uint32_t bit = UINT32_C(1) << t;
        group.owned |= digit == OWNED ? bit : 0;
        group.also |= digit == ALSO ? bit : 0;
        group.without |= digit == WITHOUT ? bit : 0;
    }
    return group;
}

static void list_types(const lab *l, const model_group *group, uint32_t mask, mica_type *types_out)
{
    for (uint32_t k = 0; k < MODEL_TYPES; k++) {
        uint32_t type = (group->first + k) % MODEL_TYPES;
        if (mask >> type & 1) {
            *types_out++ = l->types[type];
        }
    }
}

// The query that asks for what the group does, and reads what can be read.
static mica_query make_members(lab *l, uint32_t which, const model_group *group)
{
    mica_term terms[MODEL_TYPES];
    uint32_t count = 0;
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        bool needed = (group->owned | group->also) >> t & 1;
        if (needed || (group->without >> t & 1)) {
            uint32_t even = l->m.can.toggle >> t & 1 ? MICA_INCLUDE_DISABLED : 0;
            mica_access access = !needed ? MICA_WITHOUT : model_is_tag(t) ? MICA_WITH : MICA_READ;
            l->member_types[which][count] = needed ? t : MODEL_TYPES;
            terms[count++] = (mica_term){l->types[t], (uint32_t)access | even};
        }
    }
    for (uint32_t k = count; k < MODEL_TYPES; k++) {
        l->member_types[which][k] = MODEL_TYPES;
    }
    return mica_query_new(l->world, &(mica_query_desc){.more_terms = terms, .more_count = count});
}

static mica_result free_group(lab *l, uint32_t which)
{
    mica_result result = mica_group_free(l->world, l->groups[which]);
    if (!result && mica_query_free(l->world, l->members[which])) {
        lab_differ(l, "the query of a group is not freed");
    }
    return result;
}

// A group takes the place of the one before it.
void library_group_new(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = group_of(op);
    model_group group = read_group(&l->m, op);
    got->code = l->m.groups[which].exists ? free_group(l, which) : MICA_OK;
    if (got->code) {
        return;
    }
    mica_group_desc desc = {.name = op->d & 16 ? "named" : NULL};
    list_types(l, &group, group.owned, desc.owned);
    list_types(l, &group, group.also, desc.required);
    list_types(l, &group, group.without, desc.without);
    mica_group made = mica_group_new(l->world, &desc);
    if (MICA_IS_NONE(made)) {
        got->code = mica_last_error(l->world)->code;
        return;
    }
    l->groups[which] = made;
    l->members[which] = make_members(l, which, &group);
}

void model_of_group_new(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    model_group group = read_group(m, op);
    if (model_is_open(m)) {
        want->code = MICA_ERROR_ITERATING;
        return;
    }
    bool frees = m->groups[group_of(op)].exists;
    want->code = model_group_new(m, group_of(op), &group);
    if (frees || !want->code) {
        model_drop_all(m);
    }
}

void library_group_free(lab *l, const tape_op *op, outcome *got)
{
    got->code = free_group(l, group_of(op));
}

void model_of_group_free(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_group_free(m, group_of(op));
    if (!want->code) {
        model_drop_all(m);
    }
}

// Sorting, with c % 16 + 1 different keys, the largest first if d & 1.

static model_order order_of(const tape_op *op)
{
    return (model_order){.type = type_of(op), .modulus = 1 + op->c % 16, .down = op->d & 1};
}

typedef struct sorting {
    lab *l;
    model_order order;
} sorting;

// The low byte of a value's number is its first byte; of watched ones the number is there itself. Who
// compares may look at the world, which is as it was.
static uint32_t key_of(const sorting *s, const mica_sort_item *item)
{
    uint32_t type = s->order.type;
    if (mica_get(s->l->world, item->entity, s->l->types[type]) != item->value) {
        lab_differ(s->l, "what is compared is not the value of its entity");
    }
    if (model_is_tag(type)) {
        return model_key(&s->order, mica_entity_slot(item->entity));
    }
    return model_key(&s->order, type == WATCHED ? (uint32_t)((const tracked *)item->value)->number
                                                : *(const unsigned char *)item->value);
}

static int compare(const mica_sort_item *a, const mica_sort_item *b, void *user)
{
    const sorting *s = user;
    uint32_t first = key_of(s, a);
    uint32_t second = key_of(s, b);
    return (first > second) - (first < second);
}

void library_sort(lab *l, const tape_op *op, outcome *got)
{
    sorting s = {l, order_of(op)};
    got->before_count = lab_order(l, type_of(op), got->before);
    got->code = mica_sort(l->world, l->types[type_of(op)], compare, &s);
    got->count = got->code ? 0 : lab_order(l, type_of(op), got->entities);
}

static mica_result check_sortable(const model *m, uint32_t type)
{
    return model_is_open(m)                                  ? MICA_ERROR_ITERATING
           : !((m->can.sparse & ~m->can.stable) >> type & 1) ? MICA_ERROR_ARGUMENT
           : model_owner(m, type) < MODEL_GROUPS             ? MICA_ERROR_OWNED
                                                             : MICA_OK;
}

void model_of_sort(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    model_order order = order_of(op);
    want->code = check_sortable(m, type_of(op));
    if (!want->code) {
        model_sort(m, &order, got, want);
    }
}

// In the order of another type, c.
static uint32_t other_of(const tape_op *op)
{
    return op->c % MODEL_TYPES;
}

void library_sort_like(lab *l, const tape_op *op, outcome *got)
{
    got->before_count = lab_order(l, type_of(op), got->before);
    got->like_count = lab_order(l, other_of(op), got->like);
    got->code = mica_sort_like(l->world, l->types[type_of(op)], l->types[other_of(op)]);
    got->count = got->code ? 0 : lab_order(l, type_of(op), got->entities);
}

static bool is_sparse(const model *m, uint32_t type)
{
    return m->can.sparse >> type & 1;
}

void model_of_sort_like(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    want->code = check_sortable(m, type_of(op));
    if (!model_is_open(m) && !is_sparse(m, other_of(op))) {
        want->code = MICA_ERROR_ARGUMENT;
    }
    if (!want->code) {
        model_sort_like(got, want);
    }
}

// By type b, or the next behind it that the group needs; if d & 8 that may be a mistake.
static model_order group_order_of(const model *m, const tape_op *op)
{
    const model_group *group = &m->groups[present_group_of(m, op)];
    uint32_t needed = group->exists && !(op->d & 8) ? group->owned | group->also : 0;
    model_order order = order_of(op);
    while (needed && !(needed >> order.type & 1)) {
        order.type = (order.type + 1) % MODEL_TYPES;
    }
    return order;
}

void library_group_sort(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = present_group_of(&l->m, op);
    sorting s = {l, group_order_of(&l->m, op)};
    got->before_count = lab_group_order(l, which, got->before);
    got->code = mica_group_sort(l->world, l->groups[which], l->types[s.order.type], compare, &s);
    got->count = got->code ? 0 : lab_group_order(l, which, got->entities);
}

static mica_result check_group(const model *m, uint32_t which)
{
    return model_is_open(m)           ? MICA_ERROR_ITERATING
           : !m->groups[which].exists ? MICA_ERROR_GROUP
                                      : MICA_OK;
}

void model_of_group_sort(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    uint32_t which = present_group_of(m, op);
    const model_group *group = &m->groups[which];
    model_order order = group_order_of(m, op);
    want->code = check_group(m, which);
    if (!want->code && !((group->owned | group->also) >> order.type & 1)) {
        want->code = MICA_ERROR_ARGUMENT;
    }
    if (!want->code) {
        model_sort(m, &order, got, want);
    }
}

void library_group_sort_like(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = present_group_of(&l->m, op);
    got->before_count = lab_group_order(l, which, got->before);
    got->like_count = lab_order(l, other_of(op), got->like);
    got->code = mica_group_sort_like(l->world, l->groups[which], l->types[other_of(op)]);
    got->count = got->code ? 0 : lab_group_order(l, which, got->entities);
}

void model_of_group_sort_like(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    uint32_t which = present_group_of(m, op);
    want->code = check_group(m, which);
    if (!want->code) {
        want->code = !is_sparse(m, other_of(op))             ? MICA_ERROR_ARGUMENT
                     : model_owner(m, other_of(op)) == which ? MICA_ERROR_OWNED
                                                             : MICA_OK;
    }
    if (!want->code) {
        model_sort_like(got, want);
    }
}
