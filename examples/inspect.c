// Looking in: a summary of a world as JSON, made with public functions alone. An inspector would send it to a
// browser.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;
typedef struct {
    int32_t amount;
} Damage;

static const char *name_of(mica_world *world, mica_type type)
{
    return mica_type_get_info(world, type)->name;
}

static void show_tables(mica_world *world)
{
    mica_table_info table;
    printf("  \"tables\": [");
    for (uint32_t t = 0; mica_table_get_info(world, t, &table); t++) {
        printf("%s\n    {\"rows\": %u, \"components\": {", t > 0 ? "," : "", (unsigned)table.rows);
        mica_column_info column;
        for (uint32_t c = 0; mica_column_get_info(world, t, c, &column); c++) {
            printf("%s\"%s\": %s", c > 0 ? ", " : "", name_of(world, column.type),
                   column.bytes > 0 ? "\"values\"" : "\"tag\"");
        }
        printf("}}");
    }
    printf("\n  ],\n");
}

static void show_pools(mica_world *world)
{
    const char *comma = "";
    printf("  \"pools\": {");
    for (mica_type t = mica_type_next(world, (mica_type){0}); !MICA_IS_NONE(t);
         t = mica_type_next(world, t)) {
        mica_pool_info pool;
        if (mica_pool_get_info(world, t, &pool)) {
            printf("%s\"%s\": %u", comma, name_of(world, t), (unsigned)pool.count);
            comma = ", ";
        }
    }
    printf("},\n");
}

static const char *const accesses[MICA_ACCESS_COUNT] = {
    "none", "read", "write", "with", "without", "optional", "optional write", "any"};

static void show_systems(mica_world *world)
{
    printf("  \"systems\": [");
    mica_system first = mica_system_next(world, (mica_system){0});
    for (mica_system s = first; !MICA_IS_NONE(s); s = mica_system_next(world, s)) {
        mica_system_info system;
        mica_system_get_info(world, s, &system);
        printf("%s\n    {\"name\": \"%s\", \"runs\": %u, \"rows\": %u, \"terms\": {",
               MICA_EQUAL(s, first) ? "" : ",", system.name, (unsigned)system.stats.runs,
               (unsigned)system.stats.rows);
        mica_query_info query;
        mica_query_get_info(world, system.query, &query);
        for (uint32_t i = 0; i < query.terms; i++) {
            mica_term term = mica_query_term(world, system.query, i);
            printf("%s\"%s\": \"%s\"", i > 0 ? ", " : "", name_of(world, term.type),
                   accesses[term.access & 0xff]);
        }
        printf("}, \"matches\": %u}", (unsigned)mica_query_count(world, system.query));
    }
    printf("\n  ],\n");
}

// Which values of a component changed since a moment, as stretches of rows.
static void show_changes(mica_world *world, mica_type type, uint64_t since)
{
    const char *comma = "";
    printf("  \"changed\": [");
    mica_table_info table;
    for (uint32_t t = 0; mica_table_get_info(world, t, &table); t++) {
        mica_row_range s;
        for (uint32_t row = 0; mica_table_range(world, t, type, row, &s); row = s.row + s.count) {
            if (s.changed > since) {
                const Position *p = s.data;
                printf("%s{\"table\": %u, \"from\": %u, \"count\": %u, \"first\": [%g, %g]}", comma,
                       (unsigned)t, (unsigned)s.row, (unsigned)s.count, (double)p[0].x,
                       (double)p[0].y);
                comma = ", ";
            }
        }
    }
    printf("]\n");
}

static void move(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * it->dt;
        p[i].y += v[i].y * it->dt;
    }
}

int main(void)
{
    mica_world *w = mica_world_new(NULL);
    mica_type position = MICA_REGISTER(w, Position, x, y);
    mica_type velocity = MICA_REGISTER(w, Velocity, x, y);
    mica_type damage = MICA_REGISTER_SPARSE(w, Damage, amount);
    mica_type rock = MICA_TAG(w, Rock);
    for (int i = 0; i < 3; i++) {
        mica_spawn(w, MICA_VALUE(position, Position, 0, 0), MICA_VALUE(velocity, Velocity, 1, 2));
    }
    mica_entity e = mica_spawn(w, MICA_VALUE(position, Position, 7, 7), MICA_ADD(rock));
    mica_set(w, e, MICA_VALUE(damage, Damage, 5));
    mica_system_add(
        w, &(mica_system_desc){.name = "move",
                               .update = move,
                               .query.terms = {{position, MICA_WRITE}, {velocity, MICA_READ}}});

    uint64_t seen = mica_world_tick(w);
    mica_step(w, 0.5);
    printf("{\n");
    show_tables(w);
    show_pools(w);
    show_systems(w);
    show_changes(w, position, seen);
    printf("}\n");
    mica_world_free(w);
    return 0;
}
