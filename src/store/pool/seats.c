// Seats: the sources of each target, in their order. seats.h has the contract.
#include "store/pool/seats.h"

#include <inttypes.h>
#include <string.h>

#include "base/canary.h"
#include "base/memory.h"
#include "base/number.h"

static const uint8_t capacities[MICAI_SEAT_SIZES] = {2, 8, 32, 64};

enum { ADDED_SIZE = 2, LAST_SIZE = MICAI_SEAT_SIZES - 1 }; // of blocks behind the first

#define BLOCKS_MAX (UINT32_MAX >> MICAI_SEAT_SHIFT)
#define NODES_BYTES (sizeof(micai_seat_node) * MICAI_SLOT_PAGE_SIZE)

void micai_seats_init(micai_seats *seats)
{
    *seats = (micai_seats){.free_list = MICAI_SEAT_NONE, .free_block = MICAI_SEAT_NONE};
    for (uint32_t i = 0; i < MICAI_SEAT_SIZES; i++) {
        seats->words[i].free_first = UINT64_MAX;
    }
}

void micai_seats_free(micai_host *host, micai_seats *seats)
{
    for (uint32_t i = 0; i < seats->pages.count; i++) {
        micai_release(host, seats->pages.items[i], NODES_BYTES, 64);
    }
    for (uint32_t i = 0; i < MICAI_SEAT_SIZES; i++) {
        micai_array_free(host, &seats->words[i].list);
    }
    micai_array_free(host, &seats->pages);
    micai_array_free(host, &seats->lists);
    micai_array_free(host, &seats->blocks);
    micai_seats_init(seats);
}

// Access

static micai_seat_node *node_of(const micai_seats *seats, mica_entity entity)
{
    uint32_t slot = mica_entity_slot(entity);
    return &seats->pages.items[slot >> MICAI_SLOT_PAGE_SHIFT][slot & (MICAI_SLOT_PAGE_SIZE - 1)];
}

static uint64_t *words_of(const micai_seats *seats, const micai_seat_block *block)
{
    return &seats->words[block->size].list.items[block->words];
}

static micai_seat_block *block_of(const micai_seats *seats, uint32_t seat)
{
    return &seats->blocks.items[seat >> MICAI_SEAT_SHIFT];
}

static uint32_t place_of(uint32_t seat)
{
    return seat & ((1u << MICAI_SEAT_SHIFT) - 1);
}

static uint32_t number_of(const micai_seats *seats, const micai_seat_block *block)
{
    return (uint32_t)(block - seats->blocks.items);
}

// Puts a source into a place of a block.
static void put(micai_seats *seats, const micai_seat_block *block, uint32_t place, uint64_t source)
{
    words_of(seats, block)[place] = source;
    node_of(seats, (mica_entity){source})->seat =
        (number_of(seats, block) << MICAI_SEAT_SHIFT | place) + 1;
}

// Returns the first source from a place of a block on, or null.
static mica_entity find_from(const micai_seats *seats, uint32_t number, uint32_t place)
{
    for (; number != MICAI_SEAT_NONE; place = 0) {
        const micai_seat_block *block = &seats->blocks.items[number];
        const uint64_t *words = words_of(seats, block);
        for (; place < block->used; place++) {
            if (words[place]) {
                return (mica_entity){words[place]};
            }
        }
        number = block->next;
    }
    return (mica_entity){0};
}

mica_entity micai_seats_target(const micai_seats *seats, mica_entity source)
{
    const micai_seat_node *node = micai_seats_node(seats, mica_entity_slot(source));
    return node && node->seat ? seats->lists.items[block_of(seats, node->seat - 1)->list].target
                              : (mica_entity){0};
}

mica_entity micai_seats_first(const micai_seats *seats, const micai_seat_list *list)
{
    return find_from(seats, list->first, 0);
}

mica_entity micai_seats_next(const micai_seats *seats, mica_entity source)
{
    uint32_t seat = node_of(seats, source)->seat - 1;
    return find_from(seats, seat >> MICAI_SEAT_SHIFT, place_of(seat) + 1);
}

