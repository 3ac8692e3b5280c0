// Tests of src/entity/name.c.
#include <mica/component.h>

#include <stdio.h>
#include <string.h>

#include "entity/name.h"
#include "state/state.h"
#include "unit/world/fixture.h"

TEST_WITH(fixture, f, a_name_is_found_both_ways)
{
    mica_entity a = fixture_spawn(f, 1);
    mica_entity b = mica_spawn_values(f->world, NULL, 0);
    char name[] = "Anna";
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, a, name));
    name[0] = 'X'; // it was copied
    CHECK_TEXT("Anna", mica_entity_name(f->world, a));
    CHECK_EQUAL(a.bits, mica_entity_find(f->world, "Anna").bits);
    CHECK_POINTER(NULL, mica_entity_name(f->world, b));
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "Xnna")));
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "")));
    CHECK_EQUAL(MICA_OK, mica_last_error(f->world)->code);
}

TEST_WITH(fixture, f, a_name_can_be_changed_and_taken_away)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, "one"));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, "one")); // its own
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, "two"));
    CHECK_TEXT("two", mica_entity_name(f->world, e));
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "one")));
    CHECK_EQUAL(e.bits, mica_entity_find(f->world, "two").bits);
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, mica_entity_name(f->world, e) + 1));
    CHECK_TEXT("wo", mica_entity_name(f->world, e));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, NULL));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, NULL)); // has none
    CHECK_POINTER(NULL, mica_entity_name(f->world, e));
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "wo")));
}

TEST_WITH(fixture, f, a_name_that_is_taken_is_refused)
{
    mica_entity a = mica_spawn_values(f->world, NULL, 0);
    mica_entity b = mica_spawn_values(f->world, NULL, 0);
    mica_entity_set_name(f->world, a, "Anna");
    mica_entity_set_name(f->world, b, "Bert");
    CHECK_EQUAL(MICA_ERROR_NAME, mica_entity_set_name(f->world, b, "Anna"));
    CHECK_ERROR(&f->t, MICA_ERROR_NAME, "mica_entity_set_name: 'Anna' is the name of entity 0.0");
    CHECK_TEXT("Bert", mica_entity_name(f->world, b));
    CHECK_EQUAL(a.bits, mica_entity_find(f->world, "Anna").bits);
    mica_entity_set_name(f->world, a, "Carl");
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, b, "Anna")); // free now
}

TEST_WITH(fixture, f, bad_names_are_refused)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    char longest[MICA_NAME_SIZE_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[MICA_NAME_SIZE_MAX + 1] = '\0';
    static const char *const sentences[] = {
        "mica_entity_set_name: the name is empty",
        "mica_entity_set_name: the name is not printable",
        "mica_entity_set_name: the name is not printable",
        "mica_entity_set_name: the name is not printable",
        "mica_entity_set_name: the name is longer than 255 bytes",
    };
    const char *const bad[] = {"", "line\nbreak", "tab\t", "\x7f", longest};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_EQUAL(MICA_ERROR_NAME, mica_entity_set_name(f->world, e, bad[i]));
        CHECK_ERROR(&f->t, MICA_ERROR_NAME, sentences[i]);
    }
    CHECK_POINTER(NULL, mica_entity_name(f->world, e));
    longest[MICA_NAME_SIZE_MAX] = '\0';
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, longest));
    CHECK_EQUAL(e.bits, mica_entity_find(f->world, longest).bits);
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, "Zo\xc3\xab"));
}

TEST_WITH(fixture, f, what_is_kept_for_paths_is_no_name)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, e, "a#b"));
    static const struct {
        const char *name;
        const char *sentence;
    } rows[] = {
        {"/", "mica_entity_set_name: '/' has a '/' in it, which is kept for paths; choose another "
              "name"},
        {"a/b", "mica_entity_set_name: 'a/b' has a '/' in it, which is kept for paths; choose "
                "another name"},
        {"#7", "mica_entity_set_name: '#7' has a '#' in front, which is kept for paths; choose "
               "another name"},
        {"#a/", "mica_entity_set_name: '#a/' has a '#' in front, which is kept for paths; choose "
                "another name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_EQUAL(MICA_ERROR_NAME, mica_entity_set_name(f->world, e, rows[i].name));
        CHECK_ERROR(&f->t, MICA_ERROR_NAME, rows[i].sentence);
        CHECK(MICA_IS_NONE(mica_entity_find(f->world, rows[i].name)));
    }
    CHECK_TEXT("a#b", mica_entity_name(f->world, e));
    // Types, queries and systems are not in any path.
    CHECK(!MICA_IS_NONE(mica_type_register(f->world, &(mica_type_desc){.name = "#a/b"})));
}

TEST_WITH(fixture, f, a_name_goes_with_its_entity)
{
    mica_entity a = fixture_spawn(f, 1);
    mica_entity b = fixture_spawn(f, 2);
    mica_entity c = fixture_spawn(f, 3);
    mica_entity_set_name(f->world, a, "a");
    mica_entity_set_name(f->world, b, "b");
    mica_entity_set_name(f->world, c, "c");
    mica_despawn(f->world, a);
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "a")));
    CHECK_TEXT("b", mica_entity_name(f->world, b));
    CHECK_TEXT("c", mica_entity_name(f->world, c));
    mica_despawn_many(f->world, &b, 1);
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "b")));
    // The slot's next occupant has no name.
    mica_entity next = mica_spawn_values(f->world, NULL, 0);
    CHECK_EQUAL(mica_entity_slot(b), mica_entity_slot(next));
    CHECK_POINTER(NULL, mica_entity_name(f->world, next));
    CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, next, "a"));
    // It stays when the entity moves.
    mica_add(f->world, c, f->health);
    CHECK_TEXT("c", mica_entity_name(f->world, c));
    mica_query all = mica_query_new(f->world, &(mica_query_desc){.everything = true});
    CHECK_EQUAL(MICA_OK, mica_despawn_all(f->world, all, NULL));
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "a")));
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "c")));
}

