// Changes of trees (tree.h). The fuzzer's bytes are a list of orders, eight bytes each: what to do, in which section,
// to which node there, and how. Every list of orders means something, so that the fuzzer can change, drop and
// combine them.
//
// Orders of the first half change the tree while its values are still bytes: what they do to the schema, values
// follow. Orders of the second half change the fields of values, too, and values then differ from the schema.
#include "fuzz/tree.h"

#include <string.h>

enum { ORDER_SIZE = 8, ORDERS_MAX = 24, FOUND_MAX = 1 << 16, REPEAT_MAX = 1 << 12 };

typedef struct order {
    uint8_t what;
    uint8_t section;
    uint16_t target;
    uint8_t how;
    uint8_t flags;
    uint16_t number;
} order;

enum { FLAG_WRONG = 1, FLAG_CHAIN = 2, FLAG_WIDE = 4, FLAG_LATE = 128 };

// Nodes that an order can mean, with the node that each is in.

typedef struct place {
    tree *parent;
    tree *before; // NULL: it is the first
    tree *node;
} place;

typedef bool place_filter(const place *at);

static place found[FOUND_MAX];
static uint32_t found_count;

static void find_places(tree *parent, place_filter *filter)
{
    tree *before = NULL;
    for (tree *child = parent->first; child && found_count < FOUND_MAX; child = child->next) {
        const place at = {parent, before, child};
        if (filter(&at)) {
            found[found_count++] = at;
        }
        find_places(child, filter);
        before = child;
    }
}

static bool is_leaf(const place *at)
{
    return at->node->kind > TREE_ROW && at->node->kind != TREE_VALUE;
}

static bool is_item(const place *at)
{
    return at->parent->kind == TREE_LIST || at->parent->kind == TREE_ROW;
}

static bool is_list(const place *at)
{
    return at->node->kind == TREE_LIST || at->node->kind == TREE_ROW;
}

static bool is_member(const place *at)
{
    return at->parent->kind == TREE_OBJECT && at->node->name;
}

static tree *section_of(tree *root, uint8_t number)
{
    uint32_t count = tree_count(root);
    tree *section = root->first;
    for (uint32_t i = count > 0 ? number % count : 0; i > 0; i--) {
        section = section->next;
    }
    return section ? section : root;
}

static const place *choose(tree *parent, place_filter *filter, uint32_t number)
{
    found_count = 0;
    find_places(parent, filter);
    return found_count > 0 ? &found[number % found_count] : NULL;
}

// Leaves

static const uint64_t numbers[] = {0,
                                   1,
                                   2,
                                   3,
                                   127,
                                   128,
                                   255,
                                   256,
                                   4095,
                                   4096,
                                   65535,
                                   65536,
                                   0x7fffffff,
                                   0x80000000,
                                   0xfffffffe,
                                   0xffffffff,
                                   0x100000000,
                                   0x100000001,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xfffffffffffffffe,
                                   0xffffffffffffffff,
                                   0x7ff0000000000000, // infinity
                                   0x7ff8000000000000, // NaN
                                   0xfff8000000000001, // another NaN
                                   0x7f800000,         // of 4 bytes
                                   0x7fc00000,
                                   0x7fefffffffffffff, // the largest
                                   0x8000000000000001, // the smallest
                                   UINT64_C(1) << 62,
                                   (UINT64_C(1) << 62) + 1};

static const char *const texts[] = {
    "",         "fields",
    "bytes",    "none",
    "hooks",    "closed",
    "table",    "sparse",
    "split",    "ring",
    "each",     "whole",
    "u8",       "i64",
    "f32",      "char",
    "bool",     "enum",
    "struct",   "entity",
    "Vec2",     "Sheet",
    "Tag",      "Mark",
    "Text",     "Bytes",
    "Score",    "Hit",
    "moved",    "physics",
    "listen",   "x",
    "y",        "NaN",
    "0.0",      "1.1",
    "\n",       "\x7f",
    "\xff\xfe", "caf\xc3\xa9",
    " ",        "a name that is rather long, and then some more of it, as names may be"};

