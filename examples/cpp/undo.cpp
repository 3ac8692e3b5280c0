// Undo: each change first saves the whole world to memory, and a step back loads it. Handles stay valid.
#include <mica.hpp>

#include <cstdio>
#include <vector>

struct Stone {
    int x, y;
};

// Images save fields, so the type names them.
template <> struct mica::about<Stone> {
    static mica_type_desc describe()
    {
        return MICA_DESCRIBE(Stone, x, y);
    }
};

class editor {
public:
    template <class Change> bool change(Change change)
    {
        mica::buffer image;
        if (world.save(image) != MICA_OK) {
            return false;
        }
        past.push_back(std::move(image));
        change(world);
        return true;
    }
    bool undo()
    {
        if (past.empty() || world.load(past.back()) != MICA_OK) {
            return false;
        }
        past.pop_back();
        return true;
    }

    mica::world world;

private:
    std::vector<mica::buffer> past;
};

int main()
{
    editor e;
    mica::entity stone = e.world.spawn(Stone{1, 1});
    bool good = e.change([&](mica::face w) { w.get_mut<Stone>(stone)->x = 7; });
    good = good && e.change([&](mica::face w) { w.despawn(stone); });
    std::printf("%s\n", e.world.alive(stone) ? "there" : "gone");
    while (good && e.undo()) {
        mica_entity_print(e.world, stone, NULL);
    }
    return good ? 0 : 1;
}
