// The operation that is a mistake: a call with a dead entity, a foreign type, a freed query, and so
// on. It must fail with the right code and change nothing. b chooses among the dead, a among the
// living.
#include "model/tape.h"

// Nobody: none, one who died, one to come, what no handle looks like, a slot that was never used.
static mica_entity dead(const lab *l, const tape_op *op)
{
    uint32_t slot = op->a % l->m.limit;
    uint32_t generation = l->m.slots[slot].generation;
    switch (op->b % 5) {
    case 0: return (mica_entity){0};
    case 1: return mica_entity_make(slot, generation + (generation > 0 ? UINT32_MAX : 1));
    case 2: return mica_entity_make(slot, generation + 1);
    case 3: return (mica_entity){UINT64_C(0x8000000000000000) | op->a};
    default: return mica_entity_make(MODEL_SLOTS + op->a, op->c);
    }
}

static mica_entity living(const lab *l, const tape_op *op)
{
    return model_pick(&l->m, op->a);
}

static mica_type any_type(const lab *l, const tape_op *op)
{
    return l->types[op->c % MODEL_TYPES];
}

static mica_type foreign(const lab *l, const tape_op *op)
{
    return (mica_type){any_type(l, op).bits ^ UINT64_C(1) << 40};
}

static mica_result code_of(lab *l)
{
    return mica_last_error(l->world)->code;
}

static mica_result despawn_dead(lab *l, const tape_op *op)
{
    return mica_despawn(l->world, dead(l, op));
}

static mica_result add_to_dead(lab *l, const tape_op *op)
{
    return mica_add(l->world, dead(l, op), any_type(l, op));
}

static mica_result remove_from_dead(lab *l, const tape_op *op)
{
    return mica_remove(l->world, dead(l, op), any_type(l, op));
}

static mica_result set_dead(lab *l, const tape_op *op)
{
    uint32_t word = op->c;
    return mica_set_value(l->world, dead(l, op), l->types[WORD], &word, sizeof word);
}

static mica_result change_dead(lab *l, const tape_op *op)
{
    mica_type type = any_type(l, op);
    return mica_change(l->world, dead(l, op), NULL, 0, &type, 1);
}

static mica_result get_dead(lab *l, const tape_op *op)
{
    return mica_get(l->world, dead(l, op), any_type(l, op)) ? MICA_OK : code_of(l);
}

static mica_result reach_dead(lab *l, const tape_op *op)
{
    const mica_accessor *accessor = &l->accessors[op->c % MARK];
    return mica_accessor_get_mut(accessor, dead(l, op)) ? MICA_OK : code_of(l);
}

static mica_result clone_dead(lab *l, const tape_op *op)
{
    return MICA_IS_NONE(mica_clone(l->world, dead(l, op))) ? code_of(l) : MICA_OK;
}

static mica_result name_dead(lab *l, const tape_op *op)
{
    return mica_entity_set_name(l->world, dead(l, op), "ghost");
}

static mica_result despawn_one_dead(lab *l, const tape_op *op)
{
    mica_entity list[] = {living(l, op), dead(l, op)};
    return mica_despawn_many(l->world, list, 2);
}

static mica_result add_foreign(lab *l, const tape_op *op)
{
    return mica_add(l->world, living(l, op), foreign(l, op));
}

static mica_result set_foreign(lab *l, const tape_op *op)
{
    mica_value values[] = {{any_type(l, op), NULL, 0, 0, NULL}, {foreign(l, op), NULL, 0, 0, NULL}};
    return mica_set_values(l->world, living(l, op), values, 2);
}

static mica_result get_foreign(lab *l, const tape_op *op)
{
    return mica_get_mut(l->world, living(l, op), foreign(l, op)) ? MICA_OK : code_of(l);
}

static mica_result spawn_foreign(lab *l, const tape_op *op)
{
    mica_value values[] = {{any_type(l, op), NULL, 0, 0, NULL}, {foreign(l, op), NULL, 0, 0, NULL}};
    return MICA_IS_NONE(mica_spawn_values(l->world, values, 2)) ? code_of(l) : MICA_OK;
}

static mica_result query_foreign(lab *l, const tape_op *op)
{
    mica_query_desc desc = {.terms = {{any_type(l, op), MICA_READ}, {foreign(l, op), MICA_WITH}}};
    return MICA_IS_NONE(mica_query_new(l->world, &desc)) ? code_of(l) : MICA_OK;
}

