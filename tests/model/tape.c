#include "model/tape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *code;
    uint32_t weight;
    void (*library)(lab *l, const tape_op *op, outcome *got);
    void (*model)(model *m, const tape_op *op, const outcome *got, outcome *want);
} operations[TAPE_CODES] = {
#define OPERATION_ROW(code, name, weight) {#code, weight, library_##name, model_of_##name},
    OPERATIONS(OPERATION_ROW)
#undef OPERATION_ROW
};

// Drawing

static uint32_t draw(uint64_t *state, uint32_t below)
{
    // splitmix64: every seed is a good one
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

typedef struct swarm {
    uint64_t state;
    uint32_t weights[TAPE_CODES];
    uint32_t sum;
    uint32_t focus; // types that are used often
    uint32_t hot;   // entities that are
    uint64_t storages;
    model_abilities can; // what types can do that are kept like this
} swarm;

// How the types are kept: all in tables, each in one of two ways, or in any.
static uint64_t draw_storages(swarm *s)
{
    uint32_t way = draw(&s->state, 4);
    uint32_t two[] = {draw(&s->state, lab_storage_count), draw(&s->state, lab_storage_count)};
    uint64_t digits = 0;
    for (uint32_t type = 0; way > 0 && type <= LAB_FILLERS; type++) {
        uint64_t digit = way > 1 ? two[draw(&s->state, 2)] : draw(&s->state, lab_storage_count);
        digits |= digit << 4 * type;
    }
    digits |= (uint64_t)(draw(&s->state, 12) == 0) << 4 * LAB_RELOCATING;
    return digits | (uint64_t)(draw(&s->state, 3) == 0) << 4 * LAB_PLAIN;
}

// A quarter of the operations does not come at all, a quarter comes often.
static void draw_weights(swarm *s)
{
    static const uint32_t factors[] = {0, 1, 1, 4};
    for (uint32_t i = 0; i < TAPE_CODES; i++) {
        s->weights[i] = operations[i].weight * factors[draw(&s->state, 4)];
    }
    s->weights[SPAWN_VALUES] += 4;
    // Where nothing can be toggled, or sorted, one mistake is as good as another.
    static const tape_code of_pools[] = {GROUP_NEW,       GROUP_FREE, GROUP_SORT,
                                         GROUP_SORT_LIKE, SORT,       SORT_LIKE};
    for (uint32_t i = 0; !s->can.sparse && i < sizeof of_pools / sizeof of_pools[0]; i++) {
        s->weights[of_pools[i]] = (s->weights[of_pools[i]] + 7) / 8;
    }
    if (!s->can.toggle) {
        s->weights[TOGGLE] = (s->weights[TOGGLE] + 7) / 8;
        s->weights[QUERY_TOGGLE] = (s->weights[QUERY_TOGGLE] + 7) / 8;
    }
    static const tape_code of_time[] = {TIME, SNAPSHOT, RESTORE, DROP, PIN, UNDO, COMPARE, AGAIN};
    for (uint32_t i = 0; !s->can.plain && i < sizeof of_time / sizeof of_time[0]; i++) {
        s->weights[of_time[i]] = (s->weights[of_time[i]] + 15) / 16;
    }
    s->weights[SNAPSHOT] += s->can.plain ? 20 : 0;
    s->weights[RESTORE] += s->can.plain ? 10 : 0;
    // An open iteration closes nearly all doors.
    if (draw(&s->state, 2) > 0) {
        s->weights[WALK_BEGIN] = s->weights[WALK_NEXT] = s->weights[WALK_END] = 0;
    } else if (s->weights[WALK_BEGIN] > 0) {
        s->weights[WALK_END] += 2 * s->weights[WALK_BEGIN];
        s->weights[WALK_NEXT] += 2 * s->weights[WALK_BEGIN];
    }
    for (uint32_t i = 0; i < TAPE_CODES; i++) {
        s->sum += s->weights[i];
    }
}

static uint32_t draw_types(swarm *s)
{
    uint32_t mask = draw(&s->state, 256) & draw(&s->state, 256);
    return draw(&s->state, 8) > 0 ? mask & s->focus : mask;
}

static uint32_t draw_type(swarm *s)
{
    uint32_t type = draw(&s->state, MODEL_TYPES);
    while (!(s->focus >> type & 1) && draw(&s->state, 8) > 0) {
        type = draw(&s->state, MODEL_TYPES);
    }
    return type;
}

// One of these, if there are any, nearly always.
static uint32_t draw_type_of(swarm *s, uint32_t mask)
{
    uint32_t type = draw_type(s);
    for (uint32_t n = 0; n < 16 && !(mask >> type & 1); n++) {
        type = n < 8 ? draw_type(s) : draw(&s->state, MODEL_TYPES);
    }
    return type;
}

// Terms are a hexadecimal digit per type: 1 to 7 are accesses, 9 to 15 the same of what is disabled,
// too. Two or three of them make a query that finds somebody.
static uint32_t draw_terms(swarm *s)
{
    uint32_t terms = 0;
    for (uint32_t n = draw(&s->state, 5); n > 0; n--) {
        uint32_t digit = draw(&s->state, 8) + (draw(&s->state, 3) ? 0 : 8);
        terms |= digit << 4 * draw_type(s);
    }
    return terms;
}

// Of two or three types, or they are empty.
static uint32_t draw_group(swarm *s)
{
    uint32_t digits = 0;
    for (uint32_t n = 2 + draw(&s->state, 2); n > 0; n--) {
        uint32_t digit = draw(&s->state, 4);
        digits |= (digit > 0 ? digit : 1) << 4 * draw_type_of(s, s->can.sparse);
    }
    return digits;
}

// The key of a facet; above it, now and then, what is unusual about it.
static uint32_t draw_label(swarm *s)
{
    return draw(&s->state, 16) | (draw(&s->state, 256) & draw(&s->state, 256) & 0xf0);
}

static tape_code draw_code(swarm *s)
{
    uint32_t left = draw(&s->state, s->sum);
    uint32_t code = 0;
    while (left >= s->weights[code]) {
        left -= s->weights[code++];
    }
    return (tape_code)code;
}

static tape_op draw_operation(swarm *s, tape_code code)
{
    tape_op op = {.code = code};
    bool hot = draw(&s->state, 2) > 0;
    op.a = (uint16_t)draw(&s->state, hot ? s->hot : 128);
    op.c = (uint16_t)draw(&s->state, 256);
    op.d = (uint16_t)(draw(&s->state, 4096) & draw(&s->state, 4096));
    uint32_t terms = draw_terms(s);
    switch (op.code) {
    case ADD:
    case REMOVE:
    case SET:
    case WRITE:
    case LOOK:
    case TOUCH:
    case REACT:
    case QUERY_ADD:
    case QUERY_REMOVE:
    case QUERY_SET: op.b = (uint16_t)draw_type(s); break;
    case GIVE: // in all ways alike
        op.b = (uint16_t)draw_type(s);
        op.d = (uint16_t)draw(&s->state, 32);
        break;
    case KEEP: op.b = (uint16_t)(draw(&s->state, 8) ? draw_type(s) : MODEL_OWNED); break;
    case COPY: // what has hooks shows best whether a value that has moved is found
        op.b = (uint16_t)(draw(&s->state, 3) ? draw_type(s) : WATCHED);
        break;
    case OBSERVE:
        op.b = (uint16_t)(draw(&s->state, 2) ? draw_types(s) : 0);
        op.d = (uint16_t)draw(&s->state, 4);
        break;
    case TOGGLE:
    case QUERY_TOGGLE:
        op.b = (uint16_t)draw_type_of(s, s->can.toggle);
        op.d = (uint16_t)(op.d ^ draw(&s->state, 2)); // off
        break;
    case GROUP_SORT:
    case GROUP_SORT_LIKE:
    case SORT:
    case SORT_LIKE:
        op.b = (uint16_t)draw_type_of(s, s->can.sparse);
        op.c = (uint16_t)(draw(&s->state, 32) * MODEL_TYPES + draw_type_of(s, s->can.sparse));
        break;
    case GROUP_NEW:
        terms = draw_group(s);
        op.b = (uint16_t)terms;
        op.c = (uint16_t)(terms >> 16);
        break;
    case QUERY_NEW:
        op.b = (uint16_t)terms;
        op.c = (uint16_t)(terms >> 16);
        break;
    case CHANGE:
        op.b = (uint16_t)draw_types(s);
        op.c = (uint16_t)(op.c | draw_types(s) << 8);
        break;
    case FACET:
        op.b = (uint16_t)draw_type(s);
        op.c = (uint16_t)(op.c | draw_label(s) << 8);
        break;
    case EXTEND:
        op.b = (uint16_t)draw_types(s);
        op.c = (uint16_t)(op.c | draw_label(s) << 8);
        break;
    case LATER:
        op.b = (uint16_t)draw(&s->state, 256);
        op.c = (uint16_t)(op.c | (draw(&s->state, 4) ? 0 : 256)); // with facets
        break;
    case SPAWN_VALUES:
    case BUNDLE_NEW:
    case ADD_TYPES:
    case REMOVE_TYPES:
    case SET_VALUES: op.b = (uint16_t)draw_types(s); break;
    case ITERATE:
    case ITERATE_ENTITY:
    case WALK_NEXT:
    case STEP:
    case RUN:
        op.b = (uint16_t)draw(&s->state, 256);
        op.d = (uint16_t)(op.d ^ (draw(&s->state, 2) ? 4 : 0)); // writes
        break;
    default: op.b = (uint16_t)draw(&s->state, 256); break;
    }
    return op;
}

// Mostly there are queries and bundles from the start, often groups and many entities, now and then
// facets, observers, and one that reacts.
static uint32_t draw_start(swarm *s, tape_op *tape, uint32_t count)
{
    static const uint16_t limits[] = {6, 20, 40, 40, 80, MODEL_SLOTS};
    enum { FACETS = 12 };
    tape_op start[1 + MODEL_QUERIES + MODEL_GROUPS + 2 * MODEL_BUNDLES + FACETS + 3];
    uint32_t used = 0;
    start[used++] = (tape_op){LIMIT, limits[draw(&s->state, 6)], (uint16_t)s->storages,
                              (uint16_t)(s->storages >> 16), (uint16_t)(s->storages >> 32)};
    for (uint32_t i = 0; i < MODEL_QUERIES; i++, used++) {
        start[used] = draw_operation(s, QUERY_NEW);
        start[used].a = (uint16_t)i;
    }
    for (uint32_t i = draw(&s->state, MODEL_GROUPS); s->can.sparse && i > 0; i--, used++) {
        start[used] = draw_operation(s, GROUP_NEW);
        start[used].a = (uint16_t)i;
    }
    for (uint32_t i = 0; i < 2 * MODEL_BUNDLES; i++, used++) {
        start[used] = draw_operation(s, i < MODEL_BUNDLES ? BUNDLE_NEW : SPAWN_MANY);
        start[used].a = (uint16_t)(i % MODEL_BUNDLES);
    }
    for (uint32_t i = draw(&s->state, 3) ? 0 : draw(&s->state, FACETS + 1); i > 0; i--) {
        start[used++] = draw_operation(s, EXTEND);
    }
    if (draw(&s->state, 3) == 0) {
        start[used++] = draw_operation(s, OBSERVE);
    }
    if (draw(&s->state, 5) == 0) {
        start[used++] = draw_operation(s, REACT);
    }
    if (s->can.plain) {
        start[used] = draw_operation(s, TIME);
        start[used++].c |= 7;
    }
    used = draw(&s->state, 8) > 0 ? used : 1;
    used = used < count ? used : count;
    memcpy(tape, start, used * sizeof *tape);
    return used;
}

void tape_draw(uint64_t seed, tape_op *tape, uint32_t count)
{
    swarm s = {.state = seed};
    s.storages = draw_storages(&s);
    s.can = lab_abilities(s.storages);
    draw_weights(&s);
    s.focus = draw(&s.state, 2) ? 255 : draw(&s.state, 256) | 1u << draw(&s.state, MODEL_TYPES);
    s.hot = 1 + draw(&s.state, 6);
    for (uint32_t i = draw_start(&s, tape, count); i < count; i++) {
        tape[i] = draw_operation(&s, draw_code(&s));
    }
}

// Helpers of the operations

void tape_got_entity(lab *l, outcome *got, mica_entity entity)
{
    got->code = MICA_IS_NONE(entity) ? mica_last_error(l->world)->code : MICA_OK;
    if (!got->code) {
        got->entities[got->count++] = entity;
    }
}

tape_items tape_list(const tape_op *op)
{
    tape_items items = {.count = 0};
    for (uint32_t k = 0; k < MODEL_TYPES; k++) {
        uint32_t type = (op->d + k) % MODEL_TYPES;
        if (op->b >> type & 1) {
            items.types[items.count] = type;
            items.given[items.count] = !(op->d >> 4 >> type & 1);
            items.numbers[items.count] = op->c + items.count;
            items.count++;
        }
    }
    if ((op->d & 8) && items.count > 0) {
        items.types[items.count] = items.types[0];
        items.given[items.count] = (op->c & 3) != 3;
        items.numbers[items.count] = op->c + items.count;
        items.count++;
    }
    return items;
}

model_edit tape_edit(const tape_items *items)
{
    model_edit edit = {.with = 0};
    for (uint32_t i = 0; i < items->count; i++) {
        uint32_t bit = UINT32_C(1) << items->types[i];
        edit.with |= bit;
        edit.given = items->given[i] ? edit.given | bit : edit.given & ~bit;
        edit.values[items->types[i]] = items->numbers[i];
    }
    return edit;
}

void tape_make(lab *l, const tape_items *items, tape_values *values_out)
{
    values_out->count = items->count;
    for (uint32_t i = 0; i < items->count; i++) {
        values_out->types[i] = l->types[items->types[i]];
        if (items->given[i]) {
            values_out->values[i] =
                lab_make(l, &values_out->modules[i], items->types[i], items->numbers[i]);
        } else {
            values_out->values[i] = (mica_value){.type = values_out->types[i]};
        }
    }
}

void tape_drop(lab *l, const tape_items *items, tape_values *values)
{
    for (uint32_t i = 0; i < items->count; i++) {
        if (items->given[i]) {
            lab_drop(&l->tracker, &values->modules[i], items->types[i]);
        }
    }
}

// Running

enum { TWIN_EVERY = 128 };

static bool compare_outcomes(lab *l, const tape_op *op, const outcome *got, const outcome *want)
{
    const char *name = operations[op->code].code;
    if (got->code != want->code) {
        return lab_differ(l, "%s gave %s, not %s (%s)", name, mica_result_name(got->code),
                          mica_result_name(want->code), l->t.error.last.sentence);
    }
    uint32_t reported = want->code != MICA_OK;
    if (l->t.error.calls != reported || (reported && l->t.error.last.code != want->code)) {
        return lab_differ(l, "%s reported %" PRIu32 " errors, not %" PRIu32 " (%s)", name,
                          l->t.error.calls, reported, l->t.error.last.sentence);
    }
    test_error_clear(&l->t.error);
    if (got->changed != want->changed || got->count != want->count) {
        return lab_differ(
            l, "%s gave %" PRIu32 " entities, changed %" PRIu32 ", not %" PRIu32 " and %" PRIu32,
            name, got->count, got->changed, want->count, want->changed);
    }
    for (uint32_t i = 0; i < got->count; i++) {
        if (!MICA_EQUAL(got->entities[i], want->entities[i])) {
            char a[MICA_ENTITY_TEXT_SIZE];
            char b[MICA_ENTITY_TEXT_SIZE];
            return lab_differ(l, "%s gave entity %s, not %s", name,
                              mica_entity_text(got->entities[i], a),
                              mica_entity_text(want->entities[i], b));
        }
    }
    return true;
}

// Through pointers, of which nobody is reported.
static bool writes_in_place(tape_code code)
{
    return code == WRITE || code == TOUCH || code == ITERATE || code == ITERATE_ENTITY ||
           code == STEP || code == RUN || code == WALK_NEXT || code == WALK_END ||
           code == WALK_END_ALL;
}

// Nobody is notified of what comes and goes.
static bool is_of_time(tape_code code)
{
    return code >= TIME && code <= AGAIN;
}

// What commands lead to, their operation knows; other operations are one call. What it has recorded, or
// those before it have, is carried out where nobody iterates.
static void predict(model *m, const tape_op *op, const outcome *got, outcome *want)
{
    static model before;
    bool reacts = m->reaction.on && op->code != LATER && !is_of_time(op->code);
    if (reacts) {
        before = *m;
    }
    operations[op->code].model(m, op, got, want);
    if (reacts) {
        model_owe(m, &before);
    }
    model_catch_up(m);
}

// What was done since the last snapshot or restore, and what came of it.
enum { JOURNAL = 64 };
static struct {
    uint64_t marks;
    bool lasts; // something was done that a restore does not undo
    uint32_t count;
    tape_op operations[JOURNAL];
    uint64_t outcomes[JOURNAL];
} journal;

// Definitions stay after a restore, and where segments end is another matter each time.
static bool lasts(const tape_op *op)
{
    enum { LEAVES = 16, FIRST = 4 };
    switch (op->code) {
    case BUNDLE_NEW:
    case BUNDLE_FREE:
    case QUERY_NEW:
    case QUERY_FREE:
    case GROUP_NEW:
    case GROUP_FREE:
    case KEEP:
    case RELOAD:
    case OBSERVE:
    case REACT:
    case WALK_BEGIN:
    case WALK_NEXT:
    case WALK_END:
    case WALK_END_ALL: return true;
    case LOOK:
    case ITERATE: return op->d & LEAVES;
    case READ: return op->d & FIRST;
    default: return false;
    }
}

// What plain cursors read may differ, as they need not go back.
static uint64_t sum_up(const lab *l, const tape_op *op, const outcome *got)
{
    uint64_t sum = mica_world_digest(l->world);
    for (uint32_t i = 0; i < got->count; i++) {
        sum = (sum ^ got->entities[i].bits) * UINT64_C(0x9e3779b97f4a7c15);
    }
    uint64_t figures = op->code == READ ? 0 : (uint64_t)got->changed << 32 | (uint32_t)got->code;
    return (sum ^ figures) * UINT64_C(0x9e3779b97f4a7c15);
}

static void note(const lab *l, const tape_op *op, const outcome *got)
{
    if (journal.marks != l->time.marks) {
        journal.marks = l->time.marks;
        journal.lasts = false;
        journal.count = 0;
    } else if (MICA_IS_NONE(l->time.current) || is_of_time(op->code)) {
        return; // nothing was done, or nothing can be done again
    } else if (journal.count == JOURNAL || lasts(op)) {
        journal.lasts = true;
    } else if (!journal.lasts) {
        journal.operations[journal.count] = *op;
        journal.outcomes[journal.count++] = sum_up(l, op, got);
    }
}

static bool do_operation(lab *l, const tape_op *op, outcome *got, outcome *want)
{
    operations[op->code].library(l, op, got);
    if (l->mirror.world && writes_in_place(op->code)) {
        mirror_look_again(&l->mirror);
    }
    predict(&l->m, op, got, want);
    return compare_outcomes(l, op, got, want);
}

void tape_again(lab *l)
{
    bool same = true;
    for (uint32_t i = 0; same && !journal.lasts && i < journal.count; i++) {
        const tape_op *op = &journal.operations[i];
        outcome got = {.code = MICA_OK};
        outcome want = {.code = MICA_OK};
        same = do_operation(l, op, &got, &want);
        if (same && sum_up(l, op, &got) != journal.outcomes[i]) {
            same = lab_differ(l, "%s leads elsewhere when it is done again after a restore",
                              operations[op->code].code);
        }
    }
    if (!journal.lasts) {
        journal.marks = l->time.marks;
    }
}

// What fails must leave no trace: where that is likely, the exact state is looked at too.
static bool run_operation(lab *l, const tape_op *op, bool look)
{
    outcome got = {.code = MICA_OK};
    outcome want = {.code = MICA_OK};
    bool ends =
        op->code == WALK_BEGIN && mica_commands_count(l->world) > 0; // which carries them out
    bool likely =
        !ends && (op->code == BAD || op->code == GIVE || op->code == KEEP || model_is_open(&l->m));
    uint64_t digest = likely ? mica_world_digest(l->world) : 0;
    if (!do_operation(l, op, &got, &want)) {
        return false;
    }
    note(l, op, &got);
    if (likely && want.code && mica_world_digest(l->world) != digest) {
        return lab_differ(l, "%s failed and left a trace", operations[op->code].code);
    }
    return l->difference[0] == '\0' && (!look || lab_compare(l));
}

// What counts from the start, wherever it is.
static tape_op start_of(const tape_op *tape, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tape[i].code == LIMIT) {
            return tape[i];
        }
    }
    return (tape_op){.code = LIMIT, .a = MODEL_SLOTS};
}

