// What differs between two images: types, entities, their components, names, facets, resources, events.
// Things are known by their names, entities by their handles.
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    const tool_image *a;
    const tool_image *b;
    uint64_t count; // of differences
    tool_text where;
    tool_text left;
    tool_text right;
    unsigned char *loaded[2]; // values that are nowhere whole
} comparison;

static void tell_change(comparison *c, const char *what, const char *from, const char *to)
{
    printf("%s%s%s: %s -> %s\n", c->where.chars, *what ? " " : "", what, from, to);
    c->count++;
}

// `of`: which of the two has it.
static void tell_only(comparison *c, const char *what, const tool_image *of)
{
    printf("%s%s%s: only in %s\n", c->where.chars, *what ? " " : "", what, of->name);
    c->count++;
}

static const mica_type_info *find_type(const tool_image *image, const char *name)
{
    mica_type type = mica_type_find(image->world, name);
    return MICA_IS_NONE(type) ? NULL : mica_type_get_info(image->world, type);
}

static const mica_type_info *next_type(const tool_image *image, const mica_type_info *previous)
{
    mica_type type = mica_type_next(image->world, previous ? previous->type : (mica_type){0});
    return MICA_IS_NONE(type) ? NULL : mica_type_get_info(image->world, type);
}

static void compare_types(comparison *c)
{
    tool_text_clear(&c->where);
    tool_text_add(&c->where, "type");
    for (const mica_type_info *a = next_type(c->a, NULL); a; a = next_type(c->a, a)) {
        const mica_type_info *b = find_type(c->b, a->name);
        if (!b) {
            tell_only(c, a->name, c->a);
            continue;
        }
        tool_text_clear(&c->left);
        tool_text_clear(&c->right);
        tool_describe(&c->left, c->a->world, a);
        tool_describe(&c->right, c->b->world, b);
        if (strcmp(c->left.chars, c->right.chars) != 0) {
            tell_change(c, a->name, c->left.chars, c->right.chars);
        }
    }
    for (const mica_type_info *b = next_type(c->b, NULL); b; b = next_type(c->b, b)) {
        if (!find_type(c->a, b->name)) {
            tell_only(c, b->name, c->b);
        }
    }
}

static void compare_texts(comparison *c, const char *type, const char *field)
{
    tool_text what = {0};
    if (strcmp(c->left.chars, c->right.chars) != 0) {
        tool_text_add(&what, field ? "%s.%s" : "%s", type, field);
        tell_change(c, what.chars, c->left.chars, c->right.chars);
        tool_text_free(&what);
    }
}

static const mica_field_info *find_field(const mica_type_info *type, const char *name)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            return &type->fields[i];
        }
    }
    return NULL;
}

// Most often they are: then nobody needs to know how they look.
static bool have_same_bytes(const mica_field_info *field_a, const mica_field_info *field_b,
                            const unsigned char *a, const unsigned char *b)
{
    return field_a->kind == field_b->kind && field_a->size == field_b->size &&
           field_a->kind != MICA_KIND_STRUCT && field_a->kind != MICA_KIND_ENUM &&
           memcmp(a + field_a->offset, b + field_b->offset, field_a->size) == 0;
}

// Values of a type that both have. Fields that only one has are a difference of the types.
static void compare_values(comparison *c, const mica_type_info *type_a,
                           const mica_type_info *type_b, const void *a, const void *b)
{
    bool by_fields = type_a->field_count > 0 && type_b->field_count > 0 && !type_a->hooks.save &&
                     !type_b->hooks.save;
    if (!by_fields) {
        tool_text_clear(&c->left);
        tool_text_clear(&c->right);
        tool_text_add(&c->left, "%s", "");
        tool_text_add(&c->right, "%s", "");
        tool_tell_value(&c->left, c->a->world, type_a, a);
        tool_tell_value(&c->right, c->b->world, type_b, b);
        compare_texts(c, type_a->name, NULL);
        return;
    }
    for (uint32_t i = 0; i < type_a->field_count; i++) {
        const mica_field_info *field = find_field(type_b, type_a->fields[i].name);
        if (field && !have_same_bytes(&type_a->fields[i], field, a, b)) {
            tool_text_clear(&c->left);
            tool_text_clear(&c->right);
            tool_tell_field(&c->left, c->a->world, &type_a->fields[i], a);
            tool_tell_field(&c->right, c->b->world, field, b);
            compare_texts(c, type_a->name, field->name);
        }
    }
}

static const void *get_value(comparison *c, const tool_image *image, mica_entity entity,
                             const mica_type_info *type)
{
    unsigned char *room = c->loaded[image == c->b];
    if (type->storage != MICA_SPLIT) {
        return mica_get(image->world, entity, type->type);
    }
    return mica_load(image->world, entity, type->type, room, type->size) ? room : NULL;
}

