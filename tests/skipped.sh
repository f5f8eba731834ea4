#!/usr/bin/env bash
# Says which tests were skipped, and why, from the log of a verbose ctest run: a line "TEST: REASON" for each of GoogleTest's, and the lines of other
# programs that begin with "skipped: ".
#
#   tests/skipped.sh LOG
#
# The tests of programs that ran side by side are interleaved in the log: each line begins with the number of its program.
set -euo pipefail
awk '
  { program = $1 }
  /^[0-9]+: .*: Skipped$/ { next_is_reason[program] = 1; next }
  next_is_reason[program] { next_is_reason[program] = 0; reason[program] = substr($0, length(program) + 2); next }
  /^[0-9]+: skipped: / { print substr($0, length(program) + 2) }
  /^[0-9]+: \[  SKIPPED \] .* \([0-9]+ ms\)$/ { print $5 ": " reason[program] }
' "$1" | sort -u
