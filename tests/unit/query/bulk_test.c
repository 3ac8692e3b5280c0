#include "query/query.h"

#include <mica.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runner/test.h"
#include "runner/world.h"

typedef struct Position {
    int32_t x, y;
} Position;

// A value that knows whether it is one: hooks notice what is made twice, ended twice, or used after
// its end.
typedef struct Handle {
    uint32_t magic;
    int32_t number;
} Handle;

enum { MAGIC = 0x600df00d };

typedef struct tally {
    int64_t alive;
    uint64_t made; // ever
    uint32_t wrong;
    uint64_t fail_at; // the construct or copy of this number fails; 0: none
    uint64_t calls;
} tally;

static bool is_refused(tally *t)
{
    return ++t->calls == t->fail_at;
}

static mica_result make_handles(void *target, uint32_t count, const mica_hook_context *context)
{
    tally *t = context->user;
    Handle *handles = target;
    if (is_refused(t)) {
        return MICA_ERROR_ARGUMENT;
    }
    test_memory_mark_written(handles, count * sizeof *handles);
    for (uint32_t i = 0; i < count; i++) {
        t->wrong += handles[i].magic == MAGIC;
        handles[i] = (Handle){MAGIC, -1};
    }
    t->alive += count;
    t->made += count;
    return MICA_OK;
}

static void end_handles(void *target, uint32_t count, const mica_hook_context *context)
{
    tally *t = context->user;
    Handle *handles = target;
    for (uint32_t i = 0; i < count; i++) {
        t->wrong += handles[i].magic != MAGIC;
        handles[i].magic = 0;
    }
    t->alive -= count;
}

static mica_result copy_handles(void *target, const void *source, uint32_t count,
                                const mica_hook_context *context)
{
    tally *t = context->user;
    Handle *to = target;
    const Handle *from = source;
    if (is_refused(t)) {
        return MICA_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        t->wrong += from[i].magic != MAGIC;
        to[i] = from[i];
    }
    t->alive += count;
    t->made += count;
    return MICA_OK;
}

static void move_handles(void *target, void *source, uint32_t count,
                         const mica_hook_context *context)
{
    tally *t = context->user;
    Handle *to = target;
    Handle *from = source;
    for (uint32_t i = 0; i < count; i++) {
        t->wrong += from[i].magic != MAGIC;
        to[i] = from[i];
        from[i].magic = 0;
    }
}

enum { TABLES = 4, ENTITIES_MAX = 32 * (int)MICAI_ROWS };

typedef struct fixture {
    test_world t;
    mica_world *world;
    mica_type position, handle, weight, frozen;
    mica_query all; // with a position
    mica_entity entities[ENTITIES_MAX];
    uint32_t count;
    tally tally;
} fixture;

static mica_world *begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->world = test_world_begin(&f->t);
    f->position = MICA_REGISTER(f->world, Position, x, y);
    f->handle = mica_type_register(f->world, &(mica_type_desc){.name = "Handle",
                                                               .size = sizeof(Handle),
                                                               .align = _Alignof(Handle),
                                                               .hooks = {.construct = make_handles,
                                                                         .destruct = end_handles,
                                                                         .copy = copy_handles,
                                                                         .move = move_handles},
                                                               .user = &f->tally});
    f->weight = mica_type_register(
        f->world,
        &(mica_type_desc){.name = "Weight", .size = 4, .align = 4, .default_value = &(int32_t){5}});
    f->frozen = MICA_TAG(f->world, Frozen);
    f->all = mica_query_new(
        f->world, &(mica_query_desc){.terms = {{f->position, MICA_WRITE}}, .name = "all"});
    REQUIRE(!MICA_IS_NONE(f->all));
    return f->world;
}

static void end(fixture *f)
{
    CHECK_EQUAL(0, f->tally.wrong);
    test_world_end(&f->t);
    CHECK_EQUAL(0, f->tally.alive);
    CHECK_EQUAL(0, f->tally.wrong);
}

