// Matches an entity before and after a change. Each term is checked, as in mica_query_explain(),
// because the entity is not in its new table yet.
#include "query/match_entity.h"

// Returns true if the component is on for the term. Most types are stored in tables, have no
// toggle, and are not the ones that change.
static inline bool has_component(const micai_state *state, const micai_table *table,
                                 const micai_notification *notification, const micai_query *query,
                                 uint32_t t, bool after)
{
    const micai_term *term = &query->terms[t];
    const micai_type *type = term->type;
    bool unchanged = !after || (notification->one && notification->one != type);
    bool sparse = query->sparse >> t & 1;
    if (unchanged && !sparse && !type->info.toggle) {
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
    bool matches = !(query->no_facets && table->facet);
    bool has_any_terms = false; // there are MICA_ANY terms
    bool any = false;           // one of them is satisfied
    for (uint32_t t = 0; matches && t < query->term_count; t++) {
        uint64_t bit = UINT64_C(1) << t;
        if (query->required & bit) {
            matches = has_component(state, table, notification, query, t, after);
        } else if (query->excluded & bit) {
            matches = !has_component(state, table, notification, query, t, after);
        } else if (query->any_of & bit) {
            has_any_terms = true;
            any = any || has_component(state, table, notification, query, t, after);
        }
    }
    return matches && (any || !has_any_terms);
}

bool micai_query_requires_nothing(const micai_query *query)
{
    return (query->required | query->any_of) == 0;
}
