#include "model/model.h"

#include <string.h>

#include <mica/detail/view.h>

void model_begin(model *m, uint32_t limit, model_abilities can)
{
    memset(m, 0, sizeof *m);
    m->limit = limit;
    m->can = can;
    m->clock = 1;
}

uint32_t model_default(uint32_t type)
{
    return type == WATCHED ? 7 : type == WORD ? 5 : 0;
}

bool model_is_tag(uint32_t type)
{
    return type == MARK || type == BADGE;
}

mica_entity model_handle(const model *m, uint32_t slot)
{
    return mica_entity_make(slot, m->slots[slot].generation);
}

uint32_t model_count(const model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->limit; i++) {
        count += m->slots[i].state == MODEL_ALIVE;
    }
    return count;
}

bool model_is_open(const model *m)
{
    for (uint32_t i = 0; i < MODEL_WALKS; i++) {
        if (m->walks[i].open) {
            return true;
        }
    }
    return false;
}

model_slot *model_find(model *m, mica_entity entity)
{
    uint32_t slot = mica_entity_slot(entity);
    bool found = !MICA_IS_NONE(entity) && slot < m->limit && m->slots[slot].state == MODEL_ALIVE &&
                 MICA_EQUAL(model_handle(m, slot), entity);
    return found ? &m->slots[slot] : NULL;
}

mica_entity model_pick(const model *m, uint32_t which)
{
    uint32_t count = model_count(m);
    which = count > 0 ? which % count : 0;
    for (uint32_t i = 0; i < m->limit; i++) {
        if (m->slots[i].state == MODEL_ALIVE && which-- == 0) {
            return model_handle(m, i);
        }
    }
    return (mica_entity){0};
}

// Coming

mica_result model_room(const model *m, uint32_t count)
{
    uint32_t room = m->freed_count;
    for (uint32_t i = 0; i < m->limit; i++) {
        room += m->slots[i].state == MODEL_VIRGIN;
    }
    return count <= room ? MICA_OK : MICA_ERROR_LIMIT;
}

static void change(const model *m, model_slot *slot, uint32_t type)
{
    slot->changed[type] = slot->maybe[type] = m->clock;
}

static void apply(const model *m, model_slot *slot, const model_edit *edit)
{
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        bool comes = (edit->with >> t & 1) && !(slot->types >> t & 1);
        if (comes || ((edit->given >> t & 1) && !model_is_tag(t))) {
            change(m, slot, t);
        }
        slot->added[t] = comes ? m->clock : slot->added[t];
        if (edit->given >> t & 1) {
            slot->values[t] = edit->values[t];
        } else if ((edit->with >> t & 1) && !(slot->types >> t & 1)) {
            slot->values[t] = model_default(t);
        }
    }
    slot->types = (slot->types | edit->with) & ~edit->without;
    slot->off &= slot->types; // who comes again is enabled
    if (edit->gives) {
        slot->owned = edit->assignment;
    }
    slot->owns = (slot->owns || edit->gives) && !edit->takes;
}

static uint32_t next_slot(model *m)
{
    if (m->freed_count > 0) {
        return m->freed[--m->freed_count];
    }
    uint32_t slot = 0;
    while (m->slots[slot].state != MODEL_VIRGIN) {
        slot++;
    }
    return slot;
}

static void come(model *m, uint32_t slot, outcome *want)
{
    model_slot *new = &m->slots[slot];
    *new = (model_slot){.state = MODEL_ALIVE, .generation = new->generation};
    want->entities[want->count++] = model_handle(m, slot);
}

mica_result model_spawn(model *m, const model_edit *edit, outcome *want)
{
    mica_result result = model_is_open(m) ? MICA_ERROR_ITERATING
                         : edit->wrong    ? MICA_ERROR_ARGUMENT
                                          : model_room(m, 1);
    if (!result) {
        uint32_t slot = next_slot(m);
        come(m, slot, want);
        apply(m, &m->slots[slot], edit);
    }
    return result;
}

