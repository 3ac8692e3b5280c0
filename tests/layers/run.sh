#!/bin/sh
# Plants violations in a copy of a small tree and expects tools/layers.sh, and its neighbours
# tools/allocations.sh, tools/words.sh, tools/roads.sh and tools/invariants.sh, to tell each of them by file, line
# and sentence. The real tree must pass. Of calls that src/ROADS does not grant, it must not have more than are
# recorded.
set -u
. "$(dirname "$0")/../cases.sh"

# A house with four rooms, one of them nested, in order.
plant_clean() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/src/base" "$work/tree/src/core" "$work/tree/src/store/table" "$work/tree/src/world"
    cat >"$work/tree/src/LAYERS" <<'EOF'
# a map
base        :
core        : base
store/table : base core
world       : base core store/table
EOF
    printf '#include <mica/error.h>\n#include <stdint.h>\n' >"$work/tree/src/base/array.h"
    printf '#include "base/array.h"\n' >"$work/tree/src/base/array_internal.h"
    printf '#include "base/array.h"\n#include "base/array_internal.h"\n#include <pthread.h>\n' \
        >"$work/tree/src/base/array.c"
    printf '#include "base/array.h"\n' >"$work/tree/src/core/registry.h"
    printf '#include "store/table/table.h"\n\n#include "core/registry.h"\n#include <mica/world.h>\n' \
        >"$work/tree/src/store/table/table.c"
    printf '#include "store/table/row.h"\n' >"$work/tree/src/store/table/table.h"
    printf '#include "base/array.h"\n' >"$work/tree/src/store/table/row.h"
    printf '#include "store/table/table.h"\n' >"$work/tree/src/world/world.c"
    mkdir -p "$work/tree/include/mica/detail"
    printf 'typedef struct mica_view_sheet mica_view_sheet;\n' >"$work/tree/include/mica/detail/view.h"
    printf 'typedef struct mica_world mica_world;\n' >"$work/tree/include/mica/world.h"
}

# passes WHAT TOOL [ROOT]. A tool may have an option, here and below.
passes() {
    # shellcheck disable=SC2086 # an option is a word of its own
    if said=$("$root"/tools/$2 "${3:-$work/tree}" 2>&1) && [ -z "$said" ]; then
        pass
    else
        fail "$1" "$said"
    fi
}

# caught WHAT TOOL LINE: exactly this one line, and exit status 1.
caught() {
    status=0
    # shellcheck disable=SC2086
    said=$("$root"/tools/$2 "$work/tree" 2>&1) || status=$?
    if [ "$status" -eq 1 ] && [ "$said" = "$3" ]; then
        pass
    else
        fail "$1 (exit status $status)" "expected: $3
got:      $said"
    fi
}

# Each of these adds something to the clean tree: include FILE LINE..., the file being one of src/;
# plant FILE LINE... for any.
include() {
    file=src/$1
    shift
    plant "$file" "$@"
}

plant() {
    plant_clean
    file=$work/tree/$1
    shift
    mkdir -p "$(dirname "$file")"
    printf '%s\n' "$@" >"$file"
}

# The same with the table of roads of the real tree.
plant_roads() {
    plant "$@"
    cp "$root/src/ROADS" "$work/tree/src/ROADS"
}

passes "the real tree keeps to its map" layers.sh "$root"
passes "the real tree leaves the allocator to base/memory.c" allocations.sh "$root"
passes "the real tree keeps its words where they belong" words.sh "$root"
passes "the real tree has no call that src/ROADS does not grant" "roads.sh --table" "$root"
passes "the real tree gives each invariant a number of its own" invariants.sh "$root"

plant_clean
passes "a clean tree has no violation" layers.sh

include core/x.c '' '#include "store/table/table.h"'
caught "an include upwards" layers.sh \
    'src/core/x.c:2: src/LAYERS does not grant core the room store/table'
include base/x.c '#  include "core/registry.h" // why not'
caught "an include upwards, written oddly" layers.sh \
    'src/base/x.c:1: src/LAYERS does not grant base the room core'
include base/x.c '#include "array.h"'
caught "an include that does not spell its room" layers.sh \
    'src/base/x.c:1: "array.h" does not spell its room: write "base/array.h"'
