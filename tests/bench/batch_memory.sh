#!/usr/bin/env bash
# batch_memory.sh CONTRASTIVE MODEL PAIRS WORK [BATCH...]: what one update of a large batch needs,
# every pair compared with every other. The encoder takes 64 pairs at a time (cached gradients), the
# loss blocks of rows.
#
#   tests/bench/batch_memory.sh build/release/contrastive MODEL build/quickstart/pairs.tsv
#   build/batch_memory 256 1024 4096 16384
#
# Prints a table in Markdown: the most memory that the process held, and the seconds of the update.
# PAIRS is a tsv of two columns with at least as many rows as the largest batch. "matrix": bytes of
# one matrix of all similarities in float32, of which plain NT-Xent keeps two or three.
set -euo pipefail
export LC_ALL=C
contrastive=$1 model=$2 pairs=$3 work=$4 part=64
shift 4
[ $# -gt 0 ] || set -- 256 1024 4096 16384
mkdir -p "$work"

printf '| loss | pairs | matrix, MB | peak, MB | s |\n| --- | --- | --- | --- | --- |\n'
for method in mnrl consert; do
  for batch in "$@"; do
    [ "$(head -n "$batch" "$pairs" | tee "$work/train.tsv" | wc -l)" = "$batch" ] || {
      echo "batch_memory.sh: $pairs has fewer than $batch rows" >&2; exit 1; }
    side=$batch
    [ "$method" = mnrl ] || { side=$((2 * batch)); cut -f 1 "$work/train.tsv" >"$work/train.txt"; }
    case $method in mnrl) data=$work/train.tsv ;; consert) data=$work/train.txt ;; esac
    rm -rf "$work/trained"
    begin=$(date +%s%N)
    peak=$(python3 - "$contrastive" train --method "$method" --model "$model" --train "$data" \
      --output "$work/trained" --batch-size "$part" --max-steps 1 \
      --set accumulate=$((batch / part)) --set negatives=global --set "$method.max_length=32" <<'PY'
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
if done.returncode:
    sys.exit(done.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
    )
    printf '| %s | %s | %s | %s | %s |\n' "$method" "$batch" $((side * side * 4 / 1048576)) \
      "$peak" \
      "$(awk "BEGIN { printf \"%.1f\", ($(date +%s%N) - $begin) / 1e9 }")"
  done
done