static void set_text(tree *node, const order *o)
{
    const uint32_t count = sizeof texts / sizeof *texts;
    uint32_t long_size = o->number % 4 == 0 ? 200 + o->how : 0;
    const char *text = texts[o->how % count];
    char *copy = tree_bytes(text, (uint32_t)strlen(text), long_size);
    if (copy) {
        memset(copy + strlen(text), 'x', long_size);
        node->bytes = copy;
        node->byte_count = (uint32_t)strlen(text) + long_size;
    }
}

static bool has_bytes(const tree *node)
{
    return node->kind == TREE_TEXT || node->kind == TREE_BYTES || node->kind == TREE_CHARS ||
           node->kind == TREE_RAW || node->kind == TREE_ENUM;
}

static void set_leaf(tree *root, const order *o)
{
    const place *at = choose(section_of(root, o->section), is_leaf, o->target);
    if (!at) {
        return;
    }
    if (has_bytes(at->node)) {
        set_text(at->node, o);
        return;
    }
    at->node->number =
        o->number % 2 ? numbers[o->how % (sizeof numbers / sizeof *numbers)] : o->number / 2;
    at->node->is_wrong = o->flags & FLAG_WRONG;
}

// By a little: the slot or the generation of an entity, the bit of a number, the byte of a text.
static void add_to_leaf(tree *root, const order *o)
{
    const place *at = choose(section_of(root, o->section), is_leaf, o->target);
    if (!at) {
        return;
    }
    tree *node = at->node;
    if (has_bytes(node) && node->byte_count > 0) {
        char *copy = tree_bytes(node->bytes, node->byte_count, 0);
        if (copy) {
            copy[o->number % node->byte_count] = (char)o->how;
            node->bytes = copy;
        }
    } else if (o->flags & FLAG_WIDE) {
        node->number ^= UINT64_C(1) << o->how % 64;
    } else if (node->kind == TREE_ENTITY && o->number % 2) {
        node->number += (uint64_t)(int64_t)(int8_t)o->how << 32;
    } else {
        node->number += (uint64_t)(int64_t)(int8_t)o->how;
    }
    node->is_wrong = o->flags & FLAG_WRONG;
}

// From another leaf of its kind, anywhere.
static void copy_leaf(tree *root, const order *o)
{
    const place *at = choose(section_of(root, o->section), is_leaf, o->target);
    tree *node = at ? at->node : NULL;
    found_count = 0;
    find_places(root, is_leaf);
    uint32_t kept = 0;
    for (uint32_t i = 0; node && i < found_count; i++) {
        if (found[i].node->kind == node->kind) {
            found[kept++] = found[i];
        }
    }
    if (kept > 0) {
        const tree *source = found[o->number % kept].node;
        node->number = source->number;
        node->bytes = source->bytes;
        node->byte_count = source->byte_count;
    }
}

static void change_kind(tree *root, const order *o)
{
    const place *at = choose(section_of(root, o->section), is_leaf, o->target);
    if (at) {
        at->node->kind = (tree_kind)(TREE_NUMBER + o->how % (TREE_VALUE - TREE_NUMBER));
        at->node->bytes = at->node->bytes ? at->node->bytes : "";
    }
}

// Items

// The n-th copy: its first number is that much larger, its name is another.
static void tell_apart(tree *node, uint64_t step, uint32_t n, bool *is_first)
{
    for (tree *child = node->first; child; child = child->next) {
        tell_apart(child, step, n, is_first);
    }
    if (*is_first && (node->kind == TREE_NUMBER || node->kind == TREE_ENTITY)) {
        node->number += step * n;
        *is_first = false;
    }
}

static void rename_copy(tree *node, uint32_t n)
{
    tree *name = tree_find(node, "name");
    char *copy = name && name->kind == TREE_TEXT && name->byte_count > 0
                     ? tree_bytes(name->bytes, name->byte_count, 3)
                     : NULL;
    if (copy) {
        for (uint32_t i = 0; i < 3; i++) {
            copy[name->byte_count + i] = (char)('a' + (n >> (4 * i) & 15));
        }
        name->bytes = copy;
        name->byte_count += 3;
    }
}

static void set_types(tree *node, uint64_t type)
{
    if (node->kind == TREE_TYPE) {
        node->number = type;
    }
    for (tree *child = node->first; child; child = child->next) {
        set_types(child, type);
    }
}

