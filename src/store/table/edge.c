// Edges: making, finding, remembering. edge.h has the contract.
#include "store/table/edge.h"

#include <inttypes.h>

#include "base/canary.h"
#include "base/hash.h"
#include "core/watch.h"
#include "store/table/store.h"

static size_t count_copies(const micai_edge *edge)
{
    return (size_t)edge->strip_count + edge->dropped_count + edge->careful_count +
           edge->added_count + edge->removed_count;
}

static size_t edge_size(const micai_edge *edge)
{
    return sizeof *edge + count_copies(edge) * sizeof(micai_copy) +
           edge->step_count * sizeof(micai_step);
}

// Where the steps of an edge are whose counts are right.
static micai_step *find_steps(micai_edge *edge)
{
    return edge->step_count > 0 ? (micai_step *)(void *)(edge->copies + count_copies(edge)) : NULL;
}

static void release(micai_store *store, micai_edge *edge)
{
    micai_leap_forget(store, edge);
    micai_release(store->host, edge, edge_size(edge), _Alignof(micai_edge));
}

void micai_edge_free(micai_store *store, micai_table *table, bool all)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->edges.count; i++) {
        micai_edge *edge = table->edges.items[i];
        if (!all && !edge->target->dying) {
            table->edges.items[kept++] = edge;
        } else {
            release(store, edge);
        }
    }
    table->edges.count = kept;
}

void micai_edge_drop_unused(micai_store *store, micai_table *table)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->edges.count; i++) {
        micai_edge *edge = table->edges.items[i];
        if (edge->used > store->edges_kept) {
            table->edges.items[kept++] = edge;
        } else {
            release(store, edge);
        }
    }
    table->edges.count = kept;
    if (kept == 0) {
        micai_array_free(store->host, &table->edges);
    }
}