include core/x.c '#include "../base/array.h"'
caught "a relative include" layers.sh \
    'src/core/x.c:1: "../base/array.h" is a relative path: spell the room from src/'
include core/x.c '#include "base/array_internal.h"'
caught "an internal header of another room" layers.sh \
    'src/core/x.c:1: "base/array_internal.h" is internal to base'
include base/array.h '#include "base/array_internal.h"'
caught "an internal header in one that is not" layers.sh \
    'src/base/array.h:1: "base/array_internal.h" is internal, and this header is not'
include core/x.h '#include "base/array.h"'
caught "a header that only its room includes, and is not called internal" layers.sh \
    'src/core/x.h:1: no other room reaches this header: call it *_internal.h'
include core/x_internal.h '#include "core/registry.h"'
passes "a header of a room, which is called so" layers.sh
include core/x.c '#include "mica/world.h"'
caught "a public header in quotes" layers.sh \
    'src/core/x.c:1: "mica/world.h" is public: write <mica/world.h>'
include core/x.c '#include <mica.h>'
caught "the header for users" layers.sh \
    'src/core/x.c:1: <mica.h> is for users: include the part you need'
include core/x.c '#include <unistd.h>'
caught "a header of the system" layers.sh \
    'src/core/x.c:1: <unistd.h> is neither a public header of mica nor of the C standard'
include base/memory.c '#include <malloc.h>'
passes "the one file that may include malloc.h" layers.sh
include core/memory.c '#include <malloc.h>'
caught "malloc.h anywhere else" layers.sh \
    'src/core/memory.c:1: <malloc.h> is neither a public header of mica nor of the C standard'
include core/x.c '#include "attic/x.h"'
caught "an include of no room" layers.sh \
    'src/core/x.c:1: "attic/x.h" is of no room in src/LAYERS'
include core/x.c '#include "base/gone.h"'
caught "a header that does not exist" layers.sh \
    'src/core/x.c:1: "base/gone.h" does not exist'
include core/x.c '#include "base/array.c"'
caught "an include of a source file" layers.sh \
    'src/core/x.c:1: "base/array.c" is not a header'
include core/x.c '#define X "base/array.h"' '#include X'
caught "an include through a macro" layers.sh \
    'src/core/x.c:2: an include that names no file'
include attic/x.c '#include <stdint.h>'
caught "a folder that is not in the map" layers.sh \
    'src/attic/x.c:1: room attic has no line in src/LAYERS'
include x.c '#include <stdint.h>'
caught "a file outside of any room" layers.sh \
    'src/x.c:1: a source file outside of any room'
include core/x.c '/* old:' '#include "store/table/table.h"' '*/' '// #include <unistd.h>'
passes "an include in a comment is none" layers.sh

plant_clean
printf 'base : core\ncore : base\nstore/table : base core\nworld : base store/table\n' >"$work/tree/src/LAYERS"
caught "an arrow upwards in the map" layers.sh \
    'src/LAYERS:1: base is granted core, which is not on a line above: arrows point downwards'
plant_clean
echo 'core : base' >>"$work/tree/src/LAYERS"
caught "a room with two lines" layers.sh 'src/LAYERS:6: room core has two lines'
plant_clean
echo 'attic' >>"$work/tree/src/LAYERS"
caught "a line that says nothing" layers.sh \
    'src/LAYERS:6: not of the form "room : rooms it may include"'
plant_clean
rm "$work/tree/src/LAYERS"
caught "no map" layers.sh 'src/LAYERS:1: the map is missing'

include core/x.c 'void *f(void);' 'void *f(void) { return malloc (8); }'
caught "a call of malloc" allocations.sh \
    'src/core/x.c:2: calls malloc(); only src/base/memory.c may'
include core/x.c 'void f(void *p) { /* done */ free(p); }'
caught "a call of free" allocations.sh \
    'src/core/x.c:1: calls free(); only src/base/memory.c may'
include base/memory.c 'void *f(void) { return malloc(8); }'
passes "base/memory.c calls malloc" allocations.sh
include core/x.c '// free(p)' '/* malloc(8)' 'realloc(p, 8) */' 'const char *s = "free(x)";' \
    'void g(void) { set_free(s); table->free(s); }'
