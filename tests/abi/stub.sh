#!/usr/bin/env bash
# stub.sh INCLUDE NUMBER LIBRARY [MAP]: a library that exports what
# INCLUDE/contrastive/contrastive.h declares, with debug information and nothing behind it; NUMBER
# is that of its SONAME and, without a MAP, of the version of its symbols.
set -euo pipefail
include=$1 number=$2 library=$3 map=${4:-$3.map}
[ $# -gt 3 ] || printf 'CONTRASTIVE_%s { global: cs_*; local: *; };\n' "$number" >"$map"
python3 "$(dirname "$0")/stub.py" "$include/contrastive/contrastive.h" >"$library.c"
"${CC:-cc}" -g -O0 -w -fPIC -shared -I "$include" "$library.c" -Wl,--version-script="$map" \
  -Wl,-soname,"libcontrastive.so.$number" -o "$library"