mica_result model_spawn_at(model *m, mica_entity entity, outcome *want)
{
    if (model_is_open(m)) {
        return MICA_ERROR_ITERATING;
    }
    uint32_t slot = mica_entity_slot(entity);
    uint32_t generation = mica_entity_generation(entity);
    if (MICA_IS_NONE(entity) || generation > MICA_GENERATION_LAST) {
        return MICA_ERROR_ENTITY;
    }
    if (slot >= m->limit) {
        return MICA_ERROR_LIMIT;
    }
    model_slot *taken = &m->slots[slot];
    if (taken->state == MODEL_ALIVE || taken->state == MODEL_RETIRED ||
        generation < taken->generation) {
        return MICA_ERROR_OCCUPIED;
    }
    for (uint32_t i = 0; i < m->freed_count; i++) {
        if (m->freed[i] == slot) {
            memmove(&m->freed[i], &m->freed[i + 1], (--m->freed_count - i) * sizeof m->freed[0]);
        }
    }
    taken->generation = generation;
    come(m, slot, want);
    return MICA_OK;
}

mica_result model_clone(model *m, mica_entity entity, outcome *want)
{
    const model_slot *found = model_find(m, entity);
    if (!found) {
        return MICA_ERROR_ENTITY;
    }
    if (found->owns && !m->can.plain && !model_is_open(m)) {
        return MICA_ERROR_HOOK;
    }
    uint32_t off = found->off;
    model_edit edit = {.with = found->types,
                       .given = found->types,
                       .gives = found->owns,
                       .assignment = found->owned};
    memcpy(edit.values, found->values, sizeof edit.values);
    mica_result result = model_spawn(m, &edit, want);
    if (!result) {
        model_find(m, want->entities[want->count - 1])->off = off;
    }
    return result;
}

// Going

static void go(model *m, uint32_t slot)
{
    model_slot *gone = &m->slots[slot];
    if (gone->generation == MICA_GENERATION_LAST) {
        gone->state = MODEL_RETIRED;
        return;
    }
    gone->state = MODEL_FREE;
    gone->generation++;
    m->freed[m->freed_count++] = slot;
}

// Its facets first.
static void end(model *m, uint32_t slot)
{
    uint32_t facets[MODEL_SLOTS];
    uint32_t count = model_list_facets(m, model_handle(m, slot), facets);
    for (uint32_t i = 0; i < count; i++) {
        go(m, facets[i]);
    }
    go(m, slot);
}

// Somebody to be

mica_entity model_pend(model *m)
{
    uint32_t slot = next_slot(m);
    m->slots[slot].state = MODEL_PENDING;
    return model_handle(m, slot);
}

bool model_is_pending(const model *m, mica_entity entity)
{
    uint32_t slot = mica_entity_slot(entity);
    return !MICA_IS_NONE(entity) && slot < m->limit && m->slots[slot].state == MODEL_PENDING &&
           MICA_EQUAL(model_handle(m, slot), entity);
}

void model_settle(model *m, mica_entity entity, const model_edit *edit)
{
    outcome made = {.count = 0};
    come(m, mica_entity_slot(entity), &made);
    apply(m, &m->slots[mica_entity_slot(entity)], edit);
}

void model_pass(model *m, mica_entity entity)
{
    go(m, mica_entity_slot(entity));
}

mica_result model_despawn(model *m, const mica_entity *entities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!model_find(m, entities[i])) {
            return MICA_ERROR_ENTITY;
        }
    }
    if (model_is_open(m)) {
        return MICA_ERROR_ITERATING;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (model_find(m, entities[i])) {
            end(m, mica_entity_slot(entities[i]));
        }
    }
    return MICA_OK;
}

mica_result model_clear(model *m)
{
    if (model_is_open(m)) {
        return MICA_ERROR_ITERATING;
    }
    for (uint32_t i = 0; i < m->limit; i++) {
        if (m->slots[i].state == MODEL_ALIVE) {
            go(m, i);
        }
    }
    return MICA_OK;
}