static void compare_component(comparison *c, mica_entity entity, mica_entity other,
                              const mica_type_info *type)
{
    const mica_type_info *same = find_type(c->b, type->name);
    bool here = mica_has(c->a->world, entity, type->type);
    bool there = same && mica_has(c->b->world, other, same->type);
    if (here != there) {
        tell_only(c, type->name, here ? c->a : c->b);
    }
    if (!here || !there) {
        return;
    }
    const void *a = get_value(c, c->a, entity, type);
    const void *b = get_value(c, c->b, other, same);
    if (a && b) {
        compare_values(c, type, same, a, b);
    }
    bool enabled = !type->toggle || mica_is_enabled(c->a->world, entity, type->type);
    bool enabled_there = !same->toggle || mica_is_enabled(c->b->world, other, same->type);
    if (enabled != enabled_there) {
        tell_change(c, type->name, enabled ? "enabled" : "disabled",
                    enabled_there ? "enabled" : "disabled");
    }
}

// Two rows with the same handle, or key.
static void compare_rows(comparison *c, mica_entity entity, mica_entity other)
{
    const char *name = mica_entity_name(c->a->world, entity);
    const char *name_there = mica_entity_name(c->b->world, other);
    if (strcmp(name ? name : "", name_there ? name_there : "") != 0) {
        tell_change(c, "name", name ? name : "(none)", name_there ? name_there : "(none)");
    }
    for (const mica_type_info *a = next_type(c->a, NULL); a; a = next_type(c->a, a)) {
        compare_component(c, entity, other, a);
    }
    // Types that only the other image has.
    for (const mica_type_info *b = next_type(c->b, NULL); b; b = next_type(c->b, b)) {
        if (!find_type(c->a, b->name) && mica_has(c->b->world, other, b->type)) {
            tell_only(c, b->name, c->b);
        }
    }
}

static void say_where(comparison *c, const tool_image *image, mica_entity entity)
{
    char handle[MICA_ENTITY_TEXT_SIZE];
    const char *name = mica_entity_name(image->world, entity);
    tool_text_clear(&c->where);
    tool_text_add(&c->where, name ? "entity %s '%s'" : "entity %s",
                  mica_entity_text(entity, handle), name);
}

static void say_facet(comparison *c, const tool_image *image, mica_entity owner, mica_entity facet)
{
    mica_type component = (mica_type){0};
    uint32_t role = 0;
    mica_facet_key(image->world, facet, &component, &role);
    say_where(c, image, owner);
    tool_text_add(
        &c->where, " facet (%s, %" PRIu32 ")",
        MICA_IS_NONE(component) ? "none" : mica_type_get_info(image->world, component)->name, role);
}

// The facet of the same key in the other image; none if there is none.
static mica_entity find_facet(const tool_image *image, const tool_image *other, mica_entity owner,
                              mica_entity facet)
{
    mica_type component = (mica_type){0};
    uint32_t role = 0;
    mica_facet_key(image->world, facet, &component, &role);
    if (MICA_IS_NONE(component)) {
        return mica_facet_find(other->world, owner, component, role);
    }
    const mica_type_info *same =
        find_type(other, mica_type_get_info(image->world, component)->name);
    return same ? mica_facet_find(other->world, owner, same->type, role) : (mica_entity){0};
}

static void compare_facets(comparison *c, mica_entity owner)
{
    for (mica_entity f = mica_facet_next(c->a->world, owner, (mica_entity){0}); !MICA_IS_NONE(f);
         f = mica_facet_next(c->a->world, owner, f)) {
        mica_entity other = find_facet(c->a, c->b, owner, f);
        say_facet(c, c->a, owner, f);
        if (MICA_IS_NONE(other)) {
            tell_only(c, "", c->a);
        } else {
            compare_rows(c, f, other);
        }
    }
    for (mica_entity f = mica_facet_next(c->b->world, owner, (mica_entity){0}); !MICA_IS_NONE(f);
         f = mica_facet_next(c->b->world, owner, f)) {
        if (MICA_IS_NONE(find_facet(c->b, c->a, owner, f))) {
            say_facet(c, c->b, owner, f);
            tell_only(c, "", c->b);
        }
    }
}

// A facet may have the handle that an entity has in the other image.
static bool has_entity(const tool_image *image, mica_entity entity)
{
    return mica_alive(image->world, entity) &&
           MICA_EQUAL(mica_facet_owner(image->world, entity), entity);
}

