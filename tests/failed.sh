#!/usr/bin/env bash
# Says which programs of a verbose ctest run failed, and with what: each one's name, its messages of
# failure and its last lines.
#
#   tests/failed.sh LOG
#
# The programs that ran side by side are interleaved in the log: each line begins with the number of
# its program.
set -euo pipefail
awk '
  /^The following tests FAILED:/ { listing = 1; next }
  listing && /^[ \t]*[0-9]+ - / {
    failed[++count] = $1
    closing[$1] = $0
    sub(/^[ \t]*[0-9]+ - /, "", closing[$1])
    next
  }
  /^[0-9]+: / {
    program = $1; sub(/:$/, "", program)
    line = substr($0, length($1) + 2)
    if (line ~ /^(Test command|Working Directory|Test timeout)/) next
    if (line ~ /: Failure$|\[  ERROR   \]|\[  FAILED  \]|^Error:|: error: |Sanitizer/)
      tell[program] = 8
    if (tell[program] > 0 && told[program] < 40) {
      --tell[program]
      ++told[program]
      messages[program] = messages[program] "    " line "\n"
    }
    last[program, ++lines[program]] = line
    delete last[program, lines[program] - 5]
  }
  END {
    for (i = 1; i <= count; ++i) {
      number = failed[i]
      print closing[number]
      if (messages[number] != "") printf "%s", messages[number]
      print "    its last lines:"
      for (at = lines[number] - 4; at <= lines[number]; ++at)
        if ((number, at) in last) print "    " last[number, at]
    }
  }
' "$1"
