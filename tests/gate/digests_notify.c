// Queries, observers and systems of the digest gate. What they see goes into the hash of the order.
#include "digests.h"

// Queries

typedef struct term_row {
    uint32_t type, access; // access 0 ends a list
} term_row;

static const struct {
    const char *name; // NULL: none, so that images do not have it
    term_row terms[5];
    bool no_entities, no_facets;
} queries[QUERY_COUNT] = {
    [EVERYTHING] = {NULL, {{0}}, false, false},
    [PLACES] = {NULL, {{PLACE, MICA_WRITE}}, false, true},
    [CHANGED] = {"changed", {{STAMPED, MICA_READ | MICA_CHANGED}}, false, false},
    [ADDED] = {"added", {{SPARSE_STAMPED, MICA_READ | MICA_ADDED}}, false, false},
    [MIXED] = {NULL,
               {{PLACE, MICA_READ}, {SPARSE, MICA_WRITE}, {MARK, MICA_WITHOUT}},
               false,
               false},
    [PAIRS] = {NULL, {{SPARSE, MICA_WRITE}, {SPARSE_TWIN, MICA_READ}}, false, false},
    [LISTED] = {NULL,
                {{SPARSE_STAMPED, MICA_READ}, {MARK, MICA_WITH}, {STABLE, MICA_WITHOUT}},
                false,
                false},
    [RINGS] = {NULL, {{RING, MICA_WRITE}}, true, false},
    [SPLITS] = {NULL,
                {{SPLIT, MICA_WRITE}, {STAMPED, MICA_OPTIONAL}, {TAG, MICA_WITHOUT}},
                false,
                false},
    [TOUCHED] = {NULL, {{RING_STAMPED, MICA_WRITE | MICA_TOUCH}}, false, false},
    [OPTIONALS] = {NULL,
                   {{PLACE, MICA_READ},
                    {STABLE, MICA_OPTIONAL_WRITE},
                    {SPLIT, MICA_OPTIONAL},
                    {RING, MICA_OPTIONAL}},
                   false,
                   false},
    [ANY_OF] = {NULL, {{SPARSE, MICA_ANY}, {STABLE, MICA_ANY}, {SPLIT, MICA_ANY}}, false, false},
    [INCLUDES_DISABLED] = {NULL, {{SPLIT, MICA_READ | MICA_INCLUDE_DISABLED}}, false, false},
    [MARKED] = {NULL, {{MARK, MICA_WITH}}, false, false},
    [TAGGED] = {NULL, {{TAG, MICA_WITH}}, false, false},
    [ENABLED] = {NULL, {{STAMPED, MICA_WRITE}}, false, false},
    [STABLES] = {NULL, {{STABLE, MICA_WRITE}, {SPARSE_TAG, MICA_WITHOUT}}, false, false},
};

static mica_query_desc describe_query(const scene *s, uint32_t query)
{
    mica_query_desc desc = {.name = queries[query].name,
                            .everything = query == EVERYTHING,
                            .no_entities = queries[query].no_entities,
                            .no_facets = queries[query].no_facets};
    for (uint32_t i = 0; queries[query].terms[i].access; i++) {
        desc.terms[i] =
            (mica_term){s->types[queries[query].terms[i].type], queries[query].terms[i].access};
    }
    return desc;
}

mica_query digests_query(scene *s, uint32_t query)
{
    if (MICA_IS_NONE(s->queries[query])) {
        mica_query_desc desc = describe_query(s, query);
        s->queries[query] = mica_query_new(s->world, &desc);
    }
    return s->queries[query];
}

// Iterating

