#!/usr/bin/env bash
# Trains a sentence encoder from scratch on real text, and shows what each method adds. It learns a
# vocabulary from Wikipedia sentences and pre-trains a small BERT on them (masked language modelling
# alone, and CLEAR with and without its projection head). Then ConSERT, SG-OPT and SimCSE continue
# from each of the three, with the texts of the STS tasks, but without their scores. It prints the
# Spearman correlations ('all') before and after each step, and how narrow the cone of the vectors
# is.
#
#   tests/bench/real_run.sh DATA [OUTPUT]      DATA holds wiki/*.txt (a sentence a line) and
#                                              sts/{STS12,STS14,STS15,STSB,SICK}/*.tsv
#
#   STEPS=3000             updates of each pre-training
#   TUNE_SENTENCES=28800   sentences for each later method; STS-B dev chooses the best weights
#   LAYERS=3 HIDDEN=192 HEADS=3 VOCABULARY=8000 BATCH=48   the model
#
# Existing results are kept, so an interrupted run can be resumed. real_run.log in this folder is
# its output for the table of README.md here.
set -euo pipefail
cd "$(dirname "$0")/../.."
data=${1:?DATA is missing: see the head of this file} work=${2:-build/real_run}
steps=${STEPS:-3000} tune_sentences=${TUNE_SENTENCES:-28800} batch=${BATCH:-48}
contrastive=build/release/contrastive
mkdir -p "$work"
started=$SECONDS
step() { printf '\n[%d:%02d] %s\n' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)) "$*";
  }

step "texts"
[ -s "$work/wiki.txt" ] || cat "$data"/wiki/*.txt >"$work/wiki.txt"
# Both sentences of every pair, scores thrown away, the splits of STS-B and SICK together: what
# ConSERT calls its unlabelled pool.
[ -s "$work/pool.txt" ] ||
  cut -f 2,3 --output-delimiter=$'\n' "$data"/sts/{STS12,STS14,STS15,STSB,SICK}/*.tsv \
  >"$work/pool.txt"
wc -l "$work/wiki.txt" "$work/pool.txt"

step "vocabulary"
[ -d "$work/vocabulary" ] || $contrastive vocabulary --input "$work/wiki.txt" \
  --size "${VOCABULARY:-8000}" --output "$work/vocabulary"
[ -d "$work/fresh" ] || $contrastive create --tokenizer "$work/vocabulary" --pooling mean \
  --layers "${LAYERS:-3}" --hidden-size "${HIDDEN:-192}" --attention-heads "${HEADS:-3}" \
  --max-length 64 --output "$work/fresh"

# pretrain NAME KEYS...
pretrain() {
  local name=$1
  shift
  step "pre-training: $name"
  [ -d "$work/$name" ] || $contrastive train --method clear --model "$work/fresh" \
    --train "$work/wiki.txt" --output "$work/$name" --max-steps "$steps" --batch-size "$batch" \
    --lr 5e-4 --metrics-file "$work/$name.jsonl" --set clear.preset=small --set clear.pooling=mean \
    --set clear.max_length=64 --set warmup_ratio=0.06 "$@"
}
pretrain mlm --set clear.objective=mlm
pretrain clear --set clear.recipe=del-span
pretrain clear-no-head --set clear.recipe=del-span --set clear.head=none

# tune METHOD FROM BATCH KEYS...: on top of a pre-trained model. As many sentences for each, however
# large its batches.
tune() {
  local method=$1 from=$2 tune_batch=$3
  shift 3
  step "$method, from $from"
  [ -d "$work/$from-$method" ] || $contrastive train --method "$method" --model "$work/$from" \
    --train "$work/pool.txt" --dev "$data/sts/STSB/dev.tsv" --output "$work/$from-$method" \
    --batch-size "$tune_batch" --max-steps $((tune_sentences / tune_batch)) --eval-every 50 \
    --lr 3e-5 --metrics-file "$work/$from-$method.jsonl" --set dev_task=sts \
    --set eval_at_start=true "$@"
}
for from in clear mlm clear-no-head; do tune consert $from 96 --set consert.mode=unsup; done
for from in clear mlm clear-no-head; do
  tune simcse $from 64 --set simcse.pooling=mean --set simcse.mlp=none
done
for from in clear mlm clear-no-head; do tune sgopt $from 16 --set sgopt.pooling=mean; done

step "Spearman x 100, 'all'"
printf '%s\n' \
  '| model | STS-B dev | STS-B test | STS12 | STS14 | STS15 | mean cosine | effective rank |' \
  '| --- | --- | --- | --- | --- | --- | --- | --- |'
for name in fresh {mlm,clear,clear-no-head}{,-consert,-simcse,-sgopt}; do
  row="| $name |"
  for task in STSB/dev.tsv STSB/test.tsv STS12 STS14 STS15; do
    row+=$($contrastive eval --model "$work/$name" --task sts --data "$data/sts/$task" --json \
      --quiet |
      python3 -c 'import json, sys
print(" %.2f |" % (100 * json.load(sys.stdin)["spearman"]["all"]), end="")')
  done
  row+=$($contrastive eval --model "$work/$name" --task geometry --data "$data/sts/STSB/dev.tsv" \
    --json --quiet |
    python3 -c 'import json, sys
report = json.load(sys.stdin)
print(" %.2f | %.1f |" % (report["mean_cosine"], report["effective_rank"]), end="")')
  echo "$row"
done