static mica_result query_twice(lab *l, const tape_op *op)
{
    mica_query_desc desc = {
        .terms = {{any_type(l, op), MICA_READ}, {any_type(l, op), MICA_WITHOUT}}};
    return MICA_IS_NONE(mica_query_new(l->world, &desc)) ? code_of(l) : MICA_OK;
}

static mica_result set_too_large(lab *l, const tape_op *op)
{
    uint64_t words[8] = {0};
    return mica_set_value(l->world, living(l, op), any_type(l, op), words, sizeof words);
}

static mica_result set_second_too_large(lab *l, const tape_op *op)
{
    uint64_t words[8] = {0};
    mica_value values[] = {{l->types[LONG], words, 8, 1, NULL},
                           {any_type(l, op), words, sizeof words, 1, NULL}};
    return mica_set_values(l->world, living(l, op), values, 2);
}

static mica_result name_badly(lab *l, const tape_op *op)
{
    return mica_entity_set_name(l->world, living(l, op), op->c & 1 ? "" : "\n");
}

static mica_result count_no_query(lab *l, const tape_op *op)
{
    (void)op;
    return mica_query_count(l->world, (mica_query){0}) ? MICA_OK : code_of(l);
}

static mica_result change_no_query(lab *l, const tape_op *op)
{
    return mica_add_all(l->world, (mica_query){l->types[0].bits}, any_type(l, op), NULL);
}

static mica_result spawn_where_somebody_is(lab *l, const tape_op *op)
{
    mica_entity entity = living(l, op);
    return MICA_IS_NONE(mica_spawn_at(l->world, entity)) ? code_of(l) : MICA_OK;
}

static mica_result iterate_on(lab *l, const tape_op *op)
{
    (void)op;
    mica_query query = mica_query_new(l->world, &(mica_query_desc){.everything = true});
    mica_iter it;
    mica_iter_begin(l->world, query, &it);
    mica_iter_end(&it);
    bool goes_on = mica_iter_next(&it);
    return mica_query_free(l->world, query) || goes_on ? MICA_OK : code_of(l);
}

static mica_result write_what_is_read(lab *l, const tape_op *op)
{
    mica_query_desc desc = {.terms = {{l->types[op->c % MARK], MICA_OPTIONAL}}};
    mica_query query = mica_query_new(l->world, &desc);
    mica_iter it;
    mica_iter_begin(l->world, query, &it);
    bool given = mica_iter_next(&it) && mica_write(&it, 0);
    mica_iter_end(&it);
    return mica_query_free(l->world, query) || given ? MICA_OK : code_of(l);
}

static mica_result send_tag(lab *l, const tape_op *op)
{
    uint64_t number = op->c;
    const mica_value values[] = {{l->types[LONG], &number, sizeof number, 1, NULL},
                                 MICA_ADD(l->types[op->c & 1 ? MARK : BADGE])};
    return mica_send_values(op->b & 1 ? mica_world_later(l->world) : l->world, values, 2);
}

static mica_result send_foreign(lab *l, const tape_op *op)
{
    const mica_value values[] = {MICA_ADD(l->types[WATCHED]), MICA_ADD(foreign(l, op))};
    return mica_send_values(op->b & 1 ? mica_world_later(l->world) : l->world, values, 2);
}

static mica_result read_another(lab *l, const tape_op *op)
{
    mica_cursor cursor = {0};
    uint32_t count;
    mica_events(l->world, l->types[TRIPLE], &cursor, &count);
    const void *event =
        mica_events(l->world, l->types[op->c & 1 ? LONG : WATCHED], &cursor, &count);
    return event ? MICA_OK : code_of(l);
}

static mica_result extend_dead(lab *l, const tape_op *op)
{
    mica_entity facet = mica_facet_add_values(op->b & 1 ? mica_world_later(l->world) : l->world,
                                              dead(l, op), any_type(l, op), op->c, NULL, 0);
    return MICA_IS_NONE(facet) ? code_of(l) : MICA_OK;
}

static mica_result extend_for_foreign(lab *l, const tape_op *op)
{
    mica_entity facet =
        mica_facet_add_values(l->world, living(l, op), foreign(l, op), op->c, NULL, 0);
    return MICA_IS_NONE(facet) ? code_of(l) : MICA_OK;
}

static mica_result find_facet_of_dead(lab *l, const tape_op *op)
{
    mica_entity facet = mica_facet_find(l->world, dead(l, op), any_type(l, op), op->c);
    return MICA_IS_NONE(facet) ? code_of(l) : MICA_OK;
}

