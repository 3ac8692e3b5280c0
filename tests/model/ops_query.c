// Operations on queries: making them, iterating in every way, changing all that match.
#include "model/tape.h"
#include "runner/rows.h"

static uint32_t query_of(const tape_op *op)
{
    return op->a % MODEL_QUERIES;
}

// Making. The terms are a hexadecimal digit per type, in c and b: an access, and 8 if it is to see what
// is disabled, too. d says which type comes first; d & 8: without facets.

static model_query read_terms(const model *m, const tape_op *op)
{
    static const mica_access accesses[] = {MICA_READ,    MICA_WRITE,    MICA_WITH,
                                           MICA_WITHOUT, MICA_OPTIONAL, MICA_OPTIONAL_WRITE,
                                           MICA_ANY};
    model_query query = {.exists = true, .no_facets = op->d & 8};
    uint32_t digits = (uint32_t)op->c << 16 | op->b;
    for (uint32_t k = 0; k < MODEL_TYPES; k++) {
        uint32_t type = (op->d + k) % MODEL_TYPES;
        uint32_t digit = digits >> 4 * type & 15;
        if ((digit & 7) > 0) {
            query.types[query.count] = type;
            query.even[query.count] = (digit & 8) && (m->can.toggle >> type & 1);
            query.accesses[query.count++] = accesses[(digit & 7) - 1];
        }
    }
    return query;
}

static bool is_walked(const model *m, uint32_t query)
{
    for (uint32_t i = 0; i < MODEL_WALKS; i++) {
        if (m->walks[i].open && m->walks[i].query == query) {
            return true;
        }
    }
    return false;
}

static mica_access reading(mica_access access)
{
    return access == MICA_WRITE            ? MICA_READ
           : access == MICA_OPTIONAL_WRITE ? MICA_OPTIONAL
                                           : access;
}

void tape_terms(const lab *l, const model_query *query, bool writes, mica_term *terms_out)
{
    for (uint32_t i = 0; i < query->count; i++) {
        mica_access access = writes ? query->accesses[i] : reading(query->accesses[i]);
        uint32_t even = query->even[i] ? MICA_INCLUDE_DISABLED : 0;
        terms_out[i] = (mica_term){l->types[query->types[i]], (uint32_t)access | even};
    }
}

// The filters at the end of the terms go into sets, if the query only reads. (S0.10)
static mica_query make_query(lab *l, const model_query *query, bool writes)
{
    mica_term terms[MODEL_TYPES];
    tape_terms(l, query, writes, terms);
    uint32_t count = query->count;
    mica_type_set with = {0}, without = {0};
    for (; !writes && count > 0; count--) {
        const mica_term *last = &terms[count - 1];
        if (last->access != MICA_WITH && last->access != MICA_WITHOUT) {
            break;
        }
        mica_type_set_add(l->world, last->access == MICA_WITH ? &with : &without, last->type);
    }
    mica_query made = mica_query_new(l->world, &(mica_query_desc){.more_terms = terms,
                                                                  .more_count = count,
                                                                  .with = &with,
                                                                  .without = &without,
                                                                  .everything = query->count == 0,
                                                                  .no_facets = query->no_facets});
    mica_type_set_free(l->world, &with);
    mica_type_set_free(l->world, &without);
    return made;
}

static mica_result free_query(lab *l, uint32_t which)
{
    mica_result result = mica_query_free(l->world, l->queries[which]);
    if (!result && mica_query_free(l->world, l->readers[which])) {
        lab_differ(l, "a query is not freed");
    }
    return result;
}

// A query takes the place of the one before it.
void library_query_new(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = query_of(op);
    got->code = l->m.queries[which].exists ? free_query(l, which) : MICA_OK;
    if (got->code) {
        return;
    }
    model_query query = read_terms(&l->m, op);
    l->queries[which] = make_query(l, &query, true);
    l->readers[which] = make_query(l, &query, false);
    if (MICA_IS_NONE(l->queries[which]) || MICA_IS_NONE(l->readers[which])) {
        got->code = mica_last_error(l->world)->code;
    }
}

