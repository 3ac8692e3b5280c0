// The operation that saves the world and loads it in its own place. Nothing is to be different
// afterwards: all that is compared after each operation, what is seen of changes included.
#include <string.h>

#include "model/tape.h"

void library_reload(lab *l, const tape_op *op, outcome *got)
{
    mica_buffer first = {0};
    mica_buffer second = {0};
    uint64_t digest = mica_world_digest(l->world);
    (void)op;
    got->code = mica_world_save(l->world, &(mica_stream){.buffer = &first}, NULL);
    if (!got->code) {
        got->code = mica_world_load(l->world, &(mica_stream){.buffer = &first}, NULL);
    }
    if (!got->code && digest != mica_world_digest(l->world)) {
        lab_differ(l, "a world that was loaded has another digest");
    }
    if (!got->code) {
        got->code = mica_world_save(l->world, &(mica_stream){.buffer = &second}, NULL);
    }
    if (!got->code &&
        (first.size != second.size || memcmp(first.data, second.data, first.size) != 0)) {
        lab_differ(l, "a world that was loaded is saved as another");
    }
    if (!got->code) {
        memset(l->cursors, 0, sizeof l->cursors);
        memset(l->places, 0, sizeof l->places);
    }
    mica_buffer_free(&first);
    mica_buffer_free(&second);
}

void model_of_reload(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    (void)op, (void)got;
    want->code = model_is_open(m) ? MICA_ERROR_ITERATING : MICA_OK;
    if (!want->code) {
        model_forget_cursors(m);
        model_drop_all(m);
    }
}
