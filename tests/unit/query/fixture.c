#include "unit/query/fixture.h"

mica_world *fixture_begin(fixture *f)
{
    f->world = test_world_begin(&f->t);
    f->position = MICA_REGISTER(f->world, Position, x, y);
    f->velocity = MICA_REGISTER(f->world, Velocity, x, y);
    f->weight =
        mica_type_register(f->world, &(mica_type_desc){.name = "Weight", .size = 12, .align = 4});
    f->frozen = MICA_TAG(f->world, Frozen);
    f->mover = mica_bundle_new(f->world, (mica_type[]){f->position, f->velocity}, 2);
    f->query = mica_query_new(
        f->world, &(mica_query_desc){.terms = {{f->position, MICA_WRITE}, {f->velocity, MICA_READ}},
                                     .name = "movers"});
    REQUIRE(!MICA_IS_NONE(f->query));
    return f->world;
}

void fixture_end(fixture *f)
{
    test_world_end(&f->t);
}

void fixture_spawn_movers(fixture *f, uint32_t count, mica_entity *entities_out)
{
    for (uint32_t i = 0; i < count; i++) {
        const Position p = {(int32_t)i, 7};
        const Velocity v = {-(int32_t)i, 8};
        const mica_value values[] = {MICA_COPY_OF(f->position, p), MICA_COPY_OF(f->velocity, v)};
        mica_entity entity = mica_spawn_bundle(f->world, f->mover, values, 2);
        REQUIRE(!MICA_IS_NONE(entity));
        if (entities_out) {
            entities_out[i] = entity;
        }
    }
}

micai_table *fixture_table(fixture *f, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&f->world->state->slots, entity);
    return micai_row_of(&f->world->state->store, record).sheet->table;
}