// Slots of pages in which nobody lives, and none is retired, are as if never used, but for the
// generation: the highest that is next in one of them.
static void reclaim_page(model *m, uint32_t first, uint32_t end)
{
    uint32_t floor = 0;
    for (uint32_t i = first; i < end; i++) {
        if (m->slots[i].state == MODEL_ALIVE || m->slots[i].state == MODEL_RETIRED) {
            return;
        }
        floor = m->slots[i].generation > floor ? m->slots[i].generation : floor;
    }
    for (uint32_t i = first; i < end; i++) {
        m->slots[i] = (model_slot){.state = MODEL_VIRGIN, .generation = floor};
    }
}

mica_result model_reclaim(model *m)
{
    if (model_is_open(m)) {
        return MICA_ERROR_ITERATING;
    }
    uint32_t size = 1u << MICA_VIEW_SLOT_SHIFT;
    for (uint32_t first = 0; first < MODEL_SLOTS; first += size) {
        reclaim_page(m, first, first + size < MODEL_SLOTS ? first + size : MODEL_SLOTS);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->freed_count; i++) {
        if (m->slots[m->freed[i]].state == MODEL_FREE) {
            m->freed[kept++] = m->freed[i];
        }
    }
    m->freed_count = kept;
    return MICA_OK;
}

// Changing

static bool names(const model_query *query, uint32_t type)
{
    for (uint32_t i = 0; i < query->count; i++) {
        if (query->types[i] == type) {
            return true;
        }
    }
    return false;
}

static bool is_grouped(const model *m, uint32_t type)
{
    bool found = false;
    for (uint32_t i = 0; i < MODEL_GROUPS; i++) {
        const model_group *group = &m->groups[i];
        uint32_t all = group->owned | group->also | group->without;
        found = found || (group->exists && (all >> type & 1));
    }
    return found;
}

// Types that come and go also while something is iterated: sparse tags that no open iteration names
// and no group has.
static uint32_t free_tags(const model *m)
{
    uint32_t tags = 0;
    for (uint32_t t = 0; t < MODEL_TYPES; t++) {
        bool free = model_is_tag(t) && (m->can.sparse >> t & 1);
        for (uint32_t i = 0; i < MODEL_WALKS; i++) {
            free = free && !(m->walks[i].open && names(&m->queries[m->walks[i].query], t));
        }
        tags |= (uint32_t)(free && !is_grouped(m, t)) << t;
    }
    return tags;
}

mica_result model_change(model *m, mica_entity entity, const model_edit *edit)
{
    model_slot *slot = model_find(m, entity);
    if (!slot) {
        return MICA_ERROR_ENTITY;
    }
    if (edit->wrong || (edit->with & edit->without)) {
        return MICA_ERROR_ARGUMENT;
    }
    uint32_t changes = (edit->with & ~slot->types) | (edit->without & slot->types);
    bool moves = (edit->gives && !slot->owns) || (edit->takes && slot->owns);
    if (model_is_open(m) && (moves || (changes & ~free_tags(m)))) {
        return MICA_ERROR_ITERATING;
    }
    apply(m, slot, edit);
    return MICA_OK;
}

mica_result model_name(model *m, mica_entity entity, uint32_t name)
{
    model_slot *slot = model_find(m, entity);
    if (!slot) {
        return MICA_ERROR_ENTITY;
    }
    for (uint32_t i = 0; name && i < m->limit; i++) {
        const model_slot *other = &m->slots[i];
        if (other != slot && other->state == MODEL_ALIVE && other->name == name) {
            return MICA_ERROR_NAME;
        }
    }
    slot->name = name;
    return MICA_OK;
}

// Facets

bool model_is_facet(const model_slot *slot)
{
    return slot->state == MODEL_ALIVE && !MICA_IS_NONE(slot->owner);
}

uint32_t model_count_facets(const model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->limit; i++) {
        count += model_is_facet(&m->slots[i]);
    }
    return count;
}

