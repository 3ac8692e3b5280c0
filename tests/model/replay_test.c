// Tapes that failed once, cut down, as the suite `model` prints them. A tape that fails is pasted here
// before its cause is mended, and given a name that says what was wrong.
#include "model/tape.h"
#include "runner/test.h"

static void replay(const tape_op *tape, size_t count)
{
    CHECK_TEXT(NULL, tape_run(tape, (uint32_t)count));
}

static void no_operation_at_all(void)
{
    replay(NULL, 0);
}

// The shortest tapes that showed planted bugs.

// A row that filled a hole was not followed by its entity's record.
static void who_fills_a_hole_is_found_again(void)
{
    static const tape_op tape[] = {
        {SPAWN, 0, 0, 0, 0},
        {CLONE, 0, 0, 0, 0},
        {DESPAWN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A death did not move the generation on.
static void a_slot_that_is_used_again_has_a_new_generation(void)
{
    static const tape_op tape[] = {
        {QUERY_NEW, 2, 0, 0, 0},     {BUNDLE_NEW, 1, 0, 0, 0}, {SPAWN_MANY, 1, 1, 0, 0},
        {QUERY_DESPAWN, 2, 0, 0, 0}, {SPAWN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A value that lies in the world was looked for where it had been before its table grew.
static void a_value_of_the_world_is_found_after_its_table_has_grown(void)
{
    static const tape_op tape[] = {
        {SPAWN_VALUES, 0, 0, 0, 0},
        {SPAWN_VALUES, 0, 0, 0, 0},
        {ADD, 0, 4, 0, 0},
        {COPY, 0, 4, 0, 1},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// Who lost a component that a group needs stayed in it.
static void who_lacks_something_is_in_no_group(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 32, 4096, 0},  {GROUP_NEW, 0, 32, 4096, 0}, {BUNDLE_NEW, 2, 2, 0, 0},
        {SPAWN_MANY, 2, 1, 0, 0}, {CHANGE, 0, 128, 512, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A group was sorted by the values that stood at its places in another pool.
static void a_group_is_sorted_by_the_values_of_its_entities(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 0, 257, 0},   {GROUP_NEW, 0, 0, 770, 0}, {SPAWN_AT, 0, 0, 0, 0},
        {QUERY_NEW, 1, 0, 0, 0}, {CLONE, 0, 0, 0, 0},       {SPAWN_VALUES, 0, 0, 0, 0},
        {ADD, 0, 6, 0, 0},       {QUERY_SET, 1, 4, 0, 0},   {GROUP_SORT, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A value that was moved by its hook left its flag behind.
static void what_moves_takes_its_flag_along(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 0, 3, 0},
        {BUNDLE_NEW, 1, 80, 0, 0},
        {SPAWN_MANY, 1, 1, 0, 0},
        {REMOVE, 0, 6, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A table did not know that somebody in it had something disabled.
static void what_is_disabled_is_not_there_to_queries(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 48, 0, 0},     {QUERY_NEW, 0, 64, 0, 0}, {BUNDLE_NEW, 0, 0, 0, 0},
        {SPAWN_MANY, 0, 1, 0, 0}, {SET, 0, 1, 0, 0},        {TOGGLE, 0, 0, 0, 1},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A value that cannot be copied was given twice in one call, and ended while it was kept.
static void what_cannot_be_copied_is_not_given_twice(void)
{
    static const tape_op tape[] = {
        {SPAWN_VALUES, 0, 0, 0, 0}, {GIVE, 0, 0, 0, 9},  // the same
        {GIVE, 0, 0, 1, 0},         {GIVE, 0, 0, 2, 17}, // two of them, where there is one
        {GIVE, 0, 0, 3, 25},                             // one, and no data behind it
        {GIVE, 0, 0, 4, 19},                             // two of them, to a new entity
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A value that cannot be copied was set from its own place, and ended there; and from another's.
static void what_cannot_be_copied_is_not_taken_from_the_world(void)
{
    enum { OUTSIDE = 2 << 5, ITSELF = 0 << 5, ANOTHER = 1 << 5 };
    static const tape_op tape[] = {
        {SPAWN, 0, 0, 0, 0},         {SPAWN, 0, 0, 0, 0},
        {GIVE, 0, 0, 1, OUTSIDE},    {GIVE, 0, 0, 2, ITSELF},      // alone
        {GIVE, 0, 0, 3, ITSELF | 9},                               // twice
        {GIVE, 0, 0, 4, ITSELF | 2},                               // while something goes
        {GIVE, 1, 0, 5, ANOTHER},                                  // to one that has none
        {GIVE, 1, 0, 6, OUTSIDE},    {GIVE, 1, 0, 7, ANOTHER | 1}, // to one that has one
        {GIVE, 0, 0, 8, ITSELF | 3},                               // to a new entity
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A run of rows in which a split component is disabled was shown with its fields.
static void a_split_component_that_is_disabled_has_no_fields(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 144, 0, 0},    {QUERY_NEW, 1, 80, 0, 0}, {BUNDLE_NEW, 2, 2, 0, 0},
        {SPAWN_MANY, 2, 2, 0, 0}, {TOGGLE, 0, 1, 0, 1},     {TOGGLE, 1, 1, 0, 1},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// Events that were gone were not ended.
static void an_event_ends_with_the_frame_after_its_own(void)
{
    static const tape_op tape[] = {
        {SEND, 0, 1, 0, 0},
        {STEP, 0, 0, 0, 0},
        {STEP, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A reader was not reported of the events that it had missed.
static void what_is_gone_before_it_is_read_was_missed(void)
{
    static const tape_op tape[] = {
        {SEND, 0, 0, 0, 0}, {READ, 1, 0, 0, 0}, {SEND, 0, 0, 0, 0},
        {STEP, 0, 0, 0, 0}, {STEP, 0, 0, 0, 0}, {READ, 1, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// What an observer had recorded waited for the next iteration.
static void what_an_observer_records_is_done_when_the_call_is_over(void)
{
    static const tape_op tape[] = {
        {OBSERVE, 0, 0, 0, 0}, {SPAWN_VALUES, 0, 0, 0, 0}, {SPAWN_VALUES, 0, 0, 0, 0},
        {REACT, 0, 3, 0, 0},   {ADD_TYPES, 0, 8, 0, 0},    {SET, 1, 3, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A facet stayed when its owner went.
static void a_facet_goes_with_its_owner(void)
{
    static const tape_op tape[] = {
        {SPAWN, 0, 0, 0, 0},
        {EXTEND, 0, 0, 256, 0},
        {DESPAWN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// The list of an owner ended where one of its facets had gone.
static void a_facet_that_goes_leaves_the_others_in_their_order(void)
{
    static const tape_op tape[] = {
        {SPAWN, 0, 0, 0, 0},    {EXTEND, 0, 0, 256, 0}, {EXTEND, 0, 0, 512, 0},
        {EXTEND, 0, 0, 768, 0}, {DESPAWN, 2, 0, 0, 0},  {EXTEND, 0, 0, 512, 0},
        {RELOAD, 0, 0, 0, 0},   {FACET, 0, 0, 0, 1},    {DESPAWN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// Owners that had to be brought together were the facets themselves.
static void rows_of_a_pool_belong_to_their_owners(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 1, 0, 0}, {QUERY_NEW, 0, 1, 0, 0}, {SPAWN_VALUES, 0, 1, 0, 0},
        {SPAWN, 0, 0, 0, 0}, {EXTEND, 1, 1, 512, 0},  {ITERATE, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A query that wants no facets found some.
static void a_query_without_facets_finds_none(void)
{
    static const tape_op tape[] = {
        {QUERY_NEW, 0, 0, 0, 8}, {QUERY_NEW, 1, 0, 0, 0},     {SPAWN, 0, 0, 0, 0},
        {EXTEND, 0, 0, 256, 0},  {QUERY_DESPAWN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A facet that was recorded was made under another key.
static void a_facet_is_made_later_under_its_key(void)
{
    static const tape_op tape[] = {
        {SPAWN, 0, 0, 0, 0},
        {LATER, 0, 1, 259, 5},
        {LATER, 1, 1, 260, 5},
        {LATER, 2, 7, 261, 5},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// Not planted: an observer was reported that an owner ends, and of its facets later, or much earlier.
static void who_ends_with_all_others_ends_behind_its_facets(void)
{
    static const tape_op tape[] = {
        {SPAWN, 0, 0, 0, 0},
        {EXTEND, 0, 0, 256, 0},
        {OBSERVE, 0, 0, 0, 2},
        {CLEAR, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A page of a pool whose entities keep their places, all of which had gone, was loaded by adding 0 to NULL.
static void a_page_of_nobody_is_loaded(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 0, 2, 0},   {BUNDLE_NEW, 0, 16, 0, 0}, {SPAWN_MANY, 0, 5, 0, 0},
        {DESPAWN, 0, 0, 0, 0}, {DESPAWN, 0, 0, 0, 0},     {DESPAWN, 0, 0, 0, 0},
        {DESPAWN, 0, 0, 0, 0}, {RELOAD, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A change that is allowed inside an iteration drops no table that the iteration has still to visit.
static void a_change_inside_an_iteration_keeps_all_tables(void)
{
    static const tape_op tape[] = {
        {QUERY_NEW, 2, 0, 0, 0},  {BUNDLE_NEW, 0, 130, 0, 0}, {BUNDLE_NEW, 1, 1, 0, 0},
        {SPAWN_MANY, 0, 1, 0, 0}, {SPAWN_MANY, 1, 1, 0, 0},   {REACT, 0, 0, 0, 1},
        {QUERY_ADD, 2, 2, 0, 0},  {SET, 0, 0, 0, 0},          {QUERY_NEW, 1, 0, 0, 0},
        {EXTEND, 0, 0, 256, 0},   {CHANGE, 0, 0, 256, 0},     {WALK_BEGIN, 0, 1, 0, 0},
        {WALK_NEXT, 0, 0, 0, 0},  {UNTIDY, 0, 0, 0, 0},       {CHANGE, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// Handlers find the world whole, also where the slot of a command that spawns nothing is retired.
static void a_slot_is_retired_behind_its_command(void)
{
    static const tape_op tape[] = {
        {SPAWN_AT, 0, 12, 0, 0}, {DESPAWN, 0, 0, 0, 0}, {LATER, 1, 1, 0, 0}};
    replay(tape, sizeof tape / sizeof tape[0]);
}

// Recorded or not, of two values of one type in a list the later one counts, also if it has no data.
static void the_later_value_of_a_recorded_list_counts(void)
{
    static const tape_op tape[] = {
        {BUNDLE_NEW, 1, 0, 0, 0}, {SPAWN_MANY, 1, 1, 0, 0}, {LATER, 7, 198, 232, 80}};
    replay(tape, sizeof tape / sizeof tape[0]);
}

// Not of bugs at all: what the model had to learn. What was recorded is sent between two iterations; what goes
// and comes again by commands is two changes, of which an observer is reported, though their entity ends behind them.

static void what_is_recorded_in_an_iteration_is_sent_before_the_next(void)
{
    static const tape_op tape[] = {
        {QUERY_NEW, 2, 0, 0, 0},
        {WALK_BEGIN, 0, 2, 0, 0},
        {SEND, 0, 0, 0, 8},
        {WALK_BEGIN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

static void what_goes_and_comes_again_by_commands_is_two_changes(void)
{
    static const tape_op tape[] = {
        {BUNDLE_NEW, 0, 0, 0, 0}, {SPAWN_MANY, 0, 1, 0, 0},     {REACT, 0, 0, 0, 0},
        {SET_VALUES, 0, 4, 0, 0}, {LATER, 122, 233, 193, 1600},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// The later of two values in a recorded list counts. If it is none, the list adds its type without a value; after a
// removal, that is a second change. The observer's command for the entity is then dropped with the others.
static void a_recorded_list_whose_later_value_is_none_adds_without_a_value(void)
{
    static const tape_op tape[] = {
        {LIMIT, 1, 0, 0, 0},
        {REACT, 0, 3, 0, 0},
        {LATER, 1, 0, 0, 2112},
        {LATER, 0, 123, 149, 640},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// Two queries whose filters have another order begin with another entity: two pools of one size drive them.
static void queries_of_terms_in_another_order_may_begin_elsewhere(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 1, 1, 0},      {QUERY_NEW, 0, 0, 0, 0},  {QUERY_NEW, 1, 3, 3, 0},
        {BUNDLE_NEW, 0, 0, 0, 0}, {BUNDLE_NEW, 2, 1, 0, 0}, {SPAWN_MANY, 0, 1, 0, 0},
        {SPAWN_MANY, 2, 1, 0, 0}, {QUERY_SET, 0, 0, 0, 0},  {COPY, 0, 4, 3, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A step whose only system matches no table does not advance the tick.
static void a_step_without_a_table_to_match_has_no_tick(void)
{
    static const tape_op tape[] = {
        {QUERY_NEW, 0, 8192, 0, 0}, {BUNDLE_NEW, 1, 1, 0, 0}, {SPAWN_MANY, 1, 1, 0, 0},
        {STEP, 0, 0, 0, 0},         {WALK_BEGIN, 0, 0, 0, 0}, {LOOK, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// The fast path notified the observer of a sparse tag, and forgot the iteration that was open.
static void an_observed_tag_that_flips_in_an_iteration_leaves_it_open(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 0, 4096, 0}, {QUERY_NEW, 3, 0, 0, 0},    {BUNDLE_NEW, 0, 0, 0, 0},
        {OBSERVE, 0, 0, 0, 0},  {SPAWN_BUNDLE, 0, 0, 0, 0}, {WALK_BEGIN, 0, 3, 0, 0},
        {ADD, 0, 7, 0, 0},      {REMOVE, 0, 7, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// A call that made a table and was refused left the next one to tidy, if that had to reserve memory.
static void who_is_refused_leaves_nothing_to_tidy(void)
{
    static const tape_op tape[] = {
        {LIMIT, 4, 0, 0, 4096},     {QUERY_NEW, 0, 0, 0, 0},      {BUNDLE_NEW, 0, 1, 0, 0},
        {BUNDLE_NEW, 1, 0, 0, 0},   {TIME, 0, 0, 7, 0},           {SPAWN, 0, 0, 0, 0},
        {SPAWN_BUNDLE, 1, 0, 0, 0}, {SPAWN, 0, 0, 0, 0},          {RECLAIM, 0, 0, 0, 0},
        {LATER, 0, 135, 428, 76},   {UNTIDY, 0, 0, 0, 0},         {QUERY_ADD, 0, 1, 0, 0},
        {SNAPSHOT, 0, 0, 0, 0},     {SPAWN_RESERVED, 0, 1, 0, 0}, {UNTIDY, 0, 0, 0, 0},
        {ADD, 0, 2, 0, 0},          {AGAIN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// What a load had made was left to the next one to tidy, likewise.
static void a_world_that_was_loaded_has_nothing_to_tidy(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 0, 0, 4096},     {TIME, 0, 0, 7, 0},     {COPY, 0, 0, 2, 0},
        {SPAWN_VALUES, 0, 2, 0, 0}, {FACET, 0, 1, 0, 2},    {LATER, 0, 5, 268, 7},
        {RELOAD, 0, 0, 0, 0},       {SNAPSHOT, 0, 0, 0, 0}, {UNTIDY, 0, 0, 0, 0},
        {COPY, 0, 0, 0, 1},         {AGAIN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

// After a restore, a column still was one that may have disabled values: what an iteration handed out had no tick.
static void a_column_without_disabled_values_is_one_again(void)
{
    static const tape_op tape[] = {
        {LIMIT, 0, 0, 144, 4096}, {BUNDLE_NEW, 0, 0, 0, 0},   {SPAWN_MANY, 0, 1, 0, 0},
        {TIME, 0, 0, 7, 0},       {CHANGE, 0, 32, 0, 0},      {STEP, 0, 0, 0, 0},
        {SNAPSHOT, 0, 0, 0, 0},   {QUERY_NEW, 1, 0, 32, 0},   {RESTORE, 0, 0, 0, 0},
        {ITERATE, 1, 0, 0, 0},    {QUERY_TOGGLE, 1, 5, 0, 1}, {AGAIN, 0, 0, 0, 0},
    };
    replay(tape, sizeof tape / sizeof tape[0]);
}

TESTS(replay, a_column_without_disabled_values_is_one_again,
      a_world_that_was_loaded_has_nothing_to_tidy, who_is_refused_leaves_nothing_to_tidy,
      an_observed_tag_that_flips_in_an_iteration_leaves_it_open, who_lacks_something_is_in_no_group,
      a_group_is_sorted_by_the_values_of_its_entities, what_moves_takes_its_flag_along,
      what_is_disabled_is_not_there_to_queries, no_operation_at_all,
      who_fills_a_hole_is_found_again, a_slot_that_is_used_again_has_a_new_generation,
      a_value_of_the_world_is_found_after_its_table_has_grown,
      what_cannot_be_copied_is_not_given_twice, what_cannot_be_copied_is_not_taken_from_the_world,
      a_split_component_that_is_disabled_has_no_fields, an_event_ends_with_the_frame_after_its_own,
      what_is_gone_before_it_is_read_was_missed, a_facet_goes_with_its_owner,
      a_facet_that_goes_leaves_the_others_in_their_order, rows_of_a_pool_belong_to_their_owners,
      a_query_without_facets_finds_none, a_facet_is_made_later_under_its_key,
      who_ends_with_all_others_ends_behind_its_facets, a_page_of_nobody_is_loaded,
      what_an_observer_records_is_done_when_the_call_is_over,
      a_change_inside_an_iteration_keeps_all_tables, a_slot_is_retired_behind_its_command,
      the_later_value_of_a_recorded_list_counts,
      what_is_recorded_in_an_iteration_is_sent_before_the_next,
      what_goes_and_comes_again_by_commands_is_two_changes,
      a_recorded_list_whose_later_value_is_none_adds_without_a_value,
      queries_of_terms_in_another_order_may_begin_elsewhere,
      a_step_without_a_table_to_match_has_no_tick)
