#!/usr/bin/env bash
# Says which tests were skipped, and why, from the log of a verbose ctest run: a line "REASON: TEST,
# TEST (3), ..." for each reason of GoogleTest's, the number in brackets counting a test's
# parameters, and the lines of other programs that begin with "skipped: ".
#
#   tests/skipped.sh LOG
#
# The tests of programs that ran side by side are interleaved in the log: each line begins with the
# number of its program.
set -euo pipefail
awk '
  { program = $1 }
  /^[0-9]+: .*: Skipped$/ { next_is_reason[program] = 1; next }
  next_is_reason[program] {
    next_is_reason[program] = 0
    reason[program] = substr($0, length(program) + 2)
    next
  }
  /^[0-9]+: skipped: / { print substr($0, length(program) + 2) }
  /^[0-9]+: \[  SKIPPED \] .* \([0-9]+ ms\)$/ {
    why = reason[program]
    test = $5
    sub(/\/[^.\/]*$/, "", test)  # a parameter
    if (!((why, test) in times)) tests[why] = tests[why] (why in tests ? "\n" : "") test
    ++times[why, test]
  }
  END {
    for (why in tests) {
      count = split(tests[why], names, "\n")
      line = ""
      for (i = 1; i <= count; ++i) {
        line = line (i > 1 ? ", " : "") names[i]
        if (times[why, names[i]] > 1) line = line " (" times[why, names[i]] ")"
      }
      print why ": " line
    }
  }
' "$1" | sort -u
