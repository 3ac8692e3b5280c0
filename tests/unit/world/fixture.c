#include "unit/world/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "state/state.h"

void fixture_prepare(fixture *f)
{
    memset(f, 0, sizeof *f);
    tracker_begin(&f->tracker);
    test_world_prepare(&f->t);
}

void fixture_open(fixture *f)
{
    mica_world *world = f->world = test_world_open(&f->t);
    f->frozen = MICA_TAG(world, Frozen);
    f->position = MICA_REGISTER(world, Position, x, y);
    f->velocity = MICA_REGISTER(world, Velocity, x, y);
    f->player = MICA_TAG(world, Player);
    const mica_type_desc moved = tracked_desc(&f->tracker, "Moved", true);
    const mica_type_desc hooked = tracked_desc(&f->tracker, "Hooked", false);
    f->moved = mica_type_register(world, &moved);
    f->hooked = mica_type_register(world, &hooked);
    mica_type_desc health = MICA_DESCRIBE(Health, points);
    health.default_value = &(Health){100};
    f->health = mica_type_register(world, &health);
    REQUIRE_EQUAL(7, mica_type_count(world));
}

void fixture_begin(fixture *f)
{
    fixture_prepare(f);
    fixture_open(f);
}

void fixture_end(fixture *f)
{
    test_world_end(&f->t);
    CHECK_TRACKED(&f->tracker, 0);
}

mica_entity fixture_spawn(fixture *f, int32_t n)
{
    tracked value = tracked_make(&f->tracker, n);
    mica_entity entity =
        mica_spawn(f->world, MICA_VALUE(f->position, Position, (float)n, -(float)n),
                   MICA_VALUE(f->velocity, Velocity, 2 * (float)n, 0), MICA_ADD(f->player),
                   ((mica_value){f->moved, &value, sizeof value, 1}),
                   ((mica_value){f->hooked, &value, sizeof value, 1}));
    tracked_drop(&f->tracker, &value);
    return entity;
}

bool fixture_holds(fixture *f, mica_entity entity, int32_t n)
{
    const Position *p = MICA_GET(f->world, entity, f->position, Position);
    const Velocity *v = MICA_GET(f->world, entity, f->velocity, Velocity);
    return p && p->x == (float)n && p->y == -(float)n && v && v->x == 2 * (float)n && v->y == 0 &&
           mica_has(f->world, entity, f->player) &&
           tracked_is(&f->tracker, mica_get(f->world, entity, f->moved), n) &&
           tracked_is(&f->tracker, mica_get(f->world, entity, f->hooked), n);
}

mica_type fixture_foreign(test_world *other)
{
    return MICA_REGISTER(test_world_begin(other), Position, x, y);
}

uint64_t fixture_moves(const fixture *f)
{
    return mica_world_stats(f->world).row_moves;
}

typedef struct shared_page {
    micai_page page;
    micai_strip strip;
    const micai_type *hooked; // NULL: bytes
    uint32_t rows;
    unsigned char *bytes;
} shared_page;

struct shared_pages {
    uint32_t count;
    shared_page list[512];
};

shared_pages *fixture_share(fixture *f)
{
    shared_pages *shared = calloc(1, sizeof *shared);
    REQUIRE(shared != NULL);
    micai_store *store = &f->world->state->store;
    for (uint32_t id = 0; id < store->tables.count; id++) {
        micai_table *table = store->tables.items[id];
        for (uint32_t row = 0; table && row < table->count; row += MICAI_ROWS) {
            micai_sheet *sheet = micai_table_sheet(table, row);
            for (uint32_t n = 0; n < table->layout.strip_count; n++) {
                micai_sheet_share_page(store, sheet, n);
                REQUIRE(shared->count < 512);
                shared_page *s = &shared->list[shared->count++];
                *s = (shared_page){.page = sheet->pages[n],
                                   .strip = table->layout.strips[n],
                                   .hooked = micai_layout_hooked(&table->layout, n),
                                   .rows = micai_sheet_used(sheet)};
                size_t size = (size_t)s->rows * s->strip.size;
                s->bytes = malloc(size);
                REQUIRE(s->bytes != NULL);
                memcpy(s->bytes, s->page.data, size);
            }
        }
    }
    return shared;
}

void fixture_unshare(fixture *f, shared_pages *shared)
{
    for (uint32_t i = 0; i < shared->count; i++) {
        shared_page *s = &shared->list[i];
        CHECK_BYTES(s->bytes, s->page.data, (size_t)s->rows * s->strip.size);
        if (micai_page_references(&s->page) == 1 && s->hooked) {
            micai_hook_destruct(&f->world->state->gate, s->hooked, s->page.data, s->rows);
        }
        micai_page_release(&f->world->host, &s->page);
        free(s->bytes);
    }
    free(shared);
}
