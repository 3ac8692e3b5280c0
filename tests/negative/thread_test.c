// The negative table for mica/thread.h.
#include "negative/table.h"

static void run_nothing(void *user, mica_work_fn *work, void *data, uint32_t count)
{
    (void)user, (void)work, (void)data, (void)count;
}

static void workers_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    const mica_workers good = {.run = run_nothing, .count = 2};
    const mica_workers empty = {.run = run_nothing};
    const mica_workers huge = {.run = run_nothing, .count = MICA_THREADS_MAX + 1};

    NULL_WORLD(mica_world_start_workers, FAILS, mica_world_start_workers(w, 2));
    REFUSED(mica_world_start_workers, FAILS, mica_world_start_workers(w, 2));
    FAILS(mica_world_start_workers.threads.huge, MICA_ERROR_ARGUMENT,
          mica_world_start_workers(w, MICA_THREADS_MAX + 1));

    NULL_WORLD(mica_world_worker_count, NULLS, mica_world_worker_count(w));
    ALLOWED(mica_world_worker_count, mica_world_worker_count(w) == 1);

    NULL_WORLD(mica_world_use_workers, FAILS, mica_world_use_workers(w, &good));
    REFUSED(mica_world_use_workers, FAILS, mica_world_use_workers(w, &good));
    SILENT(mica_world_use_workers.workers.null, !mica_world_use_workers(w, NULL));
    FAILS(mica_world_use_workers.workers.zeroed, MICA_ERROR_NULL,
          mica_world_use_workers(w, &(mica_workers){0}));
    FAILS(mica_world_use_workers.workers.empty, MICA_ERROR_ARGUMENT,
          mica_world_use_workers(w, &empty));
    FAILS(mica_world_use_workers.workers.huge, MICA_ERROR_ARGUMENT,
          mica_world_use_workers(w, &huge));

    NULL_WORLD(mica_world_shuffle_workers, FAILS, mica_world_shuffle_workers(w, 1));
    REFUSED(mica_world_shuffle_workers, FAILS, mica_world_shuffle_workers(w, 1));
    table_end(t);
}

static void batches_refuse_bad_arguments(void)
{
    table *t = table_begin();
    mica_world *w = t->world;
    (void)w;
    BAD_ITERS(mica_batch.it, NULLS, MICA_ERROR_ITERATOR, mica_batch(x) != 0);
    BAD_ITERS(mica_batch_seed.it, NULLS, MICA_ERROR_ITERATOR, mica_batch_seed(x) != 0);
    BAD_ITERS(mica_reduce.it, NULLS, MICA_ERROR_ITERATOR, mica_reduce(x));
    table_end(t);
}

TESTS(table_thread, workers_refuse_bad_arguments, batches_refuse_bad_arguments)
