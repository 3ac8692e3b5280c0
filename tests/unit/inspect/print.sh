#!/bin/sh
# Compares what the printers print with print.expected. How many bytes a world takes is not compared.
# Arguments: the program.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
said=$("$1") # a statement of its own: in a pipe, how the program ended is lost
echo "$said" | sed 's/[0-9]* bytes$/N bytes/' | diff "$here/print.expected" -
