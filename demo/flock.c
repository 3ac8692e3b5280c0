// The simulation. Birds follow their neighbours through a grid. Each cell stores the mean of the birds in it, so a
// bird reads nine numbers instead of thousands of other birds. Systems that take long run on several threads: they
// read the grid, and record what they do besides. Read the file from the end: flock_begin() lists the types and the
// order of the systems.
#include "flock.h"

#include <math.h>
#include <string.h>

// Snapshots take at most so many bytes. Beyond that, old ones become fewer; the last seconds stay as they are.
static const mica_time_desc history = {
    .budget = (size_t)256 << 20, .thin = true, .dense = 30, .redo = true};

enum { COLUMNS = FLOCK_WIDTH / FLOCK_CELL, ROWS = (FLOCK_HEIGHT + FLOCK_CELL - 1) / FLOCK_CELL };

static const float bird_speed = 60;
static const float hawk_speed = 95;

// What birds see of a part of the plain.
typedef struct {
    float count, x, y, vx, vy; // birds: how many, and their means
    float push_x, push_y;      // away from rocks
    float fear_x, fear_y;      // away from hawks; of length 1 next to one
    float food;
} Cell;

typedef struct {
    Cell cells[ROWS][COLUMNS];
} Grid;

typedef struct {
    mica_entity hawk;
} Caught;

// Small things

static uint32_t random_bits(flock *f)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return (uint32_t)(f->random >> 32);
}

// From 0 to 1.
static float random_part(flock *f)
{
    return (float)(random_bits(f) >> 8) * 0x1p-24f;
}

// The same for a bird, on any thread: it follows from the seed of the batch and the bird.
static float random_part_of(const mica_iter *it, uint32_t i)
{
    uint64_t bits = (mica_batch_seed(it) ^ it->entities[i].bits) * UINT64_C(0x9e3779b97f4a7c15);
    return (float)(bits >> 40) * 0x1p-24f;
}

static const Cell *see(const Grid *grid, Position p)
{
    int column = (int)(p.x * (1.0f / FLOCK_CELL));
    int row = (int)(p.y * (1.0f / FLOCK_CELL));
    return &grid->cells[row][column];
}

static Cell *cell_at(Grid *grid, Position p)
{
    return &grid->cells[0][0] + (see(grid, p) - &grid->cells[0][0]);
}

static Velocity at_speed(float x, float y, float speed)
{
    float scale = speed / sqrtf(x * x + y * y + 1e-6f);
    return (Velocity){x * scale, y * scale};
}

// Gathering: all birds into the grid

static void push_from_rocks(flock *f, Grid *grid)
{
    mica_iter it;
    mica_iter_begin(f->world, f->rocks, &it);
    while (mica_iter_next(&it)) {
        const Position *at = mica_read(&it, 0);
        const Rock *rock = mica_read(&it, 1);
        for (uint32_t i = 0; i < it.count; i++) {
            float reach = rock[i].radius + 3 * FLOCK_CELL;
            for (int row = 0; row < ROWS; row++) {
                for (int column = 0; column < COLUMNS; column++) {
                    float dx = ((float)column + 0.5f) * FLOCK_CELL - at[i].x;
                    float dy = ((float)row + 0.5f) * FLOCK_CELL - at[i].y;
                    float distance = sqrtf(dx * dx + dy * dy);
                    if (distance < reach) {
                        float force = (reach - distance) / (3 * FLOCK_CELL * (distance + 1));
                        grid->cells[row][column].push_x += dx * force;
                        grid->cells[row][column].push_y += dy * force;
                    }
                }
            }
        }
    }
}

static void begin_gathering(mica_iter *it)
{
    const flock *f = it->user;
    Grid *grid = MICA_RESOURCE_MUT(it->world, f->grid, Grid);
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            Cell *cell = &grid->cells[row][column];
            cell->count = cell->x = cell->y = cell->vx = cell->vy = 0;
            cell->fear_x = cell->fear_y = 0;
            cell->food = fminf(cell->food + 0.55f * it->dt, 3);
        }
    }
}

