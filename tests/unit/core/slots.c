#include "unit/core/slots.h"

#include <string.h>

static void record_log(mica_world *world, mica_log_level level, const char *sentence, void *user)
{
    fixture *f = user;
    CHECK(world == NULL && level == MICA_LOG_INFO);
    f->log_calls++;
    strncpy(f->log_sentence, sentence, sizeof f->log_sentence - 1);
}

void slots_begin(fixture *f, uint32_t limit)
{
    memset(f, 0, sizeof *f);
    f->host = test_host_begin(&f->t);
    f->host->log_handler = record_log;
    f->host->log_user = f;
    micai_slots_init(&f->slots, limit);
}

void slots_end(fixture *f)
{
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
    micai_slots_free(f->host, &f->slots);
    test_host_end(&f->t);
}

mica_entity slots_take(fixture *f)
{
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve(f->host, &f->slots, 1));
    return micai_slots_take(&f->slots, ROW);
}

mica_entity slots_take_at(fixture *f, uint32_t slot, uint32_t generation)
{
    mica_entity entity = mica_entity_make(slot, generation);
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve_at(f->host, &f->slots, entity));
    micai_slots_take_at(&f->slots, entity, ROW);
    return entity;
}

void slots_give(fixture *f, mica_entity entity)
{
    REQUIRE(micai_slots_find(&f->slots, entity) != NULL);
    micai_slots_release(f->host, &f->slots, entity);
}

mica_result slots_reserve_at(fixture *f, uint32_t slot, uint32_t generation)
{
    return micai_slots_reserve_at(f->host, &f->slots, mica_entity_make(slot, generation));
}

void slots_reclaim(fixture *f)
{
    REQUIRE_EQUAL(MICA_OK, micai_slots_reserve_reclaim(f->host, &f->slots));
    micai_slots_reclaim(f->host, &f->slots);
    CHECK_EQUAL(MICA_OK, micai_slots_validate(f->host, &f->slots));
}

bool slots_is_at(mica_entity entity, uint32_t slot, uint32_t generation)
{
    return MICA_EQUAL(entity, mica_entity_make(slot, generation));
}