// `count` entities with a position, and the types whose bit is set in `shape`: a handle, a weight,
// the tag.
static void spawn(fixture *f, uint32_t shape, uint32_t count)
{
    const mica_type types[] = {f->handle, f->weight, f->frozen};
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(f->count < ENTITIES_MAX);
        int32_t number = (int32_t)f->count;
        mica_value values[4] = {MICA_VALUE(f->position, Position, number, -number)};
        const Handle handle = {MAGIC, number};
        uint32_t used = 1;
        for (uint32_t bit = 0; bit < 3; bit++) {
            if (shape >> bit & 1) {
                values[used++] = (mica_value){.type = types[bit]};
            }
        }
        if (shape & 1) {
            values[1].data = &handle;
            values[1].size = sizeof handle;
        }
        f->entities[f->count] = mica_spawn_values(f->world, values, used);
        REQUIRE(!MICA_IS_NONE(f->entities[f->count]));
        f->count++;
    }
}

// Sizes about the edges of sheets.
static const uint32_t sizes[] = {
    0, 1, MICAI_ROWS - 1, MICAI_ROWS, MICAI_ROWS + 1, 3 * MICAI_ROWS + 2};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

// Shape `without` holds `a` rows, shape `with` holds `b` rows, and so do two that nobody touches.
static void spawn_family(fixture *f, uint32_t without, uint32_t with, uint32_t a, uint32_t b)
{
    spawn(f, without, a);
    spawn(f, with, b);
    spawn(f, without ^ 2, b);
    spawn(f, with ^ 2, a);
}

// By query in one world, one by one in its twin: the same content.

typedef mica_result bulk_fn(fixture *f, uint32_t *changed_out);
typedef mica_result single_fn(fixture *f, mica_entity entity);

static void compare(bulk_fn *bulk, single_fn *single, uint32_t without, uint32_t with)
{
    static fixture by_query;
    static fixture one_by_one;
    for (uint32_t i = 0; i < SIZES * SIZES; i++) {
        uint32_t a = sizes[i / SIZES];
        uint32_t b = sizes[i % SIZES];
        begin(&by_query);
        begin(&one_by_one);
        spawn_family(&by_query, without, with, a, b);
        spawn_family(&one_by_one, without, with, a, b);
        REQUIRE_EQUAL(mica_world_hash(one_by_one.world), mica_world_hash(by_query.world));
        uint32_t changed = 0;
        REQUIRE_EQUAL(MICA_OK, bulk(&by_query, &changed));
        REQUIRE_EQUAL(by_query.count, changed);
        for (uint32_t e = 0; e < one_by_one.count; e++) {
            REQUIRE_EQUAL(MICA_OK, single(&one_by_one, one_by_one.entities[e]));
        }
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(by_query.world));
        REQUIRE_EQUAL(mica_world_hash(one_by_one.world), mica_world_hash(by_query.world));
        REQUIRE_EQUAL(one_by_one.tally.alive, by_query.tally.alive);
        // And both go on alike.
        for (uint32_t e = 0; e < by_query.count; e += 3) {
            mica_despawn(by_query.world, by_query.entities[e]);
            mica_despawn(one_by_one.world, one_by_one.entities[e]);
        }
        test_error_clear(&by_query.t.error);
        test_error_clear(&one_by_one.t.error);
        spawn(&by_query, with, 3);
        spawn(&one_by_one, with, 3);
        REQUIRE_EQUAL(MICA_OK, mica_world_validate(by_query.world));
        CHECK_EQUAL(mica_world_hash(one_by_one.world), mica_world_hash(by_query.world));
        end(&by_query);
        end(&one_by_one);
    }
}

static mica_result add_handle_to_all(fixture *f, uint32_t *changed_out)
{
    return mica_add_all(f->world, f->all, f->handle, changed_out);
}

