// Undo and redo: an editor takes a snapshot after each edit. Undo restores the previous one, redo the next one. Code
// that changes the world does not need to know how to undo that. Handles stay valid.
#include <mica.h>
#include <stdio.h>

typedef struct {
    int x, y;
} Shape;

typedef struct {
    mica_world *world;
    mica_type shape;
    mica_entity selected; // memory of the program; it goes back and forth with the world
} Editor;

static bool begin(Editor *e)
{
    e->world = mica_world_new(NULL);
    e->shape = MICA_REGISTER(e->world, Shape, x, y);
    // With `redo`, a restore keeps the later snapshots, until another one is taken. The budget drops the oldest ones.
    mica_time_desc desc = {.redo = true, .budget = 1 << 20};
    return mica_time_begin(e->world, &desc) == MICA_OK &&
           mica_time_include(e->world, &e->selected, sizeof e->selected, "selection") == MICA_OK &&
           !MICA_IS_NONE(mica_snapshot_take(e->world)); // the empty scene
}

static void show(Editor *e, const char *what)
{
    const char *name = MICA_IS_NONE(e->selected) ? NULL : mica_entity_name(e->world, e->selected);
    printf("%-16s", what);
    mica_snapshot s = mica_snapshot_next(e->world, (mica_snapshot){0}); // the oldest
    while (!MICA_IS_NONE(s)) {
        putchar(MICA_EQUAL(s, mica_snapshot_current(e->world)) ? '*' : '.');
        s = mica_snapshot_next(e->world, s);
    }
    printf(" %u shapes, ", (unsigned)mica_entity_count(e->world));
    if (name) {
        const Shape *shape = MICA_GET(e->world, e->selected, e->shape, Shape);
        printf("%s at %d, %d\n", name, shape->x, shape->y);
    } else {
        printf("nothing selected\n");
    }
}

// Every edit ends with this.
static void end_edit(Editor *e, const char *what)
{
    if (MICA_IS_NONE(mica_snapshot_take(e->world))) {
        printf("this edit cannot be undone\n");
    }
    show(e, what);
}

static void place(Editor *e, const char *name, int x, int y)
{
    e->selected = mica_spawn(e->world, MICA_VALUE(e->shape, Shape, x, y));
    mica_entity_set_name(e->world, e->selected, name);
    end_edit(e, name);
}

static void move(Editor *e, int x, int y)
{
    mica_set(e->world, e->selected, MICA_VALUE(e->shape, Shape, x, y));
    end_edit(e, "move");
}

static void delete (Editor *e)
{
    mica_despawn(e->world, e->selected);
    e->selected = (mica_entity){0};
    end_edit(e, "delete");
}

static void go_to(Editor *e, mica_snapshot snapshot, const char *what)
{
    if (MICA_IS_NONE(snapshot)) {
        printf("%-16snothing is left\n", what);
    } else if (mica_snapshot_restore(e->world, snapshot) == MICA_OK) {
        show(e, what);
    }
}

static void undo(Editor *e)
{
    go_to(e, mica_snapshot_previous(e->world, mica_snapshot_current(e->world)), "undo");
}

static void redo(Editor *e)
{
    go_to(e, mica_snapshot_next(e->world, mica_snapshot_current(e->world)), "redo");
}

int main(void)
{
    Editor e = {0};
    if (!begin(&e)) {
        return 1;
    }
    place(&e, "circle", 1, 1);
    place(&e, "square", 5, 2);
    move(&e, 6, 3);
    delete (&e);

    undo(&e); // the same handle: it lives again
    undo(&e);
    undo(&e);
    redo(&e);
    place(&e, "star", 9, 9); // a new edit: the old future is gone
    redo(&e);
    for (int i = 0; i < 4; i++) {
        undo(&e);
    }
    mica_world_free(e.world);
}
