// Links: what pools and changes of entities call if the type of a pool is that of a relation. Only
// programs with relations link the functions.
//
// Room:    store/pool. Implemented by relation/. Called by pools, and by entity/ and the rooms above it.
//
// A link is the value of a sparse type: the target. `micai_type.relation` and `micai_pool.relation`
// mark such types and their pools. The seats of the sources at their targets follow the rows of the
// pool: add() and remove() are called with each row. Pools of a state that is being loaded have no
// seats.
#ifndef MICAI_STORE_POOL_LINK_H
#define MICAI_STORE_POOL_LINK_H

#include <mica/world.h>

struct micai_cell;
struct micai_change;
struct micai_part;
typedef struct micai_links micai_links;
typedef struct micai_relation micai_relation;
typedef struct micai_state micai_state;
typedef struct micai_type micai_type;

// New links of one type, which a call is about to make.
typedef struct micai_new_links {
    const micai_type *type;
    const mica_entity *sources; // NULL: entities to be spawned
    uint32_t count;
    const void *targets; // NULL: the default, which links do not have
    uint32_t stride;     // bytes from one target to the next; 0 repeats one
} micai_new_links;

// Entities that die together, in this order: sources before their targets, and facets right before
// their owners.
typedef struct micai_deaths {
    const mica_entity *entities;
    uint32_t count;
} micai_deaths;

// Why a value cannot be a link.
typedef struct micai_link_fault {
    const char *what; // "has no target", "has a dead target", and so on; NULL: nothing is wrong
    mica_entity source;
    mica_entity target;
    mica_result code;
} micai_link_fault;

// The calls that are recorded, by what `other` is.
typedef enum micai_link_verb {
    MICAI_LINK_TARGET,
    MICAI_LINK_SIBLING,
    MICAI_LINK_GONE
} micai_link_verb;

typedef struct micai_links_ops {
    // Rows. They cannot fail: capacity was reserved. replace() is called before the value changes.
    void (*add)(micai_links *links, micai_relation *relation, mica_entity source,
                mica_entity target);
    void (*remove)(micai_links *links, micai_relation *relation, mica_entity source);
    void (*replace)(micai_links *links, micai_relation *relation, mica_entity source,
                    mica_entity target);
    void (*clear)(micai_links *links, micai_relation *relation);
    // Reserve what an entity needs to be a source or a target; seats for so many links more. They
    // fail with MICA_ERROR_MEMORY, _LIMIT.
    mica_result (*reserve_slot)(micai_links *links, micai_relation *relation, uint32_t slot);
    mica_result (*reserve_seats)(micai_links *links, micai_relation *relation, uint32_t count);

    // Like replace(), for the row of a cell and a target in memory.
    void (*write)(micai_links *links, const micai_type *type, const struct micai_cell *cell,
                  const void *target);

    // Gives a value of a relation's type to a change. Fails like mica_link().
    mica_result (*give)(const struct micai_change *change, const micai_type *type,
                        const void *data);
    // Checks new links and reserves their seats. Fails like mica_link().
    mica_result (*prepare)(mica_world *world, const char *call, const micai_new_links *added);
    // Runs a recorded call.
    mica_result (*replay)(mica_world *world, const micai_type *type, micai_link_verb verb,
                          mica_entity source, mica_entity other);

    // Deaths. Returns whether an entity has sources. collect() lists everything that dies with some
    // entities, and reserves what the links of others need, which sever() then removes or lifts. It
    // fails with MICA_ERROR_LINKED, _MEMORY.
    bool (*has_sources)(const micai_links *links, mica_entity entity);
    mica_result (*collect)(mica_world *world, const char *call, const mica_entity *entities,
                           uint32_t count, micai_deaths *deaths_out);
    void (*sever)(mica_world *world, const char *call, uint64_t *matched);

    // Contents that are replaced as a whole. Between suspend() and follow(), seats do not follow rows.
    // seat() gives a source without a seat the last one of its target, and returns false if it has
    // no link. drop_invalid() compares all seats and rows: sources that are seated at their target
    // keep their order, and others come behind them, in the order of rows. It removes values that
    // cannot be links. check() looks for such values in any state. With `mark`, that bit of targets is
    // ignored, and they may be none.
    void (*suspend)(micai_links *links);
    bool (*seat)(micai_links *links, micai_relation *relation, mica_entity source);
    void (*follow)(micai_links *links);
    void (*drop_invalid)(mica_world *world);
    mica_result (*check)(mica_world *world, const micai_state *state, const micai_type *type,
                         uint64_t mark, micai_link_fault *fault_out);
    // Visits the sources of a relation by the rows of their targets' first ones: an order that only
    // depends on the rows and on the order of sources.
    mica_entity (*next)(const micai_links *links, const micai_relation *relation,
                        mica_entity previous);
    // Visits the sources of a target, or everything below it. `previous` is none at first. leads_to()
    // returns true if an entity is visited.
    mica_entity (*visit)(const micai_relation *relation, mica_entity target, bool below,
                         mica_entity previous);
    bool (*leads_to)(const micai_relation *relation, mica_entity target, bool below,
                     mica_entity entity);
    uint64_t (*digest)(const micai_links *links, uint64_t hash);
    const struct micai_part *part;
    // Adds a relation like that of another world.
    mica_result (*copy)(mica_world *world, const micai_relation *relation);
} micai_links_ops;

struct micai_links {
    const micai_links_ops *ops;
    uint32_t count; // links of all relations
};

#endif