void model_of_query_new(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    uint32_t which = query_of(op);
    want->code = is_walked(m, which) ? MICA_ERROR_ITERATING : MICA_OK;
    if (!want->code) {
        m->queries[which] = read_terms(m, op);
    }
}

void library_query_free(lab *l, const tape_op *op, outcome *got)
{
    got->code = free_query(l, query_of(op));
}

void model_of_query_free(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    uint32_t which = query_of(op);
    want->code = is_walked(m, which)         ? MICA_ERROR_ITERATING
                 : !m->queries[which].exists ? MICA_ERROR_QUERY
                                             : MICA_OK;
    m->queries[which].exists = m->queries[which].exists && want->code;
}

// Iterating

// d & 3: what is done inside; d & 4: terms to be written are, with c; d & 8: row by row;
// d & 16: the iteration is left after its first segment; d & 32: field by field.
enum { INSIDE = 3, WRITES = 4, BY_ROW = 8, LEAVES = 16, BY_FIELD = 32 };

// The types that are written. In an iteration that stays open, values that were brought together would be
// written back later than the model has them, and in another beside it they are not; what is split is
// reached in no other way.
static uint32_t written_by(const model *m, const tape_op *op, bool stays)
{
    return !(op->d & WRITES) ? 0 : stays || model_is_open(m) ? ~m->can.split : UINT32_MAX;
}

static bool write_field_by_field(lab *l, const mica_iter *it, uint32_t term, uint32_t type,
                                 uint32_t number)
{
    const mica_type_info *info = mica_type_get_info(l->world, l->types[type]);
    for (uint32_t row = 0; row < it->count; row++) {
        uint32_t slot = mica_entity_slot(it->entities[row]);
        lab_value room;
        if (!test_row_load(it, term, info, row, &room)) {
            return row == 0; // it is not there
        }
        if (!lab_holds(l, &room, type, l->m.slots[slot % MODEL_SLOTS].values[type])) {
            return lab_differ(l, "an iteration shows a field of another value");
        }
        lab_write(&room, type, model_written(number, slot));
        // S1.9
        bool stored = number & 1 ? !mica_store_row(it, term, row, &room, info->size)
                                 : test_row_store(it, term, info, row, &room);
        if (!stored) {
            return lab_differ(l, "a field that is read is not written");
        }
    }
    return true;
}

// Those with hooks can only be reached one by one.
static void write_rows(lab *l, const model_query *query, const mica_iter *it, const tape_op *op,
                       bool stays)
{
    for (uint32_t k = 0; k < query->count; k++) {
        uint32_t type = query->types[k];
        mica_access access = query->accesses[k];
        if (model_is_tag(type) || (access != MICA_WRITE && access != MICA_OPTIONAL_WRITE) ||
            !(written_by(&l->m, op, stays) >> type & 1)) {
            continue;
        }
        bool rows_only = l->mixed && (stays || type == WATCHED || model_is_open(&l->m));
        bool split = l->m.can.split >> type & 1;
        if (split || ((op->d & BY_FIELD) && !rows_only && type != WATCHED)) {
            write_field_by_field(l, it, k, type, op->c);
            continue;
        }
        unsigned char *values = rows_only        ? mica_write_row(it, k, 0)
                                : op->d & BY_ROW ? mica_write_as(it, k, lab_size(type), NULL)
                                                 : mica_write(it, k);
        for (uint32_t row = 0; values && row < it->count; row++) {
            uint32_t slot = mica_entity_slot(it->entities[row]);
            void *value = op->d & BY_ROW || rows_only ? mica_write_row(it, k, row)
                                                      : values + row * lab_size(type);
            if (!lab_holds(l, value, type, l->m.slots[slot % MODEL_SLOTS].values[type])) {
                lab_differ(l, "an iteration shows the wrong value");
            }
            lab_write(value, type, model_written(op->c, slot));
        }
    }
}

// A segment: who is in it, and new values.
static void meet(lab *l, uint32_t query, const mica_iter *it, const tape_op *op, bool stays,
                 outcome *got)
{
    for (uint32_t row = 0; row < it->count && got->count < MODEL_SLOTS; row++) {
        got->entities[got->count++] = it->entities[row];
    }
    lab_compare_owners(l, it);
    if (op->d & WRITES) {
        write_rows(l, &l->m.queries[query], it, op, stays);
    }
}

