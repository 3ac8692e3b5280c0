// A fuzz target: recorded input (mica/tape.h), played in a world with some of everything. The sums are made right first, and what the tape says of the
// world. Run by tools/fuzz.sh, and over its corpus by `make test-full`.
#include "fuzz/crowd.h"
#include "unit/tape/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void move(mica_iter *it)
{
    Pair *p = mica_write(it, 0);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += it->dt;
    }
}

static mica_world *open_world(void)
{
    mica_type types[TYPES];
    mica_world *world = new_crowd(types);
    mica_system_add(world, &(mica_system_desc){.name = "move",
                                               .update = move,
                                               .query.terms = {{types[0], MICA_WRITE}}});
    return world;
}

// Plays so many steps of the tape, with the memory that it may use.
static uint64_t play(mica_world *world, const unsigned char *bytes, size_t size, uint64_t count)
{
    uint64_t played = 0;
    mica_result result =
        mica_tape_play(world, &(mica_stream){.data = bytes, .size = size}, 0, count, &played);
    must(mica_world_validate(world) == MICA_OK, "a world that is valid");
    must(result != MICA_ERROR_BASE || played == 0, "the state that the tape begins with");
    return played;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mica_world *world = open_world();
    unsigned char *copy = malloc(size + 1);
    must(copy != NULL, "memory");
    if (size > 0) {
        memcpy(copy, data, size);
    }
    mend_tape(copy, size, mica_world_hash(world), 0);
    uint64_t before = mica_world_hash(world);
    uint64_t played = play(world, copy, size, 0);
    use(world);
    mica_world_free(world);

    // The same steps lead to the same state.
    mica_world *worlds[2] = {open_world(), open_world()};
    for (int i = 0; i < 2 && played > 0; i++) {
        must(play(worlds[i], copy, size, played) == played, "as many steps");
    }
    must(mica_world_digest(worlds[0]) == mica_world_digest(worlds[1]), "equal digests");
    must(played > 0 || mica_world_hash(worlds[0]) == before, "a world that is as it was");
    mica_world_free(worlds[0]);
    mica_world_free(worlds[1]);
    free(copy);
    return 0;
}
