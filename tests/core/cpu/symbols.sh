#!/usr/bin/env bash
# symbols.sh NM LIBRARY: no file of core/cpu that is compiled for an instruction set offers the
# linker anything besides its tables. An inline function of a header would be a weak symbol: the
# linker may keep that copy for the whole library, which then ends by SIGILL on other processors.
set -euo pipefail
symbols=$("$1" --print-file-name --format=posix --extern-only --defined-only "$2")
awk '
  $1 ~ /\[(features|kernels)\./ { next }
  $3 ~ /^[DRB]$/ && $2 ~ /^_ZN11contrastive3cpu.*(Kernels|Encode)E$/ { tables++; next }
  { print "no table: " $0; bad++ }
  END {
    if (tables < 4) print "only " tables + 0 " tables were found"
    else print tables " tables"
    exit bad > 0 || tables < 4
  }' <<<"$symbols"
