#!/bin/sh
# What a fuzz target begins with is good: images of its corpus that are called so can be loaded. Otherwise it
# would go on trying what is refused at the door, and find nothing.
#
# usage: corpus.sh MICA
set -u
mica=$1
cd "$(dirname "$0")/corpus" || exit 1
passed=0
failed=0
for target in image json_image part; do
    for image in "$target"/good_*; do
        if said=$("$mica" check "$image" 2>&1); then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: $said"
        fi
    done
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
