// A fuzz target: deltas, loaded into a world with some of everything. What they say of the world before is made right
// first, and the checksum. Run by tools/fuzz.sh, and over its corpus by `make test-full`.
#include "fuzz/crowd.h"

#include "base/bytes.h"
#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FLAGS = 4, BEFORE = 5, AFTER = 13, HEAD = 21, SUM = 8 }; // offsets; the size of the checksum

static void mend(unsigned char *bytes, size_t size, uint64_t before)
{
    if (size >= HEAD + SUM) {
        memcpy(bytes, "\x8emd\x01", FLAGS);
        micai_put_little(bytes + BEFORE, before, 8);
        micai_put_little(bytes + size - SUM, micai_hash_bytes(bytes, size - SUM), SUM);
    }
}

// What has the hash that the delta led to says so: a delta without content, from there, is accepted.
static void check_hash(mica_world *world, const unsigned char *bytes)
{
    unsigned char empty[HEAD + 5 + SUM] = "";
    memcpy(empty, bytes, HEAD);
    empty[FLAGS] = 0;
    memcpy(empty + BEFORE, bytes + AFTER, 8);
    micai_put_little(empty + HEAD + 5, micai_hash_bytes(empty, HEAD + 5), SUM);
    must(mica_delta_load(world, &(mica_stream){.data = empty, .size = sizeof empty}) == MICA_OK,
         "a world with the hash that was predicted");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mica_type types[TYPES];
    mica_world *world = new_crowd(types);
    unsigned char *copy = malloc(size + 1);
    must(copy != NULL, "memory");
    if (size > 0) {
        memcpy(copy, data, size);
    }
    mend(copy, size, mica_world_hash(world));
    uint64_t before = mica_world_digest(world);
    size_t bytes = mica_world_get_stats(world).memory.bytes;
    mica_result result = mica_delta_load(world, &(mica_stream){.data = copy, .size = size});
    check_memory(world, bytes, size);
    must(mica_world_validate(world) == MICA_OK, "a world that is valid");
    must(!result || before == mica_world_digest(world), "a world that is as it was");
    must(result != MICA_ERROR_BASE, "the state that the delta begins with");
    if (!result) {
        check_hash(world, copy);
        must(mica_time_begin(world, NULL) == MICA_OK, "time");
        mica_snapshot snapshot = mica_snapshot_take(world);
        must(mica_snapshot_hash(world, snapshot) == mica_world_hash(world), "equal hashes");
        must(mica_time_end(world) == MICA_OK, "the end of time");
        use(world);
    }
    mica_world_free(world);
    free(copy);
    return 0;
}
