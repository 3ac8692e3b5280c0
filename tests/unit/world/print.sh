#!/bin/sh
# Compares what the printers print with print.expected. How many bytes a world takes is not compared.
# Arguments: the program.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$1" | sed 's/[0-9]* bytes$/N bytes/' | diff "$here/print.expected" -
