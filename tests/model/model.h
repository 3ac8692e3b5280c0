// What a world should do, written down as plainly as possible: an array of slots, a bit per component,
// a number per value. Shares nothing with src/ but the public types. Everything is O(slots).
//
// A value is a number; how it becomes the bytes of a component is the business of whoever compares.
#ifndef TEST_MODEL_MODEL_H
#define TEST_MODEL_MODEL_H

#include <mica.h>

enum {
    MODEL_SLOTS = 128,
    MODEL_NAMES = 12,
    MODEL_QUERIES = 4,
    MODEL_BUNDLES = 3,
    MODEL_GROUPS = 3,
    MODEL_WALKS = 3,
    MODEL_CURSORS = 3, // of a kind; the last has a name
    MODEL_NAMED_CURSOR = MODEL_CURSORS - 1,
    MODEL_EVENTS = 256
};

// The types: of 1, 4, 8, 12, 24 (with hooks) and 40 bytes, and two tags; and beside them the one whose values
// cannot be copied.
enum {
    BYTE,
    WORD,
    LONG,
    TRIPLE,
    WATCHED,
    WIDE,
    MARK,
    BADGE,
    MODEL_TYPES,
    MODEL_OWNED = MODEL_TYPES
};

typedef enum model_state {
    MODEL_VIRGIN,
    MODEL_ALIVE,
    MODEL_FREE,
    MODEL_RETIRED,
    MODEL_PENDING // taken for somebody whom a command will spawn
} model_state;

// The key of a facet: a component, or MODEL_TYPES, which is none, and a role. That of a main row is
// (MODEL_TYPES, 0).
typedef struct model_label {
    uint32_t component;
    uint32_t role;
} model_label;

typedef struct model_slot {
    model_state state;
    uint32_t generation; // of who lives here, or will live here next
    uint32_t types;      // bit per type
    uint32_t off;        // those of them that are disabled
    uint32_t name;       // 1 to MODEL_NAMES; 0: none
    uint32_t values[MODEL_TYPES];
    uint32_t changed[MODEL_TYPES]; // when, by the clock
    uint32_t maybe
        [MODEL_TYPES]; // no later than this: whether what was handed out and not asked for counts
                       // as changed depends on how values lie
    uint32_t added[MODEL_TYPES];
    uint32_t again
        [MODEL_TYPES]; // perhaps: it was removed and set by commands, of which the net effect counts
    bool owns;         // a value that cannot be copied, beside those of the types
    uint32_t owned;    // its number
    mica_entity owner; // whose facet it is; none: nobody's
    model_label label; // its key
    uint32_t made;     // facets of one owner are in this order
} model_slot;

typedef struct model_query {
    bool exists;
    uint32_t count;
    uint32_t types[MODEL_TYPES];
    mica_access accesses[MODEL_TYPES];
    bool even[MODEL_TYPES]; // where it is disabled, too
    bool no_facets;
} model_query;

typedef struct model_bundle {
    bool exists;
    uint32_t count;
    uint32_t types[MODEL_TYPES];
} model_bundle;

// The types of a group: bit per type.
typedef struct model_group {
    bool exists;
    uint32_t first; // the type that its lists begin with
    uint32_t owned;
    uint32_t also;
    uint32_t without;
} model_group;

// An iteration that is open.
typedef struct model_walk {
    bool open;
    uint32_t query;
    bool seen[MODEL_SLOTS];
    bool unsure[MODEL_SLOTS]; // toggled meanwhile: whether they had been passed, the library knows
} model_walk;

// Events of two of the types: one that is nothing but bytes, one with hooks.
enum { MODEL_PLAIN_EVENT, MODEL_WATCHED_EVENT, MODEL_EVENT_KINDS };

typedef struct model_event {
    uint32_t number; // its value
    uint32_t frame;  // in which it was sent
    bool made;       // of what waits: it is a value already, no default to be
} model_event;

// Those that can be read, and those that are recorded and wait for the iterations that are open.
typedef struct model_queue {
    uint32_t sent; // ever
    uint32_t count, waiting_count;
    model_event events[MODEL_EVENTS]; // the last ones that were sent
    model_event waiting[MODEL_EVENTS];
} model_queue;

typedef struct model_cursor {
    bool began;
    uint32_t next; // of all that were ever sent
    uint32_t missed;
} model_cursor;

// What an observer records when a type has come to somebody: another is set, or goes.
typedef struct model_reaction {
    bool on;
    uint32_t type;
    uint32_t other;
    uint32_t number;
    bool removes;
    uint32_t owed[MODEL_SLOTS]; // how often it was recorded, and not carried out yet
} model_reaction;