// In the order in which they were made: each time the first of those behind the last.
uint32_t model_list_facets(const model *m, mica_entity owner, uint32_t slots_out[MODEL_SLOTS])
{
    uint32_t count = 0;
    uint32_t last = 0;
    for (uint32_t next = 0; next < m->limit;) {
        next = m->limit;
        for (uint32_t i = 0; i < m->limit; i++) {
            const model_slot *slot = &m->slots[i];
            if (model_is_facet(slot) && MICA_EQUAL(slot->owner, owner) && slot->made > last &&
                (next == m->limit || slot->made < m->slots[next].made)) {
                next = i;
            }
        }
        if (next < m->limit) {
            slots_out[count++] = next;
            last = m->slots[next].made;
        }
    }
    return count;
}

// NULL: it is none, or dead.
static const model_slot *find_facet(const model *m, mica_entity entity)
{
    uint32_t slot = mica_entity_slot(entity);
    bool found = !MICA_IS_NONE(entity) && slot < m->limit && model_is_facet(&m->slots[slot]) &&
                 MICA_EQUAL(model_handle(m, slot), entity);
    return found ? &m->slots[slot] : NULL;
}

mica_entity model_facet_owner(const model *m, mica_entity entity)
{
    const model_slot *facet = find_facet(m, entity);
    return facet ? facet->owner : entity;
}

model_label model_facet_label(const model *m, mica_entity entity)
{
    const model_slot *facet = find_facet(m, entity);
    return facet ? facet->label : (model_label){MODEL_TYPES, 0};
}

static bool is_main(model_label label)
{
    return label.component == MODEL_TYPES && label.role == 0;
}

mica_entity model_facet_find(const model *m, mica_entity owner, model_label label)
{
    for (uint32_t i = 0; i < m->limit; i++) {
        const model_slot *slot = &m->slots[i];
        if (model_is_facet(slot) && MICA_EQUAL(slot->owner, owner) &&
            slot->label.component == label.component && slot->label.role == label.role) {
            return model_handle(m, i);
        }
    }
    return is_main(label) ? owner : (mica_entity){0};
}

mica_result model_check_label(const model *m, mica_entity owner, model_label label)
{
    return find_facet(m, owner)                              ? MICA_ERROR_ARGUMENT
           : MICA_IS_NONE(model_facet_find(m, owner, label)) ? MICA_OK
                                                             : MICA_ERROR_KEY;
}

static void belong(model *m, mica_entity facet, mica_entity owner, model_label label)
{
    model_slot *slot = model_find(m, facet);
    slot->owner = owner;
    slot->label = label;
    slot->made = ++m->extended;
}

mica_result model_extend(model *m, mica_entity owner, model_label label, const model_edit *edit,
                         outcome *want)
{
    mica_result result = !model_find(m, owner) ? MICA_ERROR_ENTITY
                         : model_is_open(m)    ? MICA_ERROR_ITERATING
                                               : model_check_label(m, owner, label);
    result = result ? result : model_spawn(m, edit, want);
    if (!result) {
        belong(m, want->entities[want->count - 1], owner, label);
    }
    return result;
}

void model_settle_facet(model *m, mica_entity entity, mica_entity owner, model_label label,
                        const model_edit *edit)
{
    model_settle(m, entity, edit);
    belong(m, entity, owner, label);
}

// Storages

bool model_can_split(uint32_t type)
{
    return type == WORD || type == LONG || type == TRIPLE || type == WIDE;
}

void model_put(model_abilities *can, uint32_t type, mica_storage storage)
{
    uint32_t bit = UINT32_C(1) << type;
    can->kept[type] = storage;
    can->sparse = (can->sparse & ~bit) | (storage == MICA_SPARSE ? bit : 0);
    can->split = (can->split & ~bit) | (storage == MICA_SPLIT ? bit : 0);
}