static mica_result add_handle(fixture *f, mica_entity entity)
{
    return mica_add(f->world, entity, f->handle);
}

static void adding_by_query_is_adding_one_by_one(void)
{
    compare(add_handle_to_all, add_handle, 0, 1);
}

static mica_result add_tag_to_all(fixture *f, uint32_t *changed_out)
{
    return mica_add_all(f->world, f->all, f->frozen, changed_out);
}

static mica_result add_tag(fixture *f, mica_entity entity)
{
    return mica_add(f->world, entity, f->frozen);
}

static void adding_a_tag_by_query_is_adding_it_one_by_one(void)
{
    compare(add_tag_to_all, add_tag, 1, 5);
}

static mica_result remove_handle_from_all(fixture *f, uint32_t *changed_out)
{
    return mica_remove_all(f->world, f->all, f->handle, changed_out);
}

static mica_result remove_handle(fixture *f, mica_entity entity)
{
    return mica_remove(f->world, entity, f->handle);
}

static void removing_by_query_is_removing_one_by_one(void)
{
    compare(remove_handle_from_all, remove_handle, 1, 0);
}

static mica_result remove_tag_from_all(fixture *f, uint32_t *changed_out)
{
    return mica_remove_all(f->world, f->all, f->frozen, changed_out);
}

static mica_result remove_tag(fixture *f, mica_entity entity)
{
    return mica_remove(f->world, entity, f->frozen);
}

static void removing_a_tag_by_query_is_removing_it_one_by_one(void)
{
    compare(remove_tag_from_all, remove_tag, 5, 1);
}

static mica_result set_handle_of_all(fixture *f, uint32_t *changed_out)
{
    const Handle handle = {MAGIC, 4711};
    return mica_set_all(f->world, f->all, f->handle, &handle, sizeof handle, changed_out);
}

static mica_result set_handle(fixture *f, mica_entity entity)
{
    const Handle handle = {MAGIC, 4711};
    return mica_set_value(f->world, entity, f->handle, &handle, sizeof handle);
}

static void setting_by_query_is_setting_one_by_one(void)
{
    compare(set_handle_of_all, set_handle, 0, 1);
}

static mica_result set_weight_of_all(fixture *f, uint32_t *changed_out)
{
    return mica_set_all(f->world, f->all, f->weight, &(int32_t){99}, 4, changed_out);
}

static mica_result set_weight(fixture *f, mica_entity entity)
{
    return mica_set_value(f->world, entity, f->weight, &(int32_t){99}, 4);
}

static void setting_a_plain_value_by_query_is_setting_it_one_by_one(void)
{
    compare(set_weight_of_all, set_weight, 1, 3);
}

static mica_result add_weight_to_all(fixture *f, uint32_t *changed_out)
{
    return mica_set_all(f->world, f->all, f->weight, NULL, 0, changed_out);
}

static mica_result add_weight(fixture *f, mica_entity entity)
{
    return mica_set_value(f->world, entity, f->weight, NULL, 0);
}

static void setting_without_data_by_query_only_adds(void)
{
    compare(add_weight_to_all, add_weight, 0, 2);
}

static mica_result despawn_all(fixture *f, uint32_t *changed_out)
{
    return mica_despawn_all(f->world, f->all, changed_out);
}

static mica_result despawn(fixture *f, mica_entity entity)
{
    return mica_despawn(f->world, entity);
}

static void despawning_by_query_is_despawning_one_by_one(void)
{
    compare(despawn_all, despawn, 0, 1);
}

// How it is done