static void compare_entities(comparison *c, const tool_options *options)
{
    tool_progress progress;
    uint64_t done = 0;
    tool_progress_begin(&progress, options, "comparing", "entities",
                        mica_entity_count(c->a->world));
    for (mica_entity e = mica_entity_next(c->a->world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(c->a->world, e)) {
        tool_progress_tell(&progress, done++);
        say_where(c, c->a, e);
        if (!has_entity(c->b, e)) {
            tell_only(c, "", c->a);
        } else {
            compare_rows(c, e, e);
            compare_facets(c, e);
        }
    }
    for (mica_entity e = mica_entity_next(c->b->world, (mica_entity){0}); !MICA_IS_NONE(e);
         e = mica_entity_next(c->b->world, e)) {
        if (!has_entity(c->a, e)) {
            say_where(c, c->b, e);
            tell_only(c, "", c->b);
        }
    }
    tool_progress_end(&progress);
}

static void compare_resource(comparison *c, const mica_type_info *a, const mica_type_info *b)
{
    bool here = a && a->size > 0 && mica_resource_get(c->a->world, a->type) != NULL;
    bool there = b && b->size > 0 && mica_resource_get(c->b->world, b->type) != NULL;
    if (here != there) {
        tell_only(c, here ? a->name : b->name, here ? c->a : c->b);
    } else if (here) {
        compare_values(c, a, b, mica_resource_get(c->a->world, a->type),
                       mica_resource_get(c->b->world, b->type));
    }
}

static void compare_events(comparison *c, const mica_type_info *a, const mica_type_info *b)
{
    char counts[2][16];
    uint32_t here = a && a->size > 0 ? tool_event_count(c->a->world, a->type) : 0;
    uint32_t there = b && b->size > 0 ? tool_event_count(c->b->world, b->type) : 0;
    if (here != there) {
        snprintf(counts[0], sizeof counts[0], "%" PRIu32, here);
        snprintf(counts[1], sizeof counts[1], "%" PRIu32, there);
        tell_change(c, a ? a->name : b->name, counts[0], counts[1]);
    }
}

// What there is of a type without entities.
static void compare_others(comparison *c, const char *where,
                           void (*compare)(comparison *, const mica_type_info *,
                                           const mica_type_info *))
{
    tool_text_clear(&c->where);
    tool_text_add(&c->where, "%s", where);
    for (const mica_type_info *a = next_type(c->a, NULL); a; a = next_type(c->a, a)) {
        compare(c, a, find_type(c->b, a->name));
    }
    for (const mica_type_info *b = next_type(c->b, NULL); b; b = next_type(c->b, b)) {
        if (!find_type(c->a, b->name)) {
            compare(c, NULL, b);
        }
    }
}

// Are they the same to the last byte, saved the same way?
static bool are_exact(const comparison *c)
{
    mica_buffer a = {0};
    mica_buffer b = {0};
    bool exact = !mica_world_save(c->a->world, &(mica_stream){.buffer = &a}, NULL) &&
                 !mica_world_save(c->b->world, &(mica_stream){.buffer = &b}, NULL) &&
                 a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
    mica_buffer_free(&a);
    mica_buffer_free(&b);
    return exact;
}

static int compare_images(comparison *c, const tool_options *options)
{
    compare_types(c);
    compare_entities(c, options);
    compare_others(c, "resource", compare_resource);
    compare_others(c, "events of", compare_events);
    bool exact = c->count == 0 && are_exact(c);
    if (c->count > 0) {
        printf("%" PRIu64 " difference%s\n", c->count, c->count == 1 ? "" : "s");
    } else if (!exact) {
        printf("the same content; its order, its ticks or the handles that come next differ\n");
    }
    return c->count > 0 || (options->exact && !exact) ? TOOL_DIFFERS : TOOL_FINE;
}

int tool_diff(const tool_options *options, const char *path, const char *other)
{
    tool_image a;
    tool_image b;
    int result = tool_image_open(&a, options, path);
    if (result) {
        return TOOL_TROUBLE; // nothing can be said of the two
    }
    result = tool_image_open(&b, options, other);
    if (result) {
        tool_image_close(&a);
        return TOOL_TROUBLE;
    }
    comparison c = {.a = &a, .b = &b};
    c.loaded[0] = malloc(MICA_TYPE_SIZE_MAX);
    c.loaded[1] = malloc(MICA_TYPE_SIZE_MAX);
    if (c.loaded[0] && c.loaded[1]) {
        result = compare_images(&c, options);
    } else {
        fprintf(stderr, "mica: there is no more memory\n");
        result = TOOL_TROUBLE;
    }
    free(c.loaded[0]);
    free(c.loaded[1]);
    tool_text_free(&c.where);
    tool_text_free(&c.left);
    tool_text_free(&c.right);
    tool_image_close(&a);
    tool_image_close(&b);
    return result;
}