static void gather(mica_iter *it)
{
    const flock *f = it->user;
    Grid *grid = MICA_RESOURCE_MUT(it->world, f->grid, Grid);
    const Position *p = mica_read(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        Cell *cell = cell_at(grid, p[i]);
        cell->count += 1;
        cell->x += p[i].x;
        cell->y += p[i].y;
        cell->vx += v[i].x;
        cell->vy += v[i].y;
    }
}

// Leaders wander, and count for many.
static void lead(mica_iter *it)
{
    flock *f = it->user;
    Grid *grid = MICA_RESOURCE_MUT(it->world, f->grid, Grid);
    const Position *p = mica_read(it, 0);
    Velocity *v = mica_write(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        float turn = (random_part(f) - 0.5f) * 4 * it->dt;
        v[i] = at_speed(v[i].x - v[i].y * turn, v[i].y + v[i].x * turn, bird_speed);
        Cell *cell = cell_at(grid, p[i]);
        cell->vx += 30 * v[i].x;
        cell->vy += 30 * v[i].y;
    }
}

// Sums become means.
static void average(mica_iter *it)
{
    const flock *f = it->user;
    Grid *grid = MICA_RESOURCE_MUT(it->world, f->grid, Grid);
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            Cell *cell = &grid->cells[row][column];
            float part = cell->count > 0 ? 1 / cell->count : 0;
            cell->x *= part;
            cell->y *= part;
            cell->vx *= part;
            cell->vy *= part;
        }
    }
}

// Hawks

// The best cell around, and its value.
static Position look_for_birds(const Grid *grid, Position p, Velocity v)
{
    Position best = {p.x + v.x, p.y + v.y};
    float most = 0;
    for (int dy = -8; dy <= 8; dy += 2) {
        for (int dx = -8; dx <= 8; dx += 2) {
            Position there = {p.x + (float)(dx * FLOCK_CELL), p.y + (float)(dy * FLOCK_CELL)};
            if (there.x < 0 || there.y < 0 || there.x >= FLOCK_WIDTH || there.y >= FLOCK_HEIGHT) {
                continue;
            }
            float ahead = (float)dx * v.x + (float)dy * v.y > 0 ? 2.0f : 1.0f; // no sharp turns
            float worth = see(grid, there)->count * ahead;
            if (worth > most) {
                most = worth;
                best = there;
            }
        }
    }
    return best;
}

static void frighten(Grid *grid, Position p)
{
    const int reach = 5;
    for (int dy = -reach; dy <= reach; dy++) {
        for (int dx = -reach; dx <= reach; dx++) {
            Position there = {p.x + (float)(dx * FLOCK_CELL), p.y + (float)(dy * FLOCK_CELL)};
            float distance = sqrtf((float)(dx * dx + dy * dy));
            if (distance <= (float)reach && there.x >= 0 && there.y >= 0 && there.x < FLOCK_WIDTH &&
                there.y < FLOCK_HEIGHT) {
                Cell *cell = cell_at(grid, there);
                float force = (1 - distance / (float)(reach + 1)) / (distance + 0.5f);
                cell->fear_x += dx || dy ? (float)dx * force : 1;
                cell->fear_y += (float)dy * force;
            }
        }
    }
}

static void hunt(mica_iter *it)
{
    const flock *f = it->user;
    Grid *grid = MICA_RESOURCE_MUT(it->world, f->grid, Grid);
    const Position *p = mica_read(it, 0);
    Velocity *v = mica_write(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        Position prey = look_for_birds(grid, p[i], v[i]);
        v[i] = at_speed(v[i].x + (prey.x - p[i].x) * 2 * it->dt,
                        v[i].y + (prey.y - p[i].y) * 2 * it->dt, hawk_speed);
        frighten(grid, p[i]);
    }
}

