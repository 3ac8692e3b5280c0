// Reflection: a world knows the fields of its components.
#include <mica.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Point;
typedef enum { CALM, CURIOUS, CROSS } Mood;
typedef struct {
    char name[12];
    Point at;
    Mood mood;
    uint16_t scores[3];
    mica_entity friend_of;
} Guest;

int main(void)
{
    static const mica_enumerator moods[] = {
        {"calm", CALM}, {"curious", CURIOUS}, {"cross", CROSS}, {0}};
    mica_world *w = mica_world_new(NULL);
    mica_type point = MICA_REGISTER(w, Point, x, y);
    const mica_field_info fields[] = {
        MICA_FIELD(Guest, name),
        MICA_FIELD_STRUCT(Guest, at, point),
        MICA_FIELD_ENUM(Guest, mood, moods),
        MICA_FIELD(Guest, scores),
        MICA_FIELD(Guest, friend_of),
    };
    const Guest stranger = {.name = "stranger", .mood = CURIOUS};
    mica_type guest = mica_type_register(w, &(mica_type_desc){.name = "Guest",
                                                              .size = sizeof(Guest),
                                                              .align = _Alignof(Guest),
                                                              .fields = fields,
                                                              .field_count = 5,
                                                              .default_value = &stranger});

    const mica_type_info *info = mica_type_get_info(w, guest);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mica_field_info *field = &info->fields[i];
        printf("%s: %s", field->name, mica_kind_name(field->kind));
        printf(field->count > 1 ? "[%u]\n" : "\n", (unsigned)field->count);
    }
    mica_entity first = mica_spawn(w, MICA_ADD(guest));
    mica_entity_set_name(w, first, "door");
    mica_spawn(w, MICA_VALUE(guest, Guest, "Ida", {1, 2}, CROSS, {7, 8, 9}, first));
    mica_entity_print(w, first, NULL);
    mica_entity_print(w, mica_entity_next(w, first), NULL);
    mica_world_free(w);
}
