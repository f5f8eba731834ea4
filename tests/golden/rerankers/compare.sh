#!/usr/bin/env bash
# Rerankers against the installed sentence-transformers, in one command:
#
#   tests/golden/rerankers/compare.sh [PYTHON]     PYTHON: an interpreter that has transformers,
#                                                  sentence-transformers and torch; default python3
#
# make.py makes the tiny rerankers again; the command line program scores their pairs; test_model
# saves each; CrossEncoder loads what was saved, and scores the same pairs. Largest differences are
# printed; the command fails above 1e-5. Build test_model and contrastive_cli first.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=$PWD/build/release python=${1:-python3} here=$PWD/tests/golden/rerankers
for program in test_model contrastive; do
  [ -x "$build/$program" ] || { echo "compare.sh: build $build/$program first" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$here/make.py" "$work/rerankers" >"$work/make.log" 2>&1 || {
  tail "$work/make.log" >&2; exit 1; }
mkdir "$work/saved"
for item in tests/fixtures/*; do
  [ "$item" = tests/fixtures/rerankers ] || ln -s "$PWD/$item" "$work/$(basename "$item")"
done
CONTRASTIVE_FIXTURES=$work CONTRASTIVE_SAVED_RERANKERS=$work/saved "$build/test_model" \
  --gtest_brief=1 --gtest_filter='All/Rerankers.*'
for folder in "$work"/rerankers/*/; do
  name=$(basename "$folder")
  "$python" -c "import json, sys
for pair in json.load(open(sys.argv[1]))['pairs']:
    print(json.dumps({'a': pair[0], 'b': pair[1]}))" "$folder/golden.json" >"$work/$name.jsonl"
  "$build/contrastive" rerank -q --model "$folder" --input "$work/$name.jsonl" --column a b --json \
    >"$work/$name.scores"
done
"$python" "$here/compare.py" "$work" 2>"$work/compare.log" || {
  tail -5 "$work/compare.log" >&2; exit 1; }
