#!/usr/bin/env bash
# pack.sh and run.sh without a GPU, on the simulated CUDA device: every step is taken, and
# every row of the table has a figure of ours.
#
#   tests/gpu/rehearse.sh BUILD LIBHOST_CUDA WORK
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 device=$2 work=$3
fail() { echo "rehearse.sh: $*" >&2; exit 1; }

"$here/pack.sh" "$build" "$work/pack" "$here/../fixtures/models/bert_st"
"$here/run.sh" --rehearse "$device" "$work/pack.tar.xz" "$work/out" ||
  fail "run.sh ended with exit status $?"

rows=0
for model in MiniLM BERT-base; do
  for precision in float32 bfloat16; do
    for what in "encode, "{short,mixed,long}", texts/s" "encode, one text, p50 ms" \
      "train, "{consert,mnrl}", n "{32,128}", ms a step"; do
      grep -qE "^\| $what \| $model \| $precision \| [0-9]" "$work/out/table.md" ||
        fail "no figure of ours in the row '$what', $model, $precision"
      rows=$((rows + 1))
    done
    grep -qE "^\| our own on the CPU \| $model \| $precision \| .* same \|$" "$work/out/table.md" ||
      fail "no vectors of $model, $precision"
  done
done
for test in test_cuda test_cuda_after_cpu test_methods_cuda; do
  grep -qE "^\| $test \| passed \([1-9]" "$work/out/table.md" || fail "no test of $test passed"
done
# One part alone: its rows and no others.
"$here/run.sh" --rehearse "$device" --only train "$work/pack.tar.xz" "$work/train" ||
  fail "run.sh --only train ended with exit status $?"
[ "$(grep -c '^| train, ' "$work/train/table.md")" = 16 ] ||
  fail "--only train has not the 16 rows of training"
! grep -qE '^\| (encode, |test_)' "$work/train/table.md" ||
  fail "--only train has rows of another part"
# What must fail: vectors of other texts, in either precision, and a vector of zeros.
cd "$here"
python3 - <<'END' || fail "vectors.py does not tell vectors apart"
import vectors
rows = [[0.6, 0.8], [0.8, 0.6], [0.0, 1.0]]
for precision in vectors.TOLERANCES:
    assert vectors.compare(rows, rows, precision)["same"]
    assert not vectors.compare(rows, rows[::-1], precision)["same"]
    assert not vectors.compare(rows, [*rows[:2], [0.0, 0.0]], precision)["same"]
    assert not vectors.compare(rows, [*rows[:2], [float("nan"), 1.0]], precision)["same"]
END
echo "$rows rows, each with a figure"
