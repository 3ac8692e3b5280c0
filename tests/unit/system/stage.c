// stage.h has the contract.
#include "unit/system/stage.h"

#include <string.h>

void stage_begin(stage *s)
{
    memset(s->journal, 0, sizeof s->journal);
    s->count = 0;
    s->world = test_world_begin(&s->t);
    s->position = MICA_REGISTER(s->world, Position, x, y);
    s->velocity =
        mica_type_register(s->world, &(mica_type_desc){.name = "Velocity", .size = 8, .align = 4});
    s->frozen = MICA_TAG(s->world, Frozen);
    s->score = MICA_REGISTER(s->world, Score, points);
    s->hit = MICA_REGISTER(s->world, Hit, number);
}

void stage_end(stage *s)
{
    CHECK_TEXT("", stage_read(s));
    test_world_end(&s->t);
}

const char *stage_read(stage *s)
{
    memcpy(s->read, s->journal, sizeof s->read);
    memset(s->journal, 0, sizeof s->journal);
    s->count = 0;
    return s->read;
}

void stage_write(stage *s, char letter)
{
    if (s->count + 1 < JOURNAL_SIZE) {
        s->journal[s->count++] = letter;
    }
}

static void play(const mica_iter *it, actor_part part, char letter)
{
    actor *self = it->user;
    stage_write(self->stage, letter);
    self->dt = it->dt;
    self->time = it->time;
    self->rows = it->count;
    if (self->act && (self->acts_in == IN_NONE || self->acts_in == part)) {
        self->act(it, self);
    }
    if (self->fails_in == part) {
        CHECK_EQUAL(MICA_OK, mica_system_fail(it, 0, "tripped over %d", 7));
    }
}

bool actor_when(const mica_iter *it)
{
    play(it, IN_WHEN, '?');
    return !((actor *)it->user)->unwilling;
}

void actor_begin(mica_iter *it)
{
    play(it, IN_BEGIN, '(');
}

void actor_update(mica_iter *it)
{
    play(it, IN_UPDATE, ((actor *)it->user)->letter);
}

void actor_end(mica_iter *it)
{
    play(it, IN_END, ')');
}

mica_system stage_add(stage *s, actor *self, const char *parts, const mica_system_desc *desc)
{
    mica_system_desc own = *desc;
    char name[] = {self->letter, '\0'};
    self->stage = s;
    own.name = own.name ? own.name : name;
    own.user = self;
    own.update = actor_update;
    own.when = strchr(parts, '?') ? actor_when : NULL;
    own.begin = strchr(parts, '(') ? actor_begin : NULL;
    own.end = strchr(parts, ')') ? actor_end : NULL;
    return mica_system_add(s->world, &own);
}

mica_system stage_add_plain(stage *s, actor *self, mica_phase phase)
{
    mica_system added = stage_add(s, self, "", &(mica_system_desc){.phase = phase});
    REQUIRE(!MICA_IS_NONE(added));
    return added;
}
