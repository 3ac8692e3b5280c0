// The rows of <mica/toggle.h>.
#include "negative/table.h"

// A component with a toggle: of the full entity it is enabled, of the one with a name disabled.
static mica_type begin_toggle(table *t)
{
    const mica_type_desc desc = {.name = "Burning", .size = 4, .align = 4, .toggle = true};
    mica_type burning = mica_type_register(t->world, &desc);
    mica_add(t->world, t->full, burning);
    mica_add(t->world, t->named, burning);
    mica_disable(t->world, t->named, burning);
    table_settle(t);
    return burning;
}

static void toggles_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_type b = begin_toggle(t);

    NULL_WORLD(mica_enable, FAILS, mica_enable(w, t->full, b));
    ALLOWED(mica_enable, !mica_enable(w, t->full, b));
    BAD_ENTITIES(mica_enable.entity, FAILS, MICA_ERROR_ENTITY, mica_enable(w, x, b));
    BAD_TYPES(mica_enable.type, FAILS, MICA_ERROR_TYPE, mica_enable(w, t->full, x));

    NULL_WORLD(mica_disable, FAILS, mica_disable(w, t->full, b));
    ALLOWED(mica_disable, !mica_disable(w, t->named, b));
    BAD_ENTITIES(mica_disable.entity, FAILS, MICA_ERROR_ENTITY, mica_disable(w, x, b));
    BAD_TYPES(mica_disable.type, FAILS, MICA_ERROR_TYPE, mica_disable(w, t->full, x));

    NULL_WORLD(mica_is_enabled, NULLS, mica_is_enabled(w, t->full, b));
    ALLOWED(mica_is_enabled, mica_is_enabled(w, t->full, b));
    BAD_ENTITIES(mica_is_enabled.entity, SILENT, MICA_OK, !mica_is_enabled(w, x, b));
    BAD_TYPES(mica_is_enabled.type, NULLS, MICA_ERROR_TYPE, mica_is_enabled(w, t->full, x));
    table_end(t);
}

static void toggles_by_query_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_query q = t->movers;
    mica_type b = begin_toggle(t);
    uint32_t matched = 7;

    NULL_WORLD(mica_enable_all, FAILS, mica_enable_all(w, q, b, &matched));
    ALLOWED(mica_enable_all, !mica_enable_all(w, q, b, NULL));
    BAD_QUERIES(mica_enable_all.query, FAILS, MICA_ERROR_QUERY, mica_enable_all(w, x, b, &matched));
    BAD_TYPES(mica_enable_all.type, FAILS, MICA_ERROR_TYPE, mica_enable_all(w, q, x, &matched));
    SILENT(mica_enable_all.matched_out.null, !mica_enable_all(w, q, b, NULL));

    NULL_WORLD(mica_disable_all, FAILS, mica_disable_all(w, q, b, &matched));
    ALLOWED(mica_disable_all, !mica_disable_all(w, t->nobody, b, NULL));
    BAD_QUERIES(mica_disable_all.query, FAILS, MICA_ERROR_QUERY,
                mica_disable_all(w, x, b, &matched));
    BAD_TYPES(mica_disable_all.type, FAILS, MICA_ERROR_TYPE, mica_disable_all(w, q, x, &matched));
    SILENT(mica_disable_all.matched_out.null, !mica_disable_all(w, t->nobody, b, NULL));
    CHECK_EQUAL(7, matched);
    table_end(t);
}

static void toggles_by_accessor_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    mica_type b = begin_toggle(t);
    const mica_accessor burnings = mica_accessor_new(w, b);
    const mica_accessor none = {0};
    const mica_accessor *p = &burnings;
    mica_entity e = t->full;
    const mica_accessor loose = mica_accessor_new(
        w,
        mica_type_register(
            w, &(mica_type_desc){
                   .name = "Loose", .size = 4, .align = 4, .storage = MICA_SPARSE, .plain = true}));
    CHECK_EQUAL(MICA_OK, mica_add(w, e, loose.type));

    NULL_WORLD(mica_accessor_toggle_any, FAILS, mica_accessor_toggle_any(w, b, e, true));
    ALLOWED(mica_accessor_toggle_any, mica_accessor_toggle_any(w, b, e, true) == MICA_OK);
    BAD_TYPES(mica_accessor_toggle_any.type, FAILS, MICA_ERROR_TYPE,
              mica_accessor_toggle_any(w, x, e, true));
    BAD_ENTITIES(mica_accessor_toggle_any.entity, FAILS, MICA_ERROR_ENTITY,
                 mica_accessor_toggle_any(w, b, x, true));

    NULL_WORLD(mica_accessor_is_enabled_any, NULLS, mica_accessor_is_enabled_any(w, b, e));
    ALLOWED(mica_accessor_is_enabled_any, mica_accessor_is_enabled_any(w, b, e));
    BAD_TYPES(mica_accessor_is_enabled_any.type, NULLS, MICA_ERROR_TYPE,
              mica_accessor_is_enabled_any(w, x, e));
    BAD_ENTITIES(mica_accessor_is_enabled_any.entity, SILENT, MICA_OK,
                 !mica_accessor_is_enabled_any(w, b, x));

    APART(
        FAILS(mica_accessor_enable.accessor.null, MICA_ERROR_TYPE, mica_accessor_enable(NULL, e)));
    APART(
        FAILS(mica_accessor_enable.accessor.none, MICA_ERROR_TYPE, mica_accessor_enable(&none, e)));
    BAD_ENTITIES(mica_accessor_enable.entity, FAILS, MICA_ERROR_ENTITY, mica_accessor_enable(p, x));

    APART(FAILS(mica_accessor_disable.accessor.null, MICA_ERROR_TYPE,
                mica_accessor_disable(NULL, e)));
    APART(FAILS(mica_accessor_disable.accessor.none, MICA_ERROR_TYPE,
                mica_accessor_disable(&none, e)));
    BAD_ENTITIES(mica_accessor_disable.entity, FAILS, MICA_ERROR_ENTITY,
                 mica_accessor_disable(p, x));

    APART(NULLS(mica_accessor_is_enabled.accessor.null, MICA_ERROR_TYPE,
                mica_accessor_is_enabled(NULL, e)));
    APART(NULLS(mica_accessor_is_enabled.accessor.none, MICA_ERROR_TYPE,
                mica_accessor_is_enabled(&none, e)));
    BAD_ENTITIES(mica_accessor_is_enabled.entity, SILENT, MICA_OK, !mica_accessor_is_enabled(p, x));
    table_end(t);
}

TESTS(table_toggle, toggles_refuse_bad_arguments, toggles_by_query_refuse_bad_arguments,
      toggles_by_accessor_refuse_bad_arguments)