passes "a call in a comment, a string, or of another function is none" allocations.sh

# Words that belong to one place.
words='only src/store, src/query/segment and src/time/scan may'
plant_clean
passes "a clean tree keeps to its words" words.sh
include world/x.c '' 'micai_sheet *sheet = micai_sheet_at(table, 0);'
caught "a sheet in the world" words.sh "src/world/x.c:2: says \"sheet\"; $words"
include query/x.c 'uint32_t n = table->page_count;'
caught "a page in the name of a member" words.sh "src/query/x.c:1: says \"page\"; $words"
include system/x.h '// Moves whole Pages.'
caught "pages in a comment" words.sh "src/system/x.h:1: says \"Pages\"; $words"
include world/x.c '#define N MICAI_STRIP_2'
caught "a strip in a macro" words.sh "src/world/x.c:1: says \"STRIP\"; $words"
include world/x.c '#include "store/table/sheet.h"'
caught "a sheet in an include" words.sh "src/world/x.c:1: says \"sheet\"; $words"
include event/x.c '/*' 'strips' '*/'
caught "a strip in a room that is new" words.sh "src/event/x.c:2: says \"strips\"; $words"
include query/segments.c 'pages();'
caught "a page beside the part that may" words.sh "src/query/segments.c:1: says \"pages\"; $words"
include query/segment.c 'sheets(page, strip);'
passes "the part of query/ that makes segments" words.sh
include time/scan.c 'sheets(page, strip);'
passes "the part of time/ that copies rows" words.sh
include store/table/x.c 'sheets(page, strip);'
passes "store/table has sheets" words.sh
include store/pool/x.c 'sheets(page, strip);'
passes "every store may" words.sh
include core/x.c 'slots->pages[0]'
passes "core has pages of its own" words.sh
include world/x.c '// stripped spaces: homepage, worksheet, pageant'
passes "other words that begin or end like these" words.sh

plant include/mica/x.h '' 'bool f(const mica_view_sheet *view);'
caught "a view in a public header" words.sh \
    'include/mica/x.h:2: names mica_view_sheet; only detail/ and accessor.h may'
plant include/mica/x.h '// see MICA_VIEW_ROWS'
caught "a view in its comment" words.sh \
    'include/mica/x.h:1: names MICA_VIEW_ROWS; only detail/ and accessor.h may'
plant include/mica.h 'typedef struct mica_view_face mica_view_face;'
caught "a view in the header for users" words.sh \
    'include/mica.h:1: names mica_view_face; only detail/ and accessor.h may'
plant include/mica/accessor.h 'bool f(const mica_view_sheet *view);'
passes "accessor.h reads views" words.sh
plant include/mica.h '#include <mica/detail/view.h>'
passes "an include of view.h names no view" words.sh
plant include/mica/detail/x.h 'bool f(const mica_view_sheet *view);'
passes "inline helpers read views" words.sh

asks='asks which storage it is; only src/store, src/entity, src/query/filtered and src/image/schema may'
while IFS= read -r line; do
    include world/x.c '' "$line"
    caught "a question: $line" words.sh "src/world/x.c:2: $asks"