mica_result model_keep(model *m, uint32_t type, mica_storage storage)
{
    bool stays = m->can.kept[type] == storage;
    mica_result result = model_is_open(m)            ? MICA_ERROR_ITERATING
                         : model_is_tag(type)        ? MICA_ERROR_ARGUMENT
                         : stays                     ? MICA_OK
                         : m->can.stable >> type & 1 ? MICA_ERROR_STORAGE
                         : is_grouped(m, type)       ? MICA_ERROR_OWNED
                         : storage != MICA_SPLIT     ? MICA_OK
                         : model_can_split(type)     ? MICA_OK
                                                     : MICA_ERROR_ARGUMENT;
    if (!result) {
        model_put(&m->can, type, storage);
    }
    return result;
}

// Toggling

static void toggle(model *m, uint32_t slot, uint32_t type, bool off)
{
    uint32_t bit = UINT32_C(1) << type;
    if ((m->slots[slot].off >> type & 1) != off) {
        change(m, &m->slots[slot], type);
    }
    m->slots[slot].off = (m->slots[slot].off & ~bit) | (off ? bit : 0);
    for (uint32_t i = 0; i < MODEL_WALKS; i++) {
        m->walks[i].unsure[slot] = true;
    }
}

mica_result model_toggle(model *m, mica_entity entity, uint32_t type, bool off)
{
    const model_slot *slot = model_find(m, entity);
    if (!slot) {
        return MICA_ERROR_ENTITY;
    }
    if (!(m->can.toggle & slot->types & UINT32_C(1) << type)) {
        return MICA_ERROR_ARGUMENT;
    }
    toggle(m, mica_entity_slot(entity), type, off);
    return MICA_OK;
}

mica_result model_toggle_matching(model *m, uint32_t query, uint32_t type, bool off, outcome *want)
{
    if (!m->queries[query].exists) {
        return MICA_ERROR_QUERY;
    }
    if (!(m->can.toggle >> type & 1)) {
        return MICA_ERROR_ARGUMENT;
    }
    bool matching[MODEL_SLOTS];
    for (uint32_t i = 0; i < m->limit; i++) {
        matching[i] = model_matches(&m->queries[query], &m->slots[i]);
        want->changed += matching[i];
    }
    for (uint32_t i = 0; i < m->limit; i++) {
        if (matching[i] && (m->slots[i].types >> type & 1)) {
            toggle(m, i, type, off);
        }
    }
    return MICA_OK;
}

// Queries

bool model_shows(const model_query *query, uint32_t term, const model_slot *slot)
{
    uint32_t there = query->even[term] ? slot->types : slot->types & ~slot->off;
    return there >> query->types[term] & 1;
}

bool model_matches(const model_query *query, const model_slot *slot)
{
    bool any = false;
    bool any_asked = false;
    for (uint32_t i = 0; i < query->count; i++) {
        bool has = model_shows(query, i, slot);
        switch (query->accesses[i]) {
        case MICA_READ:
        case MICA_WRITE:
        case MICA_WITH:
            if (!has) {
                return false;
            }
            break;
        case MICA_WITHOUT:
            if (has) {
                return false;
            }
            break;
        case MICA_ANY:
            any_asked = true;
            any = any || has;
            break;
        default: break;
        }
    }
    return slot->state == MODEL_ALIVE && (any || !any_asked) &&
           !(query->no_facets && model_is_facet(slot));
}

uint32_t model_count_matching(const model *m, uint32_t query)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->limit; i++) {
        count += model_matches(&m->queries[query], &m->slots[i]);
    }
    return count;
}

static mica_result check_query(const model *m, uint32_t query)
{
    return model_is_open(m)            ? MICA_ERROR_ITERATING
           : !m->queries[query].exists ? MICA_ERROR_QUERY
                                       : MICA_OK;
}

mica_result model_change_matching(model *m, uint32_t query, const model_edit *edit, outcome *want)
{
    mica_result result = check_query(m, query);
    for (uint32_t i = 0; !result && i < m->limit; i++) {
        if (model_matches(&m->queries[query], &m->slots[i])) {
            apply(m, &m->slots[i], edit);
            want->changed++;
        }
    }
    return result;
}

