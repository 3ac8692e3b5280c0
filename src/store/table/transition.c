// Transitions: building, storing, finding, validating. transition.h has the contract.
#include "store/table/transition.h"

#include <inttypes.h>

#include "base/canary.h"
#include "core/watch.h"
#include "store/table/store.h"

// Copies are computed twice: once to count and once to write them. Validation repeats both, to
// count and to compare.

typedef struct planner {
    micai_transition *t;                                               // counts so far
    micai_copy *eights, *others, *dropped, *careful, *added, *removed; // NULL: only count
    bool compares; // compare existing copies instead of writing them
    bool differs;
} planner;

static void put(planner *p, micai_copy **list, uint32_t *count, uint32_t source, uint32_t target,
                uint32_t size)
{
    const micai_copy copy = {(uint16_t)source, (uint16_t)target, size};
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

// A column that both tables have.
static void plan_common(planner *p, uint32_t source, uint32_t target)
{
    micai_transition *t = p->t;
    const micai_column *from = &t->source->layout.columns[source];
    const micai_column *to = &t->target->layout.columns[target];
    if (from->careful) {
        put(p, &p->careful, &t->careful_count, source, target, micai_column_value_size(from));
        return;
    }
    const micai_strip *strips = &t->source->layout.strips[from->strip];
    for (uint32_t s = 0; s < from->strip_count; s++) {
        bool eight = strips[s].size == 8;
        t->eight_count += eight;
        put(p, eight ? &p->eights : &p->others, &t->strip_count, from->strip + s, to->strip + s,
            strips[s].size);
    }
}

static void plan_removed(planner *p, uint32_t source)
{
    const micai_layout *layout = &p->t->source->layout;
    const micai_column *from = &layout->columns[source];
    put(p, &p->removed, &p->t->removed_count, source, 0, micai_column_value_size(from));
    for (uint32_t s = from->strip; s < (uint32_t)from->strip + from->strip_count; s++) {
        if (!layout->strips[s].outside) {
            put(p, &p->dropped, &p->t->dropped_count, s, 0, layout->strips[s].size);
        }
    }
}

// The columns of both tables are ordered by type number, so one loop over both finds everything.
// Spawns copy nothing.
static void plan(planner *p)
{
    const micai_layout *source = p->t->source ? &p->t->source->layout : NULL;
    const micai_layout *target = &p->t->target->layout;
    uint32_t s = 1;
    uint32_t t = 1;
    if (source) {
        plan_common(p, 0, 0);
    }
    while (source && (s < source->column_count || t < target->column_count)) {
        uint32_t in_source =
            s < source->column_count ? source->columns[s].type->number : UINT32_MAX;
        uint32_t in_target =
            t < target->column_count ? target->columns[t].type->number : UINT32_MAX;
        if (in_source == in_target) {
            plan_common(p, s++, t++);
        } else if (in_source < in_target) {
            plan_removed(p, s++);
        } else {
            put(p, &p->added, &p->t->added_count, 0, t,
                micai_column_value_size(&target->columns[t]));
            t++;
        }
    }
}

static size_t count_copies(const micai_transition *t)
{
    return (size_t)t->strip_count + t->dropped_count + t->careful_count + t->added_count +
           t->removed_count;
}

static size_t size_of(const micai_transition *t)
{
    return sizeof *t + t->step_count * sizeof *t->steps + count_copies(t) * sizeof(micai_copy);
}

static micai_copy *find_copies(micai_transition *t)
{
    return (micai_copy *)(void *)(t->steps + t->step_count);
}

// Writes the copies of a transition with valid counts, or compares them. Returns true if they are
// equal.
static bool plan_copies(micai_transition *t, bool compare)
{
    // The copies are located by the counts, which planning increments again.
    micai_transition counted = *t;
    planner p = {.t = &counted, .eights = find_copies(t), .compares = compare};
    p.others = p.eights + t->eight_count;
    p.dropped = p.eights + t->strip_count;
    p.careful = p.dropped + t->dropped_count;
    p.added = p.careful + t->careful_count;
    p.removed = p.added + t->added_count;
    plan(&p);
    return !p.differs;
}

static void make_step(const micai_transition *t, const micai_type *type, bool added,
                      micai_step *step)
{
    uint32_t size = type->info.size;
    step->type = type;
    step->bits = type->info.type.bits;
    step->expected = size > 0 ? UINT64_C(1) << 32 | size : 0;
    step->sparse = type->info.storage == MICA_SPARSE;
    step->present = t->source && micai_table_has(t->source, type->number);
    step->column = 0;
    if (added && !step->sparse && !step->present) {
        step->column = (uint16_t)micai_table_column(t->target, type->number);
    }
    step->fill = step->column ? micai_table_fill(t->target, step->column) : (micai_fill){0};
}

// Fast paths

// Returns true if the values of a step are written as bytes, or if it has no value.
static bool is_filled(const micai_step *step)
{
    return step->sparse ? micai_hook_has_none(step->type)
                        : !step->present && (!step->column || step->fill.strip);
}

// Returns true if the value is also whole, without flags or ticks.
static bool is_plain_step(const micai_step *step)
{
    return !step->sparse && (!step->column || micai_fill_is_plain(step->fill));
}

static bool removes_whole_values(const micai_transition *t)
{
    const micai_copy *dropped = micai_transition_dropped(t);
    return t->dropped_count == 0 || t->step_count > 1 ||
           (t->dropped_count == 1 && t->source->layout.strips[dropped->source].whole);
}

// Returns the paths that the tables of a transition admit. Observers of a spawn watch all types of
// the new entity. Observers of a change watch the changed types.
static uint8_t find_table_paths(const micai_store *store, const micai_transition *t)
{
    const micai_table *source = t->source;
    bool bytes = micai_table_is_bytes(t->target);
    bool plain = t->target->layout.plain;
    if (source) {
        bytes = bytes && micai_table_is_bytes(source) && micai_toggle_covers(t);
        plain = plain && source->layout.plain && removes_whole_values(t);
    }
    bool observed = !source && store->registry->watched != 0;
    return (uint8_t)((bytes ? MICAI_FAST_BYTES : 0) | (plain ? MICAI_FAST_PLAIN : 0) |
                     (observed ? 0 : MICAI_FAST_UNOBSERVED | MICAI_FAST_UNMATCHED));
}

static uint8_t find_fast_paths(const micai_store *store, const micai_transition *t)
{
    const uint32_t kinds = t->source ? MICAI_WATCH_CHANGES : MICAI_WATCH_ROWS;
    uint8_t paths = find_table_paths(store, t);
    uint32_t watched = 0;
    for (uint32_t i = 0; i < t->step_count; i++) {
        const micai_step *step = &t->steps[i];
        watched |= step->type->watched & kinds;
        bool bytes = i < t->given_count ? is_filled(step) : step->present && !step->sparse;
        paths &= (uint8_t) ~(bytes ? 0 : MICAI_FAST_BYTES);
        paths &= (uint8_t) ~(is_plain_step(step) ? 0 : MICAI_FAST_PLAIN);
    }
    paths &= (uint8_t) ~(watched ? MICAI_FAST_UNOBSERVED : 0);
    return paths & (uint8_t) ~(watched & MICAI_WATCH_MATCHES ? MICAI_FAST_UNMATCHED : 0);
}

// Returns the size that a value must have for the fast path.
static uint64_t find_size(const micai_transition *t, uint8_t fast_paths)
{
    return fast_paths == MICAI_FAST_ALL && t->kind == MICAI_TRANSITION_ADD && t->steps->column
               ? t->steps->fill.size
               : MICAI_TRANSITION_NO_SIZE;
}

static void update(const micai_store *store, micai_transition *t)
{
    t->fast_paths = find_fast_paths(store, t);
    t->size = find_size(t, t->fast_paths);
}

// Maps

#define PLACES_MIN 8u

// The content of empty places: it has no tables, so that hot paths need no check for empty places.
// Shared by all worlds and never written.
static micai_transition *nowhere(void)
{
    static const micai_transition none = {.step_count = UINT32_MAX};
    const union {
        const micai_transition *constant;
        micai_transition *writable;
    } t = {.constant = &none};
    return t.writable;
}

static uint32_t count_places(const micai_transition_map *map)
{
    return UINT32_C(1) << (64 - map->shift);
}

// The places of empty maps. There are two, because the shift of a 64-bit number must be less than
// 64.
static micai_transition **no_places(void)
{
    static const micai_transition none = {.step_count = UINT32_MAX};
    static const micai_transition *const places[3] = {&none, &none, &none};
    const union {
        const micai_transition *const *constant;
        micai_transition **writable;
    } p = {.constant = places};
    return p.writable;
}

static bool is_none(const micai_transition *t)
{
    return !t->target;
}

// Loops over the transitions of a map, in the order of places. The body must not change the map.
#define FOR_TRANSITIONS(t, map)                                                                    \
    for (uint32_t place_ = 0; place_ < count_places(map); place_++)                                \
        for (micai_transition *t = (map)->places[place_]; t && !is_none(t); (t) = NULL)

// Keys of lists are built from numbers. Keys of single types are handles.
static uint32_t find_place(const micai_transition_map *map, micai_transition_kind kind,
                           uint64_t key, const micai_table *source)
{
    uint64_t hash = source ? source->hash : 0;
    return (uint32_t)(kind < MICAI_TRANSITION_LIST ? micai_transition_place(map, key, hash)
                                                   : micai_transition_place(map, 0, key ^ hash));
}

static uint32_t first_place(const micai_transition_map *map, const micai_transition *t)
{
    return find_place(map, (micai_transition_kind)t->kind, t->key, t->source);
}

static void enter(micai_transition_map *map, micai_transition *t)
{
    uint32_t mask = count_places(map) - 1;
    uint32_t place = first_place(map, t);
    while (!is_none(map->places[place])) {
        place = (place + 1) & mask;
    }
    map->places[place] = t;
}

static void free_places(micai_store *store, micai_transition_map *map)
{
    if (map->places != no_places()) {
        micai_release(store->host, (void *)map->places,
                      ((size_t)count_places(map) + 1) * sizeof *map->places,
                      _Alignof(micai_transition *));
    }
}

// Reserves one more place. At most a quarter of the places is in use, so that most lookups hit
// their first place. Returns false on MICA_ERROR_MEMORY.
static bool reserve_place(micai_store *store, micai_transition_map *map)
{
    uint32_t places = map->places == no_places() ? 0 : count_places(map);
    if (map->count < places / 4) {
        return true;
    }
    uint32_t wanted = places == 0 ? PLACES_MIN : places * 2;
    micai_transition_map larger = {.count = map->count, .hand = map->hand, .last = map->last};
    larger.places = micai_alloc_array(store->host, (size_t)wanted + 1, sizeof *larger.places,
                                      _Alignof(micai_transition *));
    if (!larger.places) {
        return false;
    }
    larger.shift = map->shift - (places == 0 ? 2 : 1);
    for (uint32_t i = 0; i <= wanted; i++) {
        larger.places[i] = nowhere();
    }
    FOR_TRANSITIONS(t, map)
    {
        enter(&larger, t);
    }
    free_places(store, map);
    *map = larger;
    return true;
}

// Removes the transition at a place and frees it. Later ones that belong further up move there.
static void drop(micai_store *store, micai_transition_map *map, uint32_t place)
{
    uint32_t mask = count_places(map) - 1;
    map->last = map->last == map->places[place] ? nowhere() : map->last;
    micai_release(store->host, map->places[place], size_of(map->places[place]),
                  _Alignof(micai_transition));
    map->count--;
    for (uint32_t next = (place + 1) & mask; !is_none(map->places[next]);
         next = (next + 1) & mask) {
        uint32_t first = first_place(map, map->places[next]);
        if (((next - first) & mask) >= ((next - place) & mask)) {
            map->places[place] = map->places[next];
            place = next;
        }
    }
    map->places[place] = nowhere();
}

// Frees all transitions that match. Those that move meanwhile are checked again.
static void drop_if(micai_store *store, bool (*fits)(const micai_transition *t))
{
    for (uint32_t k = 0; k < MICAI_TRANSITION_KINDS; k++) {
        micai_transition_map *map = &store->transitions.maps[k];
        bool dropped = true;
        while (dropped) {
            dropped = false;
            for (uint32_t i = 0; i < count_places(map); i++) {
                while (!is_none(map->places[i]) && fits(map->places[i])) {
                    drop(store, map, i);
                    dropped = true;
                }
            }
        }
    }
}

static bool is_dying(const micai_transition *t)
{
    return t->target->dying || (t->source && t->source->dying);
}

static bool is_unpinned(const micai_transition *t)
{
    return t->pins == 0;
}

void micai_transitions_drop_dying(micai_store *store)
{
    if (!MICAI_CANARY("store.dying_transition")) {
        drop_if(store, is_dying);
    }
}

void micai_transitions_drop_unpinned(micai_store *store)
{
    drop_if(store, is_unpinned);
}

void micai_transitions_init(micai_transitions *transitions)
{
    for (uint32_t k = 0; k < MICAI_TRANSITION_KINDS; k++) {
        transitions->maps[k] =
            (micai_transition_map){.places = no_places(), .shift = 63, .last = nowhere()};
    }
}

void micai_transitions_free(micai_store *store)
{
    for (uint32_t k = 0; k < MICAI_TRANSITION_KINDS; k++) {
        micai_transition_map *map = &store->transitions.maps[k];
        FOR_TRANSITIONS(t, map)
        {
            micai_release(store->host, t, size_of(t), _Alignof(micai_transition));
        }
        free_places(store, map);
    }
    micai_transitions_init(&store->transitions);
}

void micai_transitions_update(micai_store *store, const micai_table *table)
{
    if (MICAI_CANARY("store.stale_transition")) {
        return;
    }
    for (uint32_t k = 0; k < MICAI_TRANSITION_KINDS; k++) {
        FOR_TRANSITIONS(t, &store->transitions.maps[k])
        {
            if (!table || t->source == table || t->target == table) {
                update(store, t);
            }
        }
    }
}

// Frees the next list that no bundle has pinned, if there are too many.
static void drop_excess_list(micai_store *store, micai_transition_map *map)
{
    uint32_t places = count_places(map);
    if (map->count < MICAI_TRANSITION_LISTS + (uint64_t)4 * store->tables.count) {
        return;
    }
    for (uint32_t i = 0; i < places; i++) {
        uint32_t place = map->hand++ & (places - 1);
        if (!is_none(map->places[place]) && map->places[place]->pins == 0) {
            drop(store, map, place);
            return;
        }
    }
}

// Building

typedef struct wanted {
    const micai_list *list;
    micai_transition_kind kind;
    uint64_t key;
    micai_table *source;
    micai_table *target;
} wanted;

// Returns one word of the target's archetype.
static uint64_t target_word(const micai_transition *t, uint32_t word)
{
    uint64_t bits = t->source && word < t->source->word_count ? t->source->words[word] : 0;
    for (uint32_t i = 0; i < t->step_count; i++) {
        uint32_t number = t->steps[i].type->number;
        uint64_t bit =
            number / 64 == word && !t->steps[i].sparse ? UINT64_C(1) << (number % 64) : 0;
        bits = i < t->given_count ? bits | bit : bits & ~bit;
    }
    return bits;
}

static bool has_its_target(const micai_store *store, const micai_transition *t)
{
    uint32_t words = micai_bits_words(store->registry->list.count);
    bool right = true;
    for (uint32_t i = 0; right && i < words; i++) {
        right = target_word(t, i) == (i < t->target->word_count ? t->target->words[i] : 0);
    }
    return right;
}

bool micai_transition_refresh(const micai_store *store, micai_transition *t)
{
    for (uint32_t i = 0; i < t->step_count; i++) {
        make_step(t, t->steps[i].type, true, &t->steps[i]);
    }
    update(store, t);
    return has_its_target(store, t);
}

static void fill_in(const micai_store *store, const wanted *w, const micai_transition *head,
                    micai_transition *t)
{
    memcpy(t, head, sizeof *head);
    for (uint32_t i = 0; i < w->list->count; i++) {
        make_step(t, w->list->types[i], i < w->list->given_count, &t->steps[i]);
    }
    t->copies = find_copies(t);
    plan_copies(t, false);
    update(store, t);
}

static micai_transition *build(micai_store *store, const wanted *w, micai_arena *scratch, bool keep)
{
    micai_transition head = {.key = w->key,
                             .source = w->source,
                             .target = w->target,
                             .kind = (uint8_t)w->kind,
                             .given_count = w->list->given_count,
                             .step_count = w->list->count};
    plan(&(planner){.t = &head});
    micai_transition_map *map = &store->transitions.maps[w->kind];
    if (keep && w->kind >= MICAI_TRANSITION_LIST) {
        drop_excess_list(store, map);
    }
    if (keep && !reserve_place(store, map)) {
        return NULL;
    }
    size_t size = size_of(&head);
    micai_transition *t =
        keep ? micai_alloc(store->host, size, _Alignof(micai_transition))
             : micai_arena_alloc(store->host, scratch, size, _Alignof(micai_transition));
    if (t) {
        fill_in(store, w, &head, t);
    }
    if (t && keep) {
        enter(map, t);
        map->count++;
    }
    return t;
}

static uint64_t key_of(micai_transition_kind kind, const micai_list *list)
{
    uint64_t key = 0;
    if (kind < MICAI_TRANSITION_LIST) {
        return list->types[0]->info.type.bits;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        key = micai_list_key_add(key, list->types[i]->info.type.bits);
    }
    return kind == MICAI_TRANSITION_LIST ? micai_list_key_add(key, list->given_count) : key;
}

static bool is_of(const micai_transition *t, const micai_list *list)
{
    bool same = t->step_count == list->count && t->given_count == list->given_count;
    for (uint32_t i = 0; same && i < list->count; i++) {
        same = t->steps[i].type == list->types[i];
    }
    return same;
}

// Finds the first transition of a key and source, and of a list unless that is NULL, because two
// lists can share a key. Swaps it with the first place, so that hot paths find it. All places
// between are taken, so both are still found.
static micai_transition *seek(micai_transitions *transitions, micai_transition_kind kind,
                              uint64_t key, const micai_table *source, const micai_list *list)
{
    micai_transition_map *map = &transitions->maps[kind];
    const uint32_t mask = count_places(map) - 1;
    const uint32_t first = find_place(map, kind, key, source);
    for (uint32_t place = first; !is_none(map->places[place]); place = (place + 1) & mask) {
        micai_transition *t = map->places[place];
        if (t->key == key && t->source == source && (!list || is_of(t, list))) {
            map->places[place] = map->places[first];
            map->places[first] = t;
            map->last = t;
            return t;
        }
    }
    return NULL;
}

micai_transition *micai_transition_seek(micai_transitions *transitions, micai_transition_kind kind,
                                        uint64_t key, const micai_table *source)
{
    return seek(transitions, kind, key, source, NULL);
}

static micai_transition *find(micai_store *store, micai_transition_kind kind,
                              const micai_table *source, const micai_list *list, uint64_t key)
{
    return seek(&store->transitions, kind, key, source, list);
}

micai_transition *micai_transition_find(micai_store *store, micai_transition_kind kind,
                                        const micai_table *source, const micai_list *list)
{
    return find(store, kind, source, list, key_of(kind, list));
}

static micai_table *find_target_of_one(micai_store *store, const micai_table *source,
                                       const micai_type *type, bool remove)
{
    mica_type_set set = {0};
    mica_result result = micai_store_set_of(store, source, &set);
    if (!result && remove) {
        micai_types_remove(&set, type->number);
    } else if (!result) {
        result = micai_types_add(store->host, &set, type->number);
    }
    micai_table *target = result ? NULL : micai_store_table(store, &set);
    micai_types_free(store->host, &set);
    return target;
}

micai_transition *micai_transition_one(micai_store *store, micai_table *source,
                                       const micai_type *type, bool remove)
{
    micai_transition_kind kind = remove ? MICAI_TRANSITION_REMOVE : MICAI_TRANSITION_ADD;
    const micai_list list = {&type, remove ? 0 : 1, 1};
    const uint64_t key = type->info.type.bits;
    micai_transition *found = find(store, kind, source, &list, key);
    micai_table *target = found ? NULL : find_target_of_one(store, source, type, remove);
    const wanted w = {&list, kind, key, source, target};
    return target ? build(store, &w, NULL, true) : found;
}

// Builds the archetype of a list's target, in scratch memory if it needs more words than are
// inline.
static bool make_target_set(micai_store *store, const micai_table *source, const micai_list *list,
                            micai_arena *scratch, mica_type_set *set)
{
    uint32_t words = micai_bits_words(store->registry->list.count);
    *set = (mica_type_set){
        .more_count = words > MICA_TYPE_SET_INLINE_WORDS ? words - MICA_TYPE_SET_INLINE_WORDS : 0};
    if (set->more_count > 0) {
        set->more = micai_arena_alloc_array(store->host, scratch, set->more_count,
                                            sizeof *set->more, _Alignof(uint64_t));
        if (!set->more) {
            return false;
        }
        memset(set->more, 0, set->more_count * sizeof *set->more);
    }
    for (uint32_t i = 0; source && i < source->word_count; i++) {
        *(i < MICA_TYPE_SET_INLINE_WORDS ? &set->words[i]
                                         : &set->more[i - MICA_TYPE_SET_INLINE_WORDS]) =
            source->words[i];
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const micai_type *type = list->types[i];
        if (type->info.storage == MICA_SPARSE) {
            continue;
        }
        if (i < list->given_count) {
            micai_types_put(set, type->number);
        } else {
            micai_types_remove(set, type->number);
        }
    }
    return true;
}

micai_transition *micai_transition_list(micai_store *store, micai_table *source,
                                        const micai_list *list, micai_arena *scratch, bool pin)
{
    micai_transition_kind kind = source ? MICAI_TRANSITION_LIST : MICAI_TRANSITION_SPAWN;
    const uint64_t key = key_of(kind, list);
    micai_transition *found = find(store, kind, source, list, key);
    if (found) {
        return found;
    }
    micai_arena_mark mark = micai_arena_get_mark(scratch);
    mica_type_set set;
    bool made = make_target_set(store, source, list, scratch, &set);
    micai_table *target = made ? micai_store_table(store, &set) : NULL;
    micai_arena_rewind(scratch, mark);
    const wanted w = {list, kind, key, source, target};
    bool keep = pin || source || (target && micai_table_kept(target) == 0);
    return target ? build(store, &w, scratch, keep) : NULL;
}

// Validation

uint32_t micai_transitions_count_pins(const micai_store *store)
{
    uint32_t pins = 0;
    for (uint32_t k = 0; k < MICAI_TRANSITION_KINDS; k++) {
        FOR_TRANSITIONS(t, &store->transitions.maps[k])
        {
            pins += t->pins;
        }
    }
    return pins;
}

// Plans again and compares: first the counts, which locate the copies.
static bool has_its_copies(micai_transition *t)
{
    micai_transition head = {.source = t->source, .target = t->target};
    plan(&(planner){.t = &head});
    return head.eight_count == t->eight_count && head.strip_count == t->strip_count &&
           head.dropped_count == t->dropped_count && head.careful_count == t->careful_count &&
           head.added_count == t->added_count && head.removed_count == t->removed_count &&
           t->copies == find_copies(t) && plan_copies(t, true);
}

static bool has_its_steps(const micai_store *store, const micai_transition *t)
{
    bool right = t->kind >= MICAI_TRANSITION_LIST || t->step_count == 1;
    right = right && t->given_count <= t->step_count &&
            !t->source == (t->kind == MICAI_TRANSITION_SPAWN);
    for (uint32_t i = 0; right && i < t->step_count; i++) {
        const micai_step *step = &t->steps[i];
        right = micai_registry_contains(store->registry, step->type);
        micai_step again = {0};
        if (right) {
            make_step(t, step->type, i < t->given_count, &again);
        }
        right = right && step->bits == again.bits && step->expected == again.expected &&
                step->column == again.column && step->present == again.present &&
                step->sparse == again.sparse && micai_fill_equal(step->fill, again.fill);
    }
    return right;
}

static bool has_its_key(const micai_transition *t)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < t->step_count; i++) {
        key = micai_list_key_add(key, t->steps[i].bits);
    }
    return t->key == (t->kind == MICAI_TRANSITION_LIST    ? micai_list_key_add(key, t->given_count)
                      : t->kind == MICAI_TRANSITION_SPAWN ? key
                                                          : t->steps->bits);
}