uint32_t micai_seats_copy(const micai_seats *seats, const micai_seat_list *list, uint32_t first,
                          mica_entity *out, uint32_t capacity)
{
    uint32_t number = list->first;
    while (number != MICAI_SEAT_NONE && first >= seats->blocks.items[number].count) {
        first -= seats->blocks.items[number].count;
        number = seats->blocks.items[number].next;
    }
    uint32_t copied = 0;
    while (number != MICAI_SEAT_NONE && copied < capacity) {
        const micai_seat_block *block = &seats->blocks.items[number];
        const uint64_t *words = words_of(seats, block);
        for (uint32_t i = 0; i < block->used && copied < capacity; i++) {
            if (words[i] && first > 0) {
                first--;
            } else if (words[i]) {
                out[copied++].bits = words[i];
            }
        }
        number = block->next;
    }
    return copied;
}

// Capacity

bool micai_seats_reserve_node(micai_host *host, micai_seats *seats, uint32_t slot)
{
    uint32_t page = slot >> MICAI_SLOT_PAGE_SHIFT;
    uint32_t had = seats->pages.count;
    if (page >= had && !micai_array_reserve(host, &seats->pages, page + 1 - had)) {
        return false;
    }
    while (seats->pages.count <= page) {
        seats->pages.items[seats->pages.count++] = NULL;
    }
    micai_seat_node **nodes = &seats->pages.items[page];
    *nodes = *nodes ? *nodes : micai_alloc_zeroed(host, NODES_BYTES, 64);
    return *nodes != NULL;
}

static bool reserve_words(micai_host *host, micai_seats *seats, uint32_t size, uint32_t blocks)
{
    micai_seat_words *words = &seats->words[size];
    if (blocks <= words->free_count) {
        return true;
    }
    uint64_t more = (uint64_t)(blocks - words->free_count) * capacities[size];
    return more <= UINT32_MAX && micai_array_reserve(host, &words->list, (uint32_t)more);
}

bool micai_seats_has_one(const micai_seats *seats)
{
    bool has = (seats->free_list_count > 0 || seats->lists.count < seats->lists.capacity) &&
               (seats->free_block_count > 1 || seats->blocks.count + 2 <= seats->blocks.capacity);
    for (uint32_t size = 0; size < MICAI_SEAT_SIZES; size++) {
        const micai_seat_words *words = &seats->words[size];
        has = has && (words->free_count > 0 ||
                      words->list.capacity - words->list.count >= capacities[size]);
    }
    return has;
}

bool micai_seats_reserve(micai_host *host, micai_seats *seats, uint32_t count, uint32_t runs)
{
    uint32_t lists = runs > seats->free_list_count ? runs - seats->free_list_count : 0;
    bool reserved =
        micai_array_reserve(host, &seats->lists, lists) && reserve_words(host, seats, 0, runs);
    // A run fills the last block of its list up, through all sizes, and then adds blocks. Blocks are
    // also split, at most one for each source.
    uint32_t added = count / 32 + runs;
    for (uint32_t size = 1; reserved && size < MICAI_SEAT_SIZES; size++) {
        reserved = reserve_words(host, seats, size, size == 1 ? runs : added);
    }
    uint32_t blocks = runs + added;
    uint32_t more = blocks > seats->free_block_count ? blocks - seats->free_block_count : 0;
    return reserved && more <= BLOCKS_MAX - seats->blocks.count &&
           micai_array_reserve(host, &seats->blocks, more);
}

// Words, blocks and lists are taken and returned.

static uint32_t take_words(micai_seats *seats, uint32_t size)
{
    micai_seat_words *words = &seats->words[size];
    uint32_t taken = words->list.count;
    if (words->free_count > 0) {
        taken = (uint32_t)words->free_first;
        words->free_first = words->list.items[taken];
        words->free_count--;
    } else {
        words->list.count += capacities[size];
    }
    memset(&words->list.items[taken], 0, capacities[size] * sizeof(uint64_t));
    return taken;
}

static void return_words(micai_seats *seats, uint32_t size, uint32_t place)
{
    micai_seat_words *words = &seats->words[size];
    words->list.items[place] = words->free_first;
    words->free_first = place;
    words->free_count++;
}

