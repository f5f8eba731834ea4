#!/usr/bin/env bash
# ranks.sh PROGRAM MODEL [STEPS]: measures an update on one process with one thread, on one with two
# threads, and on two ranks of one thread each. The three take turns for three rounds. The load of
# the machine is printed as well, because figures of a busy machine mean nothing. The updates use
# ConSERT's defaults on 64 generated sentences a batch.
set -euo pipefail
program=$(realpath "$1") model=$(realpath "$2") steps=${3:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in $(seq 4000); do
  echo "sentence $i tells of the $((i * 7919 % 1000)) ships that left the harbour in the year" \
    "$((i % 300 + 1700))"
done >"$work/texts.txt"
seconds() {  # seconds STEPS ARGUMENTS...
  local begin=$EPOCHREALTIME count=$1
  shift
  "$program" train --quiet --method consert --model "$model" --train "$work/texts.txt" \
    --batch-size 64 --set watch_every=0 --output "$work/out" --force \
    --max-steps "$count" "$@"
  echo "$EPOCHREALTIME $begin" | awk '{ print $1 - $2 }'
}
# Of one update: the difference of a long and a short run, so that loading counts for nothing.
update() { echo "$(seconds "$steps" "$@") $(seconds 2 "$@")" |
  awk -v n="$steps" '{ printf "%.3f", ($1 - $2) / (n - 2) }'; }
echo "| round | 1 process, 1 thread | 1 process, 2 threads | 2 ranks, 1 thread each | load |"
echo "| --- | --- | --- | --- | --- |"
for round in 1 2 3; do
  echo "| $round | $(update --threads 1) s | $(update --threads 2) s |" \
    "$(update --threads 1 --ranks 2) s | $(cut -d ' ' -f 1 /proc/loadavg) |"
done