// Inside of a segment: another iteration, to its end or left early, or a change that is refused.
static void do_inside(lab *l, const tape_op *op)
{
    uint32_t other = op->b % MODEL_QUERIES;
    if ((op->d & INSIDE) == 3) {
        if (!MICA_IS_NONE(mica_spawn_values(l->world, NULL, 0)) ||
            test_error_clear(&l->t.error) != 1) {
            lab_differ(l, "a change inside of an iteration is not refused");
        }
        return;
    }
    if ((op->d & INSIDE) == 0 || !l->m.queries[other].exists) {
        return;
    }
    uint32_t rows = 0;
    mica_iter it;
    mica_iter_begin(l->world, l->queries[other], &it);
    while (mica_iter_next(&it)) {
        rows += it.count;
        if ((op->d & INSIDE) == 2) {
            mica_iter_end(&it);
            return;
        }
    }
    if (rows != model_count_matching(&l->m, other)) {
        lab_differ(l, "an iteration inside of another has %lu rows", (unsigned long)rows);
    }
}

void library_iterate(lab *l, const tape_op *op, outcome *got)
{
    uint32_t query = query_of(op);
    mica_iter it;
    mica_iter_begin(l->world, l->queries[query], &it);
    if (!l->m.queries[query].exists) {
        got->code = mica_last_error(l->world)->code;
        return;
    }
    while (mica_iter_next(&it)) {
        do_inside(l, op);
        meet(l, query, &it, op, false, got);
        if (op->d & LEAVES) {
            mica_iter_end(&it);
            break;
        }
    }
}

// What was met is right; if something is not, more is wanted than there can be.
static void want_met(outcome *want, const outcome *got, bool right)
{
    want->count = right ? got->count : MODEL_SLOTS + 1;
    for (uint32_t i = 0; right && i < got->count; i++) {
        want->entities[i] = got->entities[i];
    }
}

void model_of_iterate(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    uint32_t query = query_of(op);
    if (!m->queries[query].exists) {
        want->code = MICA_ERROR_QUERY;
        return;
    }
    bool seen[MODEL_SLOTS] = {0};
    uint32_t count = model_count_matching(m, query);
    if ((op->d & INSIDE) == 1 || (op->d & INSIDE) == 2) {
        model_hand_out(m, op->b % MODEL_QUERIES);
    }
    bool right = model_meet(m, query, got, seen, written_by(m, op, false), op->c) &&
                 (op->d & LEAVES ? (got->count > 0) == (count > 0) : got->count == count);
    want_met(want, got, right);
}

// Entity b alone.
void library_iterate_entity(lab *l, const tape_op *op, outcome *got)
{
    uint32_t query = query_of(op);
    mica_entity entity = model_pick(&l->m, op->b);
    mica_iter it;
    mica_iter_begin_entity(l->world, l->queries[query], entity, &it);
    if (!l->m.queries[query].exists || MICA_IS_NONE(entity)) {
        got->code = mica_last_error(l->world)->code;
        return;
    }
    while (mica_iter_next(&it)) {
        meet(l, query, &it, op, false, got);
    }
}

void model_of_iterate_entity(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    uint32_t query = query_of(op);
    const model_slot *slot = model_find(m, model_pick(m, op->b));
    want->code = !m->queries[query].exists ? MICA_ERROR_QUERY : !slot ? MICA_ERROR_ENTITY : MICA_OK;
    if (!want->code) {
        bool seen[MODEL_SLOTS] = {0};
        uint32_t count = model_matches(&m->queries[query], slot);
        bool right = got->count == count &&
                     (count == 0 || MICA_EQUAL(got->entities[0], model_pick(m, op->b)));
        want_met(want, got,
                 right && model_meet(m, query, got, seen, written_by(m, op, false), op->c));
    }
}

// Iterations that stay open from one operation to the next, while all else goes on around them.

static uint32_t walk_of(const tape_op *op)
{
    return op->a % MODEL_WALKS;
}

