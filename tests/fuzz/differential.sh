#!/usr/bin/env bash
# Runs differential.py: this library against the Rust crates, as the PyPI packages `tokenizers` and
# `safetensors` wrap them, on mutated files.
#
#   tests/fuzz/differential.sh [SECONDS|COUNTx [tokenizers|safetensors]]      by default 8000x:
#                                                                             8,000 files of each,
#                                                                             the same ones every
#                                                                             time
#
# The pinned wheels go into a virtual environment under build/, the one of
# tests/golden/tokenizers/compare.sh. A package that cannot be had is skipped with a line that says
# so.
set -euo pipefail
cd "$(dirname "$0")/../.."
tokenizers=0.23.3
safetensors=0.8.0
build=build/release
venv=build/compare-tokenizers

cmake --build "$build" --target fuzz_replay >/dev/null || {
  echo "differential.sh: fuzz_replay cannot be built; configure $build first" >&2; exit 1; }
python=$venv/bin/python
"$python" -c '' 2>/dev/null || python3 -m venv "$venv" || python=python3
for package in "tokenizers==$tokenizers" "safetensors==$safetensors"; do
  name=${package%%==*}
  "$python" -c "import $name, sys; sys.exit($name.__version__ != '${package#*==}')" 2>/dev/null ||
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps "$package" >/dev/null \
      2>&1 || echo "differential.sh: $package cannot be installed"
done
# The crate prints a stack for each of its panics.
export RUST_BACKTRACE=0
exec "$python" tests/fuzz/differential.py "$build/fuzz_replay" "${1:-8000x}" ${2:+"$2"} \
  2>"$build/differential.log"
