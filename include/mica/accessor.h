// Accessors: a component type prepared for quick, checked access to single entities. They do what
// mica_get() and mica_get_mut() do, inline, without looking anything up by type.
//
//   mica_accessor positions = mica_accessor_new(world, position);
//   const Position *p = mica_accessor_get(&positions, e);
//   Position *q = mica_accessor_get_mut(&positions, e);
//
// An accessor is good for as long as its world. It owns nothing and can be copied.
#ifndef MICA_ACCESSOR_H
#define MICA_ACCESSOR_H

#include <mica/type.h>
#include <mica/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mica_accessor {
    // private
    const mica_view_face *face; // NULL: no accessor
    uint32_t quick;             // the type's number, or MICA_VIEW_QUICK
    uint32_t size;              // of its values
    mica_type type;
    mica_world *world;
} mica_accessor;

// O(1), makes nothing. On failure (MICA_ERROR_NULL, _TYPE; of a tag, which has no value, _SIZE) the
// accessor gives NULL for every entity, reporting each time. The first 63 types of a world are
// reached quickest.
MICA_API mica_accessor mica_accessor_new(mica_world *world, mica_type type);

// Behind the functions below, for all they do not do inline: components that are not there, types
// beyond the first 63, pages that are shared with a snapshot, and errors (MICA_ERROR_ENTITY;
// MICA_ERROR_TYPE for an accessor that is none).
MICA_API const void *mica_accessor_get_slowly(const mica_accessor *accessor, mica_entity entity);
MICA_API void *mica_accessor_get_mut_slowly(const mica_accessor *accessor, mica_entity entity);

// The record of a living entity; NULL for the dead, and for an accessor that is none.
static inline const mica_view_record *mica_accessor_find(const mica_accessor *accessor,
                                                         mica_entity entity)
{
    const mica_view_slots *slots = accessor && accessor->face ? accessor->face->slots : NULL;
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    uint32_t page = slot >> MICA_VIEW_SLOT_SHIFT;
    if (!slots || page >= slots->page_count || !slots->pages[page]) {
        return NULL;
    }
    const mica_view_record *record =
        &slots->pages[page][slot & ((UINT32_C(1) << MICA_VIEW_SLOT_SHIFT) - 1)];
    return record->tag == tag && tag < MICA_VIEW_TAG_END ? record : NULL;
}

// NULL, silently, if the component is not there; NULL and an error if the entity is dead.
static inline const void *mica_accessor_get(const mica_accessor *accessor, mica_entity entity)
{
    const mica_view_record *record = mica_accessor_find(accessor, entity);
    if (!record) {
        return mica_accessor_get_slowly(accessor, entity);
    }
    const mica_view_sheet *sheet =
        accessor->face->store->sheets[record->where >> MICA_VIEW_ROW_SHIFT];
    uint32_t row = record->where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1);
    uint32_t column = sheet->quick[accessor->quick];
    return column ? sheet->pages[column].data + (size_t)row * accessor->size
                  : mica_accessor_get_slowly(accessor, entity);
}

// The same, to be written: counts as a change.
static inline void *mica_accessor_get_mut(const mica_accessor *accessor, mica_entity entity)
{
    const mica_view_record *record = mica_accessor_find(accessor, entity);
    if (!record) {
        return mica_accessor_get_mut_slowly(accessor, entity);
    }
    mica_view_sheet *sheet = accessor->face->store->sheets[record->where >> MICA_VIEW_ROW_SHIFT];
    uint32_t row = record->where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1);
    uint32_t column = sheet->quick[accessor->quick];
    if (!column || sheet->shared) {
        return mica_accessor_get_mut_slowly(accessor, entity);
    }
    sheet->pages[column].tick = accessor->face->tick;
    return sheet->pages[column].data + (size_t)row * accessor->size;
}

#ifdef __cplusplus
}
#endif

#endif