// Birds

// On several threads, so panic is recorded: it begins when the phase ends.
static void steer(mica_iter *it)
{
    const flock *f = it->user;
    const Grid *grid = MICA_RESOURCE(it->world, f->grid, Grid);
    const Position *p = mica_read(it, 0);
    Velocity *v = mica_write(it, 1);
    float follow = fminf(3 * it->dt, 1);
    float gather_in = 0.8f * it->dt;
    for (uint32_t i = 0; i < it->count; i++) {
        const Cell *cell = see(grid, p[i]);
        // As they fly, towards their middle; or away from it, where it is crowded.
        float crowd = cell->count > 12 ? -3.0f : 1.0f;
        float x = v[i].x + (cell->vx - v[i].x) * follow + (cell->x - p[i].x) * crowd * gather_in;
        float y = v[i].y + (cell->vy - v[i].y) * follow + (cell->y - p[i].y) * crowd * gather_in;
        x += cell->push_x * bird_speed * 12 * it->dt;
        y += cell->push_y * bird_speed * 12 * it->dt;
        v[i] = at_speed(x, y, bird_speed);
        bool afraid = cell->fear_x != 0 || cell->fear_y != 0;
        if (afraid && !mica_is_enabled(it->world, it->entities[i], f->panic)) {
            mica_enable(it->world, it->entities[i], f->panic); // nothing moves: a flag is set
        }
    }
}

// Only birds that panic. On several threads, too.
static void flee(mica_iter *it)
{
    const flock *f = it->user;
    const Grid *grid = MICA_RESOURCE(it->world, f->grid, Grid);
    const Position *p = mica_read(it, 0);
    Velocity *v = mica_write(it, 1);
    Panic *panic = mica_write(it, 2);
    for (uint32_t i = 0; i < it->count; i++) {
        const Cell *cell = see(grid, p[i]);
        float fear = cell->fear_x * cell->fear_x + cell->fear_y * cell->fear_y;
        v[i] = at_speed(v[i].x + cell->fear_x * 900 * it->dt, v[i].y + cell->fear_y * 900 * it->dt,
                        bird_speed * 1.5f);
        panic[i].seconds = fear > 0 ? 1.0f : panic[i].seconds - it->dt;
        if (panic[i].seconds <= 0) {
            mica_disable(it->world, it->entities[i], f->panic);
        } else if (fear > 0.6f && random_part_of(it, i) < 0.9f * it->dt) {
            mica_send(it->world, MICA_VALUE(f->caught, Caught, it->entities[i]));
            mica_despawn(it->world, it->entities[i]);
        }
    }
}

// They eat what grows where they are, share what they have with a young one, or starve.
static void feed(mica_iter *it)
{
    flock *f = it->user;
    Grid *grid = MICA_RESOURCE_MUT(it->world, f->grid, Grid);
    Census *census = MICA_RESOURCE_MUT(it->world, f->census, Census);
    const Position *p = mica_read(it, 0);
    const Velocity *v = mica_read(it, 1);
    Energy *energy = mica_write(it, 2);
    for (uint32_t i = 0; i < it->count; i++) {
        Cell *cell = cell_at(grid, p[i]);
        float eaten = fminf(cell->food, 0.4f * it->dt);
        cell->food -= eaten;
        energy[i].left += eaten - 0.1f * it->dt;
        if (energy[i].left < 0) {
            mica_despawn(mica_later(it), it->entities[i]);
            census->starved++;
        } else if (energy[i].left > 2) {
            energy[i].left = 1;
            mica_world *later = mica_later(it);
            mica_entity young = mica_spawn(later, MICA_COPY_OF(f->position, p[i]),
                                           MICA_VALUE(f->velocity, Velocity, -v[i].x, v[i].y),
                                           MICA_VALUE(f->energy, Energy, 1), MICA_ADD(f->panic));
            mica_disable(later, young, f->panic);
            census->born++;
        }
    }
}