mica_result model_despawn_matching(model *m, uint32_t query, const outcome *order, outcome *want)
{
    mica_result result = check_query(m, query);
    if (!result) {
        want->changed = model_count_matching(m, query);
    }
    for (uint32_t i = 0; !result && i < order->count; i++) {
        const model_slot *slot = model_find(m, order->entities[i]);
        if (slot && model_matches(&m->queries[query], slot)) {
            want->entities[want->count++] = order->entities[i];
        }
    }
    for (uint32_t i = 0; i < want->count; i++) {
        if (model_find(m, want->entities[i])) { // else it went with its owner
            end(m, mica_entity_slot(want->entities[i]));
        }
    }
    return result;
}

uint32_t model_written(uint32_t number, uint32_t slot)
{
    return number + 3 * slot;
}

// News

static bool is_written(const model_query *query, uint32_t term)
{
    mica_access access = query->accesses[term];
    return !model_is_tag(query->types[term]) &&
           (access == MICA_WRITE || access == MICA_OPTIONAL_WRITE);
}

bool model_has_news(const model *m, const model_slot *slot, uint32_t type, uint32_t added)
{
    uint32_t when = added ? slot->added[type] : slot->changed[type];
    return slot->state == MODEL_ALIVE && (slot->types >> type & 1) && when > m->since[type][added];
}

bool model_may_show(const model *m, const model_slot *slot, uint32_t type, uint32_t added)
{
    uint32_t again = slot->again[type] > slot->added[type] ? slot->again[type] : slot->added[type];
    uint32_t when = added ? again : slot->maybe[type];
    return slot->state == MODEL_ALIVE && (slot->types >> type & 1) &&
           (!(m->can.exact >> type & 1) || when > m->since[type][added]);
}

// Inside of an iteration that may still write, time stands still.
void model_mark(model *m, uint32_t type, uint32_t added)
{
    bool writes = false;
    for (uint32_t i = 0; i < MODEL_WALKS; i++) {
        const model_query *query = &m->queries[m->walks[i].query];
        for (uint32_t k = 0; m->walks[i].open && k < query->count; k++) {
            writes = writes || is_written(query, k);
        }
    }
    m->since[type][added] = writes ? m->clock - 1 : m->clock;
    m->clock += !writes;
}

void model_hand_out(model *m, uint32_t query)
{
    const model_query *terms = &m->queries[query];
    for (uint32_t i = 0; terms->exists && i < m->limit; i++) {
        for (uint32_t k = 0; k < terms->count; k++) {
            if (is_written(terms, k) && model_matches(terms, &m->slots[i])) {
                m->slots[i].maybe[terms->types[k]] = m->clock;
            }
        }
    }
}

void model_blur(model *m, const model *before)
{
    for (uint32_t i = 0; i < m->limit; i++) {
        const model_slot *was = &before->slots[i];
        model_slot *is = &m->slots[i];
        bool same = was->state == MODEL_ALIVE && is->state == MODEL_ALIVE &&
                    was->generation == is->generation;
        for (uint32_t t = 0; same && t < MODEL_TYPES; t++) {
            if (!(was->types & is->types & UINT32_C(1) << t)) {
                continue;
            }
            bool differs = (!model_is_tag(t) && was->values[t] != is->values[t]) ||
                           ((was->off ^ is->off) >> t & 1);
            is->changed[t] = differs ? is->changed[t] : was->changed[t];
            is->again[t] = is->added[t] != was->added[t] ? is->added[t] : is->again[t];
            is->added[t] = was->added[t];
        }
    }
}

