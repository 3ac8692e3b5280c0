// says: MICA_COPY_OF takes a variable, not a pointer to one
#include <mica.h>

typedef struct Thing {
    float x, y;
} Thing;
typedef float Row[4];

int main(void)
{
    Thing thing = {1, 2};
    Thing *pointer = &thing;
    Row row = {1, 2, 3, 4};
    mica_type type = {0};
#ifdef MICA_TEST_WRONG
    mica_spawn(NULL, MICA_COPY_OF(type, pointer));
#else
    mica_spawn(NULL, MICA_COPY_OF(type, *pointer), MICA_COPY_OF(type, row),
               MICA_COPY_OF(type, pointer->x));
#endif
    return 0;
}
