#!/bin/sh
# Four million entities that come and go for an hour.
cd "$(dirname "$0")/../.." || exit 1
exec tools/long/soak.sh 4000000 3600
