// Every macro of the public headers, used as the headers say. Compiled as C11 and as C++17.
#include <mica.h>

#include <string.h>

enum mood { CALM, CROSS };

typedef struct Vec3 {
    float x, y, z;
} Vec3;

typedef struct Guest {
    signed char i8;
    short i16;
    int i32;
    long l;
    long long i64;
    unsigned char u8;
    unsigned short u16;
    unsigned int u32;
    unsigned long ul;
    unsigned long long u64;
    float f32;
    double f64;
    bool flag;
    char letter;
    char name[16];
    int32_t numbers[4];
    mica_entity friend_;
    mica_entity all[2];
    Vec3 at;
    enum mood mood;
} Guest;

typedef struct Empty {
    int unused;
} Empty;

typedef struct Halves {
    float a, b;
} Halves;

typedef struct Ringed {
    int unused;
} Ringed;

#define MODEL(X)                                                                                   \
    X(TABLE, Vec3, x, y, z)                                                                        \
    X(WITH(storage = MICA_SPARSE, toggle = true), Guest, i8, name)                                 \
    X(SPARSE, Empty)                                                                               \
    X(SPLIT, Halves, a, b)                                                                         \
    X(RING, Ringed)                                                                                \
    X(TAG, Frozen)                                                                                 \
    X(SPARSE_TAG, Chosen)                                                                          \
    X(TAG_WITH(storage = MICA_SPARSE), Marked)
MICA_MODEL(model, MODEL)

#define EVERY(X)                                                                                   \
    X(WRITE, Vec3, MICA_TOUCH)                                                                     \
    X(READ, Guest, MICA_INCLUDE_DISABLED | MICA_CHANGED)                                           \
    X(OPTIONAL, Empty)                                                                             \
    X(OPTIONAL_WRITE, Ringed)                                                                      \
    X(WRITE_FIELDS, Halves)                                                                        \
    X(WITH, Frozen)                                                                                \
    X(WITHOUT, Chosen)
MICA_MODEL_QUERY(model, every, EVERY)

#define MARKS(X) X(READ_FIELDS, Halves) X(ANY, Empty) X(ANY, Ringed)
MICA_MODEL_QUERY(model, marks, MARKS)

// A model, and its queries.
static bool use_model(mica_world *world, mica_iter *it)
{
    model m;
    Vec3 up = {0, 0, 1};
    const Vec3 both[2] = {up, up};
    bool done = !model_register(world, &m);
    mica_entity e = mica_spawn(world, MICA_VALUE_OF(m, Vec3, 1, 2, 3), MICA_ADD_OF(m, Frozen));
    done = done && !mica_set(world, e, MICA_VARIABLE_OF(m, Vec3, up));
    const mica_value array = MICA_ARRAY_OF(m, Vec3, both);
    done = done && array.count == 2 && Vec3_has(world, e, m.Vec3);
    MICA_EACH(every, row, world, every_new(world, &m)) {
        row.Vec3->x += row.Guest->f32;
        done = done && row.entity && (row.Empty || row.Ringed);
    }
    MICA_EACH_ROW(marks, row, it) {
        done = done && (row.Empty || row.Ringed);
    }
    return done && MICA_TERM(marks, Halves) == 0;
}

static void take(const mica_field_info *fields, size_t count)
{
    (void)fields;
    (void)count;
}

// Values, given and got back.
static bool use_values(mica_world *world, mica_type vec3, mica_type frozen)
{
    const Vec3 one = {1, 2, 3};
    const Vec3 several[2] = {one, one};
    mica_bundle bundle = mica_bundle_new(world, &vec3, 1);
    const mica_value value = MICA_COPY_OF(vec3, one);
    const mica_value array = MICA_COPY_OF_ARRAY(vec3, several);
    mica_entity e = mica_spawn(world, MICA_VALUE(vec3, Vec3, 1, 2, 3), MICA_ADD(frozen));
    bool done = !mica_set(world, e, value, MICA_ADD(frozen));
    done = done && !MICA_IS_NONE(mica_spawn_bundle(world, bundle, &value, 1));
    done = done && !mica_spawn_many(world, bundle, 2, &array, 1, NULL);
    const Vec3 *read = MICA_GET(world, e, vec3, Vec3);
    Vec3 *write = MICA_GET_MUT(world, e, vec3, Vec3);
    return done && read == write;
}