// Takes a block and links it into a list, behind another block or, if that is none, as the first.
static micai_seat_block *take_block(micai_seats *seats, uint32_t list, uint32_t previous,
                                    uint8_t size)
{
    uint32_t number = seats->free_block;
    if (number != MICAI_SEAT_NONE) {
        seats->free_block = seats->blocks.items[number].next;
        seats->free_block_count--;
    } else {
        number = seats->blocks.count++;
    }
    micai_seat_list *of = &seats->lists.items[list];
    uint32_t next = previous == MICAI_SEAT_NONE ? of->first : seats->blocks.items[previous].next;
    micai_seat_block *block = &seats->blocks.items[number];
    *block = (micai_seat_block){.words = take_words(seats, size),
                                .list = list,
                                .next = next,
                                .previous = previous,
                                .size = size};
    *(previous == MICAI_SEAT_NONE ? &of->first : &seats->blocks.items[previous].next) = number;
    *(next == MICAI_SEAT_NONE ? &of->last : &seats->blocks.items[next].previous) = number;
    return block;
}

static void return_block(micai_seats *seats, micai_seat_block *block)
{
    micai_seat_list *of = &seats->lists.items[block->list];
    uint32_t next = block->next;
    uint32_t previous = block->previous;
    *(previous == MICAI_SEAT_NONE ? &of->first : &seats->blocks.items[previous].next) = next;
    *(next == MICAI_SEAT_NONE ? &of->last : &seats->blocks.items[next].previous) = previous;
    return_words(seats, block->size, block->words);
    *block = (micai_seat_block){.list = MICAI_SEAT_NONE, .next = seats->free_block};
    seats->free_block = number_of(seats, block);
    seats->free_block_count++;
}

static uint32_t take_list(micai_seats *seats, mica_entity target)
{
    uint32_t list = seats->free_list;
    if (list != MICAI_SEAT_NONE) {
        seats->free_list = seats->lists.items[list].first;
        seats->free_list_count--;
    } else {
        list = seats->lists.count++;
    }
    seats->lists.items[list] =
        (micai_seat_list){.target = target, .first = MICAI_SEAT_NONE, .last = MICAI_SEAT_NONE};
    node_of(seats, target)->list = list + 1;
    take_block(seats, list, MICAI_SEAT_NONE, 0);
    return list;
}

static void return_list(micai_seats *seats, uint32_t list)
{
    micai_seat_list *of = &seats->lists.items[list];
    node_of(seats, of->target)->list = 0;
    *of = (micai_seat_list){.first = seats->free_list};
    seats->free_list = list;
    seats->free_list_count++;
}

// Moves within blocks

// Moves the sources of a block together.
static void pack(micai_seats *seats, micai_seat_block *block)
{
    uint64_t *words = words_of(seats, block);
    uint32_t to = 0;
    for (uint32_t i = 0; i < block->used; i++) {
        uint64_t source = words[i];
        if (source && i != to) {
            words[i] = 0;
            put(seats, block, to, source);
        }
        to += source != 0;
    }
    block->used = block->count;
}

// Gives a block the words of the next size. Its sources keep their seats.
static void grow(micai_seats *seats, micai_seat_block *block)
{
    uint8_t size = block->size + 1;
    uint32_t words = take_words(seats, size);
    memcpy(&seats->words[size].list.items[words], words_of(seats, block),
           capacities[block->size] * sizeof(uint64_t));
    return_words(seats, block->size, block->words);
    block->words = words;
    block->size = size;
}

// Moves the sources of a block behind those of the one before it.
static void join(micai_seats *seats, micai_seat_block *to, micai_seat_block *from)
{
    const uint64_t *words = words_of(seats, from);
    pack(seats, to);
    for (uint32_t i = 0; i < from->used; i++) {
        if (words[i]) {
            put(seats, to, to->used++, words[i]);
        }
    }
    to->count = to->used;
    return_block(seats, from);
}

// Returns true if two adjacent blocks can become one that is not full.
static bool may_join(const micai_seats *seats, uint32_t to, uint32_t from)
{
    if (to == MICAI_SEAT_NONE || from == MICAI_SEAT_NONE) {
        return false;
    }
    const micai_seat_block *first = &seats->blocks.items[to];
    uint32_t count = (uint32_t)first->count + seats->blocks.items[from].count;
    return count * 4 <= capacities[first->size] * 3u;
}

// Makes a block with an unused last place out of a full one, for a list of this block alone or at its end.
static micai_seat_block *make_room(micai_seats *seats, micai_seat_block *block)
{
    if (block->count * 2 <= capacities[block->size]) {
        pack(seats, block);
    } else if (block->size < LAST_SIZE) {
        grow(seats, block);
    } else {
        block = take_block(seats, block->list, number_of(seats, block), ADDED_SIZE);
    }
    return block;
}