static void repeat_item(tree *root, const order *o)
{
    const place *at = choose(section_of(root, o->section), is_item, o->target);
    static const uint64_t steps[] = {0, 1, 2, 4096, 65536, 1u << 20};
    if (!at) {
        return;
    }
    tree *parent = at->parent;
    const tree *node = at->node;
    uint64_t step = steps[o->how % (sizeof steps / sizeof *steps)];
    uint32_t index = tree_count(parent);
    uint32_t count = o->number % (o->flags & FLAG_WIDE ? (uint32_t)REPEAT_MAX : 16u) + 1;
    for (uint32_t n = 1; n <= count; n++, index++) {
        tree *copy = tree_copy(node);
        if (!copy) {
            break;
        }
        bool is_first = true;
        tell_apart(copy, step, n, &is_first);
        rename_copy(copy, index);
        if (o->flags & FLAG_CHAIN) {
            set_types(copy, index - 1);
        }
        tree_append(parent, copy);
    }
    parent->is_wrong = o->flags & FLAG_WRONG;
}

static bool is_filled_list(const place *at)
{
    return at->node->kind == TREE_LIST && at->node->first;
}

static uint32_t count_numbers(tree *node, tree **numbers_out, uint32_t count)
{
    for (tree *child = node->first; child; child = child->next) {
        count = count_numbers(child, numbers_out, count);
    }
    if (node->kind == TREE_NUMBER && count < 8) {
        numbers_out[count++] = node;
    }
    return count;
}

// Thousands of the same item in any list, with one number that is large: for images that are small for what they
// want.
static void flood(tree *root, const order *o)
{
    static const uint64_t large[] = {0, 1u << 20, 0x7fffffff, 0xfff00000, 0xffffffff};
    const place *at = choose(root, is_filled_list, o->target);
    tree *numbers_there[8];
    if (!at) {
        return;
    }
    uint32_t count = count_numbers(at->node->first, numbers_there, 0);
    if (count > 0) {
        numbers_there[o->how % count]->number = large[o->section % (sizeof large / sizeof *large)];
    }
    for (uint32_t n = o->number % 3000 + 1000; n > 0; n--) {
        tree *copy = tree_copy(at->node->first);
        if (!copy) {
            break;
        }
        tree_append(at->node, copy);
    }
}

static void take_out(const place *at)
{
    *(at->before ? &at->before->next : &at->parent->first) = at->node->next;
    if (at->parent->last == at->node) {
        at->parent->last = at->before;
    }
}

static void remove_item(tree *root, const order *o)
{
    const place *at =
        choose(section_of(root, o->section), o->flags & FLAG_WIDE ? is_member : is_item, o->target);
    if (at) {
        at->parent->is_wrong = o->flags & FLAG_WRONG;
        take_out(at);
    }
}

static void swap_item(tree *root, const order *o)
{
    const place *at =
        choose(section_of(root, o->section), o->flags & FLAG_WIDE ? is_member : is_item, o->target);
    if (at) {
        tree *parent = at->parent;
        tree *node = at->node;
        take_out(at);
        tree_append(parent, node);
    }
}

// Of another list, so that tables get the rows of other tables, and owners the facets of others.
static void copy_item(tree *root, const order *o)
{
    const place *at = choose(section_of(root, o->section), is_item, o->target);
    const tree *source = at ? at->node : NULL;
    at = choose(section_of(root, o->flags & FLAG_WIDE ? o->how : o->section), is_list, o->number);
    tree *copy = at && source ? tree_copy(source) : NULL;
    if (copy) {
        copy->name = NULL;
        at->node->is_wrong = o->flags & FLAG_WRONG;
        tree_append(at->node, copy);
    }
}

static void count_wrong(tree *root, const order *o)
{
    const place *at = choose(section_of(root, o->section), is_list, o->target);
    if (at) {
        at->node->is_wrong = true;
        at->node->number = o->number % 2 ? numbers[o->how % (sizeof numbers / sizeof *numbers)]
                                         : (uint64_t)(int64_t)(int8_t)o->how;
    }
}

// Members