static uint64_t add(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static void read_term(digests_seen *to, const mica_iter *it, uint32_t term)
{
    mica_read_fields y = MICA_READ_FIELD(it, term, Pair, y);
    for (uint32_t i = 0; i < it->count; i++) {
        uint64_t value = y.base ? (uint32_t)MICA_READ_IN(y, i, int32_t) : UINT64_MAX;
        to->terms[term] = add(to->terms[term], value);
    }
}

static void write_term(const mica_iter *it, uint32_t term, bool touches)
{
    mica_write_fields y = MICA_WRITE_FIELD(it, term, Pair, y);
    for (uint32_t i = 0; y.base && i < it->count; i++) {
        MICA_WRITE_IN(y, i, int32_t) += 3;
        if (touches && MICA_WRITE_IN(y, i, int32_t) % 3 == 0) {
            mica_touch(it, term, i);
        }
    }
}

static void visit_segment(digests_seen *to, const mica_iter *it, uint32_t query, bool writes)
{
    for (uint32_t i = 0; i < it->count && it->entities; i++) {
        to->entities = add(to->entities, it->entities[i].bits);
    }
    for (uint32_t i = 0; queries[query].terms[i].access; i++) {
        const term_row *term = &queries[query].terms[i];
        uint32_t access = term->access & 0xff;
        if (access == MICA_WITH || access == MICA_WITHOUT) {
            continue;
        }
        read_term(to, it, i);
        if (writes && (access == MICA_WRITE || access == MICA_OPTIONAL_WRITE)) {
            write_term(it, i, term->access & MICA_TOUCH);
        }
    }
}

void digests_note_seen(scene *s, const digests_seen *seen)
{
    digests_note(s, seen->entities);
    for (uint32_t i = 0; i < MICA_TERMS_MAX; i++) {
        digests_note(s, seen->terms[i]);
    }
}

void digests_visit(scene *s, uint32_t query, bool writes)
{
    mica_iter it;
    mica_query found = digests_query(s, query);
    digests_seen to = {0};
    digests_note(s, mica_query_count(s->world, found));
    mica_iter_begin(s->world, found, &it);
    while (mica_iter_next(&it)) {
        visit_segment(&to, &it, query, writes);
    }
    DIGESTS_CHECK(s, mica_iter_end(&it) == MICA_OK);
    digests_note_seen(s, &to);
}

void digests_iterate(scene *s, const step *with)
{
    digests_visit(s, with->what, true);
}

// An operation on every third entity, recorded while these are iterated.
static void operate_later(scene *s, const mica_iter *it, uint32_t operation, uint32_t type)
{
    mica_world *target = s->target;
    s->target = mica_later(it);
    for (uint32_t i = 0; i < it->count && it->entities; i++) {
        if (mica_entity_slot(it->entities[i]) % 3 == 0) {
            digests_operate(s, operation, it->entities[i], type);
        }
    }
    s->target = target;
}

void digests_iterate_later(scene *s, const step *with)
{
    mica_iter it;
    mica_iter_begin(s->world, digests_query(s, with->n), &it);
    while (mica_iter_next(&it)) {
        operate_later(s, &it, with->what, with->type);
    }
    DIGESTS_CHECK(s, mica_iter_end(&it) == MICA_OK);
}

// Observers

enum { NO_TYPE = TYPE_COUNT, NO_QUERY = QUERY_COUNT };

static const struct {
    uint32_t type, query;
    uint32_t events;
} observers[OBSERVER_COUNT] = {
    {NO_TYPE, NO_QUERY, MICA_ON_SPAWN | MICA_ON_DESPAWN},
    {PLACE, NO_QUERY, MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_SET},
    {SPARSE, NO_QUERY, MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_SET},
    {SPARSE_STAMPED, NO_QUERY,
     MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_SET | MICA_ON_ENABLE | MICA_ON_DISABLE},
    {MARK, NO_QUERY, MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_ENABLE | MICA_ON_DISABLE},
    {NO_TYPE, MIXED, MICA_ON_ENTER | MICA_ON_LEAVE},
    {NO_TYPE, LISTED, MICA_ON_ENTER | MICA_ON_LEAVE | MICA_ON_SPAWN | MICA_ON_DESPAWN},
    {STABLE, NO_QUERY, MICA_ON_ADD | MICA_ON_REMOVE},
    {RING, NO_QUERY, MICA_ON_ADD | MICA_ON_REMOVE | MICA_ON_DESPAWN},
    {SPARSE_TWIN, NO_QUERY, MICA_ON_ADD | MICA_ON_REMOVE},
    {BYTES, NO_QUERY, MICA_ON_ADD | MICA_ON_REMOVE},
};

static bool has_pair(const scene *s, const mica_observer_event *h)
{
    uint32_t type = 0;
    while (type < TYPE_COUNT && !MICA_EQUAL(h->type, s->types[type])) {
        type++;
    }
    return h->value && type < TYPE_COUNT && digests_is_pair(type);
}

// Notes what happened. Entities that get a stable component get a tag with it, and lose it with it.
static void notice(const mica_observer_event *h)
{
    scene *s = h->user;
    digests_note(s, h->kind);
    digests_note(s, h->entity.bits);
    digests_note(s, has_pair(s, h) ? (uint64_t)((const Pair *)h->value)->y : 0);
    if (MICA_EQUAL(h->type, s->types[STABLE])) {
        if (h->kind == MICA_ON_ADD) {
            mica_add(h->later, h->entity, s->types[SPARSE_TAG]);
        } else {
            mica_remove(h->later, h->entity, s->types[SPARSE_TAG]);
        }
    }
}

void digests_create_observers(scene *s, uint32_t set)
{
    for (uint32_t i = 0; i < OBSERVER_COUNT; i++) {
        mica_observer_desc desc = {.events = observers[i].events, .call = notice, .user = s};
        if (observers[i].type != NO_TYPE) {
            desc.type = s->types[observers[i].type];
        }
        if (observers[i].query != NO_QUERY) {
            desc.query = describe_query(s, observers[i].query);
        }
        if (set >> i & 1) {
            s->observers[i] = mica_observer_new(s->world, &desc);
        }
    }
}

void digests_observe(scene *s, const step *with)
{
    digests_create_observers(s, with->what & ~s->observed);
    s->observed |= with->what;
}

void digests_unobserve(scene *s, const step *with)
{
    (void)with;
    for (uint32_t i = 0; i < OBSERVER_COUNT; i++) {
        if (s->observed >> i & 1) {
            mica_observer_free(s->world, s->observers[i]);
        }
    }
    s->observed = 0;
}

// Systems

static void move_places(mica_iter *it)
{
    visit_segment(&((scene *)it->user)->systems, it, PLACES, true);
}

static void watch(mica_iter *it)
{
    visit_segment(&((scene *)it->user)->systems, it, CHANGED, false);
}

static void spread(mica_iter *it)
{
    operate_later(it->user, it, SET_VALUE, SPARSE_TWIN);
}

static void churn(mica_iter *it)
{
    scene *s = it->user;
    operate_later(s, it, s->number++ % 2 ? CLONE : DESPAWN, PLACE);
    operate_later(s, it, REMOVE_SEVERAL, RING);
}

static void count_up(mica_iter *it)
{
    scene *s = it->user;
    Pair *score = mica_resource_get_mut(it->world, s->score);
    if (score) {
        score->y++;
    }
    mica_send(it->world, MICA_VALUE(s->score, Pair, it->dt, score ? score->y : 0));
}

static void listen(mica_iter *it)
{
    scene *s = it->user;
    uint32_t count;
    for (const Pair *events; (events = mica_events(it->world, s->score, &s->cursor, &count));) {
        for (uint32_t i = 0; i < count; i++) {
            digests_note(s, (uint64_t)events[i].y);
        }
    }
}

void digests_create_systems(scene *s)
{
    mica_phase update = mica_phase_find(s->world, "update");
    mica_phase physics = mica_phase_add(
        s->world, &(mica_phase_desc){.name = "physics", .fixed_dt = 0.375, .before = update});
    const mica_system_desc systems[] = {
        {.name = "move",
         .update = move_places,
         .query = describe_query(s, PLACES),
         .phase = physics},
        {.name = "watch", .update = watch, .query = describe_query(s, CHANGED)},
        {.name = "spread", .update = spread, .query = describe_query(s, STABLES)},
        {.name = "churn", .update = churn, .query = describe_query(s, MIXED), .replay_first = true},
        {.name = "count",
         .update = count_up,
         .phase = physics,
         .resources = {{s->score, MICA_WRITE}},
         .events = {{s->score, MICA_WRITE}}},
        {.name = "listen", .update = listen, .events = {{s->score, MICA_READ}}},
    };
    for (uint32_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        mica_system_desc desc = systems[i];
        desc.user = s;
        mica_system_add(s->world, &desc);
    }
}

void digests_add_systems(scene *s, const step *with)
{
    (void)with;
    if (!s->has_systems) {
        s->has_systems = true;
        digests_create_systems(s);
    }
}

void digests_run_frames(scene *s, const step *with)
{
    for (uint32_t i = 0; i < with->n; i++) {
        mica_step(s->world, 0.25);
    }
}