// Resources, of some of the types: with a default of their own, with hooks, large ones.
enum { MODEL_RESOURCES = 3 };

typedef struct model_resource {
    bool exists;
    uint32_t number;
} model_resource;

// What types can do, bit per type: mistakes depend on it, and nothing else.
typedef struct model_abilities {
    uint32_t sparse; // can be in groups and sorted
    uint32_t stable; // of these: cannot
    uint32_t toggle;
    uint32_t split; // cannot be pointed to
    uint32_t exact; // have row stamps
    bool plain;     // no type has hooks
    mica_storage kept[MODEL_TYPES + 1];
} model_abilities;

typedef struct model {
    uint32_t limit; // of slots
    model_abilities can;
    model_slot slots[MODEL_SLOTS];
    uint32_t freed[MODEL_SLOTS]; // the last one is used next
    uint32_t freed_count;
    uint32_t extended; // how often
    model_query queries[MODEL_QUERIES];
    model_bundle bundles[MODEL_BUNDLES];
    model_group groups[MODEL_GROUPS];
    model_walk walks[MODEL_WALKS];
    model_reaction reaction;
    model_resource resources[MODEL_RESOURCES];
    uint32_t frame; // how many have ended
    model_queue queues[MODEL_EVENT_KINDS];
    model_cursor cursors[MODEL_EVENT_KINDS][MODEL_CURSORS];
    uint32_t clock;                 // goes on with every look that comes to its end, and every step
    uint32_t since[MODEL_TYPES][2]; // when was looked last: for changes, for what was added
    struct model_time *time;        // beside all that comes back with it
} model;

// A moment that can be gone back to.
typedef struct model_moment {
    mica_snapshot snapshot;
    uint32_t number; // of those ever taken
    uint64_t digest; // the library's, then
    uint64_t hash;
    bool pinned;
    model was;
} model_moment;

// What begins with time. Those behind `here` can be redone.
enum { MODEL_MOMENTS = 10 };

typedef struct model_time {
    bool begun;
    mica_time_desc desc;
    bool with_cursors;     // plain ones go back, too
    uint32_t count;        // of moments, the oldest first
    uint32_t here;         // the one whose followers can be redone; `count`: none
    mica_snapshot current; // taken or restored last; none: that was dropped
    mica_snapshot gone;    // dropped last
    uint32_t number;       // of the last one that was taken
    bool wide;             // thinning has left a gap that it must not
    uint64_t marks;        // how often one was taken or restored
    model_moment moments[MODEL_MOMENTS];
    mica_snapshot taken; // what the library gave, with its digest, and what it has then
    uint64_t digest;
    uint64_t hash;
    uint32_t listed_count;
    mica_snapshot listed[MODEL_MOMENTS];
} model_time;

// What comes of an operation, or should.
typedef struct outcome {
    mica_result code;
    uint32_t changed; // as changes by query count
    uint32_t count;
    mica_entity entities[MODEL_SLOTS]; // made, or met, in this order
    // Of sorting: the order before, and the order that another component has.
    uint32_t before_count, like_count;
    mica_entity before[MODEL_SLOTS], like[MODEL_SLOTS];
} outcome;

// A change of one entity: what it gets, with a value or without, and what it loses.
typedef struct model_edit {
    uint32_t with;
    uint32_t given; // those of `with` that come with a value
    uint32_t without;
    uint32_t values[MODEL_TYPES];
    bool gives, takes; // the value that cannot be copied
    uint32_t assignment;
    bool wrong; // MICA_ERROR_ARGUMENT, as a type that both comes and goes is
} model_edit;

void model_begin(model *m, uint32_t limit, model_abilities can);

// The value of a component that was added without one.
uint32_t model_default(uint32_t type);
bool model_is_tag(uint32_t type);

// Storages. What has hooks, or no fields, cannot be split.
bool model_can_split(uint32_t type);
void model_put(model_abilities *can, uint32_t type, mica_storage storage);
mica_result model_keep(model *m, uint32_t type, mica_storage storage);

mica_entity model_handle(const model *m, uint32_t slot);
uint32_t model_count(const model *m); // facets are among them
bool model_is_open(const model *m);   // some iteration is
model_slot *model_find(model *m, mica_entity entity);

// The `which`-th living one, counting round and round; none if nobody lives.
mica_entity model_pick(const model *m, uint32_t which);

// The operations. All return the code that the library should return.
mica_result model_room(const model *m, uint32_t count); // can as many be spawned?
mica_result model_spawn(model *m, const model_edit *edit, outcome *want);
mica_result model_spawn_at(model *m, mica_entity entity, outcome *want);

