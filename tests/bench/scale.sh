#!/usr/bin/env bash
# scale.sh PROGRAM MINILM DATA WORK: what core/torch/dist/README.md says of many machines. Measures
# this one, and prints what follows from that.
#
#   tests/bench/scale.sh build/release/contrastive MODEL DATA build/scale      MODEL is
#                                                                              all-MiniLM-L6-v2,
#                                                                              DATA holds wiki/*.txt
#                                                                              (a sentence a line)
#
# 1. Tokens a second in training: CLEAR on blocks of 512 tokens with a fresh encoder of BERT-base's
# size, and MNRL on all-MiniLM-L6-v2. 2. Sentences a second in encoding, with both. 3.
# simulate_ranks.py with these figures, for 1 to 1,024 ranks. A rank is a machine like this one.
# About ten minutes, on a machine that does nothing else.
set -euo pipefail
export LC_ALL=C
program=$(realpath "$1") minilm=$(realpath "$2") data=$(realpath "$3") work=$4
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
[ -s "$work/wiki.txt" ] || cat "$data"/wiki/*.txt >"$work/wiki.txt"
[ -d "$work/vocabulary" ] || "$program" vocabulary --quiet --input "$work/wiki.txt" --size 30000 \
  --output "$work/vocabulary"
[ -d "$work/base" ] || "$program" create --tokenizer "$work/vocabulary" --pooling mean --layers 12 \
  --hidden-size 768 --attention-heads 12 --max-length 512 \
  --output "$work/base" >/dev/null
head -n 20001 "$work/wiki.txt" | awk 'NR > 1 { print before "\t" $0 } { before = $0 }' \
  >"$work/pairs.tsv"

rates() {  # rates METRICS: tokens a second of each update but the first, which warms up
  python3 -c '
import json, sys
rates = [record.get("tokens_per_second") for record in map(json.loads, open(sys.argv[1]))]
print(*[round(rate) for rate in rates if rate][1:])' "$1"
}
"$program" train --quiet --method clear --model "$work/base" --train "$work/wiki.txt" \
  --output "$work/clear" --force --max-steps 9 --batch-size 4 --set accumulate=1 \
  --set clear.pooling=mean --set clear.max_length=512 --set watch_every=0 \
  --metrics-file "$work/clear.jsonl"
"$program" train --quiet --method mnrl --model "$minilm" --train "$work/pairs.tsv" \
  --output "$work/mnrl" --force --max-steps 40 --batch-size 64 --set mnrl.max_length=64 \
  --set watch_every=0 --metrics-file "$work/mnrl.jsonl"
clear=$(rates "$work/clear.jsonl") mnrl=$(rates "$work/mnrl.jsonl")
printf 'CLEAR, 12 x 768, tokens/s of the updates: %s\nMNRL, 6 x 384: %s\n\n' "$clear" "$mnrl"

sentences() {  # sentences MODEL COUNT: a second, loading taken out by a second run with few
  local few=100 begin long
  for count in $few "$2"; do
    head -n "$count" "$work/wiki.txt" >"$work/some.txt"
    begin=$EPOCHREALTIME
    "$program" encode --quiet --model "$1" --input "$work/some.txt" --output "$work/some.npy" \
      --force
    long=$(echo "$EPOCHREALTIME $begin ${long:-0}" | awk '{ print $1 - $2 - $3 }')
  done
  awk -v n=$(($2 - few)) -v s="$long" 'BEGIN { printf "%.0f", n / s }'
}
for model in "$minilm" "$work/base"; do
  count=20000
  [ "$model" = "$minilm" ] || count=3000
  rate=$(sentences "$model" $count)
  awk -v model="${model##*/}" -v rate="$rate" 'BEGIN {
    days = 1e9 / rate / 86400
    printf "encoding with %s: %d sentences/s; a billion: ", model, rate
    printf "%.1f days on one machine, %.1f on 16, %.2f on 128\n", days, days / 16, days / 128 }'
done
echo
# shellcheck disable=SC2086  # several figures
{
  python3 "$here/simulate_ranks.py" --preset clear --network 25GbE --tokens-per-second $clear
  echo
  python3 "$here/simulate_ranks.py" --preset mnrl --network 10GbE --tokens-per-second $mnrl
  echo
  python3 "$here/simulate_ranks.py" --preset consert --network 10GbE --tokens-per-second $clear
}
