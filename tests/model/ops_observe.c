// S2.8: the operation that has observers keep a mirror of the world from now on, or no more. What they keep is
// compared with the world after every operation, as long as they are there.
#include "model/tape.h"

// With queries if d & 1; of spawns and ends, too, if d & 2.
enum { QUERIES = 1, WHOLE = 2 };

// The types of mask b; without any, all of them.
static uint32_t list_types(const lab *l, const tape_op *op, mica_type *types_out)
{
    uint32_t mask = op->b % (1u << MODEL_TYPES);
    uint32_t count = 0;
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        if (mask == 0 || (mask >> t & 1)) {
            types_out[count++] = l->types[t];
        }
    }
    if (op->d & WHOLE) {
        types_out[count++] = l->owned;
    }
    return count;
}

static uint32_t list_queries(const lab *l, mica_term terms[][MODEL_TYPES],
                             mica_query_desc *descs_out)
{
    uint32_t count = 0;
    for (uint32_t q = 0; q < MODEL_QUERIES; q++) {
        const model_query *query = &l->m.queries[q];
        if (query->exists) {
            tape_terms(l, query, false, terms[count]);
            descs_out[count] = (mica_query_desc){.more_terms = terms[count],
                                                 .more_count = query->count,
                                                 .everything = query->count == 0,
                                                 .no_facets = query->no_facets};
            count++;
        }
    }
    return count;
}

void library_observe(lab *l, const tape_op *op, outcome *got)
{
    (void)got;
    mica_type types[MODEL_TYPES + 1];
    mica_term terms[MODEL_QUERIES][MODEL_TYPES];
    mica_query_desc descs[MODEL_QUERIES];
    if (model_is_open(&l->m)) {
        return;
    }
    if (l->mirror.world) {
        mirror_end(&l->mirror);
        return;
    }
    uint32_t queries = op->d & QUERIES ? list_queries(l, terms, descs) : 0;
    if (!mirror_begin(&l->mirror, l->world, types, list_types(l, op, types), descs, queries,
                      op->d & WHOLE)) {
        lab_differ(l, "%s", l->mirror.wrong);
    }
    l->mirrored[0] = op->b;
    l->mirrored[1] = op->d;
}

void lab_mirror_again(lab *l)
{
    const tape_op op = {
        .code = OBSERVE, .b = (uint16_t)l->mirrored[0], .d = (uint16_t)l->mirrored[1]};
    outcome got = {.code = MICA_OK};
    if (l->mirror.world) {
        library_observe(l, &op, &got);
        library_observe(l, &op, &got);
    }
}

void model_of_observe(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)m;
    (void)op;
    (void)got;
    (void)want;
}
