// The component types that all rows of a segment have. Only called by users: mica/query.h has the
// contract.
#include "query/query.h"

#include "base/bits.h"

static const micai_table *table_of(const micai_state *state, mica_entity entity)
{
    const micai_record *record = micai_slots_at(&state->slots, mica_entity_slot(entity));
    return micai_row_table(micai_row_of(&state->store, record));
}

// Adds the types of a table, except the hidden one.
static mica_result add_table_types(micai_host *host, const micai_state *state,
                                   const micai_table *table, mica_type_set *types)
{
    mica_result result = MICA_OK;
    for (uint32_t word = 0; word < table->word_count; word++) {
        for (uint64_t rest = table->words[word]; !result && rest != 0; rest &= rest - 1) {
            uint32_t number = word * 64 + micai_bits_lowest(rest);
            result =
                number == state->registry.hidden ? MICA_OK : micai_types_add(host, types, number);
        }
    }
    return result;
}

static void keep_common(const micai_table *table, mica_type_set *types)
{
    for (uint32_t n = micai_types_next(types, 0); n != MICAI_BITS_END;
         n = micai_types_next(types, n + 1)) {
        if (!micai_table_has(table, n)) {
            micai_types_remove(types, n);
        }
    }
}

// Rows of a segment are in one table, but those of a block may be in several.
static mica_result find_types(const mica_iter *it, mica_type_set *types)
{
    micai_host *host = &it->world->host;
    const micai_query *query = it->walk->query;
    if (!it->entities) {
        return micai_types_combine(host, types, &query->required_types, &query->required_types,
                                   MICAI_TYPES_BOTH);
    }
    const micai_state *state = it->world->state;
    const micai_table *last = table_of(state, it->entities[0]);
    mica_result result = add_table_types(host, state, last, types);
    uint32_t rows = micai_query_is_filtered(query) ? it->count : 1;
    for (uint32_t i = 1; !result && i < rows; i++) {
        const micai_table *table = table_of(state, it->entities[i]);
        if (table != last) {
            keep_common(table, types);
            last = table;
        }
    }
    return result;
}

mica_result mica_iter_types(const mica_iter *it, mica_type_set *types_out)
{
    static const char call[] = "mica_iter_types";
    if (micai_iter_check_segment(it, call)) {
        return MICA_ERROR_ITERATOR;
    }
    micai_host *host = &it->world->host;
    if (!types_out) {
        return micai_fail_null(host, call, "types_out");
    }
    mica_type_set types = {0};
    micai_host_begin(host, call);
    mica_result result = find_types(it, &types);
    micai_host_end(host);
    micai_types_free(host, result ? &types : types_out);
    if (!result) {
        *types_out = types;
    }
    return result;
}