static mica_result own_dead(lab *l, const tape_op *op)
{
    mica_entity owner = mica_facet_owner(l->world, dead(l, op));
    return MICA_IS_NONE(owner) ? code_of(l) : MICA_OK;
}

static mica_result key_of_dead(lab *l, const tape_op *op)
{
    return mica_facet_key(l->world, dead(l, op), NULL, NULL);
}

// Nobody is a facet of its own.
static mica_result walk_behind_itself(lab *l, const tape_op *op)
{
    mica_entity facet = mica_facet_next(l->world, living(l, op), living(l, op));
    return MICA_IS_NONE(facet) ? code_of(l) : MICA_OK;
}

// GUARDED: refused first of all while an iteration is open. LIVING: MICA_ERROR_ENTITY if nobody lives.
enum { PLAIN = 0, GUARDED = 1, LIVING = 2 };

static const struct {
    mica_result (*call)(lab *l, const tape_op *op);
    mica_result code;
    unsigned how;
} mistakes[] = {
    {despawn_dead, MICA_ERROR_ENTITY, PLAIN},
    {add_to_dead, MICA_ERROR_ENTITY, PLAIN},
    {remove_from_dead, MICA_ERROR_ENTITY, PLAIN},
    {set_dead, MICA_ERROR_ENTITY, PLAIN},
    {change_dead, MICA_ERROR_ENTITY, PLAIN},
    {get_dead, MICA_ERROR_ENTITY, PLAIN},
    {reach_dead, MICA_ERROR_ENTITY, PLAIN},
    {clone_dead, MICA_ERROR_ENTITY, PLAIN},
    {name_dead, MICA_ERROR_ENTITY, PLAIN},
    {despawn_one_dead, MICA_ERROR_ENTITY, PLAIN},
    {add_foreign, MICA_ERROR_TYPE, LIVING},
    {set_foreign, MICA_ERROR_TYPE, LIVING},
    {get_foreign, MICA_ERROR_TYPE, LIVING},
    {spawn_foreign, MICA_ERROR_TYPE, GUARDED},
    {query_foreign, MICA_ERROR_TYPE, PLAIN},
    {query_twice, MICA_ERROR_TERMS, PLAIN},
    {set_too_large, MICA_ERROR_SIZE, LIVING},
    {set_second_too_large, MICA_ERROR_SIZE, LIVING},
    {name_badly, MICA_ERROR_NAME, LIVING},
    {count_no_query, MICA_ERROR_QUERY, PLAIN},
    {change_no_query, MICA_ERROR_QUERY, GUARDED},
    {spawn_where_somebody_is, MICA_ERROR_OCCUPIED, GUARDED | LIVING},
    {iterate_on, MICA_ERROR_ITERATOR, PLAIN},
    {write_what_is_read, MICA_ERROR_TERM, PLAIN},
    {send_tag, MICA_ERROR_SIZE, PLAIN},
    {send_foreign, MICA_ERROR_TYPE, PLAIN},
    {read_another, MICA_ERROR_ARGUMENT, PLAIN},
    {extend_dead, MICA_ERROR_ENTITY, PLAIN},
    {extend_for_foreign, MICA_ERROR_TYPE, LIVING},
    {find_facet_of_dead, MICA_ERROR_ENTITY, PLAIN},
    {own_dead, MICA_ERROR_ENTITY, PLAIN},
    {key_of_dead, MICA_ERROR_ENTITY, PLAIN},
    {walk_behind_itself, MICA_ERROR_ARGUMENT, LIVING},
};

static uint32_t mistake_of(const tape_op *op)
{
    return op->d % (uint32_t)(sizeof mistakes / sizeof mistakes[0]);
}

void library_bad(lab *l, const tape_op *op, outcome *got)
{
    // Nobody to iterate over is no mistake.
    if (mistakes[mistake_of(op)].call != write_what_is_read || model_count(&l->m) > 0) {
        got->code = mistakes[mistake_of(op)].call(l, op);
    }
}

void model_of_bad(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)got;
    uint32_t which = mistake_of(op);
    bool empty = model_count(m) == 0;
    if (mistakes[which].call == write_what_is_read && empty) {
        want->code = MICA_OK;
    } else if ((mistakes[which].how & GUARDED) && model_is_open(m)) {
        want->code = MICA_ERROR_ITERATING;
    } else if ((mistakes[which].how & LIVING) && empty) {
        want->code = MICA_ERROR_ENTITY;
    } else {
        want->code = mistakes[which].code;
    }
}