done <<'EOF'
if (type->info.storage == MICA_SPARSE) {
if (MICA_SPARSE != storage) {
if (micai_pool_keeps(type)) {
return !f(type) || micai_pool_keeps(type);
return desc.storage != desc->storage || a->storage == 1;
switch (type->info.storage) {
switch ((int)storage) {
case MICA_TABLE:
if (type->storage) {
while (!type->storage) {
return a && type->storage;
return type->storage && a;
return types[i].storage > 1;
return policies[type->storage].load(value);
size_t size = type->storage ? 8 : 4;
return policy_of(type) == MICA_SPARSE;
if (table->columns[i].kind == &paged) {
if (column->kind != &paged) {
EOF
for place in core/slot.c query/query.c world/values.c; do
    include "$place" 'if (info->storage == 1) {'
    caught "a question in $place" words.sh "src/$place:1: $asks"
done
for place in core/registry.c store/pool/pool.c store/table/table.c entity/locate.c entity/locate.h \
    entity/change.c entity/change_many.c entity/bulk.c query/filtered_internal.h image/schema.c; do
    include "$place" 'if (info->storage == 1) {'
    passes "$place may ask" words.sh
done
include world/x.c '// storage == 1' 'say("storage == 1"); /* case' 'case MICA_SPARSE: */' \
    'if (a->storage != b->storage) {' 'return (a.storage == types[i]->info.storage);' \
    'info->storage = desc->storage;' 'f(info->storage, MICA_TABLE);' \
    'if ((unsigned)desc->storage >= MICA_STORAGE_COUNT) {' 'if (storage_size == 1 || the_storage == 2) {' \
    'column->kind->load(column);' 'if (field->kind == MICA_KIND_CHAR) {' 'switch (field->kind) {'
passes "what is not the question" words.sh

# Calls that src/ROADS does not grant.
not_granted='src/ROADS does not grant it'
plant_roads src/world/x.c ''
passes "a clean tree keeps to its roads" roads.sh

# KIND FUNCTION PLACE: the place may not call the function.
while read -r kind name place; do
    plant_roads "src/$place" '' "    f($name(x), y);"
    caught "$name() in $place" roads.sh "src/$place:2: $kind: calls $name(); $not_granted"
done <<'EOF'
storage micai_pool_keeps world/x.c
storage micai_pool_keeps image/x.c
storage micai_pool_keeps query/x.c
storage micai_stamp_is_sparse world/x.c
rows micai_row_append command/replay.c
rows micai_row_append_many entity/change_several.c
rows micai_row_move_raw query/x.c
rows micai_row_drop entity/locate.c
rows micai_table_push query/x.c
rows micai_table_set_count image/x.c
rows micai_transfer_commit query/x.c
rows micai_replace_rows entity/change.c
rows micai_pool_add entity/spawn.c
rows micai_pool_remove query/x.c
rows micai_row_exchange entity/change.c
rows micai_pools_forget entity/spawn.c
pools micai_pools_find world/x.c
pools micai_pool_row world/x.h
pools micai_index_row image/x.c
pools micai_presence_of system/x.c
pools micai_group_size world/group.c
pools MICAI_FOR_PRESENCE inspect/x.c
slots micai_slots_take entity/spawn.c
slots micai_slots_take_many store/table/table.c
slots micai_slots_recycle query/x.c
slots micai_slots_put_back query/x.c
slots micai_record_place store/table/table.h
slots micai_restore_alive image/x.c
notifications micai_notify entity/spawn.c
notifications micai_notification_begin image/x.c
notifications micai_notify_one entity/locate.c
notifications micai_observers_notify entity/change.c
EOF

# FUNCTION PLACE: the place may.
while read -r name place; do
    plant_roads "src/$place" "$name(x);"
    passes "$place may call $name()" roads.sh
done <<'EOF'
micai_pool_keeps entity/locate.c
micai_pool_keeps store/table/x.c
micai_stamp_is_sparse core/stamp.h
micai_row_append entity/change.c
micai_row_move entity/bulk.c
micai_row_drop store/table/x.c
micai_pool_add entity/change.h
micai_pools_find entity/x.c
micai_pool_value store/pool/x.c
micai_slots_take core/x.c
micai_slots_place store/table/transfer.c
micai_slots_find query/x.c
micai_notify event/x.c
micai_notification_begin entity/notify.h
micai_notification_has query/match_entity.c
micai_group_find entity/group.c
micai_row_fill query/x.c
EOF

question="storage: asks which storage a type has; $not_granted"
plant_roads src/query/x.c '' 'if (info->storage == MICA_RING) {'
caught "a question that no function asks" roads.sh "src/query/x.c:2: $question"
plant_roads src/world/x.c 'return state->storage_of[type] ? 1 : 2;'
caught "a question put to the table of storages" roads.sh "src/world/x.c:1: $question"
plant_roads src/entity/locate.c 'return state->storage_of[type] ? 1 : 2;'
passes "entity/locate may ask" roads.sh
plant_roads src/query/x.c '// micai_row_append(x)' '/* micai_pools_find(x)' 'micai_slots_take(x) */' \
    'const char *s = "micai_row_drop(x)";' 'void g(micai_pool_room *room);' 'the_micai_row_drop(x);'
passes "comments, strings, types and other functions are no calls" roads.sh

adverb='is named by an adverb'
for name in set_quickly get_slowly micai_shape_find_lightly spawn_apart set_beside change_elsewhere \
    add_otherwise do_alone join_plainly move_carefully; do
    plant_roads src/world/x.c "void $name(int a, int b);" '' "static void $name(int a," '    int b)' \
        '{' "    $name(a, b);" '}'
    caught "a function named $name" roads.sh "src/world/x.c:3: adverbs: $name() $adverb"
done
plant_roads include/mica/x.h 'static inline bool mica_get_quickly(int a) { return a; }'
caught "an adverb in a public header" roads.sh \
    "include/mica/x.h:1: adverbs: mica_get_quickly() $adverb"
plant_roads src/world/x.c 'void mica_x_apply(int a)' '{' '    f_slowly();' '}' \
    'static bool quickly_found(void)' '{' '}' 'int g_slowly(void);' 'int h_apart_from(void) { }'
passes "verbs in -ly, calls, and declarations" roads.sh

# A tree with several.
plant_several() {
    plant_roads src/query/x.c 'void f_slowly(void)' '{' 'micai_pools_open(x);' 'micai_row_append(x);' '}'
    mkdir -p "$work/tree/src/world"
    echo 'f(micai_pools_find(y), micai_pool_next(z));' >"$work/tree/src/world/y.c"
}
plant_several
caught "violations are listed kind by kind" roads.sh \
    "src/query/x.c:4: rows: calls micai_row_append(); $not_granted
src/query/x.c:3: pools: calls micai_pools_open(); $not_granted
src/world/y.c:1: pools: calls micai_pools_find(); $not_granted
src/world/y.c:1: pools: calls micai_pool_next(); $not_granted
src/query/x.c:1: adverbs: f_slowly() $adverb"
caught "a summary has a number per kind and per file" "roads.sh --summary" "storage: 0 in 0 files
rows: 1 in 1 files
     1 src/query/x.c
pools: 3 in 2 files
     1 src/query/x.c
     2 src/world/y.c
slots: 0 in 0 files
notifications: 0 in 0 files
adverbs: 1 in 1 files
     1 src/query/x.c"

# The table.
plant_several
printf '%s\n' 'rows : QUESTION micai_row_* micai_row_gone -micai_gone : store query' >"$work/tree/src/ROADS"
caught "a name in the table that no function has" "roads.sh --table" \
    'src/ROADS:1: there is no function micai_row_gone'

plant_clean
caught "no table of roads" roads.sh 'src/ROADS:1: the table is missing'
printf 'rows : f : store\nrows : micai_row_drop\n' >"$work/tree/src/ROADS"
caught "a line that grants nothing to nobody" roads.sh \
    'src/ROADS:2: not of the form "kind : functions : rooms and files that may call them"'

# Numbers of invariants.
include core/x.h '//   T1  rows are right.'
passes "a number with a sentence" invariants.sh
echo '//   T1  slots are right.' >"$work/tree/src/core/y.h"
caught "a number with two sentences" invariants.sh 'src/core/x.h:1: T1 is defined in src/core/y.h:1, too'
include core/x.c '//   T1  rows are right.' 'return fail(host, "T1", "a row is wrong");'
caught "a number that no test expects" invariants.sh 'src/core/x.c:2: T1 is expected by no test'
mkdir "$work/tree/tests"
echo 'CHECK_ERROR(&t, "invariant T1 is broken: a row is wrong");' >"$work/tree/tests/x_test.c"
passes "a number that a test expects in a sentence" invariants.sh
echo '{"slots.alive", find_slots, "S1 T1"},' >"$work/tree/tests/x_test.c"
passes "a number that a test expects among others" invariants.sh
echo 'return fail(host, "T1", "a row is wrong");' >"$work/tree/src/core/x.c"
caught "a number without a sentence" invariants.sh 'src/core/x.c:1: T1 is defined in no file head'

conclude
