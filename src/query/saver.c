// Moments of queries in images: of those that have a name, by which they are found again. A query that an
// image does not know sees everything, as a new one does.
#include "query/saver.h"

#include <string.h>

#include "query/query.h"

static micai_queries *queries_of(const mica_world *world)
{
    return world->core->rooms[MICAI_ROOM_QUERY].state;
}

static bool is_saved(const micai_query *query)
{
    return query && query->name && query->timed;
}

static void save(mica_world *world, micai_writer *w)
{
    const micai_queries *queries = queries_of(world);
    uint32_t count = queries ? queries->list.count : 0;
    uint32_t saved = 0;
    for (uint32_t n = 0; n < count; n++) {
        saved += is_saved(queries->list.items[n]);
    }
    micai_write(w, begin_list, "queries", saved);
    for (uint32_t n = 0; n < count; n++) {
        const micai_query *query = queries->list.items[n];
        if (is_saved(query)) {
            micai_write(w, begin_object, NULL);
            micai_write(w, text, "name", query->name);
            micai_write(w, number, "since", query->since);
            micai_write(w, end, NULL);
        }
    }
    micai_write(w, end, "queries");
}

typedef struct waiting {
    uint32_t count;
    uint64_t since[]; // by number of the query
} waiting;

static size_t size_of(uint32_t count)
{
    return sizeof(waiting) + count * sizeof(uint64_t);
}

static void cancel(mica_world *world, void *state)
{
    waiting *all = state;
    micai_release(&world->host, all, size_of(all->count), _Alignof(waiting));
}

// The first of that name that has no moment yet.
static void find(const micai_queries *queries, waiting *all, const char *name, uint64_t since)
{
    for (uint32_t n = 0; n < all->count; n++) {
        const micai_query *query = queries->list.items[n];
        if (is_saved(query) && all->since[n] == 0 && strcmp(query->name, name) == 0) {
            all->since[n] = since;
            return;
        }
    }
}

static void *load(mica_world *world, micai_reader *r)
{
    const micai_queries *queries = queries_of(world);
    uint32_t known = queries ? queries->list.count : 0;
    waiting *all = micai_alloc_zeroed(r->host, size_of(known), _Alignof(waiting));
    if (!all) {
        r->failed = r->failed ? r->failed : MICA_ERROR_MEMORY;
        return NULL;
    }
    all->count = known;
    uint32_t count = micai_read(r, begin_list, "queries", UINT32_MAX);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        char name[MICA_NAME_SIZE_MAX + 1];
        micai_read(r, begin_object, NULL);
        micai_read(r, text, "name", name);
        find(queries, all, name, micai_read(r, number, "since", UINT64_MAX >> 1));
        micai_read(r, end, NULL);
    }
    micai_read(r, end, "queries");
    return all;
}

// None is still to come.
static void commit(mica_world *world, void *state)
{
    const waiting *all = state;
    const micai_queries *queries = queries_of(world);
    for (uint32_t n = 0; n < all->count; n++) {
        micai_query *query = queries->list.items[n];
        if (query) {
            query->since = all->since[n] < world->view.tick ? all->since[n] : 0;
        }
    }
    cancel(world, state);
}

const micai_saver micai_query_saver = {"queries", {"queries", NULL}, save, load, commit, cancel};
