#!/bin/sh
# All mutants.
cd "$(dirname "$0")/../.." || exit 1
exec tools/mutate.sh