// Where the first edge stands whose key is not below.
static uint32_t lower_bound(const micai_table *table, uint64_t key)
{
    uint32_t from = 0;
    uint32_t to = table->edges.count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (table->edges.items[middle]->key < key) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

// The plan of copies is worked out twice: to count them, and to write them down. To validate it, it
// is worked out again, to count and to compare.

typedef struct planner {
    micai_edge *edge;                                                  // counts so far
    micai_copy *eights, *others, *dropped, *careful, *added, *removed; // NULL: only counted
    bool compares; // what is there with what would be written down
    bool differs;
} planner;

static void put(planner *p, micai_copy **list, uint32_t *count, micai_copy copy)
{
    if (*list && p->compares) {
        p->differs = p->differs || (*list)->source != copy.source ||
                     (*list)->target != copy.target || (*list)->size != copy.size;
    } else if (*list) {
        **list = copy;
    }
    if (*list) {
        ++*list;
    }
    ++*count;
}

static micai_copy make_copy(uint32_t source, uint32_t target, uint32_t size)
{
    return (micai_copy){(uint16_t)source, (uint16_t)target, size};
}

static void plan_strip(planner *p, const micai_strip *strip, uint32_t source, uint32_t target)
{
    bool eight = strip->size == 8;
    p->edge->eight_count += eight;
    put(p, eight ? &p->eights : &p->others, &p->edge->strip_count,
        make_copy(source, target, strip->size));
}

// A column both have.
static void plan_common(planner *p, uint32_t source, uint32_t target)
{
    const micai_column *from = &p->edge->source->layout.columns[source];
    const micai_column *to = &p->edge->target->layout.columns[target];
    const micai_strip *strips = &p->edge->source->layout.strips[from->strip];
    if (micai_column_needs_care(&p->edge->source->layout, source)) {
        put(p, &p->careful, &p->edge->careful_count,
            make_copy(source, target, micai_column_value_size(from)));
        return;
    }
    for (uint32_t s = 0; s < from->strip_count; s++) {
        plan_strip(p, &strips[s], from->strip + s, to->strip + s);
    }
}

static void plan_removed(planner *p, uint32_t source)
{
    const micai_layout *layout = &p->edge->source->layout;
    const micai_column *from = &layout->columns[source];
    put(p, &p->removed, &p->edge->removed_count,
        make_copy(source, 0, micai_column_value_size(from)));
    for (uint32_t s = from->strip; s < (uint32_t)from->strip + from->strip_count; s++) {
        if (!layout->strips[s].outside) {
            put(p, &p->dropped, &p->edge->dropped_count, make_copy(s, 0, layout->strips[s].size));
        }
    }
}

// Both tables' columns are in order of type number, so one walk over both finds everything.
static void plan(planner *p)
{
    const micai_layout *source = &p->edge->source->layout;
    const micai_layout *target = &p->edge->target->layout;
    plan_common(p, 0, 0);
    uint32_t s = 1;
    uint32_t t = 1;
    while (s < source->column_count || t < target->column_count) {
        uint32_t in_source =
            s < source->column_count ? source->columns[s].type->number : UINT32_MAX;
        uint32_t in_target =
            t < target->column_count ? target->columns[t].type->number : UINT32_MAX;
        if (in_source == in_target) {
            plan_common(p, s++, t++);
        } else if (in_source < in_target) {
            plan_removed(p, s++);
        } else {
            put(p, &p->added, &p->edge->added_count,
                make_copy(0, t, micai_column_value_size(&target->columns[t])));
            t++;
        }
    }
}

// Writes the copies of an edge whose counts are right, or compares them; are they the same?
static bool plan_copies(micai_edge *edge, bool compare)
{
    micai_edge counted = *edge; // copies are found by the counts, which planning counts again
    planner p = {.edge = &counted,
                 .eights = edge->copies,
                 .others = edge->copies + edge->eight_count,
                 .dropped = edge->copies + edge->strip_count,
                 .compares = compare};
    p.careful = p.dropped + edge->dropped_count;
    p.added = p.careful + edge->careful_count;
    p.removed = p.added + edge->added_count;
    plan(&p);
    return !p.differs;
}

// Changes of several types are keyed by the target's hash, in the upper half of all keys.
#define WIDE (UINT64_C(1) << 63)

// The types that change on the way, and those that come, as one word of a set.
static uint64_t changed_word(const micai_edge *edge, uint32_t word, bool come)
{
    const micai_table *source = edge->source;
    const micai_table *target = edge->target;
    uint64_t before = word < source->word_count ? source->words[word] : 0;
    uint64_t after = word < target->word_count ? target->words[word] : 0;
    return come ? after & ~before : before & ~after;
}

static uint32_t larger_word_count(const micai_edge *edge)
{
    uint32_t source = edge->source->word_count;
    uint32_t target = edge->target->word_count;
    return source > target ? source : target;
}

static void count_steps(micai_edge *edge)
{
    uint32_t words = edge->key & WIDE ? larger_word_count(edge) : 0;
    for (uint32_t i = 0; i < words; i++) {
        edge->given_count += micai_bits_ones(changed_word(edge, i, true));
        edge->step_count += micai_bits_ones(changed_word(edge, i, false));
    }
    edge->step_count += edge->given_count;
}

// The step of a type that comes, or goes.
static micai_step make_step(const micai_store *store, const micai_edge *edge, uint32_t number,
                            bool comes)
{
    const mica_type_info *info = &store->registry->list.items[number]->info;
    uint32_t column = comes ? micai_table_column(edge->target, number) : 0;
    micai_step step = {.bits = info->type.bits};
    if (column) {
        step.given = UINT64_C(1) << 32 | info->size;
        step.fill = micai_table_fill(edge->target, column);
    }
    return step;
}

// In order of type number, as long as nobody has listed them.
static void make_steps(const micai_store *store, micai_edge *edge)
{
    uint32_t words = larger_word_count(edge);
    micai_step *step = edge->steps = find_steps(edge);
    for (uint32_t turn = 0; step && turn < 2; turn++) {
        for (uint32_t i = 0; i < words; i++) {
            for (uint64_t left = changed_word(edge, i, turn == 0); left; left &= left - 1) {
                *step++ = make_step(store, edge, i * 64 + micai_bits_lowest(left), turn == 0);
            }
        }
    }
}

static micai_edge *make_edge(micai_store *store, micai_table *source, micai_table *target,
                             uint64_t key)
{
    micai_edge head = {.key = key, .source = source, .target = target, .used = ++store->edge_uses};
    plan(&(planner){.edge = &head});
    count_steps(&head);
    if (!micai_array_reserve(store->host, &source->edges, 1)) {
        return NULL;
    }
    micai_edge *edge = micai_alloc(store->host, edge_size(&head), _Alignof(micai_edge));
    if (!edge) {
        return NULL;
    }
    memcpy(edge, &head, sizeof head);
    plan_copies(edge, false);
    make_steps(store, edge);
    uint32_t at = lower_bound(source, key);
    memmove(&source->edges.items[at + 1], &source->edges.items[at],
            (source->edges.count - at) * sizeof *source->edges.items);
    source->edges.items[at] = edge;
    source->edges.count++;
    return edge;
}

// How the value of the one added column is filled in, if that is done as bytes.
static micai_fill find_fill(const micai_edge *edge)
{
    if (edge->added_count != 1) {
        return (micai_fill){0};
    }
    const micai_copy *added = micai_edge_added(edge);
    return micai_table_fill(edge->target, added->target);
}

// What a value must measure to be filled in without further ado.
static uint64_t find_size(const micai_edge *edge)
{
    micai_fill fill = find_fill(edge);
    return fill.strip && micai_fill_is_plain(fill) ? fill.size : MICAI_EDGE_NO_SIZE;
}

// Of an edge that changes one type: where a value comes or goes, is it one cell of one strip?
static bool is_direct(const micai_edge *edge)
{
    const micai_layout *layout = &edge->source->layout;
    if (!layout->plain || !edge->target->layout.plain) {
        return false;
    }
    return edge->added_count > 0 ? find_size(edge) != MICAI_EDGE_NO_SIZE
                                 : edge->dropped_count == 0 ||
                                       (edge->dropped_count == 1 &&
                                        layout->strips[micai_edge_dropped(edge)->source].whole);
}

// Room to remember edges that change a type.
static bool reserve_recent(micai_store *store, uint32_t number)
{
    uint32_t needed = micai_edge_slot(number + 1, false, MICAI_EDGE_QUICK);
    if (needed > store->recent.count) {
        uint32_t extra = needed - store->recent.count;
        if (!micai_array_reserve(store->host, &store->recent, extra)) {
            return false;
        }
        while (store->recent.count < needed) {
            store->recent.items[store->recent.count++] = micai_edge_nowhere();
        }
    }
    return true;
}

static micai_edge *make_single_edge(micai_store *store, micai_table *table, uint32_t number,
                                    bool remove)
{
    mica_types set = {0};
    micai_edge *edge = NULL;
    if (reserve_recent(store, number) && !micai_store_set_of(store, table, &set)) {
        mica_result result = MICA_OK;
        if (remove) {
            micai_types_remove(&set, number);
        } else {
            result = micai_types_add(store->host, &set, number);
        }
        micai_table *target = result ? NULL : micai_store_table(store, &set);
        if (target) {
            edge = make_edge(store, table, target, micai_edge_key(number, remove));
        }
        if (edge) {
            edge->type = store->registry->list.items[number]->info.type;
            edge->fill = find_fill(edge);
            edge->size = find_size(edge);
            edge->direct = is_direct(edge);
        }
    }
    micai_types_free(store->host, &set);
    return edge;
}

micai_edge *micai_edge_of(micai_store *store, micai_table *table, uint32_t number, bool remove)
{
    uint64_t key = micai_edge_key(number, remove);
    uint32_t at = lower_bound(table, key);
    if (at == table->edges.count || table->edges.items[at]->key != key) {
        return make_single_edge(store, table, number, remove);
    }
    table->edges.items[at]->used = ++store->edge_uses;
    return table->edges.items[at];
}

// Of more edges of several types than a table keeps, lets the one go that was not used for longest.
static void forget_wide(micai_store *store, micai_table *table)
{
    uint32_t first = lower_bound(table, WIDE);
    if (table->edges.count - first <= MICAI_EDGES_WIDE) {
        return;
    }
    uint32_t oldest = first;
    for (uint32_t i = first + 1; i < table->edges.count; i++) {
        if (table->edges.items[i]->used < table->edges.items[oldest]->used) {
            oldest = i;
        }
    }
    release(store, table->edges.items[oldest]);
    table->edges.count--;
    memmove(&table->edges.items[oldest], &table->edges.items[oldest + 1],
            (table->edges.count - oldest) * sizeof *table->edges.items);
}

micai_edge *micai_edge_to(micai_store *store, micai_table *table, const mica_types *set)
{
    uint64_t key = micai_store_hash(set) | WIDE;
    for (uint32_t at = lower_bound(table, key);
         at < table->edges.count && table->edges.items[at]->key == key; at++) {
        if (micai_store_has_set(table->edges.items[at]->target, set)) {
            table->edges.items[at]->used = ++store->edge_uses;
            return table->edges.items[at];
        }
    }
    micai_table *target = micai_store_table(store, set);
    micai_edge *edge = target ? make_edge(store, table, target, key) : NULL;
    if (edge) {
        forget_wide(store, table);
    }
    return edge;
}

micai_edge *micai_edge_nowhere(void)
{
    static const micai_edge nowhere = {0};
    const union {
        const micai_edge *is;
        micai_edge *goes_as;
    } edge = {.is = &nowhere};
    return edge.goes_as;
}

// Can rows go along it as bytes?
static bool is_bare(const micai_edge *edge)
{
    return edge->source->bare && edge->target->bare &&
           (edge->added_count == 0 || micai_edge_fills(edge)) && micai_toggle_covers(edge);
}

// Who observes a query is told by the plan.
static bool can_be_remembered(const micai_store *store, const micai_edge *edge)
{
    const micai_type *type = store->registry->list.items[edge->key >> 1];
    return is_bare(edge) && !micai_watches(type, MICAI_WATCH_MATCHES);
}

// Of an edge that can be.
static uint32_t slot_of(const micai_store *store, const micai_edge *edge)
{
    const uint32_t number = (uint32_t)(edge->key >> 1);
    bool plain = edge->source->layout.plain && edge->target->layout.plain;
    bool told = micai_watches(store->registry->list.items[number], MICAI_WATCH_CHANGES);
    micai_edge_way way = told ? MICAI_EDGE_TOLD : plain ? MICAI_EDGE_QUICK : MICAI_EDGE_LIGHT;
    return micai_edge_slot(number, edge->key & 1, way);
}

micai_edge *micai_edge_look(micai_store *store, const micai_table *table, uint32_t number,
                            bool remove)
{
    uint64_t key = micai_edge_key(number, remove);
    uint32_t at = lower_bound(table, key);
    micai_edge *edge = at < table->edges.count ? table->edges.items[at] : NULL;
    if (!edge || edge->key != key || !is_bare(edge) || !edge->target->tail) {
        return NULL;
    }
    edge->used = ++store->edge_uses;
    return edge;
}

void micai_edge_remember(micai_store *store, micai_edge *edge)
{
    if (can_be_remembered(store, edge)) {
        store->recent.items[slot_of(store, edge)] = edge;
    }
}

void micai_edge_forget(micai_store *store, uint32_t number)
{
    micai_leap_forget_table(store, NULL);
    uint32_t end = micai_edge_slot(number + 1, false, MICAI_EDGE_QUICK);
    for (uint32_t i = micai_edge_slot(number, false, MICAI_EDGE_QUICK);
         i < end && i < store->recent.count; i++) {
        store->recent.items[i] = micai_edge_nowhere();
    }
}

// Validation

// Is the target what the key says it is?
static bool leads_to_target(const micai_edge *edge)
{
    const micai_table *source = edge->source;
    const micai_table *target = edge->target;
    if (edge->key >> 63) {
        return edge->key == (target->hash | WIDE);
    }
    uint32_t number = (uint32_t)(edge->key >> 1);
    uint32_t words =
        source->word_count > target->word_count ? source->word_count : target->word_count;
    bool right = number / 64 < words;
    for (uint32_t i = 0; i < words; i++) {
        uint64_t before = i < source->word_count ? source->words[i] : 0;
        uint64_t after = i < target->word_count ? target->words[i] : 0;
        uint64_t changed = i == number / 64 ? UINT64_C(1) << (number % 64) : 0;
        right = right && (before ^ after) == changed &&
                ((edge->key & 1 ? before : after) & changed) == changed;
    }
    return right;
}

// Plans anew and compares: first the counts, by which the copies are found.
static bool copies_everything(micai_edge *edge)
{
    micai_edge head = {.key = edge->key, .source = edge->source, .target = edge->target};
    plan(&(planner){.edge = &head});
    count_steps(&head);
    return head.eight_count == edge->eight_count && head.strip_count == edge->strip_count &&
           head.dropped_count == edge->dropped_count && head.careful_count == edge->careful_count &&
           head.added_count == edge->added_count && head.removed_count == edge->removed_count &&
           head.step_count == edge->step_count && head.given_count == edge->given_count &&
           plan_copies(edge, true);
}

// Is a step that of a type that changes in its direction?
static bool is_right_step(const micai_store *store, const micai_edge *edge, const micai_step *step,
                          bool comes)
{
    uint32_t number = micai_stamp_number(step->bits);
    if (number / 64 >= larger_word_count(edge) ||
        !(changed_word(edge, number / 64, comes) >> (number % 64) & 1)) {
        return false;
    }
    const micai_step right = make_step(store, edge, number, comes);
    return step->bits == right.bits && step->given == right.given &&
           micai_fill_equal(step->fill, right.fill);
}

// Are there steps of all types that change, each once? As many as there are; so by their sums.
static bool has_its_steps(const micai_store *store, micai_edge *edge)
{
    bool right = edge->steps == find_steps(edge);
    uint64_t sum = 0;
    for (uint32_t i = 0; right && i < edge->step_count; i++) {
        right = is_right_step(store, edge, &edge->steps[i], i < edge->given_count);
        sum += micai_hash_mix((uint64_t)micai_stamp_number(edge->steps[i].bits) + 1);
    }
    uint32_t words = larger_word_count(edge);
    for (uint32_t i = 0; right && i < words; i++) {
        uint64_t changed = changed_word(edge, i, true) | changed_word(edge, i, false);
        for (; changed; changed &= changed - 1) {
            sum -= micai_hash_mix((uint64_t)i * 64 + micai_bits_lowest(changed) + 1);
        }
    }
    return right && sum == 0;
}

// Of an edge that changes one type: does it say which, and how its value is filled in?
static bool tells_its_type(const micai_store *store, micai_edge *edge)
{
    if (edge->key >> 63) {
        return edge->type.bits == 0 && edge->size == 0 && !edge->direct &&
               micai_fill_equal(edge->fill, (micai_fill){0}) && has_its_steps(store, edge);
    }
    const mica_type_info *info = &store->registry->list.items[edge->key >> 1]->info;
    return edge->type.bits == info->type.bits && edge->size == find_size(edge) &&
           edge->direct == is_direct(edge) && micai_fill_equal(edge->fill, find_fill(edge)) &&
           !edge->steps;
}

// Is the edge the table's, and are what it leads to and what it changes there?
static bool is_sound(const micai_store *store, const micai_table *table, const micai_edge *edge)
{
    return edge->source == table && micai_store_knows(store, edge->target) &&
           edge->used - 1 < store->edge_uses &&
           (edge->key >> 63 || edge->key >> 1 < store->registry->list.count);
}

// Do edges stand in order, the later one behind the earlier? Several may lead to sets of one hash.
static bool follows(const micai_edge *earlier, const micai_edge *later)
{
    return earlier->key < later->key ||
           (earlier->key == later->key && earlier->key >> 63 && earlier->target != later->target);
}

mica_result micai_edge_validate(micai_store *store, const micai_table *table)
{
    mica_result result = micai_array_validate(store->host, &table->edges, "a table's edges");
    if (!result && store->edges_kept > store->edge_uses) {
        result = micai_fail_invariant(store->host, "G2", "edges were kept that are still to come");
    }
    uint32_t wide = 0;
    for (uint32_t i = 0; !result && i < table->edges.count; i++) {
        micai_edge *edge = table->edges.items[i];
        bool right =
            is_sound(store, table, edge) && (i == 0 || follows(table->edges.items[i - 1], edge)) &&
            leads_to_target(edge) && copies_everything(edge) && tells_its_type(store, edge);
        wide += right && edge->key >> 63;
        if (!right || wide > MICAI_EDGES_WIDE) {
            result = micai_fail_invariant(store->host, "G2",
                                          "edge %" PRIu32 " of table %" PRIu32 " leads astray", i,
                                          table->id);
        }
    }
    return result;
}

// How many edges of a table are remembered, each for its own type.
static uint32_t count_recent(const micai_store *store, const micai_table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->edges.count; i++) {
        const micai_edge *edge = table->edges.items[i];
        count += !(edge->key >> 63) && slot_of(store, edge) < store->recent.count &&
                 store->recent.items[slot_of(store, edge)] == edge &&
                 can_be_remembered(store, edge);
    }
    return count;
}

// Those that are remembered may be gone, and are not looked into: those that are there are counted.
mica_result micai_edge_validate_recent(micai_store *store)
{
    if (store->recent.count >
        micai_edge_slot(store->registry->list.count, false, MICAI_EDGE_QUICK)) {
        return micai_fail_invariant(store->host, "G5", "%" PRIu32 " edges are remembered",
                                    store->recent.count);
    }
    uint32_t remembered = 0;
    for (uint32_t i = 0; i < store->recent.count; i++) {
        remembered += store->recent.items[i] != micai_edge_nowhere();
    }
    uint32_t right = 0;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        right += count_recent(store, store->tables.items[id]);
    }
    return remembered == right ? MICA_OK
                               : micai_fail_invariant(store->host, "G5",
                                                      "of %" PRIu32 " edges remembered, %" PRIu32
                                                      " are short cuts of their types",
                                                      remembered, right);
}
