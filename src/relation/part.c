// Relations as a part of snapshots: for each relation and target, the sources in order.
#include "relation/relation.h"

#include "base/canary.h"
#include "state/part.h"

static uint64_t get_revision(const mica_world *world)
{
    const micai_relations *all = micai_relations_of(world);
    uint64_t revision = all->list.count;
    for (uint32_t i = 0; i < all->list.count; i++) {
        revision += all->list.items[i]->seats.revision;
    }
    return revision;
}

// Targets come in the order of the rows of their first sources, so that equal states have equal
// bytes.
static void write_relation(const micai_relations *all, const micai_relation *relation,
                           micai_blob *to)
{
    const micai_links *links = &all->links;
    mica_entity target = {0};
    micai_blob_write_32(to, relation->type->number);
    micai_blob_write_32(to, relation->seats.count);
    for (mica_entity source = links->ops->next(links, relation, target); !MICA_IS_NONE(source);
         source = links->ops->next(links, relation, source)) {
        target = micai_seats_target(&relation->seats, source);
        micai_blob_write_64(to, source.bits);
        micai_blob_write_64(to, target.bits);
    }
}

static void write_part(mica_world *world, micai_blob *to)
{
    const micai_relations *all = micai_relations_of(world);
    micai_blob_write_32(to, all->list.count);
    for (uint32_t i = 0; i < all->list.count; i++) {
        write_relation(all, all->list.items[i], to);
    }
}

static micai_relation *read_head(mica_world *world, micai_bytes *from, uint32_t *count_out)
{
    uint32_t number = micai_bytes_read_32(from);
    *count_out = micai_bytes_read_32(from);
    return world->state->registry.list.items[number]->relation;
}

static mica_result reserve_part(mica_world *world, micai_bytes from, void **staged_out)
{
    bool reserved = true;
    (void)staged_out;
    for (uint32_t left = micai_bytes_read_32(&from); reserved && left > 0; left--) {
        uint32_t count;
        uint32_t runs = 0;
        micai_seats *seats = &read_head(world, &from, &count)->seats;
        mica_entity previous = {0};
        for (uint32_t i = 0; reserved && i < count; i++) {
            const mica_entity source = {micai_bytes_read_64(&from)};
            const mica_entity target = {micai_bytes_read_64(&from)};
            reserved = micai_seats_reserve_node(&world->host, seats, mica_entity_slot(source)) &&
                       micai_seats_reserve_node(&world->host, seats, mica_entity_slot(target));
            runs += !MICA_EQUAL(target, previous);
            previous = target;
        }
        reserved = reserved && micai_seats_reserve(&world->host, seats, count, runs);
    }
    return reserved ? MICA_OK : MICA_ERROR_MEMORY;
}

static void read_part(mica_world *world, micai_bytes from, void *staged)
{
    micai_relations *all = micai_relations_of(world);
    (void)staged;
    for (uint32_t i = 0; i < all->list.count; i++) {
        all->links.ops->clear(&all->links, all->list.items[i]);
    }
    for (uint32_t left = micai_bytes_read_32(&from); left > 0; left--) {
        uint32_t count;
        micai_relation *relation = read_head(world, &from, &count);
        for (uint32_t i = 0; i < count; i++) {
            const mica_entity source = {micai_bytes_read_64(&from)};
            const mica_entity target = {micai_bytes_read_64(&from)};
            if (MICAI_CANARY("relation.order") && i % 2) {
                continue;
            }
            micai_seats_append(&relation->seats, source, target);
        }
        micai_relations_count(all, count, 0);
    }
}

const micai_part micai_relations_part = {get_revision, write_part, reserve_part, read_part, NULL};