// The same, or the next behind it that is open.
static uint32_t open_walk_of(const model *m, const tape_op *op)
{
    uint32_t which = walk_of(op);
    for (uint32_t i = 0; i < MODEL_WALKS && !m->walks[which].open; i++) {
        which = (which + 1) % MODEL_WALKS;
    }
    return which;
}

void library_walk_begin(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = walk_of(op);
    uint32_t query = op->b % MODEL_QUERIES;
    if (l->m.walks[which].open) {
        mica_iter_end(&l->walks[which]);
    }
    got->code = mica_iter_begin(l->world, l->queries[query], &l->walks[which]);
}

void model_of_walk_begin(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    uint32_t query = op->b % MODEL_QUERIES;
    bool exists = m->queries[query].exists;
    m->walks[walk_of(op)].open = false;
    model_catch_up(m);
    m->walks[walk_of(op)] = (model_walk){.open = exists, .query = query};
    want->code = exists ? MICA_OK : MICA_ERROR_QUERY;
}

void library_walk_next(lab *l, const tape_op *op, outcome *got)
{
    uint32_t which = open_walk_of(&l->m, op);
    const model_walk *walk = &l->m.walks[which];
    mica_iter *it = &l->walks[which];
    if (walk->open && mica_iter_next(it)) {
        meet(l, walk->query, it, op, true, got);
    } else if (walk->open) {
        got->code = mica_iter_end(it);
    }
}

void model_of_walk_next(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    model_walk *walk = &m->walks[open_walk_of(m, op)];
    if (!walk->open) {
        return;
    }
    bool right = model_meet(m, walk->query, got, walk->seen, written_by(m, op, true), op->c);
    if (got->count == 0) {
        walk->open = false;
        for (uint32_t i = 0; i < m->limit; i++) {
            bool matches = model_matches(&m->queries[walk->query], &m->slots[i]);
            right = right && (walk->unsure[i] || matches == walk->seen[i]);
        }
    }
    want_met(want, got, right);
}

void library_walk_end(lab *l, const tape_op *op, outcome *got)
{
    if (l->m.walks[walk_of(op)].open) {
        got->code = mica_iter_end(&l->walks[walk_of(op)]);
    }
}

void model_of_walk_end(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    (void)want;
    m->walks[walk_of(op)].open = false;
}

// What was recorded meanwhile still waits.
void library_walk_end_all(lab *l, const tape_op *op, outcome *got)
{
    (void)op;
    got->changed = mica_world_end_iterations(l->world);
    if (mica_commands_apply(l->world)) {
        lab_differ(l, "commands are not carried out");
    }
}

void model_of_walk_end_all(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)op;
    (void)got;
    for (uint32_t i = 0; i < MODEL_WALKS; i++) {
        want->changed += m->walks[i].open;
        m->walks[i].open = false;
    }
}

// A system over the terms of a query runs once.

typedef struct step_state {
    lab *l;
    const tape_op *op;
    outcome *got;
} step_state;

static void update(mica_iter *it)
{
    step_state *s = it->user;
    meet(s->l, query_of(s->op), it, s->op, false, s->got);
}

static mica_system add_system(lab *l, step_state *state, mica_phase phase)
{
    mica_term terms[MODEL_TYPES];
    const model_query *query = &l->m.queries[query_of(state->op)];
    tape_terms(l, query, true, terms);
    mica_system system =
        mica_system_add(l->world, &(mica_system_desc){.name = "step",
                                                      .update = update,
                                                      .user = state,
                                                      .phase = phase,
                                                      .query = {.more_terms = terms,
                                                                .more_count = query->count,
                                                                .everything = query->count == 0,
                                                                .no_facets = query->no_facets}});
    if (!system.bits) {
        state->got->code = mica_last_error(l->world)->code;
    }
    return system;
}

// A system without a table to match runs without a tick of its own. To the model, each run has one.
static void tick(lab *l, const outcome *got)
{
    if (!got->code && got->count == 0) {
        mica_world_tick(l->world);
    }
}

