// Queries in snapshots: the moment since which each selects changes. A query that was created later
// selects all changes, as a new query does.
#include "query/part.h"

#include "query/query.h"

static const micai_queries *queries_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_QUERY].data;
}

static void write(mica_world *world, micai_blob *to)
{
    const micai_queries *queries = queries_of(world);
    if (queries) {
        MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
        {
            if (query->change_filtered) {
                micai_blob_write_64(to, query->handle.bits);
                micai_blob_write_64(to, query->since);
            }
        }
    }
    micai_blob_write_64(to, 0);
}

static void read(mica_world *world, micai_bytes from, void *staged)
{
    const micai_queries *queries = queries_of(world);
    (void)staged;
    if (queries) {
        MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
        {
            query->since = 0;
        }
    }
    for (uint64_t bits = micai_bytes_read_64(&from); bits != 0; bits = micai_bytes_read_64(&from)) {
        uint64_t since = micai_bytes_read_64(&from);
        micai_query *query = micai_query_look_up(world, (mica_query){bits});
        if (query) {
            query->since = since;
        }
    }
}

const micai_part micai_queries_part = {NULL, write, NULL, read, NULL};
