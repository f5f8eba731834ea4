#!/usr/bin/env bash
# retrain.sh CONTRASTIVE PAIRS WORK STEPS MODEL...: each model is retrained in the same way
# (in-batch InfoNCE) on the quickstart's pairs of a package's short and long description, and
# measured before and after on 2,000 pairs that it has not seen: how often the right long
# description comes first.
#
#   tests/bench/retrain.sh build/release/contrastive build/quickstart/pairs.tsv build/retrain 100
#   MINILM MPNET
#
# Prints a table in Markdown. Two cores take about a minute for 100 updates of all-MiniLM-L6-v2, and
# ten of all-mpnet-base-v2.
set -euo pipefail
export LC_ALL=C
contrastive=$1 pairs=$2 work=$3 steps=$4 batch=${BATCH:-32}
shift 4
mkdir -p "$work"
sed -n '1,2000p' "$pairs" >"$work/test.tsv"
sed -n "3001,$((3000 + steps * batch))p" "$pairs" >"$work/train.tsv"

figure() { printf '%.4f' "$(sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" "$1" | head -n 1)"; }
evaluate() {  # evaluate MODEL: "recall@1 | MRR@10"
  "$contrastive" eval --model "$1" --task retrieval --data "$work/test.tsv" --json \
    >"$work/figures.json"
  printf '%s | %s' "$(figure "$work/figures.json" 'recall@1')" \
    "$(figure "$work/figures.json" 'mrr@10')"
}

echo "| $steps updates of $batch pairs | recall@1 before | MRR@10 before | recall@1 after |" \
  "MRR@10 after | s an update |"
echo '| --- | --- | --- | --- | --- | --- |'
for model in "$@"; do
  before=$(evaluate "$model")
  rm -rf "$work/trained"
  begin=$(date +%s%N)
  "$contrastive" train --method mnrl --model "$model" --train "$work/train.tsv" \
    --output "$work/trained" --batch-size "$batch" --max-steps "$steps" --set lr=2e-5 \
    --set warmup_ratio=0.1 --set mnrl.max_length=128 >"$work/train.log" 2>&1 || {
      tail -n 5 "$work/train.log" >&2; exit 1; }
  took=$((($(date +%s%N) - begin) / 1000000))
  printf '| %s | %s | %s | %s |\n' \
    "$(sed -n 's/.*"model_type": *"\([a-z]*\)".*/\1/p' "$model/config.json")" "$before" \
    "$(evaluate "$work/trained")" \
    "$(awk "BEGIN { printf \"%.2f\", $took / $steps / 1000 }")"
done