void library_step(lab *l, const tape_op *op, outcome *got)
{
    step_state state = {l, op, got};
    mica_system system = add_system(l, &state, (mica_phase){0});
    if (system.bits) {
        got->code = mica_step(l->world, 0.25);
        tick(l, got);
        if (mica_system_remove(l->world, system)) {
            lab_differ(l, "a system is not removed");
        }
    }
}

static bool model_runs(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    if (model_is_open(m)) {
        want->code = MICA_ERROR_ITERATING;
        return false;
    }
    bool seen[MODEL_SLOTS] = {0};
    uint32_t query = query_of(op);
    m->clock++;
    bool right = got->count == model_count_matching(m, query) &&
                 model_meet(m, query, got, seen, written_by(m, op, false), op->c);
    want_met(want, got, right);
    return true;
}

void model_of_step(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    if (model_runs(m, op, got, want)) {
        model_end_frame(m);
    }
}

// The same without a step: in a list of phases, or of systems.
void library_run(lab *l, const tape_op *op, outcome *got)
{
    step_state state = {l, op, got};
    const mica_phase phases[] = {
        mica_phase_find(l->world, "update"),
        mica_phase_add(l->world, &(mica_phase_desc){.name = "turn", .manual = true})};
    if (!phases[1].bits) {
        got->code = mica_last_error(l->world)->code;
        return;
    }
    mica_system system = add_system(l, &state, phases[1]);
    if (system.bits) {
        got->code = op->c % 2 ? mica_phases_run(l->world, phases, 2, 0.25)
                              : mica_systems_run(l->world, &system, 1, 0.25);
        tick(l, got);
    }
    if ((system.bits && mica_system_remove(l->world, system)) ||
        mica_phase_remove(l->world, phases[1])) {
        lab_differ(l, "a system or a phase is not removed");
    }
}

void model_of_run(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)model_runs(m, op, got, want);
}

// Changing all that match

static uint32_t type_of(const tape_op *op)
{
    return op->b % MODEL_TYPES;
}

void library_query_add(lab *l, const tape_op *op, outcome *got)
{
    got->code =
        mica_add_all(l->world, l->queries[query_of(op)], l->types[type_of(op)], &got->changed);
}

void model_of_query_add(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_change_matching(m, query_of(op),
                                       &(model_edit){.with = UINT32_C(1) << type_of(op)}, want);
}

void library_query_remove(lab *l, const tape_op *op, outcome *got)
{
    got->code =
        mica_remove_all(l->world, l->queries[query_of(op)], l->types[type_of(op)], &got->changed);
}

void model_of_query_remove(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    want->code = model_change_matching(m, query_of(op),
                                       &(model_edit){.without = UINT32_C(1) << type_of(op)}, want);
}

// Without data if d & 1.
void library_query_set(lab *l, const tape_op *op, outcome *got)
{
    lab_value room;
    mica_value value = lab_make(l, &room, type_of(op), op->c);
    bool given = !(op->d & 1);
    got->code = mica_set_all(l->world, l->queries[query_of(op)], value.type,
                             given ? value.data : NULL, given ? value.size : 0, &got->changed);
    lab_drop(&l->tracker, &room, type_of(op));
}

void model_of_query_set(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    uint32_t bit = UINT32_C(1) << type_of(op);
    model_edit edit = {.with = bit, .given = op->d & 1 ? 0 : bit};
    edit.values[type_of(op)] = op->c;
    want->code = model_change_matching(m, query_of(op), &edit, want);
}

// They go in the order in which the query gives them, which decides who comes back first.
void library_query_despawn(lab *l, const tape_op *op, outcome *got)
{
    uint32_t query = query_of(op);
    if (l->m.queries[query].exists && !model_is_open(&l->m)) {
        mica_iter it;
        mica_iter_begin(l->world, l->readers[query], &it);
        while (mica_iter_next(&it)) {
            for (uint32_t row = 0; row < it.count && got->count < MODEL_SLOTS; row++) {
                got->entities[got->count++] = it.entities[row];
            }
        }
    }
    got->code = mica_despawn_all(l->world, l->queries[query], &got->changed);
}

void model_of_query_despawn(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    want->code = model_despawn_matching(m, query_of(op), got, want);
}
