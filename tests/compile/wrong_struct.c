// A struct has no kind by itself: MICA_FIELD_STRUCT() names its type.
// Compiles as it stands; must not compile with MICA_TEST_WRONG.
#include <mica.h>

typedef struct Part {
    int x;
} Part;

typedef struct Thing {
    int right;
    Part wrong;
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