void micai_seats_append(micai_seats *seats, mica_entity source, mica_entity target)
{
    const micai_seat_node *node = node_of(seats, target);
    uint32_t number = node->list ? node->list - 1 : take_list(seats, target);
    micai_seat_list *list = &seats->lists.items[number];
    micai_seat_block *block = &seats->blocks.items[list->last];
    if (block->used == capacities[block->size]) {
        block = make_room(seats, block);
    }
    put(seats, block, block->used++, source.bits);
    block->count++;
    list->count++;
    seats->count++;
    seats->revision++;
}

// Moves the upper half of a full block to one that is added behind it.
static void split(micai_seats *seats, micai_seat_block *block)
{
    uint32_t number = number_of(seats, block);
    micai_seat_block *added = take_block(seats, block->list, number, LAST_SIZE);
    uint64_t *words = words_of(seats, block);
    uint32_t half = capacities[block->size] / 2;
    for (uint32_t i = half; i < block->used; i++) {
        if (words[i]) {
            put(seats, added, added->used++, words[i]);
            words[i] = 0;
        }
    }
    added->count = added->used;
    block->used = (uint8_t)half;
    block->count = (uint8_t)(block->count - added->count);
}

// Makes the place before a source free, by moving it and those behind it, and returns that place.
static uint32_t shift(micai_seats *seats, micai_seat_block *block, uint32_t place)
{
    uint64_t *words = words_of(seats, block);
    uint32_t hole = place;
    while (hole < block->used && words[hole]) {
        hole++;
    }
    block->used = (uint8_t)(block->used + (hole == block->used));
    for (; hole > place; hole--) {
        put(seats, block, hole, words[hole - 1]);
    }
    return place;
}

void micai_seats_insert(micai_seats *seats, mica_entity source, mica_entity sibling)
{
    const micai_seat_node *node = node_of(seats, sibling);
    micai_seat_block *block = block_of(seats, node->seat - 1);
    if (block->used == capacities[block->size]) {
        if (block->count < block->used) {
            pack(seats, block);
        } else if (block->size < LAST_SIZE) {
            grow(seats, block);
        } else {
            split(seats, block);
            block = block_of(seats, node->seat - 1);
        }
    }
    uint32_t place = place_of(node->seat - 1);
    if (MICAI_CANARY("store.seat_before")) {
        place = block->used - 1u;
    }
    put(seats, block, shift(seats, block, place), source.bits);
    block->count++;
    seats->lists.items[block->list].count++;
    seats->count++;
    seats->revision++;
}

// Returns a block that is almost empty, or joins it with a neighbour.
static void tidy(micai_seats *seats, micai_seat_block *block)
{
    uint32_t number = number_of(seats, block);
    if (block->count == 0) {
        return_block(seats, block);
    } else if (may_join(seats, block->previous, number)) {
        join(seats, &seats->blocks.items[block->previous], block);
    } else if (may_join(seats, number, block->next)) {
        join(seats, block, &seats->blocks.items[block->next]);
    }
}

void micai_seats_remove(micai_seats *seats, mica_entity source)
{
    micai_seat_node *node = node_of(seats, source);
    uint32_t seat = node->seat - 1;
    micai_seat_block *block = block_of(seats, seat);
    micai_seat_list *list = &seats->lists.items[block->list];
    uint64_t *words = words_of(seats, block);
    node->seat = 0;
    words[place_of(seat)] = 0;
    while (block->used > 0 && !words[block->used - 1]) {
        block->used--;
    }
    block->count--;
    list->count--;
    seats->count--;
    seats->revision++;
    if (seats->keep_empty) {
        return;
    }
    uint32_t number = block->list;
    if (block->count * 4 <= capacities[block->size]) {
        tidy(seats, block);
    }
    if (list->count == 0 && !MICAI_CANARY("store.empty_seats")) {
        return_list(seats, number);
    }
}

void micai_seats_drop_empty(micai_seats *seats, mica_entity target)
{
    const micai_seat_node *node = micai_seats_node(seats, mica_entity_slot(target));
    if (!node || !node->list) {
        return;
    }
    uint32_t list = node->list - 1;
    uint32_t next;
    for (uint32_t b = seats->lists.items[list].first; b != MICAI_SEAT_NONE; b = next) {
        next = seats->blocks.items[b].next;
        if (seats->blocks.items[b].count == 0) {
            return_block(seats, &seats->blocks.items[b]);
        }
    }
    if (seats->lists.items[list].count == 0) {
        return_list(seats, list);
    }
}