// What is looked at only may be said to be const.
static bool use_const(mica_world *world, mica_iter *it, mica_type vec3)
{
    const mica_entity e = {0};
    const mica_accessor vec3s = mica_accessor_new(world, vec3);
    const mica_read_fields x = {NULL, 0};
    uint32_t count = 0;
    const Vec3 *read = MICA_GET(world, e, vec3, const Vec3);
    read = read ? read : MICA_GET_MUT(world, e, vec3, const Vec3);
    read = read ? read : MICA_READ_AS(it, 0, const Vec3);
    read = read ? read : MICA_WRITE_AS(it, 0, const Vec3);
    read = read ? read : MICA_ACCESSOR_GET(&vec3s, e, const Vec3);
    read = read ? read : MICA_RESOURCE(world, vec3, const struct Vec3);
    read = read ? read : MICA_EVENTS(world, vec3, const Vec3, NULL, &count);
    read = read ? read : MICA_UNREAD(it, vec3, const Vec3, &count);
    return read && x.base && MICA_READ_IN(x, 0, const float) > 0;
}

// Fields of an iteration, and a value loaded.
static bool use_fields(mica_world *world, mica_iter *it, mica_type guest)
{
    mica_read_fields x = MICA_READ_FIELD(it, 0, Guest, at.x);
    mica_write_fields number = MICA_WRITE_FIELD(it, 0, Guest, numbers[2]);
    const mica_entity no_entity = {0};
    Guest loaded;
    if (!x.base || !number.base || !MICA_LOAD(world, no_entity, guest, loaded)) {
        return false;
    }
    MICA_WRITE_IN(number, 0, int32_t) = 1;
    return MICA_READ_IN(x, 0, float) > 0;
}

int main(void)
{
    static const mica_enumerator moods[] = {{"calm", CALM}, {"cross", CROSS}, {NULL, 0}};
    mica_world *world = NULL;
    mica_type vec3 = MICA_REGISTER(world, Vec3, x, y, z);
    mica_type guest = MICA_REGISTER(world, Guest, i8, i16, i32, l, i64, u8, u16, u32, ul, u64, f32,
                                    f64, flag, letter, name, numbers, friend_, all);
    mica_type empty = MICA_REGISTER(world, Empty);
    mica_type frozen = MICA_TAG(world, Frozen);
    mica_type sparse = MICA_REGISTER_SPARSE(world, Vec3, x);
    mica_type split = MICA_REGISTER_SPLIT(world, Vec3, x, y, z);
    const mica_field_info fields[] = {
        MICA_FIELD(Guest, i8),
        MICA_FIELD_STRUCT(Guest, at, vec3),
        MICA_FIELD_ENUM(Guest, mood, moods),
        mica_field_with_strips(MICA_FIELD(Guest, numbers), MICA_STRIPS_EACH),
    };
    take(fields, sizeof fields / sizeof fields[0]);
    mica_type_desc desc = MICA_DESCRIBE(Guest, name);
    desc.user = &desc;
    mica_type again = mica_type_register(world, &desc);

    Vec3 up = {0, 0, 1};
    const Vec3 down = {0, 0, -1};
    mica_entity e = mica_spawn(world, MICA_VALUE(vec3, Vec3, 1, 2, 3), MICA_ADD(frozen));
    mica_set(world, e, MICA_COPY_OF(vec3, up));
    mica_set(world, e, MICA_COPY_OF(vec3, down), MICA_VALUE(empty, Empty, 7));
    const Vec3 *read = MICA_GET(world, e, vec3, Vec3);
    Vec3 *written = MICA_GET_MUT(world, e, vec3, Vec3);
    mica_iter it;
    memset(&it, 0, sizeof it);
    read = read ? read : MICA_READ_AS(&it, 0, Vec3);
    written = written ? written : MICA_WRITE_AS(&it, 0, Vec3);
    const mica_type no_type = {0};
    const mica_entity no_entity = {0};
    mica_accessor vec3s = mica_accessor_new(world, vec3);
    read = read ? read : MICA_ACCESSOR_GET(&vec3s, e, Vec3);
    written = written ? written : MICA_ACCESSOR_GET_MUT(&vec3s, e, Vec3);

    return read == written || use_const(world, &it, vec3) || use_values(world, vec3, frozen) ||
           use_model(world, &it) || use_fields(world, &it, guest) || MICA_EQUAL(sparse, split) ||
           MICA_IS_NONE(guest) || MICA_EQUAL(empty, frozen) || MICA_EQUAL(again, no_type) ||
           MICA_IS_NONE(no_entity);
}
