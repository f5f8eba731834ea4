#!/usr/bin/env bash
# static.sh CONTRASTIVE MINILM PAIRS WORK: compares the speed of static embeddings with that of the
# encoder from which they were distilled, and measures the distillation.
#
#   tests/bench/static.sh build/release/contrastive MODEL build/quickstart/pairs.tsv build/static
#
# Prints a table in Markdown: the seconds to distil MiniLM into 256 dimensions, then the texts a
# second of both on the second column of PAIRS. Each is the median of three alternating rounds with
# two threads. The static model embeds the texts twenty times, so that starting the program does not
# dominate.
set -euo pipefail
export LC_ALL=C CONTRASTIVE_THREADS=2
contrastive=$1 minilm=$2 pairs=$3 work=$4
mkdir -p "$work"
head -n 4000 "$pairs" | cut -f 2 >"$work/some.txt"
head -n 20000 "$pairs" | cut -f 2 >"$work/part.txt"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  cat "$work/part.txt"; done >"$work/many.txt"
rm -rf "$work/static"
begin=$(date +%s%N)
"$contrastive" create --set static.encoder="$minilm" --output "$work/static" --quiet >/dev/null
printf '| | |\n| --- | --- |\n| distilling, seconds | %s |\n' \
  "$(awk "BEGIN { printf \"%.1f\", ($(date +%s%N) - $begin) / 1e9 }")"

# rate MODEL TEXTS -> texts a second, loading left out: the same call on one text is taken off
rate() {
  local first whole
  head -n 1 "$2" >"$work/one.txt"
  begin=$(date +%s%N)
  "$contrastive" encode --model "$1" --input "$work/one.txt" --output "$work/out.npy" --force \
    --quiet >/dev/null
  first=$(($(date +%s%N) - begin))
  begin=$(date +%s%N)
  "$contrastive" encode --model "$1" --input "$2" --output "$work/out.npy" --force --quiet \
    >/dev/null
  whole=$(($(date +%s%N) - begin))
  awk "BEGIN { printf \"%.0f\n\", ($(wc -l <"$2") - 1) * 1e9 / ($whole - $first) }"
}
for _ in 1 2 3; do
  rate "$minilm" "$work/some.txt" >>"$work/encoder.$$"
  rate "$work/static" "$work/many.txt" >>"$work/table.$$"
done
encoder=$(sort -n "$work/encoder.$$" | sed -n 2p) table=$(sort -n "$work/table.$$" | sed -n 2p)
rm -f "$work/encoder.$$" "$work/table.$$"
printf '| %s | %s |\n' 'MiniLM, texts a second' "$encoder" \
  'static embeddings, texts a second' "$table" \
  'as many' "$(awk "BEGIN { printf \"%.0f\", $table / $encoder }") x"