static void full_sheets_are_handed_over_and_their_rows_not_moved(void)
{
    static fixture f;
    mica_world *world = begin(&f);
    spawn(&f, 1, 3 * MICAI_ROWS);
    spawn(&f, 3, 2 * MICAI_ROWS + 1);
    mica_world_stats before = mica_world_get_stats(world);
    uint32_t changed = 0;
    CHECK_EQUAL(MICA_OK, mica_add_all(world, f.all, f.frozen, &changed));
    mica_world_stats after = mica_world_get_stats(world);
    CHECK_EQUAL(f.count, changed);
    CHECK_EQUAL(before.row_moves, after.row_moves);
    // Ids, position, handle of three sheets; ids, position, handle, weight of three.
    CHECK_EQUAL(before.page_moves + 9 + 12, after.page_moves);
    // A second part-filled sheet cannot be handed over beside the one that is there.
    spawn(&f, 1, MICAI_ROWS + 1);
    spawn(&f, 3, 1);
    before = mica_world_get_stats(world);
    CHECK_EQUAL(MICA_OK, mica_add_all(world, f.all, f.frozen, &changed));
    after = mica_world_get_stats(world);
    CHECK_EQUAL(before.page_moves + 6, after.page_moves);
    CHECK_EQUAL(before.row_moves + 1, after.row_moves);
    CHECK_EQUAL(f.count, changed);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < f.count; i++) {
        wrong += MICA_GET(world, f.entities[i], f.position, Position)->x != (int32_t)i;
        wrong += MICA_GET(world, f.entities[i], f.handle, Handle)->number != (int32_t)i;
        wrong += !mica_has(world, f.entities[i], f.frozen);
    }
    CHECK_EQUAL(0, wrong);
    end(&f);
}

static uint64_t first_tick(fixture *f, mica_entity entity)
{
    const micai_record *record = micai_slots_find(&f->world->state->slots, entity);
    return micai_row_of(&f->world->state->store, record).sheet->pages[0].tick;
}

static void rows_that_have_it_already_are_not_touched(void)
{
    static fixture f;
    mica_world *world = begin(&f);
    spawn(&f, 4, 2 * MICAI_ROWS);
    spawn(&f, 0, 2 * MICAI_ROWS);
    mica_query without = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_READ}, {f.frozen, MICA_WITHOUT}}});
    mica_query with = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_READ}, {f.frozen, MICA_WITH}}});
    const void *place = mica_get(world, f.entities[0], f.position);
    world->view.tick = 50;
    uint32_t changed = 0;
    CHECK_EQUAL(MICA_OK, mica_add_all(world, without, f.frozen, &changed));
    CHECK_EQUAL(2 * MICAI_ROWS, changed);
    CHECK(first_tick(&f, f.entities[0]) != 50);
    CHECK_EQUAL(50, first_tick(&f, f.entities[2 * MICAI_ROWS]));
    CHECK_POINTER(place, mica_get(world, f.entities[0], f.position));
    CHECK_EQUAL(0, mica_query_count(world, without));
    CHECK_EQUAL(f.count, mica_query_count(world, with));
    // Adding what all have, removing what none has: matched, and nothing happens.
    uint64_t digest = mica_world_digest(world);
    mica_world_stats before = mica_world_get_stats(world);
    CHECK_EQUAL(MICA_OK, mica_add_all(world, with, f.frozen, &changed));
    CHECK_EQUAL(f.count, changed);
    CHECK_EQUAL(MICA_OK, mica_remove_all(world, with, f.weight, &changed));
    CHECK_EQUAL(f.count, changed);
    CHECK_EQUAL(MICA_OK, mica_remove_all(world, without, f.frozen, &changed));
    CHECK_EQUAL(0, changed);
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(before.page_moves, mica_world_get_stats(world).page_moves);
    CHECK_EQUAL(before.row_moves, mica_world_get_stats(world).row_moves);
    end(&f);
}