// Somebody to be: takes a slot, of which there is one; is spawned; is never spawned.
mica_entity model_pend(model *m);
bool model_is_pending(const model *m, mica_entity entity);
void model_settle(model *m, mica_entity entity, const model_edit *edit);
void model_pass(model *m, mica_entity entity);
mica_result model_despawn(model *m, const mica_entity *entities, uint32_t count);
mica_result model_change(model *m, mica_entity entity, const model_edit *edit);
mica_result model_clone(model *m, mica_entity entity, outcome *want);
mica_result model_name(model *m, mica_entity entity, uint32_t name);
mica_result model_clear(model *m);
mica_result model_reclaim(model *m);

// Facets are entities that have an owner, and go with it, before it does.
bool model_is_facet(const model_slot *slot);
uint32_t model_count_facets(const model *m);
uint32_t model_list_facets(const model *m, mica_entity owner, uint32_t slots_out[MODEL_SLOTS]);
mica_entity model_facet_owner(const model *m, mica_entity entity); // of no facet, itself
model_label model_facet_label(const model *m, mica_entity entity);
mica_entity model_facet_find(const model *m, mica_entity owner, model_label label);
mica_result model_check_label(const model *m, mica_entity owner, model_label label);
mica_result model_extend(model *m, mica_entity owner, model_label label, const model_edit *edit,
                         outcome *want);

// Somebody to be is a facet.
void model_settle_facet(model *m, mica_entity entity, mica_entity owner, model_label label,
                        const model_edit *edit);

// Off, or on. The types that are asked for one by one have toggles.
mica_result model_toggle(model *m, mica_entity entity, uint32_t type, bool off);
mica_result model_toggle_matching(model *m, uint32_t query, uint32_t type, bool off, outcome *want);

// To queries, what is disabled is not there.
bool model_shows(const model_query *query, uint32_t term, const model_slot *slot);
bool model_matches(const model_query *query, const model_slot *slot);
uint32_t model_count_matching(const model *m, uint32_t query);
mica_result model_change_matching(model *m, uint32_t query, const model_edit *edit, outcome *want);

// The model does not know in which order a query lists what matches; the library has reported.
mica_result model_despawn_matching(model *m, uint32_t query, const outcome *order, outcome *want);

// Some entities were met by an iteration, once each, and those of their components that the query
// writes, and `written` has a bit of, have been given model_written(). False if one should not have been
// met.
bool model_meet(model *m, uint32_t query, const outcome *met, bool *seen, uint32_t written,
                uint32_t number);
uint32_t model_written(uint32_t number, uint32_t slot);

// Something happened since the last look, for sure. May it be shown as if it had? Of types without row stamps,
// anybody may who has it.
bool model_has_news(const model *m, const model_slot *slot, uint32_t type, uint32_t added);
bool model_may_show(const model *m, const model_slot *slot, uint32_t type, uint32_t added);

// A look has come to its end. An iteration has shown all that match a query, and asked for nothing.
void model_mark(model *m, uint32_t type, uint32_t added);
void model_hand_out(model *m, uint32_t query);

// What commands have done, each by itself, since the model was like this, is known by its net effect alone.
void model_blur(model *m, const model *before);

// What was recorded in iterations is carried out where nobody iterates any more.
void model_catch_up(model *m);

// Events. A frame is over. What waits is sent. An image knows of no plain cursors.
void model_end_frame(model *m);
void model_send_waiting(model *m);
void model_forget_cursors(model *m);
uint32_t model_count_watched_events(const model *m); // values that live

// Reactions: how the model was before a call says to whom the type has come.
model_edit model_react(const model_reaction *reaction);
void model_owe(model *m, const model *before);
uint32_t model_count_watched_debts(const model *m); // values that live

uint32_t model_count_watched_resources(const model *m);

// Groups. What is disabled is in them.
mica_result model_group_new(model *m, uint32_t which, const model_group *group);
mica_result model_group_free(model *m, uint32_t which);
bool model_is_member(const model_group *group, const model_slot *slot);
uint32_t model_owner(const model *m, uint32_t type); // MODEL_GROUPS: nobody owns it

// Going back. Types, queries, bundles, groups and observers stay. After some changes, nothing can be gone
// back to.
void model_restore(model *m, uint32_t moment);
void model_drop(model *m, uint32_t moment);
void model_drop_all(model *m);

// Sorting what the library had in the order `got->before`. The keys of two values that are as good as
// each other are equal.
typedef struct model_order {
    uint32_t type;    // by whose values; by slot, of a tag
    uint32_t modulus; // of keys
    bool down;
} model_order;

uint32_t model_key(const model_order *order, uint32_t number);
void model_sort(model *m, const model_order *order, const outcome *got, outcome *want);
void model_sort_like(const outcome *got, outcome *want);

#endif
