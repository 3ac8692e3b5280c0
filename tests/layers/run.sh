#!/bin/sh
# Plants violations in a copy of a small tree and expects tools/layers.sh, and its neighbour
# tools/allocations.sh, to tell each of them by file, line and sentence. The real tree must pass.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    echo "$2" | sed 's/^/    /'
}

# A house with three rooms, one of them nested, in order.
plant_clean() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/src/base" "$work/tree/src/core" "$work/tree/src/store/table"
    cat >"$work/tree/src/LAYERS" <<'EOF'
# a map
base        :
core        : base
store/table : base core
EOF
    printf '#include <mica/error.h>\n#include <stdint.h>\n' >"$work/tree/src/base/array.h"
    printf '#include "base/array.h"\n' >"$work/tree/src/base/array_internal.h"
    printf '#include "base/array.h"\n#include "base/array_internal.h"\n#include <pthread.h>\n' \
        >"$work/tree/src/base/array.c"
    printf '#include "base/array.h"\n' >"$work/tree/src/core/registry.h"
    printf '#include "store/table/table.h"\n\n#include "core/registry.h"\n#include <mica/world.h>\n' \
        >"$work/tree/src/store/table/table.c"
    printf '#include "base/array.h"\n' >"$work/tree/src/store/table/table.h"
}

# passes WHAT TOOL [ROOT]
passes() {
    if said=$("$root/tools/$2" "${3:-$work/tree}" 2>&1) && [ -z "$said" ]; then
        passed=$((passed + 1))
    else
        fail "$1" "$said"
    fi
}

# caught WHAT TOOL LINE: exactly this one line, and exit status 1.
caught() {
    status=0
    said=$("$root/tools/$2" "$work/tree" 2>&1) || status=$?
    if [ "$status" -eq 1 ] && [ "$said" = "$3" ]; then
        passed=$((passed + 1))
    else
        fail "$1 (exit status $status)" "expected: $3
got:      $said"
    fi
}

# Each of these adds something to the clean tree: include FILE LINE...
include() {
    plant_clean
    file=$work/tree/src/$1
    shift
    mkdir -p "$(dirname "$file")"
    printf '%s\n' "$@" >"$file"
}

passes "the real tree keeps to its map" layers.sh "$root"
passes "the real tree leaves the allocator to base/memory.c" allocations.sh "$root"

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
printf 'base : core\ncore : base\nstore/table : base core\n' >"$work/tree/src/LAYERS"
caught "an arrow upwards in the map" layers.sh \
    'src/LAYERS:1: base is granted core, which is not on a line above: arrows point downwards'
plant_clean
echo 'core : base' >>"$work/tree/src/LAYERS"
caught "a room with two lines" layers.sh 'src/LAYERS:5: room core has two lines'
plant_clean
echo 'attic' >>"$work/tree/src/LAYERS"
caught "a line that says nothing" layers.sh \
    'src/LAYERS:5: not of the form "room : rooms it may include"'
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

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