static void a_query_that_matches_nothing_changes_nothing(void)
{
    static fixture f;
    mica_world *world = begin(&f);
    spawn(&f, 0, 3);
    mica_query none = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.weight, MICA_READ}, {f.frozen, MICA_READ}}});
    uint64_t digest = mica_world_digest(world);
    uint32_t changed = 9;
    CHECK_EQUAL(MICA_OK, mica_add_all(world, none, f.handle, &changed));
    CHECK_EQUAL(0, changed);
    CHECK_EQUAL(MICA_OK, mica_remove_all(world, none, f.weight, NULL));
    CHECK_EQUAL(MICA_OK, mica_set_all(world, none, f.weight, &(int32_t){1}, 4, NULL));
    CHECK_EQUAL(MICA_OK, mica_despawn_all(world, none, NULL));
    CHECK_EQUAL(digest, mica_world_digest(world));
    end(&f);
}

static void hooks_run_once_per_value(void)
{
    static fixture f;
    mica_world *world = begin(&f);
    spawn(&f, 0, 2 * MICAI_ROWS + 1);
    spawn(&f, 1, MICAI_ROWS + 1);
    spawn(&f, 2, 1);
    uint64_t made = f.tally.made;
    CHECK_EQUAL(MICA_OK, mica_add_all(world, f.all, f.handle, NULL));
    CHECK_EQUAL(made + 2 * MICAI_ROWS + 2, f.tally.made);
    CHECK_EQUAL(f.count, f.tally.alive);
    CHECK_EQUAL(MICA_OK, set_handle_of_all(&f, NULL));
    // One more is made of the given value, and ended, in case that lies in the world.
    CHECK_EQUAL(made + 2 * MICAI_ROWS + 2 + f.count + 1, f.tally.made);
    CHECK_EQUAL(f.count, f.tally.alive);
    CHECK_EQUAL(MICA_OK, mica_remove_all(world, f.all, f.handle, NULL));
    CHECK_EQUAL(0, f.tally.alive);
    CHECK_EQUAL(MICA_OK, mica_add_all(world, f.all, f.handle, NULL));
    CHECK_EQUAL(MICA_OK, mica_despawn_all(world, f.all, NULL));
    CHECK_EQUAL(0, f.tally.alive);
    CHECK_EQUAL(0, mica_entity_count(world));
    end(&f);
}

static void despawning_by_query_takes_names_and_generations_along(void)
{
    static fixture f;
    mica_world *world = begin(&f);
    spawn(&f, 0, MICAI_ROWS + 1);
    mica_entity other = mica_spawn_values(world, NULL, 0);
    mica_entity_set_name(world, f.entities[1], "one");
    mica_entity_set_name(world, other, "other");
    CHECK_EQUAL(MICA_OK, mica_despawn_all(world, f.all, NULL));
    CHECK(MICA_IS_NONE(mica_entity_find(world, "one")));
    CHECK_EQUAL(other.bits, mica_entity_find(world, "other").bits);
    CHECK(!mica_alive(world, f.entities[1]));
    mica_entity again = mica_spawn_values(world, NULL, 0);
    CHECK_EQUAL(1, mica_entity_generation(again));
    CHECK(!mica_alive(world, f.entities[mica_entity_slot(again)]));
    end(&f);
}

static void rows_stay_in_order_when_their_sheets_change_hands(void)
{
    static fixture f;
    mica_world *world = begin(&f);
    spawn(&f, 0, 3 * MICAI_ROWS + 2);
    CHECK_EQUAL(MICA_OK, mica_add_all(world, f.all, f.weight, NULL));
    uint32_t row = 0;
    uint32_t wrong = 0;
    mica_iter it;
    mica_iter_begin(world, f.all, &it);
    while (mica_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++, row++) {
            wrong += !MICA_EQUAL(f.entities[row], it.entities[i]);
            wrong += *(const int32_t *)mica_get(world, it.entities[i], f.weight) != 5;
        }
    }
    CHECK_EQUAL(f.count, row);
    CHECK_EQUAL(0, wrong);
    end(&f);
}