// A key of JSON: that of another member, with or without a zero behind it.
static void change_key(tree *root, const order *o)
{
    const place *at = choose(section_of(root, o->section), is_member, o->target);
    if (!at) {
        return;
    }
    const tree *source = at->parent->first;
    for (uint32_t i = o->number % tree_count(at->parent); i > 0; i--) {
        source = source->next;
    }
    uint32_t zeroes = o->how % 3;
    char *name = source->name ? tree_bytes(source->name, source->name_size, zeroes) : NULL;
    if (name) {
        at->node->name = name;
        at->node->name_size = source->name_size + zeroes;
    }
}

// All of it

static void spread_in(tree *node, const order *o)
{
    if (node->kind == TREE_ENTITY && node->number >> 32 != 0) {
        uint64_t slot = node->number & 0xffffffff;
        slot = (slot * o->number + o->how) & 0xffffffff;
        node->number = (node->number >> 32 << 32) | slot;
    }
    for (tree *child = node->first; child; child = child->next) {
        spread_in(child, o);
    }
}

// Entities get other slots, everywhere the same.
static void spread_entities(tree *root, const order *o)
{
    tree *section = tree_find(root, "entities");
    tree *fresh = section ? tree_find(section, "fresh") : NULL;
    spread_in(root, o);
    if (fresh) {
        fresh->number = o->flags & FLAG_WRONG ? o->how : 0;
    }
}

// Structs of structs: each type has some fields of the type before it.
static void nest_types(tree *root, const order *o)
{
    tree *list = tree_find(tree_find(root, "types"), "types");
    const place *at = list ? choose(list, is_item, o->target) : NULL;
    while (at && !(tree_find(at->node, "kind") && tree_find(at->node, "type"))) {
        at = ++at < &found[found_count] ? at : NULL;
    }
    if (!at || !list->first) {
        return;
    }
    const tree *field = at->node;
    uint32_t depth = o->number % 16 + 1;
    uint32_t width = o->how % 8 + 1;
    uint32_t wide = o->flags & FLAG_WIDE ? o->number / 16 % 32 : 0;
    uint32_t index = tree_count(list);
    const tree *first = list->first;
    while (first->next && !tree_find(first, "fields")) {
        first = first->next;
    }
    uint32_t inner = 0;
    for (const tree *one = list->first; one != first; one = one->next) {
        inner++;
    }
    for (uint32_t n = 0; n < depth + wide; n++, index++) {
        tree *type = tree_copy(first);
        tree *fields = type ? tree_find(type, "fields") : NULL;
        if (!fields) {
            return;
        }
        rename_copy(type, index);
        fields->first = fields->last = NULL;
        for (uint32_t i = 0; i < width; i++) {
            tree *copy = tree_copy(field);
            if (!copy) {
                return;
            }
            rename_copy(copy, i);
            set_types(copy, inner);
            tree_append(fields, copy);
        }
        tree_append(list, type);
        inner = n < depth ? index : inner;
    }
}

static void change_version(tree *root, const order *o)
{
    root->number = o->how;
}

static void (*const orders[])(tree *root, const order *o) = {
    set_leaf,        set_leaf,    add_to_leaf, add_to_leaf, copy_leaf,      copy_leaf,
    change_kind,     repeat_item, repeat_item, repeat_item, remove_item,    remove_item,
    swap_item,       copy_item,   copy_item,   count_wrong, change_key,     change_key,
    spread_entities, nest_types,  flood,       flood,       change_version,
};

static void obey(tree *root, const uint8_t *data, size_t size, bool late)
{
    for (uint32_t i = 0; i < ORDERS_MAX && size >= ORDER_SIZE; i++, size -= ORDER_SIZE) {
        const order o = {data[0], data[1], (uint16_t)(data[2] | data[3] << 8),
                         data[4], data[5], (uint16_t)(data[6] | data[7] << 8)};
        data += ORDER_SIZE;
        if (late == (o.flags >= FLAG_LATE)) {
            orders[o.what % (sizeof orders / sizeof *orders)](root, &o);
        }
    }
}

void tree_change(tree *root, const uint8_t *data, size_t size)
{
    obey(root, data, size, false);
    tree_refit(root);
    tree_expand(root);
    obey(root, data, size, true);
    tree_refit(root);
}
