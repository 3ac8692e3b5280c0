// Does an entity match, before or after a change of it? Observers of queries need that. Each term is checked, as in
// mica_query_explain(), because the entity is not in its new table yet.
#include "query/match_entity.h"

// Is the component there, as far as the term is concerned? Most are of tables, never disabled, and not what
// changes.
static inline bool has_component(const micai_state *state, const micai_table *table,
                                 const micai_notification *notification, const micai_query *query,
                                 uint32_t t, bool after)
{
    const micai_term *term = &query->terms[t];
    const micai_type *type = term->type;
    bool stays = !after || (notification->one && notification->one != type);
    bool sparse = query->sparse >> t & 1;
    if (stays && !sparse && !type->info.toggle) {
        return micai_table_has(table, type->number);
    }
    return term->include_disabled
               ? micai_notification_has(state, notification, term->type, after)
               : micai_notification_is_on(state, notification, term->type, after);
}

bool micai_query_matches_entity(const micai_state *state, const micai_query *query,
                                const micai_notification *notification, bool after)
{
    const micai_table *table =
        micai_row_table(micai_row_of(&state->store, notification->ref.record));
    bool fits = !(query->no_facets && table->facet);
    bool asked = false; // is one of several wanted,
    bool any = false;   // and is one there?
    for (uint32_t t = 0; fits && t < query->term_count; t++) {
        uint64_t bit = UINT64_C(1) << t;
        if (query->required & bit) {
            fits = has_component(state, table, notification, query, t, after);
        } else if (query->excluded & bit) {
            fits = !has_component(state, table, notification, query, t, after);
        } else if (query->any_of & bit) {
            asked = true;
            any = any || has_component(state, table, notification, query, t, after);
        }
    }
    return fits && (any || !asked);
}

bool micai_query_requires_nothing(const micai_query *query)
{
    return (query->required | query->any_of) == 0;
}
