// What inline code sees of a world: the layout of entity records and of rows in memory. For
// mica/accessor.h, not for users: it may change with every version of the library, and nothing here
// may be written to.
#ifndef MICA_VIEW_H
#define MICA_VIEW_H

#include <mica/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

// Entities per page of records, and rows per sheet, as powers of two. Tests make them tiny.
#ifdef MICAI_TEST_SMALL_PAGES
#define MICA_VIEW_SLOT_SHIFT 2
#define MICA_VIEW_ROW_SHIFT 2
#else
#define MICA_VIEW_SLOT_SHIFT 12
#define MICA_VIEW_ROW_SHIFT 10
#endif

// Handles whose high half is this or more belong to nobody.
#define MICA_VIEW_TAG_END UINT32_C(0x80000000)

// One entity slot: where its row is (sheet number and row in it), and the high half of the handle
// it belongs to.
typedef struct mica_view_record {
    uint32_t where;
    uint32_t tag;
} mica_view_record;

typedef struct mica_view_slots {
    mica_view_record **pages; // NULL where no slot was ever used
    uint32_t page_count;
} mica_view_slots;

// The values of one component for the rows of one sheet.
typedef struct mica_view_page {
    unsigned char *data;
    uint64_t tick; // of the last write
    struct micai_extent *extent;
} mica_view_page;

// Types by whose number a sheet knows the column at once; one more entry, always 0, stands for all
// others.
#define MICA_VIEW_QUICK 63

// Up to 2^MICA_VIEW_ROW_SHIFT rows of one table.
typedef struct mica_view_sheet {
    struct micai_table *table;
    struct micai_edge *recent[2]; // where one type more, one less, led last; NULL: nowhere yet
    uint32_t number;              // in the world
    uint32_t index;               // in the table
    uint32_t capacity;            // rows
    uint32_t shared;              // some page may have more than one reference
    uint32_t run; // how many sheets of the table, this one first, lie side by side in every column
    uint8_t quick[MICA_VIEW_QUICK + 1]; // columns of the first types of the world; 0: none
    // one per column; the first is entity ids
#ifdef __cplusplus
    mica_view_page pages[1];
#else
    mica_view_page pages[];
#endif
} mica_view_sheet;

typedef struct mica_view_store {
    mica_view_sheet **sheets; // by number
} mica_view_store;

// A world as its user holds it.
typedef struct mica_view_face {
    const mica_view_slots *slots;
    const mica_view_store *store;
    uint64_t tick; // of writes that happen now
} mica_view_face;

#ifdef __cplusplus
}
#endif

#endif
