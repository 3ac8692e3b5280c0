// The library under test beside its model: a world with all that operations work on, and the
// comparison of the two. Differences are sentences, not failed checks, so that a tape that fails can
// be run again and again while it is made shorter.
#ifndef TEST_MODEL_LAB_H
#define TEST_MODEL_LAB_H

#include <mica.h>

#include "model/model.h"
#include "runner/mirror.h"
#include "runner/world.h"
#include "unit/tracked.h"

enum { LAB_VALUE_SIZE = 40, LAB_DIFFERENCE_SIZE = 200 };

// How the values of a type may be kept. Everything that operations do is done to all of them.
typedef struct lab_storage {
    mica_storage storage;
    bool stable;
    bool toggle;
} lab_storage;

extern const lab_storage lab_storages[];
extern const uint32_t lab_storage_count;

// A hexadecimal digit per type says which of them it has, counting round and round: of the model's
// types, of the one whose values cannot be copied, and of the tags that stand between the others. One
// more digit says whether the world is relocate_always, if it is odd; and one, whether its types have no
// hooks, so that time can be kept.
enum { LAB_OWNED = MODEL_OWNED, LAB_FILLERS, LAB_RELOCATING, LAB_PLAIN };

bool lab_is_plain(uint64_t digits);

lab_storage lab_choose(uint64_t digits, uint32_t type);

// Half of the types have row stamps, now these, now those; tags in tables have none.
bool lab_is_exact(uint64_t digits, uint32_t type);
model_abilities lab_abilities(uint64_t digits);

// Must not be moved while in use.
typedef struct lab {
    test_world t;
    mica_world *world;
    uint64_t storages; // a digit per type, at the start; 0: all in tables
    bool mixed;        // not all are in tables, or they have changed
    model m;           // what should be
    model_time time;   // and what was
    tracker tracker;
    mica_type types[MODEL_TYPES];
    mica_accessor accessors[MARK];
    mica_type owned; // its values are tracked, and cannot be copied
    mica_accessor owner;
    mica_query queries[MODEL_QUERIES]; // stale where the model has none
    mica_query readers[MODEL_QUERIES]; // the same, not writing: looking must not change anything
    mica_bundle bundles[MODEL_BUNDLES];
    mica_group groups[MODEL_GROUPS];  // stale where the model has none
    mica_query members[MODEL_GROUPS]; // who should be in it
    uint32_t member_types[MODEL_GROUPS]
                         [MODEL_TYPES]; // of its terms that are read; MODEL_TYPES: no more
    mica_query looks[MODEL_TYPES][2];   // by type: at what has changed, at what was added
    mica_query touches[MARK];           // by type, when it was first asked for
    mica_iter walks[MODEL_WALKS];
    mica_cursor cursors[MODEL_EVENT_KINDS][MODEL_CURSORS];
    mirror mirror;                       // of no world: nobody observes
    uint32_t mirrored[2];                // types and how, if somebody does
    const void *places[MODEL_RESOURCES]; // of resources, where they were seen; NULL: not yet
    mica_observer reacting;              // stale where the model does not react
    uint32_t explained;                  // questions that were asked so far
    uint32_t sought;                     // keys of facets, too
    bool lost_block;                     // a block was given back that is none
    char difference[LAB_DIFFERENCE_SIZE];
} lab;

// False if there is no world. Its memory is filled with a byte before it is handed out.
bool lab_begin(lab *l, uint32_t limit, uint64_t storages, unsigned char fill);

// Closes everything. False, with a difference, if something is left behind. After a difference the
// world may be in any state: it is then left alone.
bool lab_end(lab *l);

// Says how library and model differ, unless that was said already. Always false.
bool lab_differ(lab *l, const char *format, ...) MICA_PRINTF(2, 3);

// Does the library have what the model has? False, with a difference, if not.
bool lab_compare(lab *l);

// Can the events be read that the model has, by who has read nothing yet?
bool lab_compare_events(lab *l);

// Are the resources there that the model has, where they were? The second gives them to another world.
bool lab_compare_resources(lab *l);
void lab_give_resources(const model *m, mica_world *twin, const mica_type *types, tracker *t);

// Are the snapshots there that the model has, in their order?
bool lab_compare_time(lab *l);

// Are the facets those that the model has? Does an iteration say to whom its rows belong?
bool lab_compare_facets(lab *l);
bool lab_compare_owners(lab *l, const mica_iter *it);
mica_type lab_component(const mica_type *types, model_label label);

// Has a world that was made from the model, in another order, the same hash?
bool lab_compare_twin(lab *l);

// What observers keep begins anew: they are not notified of a restore.
void lab_mirror_again(lab *l);

// Room for a value of any type; made for the library's eyes, and dropped.
typedef union lab_value {
    unsigned char bytes[LAB_VALUE_SIZE];
    uint64_t words[LAB_VALUE_SIZE / 8];
    tracked watched;
} lab_value;

uint32_t lab_size(uint32_t type); // 0: a tag
mica_value lab_make(lab *l, lab_value *room, uint32_t type, uint32_t number);
void lab_put(tracker *t, void *value, uint32_t type, uint32_t number);
void lab_drop(tracker *t, void *value, uint32_t type);

// The value of a component: loaded, if it can be, into `room`, and got, if it can be pointed to; both must be
// the same. NULL if it is not there.
const void *lab_find(lab *l, mica_entity entity, uint32_t type, lab_value *room);

// Writes a number through a pointer that the library gave; is it there?
void lab_write(void *value, uint32_t type, uint32_t number);
bool lab_holds(const lab *l, const void *value, uint32_t type, uint32_t number);

// The order in which a sparse type has its values, and a group its entities. How many there are.
uint32_t lab_order(const lab *l, uint32_t type, mica_entity *entities_out);
uint32_t lab_group_order(const lab *l, uint32_t group, mica_entity *entities_out);

const char *lab_name(uint32_t name, char text[16]);

#endif
