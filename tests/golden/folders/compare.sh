#!/usr/bin/env bash
# Compares model folders with random options between sentence-transformers and this library
# (compare.py).
#
#   tests/golden/folders/compare.sh [COUNT [SEED]]     default: 40 folders, which tests/run.sh
#                                                      compares; 300 is the long run
#
# CONTRASTIVE_PYTHON names an interpreter that has the libraries of tests/golden/requirements.txt.
# Without it they are installed into a virtual environment under build/. Where they cannot be had,
# the comparison is skipped with a line that says so.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=build/release venv=build/reference
cmake --build "$build" --target contrastive_cli >/dev/null || {
  echo "compare.sh: configure and build $build first" >&2; exit 1; }

has_libraries() { "$1" -c "import peft, sentence_transformers, torch, transformers" 2>/dev/null; }
python=${CONTRASTIVE_PYTHON:-$venv/bin/python}
if ! has_libraries "$python"; then
  [ -z "${CONTRASTIVE_PYTHON:-}" ] || {
    echo "compare.sh: $python lacks a library of tests/golden/requirements.txt" >&2; exit 2; }
  { python3 -m venv "$venv" && "$python" -m pip install --quiet --disable-pip-version-check -r \
    tests/golden/requirements.txt; } >/dev/null 2>&1 || true
fi
if ! has_libraries "$python"; then
  echo "compare.sh: skipped: the libraries of tests/golden/requirements.txt can be neither" \
    "installed nor imported"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false "$python" tests/golden/folders/compare.py \
  "$build/contrastive" "${1:-40}" "${2:-1}" 2>&1 |
  grep -v -E '^$|Default prompt name is set'
