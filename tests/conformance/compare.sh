#!/usr/bin/env bash
# compare.sh [LANGUAGE...]: holds what the languages computed for cases.json
# (build/conformance/LANGUAGE.jsonl, written by their tests) to be what C computed, bit for bit, and
# shows how many cases of each kind are. Without arguments: all whose files are there, and at least
# one; with them, exactly those, and a missing file is a failure.
set -euo pipefail
cd "$(dirname "$0")/../../build/conformance" 2>/dev/null || {
  echo "tests/conformance: nothing was run yet: build/conformance is missing"; exit 1; }
[ -s c.jsonl ] || { echo "tests/conformance: c.jsonl is missing: run ctest -R conformance_c"; exit \
  1; }
languages=("$@")
if [ ${#languages[@]} -eq 0 ]; then
  for file in *.jsonl; do [ "$file" = c.jsonl ] || languages+=("${file%.jsonl}"); done
fi
[ ${#languages[@]} -gt 0 ] || {
  echo "tests/conformance: there is nothing beside c.jsonl to compare"; exit 1; }

failed=0
for language in "${languages[@]}"; do
  if [ ! -s "$language.jsonl" ]; then
    echo "tests/conformance: $language.jsonl is missing"; failed=1
  elif [ "$language.jsonl" -ot ../../tests/conformance/cases.json ]; then
    echo "tests/conformance: $language.jsonl is older than cases.json: run its tests again";
      failed=1
  elif ! difference=$(diff c.jsonl "$language.jsonl"); then
    echo "tests/conformance: $language (>) differs from C (<):"; head -n 20 <<<"$difference";
      failed=1
  fi
done
present=()
for language in "${languages[@]}"; do [ ! -s "$language.jsonl" ] ||
  present+=("$language.jsonl"); done
[ ${#present[@]} -eq 0 ] || awk -F'"' '
  # A case is kind/model/text or kind/name. The table has a row for each kind and model.
  {
    n = split($4, part, "/")
    group = part[1]
    if (group != "error" && group != "train") group = group " " part[2]
  }
  FNR == 1 { column[++columns] = FILENAME; sub(/[.]jsonl$/, "", column[columns]) }
  columns == 1 { line[$4] = $0; if (!(group in cases)) row[++rows] = group; cases[group]++ }
  line[$4] == $0 { equal[group, columns]++ }
  END {
    printf "%-24s", "cases as C has them"
    for (i = 1; i <= columns; ++i) printf " %12s", i == 1 ? "C" : column[i]
    for (r = 1; r <= rows; ++r) {
      printf "\n%-24s", row[r]
      for (i = 1; i <= columns; ++i) printf " %12d", equal[row[r], i]
    }
    print ""
  }' c.jsonl "${present[@]}"
[ "$failed" -eq 0 ] || exit 1
echo "tests/conformance: $(wc -l <c.jsonl) cases, C = ${languages[*]}"
