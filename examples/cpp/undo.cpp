// Undo and redo: an editor takes a snapshot after each change, and goes back and forth between them. Handles stay
// valid. Snapshots have no classes of their own in C++: the functions of C take a world of mica.hpp.
#include <mica.hpp>

#include <cstdio>

struct Stone {
    int x, y;
};

template <> struct mica::about<Stone> {
    static mica_type_desc describe()
    {
        return MICA_DESCRIBE(Stone, x, y);
    }
};

class editor {
public:
    editor()
    {
        mica_time_desc desc = {};
        desc.redo = true; // a restore keeps the later snapshots, until another one is taken
        good = mica_time_begin(world, &desc) == MICA_OK && end_change();
    }
    template <class Change> void change(Change change)
    {
        change(world);
        good = end_change() && good;
    }
    bool undo()
    {
        return go_to(mica_snapshot_previous(world, mica_snapshot_current(world)));
    }
    bool redo()
    {
        return go_to(mica_snapshot_next(world, mica_snapshot_current(world)));
    }

    mica::world world;
    bool good;

private:
    bool end_change()
    {
        return mica_snapshot_take(world).bits != 0;
    }
    bool go_to(mica_snapshot snapshot)
    {
        return snapshot.bits != 0 && mica_snapshot_restore(world, snapshot) == MICA_OK;
    }
};

int main()
{
    editor e;
    mica::entity stone;
    e.change([&](mica::face w) { stone = w.spawn(Stone{1, 1}); });
    e.change([&](mica::face w) { w.get_mut<Stone>(stone)->x = 7; });
    e.change([&](mica::face w) { w.despawn(stone); });
    while (e.undo()) {
        std::printf("undo: ");
        if (e.world.alive(stone)) {
            mica_entity_print(e.world, stone, NULL);
        } else {
            std::printf("nothing\n");
        }
    }
    while (e.redo()) {
        std::printf("redo: %s\n", e.world.alive(stone) ? "there" : "gone");
    }
    return e.good ? 0 : 1;
}