// Pages that are added lie in extents of their own, which begin and end elsewhere than those of the
// pages that were there: segments end where either does.
static void segments_of_added_and_of_old_pages_fit_together(void)
{
    static fixture f;
    mica_world *world = begin(&f);
    mica_bundle bundle = mica_bundle_new(world, &f.position, 1);
    static Position positions[12 * MICAI_ROWS];
    const uint32_t count = sizeof positions / sizeof *positions;
    for (uint32_t i = 0; i < count; i++) {
        positions[i] = (Position){(int32_t)i, 0};
    }
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, count,
                                         &MICA_COPY_OF_ARRAY(f.position, positions), 1, NULL));
    CHECK_EQUAL(MICA_OK, mica_add_all(world, f.all, f.weight, NULL));
    mica_query query = mica_query_new(
        world, &(mica_query_desc){.terms = {{f.position, MICA_READ}, {f.weight, MICA_WRITE}}});
    uint32_t rows = 0;
    uint32_t wrong = 0;
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        const Position *p = mica_read(&it, 0);
        int32_t *weights = mica_write(&it, 1);
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            wrong += p[i].x != (int32_t)rows || weights[i] != 5 ||
                     &weights[i] != mica_get(world, it.entities[i], f.weight);
            weights[i] = p[i].x;
        }
    }
    CHECK_EQUAL(count, rows);
    CHECK_EQUAL(0, wrong);
    end(&f);
}

// Failures

static void a_hook_that_fails_leaves_everything_as_it_was(void)
{
    static fixture f;
    for (uint32_t kind = 0; kind < 2; kind++) {
        bool done = false;
        uint64_t k = 1;
        for (; !done; k++) {
            mica_world *world = begin(&f);
            spawn(&f, 0, MICAI_ROWS + 1);
            spawn(&f, 1, 2);
            spawn(&f, 2, 3);
            uint64_t digest = mica_world_digest(world);
            int64_t alive = f.tally.alive;
            uint32_t changed = 77;
            f.tally.calls = 0;
            f.tally.fail_at = k;
            mica_result result = kind ? set_handle_of_all(&f, &changed)
                                      : mica_add_all(world, f.all, f.handle, &changed);
            done = result == MICA_OK;
            if (!done) {
                REQUIRE_EQUAL(MICA_ERROR_HOOK, result);
                REQUIRE_EQUAL(1, test_error_clear(&f.t.error));
                REQUIRE_EQUAL(digest, mica_world_digest(world));
                REQUIRE_EQUAL(alive, f.tally.alive);
                REQUIRE_EQUAL(77, changed);
                REQUIRE_EQUAL(MICA_OK, mica_world_validate(world));
                f.tally.fail_at = 0;
                REQUIRE_EQUAL(MICA_OK, kind ? set_handle_of_all(&f, &changed)
                                            : mica_add_all(world, f.all, f.handle, &changed));
            }
            CHECK_EQUAL(f.count, changed);
            CHECK_EQUAL(f.count, f.tally.alive);
            end(&f);
        }
        CHECK(k > 3);
    }
}

static void bad_arguments_of_changes_by_query_are_refused(void)
{
    static fixture f;
    static fixture other;
    mica_world *world = begin(&f);
    begin(&other);
    spawn(&f, 1, 3);
    uint64_t digest = mica_world_digest(world);
    uint32_t changed = 77;
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_add_all(world, f.all, (mica_type){0}, &changed));
    CHECK_ERROR(&f.t, MICA_ERROR_TYPE,
                "mica_add_all: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_TYPE, mica_remove_all(world, f.all, other.position, &changed));
    CHECK_ERROR(&f.t, MICA_ERROR_TYPE,
                "mica_remove_all: the component type is of another world, or no type at all");
    CHECK_EQUAL(MICA_ERROR_TYPE,
                mica_set_all(world, f.all, (mica_type){0}, &(int32_t){1}, 4, &changed));
    CHECK_ERROR(&f.t, MICA_ERROR_TYPE,
                "mica_set_all: the component type is none; was it registered?");
    CHECK_EQUAL(MICA_ERROR_SIZE,
                mica_set_all(world, f.all, f.position, &(int32_t){1}, 4, &changed));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE, "mica_set_all: component 'Position' has size 8, not 4");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_set_all(world, f.all, f.position, NULL, 4, &changed));
    CHECK_ERROR(&f.t, MICA_ERROR_NULL,
                "mica_set_all: the data of 'Position' is null, but its size is 4");
    CHECK_EQUAL(MICA_ERROR_SIZE, mica_set_all(world, f.all, f.frozen, &(int32_t){1}, 4, &changed));
    CHECK_ERROR(&f.t, MICA_ERROR_SIZE, "mica_set_all: 'Frozen' is a tag and has no value");
    CHECK_EQUAL(77, changed);
    CHECK_EQUAL(digest, mica_world_digest(world));
    end(&f);
    end(&other);
}