void micai_seats_clear(micai_seats *seats)
{
    for (uint32_t i = 0; i < seats->pages.count; i++) {
        if (seats->pages.items[i]) {
            memset(seats->pages.items[i], 0, NODES_BYTES);
        }
    }
    for (uint32_t i = 0; i < MICAI_SEAT_SIZES; i++) {
        seats->words[i].list.count = 0;
        seats->words[i].free_first = UINT64_MAX;
        seats->words[i].free_count = 0;
    }
    seats->lists.count = 0;
    seats->blocks.count = 0;
    seats->free_list = seats->free_block = MICAI_SEAT_NONE;
    seats->free_list_count = seats->free_block_count = 0;
    seats->count = 0;
    seats->revision++;
}

// Takes each entity of an order out of its seat. Returns false, and seats all again, if one is not in
// the list or occurs twice.
static bool unseat_all(micai_seats *seats, uint32_t list, const mica_entity *sources,
                       uint32_t count)
{
    bool right = true;
    uint32_t taken = 0;
    for (; right && taken < count; taken += right) {
        const micai_seat_node *node = micai_seats_node(seats, mica_entity_slot(sources[taken]));
        micai_seat_block *block = node && node->seat ? block_of(seats, node->seat - 1) : NULL;
        uint64_t *word = block ? &words_of(seats, block)[place_of(node->seat - 1)] : NULL;
        right = block && block->list == list && *word == sources[taken].bits;
        if (right) {
            *word = 0;
        }
    }
    while (!right && taken-- > 0) {
        uint32_t seat = node_of(seats, sources[taken])->seat - 1;
        words_of(seats, block_of(seats, seat))[place_of(seat)] = sources[taken].bits;
    }
    return right;
}

bool micai_seats_reorder(micai_seats *seats, const micai_seat_list *list,
                         const mica_entity *sources, uint32_t count)
{
    uint32_t number = (uint32_t)(list - seats->lists.items);
    if (count != list->count || !unseat_all(seats, number, sources, count)) {
        return false;
    }
    uint32_t next;
    uint32_t seated = 0;
    for (uint32_t b = list->first; b != MICAI_SEAT_NONE; b = next) {
        micai_seat_block *block = &seats->blocks.items[b];
        next = block->next;
        block->count = block->used =
            (uint8_t)micai_smaller(capacities[block->size], count - seated);
        for (uint32_t i = 0; i < block->count; i++) {
            put(seats, block, i, sources[seated++].bits);
        }
        if (block->count == 0) {
            return_block(seats, block);
        }
    }
    seats->revision++;
    return true;
}

static bool is_unused(const micai_seat_node *nodes)
{
    for (uint32_t i = 0; i < MICAI_SLOT_PAGE_SIZE; i++) {
        if (nodes[i].seat || nodes[i].list) {
            return false;
        }
    }
    return true;
}

void micai_seats_reclaim(micai_host *host, micai_seats *seats)
{
    for (uint32_t i = 0; i < seats->pages.count; i++) {
        if (seats->pages.items[i] && is_unused(seats->pages.items[i])) {
            micai_release(host, seats->pages.items[i], NODES_BYTES, 64);
            seats->pages.items[i] = NULL;
        }
    }
    if (seats->count == 0) {
        const uint64_t revision = seats->revision;
        micai_seats_free(host, seats);
        seats->revision = revision;
    }
}

// Validation

static mica_result fail(micai_host *host, const char *which, const char *name, const char *what)
{
    return micai_fail_invariant(host, which, "%s: %s", name, what);
}

// Returns true if a block belongs to its list and its sources know their seats.
static bool is_block_right(const micai_seats *seats, uint32_t number, uint32_t list,
                           uint32_t previous)
{
    const micai_seat_block *block = &seats->blocks.items[number];
    if (block->list != list || block->previous != previous || block->size >= MICAI_SEAT_SIZES ||
        block->used > capacities[block->size] || block->count == 0) {
        return false;
    }
    const uint64_t *words = words_of(seats, block);
    uint32_t count = 0;
    for (uint32_t i = 0; i < capacities[block->size]; i++) {
        const micai_seat_node *node =
            words[i] ? micai_seats_node(seats, mica_entity_slot((mica_entity){words[i]})) : NULL;
        count += words[i] != 0;
        if (words[i] &&
            (i >= block->used || !node || node->seat != (number << MICAI_SEAT_SHIFT | i) + 1)) {
            return false;
        }
    }
    return count == block->count;
}

