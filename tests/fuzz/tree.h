// The content of an image as a tree, which fuzz targets change and then write in either form with correct
// counts, section lengths and checksums. So a change reaches the code behind those checks.
//
// A tree is recorded from a world by the code that saves worlds (record.c), so it follows the format when
// that changes. It is written by an independent writer (tree_write.c), which can also write what the
// library never would: a key with a zero in it, a number where a text belongs, a wrong count.
#ifndef TEST_FUZZ_TREE_H
#define TEST_FUZZ_TREE_H

#include <mica.h>

#include <stddef.h>
#include <stdint.h>

typedef enum tree_kind {
    TREE_OBJECT, // members with names; a section is an object of the root
    TREE_LIST,   // items; their number is written before it
    TREE_ROW,    // items whose number is written elsewhere
    TREE_NUMBER,
    TREE_INTEGER,
    TREE_REAL, // its bits
    TREE_FLAG,
    TREE_BIT, // a flag in a row, which JSON writes as a number
    TREE_ENUM,
    TREE_ENTITY,
    TREE_TYPE,  // a number in the schema, which JSON writes as a name
    TREE_TEXT,  // its size before it
    TREE_BYTES, // its size before it
    TREE_CHARS, // of a fixed size
    TREE_RAW,   // of a fixed size
    TREE_VALUE, // of a type, until tree_expand() makes it a tree of its fields
    TREE_KINDS
} tree_kind;

typedef struct tree {
    tree_kind kind;
    uint32_t size;    // bytes of a number in the binary form
    bool is_wrong;    // its count, or its number of items, is wrong on purpose
    const char *name; // NULL: an item. May have zeroes in it
    uint32_t name_size;
    uint64_t number;   // LIST: what is added to its count; VALUE: the type
    const char *bytes; // of texts, bytes, values; of an enum, the name of its value
    uint32_t byte_count;
    struct tree *first; // of its members or items
    struct tree *last;
    struct tree *next;
} tree;

// Memory of trees: nodes and bytes, both limited. NULL: there is no more. Rewinding forgets what was made
// after the mark.
typedef struct tree_mark {
    uint32_t nodes;
    uint32_t bytes;
} tree_mark;

tree_mark tree_here(void);
void tree_rewind(tree_mark mark);
tree *tree_new(tree_kind kind, const char *name);
// A copy of bytes, with so many zeroes behind it and one more.
char *tree_bytes(const void *bytes, uint32_t size, uint32_t more);
void tree_append(tree *parent, tree *child);
tree *tree_copy(const tree *source); // without what follows it
tree *tree_find(const tree *parent, const char *name);
uint32_t tree_count(const tree *parent);

// What the world would save. Exits if it cannot be saved.
tree *tree_record(mica_world *world);

// Makes values trees of their fields, as the schema in the tree says.
void tree_expand(tree *root);

// Makes the rows of a batch as long as its first one, and its count their number, unless they are wrong on
// purpose.
void tree_refit(tree *root);

// Changes the tree as the fuzzer's bytes say.
void tree_change(tree *root, const uint8_t *data, size_t size);

// Writes it. The buffer is static, the size 0 if it would be too large.
typedef struct tree_image {
    const unsigned char *data;
    size_t size;
} tree_image;

tree_image tree_write_binary(const tree *root);
tree_image tree_write_json(const tree *root);

#endif
