#!/bin/sh
# The printers for gdb (tools/gdb/mica.py), in gdb: on a program in C that runs, on a core file of it, on a program in C++,
# and on one whose library has no debug information.
#
# usage: run.sh LIBRARY          the static library, with debug information
set -u
. "$(dirname "$0")/../cases.sh"
library=$1

if ! command -v gdb >/dev/null || ! gdb -nx -batch -ex 'python print(1)' >/dev/null 2>&1; then
    echo "skipped: no gdb with Python (apt-get install gdb)"
    exit 77
fi
cc -std=c11 -g -O0 -Wall -Wextra -Werror "-I$root/include" "$root/tests/gdb/program.c" "$library" -lm -o "$work/program" || exit 1
if ! gdb -nx -batch -ex run "$work/program" 2>&1 | grep -q 'exited normally'; then
    echo "skipped: gdb may not run programs here"
    exit 77
fi

# shows WHAT EXPECTED GDB_OPTION...: what gdb prints in lines that begin with "> ".
shows() {
    what=$1
    expected=$2
    shift 2
    gdb -nx -batch -ex "set \$mica_py = \"$root/tools/gdb/mica.py\"" -ex "set \$core = \"$work/core\"" "$@" >"$work/said" 2>&1
    sed -n 's/^> //p' "$work/said" >"$work/shown"
    if diff -u "$expected" "$work/shown" >"$work/diff"; then
        pass
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        sed 's/^/    /' "$work/diff"
        grep -v '^> ' "$work/said" | tail -n 20
    fi
}

shows "a program in C" "$root/tests/gdb/expected" -x "$root/tests/gdb/commands.gdb" "$work/program"

# brief PROGRAM [CORE]: one entity, where it is a variable.
brief() {
    printf '%s\n' 'python gdb.execute("source " + gdb.convenience_variable("mica_py").string())' "$1" \
        'python print("> " + gdb.parse_and_eval("'"$2"'").format_string())' 'mica entity 0' >"$work/commands"
}
echo '0.0 "scout"' >"$work/expected"
if [ -f "$work/core" ]; then
    brief 'frame function main' s.scout
    shows "a core file" "$work/expected" -x "$work/commands" "$work/program" "$work/core"
else
    skipped=$((skipped + 1))
    echo "skipped: gdb wrote no core file"
fi

# Without debug information of the library, handles are shown as they are.
objcopy --strip-debug "$library" "$work/plain.a"
cc -std=c11 -g -O0 "-I$root/include" "$root/tests/gdb/program.c" "$work/plain.a" -lm -o "$work/plain" || exit 1
echo '0.0' >"$work/expected"
brief 'break stop_here
run' 's->scout'
shows "a library without debug information" "$work/expected" -x "$work/commands" "$work/plain"

if command -v c++ >/dev/null; then
    c++ -std=c++17 -g -O0 "-I$root/include" "$root/tests/gdb/program.cpp" "$library" -lm -o "$work/program_cpp" || exit 1
    echo '0.0 "scout"' >"$work/expected"
    brief 'break stop_here
run' e
    shows "a program in C++" "$work/expected" -x "$work/commands" "$work/program_cpp"
else
    skipped=$((skipped + 1))
    echo "skipped: no c++ (apt-get install g++)"
fi

conclude