static mica_result validate_list(micai_host *host, const micai_seats *seats, uint32_t number,
                                 const micai_slots *slots, const char *name)
{
    const micai_seat_list *list = &seats->lists.items[number];
    const micai_seat_node *node = micai_seats_node(seats, mica_entity_slot(list->target));
    if (!micai_slots_find(slots, list->target)) {
        return fail(host, "R11", name, "a dead entity is a target");
    }
    if (!node || node->list != number + 1) {
        return fail(host, "R13", name, "a target does not know its list");
    }
    uint32_t count = 0;
    uint32_t previous = MICAI_SEAT_NONE;
    for (uint32_t b = list->first; b != MICAI_SEAT_NONE && count <= list->count;
         b = seats->blocks.items[b].next) {
        if (b >= seats->blocks.count || !is_block_right(seats, b, number, previous)) {
            return fail(host, "R12", name, "a block of sources is damaged");
        }
        count += seats->blocks.items[b].count;
        previous = b;
    }
    if (previous != list->last) {
        return fail(host, "R12", name, "the last block of a target is not its last");
    }
    return count == list->count && count > 0
               ? MICA_OK
               : fail(host, "R11", name, "the sources of a target are miscounted");
}

// Counts nodes with a seat and with a list.
static void count_nodes(const micai_seats *seats, uint32_t *seated_out, uint32_t *listed_out)
{
    for (uint32_t page = 0; page < seats->pages.count; page++) {
        const micai_seat_node *nodes = seats->pages.items[page];
        for (uint32_t i = 0; nodes && i < MICAI_SLOT_PAGE_SIZE; i++) {
            *seated_out += nodes[i].seat != 0;
            *listed_out += nodes[i].list != 0;
        }
    }
}

// Returns true if lists of free lists, blocks and words have as many items as they count.
static bool are_free_right(const micai_seats *seats)
{
    uint32_t lists = 0;
    uint32_t blocks = 0;
    for (uint32_t i = seats->free_list; i < seats->lists.count && lists <= seats->free_list_count;
         i = seats->lists.items[i].first) {
        lists += MICA_IS_NONE(seats->lists.items[i].target);
    }
    for (uint32_t i = seats->free_block;
         i < seats->blocks.count && blocks <= seats->free_block_count;
         i = seats->blocks.items[i].next) {
        blocks += seats->blocks.items[i].list == MICAI_SEAT_NONE;
    }
    bool right = lists == seats->free_list_count && blocks == seats->free_block_count;
    for (uint32_t size = 0; right && size < MICAI_SEAT_SIZES; size++) {
        const micai_seat_words *words = &seats->words[size];
        uint32_t used = 0;
        for (uint32_t i = 0; i < seats->blocks.count; i++) {
            const micai_seat_block *block = &seats->blocks.items[i];
            used += block->list != MICAI_SEAT_NONE && block->size == size;
        }
        right = (used + words->free_count) * capacities[size] == words->list.count;
    }
    return right;
}

mica_result micai_seats_validate(micai_host *host, const micai_seats *seats,
                                 const micai_slots *slots, const char *name)
{
    uint32_t sources = 0;
    uint32_t lists = 0;
    for (uint32_t i = 0; i < seats->lists.count; i++) {
        const micai_seat_list *list = &seats->lists.items[i];
        if (!MICA_IS_NONE(list->target)) {
            mica_result result = validate_list(host, seats, i, slots, name);
            if (result) {
                return result;
            }
            sources += list->count;
            lists++;
        }
    }
    uint32_t seated = 0;
    uint32_t listed = 0;
    count_nodes(seats, &seated, &listed);
    if (seated != seats->count || sources != seats->count || listed != lists) {
        return fail(host, "R13", name, "entities have seats or lists that are not theirs");
    }
    return lists + seats->free_list_count == seats->lists.count && are_free_right(seats)
               ? MICA_OK
               : fail(host, "R14", name, "free lists, blocks or words are lost");
}
