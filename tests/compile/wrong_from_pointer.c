// says: MICA_FROM takes a variable, not a pointer to one
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
    mica_type type = mica_type_none();
#ifdef MICA_TEST_WRONG
    mica_spawn(NULL, MICA_FROM(type, pointer));
#else
    mica_spawn(NULL, MICA_FROM(type, *pointer), MICA_FROM(type, row), MICA_FROM(type, pointer->x));
#endif
    return 0;
}