// Flight: in steps of their own, however long a frame takes

static void move(mica_iter *it)
{
    Position *p = mica_write(it, 0);
    const Velocity *v = mica_read(it, 1);
    for (uint32_t i = 0; i < it->count; i++) {
        float x = p[i].x + v[i].x * it->dt;
        float y = p[i].y + v[i].y * it->dt;
        x = x < 0 ? x + FLOCK_WIDTH : x;
        y = y < 0 ? y + FLOCK_HEIGHT : y;
        p[i].x = x >= FLOCK_WIDTH ? x - FLOCK_WIDTH : x;
        p[i].y = y >= FLOCK_HEIGHT ? y - FLOCK_HEIGHT : y;
    }
}

// Once a frame

static void count(mica_iter *it)
{
    flock *f = it->user;
    Census *census = MICA_RESOURCE_MUT(it->world, f->census, Census);
    uint32_t caught;
    while (mica_events_unread(it, f->caught, &caught)) {
        census->caught += caught;
    }
    census->birds = mica_query_count(it->world, f->birds);
}

static void count_panic(mica_iter *it)
{
    const flock *f = it->user;
    MICA_RESOURCE_MUT(it->world, f->census, Census)->panicking += it->count;
}

static void begin_counting(mica_iter *it)
{
    const flock *f = it->user;
    MICA_RESOURCE_MUT(it->world, f->census, Census)->panicking = 0;
}

// Going back

// Takes a snapshot, and forgets those that were dropped.
static void remember(flock *f)
{
    flock_moment now = {mica_snapshot_take(f->world), f->frame};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->moment_count; i++) {
        if (mica_snapshot_is_kept(f->world, f->moments[i].snapshot)) {
            f->moments[kept++] = f->moments[i];
        }
    }
    if (kept == FLOCK_MOMENTS) {
        mica_snapshot_drop(f->world, f->moments[0].snapshot);
        memmove(f->moments, f->moments + 1, --kept * sizeof *f->moments);
    }
    f->moment_count = kept;
    if (!MICA_IS_NONE(now.snapshot)) {
        f->moment_now = kept;
        f->moments[f->moment_count++] = now;
    }
}

bool flock_go(flock *f, int by)
{
    uint32_t target = f->moment_now + (uint32_t)by; // before the first one, a large number
    if (target >= f->moment_count ||
        mica_snapshot_restore(f->world, f->moments[target].snapshot) != MICA_OK) {
        return false;
    }
    f->moment_now = target;
    return true;
}

// The state of the program that systems use is part of snapshots.
static bool begin_history(flock *f)
{
    mica_world *w = f->world;
    return mica_time_begin(w, &history) == MICA_OK &&
           mica_time_include(w, &f->random, sizeof f->random, "random") == MICA_OK &&
           mica_time_include(w, &f->frame, sizeof f->frame, "frame") == MICA_OK;
}

// Making it

static void add_birds(flock *f, uint32_t birds)
{
    for (uint32_t i = 0; i < birds; i++) {
        float angle = random_part(f) * 6.2831853f;
        mica_entity bird = mica_spawn(
            f->world,
            MICA_VALUE(f->position, Position, random_part(f) * (FLOCK_WIDTH - 1),
                       random_part(f) * (FLOCK_HEIGHT - 1)),
            MICA_VALUE(f->velocity, Velocity, cosf(angle) * bird_speed, sinf(angle) * bird_speed),
            MICA_VALUE(f->energy, Energy, 0.5f + random_part(f)), MICA_ADD(f->panic));
        mica_disable(f->world, bird, f->panic);
        if (i % 1000 == 0) {
            mica_add(f->world, bird, f->leader);
        }
    }
}

void flock_add(flock *f, uint32_t birds)
{
    add_birds(f, birds);
    remember(f);
}

void flock_remove(flock *f, uint32_t birds)
{
    while (birds-- > 0 && mica_query_count(f->world, f->birds) > 0) {
        mica_despawn(f->world, mica_query_first(f->world, f->birds));
    }
    remember(f);
}

