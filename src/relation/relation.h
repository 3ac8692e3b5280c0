// Relations: links between entities. The value of a sparse type says the target of a source; seats
// keep the sources of each target in order.
//
// Room:    relation. Called by users, by inspect/ (validation), and by pools and entity/ through
//          store/pool/link.h.
//
// Invariants, swept by micai_relations_validate():
//   R15 The sources with seats are the entities in the relation's pool, and have them at their
//       targets. None is a facet.
//   R16 Links form no cycles, unless the relation admits them.
//   R17 The types and pools of relations, and no others, are marked. `links.count` is the number of all
//       links.
#ifndef MICAI_RELATION_RELATION_H
#define MICAI_RELATION_RELATION_H

#include <mica/relation.h>

#include "core/mark.h"
#include "entity/link.h"
#include "store/pool/seats.h"

struct micai_relation {
    const micai_type *type;
    mica_cleanup cleanup;
    bool cyclic;
    micai_seats seats;
};

// An entity that will die.
typedef struct micai_death {
    mica_entity entity;
    uint32_t pending; // sources, and those of its facets, that die before it
    uint32_t target;  // place of the target, if all are in one tree
} micai_death;

typedef struct micai_relations {
    micai_links links; // the first member, so that links lead to their room
    micai_state *state;
    bool suspended;                     // rows change without their seats
    MICAI_ARRAY(micai_relation *) list; // in the order in which they were added
    MICAI_ARRAY(micai_death) deaths;
    MICAI_ARRAY(mica_entity) order; // the same entities, in the order in which they die
    micai_marks marks;              // by slot: a place in `deaths`, if the entity is there
} micai_relations;

// Returns the relations of a world, or NULL if it never had any.
static inline micai_relations *micai_relations_of(const mica_world *world)
{
    return (micai_relations *)(void *)world->state->pools.links;
}

// Returns the relation of a handle, or NULL with a report. NULL for world NULL, too.
micai_relation *micai_relation_find(mica_world *world, const char *call, mica_relation relation);

// Functions of micai_links_ops

void micai_relation_add_row(micai_links *links, micai_relation *relation, mica_entity source,
                            mica_entity target);
mica_result micai_relation_prepare(mica_world *world, const char *call,
                                   const micai_new_links *added);
mica_result micai_relation_collect(mica_world *world, const char *call, const mica_entity *entities,
                                   uint32_t count, micai_deaths *deaths_out);
void micai_relation_sever(mica_world *world, const char *call, uint64_t *matched);
mica_result micai_relation_replay(mica_world *world, const micai_type *type, micai_link_verb verb,
                                  mica_entity source, mica_entity other);

mica_entity micai_relation_visit(const micai_relation *relation, mica_entity target, bool below,
                                 mica_entity previous);
bool micai_relation_leads_to(const micai_relation *relation, mica_entity target, bool below,
                             mica_entity entity);

// Whole contents
bool micai_relation_seat(micai_links *links, micai_relation *relation, mica_entity source);
void micai_relation_drop_invalid(mica_world *world);
mica_result micai_relation_check(mica_world *world, const micai_state *state,
                                 const micai_type *type, uint64_t mark,
                                 micai_link_fault *fault_out);
extern const micai_part micai_relations_part;

// Adds to the count of all links.
void micai_relations_count(micai_relations *all, uint32_t added, uint32_t removed);

mica_result micai_relations_validate(mica_world *world, const void *data);

#endif
