#!/usr/bin/env bash
# train.sh CONTRASTIVE FIXTURES COUNT [SEED]: kills `contrastive train` COUNT times after random times with kill -9, goes on with --resume each time, and
# compares every finished run, byte for byte, with one that nobody killed: the model, what resuming needs, the record (but for its speeds).
set -euo pipefail
contrastive=$(realpath "$1") fixtures=$(realpath "$2") count=$3
RANDOM=${4:-1}
export OMP_NUM_THREADS=1
place=$(mktemp -d "${TMPDIR:-/tmp}/contrastive-train-kills-XXXXXX")
cd "$place"
fail() { echo "FAILED: $* (kept in $place)"; exit 1; }

for i in $(seq 40); do printf 'the cat sat on the mat %d\ta cat is on the mat %d\n' "$i" "$i"; done >pairs.tsv

# Saved after every update, through the folder of the result itself.
train=("$contrastive" train --method mnrl --model "$fixtures/models/bert_st" --train pairs.tsv --max-steps 30 --batch-size 4 --save-every 1 --quiet)
record() { sed -E 's/"(samples|tokens)_per_second":[^,}]*,?//g' "$1"; }

begin=$(date +%s%N)
"${train[@]}" --output whole
took=$((($(date +%s%N) - begin) / 1000000))  # of one run, in milliseconds
record whole/metrics.jsonl >whole.record

# same FOLDER: nothing but speeds differs from the run that nobody killed.
same() {
  diff -rq --exclude=metrics.jsonl whole "$1" || return 1
  record "$1/metrics.jsonl" | cmp - whole.record
}
"${train[@]}" --output again && same again || fail "two runs that nobody killed differ: there is nothing to compare with"

kills=0 runs=0 early=0
while [ "$kills" -lt "$count" ]; do
  rm -rf out .out* && runs=$((runs + 1)) options=()
  for (( ; ; )); do
    "${train[@]}" --output out "${options[@]}" 2>err &
    pid=$!
    over=0
    if [ "$kills" -lt "$count" ]; then
      sleep "$(printf '0.%03d' $((RANDOM * 37 % (took < 1000 ? took : 999))))"
      kill -9 $pid 2>/dev/null && over=1
    fi
    code=0
    wait $pid 2>/dev/null || code=$?
    if [ $code -eq 0 ]; then break; fi
    [ $code -eq 137 ] || fail "kill $kills: the run that goes on ends with $code: $(cat err)"
    [ $over -eq 1 ] || fail "somebody else killed the run"
    kills=$((kills + 1))
    if [ -e out/training_state/manifest.json ]; then
      options=(--resume out)
    else
      [ ! -e out ] || fail "kill $kills: out is there and holds no run"
      options=(--force) early=$((early + 1))
    fi
  done
  same out || fail "run $runs, after $kills kills: it is not the run that nobody killed"
  left=$(find . -maxdepth 1 -name '.out*'; find out -name '.*')
  [ -z "$left" ] || fail "run $runs, after $kills kills: $left stayed"
done
echo "$kills kills of $runs runs, $early of them before the first save: every finished run equals the one that nobody killed"
cd / && rm -rf "$place"
