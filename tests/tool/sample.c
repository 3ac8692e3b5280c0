// Saves a small world, for the tests of the tool: of types that the tool has never heard of.
//
// usage: sample one|same|other binary|json PATH
//
// `same` has the content of `one` after another history; `other` differs in every way that is reported.
#include <mica.h>

#include <stdio.h>
#include <string.h>

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef struct Body {
    Vec2 at;
    double mass;
    char label[8];
    uint8_t layers[3];
    bool solid;
    mica_entity parent;
    int32_t mood;
} Body;

typedef struct Body2 { // as a later version has it
    Vec2 at;
    double mass;
    char label[8];
    uint8_t layers[3];
    bool solid;
    mica_entity parent;
    int32_t mood;
    int64_t extra;
} Body2;

static const mica_enumerator moods[] = {{"glad", 1}, {"sad", 2}, {0}};

static mica_result save_word(const void *value, mica_put *put, void *out,
                             const mica_hook_context *context)
{
    (void)context;
    return put(out, value, 2) ? MICA_OK : MICA_ERROR_MEMORY;
}

static mica_result load_word(void *target, const void *data, size_t size,
                             const mica_hook_context *context)
{
    (void)context;
    memcpy(target, data, size < 2 ? size : 2);
    return MICA_OK;
}

typedef struct sample {
    mica_world *world;
    mica_type vec2, body, heat, target, frozen, selected, bytes, word, gravity;
} sample;

static void add_types(sample *s, bool other)
{
    mica_world *world = s->world;
    s->vec2 = MICA_REGISTER(world, Vec2, x, y);
    mica_field_info fields[] = {MICA_FIELD_STRUCT(Body, at, s->vec2),
                                MICA_FIELD(Body, mass),
                                MICA_FIELD(Body, label),
                                MICA_FIELD(Body, layers),
                                MICA_FIELD(Body, solid),
                                MICA_FIELD(Body, parent),
                                MICA_FIELD_ENUM(Body, mood, moods),
                                MICA_FIELD(Body2, extra)};
    s->body =
        mica_type_register(world, &(mica_type_desc){.name = "Body",
                                                    .size = other ? sizeof(Body2) : sizeof(Body),
                                                    .align = _Alignof(Body2),
                                                    .fields = fields,
                                                    .field_count = other ? 8 : 7});
    mica_type_desc heat = MICA_DESCRIBE(Vec2, x, y);
    heat.storage = other ? MICA_SPLIT : MICA_RING;
    heat.name = "Heat";
    s->heat = mica_type_register(world, &heat);
    mica_type_desc target = MICA_DESCRIBE(Vec2, x, y);
    target.storage = MICA_SPARSE;
    target.name = "Target";
    target.toggle = true;
    s->target = mica_type_register(world, &target);
    s->frozen = MICA_TAG(world, Frozen);
    s->selected = mica_type_register(
        world, &(mica_type_desc){.name = other ? "Chosen" : "Selected", .storage = MICA_SPARSE});
    s->bytes = mica_type_register(
        world, &(mica_type_desc){.name = "Bytes", .size = 2, .align = 1, .plain = true});
    s->word = mica_type_register(
        world, &(mica_type_desc){.name = "Word",
                                 .size = 2,
                                 .align = 2,
                                 .hooks = {.save = save_word, .load = load_word}});
    mica_type_desc gravity = MICA_DESCRIBE(Vec2, x, y);
    gravity.name = "Gravity";
    gravity.saved = true;
    s->gravity = mica_type_register(world, &gravity);
}

static void set_body(sample *s, mica_entity entity, bool other)
{
    Body2 body = {.at = {1, other ? 2.5f : 2},
                  .mass = other ? 0.1 : 0.25,
                  .label = "a\"b",
                  .layers = {1, 2, other ? 4 : 3},
                  .solid = !other,
                  .mood = other ? 7 : 2};
    memcpy(body.label, other ? "c\n" : "a\"b", 3);
    body.parent = other ? entity : (mica_entity){0};
    mica_set_value(s->world, entity, s->body, &body, other ? sizeof(Body2) : sizeof(Body));
}

static void add_entities(sample *s, bool other)
{
    mica_world *world = s->world;
    mica_entity boss = mica_spawn(world, MICA_VALUE(s->heat, Vec2, 1, 2));
    mica_entity second =
        mica_spawn(world, MICA_VALUE(s->target, Vec2, 3, 4), MICA_ADD(s->selected));
    mica_entity third = mica_spawn(world, MICA_ADD(s->frozen));
    mica_entity_set_name(world, boss, other ? "chief" : "boss");
    set_body(s, boss, other);
    const unsigned char two[2] = {0xab, other ? 0xce : 0xcd};
    mica_set_value(world, second, s->bytes, two, 2);
    mica_set_value(world, second, s->word, two, 2);
    if (other) {
        mica_disable(world, second, s->target);
        mica_remove(world, third, s->frozen);
        mica_add(world, third, s->bytes);
        mica_facet_add_values(world, third, (mica_type){0}, 2, NULL, 0);
        mica_spawn_values(world, NULL, 0);
    } else {
        mica_facet_add_values(world, third, s->frozen, 1, NULL, 0);
    }
    mica_facet_add(world, boss, s->heat, 5, MICA_VALUE(s->heat, Vec2, other ? 9.f : 8.f, 0));
    mica_resource_set(world, MICA_VALUE(s->gravity, Vec2, 0, other ? -1.62f : -9.81f));
    if (other) {
        mica_send(world, MICA_VALUE(s->gravity, Vec2, 0, 0));
    }
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 4) {
        fprintf(stderr, "usage: sample one|same|other binary|json PATH\n");
        return 2;
    }
    bool other = strcmp(arguments[1], "other") == 0;
    sample s = {.world = mica_world_new(NULL)};
    add_types(&s, other);
    add_entities(&s, other);
    if (strcmp(arguments[1], "same") == 0) {
        mica_despawn(s.world, mica_spawn_values(s.world, NULL, 0));
    }
    const mica_save_desc desc = {.format = strcmp(arguments[2], "json") == 0 ? MICA_IMAGE_JSON
                                                                             : MICA_IMAGE_BINARY};
    mica_result result = mica_world_save(s.world, &(mica_stream){.path = arguments[3]}, &desc);
    mica_world_free(s.world);
    return result != MICA_OK;
}
