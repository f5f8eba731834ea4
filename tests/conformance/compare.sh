#!/usr/bin/env bash
# compare.sh [LANGUAGE...]: holds what the languages computed for cases.json (build/conformance/LANGUAGE.jsonl, written by their tests) to be what C
# computed, bit for bit. Without arguments: all whose files are there, and at least one; with them, exactly those, and a missing file is a failure.
set -euo pipefail
cd "$(dirname "$0")/../../build/conformance" 2>/dev/null || { echo "tests/conformance: nothing was run yet: build/conformance is missing"; exit 1; }
[ -s c.jsonl ] || { echo "tests/conformance: c.jsonl is missing: run ctest -R conformance_c"; exit 1; }
languages=("$@")
if [ ${#languages[@]} -eq 0 ]; then
  for file in *.jsonl; do [ "$file" = c.jsonl ] || languages+=("${file%.jsonl}"); done
fi
[ ${#languages[@]} -gt 0 ] || { echo "tests/conformance: there is nothing beside c.jsonl to compare"; exit 1; }

failed=0
for language in "${languages[@]}"; do
  if [ ! -s "$language.jsonl" ]; then
    echo "tests/conformance: $language.jsonl is missing"; failed=1
  elif [ "$language.jsonl" -ot ../../tests/conformance/cases.json ]; then
    echo "tests/conformance: $language.jsonl is older than cases.json: run its tests again"; failed=1
  elif ! difference=$(diff c.jsonl "$language.jsonl"); then
    echo "tests/conformance: $language (>) differs from C (<):"; head -n 20 <<<"$difference"; failed=1
  fi
done
[ "$failed" -eq 0 ] || exit 1
echo "tests/conformance: $(wc -l <c.jsonl) cases, C = ${languages[*]}"
