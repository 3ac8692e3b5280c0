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
    const mica_view_slots *slots; // NULL: no accessor
    const mica_view_store *store;
    const mica_view_lookup *lookup;
    mica_world *world;
} mica_accessor;

// Costs a look at every table the first time it is asked for a type, nothing later. On failure
// (MICA_ERROR_NULL, _TYPE, _MEMORY) the accessor gives NULL for every entity, reporting each time.
// Of a tag there is no value: MICA_ERROR_SIZE.
MICA_API mica_accessor mica_accessor_new(mica_world *world, mica_type type);

// Behind the functions below, for what they cannot do inline: reporting a dead entity
// (MICA_ERROR_ENTITY) or an accessor that is none (MICA_ERROR_TYPE); making a page that is shared
// with a snapshot the world's own before it is written.
MICA_API const void *mica_accessor_refuse(const mica_accessor *accessor, mica_entity entity);
MICA_API void *mica_accessor_own(const mica_accessor *accessor, mica_entity entity);

// The sheet of a living entity, and its place there; NULL for the dead.
static inline mica_view_sheet *mica_accessor_find(const mica_accessor *accessor, mica_entity entity,
                                                  uint32_t *where_out)
{
    const mica_view_slots *slots = accessor->slots;
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t tag = (uint32_t)(entity.bits >> 32);
    uint32_t page = slot >> MICA_VIEW_SLOT_SHIFT;
    if (!slots || page >= slots->page_count || !slots->pages[page]) {
        return NULL;
    }
    const mica_view_record *record =
        &slots->pages[page][slot & ((UINT32_C(1) << MICA_VIEW_SLOT_SHIFT) - 1)];
    if (record->tag != tag || tag >= MICA_VIEW_TAG_END) {
        return NULL;
    }
    *where_out = record->where;
    return accessor->store->sheets[record->where >> MICA_VIEW_ROW_SHIFT];
}

// NULL, silently, if the component is not there; NULL and an error if the entity is dead.
static inline const void *mica_accessor_get(const mica_accessor *accessor, mica_entity entity)
{
    uint32_t where = 0;
    const mica_view_sheet *sheet = mica_accessor_find(accessor, entity, &where);
    if (!sheet) {
        return mica_accessor_refuse(accessor, entity);
    }
    uint32_t column = accessor->lookup->columns[sheet->table_id];
    uint32_t row = where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1);
    return column ? sheet->pages[column].data + (size_t)row * accessor->lookup->size : NULL;
}

// The same, to be written: counts as a change.
static inline void *mica_accessor_get_mut(const mica_accessor *accessor, mica_entity entity)
{
    uint32_t where = 0;
    mica_view_sheet *sheet = mica_accessor_find(accessor, entity, &where);
    if (!sheet || sheet->shared) {
        return mica_accessor_own(accessor, entity);
    }
    uint32_t column = accessor->lookup->columns[sheet->table_id];
    uint32_t row = where & ((UINT32_C(1) << MICA_VIEW_ROW_SHIFT) - 1);
    if (!column) {
        return NULL;
    }
    sheet->pages[column].tick = accessor->store->tick;
    return sheet->pages[column].data + (size_t)row * accessor->lookup->size;
}

#ifdef __cplusplus
}
#endif

#endif
