// An array of pointers is made of what has no kind.
// Compiles as it stands; must not compile with MICA_TEST_WRONG.
#include <mica.h>

typedef struct Thing {
    int right;
    int *wrong[2];
} Thing;

int main(void)
{
    const mica_field_info fields[] = {
        MICA_FIELD(Thing, right),
#ifdef MICA_TEST_WRONG
        MICA_FIELD(Thing, wrong),
#endif
    };
    return fields[0].name == NULL;
}