const char *tape_run(const tape_op *tape, uint32_t count)
{
    return tape_run_looking(tape, count, 1);
}

enum { DIGEST_EVERY = 32 };

// Adds what an image of the world has, if it can be saved, to a hash.
static uint64_t add_image(mica_world *world, uint64_t hash)
{
    mica_buffer image = {0};
    if (!mica_world_save(world, &(mica_stream){.buffer = &image}, NULL)) {
        const unsigned char *bytes = image.data;
        for (size_t i = 0; i < image.size; i++) {
            hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
        }
    }
    mica_buffer_free(&image);
    return hash;
}

// Begins a world whose memory is filled with a byte before it is handed out, and runs a tape on it. Looks at everything
// after each `every`-th operation (0: never). Returns the number of operations. The hash is of the exact states and of
// the image that the world has in the end.
static uint32_t run_tape(lab *l, const tape_op *tape, uint32_t count, uint32_t every,
                         unsigned char fill, uint64_t *hash_out)
{
    tape_op start = start_of(tape, count);
    bool good = lab_begin(l, 1 + (start.a + MODEL_SLOTS - 1u) % MODEL_SLOTS,
                          start.b | (uint64_t)start.c << 16 | (uint64_t)start.d << 32, fill);
    uint32_t step = 0;
    memset(&journal, 0, sizeof journal);
    *hash_out = 0;
    for (; good && step < count; step++) {
        if (l->tracker.next > TRACKED_IDS / 2) {
            break; // a single operation makes far fewer values than there are identities left
        }
        bool look = every > 0 && ((step + 1) % every == 0 || step + 1 == count);
        good = run_operation(l, &tape[step], look);
        if (good && every > 0 && step % TWIN_EVERY == TWIN_EVERY - 1) {
            good = lab_compare_twin(l);
        }
        if (good && (step % DIGEST_EVERY == 0 || step + 1 == count)) {
            *hash_out = (*hash_out ^ mica_world_digest(l->world)) * UINT64_C(0x9e3779b97f4a7c15);
        }
    }
    if (good && !model_is_open(&l->m)) {
        *hash_out = add_image(l->world, *hash_out);
    }
    if (good && every > 0) {
        good = lab_compare_twin(l);
    }
    return step;
}