// Returns true if the transition is found at its place, without an empty place before it.
static bool is_in_its_place(const micai_transition_map *map, uint32_t place)
{
    uint32_t mask = count_places(map) - 1;
    uint32_t at = first_place(map, map->places[place]);
    while (at != place && !is_none(map->places[at])) {
        at = (at + 1) & mask;
    }
    return at == place;
}

static bool is_in_map(const micai_transition_map *map, const micai_transition *asked)
{
    bool found = false;
    FOR_TRANSITIONS(t, map)
    {
        found = found || t == asked;
    }
    return found;
}

static const char *find_fault(const micai_store *store, micai_transition_kind kind,
                              micai_transition *t)
{
    if (t->kind != kind || (t->source && !micai_store_knows(store, t->source)) ||
        !micai_store_knows(store, t->target) || !has_its_steps(store, t) || !has_its_key(t) ||
        !has_its_target(store, t) || !has_its_copies(t)) {
        return "G2";
    }
    uint8_t fast_paths = find_fast_paths(store, t);
    bool right = t->fast_paths == fast_paths && t->size == find_size(t, fast_paths);
    return right ? NULL : "G5";
}

mica_result micai_transitions_validate(micai_store *store)
{
    for (uint32_t k = 0; k < MICAI_TRANSITION_KINDS; k++) {
        const micai_transition_map *map = &store->transitions.maps[k];
        uint32_t count = 0;
        for (uint32_t i = 0; i < count_places(map); i++) {
            if (is_none(map->places[i])) {
                continue;
            }
            const char *fault = find_fault(store, (micai_transition_kind)k, map->places[i]);
            if (!fault && !is_in_its_place(map, i)) {
                fault = "G8";
            }
            if (fault) {
                return micai_fail_invariant(store->host, fault,
                                            "transition %" PRIu32 " of kind %" PRIu32 " is wrong",
                                            i, k);
            }
            count++;
        }
        if (!is_none(map->last) && !is_in_map(map, map->last)) {
            return micai_fail_invariant(store->host, "G8", "the last transition is gone");
        }
        if (count != map->count) {
            return micai_fail_invariant(store->host, "G8",
                                        "of %" PRIu32 " transitions, %" PRIu32 " are there",
                                        map->count, count);
        }
    }
    return MICA_OK;
}
