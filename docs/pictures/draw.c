// Draws where the values of a small world lie in memory, for one storage: an SVG on standard output.
//
// usage: draw STORAGE
//
// The picture shows real addresses: the program reads the address of every field of every entity, and draws
// neighbours in memory as neighbours. A test compares the pictures in this folder with the output.
#include <mica.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Place {
    float x, y;
} Place;

typedef struct Speed {
    float u, v;
} Speed;

// Memory is cut from one block, from front to back, so that the order of addresses is the same in every
// run.
static _Alignas(4096) unsigned char memory[1 << 21];
static size_t used;

static void *cut(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    (void)user;
    if (new_size == 0) {
        return NULL;
    }
    used = (used + align - 1) / align * align;
    if (used + new_size > sizeof memory) {
        return NULL;
    }
    void *given = memory + used;
    used += new_size;
    if (block) {
        memcpy(given, block, old_size < new_size ? old_size : new_size);
    }
    return given;
}

// One field of one entity.
typedef struct cell {
    uintptr_t at;
    char letter;
    uint32_t entity;
} cell;

enum { CELLS_MAX = 256, ENTITIES = 12 };

typedef struct picture {
    cell cells[CELLS_MAX];
    uint32_t count;
    uint32_t kind[ENTITIES]; // per entity: its set of components
} picture;

static void see(picture *p, mica_iter *it, uint32_t offset, char letter)
{
    mica_read_fields field = mica_read_field(it, 0, offset, (uint32_t)sizeof(float), NULL);
    for (uint32_t i = 0; i < it->count && p->count < CELLS_MAX; i++) {
        p->cells[p->count++] = (cell){.at = (uintptr_t)mica_read_in(field, i),
                                      .letter = letter,
                                      .entity = mica_entity_slot(it->entities[i])};
    }
}

static void see_all(picture *p, mica_world *world, mica_type type, const char *letters)
{
    mica_query query = mica_query_new(world, &(mica_query_desc){.terms = {{type, MICA_READ}}});
    mica_iter it;
    mica_iter_begin(world, query, &it);
    while (mica_iter_next(&it)) {
        see(p, &it, 0, letters[0]);
        see(p, &it, (uint32_t)sizeof(float), letters[1]);
    }
    mica_query_free(world, query);
}

static int compare(const void *a, const void *b)
{
    const cell *x = a;
    const cell *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static const char *const colours[] = {"#f2c94c", "#6fb1e8", "#7fc796"};
static const char *const kinds[] = {"Place, Speed, Still", "Place, Speed", "Place"};
enum { WIDE = 30, HIGH = 26, LEFT = 12, TOP = 62, GAP = 14 };

static void draw_legend(void)
{
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t x = LEFT + k * 190;
        printf("<rect x=\"%u\" y=\"32\" width=\"14\" height=\"14\" fill=\"%s\"/>\n", (unsigned)x,
               colours[k]);
        printf("<text x=\"%u\" y=\"44\">%s</text>\n", (unsigned)x + 20, kinds[k]);
    }
}

// A block of memory in a row of its own; a long one goes on below.
static void draw(const picture *p, const char *name)
{
    uint32_t rows = 1;
    uint32_t widest = 1;
    uint32_t length = 1;
    for (uint32_t i = 1; i < p->count; i++) {
        bool beside = p->cells[i].at == p->cells[i - 1].at + sizeof(float);
        rows += !beside;
        length = beside ? length + 1 : 1;
        widest = length > widest ? length : widest;
    }
    unsigned width = 2 * LEFT + (widest * WIDE > 580 ? widest * WIDE : 580);
    unsigned height = TOP + rows * (HIGH + GAP);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
           "font-family=\"monospace\" font-size=\"12\">\n",
           width, height);
    printf("<rect width=\"%u\" height=\"%u\" fill=\"white\"/>\n", width, height);
    printf("<text x=\"%d\" y=\"20\" font-weight=\"bold\">%s: neighbours in memory</text>\n", LEFT,
           name);
    draw_legend();
    uint32_t row = 0;
    uint32_t column = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const cell *c = &p->cells[i];
        if (i > 0) {
            bool beside = c->at == p->cells[i - 1].at + sizeof(float);
            row += !beside;
            column = beside ? column + 1 : 0;
        }
        unsigned x = LEFT + column * WIDE;
        unsigned y = TOP + row * (HIGH + GAP);
        printf("<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#444\"/>"
               "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">%c%u</text>\n",
               x, y, WIDE, HIGH, colours[p->kind[c->entity]], x + WIDE / 2, y + 17, c->letter,
               (unsigned)c->entity);
    }
    printf("</svg>\n");
}

static int fail(const char *what)
{
    fprintf(stderr, "draw: %s\n", what);
    return EXIT_FAILURE;
}

int main(int argument_count, char **arguments)
{
    static const struct {
        const char *name;
        mica_storage storage;
    } storages[] = {
        {"table", MICA_TABLE}, {"split", MICA_SPLIT}, {"sparse", MICA_SPARSE}, {"ring", MICA_RING}};
    const char *name = argument_count == 2 ? arguments[1] : "";
    uint32_t s = 0;
    while (s < sizeof storages / sizeof *storages && strcmp(name, storages[s].name) != 0) {
        s++;
    }
    if (s == sizeof storages / sizeof *storages) {
        return fail("usage: draw table|split|sparse|ring");
    }
    mica_world *world = mica_world_new(&(mica_world_desc){.allocator.resize = cut});
    if (!world) {
        return fail("no world");
    }
    mica_type_desc desc = MICA_DESCRIBE(Place, x, y);
    desc.storage = storages[s].storage;
    mica_type place = mica_type_register(world, &desc);
    desc = MICA_DESCRIBE(Speed, u, v);
    desc.storage = storages[s].storage;
    mica_type speed = mica_type_register(world, &desc);
    mica_type still = MICA_TAG(world, Still);
    static const uint32_t counts[] = {3, 5, 4};
    static picture p;
    uint32_t entity = 0;
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < counts[k]; i++) {
            mica_entity e = mica_spawn(world, MICA_VALUE(place, Place, 0, 0));
            p.kind[entity++] = k;
            if (k < 2) {
                mica_set(world, e, MICA_VALUE(speed, Speed, 0, 0));
            }
            if (k < 1) {
                mica_add(world, e, still);
            }
        }
    }
    mica_world_compact(world);
    see_all(&p, world, place, "xy");
    see_all(&p, world, speed, "uv");
    qsort(p.cells, p.count, sizeof *p.cells, compare);
    draw(&p, name);
    mica_world_free(world);
}
