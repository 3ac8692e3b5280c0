// Saves the moments of queries in images. A query is found again by its name. The program may
// create it before or after it loads the image. A query that is not in the image selects all
// changes, as a new query does.
#include "query/saver.h"

#include "base/canary.h"
#include "query/query.h"

enum { QUERY }; // the only kind of unclaimed item

static micai_queries *queries_of(const mica_world *world)
{
    return world->state->modules[MICAI_MODULE_QUERY].data;
}

void micai_query_set_moment(const mica_world *world, micai_query *query, uint64_t moment)
{
    query->since = moment < world->view.tick ? moment : 0;
}

static bool is_saved(const micai_query *query)
{
    return query && query->name && query->change_filtered;
}

void micai_query_resume(mica_world *world, micai_query *query)
{
    uint64_t values[2];
    if (MICAI_CANARY("query.resume")) {
        return;
    }
    if (is_saved(query) && micai_unclaimed_claim(&world->host, &queries_of(world)->unclaimed, QUERY,
                                                 query->name, 0, values)) {
        micai_query_set_moment(world, query, values[0]);
    }
}

static void serialize_moment(micai_archive *a, micai_unclaimed_item *item)
{
    const char *name = item->name;
    micai_serialize(a, begin_object, NULL);
    micai_serialize(a, text, "name", &name);
    micai_serialize(a, number, "since", &item->values[0], UINT64_MAX >> 1);
    micai_serialize(a, end, NULL);
    item->name = (char *)name;
}

static void save(mica_world *world, micai_archive *a)
{
    const micai_queries *queries = a->partial ? NULL : queries_of(world);
    uint32_t count = queries ? queries->handles.list.count : 0;
    micai_unclaimed moments = {0};
    for (uint32_t n = 0; n < count; n++) {
        const micai_query *query = queries->handles.list.items[n];
        if (is_saved(query)) {
            micai_unclaimed_item item = {
                .name = query->name, .kind = QUERY, .values = {query->since}};
            micai_unclaimed_gather(a, &moments, item);
        }
    }
    if (queries) {
        micai_unclaimed_gather_all(a, &moments, &queries->unclaimed);
    }
    micai_unclaimed_serialize(a, "queries", QUERY, serialize_moment, &moments);
    micai_unclaimed_free(a->host, &moments);
}

static void *load(mica_world *world, micai_archive *a)
{
    micai_unclaimed *made = micai_unclaimed_new(a->host);
    if (!made) {
        micai_archive_fail_memory(a);
        return NULL;
    }
    micai_unclaimed_serialize(a, "queries", QUERY, serialize_moment, made);
    if (!a->failed && made->left > 0 && !micai_queries_open(world)) {
        micai_archive_fail_memory(a);
    }
    return made;
}

static void cancel(mica_world *world, void *data)
{
    micai_unclaimed_release(&world->host, data);
}

// Existing queries claim their moments now. The others are kept for queries that will be created.
static void commit(mica_world *world, void *data)
{
    micai_queries *queries = queries_of(world);
    if (queries) {
        micai_unclaimed_replace(&world->host, &queries->unclaimed, data);
        MICAI_FOR_HANDLES(micai_query, query, &queries->handles)
        {
            query->since = 0;
            micai_query_resume(world, query);
        }
    }
    cancel(world, data);
}

const micai_saver micai_query_saver = {"queries", save, load, commit, cancel};