const char *tape_run_looking(const tape_op *tape, uint32_t count, uint32_t every)
{
    static lab l;
    static char said[LAB_DIFFERENCE_SIZE + 32];
    uint64_t hash;
    uint64_t other_hash;
    uint32_t step = run_tape(&l, tape, count, every, 0xa5, &hash);
    bool good = lab_end(&l);
    if (good) {
        step = run_tape(&l, tape, count, 0, 0, &other_hash);
        good = lab_end(&l);
    }
    if (good && hash != other_hash) {
        good = lab_differ(&l, "what comes of it depends on what memory had in it before");
    }
    if (good) {
        return NULL;
    }
    snprintf(said, sizeof said, "step %" PRIu32 ": %s", step, l.difference);
    return said;
}

void tape_print(const tape_op *tape, uint32_t count, uint64_t seed, const char *difference)
{
    printf("// %s\nstatic void tape_of_seed_%" PRIu64 "(void)\n{\n", difference, seed);
    printf("    static const tape_op tape[] = {\n");
    for (uint32_t i = 0; i < count; i++) {
        printf("        {%s, %d, %d, %d, %d},\n", operations[tape[i].code].code, tape[i].a,
               tape[i].b, tape[i].c, tape[i].d);
    }
    printf("    };\n    replay(tape, sizeof tape / sizeof tape[0]);\n}\n");
}