static void setting_by_query_needs_room_for_the_value(void)
{
    static fixture f;
    mica_world *world = begin(&f);
    mica_bundle bundle = mica_bundle_new(world, &f.position, 1);
    CHECK_EQUAL(MICA_OK, mica_spawn_many(world, bundle, 3, NULL, 0, NULL));
    uint64_t digest = mica_world_digest(world);
    test_memory_fail_at(&f.t.memory, 1, TEST_MEMORY_ONCE);
    CHECK_EQUAL(MICA_ERROR_MEMORY,
                mica_set_all(world, f.all, f.position, &(Position){1, 1}, sizeof(Position), NULL));
    CHECK_EQUAL(1, test_error_clear(&f.t.error));
    CHECK_EQUAL(digest, mica_world_digest(world));
    CHECK_EQUAL(MICA_OK,
                mica_set_all(world, f.all, f.position, &(Position){1, 1}, sizeof(Position), NULL));
    CHECK(digest != mica_world_digest(world));
    end(&f);
}

// What is set may lie in the world, in a page that the change itself moves or fills.
static void a_value_of_the_world_is_given_to_all(void)
{
    for (uint32_t size = 1; size <= MICAI_ROWS + 1; size++) {
        static fixture f;
        mica_world *world = begin(&f);
        spawn(&f, 0, MICAI_ROWS > 4 ? MICAI_ROWS / 2 : 3);
        spawn(&f, 2, size);
        mica_entity from = f.entities[f.count - 1];
        mica_set_value(world, from, f.weight, &(int32_t){321}, 4);
        CHECK_EQUAL(MICA_OK,
                    mica_set_all(world, f.all, f.weight, mica_get(world, from, f.weight), 4, NULL));
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < f.count; i++) {
            wrong += *(const int32_t *)mica_get(world, f.entities[i], f.weight) != 321;
        }
        CHECK_EQUAL(0, wrong);
        end(&f);
        if (MICAI_ROWS > 4) {
            size += MICAI_ROWS / 8;
        }
    }
}

TESTS(bulk, adding_by_query_is_adding_one_by_one, adding_a_tag_by_query_is_adding_it_one_by_one,
      removing_by_query_is_removing_one_by_one, removing_a_tag_by_query_is_removing_it_one_by_one,
      setting_by_query_is_setting_one_by_one,
      setting_a_plain_value_by_query_is_setting_it_one_by_one,
      setting_without_data_by_query_only_adds, despawning_by_query_is_despawning_one_by_one,
      full_sheets_are_handed_over_and_their_rows_not_moved,
      rows_that_have_it_already_are_not_touched, a_query_that_matches_nothing_changes_nothing,
      hooks_run_once_per_value, despawning_by_query_takes_names_and_generations_along,
      rows_stay_in_order_when_their_sheets_change_hands,
      segments_of_added_and_of_old_pages_fit_together, setting_by_query_needs_room_for_the_value,
      a_hook_that_fails_leaves_everything_as_it_was, bad_arguments_of_changes_by_query_are_refused,
      a_value_of_the_world_is_given_to_all)
