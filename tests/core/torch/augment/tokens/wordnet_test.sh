#!/usr/bin/env bash
# wordnet_test.sh ROOT: packaging/wordnet_synonyms.py on a WordNet of a few words, in both forms of
# the table.
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
licence='  1 This software and database is being provided to you'
for part in noun verb adj adv; do
  echo "$licence" >"$work/data.$part"
  echo "$licence" >"$work/index.$part"
done
cat >>"$work/data.noun" <<'DATA'
00000001 03 n 03 cat 0 true_cat 0 Felis 0 001 @ 00000009 n 0000 | a feline
00000002 03 n 02 guy 0 cat 0 000 | a man
00000003 03 n 02 cat 1 kat 0 000 | a leaf that is chewed
DATA
cat >>"$work/index.noun" <<'DATA'
cat n 3 1 @ 3 1 00000001 00000002 00000003
guy n 1 1 @ 1 1 00000002
true_cat n 1 1 @ 1 1 00000001
DATA
echo '00000004 00 s 02 afloat(p) 0 floating 0 000 | on the water' >>"$work/data.adj"
echo 'floating a 1 0 1 0 00000004' >>"$work/index.adj"
echo '00000005 00 s 01 well 0 000 | good' >>"$work/data.adv"
echo 'well r 1 0 1 0 00000005' >>"$work/index.adv"

failures=0
expect() {  # WHAT EXPECTED FOUND
  [ "$2" = "$3" ] || { echo "$1: expected $2, found $3" >&2; failures=$((failures + 1)); }
}
table() { python3 "$root/packaging/wordnet_synonyms.py" "$work" "$@" |
  python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)))'; }

expect "two senses, frequent ones first" \
  '{"cat": ["Felis", "guy"], "floating": ["afloat"], "guy": ["cat"]}' "$(table)"
expect "one sense" '{"cat": ["Felis"], "floating": ["afloat"], "guy": ["cat"]}' \
  "$(table --senses 1)"
phrases='{"cat": ["true cat", "Felis"], "floating": ["afloat"], "guy": ["cat"], '
expect "phrases, at most two of each" "$phrases"'"true cat": ["cat", "Felis"]}' \
  "$(table --phrases --most 2)"
rm "$work/index.adv"
advice="is this WordNet's folder (apt install wordnet-base)?"
expect "another folder" "wordnet_synonyms.py: $work has no index.adv: $advice" \
  "$(table 2>&1 | head -n 1)"
touch "$work/index.adv"

if python3 -c 'import tokenizers' 2>/dev/null; then
  lines=$(python3 "$root/packaging/wordnet_synonyms.py" "$work" --tokenizer \
    "$root/tests/fixtures/models/bert_st")
  expect "lines of ids" 3 "$(grep -cE '^[0-9 ]+(, [0-9 ]+)+$' <<<"$lines")"
else
  echo "lines of ids: not tested, the Python package tokenizers is not installed"
fi
[ "$failures" -eq 0 ]