bool model_meet(model *m, uint32_t query, const outcome *met, bool *seen, uint32_t written,
                uint32_t number)
{
    const model_query *terms = &m->queries[query];
    for (uint32_t i = 0; i < met->count; i++) {
        model_slot *slot = model_find(m, met->entities[i]);
        uint32_t at = mica_entity_slot(met->entities[i]);
        if (!slot || !model_matches(terms, slot) || seen[at]) {
            return false;
        }
        seen[at] = true;
        for (uint32_t k = 0; k < terms->count; k++) {
            uint32_t type = terms->types[k];
            if (!is_written(terms, k) || !model_shows(terms, k, slot)) {
                continue;
            }
            slot->maybe[type] = m->clock;
            if (written >> type & 1) {
                slot->values[type] = model_written(number, at);
                change(m, slot, type);
            }
        }
    }
    return true;
}

// Groups

uint32_t model_owner(const model *m, uint32_t type)
{
    uint32_t which = 0;
    while (which < MODEL_GROUPS &&
           !(m->groups[which].exists && (m->groups[which].owned >> type & 1))) {
        which++;
    }
    return which;
}

static bool is_several(uint32_t types)
{
    return types & (types - 1);
}

mica_result model_group_new(model *m, uint32_t which, const model_group *group)
{
    uint32_t all = group->owned | group->also | group->without;
    m->groups[which].exists = false;
    for (uint32_t k = 0; k < MODEL_TYPES; k++) {
        uint32_t type = (group->first + k) % MODEL_TYPES;
        if (!(group->owned >> type & 1)) {
            continue;
        }
        if (!((m->can.sparse & ~m->can.stable) >> type & 1)) {
            return MICA_ERROR_ARGUMENT;
        }
        if (model_owner(m, type) < MODEL_GROUPS) {
            return MICA_ERROR_OWNED;
        }
    }
    if (all & ~m->can.sparse) {
        return MICA_ERROR_ARGUMENT;
    }
    if (!(group->owned | group->also) || !is_several(all)) {
        return MICA_ERROR_TERMS;
    }
    m->groups[which] = *group;
    m->groups[which].exists = true;
    return MICA_OK;
}

mica_result model_group_free(model *m, uint32_t which)
{
    mica_result result = model_is_open(m)           ? MICA_ERROR_ITERATING
                         : !m->groups[which].exists ? MICA_ERROR_GROUP
                                                    : MICA_OK;
    m->groups[which].exists = m->groups[which].exists && result;
    return result;
}

bool model_is_member(const model_group *group, const model_slot *slot)
{
    uint32_t needed = group->owned | group->also;
    return slot->state == MODEL_ALIVE && (slot->types & needed) == needed &&
           !(slot->types & group->without);
}

// Sorting

uint32_t model_key(const model_order *order, uint32_t number)
{
    uint32_t key = (number & 255) % order->modulus;
    return order->down ? order->modulus - 1 - key : key;
}

static uint32_t key_of(model *m, const model_order *order, mica_entity entity)
{
    const model_slot *slot = model_find(m, entity);
    uint32_t number = !slot                       ? 0
                      : model_is_tag(order->type) ? mica_entity_slot(entity)
                                                  : slot->values[order->type];
    return model_key(order, number);
}

// Those of the smallest key first, and so on: so equal ones stay as they are.
void model_sort(model *m, const model_order *order, const outcome *got, outcome *want)
{
    for (uint32_t key = 0; key < order->modulus; key++) {
        for (uint32_t i = 0; i < got->before_count; i++) {
            if (key_of(m, order, got->before[i]) == key) {
                want->entities[want->count++] = got->before[i];
            }
        }
    }
}

static bool is_among(mica_entity entity, const mica_entity *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (MICA_EQUAL(list[i], entity)) {
            return true;
        }
    }
    return false;
}

void model_sort_like(const outcome *got, outcome *want)
{
    for (uint32_t i = 0; i < got->like_count; i++) {
        if (is_among(got->like[i], got->before, got->before_count)) {
            want->entities[want->count++] = got->like[i];
        }
    }
    for (uint32_t i = 0; i < got->before_count; i++) {
        if (!is_among(got->before[i], got->like, got->like_count)) {
            want->entities[want->count++] = got->before[i];
        }
    }
}