TEST_WITH(fixture, f, hundreds_of_names_come_and_go)
{
    enum { COUNT = 300 };
    mica_entity entities[COUNT];
    char name[16];
    for (uint32_t i = 0; i < COUNT; i++) {
        entities[i] = mica_spawn_values(f->world, NULL, 0);
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        CHECK_EQUAL(MICA_OK, mica_entity_set_name(f->world, entities[i], name));
    }
    for (uint32_t i = 0; i < COUNT; i += 2) {
        CHECK_EQUAL(MICA_OK, i % 4 == 0 ? mica_despawn(f->world, entities[i])
                                        : mica_entity_set_name(f->world, entities[i], NULL));
    }
    CHECK_EQUAL(MICA_OK, mica_world_validate(f->world));
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        CHECK_EQUAL(i % 2 == 0 ? 0 : entities[i].bits, mica_entity_find(f->world, name).bits);
        if (i % 2 != 0) {
            CHECK_TEXT(name, mica_entity_name(f->world, entities[i]));
        }
    }
    mica_world_clear(f->world);
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "name 1")));
}

TEST_WITH(fixture, f, the_dead_have_no_name_and_get_none)
{
    mica_entity dead = mica_spawn_values(f->world, NULL, 0);
    mica_despawn(f->world, dead);
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_entity_set_name(f->world, dead, "x"));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY,
                "mica_entity_set_name: entity 0.0 is dead, or of another world");
    CHECK_EQUAL(MICA_ERROR_ENTITY, mica_entity_set_name(f->world, dead, NULL));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_POINTER(NULL, mica_entity_name(f->world, dead));
    CHECK_ERROR(&f->t, MICA_ERROR_ENTITY,
                "mica_entity_name: entity 0.0 is dead, or of another world");
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, NULL)));
    CHECK_ERROR(&f->t, MICA_ERROR_NULL, "mica_entity_find: name is null");
    CHECK_EQUAL(MICA_ERROR_NULL, mica_entity_set_name(NULL, dead, "x"));
    CHECK_POINTER(NULL, mica_entity_name(NULL, dead));
    CHECK(MICA_IS_NONE(mica_entity_find(NULL, "x")));
}

TEST_WITH(fixture, f, a_name_without_memory_leaves_the_old_one)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    for (uint64_t k = 1;; k++) {
        test_memory_fail_at(&f->t.memory, k, TEST_MEMORY_ONCE);
        mica_result result = mica_entity_set_name(f->world, e, "new");
        bool was_refused = f->t.memory.refusals > 0;
        test_memory_fail_at(&f->t.memory, 0, TEST_MEMORY_ONCE);
        CHECK_EQUAL(was_refused ? MICA_ERROR_MEMORY : MICA_OK, result);
        CHECK_EQUAL(was_refused, test_error_clear(&f->t.error));
        CHECK_TEXT(was_refused ? NULL : "new", mica_entity_name(f->world, e));
        if (!was_refused) {
            break;
        }
    }
    test_memory_fail_at(&f->t.memory, 1, TEST_MEMORY_ONWARDS);
    CHECK_EQUAL(MICA_ERROR_MEMORY, mica_entity_set_name(f->world, e, "newer"));
    CHECK_EQUAL(1, test_error_clear(&f->t.error));
    CHECK_TEXT("new", mica_entity_name(f->world, e));
    CHECK(MICA_IS_NONE(mica_entity_find(f->world, "newer")));
}

// W2
TEST_WITH(fixture, f, validate_finds_names_that_are_lost)
{
    mica_entity e = mica_spawn_values(f->world, NULL, 0);
    mica_entity dead = mica_spawn_values(f->world, NULL, 0);
    mica_despawn(f->world, dead);
    mica_entity_set_name(f->world, e, "e");
    micai_name *name = &micai_names_of(f->world->state)->list.items[0];
    name->entity = dead;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT, "invariant W2 is broken: name 'e' is lost");
    name->entity = e;
    name->text[0] = 'x';
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT, "invariant W2 is broken: name 'x' is lost");
    name->text[0] = 'e';
    micai_names_of(f->world->state)->by_slot.count++;
    CHECK_EQUAL(MICA_ERROR_CORRUPT, mica_world_validate(f->world));
    CHECK_ERROR(&f->t, MICA_ERROR_CORRUPT,
                "invariant H1 is broken: a map of 1 entries counts 2, with room for 6");
    micai_names_of(f->world->state)->by_slot.count--;
}

TESTS(name, a_name_is_found_both_ways, a_name_can_be_changed_and_taken_away,
      a_name_that_is_taken_is_refused, bad_names_are_refused, what_is_kept_for_paths_is_no_name,
      a_name_goes_with_its_entity, hundreds_of_names_come_and_go,
      the_dead_have_no_name_and_get_none, a_name_without_memory_leaves_the_old_one,
      validate_finds_names_that_are_lost)
