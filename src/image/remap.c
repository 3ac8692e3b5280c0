// References. remap_internal.h has the contract.
#include "image/remap_internal.h"

#include <string.h>

#include "base/bytes.h"

bool micai_remap_is_needed(const micai_registry *registry, const micai_type *type)
{
    const mica_type_info *info = &type->info;
    bool there = false;
    for (uint32_t i = 0; !there && i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        there = field->kind == MICA_KIND_ENTITY ||
                (field->kind == MICA_KIND_STRUCT &&
                 micai_remap_is_needed(registry, micai_registry_find(registry, field->type)));
    }
    return there;
}

static void remap_one(unsigned char *at, micai_remap_fn *remap, void *user)
{
    mica_entity entity;
    memcpy(&entity, at, sizeof entity);
    if (!MICA_IS_NONE(entity)) {
        entity = remap(user, entity);
        memcpy(at, &entity, sizeof entity);
    }
}

void micai_remap_values(const micai_registry *registry, const micai_type *type, void *values,
                        uint32_t count, micai_remap_fn *remap, void *user)
{
    const mica_type_info *info = &type->info;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        const micai_type *nested =
            field->kind == MICA_KIND_STRUCT ? micai_registry_find(registry, field->type) : NULL;
        if (field->kind != MICA_KIND_ENTITY &&
            !(nested && micai_remap_is_needed(registry, nested))) {
            continue;
        }
        unsigned char *at = (unsigned char *)values + field->offset;
        for (uint32_t v = 0; v < count; v++, at += info->size) {
            for (uint32_t e = 0; !nested && e < field->count; e++) {
                remap_one(at + e * sizeof(mica_entity), remap, user);
            }
            if (nested) {
                micai_remap_values(registry, nested, at, field->count, remap, user);
            }
        }
    }
}

static void remap_bytes(unsigned char bytes[8], micai_remap_fn *remap, void *user)
{
    mica_entity entity = {micai_get_little(bytes, 8)};
    if (!MICA_IS_NONE(entity)) {
        micai_put_little(bytes, remap(user, entity).bits, 8);
    }
}

void micai_remap_saved(const micai_schema *schema, const micai_schema_type *type,
                       unsigned char *values, uint32_t count, micai_remap_fn *remap, void *user)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const micai_schema_field *field = &type->fields[i];
        unsigned char *at = values + field->offset;
        for (uint32_t v = 0; v < count; v++, at += type->size) {
            for (uint32_t e = 0; field->kind == MICA_KIND_ENTITY && e < field->count; e++) {
                remap_bytes(at + (size_t)e * field->size, remap, user);
            }
            if (field->kind == MICA_KIND_STRUCT) {
                micai_remap_saved(schema, &schema->types[field->type], at, field->count, remap,
                                  user);
            }
        }
    }
}

static mica_entity mark(void *user, mica_entity entity)
{
    (void)user;
    return (mica_entity){entity.bits | MICAI_REMAP_MARK};
}

void micai_remap_mark(const micai_schema *schema, const micai_schema_type *type,
                      unsigned char *values, uint32_t count)
{
    micai_remap_saved(schema, type, values, count, mark, NULL);
}
