// The components, their first values, and the work done per row, the same for every side. Also the
// checksums: each adds up one number per entity, so the order in which rows lie does not matter.
//
// Time steps are powers of two, so that a fused multiply-add rounds as two steps do and sides that
// were compiled differently give the same bits.
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BENCH_DT (1.0f / 64.0f)

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Data {
    int32_t number;
    double real;
    uint8_t flag;
    uint32_t seed;
} Data;

typedef struct Health {
    int32_t hp, maxhp;
    uint8_t status; // a unit_status
} Health;

typedef struct Damage {
    int32_t atk, def;
} Damage;

typedef struct Sprite {
    char character;
} Sprite;

// frag26: what all 26 kinds of entity have beside their own letter.
typedef struct Data2 {
    float value;
} Data2;

// sys7
typedef struct Stuff {
    int32_t count;
    double sum;
    uint8_t flag;
    uint32_t seed;
    uint32_t rng[4];
    uint32_t last;
} Stuff;

typedef struct Player {
    uint32_t rng[4];
    int32_t kind; // a player_kind
} Player;

enum unit_status { STATUS_SPAWN = 0, STATUS_DEAD, STATUS_ALIVE };
enum player_kind { KIND_NPC = 0, KIND_MONSTER, KIND_HERO };

enum { SCREEN_WIDTH = 320, SCREEN_HEIGHT = 240 };

// Numbers that look random and are the same every time.

static inline uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static inline uint32_t rotate_left(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

// xoshiro128** by Blackman and Vigna.
static inline uint32_t rng_next(uint32_t rng[4])
{
    uint32_t result = rotate_left(rng[1] * 5, 7) * 9;
    uint32_t shifted = rng[1] << 9;
    rng[2] ^= rng[0];
    rng[3] ^= rng[1];
    rng[1] ^= rng[2];
    rng[0] ^= rng[3];
    rng[2] ^= shifted;
    rng[3] = rotate_left(rng[3], 11);
    return result;
}

static inline uint32_t rng_between(uint32_t rng[4], uint32_t low, uint32_t high)
{
    return low + rng_next(rng) % (high - low + 1);
}

static inline void rng_seed(uint32_t rng[4], uint32_t seed)
{
    uint64_t a = mix(seed);
    uint64_t b = mix(a);
    rng[0] = (uint32_t)a;
    rng[1] = (uint32_t)(a >> 32);
    rng[2] = (uint32_t)b;
    rng[3] = (uint32_t)(b >> 32);
}

// Fills `order` with 0 to n-1, shuffled.
static inline void shuffle(uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (uint32_t i = n; i > 1; i--) {
        uint32_t other = (uint32_t)(mix(i) % i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

// What entity i starts with.

static inline Position position_of(uint32_t i)
{
    return (Position){(float)(int32_t)(i & 1023), (float)(int32_t)(i & 255)};
}

static inline Velocity velocity_of(uint32_t i)
{
    return (Velocity){(float)(int32_t)(1 + (i & 7)), (float)(int32_t)(1 + (i & 15))};
}

static inline Data data_of(uint32_t i)
{
    return (Data){.number = (int32_t)i, .real = 0.25, .flag = (uint8_t)(i & 1), .seed = i * 5u};
}

// Work per row.

static inline void kernel_one(Position *position)
{
    position->x += 1.0f;
    position->y += 1.0f;
}

static inline void kernel_move(Position *position, const Velocity *velocity, float dt)
{
    position->x += velocity->x * dt;
    position->y += velocity->y * dt;
}

static inline void kernel_touch(Position *position)
{
    position->x += 1.0f;
}

static inline void kernel_double(Data2 *data)
{
    data->value *= 2.0f;
}

// Checksums. `i` is the number of the entity, so that a value at the wrong entity is seen.

static inline uint64_t bits_of_floats(float a, float b)
{
    uint32_t low;
    uint32_t high;
    memcpy(&low, &a, sizeof low);
    memcpy(&high, &b, sizeof high);
    return (uint64_t)high << 32 | low;
}

static inline uint64_t check_position(uint32_t i, const Position *position)
{
    return mix(mix(bits_of_floats(position->x, position->y)) + i);
}

static inline uint64_t check_pair(uint32_t i, const Position *position, const Velocity *velocity)
{
    return check_position(i, position) + mix(~mix(bits_of_floats(velocity->x, velocity->y)) + i);
}

static inline uint64_t check_data(uint32_t i, const Data *data)
{
    uint64_t real;
    memcpy(&real, &data->real, sizeof real);
    uint64_t numbers = (uint64_t)(uint32_t)data->number << 32 | data->seed;
    return mix(mix(numbers) + mix(real + data->flag) + i);
}

#endif