static void add_hawks_and_rocks(flock *f)
{
    for (int i = 0; i < 12; i++) {
        mica_spawn(f->world,
                   MICA_VALUE(f->position, Position, random_part(f) * (FLOCK_WIDTH - 1),
                              random_part(f) * (FLOCK_HEIGHT - 1)),
                   MICA_VALUE(f->velocity, Velocity, hawk_speed, 0), MICA_ADD(f->hawk));
    }
    for (int i = 0; i < 9; i++) {
        mica_spawn(f->world,
                   MICA_VALUE(f->position, Position, 120 + random_part(f) * (FLOCK_WIDTH - 240),
                              120 + random_part(f) * (FLOCK_HEIGHT - 240)),
                   MICA_VALUE(f->rock, Rock, 20 + 40 * random_part(f)));
    }
}

static void register_types(flock *f)
{
    mica_world *w = f->world;
    f->position = MICA_REGISTER(w, Position, x, y);
    f->velocity = MICA_REGISTER(w, Velocity, x, y);
    f->energy = MICA_REGISTER(w, Energy, left);
    mica_type_desc panic = MICA_DESCRIBE(Panic, seconds);
    panic.toggle = true;
    f->panic = mica_type_register(w, &panic);
    f->leader = MICA_SPARSE_TAG(w, Leader);
    f->hawk = MICA_REGISTER(w, Hawk, catches);
    f->rock = MICA_REGISTER(w, Rock, radius);
    f->grid = mica_type_register(
        w, &(mica_type_desc){.name = "Grid", .size = sizeof(Grid), .align = _Alignof(Grid)});
    f->census = MICA_REGISTER(w, Census, birds, panicking, born, starved, caught);
    f->caught = MICA_REGISTER(w, Caught, hawk);
}

static void make_queries(flock *f)
{
    f->birds = mica_query_new(
        f->world, &(mica_query_desc){.name = "birds",
                                     .terms = {{f->position, MICA_READ},
                                               {f->velocity, MICA_READ},
                                               {f->panic, MICA_READ | MICA_INCLUDE_DISABLED}}});
    f->leaders = mica_query_new(
        f->world, &(mica_query_desc){.name = "leaders",
                                     .terms = {{f->position, MICA_READ}, {f->leader, MICA_WITH}}});
    f->hawks = mica_query_new(
        f->world, &(mica_query_desc){.name = "hawks",
                                     .terms = {{f->position, MICA_READ}, {f->hawk, MICA_WITH}}});
    f->rocks = mica_query_new(
        f->world, &(mica_query_desc){.name = "rocks",
                                     .terms = {{f->position, MICA_READ}, {f->rock, MICA_READ}}});
}

