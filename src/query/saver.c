// Moments of queries in images: of those that have a name, by which they are found again, whether the program
// creates them before it loads or after. A query that an image does not know sees everything, as a new one does.
#include "query/saver.h"

#include "base/canary.h"
#include "query/query.h"

enum { QUERY }; // the only kind of state that has no owner yet

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
    return query && query->name && query->timed;
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

// Saving

static void save_moment(micai_writer *w, const char *name, uint64_t since)
{
    micai_write(w, begin_object, NULL);
    micai_write(w, text, "name", name);
    micai_write(w, number, "since", since);
    micai_write(w, end, NULL);
}

static void save(mica_world *world, micai_writer *w)
{
    const micai_queries *queries = queries_of(world);
    uint32_t count = queries ? queries->handles.list.count : 0;
    uint32_t saved = queries ? micai_unclaimed_count(&queries->unclaimed, QUERY) : 0;
    for (uint32_t n = 0; n < count; n++) {
        saved += is_saved(queries->handles.list.items[n]);
    }
    micai_write(w, begin_list, "queries", saved);
    for (uint32_t n = 0; n < count; n++) {
        const micai_query *query = queries->handles.list.items[n];
        if (is_saved(query)) {
            save_moment(w, query->name, query->since);
        }
    }
    const micai_unclaimed_item *item = NULL;
    uint32_t place = 0;
    while (queries && (item = micai_unclaimed_next(&queries->unclaimed, QUERY, &place))) {
        save_moment(w, item->name, item->values[0]);
    }
    micai_write(w, end, "queries");
}

// Loading

static void cancel(mica_world *world, void *data)
{
    micai_unclaimed_release(&world->host, data);
}

static void load_moment(micai_reader *r, micai_unclaimed *made)
{
    char name[MICA_NAME_SIZE_MAX + 1];
    micai_unclaimed_item item = {.name = name, .kind = QUERY};
    micai_read(r, begin_object, NULL);
    micai_read(r, text, "name", name);
    item.values[0] = micai_read(r, number, "since", UINT64_MAX >> 1);
    micai_read(r, end, NULL);
    if (!r->failed && !micai_unclaimed_add(r->host, made, item)) {
        r->failed = MICA_ERROR_MEMORY;
    }
}

static void *load(mica_world *world, micai_reader *r)
{
    micai_unclaimed *made = micai_unclaimed_new(r->host);
    uint32_t count = made ? micai_read(r, begin_list, "queries", UINT32_MAX) : 0;
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        load_moment(r, made);
    }
    if (!r->failed && (!made || (made->left > 0 && !micai_queries_open(world)))) {
        r->failed = MICA_ERROR_MEMORY;
    }
    micai_read(r, end, "queries");
    return made;
}

// Queries that exist claim their moments at once; the rest waits for queries that do not exist yet.
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

const micai_saver micai_query_saver = {"queries", {"queries"}, save, load, commit, cancel};
