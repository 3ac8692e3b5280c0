#!/bin/sh
# Sixty mutants, others every day: the seed is the date, or MICA_MUTANT_SEED.
cd "$(dirname "$0")/../.." || exit 1
exec tools/mutate.sh --count 60 --seed "${MICA_MUTANT_SEED:-$(date +%Y%m%d)}"
