#!/usr/bin/env bash
# Every family of encoders against the installed transformers and sentence-transformers, in one
# command:
#
#   tests/golden/families/compare.sh [PYTHON [NAME...]]     PYTHON: an interpreter that has
#                                                           transformers, sentence-transformers and
#                                                           torch; default
#                                                           python3. NAME: one of make.py's
#                                                           checkpoints; default all
#
# 1. make.py makes the tiny checkpoints again, and test_families compares states and gradients on
# them. 2. Each one is trained one step and saved by the command line program; the saved folder is
# embedded by it and by sentence-transformers, and loaded by
#    transformers, which must find every weight (tests/golden/sentence_transformers/roundtrip.py);
#    huggingface_hub reads its card (card.py there).
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=$PWD/build/release python=${1:-python3} here=$PWD/tests/golden
if ! versions=$("$python" -c "import sentence_transformers, torch, transformers
print('transformers', transformers.__version__, 'sentence-transformers',
      sentence_transformers.__version__, 'torch', torch.__version__)" 2>/dev/null); then
  echo "compare.sh: $python lacks something: pip install transformers sentence-transformers" \
    "torch, or name another interpreter" >&2
  exit 2
fi
echo "$versions"
for program in test_families contrastive; do
  [ -x "$build/$program" ] || { echo "compare.sh: build $build first" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

"$python" "$here/families/make.py" "$work/families" "${@:2}" 2>"$work/make.log" || {
  cat "$work/make.log" >&2; exit 1; }
# The list of families is whole only where all of them are made.
CONTRASTIVE_FIXTURES=$work "$build/test_families" --gtest_brief=1 \
  --gtest_filter="$([ $# -gt 1 ] && echo 'All/*' || echo '*')" || failed=1

printf '%s\n' "the sun is in the sea" "a hare ran 12 miles" "no one here has a stone, or an oar" \
  "trees" "7 8 9" > "$work/texts.txt"
# Python's classes of some families want a tokenizer.json.
"$python" -c "import sys, transformers
for folder in sys.argv[1:]:
    tokenizer = transformers.BertTokenizerFast(folder + '/vocab.txt', model_max_length=120)
    tokenizer.save_pretrained(folder)" "$work"/families/*/ 2>>"$work/make.log"
paste "$work/texts.txt" <(tac "$work/texts.txt") > "$work/pairs.tsv"
for folder in "$work"/families/*/; do
  name=$(basename "$folder")
  if ! "$build/contrastive" train -q --model "$folder" --train "$work/pairs.tsv" --method mnrl \
    --output "$work/saved-$name" \
      --pooling mean --set max_steps=1 --set batch_size=4 --set lr=1e-3 > "$work/train.log" \
        2>&1; then
    echo "FAIL $name: training"; cat "$work/train.log"; failed=1; continue
  fi
  "$build/contrastive" encode -q --model "$work/saved-$name" --input "$work/texts.txt" \
    --output "$work/$name.npy" || {
    failed=1; continue
  }
  "$python" "$here/sentence_transformers/roundtrip.py" "$work/saved-$name" "$work/texts.txt" \
    "$work/$name.npy" 2>"$work/roundtrip.log" ||
    { tail -5 "$work/roundtrip.log"; failed=1; }
  "$python" "$here/sentence_transformers/card.py" "$work/saved-$name" >"$work/card.log" 2>&1 || {
    tail -5 "$work/card.log"; failed=1; }
done
[ "$failed" -eq 0 ] && echo "compare.sh: all families agree" || {
  echo "compare.sh: FAILED"; exit 1; }