// In the order they run in.
static bool add_systems(flock *f)
{
    mica_phase flight =
        mica_phase_add(f->world, &(mica_phase_desc){.name = "flight", .fixed_dt = 1.0 / 60});
    mica_phase report = mica_phase_add(f->world, &(mica_phase_desc){.name = "report"});
    const mica_term grid = {f->grid, MICA_WRITE};
    const mica_term census = {f->census, MICA_WRITE};
    const mica_term at = {f->position, MICA_READ};
    const mica_term energy = {f->energy, MICA_WRITE};
    const mica_system_desc systems[] = {
        {.name = "gather",
         .begin = begin_gathering,
         .update = gather,
         .query.terms = {at, {f->velocity, MICA_READ}, {f->energy, MICA_WITH}},
         .resources = {grid}},
        {.name = "lead",
         .update = lead,
         .query.terms = {at, {f->velocity, MICA_WRITE}, {f->leader, MICA_WITH}},
         .resources = {grid}},
        {.name = "average", .update = average, .resources = {grid}},
        {.name = "hunt",
         .update = hunt,
         .query.terms = {at, {f->velocity, MICA_WRITE}, {f->hawk, MICA_WITH}},
         .resources = {grid}},
        {.name = "steer",
         .update = steer,
         .run = MICA_PARALLEL,
         .query.terms = {at, {f->velocity, MICA_WRITE}, {f->energy, MICA_WITH}},
         .resources = {{f->grid, MICA_READ}}},
        {.name = "flee",
         .update = flee,
         .run = MICA_PARALLEL,
         .query.terms = {at, {f->velocity, MICA_WRITE}, {f->panic, MICA_WRITE}},
         .resources = {{f->grid, MICA_READ}},
         .events = {{f->caught, MICA_WRITE}}},
        {.name = "feed",
         .update = feed,
         .query.terms = {at, {f->velocity, MICA_READ}, energy},
         .resources = {grid, census}},
        {.name = "move",
         .update = move,
         .run = MICA_PARALLEL,
         .phase = flight,
         .query.terms = {{f->position, MICA_WRITE}, {f->velocity, MICA_READ}}},
        {.name = "count panic",
         .begin = begin_counting,
         .update = count_panic,
         .phase = report,
         .query.terms = {{f->panic, MICA_WITH}},
         .resources = {census}},
        {.name = "count",
         .update = count,
         .phase = report,
         .resources = {census},
         .events = {{f->caught, MICA_READ}}},
    };
    bool added = true;
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        mica_system_desc desc = systems[i];
        desc.user = f;
        added = !MICA_IS_NONE(mica_system_add(f->world, &desc)) && added;
    }
    return added;
}

bool flock_begin(flock *f, uint32_t birds)
{
    memset(f, 0, sizeof *f);
    f->random = UINT64_C(0x9e3779b97f4a7c15);
    f->world = mica_world_new(NULL);
    if (!f->world) {
        return false;
    }
    register_types(f);
    make_queries(f);
    mica_resource_set(f->world, MICA_ADD(f->grid), MICA_ADD(f->census));
    bool made = add_systems(f) && mica_resource_get(f->world, f->census) != NULL;
    add_hawks_and_rocks(f);
    add_birds(f, birds);
    if (made) {
        push_from_rocks(f, MICA_RESOURCE_MUT(f->world, f->grid, Grid));
    }
    if (!made || mica_query_count(f->world, f->birds) < birds || !begin_history(f)) {
        flock_end(f);
        return false;
    }
    remember(f);
    mica_world_set_timing(f->world, true);
    return true;
}

void flock_end(flock *f)
{
    mica_world_free(f->world);
    f->world = NULL;
}

mica_result flock_step(flock *f, double dt)
{
    mica_result result = mica_step(f->world, dt);
    if (!result) {
        f->frame++;
        remember(f);
    }
    return result;
}

mica_result flock_switch_storage(flock *f)
{
    mica_storage next[MICA_STORAGE_COUNT] = {
        [MICA_TABLE] = MICA_RING, [MICA_RING] = MICA_SPARSE, [MICA_SPARSE] = MICA_TABLE};
    mica_result result = mica_type_change_storage(
        f->world, f->velocity, next[mica_type_get_info(f->world, f->velocity)->storage]);
    remember(f); // older snapshots are unusable now
    return result;
}

mica_result flock_set_threads(flock *f, uint32_t threads)
{
    return mica_world_start_workers(f->world, threads);
}

mica_result flock_change_threads(flock *f)
{
    uint32_t threads = mica_world_worker_count(f->world);
    return flock_set_threads(f, threads < 8 ? 2 * threads : 1);
}

uint32_t flock_threads(flock *f)
{
    return mica_world_worker_count(f->world);
}

const char *flock_storage(flock *f)
{
    static const char *const words[MICA_STORAGE_COUNT] = {
        [MICA_TABLE] = "table", [MICA_RING] = "ring", [MICA_SPARSE] = "sparse"};
    return words[mica_type_get_info(f->world, f->velocity)->storage];
}
